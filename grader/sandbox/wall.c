// wall.c - Landlock and capabilities, by their system calls. See wall.h.

#define _GNU_SOURCE
#include "sandbox/wall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's interface, version 6 (Linux 6.12); older headers lack parts of it.
struct ruleset_attributes {
    uint64_t file_system, network, scoped;
};
struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

enum {
    RULE_PATH_BENEATH = 1,
    CREATE_RULESET_VERSION = 1,
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    ALL_OF_1 = (1 << 13) - 1, // every right of version 1: 0 to 12
    REFER = 1 << 13,          // version 2: link and rename between folders
    TRUNCATE = 1 << 14,       // version 3
    TCP = 3,                  // version 4: bind and connect
    NEIGHBORS = 3,            // version 6: abstract sockets and signals
    READING = EXECUTE | READ_FILE | READ_DIR,
    // the other rights are for folders
    OF_A_FILE = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE,
};

int wall_version(void)
{
    long version =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

static void drop_privileges(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_capset, &header, none);
}

static uint64_t handled_rights(int version)
{
    uint64_t rights = ALL_OF_1;
    rights |= version >= 2 ? REFER : 0;
    rights |= version >= 3 ? TRUNCATE : 0;
    return rights;
}

static void allow(int ruleset, const char *const *paths, uint64_t rights)
{
    for (; paths != NULL && *paths != NULL; paths++) {
        struct stat status;
        int path = open(*paths, O_PATH | O_CLOEXEC);
        if (path < 0) {
            continue;
        }
        struct path_beneath rule = {rights, path};
        if (fstat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
            rule.allowed &= OF_A_FILE;
        }
        syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
        close(path);
    }
}

// ---- filters ------------------------------------------------------------------------------

enum {
#if defined(__x86_64__)
    OURS = AUDIT_ARCH_X86_64,
    FOREIGN = 0x40000000, // numbers from here on: x32
    FORK = SYS_fork,
    VFORK = SYS_vfork,
#else
    OURS = AUDIT_ARCH_AARCH64, // has neither fork nor vfork
    FOREIGN = 0x7fffffff,
    FORK = -1,
    VFORK = -1,
#endif
};

// Calls that older headers lack.
enum {
    PIDFD_SEND_SIGNAL = 424,
    PIDFD_OPEN = 434,
    PIDFD_GETFD = 438,
    PROCESS_MADVISE = 440,
    MEMFD_SECRET = 447,
    PROCESS_MRELEASE = 448,
    FCHMODAT2 = 452,
    SETXATTRAT = 463,
    REMOVEXATTRAT = 466,
};

#define LOAD(what)                                                                       \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, what))
#define IF(how, value, then, otherwise)                                                  \
    BPF_JUMP(BPF_JMP | (how) | BPF_K, (uint32_t)(value), then, otherwise)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(action))

static void install(const struct sock_filter *instructions, size_t count)
{
    const struct sock_fprog program = {(unsigned short)count,
                                       (struct sock_filter *)instructions};
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

enum { MOST_CALLS = 64 }; // total of both kinds in one filter

// These calls return EPERM; those in of_oneself only if their first argument, a process, is
// not `self`. Calls of another architecture return ENOSYS.
static void refuse_calls(const int *calls, size_t count, const int *of_oneself,
                         size_t others, uint32_t self)
{
    struct sock_filter instructions[5 * MOST_CALLS + 6] = {
        LOAD(arch),
        IF(BPF_JEQ, OURS, 0, 2),
        LOAD(nr),
        IF(BPF_JGE, FOREIGN, 0, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
    };
    size_t at = 5;
    for (size_t i = 0; i < count; i++) {
        instructions[at++] = (struct sock_filter)IF(BPF_JEQ, calls[i], 0, 1);
        instructions[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
    }
    for (size_t i = 0; i < others; i++) {
        instructions[at++] = (struct sock_filter)IF(BPF_JEQ, of_oneself[i], 0, 4);
        instructions[at++] = (struct sock_filter)LOAD(args[0]); // its lower half
        instructions[at++] = (struct sock_filter)IF(BPF_JEQ, self, 0, 1);
        instructions[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
        instructions[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
    }
    instructions[at++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
    install(instructions, at);
}

// ---- nobody's parent ----------------------------------------------------------------------

// Starting a process ends the program at once, to be safe from fork bombs. Threads are
// allowed. clone3 returns ENOSYS, because its flags are in memory, which a filter cannot
// read; C libraries then use clone.
static void forbid_processes(void)
{
    static const struct sock_filter instructions[] = {
        LOAD(arch),
        IF(BPF_JEQ, OURS, 0, 10),
        LOAD(nr),
        IF(BPF_JGE, FOREIGN, 8, 0),
        IF(BPF_JEQ, SYS_clone3, 7, 0),
        IF(BPF_JEQ, FORK, 5, 0),
        IF(BPF_JEQ, VFORK, 4, 0),
        IF(BPF_JEQ, SYS_clone, 0, 2),
        LOAD(args[0]), // its lower half, on these two machines
        IF(BPF_JSET, CLONE_THREAD, 0, 1),
        ANSWER(SECCOMP_RET_ALLOW),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
    };
    install(instructions, sizeof instructions / sizeof *instructions);
}

// ---- nobody's correspondent ---------------------------------------------------------------

// Sockets, and everything that outlives the program or is in no process's size: shared memory,
// queues, keys, and changes to files that Landlock allows their owner, the user of the grader. Watching folders,
// which tells the names of files that may not be read. Also kernel features that no exercise needs: namespaces,
// userfaultfd, BPF.
static void forbid_messages(void)
{
    static const int calls[] = {
        SYS_socket,
        SYS_socketpair,
        SYS_io_setup,
        SYS_io_uring_setup,
        SYS_unshare,
        SYS_setns,
        SYS_userfaultfd,
        SYS_perf_event_open,
        SYS_bpf,
        SYS_mq_open,
        SYS_memfd_create,
        MEMFD_SECRET,
        SYS_shmget,
        SYS_shmat,
        SYS_msgget,
        SYS_msgsnd,
        SYS_semget,
        SYS_semop,
        SYS_semtimedop,
        SYS_semctl,
        SYS_add_key,
        SYS_request_key,
        SYS_keyctl,
        SYS_inotify_init1,
        SYS_inotify_add_watch,
        SYS_fanotify_init,
        SYS_fanotify_mark,
        SYS_fchmod,
        SYS_fchmodat,
        SYS_fchown,
        SYS_fchownat,
        SYS_utimensat,
        SYS_setxattr,
        SYS_lsetxattr,
        SYS_fsetxattr,
        SYS_removexattr,
        SYS_lremovexattr,
        SYS_fremovexattr,
        FCHMODAT2,
        SETXATTRAT,
        REMOVEXATTRAT,
#if defined(__x86_64__)
        SYS_inotify_init,
        SYS_chmod,
        SYS_chown,
        SYS_lchown,
        SYS_utime,
        SYS_utimes,
        SYS_futimesat,
#endif
    };
    refuse_calls(calls, sizeof calls / sizeof *calls, NULL, 0, 0);
}

// ---- nobody's master ----------------------------------------------------------------------

// The grader runs as the same user, who may change the limits, priority and processors of
// all of their processes. This applies to all programs behind the wall, including compilers
// and programs that use a card.
static void forbid_neighbors(void)
{
    static const int calls[] = {
        SYS_setpriority, // also for all processes of a user
        SYS_ioprio_set,        SYS_ptrace,        SYS_kcmp,          SYS_process_vm_readv,
        SYS_process_vm_writev, SYS_migrate_pages, PIDFD_SEND_SIGNAL, PIDFD_OPEN,
        PIDFD_GETFD,           PROCESS_MADVISE,   PROCESS_MRELEASE,
    };
    static const int of_oneself[] = {
        SYS_prlimit64,      SYS_sched_setaffinity, SYS_sched_setscheduler,
        SYS_sched_setparam, SYS_sched_setattr,
    };
    refuse_calls(calls, sizeof calls / sizeof *calls, of_oneself,
                 sizeof of_oneself / sizeof *of_oneself, 0); // 0: the caller
}

// ---- no signals to others -----------------------------------------------------------------

// The owner of a descriptor gets a signal when data arrives. A lease and F_NOTIFY tell what others do with a file.
// A large pipe is memory that no process's size shows, and so are any number of locks.
static void forbid_uses_of_files(void)
{
    static const struct sock_filter instructions[] = {
        LOAD(nr),
        IF(BPF_JEQ, SYS_fcntl, 0, 10),
        LOAD(args[1]),
        IF(BPF_JEQ, F_SETOWN, 9, 0),
        IF(BPF_JEQ, F_SETPIPE_SZ, 8, 0),
        IF(BPF_JEQ, F_SETOWN_EX, 7, 0),
        IF(BPF_JEQ, F_SETLK, 6, 0),
        IF(BPF_JEQ, F_SETLKW, 5, 0),
        IF(BPF_JEQ, F_OFD_SETLK, 4, 0),
        IF(BPF_JEQ, F_OFD_SETLKW, 3, 0),
        IF(BPF_JEQ, F_SETLEASE, 2, 0),
        IF(BPF_JEQ, F_NOTIFY, 1, 0),
        ANSWER(SECCOMP_RET_ALLOW),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
    };
    install(instructions, sizeof instructions / sizeof *instructions);
}

// A program that starts no others needs signals only to itself (raise, abort); exec keeps its
// number. Landlock does the same from Linux 6.12 on. tkill names a thread, which may belong to
// any process.
static void forbid_signals(void)
{
    static const int calls[] = {SYS_tkill};
    static const int of_oneself[] = {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo,
                                     SYS_rt_tgsigqueueinfo};
    refuse_calls(calls, sizeof calls / sizeof *calls, of_oneself,
                 sizeof of_oneself / sizeof *of_oneself, (uint32_t)getpid());
}

// ---- no memory out of sight ---------------------------------------------------------------

enum {
    OWN_FILES = 2, // CLOSE_RANGE_UNSHARE; older headers lack it
    QUEUED_SIGNALS = 64
};

// Shared memory lives on while one page of it is mapped; only mapped pages count. A thread with open files of its
// own could have as many full pipes as all others together. Signals and timers wait in a queue of the kernel.
static void forbid_hidden_memory(void)
{
    static const struct sock_filter instructions[] = {
        LOAD(nr),
        IF(BPF_JEQ, SYS_mmap, 0, 3),
        LOAD(args[3]), // its lower half, as below
        IF(BPF_JSET, MAP_ANONYMOUS, 0, 7),
        IF(BPF_JSET, MAP_SHARED, 7, 6),
        IF(BPF_JEQ, SYS_clone, 0, 2),
        LOAD(args[0]),
        IF(BPF_JSET, CLONE_FILES, 3, 4),
        IF(BPF_JEQ, SYS_close_range, 0, 2),
        LOAD(args[2]),
        IF(BPF_JSET, OWN_FILES, 1, 0),
        ANSWER(SECCOMP_RET_ALLOW),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
    };
    const struct rlimit signals = {QUEUED_SIGNALS, QUEUED_SIGNALS};
    install(instructions, sizeof instructions / sizeof *instructions);
    setrlimit(RLIMIT_SIGPENDING, &signals); // fails only if less is allowed
    forbid_uses_of_files();
}

void wall_raise(const struct wall *wall)
{
    drop_privileges();
    forbid_neighbors();
    if (wall->alone) {
        forbid_processes();
        forbid_messages();
        forbid_signals();
        forbid_hidden_memory();
    }
    int version = wall_version();
    if (version == 0) {
        return;
    }
    uint64_t rights = handled_rights(version);
    struct ruleset_attributes attributes = {rights, version >= 4 ? TCP : 0,
                                            version >= 6 ? NEIGHBORS : 0};
    // rights that this kernel supports
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (ruleset < 0) {
        return;
    }
    allow(ruleset, wall->readable, READING);
    allow(ruleset, wall->writable, rights & ~(uint64_t)EXECUTE);
    syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
}
