// lab10.c - how to call the functions of lab 10, FlashAttention. What is asked of each lies in 10/,
// a file for each exercise.
//
// The workspaces of 10.2 to 10.4 are structs of pointers. A part lists their tensors in the order
// of the structs' fields, so an adaptor copies the pointers as they lie. The GPU variants have no
// workspaces of tiles: they get the other tensors.

#include "exercises/exercise.h"

#include <string.h>

#include "10_flash_attention/flash_attention.h"
#ifdef GPU
#include "10_flash_attention/flash_attention_gpu.h"
#endif

// ---- both sides: how to call the student --------------------------------------------------

enum {
    FLASH = sizeof(struct flash_buffers) / sizeof(void *),
    BACKWARD = sizeof(struct flash_backward_buffers) / sizeof(void *),
};
_Static_assert(FLASH == 7 && BACKWARD == 3,
               "the lists of tensors in 10/ have other fields than the structs");

ADAPTOR(partial_attention, t[0], t[1], t[2], t[3], t[4], t[5], t[6], n[0], n[1], n[2],
        *(const ptrdiff_t *)t[7])
ADAPTOR(online_softmax_merge, t[0], t[1], t[2], t[3], t[4], t[5], n[0], n[1])

// t: out, logsumexp, the 7 workspaces, q, k, v; n: B NH T S hs causal Br Bc
static lab_status call_flash_attention(any_function f, void *const *t, const size_t *n)
{
    void *const *inputs = t + 2 + FLASH;
#if defined(WORKER) && defined(GPU)
    return ((__typeof__(flash_attention_gpu) *)f)(t[0], t[1], inputs[0], inputs[1],
                                                  inputs[2], n[5] != 0, n[0], n[1], n[2],
                                                  n[3], n[4], gpu_stream);
#else
    struct flash_buffers z;
    memcpy(&z, t + 2, sizeof z);
    return ((__typeof__(flash_attention) *)f)(t[0], t[1], &z, inputs[0], inputs[1],
                                              inputs[2], n[5] != 0, n[0], n[1], n[2],
                                              n[3], n[4], n[6], n[7]);
#endif
}

// t: dq, dk, dv, the 3 workspaces, dout, out, logsumexp, q, k, v; n: B NH T S hs causal Br Bc
static lab_status call_flash_attention_backward(any_function f, void *const *t,
                                                const size_t *n)
{
    void *const *inputs = t + 3 + BACKWARD;
#if defined(WORKER) && defined(GPU)
    void *delta = gpu_workspace((n[0] * n[1] * n[2] + 1) * sizeof(float));
    return ((__typeof__(flash_attention_backward_gpu) *)f)(
        t[0], t[1], t[2], delta, inputs[0], inputs[1], inputs[2], inputs[3], inputs[4],
        inputs[5], n[5] != 0, n[0], n[1], n[2], n[3], n[4], gpu_stream);
#else
    struct flash_backward_buffers z;
    memcpy(&z, t + 3, sizeof z);
    return ((__typeof__(flash_attention_backward) *)f)(
        t[0], t[1], t[2], &z, inputs[0], inputs[1], inputs[2], inputs[3], inputs[4],
        inputs[5], n[5] != 0, n[0], n[1], n[2], n[3], n[4], n[6], n[7]);
#endif
}

#ifndef GPU // what follows has no GPU variant

// t: out, logsumexp, visited, the 7 workspaces, q, k, v; n: B NH T S hs Br Bc
static lab_status call_flash_attention_causal(any_function f, void *const *t,
                                              const size_t *n)
{
    void *const *inputs = t + 3 + FLASH;
    struct flash_buffers z;
    memcpy(&z, t + 3, sizeof z);
    return ((__typeof__(flash_attention_causal) *)f)(t[0], t[1], t[2], &z, inputs[0],
                                                     inputs[1], inputs[2], n[0], n[1],
                                                     n[2], n[3], n[4], n[5], n[6]);
}

#endif

ADAPTOR(combine_partials, t[0], t[1], t[2], t[3], n[0], n[1], n[2])
ADAPTOR(flash_decode, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], n[0], n[1],
        n[2], n[3], n[4])
ADAPTOR(flash_tile_sizes, t[0], t[1], n[0], n[1])
ADAPTOR(memory_traffic, t[0], t[1], n[0], n[1], n[2], n[3])

const struct entry lab_entries[] = {
    ENTRY(partial_attention),
    ENTRY(online_softmax_merge),
    GPU_ENTRY(flash_attention),
    ENTRY(flash_attention_causal),
    GPU_ENTRY(flash_attention_backward),
    ENTRY(combine_partials),
    ENTRY(flash_decode),
    ENTRY(flash_tile_sizes),
    ENTRY(memory_traffic),
    {0},
};

#ifndef WORKER

const struct lab lab_10 = {
    .title = "FlashAttention",
    .exercises = lab_exercises,
};

#endif
