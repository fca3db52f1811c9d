// cache.h - a cache of object files whose sources have not changed.
//
// Checking lab 3 also compiles lab 2, and an edited file of lab 6 comes with five unchanged
// ones. So objects are stored in build/cache, with one entry for each file of each tree:
//
//     how it was compiled, the file, the compiler one line
//     device inode size times path                one line for every file that was read
//     (empty line)
//     size of the warnings, size of the object    one line
//     the warnings, the object
//
// An entry is valid as long as all the facts in it are true. They include the times of the
// last change (ctime), which no program can set. No entry is stored if a file changed just
// before the compiler started, because it may have changed again within the same clock
// tick, or if it names something that the compiler does not list: #embed, __has_include, .incbin,
// __DATE__ (hangs_on_more in cache.c). The cache is not used where the kernel cannot prevent
// student code from writing to it (sandbox/wall.h).
//
// The folder has a maximum number of entries and bytes; the least recently used entries are
// removed first. Several graders may use the cache at the same time.

#ifndef GRADER_CACHE_H
#define GRADER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

// How a file is compiled. Two compilations with equal keys have the same result.
struct recipe {
    const char *root;   // the workbook's folder
    const char *source; // the file
    const char *how;    // compiler and flags, in one line
    // For a .cu file: the generated C++ file, which is ignored because it is always new.
    // Otherwise NULL.
    const char *passing;
    // other files that the result depends on, ending with NULL; or NULL
    const char *const *also;
};

// Writes the object and sets *warnings (NULL if there are none; the caller frees). Returns
// false if there is no valid entry.
bool cache_fetch(const struct recipe *recipe, const char *object, char **warnings);

// Stores an entry. dependencies is the file written by -MD; started is the start time of
// the compiler (CLOCK_REALTIME). If the cache cannot be written, nothing is stored; this is
// not an error.
void cache_keep(const struct recipe *recipe, const char *object, const char *warnings,
                const char *dependencies, struct timespec started);

// Returns what identifies a version of a file: its place, size and times. NULL if it does not exist.
// Caller frees.
char *cache_identity(const char *path);

// Removes the least recently used files until the folder is within these limits. cache_keep
// does this with the limits of cache.c.
void cache_sweep(const char *folder, size_t most_entries, size_t most_bytes);

#endif
