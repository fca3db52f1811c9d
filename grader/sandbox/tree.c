// tree.c - walks /proc/PID/task/TID/children. See tree.h.

#define _GNU_SOURCE
#include "sandbox/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 512, KERNEL_STACK_KILOBYTES = 16 };

struct walk {
    pid_t pids[MOST_PROCESSES]; // found so far; the first `done` are processed
    size_t count, done;
    unsigned long kilobytes, ticks;
    bool busy;
};

// Reads a file of /proc into text; an empty string if the process is gone.
static void read_small(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;
    text[length > 0 ? length : 0] = '\0';
    if (file >= 0) {
        close(file);
    }
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
static bool add_time(struct walk *walk, pid_t pid)
{
    char path[64], text[1024];
    unsigned long threads = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_small(path, text, sizeof text);
    char *field = strrchr(text, ')');
    for (int number = 2; field != NULL && number <= 20; number++) {
        if (number >= 14 && number <= 17) {
            walk->ticks += strtoul(field, NULL, 10);
        }
        threads = number == 20 ? strtoul(field, NULL, 10) : threads;
        field = strchr(field, ' ');
        field = field != NULL ? field + 1 : NULL;
    }
    if (threads == 1) {
        add_state(walk, text);
    }
    return threads == 1;
}

// The lines of status. The first is the name, in which the kernel escapes newlines as \n. The line
// of the user's groups may be long.
static void add_memory(struct walk *walk, pid_t pid)
{
    static const struct {
        const char *line;
        unsigned long kilobytes;
    } kinds[] = {{"VmRSS:", 1},
                 {"VmPTE:", 1},
                 {"VmSwap:", 1},
                 {"HugetlbPages:", 1},
                 {"Threads:", KERNEL_STACK_KILOBYTES}};
    char path[64], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && getline(&line, &room, file) > 0) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const size_t length = strlen(kinds[i].line);
            if (strncmp(line, kinds[i].line, length) == 0) {
                walk->kilobytes += kinds[i].kilobytes * strtoul(line + length, NULL, 10);
            }
        }
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

static void add_children(struct walk *walk, pid_t pid, const char *thread)
{
    char path[320], text[4096];
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread);
    read_small(path, text, sizeof text);
    char *end = text;
    for (char *word = text; walk->count < MOST_PROCESSES; word = end) {
        long child = strtol(word, &end, 10);
        if (end == word) {
            break;
        }
        walk->pids[walk->count++] = (pid_t)child;
    }
}

static void add_threads(struct walk *walk, pid_t pid)
{
    char path[320], text[1024];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    if (threads == NULL) {
        return;
    }
    for (struct dirent *thread; (thread = readdir(threads)) != NULL;) {
        if (thread->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, thread->d_name);
        read_small(path, text, sizeof text);
        add_state(walk, text);
        add_children(walk, pid, thread->d_name);
    }
    closedir(threads);
}

// The first thread has the number of its process.
static void add_only_thread(struct walk *walk, pid_t pid)
{
    char name[16];
    snprintf(name, sizeof name, "%d", (int)pid);
    add_children(walk, pid, name);
}

struct tree tree_measure(pid_t top)
{
    struct walk walk = {.pids = {top}, .count = 1};
    while (walk.done < walk.count) {
        pid_t pid = walk.pids[walk.done++];
        const bool one = add_time(&walk, pid);
        add_memory(&walk, pid);
        (one ? add_only_thread : add_threads)(&walk, pid);
    }
    return (struct tree){
        .megabytes = walk.kilobytes >> 10,
        .seconds = (double)walk.ticks / (double)sysconf(_SC_CLK_TCK),
        .busy = walk.busy,
        .processes = walk.count,
    };
}

pid_t tree_first_child(pid_t parent)
{
    struct walk walk = {.count = 0};
    add_threads(&walk, parent);
    return walk.count > 0 ? walk.pids[0] : 0;
}
