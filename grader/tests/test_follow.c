// test_follow.c - one early mistake does not cost the whole lab, and gains nothing.
// grader/tools/transplant.sh makes the trees from snippets of submissions/wrong. Run from the
// workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "build/backend.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/worker.h"
#include "tests/tree.h"

static struct grading judge(int lab, enum follow follow)
{
    const struct options options = {
        .source = tree, .root = ".", .seed = 1, .lab = lab, .follow = follow};
    return grade_run(&options);
}

TestSuite(follow, .fini = remove_tree);

Test(follow, what_builds_on_a_failure_is_judged_on_its_own_work)
{
    make_tree("1.3-attention_scores.c@no-scale");
    struct grading grading = judge(1, FOLLOW_FAILING);
    const struct result *scores = grade_find(&grading, "1.3");
    const struct result *whole = grade_find(&grading, "1.6");
    cr_expect_eq(scores->verdict, WRONG);
    cr_expect_eq(whole->verdict, PASS, "%s", whole->headline);
    cr_assert_not_null(whole->note);
    cr_expect_str_eq(whole->note,
                     "uses 1.3, which fails: judged with the workbook's own 1.3");
    cr_expect_eq(grade_exit_code(&grading), EXIT_FAIL);
    grade_free(&grading);
}

Test(follow, it_can_be_switched_off)
{
    make_tree("1.3-attention_scores.c@no-scale");
    struct grading grading = judge(1, FOLLOW_NONE);
    const struct result *whole = grade_find(&grading, "1.6");
    cr_expect_eq(whole->verdict, WRONG);
    cr_expect(whole->traced);
    cr_expect_str_eq(whole->headline, "uses 1.3, which fails");
    grade_free(&grading);
}

Test(follow, a_fault_of_its_own_is_named_behind_another)
{
    make_tree("1.3-attention_scores.c@no-scale 1.6-simple_attention.c@q-k-swapped");
    struct grading grading = judge(1, FOLLOW_FAILING);
    const struct result *whole = grade_find(&grading, "1.6");
    cr_expect_eq(whole->verdict, WRONG);
    cr_expect_not(whole->traced);
    cr_assert_not_null(whole->diagnosis, "%s", whole->headline);
    cr_expect_str_eq(whole->diagnosis, "q-k-swapped");
    cr_expect_not_null(whole->note);
    grade_free(&grading);
}

// Its mistake is in its own loops, so nothing is said about a function that it does not call.
Test(follow, what_uses_none_of_the_failing_ones_is_told_of_its_own_mistake_alone)
{
    make_tree("1.1-matmul_nt.c@b-not-transposed 1.2-linear.c@bias-by-row");
    struct grading grading = judge(1, FOLLOW_FAILING);
    const struct result *linear = grade_find(&grading, "1.2");
    cr_expect_eq(grade_find(&grading, "1.1")->verdict, WRONG);
    cr_expect_eq(linear->verdict, WRONG);
    cr_expect_null(linear->note, "%s", linear->note);
    cr_expect_not(linear->traced);
    cr_assert_not_null(linear->diagnosis, "%s", linear->headline);
    cr_expect_str_eq(linear->diagnosis, "bias-by-row");
    grade_free(&grading);
}

// An address counts, too.
Test(follow, a_function_that_is_used_through_a_pointer_is_replaced)
{
    make_tree("1.3-attention_scores.c@no-scale");
    char command[512];
    snprintf(
        command, sizeof command,
        "sed -i -e 's/LAB_TRY(attention_scores(/lab_status (*use)(float *, const float *, const "
        "float *, size_t, size_t, size_t) = attention_scores; LAB_TRY(use(/' "
        "%s/01_simple_attention/attention.c",
        tree);
    cr_assert_eq(system(command), 0);
    struct grading grading = judge(1, FOLLOW_FAILING);
    const struct result *whole = grade_find(&grading, "1.6");
    cr_expect_eq(whole->verdict, PASS, "%s", whole->headline);
    cr_assert_not_null(whole->note);
    cr_expect_str_eq(whole->note,
                     "uses 1.3, which fails: judged with the workbook's own 1.3");
    grade_free(&grading);
}

Test(follow, our_version_of_one_function_does_not_bring_the_others_along)
{
    make_tree("1.3-attention_scores.c@no-scale ../hostile/1.6-searches-for-the-answer.c");
    struct grading grading = judge(1, FOLLOW_FAILING);
    cr_expect_neq(grade_find(&grading, "1.6")->verdict, PASS);
    grade_free(&grading);
}

// ---- the workbook's code does not leak -------------------------------------------------------

// A stranger's program into which workbook functions are linked. Its output, its results and
// its exit status must not change the sentences of the report. Each snippet puts "leaked41" or
// a 41 into one of these.
static const struct channel {
    // the failing exercise, which is replaced by the workbook's, and the exercise that tries to
    // leak
    const char *before, *snippet;
    const char *exercise;
    enum verdict verdict;
} channels[] = {
    {"1.3-attention_scores.c@no-scale", "1.6-forges-a-sanitizer-line.c", "1.6", CRASH},
    {"1.3-attention_scores.c@no-scale", "1.6-forges-a-runtime-error.c", "1.6", CRASH},
    {"1.3-attention_scores.c@no-scale", "1.6-returns-what-it-reads.c", "1.6", WRONG},
    {"1.3-attention_scores.c@no-scale", "1.6-returns-a-number-of-its-own.c", "1.6",
     WRONG},
    {"1.1-matmul_gpu.cu@unchecked", "1.5-gpu-forges-a-finding.cu", "1.5", CRASH},
    {"", "3.4-returns-what-it-reads.c", "3.4", WRONG}, // a whole lab that is missing
};

static bool mentions(const char *text, const char *word)
{
    return text != NULL && strstr(text, word) != NULL;
}

static void expect_only_ours(const struct result *result, const struct channel *channel)
{
    const char *dull = channel->verdict == WRONG ? "a result is wrong"
                                                 : "does not return from every call";
    cr_expect_eq(result->verdict, channel->verdict, "%s: %s", channel->snippet,
                 result->headline);
    cr_expect_str_eq(result->headline, dull, "%s: %s", channel->snippet,
                     result->headline);
    cr_expect(mentions(result->note, "judged with the workbook's own") ||
                  mentions(result->lent, "judged with the workbook's own"),
              "%s", channel->snippet);
    cr_expect_not(mentions(result->details, "41"), "%s:\n%s", channel->snippet,
                  result->details);
    cr_expect_null(result->diagnosis, "%s", channel->snippet);
    cr_expect_null(result->call, "%s", channel->snippet);
    cr_expect_null(result->profile, "%s", channel->snippet);
    cr_expect_eq(result->printed_size + result->printed_lines, 0, "%s", channel->snippet);
}

// Judged like strangers' code but without a box, so that this test needs none. The reports are
// the same as in a box.
static struct grading judge_stranger(const struct channel *channel)
{
    bool gpu = mentions(channel->snippet, ".cu");
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .lab = atoi(channel->snippet),
                                    .no_cpu = gpu,
                                    .gpu = gpu ? GPU_SIMULATED : CPU,
                                    .profile = gpu,
                                    .strangers = true};
    return grade_run(&options);
}

// Counting accesses takes four times as long, and lab 2's 2.2, which 4.3 uses, takes a quarter of its limit
// without.
Test(follow, only_what_was_asked_for_is_profiled)
{
    const struct options options = {.profile = true};
    const struct result asked = {.asked = true, .backend = GPU_SIMULATED};
    const struct result used = {.backend = GPU_SIMULATED};
    const struct result on_cpu = {.asked = true, .backend = CPU};
    const struct options without = {.profile = false};
    cr_expect(is_profiled(&options, &asked));
    cr_expect_not(is_profiled(&options, &used));
    cr_expect_not(is_profiled(&options, &on_cpu));
    cr_expect_not(is_profiled(&without, &asked));
}

Test(follow, a_stranger_s_program_with_ours_in_it_is_told_of_in_fixed_sentences)
{
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        char snippets[256];
        snprintf(snippets, sizeof snippets, "%s ../hostile/%s", channels[i].before,
                 channels[i].snippet);
        make_tree(snippets);
        struct grading grading = judge_stranger(&channels[i]);
        expect_only_ours(grade_find_on(&grading, channels[i].exercise,
                                       mentions(channels[i].snippet, ".cu")),
                         &channels[i]);
        grade_free(&grading);
        remove_tree();
    }
}

// The same program from a trusted user, and one from a stranger without workbook functions.
Test(follow, other_programs_are_told_of_in_full)
{
    make_tree("1.3-attention_scores.c@no-scale ../hostile/1.6-returns-what-it-reads.c");
    struct grading grading = judge(1, FOLLOW_FAILING);
    cr_expect(mentions(grade_find(&grading, "1.6")->details, "4141"));
    grade_free(&grading);
    remove_tree();
    make_tree("../hostile/1.6-returns-what-it-reads.c");
    const struct channel alone = {.snippet = "1.6-returns-what-it-reads.c"};
    grading = judge_stranger(&alone);
    cr_expect(mentions(grade_find(&grading, "1.6")->details, "4141"));
    cr_expect_gt(grade_find(&grading, "1.6")->printed_size, 0);
    grade_free(&grading);
}

// ---- missing functions ------------------------------------------------------------------------

// 1.6 calls 1.3, which the file does not define. 1.6 is "todo", or is judged with the
// workbook's 1.3 if the test asks for it.
static struct grading judge_without_scores(enum follow follow)
{
    make_tree(
        "1.4-softmax_rows.c@columns"); // for the tree; then 1.3 and the fault are removed
    char command[512];
    snprintf(command, sizeof command,
             "cp solutions/01_simple_attention/attention.c %s/01_simple_attention/ && "
             "sed -i 's/^lab_status attention_scores(/static lab_status unused_scores(/; "
             "s/^lab_status simple_attention/__typeof__(unused_scores) *keep = "
             "unused_scores;\\n&/' %s/01_simple_attention/attention.c",
             tree, tree);
    cr_assert_eq(system(command), 0);
    return judge(1, follow);
}

Test(follow, what_is_not_written_stays_todo_unless_it_is_asked_for)
{
    struct grading grading = judge_without_scores(FOLLOW_FAILING);
    cr_expect_eq(grade_find(&grading, "1.3")->verdict, TODO);
    cr_expect_eq(grade_find(&grading, "1.6")->verdict, TODO);
    grade_free(&grading);
}

Test(follow, what_calls_a_missing_function_can_be_judged_on_ours)
{
    struct grading grading = judge_without_scores(FOLLOW_ALL);
    const struct result *whole = grade_find(&grading, "1.6");
    cr_expect_eq(grade_find(&grading, "1.3")->verdict, TODO);
    cr_expect_eq(whole->verdict, PASS, "%s: %s", verdict_name(whole->verdict),
                 whole->headline);
    grade_free(&grading);
}

// The judged function itself is never replaced, so a skeleton gains nothing.
Test(follow, a_skeleton_earns_nothing)
{
    make_tree("1.3-attention_scores.c@no-scale");
    char command[512];
    snprintf(command, sizeof command,
             "awk -f grader/tools/skeleton.awk solutions/01_simple_attention/attention.c "
             ">%s/01_simple_attention/attention.c",
             tree);
    cr_assert_eq(system(command), 0);
    struct grading grading = judge(1, FOLLOW_ALL);
    for (size_t i = 0; i < grading.count; i++) {
        cr_expect_eq(grading.results[i].verdict, TODO, "%s",
                     grading.results[i].exercise->id);
    }
    grade_free(&grading);
}

// ---- an earlier lab that passes -----------------------------------------------------------------

// The submissions in a copy of all solutions.
static void make_whole_tree(const char *snippets)
{
    make_tree(snippets);
    char command[256];
    snprintf(command, sizeof command, "cp -Rn solutions/[0-9]* '%s'", tree);
    cr_assert_eq(system(command), 0);
}

// 5.3 is judged on y. 6.11 also reads hidden, which it is free to overwrite.
Test(follow, a_later_lab_is_judged_above_ours_if_an_earlier_one_makes_it_fail)
{
    make_whole_tree("5.3-mlp.c@right-gelu-in-place");
    struct grading grading = judge(6, FOLLOW_FAILING);
    const struct result *model = grade_find(&grading, "6.11");
    cr_expect_eq(model->verdict, PASS, "%s", model->headline);
    cr_assert_not_null(model->note);
    cr_expect_str_eq(
        model->note,
        "wrong values in z.hidden with your lab 5, whose exercises pass: judged with the workbook's own lab 5");
    cr_expect_eq(grade_exit_code(&grading), EXIT_PASS);
    grade_free(&grading);
    grading = judge(6, FOLLOW_NONE);
    cr_expect_eq(grade_find(&grading, "6.11")->verdict, WRONG);
    grade_free(&grading);
}

// Its own mistake stays its own, with all that the report says about it.
Test(follow, a_failure_of_its_own_is_not_an_earlier_lab_s)
{
    make_whole_tree("6.11-model_backward.c@zeros-count-as-dropped");
    struct grading grading = judge(6, FOLLOW_FAILING);
    const struct result *model = grade_find(&grading, "6.11");
    cr_expect_eq(model->verdict, WRONG);
    cr_expect_null(model->note);
    cr_expect(mentions(model->details, "first difference: "), "%s", model->details);
    grade_free(&grading);
}

// ---- a program that does not reach a call ---------------------------------------------------

Test(follow, a_program_that_never_starts_is_run_once)
{
    make_tree("1.3-attention_scores.c@no-scale");
    char command[512];
    snprintf(
        command, sizeof command,
        "echo '__attribute__((constructor)) static void forever(void) { for (volatile int "
        "i = 1; i != 0;) { } }' >>%s/01_simple_attention/attention.c",
        tree);
    cr_assert_eq(system(command), 0);
    const struct options options = {.source = tree,
                                    .root = ".",
                                    .seed = 1,
                                    .lab = 1,
                                    .follow = FOLLOW_FAILING,
                                    .jobs = 1};
    struct grading grading = grade_run(&options);
    size_t ran = 0;
    for (size_t i = 0; i < grading.count; i++) {
        const struct result *result = &grading.results[i];
        if (result->place->number == 1 && result->chosen) {
            cr_expect_eq(result->verdict, TIMEOUT, "%s", result->headline);
            cr_expect_null(result->note, "%s", result->note);
            cr_expect_not(result->traced);
            cr_expect(
                mentions(result->details, "The program does not reach its first call"),
                "%s", result->details);
            ran += mentions(result->headline, "does not return within");
        }
    }
    cr_expect_eq(ran, 1, "%zu", ran);
    grade_free(&grading);
}
