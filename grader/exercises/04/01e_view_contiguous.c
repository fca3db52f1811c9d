// 01e_view_contiguous.c - 4.1, view_contiguous: cases, mistakes, other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/01_views.h"
#include "exercises/common/inputs.h"

#include "04_multi_head/heads.h"

GIVEN_VIEW(given_long_every_other, (513), (2))

// The view and its numbers, for large views: the student archive need not store these.
#define WITH_EVEN_DATA(name, fill)                                                       \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        fill(test, rng);                                                                 \
        case_even(test, "in.data");                                                      \
    }

WITH_EVEN_DATA(even_six_exchanged, given_six_exchanged)
WITH_EVEN_DATA(even_large_transposed, given_large_transposed)
WITH_EVEN_DATA(even_large, given_large)
WITH_EVEN_DATA(even_large_moved, given_large_moved)

GIVEN_VIEW(given_five_exchanged, (2, 3, 2, 1, 2), (2, 4, 12, 9, 1))

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    given_transposed(test, rng);
    rows_of_every_size(test, "in.data", 1);
}

const struct case_spec view_contiguous_cases[] = {
    {.dims = "axes=1 N=4 M=4", .fill = given_vector},
    {.dims = "axes=1 N=4 M=7", .fill = given_every_other, .note = "every second number"},
    {.dims = "axes=2 N=12 M=12", .fill = given_matrix},
    {.dims = "axes=2 N=12 M=12", .fill = given_transposed, .note = "a transposed matrix"},
    {.dims = "axes=2 N=9 M=9",
     .fill = given_square_transposed,
     .note = "a transposed square matrix"},
    {.dims = "axes=2 N=6 M=18", .fill = given_columns, .note = "2 of 6 columns"},
    {.dims = "axes=2 N=12 M=12",
     .fill = given_repeated,
     .note = "stride 0: one row, three times"},
    {.dims = "axes=3 N=3 M=3", .fill = given_size_1, .note = "axes of size 1"},
    {.dims = "axes=4 N=48 M=48", .fill = given_heads},
    {.dims = "axes=4 N=48 M=48",
     .fill = given_heads_moved,
     .note = "heads in front of tokens"},
    {.dims = "axes=6 N=24 M=24", .fill = given_six},
    {.dims = "axes=3 N=24 M=48", .fill = given_gap_in_the_middle, .note = "gaps"},
    {.dims = "axes=1 N=513 M=1025",
     .fill = given_long_every_other,
     .note = "every second number"},
    {.dims = "axes=6 N=2520 M=2520", .fill = even_six_exchanged},
    {.dims = "axes=2 N=17353 M=17353", .fill = even_large_transposed},
    {.dims = "axes=3 N=51657 M=51657", .fill = even_large},
    {.dims = "axes=4 N=69615 M=69615",
     .fill = even_large_moved,
     .note = "heads in front of tokens"},
    {.dims = "axes=2 N=1 M=4", .fill = given_a_size_of_0, .note = "a size of 0"},
    {.dims = "axes=2 N=12 M=12", .fill = fill_every_size, .note = EVERY_SIZE_NOTE},
    {.dims = "axes=5 N=24 M=24", .fill = given_five_exchanged, .note = "five axes"},
    {0},
};

// GATHER(name, from): a view_contiguous whose element i comes from data[from]. from can
// use offset, the right place; reversed, the place if the first index runs fastest; and
// last, the last place of the view. A wrong place is limited to last.
#define GATHER(name, from)                                                               \
    static lab_status name(float *out, const struct view *in)                            \
    {                                                                                    \
        size_t count, last = 0;                                                          \
        if (!elements_of(&count, in->size, in->axes)) {                                  \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t a = 0; a < in->axes; a++) {                                          \
            last += (in->size[a] - 1) * in->stride[a];                                   \
        }                                                                                \
        for (size_t i = 0; i < count; i++) {                                             \
            size_t rest = i, offset = 0, reversed = 0;                                   \
            for (size_t a = in->axes; a-- > 0; rest /= in->size[a]) {                    \
                offset += rest % in->size[a] * in->stride[a];                            \
            }                                                                            \
            rest = i;                                                                    \
            for (size_t a = 0; a < in->axes; rest /= in->size[a++]) {                    \
                reversed += rest % in->size[a] * in->stride[a];                          \
            }                                                                            \
            (void)offset, (void)reversed, (void)last;                                    \
            out[i] = in->data[from];                                                     \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

GATHER(contiguous_as_it_lies, i)
GATHER(contiguous_first_fastest, reversed)
GATHER(contiguous_gather, offset)

const struct mistake view_contiguous_mistakes[] = {
    {
        .id = "as-it-lies",
        .what = "the numbers are copied in memory order",
        .why = "A copy of memory keeps the old order. Element i of the copy is element "
               "i in READING order: find its index along every axis, then its place by "
               "the strides.",
        .source = "jsbaan/transformer-from-scratch#6",
        .function = LIKE(view_contiguous, contiguous_as_it_lies),
    },
    {
        .id = "first-index-fastest",
        .what = "the elements are read with the first index running fastest",
        .why = "Row-major means that the last index runs fastest. Take the remainder by "
               "the last size first.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(view_contiguous, contiguous_first_fastest),
    },
    {0},
};

// One index per axis, which count up like the wheels of an odometer.
static lab_status contiguous_odometer(float *out, const struct view *in)
{
    size_t count, index[VIEW_AXES] = {0};
    if (!elements_of(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    const float *from = in->data;
    for (size_t i = 0; i < count; i++) {
        out[i] = *from;
        for (size_t a = in->axes; a-- > 0;) {
            from += in->stride[a];
            if (++index[a] < in->size[a]) {
                break;
            }
            index[a] = 0;
            from -= in->size[a] * in->stride[a];
        }
    }
    return LAB_OK;
}

const struct mistake view_contiguous_alternatives[] = {
    {.id = "gather", .function = LIKE(view_contiguous, contiguous_gather)},
    {.id = "odometer", .function = LIKE(view_contiguous, contiguous_odometer)},
    {0},
};
