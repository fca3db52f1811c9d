// 04_dropout.c - exercise 5.4, dropout: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/shared.h"

#include <math.h>

#include "05_transformer_block/block.h"
#include "common/rng.h"

// Draws the uniforms and sets p. No uniform is within rounding of p or 1 - p, where float and
// double could decide differently: either decision is acceptable.
static void fill_dropout(struct test_case *test, struct lab_rng *rng, float p)
{
    float *uniforms = case_f32(test, "uniforms");
    case_f32(test, "p")[0] = p;
    lab_rng_rand(rng, uniforms, case_count(test, "uniforms"));
    for (size_t i = 0; i < case_count(test, "uniforms"); i++) {
        if (fabsf(uniforms[i] - p) < 1e-5f || fabsf(uniforms[i] - (1.0f - p)) < 1e-5f) {
            uniforms[i] = 0.5f * p + 0.01f;
        }
    }
    // A uniform can be 0 itself, and the largest one is below 1.
    if (case_count(test, "uniforms") > 8) {
        uniforms[3] = 0.0f;
        uniforms[7] = 0x1.fffffep-1f;
    }
}

#define FILL_DROPOUT(name, p)                                                            \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        fill_dropout(test, rng, p);                                                      \
    }

FILL_DROPOUT(fill_p_0, 0.0f)
FILL_DROPOUT(fill_p_barely_negative, -1e-30f)
FILL_DROPOUT(fill_p_10, 0.1f)
FILL_DROPOUT(fill_p_25, 0.25f)
FILL_DROPOUT(fill_p_50, 0.5f)
FILL_DROPOUT(fill_p_90, 0.9f)
FILL_DROPOUT(fill_p_1, 1.0f)
FILL_DROPOUT(fill_p_negative, -0.1f)
FILL_DROPOUT(fill_p_above, 1.5f)
FILL_DROPOUT(fill_p_nan, NAN)

// 1 - p is exactly 0.75, in float and in double: a uniform of 0.75 is not below it.
static void fill_at_keep(struct test_case *test, struct lab_rng *rng)
{
    fill_dropout(test, rng, 0.25f);
    float *uniforms = case_f32(test, "uniforms");
    uniforms[0] = uniforms[4] = 0.75f;
    uniforms[2] = 0x1.7ffffep-1f; // the float below
}

// Nothing is dropped here: with a mask of zeros, a dropped NaN may stay NaN.
static void fill_not_finite(struct test_case *test, struct lab_rng *rng)
{
    fill_dropout(test, rng, 0.25f);
    for (size_t i = 0; i < case_count(test, "uniforms"); i++) {
        case_f32(test, "uniforms")[i] = 0.5f;
    }
    case_f32(test, "x")[1] = NAN;
    case_f32(test, "x")[2] = INFINITY;
}

// 1 - p is exactly 2^-20, and only a uniform below it is kept; then that is p, and most are kept.
static void fill_near_1(struct test_case *test, struct lab_rng *rng)
{
    static const float below[] = {0.0f,     0x1p-21f,   0x1p-20f, 0.5f,
                                  0x1p-24f, 0x1.8p-21f, 0x1p-19f};
    (void)rng;
    case_f32(test, "p")[0] = 1.0f - 0x1p-20f;
    for (size_t i = 0; i < case_count(test, "uniforms"); i++) {
        case_f32(test, "uniforms")[i] = below[i % 7];
    }
}

static void fill_near_0(struct test_case *test, struct lab_rng *rng)
{
    fill_near_1(test, rng);
    case_f32(test, "p")[0] = 0x1p-20f;
    for (size_t i = 0; i < case_count(test, "uniforms"); i++) {
        case_f32(test, "uniforms")[i] = 1.0f - case_f32(test, "uniforms")[i];
    }
    case_f32(test, "uniforms")[0] = 0.0f;
}

// Nothing is dropped.
static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "p")[0] = 0.25f;
    set_all(test, "uniforms", 0.5f);
    rows_of_every_size(test, "x", 1);
}

// The numbers of large cases can be drawn again by any machine, so the student archive need not
// store them. No uniform of case_even is within rounding of 0.001, 0.1, 0.9 or 0.999.
static void fill_large(struct test_case *test, float p)
{
    case_f32(test, "p")[0] = p;
    case_coarse(test, "x");
    case_even(test, "uniforms");
}

static void fill_large_p_1_of_1000(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_large(test, 0.001f);
}

static void fill_large_p_10(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_large(test, 0.1f);
}

static void fill_large_p_90(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_large(test, 0.9f);
}

static const struct case_spec dropout_cases[] = {
    {.dims = "training=1 N=1", .fill = fill_p_0, .note = "p = 0: everything is kept"},
    {.dims = "training=0 N=2", .fill = fill_p_25, .note = "p = 0.25, not training"},
    {.dims = "training=1 N=9", .fill = fill_p_0, .note = "p = 0: everything is kept"},
    {.dims = "training=1 N=12",
     .draws = 2,
     .fill = fill_p_25,
     .note = "p = 0.25, training"},
    {.dims = "training=1 N=6",
     .fill = fill_at_keep,
     .note = "a uniform of exactly 1 - p: dropped"},
    {.dims = "training=1 N=13", .fill = fill_p_50, .note = "p = 0.5, training"},
    {.dims = "training=0 N=14", .fill = fill_p_90, .note = "p = 0.9, not training"},
    {.dims = "training=1 N=31", .fill = fill_p_90, .note = "p = 0.9, training"},
    {.dims = "training=0..1 N=51..99", .draws = 4, .fill = fill_p_10, .note = "p = 0.1"},
    {.dims = "training=1 N=257", .fill = fill_p_25, .note = "p = 0.25, training"},
    {.dims = "training=0 N=1", .fill = fill_p_50, .note = "p = 0.5, not training"},
    {.dims = "training=0 N=7", .fill = fill_p_0, .note = "p = 0, not training"},
    {.dims = "training=1 N=301", .fill = fill_p_10, .note = "p = 0.1, training"},
    {.dims = "training=0 N=303", .fill = fill_p_10, .note = "p = 0.1, not training"},
    {.dims = "training=1 N=70001",
     .fill = fill_large_p_1_of_1000,
     .note = "p = 0.001, training; more numbers than 16 bits can count"},
    {.dims = "training=0 N=70003",
     .fill = fill_large_p_90,
     .note = "p = 0.9, not training; more numbers than 16 bits can count"},
    {.dims = "training=1 N=4",
     .fill = fill_not_finite,
     .nan = true,
     .note = "infinity and NaN, kept"},
    {.dims = "training=0 N=4",
     .fill = fill_not_finite,
     .nan = true,
     .note = "infinity and NaN, not training"},
    {.dims = "training=1 N=1024",
     .fill = fill_p_25,
     .note = "p = 0.25, training; exactly 1024 numbers"},
    {.dims = "training=0 N=1024",
     .fill = fill_p_25,
     .note = "p = 0.25, not training; exactly 1024 numbers"},
    {.dims = "training=0 N=3", .fill = fill_p_negative, .note = "p = -0.1 is rejected"},
    {.dims = "training=0 N=3", .fill = fill_p_nan, .note = "p = NaN is rejected"},
    {.dims = "training=1 N=3", .fill = fill_p_barely_negative, .note = "p below 0"},
    {.dims = "training=1 N=3", .fill = fill_p_1, .note = "p = 1 is rejected"},
    {.dims = "training=0 N=3", .fill = fill_p_1, .note = "p = 1 is rejected"},
    {.dims = "training=1 N=3", .fill = fill_p_negative, .note = "p = -0.1 is rejected"},
    {.dims = "training=1 N=3", .fill = fill_p_above, .note = "p = 1.5 is rejected"},
    {.dims = "training=0 N=3", .fill = fill_p_above, .note = "p = 1.5 is rejected"},
    {.dims = "training=1 N=3", .fill = fill_p_nan, .note = "p = NaN is rejected"},
    {.dims = "training=1 N=0", .fill = fill_p_50, .note = "a size of 0"},
    {.dims = "training=1 N=7", .fill = fill_near_1, .note = "p = 1 - 2^-20, training"},
    {.dims = "training=0 N=7",
     .fill = fill_near_1,
     .note = "p = 1 - 2^-20, not training"},
    {.dims = "training=1 N=7", .fill = fill_near_0, .note = "p = 2^-20, training"},
    {.dims = "training=1 N=13",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE ", training"},
    {.dims = "training=0 N=13",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE ", not training"},
    {.dims = "training=1 N=600001",
     .fill = fill_large_p_10,
     .note = "p = 0.1, training; more numbers than a GPU grid has threads"},
    {0},
};

// DROPOUT(name, kept, scale, otherwise): y is x * scale while training where kept holds, 0
// where not, and x * otherwise while not training. u is the uniform of each number.
#define DROPOUT(name, kept, scale, otherwise)                                            \
    static lab_status name(float *y, const float *x, const float *uniforms, float p,     \
                           bool training, size_t N)                                      \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        if (!(p >= 0.0f && p < 1.0f)) {                                                  \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const float u = uniforms[i];                                                 \
            (void)u;                                                                     \
            y[i] = training ? ((kept) ? x[i] * (scale) : 0.0f) : x[i] * (otherwise);     \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

DROPOUT(dropout_over_p, u < 1.0f - p, 1.0f / p, 1.0f)
DROPOUT(dropout_unscaled, u < 1.0f - p, 1.0f, 1.0f)
DROPOUT(dropout_times_keep, u < 1.0f - p, 1.0f - p, 1.0f)
DROPOUT(dropout_original, u < 1.0f - p, 1.0f, 1.0f - p)
DROPOUT(dropout_scaled_twice, u < 1.0f - p, 1.0f / (1.0f - p), 1.0f - p)
DROPOUT(dropout_keeps_p, u < p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_keeps_p_over_p, u < p, 1.0f / p, 1.0f)
DROPOUT(dropout_exchanged, u >= 1.0f - p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_other_end, u >= p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_other_end_above, u > p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_not_zeroed, true, u < 1.0f - p ? 1.0f / (1.0f - p) : 1.0f, 1.0f)
DROPOUT(dropout_never, true, 1.0f, 1.0f)
DROPOUT(dropout_at_most, u <= 1.0f - p, 1.0f / (1.0f - p), 1.0f)

static lab_status dropout_always(float *y, const float *x, const float *uniforms, float p,
                                 bool training, size_t N)
{
    (void)training;
    return dropout(y, x, uniforms, p, true, N);
}

static lab_status dropout_inverted(float *y, const float *x, const float *uniforms,
                                   float p, bool training, size_t N)
{
    return dropout(y, x, uniforms, p, !training, N);
}

static lab_status dropout_of_one_grid(float *y, const float *x, const float *uniforms,
                                      float p, bool training, size_t N)
{
    const size_t most = training && N > THREADS_OF_A_GRID ? THREADS_OF_A_GRID : N;
    return dropout(y, x, uniforms, p, training, most);
}

static lab_status dropout_made_finite(float *y, const float *x, const float *uniforms,
                                      float p, bool training, size_t N)
{
    const lab_status status = dropout(y, x, uniforms, p, training, N);
    for (size_t i = 0; status == LAB_OK && i < N; i++) {
        y[i] = isfinite(y[i]) ? y[i] : 0.0f;
    }
    return status;
}

static const struct mistake dropout_mistakes[] = {
    {
        .id = "made-finite",
        .what = "a number that is not finite becomes 0 although it is not dropped",
        .why = "Infinities and NaN must stay, or training goes on with wrong numbers and "
               "nobody notices.",
        .function = LIKE(dropout, dropout_made_finite),
    },
    {
        .id = "over-p",
        .what = "kept numbers are divided by p instead of 1 - p",
        .why =
            "A share of 1 - p is kept, so multiply the kept numbers by 1 / (1 - p). At p "
            "= 0.5 the two are the same.",
        .source = "rasbt/LLMs-from-scratch#431, NVIDIA/apex#816, "
                  "lmjohns3/theanets#123, kaldi-asr/kaldi#2814",
        .function = LIKE(dropout, dropout_over_p),
    },
    {
        .id = "kept-at-1-minus-p",
        .what = "a number whose uniform is exactly 1 - p is kept",
        .why =
            "Keep a number if its uniform is below 1 - p: < and not <=. A uniform can be 0 "
            "but not 1, so with < the share that is kept is exactly 1 - p.",
        .source = NULL,
        .function = LIKE(dropout, dropout_at_most),
    },
    {
        .id = "not-scaled",
        .what = "kept numbers are not scaled",
        .why = "The sum of many numbers shrinks by 1 - p during training and jumps back "
               "afterwards. Divide the kept numbers by 1 - p.",
        .source = NULL,
        .function = LIKE(dropout, dropout_unscaled),
    },
    {
        .id = "times-keep",
        .what = "kept numbers are multiplied by 1 - p instead of divided by it",
        .why = "The kept numbers must grow to make up for the dropped ones.",
        .source = NULL,
        .function = LIKE(dropout, dropout_times_keep),
    },
    {
        .id = "scaled-in-evaluation",
        .what = "nothing is scaled in training, and everything by 1 - p otherwise",
        .why =
            "The first dropout paper does it this way. Here, as in PyTorch, kept numbers "
            "grow during training, and afterwards y is x.",
        .source = "clab/dynet#186",
        .function = LIKE(dropout, dropout_original),
        .convention = true,
    },
    {
        .id = "scaled-twice",
        .what = "scaled by 1 / (1 - p) in training, and by 1 - p otherwise",
        .why = "One of the two is enough. Kept numbers already grow during training, so "
               "otherwise y is x.",
        .source = "clab/dynet#186",
        .function = LIKE(dropout, dropout_scaled_twice),
    },
    {
        .id = "on-in-evaluation",
        .what = "numbers are dropped although training is false",
        .why = "Dropout belongs to training only. Otherwise the model must give the same "
               "answer every time: y is x.",
        .source = "pytorch/pytorch#124464",
        .function = LIKE(dropout, dropout_always),
    },
    {
        .id = "training-inverted",
        .what = "dropout works when training is false, and not when it is true",
        .why = "The condition is reversed: drop during training.",
        .source = NULL,
        .function = LIKE(dropout, dropout_inverted),
    },
    {
        .id = "keeps-p",
        .what = "a number is kept with probability p instead of 1 - p",
        .why =
            "p is the probability of being dropped: keep where the uniform is below 1 - "
            "p. At p = 0.1 this drops nine of ten.",
        .source = "kok202/Dluid#125",
        .function = LIKE(dropout, dropout_keeps_p),
    },
    {
        .id = "keeps-p-over-p",
        .what = "p is used as the probability of being kept",
        .why = "This is consistent, but p is the probability of being dropped, "
               "as in PyTorch.",
        .source = "scut-mingqinchen/Self2Self#7",
        .function = LIKE(dropout, dropout_keeps_p_over_p),
        .convention = true,
    },
    {
        .id = "exchanged",
        .what = "kept and dropped numbers are swapped",
        .why = "Where the uniform is below 1 - p the number is kept.",
        .source = "kok202/Dluid#125",
        .function = LIKE(dropout, dropout_exchanged),
    },
    {
        .id = "other-end",
        .what =
            "numbers are kept where the uniform is at least p, not where it is below 1 "
            "- p",
        .why =
            "Both keep a share of 1 - p, but not the same numbers, so results cannot be "
            "compared. This lab keeps a number below 1 - p, as PyTorch does.",
        .source = NULL,
        .function = LIKE(dropout, dropout_other_end),
        .convention = true,
    },
    {
        .id = "other-end-above",
        .what =
            "numbers are kept where the uniform is above p, not where it is below 1 - p",
        .why =
            "Both keep a share of 1 - p, but not the same numbers, so results cannot be "
            "compared. This lab keeps a number below 1 - p, as PyTorch does. (A uniform "
            "can be exactly 0. It is not above p = 0, so its number would be dropped "
            "although p is 0.)",
        .source = NULL,
        .function = LIKE(dropout, dropout_other_end_above),
        .convention = true,
    },
    {
        .id = "not-zeroed",
        .what = "dropped numbers keep their value",
        .why = "A dropped number becomes 0.",
        .source = NULL,
        .function = LIKE(dropout, dropout_not_zeroed),
    },
    {
        .id = "never",
        .what = "nothing is ever dropped",
        .why =
            "In training, a number whose uniform is not below 1 - p becomes 0, and the "
            "others are divided by 1 - p.",
        .source = NULL,
        .function = LIKE(dropout, dropout_never),
    },
    {
        .id = "one-number-each",
        .what = "only the first 524288 numbers are computed, one for each thread",
        .why =
            "blocks_for(N) starts at most 2048 blocks of 256 threads: each thread must "
            "step by gridDim.x * blockDim.x while it is below N.",
        .source = NULL,
        .function = LIKE(dropout, dropout_of_one_grid),
    },
    {0},
};

DROPOUT(dropout_by_product, u < 1.0f - p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_by_a_mask, true, (u < 1.0f - p ? 1.0f : 0.0f) / (1.0f - p), 1.0f)
DROPOUT(dropout_in_double, (double)u < 1.0 - (double)p, (float)(1.0 / (1.0 - (double)p)),
        1.0f)

static const struct mistake dropout_alternatives[] = {
    {.id = "by-product", .function = LIKE(dropout, dropout_by_product)},
    {.id = "by-a-mask", .function = LIKE(dropout, dropout_by_a_mask)},
    {.id = "in-double", .function = LIKE(dropout, dropout_in_double)},
    {0},
};

static const struct part dropout_part[] = {
    {
        .function = "dropout",
        .dims = "training N",
        .tensors =
            {
                {"y", "N", OUTPUT, F32, 1e-6f, 2e-6f},
                {"x", "N", INPUT, F32, 0, 0},
                {"uniforms", "N", INPUT, F32, 0, 0},
                {"p", "1", INPUT, F32, 0, 0},
            },
        .cases = dropout_cases,
        .mistakes = dropout_mistakes,
        .alternatives = dropout_alternatives,
    },
    {0},
};

const struct exercise exercise_5_4 = {
    .id = "5.4",
    .name = "dropout",
    .section = "5.4 Dropout",
    .hints =
        {
            "p is the probability of being DROPPED. How many are kept on average, "
            "and by how much must they grow?",
            "Not training: y is x. Training: where uniforms[i] < 1 - p, "
            "y[i] = x[i] / (1 - p); elsewhere 0.",
            "if not training: copy x to y; return LAB_OK\n"
            "keep = 1 - p\n"
            "for each i: y[i] = uniforms[i] < keep ? x[i] / keep : 0",
        },
    .gpu_hints =
        {
            "In training it is a grid-stride loop like the GELU's. Otherwise you need no "
            "kernel at all.",
            "training: y[i] = uniforms[i] < keep ? x[i] / keep : 0 with keep = 1 - p. "
            "Otherwise cudaMemcpyAsync from device to device, in the stream, with the "
            "size in bytes. Check p first, on the host.",
            "if (!training)\n"
            "    return lab_cuda(cudaMemcpyAsync(y_dev, x_dev, N * sizeof *y_dev,\n"
            "                                    cudaMemcpyDeviceToDevice, stream))\n"
            "dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, "
            "uniforms_dev, 1 - p, N)",
        },
    .parts = dropout_part,
};
