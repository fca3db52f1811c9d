// lab08.c - how to call the functions of lab 8, a language model. 08/ has a file for each
// exercise; lab01.c explains their order.
//
// The functions of 8.6 to 8.9 and 8.11 take structs of pointers. A part lists their tensors in
// the order of the struct's fields (MODEL_PARAM_TENSORS and its like, 08/model.h), so an
// adaptor copies the pointers in that order. A double is passed as a float, which is precise
// enough here.

#include "exercises/exercise.h"

#include <stdlib.h>
#include <string.h>

#include "08_language_model/language_model.h"
#ifdef GPU
#include "08_language_model/language_model_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(vocabulary, t[0], t[1], t[2], n[0])
ADAPTOR(encode, t[0], t[1], t[2], n[0], n[1])
ADAPTOR(decode, t[0], t[1], t[2], n[0], n[1])
ADAPTOR(shifted_batch, t[0], t[1], t[2], t[3], n[0], n[1], n[2])
GPU_ADAPTOR(rmsnorm, t[0], t[1], t[2], t[3], n[0], n[1])
GPU_ADAPTOR(rmsnorm_backward, t[0], t[1], t[2], t[3], t[4], t[5], n[0], n[1])
GPU_ADAPTOR(swiglu, t[0], t[1], t[2], n[0])
GPU_ADAPTOR(swiglu_backward, t[0], t[1], t[2], t[3], t[4], n[0])
GPU_ADAPTOR(rope_backward, t[0], t[1], t[2], n[0], n[1], n[2], n[3])

#ifndef GPU // the exercises that put functions together have no GPU variant

// The structs contain only pointers: the number of pointers in each.
enum {
    PARAMS = sizeof(struct language_params) / sizeof(void *),
    ACTIVATIONS = sizeof(struct language_activations) / sizeof(void *),
    BLOCK_PARAMS = sizeof(struct language_block_params) / sizeof(void *),
    BLOCK_BUFFERS = sizeof(struct language_block_buffers) / sizeof(void *),
    // a block does not use the first three gradients
    WORKSPACES = sizeof(struct language_gradients) / sizeof(void *) - 3,
};
_Static_assert(PARAMS == 12 && ACTIVATIONS == 29 && BLOCK_PARAMS == 9 &&
                   BLOCK_BUFFERS == 23 && WORKSPACES == 19,
               "the lists of tensors in 08/model.h have other fields than the structs");

static lab_status call_language_block(any_function f, void *const *t, const size_t *n)
{
    // t: out, weights, buffers, x, params; n: B T C NH hs H
    struct language_block_buffers z;
    struct language_block_params params;
    memcpy(&z, t + 2, sizeof z);
    const float *x = t[2 + BLOCK_BUFFERS];
    memcpy(&params, t + 2 + BLOCK_BUFFERS + 1, sizeof params);
    return ((__typeof__(language_block) *)f)(t[0], t[1], &z, x, &params, n[0], n[1], n[2],
                                             n[3], n[5]);
}

// The sizes of a model, in the order of MODEL_DIMS; n[4] is hs.
static struct language_shape shape_from_sizes(const size_t *n)
{
    return (struct language_shape){
        .B = n[0], .T = n[1], .C = n[2], .NH = n[3], .H = n[5], .V = n[6], .L = n[7]};
}

static lab_status call_language_forward(any_function f, void *const *t, const size_t *n)
{
    // t: loss, z, params, tokens, targets
    struct language_activations z;
    struct language_params params;
    const struct language_shape shape = shape_from_sizes(n);
    memcpy(&z, t + 1, sizeof z);
    memcpy(&params, t + 1 + ACTIVATIONS, sizeof params);
    const size_t *tokens = t[1 + ACTIVATIONS + PARAMS];
    const size_t *targets = t[1 + ACTIVATIONS + PARAMS + 1];
    return ((__typeof__(language_forward) *)f)(t[0], &z, &params, tokens, targets,
                                               &shape);
}

static lab_status call_language_block_backward(any_function f, void *const *t,
                                               const size_t *n)
{
    // t: dx, grads, workspaces, dout, x, params, weights, buffers; n: B T C NH hs H
    struct language_block_grads grads;
    struct language_gradients dz = {0};
    struct language_block_params params;
    struct language_block_buffers z;
    float *dx = t[0];
    memcpy(&grads, t + 1, sizeof grads);
    t += 1 + BLOCK_PARAMS;
    memcpy(&dz.dhidden, t, WORKSPACES * sizeof *t);
    t += WORKSPACES;
    const float *dout = t[0], *x = t[1];
    t += 2;
    memcpy(&params, t, sizeof params);
    const float *weights = t[BLOCK_PARAMS];
    memcpy(&z, t + BLOCK_PARAMS + 1, sizeof z);
    return ((__typeof__(language_block_backward) *)f)(
        dx, &grads, &dz, dout, x, &params, weights, &z, n[0], n[1], n[2], n[3], n[5]);
}

// Only the first three gradients of activations are judged; the others are allocated here.
static lab_status call_language_backward(any_function f, void *const *t, const size_t *n)
{
    // t: grads, dlogits, dnormed, dstreams, z, params, tokens, targets
    struct language_params grads, params;
    struct language_gradients dz = {0};
    struct language_activations z;
    const struct language_shape shape = shape_from_sizes(n);
    memcpy(&grads, t, sizeof grads);
    t += PARAMS;
    float *memory = NULL;
    if (language_shape_check(&shape) == LAB_OK) {
        const size_t count = language_count(language_gradients_rows, &shape);
        memory = malloc(count * sizeof *memory);
        if (memory == NULL) {
            return LAB_ENOMEM;
        }
        memset(memory, 0xff, count * sizeof *memory); // NaN
        language_lay_out(&dz, language_gradients_rows, &shape, memory);
    }
    dz.dlogits = t[0];
    dz.dnormed = t[1];
    dz.dstreams = t[2];
    t += 3;
    memcpy(&z, t, sizeof z);
    memcpy(&params, t + ACTIVATIONS, sizeof params);
    const size_t *tokens = t[ACTIVATIONS + PARAMS],
                 *targets = t[ACTIVATIONS + PARAMS + 1];
    const lab_status status = ((__typeof__(language_backward) *)f)(
        &grads, &dz, &z, &params, tokens, targets, &shape);
    free(memory);
    return status;
}

// Rounds a function's double to float. If the function does not write it, it stays unchanged.
static void give(float *to, double before, double after)
{
    if (memcmp(&before, &after, sizeof before) != 0) {
        *to = (float)after;
    }
}

static lab_status call_held_out_loss(any_function f, void *const *t, const size_t *n)
{
    // t: loss, z, params, stream; n: those of the shape, then N
    struct language_activations z;
    struct language_params params;
    const struct language_shape shape = shape_from_sizes(n);
    float *to = t[0];
    const double before = (double)*to;
    double loss = before;
    memcpy(&z, t + 1, sizeof z);
    memcpy(&params, t + 1 + ACTIVATIONS, sizeof params);
    const lab_status status = ((__typeof__(held_out_loss) *)f)(
        &loss, &z, &params, t[1 + ACTIVATIONS + PARAMS], n[8], &shape);
    give(to, before, loss);
    return status;
}

static lab_status call_of_loss(any_function f, void *const *t)
{
    float *to = t[0];
    const double before = (double)*to, loss = (double)*(const float *)t[1];
    double result = before;
    const lab_status status = ((__typeof__(perplexity) *)f)(&result, loss);
    give(to, before, result);
    return status;
}

static lab_status call_perplexity(any_function f, void *const *t, const size_t *n)
{
    (void)n;
    return call_of_loss(f, t);
}

static lab_status call_bits_per_character(any_function f, void *const *t, const size_t *n)
{
    (void)n;
    return call_of_loss(f, t);
}

static struct sampling sampling_from_tensors(void *const *t)
{
    return (struct sampling){
        .temperature = *(const float *)t[0],
        .top_k = *(const size_t *)t[1],
        .top_p = *(const float *)t[2],
    };
}

static lab_status call_sample_token(any_function f, void *const *t, const size_t *n)
{
    // t: token, probabilities, order, logits, sampling, u
    const struct sampling sampling = sampling_from_tensors(t + 4);
    return ((__typeof__(sample_token) *)f)(t[0], t[1], t[2], t[3], &sampling,
                                           *(const float *)t[7], n[0]);
}

// If the case has a tensor for the status, the status goes there and the adaptor returns LAB_OK: then
// the tokens are judged.
static lab_status call_generate(any_function f, void *const *t, const size_t *n)
{
    // t: tokens, z, params, probabilities, order, uniforms, sampling, status
    // n: those of the shape, N, count
    struct language_activations z;
    struct language_params params;
    size_t *tokens = t[0];
    const struct language_shape shape = shape_from_sizes(n);
    memcpy(&z, t + 1, sizeof z);
    t += 1 + ACTIVATIONS;
    memcpy(&params, t, sizeof params);
    t += PARAMS;
    const struct sampling sampling = sampling_from_tensors(t + 3);
    const lab_status status = ((__typeof__(generate) *)f)(
        tokens, &z, &params, t[0], t[1], t[2], &sampling, n[8], n[9], &shape);
    if (t[6] == NULL || status == LAB_TODO) {
        return status;
    }
    *(size_t *)t[6] = (size_t)status;
    return LAB_OK;
}

#endif

const struct entry lab_entries[] = {
    ENTRY(vocabulary),
    ENTRY(encode),
    ENTRY(decode),
    ENTRY(shifted_batch),
    GPU_ENTRY(rmsnorm),
    GPU_ENTRY(rmsnorm_backward),
    GPU_ENTRY(swiglu),
    GPU_ENTRY(swiglu_backward),
    GPU_ENTRY(rope_backward),
    ENTRY(language_block),
    ENTRY(language_forward),
    ENTRY(language_block_backward),
    ENTRY(language_backward),
    ENTRY(held_out_loss),
    ENTRY(perplexity),
    ENTRY(bits_per_character),
    ENTRY(sample_token),
    ENTRY(generate),
    {0},
};

#ifndef WORKER

const struct lab lab_08 = {
    .title = "A language model",
    .exercises = lab_exercises,
};

#endif
