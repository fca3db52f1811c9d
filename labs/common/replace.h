// replace.h - a file that appears whole or not at all.
//
//     struct lab_replacement r;
//     lab_status status = lab_replace_begin(&r, path);
//     if (status == LAB_OK) {
//         fprintf(r.file, ...);
//         status = lab_replace_commit(&r);
//     }
//
// It is written under a temporary name in the same directory, flushed to the disk and then
// renamed, so whoever opens path finds the older file or the new one, never a part.

#ifndef LAB_REPLACE_H
#define LAB_REPLACE_H

#include <stdio.h>

#include "common/status.h"

struct lab_replacement {
    FILE *file;      // write here
    char *path;      // its final name
    char *temporary; // its name until then, in the same directory
};

// Opens a temporary file beside path. Ends in lab_replace_commit or lab_replace_abort.
// LAB_EIO when path is there and no regular file (a directory, a device), or the temporary
// file cannot be made; LAB_ENOMEM. errno says why, and there is nothing to end then. On
// LAB_OK errno is 0.
LAB_CHECKED lab_status lab_replace_begin(struct lab_replacement *replacement,
                                         const char *path);

// Writes everything to the disk and gives the file its name, in place of an older one. LAB_EIO
// when any write failed, now or before: the older file stays, the temporary one is removed,
// errno says why. A symbolic link is replaced by the file, not followed.
LAB_CHECKED lab_status lab_replace_commit(struct lab_replacement *replacement);

// Removes the temporary file; the older file stays. Keeps errno.
void lab_replace_abort(struct lab_replacement *replacement);

// Removes the temporary files that programs which were killed left beside path, and no others: a
// file of that name is removed when it is a plain file of ours, the process that the name tells is
// gone, and nobody holds its lock (as a writer does, also one in another container). What
// cannot be read or removed stays; nobody needs it gone.
// Example: lab_replace_tidy("run.safetensors") removes run.safetensors.4711-0.tmp
void lab_replace_tidy(const char *path);

#endif
