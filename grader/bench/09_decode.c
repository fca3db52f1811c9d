// 09_decode.c - lab 9's steps and prompts, beside what the memory allows, and beside PyTorch.
//
//     build/bench/09_decode [FILE]
//
// The model has 124 million parameters, random weights: far more than a cache holds. A step reads
// each matrix once, so the memory's speed limits it: 9.6's decode_bytes divided by the speed of
// reading, which is measured in the same turns by adding up all parameters. A prompt is limited by
// BLAS: the products of the same sizes are measured alone. All sides take turns, first on one
// thread, then on two; medians are printed. Without PyTorch the other sides are printed alone.
//
// FILE gets a table (tab-separated) of what a picture needs: threads, what, limit, ours, PyTorch, in
// tokens a second; nan without PyTorch.

#define _POSIX_C_SOURCE 200809L

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "08_language_model/language_model.h"
#include "09_generation/generation.h"
#include "bench/rival/rival.h"
#include "common/blas_core.h"
#include "common/parallel.h"
#include "common/timer.h"
#include "fast/common/vector_math.h"

enum { RUNS = 15, LONG_RUNS = 3, POSITION = 128, PROMPT = 512 };

static const struct language_shape shape = {
    .B = 1, .T = PROMPT + 64, .V = 25600, .C = 768, .NH = 12, .H = 2048, .L = 12};

static void need(lab_status status)
{
    if (status != LAB_OK) {
        fprintf(stderr, "decode: %s\n", lab_status_message(status));
        exit(1);
    }
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        need(LAB_ENOMEM);
    }
    return memory;
}

// ---- what is measured ---------------------------------------------------------------------

struct bench {
    struct language model;
    struct generation generation;
    struct generation_params in_float, in_int8;
    size_t tokens[PROMPT];
    float *logits, *product; // (V), (PROMPT, H)
};

enum { PIECE = 1 << 18 }; // floats that a thread adds up at a time

struct reading {
    const float *numbers;
    float sums[1 << 12];
};

// Adds up n floats, as four streams.
LAB_WIDE static float add_up(const float *numbers, size_t n)
{
    lab_lanes sum[8] = {{0}}, lanes;
    const size_t quarter = n / 4;
    for (size_t i = 0; i + 16 <= quarter; i += 16) {
        for (size_t stream = 0; stream < 4; stream++) {
            for (size_t half = 0; half < 2; half++) {
                LAB_LOAD(lanes, numbers + stream * quarter + i + half * LAB_LANES);
                sum[2 * stream + half] += lanes;
            }
        }
    }
    for (size_t i = 1; i < 8; i++) {
        sum[0] += sum[i];
    }
    return LAB_ADD_LANES(sum[0]);
}

static void read_pieces(void *context, size_t first, size_t count)
{
    struct reading *reading = context;
    reading->sums[first] = add_up(reading->numbers + first * PIECE, count * PIECE);
}

// Bytes a second.
static double reading_speed(const struct bench *b)
{
    static struct reading reading;
    const size_t pieces = b->model.P / PIECE;
    reading.numbers = b->model.param;
    const double start = lab_seconds();
    lab_parallel(read_pieces, &reading, pieces);
    return (double)(pieces * PIECE * sizeof(float)) / (lab_seconds() - start);
}

// PyTorch's threads look for more work for some 30 milliseconds after a turn. Reads on until then.
static void let_them_sleep(const struct bench *b)
{
    const double start = lab_seconds();
    while (lab_seconds() - start < 0.1) {
        reading_speed(b);
    }
}

static double step_seconds(const struct bench *b, const struct generation_params *params,
                           size_t position)
{
    const size_t token = 1;
    b->generation.cache.lengths[0] = position;
    const double start = lab_seconds();
    need(decode_step(b->logits, &b->generation.cache, &b->generation.buffers, params,
                     &token, &shape));
    return lab_seconds() - start;
}

static double prompt_seconds(const struct bench *b)
{
    b->generation.cache.lengths[0] = 0;
    const double start = lab_seconds();
    need(prefill(b->logits, &b->generation.cache, &b->generation.buffers, &b->in_float,
                 b->tokens, 0, PROMPT, &shape));
    return lab_seconds() - start;
}

// One product of a prompt's rows with a matrix (O, I).
static void one_product(const struct bench *b, const struct generation_matrix *w,
                        const float *x, size_t I, size_t O)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, PROMPT, (int)O, (int)I, 1.0f, x,
                (int)I, w->weights, (int)I, 0.0f, b->product, (int)O);
}

// The products of all blocks with a prompt, and nothing else.
static double products_seconds(const struct bench *b)
{
    const size_t C = shape.C, H = shape.H;
    const struct generation_buffers *z = &b->generation.buffers;
    const double start = lab_seconds();
    for (size_t l = 0; l < shape.L; l++) {
        const struct generation_block w = generation_block(&b->in_float, &shape, l);
        one_product(b, &w.w_q, z->normed1, C, C);
        one_product(b, &w.w_k, z->normed1, C, C);
        one_product(b, &w.w_v, z->normed1, C, C);
        one_product(b, &w.w_o, z->merged, C, C);
        one_product(b, &w.w_gate, z->normed2, C, H);
        one_product(b, &w.w_up, z->normed2, C, H);
        one_product(b, &w.w_down, z->hidden, H, C);
    }
    return lab_seconds() - start;
}

// The whole text again, as lab 8 does for each token.
static double again_seconds(const struct bench *b, size_t T)
{
    struct language_shape text = shape;
    text.T = T;
    const double start = lab_seconds();
    need(language_forward(NULL, &b->model.activations, &b->model.params, b->tokens, NULL,
                          &text));
    return lab_seconds() - start;
}

// ---- the model ----------------------------------------------------------------------------

static void quantize(struct generation_matrix *w, size_t O, size_t I)
{
    int8_t *rows = allocate(O * I);
    float *scales = allocate(O * sizeof *scales);
    need(quantize_rows(rows, scales, w->weights, O, I));
    *w = (struct generation_matrix){NULL, rows, scales};
}

static void set_up(struct bench *b)
{
    const size_t L = shape.L, C = shape.C, H = shape.H;
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    need(language_new(&b->model, &shape, false));
    need(language_start(&b->model, &rng));
    need(generation_new(&b->generation, &shape));
    b->logits = allocate(shape.V * sizeof *b->logits);
    b->product = allocate(PROMPT * H * sizeof *b->product);
    for (size_t i = 0; i < PROMPT; i++) {
        b->tokens[i] = (size_t)lab_rng_int(&rng, 0, (int64_t)shape.V);
    }
    b->in_float = b->in_int8 = generation_params(&b->model.params);
    struct generation_params *q = &b->in_int8;
    quantize(&q->w_q, L * C, C);
    quantize(&q->w_k, L * C, C);
    quantize(&q->w_v, L * C, C);
    quantize(&q->w_o, L * C, C);
    quantize(&q->w_gate, L * H, C);
    quantize(&q->w_up, L * H, C);
    quantize(&q->w_down, L * C, H);
    quantize(&q->w_out, shape.V, C);
    prompt_seconds(b); // the cache has numbers, and all memory is there
}

// The bytes that a step at POSITION reads.
static double bytes_of_step(size_t weight_bytes)
{
    const struct decoder_sizes sizes = {.L = shape.L,
                                        .C = shape.C,
                                        .NH = shape.NH,
                                        .NKV = shape.NH,
                                        .H = shape.H,
                                        .V = shape.V,
                                        .gated = true};
    size_t bytes;
    need(decode_bytes(&bytes, &sizes, 1, POSITION + 1, weight_bytes, sizeof(float)));
    return (double)bytes;
}

// ---- the tables ---------------------------------------------------------------------------

static void print_row(FILE *file, size_t threads, const char *what, double limit,
                      double ours, double theirs)
{
    printf("    %-9s %9.1f %9.1f %5.0f %%", what, limit, ours, 100 * ours / limit);
    if (theirs > 0) {
        printf(" %10.1f %6.2f times", theirs, ours / theirs);
    }
    printf("\n");
    if (file != NULL) {
        fprintf(file, "%zu\t%s\t%.2f\t%.2f\t%.2f\n", threads, what, limit, ours, theirs);
    }
}

// NAN without PyTorch, or if it cannot do that.
static double rival_seconds(struct rival *rival, const char *what, size_t count)
{
    char question[32];
    snprintf(question, sizeof question, "%s %zu", what, count);
    return rival != NULL ? rival_ask_for(rival, question) : (double)NAN;
}

static void measure_steps(FILE *file, const struct bench *b, struct rival *rival,
                          size_t threads)
{
    double speed[RUNS], in_float[RUNS], in_int8[RUNS], theirs[RUNS], theirs_int8[RUNS];
    for (int run = 0; run < RUNS; run++) {
        let_them_sleep(b);
        speed[run] = reading_speed(b);
        in_float[run] = 1 / step_seconds(b, &b->in_float, POSITION);
        in_int8[run] = 1 / step_seconds(b, &b->in_int8, POSITION);
        theirs[run] = 1 / rival_seconds(rival, "decode", POSITION);
        theirs_int8[run] = 1 / rival_seconds(rival, "int8", POSITION);
    }
    const double bytes = lab_median(speed, RUNS);
    printf("    reading memory: %.1f GB/s\n", bytes / 1e9);
    print_row(file, threads, "float32", bytes / bytes_of_step(4),
              lab_median(in_float, RUNS), lab_median(theirs, RUNS));
    print_row(file, threads, "int8", bytes / bytes_of_step(1), lab_median(in_int8, RUNS),
              lab_median(theirs_int8, RUNS));
}

static void measure_prompt(FILE *file, const struct bench *b, struct rival *rival,
                           size_t threads)
{
    double ours[LONG_RUNS], products[LONG_RUNS], theirs[LONG_RUNS];
    for (int run = 0; run < LONG_RUNS; run++) {
        let_them_sleep(b);
        products[run] = PROMPT / products_seconds(b);
        ours[run] = PROMPT / prompt_seconds(b);
        theirs[run] = PROMPT / rival_seconds(rival, "prefill", PROMPT);
    }
    print_row(file, threads, "prompt", lab_median(products, LONG_RUNS),
              lab_median(ours, LONG_RUNS), lab_median(theirs, LONG_RUNS));
}

static void measure(FILE *file, const struct bench *b, size_t threads)
{
    const size_t sizes[] = {shape.T, shape.V, shape.C, shape.NH,
                            shape.H, shape.L, threads};
    struct rival rival = {0};
    lab_threads_set(threads);
    openblas_set_num_threads((int)threads);
    const bool have_rival = rival_start(&rival, "grader/bench/09_decode.py", sizes, 7);
    printf("%zu thread%s%s%s\n", threads, threads == 1 ? "" : "s",
           have_rival ? ", beside " : "", rival.name);
    printf("                  limit      ours   share%s\n",
           have_rival ? "    PyTorch   ours / PyTorch" : "");
    measure_steps(file, b, have_rival ? &rival : NULL, threads);
    measure_prompt(file, b, have_rival ? &rival : NULL, threads);
    if (have_rival) {
        rival_end(&rival);
    } else {
        printf("    PyTorch is not installed (grader/tools/bench.sh says how)\n");
    }
}

// How a token's time grows with its position.
static void measure_positions(const struct bench *b)
{
    static const size_t positions[] = {64, 128, 256, 512};
    lab_threads_set(1);
    openblas_set_num_threads(1);
    printf("1 thread, milliseconds for a token behind this many others\n");
    printf("    tokens   with the cache   the whole text again (lab 8)\n");
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        double with[LONG_RUNS], without[LONG_RUNS];
        for (int run = 0; run < LONG_RUNS; run++) {
            with[run] = step_seconds(b, &b->in_float, positions[i]);
            without[run] = again_seconds(b, positions[i]);
        }
        printf("    %6zu   %14.1f   %28.1f\n", positions[i],
               1e3 * lab_median(with, LONG_RUNS), 1e3 * lab_median(without, LONG_RUNS));
    }
}

int main(int argc, char **argv)
{
    static struct bench bench;
    lab_blas_core_use(argv);
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: 09_decode [FILE]\n");
        return 2;
    }
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (argc == 2 && file == NULL) {
        fprintf(stderr, "decode: cannot write %s\n", argv[1]);
        return 1;
    }
    if (file != NULL) {
        fprintf(file, "threads\twhat\tlimit\tours\tpytorch\n");
    }
    set_up(&bench);
    printf(
        "tokens a second with a cache: L %zu C %zu NH %zu H %zu V %zu, %zu parameters\n",
        shape.L, shape.C, shape.NH, shape.H, shape.V, bench.model.P);
    printf(
        "steps behind %d tokens, float32 and int8; a prompt of %d tokens in one call\n",
        POSITION, PROMPT);
    printf(
        "limits: of steps, the speed of reading memory; of a prompt, BLAS' products alone\n");
    printf("gcc %d.%d, OpenBLAS core %s; medians of %d and %d, in turns\n", __GNUC__,
           __GNUC_MINOR__, openblas_get_corename(), RUNS, LONG_RUNS);
    measure(file, &bench, 1);
    measure(file, &bench, 2);
    measure_positions(&bench);
    if (file != NULL && fclose(file) != 0) {
        fprintf(stderr, "decode: cannot write %s\n", argv[1]);
        return 1;
    }
    return 0;
}
