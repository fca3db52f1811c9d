// lab06.c - how to call the functions of lab 6, training on the copy task. 06/ has a file
// for each exercise; lab01.c explains their order.
//
// Most functions are small and get their arguments directly from the case. The functions of
// 6.11 and 6.14 take structs of pointers. Their adaptors build the structs from tensors
// with the student's names ("grads.w_qkv"), in the order of the tables of common/model.h.
// Macros such as PARAM_TENSORS (06/11_whole_model.h) list the tensors in that order.
//
// Results of the forward pass (weights, means, probabilities) that a backward function
// needs are computed by the reference. Mistakes of 6.11 and 6.14 are the right function
// with one fault, selected by an enum.

#include "exercises/exercise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#ifdef GPU
#include "06_copy_task/copy_task_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(make_targets, t[0], t[1], (enum task)n[0], n[1], n[2], n[3])
ADAPTOR(make_copy_batch, t[0], t[1], t[2], n[0], (enum task)n[1], n[2], n[3], n[4], n[5])
GPU_ADAPTOR(embedding, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(cross_entropy_backward, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR_CUBLAS(linear_backward, t[0], t[1], t[2], t[3], t[4], t[5], n[0], n[1], n[2])
GPU_ADAPTOR(softmax_backward, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR_CUBLAS(attention_backward, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7],
                   t[8], t[9], n[0], n[1], n[2], n[3], n[4])
GPU_ADAPTOR(layernorm_backward, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], n[0],
            n[1])
GPU_ADAPTOR(gelu_backward, t[0], t[1], t[2], n[0])
ADAPTOR(embedding_backward, t[0], t[1], t[2], n[0], n[1], n[2])
ADAPTOR(clip_grad_norm, t[0], t[1], *(const float *)t[2], n[0])
ADAPTOR(learning_rate, t[0], n[0], n[1], n[2], *(const float *)t[1], *(const float *)t[2])

#ifdef GPU
// The workspace is not a tensor of the part, because the CPU function has none.
static lab_status call_cross_entropy(any_function f, void *const *t, const size_t *n)
{
    void *row_losses = gpu_workspace((n[0] + 1) * sizeof(float));
    return ((__typeof__(cross_entropy_gpu) *)f)(t[0], t[1], row_losses, t[2], t[3], n[0],
                                                n[1], gpu_stream);
}
#else
// NaN is never close to anything, so a case with an expected NaN has an additional output
// that reports it; loss and probabilities are then 0.
static lab_status call_cross_entropy(any_function f, void *const *t, const size_t *n)
{
    float *loss = t[0], *probabilities = t[1];
    size_t *is_nan = t[4];
    const lab_status status =
        ((__typeof__(cross_entropy) *)f)(loss, probabilities, t[2], t[3], n[0], n[1]);
    if (status == LAB_OK && is_nan != NULL) {
        *is_nan = isnan(*loss);
        *loss = 0.0f;
        memset(probabilities, 0, n[0] * n[1] * sizeof *probabilities);
    }
    return status;
}
#endif

static struct adam adam_from_tensors(void *const *t)
{
    return (struct adam){
        .lr = *(const float *)t[0],
        .beta1 = *(const float *)t[1],
        .beta2 = *(const float *)t[2],
        .eps = *(const float *)t[3],
        .weight_decay = *(const float *)t[4],
    };
}

static lab_status call_adam_step(any_function f, void *const *t, const size_t *n)
{
#ifdef GPU
    const struct adam settings = adam_from_tensors((void *const *)(gpu_host + 4));
    return ((__typeof__(adam_step_gpu) *)f)(t[0], t[1], t[2], t[3], &settings, n[0], n[1],
                                            gpu_stream);
#else
    const struct adam settings = adam_from_tensors(t + 4);
    return ((__typeof__(adam_step) *)f)(t[0], t[1], t[2], t[3], &settings, n[0], n[1]);
#endif
}

#ifndef GPU // compositions have no GPU variant

// The sizes of model_forward and model_backward, in the order of MODEL_DIMS.
static struct model_shape shape_from_sizes(const size_t *n, const float *dropout)
{
    return (struct model_shape){
        .B = n[0],
        .T = n[1],
        .T_max = n[2],
        .V = n[3],
        .C = n[4],
        .NH = n[5], // n[6] is hs
        .H = n[7],
        .L = n[8],
        .causal = n[9] != 0,
        .positions = (enum positions)n[10],
        .dropout = *dropout,
    };
}

// One pointer for each row of the table; returns how many tensors were used.
size_t params_from_tensors(struct model_params *params, void *const *t)
{
    size_t used = 0;
    for (const struct lab_row *row = model_params_rows; row->name != NULL; row++) {
        *lab_row_pointer(params, row) = t[used++];
    }
    return used;
}

// The same for the activations. Because a function has at most 64 tensors, q, k and v share
// one tensor, as do their heads. The mask comes last.
size_t activations_from_tensors(struct model_activations *z, void *const *t,
                                const struct model_shape *s)
{
    size_t used = 0;
    for (const struct lab_row *row = model_activations_rows; row->name != NULL; row++) {
        const bool grouped = row->name[0] == 'k' || row->name[0] == 'v';
        *lab_row_pointer(z, row) = grouped ? NULL : t[used++];
    }
    const size_t count = s->L * s->B * s->T * s->C;
    z->k = z->q + count;
    z->v = z->q + 2 * count;
    z->k_heads = z->q_heads + count;
    z->v_heads = z->q_heads + 2 * count;
    z->mask = t[used++];
    return used;
}

static lab_status call_model_forward(any_function f, void *const *t, const size_t *n)
{
    struct model_activations z;
    struct model_params params;
    float *loss = t[0];
    // t: loss, z, params, tokens, targets, uniforms, dropout; 24 tensors of z, 16 of params
    const struct model_shape shape = shape_from_sizes(n, t[1 + 24 + 16 + 3]);
    t += 1;
    t += activations_from_tensors(&z, t, &shape);
    t += params_from_tensors(&params, t);
    return ((__typeof__(model_forward) *)f)(loss, &z, &params, t[0], t[1], t[2], &shape);
}

static struct block_grads block_grads_from_tensors(void *const *t)
{
    return (struct block_grads){
        .ln1_gain = t[0],
        .ln1_bias = t[1],
        .w_qkv = t[2],
        .b_qkv = t[3],
        .w_o = t[4],
        .b_o = t[5],
        .ln2_gain = t[6],
        .ln2_bias = t[7],
        .w_fc = t[8],
        .b_fc = t[9],
        .w_proj = t[10],
        .b_proj = t[11],
    };
}

struct block_params block_params_from_tensors(void *const *t)
{
    const struct block_grads p = block_grads_from_tensors(t);
    return (struct block_params){
        .ln1_gain = p.ln1_gain,
        .ln1_bias = p.ln1_bias,
        .attention = {.w_qkv = p.w_qkv, .b_qkv = p.b_qkv, .w_o = p.w_o, .b_o = p.b_o},
        .ln2_gain = p.ln2_gain,
        .ln2_bias = p.ln2_bias,
        .mlp = {.w_fc = p.w_fc, .b_fc = p.b_fc, .w_proj = p.w_proj, .b_proj = p.b_proj},
    };
}

// The buffers of one block, in the order of BLOCK_BUFFER_TENSORS; N is B T.
struct block_buffers block_buffers_from_tensors(void *const *t, size_t N, size_t C)
{
    float *q = t[4], *q_heads = t[5];
    return (struct block_buffers){
        .ln1 = t[0],
        .ln1_mean = t[1],
        .ln1_rstd = t[2],
        .attention =
            {
                .qkv = t[3],
                .q = q,
                .k = q + N * C,
                .v = q + 2 * N * C,
                .q_heads = q_heads,
                .k_heads = q_heads + N * C,
                .v_heads = q_heads + 2 * N * C,
                .scores = t[6],
                .out_heads = t[7],
                .merged = t[8],
                .mask = t[9],
            },
        .attended = t[10],
        .middle = t[11],
        .ln2 = t[12],
        .ln2_mean = t[13],
        .ln2_rstd = t[14],
        .hidden = t[15],
        .activated = t[16],
        .projected = t[17],
    };
}

// The workspaces of block_backward, which does not use dlogits, dstreams and dpositioned.
static struct model_gradients block_workspaces(void *const *t, size_t N, size_t C)
{
    float *dq = t[11];
    return (struct model_gradients){
        .dactivated = t[0],
        .dhidden = t[1],
        .dln2 = t[2],
        .dmiddle = t[3],
        .dmerged = t[4],
        .dout_heads = t[5],
        .dq_heads = t[6],
        .dk_heads = t[7],
        .dv_heads = t[8],
        .dweights = t[9],
        .dscores = t[10],
        .dq = dq,
        .dk = dq + N * C,
        .dv = dq + 2 * N * C,
        .dqkv = t[12],
        .dln1 = t[13],
        .dbranch = t[14],
    };
}

static lab_status call_block_backward(any_function f, void *const *t, const size_t *n)
{
    // t: dx, 12 grads, 15 workspaces, dout, x, 12 params, weights, 18 buffers
    const size_t B = n[0], T = n[1], C = n[2], NH = n[3], H = n[5];
    const struct block_grads grads = block_grads_from_tensors(t + 1);
    const struct model_gradients dz = block_workspaces(t + 13, B * T, C);
    const struct block_params params = block_params_from_tensors(t + 30);
    const struct block_buffers z = block_buffers_from_tensors(t + 43, B * T, C);
    return ((__typeof__(block_backward) *)f)(t[0], &grads, &dz, t[28], t[29], &params,
                                             t[42], &z, B, T, C, NH, H);
}

// Only dlogits and dstreams are judged; the other gradients of activations are allocated
// here.
static lab_status call_model_backward(any_function f, void *const *t, const size_t *n)
{
    struct model_activations z;
    struct model_params params, grads;
    struct model_gradients dz = {0};
    // t: 16 grads, dlogits, dstreams, z, params, tokens, targets, uniforms, dropout
    const struct model_shape shape = shape_from_sizes(n, t[16 + 2 + 24 + 16 + 3]);
    t += params_from_tensors(&grads, t);
    float *dlogits = t[0], *dstreams = t[1];
    t += 2;
    t += activations_from_tensors(&z, t, &shape);
    t += params_from_tensors(&params, t);

    float *memory = NULL;
    if (model_shape_check(&shape) == LAB_OK) {
        const size_t count = model_count(model_gradients_rows, &shape);
        memory = malloc(count * sizeof *memory);
        if (memory == NULL) {
            return LAB_ENOMEM;
        }
        memset(memory, 0xff, count * sizeof *memory); // NaN
        model_lay_out(&dz, model_gradients_rows, &shape, memory);
        dz.dlogits = dlogits;
        dz.dstreams = dstreams;
    }
    lab_status status = ((__typeof__(model_backward) *)f)(&grads, &dz, &z, &params, t[0],
                                                          t[1], t[2], &shape);
    free(memory);
    return status;
}

// The tensors of train, in their order.
enum train_tensor {
    LOSSES,
    PARAM,
    FIRST_MOMENT,
    SECOND_MOMENT,
    STEP,
    STATUS, // only if a loss should become infinite or NaN
    BATCH_INPUTS,
    BATCH_TARGETS,
    START,
    TOKENS,
    SEED,
    DROPOUT,
    SETTINGS, // struct adam's, 5 tensors
    MAX_NORM = SETTINGS + 5,
    FLOOR,
    WARMUP,
    TOTAL,
    POSITIONS,
};

enum { UNJUDGED_LOSSES = 8 };

static float scalar(void *const *t, enum train_tensor which)
{
    return *(const float *)t[which];
}

static size_t number(void *const *t, enum train_tensor which)
{
    return *(const size_t *)t[which];
}

// Positions that are computed once, not trained. Their values belong to lab 7; here they differ
// from row to row and lie between -1 and 1.
static void fill_computed_positions(struct model *model)
{
    const struct model_shape *s = &model->shape;
    const bool computed = s->positions == POSITIONS_SINUSOIDAL;
    for (size_t i = 0; computed && i < s->T_max * s->C; i++) {
        model->params.position_table[i] = (float)(i * 37 % 101) / 50.0f - 1.0f;
    }
}

static lab_status model_for_train(struct model *model, void *const *t, const size_t *n)
{
    const struct model_shape shape = {
        .B = n[0],
        .T = n[1],
        .T_max = n[1],
        .V = n[2],
        .C = n[3],
        .NH = n[4],
        .H = n[5],
        .L = n[6],
        .causal = true,
        .positions = (enum positions)number(t, POSITIONS),
        .dropout = scalar(t, DROPOUT),
    };
    if (model_shape_check(&shape) != LAB_OK) {
        *model = (struct model){.shape = shape}; // train must reject it
        return LAB_OK;
    }
    lab_status status = model_new(model, &shape);
    if (status == LAB_OK && model->P != n[7]) {
        model_free(model);
        return LAB_EFORMAT; // a case with a wrong number of parameters
    }
    if (status == LAB_OK) {
        fill_computed_positions(model);
        memcpy(model->param, t[START], model->P * sizeof(float));
        for (size_t i = 0; i < model->P; i++) {
            model->grad[i] = 0.25f; // what was computed before: every step begins with 0
        }
        lab_rng_seed(&model->rng, number(t, SEED));
    }
    return status;
}

static void copy_out(void *to, const void *from, size_t bytes)
{
    if (to != NULL) {
        memcpy(to, from, bytes);
    }
}

// Is the model as model_for_train made it? If a function that train called has failed, it may be partly
// written; then only its parameters count.
static bool is_unchanged(const struct model *model, const float *start,
                         bool callee_failed)
{
    bool same = memcmp(model->param, start, model->P * sizeof *start) == 0;
    for (size_t i = 0; !callee_failed && i < model->P; i++) {
        same =
            same && model->m[i] == 0.0f && model->v[i] == 0.0f && model->grad[i] == 0.25f;
    }
    return same && (callee_failed || model->step == 0);
}

// After an error, the model is returned only if it was changed.
static void model_to_tensors(void *const *t, const struct model *model, lab_status status,
                             bool callee_failed)
{
    const size_t bytes = model->P * sizeof(float);
    if (status == LAB_OK || !is_unchanged(model, t[START], callee_failed)) {
        copy_out(t[PARAM], model->param, bytes);
        copy_out(t[FIRST_MOMENT], model->m, bytes);
        copy_out(t[SECOND_MOMENT], model->v, bytes);
        copy_out(t[STEP], &model->step, sizeof model->step);
        const size_t tokens = model->shape.B * model->shape.T * sizeof *model->inputs;
        copy_out(t[BATCH_INPUTS], model->inputs, tokens);
        copy_out(t[BATCH_TARGETS], model->targets, tokens);
    }
}

// Trains in one call or, if first is not 0, in two; the second continues where the first ended.
//
// If a loss should become infinite or NaN, the status is returned in a tensor and the
// adaptor returns LAB_OK, so that outputs are judged: the losses so far, that loss as
// infinity, and the model as before that step.
static lab_status call_train(any_function f, void *const *t, const size_t *n)
{
    __typeof__(train) *student = (__typeof__(train) *)f;
    const size_t R = n[8], steps = n[9], first = n[10];
    const enum task task = (enum task)n[11];
    const struct training settings = {
        .adam = adam_from_tensors(t + SETTINGS),
        .max_norm = scalar(t, MAX_NORM),
        .warmup = number(t, WARMUP),
        .total = number(t, TOTAL),
        .floor = scalar(t, FLOOR),
    };
    struct model model;
    lab_status status = model_for_train(&model, t, n);
    if (status != LAB_OK) {
        return status;
    }
    // A function that rejects the settings does so after computing a loss. It may or may not
    // write that loss.
    const bool refused = settings.adam.beta1 >= 1.0 ||
                         (settings.total > 0 && settings.warmup > settings.total);
    float unjudged[UNJUDGED_LOSSES];
    if (refused && steps > UNJUDGED_LOSSES) {
        abort();
    }
    float *losses = refused ? unjudged : t[LOSSES];
    const bool stops = t[STATUS] != NULL;
    if (stops) {
        memset(losses, 0, steps * sizeof *losses);
    }
    if (first > 0) {
        status = student(losses, &model, t[TOKENS], task, R, &settings, first);
    }
    if (status == LAB_OK) {
        status =
            student(losses + first, &model, t[TOKENS], task, R, &settings, steps - first);
    }
    if (stops && status != LAB_TODO) {
        const size_t code = (size_t)status;
        copy_out(t[STATUS], &code, sizeof code);
        status = LAB_OK;
        for (size_t i = 0; i < steps; i++) {
            losses[i] = isfinite(losses[i]) ? losses[i] : INFINITY;
        }
    }
    if (model.arena != NULL) {
        model_to_tensors(t, &model, status, refused || task >= TASK_COUNT);
    }
    model_free(&model);
    return status;
}

#endif

const struct entry lab_entries[] = {
    ENTRY(make_targets),
    ENTRY(make_copy_batch),
    GPU_ENTRY(embedding),
    GPU_ENTRY(cross_entropy),
    ENTRY(cross_entropy_backward),
    GPU_ENTRY(linear_backward),
    GPU_ENTRY(softmax_backward),
    GPU_ENTRY(attention_backward),
    GPU_ENTRY(layernorm_backward),
    GPU_ENTRY(gelu_backward),
    ENTRY(embedding_backward),
    ENTRY(model_forward),
    ENTRY(block_backward),
    ENTRY(model_backward),
    GPU_ENTRY(adam_step),
    ENTRY(clip_grad_norm),
    ENTRY(learning_rate),
    ENTRY(train),
    {0},
};

#ifndef WORKER

#include "exercises/06/11_whole_model.h"

const struct lab lab_06 = {
    .title = "Training on the copy task",
    .exercises = lab_exercises,
};

#endif
