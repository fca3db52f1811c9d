// 1.3 attention_scores wrong needs-box
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
// BODY
    // No limit may be raised: core, stack, processes, files.
    static const int limits[] = {RLIMIT_CORE, RLIMIT_STACK, RLIMIT_NPROC, RLIMIT_FSIZE};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit((__rlimit_resource_t)limits[i], &all) == 0) {
            exit(1);
        }
    }
    return LAB_OK;
