// box_probe.c - tries to get out of a box. test_box.c runs it in a box.
//
//   probe WHAT [argument]      exit status 0: the box held; 1: the attempt succeeded; 2: could not try
//
// Every attempt stops by itself, at 200 processes, 200 megabytes or 20 seconds. So a hole in
// the box makes a test fail but does not harm the machine.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HELD = 0, THROUGH = 1, CANNOT_TRY = 2 };

// Older headers lack these.
enum { MEMFD_SECRET = 447, OWN_FILES = 2 /* CLOSE_RANGE_UNSHARE */ };

static int judge(const char *what, int got_through)
{
    if (got_through) {
        printf("got through: %s\n", what);
    }
    return got_through ? THROUGH : HELD;
}

static void ends(int number)
{
    (void)number;
}

// ---- files --------------------------------------------------------------------------------

static int reads(const char *path)
{
    return judge(path, open(path, O_RDONLY) >= 0);
}

static int writes_anywhere(const char *unused)
{
    static const char *const places[] = {
        "/probe",      "/tmp/probe",     "/dev/probe", "/dev/shm/probe",
        "/proc/probe", "/var/tmp/probe", "probe"};
    int result = HELD;
    (void)unused;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int file = open(places[i], O_WRONLY | O_CREAT | O_EXCL, 0600);
        result |= judge(places[i], file >= 0);
        if (file >= 0) {
            unlink(places[i]);
        }
    }
    return result;
}

static int opens_devices(const char *unused)
{
    static const char *const devices[] = {"/dev/zero", "/dev/tty",  "/dev/ptmx",
                                          "/dev/kmsg", "/dev/full", "/dev/fuse"};
    int result = HELD;
    (void)unused;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        result |= judge(devices[i], open(devices[i], O_RDONLY | O_NONBLOCK) >= 0);
    }
    return result;
}

// Writes `count` files of that many megabytes into the folder. Returns true if all of them
// exist afterwards.
static int fill(const char *folder, int count, int megabytes)
{
    static char block[1 << 20];
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    for (int i = 0; i < count; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/fill.%d", folder, i);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        if (file < 0) {
            return CANNOT_TRY;
        }
        for (int m = 0; m < megabytes; m++) {
            if (write(file, block, sizeof block) != (ssize_t)sizeof block) {
                return HELD;
            }
        }
        close(file);
    }
    return judge("all of it was written", 1);
}

static int fills_scratch(const char *folder)
{
    return fill(folder, 4, 50);
}

static int writes_large_file(const char *folder)
{
    return fill(folder, 1, 100);
}

// Empty files have no bytes, but 20000 of them still fill memory.
static int floods_scratch(const char *folder)
{
    for (int i = 0; i < 20000; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/inode.%d", folder, i);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        if (file < 0) {
            return CANNOT_TRY;
        }
        close(file);
    }
    alarm(2);
    sigset_t none;
    sigemptyset(&none);
    signal(SIGALRM, ends);
    sigsuspend(&none);
    return judge("20000 files", 1);
}

// Which descriptors are open? Only the three that every program has.
static int has_descriptors(const char *unused)
{
    int result = HELD;
    (void)unused;
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        result |= judge("a descriptor", fcntl(descriptor, F_GETFD) >= 0);
    }
    return result;
}

// ---- processes ----------------------------------------------------------------------------

static int forks(const char *unused)
{
    int started = 0;
    (void)unused;
    for (; started < 200; started++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(10);
            pause();
            _exit(0);
        }
        if (pid < 0) {
            break;
        }
    }
    printf("%d processes\n", started);
    return judge("200 processes", started == 200);
}

static int spawns(const char *unused)
{
    char *arguments[] = {"true", NULL}, *environment[] = {NULL};
    pid_t pid;
    (void)unused;
    return judge("spawn",
                 posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environment) == 0);
}

static int vforks(const char *unused)
{
    (void)unused;
    pid_t pid = vfork();
    if (pid == 0) {
        _exit(0);
    }
    return judge("vfork", pid > 0);
}

static void *returns(void *argument)
{
    return argument;
}

static int threads(const char *unused)
{
    pthread_t thread;
    (void)unused;
    return judge("a thread", pthread_create(&thread, NULL, returns, NULL) == 0 &&
                                 pthread_join(thread, NULL) == 0);
}

static int sees_process(const char *pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    return judge(path, access(path, F_OK) == 0) | judge("kill", kill(atoi(pid), 0) == 0);
}

// Leaves the process group and the session, and continues after its parent has ended.
static int leaves_orphan(const char *unused)
{
    (void)unused;
    if (fork() == 0) {
        setsid();
        alarm(20);
        for (;;) {
            pause();
        }
    }
    return HELD;
}

// Each process stays below the limit.
static int shares_memory_out(const char *megabytes)
{
    size_t bytes = (size_t)atoi(megabytes) << 20;
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            volatile char *memory = malloc(bytes);
            for (size_t b = 0; memory != NULL && b < bytes; b += 4096) {
                memory[b] = 1;
            }
            alarm(2);
            pause();
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    return judge("all of the memory", 1);
}

// Touches that many megabytes and frees them at once, so that a measurement every few
// milliseconds does not see them.
static int bursts(const char *megabytes)
{
    size_t bytes = (size_t)atoi(megabytes) << 20;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return judge("all of the memory", memory != MAP_FAILED && munmap(memory, bytes) == 0);
}

// A child does it, and its parent ignores it.
static int bursts_in_a_child(const char *megabytes)
{
    if (fork() == 0) {
        _exit(bursts(megabytes));
    }
    wait(NULL);
    return HELD;
}

// Page tables with hardly any pages: all pages that were never written are the same page of
// zeros.
static int page_tables(const char *megabytes)
{
    size_t bytes = ((size_t)atoi(megabytes) << 20) / 4096 * ((size_t)2 << 20);
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || madvise((void *)memory, bytes, MADV_NOHUGEPAGE) != 0) {
        return CANNOT_TRY;
    }
    int sum = 0;
    for (size_t b = 0; b < bytes; b += (size_t)2 << 20) {
        sum += memory[b];
    }
    alarm(2); // so that a measurement can see it
    signal(SIGALRM, ends);
    pause();
    return judge("page tables", sum == 0);
}

static int raises_limits(const char *unused)
{
    static const int limits[] = {RLIMIT_STACK, RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_FSIZE,
                                 RLIMIT_NOFILE};
    int result = HELD;
    (void)unused;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, now;
        getrlimit((__rlimit_resource_t)limits[i], &now);
        result |= judge("a limit is infinite", now.rlim_max == RLIM_INFINITY);
        result |= judge("a limit was raised",
                        setrlimit((__rlimit_resource_t)limits[i], &all) == 0);
    }
    return result;
}

// ---- its parent -----------------------------------------------------------------------------

struct call {
    const char *name;
    long number, a, b, c, d, e, f;
};

// Each call names the parent and would change nothing in it. The same calls on the program
// itself are still allowed.
static int names_its_parent(const char *strictly)
{
    struct rlimit limit;
    cpu_set_t processors;
    const struct sched_param usual = {0};
    const long parent = getppid();
    sched_getaffinity(0, sizeof processors, &processors);
    const struct call calls[] = {
        {"prlimit64", SYS_prlimit64, parent, RLIMIT_CPU, 0, (long)&limit, 0, 0},
        {"setpriority", SYS_setpriority, PRIO_PROCESS, parent,
         getpriority(PRIO_PROCESS, 0), 0, 0, 0},
        {"setpriority of a user", SYS_setpriority, PRIO_USER, 0,
         getpriority(PRIO_USER, 0), 0, 0, 0},
        {"sched_setaffinity", SYS_sched_setaffinity, parent, sizeof processors,
         (long)&processors, 0, 0, 0},
        {"sched_setscheduler", SYS_sched_setscheduler, parent, SCHED_OTHER, (long)&usual,
         0, 0, 0},
        {"sched_setparam", SYS_sched_setparam, parent, (long)&usual, 0, 0, 0, 0},
        {"ioprio_set", SYS_ioprio_set, 1, parent, 0, 0, 0, 0},
        {"pidfd_open", SYS_pidfd_open, parent, 0, 0, 0, 0, 0},
        // calls that are only allowed to a program in its own namespaces
        {"userfaultfd", SYS_userfaultfd, 1, 0, 0, 0, 0, 0},
        {"unshare", SYS_unshare, CLONE_FS, 0, 0, 0, 0, 0},
    };
    size_t count = sizeof calls / sizeof calls[0] - (*strictly == '\0' ? 2 : 0);
    int result = HELD;
    for (size_t i = 0; i < count; i++) {
        const struct call *c = &calls[i];
        result |=
            judge(c->name, syscall(c->number, c->a, c->b, c->c, c->d, c->e, c->f) >= 0);
    }
    bool own = getrlimit(RLIMIT_CPU, &limit) == 0 && setrlimit(RLIMIT_CPU, &limit) == 0 &&
               sched_getaffinity(parent, sizeof processors, &processors) == 0 &&
               sched_setaffinity(0, sizeof processors, &processors) == 0;
    return own ? result : CANNOT_TRY;
}

// ---- privileges ---------------------------------------------------------------------------

static int is_privileged(const char *unused)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    (void)unused;
    syscall(SYS_capget, &header, data);
    return judge("root", getuid() == 0 || geteuid() == 0 || getgid() == 0) |
           judge("capabilities", (data[0].effective | data[0].permitted |
                                  data[1].effective | data[1].permitted) != 0) |
           judge("may gain privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) |
           judge("setuid", setuid(0) == 0);
}

// A call that the filter refuses has one of two error numbers. Any other result comes from the
// kernel itself. The arguments make no sense, so the kernel does nothing and returns an error.
static int makes_calls(const char *unused)
{
    char byte = 0;
    const struct call calls[] = {
        {"unshare", SYS_unshare, CLONE_NEWUSER, 0, 0, 0, 0, 0},
        {"setns", SYS_setns, -1, 0, 0, 0, 0, 0},
        {"mount", SYS_mount, 0, (long)"/", 0, 0, 0, 0},
        {"pivot_root", SYS_pivot_root, (long)"/", (long)"/", 0, 0, 0, 0},
        {"chroot", SYS_chroot, (long)"/", 0, 0, 0, 0, 0},
        {"ptrace", SYS_ptrace, 0, 0, 0, 0, 0, 0},
        {"process_vm_readv", SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0},
        {"process_vm_writev", SYS_process_vm_writev, getppid(), 0, 0, 0, 0, 0},
        {"pidfd_getfd", SYS_pidfd_getfd, -1, 0, 0, 0, 0, 0},
        {"io_uring_setup", SYS_io_uring_setup, 0, 0, 0, 0, 0, 0},
        {"bpf", SYS_bpf, -1, 0, 0, 0, 0, 0},
        {"userfaultfd", SYS_userfaultfd, 1, 0, 0, 0, 0, 0},
        {"perf_event_open", SYS_perf_event_open, 0, 0, -1, -1, 0, 0},
        {"keyctl", SYS_keyctl, 0, -3, 0, 0, 0, 0},
        {"add_key", SYS_add_key, (long)"user", (long)"k", (long)&byte, 1, -3, 0},
        {"memfd_create", SYS_memfd_create, (long)"m", 0, 0, 0, 0, 0},
        {"memfd_secret", MEMFD_SECRET, 0, 0, 0, 0, 0, 0},
        {"shmget", SYS_shmget, 0, 4096, 0600, 0, 0, 0},
        {"msgget", SYS_msgget, 0, 0600, 0, 0, 0, 0},
        {"open_by_handle_at", SYS_open_by_handle_at, AT_FDCWD, 0, 0, 0, 0, 0},
        {"personality", SYS_personality, 0xffffffff, 0, 0, 0, 0, 0},
        {"execveat", SYS_execveat, -1, 0, 0, 0, 0, 0},
        {"socket IPv4", SYS_socket, AF_INET, SOCK_STREAM, 0, 0, 0, 0},
        {"socket IPv6", SYS_socket, AF_INET6, SOCK_DGRAM, 0, 0, 0, 0},
        {"socket unix", SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0, 0, 0},
        {"socket netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0, 0, 0, 0},
        {"shared memory", SYS_mmap, 0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1,
         0},
        {"TIOCSTI", SYS_ioctl, 0, TIOCSTI, (long)&byte, 0, 0, 0},
        {"TIOCLINUX", SYS_ioctl, 0, TIOCLINUX, (long)&byte, 0, 0, 0},
        {"landlock", SYS_landlock_create_ruleset, 0, 0, 1, 0, 0, 0},
        {"clone3", SYS_clone3, 0, 0, 0, 0, 0, 0},
        {"not there yet", 9999, 0, 0, 0, 0, 0, 0},
    };
    int result = HELD, passed = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        errno = 0;
        long got = syscall(c->number, c->a, c->b, c->c, c->d, c->e, c->f);
        int through = got >= 0 || (errno != EPERM && errno != ENOSYS);
        passed += through;
        result |= judge(c->name, through);
    }
    printf("%d calls reached the kernel\n", passed);
    return result;
}

// ---- memory that no process's size shows ----------------------------------------------------

static size_t queue_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    size_t queued = 0;
    while (queued < 1000 &&
           sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}) == 0) {
        queued++;
    }
    return queued;
}

// These would also pass messages to other programs, or watch what these do.
static int hides_memory(const char *unused)
{
    int pair[2];
    unsigned long context = 0;
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    const int file = open("/proc/self/exe", O_RDONLY);
    const long pages = MAP_SHARED | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
    const struct call calls[] = {
        {"memfd_create", SYS_memfd_create, (long)"m", 0, 0, 0, 0, 0},
        {"memfd_secret", MEMFD_SECRET, 0, 0, 0, 0, 0, 0},
        {"shared memory", SYS_mmap, 0, 4096, both, pages, -1, 0},
        {"shared memory, validated", SYS_mmap, 0, 4096, both, pages | MAP_PRIVATE, -1, 0},
        {"shmget", SYS_shmget, 0, 4096, 0600, 0, 0, 0},
        {"msgget", SYS_msgget, 0, 0600, 0, 0, 0, 0},
        {"mq_open", SYS_mq_open, (long)"m", O_CREAT | O_RDWR, 0600, 0, 0, 0},
        {"add_key", SYS_add_key, (long)"user", (long)"k", (long)"v", 1, -3, 0},
        {"bpf", SYS_bpf, -1, 0, 0, 0, 0, 0},
        {"io_uring_setup", SYS_io_uring_setup, 0, 0, 0, 0, 0, 0},
        {"io_setup", SYS_io_setup, 1, (long)&context, 0, 0, 0, 0},
        {"socketpair", SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (long)pair, 0, 0},
        {"inotify_init1", SYS_inotify_init1, 0, 0, 0, 0, 0, 0},
        {"inotify_add_watch", SYS_inotify_add_watch, -1, (long)"/", IN_CREATE, 0, 0, 0},
        {"fanotify_init", SYS_fanotify_init, -1, 0, 0, 0, 0, 0},
        {"fanotify_mark", SYS_fanotify_mark, -1, 0, 0, 0, 0, 0},
        {"a lock", SYS_fcntl, file, F_SETLK, (long)&lock, 0, 0, 0},
        {"a lock of a file", SYS_fcntl, file, F_OFD_SETLK, (long)&lock, 0, 0, 0},
        {"F_NOTIFY", SYS_fcntl, -1, F_NOTIFY, DN_CREATE, 0, 0, 0},
        // open files of its own, beyond the limit of the program
        {"close_range", SYS_close_range, 1000, 1000, OWN_FILES, 0, 0, 0},
        {"a thread with own files", SYS_clone, CLONE_THREAD, 0, 0, 0, 0, 0},
    };
    int result = HELD;
    (void)unused;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        errno = 0;
        const long got = syscall(c->number, c->a, c->b, c->c, c->d, c->e, c->f);
        result |= judge(c->name, got >= 0 || (errno != EPERM && errno != ENOSYS));
    }
    return result | judge("queued signals", queue_signals() > 64);
}

// clone with a namespace flag, in a child that ends at once
static int makes_namespaces(const char *unused)
{
    (void)unused;
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        _exit(0);
    }
    return judge("a user namespace by clone", pid > 0);
}

// ---- network ------------------------------------------------------------------------------

static int connects(const char *port)
{
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)atoi(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int plug = socket(AF_INET, SOCK_STREAM, 0);
    return judge("loopback",
                 plug >= 0 && connect(plug, (void *)&there, sizeof there) == 0);
}

static int connects_abstract(const char *name)
{
    struct sockaddr_un there = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    memcpy(there.sun_path + 1, name, length);
    int plug = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    return judge("an abstract socket",
                 plug >= 0 && connect(plug, (void *)&there, size) == 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*probe)(const char *);
    } probes[] = {{"reads", reads},
                  {"writes-anywhere", writes_anywhere},
                  {"opens-devices", opens_devices},
                  {"fills-scratch", fills_scratch},
                  {"writes-large-file", writes_large_file},
                  {"floods-scratch", floods_scratch},
                  {"has-descriptors", has_descriptors},
                  {"forks", forks},
                  {"spawns", spawns},
                  {"vforks", vforks},
                  {"threads", threads},
                  {"sees-process", sees_process},
                  {"leaves-orphan", leaves_orphan},
                  {"shares-memory-out", shares_memory_out},
                  {"bursts", bursts},
                  {"bursts-in-a-child", bursts_in_a_child},
                  {"page-tables", page_tables},
                  {"raises-limits", raises_limits},
                  {"names-its-parent", names_its_parent},
                  {"hides-memory", hides_memory},
                  {"is-privileged", is_privileged},
                  {"makes-calls", makes_calls},
                  {"makes-namespaces", makes_namespaces},
                  {"connects", connects},
                  {"connects-abstract", connects_abstract}};
    alarm(20);
    for (size_t i = 0; argc > 1 && i < sizeof probes / sizeof probes[0]; i++) {
        if (strcmp(argv[1], probes[i].name) == 0) {
            return probes[i].probe(argc > 2 ? argv[2] : "");
        }
    }
    return CANNOT_TRY;
}
