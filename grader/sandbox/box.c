// box.c - builds the command line of bwrap and the orders for inside, and waits for the
// start and end of a box. box.h has the theory; start reading at box_wrap.

#define _GNU_SOURCE
#include "sandbox/box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/cgroup.h"
#include "sandbox/filter.h"
#include "sandbox/orders.h"
#include "sandbox/tree.h"

enum {
    WORKER_PROCESSES = 16,
    COMPILER_PROCESSES = 32, // gcc, cc1, as, collect2, ld; nvcc has more
    COMPILER_FILE_BYTES = 64 << 20,
    SCRATCH_BYTES = 128 << 20,
    OPEN_FILES = 64,
    STACK_BYTES = 8 << 20,
    START_MILLISECONDS = 20 * 1000,
    END_MILLISECONDS = 5 * 1000,
};

// ---- the command line ---------------------------------------------------------------------

struct words {
    char **word;
    size_t count, room;
};

static void add(struct words *words, const char *word)
{
    if (words->count + 2 > words->room) {
        words->room = 2 * words->room + 64;
        char **larger = grader_alloc(words->room * sizeof *larger);
        for (size_t i = 0; i < words->count; i++) {
            larger[i] = words->word[i];
        }
        free(words->word);
        words->word = larger;
    }
    words->word[words->count++] = grader_print("%s", word);
    words->word[words->count] = NULL;
}

static void add_all(struct words *words, const char *const *list)
{
    for (; list != NULL && *list != NULL; list++) {
        add(words, *list);
    }
}

#define ADD(words, ...) add_all(words, (const char *const[]){__VA_ARGS__, NULL})

static void add_number(struct words *words, long number)
{
    char *text = grader_print("%ld", number);
    add(words, text);
    free(text);
}

static void free_words(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        free(words[i]);
    }
    free(words);
}

// Namespaces, created as root or through a user namespace.
static void add_namespaces(struct words *words, unsigned leave_out)
{
    bool root = geteuid() == 0;
    if (root) {
        // inside needs these two capabilities to change its user, and loses them by doing
        // so.
        ADD(words, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add",
            "CAP_SETGID");
    } else {
        ADD(words, "--unshare-user", "--disable-userns");
        add(words, "--uid");
        add_number(words, BOX_FIRST_USER);
        add(words, "--gid");
        add_number(words, BOX_FIRST_USER);
    }
    if ((leave_out & BOX_NAMESPACES) == 0) {
        ADD(words, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
            "--unshare-cgroup-try", "--hostname", "box");
    }
    ADD(words, "--die-with-parent", "--new-session");
}

static bool begins_with(const char *path, const char *start)
{
    return strncmp(path, start, strlen(start)) == 0;
}

// Creates a folder that every user in the box may enter. By default, bwrap creates parents
// of a mount for root only.
static void add_folder(struct words *words, const char *path)
{
    for (size_t i = 1; i < words->count; i++) {
        if (strcmp(words->word[i - 1], "--dir") == 0 &&
            strcmp(words->word[i], path) == 0) {
            return;
        }
    }
    ADD(words, "--dir", path);
}

static void add_mount(struct words *words, const char *how, const char *outside,
                      const char *inside)
{
    char *parent = grader_print("%s", inside);
    char *slash = strrchr(parent, '/');
    if (slash != NULL && slash > parent) {
        *slash = '\0';
        add_folder(words, parent);
    }
    free(parent);
    ADD(words, how, outside, inside);
}

// Returns true if path is the folder or inside it.
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return begins_with(path, folder) && (path[length] == '/' || path[length] == '\0');
}

// /lib is a link to usr/lib on most systems, and also in the box. Missing paths are
// skipped, as wall.h says. The box has its own /proc, and /sys is not needed.
static void add_readable(struct words *words, const char *path)
{
    struct stat status;
    if (begins_with(path, "/proc") || begins_with(path, "/sys") ||
        lstat(path, &status) != 0) {
        return;
    }
    char target[256];
    ssize_t length = -1;
    if (S_ISLNK(status.st_mode) && strchr(path + 1, '/') == NULL) {
        length = readlink(path, target, sizeof target - 1);
    }
    if (length > 0) {
        target[length] = '\0';
        ADD(words, "--symlink", target, path);
        return;
    }
    char *absolute = *path == '/' ? grader_print("%s", path) : realpath(path, NULL);
    if (absolute != NULL) {
        add_mount(words, "--ro-bind", absolute, absolute);
    }
    free(absolute);
}

// Relative paths stay valid in the box.
static void add_directory(struct words *words, const struct box *box)
{
    char *here = box->kind == BOX_COMPILER ? getcwd(NULL, 0) : NULL;
    if (here != NULL) {
        add_folder(words, here);
        ADD(words, "--chdir", here);
    } else {
        ADD(words, "--chdir", "/");
    }
    free(here);
}

// Mounts everything that may be read. A workbook inside /usr or /opt is hidden by an empty
// folder, in which its readable files are mounted again.
static void add_system(struct words *words, const struct box *box)
{
    char *root = box->hidden != NULL ? realpath(box->hidden, NULL) : NULL;
    bool covered = false;
    for (int own = 0; own <= 1; own++) {
        for (const char *const *path = box->wall->readable; *path != NULL; path++) {
            char *real = realpath(*path, NULL);
            bool is_own = root != NULL && real != NULL && is_below(real, root);
            covered = covered || (root != NULL && real != NULL && is_below(root, real));
            if (is_own == (own == 1)) {
                add_readable(words, *path);
            }
            free(real);
        }
        if (own == 0 && covered) {
            ADD(words, "--perms", "0755", "--tmpfs", root);
        }
    }
    free(root);
}

static void add_mounts(struct words *words, const struct box *box)
{
    if ((box->leave_out & BOX_MOUNTS) != 0) {
        ADD(words, "--ro-bind", "/", "/");
    } else {
        add_system(words, box);
        ADD(words, "--ro-bind", box->helper, "/inside");
    }
    ADD(words, "--proc", "/proc", "--dev-bind", "/dev/null", "/dev/null");
    if (box->scratch != NULL) {
        ADD(words, "--perms", "0777");
        if ((box->leave_out & BOX_SCRATCH_SIZE) == 0) {
            add(words, "--size");
            add_number(words, SCRATCH_BYTES);
        }
        ADD(words, "--tmpfs", box->scratch);
    }
    for (const struct box_path *path = box->moved; path != NULL && path->outside != NULL;
         path++) {
        add_mount(words, "--ro-bind", path->outside, path->inside);
    }
    if (box->output != NULL) {
        add_mount(words, "--bind", box->output, box->output);
    }
    add_directory(words, box);
    if ((box->leave_out & BOX_MOUNTS) == 0) {
        ADD(words, "--remount-ro", "/");
    }
}

static void add_inside(struct words *words, const struct box *box, int orders, int ready)
{
    ADD(words, "--", (box->leave_out & BOX_MOUNTS) != 0 ? box->helper : "/inside");
    add_number(words, orders);
    add_number(words, ready);
    add_all(words, box->wall->readable);
    for (const struct box_path *path = box->moved; path != NULL && path->outside != NULL;
         path++) {
        add(words, path->inside);
    }
    add(words, "--");
    add_all(words, box->wall->writable);
    add(words, "--");
}

// ---- limits -------------------------------------------------------------------------------

static uint32_t processes_of(const struct box *box)
{
    return box->kind == BOX_COMPILER ? COMPILER_PROCESSES : WORKER_PROCESSES;
}

void box_limit(struct boxed *boxed, const struct box *box, size_t megabytes)
{
    if ((box->leave_out & BOX_GROUP) == 0) {
        boxed->group = cgroup_make(cgroup_place(), megabytes, processes_of(box));
    }
}

// ---- the orders ---------------------------------------------------------------------------

// Reserves a user id that no other box on this machine is using, because the kernel counts
// processes per user. The reservation is an abstract socket name, which only one process
// can hold and which is freed when the process ends. Returns its descriptor, or -1.
static int take_user(uint32_t *user)
{
    static atomic_uint counter;
    unsigned first = (unsigned)getpid() * 37u + atomic_fetch_add(&counter, 1);
    int holder = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (unsigned i = 0; holder >= 0 && i < BOX_USERS; i++) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        *user = BOX_FIRST_USER + (first + i) % BOX_USERS;
        int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1,
                              "attention-workbook-box-%u", *user);
        size_t size = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;
        if (bind(holder, (const struct sockaddr *)&name, (socklen_t)size) == 0) {
            return holder;
        }
    }
    if (holder >= 0) {
        close(holder);
    }
    return -1;
}

// Creates a memory file with struct orders, followed by the filter. Returns its descriptor
// or -1.
static int write_orders(const struct box *box, uint32_t user)
{
    size_t bytes = 0;
    const void *filter = filter_program(box->kind, &bytes);
    unsigned out = box->leave_out;
    struct orders orders = {
        .user = (out & BOX_USER) != 0 ? 0 : user,
        .limits = (out & BOX_LIMITS) == 0,
        .processes = processes_of(box),
        .file_bytes = box->kind == BOX_COMPILER ? COMPILER_FILE_BYTES : 0,
        .open_files = OPEN_FILES,
        .stack_bytes = STACK_BYTES,
        .landlock = (out & BOX_LANDLOCK) == 0,
        .alone = box->wall->alone,
        .instructions = (out & BOX_FILTER) != 0 ? 0 : (uint32_t)(bytes / 8),
    };
    if (filter == NULL) {
        errno = ENOSYS;
        return -1;
    }
    int file = memfd_create("orders", MFD_CLOEXEC);
    bytes = 8 * (size_t)orders.instructions;
    if (file >= 0 && (write(file, &orders, sizeof orders) != (ssize_t)sizeof orders ||
                      write(file, filter, bytes) != (ssize_t)bytes)) {
        close(file);
        file = -1;
    }
    return file;
}

static void close_if_open(int descriptor)
{
    if (descriptor >= 0) {
        close(descriptor);
    }
}

int box_wrap(struct boxed *boxed, const struct box *box, char *const *arguments,
             int descriptor_count)
{
    int ready[2];
    uint32_t user = 0; // for an ordinary user, the namespace determines the user id
    *boxed = (struct boxed){
        .user = -1, .first_descriptor = -1, .scratch = -1, .scratch_path = box->scratch};
    boxed->user = geteuid() == 0 ? take_user(&user) : -1;
    int orders = geteuid() == 0 && boxed->user < 0 ? -1 : write_orders(box, user);
    if (orders < 0 || pipe2(ready, O_CLOEXEC) != 0) {
        int error = errno;
        close_if_open(orders);
        close_if_open(boxed->user);
        return error;
    }
    // One pipe with two descriptors, because bwrap closes the one that it writes to.
    boxed->descriptors[0] = orders;
    boxed->descriptors[1] = boxed->descriptors[2] = ready[1];
    boxed->ready = ready[0];

    int first = 3 + descriptor_count;
    struct words words = {.count = 0};
    add(&words, "bwrap");
    add_namespaces(&words, box->leave_out);
    add_mounts(&words, box);
    add(&words, "--info-fd");
    add_number(&words, first + 1);
    add_inside(&words, box, first, first + 2);
    add_all(&words, (const char *const *)arguments);
    boxed->arguments = words.word;
    return 0;
}

// ---- both ends ----------------------------------------------------------------------------

bool box_in_namespace(const struct box *box)
{
    return geteuid() == 0 && (box->leave_out & BOX_NAMESPACES) == 0;
}

// The pipe carries bwrap's '{ "child-pid": 2, ...' (a pid in its own namespace), then "R" from
// the program inside. It is closed when the boxed program starts. "F" means that the start
// failed.
bool box_started(struct boxed *boxed, pid_t bwrap)
{
    char said[1024];
    size_t length = 0;
    close(boxed->descriptors[0]);
    close(boxed->descriptors[1]);
    boxed->descriptors[0] = boxed->descriptors[1] = -1;
    struct pollfd event = {boxed->ready, POLLIN, 0};
    while (length + 1 < sizeof said) {
        int polled = poll(&event, 1, START_MILLISECONDS);
        if (polled < 0 && errno == EINTR) {
            continue;
        }
        ssize_t count =
            polled > 0 ? read(boxed->ready, said + length, sizeof said - 1 - length) : 0;
        if (count <= 0) {
            break; // all writers are gone
        }
        length += (size_t)count;
    }
    said[length] = '\0';
    pid_t first = strstr(said, "\"child-pid\":") != NULL ? tree_first_child(bwrap) : 0;
    if (first > 0) {
        boxed->first_descriptor = (int)syscall(SYS_pidfd_open, first, 0);
        if (boxed->scratch_path != NULL) {
            char *scratch =
                grader_print("/proc/%d/root%s", (int)first, boxed->scratch_path);
            boxed->scratch = open(scratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
            free(scratch);
        }
    }
    return strchr(said, 'R') != NULL && strchr(said, 'F') == NULL;
}

size_t box_files(const struct boxed *boxed)
{
    struct statvfs status;
    if (boxed->scratch < 0 || fstatvfs(boxed->scratch, &status) != 0) {
        return 0;
    }
    return status.f_files - status.f_ffree;
}

void box_ended(struct boxed *boxed)
{
    if (boxed->first_descriptor >= 0) {
        // The first process of a namespace ends after all others. Its parent, bwrap, is
        // dead, so it will end, too.
        struct pollfd event = {boxed->first_descriptor, POLLIN, 0};
        while (poll(&event, 1, END_MILLISECONDS) < 0 && errno == EINTR) {
        }
        close(boxed->first_descriptor);
    }
    if (boxed->descriptors[0] >= 0) {
        close(boxed->descriptors[0]);
        close(boxed->descriptors[1]);
    }
    close_if_open(boxed->scratch);
    cgroup_end(boxed->group);
    close_if_open(boxed->user);
    close(boxed->ready);
    free_words(boxed->arguments);
}

int box_signal(int exit_status)
{
    return exit_status > 128 && exit_status <= 128 + 64 ? exit_status - 128 : 0;
}
