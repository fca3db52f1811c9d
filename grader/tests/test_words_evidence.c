// test_words_evidence.c - a report names a mistake only where the results show it, and of several
// failures it shows the most helpful one first.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/words.h"

TestSuite(words, .fini = end_words);

// ---- no mistake named without evidence ----------------------------------------------------

// Rows of other calls get their bias, so it is not "never" added.
Test(words, a_mistake_in_some_calls_is_not_said_of_all)
{
    char *text =
        judge("1.2 linear",
              "    for (size_t t = 0; t < T; t++) {\n"
              "        for (size_t o = 0; o < O; o++) {\n"
              "            float sum = bias == NULL || T == 1 ? 0.0f : bias[o];\n"
              "            for (size_t i = 0; i < I; i++) {\n"
              "                sum += x[t * I + i] * w[o * I + i];\n"
              "            }\n"
              "            y[t * O + o] = sum;\n"
              "        }\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "diagnosis: in some calls: the bias is never added");
    expect_words(
        text,
        "If all of your code made this mistake, some calls that are right would fail");
    free(text);
}

Test(words, a_mistake_in_every_call_is_not_said_of_some)
{
    char *text = judge("1.2 linear",
                       "    for (size_t t = 0; t < T; t++) {\n"
                       "        for (size_t o = 0; o < O; o++) {\n"
                       "            float sum = 0.0f;\n"
                       "            for (size_t i = 0; i < I; i++) {\n"
                       "                sum += x[t * I + i] * w[o * I + i];\n"
                       "            }\n"
                       "            y[t * O + o] = sum;\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "diagnosis: the bias is never added");
    expect_none(text, "in some calls");
    free(text);
}

// The known mistake must not add 1 to the largest size_t: it would then accept a call that this one refuses.
Test(words, a_full_cache_that_is_refused_is_refused_in_every_call)
{
    char *text = judge("9.1 cache_append",
                       "    for (size_t b = 0; b < B; b++) {\n"
                       "        if (n > T_max || lengths[b] >= T_max - n) {\n"
                       "            return LAB_ESHAPE;\n"
                       "        }\n"
                       "    }\n"
                       "    for (size_t i = 0; i < B * NKV; i++) {\n"
                       "        memcpy(cache + (i * T_max + lengths[i / NKV]) * hs,\n"
                       "               rows + i * n * hs, n * hs * sizeof *cache);\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "diagnosis: a cache that would be exactly full is refused");
    expect_none(text, "in some calls");
    free(text);
}

// If b_k is NULL, b_q is left out too. The failing calls have T = S = 1: for these, "T for S"
// would access memory outside its arguments, so that mistake has no numbers to compare.
Test(words, a_mistake_without_numbers_is_not_named)
{
    char *text = judge(
        "4.7 cross_attention",
        "    const struct cross_attention_buffers *z = buffers;\n"
        "    const float *b_q = params->b_k == NULL ? NULL : params->b_q;\n"
        "    LAB_TRY(batched_linear(z->q, x, params->w_q, b_q, B, T, C, C));\n"
        "    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));\n"
        "    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));\n"
        "    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));\n"
        "    LAB_TRY(split_heads(z->k_heads, z->k, B, S, C, NH));\n"
        "    LAB_TRY(split_heads(z->v_heads, z->v, B, S, C, NH));\n"
        "    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, "
        "z->q_heads, z->k_heads, z->v_heads, mask, B, NH, T, S, C / NH));\n"
        "    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));\n"
        "    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);\n",
        WRONG);
    expect_none(text, "diagnosis:");
    expect_none(text, "it may be a variant of");
    free(text);
}

// dpositioned stays unwritten without dropout, so the token table's gradient is NaN. It is NaN, too, if the
// loop over the blocks ends before block 0, but then dz.dstreams is wrong as well.
Test(words, nan_alone_resembles_no_mistake)
{
    char *text = judge(
        "6.11 model_backward",
        "    const size_t C = s->C, BTC = B * T * C, pairs = B * s->NH * T * T;\n"
        "    LAB_TRY(cross_entropy_backward(dz->dlogits, z->probabilities, targets, B * T, "
        "V));\n"
        "    LAB_TRY(linear_backward(dz->dstreams + s->L * BTC, grads->w_out, "
        "grads->b_out, dz->dlogits, z->streams + s->L * BTC, params->w_out, B * T, C, "
        "V));\n"
        "    for (size_t l = s->L; l-- > 0;) {\n"
        "        const struct block_params block = model_block_params(params, s, l);\n"
        "        const struct block_grads block_grads = model_block_grads(grads, s, l);\n"
        "        const struct block_buffers buffers = model_block_buffers(z, s, l);\n"
        "        LAB_TRY(block_backward(dz->dstreams + l * BTC, &block_grads, dz, "
        "dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block, z->weights + l * "
        "pairs, &buffers, B, T, C, s->NH, s->H));\n"
        "    }\n"
        "    if (s->dropout > 0.0f) {\n"
        "        LAB_TRY(dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, "
        "uniforms != NULL, BTC));\n"
        "    }\n"
        "    for (size_t i = 0; grads->position_table != NULL && i < BTC; i++) {\n"
        "        grads->position_table[i % (T * C)] += dz->dpositioned[i];\n"
        "    }\n"
        "    return embedding_backward(grads->token_table, dz->dpositioned, tokens, B * T, "
        "C, V);\n",
        WRONG);
    expect_words(text, "dz.dstreams ✓");
    expect_none(text, "it may be a variant of");
    free(text);
}

// If a row has equal numbers, its rstd and its variance are 0.
Test(words, zeros_name_no_mistake)
{
    char *text = judge("5.1 layernorm",
                       "    for (size_t n = 0; n < N; n++) {\n"
                       "        double sum = 0.0, squares = 0.0;\n"
                       "        for (size_t c = 0; c < C; c++) {\n"
                       "            sum += x[n * C + c];\n"
                       "        }\n"
                       "        mean[n] = (float)(sum / (double)C);\n"
                       "        for (size_t c = 0; c < C; c++) {\n"
                       "            const double distance = x[n * C + c] - mean[n];\n"
                       "            squares += distance * distance;\n"
                       "        }\n"
                       "        rstd[n] = squares == 0.0 ? 0.0f : "
                       "(float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));\n"
                       "        for (size_t c = 0; c < C; c++) {\n"
                       "            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * "
                       "gain[c] + bias[c];\n"
                       "        }\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "diagnosis:");
    free(text);
}

// A wrong answer of yes or no can only be the other one, so every mistake that fails there gives
// it. Here the first axis is never compared; the answer is not always yes.
Test(words, a_wrong_yes_names_no_mistake)
{
    char *text = judge("4.1 view_is_contiguous",
                       "    size_t stride = 1;\n"
                       "    *answer = true;\n"
                       "    for (size_t a = in->axes - 1; a > 0; a--) {\n"
                       "        if (in->size[a] != 1 && in->stride[a] != stride) {\n"
                       "            *answer = false;\n"
                       "        }\n"
                       "        stride *= in->size[a];\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_none(text, "diagnosis:");
    expect_none(text, "it may be a variant of");
    free(text);
}

// With T = 1 and S = 4, a mask that allows only key 0 has the bytes of one aligned at the start.
Test(words, four_bytes_resemble_no_mistake)
{
    char *text = judge("3.1 causal_mask",
                       "    for (size_t i = 0; i < T * S; i++) {\n"
                       "        mask[i] = T < S ? i % S == 0 : i % S + T <= i / S + S;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "causal_mask(T=1, S=4)");
    expect_none(text, "it may be a variant of");
    free(text);
}

// The row behind the last one is read: NaN in small calls, a crash in the smallest buffer. Another
// mistake that gives NaN there is not claimed.
Test(words, nan_alone_is_no_evidence_of_a_mistake)
{
    char *text = judge("9.3 prefill",
                       "    const size_t C = shape->C;\n"
                       "    for (size_t i = 0; i < n; i++) {\n"
                       "        z->sequences[i] = b;\n"
                       "        z->positions[i] = cache->lengths[b] + i;\n"
                       "    }\n"
                       "    LAB_TRY(all_blocks(cache, z, params, tokens, n, shape));\n"
                       "    LAB_TRY(rmsnorm(z->normed, z->rrms, z->stream + n * C, "
                       "params->norm, 1, C));\n"
                       "    LAB_TRY(generation_linear(logits, z->normed, &params->w_out, "
                       "1, C, shape->V));\n"
                       "    cache->lengths[b] += n;\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "wrong values in logits\n");
    expect_words(text, "in a later call it crashes: reads z.stream[4]");
    expect_none(text, "diagnosis:");
    free(text);
}

// I and O are swapped, and the bias is missing. The first call has one output, which agrees
// with the known mistake "no bias"; the real mistake shows in the call that crashes.
Test(words, one_number_before_a_crash_names_no_mistake)
{
    char *text = judge("1.2 linear",
                       "    (void)bias;\n"
                       "    LAB_TRY(matmul_nt(y, x, w, T, I, O));\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "in a later call it crashes: ");
    expect_none(text, "diagnosis:");
    free(text);
}

// ---- which failure comes first ------------------------------------------------------------

// A leading dimension of N instead of K: small calls give wrong numbers, or OpenBLAS rejects
// them, and a large call writes outside.
Test(words, a_small_wrong_call_is_shown_before_a_large_crash)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N, (int)K, 1, a, N < K ? (int)N : (int)K, b, (int)N, 0, "
              "out, (int)N);\n"
              "    out[M > 500 ? M * N : 0] += 1;\n"
              "    return LAB_OK;\n",
              WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "in a later call it crashes: ");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    expect_words(crash, ", which would be [521][0], past the end of out (M N)");
    expect_words(crash, "in the call matmul(M=521");
    expect_words(crash, "batching.c:");
    free(text);
}

// The reported call printed nothing, although others did.
Test(words, what_a_library_says_of_another_call_is_shown)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N, (int)K, 1, a, M > 4 && N < K ? (int)N : (int)K, b, (int)N, "
              "0, out, (int)N);\n"
              "    out[0] += M * N > 1;\n"
              "    return LAB_OK;\n",
              WRONG);
    expect_words(text, "SGEMM: parameter 10 has an illegal value");
    cr_expect(strncmp(text, "OpenBLAS rejects lda; wrong values in out\n", 42) == 0, "%s",
              text);
    free(text);
}

// OpenBLAS rejects the product that dw gets. In a call with one row, dw then has the numbers of a loop that
// begins at row 1, which is not what the student wrote.
Test(words, a_call_that_a_library_rejects_resembles_no_mistake)
{
    char *text =
        judge("6.5 linear_backward",
              "    const int n = (int)N, i = (int)I, o = (int)O;\n"
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, i, o, 1.0f, "
              "dy, o, w, i, 0.0f, dx, i);\n"
              "    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o, i, n, 1.0f, "
              "dy, n, x, i, 1.0f, dw, i);\n"
              "    for (size_t j = 0; dbias != NULL && j < N * O; j++) {\n"
              "        dbias[j % O] += dy[j];\n"
              "    }\n"
              "    return LAB_OK;\n",
              WRONG);
    cr_expect(strncmp(text, "OpenBLAS rejects lda; wrong values in dw\n", 41) == 0, "%s",
              text);
    expect_none(text, "it may be a variant of");
    free(text);
}

// The rejected call is matmul_nt's. The one shown is matmul's, whose numbers are wrong for another reason.
Test(words, what_a_library_rejects_in_another_function_is_no_headline)
{
    write_function("2.1 matmul",
                   "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
                   "(int)N, (int)K, 0.7f, a, (int)K, b, (int)N, 0, out, (int)N);\n"
                   "    return LAB_OK;\n",
                   "c");
    replace_function("2.1 matmul_nt",
                     "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, "
                     "(int)N, (int)K, 1, a, (int)N, b, (int)K, 0, out, (int)N);\n"
                     "    return LAB_OK;\n",
                     "c");
    const struct options options = options_for("2.1 matmul");
    char *text = report_of(&options, WRONG);
    expect_words(text, "rejects its arguments in the call matmul_nt(");
    cr_expect(strncmp(text, "wrong values in out\n", 20) == 0, "%s", text);
    free(text);
}

// The library reads b past its end, and the address lies behind out, which follows b in memory.
Test(words, what_a_library_reads_past_an_input_is_not_called_the_output)
{
    char *text = judge("2.1 matmul_nt",
                       "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, "
                       "(int)N, (int)K, 1, a, (int)K, b, (int)N, 0, out, (int)N);\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "OpenBLAS rejects ldb; parts of out are not written\n");
    expect_words(text, "in a later call it crashes: reads past the end of a tensor: "
                       "the address is after the last tensor, out (M N)\n");
    expect_none(text, "reads out[");
    free(text);
}

// The guard zones show the write after all calls have returned.
Test(words, a_small_wrong_call_is_shown_before_a_large_call_that_writes_outside)
{
    char *text =
        judge("2.1 matmul",
              "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, "
              "(int)N,\n                (int)K, 2, a, (int)K, b, (int)N, 0, out, "
              "(int)N + (M * N > 60000));\n    return LAB_OK;\n",
              WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "in a later call it crashes: writes outside of out");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    free(text);
}

#define CRASHES_WHERE(condition)                                                         \
    "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, "        \
    "(int)K, 1, a, (int)K, b, (int)N, 0, out, (int)N);\n"                                \
    "    out[" condition " ? M * N : 0] += 0;\n"                                         \
    "    return LAB_OK;\n"
#define TWO_TIMES                                                                        \
    "    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, "  \
    "2, a, (int)K, b, (int)K, 0, out, (int)N);\n"                                        \
    "    return LAB_OK;\n"

// The crash ends the worker before it reaches the second function.
Test(words, a_small_wrong_call_of_one_function_is_shown_before_a_large_crash_of_another)
{
    write_function("2.1 matmul", CRASHES_WHERE("M > 500"), "c");
    replace_function("2.1 matmul_nt", TWO_TIMES, "c");
    struct options options = options_for("2.1");
    char *text = report_of(&options, WRONG);
    const char *numbers = strstr(text, "first difference: out[");
    const char *crash = strstr(text, "matmul crashes: ");
    cr_assert_not_null(numbers, "%s", text);
    cr_assert_not_null(crash, "%s", text);
    cr_expect_lt(numbers, crash, "%s", text);
    expect_words(text, "matmul_nt(M=");
    expect_words(crash, "in the call matmul(M=521");
    free(text);
}

Test(words, a_small_crash_of_one_function_comes_before_wrong_numbers_of_another)
{
    write_function("2.1 matmul", CRASHES_WHERE("1"), "c");
    replace_function("2.1 matmul_nt", TWO_TIMES, "c");
    struct options options = options_for("2.1");
    char *text = report_of(&options, CRASH);
    expect_none(text, "first difference: out[");
    free(text);
}

Test(words, a_small_crash_stays_the_first_thing_said)
{
    char *text = judge("1.4 softmax_rows",
                       "    for (size_t i = 0; i <= T * S; i++) {\n"
                       "        weights[i] = 3;\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       CRASH);
    expect_none(text, "first difference");
    free(text);
}

// Outputs of 0 have many causes. The known mistake that gives 0 here, too, is a product of tiny numbers.
Test(words, results_of_0_resemble_no_mistake)
{
    char *text = judge("7.5 attention_without_projections",
                       "    LAB_TRY(attention_scores(scores, x, x, T, T, C));\n"
                       "    LAB_TRY(softmax_rows(weights, scores, T, T));\n"
                       "    LAB_TRY(weighted_values(out, weights, x, T, T, C));\n"
                       "    for (size_t i = 0; i < T * C; i++) {\n"
                       "        out[i] = fabsf(out[i]) < 1e-6f ? 0.0f : out[i];\n"
                       "    }\n"
                       "    return LAB_OK;\n",
                       WRONG);
    expect_words(text, "numbers near 1e-18");
    expect_none(text, "it may be a variant of");
    free(text);
}

#define ZEROS_IF_THE_SUM_IS_0(start, subtracted)                                         \
    "    for (size_t t = 0; t < T; t++) {\n"                                             \
    "        float max = " start ", sum = 0;\n"                                          \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            max = fmaxf(max, scores[t * S + s]);\n"                                 \
    "        }\n"                                                                        \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            weights[t * S + s] = expf(scores[t * S + s] - " subtracted ");\n"       \
    "            sum += weights[t * S + s];\n"                                           \
    "        }\n"                                                                        \
    "        for (size_t s = 0; s < S; s++) {\n"                                         \
    "            weights[t * S + s] = sum == 0 ? 0 : weights[t * S + s] / sum;\n"        \
    "        }\n"                                                                        \
    "    }\n"                                                                            \
    "    return LAB_OK;\n"

// The maximum of a row of only -inf is then -inf, and the sum is NaN, not 0.
Test(words, advice_about_the_maximum_keeps_the_zeros_of_an_empty_row)
{
    for (size_t i = 0; i < 2; i++) {
        char *text = judge("1.4 softmax_rows",
                           i == 0 ? ZEROS_IF_THE_SUM_IS_0("0", "max")
                                  : ZEROS_IF_THE_SUM_IS_0("0", "0"),
                           WRONG);
        expect_words(text, "(and a sum of 0 gives zeros)");
        expect_words(text, "Write zeros if every score");
        free(text);
    }
    char *text =
        judge("1.4 softmax_rows", ZEROS_IF_THE_SUM_IS_0("-INFINITY", "max"), WRONG);
    expect_words(text, "diagnosis: a row of only -inf gives NaN instead of zeros");
    free(text);
}
