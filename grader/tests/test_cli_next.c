// test_cli_next.c - build/grade judges exercises that build on each other, and says what to write next.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/folder.h"
#include "tests/ran.h"

Test(cli, a_lab_is_judged_on_its_own_work)
{
    // Lab 3 calls lab 2. A skeleton, an empty tree or a wrong function in lab 2 costs lab 3
    // nothing.
    char *folder = make_folder();
    struct ran ran = run("mkdir %s/t && cp -r solutions/03_causal_mask %s/t && " GRADE
                         " check --src %s/t --lab 3",
                         folder, folder, folder);
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    cr_expect_not_null(
        strstr(
            ran.output,
            "judged with the workbook's own lab 2 instead of 2.1, 2.2 and 2.3, which are not there"),
        "%s", ran.output);
    free(ran.output);
    ran =
        run("mkdir %s/t/02_batching && for f in solutions/02_batching/*.c; do awk -f "
            "grader/tools/skeleton.awk $f > %s/t/02_batching/$(basename $f); done; " GRADE
            " check --src %s/t --lab 3",
            folder, folder, folder);
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    cr_expect_not_null(
        strstr(
            ran.output,
            "judged with the workbook's own lab 2 instead of 2.1, 2.2 and 2.3, which are todo"),
        "%s", ran.output);
    free(ran.output);
    ran = run(TRANSPLANT WRONG "2.3-batched_linear.c@no-bias %s/u && "
                               "cp -r solutions/03_causal_mask %s/u && " GRADE
                               " check --src %s/u",
              folder, folder, folder);
    cr_expect_eq(ran.status, 1, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "lab 2 instead of 2.3, which fails"), "%s",
                       ran.output);
    free(ran.output);
    remove_folder(folder);
}

// 3.3 need not use lab 2, and the solution does not. A submission that does so needs lab 2
// anyway.
Test(cli, a_function_called_beyond_need_is_stood_in_for)
{
    char *folder = make_folder();
    struct ran ran = run(
        "printf '%%s\\n' '// 3.3 masked_softmax -' 'static float hidden[1 << 20];' "
        "'lab_status status = masked_fill(hidden, scores, mask, N, S);' "
        "'return status == LAB_OK ? batched_softmax(weights, hidden, 1, N, S) : status;' "
        ">%s/snippet.c && grader/tools/transplant.sh %s/snippet.c %s/t && " GRADE
        " check --src %s/t --exercise 3.3",
        folder, folder, folder, folder);
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "lab 2 instead of 2.2, 2.3 and 2.4, which"),
                       "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}

Test(cli, a_part_that_is_done_is_said_to_be)
{
    char *folder = make_folder();
    struct ran ran =
        run("mkdir -p %s/01_simple_attention && sed '/BEGIN SOLUTION 1.1 "
            "matmul_nt/,/END SOLUTION 1.1/c return lab_todo(out, a, b, M, N, K);' "
            "solutions/01_simple_attention/attention.c "
            "> %s/01_simple_attention/attention.c; " GRADE " check --src %s --lab 1",
            folder, folder, folder);
    cr_expect_not_null(
        strstr(ran.output, "matmul is right; matmul_nt is not written yet"), "%s",
        ran.output);
    cr_expect_not_null(strstr(ran.output, "\nnext: write 1.1 matmul_nt in "), "%s",
                       ran.output);
    cr_expect_null(strstr(ran.output, "builds on 1.1"), "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}

static void expect_next(const char *folder, const char *options, const char *next)
{
    struct ran ran = run(GRADE " check --src %s --no-color %s", folder, options);
    cr_expect_not_null(strstr(ran.output, next), "%s: no '%s' in\n%s", options, next,
                       ran.output);
    free(ran.output);
}

// Four labs as handed out, and then with the first one done.
Test(cli, what_to_write_next_is_in_what_was_chosen)
{
    char *folder = make_folder();
    struct ran ran =
        run("for lab in 01_simple_attention 02_batching 03_causal_mask 04_multi_head; do "
            "mkdir %s/$lab && for f in solutions/$lab/*.c; do awk -f "
            "grader/tools/skeleton.awk $f >%s/$lab/$(basename $f) || exit 1; done; done",
            folder, folder);
    cr_assert_eq(ran.status, 0, "%s", ran.output);
    free(ran.output);
    expect_next(folder, "--lab 4", "\nnext: write 4.1 view in ");
    expect_next(folder, "--exercise 1.3", "\nnext: write 1.3 attention_scores in ");
    expect_next(folder, "--exercise 1.3", "/01_simple_attention/attention.c (hint:");
    expect_next(folder, "", "\nnext: write 1.1 matmul in ");
    expect_next(folder, "--lab 1", "  todo: builds on 1.1, also todo\n");
    ran = run("cp solutions/01_simple_attention/attention.c %s/01_simple_attention",
              folder);
    free(ran.output);
    expect_next(folder, "--exercise 1.3", "\nnext: make check EX=1.4 SRC=");
    expect_next(folder, "--exercise 1.3", " judges softmax_rows\n");
    expect_next(folder, "--exercise 1.6", " judges the whole lab\n");
    ran = run("cd %s && mkdir labs && cp -r 01_simple_attention labs && "
              "\"$OLDPWD\"/" GRADE " check --src ./labs --no-color --exercise 1.3",
              folder);
    cr_expect_not_null(strstr(ran.output, "\nnext: make check EX=1.4 judges softmax"),
                       "%s", ran.output);
    free(ran.output);
    expect_next(folder, "--lab 4", "\nnext: write 4.1 view in ");
    expect_next(folder, "", "\nnext: write 2.1 matmul in ");
    remove_folder(folder);
}

// 1.6 is written, and calls a function that has another name in the file.
Test(cli, what_to_write_next_is_the_function_that_is_not_in_the_file)
{
    char *folder = make_folder();
    struct ran ran = run("cp -r solutions/01_simple_attention %s && sed -i "
                         "'s/^lab_status weighted_values/lab_status weighted/' "
                         "%s/01_simple_attention/attention.c",
                         folder, folder);
    cr_assert_eq(ran.status, 0, "%s", ran.output);
    free(ran.output);
    expect_next(folder, "--exercise 1.6",
                " todo: waits for 1.5, which is not written yet\n");
    expect_next(folder, "--exercise 1.6", "\nnext: write 1.5 weighted_values in ");
    expect_next(folder, "--lab 1", " todo: weighted_values is not in the file\n");
    remove_folder(folder);
}

// make cannot take such a folder, so the next command is the grader's own.
Test(cli, what_comes_next_in_a_folder_with_a_blank_is_a_command_that_works)
{
    char *folder = make_folder();
    struct ran ran = run("mkdir '%s/my code' && cp -r solutions/01_simple_attention "
                         "'%s/my code'",
                         folder, folder);
    cr_assert_eq(ran.status, 0, "%s", ran.output);
    free(ran.output);
    char path[512], next[1024];
    snprintf(path, sizeof path, "'%s/my code'", folder);
    snprintf(next, sizeof next,
             "\nnext: build/grade check --src %s --exercise 1.4 judges softmax_rows\n",
             path);
    expect_next(path, "--exercise 1.3", next);
    snprintf(next, sizeof next,
             "\nnext: build/grade check --src %s --lab 1 judges the whole lab\n", path);
    expect_next(path, "--exercise 1.6", next);
    expect_next(path, "--lab 1", "\nnext: labs/02_batching/README.md\n");
    remove_folder(folder);
}

// Lab 9's handout goes from 9.3 to 9.7, and from there to 9.4.
Test(cli, what_comes_next_follows_the_handout)
{
    char *folder = make_folder();
    struct ran ran = run("cp -r solutions/09_generation %s", folder);
    free(ran.output);
    expect_next(folder, "--exercise 9.3", "\nnext: make check EX=9.7 ");
    expect_next(folder, "--exercise 9.7", "\nnext: make check EX=9.4 ");
    expect_next(folder, "--exercise 9.6", "\nnext: make check EX=9.8 ");
    expect_next(folder, "--exercise 9.8", "\nnext: make check LAB=9 ");
    expect_next("solutions", "--lab 7", " draws what this code computes; then labs/08");
    expect_next("solutions", "--lab 7 --backend gpu-simulated",
                " draws what its C code computes; then labs/08");
    remove_folder(folder);
}

// 1.6 as in the solutions, and nothing else: it is written.
Test(cli, what_is_written_waits_for_what_it_calls)
{
    char *folder = make_folder();
    struct ran ran =
        run("cp -r labs/01_simple_attention %s && cd %s/01_simple_attention && "
            "solution=$OLDPWD/solutions/01_simple_attention/attention.c && "
            "sed '/BEGIN SOLUTION 1[.]6/,/END SOLUTION 1[.]6/!d' \"$solution\" >one && "
            "sed -i -e '/TODO 1[.]6/,/return lab_todo/{/return lab_todo/r one' -e 'd}' "
            "attention.c && rm one && grep -c 'return lab_todo' attention.c",
            folder, folder);
    cr_assert_str_eq(ran.output, "6\n", "%s", ran.output);
    free(ran.output);
    expect_next(folder, "--lab 1", "todo: waits for 1.2, which is not written yet\n");
    expect_next(folder, "--lab 1",
                "1.3  attention_scores          0/20  todo: builds on");
    expect_next(folder, "--exercise 1.6", "\nnext: write 1.2 linear in ");
    remove_folder(folder);
}
