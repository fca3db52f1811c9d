// diagnose.c - naming a mistake from its numbers.
//
// Every known mistake is a function with the exercise's own signature. It is run on the same
// cases as the student's code; when all outputs agree on all cases, the student wrote that
// mistake. A test holds that no mistake can be taken for the right answer or for another. In
// the student archive its outputs are read from a bank.
//
// A mistake can be made in one of several loops or branches. Then the student is right where the
// table's function is wrong. So when none agrees on all cases, those that fail decide: one mistake
// explains a case when each output is either right or its own.

#include "cases/diagnose.h"

#include <math.h>
#include <string.h>

#include "cases/case.h"
#include "cases/compare.h"

enum { ENOUGH_TO_TELL = 4 }; // outputs of a call that may resemble a mistake by chance

static bool compare_with(const struct test_case *test, const struct entry *entry,
                         const struct mistake *mistake, bool or_right)
{
    return test->progress == NOT_REACHED || // after a crash
           test->gpu_only ||                // nothing that a C function could get wrong
           test->oracle->agrees(test, entry, mistake, or_right);
}

static bool leaves_arguments(const struct test_case *test, const struct entry *entry,
                             const struct mistake *mistake)
{
    return test->gpu_only || test->oracle->leaves_arguments(test, entry, mistake);
}

static bool agrees(const struct test_case *test, const struct entry *entry,
                   const struct mistake *mistake)
{
    return compare_with(test, entry, mistake, false);
}

// Of a case that fails.
static bool explains(const struct test_case *test, const struct entry *entry,
                     const struct mistake *mistake)
{
    return compare_with(test, entry, mistake, true);
}

static bool agrees_everywhere(const struct case_list *cases, const struct entry *entry,
                              const struct mistake *mistake)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (!agrees(&cases->cases[i], entry, mistake)) {
            return false;
        }
    }
    return true;
}

static bool fails(const struct test_case *test)
{
    return test->progress != NOT_REACHED && compare_case(test).fault != NO_FAULT;
}

// A mistake that leaves its arguments in every call that fails has given no number to compare.
static bool explains_failures(const struct case_list *cases, const struct entry *entry,
                              const struct mistake *mistake)
{
    bool compared = false;
    for (size_t i = 0; i < cases->count; i++) {
        const struct test_case *test = &cases->cases[i];
        if (fails(test) && !explains(test, entry, mistake)) {
            return false;
        }
        compared = compared || (fails(test) && !leaves_arguments(test, entry, mistake));
    }
    return compared;
}

static size_t count_outputs(const struct test_case *test)
{
    size_t outputs = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        outputs += tensor_is_judged(&test->tensor[i]) ? test->tensor[i].count : 0;
    }
    return outputs;
}

// How many of a tensor's numbers are wrong and say something of a mistake: zeros come about in many
// ways.
static size_t count_telling(const struct tensor *tensor)
{
    struct difference difference = compare_tensor(tensor);
    size_t zeros = 0;
    for (size_t i = 0;
         difference.wrong > 0 && tensor->spec->type == F32 && i < tensor->count; i++) {
        const float got = ((const float *)tensor->got)[i];
        const float expected = ((const float *)tensor->expected)[i];
        zeros += got == 0 && !close_enough(got, expected, tensor->atol, tensor->rtol);
    }
    return difference.wrong - zeros;
}

// How many wrong numbers the failing calls have: few may resemble a mistake by chance.
static bool enough_to_tell(const struct case_list *cases)
{
    size_t wrong = 0;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        for (size_t i = 0; fails(test) && i < test->tensors; i++) {
            wrong += count_telling(&test->tensor[i]);
        }
    }
    return wrong >= ENOUGH_TO_TELL;
}

// The one mistake that explains all failures, or NULL when there is none or more than one.
static const struct mistake *diagnose_failures(const struct case_list *cases,
                                               const struct entry *entry)
{
    const struct mistake *found = NULL;
    const struct mistake *mistake = cases->cases[0].part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        if (explains_failures(cases, entry, mistake)) {
            if (found != NULL) {
                return NULL;
            }
            found = mistake;
        }
    }
    return found;
}

const struct mistake *diagnose(const struct case_list *cases, const struct entry *entry)
{
    if (cases->count == 0) {
        return NULL;
    }
    bool enough = enough_to_tell(cases);
    const struct mistake *mistake = cases->cases[0].part->mistakes;
    // The calls before a crash are the smallest: one or two numbers may agree by chance.
    for (; (enough || !cases->cut) && mistake != NULL && mistake->id != NULL; mistake++) {
        if (agrees_everywhere(cases, entry, mistake)) {
            return mistake;
        }
    }
    return enough ? diagnose_failures(cases, entry) : NULL;
}

bool diagnosed_before(const struct case_list *cases, const struct entry *entry,
                      const struct mistake *mistake)
{
    const struct mistake *earlier = cases->cases[0].part->mistakes;
    for (; earlier != mistake; earlier++) {
        if (agrees_everywhere(cases, entry, earlier)) {
            return true;
        }
    }
    return false;
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

const struct test_case *telling_case(const struct case_list *cases,
                                     const struct entry *entry)
{
    const struct test_case *first = NULL;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        if (test->progress != RETURNED || compare_case(test).fault == NO_FAULT) {
            continue;
        }
        first = first == NULL ? test : first;
        if (count_agreeing(test, entry) == 1) {
            return test;
        }
    }
    return first;
}

const struct mistake *resemblance(const struct entry *entry, const struct test_case *test)
{
    const struct mistake *found = NULL;
    const struct mistake *mistake = test->part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        if (explains(test, entry, mistake) && !leaves_arguments(test, entry, mistake)) {
            if (found != NULL) {
                return NULL;
            }
            found = mistake;
        }
    }
    return count_outputs(test) >= ENOUGH_TO_TELL ? found : NULL;
}

static size_t count_nan(const struct tensor *tensor)
{
    size_t nans = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        const float *got = (const float *)tensor->got + i;
        nans += isnan(*got) && !poison_intact(got, sizeof *got);
    }
    return nans;
}

// got = ratio * expected throughout (ratio not 1)?
static bool constant_ratio(const struct tensor *tensor, double *ratio)
{
    const float *got = tensor->got, *expected = tensor->expected;
    double dot = 0, square = 0;
    size_t nonzero = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        if (!isfinite(got[i]) || !isfinite(expected[i])) {
            return false;
        }
        nonzero += expected[i] != 0;
        dot += (double)got[i] * (double)expected[i];
        square += (double)expected[i] * (double)expected[i];
    }
    *ratio = square > 0 ? dot / square : 0;
    // One wrong number among right ones moves the ratio a little: that is not all of them.
    double slack = fmin(1e-4, 0.1 * fabs(*ratio - 1));
    for (size_t i = 0; i < tensor->count; i++) {
        double scaled = *ratio * (double)expected[i];
        if (!(fabs((double)got[i] - scaled) <=
              (double)tensor->atol + slack * fabs(scaled))) {
            return false;
        }
    }
    return nonzero > 1 && *ratio != 0;
}

// The square matrix holding the values of the expected one, mirrored at its diagonal?
static bool transposed(const struct tensor *tensor)
{
    size_t n = tensor->columns;
    if (tensor->rows != n || n < 2 || tensor->count != n * n) {
        return false;
    }
    for (size_t i = 0; i < n * n; i++) {
        size_t mirror = i % n * n + i / n;
        if (!close_enough(((const float *)tensor->got)[i],
                          ((const float *)tensor->expected)[mirror], tensor->atol,
                          tensor->rtol)) {
            return false;
        }
    }
    return true;
}

void describe_output(FILE *file, const struct tensor *tensor)
{
    double ratio;
    if (tensor->spec->type != F32) {
        return;
    }
    size_t nans = count_nan(tensor);
    if (nans > 0) {
        fprintf(file,
                "  %zu of the %zu values are NaN: look for 0/0, inf - inf, or reading "
                "an element before it is set\n",
                nans, tensor->count);
    } else if (transposed(tensor)) {
        fprintf(file,
                "  the values are right but transposed: rows and columns are swapped\n");
    } else if (constant_ratio(tensor, &ratio)) {
        fprintf(file, "  every value is %.7g times what it should be\n", ratio);
    }
}
