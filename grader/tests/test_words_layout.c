// test_words_layout.c - how reports and hints are laid out: warnings, folded lines, steps.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wrapped.h"
#include "exercises/exercise.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "report/fold.h"
#include "report/terminal.h"
#include "report/text.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

static char *terminal_of(const struct options *options)
{
    struct grading grading = grade_run(options);
    struct text text;
    text_begin(&text);
    report_terminal(text.file, &grading, false);
    grade_free(&grading);
    return text_end(&text);
}

// Two functions with warnings, one of which is judged. Its most helpful warning comes first,
// although the compiler prints it last.
Test(words, warnings_are_of_the_judged_function_and_the_rest_is_counted)
{
    write_function("1.3 attention_scores",
                   "    int unused; float sum, *end = scores + T * S;\n"
                   "    for (int t = 0; t < T; t++) {\n"
                   "        for (size_t s = 0; s < S; s++) {\n"
                   "            for (size_t i = 0; i < d; i++) {\n"
                   "                sum += q[t * d + i] * k[s * d + i];\n"
                   "            }\n"
                   "            scores[t * S + s] = sum / sqrtf((float)d);\n"
                   "        }\n"
                   "    }\n"
                   "    return LAB_OK;\n",
                   "c");
    replace_function("1.4 softmax_rows", "    int elsewhere;\n    return LAB_OK;\n", "c");
    struct options options = options_for("1.3");
    char *text = terminal_of(&options);
    const char *first = strstr(text, ": the compiler warns\n");
    cr_assert_not_null(first, "%s", text);
    first = strchr(first, '\n') + 1;
    cr_expect_not_null(memmem(first, strcspn(first, "\n"), "uninitialized", 13), "%s",
                       text);
    expect_words(text, "different signedness");
    expect_none(text, "elsewhere");
    char *rest =
        grader_print("  and 2 more warnings, 1 of them in another exercise: make "
                     "check LAB=1 SRC=%s WARNINGS=1 shows them all\n",
                     words_tree);
    expect_words(text, rest);
    free(text);
    const struct options another = options_for("1.5");
    text = terminal_of(&another);
    expect_words(text, "  5 warnings in other exercises: make check LAB=1");
    free(text);
    options.warnings = true;
    text = terminal_of(&options);
    expect_words(text, "elsewhere");
    expect_none(text, "more warning");
    free(text);
    free(rest);
}

// The compiler's first and last lines are warnings, some of which the error causes.
Test(words, a_file_that_does_not_compile_shows_its_errors)
{
    write_function("1.3 attention_scores",
                   "    const float scale = 1.0f / sqrtf((float)d);\n"
                   "    for (int i = 0; i < d; i++) {\n"
                   "        scores[i] = scal;\n"
                   "        matmul(scores);\n"
                   "        fill_zero(scores);\n"
                   "    }\n"
                   "    return LAB_OK;\n",
                   "c");
    replace_function("1.4 softmax_rows", "    int elsewhere;\n    return LAB_OK;\n", "c");
    struct options options = options_for("1.3");
    char *text = terminal_of(&options);
    expect_words(text, " 0/20  does not compile\n");
    expect_none(text, "nocompile");
    expect_words(text, "In function 'attention_scores':\n");
    expect_words(text, "error: 'scal' undeclared");
    expect_none(text, "identifier is reported only once");
    expect_words(text, "error: too few arguments to function 'matmul'");
    expect_words(text, "error: implicit declaration of function 'fill_zero'");
    expect_none(text, "warning: ");
    expect_none(text, "different signedness");
    expect_none(text, "In function 'softmax_rows'");
    char *rest =
        grader_print("  3 warnings: make check LAB=1 SRC=%s WARNINGS=1 shows them "
                     "all\n",
                     words_tree);
    expect_words(text, rest);
    free(text);
    options.warnings = true;
    text = terminal_of(&options);
    expect_words(text, "error: 'scal' undeclared");
    expect_words(text, "elsewhere");
    expect_words(text, "different signedness");
    free(text);
    free(rest);
}

// gcc says only that the file ends too early, and speaks of its own option -fmax-errors.
Test(words, a_missing_brace_and_the_end_after_five_errors_are_said_in_words)
{
    write_function("1.3 attention_scores",
                   "    for (size_t i = 0; i < d; i++) {\n"
                   "        scores[i] = 0.0f;\n"
                   "    return LAB_OK;\n",
                   "c");
    const struct options options = options_for("1.3");
    char *text = terminal_of(&options);
    expect_words(text, "  a } is missing in attention_scores: the rest of the file is ");
    expect_none(text, "At top level");
    free(text);
    write_function("1.3 attention_scores",
                   "    a(); b(); c(); d(); e(); f();\n"
                   "    return LAB_OK;\n",
                   "c");
    text = terminal_of(&options);
    expect_words(text, "  these are the first 5 errors; there may be more\n");
    expect_none(text, "-fmax-errors");
    free(text);
}

// What an UPDATED tensor holds before and after the call stands under the same name.
Test(words, an_input_that_the_call_changes_is_marked)
{
    write_function("6.8 layernorm_backward", "    return LAB_OK;\n", "c");
    const struct options options = options_for("6.8");
    char *text = terminal_of(&options);
    expect_words(text, "  dgain (C), before the call\n");
    expect_words(text, "  gain (C)\n");
    free(text);
}

// A narrow terminal does not break a command, so that it can be copied.
Test(words, a_command_stays_on_one_line)
{
    static const struct {
        const char *line, *folded;
    } rows[] = {
        {"next: fix 1.1 matmul (gpu) (hint: make hint EX=1.1 GPU=1)\n",
         "next: fix 1.1 matmul (gpu) (hint:\n  make hint EX=1.1 GPU=1)\n"},
        {"  in the call matmul(M=1, N=2, K=1), to check by hand\n",
         "  in the call matmul(M=1, N=2, K=1), to\n    check by hand\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text;
        text_begin(&text);
        report_fold(text.file, rows[i].line, 40);
        char *folded = text_end(&text);
        cr_expect_str_eq(folded, rows[i].folded);
        free(folded);
    }
}

// The steps of a hint: what does not fit in a line stays inside its step.
Test(words, a_wrapped_line_keeps_its_indentation)
{
    struct text text;
    text_begin(&text);
    print_wrapped(text.file, "  ",
                  "for each row n, one after the other:\n"
                  "    max[n] = the largest of its scores\n"
                  "then the sum",
                  30);
    char *wrapped = text_end(&text);
    cr_expect_str_eq(wrapped, "  for each row n, one after\n"
                              "  the other:\n"
                              "      max[n] = the largest of\n"
                              "          its scores\n"
                              "  then the sum\n");
    free(wrapped);
}

// Steps inside a step are indented by four. The least indented one after the first line tells.
static void expect_steps(const char *id, const char *hint)
{
    size_t least = hint == NULL || strchr(hint, '\n') == NULL ? 0 : SIZE_MAX;
    for (const char *line = hint; least > 0 && (line = strchr(line, '\n')) != NULL;) {
        size_t blanks = strspn(++line, " ");
        least = blanks < least ? blanks : least;
    }
    cr_expect(least == 0 || least == 4, "%s: a hint's steps begin with %zu blanks", id,
              least);
}

// The last hint is steps, one below the other, unless it is a single short one.
static void expect_last_hint(const char *id, const char *hint)
{
    cr_expect(hint == NULL || strchr(hint, '\n') != NULL || strlen(hint) < 90,
              "%s: the last hint has no steps: %s", id, hint);
}

Test(words, the_steps_of_a_hint_show_what_is_inside_what)
{
    for (const struct lab_place *place = lab_places; place->lab != NULL; place++) {
        for (const struct exercise *const *each = place->lab->exercises; *each != NULL;
             each++) {
            for (int level = 0; level < HINT_LEVELS; level++) {
                expect_steps((*each)->id, (*each)->hints[level]);
                expect_steps((*each)->id, (*each)->gpu_hints[level]);
            }
            expect_last_hint((*each)->id, (*each)->hints[HINT_LEVELS - 1]);
            expect_last_hint((*each)->id, (*each)->gpu_hints[HINT_LEVELS - 1]);
        }
    }
}
