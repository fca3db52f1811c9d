// cgroup.c - creates, enters, reads and removes the control groups of boxes. cgroup.h has
// the theory; cgroup_place.c finds the place for them.

#define _GNU_SOURCE
#include "sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    MOST_FOLDERS = 2,
    // Extra memory for a group, because the kernel also counts page tables, files in the
    // scratch folder and bwrap. The process tree must stay below the limit itself
    // (sandbox/process.c).
    MORE_MEGABYTES = 64,
    MORE_PROCESSES = 8, // bwrap, the first process of the box, inside
    MOST_NAMES = 1000,
    END_TRIES = 500,
    TRY_MILLISECONDS = 10,
};

static const char box_prefix[] = "attention-box.", judge_prefix[] = "attention-judge.";

struct cgroup {
    int version;
    size_t count; // number of folders
    char *folders[MOST_FOLDERS];
    int processes[MOST_FOLDERS]; // cgroup.procs of each, used to enter
    int locks[MOST_FOLDERS];     // shows that its grader is running
    int events;                  // the kernel's count of out-of-memory kills
};

// ---- small files --------------------------------------------------------------------------

// Opens a file of a group, without creating it.
static int open_in(const char *folder, const char *name, int flags)
{
    char *path = grader_print("%s/%s", folder, name);
    int file = open(path, flags | O_CLOEXEC, 0600);
    free(path);
    return file;
}

static bool write_number(const char *folder, const char *name, size_t number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%zu", number);
    int file = open_in(folder, name, O_WRONLY | O_CREAT);
    bool written = file >= 0 && write(file, digits, (size_t)length) == length;
    if (file >= 0) {
        close(file);
    }
    return written;
}

static void close_all(const int *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

// ---- the end of a group -------------------------------------------------------------------

// Processes in other namespaces appear as 0.
static void kill_all(const char *folder)
{
    int at_once = open_in(folder, "cgroup.kill", O_WRONLY); // Linux 5.14
    if (at_once >= 0) {
        bool killed = write(at_once, "1", 1) == 1;
        close(at_once);
        if (killed) {
            return;
        }
    }
    int file = open_in(folder, "cgroup.procs", O_RDONLY);
    FILE *list = file >= 0 ? fdopen(file, "r") : NULL;
    long pid = 0;
    while (list != NULL && fscanf(list, "%ld", &pid) == 1) {
        if (pid > 0) {
            kill((pid_t)pid, SIGKILL);
        }
    }
    if (list != NULL) {
        fclose(list);
    }
}

// A group can be removed when its last process has ended. Version 1 gives no notification.
static bool remove_group(const char *folder)
{
    for (int tries = 0; rmdir(folder) != 0; tries++) {
        if (errno != EBUSY || tries == END_TRIES) {
            return errno == ENOENT;
        }
        kill_all(folder);
        poll(NULL, 0, TRY_MILLISECONDS);
    }
    return true;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// A locked group belongs to a running grader.
static bool is_left_over(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool free_to_take = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0) {
        close(file);
    }
    return free_to_take;
}

// While this is held exclusively, nobody creates a group in the folder; see make_folder.
static int lock_parent(const char *folder, int how)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (file >= 0 && flock(file, how) != 0) {
        if (errno != EINTR) {
            close(file);
            return -1;
        }
    }
    return file;
}

static size_t sweep_folder(const char *parent)
{
    size_t removed = 0;
    int lock = lock_parent(parent, LOCK_EX | LOCK_NB);
    // otherwise another grader is sweeping
    DIR *folder = lock >= 0 ? opendir(parent) : NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *path = grader_print("%s/%s", parent, entry->d_name);
        if (begins_with(entry->d_name, box_prefix) && is_left_over(path)) {
            kill_all(path);
            removed += remove_group(path);
        } else if (begins_with(entry->d_name, judge_prefix)) {
            removed += rmdir(path) == 0; // fails if its grader is running
        }
        free(path);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    close_all(&lock, 1);
    return removed;
}

size_t cgroup_sweep(const struct cgroup_place *place)
{
    size_t removed = 0;
    for (size_t i = 0; i < place->folder_count; i++) {
        removed += sweep_folder(place->folders[i]);
    }
    return removed;
}

void cgroup_end(struct cgroup *group)
{
    for (size_t i = 0; group != NULL && i < group->count; i++) {
        kill_all(group->folders[i]);
        remove_group(group->folders[i]);
        free(group->folders[i]);
    }
    if (group != NULL) {
        close_all(group->processes, group->count);
        close_all(group->locks, group->count);
        close_all(&group->events, 1);
    }
    free(group);
}

// ---- a group ------------------------------------------------------------------------------

// Creates a group, and locks it before a sweeping grader can see it.
static bool make_folder(struct cgroup *group, const char *parent)
{
    static atomic_uint counter;
    int lock = lock_parent(parent, LOCK_SH);
    for (int tries = 0; lock >= 0 && tries < MOST_NAMES; tries++) {
        char *folder = grader_print("%s/%s%ld.%u", parent, box_prefix, (long)getpid(),
                                    atomic_fetch_add(&counter, 1));
        if (mkdir(folder, 0755) == 0) {
            size_t i = group->count++;
            group->folders[i] = folder;
            group->processes[i] = open_in(folder, "cgroup.procs", O_WRONLY | O_CREAT);
            group->locks[i] = lock_parent(folder, LOCK_EX);
            close(lock);
            return group->processes[i] >= 0 && group->locks[i] >= 0;
        }
        bool taken = errno == EEXIST; // created by a grader in another process namespace
        free(folder);
        if (!taken) {
            break;
        }
    }
    close_all(&lock, 1);
    return false;
}

// Forbids swap, if the kernel counts it, because swapped-out memory also counts.
static bool set_limits(const struct cgroup *group, size_t megabytes, size_t processes)
{
    size_t bytes = (megabytes + MORE_MEGABYTES) << 20;
    const char *memory = group->folders[0], *pids = group->folders[group->count - 1];
    bool set = write_number(pids, "pids.max", processes + MORE_PROCESSES);
    if (group->version == 2) {
        set = set && write_number(memory, "memory.max", bytes);
        (void)write_number(memory, "memory.swap.max", 0);
        (void)write_number(memory, "memory.oom.group", 1); // all of it, or none
    } else {
        set = set && write_number(memory, "memory.limit_in_bytes", bytes);
        (void)write_number(memory, "memory.memsw.limit_in_bytes", bytes);
    }
    return set;
}

struct cgroup *cgroup_make(const struct cgroup_place *place, size_t megabytes,
                           size_t processes)
{
    if (place->version == 0) {
        return NULL;
    }
    struct cgroup *group = grader_alloc(sizeof *group);
    bool fine = true;
    group->version = place->version;
    group->events = -1;
    for (size_t i = 0; fine && i < place->folder_count; i++) {
        fine = make_folder(group, place->folders[i]);
    }
    fine = fine && set_limits(group, megabytes, processes);
    if (!fine) {
        cgroup_end(group);
        return NULL;
    }
    group->events =
        open_in(group->folders[0],
                group->version == 2 ? "memory.events" : "memory.oom_control", O_RDONLY);
    return group;
}

bool cgroup_enter(const struct cgroup *group)
{
    for (size_t i = 0; i < group->count; i++) {
        if (write(group->processes[i], "0", 1) != 1) {
            return false;
        }
    }
    return true;
}

// "oom_kill 1", in a line of its own.
bool cgroup_out_of_memory(const struct cgroup *group)
{
    char text[512] = "\n";
    if (group == NULL || group->events < 0) {
        return false;
    }
    ssize_t length = pread(group->events, text + 1, sizeof text - 2, 0);
    text[length > 0 ? length + 1 : 1] = '\0';
    const char *line = strstr(text, "\noom_kill ");
    return line != NULL && strtoul(line + strlen("\noom_kill "), NULL, 10) > 0;
}

// ---- the place of this process ------------------------------------------------------------

static struct cgroup_place the_place;

// Tests a process in a group, because creating a group does not imply the right to enter
// it.
static bool can_be_entered(void)
{
    struct cgroup *group = cgroup_make(&the_place, 16, 8);
    // does not run library handlers, see process.c
    pid_t pid = group != NULL ? _Fork() : -1;
    if (pid == 0) {
        _exit(cgroup_enter(group) ? 0 : 1);
    }
    int status = 1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    cgroup_end(group);
    return status == 0;
}

static void find_place(void)
{
    const struct cgroup_view view = {"/proc/self/cgroup", "/proc/self/mountinfo",
                                     getenv("GRADE_CGROUP")};
    the_place = cgroup_find(&view);
    if (the_place.version != 0) {
        cgroup_sweep(&the_place);
        if (!can_be_entered()) {
            the_place.version = 0;
            the_place.reason =
                grader_print("no process can be moved below group %s", the_place.name);
        }
    }
}

const struct cgroup_place *cgroup_place(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_place);
    return &the_place;
}

void cgroup_share(void)
{
    const struct cgroup_place *place = cgroup_place();
    if (place->version != 0) {
        setenv("GRADE_CGROUP", place->name, 1);
    }
}
