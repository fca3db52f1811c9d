// loss.c - the two ends of the model, made fast: from tokens to vectors, from logits to a loss.
//
//   tokens (N) ─ embedding ─> (N,C) ─ ... ─> logits (N,V) ─ cross_entropy ─> loss
//                                           dlogits (N,V) <─ cross_entropy_backward ─┘
//
// Read solutions/06_copy_task/loss.c first: it is the plain form of the same mathematics. This
// file is faster for two reasons (the table below says what each is worth):
//
//   1. no calls in loops   expf computes one number per call. lab_exp (fast/common/vector_math.h)
//                          compiles to vectors of 4, 8 or 16 floats.
//   2. one long loop       Rows are short (V is 10 in lab 6), and a vector loop over 10 numbers
//                          costs more to start than it saves. So one loop computes the
//                          exponentials of all N V numbers, with a pass before and a pass after it.
//
// BEGIN MEASURED: build/bench/ladder 06_copy_task/loss.c (make bench DOCS=1)
// Intel(R) Xeon(R) Processor; gcc 12.2; OpenBLAS core SkylakeX; 1 thread
// processor time, median of 31 turns; then the speed relative to line 1
//
// cross_entropy, N=256, V=10
//     plain: expf, a call for each number                          13.7 us   1.00
//     1  lab_exp, one row at a time                                 9.0 us   1.53
//     2  one long loop (this file)                                  5.4 us   2.56
// END MEASURED
//
// Start reading at cross_entropy.

#include "06_copy_task/copy_task.h"

#include <math.h>
#include <string.h>

#include "fast/common/vector_math.h"

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
    // pass 1: the logits minus the largest of their row
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

    // pass 2: the logarithm of a probability is shifted logit - log sum, which is right even
    // if the probability underflows
    double total = 0.0;
    for (size_t n = 0; n < N; n++) {
        total -= probabilities[n * V + targets[n]];
    }
    exponentials(probabilities, N * V);

    // pass 3: sum is at least 1, because the largest logit gave exp(0) = 1
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
    const float share = 1.0f / (float)N; // loss = 1/N sum_n ...
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < V; i++) {
            const float right = i == targets[n] ? 1.0f : 0.0f;
            dlogits[n * V + i] = (probabilities[n * V + i] - right) * share;
        }
    }
    return LAB_OK;
}
