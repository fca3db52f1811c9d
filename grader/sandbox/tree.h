// tree.h - watches the memory and time of a process and its descendants from outside.
//
// For machines on which the grader may not make control groups. In a process namespace nobody
// leaves the tree: an orphan becomes a child of the namespace's first process.
//
// Memory is what is resident or swapped out, huge pages, page tables and the stacks that the
// kernel gives to threads. A program can have page tables of gigabytes and hardly any page.
//
// What it does not see: memory taken and given back between two looks; and memory that is in no
// process's size, which the filter keeps from being made (filter.c). Memory that two processes
// share is counted twice.

#ifndef GRADER_TREE_H
#define GRADER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct tree {
    size_t megabytes;
    double seconds; // processor time, of those that ended too
    bool busy;      // a thread runs, waits for a processor, or for a disk
    size_t processes;
};

struct tree tree_measure(pid_t top);

// The child that a process has had for longest, or 0.
pid_t tree_first_child(pid_t parent);

#endif
