// 13a_clip_grad_norm.c - exercise 6.13: cases and known mistakes of clip_grad_norm.

#include "exercises/exercise.h"
#include "exercises/06/13_clipping_and_rate.h"
#include "exercises/common/inputs.h"

#include <limits.h>
#include <math.h>

#include "06_copy_task/copy_task.h"

static void fill_clipped(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", 0.5f);
}

static void fill_not_clipped(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "g", 0.1f);
    set_all(test, "max_norm", 100.0f);
}

static void fill_infinite_max_norm(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", INFINITY);
}

static void fill_no_max_norm(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", 0.0f);
}

static void fill_negative_max_norm(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", -0.5f);
}

static void fill_nan_max_norm(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", NAN);
}

// The length and its square are on different sides of max_norm.
static void set_lengths(struct test_case *test, double length, float max_norm)
{
    double square = 0.0;
    const float *g = case_f32(test, "g");
    for (size_t i = 0; i < case_count(test, "g"); i++) {
        square += (double)g[i] * (double)g[i];
    }
    scale_input(test, "g", (float)(length / sqrt(square)));
    set_all(test, "max_norm", max_norm);
}

static void fill_length_2(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 2.0, 3.0f);
}

static void fill_length_just_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 2.0, 2.01f);
}

static void fill_length_08(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 0.8, 0.7f);
}

static void fill_length_5000(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 5000.0, 2000.0f);
}

static void fill_max_norm_1e_4(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 2.0, 1e-4f);
}

static void fill_length_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "g", 0.0f);
    set_all(test, "max_norm", 0.5f);
}

static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 2e20, 0.5f);
}

static void fill_huge_not_clipped(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 2e20, 1e21f);
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "g", NAN);
    set_all(test, "max_norm", 0.5f);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "g", 1);
    set_all(test, "max_norm", 1.0f);
}

const struct case_spec clip_grad_norm_cases[] = {
    {.dims = "N=2", .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=3", .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=3", .fill = fill_not_clipped, .note = "shorter than max_norm: it stays"},
    {.dims = "N=5..20", .draws = 3, .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=1031", .draws = 2, .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=41", .fill = fill_not_clipped, .note = "shorter than max_norm: it stays"},
    {.dims = "N=4", .fill = fill_length_2, .note = "a length of 2, max_norm 3"},
    {.dims = "N=4",
     .fill = fill_length_just_below,
     .note = "a length of 2, max_norm 2.01"},
    {.dims = "N=4", .fill = fill_length_08, .note = "a length of 0.8, max_norm 0.7"},
    {.dims = "N=1", .fill = fill_clipped, .note = "one parameter, max_norm 0.5"},
    {.dims = "N=1024",
     .fill = fill_clipped,
     .note = "exactly 1024 parameters, max_norm 0.5"},
    {.dims = "N=3", .fill = fill_length_0, .note = "every gradient is 0"},
    {.dims = "N=5", .fill = fill_huge, .note = "a length of 2e20, max_norm 0.5"},
    {.dims = "N=5",
     .fill = fill_huge_not_clipped,
     .note = "a length of 2e20, max_norm 1e21: it stays"},
    {.dims = "N=4",
     .fill = fill_infinite_max_norm,
     .note = "max_norm is infinite: it stays"},
    {.dims = "N=3", .fill = fill_no_max_norm, .note = "max_norm 0"},
    {.dims = "N=3", .fill = fill_negative_max_norm, .note = "max_norm -0.5"},
    {.dims = "N=3", .fill = fill_nan_max_norm, .note = "max_norm is NaN"},
    {.dims = "N=4",
     .fill = fill_length_5000,
     .unit = 1.0f,
     .note = "a length of 5000, max_norm 2000"},
    {.dims = "N=4",
     .fill = fill_max_norm_1e_4,
     .unit = 1.0f,
     .note = "a length of 2, max_norm 0.0001"},
    {.dims = "N=0", .note = "a size of 0"},
    {.dims = "N=1",
     .fill = fill_nan,
     .note = "the only gradient is NaN",
     .nan = true,
     .apart = true},
    {MORE_THAN_16_BITS("N=65543", repeated, "more numbers than 16 bits can count")},
    {0},
};

struct lengths {
    float two, one, largest, square; // norms of g, and the sum of its squares
    float in_float, whole, from_1; // the 2-norm summed in float, in an int, without g[0]
    float last;                    // of the last number only
};

static struct lengths measure(const float *g, size_t N)
{
    double square = 0.0, one = 0.0, largest = 0.0, whole = 0.0;
    float in_float = 0.0f;
    for (size_t i = 0; i < N; i++) {
        square += (double)g[i] * (double)g[i];
        one += fabs((double)g[i]);
        largest = fmax(largest, fabs((double)g[i]));
        in_float += g[i] * g[i];
        whole = trunc(whole + (double)g[i] * (double)g[i]);
        whole = fabs(whole) > (double)INT_MAX ? (double)INT_MIN : whole;
    }
    return (struct lengths){
        .two = (float)sqrt(square),
        .one = (float)one,
        .largest = (float)largest,
        .square = (float)square,
        .in_float = sqrtf(in_float),
        .whole = (float)sqrt(whole),
        .last = fabsf(g[N - 1]),
        .from_1 = (float)sqrt(fmax(0.0, square - (double)g[0] * (double)g[0])),
    };
}

// CLIP(name, norm, factor): *norm_out is `length`, an expression of the lengths l, and every
// gradient, x, becomes the expression `value`, which may use length as well.
#define CLIP(name, of_lengths, value)                                                    \
    static lab_status name(float *norm, float *g, float max_norm, size_t N)              \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        if (!(max_norm > 0.0f)) {                                                        \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        const struct lengths l = measure(g, N);                                          \
        const float length = of_lengths;                                                 \
        for (size_t i = 0; i < N; i++) {                                                 \
            const float x = g[i];                                                        \
            g[i] = value;                                                                \
        }                                                                                \
        *norm = length;                                                                  \
        return LAB_OK;                                                                   \
    }

// An int cannot hold NaN, and the limit that NaN becomes depends on the order of fminf and fmaxf.
#define CLIP_BUT_NAN(name, inside)                                                       \
    static lab_status name(float *norm, float *g, float max_norm, size_t N)              \
    {                                                                                    \
        return N > 0 && isnan(g[0]) ? LEAVES_ARGUMENTS : inside(norm, g, max_norm, N);   \
    }

CLIP(clip_always, l.two, x *(max_norm / (length + 1e-6f)))
CLIP(clip_number_by_value, l.two, fmaxf(-max_norm, fminf(max_norm, x)))
CLIP_BUT_NAN(clip_by_value, clip_number_by_value)
CLIP(clip_rms, l.two / sqrtf((float)N), x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_square, l.square, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_one_norm, l.one, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_largest, l.largest, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_to_unit, l.two, l.two > max_norm ? x / (length + 1e-6f) : x)
CLIP(clip_inverted, l.two, x *fmaxf(1.0f, (length + 1e-6f) / max_norm))
CLIP(clip_max_one, l.two, x *fmaxf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_never, l.two, x)
CLIP(clip_norm_only, l.two, x *fminf(1.0f, max_norm / length))
CLIP(clip_if_longer, l.two, l.two > max_norm ? x / length * max_norm : x)

CLIP(clip_compares_square, l.two,
     l.square > max_norm ? x * (max_norm / (length + 1e-6f)) : x)
CLIP(clip_compares_square_too, l.two,
     l.square > max_norm ? x * fminf(1.0f, max_norm / (length + 1e-6f)) : x)
CLIP(clip_in_float, l.in_float, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_number_int_sum, l.whole, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP_BUT_NAN(clip_int_sum, clip_number_int_sum)
CLIP(clip_norm_from_1, l.from_1, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_last_term, l.last, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_from_1, l.two, i == 0 ? x : x * fminf(1.0f, max_norm / (length + 1e-6f)))

static lab_status clip_norm_after(float *norm, float *g, float max_norm, size_t N)
{
    LAB_TRY(clip_grad_norm(norm, g, max_norm, N));
    *norm = measure(g, N).two;
    return LAB_OK;
}

const struct mistake clip_grad_norm_mistakes[] = {
    {
        .id = "always",
        .what = "a short gradient is made longer",
        .why = "Clipping only shortens: the factor is at most 1.",
        .function = LIKE(clip_grad_norm, clip_always),
    },
    {
        .id = "by-value",
        .what = "every number is clamped separately",
        .why = "This changes the direction of the gradient. Multiply all numbers by "
               "one factor.",
        .function = LIKE(clip_grad_norm, clip_by_value),
    },
    {
        .id = "mean-of-squares",
        .what = "the norm is taken from the mean of the squares, not from their sum",
        .why = "The length of a vector is the root of the sum, without dividing by N.",
        .function = LIKE(clip_grad_norm, clip_rms),
    },
    {
        .id = "no-root",
        .what = "the norm is the sum of the squares, without the root",
        .why = "norm = sqrt(sum_i g[i]^2).",
        .function = LIKE(clip_grad_norm, clip_square),
    },
    {
        .id = "sum-of-sizes",
        .what = "the norm is the sum of absolute values",
        .why = "That is the 1-norm. The length is sqrt(sum_i g[i]^2).",
        .function = LIKE(clip_grad_norm, clip_one_norm),
    },
    {
        .id = "largest",
        .what = "the norm is the largest absolute value",
        .why = "That is the maximum norm. The length is sqrt(sum_i g[i]^2).",
        .function = LIKE(clip_grad_norm, clip_largest),
    },
    {
        .id = "to-length-1",
        .what = "a gradient that is too long gets length 1 instead of max_norm",
        .why = "The factor is max_norm / norm.",
        .function = LIKE(clip_grad_norm, clip_to_unit),
    },
    {
        .id = "inverted",
        .what = "a gradient that is too long is made longer",
        .why = "The factor is max_norm / norm, not norm / max_norm.",
        .function = LIKE(clip_grad_norm, clip_inverted),
    },
    {
        .id = "max-for-min",
        .what = "long gradients stay, and short ones grow",
        .why = "The factor is the SMALLER of 1 and max_norm / norm.",
        .function = LIKE(clip_grad_norm, clip_max_one),
    },
    {
        .id = "never",
        .what = "nothing is clipped",
        .why = "The norm is computed, but g is not changed. Multiply g by the factor.",
        .source = "NVIDIA/OpenSeq2Seq#192",
        .function = LIKE(clip_grad_norm, clip_never),
    },
    {
        .id = "compares-square",
        .what = "the square of the norm is compared with max_norm",
        .why = "Take the root first. The squares of a gradient of length 2 sum to 4, but "
               "the gradient is not longer than a max_norm of 3.",
        .function = LIKE(clip_grad_norm, clip_compares_square),
    },
    {
        .id = "compares-square-too",
        .what = "the square of the norm is compared with max_norm",
        .why =
            "Take the root first. The squares of a gradient of length 0.8 sum to 0.64, "
            "but the gradient is longer than a max_norm of 0.7.",
        .function = LIKE(clip_grad_norm, clip_compares_square_too),
    },
    {
        .id = "overflows",
        .what =
            "the squares are summed in float, and a long gradient has an infinite norm",
        .why =
            "The square of 1e20 does not fit a float. Sum in double: (double)g[i] * g[i].",
        .function = LIKE(clip_grad_norm, clip_in_float),
    },
    {
        .id = "int-sum",
        .what = "the sum of the squares is an integer",
        .why = "An int drops the fraction at every addition. Sum in double.",
        .function = LIKE(clip_grad_norm, clip_int_sum),
    },
    {
        .id = "norm-from-1",
        .what = "g[0] is not in the norm",
        .why = "The loop over the gradients begins at 0.",
        .function = LIKE(clip_grad_norm, clip_norm_from_1),
    },
    {
        .id = "norm-of-last",
        .what = "the norm is that of the last gradient alone",
        .why =
            "= replaces the sum with the newest square; += adds it: sum += g[i] * g[i].",
        .function = LIKE(clip_grad_norm, clip_last_term),
    },
    {
        .id = "from-1",
        .what = "g[0] is not clipped",
        .why = "Start the loop over the gradients at 0: all get the same factor.",
        .function = LIKE(clip_grad_norm, clip_from_1),
    },
    {
        .id = "norm-after",
        .what = "the returned norm is that of the clipped gradient",
        .why = "Return the norm that the gradient had before clipping.",
        .function = LIKE(clip_grad_norm, clip_norm_after),
    },
    {0},
};

const struct mistake clip_grad_norm_alternatives[] = {
    {.id = "without-1e-6", .function = LIKE(clip_grad_norm, clip_norm_only)},
    {.id = "if-longer", .function = LIKE(clip_grad_norm, clip_if_longer)},
    {0},
};
