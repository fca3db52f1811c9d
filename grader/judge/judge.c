// judge.c - judges one exercise: draws cases, runs the worker, compares, explains.
//
//   draw ──> worker ──> did it come back? ──> did it stay in its buffers? ──> is it right?
//                              │                        │                         │
//                          accident.c              (here)                    explain.c

#define _GNU_SOURCE
#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/near.h"
#include "cases/call.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/oracle.h"
#include "cases/repeats.h"
#include "cases/show.h"
#include "judge/accident.h"
#include "judge/callees.h"
#include "judge/draw.h"
#include "judge/explain.h"
#include "judge/hide.h"
#include "judge/library.h"
#include "judge/options.h"
#include "judge/printed.h"
#include "judge/result.h"
#include "judge/trial.h"
#include "judge/withhold.h"
#include "judge/worker.h"
#include "sandbox/allowance.h"

static void conclude(struct trial *trial, enum verdict verdict, char *headline)
{
    trial->result->verdict = verdict;
    trial->result->headline = headline;
}

// ---- the cases ----------------------------------------------------------------------------

// Moves the cases, and the waiting worker if there is one, to the trial.
static void take_parts(struct trial *trial)
{
    struct result *result = trial->result;
    if (result->drawn == NULL) {
        judge_draw(trial->options, result);
    }
    memcpy(trial->parts, result->drawn->parts, sizeof trial->parts);
    trial->part_count = result->drawn->part_count;
    trial->ahead = result->drawn->ahead;
    free(result->drawn);
    result->drawn = NULL;
}

// ---- checking the results -----------------------------------------------------------------

static bool came_back(const struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        for (size_t c = 0; c < trial->parts[p].cases.count; c++) {
            if (trial->parts[p].cases.cases[c].progress != RETURNED) {
                return false;
            }
        }
    }
    return ended_well(trial);
}

// A part is "todo" if every call that should work returns LAB_TODO ...
static bool not_written(const struct wire_part *part)
{
    bool any = false;
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        if (test->expected_status == LAB_OK) {
            if (test->got_status != LAB_TODO) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

// ... but not if all outputs are right and only the last line was forgotten.
static bool done_but_todo(const struct wire_part *part)
{
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        for (size_t i = 0; i < test->tensors && test->expected_status == LAB_OK; i++) {
            if (compare_tensor(&test->tensor[i]).fault != NO_FAULT) {
                return false;
            }
        }
    }
    return true;
}

static void explain_trespass(struct trial *trial)
{
    const struct trespass *trespass = &trial->trespass;
    trial->shown = trespass->test;
    fputs("  in the call ", trial->text.file);
    describe_call(trial, trespass->test);
    fputc('\n', trial->text.file);
    conclude(
        trial, CRASH,
        grader_print("writes outside of %s (%s), %s; a library call with a wrong size "
                     "or leading dimension can also do that",
                     trespass->tensor->spec->name, trespass->tensor->spec->shape,
                     trespass->before ? "before its start" : "past its end"));
    struct difference difference = compare_case(trespass->test);
    if (difference.fault == UNWRITTEN || difference.fault == DIFFERENT) {
        show_call_inputs(trial, trespass->test);
        show_difference(trial->text.file, trespass->test, &difference);
    }
}

// ---- the parts of an exercise -------------------------------------------------------------

static const char *part_function(const struct wire_part *part)
{
    return part->cases.cases[0].part->function;
}

static bool is_missing(const struct trial *trial, const char *function)
{
    for (size_t i = 0; i < trial->build->missing_count; i++) {
        if (strcmp(trial->build->missing[i], function) == 0) {
            return true;
        }
    }
    return false;
}

static bool nothing_written(const struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        if (!not_written(&trial->parts[p]) ||
            is_missing(trial, part_function(&trial->parts[p]))) {
            return false;
        }
    }
    return true;
}

// "attention_scores is not in the file (found attention_score: is it this?)"
static void put_missing(const struct trial *trial, const char *function, FILE *file)
{
    char *symbol = grader_print("%s%s", function, function_suffix(trial->build->place));
    char *near = build_near(trial->build, symbol);
    fputs("is not in the file", file);
    if (near != NULL) {
        fprintf(file, " (found %s: is it this?)", near);
    }
    free(near);
    free(symbol);
}

// Describes what is left to do: "matmul is right; matmul_nt is not written yet".
static char *todo_headline(struct trial *trial)
{
    if (nothing_written(trial)) {
        return grader_print("not written yet");
    }
    struct text text;
    text_begin(&text);
    size_t said = 0;
    for (int written = 1; written >= 0; written--) {
        for (size_t p = 0; p < trial->part_count; p++) {
            const char *function = part_function(&trial->parts[p]);
            if (not_written(&trial->parts[p]) == (written == 1)) {
                continue;
            }
            if (written == 0 && trial->result->unwritten == NULL) {
                trial->result->unwritten = function;
            }
            fprintf(text.file, "%s%s%s ", said++ > 0 ? "; " : "", function,
                    function_suffix(trial->build->place));
            if (written == 0 && is_missing(trial, function)) {
                put_missing(trial, function, text.file);
            } else {
                fputs(written == 1 ? "is right" : "is not written yet", text.file);
            }
        }
    }
    return text_end(&text);
}

// A wrong part is reported before an unwritten one.
static void judge_parts(struct trial *trial)
{
    bool todo = false;
    for (size_t p = 0; p < trial->part_count; p++) {
        const struct wire_part *part = &trial->parts[p];
        if (not_written(part) && !done_but_todo(part)) {
            todo = true;
        } else if (explain_wrong(trial, part) || explain_property(trial, part)) {
            return;
        }
    }
    if (todo) {
        conclude(trial, TODO, todo_headline(trial));
    } else if (!explain_ignored_status(trial)) {
        conclude(trial, PASS, grader_print("%s", ""));
    }
}

// The call in which the student's code went out of bounds or was stopped, if any.
static bool went_out_in(const struct trial *trial, const struct test_case *test)
{
    bool stopped = trial->outcome.ending == SIGNALED ||
                   (trial->outcome.ending == EXITED && trial->outcome.code != 0);
    return trial->trespass.test == test || (stopped && test->progress == ENTERED);
}

static bool explain_crash(struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        const struct case_list *cases = &trial->parts[p].cases;
        for (size_t c = 0; c < cases->count; c++) {
            if (went_out_in(trial, &cases->cases[c])) {
                return explain_before_crash(trial, &trial->parts[p], &cases->cases[c]);
            }
        }
    }
    return false;
}

// Reports a write outside the tensors of a call, or a call that did not return. If both
// happened, the first is probably the cause.
static void explain_end(struct trial *trial)
{
    if (trial->trespass.test != NULL) {
        explain_trespass(trial);
    } else {
        explain_accident(trial);
    }
}

// A large call of a function that is right up to some size, and of one that is known to be wrong and is slow.
static bool slow_in_memory_only(const struct trial *trial)
{
    const struct test_case *test = case_entered(trial);
    return trial->outcome.ending == TIMED_OUT && test != NULL && test->memory_only;
}

// The calls of a part before the one that ended the worker.
static struct wire_part calls_before_the_end(const struct trial *trial,
                                             const struct wire_part *part,
                                             const struct test_case *crashed)
{
    struct wire_part before = *part;
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        if (test == crashed || test->progress != RETURNED) {
            before.cases.count = c;
            before.cases.cut =
                !slow_in_memory_only(trial); // else nearly all calls have returned
            break;
        }
    }
    return before;
}

static bool is_finding(const struct trial *trial)
{
    return trial->outcome.ending == EXITED && trial->outcome.code == WORKER_FINDING;
}

// A finding says more than a wrong number of an earlier call, except in a call in which few blocks run.
static bool in_large_launch(const struct trial *trial)
{
    const struct test_case *test = case_entered(trial);
    return test != NULL && test->launch_only;
}

// The call that should return and in which the student's code ended the program, if any.
static const struct test_case *call_that_crashed(const struct trial *trial)
{
    const struct outcome *outcome = &trial->outcome;
    bool ended = outcome->ending == SIGNALED ||
                 (outcome->ending == EXITED && outcome->code != 0 &&
                  (!is_finding(trial) || in_large_launch(trial)) &&
                  outcome->code != WORKER_NO_DEVICE) ||
                 slow_in_memory_only(trial);
    return trial->trespass.test != NULL ? trial->trespass.test
           : ended                      ? case_entered(trial)
                                        : NULL;
}

// Functions after one that crashes have not been called, so another worker calls them.
static void call_other_functions(struct trial *trial)
{
    struct trial others = {
        .options = trial->options, .build = trial->build, .result = trial->result};
    for (size_t p = 0; p < trial->part_count; p++) {
        if (trial->parts[p].cases.cases[0].progress == NOT_REACHED) {
            others.parts[others.part_count++] = trial->parts[p];
        }
    }
    if (others.part_count > 0 && !allowance_is_low(trial->options->allowance)) {
        worker_run(&others);
        ahead_forget(others.ahead);
        free(others.outcome.output);
    }
}

// Describes a crash after the wrong call that the report shows.
static void add_crash(struct trial *trial, const struct test_case *crashed)
{
    struct result *result = trial->result;
    const struct result told = *result;
    const struct test_case *shown = trial->shown;
    const char *fails = is_finding(trial)            ? "is wrong, too"
                        : slow_in_memory_only(trial) ? "takes too long"
                                                     : "crashes";
    struct text text = trial->text;
    text_begin(&trial->text);
    explain_end(trial);
    char *more = text_end(&trial->text);
    trial->text = text;
    const bool same = crashed->part == shown->part;
    fprintf(text.file, "  %s%s %s: %s\n%s",
            same ? "in a later call it" : crashed->part->function,
            same ? "" : function_suffix(trial->build->place), fails, result->headline,
            more);
    free(more);
    free(result->headline);
    *result = told;
    trial->shown = shown;
}

// A small call with wrong numbers explains more than the crash of a large call of the same
// exercise, so the report shows it first and then the crash.
static bool explain_wrong_before_crash(struct trial *trial)
{
    const struct test_case *crashed = call_that_crashed(trial);
    for (size_t p = 0; crashed != NULL && p < trial->part_count; p++) {
        struct wire_part before = calls_before_the_end(trial, &trial->parts[p], crashed);
        const struct test_case *wrong = smallest_wrong(&before);
        bool first = wrong != NULL && (wrong->part == crashed->part ||
                                       case_elements(wrong) < case_elements(crashed));
        if (first && !not_written(&trial->parts[p]) && explain_wrong(trial, &before)) {
            add_crash(trial, crashed);
            return true;
        }
    }
    return false;
}

// No student program of this hand-in may run any more, so nothing is known about this exercise.
static void explain_used_up(struct trial *trial)
{
    trial->result->unjudged = true;
    conclude(trial, TIMEOUT, grader_print("not judged: this hand-in used up its time"));
    fprintf(
        trial->text.file,
        "  All runs of a hand-in together may take %d times the seconds of its "
        "exercises.\n"
        "  Other exercises used up this time: they do not return, or are far too slow. "
        "Fix those first.\n",
        (int)MOST_TIMES_ITS_LIMIT);
}

// Computes what the worker's calls should give. An oracle that looks at their outputs does so later.
static void expect(struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        cases_expect(&trial->parts[p].cases,
                     &trial->build->place->entries[trial->parts[p].entry]);
    }
}

static bool looks_at_outputs(const struct trial *trial)
{
    const struct oracle *oracle = trial->parts[0].cases.oracle;
    return oracle == NULL || oracle->looks_at_outputs;
}

static void judge_worker(struct trial *trial)
{
    // The attempts are copies of cases with their expected results. Where the program must wait for the
    // compiler, it already has its cases.
    const bool early = !trial->build->shared && trial->result->backend == CPU &&
                       !looks_at_outputs(trial);
    if (early) {
        expect(trial);
        trial->attempts = attempts_draw(trial);
    }
    worker_run(trial);
    if (trial->outcome.ending == USED_UP) {
        explain_used_up(trial);
        return;
    }
    if (call_that_crashed(trial) != NULL) {
        call_other_functions(trial);
    }
    if (!early) {
        expect(trial);
    }
    for (size_t p = 0; p < trial->part_count; p++) {
        cases_settle(&trial->parts[p].cases);
    }
    if (explain_crash(trial) || explain_wrong_before_crash(trial)) {
        return;
    }
    if (!came_back(trial) || trial->trespass.test != NULL) {
        explain_end(trial);
        explain_repaired_crash(trial);
    } else {
        judge_parts(trial);
    }
}

// The simulated GPU's profile comes last, after all that the code printed, be it such a mark.
static void take_profile(struct trial *trial)
{
    struct outcome *outcome = &trial->outcome;
    const size_t length = strlen(PROFILE_MARK);
    char *end = outcome->output + outcome->output_size, *text = NULL;
    for (char *mark = outcome->output;
         (mark = memmem(mark, (size_t)(end - mark), PROFILE_MARK, length)) != NULL;) {
        text = mark += length;
    }
    if (!trial->profiled || !came_back(trial) || text == NULL) {
        return;
    }
    if (text < end) { // a kernel ran
        trial->result->profile = grader_print("%.*s", (int)(end - text), text);
    }
    outcome_cut(outcome, text - length);
}

// ---- the whole exercise ---------------------------------------------------------------------

static void hide_folders(const struct options *options, struct result *result)
{
    hide_paths_in(options, &result->headline);
    hide_paths_in(options, &result->details);
    hide_paths_in(options, &result->profile);
    if (result->printed != NULL) {
        char *printed = hide_paths(options, result->printed, &result->printed_size);
        free(result->printed);
        result->printed = printed;
    }
}

enum { MOST_CONSTANTS = 2 << 20 };

// Variables, and memory from before the first call, could replace what the exercise forbids a call to
// allocate (.heap_kilobytes). Returns a headline, or NULL.
static char *keeps_too_much(const struct trial *trial)
{
    const struct exercise *exercise = trial->result->exercise;
    const struct symbols *symbols = &trial->build->symbols;
    if (exercise->heap_kilobytes == 0 || trial->result->backend != CPU) {
        return NULL;
    }
    const size_t most = exercise->heap_kilobytes << 10;
    if (symbols->variable_bytes > most) {
        return grader_print("keeps %.1f megabytes in global or static variables: %s",
                            (double)symbols->variable_bytes / 1048576,
                            exercise->heap_reason);
    }
    if (symbols->constant_bytes > MOST_CONSTANTS) { // a program can make them writable
        return grader_print("has %.1f megabytes of constants: %s",
                            (double)symbols->constant_bytes / 1048576,
                            exercise->heap_reason);
    }
    // AddressSanitizer has one in each file
    return symbols->early_functions > build_files(trial->build)
               ? grader_print("has functions that run before the first call "
                              "(constructors), which may take memory: %s",
                              exercise->heap_reason)
               : NULL;
}

// A thread that could not be started leaves its part undone, which looks like anything.
static void mention_threads(struct trial *trial)
{
    const struct symbols *symbols = &trial->build->symbols;
    if (symbols_need(symbols, "pthread_create") || symbols_need(symbols, "thrd_create")) {
        show_wrapped(
            trial->text.file, "  ",
            "Your code starts threads. In the box for untrusted code, a program may "
            "have 16 threads, including the one that calls your function; starting "
            "another fails. Check for that, and join every thread before you return.");
    }
}

// An exercise goes by its first function. A headline about another one names that. The position of a
// finding names its kernel.
static void name_function(struct trial *trial)
{
    struct result *result = trial->result;
    const struct test_case *shown = trial->shown;
    if (shown == NULL || shown->part == trial->parts[0].cases.cases[0].part) {
        return;
    }
    result->failing = shown->part->function;
    if (is_finding(trial) || strstr(result->headline, shown->part->function) != NULL) {
        return;
    }
    char *headline = grader_print("%s%s: %s", shown->part->function,
                                  function_suffix(trial->build->place), result->headline);
    free(result->headline);
    result->headline = headline;
}

void judge_exercise(const struct options *options, const struct build *build,
                    struct result *result)
{
    struct trial trial = {.options = options,
                          .build = build,
                          .result = result,
                          .profiled = is_profiled(options, result)};
    char *keeps = build->worker != NULL ? keeps_too_much(&trial) : NULL;
    text_begin(&trial.text);
    if (result->drawn != NULL || !build->absent) {
        take_parts(&trial);
    }
    if (result->backend == GPU_DEVICE && build->not_run != NULL) {
        conclude(&trial, NOT_RUN, grader_print("not run: %s", build->not_run));
    } else if (build->absent) {
        result->absent = true;
        conclude(&trial, TODO, grader_print("%s", build->message));
    } else if (build->worker == NULL) {
        conclude(&trial, NOCOMPILE, grader_print("does not compile"));
        fprintf(trial.text.file, "%s", build->message);
    } else if (keeps != NULL) {
        conclude(&trial, MEMORY, keeps);
    } else if (result->put_off) {
        conclude(&trial, TIMEOUT,
                 grader_print("uses a function that does not return in time"));
    } else if (result->never_starts) {
        conclude(&trial, TIMEOUT,
                 grader_print("the program does not reach its first call in time"));
        explain_start(&trial);
    } else {
        judge_worker(&trial);
        if (result->verdict != PASS) {
            explain_library(&trial);
            name_function(&trial);
            mention_threads(&trial);
        }
        take_profile(&trial);
        keep_printed(&trial);
    }
    if (lends_to_a_stranger(options, build)) {
        tell_verdict_alone(&trial);
    }
    ahead_forget(trial.ahead);
    attempts_free(trial.attempts);
    result->printed = trial.outcome.output;
    if (trial.shown != NULL) {
        result->call = call_json(trial.shown);
        call_dump(trial.shown, result->asked ? options->dump : NULL);
    }
    for (size_t p = 0; p < trial.part_count; p++) {
        cases_free(&trial.parts[p].cases);
    }
    result->details = text_end(&trial.text);
    hide_folders(options, result);
}
