// memory.cc - device memory: allocations, copies, and where an address belongs.
//
// Allocations are laid out one behind the other with wide gaps that nothing is mapped in, and
// an address is not given out a second time before all are used up: so an access behind an
// end, or after a cudaFree, is never by accident an access to something else.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/gpu/runtime/runtime.h"

// The linker gathers __device__ and __constant__ variables between these two.
extern "C" {
extern char __start_gpu_variables[] __attribute__((weak));
extern char __stop_gpu_variables[] __attribute__((weak));
}

namespace gpu_runtime
{

enum : size_t { PAGE = 4096, GAP = 64 << 10, TOTAL = GPU_SIZE - GPU_GLOBAL_OFFSET };

static struct {
    struct allocation *list; // by address
    size_t count, room;
    uintptr_t next; // the first offset not given out yet
    size_t live;    // bytes
    unsigned opened;
} heap;

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

void memory_initialize()
{
    void *base =
        mmap((void *)GPU_BASE, GPU_SIZE, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (base != (void *)GPU_BASE ||
        mprotect(base, GPU_STATIC_SIZE, PROT_READ | PROT_WRITE) != 0 ||
        mprotect((char *)base + GPU_DYNAMIC_OFFSET, GPU_DYNAMIC_SIZE,
                 PROT_READ | PROT_WRITE) != 0) {
        perror("gpu simulator: cannot reserve device memory");
        abort();
    }
    heap.next = GPU_GLOBAL_OFFSET + GAP;
}

void memory_reset()
{
    madvise((void *)(GPU_BASE + GPU_GLOBAL_OFFSET), heap.next - GPU_GLOBAL_OFFSET,
            MADV_DONTNEED);
    mprotect((void *)(GPU_BASE + GPU_GLOBAL_OFFSET), heap.next - GPU_GLOBAL_OFFSET,
             PROT_NONE);
    heap.next = GPU_GLOBAL_OFFSET + GAP;
    heap.count = 0;
    heap.live = 0;
    heap.opened = 0;
}

uintptr_t memory_offset(uintptr_t address)
{
    if (address - GPU_BASE < GPU_SIZE) {
        return address - GPU_BASE;
    }
    uintptr_t start = (uintptr_t)__start_gpu_variables;
    size_t size = (uintptr_t)__stop_gpu_variables - start;
    if (start != 0 && address - start < size && size <= GPU_VARIABLES_SIZE) {
        return GPU_VARIABLES_OFFSET + (address - start);
    }
    return NOT_DEVICE;
}

// ---- allocations --------------------------------------------------------------------------

// How many allocations start at or in front of an offset.
static size_t starts_before(uintptr_t offset)
{
    size_t low = 0, high = heap.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (heap.list[middle].start <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct allocation *memory_near(uintptr_t offset)
{
    if (is_shared(offset) || offset >= GPU_VARIABLES_OFFSET) {
        return NULL;
    }
    size_t behind = starts_before(offset);
    const struct allocation *left = behind > 0 ? &heap.list[behind - 1] : NULL;
    const struct allocation *right = behind < heap.count ? &heap.list[behind] : NULL;
    if (left == NULL || right == NULL) {
        return left == NULL ? right : left;
    }
    uintptr_t end = left->start + left->bytes;
    return offset < end || offset - end <= right->start - offset ? left : right;
}

static struct allocation *find(const void *pointer)
{
    uintptr_t offset = (uintptr_t)pointer - GPU_BASE;
    size_t behind = offset < GPU_SIZE ? starts_before(offset) : 0;
    struct allocation *a = behind > 0 ? &heap.list[behind - 1] : NULL;
    return a != NULL && offset - a->start < a->bytes ? a : NULL;
}

static bool open_pages(struct allocation *a, bool managed)
{
    void *start = (void *)(GPU_BASE + a->start);
    if (mprotect(start, whole_pages(a->bytes), PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    // What cudaMalloc gives may hold anything; here NaNs, which show.
    memset(start, 0xff, a->bytes);
    shadow_mark(a->start, a->bytes, true, false);
    heap.live += a->bytes;
    a->managed = managed;
    if (GPU_CHECKED && !managed) {
        mprotect(start, whole_pages(a->bytes), PROT_NONE);
    }
    return true;
}

// In the plain build device memory stays open: it is there to be fast.
static void protect(int protection)
{
    for (size_t i = 0; GPU_CHECKED && i < heap.count; i++) {
        const struct allocation *a = &heap.list[i];
        if (!a->freed && !a->managed &&
            mprotect((void *)(GPU_BASE + a->start), whole_pages(a->bytes), protection) !=
                0) {
            perror("gpu simulator: cannot protect device memory");
            abort();
        }
    }
}

void memory_open()
{
    if (heap.opened++ == 0) {
        protect(PROT_READ | PROT_WRITE);
    }
}

void memory_close()
{
    if (--heap.opened == 0) {
        protect(PROT_NONE);
    }
}

// When all addresses are used up: the oldest freed allocation that is large enough.
static struct allocation *reuse(size_t bytes)
{
    for (size_t i = 0; i < heap.count; i++) {
        struct allocation *a = &heap.list[i];
        size_t room =
            (i + 1 < heap.count ? heap.list[i + 1].start : heap.next) - a->start;
        if (a->freed && room >= whole_pages(bytes) + GAP) {
            a->bytes = bytes;
            a->freed = false;
            return a;
        }
    }
    return NULL;
}

static struct allocation *add(size_t bytes)
{
    size_t room = whole_pages(bytes) + GAP;
    if (bytes > TOTAL / 4 || room > GPU_SIZE - heap.next) {
        return bytes > TOTAL / 4 ? NULL : reuse(bytes);
    }
    if (heap.count == heap.room) {
        size_t wanted = heap.room == 0 ? 256 : 2 * heap.room;
        void *list = realloc(heap.list, wanted * sizeof *heap.list);
        if (list == NULL) {
            return NULL;
        }
        heap.list = (struct allocation *)list;
        heap.room = wanted;
    }
    struct allocation *a = &heap.list[heap.count++];
    *a = {heap.next, bytes, false, false};
    heap.next += room;
    return a;
}

static cudaError_t allocate(void **pointer, size_t bytes, bool managed)
{
    runtime_initialize();
    if (call_state() != cudaSuccess) {
        return call_state();
    }
    if (pointer == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *pointer = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    struct allocation *a = add(bytes);
    if (a == NULL || !open_pages(a, managed)) {
        return call_error(cudaErrorMemoryAllocation);
    }
    *pointer = (void *)(GPU_BASE + a->start);
    return cudaSuccess;
}

static cudaError_t give_back(void *pointer)
{
    runtime_initialize();
    if (call_state() != cudaSuccess || pointer == NULL) {
        return call_state();
    }
    struct allocation *a = find(pointer);
    if (a == NULL || (uintptr_t)pointer != GPU_BASE + a->start) {
        finding_note(
            "invalid-free", "", place_of(call_pc),
            "cudaFree is called with %p, which cudaMalloc did not give out.\n"
            "Pass the pointer as it was given: not a host pointer, nor one moved "
            "into the middle.",
            pointer);
        return call_error(cudaErrorInvalidValue);
    }
    if (a->freed) {
        finding_note("double-free", "", place_of(call_pc),
                     "cudaFree is called twice for the same %zu bytes.\n"
                     "Free once, and set the pointer to NULL.",
                     a->bytes);
        return call_error(cudaErrorInvalidValue);
    }
    a->freed = true;
    heap.live -= a->bytes;
    shadow_mark(a->start, a->bytes, false, false);
    madvise(pointer, whole_pages(a->bytes), MADV_DONTNEED);
    mprotect(pointer, whole_pages(a->bytes), PROT_NONE);
    return cudaSuccess;
}

// ---- copies -------------------------------------------------------------------------------

// Says what is wrong with a stretch of device memory; true when nothing is.
static bool is_live(const void *pointer, size_t bytes, const char *call, const char *what)
{
    uintptr_t offset = memory_offset((uintptr_t)pointer);
    if (offset != NOT_DEVICE && offset >= GPU_VARIABLES_OFFSET) {
        return true; // the caller's own __device__ variable
    }
    if (offset == NOT_DEVICE) {
        finding_note("memcpy-direction", "", place_of(call_pc),
                     "%s: the %s (%p) is host memory, where device memory is expected.\n"
                     "Look at the order of the pointers, which is (to, from), and at the "
                     "direction.",
                     call, what, pointer);
        return false;
    }
    const struct allocation *a = find(pointer);
    if (a == NULL) {
        a = memory_near(offset);
        finding_note("memcpy-bounds", "", place_of(call_pc),
                     "%s: the %s does not lie in any allocation.%s", call, what,
                     a == NULL ? "" : "\nThe pointer has been moved beyond its end.");
        return false;
    }
    if (a->freed) {
        finding_note(
            "use-after-free", "", place_of(call_pc),
            "%s: the %s was given back by cudaFree.\nFree it after its last use.", call,
            what);
        return false;
    }
    size_t room = a->start + a->bytes - offset;
    if (bytes > room) {
        finding_note(
            "memcpy-bounds", "", place_of(call_pc),
            "%s: %zu bytes, but the %s has only %zu left.\n"
            "Sizes are in bytes: count * sizeof(float), and the same count as in "
            "cudaMalloc.",
            call, bytes, what, room);
        return false;
    }
    return true;
}

static bool is_host(const void *pointer, const char *call, const char *what)
{
    const struct allocation *a = find(pointer);
    if (memory_offset((uintptr_t)pointer) == NOT_DEVICE || (a != NULL && a->managed)) {
        return true;
    }
    finding_note("memcpy-direction", "", place_of(call_pc),
                 "%s: the %s is device memory, where host memory is expected.\n"
                 "Look at the order of the pointers, which is (to, from), and at the "
                 "direction.",
                 call, what);
    return false;
}

static cudaError_t copy(void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind, const char *call)
{
    runtime_initialize();
    if (call_state() != cudaSuccess || bytes == 0) {
        return call_state();
    }
    if (to == NULL || from == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    bool to_device = memory_offset((uintptr_t)to) != NOT_DEVICE;
    bool from_device = memory_offset((uintptr_t)from) != NOT_DEVICE;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) {
        to_device = true;
    }
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) {
        from_device = true;
    }
    if ((unsigned)kind > cudaMemcpyDefault) {
        return call_error(cudaErrorInvalidMemcpyDirection);
    }
    bool host_to = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    bool host_from = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
    if ((host_to && !is_host(to, call, "destination")) ||
        (host_from && !is_host(from, call, "source")) ||
        (to_device && !host_to && !is_live(to, bytes, call, "destination")) ||
        (from_device && !host_from && !is_live(from, bytes, call, "source"))) {
        return call_error(cudaErrorInvalidValue);
    }
    memory_open();
    memmove(to, from, bytes);
    memory_close();
    if (to_device && from_device) {
        shadow_copy(memory_offset((uintptr_t)to), memory_offset((uintptr_t)from), bytes);
    } else if (to_device) {
        shadow_mark(memory_offset((uintptr_t)to), bytes, true, true);
    }
    return cudaSuccess;
}

static cudaError_t set(void *pointer, int value, size_t bytes)
{
    runtime_initialize();
    if (call_state() != cudaSuccess || bytes == 0) {
        return call_state();
    }
    if (!is_live(pointer, bytes, "cudaMemset", "destination")) {
        return call_error(cudaErrorInvalidValue);
    }
    memory_open();
    memset(pointer, value, bytes);
    memory_close();
    shadow_mark(memory_offset((uintptr_t)pointer), bytes, true, true);
    return cudaSuccess;
}

void shadow_library(const void *pointer, size_t bytes, bool write, const char *what)
{
    uintptr_t offset = memory_offset((uintptr_t)pointer);
    if (offset == NOT_DEVICE) {
        finding_stop("host-pointer", call_pc, NULL,
                     "%s is host memory; cuBLAS works on device memory.\n"
                     "Copy it with cudaMemcpy and pass the pointer of cudaMalloc.",
                     what);
    }
    const struct allocation *a = memory_near(offset);
    if (a == NULL || a->freed || offset < a->start || offset - a->start > a->bytes ||
        bytes > a->start + a->bytes - offset) {
        bool freed = a != NULL && a->freed && offset - a->start < a->bytes;
        finding_stop(freed ? "use-after-free" : "out-of-bounds", call_pc, NULL,
                     freed ? "%s was given back by cudaFree.\nFree it after its last use."
                           : "%s reaches beyond its allocation.\nCheck the sizes and the "
                             "leading dimension: cuBLAS counts by columns.",
                     what);
    }
#if GPU_CHECKED
    for (size_t i = 0; i < bytes && !write; i++) {
        if ((shadow.state[(offset + i) / 4] >> (4 + (offset + i) % 4) & 1) == 0) {
            finding_stop(
                "uninitialised-global", call_pc, NULL,
                "%s is read and has not been written (byte %zu of an allocation of "
                "%zu bytes).\nFill it first; with beta = 0 the output is only "
                "written.",
                what, offset + i - a->start, a->bytes);
        }
    }
#endif
    if (write) {
        shadow_mark(offset, bytes, true, true);
    }
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" {

cudaError_t cudaMalloc(void **pointer_dev, size_t bytes)
{
    return allocate(pointer_dev, bytes, false);
}
cudaError_t cudaMallocAsync(void **pointer_dev, size_t bytes, cudaStream_t)
{
    return allocate(pointer_dev, bytes, false);
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned)
{
    return allocate(pointer, bytes, true);
}
cudaError_t cudaFree(void *pointer_dev)
{
    KEEP_CALLER();
    return give_back(pointer_dev);
}
cudaError_t cudaFreeAsync(void *pointer_dev, cudaStream_t)
{
    KEEP_CALLER();
    return give_back(pointer_dev);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    runtime_initialize();
    if (pointer == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *pointer = malloc(bytes > 0 ? bytes : 1);
    return *pointer == NULL ? call_error(cudaErrorMemoryAllocation) : call_state();
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return cudaMallocHost(pointer, bytes);
}
cudaError_t cudaFreeHost(void *pointer)
{
    free(pointer);
    return call_state();
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    *total = TOTAL;
    *unused = TOTAL - heap.live;
    return call_state();
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer)
{
    const struct allocation *a = find(pointer);
    bool live = a != NULL && !a->freed;
    attributes->type = !live        ? cudaMemoryTypeUnregistered
                       : a->managed ? cudaMemoryTypeManaged
                                    : cudaMemoryTypeDevice;
    attributes->device = 0;
    attributes->devicePointer = live ? (void *)(uintptr_t)pointer : NULL;
    attributes->hostPointer = live && !a->managed ? NULL : (void *)(uintptr_t)pointer;
    return call_state();
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    return copy(to, from, bytes, kind, "cudaMemcpy");
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t)
{
    KEEP_CALLER();
    return copy(to, from, bytes, kind, "cudaMemcpyAsync");
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    if (width > to_pitch || width > from_pitch) {
        return call_error(cudaErrorInvalidPitchValue);
    }
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        error = copy((char *)to + row * to_pitch, (const char *)from + row * from_pitch,
                     width, kind, "cudaMemcpy2D");
    }
    return error;
}
cudaError_t cudaMemset(void *pointer_dev, int value, size_t bytes)
{
    KEEP_CALLER();
    return set(pointer_dev, value, bytes);
}
cudaError_t cudaMemsetAsync(void *pointer_dev, int value, size_t bytes, cudaStream_t)
{
    KEEP_CALLER();
    return set(pointer_dev, value, bytes);
}

static bool is_symbol(const void *symbol)
{
    uintptr_t offset = memory_offset((uintptr_t)symbol);
    return offset != NOT_DEVICE && offset >= GPU_VARIABLES_OFFSET;
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    if (!is_symbol(symbol)) {
        return call_error(cudaErrorInvalidSymbol);
    }
    return copy((char *)(uintptr_t)symbol + offset, from, bytes, kind,
                "cudaMemcpyToSymbol");
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    if (!is_symbol(symbol)) {
        return call_error(cudaErrorInvalidSymbol);
    }
    return copy(to, (const char *)symbol + offset, bytes, kind, "cudaMemcpyFromSymbol");
}
cudaError_t cudaGetSymbolAddress(void **pointer_dev, const void *symbol)
{
    *pointer_dev = (void *)(uintptr_t)symbol;
    return is_symbol(symbol) ? call_state() : call_error(cudaErrorInvalidSymbol);
}

void gpu_forget(void *pointer_dev, size_t bytes)
{
    const struct allocation *a = find(pointer_dev);
    if (a != NULL && !a->freed &&
        bytes <= GPU_BASE + a->start + a->bytes - (uintptr_t)pointer_dev) {
        shadow_mark((uintptr_t)pointer_dev - GPU_BASE, bytes, true, false);
    }
}

} // extern "C"
