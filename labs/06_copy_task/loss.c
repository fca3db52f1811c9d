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
    // TODO 6.2: copy row tokens[n] of the table to row n (about 4 lines)
    return lab_todo(out, tokens, table, N, C, V);
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
    // TODO 6.3: for each row the maximum, the exponentials and their sum, the
    // probabilities; the loss from log sum and the target's logit, summed in double
    // (about 20 lines)
    return lab_todo(loss, probabilities, logits, targets, N, V);
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
    // TODO 6.4: the model's probabilities minus the right ones, divided by N (about 8
    // lines)
    return lab_todo(dlogits, probabilities, targets, N, V);
}
