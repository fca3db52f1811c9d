// lab06.c - what the grader knows of lab 6, training on the copy task.
//
// Most functions here are small and get their numbers straight from the case. The exceptions
// are the functions of 6.11 and 6.14, which take structs of pointers: their adaptors build the
// structs from tensors with the student's names ("grads.w_qkv"), by walking over the tables of
// common/model.h in their order. PARAM_TENSORS and its like list the tensors in that order.
//
// What forward leaves behind (weights, means, probabilities) is computed for the cases by the
// reference, which is linked here. Mistakes of 6.11 and 6.14 are the right way with one fault,
// chosen by an enum; its names say which.
//
// Start reading at the adaptors; then each exercise has its cases, mistakes, other right ways,
// and the part that gathers them.

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
// The workspace is no tensor of the part, for the function without _gpu has none.
static lab_status call_cross_entropy(any_function f, void *const *t, const size_t *n)
{
    void *row_losses = gpu_workspace((n[0] + 1) * sizeof(float));
    return ((__typeof__(cross_entropy_gpu) *)f)(t[0], t[1], row_losses, t[2], t[3], n[0],
                                                n[1], gpu_stream);
}
#else
ADAPTOR(cross_entropy, t[0], t[1], t[2], t[3], n[0], n[1])
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

#ifndef GPU // what is put together has no GPU variant

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
static size_t params_from_tensors(struct model_params *params, void *const *t)
{
    size_t used = 0;
    for (const struct model_row *row = model_params_rows; row->name != NULL; row++) {
        *model_pointer(params, row) = t[used++];
    }
    return used;
}

// The same for the activations, except that q, k, v lie in one tensor, as do their heads: a
// function has at most 64 tensors. The mask comes last.
static size_t activations_from_tensors(struct model_activations *z, void *const *t,
                                       const struct model_shape *s)
{
    size_t used = 0;
    for (const struct model_row *row = model_activations_rows; row->name != NULL; row++) {
        const bool grouped = row->name[0] == 'k' || row->name[0] == 'v';
        *model_pointer(z, row) = grouped ? NULL : t[used++];
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

static struct block_params block_params_from_tensors(void *const *t)
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
static struct block_buffers block_buffers_from_tensors(void *const *t, size_t N, size_t C)
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

// The workspaces of block_backward. It has no business with dlogits, dstreams, dpositioned.
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

// Of the gradients of activations only dlogits and dstreams are judged; the others lie in memory
// that is allocated here.
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
    STATUS, // there when a loss is to become infinite or NaN
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

static float scalar(void *const *t, enum train_tensor which)
{
    return *(const float *)t[which];
}

static size_t number(void *const *t, enum train_tensor which)
{
    return *(const size_t *)t[which];
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
        *model = (struct model){.shape = shape}; // for train to refuse
        return LAB_OK;
    }
    lab_status status = model_new(model, &shape);
    if (status == LAB_OK && model->P != n[7]) {
        model_free(model);
        return LAB_EFORMAT; // a case that counts its parameters wrong
    }
    if (status == LAB_OK) {
        memcpy(model->param, t[START], model->P * sizeof(float));
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

// After an error the parameters come out only when something was done to them.
static void model_to_tensors(void *const *t, const struct model *model, lab_status status)
{
    const size_t bytes = model->P * sizeof(float);
    if (status == LAB_OK || memcmp(model->param, t[START], bytes) != 0) {
        copy_out(t[PARAM], model->param, bytes);
        copy_out(t[FIRST_MOMENT], model->m, bytes);
        copy_out(t[SECOND_MOMENT], model->v, bytes);
        copy_out(t[STEP], &model->step, sizeof model->step);
    }
}

// Trains in one call, or, when first is not 0, in two: the second goes on where the first ended.
//
// When a loss is to become infinite or NaN, the status comes out as a tensor and LAB_OK is
// returned, for outputs are judged then: the losses so far, that loss as infinity, and the model
// as it was before that step.
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
    float *losses = t[LOSSES];
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
        model_to_tensors(t, &model, status);
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

#include <stdio.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "common/rng.h"

// ---- filling cases ------------------------------------------------------------------------

// The reference refuses a case that it should take: a fault of this file.
static void must(lab_status status)
{
    if (status != LAB_OK) {
        abort();
    }
}

static void scale(struct test_case *test, const char *name, float by)
{
    float *x = case_f32(test, name);
    for (size_t i = 0; i < case_count(test, name); i++) {
        x[i] *= by;
    }
}

static void set_all(struct test_case *test, const char *name, float value)
{
    float *x = case_f32(test, name);
    for (size_t i = 0; i < case_count(test, name); i++) {
        x[i] = value;
    }
}

// Tokens below V, the first one again at the end: a token that is there twice.
static void draw_tokens(struct test_case *test, struct lab_rng *rng, const char *name)
{
    size_t *tokens = case_size(test, name), count = case_count(test, name);
    const size_t V = case_dim(test, "V");
    for (size_t i = 0; i < count && V > 0; i++) {
        tokens[i] = lab_rng_next32(rng) % V;
    }
    if (count > 1) {
        tokens[count - 1] = tokens[0];
    }
}

static void last_token_too_large(struct test_case *test, const char *name)
{
    case_size(test, name)[case_count(test, name) - 1] = case_dim(test, "V");
}

// y(M,N) = a(M,K) b(K,N), element (m,k) of a being a[m * a_m + k * a_k] and so on: every product
// of the mistakes below, right or wrong.
static void product(float *y, const float *a, size_t a_m, size_t a_k, const float *b,
                    size_t b_k, size_t b_n, size_t M, size_t K, size_t N)
{
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[m * a_m + k * a_k] * b[k * b_k + n * b_n];
            }
            y[m * N + n] = sum;
        }
    }
}

static void add_to(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += x[i];
    }
}

static void multiply(float *x, float by, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] *= by;
    }
}

// n floats of the judge's own memory, for the mistakes; freed by the caller.
static float *borrow(size_t n)
{
    float *memory = calloc(n > 0 ? n : 1, sizeof *memory);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

// ---- 6.1 tasks and batches ----------------------------------------------------------------

static void fill_inputs(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "inputs");
}

static void fill_token_too_large(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "inputs");
    last_token_too_large(test, "inputs");
}

static const struct case_spec make_targets_cases[] = {
    {.dims = "task=0 B=1 T=3 V=10", .fill = fill_inputs, .note = "copy"},
    {.dims = "task=1 B=1 T=3 V=10", .fill = fill_inputs, .note = "reverse"},
    {.dims = "task=2 B=1 T=4 V=10", .fill = fill_inputs, .note = "sort"},
    {.dims = "task=3 B=1 T=4 V=10", .fill = fill_inputs, .note = "add"},
    {.dims = "task=0 B=3 T=4 V=7", .fill = fill_inputs, .note = "copy"},
    {.dims = "task=1 B=3 T=4 V=7", .fill = fill_inputs, .note = "reverse"},
    {.dims = "task=1 B=2 T=5 V=9", .fill = fill_inputs, .note = "reverse, T odd"},
    {.dims = "task=2 B=3 T=5 V=13", .fill = fill_inputs, .note = "sort"},
    {.dims = "task=2 B=2 T=11 V=4",
     .fill = fill_inputs,
     .note = "sort, with equal tokens"},
    {.dims = "task=3 B=3 T=6 V=5", .fill = fill_inputs, .note = "add"},
    {.dims = "task=0..3 B=1 T=1 V=3",
     .draws = 4,
     .fill = fill_inputs,
     .note = "one token"},
    {.dims = "task=1..3 B=4..6 T=7..9 V=10..12", .draws = 5, .fill = fill_inputs},
    {.dims = "task=2 B=2 T=9 V=1009", .fill = fill_inputs, .note = "sort, many tokens"},
    {.dims = "task=3 B=2 T=7 V=601", .fill = fill_inputs, .note = "add, many tokens"},
    {.dims = "task=0..3 B=1 T=261 V=70001",
     .draws = 4,
     .fill = fill_inputs,
     .note = "long sequences"},
    {.dims = "task=0 B=2 T=3 V=5",
     .fill = fill_token_too_large,
     .note = "the last token is V, which is not below V"},
    {.dims = "task=4 B=2 T=3 V=5", .fill = fill_inputs, .note = "there is no task 4"},
    {.dims = "task=0 B=0 T=3 V=5", .note = "a size of 0"},
    {.dims = "task=2 B=2 T=0 V=5", .note = "a size of 0"},
    {0},
};

static bool task_refused(lab_status *status, const size_t *inputs, enum task task,
                         size_t B, size_t T, size_t V)
{
    *status = B == 0 || T == 0 || V == 0 ? LAB_ESHAPE
              : (unsigned)task >= TASK_COUNT || !tokens_below(inputs, B * T, V)
                  ? LAB_EVALUE
                  : LAB_OK;
    return *status != LAB_OK;
}

// TARGETS(name, case, rule): make_targets with another rule for one task; the rule is an
// expression of b, t, x (this sequence), y (its right targets), inputs and the sizes.
#define TARGETS(name, which, rule)                                                       \
    static lab_status name(size_t *targets, const size_t *inputs, enum task task,        \
                           size_t B, size_t T, size_t V)                                 \
    {                                                                                    \
        lab_status status = make_targets(targets, inputs, task, B, T, V);                \
        for (size_t i = 0; status == LAB_OK && task == (which) && i < B * T; i++) {      \
            const size_t b = i / T, t = i % T, *x = inputs + b * T;                      \
            (void)b, (void)t, (void)x;                                                   \
            targets[i] = rule;                                                           \
        }                                                                                \
        return status;                                                                   \
    }

static int compare_tokens(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

// The t-th smallest of n tokens.
static size_t smallest(const size_t *tokens, size_t n, size_t t)
{
    size_t sorted[512];
    if (n > sizeof sorted / sizeof sorted[0]) {
        abort();
    }
    memcpy(sorted, tokens, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_tokens);
    return sorted[t];
}

TARGETS(targets_next_token, TASK_COPY, x[t + 1 < T ? t + 1 : t])
TARGETS(targets_reverse_batch, TASK_REVERSE, inputs[(B - 1 - b) * T + t])
TARGETS(targets_reverse_all, TASK_REVERSE, inputs[B * T - 1 - i])
TARGETS(targets_reverse_unwritten, TASK_REVERSE,
        t < T / 2 ? x[T - 1 - t] : targets[b * T + T - 1 - t])
TARGETS(targets_sort_descending, TASK_SORT, smallest(x, T, T - 1 - t))
TARGETS(targets_sort_batch, TASK_SORT, smallest(inputs, B *T, i))
TARGETS(targets_sort_not, TASK_SORT, x[t])
TARGETS(targets_add_no_mod, TASK_ADD, x[t] + (t > 0 ? x[t - 1] : 0))
TARGETS(targets_add_running, TASK_ADD, (t > 0 ? x[t] + targets[i - 1] : x[t]) % V)
TARGETS(targets_add_next, TASK_ADD, (x[t] + (t + 1 < T ? x[t + 1] : 0)) % V)
TARGETS(targets_add_last_sequence, TASK_ADD, (x[t] + (i > 0 ? inputs[i - 1] : 0)) % V)

static const struct mistake make_targets_mistakes[] = {
    {
        .id = "next-token",
        .what = "the copy task's targets are shifted: each is the token after",
        .why =
            "That is a language model's target. Here the model is to say the token that "
            "it has just read: y[t] = x[t].",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(make_targets, targets_next_token),
    },
    {
        .id = "reverse-batch",
        .what = "reverse turns the order of the sequences around, not of their tokens",
        .why = "Sequence b stays where it is; inside of it, y[t] = x[T - 1 - t].",
        .function = LIKE(make_targets, targets_reverse_batch),
    },
    {
        .id = "reverse-everything",
        .what = "reverse turns around the whole batch as one long sequence",
        .why = "The last token of the last sequence became the first of the first. Each "
               "sequence is reversed by itself: inputs[b * T + T - 1 - t].",
        .function = LIKE(make_targets, targets_reverse_all),
    },
    {
        .id = "reverse-overwritten",
        .what = "the second half of each reversed sequence mirrors the first",
        .why = "The targets were reversed in place, and what the second half needs was "
               "overwritten. Read from inputs, write to targets.",
        .function = LIKE(make_targets, targets_reverse_unwritten),
    },
    {
        .id = "sort-descending",
        .what = "sort puts the largest token first",
        .why = "The order asked for is ascending: the comparison is the wrong way round.",
        .function = LIKE(make_targets, targets_sort_descending),
    },
    {
        .id = "sort-batch",
        .what = "sort orders the tokens of all sequences together",
        .why = "Tokens do not leave their sequence. Sort T tokens, B times.",
        .function = LIKE(make_targets, targets_sort_batch),
    },
    {
        .id = "not-sorted",
        .what = "the targets of sort are the inputs as they are",
        .why = "Is there a branch for TASK_SORT, and is its result written to targets?",
        .function = LIKE(make_targets, targets_sort_not),
    },
    {
        .id = "add-no-mod",
        .what = "add forgets mod V",
        .why = "A target is a token and lies below V; the sum of two tokens need not.",
        .function = LIKE(make_targets, targets_add_no_mod),
    },
    {
        .id = "add-running-sum",
        .what = "add sums up all tokens from the start",
        .why = "Only the token and the one before it are added: x[t] + x[t - 1], inputs "
               "both, not the target before.",
        .function = LIKE(make_targets, targets_add_running),
    },
    {
        .id = "add-next",
        .what = "add takes the token after instead of the one before",
        .why =
            "Under a causal mask the model cannot see x[t + 1]. The partner is x[t - 1].",
        .function = LIKE(make_targets, targets_add_next),
    },
    {
        .id = "add-last-sequence",
        .what = "the first token of a sequence is added to the last of the one before",
        .why = "x[t - 1] at t = 0 lies in the sequence before. A sequence starts anew: "
               "y[0] = x[0].",
        .function = LIKE(make_targets, targets_add_last_sequence),
    },
    {0},
};

// Counts how often each token occurs; no token is compared with another.
static lab_status targets_counting(size_t *targets, const size_t *inputs, enum task task,
                                   size_t B, size_t T, size_t V)
{
    lab_status status;
    if (task != TASK_SORT || task_refused(&status, inputs, task, B, T, V)) {
        return make_targets(targets, inputs, task, B, T, V);
    }
    for (size_t b = 0; b < B; b++) {
        size_t place = b * T;
        for (size_t token = 0; token < V; token++) {
            for (size_t t = 0; t < T; t++) {
                if (inputs[b * T + t] == token) {
                    targets[place++] = token;
                }
            }
        }
    }
    return LAB_OK;
}

static const struct mistake make_targets_alternatives[] = {
    {.id = "counting-sort", .function = LIKE(make_targets, targets_counting)},
    {0},
};

static void fill_data(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
}

// A wrong token outside of the batch is nobody's business; the batch is rows 1 and 2.
static void fill_bad_token_elsewhere(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
    last_token_too_large(test, "data");
}

static void fill_bad_token_inside(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
    case_size(test, "data")[case_dim(test, "T")] = case_dim(test, "V");
}

static const struct case_spec make_copy_batch_cases[] = {
    {.dims = "first=0 task=0 R=1 B=1 T=2 V=10", .fill = fill_data},
    {.dims = "first=1 task=0 R=3 B=1 T=2 V=10", .fill = fill_data},
    {.dims = "first=2 task=1 R=5 B=2 T=3 V=10", .fill = fill_data},
    {.dims = "first=3 task=3 R=6 B=3 T=4 V=10",
     .fill = fill_data,
     .note = "the last rows of the data set"},
    {.dims = "first=1..4 task=0..3 R=11 B=3..5 T=6..7 V=12",
     .draws = 4,
     .fill = fill_data},
    {.dims = "first=261 task=0..3 R=300 B=3 T=5 V=601",
     .fill = fill_data,
     .note = "far into the data set"},
    {.dims = "first=1 task=0 R=4 B=2 T=3 V=5",
     .fill = fill_bad_token_elsewhere,
     .note = "a token that is not below V, in a row outside of the batch"},
    {.dims = "first=1 task=0 R=4 B=2 T=3 V=5",
     .fill = fill_bad_token_inside,
     .note = "a token that is not below V"},
    {.dims = "first=3 task=0 R=4 B=2 T=3 V=5",
     .fill = fill_data,
     .note = "the second row is beyond the data set"},
    {.dims = "first=9 task=0 R=4 B=1 T=3 V=5",
     .fill = fill_data,
     .note = "the rows are beyond the data set"},
    {.dims = "first=0 task=0 R=4 B=0 T=3 V=5", .fill = fill_data, .note = "a size of 0"},
    {0},
};

// BATCH(name, start, task): the batch from element `start` of the data, with another task.
#define BATCH(name, start, other_task)                                                   \
    static lab_status name(size_t *inputs, size_t *targets, const size_t *data,          \
                           size_t first, enum task task, size_t R, size_t B, size_t T,   \
                           size_t V)                                                     \
    {                                                                                    \
        lab_status status =                                                              \
            make_copy_batch(inputs, targets, data, first, task, R, B, T, V);             \
        if (status == LAB_OK) {                                                          \
            memcpy(inputs, data + (start), B * T * sizeof *inputs);                      \
            status = make_targets(targets, inputs, other_task, B, T, V);                 \
        }                                                                                \
        return status;                                                                   \
    }

BATCH(batch_first_rows, 0 * first, task)
BATCH(batch_by_elements, first, task)
BATCH(batch_always_copy, first *T, TASK_COPY)

static lab_status batch_one_row(size_t *inputs, size_t *targets, const size_t *data,
                                size_t first, enum task task, size_t R, size_t B,
                                size_t T, size_t V)
{
    lab_status status = make_copy_batch(inputs, targets, data, first, task, R, B, T, V);
    for (size_t b = 1; status == LAB_OK && b < B; b++) {
        memcpy(inputs + b * T, inputs, T * sizeof *inputs);
        memcpy(targets + b * T, targets, T * sizeof *targets);
    }
    return status;
}

// The targets of the first rows of the data set beside the inputs of the batch.
static lab_status batch_targets_of_first(size_t *inputs, size_t *targets,
                                         const size_t *data, size_t first, enum task task,
                                         size_t R, size_t B, size_t T, size_t V)
{
    lab_status status = make_copy_batch(inputs, targets, data, first, task, R, B, T, V);
    return status == LAB_OK ? make_targets(targets, data, task, B, T, V) : status;
}

static const struct mistake make_copy_batch_mistakes[] = {
    {
        .id = "first-rows",
        .what = "the batch is always rows 0 to B - 1",
        .why = "first is ignored. The batch starts at row first: data + first * T.",
        .function = LIKE(make_copy_batch, batch_first_rows),
    },
    {
        .id = "first-in-tokens",
        .what = "the batch starts at token number first, not at row number first",
        .why = "A row is T tokens long: data + first * T.",
        .function = LIKE(make_copy_batch, batch_by_elements),
    },
    {
        .id = "always-copy",
        .what = "the targets are those of the copy task, whatever the task",
        .why = "Hand task on to make_targets.",
        .function = LIKE(make_copy_batch, batch_always_copy),
    },
    {
        .id = "one-row",
        .what = "every sequence of the batch is the same row",
        .why = "Row b of the batch is row first + b of the data set.",
        .function = LIKE(make_copy_batch, batch_one_row),
    },
    {
        .id = "targets-of-first-rows",
        .what = "the targets belong to the first rows of the data set, not to the inputs",
        .why = "make_targets got data where it should get the batch's inputs.",
        .function = LIKE(make_copy_batch, batch_targets_of_first),
    },
    {0},
};

static const struct part tasks_part[] = {
    {
        .function = "make_targets",
        .dims = "task B T V",
        .tensors =
            {
                {"targets", "B T", OUTPUT, SIZE, 0, 0},
                {"inputs", "B T", INPUT, SIZE, 0, 0},
            },
        .cases = make_targets_cases,
        .mistakes = make_targets_mistakes,
        .alternatives = make_targets_alternatives,
    },
    {
        .function = "make_copy_batch",
        .dims = "first task R B T V",
        .tensors =
            {
                {"inputs", "B T", OUTPUT, SIZE, 0, 0},
                {"targets", "B T", OUTPUT, SIZE, 0, 0},
                {"data", "R T", INPUT, SIZE, 0, 0},
            },
        .cases = make_copy_batch_cases,
        .mistakes = make_copy_batch_mistakes,
    },
    {0},
};

// ---- 6.2 embedding ------------------------------------------------------------------------

static void fill_tokens(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
}

static void fill_bad_tokens(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    last_token_too_large(test, "tokens");
}

// V is larger than C in some and smaller in others; N larger than V, so that tokens repeat.
static const struct case_spec embedding_cases[] = {
    {.dims = "N=1 C=1 V=2", .fill = fill_tokens},
    {.dims = "N=2 C=3 V=4", .fill = fill_tokens},
    {.dims = "N=3 C=2 V=5", .draws = 2, .fill = fill_tokens},
    {.dims = "N=7 C=5 V=3", .fill = fill_tokens, .note = "more tokens than rows"},
    {.dims = "N=8..14 C=4..7 V=10", .draws = 3, .fill = fill_tokens},
    {.dims = "N=21 C=32 V=10", .fill = fill_tokens},
    {.dims = "N=9 C=3 V=601", .fill = fill_tokens, .note = "many tokens"},
    {.dims = "N=261 C=2 V=5", .fill = fill_tokens},
    {.dims = "N=2 C=263 V=3", .fill = fill_tokens},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_tokens,
     .cpu_only = true, // the host cannot see them
     .note = "the last token is V, which is not below V"},
    {.dims = "N=0 C=3 V=5", .note = "a size of 0"},
    {.dims = "N=3 C=0 V=5", .note = "a size of 0"},
    {0},
};

// LOOKUP(name, value): out[n][c] is an expression of the token, n, c and the table.
#define LOOKUP(name, value)                                                              \
    static lab_status name(float *out, const size_t *tokens, const float *table,         \
                           size_t N, size_t C, size_t V)                                 \
    {                                                                                    \
        lab_status status = embedding(out, tokens, table, N, C, V);                      \
        for (size_t i = 0; status == LAB_OK && i < N * C; i++) {                         \
            const size_t n = i / C, c = i % C, token = tokens[n];                        \
            (void)n, (void)c, (void)token;                                               \
            out[i] = value;                                                              \
        }                                                                                \
        return status;                                                                   \
    }

LOOKUP(lookup_transposed, table[c * V + token])
LOOKUP(lookup_by_place, table[n % V * C + c])
LOOKUP(lookup_in_elements, table[token + c])
LOOKUP(lookup_scaled, table[token * C + c] * sqrtf((float)C))
LOOKUP(lookup_first_token, table[tokens[0] * C + c])

static const struct mistake embedding_mistakes[] = {
    {
        .id = "table-transposed",
        .what = "the table is read as (C, V)",
        .why = "A token's vector is a row of the table: table[token * C + c].",
        .source = "nntile/nntile#370",
        .function = LIKE(embedding, lookup_transposed),
    },
    {
        .id = "by-place",
        .what = "row n of the table is taken, not the row of token n",
        .why = "The index into the table is the token, tokens[n]; n only says where the "
               "result goes.",
        .function = LIKE(embedding, lookup_by_place),
    },
    {
        .id = "rows-overlap",
        .what = "rows are taken one number apart instead of C",
        .why = "Row number token begins at table + token * C.",
        .function = LIKE(embedding, lookup_in_elements),
    },
    {
        .id = "scaled",
        .what = "the embedding is multiplied by sqrt(C)",
        .why = "Vaswani et al. (2017) do that before they add sinusoidal positions. This "
               "lab "
               "and nn.Embedding do not.",
        .function = LIKE(embedding, lookup_scaled),
        .convention = true,
    },
    {
        .id = "first-token",
        .what = "every place gets the vector of the first token",
        .why = "The token has to be read anew for every n.",
        .function = LIKE(embedding, lookup_first_token),
    },
    {0},
};

static const struct part embedding_part[] = {
    {
        .function = "embedding",
        .dims = "N C V",
        .tensors =
            {
                {"out", "N C", OUTPUT, F32, 0, 0}, // copied, never computed
                {"tokens", "N", INPUT, SIZE, 0, 0},
                {"table", "V C", INPUT, F32, 0, 0},
            },
        .cases = embedding_cases,
        .mistakes = embedding_mistakes,
    },
    {0},
};

// ---- 6.3 cross_entropy --------------------------------------------------------------------

static void fill_targets(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    scale(test, "logits", 2.0f);
}

static void fill_large_logits(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] = fminf(fmaxf(logits[i] * 5000.0f, -10000.0f), 10000.0f);
    }
}

static void shift_logits(struct test_case *test, struct lab_rng *rng, float by)
{
    fill_targets(test, rng);
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] += by;
    }
}

static void fill_logits_above(struct test_case *test, struct lab_rng *rng)
{
    shift_logits(test, rng, 120.0f);
}

static void fill_logits_below(struct test_case *test, struct lab_rng *rng)
{
    shift_logits(test, rng, -200.0f);
}

// One logit 60 above the others, and never the target: its probability is near 1e-26.
static void fill_confident_and_wrong(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t N = case_dim(test, "N"), V = case_dim(test, "V");
    for (size_t n = 0; n < N; n++) {
        case_f32(test, "logits")[n * V + (case_size(test, "targets")[n] + 1) % V] +=
            60.0f;
    }
}

static void fill_bad_target(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    last_token_too_large(test, "targets");
}

static const struct case_spec cross_entropy_cases[] = {
    {.dims = "N=1 V=2", .fill = fill_targets},
    {.dims = "N=1 V=3", .fill = fill_targets},
    {.dims = "N=2 V=3", .fill = fill_targets},
    {.dims = "N=2 V=1",
     .fill = fill_targets,
     .note = "one token in all: it costs nothing"},
    {.dims = "N=5 V=3", .draws = 2, .fill = fill_targets},
    {.dims = "N=3 V=4", .fill = fill_logits_above, .note = "logits near 120"},
    {.dims = "N=4 V=3", .fill = fill_logits_below, .note = "logits near -200"},
    {.dims = "N=3 V=5",
     .fill = fill_confident_and_wrong,
     .note = "sure of a wrong token: the target's probability is near 1e-26"},
    {.dims = "N=4 V=6", .fill = fill_large_logits, .note = "logits of up to +-10000"},
    {.dims = "N=4..9 V=10..13", .draws = 3, .fill = fill_targets},
    {.dims = "N=37 V=10", .fill = fill_targets},
    {.dims = "N=3 V=601", .fill = fill_targets, .note = "many tokens"},
    {.dims = "N=261 V=4", .fill = fill_targets},
    {.dims = "N=3 V=4",
     .fill = fill_bad_target,
     .cpu_only = true, // the host cannot see them
     .note = "the last target is V, which is not below V"},
    {.dims = "N=0 V=4", .note = "a size of 0"},
    {.dims = "N=3 V=0", .note = "a size of 0"},
    {0},
};

// What a mistake knows of one row: its logits and probabilities, and what the target costs.
struct loss_row {
    const float *logits, *p;
    float max, sum; // of exp(logit - max)
    size_t target, V;
    double cost; // log sum - (logit[target] - max)
};

// LOSS(name, of_row, of_all): cross_entropy where a row costs of_row(row) and the loss is
// of_all, an expression of total, N and V. The probabilities are right.
#define LOSS(name, of_row, of_all)                                                       \
    static lab_status name(float *loss, float *probabilities, const float *logits,       \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);   \
        if (status != LAB_OK) {                                                          \
            return status;                                                               \
        }                                                                                \
        double total = 0.0;                                                              \
        for (size_t n = 0; n < N; n++) {                                                 \
            const struct loss_row row =                                                  \
                look_at_row(probabilities + n * V, logits + n * V, targets[n], V);       \
            total += of_row;                                                             \
        }                                                                                \
        *loss = (float)(of_all);                                                         \
        return LAB_OK;                                                                   \
    }

static struct loss_row look_at_row(const float *p, const float *logits, size_t target,
                                   size_t V)
{
    struct loss_row row = {.logits = logits, .p = p, .target = target, .V = V};
    row.max = logits[0];
    for (size_t i = 1; i < V; i++) {
        row.max = fmaxf(row.max, logits[i]);
    }
    for (size_t i = 0; i < V; i++) {
        row.sum += expf(logits[i] - row.max);
    }
    row.cost = log(row.sum) - ((double)logits[target] - row.max);
    return row;
}

// The cost of the target when the probabilities are taken for logits.
static double cost_of_softmax_again(const struct loss_row *row)
{
    double sum = 0.0;
    for (size_t i = 0; i < row->V; i++) {
        sum += exp((double)row->p[i]);
    }
    return log(sum) - (double)row->p[row->target];
}

LOSS(loss_sum, row.cost, total)
LOSS(loss_over_V, row.cost, total / (double)V)
LOSS(loss_over_NV, row.cost, total / (double)(N * V))
LOSS(loss_over_N_minus_1, row.cost, total / ((double)N - 1.0))
LOSS(loss_positive_sign, row.cost, -total / (double)N)
LOSS(loss_base_2, row.cost, total / (double)N / log(2.0))
LOSS(loss_softmax_twice, cost_of_softmax_again(&row), total / (double)N)
LOSS(loss_no_log_sum, -((double)row.logits[row.target] - row.max), total / (double)N)
LOSS(loss_of_probability, -logf(row.p[row.target]), total / (double)N)
LOSS(loss_clamped, -logf(row.p[row.target] + 1e-10f), total / (double)N)
LOSS(loss_one_minus_p, 1.0 - (double)row.p[row.target], total / (double)N)
LOSS(loss_in_float, logf(row.sum) - (row.logits[row.target] - row.max), total / (double)N)

static lab_status loss_last_row(float *loss, float *probabilities, const float *logits,
                                const size_t *targets, size_t N, size_t V)
{
    lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);
    if (status == LAB_OK) {
        const size_t n = N - 1;
        const struct loss_row row =
            look_at_row(probabilities + n * V, logits + n * V, targets[n], V);
        *loss = (float)(row.cost / (double)N);
    }
    return status;
}

// Row n is asked for the target of row n + 1, and the last row for nothing.
static lab_status loss_shifted(float *loss, float *probabilities, const float *logits,
                               const size_t *targets, size_t N, size_t V)
{
    lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);
    if (status != LAB_OK) {
        return status;
    }
    double total = 0.0;
    for (size_t n = 0; n + 1 < N; n++) {
        total +=
            look_at_row(probabilities + n * V, logits + n * V, targets[n + 1], V).cost;
    }
    *loss = (float)(total / (double)(N - 1));
    return LAB_OK;
}

// start + the largest logit above it is taken for the maximum.
static lab_status loss_with_maximum_from(float start, bool fixed, float *loss,
                                         float *probabilities, const float *logits,
                                         const size_t *targets, size_t N, size_t V)
{
    lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);
    if (status != LAB_OK) {
        return status;
    }
    float total = 0.0f;
    for (size_t n = 0; n < N; n++) {
        float max = start, sum = 0.0f;
        for (size_t i = 0; i < V && !fixed; i++) {
            max = fmaxf(max, logits[n * V + i]);
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = expf(logits[n * V + i] - max);
            sum += probabilities[n * V + i];
        }
        multiply(probabilities + n * V, 1.0f / sum, V);
        total += logf(sum) - (logits[n * V + targets[n]] - max);
    }
    *loss = total / (float)N;
    return LAB_OK;
}

static lab_status loss_no_max(float *loss, float *probabilities, const float *logits,
                              const size_t *targets, size_t N, size_t V)
{
    return loss_with_maximum_from(0.0f, true, loss, probabilities, logits, targets, N, V);
}

static lab_status loss_max_from_zero(float *loss, float *probabilities,
                                     const float *logits, const size_t *targets, size_t N,
                                     size_t V)
{
    return loss_with_maximum_from(0.0f, false, loss, probabilities, logits, targets, N,
                                  V);
}

// PROBABILITIES(name, value): the loss is right, the probabilities are an expression of row.
#define PROBABILITIES(name, value)                                                       \
    static lab_status name(float *loss, float *probabilities, const float *logits,       \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        lab_status status = cross_entropy(loss, probabilities, logits, targets, N, V);   \
        for (size_t n = 0; status == LAB_OK && n < N; n++) {                             \
            const struct loss_row row =                                                  \
                look_at_row(probabilities + n * V, logits + n * V, targets[n], V);       \
            for (size_t i = 0; i < V; i++) {                                             \
                probabilities[n * V + i] = value;                                        \
            }                                                                            \
        }                                                                                \
        return status;                                                                   \
    }

PROBABILITIES(loss_unnormalised, expf(row.logits[i] - row.max))
PROBABILITIES(loss_log_probabilities, row.logits[i] - row.max - logf(row.sum))
PROBABILITIES(loss_in_double, (float)(exp((double)row.logits[i] - row.max) / row.sum))

static const struct mistake cross_entropy_mistakes[] = {
    {
        .id = "sum",
        .what = "the loss is the sum over all rows, not their mean",
        .why =
            "Divide by N. A sum grows with the batch, and the learning rate that suits "
            "one batch size no longer suits another.",
        .source = "huggingface/transformers#34510",
        .function = LIKE(cross_entropy, loss_sum),
    },
    {
        .id = "divided-by-V",
        .what = "the sum over the rows is divided by V",
        .why =
            "It is a mean over rows: there are N of them, however many tokens there are "
            "to choose from.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy, loss_over_V),
    },
    {
        .id = "divided-by-NV",
        .what = "the sum over the rows is divided by N V",
        .why = "One number for each row is summed, N in all: divide by N.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy, loss_over_NV),
    },
    {
        .id = "divided-by-N-1",
        .what = "the sum over the rows is divided by N - 1",
        .why = "Nothing is shifted here, every row has a target: divide by N.",
        .source = "huggingface/transformers#34510",
        .function = LIKE(cross_entropy, loss_over_N_minus_1),
    },
    {
        .id = "sign",
        .what = "the loss has the wrong sign",
        .why = "log p is negative; the loss is -log p of the target, 0 at best.",
        .function = LIKE(cross_entropy, loss_positive_sign),
    },
    {
        .id = "base-2",
        .what = "the loss is in bits: the logarithm is to base 2",
        .why = "log2 where log belongs. This lab, like PyTorch, counts in natural-log "
               "units: "
               "uniform guessing among 10 costs log 10 = 2.3026.",
        .function = LIKE(cross_entropy, loss_base_2),
        .convention = true,
    },
    {
        .id = "softmax-twice",
        .what = "the softmax is taken twice: the probabilities are treated as logits",
        .why =
            "Probabilities lie between 0 and 1, so their softmax is nearly uniform and "
            "the loss cannot come near 0. Take the loss from the logits.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(cross_entropy, loss_softmax_twice),
    },
    {
        .id = "no-log-sum",
        .what = "the logarithm of the sum is missing",
        .why =
            "log p = (logit - max) - log sum. Without the sum this is the logarithm of "
            "the exponential before it is divided.",
        .function = LIKE(cross_entropy, loss_no_log_sum),
    },
    {
        .id = "log-of-probability",
        .what = "the loss is the logarithm of the rounded probability, and infinite when "
                "that is 0",
        .why =
            "exp of less than -104 is 0 in float, and -log 0 is infinite. Use log sum - "
            "(logit - max): it never leaves the logits.",
        .source = "deeplearning4j/deeplearning4j#785",
        .function = LIKE(cross_entropy, loss_of_probability),
    },
    {
        .id = "clamped",
        .what =
            "a small number is added to the probability, and the loss cannot exceed 23",
        .why =
            "-log(p + 1e-10) is no more than 23.03, and its gradient vanishes where the "
            "model is most wrong. Use log sum - (logit - max), which needs no guard.",
        .source = "chainer/chainer#584",
        .function = LIKE(cross_entropy, loss_clamped),
    },
    {
        .id = "one-minus-p",
        .what = "the loss is 1 - p",
        .why = "The cross entropy is -log p: a target with p = 0.01 costs 4.6, not 0.99.",
        .function = LIKE(cross_entropy, loss_one_minus_p),
    },
    {
        .id = "last-row",
        .what = "only the last row counts",
        .why = "The row's cost is assigned where it should be added: total += ...",
        .function = LIKE(cross_entropy, loss_last_row),
    },
    {
        .id = "shifted",
        .what = "row n is compared with the target of row n + 1",
        .why =
            "The targets come shifted as the task wants them; targets[n] belongs to row "
            "n. A second shift asks for the token after the next.",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(cross_entropy, loss_shifted),
    },
    {
        .id = "no-max",
        .what = "the largest logit is not subtracted before exp",
        .why =
            "exp overflows above 88.7 and underflows below -104: inf/inf, 0/0 and log 0 "
            "are what is left. Subtract the row's largest logit first.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(cross_entropy, loss_no_max),
    },
    {
        .id = "max-from-zero",
        .what = "the search for the largest logit starts at 0",
        .why = "In a row of logits near -200 nothing is larger than 0, and every "
               "exponential "
               "is 0. Start with the row's first logit.",
        .source = "karpathy/llm.c, train_gpt2.c (a fixed -10000)",
        .function = LIKE(cross_entropy, loss_max_from_zero),
    },
    {
        .id = "not-normalised",
        .what = "the probabilities are not divided by their sum",
        .why = "The loss is right; the exponentials still have to be divided, for "
               "cross_entropy_backward needs probabilities.",
        .function = LIKE(cross_entropy, loss_unnormalised),
    },
    {
        .id = "log-probabilities",
        .what = "probabilities holds their logarithms",
        .why = "The gradient is p - 1 at the target: it needs p itself.",
        .function = LIKE(cross_entropy, loss_log_probabilities),
    },
    {0},
};

static const struct mistake cross_entropy_alternatives[] = {
    {.id = "in-float", .function = LIKE(cross_entropy, loss_in_float)},
    {.id = "in-double", .function = LIKE(cross_entropy, loss_in_double)},
    {0},
};

static const struct part cross_entropy_part[] = {
    {
        .function = "cross_entropy",
        .dims = "N V",
        .tensors =
            {
                {"loss", "1", OUTPUT, F32, 1e-5f, 1e-5f},
                {"probabilities", "N V", OUTPUT, F32, 1e-6f, 1e-5f},
                {"logits", "N V", INPUT, F32, 0, 0},
                {"targets", "N", INPUT, SIZE, 0, 0},
            },
        .cases = cross_entropy_cases,
        .mistakes = cross_entropy_mistakes,
        .alternatives = cross_entropy_alternatives,
    },
    {0},
};

// ---- 6.4 cross_entropy_backward -----------------------------------------------------------

// Each row becomes the softmax of normals: probabilities as forward would leave them.
static void softmax_of(struct test_case *test, const char *name, size_t S)
{
    float *row = case_f32(test, name);
    float *last = row + case_count(test, name);
    for (; row < last; row += S) {
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            sum += exp(2.0 * (double)row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = (float)(exp(2.0 * (double)row[s]) / sum);
        }
    }
}

static void fill_probabilities(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    softmax_of(test, "probabilities", case_dim(test, "V"));
}

static const struct case_spec cross_entropy_backward_cases[] = {
    {.dims = "N=1 V=2", .fill = fill_probabilities},
    {.dims = "N=1 V=3", .fill = fill_probabilities},
    {.dims = "N=2 V=3", .fill = fill_probabilities},
    {.dims = "N=5 V=4", .draws = 2, .fill = fill_probabilities},
    {.dims = "N=3 V=1", .fill = fill_probabilities, .note = "one token in all"},
    {.dims = "N=6..9 V=10..13", .draws = 3, .fill = fill_probabilities},
    {.dims = "N=37 V=10", .fill = fill_probabilities},
    {.dims = "N=3 V=601", .fill = fill_probabilities, .note = "many tokens"},
    {.dims = "N=261 V=4", .fill = fill_probabilities},
    {.dims = "N=3 V=4",
     .fill = fill_bad_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "N=0 V=4", .note = "a size of 0"},
    {.dims = "N=3 V=0", .note = "a size of 0"},
    {0},
};

// DLOGITS(name, value): an expression of p and y (1 for the target, else 0), dot (the sum over
// the row of p times p - y), N and V.
#define DLOGITS(name, value)                                                             \
    static lab_status name(float *dlogits, const float *probabilities,                   \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        lab_status status =                                                              \
            cross_entropy_backward(dlogits, probabilities, targets, N, V);               \
        for (size_t n = 0; status == LAB_OK && n < N; n++) {                             \
            const float *p_n = probabilities + n * V;                                    \
            float dot = 0.0f;                                                            \
            for (size_t i = 0; i < V; i++) {                                             \
                dot += p_n[i] * (p_n[i] - (i == targets[n] ? 1.0f : 0.0f));              \
            }                                                                            \
            (void)dot;                                                                   \
            for (size_t i = 0; i < V; i++) {                                             \
                const float p = p_n[i], y = i == targets[n] ? 1.0f : 0.0f;               \
                (void)y;                                                                 \
                dlogits[n * V + i] = value;                                              \
            }                                                                            \
        }                                                                                \
        return status;                                                                   \
    }

DLOGITS(dlogits_no_minus_one, p / (float)N)
DLOGITS(dlogits_undivided, p - y)
DLOGITS(dlogits_over_V, (p - y) / (float)V)
DLOGITS(dlogits_over_NV, (p - y) / (float)(N * V))
DLOGITS(dlogits_sign, (y - p) / (float)N)
DLOGITS(dlogits_softmax_again, p *(p - y - dot) / (float)N)
DLOGITS(dlogits_target_only, y *(p - 1.0f) / (float)N)
DLOGITS(dlogits_of_probability, y > 0.0f ? -1.0f / p / (float)N : 0.0f)
DLOGITS(dlogits_diagonal, y > 0.0f ? (p - 1.0f) / (float)N : p)
DLOGITS(dlogits_in_double, (float)(((double)p - (double)y) / (double)N))
DLOGITS(dlogits_divided_first, p / (float)N - y / (float)N)

static const struct mistake cross_entropy_backward_mistakes[] = {
    {
        .id = "no-minus-one",
        .what = "the 1 is not subtracted at the target",
        .why = "The gradient is what the model said minus what is right: p - 1 at the "
               "target, p elsewhere. A right row's gradient sums to 0.",
        .function = LIKE(cross_entropy_backward, dlogits_no_minus_one),
    },
    {
        .id = "not-divided",
        .what = "the gradient is not divided by N",
        .why = "The loss is a mean over N rows, so each row's share of it is 1/N.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy_backward, dlogits_undivided),
    },
    {
        .id = "divided-by-V",
        .what = "the gradient is divided by V",
        .why = "The loss is a mean over N rows, not over V tokens.",
        .function = LIKE(cross_entropy_backward, dlogits_over_V),
    },
    {
        .id = "divided-by-NV",
        .what = "the gradient is divided by N V",
        .why = "The loss is a mean over N rows: divide by N alone.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy_backward, dlogits_over_NV),
    },
    {
        .id = "divided-at-target-only",
        .what = "only the target's gradient is divided by N",
        .why =
            "Every gradient of the row has its share of 1/N: the division stands inside "
            "the if.",
        .function = LIKE(cross_entropy_backward, dlogits_diagonal),
    },
    {
        .id = "sign",
        .what = "the gradient has the wrong sign",
        .why = "It points to where the loss GROWS: raising the target's logit lowers the "
               "loss, so its gradient is negative, p - 1.",
        .function = LIKE(cross_entropy_backward, dlogits_sign),
    },
    {
        .id = "softmax-again",
        .what = "p - y was sent through the softmax's backward once more",
        .why = "p - y is already the gradient of the logits: the softmax is in it.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(cross_entropy_backward, dlogits_softmax_again),
    },
    {
        .id = "target-only",
        .what = "only the target's logit gets a gradient",
        .why =
            "Every logit of the row is in the sum of the exponentials. The others get p.",
        .function = LIKE(cross_entropy_backward, dlogits_target_only),
    },
    {
        .id = "of-probability",
        .what = "this is the gradient of the probabilities, -1/p at the target",
        .why =
            "The softmax lies between probabilities and logits and has to be gone back "
            "through; what comes out is p - y.",
        .function = LIKE(cross_entropy_backward, dlogits_of_probability),
    },
    {0},
};

static const struct mistake cross_entropy_backward_alternatives[] = {
    {.id = "in-double", .function = LIKE(cross_entropy_backward, dlogits_in_double)},
    {.id = "divided-first",
     .function = LIKE(cross_entropy_backward, dlogits_divided_first)},
    {0},
};

static const struct part cross_entropy_backward_part[] = {
    {
        .function = "cross_entropy_backward",
        .dims = "N V",
        .tensors =
            {
                {"dlogits", "N V", OUTPUT, F32, 4e-7f, 1e-5f},
                {"probabilities", "N V", INPUT, F32, 0, 0},
                {"targets", "N", INPUT, SIZE, 0, 0},
            },
        .cases = cross_entropy_backward_cases,
        .mistakes = cross_entropy_backward_mistakes,
        .alternatives = cross_entropy_backward_alternatives,
    },
    {0},
};

// ---- 6.5 linear_backward ------------------------------------------------------------------

// What is added to starts small: the sum is then as exact as what is added.
static void fill_linear(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale(test, "dw", 0.5f);
    scale(test, "dbias", 0.5f);
}

static void fill_no_bias(struct test_case *test, struct lab_rng *rng)
{
    fill_linear(test, rng);
    case_absent(test, "dbias");
}

// Sums of 261 unit products are near 16, and round as such: an exact 1/16 makes them near 1, as
// the tolerance has it.
static void fill_long_sums(struct test_case *test, struct lab_rng *rng)
{
    fill_linear(test, rng);
    float *dy = case_f32(test, "dy");
    for (size_t i = 0; i < case_count(test, "dy"); i++) {
        dy[i] *= 0.0625f;
    }
}

static const struct case_spec linear_backward_cases[] = {
    {.dims = "N=1 I=1 O=1", .fill = fill_linear},
    {.dims = "N=1 I=2 O=3", .fill = fill_linear},
    {.dims = "N=2 I=3 O=2", .fill = fill_linear},
    {.dims = "N=3 I=2 O=4", .fill = fill_no_bias, .note = "no bias: dbias is NULL"},
    {.dims = "N=5 I=4 O=3", .draws = 2, .fill = fill_linear},
    {.dims = "N=2..5 I=6..9 O=10..13", .draws = 3, .fill = fill_linear},
    {.dims = "N=17 I=3 O=5", .fill = fill_linear},
    {.dims = "N=6 I=5 O=33", .fill = fill_no_bias, .note = "no bias: dbias is NULL"},
    {.dims = "N=29 I=32 O=23", .fill = fill_linear},
    {.dims = "N=261 I=3 O=5", .fill = fill_long_sums},
    {.dims = "N=3 I=263 O=7", .fill = fill_linear},
    {.dims = "N=2 I=5 O=261", .fill = fill_long_sums},
    {.dims = "N=0 I=2 O=3", .note = "a size of 0"},
    {.dims = "N=2 I=0 O=3", .note = "a size of 0"},
    {.dims = "N=2 I=3 O=0", .note = "a size of 0"},
    {0},
};

enum linear_fault {
    LINEAR_RIGHT,
    LINEAR_W_TRANSPOSED,
    LINEAR_DW_TRANSPOSED,
    LINEAR_DY_TRANSPOSED,
    LINEAR_X_TRANSPOSED,
    LINEAR_OVERWRITTEN,
    LINEAR_DW_OVERWRITTEN,
    LINEAR_DBIAS_OVERWRITTEN,
    LINEAR_MEANS,
    LINEAR_DBIAS_MEAN,
    LINEAR_DBIAS_AXIS,
    LINEAR_DBIAS_PER_INPUT,
    LINEAR_NO_DBIAS,
    LINEAR_LAST_OUTPUT,
    LINEAR_LAST_ROW,
};

static void linear_dw(enum linear_fault fault, float *dw, const float *dy, const float *x,
                      size_t N, size_t I, size_t O)
{
    const bool flipped = fault == LINEAR_DY_TRANSPOSED,
               over_x = fault == LINEAR_X_TRANSPOSED;
    float *sum = borrow(O * I);
    if (fault == LINEAR_DW_TRANSPOSED) {
        product(sum, x, 1, I, dy, O, 1, I, N, O);
    } else if (fault == LINEAR_LAST_ROW) {
        product(sum, dy + (N - 1) * O, 1, O, x + (N - 1) * I, I, 1, O, 1, I);
    } else {
        product(sum, dy, flipped ? N : 1, flipped ? 1 : O, x, over_x ? 1 : I,
                over_x ? N : 1, O, N, I);
    }
    if (fault == LINEAR_OVERWRITTEN || fault == LINEAR_DW_OVERWRITTEN) {
        memset(dw, 0, O * I * sizeof *dw);
    }
    multiply(sum, fault == LINEAR_MEANS ? 1.0f / (float)N : 1.0f, O * I);
    add_to(dw, sum, O * I);
    free(sum);
}

static void linear_dbias(enum linear_fault fault, float *dbias, const float *dy, size_t N,
                         size_t I, size_t O)
{
    const bool flipped = fault == LINEAR_DBIAS_AXIS || fault == LINEAR_DY_TRANSPOSED;
    if (fault == LINEAR_NO_DBIAS) {
        return;
    }
    for (size_t o = 0; o < O; o++) {
        float sum = 0.0f;
        for (size_t n = 0; n < N; n++) {
            sum += dy[flipped ? o * N + n : n * O + o];
        }
        if (fault == LINEAR_OVERWRITTEN || fault == LINEAR_DBIAS_OVERWRITTEN) {
            dbias[o] = 0.0f;
        }
        if (fault == LINEAR_MEANS || fault == LINEAR_DBIAS_MEAN) {
            sum /= (float)N;
        }
        if (fault == LINEAR_DBIAS_PER_INPUT) {
            for (size_t i = 0; i < N * I; i++) {
                dbias[o] += dy[i / I * O + o];
            }
            continue;
        }
        if (fault == LINEAR_LAST_ROW) {
            sum = dy[(N - 1) * O + o];
        }
        dbias[o] += sum;
    }
}

static lab_status linear_with(enum linear_fault fault, float *dx, float *dw, float *dbias,
                              const float *dy, const float *x, const float *w, size_t N,
                              size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    const bool flipped = fault == LINEAR_W_TRANSPOSED;
    if (fault == LINEAR_LAST_OUTPUT) {
        product(dx, dy + O - 1, O, 1, w + (O - 1) * I, I, 1, N, 1, I);
    } else {
        product(dx, dy, O, 1, w, flipped ? 1 : I, flipped ? O : 1, N, O, I);
    }
    linear_dw(fault, dw, dy, x, N, I, O);
    if (dbias != NULL) {
        linear_dbias(fault, dbias, dy, N, I, O);
    }
    return LAB_OK;
}

#define LINEAR(name, fault)                                                              \
    static lab_status name(float *dx, float *dw, float *dbias, const float *dy,          \
                           const float *x, const float *w, size_t N, size_t I, size_t O) \
    {                                                                                    \
        return linear_with(fault, dx, dw, dbias, dy, x, w, N, I, O);                     \
    }

LINEAR(linear_w_transposed, LINEAR_W_TRANSPOSED)
LINEAR(linear_dw_transposed, LINEAR_DW_TRANSPOSED)
LINEAR(linear_dy_transposed, LINEAR_DY_TRANSPOSED)
LINEAR(linear_x_transposed, LINEAR_X_TRANSPOSED)
LINEAR(linear_overwritten, LINEAR_OVERWRITTEN)
LINEAR(linear_dw_overwritten, LINEAR_DW_OVERWRITTEN)
LINEAR(linear_dbias_overwritten, LINEAR_DBIAS_OVERWRITTEN)
LINEAR(linear_means, LINEAR_MEANS)
LINEAR(linear_dbias_mean, LINEAR_DBIAS_MEAN)
LINEAR(linear_dbias_axis, LINEAR_DBIAS_AXIS)
LINEAR(linear_dbias_per_input, LINEAR_DBIAS_PER_INPUT)
LINEAR(linear_no_dbias, LINEAR_NO_DBIAS)
LINEAR(linear_last_output, LINEAR_LAST_OUTPUT)
LINEAR(linear_last_row, LINEAR_LAST_ROW)
LINEAR(linear_in_float, LINEAR_RIGHT)

// Row by row: every row adds its share to dw and dbias, as the handout's derivation does.
static lab_status linear_by_rows(float *dx, float *dw, float *dbias, const float *dy,
                                 const float *x, const float *w, size_t N, size_t I,
                                 size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    memset(dx, 0, N * I * sizeof *dx);
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            const float g = dy[n * O + o];
            for (size_t i = 0; i < I; i++) {
                dx[n * I + i] += g * w[o * I + i];
                dw[o * I + i] += g * x[n * I + i];
            }
            if (dbias != NULL) {
                dbias[o] += g;
            }
        }
    }
    return LAB_OK;
}

// cuBLAS called as if it were row-major: every matrix is read, and written, by columns.
static lab_status linear_column_major(float *dx, float *dw, float *dbias, const float *dy,
                                      const float *x, const float *w, size_t N, size_t I,
                                      size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < I; i++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0;
            for (size_t o = 0; o < O; o++) {
                sum += (double)dy[n + o * N] * w[o + i * O];
            }
            dx[n + i * N] = (float)sum;
        }
        for (size_t o = 0; o < O; o++) {
            double sum = 0;
            for (size_t n = 0; n < N; n++) {
                sum += (double)dy[n + o * N] * x[n + i * N];
            }
            dw[o + i * O] += (float)sum;
        }
    }
    for (size_t i = 0; dbias != NULL && i < N * O; i++) {
        dbias[i % O] += dy[i];
    }
    return LAB_OK;
}

// The rows of a block's first warp alone: 0, 8, 16, ...
static lab_status linear_dbias_first_warp(float *dx, float *dw, float *dbias,
                                          const float *dy, const float *x, const float *w,
                                          size_t N, size_t I, size_t O)
{
    enum { WARPS = 8 };
    lab_status status = linear_backward(dx, dw, NULL, dy, x, w, N, I, O);
    for (size_t n = 0; status == LAB_OK && dbias != NULL && n < N; n += WARPS) {
        for (size_t o = 0; o < O; o++) {
            dbias[o] += dy[n * O + o];
        }
    }
    return status;
}

static const struct mistake linear_backward_mistakes[] = {
    {
        .id = "w-transposed",
        .what = "dx is taken with w transposed",
        .why =
            "w is (O, I): forward reads row o for output o, y = x w^T; on the way back "
            "dx = dy w, without a transpose: dx[n,i] = sum_o dy[n,o] w[o,i].",
        .source = "nntile/nntile#370",
        .function = LIKE(linear_backward, linear_w_transposed),
    },
    {
        .id = "dw-transposed",
        .what = "dw is written as (I, O)",
        .why =
            "A gradient has the shape of its parameter: dw[o * I + i]. It is dy^T x, not "
            "x^T dy.",
        .function = LIKE(linear_backward, linear_dw_transposed),
    },
    {
        .id = "dy-transposed",
        .what = "dy is read as (O, N) for dw and dbias",
        .why =
            "The formula's dy^T is a way of reading, not of storing: element (n, o) is "
            "dy[n * O + o] on every line.",
        .function = LIKE(linear_backward, linear_dy_transposed),
    },
    {
        .id = "x-transposed",
        .what = "x is read as (I, N) for dw",
        .why = "Element (n, i) is x[n * I + i]: the sum for dw goes over its rows.",
        .function = LIKE(linear_backward, linear_x_transposed),
    },
    {
        .id = "overwritten",
        .what = "dw and dbias are overwritten instead of added to",
        .why = "A parameter may be used twice before a step is taken; every use adds its "
               "share: +=. What is there already must stay.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_overwritten),
    },
    {
        .id = "dw-overwritten",
        .what = "dw is overwritten instead of added to",
        .why = "Gradients of parameters accumulate: +=, as for dbias.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_dw_overwritten),
    },
    {
        .id = "dbias-overwritten",
        .what = "dbias is overwritten instead of added to",
        .why = "Gradients of parameters accumulate: +=, as for dw.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(linear_backward, linear_dbias_overwritten),
    },
    {
        .id = "means",
        .what = "dw and dbias are divided by N",
        .why =
            "The mean over the rows was taken once already, in the loss: dy has the 1/N "
            "in it. Here the rows are only summed.",
        .function = LIKE(linear_backward, linear_means),
    },
    {
        .id = "dbias-mean",
        .what = "dbias is divided by N",
        .why = "The bias was added to every row; the shares of all rows are summed, not "
               "averaged.",
        .function = LIKE(linear_backward, linear_dbias_mean),
    },
    {
        .id = "dbias-wrong-axis",
        .what = "dbias sums along the wrong axis of dy",
        .why = "bias[o] went into column o of every row: sum dy[n * O + o] over n.",
        .function = LIKE(linear_backward, linear_dbias_axis),
    },
    {
        .id = "dbias-per-input",
        .what = "dbias is I times too large",
        .why = "dbias[o] += dy[n, o] stands inside the loop over i.",
        .function = LIKE(linear_backward, linear_dbias_per_input),
    },
    {
        .id = "no-dbias",
        .what = "nothing is added to dbias",
        .why = "When dbias is not NULL, every row adds dy[n, o] to it.",
        .function = LIKE(linear_backward, linear_no_dbias),
    },
    {
        .id = "last-output",
        .what = "dx holds the share of the last output only",
        .why = "x[n,i] was used by all O outputs, so dx[n,i] is a sum over o: it was "
               "assigned inside the loop.",
        .function = LIKE(linear_backward, linear_last_output),
    },
    {
        .id = "last-row",
        .what = "only the last row has a share in dw and dbias",
        .why = "All N rows used the same w: their shares are summed.",
        .function = LIKE(linear_backward, linear_last_row),
    },
    {
        .id = "column-major",
        .what = "the matrices are read and written by columns",
        .why =
            "cuBLAS takes what lies row by row for the transpose. out = a b is right as "
            "out^T = b^T a^T: the factors change places, the number of columns is the "
            "leading dimension, and nothing is copied.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(linear_backward, linear_column_major),
    },
    {
        .id = "dbias-first-warp",
        .what = "dbias has only every eighth row of dy: those of the block's first warp",
        .why = "Each warp of a block adds up its own rows. Their sums meet in shared "
               "memory: "
               "all write, a barrier, and one warp adds the eight up.",
        .source = NULL,
        .function = LIKE(linear_backward, linear_dbias_first_warp),
    },
    {0},
};

static const struct mistake linear_backward_alternatives[] = {
    {.id = "in-float", .function = LIKE(linear_backward, linear_in_float)},
    {.id = "by-rows", .function = LIKE(linear_backward, linear_by_rows)},
    {0},
};

static const struct part linear_backward_part[] = {
    {
        .function = "linear_backward",
        .dims = "N I O",
        .tensors =
            {
                {"dx", "N I", OUTPUT, F32, 2e-5f, 1e-5f},
                {"dw", "O I", UPDATED, F32, 2e-5f, 1e-5f},
                {"dbias", "O", UPDATED, F32, 2e-5f, 1e-5f},
                {"dy", "N O", INPUT, F32, 0, 0},
                {"x", "N I", INPUT, F32, 0, 0},
                {"w", "O I", INPUT, F32, 0, 0},
            },
        .cases = linear_backward_cases,
        .mistakes = linear_backward_mistakes,
        .alternatives = linear_backward_alternatives,
    },
    {0},
};

// ---- 6.6 softmax_backward -----------------------------------------------------------------

static void fill_weights(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    softmax_of(test, "weights", case_dim(test, "S"));
}

// Row n sees its first 1 + n mod S keys, as under a causal mask.
static void fill_masked_weights(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    const size_t S = case_dim(test, "S");
    float *weights = case_f32(test, "weights");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float *row = weights + n * S;
        double left = 0.0;
        for (size_t s = 0; s <= n % S; s++) {
            left += (double)row[s];
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = s <= n % S ? (float)((double)row[s] / left) : 0.0f;
        }
    }
}

// Row n does not see its first n mod S keys, as where padding stands in front.
static void fill_first_keys_masked(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    const size_t S = case_dim(test, "S");
    float *weights = case_f32(test, "weights");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float *row = weights + n * S;
        double left = 0.0;
        for (size_t s = n % S; s < S; s++) {
            left += (double)row[s];
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = s < n % S ? 0.0f : (float)((double)row[s] / left);
        }
    }
}

// As a fully masked row leaves them.
static void fill_zero_row(struct test_case *test, struct lab_rng *rng)
{
    fill_masked_weights(test, rng);
    memset(case_f32(test, "weights"), 0, case_dim(test, "S") * sizeof(float));
}

static const struct case_spec softmax_backward_cases[] = {
    {.dims = "N=1 S=1", .fill = fill_weights, .note = "one key: nothing can change"},
    {.dims = "N=1 S=2", .fill = fill_weights},
    {.dims = "N=1 S=3", .fill = fill_weights},
    {.dims = "N=2 S=3", .fill = fill_weights},
    {.dims = "N=5 S=4",
     .fill = fill_masked_weights,
     .note = "masked: some weights are 0"},
    {.dims = "N=3 S=5", .fill = fill_zero_row, .note = "row 0 is masked throughout"},
    {.dims = "N=4 S=3",
     .draws = 2,
     .fill = fill_first_keys_masked,
     .note = "the first keys are masked"},
    {.dims = "N=7 S=6", .fill = fill_weights},
    {.dims = "N=3..9 S=10..17", .draws = 3, .fill = fill_masked_weights},
    {.dims = "N=13 S=67", .fill = fill_weights},
    {.dims = "N=3 S=261", .fill = fill_weights},
    {.dims = "N=263 S=3", .fill = fill_first_keys_masked},
    {.dims = "N=0 S=3", .note = "a size of 0"},
    {.dims = "N=3 S=0", .note = "a size of 0"},
    {0},
};

// SOFTMAX(name, value): dscores is an expression of w and dw of this place, of dot (the sum of
// their products over the row), and of sum (of dw alone), all_before (dots of earlier rows).
#define SOFTMAX(name, value)                                                             \
    static lab_status name(float *dscores, const float *dweights, const float *weights,  \
                           size_t N, size_t S)                                           \
    {                                                                                    \
        if (N == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        float all_before = 0.0f;                                                         \
        for (size_t n = 0; n < N; n++) {                                                 \
            float dot = 0.0f, sum = 0.0f;                                                \
            for (size_t s = 0; s < S; s++) {                                             \
                dot += weights[n * S + s] * dweights[n * S + s];                         \
                sum += dweights[n * S + s];                                              \
            }                                                                            \
            for (size_t s = 0; s < S; s++) {                                             \
                const float w = weights[n * S + s], dw = dweights[n * S + s];            \
                (void)w;                                                                 \
                dscores[n * S + s] = value;                                              \
            }                                                                            \
            all_before += dot;                                                           \
            (void)sum;                                                                   \
        }                                                                                \
        (void)all_before;                                                                \
        return LAB_OK;                                                                   \
    }

SOFTMAX(softmax_diagonal, w *(1.0f - w) * dw)
SOFTMAX(softmax_no_sum, w *dw)
SOFTMAX(softmax_plain_sum, w *(dw - sum))
SOFTMAX(softmax_mean, w *(dw - sum / (float)S))
SOFTMAX(softmax_no_weight, dw - dot)
SOFTMAX(softmax_plus, w *(dw + dot))
SOFTMAX(softmax_running_dot, w *(dw - dot - all_before))
SOFTMAX(softmax_sum_outside, w *dw - dot)
SOFTMAX(softmax_opened, w *dw - w * dot)

static lab_status softmax_columns(float *dscores, const float *dweights,
                                  const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t s = 0; s < S; s++) {
        float dot = 0.0f;
        for (size_t n = 0; n < N; n++) {
            dot += weights[n * S + s] * dweights[n * S + s];
        }
        for (size_t n = 0; n < N; n++) {
            dscores[n * S + s] = weights[n * S + s] * (dweights[n * S + s] - dot);
        }
    }
    return LAB_OK;
}

// The whole Jacobian, S by S, as the handout writes it down.
static lab_status softmax_jacobian(float *dscores, const float *dweights,
                                   const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        for (size_t i = 0; i < S; i++) {
            float sum = 0.0f;
            for (size_t j = 0; j < S; j++) {
                sum += dw[j] * w[j] * ((i == j ? 1.0f : 0.0f) - w[i]);
            }
            dscores[n * S + i] = sum;
        }
    }
    return LAB_OK;
}

// On a GPU: what the lanes of a warp do when they do not share their sums. Lane l has seen the
// places l, l + 32, ...
enum { LANES = 32 };

static lab_status softmax_own_lane(float *dscores, const float *dweights,
                                   const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        for (size_t s = 0; s < S; s++) {
            float mean = 0.0f;
            for (size_t j = s % LANES; j < S; j += LANES) {
                mean += dw[j] * w[j];
            }
            dscores[n * S + s] = w[s] * (dw[s] - mean);
        }
    }
    return LAB_OK;
}

static const struct mistake softmax_backward_mistakes[] = {
    {
        .id = "diagonal-only",
        .what = "only the diagonal of the softmax's derivative is used: w (1 - w) dw",
        .why =
            "That is how a weight depends on its own score. It depends on all the others "
            "too, through the sum of the exponentials: w (dw - sum_j dw_j w_j).",
        .source = "deeplearning4j/libnd4j#440",
        .function = LIKE(softmax_backward, softmax_diagonal),
    },
    {
        .id = "no-sum",
        .what = "the sum over the row is missing: w dw",
        .why = "Raising one score takes weight from all the others. That is the second "
               "term, - w sum_j dw_j w_j; with it the row sums to 0.",
        .source = "deeplearning4j/libnd4j#440",
        .function = LIKE(softmax_backward, softmax_no_sum),
    },
    {
        .id = "unweighted-sum",
        .what = "the sum is over dw, without the weights",
        .why = "Every term of it has its weight: sum_j dw_j w_j.",
        .function = LIKE(softmax_backward, softmax_plain_sum),
    },
    {
        .id = "plain-mean",
        .what = "the plain mean of dw is subtracted",
        .why =
            "It is a mean, but weighted with the row's own weights: sum_j dw_j w_j. The "
            "two agree only when all weights are alike.",
        .function = LIKE(softmax_backward, softmax_mean),
    },
    {
        .id = "no-weight",
        .what = "the factor w is missing in front: dw - sum",
        .why =
            "A score with a small weight can change little. Without the factor a masked "
            "score, whose weight is 0, gets a gradient too.",
        .function = LIKE(softmax_backward, softmax_no_weight),
    },
    {
        .id = "sum-outside",
        .what = "the sum is subtracted outside of the product: w dw - sum",
        .why = "The weight stands in front of both: w (dw - sum).",
        .function = LIKE(softmax_backward, softmax_sum_outside),
    },
    {
        .id = "plus",
        .what = "the sum is added instead of subtracted",
        .why = "Off the diagonal the derivative is -w_i w_j: the sum is subtracted.",
        .function = LIKE(softmax_backward, softmax_plus),
    },
    {
        .id = "sum-not-reset",
        .what = "the sum of a row still holds the rows before it",
        .why =
            "Declare the sum inside the loop over the rows, or set it back to 0 there.",
        .function = LIKE(softmax_backward, softmax_running_dot),
    },
    {
        .id = "columns",
        .what = "the sums run down the columns",
        .why = "The softmax was taken of each row, over the keys; so is its backward.",
        .source = "nerminnuraydogan/vision-transformer#1",
        .function = LIKE(softmax_backward, softmax_columns),
    },
    {
        .id = "own-lane",
        .what = "every thread subtracts the sum over the places that it has seen itself",
        .why =
            "A lane of a warp has seen one place of 32. __shfl_xor_sync with 16, 8, 4, 2 "
            "and 1 brings the sum of all lanes to every lane.",
        .source = NULL,
        .function = LIKE(softmax_backward, softmax_own_lane),
    },
    {0},
};

static const struct mistake softmax_backward_alternatives[] = {
    {.id = "jacobian", .function = LIKE(softmax_backward, softmax_jacobian)},
    {.id = "opened-bracket", .function = LIKE(softmax_backward, softmax_opened)},
    {0},
};

static const struct part softmax_backward_part[] = {
    {
        .function = "softmax_backward",
        .dims = "N S",
        .tensors =
            {
                {"dscores", "N S", OUTPUT, F32, 4e-6f, 1e-5f},
                {"dweights", "N S", INPUT, F32, 0, 0},
                {"weights", "N S", INPUT, F32, 0, 0},
            },
        .cases = softmax_backward_cases,
        .mistakes = softmax_backward_mistakes,
        .alternatives = softmax_backward_alternatives,
    },
    {0},
};

// ---- 6.7 attention_backward ---------------------------------------------------------------

// The weights are those that q and k give, under the mask if there is one.
static void attend(struct test_case *test, const uint8_t *mask)
{
    const size_t B = case_dim(test, "B"), NH = case_dim(test, "NH"),
                 T = case_dim(test, "T"), S = case_dim(test, "S"),
                 hs = case_dim(test, "hs");
    float *out = borrow(B * NH * T * hs), *scores = borrow(B * NH * T * S);
    must(scaled_dot_product_attention(out, case_f32(test, "weights"), scores,
                                      case_f32(test, "q"), case_f32(test, "k"),
                                      case_f32(test, "v"), mask, B, NH, T, S, hs));
    free(out);
    free(scores);
}

static void fill_unmasked(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    attend(test, NULL);
}

// The last query sees every key; with T > S the first queries see none.
static void fill_causal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 S = case_dim(test, "S");
    uint8_t mask[4096];
    if (B * T * S > sizeof mask) {
        abort();
    }
    for (size_t i = 0; i < B * T * S; i++) {
        mask[i] = i % S + T <= i / S % T + S;
    }
    attend(test, mask);
}

// Scores so far apart that almost all weight is on one key of each row.
static void fill_peaked(struct test_case *test, struct lab_rng *rng)
{
    scale(test, "q", 6.0f);
    fill_causal(test, rng);
}

static const struct case_spec attention_backward_cases[] = {
    {.dims = "B=1 NH=1 T=1 S=2 hs=1", .fill = fill_unmasked},
    {.dims = "B=1 NH=1 T=2 S=2 hs=3", .fill = fill_causal, .note = "causal"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2", .fill = fill_unmasked},
    {.dims = "B=1 NH=2 T=3 S=3 hs=2", .fill = fill_causal, .note = "causal"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=2", .fill = fill_causal, .note = "causal"},
    {.dims = "B=2 NH=3 T=4 S=7 hs=5", .fill = fill_unmasked},
    {.dims = "B=2 NH=2 T=4 S=4 hs=3",
     .draws = 2,
     .fill = fill_unmasked,
     .note = "T = S, no mask"},
    {.dims = "B=2..3 NH=2..3 T=4..6 S=7..9 hs=5..8", .draws = 3, .fill = fill_causal},
    {.dims = "B=2 NH=2 T=5 S=6 hs=3",
     .fill = fill_peaked,
     .note = "causal, large scores: nearly all weight on one key"},
    {.dims = "B=2 NH=5 T=9 S=11 hs=4", .fill = fill_causal, .note = "causal"},
    {.dims = "B=1 NH=1 T=3 S=261 hs=2", .fill = fill_unmasked, .note = "many keys"},
    {.dims = "B=1 NH=2 T=3 S=4 hs=261", .fill = fill_unmasked, .note = "a wide head"},
    {.dims = "B=0 NH=2 T=3 S=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=0 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=3 hs=0", .note = "a size of 0"},
    {0},
};

// Whoever takes k for q reads past the end of k where there are more queries than keys.
static const struct special_case attention_backward_special[] = {
    {.dims = "B=1 NH=1 T=263 S=3 hs=2",
     .fill = fill_unmasked,
     .note = "many queries",
     .apart = true},
    {.dims = "B=17 NH=19 T=3 S=2 hs=3",
     .fill = fill_unmasked,
     .note = "many heads",
     .apart = true},
    {0},
};

enum attention_fault {
    ATTENTION_RIGHT,
    ATTENTION_NO_SCALE,
    ATTENTION_DQ_NO_SCALE,
    ATTENTION_DK_NO_SCALE,
    ATTENTION_SCALE_TWICE,
    ATTENTION_SCALE_C,
    ATTENTION_SCALE_S,
    ATTENTION_MULTIPLIED,
    ATTENTION_DK_WITH_K,
    ATTENTION_DK_NOT_TRANSPOSED,
    ATTENTION_DV_NOT_TRANSPOSED,
    ATTENTION_DV_OF_DSCORES,
    ATTENTION_DV_SCALED,
    ATTENTION_V_TRANSPOSED,
    ATTENTION_NO_SOFTMAX,
    ATTENTION_DIAGONAL,
    ATTENTION_ONE_HEAD,
    ATTENTION_LAST_QUERY,
};

static float attention_scale(enum attention_fault fault, size_t NH, size_t S, size_t hs)
{
    const float right = 1.0f / sqrtf((float)hs);
    switch (fault) {
    case ATTENTION_NO_SCALE:
        return 1.0f;
    case ATTENTION_SCALE_TWICE:
        return right * right;
    case ATTENTION_SCALE_C:
        return 1.0f / sqrtf((float)(NH * hs));
    case ATTENTION_SCALE_S:
        return 1.0f / sqrtf((float)S);
    case ATTENTION_MULTIPLIED:
        return 1.0f / right;
    default:
        return right;
    }
}

// One head: pointers to its own part of every tensor.
static void head_backward(enum attention_fault fault, float *dq, float *dk, float *dv,
                          float *dweights, float *dscores, const float *dout,
                          const float *q, const float *k, const float *v,
                          const float *weights, float by, size_t T, size_t S, size_t hs)
{
    const bool flipped_v = fault == ATTENTION_V_TRANSPOSED;
    const bool flipped_dv = fault == ATTENTION_DV_NOT_TRANSPOSED;
    const bool flipped_dk = fault == ATTENTION_DK_NOT_TRANSPOSED;
    const size_t from = fault == ATTENTION_LAST_QUERY ? T - 1 : 0;

    product(dweights, dout, hs, 1, v, flipped_v ? S : 1, flipped_v ? 1 : hs, T, hs, S);
    if (fault == ATTENTION_NO_SOFTMAX) {
        memcpy(dscores, dweights, T * S * sizeof *dscores);
    } else if (fault == ATTENTION_DIAGONAL) {
        must(softmax_diagonal(dscores, dweights, weights, T, S));
    } else {
        must(softmax_opened(dscores, dweights, weights, T, S));
    }
    const float *mix = fault == ATTENTION_DV_OF_DSCORES ? dscores : weights;
    product(dv, mix + from * S, flipped_dv ? T : 1, flipped_dv ? 1 : S, dout + from * hs,
            hs, 1, S, T - from, hs);
    product(dq, dscores, S, 1, k, hs, 1, T, S, hs);
    product(dk, dscores + from * S, flipped_dk ? T : 1, flipped_dk ? 1 : S,
            (fault == ATTENTION_DK_WITH_K ? k : q) + from * hs, hs, 1, S, T - from, hs);
    multiply(dq, fault == ATTENTION_DQ_NO_SCALE ? 1.0f : by, T * hs);
    multiply(dk, fault == ATTENTION_DK_NO_SCALE ? 1.0f : by, S * hs);
    multiply(dv, fault == ATTENTION_DV_SCALED ? by : 1.0f, S * hs);
}

// The arguments of attention_backward, to declare and to hand on.
#define ATTENTION_ARGUMENTS                                                              \
    float *dq, float *dk, float *dv, float *dweights, float *dscores, const float *dout, \
        const float *q, const float *k, const float *v, const float *weights, size_t B,  \
        size_t NH, size_t T, size_t S, size_t hs
#define ATTENTION_VALUES                                                                 \
    dq, dk, dv, dweights, dscores, dout, q, k, v, weights, B, NH, T, S, hs

static lab_status attention_with(enum attention_fault fault, ATTENTION_ARGUMENTS)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    if (fault == ATTENTION_DK_WITH_K && T > S) {
        return LEAVES_ARGUMENTS;
    }
    const float by = attention_scale(fault, NH, S, hs);
    for (size_t h = 0; h < B * NH; h++) {
        const size_t queries = h * T * hs, keys = h * S * hs, pairs = h * T * S;
        const size_t given = fault == ATTENTION_ONE_HEAD ? h / NH * NH * T * S : pairs;
        head_backward(fault, dq + queries, dk + keys, dv + keys, dweights + pairs,
                      dscores + pairs, dout + queries, q + queries, k + keys, v + keys,
                      weights + given, by, T, S, hs);
    }
    return LAB_OK;
}

#define ATTENTION(name, fault)                                                           \
    static lab_status name(ATTENTION_ARGUMENTS)                                          \
    {                                                                                    \
        return attention_with(fault, ATTENTION_VALUES);                                  \
    }

ATTENTION(attention_no_scale, ATTENTION_NO_SCALE)
ATTENTION(attention_dq_no_scale, ATTENTION_DQ_NO_SCALE)
ATTENTION(attention_dk_no_scale, ATTENTION_DK_NO_SCALE)
ATTENTION(attention_scale_twice, ATTENTION_SCALE_TWICE)
ATTENTION(attention_scale_c, ATTENTION_SCALE_C)
ATTENTION(attention_scale_s, ATTENTION_SCALE_S)
ATTENTION(attention_multiplied, ATTENTION_MULTIPLIED)
ATTENTION(attention_dk_with_k, ATTENTION_DK_WITH_K)
ATTENTION(attention_dk_not_transposed, ATTENTION_DK_NOT_TRANSPOSED)
ATTENTION(attention_dv_not_transposed, ATTENTION_DV_NOT_TRANSPOSED)
ATTENTION(attention_dv_of_dscores, ATTENTION_DV_OF_DSCORES)
ATTENTION(attention_dv_scaled, ATTENTION_DV_SCALED)
ATTENTION(attention_v_transposed, ATTENTION_V_TRANSPOSED)
ATTENTION(attention_no_softmax, ATTENTION_NO_SOFTMAX)
ATTENTION(attention_diagonal, ATTENTION_DIAGONAL)
ATTENTION(attention_one_head, ATTENTION_ONE_HEAD)
ATTENTION(attention_last_query, ATTENTION_LAST_QUERY)
ATTENTION(attention_in_float, ATTENTION_RIGHT)

// With loops that end at s = t, later keys might as well have had the weight 0.
static lab_status attention_assumes_causal(ATTENTION_ARGUMENTS)
{
    const size_t pairs = B * NH * T * S;
    float *seen = borrow(pairs);
    for (size_t i = 0; i < pairs; i++) {
        seen[i] = i % S <= i / S % T ? weights[i] : 0.0f;
    }
    lab_status status = attention_with(ATTENTION_RIGHT, dq, dk, dv, dweights, dscores,
                                       dout, q, k, v, seen, B, NH, T, S, hs);
    free(seen);
    return status;
}

static const struct mistake attention_backward_mistakes[] = {
    {
        .id = "no-scale",
        .what = "1/sqrt(hs) is missing in dq and dk",
        .why =
            "Forward divided the scores by sqrt(hs); a factor of the forward pass is a "
            "factor of the backward pass too.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(attention_backward, attention_no_scale),
    },
    {
        .id = "dq-not-scaled",
        .what = "1/sqrt(hs) is missing in dq; dk has it",
        .why = "q and k stand in the same product: both gradients have the factor.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(attention_backward, attention_dq_no_scale),
    },
    {
        .id = "dk-not-scaled",
        .what = "1/sqrt(hs) is missing in dk; dq has it",
        .why = "q and k stand in the same product: both gradients have the factor.",
        .source = "PAIR-code/tiny-transformers#71",
        .function = LIKE(attention_backward, attention_dk_no_scale),
    },
    {
        .id = "scaled-twice",
        .what = "dq and dk are divided by sqrt(hs) twice",
        .why =
            "dscores was scaled, and then its products again. Once is enough, at either "
            "place.",
        .function = LIKE(attention_backward, attention_scale_twice),
    },
    {
        .id = "sqrt-C",
        .what = "dq and dk are divided by the root of the model width",
        .why =
            "A score is the dot product of hs numbers: sqrt(hs), where hs is the width "
            "of one head.",
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(attention_backward, attention_scale_c),
    },
    {
        .id = "sqrt-S",
        .what = "dq and dk are divided by the root of the number of keys",
        .why = "The factor belongs to the dot product, which is hs long: sqrt(hs).",
        .function = LIKE(attention_backward, attention_scale_s),
    },
    {
        .id = "multiplied",
        .what = "dq and dk are multiplied by sqrt(hs)",
        .why = "Going back does not undo forward: the gradient takes the same factor, "
               "1/sqrt(hs), not its inverse.",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_backward, attention_multiplied),
    },
    {
        .id = "dk-with-k",
        .what = "dk is taken with k where q belongs",
        .why =
            "scores = q k^T: the gradient of a factor is made with the OTHER factor: dq "
            "with k, dk with q.",
        .function = LIKE(attention_backward, attention_dk_with_k),
    },
    {
        .id = "dk-not-transposed",
        .what = "dscores is not transposed for dk",
        .why = "Key s was met by all T queries, in column s of the scores: dk[s] = sum_t "
               "dscores[t,s] q[t].",
        .source = "ooples/AiDotNet.Tensors#49",
        .function = LIKE(attention_backward, attention_dk_not_transposed),
    },
    {
        .id = "dv-not-transposed",
        .what = "the weights are not transposed for dv",
        .why =
            "Value s went to all T outputs, with the weights of column s: dv[s] = sum_t "
            "weights[t,s] dout[t].",
        .function = LIKE(attention_backward, attention_dv_not_transposed),
    },
    {
        .id = "dv-of-dscores",
        .what = "dv is made with dscores where the weights belong",
        .why = "out = weights v: dv takes the weights themselves, as forward used them.",
        .function = LIKE(attention_backward, attention_dv_of_dscores),
    },
    {
        .id = "dv-scaled",
        .what = "dv is divided by sqrt(hs)",
        .why = "The scale belongs to the scores. Between v and out there is none.",
        .function = LIKE(attention_backward, attention_dv_scaled),
    },
    {
        .id = "v-transposed",
        .what = "v is read as (hs, S)",
        .why = "dweights = dout v^T is the dot product of a row of dout with a row of v: "
               "matmul_nt's form, nothing is transposed in memory.",
        .function = LIKE(attention_backward, attention_v_transposed),
    },
    {
        .id = "no-softmax",
        .what = "the softmax's backward is left out: dscores is dweights",
        .why = "Between scores and weights forward has a softmax: call softmax_backward.",
        .function = LIKE(attention_backward, attention_no_softmax),
    },
    {
        .id = "diagonal-only",
        .what = "of the softmax's derivative only the diagonal is used",
        .why = "w (1 - w) dw leaves out how one score takes weight from the others. Call "
               "softmax_backward.",
        .source = "deeplearning4j/libnd4j#440",
        .function = LIKE(attention_backward, attention_diagonal),
    },
    {
        .id = "first-head-weights",
        .what = "every head uses the weights of its sequence's first head",
        .why = "Weights are (B, NH, T, S): those of head h lie (b * NH + h) * T * S "
               "further.",
        .source = "MarcoMeter/episodic-transformer-memory-ppo#22",
        .function = LIKE(attention_backward, attention_one_head),
    },
    {
        .id = "last-query-only",
        .what = "dk and dv hold the share of the last query only",
        .why = "All T queries used the same keys and values: their shares are summed. "
               "Set to "
               "0 before the loop over t, add inside.",
        .function = LIKE(attention_backward, attention_last_query),
    },
    {
        .id = "assumes-causal",
        .what = "keys later than the query are left out, whatever their weight",
        .why =
            "Nothing here says that the attention is causal. Where a mask forbade a key "
            "its weight is 0 and takes care of itself: go over all S keys.",
        .source = "karpathy/llm.c (there every attention is causal)",
        .function = LIKE(attention_backward, attention_assumes_causal),
    },
    {0},
};

static const struct mistake attention_backward_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_backward, attention_in_float)},
    {0},
};

static const struct part attention_backward_part[] = {
    {
        .function = "attention_backward",
        .dims = "B NH T S hs",
        .tensors =
            {
                {"dq", "B NH T hs", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dk", "B NH S hs", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dv", "B NH S hs", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dweights", "B NH T S", WORKSPACE, F32, 0, 0},
                {"dscores", "B NH T S", WORKSPACE, F32, 0, 0},
                {"dout", "B NH T hs", INPUT, F32, 0, 0},
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NH S hs", INPUT, F32, 0, 0},
                {"v", "B NH S hs", INPUT, F32, 0, 0},
                {"weights", "B NH T S", INPUT, F32, 0, 0},
            },
        .cases = attention_backward_cases,
        .special = attention_backward_special,
        .mistakes = attention_backward_mistakes,
        .alternatives = attention_backward_alternatives,
    },
    {0},
};

// ---- 6.8 layernorm_backward ---------------------------------------------------------------

// mean and rstd are those of x, as lab 5's layernorm gives them.
static void set_statistics(struct test_case *test)
{
    const size_t N = case_dim(test, "N"), C = case_dim(test, "C");
    const float *x = case_f32(test, "x");
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, variance = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            const double away = (double)x[n * C + c] - mean;
            variance += away * away / (double)C;
        }
        case_f32(test, "mean")[n] = (float)mean;
        case_f32(test, "rstd")[n] = (float)(1.0 / sqrt(variance + (double)LAYERNORM_EPS));
    }
    scale(test, "dgain", 0.5f);
    scale(test, "dbias", 0.5f);
}

// Rows away from 0, of standard deviation near 3: mean and rstd are not those of unit normals,
// and no row is nearly constant, where dx would be all rounding.
static void fill_shifted_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    const size_t C = case_dim(test, "C");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = x[i] + (i % C % 2 == 0 ? 5.0f : -1.0f);
    }
    set_statistics(test);
}

static const struct case_spec layernorm_backward_cases[] = {
    {.dims = "N=1 C=3", .fill = fill_shifted_rows},
    {.dims = "N=1 C=4", .fill = fill_shifted_rows},
    {.dims = "N=2 C=3", .fill = fill_shifted_rows},
    {.dims = "N=3 C=5", .draws = 2, .fill = fill_shifted_rows},
    {.dims = "N=7 C=4", .fill = fill_shifted_rows},
    {.dims = "N=3..6 C=8..13", .draws = 3, .fill = fill_shifted_rows},
    {.dims = "N=21 C=32", .fill = fill_shifted_rows},
    {.dims = "N=261 C=3", .fill = fill_shifted_rows},
    {.dims = "N=2 C=263", .fill = fill_shifted_rows},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    {0},
};

enum norm_fault {
    NORM_RIGHT,
    NORM_NO_MEAN_TERM,
    NORM_NO_VARIANCE_TERM,
    NORM_CONSTANT,
    NORM_NO_GAIN,
    NORM_GAIN_OUTSIDE,
    NORM_NO_RSTD,
    NORM_RSTD_OF_VARIANCE,
    NORM_SUMS,
    NORM_C_MINUS_1,
    NORM_VARIANCE_OF_X,
    NORM_PLUS,
    NORM_DGAIN_OF_X,
    NORM_DGAIN_NO_RSTD,
    NORM_DGAIN_IS_DBIAS,
    NORM_DGAIN_WITH_GAIN,
    NORM_DBIAS_OF_DNORM,
    NORM_OVERWRITTEN,
    NORM_MEANS,
};

// One row: its dx, and what it adds to dgain and dbias.
static void norm_row(enum norm_fault fault, float *dx, float *dgain, float *dbias,
                     const float *dy, const float *x, float mean, float rstd,
                     const float *gain, size_t C, float share)
{
    float *norm = borrow(2 * C), *dnorm = norm + C;
    float sum = 0.0f, sum_norm = 0.0f;
    for (size_t c = 0; c < C; c++) {
        norm[c] = (x[c] - mean) * rstd;
        dnorm[c] =
            fault == NORM_NO_GAIN || fault == NORM_GAIN_OUTSIDE ? dy[c] : dy[c] * gain[c];
        sum += dnorm[c];
        sum_norm += dnorm[c] * (fault == NORM_VARIANCE_OF_X ? x[c] : norm[c]);
    }
    const float count = fault == NORM_SUMS        ? 1.0f
                        : fault == NORM_C_MINUS_1 ? (float)C - 1.0f
                                                  : (float)C;
    const float mean_term =
        fault == NORM_NO_MEAN_TERM || fault == NORM_CONSTANT ? 0.0f : sum / count;
    const float variance_term = fault == NORM_NO_VARIANCE_TERM || fault == NORM_CONSTANT
                                    ? 0.0f
                                    : sum_norm / count;
    const float sign = fault == NORM_PLUS ? -1.0f : 1.0f;
    for (size_t c = 0; c < C; c++) {
        float d = dnorm[c] - sign * (mean_term + norm[c] * variance_term);
        d *= fault == NORM_NO_RSTD            ? 1.0f
             : fault == NORM_RSTD_OF_VARIANCE ? rstd * rstd
                                              : rstd;
        dx[c] = fault == NORM_GAIN_OUTSIDE ? d * gain[c] : d;
        const float own = fault == NORM_DGAIN_OF_X        ? x[c]
                          : fault == NORM_DGAIN_NO_RSTD   ? x[c] - mean
                          : fault == NORM_DGAIN_IS_DBIAS  ? 1.0f
                          : fault == NORM_DGAIN_WITH_GAIN ? norm[c] * gain[c]
                                                          : norm[c];
        dgain[c] += share * dy[c] * own;
        dbias[c] += share * (fault == NORM_DBIAS_OF_DNORM ? dnorm[c] : dy[c]);
    }
    free(norm);
}

// The arguments of layernorm_backward, to declare and to hand on.
#define NORM_ARGUMENTS                                                                   \
    float *dx, float *dgain, float *dbias, const float *dy, const float *x,              \
        const float *mean, const float *rstd, const float *gain, size_t N, size_t C
#define NORM_VALUES dx, dgain, dbias, dy, x, mean, rstd, gain, N, C

static lab_status norm_with(enum norm_fault fault, NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    if (fault == NORM_OVERWRITTEN) {
        memset(dgain, 0, C * sizeof *dgain);
        memset(dbias, 0, C * sizeof *dbias);
    }
    for (size_t n = 0; n < N; n++) {
        norm_row(fault, dx + n * C, dgain, dbias, dy + n * C, x + n * C, mean[n], rstd[n],
                 gain, C, fault == NORM_MEANS ? 1.0f / (float)N : 1.0f);
    }
    return LAB_OK;
}

#define NORM(name, fault)                                                                \
    static lab_status name(NORM_ARGUMENTS)                                               \
    {                                                                                    \
        return norm_with(fault, NORM_VALUES);                                            \
    }

NORM(norm_no_mean_term, NORM_NO_MEAN_TERM)
NORM(norm_no_variance_term, NORM_NO_VARIANCE_TERM)
NORM(norm_constant, NORM_CONSTANT)
NORM(norm_no_gain, NORM_NO_GAIN)
NORM(norm_gain_outside, NORM_GAIN_OUTSIDE)
NORM(norm_no_rstd, NORM_NO_RSTD)
NORM(norm_rstd_of_variance, NORM_RSTD_OF_VARIANCE)
NORM(norm_sums, NORM_SUMS)
NORM(norm_c_minus_1, NORM_C_MINUS_1)
NORM(norm_variance_of_x, NORM_VARIANCE_OF_X)
NORM(norm_plus, NORM_PLUS)
NORM(norm_dgain_of_x, NORM_DGAIN_OF_X)
NORM(norm_dgain_no_rstd, NORM_DGAIN_NO_RSTD)
NORM(norm_dgain_is_dbias, NORM_DGAIN_IS_DBIAS)
NORM(norm_dgain_with_gain, NORM_DGAIN_WITH_GAIN)
NORM(norm_dbias_of_dnorm, NORM_DBIAS_OF_DNORM)
NORM(norm_overwritten, NORM_OVERWRITTEN)
NORM(norm_means, NORM_MEANS)
NORM(norm_in_float, NORM_RIGHT)

// On a GPU: lanes that do not share their sums along a row, and warps that do not share theirs
// down a column.
static lab_status layernorm_own_lane(float *dx, float *dgain, float *dbias,
                                     const float *dy, const float *x, const float *mean,
                                     const float *rstd, const float *gain, size_t N,
                                     size_t C)
{
    lab_status status =
        layernorm_backward(dx, dgain, dbias, dy, x, mean, rstd, gain, N, C);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        const size_t n = i / C, c = i % C;
        float sum = 0, norm_sum = 0;
        for (size_t j = c % LANES; j < C; j += LANES) {
            const float dnorm = dy[n * C + j] * gain[j];
            sum += dnorm;
            norm_sum += dnorm * (x[n * C + j] - mean[n]) * rstd[n];
        }
        const float norm = (x[i] - mean[n]) * rstd[n];
        dx[i] = rstd[n] * (dy[i] * gain[c] - sum / (float)C - norm * norm_sum / (float)C);
    }
    return status;
}

static lab_status layernorm_first_warp(float *dx, float *dgain, float *dbias,
                                       const float *dy, const float *x, const float *mean,
                                       const float *rstd, const float *gain, size_t N,
                                       size_t C)
{
    enum { WARPS = 8 };
    // dx is right; dgain and dbias lose the rows of the other warps again
    lab_status status =
        layernorm_backward(dx, dgain, dbias, dy, x, mean, rstd, gain, N, C);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        if (i / C % WARPS != 0) {
            dgain[i % C] -= dy[i] * (x[i] - mean[i / C]) * rstd[i / C];
            dbias[i % C] -= dy[i];
        }
    }
    return status;
}

static const struct mistake layernorm_backward_mistakes[] = {
    {
        .id = "no-mean-term",
        .what = "dx lacks the term of the mean",
        .why =
            "Every x[c] moves the mean, and the mean is subtracted from the whole row: "
            "subtract the mean over c of dnorm.",
        .function = LIKE(layernorm_backward, norm_no_mean_term),
    },
    {
        .id = "no-variance-term",
        .what = "dx lacks the term of the variance",
        .why = "Every x[c] moves the variance, and with it the scale of the whole row: "
               "subtract norm times the mean over c of dnorm norm.",
        .function = LIKE(layernorm_backward, norm_no_variance_term),
    },
    {
        .id = "statistics-constant",
        .what = "mean and rstd are taken for constants: dx is dy gain rstd",
        .why =
            "They are computed from x and pass a gradient on. Both terms are missing; a "
            "right dx sums to 0 over each row.",
        .function = LIKE(layernorm_backward, norm_constant),
    },
    {
        .id = "no-gain",
        .what = "dx is made of dy, without the gain",
        .why =
            "y = norm gain + bias: dnorm = dy gain comes first, all else is made of it.",
        .function = LIKE(layernorm_backward, norm_no_gain),
    },
    {
        .id = "gain-outside",
        .what = "the gain is multiplied in at the end instead of at the start",
        .why = "The means are means of dnorm = dy gain. With a gain that differs from "
               "channel to channel the order matters.",
        .function = LIKE(layernorm_backward, norm_gain_outside),
    },
    {
        .id = "no-rstd",
        .what = "dx is not multiplied by rstd",
        .why = "Forward multiplied x - mean by rstd; so does the way back.",
        .function = LIKE(layernorm_backward, norm_no_rstd),
    },
    {
        .id = "rstd-squared",
        .what = "dx is multiplied by rstd twice",
        .why = "norm has its rstd in it already; the bracket is multiplied by rstd once.",
        .function = LIKE(layernorm_backward, norm_rstd_of_variance),
    },
    {
        .id = "sums-for-means",
        .what = "the two terms are sums over the row, not means",
        .why = "Mean and variance have 1/C in them, and so have their gradients.",
        .function = LIKE(layernorm_backward, norm_sums),
    },
    {
        .id = "C-minus-1",
        .what = "the two means are divided by C - 1",
        .why = "Layer norm uses the biased variance: C, here as there.",
        .source = "harvardnlp/annotated-transformer#119, #122",
        .function = LIKE(layernorm_backward, norm_c_minus_1),
    },
    {
        .id = "x-for-norm",
        .what = "the second mean is taken of dnorm x, not of dnorm norm",
        .why =
            "How the variance feels a change is measured from the mean and in units of "
            "the deviation: norm = (x - mean) rstd.",
        .function = LIKE(layernorm_backward, norm_variance_of_x),
    },
    {
        .id = "plus",
        .what = "the two terms are added instead of subtracted",
        .why =
            "The mean is subtracted, and a larger variance makes the row smaller: both "
            "terms are subtracted.",
        .function = LIKE(layernorm_backward, norm_plus),
    },
    {
        .id = "dgain-of-x",
        .what = "dgain is made with x instead of norm",
        .why = "The gain multiplies norm = (x - mean) rstd: dgain += dy norm.",
        .function = LIKE(layernorm_backward, norm_dgain_of_x),
    },
    {
        .id = "dgain-without-rstd",
        .what = "dgain is made with x - mean, without rstd",
        .why = "The gain multiplies norm = (x - mean) rstd: dgain += dy norm.",
        .function = LIKE(layernorm_backward, norm_dgain_no_rstd),
    },
    {
        .id = "dgain-is-dbias",
        .what = "dgain is the sum of dy, like dbias",
        .why = "The gain is multiplied with norm, so norm is a factor of its gradient.",
        .function = LIKE(layernorm_backward, norm_dgain_is_dbias),
    },
    {
        .id = "dgain-with-gain",
        .what = "dgain has the gain itself as a factor",
        .why =
            "dgain takes dy, not dnorm: y = norm gain + bias, and the derivative by gain "
            "is norm.",
        .function = LIKE(layernorm_backward, norm_dgain_with_gain),
    },
    {
        .id = "dbias-with-gain",
        .what = "dbias is the sum of dy gain instead of dy",
        .why = "The bias is added after the gain: the gain has no part in its gradient.",
        .function = LIKE(layernorm_backward, norm_dbias_of_dnorm),
    },
    {
        .id = "overwritten",
        .what = "dgain and dbias are set to 0 first instead of added to",
        .why = "Gradients of parameters accumulate. What is there already must stay; the "
               "caller sets it to 0 once in each step.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_overwritten),
    },
    {
        .id = "means",
        .what = "dgain and dbias are divided by N",
        .why = "The rows are summed. The 1/N of the mean is in the loss already.",
        .function = LIKE(layernorm_backward, norm_means),
    },
    {
        .id = "own-lane",
        .what =
            "every thread takes the channels that it has seen itself for the whole row",
        .why =
            "A lane of a warp has seen one channel of 32. __shfl_xor_sync with 16, 8, 4, "
            "2 and 1 brings both sums of all lanes to every lane.",
        .source = NULL,
        .function = LIKE(layernorm_backward, layernorm_own_lane),
    },
    {
        .id = "first-warp",
        .what =
            "dgain and dbias have only every eighth row: those of the block's first warp",
        .why = "Each warp of a block adds up its own rows. Their sums meet in shared "
               "memory: "
               "all write, a barrier, and one warp adds the eight up.",
        .source = NULL,
        .function = LIKE(layernorm_backward, layernorm_first_warp),
    },
    {0},
};

static const struct mistake layernorm_backward_alternatives[] = {
    {.id = "in-float", .function = LIKE(layernorm_backward, norm_in_float)},
    {0},
};

static const struct part layernorm_backward_part[] = {
    {
        .function = "layernorm_backward",
        .dims = "N C",
        .tensors =
            {
                {"dx", "N C", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dgain", "C", UPDATED, F32, 1e-5f, 2e-5f},
                {"dbias", "C", UPDATED, F32, 1e-5f, 2e-5f},
                {"dy", "N C", INPUT, F32, 0, 0},
                {"x", "N C", INPUT, F32, 0, 0},
                {"mean", "N", INPUT, F32, 0, 0},
                {"rstd", "N", INPUT, F32, 0, 0},
                {"gain", "C", INPUT, F32, 0, 0},
            },
        .cases = layernorm_backward_cases,
        .mistakes = layernorm_backward_mistakes,
        .alternatives = layernorm_backward_alternatives,
    },
    {0},
};

// ---- 6.9 gelu_backward --------------------------------------------------------------------

// x from -6 to 6 in equal steps, dy of 3 and -3: the exact form and the tanh form are never far
// apart, and here every place where they are is met.
static void fill_x_grid(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t N = case_count(test, "x");
    for (size_t i = 0; i < N; i++) {
        case_f32(test, "x")[i] = -6.0f + 12.0f * (float)i / (float)(N - 1);
        case_f32(test, "dy")[i] = i % 3 == 0 ? -3.0f : 3.0f;
    }
}

static void fill_x_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale(test, "x", 1000.0f);
}

static const struct case_spec gelu_backward_cases[] = {
    {.dims = "N=1"},
    {.dims = "N=2"},
    {.dims = "N=5", .draws = 2},
    {.dims = "N=7..13", .draws = 2},
    {.dims = "N=9", .fill = fill_x_large, .note = "x in the hundreds"},
    {.dims = "N=241", .fill = fill_x_grid, .note = "x from -6 to 6"},
    {.dims = "N=1031", .note = "many numbers"},
    {.dims = "N=0", .note = "a size of 0"},
    {0},
};

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static double normal_pdf(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
}

static double tanh_gelu_slope(double x)
{
    const double a = sqrt(2.0 / acos(-1.0)), t = tanh(a * (x + 0.044715 * x * x * x));
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * a * (1.0 + 3.0 * 0.044715 * x * x);
}

static double sigmoid_gelu_slope(double x)
{
    const double s = 1.0 / (1.0 + exp(-1.702 * x));
    return s + 1.702 * x * s * (1.0 - s);
}

// GELU(name, value): dx is an expression of x, of its cdf and pdf, and of d, the dy.
#define GELU(name, value)                                                                \
    static lab_status name(float *dx, const float *dy, const float *x_, size_t N)        \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const double d = (double)dy[i], x = (double)x_[i];                           \
            const double cdf = normal_cdf(x), pdf = normal_pdf(x);                       \
            (void)x, (void)d, (void)cdf, (void)pdf;                                      \
            dx[i] = (float)(value);                                                      \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

GELU(gelu_tanh, d *tanh_gelu_slope(x))
GELU(gelu_sigmoid, d *sigmoid_gelu_slope(x))
GELU(gelu_cdf_only, d *cdf)
GELU(gelu_pdf_without_x, d *(cdf + pdf))
GELU(gelu_minus, d *(cdf - x * pdf))
GELU(gelu_at_y, d *(normal_cdf(x *cdf) + x * cdf * normal_pdf(x * cdf)))
GELU(gelu_no_dy, cdf + x * pdf)
GELU(gelu_no_pi, d *(cdf + x * exp(-0.5 * x * x)))
GELU(gelu_no_half, d *(cdf + x * exp(-x * x) / sqrt(2.0 * acos(-1.0))))
GELU(gelu_no_root_2, d *(0.5 * erfc(-x) + x * pdf))
GELU(gelu_relu, x > 0.0 ? d : 0.0)
GELU(gelu_dy_is_x, x *(cdf + x * pdf))
GELU(gelu_in_double, d *(cdf + x * pdf))

static lab_status gelu_in_float(float *dx, const float *dy, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N; i++) {
        const float cdf = 0.5f * (1.0f + erff(x[i] * 0.70710678f));
        const float pdf = 0.39894228f * expf(-0.5f * x[i] * x[i]);
        dx[i] = dy[i] * (cdf + x[i] * pdf);
    }
    return LAB_OK;
}

static const struct mistake gelu_backward_mistakes[] = {
    {
        .id = "tanh-form",
        .what = "this is the derivative of the tanh form of GELU",
        .why =
            "GPT-2 uses that approximation, which differs by up to 0.0009 here. Lab 5's "
            "gelu is the exact form with erf; forward and backward must be of one kind.",
        .source = "karpathy/nanoGPT#2",
        .function = LIKE(gelu_backward, gelu_tanh),
        .convention = true,
    },
    {
        .id = "sigmoid-form",
        .what = "this is the derivative of the sigmoid form, x sigmoid(1.702 x)",
        .why =
            "A rougher approximation of GELU. Lab 5's gelu is the exact form with erf.",
        .function = LIKE(gelu_backward, gelu_sigmoid),
        .convention = true,
    },
    {
        .id = "no-pdf-term",
        .what = "the term x pdf(x) is missing",
        .why = "y = x cdf(x) is a product, and both factors depend on x: cdf + x pdf.",
        .function = LIKE(gelu_backward, gelu_cdf_only),
    },
    {
        .id = "pdf-without-x",
        .what = "pdf(x) is added without the factor x",
        .why =
            "The product rule: derivative of x, times cdf, plus x times the derivative "
            "of cdf.",
        .function = LIKE(gelu_backward, gelu_pdf_without_x),
    },
    {
        .id = "minus",
        .what = "x pdf(x) is subtracted instead of added",
        .why = "The derivative of cdf is pdf, with a plus: cdf + x pdf.",
        .function = LIKE(gelu_backward, gelu_minus),
    },
    {
        .id = "at-y",
        .what = "the derivative is taken at gelu(x) instead of x",
        .why = "The formula wants what went INTO gelu. In a model that is hidden, not "
               "activated.",
        .function = LIKE(gelu_backward, gelu_at_y),
    },
    {
        .id = "no-dy",
        .what = "dy is not multiplied in",
        .why = "This is the slope alone. The chain rule multiplies it with the gradient "
               "that arrives, dy.",
        .function = LIKE(gelu_backward, gelu_no_dy),
    },
    {
        .id = "dy-is-x",
        .what = "the slope is multiplied by x instead of dy",
        .why = "The chain rule multiplies it with the gradient that arrives, dy.",
        .function = LIKE(gelu_backward, gelu_dy_is_x),
    },
    {
        .id = "pdf-not-normalised",
        .what = "1/sqrt(2 pi) is missing in pdf",
        .why = "pdf is the normal density, 0.3989 at 0: exp(-x^2 / 2) / sqrt(2 pi).",
        .function = LIKE(gelu_backward, gelu_no_pi),
    },
    {
        .id = "pdf-without-half",
        .what = "pdf is made with exp(-x^2) instead of exp(-x^2 / 2)",
        .why = "The exponent of the normal density has a 1/2 in it.",
        .function = LIKE(gelu_backward, gelu_no_half),
    },
    {
        .id = "erf-without-root-2",
        .what = "cdf is made with erf(x) instead of erf(x / sqrt 2)",
        .why = "erf belongs to a normal distribution of variance 1/2; the division by "
               "sqrt 2 turns it into the standard one.",
        .function = LIKE(gelu_backward, gelu_no_root_2),
    },
    {
        .id = "relu",
        .what = "this is the derivative of ReLU",
        .why = "GELU has a slope everywhere, also at negative x.",
        .function = LIKE(gelu_backward, gelu_relu),
    },
    {0},
};

static const struct mistake gelu_backward_alternatives[] = {
    {.id = "in-double", .function = LIKE(gelu_backward, gelu_in_double)},
    {.id = "in-float", .function = LIKE(gelu_backward, gelu_in_float)},
    {0},
};

static const struct part gelu_backward_part[] = {
    {
        .function = "gelu_backward",
        .dims = "N",
        .tensors =
            {
                {"dx", "N", OUTPUT, F32, 4e-6f, 2e-6f},
                {"dy", "N", INPUT, F32, 0, 0},
                {"x", "N", INPUT, F32, 0, 0},
            },
        .cases = gelu_backward_cases,
        .mistakes = gelu_backward_mistakes,
        .alternatives = gelu_backward_alternatives,
    },
    {0},
};

// ---- 6.10 embedding_backward --------------------------------------------------------------

static void fill_embedding(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    scale(test, "dtable", 0.5f);
}

static void fill_one_token(struct test_case *test, struct lab_rng *rng)
{
    fill_embedding(test, rng);
    size_t *tokens = case_size(test, "tokens");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        tokens[n] = tokens[0];
    }
}

static const struct case_spec embedding_backward_cases[] = {
    {.dims = "N=1 C=2 V=3", .fill = fill_embedding},
    {.dims = "N=2 C=3 V=4", .fill = fill_embedding, .note = "the same token twice"},
    {.dims = "N=5 C=2 V=3", .fill = fill_one_token, .note = "one token five times"},
    {.dims = "N=7 C=5 V=3", .draws = 2, .fill = fill_embedding},
    {.dims = "N=8..14 C=4..7 V=10", .draws = 3, .fill = fill_embedding},
    {.dims = "N=41 C=32 V=10", .fill = fill_embedding},
    {.dims = "N=9 C=3 V=601", .fill = fill_embedding, .note = "many tokens"},
    {.dims = "N=261 C=2 V=5", .fill = fill_embedding},
    {.dims = "N=3 C=263 V=2", .fill = fill_embedding},
    {.dims = "N=4 C=3 V=5",
     .fill = fill_bad_tokens,
     .note = "the last token is V, which is not below V"},
    {.dims = "N=0 C=3 V=5", .note = "a size of 0"},
    {.dims = "N=3 C=0 V=5", .note = "a size of 0"},
    {0},
};

enum table_fault {
    TABLE_RIGHT,
    TABLE_OVERWRITTEN,
    TABLE_ZEROED,
    TABLE_BY_PLACE,
    TABLE_MEAN,
    TABLE_OVER_N,
    TABLE_FIRST_ONLY,
    TABLE_TRANSPOSED,
    TABLE_SIGN,
};

static lab_status table_with(enum table_fault fault, float *dtable, const float *dy,
                             const size_t *tokens, size_t N, size_t C, size_t V)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    if (fault == TABLE_ZEROED) {
        memset(dtable, 0, V * C * sizeof *dtable);
    }
    for (size_t n = 0; n < N; n++) {
        size_t before = 0, all = 0;
        for (size_t j = 0; j < N; j++) {
            all += tokens[j] == tokens[n];
            before += j < n && tokens[j] == tokens[n];
        }
        const float by = fault == TABLE_MEAN                       ? 1.0f / (float)all
                         : fault == TABLE_OVER_N                   ? 1.0f / (float)N
                         : fault == TABLE_FIRST_ONLY && before > 0 ? 0.0f
                         : fault == TABLE_SIGN                     ? -1.0f
                                                                   : 1.0f;
        const size_t row = fault == TABLE_BY_PLACE ? n % V : tokens[n];
        for (size_t c = 0; c < C; c++) {
            const size_t at = fault == TABLE_TRANSPOSED ? c * V + row : row * C + c;
            const float old = fault == TABLE_OVERWRITTEN ? 0.0f : dtable[at];
            dtable[at] = old + by * dy[n * C + c];
        }
    }
    return LAB_OK;
}

#define TABLE(name, fault)                                                               \
    static lab_status name(float *dtable, const float *dy, const size_t *tokens,         \
                           size_t N, size_t C, size_t V)                                 \
    {                                                                                    \
        return table_with(fault, dtable, dy, tokens, N, C, V);                           \
    }

TABLE(table_overwritten, TABLE_OVERWRITTEN)
TABLE(table_zeroed, TABLE_ZEROED)
TABLE(table_by_place, TABLE_BY_PLACE)
TABLE(table_mean, TABLE_MEAN)
TABLE(table_over_n, TABLE_OVER_N)
TABLE(table_first_only, TABLE_FIRST_ONLY)
TABLE(table_transposed, TABLE_TRANSPOSED)
TABLE(table_sign, TABLE_SIGN)

// Row by row of the table: who used you?
static lab_status table_by_rows(float *dtable, const float *dy, const size_t *tokens,
                                size_t N, size_t C, size_t V)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    for (size_t i = 0; i < V * C; i++) {
        double sum = 0.0;
        for (size_t n = 0; n < N; n++) {
            sum += tokens[n] == i / C ? (double)dy[n * C + i % C] : 0.0;
        }
        dtable[i] += (float)sum;
    }
    return LAB_OK;
}

static const struct mistake embedding_backward_mistakes[] = {
    {
        .id = "overwritten",
        .what = "dtable is overwritten: of a repeated token only the last place counts",
        .why =
            "A token that stands at three places used its row three times, and each use "
            "adds its gradient: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(embedding_backward, table_overwritten),
    },
    {
        .id = "zeroed",
        .what = "dtable is set to 0 first",
        .why = "What is there already must stay: the caller sets gradients to 0, once in "
               "each step.",
        .source = "karpathy/llm.c#548",
        .function = LIKE(embedding_backward, table_zeroed),
    },
    {
        .id = "by-place",
        .what = "the gradient of place n goes to row n of the table",
        .why = "It belongs to the row of the token that stands there: tokens[n].",
        .function = LIKE(embedding_backward, table_by_place),
    },
    {
        .id = "mean-of-repeats",
        .what = "the gradients of a repeated token are averaged",
        .why =
            "They are summed: the row takes part in the loss at every one of its places.",
        .function = LIKE(embedding_backward, table_mean),
    },
    {
        .id = "divided-by-N",
        .what = "the gradients are divided by N",
        .why = "The 1/N of the mean is in the loss already.",
        .function = LIKE(embedding_backward, table_over_n),
    },
    {
        .id = "first-only",
        .what = "of a repeated token only the first place counts",
        .why = "Every place where the token stands adds its gradient.",
        .function = LIKE(embedding_backward, table_first_only),
    },
    {
        .id = "table-transposed",
        .what = "dtable is written as (C, V)",
        .why = "It has the shape of the table, (V, C): dtable[token * C + c].",
        .source = "nntile/nntile#370",
        .function = LIKE(embedding_backward, table_transposed),
    },
    {
        .id = "sign",
        .what = "the gradient is subtracted",
        .why = "A gradient is added up; going against it is the optimiser's business.",
        .function = LIKE(embedding_backward, table_sign),
    },
    {0},
};

static const struct mistake embedding_backward_alternatives[] = {
    {.id = "by-rows", .function = LIKE(embedding_backward, table_by_rows)},
    {0},
};

static const struct part embedding_backward_part[] = {
    {
        .function = "embedding_backward",
        .dims = "N C V",
        .tensors =
            {
                {"dtable", "V C", UPDATED, F32, 5e-6f, 1e-5f},
                {"dy", "N C", INPUT, F32, 0, 0},
                {"tokens", "N", INPUT, SIZE, 0, 0},
            },
        .cases = embedding_backward_cases,
        .mistakes = embedding_backward_mistakes,
        .alternatives = embedding_backward_alternatives,
    },
    {0},
};

// ---- 6.11 the model -----------------------------------------------------------------------

// clang-format off
#define MODEL_DIMS "B T T_max V C NH hs H L causal positions"

// The parameters, and with another prefix their gradients, in the order of model_params_rows.
#define PARAM_TENSORS(prefix, role, atol, rtol)                                          \
    {prefix "token_table",    "V C",     role, F32, atol, rtol},                         \
    {prefix "position_table", "T_max C", role, F32, atol, rtol},                         \
    {prefix "ln1_gain",       "L C",     role, F32, atol, rtol},                         \
    {prefix "ln1_bias",       "L C",     role, F32, atol, rtol},                         \
    {prefix "w_qkv",          "L 3C C",  role, F32, atol, rtol},                         \
    {prefix "b_qkv",          "L 3C",    role, F32, atol, rtol},                         \
    {prefix "w_o",            "L C C",   role, F32, atol, rtol},                         \
    {prefix "b_o",            "L C",     role, F32, atol, rtol},                         \
    {prefix "ln2_gain",       "L C",     role, F32, atol, rtol},                         \
    {prefix "ln2_bias",       "L C",     role, F32, atol, rtol},                         \
    {prefix "w_fc",           "L H C",   role, F32, atol, rtol},                         \
    {prefix "b_fc",           "L H",     role, F32, atol, rtol},                         \
    {prefix "w_proj",         "L C H",   role, F32, atol, rtol},                         \
    {prefix "b_proj",         "L C",     role, F32, atol, rtol},                         \
    {prefix "w_out",          "V C",     role, F32, atol, rtol},                         \
    {prefix "b_out",          "V",       role, F32, atol, rtol}

// The activations in the order of model_activations_rows. What a forward pass is judged on is
// written as `judged`: what comes out, and what the way back reads again. The rest is `other`:
// nobody asks for it afterwards.
#define ACTIVATION_TENSORS(judged, other, atol, rtol)                                    \
    {"z.embedded",      "B T C",          other,  F32, 0, 0},                            \
    {"z.positioned",    "B T C",          other,  F32, 0, 0},                            \
    {"z.streams",       "L1 B T C",       judged, F32, atol, rtol},                      \
    {"z.ln1",           "L B T C",        judged, F32, atol, rtol},                      \
    {"z.ln1_mean",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.ln1_rstd",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.qkv",           "L B T 3C",       other,  F32, 0, 0},                            \
    {"z.q, z.k, z.v",   "3L B T C",       other,  F32, 0, 0},                            \
    {"z.q_heads, ...",  "3L B NH T hs",   judged, F32, atol, rtol},                      \
    {"z.scores",        "L B NH T T",     other,  F32, 0, 0},                            \
    {"z.weights",       "L B NH T T",     judged, F32, atol, rtol},                      \
    {"z.out_heads",     "L B NH T hs",    other,  F32, 0, 0},                            \
    {"z.merged",        "L B T C",        judged, F32, atol, rtol},                      \
    {"z.attended",      "L B T C",        other,  F32, 0, 0},                            \
    {"z.middle",        "L B T C",        judged, F32, atol, rtol},                      \
    {"z.ln2",           "L B T C",        judged, F32, atol, rtol},                      \
    {"z.ln2_mean",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.ln2_rstd",      "L B T",          judged, F32, atol, rtol},                      \
    {"z.hidden",        "L B T H",        judged, F32, atol, rtol},                      \
    {"z.activated",     "L B T H",        judged, F32, atol, rtol},                      \
    {"z.projected",     "L B T C",        other,  F32, 0, 0},                            \
    {"z.logits",        "B T V",          judged, F32, atol, rtol},                      \
    {"z.probabilities", "B T V",          judged, F32, atol, rtol},                      \
    {"z.mask",          "B T T",          other,  U8,  0, 0}

// What a model is run on.
#define RUN_TENSORS                                                                      \
    {"tokens",   "B T",   INPUT, SIZE, 0, 0},                                            \
    {"targets",  "B T",   INPUT, SIZE, 0, 0},                                            \
    {"uniforms", "B T C", INPUT, F32,  0, 0},                                            \
    {"dropout",  "1",     INPUT, F32,  0, 0}
// clang-format on

// Weights of a size that keeps everything at unit scale, as PyTorch's and a trained model's are;
// gains near 1. Matrices are (out, in): divided by the root of in.
static void scale_params(struct test_case *test, const char *prefix, size_t C, size_t H)
{
    static const char *const gains[] = {"ln1_gain", "ln2_gain"};
    static const char *const small[] = {"ln1_bias", "b_qkv", "b_o",
                                        "ln2_bias", "b_fc",  "b_proj"};
    static const char *const matrices[] = {"w_qkv", "w_o", "w_fc", "w_proj"};
    char name[64];
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, gains[i]);
        float *gain = case_f32(test, name);
        for (size_t j = 0; j < case_count(test, name); j++) {
            gain[j] = 1.0f + 0.3f * gain[j];
        }
    }
    for (size_t i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, small[i]);
        scale(test, name, 0.3f);
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, matrices[i]);
        scale(test, name, 1.0f / sqrtf((float)(i == 3 ? H : C)));
    }
}

static void fill_model(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C"), H = case_dim(test, "H");
    draw_tokens(test, rng, "tokens");
    draw_tokens(test, rng, "targets");
    scale_params(test, "params.", C, H);
    scale(test, "params.w_out", 1.5f / sqrtf((float)C));
    case_f32(test, "dropout")[0] = 0.0f;
    case_absent(test, "uniforms");
    if (case_dim(test, "positions") == POSITIONS_NONE) {
        case_absent(test, "params.position_table");
    }
}

static void fill_dropout(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_f32(test, "dropout")[0] = 0.25f;
}

// Dropout is in the shape, but these are not training steps: uniforms is NULL.
static void fill_with_uniforms(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    draw_tokens(test, rng, "targets");
    scale_params(test, "params.", case_dim(test, "C"), case_dim(test, "H"));
    scale(test, "params.w_out", 1.5f / sqrtf((float)case_dim(test, "C")));
    case_f32(test, "dropout")[0] = 0.25f;
    lab_rng_rand(rng, case_f32(test, "uniforms"), case_count(test, "uniforms"));
    if (case_dim(test, "positions") == POSITIONS_NONE) {
        case_absent(test, "params.position_table");
    }
}

static void fill_logits_only(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_absent(test, "loss");
    case_absent(test, "targets");
    case_absent(test, "z.probabilities");
}

static void fill_loss_without_targets(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_absent(test, "targets");
}

static void fill_model_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    last_token_too_large(test, "tokens");
}

static void fill_model_bad_target(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    last_token_too_large(test, "targets");
}

static void fill_dropout_of_1(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_f32(test, "dropout")[0] = 1.0f;
}

static const struct case_spec model_forward_cases[] = {
    {.dims = "B=1 T=1 T_max=1 V=2 C=2 NH=1 hs=2 H=3 L=1 L1=2 causal=1 positions=0",
     .fill = fill_model,
     .note = "one token, no positions"},
    {.dims = "B=1 T=2 T_max=3 V=3 C=2 NH=1 hs=2 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model},
    {.dims = "B=1 T=3 T_max=3 V=4 C=2 NH=2 hs=1 H=3 L=1 L1=2 causal=0 positions=1",
     .fill = fill_model,
     .note = "no causal mask"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=3 hs=2 H=7 L=2 L1=3 causal=1 positions=2",
     .fill = fill_model,
     .note = "two blocks, positions that are not trained"},
    {.dims = "B=3 T=4 T_max=5 V=7 C=6 NH=2 hs=3 H=8 L=2 L1=3 causal=1 positions=1",
     .fill = fill_with_uniforms,
     .note = "training, with dropout of 0.25"},
    {.dims = "B=2 T=4 T_max=6 V=7 C=6 NH=2 hs=3 H=8 L=1 L1=2 causal=1 positions=1",
     .fill = fill_dropout,
     .note = "dropout of 0.25 in the shape, but uniforms is NULL: evaluation"},
    {.dims = "B=2 T=5 T_max=5 V=6 C=4 NH=2 hs=2 H=9 L=2 L1=3 causal=1 positions=1",
     .fill = fill_logits_only,
     .note = "loss and targets are NULL: stop at the logits"},
    {.dims = "B=3 T=5 T_max=7 V=9 C=8 NH=4 hs=2 H=11 L=3 L1=4 causal=1 positions=1",
     .fill = fill_model,
     .note = "three blocks"},
    {.dims = "B=4 T=8 T_max=8 V=10 C=32 NH=4 hs=8 H=128 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "the copy task's model"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_token,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_loss_without_targets,
     .note = "a loss is wanted and targets is NULL"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_dropout_of_1,
     .note = "dropout of 1"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=7 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=5 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "more tokens than positions"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=0 L=1 L1=2 causal=1 positions=1",
     .note = "a size of 0"},
    {0},
};

// The arguments of model_forward, to declare and to hand on.
#define FORWARD_ARGUMENTS                                                                \
    float *loss, const struct model_activations *z, const struct model_params *params,   \
        const size_t *tokens, const size_t *targets, const float *uniforms,              \
        const struct model_shape *shape
#define FORWARD_VALUES loss, z, params, tokens, targets, uniforms, shape

enum forward_fault {
    FORWARD_RIGHT,
    FORWARD_NO_POSITIONS,
    FORWARD_FIRST_POSITION,
    FORWARD_NO_DROPOUT,
    FORWARD_DROPOUT_FIRST,
    FORWARD_DROPOUT_UNSCALED,
    FORWARD_FIRST_PARAMS,
    FORWARD_FIRST_INPUT,
    FORWARD_NOT_CAUSAL,
    FORWARD_ALWAYS_CAUSAL,
    FORWARD_FINAL_NORM,
    FORWARD_NO_OUTPUT_BIAS,
    FORWARD_SKIPS_LAST,
    FORWARD_SCALED_EMBEDDING,
};

// streams[0] from the tokens.
static void enter(enum forward_fault fault, const struct model_activations *z,
                  const struct model_params *params, const size_t *tokens,
                  const float *uniforms, const struct model_shape *s)
{
    const size_t BTC = s->B * s->T * s->C;
    const float factor = fault == FORWARD_SCALED_EMBEDDING ? sqrtf((float)s->C) : 1.0f;
    const float kept =
        fault == FORWARD_DROPOUT_UNSCALED ? 1.0f : 1.0f / (1.0f - s->dropout);
    const bool positions =
        params->position_table != NULL && fault != FORWARD_NO_POSITIONS;
    const bool drops = uniforms != NULL && fault != FORWARD_NO_DROPOUT;
    for (size_t i = 0; i < BTC; i++) {
        const size_t c = i % s->C, t = i / s->C % s->T, token = tokens[i / s->C];
        const size_t row = fault == FORWARD_FIRST_POSITION ? 0 : t;
        const float by = !drops ? 1.0f : uniforms[i] < 1.0f - s->dropout ? kept : 0.0f;
        const float position = positions ? params->position_table[row * s->C + c] : 0.0f;
        z->embedded[i] = factor * params->token_table[token * s->C + c];
        z->positioned[i] = z->embedded[i] + position;
        z->streams[i] = fault == FORWARD_DROPOUT_FIRST ? by * z->embedded[i] + position
                                                       : by * z->positioned[i];
    }
}

// A layer norm of every row of x, without gain and bias, into y.
static void plain_norm(float *y, const float *x, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, variance = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            variance +=
                ((double)x[n * C + c] - mean) * ((double)x[n * C + c] - mean) / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)(((double)x[n * C + c] - mean) /
                                   sqrt(variance + (double)LAYERNORM_EPS));
        }
    }
}

static lab_status forward_with(enum forward_fault fault, FORWARD_ARGUMENTS)
{
    const struct model_shape *s = shape;
    lab_status status = model_forward(FORWARD_VALUES); // for its checks
    if (status != LAB_OK) {
        return status;
    }
    const size_t BTC = s->B * s->T * s->C, BNHTT = s->B * s->NH * s->T * s->T;
    const bool causal =
        fault == FORWARD_ALWAYS_CAUSAL || (s->causal && fault != FORWARD_NOT_CAUSAL);
    enter(fault, z, params, tokens, uniforms, s);
    for (size_t l = 0; l < s->L; l++) {
        const struct block_params block =
            model_block_params(params, s, fault == FORWARD_FIRST_PARAMS ? 0 : l);
        const struct block_buffers buffers = model_block_buffers(z, s, l);
        must(transformer_block(z->streams + (l + 1) * BTC, z->weights + l * BNHTT,
                               &buffers,
                               z->streams + (fault == FORWARD_FIRST_INPUT ? 0 : l) * BTC,
                               &block, causal, s->B, s->T, s->C, s->NH, s->H));
    }
    float *last = borrow(BTC);
    const float *top = z->streams + (s->L - (fault == FORWARD_SKIPS_LAST)) * BTC;
    memcpy(last, top, BTC * sizeof *last);
    if (fault == FORWARD_FINAL_NORM) {
        plain_norm(last, top, s->B * s->T, s->C);
    }
    must(batched_linear(z->logits, last, params->w_out,
                        fault == FORWARD_NO_OUTPUT_BIAS ? NULL : params->b_out, s->B,
                        s->T, s->C, s->V));
    free(last);
    if (targets != NULL) {
        must(
            cross_entropy(loss, z->probabilities, z->logits, targets, s->B * s->T, s->V));
    }
    return LAB_OK;
}

#define FORWARD(name, fault)                                                             \
    static lab_status name(FORWARD_ARGUMENTS)                                            \
    {                                                                                    \
        return forward_with(fault, FORWARD_VALUES);                                      \
    }

FORWARD(forward_no_positions, FORWARD_NO_POSITIONS)
FORWARD(forward_first_position, FORWARD_FIRST_POSITION)
FORWARD(forward_no_dropout, FORWARD_NO_DROPOUT)
FORWARD(forward_dropout_first, FORWARD_DROPOUT_FIRST)
FORWARD(forward_dropout_unscaled, FORWARD_DROPOUT_UNSCALED)
FORWARD(forward_first_params, FORWARD_FIRST_PARAMS)
FORWARD(forward_first_input, FORWARD_FIRST_INPUT)
FORWARD(forward_not_causal, FORWARD_NOT_CAUSAL)
FORWARD(forward_always_causal, FORWARD_ALWAYS_CAUSAL)
FORWARD(forward_final_norm, FORWARD_FINAL_NORM)
FORWARD(forward_no_output_bias, FORWARD_NO_OUTPUT_BIAS)
FORWARD(forward_skips_last, FORWARD_SKIPS_LAST)
FORWARD(forward_scaled_embedding, FORWARD_SCALED_EMBEDDING)
FORWARD(forward_by_pieces, FORWARD_RIGHT)

static const struct mistake model_forward_mistakes[] = {
    {
        .id = "no-positions",
        .what = "the positions are not added",
        .why = "streams[0] is the embedding plus row t of position_table, when there is "
               "one.",
        .function = LIKE(model_forward, forward_no_positions),
    },
    {
        .id = "position-0",
        .what = "every token gets the position of the first",
        .why = "Token t of every sequence gets row t: position_table[t * C + c].",
        .function = LIKE(model_forward, forward_first_position),
    },
    {
        .id = "no-dropout",
        .what = "there is no dropout, although uniforms are given",
        .why =
            "uniforms not NULL means training: dropout(positioned) with shape->dropout.",
        .function = LIKE(model_forward, forward_no_dropout),
    },
    {
        .id = "dropout-before-positions",
        .what = "dropout is applied before the positions are added",
        .why = "The sum of embedding and position is dropped, not the embedding alone.",
        .function = LIKE(model_forward, forward_dropout_first),
    },
    {
        .id = "dropout-not-scaled",
        .what = "what dropout keeps is not divided by 1 - p",
        .why = "Lab 5's dropout does it, so that the mean stays: call it with training "
               "true.",
        .source = "rasbt/LLMs-from-scratch#431",
        .function = LIKE(model_forward, forward_dropout_unscaled),
    },
    {
        .id = "block-0-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own: model_block_params(params, shape, l).",
        .function = LIKE(model_forward, forward_first_params),
    },
    {
        .id = "blocks-beside-each-other",
        .what = "every block reads streams[0]",
        .why = "Block l reads what block l - 1 wrote, streams[l], and writes streams[l + "
               "1].",
        .function = LIKE(model_forward, forward_first_input),
    },
    {
        .id = "not-causal",
        .what = "there is no causal mask, although shape->causal is set",
        .why = "Hand shape->causal on to transformer_block.",
        .source = "keras-team/keras#23040",
        .function = LIKE(model_forward, forward_not_causal),
    },
    {
        .id = "always-causal",
        .what = "there is a causal mask, although shape->causal is not set",
        .why = "Hand shape->causal on to transformer_block.",
        .function = LIKE(model_forward, forward_always_causal),
    },
    {
        .id = "final-norm",
        .what = "there is a layer norm before the output",
        .why =
            "GPT-2 has one there; this lab's model goes straight from the last block to "
            "the output layer.",
        .function = LIKE(model_forward, forward_final_norm),
        .convention = true,
    },
    {
        .id = "no-output-bias",
        .what = "the output layer's bias is missing",
        .why = "logits = streams[L] w_out^T + b_out.",
        .function = LIKE(model_forward, forward_no_output_bias),
    },
    {
        .id = "skips-last-block",
        .what = "the logits are made of what goes INTO the last block",
        .why = "streams has L + 1 entries; the last block's output is streams[L].",
        .function = LIKE(model_forward, forward_skips_last),
    },
    {
        .id = "scaled-embedding",
        .what = "the embedding is multiplied by sqrt(C)",
        .why = "Vaswani et al. (2017) do that; this lab's model does not.",
        .function = LIKE(model_forward, forward_scaled_embedding),
        .convention = true,
    },
    {0},
};

static const struct mistake model_forward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(model_forward, forward_by_pieces)},
    {0},
};

// ---- back through a block -----------------------------------------------------------------

// clang-format off
#define BLOCK_PARAM_TENSORS(prefix, role, atol, rtol)                                    \
    {prefix "ln1_gain", "C",    role, F32, atol, rtol},                                  \
    {prefix "ln1_bias", "C",    role, F32, atol, rtol},                                  \
    {prefix "w_qkv",    "3C C", role, F32, atol, rtol},                                  \
    {prefix "b_qkv",    "3C",   role, F32, atol, rtol},                                  \
    {prefix "w_o",      "C C",  role, F32, atol, rtol},                                  \
    {prefix "b_o",      "C",    role, F32, atol, rtol},                                  \
    {prefix "ln2_gain", "C",    role, F32, atol, rtol},                                  \
    {prefix "ln2_bias", "C",    role, F32, atol, rtol},                                  \
    {prefix "w_fc",     "H C",  role, F32, atol, rtol},                                  \
    {prefix "b_fc",     "H",    role, F32, atol, rtol},                                  \
    {prefix "w_proj",   "C H",  role, F32, atol, rtol},                                  \
    {prefix "b_proj",   "C",    role, F32, atol, rtol}

#define BLOCK_WORKSPACE_TENSORS                                                          \
    {"dz.dactivated",         "B T H",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dhidden",            "B T H",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dln2",               "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dmiddle",            "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dmerged",            "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dout_heads",         "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dq_heads",           "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dk_heads",           "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dv_heads",           "B NH T hs", WORKSPACE, F32, 0, 0},                        \
    {"dz.dweights",           "B NH T T",  WORKSPACE, F32, 0, 0},                        \
    {"dz.dscores",            "B NH T T",  WORKSPACE, F32, 0, 0},                        \
    {"dz.dq, dz.dk, dz.dv",   "3B T C",    WORKSPACE, F32, 0, 0},                        \
    {"dz.dqkv",               "B T 3C",    WORKSPACE, F32, 0, 0},                        \
    {"dz.dln1",               "B T C",     WORKSPACE, F32, 0, 0},                        \
    {"dz.dbranch",            "B T C",     WORKSPACE, F32, 0, 0}

#define BLOCK_BUFFER_TENSORS                                                             \
    {"z.ln1",            "B T C",      INPUT, F32, 0, 0},                                \
    {"z.ln1_mean",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.ln1_rstd",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.attention.qkv",  "B T 3C",     INPUT, F32, 0, 0},                                \
    {"z.attention.q, k, v",  "3B T C", INPUT, F32, 0, 0},                                \
    {"z.attention.q_heads, ...", "3B NH T hs", INPUT, F32, 0, 0},                        \
    {"z.attention.scores",    "B NH T T",  INPUT, F32, 0, 0},                            \
    {"z.attention.out_heads", "B NH T hs", INPUT, F32, 0, 0},                            \
    {"z.attention.merged",    "B T C",     INPUT, F32, 0, 0},                            \
    {"z.attention.mask",      "B T T",     INPUT, U8, 0, 0},                             \
    {"z.attended",       "B T C",      INPUT, F32, 0, 0},                                \
    {"z.middle",         "B T C",      INPUT, F32, 0, 0},                                \
    {"z.ln2",            "B T C",      INPUT, F32, 0, 0},                                \
    {"z.ln2_mean",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.ln2_rstd",       "B T",        INPUT, F32, 0, 0},                                \
    {"z.hidden",         "B T H",      INPUT, F32, 0, 0},                                \
    {"z.activated",      "B T H",      INPUT, F32, 0, 0},                                \
    {"z.projected",      "B T C",      INPUT, F32, 0, 0}
// clang-format on

// The case's tensors from one name on, as an adaptor would get them.
static void collect(void **t, struct test_case *test, const struct tensor_spec *specs,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        t[i] = specs[i].type == U8 ? (void *)case_u8(test, specs[i].name)
                                   : case_f32(test, specs[i].name);
    }
}

// The buffers are what a forward pass through this block leaves.
static void run_block(struct test_case *test, bool causal)
{
    static const struct tensor_spec buffers[] = {BLOCK_BUFFER_TENSORS};
    static const struct tensor_spec params[] = {
        BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0)};
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 C = case_dim(test, "C"), NH = case_dim(test, "NH"),
                 H = case_dim(test, "H");
    void *t[MAX_TENSORS];
    collect(t, test, buffers, sizeof buffers / sizeof buffers[0]);
    const struct block_buffers z = block_buffers_from_tensors(t, B * T, C);
    collect(t, test, params, sizeof params / sizeof params[0]);
    const struct block_params p = block_params_from_tensors(t);
    memset(z.attention.mask, 1, B * T * T);
    float *out = borrow(B * T * C);
    must(transformer_block(out, case_f32(test, "weights"), &z, case_f32(test, "x"), &p,
                           causal, B, T, C, NH, H));
    free(out);
}

static void scale_grads(struct test_case *test, const struct tensor_spec *specs,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scale(test, specs[i].name, 0.25f);
    }
}

static void fill_block_of(struct test_case *test, bool causal)
{
    static const struct tensor_spec grads[] = {
        BLOCK_PARAM_TENSORS("grads.", INPUT, 0, 0)};
    scale_params(test, "params.", case_dim(test, "C"), case_dim(test, "H"));
    scale_grads(test, grads, sizeof grads / sizeof grads[0]);
    run_block(test, causal);
}

static void fill_block(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_block_of(test, true);
}

static void fill_block_not_causal(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_block_of(test, false);
}

// H is not 3C, T is not NH, hs is not NH: each fault has its own numbers.
static const struct case_spec block_backward_cases[] = {
    {.dims = "B=1 T=2 C=2 NH=1 hs=2 H=3", .fill = fill_block, .note = "causal"},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=5", .fill = fill_block, .note = "causal"},
    {.dims = "B=2 T=4 C=6 NH=3 hs=2 H=7",
     .fill = fill_block_not_causal,
     .note = "no mask"},
    {.dims = "B=3 T=5 C=6 NH=2 hs=3 H=11", .fill = fill_block, .note = "causal"},
    {.dims = "B=2 T=7 C=12 NH=3 hs=4 H=20", .fill = fill_block, .note = "causal"},
    {.dims = "B=2 T=3 C=7 NH=2 hs=3 H=5", .note = "NH does not divide C"},
    {.dims = "B=0 T=3 C=4 NH=2 hs=2 H=5", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=0", .note = "a size of 0"},
    {0},
};

// The arguments of block_backward, to declare and to hand on.
#define BLOCK_ARGUMENTS                                                                  \
    float *dx, const struct block_grads *grads, const struct model_gradients *dz,        \
        const float *dout, const float *x, const struct block_params *params,            \
        const float *weights, const struct block_buffers *z, size_t B, size_t T,         \
        size_t C, size_t NH, size_t H
#define BLOCK_VALUES dx, grads, dz, dout, x, params, weights, z, B, T, C, NH, H

enum block_fault {
    BLOCK_RIGHT,
    BLOCK_NO_MLP_RESIDUAL,
    BLOCK_NO_ATTENTION_RESIDUAL,
    BLOCK_NO_RESIDUALS,
    BLOCK_NO_GELU,
    BLOCK_GELU_AT_OUTPUT,
    BLOCK_NO_LN1,
    BLOCK_NO_LN2,
    BLOCK_LN2_OF_X,
    BLOCK_HEADS_NOT_MERGED,
    BLOCK_HEADS_NOT_SPLIT,
    BLOCK_QK_SWAPPED,
    BLOCK_ATTENTION_OF_DOUT,
    BLOCK_FC_OF_MIDDLE,
    BLOCK_QKV_OF_X,
    BLOCK_PROJ_OF_HIDDEN,
};

static void sum_of(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

static void mlp_way(enum block_fault fault, const struct block_grads *grads,
                    const struct model_gradients *dz, const float *dout, const float *x,
                    const struct block_params *params, const struct block_buffers *z,
                    size_t N, size_t C, size_t H)
{
    must(linear_backward(dz->dactivated, grads->w_proj, grads->b_proj, dout,
                         fault == BLOCK_PROJ_OF_HIDDEN ? z->hidden : z->activated,
                         params->mlp.w_proj, N, H, C));
    if (fault == BLOCK_NO_GELU) {
        memcpy(dz->dhidden, dz->dactivated, N * H * sizeof(float));
    } else {
        must(gelu_backward(dz->dhidden, dz->dactivated,
                           fault == BLOCK_GELU_AT_OUTPUT ? z->activated : z->hidden,
                           N * H));
    }
    must(linear_backward(dz->dln2, grads->w_fc, grads->b_fc, dz->dhidden,
                         fault == BLOCK_FC_OF_MIDDLE ? z->middle : z->ln2,
                         params->mlp.w_fc, N, C, H));
    if (fault == BLOCK_NO_LN2) {
        memcpy(dz->dbranch, dz->dln2, N * C * sizeof(float));
    } else {
        must(layernorm_backward(dz->dbranch, grads->ln2_gain, grads->ln2_bias, dz->dln2,
                                fault == BLOCK_LN2_OF_X ? x : z->middle, z->ln2_mean,
                                z->ln2_rstd, params->ln2_gain, N, C));
    }
    if (fault == BLOCK_NO_MLP_RESIDUAL || fault == BLOCK_NO_RESIDUALS) {
        memcpy(dz->dmiddle, dz->dbranch, N * C * sizeof(float));
    } else {
        sum_of(dz->dmiddle, dout, dz->dbranch, N * C);
    }
}

static void attention_way(enum block_fault fault, const struct block_grads *grads,
                          const struct model_gradients *dz, const float *dout,
                          const float *x, const struct block_params *params,
                          const float *weights, const struct block_buffers *z, size_t B,
                          size_t T, size_t C, size_t NH)
{
    const struct attention_buffers *a = &z->attention;
    const size_t bytes = B * T * C * sizeof(float);
    must(linear_backward(dz->dmerged, grads->w_o, grads->b_o,
                         fault == BLOCK_ATTENTION_OF_DOUT ? dout : dz->dmiddle, a->merged,
                         params->attention.w_o, B * T, C, C));
    if (fault == BLOCK_HEADS_NOT_SPLIT) {
        memcpy(dz->dout_heads, dz->dmerged, bytes);
    } else {
        must(split_heads(dz->dout_heads, dz->dmerged, B, T, C, NH));
    }
    must(attention_backward(dz->dq_heads, dz->dk_heads, dz->dv_heads, dz->dweights,
                            dz->dscores, dz->dout_heads, a->q_heads, a->k_heads,
                            a->v_heads, weights, B, NH, T, T, C / NH));
    if (fault == BLOCK_HEADS_NOT_MERGED) {
        memcpy(dz->dq, dz->dq_heads, bytes);
        memcpy(dz->dk, dz->dk_heads, bytes);
        memcpy(dz->dv, dz->dv_heads, bytes);
    } else {
        must(merge_heads(dz->dq, dz->dq_heads, B, T, C, NH));
        must(merge_heads(dz->dk, dz->dk_heads, B, T, C, NH));
        must(merge_heads(dz->dv, dz->dv_heads, B, T, C, NH));
    }
    if (fault == BLOCK_QK_SWAPPED) {
        join_qkv(dz->dqkv, dz->dk, dz->dq, dz->dv, B * T, C);
    } else {
        join_qkv(dz->dqkv, dz->dq, dz->dk, dz->dv, B * T, C);
    }
    must(linear_backward(dz->dln1, grads->w_qkv, grads->b_qkv, dz->dqkv,
                         fault == BLOCK_QKV_OF_X ? x : z->ln1, params->attention.w_qkv,
                         B * T, C, 3 * C));
}

static lab_status block_with(enum block_fault fault, BLOCK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const size_t N = B * T;
    mlp_way(fault, grads, dz, dout, x, params, z, N, C, H);
    attention_way(fault, grads, dz, dout, x, params, weights, z, B, T, C, NH);
    if (fault == BLOCK_NO_LN1) {
        memcpy(dz->dbranch, dz->dln1, N * C * sizeof(float));
    } else {
        must(layernorm_backward(dz->dbranch, grads->ln1_gain, grads->ln1_bias, dz->dln1,
                                x, z->ln1_mean, z->ln1_rstd, params->ln1_gain, N, C));
    }
    if (fault == BLOCK_NO_ATTENTION_RESIDUAL || fault == BLOCK_NO_RESIDUALS) {
        memcpy(dx, dz->dbranch, N * C * sizeof(float));
    } else {
        sum_of(dx, dz->dmiddle, dz->dbranch, N * C);
    }
    return LAB_OK;
}

#define BLOCK(name, fault)                                                               \
    static lab_status name(BLOCK_ARGUMENTS)                                              \
    {                                                                                    \
        return block_with(fault, BLOCK_VALUES);                                          \
    }

BLOCK(block_no_mlp_residual, BLOCK_NO_MLP_RESIDUAL)
BLOCK(block_no_attention_residual, BLOCK_NO_ATTENTION_RESIDUAL)
BLOCK(block_no_residuals, BLOCK_NO_RESIDUALS)
BLOCK(block_no_gelu, BLOCK_NO_GELU)
BLOCK(block_gelu_at_output, BLOCK_GELU_AT_OUTPUT)
BLOCK(block_no_ln1, BLOCK_NO_LN1)
BLOCK(block_no_ln2, BLOCK_NO_LN2)
BLOCK(block_ln2_of_x, BLOCK_LN2_OF_X)
BLOCK(block_heads_not_merged, BLOCK_HEADS_NOT_MERGED)
BLOCK(block_heads_not_split, BLOCK_HEADS_NOT_SPLIT)
BLOCK(block_qk_swapped, BLOCK_QK_SWAPPED)
BLOCK(block_attention_of_dout, BLOCK_ATTENTION_OF_DOUT)
BLOCK(block_fc_of_middle, BLOCK_FC_OF_MIDDLE)
BLOCK(block_qkv_of_x, BLOCK_QKV_OF_X)
BLOCK(block_proj_of_hidden, BLOCK_PROJ_OF_HIDDEN)
BLOCK(block_by_pieces, BLOCK_RIGHT)

static const struct mistake block_backward_mistakes[] = {
    {
        .id = "mlp-residual-dropped",
        .what = "the gradient does not pass the residual around the MLP",
        .why =
            "out = middle + mlp(ln2(middle)): middle was used twice, and dmiddle is dout "
            "plus what comes back through the MLP.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_no_mlp_residual),
    },
    {
        .id = "attention-residual-dropped",
        .what = "the gradient does not pass the residual around the attention",
        .why = "middle = x + attention(ln1(x)): x was used twice, and dx is dmiddle plus "
               "what comes back through the attention.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_no_attention_residual),
    },
    {
        .id = "residuals-dropped",
        .what = "the gradient passes neither of the residuals",
        .why = "Both sums have two terms, and each term gets the gradient of the sum.",
        .source = "pytorch/pytorch#61165",
        .function = LIKE(block_backward, block_no_residuals),
    },
    {
        .id = "no-gelu",
        .what = "GELU's backward is left out",
        .why = "Between hidden and activated stands GELU: dhidden = gelu_backward("
               "dactivated, hidden).",
        .function = LIKE(block_backward, block_no_gelu),
    },
    {
        .id = "gelu-at-output",
        .what = "GELU's backward gets activated instead of hidden",
        .why = "It wants what went into GELU.",
        .function = LIKE(block_backward, block_gelu_at_output),
    },
    {
        .id = "no-ln1",
        .what = "the first layer norm's backward is left out",
        .why = "The attention read ln1, not x: go back through layernorm_backward, which "
               "adds to ln1_gain and ln1_bias too.",
        .function = LIKE(block_backward, block_no_ln1),
    },
    {
        .id = "no-ln2",
        .what = "the second layer norm's backward is left out",
        .why = "The MLP read ln2, not middle: go back through layernorm_backward, which "
               "adds to ln2_gain and ln2_bias too.",
        .function = LIKE(block_backward, block_no_ln2),
    },
    {
        .id = "ln2-of-x",
        .what = "the second layer norm's backward gets x instead of middle",
        .why =
            "ln2 = layernorm(middle): its backward wants middle, ln2_mean and ln2_rstd.",
        .function = LIKE(block_backward, block_ln2_of_x),
    },
    {
        .id = "heads-not-merged",
        .what = "the gradients of q, k and v are not merged back from heads to rows",
        .why = "dq_heads is (B, NH, T, hs), dq is (B, T, C): the sizes agree, the order "
               "does "
               "not. The backward of split_heads is merge_heads.",
        .source = "jsbaan/transformer-from-scratch#6",
        .function = LIKE(block_backward, block_heads_not_merged),
    },
    {
        .id = "heads-not-split",
        .what = "dmerged goes into the attention without being split into heads",
        .why = "The backward of merge_heads is split_heads: (B, T, C) to (B, NH, T, hs).",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(block_backward, block_heads_not_split),
    },
    {
        .id = "qk-exchanged",
        .what = "dq and dk are exchanged on the way into dqkv",
        .why = "The order is that of the rows of w_qkv: q, then k, then v.",
        .source = "jsbaan/transformer-from-scratch#1",
        .function = LIKE(block_backward, block_qk_swapped),
    },
    {
        .id = "attention-from-dout",
        .what = "the attention gets dout instead of dmiddle",
        .why =
            "attended went into middle, so its gradient is dmiddle, the sum of both ways "
            "back to middle.",
        .function = LIKE(block_backward, block_attention_of_dout),
    },
    {
        .id = "fc-of-middle",
        .what = "the gradient of w_fc is made with middle instead of ln2",
        .why = "linear_backward wants the x that forward multiplied w_fc with: ln2.",
        .function = LIKE(block_backward, block_fc_of_middle),
    },
    {
        .id = "qkv-of-x",
        .what = "the gradient of w_qkv is made with x instead of ln1",
        .why = "linear_backward wants the x that forward multiplied w_qkv with: ln1.",
        .function = LIKE(block_backward, block_qkv_of_x),
    },
    {
        .id = "proj-of-hidden",
        .what = "the gradient of w_proj is made with hidden instead of activated",
        .why =
            "linear_backward wants the x that forward multiplied w_proj with: activated, "
            "after GELU.",
        .function = LIKE(block_backward, block_proj_of_hidden),
    },
    {0},
};

static const struct mistake block_backward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(block_backward, block_by_pieces)},
    {0},
};

// ---- the whole way back -------------------------------------------------------------------

// The activations are what a forward pass with these parameters leaves.
static void run_model(struct test_case *test, bool training)
{
    static const struct tensor_spec activations[] = {
        ACTIVATION_TENSORS(INPUT, INPUT, 0, 0)};
    static const struct tensor_spec params[] = {PARAM_TENSORS("params.", INPUT, 0, 0)};
    const struct model_shape shape = {
        .B = case_dim(test, "B"),
        .T = case_dim(test, "T"),
        .T_max = case_dim(test, "T_max"),
        .V = case_dim(test, "V"),
        .C = case_dim(test, "C"),
        .NH = case_dim(test, "NH"),
        .H = case_dim(test, "H"),
        .L = case_dim(test, "L"),
        .causal = case_dim(test, "causal") != 0,
        .positions = (enum positions)case_dim(test, "positions"),
        .dropout = *case_f32(test, "dropout"),
    };
    void *t[MAX_TENSORS];
    struct model_activations z;
    struct model_params p;
    collect(t, test, activations, sizeof activations / sizeof activations[0]);
    activations_from_tensors(&z, t, &shape);
    memset(z.mask, 1, shape.B * shape.T * shape.T);
    collect(t, test, params, sizeof params / sizeof params[0]);
    params_from_tensors(&p, t);
    if (shape.positions == POSITIONS_NONE) {
        p.position_table = NULL;
    }
    float loss;
    must(model_forward(&loss, &z, &p, case_size(test, "tokens"),
                       case_size(test, "targets"),
                       training ? case_f32(test, "uniforms") : NULL, &shape));
}

static void prepare_grads(struct test_case *test)
{
    static const struct tensor_spec grads[] = {PARAM_TENSORS("grads.", INPUT, 0, 0)};
    scale_grads(test, grads, sizeof grads / sizeof grads[0]);
    if (case_dim(test, "positions") != POSITIONS_LEARNED) {
        case_absent(test, "grads.position_table");
    }
}

static void fill_way_back(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    prepare_grads(test);
    run_model(test, false);
}

static void fill_way_back_training(struct test_case *test, struct lab_rng *rng)
{
    fill_with_uniforms(test, rng);
    prepare_grads(test);
    run_model(test, true);
}

static const struct case_spec model_backward_cases[] = {
    {.dims = "B=1 T=1 T_max=1 V=2 C=2 NH=1 hs=2 H=3 L=1 L1=2 causal=1 positions=0",
     .fill = fill_way_back,
     .note = "one token, no positions"},
    {.dims = "B=1 T=2 T_max=3 V=3 C=2 NH=1 hs=2 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=3 hs=2 H=7 L=2 L1=3 causal=1 positions=2",
     .fill = fill_way_back,
     .note = "two blocks, positions that are not trained"},
    {.dims = "B=3 T=4 T_max=5 V=7 C=6 NH=2 hs=3 H=8 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back_training,
     .note = "training, with dropout of 0.25"},
    {.dims = "B=3 T=5 T_max=7 V=4 C=8 NH=4 hs=2 H=11 L=3 L1=4 causal=0 positions=1",
     .fill = fill_way_back,
     .note = "three blocks, no mask"},
    {.dims = "B=4 T=8 T_max=8 V=10 C=32 NH=4 hs=8 H=128 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "the copy task's model"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_token,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=7 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=0 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .note = "a size of 0"},
    {0},
};

// The arguments of model_backward, to declare and to hand on.
#define BACKWARD_ARGUMENTS                                                               \
    const struct model_params *grads, const struct model_gradients *dz,                  \
        const struct model_activations *z, const struct model_params *params,            \
        const size_t *tokens, const size_t *targets, const float *uniforms,              \
        const struct model_shape *shape
#define BACKWARD_VALUES grads, dz, z, params, tokens, targets, uniforms, shape

enum backward_fault {
    BACKWARD_RIGHT,
    BACKWARD_FIRST_BLOCK_FORGOTTEN,
    BACKWARD_LAST_SEQUENCE,
    BACKWARD_FIRST_SEQUENCE,
    BACKWARD_POSITIONS_MEAN,
    BACKWARD_POSITIONS_OVERWRITTEN,
    BACKWARD_NO_POSITIONS,
    BACKWARD_NO_DROPOUT,
    BACKWARD_DROPOUT_UNSCALED,
    BACKWARD_POSITIONS_NO_DROPOUT,
    BACKWARD_NO_EMBEDDING,
    BACKWARD_OUTPUT_OF_STREAM_0,
    BACKWARD_FIRST_WEIGHTS,
    BACKWARD_FIRST_PARAMS,
    BACKWARD_FIRST_BUFFERS,
    BACKWARD_FIRST_GRADS,
};

static void blocks_way(enum backward_fault fault, const struct model_params *grads,
                       const struct model_gradients *dz,
                       const struct model_activations *z,
                       const struct model_params *params, const struct model_shape *s)
{
    const size_t BTC = s->B * s->T * s->C, BNHTT = s->B * s->NH * s->T * s->T;
    const size_t end = fault == BACKWARD_FIRST_BLOCK_FORGOTTEN ? 1 : 0;
    for (size_t l = s->L; l-- > end;) {
        const struct block_params block =
            model_block_params(params, s, fault == BACKWARD_FIRST_PARAMS ? 0 : l);
        const struct block_grads block_grads =
            model_block_grads(grads, s, fault == BACKWARD_FIRST_GRADS ? 0 : l);
        const struct block_buffers buffers =
            model_block_buffers(z, s, fault == BACKWARD_FIRST_BUFFERS ? 0 : l);
        must(
            block_backward(dz->dstreams + l * BTC, &block_grads, dz,
                           dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block,
                           z->weights + (fault == BACKWARD_FIRST_WEIGHTS ? 0 : l) * BNHTT,
                           &buffers, s->B, s->T, s->C, s->NH, s->H));
    }
}

// From dstreams[0] to the two tables.
static void leave(enum backward_fault fault, const struct model_params *grads,
                  const struct model_gradients *dz, const size_t *tokens,
                  const float *uniforms, const struct model_shape *s)
{
    const size_t TC = s->T * s->C, BTC = s->B * TC;
    const float kept =
        fault == BACKWARD_DROPOUT_UNSCALED ? 1.0f : 1.0f / (1.0f - s->dropout);
    for (size_t i = 0; i < BTC; i++) {
        const bool drops = uniforms != NULL && fault != BACKWARD_NO_DROPOUT;
        if (!drops) {
            dz->dpositioned[i] = dz->dstreams[i];
        } else if (uniforms[i] < 1.0f - s->dropout) {
            dz->dpositioned[i] = dz->dstreams[i] * kept;
        } else {
            dz->dpositioned[i] = 0.0f;
        }
    }
    const float *d =
        fault == BACKWARD_POSITIONS_NO_DROPOUT ? dz->dstreams : dz->dpositioned;
    const size_t from = fault == BACKWARD_LAST_SEQUENCE ? s->B - 1 : 0;
    const size_t to = fault == BACKWARD_FIRST_SEQUENCE ? 1 : s->B;
    if (grads->position_table != NULL && fault != BACKWARD_NO_POSITIONS) {
        if (fault == BACKWARD_POSITIONS_OVERWRITTEN) {
            memset(grads->position_table, 0, TC * sizeof(float));
        }
        for (size_t i = from * TC; i < to * TC; i++) {
            grads->position_table[i % TC] +=
                d[i] / (fault == BACKWARD_POSITIONS_MEAN ? (float)s->B : 1.0f);
        }
    }
    if (fault != BACKWARD_NO_EMBEDDING) {
        must(embedding_backward(grads->token_table, dz->dpositioned, tokens, s->B * s->T,
                                s->C, s->V));
    }
}

static lab_status backward_with(enum backward_fault fault, BACKWARD_ARGUMENTS)
{
    const struct model_shape *s = shape;
    lab_status status = model_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    const size_t N = s->B * s->T;
    if (!tokens_below(tokens, N, s->V) || !tokens_below(targets, N, s->V)) {
        return LAB_EVALUE;
    }
    const size_t top = s->L * N * s->C;
    must(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, s->V));
    must(linear_backward(dz->dstreams + top, grads->w_out, grads->b_out, dz->dlogits,
                         z->streams + (fault == BACKWARD_OUTPUT_OF_STREAM_0 ? 0 : top),
                         params->w_out, N, s->C, s->V));
    blocks_way(fault, grads, dz, z, params, s);
    leave(fault, grads, dz, tokens, uniforms, s);
    return LAB_OK;
}

#define BACKWARD(name, fault)                                                            \
    static lab_status name(BACKWARD_ARGUMENTS)                                           \
    {                                                                                    \
        return backward_with(fault, BACKWARD_VALUES);                                    \
    }

BACKWARD(backward_first_block_forgotten, BACKWARD_FIRST_BLOCK_FORGOTTEN)
BACKWARD(backward_last_sequence, BACKWARD_LAST_SEQUENCE)
BACKWARD(backward_first_sequence, BACKWARD_FIRST_SEQUENCE)
BACKWARD(backward_positions_mean, BACKWARD_POSITIONS_MEAN)
BACKWARD(backward_positions_overwritten, BACKWARD_POSITIONS_OVERWRITTEN)
BACKWARD(backward_no_positions, BACKWARD_NO_POSITIONS)
BACKWARD(backward_no_dropout, BACKWARD_NO_DROPOUT)
BACKWARD(backward_dropout_unscaled, BACKWARD_DROPOUT_UNSCALED)
BACKWARD(backward_positions_no_dropout, BACKWARD_POSITIONS_NO_DROPOUT)
BACKWARD(backward_no_embedding, BACKWARD_NO_EMBEDDING)
BACKWARD(backward_output_of_stream_0, BACKWARD_OUTPUT_OF_STREAM_0)
BACKWARD(backward_first_weights, BACKWARD_FIRST_WEIGHTS)
BACKWARD(backward_first_params, BACKWARD_FIRST_PARAMS)
BACKWARD(backward_first_buffers, BACKWARD_FIRST_BUFFERS)
BACKWARD(backward_first_grads, BACKWARD_FIRST_GRADS)
BACKWARD(backward_by_pieces, BACKWARD_RIGHT)

static const struct mistake model_backward_mistakes[] = {
    {
        .id = "block-0-forgotten",
        .what = "the loop over the blocks ends before block 0",
        .why = "A size_t cannot go below 0, and l > 0 leaves block 0 out. Write for "
               "(size_t l = L; l-- > 0;).",
        .function = LIKE(model_backward, backward_first_block_forgotten),
    },
    {
        .id = "positions-last-sequence",
        .what = "the positions get the gradient of the last sequence only",
        .why = "All B sequences added the same rows of position_table; all B add to its "
               "gradient: +=.",
        .source = "karpathy/micrograd#102",
        .function = LIKE(model_backward, backward_last_sequence),
    },
    {
        .id = "positions-first-sequence",
        .what = "the positions get the gradient of the first sequence only",
        .why = "All B sequences added the same rows of position_table; all B add to its "
               "gradient.",
        .function = LIKE(model_backward, backward_first_sequence),
    },
    {
        .id = "positions-mean",
        .what = "the gradient of the positions is divided by B",
        .why = "The sequences are summed. The mean is in the loss already.",
        .function = LIKE(model_backward, backward_positions_mean),
    },
    {
        .id = "positions-overwritten",
        .what = "the gradient of the positions is set to 0 first",
        .why =
            "Gradients of parameters are added to what is there; the caller sets them to "
            "0 once in each step.",
        .source = "karpathy/llm.c#548",
        .function = LIKE(model_backward, backward_positions_overwritten),
    },
    {
        .id = "no-positions",
        .what = "the positions get no gradient",
        .why = "positioned = embedded + position: the gradient goes to both terms.",
        .function = LIKE(model_backward, backward_no_positions),
    },
    {
        .id = "no-dropout",
        .what = "the gradient does not pass through the dropout",
        .why = "What forward multiplied by 0 gets no gradient, what it multiplied by "
               "1/(1-p) gets 1/(1-p) times as much: dropout(dstreams[0]), same uniforms.",
        .source = "rasbt/LLMs-from-scratch#431",
        .function = LIKE(model_backward, backward_no_dropout),
    },
    {
        .id = "dropout-not-scaled",
        .what = "what dropout kept does not get 1/(1-p) times its gradient",
        .why = "A factor of the forward pass is a factor of the backward pass.",
        .source = "rasbt/LLMs-from-scratch#431",
        .function = LIKE(model_backward, backward_dropout_unscaled),
    },
    {
        .id = "positions-without-dropout",
        .what = "the positions get dstreams[0], as if dropout were not between",
        .why =
            "Dropout came after the positions were added: both tables get dpositioned.",
        .function = LIKE(model_backward, backward_positions_no_dropout),
    },
    {
        .id = "no-embedding",
        .what = "the token table gets no gradient",
        .why =
            "The last step back is embedding_backward(grads->token_table, dpositioned, "
            "tokens).",
        .function = LIKE(model_backward, backward_no_embedding),
    },
    {
        .id = "output-of-stream-0",
        .what = "the gradient of w_out is made with streams[0] instead of streams[L]",
        .why = "linear_backward wants the x that forward multiplied w_out with: the last "
               "block's output.",
        .function = LIKE(model_backward, backward_output_of_stream_0),
    },
    {
        .id = "block-0-weights",
        .what = "every block uses the attention weights of block 0",
        .why = "weights is (L, B, NH, T, T): block l's begin l * B * NH * T * T further.",
        .function = LIKE(model_backward, backward_first_weights),
    },
    {
        .id = "block-0-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own: model_block_params(params, shape, l).",
        .function = LIKE(model_backward, backward_first_params),
    },
    {
        .id = "block-0-buffers",
        .what = "every block uses the buffers of block 0",
        .why = "Block l has kept its own: model_block_buffers(z, shape, l).",
        .function = LIKE(model_backward, backward_first_buffers),
    },
    {
        .id = "block-0-grads",
        .what = "the gradients of all blocks go to block 0",
        .why = "Block l has its own: model_block_grads(grads, shape, l).",
        .function = LIKE(model_backward, backward_first_grads),
    },
    {0},
};

static const struct mistake model_backward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(model_backward, backward_by_pieces)},
    {0},
};

#define FORWARD_TOLERANCE 4e-5f, 1e-4f
#define GRADIENT_TOLERANCE 1e-5f, 1e-4f

static const struct part model_part[] = {
    {
        .function = "model_forward",
        .dims = MODEL_DIMS " L1",
        .tensors =
            {
                {"loss", "1", OUTPUT, F32, FORWARD_TOLERANCE},
                ACTIVATION_TENSORS(OUTPUT, WORKSPACE, 4e-5f, 1e-4f),
                PARAM_TENSORS("params.", INPUT, 0, 0),
                RUN_TENSORS,
            },
        .cases = model_forward_cases,
        .mistakes = model_forward_mistakes,
        .alternatives = model_forward_alternatives,
    },
    {
        .function = "block_backward",
        .dims = "B T C NH hs H",
        .tensors =
            {
                {"dx", "B T C", OUTPUT, F32, 4e-5f, 1e-4f},
                BLOCK_PARAM_TENSORS("grads.", UPDATED, 4e-5f, 1e-4f),
                BLOCK_WORKSPACE_TENSORS,
                {"dout", "B T C", INPUT, F32, 0, 0},
                {"x", "B T C", INPUT, F32, 0, 0},
                BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"weights", "B NH T T", INPUT, F32, 0, 0},
                BLOCK_BUFFER_TENSORS,
            },
        .cases = block_backward_cases,
        .mistakes = block_backward_mistakes,
        .alternatives = block_backward_alternatives,
    },
    {
        .function = "model_backward",
        .dims = MODEL_DIMS " L1",
        .tensors =
            {
                PARAM_TENSORS("grads.", UPDATED, 1e-5f, 1e-4f),
                {"dz.dlogits", "B T V", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"dz.dstreams", "L1 B T C", OUTPUT, F32, GRADIENT_TOLERANCE},
                ACTIVATION_TENSORS(INPUT, INPUT, 0, 0),
                PARAM_TENSORS("params.", INPUT, 0, 0),
                RUN_TENSORS,
            },
        .cases = model_backward_cases,
        .mistakes = model_backward_mistakes,
        .alternatives = model_backward_alternatives,
    },
    {0},
};

// ---- 6.12 adam_step -----------------------------------------------------------------------

static void set_adam(struct test_case *test, float lr, float weight_decay)
{
    set_all(test, "lr", lr);
    set_all(test, "beta1", 0.9f);
    set_all(test, "beta2", 0.999f);
    set_all(test, "eps", 1e-8f);
    set_all(test, "weight_decay", weight_decay);
}

// The moments as earlier gradients of that size would have left them, all of one sign: in a sum
// that nearly cancels the order of rounding would show.
static void set_moments(struct test_case *test, struct lab_rng *rng, float size)
{
    float *m = case_f32(test, "m"), *v = case_f32(test, "v"), *g = case_f32(test, "g");
    const size_t steps = case_dim(test, "step") - (case_dim(test, "step") > 0);
    for (size_t i = 0; i < case_count(test, "m"); i++) {
        m[i] = v[i] = 0.0f;
        // as many steps as leave a trace
        for (size_t k = 0; k < (steps < 40 ? steps : 40); k++) {
            float old;
            lab_rng_randn(rng, &old, 1);
            old = copysignf(old * size, g[i]);
            m[i] = 0.9f * m[i] + 0.1f * old;
            v[i] = 0.999f * v[i] + 0.001f * old * old;
        }
        g[i] *= size;
    }
}

static void fill_adam(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.0f);
    set_moments(test, rng, 1.0f);
}

static void fill_adam_decay(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.5f);
    set_moments(test, rng, 0.3f);
}

static void fill_adam_tiny(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.0f);
    set_moments(test, rng, 1e-8f);
}

static void fill_adam_large(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.1f, 0.1f);
    set_moments(test, rng, 1e4f);
}

static void fill_adam_usual(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 1e-3f, 0.01f);
    set_moments(test, rng, 0.02f);
}

static void fill_adam_other(struct test_case *test, struct lab_rng *rng)
{
    set_adam(test, 0.05f, 0.2f);
    set_all(test, "beta1", 0.8f);
    set_all(test, "beta2", 0.95f);
    set_all(test, "eps", 0.1f);
    set_moments(test, rng, 0.5f);
}

static void fill_adam_zero_gradient(struct test_case *test, struct lab_rng *rng)
{
    fill_adam_decay(test, rng);
    memset(case_f32(test, "g"), 0, case_count(test, "g") * sizeof(float));
}

static void fill_bad_beta(struct test_case *test, struct lab_rng *rng)
{
    fill_adam(test, rng);
    set_all(test, "beta2", 1.0f);
}

static const struct case_spec adam_step_cases[] = {
    {.dims = "step=1 N=1", .fill = fill_adam, .note = "the first step"},
    {.dims = "step=1 N=2", .fill = fill_adam, .note = "the first step"},
    {.dims = "step=2 N=3", .fill = fill_adam, .note = "the second step"},
    {.dims = "step=1 N=4", .fill = fill_adam_decay, .note = "weight decay 0.5"},
    {.dims = "step=1 N=5", .fill = fill_adam_tiny, .note = "gradients near 1e-8"},
    {.dims = "step=3 N=6", .fill = fill_adam_decay, .note = "weight decay 0.5"},
    {.dims = "step=4 N=5", .fill = fill_adam_tiny, .note = "gradients near 1e-8"},
    {.dims = "step=5 N=7", .fill = fill_adam_large, .note = "gradients near 1e4"},
    {.dims = "step=6 N=7",
     .fill = fill_adam_other,
     .note = "betas 0.8 and 0.95, eps 0.1"},
    {.dims = "step=2 N=6",
     .fill = fill_adam_zero_gradient,
     .note = "a gradient of 0: momentum and decay go on"},
    {.dims = "step=7..40 N=8..20", .draws = 3, .fill = fill_adam_decay},
    {.dims = "step=1000 N=9", .fill = fill_adam, .note = "step 1000"},
    {.dims = "step=1000000 N=9", .fill = fill_adam, .note = "after a very long time"},
    {.dims = "step=12 N=67", .fill = fill_adam_usual, .note = "the usual settings"},
    {.dims = "step=3 N=1031", .draws = 2, .fill = fill_adam, .note = "many parameters"},
    {.dims = "step=0 N=3", .fill = fill_adam, .note = "step 0: steps count from 1"},
    {.dims = "step=1 N=3", .fill = fill_bad_beta, .note = "beta2 is 1"},
    {.dims = "step=1 N=0", .note = "a size of 0"},
    {0},
};

// The arguments of adam_step, to declare and to hand on.
#define ADAM_ARGUMENTS                                                                   \
    float *w, float *m, float *v, const float *g, const struct adam *settings,           \
        size_t step, size_t N
#define ADAM_VALUES w, m, v, g, settings, step, N

enum adam_fault {
    ADAM_RIGHT,
    ADAM_NO_CORRECTION,
    ADAM_NO_M_CORRECTION,
    ADAM_NO_V_CORRECTION,
    ADAM_EPS_INSIDE,
    ADAM_EPS_FIRST,
    ADAM_NO_EPS,
    ADAM_COUPLED,
    ADAM_DECAY_SIGN,
    ADAM_DECAY_WITHOUT_LR,
    ADAM_DECAY_AFTER,
    ADAM_NO_DECAY,
    ADAM_BETAS_EXCHANGED,
    ADAM_ASCENT,
    ADAM_NO_ROOT,
    ADAM_NO_SQUARE,
    ADAM_STEP_FROM_0,
    ADAM_STEP_PLUS_1,
    ADAM_FULL_GRADIENT,
    ADAM_V_OF_M,
    ADAM_OLD_MOMENT,
};

static lab_status adam_with(enum adam_fault fault, ADAM_ARGUMENTS)
{
    const struct adam *s = settings;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (step == 0 || !(0.0 <= s->beta1 && s->beta1 < 1.0) ||
        !(0.0 <= s->beta2 && s->beta2 < 1.0)) {
        return LAB_EVALUE;
    }
    const bool exchanged = fault == ADAM_BETAS_EXCHANGED;
    const double beta1 = exchanged ? s->beta2 : s->beta1,
                 beta2 = exchanged ? s->beta1 : s->beta2;
    const double k =
        (double)step - (fault == ADAM_STEP_FROM_0) + (fault == ADAM_STEP_PLUS_1);
    const bool no_m = fault == ADAM_NO_CORRECTION || fault == ADAM_NO_M_CORRECTION;
    const bool no_v = fault == ADAM_NO_CORRECTION || fault == ADAM_NO_V_CORRECTION;
    const double m_by = no_m ? 1.0 : 1.0 / (1.0 - pow(beta1, k));
    const double v_by = no_v ? 1.0 : 1.0 / (1.0 - pow(beta2, k));
    const double lr = s->lr, wd = s->weight_decay, eps = s->eps;
    for (size_t i = 0; i < N; i++) {
        double gi = (double)g[i], wi = (double)w[i];
        const double decay = fault == ADAM_DECAY_SIGN         ? -lr * wd
                             : fault == ADAM_DECAY_WITHOUT_LR ? wd
                             : fault == ADAM_NO_DECAY         ? 0.0
                                                              : lr * wd;
        if (fault == ADAM_COUPLED) {
            gi += wd * wi;
        } else if (fault != ADAM_DECAY_AFTER) {
            wi -= decay * wi;
        }
        const double old = (double)m[i];
        const double share = fault == ADAM_FULL_GRADIENT ? 1.0 : 1.0 - beta1;
        m[i] = (float)(beta1 * (double)m[i] + share * gi);
        const double square = fault == ADAM_NO_SQUARE ? fabs(gi)
                              : fault == ADAM_V_OF_M  ? (double)m[i] * (double)m[i]
                                                      : gi * gi;
        v[i] = (float)(beta2 * (double)v[i] + (1.0 - beta2) * square);
        const double top = (fault == ADAM_OLD_MOMENT ? old : (double)m[i]) * m_by;
        const double second = (double)v[i] * v_by;
        double bottom = sqrt(second) + eps;
        if (fault == ADAM_EPS_INSIDE) {
            bottom = sqrt(second + eps);
        } else if (fault == ADAM_EPS_FIRST) {
            bottom = (sqrt((double)v[i]) + eps) * sqrt(v_by);
        } else if (fault == ADAM_NO_EPS) {
            bottom = sqrt(second);
        } else if (fault == ADAM_NO_ROOT) {
            bottom = second + eps;
        }
        wi += (fault == ADAM_ASCENT ? lr : -lr) * top / bottom;
        if (fault == ADAM_DECAY_AFTER) {
            wi -= lr * wd * wi;
        }
        w[i] = (float)wi;
    }
    return LAB_OK;
}

#define ADAM(name, fault)                                                                \
    static lab_status name(ADAM_ARGUMENTS)                                               \
    {                                                                                    \
        return adam_with(fault, ADAM_VALUES);                                            \
    }

ADAM(adam_no_correction, ADAM_NO_CORRECTION)
ADAM(adam_no_m_correction, ADAM_NO_M_CORRECTION)
ADAM(adam_no_v_correction, ADAM_NO_V_CORRECTION)
ADAM(adam_eps_inside, ADAM_EPS_INSIDE)
ADAM(adam_eps_first, ADAM_EPS_FIRST)
ADAM(adam_no_eps, ADAM_NO_EPS)
ADAM(adam_coupled, ADAM_COUPLED)
ADAM(adam_decay_sign, ADAM_DECAY_SIGN)
ADAM(adam_decay_without_lr, ADAM_DECAY_WITHOUT_LR)
ADAM(adam_decay_after, ADAM_DECAY_AFTER)
ADAM(adam_no_decay, ADAM_NO_DECAY)
ADAM(adam_betas_exchanged, ADAM_BETAS_EXCHANGED)
ADAM(adam_ascent, ADAM_ASCENT)
ADAM(adam_no_root, ADAM_NO_ROOT)
ADAM(adam_no_square, ADAM_NO_SQUARE)
ADAM(adam_step_from_0, ADAM_STEP_FROM_0)
ADAM(adam_step_plus_1, ADAM_STEP_PLUS_1)
ADAM(adam_full_gradient, ADAM_FULL_GRADIENT)
ADAM(adam_v_of_m, ADAM_V_OF_M)
ADAM(adam_old_moment, ADAM_OLD_MOMENT)
ADAM(adam_in_double, ADAM_RIGHT)

// Everything in float, the powers too, and the decay taken from the old w at the end: the way
// Loshchilov and Hutter write it.
static lab_status adam_in_float(ADAM_ARGUMENTS)
{
    const struct adam *s = settings;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (step == 0 || !(0.0 <= s->beta1 && s->beta1 < 1.0) ||
        !(0.0 <= s->beta2 && s->beta2 < 1.0)) {
        return LAB_EVALUE;
    }
    const float beta1 = (float)s->beta1, beta2 = (float)s->beta2, lr = (float)s->lr;
    for (size_t i = 0; i < N; i++) {
        m[i] = beta1 * m[i] + (1.0f - beta1) * g[i];
        v[i] = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
        const float first = m[i] / (1.0f - powf(beta1, (float)step));
        const float second = v[i] / (1.0f - powf(beta2, (float)step));
        w[i] -= lr *
                (first / (sqrtf(second) + (float)s->eps) + (float)s->weight_decay * w[i]);
    }
    return LAB_OK;
}

static const struct mistake adam_step_mistakes[] = {
    {
        .id = "no-bias-correction",
        .what = "the moments are not corrected for having started at 0",
        .why =
            "After one step m is 0.1 g and v is 0.001 g^2: without the division by 1 - "
            "beta^step the first step is 3.162 times too long.",
        .source = "oxiglade/mlx-rs#301, eriklindernoren/ML-From-Scratch#35",
        .function = LIKE(adam_step, adam_no_correction),
    },
    {
        .id = "m-not-corrected",
        .what = "v is corrected, m is not",
        .why = "Both started at 0: m^ = m / (1 - beta1^step).",
        .function = LIKE(adam_step, adam_no_m_correction),
    },
    {
        .id = "v-not-corrected",
        .what = "m is corrected, v is not",
        .why = "Both started at 0: v^ = v / (1 - beta2^step).",
        .function = LIKE(adam_step, adam_no_v_correction),
    },
    {
        .id = "eps-inside-root",
        .what = "eps is added inside the root",
        .why = "sqrt(v^ + 1e-8) is never below 1e-4, so parameters with small gradients "
               "hardly move. It is sqrt(v^) + eps.",
        .source = "CyberZHG/keras-radam#29, FluxML/Flux.jl#448",
        .function = LIKE(adam_step, adam_eps_inside),
    },
    {
        .id = "eps-before-correction",
        .what = "eps is added before the bias correction of v",
        .why =
            "The correction then multiplies eps as well: at step 1 it counts 31.6 times. "
            "Correct first, take the root, then add eps. (Invisible with large "
            "gradients.)",
        .source = "karpathy/nanochat#304, pytorch/pytorch#22628",
        .function = LIKE(adam_step, adam_eps_first),
    },
    {
        .id = "no-eps",
        .what = "eps is missing",
        .why = "sqrt(v^) + eps: without it a gradient that was always 0 gives 0/0.",
        .function = LIKE(adam_step, adam_no_eps),
    },
    {
        .id = "coupled-decay",
        .what = "the weight decay is added to the gradient and goes through the moments",
        .why = "Adam divides it away again there. AdamW takes lr weight_decay w from w "
               "directly and leaves m and v to the gradient.",
        .source = "huggingface/transformers#14539",
        .function = LIKE(adam_step, adam_coupled),
    },
    {
        .id = "decay-sign",
        .what = "the weight decay makes the weights grow",
        .why = "It is subtracted: w -= lr weight_decay w.",
        .function = LIKE(adam_step, adam_decay_sign),
    },
    {
        .id = "decay-without-lr",
        .what = "the weight decay is not multiplied by lr",
        .why = "w -= lr weight_decay w: the decay follows the learning rate.",
        .function = LIKE(adam_step, adam_decay_without_lr),
    },
    {
        .id = "decay-after-step",
        .what = "the weight decay is taken from the weight after its step",
        .why =
            "It takes its share of the w that was there before: decay first, then step.",
        .function = LIKE(adam_step, adam_decay_after),
    },
    {
        .id = "no-decay",
        .what = "there is no weight decay",
        .why = "w -= lr weight_decay w, for every parameter.",
        .function = LIKE(adam_step, adam_no_decay),
    },
    {
        .id = "betas-exchanged",
        .what = "beta1 and beta2 are exchanged",
        .why = "beta1 (0.9) is for m, the gradient; beta2 (0.999) for v, its square.",
        .function = LIKE(adam_step, adam_betas_exchanged),
    },
    {
        .id = "ascent",
        .what = "the step goes along the gradient instead of against it",
        .why = "The gradient points to where the loss grows: w -= lr ...",
        .function = LIKE(adam_step, adam_ascent),
    },
    {
        .id = "no-root",
        .what = "m^ is divided by v^, not by its root",
        .why = "v^ is the mean of squares; its root has the gradient's own unit, and the "
               "step is near lr whatever the gradient's size.",
        .function = LIKE(adam_step, adam_no_root),
    },
    {
        .id = "no-square",
        .what = "v collects the size of the gradients, not their squares",
        .why = "v = beta2 v + (1 - beta2) g g.",
        .function = LIKE(adam_step, adam_no_square),
    },
    {
        .id = "step-from-0",
        .what = "the bias correction uses step - 1",
        .why =
            "step is 1 for the first step: beta^step. With 0 the correction divides by "
            "1 - 1.",
        .function = LIKE(adam_step, adam_step_from_0),
    },
    {
        .id = "step-plus-1",
        .what = "the bias correction uses step + 1",
        .why = "step is 1 for the first step already: beta^step.",
        .function = LIKE(adam_step, adam_step_plus_1),
    },
    {
        .id = "full-gradient",
        .what = "m is beta1 m + g: the gradient is not multiplied by 1 - beta1",
        .why = "That is SGD's momentum. Adam's m is a mean of gradients: beta1 m + (1 - "
               "beta1) g.",
        .function = LIKE(adam_step, adam_full_gradient),
    },
    {
        .id = "v-of-m",
        .what = "v collects the squares of m instead of those of g",
        .why = "v = beta2 v + (1 - beta2) g g, with the gradient itself.",
        .function = LIKE(adam_step, adam_v_of_m),
    },
    {
        .id = "old-moment",
        .what = "the step uses m as it was before this gradient",
        .why = "The moments are updated first, then used.",
        .function = LIKE(adam_step, adam_old_moment),
    },
    {0},
};

static const struct mistake adam_step_alternatives[] = {
    {.id = "in-double", .function = LIKE(adam_step, adam_in_double)},
    {.id = "in-float", .function = LIKE(adam_step, adam_in_float)},
    {0},
};

static const struct part adam_step_part[] = {
    {
        .function = "adam_step",
        .dims = "step N",
        .tensors =
            {
                {"w", "N", UPDATED, F32, 1e-5f, 1e-5f},
                {"m", "N", UPDATED, F32, 1e-14f, 1e-5f},
                {"v", "N", UPDATED, F32, 1e-24f, 1e-5f},
                {"g", "N", INPUT, F32, 0, 0},
                {"lr", "1", INPUT, F32, 0, 0},
                {"beta1", "1", INPUT, F32, 0, 0},
                {"beta2", "1", INPUT, F32, 0, 0},
                {"eps", "1", INPUT, F32, 0, 0},
                {"weight_decay", "1", INPUT, F32, 0, 0},
            },
        .cases = adam_step_cases,
        .mistakes = adam_step_mistakes,
        .alternatives = adam_step_alternatives,
    },
    {0},
};

// ---- 6.13 clip_grad_norm and learning_rate ------------------------------------------------

static void fill_clipped(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", 0.5f);
}

static void fill_not_clipped(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale(test, "g", 0.1f);
    set_all(test, "max_norm", 100.0f);
}

static void fill_no_max_norm(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "max_norm", 0.0f);
}

static const struct case_spec clip_grad_norm_cases[] = {
    {.dims = "N=2", .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=3", .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=3", .fill = fill_not_clipped, .note = "shorter than max_norm: it stays"},
    {.dims = "N=5..20", .draws = 3, .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=1031", .draws = 2, .fill = fill_clipped, .note = "max_norm 0.5"},
    {.dims = "N=41", .fill = fill_not_clipped, .note = "shorter than max_norm: it stays"},
    {.dims = "N=3", .fill = fill_no_max_norm, .note = "max_norm 0"},
    {.dims = "N=0", .note = "a size of 0"},
    {0},
};

struct lengths {
    float two, one, largest, square; // norms of g, and the sum of its squares
};

static struct lengths measure(const float *g, size_t N)
{
    double square = 0.0, one = 0.0, largest = 0.0;
    for (size_t i = 0; i < N; i++) {
        square += (double)g[i] * (double)g[i];
        one += fabs((double)g[i]);
        largest = fmax(largest, fabs((double)g[i]));
    }
    return (struct lengths){(float)sqrt(square), (float)one, (float)largest,
                            (float)square};
}

// CLIP(name, norm, factor): *norm_out is `length`, an expression of the lengths l, and every
// gradient, x, becomes the expression `value`, which may use length as well.
#define CLIP(name, of_lengths, value)                                                    \
    static lab_status name(float *norm, float *g, float max_norm, size_t N)              \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        if (!(max_norm > 0.0f)) {                                                        \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        const struct lengths l = measure(g, N);                                          \
        const float length = of_lengths;                                                 \
        for (size_t i = 0; i < N; i++) {                                                 \
            const float x = g[i];                                                        \
            g[i] = value;                                                                \
        }                                                                                \
        *norm = length;                                                                  \
        return LAB_OK;                                                                   \
    }

CLIP(clip_always, l.two, x *max_norm / (length + 1e-6f))
CLIP(clip_by_value, l.two, fmaxf(-max_norm, fminf(max_norm, x)))
CLIP(clip_rms, l.two / sqrtf((float)N), x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_square, l.square, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_one_norm, l.one, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_largest, l.largest, x *fminf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_to_unit, l.two, l.two > max_norm ? x / (length + 1e-6f) : x)
CLIP(clip_inverted, l.two, x *fmaxf(1.0f, (length + 1e-6f) / max_norm))
CLIP(clip_max_one, l.two, x *fmaxf(1.0f, max_norm / (length + 1e-6f)))
CLIP(clip_never, l.two, x)
CLIP(clip_norm_only, l.two, x *fminf(1.0f, max_norm / length))
CLIP(clip_if_longer, l.two, l.two > max_norm ? x / length * max_norm : x)

static lab_status clip_norm_after(float *norm, float *g, float max_norm, size_t N)
{
    lab_status status = clip_grad_norm(norm, g, max_norm, N);
    if (status == LAB_OK) {
        *norm = measure(g, N).two;
    }
    return status;
}

static const struct mistake clip_grad_norm_mistakes[] = {
    {
        .id = "always",
        .what = "a gradient that is short enough is made longer",
        .why = "Clipping only shortens: the factor is at most 1.",
        .function = LIKE(clip_grad_norm, clip_always),
    },
    {
        .id = "by-value",
        .what = "every number is clamped by itself",
        .why =
            "That turns the gradient into another direction. Multiply all of it with one "
            "factor.",
        .function = LIKE(clip_grad_norm, clip_by_value),
    },
    {
        .id = "mean-of-squares",
        .what = "the norm is taken from the mean of the squares, not from their sum",
        .why = "The length of a vector is the root of the sum; N has no part in it.",
        .function = LIKE(clip_grad_norm, clip_rms),
    },
    {
        .id = "no-root",
        .what = "the norm is the sum of the squares, without the root",
        .why = "norm = sqrt(sum_i g[i]^2).",
        .function = LIKE(clip_grad_norm, clip_square),
    },
    {
        .id = "sum-of-sizes",
        .what = "the norm is the sum of absolute values",
        .why = "That is the 1-norm. The length is sqrt(sum_i g[i]^2).",
        .function = LIKE(clip_grad_norm, clip_one_norm),
    },
    {
        .id = "largest",
        .what = "the norm is the largest absolute value",
        .why = "That is the maximum norm. The length is sqrt(sum_i g[i]^2).",
        .function = LIKE(clip_grad_norm, clip_largest),
    },
    {
        .id = "to-length-1",
        .what = "a gradient that is too long gets length 1 instead of max_norm",
        .why = "The factor is max_norm / norm.",
        .function = LIKE(clip_grad_norm, clip_to_unit),
    },
    {
        .id = "inverted",
        .what = "a gradient that is too long is made longer",
        .why = "The factor is max_norm / norm, not norm / max_norm.",
        .function = LIKE(clip_grad_norm, clip_inverted),
    },
    {
        .id = "max-for-min",
        .what = "long gradients stay, and short ones grow",
        .why = "The factor is the SMALLER of 1 and max_norm / norm.",
        .function = LIKE(clip_grad_norm, clip_max_one),
    },
    {
        .id = "never",
        .what = "nothing is clipped",
        .why = "g is to be multiplied with the factor.",
        .source = "NVIDIA/OpenSeq2Seq#192",
        .function = LIKE(clip_grad_norm, clip_never),
    },
    {
        .id = "norm-after",
        .what = "norm is that of the clipped gradient",
        .why = "The norm before clipping is asked for: it is what one watches.",
        .function = LIKE(clip_grad_norm, clip_norm_after),
    },
    {0},
};

static const struct mistake clip_grad_norm_alternatives[] = {
    {.id = "without-1e-6", .function = LIKE(clip_grad_norm, clip_norm_only)},
    {.id = "if-longer", .function = LIKE(clip_grad_norm, clip_if_longer)},
    {0},
};

static void fill_schedule(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "peak", 0.5f);
    set_all(test, "floor", 0.05f);
}

static void fill_schedule_usual(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "peak", 1e-3f);
    set_all(test, "floor", 0.0f);
}

static const struct case_spec learning_rate_cases[] = {
    {.dims = "step=1 warmup=4 total=10", .fill = fill_schedule, .note = "the first step"},
    {.dims = "step=3 warmup=4 total=10", .fill = fill_schedule, .note = "warming up"},
    {.dims = "step=4 warmup=4 total=10", .fill = fill_schedule, .note = "the peak"},
    {.dims = "step=5 warmup=4 total=10", .fill = fill_schedule},
    {.dims = "step=9 warmup=4 total=10", .fill = fill_schedule},
    {.dims = "step=10 warmup=4 total=10", .fill = fill_schedule, .note = "the last step"},
    {.dims = "step=13 warmup=4 total=10",
     .fill = fill_schedule,
     .note = "beyond total: the floor"},
    {.dims = "step=1 warmup=0 total=8", .fill = fill_schedule, .note = "no warm-up"},
    {.dims = "step=8 warmup=8 total=8",
     .fill = fill_schedule,
     .note = "nothing but warm-up"},
    {.dims = "step=2..19 warmup=5..12 total=20..30", .draws = 6, .fill = fill_schedule},
    {.dims = "step=50 warmup=100 total=1000", .fill = fill_schedule_usual},
    {.dims = "step=0 warmup=4 total=10", .fill = fill_schedule, .note = "step 0"},
    {.dims = "step=1 warmup=0 total=0", .fill = fill_schedule, .note = "total 0"},
    {.dims = "step=1 warmup=9 total=8",
     .fill = fill_schedule,
     .note = "more warm-up than steps"},
    {0},
};

// RATE(name, warm, cold, late): expressions of k, w, n (step, warmup, total as doubles), p (how
// far the cosine has come), peak and low: while warming up, on the cosine, beyond the end.
#define RATE(name, warm, cold, late)                                                     \
    static lab_status name(float *lr, size_t step, size_t warmup, size_t total,          \
                           float peak_, float floor_)                                    \
    {                                                                                    \
        if (step == 0 || total == 0 || warmup > total) {                                 \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        const double k = (double)step, w = (double)warmup, n = (double)total;            \
        const double p = n > w ? (k - w) / (n - w) : 0.0, pi = acos(-1.0);               \
        const double peak = (double)peak_, low = (double)floor_;                         \
        (void)p, (void)pi, (void)low;                                                    \
        *lr = (float)(step <= warmup ? (warm) : step <= total ? (cold) : (late));        \
        return LAB_OK;                                                                   \
    }

#define HALF_COSINE (low + (peak - low) * 0.5 * (1.0 + cos(pi * p)))

RATE(rate_from_0, peak *(k - 1.0) / w, HALF_COSINE, low)
RATE(rate_cosine_late, peak *k / w,
     low + (peak - low) * 0.5 * (1.0 + cos(pi * (k - 1.0 - w) / (n - w))), low)
RATE(rate_no_floor, peak *k / w, peak * 0.5 * (1.0 + cos(pi * p)), low)
RATE(rate_no_floor_at_all, peak *k / w, peak * 0.5 * (1.0 + cos(pi * p)), 0.0)
RATE(rate_floor_added, peak *k / w, low + peak * 0.5 * (1.0 + cos(pi * p)), low)
RATE(rate_warm_down, peak *(1.0 - k / w), HALF_COSINE, low)
RATE(rate_warm_from_floor, low + (peak - low) * k / w, HALF_COSINE, low)
RATE(rate_cosine_of_total, peak *k / w,
     low + (peak - low) * 0.5 * (1.0 + cos(pi * k / n)), low)
RATE(rate_whole_cosine, peak *k / w, low + (peak - low) * 0.5 * (1.0 + cos(2.0 * pi * p)),
     low)
RATE(rate_no_half, peak *k / w, low + (peak - low) * (1.0 + cos(pi * p)), low)
RATE(rate_linear, peak *k / w, low + (peak - low) * (1.0 - p), low)
RATE(rate_no_warmup, peak, HALF_COSINE, low)
RATE(rate_rebound, peak *k / w, HALF_COSINE, HALF_COSINE)
RATE(rate_whole_numbers, step == warmup ? peak : 0.0, HALF_COSINE, low)
RATE(rate_constant, peak *k / w, peak, peak)

static lab_status rate_in_float(float *lr, size_t step, size_t warmup, size_t total,
                                float peak, float floor)
{
    if (step == 0 || total == 0 || warmup > total) {
        return LAB_EVALUE;
    }
    if (step > total) {
        *lr = floor;
    } else if (step <= warmup) {
        *lr = peak * (float)step / (float)warmup;
    } else {
        const float p = (float)(step - warmup) / (float)(total - warmup);
        *lr = floor + 0.5f * (peak - floor) * (1.0f + cosf(3.14159265f * p));
    }
    return LAB_OK;
}

static const struct mistake learning_rate_mistakes[] = {
    {
        .id = "warmup-from-0",
        .what = "the warm-up is one step late: step 1 gets 0",
        .why = "Steps count from 1: the first gets peak / warmup. A step with a rate of "
               "0 is "
               "wasted.",
        .source = "meta-pytorch/torchtune#2010, deepspeedai/DeepSpeed#5287",
        .function = LIKE(learning_rate, rate_from_0),
    },
    {
        .id = "cosine-one-late",
        .what = "the cosine is one step late and does not reach the floor at total",
        .why = "p = (step - warmup) / (total - warmup): 1 at the last step.",
        .function = LIKE(learning_rate, rate_cosine_late),
    },
    {
        .id = "cosine-to-0",
        .what = "the cosine goes down to 0 instead of the floor",
        .why = "floor + (peak - floor) (1 + cos(pi p)) / 2: it ends at the floor.",
        .function = LIKE(learning_rate, rate_no_floor),
    },
    {
        .id = "no-floor",
        .what = "the floor is nowhere: the rate ends at 0",
        .why = "floor + (peak - floor) (1 + cos(pi p)) / 2, and floor beyond total.",
        .function = LIKE(learning_rate, rate_no_floor_at_all),
    },
    {
        .id = "floor-on-top",
        .what = "the floor is added on top: the cosine starts at peak + floor",
        .why = "The cosine runs between peak and floor: its height is peak - floor.",
        .function = LIKE(learning_rate, rate_floor_added),
    },
    {
        .id = "warmup-downwards",
        .what = "the warm-up runs from the peak down to 0",
        .why = "It rises: peak step / warmup.",
        .function = LIKE(learning_rate, rate_warm_down),
    },
    {
        .id = "warmup-from-floor",
        .what = "the warm-up starts at the floor",
        .why = "Here it starts at 0: peak step / warmup. The floor is for the end.",
        .function = LIKE(learning_rate, rate_warm_from_floor),
        .convention = true,
    },
    {
        .id = "cosine-from-step-0",
        .what = "the cosine runs over all steps, the warm-up included",
        .why =
            "It begins where the warm-up ends: p = (step - warmup) / (total - warmup). "
            "Otherwise the rate jumps.",
        .function = LIKE(learning_rate, rate_cosine_of_total),
    },
    {
        .id = "whole-cosine",
        .what = "the cosine goes down and up again",
        .why = "From 0 to pi it falls from 1 to -1; 2 pi is the whole wave.",
        .function = LIKE(learning_rate, rate_whole_cosine),
    },
    {
        .id = "no-half",
        .what = "the cosine part is twice too high",
        .why = "1 + cos runs from 2 to 0: divide by 2.",
        .function = LIKE(learning_rate, rate_no_half),
    },
    {
        .id = "linear",
        .what = "the rate falls in a straight line",
        .why = "A linear schedule exists; this one is half a cosine.",
        .function = LIKE(learning_rate, rate_linear),
        .convention = true,
    },
    {
        .id = "no-warmup",
        .what = "there is no warm-up: the rate starts at the peak",
        .why = "While step <= warmup: peak step / warmup.",
        .source = "Tencent-Hunyuan/UniRL#223",
        .function = LIKE(learning_rate, rate_no_warmup),
    },
    {
        .id = "rebound",
        .what = "beyond total the rate rises again",
        .why = "The cosine has ended there: the rate stays at the floor.",
        .source = "Tencent-Hunyuan/UniRL#223",
        .function = LIKE(learning_rate, rate_rebound),
    },
    {
        .id = "whole-number-division",
        .what = "the rate is 0 until the end of the warm-up",
        .why = "step / warmup is divided in whole numbers, and 3 / 4 is 0. Make one of "
               "them a "
               "float or a double first.",
        .function = LIKE(learning_rate, rate_whole_numbers),
    },
    {
        .id = "constant",
        .what = "after the warm-up the rate stays at the peak",
        .why = "From there half a cosine leads down to the floor.",
        .function = LIKE(learning_rate, rate_constant),
    },
    {0},
};

static const struct mistake learning_rate_alternatives[] = {
    {.id = "in-float", .function = LIKE(learning_rate, rate_in_float)},
    {0},
};

static const struct part clip_part[] = {
    {
        .function = "clip_grad_norm",
        .dims = "N",
        .tensors =
            {
                {"norm", "1", OUTPUT, F32, 1e-6f, 1e-5f},
                {"g", "N", UPDATED, F32, 1e-7f, 1e-5f},
                {"max_norm", "1", INPUT, F32, 0, 0},
            },
        .cases = clip_grad_norm_cases,
        .mistakes = clip_grad_norm_mistakes,
        .alternatives = clip_grad_norm_alternatives,
    },
    {
        .function = "learning_rate",
        .dims = "step warmup total",
        .tensors =
            {
                {"lr", "1", OUTPUT, F32, 1e-6f, 1e-5f},
                {"peak", "1", INPUT, F32, 0, 0},
                {"floor", "1", INPUT, F32, 0, 0},
            },
        .cases = learning_rate_cases,
        .mistakes = learning_rate_mistakes,
        .alternatives = learning_rate_alternatives,
    },
    {0},
};

// ---- 6.14 train ---------------------------------------------------------------------------

static void set_size(struct test_case *test, const char *name, size_t value)
{
    case_size(test, name)[0] = value;
}

// PyTorch's first weights, a data set, and settings under which every number can be trusted:
//
// Adam divides a gradient by its own size. Where the true gradient is 0 (the bias of the keys has
// no part in a softmax), what is left is rounding, and with eps = 1e-8 Adam makes a step of it
// that another order of summing would not repeat. eps = 1e-3 keeps such a parameter in its place
// and changes little else, so that parameters and moments can be compared.
static void prepare_train(struct test_case *test, struct lab_rng *rng,
                          enum positions positions)
{
    draw_tokens(test, rng, "data");
    set_size(test, "seed", lab_rng_next32(rng));
    set_size(test, "warmup", 0);
    set_size(test, "total", 0);
    set_size(test, "positions", positions);
    set_all(test, "dropout", 0.0f);
    set_adam(test, 0.02f, 0.0f);
    set_all(test, "eps", 1e-3f);
    set_all(test, "max_norm", 0.0f);
    set_all(test, "floor", 0.0f);

    const struct model_shape shape = {
        .B = case_dim(test, "B"),
        .T = case_dim(test, "T"),
        .T_max = case_dim(test, "T"),
        .V = case_dim(test, "V"),
        .C = case_dim(test, "C"),
        .NH = case_dim(test, "NH"),
        .H = case_dim(test, "H"),
        .L = case_dim(test, "L"),
        .causal = true,
        .positions = positions,
    };
    struct model model;
    if (model_shape_check(&shape) == LAB_OK) {
        must(model_new(&model, &shape));
        must(model_start(&model, rng));
        if (model.P != case_count(test, "start")) {
            abort(); // a case that counts its parameters wrong
        }
        memcpy(case_f32(test, "start"), model.param, model.P * sizeof(float));
        model_free(&model);
    }
}

static void fill_train_with(struct test_case *test, struct lab_rng *rng,
                            enum positions positions)
{
    prepare_train(test, rng, positions);
    case_absent(test, "status");
}

static void fill_train(struct test_case *test, struct lab_rng *rng)
{
    fill_train_with(test, rng, POSITIONS_LEARNED);
}

static void fill_train_no_positions(struct test_case *test, struct lab_rng *rng)
{
    fill_train_with(test, rng, POSITIONS_NONE);
}

static void fill_train_sinusoidal(struct test_case *test, struct lab_rng *rng)
{
    fill_train_with(test, rng, POSITIONS_SINUSOIDAL);
}

static void fill_train_dropout(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_all(test, "dropout", 0.25f);
}

static void fill_train_clipped(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_all(test, "max_norm", 0.02f);
}

static void fill_train_scheduled(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_size(test, "warmup", 3);
    set_size(test, "total", 7);
    set_all(test, "floor", 0.004f);
    set_all(test, "weight_decay", 0.5f);
}

// The settings of the handout. Only the losses are compared, for the reason given above.
static void fill_train_usual(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    set_adam(test, 1e-3f, 0.0f);
    case_absent(test, "param");
    case_absent(test, "m");
    case_absent(test, "v");
}

// The first step is so long that the second loss is infinite or NaN. (Of the parameters only the
// rounding would be compared: see above.)
static void fill_train_diverges(struct test_case *test, struct lab_rng *rng)
{
    prepare_train(test, rng, POSITIONS_LEARNED);
    set_all(test, "lr", 1e30f);
    case_absent(test, "param");
    case_absent(test, "m");
    case_absent(test, "v");
}

// The first loss is, for an output bias is infinite. Nothing may change.
static void fill_train_infinite(struct test_case *test, struct lab_rng *rng)
{
    prepare_train(test, rng, POSITIONS_LEARNED);
    case_f32(test, "start")[case_count(test, "start") - 1] = INFINITY;
}

static void fill_train_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_train(test, rng);
    last_token_too_large(test, "data");
}

// clang-format off
#define TINY  "B=1 T=2 V=3 C=2 NH=1 H=3 L=1 P=68"
#define SMALL "B=2 T=3 V=5 C=4 NH=2 H=6 L=1 P=211"
#define SMALL_WITHOUT "B=2 T=3 V=5 C=4 NH=2 H=6 L=1 P=199" // a position table
#define DEEP  "B=3 T=4 V=7 C=6 NH=3 H=8 L=2 P=719"
#define DEEP_WITHOUT "B=3 T=4 V=7 C=6 NH=3 H=8 L=2 P=695"
// clang-format on

static const struct case_spec train_cases[] = {
    {.dims = TINY " R=1 steps=1 first=0 task=0", .fill = fill_train, .note = "one step"},
    {.dims = TINY " R=1 steps=3 first=0 task=0",
     .fill = fill_train,
     .note = "three steps on one batch"},
    {.dims = SMALL " R=7 steps=5 first=0 task=0",
     .fill = fill_train,
     .note = "three batches, from the start again, one row left over"},
    {.dims = SMALL " R=7 steps=6 first=2 task=0",
     .fill = fill_train,
     .note = "two steps, and in another call four more"},
    {.dims = SMALL_WITHOUT " R=4 steps=4 first=0 task=1",
     .fill = fill_train_no_positions,
     .note = "reverse, no positions"},
    {.dims = DEEP_WITHOUT " R=6 steps=4 first=0 task=2",
     .fill = fill_train_sinusoidal,
     .note = "sort, sinusoidal positions, two blocks"},
    {.dims = DEEP " R=9 steps=5 first=2 task=3",
     .fill = fill_train_dropout,
     .note = "add, dropout 0.25, in two calls"},
    {.dims = SMALL " R=6 steps=5 first=0 task=0",
     .fill = fill_train_clipped,
     .note = "clipped at a norm of 0.02"},
    {.dims = SMALL " R=6 steps=9 first=4 task=0",
     .fill = fill_train_scheduled,
     .note = "warm-up 3, total 7, floor 0.004, weight decay 0.5, in two calls"},
    {.dims = DEEP " R=9 steps=8 first=0 task=0",
     .fill = fill_train_usual,
     .note = "the usual settings; losses only"},
    {.dims = SMALL " R=6 steps=4 first=0 task=0",
     .fill = fill_train_diverges,
     .note = "a rate of 1e30: the second loss is not finite, LAB_EVALUE (3)"},
    {.dims = SMALL " R=6 steps=3 first=0 task=0",
     .fill = fill_train_infinite,
     .note = "an infinite output bias: no loss is finite, LAB_EVALUE (3)"},
    {.dims = SMALL " R=6 steps=3 first=0 task=0",
     .fill = fill_train_bad_token,
     .note = "the last token of the data is V, which is not below V"},
    {.dims = SMALL " R=1 steps=3 first=0 task=0",
     .fill = fill_train,
     .note = "fewer rows than a batch"},
    {.dims = "B=2 T=3 V=5 C=5 NH=2 H=6 L=1 P=9 R=6 steps=3 first=0 task=0",
     .fill = fill_train,
     .note = "NH does not divide C"},
    {.dims = SMALL " R=6 steps=0 first=0 task=0", .fill = fill_train, .note = "no steps"},
    {0},
};

// The arguments of train, to declare and to hand on.
#define TRAIN_ARGUMENTS                                                                  \
    float *losses, struct model *model, const size_t *data, enum task task, size_t R,    \
        const struct training *settings, size_t steps
#define TRAIN_VALUES losses, model, data, task, R, settings, steps

enum train_fault {
    TRAIN_RIGHT,
    TRAIN_NOT_ZEROED,
    TRAIN_ZEROED_LATE,
    TRAIN_SAME_BATCH,
    TRAIN_BATCH_BY_ROW,
    TRAIN_NEXT_BATCH,
    TRAIN_LOCAL_STEP,
    TRAIN_NOT_COUNTED,
    TRAIN_ADAM_STEP_1,
    TRAIN_NO_CLIP,
    TRAIN_NO_SCHEDULE,
    TRAIN_SCHEDULE_LATE,
    TRAIN_NO_DECAY,
    TRAIN_NO_DROPOUT,
    TRAIN_NEW_UNIFORMS,
    TRAIN_ALWAYS_COPY,
    TRAIN_LOSS_AFTER,
    TRAIN_MEAN_LOSS,
    TRAIN_GOES_ON,
    TRAIN_STOPS_LATE,
    TRAIN_STOPS_QUIETLY,
};

// One step of train, number k; first says whether it is the first of this call.
static lab_status step_with(enum train_fault fault, float *loss, struct model *model,
                            const struct training *settings, size_t k, bool first)
{
    const struct model_shape *s = &model->shape;
    const float *uniforms = fault == TRAIN_NO_DROPOUT ? NULL : model_draw_uniforms(model);
    must(model_forward(loss, &model->activations, &model->params, model->inputs,
                       model->targets, uniforms, s));
    const bool stop = !isfinite(*loss);
    if (stop && fault != TRAIN_GOES_ON && fault != TRAIN_STOPS_LATE) {
        return LAB_EVALUE;
    }
    if (fault != TRAIN_ZEROED_LATE && (fault != TRAIN_NOT_ZEROED || first)) {
        memset(model->grad, 0, model->P * sizeof(float));
    }
    if (fault == TRAIN_NEW_UNIFORMS) {
        uniforms = model_draw_uniforms(model);
    }
    must(model_backward(&model->grads, &model->gradients, &model->activations,
                        &model->params, model->inputs, model->targets, uniforms, s));
    if (fault == TRAIN_ZEROED_LATE) {
        memset(model->grad, 0, model->P * sizeof(float));
    }
    if (settings->max_norm > 0.0f && fault != TRAIN_NO_CLIP) {
        float norm;
        must(clip_grad_norm(&norm, model->grad, settings->max_norm, model->P));
    }
    struct adam adam = settings->adam;
    if (settings->total > 0 && fault != TRAIN_NO_SCHEDULE) {
        float lr;
        must(learning_rate(&lr, fault == TRAIN_SCHEDULE_LATE && k > 1 ? k - 1 : k,
                           settings->warmup, settings->total, (float)settings->adam.lr,
                           settings->floor));
        adam.lr = fault == TRAIN_SCHEDULE_LATE && k == 1 ? 0.0f : lr;
    }
    if (fault == TRAIN_NO_DECAY) {
        adam.weight_decay = 0.0;
    }
    must(adam_step(model->param, model->m, model->v, model->grad, &adam,
                   fault == TRAIN_ADAM_STEP_1 ? 1 : k, model->P));
    if (fault == TRAIN_LOSS_AFTER) {
        must(model_forward(loss, &model->activations, &model->params, model->inputs,
                           model->targets, uniforms, s));
    }
    return stop && fault == TRAIN_STOPS_LATE ? LAB_EVALUE : LAB_OK;
}

static lab_status train_with(enum train_fault fault, TRAIN_ARGUMENTS)
{
    const struct model_shape *s = &model->shape;
    lab_status status = model_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    if (steps == 0 || R < s->B) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(data, R * s->T, s->V)) {
        return LAB_EVALUE;
    }
    float sum = 0.0f;
    for (size_t i = 0; i < steps && status == LAB_OK; i++) {
        const size_t done = fault == TRAIN_LOCAL_STEP ? i : model->step;
        const size_t count = R / s->B;
        const size_t row = fault == TRAIN_SAME_BATCH     ? 0
                           : fault == TRAIN_BATCH_BY_ROW ? done % (R - s->B + 1)
                           : fault == TRAIN_NEXT_BATCH   ? (done + 1) % count * s->B
                                                         : done % count * s->B;
        must(make_copy_batch(model->inputs, model->targets, data, row,
                             fault == TRAIN_ALWAYS_COPY ? TASK_COPY : task, R, s->B, s->T,
                             s->V));
        float loss;
        status = step_with(fault, &loss, model, settings, done + 1, i == 0);
        sum += loss;
        losses[i] = fault == TRAIN_MEAN_LOSS ? sum / (float)(i + 1) : loss;
        model->step += status == LAB_OK && fault != TRAIN_NOT_COUNTED;
    }
    return status == LAB_EVALUE && fault == TRAIN_STOPS_QUIETLY ? LAB_OK : status;
}

#define TRAIN(name, fault)                                                               \
    static lab_status name(TRAIN_ARGUMENTS)                                              \
    {                                                                                    \
        return train_with(fault, TRAIN_VALUES);                                          \
    }

TRAIN(train_not_zeroed, TRAIN_NOT_ZEROED)
TRAIN(train_zeroed_late, TRAIN_ZEROED_LATE)
TRAIN(train_same_batch, TRAIN_SAME_BATCH)
TRAIN(train_batch_by_row, TRAIN_BATCH_BY_ROW)
TRAIN(train_next_batch, TRAIN_NEXT_BATCH)
TRAIN(train_local_step, TRAIN_LOCAL_STEP)
TRAIN(train_not_counted, TRAIN_NOT_COUNTED)
TRAIN(train_adam_step_1, TRAIN_ADAM_STEP_1)
TRAIN(train_no_clip, TRAIN_NO_CLIP)
TRAIN(train_no_schedule, TRAIN_NO_SCHEDULE)
TRAIN(train_schedule_late, TRAIN_SCHEDULE_LATE)
TRAIN(train_no_decay, TRAIN_NO_DECAY)
TRAIN(train_no_dropout, TRAIN_NO_DROPOUT)
TRAIN(train_new_uniforms, TRAIN_NEW_UNIFORMS)
TRAIN(train_always_copy, TRAIN_ALWAYS_COPY)
TRAIN(train_loss_after, TRAIN_LOSS_AFTER)
TRAIN(train_mean_loss, TRAIN_MEAN_LOSS)
TRAIN(train_goes_on, TRAIN_GOES_ON)
TRAIN(train_stops_late, TRAIN_STOPS_LATE)
TRAIN(train_stops_quietly, TRAIN_STOPS_QUIETLY)
TRAIN(train_by_steps, TRAIN_RIGHT)

static const struct mistake train_mistakes[] = {
    {
        .id = "not-zeroed",
        .what = "the gradients are not set to 0 at every step",
        .why =
            "model_backward adds. Without the zeros each step also takes what all steps "
            "before it have left: memset(model->grad, 0, ...) before model_backward.",
        .source =
            "karpathy/llm.c#548, tenstorrent/tt-blacksmith#711, pytorch/pytorch#47175",
        .function = LIKE(train, train_not_zeroed),
    },
    {
        .id = "zeroed-before-the-step",
        .what = "the gradients are set to 0 between model_backward and adam_step",
        .why = "Adam then sees nothing and no parameter moves. Zeros come before "
               "model_backward.",
        .source = "lucidrains/byol-pytorch#93",
        .function = LIKE(train, train_zeroed_late),
    },
    {
        .id = "same-batch",
        .what = "every step trains on the first batch",
        .why = "Step k takes batch (k - 1) mod (R / B), rows from (k - 1) mod (R / B) * "
               "B on.",
        .function = LIKE(train, train_same_batch),
    },
    {
        .id = "batch-by-row",
        .what = "the batch moves on by one row at a time",
        .why = "Batches do not overlap: batch i begins at row i * B.",
        .function = LIKE(train, train_batch_by_row),
    },
    {
        .id = "next-batch",
        .what = "the batches are one step ahead: step 1 takes batch 1",
        .why =
            "Steps count from 1 and batches from 0: step k takes batch (k - 1) mod (R / "
            "B).",
        .function = LIKE(train, train_next_batch),
    },
    {
        .id = "starts-anew",
        .what = "a second call starts to count at step 1 again",
        .why = "model->step says how many steps there were: the batch, Adam's correction "
               "and the schedule go on from there.",
        .function = LIKE(train, train_local_step),
    },
    {
        .id = "step-not-counted",
        .what = "model->step does not move",
        .why =
            "After step k it is k; the next step's batch, correction and rate depend on "
            "it.",
        .function = LIKE(train, train_not_counted),
    },
    {
        .id = "adam-always-step-1",
        .what = "adam_step always gets step 1",
        .why = "The bias correction must fade: hand on the number of the step.",
        .function = LIKE(train, train_adam_step_1),
    },
    {
        .id = "no-clipping",
        .what = "the gradient is not clipped",
        .why =
            "When settings->max_norm is above 0: clip_grad_norm between model_backward "
            "and adam_step.",
        .source = "NVIDIA/OpenSeq2Seq#192",
        .function = LIKE(train, train_no_clip),
    },
    {
        .id = "no-schedule",
        .what = "the learning rate stays what it is in settings->adam",
        .why = "When settings->total is above 0 the rate of step k is learning_rate(k), "
               "with "
               "adam.lr as the peak: put it into a copy of settings->adam.",
        .function = LIKE(train, train_no_schedule),
    },
    {
        .id = "schedule-one-late",
        .what = "the schedule is one step late: step k gets the rate of step k - 1",
        .why = "Steps count from 1, as learning_rate does.",
        .source = "meta-pytorch/torchtune#2010",
        .function = LIKE(train, train_schedule_late),
    },
    {
        .id = "no-decay",
        .what = "there is no weight decay",
        .why = "Hand all of settings->adam on to adam_step, not only its learning rate.",
        .function = LIKE(train, train_no_decay),
    },
    {
        .id = "no-dropout",
        .what = "there is no dropout",
        .why =
            "Hand the pointer that model_draw_uniforms returns to model_forward and to "
            "model_backward.",
        .function = LIKE(train, train_no_dropout),
    },
    {
        .id = "uniforms-drawn-twice",
        .what = "forward and backward have uniforms of their own",
        .why = "What was dropped on the way there must be dropped on the way back: draw "
               "once in each step and use the pointer twice.",
        .function = LIKE(train, train_new_uniforms),
    },
    {
        .id = "always-copy",
        .what = "the model is trained to copy, whatever the task",
        .why = "Hand task on to make_copy_batch.",
        .function = LIKE(train, train_always_copy),
    },
    {
        .id = "loss-after-update",
        .what = "the losses are those after each update",
        .why = "losses[i] is the loss the gradient was taken of, before the update.",
        .function = LIKE(train, train_loss_after),
    },
    {
        .id = "mean-loss",
        .what = "losses holds the mean of all losses so far",
        .why = "losses[i] is the loss of step i alone.",
        .function = LIKE(train, train_mean_loss),
    },
    {
        .id = "goes-on",
        .what = "training goes on after a loss that is not finite",
        .why = "One NaN in the loss is a NaN in every parameter a moment later, and "
               "there is "
               "nothing left to look at. Test with isfinite before model_backward.",
        .function = LIKE(train, train_goes_on),
    },
    {
        .id = "stops-too-late",
        .what = "training stops after a loss that is not finite, but the update was made",
        .why = "Parameters, moments and step stay as they were before that step: test "
               "before model_backward.",
        .function = LIKE(train, train_stops_late),
    },
    {
        .id = "stops-quietly",
        .what = "training stops after a loss that is not finite and returns LAB_OK",
        .why = "The caller has to know: return LAB_EVALUE.",
        .function = LIKE(train, train_stops_quietly),
    },
    {0},
};

static const struct mistake train_alternatives[] = {
    {.id = "by-steps", .function = LIKE(train, train_by_steps)},
    {0},
};

static const struct part train_part[] = {
    {
        .function = "train",
        .dims = "B T V C NH H L P R steps first task",
        .tensors =
            {
                {"losses", "steps", OUTPUT, F32, 1e-5f, 1e-5f},
                {"param", "P", OUTPUT, F32, 1e-5f, 5e-5f},
                {"m", "P", OUTPUT, F32, 1e-6f, 5e-5f},
                {"v", "P", OUTPUT, F32, 1e-8f, 1e-4f},
                {"model.step", "1", OUTPUT, SIZE, 0, 0},
                {"status", "1", OUTPUT, SIZE, 0, 0},
                {"start", "P", INPUT, F32, 0, 0},
                {"data", "R T", INPUT, SIZE, 0, 0},
                {"seed", "1", INPUT, SIZE, 0, 0},
                {"dropout", "1", INPUT, F32, 0, 0},
                {"lr", "1", INPUT, F32, 0, 0},
                {"beta1", "1", INPUT, F32, 0, 0},
                {"beta2", "1", INPUT, F32, 0, 0},
                {"eps", "1", INPUT, F32, 0, 0},
                {"weight_decay", "1", INPUT, F32, 0, 0},
                {"max_norm", "1", INPUT, F32, 0, 0},
                {"floor", "1", INPUT, F32, 0, 0},
                {"warmup", "1", INPUT, SIZE, 0, 0},
                {"total", "1", INPUT, SIZE, 0, 0},
                {"positions", "1", INPUT, SIZE, 0, 0},
            },
        .cases = train_cases,
        .mistakes = train_mistakes,
        .alternatives = train_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise all[] = {
    {
        .id = "6.1",
        .name = "make_copy_batch",
        .section = "6.1 Tasks and batches",
        .hints =
            {
                "Four rules, each about one sequence. Write the four answers to 7 1 9 4 "
                "on "
                "paper first. What is different about the first token of add?",
                "copy y[t] = x[t]; reverse y[t] = x[T-1-t]; sort the same tokens in "
                "ascending order; add y[0] = x[0], y[t] = (x[t] + x[t-1]) % V. The batch "
                "begins at data + first * T.",
                "for each b: x = inputs + b * T, y = targets + b * T\n"
                "      sort: copy x to y, then sort y (insertion: T is small)\n"
                "      else: for each t, the rule\n"
                "  make_copy_batch: memcpy(inputs, data + first * T, B * T numbers);\n"
                "      return make_targets(targets, inputs, task, B, T, V)",
            },
        .parts = tasks_part,
    },
    {
        .id = "6.2",
        .name = "embedding",
        .section = "6.2 Embedding",
        .hints =
            {
                "A token is a row number.",
                "out[n] = table[tokens[n]], C numbers each.",
                "for each n: memcpy(out + n * C, table + tokens[n] * C, C * sizeof *out)",
            },
        .gpu_hints =
            {
                "A thread for each number of out. Its row tells the token, the token "
                "tells the row of the table.",
                "Number i belongs to token i / C, channel i % C. A token that is not "
                "below V has no row: write NAN and read nothing.",
                "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x\n"
                "if (i >= N * C) return\n"
                "token = tokens_dev[i / C]\n"
                "out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN",
            },
        .parts = embedding_part,
    },
    {
        .id = "6.3",
        .name = "cross_entropy",
        .section = "6.3 Cross entropy",
        .hints =
            {
                "It is the softmax of lab 1 and one more line. What is log(exp(a) / "
                "sum)?",
                "Per row: max, sum of exp(logit - max), probabilities = exp / sum. The "
                "row costs log(sum) - (logit[target] - max); the loss is the mean.",
                "for each n:\n"
                "      max over i of logits[n][i], starting with logits[n][0]\n"
                "      p[i] = expf(logit[i] - max), sum += p[i]; then p[i] /= sum\n"
                "      total += log(sum) - (logit[targets[n]] - max)\n"
                "  *loss = total / N",
            },
        .gpu_hints =
            {
                "Rows first, each by a warp, as in 4.5. Then all rows into one number: "
                "when is the first row sure to be done when the last one is added? "
                "After the kernel. So make two.",
                "Kernel 1: a warp per row: max, exponentials, sum, probabilities; lane "
                "0 writes row_losses[n] = logf(sum) - (logits[n][target] - max). Kernel "
                "2: one block; each thread adds up every BLOCK-th row, then halves of "
                "the block are added together, with a barrier after each halving.",
                "kernel 1: n = blockIdx.x * WARPS + threadIdx.y; if (n >= N) return\n"
                "    max by __shfl_xor_sync; e = expf(logit - max), sum likewise; "
                "probabilities = e / sum\n"
                "    if (threadIdx.x == 0) row_losses_dev[n] = logf(sum) - (chosen - "
                "max)\n"
                "kernel 2: __shared__ double sums[BLOCK]; sums[threadIdx.x] = own "
                "rows' sum\n"
                "    __syncthreads()\n"
                "    for half = BLOCK / 2 ... 1: if (threadIdx.x < half) sums[x] += "
                "sums[x + half]\n"
                "                                __syncthreads()\n"
                "    if (threadIdx.x == 0) *loss_dev = (float)(sums[0] / N)",
            },
        .parts = cross_entropy_part,
    },
    {
        .id = "6.4",
        .name = "cross_entropy_backward",
        .section = "6.4 Cross entropy, backward",
        .uses = {"6.3"},
        .hints =
            {
                "What the model said, minus what is right.",
                "dlogits[n][i] = (p[n][i] - [i is the target]) / N. Each row sums to 0.",
                "for each n, for each i:\n"
                "      dlogits[n * V + i] = (p[n * V + i] - (i == targets[n])) / N",
            },
        .parts = cross_entropy_backward_part,
    },
    {
        .id = "6.5",
        .name = "linear_backward",
        .section = "6.5 Linear, backward",
        .uses = {"2.1"},
        .hints =
            {
                "Match the shapes: dx is (N, I), made of dy (N, O) and w (O, I). There "
                "is "
                "one way. dw is (O, I), made of dy (N, O) and x (N, I).",
                "dx = dy w; dw += dy^T x; dbias[o] += sum over n of dy[n][o]. dx is "
                "written, the other two are added to.",
                "dx set to 0, then for each n, o, with g = dy[n * O + o]:\n"
                "      for each i: dx[n * I + i] += g * w[o * I + i]\n"
                "                  dw[o * I + i] += g * x[n * I + i]\n"
                "      if dbias: dbias[o] += g\n"
                "  or two calls of cblas_sgemm, the one for dw with CblasTrans on dy and "
                "beta 1",
            },
        .gpu_hints =
            {
                "Two products and a sum down the columns. cuBLAS has the products, and "
                "an argument that says whether to add to what is there.",
                "dx^T (I,N) = w^T dy^T: N and N, m = I, n = N, k = O, beta = 0. dw^T "
                "(I,O) += x^T dy: N and T, m = I, n = O, k = N, beta = 1. dbias: a "
                "block for 32 columns, lane x has column 32 blockIdx.x + x, warp y the "
                "rows y, y + 8, ...; the sums of the eight warps meet in shared memory.",
                "cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, I, N, O, &one, w_dev, I, "
                "dy_dev, O,\n"
                "            &zero, dx_dev, I)\n"
                "cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_T, I, O, N, &one, x_dev, "
                "I, dy_dev, O,\n"
                "            &one, dw_dev, I)\n"
                "kernel: if (o < O) for (n = threadIdx.y; n < N; n += TALL_WARPS) sum "
                "+= dy_dev[n*O + o]\n"
                "    parts[threadIdx.y][threadIdx.x] = sum; __syncthreads()    (all "
                "threads!)\n"
                "    if (threadIdx.y == 0 && o < O) dbias_dev[o] += the eight parts of "
                "column x",
            },
        .parts = linear_backward_part,
    },
    {
        .id = "6.6",
        .name = "softmax_backward",
        .section = "6.6 Softmax, backward",
        .hints =
            {
                "A score that rises takes weight from all the others of its row. The sum "
                "of a row of dscores is 0.",
                "dscores[s] = w[s] (dw[s] - mean), where mean = sum over j of dw[j] "
                "w[j]: "
                "the mean of dw, weighted with w.",
                "for each row n:\n"
                "      mean = 0; for each s: mean += dw[s] * w[s]\n"
                "      for each s: dscores[s] = w[s] * (dw[s] - mean)",
            },
        .gpu_hints =
            {
                "A warp for a row: one sum over its lanes, then each lane its own "
                "places.",
                "mean = sum over s of dweights[s] weights[s], by __shfl_xor_sync in "
                "every lane; dscores[s] = weights[s] (dweights[s] - mean).",
                "n = (size_t)blockIdx.x * WARPS + threadIdx.y; if (n >= N) return\n"
                "mean = 0; for (s = threadIdx.x; s < S; s += 32) mean += dweights_n[s] "
                "* weights_n[s]\n"
                "for step = 16, 8, 4, 2, 1: mean += __shfl_xor_sync(0xffffffffu, mean, "
                "step)\n"
                "for (s = threadIdx.x; s < S; s += 32)\n"
                "    dscores_dev[n*S + s] = weights_n[s] * (dweights_n[s] - mean)",
            },
        .parts = softmax_backward_part,
    },
    {
        .id = "6.7",
        .name = "attention_backward",
        .section = "6.7 Attention, backward",
        .uses = {"6.6", "2.2"},
        .hints =
            {
                "Forward is product, softmax, product. Backward is two products, "
                "softmax_backward, two products. Work out each from its shapes.",
                "dweights = dout v^T; dv = weights^T dout; dscores = softmax_backward; "
                "dq = "
                "dscores k / sqrt(hs); dk = dscores^T q / sqrt(hs).",
                "dweights: batched_matmul_nt(dweights, dout, v, B * NH, ...)\n"
                "  dscores: softmax_backward(dscores, dweights, weights, B * NH * T, S)\n"
                "  dq: batched_matmul(dq, dscores, k, B * NH, ...), times 1/sqrtf(hs)\n"
                "  for each head: dv[s] = sum over t of weights[t * S + s] * dout[t]\n"
                "                 dk[s] = sum over t of dscores[t * S + s] * q[t], times "
                "1/sqrtf(hs)",
            },
        .gpu_hints =
            {
                "Four batched products, two on each side of softmax_backward_gpu. Write "
                "each down row-major first, then exchange its factors for cuBLAS.",
                "dweights = dout v^T, dv = weights^T dout, dq = dscores k / sqrt(hs), "
                "dk = dscores^T q / sqrt(hs). out (M,N) = a b is cublasSgemm with b "
                "first, a second, m = N, n = M, and a T for the factor that is "
                "transposed in the formula. The division is alpha.",
                "strided batch over B*NH, each matrix as long as one head's:\n"
                "dweights (T,S): T, N, m = S,  n = T, k = hs, v (ld hs), dout (ld hs), "
                "ld S\n"
                "dv (S,hs):      N, T, m = hs, n = S, k = T,  dout (ld hs), weights "
                "(ld S), ld hs\n"
                "softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, B*NH*T, "
                "S, stream)\n"
                "dq (T,hs):      N, N, m = hs, n = T, k = S,  k (ld hs), dscores (ld "
                "S), ld hs, alpha scale\n"
                "dk (S,hs):      N, T, m = hs, n = S, k = T,  q (ld hs), dscores (ld "
                "S), ld hs, alpha scale",
            },
        .parts = attention_backward_part,
    },
    {
        .id = "6.8",
        .name = "layernorm_backward",
        .section = "6.8 Layer norm, backward",
        .uses = {"5.1"},
        .hints =
            {
                "Three ways lead from x to y: straight, through the mean, through the "
                "variance. Each brings a term back.",
                "norm = (x - mean) rstd, dnorm = dy gain. dx = rstd (dnorm - mean of "
                "dnorm "
                "- norm * mean of (dnorm norm)); dgain += dy norm; dbias += dy.",
                "for each row:\n"
                "      a = b = 0; for each c: norm = (x - mean) * rstd, d = dy * gain\n"
                "          a += d, b += d * norm, dgain += dy * norm, dbias += dy\n"
                "      a /= C, b /= C\n"
                "      for each c: dx = rstd * (d - a - norm * b)",
            },
        .gpu_hints =
            {
                "Two kernels, for they sum along different axes: dx along its row, "
                "dgain and dbias down their column.",
                "dx: a warp for each row, with two sums by shuffles. dgain and dbias: "
                "as the bias of 6.5, with the sums of dy norm and of dy, added to what "
                "is there.",
                "kernel 1, row n: dnorm = dy gain; norm = (x - mean) rstd\n"
                "    a = (sum of dnorm) / C, b = (sum of dnorm norm) / C over the "
                "lanes\n"
                "    dx = rstd * (dnorm - a - norm * b)\n"
                "kernel 2, column c: for (n = threadIdx.y; n < N; n += TALL_WARPS)\n"
                "        dgain += dy * (x - mean[n]) * rstd[n]; dbias += dy\n"
                "    both into shared memory, barrier, warp 0 adds eight parts of each "
                "to dgain_dev, dbias_dev",
            },
        .parts = layernorm_backward_part,
    },
    {
        .id = "6.9",
        .name = "gelu_backward",
        .section = "6.9 GELU, backward",
        .uses = {"5.2"},
        .hints =
            {
                "y = x cdf(x) is a product: use the product rule. The slope of a cdf is "
                "its "
                "pdf.",
                "dx = dy (cdf + x pdf), cdf = (1 + erf(x / sqrt 2)) / 2, pdf = exp(-x^2 "
                "/ 2) "
                "/ sqrt(2 pi).",
                "cdf = 0.5f * (1 + erff(x * 0.70710678f))\n"
                "  pdf = 0.39894228f * expf(-0.5f * x * x)\n"
                "  dx[i] = dy[i] * (cdf + x * pdf)",
            },
        .gpu_hints =
            {
                "A number for each thread, like the GELU itself.",
                "dx = dy (cdf + x pdf), cdf = (1 + erff(x / sqrt 2)) / 2, pdf = "
                "expf(-x^2 / 2) / sqrt(2 pi).",
                "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= N) return\n"
                "cdf = 0.5f * (1.0f + erff(x * 0.70710678f)); pdf = 0.39894228f * "
                "expf(-0.5f * x * x)\n"
                "dx_dev[i] = dy_dev[i] * (cdf + x * pdf)",
            },
        .parts = gelu_backward_part,
    },
    {
        .id = "6.10",
        .name = "embedding_backward",
        .section = "6.10 Embedding, backward",
        .uses = {"6.2"},
        .hints =
            {
                "What if a token stands at three places?",
                "dtable[tokens[n]] += dy[n], for every n, C numbers each.",
                "for each n, for each c: dtable[tokens[n] * C + c] += dy[n * C + c]",
            },
        .parts = embedding_backward_part,
    },
    {
        .id = "6.11",
        .name = "model_forward and model_backward",
        .section = "6.11 The whole model",
        .uses = {"6.2", "6.3", "6.4", "6.5", "6.7", "6.8", "6.10", "5.6"},
        .hints =
            {
                "Write forward, then put each of its lines, from last to first, above "
                "the "
                "call that goes back through it, as a comment. Where a value was used "
                "twice, two gradients are added.",
                "block: linear(w_proj), gelu, linear(w_fc), layernorm(ln2), dmiddle = "
                "dout + "
                "that; linear(w_o), split_heads, attention, merge_heads three times, "
                "join_qkv, linear(w_qkv), layernorm(ln1), dx = dmiddle + that.",
                "linear_backward(dactivated, grads->w_proj, grads->b_proj, dout, "
                "z->activated, w_proj, N, H, C)\n"
                "  gelu_backward(dhidden, dactivated, z->hidden, N * H)\n"
                "  linear_backward(dln2, grads->w_fc, grads->b_fc, dhidden, z->ln2, "
                "w_fc, N, "
                "C, H)\n"
                "  layernorm_backward(dbranch, grads->ln2_gain, ..., dln2, z->middle, "
                "...)\n"
                "  residual_add(dmiddle, dout, dbranch, N * C); the attention likewise, "
                "from "
                "dmiddle\n"
                "  model: for (size_t l = L; l-- > 0;) block_backward(dstreams[l], ..., "
                "dstreams[l + 1], streams[l], ...)",
            },
        .parts = model_part,
    },
    {
        .id = "6.12",
        .name = "adam_step",
        .section = "6.12 Adam",
        .hints =
            {
                "Work the first step out by hand for one parameter with gradient 0.5: "
                "how "
                "far does it move?",
                "w -= lr wd w; m = b1 m + (1-b1) g; v = b2 v + (1-b2) g g; w -= lr m^ / "
                "(sqrt(v^) + eps), m^ = m / (1 - b1^step), v^ = v / (1 - b2^step).",
                "c1 = 1 - pow(beta1, step), c2 = 1 - pow(beta2, step), once\n"
                "  for each i: w -= lr * wd * w\n"
                "      m = beta1 * m + (1 - beta1) * g;  v = beta2 * v + (1 - beta2) * g "
                "* g\n"
                "      w -= lr * (m / c1) / (sqrtf(v / c2) + eps)",
            },
        .gpu_hints =
            {
                "What is the same for all parameters belongs on the host, in double. "
                "The kernel gets it as an argument: a struct may be one.",
                "Host: 1 - beta1^step and 1 - beta2^step by pow, then struct "
                "adam_factors. Thread i: read w, m, v, g once; new m, new v; write all "
                "three.",
                "host: rate = lr / (1 - beta1^step), root = 1 / sqrt(1 - beta2^step), "
                "keep = 1 - lr * decay\n"
                "kernel: m = beta1 * m_dev[i] + new1 * g; v = beta2 * v_dev[i] + new2 "
                "* g * g\n"
                "    m_dev[i] = m; v_dev[i] = v\n"
                "    w_dev[i] = keep * w_dev[i] - rate * m / (sqrtf(v) * root + eps)",
            },
        .parts = adam_step_part,
    },
    {
        .id = "6.13",
        .name = "clip_grad_norm and learning_rate",
        .section = "6.13 Clipping and the learning rate",
        .hints =
            {
                "Clipping has one factor for all, at most 1. The schedule has three "
                "ranges "
                "of step: draw it.",
                "norm = sqrt(sum g^2), g *= min(1, max_norm / (norm + 1e-6)). lr = peak "
                "step "
                "/ warmup; then floor + (peak - floor) (1 + cos(pi p)) / 2 with p = "
                "(step - "
                "warmup) / (total - warmup); then floor.",
                "sum in double; factor = max_norm / (norm + 1e-6f); if factor < 1: g *= "
                "factor\n"
                "  if step <= warmup: peak * (float)step / (float)warmup\n"
                "  else if step <= total: the cosine, p in float, not in whole numbers\n"
                "  else: floor",
            },
        .parts = clip_part,
    },
    {
        .id = "6.14",
        .name = "train",
        .section = "6.14 Training",
        .uses = {"6.1", "6.11", "6.12", "6.13"},
        .hints =
            {
                "Everything is there. Which of it happens at every step, and in which "
                "order? What must be 0 before, and what must be looked at before "
                "anything "
                "changes?",
                "batch, uniforms, forward, isfinite?, zero the gradients, backward, "
                "clip, "
                "rate, adam_step with k = model->step + 1, model->step = k.",
                "for each i: k = model->step + 1, batch = (k - 1) % (R / B)\n"
                "      make_copy_batch(model->inputs, model->targets, data, batch * B, "
                "...)\n"
                "      u = model_draw_uniforms(model)\n"
                "      model_forward(&losses[i], ..., u, ...); not finite: return "
                "LAB_EVALUE\n"
                "      memset(model->grad, 0, P floats); model_backward(..., u, ...)\n"
                "      max_norm > 0: clip_grad_norm; adam = settings->adam; total > 0: "
                "adam.lr "
                "by learning_rate\n"
                "      adam_step(param, m, v, grad, &adam, k, P); model->step = k",
            },
        .parts = train_part,
    },
    {0},
};

static const struct exercise *const exercises[] = {
    &all[0], &all[1], &all[2],  &all[3],  &all[4],  &all[5],  &all[6], &all[7],
    &all[8], &all[9], &all[10], &all[11], &all[12], &all[13], NULL};

const struct lab lab_06 = {
    .title = "Training on the copy task",
    .exercises = exercises,
};

#endif
