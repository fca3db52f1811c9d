// lab_03.c - attention with the functions of labs 2 and 3; the heads are a batch.

#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "programs/trained/trained.h"

const char attention_functions[] =
    "causal_mask (3.1), masked_softmax (3.3) and batched products (2.2)";

lab_status attention_mask(struct attention_call *c, uint8_t *mask, size_t T)
{
    CALL_OF(c, causal_mask(mask, T, T), "3.1 causal_mask");
    return LAB_OK;
}

lab_status attention_run(struct attention_call *c)
{
    const size_t NH = c->NH, T = c->T, hs = c->hs;
    CALL_OF(c, batched_matmul_nt(c->scores, c->q, c->k, NH, T, T, hs),
            "2.2 batched_matmul_nt");
    for (size_t i = 0; i < NH * T * T; i++) {
        c->scores[i] /= sqrtf((float)hs);
    }
    for (size_t h = 0; h < NH; h++) {
        CALL_OF(
            c,
            masked_softmax(c->weights + h * T * T, c->scores + h * T * T, c->mask, T, T),
            "3.3 masked_softmax");
    }
    CALL_OF(c, batched_matmul(c->out, c->weights, c->v, NH, T, hs, T),
            "2.2 batched_matmul");
    return LAB_OK;
}
