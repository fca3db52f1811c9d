// collect.h - grade collect: copies a hand-in to a tree that can be judged.

#ifndef GRADER_COLLECT_H
#define GRADER_COLLECT_H

// The bytes of TREE/manifest.json. Its fingerprints have at most eight digits for each byte of the
// hand-in (LARGEST_HAND_IN in sources.h).
enum { LARGEST_MANIFEST = 64 << 20 };

// Runs "collect" with its command line. Returns an exit status (exit_code.h).
int collect_command(const char *root, int argc, char **argv);

#endif
