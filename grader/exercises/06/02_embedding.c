// 02_embedding.c - exercise 6.2, embedding: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdlib.h>

#include "06_copy_task/copy_task.h"

static void fill_tokens(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    last_tokens(test, "tokens");
    case_coarse(test, "table");
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    rows_of_every_size(test, "table", 1);
}

// As an int it is 1.
static void fill_beyond_32_bits(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    case_size(test, "tokens")[1] = ((size_t)1 << 32) + 1;
}

static void fill_coarse(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    case_coarse(test, "table");
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_tokens(test, "tokens");
    repeat_numbers(test, "table", 2);
}

// V is larger than C in some cases and smaller in others. N is larger than V, so that tokens
// repeat.
static const struct case_spec embedding_cases[] = {
    {.dims = "N=1 C=1 V=2", .fill = fill_tokens},
    {.dims = "N=2 C=3 V=4", .fill = fill_tokens},
    {.dims = "N=3 C=2 V=5", .draws = 2, .fill = fill_tokens},
    {.dims = "N=4 C=4 V=4", .fill = fill_tokens, .note = "every size is the same"},
    {.dims = "N=7 C=5 V=3", .fill = fill_tokens, .note = "more tokens than rows"},
    {.dims = "N=8..14 C=4..7 V=10", .draws = 3, .fill = fill_tokens},
    {.dims = "N=21 C=32 V=10", .fill = fill_tokens},
    {.dims = "N=9 C=3 V=1031", .fill = fill_tokens, .note = "many tokens"},
    {.dims = "N=261 C=2 V=5", .fill = fill_tokens},
    {.dims = "N=2 C=1031 V=3", .fill = fill_tokens},
    // On the CPU these are errors; a kernel writes NaN for such a token.
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_tokens,
     .cpu_only = true,
     .note = "the last token is V, which is not below V"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_first_token,
     .cpu_only = true,
     .note = "the first token is V, which is not below V"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_middle_token,
     .cpu_only = true,
     .note = "the middle token is V + 1000"},
    {.dims = "N=1 C=4 V=5", .fill = fill_tokens, .note = "one token"},
    {.dims = "N=6 C=1 V=4", .fill = fill_tokens, .note = "one channel"},
    {.dims = "N=4 C=3 V=1", .fill = fill_tokens, .note = "V is 1"},
    {.dims = "N=256 C=4 V=5", .fill = fill_tokens, .note = "exactly 256 tokens"},
    {.dims = "N=2 C=256 V=3", .fill = fill_tokens, .note = "exactly 256 channels"},
    {.dims = "N=9 C=1 V=65544", .fill = fill_wide, .note = WIDE_NOTE},
    {.dims = "N=9 C=3 V=256", .fill = fill_tokens, .note = "V is 256"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_tokens,
     .gpu_only = true,
     .nan = true,
     .note = "the last token is V, which is not below V: its row must be NaN"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_first_token,
     .gpu_only = true,
     .nan = true,
     .note = "the first token is V, which is not below V: its row must be NaN"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_middle_token,
     .gpu_only = true,
     .nan = true,
     .note = "the middle token is V + 1000: its row must be NaN"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_beyond_32_bits,
     .gpu_only = true,
     .nan = true,
     .note = "token 1 is 4294967297: its row must be NaN"},
    {.dims = "N=3 C=2 V=0", .fill = fill_tokens, .note = "a size of 0"},
    {.dims = "N=9 C=2 V=4",
     .fill = fill_every_size,
     .exact = true,
     .note = EVERY_SIZE_NOTE},
    {.dims = "N=0 C=3 V=5", .note = "a size of 0"},
    {.dims = "N=3 C=0 V=5", .note = "a size of 0"},
    // A grid ends at 65535 blocks along y and z.
    // More than 1024 blocks of 256 threads; the last one writes rows from 65945 on.
    {.dims = "N=66000 C=5 V=3",
     .fill = fill_tokens,
     .note = "66000 tokens",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=1031 C=67 V=11",
     .fill = fill_coarse,
     .note = "more numbers than 64 blocks have threads",
     .gpu_only = true},
    {MOST("N=2 C=1 V=3", "N"), .fill = fill_tokens},
    {MOST("N=1 C=2 V=3", "C"), .fill = fill_tokens},
    {MORE_THAN_16_BITS("N=65543 C=1 V=7", repeated, "65543 tokens")},
    {MORE_THAN_16_BITS("N=1 C=65543 V=1", repeated, "65543 channels")},
    {0},
};

// On the GPU: the row of a token that is not below V is NaN.
static lab_status embedding_with_nan(adaptor *call, any_function f, void *const *t,
                                     const size_t *n)
{
    const size_t N = n[0], C = n[1], V = n[2];
    void *argument[] = {t[0], tokens_made_valid(t[1], N, V), t[2]};
    const lab_status status = call(f, argument, n);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        if (((const size_t *)t[1])[i / C] >= V) {
            ((float *)t[0])[i] = NAN;
        }
    }
    free(argument[1]);
    return status;
}

// LOOKUP(name, value): out[n][c] is an expression of the token, n, c and the table.
#define LOOKUP(name, value)                                                              \
    static lab_status name(float *out, const size_t *tokens, const float *table,         \
                           size_t N, size_t C, size_t V)                                 \
    {                                                                                    \
        lab_status status = embedding(out, tokens, table, N, C, V);                      \
        for (size_t i = 0; status == LAB_OK && i < N * C; i++) {                         \
            const size_t n = i / C, c = i % C, token = tokens[n];                        \
            (void)n, (void)c, (void)token;                                               \
            out[i] = value;                                                              \
        }                                                                                \
        return status;                                                                   \
    }

LOOKUP(lookup_transposed, table[c * V + token])
LOOKUP(lookup_by_place, table[n % V * C + c])
LOOKUP(lookup_in_elements, table[token + c])
LOOKUP(lookup_scaled, table[token * C + c] * sqrtf((float)C))
LOOKUP(lookup_16_bits, table[(uint16_t)token * C + c])
LOOKUP(lookup_first_token, table[tokens[0] * C + c])

static const struct mistake embedding_mistakes[] = {
    {
        .id = "table-transposed",
        .what = "the table is read as (C, V)",
        .why = "A token's vector is a row of the table: table[token * C + c].",
        .source = "nntile/nntile#370",
        .function = LIKE(embedding, lookup_transposed),
    },
    {
        .id = "by-place",
        .what = "out[n] is row n of the table, not the row of token n",
        .why = "The index into the table is the token, tokens[n]; n is only the row of "
               "the result.",
        .function = LIKE(embedding, lookup_by_place),
    },
    {
        .id = "rows-overlap",
        .what = "rows start one number apart instead of C",
        .why = "Row number token begins at table + token * C.",
        .function = LIKE(embedding, lookup_in_elements),
    },
    {
        .id = "scaled",
        .what = "the embedding is multiplied by sqrt(C)",
        .why = "Vaswani et al. (2017) do that before they add sinusoidal positions. "
               "This lab and nn.Embedding do not.",
        .function = LIKE(embedding, lookup_scaled),
        .convention = true,
    },
    {
        .id = "in-16-bits",
        .what = BITS_16_WHAT,
        .why = BITS_16_WHY,
        .function = LIKE(embedding, lookup_16_bits),
    },
    {
        .id = "first-token",
        .what = "every row gets the vector of the first token",
        .why = "Read the token again for every n.",
        .function = LIKE(embedding, lookup_first_token),
    },
    {0},
};

static const struct part embedding_part[] = {
    {
        .function = "embedding",
        .dims = "N C V",
        .tensors =
            {
                {"out", "N C", OUTPUT, F32, 0, 0}, // copied, never computed
                {"tokens", "N", INPUT, SIZE, 0, 0},
                {"table", "V C", INPUT, F32, 0, 0},
            },
        .cases = embedding_cases,
        .nan_call = embedding_with_nan,
        .mistakes = embedding_mistakes,
    },
    {0},
};

const struct exercise exercise_6_2 = {
    .id = "6.2",
    .name = "embedding",
    .section = "6.2 Embedding",
    .hints =
        {
            "A token is a row number.",
            "out[n] = table[tokens[n]], C numbers each.",
            "for each n: memcpy(out + n * C, table + tokens[n] * C, C * sizeof *out)",
        },
    .gpu_hints =
        {
            "Use a thread for each number of out. Its row gives the token, and the token "
            "gives the row of the table.",
            "Number i belongs to token i / C, channel i % C. A token that is not "
            "below V has no row: write NAN and read nothing.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"
            "if (i >= N * C) return\n"
            "token = tokens_dev[i / C]\n"
            "out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN",
        },
    .parts = embedding_part,
};
