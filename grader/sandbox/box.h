// box.h - runs untrusted code in a box: one program per box, and nothing is left
// afterwards.
//
// Theory of operation. Two helper programs start a boxed program:
//
//   judge ── fork ──> bwrap ──────────────> inside ──────────────> the compiler or the worker
//                     builds the box        locks it               runs in it
//
//   bwrap   (Debian's bubblewrap) makes new namespaces: processes, network, IPC, host name,
//           cgroups, mounts. The new file system contains only the paths named in the box,
//           read-only; a scratch folder of bounded size in memory; /proc of the new process
//           namespace; and /dev with only /dev/null. If the judge dies, bwrap and everything in
//           the box die: when the first process of a process namespace ends, the kernel kills
//           all others in it, whatever their session or group. That first process asks to die
//           with bwrap only a moment after it starts. If bwrap is killed before that, it waits
//           for ever. So, as root, bwrap itself is the first process of another namespace. (An
//           ordinary user cannot do this; grade class ends the processes that are left, see
//           class.c.)
//   inside  (grader/sandbox/inside) switches to a user that no other program has, sets the
//           limits, applies Landlock (wall.h) as a second wall behind the mounts, loads the
//           seccomp filter (filter.h), reports "ready" and executes the program.
//
// If the grader runs as root, it may create namespaces, and each box gets its own user from
// 60000 to 60999. This user cannot access root's files or other boxes, and is subject to
// the limit on processes, which the kernel does not enforce for root. If the grader runs as
// an ordinary user, the box has a user namespace, in which the user is 60000 and cannot
// create further namespaces.
//
// From outside, the grader watches the time (process.c) and the memory and processor time
// of the whole process tree (tree.h). If it may create control groups (cgroup.h), the
// kernel also counts memory and processes, without gaps between two checks.
//
// Failures before "ready" are the grader's: process_run reports NOT_STARTED and the reason.
// All later failures are the program's.

#ifndef GRADER_BOX_H
#define GRADER_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sandbox/wall.h"

enum {
    BOX_FIRST_USER = 60000,
    BOX_USERS = 1000,
};

// For tests only, which check that attacks succeed without the corresponding wall.
enum box_wall {
    BOX_NAMESPACES = 1 << 0, // processes, network, IPC, host name
    BOX_MOUNTS = 1 << 1,     // the whole host is readable
    BOX_USER = 1 << 2,       // runs as the calling user
    BOX_LIMITS = 1 << 3,     // processes, files, stack
    BOX_LANDLOCK = 1 << 4,
    BOX_FILTER = 1 << 5,
    BOX_SCRATCH_SIZE = 1 << 6,
    BOX_TREE = 1 << 7,  // memory, processor time and files are not limited
    BOX_GROUP = 1 << 8, // no control group
};

enum box_kind { BOX_WORKER, BOX_COMPILER };

// A path on the host and its path in the box.
struct box_path {
    const char *outside, *inside;
};

struct box {
    enum box_kind kind;
    const char *helper;      // build/box/inside
    const char *hidden;      // the workbook, if it is inside a readable folder; or NULL
    const struct wall *wall; // what may be read (mounted at the same path) or written
    // also readable, at other paths in the box; ends with NULLs
    const struct box_path *moved;
    const char *scratch; // path of an empty folder in memory, or NULL
    const char *output;  // the only writable file of the host, or NULL
    unsigned leave_out;  // enum box_wall; 0
};

// The command line that starts a program in a box, and the descriptors it needs.
struct boxed {
    char **arguments;
    int descriptors[3];   // for the program, after its own: orders, information, ready
    int ready;            // read by the grader
    int user;             // reserves the box's user, or -1
    int first_descriptor; // pidfd of the box's first process, or -1
    const char *scratch_path;
    int scratch;          // the box's scratch folder, or -1
    struct cgroup *group; // NULL if none can be created
};

// Does everything possible before the fork. The program has descriptor_count descriptors of
// its own. Returns 0 or an errno; after an error, nothing has to be freed.
int box_wrap(struct boxed *boxed, const struct box *box, char *const *arguments,
             int descriptor_count);

// Creates a control group with these limits, if possible. box_ended removes it.
void box_limit(struct boxed *boxed, const struct box *box, size_t megabytes);

// Returns true if bwrap must be the first process of a namespace.
bool box_in_namespace(const struct box *box);

// After the fork, waits until the program is in its box. Returns false if the grader
// failed.
bool box_started(struct boxed *boxed, pid_t bwrap);

// The number of files in the scratch folder. Its size limit counts bytes, so empty files
// must be counted separately.
size_t box_files(const struct boxed *boxed);

// After the kill, waits until nothing of the box is left, and frees it.
void box_ended(struct boxed *boxed);

// bwrap reports a signal as an exit status above 128. Returns the signal, or 0.
int box_signal(int exit_status);

#endif
