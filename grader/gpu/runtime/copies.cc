// copies.cc - cudaMemcpy and its relatives: checks their bounds and directions.

#include <string.h>

#include "common/plural.h"
#include "gpu/runtime/runtime.h"
#include "gpu/runtime/sample.h"

namespace gpu_runtime
{

// Reports what is wrong with a range of device memory; returns true if it is all right.
static bool is_live(const void *pointer, size_t bytes, const char *call, const char *what)
{
    if (launch.only_sizes) {
        return true; // the pointer may be far behind its tensor, too
    }
    uintptr_t offset = memory_offset((uintptr_t)pointer);
    if (offset != NOT_DEVICE && offset >= GPU_VARIABLES_OFFSET) {
        if (bytes <= memory_variables_room(offset)) {
            return true; // the caller's own __device__ variable
        }
        finding_note(
            "memcpy-bounds", "", place_of(call_pc),
            "%s: %zu byte%s, but the %s is a __device__ variable, and the memory of all "
            "such variables ends before that.",
            call, bytes, plural((double)bytes), what);
        return false;
    }
    if (offset == NOT_DEVICE) {
        finding_note("memcpy-direction", "", place_of(call_pc),
                     "%s: the %s (%p) is host memory, where device memory is expected.\n"
                     "Check the order of the pointers, which is (to, from), and the "
                     "direction.",
                     call, what, pointer);
        return false;
    }
    const struct allocation *a = memory_find(pointer);
    if (a == NULL) {
        a = memory_near(offset);
        finding_note("memcpy-bounds", "", place_of(call_pc),
                     "%s: the %s does not lie in any allocation.%s", call, what,
                     a == NULL ? ""
                               : "\n"
                                 "The pointer was moved past the end of its allocation.");
        return false;
    }
    if (a->freed) {
        finding_note("use-after-free", "", place_of(call_pc),
                     "%s: the %s was released by cudaFree.\n"
                     "Free it after its last use.",
                     call, what);
        return false;
    }
    size_t room = a->start + a->bytes - offset;
    if (bytes > room) {
        finding_note("memcpy-bounds", "", place_of(call_pc),
                     "%s: %zu byte%s, but the %s has only %zu left.\n"
                     "Sizes are in bytes: use count * sizeof(float), with the same "
                     "count as in cudaMalloc.",
                     call, bytes, plural((double)bytes), what, room);
        return false;
    }
    return true;
}

static bool is_host(const void *pointer, const char *call, const char *what)
{
    const struct allocation *a = memory_find(pointer);
    if (memory_offset((uintptr_t)pointer) == NOT_DEVICE || (a != NULL && a->managed)) {
        return true;
    }
    finding_note("memcpy-direction", "", place_of(call_pc),
                 "%s: the %s is device memory, where host memory is expected.\n"
                 "Check the order of the pointers, which is (to, from), and the "
                 "direction.",
                 call, what);
    return false;
}

// A result that the host gets, and that nobody has written. The whole of a buffer is often copied,
// so this is a warning.
static void warn_of_unwritten(uintptr_t offset, size_t bytes, const char *call)
{
#if GPU_CHECKED
    size_t unset = 0, first = 0;
    for (size_t i = 0; i < bytes; i++) {
        uintptr_t at = offset + i;
        if (at % 4 == 0 && shadow.state[at / 4] == STATE_GOOD) {
            i += 3;
        } else if ((shadow.state[at / 4] >> (4 + at % 4) & 1) == 0) {
            first = unset++ == 0 ? i : first;
        }
    }
    char name[200];
    if (unset > 0 && !shadow_only_padding(offset, bytes) &&
        name_of(name, sizeof name, offset + first)) {
        finding_warn("uninitialized-copy", call_pc, NULL,
                     "%s: %zu of %zu byte%s %s never written; the first is %s.", call,
                     unset, bytes, plural((double)bytes), unset == 1 ? "was" : "were",
                     name);
    }
#else
    (void)offset, (void)bytes, (void)call;
#endif
}

static cudaError_t copy(void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind, const char *call)
{
    runtime_initialize();
    shadow_waited();
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
    if (launch.only_sizes) {
        return cudaSuccess;
    }
    if (from_device && !to_device && !finding_in_course) {
        warn_of_unwritten(memory_offset((uintptr_t)from), bytes, call);
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
    if (launch.only_sizes) {
        return cudaSuccess;
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
                     "Copy it with cudaMemcpy, and pass the pointer from cudaMalloc.",
                     what);
    }
    if (offset >= GPU_VARIABLES_OFFSET) {
        return; // a __device__ variable, which is always written
    }
    const struct allocation *a = memory_near(offset);
    if (a == NULL || a->freed || offset < a->start || offset - a->start > a->bytes ||
        bytes > a->start + a->bytes - offset) {
        bool freed = a != NULL && a->freed && offset - a->start < a->bytes;
        bool named = a != NULL && a->name != NULL;
        finding_stop(
            freed ? "use-after-free" : "out-of-bounds", call_pc, NULL,
            freed ? "%s was released by cudaFree.\n"
                    "Free it after its last use."
                  : "%s reaches past the end of its allocation%s%s.\n"
                    "Check the sizes and the leading dimension: cuBLAS stores matrices "
                    "by columns.",
            what, named ? ", " : "", named ? a->name : "");
    }
#if GPU_CHECKED
    for (size_t i = 0; i < bytes && !write; i++) {
        if ((shadow.state[(offset + i) / 4] >> (4 + (offset + i) % 4) & 1) == 0) {
            if (sample_some) {
                sample_library_reads_unwritten();
                break;
            }
            finding_go_on(
                "uninitialized-global", call_pc, NULL,
                "%s is read, but was never written (byte %zu of an allocation of %zu "
                "bytes%s%s).\n"
                "Fill it first. With beta = 0, cuBLAS does not read the output.",
                what, offset + i - a->start, a->bytes, a->name != NULL ? ", " : "",
                a->name != NULL ? a->name : "");
            break;
        }
    }
#endif
    if (write) {
        shadow_mark(offset, bytes, true, !(sample_some && sample_library_writes(offset)));
    }
}

// Is this a copy from device memory to device memory? The pointers count: with another kind, the
// direction is wrong.
static bool within_device(const void *to, const void *from, enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToDevice ||
           (memory_offset((uintptr_t)to) != NOT_DEVICE &&
            memory_offset((uintptr_t)from) != NOT_DEVICE);
}

struct rows {
    size_t to_pitch, from_pitch, width, height; // bytes, but height
};

static cudaError_t copy_rows(void *to, const void *from, const struct rows *rows,
                             enum cudaMemcpyKind kind, const char *call)
{
    if (rows->width > rows->to_pitch || rows->width > rows->from_pitch) {
        return call_error(cudaErrorInvalidPitchValue);
    }
    cudaError_t error = cudaSuccess;
    const size_t height = launch.only_sizes && rows->height > 0 ? 1 : rows->height;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        error =
            copy((char *)to + row * rows->to_pitch,
                 (const char *)from + row * rows->from_pitch, rows->width, kind, call);
    }
    return error;
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    launcher_may_not("launcher-copies", "cudaMemcpy, which waits", CALLER());
    return copy(to, from, bytes, kind, "cudaMemcpy");
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    KEEP_CALLER();
    launcher_uses(stream, "cudaMemcpyAsync", CALLER());
    if (!within_device(to, from, kind)) {
        launcher_may_not("launcher-copies", "cudaMemcpyAsync with the host", CALLER());
    }
    return copy(to, from, bytes, kind, "cudaMemcpyAsync");
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    launcher_may_not("launcher-copies", "cudaMemcpy2D, which waits", CALLER());
    const struct rows rows = {to_pitch, from_pitch, width, height};
    return copy_rows(to, from, &rows, kind, "cudaMemcpy2D");
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    KEEP_CALLER();
    launcher_uses(stream, "cudaMemcpy2DAsync", CALLER());
    if (!within_device(to, from, kind)) {
        launcher_may_not("launcher-copies", "cudaMemcpy2DAsync with the host", CALLER());
    }
    const struct rows rows = {to_pitch, from_pitch, width, height};
    return copy_rows(to, from, &rows, kind, "cudaMemcpy2DAsync");
}
cudaError_t cudaMemset(void *pointer_dev, int value, size_t bytes)
{
    KEEP_CALLER();
    launcher_uses(NULL, "cudaMemset", CALLER());
    return set(pointer_dev, value, bytes);
}
cudaError_t cudaMemsetAsync(void *pointer_dev, int value, size_t bytes,
                            cudaStream_t stream)
{
    KEEP_CALLER();
    launcher_uses(stream, "cudaMemsetAsync", CALLER());
    return set(pointer_dev, value, bytes);
}

static bool is_symbol(const void *symbol)
{
    uintptr_t offset = memory_offset((uintptr_t)symbol);
    return offset != NOT_DEVICE && offset >= GPU_VARIABLES_OFFSET;
}

static __thread size_t symbol_bytes;

// By the templates in include/simulated/launch.h. A variable of a thread would need __tls_get_addr in a hand-in.
extern "C" void gpu_symbol_bytes(size_t bytes)
{
    symbol_bytes = bytes;
}

static bool fits_symbol(size_t bytes, size_t offset, const char *call)
{
    size_t size = symbol_bytes;
    symbol_bytes = 0; // a call without the template does not know the size
    if (size == 0 || (offset <= size && bytes <= size - offset)) {
        return true;
    }
    finding_note("memcpy-bounds", "", place_of(call_pc),
                 "%s: %zu byte%s from byte %zu, but the variable has only %zu byte%s.\n"
                 "Sizes are in bytes: use sizeof with the variable's name.",
                 call, bytes, plural((double)bytes), offset, size, plural((double)size));
    return false;
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    launcher_may_not("launcher-copies", "cudaMemcpyToSymbol", CALLER());
    if (!is_symbol(symbol)) {
        return call_error(cudaErrorInvalidSymbol);
    }
    if (!fits_symbol(bytes, offset, "cudaMemcpyToSymbol")) {
        return call_error(cudaErrorInvalidValue);
    }
    return copy((char *)(uintptr_t)symbol + offset, from, bytes, kind,
                "cudaMemcpyToSymbol");
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    KEEP_CALLER();
    launcher_may_not("launcher-copies", "cudaMemcpyFromSymbol", CALLER());
    if (!is_symbol(symbol)) {
        return call_error(cudaErrorInvalidSymbol);
    }
    if (!fits_symbol(bytes, offset, "cudaMemcpyFromSymbol")) {
        return call_error(cudaErrorInvalidValue);
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
    const struct allocation *a = memory_find(pointer_dev);
    if (a != NULL && !a->freed &&
        bytes <= GPU_BASE + a->start + a->bytes - (uintptr_t)pointer_dev) {
        shadow_mark((uintptr_t)pointer_dev - GPU_BASE, bytes, true, false);
    }
}

} // extern "C"
