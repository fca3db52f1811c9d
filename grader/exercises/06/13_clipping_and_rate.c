// 13_clipping_and_rate.c - exercise 6.13: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"
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

static const struct case_spec clip_grad_norm_cases[] = {
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
CLIP(clip_in_float, l.in_float, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_number_int_sum, l.whole, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP_BUT_NAN(clip_int_sum, clip_number_int_sum)
CLIP(clip_norm_from_1, l.from_1, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_last_term, l.last, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_from_1, l.two, i == 0 ? x : x * fminf(1.0f, max_norm / (length + 1e-6f)))

static lab_status clip_norm_after(float *norm, float *g, float max_norm, size_t N)
{
    lab_status status = clip_grad_norm(norm, g, max_norm, N);
    if (status == LAB_OK) {
        *norm = measure(g, N).two;
    }
    return status;
}

static const struct mistake clip_grad_norm_mistakes[] = {
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
        .why = "Return the norm before clipping, which is worth watching.",
        .function = LIKE(clip_grad_norm, clip_norm_after),
    },
    {0},
};

static const struct mistake clip_grad_norm_alternatives[] = {
    {.id = "without-1e-6", .function = LIKE(clip_grad_norm, clip_norm_only)},
    {.id = "if-longer", .function = LIKE(clip_grad_norm, clip_if_longer)},
    {0},
};

static void fill_schedule(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "peak", 0.5f);
    set_all(test, "floor", 0.05f);
}

static void fill_schedule_usual(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "peak", 1e-3f);
    set_all(test, "floor", 0.0f);
}

static void fill_schedule_rising(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "peak", 0.05f);
    set_all(test, "floor", 0.5f);
}

static void fill_schedule_from_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "peak", 0.0f);
    set_all(test, "floor", 0.5f);
}

static const struct case_spec learning_rate_cases[] = {
    {.dims = "step=1 warmup=4 total=10", .fill = fill_schedule, .note = "the first step"},
    {.dims = "step=3 warmup=4 total=10", .fill = fill_schedule, .note = "warming up"},
    {.dims = "step=4 warmup=4 total=10", .fill = fill_schedule, .note = "the peak"},
    {.dims = "step=5 warmup=4 total=10", .fill = fill_schedule},
    {.dims = "step=9 warmup=4 total=10", .fill = fill_schedule},
    {.dims = "step=10 warmup=4 total=10", .fill = fill_schedule, .note = "the last step"},
    {.dims = "step=13 warmup=4 total=10",
     .fill = fill_schedule,
     .note = "beyond total: the floor"},
    {.dims = "step=3 warmup=100 total=1000",
     .fill = fill_schedule,
     .note = "warming up, below the floor"},
    {.dims = "step=1 warmup=0 total=8", .fill = fill_schedule, .note = "no warm-up"},
    {.dims = "step=8 warmup=8 total=8", .fill = fill_schedule, .note = "only warm-up"},
    {.dims = "step=9 warmup=5 total=5",
     .fill = fill_schedule,
     .note = "beyond a total that is only warm-up"},
    {.dims = "step=2..19 warmup=5..12 total=20..30", .draws = 6, .fill = fill_schedule},
    {.dims = "step=50 warmup=100 total=1000", .fill = fill_schedule_usual},
    {.dims = "step=2 warmup=4 total=10",
     .fill = fill_schedule_rising,
     .note = "a floor above the peak, warming up"},
    {.dims = "step=7 warmup=4 total=10",
     .fill = fill_schedule_rising,
     .note = "a floor above the peak: the cosine rises"},
    {.dims = "step=11 warmup=4 total=10",
     .fill = fill_schedule_rising,
     .note = "a floor above the peak, beyond total"},
    {.dims = "step=7 warmup=4 total=10",
     .fill = fill_schedule_from_0,
     .note = "a peak of 0: the cosine rises"},
    {.dims = "step=1027 warmup=2051 total=9001",
     .fill = fill_schedule,
     .note = "a long warm-up"},
    {.dims = "step=5003 warmup=2051 total=9001",
     .fill = fill_schedule,
     .note = "after a long warm-up"},
    {.dims = "step=70001 warmup=100003 total=300007",
     .fill = fill_schedule,
     .note = "a very long warm-up"},
    {.dims = "step=3000000000 warmup=5000000000 total=9000000000",
     .fill = fill_schedule,
     .note = "steps beyond 32 bits, warming up"},
    {.dims = "step=6000000000 warmup=1000000000 total=9000000000",
     .fill = fill_schedule,
     .note = "steps beyond 32 bits, falling"},
    {.dims = "step=5 warmup=1 total=9",
     .fill = fill_schedule,
     .note = "a warm-up of one step"},
    {.dims = "step=1 warmup=1 total=9",
     .fill = fill_schedule,
     .note = "a warm-up of one step"},
    {.dims = "step=1 warmup=0 total=1", .fill = fill_schedule, .note = "one step in all"},
    {.dims = "step=0 warmup=4 total=10", .fill = fill_schedule, .note = "step 0"},
    {.dims = "step=1 warmup=0 total=0", .fill = fill_schedule, .note = "total 0"},
    {.dims = "step=1 warmup=9 total=8",
     .fill = fill_schedule,
     .note = "more warm-up than steps"},
    {0},
};

// RATE(name, warm, cold, late): expressions of k, w, n (step, warmup, total as doubles), p (how
// far the cosine has come), peak and low: while warming up, on the cosine, beyond the end.
#define RATE(name, warm, cold, late)                                                     \
    static lab_status name(float *lr, size_t step, size_t warmup, size_t total,          \
                           float peak_, float floor_)                                    \
    {                                                                                    \
        if (step == 0 || total == 0 || warmup > total) {                                 \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        const double k = (double)step, w = (double)warmup, n = (double)total;            \
        const double p = n > w ? (k - w) / (n - w) : 0.0, pi = acos(-1.0);               \
        const double peak = (double)peak_, low = (double)floor_;                         \
        (void)p, (void)pi, (void)low;                                                    \
        *lr = (float)(step <= warmup ? (warm) : step <= total ? (cold) : (late));        \
        return LAB_OK;                                                                   \
    }

#define HALF_COSINE (low + (peak - low) * 0.5 * (1.0 + cos(pi * p)))

RATE(rate_from_0, peak *(k - 1.0) / w, HALF_COSINE, low)
RATE(rate_cosine_late, peak *k / w,
     low + (peak - low) * 0.5 * (1.0 + cos(pi * (k - 1.0 - w) / (n - w))), low)
RATE(rate_no_floor, peak *k / w, peak * 0.5 * (1.0 + cos(pi * p)), low)
RATE(rate_no_floor_at_all, peak *k / w, peak * 0.5 * (1.0 + cos(pi * p)), 0.0)
RATE(rate_floor_added, peak *k / w, low + peak * 0.5 * (1.0 + cos(pi * p)), low)
RATE(rate_warm_down, peak *(1.0 - k / w), HALF_COSINE, low)
RATE(rate_warm_from_floor, low + (peak - low) * k / w, HALF_COSINE, low)
RATE(rate_never_below_floor, fmax(low, peak *k / w), HALF_COSINE, low)
RATE(rate_cosine_of_total, peak *k / w,
     low + (peak - low) * 0.5 * (1.0 + cos(pi * k / n)), low)
RATE(rate_whole_cosine, peak *k / w, low + (peak - low) * 0.5 * (1.0 + cos(2.0 * pi * p)),
     low)
RATE(rate_no_half, peak *k / w, low + (peak - low) * (1.0 + cos(pi * p)), low)
RATE(rate_linear, peak *k / w, low + (peak - low) * (1.0 - p), low)
RATE(rate_no_warmup, peak, HALF_COSINE, low)
// If all of total is warm-up, 0 is divided by 0.
RATE(rate_rebound, peak *k / w, HALF_COSINE, n > w ? HALF_COSINE : NAN)
RATE(rate_whole_numbers, step == warmup ? peak : 0.0, HALF_COSINE, low)
RATE(rate_constant, peak *k / w, peak, peak)
// At step = warmup = total, the cosine divides 0 by 0.
RATE(rate_warmup_below, k == w && w == n ? NAN : peak * k / w, HALF_COSINE, low)
RATE(rate_warmup_early, peak *(k + 1.0) / w, HALF_COSINE, low)
RATE(rate_warmup_longer, peak *k / (w + 1.0), HALF_COSINE, low)
RATE(rate_over_total, peak *k / w,
     low + (peak - low) * 0.5 * (1.0 + cos(pi * (k - w) / n)), low)
RATE(rate_from_step, peak *k / w,
     low + (peak - low) * 0.5 * (1.0 + cos(pi * k / (n - w))), low)
RATE(rate_quarter_cosine, peak *k / w, low + (peak - low) * cos(pi * p / 2.0), low)
RATE(rate_no_pi, peak *k / w, low + (peak - low) * 0.5 * (1.0 + cos(p)), low)
RATE(rate_minus_cosine, peak *k / w, low + (peak - low) * 0.5 * (1.0 - cos(pi * p)), low)
RATE(rate_floor_not_added, peak *k / w, (peak - low) * 0.5 * (1.0 + cos(pi * p)), low)
RATE(rate_cut_at_floor, peak *k / w, fmax(low, peak * 0.5 * (1.0 + cos(pi * p))), low)
RATE(rate_late_0, peak *k / w, HALF_COSINE, 0.0)
RATE(rate_late_peak, peak *k / w, HALF_COSINE, peak)

// The whole schedule one step late.
static lab_status rate_of_step_before(float *lr, size_t step, size_t warmup, size_t total,
                                      float peak, float floor)
{
    lab_status status = learning_rate(lr, step, warmup, total, peak, floor);
    if (status == LAB_OK && step > 1) {
        return learning_rate(lr, step - 1, warmup, total, peak, floor);
    }
    if (status == LAB_OK) { // step 0: the warm-up begins at 0, the cosine at the peak
        *lr = warmup > 0 ? 0.0f : peak;
    }
    return status;
}

static lab_status rate_in_float(float *lr, size_t step, size_t warmup, size_t total,
                                float peak, float floor)
{
    if (step == 0 || total == 0 || warmup > total) {
        return LAB_EVALUE;
    }
    if (step > total) {
        *lr = floor;
    } else if (step <= warmup) {
        *lr = peak * (float)step / (float)warmup;
    } else {
        const float p = (float)(step - warmup) / (float)(total - warmup);
        *lr = floor + 0.5f * (peak - floor) * (1.0f + cosf(3.14159265f * p));
    }
    return LAB_OK;
}

static const struct mistake learning_rate_mistakes[] = {
    {
        .id = "warmup-from-0",
        .what = "the warm-up is one step late: step 1 has rate 0",
        .why = "Steps count from 1: the first gets peak / warmup. A step with a rate "
               "of 0 is wasted.",
        .source = "meta-pytorch/torchtune#2010, deepspeedai/DeepSpeed#5287",
        .function = LIKE(learning_rate, rate_from_0),
    },
    {
        .id = "one-late",
        .what = "the whole schedule is one step late: step k gets the rate of step k - 1",
        .why = "Steps count from 1, here as in train: step 1 gets peak / warmup, step "
               "warmup gets the peak, and step total the floor.",
        .source = "meta-pytorch/torchtune#2010, deepspeedai/DeepSpeed#5287",
        .function = LIKE(learning_rate, rate_of_step_before),
    },
    {
        .id = "cosine-one-late",
        .what = "the cosine is one step late and does not reach the floor at total",
        .why = "p = (step - warmup) / (total - warmup): 1 at the last step.",
        .function = LIKE(learning_rate, rate_cosine_late),
    },
    {
        .id = "cosine-to-0",
        .what = "the cosine goes down to 0 instead of the floor",
        .why = "floor + (peak - floor) (1 + cos(pi p)) / 2: it ends at the floor.",
        .function = LIKE(learning_rate, rate_no_floor),
    },
    {
        .id = "no-floor",
        .what = "the floor is ignored: the rate ends at 0",
        .why = "floor + (peak - floor) (1 + cos(pi p)) / 2, and floor beyond total.",
        .function = LIKE(learning_rate, rate_no_floor_at_all),
    },
    {
        .id = "floor-on-top",
        .what = "the floor is added on top: the cosine starts at peak + floor",
        .why = "The cosine runs between peak and floor: its height is peak - floor.",
        .function = LIKE(learning_rate, rate_floor_added),
    },
    {
        .id = "warmup-downwards",
        .what = "the warm-up runs from the peak down to 0",
        .why = "It rises: peak step / warmup.",
        .function = LIKE(learning_rate, rate_warm_down),
    },
    {
        .id = "warmup-from-floor",
        .what = "the warm-up starts at the floor",
        .why = "Here it starts at 0: peak step / warmup. The floor is for the end.",
        .function = LIKE(learning_rate, rate_warm_from_floor),
        .convention = true,
    },
    {
        .id = "warmup-not-below-floor",
        .what = "while warming up, the rate is never below the floor",
        .why = "The warm-up starts from 0, whatever the floor is; only the cosine ends "
               "there.",
        .function = LIKE(learning_rate, rate_never_below_floor),
    },
    {
        .id = "cosine-from-step-0",
        .what = "the cosine runs over all steps, the warm-up included",
        .why = "It starts at the end of the warm-up: p = (step - warmup) / (total - "
               "warmup). Otherwise the rate jumps.",
        .function = LIKE(learning_rate, rate_cosine_of_total),
    },
    {
        .id = "whole-cosine",
        .what = "the cosine goes down and up again",
        .why = "From 0 to pi it falls from 1 to -1; 2 pi is the whole wave.",
        .function = LIKE(learning_rate, rate_whole_cosine),
    },
    {
        .id = "no-half",
        .what = "the cosine part is too high by a factor of 2",
        .why = "1 + cos runs from 2 to 0: divide by 2.",
        .function = LIKE(learning_rate, rate_no_half),
    },
    {
        .id = "linear",
        .what = "the rate falls in a straight line",
        .why = "A linear schedule exists; this one is half a cosine.",
        .function = LIKE(learning_rate, rate_linear),
        .convention = true,
    },
    {
        .id = "no-warmup",
        .what = "there is no warm-up: the rate starts at the peak",
        .why = "While step <= warmup: peak step / warmup.",
        .source = "Tencent-Hunyuan/UniRL#223",
        .function = LIKE(learning_rate, rate_no_warmup),
    },
    {
        .id = "rebound",
        .what = "beyond total the rate rises again",
        .why = "The cosine has ended there: the rate stays at the floor.",
        .source = "Tencent-Hunyuan/UniRL#223",
        .function = LIKE(learning_rate, rate_rebound),
    },
    {
        .id = "whole-number-division",
        .what = "the rate is 0 until the end of the warm-up",
        .why =
            "step / warmup is an integer division, and 3 / 4 is 0. Convert one of them "
            "to float or double first.",
        .function = LIKE(learning_rate, rate_whole_numbers),
    },
    {
        .id = "constant",
        .what = "after the warm-up the rate stays at the peak",
        .why = "From there half a cosine leads down to the floor.",
        .function = LIKE(learning_rate, rate_constant),
    },
    {
        .id = "warmup-below",
        .what = "the rate at the end of a run that is only warm-up is NaN",
        .why =
            "The step warmup belongs to the warm-up: step <= warmup, not <. With warmup "
            "= total, the cosine would divide by total - warmup, which is 0.",
        .function = LIKE(learning_rate, rate_warmup_below),
    },
    {
        .id = "warmup-one-early",
        .what = "the warm-up is one step early: step 1 has the rate of step 2",
        .why = "Steps count from 1, not from 0: peak step / warmup, without + 1.",
        .function = LIKE(learning_rate, rate_warmup_early),
    },
    {
        .id = "warmup-over-warmup-plus-1",
        .what = "the warm-up divides by warmup + 1",
        .why = "Steps count from 1, and step warmup has the peak: peak step / warmup.",
        .function = LIKE(learning_rate, rate_warmup_longer),
    },
    {
        .id = "cosine-over-total",
        .what = "the cosine divides by total, not by total - warmup, and does not reach "
                "the floor",
        .why = "p = (step - warmup) / (total - warmup) runs from 0 to 1.",
        .function = LIKE(learning_rate, rate_over_total),
    },
    {
        .id = "warmup-not-subtracted",
        .what =
            "the cosine counts from step 0 and divides by total - warmup, so p exceeds "
            "1",
        .why = "p = (step - warmup) / (total - warmup) runs from 0 to 1.",
        .function = LIKE(learning_rate, rate_from_step),
    },
    {
        .id = "quarter-cosine",
        .what = "the rate falls along a quarter of a cosine, cos(pi p / 2)",
        .why = "Half a cosine, (1 + cos(pi p)) / 2, is flat at both ends.",
        .function = LIKE(learning_rate, rate_quarter_cosine),
    },
    {
        .id = "no-pi",
        .what = "the cosine is that of p, not of pi p",
        .why = "cos(p) falls only to 0.54. It must reach -1 at p = 1: cos(pi p).",
        .function = LIKE(learning_rate, rate_no_pi),
    },
    {
        .id = "minus-cosine",
        .what = "the cosine runs backwards, from the floor to the peak",
        .why = "1 + cos(pi p) falls from 2 to 0; 1 - cos(pi p) rises.",
        .function = LIKE(learning_rate, rate_minus_cosine),
    },
    {
        .id = "floor-not-added",
        .what = "the cosine runs from peak - floor to 0: the floor is not added",
        .why = "floor + (peak - floor) (1 + cos(pi p)) / 2: from the peak to the floor.",
        .function = LIKE(learning_rate, rate_floor_not_added),
    },
    {
        .id = "cut-at-floor",
        .what = "the cosine falls towards 0 and is cut at the floor",
        .why = "floor + (peak - floor) (1 + cos(pi p)) / 2 reaches the floor in the last "
               "step only.",
        .function = LIKE(learning_rate, rate_cut_at_floor),
    },
    {
        .id = "0-beyond-total",
        .what = "beyond total the rate is 0",
        .why = "The schedule ends at the floor, and the rate stays there.",
        .function = LIKE(learning_rate, rate_late_0),
    },
    {
        .id = "peak-beyond-total",
        .what = "beyond total the rate is the peak again",
        .why = "The schedule ends at the floor, and the rate stays there.",
        .function = LIKE(learning_rate, rate_late_peak),
    },
    {0},
};

static const struct mistake learning_rate_alternatives[] = {
    {.id = "in-float", .function = LIKE(learning_rate, rate_in_float)},
    {0},
};

static const struct part clip_part[] = {
    {
        .function = "clip_grad_norm",
        .dims = "N",
        .tensors =
            {
                {"norm", "1", OUTPUT, F32, 1e-6f, 1e-5f},
                {"g", "N", UPDATED, F32, 1e-7f, 1e-5f},
                {"max_norm", "1", INPUT, F32, 0, 0},
            },
        .cases = clip_grad_norm_cases,
        .mistakes = clip_grad_norm_mistakes,
        .alternatives = clip_grad_norm_alternatives,
    },
    {
        .function = "learning_rate",
        .dims = "step warmup total",
        .tensors =
            {
                {"lr", "1", OUTPUT, F32, 1e-6f, 1e-5f},
                {"peak", "1", INPUT, F32, 0, 0},
                {"floor", "1", INPUT, F32, 0, 0},
            },
        .cases = learning_rate_cases,
        .mistakes = learning_rate_mistakes,
        .alternatives = learning_rate_alternatives,
    },
    {0},
};

const struct exercise exercise_6_13 = {
    .id = "6.13",
    .name = "clip_grad_norm and learning_rate",
    .section = "6.13 Clipping and the learning rate",
    .hints =
        {
            "Clipping multiplies all numbers by one factor, at most 1. The schedule has "
            "three ranges of step: draw it.",
            "norm = sqrt(sum g^2), g *= min(1, max_norm / (norm + 1e-6)). "
            "lr = peak step / warmup; then floor + (peak - floor) (1 + cos(pi p)) / 2 "
            "with p = (step - warmup) / (total - warmup); then floor.",
            "sum in double; factor = max_norm / (norm + 1e-6f); if factor < 1: g *= "
            "factor\n"
            "if step <= warmup: peak * (float)step / (float)warmup\n"
            "else if step <= total: the cosine, with p in float, not an integer"
            " division\n"
            "else: floor",
        },
    .parts = clip_part,
};
