// test_positions.c - worked examples of lab 7: the handout's digits, PyTorch's digits, and
// properties that hold for any numbers. Run them with "make unit LAB=7"; add your own below.
//
// The program runs in the repository's root, which contains datasets/.

#include "07_positional_encoding/positions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    must_succeed(lab_tensor_file_open(&goldens, "datasets/goldens/lab07.safetensors"));
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

// A golden tensor as (rows, columns), for any axes. The test ends if it is missing.
static const float *golden(const char *name, size_t count)
{
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, name);
    cr_assert(tensor != NULL && tensor->dtype == LAB_F32 && tensor->count == count,
              "%s is not in the goldens with %zu numbers", name, count);
    return tensor->data;
}

// ---- 7.1 sinusoidal_encoding --------------------------------------------------------------

Test(sinusoidal_encoding, gives_the_digits_of_the_handout)
{
    const float expected[] = {0.000000f, 1.000000f,  0.000000f, 1.000000f, //
                              0.841471f, 0.540302f,  0.010000f, 0.999950f, //
                              0.909297f, -0.416147f, 0.019999f, 0.999800f, //
                              0.141120f, -0.989992f, 0.029995f, 0.999550f};
    float table[16];
    poison(table, 16);
    must_succeed(sinusoidal_encoding(table, 4, 4));
    expect_close(table, expected, 4, 4, 1e-6f, 0.0f);
}

Test(sinusoidal_encoding, an_odd_width_ends_with_a_sine)
{
    const float expected[] = {0.000000f, 1.000000f, 0.000000f, //
                              0.841471f, 0.540302f, 0.002154f};
    float table[6];
    poison(table, 6);
    must_succeed(sinusoidal_encoding(table, 2, 3)); // 10000^(-2/3) is 0.002154
    expect_close(table, expected, 2, 3, 1e-6f, 0.0f);
}

Test(sinusoidal_encoding, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float table[50 * 12];
    poison(table, 50 * 12);
    must_succeed(sinusoidal_encoding(table, 50, 12));
    expect_close(table, golden("sinusoidal_encoding.table", 50 * 12), 50, 12, 2e-5f,
                 0.0f);
    poison(table, 7 * 5);
    must_succeed(sinusoidal_encoding(table, 7, 5));
    expect_close(table, golden("sinusoidal_encoding.odd", 7 * 5), 7, 5, 2e-5f, 0.0f);
}

static float far_table[2001 * 4];

Test(sinusoidal_encoding, matches_pytorch_far_away, .init = open_goldens,
     .fini = close_goldens)
{
    poison(far_table, 2001 * 4);
    must_succeed(sinusoidal_encoding(far_table, 2001, 4));
    expect_close(far_table + (size_t)2000 * 4, golden("sinusoidal_encoding.long", 4), 1,
                 4, 2e-5f, 0.0f);
}

// sin a sin b + cos a cos b = cos(a - b): the product of two rows depends only on their distance.
Test(sinusoidal_encoding, products_of_rows_depend_on_their_distance)
{
    enum { T = 20, C = 8, DISTANCE = 3 };
    float table[T * C];
    poison(table, T * C);
    must_succeed(sinusoidal_encoding(table, T, C));
    float first = 0.0f;
    for (size_t t = 0; t + DISTANCE < T; t++) {
        float product = 0.0f;
        for (size_t c = 0; c < C; c++) {
            product += table[t * C + c] * table[(t + DISTANCE) * C + c];
        }
        first = t == 0 ? product : first;
        cr_expect(is_close(product, first, 1e-4f, 0.0f),
                  "rows %zu and %zu give %.6g, rows 0 and %d %.6g", t, t + DISTANCE,
                  (double)product, DISTANCE, (double)first);
    }
}

Test(sinusoidal_encoding, a_size_of_zero_is_refused_and_nothing_written)
{
    float table[1] = {7};
    must_return(sinusoidal_encoding(table, 0, 4), LAB_ESHAPE);
    must_return(sinusoidal_encoding(table, 4, 0), LAB_ESHAPE);
    cr_expect(table[0] == 7);
}

// ---- 7.2 add_positions --------------------------------------------------------------------

Test(add_positions, every_sequence_gets_the_same_rows)
{
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8}; // (2, 2, 2)
    const float table[] = {10, 20, 30, 40, 50, 60};
    const float expected[] = {11, 22, 33, 44, //
                              15, 26, 37, 48};
    float out[8];
    poison(out, 8);
    must_succeed(add_positions(out, x, table, 2, 2, 2, 3));
    expect_close(out, expected, 2, 4, 0.0f, 0.0f);
}

Test(add_positions, a_table_that_is_too_short_is_refused_and_nothing_written)
{
    const float x[] = {1, 2, 3}, table[] = {10, 20};
    const float untouched[] = {7, 7, 7};
    float out[] = {7, 7, 7};
    must_return(add_positions(out, x, table, 1, 3, 1, 2), LAB_ESHAPE);
    expect_close(out, untouched, 1, 3, 0.0f, 0.0f);
}

Test(add_positions, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float out[2 * 3 * 4];
    poison(out, 24);
    must_succeed(add_positions(out, golden("add_positions.x", 24),
                               golden("add_positions.table", 20), 2, 3, 4, 5));
    expect_close(out, golden("add_positions.out", 24), 6, 4, 1e-6f, 1e-6f);
}

// ---- 7.3 rope -----------------------------------------------------------------------------

Test(rope, gives_the_digits_of_the_handout)
{
    const float x[] = {1, 0, 1, 0, //
                       1, 0, 1, 0, //
                       3, 4, 0, 2};
    const size_t positions[] = {0, 1, 3};
    const float expected[] = {1.000000f,  0.000000f,  1.000000f,  0.000000f, //
                              0.540302f,  0.841471f,  0.999950f,  0.010000f, //
                              -3.534457f, -3.536610f, -0.059991f, 1.999100f};
    float out[12];
    poison(out, 12);
    must_succeed(rope(out, x, positions, 1, 1, 3, 4));
    expect_close(out, expected, 3, 4, 2e-6f, 0.0f);
}

Test(rope, position_zero_changes_nothing)
{
    const float x[] = {0.5f, -1.5f, 2.5f, 3.5f};
    const size_t positions[] = {0};
    float out[4];
    poison(out, 4);
    must_succeed(rope(out, x, positions, 1, 1, 1, 4));
    expect_close(out, x, 1, 4, 0.0f, 0.0f);
}

enum { B = 2, NH = 3, T = 6, HS = 8, COUNT = B * NH * T * HS };

// A repeated position, a gap, and position 100000.
Test(rope, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    const struct lab_tensor *places = lab_tensor_find(&goldens, "rope.positions");
    cr_assert(places != NULL && places->dtype == LAB_I64 && places->count == T);
    size_t positions[T];
    for (size_t t = 0; t < T; t++) {
        positions[t] = (size_t)((const int64_t *)places->data)[t];
    }
    float out[COUNT];
    poison(out, COUNT);
    must_succeed(rope(out, golden("rope.x", COUNT), positions, B, NH, T, HS));
    expect_close(out, golden("rope.out", COUNT), B * NH * T, HS, 2e-5f, 0.0f);
}

// The convention of many libraries, in which the channels of a head have a different order.
Test(rope, is_the_half_split_form_with_its_channels_reordered, .init = open_goldens,
     .fini = close_goldens)
{
    const struct lab_tensor *places = lab_tensor_find(&goldens, "rope.positions");
    cr_assert(places != NULL && places->dtype == LAB_I64 && places->count == T);
    const float *x = golden("rope.x", COUNT), *half = golden("rope.half_split", COUNT);
    size_t positions[T];
    float neighbors[COUNT], out[COUNT], back[COUNT];
    for (size_t t = 0; t < T; t++) {
        positions[t] = (size_t)((const int64_t *)places->data)[t];
    }
    for (size_t i = 0; i < COUNT; i++) { // channel c and c + hs/2 become 2c and 2c + 1
        size_t c = i % HS, to = c < HS / 2 ? 2 * c : 2 * (c - HS / 2) + 1;
        neighbors[i - c + to] = x[i];
    }
    poison(out, COUNT);
    must_succeed(rope(out, neighbors, positions, B, NH, T, HS));
    for (size_t i = 0; i < COUNT; i++) {
        size_t c = i % HS, from = c < HS / 2 ? 2 * c : 2 * (c - HS / 2) + 1;
        back[i] = out[i - c + from];
    }
    expect_close(back, half, B * NH * T, HS, 2e-5f, 0.0f);
}

static float product(const float *a, const float *b, size_t n)
{
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

Test(rope, lengths_stay)
{
    enum { TOKENS = 5, WIDTH = 12 };
    const size_t positions[TOKENS] = {1, 2, 30, 4000, 50000};
    float x[TOKENS * WIDTH], out[TOKENS * WIDTH];
    struct lab_rng rng;
    lab_rng_seed(&rng, 7);
    lab_rng_randn(&rng, x, TOKENS * WIDTH);
    poison(out, TOKENS * WIDTH);
    must_succeed(rope(out, x, positions, 1, 1, TOKENS, WIDTH));
    for (size_t t = 0; t < TOKENS; t++) {
        const float *before = x + t * WIDTH, *after = out + t * WIDTH;
        float was = product(before, before, WIDTH), is = product(after, after, WIDTH);
        cr_expect(is_close(is, was, 1e-5f, 1e-5f), "token %zu: %.6g became %.6g", t,
                  (double)was, (double)is);
    }
}

Test(rope, scores_depend_on_the_offset_only)
{
    enum { WIDTH = 16, OFFSET = 7, PLACES = 4 };
    const size_t from[PLACES] = {0, 1, 100, 100000};
    float x[2 * WIDTH], out[2 * WIDTH]; // a key, and a query OFFSET positions later
    struct lab_rng rng;
    lab_rng_seed(&rng, 8);
    lab_rng_randn(&rng, x, 2 * WIDTH);
    float first = 0.0f;
    for (size_t i = 0; i < PLACES; i++) {
        const size_t positions[2] = {from[i], from[i] + OFFSET};
        poison(out, 2 * WIDTH);
        must_succeed(rope(out, x, positions, 1, 1, 2, WIDTH));
        float score = product(out, out + WIDTH, WIDTH);
        first = i == 0 ? score : first;
        cr_expect(is_close(score, first, 1e-4f, 0.0f),
                  "the score is %.6g at positions 0 and %d, %.6g at %zu and %zu",
                  (double)first, OFFSET, (double)score, positions[0], positions[1]);
    }
    cr_expect(!is_close(first, product(x, x + WIDTH, WIDTH), 1e-2f, 0.0f),
              "nothing was rotated");
}

Test(rope, an_odd_head_is_refused_and_nothing_written)
{
    const float x[] = {1, 2, 3};
    const size_t positions[] = {1};
    float out[] = {7};
    must_return(rope(out, x, positions, 1, 1, 1, 3), LAB_ESHAPE);
    must_return(rope(out, x, positions, 1, 1, 1, 0), LAB_ESHAPE);
    cr_expect(out[0] == 7);
}

// ---- 7.4 alibi_bias -----------------------------------------------------------------------

Test(alibi_bias, gives_the_digits_of_the_handout)
{
    const float expected[] = {0,           0,           0, // head 0, slope 1/16
                              -0.0625f,    0,           0, //
                              -0.125f,     -0.0625f,    0, //
                              0,           0,           0, // head 1, slope 1/256
                              -0.00390625, 0,           0, //
                              -0.0078125,  -0.00390625, 0};
    float bias[18];
    poison(bias, 18);
    must_succeed(alibi_bias(bias, 2, 3, 3));
    expect_close(bias, expected, 6, 3, 0.0f, 1e-6f);
}

Test(alibi_bias, one_query_after_a_cache_counts_back_from_its_own_key)
{
    const float expected[] = {-3.0f / 256, -2.0f / 256, -1.0f / 256, 0};
    float bias[4];
    poison(bias, 4);
    must_succeed(alibi_bias(bias, 1, 1, 4));
    expect_close(bias, expected, 1, 4, 0.0f, 1e-6f);
}

Test(alibi_bias, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float bias[8 * 5 * 5];
    poison(bias, 200);
    must_succeed(alibi_bias(bias, 8, 5, 5));
    expect_close(bias, golden("alibi_bias.NH8_T5_S5", 200), 40, 5, 1e-7f, 1e-5f);
    poison(bias, 30);
    must_succeed(alibi_bias(bias, 3, 2, 5));
    expect_close(bias, golden("alibi_bias.NH3_T2_S5", 30), 6, 5, 1e-7f, 1e-5f);
    poison(bias, 30);
    must_succeed(alibi_bias(bias, 2, 5, 3));
    expect_close(bias, golden("alibi_bias.NH2_T5_S3", 30), 10, 3, 1e-7f, 1e-5f);
}

Test(alibi_bias, a_size_of_zero_is_refused_and_nothing_written)
{
    float bias[1] = {7};
    must_return(alibi_bias(bias, 0, 3, 3), LAB_ESHAPE);
    must_return(alibi_bias(bias, 2, 0, 3), LAB_ESHAPE);
    must_return(alibi_bias(bias, 2, 3, 0), LAB_ESHAPE);
    cr_expect(bias[0] == 7);
}

// ---- 7.5 attention_without_projections ----------------------------------------------------

// "the cat sat on the mat", in a vocabulary of five words.
enum { WORDS = 5, TOKENS = 6, WIDTH = 32 };
static const size_t ids[TOKENS] = {0, 1, 2, 3, 0, 4};

struct sentence {
    float x[TOKENS * WIDTH], out[TOKENS * WIDTH];
    float weights[TOKENS * TOKENS], scores[TOKENS * TOKENS];
};

// The tokens of nn.Embedding(5, 32) after torch.manual_seed(42).
static struct sentence make_sentence(void)
{
    struct sentence s;
    float embedding[WORDS * WIDTH];
    struct lab_rng rng;
    lab_rng_seed(&rng, 42);
    must_succeed(lab_rng_embedding(&rng, embedding, WORDS, WIDTH));
    for (size_t t = 0; t < TOKENS; t++) {
        memcpy(s.x + t * WIDTH, embedding + ids[t] * WIDTH, WIDTH * sizeof *s.x);
    }
    return s;
}

static void attend(struct sentence *s)
{
    poison(s->out, TOKENS * WIDTH);
    poison(s->weights, TOKENS * TOKENS);
    must_succeed(attention_without_projections(s->out, s->weights, s->scores, s->x,
                                               TOKENS, WIDTH));
}

static struct sentence with_positions(void)
{
    struct sentence plain = make_sentence(), s = plain;
    float table[TOKENS * WIDTH];
    must_succeed(sinusoidal_encoding(table, TOKENS, WIDTH));
    must_succeed(add_positions(s.x, plain.x, table, 1, TOKENS, WIDTH, TOKENS));
    return s;
}

Test(attention_without_projections, both_the_are_the_same_without_positions)
{
    const float the[] = {0.497743f, 0.000417f, 0.002305f,
                         0.000324f, 0.497743f, 0.001468f};
    struct sentence s = make_sentence();
    attend(&s);
    expect_close(s.weights, the, 1, TOKENS, 1e-6f, 1e-5f);
    expect_close(s.weights + (size_t)4 * TOKENS, the, 1, TOKENS, 1e-6f, 1e-5f);
    expect_close(s.out + (size_t)4 * WIDTH, s.out, 1, WIDTH, 1e-6f, 1e-6f);
}

Test(attention_without_projections, both_the_differ_with_positions)
{
    const float first[] = {0.617123f, 0.000977f, 0.001915f,
                           0.000363f, 0.374870f, 0.004753f};
    const float second[] = {0.260666f, 0.000352f, 0.000877f,
                            0.000682f, 0.734096f, 0.003328f};
    struct sentence s = with_positions();
    attend(&s);
    expect_close(s.weights, first, 1, TOKENS, 1e-6f, 1e-5f);
    expect_close(s.weights + (size_t)4 * TOKENS, second, 1, TOKENS, 1e-6f, 1e-5f);
}

Test(attention_without_projections, the_sentence_matches_pytorch, .init = open_goldens,
     .fini = close_goldens)
{
    struct sentence s = make_sentence();
    attend(&s);
    expect_close(s.weights, golden("sentence.without.weights", 36), TOKENS, TOKENS, 1e-6f,
                 1e-4f);
    expect_close(s.out, golden("sentence.without.out", 192), TOKENS, WIDTH, 1e-5f, 1e-4f);
    s = with_positions();
    attend(&s);
    expect_close(s.weights, golden("sentence.with.weights", 36), TOKENS, TOKENS, 1e-6f,
                 1e-4f);
    expect_close(s.out, golden("sentence.with.out", 192), TOKENS, WIDTH, 1e-5f, 1e-4f);
}

// "mat the on sat cat the": the outputs are the same as before, in the new order.
static bool reversing_only_reverses(const struct sentence *s, const struct sentence *r)
{
    for (size_t t = 0; t < TOKENS; t++) {
        char what[160];
        if (!all_close(r->out + t * WIDTH, s->out + (TOKENS - 1 - t) * WIDTH, 1, WIDTH,
                       1e-5f, 1e-4f, what, sizeof what)) {
            return false;
        }
    }
    return true;
}

static void reverse(struct sentence *s)
{
    struct sentence old = *s;
    for (size_t t = 0; t < TOKENS; t++) {
        memcpy(s->x + t * WIDTH, old.x + (TOKENS - 1 - t) * WIDTH, WIDTH * sizeof *s->x);
    }
}

Test(attention_without_projections, permuting_tokens_permutes_outputs)
{
    struct sentence s = make_sentence(), r = s;
    attend(&s);
    reverse(&r);
    attend(&r);
    cr_expect(reversing_only_reverses(&s, &r));
}

Test(attention_without_projections, permuting_tokens_changes_outputs_with_positions)
{
    struct sentence s = with_positions(), plain = make_sentence(), r;
    float table[TOKENS * WIDTH];
    attend(&s);
    reverse(&plain); // the tokens move, the positions stay
    must_succeed(sinusoidal_encoding(table, TOKENS, WIDTH));
    must_succeed(add_positions(r.x, plain.x, table, 1, TOKENS, WIDTH, TOKENS));
    attend(&r);
    cr_expect(!reversing_only_reverses(&s, &r));
}

Test(attention_without_projections, matches_pytorch, .init = open_goldens,
     .fini = close_goldens)
{
    float out[30], weights[25], scores[25];
    poison(out, 30);
    poison(weights, 25);
    must_succeed(attention_without_projections(
        out, weights, scores, golden("attention_without_projections.x", 30), 5, 6));
    expect_close(weights, golden("attention_without_projections.weights", 25), 5, 5,
                 1e-6f, 1e-4f);
    expect_close(out, golden("attention_without_projections.out", 30), 5, 6, 1e-5f,
                 1e-4f);
}
