// test_language_model.c - worked examples of lab 8: digits that can be checked by hand,
// PyTorch's digits, and properties that hold for any numbers. Run them with "make unit
// LAB=8"; add your own below.
//
// The last test trains a whole model for 200 steps and compares every loss with PyTorch's. The
// program runs in the repository's root, which contains datasets/.

#include "08_language_model/language_model.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "07_positional_encoding/positions.h"
#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// ---- helpers ------------------------------------------------------------------------------

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    lab_status status =
        lab_tensor_file_open(&goldens, "datasets/goldens/lab08.safetensors");
    cr_assert(status == LAB_OK, "%s", goldens.error);
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

TestSuite(pytorch, .init = open_goldens, .fini = close_goldens);

static const void *golden_data(const char *name, int dtype, size_t count)
{
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, name);
    cr_assert(tensor != NULL && (int)tensor->dtype == dtype, "no golden %s", name);
    cr_assert(tensor->count == count, "%s has %zu numbers", name, tensor->count);
    return tensor->data;
}

// A golden of count floats, of any shape.
static const float *golden(const char *name, size_t count)
{
    return golden_data(name, LAB_F32, count);
}

// Copies a golden of count tokens.
static void golden_tokens(size_t *out, const char *name, size_t count)
{
    const int64_t *tokens = golden_data(name, LAB_I64, count);
    for (size_t i = 0; i < count; i++) {
        out[i] = (size_t)tokens[i];
    }
}

static void expect_tokens(const size_t *got, const size_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_assert(got[i] == expected[i], "token %zu is %zu and should be %zu", i, got[i],
                  expected[i]);
    }
}

static const uint8_t *bytes_of(const char *text)
{
    return (const uint8_t *)text;
}

// ---- 8.1 characters and tokens ------------------------------------------------------------

Test(vocabulary, of_banana_has_three_bytes_in_ascending_order)
{
    uint8_t bytes[256];
    size_t V = 0;
    memset(bytes, '?', sizeof bytes);
    must_succeed(vocabulary(bytes, &V, bytes_of("banana"), 6));
    cr_assert(V == 3, "V is %zu", V);
    cr_expect(memcmp(bytes, "abn?", 4) == 0, "%.4s", (const char *)bytes);
}

Test(vocabulary, knows_all_bytes_from_0_to_255)
{
    uint8_t text[512], bytes[256];
    size_t V = 0;
    for (size_t n = 0; n < 512; n++) {
        text[n] = (uint8_t)(255 - n % 256);
    }
    must_succeed(vocabulary(bytes, &V, text, 512));
    cr_assert(V == 256, "V is %zu", V);
    for (size_t i = 0; i < 256; i++) {
        cr_expect(bytes[i] == i);
    }
    must_return(vocabulary(bytes, &V, text, 0), LAB_ESHAPE);
}

Test(encode, gives_each_byte_its_place_in_the_vocabulary)
{
    const size_t expected[] = {1, 0, 2, 0, 2, 0};
    size_t tokens[6];
    uint8_t text[7] = {0};
    must_succeed(encode(tokens, bytes_of("banana"), bytes_of("abn"), 6, 3));
    expect_tokens(tokens, expected, 6);
    must_succeed(decode(text, tokens, bytes_of("abn"), 6, 3));
    cr_expect(strcmp((const char *)text, "banana") == 0, "%s", (const char *)text);
}

Test(encode, an_unknown_byte_is_refused_and_nothing_written)
{
    const size_t untouched[] = {77, 77, 77};
    size_t tokens[] = {77, 77, 77};
    must_return(encode(tokens, bytes_of("bax"), bytes_of("abn"), 3, 3), LAB_EVALUE);
    must_return(encode(tokens, bytes_of("ba\0"), bytes_of("abn"), 3, 3), LAB_EVALUE);
    expect_tokens(tokens, untouched, 3);
}

Test(decode, an_unknown_token_is_refused_and_nothing_written)
{
    const size_t tokens[] = {0, 3};
    uint8_t text[] = "??";
    must_return(decode(text, tokens, bytes_of("abn"), 2, 3), LAB_EVALUE);
    cr_expect(memcmp(text, "??", 2) == 0);
}

// ---- 8.2 batches --------------------------------------------------------------------------

Test(shifted_batch, targets_are_the_tokens_one_place_further_on)
{
    const size_t stream[] = {10, 11, 12, 13, 14, 15}, offsets[] = {2, 0};
    const size_t inputs[] = {12, 13, 14, 10, 11, 12};
    const size_t next[] = {13, 14, 15, 11, 12, 13};
    size_t x[6], y[6];
    must_succeed(shifted_batch(x, y, stream, offsets, 6, 2, 3));
    expect_tokens(x, inputs, 6);
    expect_tokens(y, next, 6);
}

Test(shifted_batch, the_last_offset_leaves_room_for_the_last_target)
{
    const size_t stream[] = {10, 11, 12, 13, 14, 15}, too_late[] = {0, 3};
    const size_t untouched[] = {7, 7, 7, 7, 7, 7};
    size_t x[] = {7, 7, 7, 7, 7, 7}, y[] = {7, 7, 7, 7, 7, 7};
    // the largest valid offset is 6 - 3 - 1 = 2, used above
    must_return(shifted_batch(x, y, stream, too_late, 6, 2, 3), LAB_EVALUE);
    must_return(shifted_batch(x, y, stream, too_late, 6, 1, 6), LAB_ESHAPE);
    expect_tokens(x, untouched, 6);
    expect_tokens(y, untouched, 6);
}

// ---- 8.3 to 8.5 layers --------------------------------------------------------------------

Test(rmsnorm, divides_by_the_root_of_the_mean_square)
{
    // the mean of 3^2 and 4^2 is 12.5, its root 3.5355; equal numbers become 1, not 0
    const float x[] = {3, 4, 5, 5}, gain[] = {1, 2};
    const float expected[] = {0.848528f, 2.262741f, 1.0f, 2.0f};
    const float expected_rrms[] = {0.282843f, 0.2f};
    float y[4], rrms[2];
    poison(y, 4);
    poison(rrms, 2);
    must_succeed(rmsnorm(y, rrms, x, gain, 2, 2));
    expect_close(y, expected, 2, 2, 2e-6f, 0.0f);
    expect_close(rrms, expected_rrms, 1, 2, 1e-6f, 0.0f);
}

Test(rmsnorm_backward, gives_nothing_along_x)
{
    // Doubling x does not change y, apart from eps. So dx is orthogonal to x.
    const float x[] = {1, 2, -3, 6}, dy[] = {0.5f, -1, 2, 0.25f}, gain[] = {1, 2, 3, 4};
    const float rrms[] = {0.28284271f}; // 1 / sqrt(12.5)
    // dy x rrms, onto 1
    const float expected_dgain[] = {1.141421f, 0.434315f, -0.697056f, 1.424264f};
    float dx[4], dgain[4] = {1, 1, 1, 1}, along_x = 0;
    poison(dx, 4);
    must_succeed(rmsnorm_backward(dx, dgain, dy, x, rrms, gain, 1, 4));
    for (size_t c = 0; c < 4; c++) {
        along_x += dx[c] * x[c];
    }
    cr_expect(fabsf(along_x) < 1e-5f, "%g", (double)along_x);
    expect_close(dgain, expected_dgain, 1, 4, 1e-6f, 0.0f);
}

Test(swiglu, passes_b_as_far_as_a_opens_the_gate)
{
    // log 3 has the sigmoid 3/4; large numbers give 0 or a b, and never NaN
    const float a[] = {0, 1.0986123f, -1.0986123f, 1000, -1000}, b[] = {8, 4, 4, 2, 2};
    const float expected[] = {0, 3.295837f, -1.098612f, 2000, 0};
    float y[5];
    poison(y, 5);
    must_succeed(swiglu(y, a, b, 5));
    expect_close(y, expected, 1, 5, 2e-6f, 0.0f);
}

Test(swiglu_backward, is_half_of_b_where_the_gate_is_half_open)
{
    // at 0 the sigmoid is 1/2 and a is 0; for large |a|, da is b or 0
    const float a[] = {0, 1000, -1000}, b[] = {8, 2, 2}, dy[] = {10, 1, 1};
    const float expected_da[] = {40, 2, 0}, expected_db[] = {0, 1000, 0};
    float da[3], db[3];
    poison(da, 3);
    poison(db, 3);
    must_succeed(swiglu_backward(da, db, dy, a, b, 3));
    expect_close(da, expected_da, 1, 3, 1e-5f, 0.0f);
    expect_close(db, expected_db, 1, 3, 1e-5f, 0.0f);
}

Test(rope_backward, turns_back_what_rope_turned)
{
    enum { HEADS = 3, TOKENS = 4, WIDTH = 6, COUNT = 2 * HEADS * TOKENS * WIDTH };
    const size_t positions[TOKENS] = {0, 3, 3, 50000};
    float x[COUNT], turned[COUNT], back[COUNT];
    struct lab_rng rng;
    lab_rng_seed(&rng, 8);
    lab_rng_randn(&rng, x, COUNT);
    must_succeed(rope(turned, x, positions, 2, HEADS, TOKENS, WIDTH));
    poison(back, COUNT);
    must_succeed(rope_backward(back, turned, positions, 2, HEADS, TOKENS, WIDTH));
    expect_close(back, x, 2 * HEADS * TOKENS, WIDTH, 1e-6f, 1e-6f);
    must_return(rope_backward(back, turned, positions, 2, HEADS, TOKENS, 3), LAB_ESHAPE);
}

Test(pytorch, rmsnorm_and_its_backward)
{
    enum { N = 6, C = 7 };
    float y[N * C], rrms[N], dx[N * C], dgain[C];
    const float *x = golden("rmsnorm.x", N * C), *gain = golden("rmsnorm.gain", C);
    poison(y, N * C);
    poison(rrms, N);
    poison(dx, N * C);
    must_succeed(rmsnorm(y, rrms, x, gain, N, C));
    expect_close(y, golden("rmsnorm.y", N * C), N, C, 1e-6f, 1e-6f);
    expect_close(rrms, golden("rmsnorm.rrms", N), 1, N, 0.0f, 1e-6f);
    memcpy(dgain, golden("rmsnorm.dgain.start", C), sizeof dgain);
    must_succeed(
        rmsnorm_backward(dx, dgain, golden("rmsnorm.dy", N * C), x, rrms, gain, N, C));
    expect_close(dx, golden("rmsnorm.dx", N * C), N, C, 2e-6f, 1e-6f);
    expect_close(dgain, golden("rmsnorm.dgain", C), 1, C, 2e-6f, 1e-6f);
}

Test(pytorch, swiglu_and_its_backward)
{
    enum { N = 29 };
    float y[N], da[N], db[N];
    const float *a = golden("swiglu.a", N), *b = golden("swiglu.b", N);
    poison(y, N);
    poison(da, N);
    poison(db, N);
    must_succeed(swiglu(y, a, b, N));
    expect_close(y, golden("swiglu.y", N), 1, N, 1e-6f, 1e-6f);
    must_succeed(swiglu_backward(da, db, golden("swiglu.dy", N), a, b, N));
    expect_close(da, golden("swiglu.da", N), 1, N, 1e-6f, 1e-6f);
    expect_close(db, golden("swiglu.db", N), 1, N, 1e-6f, 1e-6f);
}

Test(pytorch, rope_backward)
{
    enum { B = 2, NH = 3, T = 6, hs = 8, COUNT = B * NH * T * hs };
    size_t positions[T];
    float dx[COUNT];
    golden_tokens(positions, "rope.positions", T);
    poison(dx, COUNT);
    must_succeed(rope_backward(dx, golden("rope.dy", COUNT), positions, B, NH, T, hs));
    expect_close(dx, golden("rope.dx", COUNT), B * NH * T, hs, 1e-6f, 1e-6f);
}

// ---- 8.6 to 8.8 the model -----------------------------------------------------------------

// PyTorch's small model: all sizes differ. Its block has the same C, NH and H.
static const struct language_shape small = {
    .B = 3, .T = 5, .V = 7, .C = 12, .NH = 3, .H = 20, .L = 2};
enum { SMALL_P = 2820, SMALL_TOKENS = 15, SMALL_LOGITS = SMALL_TOKENS * 7 };

static struct language new_model(const struct language_shape *shape)
{
    struct language model;
    must_succeed(language_new(&model, shape, true));
    return model;
}

// A small model with random parameters; gains of 1 would hide mistakes.
static struct language random_model(size_t *tokens, size_t *targets)
{
    struct language model = new_model(&small);
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    must_succeed(lab_rng_normal(&rng, model.param, 0.2, 0.4, model.P));
    for (size_t i = 0; i < SMALL_TOKENS; i++) {
        tokens[i] = (size_t)lab_rng_int(&rng, 0, 7);
        targets[i] = (size_t)lab_rng_int(&rng, 0, 7);
    }
    return model;
}

static void expect_gradients(const struct language *model, const float *expected,
                             float atol, float rtol)
{
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        const float *got = *lab_row_pointer((void *)&model->grads, row);
        char what[160] = "";
        cr_expect(all_close(got, expected + (got - model->grad), 1,
                            language_row_count(row, &model->shape), atol, rtol, what,
                            sizeof what),
                  "gradient of %s%s", row->name, what);
    }
}

// One block with the golden parameters, and its buffers.
static struct language golden_block(struct language_block_params *params,
                                    struct language_block_grads *grads,
                                    struct language_block_buffers *z)
{
    const struct language_shape shape = {
        .B = 2, .T = 5, .V = 1, .C = 12, .NH = 3, .H = 20, .L = 1};
    struct language model = new_model(&shape);
    memcpy(model.params.norm1, golden("language_block.params", 1320),
           1320 * sizeof(float)); // the token table does not belong to the block
    *params = language_block_params(&model.params, &shape, 0);
    *grads = language_block_grads(&model.grads, &shape, 0);
    *z = language_block_buffers(&model.activations, &shape, 0);
    return model;
}

Test(pytorch, language_block)
{
    struct language_block_params params;
    struct language_block_grads grads;
    struct language_block_buffers z;
    struct language model = golden_block(&params, &grads, &z);
    float out[120], weights[150];
    poison(out, 120);
    poison(weights, 150);
    must_succeed(language_block(out, weights, &z, golden("language_block.x", 120),
                                &params, 2, 5, 12, 3, 20));
    const struct {
        const char *name;
        const float *got;
        size_t rows, columns;
    } steps[] = {
        {"normed1", z.normed1, 10, 12},  {"q_turned", z.q_turned, 30, 4},
        {"k_turned", z.k_turned, 30, 4}, {"v_heads", z.v_heads, 30, 4},
        {"weights", weights, 30, 5},     {"merged", z.merged, 10, 12},
        {"middle", z.middle, 10, 12},    {"normed2", z.normed2, 10, 12},
        {"hidden", z.hidden, 10, 20},    {"out", out, 10, 12},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char name[64], what[160] = "";
        snprintf(name, sizeof name, "language_block.%s", steps[i].name);
        const size_t count = steps[i].rows * steps[i].columns;
        cr_expect(all_close(steps[i].got, golden(name, count), steps[i].rows,
                            steps[i].columns, 5e-6f, 1e-5f, what, sizeof what),
                  "%s%s", steps[i].name, what);
    }
    language_free(&model);
}

Test(pytorch, language_block_backward)
{
    struct language_block_params params;
    struct language_block_grads grads;
    struct language_block_buffers z;
    struct language model = golden_block(&params, &grads, &z);
    const float *x = golden("language_block.x", 120);
    float out[120], weights[150], dx[120];
    must_succeed(language_block(out, weights, &z, x, &params, 2, 5, 12, 3, 20));
    poison(dx, 120);
    must_succeed(language_block_backward(dx, &grads, &model.gradients,
                                         golden("language_block.dout", 120), x, &params,
                                         weights, &z, 2, 5, 12, 3, 20));
    expect_close(dx, golden("language_block.dx", 120), 10, 12, 1e-5f, 1e-5f);
    expect_close(grads.norm1, golden("language_block.grads", 1320), 1, 1320, 1e-5f,
                 1e-5f);
    language_free(&model);
}

Test(language_block, no_token_sees_a_later_one)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS];
    struct language model = random_model(tokens, targets);
    const struct language_block_params params =
        language_block_params(&model.params, &small, 1);
    const struct language_block_buffers z =
        language_block_buffers(&model.activations, &small, 0);
    float x[5 * 12], out[5 * 12], other[5 * 12], weights[3 * 5 * 5];
    struct lab_rng rng;
    lab_rng_seed(&rng, 2);
    lab_rng_randn(&rng, x, 5 * 12);
    must_succeed(language_block(out, weights, &z, x, &params, 1, 5, 12, 3, 20));
    for (size_t i = 0; i < 75; i++) {
        const size_t query = i / 5 % 5, key = i % 5;
        cr_expect(key <= query || weights[i] == 0.0f, "query %zu sees key %zu", query,
                  key);
    }
    lab_rng_randn(&rng, x + 3 * 12, 2 * 12); // other tokens 3 and 4
    must_succeed(language_block(other, weights, &z, x, &params, 1, 5, 12, 3, 20));
    expect_close(other, out, 3, 12, 0.0f, 1e-6f);
    must_return(language_block(out, weights, &z, x, &params, 1, 5, 12, 5, 20),
                LAB_ESHAPE);
    must_return(language_block(out, weights, &z, x, &params, 1, 5, 12, 4, 20),
                LAB_ESHAPE); // heads of width 3
    language_free(&model);
}

// The small model with PyTorch's parameters and tokens.
static struct language golden_model(size_t *tokens, size_t *targets)
{
    struct language model = new_model(&small);
    cr_assert(model.P == SMALL_P, "%zu parameters", model.P);
    memcpy(model.param, golden("model.params", SMALL_P), SMALL_P * sizeof(float));
    golden_tokens(tokens, "model.tokens", SMALL_TOKENS);
    golden_tokens(targets, "model.targets", SMALL_TOKENS);
    return model;
}

Test(pytorch, language_forward_and_backward)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS];
    struct language model = golden_model(tokens, targets);
    const struct language_activations *z = &model.activations;
    float loss[1] = {NAN};
    must_succeed(language_forward(loss, z, &model.params, tokens, targets, &small));
    expect_close(z->logits, golden("model.logits", SMALL_LOGITS), SMALL_TOKENS, 7, 1e-5f,
                 1e-5f);
    expect_close(z->weights, golden("model.weights", 450), 90, 5, 2e-6f, 1e-5f);
    expect_close(loss, golden("model.loss", 1), 1, 1, 0.0f, 2e-6f);
    must_succeed(language_backward(&model.grads, &model.gradients, z, &model.params,
                                   tokens, targets, &small));
    expect_gradients(&model, golden("model.grads", SMALL_P), 2e-6f, 1e-5f);
    language_free(&model);
}

Test(language_forward, stops_at_the_logits_without_targets)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS];
    struct language model = random_model(tokens, targets);
    const struct language_activations *z = &model.activations;
    float logits[SMALL_LOGITS], loss[1] = {NAN};
    must_succeed(language_forward(loss, z, &model.params, tokens, targets, &small));
    memcpy(logits, z->logits, sizeof logits);
    poison(z->logits, SMALL_LOGITS);
    must_succeed(language_forward(NULL, z, &model.params, tokens, NULL, &small));
    expect_close(z->logits, logits, SMALL_TOKENS, 7, 0.0f, 0.0f);
    language_free(&model);
}

Test(language_forward, a_shorter_batch_fits_into_the_same_memory)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS];
    struct language model = random_model(tokens, targets);
    const struct language_activations *z = &model.activations;
    float two_rows[2 * 7];
    must_succeed(language_forward(NULL, z, &model.params, tokens, NULL, &small));
    memcpy(two_rows, z->logits, sizeof two_rows);
    struct language_shape shape = small;
    shape.B = 1;
    shape.T = 2; // the first two tokens do not depend on later ones
    must_succeed(language_forward(NULL, z, &model.params, tokens, NULL, &shape));
    expect_close(z->logits, two_rows, 2, 7, 2e-6f, 1e-5f);
    language_free(&model);
}

Test(language_forward, wrong_sizes_and_tokens_are_refused_and_nothing_written)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS];
    struct language model = random_model(tokens, targets);
    const struct language_activations *z = &model.activations;
    float loss[1] = {7};
    struct language_shape shape = small;
    shape.NH = 4; // heads of width 3
    must_return(language_forward(loss, z, &model.params, tokens, targets, &shape),
                LAB_ESHAPE);
    must_return(language_forward(NULL, z, &model.params, tokens, targets, &small),
                LAB_EVALUE);
    targets[14] = 7;
    must_return(language_forward(loss, z, &model.params, tokens, targets, &small),
                LAB_EVALUE);
    cr_expect(loss[0] == 7 && isnan(z->logits[0]));
    language_free(&model);
}

Test(language_backward, gradients_are_added_to)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS];
    struct language model = random_model(tokens, targets);
    float loss, once[SMALL_P];
    must_succeed(language_forward(&loss, &model.activations, &model.params, tokens,
                                  targets, &small));
    for (int times = 1; times <= 2; times++) {
        must_succeed(language_backward(&model.grads, &model.gradients, &model.activations,
                                       &model.params, tokens, targets, &small));
        if (times == 1) {
            memcpy(once, model.grad, sizeof once);
        }
    }
    for (size_t i = 0; i < SMALL_P; i++) {
        once[i] *= 2;
    }
    expect_gradients(&model, once, 1e-6f, 1e-5f);
    language_free(&model);
}

// ---- 8.9 how good the model is ------------------------------------------------------------

Test(perplexity, counts_equally_likely_choices)
{
    double choices = NAN, bits = NAN;
    must_succeed(perplexity(&choices, log(27.0)));
    must_succeed(bits_per_character(&bits, log(8.0)));
    cr_expect(fabs(choices - 27.0) < 1e-12, "%g", choices);
    cr_expect(fabs(bits - 3.0) < 1e-12, "%g", bits);
    must_succeed(perplexity(&choices, 1.0));
    must_succeed(bits_per_character(&bits, 1.0));
    cr_expect(fabs(choices - 2.718281828459045) < 1e-12, "%g", choices);
    cr_expect(fabs(bits - 1.4426950408889634) < 1e-12, "%g", bits);
    must_return(perplexity(&choices, -0.1), LAB_EVALUE);
    must_return(bits_per_character(&bits, (double)NAN), LAB_EVALUE);
}

Test(held_out_loss, of_a_model_that_knows_nothing_is_log_V)
{
    size_t stream[23];
    double loss = NAN;
    struct language model = new_model(&small); // every parameter is 0
    for (size_t n = 0; n < 23; n++) {
        stream[n] = n % 7;
    }
    must_succeed(
        held_out_loss(&loss, &model.activations, &model.params, stream, 23, &small));
    cr_expect(fabs(loss - log(7.0)) < 1e-6, "%g", loss);
    must_return(
        held_out_loss(&loss, &model.activations, &model.params, stream, 1, &small),
        LAB_ESHAPE);
    stream[22] = 7;
    must_return(
        held_out_loss(&loss, &model.activations, &model.params, stream, 23, &small),
        LAB_EVALUE);
    language_free(&model);
}

// 22 targets in windows of 5, the last of which has 2: the mean of the window means is wrong.
Test(pytorch, held_out_loss)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS], stream[23];
    struct language model = golden_model(tokens, targets);
    const double *expected = golden_data("held_out.loss", LAB_F64, 1);
    double loss = NAN;
    golden_tokens(stream, "held_out.stream", 23);
    must_succeed(
        held_out_loss(&loss, &model.activations, &model.params, stream, 23, &small));
    cr_expect(fabs(loss - *expected) < 2e-6, "%.9g, and should be %.9g", loss, *expected);
    language_free(&model);
}

// ---- 8.10 one token -----------------------------------------------------------------------

// Draws from the logits 2 0 1 and compares with three digits of the handout.
static void expect_sample(float temperature, size_t top_k, float top_p, float u,
                          size_t expected_token, const float expected[3])
{
    const float logits[] = {2, 0, 1};
    const struct sampling sampling = {temperature, top_k, top_p};
    float probabilities[3];
    size_t token = 77, order[3];
    poison(probabilities, 3);
    must_succeed(sample_token(&token, probabilities, order, logits, &sampling, u, 3));
    expect_close(probabilities, expected, 1, 3, 5e-4f, 0.0f);
    cr_expect(token == expected_token, "token %zu at u = %g", token, (double)u);
}

Test(sample_token, a_lower_temperature_makes_the_likely_likelier)
{
    expect_sample(1.0f, 0, 1.0f, 0.5f, 0, (float[]){0.665f, 0.090f, 0.245f});
    expect_sample(0.5f, 0, 1.0f, 0.5f, 0, (float[]){0.867f, 0.016f, 0.117f});
    expect_sample(2.0f, 0, 1.0f, 0.5f, 0, (float[]){0.506f, 0.186f, 0.307f});
    expect_sample(0.0f, 0, 1.0f, 0.999f, 0, (float[]){1, 0, 0});
}

Test(sample_token, goes_from_the_likeliest_token_to_the_least_likely)
{
    const float p[] = {0.665f, 0.090f, 0.245f}; // sums: 0.665, 0.910 with token 2, 1
    expect_sample(1.0f, 0, 1.0f, 0.0f, 0, p);
    expect_sample(1.0f, 0, 1.0f, 0.66f, 0, p);
    expect_sample(1.0f, 0, 1.0f, 0.67f, 2, p);
    expect_sample(1.0f, 0, 1.0f, 0.90f, 2, p);
    expect_sample(1.0f, 0, 1.0f, 0.92f, 1, p);
    expect_sample(1.0f, 0, 1.0f, 0.99999994f, 1, p);
}

Test(sample_token, top_k_and_top_p_cut_the_end_off)
{
    const float two[] = {0.731f, 0, 0.269f}, one[] = {1, 0, 0};
    expect_sample(1.0f, 2, 1.0f, 0.8f, 2, two);
    expect_sample(1.0f, 0, 0.8f, 0.8f, 2, two); // 0.665 is less than 0.8
    expect_sample(1.0f, 0, 0.6f, 0.8f, 0, one);
    expect_sample(1.0f, 0, 1e-30f, 0.8f, 0, one); // never empty
    expect_sample(1.0f, 2, 0.7f, 0.8f, 0, one);   // 0.731 of two are enough
    expect_sample(1.0f, 3, 0.7f, 0.8f, 2, two);   // 0.665 of three are not
}

Test(sample_token, of_equal_logits_the_lower_token_comes_first)
{
    const float logits[] = {1, 5, 5, 1};
    const struct sampling greedy = {0.0f, 0, 1.0f}, two = {1.0f, 3, 1.0f};
    float probabilities[4];
    size_t token, order[4];
    must_succeed(sample_token(&token, probabilities, order, logits, &greedy, 0.9f, 4));
    cr_expect(token == 1, "%zu", token);
    must_succeed(sample_token(&token, probabilities, order, logits, &two, 0.9999f, 4));
    cr_expect(token == 0, "%zu", token);
    cr_expect(probabilities[3] == 0.0f);
}

Test(sample_token, wrong_settings_are_refused_and_nothing_written)
{
    static const struct {
        struct sampling sampling;
        float u;
    } wrong[] = {
        {{-0.1f, 0, 1.0f}, 0.5f}, {{NAN, 0, 1.0f}, 0.5f},   {{INFINITY, 0, 1.0f}, 0.5f},
        {{1.0f, 0, 0.0f}, 0.5f},  {{1.0f, 0, 1.1f}, 0.5f},  {{1.0f, 0, NAN}, 0.5f},
        {{1.0f, 0, 1.0f}, 1.0f},  {{1.0f, 0, 1.0f}, -0.1f}, {{1.0f, 0, 1.0f}, NAN},
    };
    const float logits[] = {1, 2}, not_finite[] = {1, INFINITY}, untouched[] = {7, 7};
    float probabilities[] = {7, 7};
    size_t token = 77, order[2];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        must_return(sample_token(&token, probabilities, order, logits, &wrong[i].sampling,
                                 wrong[i].u, 2),
                    LAB_EVALUE);
    }
    const struct sampling plain = {1.0f, 0, 1.0f};
    must_return(sample_token(&token, probabilities, order, not_finite, &plain, 0.5f, 2),
                LAB_EVALUE);
    must_return(sample_token(&token, probabilities, order, logits, &plain, 0.5f, 0),
                LAB_ESHAPE);
    cr_expect(token == 77);
    expect_close(probabilities, untouched, 1, 2, 0.0f, 0.0f);
}

Test(pytorch, sample_token)
{
    enum { CASES = 56, V = 11 };
    const float *logits = golden("sample.logits", 4 * V);
    const float *cases = golden("sample.cases", CASES * 5); // row, settings, u
    const float *expected = golden("sample.probabilities", CASES * V);
    size_t tokens[CASES];
    golden_tokens(tokens, "sample.tokens", CASES);
    for (size_t i = 0; i < CASES; i++) {
        const float *c = cases + i * 5;
        const struct sampling sampling = {c[1], (size_t)c[2], c[3]};
        float probabilities[V];
        size_t token = 77, order[V];
        char what[160] = "";
        poison(probabilities, V);
        must_succeed(sample_token(&token, probabilities, order, logits + (size_t)c[0] * V,
                                  &sampling, c[4], V));
        cr_expect(all_close(probabilities, expected + i * V, 1, V, 1e-6f, 1e-6f, what,
                            sizeof what),
                  "case %zu: probabilities%s", i, what);
        cr_expect(token == tokens[i], "case %zu: token %zu and should be %zu", i, token,
                  tokens[i]);
    }
}

// ---- 8.11 many tokens ---------------------------------------------------------------------

static void expect_generated(const char *name, const struct sampling *sampling)
{
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS], order[7];
    size_t text[15], expected[15];
    float probabilities[7];
    char full[64];
    struct language model = golden_model(tokens, targets);
    snprintf(full, sizeof full, "generate.%s.tokens", name);
    golden_tokens(expected, full, 15);
    memcpy(text, expected, 3 * sizeof *text); // the prompt
    snprintf(full, sizeof full, "generate.%s.uniforms", name);
    must_succeed(generate(text, &model.activations, &model.params, probabilities, order,
                          golden(full, 12), sampling, 3, 12, &small));
    expect_tokens(text, expected, 15);
    language_free(&model);
}

// 12 tokens after a prompt of 3, with a model that reads at most 5.
Test(pytorch, generate)
{
    expect_generated("greedy", &(struct sampling){0.0f, 0, 1.0f});
    expect_generated("drawn", &(struct sampling){0.9f, 5, 0.95f});
}

Test(generate, one_call_of_eight_tokens_is_two_of_four)
{
    const struct sampling sampling = {1.0f, 0, 0.9f};
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS], order[7];
    size_t once[14] = {6, 1, 1, 2, 3, 5}, twice[14] = {6, 1, 1, 2, 3, 5};
    float probabilities[7], uniforms[8];
    struct language model = random_model(tokens, targets);
    struct lab_rng rng;
    lab_rng_seed(&rng, 3);
    lab_rng_rand(&rng, uniforms, 8);
    // the prompt of 6 tokens is longer than the model's context
    must_succeed(generate(once, &model.activations, &model.params, probabilities, order,
                          uniforms, &sampling, 6, 8, &small));
    must_succeed(generate(twice, &model.activations, &model.params, probabilities, order,
                          uniforms, &sampling, 6, 4, &small));
    must_succeed(generate(twice, &model.activations, &model.params, probabilities, order,
                          uniforms + 4, &sampling, 10, 4, &small));
    expect_tokens(twice, once, 14);
    language_free(&model);
}

Test(generate, wrong_input_is_refused_and_nothing_written)
{
    const struct sampling plain = {1.0f, 0, 1.0f}, wrong = {1.0f, 0, 0.0f};
    const float fine[] = {0.5f, 0.5f}, too_large[] = {0.5f, 1.0f};
    size_t tokens[SMALL_TOKENS], targets[SMALL_TOKENS], order[7];
    size_t text[] = {1, 2, 77, 77};
    float probabilities[7];
    struct language model = random_model(tokens, targets);
    const struct language_activations *z = &model.activations;
    must_return(generate(text, z, &model.params, probabilities, order, fine, &wrong, 2, 2,
                         &small),
                LAB_EVALUE);
    must_return(generate(text, z, &model.params, probabilities, order, too_large, &plain,
                         2, 2, &small),
                LAB_EVALUE);
    must_return(generate(text, z, &model.params, probabilities, order, fine, &plain, 0, 2,
                         &small),
                LAB_ESHAPE);
    text[1] = 7;
    must_return(generate(text, z, &model.params, probabilities, order, fine, &plain, 2, 2,
                         &small),
                LAB_EVALUE);
    cr_expect(text[2] == 77 && text[3] == 77);
    language_free(&model);
}

// ---- training -----------------------------------------------------------------------------

enum { LETTERS = 318, STEPS = 200 };

// PyTorch's run: its text, then weights and offsets from one generator.
static struct language start_run(size_t *stream, struct lab_rng *rng)
{
    const uint8_t *text = golden_data("train.text", LAB_U8, LETTERS);
    uint8_t bytes[256];
    size_t expected[LETTERS];
    struct language_shape shape = {.B = 8, .T = 16, .C = 24, .NH = 3, .H = 64, .L = 2};
    must_succeed(vocabulary(bytes, &shape.V, text, LETTERS));
    must_succeed(encode(stream, text, bytes, LETTERS, shape.V));
    golden_tokens(expected, "train.stream", LETTERS);
    expect_tokens(stream, expected, LETTERS);

    struct language model = new_model(&shape);
    lab_rng_seed(rng, 42);
    must_succeed(language_start(&model, rng));
    expect_close(model.param, golden("train.start", model.P), 1, model.P, 2e-8f, 0.0f);
    return model;
}

static float train_one_step(struct language *m, const size_t *stream, struct lab_rng *rng)
{
    const struct language_shape *s = &m->shape;
    struct adam adam = {.beta1 = 0.9, .beta2 = 0.99, .eps = 1e-8, .weight_decay = 0.1};
    float loss, norm, lr;
    for (size_t b = 0; b < s->B; b++) {
        m->offsets[b] = (size_t)lab_rng_int(rng, 0, (int64_t)(LETTERS - s->T));
    }
    must_succeed(
        shifted_batch(m->inputs, m->targets, stream, m->offsets, LETTERS, s->B, s->T));
    must_succeed(
        language_forward(&loss, &m->activations, &m->params, m->inputs, m->targets, s));
    memset(m->grad, 0, m->P * sizeof *m->grad);
    must_succeed(language_backward(&m->grads, &m->gradients, &m->activations, &m->params,
                                   m->inputs, m->targets, s));
    must_succeed(clip_grad_norm(&norm, m->grad, 1.0f, m->P));
    must_succeed(learning_rate(&lr, m->step + 1, 20, STEPS, 1e-2f, 1e-3f));
    adam.lr = (double)lr;
    must_succeed(adam_step(m->param, m->m, m->v, m->grad, &adam, m->step + 1, m->P));
    m->step++;
    return loss;
}

Test(pytorch, two_hundred_steps_on_a_text)
{
    static size_t stream[LETTERS];
    struct lab_rng rng;
    struct language model = start_run(stream, &rng);
    float losses[STEPS];
    for (size_t step = 0; step < STEPS; step++) {
        losses[step] = train_one_step(&model, stream, &rng);
    }
    expect_close(losses, golden("train.losses", STEPS), STEPS, 1, 0.0f, 1e-4f);
    expect_close(model.param, golden("train.params", model.P), 1, model.P, 2e-4f, 0.0f);
    language_free(&model);
}
