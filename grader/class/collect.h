// collect.h - grade collect: copies a hand-in to a tree that can be judged.

#ifndef GRADER_COLLECT_H
#define GRADER_COLLECT_H

// Runs "collect" with its command line. Returns an exit status (exit_code.h).
int collect_command(const char *root, int argc, char **argv);

#endif
