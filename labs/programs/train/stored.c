// stored.c - see stored.h.

#include "programs/train/stored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t to_bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float from_bfloat16(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

uint16_t *stored_halves(const float *x, size_t count)
{
    uint16_t *halves = malloc(count * sizeof *halves);
    for (size_t i = 0; halves != NULL && i < count; i++) {
        halves[i] = to_bfloat16(x[i]);
    }
    return halves;
}

static bool copy_floats(float *to, struct lab_tensor_file *file, const char *name,
                        size_t axes, const size_t *size)
{
    const float *from = lab_tensor_f32(file, name, axes, size);
    if (from != NULL) {
        memcpy(to, from, lab_tensor_find(file, name)->count * sizeof *to);
    }
    return from != NULL;
}

static bool copy_halves(float *to, struct lab_tensor_file *file, const char *name,
                        size_t axes, const size_t *size)
{
    const uint16_t *from = lab_tensor_bf16(file, name, axes, size);
    for (size_t i = 0; from != NULL && i < lab_tensor_find(file, name)->count; i++) {
        to[i] = from_bfloat16(from[i]);
    }
    return from != NULL;
}

bool stored_read(float *to, struct lab_tensor_file *file, const char *name, size_t axes,
                 const size_t *size)
{
    const struct lab_tensor *tensor = lab_tensor_find(file, name);
    const bool halves = tensor != NULL && tensor->dtype == LAB_BF16;
    if (!(halves ? copy_halves : copy_floats)(to, file, name, axes, size)) {
        return false;
    }
    for (size_t i = 0; i < tensor->count; i++) {
        if (!isfinite(to[i])) {
            snprintf(file->error, sizeof file->error,
                     "%.200s: damaged: %.100s has a number that is not finite",
                     file->path, name);
            return false;
        }
    }
    return true;
}

bool stored_write(char *error, const char *path, struct lab_tensor_file *file, bool good)
{
    if (!good || lab_tensor_file_add_checksums(file) != LAB_OK) {
        good = false;
        snprintf(error, LAB_TENSOR_ERROR, "%.400s: out of memory", path);
    } else if (lab_tensor_file_save(file, path) != LAB_OK) {
        good = false;
        snprintf(error, LAB_TENSOR_ERROR, "%s", file->error);
    }
    lab_tensor_file_close(file);
    return good;
}
