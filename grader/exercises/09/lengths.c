// lengths.c - see lengths.h.

#include "exercises/exercise.h"
#include "exercises/09/lengths.h"

#include <stdio.h>

#include "common/rng.h"

void draw_lengths(struct test_case *test, struct lab_rng *rng, size_t least, size_t most)
{
    size_t *lengths = case_size(test, "lengths");
    const size_t range = most >= least ? most - least + 1 : 1;
    for (size_t b = 0; b < case_count(test, "lengths"); b++) {
        lengths[b] = least + lab_rng_next32(rng) % range;
        if (b > 0 && lengths[b] == lengths[b - 1]) {
            lengths[b] = least + (lengths[b] - least + 1) % range;
        }
    }
}

void draw_far_lengths(struct test_case *test, struct lab_rng *rng, size_t W)
{
    const size_t B = case_count(test, "lengths");
    for (size_t b = 0; b < B; b++) {
        const size_t far = (size_t)1 << (b + 1 < B ? 33 + b : 63);
        set_length(test, b, far + 1 + lab_rng_next32(rng) % (W - 1));
    }
}

void set_lengths(struct test_case *test, size_t length)
{
    for (size_t b = 0; b < case_count(test, "lengths"); b++) {
        set_length(test, b, length);
    }
}

void set_length(struct test_case *test, size_t b, size_t length)
{
    case_size(test, "lengths")[b] = length;
}

void set_rows(struct test_case *test, const char *cache, size_t rows, size_t b,
              size_t first, float value)
{
    const size_t hs = case_dim(test, "hs");
    const size_t sequence = case_count(test, cache) / case_dim(test, "B");
    float *x = case_f32(test, cache) + b * sequence;
    for (size_t i = 0; i < sequence; i++) {
        x[i] = i / hs % rows >= first ? value : x[i];
    }
}

// BEGIN HANDED OUT
bool zero_behind(const struct test_case *test, size_t room, char *why, size_t why_size)
{
    const size_t NH = case_dim(test, "NH"), *lengths = case_input(test, "lengths");
    const float *weights = case_got(test, "weights");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        const size_t s = i % room, b = i / room / NH;
        if (s >= lengths[b] && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "sequence %zu has %zu token%s, and weight %zu of head %zu is %.9g",
                     b, lengths[b], lengths[b] == 1 ? "" : "s", s, i / room % NH,
                     (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT
