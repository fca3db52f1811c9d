// maps.c - the attention of each head, on the terminal and as a table.

#include "programs/train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/heads_print.h"
#include "common/plural.h"

const float *maps_compute(struct model *model, const size_t *sequence)
{
    struct model_shape one = model->shape;
    one.B = 1;
    lab_status status = model_forward(NULL, &model->activations, &model->params, sequence,
                                      NULL, NULL, &one);
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "6.11 model_forward: %s", lab_status_message(status));
    }
    return model->activations.weights;
}

void maps_print(const float *weights, const size_t *sequence, size_t step,
                const struct model_shape *shape)
{
    const size_t T = shape->T, NH = shape->NH;
    printf("\n"
           "Attention after %zu step%s (rows: query, columns: key), for",
           step, plural((double)step));
    for (size_t t = 0; t < T; t++) {
        printf(" %zu", sequence[t]);
    }
    printf("\n");
    for (size_t l = 0; l < shape->L; l++) {
        if (shape->L > 1) {
            printf("block %zu\n", l);
        }
        lab_print_heads(stdout, weights + l * NH * T * T, NH, T, shape->causal);
    }
}

// ---- a table of several steps -------------------------------------------------------------

void map_log_new(struct map_log *log, size_t room, const struct model_shape *shape)
{
    *log = (struct map_log){.each = shape->L * shape->NH * shape->T * shape->T,
                            .room = room};
    if (room > 0 && log->each <= SIZE_MAX / sizeof(float) / room) {
        log->weights = malloc(room * log->each * sizeof *log->weights);
        log->steps = malloc(room * sizeof *log->steps);
    }
    if (room > 0 && (log->weights == NULL || log->steps == NULL)) {
        train_fail(TRAIN_FAILED, "%zu maps of %zu numbers are too many for the memory",
                   room, log->each);
    }
}

void map_log_add(struct map_log *log, size_t step, const float *weights)
{
    if (log->count < log->room) {
        memcpy(log->weights + log->count * log->each, weights,
               log->each * sizeof *weights);
        log->steps[log->count++] = step;
    }
}

static void put_map(FILE *file, const float *weights, const size_t *sequence, size_t step,
                    size_t l, size_t h, const struct model_shape *shape)
{
    const size_t T = shape->T;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            fprintf(file, "%zu\t%zu\t%zu\t%zu\t%zu\t", step, l, h, t, s);
            const double weight =
                shape->causal && s > t ? NAN : (double)weights[t * T + s];
            fprintf(file, "%.6g\t%zu\t%zu\n", weight, sequence[t], sequence[s]);
        }
    }
}

struct map_rows {
    const struct map_log *log;
    const size_t *sequence;
    const struct model_shape *shape;
};

static void put_maps(FILE *file, const void *context)
{
    const struct map_rows *rows = context;
    const struct map_log *log = rows->log;
    const size_t NH = rows->shape->NH, T = rows->shape->T;
    for (size_t i = 0; i < log->count; i++) {
        for (size_t lh = 0; lh < rows->shape->L * NH; lh++) {
            put_map(file, log->weights + i * log->each + lh * T * T, rows->sequence,
                    log->steps[i], lh / NH, lh % NH, rows->shape);
        }
    }
}

bool map_log_write(const struct map_log *log, const char *path, const size_t *sequence,
                   const struct model_shape *shape)
{
    const struct map_rows rows = {log, sequence, shape};
    return table_write(path, map_log_header, &log->kept, put_maps, &rows);
}

void map_log_free(struct map_log *log)
{
    free(log->weights);
    free(log->steps);
    free(log->kept.text);
    *log = (struct map_log){0};
}
