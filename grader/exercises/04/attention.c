// attention.c - see attention.h.

#include "exercises/exercise.h"
#include "exercises/04/attention.h"

#include "exercises/common/log_softmax.h"

#include <math.h>
#include <string.h>

#include "04_multi_head/heads.h"
#include "common/rng.h"

struct layout head_major(size_t NH, size_t T, size_t hs)
{
    return (struct layout){.b = NH * T * hs, .h = T * hs, .t = hs, .c = 1};
}

struct layout token_major(size_t NH, size_t T, size_t hs)
{
    return (struct layout){.b = NH * T * hs, .h = hs, .t = NH * hs, .c = 1};
}

struct plan;

enum { LARGEST_MAP = 1 << 17 }; // T * S of every case is smaller

// The right softmax of n scores, stride apart.
static void softmax_right(float *weights, const float *scores, const uint8_t *may,
                          size_t n, size_t stride)
{
    double max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        max = may[i * stride] ? fmax(max, (double)scores[i * stride]) : max;
    }
    for (size_t i = 0; i < n; i++) {
        sum += may[i * stride] ? exp((double)scores[i * stride] - max) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * stride;
        weights[at] = may[at] ? (float)(exp((double)scores[at] - max) / sum) : 0.0f;
    }
}

static void softmax_in_float(float *row, size_t S)
{
    float max = row[0], sum = 0.0f;
    for (size_t s = 1; s < S; s++) {
        max = fmaxf(max, row[s]);
    }
    for (size_t s = 0; s < S; s++) {
        row[s] = expf(row[s] - max);
        sum += row[s];
    }
    for (size_t s = 0; s < S; s++) {
        row[s] /= sum;
    }
}

static bool any(const uint8_t *may, size_t S)
{
    return memchr(may, 1, S) != NULL;
}

// What a forbidden score becomes before the softmax.
static float forbidden_score(enum softmax_kind kind, float score)
{
    switch (kind) {
    case EMPTY_ROW_UNIFORM:
    case MINUS_1E9_GUARDED:
        return -1e9f;
    case MINUS_10000:
    case MINUS_10000_GUARDED:
        return -1e4f;
    case ADDED_MINUS_10000:
        return score - 1e4f;
    case ADDED_MINUS_1E9:
    case ADDED_MINUS_1E9_GUARDED:
        return score - 1e9f;
    case MASK_MULTIPLIED:
        return 0.0f;
    case MASK_ADDED:
    case MASK_AFTER:
    case RENORMALIZED:
        return score;
    default:
        return -INFINITY;
    }
}

static void softmax_from(float start, float *w, const float *scores, const uint8_t *may,
                         size_t S)
{
    float max = start, sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        max = may[s] && scores[s] > max ? scores[s] : max;
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = may[s] ? expf(scores[s] - max) : 0.0f;
        sum += w[s];
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = sum > 0.0f ? w[s] / sum : 0.0f;
    }
}

static void softmax_row(enum softmax_kind kind, float *w, const float *scores,
                        const uint8_t *may, size_t S)
{
    const bool guarded = kind == IN_FLOAT || kind == MINUS_10000_GUARDED ||
                         kind == MINUS_1E9_GUARDED || kind == ADDED_MINUS_1E9_GUARDED;
    if (kind == RIGHT || kind == DOWN_COLUMNS || (guarded && !any(may, S))) {
        softmax_right(w, scores, may, S, 1);
        return;
    }
    if (kind == FROM_ZERO || kind == FROM_1E9) {
        softmax_from(kind == FROM_ZERO ? 0.0f : -1e9f, w, scores, may, S);
        return;
    }
    if (kind == BY_LOG_SUM_ROUNDED || kind == BY_LOG_SUM_LOST) {
        softmax_by_log(kind == BY_LOG_SUM_ROUNDED ? LOG_SUM_ROUNDED : LOG_SUM_LOST, false,
                       w, scores, may, S);
        return;
    }
    for (size_t s = 0; s < S; s++) {
        const float allowed = scores[s] + (kind == MASK_ADDED ? 1.0f : 0.0f);
        w[s] = may[s] ? allowed : forbidden_score(kind, scores[s]);
    }
    softmax_in_float(w, S);
    float sum = 0.0f;
    for (size_t s = 0; s < S && (kind == MASK_AFTER || kind == RENORMALIZED); s++) {
        w[s] *= (float)may[s];
        sum += w[s];
    }
    for (size_t s = 0; s < S && kind == RENORMALIZED && sum > 0.0f; s++) {
        w[s] /= sum;
    }
}

// Most of the time goes here.
static double score(const struct plan *p, size_t b, size_t h, size_t t, size_t s)
{
    if (p->order == Q_AND_K_EXCHANGED) { // k q^T is (S,T); read as (T,S)
        const size_t flat = t * p->S + s;
        s = flat / p->T;
        t = flat % p->T;
    }
    const float *q = p->q + b * p->q_at.b + h * p->q_at.h + t * p->q_at.t;
    double sum = 0;
    for (size_t c = 0; c < p->hs; c++) {
        size_t at = b * p->k_at.b + h * p->k_at.h + s * p->k_at.t + c * p->k_at.c;
        if (p->order == ALL_AXES_TRANSPOSED) {
            // k^T of all axes is (hs,S,NH,B); its numbers are read as (B,NH,hs,S)
            const size_t j = ((b * p->NH + h) * p->hs + c) * p->S + s;
            const size_t b_k = j % p->B, h_k = j / p->B % p->NH;
            const size_t s_k = j / p->B / p->NH % p->S, c_k = j / p->B / p->NH / p->S;
            at = ((b_k * p->NH + h_k) * p->S + s_k) * p->hs + c_k;
        }
        sum += (double)q[c * p->q_at.c] * (double)p->k[at];
    }
    const size_t number = ((b * p->NH + h) * p->T + t) * p->S + s;
    return p->scaled == 0 || number < p->scaled ? sum * p->scale : sum;
}

// The softmax of a head's scores, which are in the buffer of the weights.
static void weigh_head(const struct plan *p, size_t b, size_t h, float *weights)
{
    uint8_t may[LARGEST_MAP];
    const size_t T = p->T, S = p->S;
    float *scores = weights; // the softmax reads each before it writes it
    for (size_t i = 0; i < T * S; i++) {
        may[i] = p->may(p, b, h, i / S, i % S);
    }
    for (size_t t = 0; t < T && p->softmax != DOWN_COLUMNS; t++) {
        softmax_row(p->softmax, weights + t * S, scores + t * S, may + t * S, S);
    }
    for (size_t s = 0; s < S && p->softmax == DOWN_COLUMNS; s++) {
        softmax_right(weights + s, scores + s, may + s, T, S);
    }
}

static void attend_head(const struct plan *p, size_t b, size_t h)
{
    const size_t T = p->T, S = p->S;
    float *weights = p->weights + (b * p->NH + h) * T * S;
    for (size_t i = 0; i < T * S; i++) {
        weights[i] = (float)score(p, b, h, i / S, i % S);
    }
    if (!p->scores_applied) {
        weigh_head(p, b, h, weights);
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < p->hs; c++) {
            double sum = 0;
            for (size_t s = 0; s < S; s++) {
                sum += (double)weights[t * S + s] *
                       (double)p->v[b * p->v_at.b + h * p->v_at.h + s * p->v_at.t +
                                    c * p->v_at.c];
            }
            p->out[b * p->out_at.b + h * p->out_at.h + t * p->out_at.t +
                   c * p->out_at.c] = (float)sum;
        }
    }
    if (p->scores_applied) {
        weigh_head(p, b, h, weights);
    }
}

lab_status attend(const struct plan *p)
{
    if (p->T * p->S > LARGEST_MAP) {
        return LAB_ENOMEM; // one of our cases is too large
    }
    for (size_t b = 0; b < p->B; b++) {
        for (size_t h = 0; h < p->NH; h++) {
            attend_head(p, b, h);
        }
    }
    return LAB_OK;
}

SHARED_MAY(may_as_asked, p->mask == NULL || p->mask[(b * T + t) * S + s])
SHARED_MAY(may_all, true)
SHARED_MAY(may_inverted, p->mask == NULL || !p->mask[(b * T + t) * S + s])

void fill_mixed_mask(struct test_case *test, struct lab_rng *rng)
{
    const size_t S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t n = 0; n < case_count(test, "mask") / S; n++) {
        const size_t allowed = lab_rng_next32(rng) % S;
        mask[n * S + (allowed + 1) % S] = 0;
        mask[n * S + allowed] = 1;
    }
}

void fill_empty_rows(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_mask(test, rng);
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        memset(case_u8(test, "mask") + (b * T + (b + 1) % T) * S, 0, S);
    }
}

void project(float *y, const float *x, const float *w, const float *bias, bool in_out,
             size_t rows, size_t I, size_t O)
{
    for (size_t n = 0; n < rows; n++) {
        for (size_t o = 0; o < O; o++) {
            double sum = bias == NULL ? 0 : (double)bias[o];
            for (size_t i = 0; i < I; i++) {
                sum += (double)x[n * I + i] * (double)w[in_out ? i * O + o : o * I + i];
            }
            y[n * O + o] = (float)sum;
        }
    }
}

SHARED_MAY(may_causal, s <= t)
