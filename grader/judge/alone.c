// alone.c - one call once more, in a process in which nothing came before it.

#include <stdlib.h>
#include <string.h>

#include "bank/bank.h"
#include "judge/compare.h"
#include "judge/judge.h"
#include "judge/memory.h"

static void *copy_bytes(const void *from, size_t bytes)
{
    void *to = grader_alloc(bytes);
    memcpy(to, from, bytes);
    return to;
}

// The call that a case's got is of, with outputs of its own. Inputs are those of the case.
static struct test_case copy_call(const struct test_case *test)
{
    struct test_case copy = *test;
    copy.repeats = 0;
    for (size_t i = 0; i < copy.tensors; i++) {
        struct tensor *tensor = &copy.tensor[i];
        size_t bytes = tensor->count * tensor->element_size;
        memset(tensor->repeated, 0, sizeof tensor->repeated);
        if (tensor->got == NULL) {
            continue;
        }
        if (test->contents == KEPT) {
            tensor->repeated[KEPT] = grader_alloc(bytes);
            case_fill(test, &test->tensor[i], tensor->repeated[KEPT]);
        }
        tensor->expected = copy_bytes(tensor->expected, bytes);
        tensor->got = grader_alloc(bytes);
    }
    return copy;
}

static void free_copy(struct test_case *copy)
{
    for (size_t i = 0; i < copy->tensors; i++) {
        free(copy->tensor[i].expected);
        free(copy->tensor[i].got);
        free(copy->tensor[i].repeated[KEPT]);
    }
}

bool right_alone(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test, enum contents contents)
{
    struct test_case call = copy_call(test);
    struct trial alone = {.options = trial->options,
                          .build = trial->build,
                          .result = trial->result,
                          .parts = {{part->entry, {&call, 1, part->cases.bank}}},
                          .part_count = 1};
    call.contents = contents;
    worker_run(&alone);
    if (part->cases.bank != NULL) {
        bank_expect(&alone.parts[0].cases);
    }
    bool right = compare_case(&call).fault == NO_FAULT && alone.trespass.test == NULL;
    ahead_forget(alone.ahead);
    free(alone.outcome.output);
    free_copy(&call);
    return right;
}
