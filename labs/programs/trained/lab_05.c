// lab_05.c - the model of a task with transformer_stack (5.7).

#include <cblas.h>
#include <string.h>

#include "05_transformer_block/block.h"
#include "programs/trained/trained.h"

const char task_functions[] = "transformer_stack (5.7)";

enum { BLOCKS_MOST = 8 };

// x (T, C): the row of each token and that of its position.
static void place_tokens(float *x, const struct model_params *params,
                         const size_t *tokens, size_t T, size_t C)
{
    memcpy(x, params->position_table, T * C * sizeof *x);
    for (size_t t = 0; t < T; t++) {
        cblas_saxpy((int)C, 1, params->token_table + tokens[t] * C, 1, x + t * C, 1);
    }
}

lab_status task_run(struct model *model, const char **failed, const size_t *tokens,
                    const struct model_shape *s)
{
    const struct model_activations *z = &model->activations;
    const struct model_params *params = &model->params;
    const size_t T = s->T, C = s->C;
    struct block_params blocks[BLOCKS_MOST];
    const struct block_buffers buffers = model_block_buffers(z, s, 0);
    if (s->L > BLOCKS_MOST) {
        return LAB_ESHAPE;
    }
    for (size_t l = 0; l < s->L; l++) {
        blocks[l] = model_block_params(params, s, l);
    }
    place_tokens(z->streams, params, tokens, T, C);
    float *const out = z->streams + T * C;
    CALL_OF(failed,
            transformer_stack(out, z->weights, &buffers, z->streams, blocks, s->causal, 1,
                              T, C, s->NH, s->H, s->L),
            "5.7 transformer_stack");
    const float *last = out + (s->L - 1) * T * C;
    for (size_t t = 0; t < T; t++) {
        memcpy(z->logits + t * s->V, params->b_out, s->V * sizeof(float));
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)T, (int)s->V, (int)C, 1,
                last, (int)C, params->w_out, (int)C, 1, z->logits, (int)s->V);
    return LAB_OK;
}
