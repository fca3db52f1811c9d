// stored.h - parameters in files, also in half the space: as bfloat16, the upper 16 bits of a float.

#ifndef LAB_TRAIN_STORED_H
#define LAB_TRAIN_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/tensor_file.h"

// Rounds to the nearest; ties go to an even last bit. The caller frees the result, which is NULL if
// there is no memory.
uint16_t *stored_halves(const float *x, size_t count);

// Copies a tensor of this shape from a file, whether it is F32 or BF16. Returns false, with the
// reason in file->error, if the tensor is another, or holds a number that is not finite.
bool stored_read(float *to, struct lab_tensor_file *file, const char *name, size_t axes,
                 const size_t *size);

// If good, adds checksums, and writes the file completely or not at all. Otherwise, adding to it
// failed: out of memory. On failure returns false with the reason in error(LAB_TENSOR_ERROR).
// Closes file in any case.
bool stored_write(char *error, const char *path, struct lab_tensor_file *file, bool good);

#endif
