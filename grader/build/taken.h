// taken.h - the functions whose addresses an object takes: those that it may call through a pointer.

#ifndef GRADER_TAKEN_H
#define GRADER_TAKEN_H

#include <stdbool.h>
#include <stddef.h>

struct taken {
    char **names; // of functions with external linkage
    size_t count;
    bool local; // a variable holds the address of a static function
};

// Nothing is taken in a file that is not an object for x86-64.
void taken_read(struct taken *taken, const char *object);
void taken_free(struct taken *taken);

#endif
