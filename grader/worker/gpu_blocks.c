// gpu_blocks.c - calls in which few blocks of large launches run (gpu/runtime/sample.cc).
//
//   few blocks ──> in doubt, where others would have been tried: some more
//        v
//   some blocks ──> outputs to their end, numbers whole ──> what is written is judged
//        │
//        ├── blocks were undone, or meet in atomics ──────> all blocks, up to a limit of work
//        └── something seems to be missing ───────────────> the same, which must confirm it

#include "worker/gpu_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// An output of so many numbers has one or more for each row. A smaller one, such as a mean, depends on all rows.
enum { MANY = 4096 };

static bool is_written(const struct job *job, uint32_t i)
{
    return !is_absent(job, i) && !is_input(job, i) && job->call->bytes[i] > 0;
}

// Written, and compared, but not a row for each block.
static bool is_number(const struct job *job, uint32_t i)
{
    return is_written(job, i) && (job->call->judged >> i & 1) != 0 &&
           job->call->bytes[i] / job->call->element[i] < MANY;
}

static bool is_output(const struct job *job, uint32_t i)
{
    return !is_absent(job, i) && !is_input(job, i) && (job->call->given >> i & 1) == 0;
}

static void begin_blocks(struct job *job, enum gpu_blocks which)
{
    begin_run(job, GPU_FORWARD, true);
    gpu_run_blocks(which);
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        if (is_number(job, i)) {
            gpu_sample_number(job->device[i], job->call->bytes[i]);
        } else if (is_output(job, i) && (job->call->judged >> i & 1) != 0) {
            gpu_sample_output(job->device[i], job->call->bytes[i]);
        }
    }
}

// What a block left behind that was stopped has not been written, either.
static void restore_unwritten(const struct job *job, char *output)
{
    for (uint32_t i = 0; i < job->call->tensors; i++) {
        const size_t size = job->call->element[i];
        for (size_t at = 0; is_output(job, i) && at + size <= job->call->bytes[i];
             at += size) {
            if (!gpu_written(job->device[i] + at, size)) {
                memcpy(output + (job->call->offset[i] - job->call->input_bytes) + at,
                       host_bytes(job, i) + at, size);
            }
        }
    }
}

static bool wrote_nothing(const struct job *job, uint32_t i)
{
    const size_t size = job->call->element[i];
    size_t at = 0;
    while (at < job->call->bytes[i] && !gpu_written(job->device[i] + at, size)) {
        at += size;
    }
    return at >= job->call->bytes[i];
}

static bool is_unchanged(const struct job *job, uint32_t i, const char *output)
{
    return memcmp(output + (job->call->offset[i] - job->call->input_bytes),
                  host_bytes(job, i), job->call->bytes[i]) == 0;
}

// After a call in which all blocks should run. Where that is too much work, those that did run decide.
static bool lacks_end(const struct job *job, uint32_t i, uint64_t possible,
                      enum gpu_sampled sampled)
{
    const size_t size = job->call->element[i];
    return sampled == GPU_ALL_BLOCKS
               ? !gpu_written(job->device[i] + job->call->bytes[i] - size, size)
               : possible > 0 || wrote_nothing(job, i);
}

static void report_too_few(const struct job *job, uint32_t i, uint64_t possible)
{
    const size_t size = job->call->element[i];
    const uint64_t count = job->call->bytes[i] / size;
    char headline[160];
    if (possible == 0 && count == 1) {
        snprintf(headline, sizeof headline, "writes nothing to " TENSOR_MARK "%u", i);
    } else if (possible == 0) {
        snprintf(headline, sizeof headline,
                 "writes none of the %" PRIu64 " elements of " TENSOR_MARK "%u", count,
                 i);
    } else {
        snprintf(headline, sizeof headline,
                 "writes at most %" PRIu64 " of the %" PRIu64 " elements of " TENSOR_MARK
                 "%u",
                 possible / size, count, i);
    }
    report_finding("rows-missing", headline,
                   possible == 0
                       ? ""
                       : "Is the number of blocks limited, without a loop over the rows "
                         "that are left?\n");
}

// Where all blocks are too much work, those that did run decide, here too.
static void report_no_end(const struct job *job, uint32_t i)
{
    char headline[160];
    snprintf(headline, sizeof headline,
             "does not write the last of the %" PRIu64 " elements of " TENSOR_MARK "%u",
             job->call->bytes[i] / job->call->element[i], i);
    report_finding("rows-missing", headline,
                   "Does the loop over the rows end too early?\n");
}

static enum gpu_sampled run_blocks(struct job *job, enum gpu_blocks which, char *output,
                                   uint32_t *short_of, uint64_t *possible)
{
    const void *output_dev = NULL;
    begin_blocks(job, which);
    finish_run(job, output);
    const enum gpu_sampled sampled = gpu_sampled(&output_dev, possible);
    for (uint32_t i = 0; output_dev != NULL && i < job->call->tensors; i++) {
        *short_of = job->device[i] == output_dev ? i : *short_of;
    }
    return sampled;
}

// All tensors but the numbers, which are whole if that is the result of some blocks.
static uint64_t partial_tensors(const struct job *job, enum gpu_sampled sampled)
{
    uint64_t partial = sampled == GPU_ALL_BLOCKS ? 0 : PARTIAL_ALL;
    for (uint32_t i = 0; sampled == GPU_SOME_BLOCKS && i < job->call->tensors; i++) {
        partial &= ~((uint64_t)is_number(job, i) << i);
    }
    return partial;
}

// What some blocks have shown.
struct sampled {
    enum gpu_sampled result;
    uint32_t tensor; // that seems to lack something
    uint64_t possible;
    bool unchanged; // this tensor, by anything: what a library writes is no block's
};

static struct sampled run_some(struct job *job, char *output)
{
    struct sampled some = {.result = GPU_NOT_KNOWN};
    some.result = run_blocks(job, GPU_FEW, output, &some.tensor, &some.possible);
    if (gpu_needs_many()) {
        some.result = run_blocks(job, GPU_MANY, output, &some.tensor, &some.possible);
    }
    if (some.result == GPU_NUMBER_LEFT_OUT) {
        some.unchanged = is_unchanged(job, some.tensor, output);
    }
    return some;
}

// all: what the run of all blocks has shown
static void report_missing(const struct job *job, const struct sampled *some,
                           enum gpu_sampled all)
{
    const bool too_much = all == GPU_TOO_MUCH_WORK;
    if (some->result == GPU_TOO_FEW_BLOCKS &&
        lacks_end(job, some->tensor, some->possible, all)) {
        report_too_few(job, some->tensor, some->possible);
    } else if (some->result == GPU_END_LEFT_OUT && too_much) {
        report_no_end(job, some->tensor);
    } else if (some->unchanged && too_much) {
        report_too_few(job, some->tensor, 0);
    }
}

void run_some_blocks(struct job *job, struct answer *answer, char *output)
{
    const struct sampled some = run_some(job, output);
    const bool returned = job->status == LAB_OK;
    enum gpu_sampled result = some.result;
    if (result == GPU_SOME_BLOCKS) {
        restore_unwritten(job, output);
    } else if (result == GPU_NOT_KNOWN ||
               (returned && result != GPU_ALL_BLOCKS && result != GPU_TOO_MUCH_WORK)) {
        uint32_t ignored = 0;
        uint64_t most = 0;
        result = run_blocks(job, GPU_ALL, output, &ignored, &most); // must confirm it
    }
    if (returned) {
        report_missing(job, &some, result);
    }
    answer->partial = partial_tensors(job, result);
    if (result == GPU_TOO_MUCH_WORK) {
        outputs_as_before(job, output);
    }
}
