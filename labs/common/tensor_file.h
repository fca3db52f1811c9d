// tensor_file.h - named tensors in a file: goldens, maps, checkpoints.
//
// The format is safetensors (docs/formats.md draws it), so any Python user can open the
// files. Reading:
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
// and writing:
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
// A file may come from anywhere: whatever its bytes say, it is either understood or refused
// with one line that names the place; nothing outside of the file is read.

#ifndef LAB_TENSOR_FILE_H
#define LAB_TENSOR_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum {
    LAB_TENSOR_DIMS = 8,                        // axes of a tensor, at most
    LAB_TENSOR_HEADER_LIMIT = 16 * 1024 * 1024, // bytes of JSON, at most
    LAB_TENSOR_ERROR = 512,
};

// float, double, int64_t, uint8_t, and the upper half of a float as uint16_t (bfloat16)
enum lab_dtype { LAB_F32, LAB_F64, LAB_I64, LAB_U8, LAB_BF16 };

// "F32", and 4.
const char *lab_dtype_name(enum lab_dtype dtype);
size_t lab_dtype_size(enum lab_dtype dtype);

struct lab_tensor {
    char *name;
    enum lab_dtype dtype;
    size_t dims; // 0 for a single number
    size_t shape[LAB_TENSOR_DIMS];
    size_t count;     // the product of shape; may be 0
    const void *data; // row-major; after open or parse aligned to 64 bytes and never NULL
};

struct lab_tensor_note {
    char *key, *value;
};

// {0} is an empty one.
struct lab_tensor_file {
    struct lab_tensor *tensors;
    size_t count;
    struct lab_tensor_note *notes; // the strings of "__metadata__"
    size_t note_count;
    char path[256];               // what error calls the file
    char error[LAB_TENSOR_ERROR]; // after an error: one line, the problem and its place
    void *storage;                // what tensors[].data of an opened file point into
};

// ---- reading ------------------------------------------------------------------------------

// Reads a whole file. *file is overwritten, whatever it held. LAB_EIO when it cannot be
// read, LAB_EFORMAT when it is not a safetensors file we understand or has checksums of other
// bytes, LAB_ENOMEM. After an error *file holds no tensors and error says what, where and what was
// expected.
LAB_CHECKED lab_status lab_tensor_file_open(struct lab_tensor_file *file,
                                            const char *path);

// The same from memory; bytes(size) is not needed afterwards. Errors call it "(memory)".
LAB_CHECKED lab_status lab_tensor_file_parse(struct lab_tensor_file *file,
                                             const void *bytes, size_t size);

// The tensor of that name, or NULL.
const struct lab_tensor *lab_tensor_find(const struct lab_tensor_file *file,
                                         const char *name);

// The string of "__metadata__" under that key, or NULL.
const char *lab_tensor_note(const struct lab_tensor_file *file, const char *key);

// The data of the tensor of that name, which must have this type and this shape(dims);
// otherwise NULL, and file->error describes the tensor that is there.
const float *lab_tensor_f32(struct lab_tensor_file *file, const char *name, size_t dims,
                            const size_t *shape);
const uint8_t *lab_tensor_u8(struct lab_tensor_file *file, const char *name, size_t dims,
                             const size_t *shape);
const int64_t *lab_tensor_i64(struct lab_tensor_file *file, const char *name, size_t dims,
                              const size_t *shape);

// ---- writing ------------------------------------------------------------------------------

// Adds a tensor of shape(dims). name and shape are copied; data is not, and must stay until
// the last save. LAB_EVALUE when the name is empty, "__metadata__", taken or not UTF-8;
// LAB_ESHAPE when there are more than LAB_TENSOR_DIMS axes or more elements than memory
// holds; LAB_ENOMEM. The file is as before then.
LAB_CHECKED lab_status lab_tensor_file_add(struct lab_tensor_file *file, const char *name,
                                           enum lab_dtype dtype, const void *data,
                                           size_t dims, const size_t *shape);

// Adds a string to "__metadata__". LAB_EVALUE when the key is taken or not UTF-8; LAB_ENOMEM.
LAB_CHECKED lab_status lab_tensor_file_add_note(struct lab_tensor_file *file,
                                                const char *key, const char *value);

// Adds a checksum of each tensor's bytes and one of the notes to "__metadata__"; whoever opens the
// saved file compares them. To be called last: all tensors and notes are there, with the bytes that
// will be saved. LAB_EVALUE when there are checksums already; LAB_ENOMEM.
LAB_CHECKED lab_status lab_tensor_file_add_checksums(struct lab_tensor_file *file);

// Writes everything to path, whole or not at all: after an error (LAB_EIO, LAB_ENOMEM) the
// file that was there before is still there. An opened file can be saved again as well.
LAB_CHECKED lab_status lab_tensor_file_save(struct lab_tensor_file *file,
                                            const char *path);

// Frees everything and leaves an empty file, except for error, which stays readable. Does
// nothing to an empty one.
void lab_tensor_file_close(struct lab_tensor_file *file);

#endif
