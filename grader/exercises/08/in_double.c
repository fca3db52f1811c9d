// in_double.c - the block and the model of lab 8 with every sum in double, rounded once when
// stored. A student's correct code may give the same results. An alternative for 8.6 to 8.8.

#include "exercises/exercise.h"
#include "exercises/08/03_rmsnorm.h"
#include "exercises/08/04_swiglu.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"
#include "exercises/common/in_double.h"

#include <math.h>
#include <string.h>

#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "08_language_model/language_model.h"

// ---- layers -------------------------------------------------------------------------------

static void attention(float *out, float *weights, const float *q, const float *k,
                      const float *v, size_t heads, size_t T, size_t hs)
{
    for (size_t i = 0; i < heads * T; i++) { // i = head * T + t
        const size_t keys = i / T * T * hs;
        weigh_in_double(weights + i * T, q + i * hs, k + keys, i % T + 1, T, hs);
        for (size_t c = 0; c < hs; c++) {
            out[i * hs + c] =
                (float)dot_in_double(weights + i * T, 1, v + keys + c, hs, T);
        }
    }
}

static void linear_back(float *dx, float *dw, const float *dy, const float *x,
                        const float *w, size_t N, size_t I, size_t O)
{
    for (size_t i = 0; i < N * I; i++) {
        dx[i] = (float)dot_in_double(dy + i / I * O, 1, w + i % I, I, O);
    }
    for (size_t i = 0; i < O * I; i++) {
        dw[i] = (float)((double)dw[i] + dot_in_double(dy + i / I, O, x + i % I, I, N));
    }
}

static void attention_back(const struct language_gradients *dz, const float *weights,
                           const struct language_block_buffers *z, size_t heads, size_t T,
                           size_t hs)
{
    const double root = sqrt((double)hs);
    for (size_t i = 0; i < heads; i++) {
        const size_t rows = i * T * hs, square = i * T * T;
        const float *dout = dz->dout_heads + rows, *w = weights + square;
        float *dw = dz->dweights + square, *ds = dz->dscores + square;
        for (size_t j = 0; j < T * T; j++) { // j = t * T + s
            dw[j] = (float)dot_in_double(dout + j / T * hs, 1,
                                         z->v_heads + rows + j % T * hs, 1, hs);
        }
        for (size_t j = 0; j < T * T; j++) {
            const double mean = dot_in_double(dw + j / T * T, 1, w + j / T * T, 1, T);
            ds[j] = (float)((double)w[j] * ((double)dw[j] - mean));
        }
        for (size_t j = 0; j < T * hs; j++) { // j = t * hs + c
            const size_t t = j / hs, c = j % hs, at = rows + j;
            const float *q = z->q_turned + rows + c, *k = z->k_turned + rows + c;
            dz->dq_turned[at] = (float)(dot_in_double(ds + t * T, 1, k, hs, T) / root);
            dz->dk_turned[at] = (float)(dot_in_double(ds + t, T, q, hs, T) / root);
            dz->dv_heads[at] = (float)dot_in_double(w + t, T, dout + c, hs, T);
        }
    }
}

// ---- one block ----------------------------------------------------------------------------

lab_status language_block_in_double(BLOCK_ARGUMENTS)
{
    // its checks, the mask and the positions
    const lab_status status = language_block(BLOCK_VALUES);
    if (status != LAB_OK) {
        return status;
    }
    const size_t N = B * T, hs = C / NH;
    rmsnorm_in_double(z->normed1, z->rrms1, x, params->norm1, N, C);
    linear_in_double(z->q, z->normed1, params->w_q, N, C, C);
    linear_in_double(z->k, z->normed1, params->w_k, N, C, C);
    linear_in_double(z->v, z->normed1, params->w_v, N, C, C);
    must(split_heads(z->q_heads, z->q, B, T, C, NH));
    must(split_heads(z->k_heads, z->k, B, T, C, NH));
    must(split_heads(z->v_heads, z->v, B, T, C, NH));
    must(rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs));
    must(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));
    attention(z->out_heads, weights, z->q_turned, z->k_turned, z->v_heads, B * NH, T, hs);
    must(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    linear_in_double(z->attended, z->merged, params->w_o, N, C, C);
    must(residual_add(z->middle, x, z->attended, N * C));
    rmsnorm_in_double(z->normed2, z->rrms2, z->middle, params->norm2, N, C);
    linear_in_double(z->gate, z->normed2, params->w_gate, N, C, H);
    linear_in_double(z->up, z->normed2, params->w_up, N, C, H);
    for (size_t i = 0; i < N * H; i++) {
        const double a = (double)z->gate[i];
        z->hidden[i] = (float)(a / (1.0 + exp(-a)) * (double)z->up[i]);
    }
    linear_in_double(z->projected, z->hidden, params->w_down, N, H, C);
    return residual_add(out, z->middle, z->projected, N * C);
}

static void add_to(float *sum, const float *summand, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += summand[i];
    }
}

lab_status language_block_backward_in_double(BLOCK_BACKWARD_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0 ||
        C / NH % 2 != 0) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T, hs = C / NH;
    linear_back(dz->dhidden, grads->w_down, dout, z->hidden, params->w_down, N, H, C);
    must(swiglu_backward_in_double(dz->dgate, dz->dup, dz->dhidden, z->gate, z->up,
                                   N * H));
    linear_back(dz->dbranch, grads->w_up, dz->dup, z->normed2, params->w_up, N, C, H);
    linear_back(dz->dnormed2, grads->w_gate, dz->dgate, z->normed2, params->w_gate, N, C,
                H);
    add_to(dz->dnormed2, dz->dbranch, N * C);
    must(rmsnorm_backward_in_double(dz->dbranch, grads->norm2, dz->dnormed2, z->middle,
                                    z->rrms2, params->norm2, N, C));
    must(residual_add(dz->dmiddle, dz->dbranch, dout, N * C));

    linear_back(dz->dmerged, grads->w_o, dz->dmiddle, z->merged, params->w_o, N, C, C);
    must(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    attention_back(dz, weights, z, B * NH, T, hs);
    must(rope_backward(dz->dq_heads, dz->dq_turned, z->positions, B, NH, T, hs));
    must(rope_backward(dz->dk_heads, dz->dk_turned, z->positions, B, NH, T, hs));
    must(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
    must(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
    must(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));

    linear_back(dz->dnormed1, grads->w_v, dz->dv, z->normed1, params->w_v, N, C, C);
    linear_back(dz->dbranch, grads->w_k, dz->dk, z->normed1, params->w_k, N, C, C);
    add_to(dz->dnormed1, dz->dbranch, N * C);
    linear_back(dz->dbranch, grads->w_q, dz->dq, z->normed1, params->w_q, N, C, C);
    add_to(dz->dnormed1, dz->dbranch, N * C);
    must(rmsnorm_backward_in_double(dz->dbranch, grads->norm1, dz->dnormed1, x, z->rrms1,
                                    params->norm1, N, C));
    return residual_add(dx, dz->dmiddle, dz->dbranch, N * C);
}

// ---- the whole model ----------------------------------------------------------------------

lab_status language_forward_in_double(FORWARD_ARGUMENTS)
{
    const struct language_shape *s = shape;
    const lab_status status = language_forward(FORWARD_VALUES); // its checks, its ends
    if (status != LAB_OK) {
        return status;
    }
    const size_t N = s->B * s->T, BTC = N * s->C;
    for (size_t l = 0; l < s->L; l++) {
        const struct language_block_params block = language_block_params(params, s, l);
        const struct language_block_buffers buffers = language_block_buffers(z, s, l);
        must(language_block_in_double(
            z->streams + (l + 1) * BTC, z->weights + l * N * s->NH * s->T, &buffers,
            z->streams + l * BTC, &block, s->B, s->T, s->C, s->NH, s->H));
    }
    rmsnorm_in_double(z->normed, z->rrms, z->streams + s->L * BTC, params->norm, N, s->C);
    linear_in_double(z->logits, z->normed, params->w_out, N, s->C, s->V);
    return targets == NULL
               ? LAB_OK
               : cross_entropy(loss, z->probabilities, z->logits, targets, N, s->V);
}

lab_status language_backward_in_double(BACKWARD_ARGUMENTS)
{
    const struct language_shape *s = shape;
    const size_t N = s->B * s->T, BTC = N * s->C;
    const lab_status status = language_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < N; i++) {
        if (tokens[i] >= s->V || targets[i] >= s->V) {
            return LAB_EVALUE;
        }
    }
    must(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, s->V));
    linear_back(dz->dnormed, grads->w_out, dz->dlogits, z->normed, params->w_out, N, s->C,
                s->V);
    must(rmsnorm_backward_in_double(dz->dstreams + s->L * BTC, grads->norm, dz->dnormed,
                                    z->streams + s->L * BTC, z->rrms, params->norm, N,
                                    s->C));
    for (size_t l = s->L; l-- > 0;) {
        const struct language_block_params block = language_block_params(params, s, l);
        const struct language_block_grads block_grads = language_block_grads(grads, s, l);
        const struct language_block_buffers buffers = language_block_buffers(z, s, l);
        must(language_block_backward_in_double(
            dz->dstreams + l * BTC, &block_grads, dz, dz->dstreams + (l + 1) * BTC,
            z->streams + l * BTC, &block, z->weights + l * N * s->NH * s->T, &buffers,
            s->B, s->T, s->C, s->NH, s->H));
    }
    return embedding_backward(grads->token_table, dz->dstreams, tokens, N, s->C, s->V);
}
