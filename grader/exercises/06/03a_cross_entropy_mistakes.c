// 03a_cross_entropy_mistakes.c - exercise 6.3: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/06/03_cross_entropy.h"
#include "exercises/06/shared.h"

#include <math.h>

#include "06_copy_task/copy_task.h"

// One row for the mistakes below: its logits, its probabilities and its loss.
struct loss_row {
    const float *logits, *p;
    float max, sum; // of exp(logit - max)
    size_t target, V;
    double cost; // log sum - (logit[target] - max)
};

// LOSS(name, of_row, of_all): a cross_entropy in which of_row(row) is the loss of a row and
// of_all, an expression of total, N and V, is the result. The probabilities are correct.
#define LOSS(name, of_row, of_all)                                                       \
    static lab_status name(float *loss, float *probabilities, const float *logits,       \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);   \
        if (status != LAB_OK) {                                                          \
            return status;                                                               \
        }                                                                                \
        double total = 0.0;                                                              \
        for (size_t n = 0; n < N; n++) {                                                 \
            const struct loss_row row =                                                  \
                look_at_row(probabilities + n * V, logits + n * V, targets[n], V);       \
            total += of_row;                                                             \
        }                                                                                \
        *loss = (float)(of_all);                                                         \
        return LAB_OK;                                                                   \
    }

static struct loss_row look_at_row(const float *p, const float *logits, size_t target,
                                   size_t V)
{
    struct loss_row row = {.logits = logits, .p = p, .target = target, .V = V};
    row.max = logits[0];
    for (size_t i = 1; i < V; i++) {
        row.max = fmaxf(row.max, logits[i]);
    }
    for (size_t i = 0; i < V; i++) {
        row.sum += expf(logits[i] - row.max);
    }
    row.cost = log(row.sum) - ((double)logits[target] - row.max);
    return row;
}

// The loss of a row whose probabilities are used as logits.
static double cost_of_softmax_again(const struct loss_row *row)
{
    double sum = 0.0;
    for (size_t i = 0; i < row->V; i++) {
        sum += exp((double)row->p[i]);
    }
    return log(sum) - (double)row->p[row->target];
}

LOSS(loss_16_bits,
     log(row.sum) - ((double)logits[n * V + (uint16_t)targets[n]] - row.max),
     total / (double)N)
LOSS(loss_logit_of_row_0, log(row.sum) - ((double)logits[targets[n]] - row.max),
     total / (double)N)
LOSS(loss_sum, row.cost, total)
LOSS(loss_over_V, row.cost, total / (double)V)
LOSS(loss_over_NV, row.cost, total / (double)(N * V))
LOSS(loss_over_N_minus_1, row.cost, total / ((double)N - 1.0))
LOSS(loss_positive_sign, row.cost, -total / (double)N)
LOSS(loss_base_2, row.cost, total / (double)N / log(2.0))
LOSS(loss_softmax_twice, cost_of_softmax_again(&row), total / (double)N)
LOSS(loss_no_log_sum, -((double)row.logits[row.target] - row.max), total / (double)N)
LOSS(loss_maximum_lost, log(row.sum) - (double)logits[n * V + targets[n]],
     total / (double)N)
LOSS(loss_maximum_subtracted,
     log(row.sum) - (double)logits[n * V + targets[n]] - (double)row.max,
     total / (double)N)
LOSS(loss_of_probability, -logf(row.p[row.target]), total / (double)N)
LOSS(loss_clamped, -logf(row.p[row.target] + 1e-10f), total / (double)N)
LOSS(loss_clamped_at_1e8, -log((double)row.p[row.target] + 1e-8), total / (double)N)
LOSS(loss_clamped_at_1e9, -log((double)row.p[row.target] + 1e-9), total / (double)N)
LOSS(loss_clamped_at_1e12, -log((double)row.p[row.target] + 1e-12), total / (double)N)
LOSS(loss_one_minus_p, 1.0 - (double)row.p[row.target], total / (double)N)
LOSS(loss_rows_from_1, n == 0 ? 0.0 : row.cost, total / (double)N)
LOSS(loss_in_float, logf(row.sum) - (row.logits[row.target] - row.max), total / (double)N)

static lab_status loss_last_row(float *loss, float *probabilities, const float *logits,
                                const size_t *targets, size_t N, size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    const size_t n = N - 1;
    const struct loss_row row =
        look_at_row(probabilities + n * V, logits + n * V, targets[n], V);
    *loss = (float)(row.cost / (double)N);
    return LAB_OK;
}

// Row n uses the target of row n + 1; the last row is left out.
static lab_status loss_shifted(float *loss, float *probabilities, const float *logits,
                               const size_t *targets, size_t N, size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n + 1 < N; n++) {
        total +=
            look_at_row(probabilities + n * V, logits + n * V, targets[n + 1], V).cost;
    }
    *loss = (float)(total / (double)(N - 1));
    return LAB_OK;
}

// Subtracts the larger of start and the largest logit instead of the maximum; if fixed, start.
static lab_status loss_with_maximum_from(float start, bool fixed, float *loss,
                                         float *probabilities, const float *logits,
                                         const size_t *targets, size_t N, size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        float max = start, sum = 0.0f;
        for (size_t i = 0; i < V && !fixed; i++) {
            max = fmaxf(max, logits[n * V + i]);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(logits[n * V + i] - max);
            sum += probabilities[n * V + i];
        }
        multiply(probabilities + n * V, 1.0f / sum, V);
        total += logf(sum) - (logits[n * V + targets[n]] - max);
    }
    *loss = total / (float)N;
    return LAB_OK;
}

static lab_status loss_no_max(float *loss, float *probabilities, const float *logits,
                              const size_t *targets, size_t N, size_t V)
{
    return loss_with_maximum_from(0.0f, true, loss, probabilities, logits, targets, N, V);
}

static lab_status loss_max_from_zero(float *loss, float *probabilities,
                                     const float *logits, const size_t *targets, size_t N,
                                     size_t V)
{
    return loss_with_maximum_from(0.0f, false, loss, probabilities, logits, targets, N,
                                  V);
}

static lab_status loss_max_from_minus_1000(float *loss, float *probabilities,
                                           const float *logits, const size_t *targets,
                                           size_t N, size_t V)
{
    return loss_with_maximum_from(-1000.0f, false, loss, probabilities, logits, targets,
                                  N, V);
}

static lab_status loss_max_from_minus_1e9(float *loss, float *probabilities,
                                          const float *logits, const size_t *targets,
                                          size_t N, size_t V)
{
    return loss_with_maximum_from(-1e9f, false, loss, probabilities, logits, targets, N,
                                  V);
}

// The maximum begins with the first logit of all rows.
static lab_status loss_max_of_row_0(float *loss, float *probabilities,
                                    const float *logits, const size_t *targets, size_t N,
                                    size_t V)
{
    const float start = N > 0 && V > 0 ? logits[0] : 0.0f;
    return loss_with_maximum_from(start, false, loss, probabilities, logits, targets, N,
                                  V);
}

// A row's sum goes on from that of the row before.
static lab_status loss_sum_not_reset(float *loss, float *probabilities,
                                     const float *logits, const size_t *targets, size_t N,
                                     size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0, sum = 0.0;
    for (size_t n = 0; n < N; n++) {
        const struct loss_row row =
            look_at_row(probabilities + n * V, logits + n * V, targets[n], V);
        sum += (double)row.sum;
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] =
                (float)(exp((double)row.logits[i] - row.max) / sum);
        }
        total += log(sum) - ((double)row.logits[row.target] - row.max);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

// Without the maximum, as in most first attempts: the loss is computed from the rounded
// probability.
static lab_status loss_no_max_of_probability(float *loss, float *probabilities,
                                             const float *logits, const size_t *targets,
                                             size_t N, size_t V)
{
    LAB_TRY(loss_no_max(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        total -= (double)logf(probabilities[n * V + targets[n]]);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

// In double exp overflows only above 709.
static lab_status loss_no_max_in_double(float *loss, float *probabilities,
                                        const float *logits, const size_t *targets,
                                        size_t N, size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        double sum = 0.0;
        for (size_t i = 0; i < V; i++) {
            sum += exp((double)logits[n * V + i]);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = (float)(exp((double)logits[n * V + i]) / sum);
        }
        total += log(sum) - (double)logits[n * V + targets[n]];
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

// Wrong sums of exponentials: kept in an int, without the first logit, or of the last logit
// alone.
enum sum_fault { WHOLE_SUM, FROM_LOGIT_1, LAST_LOGIT };

static lab_status loss_with_sum(enum sum_fault fault, float *loss, float *probabilities,
                                const float *logits, const size_t *targets, size_t N,
                                size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        const float max = look_at_row(probabilities + n * V, logits_n, targets[n], V).max;
        float sum = 0.0f;
        for (size_t i = fault == FROM_LOGIT_1; i < V; i++) {
            const float e = expf(logits_n[i] - max);
            sum = fault == LAST_LOGIT ? e : sum + e;
            sum = fault == WHOLE_SUM ? truncf(sum) : sum;
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(logits_n[i] - max) / sum;
        }
        total += (double)(logf(sum) - (logits_n[targets[n]] - max));
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

static lab_status loss_int_sum(float *loss, float *probabilities, const float *logits,
                               const size_t *targets, size_t N, size_t V)
{
    return loss_with_sum(WHOLE_SUM, loss, probabilities, logits, targets, N, V);
}

static lab_status loss_sum_from_1(float *loss, float *probabilities, const float *logits,
                                  const size_t *targets, size_t N, size_t V)
{
    return loss_with_sum(FROM_LOGIT_1, loss, probabilities, logits, targets, N, V);
}

static lab_status loss_sum_is_last(float *loss, float *probabilities, const float *logits,
                                   const size_t *targets, size_t N, size_t V)
{
    return loss_with_sum(LAST_LOGIT, loss, probabilities, logits, targets, N, V);
}

// On a GPU: only 16 neighboring lanes of a warp share their maximum and their sum. Lane 0 writes the loss.
static lab_status loss_half_warp(float *loss, float *probabilities, const float *logits,
                                 const size_t *targets, size_t N, size_t V)
{
    enum { HALF = LANES / 2 };
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        float *p = probabilities + n * V;
        float max[2] = {-INFINITY, -INFINITY}, sum[2] = {0.0f, 0.0f};
        for (size_t i = 0; i < V; i++) {
            float *mine = &max[i % LANES / HALF];
            *mine = fmaxf(*mine, logits_n[i]);
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(logits_n[i] - max[i % LANES / HALF]);
            sum[i % LANES / HALF] += p[i];
        }
        for (size_t i = 0; i < V; i++) {
            p[i] /= sum[i % LANES / HALF];
        }
        total += (double)(logf(sum[0]) - (logits_n[targets[n]] - max[0]));
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

// On a GPU: each of 256 threads adds only one row's loss.
static lab_status loss_of_first_rows(float *loss, float *probabilities,
                                     const float *logits, const size_t *targets, size_t N,
                                     size_t V)
{
    enum { THREADS = 256 };
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n < N && n < THREADS; n++) {
        total += look_at_row(probabilities + n * V, logits + n * V, targets[n], V).cost;
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

// On a GPU: each of 32 lanes looks at only one logit for the maximum, or for the sum; or keeps its own.
enum sharing { MAX_OF_FIRST, SUM_OF_FIRST, OWN_MAX, OWN_SUM };

static lab_status loss_sharing(enum sharing fault, float *loss, float *probabilities,
                               const float *logits, const size_t *targets, size_t N,
                               size_t V)
{
    LAB_TRY(cross_entropy(loss, probabilities, logits, targets, N, V));
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        float *p = probabilities + n * V, max[LANES], sum[LANES], all = 0.0f;
        float row_max = -INFINITY;
        for (size_t i = 0; i < LANES; i++) {
            max[i] = -INFINITY;
            sum[i] = 0.0f;
        }
        for (size_t i = 0; i < V; i++) {
            max[i % LANES] = fmaxf(max[i % LANES], logits_n[i]);
            row_max = i < LANES || fault != MAX_OF_FIRST ? fmaxf(row_max, logits_n[i])
                                                         : row_max;
        }
        for (size_t i = 0; i < V; i++) {
            p[i] = expf(logits_n[i] - (fault == OWN_MAX ? max[i % LANES] : row_max));
            sum[i % LANES] += p[i];
            all += i < LANES || fault != SUM_OF_FIRST ? p[i] : 0.0f;
        }
        for (size_t i = 0; i < V; i++) {
            p[i] /= fault == OWN_SUM ? sum[i % LANES] : all;
        }
        total += (double)(logf(fault == OWN_SUM ? sum[0] : all) -
                          (logits_n[targets[n]] - (fault == OWN_MAX ? max[0] : row_max)));
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

#define SHARING(name, fault)                                                             \
    static lab_status name(float *loss, float *probabilities, const float *logits,       \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        return loss_sharing(fault, loss, probabilities, logits, targets, N, V);          \
    }
SHARING(loss_max_of_first, MAX_OF_FIRST)
SHARING(loss_sum_of_first, SUM_OF_FIRST)
SHARING(loss_own_max, OWN_MAX)
SHARING(loss_own_sum, OWN_SUM)

static lab_status loss_nan_hidden(float *loss, float *probabilities, const float *logits,
                                  const size_t *targets, size_t N, size_t V)
{
    lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);
    if (status == LAB_OK && isnan(*loss)) {
        *loss = 0.0f;
    }
    return status;
}

// PROBABILITIES(name, value): the loss is correct; value, an expression of row, gives the
// probabilities.
#define PROBABILITIES(name, value)                                                       \
    static lab_status name(float *loss, float *probabilities, const float *logits,       \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);   \
        for (size_t n = 0; status == LAB_OK && n < N; n++) {                             \
            const struct loss_row row =                                                  \
                look_at_row(probabilities + n * V, logits + n * V, targets[n], V);       \
            for (size_t i = 0; i < V; i++) {                                             \
                probabilities[n * V + i] = value;                                        \
            }                                                                            \
        }                                                                                \
        return status;                                                                   \
    }

PROBABILITIES(loss_unnormalized, expf(row.logits[i] - row.max))
PROBABILITIES(loss_log_probabilities, row.logits[i] - row.max - logf(row.sum))
PROBABILITIES(loss_in_double, (float)(exp((double)row.logits[i] - row.max) / row.sum))

#define LOOP_OF_LOGITS                                                                   \
    "A row may have more logits than the warp has lanes: lane l handles logits l, "      \
    "l + 32, ... in a loop."
#define MAXIMUM_IN_BOTH                                                                  \
    "The sum adds up exp(logit - max), so the target's logit needs the same shift: "     \
    "cost = log sum - (logit[target] - max)."

const struct mistake cross_entropy_mistakes[] = {
    {
        .id = "sum",
        .what = "the loss is the sum over all rows, not their mean",
        .why = "Divide by N. A sum grows with the batch, so each batch size would need a "
               "different learning rate.",
        .source = "huggingface/transformers#34510",
        .function = LIKE(cross_entropy, loss_sum),
    },
    {
        .id = "divided-by-V",
        .what = "the sum over the rows is divided by V",
        .why = "It is a mean over rows, and there are N rows, whatever the vocabulary.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy, loss_over_V),
    },
    {
        .id = "divided-by-NV",
        .what = "the sum over the rows is divided by N V",
        .why = "The sum has one term per row, N in all: divide by N.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy, loss_over_NV),
    },
    {
        .id = "divided-by-N-1",
        .what = "the sum over the rows is divided by N - 1",
        .why = "Nothing is shifted here, and every row has a target: divide by N.",
        .source = "huggingface/transformers#34510",
        .function = LIKE(cross_entropy, loss_over_N_minus_1),
    },
    {
        .id = "sign",
        .what = "the loss has the wrong sign",
        .why = "log p is negative; the loss is -log p of the target, 0 at best.",
        .function = LIKE(cross_entropy, loss_positive_sign),
    },
    {
        .id = "base-2",
        .what = "the loss is in bits: the logarithm is to base 2",
        .why = "Use log instead of log2. This lab, like PyTorch, uses natural-log units: "
               "uniform guessing among 10 costs log 10 = 2.3026.",
        .function = LIKE(cross_entropy, loss_base_2),
        .convention = true,
    },
    {
        .id = "softmax-twice",
        .what = "the softmax is taken twice: the probabilities are treated as logits",
        .why =
            "Probabilities lie between 0 and 1, so their softmax is nearly uniform and "
            "the loss cannot come near 0. Compute the loss from the logits.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(cross_entropy, loss_softmax_twice),
    },
    {
        .id = "no-log-sum",
        .what = "the logarithm of the sum is missing",
        .why =
            "log p = (logit - max) - log sum. Without the sum this is the logarithm of "
            "the undivided exponential.",
        .function = LIKE(cross_entropy, loss_no_log_sum),
    },
    {
        .id = "log-of-probability",
        .what = "the loss is the logarithm of the rounded probability, and infinite when "
                "that is 0",
        .why =
            "In float, exp of less than -104 is 0, and -log 0 is infinite. Use log sum - "
            "(logit - max), which needs only the logits.",
        .source = "deeplearning4j/deeplearning4j#785",
        .function = LIKE(cross_entropy, loss_of_probability),
    },
    {
        .id = "clamped",
        .what =
            "a small number is added to the probability, and the loss cannot exceed 23",
        .why =
            "-log(p + 1e-10) is no more than 23.03, and its gradient vanishes where the "
            "model is most wrong. Use log sum - (logit - max), which needs no guard.",
        .source = "chainer/chainer#584",
        .function = LIKE(cross_entropy, loss_clamped),
    },
    {
        .id = "clamped-at-1e-8",
        .what =
            "a small number is added to the probability, and the loss cannot exceed 18.4",
        .why =
            "-log(p + 1e-8) has a largest value, and its gradient vanishes where the model is most "
            "wrong. Use log sum - (logit - max), which needs no guard.",
        .source = "chainer/chainer#584",
        .function = LIKE(cross_entropy, loss_clamped_at_1e8),
    },
    {
        .id = "clamped-at-1e-9",
        .what =
            "a small number is added to the probability, and the loss cannot exceed 20.7",
        .why =
            "-log(p + 1e-9) has a largest value, and its gradient vanishes where the model is most "
            "wrong. Use log sum - (logit - max), which needs no guard.",
        .source = "chainer/chainer#584",
        .function = LIKE(cross_entropy, loss_clamped_at_1e9),
    },
    {
        .id = "clamped-at-1e-12",
        .what =
            "a small number is added to the probability, and the loss cannot exceed 27.6",
        .why =
            "-log(p + 1e-12) has a largest value, and its gradient vanishes where the model is most "
            "wrong. Use log sum - (logit - max), which needs no guard.",
        .source = "chainer/chainer#584",
        .function = LIKE(cross_entropy, loss_clamped_at_1e12),
    },
    {
        .id = "one-minus-p",
        .what = "the loss is 1 - p",
        .why = "The cross entropy is -log p: a target with p = 0.01 costs 4.6, not 0.99.",
        .function = LIKE(cross_entropy, loss_one_minus_p),
    },
    {
        .id = "last-row",
        .what = "only the last row counts",
        .why = "The row's cost is assigned instead of added: total += ...",
        .function = LIKE(cross_entropy, loss_last_row),
    },
    {
        .id = "shifted",
        .what = "row n is compared with the target of row n + 1",
        .why = "make_targets has already arranged the targets for the task; targets[n] "
               "belongs to row n. A second shift is one too many.",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(cross_entropy, loss_shifted),
    },
    {
        .id = "no-max",
        .what = "the largest logit is not subtracted before exp",
        .why = "exp overflows above 88.7 and underflows below -104: the results are "
               "inf/inf, 0/0 and log 0. Subtract the row's largest logit first.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(cross_entropy, loss_no_max),
    },
    {
        .id = "no-max-log-of-probability",
        .what = "the largest logit is not subtracted before exp, and the loss is the "
                "logarithm of that probability",
        .why =
            "exp overflows above 88.7 and underflows below -104: the results are "
            "inf/inf, 0/0 and log 0. Subtract the row's largest logit first, and compute "
            "the loss as log sum - (logit - max).",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(cross_entropy, loss_no_max_of_probability),
    },
    {
        .id = "no-max-in-double",
        .what = "the largest logit is not subtracted before exp; double only delays "
                "the overflow",
        .why = "exp overflows above 709 in double as well. Subtract the row's largest "
               "logit first.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(cross_entropy, loss_no_max_in_double),
    },
    {
        .id = "int-sum",
        .what = "the sum of the exponentials is an integer",
        .why = "An int drops the fraction at every addition. Sum in float or double.",
        .function = LIKE(cross_entropy, loss_int_sum),
    },
    {
        .id = "sum-from-1",
        .what = "the first logit is not in the sum of the exponentials",
        .why =
            "The search for the maximum may begin at 1, because it starts with logit 0. "
            "The sum must begin at 0.",
        .function = LIKE(cross_entropy, loss_sum_from_1),
    },
    {
        .id = "sum-is-last",
        .what = "the sum of the exponentials is only the last of them",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .function = LIKE(cross_entropy, loss_sum_is_last),
    },
    {
        .id = "rows-from-1",
        .what = "the loss leaves out row 0",
        .why = "Start the loop over the rows at 0.",
        .function = LIKE(cross_entropy, loss_rows_from_1),
    },
    {
        .id = "nan-hidden",
        .what = "a logit that is NaN does not make the loss NaN",
        .why = "If a logit is NaN, something is broken. The loss must show it, because "
               "train checks the loss. Do not test for NaN here.",
        .function = LIKE(cross_entropy, loss_nan_hidden),
    },
    {
        .id = "max-from-zero",
        .what = "the search for the largest logit starts at 0",
        .why = "In a row of logits near -200 no logit is above 0, so every exponential "
               "becomes 0. Start with the row's first logit.",
        .source = "karpathy/llm.c, train_gpt2.c (a fixed -10000)",
        .function = LIKE(cross_entropy, loss_max_from_zero),
    },
    {
        .id = "max-of-row-0",
        .what =
            "the search for a row's largest logit starts with the first logit of row 0",
        .why = "Where row 0 is far above, every exponential of another row becomes 0. "
               "Start with the row's own first logit, logits[n * V].",
        .function = LIKE(cross_entropy, loss_max_of_row_0),
    },
    {
        .id = "sum-not-reset",
        .what = "a row's sum includes those of the rows before",
        .why = "Every row has its own sum of exponentials. Set it to 0 inside the loop "
               "over the rows.",
        .function = LIKE(cross_entropy, loss_sum_not_reset),
    },
    {
        .id = "logit-of-row-0",
        .what = "every target's logit is taken from row 0",
        .why = "logits[targets[n]] lies in row 0. Row n begins n * V numbers later: "
               "logits[n * V + targets[n]].",
        .function = LIKE(cross_entropy, loss_logit_of_row_0),
    },
    {
        .id = "max-from-minus-1000",
        .what = "the search for the largest logit starts at a number such as -1000, and "
                "fails for rows below it",
        .why = "In a row of logits near -10000 no logit is larger, so every exponential "
               "becomes 0. Start with the row's first logit.",
        .source = "karpathy/llm.c, train_gpt2.c (a fixed -10000)",
        .function = LIKE(cross_entropy, loss_max_from_minus_1000),
    },
    {
        .id = "in-16-bits",
        .what = BITS_16_WHAT,
        .why = BITS_16_WHY,
        .function = LIKE(cross_entropy, loss_16_bits),
    },
    {
        .id = "max-from-minus-1e9",
        .what = "the search for the largest logit starts at a number such as -1e9, and "
                "fails for rows below it",
        .why = "In a row of logits below that number, every exponential becomes 0. Start "
               "with the row's first logit.",
        .function = LIKE(cross_entropy, loss_max_from_minus_1e9),
    },
    {
        .id = "not-normalized",
        .what = "the probabilities are not divided by their sum",
        .why = "The loss is right. Divide the exponentials too, because "
               "cross_entropy_backward needs probabilities.",
        .function = LIKE(cross_entropy, loss_unnormalized),
    },
    {
        .id = "log-probabilities",
        .what = "probabilities contains the logarithms of the probabilities",
        .why = "The gradient is p - 1 at the target: it needs p itself.",
        .function = LIKE(cross_entropy, loss_log_probabilities),
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum are those of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(cross_entropy, loss_half_warp),
        .gpu = true,
    },
    {
        .id = "maximum-lost",
        .what =
            "the loss is log sum - logit: the maximum is not subtracted from the logit",
        .why = MAXIMUM_IN_BOTH,
        .function = LIKE(cross_entropy, loss_maximum_lost),
    },
    {
        .id = "maximum-subtracted",
        .what = "the loss is log sum - logit - max, not log sum - (logit - max)",
        .why = MAXIMUM_IN_BOTH,
        .function = LIKE(cross_entropy, loss_maximum_subtracted),
    },
    {
        .id = "first-rows-only",
        .what = "the loss covers only the first 256 rows, one for each thread",
        .why =
            "There may be more rows than threads: thread i adds rows i, i + BLOCK, ... in a "
            "loop.",
        .function = LIKE(cross_entropy, loss_of_first_rows),
        .gpu = true,
    },
    {
        .id = "max-of-first-logits",
        .what = "the maximum covers only the first 32 logits of a row, one for each lane",
        .why = LOOP_OF_LOGITS,
        .function = LIKE(cross_entropy, loss_max_of_first),
        .gpu = true,
    },
    {
        .id = "sum-of-first-logits",
        .what = "the sum covers only the first 32 logits of a row, one for each lane",
        .why = LOOP_OF_LOGITS,
        .function = LIKE(cross_entropy, loss_sum_of_first),
        .gpu = true,
    },
    {
        .id = "own-maximum",
        .what = "every lane subtracts the maximum of its own logits, not that of the row",
        .why =
            "Exchange it: five steps of __shfl_xor_sync with fmaxf give every lane the "
            "maximum of the warp.",
        .function = LIKE(cross_entropy, loss_own_max),
        .gpu = true,
    },
    {
        .id = "own-sum",
        .what =
            "every lane divides by the sum of its own exponentials, not by that of the row",
        .why =
            "Exchange it: five steps of __shfl_xor_sync with + give every lane the sum of the "
            "warp.",
        .function = LIKE(cross_entropy, loss_own_sum),
        .gpu = true,
    },
    {0},
};

const struct mistake cross_entropy_alternatives[] = {
    {.id = "in-float", .function = LIKE(cross_entropy, loss_in_float)},
    {.id = "in-double", .function = LIKE(cross_entropy, loss_in_double)},
    {0},
};
