// test_submissions.c - whole submissions through the whole grader.
//
//   solutions/                     full marks on many seeds
//   labs/ as handed out            zero, every exercise "todo"
//   submissions/wrong/*.c          each file holds a function's wrong submissions, in sections
//                                  (grader/tools/section.awk): the diagnosis that a section
//                                  names; "none": no known mistake may be claimed;
//                                  "crash": nor that, and the verdict is a crash
//   their right bodies             full marks
//   submissions/hostile/*.c        the verdict named in the file's first line, and nobody else
//                                  hurt; "needs-wall" and "needs-box" name what must be there to
//                                  try it
//
// A .cu file is of the GPU side, which is judged simulated here: the same on every machine.
//
// A submission becomes a tree by grader/tools/transplant.sh. Run from the workbook's folder. With LAB=3, the wrong
// and the hostile ones are those of lab 3.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "build/backend.h"
#include "build/workshop.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "sandbox/available.h"
#include "sandbox/wall.h"
#include "tests/snippets.h"

enum { SEEDS = 6, FAST_SEEDS = 3, GPU_SEEDS = 3 };

// The tests judge thousands of functions on the same cases, so they share the expected results, as the
// hand-ins of a class do. The folder is made and removed by the process that starts the tests.
// Without Landlock student code could read there, so nothing is kept.
static const char kept_name[] = "SUBMISSIONS_KEPT";

ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    (void)tests;
    // As the grader starts itself (base/surroundings.c).
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    char folder[] = "build/tmp/kept.XXXXXX";
    if (wall_version() > 0 &&
        (mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0) &&
        mkdtemp(folder) != NULL) {
        setenv(kept_name, folder, 1);
    }
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    (void)stats;
    const char *kept = getenv(kept_name);
    if (kept != NULL) {
        remove_tree(kept);
    }
}

// Read only once, so that no program that a test starts learns the folder's name.
static const char *kept_folder(void)
{
    static char folder[64];
    const char *kept = getenv(kept_name);
    if (kept != NULL) {
        snprintf(folder, sizeof folder, "%s", kept);
        unsetenv(kept_name);
    }
    return *folder != '\0' ? folder : NULL;
}

static struct options options_for(const char *source, bool gpu)
{
    return (struct options){.source = source,
                            .root = ".",
                            .seed = 1,
                            .no_cpu = gpu,
                            .gpu = gpu ? GPU_SIMULATED : CPU,
                            .kept = kept_folder()};
}

// Many attacks wait for a time limit, and lab 9 has hundreds of mistakes. So each lab's snippets
// are divided into shares that run at the same time. Each share of the wrong ones compiles the whole
// lab, so there are fewer.
enum { MOST_LABS = 64, ATTACK_SHARES = 8, WRONG_SHARES = 3 };

struct share {
    int lab, number;
};

// Defines a test for each share of every lab, or of the lab in LAB.
static struct criterion_test_params every_share(const struct lab_place *places, int of)
{
    static struct share shares[MOST_LABS * ATTACK_SHARES];
    const char *only_lab = getenv("LAB");
    size_t count = 0;
    for (const struct lab_place *place = places; place->folder != NULL; place++) {
        if (only_lab != NULL && atoi(only_lab) != place->number) {
            continue;
        }
        for (int i = 0; i < of; i++) {
            shares[count++] = (struct share){place->number, i};
        }
    }
    return cr_make_param_array(struct share, shares, count, NULL);
}

// ---- correct and empty submissions --------------------------------------------------------

static void expect_full_marks(const char *tree, uint64_t seeds, bool gpu)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct options options = options_for(tree, gpu);
        options.seed = seed;
        if (seed > FAST_SEEDS) {
            options.kept = NULL; // no other test uses them
        }
        struct grading grading = grade_run(&options);
        cr_expect_gt(grading.count, 0);
        for (size_t i = 0; i < grading.count; i++) {
            const struct result *result = &grading.results[i];
            cr_expect_eq(result->verdict, PASS, "seed %d: %s is %s (%s)\n%s", (int)seed,
                         result->exercise->id, verdict_name(result->verdict),
                         result->headline, result->details);
        }
        cr_expect_eq(grade_exit_code(&grading), EXIT_PASS);
        grade_free(&grading);
    }
}

Test(submissions, solutions_get_full_marks_on_many_seeds)
{
    expect_full_marks("solutions", SEEDS, false);
}

Test(submissions, gpu_solutions_get_full_marks_simulated)
{
    expect_full_marks("solutions", GPU_SEEDS, true);
}

// The fast versions are judged by the plain solutions, like any student's code.
Test(submissions, fast_solutions_get_full_marks)
{
    expect_full_marks("solutions/fast", FAST_SEEDS, false);
    expect_full_marks("solutions/fast", 1, true);
}

// The right bodies in the files of wrong submissions: each function's first one, and then every
// second one.
Test(submissions, right_bodies_of_the_wrong_ones_get_full_marks)
{
    for (int number = 0; number <= 1; number++) {
        char tree[] = "build/tmp/right.XXXXXX";
        cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
        cr_assert_not_null(mkdtemp(tree));
        char command[1024];
        snprintf(
            command, sizeof command,
            "cp -R solutions/[0-9]* %s && grader/tools/transplant.sh "
            "$(awk 'FNR == 1 { found = 0; name = \"right\" } "
            "/^@ right-/ { found++; name = $2 } "
            "(FNR == 1 || /^@ right-/) && found == %d { print FILENAME \"@\" name }' "
            "grader/tests/submissions/wrong/*) %s",
            tree, number, tree);
        cr_assert_eq(system(command), 0, "%s", command);
        expect_full_marks(tree, 1, false);
        expect_full_marks(tree, 1, true);
        remove_tree(tree);
    }
}

// labs/ may hold a student's work, so the skeletons are generated again.
Test(submissions, skeletons_get_nothing_and_are_all_todo)
{
    char tree[] = "build/tmp/skeletons.XXXXXX";
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(tree));
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        char command[512];
        snprintf(command, sizeof command,
                 "mkdir -p %s/%s && for f in solutions/%s/*.c*; do awk -f "
                 "grader/tools/skeleton.awk $f > %s/%s/$(basename $f) || exit 1; done",
                 tree, place->folder, place->folder, tree, place->folder);
        cr_assert_eq(system(command), 0, "%s", command);
    }
    struct options options = options_for(tree, false);
    options.gpu = GPU_SIMULATED;
    struct grading grading = grade_run(&options);
    for (size_t i = 0; i < grading.count; i++) {
        cr_expect_eq(grading.results[i].verdict, TODO, "%s is %s",
                     grading.results[i].exercise->id,
                     verdict_name(grading.results[i].verdict));
        cr_expect_eq(result_score(&grading.results[i]), 0);
    }
    cr_expect_eq(grade_exit_code(&grading), EXIT_FAIL);
    grade_free(&grading);
    remove_tree(tree);
}

// ---- the wrong ones -----------------------------------------------------------------------

// Returns true if the snippet fails with the diagnosis that it is a sample of. Otherwise, and if
// told to, prints the result.
static bool is_named(const struct grading *grading, const struct snippet *snippet,
                     bool print)
{
    const struct result *result = grade_find_on(grading, snippet->exercise, snippet->gpu);
    // A finding of the simulated GPU outside its memory counts as a crash. So does a section
    // with the diagnosis "crash", which only reads or writes outside of an argument.
    const bool crash = strcmp(snippet->expected, "crash") == 0;
    const bool fails = (result->verdict == WRONG && !crash) ||
                       (result->verdict == CRASH && (snippet->gpu || crash));
    const char *diagnosis = result->diagnosis != NULL ? result->diagnosis : "none";
    bool named = fails && strcmp(diagnosis, crash ? "none" : snippet->expected) == 0 &&
                 (result->diagnosis == NULL ||
                  strstr(result->details, "form of a known mistake") == NULL);
    if (!named && print) {
        fprintf(stderr, "%s: %s, %s (%s)\n%s", snippet->path,
                verdict_name(result->verdict), diagnosis, result->headline,
                result->details);
    }
    return named;
}

// In a batch, what never ends costs little of the table's time limits. A snippet that needs more than this is judged
// again by itself, with its own limit.
static double seconds_of_batch(const struct batch *batch)
{
    return batch->gpu ? 10 : 2;
}

// Judges a batch. Those of its snippets that are not named as they should be are judged again, each
// by itself: two of them may define the same name, or one may cost the others their time. Returns
// the number of snippets that fail by themselves, too.
static int check_batch(const struct batch *batch)
{
    struct options options = options_for(make_tree(batch), batch->gpu);
    options.exercise = batch->exercises;
    options.others_pass = true; // the solutions
    const bool alone = batch->count == 1;
    options.seconds = alone ? 0 : seconds_of_batch(batch);
    struct grading grading = grade_run(&options);
    restore_tree();
    int failed = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (is_named(&grading, batch->members[i], alone)) {
            continue;
        }
        const struct batch itself = only(batch->members[i]);
        failed += alone ? 1 : check_batch(&itself);
    }
    grade_free(&grading);
    return failed;
}

// Judges a batch whose functions were compiled together with the others of the share.
static int check_versions(const struct batch *batch, const struct versions *versions)
{
    struct options options = options_for(versions->tree, false);
    struct alias *aliases = aliases_of(versions, batch);
    options.exercise = batch->exercises;
    options.others_pass = true; // the solutions
    options.aliases = aliases;
    options.seconds = seconds_of_batch(batch);
    struct grading grading = grade_run(&options);
    int failed = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (!is_named(&grading, batch->members[i], false)) {
            const struct batch itself = only(batch->members[i]);
            failed += check_batch(&itself);
        }
    }
    grade_free(&grading);
    free(aliases);
    return failed;
}

// The snippets of each WRONG_SHARES-th batch.
static struct versions share_versions(const struct batches *batches, size_t first)
{
    size_t count = 0;
    const struct snippet **all = calloc(batches->count * MOST_TOGETHER + 1, sizeof *all);
    cr_assert_not_null(all);
    for (size_t i = first; i < batches->count; i += WRONG_SHARES) {
        for (size_t m = 0; m < batches->all[i].count; m++) {
            all[count++] = batches->all[i].members[m];
        }
    }
    return make_versions(all, count);
}

static int check_share_of_c(const struct batches *batches, size_t first)
{
    struct versions versions = share_versions(batches, first);
    int failed = 0;
    for (size_t i = first; i < batches->count; i += WRONG_SHARES) {
        failed += check_versions(&batches->all[i], &versions);
    }
    remove_versions(&versions);
    return failed;
}

static int check_share_of_cu(const struct batches *batches, size_t first)
{
    int failed = 0;
    for (size_t i = first; i < batches->count; i += WRONG_SHARES) {
        failed += check_batch(&batches->all[i]);
    }
    return failed;
}

// Judges each WRONG_SHARES-th batch of one lab's wrong submissions. Without Landlock no object is kept, so
// compiling many functions together takes longer.
static void check_share(struct share share, const char *suffix)
{
    struct snippets snippets = find_snippets("wrong", share.lab, suffix);
    struct batches batches = make_batches(&snippets);
    cr_expect_gt(batches.count, 0, "there is none for lab %d", share.lab);
    const bool together = strcmp(suffix, "c") == 0 && wall_version() > 0;
    int failed =
        (together ? check_share_of_c : check_share_of_cu)(&batches, (size_t)share.number);
    free(batches.all);
    free(snippets.all);
    end_trees();
    cr_expect_eq(failed, 0, "%d wrong submissions of lab %d", failed, share.lab);
}

ParameterizedTestParameters(submissions, every_wrong_submission_is_named)
{
    return every_share(lab_places, WRONG_SHARES);
}

ParameterizedTest(struct share *share, submissions, every_wrong_submission_is_named)
{
    check_share(*share, "c");
}

ParameterizedTestParameters(submissions, every_wrong_kernel_is_named)
{
    return every_share(gpu_places, WRONG_SHARES);
}

ParameterizedTest(struct share *share, submissions, every_wrong_kernel_is_named)
{
    check_share(*share, "cu");
}

// ---- the hostile ones ---------------------------------------------------------------------

static bool builds_on(const struct grading *grading, const struct result *result,
                      const char *exercise)
{
    if (strcmp(result->exercise->id, exercise) == 0) {
        return true;
    }
    const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *used = grade_find_on(grading, uses[u], result->place->gpu);
        if (used != NULL && builds_on(grading, used, exercise)) {
            return true;
        }
    }
    return false;
}

static bool verdict_is_right(const struct grading *grading, const struct snippet *snippet,
                             const struct result *result)
{
    if (strcmp(result->exercise->id, snippet->exercise) == 0) {
        return strcmp(verdict_name(result->verdict), snippet->expected) == 0;
    }
    if (result->absent) {
        return true; // of an earlier lab, so the snippet's tree does not contain it
    }
    return snippet->whole_lab || builds_on(grading, result, snippet->exercise)
               ? result->verdict != GRADER_ERROR
               : result->verdict == PASS;
}

static int attack(const struct snippet *snippet, bool untrusted)
{
    const struct batch batch = only(snippet);
    struct options options = options_for(make_tree(&batch), snippet->gpu);
    options.untrusted = untrusted;
    options.lab = atoi(snippet->exercise);
    if (untrusted && !snippet->needs_box) { // the lab was judged without the box
        options.exercise = snippet->exercise;
    }
    if (strcmp(snippet->expected, "timeout") == 0) {
        options.seconds = 1; // the other snippets may need the time limit of the table
    }
    struct grading grading = grade_run(&options);
    int failed = 0;
    for (size_t i = 0; i < grading.count; i++) {
        const struct result *result = &grading.results[i];
        if (!verdict_is_right(&grading, snippet, result)) {
            fprintf(stderr, "%s%s: %s is %s (%s)\n%s", snippet->path,
                    untrusted ? " in a box" : "", result->exercise->id,
                    verdict_name(result->verdict), result->headline, result->details);
            failed = 1;
        }
    }
    grade_free(&grading);
    restore_tree();
    return failed;
}

// Judged like a student's own code, and, in a box, like a stranger's code.
static int check_hostile(const struct snippet *snippet)
{
    char reason[512];
    bool box = box_available(".", reason, sizeof reason);
    bool wall = wall_version() > 0;
    int failed = 0;
    if (!snippet->needs_box && (wall || !snippet->needs_wall)) {
        failed += attack(snippet, false);
    }
    if (box) {
        failed += attack(snippet, true);
    } else if (snippet->needs_box || (snippet->needs_wall && !wall)) {
        fprintf(stderr, "%s: not tried, no box (%s)%s\n", snippet->path, reason,
                wall ? "" : " and no Landlock");
    }
    return failed > 0;
}

// Judges each ATTACK_SHARES-th hostile submission of one lab.
static void attack_share(struct share share, const char *suffix)
{
    struct snippets snippets = find_snippets("hostile", share.lab, suffix);
    size_t count = 0;
    int failed = 0;
    for (size_t i = (size_t)share.number; i < snippets.count;
         i += ATTACK_SHARES, count++) {
        failed += check_hostile(&snippets.all[i]);
    }
    free(snippets.all);
    end_trees();
    cr_expect_eq(failed, 0, "%d of %zu hostile submissions of lab %d", failed, count,
                 share.lab);
}

ParameterizedTestParameters(submissions, no_attack_gains_a_mark_or_costs_a_neighbor)
{
    return every_share(lab_places, ATTACK_SHARES);
}

ParameterizedTest(struct share *share, submissions,
                  no_attack_gains_a_mark_or_costs_a_neighbor)
{
    attack_share(*share, "c");
    attack_share(*share, "cu");
}
