// kernel_heap.cc - malloc, free, new and delete in kernels: device memory, checked like any other, which
// later launches may use. In host code they are those of the C library. cudasim.sh and the judge redirect
// the calls of .cu files here.

#include <stdlib.h>

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

static void *get(size_t bytes)
{
    void *pointer = NULL;
    if (!here.on_device) {
        return malloc(bytes);
    }
    if (finding_in_course) {
        finding_stop(
            "call-in-kernel", call_pc, NULL,
            "a kernel calls malloc or new, which a hand-in's kernels do not have.\n"
            "On a card, their memory is slow and only a few megabytes: use a local array of a "
            "constant size, shared memory, or a buffer that is an argument.");
    }
    if (parallel_worker) {
        parallel_give_up(); // the other workers' allocations would have the same addresses
    }
    return memory_allocate(&pointer, bytes) == cudaSuccess ? pointer : NULL;
}

static void give_back(void *pointer)
{
    if (memory_offset((uintptr_t)pointer) == NOT_DEVICE) {
        if (!here.on_device && pinned_is_allocated(pointer)) {
            finding_stop("invalid-free", call_pc, NULL,
                         "free or delete is called with memory of cudaMallocHost or "
                         "cudaHostAlloc.\n"
                         "Free it with cudaFreeHost.");
        }
        free(pointer);
        return;
    }
    if (!here.on_device) {
        finding_stop("invalid-free", call_pc, NULL,
                     "host code calls free or delete with device memory.\n"
                     "Use cudaFree for memory from cudaMalloc; only a kernel can free "
                     "what a kernel allocated.");
    }
    if (parallel_worker) {
        parallel_give_up();
    }
    memory_give_back(pointer);
}

extern "C" {

void *gpu_malloc(size_t bytes)
{
    call_pc = CALLER();
    return get(bytes);
}
void gpu_free(void *pointer)
{
    call_pc = CALLER();
    give_back(pointer);
}

// operator new(size_t) and so on, by their names for the linker. In host code, new does not return NULL.
#define NEW(name)                                                                        \
    void *gpu_##name(size_t bytes)                                                       \
    {                                                                                    \
        call_pc = CALLER();                                                              \
        void *pointer = get(bytes > 0 ? bytes : 1);                                      \
        if (pointer == NULL && !here.on_device) {                                        \
            abort();                                                                     \
        }                                                                                \
        return pointer;                                                                  \
    }
NEW(Znwm)
NEW(Znam)

#define DELETE(name)                                                                     \
    void gpu_##name(void *pointer)                                                       \
    {                                                                                    \
        call_pc = CALLER();                                                              \
        give_back(pointer);                                                              \
    }
DELETE(ZdlPv)
DELETE(ZdaPv)
DELETE(ZdlPvm) // its second argument, the size, does not matter
DELETE(ZdaPvm)

} // extern "C"
