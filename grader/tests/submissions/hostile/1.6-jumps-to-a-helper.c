// 1.6 simple_attention wrong
// With -O2, gcc ends a function with a jump to another one, not with a call. Neither the function itself nor
// the helper project shows a call of linear.
#include "01_simple_attention/attention.h"
#pragma GCC optimize("O2")
__attribute__((noinline)) static lab_status project(float *y, const float *x, const float *w, size_t T, size_t C, size_t d)
{
    return linear(y, x, w, NULL, T, C, d);
}
__attribute__((noinline)) static lab_status attend(float *out, float *weights, float *q, float *k, float *v,
                                                   float *scores, const float *x, const float *w_q, const float *w_k,
                                                   const float *w_v, size_t T, size_t C, size_t d)
{
    (void)!project(q, x, w_q, T, C, d);
    (void)!project(k, x, w_k, T, C, d);
    (void)!project(v, x, w_v, T, C, d);
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
}
// BODY
    return attend(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
