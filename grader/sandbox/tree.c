// tree.c - walks /proc/PID/task/TID/children. See tree.h.

#define _GNU_SOURCE
#include "sandbox/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/surroundings.h"

enum { MOST_PROCESSES = 512, KERNEL_STACK_KILOBYTES = 16, MOST_GROWTH = 1 << 20 };

struct walk {
    pid_t pids[MOST_PROCESSES]; // found so far; the first `done` are processed
    size_t count, done;
    unsigned long kilobytes, ticks;
    bool busy;
};

// ---- files of /proc -----------------------------------------------------------------------

static void close_if_open(int file)
{
    if (file >= 0) {
        close(file);
    }
}

static int open_file(pid_t pid, const char *name)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

// The first thread has the number of its process.
static int open_children(pid_t pid, const char *thread)
{
    char name[300];
    snprintf(name, sizeof name, "task/%s/children", thread);
    return open_file(pid, name);
}

static struct process_files open_files(pid_t pid)
{
    char thread[16];
    snprintf(thread, sizeof thread, "%d", (int)pid);
    return (struct process_files){pid, open_file(pid, "stat"), open_file(pid, "status"),
                                  open_children(pid, thread), true};
}

static void close_files(struct process_files *files)
{
    if (files->pid != 0) {
        close_if_open(files->stat);
        close_if_open(files->status);
        close_if_open(files->children);
        files->pid = 0;
    }
}

// Reads a file from its start into text; an empty string if the process is gone. Returns the length.
static size_t read_open(int file, char *text, size_t size)
{
    const ssize_t length = file >= 0 ? pread(file, text, size - 1, 0) : -1;
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

static void read_small(int file, char *text, size_t size)
{
    read_open(file, text, size);
    close_if_open(file);
}

// A file of any length. Caller frees.
static char *read_whole(int file)
{
    size_t room = 4096;
    char *text = grader_alloc(room);
    while (read_open(file, text, room) == room - 1 && room < MOST_GROWTH) {
        room *= 2;
        text = grader_resize(text, room);
    }
    return text;
}

// Field 3 of stat: R if the thread runs or could run, D if it waits for a disk. The name before it
// may contain anything.
static void add_state(struct walk *walk, const char *stat)
{
    const char *name_end = strrchr(stat, ')');
    walk->busy = walk->busy || (name_end != NULL && strlen(name_end) > 2 &&
                                strchr("RD", name_end[2]) != NULL);
}

// Fields 14 to 17 of stat, and 20, the number of threads. Returns true if there is only one; then
// field 3 is its state.
static bool add_time(struct walk *walk, const char *stat)
{
    unsigned long threads = 0;
    const char *field = strrchr(stat, ')');
    for (int number = 2; field != NULL && number <= 20; number++) {
        if (number >= 14 && number <= 17) {
            walk->ticks += strtoul(field, NULL, 10);
        }
        threads = number == 20 ? strtoul(field, NULL, 10) : threads;
        field = strchr(field, ' ');
        field = field != NULL ? field + 1 : NULL;
    }
    if (threads == 1) {
        add_state(walk, stat);
    }
    return threads == 1;
}

static void add_line(struct walk *walk, const char *text)
{
    static const struct {
        const char *line;
        unsigned long kilobytes;
    } kinds[] = {{"VmRSS:", 1},
                 {"VmPTE:", 1},
                 {"VmSwap:", 1},
                 {"HugetlbPages:", 1},
                 {"Threads:", KERNEL_STACK_KILOBYTES}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].line);
        if (strncmp(text, kinds[i].line, length) == 0) {
            walk->kilobytes += kinds[i].kilobytes * strtoul(text + length, NULL, 10);
        }
    }
}

// The lines of status. The first is the name, in which the kernel escapes newlines as \n. The line
// of the user's groups may be long.
static void add_memory(struct walk *walk, int status)
{
    char *text = read_whole(status);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        add_line(walk, line);
    }
    free(text);
}

static void add_children(struct walk *walk, const char *children)
{
    char *end;
    for (const char *word = children; walk->count < MOST_PROCESSES; word = end) {
        long child = strtol(word, &end, 10);
        if (end == word) {
            break;
        }
        walk->pids[walk->count++] = (pid_t)child;
    }
}

static void add_threads(struct walk *walk, pid_t pid)
{
    char path[300], text[4096];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    if (threads == NULL) {
        return;
    }
    for (struct dirent *thread; (thread = readdir(threads)) != NULL;) {
        if (thread->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "task/%s/stat", thread->d_name);
        read_small(open_file(pid, path), text, sizeof text);
        add_state(walk, text);
        read_small(open_children(pid, thread->d_name), text, sizeof text);
        add_children(walk, text);
    }
    closedir(threads);
}

// Returns false if the process is gone.
static bool add_process(struct walk *walk, const struct process_files *files)
{
    char text[4096];
    if (read_open(files->stat, text, sizeof text) == 0) {
        return false;
    }
    const bool one = add_time(walk, text);
    add_memory(walk, files->status);
    if (one) {
        read_open(files->children, text, sizeof text);
        add_children(walk, text);
    } else {
        add_threads(walk, files->pid);
    }
    return true;
}

// ---- one measurement ----------------------------------------------------------------------

// The place of a process that was seen before, or else a free one; NULL if there is none.
static struct process_files *find_kept(struct tree_files *files, pid_t pid)
{
    struct process_files *free_one = NULL;
    for (size_t i = 0; i < MOST_KEPT; i++) {
        if (files->of[i].pid == pid) {
            return &files->of[i];
        }
        if (files->of[i].pid == 0) {
            free_one = &files->of[i];
        }
    }
    return free_one;
}

// New files have the lowest free numbers, so as many as the grader needs for all else are above.
static bool may_stay_open(const struct process_files *files)
{
    const int files_of[] = {files->stat, files->status, files->children};
    struct rlimit limit;
    bool may = getrlimit(RLIMIT_NOFILE, &limit) == 0;
    for (size_t i = 0; may && i < sizeof files_of / sizeof *files_of; i++) {
        may =
            files_of[i] >= 0 && (rlim_t)files_of[i] + DESCRIPTORS_NEEDED < limit.rlim_cur;
    }
    return may;
}

static void measure_new(struct walk *walk, struct process_files *kept, pid_t pid)
{
    *kept = open_files(pid);
    add_process(walk, kept);
    if (!may_stay_open(kept)) {
        close_files(kept);
    }
}

// An open file belongs to its process for ever: it cannot be read after that has ended, even if
// another process has the same number now.
static void measure_kept(struct walk *walk, struct process_files *kept, pid_t pid)
{
    if (kept->pid != pid) {
        measure_new(walk, kept, pid);
    } else if (!add_process(walk, kept)) {
        close_files(kept);
        measure_new(walk, kept, pid);
    }
    kept->seen = true;
}

static void measure_once(struct walk *walk, pid_t pid)
{
    struct process_files files = open_files(pid);
    add_process(walk, &files);
    close_files(&files);
}

static void close_unseen(struct tree_files *files)
{
    for (size_t i = 0; i < MOST_KEPT; i++) {
        if (!files->of[i].seen) {
            close_files(&files->of[i]);
        }
        files->of[i].seen = false;
    }
}

struct tree tree_measure_again(pid_t top, struct tree_files *files)
{
    struct walk walk = {.pids = {top}, .count = 1};
    while (walk.done < walk.count) {
        const pid_t pid = walk.pids[walk.done++];
        struct process_files *kept = find_kept(files, pid);
        if (kept != NULL) {
            measure_kept(&walk, kept, pid);
        } else {
            measure_once(&walk, pid);
        }
    }
    close_unseen(files);
    return (struct tree){
        .megabytes = walk.kilobytes >> 10,
        .seconds = (double)walk.ticks / (double)sysconf(_SC_CLK_TCK),
        .busy = walk.busy,
        .processes = walk.count,
    };
}

void tree_close(struct tree_files *files)
{
    for (size_t i = 0; i < MOST_KEPT; i++) {
        close_files(&files->of[i]);
    }
}

struct tree tree_measure(pid_t top)
{
    struct tree_files files = {{{.pid = 0}}};
    const struct tree tree = tree_measure_again(top, &files);
    tree_close(&files);
    return tree;
}

pid_t tree_first_child(pid_t parent)
{
    struct walk walk = {.count = 0};
    add_threads(&walk, parent);
    return walk.count > 0 ? walk.pids[0] : 0;
}
