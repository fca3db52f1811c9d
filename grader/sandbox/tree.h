// tree.h - measures the memory and time of a process and its descendants from outside.
//
// For machines on which the grader cannot create control groups. In a process namespace no
// process can leave the tree, because orphans become children of the namespace's first
// process.
//
// Memory includes resident and swapped-out pages, huge pages, page tables and kernel stacks
// of threads. A program can have gigabytes of page tables and hardly any pages.
//
// It misses memory that is allocated and freed between two checks, and memory that counts
// in no process's size, which the filter forbids (filter.c). Memory shared by two processes
// counts twice.

#ifndef GRADER_TREE_H
#define GRADER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tree {
    size_t megabytes;
    double seconds; // processor time, including ended processes
    bool busy;      // a thread runs, waits for a processor, or for a disk
    size_t processes;
};

struct tree tree_measure(pid_t top);

// The same for many measurements of one tree. Keeps the files of the first few processes open, because
// opening them takes as long as reading them, unless few descriptors remain. Begin with zeros;
// tree_close closes the files.
enum { MOST_KEPT = 5 }; // a box with gcc, cc1 and as
struct tree_files {
    struct process_files {
        pid_t pid; // 0: none
        int stat, status, children;
        bool seen; // in this measurement
    } of[MOST_KEPT];
};
struct tree tree_measure_again(pid_t top, struct tree_files *files);
void tree_close(struct tree_files *files);

// The oldest child of a process, or 0.
pid_t tree_first_child(pid_t parent);

#endif
