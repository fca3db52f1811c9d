// test_model_gradients.c - holds the backward passes of whole models, lab 6's and lab 8's, against
// central differences (gradients.h): every parameter is moved, and the loss is computed in double.
// At the end, lab 6's model is trained: a step allocates no memory.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "08_language_model/language_model.h"
#include "common/expect.h"
#include "fast/common/vector_math.h"
#include "tests/gradients.h"

TestSuite(model_gradients, .init = seed);

// ---- the whole model ----------------------------------------------------------------------

struct whole {
    struct model model;
    struct tensor params, uniforms;
    size_t tokens[MOST], targets[MOST];
    bool trains;
};

static struct whole whole;
static double weights_d[MOST]; // of a head, not needed

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

Test(model_gradients, model_backward)
{
    check_model(&odd_shape, false);
}

Test(model_gradients, model_backward_with_dropout)
{
    check_model(&odd_shape, true);
}

Test(model_gradients, model_backward_without_mask_and_positions)
{
    struct model_shape shape = odd_shape;
    shape.causal = false;
    shape.positions = POSITIONS_NONE;
    shape.T = 9; // no table, so no limit
    check_model(&shape, false);
}

Test(model_gradients, model_backward_with_sinusoidal_positions)
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

// The allowed float error. It is larger than in lab 6, because the numbers are. Without rope_backward
// of k, the gradients are off by 1e-3 and more.
static const double close_by_in_language = 2e-5;

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

Test(model_gradients, language_backward)
{
    check_language(&(struct language_shape){
        .B = 2, .T = 5, .V = 7, .C = 12, .NH = 3, .H = 10, .L = 2});
}

Test(model_gradients, language_backward_of_one_head)
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

Test(model_gradients, a_training_step_allocates_nothing)
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
