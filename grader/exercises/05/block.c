// block.c - see block.h.

#include "exercises/exercise.h"
#include "exercises/05/block.h"
#include "exercises/05/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <string.h>

#include "05_transformer_block/block.h"

// One channel is its own mean, so layer norm multiplies what is left of it by 316, and a rounding error of
// x * scale + shift, too. In a small stream that error is small.
static void make_small_stream(struct test_case *test)
{
    static const char *const adds[] = {"x", "w_o", "b_o", "w_proj", "b_proj"};
    for (size_t i = 0; i < sizeof adds / sizeof adds[0]; i++) {
        scale_input(test, adds[i], 0x1p-6f);
    }
}

void fill_block(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    if (case_dim(test, "C") == 1) {
        make_small_stream(test);
    }
    const float by_C = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_qkv", by_C);
    scale_input(test, "w_o", by_C);
    scale_input(test, "w_fc", by_C);
    scale_input(test, "w_proj", 1.0f / sqrtf((float)case_dim(test, "H")));
}

void fill_without_biases(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    case_absent(test, "b_qkv");
    case_absent(test, "b_o");
}

void fill_without_b_qkv(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    case_absent(test, "b_qkv");
}

void fill_without_b_o(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    case_absent(test, "b_o");
}

// Layer norm leaves 1 and -1. Channel 0 is 1 in every token, channel 1 in every second one.
void fill_stream_of_every_size(struct test_case *test, struct lab_rng *rng)
{
    static const char *const zeros[] = {"w_qkv", "w_o", "w_proj", "b_proj", "ln1_bias"};
    static const int powers[] = {0, 0, -40, 40};
    const size_t C = case_dim(test, "C");
    fill_without_biases(test, rng);
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        set_all(test, zeros[i], 0.0f);
    }
    set_all(test, "ln1_gain", 1.0f);
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const size_t token = i / C;
        const bool positive = i % C == 0 || i % C == (token % 2 == 0 ? 1 : 3);
        case_f32(test, "x")[i] = ldexpf(positive ? 1.0f : -1.0f, powers[token % 4]);
    }
    set_channel(test, "w_qkv", 3 * C * C, 0, 2.0f);
    set_channel(test, "w_qkv", 3 * C * C, C * C + 1, 10.0f);
}

// Reads nothing of the labs: one token and one head at a time, sums in double.
static void norm_row(float *y, const float *x, const float *gain, const float *bias,
                     size_t C)
{
    double mean = 0.0, variance = 0.0;
    for (size_t c = 0; c < C; c++) {
        mean += (double)x[c] / (double)C;
    }
    for (size_t c = 0; c < C; c++) {
        variance += ((double)x[c] - mean) * ((double)x[c] - mean) / (double)C;
    }
    for (size_t c = 0; c < C; c++) {
        y[c] = (float)(((double)x[c] - mean) / sqrt(variance + (double)LAYERNORM_EPS) *
                           (double)gain[c] +
                       (double)bias[c]);
    }
}

// As norm_row with one product for each channel: the gain and the mean are folded into two constants, in
// float. Where the row is far from 0 beside its deviation, their difference rounds.
static void norm_row_folded(float *y, const float *x, const float *gain,
                            const float *bias, size_t C)
{
    double mean = 0.0, variance = 0.0;
    for (size_t c = 0; c < C; c++) {
        mean += (double)x[c] / (double)C;
    }
    for (size_t c = 0; c < C; c++) {
        variance += ((double)x[c] - mean) * ((double)x[c] - mean) / (double)C;
    }
    const float rstd = (float)(1.0 / sqrt(variance + (double)LAYERNORM_EPS));
    for (size_t c = 0; c < C; c++) {
        const float scale = rstd * gain[c], shift = bias[c] - (float)mean * scale;
        y[c] = x[c] * scale + shift;
    }
}

// Head h of query t: weights_t (T), and its hs channels of merged.
static void attend_head(float *weights_t, float *merged, const float *qkv, size_t t,
                        size_t h, bool causal, size_t T, size_t C, size_t hs)
{
    const size_t keys = causal ? t + 1 : T;
    const float *q = qkv + t * 3 * C + h * hs;
    double sum = 0.0;
    memset(weights_t, 0, T * sizeof *weights_t);
    for (size_t s = 0; s < keys; s++) {
        const float *k = qkv + s * 3 * C + C + h * hs;
        double score = 0.0;
        for (size_t i = 0; i < hs; i++) {
            score += (double)q[i] * (double)k[i];
        }
        weights_t[s] = (float)(score / sqrt((double)hs));
    }
    float max = weights_t[0];
    for (size_t s = 1; s < keys; s++) {
        max = fmaxf(max, weights_t[s]);
    }
    for (size_t s = 0; s < keys; s++) {
        weights_t[s] = expf(weights_t[s] - max);
        sum += (double)weights_t[s];
    }
    for (size_t i = 0; i < hs; i++) {
        double value = 0.0;
        for (size_t s = 0; s < keys; s++) {
            value += (double)weights_t[s] * (double)qkv[s * 3 * C + 2 * C + h * hs + i];
        }
        merged[h * hs + i] = (float)(value / sum);
    }
    for (size_t s = 0; s < keys; s++) {
        weights_t[s] = (float)((double)weights_t[s] / sum);
    }
}

static lab_status plain_loops(void (*norm)(float *, const float *, const float *,
                                           const float *, size_t),
                              BLOCK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const struct attention_params *a = &params->attention;
    const size_t hs = C / NH;
    for (size_t n = 0; n < B * T; n++) {
        norm(b->ln1 + n * C, x + n * C, p->ln1_gain, p->ln1_bias, C);
        linear_in_float(b->attention.qkv + n * 3 * C, b->ln1 + n * C, a->w_qkv, a->b_qkv,
                        1, C, 3 * C, false);
    }
    for (size_t n = 0; n < B * T; n++) {
        const size_t i = n / T, t = n % T; // sequence and token
        float *merged = b->attention.merged + n * C, *out_n = out + n * C;
        for (size_t h = 0; h < NH; h++) {
            attend_head(weights + ((i * NH + h) * T + t) * T, merged,
                        b->attention.qkv + i * T * 3 * C, t, h, causal, T, C, hs);
        }
        linear_in_float(out_n, merged, a->w_o, a->b_o, 1, C, C, false);
        for (size_t c = 0; c < C; c++) {
            out_n[c] += x[n * C + c];
        }
        norm(b->ln2, out_n, p->ln2_gain, p->ln2_bias, C);
        linear_in_float(b->hidden, b->ln2, p->mlp.w_fc, p->mlp.b_fc, 1, C, H, false);
        for (size_t j = 0; j < H; j++) {
            b->hidden[j] = (float)gelu_of((double)b->hidden[j]);
        }
        linear_in_float(b->projected, b->hidden, p->mlp.w_proj, p->mlp.b_proj, 1, H, C,
                        false);
        for (size_t c = 0; c < C; c++) {
            out_n[c] += b->projected[c];
        }
    }
    return LAB_OK;
}

lab_status block_in_plain_loops(BLOCK_ARGUMENTS)
{
    return plain_loops(norm_row, out, weights, buffers, x, params, causal, B, T, C, NH,
                       H);
}

lab_status block_with_folded_norms(BLOCK_ARGUMENTS)
{
    return plain_loops(norm_row_folded, out, weights, buffers, x, params, causal, B, T, C,
                       NH, H);
}
