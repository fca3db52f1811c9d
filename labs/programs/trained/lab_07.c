// lab_07.c - queries and keys turned by rope (7.3), and attention with the function of lab 4.

#include "07_positional_encoding/positions.h"
#include "programs/trained/heads_of_4.h"

static lab_status turn(struct attention_call *c, float *out, const float *x)
{
    CALL_OF(&c->failed, rope(out, x, c->positions, 1, c->NH, c->T, c->hs), "7.3 rope");
    return LAB_OK;
}

const struct lab_attention lab_attention = {
    "rope (7.3) and scaled_dot_product_attention (4.5)", heads_floats, heads_run, turn};
