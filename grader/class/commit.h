// commit.h - when a lab's files were committed, for a hand-in that is a clone.
//
// Both times of a commit are the student's to choose. The committer's is the one that a
// rebase and an amended commit renew, so it counts; the author's is shown beside it. For
// times that nobody can choose, take the platform's own (moments.h).

#ifndef GRADER_COMMIT_H
#define GRADER_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_COMMITTED = 64 };

struct commit_times {
    struct {
        int lab;
        int64_t authored, committed;
    } labs[MOST_COMMITTED]; // of the newest commit that changed a file of the lab
    int count;
};

// Reads the times from the clone in this folder. A lab has none if one of its files is not
// committed, or differs from what is committed. Returns false if the folder is no clone, or
// if its repository cannot be read.
//
// libgit2 reads the repository in a child process without any right but to read this
// folder. It starts no program and reads no other configuration, whatever the repository
// asks for.
bool commit_read(const char *folder, struct commit_times *times);

#endif
