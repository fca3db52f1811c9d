// cgroup.h - a control group for each box: the kernel counts its memory and its processes.
//
// Watching the process tree (tree.h) checks every few milliseconds; a control group misses
// nothing. If groups can be created, both are used. Otherwise only the tree is watched, and
// grade walls gives the reason.
//
//   version 2                                version 1
//   <the grader's group>                     memory/<its group>         pids/<its group>
//     ├─ attention-judge.PID  the grader       └─ attention-box.PID.N     └─ attention-box.PID.N
//     ├─ attention-box.PID.1  a box
//     └─ attention-box.PID.2  another
//
// Version 2 allows processes only in leaves, so the grader moves itself (and nothing else)
// into a leaf before it enables memory and pids for subgroups. In existing groups, it
// writes only to that switch (cgroup.subtree_control), and only in a group that belongs to
// the grader:
//
//   - GRADE_CGROUP names it in the form of /proc/self/cgroup: /graders (none: create no groups);
//   - or the grader was started in it and it was delegated: by systemd (marked by
//     Delegate=yes), to this user (who owns it), or as the root of a container.
//
// The grader never divides a group that is managed by others, such as that of a login
// session.
//
// A killed grader leaves groups behind. Each group is locked while its grader runs; the
// next grader removes unlocked groups and ends their processes.

#ifndef GRADER_CGROUP_H
#define GRADER_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

// Where groups are created.
struct cgroup_place {
    int version; // 2 or 1, or 0: nowhere
    // the parent groups: in version 1 one for memory and one for pids, in version 2 one for
    // both
    char *folders[2];
    size_t folder_count; //
    char *name;          // as in GRADE_CGROUP
    char *reason;        // for version 0, one line
};

// The inputs: /proc/self/cgroup, /proc/self/mountinfo and GRADE_CGROUP (or NULL). Tests use
// other files.
struct cgroup_view {
    const char *membership, *mounts, *named;
};

// Finds and prepares the place, so that groups can be created.
struct cgroup_place cgroup_find(const struct cgroup_view *view);
void cgroup_free_place(struct cgroup_place *place);

// The place for this process. The first call finds, sweeps and tests it.
const struct cgroup_place *cgroup_place(void);

// Lets child programs create their groups in the same place.
void cgroup_share(void);

// Removes the groups of dead graders and ends their processes. Returns the number of
// groups.
size_t cgroup_sweep(const struct cgroup_place *place);

// Creates an empty group with these limits. Returns NULL if that is not possible.
struct cgroup *cgroup_make(const struct cgroup_place *place, size_t megabytes,
                           size_t processes);

// Moves the calling process and its future children into the group. Async-signal-safe.
bool cgroup_enter(const struct cgroup *group);

// Returns true if the kernel killed one of its processes for lack of memory; false for
// NULL.
bool cgroup_out_of_memory(const struct cgroup *group);

// Ends all processes in the group and removes it.
void cgroup_end(struct cgroup *group);

#endif
