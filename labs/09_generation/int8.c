// int8.c - weights of one byte.
//
//   w (O, I) float ── quantize_rows ──> rows (O, I) int8, scales (O) ── linear_int8 ──> y (N, O)
//
// Start reading at quantize_rows.

#include "09_generation/generation.h"

#include <math.h>

// ---- 9.8  int8 rows -----------------------------------------------------------------------

static bool all_finite(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

lab_status quantize_rows(int8_t *rows, float *scales, const float *w, size_t O, size_t I)
{
    if (O == 0 || I == 0) {
        return LAB_ESHAPE;
    }
    if (!all_finite(w, O * I)) {
        return LAB_EVALUE;
    }
    // TODO 9.8: the largest magnitude of a row is 127 steps; rintf rounds halves to the
    // even number; a row of zeros must not divide by 0 (about 14 lines)
    return lab_todo(rows, scales, w, O, I);
}

lab_status linear_int8(float *y, const float *x, const int8_t *rows, const float *scales,
                       size_t N, size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    // TODO 9.8: a dot product for each row of x and each row of w; the scale is the same
    // for all of them, so it is multiplied once (about 9 lines)
    return lab_todo(y, x, rows, scales, N, I, O);
}
