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

// A minus of a text processor is three bytes, of which the compiler names the first.
Test(words, a_character_from_a_text_is_named)
{
    write_function("1.4 softmax_rows",
                   "    const float largest = scores[0] − 1;\n"
                   "    return LAB_OK;\n",
                   "c");
    const struct options options = options_for("1.4");
    char *text = terminal_of(&options);
    expect_words(text, "error: stray '\\342' in program");
    expect_words(text, ": − is not a character of C: write -\n");
    free(text);
}

// The compiler misses it at the end of the file.
Test(words, where_a_brace_is_missing_is_the_line_of_the_function)
{
    write_function("1.4 softmax_rows",
                   "    for (size_t t = 0; t < T; t++) {\n        weights[t] = 1;\n"
                   "    return LAB_OK;\n",
                   "c");
    char *command = grader_print("grep -n '^lab_status softmax_rows' "
                                 "%s/01_simple_attention/attention.c",
                                 words_tree);
    FILE *pipe = popen(command, "r");
    size_t line = 0;
    cr_assert(pipe != NULL && fscanf(pipe, "%zu", &line) == 1);
    pclose(pipe);
    free(command);
    const struct options options = options_for("1.4");
    char *text = terminal_of(&options);
    expect_words(text, "  a } is missing in softmax_rows: ");
    expect_none(text, "a return is missing"); // it is there, above the } that is not
    char *next =
        grader_print("\nnext: fix the error in %s/01_simple_attention/attention.c:%zu\n",
                     words_tree, line);
    expect_words(text, next);
    free(next);
    free(text);
}

Test(words, a_header_that_is_not_there_is_named_without_the_compilers_last_words)
{
    write_function("1.4 softmax_rows",
                   "#include \"helpers.h\"\n// BODY\n    return LAB_OK;\n", "c");
    const struct options options = options_for("1.4");
    char *text = terminal_of(&options);
    expect_words(text, "fatal error: helpers.h: No such file or directory");
    expect_none(text, "compilation terminated");
    free(text);
}

Test(words, a_lab_header_that_is_not_included_is_asked_for)
{
    write_function("1.4 softmax_rows", "    return LAB_OK;\n", "c");
    char *command = grader_print("sed -i '/^#include \"01_simple_attention/d' "
                                 "%s/01_simple_attention/attention.c",
                                 words_tree);
    cr_assert_eq(system(command), 0);
    free(command);
    const struct options options = options_for("1.4");
    char *text = terminal_of(&options);
    expect_words(text, "  lab_status is defined in the lab's header: is its #include "
                       "missing?\n");
    free(text);
}

// The compiler repeats it for each copy that it makes of a loop.
Test(words, a_warning_is_shown_once)
{
    if (system("gcc --help=warnings | grep -q -e -Wuse-after-free") != 0) {
        cr_skip("this gcc has no warning that it repeats");
    }
    write_function("1.4 softmax_rows",
                   "#include <stdlib.h>\n#include <string.h>\n// BODY\n"
                   "    for (size_t t = 0; t < T; t++) {\n"
                   "        float *copy = malloc(S * sizeof *copy);\n"
                   "        memcpy(copy, scores + t * S, S * sizeof *copy);\n"
                   "        free(copy);\n"
                   "        float max = copy[0];\n"
                   "        for (size_t s = 1; s < S; s++) {\n"
                   "            max = copy[s] > max ? copy[s] : max;\n"
                   "        }\n"
                   "        for (size_t s = 0; s < S; s++) {\n"
                   "            weights[t * S + s] = expf(copy[s] - max);\n"
                   "        }\n"
                   "    }\n"
                   "    return LAB_OK;\n",
                   "c");
    const struct options options = options_for("1.4");
    char *text = terminal_of(&options);
    static const char said[] = "expf(copy[s] - max);\n";
    const char *first = strstr(text, said);
    cr_assert_not_null(first, "%s", text);
    cr_expect_null(strstr(first + 1, said), "%s", text);
    free(text);
}

// The compiler shows the line of the macro's definition, too.
Test(words, a_warning_in_a_macro_leads_with_the_students_line)
{
    write_function("1.6 simple_attention",
                   "    LAB_TRY(linear(q, x, w_q, NULL, T == 0 & T, C, d));\n"
                   "    int elsewhere;\n"
                   "    return LAB_OK;\n",
                   "c");
    struct options options = options_for("1.6");
    for (int all = 0; all <= 1; all++) {
        options.warnings = all == 1;
        char *text = terminal_of(&options);
        expect_words(text, "warning: suggest parentheses around comparison");
        expect_words(text,
                     " |     LAB_TRY(linear(q, x, w_q, NULL, T == 0 & T, C, d));\n");
        expect_words(text, "elsewhere");
        expect_none(text, "status.h");
        expect_none(text, "lab_try_status");
        free(text);
    }
}

// One line instead of the errors that follow from a name that the simulator lacks.
Test(words, a_feature_that_the_simulated_gpu_lacks_is_named)
{
    static const struct {
        const char *body, *words;
    } features[] = {
        {"    cudaGraph_t graph;\n    cudaGraphCreate(&graph, 0);\n",
         "error: the simulated GPU has no graphs (cudaGraph_t); docs/gpu.md lists what it has"},
        {"    cudaTextureObject_t texture = 0;\n    (void)texture;\n",
         "error: the simulated GPU has no textures (cudaTextureObject_t)"},
        {"    gelu_kernel<<<1, 1>>>(y_dev, x_dev, tex1Dfetch<size_t>(0, 0));\n",
         "error: the simulated GPU has no textures (tex1Dfetch)"},
        {"    int rank = 0;\n    cudaIpcGetMemHandle(&rank, y_dev);\n",
         "error: the simulated GPU has no cudaIpcGetMemHandle"},
        {"    cublasHandle_t handle;\n    cublasCreate(&handle);\n",
         "error: cublasHandle_t is not known: is <cublas_v2.h> included? If so, the simulated GPU does not have "
         "it"},
        {"    try {\n        throw 1;\n    } catch (int) {\n    }\n",
         "error: a hand-in is compiled without exceptions; return a lab_status"},
    };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        char *body = grader_print("%s    return LAB_OK;\n", features[i].body);
        write_function("5.2 gelu_gpu", body, "cu");
        struct options options = options_for("5.2");
        options.gpu = GPU_SIMULATED;
        options.no_cpu = true;
        char *text = terminal_of(&options);
        expect_words(text, features[i].words);
        expect_none(text, "declared in this scope");
        expect_none(text, "-fexceptions");
        free(text);
        free(body);
    }
}

Test(words, a_slip_in_a_name_of_ones_own_is_no_feature_of_cuda)
{
    static const char *const names[] = {"surf_height", "cuSumRow"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *body = grader_print("    return %s;\n", names[i]);
        char *words = grader_print("error: '%s' was not declared", names[i]);
        write_function("5.2 gelu_gpu", body, "cu");
        struct options options = options_for("5.2");
        options.gpu = GPU_SIMULATED;
        options.no_cpu = true;
        char *text = terminal_of(&options);
        expect_words(text, words);
        free(text);
        free(words);
        free(body);
    }
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
    char *rest = grader_print(
        "  3 warnings: make check LAB=1 SRC=%s WARNINGS=1 shows them all\n", words_tree);
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

// Writes lines into 1.6 of lab 1, and returns the number of the first of them. *text is the report.
static int errors_of(const char *body, char **text)
{
    write_function("1.6 simple_attention", body, "c");
    const struct options options = options_for("1.6");
    *text = terminal_of(&options);
    char *path = grader_print("%s/01_simple_attention/attention.c", words_tree);
    FILE *file = fopen(path, "r");
    char line[400], first[400];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(body, "\n"), body);
    int number = 0, found = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, first) == 0 ? number : found;
    }
    fclose(file);
    free(path);
    return found;
}

static void expect_at(const char *text, const char *before, int line, const char *behind)
{
    char *all = grader_print("%s%s/01_simple_attention/attention.c:%d%s", before,
                             words_tree, line, behind);
    expect_words(text, all);
    free(all);
}

// Nothing of the workbook's headers leads, and the note below an error that is left out takes its code along.
static void expect_own_lines(const char *text)
{
    expect_none(text, "status.h");
    expect_none(text, "In file included");
    expect_none(text, "      |                  from");
    expect_none(text, "in definition of macro");
}

// A macro ends before the missing ;, so gcc names a line of its definition.
Test(words, an_error_before_a_macro_leads_with_the_students_line)
{
    char *text;
    const int line = errors_of("    LAB_TRY(linear(q, x, w_q, NULL, T, C, d))\n"
                               "    // the keys\n"
                               "\n"
                               "    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));\n"
                               "    int n = 1 /* of them */\n"
                               "    LAB_TRY(linear(v, x, w_v, NULL, T, C, d));\n"
                               "    return LAB_OK;\n",
                               &text);
    expect_own_lines(text);
    expect_at(text, "", line + 3,
              ":5: error: expected ';' before 'do', in expansion of macro 'LAB_TRY'\n");
    char *missing = grader_print("  line %d: a ; is missing\n", line);
    expect_words(text, missing);
    expect_at(text, "\nnext: fix the error in ", line, "\n");
    free(missing);
    missing = grader_print("  line %d: a ; is missing\n", line + 4);
    expect_words(text, missing);
    free(missing);
    free(text);
}

Test(words, an_error_within_a_macro_leads_with_the_students_line)
{
    char *text;
    const int line = errors_of("    LAB_TRY(linear(q, y, w_q, NULL, T, C, d));\n"
                               "    return LAB_OK;\n",
                               &text);
    expect_own_lines(text);
    expect_at(text, "", line, ":23: error: 'y' undeclared");
    const char *code = strstr(text, "LAB_TRY(linear(q, y");
    cr_expect(code != NULL && strstr(code + 1, "LAB_TRY(linear(q, y") == NULL, "%s",
              text);
    expect_at(text, "\nnext: fix the error in ", line, "\n");
    free(text);
}

// "replace the line return lab_todo(...)": nothing in the code left shows how a function ends.
Test(words, a_missing_return_is_named)
{
    char *text;
    const int line = errors_of("    out[0] = 1;\n", &text);
    expect_at(text, "", line + 1, ":1: error: control reaches end of non-void function");
    char *missing =
        grader_print("  line %d: a return is missing above this }; the functions of "
                     "a lab end with return LAB_OK;\n",
                     line + 1);
    expect_words(text, missing);
    expect_at(text, "\nnext: fix the error in ", line + 1, "\n");
    free(missing);
    free(text);
}

// The compiler misses a ; behind a word that it does not know, and within a line it shows itself where.
Test(words, a_semicolon_is_said_to_be_missing_only_at_the_end_of_a_line)
{
    char *text;
    const int line = errors_of("    esle\n"
                               "    int n = 1;\n"
                               "    for (size_t i = 0 i < T; i++) {}\n"
                               "    return LAB_OK;\n",
                               &text);
    expect_at(text, "", line, ":5: error: 'esle' undeclared");
    expect_at(text, "", line + 2, ":23: error: expected ',' or ';' before 'i'");
    expect_none(text, "a ; is missing");
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

// An exercise goes by its first function, which may be right.
Test(words, next_names_the_function_that_is_wrong)
{
    write_function("1.1 matmul_nt",
                   "    out[0] = a[0] + b[M * N * K];\n    return LAB_OK;\n", "c");
    const struct options options = options_for("1.1");
    char *text = terminal_of(&options);
    expect_words(text, "\nnext: fix 1.1 matmul_nt (hint: make hint EX=1.1)");
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

// gcc calls an unknown function an error on the line whose ; is missing.
Test(words, a_semicolon_is_missing_behind_an_unknown_function)
{
    char *text;
    const int line = errors_of("    out[0] = expff(out[0])\n"
                               "    return LAB_OK;\n",
                               &text);
    expect_at(text, "", line, ":14: error: implicit declaration of function 'expff'");
    char *missing = grader_print("  line %d: a ; is missing\n", line);
    expect_words(text, missing);
    free(missing);
    free(text);
}

Test(words, no_semicolon_is_missing_before_a_brace)
{
    char *text;
    errors_of("    whlie (T > S)\n"
              "    {\n"
              "        T--;\n"
              "    }\n"
              "    return LAB_OK;\n",
              &text);
    expect_words(text, "'whlie'");
    expect_none(text, "a ; is missing");
    free(text);
}

// A report on untrusted code must not show where the grader's machine keeps it.
Test(words, what_to_write_next_is_named_without_the_path_of_untrusted_code)
{
    write_function("1.3 attention_scores", "    return lab_todo(\"attention_scores\");\n",
                   "c");
    struct options options = options_for("1.3");
    options.strangers = true;
    char *text = terminal_of(&options);
    expect_words(text,
                 "next: write 1.3 attention_scores in 01_simple_attention/attention.c "
                 "(hint: ");
    free(text);
    options.strangers = false;
    text = terminal_of(&options);
    char *next = grader_print(
        "next: write 1.3 attention_scores in %s/01_simple_attention/", words_tree);
    expect_words(text, next);
    free(next);
    free(text);
}

// What stands where the file should be: nothing, a folder, a link.
Test(words, a_file_that_is_not_there_is_called_missing)
{
    static const char *const standing[][2] = {
        {"true", "is missing\n"},
        {"mkdir", "is a folder, not a file\n"},
        {"ln -s nothing", "is a link to a missing file\n"},
    };
    write_function("1.3 attention_scores", "    return LAB_OK;\n", "c");
    for (size_t i = 0; i < sizeof standing / sizeof *standing; i++) {
        char *path = grader_print("%s/01_simple_attention/attention.c", words_tree);
        char *command = grader_print("rm -rf %s && %s %s", path, standing[i][0], path);
        char *expected = grader_print("  %s %s", path, standing[i][1]);
        cr_assert_eq(system(command), 0);
        const struct options options = options_for("1.3");
        char *text = terminal_of(&options);
        expect_words(text, expected);
        free(text);
        free(expected);
        free(command);
        free(path);
    }
}
