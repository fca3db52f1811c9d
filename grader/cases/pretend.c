// pretend.c - runs one of the grader's functions as if it were a student's.

#include "cases/pretend.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/repeats.h"

static void start_over(struct test_case *test)
{
    test->contents = test->again ? NUMBERS : POISONED;
    for (size_t i = 0; i < test->tensors; i++) {
        for (size_t c = 0; c < CONTENTS; c++) {
            free(test->tensor[i].repeated[c]);
            test->tensor[i].repeated[c] = NULL;
        }
    }
}

void cases_start_over(struct case_list *cases)
{
    for (size_t c = 0; c < cases->count; c++) {
        start_over(&cases->cases[c]);
    }
}

static void call_first(struct test_case *test, const struct entry *entry, any_function f,
                       case_caller *caller)
{
    void *output[MAX_TENSORS];
    start_over(test);
    f = test->gpu_only ? entry->function : f;
    lab_status status = caller(test, entry->call, f, output);
    test->progress = status == LEAVES_ARGUMENTS ? ENTERED : RETURNED;
    test->got_status = (int)status;
    for (size_t i = 0; i < test->tensors; i++) {
        if (output[i] != NULL) {
            memcpy(test->tensor[i].got, output[i],
                   test->tensor[i].count * test->tensor[i].element_size);
        }
    }
    case_free_outputs(output);
}

static void call_again(struct test_case *test, const struct entry *entry, any_function f,
                       enum contents contents, case_caller *caller)
{
    void *output[MAX_TENSORS];
    const enum contents before = test->contents;
    test->contents = contents;
    f = test->gpu_only ? entry->function : f;
    test->repeat_status[contents] = (int)caller(test, entry->call, f, output);
    test->contents = before;
    for (size_t i = 0; i < test->tensors; i++) {
        if (output[i] != NULL) {
            test->tensor[i].repeated[contents] = output[i];
            output[i] = NULL;
        }
    }
    case_free_outputs(output);
}

static void make_calls(struct case_list *cases, const struct entry *entry, any_function f,
                       case_caller *caller)
{
    for (size_t c = 0; c < cases->count; c++) {
        call_first(&cases->cases[c], entry, f, caller);
    }
    cases_expect_again(cases, entry);
    for (size_t c = 0; c < cases->count; c++) {
        struct test_case *test = &cases->cases[c];
        bool right = compare_case(test).fault == NO_FAULT;
        for (uint32_t k = POISONED + 1; right && k < CONTENTS; k++) {
            if ((test->repeats >> k & 1) != 0) {
                call_again(test, entry, f, (enum contents)k, caller);
            }
        }
    }
}

void cases_pretend(struct case_list *cases, const struct entry *entry, any_function f)
{
    make_calls(cases, entry, f, case_call);
    cases_settle(cases);
}

static void copy_first(struct test_case *to, const struct test_case *from)
{
    start_over(to);
    to->progress = from->progress;
    to->got_status = from->got_status;
    for (size_t i = 0; i < to->tensors; i++) {
        if (to->tensor[i].got != NULL && from->tensor[i].got != NULL) {
            memcpy(to->tensor[i].got, from->tensor[i].got,
                   to->tensor[i].count * to->tensor[i].element_size);
        }
    }
}

static void copy_repeats(struct test_case *to, const struct test_case *from)
{
    memcpy(to->repeat_status, from->repeat_status, sizeof to->repeat_status);
    for (size_t i = 0; i < to->tensors; i++) {
        const size_t size = to->tensor[i].count * to->tensor[i].element_size;
        for (size_t c = 0; c < CONTENTS; c++) {
            if (from->tensor[i].repeated[c] != NULL) {
                to->tensor[i].repeated[c] = grader_alloc(size);
                memcpy(to->tensor[i].repeated[c], from->tensor[i].repeated[c], size);
            }
        }
    }
}

void cases_pretend_both(struct case_list *one, struct case_list *other,
                        const struct entry *entry, any_function f, case_caller *caller)
{
    make_calls(one, entry, f, caller);
    for (size_t c = 0; c < other->count; c++) {
        copy_first(&other->cases[c], &one->cases[c]);
        copy_repeats(&other->cases[c], &one->cases[c]);
    }
    cases_expect_again(other, entry);
    cases_settle(one);
    cases_settle(other);
}
