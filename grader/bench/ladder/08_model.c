// 08_model.c - the steps to solutions/fast/08_language_model/model.c.
//
// The second step includes the plain file here. So its calls reach the fast functions of
// layers.c and of the earlier labs.

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "02_batching/batching.h"
#include "04_multi_head/heads.h"
#include "05_transformer_block/block.h"
#include "07_positional_encoding/positions.h"
#include "08_language_model/language_model.h"
#include "base/memory.h"
#include "bench/ladder/ladder.h"
#include "cases/case.h"
#include "fast/common/vector_math.h"

// Different names, because the linker would use the first function of a name for both.
#define language_block plain_block
#define language_forward plain_forward
#define language_block_backward plain_block_backward
#define language_backward plain_backward
#define held_out_loss plain_held_out_loss
#define perplexity plain_perplexity
#define bits_per_character plain_bits_per_character
#include "../../../solutions/08_language_model/model.c"
#undef language_block
#undef language_forward
#undef language_block_backward
#undef language_backward
#undef held_out_loss
#undef perplexity
#undef bits_per_character

// ---- 8.6  one block, with a few queries at a time -----------------------------------------

enum { AT_A_TIME = 48 };

// The weights of queries first ... first + rows - 1, of which query t sees keys 0 ... t.
static void weights_of_rows(float *weights, const float *scores, size_t first,
                            size_t rows, size_t T)
{
    for (size_t n = 0; n < rows; n++) {
        float *weights_n = weights + n * T;
        const size_t seen = first + n + 1;
        const float max = lab_max(scores + n * T, seen);
        for (size_t s = 0; s < seen; s++) {
            weights_n[s] = lab_exp(scores[n * T + s] - max);
        }
        const float share = 1.0f / lab_sum(weights_n, seen);
        for (size_t s = 0; s < seen; s++) {
            weights_n[s] *= share;
        }
        memset(weights_n + seen, 0, (T - seen) * sizeof *weights_n);
    }
}

// Attention of one head; scores (AT_A_TIME,T) is a workspace.
static void half_of_a_head(float *out, float *weights, float *scores, const float *q,
                           const float *k, const float *v, size_t T, size_t hs)
{
    const float scale = 1.0f / sqrtf((float)hs);
    const int h = (int)hs, row = (int)T;
    for (size_t t = 0; t < T; t += AT_A_TIME) {
        const size_t rows = AT_A_TIME < T - t ? AT_A_TIME : T - t;
        const int n = (int)rows, keys = (int)(t + rows);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, keys, h, scale,
                    q + t * hs, h, k, h, 0.0f, scores, row);
        weights_of_rows(weights + t * T, scores, t, rows, T);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, h, keys, 1.0f,
                    weights + t * T, row, v, h, 0.0f, out + t * hs, h);
    }
}

static lab_status half_of_the_triangle(float *out, float *weights,
                                       const struct language_block_buffers *z,
                                       const float *x,
                                       const struct language_block_params *params,
                                       size_t B, size_t T, size_t C, size_t NH, size_t H)
{
    const size_t N = B * T, hs = C / NH;
    LAB_TRY(rmsnorm(z->normed1, z->rrms1, x, params->norm1, N, C));
    LAB_TRY(batched_linear(z->q, z->normed1, params->w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(z->k, z->normed1, params->w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(z->v, z->normed1, params->w_v, NULL, B, T, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
    for (size_t t = 0; t < T; t++) {
        z->positions[t] = t;
    }
    LAB_TRY(rope(z->q_turned, z->q_heads, z->positions, B, NH, T, hs));
    LAB_TRY(rope(z->k_turned, z->k_heads, z->positions, B, NH, T, hs));
    for (size_t i = 0; i < B * NH; i++) {
        const size_t head = i * T * hs;
        half_of_a_head(z->out_heads + head, weights + i * T * T, z->scores,
                       z->q_turned + head, z->k_turned + head, z->v_heads + head, T, hs);
    }
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    LAB_TRY(batched_linear(z->attended, z->merged, params->w_o, NULL, B, T, C, C));
    LAB_TRY(residual_add(z->middle, x, z->attended, N * C));

    LAB_TRY(rmsnorm(z->normed2, z->rrms2, z->middle, params->norm2, N, C));
    LAB_TRY(batched_linear(z->gate, z->normed2, params->w_gate, NULL, B, T, C, H));
    LAB_TRY(batched_linear(z->up, z->normed2, params->w_up, NULL, B, T, C, H));
    LAB_TRY(swiglu(z->hidden, z->gate, z->up, N * H));
    LAB_TRY(batched_linear(z->projected, z->hidden, params->w_down, NULL, B, T, H, C));
    return residual_add(out, z->middle, z->projected, N * C);
}

// ---- the arguments ------------------------------------------------------------------------

// The tensor of that name, or NULL if the case has none.
static struct tensor *find(struct test_case *test, const char *prefix, const char *name)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    for (size_t i = 0; i < test->tensors; i++) {
        if (strcmp(test->tensor[i].spec->name, whole) == 0) {
            return &test->tensor[i];
        }
    }
    return NULL;
}

// Gains near 1, and matrices (out, in) divided by the root of in.
void scale_language_params(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        struct tensor *tensor = find(test, "params.", row->name);
        if (tensor == NULL || strcmp(row->name, "token_table") == 0) {
            continue;
        }
        const bool gain = strncmp(row->name, "norm", 4) == 0;
        const float scale = gain ? 0.3f : 1.0f / sqrtf((float)tensor->columns);
        float *numbers = tensor->data;
        for (size_t i = 0; i < tensor->count; i++) {
            numbers[i] = numbers[i] * scale + (gain ? 1.0f : 0.0f);
        }
    }
}

static void whole_model(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"tokens", "targets"};
    scale_language_params(test, rng);
    for (size_t i = 0; i < 2; i++) {
        size_t *tokens = case_size(test, names[i]);
        for (size_t n = 0; n < case_count(test, names[i]); n++) {
            tokens[n] = (size_t)lab_rng_int(rng, 0, (int64_t)case_dim(test, "V"));
        }
    }
}

// Points the fields of a table to the tensors of the case.
static void point(void *tensors, const struct lab_row *rows, struct test_case *test,
                  const char *prefix)
{
    for (const struct lab_row *row = rows; row->name != NULL; row++) {
        struct tensor *tensor = find(test, prefix, row->name);
        *lab_row_pointer(tensors, row) = tensor != NULL ? tensor->data : NULL;
    }
}

// Values that the forward pass stores for the backward pass.
static void after_forward(struct test_case *test, struct lab_rng *rng)
{
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 C = case_dim(test, "C"), NH = case_dim(test, "NH"),
                 H = case_dim(test, "H");
    const struct language_shape one = {B, T, 1, C, NH, H, 1};
    struct language_params params = {0};
    struct language_activations z = {0};
    static float out[2 * 256 * 96];
    scale_language_params(test, rng);
    point(&params, language_params_rows, test, "params.");
    point(&z, language_activations_rows, test, "z.");
    z.mask = case_u8(test, "z.mask");
    z.positions = case_size(test, "z.positions");
    const struct language_block_params block = language_block_params(&params, &one, 0);
    const struct language_block_buffers buffers = language_block_buffers(&z, &one, 0);
    if (B * T * C > sizeof out / sizeof out[0] ||
        plain_block(out, case_f32(test, "weights"), &buffers, case_f32(test, "x"), &block,
                    B, T, C, NH, H) != LAB_OK) {
        grader_fail("ladder: no forward pass");
    }
}

// ---- the tables ---------------------------------------------------------------------------

// The story model, but with fewer sequences and fewer blocks.
const struct ladder ladders_language[] = {
    {"language_block",
     8,
     {.dims = "B=2 T=256 C=96 NH=6 hs=16 H=256", .fill = scale_language_params},
     {{"plain", NULL},
      {"   plain, with fast layers and labs 2 to 6", LIKE(language_block, plain_block)},
      {"3  half of the triangle", LIKE(language_block, half_of_the_triangle)},
      {"1 2 4 5 6  all the rest (this file)", LIKE(language_block, language_block)}}},
    {"language_block_backward",
     8,
     {.dims = "B=2 T=256 C=96 NH=6 hs=16 H=256", .fill = after_forward},
     {{"plain", NULL},
      {"   plain, with fast layers and labs 2 to 6",
       LIKE(language_block_backward, plain_block_backward)},
      {"1 to 6 (this file)", LIKE(language_block_backward, language_block_backward)}}},
    {"language_forward",
     8,
     {.dims = "B=2 T=256 C=96 NH=6 hs=16 H=256 V=64 L=2 L1=3", .fill = whole_model},
     {{"plain", NULL},
      {"   plain, with fast layers and labs 2 to 6",
       LIKE(language_forward, plain_forward)},
      {"1 to 6 (this file)", LIKE(language_forward, language_forward)}}},
    {0},
};
