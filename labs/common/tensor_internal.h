// tensor_internal.h - shared by tensor_*.c alone.
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
    LAB_TENSOR_LENGTH = 8, // bytes of a file that say how long its header is
    LAB_TENSOR_SHAPE_TEXT = 128,
};

// The member of the header that is no tensor.
#define LAB_TENSOR_METADATA "__metadata__"

// ---- tensor_file.c ------------------------------------------------------------------------

// Writes "path: message" into file->error, on one line, and returns status.
__attribute__((format(printf, 3, 4))) lab_status
lab_tensor_fail(struct lab_tensor_file *file, lab_status status, const char *format, ...);

// lab_tensor_fail for LAB_ENOMEM.
lab_status lab_tensor_no_memory(struct lab_tensor_file *file);

// What error calls the file from now on.
void lab_tensor_set_path(struct lab_tensor_file *file, const char *path);

// "(3, 4)" into text, which it returns.
const char *lab_tensor_shape_text(char text[LAB_TENSOR_SHAPE_TEXT], size_t dims,
                                  const size_t *shape);

// The type called name ("F32"). False when there is none.
bool lab_tensor_find_dtype(const char *name, enum lab_dtype *dtype);

// Sets count from shape, and bytes from count. False when either does not fit a size_t.
bool lab_tensor_measure(struct lab_tensor *tensor, size_t *bytes);

// The bytes of a tensor that has been measured.
size_t lab_tensor_bytes(const struct lab_tensor *tensor);

// Adds a tensor under a copy of name, or a copy of key and value. LAB_ENOMEM, with its line
// in error; nothing else is checked.
LAB_CHECKED lab_status lab_tensor_append(struct lab_tensor_file *file, const char *name,
                                         struct lab_tensor tensor);
LAB_CHECKED lab_status lab_tensor_append_note(struct lab_tensor_file *file,
                                              const char *key, const char *value);

// ---- tensor_header.c ----------------------------------------------------------------------

// Where a tensor lies, in bytes from the start of the data.
struct lab_tensor_extent {
    size_t begin, end;
    size_t tensor; // its index
};

// Understands a header of length bytes, text[length] being zero, in front of data_size bytes:
// adds its tensors (without data) and notes to file, which holds none before, and gives their
// extents in the order of the data: without overlaps, without holes. LAB_EFORMAT or
// LAB_ENOMEM, with the line in error; *extents is to be freed in any case.
LAB_CHECKED lab_status lab_tensor_header_parse(struct lab_tensor_file *file,
                                               const char *text, size_t length,
                                               size_t data_size,
                                               struct lab_tensor_extent **extents);

// ---- tensor_check.c -----------------------------------------------------------------------

// Compares the checksums of a file that was just read, if it has any, with what was read, and takes
// them out of the notes. LAB_EFORMAT, with the tensor's name in error, when one differs or is
// missing.
LAB_CHECKED lab_status lab_tensor_check(struct lab_tensor_file *file);

#endif
