// pattern.h - paths in the patterns of glob.

#ifndef GRADER_PATTERN_H
#define GRADER_PATTERN_H

// The path as the beginning of a pattern: each character stands for itself, in "CS [101]" too. Caller frees.
char *pattern_of(const char *path);

#endif
