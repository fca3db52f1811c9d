// check.c - see check.h. Each function is judged by the bank as if it were a student's.

#include "bank/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank/read.h"
#include "bank/recall.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/diagnose.h"
#include "cases/list.h"
#include "cases/oracle.h"
#include "cases/pretend.h"
#include "cases/repeats.h"

struct both {
    struct case_list *drawn, *read;
    const struct entry *entry;
};

static bool same_bytes(const void *one, const void *other, size_t size)
{
    return (one == NULL) == (other == NULL) &&
           (one == NULL || memcmp(one, other, size) == 0);
}

static bool same_case(const struct test_case *drawn, const struct test_case *read)
{
    bool same = drawn->dims == read->dims && drawn->again == read->again &&
                drawn->apart == read->apart && drawn->second == read->second &&
                drawn->property == read->property && drawn->gpu_only == read->gpu_only &&
                drawn->memory_only == read->memory_only &&
                memcmp(drawn->dim, read->dim, sizeof drawn->dim) == 0 &&
                (drawn->note == NULL) == (read->note == NULL) &&
                (drawn->note == NULL || strcmp(drawn->note, read->note) == 0);
    for (size_t i = 0; same && i < drawn->tensors; i++) {
        const struct tensor *a = &drawn->tensor[i], *b = &read->tensor[i];
        same = a->absent == b->absent && a->count == b->count &&
               (a->absent || (a->atol == b->atol && a->rtol == b->rtol &&
                              same_bytes(a->data, b->data, a->count * a->element_size)));
    }
    return same;
}

static bool same_cases(const struct case_list *drawn, const struct case_list *read)
{
    bool same = drawn->count == read->count;
    for (size_t c = 0; same && c < drawn->count; c++) {
        same = same_case(&drawn->cases[c], &read->cases[c]);
    }
    return same;
}

static bool complain(const char *stem, const char *what, const char *id)
{
    fprintf(stderr, "grade: the bank of %s %s%s%s\n", stem, what, id != NULL ? " " : "",
            id != NULL ? id : "");
    return false;
}

static any_function pretended; // by the cases that are judged now

// As solutions_oracle.agrees, for the first call of a case.
static bool other_agrees(const struct test_case *test, const struct entry *entry,
                         const struct mistake *mistake, bool or_right)
{
    void *output[MAX_TENSORS];
    lab_status status = recall_call(test, entry->call, mistake->function, output);
    bool same = status == LEAVES_ARGUMENTS || same_as_got(test, status, output, or_right);
    case_free_outputs(output);
    return same;
}

// As solutions_oracle.agrees. The outputs of the mistake that the cases pretend are there already.
static bool agrees(const struct test_case *test, const struct entry *entry,
                   const struct mistake *mistake, bool or_right)
{
    if (mistake->function != pretended) {
        return (case_is_repeat(test) ? solutions_oracle.agrees
                                     : other_agrees)(test, entry, mistake, or_right);
    }
    void *output[MAX_TENSORS] = {NULL};
    for (size_t i = 0; i < test->tensors; i++) {
        output[i] = test->tensor[i].got;
    }
    const bool left =
        test->progress == ENTERED || test->got_status == (int)LEAVES_ARGUMENTS;
    return left || same_as_got(test, (lab_status)test->got_status, output, or_right);
}

static bool leaves_arguments(const struct test_case *test, const struct entry *entry,
                             const struct mistake *mistake)
{
    void *output[MAX_TENSORS];
    lab_status status = recall_call(test, entry->call, mistake->function, output);
    case_free_outputs(output);
    return status == LEAVES_ARGUMENTS;
}

// Judges the same outputs with the full workbook and with the bank.
static bool judged_alike(const struct both *both, any_function f)
{
    struct case_list whole = *both->drawn, banked = *both->read;
    pretended = f;
    cases_pretend_both(&whole, &banked, both->entry, f, recall_call);
    for (size_t c = 0; c < whole.count; c++) {
        const struct test_case *one = &whole.cases[c];
        const struct test_case *other = &banked.cases[c];
        if (compare_case(one).fault != compare_case(other).fault ||
            one->contents != other->contents) {
            return false;
        }
    }
    return diagnose(&whole, both->entry) == diagnose(&banked, both->entry);
}

static bool all_judged_alike(const char *stem, const struct both *both,
                             const struct mistake *list)
{
    for (; list != NULL && list->id != NULL; list++) {
        if (!judged_alike(both, list->function)) {
            return complain(stem, "judges differently from the full workbook:", list->id);
        }
    }
    return true;
}

bool bank_check(const char *folder, const char *stem, const struct part *part,
                const struct entry *entry, uint64_t seed, bool gpu, const int64_t *rows)
{
    struct part banked = *part;
    banked.bank = stem;
    struct case_list drawn = cases_draw(part, seed, gpu);
    cases_expect(&drawn, entry);
    struct oracle oracle = solutions_oracle;
    oracle.agrees = agrees;
    oracle.leaves_arguments = leaves_arguments;
    for (size_t c = 0; c < drawn.count; c++) {
        drawn.cases[c].oracle = &oracle;
        drawn.cases[c].row = (size_t)rows[c];
    }
    struct case_list read = bank_draw(folder, &banked, gpu);
    for (size_t c = 0; c < drawn.count && c < read.count; c++) {
        drawn.cases[c].repeats = read.cases[c].repeats;
    }
    const struct both both = {&drawn, &read, entry};
    struct case_list asked = drawn, asked_read = read;
    asked.count = cases_put_memory_last(&drawn);
    asked_read.count = cases_put_memory_last(&read);
    const struct both both_asked = {&asked, &asked_read, entry};
    bool fine = (same_cases(&drawn, &read) || complain(stem, "has other cases", NULL)) &&
                (judged_alike(&both, entry->function) ||
                 complain(stem, "rejects the solution", NULL)) &&
                all_judged_alike(stem, &both, part->alternatives) &&
                all_judged_alike(stem, &both_asked, part->mistakes);
    cases_free(&drawn);
    cases_free(&read);
    return fine;
}
