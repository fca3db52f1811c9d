// tree.h - one tree of labs to judge, for a test at a time. grader/tools/transplant.sh makes it.

#ifndef GRADER_TESTS_TREE_H
#define GRADER_TESTS_TREE_H

extern char tree[64]; // its folder, in build/tmp

// Makes the tree from snippets ("1.3-attention_scores.c@no-scale ..."), whose paths start in
// submissions/wrong. "": it is a copy of the solutions.
void make_tree(const char *snippets);
void remove_tree(void);

// Changes a file of the tree by a script for sed, which must not contain '.
void edit_tree(const char *file, const char *script);

#endif
