// solutions.c - the solutions and the known mistakes as an oracle: both are called.

#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cases/compare.h"
#include "cases/kept.h"
#include "cases/oracle.h"
#include "cases/repeats.h"

static void compute_expected(struct test_case *test, const struct entry *reference)
{
    void *output[MAX_TENSORS];
    test->expected_status = case_call(test, reference->call, reference->function, output);
    for (size_t i = 0; i < test->tensors; i++) {
        if (output[i] != NULL) {
            memcpy(test->tensor[i].expected, output[i],
                   test->tensor[i].count * test->tensor[i].element_size);
        }
    }
    case_free_outputs(output);
    if (test->expected_status == LAB_TODO) {
        grader_fail("the solution of %s is not written", test->part->function);
    }
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Reading a file takes a part of a millisecond, too.
static void expect(struct case_list *list, const struct entry *reference)
{
    static const double worth_keeping = 1e-3;
    for (size_t i = 0; i < list->count; i++) {
        if (kept_read(list, i)) {
            continue;
        }
        const double started = processor_seconds();
        compute_expected(&list->cases[i], reference);
        if (processor_seconds() - started > worth_keeping) {
            kept_write(list, i);
        }
    }
}

// If a student's first call is right and a repeat is wrong, the mistake's must be, too.
static bool may_be_repeated(const struct test_case *test, const struct entry *entry,
                            const struct mistake *mistake)
{
    void *output[MAX_TENSORS];
    struct test_case first = *test;
    first.contents = POISONED;
    lab_status status = case_call(&first, entry->call, mistake->function, output);
    bool right = status != LEAVES_ARGUMENTS && distance(test, status, output, NULL) <= 1;
    case_free_outputs(output);
    return right;
}

static bool agrees(const struct test_case *test, const struct entry *entry,
                   const struct mistake *mistake, bool or_right)
{
    void *output[MAX_TENSORS];
    if (case_is_repeat(test) && !may_be_repeated(test, entry, mistake)) {
        return false;
    }
    lab_status status = case_call(test, entry->call, mistake->function, output);
    bool same = status == LEAVES_ARGUMENTS || same_as_got(test, status, output, or_right);
    case_free_outputs(output);
    return same;
}

static bool leaves_arguments(const struct test_case *test, const struct entry *entry,
                             const struct mistake *mistake)
{
    void *output[MAX_TENSORS];
    lab_status status = case_call(test, entry->call, mistake->function, output);
    case_free_outputs(output);
    return status == LEAVES_ARGUMENTS;
}

const struct oracle solutions_oracle = {
    .expect = expect, .agrees = agrees, .leaves_arguments = leaves_arguments};
