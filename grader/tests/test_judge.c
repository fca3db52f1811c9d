// test_judge.c - the parts of the judge, one by one.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/pretend.h"
#include "cases/show.h"
#include "judge/wire.h"
#include "report/text.h"
#include "sandbox/process.h"

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

Test(repeats, a_large_call_is_repeated_once_and_a_very_large_one_never)
{
    struct case_list list = pretend((any_function)add_up);
    struct test_case test = list.cases[0];
    test.tensor[1].count = 1 << 17;
    const uint32_t one = case_repeats(&test);
    cr_expect(one != 0 && (one & (one - 1)) == 0, "%u", one);
    test.tensor[1].count = 1 << 21;
    cr_expect_eq(case_repeats(&test), 0);
    cases_free(&list);
}

Test(repeats, scores_that_no_tensor_holds_count_too)
{
    const struct part flash = {.dims = "B T S"};
    struct test_case test = {.part = &flash, .dims = 3, .dim = {1, 10, 10}};
    cr_expect_eq(case_repeats(&test), 1u << KEPT | 1u << ZEROS | 1u << NUMBERS);
    test.dim[2] = 10000;
    const uint32_t one = case_repeats(&test);
    cr_expect(one != 0 && (one & (one - 1)) == 0, "%u", one);
    test.dim[0] = 20;
    cr_expect_eq(case_repeats(&test), 0);
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

// ---- processes ----------------------------------------------------------------------------

static struct outcome run_shell(const char *script, struct limits limits)
{
    char *arguments[] = {"sh", "-c", (char *)script, NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct program program = {
        .arguments = arguments, .environment = environment, .limits = &limits};
    return process_run(&program);
}

static const struct limits usual = {
    .seconds = 10, .megabytes = 256, .output_bytes = 100000};

Test(process, tells_exit_status_and_output)
{
    struct outcome outcome = run_shell("echo out; echo err >&2; exit 7", usual);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.code, 7);
    cr_expect_str_eq(outcome.output, "out\nerr\n");
    free(outcome.output);
}

// Where the filter against processes is off, a few processes are allowed, because the
// sanitizers start one.
Test(process, many_processes_are_ended_as_the_filter_would)
{
    const struct limits few = {
        .seconds = 60, .megabytes = 1024, .output_bytes = 100, .processes = 8};
    struct outcome outcome = run_shell("sleep 0 & sleep 0 & wait", few);
    cr_expect_eq(outcome.ending, EXITED);
    free(outcome.output);
    outcome = run_shell("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; wait", few);
    cr_expect_eq(outcome.ending, SIGNALED);
    cr_expect_eq(outcome.code, SIGSYS);
    free(outcome.output);
}

Test(process, tells_a_signal)
{
    struct outcome outcome = run_shell("kill -SEGV $$", usual);
    cr_expect_eq(outcome.ending, SIGNALED);
    cr_expect_eq(outcome.code, SIGSEGV);
    free(outcome.output);
}

Test(process, ends_what_takes_too_long, .timeout = 30)
{
    struct outcome outcome = run_shell("trap '' TERM; while :; do :; done",
                                       (struct limits){0.2, 256, 100, 0, 0});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_eq(outcome.code, COMPUTES);
    free(outcome.output);
}

Test(process, ends_what_sleeps_too_long, .timeout = 60)
{
    struct outcome outcome =
        run_shell("sleep 1000", (struct limits){0.2, 256, 100, 0, 0});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_eq(outcome.code, SLEEPS);
    free(outcome.output);
}

Test(process, ends_at_last_what_uses_no_time, .timeout = 60)
{
    struct outcome outcome =
        run_shell("sleep 1000", (struct limits){1000, 256, 100, 0, 0.2, 0});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_eq(outcome.code, STARVES);
    free(outcome.output);
}

// Everything that the test starts from here on shares one processor.
static void stay_on_one_processor(void)
{
    cpu_set_t all, one;
    int processor = 0;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(processor, &all)) {
        processor++;
    }
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

static double processor_seconds_of_children(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

enum { OTHERS = 12 };

static void start_others(pid_t other[OTHERS])
{
    for (int i = 0; i < OTHERS; i++) {
        other[i] = fork();
        cr_assert_geq(other[i], 0);
        for (volatile unsigned spinning = 0; other[i] == 0; spinning++) {
            if (getppid() == 1) {
                _exit(0); // the test is gone
            }
        }
    }
}

// With twelve other programs on the same processor it takes about thirteen times as much
// elapsed time.
Test(process, does_not_count_time_that_others_had, .timeout = 300)
{
    static const char script[] =
        "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exit 7";
    const struct limits ample = {1000, 256, 100, 0, 0, 0};
    pid_t other[OTHERS];
    stay_on_one_processor();
    free(run_shell(script, ample).output);
    const double needed = processor_seconds_of_children();
    start_others(other);
    struct outcome outcome =
        run_shell(script, (struct limits){4 * needed, 256, 100, 0, 0, 0});
    for (int i = 0; i < OTHERS; i++) {
        kill(other[i], SIGKILL);
        waitpid(other[i], NULL, 0);
    }
    cr_expect_eq(outcome.ending, EXITED, "needs %g s, ended after %g s", needed,
                 outcome.seconds);
    cr_expect_eq(outcome.code, 7);
    free(outcome.output);
}

Test(process, ends_what_stops_itself, .timeout = 30)
{
    struct outcome outcome =
        run_shell("kill -STOP $$", (struct limits){0.2, 256, 100, 0, 0});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    free(outcome.output);
}

Test(process, ends_what_prints_too_much, .timeout = 30)
{
    struct outcome outcome = run_shell("while :; do echo more; done", usual);
    cr_expect_eq(outcome.ending, FLOODED);
    cr_expect_leq(outcome.output_size, 2 * (size_t)KEPT_OUTPUT + strlen(OUTPUT_GAP));
    free(outcome.output);
}

Test(process, does_not_wait_for_what_was_left_behind, .timeout = 30)
{
    struct outcome outcome = run_shell("sleep 1000 & exit 0", usual);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_lt(outcome.seconds, 5);
    free(outcome.output);
}

Test(process, says_when_a_program_is_not_there)
{
    char *arguments[] = {"there-is-no-such-program", NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct program program = {
        .arguments = arguments, .environment = environment, .limits = &usual};
    struct outcome outcome = process_run(&program);
    cr_expect_eq(outcome.ending, NOT_STARTED);
    free(outcome.output);
}

// A program that waits for a line from its descriptor 3, but also keeps the other end of the
// pipe open.
static struct process *start_waiting(const int ends[2], const struct limits *limits)
{
    static char *const arguments[] = {"sh", "-c", "read -r word <&3; exit $word", NULL};
    static char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .descriptors = ends,
                                    .descriptor_count = 2,
                                    .limits = limits};
    return process_start(&program);
}

Test(process, one_that_waits_has_its_seconds_from_then_on, .timeout = 30)
{
    const struct limits little = {0.3, 256, 100, 0, 0};
    const struct timespec longer = {.tv_nsec = 600000000};
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    struct process *process = start_waiting(ends, &little);
    nanosleep(&longer, NULL); // this test is about time
    cr_assert_eq(write(ends[1], "7\n", 2), 2);
    struct outcome outcome = process_finish(process);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.code, 7);
    cr_expect_lt(outcome.seconds, 0.5);
    free(outcome.output);
    close(ends[0]);
    close(ends[1]);
}

Test(process, one_that_waits_can_be_stopped, .timeout = 20)
{
    const struct limits ample = {1000, 256, 100, 0, 0, 0};
    int ends[2];
    char byte;
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    struct process *process = start_waiting(ends, &ample);
    close(ends[1]);
    process_stop(process);
    cr_expect_eq(read(ends[0], &byte, 1), 0, "nobody is left who could write");
    close(ends[0]);
}

// Without a limit a program may print as much as it likes: the first part, the last part and
// the number of lines are kept.
Test(process, keeps_the_first_and_the_last_of_what_is_printed, .timeout = 60)
{
    const struct limits any = {30, 256, 0, 0, 0, 0};
    struct outcome outcome = run_shell("echo first; seq 1 300000; echo last", any);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.output_lines, 300002);
    cr_expect_eq(strncmp(outcome.output, "first\n1\n2\n", 10), 0);
    cr_expect_eq(outcome.output_size, 2 * (size_t)KEPT_OUTPUT + strlen(OUTPUT_GAP));
    cr_expect_str_eq(outcome.output + outcome.output_size - 12, "300000\nlast\n");
    cr_expect_not_null(strstr(outcome.output, OUTPUT_GAP));
    free(outcome.output);
}

Test(process, nothing_is_missing_where_the_first_and_the_last_meet, .timeout = 60)
{
    const struct limits any = {30, 256, 0, 0, 0, 0};
    struct outcome outcome = run_shell("seq 100001 118000", any); // 126,000 bytes
    cr_expect_eq(outcome.output_size, 126000);
    for (size_t i = 0; i < 18000; i++) {
        cr_assert_eq(atoi(outcome.output + 7 * i), 100001 + (int)i);
    }
    free(outcome.output);
}

Test(process, one_that_prints_forever_ends_with_its_time, .timeout = 60)
{
    const struct limits any = {0.5, 256, 0, 0, 0};
    struct outcome outcome = run_shell("yes", any);
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_gt(outcome.output_lines, 100000);
    free(outcome.output);
}

// ---- reports ------------------------------------------------------------------------------

Test(report, cleans_control_characters_and_broken_utf8)
{
    static const char dirty[] =
        "a\x1b[31m\x00 b\xff\xc3\xa9\xed\xa0\x80\tc\n\xc0\xaf\x7f";
    char *clean = report_clean(dirty, sizeof dirty - 1);
#define BAD "\xef\xbf\xbd"
    cr_expect_str_eq(clean, "a" BAD "[31m" BAD " b" BAD "\xc3\xa9" BAD BAD BAD
                            "\tc\n" BAD BAD BAD);
#undef BAD
    free(clean);
}

Test(report, cleans_what_turns_the_order_of_letters_around)
{
    static const uint16_t controls[] = {0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c,
                                        0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
    static const uint16_t letters[] = {0x05d0, 0x061b, 0x061d, 0x200d, 0x2010,
                                       0x2029, 0x202f, 0x2065, 0x206a};
    size_t tried = sizeof controls / sizeof controls[0];
    for (size_t i = 0; i < tried + sizeof letters / sizeof letters[0]; i++) {
        unsigned code = i < tried ? controls[i] : letters[i - tried];
        char raw[8], two = code < 0x800;
        snprintf(raw, sizeof raw, two ? "%c%c" : "%c%c%c",
                 two ? 0xc0 | (int)(code >> 6) : 0xe0 | (int)(code >> 12),
                 0x80 | (int)((two ? code : code >> 6) & 0x3f),
                 0x80 | (int)(code & 0x3f));
        char *clean = report_clean(raw, strlen(raw));
        cr_expect_eq(strcmp(clean, raw) == 0, i >= tried, "U+%04X", code);
        free(clean);
    }
}

Test(report, what_marks_up_is_escaped_for_xml_and_html_alike)
{
    for (int attribute = 0; attribute <= 1; attribute++) {
        struct text text;
        text_begin(&text);
        report_escape(text.file, "a<b>&\"'\n]]>", attribute == 1);
        char *escaped = text_end(&text);
        cr_expect_str_eq(escaped, attribute == 1 ? "a&lt;b&gt;&amp;&quot;&#39;&#10;]]&gt;"
                                                 : "a&lt;b&gt;&amp;&quot;&#39;\n]]&gt;");
        free(escaped);
    }
}

Test(report, replaces_a_file_whole_or_leaves_it_alone)
{
    char folder[] = "/tmp/report.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    char *path = grader_print("%s/results.json", folder);
    char *beyond = grader_print("%s/none/results.json", folder);
    cr_expect(report_write(path, "old", 3));
    cr_expect(report_write(path, "newer", 5));
    FILE *file = fopen(path, "r");
    char content[16] = "";
    cr_expect_eq(fread(content, 1, sizeof content, file), 5);
    fclose(file);
    cr_expect_str_eq(content, "newer");
    cr_expect_not(report_write(beyond, "x", 1));
    cr_expect_not(report_write(folder, "x", 1), "a folder cannot be replaced by a file");
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "no temporary file is left");
    free(path);
    free(beyond);
}

// As with /dev/stdout, the name is a symbolic link, which a rename would replace.
Test(report, writes_through_a_symbolic_link)
{
    char folder[] = "/tmp/report.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    char *target = grader_print("%s/target", folder);
    char *link = grader_print("%s/link", folder);
    cr_expect(report_write(target, "old", 3));
    cr_assert_eq(symlink(target, link), 0);
    cr_expect(report_write(link, "newer", 5));
    struct stat status;
    cr_expect_eq(lstat(link, &status), 0);
    cr_expect(S_ISLNK(status.st_mode), "the link is still a link");
    cr_expect_eq(stat(target, &status), 0);
    cr_expect_eq(status.st_size, 5, "what it leads to is replaced");
    unlink(link);
    unlink(target);
    cr_expect_eq(rmdir(folder), 0, "no temporary file is left");
    free(target);
    free(link);
}

// ---- the points table ---------------------------------------------------------------------

// A table in memory, with a path that disappears with the test.
static char *write_table(const char *content)
{
    int descriptor = memfd_create("points", 0);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
    return grader_print("/proc/self/fd/%d", descriptor);
}

Test(rubric, reads_points_and_limits)
{
    char *path = write_table("# a comment\n\n1.1  15  5  512\n10.12 2.5 0.5 64\n");
    struct rubric *rubric = rubric_read(path);
    cr_expect_eq(rubric_find(rubric, "1.1")->points, 15);
    cr_expect_eq(rubric_find(rubric, "10.12")->points, 2.5);
    cr_expect_eq(rubric_find(rubric, "10.12")->megabytes, 64);
    cr_expect_null(rubric_find(rubric, "1.2"));
    rubric_free(rubric);
    free(path);
}

#define REFUSED(name, content)                                                           \
    Test(rubric, name, .exit_code = EXIT_GRADER)                                         \
    {                                                                                    \
        rubric_read(write_table(content));                                               \
    }
REFUSED(refuses_a_word_for_a_number, "1.1 many 5 512\n")
REFUSED(refuses_a_missing_column, "1.1 15 5\n")
REFUSED(refuses_a_column_too_many, "1.1 15 5 512 3\n")
REFUSED(refuses_negative_points, "1.1 -15 5 512\n")
REFUSED(refuses_nan, "1.1 nan 5 512\n")
REFUSED(refuses_no_time, "1.1 15 0 512\n")
REFUSED(refuses_an_exercise_twice, "1.1 15 5 512\n1.1 15 5 512\n")

Test(rubric, needs_a_line_for_an_exercise, .exit_code = EXIT_GRADER)
{
    static struct rubric *rubric; // static, so that it is no leak
    rubric = rubric_read(write_table("1.1 15 5 512\n"));
    rubric_need(rubric, "1.3");
}

Test(rubric, refuses_a_table_that_is_not_there, .exit_code = EXIT_GRADER)
{
    rubric_read("/tmp/there-is-no-such-table.txt");
}
