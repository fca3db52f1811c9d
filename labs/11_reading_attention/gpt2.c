// gpt2.c - one block of GPT-2.
//
//   x ──┬──────────────────────(+)── middle ──┬────────────────(+)──> out
//       └─ norm ─ attention ────┘             └─ norm ─ mlp ────┘
// It is lab 5's block with a different GELU and with transposed matrices. Start reading at gelu_tanh.

#include "11_reading_attention/reading.h"

#include <math.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"

// ---- 11.5  GELU with tanh -----------------------------------------------------------------

lab_status gelu_tanh(float *y, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.5: the formula of the contract for each number (about 6 lines)
    return lab_todo(y, x, N);
}

// ---- 11.5  matrices stored (in, out) ------------------------------------------------------

lab_status linear_in_out(float *y, const float *x, const float *w, const float *bias,
                         size_t N, size_t I, size_t O)
{
    if (N == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.5: one of lab 2's products, then the bias (about 7 lines)
    return lab_todo(y, x, w, bias, N, I, O);
}

// ---- 11.5  the block ----------------------------------------------------------------------

lab_status gpt2_block(float *out, float *weights, const struct gpt2_buffers *buffers,
                      const float *x, const struct gpt2_params *params, size_t B,
                      size_t T, size_t C, size_t NH, size_t H)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 11.5: norm; attention as in 4.6, with linear_in_out; add; norm; MLP as in 5.3;
    // add (about 25 lines)
    return lab_todo(out, weights, buffers, x, params, B, T, C, NH, H);
}
