// test_generation.c - worked examples of lab 9: digits that can be checked by hand, PyTorch's
// digits, and the property that the whole lab rests on: with a cache and without, the same
// tokens. Run them with "make unit LAB=9"; add your own below.
//
// The program runs in the repository's root, which contains datasets/.

#include "09_generation/generation.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// ---- helpers ------------------------------------------------------------------------------

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    lab_status status =
        lab_tensor_file_open(&goldens, "datasets/goldens/lab09.safetensors");
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

// Copies a golden of count sizes or tokens.
static void golden_sizes(size_t *out, const char *name, size_t count)
{
    const int64_t *sizes = golden_data(name, LAB_I64, count);
    for (size_t i = 0; i < count; i++) {
        out[i] = (size_t)sizes[i];
    }
}

static void expect_sizes(const size_t *got, const size_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_assert(got[i] == expected[i], "number %zu is %zu and should be %zu", i, got[i],
                  expected[i]);
    }
}

static void fill(float *out, float value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = value;
    }
}

// ---- 9.1 a cache --------------------------------------------------------------------------

// B = 2 sequences of 1 and 2 tokens, NKV = 1, T_max = 4, hs = 2.
Test(cache_append, puts_a_row_behind_those_that_a_sequence_has)
{
    float cache[] = {1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0};
    const float rows[] = {7, 8, 9, 10};
    const size_t lengths[] = {1, 2};
    const float expected[] = {1, 2, 7, 8, 0, 0, 0, 0, 3, 4, 5, 6, 9, 10, 0, 0};
    must_succeed(cache_append(cache, rows, lengths, 2, 1, 1, 4, 2));
    expect_close(cache, expected, 8, 2, 0.0f, 0.0f);
}

Test(cache_append, two_heads_get_two_rows_each)
{
    float cache[2 * 3] = {1, 0, 0, 2, 0, 0}; // NKV = 2, T_max = 3, hs = 1
    const float rows[] = {10, 11, 20, 21};
    const size_t lengths[] = {1};
    must_succeed(cache_append(cache, rows, lengths, 1, 2, 2, 3, 1));
    expect_close(cache, ((float[]){1, 10, 11, 2, 20, 21}), 2, 3, 0.0f, 0.0f);
}

Test(cache_append, a_full_sequence_is_refused_and_no_other_is_written)
{
    float cache[6];
    const float rows[] = {1, 2, 3, 4}, untouched[] = {9, 9, 9, 9, 9, 9};
    const size_t lengths[] = {0, 2}, huge[] = {0, SIZE_MAX};
    fill(cache, 9, 6);
    must_return(cache_append(cache, rows, lengths, 2, 1, 2, 3, 1), LAB_ESHAPE);
    must_return(cache_append(cache, rows, huge, 2, 1, 2, 3, 1), LAB_ESHAPE);
    must_return(cache_append(cache, rows, lengths, 2, 1, 0, 3, 1), LAB_ESHAPE);
    expect_close(cache, untouched, 2, 3, 0.0f, 0.0f);
}

// ---- 9.2 one query ------------------------------------------------------------------------

// The handout's example: hs = 4, so the scores are divided by 2.
Test(attention_decode, one_query_over_a_cache_of_three)
{
    const float q[] = {2, 0, 0, 0};
    float keys[4 * 4] = {0}, values[4 * 4] = {0};
    keys[0] = 1;    // key 0: 1 0 0 0
    keys[8] = 2;    // key 2: 2 0 0 0
    values[0] = 1;  // value 0: 1 0 0 0
    values[5] = 1;  // value 1: 0 1 0 0
    values[8] = 10; // value 2: 10 0 0 0
    keys[12] = NAN; // row 3 is not used yet
    values[12] = NAN;
    const size_t lengths[] = {3};
    float out[4], weights[4], scores[4];
    poison(out, 4);
    poison(weights, 4);
    must_succeed(
        attention_decode(out, weights, scores, q, keys, values, lengths, 1, 1, 4, 4));
    // scores 1 0 2
    expect_close(weights, ((float[]){0.244728f, 0.090031f, 0.665241f, 0}), 1, 4, 1e-6f,
                 0.0f);
    expect_close(out, ((float[]){6.897138f, 0.090031f, 0, 0}), 1, 4, 2e-6f, 0.0f);
}

Test(attention_decode, a_sequence_of_one_token_sees_only_itself)
{
    const float q[] = {3, -1}, keys[] = {5, 5, 9, 9}, values[] = {7, -8, 9, 9};
    const size_t lengths[] = {1};
    float out[2], weights[2], scores[2];
    must_succeed(
        attention_decode(out, weights, scores, q, keys, values, lengths, 1, 1, 2, 2));
    expect_close(weights, ((float[]){1, 0}), 1, 2, 0.0f, 0.0f);
    expect_close(out, values, 1, 2, 0.0f, 0.0f);
}

Test(attention_decode, a_length_of_0_or_above_T_max_is_refused)
{
    const float numbers[8] = {1};
    const size_t none[] = {2, 0}, too_long[] = {3, 2};
    float out[2] = {7, 7}, weights[4], scores[4];
    must_return(attention_decode(out, weights, scores, numbers, numbers, numbers, none, 2,
                                 1, 2, 1),
                LAB_ESHAPE);
    must_return(attention_decode(out, weights, scores, numbers, numbers, numbers,
                                 too_long, 2, 1, 2, 1),
                LAB_ESHAPE);
    cr_expect(out[0] == 7 && out[1] == 7);
}

// Three sequences of 4, 9 and 1 tokens; the rows behind them are a million.
Test(pytorch, attention_decode)
{
    size_t lengths[3];
    float out[30], weights[54], scores[54];
    golden_sizes(lengths, "attention_decode.lengths", 3);
    poison(out, 30);
    poison(weights, 54);
    must_succeed(attention_decode(out, weights, scores, golden("attention_decode.q", 30),
                                  golden("attention_decode.keys", 270),
                                  golden("attention_decode.values", 270), lengths, 3, 2,
                                  9, 5));
    expect_close(weights, golden("attention_decode.weights", 54), 6, 9, 1e-6f, 1e-5f);
    expect_close(out, golden("attention_decode.out", 30), 6, 5, 2e-6f, 1e-5f);
}

// ---- 9.4 grouped queries ------------------------------------------------------------------

// Four heads of queries and two of keys. Each key head holds one key, so every weight is 1 and the
// output of a head is the value that it reads: 10 10 20 20, not 10 20 10 20.
Test(grouped_query_attention, heads_in_a_row_share_a_key_head)
{
    const float q[] = {1, 2, 3, 4}, k[] = {1, 1}, v[] = {10, 20};
    float out[4], weights[4], scores[4];
    must_succeed(
        grouped_query_attention(out, weights, scores, q, k, v, NULL, 1, 4, 2, 1, 1, 1));
    expect_close(out, ((float[]){10, 10, 20, 20}), 1, 4, 0.0f, 0.0f);
    must_return(
        grouped_query_attention(out, weights, scores, q, k, v, NULL, 1, 4, 3, 1, 1, 1),
        LAB_ESHAPE);
}

Test(pytorch, grouped_query_attention)
{
    enum { B = 2, NH = 6, T = 3, S = 5, HS = 4 };
    const uint8_t *mask = golden_data("grouped.mask", LAB_U8, B * T * S);
    const float *q = golden("grouped.q", B * NH * T * HS);
    const size_t groups[] = {6, 3, 2, 1};
    for (size_t i = 0; i < 8; i++) {
        const size_t NKV = groups[i / 2];
        const char *how = i % 2 == 0 ? "all" : "masked";
        char name[64], what[160] = "";
        float out[B * NH * T * HS], weights[B * NH * T * S], scores[B * NH * T * S];
        snprintf(name, sizeof name, "grouped.%zu.k", NKV);
        const float *k = golden(name, B * NKV * S * HS);
        snprintf(name, sizeof name, "grouped.%zu.v", NKV);
        const float *v = golden(name, B * NKV * S * HS);
        poison(out, B * NH * T * HS);
        must_succeed(grouped_query_attention(out, weights, scores, q, k, v,
                                             i % 2 == 0 ? NULL : mask, B, NH, NKV, T, S,
                                             HS));
        snprintf(name, sizeof name, "grouped.%zu.%s.out", NKV, how);
        cr_expect(all_close(out, golden(name, B * NH * T * HS), B * NH * T, HS, 2e-6f,
                            1e-5f, what, sizeof what),
                  "%s%s", name, what);
        snprintf(name, sizeof name, "grouped.%zu.%s.weights", NKV, how);
        cr_expect(all_close(weights, golden(name, B * NH * T * S), B * NH * T, S, 1e-6f,
                            1e-5f, what, sizeof what),
                  "%s%s", name, what);
    }
}

// ---- 9.5 a window -------------------------------------------------------------------------

// W = 3: position 3 replaces position 0, position 4 replaces 1.
Test(ring_append, a_new_row_replaces_the_oldest)
{
    float ring[3] = {-1, -1, -1};
    const float rows[] = {0, 1, 2, 3, 4};
    must_succeed(ring_append(ring, rows, (size_t[]){0}, 1, 1, 2, 3, 1));
    expect_close(ring, ((float[]){0, 1, -1}), 1, 3, 0.0f, 0.0f);
    must_succeed(ring_append(ring, rows + 2, (size_t[]){2}, 1, 1, 3, 3, 1));
    expect_close(ring, ((float[]){3, 4, 2}), 1, 3, 0.0f, 0.0f);
    must_succeed(
        ring_append(ring, rows, (size_t[]){0}, 1, 1, 5, 3, 1)); // more rows than the ring
    expect_close(ring, ((float[]){3, 4, 2}), 1, 3, 0.0f, 0.0f);
}

// The ring above holds positions 3 4 2. In order of positions, the oldest first: 2 3 4.
Test(sliding_window_attention, weights_are_in_the_order_of_positions)
{
    const float q[] = {1}, ring[] = {3, 4, 2};
    float out[1], weights[3], scores[3];
    must_succeed(sliding_window_attention(out, weights, scores, q, ring, ring,
                                          (size_t[]){5}, 1, 1, 3, 1));
    expect_close(weights, ((float[]){0.090031f, 0.244728f, 0.665241f}), 1, 3, 1e-6f,
                 0.0f);
    expect_close(out, ((float[]){3.575210f}), 1, 1, 2e-6f, 0.0f);
    must_return(sliding_window_attention(out, weights, scores, q, ring, ring,
                                         (size_t[]){0}, 1, 1, 3, 1),
                LAB_ESHAPE);
}

// Sequences of 3 and of 11 tokens in rings of 4 rows, built one token at a time.
Test(pytorch, sliding_window_attention)
{
    enum { NH = 2, W = 4, HS = 6 };
    const size_t sizes[] = {3, 11};
    for (size_t i = 0; i < 2; i++) {
        const size_t n = sizes[i];
        char name[64];
        float keys[NH * W * HS], values[NH * W * HS], row[NH * HS];
        float out[NH * HS], weights[NH * W], scores[NH * W];
        poison(keys, NH * W * HS);
        poison(values, NH * W * HS);
        for (size_t t = 0; t < n; t++) {
            for (int kind = 0; kind < 2; kind++) {
                snprintf(name, sizeof name, "window.%zu.%s", n,
                         kind == 0 ? "keys" : "values");
                const float *all = golden(name, NH * n * HS);
                for (size_t h = 0; h < NH; h++) {
                    memcpy(row + h * HS, all + (h * n + t) * HS, HS * sizeof *row);
                }
                must_succeed(
                    ring_append(kind == 0 ? keys : values, row, &t, 1, NH, 1, W, HS));
            }
        }
        snprintf(name, sizeof name, "window.%zu.q", n);
        must_succeed(sliding_window_attention(out, weights, scores, golden(name, NH * HS),
                                              keys, values, &n, 1, NH, W, HS));
        snprintf(name, sizeof name, "window.%zu.out", n);
        expect_close(out, golden(name, NH * HS), NH, HS, 2e-6f, 1e-5f);
        snprintf(name, sizeof name, "window.%zu.weights", n);
        expect_close(weights, golden(name, NH * W), NH, W, 1e-6f, 1e-5f);
    }
}

// ---- 9.3 prompt and step ------------------------------------------------------------------

enum { SMALL_P = 2820, V = 7 };
static const struct language_shape small = {
    .B = 3, .T = 16, .V = V, .C = 12, .NH = 3, .H = 20, .L = 2};

// The small model with PyTorch's parameters, and an empty cache.
static struct language golden_model(struct generation *generation)
{
    struct language model;
    must_succeed(language_new(&model, &small, false));
    cr_assert(model.P == SMALL_P, "%zu parameters", model.P);
    memcpy(model.param, golden("model.params", SMALL_P), SMALL_P * sizeof(float));
    must_succeed(generation_new(generation, &small));
    return model;
}

// PyTorch's logits after 16 tokens, whose first part is read at once and the rest one by one.
Test(pytorch, prefill_and_decode_step_in_every_split)
{
    struct generation g;
    struct language model = golden_model(&g);
    const struct generation_params params = generation_params(&model.params);
    const float *expected = golden("model.logits", 3 * 16 * V);
    size_t tokens[3 * 16];
    golden_sizes(tokens, "model.tokens", 3 * 16);
    for (size_t n = 1; n <= 15; n++) {
        float logits[3 * V];
        for (size_t b = 0; b < 3; b++) {
            g.cache.lengths[b] = 0;
            must_succeed(prefill(logits, &g.cache, &g.buffers, &params, tokens + b * 16,
                                 b, n, &small));
            expect_close(logits, expected + (b * 16 + n - 1) * V, 1, V, 1e-5f, 1e-5f);
        }
        for (size_t t = n; t < 16; t++) {
            const size_t next[] = {tokens[t], tokens[16 + t], tokens[32 + t]};
            must_succeed(
                decode_step(logits, &g.cache, &g.buffers, &params, next, &small));
            for (size_t b = 0; b < 3; b++) {
                expect_close(logits + b * V, expected + (b * 16 + t) * V, 1, V, 1e-5f,
                             1e-5f);
            }
        }
        cr_expect(g.cache.lengths[0] == 16 && g.cache.lengths[2] == 16);
    }
    generation_free(&g);
    language_free(&model);
}

Test(pytorch, a_prompt_may_come_in_pieces)
{
    struct generation g;
    struct language model = golden_model(&g);
    const struct generation_params params = generation_params(&model.params);
    const float *expected = golden("model.logits", 3 * 16 * V);
    size_t tokens[3 * 16];
    float logits[V];
    golden_sizes(tokens, "model.tokens", 3 * 16);
    must_succeed(
        prefill(logits, &g.cache, &g.buffers, &params, tokens + 16, 1, 4, &small));
    must_succeed(
        prefill(logits, &g.cache, &g.buffers, &params, tokens + 20, 1, 7, &small));
    expect_close(logits, expected + (16 + 10) * V, 1, V, 1e-5f, 1e-5f);
    expect_sizes(g.cache.lengths, (size_t[]){0, 11, 0}, 3);
    generation_free(&g);
    language_free(&model);
}

Test(pytorch, a_full_cache_and_a_bad_token_are_refused)
{
    struct generation g;
    struct language model = golden_model(&g);
    const struct generation_params params = generation_params(&model.params);
    const size_t tokens[17] = {0}, bad[] = {0, 1, V};
    float logits[3 * V];
    fill(logits, 9, 3 * V);
    must_return(prefill(logits, &g.cache, &g.buffers, &params, tokens, 0, 17, &small),
                LAB_ESHAPE);
    must_return(prefill(logits, &g.cache, &g.buffers, &params, tokens, 3, 1, &small),
                LAB_ESHAPE);
    must_return(prefill(logits, &g.cache, &g.buffers, &params, bad, 0, 3, &small),
                LAB_EVALUE);
    must_return(decode_step(logits, &g.cache, &g.buffers, &params, bad, &small),
                LAB_EVALUE);
    cr_expect(logits[0] == 9 && g.cache.lengths[0] == 0);
    must_succeed(prefill(logits, &g.cache, &g.buffers, &params, tokens, 1, 16, &small));
    must_return(decode_step(logits, &g.cache, &g.buffers, &params, tokens, &small),
                LAB_ESHAPE);
    expect_sizes(g.cache.lengths, (size_t[]){0, 16, 0}, 3);
    generation_free(&g);
    language_free(&model);
}

// ---- 9.7 many tokens ----------------------------------------------------------------------

static const struct sampling drawn = {0.9f, 5, 0.95f};

// Three prompts of 5, 1 and 7 tokens, nine new tokens each. PyTorch has no cache here.
Test(pytorch, generate_cached)
{
    struct generation g;
    struct language model = golden_model(&g);
    const struct generation_params params = generation_params(&model.params);
    size_t expected[3 * 16], tokens[3 * 16], lengths[3], order[V];
    float probabilities[V];
    golden_sizes(expected, "model.tokens", 3 * 16);
    golden_sizes(lengths, "model.lengths", 3);
    for (size_t i = 0; i < 3 * 16; i++) {
        tokens[i] = i % 16 < lengths[i / 16] ? expected[i] : 0;
    }
    must_succeed(generate_cached(tokens, &g.cache, &g.buffers, &params, probabilities,
                                 order, golden("model.uniforms", 27), lengths, &drawn, 9,
                                 &small));
    expect_sizes(tokens, expected, 3 * 16);
    generation_free(&g);
    language_free(&model);
}

// The property of this lab, on a random model: lab 8's generate writes the same tokens.
Test(generate_cached, writes_what_generate_writes)
{
    struct generation g;
    struct language model;
    struct lab_rng rng;
    size_t tokens[3 * 16] = {0}, order[V];
    const size_t lengths[] = {2, 6, 1};
    float uniforms[30], probabilities[V];
    must_succeed(language_new(&model, &small, false));
    must_succeed(generation_new(&g, &small));
    const struct generation_params params = generation_params(&model.params);
    lab_rng_seed(&rng, 5);
    must_succeed(language_start(&model, &rng));
    for (size_t i = 0; i < model.P; i++) {
        model.param[i] *= 8; // a new model says nearly the same of every token
    }
    lab_rng_rand(&rng, uniforms, 30);
    tokens[0] = tokens[16] = 3;
    must_succeed(generate_cached(tokens, &g.cache, &g.buffers, &params, probabilities,
                                 order, uniforms, lengths, &drawn, 10, &small));
    for (size_t b = 0; b < 3; b++) {
        size_t alone[16];
        memcpy(alone, tokens + b * 16, lengths[b] * sizeof *alone);
        must_succeed(generate(alone, &model.activations, &model.params, probabilities,
                              order, uniforms + b * 10, &drawn, lengths[b], 10, &small));
        expect_sizes(tokens + b * 16, alone, lengths[b] + 10);
    }
    generation_free(&g);
    language_free(&model);
}

// ---- 9.6 what serving costs ---------------------------------------------------------------

static const struct decoder_sizes gpt2 = {
    .L = 12, .C = 768, .NH = 12, .NKV = 12, .H = 3072, .V = 50257};
static const struct decoder_sizes llama2_7b = {
    .L = 32, .C = 4096, .NH = 32, .NKV = 32, .H = 11008, .V = 32000, .gated = true};
static const struct decoder_sizes llama3_8b = {
    .L = 32, .C = 4096, .NH = 32, .NKV = 8, .H = 14336, .V = 128256, .gated = true};

Test(decoder_weights, of_three_models)
{
    size_t count;
    must_succeed(decoder_weights(&count, &gpt2));
    cr_expect(count == 123532032, "%zu", count);
    must_succeed(decoder_weights(&count, &llama2_7b));
    cr_expect(count == 6607077376, "%zu", count);
    must_succeed(decoder_weights(&count, &llama3_8b));
    cr_expect(count == 7504658432, "%zu", count);
}

Test(cache_bytes, groups_of_four_make_a_quarter)
{
    size_t bytes;
    must_succeed(cache_bytes(&bytes, &llama2_7b, 1, 4096, 2));
    cr_expect(bytes == (size_t)2 << 30, "%zu", bytes);
    must_succeed(cache_bytes(&bytes, &llama3_8b, 1, 4096, 2));
    cr_expect(bytes == (size_t)1 << 29, "%zu", bytes);
    must_succeed(cache_bytes(&bytes, &gpt2, 1, 1024, 4));
    cr_expect(bytes == 75497472, "%zu", bytes);
    struct decoder_sizes uneven = llama3_8b;
    uneven.NKV = 5;
    must_return(cache_bytes(&bytes, &uneven, 1, 4096, 2), LAB_ESHAPE);
}

Test(decode_flops, two_for_every_weight_and_four_for_every_place_and_channel)
{
    size_t flops;
    must_succeed(decode_flops(&flops, &gpt2, 1024));
    cr_expect(flops == 284812800, "%zu", flops);
    must_succeed(decode_flops(&flops, &llama3_8b, 8192));
    cr_expect(flops == 19304284160, "%zu", flops);
}

Test(decode_bytes, weights_are_read_once_for_all_sequences)
{
    size_t one, eight, cache;
    must_succeed(cache_bytes(&cache, &llama3_8b, 1, 8192, 2));
    must_succeed(decode_bytes(&one, &llama3_8b, 1, 8192, 2, 2));
    must_succeed(decode_bytes(&eight, &llama3_8b, 8, 8192, 2, 2));
    cr_expect(one == 16083058688, "%zu", one);
    cr_expect(eight - one == 7 * cache, "%zu", eight);
}

// ---- 9.8 int8 rows ------------------------------------------------------------------------

static void expect_rows(const int8_t *got, const int *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect(got[i] == expected[i], "number %zu is %d and should be %d", i, got[i],
                  expected[i]);
    }
}

// The handout's row: its largest magnitude is 2.54, so a step is 0.02.
Test(quantize_rows, the_largest_magnitude_is_127_steps)
{
    const float w[] = {0.5f, -2.54f, 0.031f, 1.0f, 0, 0, 0, 0};
    int8_t rows[8];
    float scales[2];
    poison(scales, 2);
    must_succeed(quantize_rows(rows, scales, w, 2, 4));
    expect_rows(rows, (int[]){25, -127, 2, 50, 0, 0, 0, 0}, 8);
    expect_close(scales, ((float[]){0.02f, 0}), 1, 2, 1e-8f, 0.0f);
}

Test(quantize_rows, halves_go_to_the_even_number)
{
    const float w[] = {127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f};
    int8_t rows[8];
    float scales[1];
    must_succeed(quantize_rows(rows, scales, w, 1, 8));
    expect_rows(rows, (int[]){127, 0, 2, 2, 0, -2, -2, 126}, 8);
}

Test(quantize_rows, a_number_that_is_not_finite_is_refused)
{
    const float w[] = {1, 2, 3, NAN}, infinite[] = {-INFINITY, 2, 3, 4};
    int8_t rows[] = {7, 7, 7, 7};
    float scales[] = {7, 7};
    must_return(quantize_rows(rows, scales, w, 2, 2), LAB_EVALUE);
    must_return(quantize_rows(rows, scales, infinite, 2, 2), LAB_EVALUE);
    expect_rows(rows, (int[]){7, 7, 7, 7}, 4);
    cr_expect(scales[0] == 7 && scales[1] == 7);
}

Test(linear_int8, a_dot_product_times_the_scale_of_its_row)
{
    const int8_t rows[] = {25, -127, 2, 50, 1, 0, -1, 100};
    const float scales[] = {0.02f, 0.5f}, x[] = {1, 2, 3, 4};
    float y[2];
    poison(y, 2);
    must_succeed(linear_int8(y, x, rows, scales, 1, 4, 2));
    expect_close(y, ((float[]){-0.46f, 199}), 1, 2, 1e-6f, 1e-6f);
}

Test(pytorch, int8)
{
    enum { O = 5, I = 13, N = 3 };
    int8_t rows[O * I];
    float scales[O], y[N * O];
    const int64_t *expected = golden_data("int8.rows", LAB_I64, O * I);
    must_succeed(quantize_rows(rows, scales, golden("int8.w", O * I), O, I));
    for (size_t i = 0; i < O * I; i++) {
        cr_expect(rows[i] == expected[i], "number %zu is %d", i, rows[i]);
    }
    expect_close(scales, golden("int8.scales", O), 1, O, 0.0f, 1e-6f);
    poison(y, N * O);
    must_succeed(linear_int8(y, golden("int8.x", N * I), rows, scales, N, I, O));
    expect_close(y, golden("int8.y", N * O), N, O, 1e-4f, 1e-5f);
}

// A whole model with int8 matrices still gives nearly its logits.
Test(pytorch, a_model_of_int8_rows_decodes)
{
    struct generation g;
    struct language model = golden_model(&g);
    struct generation_params params = generation_params(&model.params);
    int8_t rows[V * 12];
    float scales[V], logits[V];
    size_t tokens[3 * 16];
    golden_sizes(tokens, "model.tokens", 3 * 16);
    must_succeed(quantize_rows(rows, scales, params.w_out.weights, V, 12));
    params.w_out = (struct generation_matrix){.rows = rows, .scales = scales};
    must_succeed(prefill(logits, &g.cache, &g.buffers, &params, tokens, 0, 6, &small));
    const float *expected = golden("model.logits", 3 * 16 * V) + 5 * V;
    expect_close(logits, expected, 1, V, 0.05f, 0.0f);
    generation_free(&g);
    language_free(&model);
}

// Stores w (O, I), a part of param, as int8, and gives param the numbers that it stores.
static void store_as_int8(struct generation_matrix *w, float *param, int8_t *rows,
                          float *scales, size_t O, size_t I)
{
    float *weights = param + (w->weights - param);
    must_succeed(quantize_rows(rows, scales, weights, O, I));
    for (size_t i = 0; i < O * I; i++) {
        weights[i] = scales[i / I] * (float)rows[i];
    }
    *w = (struct generation_matrix){.rows = rows, .scales = scales};
}

// With every matrix in int8, prefill and decode_step give the logits of the same numbers in float.
Test(pytorch, every_matrix_may_be_int8)
{
    struct generation g;
    struct language model = golden_model(&g);
    const struct generation_params in_float = generation_params(&model.params);
    struct generation_params in_int8 = in_float;
    const size_t L = small.L, C = small.C, H = small.H, tokens[] = {1, 5, 0, 3};
    struct {
        struct generation_matrix *w;
        size_t O, I;
    } matrices[] = {{&in_int8.w_q, L * C, C},    {&in_int8.w_k, L * C, C},
                    {&in_int8.w_v, L * C, C},    {&in_int8.w_o, L * C, C},
                    {&in_int8.w_gate, L * H, C}, {&in_int8.w_up, L * H, C},
                    {&in_int8.w_down, L * C, H}, {&in_int8.w_out, V, C}};
    int8_t rows[SMALL_P];
    float scales[SMALL_P], expected[3 * V], logits[3 * V];
    for (size_t i = 0, at = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        store_as_int8(matrices[i].w, model.param, rows + at, scales + at, matrices[i].O,
                      matrices[i].I);
        at += matrices[i].O * matrices[i].I;
    }
    must_succeed(
        prefill(expected, &g.cache, &g.buffers, &in_float, tokens, 2, 4, &small));
    g.cache.lengths[2] = 0;
    must_succeed(prefill(logits, &g.cache, &g.buffers, &in_int8, tokens, 2, 4, &small));
    expect_close(logits, expected, 1, V, 1e-4f, 1e-4f);

    must_succeed(decode_step(expected, &g.cache, &g.buffers, &in_float, tokens, &small));
    for (size_t b = 0; b < 3; b++) {
        g.cache.lengths[b]--;
    }
    must_succeed(decode_step(logits, &g.cache, &g.buffers, &in_int8, tokens, &small));
    expect_close(logits, expected, 3, V, 1e-4f, 1e-4f);
    generation_free(&g);
    language_free(&model);
}
