// test_words_stages.c - the report of a composed exercise names the first stage that is wrong.

#include <criterion/criterion.h>
#include <stdlib.h>

#include "build/backend.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

// The report names the steps of the exercise: the scores and later results.
#define BATCHED_ATTENTION(scores_step, in_between)                                       \
    "    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));\n"                        \
    "    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));\n"                        \
    "    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));\n"                        \
    "    for (size_t b = 0; b < B; b++) {\n"                                             \
    "        for (size_t t = 0; t < T; t++) {\n"                                         \
    "            for (size_t s = 0; s < T; s++) {\n"                                     \
    "                float sum = 0;\n"                                                   \
    "                for (size_t c = 0; c < C; c++) {\n"                                 \
    "                    sum += q[(b * T + t) * C + c] * " scores_step ";\n"             \
    "                }\n"                                                                \
    "                scores[(b * T + t) * T + s] = sum / sqrtf((float)C);\n"             \
    "            }\n"                                                                    \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    " in_between "\n"                                                               \
    "    return batched_matmul(out, weights, v, B, T, C, T);\n"
#define SOFTMAX "LAB_TRY(batched_softmax(weights, scores, B, T, T));"

Test(words, the_step_that_is_off_is_named)
{
    char *text =
        judge("2.5 batched_attention",
              "#include <math.h>\n// BODY\n" BATCHED_ATTENTION(
                  "k[(b * T + s) * C + c] * (b > 0 && s == 0 ? 1.5f : 1)", SOFTMAX),
              WRONG);
    expect_words(text, "stages: q ✓ k ✓ v ✓ scores wrong");
    expect_words(text, ", first at scores[1][0][0] = ");
    free(text);
}

Test(words, a_step_behind_right_ones_is_named)
{
    char *text = judge("2.5 batched_attention",
                       "#include <math.h>\n// BODY\n" BATCHED_ATTENTION(
                           "k[(b * T + s) * C + c]",
                           SOFTMAX " for (size_t i = 0; i < B * T * T; i++) { "
                                   "weights[i] = weights[i] * 0.9f + 0.01f; }"),
                       WRONG);
    expect_words(text, "stages: q ✓ k ✓ v ✓ scores ✓ weights wrong");
    free(text);
}

// q is used instead of k: the scores are wrong, and not a multiple of the right ones.
Test(words, steps_on_the_simulated_gpu_are_named)
{
    write_function(
        "2.5 batched_attention_gpu",
        "    const int t = (int)T, c = (int)C;\n"
        "    const long long map = (long long)T * T, tokens = (long long)T * C;\n"
        "    const float scale = 1.0f / sqrtf((float)C), one = 1.0f, zero = 0.0f;\n"
        "    LAB_TRY(batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, "
        "cublas, stream));\n"
        "    LAB_TRY(batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, "
        "cublas, stream));\n"
        "    LAB_TRY(batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, "
        "cublas, stream));\n"
        "    LAB_TRY(lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, "
        "CUBLAS_OP_N, t, t, c, &scale, q_dev, c, tokens, q_dev, c, tokens, &zero, "
        "scores_dev, t, map, (int)B)));\n"
        "    LAB_TRY(softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream));\n"
        "    return lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, "
        "CUBLAS_OP_N, c, t, t, &one, v_dev, c, tokens, weights_dev, t, map, &zero, "
        "out_dev, c, tokens, (int)B));\n",
        "cu");
    struct options options = options_for("2.5");
    options.gpu = GPU_SIMULATED;
    options.no_cpu = true;
    char *text = report_of(&options, WRONG);
    expect_words(text, "stages: q ✓ k ✓ v ✓ scores wrong");
    free(text);
}

// The backward pass reaches block 1 first, so the error in stream 0 follows from stream 1.
Test(words, the_step_of_the_way_back_that_is_off_is_named)
{
    char *text = judge(
        "6.11 model_backward",
        "    const size_t C = s->C, BTC = B * T * C, BNHTT = B * s->NH * T * T;\n"
        "    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, B * T, V));\n"
        "    LAB_TRY(linear_backward(dz->dstreams + s->L * BTC, grads->w_out, "
        "grads->b_out, dz->dlogits, z->streams + s->L * BTC, params->w_out, B * T, "
        "C, V));\n"
        "    for (size_t l = s->L; l-- > 0;) {\n"
        "        const struct block_params block = model_block_params(params, s, l);\n"
        "        const struct block_grads block_grads = model_block_grads(grads, s, l);\n"
        "        const struct block_buffers buffers = model_block_buffers(z, s, l);\n"
        "        LAB_TRY(block_backward(dz->dstreams + l * BTC, &block_grads, "
        "dz, dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block, "
        "z->weights + l * BNHTT, &buffers, B, T, C, s->NH, s->H));\n"
        "        for (size_t i = 0; l > 0 && i < BTC; i++) {\n"
        "            dz->dstreams[l * BTC + i] *= 1.5f;\n"
        "        }\n"
        "    }\n"
        "    LAB_TRY(dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, "
        "uniforms != NULL, BTC));\n"
        "    for (size_t i = 0; i < BTC && grads->position_table != NULL; i++) {\n"
        "        grads->position_table[i % (T * C)] += dz->dpositioned[i];\n"
        "    }\n"
        "    return embedding_backward(grads->token_table, dz->dpositioned, tokens, "
        "B * T, C, V);\n",
        WRONG);
    expect_words(text,
                 "stages: dz.dlogits ✓ grads.w_out ✓ grads.b_out ✓ dz.dstreams wrong");
    expect_words(text, ", first at dz.dstreams[1][0][0][0] = ");
    free(text);
}

// In the smallest calls a step may give what it gets: one token attends only to itself, so
// out is v, and one head is all channels, so v_heads is v. The step before is wrong all the same.
Test(words, a_step_is_named_where_the_next_one_changes_nothing)
{
    char *text = judge("1.6 simple_attention",
                       "    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));\n"
                       "    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));\n"
                       "    LAB_TRY(linear(v, x, w_k, NULL, T, C, d));\n"
                       "    LAB_TRY(matmul_nt(scores, q, k, T, T, d));\n"
                       "    LAB_TRY(softmax_rows(weights, scores, T, T));\n"
                       "    return weighted_values(out, weights, v, T, T, d);\n",
                       WRONG);
    expect_words(text, "stages: q ✓ k ✓ v wrong, first at v[0][0] = ");
    free(text);
    end_words();
    text = judge(
        "4.6 multi_head_attention",
        "    const struct attention_buffers *z = buffers;\n"
        "    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, "
        "C_in, 3 * C));\n"
        "    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));\n"
        "    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));\n"
        "    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));\n"
        "    LAB_TRY(split_heads(z->v_heads, z->k, B, T, C, NH));\n"
        "    for (size_t b = 0; b < B; b++) {\n"
        "        LAB_TRY(causal_mask(z->mask + b * T * T, T, T));\n"
        "    }\n"
        "    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, "
        "z->q_heads, z->k_heads, z->v_heads, z->mask, B, NH, T, T, C / NH));\n"
        "    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));\n"
        "    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, "
        "C);\n",
        WRONG);
    expect_words(
        text,
        "q_heads ✓ k_heads ✓ v_heads may be wrong, first at v_heads[0][0][0][0] = ");
    free(text);
}

// Where a layer has one channel, adding ln1 instead of x gives one number, which may be a multiple of
// the right one: a larger call tells.
Test(words, a_step_that_only_another_failing_call_shows_is_named)
{
    char *text = judge(
        "5.6 transformer_block",
        "    const struct block_buffers *z = buffers;\n"
        "    const size_t N = B * T;\n"
        "    LAB_TRY(layernorm(z->ln1, z->ln1_mean, z->ln1_rstd, x, params->ln1_gain, "
        "params->ln1_bias, N, C));\n"
        "    LAB_TRY(multi_head_attention(z->attended, weights, &z->attention, z->ln1, "
        "&params->attention, causal, B, T, C, C, NH));\n"
        "    LAB_TRY(residual_add(z->middle, z->ln1, z->attended, N * C));\n"
        "    LAB_TRY(layernorm(z->ln2, z->ln2_mean, z->ln2_rstd, z->middle, "
        "params->ln2_gain, params->ln2_bias, N, C));\n"
        "    LAB_TRY(mlp(z->projected, z->hidden, z->activated, z->ln2, &params->mlp, N, "
        "C, H));\n"
        "    return residual_add(out, z->middle, z->projected, N * C);\n",
        WRONG);
    expect_words(text, "transformer_block(causal=1, B=1, T=1, C=1, NH=1, H=1): the "
                       "smallest of ");
    expect_words(text, "  stages in transformer_block(causal=1, B=1, T=2, C=4, NH=1, "
                       "H=3), which fails too:\n  stages: ln1 ✓ ");
    expect_words(text, " attended ✓ middle wrong, first at middle[0][0][0] = ");
    free(text);
}

// The weights are computed in the array of the scores and copied afterwards.
Test(words, a_workspace_that_holds_something_else_is_not_called_wrong)
{
    char *text =
        judge("2.5 batched_attention",
              "#include <math.h>\n#include <string.h>\n// BODY\n" BATCHED_ATTENTION(
                  "k[(b * T + s) * C + c]",
                  SOFTMAX " for (size_t i = 0; i < B * T * T; i++) { "
                          "weights[i] = weights[i] * 0.9f + 0.01f; } "
                          "memcpy(scores, weights, B * T * T * sizeof *scores);"),
              WRONG);
    expect_none(text, "scores wrong");
    expect_none(text, "scores may be wrong");
    expect_words(text, "stages: q ✓ k ✓ v ✓ weights may be wrong");
    free(text);
}

// Not a mistake: a mask written over the scores in place, or a factor applied later.
Test(words, a_right_step_in_another_form_is_not_called_wrong)
{
    char *text = judge("2.5 batched_attention",
                       "#include <math.h>\n// BODY\n" BATCHED_ATTENTION(
                           "k[(b * T + s) * C + c]", SOFTMAX
                           " for (size_t i = 0; i < B * T * T; i++) { "
                           "weights[i] = weights[i] * 0.9f + 0.01f; scores[i] *= 3; }"),
                       WRONG);
    expect_none(text, "scores wrong");
    expect_words(text, "scores may be wrong");
    free(text);
}
