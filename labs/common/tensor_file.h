// tensor_file.h - named tensors in a file: goldens, maps, checkpoints.
//
// The format is safetensors (see docs/formats.md), so Python programs can open the files.
// To read:
//
//     struct lab_tensor_file file;
//     if (lab_tensor_file_open(&file, "datasets/goldens/lab01.safetensors") != LAB_OK) {
//         fprintf(stderr, "%s\n", file.error);
//         return 1;
//     }
//     const float *x = lab_tensor_f32(&file, "x", 2, (size_t[]){3, 4}); // x(3,4)
//     ...
//     lab_tensor_file_close(&file);
//
// To write:
//
//     struct lab_tensor_file file = {0};
//     lab_status status = lab_tensor_file_add(&file, "weights", LAB_F32, weights, 3,
//                                             (size_t[]){B, T, S});
//     if (status == LAB_OK) {
//         status = lab_tensor_file_save(&file, "weights.safetensors");
//     }
//     ... file.error ...
//     lab_tensor_file_close(&file);
//
// Files may come from untrusted sources. Any invalid file is rejected with one line that
// gives the position of the error, and no read goes outside the file.

#ifndef LAB_TENSOR_FILE_H
#define LAB_TENSOR_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum {
    LAB_TENSOR_DIMS = 8, // maximum number of axes
    // maximum size of the JSON header in bytes
    LAB_TENSOR_HEADER_LIMIT = 16 * 1024 * 1024,
    LAB_TENSOR_ERROR = 512,
};

// In C: float, double; uint16_t for BF16 (the upper half of a float) and F16 (IEEE 754 binary16);
// int64_t to int8_t, uint64_t to uint8_t; a byte for BOOL
enum lab_dtype {
    LAB_F32,
    LAB_F64,
    LAB_BF16,
    LAB_F16,
    LAB_I64,
    LAB_I32,
    LAB_I16,
    LAB_I8,
    LAB_U64,
    LAB_U32,
    LAB_U16,
    LAB_U8,
    LAB_BOOL,
};

// The name of a type ("F32") and the size of an element (4).
const char *lab_dtype_name(enum lab_dtype dtype);
size_t lab_dtype_size(enum lab_dtype dtype);

struct lab_tensor {
    char *name;
    enum lab_dtype dtype;
    size_t dims; // 0 for a single number
    size_t shape[LAB_TENSOR_DIMS];
    size_t count; // the product of shape; may be 0
    // row-major; after open or parse, aligned to 64 bytes and never NULL
    const void *data;
};

struct lab_tensor_note {
    char *key, *value;
};

// {0} is an empty file.
struct lab_tensor_file {
    struct lab_tensor *tensors;
    size_t count;
    struct lab_tensor_note *notes; // the strings of "__metadata__"
    size_t note_count;
    char path[256]; // the name of the file in error messages
    // after an error: one line with the problem and its position
    char error[LAB_TENSOR_ERROR];
    void *storage; // storage of an opened file's tensors[].data
};

// ---- reading ------------------------------------------------------------------------------

// Reads a whole file. The old contents of *file are ignored. Returns LAB_EIO if the file
// cannot be read, LAB_EFORMAT if it is not a supported safetensors file or its checksums do
// not match, and LAB_ENOMEM. After an error *file has no tensors, and error says what is
// wrong, where, and what was expected.
LAB_CHECKED lab_status lab_tensor_file_open(struct lab_tensor_file *file,
                                            const char *path);

// The same from memory. bytes(size) may be freed afterwards. Error messages say "(memory)".
LAB_CHECKED lab_status lab_tensor_file_parse(struct lab_tensor_file *file,
                                             const void *bytes, size_t size);

// The tensor with this name, or NULL.
const struct lab_tensor *lab_tensor_find(const struct lab_tensor_file *file,
                                         const char *name);

// The string with this key in "__metadata__", or NULL.
const char *lab_tensor_note(const struct lab_tensor_file *file, const char *key);

// The data of the tensor with this name, type and shape(dims). Otherwise returns NULL, and
// file->error describes the tensor found.
const float *lab_tensor_f32(struct lab_tensor_file *file, const char *name, size_t dims,
                            const size_t *shape);
const uint16_t *lab_tensor_bf16(struct lab_tensor_file *file, const char *name,
                                size_t dims, const size_t *shape);
const uint8_t *lab_tensor_u8(struct lab_tensor_file *file, const char *name, size_t dims,
                             const size_t *shape);
const int64_t *lab_tensor_i64(struct lab_tensor_file *file, const char *name, size_t dims,
                              const size_t *shape);

// ---- writing ------------------------------------------------------------------------------

// Adds a tensor of shape(dims). name and shape are copied. data is not copied and must stay
// valid until the last save. Returns LAB_EVALUE if the name is empty, "__metadata__", in
// use or not UTF-8; LAB_ESHAPE if there are more than LAB_TENSOR_DIMS axes or the size
// overflows; and LAB_ENOMEM. After an error the file is unchanged.
LAB_CHECKED lab_status lab_tensor_file_add(struct lab_tensor_file *file, const char *name,
                                           enum lab_dtype dtype, const void *data,
                                           size_t dims, const size_t *shape);

// Adds a string to "__metadata__". Returns LAB_EVALUE if the key is in use or not UTF-8,
// and LAB_ENOMEM.
LAB_CHECKED lab_status lab_tensor_file_add_note(struct lab_tensor_file *file,
                                                const char *key, const char *value);

// Adds checksums of each tensor and of the notes to "__metadata__". lab_tensor_file_open
// verifies them. Call it last, when all tensors and notes have their final contents.
// Returns LAB_EVALUE if there are checksums already, and LAB_ENOMEM.
LAB_CHECKED lab_status lab_tensor_file_add_checksums(struct lab_tensor_file *file);

// Writes everything to path, completely or not at all: after an error (LAB_EIO, LAB_ENOMEM)
// the old file is unchanged. A file that was opened can also be saved.
LAB_CHECKED lab_status lab_tensor_file_save(struct lab_tensor_file *file,
                                            const char *path);

// Frees everything and leaves an empty file. error stays readable. Closing an empty file
// does nothing.
void lab_tensor_file_close(struct lab_tensor_file *file);

#endif
