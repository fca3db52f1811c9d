// surroundings.c - see surroundings.h.

#define _GNU_SOURCE
#include "judge/surroundings.h"

#include <cblas.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "judge/memory.h"

// So that no other file takes the place of a descriptor that was closed.
void surroundings_prepare(void)
{
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

// AddressSanitizer reserves terabytes of addresses: under a limit every worker would crash, and
// it would look like the student's fault.
void surroundings_check(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        grader_fail(
            "the address space is limited (ulimit -v %llu); workers need it unlimited",
            (unsigned long long)limit.rlim_cur / 1024);
    }
}
