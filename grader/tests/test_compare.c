// test_compare.c - comparing results and showing them: the judge without a worker.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/poison.h"
#include "cases/show.h"
#include "judge/wire.h"
#include "tests/add_up.h"

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

// ---- to the worker and back ----------------------------------------------------------------

Test(wire, an_unanswered_request_reads_as_not_reached)
{
    struct wire_part part = {0, draw_expected(&add_up_part, &add_up_entry, 1)};
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 1);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 1);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 1);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 1);
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
    struct case_list list = draw_expected(&negate_part, &negate_entry, 1);
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
    struct case_list list = draw_expected(&negate_part, &negate_entry, 1);
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
    struct case_list list = draw_expected(&negate_part, &negate_entry, 1);
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
    struct case_list list = draw_expected(&part, &add_up_entry, 1);
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
    struct case_list list = draw_expected(&add_up_part, &add_up_entry, 1);
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
