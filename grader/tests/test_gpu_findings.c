// test_gpu_findings.c - the simulated GPU finds every planted error, and none in correct
// programs. The programs are in gpu/*.cu. Each runs with its threads and blocks forward,
// reversed and shuffled: neither the findings nor the results of correct programs may depend on
// the order.

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gpu/simulator.h"
#include "tests/gpu/kernel_case.h"

struct seen {
    size_t count;
    char kind[32], file[128], text[1024];
    int line, other_line;
};

static void keep(const struct gpu_finding *finding, void *data)
{
    struct seen *seen = data;
    seen->count++;
    seen->line = finding->line;
    seen->other_line = finding->other_line;
    snprintf(seen->kind, sizeof seen->kind, "%s", finding->kind);
    snprintf(seen->file, sizeof seen->file, "%s", finding->file);
    snprintf(seen->text, sizeof seen->text, "%s", finding->text);
}

// The line of "// HERE name" in a file, or 0. Several tests may share a mark: "// HERE tiled"
// is also for tiled_without_first_barrier.
static int marked_line(const char *file, const char *mark, const char *name)
{
    char line[256], *found;
    FILE *source = fopen(file, "r");
    cr_assert(source != NULL, "%s cannot be opened", file);
    int number = 0, result = 0;
    while (result == 0 && fgets(line, sizeof line, source) != NULL) {
        number++;
        if ((found = strstr(line, mark)) != NULL) {
            found += strlen(mark);
            found[strcspn(found, "\n")] = '\0';
            result = strncmp(name, found, strlen(found)) == 0 ? number : 0;
        }
    }
    fclose(source);
    return result;
}

struct job {
    const struct kernel_case *program;
    bool result;
};

static void run_program(void *data)
{
    struct job *job = data;
    job->result = job->program->run();
}

static void check(const struct kernel_case *program, const char *file, const char *order)
{
    struct seen seen = {.count = 0};
    struct job job = {program, false};
    gpu_on_finding(keep, &seen);
    bool good = gpu_guard(run_program, &job);
    if (program->kind == NULL) {
        cr_expect(good && job.result, "%s, %s: %s %s", program->name, order,
                  seen.count > 0 ? seen.kind : "wrong result", seen.text);
        return;
    }
    cr_expect(!good && seen.count == 1, "%s, %s: %zu findings", program->name, order,
              seen.count);
    cr_expect(strcmp(seen.kind, program->kind) == 0, "%s, %s: %s and not %s: %s",
              program->name, order, seen.kind, program->kind, seen.text);
    const int here = marked_line(file, "// HERE ", program->name),
              there = marked_line(file, "// THERE ", program->name);
    // In a race, either of the two places may be reported as the second one.
    cr_expect(here == 0 || seen.line == here || (there != 0 && seen.other_line == here) ||
                  (there == 0 && seen.other_line == here),
              "%s, %s: line %d and not %d", program->name, order, seen.line, here);
    cr_expect(there == 0 || seen.line == there || seen.other_line == there,
              "%s, %s: the other line is %d and not %d", program->name, order,
              seen.other_line, there);
    cr_expect(strchr(seen.text, '\n') != NULL || strlen(seen.text) < 100,
              "%s: says what to do", program->name);
}

static void check_all(const struct kernel_case *programs, const char *file)
{
    static const struct {
        const char *name;
        enum gpu_order order;
        uint64_t seed;
    } orders[] = {{"forward", GPU_FORWARD, 0},
                  {"reversed", GPU_REVERSED, 0},
                  {"shuffled by 1", GPU_SHUFFLED, 1},
                  {"shuffled by 2", GPU_SHUFFLED, 2}};
    for (const struct kernel_case *program = programs; program->name != NULL; program++) {
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            gpu_reset();
            gpu_set_order(orders[i].order, orders[i].seed);
            check(program, file, orders[i].name);
        }
    }
}

Test(gpu_findings, races_are_found)
{
    check_all(race_cases, "grader/tests/gpu/races.cu");
}

Test(gpu_findings, missed_and_divergent_barriers_are_found)
{
    check_all(barrier_cases, "grader/tests/gpu/barriers.cu");
}

Test(gpu_findings, a_race_past_a_skipped_barrier_names_the_barrier)
{
    const struct kernel_case *program = barrier_cases;
    while (strcmp(program->name, "skipped_barrier") != 0) {
        program++;
    }
    struct seen seen = {.count = 0};
    struct job job = {program, false};
    gpu_reset();
    gpu_set_order(GPU_FORWARD, 0);
    gpu_on_finding(keep, &seen);
    cr_expect_not(gpu_guard(run_program, &job));
    cr_expect_not_null(strstr(seen.text,
                              ": thread (40,0,0) reads an element that thread (20,0,0) "
                              "writes at line"),
                       "%s", seen.text);
    cr_expect_not_null(
        strstr(seen.text, "\nWhile thread (20,0,0) waits at the __syncthreads() in line"),
        "%s", seen.text);
    cr_expect_not_null(strstr(seen.text, "thread (40,0,0) has not reached it"), "%s",
                       seen.text);
}

Test(gpu_findings, wrong_masks_and_absent_lanes_are_found)
{
    check_all(warp_cases, "grader/tests/gpu/warps.cu");
}

Test(gpu_findings, wrong_addresses_and_unwritten_memory_are_found)
{
    check_all(memory_cases, "grader/tests/gpu/memory.cu");
}

Test(gpu_findings, refused_launches_and_wrong_calls_are_found)
{
    check_all(call_cases, "grader/tests/gpu/calls.cu");
}

Test(gpu_findings, every_form_of_cuda_runs)
{
    check_all(syntax_cases, "grader/tests/gpu/syntax.cu");
}

Test(gpu_findings, correct_programs_are_left_alone)
{
    check_all(fine_cases, "grader/tests/gpu/fine.cu");
}

// Programs that last very long use up the epochs, and then the simulator forgets what was before.
Test(gpu_findings, used_up_epochs_invent_no_finding)
{
    gpu_set_epochs(3);
    check_all(fine_cases, "grader/tests/gpu/fine.cu");
    gpu_set_epochs(7);
    check_all(fine_cases, "grader/tests/gpu/fine.cu");
}

Test(gpu_findings, used_up_epochs_hide_no_race_between_two_barriers)
{
    gpu_set_epochs(3);
    for (const struct kernel_case *program = race_cases; program->name != NULL;
         program++) {
        if (strcmp(program->kind, "race-shared") == 0) {
            gpu_reset();
            check(program, "grader/tests/gpu/races.cu", "few epochs");
        }
    }
}
