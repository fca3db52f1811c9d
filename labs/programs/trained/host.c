// host.c - the story model with the attention of a lab: see trained.h. Start reading at attend.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs/trained/steps.h"
#include "programs/trained/trained.h"

struct host {
    struct attention_call call;
    const struct switches *switches;
    float *weights;          // (L, NH, T, T)
    float *heads[3], *spare; // (NH, T, hs) each
    size_t *positions;       // (T)
};

// heads (NH, T, hs) = factor x (T, NH hs), head after head.
static void cut(float *heads, const float *x, const struct attention_call *c,
                float factor)
{
    const size_t T = c->T, hs = c->hs;
    for (size_t i = 0; i < c->NH * T * hs; i++) {
        heads[i] = factor * x[i / hs % T * c->NH * hs + i / (T * hs) * hs + i % hs];
    }
}

static void join(float *x, const struct attention_call *c)
{
    const size_t T = c->T, hs = c->hs;
    for (size_t i = 0; i < c->NH * T * hs; i++) {
        x[i / hs % T * c->NH * hs + i / (T * hs) * hs + i % hs] = c->out[i];
    }
}

// Queries and keys, turned by the lab's function.
static lab_status turn_heads(struct host *host)
{
    for (size_t i = 0; i < 2; i++) {
        const size_t count = host->call.NH * host->call.T * host->call.hs;
        LAB_TRY(lab_attention.turn(&host->call, host->spare, host->heads[i]));
        memcpy(host->heads[i], host->spare, count * sizeof(float));
    }
    return LAB_OK;
}

static lab_status attend(void *context, float *out, const float *q, const float *k,
                         const float *v, size_t layer)
{
    struct host *host = context;
    struct attention_call *c = &host->call;
    // Larger queries undo the division that the lab's function makes.
    cut(host->heads[0], q, c, host->switches->scale ? 1 : sqrtf((float)c->hs));
    cut(host->heads[1], k, c, 1);
    cut(host->heads[2], v, c, 1);
    if (lab_attention.turn != NULL && host->switches->rope) {
        LAB_TRY(turn_heads(host));
    }
    c->weights = host->weights + layer * c->NH * c->T * c->T;
    LAB_TRY(lab_attention.run(c));
    join(out, c);
    return LAB_OK;
}

static void take_room(struct host *host, struct lab_arena *pieces)
{
    struct attention_call *c = &host->call;
    const size_t count = c->NH * c->T * c->hs;
    for (size_t i = 0; i < 3; i++) {
        host->heads[i] = lab_take(pieces, count, sizeof(float));
    }
    host->spare = lab_take(pieces, count, sizeof(float));
    host->positions = lab_take(pieces, c->T, sizeof(size_t));
    c->out = lab_take(pieces, count, sizeof(float));
    c->work = lab_take(pieces, lab_attention.floats(c->NH, c->T, c->hs), sizeof(float));
}

static lab_status run_in(struct host *host, float *logits, const struct steps *steps,
                         const struct language *model, const size_t *tokens)
{
    struct attention_call *c = &host->call;
    const struct steps_call call = {model, tokens, lab_attention.turn != NULL, attend,
                                    host};
    c->q = host->heads[0];
    c->k = host->heads[1];
    c->v = host->heads[2];
    c->positions = host->positions;
    for (size_t t = 0; t < c->T; t++) {
        host->positions[t] = t;
    }
    return steps_run(logits, steps, &call);
}

lab_status story_run(float *logits, float *weights, const char **failed,
                     const struct steps *steps, const struct language *model,
                     const size_t *tokens, const struct switches *switches)
{
    const struct language_shape *s = &model->shape;
    struct lab_arena pieces = {.memory = NULL};
    struct host host = {.call = {.NH = s->NH, .T = s->T, .hs = s->C / s->NH},
                        .switches = switches,
                        .weights = weights};
    host.call.causal = switches->mask;
    take_room(&host, &pieces);
    void *memory = aligned_alloc(LAB_ALIGNMENT, pieces.used);
    *failed = NULL;
    if (memory == NULL) {
        return LAB_ENOMEM;
    }
    pieces = (struct lab_arena){.memory = memory};
    take_room(&host, &pieces);
    const lab_status status = run_in(&host, logits, steps, model, tokens);
    *failed = host.call.failed;
    free(memory);
    return status;
}
