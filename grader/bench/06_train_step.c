// 06_train_step.c - how long one training step takes, and whether it allocates (make bench).
//
//     build/bench/06_train_step B T C NH L BLOCKS
//
// prints the median over BLOCKS blocks of ten steps, in microseconds per step, and how often
// malloc and its relatives were called in all of them. grader/bench/06_train_step.py prints the first
// of the two for the same model in PyTorch.

#include <cblas.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "common/blas_core.h"
#include "common/timer.h"

// ---- counting allocations -----------------------------------------------------------------

// These take the place of the C library's for the whole program, OpenBLAS included.
static size_t allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

// ---- the measurement ----------------------------------------------------------------------

enum { V = 10, STEPS = 10, BLOCKS_MOST = 10000 };

static void need(lab_status status)
{
    if (status != LAB_OK) {
        fprintf(stderr, "train_step: %s\n", lab_status_message(status));
        exit(1);
    }
}

static size_t number(const char *word)
{
    char *end;
    unsigned long value = strtoul(word, &end, 10);
    if (*word < '0' || *word > '9' || *end != '\0' || value == 0 || value > BLOCKS_MOST) {
        fprintf(stderr, "train_step: '%s' is no number from 1 to %d\n", word,
                BLOCKS_MOST);
        exit(2);
    }
    return (size_t)value;
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    static double samples[BLOCKS_MOST];
    if (argc != 7) {
        fprintf(stderr, "usage: train_step B T C NH L BLOCKS\n");
        return 2;
    }
    const struct model_shape shape = {.B = number(argv[1]),
                                      .T = number(argv[2]),
                                      .T_max = number(argv[2]),
                                      .V = V,
                                      .C = number(argv[3]),
                                      .NH = number(argv[4]),
                                      .H = 4 * number(argv[3]),
                                      .L = number(argv[5]),
                                      .causal = true,
                                      .positions = POSITIONS_LEARNED};
    const size_t blocks = number(argv[6]);
    const struct training settings = {.adam = {1e-3, 0.9, 0.999, 1e-8, 0}};
    struct model model;
    struct lab_rng rng;
    float losses[STEPS];
    openblas_set_num_threads(1);
    lab_rng_seed(&rng, 42);
    need(model_new(&model, &shape));
    need(model_start(&model, &rng));
    size_t *data = malloc(shape.B * shape.T * sizeof *data);
    if (data == NULL) {
        need(LAB_ENOMEM);
    }
    for (size_t i = 0; i < shape.B * shape.T; i++) {
        data[i] = (size_t)lab_rng_int(&rng, 0, V);
    }

    need(train(losses, &model, data, TASK_COPY, shape.B, &settings, STEPS)); // warm up
    const size_t before = allocations;
    for (size_t i = 0; i < blocks; i++) {
        const double start = lab_seconds();
        need(train(losses, &model, data, TASK_COPY, shape.B, &settings, STEPS));
        samples[i] = lab_seconds() - start;
    }
    const size_t during = allocations - before;
    printf("%.1f %zu\n", 1e6 * lab_median(samples, blocks) / STEPS, during);
    free(data);
    model_free(&model);
    return 0;
}
