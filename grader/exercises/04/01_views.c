// 01_views.c - exercise 4.1, view: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/04/01_views.h"

#include "04_multi_head/heads.h"
#include "common/rng.h"

void draw_sizes(struct test_case *test, struct lab_rng *rng, const char *name)
{
    size_t *size = case_size(test, name);
    for (size_t a = 0; a < case_count(test, name); a++) {
        size[a] = (a == 0 ? 2 : 1) + lab_rng_next32(rng) % 4;
    }
}

void row_major(size_t *stride, const size_t *size, size_t axes)
{
    size_t step = 1;
    for (size_t a = axes; a-- > 0;) {
        stride[a] = step;
        step *= size[a];
    }
}

bool elements_of(size_t *count, const size_t *size, size_t axes)
{
    *count = 1;
    for (size_t a = 0; a < axes && a < VIEW_AXES; a++) {
        if (size[a] == 0 || *count > SIZE_MAX / size[a]) {
            return false;
        }
        *count *= size[a];
    }
    return 0 < axes && axes <= VIEW_AXES;
}

void fill_row_major(struct test_case *test, struct lab_rng *rng)
{
    draw_sizes(test, rng, "in.size");
    row_major(case_size(test, "in.stride"), case_size(test, "in.size"),
              case_count(test, "in.size"));
}

SHARED_GIVEN_VIEW(given_vector, (4), (1))
SHARED_GIVEN_VIEW(given_matrix, (3, 4), (4, 1))
SHARED_GIVEN_VIEW(given_transposed, (4, 3), (1, 4))
SHARED_GIVEN_VIEW(given_square_transposed, (3, 3), (1, 3))

SHARED_GIVEN_VIEW(given_columns, (3, 2), (6, 1))  // 2 of 6 columns
SHARED_GIVEN_VIEW(given_every_other, (4), (2))    // every second number
SHARED_GIVEN_VIEW(given_repeated, (3, 4), (0, 1)) // one row, read three times
SHARED_GIVEN_VIEW(given_size_1, (1, 3, 1),
                  (7, 1, 9)) // you never step along an axis of size 1
SHARED_GIVEN_VIEW(given_heads, (2, 3, 2, 4), (24, 8, 4, 1))
SHARED_GIVEN_VIEW(given_heads_moved, (2, 2, 3, 4), (24, 4, 8, 1)) // 1 and 2 exchanged
SHARED_GIVEN_VIEW(given_one_token_moved, (2, 3, 1, 4), (12, 4, 12, 1))
SHARED_GIVEN_VIEW(given_six, (2, 1, 3, 2, 1, 2), (1, 8, 8, 4, 3, 2))
SHARED_GIVEN_VIEW(given_a_size_of_0, (3, 0), (4, 1))
SHARED_GIVEN_VIEW(given_large, (257, 3, 67), (201, 67, 1))
SHARED_GIVEN_VIEW(given_large_transposed, (67, 259), (1, 67))
SHARED_GIVEN_VIEW(given_large_moved, (3, 17, 65, 21),
                  (23205, 21, 357, 1)) // 1 and 2 exchanged

SHARED_GIVEN_VIEW(given_gap_in_the_middle, (2, 3, 4), (24, 8, 1))

SHARED_GIVEN_VIEW(given_six_in_order, (2, 3, 1, 2, 5, 3), (90, 30, 4, 15, 3, 1))

SHARED_GIVEN_VIEW(given_six_exchanged, (3, 2, 5, 7, 4, 3), (840, 12, 168, 24, 3, 1))

#define VIEW_OUTPUTS(given)                                                              \
    {"out.axes", "1", OUTPUT, SIZE, 0, 0}, {"out.size", "axes", OUTPUT, SIZE, 0, 0},     \
        {"out.stride", "axes", OUTPUT, SIZE, 0, 0},                                      \
    {                                                                                    \
        "out.data == " given, "1", OUTPUT, U8, 0, 0                                      \
    }

static const struct part view_parts[] = {
    {
        .function = "view_of",
        .dims = "axes",
        .tensors =
            {
                VIEW_OUTPUTS("data"),
                {"data", "1", INPUT, F32, 0, 0},
                {"size", "axes", INPUT, SIZE, 0, 0},
            },
        .cases = view_of_cases,
        .mistakes = view_of_mistakes,
        .alternatives = view_of_alternatives,
    },
    {
        .function = "view_transpose",
        .dims = "axes axis_a axis_b out_is_in",
        .tensors =
            {
                VIEW_OUTPUTS("in.data"),
                {"in.data", "1", INPUT, F32, 0, 0},
                {"in.size", "axes", INPUT, SIZE, 0, 0},
                {"in.stride", "axes", INPUT, SIZE, 0, 0},
            },
        .cases = view_transpose_cases,
        .mistakes = view_transpose_mistakes,
        .alternatives = view_transpose_alternatives,
    },
    {
        .function = "view_is_contiguous",
        .dims = "axes",
        .tensors =
            {
                {"answer", "1", OUTPUT, U8, 0, 0},
                {"in.data", "1", INPUT, F32, 0, 0},
                {"in.size", "axes", INPUT, SIZE, 0, 0},
                {"in.stride", "axes", INPUT, SIZE, 0, 0},
            },
        .cases = view_is_contiguous_cases,
        .mistakes = view_is_contiguous_mistakes,
        .alternatives = view_is_contiguous_alternatives,
    },
    {
        .function = "view_as",
        .dims = "axes axes_in out_is_in",
        .tensors =
            {
                VIEW_OUTPUTS("in.data"),
                {"in.data", "1", INPUT, F32, 0, 0},
                {"in.size", "axes_in", INPUT, SIZE, 0, 0},
                {"in.stride", "axes_in", INPUT, SIZE, 0, 0},
                {"size", "axes", INPUT, SIZE, 0, 0},
            },
        .cases = view_as_cases,
        .mistakes = view_as_mistakes,
        .alternatives = view_as_alternatives,
    },
    {
        .function = "view_contiguous",
        .dims = "axes N M",
        .tensors =
            {
                {"out", "N", OUTPUT, F32, 0, 0}, // copied, never computed
                {"in.data", "M", INPUT, F32, 0, 0},
                {"in.size", "axes", INPUT, SIZE, 0, 0},
                {"in.stride", "axes", INPUT, SIZE, 0, 0},
            },
        .cases = view_contiguous_cases,
        .mistakes = view_contiguous_mistakes,
        .alternatives = view_contiguous_alternatives,
    },
    {0},
};

const struct exercise exercise_4_1 = {
    .id = "4.1",
    .name = "view",
    .section = "4.1 Views",
    .hints =
        {
            "A view is sizes and strides for numbers that are stored elsewhere. Only "
            "view_contiguous reads the numbers; the other four functions use only sizes "
            "and strides.",
            "view_of: the last stride is 1, and each stride before it is the next stride "
            "times the next size. transpose: swap the sizes and the strides. contiguous: "
            "does every axis of size above 1 have the stride that view_of would give?",
            "stride = 1; for a from axes - 1 down to 0:\n"
            "    out->size[a] = size[a]; out->stride[a] = stride; stride *= size[a]\n"
            "is_contiguous: the same loop, comparing; skip axes of size 1\n"
            "view_as: contiguous and as many elements? then view_of, otherwise LAB_ESHAPE\n"
            "view_contiguous, for each i: rest = i; offset = 0\n"
            "    for a from axes - 1 down to 0:\n"
            "        offset += rest % size[a] * stride[a]; rest /= size[a]\n"
            "    out[i] = data[offset]",
        },
    .parts = view_parts,
};
