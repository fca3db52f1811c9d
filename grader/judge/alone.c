// alone.c - repeats calls in a new process: a single call, or all calls in the same order.

#include "judge/alone.h"

#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "cases/compare.h"
#include "cases/copy.h"
#include "cases/list.h"
#include "cases/repeats.h"
#include "judge/draw.h"
#include "judge/result.h"
#include "judge/trial.h"
#include "judge/worker.h"

bool right_alone(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test, enum contents contents)
{
    struct test_case call = case_copy(test);
    struct case_list one_call = part->cases;
    one_call.cases = &call;
    one_call.count = 1;
    one_call.cut = false;
    struct trial alone = {.options = trial->options,
                          .build = trial->build,
                          .result = trial->result,
                          .parts = {{part->entry, one_call}},
                          .part_count = 1};
    call.contents = contents;
    worker_run(&alone);
    cases_expect_again(&alone.parts[0].cases, &trial->build->place->entries[part->entry]);
    bool right = compare_case(&call).fault == NO_FAULT && alone.trespass.test == NULL;
    ahead_forget(alone.ahead);
    free(alone.outcome.output);
    case_free_copy(&call);
    return right;
}

// ---- the whole once more ------------------------------------------------------------------

static bool same_outputs(const struct test_case *first, const struct test_case *second)
{
    for (size_t i = 0; i < first->tensors; i++) {
        const struct tensor *tensor = &first->tensor[i];
        if (tensor_is_judged(tensor) && tensor->got != NULL &&
            memcmp(tensor->got, second->tensor[i].got,
                   tensor->count * tensor->element_size) != 0) {
            return false;
        }
    }
    return true;
}

static bool fails(const struct test_case *test)
{
    return test->progress != RETURNED || compare_case(test).fault != NO_FAULT;
}

// part may end earlier than the original run.
static bool same_failures(const struct wire_part *part, const struct wire_part *again)
{
    for (size_t c = 0; c < part->cases.count; c++) {
        if (fails(&part->cases.cases[c]) != fails(&again->cases.cases[c])) {
            return false;
        }
    }
    return true;
}

bool fails_again(const struct trial *trial, const struct wire_part *part,
                 const struct test_case *test)
{
    const size_t call = (size_t)(test - part->cases.cases);
    struct result result = *trial->result;
    judge_draw(trial->options, &result);
    struct trial again = {.options = trial->options,
                          .build = trial->build,
                          .result = &result,
                          .part_count = result.drawn->part_count};
    memcpy(again.parts, result.drawn->parts, sizeof again.parts);
    free(result.drawn);
    worker_run(&again);
    bool same = false;
    for (size_t p = 0; p < again.part_count; p++) {
        struct wire_part *other = &again.parts[p];
        if (other->entry == part->entry) {
            cases_expect(&other->cases, &trial->build->place->entries[other->entry]);
            cases_settle(&other->cases);
            const struct test_case *second = &other->cases.cases[call];
            same = same_failures(part, other) && test->contents == second->contents &&
                   test->got_status == second->got_status && same_outputs(test, second);
        }
        cases_free(&other->cases);
    }
    ahead_forget(again.ahead);
    free(again.outcome.output);
    return same;
}
