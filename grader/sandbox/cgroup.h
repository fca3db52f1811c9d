// cgroup.h - a control group for each box: the kernel counts its memory and its processes.
//
// Watching the tree of processes (tree.h) looks every few milliseconds; a group misses nothing.
// Where groups can be made, both are done; where not, the tree alone, and grade walls says why.
//
//   version 2                                version 1
//   <the grader's group>                     memory/<its group>         pids/<its group>
//     ├─ attention-judge.PID  the grader       └─ attention-box.PID.N     └─ attention-box.PID.N
//     ├─ attention-box.PID.1  a box
//     └─ attention-box.PID.2  another
//
// Version 2 has processes in the leaves only, so the grader moves itself, and nobody else, into a
// leaf before it hands memory and pids down. Nothing is written to a group that was there before
// but to that switch (cgroup.subtree_control), and that only in a group that is the grader's:
//
//   - GRADE_CGROUP names it, as /proc/self/cgroup would: /graders (none: make no groups);
//   - or it is the group that the grader was started in, and that was handed over: by systemd
//     (Delegate=yes leaves a mark), to this user (who owns it), or as the root of a container.
//
// A group that somebody else keeps for us, a login session's say, is not ours to divide.
//
// A grader that is killed leaves groups behind. Each is locked for as long as its grader lives;
// the next one ends and removes those that are not.

#ifndef GRADER_CGROUP_H
#define GRADER_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

// Where groups are to be made.
struct cgroup_place {
    int version; // 2 or 1, or 0: nowhere
    // the parents: of version 1, for memory and for pids; of 2, for both
    char *folders[2];
    size_t folder_count; //
    char *name;          // as in GRADE_CGROUP
    char *reason;        // of version 0, one line
};

// What is looked at: /proc/self/cgroup, /proc/self/mountinfo and GRADE_CGROUP (or NULL). The
// tests have files of their own.
struct cgroup_view {
    const char *membership, *mounts, *named;
};

// Finds the place and readies it: from then on groups can be made.
struct cgroup_place cgroup_find(const struct cgroup_view *view);
void cgroup_free_place(struct cgroup_place *place);

// The place of this process: found, swept and tried once, at the first call.
const struct cgroup_place *cgroup_place(void);

// Lets the programs that this one starts make their groups in the same place.
void cgroup_share(void);

// Ends and removes the groups that dead graders have left. Returns how many.
size_t cgroup_sweep(const struct cgroup_place *place);

// An empty group with these limits, or NULL where none can be made.
struct cgroup *cgroup_make(const struct cgroup_place *place, size_t megabytes,
                           size_t processes);

// Moves the calling process there, and with it all that it starts. Async-signal-safe.
bool cgroup_enter(const struct cgroup *group);

// Did the kernel end one of its processes, because there was no memory left? Of NULL: no.
bool cgroup_out_of_memory(const struct cgroup *group);

// Ends all that is in it, and removes it.
void cgroup_end(struct cgroup *group);

#endif
