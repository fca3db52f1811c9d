// lab_04.c - attention of all heads with the function of lab 4.

#include "03_causal_mask/causal.h"
#include "04_multi_head/heads.h"
#include "programs/trained/trained.h"

const char attention_functions[] =
    "causal_mask (3.1) and scaled_dot_product_attention (4.5)";

lab_status attention_mask(struct attention_call *c, uint8_t *mask, size_t T)
{
    CALL_OF(c, causal_mask(mask, T, T), "3.1 causal_mask");
    return LAB_OK;
}

lab_status attention_run(struct attention_call *c)
{
    CALL_OF(c,
            scaled_dot_product_attention(c->out, c->weights, c->scores, c->q, c->k, c->v,
                                         c->mask, 1, c->NH, c->T, c->T, c->hs),
            "4.5 scaled_dot_product_attention");
    return LAB_OK;
}
