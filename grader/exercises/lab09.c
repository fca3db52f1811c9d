// lab09.c - how to call the functions of lab 9, generation with a cache. What is asked of each
// lies in 09/, a file for each exercise.
//
// The functions of 9.3 and 9.7 take structs of pointers. A part lists their tensors in the order of
// the structs' fields (CACHE_TENSORS, BUFFER_TENSORS and MODEL_PARAM_TENSORS), so an adaptor copies
// the pointers as they lie. Matrices of parameters come as floats. If a case has scales, the adaptor
// turns them into int8.

#include "exercises/exercise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "09_generation/generation.h"
#ifdef GPU
#include "09_generation/generation_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

ADAPTOR(cache_append, t[0], t[1], t[2], n[0], n[1], n[2], n[3], n[4])
GPU_ADAPTOR(attention_decode, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1], n[2],
            n[3])
GPU_ADAPTOR(grouped_query_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1],
            n[2], n[3], n[4], n[5])
ADAPTOR(ring_append, t[0], t[1], t[2], n[0], n[1], n[2], n[3], n[4])
ADAPTOR(sliding_window_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1],
        n[2], n[3])

// The sizes of a decoder lie in n, in the order of struct decoder_sizes; others follow.
#define SIZES_FROM(n)                                                                    \
    &(const struct decoder_sizes)                                                        \
    {                                                                                    \
        n[0], n[1], n[2], n[3], n[4], n[5], n[6] != 0                                    \
    }
ADAPTOR(decoder_weights, t[0], SIZES_FROM(n))
ADAPTOR(cache_bytes, t[0], SIZES_FROM(n), n[7], n[8], n[9])
ADAPTOR(decode_flops, t[0], SIZES_FROM(n), n[7])
ADAPTOR(decode_bytes, t[0], SIZES_FROM(n), n[7], n[8], n[9], n[10])

GPU_ADAPTOR(quantize_rows, t[0], t[1], t[2], n[0], n[1])
GPU_ADAPTOR(linear_int8, t[0], t[1], t[2], t[3], n[0], n[1], n[2])

#ifndef GPU // what is put together has no GPU variant

// The structs hold nothing but pointers: so many.
enum {
    CACHE = sizeof(struct kv_cache) / sizeof(void *),
    BUFFERS = sizeof(struct generation_buffers) / sizeof(void *),
    PARAMS = sizeof(struct language_params) / sizeof(void *),
    MODEL = CACHE + BUFFERS + PARAMS + 1, // the last are the scales
    MATRICES = 8,
    SCALES =
        7, // for each matrix: no matrix of a case has a multiple of 7 rows in a block
};
_Static_assert(CACHE == 3 && BUFFERS == 25 && PARAMS == 12,
               "the lists of tensors in 09/model.h have other fields than the structs");

// What all functions of model.c get.
struct model_arguments {
    struct language_shape shape;
    struct kv_cache cache;
    struct generation_buffers z;
    struct generation_params params;
    bool is_stored; // the matrices that have scales
};

// Stores a matrix (O, I) as int8, if it has scales: row o then holds multiples of
// scales[o % SCALES]. Returns false if there is no memory.
static bool store_matrix(struct generation_matrix *matrix, const float *scales, size_t O,
                         size_t I)
{
    if (scales[0] == 0.0f) {
        return true;
    }
    int8_t *rows = malloc(O * I);
    float *all_scales = malloc(O * sizeof *all_scales);
    for (size_t i = 0; rows != NULL && all_scales != NULL && i < O * I; i++) {
        const float scale = scales[i / I % SCALES];
        rows[i] = (int8_t)lrintf(matrix->weights[i] / scale);
        all_scales[i / I] = scale;
    }
    *matrix = (struct generation_matrix){.rows = rows, .scales = all_scales};
    return rows != NULL && all_scales != NULL;
}

// scales (MATRICES, SCALES)
static bool store_matrices(struct generation_params *p, const float *scales,
                           const struct language_shape *shape)
{
    const size_t C = shape->C, H = shape->H, L = shape->L;
    return store_matrix(&p->w_q, scales, L * C, C) &&
           store_matrix(&p->w_k, scales + SCALES, L * C, C) &&
           store_matrix(&p->w_v, scales + 2 * SCALES, L * C, C) &&
           store_matrix(&p->w_o, scales + 3 * SCALES, L * C, C) &&
           store_matrix(&p->w_gate, scales + 4 * SCALES, L * H, C) &&
           store_matrix(&p->w_up, scales + 5 * SCALES, L * H, C) &&
           store_matrix(&p->w_down, scales + 6 * SCALES, L * C, H) &&
           store_matrix(&p->w_out, scales + 7 * SCALES, shape->V, C);
}

static struct model_arguments model_arguments(void *const *t, const size_t *n)
{
    struct model_arguments a = {.shape = {.B = n[0],
                                          .T = n[1],
                                          .C = n[2],
                                          .NH = n[3],
                                          .H = n[5],
                                          .V = n[6],
                                          .L = n[7]}}; // n[4] is hs
    struct language_params params;
    memcpy(&a.cache, t, sizeof a.cache);
    memcpy(&a.z, t + CACHE, sizeof a.z);
    memcpy(&params, t + CACHE + BUFFERS, sizeof params);
    a.params = generation_params(&params);
    const float *scales = t[MODEL - 1];
    a.is_stored = scales == NULL || store_matrices(&a.params, scales, &a.shape);
    return a;
}

// Frees what store_matrices allocated. Matrices of floats have neither rows nor scales.
static void forget_matrices(const struct generation_params *p)
{
    const struct generation_matrix all[MATRICES] = {
        p->w_q, p->w_k, p->w_v, p->w_o, p->w_gate, p->w_up, p->w_down, p->w_out};
    for (size_t m = 0; m < MATRICES; m++) {
        free((void *)all[m].rows);
        free((void *)all[m].scales);
    }
}

// Rows of a cache from lengths on mean nothing. They are NaN when a function is called, so that it
// must not read them, and 0, as in the case, when it has returned, so that they are not judged.
static void set_rest(const struct kv_cache *cache, const size_t *lengths, float value,
                     const size_t *n)
{
    const size_t B = n[0], T = n[1], NH = n[3], hs = n[4], L = n[7];
    for (size_t i = 0; i < L * B * NH * T * hs; i++) {
        const size_t b = i / (hs * T * NH) % B, row = i / hs % T;
        if (row >= lengths[b]) {
            cache->keys[i] = cache->values[i] = value;
        }
    }
}

// The lengths before a call, freed by forget_rest.
static size_t *hide_rest(const struct kv_cache *cache, const size_t *n)
{
    size_t *lengths = malloc((n[0] + 1) * sizeof *lengths);
    if (lengths != NULL) {
        memcpy(lengths, cache->lengths, n[0] * sizeof *lengths);
        set_rest(cache, lengths, NAN, n);
    }
    return lengths;
}

static void forget_rest(size_t *lengths, const struct kv_cache *cache, const size_t *n)
{
    set_rest(cache, lengths, 0.0f, n);
    free(lengths);
}

static lab_status call_prefill(any_function f, void *const *t, const size_t *n)
{
    // t: logits, cache, z, params, scales, tokens, b; n: those of the shape, n
    const struct model_arguments a = model_arguments(t + 1, n);
    size_t *lengths = hide_rest(&a.cache, n);
    const size_t b = *(const size_t *)t[1 + MODEL + 1];
    lab_status status = LAB_ENOMEM;
    if (lengths != NULL && a.is_stored) {
        status = ((__typeof__(prefill) *)f)(t[0], &a.cache, &a.z, &a.params, t[1 + MODEL],
                                            b, n[8], &a.shape);
    }
    if (status == LAB_OK && b < n[0]) {
        lengths[b] += n[8];
    }
    if (lengths != NULL) {
        forget_rest(lengths, &a.cache, n);
    }
    forget_matrices(&a.params);
    return status;
}

static lab_status call_decode_step(any_function f, void *const *t, const size_t *n)
{
    // t: logits, cache, z, params, scales, tokens; n: those of the shape
    const struct model_arguments a = model_arguments(t + 1, n);
    size_t *lengths = hide_rest(&a.cache, n);
    lab_status status = LAB_ENOMEM;
    if (lengths != NULL && a.is_stored) {
        status = ((__typeof__(decode_step) *)f)(t[0], &a.cache, &a.z, &a.params,
                                                t[1 + MODEL], &a.shape);
    }
    for (size_t b = 0; status == LAB_OK && b < n[0]; b++) {
        lengths[b]++;
    }
    if (lengths != NULL) {
        forget_rest(lengths, &a.cache, n);
    }
    forget_matrices(&a.params);
    return status;
}

// If the case has a tensor for the status, the status goes there and the adaptor returns LAB_OK: then
// the tokens are judged.
static lab_status call_generate_cached(any_function f, void *const *t, const size_t *n)
{
    // t: tokens, cache, z, params, scales, probabilities, order, uniforms, lengths, sampling,
    // status
    // n: those of the shape, count
    const struct model_arguments a = model_arguments(t + 1, n);
    size_t *tokens = t[0];
    t += 1 + MODEL;
    const struct sampling sampling = {
        .temperature = *(const float *)t[4],
        .top_k = *(const size_t *)t[5],
        .top_p = *(const float *)t[6],
    };
    lab_status status = LAB_ENOMEM;
    if (a.is_stored) {
        status = ((__typeof__(generate_cached) *)f)(tokens, &a.cache, &a.z, &a.params,
                                                    t[0], t[1], t[2], t[3], &sampling,
                                                    n[8], &a.shape);
    }
    forget_matrices(&a.params);
    if (t[7] != NULL && status != LAB_TODO) {
        *(size_t *)t[7] = (size_t)status;
        status = LAB_OK;
    }
    return status;
}

#endif

const struct entry lab_entries[] = {
    ENTRY(cache_append),
    GPU_ENTRY(attention_decode),
    GPU_ENTRY(grouped_query_attention),
    ENTRY(ring_append),
    ENTRY(sliding_window_attention),
    ENTRY(prefill),
    ENTRY(decode_step),
    ENTRY(generate_cached),
    ENTRY(decoder_weights),
    ENTRY(cache_bytes),
    ENTRY(decode_flops),
    ENTRY(decode_bytes),
    GPU_ENTRY(quantize_rows),
    GPU_ENTRY(linear_int8),
    {0},
};

#ifndef WORKER

const struct lab lab_09 = {
    .title = "Generation with a KV cache",
    .exercises = lab_exercises,
};

#endif
