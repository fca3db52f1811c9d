// symbols.h - lists the functions that an object file defines, and those it calls but does
// not define.

#ifndef GRADER_SYMBOLS_H
#define GRADER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbols {
    char *file; // the whole object; the names point into it
    const char **defined, **needed;
    size_t defined_count, needed_count;
    size_t variable_bytes; // of variables that are not constant, with their alignment
    size_t constant_bytes; // of constants and code, the same way
    size_t
        named_variables; // variables that the code names: AddressSanitizer's own tables are none of them
    size_t
        early_functions; // run when the program is loaded: constructors, ifunc resolvers
};

// Reads the global symbols of a 64-bit ELF object. Returns false, with empty lists, if it
// is not one. Checks every offset, because the file may be forged.
bool symbols_read(struct symbols *symbols, const char *path);
void symbols_free(struct symbols *symbols);

bool symbols_define(const struct symbols *symbols, const char *name);
bool symbols_need(const struct symbols *symbols, const char *name);

// Returns true if a running program can load this shared object. It cannot if the object
// needs an executable stack (glibc 2.41), or has thread-local variables in the program's
// static TLS block, which has little free space (tls_model("initial-exec")).
bool symbols_loadable(const char *path);

#endif
