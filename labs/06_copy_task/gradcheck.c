// gradcheck.c - how make gradcheck calls this lab's backward functions. The sizes are tiny and
// different, as the handout recommends.

#include <string.h>

#include "01_simple_attention/attention.h"
#include "06_copy_task/copy_task.h"
#include "common/gradcheck.h"

// ---- 6.4 -----------------------------------------------------------------------------------

struct loss {
    float logits[3 * 4], dlogits[3 * 4], probabilities[3 * 4];
};
static const size_t targets[3] = {2, 0, 2};

static lab_status start_loss(struct gradcheck_call *c)
{
    static struct loss s;
    c->state = &s;
    GRADIENT(c, s, logits, WRITTEN, 3, 4);
    return LAB_OK;
}

static lab_status loss_forward(double *loss, struct gradcheck_call *c)
{
    struct loss *s = c->state;
    float mean;
    LAB_TRY(FORWARD(c, cross_entropy)(&mean, s->probabilities, s->logits, targets, 3, 4));
    *loss = (double)mean;
    return LAB_OK;
}

static lab_status loss_backward(struct gradcheck_call *c)
{
    struct loss *s = c->state;
    return cross_entropy_backward(s->dlogits, s->probabilities, targets, 3, 4);
}

// ---- 6.5 -----------------------------------------------------------------------------------

struct layer { // N = 2, I = 3, O = 4
    float x[2 * 3], w[4 * 3], bias[4], dy[2 * 4], y[2 * 4];
    float dx[2 * 3], dw[4 * 3], dbias[4];
};

static lab_status start_layer(struct gradcheck_call *c)
{
    static struct layer s;
    c->state = &s;
    GRADIENT(c, s, x, WRITTEN, 2, 3);
    GRADIENT(c, s, w, ADDED, 4, 3);
    GRADIENT(c, s, bias, ADDED, 4);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status layer_forward(double *loss, struct gradcheck_call *c)
{
    struct layer *s = c->state;
    LAB_TRY(FORWARD(c, linear)(s->y, s->x, s->w, s->bias, 2, 3, 4));
    *loss = gradcheck_sum(s->y, s->dy, 2 * 4);
    return LAB_OK;
}

static lab_status layer_backward(struct gradcheck_call *c)
{
    struct layer *s = c->state;
    return linear_backward(s->dx, s->dw, s->dbias, s->dy, s->x, s->w, 2, 3, 4);
}

// ---- 6.6 -----------------------------------------------------------------------------------

struct softmax { // N = 2, S = 4
    float scores[2 * 4], dweights[2 * 4], weights[2 * 4], dscores[2 * 4];
};

static lab_status start_softmax(struct gradcheck_call *c)
{
    static struct softmax s;
    c->state = &s;
    GRADIENT(c, s, scores, WRITTEN, 2, 4);
    DRAW(c, s.dweights);
    return LAB_OK;
}

static lab_status softmax_forward(double *loss, struct gradcheck_call *c)
{
    struct softmax *s = c->state;
    LAB_TRY(FORWARD(c, softmax_rows)(s->weights, s->scores, 2, 4));
    *loss = gradcheck_sum(s->weights, s->dweights, 2 * 4);
    return LAB_OK;
}

static lab_status run_softmax_backward(struct gradcheck_call *c)
{
    struct softmax *s = c->state;
    return softmax_backward(s->dscores, s->dweights, s->weights, 2, 4);
}

// ---- 6.7 -----------------------------------------------------------------------------------

struct attention { // B = 1, NH = 2, T = 3, S = 4, hs = 2
    float q[2 * 3 * 2], k[2 * 4 * 2], v[2 * 4 * 2], dq[2 * 3 * 2], dk[2 * 4 * 2],
        dv[2 * 4 * 2];
    float out[2 * 3 * 2], dout[2 * 3 * 2], scores[2 * 3 * 4], weights[2 * 3 * 4];
    float dscores[2 * 3 * 4], dweights[2 * 3 * 4];
};

static lab_status start_attention(struct gradcheck_call *c)
{
    static struct attention s;
    c->state = &s;
    GRADIENT(c, s, q, WRITTEN, 2, 3, 2);
    GRADIENT(c, s, k, WRITTEN, 2, 4, 2);
    GRADIENT(c, s, v, WRITTEN, 2, 4, 2);
    DRAW(c, s.dout);
    return LAB_OK;
}

static lab_status attention_forward(double *loss, struct gradcheck_call *c)
{
    struct attention *s = c->state;
    LAB_TRY(FORWARD(c, scaled_dot_product_attention)(s->out, s->weights, s->scores, s->q,
                                                     s->k, s->v, NULL, 1, 2, 3, 4, 2));
    *loss = gradcheck_sum(s->out, s->dout, 2 * 3 * 2);
    return LAB_OK;
}

static lab_status run_attention_backward(struct gradcheck_call *c)
{
    struct attention *s = c->state;
    return attention_backward(s->dq, s->dk, s->dv, s->dweights, s->dscores, s->dout, s->q,
                              s->k, s->v, s->weights, 1, 2, 3, 4, 2);
}

// ---- 6.8 -----------------------------------------------------------------------------------

struct norm { // N = 3, C = 4
    float x[3 * 4], gain[4], bias[4], dy[3 * 4], y[3 * 4], mean[3], rstd[3];
    float dx[3 * 4], dgain[4], dbias[4];
};

static lab_status start_norm(struct gradcheck_call *c)
{
    static struct norm s;
    c->state = &s;
    GRADIENT(c, s, x, WRITTEN, 3, 4);
    GRADIENT(c, s, gain, ADDED, 4);
    GRADIENT(c, s, bias, ADDED, 4);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status norm_forward(double *loss, struct gradcheck_call *c)
{
    struct norm *s = c->state;
    LAB_TRY(FORWARD(c, layernorm)(s->y, s->mean, s->rstd, s->x, s->gain, s->bias, 3, 4));
    *loss = gradcheck_sum(s->y, s->dy, 3 * 4);
    return LAB_OK;
}

static lab_status norm_backward(struct gradcheck_call *c)
{
    struct norm *s = c->state;
    return layernorm_backward(s->dx, s->dgain, s->dbias, s->dy, s->x, s->mean, s->rstd,
                              s->gain, 3, 4);
}

// ---- 6.9 -----------------------------------------------------------------------------------

struct activation {
    float x[6], dx[6], y[6], dy[6];
};

static lab_status start_activation(struct gradcheck_call *c)
{
    static struct activation s;
    c->state = &s;
    GRADIENT(c, s, x, WRITTEN, 6);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status activation_forward(double *loss, struct gradcheck_call *c)
{
    struct activation *s = c->state;
    LAB_TRY(FORWARD(c, gelu)(s->y, s->x, 6));
    *loss = gradcheck_sum(s->y, s->dy, 6);
    return LAB_OK;
}

static lab_status activation_backward(struct gradcheck_call *c)
{
    struct activation *s = c->state;
    return gelu_backward(s->dx, s->dy, s->x, 6);
}

// ---- 6.10 ----------------------------------------------------------------------------------

struct lookup { // N = 5, C = 3, V = 4
    float table[4 * 3], dtable[4 * 3], y[5 * 3], dy[5 * 3];
};
static const size_t tokens[5] = {2, 0, 2, 3, 2}; // one repeats, one is missing

static lab_status start_lookup(struct gradcheck_call *c)
{
    static struct lookup s;
    c->state = &s;
    GRADIENT(c, s, table, ADDED, 4, 3);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status lookup_forward(double *loss, struct gradcheck_call *c)
{
    struct lookup *s = c->state;
    LAB_TRY(FORWARD(c, embedding)(s->y, tokens, s->table, 5, 3, 4));
    *loss = gradcheck_sum(s->y, s->dy, 5 * 3);
    return LAB_OK;
}

static lab_status lookup_backward(struct gradcheck_call *c)
{
    struct lookup *s = c->state;
    return embedding_backward(s->dtable, s->dy, tokens, 5, 3, 4);
}

// ---- 6.11 ----------------------------------------------------------------------------------

enum { B = 2, T = 3, C = 4, NH = 2, H = 5, V = 6, L = 2 };

struct whole {
    struct model model;
    float x[B * T * C], dx[B * T * C], out[B * T * C], dout[B * T * C];
};
static const size_t inputs[B * T] = {1, 5, 1, 0, 2, 3},
                               answers[B * T] = {1, 1, 5, 0, 2, 2};

// A model with all parameters drawn, gains and biases, too.
static lab_status start_model(struct gradcheck_call *c)
{
    static struct whole s; // never freed: the program ends soon
    const struct model_shape shape = {.B = B,
                                      .T = T,
                                      .T_max = T,
                                      .V = V,
                                      .C = C,
                                      .NH = NH,
                                      .H = H,
                                      .L = L,
                                      .causal = true,
                                      .positions = POSITIONS_LEARNED};
    c->state = &s;
    LAB_TRY(model_new(&s.model, &shape));
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
    for (const struct lab_row *row = model_params_rows; row->name != NULL; row++) {
        size_t size[LAB_AXES];
        const size_t axes = model_row_shape(size, row, &s->model.shape);
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
    add_parameters(c, "token_table", "b_out");
    return LAB_OK;
}

static lab_status whole_forward(double *loss, struct gradcheck_call *c)
{
    struct whole *s = c->state;
    float mean;
    LAB_TRY(FORWARD(c, model_forward)(&mean, &s->model.activations, &s->model.params,
                                      inputs, answers, NULL, &s->model.shape));
    *loss = (double)mean;
    return LAB_OK;
}

static lab_status whole_backward(struct gradcheck_call *c)
{
    struct whole *s = c->state;
    return model_backward(&s->model.grads, &s->model.gradients, &s->model.activations,
                          &s->model.params, inputs, answers, NULL, &s->model.shape);
}

static lab_status start_block(struct gradcheck_call *c)
{
    LAB_TRY(start_model(c));
    struct whole *s = c->state;
    GRADIENT(c, *s, x, WRITTEN, B, T, C);
    DRAW(c, s->dout);
    s->model.shape.L = 1; // the tables show block 0 alone
    add_parameters(c, "ln1_gain", "b_proj");
    s->model.shape.L = L;
    return LAB_OK;
}

static lab_status block_forward(double *loss, struct gradcheck_call *c)
{
    struct whole *s = c->state;
    const struct block_params params =
        model_block_params(&s->model.params, &s->model.shape, 0);
    const struct block_buffers z =
        model_block_buffers(&s->model.activations, &s->model.shape, 0);
    LAB_TRY(FORWARD(c, transformer_block)(s->out, s->model.activations.weights, &z, s->x,
                                          &params, true, B, T, C, NH, H));
    *loss = gradcheck_sum(s->out, s->dout, B * T * C);
    return LAB_OK;
}

static lab_status run_block_backward(struct gradcheck_call *c)
{
    struct whole *s = c->state;
    const struct block_params params =
        model_block_params(&s->model.params, &s->model.shape, 0);
    const struct block_buffers z =
        model_block_buffers(&s->model.activations, &s->model.shape, 0);
    const struct block_grads grads =
        model_block_grads(&s->model.grads, &s->model.shape, 0);
    return block_backward(s->dx, &grads, &s->model.gradients, s->dout, s->x, &params,
                          s->model.activations.weights, &z, B, T, C, NH, H);
}

const struct gradcheck gradchecks[] = {
    {"6.4", "cross_entropy_backward", "cross_entropy (6.3)", start_loss, loss_forward,
     loss_backward},
    {"6.5", "linear_backward", "linear (1.2)", start_layer, layer_forward,
     layer_backward},
    {"6.6", "softmax_backward", "softmax_rows (1.4)", start_softmax, softmax_forward,
     run_softmax_backward},
    {"6.7", "attention_backward", "scaled_dot_product_attention (4.5)", start_attention,
     attention_forward, run_attention_backward},
    {"6.8", "layernorm_backward", "layernorm (5.1)", start_norm, norm_forward,
     norm_backward},
    {"6.9", "gelu_backward", "gelu (5.2)", start_activation, activation_forward,
     activation_backward},
    {"6.10", "embedding_backward", "embedding (6.2)", start_lookup, lookup_forward,
     lookup_backward},
    {"6.11", "block_backward", "transformer_block (5.6)", start_block, block_forward,
     run_block_backward},
    {"6.11", "model_backward", "model_forward (6.11)", start_whole_model, whole_forward,
     whole_backward},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
