// depth.c - measures the gradient's length in each of 24 blocks before training.
//
// The stacks are those of lab 5's picture: matrices that keep unit size, gains 1, biases 0.
// A random gradient of length 1 enters at the end of the stack and is propagated back. For
// each block, the program writes the length of its parameters' gradient and of the gradient
// of its input.

#include "programs/variants/variants.h"

#include <math.h>
#include <string.h>

#include "05_transformer_block/block.h"

enum { RUNS = 8, LAYERS = 24 };

static const struct model_shape deep = {.B = 1,
                                        .T = 16,
                                        .T_max = 16,
                                        .V = 2,
                                        .C = 64,
                                        .NH = 4,
                                        .H = 256,
                                        .L = LAYERS,
                                        .causal = true,
                                        .positions = POSITIONS_NONE};

static double square_length(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sum;
}

// Matrices (L, out, in) that keep unit size, gains 1, biases 0.
static void start(struct model *m, struct lab_rng *rng)
{
    const struct model_shape *s = &m->shape;
    const struct model_params *p = &m->params;
    const struct {
        float *matrix;
        size_t out, in;
    } matrices[] = {{p->w_qkv, 3 * s->C, s->C},
                    {p->w_o, s->C, s->C},
                    {p->w_fc, s->H, s->C},
                    {p->w_proj, s->C, s->H}};
    memset(m->param, 0, m->P * sizeof *m->param);
    for (size_t i = 0; i < 4; i++) {
        const size_t count = s->L * matrices[i].out * matrices[i].in;
        lab_rng_randn(rng, matrices[i].matrix, count);
        for (size_t j = 0; j < count; j++) {
            matrices[i].matrix[j] /= sqrtf((float)matrices[i].in);
        }
    }
    for (size_t i = 0; i < s->L * s->C; i++) {
        p->ln1_gain[i] = p->ln2_gain[i] = 1;
    }
}

// Writes the gradient of the stack's output, a random vector of length 1, to dstreams[L].
// As in GPT-2, a pre-norm stack ends with one more layer norm, so there the gradient passes
// through that.
static void random_gradient(struct model *m, const struct variant *v, struct lab_rng *rng)
{
    const size_t BTC = deep.B * deep.T * deep.C;
    float *last = m->gradients.dstreams + deep.L * BTC;
    float *end = m->gradients.dpositioned, *normed = m->activations.positioned;
    const float *stream = m->activations.streams + deep.L * BTC;
    float mean[16], rstd[16], dgain[64] = {0}, dbias[64] = {0};
    lab_rng_randn(rng, end, BTC);
    const float length = (float)sqrt(square_length(end, BTC));
    for (size_t i = 0; i < BTC; i++) {
        end[i] /= length;
    }
    if (v->post_norm) {
        memcpy(last, end, BTC * sizeof *last);
        return;
    }
    const float *ones = m->params.ln1_gain, *zeros = m->params.ln1_bias;
    variants_need(layernorm(normed, mean, rstd, stream, ones, zeros, deep.T, deep.C),
                  "5.1 layernorm");
    variants_need(layernorm_backward(last, dgain, dbias, end, stream, mean, rstd, ones,
                                     deep.T, deep.C),
                  "6.8 layernorm_backward");
}

// One forward and backward pass. The gradients are in m->grads and m->gradients.dstreams.
static void there_and_back(struct model *m, const struct variant *v, struct lab_rng *rng)
{
    const struct model_shape *s = &m->shape;
    const size_t BTC = s->B * s->T * s->C, maps = s->B * s->NH * s->T * s->T;
    float *streams = m->activations.streams, *dstreams = m->gradients.dstreams;
    lab_rng_randn(rng, streams, BTC);
    for (size_t l = 0; l < s->L; l++) {
        const struct block_params params = model_block_params(&m->params, s, l);
        const struct block_buffers z = model_block_buffers(&m->activations, s, l);
        variants_need(variant_block(streams + (l + 1) * BTC,
                                    m->activations.weights + l * maps, &z,
                                    streams + l * BTC, &params, v, s),
                      "a forward function of labs 2 to 5");
    }
    random_gradient(m, v, rng);
    memset(m->grad, 0, m->P * sizeof *m->grad);
    for (size_t l = s->L; l-- > 0;) {
        const struct block_params params = model_block_params(&m->params, s, l);
        const struct block_grads grads = model_block_grads(&m->grads, s, l);
        const struct block_buffers z = model_block_buffers(&m->activations, s, l);
        variants_need(variant_block_backward(dstreams + l * BTC, &grads, &m->gradients,
                                             dstreams + (l + 1) * BTC, streams + l * BTC,
                                             &params, m->activations.weights + l * maps,
                                             &z, v, s),
                      "a backward function of lab 6");
    }
}

// The length of the gradient of all parameters of block l.
static double block_gradient(const struct model *m, size_t l)
{
    const size_t C = m->shape.C, H = m->shape.H;
    const struct block_grads g = model_block_grads(&m->grads, &m->shape, l);
    return sqrt(square_length(g.w_qkv, 3 * C * C) + square_length(g.b_qkv, 3 * C) +
                square_length(g.w_o, C * C) + square_length(g.b_o, C) +
                square_length(g.w_fc, H * C) + square_length(g.b_fc, H) +
                square_length(g.w_proj, C * H) + square_length(g.b_proj, C) +
                square_length(g.ln1_gain, C) + square_length(g.ln1_bias, C) +
                square_length(g.ln2_gain, C) + square_length(g.ln2_bias, C));
}

void depth(FILE *file)
{
    static double params[2][LAYERS], streams[2][LAYERS];
    const size_t BTC = deep.B * deep.T * deep.C;
    for (int way = 0; way < 2; way++) {
        const struct variant v = {.post_norm = way == 1};
        for (uint64_t run = 0; run < RUNS; run++) {
            struct model m;
            struct lab_rng rng;
            lab_rng_seed(&rng, 42 + run);
            variants_need(model_new(&m, &deep), "model_new");
            start(&m, &rng);
            there_and_back(&m, &v, &rng);
            for (size_t l = 0; l < LAYERS; l++) {
                params[way][l] += block_gradient(&m, l) / RUNS;
                streams[way][l] +=
                    sqrt(square_length(m.gradients.dstreams + l * BTC, BTC)) / RUNS;
            }
            model_free(&m);
        }
    }
    fprintf(file, "block\tpre_params\tpost_params\tpre_stream\tpost_stream\n");
    for (size_t l = 0; l < LAYERS; l++) {
        fprintf(file, "%zu\t%.6g\t%.6g\t%.6g\t%.6g\n", l + 1, params[0][l], params[1][l],
                streams[0][l], streams[1][l]);
    }
}
