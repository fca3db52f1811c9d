// gpt2.c - GPT-2's weights, and its way from tokens to hidden states. Your functions: 11.5
// gpt2_block for each layer, 5.1 layernorm for the last one's output.

#include "programs/reading/read_model.h"

#include <stdlib.h>

// ---- weights ------------------------------------------------------------------------------

static struct gpt2_params block_params(struct weights *w, const struct config *c,
                                       size_t l)
{
    const size_t C = c->C, H = c->H;
    return (struct gpt2_params){
        .ln1_gain = weights_vector(w, C, "h.%zu.ln_1.weight", l),
        .ln1_bias = weights_vector(w, C, "h.%zu.ln_1.bias", l),
        .w_qkv = weights_matrix(w, C, 3 * C, "h.%zu.attn.c_attn.weight", l),
        .b_qkv = weights_vector(w, 3 * C, "h.%zu.attn.c_attn.bias", l),
        .w_o = weights_matrix(w, C, C, "h.%zu.attn.c_proj.weight", l),
        .b_o = weights_vector(w, C, "h.%zu.attn.c_proj.bias", l),
        .ln2_gain = weights_vector(w, C, "h.%zu.ln_2.weight", l),
        .ln2_bias = weights_vector(w, C, "h.%zu.ln_2.bias", l),
        .w_fc = weights_matrix(w, C, H, "h.%zu.mlp.c_fc.weight", l),
        .b_fc = weights_vector(w, H, "h.%zu.mlp.c_fc.bias", l),
        .w_proj = weights_matrix(w, H, C, "h.%zu.mlp.c_proj.weight", l),
        .b_proj = weights_vector(w, C, "h.%zu.mlp.c_proj.bias", l),
    };
}

// ---- workspaces ---------------------------------------------------------------------------

static struct gpt2_buffers buffers_new(size_t B, size_t T, const struct config *c)
{
    const size_t wide[] = {B, T, c->C}, scores[] = {B, c->NH, T, T}, rows[] = {B, T},
                 hidden[] = {B, T, c->H};
    return (struct gpt2_buffers){
        .ln1 = reader_floats(3, wide),
        .ln1_mean = reader_floats(2, rows),
        .ln1_rstd = reader_floats(2, rows),
        .attention =
            {
                .qkv = reader_floats(3, (size_t[]){B, T, 3 * c->C}),
                .q = reader_floats(3, wide),
                .k = reader_floats(3, wide),
                .v = reader_floats(3, wide),
                .q_heads = reader_floats(3, wide),
                .k_heads = reader_floats(3, wide),
                .v_heads = reader_floats(3, wide),
                .scores = reader_floats(4, scores),
                .out_heads = reader_floats(3, wide),
                .merged = reader_floats(3, wide),
                .mask = reader_allocate(B * T, T),
            },
        .attended = reader_floats(3, wide),
        .middle = reader_floats(3, wide),
        .ln2 = reader_floats(3, wide),
        .ln2_mean = reader_floats(2, rows),
        .ln2_rstd = reader_floats(2, rows),
        .hidden = reader_floats(3, hidden),
        .activated = reader_floats(3, hidden),
        .projected = reader_floats(3, wide),
    };
}

static void buffers_free(const struct gpt2_buffers *b)
{
    void *const all[] = {
        b->ln1,
        b->ln1_mean,
        b->ln1_rstd,
        b->attention.qkv,
        b->attention.q,
        b->attention.k,
        b->attention.v,
        b->attention.q_heads,
        b->attention.k_heads,
        b->attention.v_heads,
        b->attention.scores,
        b->attention.out_heads,
        b->attention.merged,
        b->attention.mask,
        b->attended,
        b->middle,
        b->ln2,
        b->ln2_mean,
        b->ln2_rstd,
        b->hidden,
        b->activated,
        b->projected,
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

// ---- the model ----------------------------------------------------------------------------

// hidden[0] = word + position
static void embed(struct batch *batch, const struct config *c, struct weights *w)
{
    const size_t T = batch->T, C = c->C;
    const float *words = weights_matrix(w, c->V, C, "wte.weight");
    const float *positions = weights_matrix(w, c->T_max, C, "wpe.weight");
    for (size_t n = 0; n < batch->B * T; n++) {
        for (size_t i = 0; i < C; i++) {
            batch->hidden[n * C + i] =
                words[batch->tokens[n] * C + i] + positions[n % T * C + i];
        }
    }
}

// The model's output is the last block's, normalized; the transformers library counts it as the
// last hidden state.
static void normalize_output(struct batch *batch, const float *out,
                             const struct gpt2_buffers *buffers, const struct config *c,
                             const float *gain, const float *bias)
{
    const size_t N = batch->B * batch->T;
    student_must_succeed(layernorm(batch->hidden + c->L * N * c->C, buffers->ln1_mean,
                                   buffers->ln1_rstd, out, gain, bias, N, c->C),
                         "5.1 layernorm");
}

// The padding comes after the text, and a token sees only those before it, so no mask is needed.
void gpt2_run(struct batch *batch, const struct config *c, struct weights *w)
{
    const size_t B = batch->B, T = batch->T, L = c->L, step = B * T * c->C;
    struct gpt2_params *params = reader_allocate(L, sizeof *params);
    for (size_t l = 0; l < L;
         l++) { // a wrong file is refused before anything is computed
        params[l] = block_params(w, c, l);
    }
    const float *gain = weights_vector(w, c->C, "ln_f.weight");
    const float *bias = weights_vector(w, c->C, "ln_f.bias");
    batch_make_room(batch, c);
    const struct gpt2_buffers buffers = buffers_new(B, T, c);
    float *last = reader_floats(3, (size_t[]){B, T, c->C});
    embed(batch, c, w);
    for (size_t l = 0; l < L; l++) {
        float *out = l + 1 < L ? batch->hidden + (l + 1) * step : last;
        student_must_succeed(
            gpt2_block(out, batch->attentions + l * B * c->NH * T * T, &buffers,
                       batch->hidden + l * step, &params[l], B, T, c->C, c->NH, c->H),
            "11.5 gpt2_block, or a function of labs 2 to 5 that it calls,");
    }
    normalize_output(batch, last, &buffers, c, gain, bias);
    free(last);
    buffers_free(&buffers);
    free(params);
}
