// test_reading.c - worked examples of lab 11: digits that can be checked by hand, PyTorch's digits,
// and properties that hold for any numbers. Run them with "make unit LAB=11"; add your own below.
//
// 11.4 and 11.5 call your functions of labs 2 to 5. The program runs in the repository's root,
// which contains datasets/.

#include "11_reading_attention/reading.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
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
        lab_tensor_file_open(&goldens, "datasets/goldens/lab11.safetensors");
    cr_assert(status == LAB_OK, "%s", goldens.error);
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

// A golden "name.part" of this type, of any shape.
static const struct lab_tensor *golden_of(const char *name, const char *part,
                                          enum lab_dtype dtype)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, part);
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, full);
    cr_assert(tensor != NULL && tensor->dtype == dtype, "no golden %s", full);
    return tensor;
}

// A golden of count floats.
static const float *golden(const char *name, const char *part, size_t count)
{
    const struct lab_tensor *tensor = golden_of(name, part, LAB_F32);
    cr_assert(tensor->count == count, "%s.%s has %zu numbers", name, part, tensor->count);
    return tensor->data;
}

static void draw(float *x, size_t count, uint64_t seed)
{
    struct lab_rng rng;
    lab_rng_seed(&rng, seed);
    lab_rng_randn(&rng, x, count);
}

// ---- 11.1 numbers of two bytes ------------------------------------------------------------

// The bits that the handout takes apart: 0x4049 and 0x4248 are 3.140625.
Test(bfloat16_to_float, gives_the_digits_of_the_handout)
{
    const uint8_t bytes[] = {0x49, 0x40, 0x80, 0x3f, 0x49, 0xc0, 0x00, 0x00};
    const float expected[] = {3.140625f, 1.0f, -3.140625f, 0.0f};
    float y[4];
    poison(y, 4);
    must_succeed(bfloat16_to_float(y, bytes, 4));
    expect_close(y, expected, 1, 4, 0.0f, 0.0f);
}

Test(bfloat16_to_float, keeps_infinity_nan_and_the_sign_of_zero)
{
    const uint8_t bytes[] = {0x80, 0x7f, 0x80, 0xff, 0xc1, 0x7f, 0x00, 0x80, 0x01, 0x00};
    float y[5] = {1, 1, 1, 1, 1};
    must_succeed(bfloat16_to_float(y, bytes, 5));
    cr_expect(y[0] == INFINITY && y[1] == -INFINITY, "%g and %g should be infinite",
              (double)y[0], (double)y[1]);
    cr_expect(isnan(y[2]), "%g should be NaN", (double)y[2]);
    cr_expect(y[3] == 0.0f && signbit(y[3]), "%g should be -0", (double)y[3]);
    cr_expect(y[4] == ldexpf(1.0f, -133), "%g should be 2^-133", (double)y[4]);
}

Test(float16_to_float, gives_the_digits_of_the_handout)
{
    const uint8_t bytes[] = {0x48, 0x42, 0x00, 0x3c, 0x48, 0xc2, 0xff, 0x7b};
    const float expected[] = {3.140625f, 1.0f, -3.140625f, 65504.0f};
    float y[4];
    poison(y, 4);
    must_succeed(float16_to_float(y, bytes, 4));
    expect_close(y, expected, 1, 4, 0.0f, 0.0f);
}

// The smallest and the largest subnormal number, and the smallest normal one.
Test(float16_to_float, reads_subnormal_numbers)
{
    const uint8_t bytes[] = {0x01, 0x00, 0xff, 0x03, 0x00, 0x04};
    const float expected[] = {0x1p-24f, 1023 * 0x1p-24f, 0x1p-14f};
    float y[3];
    poison(y, 3);
    must_succeed(float16_to_float(y, bytes, 3));
    expect_close(y, expected, 1, 3, 0.0f, 0.0f);
}

Test(float16_to_float, keeps_infinity_nan_and_the_sign_of_zero)
{
    const uint8_t bytes[] = {0x00, 0x7c, 0x00, 0xfc, 0x01, 0x7c, 0x00, 0x80};
    float y[4] = {1, 1, 1, 1};
    must_succeed(float16_to_float(y, bytes, 4));
    cr_expect(y[0] == INFINITY && y[1] == -INFINITY, "%g and %g should be infinite",
              (double)y[0], (double)y[1]);
    cr_expect(isnan(y[2]), "%g should be NaN", (double)y[2]);
    cr_expect(y[3] == 0.0f && signbit(y[3]), "%g should be -0", (double)y[3]);
}

// Every 61st pattern; a NaN must be a NaN.
static void matches_patterns(__typeof__(bfloat16_to_float) *convert, const char *name)
{
    enum { N = 1075 };
    const struct lab_tensor *bytes = golden_of("numbers", "bytes", LAB_U8);
    const float *expected = golden(name, "y", N);
    float y[N];
    cr_assert(bytes->count == (size_t)2 * N);
    for (size_t n = 0; n < N; n++) {
        y[n] = 0.5f;
    }
    must_succeed(convert(y, bytes->data, N));
    for (size_t n = 0; n < N; n++) {
        cr_expect(isnan(expected[n])
                      ? isnan(y[n])
                      : y[n] == expected[n] && !signbit(y[n]) == !signbit(expected[n]),
                  "pattern %zu is %.9g and should be %.9g", 61 * n, (double)y[n],
                  (double)expected[n]);
    }
}

Test(bfloat16_to_float, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    matches_patterns(bfloat16_to_float, "bfloat16_to_float");
}

Test(float16_to_float, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    matches_patterns(float16_to_float, "float16_to_float");
}

// ---- 11.2 the longest piece ---------------------------------------------------------------

// Cuts a word with a vocabulary, whose pieces are separated by spaces, and compares the pieces.
// The first piece is [UNK].
static void expect_pieces(const char *word, const char *vocabulary, const char *expected)
{
    enum { MOST = 32, LONGEST = 512 };
    char text[LONGEST] = "", got[2 * LONGEST] = "";
    size_t ends[MOST], V = 0, size = 0, ids[LONGEST], count = 0;
    for (const char *at = vocabulary; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        memcpy(text + size, at, length);
        size += length;
        ends[V++] = size;
        at += length;
    }
    struct lab_pieces pieces;
    must_succeed(lab_pieces_open(&pieces, (const uint8_t *)text, ends, V));
    must_succeed(wordpiece(ids, &count, (const uint8_t *)word, &pieces, 0, strlen(word)));
    cr_assert(count <= strlen(word), "%zu pieces of %zu bytes", count, strlen(word));
    for (size_t i = 0; i < count; i++) {
        cr_assert(ids[i] < V, "piece %zu has token %zu of %zu", i, ids[i], V);
        const size_t start = ids[i] == 0 ? 0 : ends[ids[i] - 1];
        const size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%.*s", i == 0 ? "" : " ",
                 (int)(ends[ids[i]] - start), text + start);
    }
    lab_pieces_close(&pieces);
    cr_expect(strcmp(got, expected) == 0, "\"%s\" gives \"%s\" and should give \"%s\"",
              word, got, expected);
}

// The handout's vocabulary. The token of [UNK] is 0.
#define SMALL "[UNK] t tire tired ##ness ##n ##e ##s ##d ness cat ##cat ##ly"

Test(wordpiece, gives_the_pieces_of_the_handout)
{
    expect_pieces("tiredness", SMALL, "tired ##ness");
    expect_pieces("tired", SMALL, "tired");
    expect_pieces("tires", SMALL, "tire ##s");
    expect_pieces("tiredly", SMALL, "tired ##ly");
}

Test(wordpiece, takes_pieces_with_hashes_only_inside)
{
    expect_pieces("ness", SMALL, "ness");
    expect_pieces("catcat", SMALL, "cat ##cat");
    expect_pieces("nesscat", SMALL, "ness ##cat");
    expect_pieces("catness", SMALL, "cat ##ness");
    expect_pieces("ly", SMALL, "[UNK]");
    expect_pieces("cattire", SMALL, "[UNK]"); // "tire" begins a word
}

// "abc" could be "a" "##bc". But the longest piece comes first, and "##c" does not exist.
Test(wordpiece, does_not_go_back)
{
    expect_pieces("abc", "[UNK] a ab ##bc", "[UNK]");
}

Test(wordpiece, makes_a_word_with_an_unknown_part_one_token)
{
    expect_pieces("tirednessy", SMALL, "[UNK]");
    expect_pieces("ytired", SMALL, "[UNK]");
}

Test(wordpiece, counts_characters_and_not_bytes)
{
    char word[2 * (WORDPIECE_LONGEST + 1) + 1] = "", expected[1024] = "\xc3\xa4";
    for (size_t i = 0; i < WORDPIECE_LONGEST; i++) {
        strcat(word, "\xc3\xa4"); // a letter of two bytes
        strcat(expected, i > 0 ? " ##\xc3\xa4" : "");
    }
    expect_pieces(word, "[UNK] \xc3\xa4 ##\xc3\xa4", expected);
    strcat(word, "\xc3\xa4");
    expect_pieces(word, "[UNK] \xc3\xa4 ##\xc3\xa4", "[UNK]");
}

// ---- 11.3 pairs ---------------------------------------------------------------------------

// The handout's tokens and merges, by their ranks.
enum { L, O, W, E, R, S, LO, LOW, ER, OW };
static const size_t merge_left[] = {L, LO, E, O};
static const size_t merge_right[] = {O, W, R, W};
static const size_t merge_result[] = {LO, LOW, ER, OW};

// Merges with the first M pairs of a table and compares the tokens.
static void expect_merged(const size_t *left, const size_t *right, const size_t *merged,
                          size_t M, const size_t *word, size_t N, const size_t *expected,
                          size_t expected_count)
{
    size_t tokens[16], count = 0;
    memcpy(tokens, word, N * sizeof *tokens);
    struct lab_merges merges;
    must_succeed(lab_merges_open(&merges, left, right, merged, M));
    must_succeed(byte_pair_merge(tokens, &count, &merges, N));
    lab_merges_close(&merges);
    cr_assert(count == expected_count, "%zu tokens are left and should be %zu", count,
              expected_count);
    for (size_t i = 0; i < count; i++) {
        cr_expect(tokens[i] == expected[i], "token %zu is %zu and should be %zu", i,
                  tokens[i], expected[i]);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EXPECT_HANDOUT(M, word, expected)                                                \
    expect_merged(merge_left, merge_right, merge_result, M, word, COUNT(word), expected, \
                  COUNT(expected))

Test(byte_pair_merge, gives_the_rounds_of_the_handout)
{
    const size_t word[] = {L, O, W, E, R}, first[] = {LO, W, E, R},
                 second[] = {LOW, E, R}, third[] = {LOW, ER};
    EXPECT_HANDOUT(1, word, first);
    EXPECT_HANDOUT(2, word, second);
    EXPECT_HANDOUT(4, word, third);
}

// In "erslow", "e r" stands before "l o". And "o w" of rank 3 comes too late: rank 0 has used up the
// o. Without an l, it is merged.
Test(byte_pair_merge, takes_the_lowest_rank_and_not_the_first_pair)
{
    const size_t word[] = {E, R, S, L, O, W}, expected[] = {ER, S, LOW};
    EXPECT_HANDOUT(4, word, expected);
    const size_t sower[] = {S, O, W, E, R}, other[] = {S, OW, ER};
    EXPECT_HANDOUT(4, sower, other);
}

Test(byte_pair_merge, merges_every_occurrence)
{
    const size_t word[] = {L, O, S, L, O, W, L, O}, expected[] = {LO, S, LOW, LO};
    EXPECT_HANDOUT(4, word, expected);
}

// Tokens 0 and 1: "0 0" becomes 1. Of an odd number, the last one stays.
Test(byte_pair_merge, uses_each_token_once)
{
    const size_t zero[] = {0}, one[] = {1};
    const size_t odd[] = {0, 0, 0}, odd_merged[] = {1, 0};
    expect_merged(zero, zero, one, 1, odd, 3, odd_merged, 2);
    const size_t even[] = {0, 0, 0, 0}, even_merged[] = {1, 1};
    expect_merged(zero, zero, one, 1, even, 4, even_merged, 2);
}

Test(byte_pair_merge, leaves_a_word_without_pairs)
{
    const size_t one[] = {W}, none[] = {W, O, L};
    EXPECT_HANDOUT(4, one, one);
    EXPECT_HANDOUT(4, none, none);
}

// ---- 11.4 a layer of BERT -----------------------------------------------------------------

// x + branch is 1 2 3 6, then 0.001 times that, then equal numbers.
Test(post_norm, gives_the_digits_of_the_handout)
{
    const float x[] = {1, 1, 2, 2, 0.001f, 0.001f, 0.002f, 0.002f, 5, 5, 5, 5};
    const float branch[] = {0, 1, 1, 4, 0, 0.001f, 0.001f, 0.004f, -3, -3, -3, -3};
    const float gain[] = {1, 1, 2, 1}, bias[] = {0, 0, 0, 1};
    const float expected[] = {-1.069045f, -0.534522f, 0, 2.603567f, //
                              -1.069045f, -0.534522f, 0, 2.603567f, //
                              0,          0,          0, 1};
    float y[12];
    poison(y, 12);
    must_succeed(post_norm(y, x, branch, gain, bias, 3, 4));
    expect_close(y, expected, 3, 4, 2e-6f, 1e-6f);
}

Test(post_norm, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    enum { N = 4, WIDTH = 7 };
    float y[N * WIDTH];
    poison(y, N * WIDTH);
    must_succeed(post_norm(y, golden("post_norm", "x", N * WIDTH),
                           golden("post_norm", "branch", N * WIDTH),
                           golden("post_norm", "gain", WIDTH),
                           golden("post_norm", "bias", WIDTH), N, WIDTH));
    expect_close(y, golden("post_norm", "y", N * WIDTH), N, WIDTH, 1e-5f, 1e-5f);
}

// Sizes of the goldens.
enum { B = 2, T = 5, C = 12, NH = 3, H = 20, MOST = B * T * 3 * C };

// A workspace full of NaN, so that reading it before writing shows. It stays until the test ends.
static float *workspace(void)
{
    static float memory[32][MOST];
    static size_t used = 0;
    cr_assert(used < 32, "too many workspaces");
    poison(memory[used], MOST);
    return memory[used++];
}

static struct bert_buffers bert_buffers(void)
{
    return (struct bert_buffers){.attention = {.q = workspace(),
                                               .k = workspace(),
                                               .v = workspace(),
                                               .q_heads = workspace(),
                                               .k_heads = workspace(),
                                               .v_heads = workspace(),
                                               .scores = workspace(),
                                               .out_heads = workspace(),
                                               .merged = workspace()},
                                 .attended = workspace(),
                                 .middle = workspace(),
                                 .hidden = workspace(),
                                 .activated = workspace(),
                                 .projected = workspace()};
}

static struct bert_params bert_params(void)
{
    const char *name = "bert_layer";
    return (struct bert_params){
        .attention = {.w_q = golden(name, "w_q", C * C),
                      .b_q = golden(name, "b_q", C),
                      .w_k = golden(name, "w_k", C * C),
                      .b_k = golden(name, "b_k", C),
                      .w_v = golden(name, "w_v", C * C),
                      .b_v = golden(name, "b_v", C),
                      .w_o = golden(name, "w_o", C * C),
                      .b_o = golden(name, "b_o", C)},
        .ln1_gain = golden(name, "ln1_gain", C),
        .ln1_bias = golden(name, "ln1_bias", C),
        .mlp = {.w_fc = golden(name, "w_fc", H * C),
                .b_fc = golden(name, "b_fc", H),
                .w_proj = golden(name, "w_proj", C * H),
                .b_proj = golden(name, "b_proj", C)},
        .ln2_gain = golden(name, "ln2_gain", C),
        .ln2_bias = golden(name, "ln2_bias", C),
    };
}

static void bert_matches(const char *name, const uint8_t *mask)
{
    float out[B * T * C], weights[B * NH * T * T];
    const struct bert_buffers z = bert_buffers();
    const struct bert_params params = bert_params();
    poison(out, B * T * C);
    poison(weights, B * NH * T * T);
    must_succeed(bert_layer(out, weights, &z, golden("bert_layer", "x", B * T * C),
                            &params, mask, B, T, C, NH, H));
    expect_close(weights, golden(name, "weights", B * NH * T * T), B * NH * T, T, 1e-5f,
                 1e-5f);
    expect_close(z.middle, golden(name, "middle", B * T * C), B * T, C, 2e-5f, 2e-5f);
    expect_close(out, golden(name, "out", B * T * C), B * T, C, 2e-5f, 2e-5f);
}

Test(bert_layer, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    bert_matches("bert_layer.open", NULL);
}

// The second sequence has three tokens; nobody sees the other two.
Test(bert_layer, with_padding_matches_pytorch, .init = open_goldens,
     .fini = close_goldens)
{
    bert_matches("bert_layer.masked", golden_of("bert_layer", "mask", LAB_U8)->data);
}

Test(bert_layer, its_output_has_mean_zero_and_variance_one, .init = open_goldens,
     .fini = close_goldens)
{
    float out[B * T * C], weights[B * NH * T * T], ones[C], zeros[C] = {0};
    const struct bert_buffers z = bert_buffers();
    struct bert_params params = bert_params();
    for (size_t c = 0; c < C; c++) {
        ones[c] = 1.0f;
    }
    params.ln2_gain = ones;
    params.ln2_bias = zeros;
    poison(out, B * T * C);
    must_succeed(bert_layer(out, weights, &z, golden("bert_layer", "x", B * T * C),
                            &params, NULL, B, T, C, NH, H));
    for (size_t n = 0; n < (size_t)B * T; n++) {
        double sum = 0, squares = 0;
        for (size_t c = 0; c < C; c++) {
            sum += (double)out[n * C + c];
            squares += (double)out[n * C + c] * (double)out[n * C + c];
        }
        cr_expect(fabs(sum / C) < 1e-5 && fabs(squares / C - 1) < 1e-5,
                  "row %zu has mean %g and mean square %g", n, sum / C, squares / C);
    }
}

Test(bert_layer, refuses_heads_that_do_not_divide_the_width)
{
    float out[10] = {0}, weights[10] = {0};
    const struct bert_buffers z = {0};
    const struct bert_params params = {0};
    must_return(bert_layer(out, weights, &z, out, &params, NULL, 1, 1, 5, 2, 1),
                LAB_ESHAPE);
}

// ---- 11.5 a block of GPT-2 ----------------------------------------------------------------

Test(gelu_tanh, gives_the_digits_of_the_handout)
{
    const float x[] = {-3, -2, -1, 0, 1, 2, 3};
    const float expected[] = {-0.003637f, -0.045402f, -0.158808f, 0,
                              0.841192f,  1.954598f,  2.996363f};
    float y[7];
    poison(y, 7);
    must_succeed(gelu_tanh(y, x, 7));
    expect_close(y, expected, 1, 7, 1e-6f, 0.0f);
}

Test(gelu_tanh, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float y[51];
    poison(y, 51);
    must_succeed(gelu_tanh(y, golden("gelu_tanh", "x", 51), 51));
    expect_close(y, golden("gelu_tanh", "y", 51), 1, 51, 1e-6f, 1e-6f);
}

Test(linear_in_out, gives_the_digits_of_the_handout)
{
    const float x[] = {1, 2}, w[] = {3, 4, 5, 6, 7, 8}, bias[] = {0, 0, 100};
    float y[3];
    poison(y, 3);
    must_succeed(linear_in_out(y, x, w, bias, 1, 2, 3));
    expect_close(y, ((float[]){15, 18, 121}), 1, 3, 0.0f, 0.0f);
}

Test(linear_in_out, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float y[5 * 7];
    poison(y, 5 * 7);
    must_succeed(linear_in_out(y, golden("linear_in_out", "x", 5 * 4),
                               golden("linear_in_out", "w", 4 * 7),
                               golden("linear_in_out", "bias", 7), 5, 4, 7));
    expect_close(y, golden("linear_in_out", "y", 5 * 7), 5, 7, 1e-5f, 1e-5f);
}

static struct attention_buffers attention_buffers(void)
{
    static uint8_t mask[B * T * T];
    return (struct attention_buffers){.qkv = workspace(),
                                      .q = workspace(),
                                      .k = workspace(),
                                      .v = workspace(),
                                      .q_heads = workspace(),
                                      .k_heads = workspace(),
                                      .v_heads = workspace(),
                                      .scores = workspace(),
                                      .out_heads = workspace(),
                                      .merged = workspace(),
                                      .mask = mask};
}

static struct gpt2_buffers gpt2_buffers(void)
{
    return (struct gpt2_buffers){.ln1 = workspace(),
                                 .ln1_mean = workspace(),
                                 .ln1_rstd = workspace(),
                                 .attention = attention_buffers(),
                                 .attended = workspace(),
                                 .middle = workspace(),
                                 .ln2 = workspace(),
                                 .ln2_mean = workspace(),
                                 .ln2_rstd = workspace(),
                                 .hidden = workspace(),
                                 .activated = workspace(),
                                 .projected = workspace()};
}

static struct gpt2_params gpt2_params(void)
{
    const char *name = "gpt2_block";
    return (struct gpt2_params){
        .ln1_gain = golden(name, "ln1_gain", C),
        .ln1_bias = golden(name, "ln1_bias", C),
        .w_qkv = golden(name, "w_qkv", C * 3 * C),
        .b_qkv = golden(name, "b_qkv", 3 * C),
        .w_o = golden(name, "w_o", C * C),
        .b_o = golden(name, "b_o", C),
        .ln2_gain = golden(name, "ln2_gain", C),
        .ln2_bias = golden(name, "ln2_bias", C),
        .w_fc = golden(name, "w_fc", C * H),
        .b_fc = golden(name, "b_fc", H),
        .w_proj = golden(name, "w_proj", H * C),
        .b_proj = golden(name, "b_proj", C),
    };
}

Test(gpt2_block, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float out[B * T * C], weights[B * NH * T * T];
    const struct gpt2_buffers z = gpt2_buffers();
    const struct gpt2_params params = gpt2_params();
    poison(out, B * T * C);
    poison(weights, B * NH * T * T);
    must_succeed(gpt2_block(out, weights, &z, golden("gpt2_block", "x", B * T * C),
                            &params, B, T, C, NH, H));
    expect_close(weights, golden("gpt2_block", "weights", B * NH * T * T), B * NH * T, T,
                 1e-5f, 1e-5f);
    expect_close(z.middle, golden("gpt2_block", "middle", B * T * C), B * T, C, 2e-5f,
                 2e-5f);
    expect_close(out, golden("gpt2_block", "out", B * T * C), B * T, C, 2e-5f, 2e-5f);
}

// Another last token changes the last row of the output, and no other bit.
Test(gpt2_block, no_token_sees_a_later_one, .init = open_goldens, .fini = close_goldens)
{
    float x[T * C], before[T * C], after[T * C], weights[NH * T * T];
    const struct gpt2_buffers z = gpt2_buffers();
    const struct gpt2_params params = gpt2_params();
    draw(x, T * C, 1);
    must_succeed(gpt2_block(before, weights, &z, x, &params, 1, T, C, NH, H));
    draw(x + (T - 1) * C, C, 2);
    must_succeed(gpt2_block(after, weights, &z, x, &params, 1, T, C, NH, H));
    expect_close(after, before, T - 1, C, 0.0f, 0.0f);
    cr_expect(memcmp(after + (T - 1) * C, before + (T - 1) * C, C * sizeof *after) != 0,
              "the last row did not change");
}

// ---- 11.6 measures of a head --------------------------------------------------------------

// The handout's head, and a second one in which every token attends to itself.
static const float two_heads[] = {0.5f,  0.5f, 0,     //
                                  0.75f, 0,    0.25f, //
                                  0.25f, 0.5f, 0.25f, //
                                  1,     0,    0,     //
                                  0,     1,    0,     //
                                  0,     0,    1};

#define EXPECT_TWO(call, one, two)                                                       \
    do {                                                                                 \
        float y[2] = {NAN, NAN};                                                         \
        must_succeed(call);                                                              \
        expect_close(y, ((float[]){one, two}), 1, 2, 1e-6f, 0.0f);                       \
    } while (0)

Test(previous_token_share, of_the_handouts_head)
{
    EXPECT_TWO(previous_token_share(y, two_heads, 2, 3), 0.625f, 0);
}

Test(next_token_share, of_the_handouts_head)
{
    EXPECT_TWO(next_token_share(y, two_heads, 2, 3), 0.375f, 0);
}

Test(first_token_share, of_the_handouts_head)
{
    EXPECT_TWO(first_token_share(y, two_heads, 2, 3), 0.5f, 0.333333f);
}

Test(attention_entropy, of_the_handouts_head)
{
    EXPECT_TWO(attention_entropy(y, two_heads, 2, 3), 0.765068f, 0);
}

Test(attention_distance, of_the_handouts_head)
{
    EXPECT_TWO(attention_distance(y, two_heads, 2, 3), 0.833333f, 0);
}

// The text is A B A: the second A should look at B.
Test(induction_share, of_the_handouts_head)
{
    const size_t tokens[] = {7, 4, 7};
    EXPECT_TWO(induction_share(y, two_heads, tokens, 2, 3), 0.5f, 0);
}

// The text is A A A: the place after the last A is the token itself.
Test(induction_share, takes_the_last_of_several_equal_tokens)
{
    const size_t tokens[] = {7, 7, 7};
    EXPECT_TWO(induction_share(y, two_heads, tokens, 2, 3), 0.125f, 1);
}

Test(induction_share, of_a_text_without_repeats_is_zero)
{
    const size_t tokens[] = {0, 1, 2};
    EXPECT_TWO(induction_share(y, two_heads, tokens, 2, 3), 0, 0);
}

Test(previous_token_share, needs_two_tokens)
{
    float one = 1, y = 5;
    must_return(previous_token_share(&y, &one, 1, 1), LAB_ESHAPE);
    must_return(next_token_share(&y, &one, 1, 1), LAB_ESHAPE);
    cr_expect(y == 5, "the output has changed");
}

// One key: 0. All keys alike: ln T.
Test(attention_entropy, lies_between_zero_and_log_T)
{
    enum { N = 4 };
    float weights[N * N], y;
    for (size_t i = 0; i < (size_t)N * N; i++) {
        weights[i] = 0.25f;
    }
    must_succeed(attention_entropy(&y, weights, 1, N));
    expect_close(&y, ((float[]){1.386294f}), 1, 1, 1e-6f, 0.0f);
}

// Three layers of two heads, seven tokens. The tokens are those of the golden.
static const size_t seven_tokens[] = {4, 2, 4, 7, 2, 4, 9};

static const float *six_heads(void)
{
    return golden("measures", "weights", 6 * 7 * 7);
}

#define EXPECT_GOLDEN(call, name)                                                        \
    do {                                                                                 \
        float y[6];                                                                      \
        poison(y, 6);                                                                    \
        must_succeed(call);                                                              \
        expect_close(y, golden("measures", name, 6), 1, 6, 1e-6f, 1e-6f);                \
    } while (0)

Test(previous_token_share, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    EXPECT_GOLDEN(previous_token_share(y, six_heads(), 6, 7), "previous_token_share");
}

Test(next_token_share, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    EXPECT_GOLDEN(next_token_share(y, six_heads(), 6, 7), "next_token_share");
}

Test(first_token_share, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    EXPECT_GOLDEN(first_token_share(y, six_heads(), 6, 7), "first_token_share");
}

Test(attention_entropy, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    EXPECT_GOLDEN(attention_entropy(y, six_heads(), 6, 7), "attention_entropy");
}

Test(attention_distance, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    EXPECT_GOLDEN(attention_distance(y, six_heads(), 6, 7), "attention_distance");
}

Test(induction_share, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    EXPECT_GOLDEN(induction_share(y, six_heads(), seven_tokens, 6, 7), "induction_share");
}

// ---- 11.7 through all layers --------------------------------------------------------------

// Two layers of one head. In the first, tokens 1 and 2 look one token back; in the second, only
// token 2 does. It never looks at token 0, and yet a quarter of it comes from there.
static const float two_layers[] = {1, 0, 0, //
                                   1, 0, 0, //
                                   0, 1, 0, //
                                   1, 0, 0, //
                                   0, 1, 0, //
                                   0, 1, 0};

Test(attention_rollout, gives_the_digits_of_the_handout)
{
    float rollout[9], z[18];
    poison(rollout, 9);
    poison(z, 18);
    must_succeed(attention_rollout(rollout, z, two_layers, 2, 1, 3));
    expect_close(rollout, ((float[]){1, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0.5f, 0.25f}), 3, 3,
                 0.0f, 0.0f);
}

// The same two maps as two heads of one layer.
Test(attention_rollout, takes_the_mean_of_the_heads)
{
    float rollout[9], z[18];
    poison(rollout, 9);
    poison(z, 18);
    must_succeed(attention_rollout(rollout, z, two_layers, 1, 2, 3));
    expect_close(rollout, ((float[]){1, 0, 0, 0.25f, 0.75f, 0, 0, 0.5f, 0.5f}), 3, 3,
                 0.0f, 0.0f);
}

Test(attention_rollout, matches_pytorch, .init = open_goldens, .fini = close_goldens)
{
    float rollout[49], z[98];
    poison(rollout, 49);
    poison(z, 98);
    must_succeed(attention_rollout(rollout, z, six_heads(), 3, 2, 7));
    expect_close(rollout, golden("measures", "attention_rollout", 49), 7, 7, 1e-6f,
                 1e-6f);
}

Test(attention_rollout, its_rows_sum_to_one, .init = open_goldens, .fini = close_goldens)
{
    float rollout[49], z[98];
    must_succeed(attention_rollout(rollout, z, six_heads(), 3, 2, 7));
    for (size_t t = 0; t < 7; t++) {
        float sum = 0;
        for (size_t s = 0; s < 7; s++) {
            sum += rollout[t * 7 + s];
        }
        expect_close(&sum, ((float[]){1}), 1, 1, 1e-5f, 0.0f);
    }
}

// ---- 11.8 findings ------------------------------------------------------------------------

// The model has 6 layers of 12 heads. make check EX=11.8 says whether you found the right ones.
Test(attention_findings, are_layers_and_heads_of_the_model)
{
    struct findings found;
    memset(&found, 0xff, sizeof found);
    must_succeed(attention_findings(&found));
    cr_expect(found.next.layer < 6 && found.next.head < 12);
    cr_expect(found.it_to_cat.layer < 6 && found.it_to_cat.head < 12);
    cr_expect(found.cls_layer < 6);
}
