// product_nt.c - see product_nt.h. Start reading at lab_product_nt.

#include "fast/common/product_nt.h"

#include <string.h>

#include "common/parallel.h"
#include "fast/common/tile_product.h"
#include "fast/common/vector_math.h"

enum {
    TOKENS = 64,  // of a panel: four registers of 16
    PANELS = 2,   // that meet a strip of w while it is in the cache
    DEPTH = 768,  // columns of x and w between two additions to y
    CACHED = 256, // so many of these are multiplied at a time
    STRIP = 96,   // rows of w: a multiple of LAB_TILE_ROWS
    BLOCK =
        64,    // columns of x that are copied at a time: 16 KiB stay in the nearest cache
    SQUARE = 8 // numbers a side that are transposed in registers
};

// One thread's copy of a part of x, and its part of y before it is added.
struct panel {
    float x[DEPTH * TOKENS];    // (TOKENS / wide, DEPTH, wide)
    float sums[STRIP * TOKENS]; // (STRIP, TOKENS)
};

struct layer {
    float *y;
    const float *x, *w;
    size_t T, I, O;
    size_t parts; // of w's strips, two for each thread
    size_t wide;  // tokens beside each other in a panel: those of a tile
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// ---- transposing --------------------------------------------------------------------------

typedef float eight __attribute__((vector_size(SQUARE * sizeof(float))));
typedef int places __attribute__((vector_size(SQUARE * sizeof(int))));

// PICK(a, b, place ...): eight of the sixteen numbers of two rows.
#ifdef __clang__
#define PICK __builtin_shufflevector
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

// Transposes eight rows in place: interleaves neighbors, then pairs, then halves of rows.
LAB_INLINE void transpose(eight row[SQUARE])
{
    eight a[SQUARE], b[SQUARE];
    for (size_t i = 0; i < SQUARE; i += 2) {
        a[i] = PICK(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[i + 1] = PICK(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (size_t i = 0; i < SQUARE; i += 4) {
        for (size_t j = 0; j < 2; j++) {
            b[i + 2 * j] = PICK(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[i + 2 * j + 1] = PICK(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (size_t i = 0; i < SQUARE / 2; i++) {
        row[i] = PICK(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[i + 4] = PICK(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// out (columns, wide) = columns of x, transposed; what has no token is zero.
LAB_WIDE static void copy_transposed(float *restrict out, size_t wide,
                                     const float *restrict x, size_t row, size_t tokens,
                                     size_t columns)
{
    size_t t = 0;
    for (; t + SQUARE <= tokens; t += SQUARE) {
        size_t i = 0;
        for (; i + SQUARE <= columns; i += SQUARE) {
            eight square[SQUARE];
            for (size_t s = 0; s < SQUARE; s++) {
                memcpy(&square[s], x + (t + s) * row + i, sizeof square[s]);
            }
            transpose(square);
            for (size_t s = 0; s < SQUARE; s++) {
                memcpy(out + (i + s) * wide + t, &square[s], sizeof square[s]);
            }
        }
        for (; i < columns; i++) {
            for (size_t s = 0; s < SQUARE; s++) {
                out[i * wide + t + s] = x[(t + s) * row + i];
            }
        }
    }
    for (; t < wide; t++) {
        for (size_t i = 0; i < columns; i++) {
            out[i * wide + t] = t < tokens ? x[t * row + i] : 0.0f;
        }
    }
}

static void copy_panel(struct panel *panel, const struct layer *z, size_t t, size_t i)
{
    const size_t tokens = smaller(TOKENS, z->T - t), depth = smaller(DEPTH, z->I - i);
    for (size_t k = 0; k < depth; k += BLOCK) {
        for (size_t n = 0; n < tokens; n += z->wide) {
            copy_transposed(panel->x + n * DEPTH + k * z->wide, z->wide,
                            z->x + (t + n) * z->I + i + k, z->I,
                            smaller(z->wide, tokens - n), smaller(BLOCK, depth - k));
        }
    }
}

// y (tokens, columns) = sums^T, or y + sums^T.
LAB_WIDE static void add_turned(float *restrict y, size_t row, const float *restrict sums,
                                size_t tokens, size_t columns, bool add)
{
    for (size_t t = 0; t + SQUARE <= tokens; t += SQUARE) {
        size_t o = 0;
        for (; o + SQUARE <= columns; o += SQUARE) {
            eight square[SQUARE];
            for (size_t s = 0; s < SQUARE; s++) {
                memcpy(&square[s], sums + (o + s) * TOKENS + t, sizeof square[s]);
            }
            transpose(square);
            for (size_t s = 0; s < SQUARE; s++) {
                float *y_t = y + (t + s) * row + o;
                if (add) {
                    eight before;
                    memcpy(&before, y_t, sizeof before);
                    square[s] += before;
                }
                memcpy(y_t, &square[s], sizeof square[s]);
            }
        }
        for (; o < columns; o++) {
            for (size_t s = 0; s < SQUARE; s++) {
                float *y_to = y + (t + s) * row + o;
                *y_to = (add ? *y_to : 0.0f) + sums[o * TOKENS + t + s];
            }
        }
    }
    for (size_t t = tokens / SQUARE * SQUARE; t < tokens; t++) {
        for (size_t o = 0; o < columns; o++) {
            float *y_to = y + t * row + o;
            *y_to = (add ? *y_to : 0.0f) + sums[o * TOKENS + t];
        }
    }
}

// ---- the product --------------------------------------------------------------------------

// Asks for the part of y that is written after the product, so that it has arrived by then.
static void fetch(const float *y, size_t row, size_t tokens, size_t columns)
{
    for (size_t t = 0; t < tokens; t++) {
        for (size_t o = 0; o < columns; o += 16) {
            __builtin_prefetch(y + t * row + o, 1);
        }
    }
}

// Adds the product of a panel's tokens and columns i ... i + depth - 1 of w, for `rows` rows from o on.
static void add_strip(const struct layer *z, struct panel *panel, size_t t, size_t i,
                      size_t o, size_t rows)
{
    const size_t tokens = smaller(TOKENS, z->T - t), depth = smaller(DEPTH, z->I - i);
    fetch(z->y + t * z->O + o, z->O, tokens, rows);
    for (size_t k = 0; k < depth; k += CACHED) {
        const struct lab_matrix w = {z->w + o * z->I + i + k, z->I, 1};
        for (size_t n = 0; n < tokens; n += z->wide) {
            lab_tile_product(panel->sums + n, TOKENS, w,
                             panel->x + n * DEPTH + k * z->wide, z->wide, rows,
                             smaller(z->wide, (tokens - n + 15) / 16 * 16),
                             smaller(CACHED, depth - k), k > 0);
        }
    }
    add_turned(z->y + t * z->O + o, z->O, panel->sums, tokens, rows, i > 0);
}

// Multiplies strips first ... last - 1 of w's rows.
static void multiply_strips(const struct layer *z, size_t first, size_t last)
{
    struct panel panel[PANELS];
    for (size_t t = 0; t < z->T; t += PANELS * TOKENS) {
        const size_t panels = smaller(PANELS, (z->T - t + TOKENS - 1) / TOKENS);
        for (size_t i = 0; i < z->I; i += DEPTH) {
            for (size_t p = 0; p < panels; p++) {
                copy_panel(&panel[p], z, t + p * TOKENS, i);
            }
            for (size_t o = first * STRIP; o < smaller(last * STRIP, z->O); o += STRIP) {
                for (size_t p = 0; p < panels; p++) {
                    add_strip(z, &panel[p], t + p * TOKENS, i, o,
                              smaller(STRIP, z->O - o));
                }
            }
        }
    }
}

// Each part copies the tokens once, so there are few of them.
static void multiply_parts(void *context, size_t first, size_t count)
{
    const struct layer *z = context;
    const size_t strips = (z->O + STRIP - 1) / STRIP;
    multiply_strips(z, strips * first / z->parts, strips * (first + count) / z->parts);
}

bool lab_product_nt_pays(size_t T, size_t I, size_t O)
{
    // For more tokens than that, BLAS's copy of w no longer counts. Without wide registers, BLAS is
    // faster at any size.
#ifdef LAB_HAS_WIDE
    const size_t most = __builtin_cpu_supports("avx512f") ? 512 : 256;
    return 32 <= T && T <= most && I >= 256 && O >= 256 &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    (void)T, (void)I, (void)O;
    return false;
#endif
}

void lab_product_nt(float *y, const float *x, const float *w, size_t T, size_t I,
                    size_t O)
{
    struct layer layer = {y, x, w, T, I, O, 2 * lab_threads(), lab_tile_columns()};
    lab_parallel(multiply_parts, &layer, layer.parts);
}
