// test_cases.c - cases, repeated calls, and results that are kept for other judges.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/kept.h"
#include "cases/list.h"
#include "cases/pretend.h"
#include "cases/repeats.h"
#include "tests/add_up.h"

// ---- cases --------------------------------------------------------------------------------

Test(cases, the_same_seed_gives_the_same_cases_another_seed_others)
{
    struct case_list one = draw_expected(&add_up_part, &add_up_entry, 7);
    struct case_list same = draw_expected(&add_up_part, &add_up_entry, 7);
    struct case_list other = draw_expected(&add_up_part, &add_up_entry, 8);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 3);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 3);
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
    struct case_list list = draw_expected(&part, &add_up_entry, 3);
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
    struct case_list list = draw_expected(&part, &add_up_entry, 3);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 3);
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
    struct case_list list = draw_expected(&add_to_part, &add_to_entry, 1);
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
    struct case_list list = draw_expected(&part, &add_up_entry, 1);
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
        struct case_list list = draw_expected(&part, &add_up_entry, seed);
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
    struct case_list one = draw_expected(&add_up_part, &add_up_entry, 7);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 7);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 7);
    list.kept = grader_print("%s/x.", folder);
    list.cases[1].contents = KEPT;
    kept_write(&list, 1);
    cr_expect_not(kept_read(&list, 1));
    remove_folder(folder);
    cases_free(&list);
}
