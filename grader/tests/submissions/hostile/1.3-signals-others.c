// 1.3 attention_scores wrong
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int heard;
static void hear(int number)
{
    heard = number;
}

static void refused(long status)
{
    if (status != -1 || errno != EPERM) {
        exit(1);
    }
}
// BODY
    // No process can have this number: "not permitted" comes from a filter that compares numbers.
    const pid_t nobody = (1 << 22) + 1;
    refused(kill(nobody, 0));
    refused(kill(-nobody, 0));
    refused(syscall(SYS_tgkill, nobody, nobody, 0));
    refused(syscall(SYS_tkill, nobody, 0));
    refused(syscall(SYS_rt_sigqueueinfo, nobody, 0, NULL));
    refused(fcntl(1, F_SETOWN, nobody));
    // To itself a program may send signals: abort() and assert() do.
    signal(SIGUSR1, hear);
    if (raise(SIGUSR1) != 0 || heard != SIGUSR1 || kill(getpid(), 0) != 0) {
        exit(1);
    }
    return LAB_OK;
