// several.c - see several.h.
//
//     failing calls   T=1 S=1 d=4   T=2 S=1 d=4   T=2 S=3 d=1   T=2 S=3 d=4
//     no scale             =             =             .             .
//     k transposed         .             .             =             .
//
// A mistake that explains one small call may do so by chance, and every call with sizes of 1 looks like several mistakes.
// So the first one must explain three calls at least, with numbers that are neither 0 nor NaN. A byte of a mask can only be
// the other one of 0 and 1: masks do not count.

#include "cases/several.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/diagnose.h"
#include "cases/list.h"

// The failing calls that are looked at: the smallest ones, because every mistake is called in each.
enum { MOST_CALLS = 24, LARGEST_CALL = 2048 };

// What makes a mistake more than a coincidence: the first one, and one beside it.
static const struct enough {
    size_t calls, numbers;
} alone = {3, 10}, beside = {2, 6};

struct evidence {
    const struct test_case *call[MOST_CALLS];
    bool told[MOST_CALLS]; // it is explained already
    size_t numbers[MOST_CALLS];
    size_t count;
};

bool gives_mask(const struct part *part)
{
    bool any = false;
    for (size_t i = 0; i < MAX_TENSORS && part->tensors[i].name != NULL; i++) {
        const struct tensor_spec *spec = &part->tensors[i];
        any =
            any || (spec->type == U8 && (spec->role == OUTPUT || spec->role == UPDATED));
    }
    return any;
}

// Of a property, the second call is no call of its own.
static bool is_evidence(const struct test_case *test)
{
    return !test->again && !test->second && !test->nan && test->progress == RETURNED &&
           case_is_asked(test) && !gives_mask(test->part) &&
           case_elements(test) <= LARGEST_CALL && compare_case(test).fault == DIFFERENT;
}

static void collect(const struct case_list *cases, struct evidence *evidence)
{
    for (size_t c = 0; c < cases->count && evidence->count < MOST_CALLS; c++) {
        const struct test_case *test = &cases->cases[c];
        const size_t numbers = is_evidence(test) ? telling_numbers(test) : 0;
        if (numbers > 0) {
            evidence->call[evidence->count] = test;
            evidence->numbers[evidence->count++] = numbers;
        }
    }
}

// The calls that the mistake explains, of those that nothing has explained. No calls if they are too few.
static struct seen look_for(const struct mistake *mistake, const struct entry *entry,
                            const struct evidence *evidence, const struct enough *enough)
{
    struct seen seen = {.mistake = mistake};
    size_t numbers = 0;
    for (size_t e = 0; e < evidence->count; e++) {
        if (!evidence->told[e] && resembles(evidence->call[e], entry, mistake)) {
            seen.smallest = seen.calls == 0 ? evidence->call[e] : seen.smallest;
            seen.calls++;
            numbers += evidence->numbers[e];
        }
    }
    const bool tells = seen.calls >= enough->calls && numbers >= enough->numbers;
    return tells ? seen : (struct seen){.mistake = NULL};
}

static struct seen most_seen(const struct mistake *mistake, const struct entry *entry,
                             const struct evidence *evidence, const struct enough *enough)
{
    struct seen most = {.mistake = NULL};
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        const struct seen seen = look_for(mistake, entry, evidence, enough);
        most = seen.calls > most.calls ? seen : most;
    }
    return most;
}

static void tell(struct evidence *evidence, const struct entry *entry,
                 const struct mistake *mistake)
{
    for (size_t e = 0; mistake != NULL && e < evidence->count; e++) {
        evidence->told[e] =
            evidence->told[e] || resembles(evidence->call[e], entry, mistake);
    }
}

size_t mistakes_seen(const struct case_list *cases, const struct entry *entry,
                     const struct mistake *told, struct seen seen[MOST_SEEN])
{
    struct evidence evidence = {.count = 0};
    size_t count = 0;
    collect(cases, &evidence);
    tell(&evidence, entry, told);
    while (count < MOST_SEEN) {
        const struct enough *enough = told == NULL && count == 0 ? &alone : &beside;
        seen[count] = most_seen(cases->cases[0].part->mistakes, entry, &evidence, enough);
        if (seen[count].mistake == NULL) {
            break;
        }
        tell(&evidence, entry, seen[count++].mistake);
    }
    return count;
}

// ---- output by output ---------------------------------------------------------------------

static bool is_wrong(const struct tensor *tensor)
{
    return compare_tensor(tensor).fault != NO_FAULT;
}

// As if all other outputs were right.
static bool resembles_in(const struct test_case *test, size_t output,
                         const struct entry *entry, const struct mistake *mistake)
{
    struct test_case copy = *test;
    for (size_t i = 0; i < copy.tensors; i++) {
        if (i != output && tensor_is_judged(&copy.tensor[i])) {
            copy.tensor[i].got = copy.tensor[i].expected;
        }
    }
    return resembles(&copy, entry, mistake);
}

static bool explains_output(const struct evidence *evidence, size_t output,
                            const struct entry *entry, const struct mistake *mistake)
{
    bool explained = true;
    for (size_t e = 0; explained && e < evidence->count; e++) {
        const struct test_case *test = evidence->call[e];
        explained = !is_wrong(&test->tensor[output]) ||
                    resembles_in(test, output, entry, mistake);
    }
    return explained;
}

// The calls in which this output is wrong. None if they are too few.
static struct seen calls_of(const struct evidence *evidence, size_t output)
{
    struct seen seen = {.calls = 0};
    size_t numbers = 0;
    for (size_t e = 0; e < evidence->count; e++) {
        const struct tensor *tensor = &evidence->call[e]->tensor[output];
        if (is_wrong(tensor)) {
            seen.smallest = seen.calls == 0 ? evidence->call[e] : seen.smallest;
            seen.tensor = tensor->spec;
            seen.calls++;
            numbers += telling_values(tensor);
        }
    }
    const bool tells = seen.calls >= alone.calls && numbers >= alone.numbers;
    return tells ? seen : (struct seen){.calls = 0};
}

// The first mistake that explains this output, except one that is named already.
static const struct mistake *find_for(const struct evidence *evidence, size_t output,
                                      const struct entry *entry,
                                      const struct mistake *named)
{
    const struct mistake *mistake = evidence->call[0]->part->mistakes;
    for (; mistake != NULL && mistake->id != NULL; mistake++) {
        if (mistake != named && explains_output(evidence, output, entry, mistake)) {
            return mistake;
        }
    }
    return NULL;
}

size_t mistakes_by_output(const struct case_list *cases, const struct entry *entry,
                          struct seen seen[MOST_SEEN])
{
    struct evidence evidence = {.count = 0};
    size_t wrong = 0, count = 0;
    collect(cases, &evidence);
    for (size_t i = 0; i < cases->cases[0].tensors && count < MOST_SEEN; i++) {
        struct seen output = calls_of(&evidence, i);
        if (output.calls > 0) {
            wrong++;
            output.mistake =
                find_for(&evidence, i, entry, count > 0 ? seen[0].mistake : NULL);
        }
        if (output.mistake != NULL) {
            seen[count++] = output;
        }
    }
    return wrong > 1 ? count : 0;
}
