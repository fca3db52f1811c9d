// lab_04.c - attention of all heads with scaled_dot_product_attention (4.5).

#include "programs/trained/heads_of_4.h"

const struct lab_attention lab_attention = {
    "causal_mask (3.1) and scaled_dot_product_attention (4.5)", heads_floats, heads_run,
    NULL};
