// test_cli.c - build/grade as a program: what it prints, writes and returns.

#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/folder.h"
#include "tests/ran.h"

// The column behind the points of each exercise's row: "  · 8.9  held_out_loss, ...   0/6  todo".
static void expect_even_rows(const char *report)
{
    size_t rows = 0, column = 0;
    for (const char *at = report; (at = strstr(at, "\n  · ")) != NULL;) {
        const char *line = ++at, *slash = strchr(line, '/');
        const size_t end = (size_t)(slash - line) + strcspn(slash, " \n");
        column = rows++ == 0 ? end : column;
        cr_expect_eq(end, column, "%.*s", (int)strcspn(line, "\n"), line);
    }
    cr_expect_gt(rows, 5, "%s", report);
}

Test(cli, the_points_of_a_lab_stand_below_each_other, .timeout = 300)
{
    static const char *const labs[] = {"4", "6", "8"};
    for (size_t i = 0; i < sizeof labs / sizeof *labs; i++) {
        struct ran ran = run(GRADE " check --src labs --no-color --lab %s", labs[i]);
        expect_even_rows(ran.output);
        free(ran.output);
    }
}

Test(cli, refuses_what_makes_no_sense_in_one_line)
{
    expect_refusal(2, "there is no lab 98", GRADE " check --lab 98");
    expect_refusal(2, "there is no exercise 1.99: lab 1 has 1.1 to 1.6",
                   GRADE " check --exercise 1.99");
    expect_refusal(2, "there is no exercise 99.1; build/grade list shows all exercises",
                   GRADE " check --exercise 99.1");
    expect_refusal(2, "whole number", GRADE " check --lab three");
    expect_refusal(2, "whole number", GRADE " check --seed -1");
    expect_refusal(2, "whole number", GRADE " check --hint 4");
    expect_refusal(2, "whole number", GRADE " check --jobs 0");
    expect_refusal(2, "No such file", GRADE " check --src /tmp/there/is/none");
    expect_refusal(2, "as FOLDER/01_simple_attention/attention.c",
                   GRADE " check --src Makefile");
    expect_refusal(2, "holds no lab: a file belongs in a folder",
                   GRADE " check --src docs");
    expect_refusal(2, "unknown option", GRADE " check --frobnicate");
    expect_refusal(2, "needs a value", GRADE " check --src");
    expect_refusal(2, "unexpected argument", GRADE " check labs");
    expect_refusal(2, "unknown command", GRADE " chekc");
    expect_refusal(2, "expected a command", GRADE);
    expect_refusal(2, "there is no lab 99", GRADE " check --lab 1 --lab 99");
    expect_refusal(2, "exercise 3.1 is in none of these labs",
                   GRADE " check --lab 1 --lab 2 --exercise 1.1 --exercise 3.1");
    expect_refusal(
        2, "exercise 1.2 has no GPU variant; in lab 1 these have one: 1.1 1.3 1.4 1.5",
        GRADE " check --exercise 1.2 --backend gpu");
    expect_refusal(2, "exercise 11.2 has no GPU variant; no exercise of lab 11 has one",
                   GRADE " check --exercise 11.2 --backend gpu");
    expect_refusal(2, "exercise 2.1 is not in lab 1",
                   GRADE " check --lab 1 --exercise 1.1 --exercise 2.1");
    expect_refusal(2, "the call of one exercise",
                   GRADE " check --exercise 1.1 --exercise 1.2 --dump /tmp/none/x");
    expect_refusal(2, "hint needs one --exercise",
                   GRADE " hint --exercise 1.1 --exercise 1.2");
}

// It used to judge the last one only, without a word.
Test(cli, several_exercises_are_all_judged)
{
    struct ran ran = run(GRADE " check --no-color --src solutions --exercise 1.1 "
                               "--exercise=1.3 --exercise 2.2 --exercise 1.1");
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    for (const char *const *id = (const char *const[]){"1.1", "1.3", "2.2", NULL};
         *id != NULL; id++) {
        char *line = grader_print("✓ %s", *id);
        cr_expect_not_null(strstr(ran.output, line), "no %s\n%s", *id, ran.output);
        free(line);
    }
    cr_expect_null(strstr(ran.output, "✓ 1.2"), "%s", ran.output);
    free(ran.output);
    ran = run(GRADE " margins --exercise 1.1 --exercise 1.3");
    cr_expect_not_null(strstr(ran.output, "\n1.1 "), "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "\n1.3 "), "%s", ran.output);
    free(ran.output);
}

Test(cli, several_labs_are_all_judged)
{
    struct ran ran =
        run(GRADE " check --no-color --src solutions --lab 1 --lab=3 --lab 1");
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "✓ 1.1"), "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "✓ 3.1"), "%s", ran.output);
    cr_expect_null(strstr(ran.output, "✓ 2.1"), "%s", ran.output);
    free(ran.output);
}

Test(cli, refuses_limits_under_which_every_worker_would_crash)
{
    expect_refusal(3, "address space", "ulimit -v 8000000; " GRADE " check --lab 1");
    expect_refusal(3, "data is limited", "ulimit -d 8000000; " GRADE " check --lab 1");
    expect_refusal(3, "open files", "ulimit -n 24; " GRADE " check --lab 1");
    // With 16 jobs in boxes, 130 are too few: some compilers do not start, and a right function may be judged wrong.
    expect_refusal(3, "open files", "ulimit -n 128; " GRADE " check --lab 1");
}

// A compiler that prints what gcc prints on a full disk, in a folder whose programs may be run.
Test(cli, a_full_disk_is_nobodys_mistake)
{
    struct ran ran = run(
        "trap 'rm -f build/worker/full-disk' EXIT; printf '%%s\\n' '#!/bin/sh' 'echo "
        "\"a.c:1:1: fatal error: error writing to a.o: No space left on device\"' 'exit "
        "1' >build/worker/full-disk; chmod +x build/worker/full-disk; "
        "GRADE_CC=$PWD/build/worker/full-disk " GRADE
        " check --no-color --src solutions --exercise 1.3");
    cr_expect_eq(ran.status, 3, "status %d\n%s", ran.status, ran.output);
    cr_expect_not_null(strstr(ran.output, "not even the solution compiles"), "%s",
                       ran.output);
    free(ran.output);
}

Test(cli, clang_in_place_of_gcc_says_nothing_about_right_code)
{
    if (system("command -v clang >/dev/null") != 0) {
        cr_skip("clang is not installed");
    }
    struct ran ran =
        run("GRADE_CC=clang " GRADE " check --no-color --src solutions --exercise 1.3");
    cr_expect_eq(ran.status, 0, "status %d\n%s", ran.status, ran.output);
    cr_expect_null(strstr(ran.output, "the compiler warns"), "%s", ran.output);
    free(ran.output);
}

// clang's options must not go to a gcc in a folder with its name.
Test(cli, a_folder_does_not_say_which_compiler_it_is)
{
    struct ran ran =
        run("trap 'rm -rf build/worker/clang' EXIT; mkdir -p "
            "build/worker/clang && ln -sf \"$(command -v gcc)\" "
            "build/worker/clang/gcc; GRADE_CC=$PWD/build/worker/clang/gcc " GRADE
            " check --no-color --src solutions --exercise 1.3");
    cr_expect_eq(ran.status, 0, "status %d\n%s", ran.status, ran.output);
    free(ran.output);
}

// An older compiler has no option that fills local variables (build/locals.h).
#define OLD_COMPILER                                                                     \
    "trap 'rm -rf build/worker/old' EXIT; mkdir -p build/worker/old; cat "               \
    ">build/worker/old/cc <<'END'\n#!/bin/sh\nfor a; do case $a in "                     \
    "-ftrivial-auto-var-init=*) echo \"gcc: error: "                                     \
    "unrecognized command-line option '$a'\" >&2; exit 1;; esac; done\n"                 \
    "exec gcc \"$@\"\nEND\nchmod +x build/worker/old/cc; "

Test(cli, an_older_compiler_judges_without_filled_variables)
{
    struct ran ran =
        run("%s", OLD_COMPILER "GRADE_CC=$PWD/build/worker/old/cc " GRADE
                               " check --no-color --src solutions --exercise 1.3");
    cr_expect_eq(ran.status, 0, "status %d\n%s", ran.status, ran.output);
    free(ran.output);
}

Test(cli, help_goes_to_stdout_and_succeeds)
{
    struct ran ran = run(GRADE " check --help 2>/dev/null");
    cr_expect_eq(ran.status, 0);
    cr_expect_not_null(strstr(ran.output, "exit status"));
    for (const char *line = ran.output; *line != '\0'; line += strcspn(line, "\n") + 1) {
        cr_expect_leq(strcspn(line, "\n"), 80, "too wide: %.100s", line);
    }
    free(ran.output);
}

// Each of these words, too, has a help; bank's comes where its folder is expected.
Test(cli, every_command_has_a_help)
{
    static const char *const words[] = {"check", "hint", "list", "margins",
                                        "walls", "bank", "class"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct ran ran = run(GRADE " %s --help 2>/dev/null", words[i]);
        cr_expect_eq(ran.status, 0, "%s: status %d", words[i], ran.status);
        cr_expect_not_null(strstr(ran.output, "usage: grade"), "%s", words[i]);
        free(ran.output);
    }
}

Test(cli, says_pass_and_fail_by_its_status)
{
    struct ran pass = run(GRADE " check --src solutions --lab 1");
    cr_expect_eq(pass.status, 0, "%s", pass.output);
    free(pass.output);
    char *folder = make_folder();
    struct ran fail =
        run(TRANSPLANT WRONG "1.3-attention_scores.c@no-scale "
                             "%s/t && " GRADE " check --src %s/t --exercise 1.3",
            folder, folder);
    cr_expect_eq(fail.status, 1, "%s", fail.output);
    cr_expect_not_null(strstr(fail.output, "not divided by sqrt(d)"), "%s", fail.output);
    cr_expect_null(strchr(fail.output, '\033'), "no colors in a pipe");
    free(fail.output);
    remove_folder(folder);
}

static const cJSON *item(const cJSON *object, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    cr_assert_not_null(found, "no %s", name);
    return found;
}

static cJSON *read_json(const char *path)
{
    struct ran ran = run("cat '%s'", path);
    cJSON *json = cJSON_Parse(ran.output);
    cr_assert_not_null(json, "not JSON:\n%s", ran.output);
    free(ran.output);
    return json;
}

Test(cli, json_is_valid_whatever_the_student_printed)
{
    char *folder = make_folder();
    struct ran ran = run(
        TRANSPLANT "grader/tests/submissions/hostile/1.3-prints-a-report.c %s/t && " GRADE
                   " check --src %s/t --lab 1 --seed 5 --json %s/r.json --junit %s/r.xml",
        folder, folder, folder, folder);
    cr_expect_eq(ran.status, 1, "%s", ran.output);
    cr_expect_null(strchr(ran.output, '\033'), "the student's escapes are cleaned");
    free(ran.output);
    char *path = grader_print("%s/r.json", folder);
    cJSON *json = read_json(path);
    const cJSON *test, *tests = item(json, "tests");
    double sum = 0;
    cr_expect_eq(cJSON_GetArraySize(tests), 6);
    cJSON_ArrayForEach(test, tests)
    {
        sum += item(test, "score")->valuedouble;
        cr_expect_str_eq(item(item(test, "extra_data"), "seed")->valuestring, "5");
        cr_expect_str_eq(item(item(test, "extra_data"), "backend")->valuestring, "cpu");
    }
    cr_expect_eq(sum, item(json, "score")->valuedouble);
    test = cJSON_GetArrayItem(tests, 2);
    cr_expect_str_eq(item(test, "name")->valuestring, "1.3 attention_scores");
    cr_expect_str_eq(item(test, "status")->valuestring, "failed");
    cr_expect_eq(item(test, "max_score")->valuedouble, 20);
    cr_expect_str_eq(item(item(test, "extra_data"), "verdict")->valuestring, "wrong");
    cJSON_Delete(json);
    free(path);
    remove_folder(folder);
}

Test(cli, json_names_the_diagnosis)
{
    char *folder = make_folder();
    struct ran ran =
        run(TRANSPLANT WRONG "1.3-attention_scores.c@no-scale %s/t && " GRADE
                             " check --src %s/t --exercise 1.3 --json %s/r.json",
            folder, folder, folder);
    free(ran.output);
    char *path = grader_print("%s/r.json", folder);
    cJSON *json = read_json(path);
    const cJSON *test = cJSON_GetArrayItem(item(json, "tests"), 0);
    cr_expect_str_eq(item(item(test, "extra_data"), "diagnosis")->valuestring,
                     "no-scale");
    cJSON_Delete(json);
    free(path);
    remove_folder(folder);
}

Test(cli, a_report_that_cannot_be_written_is_the_graders_failure)
{
    struct ran ran =
        run(GRADE " check --src solutions --exercise 1.1 --json /tmp/none/at/all/r.json");
    cr_expect_eq(ran.status, 3, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "cannot write"));
    free(ran.output);
}

Test(cli, a_full_disk_leaves_the_old_report)
{
    struct ran ran = run("test -w /dev/full && " GRADE
                         " check --src solutions --exercise 1.1 >/dev/full");
    cr_expect_eq(ran.status, 3, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "cannot write the report"), "%s", ran.output);
    free(ran.output);
}

Test(cli, a_refusal_names_the_help_by_the_command_that_prints_it)
{
    expect_refusal(2, " (see build/grade --help)\n", GRADE " check --labs 1");
    struct ran ran = run("build/grade --help | grep -c .");
    cr_expect_eq(ran.status, 0, "%s", ran.output);
    free(ran.output);
}

Test(cli, a_file_without_one_function_loses_that_exercise_only)
{
    char *folder = make_folder();
    struct ran ran =
        run("mkdir %s/01_simple_attention && sed 's/^lab_status "
            "linear(/static lab_status renamed(/' "
            "solutions/01_simple_attention/attention.c | sed 's/linear([qkv], x/"
            "renamed(&/; s/renamed(linear(/renamed(/' "
            "> %s/01_simple_attention/attention.c; " GRADE " check --src %s --lab 1",
            folder, folder, folder);
    cr_expect_eq(ran.status, 1, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "linear is not in the file"), "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "90 of 100"), "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}

// The definition of 1.3 has another name in the .c and in the .cu file.
static void expect_near(const char *name, const char *words)
{
    char *folder = make_folder();
    struct ran ran =
        run("cp -r solutions/01_simple_attention %s && sed -i "
            "'s/^lab_status attention_scores\\(_gpu\\)\\?(/lab_status %s\\1(/' "
            "%s/01_simple_attention/attention.c*; " GRADE
            " check --src %s --exercise 1.3 --backend all",
            folder, name, folder, folder);
    const char *first = strstr(ran.output, "todo: attention_scores is not in the file");
    const char *second =
        strstr(ran.output, "todo: attention_scores_gpu is not in the file");
    cr_assert(first != NULL && second != NULL, "%s", ran.output);
    char cpu[128], gpu[128];
    snprintf(cpu, sizeof cpu, words, "");
    snprintf(gpu, sizeof gpu, words, "_gpu");
    cr_expect_eq(strncmp(strstr(first, " file") + 5, cpu, strlen(cpu)), 0, "%s",
                 ran.output);
    cr_expect_eq(strncmp(strstr(second, " file") + 5, gpu, strlen(gpu)), 0, "%s",
                 ran.output);
    free(ran.output);
    remove_folder(folder);
}

Test(cli, a_function_that_is_not_in_the_file_may_be_there_under_nearly_its_name)
{
    expect_near("attention_score", " (found attention_score%s: is it this?)\n");
    expect_near("atention_scoers", " (found atention_scoers%s: is it this?)\n");
    expect_near("all_scores", "\n");
}

// The assembler takes any text for a name, such as one with a line break.
Test(cli, only_a_name_of_c_is_suggested)
{
    static const char odd[] =
        "__asm__(\".pushsection .text\\n.type \\\"attention_score\\ns\\\",@function\\n\"\n"
        "        \"\\\"attention_score\\ns\\\": ret\\n\"\n"
        "        \".size \\\"attention_score\\ns\\\",1\\n.popsection\");\n";
    char *folder = make_folder(), path[200];
    snprintf(path, sizeof path, "%s/odd", folder);
    write_text(path, odd, strlen(odd));
    struct ran ran = run(
        "cp -r solutions/01_simple_attention %s && sed 's/attention_scores(/other(/' "
        "solutions/01_simple_attention/attention.c | cat - %s "
        ">%s/01_simple_attention/attention.c; " GRADE " check --src %s --exercise 1.3",
        folder, path, folder, folder);
    cr_expect_not_null(strstr(ran.output, "attention_scores is not in the file\n"), "%s",
                       ran.output);
    free(ran.output);
    remove_folder(folder);
}

Test(cli, hints_come_in_three_levels)
{
    struct ran one = run(GRADE " hint --exercise 1.3");
    struct ran three = run(GRADE " hint --exercise 1.3 --hint 3");
    cr_expect_eq(one.status, 0);
    cr_expect_not_null(strstr(one.output, "hint 1 of 3"));
    cr_expect_not_null(strstr(three.output, "hint 3 of 3"));
    free(one.output);
    free(three.output);
}

// If only AddressSanitizer ends the program, the report says in words what is wrong.
Test(cli, an_allocation_that_is_refused_is_said_in_words)
{
    static const struct {
        const char *call, *words;
    } tried[] = {
        {"aligned_alloc(64, T * S * sizeof *q)",
         "crash: aligned_alloc needs a size that is a multiple of the alignment here"},
        {"calloc(most, sizeof *q)", "crash: asks calloc for an impossible size"},
        {"calloc(most / 64, 1)", "memory: asks for more than"},
        {"malloc(most)", "memory: asks for more than"},
    };
    char *folder = make_folder();
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        struct ran ran =
            run("printf '%%s\\n' '// 1.3 attention_scores -' "
                "'volatile size_t most = (size_t)-1; (void)most;' "
                "'volatile float *got = %s;' "
                "'return got == NULL || scores == NULL || k == NULL || "
                "d == 0 ? LAB_ENOMEM : LAB_OK;' "
                ">%s/snippet.c && rm -rf %s/t && grader/tools/transplant.sh "
                "%s/snippet.c %s/t && sed -i '1i #include <stdlib.h>' "
                "%s/t/01_simple_attention/attention.c && " GRADE
                " check --src %s/t --exercise 1.3",
                tried[i].call, folder, folder, folder, folder, folder, folder);
        cr_expect_eq(ran.status, 1, "%s", ran.output);
        cr_expect_not_null(strstr(ran.output, tried[i].words), "%s", ran.output);
        free(ran.output);
    }
    remove_folder(folder);
}

// The size checks are given, but a student may change them. No snippet covers these lines.
Test(cli, a_size_of_0_in_a_batch_must_be_refused_as_a_size)
{
    char *folder = make_folder();
    struct ran ran = run(
        "cp -r solutions/06_copy_task %s && sed -i "
        "'s/ || V == 0 || first > R/ || first > R/' %s/06_copy_task/tasks.c && ! cmp -s "
        "%s/06_copy_task/tasks.c solutions/06_copy_task/tasks.c && " GRADE
        " check --src %s --exercise 6.1",
        folder, folder, folder, folder);
    cr_expect_eq(ran.status, 1, "%s", ran.output);
    cr_expect_not_null(strstr(ran.output, "LAB_ESHAPE"), "%s", ran.output);
    free(ran.output);
    remove_folder(folder);
}
