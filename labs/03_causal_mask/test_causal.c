// test_causal.c - worked examples of lab 3: the handout's numbers, PyTorch's numbers, and
// properties that hold for any numbers. Run them with "make unit LAB=3", and add your
// own.
//
// The program runs in the top folder of the repository, which contains datasets/.

#include "03_causal_mask/causal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// Checks that two (rows, columns) masks are equal; prints the first difference.
static void expect_mask(const uint8_t *got, const uint8_t *expected, size_t rows,
                        size_t columns)
{
    for (size_t i = 0; i < rows * columns; i++) {
        cr_assert(got[i] == expected[i], "mask[%zu][%zu] is %u and should be %u",
                  i / columns, i % columns, got[i], expected[i]);
    }
}

// ---- 3.1 causal_mask ----------------------------------------------------------------------

Test(causal_mask, is_the_lower_triangle_when_T_is_S)
{
    const uint8_t expected[] = {1, 0, 0, //
                                1, 1, 0, //
                                1, 1, 1};
    uint8_t mask[9];
    memset(mask, 7, sizeof mask);
    must_succeed(causal_mask(mask, 3, 3));
    expect_mask(mask, expected, 3, 3);
}

Test(causal_mask, the_last_query_sees_every_key)
{
    const uint8_t expected[] = {1, 1, 1, 1, 0, //
                                1, 1, 1, 1, 1};
    uint8_t mask[10];
    memset(mask, 7, sizeof mask);
    must_succeed(causal_mask(mask, 2, 5));
    expect_mask(mask, expected, 2, 5);
}

Test(causal_mask, one_query_after_a_past_sees_all_of_it)
{
    const uint8_t expected[] = {1, 1, 1, 1};
    uint8_t mask[4];
    memset(mask, 7, sizeof mask);
    must_succeed(causal_mask(mask, 1, 4));
    expect_mask(mask, expected, 1, 4);
}

Test(causal_mask, the_first_queries_see_nothing_when_there_are_more_than_keys)
{
    const uint8_t expected[] = {0, 0, //
                                0, 0, //
                                1, 0, //
                                1, 1};
    uint8_t mask[8];
    memset(mask, 7, sizeof mask);
    must_succeed(causal_mask(mask, 4, 2));
    expect_mask(mask, expected, 4, 2);
}

Test(causal_mask, a_size_of_zero_is_refused_and_nothing_written)
{
    uint8_t mask[1] = {7};
    must_return(causal_mask(mask, 0, 3), LAB_ESHAPE);
    must_return(causal_mask(mask, 3, 0), LAB_ESHAPE);
    cr_expect(mask[0] == 7);
}

// ---- 3.2 masked_fill ----------------------------------------------------------------------

// The scores of the handout: query t against key s, t and s = 0, 1, 2.
static const float handout_scores[] = {2, 1, 4, //
                                       1, 3, 5, //
                                       0, 2, 1};
static const uint8_t triangle[] = {1, 0, 0, //
                                   1, 1, 0, //
                                   1, 1, 1};

Test(masked_fill, keeps_allowed_scores_and_removes_the_others)
{
    const float expected[] = {2, -INFINITY, -INFINITY, //
                              1, 3,         -INFINITY, //
                              0, 2,         1};
    float out[9];
    poison(out, 9);
    must_succeed(masked_fill(out, handout_scores, triangle, 3, 3));
    expect_close(out, expected, 3, 3, 0.0f, 0.0f);
}

// ---- 3.3 masked_softmax -------------------------------------------------------------------

Test(masked_softmax, gives_the_digits_of_the_handout)
{
    const float expected[] = {1.000000f, 0.000000f, 0.000000f, //
                              0.119203f, 0.880797f, 0.000000f, //
                              0.090031f, 0.665241f, 0.244728f};
    float weights[9];
    poison(weights, 9);
    must_succeed(masked_softmax(weights, handout_scores, triangle, 3, 3));
    expect_close(weights, expected, 3, 3, 1e-6f, 0.0f);
}

Test(masked_softmax, rows_sum_to_one)
{
    enum { N = 7, S = 13 };
    float scores[N * S], weights[N * S];
    uint8_t mask[N * S];
    struct lab_rng rng;
    lab_rng_seed(&rng, 3);
    lab_rng_randn(&rng, scores, N * S);
    for (size_t i = 0; i < N * S; i++) {
        mask[i] = i % 3 != 0;
    }
    poison(weights, N * S);
    must_succeed(masked_softmax(weights, scores, mask, N, S));
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += weights[n * S + s];
        }
        cr_expect(is_close(sum, 1.0f, 1e-6f, 0.0f), "row %zu sums to %.9g", n,
                  shown((double)sum));
    }
}

Test(masked_softmax, forbidden_keys_have_weight_exactly_0)
{
    const float scores[] = {0.5f, 10.0f, -0.5f, 20.0f};
    const uint8_t mask[] = {1, 0, 1, 0};
    const float expected[] = {0.731059f, 0.0f, 0.268941f, 0.0f};
    float weights[4];
    poison(weights, 4);
    must_succeed(masked_softmax(weights, scores, mask, 1, 4));
    expect_close(weights, expected, 1, 4, 1e-6f, 0.0f);
    cr_expect(weights[1] == 0.0f && weights[3] == 0.0f);
}

// PyTorch gives NaN for this row; this lab gives zeros.
Test(masked_softmax, a_fully_masked_row_is_zeros)
{
    const float scores[] = {1, 2, 3, //
                            1, 2, 3};
    const uint8_t mask[] = {0, 0, 0, //
                            0, 1, 0};
    const float expected[] = {0, 0, 0, //
                              0, 1, 0};
    float weights[6];
    poison(weights, 6);
    must_succeed(masked_softmax(weights, scores, mask, 2, 3));
    expect_close(weights, expected, 2, 3, 0.0f, 0.0f);
}

// The handout's experiment: two allowed scores below -10000, one forbidden key.
Test(masked_softmax, finite_minus_1e4_leaks_when_scores_are_large)
{
    const float scores[] = {-12000.0f, -11999.0f, -11998.0f};
    const float filled[] = {-12000.0f, -11999.0f, -1e4f}; // "masked" with -10000
    const uint8_t mask[] = {1, 1, 0}, everything[] = {1, 1, 1};
    const float right[] = {0.268941f, 0.731059f, 0.0f};
    const float leaked[] = {0.0f, 0.0f, 1.0f}; // all the weight on the forbidden key
    float weights[3];

    poison(weights, 3);
    must_succeed(masked_softmax(weights, scores, mask, 1, 3));
    expect_close(weights, right, 1, 3, 1e-6f, 0.0f);

    poison(weights, 3);
    must_succeed(masked_softmax(weights, filled, everything, 1, 3));
    expect_close(weights, leaked, 1, 3, 1e-6f, 0.0f);
}

// ---- 3.4 causal_attention -----------------------------------------------------------------

// Buffers for the largest attention below, to keep the tests short.
enum { MOST = 256 };
struct attention {
    float out[MOST], weights[MOST], q[MOST], k[MOST], v[MOST], scores[MOST];
    uint8_t mask[MOST];
};

static lab_status attend(struct attention *a, const float *x, const float *w_q,
                         const float *w_k, const float *w_v, size_t B, size_t T, size_t C)
{
    cr_assert(B * T * C <= MOST && B * T * T <= MOST && T * T <= MOST);
    poison(a->out, MOST);
    poison(a->weights, MOST);
    return causal_attention(a->out, a->weights, a->q, a->k, a->v, a->scores, a->mask, x,
                            w_q, w_k, w_v, B, T, C);
}

Test(causal_attention, gives_the_digits_of_the_handout)
{
    const float x[] = {1, 0, 0, 1, 1, 1}; // (1, 3, 2)
    const float w_q[] = {2, 0, 0, 1}, w_k[] = {1, 1, 0, 1}, w_v[] = {1, 0, 0, 1};
    const float weights[] = {1.000000f, 0.000000f, 0.000000f, //
                             0.330238f, 0.669762f, 0.000000f, //
                             0.087949f, 0.178370f, 0.733681f};
    const float out[] = {1.000000f, 0.000000f, //
                         0.330238f, 0.669762f, //
                         0.821630f, 0.912051f};
    struct attention a;
    must_succeed(attend(&a, x, w_q, w_k, w_v, 1, 3, 2));
    expect_close(a.weights, weights, 3, 3, 1e-6f, 1e-6f);
    expect_close(a.out, out, 3, 2, 1e-6f, 1e-6f);
}

// A random attention: B = 2, T = 5, C = 6.
enum { B = 2, T = 5, C = 6 };
struct inputs {
    float x[B * T * C], w_q[C * C], w_k[C * C], w_v[C * C];
};

static struct inputs random_inputs(uint64_t seed)
{
    struct inputs in;
    struct lab_rng rng;
    lab_rng_seed(&rng, seed);
    lab_rng_randn(&rng, in.x, B * T * C);
    must_succeed(lab_rng_linear(&rng, in.w_q, NULL, C, C));
    must_succeed(lab_rng_linear(&rng, in.w_k, NULL, C, C));
    must_succeed(lab_rng_linear(&rng, in.w_v, NULL, C, C));
    return in;
}

Test(causal_attention, token_zero_attends_to_itself)
{
    struct inputs in = random_inputs(1);
    struct attention a;
    must_succeed(attend(&a, in.x, in.w_q, in.w_k, in.w_v, B, T, C));
    for (size_t b = 0; b < B; b++) {
        cr_expect(a.weights[b * T * T] == 1.0f, "weights[%zu][0][0] is %.9g", b,
                  (double)a.weights[b * T * T]);
        expect_close(a.out + b * T * C, a.v + b * T * C, 1, C, 1e-6f, 1e-6f);
    }
}

Test(causal_attention, the_upper_triangle_is_empty)
{
    struct inputs in = random_inputs(2);
    struct attention a;
    must_succeed(attend(&a, in.x, in.w_q, in.w_k, in.w_v, B, T, C));
    for (size_t i = 0; i < B * T * T; i++) {
        size_t t = i / T % T, s = i % T;
        cr_expect(s <= t || a.weights[i] == 0.0f, "weights[%zu][%zu][%zu] is %.9g",
                  i / (T * T), t, s, (double)a.weights[i]);
    }
}

// Changing token t + 1 does not change outputs up to t. With the mask inside the softmax,
// not a single bit changes. With a mask after it and renormalized rows, the last digit
// may change; the grader allows a quarter of its tolerance.
Test(causal_attention, mask_hides_the_future)
{
    struct inputs before = random_inputs(3);
    struct attention first, second;
    must_succeed(attend(&first, before.x, before.w_q, before.w_k, before.w_v, B, T, C));
    for (size_t changed = 1; changed < T; changed++) {
        struct inputs after = before;
        for (size_t b = 0; b < B; b++) {
            for (size_t c = 0; c < C; c++) {
                after.x[(b * T + changed) * C + c] += 10.0f;
            }
        }
        must_succeed(attend(&second, after.x, after.w_q, after.w_k, after.w_v, B, T, C));
        for (size_t b = 0; b < B; b++) {
            expect_close(second.out + b * T * C, first.out + b * T * C, changed, C,
                         2.5e-6f, 2.5e-5f);
            cr_expect(
                memcmp(first.out + (b * T + changed) * C,
                       second.out + (b * T + changed) * C, C * sizeof *first.out) != 0,
                "token %zu of sequence %zu did not reach its own output", changed, b);
        }
    }
}

// ---- 3.5 padding_mask and combine_masks ---------------------------------------------------

Test(padding_mask, allows_the_first_keys_of_each_sequence)
{
    const size_t lengths[] = {2, 0, 4};
    const uint8_t expected[] = {1, 1, 0, 0, //
                                0, 0, 0, 0, //
                                1, 1, 1, 1};
    uint8_t mask[12];
    memset(mask, 7, sizeof mask);
    must_succeed(padding_mask(mask, lengths, 3, 4));
    expect_mask(mask, expected, 3, 4);
}

Test(padding_mask, a_length_beyond_the_keys_is_refused_and_nothing_written)
{
    const size_t lengths[] = {2, 5};
    const uint8_t untouched[] = {7, 7, 7, 7, 7, 7, 7, 7};
    uint8_t mask[8];
    memset(mask, 7, sizeof mask);
    must_return(padding_mask(mask, lengths, 2, 4), LAB_ESHAPE);
    expect_mask(mask, untouched, 2, 4);
}

Test(combine_masks, both_must_allow_a_key)
{
    const uint8_t padding[] = {1, 1, 0, //
                               1, 1, 1};
    const uint8_t expected[] = {1, 0, 0, 1, 1, 0, 1, 1, 0, // sequence 0, two tokens long
                                1, 0, 0, 1, 1, 0, 1, 1, 1};
    uint8_t mask[18];
    memset(mask, 7, sizeof mask);
    must_succeed(combine_masks(mask, triangle, padding, 2, 3, 3));
    expect_mask(mask, expected, 6, 3);
}

Test(combine_masks, a_sequence_without_tokens_has_weights_0)
{
    const size_t lengths[] = {0};
    uint8_t padding[3], mask[9];
    float weights[9];
    const float zeros[9] = {0};
    must_succeed(padding_mask(padding, lengths, 1, 3));
    must_succeed(combine_masks(mask, triangle, padding, 1, 3, 3));
    poison(weights, 9);
    must_succeed(masked_softmax(weights, handout_scores, mask, 3, 3));
    expect_close(weights, zeros, 3, 3, 0.0f, 0.0f);
}

// ---- PyTorch ------------------------------------------------------------------------------

static struct lab_tensor_file open_goldens(void)
{
    struct lab_tensor_file file;
    lab_status status = lab_tensor_file_open(&file, "datasets/goldens/lab03.safetensors");
    cr_assert(status == LAB_OK, "%s", file.error);
    return file;
}

static const float *golden(struct lab_tensor_file *file, const char *name, size_t dims,
                           const size_t *shape)
{
    const float *data = lab_tensor_f32(file, name, dims, shape);
    cr_assert(data != NULL, "%s", file->error);
    return data;
}

static const uint8_t *golden_mask(struct lab_tensor_file *file, const char *name,
                                  size_t dims, const size_t *shape)
{
    const uint8_t *data = lab_tensor_u8(file, name, dims, shape);
    cr_assert(data != NULL, "%s", file->error);
    return data;
}

Test(causal_mask, matches_pytorch)
{
    static const struct {
        const char *name;
        size_t shape[2];
    } goldens[] = {{"causal_mask.T5_S5", {5, 5}},
                   {"causal_mask.T3_S5", {3, 5}},
                   {"causal_mask.T5_S3", {5, 3}},
                   {"causal_mask.T1_S4", {1, 4}}};
    struct lab_tensor_file file = open_goldens();
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        const size_t *shape = goldens[i].shape;
        uint8_t mask[25];
        memset(mask, 7, sizeof mask);
        must_succeed(causal_mask(mask, shape[0], shape[1]));
        expect_mask(mask, golden_mask(&file, goldens[i].name, 2, shape), shape[0],
                    shape[1]);
    }
    lab_tensor_file_close(&file);
}

Test(masked_fill, matches_pytorch)
{
    const size_t shape[] = {4, 5};
    struct lab_tensor_file file = open_goldens();
    const float *scores = golden(&file, "masked_fill.scores", 2, shape);
    const uint8_t *mask = golden_mask(&file, "masked_fill.mask", 2, shape);
    const float *expected = golden(&file, "masked_fill.out", 2, shape);
    float out[20];
    poison(out, 20);
    must_succeed(masked_fill(out, scores, mask, 4, 5));
    expect_close(out, expected, 4, 5, 0.0f, 0.0f);
    lab_tensor_file_close(&file);
}

// PyTorch gives NaN in a row without an allowed key; the golden file has zeros there.
Test(masked_softmax, matches_pytorch)
{
    const size_t shape[] = {6, 5};
    struct lab_tensor_file file = open_goldens();
    const float *scores = golden(&file, "masked_softmax.scores", 2, shape);
    const uint8_t *mask = golden_mask(&file, "masked_softmax.mask", 2, shape);
    const float *expected = golden(&file, "masked_softmax.weights", 2, shape);
    float weights[30];
    poison(weights, 30);
    must_succeed(masked_softmax(weights, scores, mask, 6, 5));
    expect_close(weights, expected, 6, 5, 1e-6f, 1e-5f);
    lab_tensor_file_close(&file);
}

Test(causal_attention, matches_pytorch)
{
    const size_t shape[] = {B, T, C}, square[] = {C, C}, map[] = {B, T, T};
    struct lab_tensor_file file = open_goldens();
    const float *x = golden(&file, "causal_attention.x", 3, shape);
    const float *w_q = golden(&file, "causal_attention.w_q", 2, square);
    const float *w_k = golden(&file, "causal_attention.w_k", 2, square);
    const float *w_v = golden(&file, "causal_attention.w_v", 2, square);
    struct attention a;
    must_succeed(attend(&a, x, w_q, w_k, w_v, B, T, C));
    expect_close(a.weights, golden(&file, "causal_attention.weights", 3, map), B * T, T,
                 1e-6f, 1e-4f);
    expect_close(a.out, golden(&file, "causal_attention.out", 3, shape), B * T, C, 1e-5f,
                 1e-4f);
    lab_tensor_file_close(&file);
}

Test(padding_mask, matches_pytorch)
{
    const size_t lengths[] = {5, 2, 0, 4}, shape[] = {4, 5};
    struct lab_tensor_file file = open_goldens();
    uint8_t mask[20];
    memset(mask, 7, sizeof mask);
    must_succeed(padding_mask(mask, lengths, 4, 5));
    expect_mask(mask, golden_mask(&file, "padding_mask.mask", 2, shape), 4, 5);
    lab_tensor_file_close(&file);
}

Test(combine_masks, matches_pytorch)
{
    const size_t one[] = {3, 5}, keys[] = {4, 5}, both[] = {4, 3, 5};
    struct lab_tensor_file file = open_goldens();
    const uint8_t *attention = golden_mask(&file, "combine_masks.attention", 2, one);
    const uint8_t *padding = golden_mask(&file, "combine_masks.padding", 2, keys);
    uint8_t mask[60];
    memset(mask, 7, sizeof mask);
    must_succeed(combine_masks(mask, attention, padding, 4, 3, 5));
    expect_mask(mask, golden_mask(&file, "combine_masks.mask", 3, both), 4 * 3, 5);
    lab_tensor_file_close(&file);
}
