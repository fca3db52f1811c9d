// test_words_crashes.c - how a report explains a crash, and what it shows of the printed lines.

#include <criterion/criterion.h>
#include <stdlib.h>

#include "sandbox/available.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

// ---- crashes ------------------------------------------------------------------------------

// 9.4 hands a NULL mask to masked_softmax, which here is the workbook's own.
static const char null_mask[] =
    "    for (size_t i = 0; i < B * NH; i++) {\n"
    "        LAB_TRY(masked_softmax(weights + i * T * S, scores + i * T * S,\n"
    "                               mask + i / NH * T * S, T, S));\n"
    "    }\n"
    "    (void)out, (void)q, (void)k, (void)v;\n"
    "    return LAB_OK;\n";

Test(words, a_crash_in_a_function_that_yours_calls_names_both_and_the_line_of_the_call)
{
    char *text = judge("9.4 grouped_query_attention", null_mask, CRASH);
    expect_words(text, "dereferences mask, which is NULL in this call");
    expect_words(text, "  in masked_softmax of lab 3, called\n  at ");
    expect_words(text, " in grouped_query_attention\n");
    expect_none(text, "causal.c");
    expect_none(text, "0x");
    free(text);
}

// In evaluation, dropout that is always told to train reads uniforms, which are NULL. Often positions
// are NULL in the same call, and nothing shows which of them was read.
static const char reads_uniforms[] =
    "    (void)z;\n"
    "    return params->position_table == NULL && uniforms[0] > 2.0f ? LAB_TODO : LAB_OK;\n";

Test(words, of_several_arguments_that_are_NULL_none_is_blamed_alone)
{
    char *text = judge("6.11 model_forward", reads_uniforms, CRASH);
    expect_words(text,
                 "dereferences a NULL pointer; these arguments are NULL in this call: ");
    expect_words(text, "params.position_table");
    expect_words(text, "uniforms");
    expect_none(text, "dereferences params");
    free(text);
}

// Infinity does not fit an int. The call that shows it reads and writes nothing outside.
Test(words, an_int_sum_that_meets_infinity_is_not_out_of_bounds)
{
    char *text = judge("1.1 matmul",
                       "    for (size_t i = 0; i < M * N; i++) {\n"
                       "        int sum = 0;\n"
                       "        for (size_t k = 0; k < K; k++) {\n"
                       "            sum += a[i / N * K + k] * b[k * N + i % N];\n"
                       "        }\n"
                       "        out[i] = (float)sum;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "diagnosis: an integer drops fractions: line ");
    expect_words(text, "the same mistake ends the program in matmul(");
    expect_none(text, "out of bounds");
    free(text);
}

// The code of a stranger could make such a trace say anything.
Test(words, a_stranger_is_not_told_where_the_workbooks_function_crashed)
{
    write_function("9.4 grouped_query_attention", null_mask, "c");
    struct options options = options_for("9.4");
    options.strangers = true;
    char *text = report_of(&options, CRASH);
    expect_words(text, "does not return from every call");
    expect_none(text, "masked_softmax");
    expect_none(text, "cache.c");
    free(text);
}

// Whether there is a constructor is known without running the program.
Test(words, a_stranger_s_constructor_is_named_where_ours_are_in_the_program)
{
    write_function("1.3 attention_scores",
                   "#include <unistd.h>\n"
                   "__attribute__((constructor)) static void early(void) { _exit(3); }\n"
                   "// BODY\n    return LAB_OK;\n",
                   "c");
    struct options options = options_for("1.6");
    options.strangers = true;
    char *text = report_of(&options, CRASH);
    expect_words(text, "does not return from every call: does a constructor exit before "
                       "the first one?\n");
    free(text);
}

// A box starts the worker as a program, whose loader this names.
Test(words, a_section_of_the_loader_changes_nothing)
{
    char reason[128];
    if (!box_available(".", reason, sizeof reason)) {
        cr_skip_test("%s", reason);
    }
    write_function("1.3 attention_scores",
                   "__attribute__((section(\".interp\"))) const char of_mine[] = "
                   "\"/bin/true\";\n" RIGHT_SCORES(""),
                   "c");
    struct options options = options_for("1.3");
    options.untrusted = true;
    free(report_of(&options, PASS));
}

Test(words, a_negative_number_of_bytes_is_called_so)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("void *memset(void *, int, size_t); "
                                    "memset(scores, 0, (T - S - 1) * sizeof *scores);"),
                       CRASH);
    expect_words(text,
                 "asks memset, memcpy or memmove for a negative number of bytes: is "
                 "it a difference that goes below 0?\n");
    free(text);
}

// Three stack traces are in such a report. None of them continues another one.
#define MAKES_ROOM                                                                       \
    "#include <stdlib.h>\n"                                                              \
    "static float *make_room(size_t n)\n"                                                \
    "{\n"                                                                                \
    "    return malloc(n * sizeof(float));\n"                                            \
    "}\n"                                                                                \
    "// BODY\n"

Test(words, memory_used_after_free_is_shown_with_the_lines_of_free_and_malloc)
{
    char *text = judge("1.3 attention_scores",
                       MAKES_ROOM "    float *room = make_room(T * S + d);\n"
                                  "    free(room);\n"
                                  "    room[0] = q[0] * k[0];\n"
                                  "    scores[0] = room[0];\n"
                                  "    return LAB_OK;\n",
                       CRASH);
    expect_words(text, "uses memory after free");
    expect_words(text, " in attention_scores\n  freed at ");
    expect_words(text, " in attention_scores\n  malloc at ");
    expect_words(text, " in make_room\n  from ");
    free(text);
}

Test(words, memory_freed_twice_is_called_so)
{
    char *text = judge("1.3 attention_scores",
                       MAKES_ROOM "    float *room = make_room(T * S + d);\n"
                                  "    free(room);\n"
                                  "    free(room);\n"
                                  "    scores[0] = q[0] * k[0];\n"
                                  "    return LAB_OK;\n",
                       CRASH);
    expect_words(text, "frees the same memory twice");
    expect_none(text, "malloc did not return");
    free(text);
}

Test(words, a_bool_that_was_not_set_is_called_so)
{
    char *text = judge("8.1 vocabulary",
                       "#include <string.h>\n"
                       "// BODY\n"
                       "    bool seen[256];\n"
                       "    memset(seen, 23, sizeof seen);\n"
                       "    *V = seen[text[0]] ? N : 1;\n"
                       "    bytes[0] = text[0];\n"
                       "    return LAB_OK;\n",
                       CRASH);
    expect_words(text, "reads a bool that holds 23, neither false (0) nor true (1): was "
                       "it set before?");
    expect_none(text, "load of value");
    free(text);
}

Test(words, a_copy_onto_itself_is_called_so)
{
    char *text = judge("2.1 matmul",
                       "#include <string.h>\n// BODY\n"
                       "    static float row[64];\n"
                       "    memcpy(row + (M > 0), row, 32 * sizeof *row);\n"
                       "    memset(out, 0, M * N * sizeof *out);\n"
                       "    return a[0] == b[0] && K == 0 ? LAB_TODO : LAB_OK;\n",
                       CRASH);
    expect_words(text, "calls memcpy on memory that overlaps; use memmove\n");
    free(text);
}

// A function of a lab that this one is not linked with. The linker names the first file of the lab.
Test(words, a_function_that_is_nowhere_is_named_with_its_caller)
{
    char *text = judge("6.8 layernorm_backward",
                       "#include \"common/status.h\"\n"
                       "lab_status linear(void);\n"
                       "// BODY\n"
                       "    (void)dgain, (void)dbias, (void)dy, (void)x, (void)mean, "
                       "(void)rstd, (void)gain, (void)dx;\n"
                       "    return linear();\n",
                       NOCOMPILE);
    expect_words(text,
                 "error: layernorm_backward calls linear, which is in none of the "
                 "files of this program\nIt is a function of lab 1, which is not part "
                 "of this program: copy its body into a static function of yours.\n");
    expect_none(text, "train.c");
    free(text);
}

// ---- what is printed ----------------------------------------------------------------------

Test(words, printing_in_every_step_fails_no_right_code)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("printf(\"score %zu %zu of a call: %f\\n\", t, s, "
                                    "(double)sum);"),
                       PASS);
    expect_words(text,
                 "your code printed in its first call:\n    | score 0 0 of a call: ");
    free(text);
}

Test(words, lines_that_are_not_shown_are_counted)
{
    char *text = judge("1.3 attention_scores",
                       RIGHT_SCORES("static int lines; for (; lines < 48132; lines++) { "
                                    "printf(\"line %d\\n\", lines); }"),
                       PASS);
    expect_words(text, "    | line 0\n");
    expect_words(text, "    | line 19\n    | … 48,112 more lines were printed, "
                       "in this call and later ones\n");
    free(text);
}

// The sanitizer's report comes after a megabyte of the student's output.
Test(words, a_crash_after_much_printing_is_still_explained)
{
    char *text =
        judge("1.3 attention_scores",
              RIGHT_SCORES("for (int i = 0; i < 300000 / (int)(T * S); i++) { "
                           "puts(\"more\"); } if (T * S > 2) { scores[T * S] = sum; }"),
              CRASH);
    expect_words(text, "past the end of scores");
    expect_words(text, "attention.c:");
    free(text);
}

// A stack trace names the student's lines. To name the sanitizers' own, too, would take several times
// as long as everything else (worker/open.c).
Test(words, a_stack_trace_names_the_student_s_lines_only)
{
    char *text = judge("1.3 attention_scores",
                       "void __sanitizer_print_stack_trace(void);\n" RIGHT_SCORES(
                           "static int sums; if (sums++ == 0) { "
                           "__sanitizer_print_stack_trace(); }"),
                       PASS);
    expect_words(text, "in attention_scores ");
    expect_words(text, "attention.c:");
    expect_none(text, "in __sanitizer_print_stack_trace");
    free(text);
}
