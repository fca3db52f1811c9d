// slip_numbers.c - see slip_numbers.h.

#include "grade/slip_numbers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grade/slip_text.h"

// A limit for a text that is made to take long.
enum { LONGEST_VALUE = 400 };

// Does the statement that holds this place declare floats?
static bool declares_floats(const char *text, const char *at)
{
    const char *longest = at - text > LONGEST_VALUE ? at - LONGEST_VALUE : text;
    while (at > longest && strchr(";{}", at[-1]) == NULL) {
        at--;
    }
    at = skip_blanks(at);
    return is_word(at, "float") || is_word(at, "double");
}

size_t one_of_start(const char *text, const char *word)
{
    const size_t length = strspn(word, "1.0fFL");
    return *word == '1' && strtod(word, NULL) == 1.0 &&
                   strchr(";,", *skip_blanks(word + length)) != NULL &&
                   *back_to_text(text, word) == '=' && declares_floats(text, word)
               ? length
               : 0;
}

// The length of a number from 1e-20 to 0.01 that is written here; 0 if there is none.
static size_t small_number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (!(value >= 1e-20 && value <= 0.01)) {
        return 0;
    }
    end += strspn(end, "fFlL");
    const bool is_factor = *end != '\0' && strchr("*/", *skip_blanks(end)) != NULL;
    return in_word(*end) || is_factor ? 0 : (size_t)(end - text);
}

size_t small_length(const char *text, const char *word)
{
    static const char *const names[] = {"eps", "epsilon", "FLT_EPSILON", "FLT_MIN"};
    if (strchr("+=<>,", *back_to_text(text, word)) == NULL) {
        return 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (word_length(word) == length && strncasecmp(word, names[i], length) == 0) {
            return length;
        }
    }
    return strchr("0123456789.", *word) != NULL ? small_number(word) : 0;
}

bool is_float_sum(const char *type)
{
    const char *name = skip_blanks(type + word_length(type));
    const char *equals = skip_blanks(name + word_length(name));
    if (!is_word(type, "float") || word_length(name) == 0 || *equals != '=') {
        return false;
    }
    char *end;
    const char *value = skip_blanks(equals + 1);
    return *value == '0' && strtod(value, &end) == 0.0 && // no 0.5f, no 0 * n
           strchr(";,", *skip_blanks(end + strspn(end, "fFlL"))) != NULL;
}

bool names_a_maximum(const char *word, size_t length)
{
    static const char *const parts[] = {"max", "larg", "big", "best", "high", "peak"};
    bool names = length == 1 && (*word == 'm' || *word == 'M');
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t part = strlen(parts[i]);
        for (size_t at = 0; at + part <= length; at++) {
            names = names || strncasecmp(word + at, parts[i], part) == 0;
        }
    }
    return names;
}

// The length of a finite number that begins here, with its sign; 0 if there is none.
static size_t start_length(const char *value)
{
    static const char *const names[] = {"FLT_MIN", "FLT_MAX", "DBL_MIN", "DBL_MAX"};
    const char *number = *value == '-' ? value + 1 : value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_word(number, names[i])) {
            return (size_t)(number - value) + strlen(names[i]);
        }
    }
    if (strchr("0123456789.", *number) == NULL) {
        return 0;
    }
    char *end;
    strtod(number, &end);
    return (size_t)(end + strspn(end, "fFlL") - value);
}

const char *maximum_start(const char *word, size_t *number)
{
    const size_t length = word_length(word);
    const char *equals = skip_blanks(word + length);
    if (*equals == '[') {
        const char *close = behind_bracket(equals, '[', ']', LONGEST_VALUE);
        equals = close != NULL ? skip_blanks(close) : equals;
    }
    if (*equals != '=' || equals[1] == '=' || !names_a_maximum(word, length)) {
        return NULL;
    }
    const char *value = skip_blanks(equals + 1);
    *number = *value != '\0' ? start_length(value) : 0;
    return strchr(";,", *skip_blanks(value + *number)) != NULL ? value : NULL;
}
