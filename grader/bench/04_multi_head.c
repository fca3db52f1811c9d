// 04_multi_head.c - compares causal multi-head attention, forward, with PyTorch's fastest form.
//
//     build/bench/04_multi_head [B T C NH]      (4 512 768 12)
//
// Both sides use one thread and the same OpenBLAS core, and alternate. Prints medians, their
// ratio and the settings. Without PyTorch, prints only our own time.

#define _POSIX_C_SOURCE 200809L

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "04_multi_head/heads.h"
#include "bench/rival/rival.h"
#include "common/blas_core.h"
#include "common/rng.h"
#include "common/timer.h"

enum { RUNS = 15 };

struct problem {
    size_t B, T, C, NH;
    float *x, *out, *weights;
    struct attention_params params;
    struct attention_buffers buffers;
};

static float *numbers(size_t n, float scale, struct lab_rng *rng)
{
    float *a = calloc(n, sizeof *a);
    if (a == NULL) {
        fprintf(stderr, "multi_head: out of memory\n");
        exit(1);
    }
    if (rng != NULL) {
        lab_rng_randn(rng, a, n);
    }
    for (size_t i = 0; i < n; i++) {
        a[i] *= scale;
    }
    return a;
}

static struct problem make_problem(size_t B, size_t T, size_t C, size_t NH)
{
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    const float scale = 1.0f / sqrtf((float)C);
    size_t n = B * T * C, maps = B * NH * T * T;
    struct problem p = {.B = B, .T = T, .C = C, .NH = NH};
    p.x = numbers(n, 1, &rng);
    p.out = numbers(n, 0, NULL);
    p.weights = numbers(maps, 0, NULL);
    p.params.w_qkv = numbers(3 * C * C, scale, &rng);
    p.params.b_qkv = numbers(3 * C, 1, &rng);
    p.params.w_o = numbers(C * C, scale, &rng);
    p.params.b_o = numbers(C, 1, &rng);
    p.buffers = (struct attention_buffers){.qkv = numbers(3 * n, 0, NULL),
                                           .q = numbers(n, 0, NULL),
                                           .k = numbers(n, 0, NULL),
                                           .v = numbers(n, 0, NULL),
                                           .q_heads = numbers(n, 0, NULL),
                                           .k_heads = numbers(n, 0, NULL),
                                           .v_heads = numbers(n, 0, NULL),
                                           .scores = numbers(maps, 0, NULL),
                                           .out_heads = numbers(n, 0, NULL),
                                           .merged = numbers(n, 0, NULL),
                                           .mask = calloc(B * T * T, 1)};
    return p;
}

static double forward(struct problem *p)
{
    double start = lab_seconds();
    lab_status status =
        multi_head_attention(p->out, p->weights, &p->buffers, p->x, &p->params, true,
                             p->B, p->T, p->C, p->C, p->NH);
    if (status != LAB_OK) {
        fprintf(stderr, "multi_head: %s\n", lab_status_message(status));
        exit(1);
    }
    return lab_seconds() - start;
}

// ---- both ---------------------------------------------------------------------------------

static size_t argument(int argc, char **argv, int i, size_t otherwise)
{
    char *end = NULL;
    unsigned long value = i < argc ? strtoul(argv[i], &end, 10) : otherwise;
    if ((end != NULL && *end != '\0') || value == 0 || value > 1 << 20) {
        fprintf(stderr, "usage: multi_head [B T C NH]\n");
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    openblas_set_num_threads(1);
    struct problem p =
        make_problem(argument(argc, argv, 1, 4), argument(argc, argv, 2, 512),
                     argument(argc, argv, 3, 768), argument(argc, argv, 4, 12));
    struct rival rival = {0};
    double ours[RUNS], theirs[RUNS];
    const size_t sizes[] = {p.B, p.T, p.C, p.NH};
    bool have_rival = rival_start(&rival, "grader/bench/04_multi_head.py", sizes, 4);
    forward(&p);
    for (int run = 0; run < RUNS; run++) {
        ours[run] = forward(&p);
        theirs[run] = have_rival ? rival_ask(&rival) : 0;
    }
    double mine = lab_median(ours, RUNS);
    printf("multi-head attention forward, causal, B %zu T %zu C %zu NH %zu\n", p.B, p.T,
           p.C, p.NH);
    printf("OpenBLAS core %s, 1 thread each, median of %d, in turns\n",
           openblas_get_corename(), RUNS);
    printf("%-36s %8.1f ms\n", "this workbook (solutions/fast)", 1e3 * mine);
    if (have_rival) {
        double other = lab_median(theirs, RUNS);
        printf("%-36s %8.1f ms\n", rival.name, 1e3 * other);
        printf("%-36s %8.2f times as fast\n", "ratio", other / mine);
    } else {
        printf("%-36s not measured: not installed (grader/tools/bench.sh says how)\n",
               "PyTorch");
    }
    return 0;
}
