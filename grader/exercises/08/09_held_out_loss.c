// 09_held_out_loss.c - exercise 8.9, held_out_loss, perplexity and bits_per_character: cases, known
// mistakes and hints.

#include "exercises/common/inputs.h"
#include "exercises/common/sampling.h"
#include "exercises/exercise.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"

#include <math.h>

#include "08_language_model/language_model.h"

// ---- held_out_loss ------------------------------------------------------------------------

static void fill_text(struct test_case *test, struct lab_rng *rng)
{
    scale_model_params(test, "params.");
    enlarge_rows(case_f32(test, "params.token_table"), case_dim(test, "V"),
                 case_dim(test, "C"), 0.7f);
    random_tokens(case_size(test, "stream"), case_count(test, "stream"),
                  case_dim(test, "V"), rng);
}

// The model predicts token 0 from token 0 with a loss of about 0.000003, and from token 1 with one of about 80.
// Only the first window has the latter: a sum in float then loses all the others.
static void fill_one_large_loss(struct test_case *test, struct lab_rng *rng)
{
    static const float table[] = {1, 0, 0, 1}, w_out[] = {0, -40, -12.684f, 40};
    (void)rng;
    scale_model_params(test, "params.");
    set_all(test, "params.w_o", 0.0f); // the blocks change nothing
    set_all(test, "params.w_down", 0.0f);
    set_all(test, "params.norm", sqrtf(0.5f)); // a row (1, 0) becomes (1, 0)
    for (size_t i = 0; i < 4; i++) {
        case_f32(test, "params.token_table")[i] = table[i];
        case_f32(test, "params.w_out")[i] = w_out[i];
    }
    for (size_t n = 0; n < case_count(test, "stream"); n++) {
        case_size(test, "stream")[n] = n == 0;
    }
}

static void fill_bad_first(struct test_case *test, struct lab_rng *rng)
{
    fill_text(test, rng);
    case_size(test, "stream")[0] = case_dim(test, "V");
}

static void fill_bad_last(struct test_case *test, struct lab_rng *rng)
{
    fill_text(test, rng);
    case_size(test, "stream")[case_count(test, "stream") - 1] = case_dim(test, "V");
}

// The first token of the second window.
static void fill_bad_middle(struct test_case *test, struct lab_rng *rng)
{
    fill_text(test, rng);
    case_size(test, "stream")[case_dim(test, "T")] = case_dim(test, "V") + 1000;
}

// The tensors of z have room for one sequence, whatever B is.
static const struct case_spec held_out_loss_cases[] = {
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=3 V=5 L=1 N=2 L1=2",
     .fill = fill_text,
     .note = "two tokens: one target"},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=3 V=5 L=1 N=7 L1=2",
     .fill = fill_text,
     .note = "two whole windows"},
    {.dims = "B=1 T=4 C=4 NH=1 hs=4 H=5 V=6 L=1 N=14 L1=2",
     .draws = 2,
     .fill = fill_text,
     .note = "the last window has one target"},
    {.dims = "B=1 T=5 C=4 NH=2 hs=2 H=5 V=7 L=1 N=4 L1=2",
     .fill = fill_text,
     .note = "shorter than a window"},
    {.dims = "B=1 T=5 C=4 NH=2 hs=2 H=5 V=7 L=1 N=5 L1=2",
     .fill = fill_text,
     .note = "a text as long as a window: one target fewer"},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=5 V=4 L=1 N=6 L1=2",
     .fill = fill_text,
     .note = "windows of one token"},
    {.dims = "B=1 T=6 C=8 NH=2 hs=4 H=7 V=5 L=1 N=7 L1=2",
     .fill = fill_text,
     .note = "one whole window"},
    {.dims = "B=3 T=4 C=8 NH=2 hs=4 H=7 V=9 L=2 N=15 L1=3",
     .fill = fill_text,
     .note = "B is 3; the last window has two targets"},
    {.dims = "B=2 T=7 C=8 NH=4 hs=2 H=9 V=11 L=2 N=41 L1=3", .fill = fill_text},
    {.dims = "B=1 T=1 C=8 NH=2 hs=4 H=7 V=5 L=2 N=6 L1=3",
     .fill = fill_text,
     .note = "windows of one token, two blocks"},
    {.dims = "B=1 T=3 C=8 NH=2 hs=4 H=7 V=5 L=2 N=9 L1=3",
     .fill = fill_text,
     .note = "two blocks"},
    {.dims = "B=1 T=3 C=4 NH=1 hs=4 H=7 V=5 L=2 N=9 L1=3",
     .fill = fill_text,
     .note = "one head, two blocks"},
    {.dims = "B=1 T=3 C=8 NH=2 hs=4 H=1 V=5 L=2 N=9 L1=3",
     .fill = fill_text,
     .note = "an MLP of width 1"},
    {.dims = "B=1 T=3 C=8 NH=2 hs=4 H=7 V=1 L=2 N=9 L1=3",
     .fill = fill_text,
     .note = "V is 1"},
    {.dims = "B=1 T=5 C=4 NH=2 hs=2 H=8 V=8 L=2 N=16 L1=3",
     .fill = fill_text,
     .note = "N is 16: three whole windows of 5"},
    {.dims = "B=1 T=16 C=4 NH=2 hs=2 H=8 V=8 L=2 N=33 L1=3",
     .fill = fill_text,
     .note = "N is 33: two whole windows of 16"},
    {.dims = "B=1 T=2 C=4 NH=2 hs=2 H=3 V=5 L=1 N=128 L1=2",
     .fill = fill_text,
     .note = "64 windows"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=9 L1=2",
     .fill = fill_bad_first,
     .note = "the first token is V, which is not below V"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=9 L1=2",
     .fill = fill_bad_last,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=9 L1=2",
     .fill = fill_bad_middle,
     .note = "a token is V + 1000"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=1 L1=2",
     .fill = fill_text,
     .note = "one token: no target"},
    {.dims = "B=1 T=4 C=6 NH=2 hs=3 H=3 V=5 L=1 N=9 L1=2",
     .fill = fill_text,
     .note = "C / NH is odd"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=0 L1=2",
     .fill = fill_text,
     .note = "a size of 0"},
    {.dims = "B=1 T=0 C=4 NH=2 hs=2 H=3 V=5 L=1 N=9 L1=2",
     .fill = fill_text,
     .note = "a size of 0"},
    {.dims = "B=1 T=1 C=2 NH=1 hs=2 H=1 V=2 L=1 N=1025 L1=2",
     .fill = fill_one_large_loss,
     .unit = 0.01f,
     .note = "one loss is near 80, the other 1023 near 0.000003: add up in double"},
    {0},
};

#define HELD_OUT_ARGUMENTS                                                               \
    double *loss, const struct language_activations *z,                                  \
        const struct language_params *params, const size_t *stream, size_t N,            \
        const struct language_shape *shape
#define HELD_OUT_VALUES loss, z, params, stream, N, shape

enum held_out_fault {
    HELD_OUT_RIGHT,
    HELD_OUT_MEAN_OF_MEANS,
    HELD_OUT_LAST_DROPPED,
    HELD_OUT_LAST_LOST,
    HELD_OUT_LAST_MOVED_BACK,
    HELD_OUT_LAST_AS_FULL,
    HELD_OUT_BORDER_LOST,
    HELD_OUT_BORDER_TWICE,
    HELD_OUT_FIRST_OF_WINDOW,
    HELD_OUT_OVER_N,
    HELD_OUT_SUM,
    HELD_OUT_NOT_SHIFTED,
    HELD_OUT_FIRST_WINDOW,
    HELD_OUT_LAST_WINDOW,
    HELD_OUT_SLIDING,
    HELD_OUT_PERPLEXITY,
    HELD_OUT_BITS,
};

// The mean loss of the next `targets` tokens of the stream.
static double window_loss(enum held_out_fault fault, const struct language_activations *z,
                          const struct language_params *params, const size_t *stream,
                          size_t targets, const struct language_shape *shape)
{
    struct language_shape window = *shape;
    window.B = 1;
    window.T = targets;
    float loss;
    must(language_forward(&loss, z, params, stream,
                          stream + (fault == HELD_OUT_NOT_SHIFTED ? 0 : 1), &window));
    return (double)loss;
}

// The distance between the starts of two windows, and the largest number of targets in one.
struct pace {
    size_t step, targets;
};

static struct pace pace_of(enum held_out_fault fault, size_t T)
{
    if (fault == HELD_OUT_BORDER_LOST) {
        return (struct pace){T + 1, T};
    }
    if (fault == HELD_OUT_BORDER_TWICE && T > 1) {
        return (struct pace){T - 1, T};
    }
    if (fault == HELD_OUT_FIRST_OF_WINDOW && T > 1) {
        return (struct pace){T, T - 1};
    }
    return (struct pace){T, T};
}

// Predicts each token from the T tokens before it, or from all if there are fewer.
static double sliding_loss(const struct language_activations *z,
                           const struct language_params *params, const size_t *stream,
                           size_t N, const struct language_shape *shape)
{
    double total = 0.0;
    for (size_t n = 1; n < N; n++) {
        const size_t T = n < shape->T ? n : shape->T;
        const double mean =
            window_loss(HELD_OUT_RIGHT, z, params, stream + n - T, T, shape);
        total += (double)T * mean;
        if (T > 1) { // without its last token
            total -= (double)(T - 1) *
                     window_loss(HELD_OUT_RIGHT, z, params, stream + n - T, T - 1, shape);
        }
    }
    return total / (double)(N - 1);
}

static double loss_with(enum held_out_fault fault, const struct language_activations *z,
                        const struct language_params *params, const size_t *stream,
                        size_t N, const struct language_shape *shape)
{
    const struct pace pace = pace_of(fault, shape->T);
    double total = 0.0, means = 0.0, mean = 0.0, first_mean = 0.0;
    size_t counted = 0, windows = 0;
    for (size_t first = 0; first + 1 < N; first += pace.step) {
        const size_t left = N - 1 - first;
        size_t targets = left < pace.targets ? left : pace.targets, from = first;
        const bool is_short = left < pace.targets && first > 0;
        if (is_short && (fault == HELD_OUT_LAST_DROPPED || fault == HELD_OUT_LAST_LOST)) {
            break;
        }
        if (is_short && fault == HELD_OUT_LAST_MOVED_BACK) {
            targets = pace.targets;
            from = N - 1 - targets;
        }
        mean = window_loss(fault, z, params, stream + from, targets, shape);
        first_mean = windows == 0 ? mean : first_mean;
        total += mean * (double)(fault == HELD_OUT_LAST_AS_FULL ? shape->T : targets);
        means += mean;
        counted += targets;
        windows++;
    }
    switch (fault) {
    case HELD_OUT_MEAN_OF_MEANS:
        return means / (double)windows;
    case HELD_OUT_LAST_LOST:
        return total / (double)(N - 1);
    case HELD_OUT_OVER_N:
        return total / (double)N;
    case HELD_OUT_SUM:
        return total;
    case HELD_OUT_FIRST_WINDOW:
        return first_mean;
    case HELD_OUT_LAST_WINDOW:
        return mean;
    case HELD_OUT_PERPLEXITY:
        return exp(total / (double)counted);
    case HELD_OUT_BITS:
        return total / (double)counted / log(2.0);
    default:
        return total / (double)counted;
    }
}

static lab_status held_out_with(enum held_out_fault fault, HELD_OUT_ARGUMENTS)
{
    lab_status status = language_shape_check(shape);
    if (status != LAB_OK || N < 2) {
        return status != LAB_OK ? status : LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        if (stream[n] >= shape->V) {
            return LAB_EVALUE;
        }
    }
    *loss = fault == HELD_OUT_SLIDING ? sliding_loss(z, params, stream, N, shape)
                                      : loss_with(fault, z, params, stream, N, shape);
    return LAB_OK;
}

#define HELD_OUT(name, fault)                                                            \
    static lab_status name(HELD_OUT_ARGUMENTS)                                           \
    {                                                                                    \
        return held_out_with(fault, HELD_OUT_VALUES);                                    \
    }

HELD_OUT(held_out_mean_of_means, HELD_OUT_MEAN_OF_MEANS)
HELD_OUT(held_out_last_dropped, HELD_OUT_LAST_DROPPED)
HELD_OUT(held_out_last_lost, HELD_OUT_LAST_LOST)
HELD_OUT(held_out_last_moved_back, HELD_OUT_LAST_MOVED_BACK)
HELD_OUT(held_out_last_as_full, HELD_OUT_LAST_AS_FULL)
HELD_OUT(held_out_border_lost, HELD_OUT_BORDER_LOST)
HELD_OUT(held_out_border_twice, HELD_OUT_BORDER_TWICE)
HELD_OUT(held_out_first_of_window, HELD_OUT_FIRST_OF_WINDOW)
HELD_OUT(held_out_over_N, HELD_OUT_OVER_N)
HELD_OUT(held_out_sum, HELD_OUT_SUM)
HELD_OUT(held_out_not_shifted, HELD_OUT_NOT_SHIFTED)
HELD_OUT(held_out_first_window, HELD_OUT_FIRST_WINDOW)
HELD_OUT(held_out_last_window, HELD_OUT_LAST_WINDOW)
HELD_OUT(held_out_sliding, HELD_OUT_SLIDING)
HELD_OUT(held_out_perplexity, HELD_OUT_PERPLEXITY)
HELD_OUT(held_out_bits, HELD_OUT_BITS)
HELD_OUT(held_out_by_pieces, HELD_OUT_RIGHT)

#define ONCE                                                                             \
    "Every token but the first of the text is a target once, and each counts the same: " \
    "add up each window's mean times its targets, and divide by N - 1."

static const struct mistake held_out_loss_mistakes[] = {
    {
        .id = "mean-of-means",
        .what = "the result is the mean of the window means",
        .why = "A short last window then counts as much as a full one. " ONCE,
        .source = "axolotl-ai-cloud/axolotl#3988, keras-team/keras-hub#2958, "
                  "macournoyer/neuralconvo#67",
        .function = LIKE(held_out_loss, held_out_mean_of_means),
    },
    {
        .id = "last-window-dropped",
        .what = "the last window is left out if it is shorter",
        .why = "Its tokens count, too: give language_forward a smaller T. " ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_last_dropped),
    },
    {
        .id = "last-window-lost",
        .what = "the last window, if shorter, is counted but its loss is not added",
        .why = "Give language_forward a smaller T for it. " ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_last_lost),
    },
    {
        .id = "last-window-moved-back",
        .what = "the last window is moved back so that it is full",
        .why = "Some tokens then count twice. Give language_forward a smaller T for the "
               "last window. " ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_last_moved_back),
    },
    {
        .id = "last-window-as-full",
        .what = "the mean of a shorter window counts as T targets",
        .why = "Multiply each window's mean by its own number of targets. " ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_last_as_full),
    },
    {
        .id = "token-lost-at-borders",
        .what = "one token between two windows is never a target",
        .why =
            "The windows begin T apart, not T + 1: the last target of one is the first "
            "token of the next.",
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_border_lost),
    },
    {
        .id = "token-twice-at-borders",
        .what = "one token at each border is a target twice",
        .why =
            "The windows begin T apart, not T - 1: the last target of one is the first "
            "token of the next.",
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_border_twice),
    },
    {
        .id = "targets-inside-windows",
        .what = "each window has only T - 1 targets: those inside it",
        .why =
            "The last token of a window has a target, too: the first token of the next "
            "window. " ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_first_of_window),
    },
    {
        .id = "over-N",
        .what = "the sum is divided by N, not by N - 1",
        .why = "The first token of the text is not a target, so there are N - 1 targets.",
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_over_N),
    },
    {
        .id = "sum-for-mean",
        .what = "the result is the sum, not the mean",
        .why = ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_sum),
    },
    {
        .id = "not-shifted",
        .what = "the targets are the tokens themselves",
        .why = "The targets are stream + 1: the target of each token is the next one.",
        .source = "Project-MONAI/GenerativeModels#314",
        .function = LIKE(held_out_loss, held_out_not_shifted),
    },
    {
        .id = "first-window-alone",
        .what = "the result is the loss of the first window",
        .why = ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_first_window),
    },
    {
        .id = "last-window-alone",
        .what = "the result is the loss of the last window",
        .why = "= replaces the sum with the newest window's; += adds to it. " ONCE,
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_last_window),
    },
    {
        .id = "sliding",
        .what = "each token is predicted from the T tokens before it",
        .why =
            "That is more precise but T times the work. Here the windows do not overlap, "
            "so the first token of a window has no context.",
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_sliding),
        .convention = true,
    },
    {
        .id = "perplexity",
        .what = "the result is the perplexity",
        .why = "Return the loss in natural-log units; perplexity is a separate function.",
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_perplexity),
    },
    {
        .id = "bits",
        .what = "the result is in bits",
        .why = "Return the loss in natural-log units; bits_per_character is a separate "
               "function.",
        .source = NULL,
        .function = LIKE(held_out_loss, held_out_bits),
    },
    {0},
};

// From the last window to the first, with the model whose sums are in double.
static lab_status held_out_backwards(HELD_OUT_ARGUMENTS)
{
    LAB_TRY(held_out_loss(HELD_OUT_VALUES)); // its checks
    struct language_shape window = *shape;
    window.B = 1;
    float total = 0.0f;
    for (size_t end = N - 1; end > 0; end -= window.T) {
        float mean;
        window.T = (end - 1) % shape->T + 1;
        must(language_forward_in_double(&mean, z, params, stream + end - window.T,
                                        stream + end - window.T + 1, &window));
        total += mean * (float)window.T / (float)(N - 1);
    }
    *loss = (double)total;
    return LAB_OK;
}

static const struct mistake held_out_loss_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(held_out_loss, held_out_by_pieces)},
    {.id = "backwards", .function = LIKE(held_out_loss, held_out_backwards)},
    {0},
};

// ---- perplexity and bits ------------------------------------------------------------------

#define LOSS(name, value)                                                                \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        (void)rng;                                                                       \
        *case_f32(test, "loss") = value;                                                 \
    }

LOSS(loss_0, 0.0f)
LOSS(loss_1, 1.0f)
LOSS(loss_log_2, 0.69314718f)
LOSS(loss_log_65, 4.1743873f)
LOSS(loss_small, 0.0625f)
LOSS(loss_60, 60.0f)
LOSS(loss_infinite, INFINITY)
LOSS(loss_negative, -1.0f)
LOSS(loss_just_negative, -1e-9f)
LOSS(loss_nan, NAN)

static void loss_drawn(struct test_case *test, struct lab_rng *rng)
{
    *case_f32(test, "loss") = (float)(0.2 + 5.0 * uniform(rng));
}

static const struct case_spec loss_cases[] = {
    {.dims = "", .fill = loss_1, .note = "a loss of 1"},
    {.dims = "", .fill = loss_0, .note = "a loss of 0"},
    {.dims = "", .fill = loss_log_2, .note = "a loss of log 2"},
    {.dims = "", .fill = loss_log_65, .note = "a loss of log 65"},
    {.dims = "", .fill = loss_small, .note = "a loss of 0.0625"},
    {.dims = "", .fill = loss_60, .note = "a loss of 60"},
    {.dims = "", .draws = 4, .fill = loss_drawn},
    {.dims = "",
     .fill = loss_infinite,
     .note = "an infinite loss: the model gave a token probability 0"},
    {.dims = "", .fill = loss_negative, .note = "a negative loss"},
    {.dims = "", .fill = loss_just_negative, .note = "a loss just below 0"},
    {.dims = "", .fill = loss_nan, .note = "a loss that is NaN"},
    {0},
};

// OF_LOSS(name, value): an expression of loss.
#define OF_LOSS(name, value)                                                             \
    static lab_status name(double *result, double loss)                                  \
    {                                                                                    \
        if (!(loss >= 0)) {                                                              \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        *result = value;                                                                 \
        return LAB_OK;                                                                   \
    }

OF_LOSS(power_of_2, exp2(loss))
OF_LOSS(power_of_10, pow(10.0, loss))
OF_LOSS(exp_of_minus, exp(-loss))
OF_LOSS(exp_of_bits, exp(loss / log(2.0)))
OF_LOSS(loss_itself, loss)
OF_LOSS(bits_times_log, loss *log(2.0))
OF_LOSS(bits_over_log10, loss / log10(2.0))
OF_LOSS(bits_by_log2, log2(loss))
OF_LOSS(bits_times_log2_e_squared, loss / log(2.0) / log(2.0))
OF_LOSS(bits_per_2, loss / 2.0)
OF_LOSS(bits_of_perplexity, exp(loss) / log(2.0))
OF_LOSS(perplexity_in_float, (double)expf((float)loss))
OF_LOSS(bits_in_float, (double)((float)loss * 1.44269504f))
OF_LOSS(bits_by_perplexity, log2(exp(loss)))

static const struct mistake perplexity_mistakes[] = {
    {
        .id = "power-of-2",
        .what = "this is 2 to the power of the loss",
        .why = "The loss is in natural-log units, so the base is e: exp(loss). Base 2 "
               "belongs to a loss in bits.",
        .source = NULL,
        .function = LIKE(perplexity, power_of_2),
    },
    {
        .id = "power-of-10",
        .what = "this is 10 to the power of the loss",
        .why = "The loss is in natural-log units, so the base is e: exp(loss).",
        .source = NULL,
        .function = LIKE(perplexity, power_of_10),
    },
    {
        .id = "minus",
        .what = "this is exp(-loss)",
        .why = "That is the geometric mean of the targets' probabilities. The number "
               "of equally likely choices is its reciprocal, exp(loss).",
        .source = NULL,
        .function = LIKE(perplexity, exp_of_minus),
    },
    {
        .id = "of-bits",
        .what = "this is e to the power of the loss in bits",
        .why = "The perplexity is exp(loss), or 2 to the power of the loss in bits.",
        .source = NULL,
        .function = LIKE(perplexity, exp_of_bits),
    },
    {
        .id = "loss-itself",
        .what = "this is the loss itself",
        .why = "The perplexity is exp(loss).",
        .source = NULL,
        .function = LIKE(perplexity, loss_itself),
    },
    {0},
};

static const struct mistake bits_mistakes[] = {
    {
        .id = "multiplied",
        .what = "the loss is multiplied by log 2",
        .why = "One natural-log unit is 1 / log 2 = 1.4427 bits, so divide by log 2.",
        .source = NULL,
        .function = LIKE(bits_per_character, bits_times_log),
    },
    {
        .id = "log10",
        .what = "the loss is divided by log10(2)",
        .why =
            "The loss is in natural-log units: log(2) = 0.6931, not log10(2) = 0.3010.",
        .source = NULL,
        .function = LIKE(bits_per_character, bits_over_log10),
    },
    {
        .id = "log2-of-loss",
        .what = "this is the logarithm of the loss",
        .why = "The loss is a logarithm already. Only its base changes: loss / log(2).",
        .source = NULL,
        .function = LIKE(bits_per_character, bits_by_log2),
    },
    {
        .id = "divided-twice",
        .what = "the loss is divided by log 2 twice",
        .why = "Divide only once: bits = loss / log(2).",
        .source = NULL,
        .function = LIKE(bits_per_character, bits_times_log2_e_squared),
    },
    {
        .id = "over-2",
        .what = "the loss is divided by 2",
        .why = "Divide by log(2) = 0.6931.",
        .source = NULL,
        .function = LIKE(bits_per_character, bits_per_2),
    },
    {
        .id = "of-perplexity",
        .what = "the perplexity is divided by log 2, not the loss",
        .why = "bits = loss / log(2), or log2(perplexity).",
        .source = NULL,
        .function = LIKE(bits_per_character, bits_of_perplexity),
    },
    {
        .id = "loss-itself",
        .what = "this is the loss itself",
        .why = "The loss is in natural-log units. In bits it is loss / log(2).",
        .source = NULL,
        .function = LIKE(bits_per_character, loss_itself),
    },
    {0},
};

static const struct mistake perplexity_alternatives[] = {
    {.id = "in-float", .function = LIKE(perplexity, perplexity_in_float)},
    {0},
};

static const struct mistake bits_alternatives[] = {
    {.id = "in-float", .function = LIKE(bits_per_character, bits_in_float)},
    {.id = "by-perplexity", .function = LIKE(bits_per_character, bits_by_perplexity)},
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part held_out_part[] = {
    {
        .function = "held_out_loss",
        .dims = MODEL_DIMS " N L1",
        .tensors =
            {
                {"loss", "1", OUTPUT, F32, 4e-6f, 4e-6f},
                ACTIVATION_TENSORS("", WORKSPACE, WORKSPACE, 0, 0),
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"stream", "N", INPUT, SIZE, 0, 0},
            },
        .cases = held_out_loss_cases,
        .mistakes = held_out_loss_mistakes,
        .alternatives = held_out_loss_alternatives,
    },
    {
        .function = "perplexity",
        .dims = "",
        .tensors =
            {
                {"perplexity", "1", OUTPUT, F32, 2e-6f, 2e-6f},
                {"loss", "1", INPUT, F32, 0, 0},
            },
        .cases = loss_cases,
        .mistakes = perplexity_mistakes,
        .alternatives = perplexity_alternatives,
    },
    {
        .function = "bits_per_character",
        .dims = "",
        .tensors =
            {
                {"bits", "1", OUTPUT, F32, 2e-6f, 2e-6f},
                {"loss", "1", INPUT, F32, 0, 0},
            },
        .cases = loss_cases,
        .mistakes = bits_mistakes,
        .alternatives = bits_alternatives,
    },
    {0},
};

const struct exercise exercise_8_9 = {
    .id = "8.9",
    .name = "held_out_loss, perplexity and bits_per_character",
    .section = "8.9 Held-out loss and perplexity",
    .uses = {"8.7"},
    .hints =
        {
            "Cut a text with N = 8 and T = 3 on paper. Which tokens are the targets of "
            "each window, and is each of the last seven tokens a target exactly once?",
            "The windows begin at 0, T, 2T, ... A window has min(T, N - 1 - first) "
            "targets: set T of a copy of the shape to this number, and B to 1. loss = "
            "sum of mean * targets, divided by N - 1, in double. perplexity = "
            "exp(loss), bits = loss / log(2).",
            "window = *shape; window.B = 1; total = 0\n"
            "for (first = 0; first + 1 < N; first += shape->T)\n"
            "    window.T = min(shape->T, N - 1 - first)\n"
            "    language_forward(&mean, z, params, stream + first, stream + first + 1,"
            " &window)\n"
            "    total += (double)mean * window.T\n"
            "*loss = total / (N - 1)",
        },
    .parts = held_out_part,
};
