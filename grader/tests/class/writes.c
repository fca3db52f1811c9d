// writes.c - loaded into grade-class by LD_PRELOAD: counts its writes to files, and acts when a
// count is reached.
//
//   WRITES_COUNT=FILE   at the end the number of writes is in FILE
//   WRITES_KILL=N       the process is killed in place of the Nth write
//   WRITES_FULL=N       from the Nth write on the disk is full
//
// Unlike a time, a count always means the same point of a run. Only writes at an offset of a file
// (SQLite's) are counted, and only those of the process that was started.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static long count, kill_at, full_at;
static const char *count_file;

static long number(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? atol(value) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    kill_at = number("WRITES_KILL");
    full_at = number("WRITES_FULL");
    count_file = getenv("WRITES_COUNT");
    unsetenv("LD_PRELOAD"); // only in the program that was started, not in its children
}

__attribute__((destructor)) static void end(void)
{
    FILE *file = count_file != NULL ? fopen(count_file, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}

static int refused(void)
{
    count++;
    if (count == kill_at) {
        raise(SIGKILL);
    }
    if (full_at > 0 && count >= full_at) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

typedef ssize_t writer(int, const void *, size_t, off64_t);

ssize_t pwrite(int file, const void *bytes, size_t size, off_t place)
{
    writer *real = (writer *)dlsym(RTLD_NEXT, "pwrite64");
    return refused() ? -1 : real(file, bytes, size, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place)
{
    writer *real = (writer *)dlsym(RTLD_NEXT, "pwrite64");
    return refused() ? -1 : real(file, bytes, size, place);
}
