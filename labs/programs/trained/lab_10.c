// lab_10.c - attention with flash_attention (10.2), which never stores its weights. They are read
// off its results: if the values of a tile of keys are the rows of the identity, and all other
// values are 0, then the output of a query is its weights for the keys of this tile.

#include <string.h>

#include "10_flash_attention/flash_attention.h"
#include "programs/trained/trained.h"

enum { TILE = 32 };

static size_t floats(size_t NH, size_t T, size_t hs)
{
    // logsumexp (NH, T); values and read-off weights (NH, T, hs); the tiles
    return NH * T + 2 * NH * T * hs + TILE * TILE + 4 * TILE + 2 * TILE * hs;
}

static struct flash_buffers tiles_in(float *work, size_t hs)
{
    float *const max = work + TILE * TILE, *const weighted = max + 4 * TILE;
    return (struct flash_buffers){.scores = work,
                                  .max = max,
                                  .sum = max + TILE,
                                  .weighted = weighted,
                                  .tile_max = max + 2 * TILE,
                                  .tile_sum = max + 3 * TILE,
                                  .tile_weighted = weighted + TILE * hs};
}

static lab_status attend(struct attention_call *c, float *out, const float *v)
{
    float *const logsumexp = c->work;
    const struct flash_buffers z =
        tiles_in(c->work + c->NH * c->T + 2 * c->NH * c->T * c->hs, c->hs);
    CALL_OF(&c->failed,
            flash_attention(out, logsumexp, &z, c->q, c->k, v, c->causal, 1, c->NH, c->T,
                            c->T, c->hs, TILE, TILE),
            "10.2 flash_attention");
    return LAB_OK;
}

// The weights for the keys from `first` on, as many as a head is wide.
static lab_status read_off(struct attention_call *c, size_t first)
{
    const size_t T = c->T, hs = c->hs, rows = c->NH * T;
    const size_t keys = T - first < hs ? T - first : hs;
    float *const v = c->work + rows, *const out = v + rows * hs;
    memset(v, 0, rows * hs * sizeof *v);
    for (size_t h = 0; h < c->NH; h++) {
        for (size_t i = 0; i < keys; i++) {
            v[(h * T + first + i) * hs + i] = 1;
        }
    }
    LAB_TRY(attend(c, out, v));
    for (size_t row = 0; row < rows; row++) {
        memcpy(c->weights + row * T + first, out + row * hs, keys * sizeof *out);
    }
    return LAB_OK;
}

static lab_status run(struct attention_call *c)
{
    for (size_t first = 0; first < c->T; first += c->hs) {
        LAB_TRY(read_off(c, first));
    }
    return attend(c, c->out, c->v);
}

const struct lab_attention lab_attention = {
    "flash_attention (10.2), which gives its weights for one-hot values", floats, run,
    NULL};
