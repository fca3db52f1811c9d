// test_diagnose.c - the grader names every known mistake of every exercise, and no other one.
// Each mistake is made in all calls, and then only in some calls, as in a function with several
// loops or branches.

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "cases/case.h"
#include "cases/compare.h"
#include "cases/diagnose.h"
#include "cases/list.h"
#include "cases/pretend.h"
#include "cases/tables.h"

enum { MANY_MINUTES = 600 };

static struct criterion_test_params every_lab(void)
{
    static int labs[64];
    size_t count = 0;
    for (; lab_places[count].folder != NULL; count++) {
        labs[count] = (int)count;
    }
    return cr_make_param_array(int, labs, count, NULL);
}

// Calls check on every mistake of a lab, with the mistake's outputs in the cases of its part.
static void for_each_mistake(const struct lab_place *place,
                             void (*check)(struct case_list *cases,
                                           const struct entry *entry,
                                           const struct mistake *mistake, void *context),
                             void *context)
{
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        for (const struct part *part = (*each)->parts; part->function != NULL; part++) {
            const struct entry *entry = part_entry(place, part);
            struct case_list drawn = cases_draw(part, 1, false), asked = drawn;
            asked.count = cases_put_memory_last(&drawn);
            cases_expect(&asked, entry);
            const struct mistake *mistake = part->mistakes;
            for (; mistake != NULL && mistake->id != NULL; mistake++) {
                cases_pretend(&asked, entry, mistake->function);
                check(&asked, entry, mistake, context);
            }
            cases_free(&drawn);
        }
    }
}

// ---- everywhere ---------------------------------------------------------------------------

static const char *id_of(const struct mistake *mistake)
{
    return mistake != NULL ? mistake->id : "none";
}

static void expect_named(struct case_list *cases, const struct entry *entry,
                         const struct mistake *mistake)
{
    const struct mistake *named = diagnose(cases, entry);
    cr_expect_eq(named, mistake, "%s: %s is named as %s", entry->name, mistake->id,
                 id_of(named));
}

// ---- the call that is shown ---------------------------------------------------------------

static bool fails(const struct test_case *test)
{
    return !test->again && test->progress == RETURNED &&
           compare_case(test).fault != NO_FAULT;
}

static void expect_readable(struct case_list *cases, const struct entry *entry,
                            const struct mistake *mistake)
{
    const struct test_case *shown = telling_case(cases, entry, mistake);
    cr_expect(shown != NULL && fails(shown), "%s: %s", entry->name, mistake->id);
    for (size_t c = 0; shown != NULL && c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        cr_expect(easily_read(shown) || !fails(test) || !easily_read(test),
                  "%s: %s is shown in a large call, but a small one fails, too",
                  entry->name, mistake->id);
    }
}

// ---- in some calls only -------------------------------------------------------------------

static void make_right(struct test_case *test)
{
    test->got_status = (int)test->expected_status;
    test->progress = RETURNED;
    for (size_t i = 0; i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        size_t bytes = tensor->count * tensor->element_size;
        if (tensor_is_judged(tensor) && test->expected_status == LAB_OK) {
            memcpy(tensor->got, tensor->expected, bytes);
        } else if (tensor_is_judged(tensor)) {
            case_fill(test, tensor, tensor->got);
        }
    }
}

// Makes the mistake in every second one of the failing calls.
static size_t make_half_right(struct case_list *cases)
{
    size_t failing = 0;
    for (size_t c = 0; c < cases->count; c++) {
        struct test_case *test = &cases->cases[c];
        if (compare_case(test).fault != NO_FAULT && ++failing % 2 == 0) {
            make_right(test);
        }
    }
    return failing;
}

struct count {
    size_t tried, named;
};

// Another mistake may be named if it fails in the same calls with the same numbers.
static void expect_no_other(struct case_list *cases, const struct entry *entry,
                            const struct mistake *mistake, struct count *count)
{
    if (make_half_right(cases) < 4) {
        return;
    }
    const struct mistake *named = diagnose(cases, entry);
    bool like_another = named != NULL && named != mistake;
    for (size_t c = 0; like_another && c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        void *output[MAX_TENSORS];
        lab_status status = case_call(test, entry->call, named->function, output);
        like_another =
            status == LEAVES_ARGUMENTS || same_as_got(test, status, output, false);
        case_free_outputs(output);
    }
    cr_expect(named == NULL || named == mistake || like_another, "%s: %s is named as %s",
              entry->name, mistake->id, id_of(named));
    count->tried++;
    count->named += named == mistake;
}

// ---- all of it -----------------------------------------------------------------------------

// In one test, because making the calls takes longer than each of the checks. The last one changes them.
static void expect_all(struct case_list *cases, const struct entry *entry,
                       const struct mistake *mistake, void *context)
{
    expect_named(cases, entry, mistake);
    expect_readable(cases, entry, mistake);
    expect_no_other(cases, entry, mistake, context);
}

ParameterizedTestParameters(diagnose,
                            every_mistake_is_named_even_in_some_calls_and_no_other)
{
    return every_lab();
}

ParameterizedTest(int *lab, diagnose,
                  every_mistake_is_named_even_in_some_calls_and_no_other,
                  .timeout = MANY_MINUTES)
{
    struct count count = {0, 0};
    for_each_mistake(&lab_places[*lab], expect_all, &count);
    cr_expect_gt(count.tried, 0);
    cr_expect_gt(10 * count.named, 8 * count.tried, "%zu of %zu are named", count.named,
                 count.tried);
}

// ---- in one of two outputs -----------------------------------------------------------------

static lab_status sums(float *rows, float *columns, const float *x, size_t R, size_t C)
{
    memset(rows, 0, R * sizeof *rows);
    memset(columns, 0, C * sizeof *columns);
    for (size_t i = 0; i < R * C; i++) {
        rows[i / C] += x[i];
        columns[i % C] += x[i];
    }
    return LAB_OK;
}

static lab_status means(float *rows, float *columns, const float *x, size_t R, size_t C)
{
    lab_status status = sums(rows, columns, x, R, C);
    for (size_t r = 0; r < R; r++) {
        rows[r] /= (float)C;
    }
    for (size_t c = 0; c < C; c++) {
        columns[c] /= (float)R;
    }
    return status;
}

static lab_status means_of_rows(float *rows, float *columns, const float *x, size_t R,
                                size_t C)
{
    lab_status status = sums(rows, columns, x, R, C);
    for (size_t r = 0; r < R; r++) {
        rows[r] /= (float)C;
    }
    return status;
}

static lab_status zeros(float *rows, float *columns, const float *x, size_t R, size_t C)
{
    (void)x;
    memset(rows, 0, R * sizeof *rows);
    memset(columns, 0, C * sizeof *columns);
    return LAB_OK;
}

static lab_status half_of_rows(float *rows, float *columns, const float *x, size_t R,
                               size_t C)
{
    lab_status status = sums(rows, columns, x, R, C);
    for (size_t r = 0; r < R; r++) {
        rows[r] /= 2.0f;
    }
    return status;
}

ADAPTOR(sums, t[0], t[1], t[2], n[0], n[1])
static const struct entry sums_entry = ENTRY(sums);
static const struct case_spec sums_cases[] = {
    {.dims = "R=3 C=2"}, {.dims = "R=4 C=5"}, {.dims = "R=2 C=7"}, {.dims = NULL}};
static const struct mistake sums_mistakes[] = {
    {.id = "means", .function = LIKE(sums, means)},
    {.id = "zeros", .function = LIKE(sums, zeros)},
    {.id = NULL},
};
static const struct part sums_part = {
    .function = "sums",
    .dims = "R C",
    .tensors = {{"rows", "R", OUTPUT, F32, 1e-5f, 1e-5f},
                {"columns", "C", OUTPUT, F32, 1e-5f, 1e-5f},
                {.name = "x", .shape = "R C"}},
    .cases = sums_cases,
    .mistakes = sums_mistakes,
};

static const char *diagnose_sums(any_function f)
{
    struct case_list drawn = cases_draw(&sums_part, 1, false);
    cases_expect(&drawn, &sums_entry);
    cases_pretend(&drawn, &sums_entry, f);
    const char *id = id_of(diagnose(&drawn, &sums_entry));
    cases_free(&drawn);
    return id;
}

Test(diagnose, a_mistake_in_one_of_two_outputs_is_named)
{
    cr_expect_str_eq(diagnose_sums((any_function)means), "means");
    cr_expect_str_eq(diagnose_sums((any_function)means_of_rows), "means");
    cr_expect_str_eq(diagnose_sums((any_function)half_of_rows), "none");
}

// ---- a case that only limits memory -----------------------------------------------------------

enum { MANY_ROWS = 40 };

static size_t large_calls; // of the known mistake

static lab_status counted_means(float *rows, float *columns, const float *x, size_t R,
                                size_t C)
{
    large_calls += R == MANY_ROWS;
    return means(rows, columns, x, R, C);
}

static lab_status means_in_the_large_call(float *rows, float *columns, const float *x,
                                          size_t R, size_t C)
{
    return (R == MANY_ROWS ? means : sums)(rows, columns, x, R, C);
}

static lab_status means_in_small_calls(float *rows, float *columns, const float *x,
                                       size_t R, size_t C)
{
    return (R == MANY_ROWS ? zeros : means)(rows, columns, x, R, C);
}

static const struct case_spec memory_cases[] = {{.dims = "R=3 C=2"},
                                                {.dims = "R=4 C=5"},
                                                {.dims = "R=40 C=7", .memory_only = true},
                                                {.dims = NULL}};
static const struct mistake memory_mistakes[] = {
    {.id = "means", .function = LIKE(sums, counted_means)},
    {.id = "zeros", .function = LIKE(sums, zeros)},
    {.id = NULL},
};

static struct case_list made_with_limit(any_function f)
{
    static struct part part;
    part = sums_part;
    part.cases = memory_cases;
    part.mistakes = memory_mistakes;
    struct case_list drawn = cases_draw(&part, 1, false);
    cases_expect(&drawn, &sums_entry);
    cases_pretend(&drawn, &sums_entry, f);
    large_calls = 0;
    return drawn;
}

Test(diagnose, a_case_that_only_limits_memory_names_no_mistake)
{
    struct case_list cases = made_with_limit((any_function)means_in_the_large_call);
    const struct test_case *large = &cases.cases[2];
    cr_assert(large->memory_only);
    cr_assert_neq(compare_case(large).fault, NO_FAULT);
    cr_expect_null(diagnose(&cases, &sums_entry));
    cr_expect_null(resemblance(&sums_entry, large));
    cr_expect_eq(large_calls, 0);
    cases_free(&cases);
}

Test(diagnose, a_mistake_is_named_and_shown_without_the_case_that_only_limits_memory)
{
    struct case_list cases = made_with_limit((any_function)means_in_small_calls);
    cr_assert_neq(compare_case(&cases.cases[2]).fault, NO_FAULT);
    cr_expect_eq(diagnose(&cases, &sums_entry), &memory_mistakes[0]);
    const struct test_case *shown =
        telling_case(&cases, &sums_entry, &memory_mistakes[0]);
    cr_expect(shown != NULL && !shown->memory_only);
    cr_expect_eq(large_calls, 0);
    cases_free(&cases);
}
