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

// OpenBLAS reads the environment when it is loaded, before main. By default it starts a
// thread for every processor, and these threads spin for a while just when the compiler
// needs the processors. So the program restarts itself with OpenBLAS limited to one thread.
static void start_on_one_thread(char **arguments)
{
    static const char name[] = "OPENBLAS_NUM_THREADS";
    const char *threads = getenv(name);
    if ((threads == NULL || strcmp(threads, "1") != 0) && setenv(name, "1", 1) == 0) {
        execv("/proc/self/exe", arguments);
    } // if that fails, continue: slower, but just as correct
}

void surroundings_prepare(char **arguments)
{
    start_on_one_thread(arguments);
    // Opens closed descriptors 0 to 2, so that no other file gets these numbers.
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= 2);
    close(descriptor);
}

void surroundings_hide(void)
{
    // The grader's threads judge in parallel, so each calls OpenBLAS with one thread.
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

// Under such limits every worker would crash, and this would look like the student's fault.
// AddressSanitizer reserves terabytes of writable addresses, and process.c passes files
// through descriptors above 100.
void surroundings_check(void)
{
    check_limit(RLIMIT_AS, RLIM_INFINITY, 1024, "the address space is limited (ulimit -v",
                "workers need it unlimited");
    check_limit(RLIMIT_DATA, RLIM_INFINITY, 1024, "data is limited (ulimit -d",
                "workers need it unlimited");
    char *need = grader_print("the grader needs %d", DESCRIPTORS_NEEDED);
    check_limit(RLIMIT_NOFILE, DESCRIPTORS_NEEDED, 1, "open files are limited (ulimit -n",
                need);
    free(need);
}
