// slip_signs.c - see slip_signs.h.

#include "grade/slip_signs.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "grade/slip_text.h"

// How far to look back, in a text that is made to take long.
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

const char *other_sign(const char *text, const char *at)
{
    const char before = *back_to_text(text, at);
    const bool is_sign = (*at == '+' || *at == '-') && strchr("+-=>", at[1]) == NULL &&
                         at > text && at[-1] != *at;
    if (!is_sign || is_of_exponent(text, at) || in_index_or_head(text, at) ||
        !(ends_value(before) || (*at == '-' && strchr("=(?:,", before) != NULL))) {
        return NULL;
    }
    return *at == '+' ? "-" : "+";
}

const char *other_direction(const char *text, const char *at)
{
    const bool is_comparison = (*at == '<' || *at == '>') && at > text &&
                               strchr("<>", at[1]) == NULL &&
                               strchr("<>-", at[-1]) == NULL;
    if (!is_comparison || !ends_value(*back_to_text(text, at)) ||
        in_index_or_head(text, at)) {
        return NULL;
    }
    return *at == '<' ? ">" : "<";
}
