// model.c - the whole language model, made fast.
// Read solutions/08_language_model/model.c first: it computes the same results in the order of
// the formulas, one whole tensor after another. This file orders the work so that data stays in the cache:
//
//   1. a few rows at a time   Everything but attention works on each token alone. So one block of
//                             rows (40, for C = 96 and H = 256) goes through all of its steps
//                             while it is in the cache, forward and backward.
//   2. products that fit      OpenBLAS copies nothing in products of up to a million terms, and is
//                             fastest if the second factor need not be transposed. A block of rows
//                             is as large as this limit allows. The forward pass transposes the
//                             weights once for all rows.
//   3. half of the triangle   Attention goes through the queries in blocks of 48. A block's scores
//                             are computed only up to its last query: later keys are masked.
//   4. no copies of heads     A row holds all NH heads of a token, one after the other. BLAS takes
//                             the distance between two rows as an argument, so it reads and writes
//                             the outputs and gradients of one head in place. Queries and keys are
//                             rotated while they are copied to their heads.
//   5. the same memory again  The backward pass does not read q, k, v and scores. So a few rows of
//                             memory are enough for them; every block overwrites these rows, and
//                             they stay in the cache. The same holds for the gradients of a block
//                             of rows. Only the weights of all heads are written to memory, once.
//   6. sums in BLAS           Where a product is added to something, BLAS does the addition
//                             (beta = 1): in both residuals, and in the gradients of normed1 and
//                             normed2.
//   7. a share for a thread   With more than one thread (common/parallel.h), each gets its share of the
//                             rows and of the heads (fast/common/shares.h), and its own part of each
//                             workspace. Each sums its rows' gradients of the weights apart.
//
// BEGIN MEASURED: build/bench/ladder 08_language_model/model.c (make bench DOCS=1)
// AMD EPYC; gcc 12.2; OpenBLAS core Cooperlake; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// language_block, B=2, T=256, C=96, NH=6, hs=16, H=256
//     plain                                                      3837.7 us   1.00
//        plain, with fast layers and labs 2 to 6                 1492.4 us   2.57
//     3  half of the triangle                                    1688.5 us   2.27
//     1 2 4 5 6  all the rest (this file)                        1104.3 us   3.48
//
// language_block_backward, B=2, T=256, C=96, NH=6, hs=16, H=256
//     plain                                                      3683.6 us   1.00
//        plain, with fast layers and labs 2 to 6                 3111.4 us   1.18
//     1 to 6 (this file)                                         1974.9 us   1.87
//
// language_forward, B=2, T=256, C=96, NH=6, hs=16, H=256, V=64, L=2, L1=3
//     plain                                                      7961.1 us   1.00
//        plain, with fast layers and labs 2 to 6                 3234.4 us   2.46
//     1 to 6 (this file)                                         2371.0 us   3.36
// END MEASURED
//
// Start reading at language_block.

#include "08_language_model/language_model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "common/parallel.h"
#include "common/tokens.h"
#include "fast/common/angles.h"
#include "fast/common/rows.h"
#include "fast/common/shares.h"
#include "fast/common/vector_math.h"

enum { QUERIES = 48 }; // attention works on this many queries of a head at a time

// BLAS takes sizes as int.
static bool block_fits(size_t B, size_t T, size_t C, size_t NH, size_t H)
{
    return B > 0 && T > 0 && C > 0 && NH > 0 && H > 0 && C % NH == 0 && C / NH % 2 == 0 &&
           B <= INT_MAX / T && C <= INT_MAX && H <= INT_MAX;
}

// The number of rows in a block: as many as keep a product of (rows, C) and (C, H) below a million
// terms. If these are fewer than 16, the block has 256 rows, enough to make OpenBLAS's copies pay.
static size_t rows_at_once(size_t C, size_t H)
{
    const size_t terms = 1000000, fewest = 16, most = 256;
    const size_t rows = terms / C / (C > H ? C : H);
    return rows < fewest ? most : smaller(rows / 8 * 8, most);
}

// ---- weights ------------------------------------------------------------------------------

// All weights of a block, transposed into memory(room floats) if they fit.
struct block_weights {
    struct weights q, k, v, o, gate, up, down;
};

static struct block_weights block_weights(const struct language_block_params *p,
                                          float *memory, size_t room, size_t C, size_t H)
{
    memory = room / C >= 4 * C + 3 * H ? memory : NULL;
    struct block_weights all;
    all.q = transposed(&memory, p->w_q, C, C);
    all.k = transposed(&memory, p->w_k, C, C);
    all.v = transposed(&memory, p->w_v, C, C);
    all.o = transposed(&memory, p->w_o, C, C);
    all.gate = transposed(&memory, p->w_gate, H, C);
    all.up = transposed(&memory, p->w_up, H, C);
    all.down = transposed(&memory, p->w_down, C, H);
    return all;
}

// ---- 8.6  one block -----------------------------------------------------------------------

// What the shares of a forward pass have in common.
struct forward {
    float *out, *weights;
    const struct language_block_buffers *z;
    const float *x;
    const struct language_block_params *params;
    struct block_weights w;
    struct angles angles;
    size_t T, C, NH, H, step; // step: the rows of a block of rows
};

// For some rows of x: the norm, the queries, keys and values, the rotation. Each head of the result
// is written to its own (T,hs) matrix. q, k and v are this share's rows of z->q, z->k and z->v.
static lab_status rows_to_heads(const struct forward *f, float *q, float *k, float *v,
                                size_t first, size_t rows)
{
    const struct language_block_buffers *z = f->z;
    const size_t T = f->T, C = f->C, NH = f->NH, hs = C / NH;
    float *normed1 = z->normed1 + first * C;
    LAB_TRY(
        rmsnorm(normed1, z->rrms1 + first, f->x + first * C, f->params->norm1, rows, C));
    linear_rows(q, 0.0f, normed1, f->w.q, rows, C, C);
    linear_rows(k, 0.0f, normed1, f->w.k, rows, C, C);
    linear_rows(v, 0.0f, normed1, f->w.v, rows, C, C);
    for (size_t n = 0; n < rows; n++) {
        const size_t b = (first + n) / T, t = (first + n) % T;
        const size_t to =
            (b * NH * T + t) * hs; // head 0; the others are T hs floats apart
        turn_heads(z->q_turned + to, T * hs, q + n * C, f->angles, 1.0f, t, NH, hs);
        turn_heads(z->k_turned + to, T * hs, k + n * C, f->angles, 1.0f, t, NH, hs);
        for (size_t h = 0; h < NH; h++) {
            lab_copy_few(z->v_heads + to + h * T * hs, v + n * C + h * hs, hs);
        }
    }
    return LAB_OK;
}

static lab_status share_to_heads(const void *context, struct lab_share share)
{
    const struct forward *f = context;
    const size_t own = share.from * f->C;
    for (size_t n = share.from; n < share.to; n += f->step) {
        LAB_TRY(rows_to_heads(f, f->z->q + own, f->z->k + own, f->z->v + own, n,
                              smaller(f->step, share.to - n)));
    }
    return LAB_OK;
}

// weights (rows,T) = softmax(scale scores), for queries first ... first + rows - 1. Query t sees keys
// 0 ... t; the weights of all others become 0. scores (rows,T) is overwritten: from key t + 1 to the
// end of its vector of 16, scores become -infinity, whose exponential is 0.
LAB_WIDE static void causal_softmax(float *restrict weights, float *restrict scores,
                                    float scale, size_t first, size_t rows, size_t T)
{
    const size_t vector = 16;
    for (size_t n = 0; n < rows; n++) {
        float *scores_n = scores + n * T, *weights_n = weights + n * T;
        const size_t seen = first + n + 1, full = (seen + vector - 1) / vector * vector;
        const size_t end = full < T ? full : T;
        const float max = lab_max(scores_n, seen);
        for (size_t s = seen; s < end; s++) {
            scores_n[s] = -INFINITY;
        }
        for (size_t s = 0; s < end; s++) {
            scores_n[s] = lab_exp(scale * (scores_n[s] - max));
        }
        const float share = 1.0f / lab_sum(scores_n, end);
        for (size_t s = 0; s < end; s++) {
            weights_n[s] = share * scores_n[s];
        }
        memset(weights_n + end, 0, (T - end) * sizeof *weights_n);
    }
}

// Causal attention of one head. Writes out (T,hs), whose rows are C floats apart, and weights (T,T).
// k_transposed (hs,T) and scores (QUERIES,T) are workspaces.
static void attend(float *out, float *weights, float *k_transposed, float *scores,
                   const float *q, const float *k, const float *v, size_t T, size_t C,
                   size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    transpose(k_transposed, k, T, hs);
    for (size_t t = 0; t < T; t += QUERIES) {
        const size_t rows = smaller(QUERIES, T - t), keys = t + rows;
        float *weights_t = weights + t * T;
        product(scores, T, (struct part){q + t * hs, hs}, (struct part){k_transposed, T},
                0.0f, rows, keys, hs);
        causal_softmax(weights_t, scores, scale, t, rows, T);
        product(out + t * C, C, (struct part){weights_t, T}, (struct part){v, hs}, 0.0f,
                rows, hs, keys);
    }
}

// The scores of QUERIES queries: the workspace of a head.
static size_t scores_of_head(size_t T)
{
    return smaller(QUERIES, T) * T;
}

// Head h of sequence b is b * NH + h.
static lab_status share_of_heads(const void *context, struct lab_share share)
{
    const struct forward *f = context;
    const struct language_block_buffers *z = f->z;
    const size_t T = f->T, C = f->C, hs = C / f->NH;
    float *k_transposed = z->q_heads + share.from * T * hs;
    float *scores = z->scores + share.index * scores_of_head(T);
    for (size_t i = share.from; i < share.to; i++) {
        const size_t head = i * T * hs, b = i / f->NH, h = i % f->NH;
        attend(z->merged + b * T * C + h * hs, f->weights + i * T * T, k_transposed,
               scores, z->q_turned + head, z->k_turned + head, z->v_heads + head, T, C,
               hs);
    }
    return LAB_OK;
}

// For some rows of merged: w_o and all that follows it in the block.
static lab_status rows_to_out(const struct forward *f, size_t first, size_t rows)
{
    const struct language_block_buffers *z = f->z;
    const size_t C = f->C, H = f->H, at = first * C, wide = first * H;
    const size_t bytes = rows * C * sizeof *f->x;
    memcpy(z->middle + at, f->x + at, bytes); // middle = x + attended
    linear_rows(z->middle + at, 1.0f, z->merged + at, f->w.o, rows, C, C);
    LAB_TRY(rmsnorm(z->normed2 + at, z->rrms2 + first, z->middle + at, f->params->norm2,
                    rows, C));
    linear_rows(z->gate + wide, 0.0f, z->normed2 + at, f->w.gate, rows, C, H);
    linear_rows(z->up + wide, 0.0f, z->normed2 + at, f->w.up, rows, C, H);
    LAB_TRY(swiglu(z->hidden + wide, z->gate + wide, z->up + wide, rows * H));
    memcpy(f->out + at, z->middle + at, bytes); // out = middle + projected
    linear_rows(f->out + at, 1.0f, z->hidden + wide, f->w.down, rows, H, C);
    return LAB_OK;
}

static lab_status share_to_out(const void *context, struct lab_share share)
{
    const struct forward *f = context;
    for (size_t n = share.from; n < share.to; n += f->step) {
        LAB_TRY(rows_to_out(f, n, smaller(f->step, share.to - n)));
    }
    return LAB_OK;
}

lab_status language_block(float *out, float *weights,
                          const struct language_block_buffers *z, const float *x,
                          const struct language_block_params *params, size_t B, size_t T,
                          size_t C, size_t NH, size_t H)
{
    if (!block_fits(B, T, C, NH, H)) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T, heads = B * NH, hs = C / NH;
    const size_t scores =
        lab_shares_of(heads) * scores_of_head(T); // they are first in z->scores
    const struct forward f = {
        out,
        weights,
        z,
        x,
        params,
        block_weights(params, z->scores + scores, heads * T * T - scores, C, H),
        make_angles(z->k_heads, T, hs),
        T,
        C,
        NH,
        H,
        rows_at_once(C, H)};
    for (size_t t = 0; t < T; t++) {
        z->positions[t] = t;
    }
    LAB_TRY(lab_share_out(share_to_heads, &f, N, lab_shares_of(N)));
    LAB_TRY(lab_share_out(share_of_heads, &f, heads, lab_shares_of(heads)));
    return lab_share_out(share_to_out, &f, N, lab_shares_of(N));
}

// ---- 8.7  the whole model -----------------------------------------------------------------

lab_status language_forward(float *loss, const struct language_activations *z,
                            const struct language_params *params, const size_t *tokens,
                            const size_t *targets, const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(language_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || (loss == NULL) != (targets == NULL) ||
        (targets != NULL && !tokens_below(targets, B * T, V))) {
        return LAB_EVALUE;
    }
    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;
    LAB_TRY(embedding(z->streams, tokens, params->token_table, B * T, C, V));
    for (size_t l = 0; l < s->L; l++) {
        const struct language_block_params block = language_block_params(params, s, l);
        const struct language_block_buffers buffers = language_block_buffers(z, s, l);
        LAB_TRY(language_block(z->streams + (l + 1) * BTC, z->weights + l * BNHTT,
                               &buffers, z->streams + l * BTC, &block, B, T, C, s->NH,
                               s->H));
    }
    LAB_TRY(rmsnorm(z->normed, z->rrms, z->streams + s->L * BTC, params->norm, B * T, C));
    linear_rows(z->logits, 0.0f, z->normed, (struct weights){params->w_out, NULL}, B * T,
                C, V);
    if (targets == NULL) {
        return LAB_OK;
    }
    return cross_entropy(loss, z->probabilities, z->logits, targets, B * T, V);
}

// ---- 8.8  backward ------------------------------------------------------------------------

// What the shares of a backward pass have in common.
struct backward {
    float *dx;
    const struct language_block_grads *grads; // for each share of the rows
    const struct language_gradients *dz;
    const float *dout, *x, *weights;
    const struct language_block_params *params;
    const struct language_block_buffers *z;
    struct angles angles;
    size_t T, C, NH, H, step;
};

// Workspaces of a few rows. Every block of rows of a share uses the same, so they stay in the cache.
struct few_rows {
    float *dhidden, *dgate, *dup;         // (step, H)
    float *dnormed1, *dnormed2, *dbranch; // (step, C)
};

static struct few_rows few_rows(const struct backward *f, struct lab_share share)
{
    const struct language_gradients *dz = f->dz;
    const size_t at = share.from * f->C, wide = share.from * f->H;
    return (struct few_rows){dz->dhidden + wide, dz->dgate + wide,  dz->dup + wide,
                             dz->dnormed1 + at,  dz->dnormed2 + at, dz->dbranch + at};
}

// For some rows of dout: back through the MLP and w_o, to dmiddle and dmerged.
static lab_status rows_to_merged(const struct backward *f,
                                 const struct language_block_grads *grads,
                                 struct few_rows few, size_t first, size_t rows)
{
    const struct language_gradients *dz = f->dz;
    const struct language_block_params *params = f->params;
    const struct language_block_buffers *z = f->z;
    const size_t C = f->C, H = f->H, at = first * C, wide = first * H;
    // forward: projected = hidden w_down^T
    linear_rows_backward(few.dhidden, 0.0f, grads->w_down, f->dout + at, z->hidden + wide,
                         params->w_down, rows, H, C);
    // forward: hidden = swiglu(gate, up)
    LAB_TRY(swiglu_backward(few.dgate, few.dup, few.dhidden, z->gate + wide, z->up + wide,
                            rows * H));
    // forward: gate = normed2 w_gate^T, up = normed2 w_up^T
    linear_rows_backward(few.dnormed2, 0.0f, grads->w_gate, few.dgate, z->normed2 + at,
                         params->w_gate, rows, C, H);
    linear_rows_backward(few.dnormed2, 1.0f, grads->w_up, few.dup, z->normed2 + at,
                         params->w_up, rows, C, H);
    // forward: normed2 = rmsnorm(middle)
    LAB_TRY(rmsnorm_backward(few.dbranch, grads->norm2, few.dnormed2, z->middle + at,
                             z->rrms2 + first, params->norm2, rows, C));
    // forward: out = middle + projected, and middle went into normed2 as well
    LAB_TRY(residual_add(dz->dmiddle + at, f->dout + at, few.dbranch, rows * C));
    // forward: attended = merged w_o^T
    linear_rows_backward(dz->dmerged + at, 0.0f, grads->w_o, dz->dmiddle + at,
                         z->merged + at, params->w_o, rows, C, C);
    return LAB_OK;
}

static lab_status share_to_merged(const void *context, struct lab_share share)
{
    const struct backward *f = context;
    const struct few_rows few = few_rows(f, share);
    for (size_t n = share.from; n < share.to; n += f->step) {
        LAB_TRY(rows_to_merged(f, &f->grads[share.index], few, n,
                               smaller(f->step, share.to - n)));
    }
    return LAB_OK;
}

// dscores = scale weights (dweights - their weighted mean), written over dweights (rows,T).
// Only the first keys of each row are read and written.
LAB_WIDE static void softmax_rows_backward(float *restrict dweights,
                                           const float *restrict weights, float scale,
                                           size_t rows, size_t keys, size_t T)
{
    for (size_t t = 0; t < rows; t++) {
        float *dweights_t = dweights + t * T;
        const float *weights_t = weights + t * T;
        const float mean = lab_dot(dweights_t, weights_t, keys); // the weights sum to 1
        for (size_t s = 0; s < keys; s++) {
            dweights_t[s] = scale * weights_t[s] * (dweights_t[s] - mean);
        }
    }
}

// The gradients of one head, and dout. Their rows are C floats apart.
struct head_gradients {
    float *dq, *dk, *dv;
    const float *dout;
};

// Back through attend. dscores (QUERIES,T) and v_transposed (hs,T) are workspaces. It starts
// with the last queries: they see all keys, so their share of dk and dv is written, not added.
static void attend_backward(const struct head_gradients *g, float *dscores,
                            float *v_transposed, const float *q, const float *k,
                            const float *v, const float *weights, size_t T, size_t C,
                            size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    const size_t last = (T - 1) / QUERIES * QUERIES;
    transpose(v_transposed, v, T, hs);
    for (size_t t = last + QUERIES; t > 0;) {
        t -= QUERIES;
        const size_t rows = smaller(QUERIES, T - t), keys = t + rows;
        const float beta = t == last ? 0.0f : 1.0f;
        const struct part dout = {g->dout + t * C, C}, weights_t = {weights + t * T, T};
        const struct part dscores_t = {dscores, T};
        // forward: out = weights v
        product(dscores, T, dout, (struct part){v_transposed, T}, 0.0f, rows, keys, hs);
        product_tn(g->dv, C, weights_t, dout, beta, keys, hs, rows);
        // forward: weights = softmax(scale q k^T)
        softmax_rows_backward(dscores, weights_t.at, scale, rows, keys, T);
        product(g->dq + t * C, C, dscores_t, (struct part){k, hs}, 0.0f, rows, hs, keys);
        product_tn(g->dk, C, dscores_t, (struct part){q + t * hs, hs}, beta, keys, hs,
                   rows);
    }
}

// Head h of sequence b is b * NH + h.
static lab_status share_of_heads_backward(const void *context, struct lab_share share)
{
    const struct backward *f = context;
    const struct language_gradients *dz = f->dz;
    const struct language_block_buffers *z = f->z;
    const size_t T = f->T, C = f->C, hs = C / f->NH;
    float *v_transposed = dz->dv_heads + share.from * T * hs;
    float *dscores = dz->dscores + share.index * scores_of_head(T);
    for (size_t i = share.from; i < share.to; i++) {
        const size_t head = i * T * hs, at = i / f->NH * T * C + i % f->NH * hs;
        const struct head_gradients g = {dz->dq + at, dz->dk + at, dz->dv + at,
                                         dz->dmerged + at};
        attend_backward(&g, dscores, v_transposed, z->q_turned + head, z->k_turned + head,
                        z->v_heads + head, f->weights + i * T * T, T, C, hs);
    }
    return LAB_OK;
}

// For some rows of dq, dk and dv: back to x.
static lab_status rows_to_x(const struct backward *f,
                            const struct language_block_grads *grads, struct few_rows few,
                            size_t first, size_t rows)
{
    const struct language_gradients *dz = f->dz;
    const struct language_block_params *params = f->params;
    const size_t T = f->T, C = f->C, NH = f->NH, hs = C / NH, at = first * C;
    const float *normed1 = f->z->normed1 + at;
    float *dq = dz->dq + at, *dk = dz->dk + at, *dv = dz->dv + at;
    // forward: q_turned, k_turned = rope(q), rope(k)
    for (size_t n = 0; n < rows; n++) {
        const size_t t = (first + n) % T;
        turn_heads(dq + n * C, hs, dq + n * C, f->angles, -1.0f, t, NH, hs);
        turn_heads(dk + n * C, hs, dk + n * C, f->angles, -1.0f, t, NH, hs);
    }
    // forward: q, k, v = normed1 w_q^T, w_k^T, w_v^T
    linear_rows_backward(few.dnormed1, 0.0f, grads->w_q, dq, normed1, params->w_q, rows,
                         C, C);
    linear_rows_backward(few.dnormed1, 1.0f, grads->w_k, dk, normed1, params->w_k, rows,
                         C, C);
    linear_rows_backward(few.dnormed1, 1.0f, grads->w_v, dv, normed1, params->w_v, rows,
                         C, C);
    // forward: normed1 = rmsnorm(x)
    LAB_TRY(rmsnorm_backward(few.dbranch, grads->norm1, few.dnormed1, f->x + at,
                             f->z->rrms1 + first, params->norm1, rows, C));
    // forward: middle = x + attended, and x went into normed1 as well
    return residual_add(f->dx + at, dz->dmiddle + at, few.dbranch, rows * C);
}

static lab_status share_to_x(const void *context, struct lab_share share)
{
    const struct backward *f = context;
    const struct few_rows few = few_rows(f, share);
    for (size_t n = share.from; n < share.to; n += f->step) {
        LAB_TRY(
            rows_to_x(f, &f->grads[share.index], few, n, smaller(f->step, share.to - n)));
    }
    return LAB_OK;
}

// ---- the gradients of a share ----
// The first share adds its part of the weights' gradients to those that the caller asked for. Each other
// share has its own, all zeros at first, which are added at the end.

static size_t count_of_grads(size_t C, size_t H)
{
    return 2 * C + 4 * C * C + 3 * H * C;
}

static struct language_block_grads grads_in(float *memory, size_t C, size_t H)
{
    float *w_q = memory + 2 * C, *w_gate = w_q + 4 * C * C;
    return (struct language_block_grads){
        .norm1 = memory,
        .norm2 = memory + C,
        .w_q = w_q,
        .w_k = w_q + C * C,
        .w_v = w_q + 2 * C * C,
        .w_o = w_q + 3 * C * C,
        .w_gate = w_gate,
        .w_up = w_gate + H * C,
        .w_down = w_gate + 2 * H * C,
    };
}

LAB_WIDE static void add_to(float *restrict sum, const float *restrict x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum[i] += x[i];
    }
}

static void add_grads(const struct language_block_grads *sum,
                      const struct language_block_grads *share, size_t C, size_t H)
{
    add_to(sum->norm1, share->norm1, C);
    add_to(sum->norm2, share->norm2, C);
    add_to(sum->w_q, share->w_q, C * C);
    add_to(sum->w_k, share->w_k, C * C);
    add_to(sum->w_v, share->w_v, C * C);
    add_to(sum->w_o, share->w_o, C * C);
    add_to(sum->w_gate, share->w_gate, H * C);
    add_to(sum->w_up, share->w_up, H * C);
    add_to(sum->w_down, share->w_down, C * H);
}

lab_status language_block_backward(float *dx, const struct language_block_grads *grads,
                                   const struct language_gradients *dz, const float *dout,
                                   const float *x,
                                   const struct language_block_params *params,
                                   const float *weights,
                                   const struct language_block_buffers *z, size_t B,
                                   size_t T, size_t C, size_t NH, size_t H)
{
    if (!block_fits(B, T, C, NH, H)) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T, heads = B * NH, count = count_of_grads(C, H);
    const size_t shares = smaller(lab_shares_of(N), 1 + heads * T * T / count);
    struct language_block_grads of_share[LAB_THREADS_MOST] = {*grads};
    for (size_t i = 1; i < shares; i++) { // dweights has no other use here
        float *memory = dz->dweights + (i - 1) * count;
        of_share[i] = grads_in(memory, C, H);
        memset(memory, 0, count * sizeof *memory);
    }
    const struct backward f = {dx,
                               of_share,
                               dz,
                               dout,
                               x,
                               weights,
                               params,
                               z,
                               make_angles(dz->dk_heads, T, C / NH),
                               T,
                               C,
                               NH,
                               H,
                               rows_at_once(C, H)};
    LAB_TRY(lab_share_out(share_to_merged, &f, N, shares));
    LAB_TRY(lab_share_out(share_of_heads_backward, &f, heads, lab_shares_of(heads)));
    LAB_TRY(lab_share_out(share_to_x, &f, N, shares));
    for (size_t i = 1; i < shares; i++) {
        add_grads(grads, &of_share[i], C, H);
    }
    return LAB_OK;
}

lab_status language_backward(const struct language_params *grads,
                             const struct language_gradients *dz,
                             const struct language_activations *z,
                             const struct language_params *params, const size_t *tokens,
                             const size_t *targets, const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t B = s->B, T = s->T, V = s->V;
    LAB_TRY(language_shape_check(shape));
    if (!tokens_below(tokens, B * T, V) || !tokens_below(targets, B * T, V)) {
        return LAB_EVALUE;
    }
    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;
    const float *last = z->streams + s->L * BTC;
    // forward: loss = cross_entropy(logits, targets)
    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, B * T, V));
    // forward: logits = normed w_out^T
    LAB_TRY(linear_backward(dz->dnormed, grads->w_out, NULL, dz->dlogits, z->normed,
                            params->w_out, B * T, C, V));
    // forward: normed = rmsnorm(streams[L])
    LAB_TRY(rmsnorm_backward(dz->dstreams + s->L * BTC, grads->norm, dz->dnormed, last,
                             z->rrms, params->norm, B * T, C));
    // forward: streams[l + 1] = language_block(streams[l])
    for (size_t l = s->L; l-- > 0;) {
        const struct language_block_params block = language_block_params(params, s, l);
        const struct language_block_grads block_grads = language_block_grads(grads, s, l);
        const struct language_block_buffers buffers = language_block_buffers(z, s, l);
        LAB_TRY(language_block_backward(
            dz->dstreams + l * BTC, &block_grads, dz, dz->dstreams + (l + 1) * BTC,
            z->streams + l * BTC, &block, z->weights + l * BNHTT, &buffers, B, T, C,
            s->NH, s->H));
    }
    // forward: streams[0] = embedding(tokens)
    return embedding_backward(grads->token_table, dz->dstreams, tokens, B * T, C, V);
}

// ---- 8.9  how good the model is -----------------------------------------------------------

lab_status held_out_loss(double *loss, const struct language_activations *z,
                         const struct language_params *params, const size_t *stream,
                         size_t N, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (N < 2) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(stream, N, shape->V)) {
        return LAB_EVALUE;
    }
    struct language_shape window = *shape;
    window.B = 1;
    double total = 0.0;
    for (size_t first = 0; first + 1 < N; first += shape->T) {
        const size_t left = N - 1 - first; // remaining targets
        window.T = left < shape->T ? left : shape->T;
        float mean;
        LAB_TRY(language_forward(&mean, z, params, stream + first, stream + first + 1,
                                 &window));
        total += (double)mean * (double)window.T;
    }
    *loss = total / (double)(N - 1);
    return LAB_OK;
}

lab_status perplexity(double *perplexity, double loss)
{
    if (!(loss >= 0.0)) { // written this way, it refuses NaN too
        return LAB_EVALUE;
    }
    *perplexity = exp(loss);
    return LAB_OK;
}

lab_status bits_per_character(double *bits, double loss)
{
    if (!(loss >= 0.0)) {
        return LAB_EVALUE;
    }
    *bits = loss / log(2.0);
    return LAB_OK;
}
