// 01a_view_of.c - 4.1, view_of: cases, mistakes, other right solutions.

#include "exercises/exercise.h"
#include "exercises/04/01_views.h"

#include "04_multi_head/heads.h"

static void fill_sizes(struct test_case *test, struct lab_rng *rng)
{
    draw_sizes(test, rng, "size");
}

// More elements than 32 bits can count, and strides as large.
static void fill_huge_sizes(struct test_case *test, struct lab_rng *rng)
{
    draw_sizes(test, rng, "size");
    size_t *size = case_size(test, "size");
    size[1] += 65536;
    size[2] += 70000;
}

// Every axis longer than a byte can count.
static void fill_long_sizes(struct test_case *test, struct lab_rng *rng)
{
    draw_sizes(test, rng, "size");
    for (size_t a = 0; a < case_count(test, "size"); a++) {
        case_size(test, "size")[a] += 254 + 3 * a;
    }
}

static void fill_a_size_of_0(struct test_case *test, struct lab_rng *rng)
{
    draw_sizes(test, rng, "size");
    case_size(test, "size")[1] = 0;
}

static void fill_too_many_elements(struct test_case *test, struct lab_rng *rng)
{
    draw_sizes(test, rng, "size");
    case_size(test, "size")[1] = SIZE_MAX / 2 + 1; // the first axis is at least 2
}

const struct case_spec view_of_cases[] = {
    {.dims = "axes=1", .fill = fill_sizes},
    {.dims = "axes=2", .fill = fill_sizes, .draws = 2},
    {.dims = "axes=3", .fill = fill_sizes, .draws = 2},
    {.dims = "axes=4", .fill = fill_sizes, .draws = 2},
    {.dims = "axes=5", .fill = fill_sizes},
    {.dims = "axes=6", .fill = fill_sizes},
    {.dims = "axes=6", .fill = fill_long_sizes, .note = "sizes above 256"},
    {.dims = "axes=4", .fill = fill_huge_sizes, .note = "more than 32 bits can count"},
    {.dims = "axes=3", .fill = fill_a_size_of_0, .note = "a size of 0"},
    {.dims = "axes=3",
     .fill = fill_too_many_elements,
     .note = "more elements than a size_t can count"},
    {.dims = "axes=7", .fill = fill_sizes, .note = "more than VIEW_AXES axes"},
    {.dims = "axes=0", .note = "no axis"},
    {0},
};

// VIEW_OF(name, rule): a view_of whose stride of axis a follows the rule. The rule can
// use size, axes, behind (the number of elements of the axes after a) and before (of
// those before a).
#define VIEW_OF(name, rule)                                                              \
    static lab_status name(struct view *out, const float *data, const size_t *size,      \
                           size_t axes)                                                  \
    {                                                                                    \
        size_t count;                                                                    \
        if (!elements_of(&count, size, axes)) {                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        size_t before = 1, behind = count;                                               \
        *out = (struct view){.data = data, .axes = axes};                                \
        for (size_t a = 0; a < axes; a++) {                                              \
            behind /= size[a];                                                           \
            out->size[a] = size[a];                                                      \
            out->stride[a] = rule;                                                       \
            before *= size[a];                                                           \
        }                                                                                \
        (void)before, (void)behind;                                                      \
        return LAB_OK;                                                                   \
    }

VIEW_OF(view_of_from_the_front, before)
VIEW_OF(view_of_own_axis, behind *size[a])
VIEW_OF(view_of_next_axis_only, a + 1 < axes ? size[a + 1] : 1)
VIEW_OF(view_of_bytes, behind * sizeof(float))
VIEW_OF(view_of_all_ones, 1)
VIEW_OF(view_of_by_division, behind)

const struct mistake view_of_mistakes[] = {
    {
        .id = "first-index-fastest",
        .what = "the strides grow from the first axis to the last",
        .why = "This is the order of Fortran, where the first index runs fastest. In C "
               "the last index runs fastest: its stride is 1, so start there.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(view_of, view_of_from_the_front),
    },
    {
        .id = "own-axis-too",
        .what = "every stride includes the size of its own axis",
        .why = "One step along an axis skips all elements of the axes AFTER it. Store "
               "the stride first, then multiply by the size.",
        .source = NULL,
        .function = LIKE(view_of, view_of_own_axis),
    },
    {
        .id = "next-axis-only",
        .what = "every stride is the size of the next axis alone",
        .why = "This is right for two axes. With three, a step along the first axis "
               "skips size[1] * size[2] elements: multiply as you go.",
        .source = NULL,
        .function = LIKE(view_of, view_of_next_axis_only),
    },
    {
        .id = "bytes",
        .what = "the strides count bytes",
        .why = "NumPy counts bytes; this lab and PyTorch count elements, because data is "
               "a float pointer and data[i] steps by one float.",
        .source = NULL,
        .function = LIKE(view_of, view_of_bytes),
        .convention = true,
    },
    {
        .id = "all-ones",
        .what = "every stride is 1",
        .why = "Only the last axis steps by one element. Did you forget to multiply the "
               "stride by the size?",
        .source = NULL,
        .function = LIKE(view_of, view_of_all_ones),
    },
    {0},
};

const struct mistake view_of_alternatives[] = {
    {.id = "by-division", .function = LIKE(view_of, view_of_by_division)},
    {0},
};
