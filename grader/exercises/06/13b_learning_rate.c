// 13b_learning_rate.c - exercise 6.13: cases and known mistakes of learning_rate.

#include "exercises/exercise.h"
#include "exercises/06/13_clipping_and_rate.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "06_copy_task/copy_task.h"

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

const struct case_spec learning_rate_cases[] = {
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
     .note = "after the end of a schedule that is only warm-up"},
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
    LAB_TRY(learning_rate(lr, step, warmup, total, peak, floor));
    if (step > 1) {
        return learning_rate(lr, step - 1, warmup, total, peak, floor);
    }
    *lr = warmup > 0 ? 0.0f
                     : peak; // step 0: the warm-up begins at 0, the cosine at the peak
    return LAB_OK;
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

const struct mistake learning_rate_mistakes[] = {
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
        .why = "The warm-up starts at 0, whatever the floor is. Only the cosine ends "
               "at the floor.",
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
        .why = "The cosine ends at total. After that the rate stays at the floor.",
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
        .what = "the last rate is NaN if the whole run is warm-up",
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
            "the cosine counts from step 0 and divides by total - warmup, so p exceeds 1",
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

const struct mistake learning_rate_alternatives[] = {
    {.id = "in-float", .function = LIKE(learning_rate, rate_in_float)},
    {0},
};
