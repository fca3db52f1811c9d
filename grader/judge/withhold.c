// withhold.c - the short report on an untrusted program that contains functions of the
// workbook.
//
// Where the workbook's own functions stand in (follow.c, stand_in.c), their machine code lies in the
// student's program. Handed in as bytes it earns the marks that it was lent for, so nothing may
// carry it out: what the program prints, a sanitizer's report that it forges, a finding of the
// simulated GPU, the numbers, the status and the place of a wrong value, its exit status, which of
// the known mistakes it imitates. So of such a program one of a few sentences is told, chosen by the
// verdict; whoever corrects what failed first reads all of the rest.

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

static char *sentence(const struct result *result)
{
    switch (result->verdict) {
    case WRONG:
        return grader_print("a result is wrong");
    case TODO:
        return grader_print("not written yet");
    case CRASH:
        return grader_print("does not return from every call");
    case TIMEOUT:
        return grader_print("does not return in time");
    case MEMORY:
        return grader_print("uses more than %lu megabytes", result->rule->megabytes);
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

// Which exercise it is and what was asked stays, and what the judge itself has noted; whatever else a
// result has, now or one day, is left out.
static void keep_verdict(struct result *result)
{
    struct result kept = {.place = result->place,
                          .exercise = result->exercise,
                          .rule = result->rule,
                          .backend = result->backend,
                          .chosen = result->chosen,
                          .asked = result->asked,
                          .verdict = result->verdict,
                          .note = result->note};
    result->note = NULL;
    result_clear(result);
    *result = kept;
    result->headline = sentence(result);
}

void tell_verdict_alone(struct trial *trial)
{
    if (trial->outcome.ending == NOT_STARTED) {
        return; // none of its code ran, and we know why
    }
    keep_verdict(trial->result);
    trial->outcome.output_size = 0;
    trial->shown = NULL; // no call, neither in the report nor in a file
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
