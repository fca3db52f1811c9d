// callees.c - see callees.h.
//
//     linear(q, x, ...)             LAB_OK
//     linear(k, x, ...)             LAB_ENOMEM, without being called (worker/failing.c)
//     simple_attention(...)         must return LAB_ENOMEM
//
// In a loop, and in a helper, the call fails every time, the first time only, the second, once in the middle, the last
// time but one, and the last time only: a status that the next pass overwrites is lost, too, and so is one of a helper's.
//
// On the simulated GPU a launch of a kernel fails, too.
//
// Functions of the labs do not fail on arguments that their caller has checked, so no other
// case shows that a status is ignored. A program that never reaches the call, or that then
// computes the result in another way, returns LAB_OK and right outputs.

#include "judge/callees.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/calls.h"
#include "build/memoryless.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/copy.h"
#include "cases/list.h"
#include "cases/show.h"
#include "judge/result.h"
#include "judge/worker.h"
#include "sandbox/allowance.h"

enum {
    MOST_SITES = 64,
    SAMPLES = 4,              // calls for each site: not every call reaches each one
    LARGEST_SAMPLE = 1 << 14, // numbers in all tensors
    LARGE_SAMPLES = 2,        // calls in which only launches fail
    MOST_WORKERS = 3,
    MOST_FIRST_CALLS = 32, // workers
    MOST_CALLS = FAILING_PASSES * (MOST_SITES * SAMPLES + LARGE_SAMPLES)
};

struct sites {
    struct call_site site[MOST_SITES];
    size_t count;
};

// The calls of one part, each with one call in it that fails.
struct attempt_list {
    struct test_case *calls;
    size_t count, done;                       // done: returned before the time ran out
    const struct call_site *site[MOST_CALLS]; // of each call
    struct sites sites;
};

static bool returns_status_in_tensor(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (!test->tensor[i].absent &&
            strcmp(test->tensor[i].spec->name, RETURNED_STATUS) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_sample(const struct test_case *test)
{
    return test->expected_status == LAB_OK && !test->again && !test->second &&
           !test->gpu_only && !returns_status_in_tensor(test) &&
           case_elements(test) <= LARGEST_SAMPLE;
}

// A few cases of a part, from the smallest to the largest.
static size_t choose_samples(const struct wire_part *part,
                             const struct test_case *samples[SAMPLES])
{
    size_t fit = 0, count = 0, seen = 0;
    for (size_t c = 0; c < part->cases.count; c++) {
        fit += is_sample(&part->cases.cases[c]);
    }
    for (size_t c = 0; c < part->cases.count && count < SAMPLES; c++) {
        if (is_sample(&part->cases.cases[c]) &&
            seen++ >= count * (fit - 1) / (SAMPLES - 1)) {
            samples[count++] = &part->cases.cases[c];
        }
    }
    return count;
}

// The largest call whose kernels all run, and one that runs few blocks: a launcher may divide only such
// calls into several launches. Before a launch fails there, no kernel runs, so they cost little.
static size_t choose_large_samples(const struct wire_part *part,
                                   const struct test_case *samples[LARGE_SAMPLES])
{
    const struct test_case *largest[2] = {NULL, NULL}; // index: launch_only
    for (size_t c = 0; c < part->cases.count; c++) {
        const struct test_case *test = &part->cases.cases[c];
        const struct test_case **of_kind = &largest[test->launch_only];
        if (test->gpu_only && test->beyond == 0 && test->expected_status == LAB_OK &&
            !test->nan && !returns_status_in_tensor(test) &&
            (*of_kind == NULL || case_elements(test) > case_elements(*of_kind))) {
            *of_kind = test;
        }
    }
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        if (largest[i] != NULL) {
            samples[count++] = largest[i];
        }
    }
    return count;
}

static bool is_launch(const struct call_site *site)
{
    return site->failing.at == A_LAUNCH;
}

static size_t find_sites(const struct trial *trial, const struct entry *entry,
                         struct call_site sites[MOST_SITES])
{
    size_t count = calls_find(trial->build, entry, sites, MOST_SITES - 1);
    if (trial->result->backend == GPU_SIMULATED) {
        sites[count++] =
            (struct call_site){.callee = "a launch",
                               .failing = {.at = A_LAUNCH, .status = LAB_ECUDA},
                               .expected = LAB_ECUDA};
    }
    return count;
}

static void attempt_part(struct attempts *attempts, const struct trial *trial,
                         const struct wire_part *part)
{
    struct attempt_list *own = &attempts->lists[attempts->part_count];
    const struct entry *entry = &trial->build->place->entries[part->entry];
    struct sites *sites = &own->sites;
    sites->count = find_sites(trial, entry, sites->site);
    const struct test_case *samples[SAMPLES];
    const struct test_case *large[LARGE_SAMPLES];
    const size_t count = sites->count > 0 ? choose_samples(part, samples) : 0;
    const size_t more = trial->result->backend == GPU_SIMULATED && count > 0
                            ? choose_large_samples(part, large)
                            : 0;
    if (count == 0) {
        return;
    }
    struct case_list list = part->cases;
    list.count = 0;
    list.cases = own->calls =
        grader_alloc(FAILING_PASSES * (sites->count * count + more) * sizeof *own->calls);
    for (size_t i = 0; i < sites->count * FAILING_PASSES; i++) {
        const struct call_site *site = &sites->site[i / FAILING_PASSES];
        const enum failing_pass pass = (enum failing_pass)(i % FAILING_PASSES);
        if ((is_launch(site) && pass >= LAUNCH_PASSES) ||
            (site->failing.entry && pass >= ENTRY_PASSES)) {
            continue;
        }
        const bool also_large =
            is_launch(site) && (pass == FIRST_PASS || pass == LAST_PASS);
        const size_t all = count + (also_large ? more : 0);
        for (size_t s = 0; s < all; s++, list.count++) {
            list.cases[list.count] = case_copy(s < count ? samples[s] : large[s - count]);
            list.cases[list.count].failing = site->failing;
            list.cases[list.count].failing.pass = (uint16_t)pass;
            own->site[list.count] = site;
        }
    }
    own->count = list.count;
    attempts->parts[attempts->part_count++] =
        (struct wire_part){.entry = part->entry, .cases = list};
}

struct attempts *attempts_draw(const struct trial *trial)
{
    struct attempts *attempts = grader_alloc(sizeof *attempts);
    attempts->lists = grader_alloc(MAX_PARTS * sizeof *attempts->lists);
    for (size_t p = 0; p < trial->part_count; p++) {
        attempt_part(attempts, trial, &trial->parts[p]);
    }
    return attempts;
}

void attempts_free(struct attempts *attempts)
{
    for (size_t p = 0; attempts != NULL && p < attempts->part_count; p++) {
        struct attempt_list *list = &attempts->lists[p];
        for (size_t c = 0; c < list->count; c++) {
            case_free_copy(&list->calls[c]);
        }
        free(list->calls);
    }
    if (attempts != NULL) {
        free(attempts->lists);
    }
    free(attempts);
}

// Does the function report the failure? Only some contracts say with which status; all say it of a
// launch.
static bool is_passed_on(const struct test_case *test, const struct call_site *site)
{
    const int got = test->got_status;
    return test->part->passes_status_on || is_launch(site)
               ? got == (int)site->expected
               : got != LAB_OK && got != LAB_TODO && got > 0 && got < LAB_STATUS_COUNT;
}

// The judged result of a call in which another one failed.
static bool is_fine(const struct test_case *test, const struct call_site *site)
{
    return test->progress == NOT_REACHED ||
           (test->progress == RETURNED && is_passed_on(test, site)) ||
           compare_case(test).fault == NO_FAULT;
}

static const char *name_status(int status)
{
    return lab_status_name((lab_status)status);
}

// Whatever the exit status: the worker's own ones say nothing once a call has begun, since the student's code can
// exit with them. A call that has not begun is not judged (NOT_REACHED).
static bool has_ended(const struct outcome *outcome)
{
    return outcome->ending == SIGNALED || outcome->ending == EXITED;
}

// The line of the call that fails in this test, or 0. Makes the call once more: for all of them, the
// lines would take longer than the calls.
static uint32_t find_line(const struct trial *trial, const struct wire_part *part,
                          const struct test_case *test)
{
    struct test_case copy = case_copy(test);
    copy.failing.locate = 1;
    struct trial once = {.options = trial->options,
                         .build = trial->build,
                         .result = trial->result,
                         .part_count = 1};
    once.parts[0] = *part;
    once.parts[0].cases.cases = &copy;
    once.parts[0].cases.count = 1;
    worker_run(&once);
    const uint32_t line = has_ended(&once.outcome) ? copy.failing_line : 0;
    ahead_forget(once.ahead);
    free(once.outcome.output);
    case_free_copy(&copy);
    return line;
}

// "matmul in line 7 returns LAB_ENOMEM the first time only"
static void describe_failing(FILE *file, const struct call_site *site, unsigned pass,
                             uint32_t line)
{
    static const char *const PASS[FAILING_PASSES] = {"",
                                                     " the first time only",
                                                     " once, in the middle of a loop",
                                                     " the last time only",
                                                     " the second time only",
                                                     " the second to last time only"};
    fputs(is_launch(site) ? line > 0 ? "the launch" : "a launch" : site->callee, file);
    if (line > 0) {
        fprintf(file, " in line %u", (unsigned)line);
    }
    if (is_launch(site)) {
        static const char *const FAILS[LAUNCH_PASSES] = {" fails", " fails, and no other",
                                                         " fails, and no other",
                                                         " fails, and none before it"};
        fputs(FAILS[pass], file);
        return;
    }
    if (strncmp(site->callee, "cublas", strlen("cublas")) == 0) {
        fputs(" fails", file);
    } else {
        fprintf(file, " returns %s", name_status(site->failing.status));
    }
    fputs(PASS[pass], file);
}

// Has it ignored a launch that failed? It may also have tried again, and have computed something else.
static bool forgets_error(const struct test_case *test)
{
    return test->progress != RETURNED || compare_case(test).fault == UNWRITTEN;
}

static const char *advice(const struct test_case *test, const struct call_site *site,
                          bool stuck)
{
    if (stuck) {
        return "A call that has failed once may fail every time: return the error.";
    }
    if (!is_launch(site)) {
        return "A failed function leaves no result to continue with. Return its status at "
               "once, as LAB_TRY does.";
    }
    if (test->progress != RETURNED) {
        return "Return the error of a launch at once: return lab_cuda(error);";
    }
    if (test->got_status != LAB_OK) {
        return "LAB_ECUDA stands for every CUDA error: return lab_cuda(error).";
    }
    return forgets_error(test)
               ? "cudaGetLastError fetches the error of a launch and forgets it. Return "
                 "what it gives: return lab_cuda(cudaGetLastError());"
               : "The function returns LAB_OK, but its results are wrong. "
                 "cudaGetLastError forgets the error that it returns: return this "
                 "error, or compute all results in another way.";
}

// Caller frees.
static char *headline(const struct test_case *test, const struct call_site *site,
                      bool stuck)
{
    if (stuck) {
        return grader_print("does not return if %s fails", site->callee);
    }
    if (!is_launch(site)) {
        return grader_print("the status of %s is ignored", site->callee);
    }
    if (test->progress == RETURNED && test->got_status != LAB_OK) {
        return grader_print("returns %s, not %s, if a launch fails",
                            name_status(test->got_status), name_status(site->expected));
    }
    return forgets_error(test)
               ? grader_print("the error of a launch is ignored")
               : grader_print("after a launch that failed, the results are wrong");
}

static void explain(struct trial *trial, const struct wire_part *part,
                    const struct test_case *test, const struct call_site *site,
                    bool stuck)
{
    FILE *file = trial->text.file;
    const bool returned = test->progress == RETURNED;
    const bool exact = test->part->passes_status_on || is_launch(site);
    stuck = stuck && !returned;
    const uint32_t line = stuck ? test->failing_line : find_line(trial, part, test);
    fputs("  in the call ", file);
    describe_call(trial, test);
    fputs(", if ", file);
    describe_failing(file, site, test->failing.pass, line);
    fprintf(file, ":\n  it %s%s instead of returning %s\n",
            returned ? "returns "
            : stuck  ? "never returns"
                     : "continues and crashes",
            returned ? name_status(test->got_status) : "",
            exact ? name_status(site->expected) : "an error");
    show_wrapped(file, "  ", advice(test, site, stuck));
    free(trial->result->headline);
    trial->result->headline = headline(test, site, stuck);
    trial->result->diagnosis = "status-ignored";
    trial->result->verdict = WRONG;
}

// Did this call, the first one of a worker or not, take more time than all of them may? A right
// function may be slow in all of them together, but it does not sleep.
static bool never_returns(const struct outcome *outcome, bool first)
{
    return (outcome->ending == EXITED && outcome->code == WORKER_STUCK) ||
           (outcome->ending == TIMED_OUT &&
            (outcome->code == SLEEPS || (outcome->code == COMPUTES && first)));
}

// What all calls together leave allocated says nothing about one of them.
static bool fills_memory(const struct outcome *outcome, bool first)
{
    return outcome->ending == OUT_OF_MEMORY && first;
}

static bool is_judged(const struct trial *again, const struct test_case *test, bool first)
{
    return test->progress == RETURNED || has_ended(&again->outcome) ||
           never_returns(&again->outcome, first) || fills_memory(&again->outcome, first);
}

// The first call that ignores a status. Without a crash, and in time, every call has returned.
static bool explain_first(struct trial *trial, struct trial *again,
                          struct attempt_list attempts[])
{
    bool first = true;
    for (size_t p = 0; p < again->part_count; p++) {
        struct case_list *list = &again->parts[p].cases;
        cases_expect_again(list, &trial->build->place->entries[again->parts[p].entry]);
        for (size_t c = 0; c < list->count; c++, first = false) {
            struct test_case *test = &list->cases[c];
            const struct call_site *site = attempts[p].site[attempts[p].done + c];
            if (is_judged(again, test, first) && !is_fine(test, site)) {
                explain(trial, &again->parts[p], test, site,
                        never_returns(&again->outcome, first));
                return true;
            }
        }
    }
    return false;
}

// Leaves only the calls from the one on in which the time or the memory ran out. Returns false if there is none.
static bool leave_the_rest(struct trial *again, struct attempt_list attempts[])
{
    for (size_t p = 0; p < again->part_count; p++) {
        struct case_list *list = &again->parts[p].cases;
        size_t c = 0;
        while (c < list->count && list->cases[c].progress == RETURNED) {
            c++;
        }
        list->cases += c;
        list->count -= c;
        attempts[p].done += c;
        if (list->count > 0) {
            return list->cases[0].progress == ENTERED;
        }
    }
    return false;
}

static void end_worker(struct trial *again)
{
    ahead_forget(again->ahead);
    again->ahead = NULL;
    free(again->outcome.output);
    again->outcome.output = NULL;
}

// Where the time or the memory runs out, another worker makes the remaining calls.
static bool make_attempts(struct trial *trial, struct trial *again,
                          struct attempt_list attempts[])
{
    bool ignored = false, more = true;
    for (int worker = 0; worker < MOST_WORKERS && more && !ignored; worker++) {
        worker_run(again);
        ignored = explain_first(trial, again, attempts);
        more = (again->outcome.ending == TIMED_OUT ||
                again->outcome.ending == OUT_OF_MEMORY) &&
               leave_the_rest(again, attempts);
        end_worker(again);
    }
    return ignored;
}

// ---- calls that were made after all others -------------------------------------------------

// Does each call in the function that can fail reach it in one of these calls, and is each of these right? In a
// worker that has made other calls, a function that keeps data may skip what it does at first.
static bool all_is_well(const struct attempt_list *list)
{
    const struct call_site *reached = NULL;
    for (size_t c = 0; c < list->count; c++) {
        const struct test_case *test = &list->calls[c];
        const struct call_site *site = list->site[c];
        const bool last_of_site = c + 1 == list->count || list->site[c + 1] != site;
        if (test->got_status != LAB_OK && is_passed_on(test, site)) {
            reached = site;
        }
        if (!is_fine(test, site) || (last_of_site && reached != site)) {
            return false;
        }
    }
    return true;
}

static bool were_well(const struct trial *trial, const struct attempts *attempts)
{
    bool fine = attempts->returned;
    for (size_t p = 0; p < attempts->part_count && fine; p++) {
        struct case_list list = attempts->parts[p].cases;
        cases_expect_again(&list,
                           &trial->build->place->entries[attempts->parts[p].entry]);
        fine = all_is_well(&attempts->lists[p]);
    }
    return fine;
}

// ---- the first call of a worker ------------------------------------------------------------

// A function that keeps data may ignore a status in its first call only. So each of the calls in it that can fail
// does so in the first call of a worker of its own.
static bool explain_in_first_call(struct trial *trial, const struct attempts *attempts)
{
    size_t workers = 0;
    for (size_t p = 0; p < attempts->part_count; p++) {
        const struct call_site *before = NULL;
        for (size_t c = 0; c < attempts->lists[p].count; c++) {
            struct attempt_list one = attempts->lists[p];
            if (one.site[c] == before || workers++ >= MOST_FIRST_CALLS) {
                continue;
            }
            before = one.site[c];
            one.done = c;
            struct trial again = {.options = trial->options,
                                  .build = trial->build,
                                  .result = trial->result,
                                  .part_count = 1};
            again.parts[0] = attempts->parts[p];
            again.parts[0].cases.cases = &one.calls[c];
            again.parts[0].cases.count = 1;
            if (make_attempts(trial, &again, &one)) {
                return true;
            }
        }
    }
    return false;
}

// Each launcher's object has variables, which the simulated GPU needs.
static bool can_keep_data(const struct build *build)
{
    return !build->place->gpu &&
           (build->symbols.named_variables > 0 || build_calls_keepers(build));
}

static bool explain_in_own_workers(struct trial *trial, const struct attempts *attempts)
{
    struct trial again = {.options = trial->options,
                          .build = trial->build,
                          .result = trial->result,
                          .part_count = attempts->part_count};
    memcpy(again.parts, attempts->parts, sizeof again.parts);
    return again.part_count > 0 && make_attempts(trial, &again, attempts->lists);
}

bool attempts_are_well(const struct trial *trial)
{
    return trial->attempts != NULL && were_well(trial, trial->attempts);
}

bool explain_ignored_status(struct trial *trial)
{
    const bool well = attempts_are_well(trial);
    if (trial->attempts == NULL) {
        trial->attempts = attempts_draw(trial);
    }
    const bool ignored = !well && explain_in_own_workers(trial, trial->attempts);
    return ignored ||
           (can_keep_data(trial->build) && explain_in_first_call(trial, trial->attempts));
}
