// test_gradients.c - holds each backward function of lab 6, and the backward pass of lab 10,
// against central differences (gradients.h). test_model_gradients.c does so with whole models.

#include <criterion/criterion.h>
#include <math.h>

#include "06_copy_task/copy_task.h"
#include "10_flash_attention/flash_attention.h"
#include "common/expect.h"
#include "tests/gradients.h"

TestSuite(gradients, .init = seed);

// ---- one function each --------------------------------------------------------------------

// The context of every loss below. Any output can be turned into a loss with a gradient dy: the
// sum of y dy.
struct layer {
    struct tensor dy, x, w, bias;
    struct tensor q, k, v;
    size_t tokens[MOST];
    size_t N, I_, O_, C, V, B, NH, T, S, hs;
    bool causal;
};

static struct layer layer;
static double y_d[MOST], weights_d[MOST];

static double linear_loss(const void *context)
{
    const struct layer *l = context;
    linear_d(y_d, l->x.d, l->w.d, l->bias.d, l->N, l->I_, l->O_);
    return dot(y_d, l->dy.d, l->dy.n);
}

Test(gradients, linear_backward)
{
    enum { N = 9, In = 7, Out = 5 };
    struct layer *l = &layer;
    l->N = N, l->I_ = In, l->O_ = Out;
    draw(&l->dy, N * Out, 1);
    draw(&l->x, N * In, 1);
    draw(&l->w, Out * In, 1);
    draw(&l->bias, Out, 1);
    float dx[N * In], dw[Out * In] = {0}, dbias[Out] = {0};
    must_succeed(
        REFERENCE(linear_backward)(dx, dw, dbias, l->dy.f, l->x.f, l->w.f, N, In, Out));
    expect_gradient(dx, &l->x, linear_loss, l);
    expect_gradient(dw, &l->w, linear_loss, l);
    expect_gradient(dbias, &l->bias, linear_loss, l);
}

static double softmax_loss(const void *context)
{
    const struct layer *l = context;
    for (size_t n = 0; n < l->N; n++) {
        softmax_d(y_d + n * l->S, l->x.d + n * l->S, l->S);
    }
    return dot(y_d, l->dy.d, l->dy.n);
}

Test(gradients, softmax_backward)
{
    enum { N = 6, S = 11 };
    struct layer *l = &layer;
    l->N = N, l->S = S;
    draw(&l->dy, N * S, 1);
    draw(&l->x, N * S, 2);
    float weights[N * S], dscores[N * S];
    (void)softmax_loss(l);
    for (size_t i = 0; i < N * S; i++) {
        weights[i] = (float)y_d[i];
    }
    must_succeed(REFERENCE(softmax_backward)(dscores, l->dy.f, weights, N, S));
    expect_gradient(dscores, &l->x, softmax_loss, l);

    // the test must detect the usual mistake, a Jacobian with only its diagonal
    char what[160];
    for (size_t i = 0; i < N * S; i++) {
        dscores[i] = weights[i] * (1 - weights[i]) * l->dy.f[i];
    }
    cr_expect(!is_gradient(dscores, l->x.d, N * S, softmax_loss, l, what, sizeof what));
}

static double attention_loss(const void *context)
{
    const struct layer *l = context;
    for (size_t i = 0; i < l->B * l->NH; i++) {
        const size_t queries = i * l->T * l->hs, keys = i * l->S * l->hs;
        head_d(y_d + queries, weights_d + i * l->T * l->S, l->q.d + queries,
               l->k.d + keys, l->v.d + keys, l->hs, l->causal, l->T, l->S, l->hs);
    }
    return dot(y_d, l->dy.d, l->dy.n);
}

static void check_attention(size_t B, size_t NH, size_t T, size_t S, size_t hs,
                            bool causal)
{
    static float dq[MOST], dk[MOST], dv[MOST], dweights[MOST], dscores[MOST],
        weights[MOST];
    struct layer *l = &layer;
    l->B = B, l->NH = NH, l->T = T, l->S = S, l->hs = hs, l->causal = causal;
    draw(&l->dy, B * NH * T * hs, 1);
    draw(&l->q, B * NH * T * hs, 1);
    draw(&l->k, B * NH * S * hs, 1);
    draw(&l->v, B * NH * S * hs, 1);
    (void)attention_loss(l);
    for (size_t i = 0; i < B * NH * T * S; i++) {
        weights[i] = (float)weights_d[i];
    }
    must_succeed(REFERENCE(attention_backward)(dq, dk, dv, dweights, dscores, l->dy.f,
                                               l->q.f, l->k.f, l->v.f, weights, B, NH, T,
                                               S, hs));
    expect_gradient(dq, &l->q, attention_loss, l);
    expect_gradient(dk, &l->k, attention_loss, l);
    expect_gradient(dv, &l->v, attention_loss, l);
}

Test(gradients, attention_backward)
{
    check_attention(2, 3, 4, 5, 6, true);
    check_attention(1, 2, 8, 8, 8, true); // whole vectors only
    check_attention(2, 1, 3, 17, 19, false);
    check_attention(1, 1, 1, 1, 1, true);
}

// The same loss for lab 10, whose backward pass gets out and logsumexp instead of the weights.
static void check_flash(size_t B, size_t NH, size_t T, size_t S, size_t hs, bool causal,
                        size_t Br, size_t Bc)
{
    static float dq[MOST], dk[MOST], dv[MOST], out[MOST], logsumexp[MOST], z[9][MOST];
    const struct flash_buffers forward = {z[0], z[1], z[2], z[3], z[4], z[5], z[6]};
    const struct flash_backward_buffers backward = {z[0], z[7], z[8]};
    struct layer *l = &layer;
    l->B = B, l->NH = NH, l->T = T, l->S = S, l->hs = hs, l->causal = causal;
    draw(&l->dy, B * NH * T * hs, 1);
    draw(&l->q, B * NH * T * hs, 1);
    draw(&l->k, B * NH * S * hs, 1);
    draw(&l->v, B * NH * S * hs, 1);
    must_succeed(REFERENCE_OF(10, flash_attention)(out, logsumexp, &forward, l->q.f,
                                                   l->k.f, l->v.f, causal, B, NH, T, S,
                                                   hs, Br, Bc));
    must_succeed(REFERENCE_OF(10, flash_attention_backward)(
        dq, dk, dv, &backward, l->dy.f, out, logsumexp, l->q.f, l->k.f, l->v.f, causal, B,
        NH, T, S, hs, Br, Bc));
    expect_gradient(dq, &l->q, attention_loss, l);
    expect_gradient(dk, &l->k, attention_loss, l);
    expect_gradient(dv, &l->v, attention_loss, l);
}

Test(gradients, flash_attention_backward)
{
    check_flash(2, 3, 4, 5, 6, true, 3, 2);
    check_flash(1, 2, 8, 8, 8, true, 8, 8);
    check_flash(2, 1, 3, 17, 19, false, 2, 5);
    check_flash(1, 2, 5, 3, 4, true, 2, 2); // queries 0 and 1 see no key
    check_flash(1, 1, 1, 1, 1, true, 4, 4);
}

static double layernorm_loss(const void *context)
{
    const struct layer *l = context;
    layernorm_d(y_d, l->x.d, l->w.d, l->bias.d, l->N, l->C);
    return dot(y_d, l->dy.d, l->dy.n);
}

Test(gradients, layernorm_backward)
{
    enum { N = 5, C = 19 };
    struct layer *l = &layer;
    l->N = N, l->C = C;
    draw(&l->dy, N * C, 1);
    draw(&l->x, N * C, 2);
    draw(&l->w, C, 1);
    draw(&l->bias, C, 1);
    float mean[N], rstd[N], dx[N * C], dgain[C] = {0}, dbias[C] = {0};
    for (size_t n = 0; n < N; n++) {
        double m = 0, variance = 0;
        for (size_t c = 0; c < C; c++) {
            m += l->x.d[n * C + c] / C;
        }
        for (size_t c = 0; c < C; c++) {
            variance += pow(l->x.d[n * C + c] - m, 2) / C;
        }
        mean[n] = (float)m;
        rstd[n] = (float)(1 / sqrt(variance + (double)LAYERNORM_EPS));
    }
    must_succeed(REFERENCE(layernorm_backward)(dx, dgain, dbias, l->dy.f, l->x.f, mean,
                                               rstd, l->w.f, N, C));
    expect_gradient(dx, &l->x, layernorm_loss, l);
    expect_gradient(dgain, &l->w, layernorm_loss, l);
    expect_gradient(dbias, &l->bias, layernorm_loss, l);
}

static double gelu_loss(const void *context)
{
    const struct layer *l = context;
    double loss = 0;
    for (size_t i = 0; i < l->x.n; i++) {
        loss += gelu_d(l->x.d[i]) * l->dy.d[i];
    }
    return loss;
}

Test(gradients, gelu_backward)
{
    enum { N = 301 };
    struct layer *l = &layer;
    float dx[N];
    draw(&l->dy, N, 1);
    draw(&l->x, N, 3);
    must_succeed(REFERENCE(gelu_backward)(dx, l->dy.f, l->x.f, N));
    expect_gradient(dx, &l->x, gelu_loss, l);
}

static double embedding_loss(const void *context)
{
    const struct layer *l = context;
    double loss = 0;
    for (size_t n = 0; n < l->N; n++) {
        loss += dot(l->w.d + l->tokens[n] * l->C, l->dy.d + n * l->C, l->C);
    }
    return loss;
}

Test(gradients, embedding_backward)
{
    enum { N = 12, C = 3, V = 5 };
    struct layer *l = &layer;
    l->N = N, l->C = C;
    draw(&l->dy, N * C, 1);
    draw(&l->w, V * C, 1);
    for (size_t n = 0; n < N; n++) {
        l->tokens[n] = (size_t)lab_rng_int(&rng, 0, V - 1); // the last one never
    }
    float dtable[V * C] = {0};
    must_succeed(REFERENCE(embedding_backward)(dtable, l->dy.f, l->tokens, N, C, V));
    expect_gradient(dtable, &l->w, embedding_loss, l);
}

static double cross_entropy_loss(const void *context)
{
    const struct layer *l = context;
    return cross_entropy_d(l->x.d, l->tokens, l->N, l->V);
}

Test(gradients, cross_entropy_and_its_backward)
{
    enum { N = 8, V = 11 };
    struct layer *l = &layer;
    l->N = N, l->V = V;
    draw(&l->x, N * V, 3);
    for (size_t n = 0; n < N; n++) {
        l->tokens[n] = (size_t)lab_rng_int(&rng, 0, V);
    }
    float loss, probabilities[N * V], dlogits[N * V];
    must_succeed(REFERENCE(cross_entropy)(&loss, probabilities, l->x.f, l->tokens, N, V));
    cr_expect(fabs(loss - cross_entropy_loss(l)) <= 1e-6 * loss);
    must_succeed(
        REFERENCE(cross_entropy_backward)(dlogits, probabilities, l->tokens, N, V));
    expect_gradient(dlogits, &l->x, cross_entropy_loss, l);
}
