// loss.c - the two ends of the model: from tokens to vectors, and from logits to a loss.
//
//   tokens (N) ─ embedding ─> (N,C) ─ ... ─> logits (N,V) ─ cross_entropy ─> loss
//                                           dlogits (N,V) <─ cross_entropy_backward ─┘
//
// Start reading at cross_entropy.

#include "06_copy_task/copy_task.h"

#include <math.h>
#include <string.h>

// ---- 6.2  a row for each token ------------------------------------------------------------

lab_status embedding(float *out, const size_t *tokens, const float *table, size_t N,
                     size_t C, size_t V)
{
    if (N == 0 || C == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(tokens, N, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.2 embedding: copy row tokens[n] of the table to row n (about 4 lines)
    for (size_t n = 0; n < N; n++) {
        memcpy(out + n * C, table + tokens[n] * C, C * sizeof *out);
    }
    return LAB_OK;
    // END SOLUTION 6.2
}

// ---- 6.3  the loss ------------------------------------------------------------------------

lab_status cross_entropy(float *loss, float *probabilities, const float *logits,
                         const size_t *targets, size_t N, size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(targets, N, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.3 cross_entropy: for each row the maximum, the exponentials and their sum,
    // the probabilities; the loss from log sum and the target's logit, summed in double (about
    // 20 lines)
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        float *probabilities_n = probabilities + n * V;

        float max = logits_n[0];
        for (size_t i = 1; i < V; i++) {
            max = logits_n[i] > max ? logits_n[i] : max;
        }
        double sum = 0.0; // becomes at least 1: the largest logit gives exp(0)
        for (size_t i = 0; i < V; i++) {
            probabilities_n[i] = expf(logits_n[i] - max);
            sum += probabilities_n[i];
        }
        for (size_t i = 0; i < V; i++) {
            probabilities_n[i] = (float)(probabilities_n[i] / sum);
        }
        // -log of the target's probability, computed without it: it may have underflowed to 0
        total += log(sum) - (logits_n[targets[n]] - max);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
    // END SOLUTION 6.3
}

// ---- 6.4  backward ------------------------------------------------------------------------

lab_status cross_entropy_backward(float *dlogits, const float *probabilities,
                                  const size_t *targets, size_t N, size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(targets, N, V)) {
        return LAB_EVALUE;
    }
    // BEGIN SOLUTION 6.4 cross_entropy_backward: the model's probabilities minus the right ones,
    // divided by N (about 8 lines)
    const float share = 1.0f / (float)N; // loss = 1/N sum_n ...
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            const float right = i == targets[n] ? 1.0f : 0.0f;
            dlogits[n * V + i] = (probabilities[n * V + i] - right) * share;
        }
    }
    return LAB_OK;
    // END SOLUTION 6.4
}
