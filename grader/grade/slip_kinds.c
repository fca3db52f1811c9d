// slip_kinds.c - see slip_kinds.h.

#include "grade/slip_kinds.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grade/slip_text.h"

// Limits for a text that is made to take long.
enum { LONGEST_ARGUMENTS = 4096, LONGEST_VALUE = 400 };

static bool set(struct slip *slip, const char *text, const char *at, size_t length,
                const char *by)
{
    if (at == NULL || length == 0 || by == NULL) {
        return false;
    }
    *slip = (struct slip){(size_t)(at - text), length, by};
    return true;
}

// Is it the step of a loop that multiplies: i *= 2, i <<= 1, i = i * 2, i += i? From 0, it would not end.
static bool multiplies(const char *step, const char *end)
{
    const char *equals = memchr(step, '=', (size_t)(end - step));
    if (equals == NULL || equals[-1] == '-') {
        return false;
    }
    if (equals[-1] == '+') {
        const char *name = skip_blanks(step), *added = skip_blanks(equals + 1);
        const size_t length = word_length(name);
        return word_length(added) == length && memcmp(name, added, length) == 0;
    }
    const size_t rest = (size_t)(end - equals);
    return strchr("*<", equals[-1]) != NULL || memchr(equals, '*', rest) != NULL ||
           memchr(equals, '<', rest) != NULL;
}

// The head of a loop: for (... first; ... second; ... end
struct head {
    const char *open, *first, *second, *end;
};

static bool find_head(const char *loop, struct head *head)
{
    const char *open = skip_blanks(loop + strlen("for"));
    const char *end =
        *open == '(' ? behind_bracket(open, '(', ')', LONGEST_ARGUMENTS) : NULL;
    const char *first = end != NULL ? open + strcspn(open, ";{}") : NULL;
    const char *second = first != NULL && first < end && *first == ';'
                             ? memchr(first + 1, ';', (size_t)(end - first - 1))
                             : NULL;
    *head = (struct head){open, first, second, end};
    return second != NULL;
}

// for (size_t s = 1; ...): where the 1 is, or NULL.
static const char *one_of_loop(const char *loop)
{
    struct head head;
    // A loop whose step is in its body may multiply there.
    if (!find_head(loop, &head) || skip_blanks(head.second + 1) == head.end - 1 ||
        multiplies(head.second + 1, head.end)) {
        return NULL;
    }
    const char *open = head.open, *last = back_to_text(open, head.first);
    while (last > open && strchr("uUlLzZ", *last) != NULL) {
        last--;
    }
    const char *equals = back_to_text(open, last);
    const char *before = back_to_text(open, equals);
    return *last == '1' && *equals == '=' && (in_word(*before) || *before == ']') ? last
                                                                                  : NULL;
}

// for (...; s < S - 1; ...): where the minus is, or NULL. Sets the length of "- 1".
static const char *minus_one_of_loop(const char *loop, size_t *length)
{
    struct head head;
    if (!find_head(loop, &head)) {
        return NULL;
    }
    const char *last = back_to_text(head.first, head.second);
    const char *minus = back_to_text(head.first, last);
    const bool is_one =
        *last == '1' && *minus == '-' && in_word(*back_to_text(head.first, minus));
    *length = (size_t)(last + 1 - minus);
    return is_one && memchr(head.first, '<', (size_t)(minus - head.first)) != NULL ? minus
                                                                                   : NULL;
}

// ---- a start, a sign, a direction ---------------------------------------------------------

// The beginning of the word that ends here.
static const char *word_begin(const char *text, const char *end)
{
    while (end > text && in_word(end[-1])) {
        end--;
    }
    return end;
}

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

// float sum = 1, double max = x[0], sum = 1.0f: the length of the number, or 0.
static size_t one_of_start(const char *text, const char *word)
{
    const size_t length = strspn(word, "1.0fFL");
    return *word == '1' && strtod(word, NULL) == 1.0 &&
                   strchr(";,", *skip_blanks(word + length)) != NULL &&
                   *back_to_text(text, word) == '=' && declares_floats(text, word)
               ? length
               : 0;
}

// Is it in the [...] of an index, or in the head of a loop? Looks back to the statement's begin.
static bool in_index_or_head(const char *text, const char *at)
{
    const char *longest = at - text > LONGEST_VALUE ? at - LONGEST_VALUE : text;
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

// a + b, a - b, -b as a whole value: the other sign, or NULL. Not in i++, p->n, sum += 1.
static const char *other_sign(const char *text, const char *at)
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

// a < b, a >= b: the other direction, or NULL. Not in a << b, p->n, for (...), kernel<<<...>>>.
static const char *other_direction(const char *text, const char *at)
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

// ---- a fraction in an int -----------------------------------------------------------------

static bool is_whole_type(const char *word)
{
    return is_word(word, "int") || is_word(word, "long") || is_word(word, "unsigned") ||
           is_word(word, "size_t");
}

// A function whose result has a fraction, and no rounding of one.
static bool has_fraction(const char *word)
{
    static const char *const names[] = {"sqrt", "sqrtf", "rsqrt", "rsqrtf", "exp",
                                        "expf", "log",   "logf",  "pow",    "powf"};
    bool has = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        has = has || is_word(word, names[i]);
    }
    return has;
}

// Does such a function occur from here to the end of the statement?
static bool leads_to_fraction(const char *value)
{
    const char *at = value;
    while (at - value < LONGEST_VALUE && strchr(";{}", *at) == NULL) {
        const size_t length = word_length(at);
        if (has_fraction(at)) {
            return true;
        }
        at += length > 0 ? length : 1;
    }
    return false;
}

// Does this word end here?
static bool ends_with(const char *start, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - start) > length && !in_word(end[-(ptrdiff_t)length]) &&
           strncmp(end + 1 - length, word, length) == 0;
}

// int sum = 0; const int root = sqrtf(d); not the counter of a loop.
static bool is_variable(const char *text, const char *type)
{
    const char *before = back_to_text(text, type);
    const char *name = skip_blanks(type + word_length(type));
    const char *equals = skip_blanks(name + word_length(name));
    if (word_length(name) == 0 || *equals != '=' ||
        (strchr(";{}", *before) == NULL && !ends_with(text, before, "const"))) {
        return false;
    }
    const char *value = skip_blanks(equals + 1);
    const bool from_0 =
        is_word(value, "0") && strchr(";,", *skip_blanks(value + 1)) != NULL;
    return from_0 || leads_to_fraction(value);
}

// (int)sqrtf(d)
static bool is_cast(const char *text, const char *type)
{
    const char *close = skip_blanks(type + word_length(type));
    return *back_to_text(text, type) == '(' && *close == ')' &&
           has_fraction(skip_blanks(close + 1));
}

// ---- a base other than e --------------------------------------------------------------------

static const char *with_base_e(const char *word)
{
    static const char *const names[][2] = {
        {"exp2f", "expf"}, {"exp2", "exp"}, {"exp10f", "expf"}, {"exp10", "exp"},
        {"log2f", "logf"}, {"log2", "log"}, {"log10f", "logf"}, {"log10", "log"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_word(word, names[i][0])) {
            return names[i][1];
        }
    }
    return NULL;
}

// ---- a small number -------------------------------------------------------------------------

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

// sum + 1e-6f, sum + eps, float sum = 1e-6f, fmaxf(sum, 1e-6f), sum < 1e-6f: the length of the small number.
static size_t small_length(const char *text, const char *word)
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

// ---- a variable without a value -------------------------------------------------------------

static bool is_type(const char *word)
{
    static const char *const names[] = {"float",   "double",   "bool",      "char",
                                        "short",   "int8_t",   "uint8_t",   "int32_t",
                                        "int64_t", "uint32_t", "ptrdiff_t", "lab_status"};
    bool is = is_whole_type(word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is = is || is_word(word, names[i]);
    }
    return is;
}

// Does a declaration of numbers lead to this word, outside of all brackets: float max, sum
static bool is_declared(const char *text, const char *name)
{
    const char *start = name;
    while (start > text && name - start < LONGEST_VALUE &&
           strchr(";{}()", start[-1]) == NULL) {
        start--;
    }
    const char *before = back_to_text(text, name);
    return start > text && strchr(";{}", start[-1]) != NULL &&
           is_type(skip_blanks(start)) && skip_blanks(start) < name && !is_type(name) &&
           (*before == ',' || in_word(*before));
}

// Behind the name or the sizes of an array
static const char *end_of_declarator(const char *name)
{
    const char *end = skip_blanks(name + word_length(name));
    while (end != NULL && *end == '[') {
        end = behind_bracket(end, '[', ']', LONGEST_VALUE);
        end = end != NULL ? skip_blanks(end) : NULL;
    }
    return end;
}

// float sum;  float max, sum;  int count[4]; becomes float sum = 0; and so on.
static bool is_unset(const char *text, const char *word, struct slip *slip)
{
    const char *end =
        word_length(word) > 0 && is_declared(text, word) ? end_of_declarator(word) : NULL;
    if (end == NULL || strchr(";,", *end) == NULL) {
        return false;
    }
    const bool array = *back_to_text(text, end) == ']';
    slip->at = (size_t)(end - text);
    slip->length = 1;
    slip->by = array         ? (*end == ';' ? " = {0};" : " = {0},")
               : *end == ';' ? " = 0;"
                             : " = 0,";
    return true;
}

// ---- a sum in float -------------------------------------------------------------------------

// float sum = 0.0f;
static bool is_float_sum(const char *type)
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

// ---- the start of a maximum -----------------------------------------------------------------

// max, row_max, max_value, largest, best, m: the largest number so far.
static bool names_a_maximum(const char *word, size_t length)
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

// max = 0.0f;  max[r] = -1e9f,
static bool find_start(const char *text, const char *word, struct slip *slip)
{
    const size_t length = word_length(word);
    const char *equals = skip_blanks(word + length);
    if (*equals == '[') {
        const char *close = behind_bracket(equals, '[', ']', LONGEST_VALUE);
        equals = close != NULL ? skip_blanks(close) : equals;
    }
    if (*equals != '=' || equals[1] == '=' || !names_a_maximum(word, length)) {
        return false;
    }
    const char *value = skip_blanks(equals + 1);
    const size_t number = *value != '\0' ? start_length(value) : 0;
    return strchr(";,", *skip_blanks(value + number)) != NULL &&
           set(slip, text, value, number, "-INFINITY");
}

// ---- bytes and elements ---------------------------------------------------------------------

// What follows a bracket that opens here; text + 1 if none does.
static const char *behind_any_bracket(const char *text)
{
    const char *behind = *text == '(' ? behind_bracket(text, '(', ')', LONGEST_ARGUMENTS)
                         : *text == '['
                             ? behind_bracket(text, '[', ']', LONGEST_ARGUMENTS)
                             : NULL;
    return behind != NULL ? behind : text + 1;
}

// Is there a + or a - outside of brackets? A factor in front would belong to the first summand alone.
static bool is_sum(const char *value, const char *end)
{
    bool is = false;
    for (; value < end; value = behind_any_bracket(value)) {
        is = is || *value == '+' || (*value == '-' && value[1] != '>');
    }
    return is;
}

// memcpy(y, x, n): where n is, or NULL. A count with sizeof is one of bytes.
static const char *byte_count(const char *word)
{
    const char *open = skip_blanks(word + word_length(word));
    const char *end =
        *open == '(' ? behind_bracket(open, '(', ')', LONGEST_ARGUMENTS) : NULL;
    if (end == NULL || (!is_word(word, "memcpy") && !is_word(word, "memmove") &&
                        !is_word(word, "memset"))) {
        return NULL;
    }
    const char *count = open + 1;
    for (const char *at = count; at < end; at = behind_any_bracket(at)) {
        count = *at == ',' ? at + 1 : count;
    }
    for (const char *at = count; at < end; at++) {
        if (is_word(at, "sizeof")) {
            return NULL;
        }
    }
    return is_sum(count, end) ? NULL : skip_blanks(count);
}

// Puts `by` in front of the number of bytes.
static bool find_bytes(const char *text, const char *word, const char *by,
                       struct slip *slip)
{
    const char *count = byte_count(word);
    if (count == NULL) {
        return false;
    }
    *slip = (struct slip){(size_t)(count - text), 0, by};
    return true;
}

// ---- all of them ----------------------------------------------------------------------------

bool find_slip(const char *text, const char *word, enum slip_kind kind, struct slip *slip)
{
    switch (kind) {
    case UNSET_VARIABLE:
        return is_unset(text, word, slip);
    case LOOP_FROM_1:
        return is_word(word, "for") && set(slip, text, one_of_loop(word), 1, "0");
    case FRACTION_IN_INT:
        return is_whole_type(word) && (is_variable(text, word) || is_cast(text, word)) &&
               set(slip, text, word, word_length(word), "double");
    case OTHER_BASE:
        return set(slip, text, word, word_length(word), with_base_e(word));
    case SMALL_NUMBER:
        return set(slip, text, word, small_length(text, word), "1e-30f");
    case FLOAT_SUM:
        return is_float_sum(word) && set(slip, text, word, word_length(word), "double");
    case MAXIMUM_START:
        return find_start(text, word, slip);
    case BYTES_OF_FLOATS:
        return find_bytes(text, word, "sizeof(float) * ", slip);
    case BYTES_OF_SIZES:
        return find_bytes(text, word, "sizeof(size_t) * ", slip);
    case LOOP_TOO_SHORT: {
        size_t length = 0;
        const char *minus =
            is_word(word, "for") ? minus_one_of_loop(word, &length) : NULL;
        return set(slip, text, minus, length, "");
    }
    case START_AT_1:
        return set(slip, text, word, one_of_start(text, word), "0");
    case OTHER_SIGN:
        return set(slip, text, word, 1, other_sign(text, word));
    case OTHER_DIRECTION:
        return set(slip, text, word, 1, other_direction(text, word));
    case SLIP_KINDS:
        break;
    }
    return false;
}
