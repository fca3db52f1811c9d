// trial.c - see trial.h.

#include "judge/trial.h"

#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "cases/repeats.h"
#include "cases/show.h"
#include "cases/sizes.h"

const char *function_suffix(const struct lab_place *place)
{
    return place->gpu ? "_gpu" : "";
}

const struct test_case *case_entered(const struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        for (size_t c = 0; c < trial->parts[p].cases.count; c++) {
            if (trial->parts[p].cases.cases[c].progress == ENTERED) {
                return &trial->parts[p].cases.cases[c];
            }
        }
    }
    return NULL;
}

bool ended_well(const struct trial *trial)
{
    return trial->outcome.ending == EXITED && trial->outcome.code == 0;
}

static const char *const contents_words[CONTENTS] = {[POISONED] = "NaN",
                                                     [KEPT] =
                                                         "the results of the first call",
                                                     [ZEROS] = "zeros",
                                                     [NUMBERS] = "other numbers"};

static bool has_workspace(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].spec->role == WORKSPACE) {
            return true;
        }
    }
    return false;
}

// Removes ", Br=16" and the like from the sizes of a call.
static void leave_out(char *sizes, const char *names)
{
    while (names != NULL && *names != '\0') {
        const int length = (int)strcspn(names, " ");
        char *size = grader_print(", %.*s=", length, names);
        char *at = strstr(sizes, size);
        if (at != NULL) {
            const char *end = at + strlen(size) + strcspn(at + strlen(size), ",");
            memmove(at, end, strlen(end) + 1);
        }
        free(size);
        names += length + (names[length] == ' ');
    }
}

char *name_call(const struct trial *trial, const struct test_case *test)
{
    char sizes[128];
    case_describe(test, sizes, sizeof sizes);
    if (trial->build->place->gpu) {
        leave_out(sizes, test->part->cpu_dims);
    }
    return grader_print(
        "%s%s(%s)%s%s", test->part->function, function_suffix(trial->build->place), sizes,
        test->note != NULL ? ", " : "", test->note != NULL ? test->note : "");
}

void describe_call(const struct trial *trial, const struct test_case *test)
{
    char *call = name_call(trial, test);
    fputs(call, trial->text.file);
    free(call);
    if (case_is_repeat(test)) {
        fprintf(trial->text.file, ", called again with %s in its outputs%s",
                contents_words[test->contents],
                has_workspace(test) ? " and workspaces" : "");
    }
}

// "make check EX=9.3 NUMBERS=1", also with GPU, SEED and SRC. Caller frees.
static char *command_for_all(const struct trial *trial)
{
    const unsigned long long seed = trial->options->seed;
    const bool handout = trial->result->exercise->parts[0].bank != NULL;
    const struct again again = {.exercise = trial->result->exercise->id,
                                .gpu = trial->build->place->gpu,
                                .seed = handout || seed == PUBLIC_SEED ? 0 : seed,
                                .show = "numbers"};
    return options_command(trial->options, &again);
}

void show_call_inputs(const struct trial *trial, const struct test_case *test)
{
    char *all = trial->options->numbers ? NULL : command_for_all(trial);
    show_inputs(trial->text.file, test, all);
    free(all);
}
