// test_judge.c - cases, repeated calls, comparing and showing them: the judge without a worker.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/kept.h"
#include "cases/list.h"
#include "cases/poison.h"
#include "cases/pretend.h"
#include "cases/repeats.h"
#include "cases/show.h"
#include "judge/wire.h"
#include "report/text.h"

// ---- closeness ----------------------------------------------------------------------------

Test(compare, nan_is_never_close)
{
    cr_expect_not(close_enough(NAN, 1, 1e30f, 1));
    cr_expect_not(close_enough(1, NAN, 1e30f, 1));
    cr_expect_not(close_enough(NAN, NAN, 1e30f, 1));
}

// Only in a case whose contract asks for NaN (struct case_spec, .nan).
Test(compare, nan_is_right_where_it_is_asked_for_and_nowhere_else)
{
    const struct tensor_spec spec = {"out", "N", OUTPUT, F32, 1e-5f, 1e-5f};
    float expected[] = {1, NAN}, right[] = {1, NAN}, number[] = {1, 2},
          everywhere[] = {NAN, NAN}, unwritten[2] = {1};
    poison_fill(&unwritten[1], sizeof unwritten[1]);
    struct tensor tensor = {.spec = &spec,
                            .count = 2,
                            .element_size = sizeof(float),
                            .atol = 1e-5f,
                            .expected = expected,
                            .got = right};
    cr_expect_eq(compare_tensor(&tensor).fault, DIFFERENT);
    tensor.may_be_nan = true;
    cr_expect_eq(compare_tensor(&tensor).fault, NO_FAULT);
    tensor.got = number;
    cr_expect_eq(compare_tensor(&tensor).fault, DIFFERENT);
    tensor.got = everywhere;
    cr_expect_eq(compare_tensor(&tensor).index, 0);
    cr_expect_eq(compare_tensor(&tensor).wrong, 1);
    tensor.got = unwritten;
    cr_expect_eq(compare_tensor(&tensor).fault, UNWRITTEN);
}

Test(compare, infinities_are_close_to_themselves_only)
{
    cr_expect(close_enough(-INFINITY, -INFINITY, 0, 0));
    cr_expect_not(close_enough(INFINITY, -INFINITY, 1e30f, 1));
    cr_expect_not(close_enough(3e38f, INFINITY, 1e30f, 1));
    cr_expect_not(close_enough(INFINITY, 3e38f, 1e30f, 1));
}

Test(compare, tolerance_is_absolute_plus_relative)
{
    cr_expect(close_enough(100.2f, 100, 0.1f, 0.001f));
    cr_expect_not(close_enough(100.3f, 100, 0.1f, 0.001f));
    cr_expect(close_enough(-0.0f, 0.0f, 0, 0));
}

// ---- cases --------------------------------------------------------------------------------

static lab_status add_up(float *sum, const float *x, const float *bias, size_t T,
                         size_t C)
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
static const struct entry add_up_entry = ENTRY(add_up);

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
static const struct part add_up_part = {
    .function = "add_up",
    .dims = "T C",
    .tensors = {{"sum", "T", OUTPUT, F32, 1e-5f, 1e-5f},
                {.name = "x", .shape = "T C"},
                {.name = "bias", .shape = "1"}},
    .cases = add_up_cases,
    .properties = add_up_properties,
};

static struct case_list draw(const struct part *part, const struct entry *reference,
                             uint64_t seed)
{
    struct case_list list = cases_draw(part, seed, false);
    cases_expect(&list, reference);
    return list;
}

Test(cases, the_same_seed_gives_the_same_cases_another_seed_others)
{
    struct case_list one = draw(&add_up_part, &add_up_entry, 7);
    struct case_list same = draw(&add_up_part, &add_up_entry, 7);
    struct case_list other = draw(&add_up_part, &add_up_entry, 8);
    // 1 + 4 + 1 + 1 calls, the repeated calls, and two for the property
    cr_assert_eq(one.count, 9 + 2 * TURNS);
    cr_assert_eq(same.count, one.count);
    bool differs = false;
    for (size_t i = 0; i < one.count; i++) {
        size_t count = one.cases[i].tensor[1].count;
        cr_expect_eq(same.cases[i].tensor[1].count, count);
        cr_expect_eq(memcmp(one.cases[i].tensor[1].data, same.cases[i].tensor[1].data,
                            count * sizeof(float)),
                     0);
        differs = differs || other.cases[i].tensor[1].count != count ||
                  memcmp(one.cases[i].tensor[1].data, other.cases[i].tensor[1].data,
                         count * sizeof(float)) != 0;
    }
    cr_expect(differs);
    cases_free(&one);
    cases_free(&same);
    cases_free(&other);
}

Test(cases, come_smallest_first_and_empty_ones_last)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 3);
    cr_expect_eq(list.cases[0].dim[0], 1, "T=1 C=1 is the smallest");
    cr_expect(list.cases[0].tensor[2].absent);
    cr_expect_eq(list.cases[6].dim[0], 0, "T=0 comes after every other");
    cr_expect_eq(list.cases[6].expected_status, LAB_ESHAPE);
    cr_expect_eq(list.cases[7 + 2 * TURNS].property, 1);
    cr_expect(list.cases[8 + 2 * TURNS].second);
    cases_free(&list);
}

Test(cases, two_calls_of_the_same_sizes_take_turns)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 3);
    for (size_t i = 7; i < 7 + 2 * TURNS; i++) {
        const struct tensor *x = &list.cases[i].tensor[1];
        cr_assert(list.cases[i].again);
        cr_assert_eq(x->count, list.cases[7].tensor[1].count);
        cr_expect_gt(x->count, 1);
        const struct tensor *like = &list.cases[i < 9 ? i : i - 2].tensor[1];
        cr_expect_eq(memcmp(x->data, like->data, x->count * sizeof(float)), 0);
    }
    cr_expect_neq(
        memcmp(list.cases[7].tensor[1].data, list.cases[8].tensor[1].data, sizeof(float)),
        0);
    cases_free(&list);
}

static const struct case_spec add_up_special[] = {
    {.dims = "T=1 C=2", .apart = true},
    {.dims = "T=4 C=6"},
    {.dims = "T=9 C=9", .unit = 0.5f},
    {.dims = "T=9 C=10", .exact = true},
    {.dims = NULL},
};

Test(cases, special_ones_have_tolerances_of_their_own_or_come_last)
{
    struct part part = add_up_part;
    part.cases = add_up_special;
    struct case_list list = draw(&part, &add_up_entry, 3);
    size_t halved = 0, exact = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct tensor *sum = &list.cases[i].tensor[0];
        halved += sum->atol == 0.5f * 1e-5f && sum->rtol == 1e-5f;
        exact += sum->atol == 0 && sum->rtol == 0;
        cr_expect_eq(list.cases[i].apart, i + 1 == list.count);
    }
    cr_expect_eq(halved, 1);
    cr_expect_eq(exact, 1);
    cases_free(&list);
}

static const struct case_spec add_up_memory[] = {
    {.dims = "T=5 C=6"},
    {.dims = "T=30 C=40", .memory_only = true},
    {.dims = "T=4 C=6", .apart = true},
    {.dims = NULL},
};

Test(cases, those_that_only_limit_memory_are_for_the_cpu_and_can_be_put_last)
{
    struct part part = add_up_part;
    part.cases = add_up_memory;
    struct case_list list = draw(&part, &add_up_entry, 3);
    cr_expect(list.cases[1].memory_only);
    cr_expect_not(case_is_asked(&list.cases[1]));
    const size_t others = cases_put_memory_last(&list);
    cr_assert_eq(others, list.count - 1);
    cr_expect(list.cases[others].memory_only);
    cr_expect(list.cases[others - 1].apart);
    cr_expect_eq(list.cases[0].dim[0], 5);
    cases_free(&list);
    struct case_list gpu = cases_draw(&part, 3, true);
    cr_expect_eq(cases_put_memory_last(&gpu), gpu.count);
    cases_free(&gpu);
}

Test(cases, the_second_case_of_a_property_differs_only_where_it_was_changed)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 3);
    const float *first = list.cases[7 + 2 * TURNS].tensor[1].data,
                *second = list.cases[8 + 2 * TURNS].tensor[1].data;
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(first[i], second[i]);
    }
    cr_expect_neq(first[5], second[5]);
    cases_free(&list);
}

static lab_status add_to(float *sum, const float *x, size_t N)
{
    if (N == 1) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N; i++) {
        sum[i] += x[i];
    }
    return LAB_OK;
}

ADAPTOR(add_to, t[0], t[1], n[0])
static const struct entry add_to_entry = ENTRY(add_to);
static const struct case_spec add_to_cases[] = {
    {.dims = "N=1"}, {.dims = "N=3"}, {.dims = NULL}};
static const struct part add_to_part = {
    .function = "add_to",
    .dims = "N",
    .tensors = {{"sum", "N", UPDATED, F32, 1e-6f, 1e-6f}, {.name = "x", .shape = "N"}},
    .cases = add_to_cases,
};

Test(cases, an_updated_tensor_starts_from_given_numbers_and_is_judged)
{
    struct case_list list = draw(&add_to_part, &add_to_entry, 1);
    const struct test_case *refused = &list.cases[0], *added = &list.cases[1];
    const float *start = added->tensor[0].data, *x = added->tensor[1].data;
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(((float *)added->tensor[0].expected)[i], start[i] + x[i]);
    }
    cr_expect(tensor_is_judged(&added->tensor[0]));
    // An error must leave the given numbers as they were.
    list.cases[0].progress = RETURNED;
    list.cases[0].got_status = LAB_ESHAPE;
    memcpy(refused->tensor[0].got, refused->tensor[0].data, sizeof(float));
    cr_expect_eq(compare_case(refused).fault, NO_FAULT);
    ((float *)refused->tensor[0].got)[0] += 1;
    cr_expect_eq(compare_case(refused).fault, TOUCHED);
    cases_free(&list);
}

// ---- the same call with other old contents --------------------------------------------------

// Right if the output holds NaN at first, because comparisons with NaN are false.
static lab_status add_up_from_the_old(float *sum, const float *x, const float *bias,
                                      size_t T, size_t C)
{
    float before[16];
    for (size_t t = 0; t < T; t++) {
        before[t] = sum[t];
    }
    lab_status status = add_up(sum, x, bias, T, C);
    for (size_t t = 0; t < T && status == LAB_OK; t++) {
        sum[t] = before[t] > sum[t] ? before[t] : sum[t];
    }
    return status;
}

// Right if the output holds anything but its own previous result.
static lab_status add_up_once(float *sum, const float *x, const float *bias, size_t T,
                              size_t C)
{
    float first = T > 0 ? sum[0] : 0.0f;
    lab_status status = add_up(sum, x, bias, T, C);
    if (status == LAB_OK && first == sum[0]) {
        sum[T - 1] += 1.0f;
    }
    return status;
}

// Writes to an output although it rejects the sizes, but leaves an output of zeros as it is.
static lab_status add_up_zero_first(float *sum, const float *x, const float *bias,
                                    size_t T, size_t C)
{
    if (T == 1 && C == 0 && sum[0] == 70001.297f) {
        sum[0] = 0.0f;
    }
    return add_up(sum, x, bias, T, C);
}

static const struct case_spec repeated_cases[] = {
    {.dims = "T=4 C=3"}, {.dims = "T=1 C=0"}, {.dims = NULL}};

static struct case_list pretend(any_function f)
{
    static struct part part;
    part = add_up_part;
    part.cases = repeated_cases;
    part.properties = NULL;
    struct case_list list = draw(&part, &add_up_entry, 1);
    cases_pretend(&list, &add_up_entry, f);
    return list;
}

Test(repeats, a_right_call_is_right_on_all_contents)
{
    struct case_list list = pretend((any_function)add_up);
    for (size_t i = 0; i < list.count; i++) {
        cr_expect_eq(compare_case(&list.cases[i]).fault, NO_FAULT);
        cr_expect_eq(list.cases[i].again, list.cases[i].repeats == 0);
        cr_expect_not(case_is_repeat(&list.cases[i]));
    }
    cases_free(&list);
}

Test(repeats, a_wrong_one_takes_the_place_of_a_first_call_that_is_right)
{
    struct case_list list = pretend((any_function)add_up_from_the_old);
    cr_expect_eq(compare_case(&list.cases[0]).fault, DIFFERENT);
    cr_expect(list.cases[0].contents == ZEROS || list.cases[0].contents == NUMBERS);
    cases_free(&list);
    list = pretend((any_function)add_up_once);
    cr_expect_eq(compare_case(&list.cases[0]).fault, DIFFERENT);
    cr_expect_eq(compare_case(&list.cases[0]).index, 3);
    cr_expect_eq(list.cases[0].contents, KEPT);
    cases_free(&list);
}

Test(repeats, after_an_error_an_output_holds_what_it_held_before)
{
    struct case_list list = pretend((any_function)add_up_zero_first);
    const struct test_case *refused = &list.cases[0];
    while (refused->dim[1] != 0) {
        refused++;
    }
    cr_expect_eq(compare_case(refused).fault, TOUCHED);
    cr_expect_eq(refused->contents, NUMBERS);
    cases_free(&list);
}

Test(repeats, bytes_begin_as_true_as_false_and_as_both)
{
    uint8_t bytes[64];
    size_t ones = 0;
    contents_fill(POISONED, 1, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        cr_expect_gt(bytes[i], 1);
    }
    contents_fill(NUMBERS, 1, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        cr_expect_leq(bytes[i], 1);
        ones += bytes[i];
    }
    cr_expect(ones > 16 && ones < 48, "%zu of 64", ones);
}

enum { ALL_CONTENTS = 1 << KEPT | 1 << ZEROS | 1 << NUMBERS };

static const struct case_spec large_cases[] = {
    {.dims = "T=4 C=3"},     {.dims = "T=20 C=1000"}, {.dims = "T=30 C=1000"},
    {.dims = "T=40 C=1000"}, {.dims = "T=50 C=1000"}, {.dims = "T=2000 C=1000"},
    {.dims = NULL},
};

static struct case_list draw_large(void)
{
    static struct part part;
    part = add_up_part;
    part.cases = large_cases;
    part.properties = NULL;
    struct case_list list = cases_draw(&part, 1, false);
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++) { // those of many calls come after the others
        kept += !list.cases[i].again;
    }
    cr_assert_eq(kept, 6);
    return list;
}

Test(repeats,
     the_first_large_call_is_repeated_on_all_contents_and_the_next_three_on_one_each)
{
    struct case_list list = draw_large();
    uint32_t together = 0;
    cr_expect_eq(list.cases[0].repeats, ALL_CONTENTS);
    cr_expect_eq(list.cases[1].repeats, ALL_CONTENTS);
    for (size_t i = 2; i < 5; i++) {
        const uint32_t one = list.cases[i].repeats;
        cr_expect(one != 0 && (one & (one - 1)) == 0, "%u", one);
        together |= one;
    }
    cr_expect_eq(together, ALL_CONTENTS);
    cr_expect_eq(list.cases[5].repeats, 0);
    cases_free(&list);
}

// Right if the output holds what it held before: a maximum that starts with the old value, in large calls only.
static lab_status add_up_large_from_the_old(float *sum, const float *x, const float *bias,
                                            size_t T, size_t C)
{
    const float before = T > 0 ? sum[0] : 0.0f;
    lab_status status = add_up(sum, x, bias, T, C);
    if (status == LAB_OK && T * C > 16384 && before > sum[0]) {
        sum[0] = before;
    }
    return status;
}

Test(repeats, code_for_large_calls_meets_every_content_on_every_seed)
{
    static struct part part;
    static const struct case_spec one_large[] = {
        {.dims = "T=4 C=3"}, {.dims = "T=20 C=1000"}, {.dims = NULL}};
    part = add_up_part;
    part.cases = one_large;
    part.properties = NULL;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct case_list list = draw(&part, &add_up_entry, seed);
        cases_pretend(&list, &add_up_entry, (any_function)add_up_large_from_the_old);
        cr_expect_eq(compare_case(&list.cases[0]).fault, NO_FAULT);
        cr_expect_neq(compare_case(&list.cases[1]).fault, NO_FAULT, "seed %d", (int)seed);
        cr_expect(case_is_repeat(&list.cases[1]));
        cases_free(&list);
    }
}

Test(repeats, scores_that_no_tensor_holds_count_too)
{
    const struct part flash = {.dims = "B T S"};
    struct test_case cases[] = {{.part = &flash, .dims = 3, .dim = {1, 10, 10}},
                                {.part = &flash, .dims = 3, .dim = {1, 10, 10000}},
                                {.part = &flash, .dims = 3, .dim = {1, 10, 10000}},
                                {.part = &flash, .dims = 3, .dim = {20, 10, 10000}}};
    struct case_list list = {.cases = cases, .count = 4};
    cases_choose_repeats(&list);
    cr_expect_eq(cases[0].repeats, ALL_CONTENTS);
    cr_expect_eq(cases[1].repeats, ALL_CONTENTS);
    const uint32_t one = cases[2].repeats;
    cr_expect(one != 0 && (one & (one - 1)) == 0, "%u", one);
    cr_expect_eq(cases[3].repeats, 0);
}

// Such a case does not use up the four calls of the first other one.
Test(repeats, a_large_case_that_only_shows_a_size_is_repeated_once)
{
    const struct part flash = {.dims = "B T S"};
    struct test_case cases[] = {
        {.part = &flash, .dims = 3, .dim = {1, 10, 10000}, .memory_only = true},
        {.part = &flash, .dims = 3, .dim = {1, 10, 10000}}};
    struct case_list list = {.cases = cases, .count = 2};
    cases_choose_repeats(&list);
    const uint32_t one = cases[0].repeats;
    cr_expect(one != 0 && (one & (one - 1)) == 0, "%u", one);
    cr_expect_eq(cases[1].repeats, ALL_CONTENTS);
}

// ---- results for other judges --------------------------------------------------------------

static bool same_expected(const struct test_case *one, const struct test_case *other)
{
    bool same = one->expected_status == other->expected_status;
    for (size_t t = 0; t < one->tensors; t++) {
        const struct tensor *a = &one->tensor[t], *b = &other->tensor[t];
        same = same && (a->expected == NULL || memcmp(a->expected, b->expected,
                                                      a->count * a->element_size) == 0);
    }
    return same;
}

// Cuts a byte off the only file in a folder.
static void shorten_only_file(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "truncate -s -1 %s/*", folder);
    cr_assert_eq(system(command), 0);
}

static void remove_folder(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

// Many of these calls have the same seed and the same sizes.
Test(kept, every_case_gets_its_own_results_back)
{
    char folder[] = "/tmp/kept.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    struct case_list one = draw(&add_up_part, &add_up_entry, 7);
    struct case_list same = cases_draw(&add_up_part, 7, false);
    struct case_list other = cases_draw(&add_up_part, 8, false);
    one.kept = grader_print("%s/x.", folder);
    same.kept = grader_print("%s/x.", folder);
    other.kept = grader_print("%s/x.", folder);
    for (size_t i = 0; i < one.count; i++) {
        one.cases[i].expected_status = (lab_status)(i % 3);
        kept_write(&one, i);
    }
    for (size_t i = 0; i < one.count; i++) {
        cr_expect(kept_read(&same, i), "case %zu", i);
        cr_expect(same_expected(&one.cases[i], &same.cases[i]), "case %zu", i);
        cr_expect_not(kept_read(&other, i), "case %zu", i);
    }
    remove_folder(folder);
    cases_free(&one);
    cases_free(&same);
    cases_free(&other);
}

Test(kept, a_file_cut_short_counts_for_nothing)
{
    char folder[] = "/tmp/kept.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    struct case_list list = draw(&add_up_part, &add_up_entry, 7);
    list.kept = grader_print("%s/x.", folder);
    kept_write(&list, 1);
    cr_expect(kept_read(&list, 1));
    shorten_only_file(folder);
    cr_expect_not(kept_read(&list, 1));
    remove_folder(folder);
    cases_free(&list);
}

// They depend on what the student's first call gave.
Test(kept, no_results_of_a_call_on_what_the_first_one_left)
{
    char folder[] = "/tmp/kept.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    struct case_list list = draw(&add_up_part, &add_up_entry, 7);
    list.kept = grader_print("%s/x.", folder);
    list.cases[1].contents = KEPT;
    kept_write(&list, 1);
    cr_expect_not(kept_read(&list, 1));
    remove_folder(folder);
    cases_free(&list);
}

// ---- to the worker and back ----------------------------------------------------------------

Test(wire, an_unanswered_request_reads_as_not_reached)
{
    struct wire_part part = {0, draw(&add_up_part, &add_up_entry, 1)};
    struct wire wire = wire_open(&part, 1, 0, false);
    wire_read(&wire, &part, 1);
    for (size_t i = 0; i < part.cases.count; i++) {
        cr_expect_eq(part.cases.cases[i].progress, NOT_REACHED);
        cr_expect_eq(compare_case(&part.cases.cases[i]).fault, NOT_RETURNED);
    }
    wire_close(&wire);
    cases_free(&part.cases);
}

Test(wire, an_address_is_named_by_its_tensor)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 1);
    struct test_case *test = &list.cases[5]; // T=5 C=7
    const struct tensor *tensor = NULL;
    ptrdiff_t offset = 0;
    cr_assert_eq(test->dim[0] * test->dim[1], 35);
    // The first input comes after one guard zone of 1024 bytes, or a little more.
    test->drawn_from = 0;
    cr_assert(wire_locate(test, ARENA_BASE + 1024 + 35 * 4, &tensor, &offset));
    cr_expect_str_eq(tensor->spec->name, "x");
    cr_expect_eq(offset, 35 * 4);
    cr_assert(wire_locate(test, ARENA_BASE + 1020, &tensor, &offset));
    cr_expect_str_eq(tensor->spec->name, "x");
    cr_expect_eq(offset, -4);
    test->drawn_from = 1;
    cr_assert(wire_locate(test, ARENA_BASE + 1024, &tensor, &offset));
    cr_expect_lt(offset, 0, "a pointer from the call before leads nowhere");
    cr_expect_not(wire_locate(test, 0x1000, &tensor, &offset));
    cases_free(&list);
}

// ---- comparing ----------------------------------------------------------------------------

static void answer(struct test_case *test, lab_status status)
{
    test->progress = RETURNED;
    test->got_status = (int)status;
    memcpy(test->tensor[0].got, test->tensor[0].expected,
           test->tensor[0].count * sizeof(float));
}

Test(compare, names_the_first_difference_and_counts_them)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 1);
    struct test_case *test = &list.cases[5];
    answer(test, LAB_OK);
    cr_expect_eq(compare_case(test).fault, NO_FAULT);
    ((float *)test->tensor[0].got)[2] += 1;
    ((float *)test->tensor[0].got)[4] = NAN;
    struct difference difference = compare_case(test);
    cr_expect_eq(difference.fault, DIFFERENT);
    cr_expect_eq(difference.index, 2);
    cr_expect_eq(difference.wrong, 2);
    cases_free(&list);
}

Test(compare, an_unwritten_element_is_told_from_a_nan)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 1);
    struct test_case *test = &list.cases[5];
    answer(test, LAB_OK);
    poison_fill((float *)test->tensor[0].got + 3, sizeof(float));
    cr_expect_eq(compare_case(test).fault, UNWRITTEN);
    ((float *)test->tensor[0].got)[3] = NAN;
    cr_expect_eq(compare_case(test).fault, DIFFERENT);
    cases_free(&list);
}

Test(compare, an_error_must_leave_the_outputs_untouched)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 1);
    struct test_case *test = &list.cases[5];
    test->expected_status = LAB_ESHAPE; // as if the sizes were rejected
    answer(test, LAB_ESHAPE);
    cr_expect_eq(compare_case(test).fault, TOUCHED);
    poison_fill(test->tensor[0].got, test->tensor[0].count * sizeof(float));
    cr_expect_eq(compare_case(test).fault, NO_FAULT);
    answer(test, LAB_OK);
    cr_expect_eq(compare_case(test).fault, WRONG_STATUS);
    cases_free(&list);
}

// ---- int8 ---------------------------------------------------------------------------------

static lab_status negate(int8_t *out, const int8_t *x, size_t N)
{
    for (size_t i = 0; i < N; i++) {
        out[i] = (int8_t)-x[i];
    }
    return LAB_OK;
}

ADAPTOR(negate, t[0], t[1], n[0])
static const struct entry negate_entry = ENTRY(negate);
static const struct case_spec negate_cases[] = {{.dims = "N=1000"}, {.dims = NULL}};
static const struct part negate_part = {
    .function = "negate",
    .dims = "N",
    .tensors = {{"out", "N", OUTPUT, I8, 0, 0}, {"x", "N", INPUT, I8, 0, 0}},
    .cases = negate_cases,
};

Test(int8, inputs_are_drawn_from_minus_127_to_127)
{
    struct case_list list = draw(&negate_part, &negate_entry, 1);
    const int8_t *x = case_i8(&list.cases[0], "x");
    int least = 0, most = 0;
    for (size_t i = 0; i < 1000; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    cr_expect_eq(least, -127);
    cr_expect_eq(most, 127);
    cases_free(&list);
}

Test(int8, a_difference_is_found_and_shown_with_its_sign)
{
    struct case_list list = draw(&negate_part, &negate_entry, 1);
    struct test_case *test = &list.cases[0];
    int8_t *expected = test->tensor[0].expected, *got = test->tensor[0].got;
    test->progress = RETURNED;
    memcpy(got, expected, 1000);
    cr_expect_eq(compare_case(test).fault, NO_FAULT);
    expected[5] = -7;
    got[5] = -8;
    struct difference difference = compare_case(test);
    cr_expect_eq(difference.fault, DIFFERENT);
    cr_expect_eq(difference.index, 5);
    struct text text;
    text_begin(&text);
    show_difference(text.file, test, &difference);
    char *shown = text_end(&text);
    cr_expect_not_null(strstr(shown, "out[5] = -8, expected -7"), "%s", shown);
    free(shown);
    cases_free(&list);
}

// A byte of the pattern is 127, as the largest of every quantized row.
Test(int8, one_number_of_the_pattern_is_not_unwritten_and_a_word_of_it_is)
{
    struct case_list list = draw(&negate_part, &negate_entry, 1);
    struct test_case *test = &list.cases[0];
    int8_t *expected = test->tensor[0].expected, *got = test->tensor[0].got;
    test->progress = RETURNED;
    memset(expected, 1, 1000);
    poison_fill(got, 1000);
    cr_expect_eq(compare_case(test).fault, UNWRITTEN);
    cr_expect_eq(got[7], 127);
    memset(got, 1, 1000);
    got[7] = 127;
    cr_expect_eq(compare_case(test).fault, DIFFERENT);
    cr_expect_eq(compare_case(test).index, 7);
    cases_free(&list);
}

// ---- showing ------------------------------------------------------------------------------

Test(show, an_input_of_nine_numbers_in_a_row_is_shown)
{
    static const struct case_spec nine[] = {{.dims = "T=1 C=9"}, {.dims = NULL}};
    struct part part = add_up_part;
    part.cases = nine;
    struct case_list list = draw(&part, &add_up_entry, 1);
    float *x = list.cases[0].tensor[1].data;
    for (size_t i = 0; i < 9; i++) {
        x[i] = 1.5f + (float)i;
    }
    struct text text;
    text_begin(&text);
    show_inputs(text.file, &list.cases[0], NULL);
    char *shown = text_end(&text);
    cr_expect_not_null(strstr(shown, "| 1.5000  2.5000  3.5000  4.5000  5.5000  6.5000  "
                                     "7.5000  8.5000  9.5000\n"),
                       "%s", shown);
    free(shown);
    cases_free(&list);
}

#define MANY_MATRICES(name, role)                                                        \
    {name ".a", "T C", role, F32, 0, 0}, {name ".b", "T C", role, F32, 0, 0},            \
        {name ".c", "T C", role, F32, 0, 0}, {name ".d", "T C", role, F32, 0, 0},        \
    {                                                                                    \
        name ".e", "T C", role, F32, 0, 0                                                \
    }

static const struct part many_inputs_part = {
    .function = "add_up",
    .dims = "T C",
    .tensors = {{"total", "C", OUTPUT, F32, 1e-5f, 1e-5f},
                MANY_MATRICES("params", INPUT),
                {"x", "T C", INPUT, F32, 0, 0},
                {"mask", "T T", INPUT, U8, 0, 0},
                {"u", "C", INPUT, F32, 0, 0}},
    .cases = (const struct case_spec[]){{.dims = "T=4 C=5"}, {.dims = NULL}},
};

// A student needs the failing call on one screen; every number can be had.
Test(show, inputs_that_fill_a_screen_are_cut_and_the_rest_is_counted)
{
    struct case_list list = cases_draw(&many_inputs_part, 1, false);
    struct text text;
    text_begin(&text);
    show_inputs(text.file, &list.cases[0], "make check EX=9.3 NUMBERS=1");
    char *shown = text_end(&text);
    size_t lines = 0;
    for (const char *c = shown; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    cr_expect_leq(lines, INPUT_LINES, "%zu lines: %s", lines, shown);
    cr_expect_not_null(strstr(shown, "  mask (T T)\n"), "%s", shown);
    cr_expect_not_null(strstr(shown, "  u (C) | "), "%s", shown);
    cr_expect_not_null(strstr(shown, "  x (T C)\n"), "%s", shown);
    cr_expect_not_null(strstr(shown, "  not shown: 5 of params: 100 numbers\n"), "%s",
                       shown);
    cr_expect_not_null(strstr(shown, "  all inputs: make check EX=9.3 NUMBERS=1\n"), "%s",
                       shown);
    free(shown);
    cases_free(&list);
}

Test(show, without_a_command_every_input_is_shown)
{
    struct case_list list = cases_draw(&many_inputs_part, 1, false);
    struct text text;
    text_begin(&text);
    show_inputs(text.file, &list.cases[0], NULL);
    char *shown = text_end(&text), name[32];
    for (char letter = 'a'; letter <= 'e'; letter++) {
        snprintf(name, sizeof name, "  params.%c (T C)\n       | ", letter);
        cr_expect_not_null(strstr(shown, name), "%s", shown);
    }
    cr_expect_null(strstr(shown, "not shown"), "%s", shown);
    free(shown);
    cases_free(&list);
}

// One of two sums is slightly wrong. With four decimals its error would not show, and the other
// sum would look just as wrong.
Test(show, nine_digits_are_shown_where_fewer_hide_the_difference)
{
    struct case_list list = draw(&add_up_part, &add_up_entry, 1);
    struct test_case *test = &list.cases[5];
    answer(test, LAB_OK);
    float *expected = test->tensor[0].expected, *got = test->tensor[0].got;
    expected[2] = 1.00001001f;
    got[2] = 1.00004005f;
    struct difference difference = compare_case(test);
    struct text text;
    text_begin(&text);
    show_difference(text.file, test, &difference);
    char *shown = text_end(&text);
    cr_expect_not_null(strstr(shown, " 1.00001001 "), "%s", shown);
    cr_expect_not_null(strstr(shown, " 1.00004005*"), "%s", shown);
    free(shown);
    cases_free(&list);
}
