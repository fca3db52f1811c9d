// cache.h - objects of files that have not changed since they were last compiled.
//
// Checking lab 3 compiles lab 2 beneath it; one edited file of lab 6 lies beside five others.
// They are kept in build/cache, one entry for each file of each tree:
//
//     how it was compiled, the file, the compiler one line
//     device inode size times path                one line for every file that was read
//     (empty line)
//     size of the warnings, size of the object    one line
//     the warnings, the object
//
// An entry holds as long as all that is said in it does, the times of change among them, which
// no program can set. It is not made when a file was changed just before the compiler started,
// for then it may have changed again within the same tick of the clock; nor is it looked at
// where the kernel does not keep student code from writing here (sandbox/wall.h).
//
// The folder is bounded, in entries and in bytes: what was longest not used goes first. Several
// graders may read, keep and sweep at a time.

#ifndef GRADER_CACHE_H
#define GRADER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

// How one file is compiled: equal for two compilations with the same outcome.
struct recipe {
    const char *root;   // of the workbook
    const char *source; // the file
    const char *how;    // compiler and flags, in one line
    // Of a .cu file, which another program makes a C++ file of:
    const char *passing;     // that file, made anew each time and not looked at; or NULL
    const char *const *also; // what else the outcome depends on; ends with NULL; or NULL
};

// Writes the object and sets *warnings (the caller frees; NULL when there are none). False when
// there is no valid entry.
bool cache_fetch(const struct recipe *recipe, const char *object, char **warnings);

// Makes an entry. dependencies is what -MD wrote; started is when the compiler did, by
// CLOCK_REALTIME. If the cache cannot be written, nothing is kept; this is not an error.
void cache_keep(const struct recipe *recipe, const char *object, const char *warnings,
                const char *dependencies, struct timespec started);

// Removes the files of the folder that were longest not used until no more than these are left.
// cache_keep does so with the bounds of cache.c.
void cache_sweep(const char *folder, size_t most_entries, size_t most_bytes);

#endif
