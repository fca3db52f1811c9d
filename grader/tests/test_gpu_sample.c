// test_gpu_sample.c - launches with too many blocks: what the simulator concludes from some of them.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include "gpu/simulator.h"
#include "tests/gpu/samples.h"

enum { N = 100003 };

static char last_kind[32];

static void keep(const struct gpu_finding *finding, void *data)
{
    (void)data;
    snprintf(last_kind, sizeof last_kind, "%s", finding->kind);
}

static struct {
    const struct sampled_launcher *launcher;
    float *out_dev, *between_dev;
    uint64_t possible;
} call;

static void make_call(void *data)
{
    (void)data;
    call.launcher->run(call.out_dev, call.between_dev, N);
    (void)cudaGetLastError();
}

static void begin(const char *name, enum gpu_blocks which)
{
    for (call.launcher = sampled_launchers; strcmp(call.launcher->name, name) != 0;) {
        call.launcher++;
    }
    gpu_on_finding(keep, NULL);
    last_kind[0] = '\0';
    gpu_reset();
    cr_assert_eq(cudaMalloc((void **)&call.out_dev, N * sizeof(float)), cudaSuccess);
    cr_assert_eq(cudaMalloc((void **)&call.between_dev, N * sizeof(float)), cudaSuccess);
    gpu_run_blocks(which);
    gpu_sample_output(call.out_dev, N * sizeof(float));
}

static enum gpu_sampled run(const char *name, enum gpu_blocks which)
{
    const void *output = NULL;
    begin(name, which);
    (void)gpu_guard(make_call, NULL);
    const enum gpu_sampled sampled = gpu_sampled(&output, &call.possible);
    cr_expect(sampled != GPU_TOO_FEW_BLOCKS || output == call.out_dev, "%s", name);
    return sampled;
}

// How many of the numbers are written, if all of those are right.
static size_t count_right(const char *name)
{
    float *out = malloc(N * sizeof *out);
    size_t count = 0;
    cr_assert(out != NULL);
    cr_assert_eq(cudaMemcpy(out, call.out_dev, N * sizeof *out, cudaMemcpyDeviceToHost),
                 cudaSuccess);
    for (size_t i = 0; i < N; i++) {
        if (gpu_written(call.out_dev + i, sizeof *out)) {
            cr_assert_eq(out[i], (float)i, "%s: number %zu", name, i);
            count++;
        }
    }
    free(out);
    return count;
}

Test(gpu_sample, right_launches_reach_the_end_with_a_few_blocks)
{
    static const char *const names[] = {"a block each",   "chunks",       "steps of 100",
                                        "steps of 65535", "from the end", "a plane",
                                        "a volume",       "two kernels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const enum gpu_sampled sampled = run(names[i], GPU_MANY);
        const bool few = strcmp(names[i], "steps of 100") != 0 &&
                         strcmp(names[i], "from the end") != 0 &&
                         strncmp(names[i], "a plane", 7) != 0 &&
                         strncmp(names[i], "a volume", 8) != 0;
        cr_expect_eq(sampled, few ? GPU_SOME_BLOCKS : GPU_ALL_BLOCKS, "%s: %d", names[i],
                     (int)sampled);
        cr_expect_str_eq(last_kind, "", "%s", names[i]);
        const size_t right = count_right(names[i]);
        cr_expect(few ? 0 < right && right < N / 2 : right == N, "%s: %zu", names[i],
                  right);
    }
}

// Zeros, or what is to be halved, are not taken for results.
Test(gpu_sample, what_omitted_blocks_would_write_again_is_not_known)
{
    static const char *const names[] = {"zeros first", "halved", "zeros between",
                                        "a variable", "halved by one block"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum gpu_sampled sampled = run(names[i], GPU_MANY);
        if (sampled == GPU_NOT_KNOWN) {
            sampled = run(names[i], GPU_ALL);
        }
        cr_expect(sampled == GPU_SOME_BLOCKS || sampled == GPU_ALL_BLOCKS, "%s: %d",
                  names[i], (int)sampled);
        cr_expect_str_eq(last_kind, "", "%s", names[i]);
        const size_t right = count_right(names[i]);
        cr_expect(right == N || (sampled == GPU_SOME_BLOCKS && right < N / 2), "%s: %zu",
                  names[i], right);
    }
}

Test(gpu_sample, a_grid_that_is_too_small_is_named)
{
    static const struct {
        const char *name;
        size_t most;
    } wrong[] = {{"limited", 65535}, {"the same chunk", 65535}, {"nothing", 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(run(wrong[i].name, GPU_MANY), GPU_TOO_FEW_BLOCKS, "%s",
                     wrong[i].name);
        cr_expect_eq(call.possible, wrong[i].most * sizeof(float), "%s", wrong[i].name);
    }
}

// Whether the output is that pointer, and a run of all blocks has another result.
static void expect_left_out(const char *name, const float *pointer_dev,
                            enum gpu_sampled left_out, enum gpu_sampled all)
{
    const void *output = NULL;
    cr_expect_eq(gpu_sampled(&output, &call.possible), left_out, "%s", name);
    cr_expect_eq(output, (const void *)pointer_dev, "%s", name);
    cr_expect_eq(run(name, GPU_ALL), all, "%s", name);
    cr_expect_str_eq(last_kind, "", "%s", name);
}

Test(gpu_sample, a_loop_that_ends_before_the_last_row_is_seen)
{
    static const struct {
        const char *name;
        enum gpu_sampled all;
        bool right;
    } launches[] = {
        {"steps without the last row", GPU_ALL_BLOCKS, false},
        {"wide steps without the last row", GPU_TOO_MUCH_WORK, false},
        {"the last row apart", GPU_ALL_BLOCKS, true},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const char *name = launches[i].name;
        run(name, GPU_MANY);
        expect_left_out(name, call.out_dev, GPU_END_LEFT_OUT, launches[i].all);
        cr_expect_eq(gpu_written(call.out_dev + N - 1, sizeof(float)), launches[i].right,
                     "%s", name);
    }
}

static void run_with_number(const char *name, enum gpu_blocks which)
{
    begin(name, which);
    gpu_sample_number(call.between_dev, sizeof(float));
    (void)gpu_guard(make_call, NULL);
}

Test(gpu_sample, a_number_counts_if_all_blocks_of_its_launch_ran)
{
    static const struct {
        const char *name;
        enum gpu_sampled sampled;
    } launches[] = {
        {"a number", GPU_SOME_BLOCKS},
        {"a number by the last block", GPU_NOT_KNOWN},
        {"a number by any block", GPU_NUMBER_LEFT_OUT},
        {"a block each", GPU_NUMBER_LEFT_OUT},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const void *output = NULL;
        run_with_number(launches[i].name, GPU_MANY);
        cr_expect_eq(gpu_sampled(&output, &call.possible), launches[i].sampled, "%s",
                     launches[i].name);
        const bool left_out = launches[i].sampled == GPU_NUMBER_LEFT_OUT;
        cr_expect_eq(output, left_out ? call.between_dev : NULL, "%s", launches[i].name);
        run_with_number(launches[i].name, GPU_ALL);
        cr_expect_eq(gpu_sampled(&output, &call.possible), GPU_ALL_BLOCKS, "%s",
                     launches[i].name);
    }
}

// Of 128 blocks, more than half would run, and take longer than the limit of work.
Test(gpu_sample, of_blocks_that_take_long_few_run)
{
    cr_expect_eq(run("long steps", GPU_FEW), GPU_SOME_BLOCKS);
    cr_expect_not(gpu_needs_many());
    const size_t few = count_right("long steps");
    cr_expect(0 < few && few < N / 8, "%zu", few);
    cr_expect(gpu_written(call.out_dev + N - 1, sizeof(float)));
    cr_expect_eq(run("long steps", GPU_MANY), GPU_TOO_MUCH_WORK);
    cr_expect_not(gpu_needs_many());
    cr_expect_eq(run("a block each", GPU_FEW), GPU_SOME_BLOCKS);
    cr_expect_not(gpu_needs_many());
}

Test(gpu_sample, few_blocks_that_leave_a_doubt_are_not_enough)
{
    const char *name = "long steps, then rows of 16";
    (void)run(name, GPU_FEW);
    cr_expect(gpu_needs_many());
    cr_expect_eq(run(name, GPU_MANY), GPU_SOME_BLOCKS);
    cr_expect_not(gpu_needs_many());
    cr_expect_str_eq(last_kind, "");
    cr_expect_eq(run("long steps without the last row", GPU_FEW), GPU_END_LEFT_OUT);
    cr_expect(gpu_needs_many());
}

Test(gpu_sample, two_blocks_that_write_one_row_are_a_race)
{
    run("a narrow index", GPU_MANY);
    cr_expect_str_eq(last_kind, "race-global");
    run("a plane of the wrong width", GPU_MANY);
    cr_expect_str_eq(last_kind, "race-global");
}

Test(gpu_sample, blocks_that_meet_in_atomics_run_all_or_say_nothing)
{
    cr_expect_eq(run("a counter", GPU_MANY), GPU_NOT_KNOWN);
    cr_expect_eq(run("a counter", GPU_ALL), GPU_ALL_BLOCKS);
    cr_expect_str_eq(last_kind, "");
    cr_expect_eq(count_right("a counter"), N);
}

// A block that adds to a counter only after all others did would never come, or come too early.
Test(gpu_sample, a_variable_is_as_before_if_blocks_did_not_run)
{
    float number = 0.0f;
    const char *const name = "a number by the last to finish";
    cr_expect_eq(run(name, GPU_MANY), GPU_NOT_KNOWN);
    cr_expect_eq(run(name, GPU_ALL), GPU_TOO_MUCH_WORK);
    gpu_reset();
    cr_assert_eq(cudaMalloc((void **)&call.out_dev, 10 * sizeof(float)), cudaSuccess);
    cr_assert_eq(cudaMalloc((void **)&call.between_dev, sizeof(float)), cudaSuccess);
    call.launcher->run(call.out_dev, call.between_dev, 10);
    cr_expect_eq(cudaGetLastError(), cudaSuccess);
    cr_assert_eq(
        cudaMemcpy(&number, call.between_dev, sizeof number, cudaMemcpyDeviceToHost),
        cudaSuccess);
    cr_expect_str_eq(last_kind, "");
    cr_expect_eq(number, 10.0f);
}

Test(gpu_sample, too_much_work_ends_without_a_word)
{
    cr_expect_eq(run("in step", GPU_MANY), GPU_TOO_MUCH_WORK);
    cr_expect_eq(run("in step", GPU_ALL), GPU_TOO_MUCH_WORK);
    cr_expect_str_eq(last_kind, "");
}

Test(gpu_sample, what_the_blocks_write_stays)
{
    float first;
    run("wrong numbers", GPU_MANY);
    cr_assert_eq(cudaMemcpy(&first, call.out_dev, sizeof first, cudaMemcpyDeviceToHost),
                 cudaSuccess);
    cr_expect_eq(first, 1.0f);
}
