// hooks.cc - the functions that g++ -fsanitize=thread calls at every load and store.
//
// Uses the compiler's part of ThreadSanitizer with our own functions instead of its
// library. Each gets the address, and derives the source position from its return address.
// These are the hot functions of the checked build; uncommon cases go to shadow_access.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/runtime/rules.h"
#include "gpu/runtime/turns.h"

#define PC __builtin_return_address(0)

using namespace gpu_runtime;

ALWAYS_INLINE bool likely(bool x)
{
    return __builtin_expect(x, true);
}

// Returns true for an access to whole words of device memory in a kernel without profiling.
ALWAYS_INLINE bool is_fast(uintptr_t offset)
{
    return likely(offset < here.fast_size && offset % 4 == 0);
}

// An access that is not fast. Those to a thread's own arrays need no check.
ALWAYS_INLINE void check_other(uintptr_t address, size_t bytes, enum access_kind kind,
                               const void *pc)
{
    if (!on_own_stack(address)) {
        shadow_access(address, bytes, kind, pc);
    }
}

template <int words> ALWAYS_INLINE void read_words(uintptr_t address, const void *pc)
{
    uintptr_t offset = address - GPU_BASE;
    if (!is_fast(offset)) {
        check_other(address, 4 * words, ACCESS_READ, pc);
        return;
    }
    for (int i = 0; i < words; i++) {
        uintptr_t word = offset / 4 + (uintptr_t)i;
        struct cell *cell = &shadow.cells[word];
        if (!likely(shadow.state[word] == STATE_GOOD)) {
            shadow_read_word(address, 4 * words, 4 * (size_t)i, pc);
        } else if (!nothing_new(cell, offset) && !read_by_me(cell)) {
            if (likely(cell->write != CELL_SPLIT)) {
                shadow.touched[word / (CHUNK / 4)] = 1;
                check_read(cell, offset, pc);
            } else {
                shadow_access(address + 4 * (uintptr_t)i, 4, ACCESS_READ, pc);
            }
        }
    }
    shadow.accesses++;
}

template <int words> ALWAYS_INLINE void write_words(uintptr_t address, const void *pc)
{
    uintptr_t offset = address - GPU_BASE;
    if (!is_fast(offset)) {
        check_other(address, 4 * words, ACCESS_WRITE, pc);
        return;
    }
    for (int i = 0; i < words; i++) {
        uintptr_t word = offset / 4 + (uintptr_t)i;
        struct cell *cell = &shadow.cells[word];
        if (!likely((shadow.state[word] & STATE_ADDRESSABLE) == STATE_ADDRESSABLE &&
                    cell->write != CELL_SPLIT)) {
            shadow_access(address + 4 * (uintptr_t)i, 4, ACCESS_WRITE, pc);
        } else {
            shadow.state[word] = STATE_GOOD;
            shadow.touched[word / (CHUNK / 4)] = 1;
            check_write(cell, offset, pc);
        }
    }
    shadow.accesses++;
}

extern "C" {

void __tsan_init()
{
}

void __tsan_read4(uintptr_t address)
{
    read_words<1>(address, PC);
}
void __tsan_read8(uintptr_t address)
{
    read_words<2>(address, PC);
}
void __tsan_read16(uintptr_t address)
{
    read_words<4>(address, PC);
}
void __tsan_write4(uintptr_t address)
{
    write_words<1>(address, PC);
}
void __tsan_write8(uintptr_t address)
{
    write_words<2>(address, PC);
}
void __tsan_write16(uintptr_t address)
{
    write_words<4>(address, PC);
}

#define SLOW(name, bytes, kind)                                                          \
    void __tsan_##name(uintptr_t address)                                                \
    {                                                                                    \
        shadow_access(address, bytes, kind, PC);                                         \
    }
SLOW(read1, 1, ACCESS_READ)
SLOW(read2, 2, ACCESS_READ)
SLOW(write1, 1, ACCESS_WRITE)
SLOW(write2, 2, ACCESS_WRITE)
SLOW(unaligned_read2, 2, ACCESS_READ)
SLOW(unaligned_read4, 4, ACCESS_READ)
SLOW(unaligned_read8, 8, ACCESS_READ)
SLOW(unaligned_read16, 16, ACCESS_READ)
SLOW(unaligned_write2, 2, ACCESS_WRITE)
SLOW(unaligned_write4, 4, ACCESS_WRITE)
SLOW(unaligned_write8, 8, ACCESS_WRITE)
SLOW(unaligned_write16, 16, ACCESS_WRITE)
// A loop may wait for another thread with one.
#define VOLATILE_READ(bytes)                                                             \
    void __tsan_volatile_read##bytes(uintptr_t address)                                  \
    {                                                                                    \
        static uintptr_t last;                                                           \
        shadow_access(address, bytes, ACCESS_READ, PC);                                  \
        atomics_volatile_read(address != last, PC);                                      \
        last = address;                                                                  \
    }
VOLATILE_READ(1)
VOLATILE_READ(2)
VOLATILE_READ(4)
VOLATILE_READ(8)
SLOW(volatile_write1, 1, ACCESS_WRITE)
SLOW(volatile_write2, 2, ACCESS_WRITE)
SLOW(volatile_write4, 4, ACCESS_WRITE)
SLOW(volatile_write8, 8, ACCESS_WRITE)

void __tsan_read_range(uintptr_t address, size_t bytes)
{
    shadow_access(address, bytes, ACCESS_READ, PC);
}
void __tsan_write_range(uintptr_t address, size_t bytes)
{
    shadow_access(address, bytes, ACCESS_WRITE, PC);
}
static void check_range(const void *at, size_t bytes, enum access_kind kind,
                        const void *pc)
{
    if (bytes > 0) {
        shadow_access((uintptr_t)at, bytes, kind, pc);
    }
}
void *gpu_memcpy(void *to, const void *from, size_t bytes)
{
    check_range(from, bytes, ACCESS_READ, PC);
    check_range(to, bytes, ACCESS_WRITE, PC);
    return memcpy(to, from, bytes);
}
void *gpu_memmove(void *to, const void *from, size_t bytes)
{
    check_range(from, bytes, ACCESS_READ, PC);
    check_range(to, bytes, ACCESS_WRITE, PC);
    return memmove(to, from, bytes);
}
void *gpu_memset(void *to, int value, size_t bytes)
{
    check_range(to, bytes, ACCESS_WRITE, PC);
    return memset(to, value, bytes);
}

int gpu_memcmp(const void *one, const void *other, size_t bytes)
{
    check_range(one, bytes, ACCESS_READ, PC);
    check_range(other, bytes, ACCESS_READ, PC);
    return memcmp(one, other, bytes);
}

// The length of a string is known only after reading it.
size_t gpu_strlen(const char *text)
{
    size_t length = strlen(text);
    check_range(text, length + 1, ACCESS_READ, PC);
    return length;
}
int gpu_strcmp(const char *one, const char *other)
{
    size_t same = 0;
    while (one[same] == other[same] && one[same] != '\0') {
        same++;
    }
    check_range(one, same + 1, ACCESS_READ, PC);
    check_range(other, same + 1, ACCESS_READ, PC);
    return (unsigned char)one[same] - (unsigned char)other[same];
}

// A function that the program does not declare for the device.
void gpu_host_in_kernel()
{
    if (here.on_device) { // and not another host thread during the launch
        finding_stop("host-function", PC, NULL,
                     "a kernel calls this function, which is for the host.\n"
                     "nvcc refuses the call: write __device__ before the function, or "
                     "__host__ __device__ if the host calls it, too.");
    }
}

// A conversion n of printf stores a number through a pointer: a write that nothing would check.
static void refuse_stores(const char *format, const void *pc)
{
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        at += 1 + strspn(at + 1, "0123456789 +-#'.*$hlqjztLI");
        if (*at == 'n' && here.on_device) {
            finding_stop("call-in-kernel", pc, NULL,
                         "printf in a kernel stores nothing: leave out %%n.");
        }
        at += *at != '\0';
    }
}
__attribute__((format(printf, 1, 2))) int gpu_printf(const char *format, ...)
{
    va_list more;
    refuse_stores(format, PC);
    va_start(more, format);
    int printed = vprintf(format, more);
    va_end(more);
    return printed;
}
__attribute__((format(printf, 2, 3))) int gpu_fprintf(FILE *file, const char *format, ...)
{
    va_list more;
    refuse_stores(format, PC);
    va_start(more, format);
    int printed = vfprintf(file, format, more);
    va_end(more);
    return printed;
}

// C library functions that store a second result through a pointer. The student's calls are
// redirected here (grader/build/cuda.c).
#define TWO_RESULTS(name, T)                                                             \
    void gpu_##name(T x, T *first, T *second)                                            \
    {                                                                                    \
        T results[2];                                                                    \
        name(x, &results[0], &results[1]);                                               \
        check_range(first, sizeof(T), ACCESS_WRITE, PC);                                 \
        *first = results[0];                                                             \
        check_range(second, sizeof(T), ACCESS_WRITE, PC);                                \
        *second = results[1];                                                            \
    }
TWO_RESULTS(sincos, double)
TWO_RESULTS(sincosf, float)

#define SECOND_RESULT(name, T, U)                                                        \
    T gpu_##name(T x, U *second)                                                         \
    {                                                                                    \
        U result;                                                                        \
        T value = name(x, &result);                                                      \
        check_range(second, sizeof(U), ACCESS_WRITE, PC);                                \
        *second = result;                                                                \
        return value;                                                                    \
    }
SECOND_RESULT(modf, double, double)
SECOND_RESULT(modff, float, float)
SECOND_RESULT(frexp, double, int)
SECOND_RESULT(frexpf, float, int)

// The pointer to an object's virtual functions.
void __tsan_vptr_update(void **at, void *)
{
    shadow_access((uintptr_t)at, sizeof *at, ACCESS_WRITE, PC);
}
void __tsan_vptr_read(void **at)
{
    shadow_access((uintptr_t)at, sizeof *at, ACCESS_READ, PC);
}
void __tsan_func_entry(void *)
{
}
void __tsan_func_exit()
{
}

} // extern "C"
