// 10_flash.c - lab 10's attention, beside PyTorch's, beside BLAS, and beside attention that stores its
// weights.
//
//     build/bench/10_flash [FILE]
//
// First table: GPT-2's heads, causal, forward and backward. The limit is the speed of a large matrix
// product by BLAS, measured in the same turns; only pairs of a query and a key that it sees are counted
// as work. All sides take turns, first on one thread, then on two; medians are printed. Without PyTorch
// the other sides are printed alone.
//
// Second table: one head against T. The standard form stores (T, T) scores and weights, as lab 4 does,
// and multiplies by BLAS. Each row is a process of its own, whose largest memory the system reports.
//
// FILE gets both tables for a picture (tab-separated): what, side, threads, T, milliseconds, megabytes;
// nan for what was not measured.

#define _GNU_SOURCE

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "10_flash_attention/flash_attention.h"
#include "bench/rival/rival.h"
#include "common/blas_core.h"
#include "common/dimensions.h"
#include "common/parallel.h"
#include "common/rng.h"
#include "common/timer.h"
#include "fast/common/vector_math.h"

enum {
    B = 4,
    NH = 12,
    T = 1024,
    hs = 64,
    RUNS = 11,
    LONG_RUNS = 3,
    LARGE = 2048,
    TILE = 64
};

static void need(lab_status status)
{
    if (status != LAB_OK) {
        fprintf(stderr, "flash: %s\n", lab_status_message(status));
        exit(1);
    }
}

static float *allocate(size_t count)
{
    float *memory = malloc(count * sizeof *memory);
    if (memory == NULL) {
        need(LAB_ENOMEM);
    }
    return memory;
}

// ---- what is measured ---------------------------------------------------------------------

// Causal attention of some heads.
struct bench {
    size_t heads, T;
    float *q, *k, *v, *out, *dout, *dq, *dk, *dv; // (heads, T, hs)
    float *logsumexp, *delta;                     // (heads, T), (T)
    float *a, *b, *product;                       // (LARGE, LARGE), for BLAS
};

static float *random_numbers(struct lab_rng *rng, size_t count)
{
    float *numbers = allocate(count);
    lab_rng_randn(rng, numbers, count);
    return numbers;
}

static void set_up(struct bench *b, size_t heads, size_t T, bool backward)
{
    const size_t count = heads * T * hs;
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    *b = (struct bench){.heads = heads, .T = T};
    b->q = random_numbers(&rng, count);
    b->k = random_numbers(&rng, count);
    b->v = random_numbers(&rng, count);
    b->out = allocate(count);
    b->logsumexp = allocate(heads * T);
    if (backward) {
        b->dout = random_numbers(&rng, count);
        b->dq = allocate(count);
        b->dk = allocate(count);
        b->dv = allocate(count);
        b->delta = allocate(T);
    }
}

static double forward_seconds(const struct bench *b)
{
    float scores[TILE * TILE], weighted[TILE * hs], tile_weighted[TILE * hs];
    float max[TILE], sum[TILE], tile_max[TILE], tile_sum[TILE];
    const struct flash_buffers z = {scores,   max,      sum,          weighted,
                                    tile_max, tile_sum, tile_weighted};
    const double start = lab_seconds();
    need(flash_attention(b->out, b->logsumexp, &z, b->q, b->k, b->v, true, 1, b->heads,
                         b->T, b->T, hs, TILE, TILE));
    return lab_seconds() - start;
}

static double backward_seconds(const struct bench *b)
{
    float weights[TILE * TILE], dscores[TILE * TILE];
    const struct flash_backward_buffers z = {b->delta, weights, dscores};
    const double start = lab_seconds();
    need(flash_attention_backward(b->dq, b->dk, b->dv, &z, b->dout, b->out, b->logsumexp,
                                  b->q, b->k, b->v, true, 1, b->heads, b->T, b->T, hs,
                                  TILE, TILE));
    return lab_seconds() - start;
}

// Floating-point operations of a second in a large product.
static double blas_speed(const struct bench *b)
{
    const double start = lab_seconds();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, LARGE, LARGE, LARGE, 1.0f,
                b->a, LARGE, b->b, LARGE, 0.0f, b->product, LARGE);
    return 2.0 * LARGE * LARGE * LARGE / (lab_seconds() - start);
}

// The threads of PyTorch and of BLAS look for more work for some 30 milliseconds after a turn. Computes
// until then.
static void let_them_sleep(const struct bench *b)
{
    const double start = lab_seconds();
    while (lab_seconds() - start < 0.1) {
        forward_seconds(b);
    }
}

// ---- the standard form --------------------------------------------------------------------

// A softmax of the first `seen` scores; the other weights are 0.
LAB_WIDE static void softmax_row(float *restrict weights, const float *restrict scores,
                                 size_t seen, size_t S)
{
    const float max = lab_max(scores, seen);
    for (size_t s = 0; s < seen; s++) {
        weights[s] = lab_exp(scores[s] - max);
    }
    const float share = 1.0f / lab_sum(weights, seen);
    for (size_t s = 0; s < seen; s++) {
        weights[s] *= share;
    }
    memset(weights + seen, 0, (S - seen) * sizeof *weights);
}

// One head, with its weights (T, T) in memory.
static double standard_seconds(const struct bench *b, float *scores, float *weights)
{
    const int T = (int)b->T;
    const double start = lab_seconds();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, T, T, hs,
                1.0f / sqrtf((float)hs), b->q, hs, b->k, hs, 0.0f, scores, T);
    for (size_t t = 0; t < b->T; t++) {
        softmax_row(weights + t * b->T, scores + t * b->T, t + 1, b->T);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, T, hs, T, 1.0f, weights, T,
                b->v, hs, 0.0f, b->out, hs);
    return lab_seconds() - start;
}

// ---- GPT-2's heads ------------------------------------------------------------------------

enum { FORWARD, BACKWARD, BOTH, PASSES };

static const struct pass {
    const char *name;
    double operations; // for each channel of a pair of a query and a key that it sees
} passes[PASSES] = {{"forward", 4}, {"backward", 10}, {"both", 14}};

static void write_row(FILE *file, const char *what, const char *side, size_t threads,
                      size_t T, double seconds, double megabytes)
{
    if (file != NULL) {
        fprintf(file, "%s\t%s\t%zu\t%zu\t%.3f\t%.2f\n", what, side, threads, T,
                1e3 * seconds, megabytes);
    }
}

static void print_pass(FILE *file, const struct pass *pass, size_t threads, double limit,
                       double ours, double theirs)
{
    const double pairs = (double)B * NH * T * (T + 1) / 2;
    const double speed = pass->operations * hs * pairs / ours;
    printf("    %-9s %9.1f %9.1f %7.0f %%", pass->name, 1e3 * ours, speed / 1e9,
           100 * speed / limit);
    if (theirs > 0) {
        printf(" %10.1f %7.2f times", 1e3 * theirs, theirs / ours);
    }
    printf("\n");
    write_row(file, pass->name, "workbook", threads, T, ours, (double)NAN);
    write_row(file, pass->name, "pytorch", threads, T, theirs > 0 ? theirs : (double)NAN,
              (double)NAN);
}

// Three rows: medians of RUNS turns of all sides.
static void measure_passes(FILE *file, const struct bench *b, struct rival *rival,
                           size_t threads)
{
    double limit[RUNS], ours[PASSES][RUNS], theirs[PASSES][RUNS];
    for (int run = 0; run < RUNS; run++) {
        let_them_sleep(b);
        ours[FORWARD][run] = forward_seconds(b);
        ours[BACKWARD][run] = backward_seconds(b);
        ours[BOTH][run] = ours[FORWARD][run] + ours[BACKWARD][run];
        for (int i = 0; i < PASSES; i++) {
            theirs[i][run] = rival != NULL ? rival_ask_for(rival, passes[i].name) : 0;
        }
        let_them_sleep(b);
        limit[run] = blas_speed(b);
    }
    const double speed = lab_median(limit, RUNS);
    printf("    BLAS, %d^3: %.1f GFLOP/s\n", LARGE, speed / 1e9);
    for (int i = 0; i < PASSES; i++) {
        print_pass(file, &passes[i], threads, speed, lab_median(ours[i], RUNS),
                   lab_median(theirs[i], RUNS));
    }
}

static void measure(FILE *file, const struct bench *b, size_t threads)
{
    const size_t sizes[] = {B, NH, T, hs, threads};
    struct rival rival = {0};
    lab_threads_set(threads);
    openblas_set_num_threads((int)threads);
    const bool have_rival = rival_start(&rival, "grader/bench/10_flash.py", sizes, 5);
    printf("%zu thread%s%s%s\n", threads, threads == 1 ? "" : "s",
           have_rival ? ", beside " : "", rival.name);
    printf("                     ms   GFLOP/s   of BLAS%s\n",
           have_rival ? " PyTorch ms   PyTorch / ours" : "");
    measure_passes(file, b, have_rival ? &rival : NULL, threads);
    if (have_rival) {
        rival_end(&rival);
    } else {
        printf("    PyTorch is not installed (grader/tools/bench.sh says how)\n");
    }
}

static void measure_heads(FILE *file)
{
    struct bench b;
    struct lab_rng rng;
    set_up(&b, B * NH, T, true);
    lab_rng_seed(&rng, 2);
    b.a = random_numbers(&rng, LARGE * LARGE);
    b.b = random_numbers(&rng, LARGE * LARGE);
    b.product = allocate(LARGE * LARGE);
    measure(file, &b, 1);
    measure(file, &b, 2);
    float *all[] = {b.q,  b.k,         b.v,     b.out, b.dout, b.dq,     b.dk,
                    b.dv, b.logsumexp, b.delta, b.a,   b.b,    b.product};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

// ---- one head against T -------------------------------------------------------------------

enum form { STANDARD, FLASH, FLASH_BOTH };

static const char *const forms[] = {"standard", "flash", "flash, both"};

struct cost {
    double seconds, megabytes;
};

static double run_form(enum form form, size_t T)
{
    struct bench b;
    double seconds[LONG_RUNS];
    set_up(&b, 1, T, form == FLASH_BOTH);
    float *scores = form == STANDARD ? allocate(T * T) : NULL;
    float *weights = form == STANDARD ? allocate(T * T) : NULL;
    for (int run = -1; run < LONG_RUNS; run++) { // the first one only warms up
        const double took = form == STANDARD ? standard_seconds(&b, scores, weights)
                            : form == FLASH  ? forward_seconds(&b)
                                             : forward_seconds(&b) + backward_seconds(&b);
        seconds[run < 0 ? 0 : run] = took;
    }
    return lab_median(seconds, LONG_RUNS);
}

static double largest_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

// In a process of its own: what it needed above what it had at its start.
static struct cost measure_form(enum form form, size_t T)
{
    struct cost cost = {(double)NAN, (double)NAN};
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        return cost;
    }
    const pid_t child = fork();
    if (child == 0) {
        const double before = largest_megabytes();
        cost.seconds = run_form(form, T);
        cost.megabytes = largest_megabytes() - before;
        _exit(write(ends[1], &cost, sizeof cost) != sizeof cost);
    }
    close(ends[1]);
    int status = 1;
    const bool answered = read(ends[0], &cost, sizeof cost) == sizeof cost;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || !answered) {
        fprintf(stderr, "flash: T %zu, %s: not measured\n", T, forms[form]);
        cost = (struct cost){(double)NAN, (double)NAN};
    }
    return cost;
}

static void measure_lengths(FILE *file)
{
    static const char *const sides[] = {"standard", "flash", "flash"};
    lab_threads_set(1);
    openblas_set_num_threads(1);
    printf(
        "1 thread, one head of %d channels: milliseconds, and megabytes with all tensors\n",
        hs);
    printf("         T    standard          flash             flash, and back\n");
    for (size_t tokens = 512; tokens <= 16384; tokens *= 2) {
        printf("    %6zu", tokens);
        for (enum form form = STANDARD; form <= FLASH_BOTH; form++) {
            const struct cost cost = measure_form(form, tokens);
            printf("  %8.1f %7.1f", 1e3 * cost.seconds, cost.megabytes);
            write_row(file, form == FLASH_BOTH ? "long both" : "long forward",
                      sides[form], 1, tokens, cost.seconds, cost.megabytes);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: 10_flash [FILE]\n");
        return 2;
    }
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (argc == 2 && file == NULL) {
        fprintf(stderr, "flash: cannot write %s\n", argv[1]);
        return 1;
    }
    if (file != NULL) {
        fprintf(file, "what\tside\tthreads\tT\tmilliseconds\tmegabytes\n");
    }
    printf("causal attention in float32: B %d NH %d T %d hs %d\n", B, NH, T, hs);
    printf(
        "gcc %d.%d, OpenBLAS core %s; medians of %d, and of %d for one head, in turns\n",
        __GNUC__, __GNUC_MINOR__, openblas_get_corename(), RUNS, LONG_RUNS);
    measure_heads(file);
    measure_lengths(file);
    if (file != NULL && fclose(file) != 0) {
        fprintf(stderr, "flash: cannot write %s\n", argv[1]);
        return 1;
    }
    return 0;
}
