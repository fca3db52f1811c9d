// tensor_internal.h - shared by the tensor_*.c files only.
//
//     tensor_read.c    open and parse: the length, the header's text, the data
//     tensor_header.c  the header as JSON: names, types, shapes, and where each tensor lies
//     tensor_file.c    the table in memory: look up, add, close; types, shapes, errors
//     tensor_save.c    save
//     tensor_check.c   checksums

#ifndef LAB_TENSOR_INTERNAL_H
#define LAB_TENSOR_INTERNAL_H

#include <stdbool.h>

#include "common/tensor_file.h"

enum {
    LAB_TENSOR_LENGTH = 8, // size of the header's length field in bytes
    LAB_TENSOR_SHAPE_TEXT = 128,
};

// The member of the header that is not a tensor.
#define LAB_TENSOR_METADATA "__metadata__"

// ---- tensor_file.c ------------------------------------------------------------------------

// Writes "path: message" into file->error, on one line, and returns status.
__attribute__((format(printf, 3, 4))) lab_status
lab_tensor_fail(struct lab_tensor_file *file, lab_status status, const char *format, ...);

// lab_tensor_fail for LAB_ENOMEM.
lab_status lab_tensor_no_memory(struct lab_tensor_file *file);

// Sets the name of the file in error messages.
void lab_tensor_set_path(struct lab_tensor_file *file, const char *path);

// Writes a shape such as "(3, 4)" to text and returns text.
const char *lab_tensor_shape_text(char text[LAB_TENSOR_SHAPE_TEXT], size_t dims,
                                  const size_t *shape);

// Finds the type with this name ("F32"). Returns false if there is none.
bool lab_tensor_find_dtype(const char *name, enum lab_dtype *dtype);

// Computes count from shape, and bytes from count. Returns false if either overflows a
// size_t.
bool lab_tensor_measure(struct lab_tensor *tensor, size_t *bytes);

// The size in bytes of a tensor whose count is set.
size_t lab_tensor_bytes(const struct lab_tensor *tensor);

// Adds a tensor with a copy of name, or a note with copies of key and value. Returns
// LAB_ENOMEM and sets error; checks nothing else.
LAB_CHECKED lab_status lab_tensor_append(struct lab_tensor_file *file, const char *name,
                                         struct lab_tensor tensor);
LAB_CHECKED lab_status lab_tensor_append_note(struct lab_tensor_file *file,
                                              const char *key, const char *value);

// ---- tensor_header.c ----------------------------------------------------------------------

// The position of a tensor, in bytes from the start of the data.
struct lab_tensor_extent {
    size_t begin, end;
    size_t tensor; // its index
};

// Parses a header of length bytes (text[length] is zero) that precedes data_size bytes of
// data. Adds its tensors (without data) and notes to file, which must be empty, and returns
// their extents in the order of the data, without overlaps or gaps. Returns LAB_EFORMAT or
// LAB_ENOMEM and sets error. The caller frees *extents in any case.
LAB_CHECKED lab_status lab_tensor_header_parse(struct lab_tensor_file *file,
                                               const char *text, size_t length,
                                               size_t data_size,
                                               struct lab_tensor_extent **extents);

// ---- tensor_check.c -----------------------------------------------------------------------

// Verifies the checksums of a file that was just read, if it has any, and removes them from
// the notes. If one differs or is missing, returns LAB_EFORMAT with the tensor's name in
// error.
LAB_CHECKED lab_status lab_tensor_check(struct lab_tensor_file *file);

#endif
