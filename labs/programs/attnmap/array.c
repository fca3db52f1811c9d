// array.c - numbers of any type and byte order, as floats.

#include "programs/attnmap/attnmap.h"

#include "programs/attnmap/half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool array_count(size_t *count, const size_t *shape, size_t axes)
{
    *count = 1;
    for (size_t i = 0; i < axes; i++) {
        if (__builtin_mul_overflow(*count, shape[i], count)) {
            return false;
        }
    }
    return *count <= SIZE_MAX / 16;
}

bool element_is_known(const struct element *e)
{
    switch (e->kind) {
    case 'f':
        return (e->size == 2 && WITH_HALVES) || e->size == 4 || e->size == 8;
    case 'b':
        return e->size == 2;
    case 'i':
    case 'u':
        return e->size == 1 || e->size == 2 || e->size == 4 || e->size == 8;
    case '?':
        return e->size == 1;
    default:
        return false;
    }
}

static double real(uint64_t bits, const struct element *e)
{
    float single;
    double number;
    if (e->kind == 'f' && e->size == 2) {
        return half_value((uint16_t)bits);
    }
    if (e->size == 8) {
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    const uint32_t word =
        (uint32_t)(e->size == 2 ? bits << 16 : bits); // bfloat16: the upper half
    memcpy(&single, &word, sizeof single);
    return (double)single;
}

static double number(uint64_t bits, const struct element *e)
{
    if (e->kind == 'f' || e->kind == 'b') {
        return real(bits, e);
    }
    if (e->kind == 'i' && e->size < 8 && bits >> (8 * e->size - 1) != 0) {
        bits |= ~(uint64_t)0 << 8 * e->size; // extend the sign
    }
    return e->kind == 'i' ? (double)(int64_t)bits : (double)bits;
}

float *array_convert(const void *bytes, size_t count, const struct element *e)
{
    const unsigned char *next = bytes;
    float *data = map_allocate(count + 1, sizeof *data);
    for (size_t i = 0; i < count; i++, next += e->size) {
        uint64_t bits = 0;
        for (size_t k = 0; k < e->size; k++) {
            bits = bits << 8 | next[e->big_endian ? k : e->size - 1 - k];
        }
        data[i] = (float)number(bits, e);
    }
    return data;
}

void arrays_add(struct arrays *arrays, const struct array *array)
{
    struct array *all = realloc(arrays->all, (arrays->count + 1) * sizeof *all);
    if (all == NULL) {
        map_fail(MAP_FAILED, "out of memory");
    }
    all[arrays->count++] = *array;
    arrays->all = all;
}

void arrays_free(struct arrays *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        free(arrays->all[i].data);
    }
    free(arrays->all);
    *arrays = (struct arrays){0};
}
