// entry.h - how the functions of a lab are called, by the worker and by the judge.
//
// grader/exercises/labNN.c lists them: an ADAPTOR and an ENTRY for each.

#ifndef GRADER_ENTRY_H
#define GRADER_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

enum {
    MAX_TENSORS = 64, // arguments of one function that are tensors
    MAX_DIMS = 12,    // sizes of one function
};

typedef void (*any_function)(void);

// Calls f with tensors t[] and sizes n[], in the order of the part's .tensors and .dims.
// An absent optional tensor is NULL.
typedef lab_status adaptor(any_function f, void *const *t, const size_t *n);

struct entry {
    const char *name; // as the student knows it: "attention_scores"
    any_function function;
    adaptor *call;
    bool gpu; // there is an attention_scores_gpu, too
};

// ADAPTOR(softmax_rows, t[0], t[1], n[0], n[1]) defines call_softmax_rows; the compiler checks
// the arguments against the lab's header. A function with a GPU variant has a GPU_ADAPTOR and a
// GPU_ENTRY instead: with -DGPU they are those of softmax_rows_gpu, t[] holds device pointers,
// and HOST(i) is where the content of t[i] lies on the host, for what is passed by value.
// GPU_ADAPTOR_CUBLAS is for a variant that is also given a cuBLAS handle.
#define ADAPTOR_CALLING(name, function, ...)                                             \
    static lab_status call_##name(any_function f, void *const *t, const size_t *n)       \
    {                                                                                    \
        return ((__typeof__(function) *)f)(__VA_ARGS__);                                 \
    }

#if defined(WORKER) && defined(GPU)
#include "worker/gpu.h"
#define HOST(i) (gpu_host[i])
#define ADAPTOR(name, ...)                                                               \
    _Static_assert(1, "a function without a GPU variant has no adaptor here");
#define GPU_ADAPTOR(name, ...) ADAPTOR_CALLING(name, name##_gpu, __VA_ARGS__, gpu_stream)
#define GPU_ADAPTOR_CUBLAS(name, ...)                                                    \
    ADAPTOR_CALLING(name, name##_gpu, __VA_ARGS__, gpu_cublas, gpu_stream)
#define ENTRY(name)                                                                      \
    {                                                                                    \
#name, NULL, NULL, false                                                         \
    }
#define GPU_ENTRY(name)                                                                  \
    {                                                                                    \
#name, (any_function)(name##_gpu), call_##name, true                             \
    }
#else
#define HOST(i) (t[i])
#define ADAPTOR(name, ...) ADAPTOR_CALLING(name, name, __VA_ARGS__)
#define GPU_ADAPTOR(name, ...) ADAPTOR_CALLING(name, name, __VA_ARGS__)
#define GPU_ADAPTOR_CUBLAS(name, ...) ADAPTOR_CALLING(name, name, __VA_ARGS__)
#define ENTRY(name)                                                                      \
    {                                                                                    \
#name, (any_function)(name), call_##name, false                                  \
    }
#define GPU_ENTRY(name)                                                                  \
    {                                                                                    \
#name, (any_function)(name), call_##name, true                                   \
    }
#endif

// Every labNN.c defines this, ending in {0}.
extern const struct entry lab_entries[];

#endif
