// test_together.c - exercises that are judged in one worker get the verdicts and reports that
// each gets in a worker of its own. grader/tools/transplant.sh makes the trees from snippets of
// submissions/wrong; without any, they are the solutions. Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/backend.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "sandbox/allowance.h"
#include "sandbox/available.h"
#include "tests/tree.h"

static void need_box(void)
{
    char reason[512];
    if (!box_available(".", reason, sizeof reason)) {
        cr_skip_test("no box: %s", reason);
    }
}

static struct grading judge(int lab, bool untrusted)
{
    const struct options options = {
        .source = tree, .root = ".", .seed = 1, .lab = lab, .untrusted = untrusted};
    return grade_run(&options);
}

static const struct result *find(const struct grading *grading, const char *id)
{
    const struct result *result = grade_find(grading, id);
    cr_assert_not_null(result, "%s", id);
    return result;
}

static size_t count_together(const struct grading *grading)
{
    size_t count = 0;
    for (size_t i = 0; i < grading->count; i++) {
        count += grading->results[i].together;
    }
    return count;
}

TestSuite(together, .fini = remove_tree);

Test(together, a_student_s_own_check_is_not)
{
    make_tree("1.3-attention_scores.c@no-scale");
    struct grading grading = judge(1, false);
    cr_expect_eq(count_together(&grading), 0);
    cr_expect_eq(find(&grading, "1.1")->verdict, PASS);
    grade_free(&grading);
}

Test(together, what_passes_together_passes)
{
    need_box();
    make_tree("");
    struct grading grading = judge(1, true);
    for (size_t i = 0; i < grading.count; i++) {
        cr_expect_eq(grading.results[i].verdict, PASS, "%s", grading.results[i].headline);
    }
    cr_expect_geq(count_together(&grading), 5);
    grade_free(&grading);
}

// The report does not depend on the calls of other exercises.
Test(together, what_fails_is_judged_and_reported_as_if_alone)
{
    need_box();
    make_tree("1.3-attention_scores.c@no-scale 1.2-linear.c@no-bias");
    struct grading boxed = judge(1, true), plain = judge(1, false);
    cr_assert_eq(boxed.count, plain.count);
    for (size_t i = 0; i < plain.count; i++) {
        const struct result *here = &boxed.results[i], *there = &plain.results[i];
        cr_expect_eq(here->verdict, there->verdict, "%s", here->headline);
        cr_expect_str_eq(here->headline, there->headline);
        cr_expect_eq(here->together && there->verdict != PASS, false);
    }
    cr_expect_str_eq(find(&boxed, "1.3")->diagnosis, "no-scale");
    cr_expect_str_eq(find(&boxed, "1.3")->details, find(&plain, "1.3")->details);
    cr_expect_geq(count_together(&boxed), 3);
    grade_free(&boxed);
    grade_free(&plain);
}

Test(together, one_that_ends_the_program_costs_no_other)
{
    need_box();
    make_tree("");
    edit_tree(
        "01_simple_attention/attention.c",
        "/^lab_status linear(/,/^{/ s/^{/{ if (T == 1) { *(volatile int *)8 = 1; }/");
    struct grading grading = judge(1, true);
    cr_expect_eq(find(&grading, "1.2")->verdict, CRASH);
    for (size_t i = 0; i < grading.count; i++) {
        if (strcmp(grading.results[i].exercise->id, "1.2") != 0) {
            cr_expect_eq(grading.results[i].verdict, PASS, "%s: %s",
                         grading.results[i].exercise->id, grading.results[i].headline);
        }
    }
    cr_expect_geq(count_together(&grading), 3);
    grade_free(&grading);
}

// What it prints belongs to its own report.
static void expect_own_report(const char *printed)
{
    char script[512];
    snprintf(script, sizeof script,
             "s/^#include <math.h>/&\\n#include <stdio.h>/; "
             "/^lab_status linear(/,/^{/ s/^{/{ puts(\"%s\");/",
             printed);
    make_tree("");
    edit_tree("01_simple_attention/attention.c", script);
    struct grading grading = judge(1, true);
    const struct result *linear = find(&grading, "1.2"), *matmul = find(&grading, "1.1");
    cr_expect_eq(linear->verdict, PASS, "%s", linear->headline);
    cr_expect_eq(linear->printed_size, strlen(printed) + 1);
    cr_expect_eq(matmul->verdict, PASS, "%s", matmul->headline);
    cr_expect_eq(matmul->printed_size, 0);
    cr_expect_not(linear->together);
    grade_free(&grading);
}

Test(together, one_that_prints_is_not)
{
    need_box();
    expect_own_report("seven of nine");
}

// The worker prints the number of each call.
Test(together, nor_is_one_that_prints_a_number)
{
    need_box();
    expect_own_report("79");
}

// In one worker, the second exercise would find what the first has left.
Test(together, functions_that_share_a_variable_are_not)
{
    need_box();
    make_tree("");
    edit_tree(
        "01_simple_attention/attention.c",
        "s/^#include <math.h>/&\\nstatic int called;/; "
        "/^lab_status matmul(/,/^{/ s/^{/{ called++;/; "
        "/^lab_status linear(/,/^{/ s/^{/{ if (called == 0) { return LAB_ESHAPE; }/");
    struct grading grading = judge(1, true);
    cr_expect_eq(find(&grading, "1.1")->verdict, PASS);
    cr_expect_eq(find(&grading, "1.2")->verdict, WRONG);
    cr_expect_eq(count_together(&grading), 0);
    grade_free(&grading);
}

// One of these in a file, and its exercises are judged one by one: matmul leaves something, without which
// linear refuses to work.
Test(together, functions_that_share_anything_else_are_not)
{
    need_box();
    static const struct {
        const char *head, *leaves, *lacks; // in sed's s, so without / and &
    } ways[] = {
        {"#include <errno.h>", "errno = 7;", "errno != 7"},
        {"#include <stdlib.h>", "setenv(\"left\", \"1\", 1);", "!getenv(\"left\")"},
        {"#include <fenv.h>", "fesetround(FE_UPWARD);", "fegetround() != FE_UPWARD"},
        {"#include <xmmintrin.h>", "_mm_setcsr(_mm_getcsr() | 0x8000);",
         "_mm_getcsr() < 0x8000"},
        {"#include <signal.h>", "signal(SIGUSR1, SIG_IGN);",
         "signal(SIGUSR1, SIG_IGN) != SIG_IGN"},
        {"__asm__(\".data\\\\nleft: .long 0\\\\n.text\"); extern int left "
         "__attribute__((visibility(\"hidden\")));",
         "left = 1;", "left == 0"},
        {"__asm__(\".data\\\\n.Lleft: .long 0\\\\n.text\");",
         "__asm__ volatile(\"movl $1, .Lleft(%rip)\");",
         "({ int n; __asm__ volatile(\"movl .Lleft(%%rip), %0\" : \"=r\"(n)); n == 0; })"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "s/^#include <math.h>/&\\n%s/; /^lab_status matmul(/,/^{/ s/^{/{ %s/; "
                 "/^lab_status linear(/,/^{/ s/^{/{ if (%s) { return LAB_ESHAPE; }/",
                 ways[i].head, ways[i].leaves, ways[i].lacks);
        make_tree("");
        edit_tree("01_simple_attention/attention.c", script);
        struct grading grading = judge(1, true);
        const struct result *matmul = find(&grading, "1.1"),
                            *linear = find(&grading, "1.2");
        cr_expect_eq(matmul->verdict, PASS, "%s: %s", ways[i].leaves, matmul->headline);
        cr_expect_eq(linear->verdict, WRONG, "%s: %s", ways[i].leaves, linear->headline);
        grade_free(&grading);
        remove_tree();
    }
}

// Lab 3 calls lab 2.
Test(together, nor_are_those_above_a_lab_with_a_variable)
{
    need_box();
    make_tree("");
    struct grading grading = judge(3, true);
    cr_expect_gt(count_together(&grading), 0);
    grade_free(&grading);
    edit_tree("02_batching/batching.c", "s/^#include \"02.*/&\\nstatic int called;/; "
                                        "/^lab_status matmul(/,/^{/ s/^{/{ called++;/");
    grading = judge(3, true);
    cr_expect_eq(count_together(&grading), 0);
    grade_free(&grading);
}

// Nothing in the workbook's own files is taken for more than it is.
Test(together, most_exercises_of_the_solutions_are)
{
    need_box();
    static const size_t least[] = {5, 3, 4, 4, 4, 6, 3, 4, 3, 1, 3}; // labs 1 to 11
    make_tree("");
    for (int lab = 1; lab <= 11; lab++) {
        struct grading grading = judge(lab, true);
        cr_expect_geq(count_together(&grading), least[lab - 1], "lab %d: %zu", lab,
                      count_together(&grading));
        grade_free(&grading);
    }
}

// The status of a callee that fails matters there, too.
Test(together, an_ignored_status_is_found)
{
    need_box();
    make_tree("");
    edit_tree("02_batching/batching.c", "s/LAB_TRY(\\(matmul_nt(y, .*)\\));/(void)\\1;/");
    struct grading grading = judge(2, true);
    const struct result *linear = find(&grading, "2.3");
    cr_expect_eq(linear->verdict, WRONG, "%s", linear->headline);
    cr_expect_str_eq(linear->headline, "the status of matmul_nt is ignored");
    cr_expect(find(&grading, "2.4")->together);
    grade_free(&grading);
}

// The time that all may take together is short, and then each has its own.
Test(together, one_that_never_returns_costs_no_other)
{
    need_box();
    make_tree("");
    edit_tree("01_simple_attention/attention.c",
              "/^lab_status linear(/,/^{/ s/^{/{ for (volatile int i = 0;; i = 0) { }/");
    struct grading grading = judge(1, true);
    cr_expect_eq(find(&grading, "1.2")->verdict, TIMEOUT);
    cr_expect_eq(find(&grading, "1.1")->verdict, PASS);
    cr_expect_eq(find(&grading, "1.3")->verdict, PASS);
    grade_free(&grading);
}

// Exercises that use it wait for its verdict, and then they are not run with it.
Test(together, one_that_never_returns_uses_its_time_once)
{
    need_box();
    make_tree("");
    edit_tree("01_simple_attention/attention.c",
              "/^lab_status matmul(/,/^{/ s/^{/{ for (volatile int i = 0;; i = 0) { }/");
    struct allowance *allowance = allowance_new();
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .lab = 1,
                                    .jobs = 2,
                                    .seconds = 3,
                                    .untrusted = true,
                                    .allowance = allowance};
    struct grading grading = grade_run(&options);
    cr_expect_eq(find(&grading, "1.1")->verdict, TIMEOUT);
    cr_expect_eq(find(&grading, "1.5")->verdict, PASS);
    cr_expect_lt(allowance_used(allowance), 5.5);
    grade_free(&grading);
    allowance_free(allowance);
}
