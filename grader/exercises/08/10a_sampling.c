// 10a_sampling.c - see 10_sampling.h. Start reading at sample_with.

#include "exercises/exercise.h"
#include "exercises/08/10_sampling.h"
#include "exercises/08/shared.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

// ---- one fault ----------------------------------------------------------------------------

static bool comes_before(enum sample_fault fault, const float *logits, size_t i, size_t j)
{
    if (logits[i] != logits[j]) {
        return (logits[i] > logits[j]) != (fault == SAMPLE_SMALLEST_FIRST);
    }
    return (i < j) != (fault == SAMPLE_TIES_HIGHER);
}

static void sort_tokens(enum sample_fault fault, size_t *order, const float *logits,
                        size_t V)
{
    for (size_t i = 0; i < V; i++) {
        size_t place = i;
        for (; place > 0 && comes_before(fault, logits, i, order[place - 1]); place--) {
            order[place] = order[place - 1];
        }
        order[place] = i;
    }
}

// A softmax of probabilities.
static void softmax_again(double *p, size_t V)
{
    double sum = 0.0;
    for (size_t r = 0; r < V; r++) {
        sum += exp(p[r]);
    }
    for (size_t r = 0; r < V; r++) {
        p[r] = exp(p[r]) / sum;
    }
}

// p[r] becomes the probability of rank r.
static void softmax_of(enum sample_fault fault, double *p, const size_t *order,
                       const float *logits, float temperature, size_t V)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t r = 0; r < V; r++) {
        largest = fmax(largest, (double)logits[order[r]]);
    }
    double t = (double)temperature;
    if (fault == SAMPLE_TEMPERATURE_IGNORED || fault == SAMPLE_TEMPERATURE_LAST ||
        (t == 0.0 && fault == SAMPLE_ZERO_IS_ONE)) {
        t = 1.0;
    } else if (fault == SAMPLE_TEMPERATURE_MULTIPLIED) {
        t = 1.0 / t;
    }
    for (size_t r = 0; r < V; r++) {
        const double away = (double)logits[order[r]] - largest;
        p[r] = fault == SAMPLE_NO_MAX
                   ? (double)expf((float)((double)logits[order[r]] / t))
               : fault == SAMPLE_BASE_2 ? exp2(away / t)
                                        : exp(away / t);
        sum += p[r];
    }
    for (size_t r = 0; r < V; r++) {
        p[r] /= sum;
    }
    if (fault == SAMPLE_SOFTMAX_TWICE) {
        softmax_again(p, V);
    }
}

static double sum_of(const double *p, size_t count)
{
    double sum = 0.0;
    for (size_t r = 0; r < count; r++) {
        sum += p[r];
    }
    return sum;
}

// The number of ranks that top-k keeps.
static size_t after_top_k(enum sample_fault fault, const size_t *order,
                          const float *logits, size_t top_k, size_t V)
{
    size_t keep = top_k > 0 && top_k < V ? top_k : V;
    if (fault == SAMPLE_NO_TOP_K) {
        keep = V;
    }
    if (fault == SAMPLE_K_ZERO_IS_ONE && top_k == 0) {
        keep = 1;
    }
    keep += fault == SAMPLE_K_ONE_MORE && keep < V;
    keep -= fault == SAMPLE_K_ONE_LESS && top_k > 0 && top_k < V && keep > 1;
    while (fault == SAMPLE_K_BY_VALUE && keep < V &&
           logits[order[keep]] == logits[order[keep - 1]]) {
        keep++;
    }
    return keep;
}

// The number of ranks, of the first `keep`, that top-p keeps. The slack allows for the rounding
// of sums that should be equal.
static size_t after_top_p(enum sample_fault fault, const double *p, double top_p,
                          size_t keep, size_t V)
{
    if (top_p >= 1.0 || fault == SAMPLE_NO_TOP_P) {
        return keep;
    }
    if (fault == SAMPLE_P_OF_WEIGHTS) {
        return 1; // the first exponential is 1, which is at least top_p
    }
    if (fault == SAMPLE_P_IS_THE_REST) {
        top_p = 1.0 - top_p;
    }
    const double slack = 1e-12;
    const double all = fault == SAMPLE_P_OF_ALL ? sum_of(p, V) : sum_of(p, keep);
    double sum = 0.0;
    size_t stays = 0;
    if (fault == SAMPLE_P_IS_A_FLOOR) {
        while (stays < keep && p[stays] >= top_p * all - slack) {
            stays++;
        }
        return stays > 0 ? stays : 1;
    }
    while (stays < keep && (fault == SAMPLE_P_STRICT ? sum <= top_p * all + slack
                                                     : sum < top_p * all - slack)) {
        sum += p[stays++];
    }
    if (fault == SAMPLE_P_WITHOUT_CROSSING && sum > top_p * all + slack) {
        stays -= stays > 1;
    }
    return stays + (fault == SAMPLE_P_ONE_MORE && stays < keep);
}

// The rank that u draws from the first `stays` entries of p.
static size_t rank_at(enum sample_fault fault, const double *p, const size_t *order,
                      size_t stays, double u, size_t V)
{
    double sum = 0.0;
    size_t last = 0;
    if (fault == SAMPLE_U_FROM_1) {
        u = 1.0 - u;
    }
    for (size_t i = 0; i < V; i++) {
        size_t r = i;
        if (fault == SAMPLE_TOKEN_ORDER) { // the rank of token i
            for (r = 0; order[r] != i; r++) {
            }
        } else if (fault == SAMPLE_ASCENDING_SUM) {
            r = V - 1 - i;
        }
        if (r >= stays) {
            continue;
        }
        sum += p[r];
        last = r;
        if (fault == SAMPLE_REACHES_U ? sum >= u : sum > u) {
            break;
        }
    }
    return last;
}

// Applies the temperature after the cut: the probabilities to the power of 1 / temperature.
static void heat(double *p, double temperature, size_t stays)
{
    for (size_t r = 0; r < stays; r++) {
        p[r] = pow(p[r], 1.0 / temperature);
    }
}

static void write_probabilities(enum sample_fault fault, float *probabilities,
                                const double *p, const size_t *order, size_t stays,
                                size_t V)
{
    for (size_t r = 0; r < V; r++) {
        const size_t at = fault == SAMPLE_BY_RANK ? r : order[r];
        probabilities[at] = r < stays || fault == SAMPLE_OTHERS_LEFT ? (float)p[r] : 0.0f;
    }
}

lab_status sample_with(enum sample_fault fault, size_t *token, float *probabilities,
                       size_t *order, const float *logits,
                       const struct sampling *sampling, float u, size_t V)
{
    const lab_status status =
        sample_token(token, probabilities, order, logits, sampling, u, V); // its checks
    if (status != LAB_OK) {
        return status;
    }
    const bool cold = sampling->temperature == 0.0f && fault != SAMPLE_ZERO_DIVIDES &&
                      fault != SAMPLE_ZERO_IS_ONE;
    double *p = malloc(V * sizeof *p);
    if (p == NULL) {
        abort();
    }
    sort_tokens(fault, order, logits, V);
    softmax_of(fault, p, order, logits, cold ? 1.0f : sampling->temperature, V);
    size_t stays = after_top_k(fault, order, logits, sampling->top_k, V);
    stays = cold ? 1 : after_top_p(fault, p, (double)sampling->top_p, stays, V);
    if (fault == SAMPLE_TEMPERATURE_LAST && !cold) {
        heat(p, (double)sampling->temperature, stays);
    }
    const double total = sum_of(p, stays);
    for (size_t r = 0; r < V && fault != SAMPLE_NOT_RESCALED; r++) {
        p[r] /= total;
    }
    // Where the first exponential is 0, these two divide 0 by 0.
    if (cold && fault != SAMPLE_NO_MAX && fault != SAMPLE_SMALLEST_FIRST) {
        p[0] = 1.0;
    }
    const size_t rank =
        fault == SAMPLE_ALWAYS_FIRST ? 0 : rank_at(fault, p, order, stays, (double)u, V);
    *token = fault == SAMPLE_RANK_FOR_TOKEN ? rank : order[rank];
    write_probabilities(fault, probabilities, p, order, stays, V);
    free(p);
    return LAB_OK;
}
