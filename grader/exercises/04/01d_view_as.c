// 01d_view_as.c - 4.1, view_as: cases, mistakes, other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/01_views.h"

#include <string.h>

#include "04_multi_head/heads.h"

static bool is_row_major(const struct view *in)
{
    size_t stride[VIEW_AXES];
    row_major(stride, in->size, in->axes);
    for (size_t a = 0; a < in->axes; a++) {
        if (in->size[a] != 1 && in->stride[a] != stride[a]) {
            return false;
        }
    }
    return true;
}

// The new shape: TO(name, from, sizes) fills in as from does, and size.
#define TO(name, from, sizes)                                                            \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        static const size_t size[] = NUMBERS sizes;                                      \
        from(test, rng);                                                                 \
        memcpy(case_size(test, "size"), size, sizeof size);                              \
    }

TO(matrix_to_vector, given_matrix, (12))
TO(matrix_to_three, given_matrix, (2, 3, 2))
TO(vector_to_matrix, given_vector, (2, 2))
TO(vector_to_six, given_vector, (1, 2, 1, 1, 2, 1))
TO(heads_to_channels, given_heads, (2, 3, 8))
TO(heads_to_five, given_heads, (2, 3, 2, 2, 2))
TO(size_1_to_vector, given_size_1, (3))
TO(one_token_to_channels, given_one_token_moved, (2, 1, 12))
TO(transposed_to_vector, given_transposed, (12))
TO(transposed_to_itself, given_transposed, (4, 3))
TO(moved_to_channels, given_heads_moved, (2, 3, 8))
TO(columns_split, given_columns, (3, 1, 2))
TO(columns_to_vector, given_columns, (6))
TO(matrix_to_more, given_matrix, (3, 5))
TO(matrix_to_fewer, given_matrix, (11))
TO(matrix_to_a_size_of_0, given_matrix, (12, 0))
TO(matrix_to_seven, given_matrix, (12, 1, 1, 1, 1, 1, 1))
// The product of these sizes is 2^64 + 12, of which a size_t keeps 12.
TO(matrix_to_far_too_many, given_matrix, (4, ((size_t)1 << 62) + 3))
TO(nothing_to_vector, given_a_size_of_0, (3))
TO(six_to_six, given_six_in_order, (3, 1, 5, 2, 3, 2))
TO(large_to_matrix, given_large, (201, 257))
TO(large_to_more, given_large, (201, 258))
TO(large_moved_to_channels, given_large_moved, (3, 17, 1365))
GIVEN_VIEW(given_single, (1), (5))
TO(single_to_matrix, given_single, (1, 1))
TO(every_other_to_matrix, given_every_other, (2, 2))
TO(repeated_to_vector, given_repeated, (12))

const struct case_spec view_as_cases[] = {
    {.dims = "axes=2 axes_in=1 out_is_in=0", .fill = vector_to_matrix},
    {.dims = "axes=1 axes_in=2 out_is_in=0", .fill = matrix_to_vector},
    {.dims = "axes=6 axes_in=1 out_is_in=0",
     .fill = vector_to_six,
     .note = "axes of size 1, the first of them too"},
    {.dims = "axes=3 axes_in=2 out_is_in=0", .fill = matrix_to_three},
    {.dims = "axes=3 axes_in=4 out_is_in=0",
     .fill = heads_to_channels,
     .note = "(B,T,NH,hs)"},
    {.dims = "axes=5 axes_in=4 out_is_in=0", .fill = heads_to_five},
    {.dims = "axes=1 axes_in=3 out_is_in=0",
     .fill = size_1_to_vector,
     .note = "axes of size 1"},
    {.dims = "axes=3 axes_in=4 out_is_in=0",
     .fill = one_token_to_channels,
     .note = "heads in front of one token: still contiguous"},
    {.dims = "axes=3 axes_in=4 out_is_in=1",
     .fill = heads_to_channels,
     .note = "in place: out is in"},
    {.dims = "axes=1 axes_in=2 out_is_in=1",
     .fill = transposed_to_vector,
     .note = "in place and rejected: it stays unchanged"},
    {.dims = "axes=6 axes_in=6 out_is_in=0", .fill = six_to_six},
    {.dims = "axes=2 axes_in=3 out_is_in=0", .fill = large_to_matrix},
    {.dims = "axes=3 axes_in=4 out_is_in=0",
     .fill = large_moved_to_channels,
     .note = "heads in front of tokens are rejected"},
    {.dims = "axes=2 axes_in=3 out_is_in=0",
     .fill = large_to_more,
     .note = "a different number of elements"},
    {.dims = "axes=1 axes_in=2 out_is_in=0",
     .fill = transposed_to_vector,
     .note = "a transposed matrix is rejected"},
    {.dims = "axes=2 axes_in=2 out_is_in=0",
     .fill = transposed_to_itself,
     .note = "a transposed matrix is rejected for any shape"},
    {.dims = "axes=3 axes_in=4 out_is_in=0",
     .fill = moved_to_channels,
     .note = "heads in front of tokens are rejected"},
    {.dims = "axes=3 axes_in=2 out_is_in=0",
     .fill = columns_split,
     .note = "rejected here; PyTorch splits an axis of a view with gaps"},
    {.dims = "axes=1 axes_in=2 out_is_in=0",
     .fill = columns_to_vector,
     .note = "a view with gaps is rejected"},
    {.dims = "axes=2 axes_in=2 out_is_in=0",
     .fill = matrix_to_more,
     .note = "a different number of elements"},
    {.dims = "axes=1 axes_in=2 out_is_in=0",
     .fill = matrix_to_fewer,
     .note = "a different number of elements"},
    {.dims = "axes=2 axes_in=2 out_is_in=0",
     .fill = matrix_to_far_too_many,
     .note = "more elements than a size_t can count"},
    {.dims = "axes=2 axes_in=2 out_is_in=0",
     .fill = matrix_to_a_size_of_0,
     .note = "a size of 0"},
    {.dims = "axes=7 axes_in=2 out_is_in=0",
     .fill = matrix_to_seven,
     .note = "more than VIEW_AXES axes"},
    {.dims = "axes=1 axes_in=2 out_is_in=0",
     .fill = nothing_to_vector,
     .note = "a size of 0"},
    {.dims = "axes=0 axes_in=2 out_is_in=0", .fill = given_matrix, .note = "no axis"},
    {.dims = "axes=2 axes_in=1 out_is_in=0",
     .fill = single_to_matrix,
     .note = "one number with any stride"},
    {.dims = "axes=2 axes_in=1 out_is_in=0",
     .fill = every_other_to_matrix,
     .note = "every second number of a vector is rejected"},
    {.dims = "axes=1 axes_in=2 out_is_in=0",
     .fill = repeated_to_vector,
     .note = "rejected: stride 0, one row three times"},
    {0},
};

// The strides that PyTorch's view() finds, or false if the numbers would have to move.
// Each run of axes that are row-major among themselves may be split differently.
static bool strides_of_pytorch(size_t *stride, const struct view *in, const size_t *size,
                               size_t axes)
{
    size_t to = axes, run = 1, made = 1, base = in->stride[in->axes - 1];
    for (size_t a = in->axes; a-- > 0;) {
        run *= in->size[a];
        if (a > 0 && (in->size[a - 1] == 1 || in->stride[a - 1] == run * base)) {
            continue;
        }
        while (to > 0 && (made < run || size[to - 1] == 1)) {
            stride[--to] = made * base;
            made *= size[to];
        }
        if (made != run) {
            return false;
        }
        if (a > 0) {
            base = in->stride[a - 1];
            run = made = 1;
        }
    }
    return to == 0;
}

enum view_as_fault { STRICT, ANY_ORDER, ANY_COUNT, LENIENT, OLD_STRIDES, OTHER_STATUS };

static lab_status view_as_with(enum view_as_fault fault, struct view *out,
                               const struct view *in, const size_t *size, size_t axes)
{
    size_t count_in, count_out, stride[VIEW_AXES];
    const struct view kept = *in; // out may be in
    in = &kept;
    if (!elements_of(&count_in, in->size, in->axes) ||
        !elements_of(&count_out, size, axes)) {
        return LAB_ESHAPE;
    }
    const bool row = is_row_major(in), same = count_in == count_out;
    row_major(stride, size, axes);
    if (fault == LENIENT) {
        if (!same || !strides_of_pytorch(stride, in, size, axes)) {
            return LAB_ESHAPE;
        }
    } else if ((!row && fault != ANY_ORDER) || (!same && fault != ANY_COUNT)) {
        return fault == OTHER_STATUS ? LAB_EVALUE : LAB_ESHAPE;
    }
    *out = (struct view){.data = in->data, .axes = axes};
    for (size_t a = 0; a < axes; a++) {
        out->size[a] = size[a];
        out->stride[a] =
            fault == OLD_STRIDES ? (a < in->axes ? in->stride[a] : 1) : stride[a];
    }
    return LAB_OK;
}

#define VIEW_AS(name, fault)                                                             \
    static lab_status name(struct view *out, const struct view *in, const size_t *size,  \
                           size_t axes)                                                  \
    {                                                                                    \
        return view_as_with(fault, out, in, size, axes);                                 \
    }

VIEW_AS(view_as_strict, STRICT)
VIEW_AS(view_as_any_order, ANY_ORDER)
VIEW_AS(view_as_any_count, ANY_COUNT)
VIEW_AS(view_as_lenient, LENIENT)
VIEW_AS(view_as_old_strides, OLD_STRIDES)
VIEW_AS(view_as_other_status, OTHER_STATUS)

const struct mistake view_as_mistakes[] = {
    {
        .id = "not-refused",
        .what = "a view that is not contiguous gets the new shape",
        .why = "Its reading order is not its memory order, but row-major strides would "
               "read it in memory order. Return LAB_ESHAPE. view_contiguous makes a copy "
               "that you can view.",
        .source = "hyunwoongko/transformer#15, reczoo/FuxiCTR#30",
        .function = LIKE(view_as, view_as_any_order),
    },
    {
        .id = "count-not-checked",
        .what = "a shape with a different number of elements is accepted",
        .why = "The new view would read past the end, or leave some numbers out. Compare "
               "the products of the sizes.",
        .source = NULL,
        .function = LIKE(view_as, view_as_any_count),
    },
    {
        .id = "old-strides",
        .what = "the new shape keeps the strides of the old one",
        .why = "Strides belong to a shape. `in` is contiguous here, so view_of gives the "
               "strides of the new shape.",
        .source = NULL,
        .function = LIKE(view_as, view_as_old_strides),
    },
    {
        .id = "like-pytorch",
        .what = "a view with gaps is accepted if its axes only need to be split",
        .why = "PyTorch does this, and it is not wrong. But this lab rejects every view "
               "that is not contiguous, which is one rule instead of three.",
        .source = "torch.Tensor.view",
        .function = LIKE(view_as, view_as_lenient),
        .convention = true,
    },
    {
        .id = "other-status",
        .what = "the function returns LAB_EVALUE instead of LAB_ESHAPE",
        .why = "The problem here is a shape, so return LAB_ESHAPE.",
        .source = NULL,
        .function = LIKE(view_as, view_as_other_status),
    },
    {0},
};

const struct mistake view_as_alternatives[] = {
    {.id = "strict", .function = LIKE(view_as, view_as_strict)},
    {0},
};
