// predict.c - the values that this lab's questions ask for (make ask LAB=9). Reading this before
// you predict spoils the question, but the values are not here: your own files compute them.

#include <math.h>
#include <string.h>

#include "09_generation/generation.h"
#include "common/predict.h"

static const struct decoder_sizes gpt2 = {12, 768, 12, 12, 3072, 50257, false};
static const struct decoder_sizes llama3_8b = {32, 4096, 32, 8, 14336, 128256, true};
static const double MIB = 1 << 20, GIB = 1 << 30;

static lab_status cache_of_gpt2(double *value)
{
    size_t bytes;
    LAB_TRY(cache_bytes(&bytes, &gpt2, 1, 1024, 4));
    *value = (double)bytes / MIB;
    return LAB_OK;
}

static lab_status cache_of_llama3(double *value)
{
    size_t bytes;
    LAB_TRY(cache_bytes(&bytes, &llama3_8b, 1, 8192, 2));
    *value = (double)bytes / GIB;
    return LAB_OK;
}

// How many times more bytes a step of 32 sequences reads than a step of one, at one token each.
static lab_status bytes_of_a_batch_of_32(double *value)
{
    size_t one, many;
    LAB_TRY(decode_bytes(&one, &llama3_8b, 1, 1, 2, 2));
    LAB_TRY(decode_bytes(&many, &llama3_8b, 32, 1, 2, 2));
    *value = (double)many / (double)one;
    return LAB_OK;
}

// Which of two key heads query head 6 of 8 reads: its value is that head's number.
static lab_status key_head_of_head_6(double *value)
{
    enum { NH = 8, NKV = 2 };
    const float q[NH] = {0}, k[NKV] = {0}, v[NKV] = {0, 1};
    float out[NH], weights[NH], scores[NH];
    LAB_TRY(grouped_query_attention(out, weights, scores, q, k, v, NULL, 1, NH, NKV, 1, 1,
                                    1));
    *value = (double)out[6];
    return LAB_OK;
}

// The row of a ring of 4 at which the token of position 9 lies.
static lab_status row_of_position_9(double *value)
{
    float ring[4] = {0};
    const float row = 1;
    const size_t length = 9;
    LAB_TRY(ring_append(ring, &row, &length, 1, 1, 1, 4, 1));
    for (size_t i = 0; i < 4; i++) {
        if (ring[i] == 1) {
            *value = (double)i;
        }
    }
    return LAB_OK;
}

// The sum of the weights over a cache of 5 rows of which 3 are filled; the rest is NaN.
static lab_status weights_over_a_part_of_the_cache(double *value)
{
    const float q[1] = {1}, cache[5] = {1, 2, 3, NAN, NAN};
    const size_t length = 3;
    float out[1], weights[5], scores[5];
    LAB_TRY(attention_decode(out, weights, scores, q, cache, cache, &length, 1, 1, 5, 1));
    *value = 0;
    for (size_t i = 0; i < 5; i++) {
        *value += (double)weights[i];
    }
    return LAB_OK;
}

static const float numbers[4] = {127, -63.5f, 0.4f, 33.2f};

static lab_status quantized(double *value, size_t i, float factor)
{
    float w[4], scales[1];
    int8_t rows[4];
    for (size_t j = 0; j < 4; j++) {
        w[j] = numbers[j] * factor;
    }
    LAB_TRY(quantize_rows(rows, scales, w, 1, 4));
    *value = (double)rows[i];
    return LAB_OK;
}

static lab_status quantized_half(double *value)
{
    return quantized(value, 1, 1.0f / 64);
}

static lab_status quantized_beside_an_outlier(double *value)
{
    const float w[3] = {1.0f, 0.5f, 400.0f};
    float scales[1];
    int8_t rows[3];
    LAB_TRY(quantize_rows(rows, scales, w, 1, 3));
    *value = (double)rows[0];
    return LAB_OK;
}

static lab_status flops_of_gpt2(double *value)
{
    size_t flops, weights;
    LAB_TRY(decode_flops(&flops, &gpt2, 1));
    LAB_TRY(decoder_weights(&weights, &gpt2));
    *value = (double)flops / (double)weights;
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(cache_of_gpt2),          PREDICT(cache_of_llama3),
    PREDICT(bytes_of_a_batch_of_32), PREDICT(key_head_of_head_6),
    PREDICT(row_of_position_9),      PREDICT(weights_over_a_part_of_the_cache),
    PREDICT(quantized_half),         PREDICT(quantized_beside_an_outlier),
    PREDICT(flops_of_gpt2),          {NULL, NULL},
};
