// kills.c - loaded into build/trainer/.../train by LD_PRELOAD: kills it at the KILL_ATth
// operation on its files, with half of that write on the disk. Unlike a time, a count always
// means the same point of a run.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long count;

static int now(void)
{
    const char *at = getenv("KILL_AT");
    return at != NULL && ++count == atol(at);
}

static void end(void)
{
    raise(SIGKILL);
}

size_t fwrite(const void *bytes, size_t size, size_t number, FILE *file)
{
    __typeof__(fwrite) *real = (__typeof__(fwrite) *)dlsym(RTLD_NEXT, "fwrite");
    int (*flush)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
    if (fileno(file) > 2 && now()) {
        real(bytes, size, number / 2, file);
        flush(file);
        end();
    }
    return real(bytes, size, number, file);
}

int fflush(FILE *file)
{
    if (file != NULL && fileno(file) > 2 && now()) {
        end();
    }
    return ((__typeof__(fflush) *)dlsym(RTLD_NEXT, "fflush"))(file);
}

int fsync(int file)
{
    if (now()) {
        end();
    }
    return ((__typeof__(fsync) *)dlsym(RTLD_NEXT, "fsync"))(file);
}

int rename(const char *from, const char *to)
{
    if (now()) {
        end();
    }
    int status = ((__typeof__(rename) *)dlsym(RTLD_NEXT, "rename"))(from, to);
    if (now()) {
        end();
    }
    return status;
}
