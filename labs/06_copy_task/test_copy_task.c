// test_copy_task.c - worked examples of lab 6: digits that can be checked by hand,
// PyTorch's digits, and properties that hold for any numbers. Run them with "make unit
// LAB=6"; add your own below.
//
// The last tests train whole models and compare every loss with PyTorch's. The program runs
// in the repository's root, which contains datasets/.

#include "06_copy_task/copy_task.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// ---- helpers ------------------------------------------------------------------------------

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    lab_status status =
        lab_tensor_file_open(&goldens, "datasets/goldens/lab06.safetensors");
    cr_assert(status == LAB_OK, "%s", goldens.error);
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

TestSuite(pytorch, .init = open_goldens, .fini = close_goldens);

// A golden of count floats, of any shape.
static const float *golden(const char *name, size_t count)
{
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, name);
    cr_assert(tensor != NULL && tensor->dtype == LAB_F32, "no golden %s", name);
    cr_assert(tensor->count == count, "%s has %zu numbers", name, tensor->count);
    return tensor->data;
}

// Copies a golden of count tokens.
static void golden_tokens(size_t *out, const char *name, size_t count)
{
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, name);
    cr_assert(tensor != NULL && tensor->dtype == LAB_I64, "no golden %s", name);
    cr_assert(tensor->count == count, "%s has %zu numbers", name, tensor->count);
    for (size_t i = 0; i < count; i++) {
        out[i] = (size_t)((const int64_t *)tensor->data)[i];
    }
}

static void expect_tokens(const size_t *got, const size_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_assert(got[i] == expected[i], "token %zu is %zu and should be %zu", i, got[i],
                  expected[i]);
    }
}

// ---- 6.1 tasks ----------------------------------------------------------------------------

Test(make_targets, gives_the_examples_of_the_header)
{
    const size_t inputs[] = {7, 1, 9, //
                             4, 4, 0};
    const size_t copy[] = {7, 1, 9, 4, 4, 0}, reverse[] = {9, 1, 7, 0, 4, 4};
    const size_t sort[] = {1, 7, 9, 0, 4, 4}, add[] = {7, 8, 0, 4, 8, 4};
    size_t targets[6];
    must_succeed(make_targets(targets, inputs, TASK_COPY, 2, 3, 10));
    expect_tokens(targets, copy, 6);
    must_succeed(make_targets(targets, inputs, TASK_REVERSE, 2, 3, 10));
    expect_tokens(targets, reverse, 6);
    must_succeed(make_targets(targets, inputs, TASK_SORT, 2, 3, 10));
    expect_tokens(targets, sort, 6);
    must_succeed(make_targets(targets, inputs, TASK_ADD, 2, 3, 10));
    expect_tokens(targets, add, 6);
}

Test(make_targets, a_token_outside_the_vocabulary_is_refused_and_nothing_written)
{
    const size_t inputs[] = {3, 10}, untouched[] = {77, 77};
    size_t targets[] = {77, 77};
    must_return(make_targets(targets, inputs, TASK_COPY, 1, 2, 10), LAB_EVALUE);
    must_return(make_targets(targets, inputs, TASK_COPY, 0, 2, 11), LAB_ESHAPE);
    must_return(make_targets(targets, inputs, TASK_COUNT, 1, 2, 11), LAB_EVALUE);
    expect_tokens(targets, untouched, 2);
}

Test(make_copy_batch, takes_the_rows_from_first_on)
{
    const size_t data[] = {0, 1, 2, 3, 4, 5, 6, 7}; // (4, 2)
    const size_t rows[] = {2, 3, 4, 5}, reversed[] = {3, 2, 5, 4};
    size_t inputs[4], targets[4];
    must_succeed(make_copy_batch(inputs, targets, data, 1, TASK_REVERSE, 4, 2, 2, 8));
    expect_tokens(inputs, rows, 4);
    expect_tokens(targets, reversed, 4);
    must_return(make_copy_batch(inputs, targets, data, 3, TASK_COPY, 4, 2, 2, 8),
                LAB_ESHAPE);
    must_return(make_copy_batch(inputs, targets, data, 2, TASK_COPY, 4, 2, 2, 7),
                LAB_EVALUE);
    expect_tokens(inputs, rows, 4);
}

// ---- 6.2 to 6.4 the loss ------------------------------------------------------------------

Test(embedding, copies_a_row_for_each_token)
{
    const float table[] = {1, 2, 3, 4, 5, 6}; // (3, 2)
    const size_t tokens[] = {2, 0, 2};
    const float expected[] = {5, 6, 1, 2, 5, 6};
    float out[6];
    poison(out, 6);
    must_succeed(embedding(out, tokens, table, 3, 2, 3));
    expect_close(out, expected, 3, 2, 0.0f, 0.0f);
    must_return(embedding(out, tokens, table, 3, 2, 2), LAB_EVALUE);
    expect_close(out, expected, 3, 2, 0.0f, 0.0f);
}

// Two rows: probabilities 1/4 and 3/4, then 1/2 and 1/2.
static const float two_logits[] = {0.0f, 1.0986123f, 5.0f, 5.0f};
static const float two_probabilities[] = {0.25f, 0.75f, 0.5f, 0.5f};

Test(cross_entropy, is_the_mean_of_minus_the_logarithms)
{
    const size_t targets[] = {1, 0};
    const float expected[] = {0.4904146f}; // (-log 0.75 - log 0.5) / 2
    float loss[1], probabilities[4];
    poison(probabilities, 4);
    must_succeed(cross_entropy(loss, probabilities, two_logits, targets, 2, 2));
    expect_close(probabilities, two_probabilities, 2, 2, 1e-6f, 0.0f);
    expect_close(loss, expected, 1, 1, 1e-6f, 0.0f);
}

Test(cross_entropy, knows_a_loss_of_20000_although_the_probability_is_0)
{
    const float logits[] = {1e4f, -1e4f}, expected[] = {20000.0f};
    const size_t targets[] = {1};
    float loss[1], probabilities[2];
    must_succeed(cross_entropy(loss, probabilities, logits, targets, 1, 2));
    expect_close(loss, expected, 1, 1, 0.0f, 1e-6f);
}

Test(cross_entropy_backward, is_the_probabilities_minus_the_right_ones)
{
    const size_t targets[] = {1, 0};
    const float expected[] = {0.125f, -0.125f, -0.25f, 0.25f}; // shared among 2 rows
    float dlogits[4];
    poison(dlogits, 4);
    must_succeed(cross_entropy_backward(dlogits, two_probabilities, targets, 2, 2));
    expect_close(dlogits, expected, 2, 2, 1e-7f, 0.0f);
    must_return(cross_entropy_backward(dlogits, two_probabilities, targets, 2, 1),
                LAB_EVALUE);
    expect_close(dlogits, expected, 2, 2, 1e-7f, 0.0f);
}

// ---- 6.5 to 6.10 the gradients ------------------------------------------------------------

Test(linear_backward, writes_dx_and_adds_to_dw_and_dbias)
{
    // y (2,1) = x (2,2) w^T + bias
    const float x[] = {1, 2, 3, 4}, w[] = {5, 6}, dy[] = {10, 100};
    const float expected_dx[] = {50, 60, 500, 600}; // dy w
    const float expected_dw[] = {310 + 1, 420 + 2}; // 10 x[0] + 100 x[1], onto 1 2
    const float expected_dbias[] = {110 + 3};       // 10 + 100, onto 3
    float dx[4], dw[] = {1, 2}, dbias[] = {3};
    poison(dx, 4);
    must_succeed(linear_backward(dx, dw, dbias, dy, x, w, 2, 2, 1));
    expect_close(dx, expected_dx, 2, 2, 0.0f, 1e-6f);
    expect_close(dw, expected_dw, 1, 2, 0.0f, 1e-6f);
    expect_close(dbias, expected_dbias, 1, 1, 0.0f, 1e-6f);
    must_succeed(linear_backward(dx, dw, NULL, dy, x, w, 2, 2, 1)); // no bias
}

Test(softmax_backward, a_row_of_gradients_sums_to_zero)
{
    // Adding the same number to all scores changes no weight, so the gradient sums to 0.
    const float weights[] = {0.25f, 0.75f, 0.0f}, dweights[] = {4.0f, 8.0f, 100.0f};
    // the mean is 7: 1/4 (4-7), 3/4 (8-7), 0
    const float expected[] = {-0.75f, 0.75f, 0.0f};
    float dscores[3];
    poison(dscores, 3);
    must_succeed(softmax_backward(dscores, dweights, weights, 1, 3));
    expect_close(dscores, expected, 1, 3, 1e-6f, 0.0f);
}

Test(attention_backward, a_query_with_one_key_learns_nothing)
{
    // One key always has weight 1: only the value gets a gradient.
    const float q[] = {1, 2}, k[] = {3, 4}, v[] = {5, 6}, dout[] = {7, 8},
                weights[] = {1};
    const float zeros[] = {0, 0};
    float dq[2], dk[2], dv[2], dweights[1], dscores[1];
    must_succeed(attention_backward(dq, dk, dv, dweights, dscores, dout, q, k, v, weights,
                                    1, 1, 1, 1, 2));
    expect_close(dq, zeros, 1, 2, 0.0f, 0.0f);
    expect_close(dk, zeros, 1, 2, 0.0f, 0.0f);
    expect_close(dv, dout, 1, 2, 0.0f, 0.0f);
}

Test(layernorm_backward, gives_nothing_along_the_mean_and_along_the_norm)
{
    // Shifting or stretching x does not change y. So dx is orthogonal to 1 and to norm.
    const float x[] = {1, 2, 3, 6}, dy[] = {0.5f, -1, 2, 0.25f}, gain[] = {1, 2, 3, 4};
    const float mean[] = {3}, rstd[] = {0.5345225f}; // 1 / sqrt(3.5)
    float dx[4], dgain[4] = {0}, dbias[4] = {0}, along_mean = 0, along_norm = 0;
    must_succeed(layernorm_backward(dx, dgain, dbias, dy, x, mean, rstd, gain, 1, 4));
    for (size_t c = 0; c < 4; c++) {
        along_mean += dx[c];
        along_norm += dx[c] * (x[c] - 3);
    }
    cr_expect(fabsf(along_mean) < 1e-5f, "%g", (double)along_mean);
    cr_expect(fabsf(along_norm) < 1e-5f, "%g", (double)along_norm);
    expect_close(dbias, dy, 1, 4, 0.0f, 0.0f);
}

Test(gelu_backward, is_half_at_zero_and_one_far_to_the_right)
{
    const float x[] = {0, 20, -20, 1}, dy[] = {2, 2, 2, 1};
    const float expected[] = {1, 2, 0, 1.0833155f};
    float dx[4];
    poison(dx, 4);
    must_succeed(gelu_backward(dx, dy, x, 4));
    expect_close(dx, expected, 1, 4, 1e-6f, 0.0f);
}

Test(embedding_backward, repeated_tokens_add_up)
{
    const float dy[] = {1, 2, 3, 4, 5, 6}; // (3, 2)
    const size_t tokens[] = {2, 0, 2};
    // the table started with 10 at its end
    const float expected[] = {3, 4, 0, 0, 6, 8 + 10};
    float dtable[] = {0, 0, 0, 0, 0, 10};
    must_succeed(embedding_backward(dtable, dy, tokens, 3, 2, 3));
    expect_close(dtable, expected, 3, 2, 0.0f, 0.0f);
    must_return(embedding_backward(dtable, dy, tokens, 3, 2, 2), LAB_EVALUE);
    expect_close(dtable, expected, 3, 2, 0.0f, 0.0f);
}

// ---- 6.12 and 6.13 the optimizer ----------------------------------------------------------

static const struct adam plain_adam = {
    .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8};

Test(adam_step, the_first_step_is_lr_long_whatever_the_gradient)
{
    const float g[] = {100, -1e-3f}, expected[] = {0.999f, 2.001f};
    float w[] = {1, 2}, m[] = {0, 0}, v[] = {0, 0};
    must_succeed(adam_step(w, m, v, g, &plain_adam, 1, 2));
    expect_close(w, expected, 1, 2, 2e-7f, 0.0f);
}

Test(adam_step, a_gradient_as_small_as_eps_takes_half_a_step)
{
    const float g[] = {1e-8f}, expected[] = {-0.5e-3f}; // lr g / (g + eps)
    float w[] = {0}, m[] = {0}, v[] = {0};
    must_succeed(adam_step(w, m, v, g, &plain_adam, 1, 1));
    expect_close(w, expected, 1, 1, 0.0f, 1e-5f);
    must_return(adam_step(w, m, v, g, &plain_adam, 0, 1), LAB_EVALUE);
    expect_close(w, expected, 1, 1, 0.0f, 1e-5f);
}

Test(clip_grad_norm, shortens_only_long_gradients)
{
    const float expected[] = {0.6f, 0.8f}, length[] = {5}, one[] = {1};
    float g[] = {3, 4}, norm[1];
    must_succeed(clip_grad_norm(norm, g, 1.0f, 2));
    expect_close(norm, length, 1, 1, 0.0f, 1e-6f);
    expect_close(g, expected, 1, 2, 1e-6f, 0.0f);
    must_succeed(clip_grad_norm(norm, g, 2.0f, 2));
    expect_close(norm, one, 1, 1, 0.0f, 1e-6f);
    expect_close(g, expected, 1, 2, 1e-6f, 0.0f);
    must_return(clip_grad_norm(norm, g, 0.0f, 2), LAB_EVALUE);
}

Test(learning_rate, rises_then_falls_to_the_floor)
{
    static const struct {
        size_t step;
        float lr;
    } expected[] = {{1, 0.1f},  {5, 0.5f},   {10, 1.0f},
                    {60, 0.6f}, {110, 0.2f}, {500, 0.2f}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        float lr[] = {NAN};
        must_succeed(learning_rate(lr, expected[i].step, 10, 110, 1.0f, 0.2f));
        expect_close(lr, &expected[i].lr, 1, 1, 1e-6f, 0.0f);
    }
    float lr[] = {7}, seven[] = {7};
    must_return(learning_rate(lr, 0, 10, 110, 1.0f, 0.2f), LAB_EVALUE);
    must_return(learning_rate(lr, 1, 111, 110, 1.0f, 0.2f), LAB_EVALUE);
    expect_close(lr, seven, 1, 1, 0.0f, 0.0f);
}

// ---- PyTorch, function by function --------------------------------------------------------

Test(pytorch, embedding_and_its_backward)
{
    size_t tokens[6];
    golden_tokens(tokens, "embedding.tokens", 6);
    float out[6 * 5], dtable[7 * 5];
    poison(out, 6 * 5);
    must_succeed(embedding(out, tokens, golden("embedding.table", 7 * 5), 6, 5, 7));
    expect_close(out, golden("embedding.out", 6 * 5), 6, 5, 0.0f, 0.0f);
    memcpy(dtable, golden("embedding.dtable.start", 7 * 5), sizeof dtable);
    must_succeed(
        embedding_backward(dtable, golden("embedding.dy", 6 * 5), tokens, 6, 5, 7));
    expect_close(dtable, golden("embedding.dtable", 7 * 5), 7, 5, 1e-6f, 1e-6f);
}

static void expect_cross_entropy(const char *name, size_t N, size_t V)
{
    char full[64];
    size_t targets[8];
    float loss[1], probabilities[64], dlogits[64];
#define NAME(part) (snprintf(full, sizeof full, "cross_entropy.%s." part, name), full)
    golden_tokens(targets, NAME("targets"), N);
    poison(probabilities, 64);
    poison(dlogits, 64);
    must_succeed(
        cross_entropy(loss, probabilities, golden(NAME("logits"), N * V), targets, N, V));
    expect_close(loss, golden(NAME("loss"), 1), 1, 1, 1e-6f, 1e-6f);
    expect_close(probabilities, golden(NAME("probabilities"), N * V), N, V, 1e-6f, 1e-6f);
    must_succeed(cross_entropy_backward(dlogits, probabilities, targets, N, V));
    expect_close(dlogits, golden(NAME("dlogits"), N * V), N, V, 1e-6f, 1e-6f);
#undef NAME
}

Test(pytorch, cross_entropy_and_its_backward)
{
    expect_cross_entropy("plain", 6, 7);
    expect_cross_entropy("large", 4, 7);
}

Test(pytorch, linear_backward)
{
    enum { N = 6, Wide = 5, Out = 4 };
    float dx[N * Wide], dw[Out * Wide], dbias[Out];
    poison(dx, N * Wide);
    memcpy(dw, golden("linear.dw.start", Out * Wide), sizeof dw);
    memcpy(dbias, golden("linear.dbias.start", Out), sizeof dbias);
    must_succeed(linear_backward(dx, dw, dbias, golden("linear.dy", N * Out),
                                 golden("linear.x", N * Wide),
                                 golden("linear.w", Out * Wide), N, Wide, Out));
    expect_close(dx, golden("linear.dx", N * Wide), N, Wide, 2e-6f, 1e-6f);
    expect_close(dw, golden("linear.dw", Out * Wide), Out, Wide, 2e-6f, 1e-6f);
    expect_close(dbias, golden("linear.dbias", Out), 1, Out, 2e-6f, 1e-6f);
}

Test(pytorch, softmax_backward)
{
    float dscores[25];
    poison(dscores, 25);
    must_succeed(softmax_backward(dscores, golden("softmax.dy", 25),
                                  golden("softmax.weights", 25), 5, 5));
    expect_close(dscores, golden("softmax.dscores", 25), 5, 5, 1e-6f, 1e-6f);
}

Test(pytorch, attention_backward)
{
    enum { B = 2, NH = 3, T = 4, S = 5, hs = 6, QUERIES = B * NH * T, KEYS = B * NH * S };
    float dq[QUERIES * hs], dk[KEYS * hs], dv[KEYS * hs];
    float dweights[QUERIES * S], dscores[QUERIES * S];
    poison(dq, QUERIES * hs);
    poison(dk, KEYS * hs);
    poison(dv, KEYS * hs);
    must_succeed(attention_backward(
        dq, dk, dv, dweights, dscores, golden("attention.dy", QUERIES * hs),
        golden("attention.q", QUERIES * hs), golden("attention.k", KEYS * hs),
        golden("attention.v", KEYS * hs), golden("attention.weights", QUERIES * S), B, NH,
        T, S, hs));
    expect_close(dq, golden("attention.dq", QUERIES * hs), QUERIES, hs, 2e-6f, 1e-6f);
    expect_close(dk, golden("attention.dk", KEYS * hs), KEYS, hs, 2e-6f, 1e-6f);
    expect_close(dv, golden("attention.dv", KEYS * hs), KEYS, hs, 2e-6f, 1e-6f);
}

Test(pytorch, layernorm_backward)
{
    enum { N = 6, C = 7 };
    float dx[N * C], dgain[C], dbias[C];
    poison(dx, N * C);
    memcpy(dgain, golden("layernorm.dgain.start", C), sizeof dgain);
    memcpy(dbias, golden("layernorm.dbias.start", C), sizeof dbias);
    must_succeed(layernorm_backward(
        dx, dgain, dbias, golden("layernorm.dy", N * C), golden("layernorm.x", N * C),
        golden("layernorm.mean", N), golden("layernorm.rstd", N),
        golden("layernorm.gain", C), N, C));
    expect_close(dx, golden("layernorm.dx", N * C), N, C, 2e-6f, 1e-6f);
    expect_close(dgain, golden("layernorm.dgain", C), 1, C, 2e-6f, 1e-6f);
    expect_close(dbias, golden("layernorm.dbias", C), 1, C, 2e-6f, 1e-6f);
}

Test(pytorch, gelu_backward)
{
    float dx[33];
    poison(dx, 33);
    must_succeed(gelu_backward(dx, golden("gelu.dy", 33), golden("gelu.x", 33), 33));
    expect_close(dx, golden("gelu.dx", 33), 1, 33, 1e-6f, 1e-6f);
}

static void expect_adam(const char *name, const struct adam *settings)
{
    enum { N = 6, STEPS = 3 };
    char full[64];
    float w[N], m[N] = {0}, v[N] = {0};
#define NAME(part) (snprintf(full, sizeof full, "adam.%s." part, name), full)
    memcpy(w, golden(NAME("w"), N), sizeof w);
    const float *g = golden(NAME("g"), STEPS * N);
    const float *after = golden(NAME("after"), STEPS * N);
    for (size_t i = 0; i < STEPS; i++) {
        must_succeed(adam_step(w, m, v, g + i * N, settings, i + 1, N));
        expect_close(w, after + i * N, 1, N, 0.0f, 1e-6f);
    }
    expect_close(m, golden(NAME("m"), N), 1, N, 0.0f, 1e-5f);
    expect_close(v, golden(NAME("v"), N), 1, N, 0.0f, 1e-5f);
#undef NAME
}

Test(pytorch, adam_and_adamw)
{
    expect_adam("plain", &plain_adam);
    expect_adam("tiny", &plain_adam);
    expect_adam("decay", &(struct adam){1e-2, 0.9, 0.999, 1e-8, 0.1});
    expect_adam("other", &(struct adam){2e-2, 0.8, 0.95, 1e-4, 0.3});
}

Test(pytorch, clip_grad_norm)
{
    float g[40], norm[1];
    memcpy(g, golden("clip.long.g", 40), sizeof g);
    must_succeed(clip_grad_norm(norm, g, 1.0f, 40));
    expect_close(norm, golden("clip.long.norm", 1), 1, 1, 0.0f, 1e-6f);
    expect_close(g, golden("clip.long.clipped", 40), 1, 40, 1e-7f, 1e-6f);
    memcpy(g, golden("clip.short.g", 40), sizeof g);
    must_succeed(clip_grad_norm(norm, g, 1.0f, 40));
    expect_close(norm, golden("clip.short.norm", 1), 1, 1, 0.0f, 1e-6f);
    expect_close(g, golden("clip.short.clipped", 40), 1, 40, 0.0f, 0.0f);
}

// A warm-up over 10 steps, then 40 steps of cosine: PyTorch's LinearLR and CosineAnnealingLR.
Test(pytorch, learning_rate)
{
    const float *warmup = golden("schedule.warmup", 10);
    const float *cosine = golden("schedule.cosine", 41);
    for (size_t step = 1; step <= 50; step++) {
        const float *expected = step <= 10 ? &warmup[step - 1] : &cosine[step - 10];
        float lr[1];
        must_succeed(learning_rate(lr, step, 10, 50, 1e-3f, 1e-4f));
        expect_close(lr, expected, 1, 1, 0.0f, 2e-6f);
    }
}

// ---- 6.11 the model -----------------------------------------------------------------------

// PyTorch's small model: all sizes differ.
static const struct model_shape small = {.B = 3,
                                         .T = 5,
                                         .T_max = 6,
                                         .V = 7,
                                         .C = 12,
                                         .NH = 3,
                                         .H = 20,
                                         .L = 2,
                                         .causal = true,
                                         .positions = POSITIONS_LEARNED,
                                         .dropout = 0.25f};

static void expect_model(const char *name, const float *uniforms)
{
    char full[64];
    size_t tokens[15], targets[15];
    float loss[1];
    struct model model;
    must_succeed(model_new(&model, &small));
    cr_assert(model.P == 2615, "%zu parameters", model.P);
#define NAME(part) (snprintf(full, sizeof full, "model.%s." part, name), full)
    golden_tokens(tokens, "model.tokens", 15);
    golden_tokens(targets, "model.targets", 15);
    memcpy(model.param, golden("model.params", model.P), model.P * sizeof(float));

    must_succeed(model_forward(loss, &model.activations, &model.params, tokens, targets,
                               uniforms, &small));
    expect_close(model.activations.logits, golden(NAME("logits"), 15 * 7), 15, 7, 5e-6f,
                 1e-5f);
    expect_close(loss, golden(NAME("loss"), 1), 1, 1, 0.0f, 1e-6f);
    must_succeed(model_backward(&model.grads, &model.gradients, &model.activations,
                                &model.params, tokens, targets, uniforms, &small));
    const float *grads = golden(NAME("grads"), model.P);
    for (const struct lab_row *row = model_params_rows; row->name != NULL; row++) {
        const float *got = *lab_row_pointer(&model.grads, row);
        char what[160] = "";
        cr_expect(all_close(got, grads + (got - model.grad), 1,
                            model_row_count(row, &small), 1e-6f, 1e-5f, what,
                            sizeof what),
                  "gradient of %s%s", row->name, what);
    }
#undef NAME
    model_free(&model);
}

Test(pytorch, model_forward_and_backward)
{
    expect_model("evaluated", NULL);
}

Test(pytorch, model_forward_and_backward_with_dropout)
{
    expect_model("trained", golden("model.uniforms", 3 * 5 * 12));
}

Test(model, gradients_are_added_to)
{
    struct model model;
    struct lab_rng rng;
    size_t tokens[15], targets[15];
    float loss[1], once[2615];
    must_succeed(model_new(&model, &small));
    lab_rng_seed(&rng, 1);
    must_succeed(model_start(&model, &rng));
    for (size_t i = 0; i < 15; i++) {
        tokens[i] = (size_t)lab_rng_int(&rng, 0, 7);
        targets[i] = (size_t)lab_rng_int(&rng, 0, 7);
    }
    must_succeed(model_forward(loss, &model.activations, &model.params, tokens, targets,
                               NULL, &small));
    for (int times = 1; times <= 2; times++) {
        must_succeed(model_backward(&model.grads, &model.gradients, &model.activations,
                                    &model.params, tokens, targets, NULL, &small));
        if (times == 1) {
            memcpy(once, model.grad, sizeof once);
        }
    }
    for (size_t i = 0; i < 2615; i++) {
        once[i] *= 2;
    }
    expect_close(model.grad, once, 1, 2615, 1e-6f, 1e-5f);
    model_free(&model);
}

Test(model, wrong_sizes_are_refused_and_nothing_written)
{
    struct model model;
    size_t tokens[15] = {0};
    float loss[1] = {7};
    must_succeed(model_new(&model, &small));
    struct model_shape shape = small;
    shape.T = 7; // 6 positions
    must_return(model_forward(loss, &model.activations, &model.params, tokens, tokens,
                              NULL, &shape),
                LAB_ESHAPE);
    shape = small;
    shape.NH = 5; // C is 12
    must_return(model_forward(loss, &model.activations, &model.params, tokens, tokens,
                              NULL, &shape),
                LAB_ESHAPE);
    tokens[14] = 7;
    must_return(model_forward(loss, &model.activations, &model.params, tokens, tokens,
                              NULL, &small),
                LAB_EVALUE);
    cr_expect(loss[0] == 7 && isnan(model.activations.logits[0]));
    model_free(&model);
}

Test(model, a_shorter_batch_fits_into_the_same_memory)
{
    struct model model;
    struct lab_rng rng;
    size_t tokens[15] = {1, 2, 3, 4, 5, 6};
    float three_rows[2 * 7];
    must_succeed(model_new(&model, &small));
    lab_rng_seed(&rng, 1);
    must_succeed(model_start(&model, &rng));
    must_succeed(model_forward(NULL, &model.activations, &model.params, tokens, NULL,
                               NULL, &small));
    memcpy(three_rows, model.activations.logits, sizeof three_rows);
    struct model_shape shape = small;
    shape.B = 1;
    shape.T = 2; // under the causal mask the first two tokens do not depend on later ones
    must_succeed(model_forward(NULL, &model.activations, &model.params, tokens, NULL,
                               NULL, &shape));
    expect_close(model.activations.logits, three_rows, 2, 7, 1e-6f, 1e-5f);
    model_free(&model);
}

// ---- 6.14 training ------------------------------------------------------------------------

// The model of the handout: 13610 parameters.
static const struct model_shape copy_model = {.B = 32,
                                              .T = 8,
                                              .T_max = 8,
                                              .V = 10,
                                              .C = 32,
                                              .NH = 4,
                                              .H = 128,
                                              .L = 1,
                                              .causal = true,
                                              .positions = POSITIONS_LEARNED};
enum { R = 100, TOKENS = R * 8 };

// A model and 100 sequences, all drawn after torch.manual_seed(42).
static void start_run(struct model *model, size_t *data, const struct model_shape *shape)
{
    struct lab_rng rng;
    int64_t drawn[TOKENS];
    must_succeed(model_new(model, shape));
    lab_rng_seed(&rng, 42);
    must_succeed(model_start(model, &rng));
    must_succeed(lab_rng_randint(&rng, drawn, 0, (int64_t)shape->V, TOKENS));
    for (size_t i = 0; i < TOKENS; i++) {
        data[i] = (size_t)drawn[i];
    }
    model->rng = rng; // dropout continues where the data ended
}

// The key biases have no gradient: adding a vector to all keys adds the same number to all
// scores of a query, which does not change the softmax. The backward pass gives only rounding
// for them, about 1e-9. Adam divides it by its own size, so its steps may be as large as any
// other. These biases drift differently in PyTorch and here, but nothing depends on them.
static void forget_key_biases(float *params, const struct model *model)
{
    const struct model_shape *s = &model->shape;
    float *b_qkv = params + (model->params.b_qkv - model->param);
    for (size_t l = 0; l < s->L; l++) {
        memset(b_qkv + (3 * l + 1) * s->C, 0, s->C * sizeof *params);
    }
}

// Checks that every loss is within 1e-4 of PyTorch's (relative), and every final parameter
// within params_atol, except those biases. drawn names the run with the expected start and data.
static void expect_run(const char *name, const char *drawn,
                       const struct model_shape *shape, enum task task, size_t rows,
                       const struct training *settings, size_t steps, float params_atol)
{
    char full[64];
    struct model model;
    size_t data[TOKENS], expected_data[TOKENS];
    float losses[200];
#define NAME(run, part) (snprintf(full, sizeof full, "train.%s." part, run), full)
    start_run(&model, data, shape);
    golden_tokens(expected_data, NAME(drawn, "data"), TOKENS);
    expect_tokens(data, expected_data, TOKENS);
    expect_close(model.param, golden(NAME(drawn, "start"), model.P), 1, model.P, 5e-7f,
                 0.0f);

    poison(losses, 200);
    must_succeed(train(losses, &model, data, task, rows, settings, steps));
    expect_close(losses, golden(NAME(name, "losses"), steps), steps, 1, 0.0f, 1e-4f);
    float *expected = malloc(model.P * sizeof *expected);
    cr_assert(expected != NULL);
    memcpy(expected, golden(NAME(name, "params"), model.P), model.P * sizeof *expected);
    forget_key_biases(expected, &model);
    forget_key_biases(model.param, &model);
    expect_close(model.param, expected, 1, model.P, params_atol, 0.0f);
    free(expected);
#undef NAME
    model_free(&model);
}

static const struct training plain_training = {
    .adam = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8}};

Test(pytorch, two_hundred_steps_of_the_copy_task)
{
    expect_run("plain", "plain", &copy_model, TASK_COPY, 32, &plain_training, 200, 1e-5f);
}

Test(pytorch, two_hundred_steps_with_clipping_schedule_and_decay)
{
    const struct training settings = {.adam = {3e-3, 0.9, 0.999, 1e-8, 0.1},
                                      .max_norm = 0.25f,
                                      .warmup = 20,
                                      .total = 200,
                                      .floor = 3e-4f};
    expect_run("clipped", "plain", &copy_model, TASK_REVERSE, 100, &settings, 200, 1e-5f);
}

Test(pytorch, two_blocks_with_dropout)
{
    const struct model_shape shape = {.B = 25,
                                      .T = 8,
                                      .T_max = 8,
                                      .V = 10,
                                      .C = 16,
                                      .NH = 2,
                                      .H = 40,
                                      .L = 2,
                                      .causal = true,
                                      .positions = POSITIONS_LEARNED,
                                      .dropout = 0.1f};
    struct training settings = plain_training;
    settings.adam.lr = 2e-3;
    expect_run("dropped", "dropped", &shape, TASK_ADD, 100, &settings, 60, 1e-5f);
}

Test(train, fifty_and_fifty_steps_are_a_hundred)
{
    struct model_shape shape = copy_model;
    struct model first, second;
    size_t data[TOKENS];
    float once[20], twice[20];
    shape.dropout = 0.1f;
    start_run(&first, data, &shape);
    start_run(&second, data, &shape);
    must_succeed(train(once, &first, data, TASK_SORT, R, &plain_training, 20));
    must_succeed(train(twice, &second, data, TASK_SORT, R, &plain_training, 7));
    must_succeed(train(twice + 7, &second, data, TASK_SORT, R, &plain_training, 13));
    cr_expect(memcmp(once, twice, sizeof once) == 0);
    cr_expect(memcmp(first.param, second.param, first.P * sizeof(float)) == 0);
    cr_expect(first.step == 20 && second.step == 20);
    model_free(&first);
    model_free(&second);
}

Test(train, stops_before_a_loss_that_is_not_a_number_reaches_the_parameters)
{
    struct model model;
    size_t data[TOKENS];
    float losses[5];
    start_run(&model, data, &copy_model);
    must_succeed(train(losses, &model, data, TASK_COPY, R, &plain_training, 3));
    model.params.b_out[4] = NAN; // everything the next step computes
    float *before = malloc(model.P * sizeof *before);
    cr_assert(before != NULL);
    memcpy(before, model.param, model.P * sizeof *before);
    must_return(train(losses, &model, data, TASK_COPY, R, &plain_training, 5),
                LAB_EVALUE);
    cr_expect(isnan(losses[0]) && model.step == 3);
    cr_expect(memcmp(model.param, before, model.P * sizeof *before) == 0);
    free(before);
    model_free(&model);
}

Test(train, a_token_outside_the_vocabulary_is_refused_and_nothing_changed)
{
    struct model model;
    size_t data[TOKENS];
    float losses[5] = {7};
    start_run(&model, data, &copy_model);
    data[TOKENS - 1] = 10;
    must_return(train(losses, &model, data, TASK_COPY, R, &plain_training, 5),
                LAB_EVALUE);
    must_return(train(losses, &model, data, TASK_COPY, 31, &plain_training, 5),
                LAB_ESHAPE);
    cr_expect(losses[0] == 7 && model.step == 0);
    model_free(&model);
}
