// add_up.c - see add_up.h.

#include "tests/add_up.h"

#include <stdio.h>

#include "cases/case.h"

lab_status add_up(float *sum, const float *x, const float *bias, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        sum[t] = bias != NULL ? bias[0] : 0;
        for (size_t c = 0; c < C; c++) {
            sum[t] += x[t * C + c];
        }
    }
    return LAB_OK;
}

ADAPTOR(add_up, t[0], t[1], t[2], n[0], n[1])
const struct entry add_up_entry = ENTRY(add_up);

static void no_bias(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "bias");
}

static void change_last(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    case_f32(second, "x")[case_count(second, "x") - 1] += 1;
}

static bool last_differs(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    size_t last = case_dim(first, "T") - 1;
    snprintf(why, why_size, "the last sum stayed as it was");
    const float *before = case_got(first, "sum"), *after = case_got(second, "sum");
    return before[last] != after[last];
}

static const struct case_spec add_up_cases[] = {
    {.dims = "T=5 C=7"}, {.dims = "T=2..4 C=1..9", .draws = 4},
    {.dims = "T=0 C=3"}, {"T=1 C=1", 1, "no bias", no_bias},
    {.dims = NULL},
};
static const struct property add_up_properties[] = {{"last-counts",
                                                     "the last element counts", "T=3 C=2",
                                                     change_last, last_differs, NULL},
                                                    {.id = NULL}};
const struct part add_up_part = {
    .function = "add_up",
    .dims = "T C",
    .tensors = {{"sum", "T", OUTPUT, F32, 1e-5f, 1e-5f},
                {.name = "x", .shape = "T C"},
                {.name = "bias", .shape = "1"}},
    .cases = add_up_cases,
    .properties = add_up_properties,
};

struct case_list draw_expected(const struct part *part, const struct entry *reference,
                               uint64_t seed)
{
    struct case_list list = cases_draw(part, seed, false);
    cases_expect(&list, reference);
    return list;
}
