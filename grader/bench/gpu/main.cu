// main.cu - make gpu-bench: measures the labs' kernels on a card, step by step.
//
//     build/gpu/bench              on the card
//     build/gpu/bench --small      odd sizes: checks that everything runs and agrees; no measurements
//     build/gpu/bench bf16         only ladders whose title contains "bf16"
//
// Markdown tables go to standard output, errors to standard error. Exit status 1: no device,
// not enough memory, or a step whose result differs from that of the first step. With the
// simulated GPU (make build/gpu/bench-simulated), only --small works, because simulated times
// mean nothing. The labs' functions come from solutions/. measure.h describes the timing,
// ladders.h the computations. Start reading at the list of ladders.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/hopper.h"
#include "bench/gpu/ladders.h"
#include "bench/gpu/measure.h"

static const struct ladder *const ladders[] = {
    &plain_product,      &nt_product,      &batched_product,
    &linear_layer,       &softmax_of_rows, &masked_softmax_of_rows,
    &causal_masks,       &whole_attention, &decode_attention,
    &int8_product,       &flash_forward,   &flash_backward,
    &flash_tensor_cores,
};

enum { RUNS = 50, SMALL_RUNS = 3, COPY_BYTES = 256 << 20, SMALL_COPY_BYTES = 1 << 16 };

struct options {
    bool small;
    double copy;       // GB/s
    bool tensor_cores; // for bf16: compute capability 8.0 or higher, and not simulated
    bool hopper;       // compute capability 9.0, likewise
    const char *words; // of the titles of the ladders to run
};

// ---- tensors ------------------------------------------------------------------------------

static void *host_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "gpu-bench: out of memory\n");
        exit(1);
    }
    return memory;
}

// From -1 to 1, the same in every run. A linear congruential generator (Knuth's MMIX constants)
// is random enough for numbers that are only multiplied.
static void fill(float *x, size_t count)
{
    static unsigned long long state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        x[i] = (float)(int)(state >> 40) / (float)(1 << 23) - 1.0f;
    }
}

static void make_tensors(const struct ladder *ladder, struct job *job)
{
    for (size_t i = 0; ladder->count(job->n, i) > 0; i++) {
        const size_t bytes = ladder->count(job->n, i) * sizeof(float);
        float *numbers = (float *)host_memory(bytes);
        fill(numbers, bytes / sizeof *numbers);
        must(cudaMalloc((void **)&job->t[i], bytes), ladder->title);
        must(cudaMemcpy(job->t[i], numbers, bytes, cudaMemcpyHostToDevice),
             ladder->title);
        free(numbers);
    }
}

static void free_tensors(struct job *job)
{
    for (size_t i = 0; i < MOST_TENSORS && job->t[i] != NULL; i++) {
        must(cudaFree(job->t[i]), "freeing memory");
    }
}

// ---- does a step compute what the first one does? -----------------------------------------

static float *result_of(const struct ladder *ladder, const struct job *job)
{
    const size_t bytes = ladder->count(job->n, 0) * sizeof(float);
    float *numbers = (float *)host_memory(bytes);
    must(cudaStreamSynchronize(job->stream), ladder->title);
    must(cudaMemcpy(numbers, job->t[0], bytes, cudaMemcpyDeviceToHost), ladder->title);
    return numbers;
}

// Written so that NaN is never close. Masks are compared as floats, so equal bytes must count
// as equal, even if they are NaN.
static bool close_to(float got, float expected, float rounding)
{
    return memcmp(&got, &expected, sizeof got) == 0 ||
           fabsf(got - expected) <= 1e-3f + rounding + 1e-4f * fabsf(expected);
}

static void must_agree(const struct ladder *ladder, const struct step *step,
                       const struct job *job, const float *expected)
{
    const float factor = step->factor != NULL ? step->factor(job->n) : 1.0f;
    float *got = result_of(ladder, job);
    for (size_t i = 0; i < ladder->count(job->n, 0); i++) {
        if (!close_to(got[i], expected[i] * factor, step->rounding)) {
            fprintf(stderr, "gpu-bench: %s: '%s' has %.9g at %zu, '%s' has %.9g\n",
                    ladder->title, step->what, (double)got[i], i, ladder->steps[0].what,
                    (double)(expected[i] * factor));
            exit(1);
        }
    }
    free(got);
}

// ---- one ladder ---------------------------------------------------------------------------

static size_t count_steps(const struct ladder *ladder)
{
    size_t steps = 0;
    while (steps < MOST_STEPS && ladder->steps[steps].run != NULL) {
        steps++;
    }
    return steps;
}

static void print_sizes(const struct ladder *ladder, const size_t *n)
{
    printf("\n%s, %s =", ladder->title, ladder->dims);
    for (size_t i = 0; i < MOST_SIZES && n[i] > 0; i++) {
        printf(" %zu", n[i]);
    }
    printf("\n\n");
}

static bool can_run(const struct step *step, const struct options *options)
{
    return !step->needs_hopper || options->hopper;
}

static size_t last_that_runs(const struct ladder *ladder, const struct options *options)
{
    size_t last = count_steps(ladder) - 1;
    while (last > 0 && !can_run(&ladder->steps[last], options)) {
        last--;
    }
    return last;
}

static void print_heads(const struct ladder *ladder, size_t last)
{
    const bool copy = ladder->yardstick == COPY;
    printf("| exercise | how | median µs | 10 %% to 90 %% | %s | %% of %s |\n",
           copy ? "GB/s" : "GFLOP/s", copy ? "copying" : ladder->steps[last].exercise);
    printf("|---|---|---:|---:|---:|---:|\n");
}

static void print_step(const struct step *step, const struct options *options)
{
    printf("%s", step->what);
    if (!can_run(step, options)) {
        printf(" (not run: it needs compute capability 9.0)");
    }
    if (step->without_tensor_cores != NULL && !options->tensor_cores) {
        printf(" (%s)", step->without_tensor_cores);
    }
}

static void print_agreement(const struct ladder *ladder, size_t steps,
                            const struct options *options)
{
    for (size_t i = 0; i < steps; i++) {
        const struct step *step = &ladder->steps[i];
        const char *result = i == 0                    ? ": setting the expected result"
                             : !can_run(step, options) ? ""
                             : step->incomplete        ? ": runs"
                                                       : ": agrees";
        printf("- %s, ", step->exercise);
        print_step(step, options);
        printf("%s\n", result);
    }
}

static void print_rates(const struct ladder *ladder, const struct job *job,
                        const struct timing *timing, size_t steps,
                        const struct options *options)
{
    const size_t last = last_that_runs(ladder, options);
    print_heads(ladder, last);
    const double work = ladder->work(job->n);
    const double whole =
        ladder->yardstick == COPY ? options->copy : work / timing[last].median / 1e3;
    for (size_t i = 0; i < steps; i++) {
        printf("| %s | ", ladder->steps[i].exercise);
        print_step(&ladder->steps[i], options);
        if (!can_run(&ladder->steps[i], options)) {
            printf(" | | | | |\n");
            continue;
        }
        const double rate = work / timing[i].median / 1e3;
        printf(" | %.1f | %.1f to %.1f | %.1f | %.1f |\n", timing[i].median,
               timing[i].low, timing[i].high, rate, 100.0 * rate / whole);
    }
}

static void run_ladder(const struct meter *meter, const struct ladder *ladder,
                       const struct options *options)
{
    struct job job = {};
    job.cublas = meter->cublas;
    job.stream = meter->stream;
    memcpy(job.n, options->small ? ladder->small : ladder->n, sizeof job.n);
    make_tensors(ladder, &job);
    if (ladder->prepare != NULL) {
        must_lab(ladder->prepare(&job), ladder->title);
    }

    const size_t steps = count_steps(ladder);
    struct timing timing[MOST_STEPS];
    float *expected = NULL;
    for (size_t i = 0; i < steps; i++) {
        const struct step *step = &ladder->steps[i];
        const size_t bytes = ladder->count(job.n, 0) * sizeof(float);
        if (!can_run(step, options)) {
            continue;
        }
        // NaN, so that unwritten values stand out
        must(cudaMemset(job.t[0], 0xff, bytes), ladder->title);
        timing[i] = measure(meter, step, &job);
        if (i == 0) {
            expected = result_of(ladder, &job);
        } else if (!step->incomplete) {
            must_agree(ladder, step, &job, expected);
        }
    }

    print_sizes(ladder, job.n);
    if (options->small) {
        print_agreement(ladder, steps, options);
    } else {
        print_rates(ladder, &job, timing, steps, options);
    }
    free(expected);
    free_tensors(&job);
}

// ---- the card -----------------------------------------------------------------------------

static bool is_simulated(const cudaDeviceProp *card)
{
    return strncmp(card->name, "simulated", strlen("simulated")) == 0;
}

// Compiled by a toolkit that knows its instructions, too.
static bool has_hopper(const cudaDeviceProp *card)
{
    return HAS_HOPPER && card->major == 9 && card->minor == 0 && !is_simulated(card);
}

static cudaDeviceProp look_at_card(bool small)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "gpu-bench: not run: no CUDA device\n");
        exit(1);
    }
    cudaDeviceProp card;
    must(cudaGetDeviceProperties(&card, 0), "asking about the device");
    if (is_simulated(&card) && !small) {
        fprintf(stderr, "gpu-bench: not run: no CUDA device (this one is simulated)\n");
        exit(1);
    }
    return card;
}

static size_t flush_bytes_of(const cudaDeviceProp *card, bool small)
{
    return small ? 4096
                 : 2 * (card->l2CacheSize > 0 ? (size_t)card->l2CacheSize : 1 << 20);
}

int main(int count, char **arguments)
{
    struct options options = {};
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--small") == 0) {
            options.small = true;
        } else if (*arguments[i] != '-' && options.words == NULL) {
            options.words = arguments[i];
        } else {
            fprintf(stderr, "usage: bench [--small] [WORDS OF A TITLE]\n");
            return 2;
        }
    }

    const cudaDeviceProp card = look_at_card(options.small);
    options.tensor_cores = card.major >= 8 && !is_simulated(&card);
    options.hopper = has_hopper(&card);
    const size_t runs = options.small ? SMALL_RUNS : RUNS;
    struct meter meter = meter_open(runs, flush_bytes_of(&card, options.small));
    const size_t copy_bytes = options.small ? SMALL_COPY_BYTES : COPY_BYTES;
    options.copy = measure_copy(&meter, copy_bytes);

    printf("card: %s, %d multiprocessors, %.0f MiB of L2, compute capability %d.%d\n",
           card.name, card.multiProcessorCount, (double)card.l2CacheSize / (1 << 20),
           card.major, card.minor);
    if (!options.small) {
        printf(
            "copying %zu KiB from device to device: %.1f GB/s, reads and writes counted\n",
            copy_bytes >> 10, options.copy);
        printf(
            "%zu runs of each step, the L2 cache overwritten before each; floats, no TF32\n",
            runs);
    }
    for (size_t i = 0; i < sizeof ladders / sizeof ladders[0]; i++) {
        if (options.words == NULL || strstr(ladders[i]->title, options.words) != NULL) {
            run_ladder(&meter, ladders[i], &options);
        }
    }
    meter_close(&meter);
    return 0;
}
