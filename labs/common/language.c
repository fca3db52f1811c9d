// language.c - lays out lab 8's model in memory. Three tables describe the layout. Each row of
// a table has the name of a tensor, its shape, and the offset of its pointer. The order of the
// rows is the order in memory. rows.c iterates over them.

#include "common/language.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the tables ---------------------------------------------------------------------------

// clang-format off
#define ROW(name, shape) {#name, shape, offsetof(struct language_params, name)}
const struct lab_row language_params_rows[] = {
    ROW(token_table, "V C"),
    ROW(norm1,       "L C"),
    ROW(w_q,         "L C C"),
    ROW(w_k,         "L C C"),
    ROW(w_v,         "L C C"),
    ROW(w_o,         "L C C"),
    ROW(norm2,       "L C"),
    ROW(w_gate,      "L H C"),
    ROW(w_up,        "L H C"),
    ROW(w_down,      "L C H"),
    ROW(norm,        "C"),
    ROW(w_out,       "V C"),
    {0},
};
#undef ROW

#define ROW(name, shape) {#name, shape, offsetof(struct language_activations, name)}
const struct lab_row language_activations_rows[] = {
    ROW(streams,       "L+1 B T C"),
    ROW(normed1,       "L B T C"),
    ROW(rrms1,         "L B T"),
    ROW(q,             "L B T C"),
    ROW(k,             "L B T C"),
    ROW(v,             "L B T C"),
    ROW(q_heads,       "L B NH T hs"),
    ROW(k_heads,       "L B NH T hs"),
    ROW(v_heads,       "L B NH T hs"),
    ROW(q_turned,      "L B NH T hs"),
    ROW(k_turned,      "L B NH T hs"),
    ROW(scores,        "L B NH T T"),
    ROW(weights,       "L B NH T T"),
    ROW(out_heads,     "L B NH T hs"),
    ROW(merged,        "L B T C"),
    ROW(attended,      "L B T C"),
    ROW(middle,        "L B T C"),
    ROW(normed2,       "L B T C"),
    ROW(rrms2,         "L B T"),
    ROW(gate,          "L B T H"),
    ROW(up,            "L B T H"),
    ROW(hidden,        "L B T H"),
    ROW(projected,     "L B T C"),
    ROW(normed,        "B T C"),
    ROW(rrms,          "B T"),
    ROW(logits,        "B T V"),
    ROW(probabilities, "B T V"),
    {0},
};
#undef ROW

#define ROW(name, shape) {#name, shape, offsetof(struct language_gradients, name)}
const struct lab_row language_gradients_rows[] = {
    ROW(dlogits,    "B T V"),
    ROW(dnormed,    "B T C"),
    ROW(dstreams,   "L+1 B T C"),
    ROW(dhidden,    "B T H"),
    ROW(dgate,      "B T H"),
    ROW(dup,        "B T H"),
    ROW(dnormed2,   "B T C"),
    ROW(dmiddle,    "B T C"),
    ROW(dmerged,    "B T C"),
    ROW(dout_heads, "B NH T hs"),
    ROW(dq_turned,  "B NH T hs"),
    ROW(dk_turned,  "B NH T hs"),
    ROW(dv_heads,   "B NH T hs"),
    ROW(dweights,   "B NH T T"),
    ROW(dscores,    "B NH T T"),
    ROW(dq_heads,   "B NH T hs"),
    ROW(dk_heads,   "B NH T hs"),
    ROW(dq,         "B T C"),
    ROW(dk,         "B T C"),
    ROW(dv,         "B T C"),
    ROW(dnormed1,   "B T C"),
    ROW(dbranch,    "B T C"),
    {0},
};
#undef ROW
// clang-format on

// ---- sizes --------------------------------------------------------------------------------

lab_status language_shape_check(const struct language_shape *shape)
{
    const struct language_shape *s = shape;
    const size_t most = INT_MAX, widest = (size_t)1 << 20;
    if (s->B == 0 || s->T == 0 || s->V == 0 || s->C == 0 || s->NH == 0 || s->H == 0 ||
        s->L == 0 || s->C % s->NH != 0 || s->C / s->NH % 2 != 0) {
        return LAB_ESHAPE;
    }
    // Ensures that no product of sizes below overflows, and that rows fit the int that BLAS
    // uses.
    if (s->C > widest || s->H > widest || s->V > most || s->T > most ||
        s->B > most / s->T || s->L > widest) {
        return LAB_ESHAPE;
    }
    return LAB_OK;
}

size_t language_default_width(size_t C)
{
    const size_t width = (8 * C + 2) / 3; // 8C/3, rounded up
    return (width + 63) / 64 * 64;
}

// The values of the words in the tables. The list is in a struct so that it can be returned.
struct language_sizes {
    struct lab_size list[10];
};

static struct language_sizes sizes_of(const struct language_shape *shape)
{
    return (struct language_sizes){{
        {"B", shape->B},
        {"T", shape->T},
        {"V", shape->V},
        {"C", shape->C},
        {"NH", shape->NH},
        {"hs", shape->C / shape->NH},
        {"H", shape->H},
        {"L", shape->L},
        {"L+1", shape->L + 1},
        {0},
    }};
}

size_t language_row_shape(size_t size[LAB_AXES], const struct lab_row *row,
                          const struct language_shape *shape)
{
    return lab_row_shape(size, row, sizes_of(shape).list);
}

size_t language_row_count(const struct lab_row *row, const struct language_shape *shape)
{
    return lab_row_count(row, sizes_of(shape).list);
}

size_t language_count(const struct lab_row *rows, const struct language_shape *shape)
{
    return lab_rows_count(rows, sizes_of(shape).list);
}

void language_lay_out(void *tensors, const struct lab_row *rows,
                      const struct language_shape *shape, float *memory)
{
    lab_rows_lay_out(tensors, rows, sizes_of(shape).list, memory);
}

// ---- one block ----------------------------------------------------------------------------

struct language_block_params language_block_params(const struct language_params *params,
                                                   const struct language_shape *shape,
                                                   size_t l)
{
    const struct language_block_grads p = language_block_grads(params, shape, l);
    return (struct language_block_params){
        .norm1 = p.norm1,
        .w_q = p.w_q,
        .w_k = p.w_k,
        .w_v = p.w_v,
        .w_o = p.w_o,
        .norm2 = p.norm2,
        .w_gate = p.w_gate,
        .w_up = p.w_up,
        .w_down = p.w_down,
    };
}

struct language_block_grads language_block_grads(const struct language_params *grads,
                                                 const struct language_shape *shape,
                                                 size_t l)
{
    const size_t C = shape->C, H = shape->H;
    return (struct language_block_grads){
        .norm1 = grads->norm1 + l * C,
        .w_q = grads->w_q + l * C * C,
        .w_k = grads->w_k + l * C * C,
        .w_v = grads->w_v + l * C * C,
        .w_o = grads->w_o + l * C * C,
        .norm2 = grads->norm2 + l * C,
        .w_gate = grads->w_gate + l * H * C,
        .w_up = grads->w_up + l * H * C,
        .w_down = grads->w_down + l * C * H,
    };
}

struct language_block_buffers
language_block_buffers(const struct language_activations *activations,
                       const struct language_shape *shape, size_t l)
{
    const struct language_activations *z = activations;
    const size_t rows = l * shape->B * shape->T; // elements of the blocks before this one
    const size_t C = shape->C, H = shape->H;
    return (struct language_block_buffers){
        .normed1 = z->normed1 + rows * C,
        .rrms1 = z->rrms1 + rows,
        .q = z->q + rows * C,
        .k = z->k + rows * C,
        .v = z->v + rows * C,
        .q_heads = z->q_heads + rows * C, // NH hs is C
        .k_heads = z->k_heads + rows * C,
        .v_heads = z->v_heads + rows * C,
        .q_turned = z->q_turned + rows * C,
        .k_turned = z->k_turned + rows * C,
        .scores = z->scores + rows * shape->NH * shape->T,
        .out_heads = z->out_heads + rows * C,
        .merged = z->merged + rows * C,
        .attended = z->attended + rows * C,
        .middle = z->middle + rows * C,
        .normed2 = z->normed2 + rows * C,
        .rrms2 = z->rrms2 + rows,
        .gate = z->gate + rows * H,
        .up = z->up + rows * H,
        .hidden = z->hidden + rows * H,
        .projected = z->projected + rows * C,
        .mask = z->mask,
        .positions = z->positions,
    };
}

// ---- the arena ----------------------------------------------------------------------------

// What only training needs.
static void take_training(struct language *model, struct lab_arena *pieces)
{
    const struct language_shape *s = &model->shape;
    model->grad = lab_take(pieces, model->P, sizeof(float));
    model->m = lab_take(pieces, model->P, sizeof(float));
    model->v = lab_take(pieces, model->P, sizeof(float));
    float *gradients =
        lab_take(pieces, language_count(language_gradients_rows, s), sizeof(float));
    if (pieces->memory != NULL) {
        language_lay_out(&model->grads, language_params_rows, s, model->grad);
        language_lay_out(&model->gradients, language_gradients_rows, s, gradients);
    }
}

static void take_pieces(struct language *model, struct lab_arena *pieces, bool trained)
{
    const struct language_shape *s = &model->shape;
    const size_t batch = s->B * s->T;
    model->P = language_count(language_params_rows, s);
    model->param = lab_take(pieces, model->P, sizeof(float));
    if (trained) {
        take_training(model, pieces);
    }
    float *activations =
        lab_take(pieces, language_count(language_activations_rows, s), sizeof(float));
    model->inputs = lab_take(pieces, batch, sizeof(size_t));
    model->targets = lab_take(pieces, batch, sizeof(size_t));
    model->offsets = lab_take(pieces, s->B, sizeof(size_t));
    size_t *positions = lab_take(pieces, s->T, sizeof(size_t));
    uint8_t *mask =
        lab_take(pieces, batch > SIZE_MAX / s->T ? SIZE_MAX : batch * s->T, 1);
    if (pieces->memory != NULL) {
        language_lay_out(&model->params, language_params_rows, s, model->param);
        language_lay_out(&model->activations, language_activations_rows, s, activations);
        model->activations.positions = positions;
        model->activations.mask = mask;
    }
}

static void fill(float *out, float value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = value;
    }
}

lab_status language_new(struct language *model, const struct language_shape *shape,
                        bool trained)
{
    memset(model, 0, sizeof *model);
    LAB_TRY(language_shape_check(shape));

    struct language made = {.shape = *shape};
    struct lab_arena count = {0};
    take_pieces(&made, &count, trained);
    void *arena = count.overflow ? NULL : aligned_alloc(LAB_ALIGNMENT, count.used);
    if (arena == NULL) {
        return LAB_ENOMEM;
    }
    memset(arena, 0xff, count.used); // as floats, NaN
    struct lab_arena pieces = {.memory = arena};
    take_pieces(&made, &pieces, trained);
    made.arena = arena;
    made.arena_bytes = count.used;

    fill(made.param, 0.0f, made.P);
    if (trained) {
        fill(made.grad, 0.0f, made.P);
        fill(made.m, 0.0f, made.P);
        fill(made.v, 0.0f, made.P);
    }
    *model = made;
    return LAB_OK;
}

void language_free(struct language *model)
{
    free(model->arena);
    memset(model, 0, sizeof *model);
}

// ---- random numbers -----------------------------------------------------------------------

lab_status language_start(struct language *model, struct lab_rng *rng)
{
    const struct language_shape *s = &model->shape;
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        float *data = *lab_row_pointer(&model->params, row);
        const size_t count = language_row_count(row, s);
        if (strncmp(row->name, "norm", 4) == 0) {
            fill(data, 1.0f, count);
            continue;
        }
        // 2L branches add to one stream. This scale keeps the size of the stream about the same
        // for any L.
        const bool into_stream =
            strcmp(row->name, "w_o") == 0 || strcmp(row->name, "w_down") == 0;
        const double std = into_stream ? 0.02 / sqrt(2.0 * (double)s->L) : 0.02;
        LAB_TRY(lab_rng_normal(rng, data, 0.0, std, count));
    }
    if (model->m != NULL) {
        fill(model->m, 0.0f, model->P);
        fill(model->v, 0.0f, model->P);
    }
    model->step = 0;
    model->rng = *rng;
    return LAB_OK;
}
