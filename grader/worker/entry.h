// entry.h - how the worker and the judge call a lab's functions.
//
// grader/exercises/labNN.c lists them: an ADAPTOR and an ENTRY for each.

#ifndef GRADER_ENTRY_H
#define GRADER_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

enum {
    MAX_TENSORS = 64, // maximum number of tensor arguments
    MAX_DIMS = 12,    // maximum number of sizes
};

typedef void (*any_function)(void);

// Calls f with tensors t[] and sizes n[], in the order of the part's .tensors and .dims.
// An absent optional tensor is NULL.
typedef lab_status adaptor(any_function f, void *const *t, const size_t *n);

struct entry {
    const char *name; // the function's name: "attention_scores"
    any_function function;
    adaptor *call;
    bool gpu; // attention_scores_gpu exists, too
};

// ADAPTOR(softmax_rows, t[0], t[1], n[0], n[1]) defines call_softmax_rows; the compiler
// checks the arguments against the lab's header. A function with a GPU variant has a
// GPU_ADAPTOR and a GPU_ENTRY instead. With -DGPU they call softmax_rows_gpu, t[] contains
// device pointers, and HOST(i) is the content of t[i] on the host, for arguments passed by
// value. GPU_ADAPTOR_CUBLAS is for a variant that also takes a cuBLAS handle.
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

// Defined by every labNN.c; ends with {0}.
extern const struct entry lab_entries[];

#endif
