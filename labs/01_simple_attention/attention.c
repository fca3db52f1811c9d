// attention.c - attention over one sequence, one small function per step.
//
// attention.h describes each function's arguments and result. Start reading at matmul.

#include "01_simple_attention/attention.h"

#include <math.h>

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N,
                  size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.1: row m of a times column n of b (about 10 lines)
    return lab_todo(out, a, b, M, N, K);
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N,
                     size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.1: row m of a times ROW n of b (about 10 lines)
    return lab_todo(out, a, b, M, N, K);
}

lab_status linear(float *y, const float *x, const float *w, const float *bias, size_t T,
                  size_t I, size_t O)
{
    if (T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.2: x w^T, plus the bias on every row unless it is NULL (about 10 lines)
    return lab_todo(y, x, w, bias, T, I, O);
}

lab_status attention_scores(float *scores, const float *q, const float *k, size_t T,
                            size_t S, size_t d)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.3: one dot product per query and key, over sqrt(d) (about 10 lines)
    return lab_todo(scores, q, k, T, S, d);
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.4: for each row: its maximum, the exponentials and their sum, the division;
    // zeros in a row of -INFINITY (about 23 lines)
    return lab_todo(weights, scores, T, S);
}

lab_status weighted_values(float *out, const float *weights, const float *v, size_t T,
                           size_t S, size_t dv)
{
    if (T == 0 || S == 0 || dv == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.5: every output row is a weighted sum of value rows (about 10 lines, or 1:
    // which function can you reuse?)
    return lab_todo(out, weights, v, T, S, dv);
}

lab_status simple_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, const float *x, const float *w_q,
                            const float *w_k, const float *w_v, size_t T, size_t C,
                            size_t d)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.6: three projections, scores, softmax, weighted values; call the functions
    // above, each in a LAB_TRY (about 7 lines)
    return lab_todo(out, weights, q, k, v, scores, x, w_q, w_k, w_v, T, C, d);
}
