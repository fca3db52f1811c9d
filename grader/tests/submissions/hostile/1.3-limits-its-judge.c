// 1.3 attention_scores wrong
// A limit of 0 seconds would end the judge; a limit of 0 bytes would stop it writing the report.
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
// BODY
    static const int limits[] = {RLIMIT_CPU, RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NOFILE};
    const struct rlimit none = {0, 0};
    const pid_t judge = getppid();
    const long first = 1;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (syscall(SYS_prlimit64, (long)judge, (long)limits[i], &none, NULL) == 0) {
            exit(1);
        }
    }
    // Gives the judge, or all programs of its user, the lowest priority and a single processor.
    if (setpriority(PRIO_PROCESS, (id_t)judge, 19) == 0 ||
        setpriority(PRIO_USER, 0, 19) == 0 ||
        syscall(SYS_sched_setaffinity, (long)judge, sizeof first, &first) == 0 ||
        syscall(SYS_ioprio_set, 1L, (long)judge, 3L << 13) == 0 ||
        syscall(SYS_pidfd_open, (long)judge, 0L) >= 0) {
        exit(1);
    }
    return LAB_OK;
