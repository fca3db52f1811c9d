// lab_03.c - attention with causal_attention (3.4). Each head is a sequence of its batch, and each
// token holds what the head has for it, one after the other: x = (q, k, v). The three matrices
// select a part instead of projecting, so causal_attention computes with just these q, k and v.

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "programs/trained/trained.h"

enum { PARTS = 3, BUFFERS = 5 };

static size_t floats(size_t NH, size_t T, size_t hs)
{
    const size_t C = PARTS * hs;
    // x, out, q, k, v (NH, T, C); scores (NH, T, T); three matrices (C, C); the mask in bytes
    return BUFFERS * NH * T * C + NH * T * T + 3 * C * C + T * T;
}

// w (C, C): moves part `from` of a token to part `to`, and leaves the rest 0.
static void select_part(float *w, size_t from, size_t to, size_t hs)
{
    const size_t C = PARTS * hs;
    memset(w, 0, C * C * sizeof *w);
    for (size_t i = 0; i < hs; i++) {
        w[(to * hs + i) * C + from * hs + i] = 1;
    }
}

// sqrt(3 hs) is what causal_attention divides by, and a head needs sqrt(hs).
static void pack(float *x, const struct attention_call *c)
{
    const float *const parts[PARTS] = {c->q, c->k, c->v};
    const size_t hs = c->hs;
    for (size_t row = 0; row < c->NH * c->T; row++) {
        for (size_t part = 0; part < PARTS; part++) {
            for (size_t i = 0; i < hs; i++) {
                x[(row * PARTS + part) * hs + i] =
                    parts[part][row * hs + i] * (part == 0 ? sqrtf(PARTS) : 1.0f);
            }
        }
    }
}

static lab_status run(struct attention_call *c)
{
    const size_t hs = c->hs, C = PARTS * hs, rows = c->NH * c->T;
    float *room[BUFFERS];
    for (size_t i = 0; i < BUFFERS; i++) {
        room[i] = c->work + i * rows * C;
    }
    float *scores = c->work + BUFFERS * rows * C;
    float *w_q = scores + c->NH * c->T * c->T, *w_k = w_q + C * C, *w_v = w_k + C * C;
    uint8_t *mask = (uint8_t *)(w_v + C * C);
    float *x = room[0], *out = room[1];
    pack(x, c);
    select_part(w_q, 0, 0, hs);
    select_part(w_k, 1, 0, hs);
    select_part(w_v, 2, 0, hs);
    if (c->causal) {
        CALL_OF(&c->failed,
                causal_attention(out, c->weights, room[2], room[3], room[4], scores, mask,
                                 x, w_q, w_k, w_v, c->NH, c->T, C),
                "3.4 causal_attention");
    } else {
        CALL_OF(&c->failed,
                batched_attention(out, c->weights, room[2], room[3], room[4], scores, x,
                                  w_q, w_k, w_v, c->NH, c->T, C),
                "2.5 batched_attention");
    }
    for (size_t row = 0; row < rows; row++) {
        memcpy(c->out + row * hs, out + row * C, hs * sizeof *out);
    }
    return LAB_OK;
}

const struct lab_attention lab_attention = {
    "causal_attention (3.4); with MASK=0, batched_attention (2.5)", floats, run, NULL};
