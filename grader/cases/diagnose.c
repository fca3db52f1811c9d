// diagnose.c - recognizes a mistake by its numbers.
//
// Every known mistake is a function with the exercise's signature, and runs on the same
// cases as the student's code. If all outputs agree on all cases, the student made that
// mistake. A test ensures that no mistake can be confused with the right answer or with
// another mistake. In the student archive, the mistakes' outputs come from a bank.
//
// A student may make a mistake in only one of several loops or branches, and be right where
// the table's function is wrong. So if no mistake agrees on all cases, only the failing
// cases count: a mistake explains a case if each output is either right or equal to the
// mistake's.

#include "cases/diagnose.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"

// With fewer wrong numbers than ENOUGH_TO_TELL, a call may resemble a mistake by chance. As evidence,
// BYTES_THAT_TELL bytes of a mask are worth one number.
enum { ENOUGH_TO_TELL = 4, BYTES_THAT_TELL = 3 };

static bool compare_with(const struct test_case *test, const struct entry *entry,
                         const struct mistake *mistake, bool or_right)
{
    if (test->cpu && mistake->gpu) {
        return false;
    }
    return test->progress == NOT_REACHED || // after a crash
           !case_is_asked(test) || test->oracle->agrees(test, entry, mistake, or_right);
}

static bool leaves_arguments(const struct test_case *test, const struct entry *entry,
                             const struct mistake *mistake)
{
    return !case_is_asked(test) || test->oracle->leaves_arguments(test, entry, mistake);
}

static bool agrees(const struct test_case *test, const struct entry *entry,
                   const struct mistake *mistake)
{
    return compare_with(test, entry, mistake, false);
}

// For a failing case.
static bool explains(const struct test_case *test, const struct entry *entry,
                     const struct mistake *mistake)
{
    return compare_with(test, entry, mistake, true);
}

static bool fails(const struct test_case *test)
{
    return test->progress != NOT_REACHED && compare_case(test).fault != NO_FAULT;
}

// Whether each case fails. Every mistake is asked about it, so it is found out once.
static bool *find_failures(const struct case_list *cases)
{
    bool *failing = grader_alloc(cases->count * sizeof *failing);
    for (size_t i = 0; i < cases->count; i++) {
        failing[i] = fails(&cases->cases[i]);
    }
    return failing;
}

// Asks about the failing cases first: most mistakes are ruled out by the first of them.
static bool agrees_everywhere(const struct case_list *cases, const bool *failing,
                              const struct entry *entry, const struct mistake *mistake)
{
    for (int right = 0; right <= 1; right++) {
        for (size_t i = 0; i < cases->count; i++) {
            if (failing[i] == !right && !agrees(&cases->cases[i], entry, mistake)) {
                return false;
            }
        }
    }
    return true;
}

// A mistake that goes out of bounds in every failing call gives no numbers to compare.
static bool explains_failures(const struct case_list *cases, const bool *failing,
                              const struct entry *entry, const struct mistake *mistake)
{
    bool compared = false;
    for (size_t i = 0; i < cases->count; i++) {
        const struct test_case *test = &cases->cases[i];
        if (failing[i] && !explains(test, entry, mistake)) {
            return false;
        }
        compared = compared || (failing[i] && !leaves_arguments(test, entry, mistake));
    }
    return compared;
}

// Values as evidence. A wrong byte of a mask or an answer can only be the other one of 0 and 1:
// every mistake that fails there gives it. Only which of many bytes are wrong points to one.
static size_t weigh(const struct tensor *tensor, size_t values)
{
    return tensor->spec->type == U8 ? values / BYTES_THAT_TELL : values;
}

static size_t count_outputs(const struct test_case *test)
{
    size_t outputs = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        outputs += tensor_is_judged(tensor) ? weigh(tensor, tensor->count) : 0;
    }
    return outputs;
}

// The number of values in a tensor that point to a mistake: the wrong ones, or of a mask all.
// Wrong zeros do not count, because they have many causes; nor does NaN in the few calls before a
// crash.
static size_t count_telling(const struct tensor *tensor, bool cut)
{
    struct difference difference = compare_tensor(tensor);
    if (tensor->spec->type == U8) {
        return difference.wrong > 0 ? weigh(tensor, tensor->count) : 0;
    }
    size_t untold = 0;
    for (size_t i = 0;
         difference.wrong > 0 && tensor->spec->type == F32 && i < tensor->count; i++) {
        const float got = ((const float *)tensor->got)[i];
        untold += (got == 0 || (cut && isnan(got))) && !value_is_right(tensor, i);
    }
    return difference.wrong - untold;
}

// Returns true if a wrong value of a call points to a mistake. Zeros have many causes, and so has NaN.
static bool has_telling(const struct test_case *test, bool nan_counts)
{
    bool any = false;
    for (size_t i = 0; !any && i < test->tensors; i++) {
        any = count_telling(&test->tensor[i], !nan_counts) > 0;
    }
    return any;
}

// The number of wrong values in the failing calls in which the mistakes are called. A few may resemble a mistake
// by chance. Where the given mistake (or NULL) goes out of bounds, nothing is compared with it.
static bool enough_to_tell(const struct case_list *cases, const bool *failing,
                           const struct entry *entry, const struct mistake *mistake)
{
    size_t wrong = 0;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        const bool counts = failing[c] && case_is_asked(test) &&
                            (mistake == NULL || !leaves_arguments(test, entry, mistake));
        for (size_t i = 0; counts && i < test->tensors; i++) {
            wrong += count_telling(&test->tensor[i], cases->cut);
        }
    }
    return wrong >= ENOUGH_TO_TELL;
}

// The only mistake that explains all failures, or NULL if there is none or more than one.
static const struct mistake *diagnose_failures(const struct case_list *cases,
                                               const bool *failing,
                                               const struct entry *entry)
{
    const struct mistake *found = NULL;
    const struct mistake *mistake = cases->cases[0].part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        if (explains_failures(cases, failing, entry, mistake)) {
            if (found != NULL) {
                return NULL;
            }
            found = mistake;
        }
    }
    return found != NULL && enough_to_tell(cases, failing, entry, found) ? found : NULL;
}

// Does a call fail in which the mistakes are called? Each of them would agree with any code that fails only
// elsewhere.
static bool any_asked_fails(const struct case_list *cases, const bool *failing)
{
    bool any = false;
    for (size_t c = 0; !any && c < cases->count; c++) {
        any = case_is_asked(&cases->cases[c]) && failing[c];
    }
    return any;
}

static const struct mistake *find_mistake(const struct case_list *cases,
                                          const bool *failing, const struct entry *entry)
{
    if (!any_asked_fails(cases, failing)) {
        return NULL;
    }
    bool enough = enough_to_tell(cases, failing, entry, NULL);
    const struct mistake *mistake = cases->cases[0].part->mistakes;
    // The calls before a crash are the smallest ones, where one or two numbers may agree by
    // chance.
    for (; (enough || !cases->cut) && mistake != NULL && mistake->id != NULL; mistake++) {
        if (agrees_everywhere(cases, failing, entry, mistake)) {
            return mistake;
        }
    }
    return enough ? diagnose_failures(cases, failing, entry) : NULL;
}

const struct mistake *diagnose(const struct case_list *cases, const struct entry *entry)
{
    bool *failing = find_failures(cases);
    const struct mistake *found = find_mistake(cases, failing, entry);
    free(failing);
    return found;
}

// Where a mistake goes out of bounds, its table says nothing about the result.
bool diagnosed_in_part(const struct case_list *cases, const struct entry *entry,
                       const struct mistake *mistake)
{
    bool in_part = false;
    for (size_t c = 0; !in_part && c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        in_part = !fails(test) && !leaves_arguments(test, entry, mistake) &&
                  !agrees(test, entry, mistake);
    }
    return in_part;
}

bool diagnosed_before(const struct case_list *cases, const struct entry *entry,
                      const struct mistake *mistake)
{
    bool *failing = find_failures(cases), before = false;
    const struct mistake *earlier = cases->cases[0].part->mistakes;
    for (; !before && earlier != mistake; earlier++) {
        before = agrees_everywhere(cases, failing, entry, earlier);
    }
    free(failing);
    return before;
}

static size_t count_agreeing(const struct test_case *test, const struct entry *entry)
{
    size_t count = 0;
    const struct mistake *mistake = test->part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        count += agrees(test, entry, mistake);
    }
    return count;
}

bool easily_read(const struct test_case *test)
{
    size_t numbers = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        numbers += test->tensor[i].data != NULL ? test->tensor[i].count : 0;
    }
    return numbers <= EASILY_READ;
}

// How well a failing case shows a mistake. That its numbers exclude other mistakes does not help
// where nobody can follow them. A case in which no mistake is called shows none.
enum evidence { NONE, WEAK, CONCLUSIVE, READABLE, READABLE_AND_CONCLUSIVE };

static enum evidence weigh_evidence(const struct test_case *test,
                                    const struct entry *entry,
                                    const struct mistake *mistake)
{
    if (!case_is_asked(test)) {
        return NONE;
    }
    bool alone = agrees(test, entry, mistake) && count_agreeing(test, entry) == 1;
    return easily_read(test) ? (alone ? READABLE_AND_CONCLUSIVE : READABLE)
           : alone           ? CONCLUSIVE
                             : WEAK;
}

const struct test_case *telling_case(const struct case_list *cases,
                                     const struct entry *entry,
                                     const struct mistake *mistake)
{
    const struct test_case *best = NULL;
    enum evidence most = NONE;
    for (size_t c = 0; most < READABLE_AND_CONCLUSIVE && c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        if (test->again || test->progress != RETURNED ||
            compare_case(test).fault == NO_FAULT ||
            (most >= CONCLUSIVE && !easily_read(test))) {
            continue;
        }
        const enum evidence evidence = weigh_evidence(test, entry, mistake);
        if (best == NULL || evidence > most) {
            best = test;
            most = evidence;
        }
    }
    return best;
}

bool resembles(const struct test_case *test, const struct entry *entry,
               const struct mistake *mistake)
{
    return explains(test, entry, mistake) && !leaves_arguments(test, entry, mistake);
}

size_t telling_values(const struct tensor *tensor)
{
    return count_telling(tensor, true);
}

size_t telling_numbers(const struct test_case *test)
{
    size_t numbers = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        numbers += telling_values(&test->tensor[i]);
    }
    return numbers;
}

// A number in place of NaN has many causes, too.
const struct mistake *resemblance(const struct entry *entry, const struct test_case *test)
{
    const struct mistake *found = NULL;
    if (test->nan) {
        return NULL;
    }
    const struct mistake *mistake = test->part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        if (resembles(test, entry, mistake)) {
            if (found != NULL) {
                return NULL;
            }
            found = mistake;
        }
    }
    const bool evident = found != NULL && count_outputs(test) >= ENOUGH_TO_TELL &&
                         (has_telling(test, false) ||
                          (has_telling(test, true) && agrees(test, entry, found)));
    return evident ? found : NULL;
}
