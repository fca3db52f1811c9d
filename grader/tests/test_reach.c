// test_reach.c - no step of the grader can read a solution, in any lab.
//
// A probe looks around behind the walls of every step (reach/walls.h), in these modes:
//
//   plain        Landlock alone: make check (one lab: the last mode takes the same steps for all)
//   box          grade check --untrusted
//   GRADE_CC     workers that are complete programs
//   lent         the workbook's functions replace the student's
//
// each for the CPU and for the simulated GPU. test_reach.sh does the same for class runs and
// Gradescope's container, test_release.sh for the student archive. Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "reach/knowledge.h"
#include "reach/walls.h"
#include "sandbox/available.h"
#include "sandbox/paths.h"
#include "sandbox/wall.h"

enum { MANY_MINUTES = 600 };

static char scratch[64]; // build/tmp/reach.XXXXXX

// ---- trees --------------------------------------------------------------------------------

static void shell(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

#define SHELL(...)                                                                       \
    do {                                                                                 \
        char *command_ = grader_print(__VA_ARGS__);                                      \
        shell(command_);                                                                 \
        free(command_);                                                                  \
    } while (0)

static void begin(void)
{
    if (wall_version() == 0) {
        cr_skip("no Landlock here");
    }
    strcpy(scratch, "build/tmp/reach.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(scratch));
    SHELL("sh grader/tests/reach/folder.sh %s", scratch);
    char *tree = grader_print("%s/skeletons", scratch);
    char *translated = grader_print("%s/translated/*", scratch);
    cr_assert_gt(knowledge_load(tree), 500);
    knowledge_forgive(translated);
    free(translated);
    reach = (struct reach){.root = realpath(".", NULL),
                           .source = realpath(tree, NULL),
                           .probe = realpath("build/box/reach-probe", NULL)};
    cr_assert_not_null(reach.probe);
    free(tree);
}

static void end(void)
{
    if (*scratch != '\0') {
        SHELL("rm -rf %s", scratch);
    }
}

TestSuite(reach, .init = begin, .fini = end, .timeout = MANY_MINUTES);

// ---- the modes ----------------------------------------------------------------------------

static void run(int lab, bool gpu, bool untrusted, enum follow follow)
{
    char reason[512];
    if (untrusted && !box_available(".", reason, sizeof reason)) {
        return;
    }
    const struct options options = {.source = reach.source,
                                    .root = reach.root,
                                    .seed = 1,
                                    .lab = lab,
                                    .no_cpu = gpu,
                                    .gpu = gpu ? GPU_SIMULATED : CPU,
                                    .follow = follow,
                                    .untrusted = untrusted,
                                    .jobs = 1};
    int before = reach.steps;
    struct grading grading = grade_run(&options);
    for (size_t i = 0; i < grading.count; i++) {
        cr_expect_eq(grading.results[i].verdict, TODO, "%s: %s",
                     grading.results[i].exercise->id, grading.results[i].details);
    }
    grade_free(&grading);
    cr_expect_gt(reach.steps, before + 3, "the probe was not there");
    cr_expect_gt(reach.files, 0);
    cr_expect_eq(reach.failures, 0, "lab %d%s%s: see above", lab,
                 gpu ? " on the GPU" : "", untrusted ? " in a box" : "");
    reach.failures = 0;
}

Test(reach, a_student_s_steps_read_no_solution)
{
    for (int untrusted = 0; untrusted <= 1; untrusted++) {
        run(1, false, untrusted == 1, FOLLOW_NONE);
        run(1, true, untrusted == 1, FOLLOW_NONE);
    }
}

// A worker that is a complete program, as without gold or in a box.
Test(reach, nor_do_they_where_another_compiler_is_used)
{
    setenv("GRADE_CC", "gcc", 1);
    run(0, false, false, FOLLOW_NONE);
    unsetenv("GRADE_CC");
}

// The linker's command and the worker contain the lent objects; steps cannot read other parts
// of these objects.
Test(reach, nor_where_the_workbook_s_functions_stand_in)
{
    for (int untrusted = 0; untrusted <= 1; untrusted++) {
        run(0, false, untrusted == 1, FOLLOW_ALL);
        run(0, true, untrusted == 1, FOLLOW_ALL);
    }
}

// The student archive has neither solutions nor the programs that contain some, but it has the
// expected numbers of its seed.
Test(reach, nor_the_expected_numbers_of_a_hand_out)
{
    SHELL(
        "mkdir -p %s/book/build/lib %s/book/grader/bank/cases && "
        "cp -R labs %s/book/ && rm -rf %s/book/labs/programs/variants "
        "%s/book/labs/programs/train_gpu %s/book/labs/programs/trained && cp -R grader/points.txt grader/gpu %s/book/grader/ && "
        "cp -R build/worker build/box %s/book/build/ && "
        "cp build/lib/libcommon.a build/lib/libgpu-checked.a %s/book/build/lib/ && "
        "echo '" EXPECTED_NUMBERS "' >%s/book/grader/bank/cases/1.1.bank",
        scratch, scratch, scratch, scratch, scratch, scratch, scratch, scratch, scratch,
        scratch);
    char *book = grader_print("%s/book", scratch);
    reach.root = realpath(book, NULL);
    free(book);
    for (int untrusted = 0; untrusted <= 1; untrusted++) {
        run(1, false, untrusted == 1, FOLLOW_NONE);
        run(1, true, untrusted == 1, FOLLOW_NONE);
    }
}

// ---- a workbook in a folder of the system ---------------------------------------------------

static bool lists(const struct paths *paths, const char *folder, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < paths->count; i++) {
        const size_t length = strlen(folder);
        found = found || (strncmp(paths->path[i], folder, length) == 0 &&
                          strcmp(paths->path[i] + length, name) == 0);
    }
    return found;
}

Test(reach, a_workbook_among_the_system_s_files_is_left_out)
{
    SHELL("mkdir -p %s/usr/local/share/book/build %s/usr/bin %s/usr/local/lib && "
          "ln -s share/book %s/usr/local/current && ln -s local/share %s/usr/around",
          scratch, scratch, scratch, scratch, scratch);
    char *usr = grader_print("%s/usr", scratch), *real = realpath(usr, NULL);
    char *book = grader_print("%s/local/share/book", usr);
    struct paths paths = {.count = 0};
    paths_add_without(&paths, usr, book);
    cr_expect(lists(&paths, real, "/bin"));
    cr_expect(lists(&paths, real, "/local/lib"));
    cr_expect_eq(paths.count, 2, "no link to it, and nothing around it");
    paths_free(&paths);
    paths_add_without(&paths, "/usr", book);
    cr_expect_eq(paths.count, 1);
    cr_expect_str_eq(paths.path[0], "/usr", "it lies elsewhere");
    paths_free(&paths);
    free(book);
    free(real);
    free(usr);
}
