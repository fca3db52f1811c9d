// 12_adam_step.c - exercise 6.12, adam_step: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"

#include <math.h>
#include <string.h>

#include "06_copy_task/copy_task.h"

// Sets the moments that earlier gradients of that size would have left. All have the same sign:
// in a sum that nearly cancels, the order of the roundings would matter.
static void set_moments(struct test_case *test, struct lab_rng *rng, float size)
{
    float *m = case_f32(test, "m"), *v = case_f32(test, "v"), *g = case_f32(test, "g");
    const size_t steps = case_dim(test, "step") - (case_dim(test, "step") > 0);
    for (size_t i = 0; i < case_count(test, "m"); i++) {
        m[i] = v[i] = 0.0f;
        // otherwise earlier steps would leave no trace
        for (size_t k = 0; k < (steps < 40 ? steps : 40); k++) {
            float old;
            lab_rng_randn(rng, &old, 1);
            old = copysignf(old * size, g[i]);
            m[i] = 0.9f * m[i] + 0.1f * old;
            v[i] = 0.999f * v[i] + 0.001f * old * old;
        }
        g[i] *= size;
    }
}

static void fill_adam(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.0f);
    set_moments(test, rng, 1.0f);
}

static void fill_adam_decay(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.5f);
    set_moments(test, rng, 0.3f);
}

static void fill_adam_still(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.0f, 0.5f);
    set_moments(test, rng, 1.0f);
}

static void fill_adam_tiny(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.0f);
    set_moments(test, rng, 1e-8f);
}

static void fill_adam_large(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.1f);
    set_moments(test, rng, 1e4f);
}

static void fill_adam_usual(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 1e-3f, 0.01f);
    set_moments(test, rng, 0.02f);
}

// With this beta2, all of whose digits fit a float, the correction still counts after 65,000 steps.
// beta1 and v are 0, so the step is 126 lr long: a large gradient after many small ones.
static void fill_adam_slow(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.0f);
    set_moments(test, rng, 1.0f);
    set_all(test, "beta1", 0.0f);
    set_all(test, "beta2", 1.0f - 0x1p-14f);
    set_all(test, "v", 0.0f);
}

static void fill_adam_no_eps(struct test_case *test, struct lab_rng *rng)
{
    fill_adam_tiny(test, rng);
    set_all(test, "eps", 0.0f);
}

static void fill_adam_other(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.05f, 0.2f);
    set_all(test, "beta1", 0.8f);
    set_all(test, "beta2", 0.95f);
    set_all(test, "eps", 0.1f);
    set_moments(test, rng, 0.5f);
}

static void fill_adam_zero_gradient(struct test_case *test, struct lab_rng *rng)
{
    fill_adam_decay(test, rng);
    memset(case_f32(test, "g"), 0, case_count(test, "g") * sizeof(float));
}

// beta is in [0, 1): with 0, a moment is just the newest gradient, as in RMSProp.
static void fill_beta1_zero(struct test_case *test, struct lab_rng *rng)
{
    fill_adam_decay(test, rng);
    set_all(test, "beta1", 0.0f);
}

static void fill_beta2_zero(struct test_case *test, struct lab_rng *rng)
{
    fill_adam_decay(test, rng);
    set_all(test, "beta2", 0.0f);
}

static void fill_beta2_1(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta2", 1.0f);
}

static void fill_beta1_1(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta1", 1.0f);
}

static void fill_negative_beta1(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta1", -0.1f);
}

static void fill_negative_beta2(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta2", -0.1f);
}

static void fill_nan_beta1(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta1", NAN);
}

static void fill_nan_beta2(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta2", NAN);
}

// All results are sums of a few powers of two, so that the student archive stays small: its sums of
// such numbers compress well.
static void fill_many(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_adam(test, 0.125f, 0.5f);
    set_all(test, "beta1", 0.5f);
    set_all(test, "beta2", 0.75f);
    set_all(test, "eps", 0.0f);
    case_small(test, "w");
    case_small(test, "m");
    case_small(test, "g");
    scale_input(test, "v", 0.0f); // v becomes 1/4 or 1
}

static const struct case_spec adam_step_cases[] = {
    {.dims = "step=1 N=1", .fill = fill_adam, .note = "the first step"},
    {.dims = "step=1 N=2", .fill = fill_adam, .note = "the first step"},
    {.dims = "step=2 N=3", .fill = fill_adam, .note = "the second step"},
    {.dims = "step=1 N=4", .fill = fill_adam_decay, .note = "weight decay 0.5"},
    {.dims = "step=1 N=5", .fill = fill_adam_tiny, .note = "gradients near 1e-8"},
    {.dims = "step=3 N=6", .fill = fill_adam_decay, .note = "weight decay 0.5"},
    {.dims = "step=4 N=5", .fill = fill_adam_tiny, .note = "gradients near 1e-8"},
    {.dims = "step=5 N=7", .fill = fill_adam_large, .note = "gradients near 1e4"},
    {.dims = "step=6 N=7",
     .fill = fill_adam_other,
     .note = "betas 0.8 and 0.95, eps 0.1"},
    {.dims = "step=2 N=6",
     .fill = fill_adam_zero_gradient,
     .note = "a gradient of 0: momentum and decay still act"},
    {.dims = "step=7..40 N=8..20", .draws = 3, .fill = fill_adam_decay},
    {.dims = "step=1000 N=9", .fill = fill_adam, .note = "step 1000"},
    {.dims = "step=2003 N=7", .fill = fill_adam_decay, .note = "step 2003"},
    {.dims = "step=6007 N=7", .fill = fill_adam_decay, .note = "step 6007"},
    {.dims = "step=5 N=6",
     .fill = fill_adam_still,
     .note = "a rate of 0: only the moments change"},
    {.dims = "step=65537 N=7", .fill = fill_adam, .note = "a step above 65536"},
    {.dims = "step=1000000 N=9", .fill = fill_adam, .note = "after a very long time"},
    {.dims = "step=3000000000 N=5", .fill = fill_adam, .note = "a step beyond 32 bits"},
    {.dims = "step=12 N=67", .fill = fill_adam_usual, .note = "the usual settings"},
    {.dims = "step=3 N=1031", .draws = 2, .fill = fill_adam, .note = "many parameters"},
    {.dims = "step=3 N=5", .fill = fill_beta1_zero, .note = "beta1 is 0: no momentum"},
    {.dims = "step=4 N=6",
     .fill = fill_beta2_zero,
     .note = "beta2 is 0: v is the newest square"},
    {.dims = "step=4 N=1", .fill = fill_adam_decay, .note = "one parameter"},
    {.dims = "step=3 N=1024", .fill = fill_adam, .note = "exactly 1024 parameters"},
    {.dims = "step=0 N=3", .fill = fill_adam, .note = "step 0: steps count from 1"},
    {.dims = "step=1 N=3", .fill = fill_beta2_1, .note = "beta2 is 1"},
    {.dims = "step=1 N=3", .fill = fill_beta1_1, .note = "beta1 is 1"},
    {.dims = "step=1 N=3", .fill = fill_negative_beta1, .note = "beta1 is negative"},
    {.dims = "step=1 N=3", .fill = fill_negative_beta2, .note = "beta2 is negative"},
    {.dims = "step=1 N=3", .fill = fill_nan_beta1, .note = "beta1 is NaN"},
    {.dims = "step=1 N=3", .fill = fill_nan_beta2, .note = "beta2 is NaN"},
    {.dims = "step=65539 N=3",
     .fill = fill_adam_slow,
     .unit = 1.0f,
     .note = "a beta2 near 1: v is still corrected after 65539 steps"},
    {.dims = "step=2 N=3",
     .fill = fill_adam_no_eps,
     .unit = 1.0f,
     .note = "eps is 0, gradients near 1e-8"},
    {.dims = "step=1 N=0", .note = "a size of 0"},
    {.dims = "step=1000 N=600001",
     .fill = fill_many,
     .note = "more parameters than a GPU grid has threads",
     .gpu_only = true},
    {0},
};

// The arguments of adam_step, for declarations and for calls.
#define ADAM_ARGUMENTS                                                                   \
    float *w, float *m, float *v, const float *g, const struct adam *settings,           \
        size_t step, size_t N
#define ADAM_VALUES w, m, v, g, settings, step, N

enum adam_fault {
    ADAM_RIGHT,
    ADAM_NO_CORRECTION,
    ADAM_NO_M_CORRECTION,
    ADAM_NO_V_CORRECTION,
    ADAM_EPS_INSIDE,
    ADAM_EPS_FIRST,
    ADAM_NO_EPS,
    ADAM_COUPLED,
    ADAM_COUPLED_WITH_LR,
    ADAM_DECAY_SIGN,
    ADAM_DECAY_WITHOUT_LR,
    ADAM_DECAY_AFTER,
    ADAM_NO_DECAY,
    ADAM_BETAS_EXCHANGED,
    ADAM_ASCENT,
    ADAM_NO_ROOT,
    ADAM_NO_SQUARE,
    ADAM_STEP_FROM_0,
    ADAM_STEP_PLUS_1,
    ADAM_FULL_GRADIENT,
    ADAM_V_OF_M,
    ADAM_OLD_MOMENT,
    ADAM_STORED,
    ADAM_M_STORED,
    ADAM_V_STORED,
    ADAM_FROM_1,
    ADAM_BETA1_TWICE,
    ADAM_NO_POWER,
    ADAM_CORRECTIONS_EXCHANGED,
    ADAM_SHARES_EXCHANGED,
    ADAM_M_SHARES_EXCHANGED,
    ADAM_V_KEEPS_BETA1,
    ADAM_SIGNED_GRADIENT,
    ADAM_FULL_SQUARE,
    ADAM_NO_MOMENTUM,
    ADAM_OLD_SQUARE,
    ADAM_DECAY_IN_STEP,
    ADAM_V_BY_BETA1,
    ADAM_ROOT_OF_V_ALONE,
};

static lab_status adam_with(enum adam_fault fault, ADAM_ARGUMENTS)
{
    const struct adam *s = settings;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (step == 0 || !(0.0 <= s->beta1 && s->beta1 < 1.0) ||
        !(0.0 <= s->beta2 && s->beta2 < 1.0)) {
        return LAB_EVALUE;
    }
    const bool exchanged = fault == ADAM_BETAS_EXCHANGED;
    const double beta1 = exchanged ? s->beta2 : s->beta1,
                 beta2 = exchanged || fault == ADAM_BETA1_TWICE ? s->beta1 : s->beta2;
    const double k = fault == ADAM_NO_POWER ? 1.0
                                            : (double)step - (fault == ADAM_STEP_FROM_0) +
                                                  (fault == ADAM_STEP_PLUS_1);
    const bool no_m = fault == ADAM_NO_CORRECTION || fault == ADAM_NO_M_CORRECTION;
    const bool no_v = fault == ADAM_NO_CORRECTION || fault == ADAM_NO_V_CORRECTION;
    const bool crossed = fault == ADAM_CORRECTIONS_EXCHANGED;
    const double m_by = no_m ? 1.0 : 1.0 / (1.0 - pow(crossed ? beta2 : beta1, k));
    const double v_by =
        no_v ? 1.0
             : 1.0 / (1.0 - pow(crossed || fault == ADAM_V_BY_BETA1 ? beta1 : beta2, k));
    const bool shares =
        fault == ADAM_SHARES_EXCHANGED; // beta is the newest gradient's share
    const double keep_m =
        shares || fault == ADAM_M_SHARES_EXCHANGED ? 1.0 - beta1 : beta1;
    const double keep_v = shares                        ? 1.0 - beta2
                          : fault == ADAM_V_KEEPS_BETA1 ? beta1
                                                        : beta2;
    const double lr = s->lr, wd = s->weight_decay, eps = s->eps;
    for (size_t i = fault == ADAM_FROM_1 ? 1 : 0; i < N; i++) {
        double gi = (double)g[i], wi = (double)w[i];
        const double decay = fault == ADAM_DECAY_SIGN         ? -lr * wd
                             : fault == ADAM_DECAY_WITHOUT_LR ? wd
                             : fault == ADAM_NO_DECAY         ? 0.0
                                                              : lr * wd;
        if (fault == ADAM_COUPLED || fault == ADAM_COUPLED_WITH_LR) {
            gi += (fault == ADAM_COUPLED ? 1.0 : lr) * wd * wi;
        } else if (fault != ADAM_DECAY_AFTER && fault != ADAM_DECAY_IN_STEP) {
            wi -= decay * wi;
        }
        const double old = (double)m[i], old_square = (double)v[i];
        const double share = fault == ADAM_FULL_GRADIENT ? 1.0 : 1.0 - keep_m;
        m[i] = (float)(keep_m * (double)m[i] + share * gi);
        const double square = fault == ADAM_NO_SQUARE         ? fabs(gi)
                              : fault == ADAM_SIGNED_GRADIENT ? gi
                              : fault == ADAM_V_OF_M ? (double)m[i] * (double)m[i]
                                                     : gi * gi;
        const double square_share = fault == ADAM_FULL_SQUARE ? 1.0 : 1.0 - keep_v;
        v[i] = (float)(keep_v * (double)v[i] + square_share * square);
        const double top = fault == ADAM_NO_MOMENTUM  ? gi
                           : fault == ADAM_OLD_MOMENT ? old * m_by
                                                      : (double)m[i] * m_by;
        const double second =
            (fault == ADAM_OLD_SQUARE ? old_square : (double)v[i]) * v_by;
        double bottom = sqrt(second) + eps;
        if (fault == ADAM_EPS_INSIDE) {
            bottom = sqrt(second + eps);
        } else if (fault == ADAM_EPS_FIRST) {
            bottom = (sqrt((double)v[i]) + eps) * sqrt(v_by);
        } else if (fault == ADAM_NO_EPS) {
            bottom = sqrt(second);
        } else if (fault == ADAM_ROOT_OF_V_ALONE) {
            bottom = sqrt((double)v[i]) * v_by + eps;
        } else if (fault == ADAM_NO_ROOT) {
            bottom = second + eps;
        }
        const double decayed = fault == ADAM_DECAY_IN_STEP ? top + wd * wi : top;
        wi += (fault == ADAM_ASCENT ? lr : -lr) * decayed / bottom;
        if (fault == ADAM_DECAY_AFTER) {
            wi -= lr * wd * wi;
        }
        if (fault == ADAM_STORED || fault == ADAM_M_STORED) {
            m[i] = (float)top;
        }
        if (fault == ADAM_STORED || fault == ADAM_V_STORED) {
            v[i] = (float)second;
        }
        w[i] = (float)wi;
    }
    return LAB_OK;
}

#define ADAM(name, fault)                                                                \
    static lab_status name(ADAM_ARGUMENTS)                                               \
    {                                                                                    \
        return adam_with(fault, ADAM_VALUES);                                            \
    }

ADAM(adam_no_correction, ADAM_NO_CORRECTION)
ADAM(adam_no_m_correction, ADAM_NO_M_CORRECTION)
ADAM(adam_no_v_correction, ADAM_NO_V_CORRECTION)
ADAM(adam_eps_inside, ADAM_EPS_INSIDE)
ADAM(adam_eps_first, ADAM_EPS_FIRST)
ADAM(adam_no_eps, ADAM_NO_EPS)
ADAM(adam_coupled, ADAM_COUPLED)
ADAM(adam_coupled_with_lr, ADAM_COUPLED_WITH_LR)
ADAM(adam_decay_sign, ADAM_DECAY_SIGN)
ADAM(adam_decay_without_lr, ADAM_DECAY_WITHOUT_LR)
ADAM(adam_decay_after, ADAM_DECAY_AFTER)
ADAM(adam_no_decay, ADAM_NO_DECAY)
ADAM(adam_betas_exchanged, ADAM_BETAS_EXCHANGED)
ADAM(adam_ascent, ADAM_ASCENT)
ADAM(adam_no_root, ADAM_NO_ROOT)
ADAM(adam_no_square, ADAM_NO_SQUARE)
ADAM(adam_step_from_0, ADAM_STEP_FROM_0)
ADAM(adam_step_plus_1, ADAM_STEP_PLUS_1)
ADAM(adam_full_gradient, ADAM_FULL_GRADIENT)
ADAM(adam_v_of_m, ADAM_V_OF_M)
ADAM(adam_old_moment, ADAM_OLD_MOMENT)
ADAM(adam_stored, ADAM_STORED)
ADAM(adam_m_stored, ADAM_M_STORED)
ADAM(adam_v_stored, ADAM_V_STORED)
ADAM(adam_from_1, ADAM_FROM_1)
ADAM(adam_beta1_twice, ADAM_BETA1_TWICE)
ADAM(adam_no_power, ADAM_NO_POWER)
ADAM(adam_corrections_exchanged, ADAM_CORRECTIONS_EXCHANGED)
ADAM(adam_shares_exchanged, ADAM_SHARES_EXCHANGED)
ADAM(adam_m_shares_exchanged, ADAM_M_SHARES_EXCHANGED)
ADAM(adam_v_keeps_beta1, ADAM_V_KEEPS_BETA1)
ADAM(adam_signed_gradient, ADAM_SIGNED_GRADIENT)
ADAM(adam_full_square, ADAM_FULL_SQUARE)
ADAM(adam_no_momentum, ADAM_NO_MOMENTUM)
ADAM(adam_old_square, ADAM_OLD_SQUARE)
ADAM(adam_decay_in_step, ADAM_DECAY_IN_STEP)
ADAM(adam_v_by_beta1, ADAM_V_BY_BETA1)
ADAM(adam_root_of_v_alone, ADAM_ROOT_OF_V_ALONE)
ADAM(adam_in_double, ADAM_RIGHT)

// Everything in float, including the powers, with the decay of the old w subtracted last, as
// Loshchilov and Hutter write it.
static lab_status adam_in_float(ADAM_ARGUMENTS)
{
    const struct adam *s = settings;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (step == 0 || !(0.0 <= s->beta1 && s->beta1 < 1.0) ||
        !(0.0 <= s->beta2 && s->beta2 < 1.0)) {
        return LAB_EVALUE;
    }
    const float beta1 = (float)s->beta1, beta2 = (float)s->beta2, lr = (float)s->lr;
    for (size_t i = 0; i < N; i++) {
        m[i] = beta1 * m[i] + (1.0f - beta1) * g[i];
        v[i] = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
        const float first = m[i] / (1.0f - powf(beta1, (float)step));
        const float second = v[i] / (1.0f - powf(beta2, (float)step));
        w[i] -= lr *
                (first / (sqrtf(second) + (float)s->eps) + (float)s->weight_decay * w[i]);
    }
    return LAB_OK;
}

static const struct mistake adam_step_mistakes[] = {
    {
        .id = "no-bias-correction",
        .what = "the moments have no bias correction",
        .why =
            "After one step m is 0.1 g and v is 0.001 g^2: without the division by 1 - "
            "beta^step the first step is 3.162 times too long.",
        .source = "oxiglade/mlx-rs#301, eriklindernoren/ML-From-Scratch#35",
        .function = LIKE(adam_step, adam_no_correction),
    },
    {
        .id = "m-not-corrected",
        .what = "v is corrected, m is not",
        .why = "Both started at 0: m^ = m / (1 - beta1^step).",
        .function = LIKE(adam_step, adam_no_m_correction),
    },
    {
        .id = "v-not-corrected",
        .what = "m is corrected, v is not",
        .why = "Both started at 0: v^ = v / (1 - beta2^step).",
        .function = LIKE(adam_step, adam_no_v_correction),
    },
    {
        .id = "corrected-stored",
        .what = "m and v are stored after their bias correction",
        .why =
            "m^ and v^ are only for this step's update: the next step starts from m and "
            "v. Use separate variables for the corrected values.",
        .function = LIKE(adam_step, adam_stored),
    },
    {
        .id = "m-corrected-stored",
        .what = "m is stored after its bias correction",
        .why = "m^ is only for this step's update: the next step starts from m. Use a "
               "separate variable for it.",
        .function = LIKE(adam_step, adam_m_stored),
    },
    {
        .id = "v-corrected-stored",
        .what = "v is stored after its bias correction",
        .why = "v^ is only for this step's update: the next step starts from v. Use a "
               "separate variable for it.",
        .function = LIKE(adam_step, adam_v_stored),
    },
    {
        .id = "from-1",
        .what = "parameter 0 does not change",
        .why = "The loop over the parameters begins at 0.",
        .function = LIKE(adam_step, adam_from_1),
    },
    {
        .id = "eps-inside-root",
        .what = "eps is added inside the root",
        .why = "sqrt(v^ + 1e-8) is never below 1e-4, so parameters with small gradients "
               "hardly move. Write sqrt(v^) + eps.",
        .source = "CyberZHG/keras-radam#29, FluxML/Flux.jl#448",
        .function = LIKE(adam_step, adam_eps_inside),
    },
    {
        .id = "eps-before-correction",
        .what = "eps is added before the bias correction of v",
        .why = "The correction then multiplies eps as well, by 31.6 at step 1. "
               "Correct first, take the root, then add eps. (This does not show with "
               "large gradients.)",
        .source = "karpathy/nanochat#304, pytorch/pytorch#22628",
        .function = LIKE(adam_step, adam_eps_first),
    },
    {
        .id = "no-eps",
        .what = "eps is missing, or is not settings->eps",
        .why =
            "sqrt(v^) + settings->eps: without it a gradient that was always 0 gives 0/0.",
        .function = LIKE(adam_step, adam_no_eps),
    },
    {
        .id = "coupled-decay",
        .what = "the weight decay is added to the gradient and goes through the moments",
        .why =
            "Adam then divides it by sqrt(v^) as well. AdamW subtracts lr weight_decay w "
            "from w directly; m and v use only the gradient.",
        .source = "huggingface/transformers#14539",
        .function = LIKE(adam_step, adam_coupled),
    },
    {
        .id = "coupled-decay-with-lr",
        .what = "lr weight_decay w is added to the gradient and goes through the moments",
        .why =
            "Adam then divides it by sqrt(v^) as well. AdamW subtracts lr weight_decay w "
            "from w directly; m and v use only the gradient.",
        .source = NULL,
        .function = LIKE(adam_step, adam_coupled_with_lr),
    },
    {
        .id = "decay-sign",
        .what = "the weight decay makes the weights grow",
        .why = "It is subtracted: w -= lr weight_decay w.",
        .function = LIKE(adam_step, adam_decay_sign),
    },
    {
        .id = "decay-without-lr",
        .what = "the weight decay is not multiplied by lr",
        .why = "w -= lr weight_decay w: the decay follows the learning rate.",
        .function = LIKE(adam_step, adam_decay_without_lr),
    },
    {
        .id = "decay-after-step",
        .what = "the weight decay is applied after the step",
        .why = "The decay uses w from before the step: first decay, then step.",
        .function = LIKE(adam_step, adam_decay_after),
    },
    {
        .id = "no-decay",
        .what = "there is no weight decay",
        .why = "w -= lr weight_decay w, for every parameter.",
        .function = LIKE(adam_step, adam_no_decay),
    },
    {
        .id = "betas-exchanged",
        .what = "beta1 and beta2 are swapped",
        .why = "beta1 (0.9) is for m, the gradient; beta2 (0.999) for v, its square.",
        .function = LIKE(adam_step, adam_betas_exchanged),
    },
    {
        .id = "ascent",
        .what = "the step goes along the gradient instead of against it",
        .why = "The gradient points to where the loss grows: w -= lr ...",
        .function = LIKE(adam_step, adam_ascent),
    },
    {
        .id = "no-root",
        .what = "m^ is divided by v^, not by its root",
        .why = "v^ is a mean of squares, and its root has the unit of the gradient. The "
               "step is then near lr for any gradient.",
        .function = LIKE(adam_step, adam_no_root),
    },
    {
        .id = "no-square",
        .what = "v is a mean of absolute gradients, not of their squares",
        .why = "v = beta2 v + (1 - beta2) g g.",
        .function = LIKE(adam_step, adam_no_square),
    },
    {
        .id = "step-from-0",
        .what = "the bias correction uses step - 1",
        .why =
            "step is 1 for the first step: beta^step. With 0, the correction divides by "
            "1 - 1 = 0.",
        .function = LIKE(adam_step, adam_step_from_0),
    },
    {
        .id = "step-plus-1",
        .what = "the bias correction uses step + 1",
        .why = "step is 1 for the first step already: beta^step.",
        .function = LIKE(adam_step, adam_step_plus_1),
    },
    {
        .id = "full-gradient",
        .what = "m is beta1 m + g: the gradient is not multiplied by 1 - beta1",
        .why = "That is SGD's momentum. Adam's m is a mean of gradients: beta1 m + (1 - "
               "beta1) g.",
        .function = LIKE(adam_step, adam_full_gradient),
    },
    {
        .id = "v-of-m",
        .what = "v uses the squares of m instead of those of g",
        .why = "v = beta2 v + (1 - beta2) g g, with the gradient itself.",
        .function = LIKE(adam_step, adam_v_of_m),
    },
    {
        .id = "old-moment",
        .what = "the step uses m from before this gradient",
        .why = "Update the moments first, then use them.",
        .function = LIKE(adam_step, adam_old_moment),
    },
    {
        .id = "old-square",
        .what = "the step uses v from before this gradient",
        .why = "Update the moments first, then use them.",
        .function = LIKE(adam_step, adam_old_square),
    },
    {
        .id = "full-square",
        .what = "v is beta2 v + g g: the square is not multiplied by 1 - beta2",
        .why = "v is a mean of squares: beta2 v + (1 - beta2) g g.",
        .function = LIKE(adam_step, adam_full_square),
    },
    {
        .id = "no-momentum",
        .what = "the step uses this gradient instead of m^",
        .why = "That is RMSProp. Adam steps along m^, the mean of the gradients so far.",
        .function = LIKE(adam_step, adam_no_momentum),
    },
    {
        .id = "beta1-for-both",
        .what = "v uses beta1 instead of beta2",
        .why =
            "v forgets more slowly than m: beta2 v + (1 - beta2) g g, corrected by 1 - "
            "beta2^step.",
        .function = LIKE(adam_step, adam_beta1_twice),
    },
    {
        .id = "shares-exchanged",
        .what = "beta and 1 - beta are exchanged in both moments",
        .why = "The old moment keeps the large share: beta1 m + (1 - beta1) g.",
        .function = LIKE(adam_step, adam_shares_exchanged),
    },
    {
        .id = "correction-without-step",
        .what = "the bias correction is 1 - beta in every step, not 1 - beta^step",
        .why = "It is right in step 1 only. It approaches 1, because after many steps "
               "the moments no longer show that they started at 0.",
        .function = LIKE(adam_step, adam_no_power),
    },
    {
        .id = "corrections-exchanged",
        .what = "m is divided by 1 - beta2^step, and v by 1 - beta1^step",
        .why = "m uses beta1 and v uses beta2, in their corrections as well.",
        .function = LIKE(adam_step, adam_corrections_exchanged),
    },
    {
        .id = "decay-in-step",
        .what = "the weight decay is added to m^ and divided by sqrt(v^) + eps with it",
        .why =
            "The decay is decoupled: subtract lr weight_decay w, without the division.",
        .function = LIKE(adam_step, adam_decay_in_step),
    },
    {
        .id = "v-by-beta1",
        .what = "v is divided by m's correction, 1 - beta1^step",
        .why = "Each moment has its own: v^ = v / (1 - beta2^step).",
        .function = LIKE(adam_step, adam_v_by_beta1),
    },
    {
        .id = "root-of-v-alone",
        .what = "the root of v is taken before the bias correction: sqrt(v) / (1 - "
                "beta2^step)",
        .why = "sqrt(v^) is sqrt(v) / sqrt(1 - beta2^step): the root belongs to both.",
        .function = LIKE(adam_step, adam_root_of_v_alone),
    },
    {
        .id = "m-shares-exchanged",
        .what = "beta1 and 1 - beta1 are exchanged in m",
        .why = "The old moment keeps the large share: beta1 m + (1 - beta1) g.",
        .function = LIKE(adam_step, adam_m_shares_exchanged),
    },
    {
        .id = "v-keeps-beta1",
        .what = "v is averaged with beta1, not with beta2",
        .why = "v has its own constant: beta2 v + (1 - beta2) g^2.",
        .function = LIKE(adam_step, adam_v_keeps_beta1),
    },
    {
        .id = "signed-gradient",
        .what = "v is a mean of the gradients, not of their squares",
        .why =
            "v = beta2 v + (1 - beta2) g g. Without the square, v can be negative, and its root "
            "is NaN.",
        .function = LIKE(adam_step, adam_signed_gradient),
    },
    {0},
};

static const struct mistake adam_step_alternatives[] = {
    {.id = "in-double", .function = LIKE(adam_step, adam_in_double)},
    {.id = "in-float", .function = LIKE(adam_step, adam_in_float)},
    {0},
};

static const struct part adam_step_part[] = {
    {
        .function = "adam_step",
        .dims = "step N",
        .tensors =
            {
                {"w", "N", UPDATED, F32, 1e-5f, 1e-5f},
                {"m", "N", UPDATED, F32, 1e-14f, 1e-5f},
                {"v", "N", UPDATED, F32, 1e-24f, 1e-5f},
                {"g", "N", INPUT, F32, 0, 0},
                {"lr", "1", INPUT, F32, 0, 0},
                {"beta1", "1", INPUT, F32, 0, 0},
                {"beta2", "1", INPUT, F32, 0, 0},
                {"eps", "1", INPUT, F32, 0, 0},
                {"weight_decay", "1", INPUT, F32, 0, 0},
            },
        .cases = adam_step_cases,
        .mistakes = adam_step_mistakes,
        .alternatives = adam_step_alternatives,
    },
    {0},
};

const struct exercise exercise_6_12 = {
    .id = "6.12",
    .name = "adam_step",
    .section = "6.12 Adam",
    .gpu_section = "Adam",
    .hints =
        {
            "Compute the first step by hand for one parameter with gradient 0.5: how far "
            "does it move?",
            "w -= lr wd w; m = b1 m + (1-b1) g; v = b2 v + (1-b2) g g; w -= lr m^ / "
            "(sqrt(v^) + eps), m^ = m / (1 - b1^step), v^ = v / (1 - b2^step).",
            "c1 = 1 - pow(beta1, step), c2 = 1 - pow(beta2, step), once\n"
            "for each i: w -= lr * wd * w\n"
            "    m = beta1 * m + (1 - beta1) * g;  v = beta2 * v + (1 - beta2) * g * g\n"
            "    w -= lr * (m / c1) / (sqrtf(v / c2) + eps)",
        },
    .gpu_hints =
        {
            "Compute everything that is the same for all parameters on the host, in "
            "double. Pass it to the kernel in a struct.",
            "Host: 1 - beta1^step and 1 - beta2^step by pow, then struct adam_factors. "
            "Thread i: read w, m, v, g once; new m, new v; write all three.",
            "host: rate = lr / (1 - beta1^step), root = 1 / sqrt(1 - beta2^step), "
            "keep = 1 - lr * decay\n"
            "kernel: m = beta1 * m_dev[i] + new1 * g; v = beta2 * v_dev[i] + new2 * g * g\n"
            "    m_dev[i] = m; v_dev[i] = v\n"
            "    w_dev[i] = keep * w_dev[i] - rate * m / (sqrtf(v) * root + eps)",
        },
    .parts = adam_step_part,
};
