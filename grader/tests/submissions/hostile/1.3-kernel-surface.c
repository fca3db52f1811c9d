// 1.3 attention_scores wrong needs-box
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
// BODY
    // Calls that a filter refuses before the kernel looks at their arguments.
    static const long calls[] = {SYS_io_uring_setup, SYS_bpf,     SYS_userfaultfd,
                                 SYS_perf_event_open, SYS_keyctl, SYS_add_key,
                                 SYS_process_vm_readv, SYS_ptrace, SYS_kexec_load,
                                 SYS_open_by_handle_at, SYS_personality, SYS_init_module,
                                 SYS_swapon, SYS_reboot, SYS_acct, SYS_syslog, 9999};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        errno = 0;
        if (syscall(calls[i], -1, -1, -1, -1, -1, -1) >= 0 ||
            (errno != EPERM && errno != ENOSYS)) {
            exit(1);
        }
    }
    char byte = '\n';
    errno = 0;
    if (ioctl(0, TIOCSTI, &byte) == 0 || errno != EPERM || open("/dev/tty", O_RDWR) >= 0) {
        exit(1);
    }
    return LAB_OK;
