// 01b_view_transpose.c - 4.1, view_transpose: cases, mistakes, other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/01_views.h"

#include "04_multi_head/heads.h"
#include "common/rng.h"

// Any sizes and any strides, all different, as after earlier steps.
static void fill_strided(struct test_case *test, struct lab_rng *rng)
{
    size_t *size = case_size(test, "in.size"), *stride = case_size(test, "in.stride");
    for (size_t a = 0; a < case_count(test, "in.size"); a++) {
        size[a] = 1 + (a + lab_rng_next32(rng) % 2) * 2;
        stride[a] = (7 * a + 3) % 11 + 11 * (lab_rng_next32(rng) % 3);
    }
}

// Sizes that don't fit a byte, and strides that don't fit 32 bits.
static void fill_strided_far(struct test_case *test, struct lab_rng *rng)
{
    fill_strided(test, rng);
    for (size_t a = 0; a < case_count(test, "in.size"); a++) {
        case_size(test, "in.size")[a] += 255 + 2 * a;
        case_size(test, "in.stride")[a] += ((size_t)1 << 32) * (a + 1);
    }
}

const struct case_spec view_transpose_cases[] = {
    {.dims = "axes=2 axis_a=0 axis_b=1 out_is_in=0", .fill = fill_row_major},
    {.dims = "axes=3 axis_a=0 axis_b=1 out_is_in=0", .fill = fill_row_major},
    {.dims = "axes=3 axis_a=2 axis_b=0 out_is_in=0", .fill = fill_strided},
    {.dims = "axes=4 axis_a=1 axis_b=2 out_is_in=0",
     .fill = fill_row_major,
     .note = "(B,T,NH,hs) to (B,NH,T,hs)"},
    {.dims = "axes=4 axis_a=2 axis_b=1 out_is_in=0", .fill = fill_strided},
    {.dims = "axes=3 axis_a=1 axis_b=1 out_is_in=0",
     .fill = fill_strided,
     .note = "the same axis twice changes nothing"},
    {.dims = "axes=4 axis_a=0 axis_b=3 out_is_in=0", .fill = fill_strided},
    {.dims = "axes=4 axis_a=1 axis_b=2 out_is_in=1",
     .fill = fill_strided,
     .note = "in place: out is in"},
    {.dims = "axes=5 axis_a=4 axis_b=2 out_is_in=1",
     .fill = fill_strided,
     .note = "in place: out is in"},
    {.dims = "axes=5 axis_a=3 axis_b=1 out_is_in=0", .fill = fill_strided_far},
    {.dims = "axes=6 axis_a=0..2 axis_b=3..5 out_is_in=0",
     .draws = 3,
     .fill = fill_strided},
    {.dims = "axes=6 axis_a=5 axis_b=0 out_is_in=0", .fill = fill_strided},
    {.dims = "axes=1 axis_a=0 axis_b=0 out_is_in=0", .fill = fill_row_major},
    {.dims = "axes=3 axis_a=3 axis_b=0 out_is_in=0",
     .fill = fill_row_major,
     .note = "an axis that does not exist"},
    {.dims = "axes=3 axis_a=0 axis_b=5 out_is_in=0",
     .fill = fill_row_major,
     .note = "an axis that does not exist"},
    {.dims = "axes=3 axis_a=1 axis_b=3 out_is_in=0",
     .fill = fill_row_major,
     .note = "axis 3 of three axes, which count from 0"},
    {.dims = "axes=2 axis_a=0 axis_b=1 out_is_in=0",
     .fill = given_repeated,
     .note = "stride 0: one row, three times"},
    {0},
};

// TRANSPOSE(name, body): a view_transpose whose body changes *out, which is a copy of *in.
#define TRANSPOSE(name, body)                                                            \
    static lab_status name(struct view *out, const struct view *in, size_t axis_a,       \
                           size_t axis_b)                                                \
    {                                                                                    \
        if (axis_a >= in->axes || axis_b >= in->axes) {                                  \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *out = *in;                                                                      \
        body;                                                                            \
        return LAB_OK;                                                                   \
    }

static void exchange(size_t *numbers, size_t a, size_t b)
{
    size_t kept = numbers[a];
    numbers[a] = numbers[b];
    numbers[b] = kept;
}

static void reverse(size_t *numbers, size_t count)
{
    for (size_t a = 0; a < count / 2; a++) {
        exchange(numbers, a, count - 1 - a);
    }
}

TRANSPOSE(transpose_sizes_only, exchange(out->size, axis_a, axis_b))
TRANSPOSE(transpose_strides_only, exchange(out->stride, axis_a, axis_b))
TRANSPOSE(transpose_all_axes,
          (reverse(out->size, out->axes), reverse(out->stride, out->axes)))
TRANSPOSE(transpose_overwritten,
          (out->size[axis_a] = out->size[axis_b], out->size[axis_b] = out->size[axis_a],
           out->stride[axis_a] = out->stride[axis_b],
           out->stride[axis_b] = out->stride[axis_a]))
TRANSPOSE(transpose_row_major, (exchange(out->size, axis_a, axis_b),
                                row_major(out->stride, out->size, out->axes)))
TRANSPOSE(transpose_exchange,
          (exchange(out->size, axis_a, axis_b), exchange(out->stride, axis_a, axis_b)))

const struct mistake view_transpose_mistakes[] = {
    {
        .id = "sizes-only",
        .what = "the sizes are swapped but the strides are not",
        .why = "The view has the new shape but the old strides, so it reads the wrong "
               "numbers. Each stride must move with its size.",
        .source = NULL,
        .function = LIKE(view_transpose, transpose_sizes_only),
    },
    {
        .id = "strides-only",
        .what = "the strides are swapped but the sizes are not",
        .why = "The view has the new strides but the old shape. Each size must move with "
               "its stride.",
        .source = NULL,
        .function = LIKE(view_transpose, transpose_strides_only),
    },
    {
        .id = "row-major",
        .what = "the strides are recomputed for the new shape",
        .why = "This is a reshape: it reads the numbers in memory order with another "
               "shape. In a transpose, every stride stays with its axis.",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(view_transpose, transpose_row_major),
    },
    {
        .id = "all-axes",
        .what = "all axes are reversed",
        .why = "Only axis_a and axis_b swap places; the others stay.",
        .source = "HomericIntelligence/Odyssey#5648",
        .function = LIKE(view_transpose, transpose_all_axes),
    },
    {
        .id = "overwritten",
        .what = "both axes end up with the size and stride of axis_b",
        .why = "The first assignment overwrites the value that the second one needs. "
               "Read from in, or save one value first.",
        .source = NULL,
        .function = LIKE(view_transpose, transpose_overwritten),
    },
    {0},
};

const struct mistake view_transpose_alternatives[] = {
    {.id = "exchange", .function = LIKE(view_transpose, transpose_exchange)},
    {0},
};
