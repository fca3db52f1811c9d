// test_process.c - a program is started, watched and ended within its limits (sandbox/process.h).

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/process.h"

static struct outcome run_shell(const char *script, struct limits limits)
{
    char *arguments[] = {"sh", "-c", (char *)script, NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct program program = {
        .arguments = arguments, .environment = environment, .limits = &limits};
    return process_run(&program);
}

static const struct limits usual = {
    .seconds = 10, .megabytes = 256, .output_bytes = 100000};

Test(process, tells_exit_status_and_output)
{
    struct outcome outcome = run_shell("echo out; echo err >&2; exit 7", usual);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.code, 7);
    cr_expect_str_eq(outcome.output, "out\nerr\n");
    free(outcome.output);
}

// Where the filter against processes is off, a few processes are allowed, because the
// sanitizers start one.
Test(process, many_processes_are_ended_as_the_filter_would)
{
    const struct limits few = {
        .seconds = 60, .megabytes = 1024, .output_bytes = 100, .processes = 8};
    struct outcome outcome = run_shell("sleep 0 & sleep 0 & wait", few);
    cr_expect_eq(outcome.ending, EXITED);
    free(outcome.output);
    outcome = run_shell("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; wait", few);
    cr_expect_eq(outcome.ending, SIGNALED);
    cr_expect_eq(outcome.code, SIGSYS);
    free(outcome.output);
}

Test(process, tells_a_signal)
{
    struct outcome outcome = run_shell("kill -SEGV $$", usual);
    cr_expect_eq(outcome.ending, SIGNALED);
    cr_expect_eq(outcome.code, SIGSEGV);
    free(outcome.output);
}

Test(process, ends_what_takes_too_long, .timeout = 30)
{
    struct outcome outcome =
        run_shell("trap '' TERM; while :; do :; done",
                  (struct limits){.seconds = 0.2, .megabytes = 256, .output_bytes = 100});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_eq(outcome.code, COMPUTES);
    free(outcome.output);
}

Test(process, ends_what_sleeps_too_long, .timeout = 60)
{
    struct outcome outcome =
        run_shell("sleep 1000",
                  (struct limits){.seconds = 0.2, .megabytes = 256, .output_bytes = 100});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_eq(outcome.code, SLEEPS);
    free(outcome.output);
}

Test(process, ends_at_last_what_uses_no_time, .timeout = 60)
{
    struct outcome outcome = run_shell("sleep 1000", (struct limits){.seconds = 1000,
                                                                     .megabytes = 256,
                                                                     .output_bytes = 100,
                                                                     .wall = 0.2});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_eq(outcome.code, STARVES);
    free(outcome.output);
}

// Everything that the test starts from here on shares one processor.
static void stay_on_one_processor(void)
{
    cpu_set_t all, one;
    int processor = 0;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(processor, &all)) {
        processor++;
    }
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

static double processor_seconds_of_children(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

enum { OTHERS = 12 };

static void start_others(pid_t other[OTHERS])
{
    for (int i = 0; i < OTHERS; i++) {
        other[i] = fork();
        cr_assert_geq(other[i], 0);
        for (volatile unsigned spinning = 0; other[i] == 0; spinning++) {
            if (getppid() == 1) {
                _exit(0); // the test is gone
            }
        }
    }
}

// With twelve other programs on the same processor it takes about thirteen times as much
// elapsed time.
Test(process, does_not_count_time_that_others_had, .timeout = 300)
{
    static const char script[] =
        "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exit 7";
    const struct limits ample = {.seconds = 1000, .megabytes = 256, .output_bytes = 100};
    pid_t other[OTHERS];
    stay_on_one_processor();
    free(run_shell(script, ample).output);
    const double needed = processor_seconds_of_children();
    start_others(other);
    struct outcome outcome = run_shell(
        script,
        (struct limits){.seconds = 4 * needed, .megabytes = 256, .output_bytes = 100});
    for (int i = 0; i < OTHERS; i++) {
        kill(other[i], SIGKILL);
        waitpid(other[i], NULL, 0);
    }
    cr_expect_eq(outcome.ending, EXITED, "needs %g s, ended after %g s", needed,
                 outcome.seconds);
    cr_expect_eq(outcome.code, 7);
    free(outcome.output);
}

Test(process, ends_what_stops_itself, .timeout = 30)
{
    struct outcome outcome =
        run_shell("kill -STOP $$",
                  (struct limits){.seconds = 0.2, .megabytes = 256, .output_bytes = 100});
    cr_expect_eq(outcome.ending, TIMED_OUT);
    free(outcome.output);
}

Test(process, ends_what_prints_too_much, .timeout = 30)
{
    struct outcome outcome = run_shell("while :; do echo more; done", usual);
    cr_expect_eq(outcome.ending, FLOODED);
    cr_expect_leq(outcome.output_size, 2 * (size_t)KEPT_OUTPUT + strlen(OUTPUT_GAP));
    free(outcome.output);
}

Test(process, does_not_wait_for_what_was_left_behind, .timeout = 30)
{
    struct outcome outcome = run_shell("sleep 1000 & exit 0", usual);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_lt(outcome.seconds, 5);
    free(outcome.output);
}

Test(process, says_when_a_program_is_not_there)
{
    char *arguments[] = {"there-is-no-such-program", NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct program program = {
        .arguments = arguments, .environment = environment, .limits = &usual};
    struct outcome outcome = process_run(&program);
    cr_expect_eq(outcome.ending, NOT_STARTED);
    free(outcome.output);
}

// A program that waits for a line from its descriptor 3, but also keeps the other end of the
// pipe open.
static struct process *start_waiting(const int ends[2], const struct limits *limits)
{
    static char *const arguments[] = {"sh", "-c", "read -r word <&3; exit $word", NULL};
    static char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const struct program program = {.arguments = arguments,
                                    .environment = environment,
                                    .descriptors = ends,
                                    .descriptor_count = 2,
                                    .limits = limits};
    return process_start(&program);
}

Test(process, one_that_waits_has_its_seconds_from_then_on, .timeout = 30)
{
    const struct limits little = {.seconds = 0.3, .megabytes = 256, .output_bytes = 100};
    const struct timespec longer = {.tv_nsec = 600000000};
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    struct process *process = start_waiting(ends, &little);
    nanosleep(&longer, NULL); // this test is about time
    cr_assert_eq(write(ends[1], "7\n", 2), 2);
    struct outcome outcome = process_finish(process);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.code, 7);
    cr_expect_lt(outcome.seconds, 0.5);
    free(outcome.output);
    close(ends[0]);
    close(ends[1]);
}

Test(process, one_that_waits_can_be_stopped, .timeout = 20)
{
    const struct limits ample = {.seconds = 1000, .megabytes = 256, .output_bytes = 100};
    int ends[2];
    char byte;
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    struct process *process = start_waiting(ends, &ample);
    close(ends[1]);
    process_stop(process);
    cr_expect_eq(read(ends[0], &byte, 1), 0, "nobody is left who could write");
    close(ends[0]);
}

// Without a limit a program may print as much as it likes: the first part, the last part and
// the number of lines are kept.
Test(process, keeps_the_first_and_the_last_of_what_is_printed, .timeout = 60)
{
    const struct limits any = {.seconds = 30, .megabytes = 256};
    struct outcome outcome = run_shell("echo first; seq 1 300000; echo last", any);
    cr_expect_eq(outcome.ending, EXITED);
    cr_expect_eq(outcome.output_lines, 300002);
    cr_expect_eq(strncmp(outcome.output, "first\n1\n2\n", 10), 0);
    cr_expect_eq(outcome.output_size, 2 * (size_t)KEPT_OUTPUT + strlen(OUTPUT_GAP));
    cr_expect_str_eq(outcome.output + outcome.output_size - 12, "300000\nlast\n");
    cr_expect_not_null(strstr(outcome.output, OUTPUT_GAP));
    free(outcome.output);
}

Test(process, nothing_is_missing_where_the_first_and_the_last_meet, .timeout = 60)
{
    const struct limits any = {.seconds = 30, .megabytes = 256};
    struct outcome outcome = run_shell("seq 100001 118000", any); // 126,000 bytes
    cr_expect_eq(outcome.output_size, 126000);
    for (size_t i = 0; i < 18000; i++) {
        cr_assert_eq(atoi(outcome.output + 7 * i), 100001 + (int)i);
    }
    free(outcome.output);
}

Test(process, one_that_prints_forever_ends_with_its_time, .timeout = 60)
{
    const struct limits any = {.seconds = 0.5, .megabytes = 256};
    struct outcome outcome = run_shell("yes", any);
    cr_expect_eq(outcome.ending, TIMED_OUT);
    cr_expect_gt(outcome.output_lines, 100000);
    free(outcome.output);
}
