// collect.h - grade collect: from what somebody handed in to a tree that can be judged.

#ifndef GRADER_COLLECT_H
#define GRADER_COLLECT_H

// The command line behind "collect". Returns an exit status of grade.h.
int collect_command(const char *root, int argc, char **argv);

#endif
