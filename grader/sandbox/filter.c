// filter.c - the seccomp filter of a box, by libseccomp.
//
// An allowlist; all other calls return EPERM. So future system calls are refused until they
// are added here. The filter returns EPERM instead of killing the program, because a C
// library may try newer calls and fall back. Calls of other architectures (int 0x80, x32)
// are refused, too.
//
// Not on the list, and what this prevents:
//
//   socket, socketpair, connect, ... no network, no abstract sockets, no descriptors in flight
//   ptrace, process_vm_*, pidfd_getfd other processes mount, umount2, pivot_root, chroot,
//   another file system fsopen, move_mount, open_tree, ... unshare, setns, clone with
//   CLONE_NEW* namespaces, in which one would be root setuid, setgid, capset, ... other users
//   memfd_create, shmget, msgget, memory that no process's size shows mmap of
//   MAP_SHARED|MAP_ANONYMOUS io_uring_*, userfaultfd, bpf, large pieces of the kernel with a
//   history perf_event_open, keyctl, add_key open_by_handle_at, name_to_handle_at around the
//   mounts ioctl but for asking whether this is a terminal: TIOCSTI, TIOCLINUX, devices
//   personality, kexec_load, reboot, init_module, swapon, acct, quotactl, syslog, ... execveat
//   a program without a file
//
// clone3 returns ENOSYS, because its flags are in memory, which a filter cannot read. C
// libraries then use clone.

#define _GNU_SOURCE
#include "sandbox/filter.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

// Needed by every program: starting, reading files, memory, threads, time, ending.
static const char *const for_all[] = {
    // existing files
    "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev",
    "open", "openat", "close", "close_range", "stat", "fstat", "lstat", "newfstatat",
    "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents",
    "getdents64", "lseek", "dup", "dup2", "dup3", "fcntl", "getcwd", "umask", "statfs",
    "fstatfs", "fadvise64",
    // memory (mmap is below)
    "brk", "mprotect", "munmap", "mremap", "madvise", "mincore", "msync",
    // signals
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend",
    "rt_sigtimedwait", "sigaltstack", "kill", "tgkill", "tkill", "pause",
    "restart_syscall",
    // processes and threads (clone is below)
    "fork", "vfork", "execve", "exit", "exit_group", "wait4", "waitid", "getpid",
    "getppid", "gettid", "getpgid", "getpgrp", "setpgid", "getsid", "setsid", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
    "set_tid_address", "set_robust_list", "rseq", "arch_prctl", "futex", "membarrier",
    "sched_yield", "sched_getaffinity", "sched_getscheduler", "sched_getparam", "getcpu",
    "getpriority",
    // time
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday",
    "time", "times", "alarm", "getitimer", "setitimer",
    // what the machine is
    "uname", "sysinfo", "getrusage", "getrlimit", "setrlimit", "prlimit64", "getrandom",
    // waiting for descriptors
    "pipe", "pipe2", "poll", "ppoll", "select", "pselect6", NULL};

// Needed by compilers and linkers: creating files in the scratch folder.
static const char *const for_compilers[] = {
    "creat",     "unlink",   "unlinkat",        "rename",    "renameat",
    "renameat2", "mkdir",    "mkdirat",         "rmdir",     "chmod",
    "fchmod",    "fchmodat", "truncate",        "ftruncate", "fallocate",
    "chdir",     "fchdir",   "utimensat",       "utime",     "fsync",
    "fdatasync", "sendfile", "copy_file_range", "flock",     NULL};

static int allow(scmp_filter_ctx filter, const char *const *names)
{
    for (; *names != NULL; names++) {
        int number = seccomp_syscall_resolve_name(*names);
        if (number == __NR_SCMP_ERROR || number < 0) {
            continue; // does not exist on this machine
        }
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) != 0) {
            return -1;
        }
    }
    return 0;
}

// Threads and children, but no new namespace.
static int allow_clone(scmp_filter_ctx filter)
{
    const scmp_datum_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                    CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                    CLONE_NEWNET;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) |
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            SCMP_A0_64(SCMP_CMP_MASKED_EQ, namespaces, 0));
}

// Anonymous shared memory can exist without counting in any process's size. Two rules allow
// mmap: not shared, or not anonymous.
static int allow_mmap(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                            SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_SHARED, 0)) |
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                            SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0));
}

// The C library checks whether standard output is a terminal, and its width.
static int allow_ioctl(scmp_filter_ctx filter)
{
    static const unsigned requests[] = {TCGETS, TIOCGWINSZ, FIONREAD};
    int status = 0;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        status |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                                   SCMP_A1_32(SCMP_CMP_EQ, requests[i], 0));
    }
    return status;
}

// Names of threads and of memory (set by sanitizers), and queries.
static int allow_prctl(scmp_filter_ctx filter)
{
    static const int options[] = {PR_SET_NAME,         PR_GET_NAME,      PR_GET_DUMPABLE,
                                  PR_SET_PDEATHSIG,    PR_GET_PDEATHSIG, PR_GET_SECCOMP,
                                  PR_GET_NO_NEW_PRIVS, 0x53564d41 /* PR_SET_VMA */};
    int status = 0;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        status |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                                   SCMP_A0_32(SCMP_CMP_EQ, (unsigned)options[i], 0));
    }
    return status;
}

static scmp_filter_ctx make(enum box_kind kind)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL) {
        return NULL;
    }
    // A binary tree needs a dozen comparisons per call; a list would need a hundred.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    int status = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
    status |= allow(filter, for_all);
    status |= kind == BOX_COMPILER ? allow(filter, for_compilers) : 0;
    status |= allow_clone(filter);
    status |= allow_mmap(filter);
    status |= allow_ioctl(filter);
    status |= allow_prctl(filter);
    if (status != 0) {
        seccomp_release(filter);
        return NULL;
    }
    return filter;
}

// ---- once for each kind -------------------------------------------------------------------

static struct {
    void *bytes;
    size_t size;
} programs[2];

static void export(enum box_kind kind)
{
    scmp_filter_ctx filter = make(kind);
    int file = filter != NULL ? memfd_create("filter", MFD_CLOEXEC) : -1;
    struct stat status;
    if (file >= 0 && seccomp_export_bpf(filter, file) == 0 && fstat(file, &status) == 0) {
        void *bytes = malloc((size_t)status.st_size);
        if (bytes != NULL &&
            pread(file, bytes, (size_t)status.st_size, 0) == status.st_size) {
            programs[kind].bytes = bytes;
            programs[kind].size = (size_t)status.st_size;
        }
    }
    if (file >= 0) {
        close(file);
    }
    if (filter != NULL) {
        seccomp_release(filter);
    }
}

static void export_all(void)
{
    export(BOX_WORKER);
    export(BOX_COMPILER);
}

const void *filter_program(enum box_kind kind, size_t *bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, export_all);
    *bytes = programs[kind].size;
    return programs[kind].bytes;
}
