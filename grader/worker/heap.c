// heap.c - limits the memory that a function may hold, where an exercise asks for that
// (.heap_kilobytes in exercises/exercise.h).
//
// The limits of points.txt hold for the whole program and are measured from outside, 20 ms apart. These
// limits are far smaller and exact:
//
//   malloc      AddressSanitizer reports every malloc and free of the student's code. Memory that
//               an earlier call did not free counts, too.
//   the stack   the kernel ends a program whose stack grows further: local arrays, alloca
//   the rest    the kernel refuses further memory: mmap, sbrk, threads' stacks. A few files may be open, so
//               pipes hold little; nothing else in the kernel may hold data (sandbox/wall.c).
//
// The judge counts global and static variables before the first call (judge.c).

#define _GNU_SOURCE
#include "worker/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// gcc does not install sanitizer/allocator_interface.h.
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *,
                                                                size_t),
                                              void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *pointer);
// AddressSanitizer keeps freed memory for a while, to notice that it is used. This gives it back.
void __sanitizer_purge_allocator(void);

// Right code may use this much beyond malloc, for example for the stacks of six threads.
enum {
    STACK_GROWTH = 512 << 10,
    OTHER_GROWTH = 6 << 20,
    THREAD_STACK = 256 << 10,
    MOST_FREED = 512 << 10,
    OPEN_FILES = 32
};

static size_t most; // bytes
static atomic_bool in_a_call;
static atomic_size_t held; // since the first call; threads of a student may allocate, too
static size_t kept;        // of it, what earlier calls did not free
static atomic_size_t freed; // since the last purge

static void on_malloc(const volatile void *pointer, size_t bytes)
{
    (void)pointer;
    if (freed > MOST_FREED) {
        freed = 0;
        __sanitizer_purge_allocator();
    }
    if (!in_a_call || atomic_fetch_add(&held, bytes) + bytes <= most) {
        return;
    }
    in_a_call = false;
    print_last();
    fprintf(stderr, HEAP_MARK "%zu %zu\n", (size_t)held, kept);
    backend_place(NULL);
    _exit(WORKER_HEAP);
}

// Memory from an earlier call or from before the first one may be freed in this one.
static void on_free(const volatile void *pointer)
{
    const size_t size = __sanitizer_get_allocated_size(pointer);
    const size_t bytes = in_a_call ? size : 0;
    size_t before = held;
    freed += size;
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

// ---- memory that is not from malloc -------------------------------------------------------

// Both the soft and the hard limit, so the student's code cannot raise it again.
static void lower(__rlimit_resource_t resource, rlim_t most_now)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) {
        worker_fail("getrlimit");
    }
    limit.rlim_max = limit.rlim_max < most_now ? limit.rlim_max : most_now;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(resource, &limit) != 0) {
        worker_fail("setrlimit");
    }
}

struct sizes {
    rlim_t all, stack; // bytes
};

static struct sizes sizes_now(void)
{
    const rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
    unsigned long all = 0, stack = 0;
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)(sscanf(line, "VmSize: %lu", &all) + sscanf(line, "VmStk: %lu", &stack));
    }
    if (file == NULL || fclose(file) != 0 || all == 0) {
        worker_fail("/proc/self/status");
    }
    return (struct sizes){(rlim_t)all << 10, ((rlim_t)stack << 10) + page};
}

// A thread's stack would otherwise take 8 megabytes.
static void shrink_stacks_of_threads(void)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, THREAD_STACK) != 0 ||
        pthread_setattr_default_np(&attributes) != 0 ||
        pthread_attr_destroy(&attributes) != 0) {
        worker_fail("pthread_setattr_default_np");
    }
}

static void limit_growth(void)
{
    // Reading the lines for stack traces takes memory and files: do it before they are limited.
    (void)backend_line((const void *)(uintptr_t)lab_entries[0].function);
    shrink_stacks_of_threads();
    const struct sizes now = sizes_now();
    lower(RLIMIT_AS, now.all + OTHER_GROWTH);
    lower(RLIMIT_STACK, now.stack + STACK_GROWTH);
    lower(RLIMIT_NOFILE, OPEN_FILES);
}

void heap_call(bool begins)
{
    static bool limited;
    if (begins && most > 0 && !limited) {
        limit_growth();
        limited = true;
    }
    kept = begins ? held : kept;
    in_a_call = begins && most > 0;
}
