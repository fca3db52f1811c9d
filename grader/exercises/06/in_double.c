// in_double.c - see in_double.h. Start reading at model_forward_in_double.

#include "exercises/exercise.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"

#include <math.h>

// ---- one layer ----------------------------------------------------------------------------

// a[0] b[0] + a[a_step] b[b_step] + ..., n products
static double dot(const float *a, size_t a_step, const float *b, size_t b_step, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i * a_step] * b[i * b_step];
    }
    return sum;
}

// y (N,O) = x (N,I) w^T (I,O) + bias
static void linear(float *y, const float *x, const float *w, const float *bias, size_t N,
                   size_t I, size_t O)
{
    for (size_t i = 0; i < N * O; i++) {
        y[i] = (float)(dot(x + i / O * I, 1, w + i % O * I, 1, I) + (double)bias[i % O]);
    }
}

lab_status linear_backward_in_double(float *dx, float *dw, float *dbias, const float *dy,
                                     const float *x, const float *w, size_t N, size_t I,
                                     size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N * I; i++) {
        dx[i] = (float)dot(dy + i / I * O, 1, w + i % I, I, O);
    }
    for (size_t i = 0; i < O * I; i++) {
        dw[i] = (float)((double)dw[i] + dot(dy + i / I, O, x + i % I, I, N));
    }
    const float one = 1.0f;
    for (size_t o = 0; dbias != NULL && o < O; o++) {
        dbias[o] = (float)((double)dbias[o] + dot(dy + o, O, &one, 0, N));
    }
    return LAB_OK;
}

struct statistics {
    double mean, rstd;
};

static struct statistics statistics_of(const float *row, size_t C)
{
    const float one = 1.0f;
    const double mean = dot(row, 1, &one, 0, C) / (double)C;
    double variance = 0.0;
    for (size_t c = 0; c < C; c++) {
        variance += ((double)row[c] - mean) * ((double)row[c] - mean) / (double)C;
    }
    return (struct statistics){mean, 1.0 / sqrt(variance + (double)LAYERNORM_EPS)};
}

static void layer_norm(float *y, float *mean, float *rstd, const float *x,
                       const float *gain, const float *bias, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const struct statistics row = statistics_of(x + n * C, C);
        mean[n] = (float)row.mean;
        rstd[n] = (float)row.rstd;
        for (size_t c = 0; c < C; c++) {
            const double norm = ((double)x[n * C + c] - row.mean) * row.rstd;
            y[n * C + c] = (float)(norm * (double)gain[c] + (double)bias[c]);
        }
    }
}

lab_status layernorm_backward_in_double(float *dx, float *dgain, float *dbias,
                                        const float *dy, const float *x,
                                        const float *mean, const float *rstd,
                                        const float *gain, size_t N, size_t C)
{
    (void)mean, (void)rstd;
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *dy_n = dy + n * C, *x_n = x + n * C;
        const struct statistics row = statistics_of(x_n, C);
        double first = 0.0, second = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double norm = ((double)x_n[c] - row.mean) * row.rstd;
            first += (double)dy_n[c] * gain[c] / (double)C;
            second += (double)dy_n[c] * gain[c] * norm / (double)C;
            dgain[c] = (float)((double)dgain[c] + (double)dy_n[c] * norm);
            dbias[c] += dy_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            const double norm = ((double)x_n[c] - row.mean) * row.rstd;
            dx[n * C + c] =
                (float)(row.rstd * ((double)dy_n[c] * gain[c] - first - norm * second));
        }
    }
    return LAB_OK;
}

// The normal distribution's share below x.
static double share_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

lab_status gelu_backward_in_double(float *dx, const float *dy, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N; i++) {
        const double at = (double)x[i];
        const double pdf = exp(-0.5 * at * at) / sqrt(2.0 * acos(-1.0));
        dx[i] = (float)((double)dy[i] * (share_below(at) + at * pdf));
    }
    return LAB_OK;
}

// ---- attention ----------------------------------------------------------------------------

// One query: its weights over the S keys, of which it sees the first `seen`.
static void attend(float *weights, const float *q, const float *k, size_t seen, size_t S,
                   size_t hs)
{
    double max = -INFINITY, sum = 0.0;
    for (size_t s = 0; s < seen; s++) {
        const double score = dot(q, 1, k + s * hs, 1, hs) / sqrt((double)hs);
        max = fmax(max, score);
    }
    for (size_t s = 0; s < seen; s++) {
        sum += exp(dot(q, 1, k + s * hs, 1, hs) / sqrt((double)hs) - max);
    }
    for (size_t s = 0; s < S; s++) {
        const double score = dot(q, 1, k + s * hs, 1, hs) / sqrt((double)hs);
        weights[s] = s < seen ? (float)(exp(score - max) / sum) : 0.0f;
    }
}

// out and q (heads,T,hs), k and v (heads,T,hs), weights (heads,T,T)
static void attention(float *out, float *weights, const float *q, const float *k,
                      const float *v, bool causal, size_t heads, size_t T, size_t hs)
{
    for (size_t i = 0; i < heads * T; i++) { // i = head * T + t
        const size_t t = i % T, keys = i / T * T * hs;
        float *weights_i = weights + i * T;
        attend(weights_i, q + i * hs, k + keys, causal ? t + 1 : T, T, hs);
        for (size_t c = 0; c < hs; c++) {
            out[i * hs + c] = (float)dot(weights_i, 1, v + keys + c, hs, T);
        }
    }
}

lab_status attention_backward_in_double(float *dq, float *dk, float *dv, float *dweights,
                                        float *dscores, const float *dout, const float *q,
                                        const float *k, const float *v,
                                        const float *weights, size_t B, size_t NH,
                                        size_t T, size_t S, size_t hs)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    const double root = sqrt((double)hs);
    for (size_t i = 0; i < B * NH; i++) {
        const float *dout_i = dout + i * T * hs, *q_i = q + i * T * hs;
        const float *k_i = k + i * S * hs, *v_i = v + i * S * hs;
        const float *weights_i = weights + i * T * S;
        float *dweights_i = dweights + i * T * S, *dscores_i = dscores + i * T * S;
        for (size_t j = 0; j < T * S; j++) { // j = t * S + s
            dweights_i[j] = (float)dot(dout_i + j / S * hs, 1, v_i + j % S * hs, 1, hs);
        }
        for (size_t j = 0; j < T * S; j++) {
            const size_t row = j / S * S;
            const double mean = dot(dweights_i + row, 1, weights_i + row, 1, S);
            dscores_i[j] = (float)((double)weights_i[j] * ((double)dweights_i[j] - mean));
        }
        for (size_t j = 0; j < T * hs; j++) { // j = t * hs + c
            dq[i * T * hs + j] =
                (float)(dot(dscores_i + j / hs * S, 1, k_i + j % hs, hs, S) / root);
        }
        for (size_t j = 0; j < S * hs; j++) { // j = s * hs + c
            const size_t s = j / hs, c = j % hs;
            dk[i * S * hs + j] = (float)(dot(dscores_i + s, S, q_i + c, hs, T) / root);
            dv[i * S * hs + j] = (float)dot(weights_i + s, S, dout_i + c, hs, T);
        }
    }
    return LAB_OK;
}

// ---- one block ----------------------------------------------------------------------------

static void block(float *out, float *weights, const struct block_buffers *z,
                  const float *x, const struct block_params *params, bool causal,
                  size_t B, size_t T, size_t C, size_t NH, size_t H)
{
    const struct attention_buffers *a = &z->attention;
    const size_t N = B * T;
    layer_norm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain, params->ln1_bias, N,
               C);
    linear(a->qkv, z->ln1, params->attention.w_qkv, params->attention.b_qkv, N, C, 3 * C);
    must(split_qkv(a->q, a->k, a->v, a->qkv, B, T, C));
    must(split_heads(a->q_heads, a->q, B, T, C, NH));
    must(split_heads(a->k_heads, a->k, B, T, C, NH));
    must(split_heads(a->v_heads, a->v, B, T, C, NH));
    attention(a->out_heads, weights, a->q_heads, a->k_heads, a->v_heads, causal, B * NH,
              T, C / NH);
    must(merge_heads(a->merged, a->out_heads, B, T, C, NH));
    linear(z->attended, a->merged, params->attention.w_o, params->attention.b_o, N, C, C);
    must(residual_add(z->middle, x, z->attended, N * C));
    layer_norm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, params->ln2_gain,
               params->ln2_bias, N, C);
    linear(z->hidden, z->ln2, params->mlp.w_fc, params->mlp.b_fc, N, C, H);
    for (size_t i = 0; i < N * H; i++) {
        const double hidden = (double)z->hidden[i];
        z->activated[i] = (float)(hidden * share_below(hidden));
    }
    linear(z->projected, z->activated, params->mlp.w_proj, params->mlp.b_proj, N, H, C);
    must(residual_add(out, z->middle, z->projected, N * C));
}

lab_status block_backward_in_double(float *dx, const struct block_grads *grads,
                                    const struct model_gradients *dz, const float *dout,
                                    const float *x, const struct block_params *params,
                                    const float *weights, const struct block_buffers *z,
                                    size_t B, size_t T, size_t C, size_t NH, size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const struct attention_buffers *a = &z->attention;
    const size_t N = B * T;
    must(linear_backward_in_double(dz->dactivated, grads->w_proj, grads->b_proj, dout,
                                   z->activated, params->mlp.w_proj, N, H, C));
    must(gelu_backward_in_double(dz->dhidden, dz->dactivated, z->hidden, N * H));
    must(linear_backward_in_double(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden,
                                   z->ln2, params->mlp.w_fc, N, C, H));
    must(layernorm_backward_in_double(dz->dbranch, grads->ln2_gain, grads->ln2_bias,
                                      dz->dln2, z->middle, z->ln2_mean, z->ln2_rstd,
                                      params->ln2_gain, N, C));
    must(residual_add(dz->dmiddle, dout, dz->dbranch, N * C));

    must(linear_backward_in_double(dz->dmerged, grads->w_o, grads->b_o, dz->dmiddle,
                                   a->merged, params->attention.w_o, N, C, C));
    must(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    must(attention_backward_in_double(dz->dq_heads, dz->dk_heads, dz->dv_heads,
                                      dz->dweights, dz->dscores, dz->dout_heads,
                                      a->q_heads, a->k_heads, a->v_heads, weights, B, NH,
                                      T, T, C / NH));
    must(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
    must(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
    must(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
    join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, N, C);
    must(linear_backward_in_double(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv, z->ln1,
                                   params->attention.w_qkv, N, C, 3 * C));
    must(layernorm_backward_in_double(dz->dbranch, grads->ln1_gain, grads->ln1_bias,
                                      dz->dln1, x, z->ln1_mean, z->ln1_rstd,
                                      params->ln1_gain, N, C));
    return residual_add(dx, dz->dmiddle, dz->dbranch, N * C);
}

// ---- the whole model ----------------------------------------------------------------------

lab_status model_forward_in_double(float *loss, const struct model_activations *z,
                                   const struct model_params *params,
                                   const size_t *tokens, const size_t *targets,
                                   const float *uniforms, const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    // its checks, its start and end, and dropout, in which nothing is summed
    const lab_status status =
        model_forward(loss, z, params, tokens, targets, uniforms, shape);
    if (status != LAB_OK) {
        return status;
    }
    const size_t N = s->B * s->T, BTC = N * s->C, BNHTT = N * s->NH * s->T;
    for (size_t l = 0; l < s->L; l++) {
        const struct block_params block_l = model_block_params(params, s, l);
        const struct block_buffers buffers = model_block_buffers(z, s, l);
        block(z->streams + (l + 1) * BTC, z->weights + l * BNHTT, &buffers,
              z->streams + l * BTC, &block_l, s->causal, s->B, s->T, s->C, s->NH, s->H);
    }
    linear(z->logits, z->streams + s->L * BTC, params->w_out, params->b_out, N, s->C,
           s->V);
    return targets == NULL
               ? LAB_OK
               : cross_entropy(loss, z->probabilities, z->logits, targets, N, s->V);
}

lab_status model_backward_in_double(const struct model_params *grads,
                                    const struct model_gradients *dz,
                                    const struct model_activations *z,
                                    const struct model_params *params,
                                    const size_t *tokens, const size_t *targets,
                                    const float *uniforms,
                                    const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    lab_status status = model_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    const size_t N = s->B * s->T, TC = s->T * s->C, BTC = N * s->C;
    if (!tokens_below(tokens, N, s->V) || !tokens_below(targets, N, s->V)) {
        return LAB_EVALUE;
    }
    must(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, s->V));
    must(linear_backward_in_double(dz->dstreams + s->L * BTC, grads->w_out, grads->b_out,
                                   dz->dlogits, z->streams + s->L * BTC, params->w_out, N,
                                   s->C, s->V));
    for (size_t l = s->L; l-- > 0;) {
        const struct block_params block_l = model_block_params(params, s, l);
        const struct block_grads grads_l = model_block_grads(grads, s, l);
        const struct block_buffers buffers = model_block_buffers(z, s, l);
        must(block_backward_in_double(dz->dstreams + l * BTC, &grads_l, dz,
                                      dz->dstreams + (l + 1) * BTC, z->streams + l * BTC,
                                      &block_l, z->weights + l * N * s->NH * s->T,
                                      &buffers, s->B, s->T, s->C, s->NH, s->H));
    }
    must(dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
                 BTC));
    const float one = 1.0f;
    for (size_t i = 0; grads->position_table != NULL && i < TC; i++) {
        float *sum = &grads->position_table[i];
        *sum = (float)((double)*sum + dot(dz->dpositioned + i, TC, &one, 0, s->B));
    }
    return embedding_backward(grads->token_table, dz->dpositioned, tokens, N, s->C, s->V);
}
