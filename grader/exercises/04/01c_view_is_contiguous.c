// 01c_view_is_contiguous.c - 4.1, view_is_contiguous: cases, mistakes, other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/01_views.h"

#include "04_multi_head/heads.h"

GIVEN_VIEW(given_one_number, (1, 1), (5, 8))
GIVEN_VIEW(given_single, (1), (5))
GIVEN_VIEW(given_gap_in_front, (2, 3, 4), (24, 4, 1)) // only the first axis has a gap

GIVEN_VIEW(given_gap_at_the_end, (2, 3, 4), (24, 8, 2)) // every second number of all

GIVEN_VIEW(given_six_gap_in_front, (2, 3, 1, 2, 5, 3), (91, 30, 4, 15, 3, 1))
GIVEN_VIEW(given_six_gap_behind_it, (2, 3, 1, 2, 5, 3), (90, 45, 4, 15, 3, 1))

// Row-major strides in the lower 32 bits, but different upper bits. The views are small,
// because a correct function may visit every number.
GIVEN_VIEW(given_far, (2, 3), ((size_t)1 << 32 | 3, 1))

GIVEN_VIEW(given_six_last_exchanged, (3, 2, 5, 7, 4, 3), (840, 420, 84, 12, 1, 4))
GIVEN_VIEW(given_five_exchanged, (2, 3, 2, 4, 5), (120, 40, 20, 1, 4))
GIVEN_VIEW(given_repeated_number, (3, 4), (4, 0))

const struct case_spec view_is_contiguous_cases[] = {
    {.dims = "axes=1", .fill = given_vector},
    {.dims = "axes=1", .fill = given_every_other, .note = "every second number"},
    {.dims = "axes=2", .fill = given_matrix},
    {.dims = "axes=2", .fill = given_transposed, .note = "a transposed matrix"},
    {.dims = "axes=2",
     .fill = given_square_transposed,
     .note = "a transposed square matrix"},
    {.dims = "axes=2", .fill = given_columns, .note = "2 of 6 columns"},
    {.dims = "axes=2", .fill = given_repeated, .note = "stride 0: one row, three times"},
    {.dims = "axes=3", .fill = given_size_1, .note = "axes of size 1 with any stride"},
    {.dims = "axes=4", .fill = given_heads},
    {.dims = "axes=4",
     .fill = given_heads_moved,
     .note = "heads in front of tokens, not copied"},
    {.dims = "axes=4", .fill = given_one_token_moved, .note = "the same with one token"},
    {.dims = "axes=6", .fill = given_six},
    {.dims = "axes=2", .fill = given_one_number, .note = "one number with any strides"},
    {.dims = "axes=1", .fill = given_single, .note = "one number with any stride"},
    {.dims = "axes=3", .fill = given_gap_in_front, .note = "a gap in front"},
    {.dims = "axes=3", .fill = given_gap_in_the_middle, .note = "a gap in the middle"},
    {.dims = "axes=3", .fill = given_gap_at_the_end, .note = "every second number"},
    {.dims = "axes=6", .fill = given_six_in_order},
    {.dims = "axes=6", .fill = given_six_gap_in_front, .note = "a gap in front"},
    {.dims = "axes=6", .fill = given_six_gap_behind_it, .note = "a gap in the middle"},
    {.dims = "axes=6", .fill = given_six_exchanged, .note = "two of six axes swapped"},
    {.dims = "axes=6",
     .fill = given_six_last_exchanged,
     .note = "the last two of six axes swapped"},
    {.dims = "axes=3", .fill = given_large},
    {.dims = "axes=2", .fill = given_large_transposed, .note = "a transposed matrix"},
    {.dims = "axes=4", .fill = given_large_moved, .note = "heads in front of tokens"},
    {.dims = "axes=2", .fill = given_far, .note = "rows farther apart than 32 bits"},
    {.dims = "axes=3..6", .draws = 3, .fill = fill_row_major},
    {.dims = "axes=2", .fill = given_a_size_of_0, .note = "a size of 0"},
    {.dims = "axes=0", .note = "no axis"},
    {.dims = "axes=5", .fill = given_five_exchanged, .note = "two of five axes swapped"},
    {.dims = "axes=2",
     .fill = given_repeated_number,
     .note = "stride 0: one number of each row, four times"},
    {0},
};

// CONTIGUOUS(name, rule): does every axis satisfy the rule? The rule can use in, a, and
// expected, the row-major strides.
#define CONTIGUOUS(name, rule)                                                           \
    static lab_status name(bool *answer, const struct view *in)                          \
    {                                                                                    \
        size_t count, expected[VIEW_AXES];                                               \
        if (!elements_of(&count, in->size, in->axes)) {                                  \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        row_major(expected, in->size, in->axes);                                         \
        *answer = true;                                                                  \
        for (size_t a = 0; a < in->axes; a++) {                                          \
            *answer = *answer && (rule);                                                 \
        }                                                                                \
        (void)expected;                                                                  \
        return LAB_OK;                                                                   \
    }

CONTIGUOUS(contiguous_always, true)
CONTIGUOUS(contiguous_last_only, a + 1 < in->axes || in->stride[a] == 1)
CONTIGUOUS(contiguous_descending, a == 0 || in->stride[a - 1] >= in->stride[a])
CONTIGUOUS(contiguous_strict, in->stride[a] == expected[a])

// No gaps and no element twice: the last element is count - 1 after the first.
static lab_status contiguous_without_gaps(bool *answer, const struct view *in)
{
    size_t count, last = 0;
    if (!elements_of(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    for (size_t a = 0; a < in->axes; a++) {
        last += (in->size[a] - 1) * in->stride[a];
    }
    *answer = last + 1 == count;
    return LAB_OK;
}

// Goes through the view and checks that each element comes directly after the one before.
static lab_status contiguous_by_walking(bool *answer, const struct view *in)
{
    size_t count;
    if (!elements_of(&count, in->size, in->axes)) {
        return LAB_ESHAPE;
    }
    *answer = true;
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, offset = 0;
        for (size_t a = in->axes; a-- > 0; rest /= in->size[a]) {
            offset += rest % in->size[a] * in->stride[a];
        }
        *answer = *answer && offset == i;
    }
    return LAB_OK;
}

const struct mistake view_is_contiguous_mistakes[] = {
    {
        .id = "always",
        .what = "the answer is always true",
        .why = "A transposed view does not read the numbers in memory order. Compare the "
               "strides with those that view_of gives for these sizes.",
        .source = NULL,
        .function = LIKE(view_is_contiguous, contiguous_always),
    },
    {
        .id = "last-axis-only",
        .what = "only the last stride is checked",
        .why = "A view with the heads in front of the tokens, (B,NH,T,hs) without a "
               "copy, still has stride 1 in the last axis. Every axis must have its "
               "row-major stride.",
        .source = NULL,
        .function = LIKE(view_is_contiguous, contiguous_last_only),
    },
    {
        .id = "descending",
        .what = "strides that never increase count as contiguous",
        .why = "2 of 6 columns have strides 6 and 1, in the right order but with gaps. "
               "Each stride must be exactly the number of elements of the axes after it.",
        .source = NULL,
        .function = LIKE(view_is_contiguous, contiguous_descending),
    },
    {
        .id = "no-gaps",
        .what = "a view without gaps counts as contiguous, whatever its order",
        .why = "A transposed matrix has no gaps, but its reading order is not its memory "
               "order. The order matters, too.",
        .source = NULL,
        .function = LIKE(view_is_contiguous, contiguous_without_gaps),
    },
    {
        .id = "size-1-strict",
        .what = "the stride of an axis of size 1 is checked",
        .why = "You never step along an axis of size 1, so its stride may be anything. "
               "PyTorch has the same rule.",
        .source = NULL,
        .function = LIKE(view_is_contiguous, contiguous_strict),
    },
    {0},
};

const struct mistake view_is_contiguous_alternatives[] = {
    {.id = "by-walking", .function = LIKE(view_is_contiguous, contiguous_by_walking)},
    {0},
};
