// 04_multi_head.c - multi-head attention forward, causal, beside PyTorch's fastest form.
//
//     build/bench/04_multi_head [B T C NH]      (4 512 768 12)
//
// Both sides run on one thread and the same OpenBLAS core, in turns; medians and their ratio
// are printed with the settings. Without PyTorch our own time is printed alone.

#define _GNU_SOURCE
#include <cblas.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "04_multi_head/heads.h"
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

// ---- the other side -----------------------------------------------------------------------

// PyTorch in a process of its own, started once: it answers a line with a time.
struct rival {
    FILE *ask, *answer;
    char name[128];
};

static bool start_rival(struct rival *rival, const struct problem *p)
{
    int question[2], reply[2];
    if (pipe(question) != 0 || pipe(reply) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        char size[4][24];
        const size_t sizes[] = {p->B, p->T, p->C, p->NH};
        for (int i = 0; i < 4; i++) {
            snprintf(size[i], sizeof size[i], "%zu", sizes[i]);
        }
        dup2(question[0], STDIN_FILENO);
        dup2(reply[1], STDOUT_FILENO);
        close(question[1]);
        close(reply[0]);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        const char *python =
            getenv("PYTHON") != NULL ? getenv("PYTHON") : "/usr/bin/python3";
        execlp(python, python, "grader/bench/04_multi_head.py", size[0], size[1], size[2],
               size[3], (char *)NULL);
        _exit(127);
    }
    close(question[0]);
    close(reply[1]);
    rival->ask = fdopen(question[1], "w");
    rival->answer = fdopen(reply[0], "r");
    if (pid < 0 || rival->ask == NULL || rival->answer == NULL ||
        fgets(rival->name, sizeof rival->name, rival->answer) == NULL) {
        return false;
    }
    rival->name[strcspn(rival->name, "\n")] = '\0';
    return true;
}

static double ask_rival(struct rival *rival)
{
    char line[64];
    if (fprintf(rival->ask, "\n") < 0 || fflush(rival->ask) != 0 ||
        fgets(line, sizeof line, rival->answer) == NULL) {
        fprintf(stderr, "multi_head: PyTorch stopped answering\n");
        exit(1);
    }
    return atof(line);
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
    signal(SIGPIPE, SIG_IGN);
    struct problem p =
        make_problem(argument(argc, argv, 1, 4), argument(argc, argv, 2, 512),
                     argument(argc, argv, 3, 768), argument(argc, argv, 4, 12));
    struct rival rival = {NULL, NULL, ""};
    double ours[RUNS], theirs[RUNS];
    bool have_rival = start_rival(&rival, &p);
    forward(&p);
    for (int run = 0; run < RUNS; run++) {
        ours[run] = forward(&p);
        theirs[run] = have_rival ? ask_rival(&rival) : 0;
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
