// open.c - keeps the sanitizers from reading the debug information of libraries.
//
// Before the first line of a stack trace, libbacktrace (in AddressSanitizer's library, and in the
// simulated GPU) reads the lines of the program and of every shared library. Debian's sanitizers
// bring theirs along, compressed, and /usr/lib/debug may have those of the C library, which come with
// gdb or valgrind. Reading all that takes longer than most exercises, and the report needs only
// the student's lines. libbacktrace leaves out a library that it cannot open.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// By the name alone: a folder may be called anything.
static bool is_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash != NULL ? slash : path, ".so") != NULL;
}

// fcntl.h may define open itself (_FORTIFY_SOURCE).
int open_but_libraries(const char *path, int flags, ...) __asm__("open");

int open_but_libraries(const char *path, int flags, ...)
{
    int mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, int);
        va_end(more);
    }
    if (path != NULL && is_library(path)) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
