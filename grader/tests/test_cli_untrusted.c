// test_cli_untrusted.c - build/grade check --untrusted: the box for untrusted code, or a refusal.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/wall.h"
#include "tests/folder.h"
#include "tests/ran.h"

static void need_box(void)
{
    struct ran ran = run(GRADE " walls");
    bool box = strstr(ran.output, "box available") != NULL;
    free(ran.output);
    if (!box) {
        cr_skip("no box here");
    }
}

Test(untrusted, without_bubblewrap_nothing_is_judged)
{
    expect_refusal(3, "no box for untrusted code",
                   "PATH=/nowhere " GRADE " check --untrusted --src solutions");
}

// The environment of a container that forbids namespaces.
Test(untrusted, without_namespaces_nothing_is_judged)
{
    need_box();
    // chroot forbids them, too
    struct ran without = run("bwrap --ro-bind / / --unshare-user true");
    free(without.output);
    if (without.status != 0) {
        cr_skip("no program can make a user namespace here");
    }
    expect_refusal(3, "no box for untrusted code",
                   "bwrap --ro-bind / / --proc /proc --dev /dev --unshare-user --uid "
                   "1000 --disable-userns " GRADE " check --untrusted --src solutions");
}

Test(untrusted, walls_says_why_there_is_no_box)
{
    struct ran ran = run("PATH=/nowhere " GRADE " walls");
    cr_expect_eq(ran.status, 1);
    cr_expect_not_null(strstr(ran.output, "box not available: bwrap: No such file"), "%s",
                       ran.output);
    free(ran.output);
}

Test(untrusted, work_that_is_not_looked_at_is_said)
{
    need_box();
    const char *said = ".cu files   not judged: 1 (--backend all also judges them)";
    struct ran cpu = run(GRADE " check --untrusted --src solutions --lab 5");
    cr_expect_not_null(strstr(cpu.output, said), "%s", cpu.output);
    struct ran all =
        run(GRADE " check --untrusted --src solutions --lab 5 --backend all");
    cr_expect_null(strstr(all.output, "not judged"), "%s", all.output);
    struct ran own = run(GRADE " check --src solutions --lab 5");
    cr_expect_null(strstr(own.output, "not judged"), "%s", own.output);
    free(cpu.output);
    free(all.output);
    free(own.output);
}

Test(untrusted, solutions_pass_in_a_box)
{
    need_box();
    struct ran ran = run(GRADE " check --untrusted --src solutions --exercise 2.1");
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    free(ran.output);
}

// If 1.3 fails, 1.6 is judged with the workbook's own 1.3, which is not compiled again for each
// submission.
Test(untrusted, objects_of_the_solutions_are_kept_and_none_of_a_strangers)
{
    need_box();
    if (wall_version() == 0) {
        cr_skip_test("this kernel has no Landlock: nothing is kept");
    }
    char *folder = make_folder();
    struct ran ran = run(TRANSPLANT WRONG "1.3-attention_scores.c@no-scale "
                                          "%s/hand-in && touch %s/before && " GRADE
                                          " check --untrusted --lab 1 --src %s/hand-in",
                         folder, folder, folder);
    cr_expect_eq(ran.status, 1, "%s", ran.output);
    free(ran.output);
    ran = run("find build/cache -type f -newer %s/before -exec grep -alE "
              "'/solutions/01_[^/]*/attention.c$' {} +",
              folder);
    cr_expect_eq(lines(ran.output), 1, "kept or found again: %s", ran.output);
    free(ran.output);
    // Other tests may remove files while grep reads (-s), but there must be files to read.
    ran = run("find build/cache -type f | grep -q . || exit 3; "
              "grep -alrsE '/submission/|%s' build/cache | grep .",
              folder);
    cr_expect_eq(ran.status, 1, "3: the cache is empty; 0: a stranger's files: %s",
                 ran.output);
    free(ran.output);
    remove_folder(folder);
}
