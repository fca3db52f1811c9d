// 10_flash.c - the steps to solutions/fast/10_flash_attention.

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"
#include "bench/ladder/ladder.h"
#include "fast/common/attention_tile.h"
#include "common/dimensions.h"
#include "fast/common/vector_math.h"

// ---- 10.2 and 10.4  tiles of 64 by 64, every one of them ------------------------------------

// What the steps differ in.
struct way {
    bool own_products; // otherwise BLAS
    bool own_exp;      // lab_exp2, otherwise a call of exp2f for each number
};

static void multiply(float *out, int out_row, enum CBLAS_TRANSPOSE a_order,
                     const float *a, int a_row, enum CBLAS_TRANSPOSE b_order,
                     const float *b, int b_row, size_t M, size_t N, size_t K, float scale,
                     bool add)
{
    cblas_sgemm(CblasRowMajor, a_order, b_order, (int)M, (int)N, (int)K, scale, a, a_row,
                b, b_row, add ? 1.0f : 0.0f, out, out_row);
}

// scores (keys, LAB_QUERIES) = scale k q^T
static void make_scores(float *scores, struct lab_tile tile, const float *k,
                        struct lab_transposed *q, struct way way)
{
    tile.diagonal = LAB_KEYS; // computes what no query sees, too
    const int hs = (int)q->hs;
    if (way.own_products) {
        lab_tile_scores(scores, &tile, k, q);
    } else {
        multiply(scores, LAB_QUERIES, CblasNoTrans, k, hs, CblasTrans, q->q, hs,
                 tile.keys, tile.queries, q->hs, q->scale, false);
    }
}

// out (queries, hs) += weights^T v
static void add_to_queries(float *out, struct lab_tile tile, const float *weights,
                           const float *v, size_t hs, struct way way)
{
    tile.diagonal = LAB_KEYS;
    if (way.own_products) {
        lab_tile_to_queries(out, &tile, weights, v, hs);
    } else {
        multiply(out, (int)hs, CblasTrans, weights, LAB_QUERIES, CblasNoTrans, v, (int)hs,
                 tile.queries, hs, tile.keys, 1.0f, true);
    }
}

// dv (keys, hs) += weights dout
static void add_to_keys(float *dv, struct lab_tile tile, const float *weights,
                        const float *dout, size_t hs, struct way way)
{
    tile.diagonal = LAB_KEYS;
    if (way.own_products) {
        lab_tile_to_keys(dv, &tile, weights, dout, hs);
    } else {
        multiply(dv, (int)hs, CblasNoTrans, weights, LAB_QUERIES, CblasNoTrans, dout,
                 (int)hs, tile.keys, hs, tile.queries, 1.0f, true);
    }
}

// A score of -INFINITY for keys that a query does not see.
static void hide(float *scores, const struct lab_tile *tile)
{
    for (size_t c = 0; c < tile->keys; c++) {
        for (size_t r = 0; r < lab_clamp((ptrdiff_t)c - tile->diagonal, LAB_QUERIES);
             r++) {
            scores[c * LAB_QUERIES + r] = -INFINITY;
        }
    }
}

// scores (keys, LAB_QUERIES) = 2^(scores - shift), with a shift for each query
LAB_WIDE static void powers(float *restrict scores, const float *restrict shift,
                            size_t keys)
{
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            scores[c * LAB_QUERIES + r] =
                lab_exp2(scores[c * LAB_QUERIES + r] - shift[r]);
        }
    }
}

static void powers_by_calls(float *scores, const float *shift, size_t keys)
{
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            scores[c * LAB_QUERIES + r] = exp2f(scores[c * LAB_QUERIES + r] - shift[r]);
        }
    }
}

static void make_weights(float *scores, const float *shift, size_t keys, struct way way)
{
    if (way.own_exp) {
        powers(scores, shift, keys);
    } else {
        powers_by_calls(scores, shift, keys);
    }
}

// ---- 10.2 -----------------------------------------------------------------------------------

struct block {
    float max[LAB_QUERIES], sum[LAB_QUERIES], factor[LAB_QUERIES];
    struct lab_transposed q;
    float scores[LAB_KEYS * LAB_QUERIES];
};

LAB_WIDE static void find_maxima(struct block *z, size_t keys)
{
    float max[LAB_QUERIES];
    memcpy(max, z->max, sizeof max);
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            const float score = z->scores[c * LAB_QUERIES + r];
            max[r] = score > max[r] ? score : max[r];
        }
    }
    for (size_t r = 0; r < LAB_QUERIES; r++) {
        z->factor[r] = lab_exp2(z->max[r] - max[r]);
        z->max[r] = max[r];
    }
}

LAB_WIDE static void merge_sums(struct block *z, float *restrict out, size_t rows,
                                size_t keys, size_t hs)
{
    for (size_t r = 0; r < rows; r++) {
        z->sum[r] *= z->factor[r];
        for (size_t i = 0; i < hs; i++) {
            out[r * hs + i] *= z->factor[r];
        }
    }
    for (size_t c = 0; c < keys; c++) {
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            z->sum[r] += z->scores[c * LAB_QUERIES + r];
        }
    }
}

static void all_tiles(float *out, float *logsumexp, const float *q, const float *k,
                      const float *v, bool causal, size_t T, size_t S, size_t hs,
                      struct way way)
{
    struct block z;
    memset(out, 0, T * hs * sizeof *out);
    for (size_t t0 = 0; t0 < T; t0 += LAB_QUERIES) {
        const size_t rows = lab_tile_at(t0, 0, causal, T, S).queries;
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            z.max[r] = -FLT_MAX, z.sum[r] = 0.0f; // every query sees a key here
        }
        lab_transpose(&z.q, q + t0 * hs, 1.44269504f / sqrtf((float)hs), rows, hs);
        for (size_t s0 = 0; s0 < S; s0 += LAB_KEYS) {
            const struct lab_tile tile = lab_tile_at(t0, s0, causal, T, S);
            make_scores(z.scores, tile, k + s0 * hs, &z.q, way);
            hide(z.scores, &tile);
            find_maxima(&z, tile.keys);
            make_weights(z.scores, z.max, tile.keys, way);
            merge_sums(&z, out + t0 * hs, rows, tile.keys, hs);
            add_to_queries(out + t0 * hs, tile, z.scores, v + s0 * hs, hs, way);
        }
        for (size_t r = 0; r < rows; r++) {
            logsumexp[t0 + r] = 0.693147181f * z.max[r] + logf(z.sum[r]);
            for (size_t i = 0; i < hs; i++) {
                out[(t0 + r) * hs + i] /= z.sum[r];
            }
        }
    }
}

#define FORWARD(name, ...)                                                               \
    static lab_status name(float *out, float *logsumexp, const struct flash_buffers *z,  \
                           const float *q, const float *k, const float *v, bool causal,  \
                           size_t B, size_t NH, size_t T, size_t S, size_t hs,           \
                           size_t Br, size_t Bc)                                         \
    {                                                                                    \
        (void)z, (void)Br, (void)Bc;                                                     \
        for (size_t i = 0; i < B * NH; i++) {                                            \
            all_tiles(out + i * T * hs, logsumexp + i * T, q + i * T * hs,               \
                      k + i * S * hs, v + i * S * hs, causal, T, S, hs,                  \
                      (struct way){__VA_ARGS__});                                        \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
FORWARD(by_blas, false, false)
FORWARD(by_own_products, true, false)
FORWARD(by_own_exp, true, true)

// ---- 10.4 -----------------------------------------------------------------------------------

struct head {
    float *dq, *dk, *dv;
    const float *dout, *out, *logsumexp, *q, *k, *v;
};

static void all_gradients(const struct head *h, bool causal, size_t T, size_t S,
                          size_t hs, struct way way)
{
    struct block z;
    struct lab_transposed dout;
    float dweights[LAB_KEYS * LAB_QUERIES], delta[LAB_QUERIES];
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t t0 = 0; t0 < T; t0 += LAB_QUERIES) {
        const size_t rows = lab_tile_at(t0, 0, causal, T, S).queries;
        lab_transpose(&z.q, h->q + t0 * hs, 1.44269504f * scale, rows, hs);
        lab_transpose(&dout, h->dout + t0 * hs, 1.0f, rows, hs);
        for (size_t r = 0; r < LAB_QUERIES; r++) {
            z.max[r] = r < rows ? 1.44269504f * h->logsumexp[t0 + r] : 0.0f;
            delta[r] = r < rows
                           ? lab_dot(h->dout + (t0 + r) * hs, h->out + (t0 + r) * hs, hs)
                           : 0.0f;
        }
        for (size_t s0 = 0; s0 < S; s0 += LAB_KEYS) {
            const struct lab_tile tile = lab_tile_at(t0, s0, causal, T, S);
            make_scores(z.scores, tile, h->k + s0 * hs, &z.q, way);
            make_scores(dweights, tile, h->v + s0 * hs, &dout, way);
            hide(z.scores, &tile);
            make_weights(z.scores, z.max, tile.keys, way);
            add_to_keys(h->dv + s0 * hs, tile, z.scores, h->dout + t0 * hs, hs, way);
            for (size_t n = 0; n < tile.keys * LAB_QUERIES; n++) {
                z.scores[n] *= (dweights[n] - delta[n % LAB_QUERIES]) * scale;
            }
            add_to_keys(h->dk + s0 * hs, tile, z.scores, h->q + t0 * hs, hs, way);
            add_to_queries(h->dq + t0 * hs, tile, z.scores, h->k + s0 * hs, hs, way);
        }
    }
}

#define BACKWARD(name, ...)                                                              \
    static lab_status name(                                                              \
        float *dq, float *dk, float *dv, const struct flash_backward_buffers *z,         \
        const float *dout, const float *out, const float *logsumexp, const float *q,     \
        const float *k, const float *v, bool causal, size_t B, size_t NH, size_t T,      \
        size_t S, size_t hs, size_t Br, size_t Bc)                                       \
    {                                                                                    \
        (void)z, (void)Br, (void)Bc;                                                     \
        memset(dq, 0, B *NH *T *hs * sizeof *dq);                                        \
        memset(dk, 0, B *NH *S *hs * sizeof *dk);                                        \
        memset(dv, 0, B *NH *S *hs * sizeof *dv);                                        \
        for (size_t i = 0; i < B * NH; i++) {                                            \
            const size_t query = i * T * hs, key = i * S * hs;                           \
            const struct head head = {dq + query,   dk + key,    dv + key,               \
                                      dout + query, out + query, logsumexp + i * T,      \
                                      q + query,    k + key,     v + key};               \
            all_gradients(&head, causal, T, S, hs, (struct way){__VA_ARGS__});           \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
BACKWARD(gradients_by_blas, false, false)
BACKWARD(gradients_by_own_products, true, false)
BACKWARD(gradients_by_own_exp, true, true)

// ---- the tables -----------------------------------------------------------------------------

const struct ladder ladders_flash[] = {
    {"flash_attention",
     10,
     {.dims = "B=1 NH=1 T=512 S=512 hs=64 causal=1 Br=64 Bc=64"},
     {{"plain", NULL},
      {"1  tiles as products: BLAS, exp2f", LIKE(flash_attention, by_blas)},
      {"2  queries as lanes, own products", LIKE(flash_attention, by_own_products)},
      {"3  lab_exp2", LIKE(flash_attention, by_own_exp)},
      {"4  nothing unseen (this file)", LIKE(flash_attention, flash_attention)}}},
    {0},
};

// out and logsumexp as q, k and v give them. The fast flash_attention needs no workspaces.
static void attend_first(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), hs = case_dim(test, "hs");
    const struct flash_buffers none = {NULL};
    if (flash_attention(case_f32(test, "out"), case_f32(test, "logsumexp"), &none,
                        case_f32(test, "q"), case_f32(test, "k"), case_f32(test, "v"),
                        true, 1, 1, T, T, hs, T, T) != LAB_OK) {
        abort();
    }
}

const struct ladder ladders_flash_backward[] = {
    {"flash_attention_backward",
     10,
     {.dims = "B=1 NH=1 T=512 S=512 hs=64 causal=1 Br=64 Bc=64", .fill = attend_first},
     {{"plain", NULL},
      {"1  tiles as products: BLAS, exp2f",
       LIKE(flash_attention_backward, gradients_by_blas)},
      {"   own products", LIKE(flash_attention_backward, gradients_by_own_products)},
      {"2  lab_exp2", LIKE(flash_attention_backward, gradients_by_own_exp)},
      {"3  nothing unseen (this file)",
       LIKE(flash_attention_backward, flash_attention_backward)}}},
    {0},
};
