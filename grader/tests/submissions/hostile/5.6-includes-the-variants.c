// 5.6 transformer_block nocompile whole-lab needs-wall
// Uses the block of the program variants. The functions of its backward pass are not linked.
#include "programs/variants/block.c"
#pragma weak attention_backward
#pragma weak gelu_backward
#pragma weak layernorm_backward
#pragma weak linear_backward
#pragma weak rope
// BODY
    const struct variant plain = {.post_norm = false};
    const struct model_shape shape = {.B = B, .T = T, .C = C, .NH = NH, .H = H};
    (void)causal;
    return variant_block(out, weights, buffers, x, params, &plain, &shape);
