// 11_bert.c - a BERT of the size of the first one, beside PyTorch's eager mode.
//
//     build/bench/11_bert
//
// 12 layers of width 768 with 12 heads read 128 tokens; the weights are random. The limit is the speed
// of BLAS on the same products of matrices. All sides take turns, first on one thread, then on two;
// medians are printed. Without PyTorch the other sides are printed alone.

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "bench/rival/rival.h"
#include "common/blas_core.h"
#include "common/parallel.h"
#include "common/rng.h"
#include "common/timer.h"

enum { L = 12, T = 128, C = 768, NH = 12, H = 4 * C, RUNS = 7 };
enum { PARAMS = sizeof(struct bert_params) / sizeof(float *) };
enum { BUFFERS = sizeof(struct bert_buffers) / sizeof(float *) };

static void need(lab_status status)
{
    if (status != LAB_OK) {
        fprintf(stderr, "bert: %s\n", lab_status_message(status));
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

struct bench {
    struct bert_params params[L];
    struct bert_buffers z;
    float *x, *streams[2], *weights; // (T, C), (T, C) each, (NH, T, T)
};

// Normal numbers times scale, plus shift.
static const float *random_tensor(struct lab_rng *rng, size_t count, float scale,
                                  float shift)
{
    float *numbers = allocate(count);
    lab_rng_randn(rng, numbers, count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = scale * numbers[i] + shift;
    }
    return numbers;
}

static struct bert_params random_params(struct lab_rng *rng)
{
    // in the order of the struct: w_q b_q w_k b_k w_v b_v w_o b_o, a norm, w_fc b_fc w_proj
    // b_proj, a norm
    static const size_t counts[PARAMS] = {C * C, C, C * C, C, C * C, C, C * C, C,
                                          C,     C, H * C, H, C * H, C, C,     C};
    const float *tensors[PARAMS];
    struct bert_params params;
    for (int i = 0; i < PARAMS; i++) {
        const bool gain = i == 8 || i == 14;
        tensors[i] = random_tensor(rng, counts[i], 0.02f, gain ? 1.0f : 0.0f);
    }
    memcpy(&params, tensors, sizeof params);
    return params;
}

static void set_up(struct bench *b)
{
    // in the order of the struct: q k v, three times in heads, scores, out_heads, merged; then
    // attended, middle, hidden, activated, projected
    static const size_t counts[BUFFERS] = {T * C, T * C,      T * C, T * C, T * C,
                                           T * C, NH * T * T, T * C, T * C, T * C,
                                           T * C, T * H,      T * H, T * C};
    float *tensors[BUFFERS];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    for (int i = 0; i < BUFFERS; i++) {
        tensors[i] = allocate(counts[i]);
    }
    memcpy(&b->z, tensors, sizeof b->z);
    for (int l = 0; l < L; l++) {
        b->params[l] = random_params(&rng);
    }
    b->x = allocate(T * C);
    lab_rng_randn(&rng, b->x, T * C);
    b->streams[0] = allocate(T * C);
    b->streams[1] = allocate(T * C);
    b->weights = allocate(NH * T * T);
}

static double forward_seconds(const struct bench *b)
{
    const double start = lab_seconds();
    const float *x = b->x;
    for (int l = 0; l < L; l++) {
        float *out = b->streams[l % 2];
        need(bert_layer(out, b->weights, &b->z, x, &b->params[l], NULL, 1, T, C, NH, H));
        x = out;
    }
    return lab_seconds() - start;
}

static void product(float *y, const float *x, const float *w, int O, int I)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, T, O, I, 1.0f, x, I, w, I, 0.0f,
                y, O);
}

// The matrices' products alone, without those of the heads.
static double products_seconds(const struct bench *b)
{
    const struct bert_buffers *z = &b->z;
    const double start = lab_seconds();
    for (int l = 0; l < L; l++) {
        const struct bert_params *p = &b->params[l];
        product(z->attention.q, b->x, p->attention.w_q, C, C);
        product(z->attention.k, b->x, p->attention.w_k, C, C);
        product(z->attention.v, b->x, p->attention.w_v, C, C);
        product(z->attended, z->attention.merged, p->attention.w_o, C, C);
        product(z->hidden, z->middle, p->mlp.w_fc, H, C);
        product(z->projected, z->activated, p->mlp.w_proj, C, H);
    }
    return lab_seconds() - start;
}

// The threads of the other sides look for more work for some 30 milliseconds after a turn. Computes
// until then.
static void let_them_sleep(const struct bench *b)
{
    const double start = lab_seconds();
    while (lab_seconds() - start < 0.1) {
        forward_seconds(b);
    }
}

static void measure(const struct bench *b, size_t threads)
{
    const size_t sizes[] = {L, T, C, NH, H, threads};
    struct rival rival = {0};
    double ours[RUNS], limit[RUNS], theirs[RUNS];
    lab_threads_set(threads);
    openblas_set_num_threads((int)threads);
    const bool have_rival = rival_start(&rival, "grader/bench/11_bert.py", sizes, 6);
    printf("%zu thread%s%s%s\n", threads, threads == 1 ? "" : "s",
           have_rival ? ", beside " : "", rival.name);
    for (int run = 0; run < RUNS; run++) {
        let_them_sleep(b);
        ours[run] = forward_seconds(b);
        limit[run] = products_seconds(b);
        theirs[run] = have_rival ? rival_ask(&rival) : 0;
    }
    const double mine = lab_median(ours, RUNS), other = lab_median(theirs, RUNS);
    printf("    forward %8.1f ms, %3.0f %% of the products alone", 1e3 * mine,
           100 * lab_median(limit, RUNS) / mine);
    if (have_rival) {
        printf(", PyTorch %8.1f ms, %.2f times", 1e3 * other, other / mine);
        rival_end(&rival);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct bench b;
    (void)argc;
    lab_blas_core_use(argv);
    printf("a BERT's forward pass in float32: L %d T %d C %d NH %d H %d\n", L, T, C, NH,
           H);
    printf("gcc %d.%d, OpenBLAS core %s; medians of %d, in turns\n", __GNUC__,
           __GNUC_MINOR__, openblas_get_corename(), RUNS);
    set_up(&b);
    measure(&b, 1);
    measure(&b, 2);
    return 0;
}
