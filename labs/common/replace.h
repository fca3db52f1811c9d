// replace.h - replaces a file completely or not at all.
//
//     struct lab_replacement r;
//     lab_status status = lab_replace_begin(&r, path);
//     if (status == LAB_OK) {
//         fprintf(r.file, ...);
//         status = lab_replace_commit(&r);
//     }
//
// The new file is written under a temporary name in the same directory, flushed to the disk
// and then renamed. So anyone who opens path finds the old file or the new one, never a
// part.

#ifndef LAB_REPLACE_H
#define LAB_REPLACE_H

#include <stdio.h>

#include "common/status.h"

struct lab_replacement {
    FILE *file;      // write the contents here
    char *path;      // its final name
    char *temporary; // the temporary name, in the same directory
};

// Opens a temporary file beside path. Call lab_replace_commit or lab_replace_abort
// afterwards. Returns LAB_EIO if path exists and is not a regular file (a directory, a
// device), or if the temporary file cannot be created, and LAB_ENOMEM. After an error errno
// holds the reason, and there is nothing to commit or abort. After LAB_OK errno is 0.
LAB_CHECKED lab_status lab_replace_begin(struct lab_replacement *replacement,
                                         const char *path);

// Writes everything to the disk and renames the file, replacing an old one. Returns LAB_EIO
// if this or any earlier write failed: the old file stays, the temporary file is removed,
// and errno holds the reason. A symbolic link is replaced, not followed.
LAB_CHECKED lab_status lab_replace_commit(struct lab_replacement *replacement);

// Removes the temporary file; the old file stays. Preserves errno.
void lab_replace_abort(struct lab_replacement *replacement);

// Removes the temporary files that killed programs have left beside path. A file is removed
// only if it is a regular file of this user, the process in its name no longer exists, and
// nobody holds its lock (a writer holds it, even in another container). Files that cannot
// be read or removed are ignored.
// Example: lab_replace_tidy("run.safetensors") removes run.safetensors.4711-0.tmp
void lab_replace_tidy(const char *path);

#endif
