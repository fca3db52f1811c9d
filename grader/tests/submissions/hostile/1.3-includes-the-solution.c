// 1.3 attention_scores nocompile whole-lab needs-wall
#define attention_scores borrowed_scores
#define matmul borrowed_matmul
#define matmul_nt borrowed_matmul_nt
#define linear borrowed_linear
#define softmax_rows borrowed_softmax_rows
#define weighted_values borrowed_weighted_values
#define simple_attention borrowed_simple_attention
#include "../../../../solutions/01_simple_attention/attention.c"
#include <../solutions/01_simple_attention/attention.c>
// BODY
    return borrowed_scores(scores, q, k, T, S, d);
