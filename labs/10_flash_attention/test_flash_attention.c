// test_flash_attention.c - worked examples of lab 10: digits that can be checked by hand,
// PyTorch's digits, and the property that the lab rests on: the result does not depend on how
// queries and keys are cut into tiles. Run them with "make unit LAB=10"; add your own below.
//
// Some examples compare with your functions of labs 4, 6 and 9, and wait until you have written
// those. The program runs in the repository's root, which contains datasets/.

#include "10_flash_attention/flash_attention.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "04_multi_head/heads.h"
#include "06_copy_task/copy_task.h"
#include "09_generation/generation.h"
#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

// ---- helpers ------------------------------------------------------------------------------

static struct lab_tensor_file goldens;

static void open_goldens(void)
{
    lab_status status =
        lab_tensor_file_open(&goldens, "datasets/goldens/lab10.safetensors");
    cr_assert(status == LAB_OK, "%s", goldens.error);
}

static void close_goldens(void)
{
    lab_tensor_file_close(&goldens);
}

TestSuite(pytorch, .init = open_goldens, .fini = close_goldens);

// A golden "name.part" of count floats, of any shape.
static const float *golden(const char *name, const char *part, size_t count)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, part);
    const struct lab_tensor *tensor = lab_tensor_find(&goldens, full);
    cr_assert(tensor != NULL && tensor->dtype == LAB_F32, "no golden %s", full);
    cr_assert(tensor->count == count, "%s has %zu numbers", full, tensor->count);
    return tensor->data;
}

// Sizes of a call.
struct sizes {
    size_t B, NH, T, S, hs;
    bool causal;
};

enum { MOST = 64 * 64 }; // numbers of a tensor or a tile in these examples

// Workspaces for any tile of an example, NaN so that reading them before writing shows.
static struct flash_buffers buffers(void)
{
    static float z[7][MOST];
    for (int i = 0; i < 7; i++) {
        poison(z[i], MOST);
    }
    return (struct flash_buffers){z[0], z[1], z[2], z[3], z[4], z[5], z[6]};
}

static struct flash_backward_buffers backward_buffers(void)
{
    static float z[3][MOST];
    for (int i = 0; i < 3; i++) {
        poison(z[i], MOST);
    }
    return (struct flash_backward_buffers){z[0], z[1], z[2]};
}

static lab_status attend(float *out, float *logsumexp, const float *q, const float *k,
                         const float *v, const struct sizes *n, size_t Br, size_t Bc)
{
    const struct flash_buffers z = buffers();
    poison(out, n->B * n->NH * n->T * n->hs);
    poison(logsumexp, n->B * n->NH * n->T);
    return flash_attention(out, logsumexp, &z, q, k, v, n->causal, n->B, n->NH, n->T,
                           n->S, n->hs, Br, Bc);
}

static void draw(float *x, size_t count, uint64_t seed)
{
    struct lab_rng rng;
    lab_rng_seed(&rng, seed);
    lab_rng_randn(&rng, x, count);
}

// ---- 10.1 a softmax in parts --------------------------------------------------------------

// The handout's example: hs = 4, so the scores are divided by 2. Value s has its 1 in channel s.
static const float query[] = {2, 0, 0, 0};
static const float keys[4 * 4] = {1, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0};
static const float values[4 * 4] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

Test(partial_attention, two_keys_of_the_handout)
{
    float max, sum, weighted[4], scores[2];
    must_succeed(
        partial_attention(&max, &sum, weighted, scores, query, keys, values, 1, 2, 4, 2));
    expect_close(&max, ((float[]){1}), 1, 1, 0.0f, 0.0f);
    expect_close(&sum, ((float[]){1.367879f}), 1, 1, 1e-6f, 0.0f);
    expect_close(weighted, ((float[]){1, 0.367879f, 0, 0}), 1, 4, 1e-6f, 0.0f);
}

// M = 3 queries, N = 2 keys, diagonal -1: query 0 sees no key, query 1 key 0, query 2 both.
Test(partial_attention, a_negative_diagonal_hides_keys)
{
    const float q[] = {1, 1, 1}, k[] = {0, 0}, v[] = {3, 5};
    float max[3], sum[3], weighted[3], scores[6];
    must_succeed(partial_attention(max, sum, weighted, scores, q, k, v, 3, 2, 1, -1));
    expect_close(max, ((float[]){-INFINITY, 0, 0}), 1, 3, 0.0f, 0.0f);
    expect_close(sum, ((float[]){0, 1, 2}), 1, 3, 0.0f, 0.0f);
    expect_close(weighted, ((float[]){0, 3, 8}), 1, 3, 0.0f, 0.0f);
}

Test(partial_attention, keys_that_nobody_sees_are_not_read)
{
    const float q[] = {1, 1}, k[] = {2, 2, NAN}, v[] = {3, 5, NAN};
    float max[2], sum[2], weighted[2], scores[6];
    must_succeed(partial_attention(max, sum, weighted, scores, q, k, v, 2, 3, 1, 0));
    expect_close(sum, ((float[]){1, 2}), 1, 2, 0.0f, 0.0f);
    expect_close(weighted, ((float[]){3, 8}), 1, 2, 0.0f, 0.0f);
}

Test(partial_attention, a_diagonal_above_all_keys_shows_every_key)
{
    const float q[] = {0, 0}, k[] = {1, 1, 1}, v[] = {1, 2, 4};
    float max[2], sum[2], weighted[2], scores[6];
    must_succeed(
        partial_attention(max, sum, weighted, scores, q, k, v, 2, 3, 1, PTRDIFF_MAX));
    expect_close(sum, ((float[]){3, 3}), 1, 2, 0.0f, 0.0f);
    expect_close(weighted, ((float[]){7, 7}), 1, 2, 0.0f, 0.0f);
}

Test(partial_attention, scores_of_ten_thousand_do_not_overflow)
{
    const float q[] = {1}, k[] = {10000, 9999}, v[] = {1, 0};
    float max, sum, weighted, scores[2];
    must_succeed(partial_attention(&max, &sum, &weighted, scores, q, k, v, 1, 2, 1, 2));
    expect_close(&max, ((float[]){10000}), 1, 1, 0.0f, 0.0f);
    expect_close(&sum, ((float[]){1.367879f}), 1, 1, 1e-6f, 0.0f);
}

Test(partial_attention, a_size_of_0_is_refused)
{
    float x[4] = {9, 9, 9, 9};
    must_return(
        partial_attention(x, x + 1, x + 2, x + 3, query, keys, values, 0, 2, 4, 2),
        LAB_ESHAPE);
    must_return(
        partial_attention(x, x + 1, x + 2, x + 3, query, keys, values, 1, 0, 4, 2),
        LAB_ESHAPE);
    expect_close(x, ((float[]){9, 9, 9, 9}), 1, 4, 0.0f, 0.0f);
}

// The handout's example: part a has keys 0 and 1, part b keys 2 and 3.
Test(online_softmax_merge, two_parts_of_the_handout)
{
    float max = 1, sum = 1.367879f, weighted[] = {1, 0.367879f, 0, 0};
    const float max_b = 3, sum_b = 1.135335f, weighted_b[] = {0, 0, 1, 0.135335f};
    must_succeed(
        online_softmax_merge(&max, &sum, weighted, &max_b, &sum_b, weighted_b, 1, 4));
    expect_close(&max, ((float[]){3}), 1, 1, 0.0f, 0.0f);
    expect_close(&sum, ((float[]){1.320458f}), 1, 1, 2e-6f, 0.0f);
    expect_close(weighted, ((float[]){0.135335f, 0.049787f, 1, 0.135335f}), 1, 4, 2e-6f,
                 0.0f);
}

Test(online_softmax_merge, a_part_without_keys_changes_nothing)
{
    float max[] = {2, -INFINITY, -INFINITY}, sum[] = {3, 0, 0}, weighted[] = {5, 0, 0};
    const float max_b[] = {-INFINITY, 2, -INFINITY}, sum_b[] = {0, 3, 0},
                weighted_b[] = {0, 5, 0};
    must_succeed(
        online_softmax_merge(max, sum, weighted, max_b, sum_b, weighted_b, 3, 1));
    expect_close(max, ((float[]){2, 2, -INFINITY}), 1, 3, 0.0f, 0.0f);
    expect_close(sum, ((float[]){3, 3, 0}), 1, 3, 0.0f, 0.0f);
    expect_close(weighted, ((float[]){5, 5, 0}), 1, 3, 0.0f, 0.0f);
}

Test(online_softmax_merge, the_larger_maximum_may_be_on_either_side)
{
    float max[] = {0, 10000}, sum[] = {4, 4}, weighted[] = {8, 8};
    const float max_b[] = {10000, 0}, sum_b[] = {2, 2}, weighted_b[] = {6, 6};
    must_succeed(
        online_softmax_merge(max, sum, weighted, max_b, sum_b, weighted_b, 2, 1));
    expect_close(max, ((float[]){10000, 10000}), 1, 2, 0.0f, 0.0f);
    expect_close(sum, ((float[]){2, 4}), 1, 2, 0.0f, 0.0f);
    expect_close(weighted, ((float[]){6, 8}), 1, 2, 0.0f, 0.0f);
}

// M = 4 queries over N = 7 keys in one part, and in two: keys 0 to 2, then 3 to 6, and the other way
// around. Query r sees the keys up to r, so the second part has keys for query 3 only.
Test(online_softmax_merge, two_parts_give_the_whole_in_any_order)
{
    enum { M = 4, N = 7, hs = 3 };
    static const size_t starts[] = {0, 3, N};
    float q[M * hs], k[N * hs], v[N * hs], scores[M * N];
    float whole_max[M], whole_sum[M], whole_weighted[M * hs];
    draw(q, M * hs, 1);
    draw(k, N * hs, 2);
    draw(v, N * hs, 3);
    must_succeed(partial_attention(whole_max, whole_sum, whole_weighted, scores, q, k, v,
                                   M, N, hs, 0));
    for (int first = 0; first < 2; first++) {
        float max[M], sum[M] = {0}, weighted[M * hs] = {0}; // no keys so far
        float max_b[M], sum_b[M], weighted_b[M * hs];
        for (int r = 0; r < M; r++) {
            max[r] = -INFINITY;
        }
        for (int i = 0; i < 2; i++) {
            const int p = (first + i) % 2;
            const size_t start = starts[p], count = starts[p + 1] - start;
            must_succeed(partial_attention(max_b, sum_b, weighted_b, scores, q,
                                           k + start * hs, v + start * hs, M, count, hs,
                                           -(ptrdiff_t)start));
            must_succeed(online_softmax_merge(max, sum, weighted, max_b, sum_b,
                                              weighted_b, M, hs));
        }
        expect_close(max, whole_max, 1, M, 0.0f, 0.0f);
        expect_close(sum, whole_sum, 1, M, 0.0f, 1e-6f);
        expect_close(weighted, whole_weighted, M, hs, 1e-6f, 1e-6f);
    }
}

// ---- 10.2 tiles ---------------------------------------------------------------------------

Test(flash_attention, the_handout_s_query_over_four_keys)
{
    const struct sizes n = {.B = 1, .NH = 1, .T = 1, .S = 4, .hs = 4};
    float out[4], logsumexp;
    must_succeed(attend(out, &logsumexp, query, keys, values, &n, 1, 2));
    expect_close(out, ((float[]){0.102491f, 0.037704f, 0.757313f, 0.102491f}), 1, 4,
                 1e-6f, 0.0f);
    expect_close(&logsumexp, ((float[]){3.277978f}), 1, 1, 2e-6f, 0.0f);
}

// T = 3, S = 1: queries 0 and 1 see no key.
Test(flash_attention, a_query_that_sees_no_key_gets_zeros)
{
    const struct sizes n = {.B = 1, .NH = 1, .T = 3, .S = 1, .hs = 2, .causal = true};
    const float q[] = {1, 2, 3, 4, 5, 6}, k[] = {0, 0}, v[] = {7, 8};
    float out[6], logsumexp[3];
    must_succeed(attend(out, logsumexp, q, k, v, &n, 2, 2));
    expect_close(out, ((float[]){0, 0, 0, 0, 7, 8}), 3, 2, 0.0f, 0.0f);
    expect_close(logsumexp, ((float[]){-INFINITY, -INFINITY, 0}), 1, 3, 0.0f, 0.0f);
}

// Sizes of tiles: one key, odd ones, one that divides, one larger than everything.
static const size_t tiles[][2] = {{1, 1}, {2, 3}, {3, 2}, {5, 1}, {4, 7}, {64, 64}};
enum { TILES = sizeof tiles / sizeof *tiles };

Test(flash_attention, the_size_of_the_tiles_does_not_matter)
{
    const struct sizes n = {.B = 2, .NH = 3, .T = 5, .S = 7, .hs = 4, .causal = true};
    float q[120], k[168], v[168], first[120], out[120], logsumexp[30];
    draw(q, 120, 1);
    draw(k, 168, 2);
    draw(v, 168, 3);
    must_succeed(attend(first, logsumexp, q, k, v, &n, 5, 7));
    for (int i = 0; i < TILES; i++) {
        must_succeed(attend(out, logsumexp, q, k, v, &n, tiles[i][0], tiles[i][1]));
        expect_close(out, first, 30, 4, 1e-6f, 1e-6f);
    }
}

Test(flash_attention, sizes_of_0_are_refused)
{
    const struct flash_buffers z = buffers();
    float out[4] = {9, 9, 9, 9}, logsumexp = 9;
    must_return(flash_attention(out, &logsumexp, &z, query, keys, values, false, 1, 1, 1,
                                4, 4, 0, 2),
                LAB_ESHAPE);
    must_return(flash_attention(out, &logsumexp, &z, query, keys, values, false, 1, 1, 1,
                                4, 4, 2, 0),
                LAB_ESHAPE);
    must_return(flash_attention(out, &logsumexp, &z, query, keys, values, false, 1, 1, 1,
                                0, 4, 2, 2),
                LAB_ESHAPE);
    expect_close(out, ((float[]){9, 9, 9, 9}), 1, 4, 0.0f, 0.0f);
    expect_close(&logsumexp, ((float[]){9}), 1, 1, 0.0f, 0.0f);
}

// Calls whose sizes all differ: more keys than queries, with and without the causal rule, and fewer.
static const struct sizes shapes[] = {
    {.B = 2, .NH = 3, .T = 5, .S = 7, .hs = 4},
    {.B = 2, .NH = 3, .T = 5, .S = 7, .hs = 4, .causal = true},
    {.B = 1, .NH = 2, .T = 7, .S = 5, .hs = 3, .causal = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct tensors {
    float q[MOST], k[MOST], v[MOST], dout[MOST];
};

static void draw_tensors(struct tensors *x, const struct sizes *n)
{
    draw(x->q, n->B * n->NH * n->T * n->hs, 1);
    draw(x->k, n->B * n->NH * n->S * n->hs, 2);
    draw(x->v, n->B * n->NH * n->S * n->hs, 3);
    draw(x->dout, n->B * n->NH * n->T * n->hs, 4);
}

// Lab 4's attention, with the causal rule as a mask.
static lab_status attend_with_weights(float *out, float *weights, const struct tensors *x,
                                      const struct sizes *n)
{
    static float scores[MOST];
    uint8_t mask[MOST];
    for (size_t i = 0; i < n->B * n->T * n->S; i++) {
        const size_t t = i / n->S % n->T, s = i % n->S;
        mask[i] = !n->causal || s + n->T <= t + n->S;
    }
    return scaled_dot_product_attention(out, weights, scores, x->q, x->k, x->v, mask,
                                        n->B, n->NH, n->T, n->S, n->hs);
}

Test(flash_attention, gives_what_lab_4_s_attention_gives)
{
    static struct tensors x;
    float expected[MOST], weights[MOST], out[MOST], logsumexp[MOST];
    for (int c = 0; c < SHAPES; c++) {
        const struct sizes *n = &shapes[c];
        draw_tensors(&x, n);
        must_succeed(attend_with_weights(expected, weights, &x, n));
        for (int i = 0; i < TILES; i++) {
            must_succeed(
                attend(out, logsumexp, x.q, x.k, x.v, n, tiles[i][0], tiles[i][1]));
            expect_close(out, expected, n->B * n->NH * n->T, n->hs, 1e-6f, 1e-5f);
        }
    }
}

// ---- 10.3 causal tiles --------------------------------------------------------------------

static lab_status attend_and_count(float *out, float *logsumexp, size_t *visited,
                                   const float *q, const float *k, const float *v,
                                   const struct sizes *n, size_t Br, size_t Bc)
{
    const struct flash_buffers z = buffers();
    *visited = 12345;
    poison(out, n->B * n->NH * n->T * n->hs);
    poison(logsumexp, n->B * n->NH * n->T);
    return flash_attention_causal(out, logsumexp, visited, &z, q, k, v, n->B, n->NH, n->T,
                                  n->S, n->hs, Br, Bc);
}

// The tiles of one head that hold a pair of query t and key s with s <= t + S - T.
static size_t count_tiles(const struct sizes *n, size_t Br, size_t Bc)
{
    size_t count = 0;
    for (size_t t0 = 0; t0 < n->T; t0 += Br) {
        for (size_t s0 = 0; s0 < n->S; s0 += Bc) {
            bool any = false;
            for (size_t t = t0; t < t0 + Br && t < n->T; t++) {
                any = any || s0 + n->T <= t + n->S;
            }
            count += any;
        }
    }
    return count;
}

Test(flash_attention_causal, four_by_four_tiles_of_which_ten_are_visited)
{
    const struct sizes n = {.B = 1, .NH = 1, .T = 8, .S = 8, .hs = 2, .causal = true};
    float q[16], k[16], v[16], out[16], logsumexp[8];
    size_t visited;
    draw(q, 16, 1);
    draw(k, 16, 2);
    draw(v, 16, 3);
    must_succeed(attend_and_count(out, logsumexp, &visited, q, k, v, &n, 2, 2));
    cr_assert(visited == 10, "visited is %zu and should be 1 + 2 + 3 + 4", visited);
}

Test(flash_attention_causal, gives_what_all_tiles_give)
{
    const struct sizes all[] = {
        {2, 3, 5, 5, 4, true}, {1, 2, 4, 7, 3, true}, {2, 2, 7, 4, 3, true}};
    float q[512], k[512], v[512], expected[512], out[512], expected_lse[64], lse[64];
    draw(q, 512, 1);
    draw(k, 512, 2);
    draw(v, 512, 3);
    for (size_t c = 0; c < 3; c++) {
        const struct sizes *n = &all[c];
        must_succeed(attend(expected, expected_lse, q, k, v, n, 3, 2));
        for (int i = 0; i < TILES; i++) {
            const size_t Br = tiles[i][0], Bc = tiles[i][1];
            size_t visited;
            must_succeed(attend_and_count(out, lse, &visited, q, k, v, n, Br, Bc));
            expect_close(out, expected, n->B * n->NH * n->T, n->hs, 1e-6f, 1e-6f);
            expect_close(lse, expected_lse, n->B * n->NH, n->T, 1e-6f, 1e-6f);
            const size_t right = n->B * n->NH * count_tiles(n, Br, Bc);
            cr_assert(visited == right, "visited is %zu and should be %zu", visited,
                      right);
        }
    }
}

// ---- 10.4 backward ------------------------------------------------------------------------

// The handout's example, continued with dout = 1 0 0 0.
Test(flash_attention_backward, the_handout_s_query_over_four_keys)
{
    const struct sizes n = {.B = 1, .NH = 1, .T = 1, .S = 4, .hs = 4};
    const struct flash_backward_buffers z = backward_buffers();
    const float dout[] = {1, 0, 0, 0};
    float out[4], logsumexp, dq[4], dk[16], dv[16];
    must_succeed(attend(out, &logsumexp, query, keys, values, &n, 1, 2));
    must_succeed(flash_attention_backward(dq, dk, dv, &z, dout, out, &logsumexp, query,
                                          keys, values, false, 1, 1, 1, 4, 4, 1, 2));
    // dv[s] = weights[s] dout; dscores[0] = w0 (1 - w0), the others - w0 ws
    const float w[] = {0.102491f, 0.037704f, 0.757313f, 0.102491f};
    for (int s = 0; s < 4; s++) {
        const float dscore = w[s] * ((s == 0) - w[0]);
        expect_close(dv + 4 * s, ((float[]){w[s], 0, 0, 0}), 1, 4, 1e-6f, 0.0f);
        expect_close(dk + 4 * s, ((float[]){dscore * 2 / 2, 0, 0, 0}), 1, 4, 1e-6f, 0.0f);
    }
    const float d0 = w[0] * (1 - w[0]), d1 = -w[0] * w[1], d2 = -w[0] * w[2],
                d3 = -w[0] * w[3];
    expect_close(dq, ((float[]){(d0 + 3 * d2 + d3) / 2, d1 / 2, 0, 0}), 1, 4, 1e-6f,
                 0.0f);
}

Test(flash_attention_backward, a_query_that_sees_no_key_gives_no_gradient)
{
    const struct flash_backward_buffers z = backward_buffers();
    const float q[] = {1, 2, 3}, k[] = {0.5f}, v[] = {7}, dout[] = {1, 1, 1};
    const float out[] = {0, 0, 7}, logsumexp[] = {-INFINITY, -INFINITY, 1.5f};
    float dq[3], dk[1], dv[1];
    must_succeed(flash_attention_backward(dq, dk, dv, &z, dout, out, logsumexp, q, k, v,
                                          true, 1, 1, 3, 1, 1, 2, 2));
    expect_close(dq, ((float[]){0, 0, 0}), 1, 3, 1e-6f, 0.0f); // one key: its weight is 1
    expect_close(dk, ((float[]){0}), 1, 1, 1e-6f, 0.0f);
    expect_close(dv, ((float[]){1}), 1, 1, 1e-6f, 0.0f);
}

Test(flash_attention_backward, gives_what_lab_6_s_attention_backward_gives)
{
    static struct tensors x;
    static float dq[2][MOST], dk[2][MOST], dv[2][MOST], dweights[MOST], dscores[MOST];
    float out[MOST], weights[MOST], logsumexp[MOST];
    for (int c = 0; c < SHAPES; c++) {
        const struct sizes *n = &shapes[c];
        draw_tensors(&x, n);
        must_succeed(attend_with_weights(out, weights, &x, n));
        must_succeed(attention_backward(dq[0], dk[0], dv[0], dweights, dscores, x.dout,
                                        x.q, x.k, x.v, weights, n->B, n->NH, n->T, n->S,
                                        n->hs));
        must_succeed(attend(out, logsumexp, x.q, x.k, x.v, n, 2, 3));
        for (int i = 0; i < TILES; i++) {
            const struct flash_backward_buffers z = backward_buffers();
            poison(dq[1], MOST);
            poison(dk[1], MOST);
            poison(dv[1], MOST);
            must_succeed(flash_attention_backward(
                dq[1], dk[1], dv[1], &z, x.dout, out, logsumexp, x.q, x.k, x.v, n->causal,
                n->B, n->NH, n->T, n->S, n->hs, tiles[i][0], tiles[i][1]));
            expect_close(dq[1], dq[0], n->B * n->NH * n->T, n->hs, 2e-6f, 1e-5f);
            expect_close(dk[1], dk[0], n->B * n->NH * n->S, n->hs, 2e-6f, 1e-5f);
            expect_close(dv[1], dv[0], n->B * n->NH * n->S, n->hs, 2e-6f, 1e-5f);
        }
    }
}

Test(flash_attention_backward, sizes_of_0_are_refused)
{
    const struct flash_backward_buffers z = backward_buffers();
    const float dout[4] = {1}, out[4] = {0}, logsumexp = 0;
    float dq[4] = {9, 9, 9, 9}, dk[16], dv[16];
    must_return(flash_attention_backward(dq, dk, dv, &z, dout, out, &logsumexp, query,
                                         keys, values, false, 1, 1, 1, 0, 4, 2, 2),
                LAB_ESHAPE);
    expect_close(dq, ((float[]){9, 9, 9, 9}), 1, 4, 0.0f, 0.0f);
}

// ---- 10.5 parts that are finished ---------------------------------------------------------

// The handout's parts, divided by their sums: logsumexp 1 + log 1.367879 and 3 + log 1.135335.
Test(combine_partials, two_parts_of_the_handout)
{
    const float part_out[] = {0.731059f, 0.268941f, 0, 0, 0, 0, 0.880797f, 0.119203f};
    const float part_logsumexp[] = {1.313262f, 3.126928f};
    float out[4], logsumexp;
    must_succeed(combine_partials(out, &logsumexp, part_out, part_logsumexp, 1, 2, 4));
    expect_close(out, ((float[]){0.102491f, 0.037704f, 0.757313f, 0.102491f}), 1, 4,
                 2e-6f, 0.0f);
    expect_close(&logsumexp, ((float[]){3.277978f}), 1, 1, 2e-6f, 0.0f);
}

Test(combine_partials, parts_without_keys_may_hold_anything)
{
    const float part_out[] = {NAN, 5, NAN, NAN};
    const float part_logsumexp[] = {-INFINITY, 2, -INFINITY, -INFINITY};
    float out[2], logsumexp[2];
    must_succeed(combine_partials(out, logsumexp, part_out, part_logsumexp, 2, 2, 1));
    expect_close(out, ((float[]){5, 0}), 1, 2, 0.0f, 0.0f);
    expect_close(logsumexp, ((float[]){2, -INFINITY}), 1, 2, 1e-6f, 0.0f);
}

// B = 2 sequences of 4 and 1 keys, T_max = 5, chunks of 2: three parts each.
Test(flash_decode, chunks_of_two_keys)
{
    float k[2 * 5 * 4], v[2 * 5 * 4], q[8], out[8], logsumexp[2], scores[2];
    float part_out[2 * 3 * 4], part_logsumexp[6];
    const size_t lengths[] = {4, 1};
    poison(k, 40);
    poison(v, 40);
    memcpy(k, keys, sizeof keys);
    memcpy(v, values, sizeof values);
    memcpy(k + 20, keys, 4 * sizeof *keys);
    memcpy(v + 20, values + 4, 4 * sizeof *values);
    memcpy(q, query, sizeof query);
    memcpy(q + 4, query, sizeof query);
    must_succeed(flash_decode(out, logsumexp, part_out, part_logsumexp, scores, q, k, v,
                              lengths, 2, 1, 5, 4, 2));
    expect_close(out, ((float[]){0.102491f, 0.037704f, 0.757313f, 0.102491f, 0, 1, 0, 0}),
                 2, 4, 2e-6f, 0.0f);
    expect_close(logsumexp, ((float[]){3.277978f, 1}), 1, 2, 2e-6f, 0.0f);
    expect_close(part_logsumexp,
                 ((float[]){1.313262f, 3.126928f, -INFINITY, 1, -INFINITY, -INFINITY}), 2,
                 3, 2e-6f, 0.0f);
    expect_close(part_out + 8, ((float[]){0, 0, 0, 0}), 1, 4, 0.0f, 0.0f);
}

// B = 3 sequences of 4, 9 and 1 keys; the rows behind them hold NaN.
Test(flash_decode, gives_what_lab_9_s_attention_decode_gives)
{
    enum { B = 3, NH = 2, T_max = 9, hs = 5, ROWS = B * NH * T_max };
    const size_t lengths[] = {4, 9, 1}, chunks[] = {1, 2, 4, 9, 64};
    float q[B * NH * hs], k[ROWS * hs], v[ROWS * hs], weights[ROWS], scores[ROWS + 64];
    float expected[B * NH * hs], out[B * NH * hs], logsumexp[B * NH];
    float part_out[ROWS * hs], part_logsumexp[ROWS];
    draw(q, B * NH * hs, 1);
    draw(k, ROWS * hs, 2);
    draw(v, ROWS * hs, 3);
    for (size_t r = 0; r < ROWS; r++) {
        if (r % T_max >= lengths[r / (NH * T_max)]) {
            poison(k + r * hs, hs);
            poison(v + r * hs, hs);
        }
    }
    must_succeed(
        attention_decode(expected, weights, scores, q, k, v, lengths, B, NH, T_max, hs));
    for (int i = 0; i < 5; i++) {
        poison(out, B * NH * hs);
        must_succeed(flash_decode(out, logsumexp, part_out, part_logsumexp, scores, q, k,
                                  v, lengths, B, NH, T_max, hs, chunks[i]));
        expect_close(out, expected, B * NH, hs, 1e-6f, 1e-5f);
    }
}

Test(flash_decode, a_length_outside_the_cache_is_refused)
{
    float out[4] = {9}, logsumexp, part_out[8], part_logsumexp[2], scores[2];
    for (size_t length = 0; length < 8; length += 5) {
        must_return(flash_decode(out, &logsumexp, part_out, part_logsumexp, scores, query,
                                 keys, values, &length, 1, 1, 4, 4, 2),
                    LAB_ESHAPE);
    }
    cr_assert(out[0] == 9);
}

// ---- 10.6 traffic -------------------------------------------------------------------------

Test(flash_tile_sizes, a_hundred_kilobytes)
{
    size_t Br, Bc;
    must_succeed(flash_tile_sizes(&Br, &Bc, 102400, 64));
    cr_assert(Br == 100 && Bc == 64, "Br is %zu, Bc is %zu", Br, Bc);
    must_succeed(flash_tile_sizes(&Br, &Bc, 102401, 64)); // rounded up
    cr_assert(Br == 101 && Bc == 64, "Br is %zu, Bc is %zu", Br, Bc);
    must_succeed(flash_tile_sizes(&Br, &Bc, 2048, 64));
    cr_assert(Br == 2 && Bc == 2, "Br is %zu, Bc is %zu", Br, Bc);
}

// T = 3, S = 5, hs = 2, M = 64: Br = 2, so two tiles of queries.
//   standard: q 6, k 10, scores 15 | scores 15, weights 15 | weights 15, v 10, out 6 = 92 floats
//   tiled:    q 6, k and v 20 for each tile, out 6, logsumexp 3 = 55 floats
Test(memory_traffic, counted_by_hand)
{
    size_t standard, tiled;
    must_succeed(memory_traffic(&standard, &tiled, 3, 5, 2, 64));
    cr_assert(standard == 368, "standard is %zu and should be 4 * 92", standard);
    cr_assert(tiled == 220, "tiled is %zu and should be 4 * 55", tiled);
}

// The sizes of the header's example: 11 tiles of queries.
Test(memory_traffic, a_thousand_tokens_in_a_hundred_kilobytes)
{
    size_t standard, tiled;
    must_succeed(memory_traffic(&standard, &tiled, 1024, 1024, 64, 102400));
    cr_assert(standard == 17825792, "standard is %zu", standard);
    cr_assert(tiled == 6295552, "tiled is %zu", tiled);
}

// ---- PyTorch's digits ---------------------------------------------------------------------

static void forward_is_pytorch_s(const char *name, const struct sizes *n)
{
    const size_t queries = n->B * n->NH * n->T, q = queries * n->hs,
                 k = n->B * n->NH * n->S * n->hs;
    float out[MOST], logsumexp[MOST];
    for (int i = 0; i < TILES; i++) {
        must_succeed(attend(out, logsumexp, golden(name, "q", q), golden(name, "k", k),
                            golden(name, "v", k), n, tiles[i][0], tiles[i][1]));
        expect_close(out, golden(name, "out", q), queries, n->hs, 1e-6f, 1e-5f);
        expect_close(logsumexp, golden(name, "logsumexp", queries), n->B * n->NH, n->T,
                     2e-6f, 1e-6f);
    }
}

static void backward_is_pytorch_s(const char *name, const struct sizes *n)
{
    const size_t queries = n->B * n->NH * n->T, q = queries * n->hs,
                 rows = n->B * n->NH * n->S, k = rows * n->hs;
    const struct flash_backward_buffers z = backward_buffers();
    float dq[MOST], dk[MOST], dv[MOST];
    for (int i = 0; i < TILES; i++) {
        poison(dq, q);
        poison(dk, k);
        poison(dv, k);
        must_succeed(flash_attention_backward(
            dq, dk, dv, &z, golden(name, "dout", q), golden(name, "out", q),
            golden(name, "logsumexp", queries), golden(name, "q", q),
            golden(name, "k", k), golden(name, "v", k), n->causal, n->B, n->NH, n->T,
            n->S, n->hs, tiles[i][0], tiles[i][1]));
        expect_close(dq, golden(name, "dq", q), queries, n->hs, 1e-5f, 1e-5f);
        expect_close(dk, golden(name, "dk", k), rows, n->hs, 2e-5f, 1e-5f);
        expect_close(dv, golden(name, "dv", k), rows, n->hs, 1e-5f, 1e-5f);
    }
}

static const struct {
    const char *name;
    struct sizes n;
} cases[] = {
    {"all", {2, 3, 5, 7, 4, false}},
    {"causal", {2, 2, 7, 7, 3, true}},
    {"causal.more_keys", {1, 2, 4, 9, 5, true}},
    {"causal.peaked", {1, 2, 6, 6, 8, true}},
    {"blind", {1, 2, 6, 4, 3, true}}, // the first two queries see no key
};

Test(pytorch, flash_attention)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        forward_is_pytorch_s(cases[c].name, &cases[c].n);
    }
}

Test(pytorch, flash_attention_backward)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        backward_is_pytorch_s(cases[c].name, &cases[c].n);
    }
}
