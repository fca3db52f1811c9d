// box.h - the walls around untrusted code: one program, one box, nothing left afterwards.
//
// Theory of operation. A boxed program is started through two others:
//
//   judge ── fork ──> bwrap ──────────────> inside ──────────────> the compiler or the worker
//                     builds the room       locks the door          is in it
//
//   bwrap   (Debian's bubblewrap) makes new namespaces: processes, network, IPC, host name,
//           cgroups, mounts. The new file system is empty but for the paths named in the box,
//           read only; a scratch folder of bounded size in memory; /proc of the new process
//           namespace; /dev with nothing in it but null. It dies with the judge, and with it
//           everything in the box: the first process of a process namespace takes all others
//           with it, whatever session or group they have gone to. Its own first process asks
//           for that a moment after it has been made, and would wait for ever for a bwrap that
//           was killed before: so, as root, bwrap itself is the first process of a namespace.
//           (As an ordinary user it is not; grade class ends what comes of that, class.c.)
//   inside  (grader/sandbox/inside) becomes a user nobody else is, sets the limits, raises
//           Landlock (wall.h) as a second wall behind the mounts, loads the seccomp filter
//           (filter.h), says "ready" and becomes the program.
//
// As root the judge has the right to make the namespaces, and the user of the box is one of
// 60000 to 60999, another one for every box: root's own files, other boxes and the limit on
// processes (which the kernel does not hold against root) are then out of reach. As an ordinary
// user the namespaces come with a user namespace of their own, in which that user is 60000 and
// may make no further ones.
//
// The judge watches from outside (process.c): the time, and, over the whole tree of processes
// (tree.h), memory and processor time. Where it may make control groups (cgroup.h), the kernel
// counts memory and processes, too, and misses nothing between two looks.
//
// Whose fault? Until "ready" everything that fails is ours: process_run says NOT_STARTED and
// why. From then on all is theirs.

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

// For the tests alone, which see that an attack is noticed once its wall is gone.
enum box_wall {
    BOX_NAMESPACES = 1 << 0, // processes, network, IPC, host name
    BOX_MOUNTS = 1 << 1,     // the whole host, read only
    BOX_USER = 1 << 2,       // runs as who starts it
    BOX_LIMITS = 1 << 3,     // processes, files, stack
    BOX_LANDLOCK = 1 << 4,
    BOX_FILTER = 1 << 5,
    BOX_SCRATCH_SIZE = 1 << 6,
    BOX_TREE = 1 << 7,  // memory, processor time and files are not looked at
    BOX_GROUP = 1 << 8, // no control group
};

enum box_kind { BOX_WORKER, BOX_COMPILER };

// A path of the host and where it lies in the box.
struct box_path {
    const char *outside, *inside;
};

struct box {
    enum box_kind kind;
    const char *helper; // build/box/inside
    const char *hidden; // the workbook, should it lie below what may be read; or NULL
    const struct wall *wall; // what may be read (mounted at the same path) or written
    // may be read too, elsewhere in the box; ends with NULLs
    const struct box_path *moved;
    const char *scratch; // an empty folder in memory at this path, or NULL
    const char *output;  // the one file of the host that may be written, or NULL
    unsigned leave_out;  // enum box_wall; 0
};

// The command line that puts a program into a box, and its descriptors behind `count` others.
struct boxed {
    char **arguments;
    int descriptors[3];   // for the program, behind its own: orders, information, ready
    int ready;            // what the judge reads
    int user;             // holds the box's user, or -1
    int first_descriptor; // pidfd of the box's first process, or -1
    const char *scratch_path;
    int scratch;          // its scratch folder, or -1
    struct cgroup *group; // or NULL, where none can be made
};

// Everything that can be done before the fork. The program has descriptor_count descriptors
// of its own. Returns 0 or an errno; then nothing has to be freed.
int box_wrap(struct boxed *boxed, const struct box *box, char *const *arguments,
             int descriptor_count);

// Gives it a control group that may hold so much, if there can be one. box_ended removes it.
void box_limit(struct boxed *boxed, const struct box *box, size_t megabytes);

// Is bwrap to be started as the first process of a namespace?
bool box_in_namespace(const struct box *box);

// After the fork, with bwrap's number: waits until the program is in its box. false: our
// failure.
bool box_started(struct boxed *boxed, pid_t bwrap);

// Files in the scratch folder are bounded by their bytes, and an empty one has none: how many
// are there?
size_t box_files(const struct boxed *boxed);

// After the kill: waits until nothing of the box is left, and frees.
void box_ended(struct boxed *boxed);

// bwrap tells a death by signal as an exit status above 128. The signal, or 0.
int box_signal(int exit_status);

#endif
