// test_gpu_where.c - finds the student's line at every instruction of a launch. A kernel that
// does not return may be interrupted anywhere: in its own code, in the simulator, or between
// two threads' stacks. Here the processor's trap flag interrupts it after each instruction, so
// every place is tested.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "gpu/simulator.h"
#include "tests/gpu/where.h"

Test(gpu_where, code_of_another_file_has_no_line)
{
    const char *file, *kernel;
    int line;
    gpu_reset();
    cr_expect(!gpu_where(&file, &line, &kernel));
    cr_expect_str_empty(kernel);
}

#if defined __x86_64__ // elsewhere, programs cannot be interrupted at every instruction

static struct {
    // counts of a kernel's instructions, and of those that belong to a line of where.cu
    size_t in_kernel, known;
} seen;

static void look(int number)
{
    (void)number;
    const char *file, *kernel;
    int line;
    bool known = gpu_where(&file, &line, &kernel);
    if (*kernel != '\0') {
        seen.in_kernel++;
        seen.known += known && strstr(file, "where.cu") != NULL;
    }
}

static void set_trap_flag(bool on)
{
    if (on) {
        __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "cc", "memory");
    } else {
        __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "cc", "memory");
    }
}

static void step_through(void (*launcher)(void))
{
    gpu_reset();
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_ONSTACK}, before;
    sigaction(SIGTRAP, &action, &before);
    memset(&seen, 0, sizeof seen);
    set_trap_flag(true);
    launcher();
    set_trap_flag(false);
    sigaction(SIGTRAP, &before, NULL);
}

// The rest are instructions between the end of one thread and the start of another.
Test(gpu_where, a_thread_that_waits_has_a_line_at_nearly_every_instruction)
{
    step_through(run_meetings);
    cr_expect_gt(seen.in_kernel, 10000);
    cr_expect_gt(seen.known, seen.in_kernel - seen.in_kernel / 10, "%zu of %zu",
                 seen.known, seen.in_kernel);
}

Test(gpu_where, threads_that_end_have_a_line_while_they_run)
{
    step_through(run_one_by_one);
    cr_expect_gt(seen.in_kernel, 1000);
    cr_expect_gt(seen.known, seen.in_kernel / 20, "%zu of %zu", seen.known,
                 seen.in_kernel);
}

#endif
