// image.h - the functions in a linked worker, or in an object: their names and machine code.

#ifndef GRADER_IMAGE_H
#define GRADER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_function {
    const char *name;
    bool local;
    uint64_t address;    // when linked
    const uint8_t *code; // points into the image, like name
    uint64_t size;
};

struct image {
    char *file;
    struct image_function *functions; // sorted by address
    size_t count;
    const struct image_function **by_name; // the same functions, sorted by name
};

// Returns false, with no functions, if this is not an object or program for x86-64.
bool image_read(struct image *image, const char *path);
void image_free(struct image *image);

// The function that starts at this address; the first one with this name. NULL if there is none. A
// binary search: a student's file may have many functions, and many calls of them.
const struct image_function *image_find(const struct image *image, uint64_t address);
const struct image_function *image_named(const struct image *image, const char *name);

#endif
