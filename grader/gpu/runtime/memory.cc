// memory.cc - allocations of device memory, and the lookup of addresses. pages.cc controls
// access to the pages; copies.cc has the copies.
//
// Allocations are separated by wide unmapped gaps, and an address is not reused until all
// addresses are used up. So an access past an end or after cudaFree never hits another
// allocation by accident.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/plural.h"
#include "gpu/runtime/runtime.h"

// The linker gathers __device__ and __constant__ variables between the first two, and
// __managed__ variables between the others.
extern "C" {
extern char __start_gpu_variables[] __attribute__((weak));
extern char __stop_gpu_variables[] __attribute__((weak));
extern char __start_gpu_managed[] __attribute__((weak));
extern char __stop_gpu_managed[] __attribute__((weak));
}

namespace gpu_runtime
{

enum : size_t { GAP = 64 << 10, TOTAL = GPU_SIZE - GPU_GLOBAL_OFFSET };

static struct {
    struct allocation *list; // by address
    size_t count, room;
    uintptr_t next; // the first unused offset
    size_t live;    // bytes
    unsigned resets;
} heap;

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
    if (memory_variables() > GPU_VARIABLES_SIZE) {
        fprintf(stderr, "gpu simulator: __device__ variables of more than %zu MiB\n",
                GPU_VARIABLES_SIZE >> 20);
        abort();
    }
}

// Pages of small cases stay with the process for the next case, because returning and
// getting pages costs more than the case. They are filled with NaN when reused
// (open_pages).
enum : size_t { SMALL = 8 << 20 };

// After a reset, allocations start elsewhere, so that a kept pointer does not find the next
// call's tensor.
enum { STARTS = 4 };

void memory_reset()
{
    size_t used = heap.next - GPU_GLOBAL_OFFSET;
    void *start = (void *)(GPU_BASE + GPU_GLOBAL_OFFSET);
    for (size_t i = 0; i < heap.count; i++) {
        shadow_mark(heap.list[i].start, heap.list[i].bytes, false, false);
    }
    if (!GPU_CHECKED || used > SMALL) {
        madvise(start, used, MADV_DONTNEED);
        shadow_give_back();
    }
    if (!GPU_CHECKED) {
        mprotect(start, used, PROT_NONE);
    }
    heap.next = GPU_GLOBAL_OFFSET + GAP * (1 + ++heap.resets % STARTS);
    heap.count = 0;
    heap.live = 0;
    pages_reset();
}

// Offsets of managed variables begin behind those of the others.
static size_t device_room()
{
    size_t bytes = (uintptr_t)__stop_gpu_variables - (uintptr_t)__start_gpu_variables;
    return (bytes + 63) / 64 * 64;
}

uintptr_t memory_offset(uintptr_t address)
{
    if (address - GPU_BASE < GPU_SIZE) {
        return address - GPU_BASE;
    }
    if (address - (uintptr_t)__start_gpu_variables <
        (uintptr_t)__stop_gpu_variables - (uintptr_t)__start_gpu_variables) {
        return GPU_VARIABLES_OFFSET + (address - (uintptr_t)__start_gpu_variables);
    }
    if (address - (uintptr_t)__start_gpu_managed <
        (uintptr_t)__stop_gpu_managed - (uintptr_t)__start_gpu_managed) {
        return GPU_VARIABLES_OFFSET + device_room() +
               (address - (uintptr_t)__start_gpu_managed);
    }
    return NOT_DEVICE;
}

size_t memory_device_variables()
{
    return (uintptr_t)__stop_gpu_variables - (uintptr_t)__start_gpu_variables;
}

uintptr_t memory_end()
{
    return heap.next;
}

size_t memory_variables()
{
    size_t managed = (uintptr_t)__stop_gpu_managed - (uintptr_t)__start_gpu_managed;
    return device_room() + managed;
}

bool memory_managed_variable(uintptr_t offset)
{
    return offset >= GPU_VARIABLES_OFFSET + device_room();
}

size_t memory_variables_room(uintptr_t offset)
{
    size_t device = (uintptr_t)__stop_gpu_variables - (uintptr_t)__start_gpu_variables;
    size_t end = memory_managed_variable(offset) ? memory_variables() : device;
    return end - (offset - GPU_VARIABLES_OFFSET);
}

// ---- allocations --------------------------------------------------------------------------

// The number of allocations that start at or before an offset.
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

const struct allocation *memory_list(size_t *count)
{
    *count = heap.count;
    return heap.list;
}

struct allocation *memory_find(const void *pointer)
{
    uintptr_t offset = (uintptr_t)pointer - GPU_BASE;
    size_t behind = offset < GPU_SIZE ? starts_before(offset) : 0;
    struct allocation *a = behind > 0 ? &heap.list[behind - 1] : NULL;
    return a != NULL && offset - a->start < a->bytes ? a : NULL;
}

// What managed memory holds at first: NaN, and no value that programs write. So if a word holds
// something else, it was written, even by host code whose accesses are not observed.
enum : uint32_t { MANAGED_FILL = 0xfffba5c3 };

static void fill_managed(const struct allocation *a)
{
    uint32_t *words = (uint32_t *)(GPU_BASE + a->start);
    for (size_t i = 0; i < a->bytes / 4; i++) {
        words[i] = MANAGED_FILL;
    }
}

bool memory_host_wrote(uintptr_t offset)
{
    const struct allocation *a = memory_find((const void *)(GPU_BASE + offset));
    uintptr_t in = a == NULL ? 0 : (offset - a->start) / 4 * 4;
    return a != NULL && a->managed && in + 4 <= a->bytes &&
           *(const uint32_t *)(GPU_BASE + a->start + in) != MANAGED_FILL;
}

static bool open_pages(struct allocation *a, bool managed)
{
    if (!pages_add(a->start, pages_whole(a->bytes))) {
        return false;
    }
    memory_open();
    // Memory from cudaMalloc has arbitrary contents; here NaN, which stands out.
    memset((void *)(GPU_BASE + a->start), 0xff, a->bytes);
    a->managed = managed;
    if (managed) {
        fill_managed(a);
    }
    memory_close();
    shadow_mark(a->start, a->bytes, true, false);
    heap.live += a->bytes;
    return true;
}

// If all addresses are used up: the oldest freed allocation that is large enough.
static struct allocation *reuse(size_t bytes)
{
    for (size_t i = 0; i < heap.count; i++) {
        struct allocation *a = &heap.list[i];
        size_t room =
            (i + 1 < heap.count ? heap.list[i + 1].start : heap.next) - a->start;
        if (a->freed && room >= pages_whole(bytes) + GAP) {
            a->bytes = bytes;
            a->freed = false;
            a->name = NULL;
            a->pc = call_pc;
            return a;
        }
    }
    return NULL;
}

static struct allocation *add(size_t bytes)
{
    size_t room = pages_whole(bytes) + GAP;
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
    *a = {heap.next, bytes, false, false, NULL, call_pc};
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

cudaError_t memory_allocate(void **pointer, size_t bytes)
{
    struct allocation *a = bytes > 0 ? add(bytes) : NULL;
    if (a == NULL || !open_pages(a, false)) {
        return cudaErrorMemoryAllocation;
    }
    *pointer = (void *)(GPU_BASE + a->start);
    return cudaSuccess;
}

static cudaError_t release(void *pointer)
{
    struct allocation *a = memory_find(pointer);
    if (a == NULL || (uintptr_t)pointer != GPU_BASE + a->start) {
        finding_note(
            "invalid-free", "", place_of(call_pc),
            "cudaFree is called with %p, which cudaMalloc did not return.\n"
            "Pass the pointer that cudaMalloc returned: not a host pointer, and not one "
            "into the middle of the memory.",
            pointer);
        return call_error(cudaErrorInvalidValue);
    }
    if (a->freed) {
        finding_note("double-free", "", place_of(call_pc),
                     "cudaFree is called twice for the same %zu byte%s.\n"
                     "Free once, and set the pointer to NULL.",
                     a->bytes, plural((double)a->bytes));
        return call_error(cudaErrorInvalidValue);
    }
    a->freed = true;
    heap.live -= a->bytes;
    shadow_mark(a->start, a->bytes, false, false);
    madvise(pointer, pages_whole(a->bytes), MADV_DONTNEED);
    pages_remove(a);
    return cudaSuccess;
}

void memory_assume_written()
{
    const struct gpu_bytes *g = launch.arguments;
    for (; g != NULL && g->bytes > 0; g++) {
        for (size_t i = 0; i + sizeof(void *) <= g->bytes; i += sizeof(void *)) {
            const void *pointer;
            memcpy(&pointer, (const char *)g->at + i, sizeof pointer);
            const struct allocation *a = memory_find(pointer);
            if (a != NULL && !a->freed) {
                shadow_mark(a->start, a->bytes, true, true);
            }
        }
    }
}

void *memory_at(uintptr_t offset)
{
    if (offset < GPU_VARIABLES_OFFSET) {
        return (void *)(GPU_BASE + offset);
    }
    offset -= GPU_VARIABLES_OFFSET;
    return offset < device_room() ? __start_gpu_variables + offset
                                  : __start_gpu_managed + (offset - device_room());
}

cudaError_t memory_give_back(void *pointer)
{
    return pointer == NULL ? cudaSuccess : release(pointer);
}

static cudaError_t give_back(void *pointer)
{
    runtime_initialize();
    shadow_waited();
    if (call_state() != cudaSuccess || pointer == NULL) {
        return call_state();
    }
    return release(pointer);
}

} // namespace gpu_runtime

using namespace gpu_runtime;

void gpu_name(const void *pointer_dev, const char *name)
{
    struct allocation *a = memory_find(pointer_dev);
    if (a != NULL) {
        a->name = name;
    }
}

extern "C" {

cudaError_t cudaMalloc(void **pointer_dev, size_t bytes)
{
    launcher_may_not("launcher-allocates", "cudaMalloc", CALLER());
    KEEP_CALLER();
    return allocate(pointer_dev, bytes, false);
}
cudaError_t cudaMallocAsync(void **pointer_dev, size_t bytes, cudaStream_t)
{
    launcher_may_not("launcher-allocates", "cudaMallocAsync", CALLER());
    KEEP_CALLER();
    return allocate(pointer_dev, bytes, false);
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned)
{
    launcher_may_not("launcher-allocates", "cudaMallocManaged", CALLER());
    KEEP_CALLER();
    return allocate(pointer, bytes, true);
}
cudaError_t cudaFree(void *pointer_dev)
{
    launcher_may_not("launcher-allocates", "cudaFree", CALLER());
    KEEP_CALLER();
    return give_back(pointer_dev);
}
cudaError_t cudaFreeAsync(void *pointer_dev, cudaStream_t)
{
    launcher_may_not("launcher-allocates", "cudaFreeAsync", CALLER());
    KEEP_CALLER();
    return give_back(pointer_dev);
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
    host_turn turn;
    const struct allocation *a = memory_find(pointer);
    bool live = a != NULL && !a->freed;
    attributes->type = pinned_contains((uintptr_t)pointer, 1) ? cudaMemoryTypeHost
                       : !live                                ? cudaMemoryTypeUnregistered
                       : a->managed                           ? cudaMemoryTypeManaged
                                                              : cudaMemoryTypeDevice;
    attributes->device = 0;
    attributes->devicePointer = live ? (void *)(uintptr_t)pointer : NULL;
    attributes->hostPointer = live && !a->managed ? NULL : (void *)(uintptr_t)pointer;
    return call_state();
}

} // extern "C"
