// withhold.c - the short report on an untrusted program that contains functions of the
// workbook.
//
// If the workbook's functions are used (follow.c, stand_in.c), their machine code is in the
// student's program. A student who got this code out could hand it in and earn its marks.
// The code could leak through printed text, a forged sanitizer report, a finding of the
// simulated GPU, the numbers, status and position of a wrong value, the exit status, or the
// choice of a known mistake to imitate. So the report on such a program is one of a few
// fixed sentences, chosen by the verdict. Students who fix the exercise that failed first
// get the full report.

#include "judge/withhold.h"

#include <stdlib.h>

#include "base/memory.h"
#include "build/build.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/trial.h"

bool lends_to_a_stranger(const struct options *options, const struct build *build)
{
    return build->lends && options->strangers;
}

// Known without running the program, so it shows nothing of ours. A .cu file may have constructors that its
// variables need.
static bool has_constructor(const struct trial *trial)
{
    const struct build *build = trial->build;
    // AddressSanitizer has one in each file
    return trial->result->backend == CPU &&
           build->symbols.early_functions > build_files(build);
}

static char *sentence(const struct trial *trial)
{
    switch (trial->result->verdict) {
    case WRONG:
        return grader_print("a result is wrong");
    case TODO:
        return grader_print("not written yet");
    case CRASH:
        return grader_print("does not return from every call%s",
                            has_constructor(trial) ? ": does a constructor exit before "
                                                     "the first one?"
                                                   : "");
    case TIMEOUT:
        return grader_print("does not return in time");
    case MEMORY:
        return grader_print("needs too much memory");
    case NOCOMPILE:
        return grader_print("does not compile with the workbook's own functions");
    case NOT_RUN:
        return grader_print("not run: no CUDA device");
    case GRADER_ERROR:
        return grader_print("the program ended before its first call");
    default:
        return grader_print("%s", "");
    }
}

// Keeps the exercise, the options and the grader's own notes. All other fields of a result,
// including future ones, are dropped.
static void keep_verdict(const struct trial *trial)
{
    struct result *result = trial->result;
    struct result kept = {.place = result->place,
                          .exercise = result->exercise,
                          .rule = result->rule,
                          .backend = result->backend,
                          .chosen = result->chosen,
                          .asked = result->asked,
                          .verdict = result->verdict,
                          .note = result->note,
                          .lent = result->lent};
    result->note = result->lent = NULL;
    result_clear(result);
    *result = kept;
    result->headline = sentence(trial);
}

void tell_verdict_alone(struct trial *trial)
{
    if (trial->outcome.ending == NOT_STARTED || trial->outcome.ending == USED_UP) {
        return; // none of its code ran, and the reason is known
    }
    keep_verdict(trial);
    trial->outcome.output_size = 0;
    trial->shown = NULL; // no call in the report or in a file
    free(text_end(&trial->text));
    text_begin(&trial->text);
    if (trial->result->verdict != PASS) {
        fputs("  The workbook's own functions are part of this program, so this report "
              "is short:\n"
              "  details could show their code. Once the exercises that this one uses "
              "pass, you get the\n"
              "  full report.\n",
              trial->text.file);
    }
}
