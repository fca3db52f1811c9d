// matrix.cc - products of matrices that a warp's lanes hold in parts: mma.h, and the instruction
// mma.sync. The last lane that comes computes for all.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "gpu/runtime/runtime.h"
#include "gpu/include/simulated/matrix.h"
#include "gpu/include/simulated/small_bits.h"

using namespace gpu_runtime;

namespace
{

enum { LARGEST = 32 * 32 };

double widen(enum gpu_number type, const void *at, unsigned i)
{
    switch (type) {
    case GPU_HALF:
        return gpu_widen_small<5>(((const unsigned short *)at)[i]);
    case GPU_BFLOAT16:
        return gpu_widen_small<8>(((const unsigned short *)at)[i]);
    case GPU_TF32: {
        uint32_t bits = ((const uint32_t *)at)[i] & ~0x1fffu;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    case GPU_FLOAT:
        return ((const float *)at)[i];
    case GPU_DOUBLE:
        return ((const double *)at)[i];
    case GPU_SIGNED_CHAR:
        return ((const signed char *)at)[i];
    case GPU_UNSIGNED_CHAR:
        return ((const unsigned char *)at)[i];
    default:
        return ((const int *)at)[i];
    }
}

// A sum of integers is exact in double; it wraps around or saturates here.
int to_int(double sum, bool saturate)
{
    if (saturate) {
        return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int)sum;
    }
    return (int)(uint32_t)(int64_t)sum;
}

void narrow(const struct gpu_product *p, void *at, unsigned i, double value)
{
    switch (p->of_d) {
    case GPU_HALF:
        ((unsigned short *)at)[i] = gpu_round_small<5>((float)value);
        break;
    case GPU_DOUBLE:
        ((double *)at)[i] = value;
        break;
    case GPU_INT:
        ((int *)at)[i] = to_int(value, p->saturate);
        break;
    default:
        ((float *)at)[i] = (float)value;
    }
}

// ---- where the elements are ----------------------------------------------------------------

struct place {
    unsigned row, column;
};

// Of a fragment in mma.h: line by line.
struct place in_fragment(unsigned at, unsigned rows, unsigned columns, bool by_columns)
{
    return by_columns ? place{at % rows, at / rows} : place{at / columns, at % columns};
}

// Of an operand of mma.sync (PTX ISA, "Matrix Fragments for mma.m16n8k16" and the others of that
// chapter). A lane's group is lane / 4. A register holds 4 bytes of a row of A or of a column of
// B; the halves of 8 rows, and of 16 bytes along k, alternate.
struct place in_a(unsigned lane, unsigned i, unsigned in_register)
{
    unsigned r = i / in_register;
    return {lane / 4 + 8 * (r % 2),
            lane % 4 * in_register + i % in_register + r / 2 * 4 * in_register};
}
struct place in_b(unsigned lane, unsigned i, unsigned in_register)
{
    unsigned r = i / in_register;
    return {lane % 4 * in_register + i % in_register + r * 4 * in_register, lane / 4};
}
struct place in_c(unsigned lane, unsigned i)
{
    return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

unsigned bytes_of(enum gpu_number type)
{
    static const unsigned char bytes[] = {2, 2, 4, 4, 8, 1, 1, 4};
    return bytes[type];
}

struct place place_of_a(const struct gpu_product *p, unsigned lane, unsigned i)
{
    unsigned count = p->m * p->k / WARP;
    return p->places == GPU_PLACES_PTX
               ? in_a(lane, i, 4 / bytes_of(p->of_a))
               : in_fragment(lane * count + i, p->m, p->k, p->a_by_columns);
}
struct place place_of_b(const struct gpu_product *p, unsigned lane, unsigned i)
{
    unsigned count = p->k * p->n / WARP;
    return p->places == GPU_PLACES_PTX
               ? in_b(lane, i, 4 / bytes_of(p->of_b))
               : in_fragment(lane * count + i, p->k, p->n, p->b_by_columns);
}
struct place place_of_c(const struct gpu_product *p, unsigned lane, unsigned i)
{
    unsigned count = p->m * p->n / WARP;
    return p->places == GPU_PLACES_PTX ? in_c(lane, i)
                                       : in_fragment(lane * count + i, p->m, p->n, false);
}

// ---- the product ---------------------------------------------------------------------------

void gather(double a[LARGEST], double b[LARGEST], double c[LARGEST],
            const struct gpu_product *const lane[WARP])
{
    const struct gpu_product *p = lane[0];
    for (unsigned l = 0; l < WARP; l++) {
        for (unsigned i = 0; i < p->m * p->k / WARP; i++) {
            struct place at = place_of_a(p, l, i);
            a[at.row * p->k + at.column] = widen(p->of_a, lane[l]->a, i);
        }
        for (unsigned i = 0; i < p->k * p->n / WARP; i++) {
            struct place at = place_of_b(p, l, i);
            b[at.row * p->n + at.column] = widen(p->of_b, lane[l]->b, i);
        }
        for (unsigned i = 0; i < p->m * p->n / WARP; i++) {
            struct place at = place_of_c(p, l, i);
            c[at.row * p->n + at.column] = widen(p->of_c, lane[l]->c, i);
        }
    }
}

void multiply(const void *const given[WARP])
{
    const struct gpu_product *const *lane = (const struct gpu_product *const *)given;
    const struct gpu_product *p = lane[0];
    static thread_local double a[LARGEST], b[LARGEST],
        c[LARGEST]; // a lane's stack is small
    const unsigned rows = p->m, columns = p->n, inner = p->k;
    gather(a, b, c, lane);
    for (unsigned m = 0; m < rows; m++) {
        for (unsigned k = 0; k < inner; k++) {
            for (unsigned n = 0; n < columns; n++) {
                c[m * columns + n] += a[m * inner + k] * b[k * columns + n];
            }
        }
    }
    for (unsigned l = 0; l < WARP; l++) {
        for (unsigned i = 0; i < p->m * p->n / WARP; i++) {
            struct place at = place_of_c(p, l, i);
            narrow(p, lane[l]->d, i, c[at.row * p->n + at.column]);
        }
    }
}

// Lane l gets two numbers of each matrix: of row l / 4, or, transposed, of column l / 4.
void load(const void *const given[WARP])
{
    const struct gpu_matrix_row *const *row = (const struct gpu_matrix_row *const *)given;
    for (unsigned m = 0; m < row[0]->matrices; m++) {
        for (unsigned l = 0; l < WARP; l++) {
            unsigned first = l % 4 * 2, line = l / 4;
            auto number = [&](unsigned r, unsigned c) {
                return row[8 * m + r]->word[c / 2] >> c % 2 * 16 & 0xffff;
            };
            row[l]->to[m] = row[l]->transposed
                                ? number(first, line) | number(first + 1, line) << 16
                                : number(line, first) | number(line, first + 1) << 16;
        }
    }
}

void meet_only(const void *const[WARP])
{
}

} // namespace

extern "C" {

void gpu_multiply(const struct gpu_product *product)
{
    warp_together(product, multiply, __builtin_return_address(0));
}

void gpu_load_matrices(const struct gpu_matrix_row *row)
{
    warp_together(row, load, __builtin_return_address(0));
}

void gpu_check_alignment(const void *at, size_t alignment)
{
    if ((uintptr_t)at % alignment != 0) {
        finding_stop("misaligned", __builtin_return_address(0), NULL,
                     "a row that begins %zu bytes past a multiple of %zu.\n"
                     "ldmatrix needs rows that begin at multiples of %zu bytes.",
                     (size_t)((uintptr_t)at % alignment), alignment, alignment);
    }
}

void gpu_fragment_access(const void *at, size_t line_bytes, size_t alignment,
                         size_t line_alignment)
{
    const void *pc = __builtin_return_address(0);
    if ((uintptr_t)at % alignment != 0) {
        finding_stop("misaligned", pc, NULL,
                     "a fragment that begins %zu bytes past a multiple of %zu.\n"
                     "Tensor cores need addresses that are multiples of %zu bytes: align "
                     "the array, and let every tile begin at such an address.",
                     (size_t)((uintptr_t)at % alignment), alignment, alignment);
    }
    if (line_bytes % line_alignment != 0) {
        finding_stop("misaligned", pc, NULL,
                     "a fragment in lines of %zu bytes.\n"
                     "Tensor cores need lines of a multiple of %zu bytes: pad them.",
                     line_bytes, line_alignment);
    }
    warp_together(NULL, meet_only, pc);
}

} // extern "C"
