// layers.c - see layers.h.

#include "exercises/11/layers.h"

#include <math.h>

#include "common/rng.h"
#include "exercises/common/inputs.h"

// Drawn matrices times 1 / sqrt(numbers that each output adds up).
static void scale_weights(struct test_case *test, const char *const *names, size_t count)
{
    const float by_C = 1.0f / sqrtf((float)case_dim(test, "C"));
    for (size_t i = 0; i < count; i++) {
        scale_input(test, names[i], by_C);
    }
    scale_input(test, "w_proj", 1.0f / sqrtf((float)case_dim(test, "H")));
}

// Every query sees the first keys of its sequence, at least one; the others are padding.
static void draw_padding(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t b = 0; T > 0 && b < case_dim(test, "B"); b++) {
        const size_t length = (size_t)lab_rng_int(rng, 1, (int)T + 1);
        for (size_t i = 0; i < T * T; i++) {
            mask[b * T * T + i] = i % T < length;
        }
    }
}

void fill_bert(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"w_q", "w_k", "w_v", "w_o", "w_fc"};
    scale_weights(test, names, 5);
    draw_padding(test, rng);
}

void fill_gpt2(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"w_qkv", "w_o", "w_fc"};
    (void)rng;
    scale_weights(test, names, 3);
}
