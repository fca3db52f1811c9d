// slip_signs.c - see slip_signs.h.

#include "grade/slip_signs.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "grade/slip_numbers.h"
#include "grade/slip_text.h"

// How far to look back and ahead, in a text that is made to take long.
enum { LONGEST_STATEMENT = 400 };

// The beginning of the word that ends here.
static const char *word_begin(const char *text, const char *end)
{
    while (end > text && in_word(end[-1])) {
        end--;
    }
    return end;
}

// Is it in the [...] of an index, or in the head of a loop? Looks back to the statement's begin.
static bool in_index_or_head(const char *text, const char *at)
{
    const char *longest = at - text > LONGEST_STATEMENT ? at - LONGEST_STATEMENT : text;
    size_t squares = 0, rounds = 0; // brackets that end before this place
    for (const char *c = at; c > longest && strchr("{}", c[-1]) == NULL; c--) {
        if (c[-1] == '[' && squares == 0) {
            return true;
        }
        if (c[-1] == '(' && rounds == 0 && c - text > 3) {
            const char *name = word_begin(text, back_to_text(text, c - 1) + 1);
            if (is_word(name, "for")) {
                return true;
            }
        }
        squares += (c[-1] == ']') - (c[-1] == '[' && squares > 0);
        rounds += (c[-1] == ')') - (c[-1] == '(' && rounds > 0);
    }
    return false;
}

// A value may end here.
static bool ends_value(char c)
{
    return in_word(c) || c == ')' || c == ']';
}

// The sign of an exponent, as in 1e-6.
static bool is_of_exponent(const char *text, const char *sign)
{
    const char *number = word_begin(text, sign);
    return number < sign && *number >= '0' && *number <= '9' &&
           strchr("eE", sign[-1]) != NULL;
}

// The statement's words decide: in a condition or a size, the other sign or direction may only make a branch
// of no use, and the function right without it.
static bool is_of_numbers(const char *text, const char *at)
{
    static const char *const others[] = {"if",  "while",    "for",  "switch",
                                         "int", "unsigned", "long", "size_t"};
    const char *longest = at - text > LONGEST_STATEMENT ? at - LONGEST_STATEMENT : text;
    const char *start = at;
    while (start > longest && strchr(";{}", start[-1]) == NULL) {
        start--;
    }
    start = skip_blanks(start);
    start = is_word(start, "const") ? skip_blanks(start + strlen("const")) : start;
    bool is =
        memchr(start, '=', (size_t)(at - start)) != NULL || is_word(start, "return");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        is = is && !is_word(start, others[i]);
    }
    const char *behind = at;
    while (behind - at < LONGEST_STATEMENT && strchr("?;{}", *behind) == NULL) {
        behind++;
    }
    return is && *behind != '?'; // a ? follows: it is in a condition
}

const char *other_sign(const char *text, const char *at)
{
    const char before = *back_to_text(text, at);
    const bool is_sign = (*at == '+' || *at == '-') && strchr("+-=>", at[1]) == NULL &&
                         at > text && at[-1] != *at;
    if (!is_sign || is_of_exponent(text, at) || in_index_or_head(text, at) ||
        !is_of_numbers(text, at) ||
        !(ends_value(before) || (*at == '-' && strchr("=(?:,", before) != NULL))) {
        return NULL;
    }
    return *at == '+' ? "-" : "+";
}

static bool names_largest(const char *word)
{
    return names_a_maximum(word, word_length(word));
}

const char *other_direction(const char *text, const char *at)
{
    const bool is_comparison = (*at == '<' || *at == '>') && at > text &&
                               strchr("<>", at[1]) == NULL &&
                               strchr("<>-", at[-1]) == NULL;
    const char *before = back_to_text(text, at);
    const char *behind = skip_blanks(at + (at[1] == '=') + 1);
    if (!is_comparison || !ends_value(*before) || in_index_or_head(text, at) ||
        !(names_largest(word_begin(text, before + 1)) || names_largest(behind))) {
        return NULL;
    }
    return *at == '<' ? ">" : "<";
}
