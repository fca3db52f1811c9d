// test_allowance.c - a hand-in whose functions are all slow costs only a few times its limits,
// and the report says which exercises were not judged. Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grade/grade.h"
#include "grade/grading.h"
#include "grade/hidden.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/worker.h"
#include "sandbox/allowance.h"

// ---- counting -----------------------------------------------------------------------------

Test(allowance, a_program_begins_while_something_is_left)
{
    struct allowance *allowance = allowance_new();
    cr_expect_not(allowance_begin(allowance, 1));
    allowance_set(allowance, 10);
    cr_expect(allowance_begin(allowance, 5));
    cr_expect(allowance_begin(allowance, 5));
    cr_expect_not(allowance_begin(allowance, 5), "all of it is promised");
    allowance_end(allowance, 5, 1);
    cr_expect(allowance_begin(allowance, 5), "what was not used is back");
    allowance_end(allowance, 5, 5);
    allowance_end(allowance, 5, 5);
    cr_expect_eq(allowance_used(allowance), 11);
    cr_expect_not(allowance_begin(allowance, 1));
    allowance_free(allowance);
}

Test(allowance, more_than_half_is_low)
{
    struct allowance *allowance = allowance_new();
    allowance_set(allowance, 10);
    allowance_charge(allowance, 5);
    cr_expect_not(allowance_is_low(allowance));
    cr_expect_not(allowance_is_used_up(allowance));
    allowance_charge(allowance, 1);
    cr_expect(allowance_is_low(allowance));
    allowance_charge(allowance, 4);
    cr_expect(allowance_is_used_up(allowance));
    allowance_free(allowance);
}

Test(allowance, none_has_no_end)
{
    cr_expect(allowance_begin(NULL, 1e9));
    allowance_end(NULL, 1e9, 1e9);
    cr_expect_not(allowance_is_low(NULL));
    cr_expect_not(allowance_is_used_up(NULL));
}

// ---- hand-ins -----------------------------------------------------------------------------

static char tree[64];

static void run(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

static void remove_tree(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    run(command);
}

// Lab 1 with functions that all compute for BUSY seconds at the start of the program and fail
// from the fifth call on. The judge runs a function again after such a failure.
static void make_tree(const char *busy)
{
    strcpy(tree, "build/tmp/allowance.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(tree));
    char command[1024];
    snprintf(command, sizeof command,
             "mkdir %s/01_simple_attention && { "
             "echo '#include <time.h>'; "
             "echo 'static int late(void) { static int calls; "
             "while (clock() < (clock_t)(%s * CLOCKS_PER_SEC)) { } "
             "return ++calls > 5; }'; "
             "sed 's/^    .. BEGIN SOLUTION 1.*/if (late()) return LAB_ENOMEM;/' "
             "solutions/01_simple_attention/attention.c; } "
             ">%s/01_simple_attention/attention.c",
             tree, busy, tree);
    run(command);
}

static double seconds_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

enum { EXERCISES = 6 }; // of lab 1
static const double LIMIT = 0.5, BEFORE = 6, COMPILER = 2;

TestSuite(hand_in, .fini = remove_tree);

// A third of the allowed time is left. Without a limit it would take another 10 seconds.
Test(hand_in, of_slow_functions_takes_no_more_than_is_left)
{
    make_tree("0.4");
    struct allowance *allowance = allowance_new();
    allowance_charge(allowance, BEFORE);
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .lab = 1,
                                    .jobs = 1,
                                    .seconds = LIMIT,
                                    .allowance = allowance};
    double start = seconds_of_children();
    struct grading grading = grade_run(&options);
    double took = seconds_of_children() - start;
    cr_expect_eq(grading.results[0].verdict, WRONG, "%s", grading.results[0].headline);
    cr_expect_gt(took, LIMIT);
    const double left = MOST_TIMES_ITS_LIMIT * EXERCISES * LIMIT - BEFORE;
    cr_expect_lt(took, left + LIMIT + COMPILER, "it took %g seconds", took);
    grade_free(&grading);
    allowance_free(allowance);
}

static size_t count_unjudged(const struct grading *grading)
{
    size_t count = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->unjudged) {
            cr_expect_str_eq(result->headline,
                             "not judged: this hand-in used up its time");
            cr_expect_eq(result->verdict, TIMEOUT);
            cr_expect_eq(result_score(result), 0);
            cr_expect_null(result->note, "%s", result->note);
            cr_expect(strstr(result->details, "3 times the seconds") != NULL, "%s",
                      result->details);
            count++;
        }
    }
    return count;
}

Test(hand_in, what_is_not_judged_any_more_says_so)
{
    make_tree("0.4");
    struct allowance *allowance = allowance_new();
    allowance_charge(allowance, MOST_TIMES_ITS_LIMIT * EXERCISES * LIMIT - 1);
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .lab = 1,
                                    .jobs = 1,
                                    .seconds = LIMIT,
                                    .strangers = true,
                                    .allowance = allowance};
    struct grading grading = grade_run(&options);
    cr_expect_eq(grading.count, EXERCISES);
    size_t unjudged = count_unjudged(&grading);
    cr_expect(0 < unjudged && unjudged < EXERCISES, "%zu", unjudged);
    grade_free(&grading);
    allowance_free(allowance);
}

// The shown cases pass, and no time is left for the hidden ones.
Test(hand_in, hidden_cases_are_paid_for_by_the_same_allowance)
{
    strcpy(tree, "build/tmp/nothing");
    struct allowance *allowance = allowance_new();
    const struct options options = {.source = "solutions",
                                    .root = ".",
                                    .seed = 1,
                                    .exercise = "1.3",
                                    .allowance = allowance};
    struct grading grading = grade_run(&options);
    const struct result *result = grade_find(&grading, "1.3");
    cr_assert_eq(result->verdict, PASS);
    allowance_charge(allowance, 3600);
    grade_hidden(&grading, 7);
    cr_expect_eq(result->verdict, TIMEOUT);
    cr_expect_eq(result_score(result), 0);
    cr_expect_str_eq(result->headline,
                     "not judged on hidden cases: this hand-in used up its time");
    grade_free(&grading);
    allowance_free(allowance);
}

Test(hand_in, that_is_right_uses_a_small_part)
{
    strcpy(tree, "build/tmp/nothing");
    struct allowance *allowance = allowance_new();
    const struct options options = {
        .source = "solutions", .root = ".", .seed = 1, .lab = 1, .allowance = allowance};
    struct grading grading = grade_run(&options);
    cr_expect_eq(grade_find(&grading, "1.6")->verdict, PASS);
    const double most = MOST_TIMES_ITS_LIMIT * EXERCISES * 5;
    cr_expect_gt(allowance_used(allowance), 0);
    cr_expect_lt(allowance_used(allowance), most / 10);
    grade_free(&grading);
    allowance_free(allowance);
}

// A program begins only if the limits of those that run leave time, so right code that is judged on many
// processors at once must find enough for all of it.
Test(hand_in, that_is_profiled_may_run_all_its_exercises_at_once)
{
    strcpy(tree, "build/tmp/nothing");
    struct allowance *allowance = allowance_new();
    struct rule rule = {.seconds = 20};
    struct result results[EXERCISES];
    struct grading grading = {.results = results, .count = EXERCISES};
    grading.options = (struct options){.profile = true, .allowance = allowance};
    for (size_t i = 0; i < EXERCISES; i++) {
        results[i] = (struct result){
            .chosen = true, .asked = true, .backend = GPU_SIMULATED, .rule = &rule};
    }
    grade_allow(&grading);
    for (size_t i = 0; i < EXERCISES; i++) {
        const double limit = seconds_of_run(&grading.options, &results[i]);
        cr_expect_gt(limit, rule.seconds);
        cr_expect(allowance_begin(allowance, limit), "exercise %zu of %d", i + 1,
                  EXERCISES);
    }
    allowance_free(allowance);
}
