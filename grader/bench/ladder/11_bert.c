// 11_bert.c - the step to solutions/fast/11_reading_attention/bert.c.

#include "11_reading_attention/reading.h"
#include "bench/ladder/ladder.h"

const struct ladder ladders_bert[] = {
    {"post_norm",
     11,
     {.dims = "N=128 C=768"},
     {{"plain: sums in double, one after another", NULL},
      {"1  eight sums in float, LAB_WIDE (this file)", LIKE(post_norm, post_norm)}}},
    {0},
};
