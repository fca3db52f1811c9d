// gpu_failing.c - calls in which a function that the launcher calls fails, or one of its launches.
//
// The launcher is called once or twice:
//
//     no kernel runs after the failure     only its status counts: errors may be collected, and the
//                                          first one returned at the end
//     it returned LAB_OK                   again, and the kernels run: it may have computed the
//                                          result in another way
//
// In the first call, kernels would find that nothing has written what the failed call should have. It
// may also wait, allocate and copy: one that returns the error may do what it wants before.

#define _GNU_SOURCE
#include "worker/gpu_run.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Seconds of processor time for a call that runs no kernel after the failure: far more than it needs. One
// that tries again until it succeeds would take all the time of the exercise.
enum { MOST_SECONDS = 2 };

static struct {
    const struct call_record *call;
    struct answer *answer;
} stuck;

// The line of the launch that failed; 0 if there is none, or if it is in another file than the launcher:
// one of an earlier lab, perhaps the workbook's own.
static uint32_t launch_line(const struct call_record *call)
{
    const void *launcher;
    memcpy(&launcher, &lab_entries[call->entry].function, sizeof launcher);
    return (uint32_t)gpu_launch_failure_line(launcher);
}

static void end_stuck(int number)
{
    (void)number;
    stuck.answer->line = launch_line(stuck.call);
    _exit(WORKER_STUCK);
}

static void set_alarm(int seconds)
{
    const struct sigaction action = {.sa_handler = end_stuck, .sa_flags = SA_ONSTACK};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

// What it does wrong in other ways ends the worker: it does not follow from the failure. `seconds`: what
// the call takes without a failure.
static void call_for_status(struct job *job, struct answer *answer, double seconds,
                            char *output)
{
    stuck.call = job->call;
    stuck.answer = answer;
    findings_counted = NONE_OF_LAUNCHES;
    set_alarm(MOST_SECONDS + (int)(4.0 * seconds));
    (void)gpu_guard(call_launcher, job);
    set_alarm(0);
    findings_counted = ALL_FINDINGS;
    outputs_as_before(job, output);
}

void call_with_failing_callee(struct job *job, struct answer *answer, bool counts,
                              char *output)
{
    if (counts) {
        run_in_order(job, GPU_FORWARD, output);
        if (!failing_choose()) {
            return;
        }
    }
    begin_run(job, GPU_FORWARD, false);
    gpu_set_launch_only(true);
    call_for_status(job, answer, 0.0, output); // no kernel runs in it
    if (job->status == LAB_OK) {
        failing_again();
        run_in_order(job, GPU_FORWARD, output);
    }
}

// ---- a launch that fails --------------------------------------------------------------------

// The first launch that fails. NO_LAUNCH: none, because there are too few.
static const uint64_t NO_LAUNCH = UINT64_MAX;

static uint64_t choose_launch(enum failing_pass pass, uint64_t launches)
{
    switch (pass) {
    case MIDDLE_PASS:
        return launches < 3 ? NO_LAUNCH : launches / 2;
    case LAST_PASS:
        return launches < 2 ? NO_LAUNCH : launches - 1;
    default:
        return launches < 1 ? NO_LAUNCH : 0;
    }
}

// It returned LAB_OK. If something is found all the same, the outputs are as before the call: it has not
// computed them.
static void call_for_results(struct job *job, uint64_t first, uint64_t last, char *output)
{
    begin_run(job, GPU_FORWARD, true);
    gpu_refuse_launches(first, last, true);
    findings_counted = NO_FINDINGS;
    const bool good = gpu_guard(call_launcher, job);
    findings_counted = ALL_FINDINGS;
    if (good) {
        copy_back(job, output);
    } else {
        outputs_as_before(job, output);
    }
    job->status = LAB_OK;
}

// What the launcher does if no launch fails.
struct usual {
    uint64_t launches, work;
    double seconds;
};

// In a large call, without its kernels: what a launcher does does not depend on their results.
static struct usual run_as_usual(struct job *job, char *output)
{
    const clock_t start = clock();
    if (job->call->extreme) {
        begin_run(job, GPU_FORWARD, false);
        gpu_set_launch_only(true);
        (void)gpu_guard(call_launcher, job);
        outputs_as_before(job, output);
    } else {
        run_in_order(job, GPU_FORWARD, output);
    }
    return (struct usual){gpu_launches_tried(), gpu_launcher_work(),
                          (double)(clock() - start) / CLOCKS_PER_SEC};
}

// Launches `first` to `last` fail.
static void refuse(struct job *job, struct answer *answer, uint64_t first, uint64_t last,
                   const struct usual *usual, char *output)
{
    begin_run(job, GPU_FORWARD, false);
    gpu_set_launch_only(job->call->extreme);
    gpu_refuse_launches(first, last, false);
    call_for_status(job, answer, usual->seconds, output);
    answer->line = launch_line(job->call);
    if (job->status == LAB_OK && runs_no_kernel(job->call)) {
        const bool other = gpu_launcher_work() != usual->work; // has it tried that?
        answer->partial = other ? PARTIAL_ALL : 0;
    } else if (job->status == LAB_OK) {
        answer->partial = 0;
        call_for_results(job, first, last, output);
    }
}

// The last one fails alone, too, but only where that says more: a launcher may try it again, until it
// succeeds or not.
void call_with_failing_launch(struct job *job, struct answer *answer, char *output)
{
    const enum failing_pass pass = (enum failing_pass)job->call->failing.pass;
    const struct usual usual = run_as_usual(job, output);
    const uint64_t first = choose_launch(pass, usual.launches);
    answer->partial = job->call->extreme ? PARTIAL_ALL : 0;
    if (first == NO_LAUNCH) {
        return;
    }
    if (pass == EVERY_PASS || pass == LAST_PASS) {
        refuse(job, answer, first, GPU_NO_LAST_LAUNCH, &usual, output);
    }
    if (pass != EVERY_PASS &&
        (pass != LAST_PASS || (int32_t)job->status == job->call->failing.status)) {
        refuse(job, answer, first, first, &usual, output);
    }
}
