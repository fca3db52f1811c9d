// heap.c - limits the memory that one call may hold from malloc at a time, where an exercise asks for
// that (.heap_kilobytes in exercises/exercise.h).
//
// The limits of points.txt hold for the whole program and are measured from outside, 20 ms apart. This
// limit is far smaller and exact: AddressSanitizer reports every malloc and free of the student's code.
// Local and global arrays do not count, and neither does mmap.

#include "worker/worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

// gcc does not install sanitizer/allocator_interface.h.
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *,
                                                                size_t),
                                              void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *pointer);

static size_t most; // bytes
static atomic_bool in_a_call;
static atomic_size_t held; // by this call; threads of a student may allocate, too

static void on_malloc(const volatile void *pointer, size_t bytes)
{
    (void)pointer;
    if (!in_a_call || (held += bytes) <= most) {
        return;
    }
    in_a_call = false;
    print_last();
    fprintf(stderr, HEAP_MARK "%zu\n", (size_t)held);
    backend_place();
    _exit(WORKER_HEAP);
}

// Memory from an earlier call or from before the first one may be freed in this one.
static void on_free(const volatile void *pointer)
{
    const size_t bytes = in_a_call ? __sanitizer_get_allocated_size(pointer) : 0;
    size_t before = held;
    while (!atomic_compare_exchange_weak(&held, &before,
                                         before > bytes ? before - bytes : 0)) {
    }
}

void heap_begin(size_t kilobytes)
{
    most = kilobytes << 10;
    if (most > 0 && __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) == 0) {
        worker_fail("malloc hooks");
    }
}

void heap_call(bool begins)
{
    held = 0;
    in_a_call = begins && most > 0;
}
