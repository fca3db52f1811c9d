// test_block.c - worked examples of lab 5: the handout's digits, PyTorch's digits, and
// properties that hold for any numbers. Run them with "make unit LAB=5"; add your own below.
//
// The program runs in the repository's root, which contains datasets/.

#include "05_transformer_block/block.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/expect.h"
#include "common/rng.h"
#include "common/tensor_file.h"

static struct lab_tensor_file open_goldens(void)
{
    struct lab_tensor_file file;
    lab_status status = lab_tensor_file_open(&file, "datasets/goldens/lab05.safetensors");
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

// ---- 5.1 layernorm ------------------------------------------------------------------------

Test(layernorm, gives_the_digits_of_the_handout)
{
    const float x[] = {1, 2, 3, 6, //
                       2, 2, 2, 2};
    const float gain[] = {1, 1, 2, 1}, bias[] = {0, 0, 0, 1};
    const float expected_y[] = {-1.069043f, -0.534522f, 0.0f, 2.603565f, //
                                0.0f,       0.0f,       0.0f, 1.0f};
    const float expected_mean[] = {3, 2}, expected_rstd[] = {0.534522f, 316.2278f};
    float y[8], mean[2], rstd[2];
    poison(y, 8);
    must_succeed(layernorm(y, mean, rstd, x, gain, bias, 2, 4));
    expect_close(y, expected_y, 2, 4, 1e-6f, 1e-6f);
    expect_close(mean, expected_mean, 1, 2, 1e-6f, 1e-6f);
    expect_close(rstd, expected_rstd, 1, 2, 1e-6f, 1e-6f);
}

Test(layernorm, rows_have_mean_zero_and_variance_one)
{
    enum { N = 5, C = 33 };
    float x[N * C], y[N * C], gain[C], bias[C], mean[N], rstd[N];
    struct lab_rng rng;
    lab_rng_seed(&rng, 1);
    must_succeed(lab_rng_normal(&rng, x, 7, 3, N * C));
    for (size_t c = 0; c < C; c++) {
        gain[c] = 1.0f;
        bias[c] = 0.0f;
    }
    poison(y, N * C);
    must_succeed(layernorm(y, mean, rstd, x, gain, bias, N, C));
    for (size_t n = 0; n < N; n++) {
        double sum = 0.0, squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            sum += (double)y[n * C + c];
            squares += (double)(y[n * C + c] * y[n * C + c]);
        }
        cr_expect(fabs(sum / C) < 1e-5, "row %zu has mean %g", n, sum / C);
        cr_expect(fabs(squares / C - 1) < 1e-4, "row %zu has variance %g", n,
                  squares / C);
    }
}

// The handout's table: the same row at four sizes. The last shows the position of eps.
Test(layernorm, eps_is_inside_the_root)
{
    const float sizes[] = {1.0f, 1e-1f, 1e-2f, 1e-3f};
    const float expected[] = {1.603565f, 1.603340f, 1.581139f, 0.816497f};
    const float gain[] = {1, 1, 1, 1}, bias[] = {0, 0, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        float x[4] = {1, 2, 3, 6}, y[4], mean, rstd;
        for (size_t c = 0; c < 4; c++) {
            x[c] *= sizes[i];
        }
        must_succeed(layernorm(y, &mean, &rstd, x, gain, bias, 1, 4));
        expect_close(&y[3], &expected[i], 1, 1, 2e-6f, 0.0f);
    }
}

Test(layernorm, a_size_of_zero_is_refused_and_nothing_written)
{
    float y = 7, mean = 7, rstd = 7;
    const float one = 1;
    must_return(layernorm(&y, &mean, &rstd, &one, &one, &one, 0, 1), LAB_ESHAPE);
    must_return(layernorm(&y, &mean, &rstd, &one, &one, &one, 1, 0), LAB_ESHAPE);
    cr_expect(y == 7 && mean == 7 && rstd == 7);
}

Test(layernorm, matches_pytorch)
{
    enum { N = 5, C = 7 };
    const size_t shape[] = {N, C}, rows[] = {N}, channels[] = {C};
    struct lab_tensor_file file = open_goldens();
    float y[N * C], mean[N], rstd[N];
    poison(y, N * C);
    must_succeed(layernorm(y, mean, rstd, golden(&file, "layernorm.x", 2, shape),
                           golden(&file, "layernorm.gain", 1, channels),
                           golden(&file, "layernorm.bias", 1, channels), N, C));
    expect_close(y, golden(&file, "layernorm.y", 2, shape), N, C, 2e-5f, 1e-4f);
    expect_close(mean, golden(&file, "layernorm.mean", 1, rows), 1, N, 2e-5f, 2e-5f);
    expect_close(rstd, golden(&file, "layernorm.rstd", 1, rows), 1, N, 1e-6f, 1e-4f);
    lab_tensor_file_close(&file);
}

// ---- 5.2 gelu -----------------------------------------------------------------------------

Test(gelu, gives_the_digits_of_the_handout)
{
    const float x[] = {-3, -2, -1, 0, 1, 2, 3};
    const float expected[] = {-0.004050f, -0.045500f, -0.158655f, 0,
                              0.841345f,  1.954500f,  2.995950f};
    float y[7];
    poison(y, 7);
    must_succeed(gelu(y, x, 7));
    expect_close(y, expected, 1, 7, 1e-6f, 0.0f);
}

Test(gelu, large_numbers_come_through_or_not_at_all)
{
    const float x[] = {-1e4f, -30, 30, 1e4f}, expected[] = {0, 0, 30, 1e4f};
    float y[4];
    poison(y, 4);
    must_succeed(gelu(y, x, 4));
    expect_close(y, expected, 1, 4, 1e-6f, 1e-6f);
}

Test(gelu, matches_pytorch_and_not_its_tanh_form)
{
    enum { N = 64 };
    const size_t shape[] = {N};
    struct lab_tensor_file file = open_goldens();
    const float *other = golden(&file, "gelu.y_tanh", 1, shape);
    float y[N], farthest = 0.0f;
    poison(y, N);
    must_succeed(gelu(y, golden(&file, "gelu.x", 1, shape), N));
    expect_close(y, golden(&file, "gelu.y", 1, shape), 1, N, 1e-6f, 2e-6f);
    for (size_t i = 0; i < N; i++) {
        farthest = fmaxf(farthest, fabsf(y[i] - other[i]));
    }
    cr_expect(is_close(farthest, 4.73e-4f, 2e-6f, 0.0f), "the forms differ by %g",
              (double)farthest);
    lab_tensor_file_close(&file);
}

// ---- 5.3 mlp ------------------------------------------------------------------------------

// Unit matrices change nothing, so only the GELU remains.
Test(mlp, with_unit_matrices_is_gelu)
{
    const float unit[] = {1, 0, 0, 1}, none[] = {0, 0};
    const struct mlp_params params = {unit, none, unit, none};
    const float x[] = {1, -1}, expected[] = {0.841345f, -0.158655f};
    float y[2], hidden[2], activated[2];
    poison(y, 2);
    must_succeed(mlp(y, hidden, activated, x, &params, 1, 2, 2));
    expect_close(y, expected, 1, 2, 1e-6f, 0.0f);
}

Test(mlp, matches_pytorch)
{
    enum { N = 3, C = 4, H = 6 };
    struct lab_tensor_file file = open_goldens();
    const struct mlp_params params = {
        golden(&file, "mlp.w_fc", 2, (size_t[]){H, C}),
        golden(&file, "mlp.b_fc", 1, (size_t[]){H}),
        golden(&file, "mlp.w_proj", 2, (size_t[]){C, H}),
        golden(&file, "mlp.b_proj", 1, (size_t[]){C}),
    };
    float y[N * C], hidden[N * H], activated[N * H];
    poison(y, N * C);
    must_succeed(mlp(y, hidden, activated, golden(&file, "mlp.x", 2, (size_t[]){N, C}),
                     &params, N, C, H));
    expect_close(y, golden(&file, "mlp.y", 2, (size_t[]){N, C}), N, C, 4e-6f, 1e-5f);
    lab_tensor_file_close(&file);
}

// ---- 5.4 dropout --------------------------------------------------------------------------

Test(dropout, gives_the_digits_of_the_handout)
{
    const float x[] = {3, 1, 4, 1, 5}, uniforms[] = {0.1f, 0.9f, 0.4f, 0.7f, 0.8f};
    const float expected[] = {4, 0, 5.333333f, 1.333333f, 0};
    float y[5];
    poison(y, 5);
    must_succeed(dropout(y, x, uniforms, 0.25f, true, 5));
    expect_close(y, expected, 1, 5, 1e-6f, 1e-6f);

    poison(y, 5);
    must_succeed(dropout(y, x, uniforms, 0.25f, false, 5));
    expect_close(y, x, 1, 5, 0.0f, 0.0f);
}

Test(dropout, keeps_the_mean)
{
    enum { N = 100000 };
    static float x[N], uniforms[N], y[N];
    struct lab_rng rng;
    lab_rng_seed(&rng, 4);
    lab_rng_rand(&rng, uniforms, N);
    for (size_t i = 0; i < N; i++) {
        x[i] = 1.0f;
    }
    must_succeed(dropout(y, x, uniforms, 0.1f, true, N));
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)y[i];
    }
    cr_expect(fabs(sum / N - 1) < 0.005, "the mean is %g", sum / N);
}

Test(dropout, refuses_a_p_that_is_no_probability)
{
    const float wrong[] = {-0.1f, 1.0f, 1.5f, INFINITY, NAN}, x = 1, uniform = 0.5f;
    float y = 7;
    for (size_t i = 0; i < 5; i++) {
        must_return(dropout(&y, &x, &uniform, wrong[i], true, 1), LAB_EVALUE);
        must_return(dropout(&y, &x, &uniform, wrong[i], false, 1), LAB_EVALUE);
    }
    cr_expect(y == 7);
}

Test(dropout, matches_pytorch)
{
    enum { N = 40 };
    const size_t shape[] = {N};
    struct lab_tensor_file file = open_goldens();
    float y[N];
    poison(y, N);
    must_succeed(dropout(y, golden(&file, "dropout.x", 1, shape),
                         golden(&file, "dropout.uniforms", 1, shape), 0.25f, true, N));
    expect_close(y, golden(&file, "dropout.y", 1, shape), 1, N, 1e-6f, 1e-6f);
    lab_tensor_file_close(&file);
}

// ---- 5.5 residual_add ---------------------------------------------------------------------

Test(residual_add, adds)
{
    const float x[] = {3, 1}, branch[] = {1, -1}, expected[] = {4, 0};
    float y[2];
    poison(y, 2);
    must_succeed(residual_add(y, x, branch, 2));
    expect_close(y, expected, 1, 2, 0.0f, 0.0f);
}

// ---- 5.6 transformer_block ----------------------------------------------------------------

// Memory for the largest block below, so that the tests need not allocate.
enum { MOST = 512 };
struct room {
    float out[MOST], weights[MOST];
    float ln1[MOST], ln1_mean[MOST], ln1_rstd[MOST], qkv[MOST];
    float q[MOST], k[MOST], v[MOST], q_heads[MOST], k_heads[MOST], v_heads[MOST];
    float scores[MOST], out_heads[MOST], merged[MOST], attended[MOST], middle[MOST];
    float ln2[MOST], ln2_mean[MOST], ln2_rstd[MOST];
    float hidden[MOST], activated[MOST], projected[MOST];
    uint8_t mask[MOST];
};

static struct block_buffers buffers_in(struct room *r)
{
    return (struct block_buffers){
        .ln1 = r->ln1,
        .ln1_mean = r->ln1_mean,
        .ln1_rstd = r->ln1_rstd,
        .attention = {.qkv = r->qkv,
                      .q = r->q,
                      .k = r->k,
                      .v = r->v,
                      .q_heads = r->q_heads,
                      .k_heads = r->k_heads,
                      .v_heads = r->v_heads,
                      .scores = r->scores,
                      .out_heads = r->out_heads,
                      .merged = r->merged,
                      .mask = r->mask},
        .attended = r->attended,
        .middle = r->middle,
        .ln2 = r->ln2,
        .ln2_mean = r->ln2_mean,
        .ln2_rstd = r->ln2_rstd,
        .hidden = r->hidden,
        .activated = r->activated,
        .projected = r->projected,
    };
}

// The block of the handout: every matrix is a unit matrix, so each step can be checked by hand.
static const float unit[] = {1, 0, 0, 1}, ones[] = {1, 1}, none[6] = {0};
static const float three_units[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
static const struct block_params handout_params = {
    .ln1_gain = ones,
    .ln1_bias = none,
    .attention = {three_units, none, unit, none},
    .ln2_gain = ones,
    .ln2_bias = none,
    .mlp = {unit, none, unit, none},
};

Test(transformer_block, gives_the_digits_of_the_handout)
{
    const float x[] = {3, 1, //
                       1, 5};
    const float weights[] = {1.000000f, 0.000000f, //
                             0.055808f, 0.944192f};
    const float attended[] = {0.999995f, -0.999995f, //
                              -0.888383f, 0.888383f};
    const float middle[] = {3.999995f, 0.000005f, //
                            0.111617f, 5.888383f};
    const float out[] = {4.841338f, -0.158650f, //
                         -0.047039f, 6.729727f};
    struct room r;
    struct block_buffers buffers = buffers_in(&r);
    poison(r.out, 4);
    must_succeed(transformer_block(r.out, r.weights, &buffers, x, &handout_params, true,
                                   1, 2, 2, 1, 2));
    expect_close(r.weights, weights, 2, 2, 2e-6f, 0.0f);
    expect_close(r.attended, attended, 2, 2, 2e-6f, 0.0f);
    expect_close(r.middle, middle, 2, 2, 2e-6f, 0.0f);
    expect_close(r.out, out, 2, 2, 2e-6f, 0.0f);
}

// Branches whose output is 0 leave the stream unchanged, bit for bit.
Test(transformer_block, branches_of_zeros_change_nothing)
{
    const float x[] = {3, 1, 1, 5};
    struct block_params silent = handout_params;
    silent.attention.w_o = none;
    silent.mlp.w_proj = none;
    struct room r;
    struct block_buffers buffers = buffers_in(&r);
    poison(r.out, 4);
    must_succeed(
        transformer_block(r.out, r.weights, &buffers, x, &silent, true, 1, 2, 2, 1, 2));
    expect_close(r.out, x, 2, 2, 0.0f, 0.0f);
}

Test(transformer_block, heads_that_do_not_divide_C_are_refused)
{
    const float x[] = {3, 1, 1, 5};
    struct room r;
    struct block_buffers buffers = buffers_in(&r);
    r.out[0] = r.weights[0] = 7;
    must_return(transformer_block(r.out, r.weights, &buffers, x, &handout_params, true, 1,
                                  2, 2, 3, 2),
                LAB_ESHAPE);
    cr_expect(r.out[0] == 7 && r.weights[0] == 7);
}

// The sizes of the goldens.
enum { B = 2, T = 5, C = 12, NH = 3, H = 20, L = 3 };

// The tensor "what.name" with rows x columns numbers in each of layers layers.
static const float *golden_params(struct lab_tensor_file *file, const char *what,
                                  const char *name, size_t layers, size_t rows,
                                  size_t columns)
{
    char full[96];
    const size_t shape[] = {layers, rows, columns};
    snprintf(full, sizeof full, "%s.%s", what, name);
    // The golden of one layer has no axis L, and a vector has no rows.
    const size_t skip = layers == 1 ? 1 : 0;
    if (rows == 1) {
        const size_t flat[] = {layers, columns};
        return golden(file, full, 2 - skip, flat + skip);
    }
    return golden(file, full, 3 - skip, shape + skip);
}

static void read_params(struct block_params *params, struct lab_tensor_file *file,
                        const char *what, size_t layers)
{
    for (size_t l = 0; l < layers; l++) {
        params[l] = (struct block_params){
            .ln1_gain = golden_params(file, what, "ln1_gain", layers, 1, C) + l * C,
            .ln1_bias = golden_params(file, what, "ln1_bias", layers, 1, C) + l * C,
            .attention = {golden_params(file, what, "w_qkv", layers, 3 * C, C) +
                              l * 3 * C * C,
                          golden_params(file, what, "b_qkv", layers, 1, 3 * C) +
                              l * 3 * C,
                          golden_params(file, what, "w_o", layers, C, C) + l * C * C,
                          golden_params(file, what, "b_o", layers, 1, C) + l * C},
            .ln2_gain = golden_params(file, what, "ln2_gain", layers, 1, C) + l * C,
            .ln2_bias = golden_params(file, what, "ln2_bias", layers, 1, C) + l * C,
            .mlp = {golden_params(file, what, "w_fc", layers, H, C) + l * H * C,
                    golden_params(file, what, "b_fc", layers, 1, H) + l * H,
                    golden_params(file, what, "w_proj", layers, C, H) + l * C * H,
                    golden_params(file, what, "b_proj", layers, 1, C) + l * C},
        };
    }
}

Test(transformer_block, matches_pytorch)
{
    const size_t stream[] = {B, T, C}, map[] = {B, NH, T, T}, wide[] = {B, T, H};
    struct lab_tensor_file file = open_goldens();
    struct block_params params;
    read_params(&params, &file, "transformer_block", 1);
    struct room r;
    struct block_buffers buffers = buffers_in(&r);
    poison(r.out, MOST);
    poison(r.weights, MOST);
    must_succeed(transformer_block(r.out, r.weights, &buffers,
                                   golden(&file, "transformer_block.x", 3, stream),
                                   &params, true, B, T, C, NH, H));
    expect_close(r.weights, golden(&file, "transformer_block.weights", 4, map),
                 B * NH * T, T, 4e-6f, 4e-5f);
    expect_close(r.out, golden(&file, "transformer_block.out", 3, stream), B * T, C,
                 2e-5f, 4e-5f);
    // The backward pass of lab 6 reads these.
    expect_close(r.ln1, golden(&file, "transformer_block.ln1", 3, stream), B * T, C,
                 2e-5f, 4e-5f);
    expect_close(r.middle, golden(&file, "transformer_block.middle", 3, stream), B * T, C,
                 2e-5f, 4e-5f);
    expect_close(r.ln2, golden(&file, "transformer_block.ln2", 3, stream), B * T, C,
                 2e-5f, 4e-5f);
    expect_close(r.hidden, golden(&file, "transformer_block.hidden", 3, wide), B * T, H,
                 2e-5f, 4e-5f);

    poison(r.out, MOST);
    must_succeed(transformer_block(r.out, r.weights, &buffers,
                                   golden(&file, "transformer_block.x", 3, stream),
                                   &params, false, B, T, C, NH, H));
    expect_close(r.weights, golden(&file, "transformer_block.open.weights", 4, map),
                 B * NH * T, T, 4e-6f, 4e-5f);
    expect_close(r.out, golden(&file, "transformer_block.open.out", 3, stream), B * T, C,
                 2e-5f, 4e-5f);
    lab_tensor_file_close(&file);
}

// ---- 5.7 transformer_stack ----------------------------------------------------------------

// A stack of two blocks equals two blocks, one after the other.
Test(transformer_stack, is_one_block_after_the_other)
{
    const float x[] = {3, 1, 1, 5};
    const struct block_params params[] = {handout_params, handout_params};
    float streams[2 * 4], weights[2 * 4], first[4], second[4];
    struct room r;
    struct block_buffers buffers = buffers_in(&r);
    must_succeed(transformer_block(first, r.weights, &buffers, x, &handout_params, true,
                                   1, 2, 2, 1, 2));
    must_succeed(transformer_block(second, r.weights, &buffers, first, &handout_params,
                                   true, 1, 2, 2, 1, 2));
    poison(streams, 8);
    must_succeed(
        transformer_stack(streams, weights, &buffers, x, params, true, 1, 2, 2, 1, 2, 2));
    expect_close(streams, first, 2, 2, 0.0f, 0.0f);
    expect_close(streams + 4, second, 2, 2, 0.0f, 0.0f);
}

Test(transformer_stack, matches_pytorch)
{
    const size_t stream[] = {B, T, C}, streams_shape[] = {L, B, T, C};
    const size_t maps[] = {L, B, NH, T, T};
    static float streams[L * B * T * C], weights[L * B * NH * T * T];
    struct lab_tensor_file file = open_goldens();
    struct block_params params[L];
    read_params(params, &file, "transformer_stack", L);
    struct room r;
    struct block_buffers buffers = buffers_in(&r);
    poison(streams, L * B * T * C);
    poison(weights, L * B * NH * T * T);
    must_succeed(transformer_stack(streams, weights, &buffers,
                                   golden(&file, "transformer_stack.x", 3, stream),
                                   params, true, B, T, C, NH, H, L));
    expect_close(streams, golden(&file, "transformer_stack.streams", 4, streams_shape),
                 L * B * T, C, 4e-5f, 1e-4f);
    expect_close(weights, golden(&file, "transformer_stack.weights", 5, maps),
                 L * B * NH * T, T, 1e-5f, 1e-4f);
    lab_tensor_file_close(&file);
}

// ---- 5.8 parameter counts -----------------------------------------------------------------

static void expect_count(size_t got, size_t expected)
{
    cr_expect(got == expected, "%zu parameters, and it should be %zu", got, expected);
}

Test(parameter_count, gives_the_digits_of_the_handout)
{
    size_t count = 0;
    must_succeed(block_parameter_count(&count, 2, 3));
    expect_count(count, 49);
    must_succeed(block_parameter_count(&count, 768, 3072));
    expect_count(count, 7087872);
    must_succeed(stack_parameter_count(&count, 768, 3072, 12));
    expect_count(count, 85054464);
}

// With the vocabulary of the first GPT, the function gives the published totals.
Test(parameter_count, the_published_totals_use_the_first_gpts_vocabulary)
{
    static const size_t sizes[4][2] = {{768, 12}, {1024, 24}, {1280, 36}, {1600, 48}};
    static const double published[] = {117, 345, 762, 1542}; // millions
    for (size_t i = 0; i < 4; i++) {
        size_t count = 0;
        must_succeed(gpt2_parameter_count(&count, 40478, 1024, sizes[i][0], sizes[i][1]));
        cr_expect(round((double)count / 1e6) == published[i], "%zu", count);
    }
}

Test(parameter_count, matches_pytorch)
{
    static const size_t sizes[4][2] = {{768, 12}, {1024, 24}, {1280, 36}, {1600, 48}};
    struct lab_tensor_file file = open_goldens();
    const int64_t *block =
        lab_tensor_i64(&file, "block_parameter_count.count", 1, (size_t[]){1});
    const int64_t *gpt2 =
        lab_tensor_i64(&file, "gpt2_parameter_count.count", 1, (size_t[]){4});
    cr_assert(block != NULL && gpt2 != NULL, "%s", file.error);
    size_t count = 0;
    must_succeed(block_parameter_count(&count, C, H));
    expect_count(count, (size_t)block[0]);
    for (size_t i = 0; i < 4; i++) {
        must_succeed(gpt2_parameter_count(&count, 50257, 1024, sizes[i][0], sizes[i][1]));
        expect_count(count, (size_t)gpt2[i]);
    }
    lab_tensor_file_close(&file);
}
