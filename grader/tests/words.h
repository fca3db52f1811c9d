// words.h - for tests of the report that a student reads when an exercise fails.
//
// Each test writes one function, as a student would, into a copy of the solutions
// (grader/tools/transplant.sh) and judges it. Run from the workbook's folder.

#ifndef GRADER_TESTS_WORDS_H
#define GRADER_TESTS_WORDS_H

#include "judge/options.h"
#include "judge/result.h"

// The folder with the changed functions, for the messages that name it.
extern char words_tree[64];

// Makes a new folder with one function replaced. where: "1.3 attention_scores"; body: the content of
// its region, after lines for the top of the file and a line "// BODY", if there are any.
void write_function(const char *where, const char *body, const char *suffix);

// Replaces one more function in that folder.
void replace_function(const char *where, const char *body, const char *suffix);

// Removes the folder. Each suite's .fini.
void end_words(void);

// Options that judge the folder's exercise.
struct options options_for(const char *where);

// The headline, a newline, and the details of that exercise. The caller frees it.
char *report_of(const struct options *options, enum verdict expected);

// write_function of a .c file and report_of.
char *judge(const char *where, const char *body, enum verdict expected);

// report_of on the simulated GPU alone.
char *judge_gpu(const char *exercise, enum verdict expected);

void expect_words(const char *text, const char *words);
void expect_none(const char *text, const char *words);

// The body of 1.3 attention_scores, right, with a statement before each score is stored.
#define RIGHT_SCORES(inner)                                                              \
    "#include <stdio.h>\n// BODY\n"                                                      \
    "    float scale = 1.0f / sqrtf((float)d);\n"                                        \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            float sum = 0;\n"                                                       \
    "            for (size_t i = 0; i < d; i++) {\n"                                     \
    "                sum += q[t * d + i] * k[s * d + i];\n"                              \
    "            }\n"                                                                    \
    "            " inner "\n"                                                            \
    "            scores[t * S + s] = sum * scale;\n"                                     \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

#endif
