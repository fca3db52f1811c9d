// 10_embedding_backward.c - exercise 6.10, embedding_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <string.h>

#include "06_copy_task/copy_task.h"

static void fill_embedding(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    scale_input(test, "dtable", 0.5f);
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    make_whole(test, "dtable");
    make_whole(test, "dy");
    scale_input(test, "dtable", TINY * TINY);
    scale_input(test, "dy", TINY * TINY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_embedding(test, rng);
    scale_input(test, "dy", LARGE);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    last_tokens(test, "tokens");
    case_coarse(test, "dtable");
}

// Sums of some fifty rows stay near 1.
static void fill_many_places(struct test_case *test, struct lab_rng *rng)
{
    fill_embedding(test, rng);
    scale_input(test, "dy", 0.125f);
}

static void fill_one_token(struct test_case *test, struct lab_rng *rng)
{
    fill_embedding(test, rng);
    size_t *tokens = case_size(test, "tokens");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        tokens[n] = tokens[0];
    }
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_tokens(test, "tokens");
    repeat_numbers(test, "dy", 2);
    repeat_numbers(test, "dtable", 1);
}

static const struct case_spec embedding_backward_cases[] = {
    {.dims = "N=1 C=2 V=3", .fill = fill_embedding},
    {.dims = "N=2 C=3 V=4", .fill = fill_embedding, .note = "the same token twice"},
    {.dims = "N=4 C=4 V=4", .fill = fill_embedding, .note = "every size is the same"},
    {.dims = "N=5 C=2 V=3", .fill = fill_one_token, .note = "one token five times"},
    {.dims = "N=7 C=5 V=3", .draws = 2, .fill = fill_embedding},
    {.dims = "N=8..14 C=4..7 V=10", .draws = 3, .fill = fill_embedding},
    {.dims = "N=41 C=32 V=10", .fill = fill_embedding},
    {.dims = "N=9 C=3 V=1031", .fill = fill_embedding, .note = "many tokens"},
    {.dims = "N=261 C=2 V=5", .fill = fill_many_places},
    {.dims = "N=3 C=1031 V=2", .fill = fill_embedding},
    {.dims = "N=6 C=1 V=4", .fill = fill_embedding, .note = "one channel"},
    {.dims = "N=4 C=3 V=1", .fill = fill_embedding, .note = "V is 1"},
    {.dims = "N=256 C=4 V=5", .fill = fill_many_places, .note = "exactly 256 tokens"},
    {.dims = "N=3 C=256 V=2", .fill = fill_embedding, .note = "exactly 256 channels"},
    {.dims = "N=3 C=1 V=65540", .fill = fill_wide, .note = WIDE_NOTE},
    {.dims = "N=9 C=3 V=256", .fill = fill_embedding, .note = "V is 256"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_tokens,
     .note = "the last token is V, which is not below V"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_first_token,
     .note = "the first token is V, which is not below V"},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_middle_token,
     .note = "the middle token is V + 1000"},
    {.dims = "N=3 C=2 V=0", .fill = fill_embedding, .note = "a size of 0"},
    {.dims = "N=4 C=3 V=2",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = TINY_RESULTS_NOTE},
    {.dims = "N=4 C=3 V=5", .fill = fill_large, .unit = LARGE, .note = LARGE_NOTE},
    {.dims = "N=0 C=3 V=5", .note = "a size of 0"},
    {.dims = "N=3 C=0 V=5", .note = "a size of 0"},
    {MORE_THAN_16_BITS("N=65543 C=1 V=7", repeated, "65543 tokens")},
    {0},
};

enum table_fault {
    TABLE_RIGHT,
    TABLE_OVERWRITTEN,
    TABLE_ZEROED,
    TABLE_BY_PLACE,
    TABLE_MEAN,
    TABLE_OVER_N,
    TABLE_FIRST_ONLY,
    TABLE_TRANSPOSED,
    TABLE_WITHOUT_C,
    TABLE_SIGN,
    TABLE_FROM_1,
    TABLE_CHANNELS_FROM_1,
    TABLE_16_BITS,
};

static lab_status table_with(enum table_fault fault, float *dtable, const float *dy,
                             const size_t *tokens, size_t N, size_t C, size_t V)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    if (fault == TABLE_ZEROED) {
        memset(dtable, 0, V * C * sizeof *dtable);
    }
    for (size_t n = fault == TABLE_FROM_1 ? 1 : 0; n < N; n++) {
        size_t before = 0, all = 0;
        for (size_t j = 0; j < N; j++) {
            all += tokens[j] == tokens[n];
            before += j < n && tokens[j] == tokens[n];
        }
        const float by = fault == TABLE_MEAN                       ? 1.0f / (float)all
                         : fault == TABLE_OVER_N                   ? 1.0f / (float)N
                         : fault == TABLE_FIRST_ONLY && before > 0 ? 0.0f
                         : fault == TABLE_SIGN                     ? -1.0f
                                                                   : 1.0f;
        const size_t row = fault == TABLE_BY_PLACE  ? n % V
                           : fault == TABLE_16_BITS ? (uint16_t)tokens[n]
                                                    : tokens[n];
        for (size_t c = fault == TABLE_CHANNELS_FROM_1 ? 1 : 0; c < C; c++) {
            const size_t at = fault == TABLE_TRANSPOSED  ? c * V + row
                              : fault == TABLE_WITHOUT_C ? row + c
                                                         : row * C + c;
            const float old = fault == TABLE_OVERWRITTEN ? 0.0f : dtable[at];
            dtable[at] = old + by * dy[n * C + c];
        }
    }
    return LAB_OK;
}

#define TABLE(name, fault)                                                               \
    static lab_status name(float *dtable, const float *dy, const size_t *tokens,         \
                           size_t N, size_t C, size_t V)                                 \
    {                                                                                    \
        return table_with(fault, dtable, dy, tokens, N, C, V);                           \
    }

TABLE(table_overwritten, TABLE_OVERWRITTEN)
TABLE(table_zeroed, TABLE_ZEROED)
TABLE(table_by_place, TABLE_BY_PLACE)
TABLE(table_mean, TABLE_MEAN)
TABLE(table_over_n, TABLE_OVER_N)
TABLE(table_first_only, TABLE_FIRST_ONLY)
TABLE(table_transposed, TABLE_TRANSPOSED)
TABLE(table_without_c, TABLE_WITHOUT_C)
TABLE(table_sign, TABLE_SIGN)
TABLE(table_from_1, TABLE_FROM_1)
TABLE(table_channels_from_1, TABLE_CHANNELS_FROM_1)
TABLE(table_16_bits, TABLE_16_BITS)

// For each row of the table, looks for the tokens that used it.
static lab_status table_by_rows(float *dtable, const float *dy, const size_t *tokens,
                                size_t N, size_t C, size_t V)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    for (size_t i = 0; i < V * C; i++) {
        double sum = 0.0;
        for (size_t n = 0; n < N; n++) {
            sum += tokens[n] == i / C ? (double)dy[n * C + i % C] : 0.0;
        }
        dtable[i] += (float)sum;
    }
    return LAB_OK;
}

static const struct mistake embedding_backward_mistakes[] = {
    {
        .id = "in-16-bits",
        .what = BITS_16_WHAT,
        .why = BITS_16_WHY,
        .function = LIKE(embedding_backward, table_16_bits),
    },
    {
        .id = "overwritten",
        .what =
            "dtable is overwritten: only the last occurrence of a repeated token counts",
        .why =
            "A token that occurs three times uses its row three times, and each use adds "
            "its gradient: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(embedding_backward, table_overwritten),
    },
    {
        .id = "zeroed",
        .what = "dtable is set to 0 first",
        .why = "Keep the old values: the caller sets gradients to 0, once in each step.",
        .source = "karpathy/llm.c#548",
        .function = LIKE(embedding_backward, table_zeroed),
    },
    {
        .id = "by-place",
        .what = "the gradient of row n goes to row n of the table",
        .why = "It belongs to the row of the token: tokens[n].",
        .function = LIKE(embedding_backward, table_by_place),
    },
    {
        .id = "mean-of-repeats",
        .what = "the gradients of a repeated token are averaged",
        .why = "Sum them: every occurrence of the token affects the loss.",
        .function = LIKE(embedding_backward, table_mean),
    },
    {
        .id = "divided-by-N",
        .what = "the gradients are divided by N",
        .why = "The loss already contains the mean's factor 1/N.",
        .function = LIKE(embedding_backward, table_over_n),
    },
    {
        .id = "first-only",
        .what = "only the first occurrence of a repeated token counts",
        .why = "Every occurrence of the token adds its gradient.",
        .function = LIKE(embedding_backward, table_first_only),
    },
    {
        .id = "table-transposed",
        .what = "dtable is written as (C, V)",
        .why = "It has the shape of the table, (V, C): dtable[token * C + c].",
        .source = "nntile/nntile#370",
        .function = LIKE(embedding_backward, table_transposed),
    },
    {
        .id = "sign",
        .what = "the gradient is subtracted",
        .why = "Add the gradient; the optimizer takes the step against it.",
        .function = LIKE(embedding_backward, table_sign),
    },
    {
        .id = "from-1",
        .what = "row 0 of dy is not added to its token's row",
        .why = "Start the loop over the tokens at 0.",
        .function = LIKE(embedding_backward, table_from_1),
    },
    {
        .id = "channels-from-1",
        .what = "channel 0 of the table gets no gradient",
        .why = "The loop over the channels begins at 0.",
        .function = LIKE(embedding_backward, table_channels_from_1),
    },
    {
        .id = "without-C",
        .what = "the rows of dtable begin one number apart, not C",
        .why = "dtable is (V, C): row v begins at dtable + v * C.",
        .function = LIKE(embedding_backward, table_without_c),
    },
    {0},
};

static const struct mistake embedding_backward_alternatives[] = {
    {.id = "by-rows", .function = LIKE(embedding_backward, table_by_rows)},
    {0},
};

static const struct part embedding_backward_part[] = {
    {
        .function = "embedding_backward",
        .dims = "N C V",
        .tensors =
            {
                {"dtable", "V C", UPDATED, F32, 5e-6f, 1e-5f},
                {"dy", "N C", INPUT, F32, 0, 0},
                {"tokens", "N", INPUT, SIZE, 0, 0},
            },
        .cases = embedding_backward_cases,
        .mistakes = embedding_backward_mistakes,
        .alternatives = embedding_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_10 = {
    .id = "6.10",
    .name = "embedding_backward",
    .section = "6.10 Embedding, backward",
    .uses = {"6.2"},
    .hints =
        {
            "What if a token occurs three times?",
            "dtable[tokens[n]] += dy[n], for every n, C numbers each.",
            "for each n, for each c: dtable[tokens[n] * C + c] += dy[n * C + c]",
        },
    .parts = embedding_backward_part,
};
