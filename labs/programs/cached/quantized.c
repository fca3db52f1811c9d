// quantized.c - see quantized.h.

#include "programs/cached/quantized.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "09_generation/generation.h"

// A matrix (O, I), or those of all blocks on top of each other.
struct matrix {
    struct generation_matrix *w;
    size_t O, I;
};

enum { MATRICES = 8 };

// Lays out the int8 rows and the scales of a matrix.
static void lay_out(const struct matrix *matrix, struct lab_arena *pieces, int8_t **rows,
                    float **scales)
{
    *rows = lab_take(pieces, matrix->O * matrix->I, sizeof **rows);
    *scales = lab_take(pieces, matrix->O, sizeof **scales);
}

static lab_status quantize(const struct matrix *matrix, struct lab_arena *pieces)
{
    int8_t *rows;
    float *scales;
    lay_out(matrix, pieces, &rows, &scales);
    LAB_TRY(quantize_rows(rows, scales, matrix->w->weights, matrix->O, matrix->I));
    *matrix->w = (struct generation_matrix){.rows = rows, .scales = scales};
    return LAB_OK;
}

lab_status quantized_new(struct quantized *quantized, const struct language *model)
{
    const struct language_shape *s = &model->shape;
    const size_t L = s->L, C = s->C, H = s->H;
    struct generation_params *p = &quantized->params;
    const struct matrix matrices[MATRICES] = {
        {&p->w_q, L * C, C},    {&p->w_k, L * C, C},    {&p->w_v, L * C, C},
        {&p->w_o, L * C, C},    {&p->w_gate, L * H, C}, {&p->w_up, L * H, C},
        {&p->w_down, L * C, H}, {&p->w_out, s->V, C},
    };
    struct lab_arena count = {0};
    *p = generation_params(&model->params);
    for (size_t i = 0; i < MATRICES; i++) {
        int8_t *rows;
        float *scales;
        lay_out(&matrices[i], &count, &rows, &scales);
    }
    quantized->memory = count.overflow ? NULL : aligned_alloc(LAB_ALIGNMENT, count.used);
    if (quantized->memory == NULL) {
        return LAB_ENOMEM;
    }
    struct lab_arena pieces = {.memory = quantized->memory};
    for (size_t i = 0; i < MATRICES; i++) {
        LAB_TRY(quantize(&matrices[i], &pieces));
    }
    return LAB_OK;
}

void quantized_free(struct quantized *quantized)
{
    free(quantized->memory);
    memset(quantized, 0, sizeof *quantized);
}
