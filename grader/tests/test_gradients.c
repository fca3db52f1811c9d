// test_gradients.c - holds every backward pass of lab 6, the whole model of lab 8 and the backward
// pass of lab 10 against central differences.
//
// A gradient can be measured: change one input by h in both directions, and see how the loss
// changes. The forward functions below are written again, in double and without regard for
// speed, so they do not depend on the tested code or on float rounding. With h = 1e-5 the
// difference is right to about 1e-10, and only the rounding of the float gradient remains.
//
//   d loss / d x  ~  (loss(x + h) - loss(x - h)) / 2h
//
// The functions are the reference solutions', found by name as the judge finds them. Start
// reading at expect_gradient.

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "08_language_model/language_model.h"
#include "10_flash_attention/flash_attention.h"
#include "common/expect.h"
#include "common/rng.h"
#include "fast/common/vector_math.h"
#include "exercises/exercise.h"

// ---- the reference ------------------------------------------------------------------------

// The function of that name among the entries of that lab.
static any_function find(int lab, const char *name)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (const struct entry *e = place->entries; e->name != NULL; e++) {
            if (place->number == lab && strcmp(e->name, name) == 0) {
                return e->function;
            }
        }
    }
    cr_assert(false, "the grader knows no %s in lab %d", name, lab);
    return NULL;
}

#define REFERENCE_OF(lab, name) ((__typeof__(name) *)find(lab, #name))
#define REFERENCE(name) REFERENCE_OF(6, name)

// ---- numbers ------------------------------------------------------------------------------

enum { MOST = 4096 };

// A tensor twice: as the reference reads it, and as the double evaluation does.
struct tensor {
    size_t n;
    float f[MOST];
    double d[MOST];
};

static struct lab_rng rng;

static void seed(void)
{
    lab_rng_seed(&rng, 6);
}

TestSuite(gradients, .init = seed);

// n unit normals, times scale.
static void draw(struct tensor *t, size_t n, float scale)
{
    cr_assert(n <= MOST);
    t->n = n;
    lab_rng_randn(&rng, t->f, n);
    for (size_t i = 0; i < n; i++) {
        t->f[i] *= scale;
        t->d[i] = t->f[i];
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// ---- central differences ------------------------------------------------------------------

typedef double loss_function(const void *context);

// The allowed float error: 2e-6, or 2e-5 in lab 8's model, whose numbers are larger. Without
// rope_backward of k, that model's gradients are off by 1e-3 and more.
static const double close_by = 2e-6, close_by_in_language = 2e-5;

// Checks that got(n) is the gradient of loss with respect to x(n). The context contains x.
// Prints the first place that differs.
static bool is_gradient_within(double tolerance, const float *got, double *x, size_t n,
                               loss_function *loss, const void *context, char *what,
                               size_t what_size)
{
    const double h = 1e-5;
    for (size_t i = 0; i < n; i++) {
        const double before = x[i];
        x[i] = before + h;
        const double above = loss(context);
        x[i] = before - h;
        const double below = loss(context);
        x[i] = before;
        const double slope = (above - below) / (2 * h);
        if (!(fabs(got[i] - slope) <= tolerance * (1 + fabs(slope)))) {
            snprintf(what, what_size, "[%zu] is %.9g, the loss moves by %.9g", i,
                     (double)got[i], slope);
            return false;
        }
    }
    return true;
}

static bool is_gradient(const float *got, double *x, size_t n, loss_function *loss,
                        const void *context, char *what, size_t what_size)
{
    return is_gradient_within(close_by, got, x, n, loss, context, what, what_size);
}

#define expect_gradient(got, x, loss, context)                                           \
    do {                                                                                 \
        char what_[160] = "";                                                            \
        cr_expect(is_gradient(got, (x)->d, (x)->n, loss, context, what_, sizeof what_),  \
                  "%s%s", #got, what_);                                                  \
    } while (0)

// ---- forward, in double -------------------------------------------------------------------

// y (N,O) = x (N,I) w (O,I)^T + bias (O)
static void linear_d(double *y, const double *x, const double *w, const double *bias,
                     size_t N, size_t In, size_t Out)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < Out; o++) {
            y[n * Out + o] = bias[o] + dot(x + n * In, w + o * In, In);
        }
    }
}

// A row of -INFINITY, whose query sees no key, becomes zeros.
static void softmax_d(double *y, const double *x, size_t n)
{
    double max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        max = fmax(max, x[i]);
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] == -INFINITY ? 0 : exp(x[i] - max);
        sum += y[i];
    }
    for (size_t i = 0; i < n; i++) {
        y[i] /= sum > 0 ? sum : 1;
    }
}

// One head: out (T,hs), weights (T,S). The rows of q, k, v and out are `stride` apart.
static void head_d(double *out, double *weights, const double *q, const double *k,
                   const double *v, size_t stride, bool causal, size_t T, size_t S,
                   size_t hs)
{
    for (size_t t = 0; t < T; t++) {
        double scores[64];
        for (size_t s = 0; s < S; s++) {
            bool allowed = !causal || s + T <= t + S;
            scores[s] = allowed
                            ? dot(q + t * stride, k + s * stride, hs) / sqrt((double)hs)
                            : -INFINITY;
        }
        softmax_d(weights + t * S, scores, S);
        for (size_t c = 0; c < hs; c++) {
            out[t * stride + c] = 0;
            for (size_t s = 0; s < S; s++) {
                out[t * stride + c] += weights[t * S + s] * v[s * stride + c];
            }
        }
    }
}

static void layernorm_d(double *y, const double *x, const double *gain,
                        const double *bias, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const double *x_n = x + n * C;
        double mean = 0, variance = 0;
        for (size_t c = 0; c < C; c++) {
            mean += x_n[c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            variance += (x_n[c] - mean) * (x_n[c] - mean) / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] =
                (x_n[c] - mean) / sqrt(variance + (double)LAYERNORM_EPS) * gain[c] +
                bias[c];
        }
    }
}

static double gelu_d(double x)
{
    return 0.5 * x * erfc(-x / sqrt(2.0));
}

static double cross_entropy_d(const double *logits, const size_t *targets, size_t N,
                              size_t V)
{
    double loss = 0;
    for (size_t n = 0; n < N; n++) {
        double probabilities[64];
        softmax_d(probabilities, logits + n * V, V);
        loss -= log(probabilities[targets[n]]) / (double)N;
    }
    return loss;
}

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

// ---- the whole model ----------------------------------------------------------------------

struct whole {
    struct model model;
    struct tensor params, uniforms;
    size_t tokens[MOST], targets[MOST];
    bool trains;
};

static struct whole whole;

// The parameter that the model's pointer p points to, in double.
static const double *at(const struct whole *w, const float *p)
{
    return w->params.d + (p - w->model.param);
}

// One pre-norm block of x (B,T,C), in place.
static void block_d(double *x, const struct whole *w, const struct block_params *p)
{
    static double norm[MOST], qkv[MOST], heads[MOST], hidden[MOST], branch[MOST];
    const struct model_shape *s = &w->model.shape;
    const size_t B = s->B, T = s->T, C = s->C, H = s->H, hs = C / s->NH;

    layernorm_d(norm, x, at(w, p->ln1_gain), at(w, p->ln1_bias), B * T, C);
    linear_d(qkv, norm, at(w, p->attention.w_qkv), at(w, p->attention.b_qkv), B * T, C,
             3 * C);
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < s->NH; h++) {
            const double *q = qkv + b * T * 3 * C + h * hs;
            double out[MOST];
            head_d(out, weights_d, q, q + C, q + 2 * C, 3 * C, s->causal, T, T, hs);
            for (size_t t = 0; t < T; t++) {
                memcpy(heads + (b * T + t) * C + h * hs, out + t * 3 * C,
                       hs * sizeof *heads);
            }
        }
    }
    linear_d(branch, heads, at(w, p->attention.w_o), at(w, p->attention.b_o), B * T, C,
             C);
    for (size_t i = 0; i < B * T * C; i++) {
        x[i] += branch[i];
    }

    layernorm_d(norm, x, at(w, p->ln2_gain), at(w, p->ln2_bias), B * T, C);
    linear_d(hidden, norm, at(w, p->mlp.w_fc), at(w, p->mlp.b_fc), B * T, C, H);
    for (size_t i = 0; i < B * T * H; i++) {
        hidden[i] = gelu_d(hidden[i]);
    }
    linear_d(branch, hidden, at(w, p->mlp.w_proj), at(w, p->mlp.b_proj), B * T, H, C);
    for (size_t i = 0; i < B * T * C; i++) {
        x[i] += branch[i];
    }
}

static double model_loss(const void *context)
{
    static double x[MOST], logits[MOST];
    const struct whole *w = context;
    const struct model_shape *s = &w->model.shape;
    const struct model_params *p = &w->model.params;
    const size_t T = s->T, C = s->C;
    for (size_t i = 0; i < s->B * T * C; i++) {
        const size_t row = i / C, c = i % C;
        x[i] = at(w, p->token_table)[w->tokens[row] * C + c];
        if (s->positions == POSITIONS_LEARNED) {
            x[i] += at(w, p->position_table)[row % T * C + c];
        } else if (s->positions == POSITIONS_SINUSOIDAL) {
            x[i] += (double)p->position_table[row % T * C + c];
        }
        if (w->trains) {
            const bool kept = w->uniforms.f[i] < 1 - s->dropout;
            x[i] = kept ? x[i] / (1 - (double)s->dropout) : 0;
        }
    }
    for (size_t l = 0; l < s->L; l++) {
        const struct block_params block = model_block_params(p, s, l);
        block_d(x, w, &block);
    }
    linear_d(logits, x, at(w, p->w_out), at(w, p->b_out), s->B * T, C, s->V);
    return cross_entropy_d(logits, w->targets, s->B * T, s->V);
}

static void check_model(const struct model_shape *shape, bool trains)
{
    struct whole *w = &whole;
    struct model *m = &w->model;
    const size_t N = shape->B * shape->T;
    must_succeed(model_new(m, shape));
    must_succeed(model_start(m, &rng));
    cr_assert(m->P <= MOST);
    if (shape->positions == POSITIONS_SINUSOIDAL) {
        lab_rng_randn(&rng, m->params.position_table, shape->T_max * shape->C);
    }
    for (size_t i = 0; i < m->P; i++) { // gains of 1 and biases of 0 would hide mistakes
        float more;
        lab_rng_randn(&rng, &more, 1);
        m->param[i] += 0.2f * more;
        w->params.d[i] = m->param[i];
    }
    w->trains = trains;
    draw(&w->uniforms, N * shape->C, 1);
    lab_rng_rand(&rng, w->uniforms.f, N * shape->C);
    for (size_t n = 0; n < N; n++) {
        w->tokens[n] = (size_t)lab_rng_int(&rng, 0, (int64_t)shape->V);
        w->targets[n] = (size_t)lab_rng_int(&rng, 0, (int64_t)shape->V);
    }

    float loss;
    const float *uniforms = trains ? w->uniforms.f : NULL;
    must_succeed(REFERENCE(model_forward)(&loss, &m->activations, &m->params, w->tokens,
                                          w->targets, uniforms, shape));
    cr_expect(fabs(loss - model_loss(w)) <= 1e-6 * loss, "loss %.9g, in double %.9g",
              (double)loss, model_loss(w));
    must_succeed(REFERENCE(model_backward)(&m->grads, &m->gradients, &m->activations,
                                           &m->params, w->tokens, w->targets, uniforms,
                                           shape));
    for (const struct lab_row *row = model_params_rows; row->name != NULL; row++) {
        const float *grad = *lab_row_pointer(&m->grads, row);
        char what[160] = "";
        cr_expect(grad == NULL || is_gradient(grad, w->params.d + (grad - m->grad),
                                              model_row_count(row, shape), model_loss, w,
                                              what, sizeof what),
                  "gradient of %s%s", row->name, what);
    }
    model_free(m);
}

static const struct model_shape odd_shape = {.B = 2,
                                             .T = 5,
                                             .T_max = 6,
                                             .V = 7,
                                             .C = 6,
                                             .NH = 3,
                                             .H = 10,
                                             .L = 2,
                                             .causal = true,
                                             .positions = POSITIONS_LEARNED,
                                             .dropout = 0.3f};

Test(gradients, model_backward)
{
    check_model(&odd_shape, false);
}

Test(gradients, model_backward_with_dropout)
{
    check_model(&odd_shape, true);
}

Test(gradients, model_backward_without_mask_and_positions)
{
    struct model_shape shape = odd_shape;
    shape.causal = false;
    shape.positions = POSITIONS_NONE;
    shape.T = 9; // no table, so no limit
    check_model(&shape, false);
}

Test(gradients, model_backward_with_sinusoidal_positions)
{
    struct model_shape shape = odd_shape;
    shape.positions = POSITIONS_SINUSOIDAL;
    shape.B = 1;
    shape.L = 1;
    check_model(&shape, true);
}

// ---- the whole language model -------------------------------------------------------------

struct whole_language {
    struct language model;
    struct tensor params;
    size_t tokens[MOST], targets[MOST];
};

static struct whole_language language;

// The parameter that the model's pointer p points to, in double.
static const double *language_at(const struct whole_language *w, const float *p)
{
    return w->params.d + (p - w->model.param);
}

static void rmsnorm_d(double *y, const double *x, const double *gain, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const double *x_n = x + n * C;
        const double rms = sqrt(dot(x_n, x_n, C) / (double)C + (double)RMSNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = x_n[c] / rms * gain[c];
        }
    }
}

// Rotates the heads of x (B,T,C) in place, as a complex number times exp(i angle).
static void rope_d(double *x, const struct language_shape *s)
{
    const size_t hs = s->C / s->NH;
    for (size_t i = 0; i < s->B * s->T * s->C; i += 2) {
        const size_t t = i / s->C % s->T, pair = i % s->C % hs;
        const double angle = (double)t / pow(10000.0, (double)pair / (double)hs);
        const double first = x[i], second = x[i + 1];
        x[i] = first * cos(angle) - second * sin(angle);
        x[i + 1] = first * sin(angle) + second * cos(angle);
    }
}

// x += the attention of one block, x (B,T,C).
static void attention_d(double *x, const struct whole_language *w,
                        const struct language_block_params *p)
{
    static double norm[MOST], q[MOST], k[MOST], v[MOST], out[MOST], branch[MOST];
    static const double no_bias[MOST];
    const struct language_shape *s = &w->model.shape;
    const size_t N = s->B * s->T, C = s->C, hs = C / s->NH;
    rmsnorm_d(norm, x, language_at(w, p->norm1), N, C);
    linear_d(q, norm, language_at(w, p->w_q), no_bias, N, C, C);
    linear_d(k, norm, language_at(w, p->w_k), no_bias, N, C, C);
    linear_d(v, norm, language_at(w, p->w_v), no_bias, N, C, C);
    rope_d(q, s);
    rope_d(k, s);
    for (size_t i = 0; i < s->B * s->NH; i++) {
        const size_t head = i / s->NH * s->T * C + i % s->NH * hs;
        head_d(out + head, weights_d, q + head, k + head, v + head, C, true, s->T, s->T,
               hs);
    }
    linear_d(branch, out, language_at(w, p->w_o), no_bias, N, C, C);
    for (size_t i = 0; i < N * C; i++) {
        x[i] += branch[i];
    }
}

// x += the MLP of one block, x (B,T,C).
static void gated_mlp_d(double *x, const struct whole_language *w,
                        const struct language_block_params *p)
{
    static double norm[MOST], gate[MOST], up[MOST], branch[MOST];
    static const double no_bias[MOST];
    const struct language_shape *s = &w->model.shape;
    const size_t N = s->B * s->T, C = s->C, H = s->H;
    rmsnorm_d(norm, x, language_at(w, p->norm2), N, C);
    linear_d(gate, norm, language_at(w, p->w_gate), no_bias, N, C, H);
    linear_d(up, norm, language_at(w, p->w_up), no_bias, N, C, H);
    for (size_t i = 0; i < N * H; i++) {
        gate[i] *= up[i] / (1 + exp(-gate[i]));
    }
    linear_d(branch, gate, language_at(w, p->w_down), no_bias, N, H, C);
    for (size_t i = 0; i < N * C; i++) {
        x[i] += branch[i];
    }
}

static double language_loss(const void *context)
{
    static double x[MOST], norm[MOST], logits[MOST];
    static const double no_bias[MOST];
    const struct whole_language *w = context;
    const struct language_shape *s = &w->model.shape;
    const struct language_params *p = &w->model.params;
    const size_t N = s->B * s->T, C = s->C;
    for (size_t n = 0; n < N; n++) {
        memcpy(x + n * C, language_at(w, p->token_table) + w->tokens[n] * C,
               C * sizeof *x);
    }
    for (size_t l = 0; l < s->L; l++) {
        const struct language_block_params block = language_block_params(p, s, l);
        attention_d(x, w, &block);
        gated_mlp_d(x, w, &block);
    }
    rmsnorm_d(norm, x, language_at(w, p->norm), N, C);
    linear_d(logits, norm, language_at(w, p->w_out), no_bias, N, C, s->V);
    return cross_entropy_d(logits, w->targets, N, s->V);
}

// Weights so large that every part of the model matters, and gains that are not 1.
static void start_language(struct whole_language *w, const struct language_shape *shape)
{
    struct language *m = &w->model;
    must_succeed(language_new(m, shape, true));
    must_succeed(language_start(m, &rng));
    cr_assert(m->P <= MOST);
    for (size_t i = 0; i < m->P; i++) {
        float more;
        lab_rng_randn(&rng, &more, 1);
        m->param[i] += 0.3f * more;
        w->params.d[i] = m->param[i];
    }
    for (size_t n = 0; n < shape->B * shape->T; n++) {
        w->tokens[n] = (size_t)lab_rng_int(&rng, 0, (int64_t)shape->V);
        w->targets[n] = (size_t)lab_rng_int(&rng, 0, (int64_t)shape->V);
    }
}

static void check_language(const struct language_shape *shape)
{
    struct whole_language *w = &language;
    struct language *m = &w->model;
    float loss;
    start_language(w, shape);
    must_succeed(REFERENCE_OF(8, language_forward)(&loss, &m->activations, &m->params,
                                                   w->tokens, w->targets, shape));
    cr_expect(fabs(loss - language_loss(w)) <= 1e-6 * loss, "loss %.9g, in double %.9g",
              (double)loss, language_loss(w));
    must_succeed(REFERENCE_OF(8, language_backward)(&m->grads, &m->gradients,
                                                    &m->activations, &m->params,
                                                    w->tokens, w->targets, shape));
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        const float *grad = *lab_row_pointer(&m->grads, row);
        char what[160] = "";
        cr_expect(is_gradient_within(close_by_in_language, grad,
                                     w->params.d + (grad - m->grad),
                                     language_row_count(row, shape), language_loss, w,
                                     what, sizeof what),
                  "gradient of %s%s", row->name, what);
    }
    language_free(m);
}

Test(gradients, language_backward)
{
    check_language(&(struct language_shape){
        .B = 2, .T = 5, .V = 7, .C = 12, .NH = 3, .H = 10, .L = 2});
}

Test(gradients, language_backward_of_one_head)
{
    check_language(&(struct language_shape){
        .B = 1, .T = 9, .V = 5, .C = 6, .NH = 1, .H = 7, .L = 1});
}

// ---- memory -------------------------------------------------------------------------------

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                              \
    !LAB_HAS_FEATURE(address_sanitizer)

static size_t allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Replaces the C library's function in this program and the libraries that it uses.
void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

Test(gradients, a_training_step_allocates_nothing)
{
    const struct training settings = {.adam = {1e-3, 0.9, 0.999, 1e-8, 0.1},
                                      .max_norm = 1,
                                      .warmup = 2,
                                      .total = 9,
                                      .floor = 1e-4f};
    size_t data[4 * 5] = {1, 2, 3};
    float losses[9];
    struct model model;
    __typeof__(train) *reference = REFERENCE(train);
    must_succeed(model_new(&model, &odd_shape));
    must_succeed(model_start(&model, &rng));
    // BLAS wakes up
    must_succeed(reference(losses, &model, data, TASK_SORT, 4, &settings, 1));
    const size_t before = allocations;
    lab_status status = reference(losses + 1, &model, data, TASK_SORT, 4, &settings, 8);
    const size_t after = allocations;
    must_succeed(status);
    cr_expect(before > 0, "the counter counts nothing");
    cr_expect(after == before, "%zu allocations in 8 steps", after - before);
    model_free(&model);
}

#endif
