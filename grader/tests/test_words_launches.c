// test_words_launches.c - the report of a launcher or a kernel on the simulated GPU.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "tests/words.h"

TestSuite(words, .fini = end_words);

static char *judge_kernel(const char *where, const char *body, enum verdict expected)
{
    write_function(where, body, "cu");
    return judge_gpu(where, expected);
}

// What the report says of a launcher that ignores a launch, with another end of it.
static char *judge_launcher(const char *end)
{
    char *body = grader_print("    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, "
                              "stream>>>(weights_dev, scores_dev, S);\n"
                              "%s",
                              end);
    char *text = judge_kernel("1.4 softmax_rows_gpu", body, WRONG);
    expect_words(text, ", if the launch in line ");
    free(body);
    return text;
}

// A value that is set at the first call: g++ guards it with atomics unless it is told not to.
Test(words, a_static_variable_of_a_launcher_is_fine)
{
    char *text = judge_kernel(
        "5.2 gelu_gpu",
        "    static const unsigned most = [] {\n"
        "        int count = 0;\n"
        "        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);\n"
        "        return 16u * (unsigned)count;\n"
        "    }();\n"
        "    gelu_kernel<<<min(blocks_for(N), most), BLOCK, 0, stream>>>(y_dev, x_dev, N);\n"
        "    return lab_cuda(cudaGetLastError());\n",
        PASS);
    free(text);
}

Test(words, a_constant_that_a_launcher_fills_is_a_copy)
{
    char *text = judge_kernel(
        "5.2 gelu_gpu",
        "__constant__ float half;\n// BODY\n"
        "    const float value = 0.5f;\n"
        "    LAB_TRY(lab_cuda(cudaMemcpyToSymbolAsync(half, &value, sizeof value, 0,\n"
        "                                             cudaMemcpyHostToDevice, stream)));\n"
        "    gelu_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, N);\n"
        "    return lab_cuda(cudaGetLastError());\n",
        WRONG);
    expect_words(text, "a launcher calls cudaMemcpyToSymbol");
    expect_none(text, "__tls_get_addr");
    free(text);
}

// A kernel may call them on a card: the report must not say that it used host memory.
Test(words, malloc_in_a_kernel_is_said_not_to_be_there)
{
    static const char *const ways[] = {"(float *)malloc(sizeof(float))", "new float[1]"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *body =
            grader_print("    float *part = %s;\n"
                         "    part[0] = 0.5f;\n"
                         "    if (threadIdx.x < N) {\n"
                         "        y_dev[threadIdx.x] = part[0] * x_dev[threadIdx.x];\n"
                         "    }\n",
                         ways[i]);
        char *text = judge_kernel("5.2 gelu_kernel", body, WRONG);
        expect_words(
            text, "a kernel calls malloc or new, which a hand-in's kernels do not have");
        expect_words(text, "use a local array of a constant size, shared memory");
        expect_none(text, "host memory");
        free(text);
        free(body);
    }
}

Test(words, too_much_shared_memory_for_a_long_row_is_explained)
{
    char *text = judge_kernel(
        "1.4 softmax_rows_gpu",
        "    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, S * sizeof(float), stream>>>(\n"
        "        weights_dev, scores_dev, S);\n"
        "    return lab_cuda(cudaGetLastError());\n",
        WRONG);
    expect_words(text, "bytes of dynamic shared memory");
    expect_words(text,
                 "is refused.\n  A large row or matrix does not fit into shared memory");
    free(text);
}

Test(words, a_forgotten_error_of_a_launch_is_said_to_be_forgotten)
{
    char *text = judge_launcher("    (void)cudaGetLastError();\n    return LAB_OK;\n");
    expect_words(text, "the error of a launch is ignored\n");
    expect_words(text, "it returns LAB_OK instead of returning LAB_ECUDA\n");
    expect_words(text, "cudaGetLastError fetches the error of a launch and forgets it.");
    free(text);
}

Test(words, another_status_after_a_launch_is_not_called_forgotten)
{
    char *text = judge_launcher(
        "    return cudaGetLastError() == cudaSuccess ? LAB_OK : LAB_ENOMEM;\n");
    expect_words(text, "returns LAB_ENOMEM, not LAB_ECUDA, if a launch fails\n");
    expect_words(text, "it returns LAB_ENOMEM instead of returning LAB_ECUDA\n");
    expect_none(text, "forgets");
    free(text);
}

Test(words, wrong_results_after_a_launch_that_failed_are_called_so)
{
    char *text = judge_launcher(
        "    if (cudaGetLastError() != cudaSuccess) {\n"
        "        return lab_cuda(cudaMemsetAsync(weights_dev, 0, T * S * sizeof(float), "
        "stream));\n"
        "    }\n"
        "    return LAB_OK;\n");
    expect_words(text, "after a launch that failed, the results are wrong\n");
    expect_words(text, "The function returns LAB_OK, but its results are wrong.");
    free(text);
}

Test(words, a_launcher_that_tries_until_it_works_never_returns)
{
    char *text =
        judge_launcher("    while (cudaGetLastError() != cudaSuccess) {\n"
                       "        softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, "
                       "stream>>>(weights_dev, scores_dev, S);\n"
                       "    }\n"
                       "    return LAB_OK;\n");
    expect_words(text, "does not return if a launch fails\n");
    expect_words(text, "it never returns instead of returning LAB_ECUDA\n");
    free(text);
}

// The launch is in the workbook's own lab 1.
Test(words, a_launch_in_another_file_has_no_line)
{
    char *text = judge_kernel(
        "2.5 batched_attention_gpu",
        "    const int b = (int)B, t = (int)T, c = (int)C;\n"
        "    const float scale = 1.0f / sqrtf((float)C), one = 1.0f, zero = 0.0f;\n"
        "    LAB_TRY(batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, "
        "stream));\n"
        "    LAB_TRY(batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, cublas, "
        "stream));\n"
        "    LAB_TRY(batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, cublas, "
        "stream));\n"
        "    LAB_TRY(lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, CUBLAS_OP_N, "
        "t, t, c, &scale, k_dev, c, t * c, q_dev, c, t * c, &zero, scores_dev, t, t * t, "
        "b)));\n"
        "    if (softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream) != LAB_OK) {\n"
        "        return LAB_ENOMEM;\n"
        "    }\n"
        "    return lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, "
        "c, t, t, &one, v_dev, c, t * c, weights_dev, t, t * t, &zero, out_dev, c, t * c, "
        "b));\n",
        WRONG);
    expect_words(text, ", if a launch fails:\n  it returns LAB_ENOMEM");
    free(text);
}

Test(words, an_absent_mask_is_named_on_the_simulated_gpu)
{
    char *text = judge_kernel(
        "9.4 grouped_query_kernel",
        "    const size_t n = blockIdx.x;\n"
        "    const size_t t = n % T, h = n / T % NH, b = n / T / NH;\n"
        "    const size_t keys = (b * (NH / G) + h / G) * S * hs;\n"
        "    attend(out_dev + n * hs, weights_dev + n * S, scores_dev + n * S, q_dev + n * "
        "hs, k_dev + keys, v_dev + keys, mask_dev + (b * T + t) * S, S, hs);\n",
        CRASH);
    expect_words(text, "through a null pointer.\n");
    expect_words(text, "  mask is NULL in this call\n");
    free(text);
}

// The call's tensors are smaller than its sizes, so the report shows none. LAB_ESHAPE's own sentence is
// about sizes of 0. In 1.4, a refused launch is not what is wrong.
Test(words, a_size_that_does_not_fit_an_int_is_said)
{
    write_function(
        "1.1 helper",
        "static dim3 grid_for(size_t M, size_t N, dim3 block)\n"
        "{\n"
        "    const unsigned y = lab_blocks(M, block.y);\n"
        "    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);\n"
        "}\n"
        "#define fits_int(size) ((size) > 0 && (size) <= UINT_MAX)\n",
        "cu");
    char *text = judge_gpu("1.1", WRONG);
    expect_words(text, "matmul_gpu(M=2147483651, N=2, K=5), M does not fit an int");
    expect_words(
        text, "The function must refuse this call. M does not fit an int. The header:");
    cr_expect_null(strstr(text, "a (M K)"));
    cr_expect_null(strstr(text, "one of them is zero"));
    free(text);
    text = judge_gpu("1.4", WRONG);
    expect_words(text, "softmax_rows_gpu(T=2147483651, S=2), T does not fit an int\n"
                       "  The function must return LAB_ESHAPE and launch nothing.");
    free(text);
}

// The sizes of tiles are arguments on the CPU only; a kernel has its own.
Test(words, a_call_on_the_gpu_has_no_sizes_of_the_cpu)
{
    char *text =
        judge_kernel("10.2 flash_attention_gpu", "    return LAB_ECUDA;\n", WRONG);
    expect_words(text,
                 "flash_attention_gpu(B=1, NH=1, T=1, S=1, hs=1, causal=0), one query");
    free(text);
}

// The position and the sentence are about the same thread: the one that waits in this line.
Test(words, the_thread_that_waits_at_a_barrier_is_the_one_in_its_line)
{
    char *text =
        judge_kernel("1.4 softmax_rows_kernel",
                     "    if (threadIdx.x > 0) {\n        return;\n    }\n"
                     "    __syncthreads();\n"
                     "    weights_dev[blockIdx.x * S] = scores_dev[blockIdx.x * S];\n",
                     WRONG);
    expect_words(text, "block (0,0,0), thread (0,0,0): thread (0,0,0) waits here at "
                       "__syncthreads(), but thread (127,0,0) has returned");
    free(text);
}

// Rows along y: more blocks than a device takes, if there are many.
Test(words, a_refused_launch_has_its_line_and_advice)
{
    char *text = judge_kernel(
        "1.4 softmax_rows_gpu",
        "    softmax_rows_kernel<<<dim3(1, 65536 + (unsigned)T), ROW_THREADS, 0, "
        "stream>>>(weights_dev, scores_dev, S);\n"
        "    return lab_cuda(cudaGetLastError());\n",
        WRONG);
    cr_expect(strncmp(text, "the launch is refused: a grid of 1 x 655", 40) == 0, "%s",
              text);
    expect_words(text, "attention.cu:");
    expect_words(text, ": this launch of softmax_rows_kernel is refused.\n");
    expect_words(text, "with 65535 along y, every gridDim.y-th row.");
    free(text);
}

// The first address behind an array; a headline ends without a full stop, as all others do.
Test(words, an_access_outside_of_an_allocation_is_said_plainly)
{
    char *text = judge_kernel(
        "1.4 softmax_rows_kernel",
        "    weights_dev[(blockIdx.x + 1) * S] = scores_dev[blockIdx.x * S];\n", CRASH);
    expect_words(text, "writes 4 bytes outside of every allocation: just past the end of "
                       "an allocation of ");
    expect_words(text, "compares its indices with the sizes");
    expect_none(text, "if (i < n)");
    const char *end = strchr(text, '\n');
    cr_expect(end > text && end[-1] != '.', "%s", text);
    free(text);
}

// A launcher must not copy to the host, so the advice must not be to copy.
Test(words, host_code_of_a_launcher_is_told_to_use_a_kernel)
{
    char *text = judge_kernel("5.2 gelu_gpu",
                              "    for (size_t i = 0; i < N; i++) {\n"
                              "        y_dev[i] = x_dev[i] * 0.5f;\n"
                              "    }\n"
                              "    (void)stream;\n"
                              "    return LAB_OK;\n",
                              CRASH);
    expect_words(text, "host code reads device memory");
    expect_words(text, "Only kernels can use it: do this in a kernel.");
    expect_none(text, "cudaMemcpy");
    free(text);
    text = judge_kernel("5.2 gelu_gpu",
                        "    memcpy(y_dev, x_dev, N * sizeof *y_dev);\n"
                        "    (void)stream;\n"
                        "    return LAB_OK;\n",
                        CRASH);
    expect_words(text, "Only kernels can use it: do this in a kernel.");
    free(text);
}

// Both pointers are device memory. "It copies with the host" would be false.
Test(words, a_launcher_that_copies_in_the_wrong_direction_reads_so)
{
    char *text = judge_kernel(
        "5.4 dropout_gpu",
        "    if (!training) {\n"
        "        return lab_cuda(cudaMemcpyAsync(y_dev, x_dev, N * sizeof *y_dev,\n"
        "                                        cudaMemcpyHostToDevice, stream));\n"
        "    }\n"
        "    dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev,\n"
        "                                                        uniforms_dev, 1 - p, N);\n"
        "    return lab_cuda(cudaGetLastError());\n",
        CRASH);
    expect_words(text,
                 "cudaMemcpyAsync: the source is device memory, where host memory is "
                 "expected.");
    expect_none(text, "with the host");
    free(text);
}

// Thread 0 sets the sum, but other threads may add to it before.
Test(words, an_atomic_before_the_barrier_after_its_zero_is_a_race)
{
    char *text = judge_kernel(
        "5.1 layernorm_kernel",
        "    __shared__ float sum, squares;\n"
        "    const float *x = x_dev + blockIdx.x * C;\n"
        "    if (threadIdx.x == 0) {\n"
        "        sum = squares = 0.0f;\n"
        "    }\n"
        "    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {\n"
        "        atomicAdd(&sum, x[c]);\n"
        "    }\n"
        "    __syncthreads();\n"
        "    const float mean = sum / (float)C;\n"
        "    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {\n"
        "        atomicAdd(&squares, (x[c] - mean) * (x[c] - mean));\n"
        "    }\n"
        "    __syncthreads();\n"
        "    const float rstd = rsqrtf(squares / (float)C + LAYERNORM_EPS);\n"
        "    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {\n"
        "        y_dev[blockIdx.x * C + c] =\n"
        "            (x[c] - mean) * rstd * gain_dev[c] + bias_dev[c];\n"
        "    }\n"
        "    if (threadIdx.x == 0) {\n"
        "        mean_dev[blockIdx.x] = mean;\n"
        "        rstd_dev[blockIdx.x] = rstd;\n"
        "    }\n",
        WRONG);
    expect_words(text, "a data race in shared memory");
    expect_words(text, "make both atomic, or put a barrier between them");
    expect_none(text, "never written");
    free(text);
}

// A launcher may not allocate, so it is not told about cudaMalloc and cudaMemset.
Test(words, an_output_that_is_read_before_it_is_written_is_the_callers)
{
    char *text = judge_kernel(
        "1.1 matmul_kernel",
        "    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    for (size_t k = 0; n < N && m < M && k < K; k++) {\n"
        "        out_dev[m * N + n] += a_dev[m * K + k] * b_dev[k * N + n];\n"
        "    }\n",
        WRONG);
    expect_words(text, "never written");
    expect_words(text, "a kernel must write each element before it is read");
    expect_none(text, "cudaM");
    free(text);
}
