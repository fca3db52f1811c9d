// sizes.c - see sizes.h.

#include "cases/sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// For sizes that no tensor has: beyond 32 bits, or so large that a sum with it overflows.
static const size_t LARGEST_SIZE = 10000000000000, OVERFLOWING_SIZE = SIZE_MAX - 1000;

bool size_word(const char **text, char word[64])
{
    while (isspace((unsigned char)**text)) {
        (*text)++;
    }
    size_t length = strcspn(*text, " \t\n");
    if (length == 0) {
        return false;
    }
    if (length >= 64) {
        grader_fail("an exercise's word is too long: %s", *text);
    }
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

int size_index(const struct part *part, const char *name)
{
    const char *text = part->dims;
    char word[64];
    for (int i = 0; size_word(&text, word); i++) {
        if (strcmp(word, name) == 0) {
            return i;
        }
    }
    return SIZE_NOT_FOUND;
}

// "3" is 3; "2..6" is a random size.
static size_t draw_size(const char *range, struct lab_rng *rng)
{
    char *end;
    unsigned long low = strtoul(range, &end, 10), high = low;
    if (strncmp(end, "..", 2) == 0) {
        high = strtoul(end + 2, &end, 10);
    }
    if (*end != '\0' || high < low || (LARGEST_SIZE < high && low < OVERFLOWING_SIZE)) {
        grader_fail("an exercise's size range is broken: %s", range);
    }
    return low + lab_rng_next32(rng) % (high - low + 1);
}

void sizes_draw(struct test_case *test, const char *spec, struct lab_rng *rng)
{
    char word[64];
    size_t given = 0;
    while (size_word(&spec, word)) {
        char *equals = strchr(word, '=');
        if (equals == NULL) {
            grader_fail("%s: a case has '%s' instead of NAME=SIZE", test->part->function,
                        word);
        }
        *equals = '\0';
        int index = size_index(test->part, word);
        if (index == SIZE_NOT_FOUND) {
            grader_fail("%s has no size named '%s'", test->part->function, word);
        }
        test->dim[index] = draw_size(equals + 1, rng);
        given++;
    }
    test->sizes_drawn = given;
    const char *text = test->part->dims;
    while (size_word(&text, word)) {
        test->dims++;
    }
    if (given != test->dims || test->dims > MAX_DIMS) {
        grader_fail("%s: a case gives %zu of %zu sizes", test->part->function, given,
                    test->dims);
    }
}

void sizes_beyond(struct test_case *test, const char *names)
{
    char word[64];
    while (names != NULL && size_word(&names, word)) {
        const int index = size_index(test->part, word);
        if (index == SIZE_NOT_FOUND) {
            grader_fail("%s has no size named '%s'", test->part->function, word);
        }
        test->beyond |= 1u << index;
    }
}

// Far: one size gets 2^62 more than the tensors have. As an int it is small again, and so is its
// product with 4. Of several sizes each gets 2^20 more.
size_t size_sent(const struct test_case *test, size_t i)
{
    if (test->most && (test->beyond >> i & 1) != 0) {
        return (size_t)1 << (test->barely ? 17 : 30);
    }
    const bool only_one = (test->beyond & (test->beyond - 1)) == 0;
    const size_t far = (size_t)1 << (only_one ? 62 : 20);
    const size_t barely =
        only_one ? (size_t)1 << 31 : 46341; // its square: just above 2^31
    const size_t more = test->barely ? barely : far;
    return test->dim[i] + ((test->beyond >> i & 1) != 0 ? more : 0);
}

size_t axis_size(const struct test_case *test, char *word)
{
    char *name, *by = strchr(word, '/');
    if (by != NULL) {
        *by = '\0';
        const size_t divisor = case_dim(test, by + 1), size = axis_size(test, word);
        return divisor == 0 ? size : (size + divisor - 1) / divisor;
    }
    unsigned long factor = strtoul(word, &name, 10);
    if (name == word) {
        factor = 1;
    }
    return *name == '\0' ? factor : factor * case_dim(test, name);
}

void case_describe(const struct test_case *test, char *buffer, size_t size)
{
    const char *text = test->part->dims;
    char word[64];
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < test->dims && size_word(&text, word) && used < size; i++) {
        int wrote = snprintf(buffer + used, size - used, "%s%s=%zu", i > 0 ? ", " : "",
                             word, size_sent(test, i));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
