// symbols.h - which functions an object file defines, and which it calls and does not define.

#ifndef GRADER_SYMBOLS_H
#define GRADER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbols {
    char *file; // the whole object, which the names point into
    const char **defined, **needed;
    size_t defined_count, needed_count;
};

// Reads the global symbols of a 64-bit ELF object. False when it is none: then both lists are
// empty. Every offset in the file is checked, for a student's compiler wrote it.
bool symbols_read(struct symbols *symbols, const char *path);
void symbols_free(struct symbols *symbols);

bool symbols_define(const struct symbols *symbols, const char *name);
bool symbols_need(const struct symbols *symbols, const char *name);

// Can a shared object be loaded into a program that runs already? Not one that wants a stack that
// can be executed (glibc 2.41), nor one with thread variables in the program's own block, which
// has little room left (tls_model("initial-exec")).
bool symbols_loadable(const char *path);

#endif
