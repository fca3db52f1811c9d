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
    // BEGIN SOLUTION 11.6 previous_token_share: the mean of the cells left of the diagonal
    // (about 8 lines)
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 1; t < T; t++) {
            sum += weights_n[t * T + t - 1];
        }
        share[n] = (float)(sum / (double)(T - 1));
    }
    return LAB_OK;
    // END SOLUTION 11.6
}

lab_status next_token_share(float *share, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T < 2) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.6 next_token_share: the mean of the cells right of the diagonal
    // (about 8 lines)
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 0; t + 1 < T; t++) {
            sum += weights_n[t * T + t + 1];
        }
        share[n] = (float)(sum / (double)(T - 1));
    }
    return LAB_OK;
    // END SOLUTION 11.6
}

lab_status first_token_share(float *share, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.6 first_token_share: the mean of the first column (about 8 lines)
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            sum += weights_n[t * T];
        }
        share[n] = (float)(sum / (double)T);
    }
    return LAB_OK;
    // END SOLUTION 11.6
}

lab_status attention_entropy(float *entropy, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.6 attention_entropy: the sum of -w ln w over all cells, divided by T; a weight
    // of 0 adds nothing (about 9 lines)
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t i = 0; i < T * T; i++) {
            sum -= weights_n[i] == 0.0f ? 0.0 : weights_n[i] * log(weights_n[i]);
        }
        entropy[n] = (float)(sum / (double)T);
    }
    return LAB_OK;
    // END SOLUTION 11.6
}

lab_status attention_distance(float *distance, const float *weights, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.6 attention_distance: the sum of w |t - s| over all cells, divided by T
    // (about 10 lines)
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < T; s++) {
                sum += weights_n[t * T + s] * (double)(s < t ? t - s : s - t);
            }
        }
        distance[n] = (float)(sum / (double)T);
    }
    return LAB_OK;
    // END SOLUTION 11.6
}

// BEGIN SOLUTION 11.6 helper
// The place after the last token before t that equals token t; 0 if there is none.
static size_t place_after_last(const size_t *tokens, size_t t)
{
    for (size_t s = t; s-- > 0;) {
        if (tokens[s] == tokens[t]) {
            return s + 1;
        }
    }
    return 0;
}
// END SOLUTION 11.6

lab_status induction_share(float *share, const float *weights, const size_t *tokens,
                           size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.6 induction_share: for each token, search backwards for the same token; add
    // the weight of the key after it (about 16 lines)
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        size_t queries = 0;
        for (size_t t = 0; t < T; t++) {
            const size_t after = place_after_last(tokens, t);
            if (after != 0) {
                sum += weights_n[t * T + after];
                queries++;
            }
        }
        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)queries);
    }
    return LAB_OK;
    // END SOLUTION 11.6
}

// ---- 11.7  through all layers -------------------------------------------------------------

// BEGIN SOLUTION 11.7 helper
// a = (mean over the heads + identity) / 2
static void mix_heads(float *a, const float *weights, size_t NH, size_t T)
{
    for (size_t i = 0; i < T * T; i++) {
        double sum = 0.0;
        for (size_t h = 0; h < NH; h++) {
            sum += weights[h * T * T + i];
        }
        const bool diagonal = i / T == i % T;
        a[i] = (float)((sum / (double)NH + (diagonal ? 1.0 : 0.0)) / 2.0);
    }
}
// END SOLUTION 11.7

lab_status attention_rollout(float *rollout, float *z, const float *weights, size_t L,
                             size_t NH, size_t T)
{
    if (L == 0 || NH == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 11.7 attention_rollout: start with layer 0; then multiply by each layer's matrix
    // from the left (about 10 lines, with a helper 20)
    float *layer = z, *product = z + T * T;
    mix_heads(rollout, weights, NH, T);
    for (size_t l = 1; l < L; l++) {
        mix_heads(layer, weights + l * NH * T * T, NH, T);
        LAB_TRY(matmul(product, layer, rollout, T, T, T));
        memcpy(rollout, product, T * T * sizeof *rollout);
    }
    return LAB_OK;
    // END SOLUTION 11.7
}
