// backward.c - the gradients of attention, tile by tile. The weights come from q, k and logsumexp:
// exp(score - logsumexp) is already divided by the sum.
//
// Start reading at flash_attention_backward.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

lab_status flash_attention_backward(float *dq, float *dk, float *dv,
                                    const struct flash_backward_buffers *z,
                                    const float *dout, const float *out,
                                    const float *logsumexp, const float *q,
                                    const float *k, const float *v, bool causal, size_t B,
                                    size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                                    size_t Bc)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    // TODO 10.4: gradients of 0; for each head delta, then for each tile the weights and
    // dscores, and what they add to dq, dk and dv (about 20 lines, with helpers 75)
    return lab_todo(dq, dk, dv, z, dout, out, logsumexp, q, k, v, causal, B, NH, T, S, hs,
                    Br, Bc);
}
