// tree.c - walks /proc/PID/task/TID/children. See tree.h.

#define _GNU_SOURCE
#include "sandbox/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 512 };

struct walk {
    pid_t pids[MOST_PROCESSES]; // found so far, the first `done` of them looked at
    size_t count, done;
    unsigned long pages, ticks;
};

// A file of /proc into text; an empty string when the process is gone.
static void read_small(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;
    text[length > 0 ? length : 0] = '\0';
    if (file >= 0) {
        close(file);
    }
}

// Fields 14 to 17 of stat are processor time, 24 is pages; the name before may hold anything.
static void add_process(struct walk *walk, pid_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_small(path, text, sizeof text);
    char *field = strrchr(text, ')');
    for (int number = 2; field != NULL && number <= 24; number++) {
        if (number >= 14 && number <= 17) {
            walk->ticks += strtoul(field, NULL, 10);
        } else if (number == 24) {
            walk->pages += strtoul(field, NULL, 10);
        }
        field = strchr(field, ' ');
        field = field != NULL ? field + 1 : NULL;
    }
}

static void add_children(struct walk *walk, pid_t pid)
{
    char path[320], text[4096];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    if (threads == NULL) {
        return;
    }
    for (struct dirent *thread; (thread = readdir(threads)) != NULL;) {
        if (thread->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid,
                 thread->d_name);
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
    closedir(threads);
}

struct tree tree_measure(pid_t top)
{
    struct walk walk = {.pids = {top}, .count = 1};
    while (walk.done < walk.count) {
        pid_t pid = walk.pids[walk.done++];
        add_process(&walk, pid);
        add_children(&walk, pid);
    }
    return (struct tree){
        .megabytes = walk.pages * (size_t)sysconf(_SC_PAGESIZE) >> 20,
        .seconds = (double)walk.ticks / (double)sysconf(_SC_CLK_TCK),
        .processes = walk.count,
    };
}

pid_t tree_first_child(pid_t parent)
{
    struct walk walk = {.count = 0};
    add_children(&walk, parent);
    return walk.count > 0 ? walk.pids[0] : 0;
}
