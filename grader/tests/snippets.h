// snippets.h - the wrong and the hostile functions in grader/tests/submissions, as trees to judge.

#ifndef GRADER_TESTS_SNIPPETS_H
#define GRADER_TESTS_SNIPPETS_H

#include <stdbool.h>
#include <stddef.h>

struct snippet {
    char path[512]; // the path of a hostile file, or FILE@SECTION of a wrong one
    char exercise[16];
    char expected[64]; // a diagnosis (wrong/) or a verdict (hostile/)
    bool whole_lab;    // the attack costs every exercise of its file
    bool needs_wall;   // only a kernel with Landlock stops it
    bool needs_box;    // only a box stops this attack, so it is never tried without one
    bool gpu;          // a .cu file
};

// The snippets of one kind ("wrong", "hostile"), lab and suffix ("c", "cu"), in the order of their
// names. Free all.
struct snippets {
    struct snippet *all;
    size_t count, room;
};
struct snippets find_snippets(const char *kind, int lab, const char *suffix);

// Snippets that are judged together: of different exercises, none of which builds on another, so
// that no verdict depends on another snippet. What is compiled and judged once for all of them makes
// the test several times as fast.
enum { MOST_TOGETHER = 32 };
struct batch {
    const struct snippet *members[MOST_TOGETHER];
    size_t count;
    bool gpu;
    char exercises[MOST_TOGETHER * 16]; // "1.3 1.5"
};
struct batches {
    struct batch *all;
    size_t count;
};

// Divides the snippets into as few batches as it can. All are of one side. Free all.
struct batches make_batches(const struct snippets *snippets);

// A batch of one.
struct batch only(const struct snippet *snippet);

// Returns a folder below build/tmp with the solutions' files that the batch's snippets change, and
// their changes. The next call changes the same folder, after restore_tree.
char *make_tree(const struct batch *batch);
void restore_tree(void);

// Wrong versions of a lab's functions beside each other in one folder, so that its files are compiled
// once for all of them (submissions/beside.sh). Not for kernels.
struct versions {
    char tree[64];
    const struct snippet **all; // the one at [N - 1] is called FUNCTION__N
    size_t count;
};
struct versions make_versions(const struct snippet **snippets, size_t count);
void remove_versions(struct versions *versions);

// For options.aliases: the batch's versions, and of the other functions the solutions. Free it.
struct alias *aliases_of(const struct versions *versions, const struct batch *batch);

// Removes the folder of make_tree, or another one.
void end_trees(void);
void remove_tree(const char *folder);

#endif
