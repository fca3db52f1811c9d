// bert.c - BERT's weights, and its way from tokens to hidden states. Your functions: 11.4 post_norm
// for the embeddings, 11.4 bert_layer for each layer.

#include "programs/reading/read_model.h"

#include <stdlib.h>

// ---- weights ------------------------------------------------------------------------------

static struct bert_params layer_params(struct weights *w, const struct config *c,
                                       size_t l)
{
    const size_t C = c->C, H = c->H;
#define LAYER "encoder.layer.%zu."
    return (struct bert_params){
        .attention =
            {
                .w_q = weights_matrix(w, C, C, LAYER "attention.self.query.weight", l),
                .b_q = weights_vector(w, C, LAYER "attention.self.query.bias", l),
                .w_k = weights_matrix(w, C, C, LAYER "attention.self.key.weight", l),
                .b_k = weights_vector(w, C, LAYER "attention.self.key.bias", l),
                .w_v = weights_matrix(w, C, C, LAYER "attention.self.value.weight", l),
                .b_v = weights_vector(w, C, LAYER "attention.self.value.bias", l),
                .w_o = weights_matrix(w, C, C, LAYER "attention.output.dense.weight", l),
                .b_o = weights_vector(w, C, LAYER "attention.output.dense.bias", l),
            },
        .ln1_gain = weights_vector(w, C, LAYER "attention.output.LayerNorm.weight", l),
        .ln1_bias = weights_vector(w, C, LAYER "attention.output.LayerNorm.bias", l),
        .mlp =
            {
                .w_fc = weights_matrix(w, H, C, LAYER "intermediate.dense.weight", l),
                .b_fc = weights_vector(w, H, LAYER "intermediate.dense.bias", l),
                .w_proj = weights_matrix(w, C, H, LAYER "output.dense.weight", l),
                .b_proj = weights_vector(w, C, LAYER "output.dense.bias", l),
            },
        .ln2_gain = weights_vector(w, C, LAYER "output.LayerNorm.weight", l),
        .ln2_bias = weights_vector(w, C, LAYER "output.LayerNorm.bias", l),
    };
#undef LAYER
}

// ---- workspaces ---------------------------------------------------------------------------

static struct bert_buffers buffers_new(size_t B, size_t T, const struct config *c)
{
    const size_t wide[] = {B, T, c->C}, scores[] = {B, c->NH, T, T},
                 hidden[] = {B, T, c->H};
    return (struct bert_buffers){
        .attention =
            {
                .q = reader_floats(3, wide),
                .k = reader_floats(3, wide),
                .v = reader_floats(3, wide),
                .q_heads = reader_floats(3, wide),
                .k_heads = reader_floats(3, wide),
                .v_heads = reader_floats(3, wide),
                .scores = reader_floats(4, scores),
                .out_heads = reader_floats(3, wide),
                .merged = reader_floats(3, wide),
            },
        .attended = reader_floats(3, wide),
        .middle = reader_floats(3, wide),
        .hidden = reader_floats(3, hidden),
        .activated = reader_floats(3, hidden),
        .projected = reader_floats(3, wide),
    };
}

static void buffers_free(const struct bert_buffers *b)
{
    float *const all[] = {
        b->attention.q,
        b->attention.k,
        b->attention.v,
        b->attention.q_heads,
        b->attention.k_heads,
        b->attention.v_heads,
        b->attention.scores,
        b->attention.out_heads,
        b->attention.merged,
        b->attended,
        b->middle,
        b->hidden,
        b->activated,
        b->projected,
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

// ---- the model ----------------------------------------------------------------------------

// hidden[0] = post_norm(word + position, segment)
static void embed(struct batch *batch, const struct config *c, struct weights *w)
{
    const size_t B = batch->B, T = batch->T, C = c->C;
    const float *words = weights_matrix(w, c->V, C, "embeddings.word_embeddings.weight");
    const float *positions =
        weights_matrix(w, c->T_max, C, "embeddings.position_embeddings.weight");
    const float *types =
        weights_matrix(w, c->types, C, "embeddings.token_type_embeddings.weight");
    const float *gain = weights_vector(w, C, "embeddings.LayerNorm.weight");
    const float *bias = weights_vector(w, C, "embeddings.LayerNorm.bias");
    float *x = reader_floats(2, (size_t[]){B * T, C});
    float *branch = reader_floats(2, (size_t[]){B * T, C});
    for (size_t n = 0; n < B * T; n++) {
        for (size_t i = 0; i < C; i++) {
            x[n * C + i] = words[batch->tokens[n] * C + i] + positions[n % T * C + i];
            branch[n * C + i] = types[batch->types[n] * C + i];
        }
    }
    student_must_succeed(post_norm(batch->hidden, x, branch, gain, bias, B * T, C),
                         "11.4 post_norm");
    free(x);
    free(branch);
}

// (B, T, T): a query may attend to every key before the padding.
static uint8_t *padding_keys(const struct batch *batch)
{
    const size_t T = batch->T;
    uint8_t *mask = reader_allocate(batch->B * T * T, 1);
    for (size_t n = 0; n < batch->B * T * T; n++) {
        mask[n] = n % T < batch->lengths[n / (T * T)];
    }
    return mask;
}

void bert_run(struct batch *batch, const struct config *c, struct weights *w)
{
    const size_t B = batch->B, T = batch->T, step = B * T * c->C;
    struct bert_params *params = reader_allocate(c->L, sizeof *params);
    for (size_t l = 0; l < c->L;
         l++) { // a wrong file is refused before anything is computed
        params[l] = layer_params(w, c, l);
    }
    batch_make_room(batch, c);
    const struct bert_buffers buffers = buffers_new(B, T, c);
    uint8_t *mask = padding_keys(batch);
    embed(batch, c, w);
    for (size_t l = 0; l < c->L; l++) {
        const float *x = batch->hidden + l * step;
        student_must_succeed(
            bert_layer(batch->hidden + (l + 1) * step,
                       batch->attentions + l * B * c->NH * T * T, &buffers, x, &params[l],
                       B == 1 ? NULL : mask, B, T, c->C, c->NH, c->H),
            "11.4 bert_layer, or a function of labs 2 to 5 that it calls,");
    }
    free(mask);
    buffers_free(&buffers);
    free(params);
}
