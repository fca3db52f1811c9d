// model.c - lays out a model in memory. Three tables describe the layout.
//
// Each row of a table has the name of a tensor, its shape, and the offset of its pointer.
// The order of the rows is the order in memory. rows.c iterates over them.

#include "common/model.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the tables ---------------------------------------------------------------------------

// clang-format off
#define ROW(name, shape) {#name, shape, offsetof(struct model_params, name)}
const struct lab_row model_params_rows[] = {
    ROW(token_table,    "V C"),
    ROW(position_table, "T_max C"), // only if it is learned
    ROW(ln1_gain,       "L C"),
    ROW(ln1_bias,       "L C"),
    ROW(w_qkv,          "L 3C C"),
    ROW(b_qkv,          "L 3C"),
    ROW(w_o,            "L C C"),
    ROW(b_o,            "L C"),
    ROW(ln2_gain,       "L C"),
    ROW(ln2_bias,       "L C"),
    ROW(w_fc,           "L H C"),
    ROW(b_fc,           "L H"),
    ROW(w_proj,         "L C H"),
    ROW(b_proj,         "L C"),
    ROW(w_out,          "V C"),
    ROW(b_out,          "V"),
    {0},
};
#undef ROW

#define ROW(name, shape) {#name, shape, offsetof(struct model_activations, name)}
const struct lab_row model_activations_rows[] = {
    ROW(embedded,      "B T C"),
    ROW(positioned,    "B T C"),
    ROW(streams,       "L+1 B T C"),
    ROW(ln1,           "L B T C"),
    ROW(ln1_mean,      "L B T"),
    ROW(ln1_rstd,      "L B T"),
    ROW(qkv,           "L B T 3C"),
    ROW(q,             "L B T C"),
    ROW(k,             "L B T C"),
    ROW(v,             "L B T C"),
    ROW(q_heads,       "L B NH T hs"),
    ROW(k_heads,       "L B NH T hs"),
    ROW(v_heads,       "L B NH T hs"),
    ROW(scores,        "L B NH T T"),
    ROW(weights,       "L B NH T T"),
    ROW(out_heads,     "L B NH T hs"),
    ROW(merged,        "L B T C"),
    ROW(attended,      "L B T C"),
    ROW(middle,        "L B T C"),
    ROW(ln2,           "L B T C"),
    ROW(ln2_mean,      "L B T"),
    ROW(ln2_rstd,      "L B T"),
    ROW(hidden,        "L B T H"),
    ROW(activated,     "L B T H"),
    ROW(projected,     "L B T C"),
    ROW(logits,        "B T V"),
    ROW(probabilities, "B T V"),
    {0},
};
#undef ROW

#define ROW(name, shape) {#name, shape, offsetof(struct model_gradients, name)}
const struct lab_row model_gradients_rows[] = {
    ROW(dlogits,     "B T V"),
    ROW(dstreams,    "L+1 B T C"),
    ROW(dactivated,  "B T H"),
    ROW(dhidden,     "B T H"),
    ROW(dln2,        "B T C"),
    ROW(dmiddle,     "B T C"),
    ROW(dmerged,     "B T C"),
    ROW(dout_heads,  "B NH T hs"),
    ROW(dq_heads,    "B NH T hs"),
    ROW(dk_heads,    "B NH T hs"),
    ROW(dv_heads,    "B NH T hs"),
    ROW(dweights,    "B NH T T"),
    ROW(dscores,     "B NH T T"),
    ROW(dq,          "B T C"),
    ROW(dk,          "B T C"),
    ROW(dv,          "B T C"),
    ROW(dqkv,        "B T 3C"),
    ROW(dln1,        "B T C"),
    ROW(dbranch,     "B T C"),
    ROW(dpositioned, "B T C"),
    {0},
};
#undef ROW
// clang-format on

// ---- sizes --------------------------------------------------------------------------------

lab_status model_shape_check(const struct model_shape *shape)
{
    const struct model_shape *s = shape;
    const size_t most = INT_MAX, widest = (size_t)1 << 20;
    if (s->B == 0 || s->T == 0 || s->V == 0 || s->C == 0 || s->NH == 0 || s->H == 0 ||
        s->L == 0 || s->C % s->NH != 0) {
        return LAB_ESHAPE;
    }
    if (s->positions != POSITIONS_NONE && s->T > s->T_max) {
        return LAB_ESHAPE;
    }
    // Ensures that no product of sizes below overflows, and that rows fit the int that BLAS
    // uses.
    if (s->C > widest || s->H > widest || s->V > most || s->T > most ||
        s->B > most / s->T || s->L > widest || s->T_max > most) {
        return LAB_ESHAPE;
    }
    if ((unsigned)s->positions > POSITIONS_SINUSOIDAL ||
        !(0.0f <= s->dropout && s->dropout < 1.0f)) {
        return LAB_EVALUE;
    }
    return LAB_OK;
}

// What the words of the tables mean. The list fits into a struct, so that it can be returned.
struct model_sizes {
    struct lab_size list[12];
};

// Without a learned table of positions, T_max is 0, and with it the table does not exist.
static struct model_sizes sizes_of(const struct model_shape *shape)
{
    const bool learned = shape->positions == POSITIONS_LEARNED;
    return (struct model_sizes){{
        {"B", shape->B},
        {"T", shape->T},
        {"T_max", learned ? shape->T_max : 0},
        {"V", shape->V},
        {"C", shape->C},
        {"3C", 3 * shape->C},
        {"NH", shape->NH},
        {"hs", shape->C / shape->NH},
        {"H", shape->H},
        {"L", shape->L},
        {"L+1", shape->L + 1},
        {0},
    }};
}

size_t model_row_shape(size_t size[LAB_AXES], const struct lab_row *row,
                       const struct model_shape *shape)
{
    return lab_row_shape(size, row, sizes_of(shape).list);
}

size_t model_row_count(const struct lab_row *row, const struct model_shape *shape)
{
    return lab_row_count(row, sizes_of(shape).list);
}

size_t model_count(const struct lab_row *rows, const struct model_shape *shape)
{
    return lab_rows_count(rows, sizes_of(shape).list);
}

void model_lay_out(void *tensors, const struct lab_row *rows,
                   const struct model_shape *shape, float *memory)
{
    lab_rows_lay_out(tensors, rows, sizes_of(shape).list, memory);
}

// ---- one block ----------------------------------------------------------------------------

struct block_params model_block_params(const struct model_params *params,
                                       const struct model_shape *shape, size_t l)
{
    const struct block_grads p = model_block_grads(params, shape, l);
    return (struct block_params){
        .ln1_gain = p.ln1_gain,
        .ln1_bias = p.ln1_bias,
        .attention = {.w_qkv = p.w_qkv, .b_qkv = p.b_qkv, .w_o = p.w_o, .b_o = p.b_o},
        .ln2_gain = p.ln2_gain,
        .ln2_bias = p.ln2_bias,
        .mlp = {.w_fc = p.w_fc, .b_fc = p.b_fc, .w_proj = p.w_proj, .b_proj = p.b_proj},
    };
}

struct block_grads model_block_grads(const struct model_params *grads,
                                     const struct model_shape *shape, size_t l)
{
    const size_t C = shape->C, H = shape->H;
    return (struct block_grads){
        .ln1_gain = grads->ln1_gain + l * C,
        .ln1_bias = grads->ln1_bias + l * C,
        .w_qkv = grads->w_qkv + l * 3 * C * C,
        .b_qkv = grads->b_qkv + l * 3 * C,
        .w_o = grads->w_o + l * C * C,
        .b_o = grads->b_o + l * C,
        .ln2_gain = grads->ln2_gain + l * C,
        .ln2_bias = grads->ln2_bias + l * C,
        .w_fc = grads->w_fc + l * H * C,
        .b_fc = grads->b_fc + l * H,
        .w_proj = grads->w_proj + l * C * H,
        .b_proj = grads->b_proj + l * C,
    };
}

struct block_buffers model_block_buffers(const struct model_activations *activations,
                                         const struct model_shape *shape, size_t l)
{
    const struct model_activations *z = activations;
    const size_t rows = l * shape->B * shape->T; // elements of the blocks before this one
    const size_t C = shape->C, H = shape->H;
    return (struct block_buffers){
        .ln1 = z->ln1 + rows * C,
        .ln1_mean = z->ln1_mean + rows,
        .ln1_rstd = z->ln1_rstd + rows,
        .attention =
            {
                .qkv = z->qkv + rows * 3 * C,
                .q = z->q + rows * C,
                .k = z->k + rows * C,
                .v = z->v + rows * C,
                .q_heads = z->q_heads + rows * C, // NH hs is C
                .k_heads = z->k_heads + rows * C,
                .v_heads = z->v_heads + rows * C,
                .scores = z->scores + rows * shape->NH * shape->T,
                .out_heads = z->out_heads + rows * C,
                .merged = z->merged + rows * C,
                .mask = z->mask,
            },
        .attended = z->attended + rows * C,
        .middle = z->middle + rows * C,
        .ln2 = z->ln2 + rows * C,
        .ln2_mean = z->ln2_mean + rows,
        .ln2_rstd = z->ln2_rstd + rows,
        .hidden = z->hidden + rows * H,
        .activated = z->activated + rows * H,
        .projected = z->projected + rows * C,
    };
}

void join_qkv(float *qkv, const float *q, const float *k, const float *v, size_t N,
              size_t C)
{
    for (size_t n = 0; n < N; n++) {
        memcpy(qkv + (3 * n + 0) * C, q + n * C, C * sizeof *qkv);
        memcpy(qkv + (3 * n + 1) * C, k + n * C, C * sizeof *qkv);
        memcpy(qkv + (3 * n + 2) * C, v + n * C, C * sizeof *qkv);
    }
}

// ---- the arena ----------------------------------------------------------------------------

// The pieces, in order. Sinusoidal positions are not parameters, so they have a separate
// table.
static void take_pieces(struct model *model, struct lab_arena *pieces)
{
    const struct model_shape *s = &model->shape;
    const bool computed = s->positions == POSITIONS_SINUSOIDAL;
    const size_t batch = s->B * s->T;

    model->P = model_count(model_params_rows, s);
    model->param = lab_take(pieces, model->P, sizeof(float));
    model->grad = lab_take(pieces, model->P, sizeof(float));
    model->m = lab_take(pieces, model->P, sizeof(float));
    model->v = lab_take(pieces, model->P, sizeof(float));
    float *table = lab_take(pieces, computed ? s->T_max * s->C : 0, sizeof(float));
    float *activations =
        lab_take(pieces, model_count(model_activations_rows, s), sizeof(float));
    float *gradients =
        lab_take(pieces, model_count(model_gradients_rows, s), sizeof(float));
    model->inputs = lab_take(pieces, batch, sizeof(size_t));
    model->targets = lab_take(pieces, batch, sizeof(size_t));
    model->uniforms =
        lab_take(pieces, s->dropout > 0.0f ? batch * s->C : 0, sizeof(float));
    uint8_t *mask =
        lab_take(pieces, batch > SIZE_MAX / s->T ? SIZE_MAX : batch * s->T, 1);

    if (pieces->memory != NULL) {
        model_lay_out(&model->params, model_params_rows, s, model->param);
        model_lay_out(&model->grads, model_params_rows, s, model->grad);
        model_lay_out(&model->activations, model_activations_rows, s, activations);
        model_lay_out(&model->gradients, model_gradients_rows, s, gradients);
        model->activations.mask = mask;
        model->params.position_table = computed ? table : model->params.position_table;
    }
}

lab_status model_new(struct model *model, const struct model_shape *shape)
{
    memset(model, 0, sizeof *model);
    lab_status status = model_shape_check(shape);
    if (status != LAB_OK) {
        return status;
    }

    struct model made = {.shape = *shape};
    struct lab_arena count = {0};
    take_pieces(&made, &count);
    void *arena = count.overflow ? NULL : aligned_alloc(LAB_ALIGNMENT, count.used);
    if (arena == NULL) {
        return LAB_ENOMEM;
    }
    memset(arena, 0xff, count.used); // read as floats, these bytes are NaN
    struct lab_arena pieces = {.memory = arena};
    take_pieces(&made, &pieces);
    made.arena = arena;
    made.arena_bytes = count.used;

    memset(made.param, 0, made.P * sizeof *made.param);
    memset(made.grad, 0, made.P * sizeof *made.grad);
    memset(made.m, 0, made.P * sizeof *made.m);
    memset(made.v, 0, made.P * sizeof *made.v);
    *model = made;
    return LAB_OK;
}

void model_free(struct model *model)
{
    free(model->arena);
    memset(model, 0, sizeof *model);
}

// ---- random numbers -----------------------------------------------------------------------

static void fill(float *out, float value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = value;
    }
}

// Initializes one block in PyTorch's order. Layer norms use no random numbers.
static lab_status start_block(const struct block_grads *p, struct lab_rng *rng, size_t C,
                              size_t H)
{
    fill(p->ln1_gain, 1.0f, C);
    fill(p->ln1_bias, 0.0f, C);
    LAB_TRY(lab_rng_linear(rng, p->w_qkv, p->b_qkv, 3 * C, C));
    LAB_TRY(lab_rng_linear(rng, p->w_o, p->b_o, C, C));
    fill(p->ln2_gain, 1.0f, C);
    fill(p->ln2_bias, 0.0f, C);
    LAB_TRY(lab_rng_linear(rng, p->w_fc, p->b_fc, H, C));
    return lab_rng_linear(rng, p->w_proj, p->b_proj, C, H);
}

lab_status model_start(struct model *model, struct lab_rng *rng)
{
    const struct model_shape *s = &model->shape;
    const struct model_params *p = &model->params;
    lab_status status = lab_rng_embedding(rng, p->token_table, s->V, s->C);
    if (status == LAB_OK && s->positions == POSITIONS_LEARNED) {
        status = lab_rng_embedding(rng, p->position_table, s->T_max, s->C);
    }
    for (size_t l = 0; l < s->L && status == LAB_OK; l++) {
        const struct block_grads block = model_block_grads(p, s, l);
        status = start_block(&block, rng, s->C, s->H);
    }
    if (status == LAB_OK) {
        status = lab_rng_linear(rng, p->w_out, p->b_out, s->V, s->C);
    }
    fill(model->m, 0.0f, model->P);
    fill(model->v, 0.0f, model->P);
    model->step = 0;
    model->rng = *rng;
    return status;
}

const float *model_draw_uniforms(struct model *model)
{
    const struct model_shape *s = &model->shape;
    if (s->dropout == 0.0f) {
        return NULL;
    }
    lab_rng_rand(&model->rng, model->uniforms, s->B * s->T * s->C);
    return model->uniforms;
}
