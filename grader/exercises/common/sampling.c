// sampling.c - see sampling.h. Start reading at choose_token.

#include "exercises/common/sampling.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>

#include "common/rng.h"

// Distance between logits, and of sums from top_p. Rounding is a hundredth of that.
static const double APART = 2e-3;

double uniform(struct lab_rng *rng)
{
    float u;
    lab_rng_rand(rng, &u, 1);
    return (double)u;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

double *sorted_softmax(const float *logits, double temperature, size_t V)
{
    double *p = malloc(V * sizeof *p), sum = 0.0;
    if (p == NULL) {
        abort();
    }
    for (size_t i = 0; i < V; i++) {
        p[i] = (double)logits[i];
    }
    qsort(p, V, sizeof *p, descending);
    const double largest = p[0];
    for (size_t i = 0; i < V; i++) {
        p[i] = exp((p[i] - largest) / temperature);
        sum += p[i];
    }
    for (size_t i = 0; i < V; i++) {
        p[i] /= sum;
    }
    return p;
}

double inside(const double *p, size_t rank, size_t count, struct lab_rng *rng)
{
    double before = 0.0, all = 0.0;
    for (size_t i = 0; i < count; i++) {
        before += i < rank ? p[i] : 0.0;
        all += p[i];
    }
    return (before + (0.25 + 0.5 * uniform(rng)) * p[rank]) / all;
}

// Are the logits, and the sums from top_p, far enough apart?
static bool is_clear(const float *logits, const double *p,
                     const struct sampling *sampling, size_t stays, size_t V)
{
    for (size_t i = 0; i < V * V; i++) {
        const double gap = fabs((double)logits[i / V] - (double)logits[i % V]);
        if (i / V != i % V && gap < APART) {
            return false;
        }
    }
    double all = 0.0, sum = 0.0;
    for (size_t r = 0; r < stays; r++) {
        all += p[r];
    }
    for (size_t r = 0; r < stays && sampling->top_p < 1.0f; r++) {
        sum += p[r];
        if (fabs(sum / all - (double)sampling->top_p) < APART) {
            return false;
        }
    }
    return true;
}

// The number of tokens of the sorted p that stay.
static size_t count_stays(const double *p, const struct sampling *sampling, size_t V)
{
    const size_t k = sampling->top_k, most = k > 0 && k < V ? k : V;
    double all = 0.0, sum = 0.0;
    size_t stays = 0;
    for (size_t r = 0; r < most; r++) {
        all += p[r];
    }
    while (sampling->top_p < 1.0f && stays < most &&
           sum < (double)sampling->top_p * all) {
        sum += p[stays++];
    }
    return sampling->top_p < 1.0f ? stays : most;
}

// The token whose logit has this rank; the largest has rank 0.
static size_t token_of_rank(const float *logits, size_t rank, size_t V)
{
    for (size_t token = 0; token < V; token++) {
        size_t above = 0;
        for (size_t i = 0; i < V; i++) {
            above += logits[i] > logits[token];
        }
        if (above == rank) {
            return token;
        }
    }
    return 0; // only if logits are equal, which is not clear
}

bool choose_token(float *u, size_t *token, const float *logits,
                  const struct sampling *sampling, size_t V, struct lab_rng *rng)
{
    const bool cold = sampling->temperature == 0.0f;
    double *p = sorted_softmax(logits, cold ? 1.0 : (double)sampling->temperature, V);
    const size_t stays = count_stays(p, sampling, V);
    const bool clear = is_clear(logits, p, sampling, stays, V);
    size_t rank = lab_rng_next32(rng) % stays;
    while (rank > 0 && p[rank] < 0.03 * p[0]) {
        rank--;
    }
    *u = (float)inside(p, rank, stays, rng);
    *token = token_of_rank(logits, cold ? 0 : rank, V);
    free(p);
    return clear;
}

// With other settings, would u lie outside this token's share?
static bool draws_another(float u, size_t token, const float *logits,
                          const struct sampling *other, size_t V)
{
    const bool cold = other->temperature == 0.0f;
    double *p = sorted_softmax(logits, cold ? 1.0 : (double)other->temperature, V);
    const size_t stays = cold ? 1 : count_stays(p, other, V);
    double all = 0.0, before = 0.0;
    for (size_t r = 0; r < stays; r++) {
        all += p[r];
    }
    size_t rank = 0;
    for (; rank < stays && token_of_rank(logits, rank, V) != token; rank++) {
        before += p[rank];
    }
    const double after = before + (rank < stays ? p[rank] : 0.0);
    free(p);
    return (double)u < before / all - APART || (double)u > after / all + APART;
}

// Notes the settings without which this token would be another.
static void count_settings(struct sampling_counts *counts, float u, size_t token,
                           const float *logits, const struct sampling *sampling, size_t V)
{
    const float temperature = sampling->temperature;
    struct sampling no_top_p = *sampling, no_top_k = *sampling, other = *sampling;
    no_top_p.top_p = 1.0f;
    no_top_k.top_k = sampling->top_k < V ? 0 : 1; // one of V or more is no limit
    other.temperature = temperature == 0.0f ? 1.0f : temperature * temperature;
    if (sampling->top_p < 1.0f && !counts->top_p) {
        counts->top_p = draws_another(u, token, logits, &no_top_p, V);
    }
    if (sampling->top_k > 0 && !counts->top_k) {
        counts->top_k = draws_another(u, token, logits, &no_top_k, V);
    }
    if (temperature != 1.0f && !counts->temperature) {
        counts->temperature = draws_another(u, token, logits, &other, V);
    }
}

bool settings_count(const struct sampling *sampling, const struct sampling_counts *counts)
{
    const bool warm =
        sampling->temperature > 0.0f; // otherwise top-k and top-p change nothing
    return (!warm || sampling->top_p == 1.0f || counts->top_p) &&
           (!warm || sampling->top_k == 0 || counts->top_k) &&
           (sampling->temperature == 1.0f || counts->temperature);
}

bool continue_text(float *uniforms, size_t *tokens, size_t N, size_t count,
                   forward_function *forward, const struct language_params *params,
                   const struct language_shape *shape, const struct sampling *sampling,
                   struct lab_rng *rng, struct sampling_counts *counts)
{
    struct scratch_model model = scratch_model(shape);
    struct language_shape context = *shape;
    context.B = 1;
    bool clear = true;
    struct sampling_counts found = {false, false, false};
    for (size_t n = N; clear && n < N + count; n++) {
        context.T = n < shape->T ? n : shape->T;
        must(forward(NULL, &model.z, params, tokens + n - context.T, NULL, &context));
        const float *logits = model.z.logits + (context.T - 1) * shape->V;
        clear =
            choose_token(&uniforms[n - N], &tokens[n], logits, sampling, shape->V, rng);
        count_settings(&found, uniforms[n - N], tokens[n], logits, sampling, shape->V);
    }
    if (counts != NULL) {
        *counts = found;
    }
    forget_model(&model);
    return clear;
}
