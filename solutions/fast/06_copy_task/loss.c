// loss.c - from tokens to vectors at one end of the model, from logits to a loss at the
// other.
//
//   tokens (N) ─ embedding ─> (N,C) ─ ... ─> logits (N,V) ─ cross_entropy ─> loss
//                                           dlogits (N,V) <─ cross_entropy_backward ─┘
//
// Read solutions/06_copy_task/loss.c first: it is the same mathematics, plainly. What this file
// gains over it, step by step (`make bench` times training with both):
//
//   1. no calls in loops   expf takes one number a call; lab_exp (common/vector_math.h) becomes
//                          vectors of 4, 8 or 16 floats.
//   2. one long loop       Rows are short (V is 10 in lab 6), and a vector loop over 10 numbers
//                          hardly starts before it ends. So the exponentials of all rows are one
//                          loop of N V numbers, between a pass before it and one behind it.
//
// Start reading at cross_entropy.

#include "06_copy_task/copy_task.h"

#include <math.h>
#include <string.h>

#include "common/vector_math.h"

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
    for (size_t n = 0; n < N; n++) {
        memcpy(out + n * C, table + tokens[n] * C, C * sizeof *out);
    }
    return LAB_OK;
}

// ---- 6.3  the loss ------------------------------------------------------------------------

// x (n) = exp(x)
LAB_WIDE static void exponentials(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = lab_exp(x[i]);
    }
}

lab_status cross_entropy(float *loss, float *probabilities, const float *logits,
                         const size_t *targets, size_t N, size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(targets, N, V)) {
        return LAB_EVALUE;
    }
    // pass 1: what is left of the logits when the largest of each row is taken off
    for (size_t n = 0; n < N; n++) {
        const float *logits_n = logits + n * V;
        float max = logits_n[0];
        for (size_t i = 1; i < V; i++) {
            max = logits_n[i] > max ? logits_n[i] : max;
        }
        for (size_t i = 0; i < V; i++) {
            probabilities[n * V + i] = logits_n[i] - max;
        }
    }

    // pass 2: the logarithm of a probability is shifted logit - log sum, and an underflow
    // of the probability itself cannot hurt it
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        total -= probabilities[n * V + targets[n]];
    }
    exponentials(probabilities, N * V);

    // pass 3: the largest logit gave exp(0) = 1: sum is at least 1
    for (size_t n = 0; n < N; n++) {
        float *probabilities_n = probabilities + n * V;
        float sum = 0.0f;
        for (size_t i = 0; i < V; i++) {
            sum += probabilities_n[i];
        }
        for (size_t i = 0; i < V; i++) {
            probabilities_n[i] /= sum;
        }
        total += log(sum);
    }
    *loss = (float)(total / (double)N);
    return LAB_OK;
}

// ---- 6.4  and back ------------------------------------------------------------------------

lab_status cross_entropy_backward(float *dlogits, const float *probabilities,
                                  const size_t *targets, size_t N, size_t V)
{
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    if (!tokens_below(targets, N, V)) {
        return LAB_EVALUE;
    }
    const float share = 1.0f / (float)N; // loss = 1/N sum_n ...
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            const float right = i == targets[n] ? 1.0f : 0.0f;
            dlogits[n * V + i] = (probabilities[n * V + i] - right) * share;
        }
    }
    return LAB_OK;
}
