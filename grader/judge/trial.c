// trial.c - see trial.h.

#include "judge/trial.h"

#include "cases/case.h"

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

void describe_call(const struct trial *trial, const struct test_case *test)
{
    char sizes[128];
    case_describe(test, sizes, sizeof sizes);
    fprintf(trial->text.file, "%s%s(%s)", test->part->function,
            function_suffix(trial->build->place), sizes);
    if (test->note != NULL) {
        fprintf(trial->text.file, ", %s", test->note);
    }
    if (case_is_repeat(test)) {
        fprintf(trial->text.file, ", called again with %s in its outputs%s",
                contents_words[test->contents],
                has_workspace(test) ? " and workspaces" : "");
    }
}
