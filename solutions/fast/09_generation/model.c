// model.c - lab 8's model with a cache, at the memory's speed.
//
// Read solutions/09_generation/model.c first: it is the plain form of the same steps. A step for one
// token reads every weight and computes almost nothing; a prompt computes much with each weight.
// So the two are computed in different ways:
//
//   1. own products for      BLAS is made for many rows. For up to 5, lab_dots reads each matrix once,
//      few rows              as four streams (fast/common/vector_math.h).
//   2. a share for each      For one row (a step of one sequence), a block is four loops, and each thread does
//      thread                its share of each (fast/common/shares.h): q, k, v and attention of some heads, so
//                            that nobody waits between them; some rows of w_o; of gate and up; of
//                            w_down. Before it attends, it requests keys and values of many heads at
//                            once: each head is a short stream, and streams start slowly.
//   3. angles once           A row's cosines and sines are the same in every layer and head. The plain
//                            form computes them for each of these.
//   4. attention of a        Many queries of a sequence: products of BLAS with 48 of them at a time, up
//      prompt by products    to the last key they see, as in solutions/fast/08_language_model.
//   5. sums in BLAS          For many rows, BLAS adds both residuals to its products (beta = 1).
//
// 9.7 is as in the plain file.
//
// BEGIN MEASURED: build/bench/ladder 09_generation/model.c (make bench DOCS=1)
// AMD EPYC; gcc 12.2; OpenBLAS core Cooperlake; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// decode_step, B=1, T=12, C=512, NH=8, hs=64, H=1024, V=4096, L=1, R=12
//     plain, with fast cache.c and labs 2 to 8                    728.2 us   1.00
//     1 2 3  own products (this file)                             360.3 us   2.02
//
// prefill, B=1, T=260, C=96, NH=6, hs=16, H=256, V=64, L=1, n=256, R=260
//     plain, with fast cache.c and labs 2 to 8                   1470.6 us   1.00
//     3 4 5  attention by products (this file)                    872.0 us   1.69
// END MEASURED
//
// Start reading at prefill, then at cached_block.

#include "09_generation/generation.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "common/parallel.h"
#include "common/tokens.h"
#include "fast/common/shares.h"
#include "fast/common/vector_math.h"

enum { FEW = 5, BLOCK = 128, QUERIES = 48 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// ---- products -----------------------------------------------------------------------------

// y (R, O) = x w^T for up to three matrices w (O, I) that share x (R, I).
struct products {
    const float *x;
    size_t R, I, count;
    struct {
        float *y;
        struct generation_matrix w;
        size_t O;
    } part[3];
};

LAB_WIDE static void dots(float *y, const float *w, const float *x, size_t O, size_t I)
{
    lab_dots(y, w, x, O, I);
}

static size_t blocks_of(size_t O)
{
    return (O + BLOCK - 1) / BLOCK;
}

// Rows from ... to - 1 of a matrix, for each row of x. A block of it that the first row of x has
// read is in the cache for the next.
static void some_rows(const struct products *p, size_t which, size_t from, size_t to)
{
    const size_t step = p->R == 1 ? to - from : BLOCK, O = p->part[which].O;
    for (size_t o = from; o < to; o += step) {
        for (size_t r = 0; r < p->R; r++) {
            dots(p->part[which].y + r * O + o, p->part[which].w.weights + o * p->I,
                 p->x + r * p->I, smaller(step, to - o), p->I);
        }
    }
}

// Blocks first ... first + count - 1 of all the matrices: each block has BLOCK rows of one.
static void some_blocks(void *context, size_t first, size_t count)
{
    const struct products *p = context;
    for (size_t which = 0; which < p->count && count > 0; which++) {
        const size_t O = p->part[which].O, blocks = blocks_of(O);
        if (first >= blocks) {
            first -= blocks;
            continue;
        }
        const size_t here = smaller(count, blocks - first);
        some_rows(p, which, first * BLOCK, smaller(O, (first + here) * BLOCK));
        first = 0;
        count -= here;
    }
}

// y (R, O) = x (R, I) w^T + beta y
static void multiply_many(float *y, float beta, const float *x, const float *w, size_t R,
                          size_t I, size_t O)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)R, (int)O, (int)I, 1.0f, x,
                (int)I, w, (int)I, beta, y, (int)O);
}

static lab_status multiply(const struct products *all)
{
    struct products few = {all->x, all->R, all->I, 0, {{0}}}; // those for lab_dots
    size_t blocks = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct generation_matrix *w = &all->part[i].w;
        float *y = all->part[i].y;
        const size_t O = all->part[i].O;
        if (w->weights == NULL) {
            LAB_TRY(linear_int8(y, all->x, w->rows, w->scales, all->R, all->I, O));
        } else if (all->R > FEW) {
            multiply_many(y, 0.0f, all->x, w->weights, all->R, all->I, O);
        } else {
            few.part[few.count++] = all->part[i];
            blocks += blocks_of(O);
        }
    }
    if (blocks > 0) {
        lab_parallel(some_blocks, &few, blocks);
    }
    return LAB_OK;
}

lab_status generation_linear(float *y, const float *x, const struct generation_matrix *w,
                             size_t R, size_t I, size_t O)
{
    return multiply(&(struct products){x, R, I, 1, {{y, *w, O}}});
}

// out (R, O) = x (R, I) w^T + before (R, O); product (R, O) is a workspace.
static lab_status multiply_and_add(float *out, float *product, const float *x,
                                   const struct generation_matrix *w, const float *before,
                                   size_t R, size_t I, size_t O)
{
    if (R > FEW && w->weights != NULL) {
        memcpy(out, before, R * O * sizeof *out);
        multiply_many(out, 1.0f, x, w->weights, R, I, O);
        return LAB_OK;
    }
    LAB_TRY(generation_linear(product, x, w, R, I, O));
    for (size_t i = 0; i < R * O; i++) {
        out[i] = before[i] + product[i];
    }
    return LAB_OK;
}

// ---- rotation -----------------------------------------------------------------------------

// Cosines and sines of the R rows' positions, (R, hs / 2) each. They are in z->normed, which is
// needed only after the last block.
struct angles {
    float *cosine, *sine;
};

static struct angles make_angles(const struct generation_buffers *z, size_t R, size_t hs)
{
    const size_t pairs = hs / 2;
    const struct angles angles = {z->normed, z->normed + R * pairs};
    for (size_t i = 0; i < pairs; i++) {
        const double frequency = pow(10000.0, -2.0 * (double)i / (double)hs);
        for (size_t r = 0; r < R; r++) {
            const double angle = (double)z->positions[r] * frequency;
            angles.cosine[r * pairs + i] = (float)cos(angle);
            angles.sine[r * pairs + i] = (float)sin(angle);
        }
    }
    return angles;
}

LAB_WIDE static void turn(float *restrict out, const float *restrict x,
                          const float *restrict cosine, const float *restrict sine,
                          size_t pairs)
{
    for (size_t i = 0; i < pairs; i++) {
        const float first = x[2 * i], second = x[2 * i + 1];
        out[2 * i] = first * cosine[i] - second * sine[i];
        out[2 * i + 1] = first * sine[i] + second * cosine[i];
    }
}

// ---- attention of a layer -----------------------------------------------------------------

struct attention {
    const struct generation_buffers *z;
    float *keys, *values; // of this layer: (B, NH, T_max, hs)
    struct angles angles;
    size_t R, T_max, NH, hs;
};

// Where head h of row r's sequence is in the cache.
static size_t place_in_cache(const struct attention *a, size_t r, size_t h)
{
    return (a->z->sequences[r] * a->NH + h) * a->T_max * a->hs;
}

// Rotates the query of head h of row r, and stores its rotated key and its value.
static void append(const struct attention *a, size_t r, size_t h)
{
    const struct generation_buffers *z = a->z;
    const size_t hs = a->hs, pairs = hs / 2, at = (r * a->NH + h) * hs;
    const size_t to = place_in_cache(a, r, h) + z->positions[r] * hs;
    const float *cosine = a->angles.cosine + r * pairs,
                *sine = a->angles.sine + r * pairs;
    turn(z->q_turned + at, z->q + at, cosine, sine, pairs);
    turn(a->keys + to, z->k + at, cosine, sine, pairs);
    memcpy(a->values + to, z->v + at, hs * sizeof *z->v);
}

// Heads from ... to - 1 of a few rows, in order: a row of the same sequence sees those before it.
static lab_status few_rows(const struct attention *a, size_t from, size_t to)
{
    const struct generation_buffers *z = a->z;
    for (size_t h = from; h < to; h++) {
        for (size_t r = 0; r < a->R; r++) {
            const size_t i = r * a->NH + h, seen = z->positions[r] + 1;
            const size_t head = place_in_cache(a, r, h);
            append(a, r, h);
            LAB_TRY(attention_decode(z->merged + i * a->hs, z->weights + i * a->T_max,
                                     z->scores + i * a->T_max, z->q_turned + i * a->hs,
                                     a->keys + head, a->values + head, &seen, 1, 1,
                                     a->T_max, a->hs));
        }
    }
    return LAB_OK;
}

static lab_status share_of_rows(const void *context, struct lab_share heads)
{
    return few_rows(context, heads.from, heads.to);
}

// weights (rows, row) = softmax(scale scores), of which query n sees the first seen + n keys.
LAB_WIDE static void causal_softmax(float *restrict weights, const float *restrict scores,
                                    float scale, size_t seen, size_t rows, size_t row)
{
    for (size_t n = 0; n < rows; n++) {
        const float *scores_n = scores + n * row;
        float *weights_n = weights + n * row;
        const size_t keys = seen + n;
        const float max = lab_max(scores_n, keys);
        for (size_t s = 0; s < keys; s++) {
            weights_n[s] = lab_exp(scale * (scores_n[s] - max));
        }
        const float share = 1.0f / lab_sum(weights_n, keys);
        for (size_t s = 0; s < keys; s++) {
            weights_n[s] *= share;
        }
        memset(weights_n + keys, 0, (rows - 1 - n) * sizeof *weights_n);
    }
}

// Head h of R rows that are consecutive tokens of one sequence.
static void head_of_prompt(const struct attention *a, size_t h)
{
    const struct generation_buffers *z = a->z;
    const size_t hs = a->hs, C = a->NH * hs, head = place_in_cache(a, 0, h);
    const float scale = 1.0f / sqrtf((float)hs);
    const float *keys = a->keys + head, *values = a->values + head;
    for (size_t r = 0; r < a->R; r++) {
        append(a, r, h);
    }
    for (size_t r = 0; r < a->R; r += QUERIES) {
        const size_t rows = smaller(QUERIES, a->R - r), seen = z->positions[r] + 1;
        const size_t S = seen + rows - 1, at = r * C + h * hs;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)S, (int)hs,
                    1.0f, z->q_turned + at, (int)C, keys, (int)hs, 0.0f, z->scores,
                    (int)S);
        causal_softmax(z->weights, z->scores, scale, seen, rows, S);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)hs, (int)S,
                    1.0f, z->weights, (int)S, values, (int)hs, 0.0f, z->merged + at,
                    (int)C);
    }
}

// ---- a block of one row -------------------------------------------------------------------
//
// Every thread does a share of a matrix. A thread that has q, k and v of a head attends with it, and waits
// for the others only then.

struct one_row {
    const struct attention *attention;
    const struct generation_block *block;
    size_t C, H;
};

enum { LINE = 64, NEAR = 1 << 18 }; // bytes: of a line of the cache; requested at a time

// Rows from ... to - 1 of y = w x.
static lab_status product_rows(float *y, const float *x,
                               const struct generation_matrix *w, size_t I, size_t from,
                               size_t to)
{
    if (w->weights == NULL) {
        return linear_int8(y + from, x, w->rows + from * I, w->scales + from, 1, I,
                           to - from);
    }
    dots(y + from, w->weights + from * I, x, to - from, I);
    return LAB_OK;
}

// Requests the first `bytes` of the keys and values of heads from ... to - 1 from memory. Taking turns
// between many streams keeps more of the memory busy than one after the other.
static void request_heads(const struct attention *a, size_t from, size_t to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) {
        for (size_t h = from; h < to; h++) {
            const size_t head = place_in_cache(a, 0, h);
            __builtin_prefetch((const char *)(a->keys + head) + i, 0, 2);
            __builtin_prefetch((const char *)(a->values + head) + i, 0, 2);
        }
    }
}

static lab_status attend_to_heads(const struct attention *a, size_t from, size_t to)
{
    const size_t bytes = a->z->positions[0] * a->hs * sizeof(float); // of keys
    const size_t fit = NEAR / (2 * bytes + 1), at_once = fit > 0 ? fit : 1;
    for (size_t h = from; h < to; h += at_once) {
        const size_t end = smaller(h + at_once, to);
        request_heads(a, h, end, smaller(bytes, NEAR / 2));
        LAB_TRY(few_rows(a, h, end));
    }
    return LAB_OK;
}

static lab_status attention_share(const void *context, struct lab_share heads)
{
    const struct one_row *one = context;
    const struct generation_buffers *z = one->attention->z;
    const struct generation_block *w = one->block;
    const size_t hs = one->attention->hs, from = heads.from * hs, to = heads.to * hs;
    LAB_TRY(product_rows(z->q, z->normed1, &w->w_q, one->C, from, to));
    LAB_TRY(product_rows(z->k, z->normed1, &w->w_k, one->C, from, to));
    LAB_TRY(product_rows(z->v, z->normed1, &w->w_v, one->C, from, to));
    return attend_to_heads(one->attention, heads.from, heads.to);
}

// The other matrices are shared out in fours of their O rows, for lab_dots and linear_int8.
static size_t fours(size_t O)
{
    return (O + 3) / 4;
}

static struct lab_share rows_of(struct lab_share share, size_t O)
{
    return (struct lab_share){share.index, 4 * share.from, smaller(4 * share.to, O)};
}

// Rows of out = before + w x; product is a workspace.
static lab_status product_rows_and_add(float *out, float *product, const float *x,
                                       const struct generation_matrix *w,
                                       const float *before, size_t I,
                                       struct lab_share rows)
{
    LAB_TRY(product_rows(product, x, w, I, rows.from, rows.to));
    for (size_t o = rows.from; o < rows.to; o++) {
        out[o] = before[o] + product[o];
    }
    return LAB_OK;
}

static lab_status merge_share(const void *context, struct lab_share share)
{
    const struct one_row *one = context;
    const struct generation_buffers *z = one->attention->z;
    return product_rows_and_add(z->middle, z->attended, z->merged, &one->block->w_o,
                                z->stream, one->C, rows_of(share, one->C));
}

static lab_status hidden_share(const void *context, struct lab_share share)
{
    const struct one_row *one = context;
    const struct generation_buffers *z = one->attention->z;
    const struct lab_share rows = rows_of(share, one->H);
    const size_t from = rows.from, to = rows.to;
    LAB_TRY(product_rows(z->gate, z->normed2, &one->block->w_gate, one->C, from, to));
    LAB_TRY(product_rows(z->up, z->normed2, &one->block->w_up, one->C, from, to));
    return swiglu(z->hidden + from, z->gate + from, z->up + from, to - from);
}

static lab_status down_share(const void *context, struct lab_share share)
{
    const struct one_row *one = context;
    const struct generation_buffers *z = one->attention->z;
    return product_rows_and_add(z->stream, z->projected, z->hidden, &one->block->w_down,
                                z->middle, one->H, rows_of(share, one->C));
}

// What follows the first norm of a block.
static lab_status block_of_one(const struct attention *attention,
                               const struct generation_block *block,
                               const struct language_shape *s)
{
    const struct generation_buffers *z = attention->z;
    const struct one_row one = {attention, block, s->C, s->H};
    const size_t C = fours(s->C), H = fours(s->H);
    LAB_TRY(lab_share_out(attention_share, &one, s->NH, lab_shares_of(s->NH)));
    LAB_TRY(lab_share_out(merge_share, &one, C, lab_shares_of(C)));
    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, block->norm2, 1, s->C));
    LAB_TRY(lab_share_out(hidden_share, &one, H, lab_shares_of(H)));
    return lab_share_out(down_share, &one, C, lab_shares_of(C));
}

// ---- 9.3  prefill and decode steps --------------------------------------------------------

// What the R rows are: consecutive tokens of one sequence, or tokens of different ones.
enum rows { OF_A_PROMPT, OF_SEQUENCES };

static lab_status attend(const struct attention *a, enum rows rows)
{
    if (rows == OF_SEQUENCES || a->R <= FEW) {
        return lab_share_out(share_of_rows, a, a->NH, lab_shares_of(a->NH));
    }
    for (size_t h = 0; h < a->NH; h++) {
        head_of_prompt(a, h);
    }
    return LAB_OK;
}

// Block l on the R rows of z->stream, as lab 8's language_block.
static lab_status cached_block(const struct kv_cache *cache,
                               const struct generation_buffers *z, struct angles angles,
                               const struct generation_params *params, size_t l, size_t R,
                               enum rows rows, const struct language_shape *s)
{
    const size_t C = s->C, H = s->H, layer = l * s->B * s->T * C;
    const struct generation_block block = generation_block(params, s, l);
    const struct attention attention = {
        z, cache->keys + layer, cache->values + layer, angles, R, s->T, s->NH, C / s->NH};

    LAB_TRY(rmsnorm(z->normed1, z->rrms1, z->stream, block.norm1, R, C));
    if (R == 1) {
        return block_of_one(&attention, &block, s);
    }
    LAB_TRY(multiply(&(struct products){
        z->normed1,
        R,
        C,
        3,
        {{z->q, block.w_q, C}, {z->k, block.w_k, C}, {z->v, block.w_v, C}}}));
    LAB_TRY(attend(&attention, rows));
    LAB_TRY(multiply_and_add(z->middle, z->attended, z->merged, &block.w_o, z->stream, R,
                             C, C));

    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, block.norm2, R, C));
    LAB_TRY(multiply(&(struct products){
        z->normed2, R, C, 2, {{z->gate, block.w_gate, H}, {z->up, block.w_up, H}}}));
    LAB_TRY(swiglu(z->hidden, z->gate, z->up, R * H));
    return multiply_and_add(z->stream, z->projected, z->hidden, &block.w_down, z->middle,
                            R, H, C);
}

// All blocks, for R tokens whose sequences and positions are in z.
static lab_status all_blocks(const struct kv_cache *cache,
                             const struct generation_buffers *z,
                             const struct generation_params *params, const size_t *tokens,
                             size_t R, enum rows rows, const struct language_shape *s)
{
    if (R > INT_MAX || s->C > INT_MAX || s->H > INT_MAX || s->T > INT_MAX) {
        return LAB_ESHAPE; // BLAS counts with int
    }
    const struct angles angles = make_angles(z, R, s->C / s->NH);
    LAB_TRY(embedding(z->stream, tokens, params->token_table, R, s->C, s->V));
    for (size_t l = 0; l < s->L; l++) {
        LAB_TRY(cached_block(cache, z, angles, params, l, R, rows, s));
    }
    return LAB_OK;
}

// logits (R, V) of the R rows of x (R, C).
static lab_status logits_of(float *logits, const struct generation_buffers *z,
                            const struct generation_params *params, const float *x,
                            size_t R, const struct language_shape *s)
{
    LAB_TRY(rmsnorm(z->normed, z->rrms, x, params->norm, R, s->C));
    return generation_linear(logits, z->normed, &params->w_out, R, s->C, s->V);
}

lab_status prefill(float *logits, const struct kv_cache *cache,
                   const struct generation_buffers *z,
                   const struct generation_params *params, const size_t *tokens, size_t b,
                   size_t n, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (n == 0 || b >= shape->B || n > shape->T || cache->lengths[b] > shape->T - n) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, n, shape->V)) {
        return LAB_EVALUE;
    }
    for (size_t i = 0; i < n; i++) {
        z->sequences[i] = b;
        z->positions[i] = cache->lengths[b] + i;
    }
    LAB_TRY(all_blocks(cache, z, params, tokens, n, OF_A_PROMPT, shape));
    LAB_TRY(logits_of(logits, z, params, z->stream + (n - 1) * shape->C, 1, shape));
    cache->lengths[b] += n;
    return LAB_OK;
}

lab_status decode_step(float *logits, const struct kv_cache *cache,
                       const struct generation_buffers *z,
                       const struct generation_params *params, const size_t *tokens,
                       const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    const size_t B = shape->B;
    for (size_t b = 0; b < B; b++) {
        if (cache->lengths[b] >= shape->T) {
            return LAB_ESHAPE;
        }
    }
    if (!tokens_below(tokens, B, shape->V)) {
        return LAB_EVALUE;
    }
    for (size_t b = 0; b < B; b++) {
        z->sequences[b] = b;
        z->positions[b] = cache->lengths[b];
    }
    LAB_TRY(all_blocks(cache, z, params, tokens, B, OF_SEQUENCES, shape));
    LAB_TRY(logits_of(logits, z, params, z->stream, B, shape));
    for (size_t b = 0; b < B; b++) {
        cache->lengths[b]++;
    }
    return LAB_OK;
}

// ---- 9.7  many tokens ---------------------------------------------------------------------

// Does each prompt have tokens, and is there room for count more?
static bool prompts_fit(const size_t *lengths, size_t count,
                        const struct language_shape *shape)
{
    for (size_t b = 0; b < shape->B; b++) {
        if (lengths[b] == 0 || count > shape->T || lengths[b] > shape->T - count) {
            return false;
        }
    }
    return true;
}

lab_status generate_cached(size_t *tokens, const struct kv_cache *cache,
                           const struct generation_buffers *z,
                           const struct generation_params *params, float *probabilities,
                           size_t *order, const float *uniforms, const size_t *lengths,
                           const struct sampling *sampling, size_t count,
                           const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    if (count == 0 || !prompts_fit(lengths, count, shape)) {
        return LAB_ESHAPE;
    }
    const size_t B = shape->B, T = shape->T, V = shape->V;
    for (size_t b = 0; b < B; b++) {
        if (!tokens_below(tokens + b * T, lengths[b], V)) {
            return LAB_EVALUE;
        }
    }
    if (!sampling_allowed(sampling, uniforms, B * count)) {
        return LAB_EVALUE;
    }
    for (size_t b = 0; b < B; b++) {
        cache->lengths[b] = 0;
        LAB_TRY(prefill(z->logits + b * V, cache, z, params, tokens + b * T, b,
                        lengths[b], shape));
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));
        }
        for (size_t b = 0; b < B; b++) {
            LAB_TRY(sample_token(z->next + b, probabilities, order, z->logits + b * V,
                                 sampling, uniforms[b * count + i], V));
            tokens[b * T + lengths[b] + i] = z->next[b];
        }
    }
    return LAB_OK;
}
