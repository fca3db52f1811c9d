// pinned.cc - host memory that kernels may use by its own address: what cudaMallocHost and
// cudaHostAlloc return, and what cudaHostRegister names. Accesses to it are not checked for races.
//
// In the labs a kernel may use device memory only.

#include <stdlib.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

struct range {
    struct range *next;
    uintptr_t start;
    size_t bytes;
    bool allocated; // by cudaMallocHost, not only registered
};
static struct range *ranges;

bool pinned_contains(uintptr_t address, size_t bytes)
{
    const struct range *r = ranges;
    while (r != NULL &&
           !(address - r->start < r->bytes && bytes <= r->bytes - (address - r->start))) {
        r = r->next;
    }
    return r != NULL && !finding_in_course;
}

bool pinned_is_allocated(const void *pointer)
{
    if (ranges == NULL) { // the usual case, and this is called for each free
        return false;
    }
    host_turn turn;
    const struct range *r = ranges;
    while (r != NULL && r->start != (uintptr_t)pointer) {
        r = r->next;
    }
    return r != NULL && r->allocated;
}

static cudaError_t add(void *pointer, size_t bytes, bool allocated)
{
    host_turn turn;
    struct range *r = (struct range *)malloc(sizeof *r);
    if (r == NULL) {
        return call_error(cudaErrorMemoryAllocation);
    }
    *r = {ranges, (uintptr_t)pointer, bytes, allocated};
    ranges = r;
    return call_state();
}

// Returns false if no range begins there.
static bool remove(const void *pointer)
{
    host_turn turn;
    struct range **at = &ranges;
    while (*at != NULL && (*at)->start != (uintptr_t)pointer) {
        at = &(*at)->next;
    }
    struct range *found = *at;
    if (found != NULL) {
        *at = found->next;
        free(found);
    }
    return found != NULL;
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" {

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    launcher_may_not("launcher-allocates", "cudaMallocHost", CALLER());
    runtime_initialize();
    if (pointer == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *pointer = malloc(bytes > 0 ? bytes : 1);
    return *pointer == NULL ? call_error(cudaErrorMemoryAllocation)
                            : add(*pointer, bytes, true);
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return cudaMallocHost(pointer, bytes);
}
cudaError_t cudaFreeHost(void *pointer)
{
    host_turn turn;
    call_pc = CALLER();
    if (pointer != NULL && (!pinned_is_allocated(pointer) || !remove(pointer))) {
        finding_note(
            "invalid-free", "", place_of(call_pc),
            "cudaFreeHost is called with %p, which neither cudaMallocHost nor "
            "cudaHostAlloc returned.\n"
            "Use cudaFree for memory from cudaMalloc, and free for memory from malloc.",
            pointer);
        return call_error(cudaErrorInvalidValue);
    }
    free(pointer);
    return call_state();
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned)
{
    return pointer == NULL || bytes == 0 ? call_error(cudaErrorInvalidValue)
                                         : add(pointer, bytes, false);
}
cudaError_t cudaHostUnregister(void *pointer)
{
    return remove(pointer) ? call_state() : call_error(cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **pointer_dev, void *pointer, unsigned)
{
    host_turn turn;
    if (pointer_dev == NULL || !pinned_contains((uintptr_t)pointer, 1)) {
        return call_error(cudaErrorInvalidValue);
    }
    *pointer_dev = pointer;
    return call_state();
}

} // extern "C"
