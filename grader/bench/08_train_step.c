// 08_train_step.c - one training step of lab 8's story model, beside PyTorch's.
//
//     build/bench/08_train_step [B T C NH H L]      (12 256 96 6 256 4, the shipped model)
//
// A step is forward, backward, clipping and AdamW. Both sides take turns, first on one thread, then
// on two; medians and their ratio are printed with the settings. Without PyTorch our own time is
// printed alone.

#define _POSIX_C_SOURCE 200809L

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "08_language_model/language_model.h"
#include "bench/rival/rival.h"
#include "common/blas_core.h"
#include "common/parallel.h"
#include "common/timer.h"

enum { V = 64, RUNS = 11, SIZES = 6 };

static void need(lab_status status)
{
    if (status != LAB_OK) {
        fprintf(stderr, "train_step: %s\n", lab_status_message(status));
        exit(1);
    }
}

static void step(struct language *m)
{
    const struct adam adam = {3e-3, 0.9, 0.999, 1e-8, 0};
    float loss, norm;
    need(language_forward(&loss, &m->activations, &m->params, m->inputs, m->targets,
                          &m->shape));
    memset(m->grad, 0, m->P * sizeof *m->grad);
    need(language_backward(&m->grads, &m->gradients, &m->activations, &m->params,
                           m->inputs, m->targets, &m->shape));
    need(clip_grad_norm(&norm, m->grad, 1, m->P));
    need(adam_step(m->param, m->m, m->v, m->grad, &adam, ++m->step, m->P));
}

static void measure(struct language *m, size_t threads)
{
    const struct language_shape *s = &m->shape;
    const size_t sizes[] = {s->B, s->T, s->C, s->NH, s->H, s->L, threads};
    struct rival rival = {0};
    double ours[RUNS], theirs[RUNS];
    lab_threads_set(threads);
    openblas_set_num_threads(1); // the code shares out its work itself
    const bool have_rival =
        rival_start(&rival, "grader/bench/08_train_step.py", sizes, 7);
    step(m); // warm up
    for (int run = 0; run < RUNS; run++) {
        const double start = lab_seconds();
        step(m);
        ours[run] = lab_seconds() - start;
        theirs[run] = have_rival ? rival_ask(&rival) : 0;
    }
    const double mine = lab_median(ours, RUNS);
    printf("%zu thread%s   %-28s %8.1f ms\n", threads, threads == 1 ? " " : "s",
           "this workbook (solutions/fast)", 1e3 * mine);
    if (have_rival) {
        const double other = lab_median(theirs, RUNS);
        printf("            %-30s %8.1f ms, %.2f times ours\n", rival.name, 1e3 * other,
               other / mine);
        rival_end(&rival);
    } else {
        printf("            PyTorch is not installed (grader/tools/bench.sh says how)\n");
    }
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    size_t size[SIZES] = {12, 256, 96, 6, 256, 4};
    for (int i = 1; i < argc; i++) {
        char *end;
        const unsigned long value = strtoul(argv[i], &end, 10);
        if (i > SIZES || *end != '\0' || value == 0 || value > 1 << 16) {
            fprintf(stderr, "usage: 08_train_step [B T C NH H L]\n");
            return 2;
        }
        size[i - 1] = value;
    }
    const struct language_shape shape = {.B = size[0],
                                         .T = size[1],
                                         .V = V,
                                         .C = size[2],
                                         .NH = size[3],
                                         .H = size[4],
                                         .L = size[5]};
    struct language model;
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    need(language_new(&model, &shape, true));
    need(language_start(&model, &rng));
    for (size_t i = 0; i < shape.B * shape.T; i++) {
        model.inputs[i] = (size_t)lab_rng_int(&rng, 0, V);
        model.targets[i] = (size_t)lab_rng_int(&rng, 0, V);
    }
    printf(
        "one training step of a language model, B %zu T %zu C %zu NH %zu H %zu L %zu, %zu "
        "parameters\n",
        shape.B, shape.T, shape.C, shape.NH, shape.H, shape.L, model.P);
    printf("OpenBLAS core %s, median of %d, in turns\n", openblas_get_corename(), RUNS);
    measure(&model, 1);
    measure(&model, 2);
    language_free(&model);
    return 0;
}
