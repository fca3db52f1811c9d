// test_reuse.c - an exercise that is only used by others and has passed before is not judged
// again; every other exercise is (grader/grade/reuse.c). Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build/backend.h"
#include "build/known.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/draw.h"
#include "judge/options.h"
#include "judge/result.h"
#include "sandbox/wall.h"

static char tree[64];

static void run(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

static void make_tree(void)
{
    char command[256];
    if (wall_version() == 0) {
        cr_skip_test("no Landlock: nothing is kept");
    }
    strcpy(tree, "build/tmp/reuse.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(tree));
    snprintf(command, sizeof command, "cp -R solutions/0[1-3]* '%s'", tree);
    run(command);
}

static void remove_tree(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", tree);
    run(command);
}

static void transplant(const char *sample)
{
    char command[256];
    snprintf(command, sizeof command,
             "grader/tools/transplant.sh grader/tests/submissions/wrong/%s '%s'", sample,
             tree);
    run(command);
}

TestSuite(reuse, .init = make_tree, .fini = remove_tree);

static struct grading judge(int lab, uint64_t seed)
{
    const struct options options = {
        .source = tree, .root = ".", .seed = seed, .lab = lab};
    return grade_run(&options);
}

// The number of exercises of a lab that were judged; all of them must pass.
static size_t count_judged(const struct grading *grading, int lab)
{
    size_t judged = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->place->number == lab) {
            cr_expect_eq(result->verdict, PASS, "%s: %s", result->exercise->id,
                         result->headline);
            judged += !result->given;
        }
    }
    return judged;
}

static size_t judged_beneath(int asked, uint64_t seed)
{
    struct grading grading = judge(asked, seed);
    cr_expect_gt(count_judged(&grading, asked), 0);
    size_t judged = count_judged(&grading, 2);
    grade_free(&grading);
    return judged;
}

Test(reuse, what_an_asked_exercise_uses_is_judged_once)
{
    cr_expect_gt(judged_beneath(3, 1), 0);
    cr_expect_eq(judged_beneath(3, 1), 0);
}

// A worker of kernels is the same in every tree, and passes outlive a test: this one is in no cache.
static void make_kernels_new(void)
{
    char command[256];
    snprintf(command, sizeof command,
             "echo 'int unique_%ld_%ld() { return 0; }' >>'%s'/02_batching/batching.cu",
             (long)getpid(), (long)time(NULL), tree);
    run(command);
}

// On the simulated GPU, a lab's kernels take seconds.
Test(reuse, kernels_that_an_asked_kernel_uses_are_judged_once)
{
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .exercise = "3.4",
                                    .no_cpu = true,
                                    .gpu = GPU_SIMULATED};
    make_kernels_new();
    size_t judged[3];
    for (int turn = 0; turn < 3; turn++) {
        struct grading grading = grade_run(&options);
        cr_expect_gt(count_judged(&grading, 3), 0);
        judged[turn] = count_judged(&grading, 2);
        grade_free(&grading);
    }
    cr_expect_gt(judged[0], 0);
    // The second time, a file that changed a moment before the first is compiled again (cache.c).
    cr_expect_eq(judged[2], 0);
}

Test(reuse, kernels_are_judged_again_after_an_edit)
{
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .lab = 3,
                                    .no_cpu = true,
                                    .gpu = GPU_SIMULATED};
    struct grading grading = grade_run(&options);
    grade_free(&grading);
    transplant("2.2-batched_matmul_kernel.cu@b-without-batch");
    grading = grade_run(&options);
    const struct result *edited = grade_find_on(&grading, "2.2", true);
    cr_expect_not(edited->given);
    cr_expect_neq(edited->verdict, PASS);
    grade_free(&grading);
}

Test(reuse, a_lab_that_passed_is_not_judged_beneath_the_next)
{
    struct grading grading = judge(2, 1);
    grade_free(&grading);
    cr_expect_eq(judged_beneath(3, 1), 0);
}

Test(reuse, what_is_asked_for_is_judged_each_time)
{
    struct grading first = judge(2, 1), second = judge(2, 1);
    cr_expect_gt(count_judged(&first, 2), 0);
    cr_expect_eq(count_judged(&second, 2), count_judged(&first, 2));
    grade_free(&first);
    grade_free(&second);
}

Test(reuse, other_cases_are_judged)
{
    cr_expect_gt(judged_beneath(3, 1), 0);
    cr_expect_gt(judged_beneath(3, 2), 0);
}

Test(reuse, a_file_that_was_edited_is_judged_again)
{
    char command[512];
    cr_expect_gt(judged_beneath(3, 1), 0);
    snprintf(command, sizeof command,
             "grader/tools/transplant.sh "
             "grader/tests/submissions/wrong/2.2-batched_matmul_nt.c@no-flag '%s'",
             tree);
    run(command);
    struct grading grading = judge(3, 1);
    const struct result *edited = grade_find(&grading, "2.2");
    cr_expect_not(edited->given);
    cr_expect_neq(edited->verdict, PASS);
    const struct result *asked = grade_find(&grading, "3.4");
    cr_expect_eq(asked->verdict, PASS, "%s", asked->headline);
    cr_expect_not_null(asked->lent); // judged with the workbook's own lab 2
    grade_free(&grading);
}

Test(reuse, what_does_not_pass_is_judged_each_time)
{
    char command[512];
    snprintf(
        command, sizeof command,
        "sed -i '/BEGIN SOLUTION 2.3 /a return LAB_TODO;' '%s'/02_batching/batching.c",
        tree);
    run(command);
    for (int time = 0; time < 2; time++) {
        struct grading grading = judge(3, 1);
        const struct result *result = grade_find(&grading, "2.3");
        cr_expect_not(result->given);
        cr_expect_eq(result->verdict, TODO, "%s", result->headline);
        grade_free(&grading);
    }
}

// ---- what an exercise of the same lab uses ------------------------------------------------

// The verdict of 2.5, which uses 2.1 to 2.4, and the number of those that were judged.
static enum verdict judge_2_5(bool others_pass, size_t *judged)
{
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .exercise = "2.5",
                                    .others_pass = others_pass};
    struct grading grading = grade_run(&options);
    enum verdict verdict = grade_find(&grading, "2.5")->verdict;
    *judged = 0;
    for (size_t i = 0; i < grading.count; i++) {
        *judged += !grading.results[i].asked && !grading.results[i].given &&
                   grading.results[i].place->number == 2;
    }
    grade_free(&grading);
    return verdict;
}

Test(reuse, what_an_exercise_uses_is_judged_only_if_it_fails)
{
    size_t judged;
    cr_expect_eq(judge_2_5(false, &judged), PASS);
    cr_expect_eq(judged, 0);
    transplant("2.5-batched_attention.c@first-keys");
    cr_expect_eq(judge_2_5(false, &judged), WRONG);
    cr_expect_gt(judged, 0);
}

Test(reuse, a_skipped_exercise_does_not_count_as_passed_later)
{
    size_t judged;
    cr_expect_eq(judge_2_5(false, &judged), PASS);
    cr_expect_gt(judged_beneath(3, 1), 0);
}

Test(reuse, what_is_known_to_be_right_is_not_judged)
{
    size_t judged;
    transplant("2.5-batched_attention.c@first-keys");
    cr_expect_eq(judge_2_5(true, &judged), WRONG);
    cr_expect_eq(judged, 0);
}

// ---- the banks of the student archive -------------------------------------------------------

static void write_bank(const char *root, const char *text)
{
    char command[256];
    snprintf(command, sizeof command,
             "mkdir -p %s/grader/bank/cases && echo '%s' >%s/grader/bank/cases/1.1-b."
             "safetensors",
             root, text, root);
    run(command);
}

// The other one has no bank, as in the whole workbook.
static const struct part banked[] = {
    {.function = "a"}, {.function = "b", .bank = "1.1-b"}, {0}};

Test(known, another_bank_is_other_cases)
{
    char root[] = "/tmp/known.XXXXXX", command[64];
    const struct exercise exercise = {.parts = banked};
    const struct exercise *const exercises[] = {&exercise, NULL};
    const struct lab lab = {.exercises = exercises};
    const struct lab_place place = {.lab = &lab};
    cr_assert_not_null(mkdtemp(root));
    const struct options options = {.root = root};
    write_bank(root, "some numbers");
    char *before = drawn_from(&options, &place), *same = drawn_from(&options, &place);
    write_bank(root, "other numbers");
    char *after = drawn_from(&options, &place);
    char *whole = drawn_from(&options, &lab_places[0]);
    cr_expect_str_eq(before, same);
    cr_expect_str_neq(before, after);
    cr_expect_str_eq(whole, "", "the whole workbook has no banks");
    free(before);
    free(same);
    free(after);
    free(whole);
    snprintf(command, sizeof command, "rm -rf %s", root);
    run(command);
}

// ---- the file of passes -------------------------------------------------------------------

Test(known, passes_are_found_by_the_whole_description)
{
    char root[] = "/tmp/known.XXXXXX", command[64];
    cr_assert_not_null(mkdtemp(root));
    snprintf(command, sizeof command, "mkdir %s/build", root);
    run(command);
    cr_expect_null(known_find(root, "worker\nseed 1\n"));
    known_keep(root, "worker\nseed 1\n", " 1.1 1.2 ");
    char *found = known_find(root, "worker\nseed 1\n");
    cr_assert_not_null(found);
    cr_expect_str_eq(found, " 1.1 1.2 ");
    free(found);
    cr_expect_null(known_find(root, "worker\nseed 2\n"));
    cr_expect_null(known_find(root, "worker\n"));
    snprintf(command, sizeof command, "rm -r %s", root);
    run(command);
}

Test(known, a_file_under_another_ones_name_is_not_taken_for_it)
{
    char root[] = "/tmp/known.XXXXXX", command[128];
    cr_assert_not_null(mkdtemp(root));
    snprintf(command, sizeof command, "mkdir %s/build", root);
    run(command);
    known_keep(root, "worker\nseed 1\n", " 1.1 ");
    snprintf(command, sizeof command, "sed -i 's/seed 1/seed 9/' %s/build/cache/passes/*",
             root);
    run(command);
    cr_expect_null(known_find(root, "worker\nseed 1\n"));
    snprintf(command, sizeof command, "rm -r %s", root);
    run(command);
}
