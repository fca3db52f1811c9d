// gradcheck.c - how make gradcheck calls this lab's backward function. The sizes are tiny and
// different, and the tiles do not divide them.

#include "10_flash_attention/flash_attention.h"
#include "common/gradcheck.h"

enum { NH = 2, T = 3, S = 5, hs = 2, Br = 2, Bc = 2 };

struct attention {
    float q[NH * T * hs], k[NH * S * hs], v[NH * S * hs];
    float dq[NH * T * hs], dk[NH * S * hs], dv[NH * S * hs];
    float out[NH * T * hs], dout[NH * T * hs], logsumexp[NH * T];
    float scores[Br * Bc], max[Br], sum[Br], weighted[Br * hs];
    float tile_max[Br], tile_sum[Br], tile_weighted[Br * hs];
    float delta[T], weights[Br * Bc], dscores[Br * Bc];
};

static lab_status start(struct gradcheck_call *c)
{
    static struct attention s;
    c->state = &s;
    GRADIENT(c, s, q, WRITTEN, NH, T, hs);
    GRADIENT(c, s, k, WRITTEN, NH, S, hs);
    GRADIENT(c, s, v, WRITTEN, NH, S, hs);
    DRAW(c, s.dout);
    return LAB_OK;
}

static lab_status forward(double *loss, struct gradcheck_call *c)
{
    struct attention *s = c->state;
    const struct flash_buffers z = {s->scores,       s->max,      s->sum,
                                    s->weighted,     s->tile_max, s->tile_sum,
                                    s->tile_weighted};
    LAB_TRY(FORWARD(c, flash_attention)(s->out, s->logsumexp, &z, s->q, s->k, s->v, true,
                                        1, NH, T, S, hs, Br, Bc));
    *loss = gradcheck_sum(s->out, s->dout, NH * T * hs);
    return LAB_OK;
}

static lab_status backward(struct gradcheck_call *c)
{
    struct attention *s = c->state;
    const struct flash_backward_buffers z = {s->delta, s->weights, s->dscores};
    return flash_attention_backward(s->dq, s->dk, s->dv, &z, s->dout, s->out,
                                    s->logsumexp, s->q, s->k, s->v, true, 1, NH, T, S, hs,
                                    Br, Bc);
}

const struct gradcheck gradchecks[] = {
    {"10.4", "flash_attention_backward", "flash_attention (10.2)", start, forward,
     backward},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
