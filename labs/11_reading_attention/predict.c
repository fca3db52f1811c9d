// predict.c - the values that this lab's questions ask for (make ask LAB=11). Reading this before
// you predict spoils the question, but the values are not here: your own files compute them.

#include "11_reading_attention/reading.h"
#include "common/predict.h"

static lab_status bfloat16_of_4049(double *value)
{
    const uint8_t bytes[2] = {0x49, 0x40};
    float y;
    LAB_TRY(bfloat16_to_float(&y, bytes, 1));
    *value = (double)y;
    return LAB_OK;
}

static lab_status half_3c00_as_bfloat16(double *value)
{
    const uint8_t bytes[2] = {0x00, 0x3c};
    float y;
    LAB_TRY(bfloat16_to_float(&y, bytes, 1));
    *value = (double)y;
    return LAB_OK;
}

static lab_status smallest_half(double *value)
{
    const uint8_t bytes[2] = {0x01, 0x00};
    float y;
    LAB_TRY(float16_to_float(&y, bytes, 1));
    *value = (double)y;
    return LAB_OK;
}

// Tokens 0 1 2 3 are l o w e, 4 is r; ranks: l o -> 5, 5 w -> 6, e r -> 7.
static lab_status tokens_of_lower(double *value)
{
    const size_t left[3] = {0, 5, 3}, right[3] = {1, 2, 4}, merged[3] = {5, 6, 7};
    size_t tokens[5] = {0, 1, 2, 3, 4}, count = 0;
    struct lab_merges merges;
    LAB_TRY(lab_merges_open(&merges, left, right, merged, 3));
    const lab_status status = byte_pair_merge(tokens, &count, &merges, 5);
    lab_merges_close(&merges);
    *value = (double)count;
    return status;
}

// The pieces tire, tired, ##ness, ##d and the word tiredness: the first token.
static lab_status pieces_of_tiredness(double *value)
{
    static const uint8_t text[] = "tiretired##ness##d";
    const size_t ends[4] = {4, 9, 15, 18};
    size_t ids[9], count = 0;
    struct lab_pieces pieces;
    LAB_TRY(lab_pieces_open(&pieces, text, ends, 4));
    const lab_status status =
        wordpiece(ids, &count, (const uint8_t *)"tiredness", &pieces, 99, 9);
    lab_pieces_close(&pieces);
    *value = (double)ids[0];
    return status;
}

static lab_status pieces_of_tires(double *value)
{
    static const uint8_t text[] = "tiretired##ness##d";
    const size_t ends[4] = {4, 9, 15, 18};
    size_t ids[5], count = 0;
    struct lab_pieces pieces;
    LAB_TRY(lab_pieces_open(&pieces, text, ends, 4));
    const lab_status status =
        wordpiece(ids, &count, (const uint8_t *)"tires", &pieces, 99, 5);
    lab_pieces_close(&pieces);
    *value = (double)count;
    return status;
}

static void uniform(float *weights, size_t T)
{
    for (size_t i = 0; i < T * T; i++) {
        weights[i] = 1 / (float)T;
    }
}

static lab_status entropy_of_8_equal_keys(double *value)
{
    float weights[64], entropy;
    uniform(weights, 8);
    LAB_TRY(attention_entropy(&entropy, weights, 1, 8));
    *value = (double)entropy;
    return LAB_OK;
}

static lab_status distance_over_3_tokens(double *value)
{
    float weights[9], distance;
    uniform(weights, 3);
    LAB_TRY(attention_distance(&distance, weights, 1, 3));
    *value = (double)distance;
    return LAB_OK;
}

// One layer, two tokens, uniform weights: how much of token 0 stays in place.
static lab_status rollout_of_one_layer(double *value)
{
    float weights[4], rollout[4], z[8];
    uniform(weights, 2);
    LAB_TRY(attention_rollout(rollout, z, weights, 1, 1, 2));
    *value = (double)rollout[0];
    return LAB_OK;
}

// Every query looks only at the first token.
static lab_status rollout_of_two_layers(double *value)
{
    const float weights[8] = {1, 0, 1, 0, 1, 0, 1, 0};
    float rollout[4], z[8];
    LAB_TRY(attention_rollout(rollout, z, weights, 2, 1, 2));
    *value = (double)rollout[3];
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(bfloat16_of_4049),
    PREDICT(half_3c00_as_bfloat16),
    PREDICT(smallest_half),
    PREDICT(tokens_of_lower),
    PREDICT(pieces_of_tiredness),
    PREDICT(pieces_of_tires),
    PREDICT(entropy_of_8_equal_keys),
    PREDICT(distance_over_3_tokens),
    PREDICT(rollout_of_one_layer),
    PREDICT(rollout_of_two_layers),
    {NULL, NULL},
};
