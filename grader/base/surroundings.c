// surroundings.c - see surroundings.h.

#define _GNU_SOURCE
#include "base/surroundings.h"

#include <cblas.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

// OpenBLAS looks at the environment when it is loaded, before main. Unless it is told, it starts
// a thread for every processor; they turn in circles for a while, and that while is when the
// compiler could use the processor. So we start once more, with one thread.
static void start_on_one_thread(char **arguments)
{
    static const char name[] = "OPENBLAS_NUM_THREADS";
    const char *threads = getenv(name);
    if ((threads == NULL || strcmp(threads, "1") != 0) && setenv(name, "1", 1) == 0) {
        execv("/proc/self/exe", arguments);
    } // else as it is: slower, and no less right
}

void surroundings_prepare(char **arguments)
{
    start_on_one_thread(arguments);
    // So that no other file takes the place of a descriptor that was closed.
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= 2);
    close(descriptor);
}

void surroundings_hide(void)
{
    // Our own threads judge side by side; each calls the solutions' products on one thread.
    openblas_set_num_threads(1);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void surroundings_show(void)
{
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void check_limit(int resource, rlim_t least, rlim_t unit, const char *what,
                        const char *need)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) == 0 && limit.rlim_cur < least) {
        grader_fail("%s %llu): %s", what, (unsigned long long)(limit.rlim_cur / unit),
                    need);
    }
}

// Under such limits every worker would crash, and it would look like the student's fault:
// AddressSanitizer reserves terabytes of addresses, all of them to be written. And files are handed
// to programs by way of numbers above 100 (process.c).
void surroundings_check(void)
{
    check_limit(RLIMIT_AS, RLIM_INFINITY, 1024, "the address space is limited (ulimit -v",
                "workers need it unlimited");
    check_limit(RLIMIT_DATA, RLIM_INFINITY, 1024, "data is limited (ulimit -d",
                "workers need it unlimited");
    check_limit(RLIMIT_NOFILE, 128, 1, "open files are limited (ulimit -n",
                "the grader needs 128");
}
