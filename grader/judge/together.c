// together.c - see together.h.
//
//   1.1  1.2  1.3  1.5 ──> one worker ──> 1.1 and 1.5 are right ──> passed
//                              │
//                              └────────> 1.2 is wrong, 1.3 ends the worker ──> judge.c
//
// No function may find what another exercise's calls have left, so only files without variables that call
// nothing with a memory of its own are judged this way (build/memoryless.c). Whatever the functions do to each
// other all the same usually leads to a wrong result, and then the exercise has a worker of its own.

#define _GNU_SOURCE
#include "judge/together.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "cases/case.h"
#include "cases/copy.h"
#include "cases/list.h"
#include "cases/oracle.h"
#include "cases/repeats.h"
#include "judge/callees.h"
#include "judge/draw.h"
#include "judge/explain.h"
#include "judge/trial.h"
#include "judge/worker.h"
#include "sandbox/allowance.h"

// The work of one worker. Larger exercises take longer than the start of a worker. If a worker
// does not end in time, one of its exercises will not end by itself either, and the time is lost.
enum { MOST_ELEMENTS = 2500 * 1000, MOST_RUNS = 3 };
static const double MOST_SECONDS = 0.5;

static bool looks_at_outputs(const struct drawn *drawn)
{
    const struct oracle *oracle = drawn->parts[0].cases.oracle;
    return oracle == NULL || oracle->looks_at_outputs;
}

// Draws its cases, which stay drawn if it is too large.
static bool fits(const struct options *options, struct result *result,
                 const struct result *first)
{
    if (result->exercise->heap_kilobytes > 0 ||
        result->rule->megabytes != first->rule->megabytes ||
        seconds_of_run(options, result) < MOST_SECONDS) {
        return false;
    }
    if (result->drawn == NULL) {
        judge_draw(options, result);
    }
    return result->drawn->elements <= MOST_ELEMENTS && !looks_at_outputs(result->drawn);
}

// Computes the expected results, and draws the calls in which a callee fails.
static void prepare(struct trial *trial, const struct options *options,
                    const struct build *build, struct result *result)
{
    *trial = (struct trial){.options = options, .build = build, .result = result};
    trial->part_count = result->drawn->part_count;
    memcpy(trial->parts, result->drawn->parts, sizeof trial->parts);
    free(result->drawn);
    result->drawn = NULL;
    for (size_t p = 0; p < trial->part_count; p++) {
        cases_expect(&trial->parts[p].cases,
                     &build->place->entries[trial->parts[p].entry]);
    }
    trial->attempts = attempts_draw(trial);
}

// The parts of all exercises, and behind them their attempts. Returns their number.
static size_t list_parts(const struct trial *trials, size_t count,
                         struct wire_part *parts)
{
    size_t listed = 0;
    for (size_t t = 0; t < count; t++) {
        memcpy(parts + listed, trials[t].parts, trials[t].part_count * sizeof *parts);
        listed += trials[t].part_count;
    }
    for (size_t t = 0; t < count; t++) {
        const struct attempts *attempts = trials[t].attempts;
        for (size_t p = 0; p < attempts->part_count; p++) {
            parts[listed] = attempts->parts[p];
            parts[listed++].attempt = true;
        }
    }
    return listed;
}

// The worker prints a line for each call: a record separator, digits and a plus.
static bool printed_nothing(const struct outcome *outcome)
{
    const char *end = outcome->output + outcome->output_size;
    for (const char *at = outcome->output; at < end; at++) {
        if (strchr("\036+\n", *at) == NULL && !isdigit((unsigned char)*at)) {
            return false;
        }
    }
    return true;
}

static bool all_returned(const struct wire_part *parts, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        for (size_t c = 0; c < parts[p].cases.count; c++) {
            if (parts[p].cases.cases[c].progress != RETURNED) {
                return false;
            }
        }
    }
    return true;
}

// How the worker that made the calls of these exercises ended.
struct end {
    bool fine;                   // all calls returned, and the program did nothing else
    bool late;                   // it did not end in time
    const struct test_case *out; // the call that wrote outside of its tensors, or NULL
};

static struct end run_all(const struct trial *trials, size_t count)
{
    struct wire_part *parts = grader_alloc(2 * MAX_PARTS * count * sizeof *parts);
    const size_t listed = list_parts(trials, count, parts);
    struct allowance *allowance = trials[0].options->allowance;
    struct end end = {.fine = false};
    if (allowance_begin(allowance, MOST_SECONDS)) {
        struct trespass trespass;
        struct outcome outcome =
            worker_run_parts(&trials[0], MOST_SECONDS, parts, listed, &trespass);
        allowance_end(allowance, MOST_SECONDS, outcome.used);
        end.out = trespass.test;
        end.late = outcome.ending == TIMED_OUT;
        end.fine = outcome.ending == EXITED && outcome.code == 0 && end.out == NULL &&
                   printed_nothing(&outcome) && all_returned(parts, listed);
        free(outcome.output);
    }
    free(parts);
    return end;
}

static bool is_culprit(const struct wire_part *parts, size_t count, const struct end *end)
{
    for (size_t p = 0; p < count; p++) {
        for (size_t c = 0; c < parts[p].cases.count; c++) {
            const struct test_case *test = &parts[p].cases.cases[c];
            if (test == end->out || test->progress == ENTERED) {
                return true;
            }
        }
    }
    return false;
}

// The exercise in which the worker ended, or which wrote outside of its tensors. Returns count
// if none did.
static size_t find_culprit(const struct trial *trials, size_t count,
                           const struct end *end)
{
    for (size_t t = 0; t < count; t++) {
        const struct attempts *attempts = trials[t].attempts;
        if (is_culprit(trials[t].parts, trials[t].part_count, end) ||
            is_culprit(attempts->parts, attempts->part_count, end)) {
            return t;
        }
    }
    return count;
}

static void forget_run(const struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        for (size_t c = 0; c < trial->parts[p].cases.count; c++) {
            case_forget_repeats(&trial->parts[p].cases.cases[c]);
        }
    }
}

static bool is_right(struct trial *trial)
{
    trial->attempts->returned = true;
    for (size_t p = 0; p < trial->part_count; p++) {
        struct wire_part *part = &trial->parts[p];
        cases_settle(&part->cases);
        if (smallest_wrong(part) != NULL || broken_property(part) != NULL) {
            return false;
        }
    }
    return attempts_are_well(trial);
}

static void pass(struct result *result)
{
    result->together = true;
    result->verdict = PASS;
    result->headline = grader_print("%s", "");
    result->details = grader_print("%s", "");
    result->printed = grader_print("%s", "");
}

static void forget(struct trial *trial)
{
    attempts_free(trial->attempts);
    for (size_t p = 0; p < trial->part_count; p++) {
        cases_free(&trial->parts[p].cases);
    }
}

// Runs the exercises again without the one that ended the worker. Returns how many ran to their
// end, which are then the first of trials.
static size_t run_without_culprits(struct trial *trials, size_t count)
{
    for (int run = 0; run < MOST_RUNS && count > 1; run++) {
        const struct end end = run_all(trials, count);
        if (end.fine) {
            return count;
        }
        const size_t culprit = find_culprit(trials, count, &end);
        if (end.late && culprit < count) {
            trials[culprit].result->late = true;
        }
        if (end.late || culprit == count) {
            break;
        }
        for (size_t t = 0; t < count; t++) {
            forget_run(&trials[t]);
        }
        forget(&trials[culprit]);
        trials[culprit] = trials[--count];
    }
    for (size_t t = 0; t < count; t++) {
        forget(&trials[t]);
    }
    return 0;
}

// Returns false if one of them did not return. Others may use it, and would not return either.
static bool judge_group(const struct options *options, const struct build *build,
                        struct result *const results[], size_t count)
{
    bool all_return = true;
    if (count < 2) {
        return true;
    }
    struct trial *trials = grader_alloc(count * sizeof *trials);
    for (size_t i = 0; i < count; i++) {
        prepare(&trials[i], options, build, results[i]);
    }
    const size_t ran = run_without_culprits(trials, count);
    for (size_t t = 0; t < ran; t++) {
        if (is_right(&trials[t])) {
            pass(trials[t].result);
        }
        forget(&trials[t]);
    }
    free(trials);
    for (size_t i = 0; i < count; i++) {
        all_return = all_return && !results[i]->late;
    }
    return all_return;
}

void judge_together(const struct options *options, const struct build *build,
                    struct result *const results[], size_t count)
{
    struct result **group = grader_alloc((count + 1) * sizeof *group);
    size_t members = 0, elements = 0;
    bool all_return = true;
    for (size_t i = 0; i < count && all_return; i++) {
        if (!fits(options, results[i], results[0])) {
            continue;
        }
        if (elements + results[i]->drawn->elements > MOST_ELEMENTS) {
            all_return = judge_group(options, build, group, members);
            members = elements = 0;
        }
        elements += results[i]->drawn->elements;
        group[members++] = results[i];
    }
    if (all_return) {
        judge_group(options, build, group, members);
    }
    free(group);
}
