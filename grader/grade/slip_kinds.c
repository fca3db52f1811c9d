// slip_kinds.c - see slip_kinds.h.

#include "grade/slip_kinds.h"

#include <stddef.h>
#include <string.h>

#include "grade/slip_numbers.h"
#include "grade/slip_signs.h"
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
    const char *first = open;
    while (end != NULL && first < end && strchr(";{}", *first) == NULL) {
        first++;
    }
    const char *second = end != NULL && first < end && *first == ';'
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

// ---- bytes and elements ---------------------------------------------------------------------

// What follows a bracket that opens here; text + 1 if none does.
static const char *behind_any_bracket(const char *text)
{
    const char *behind = *text == '('   ? behind_bracket(text, '(', ')', LONGEST_VALUE)
                         : *text == '[' ? behind_bracket(text, '[', ']', LONGEST_VALUE)
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
    if (!is_word(word, "memcpy") && !is_word(word, "memmove") &&
        !is_word(word, "memset")) {
        return NULL;
    }
    const char *open = skip_blanks(word + word_length(word));
    const char *end =
        *open == '(' ? behind_bracket(open, '(', ')', LONGEST_ARGUMENTS) : NULL;
    if (end == NULL) {
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
    const char *at;
    size_t length = 0;
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
        at = maximum_start(word, &length);
        return set(slip, text, at, length, "-INFINITY");
    case BYTES_OF_FLOATS:
        return find_bytes(text, word, "sizeof(float) * ", slip);
    case BYTES_OF_SIZES:
        return find_bytes(text, word, "sizeof(size_t) * ", slip);
    case LOOP_TOO_SHORT:
        at = is_word(word, "for") ? minus_one_of_loop(word, &length) : NULL;
        return set(slip, text, at, length, "");
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
