// gradcheck.c - how make gradcheck calls this lab's backward functions. The sizes are tiny and
// different.

#include <string.h>

#include "07_positional_encoding/positions.h"
#include "08_language_model/language_model.h"
#include "common/gradcheck.h"

// ---- 8.3 -----------------------------------------------------------------------------------

struct norm { // N = 3, C = 4
    float x[3 * 4], gain[4], dy[3 * 4], y[3 * 4], rrms[3], dx[3 * 4], dgain[4];
};

static lab_status start_norm(struct gradcheck_call *c)
{
    static struct norm s;
    c->state = &s;
    GRADIENT(c, s, x, WRITTEN, 3, 4);
    GRADIENT(c, s, gain, ADDED, 4);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status norm_forward(double *loss, struct gradcheck_call *c)
{
    struct norm *s = c->state;
    LAB_TRY(FORWARD(c, rmsnorm)(s->y, s->rrms, s->x, s->gain, 3, 4));
    *loss = gradcheck_sum(s->y, s->dy, 3 * 4);
    return LAB_OK;
}

static lab_status norm_backward(struct gradcheck_call *c)
{
    struct norm *s = c->state;
    return rmsnorm_backward(s->dx, s->dgain, s->dy, s->x, s->rrms, s->gain, 3, 4);
}

// ---- 8.4 -----------------------------------------------------------------------------------

struct gate {
    float a[6], b[6], y[6], dy[6], da[6], db[6];
};

static lab_status start_gate(struct gradcheck_call *c)
{
    static struct gate s;
    c->state = &s;
    GRADIENT(c, s, a, WRITTEN, 6);
    GRADIENT(c, s, b, WRITTEN, 6);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status gate_forward(double *loss, struct gradcheck_call *c)
{
    struct gate *s = c->state;
    LAB_TRY(FORWARD(c, swiglu)(s->y, s->a, s->b, 6));
    *loss = gradcheck_sum(s->y, s->dy, 6);
    return LAB_OK;
}

static lab_status gate_backward(struct gradcheck_call *c)
{
    struct gate *s = c->state;
    return swiglu_backward(s->da, s->db, s->dy, s->a, s->b, 6);
}

// ---- 8.5 -----------------------------------------------------------------------------------

struct turned { // B = 1, NH = 2, T = 3, hs = 4
    float x[2 * 3 * 4], dx[2 * 3 * 4], y[2 * 3 * 4], dy[2 * 3 * 4];
};
static const size_t positions[3] = {0, 1, 5};

static lab_status start_turned(struct gradcheck_call *c)
{
    static struct turned s;
    c->state = &s;
    GRADIENT(c, s, x, WRITTEN, 2, 3, 4);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status turned_forward(double *loss, struct gradcheck_call *c)
{
    struct turned *s = c->state;
    LAB_TRY(FORWARD(c, rope)(s->y, s->x, positions, 1, 2, 3, 4));
    *loss = gradcheck_sum(s->y, s->dy, 2 * 3 * 4);
    return LAB_OK;
}

static lab_status turned_backward(struct gradcheck_call *c)
{
    struct turned *s = c->state;
    return rope_backward(s->dx, s->dy, positions, 1, 2, 3, 4);
}

// ---- 8.8 -----------------------------------------------------------------------------------

enum { B = 2, T = 3, C = 4, NH = 2, H = 5, V = 6, L = 2 };

struct whole {
    struct language model;
    float x[B * T * C], dx[B * T * C], out[B * T * C], dout[B * T * C];
};
static const size_t inputs[B * T] = {1, 5, 1, 0, 2, 3},
                               answers[B * T] = {1, 1, 5, 0, 2, 2};

// A model with all parameters drawn, gains, too.
static lab_status start_model(struct gradcheck_call *c)
{
    static struct whole s; // never freed: the program ends soon
    const struct language_shape shape = {
        .B = B, .T = T, .V = V, .C = C, .NH = NH, .H = H, .L = L};
    c->state = &s;
    LAB_TRY(language_new(&s.model, &shape, true));
    lab_rng_randn(&c->rng, s.model.param, s.model.P);
    for (size_t i = 0; i < s.model.P; i++) {
        s.model.param[i] *= 0.7f;
    }
    return LAB_OK;
}

static void add_parameters(struct gradcheck_call *c, const char *first, const char *last)
{
    struct whole *s = c->state;
    bool on = false;
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        size_t size[LAB_AXES];
        const size_t axes = language_row_shape(size, row, &s->model.shape);
        on = on || strcmp(row->name, first) == 0;
        if (on) {
            gradcheck_add_row(c, row, &s->model.params, &s->model.grads, size, axes);
        }
        on = on && strcmp(row->name, last) != 0;
    }
}

static lab_status start_whole_model(struct gradcheck_call *c)
{
    LAB_TRY(start_model(c));
    add_parameters(c, "token_table", "w_out");
    return LAB_OK;
}

static lab_status whole_forward(double *loss, struct gradcheck_call *c)
{
    struct whole *s = c->state;
    float mean;
    LAB_TRY(FORWARD(c, language_forward)(&mean, &s->model.activations, &s->model.params,
                                         inputs, answers, &s->model.shape));
    *loss = (double)mean;
    return LAB_OK;
}

static lab_status whole_backward(struct gradcheck_call *c)
{
    struct whole *s = c->state;
    return language_backward(&s->model.grads, &s->model.gradients, &s->model.activations,
                             &s->model.params, inputs, answers, &s->model.shape);
}

static lab_status start_block(struct gradcheck_call *c)
{
    LAB_TRY(start_model(c));
    struct whole *s = c->state;
    GRADIENT(c, *s, x, WRITTEN, B, T, C);
    DRAW(c, s->dout);
    s->model.shape.L = 1; // the tables show block 0 alone
    add_parameters(c, "norm1", "w_down");
    s->model.shape.L = L;
    return LAB_OK;
}

static lab_status block_forward(double *loss, struct gradcheck_call *c)
{
    struct whole *s = c->state;
    const struct language_block_params params =
        language_block_params(&s->model.params, &s->model.shape, 0);
    const struct language_block_buffers z =
        language_block_buffers(&s->model.activations, &s->model.shape, 0);
    LAB_TRY(FORWARD(c, language_block)(s->out, s->model.activations.weights, &z, s->x,
                                       &params, B, T, C, NH, H));
    *loss = gradcheck_sum(s->out, s->dout, B * T * C);
    return LAB_OK;
}

static lab_status run_block_backward(struct gradcheck_call *c)
{
    struct whole *s = c->state;
    const struct language_block_params params =
        language_block_params(&s->model.params, &s->model.shape, 0);
    const struct language_block_buffers z =
        language_block_buffers(&s->model.activations, &s->model.shape, 0);
    const struct language_block_grads grads =
        language_block_grads(&s->model.grads, &s->model.shape, 0);
    return language_block_backward(s->dx, &grads, &s->model.gradients, s->dout, s->x,
                                   &params, s->model.activations.weights, &z, B, T, C, NH,
                                   H);
}

const struct gradcheck gradchecks[] = {
    {"8.3", "rmsnorm_backward", "rmsnorm (8.3)", start_norm, norm_forward, norm_backward},
    {"8.4", "swiglu_backward", "swiglu (8.4)", start_gate, gate_forward, gate_backward},
    {"8.5", "rope_backward", "rope (7.3)", start_turned, turned_forward, turned_backward},
    {"8.8", "language_block_backward", "language_block (8.6)", start_block, block_forward,
     run_block_backward},
    {"8.8", "language_backward", "language_forward (8.7)", start_whole_model,
     whole_forward, whole_backward},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
