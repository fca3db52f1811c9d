// model.c - the story model, except for its attention. Labs 7 and 8 explain the rest; here it is
// only the place in which your attention works. Start reading at run_block.

#include <cblas.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs/trained/trained.h"

// The buffers of one run, pieces of one allocation.
struct room {
    float *x, *normed, *q, *k, *v, *mixed; // (T, C)
    float *heads[3], *out;                 // (NH, T, hs)
    float *gate, *up;                      // (T, H)
    float *scores;                         // (NH, T, T)
    uint8_t *mask;                         // (T, T)
};

static void take_room(struct room *r, struct lab_arena *pieces,
                      const struct language_shape *s, size_t T)
{
    float **const wide[] = {&r->x,     &r->normed,   &r->q,        &r->k,        &r->v,
                            &r->mixed, &r->heads[0], &r->heads[1], &r->heads[2], &r->out};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        *wide[i] = lab_take(pieces, T * s->C, sizeof(float));
    }
    r->gate = lab_take(pieces, T * s->H, sizeof(float));
    r->up = lab_take(pieces, T * s->H, sizeof(float));
    r->scores = lab_take(pieces, s->NH * T * T, sizeof(float));
    r->mask = lab_take(pieces, T * T, 1);
}

// y (T, O) = x (T, I) w^T
static void project(float *y, const float *x, const float *w, size_t T, size_t I,
                    size_t O)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)T, (int)O, (int)I, 1, x,
                (int)I, w, (int)I, 0, y, (int)O);
}

static void norm(float *y, const float *x, const float *gain, size_t T, size_t C)
{
    for (size_t t = 0; t < T; t++) {
        const float length = cblas_snrm2((int)C, x + t * C, 1);
        for (size_t c = 0; c < C; c++) {
            y[t * C + c] = gain[c] * x[t * C + c] * sqrtf((float)C) / length;
        }
    }
}

// Cuts x (T, C) into heads (NH, T, hs). With turn, each pair of channels is a complex number that is
// turned by its position.
static void cut(float *heads, const float *x, size_t T, size_t NH, size_t hs, bool turn,
                float factor)
{
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < hs; i += 2) {
            const double speed = exp(-log(1e4) * (double)i / (double)hs);
            const double complex turned = turn ? cexp(_Complex_I * speed * (double)t) : 1;
            for (size_t h = 0; h < NH; h++) {
                const float *from = x + (t * NH + h) * hs + i;
                const double complex z =
                    ((double)from[0] + _Complex_I * (double)from[1]) * turned;
                heads[(h * T + t) * hs + i] = factor * (float)creal(z);
                heads[(h * T + t) * hs + i + 1] = factor * (float)cimag(z);
            }
        }
    }
}

static lab_status run_attention(struct attention_call *c, const struct room *r,
                                const struct language_block_params *w, float *weights,
                                const struct language_shape *s, size_t T,
                                const struct switches *switches)
{
    const size_t C = s->C, NH = s->NH, hs = C / NH;
    // Larger queries undo the division that the lab's function makes.
    const float factor = switches->scale ? 1 : sqrtf((float)hs);
    project(r->q, r->normed, w->w_q, T, C, C);
    project(r->k, r->normed, w->w_k, T, C, C);
    project(r->v, r->normed, w->w_v, T, C, C);
    cut(r->heads[0], r->q, T, NH, hs, true, factor);
    cut(r->heads[1], r->k, T, NH, hs, true, 1);
    cut(r->heads[2], r->v, T, NH, hs, false, 1);
    *c = (struct attention_call){r->out,      weights,     r->scores, r->heads[0],
                                 r->heads[1], r->heads[2], r->mask,   NH,
                                 T,           hs,          NULL};
    LAB_TRY(attention_run(c));
    for (size_t t = 0; t < T; t++) {
        for (size_t h = 0; h < NH; h++) {
            memcpy(r->mixed + (t * NH + h) * hs, r->out + (h * T + t) * hs,
                   hs * sizeof(float));
        }
    }
    return LAB_OK;
}

// x (T, C) goes in and comes out changed.
static lab_status run_block(struct attention_call *c, const struct room *r,
                            const struct language_block_params *w, float *weights,
                            const struct language_shape *s, size_t T,
                            const struct switches *switches)
{
    const size_t C = s->C, H = s->H;
    norm(r->normed, r->x, w->norm1, T, C);
    LAB_TRY(run_attention(c, r, w, weights, s, T, switches));
    project(r->q, r->mixed, w->w_o, T, C, C);
    cblas_saxpy((int)(T * C), 1, r->q, 1, r->x, 1);

    norm(r->normed, r->x, w->norm2, T, C);
    project(r->gate, r->normed, w->w_gate, T, C, H);
    project(r->up, r->normed, w->w_up, T, C, H);
    for (size_t i = 0; i < T * H; i++) {
        r->up[i] *= r->gate[i] / (1 + expf(-r->gate[i]));
    }
    project(r->q, r->up, w->w_down, T, H, C);
    cblas_saxpy((int)(T * C), 1, r->q, 1, r->x, 1);
    return LAB_OK;
}

static lab_status run_model(float *logits, float *weights, struct attention_call *c,
                            const struct room *r, const struct language *model,
                            const size_t *tokens, size_t T,
                            const struct switches *switches)
{
    const struct language_shape *s = &model->shape;
    LAB_TRY(attention_mask(c, r->mask, T));
    if (!switches->mask) {
        memset(r->mask, 1, T * T);
    }
    for (size_t t = 0; t < T; t++) {
        memcpy(r->x + t * s->C, model->params.token_table + tokens[t] * s->C,
               s->C * sizeof(float));
    }
    for (size_t l = 0; l < s->L; l++) {
        const struct language_block_params w =
            language_block_params(&model->params, s, l);
        LAB_TRY(run_block(c, r, &w, weights + l * s->NH * T * T, s, T, switches));
    }
    norm(r->normed, r->x, model->params.norm, T, s->C);
    project(logits, r->normed, model->params.w_out, T, s->C, s->V);
    return LAB_OK;
}

lab_status trained_run(float *logits, float *weights, const char **failed,
                       const struct language *model, const size_t *tokens, size_t T,
                       const struct switches *switches)
{
    struct lab_arena pieces = {.memory = NULL};
    struct room room;
    struct attention_call c = {.failed = NULL};
    take_room(&room, &pieces, &model->shape, T);
    void *memory = aligned_alloc(LAB_ALIGNMENT, pieces.used);
    if (memory == NULL) {
        *failed = NULL;
        return LAB_ENOMEM;
    }
    pieces = (struct lab_arena){.memory = memory};
    take_room(&room, &pieces, &model->shape, T);
    const lab_status status =
        run_model(logits, weights, &c, &room, model, tokens, T, switches);
    *failed = c.failed;
    free(memory);
    return status;
}
