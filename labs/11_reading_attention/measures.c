// measures.c - numbers that say what a head attends to.
//
//                 keys                       keys                       keys
//             0  1  2  3  4              0  1  2  3  4              0  1  2  3  4
//          0  .  .  .  .  .           0  .  x  .  .  .           0  x  .  .  .  .
//  queries 1  x  .  .  .  .           1  .  .  x  .  .           1  x  .  .  .  .
//          2  .  x  .  .  .           2  .  .  .  x  .           2  x  .  .  .  .
//          3  .  .  x  .  .           3  .  .  .  .  x           3  x  .  .  .  .
//          4  .  .  .  x  .           4  .  .  .  .  .           4  x  .  .  .  .
//            previous token              next token                first token
//
// Each measure is the mean of some cells, or of a sum over each row. Start reading at
// previous_token_share.

#include "11_reading_attention/reading.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "02_batching/batching.h"

// ---- 11.6  one number for each head -------------------------------------------------------

lab_status previous_token_share(float *share, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T < 2) {
        return LAB_ESHAPE;
    }
    // TODO 11.6: the mean of the cells left of the diagonal (about 8 lines)
    return lab_todo(share, weights, N, T);
}

lab_status next_token_share(float *share, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T < 2) {
        return LAB_ESHAPE;
    }
    // TODO 11.6: the mean of the cells right of the diagonal (about 8 lines)
    return lab_todo(share, weights, N, T);
}

lab_status first_token_share(float *share, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.6: the mean of the first column (about 8 lines)
    return lab_todo(share, weights, N, T);
}

lab_status attention_entropy(float *entropy, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.6: the sum of -w ln w over all cells, divided by T; a weight of 0 adds
    // nothing (about 9 lines)
    return lab_todo(entropy, weights, N, T);
}

lab_status attention_distance(float *distance, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.6: the sum of w |t - s| over all cells, divided by T (about 10 lines)
    return lab_todo(distance, weights, N, T);
}

lab_status induction_share(float *share, const float *weights, const size_t *tokens,
                           size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.6: for each token, search backwards for the same token; add the weight of
    // the key after it (about 16 lines)
    return lab_todo(share, weights, tokens, N, T);
}

// ---- 11.7  through all layers -------------------------------------------------------------

lab_status attention_rollout(float *rollout, float *z, const float *weights, size_t L,
                             size_t NH, size_t T)
{
    if (L == 0 || NH == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.7: start with layer 0; then multiply by each layer's matrix from the left
    // (about 10 lines, with a helper 20)
    return lab_todo(rollout, z, weights, L, NH, T);
}
