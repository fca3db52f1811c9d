// predict.c - the values that this lab's questions ask for (make ask LAB=7). Reading this before
// you predict spoils the question, but the values are not here: your positions.c computes them.

#include <math.h>

#include "07_positional_encoding/positions.h"
#include "common/predict.h"

enum { ROWS = 128, C = 32 };

// The dot product of two rows of the table of sines.
static lab_status dot_of_rows(double *value, size_t a, size_t b)
{
    static float table[ROWS * C];
    LAB_TRY(sinusoidal_encoding(table, ROWS, C));
    *value = 0;
    for (size_t c = 0; c < C; c++) {
        *value += (double)table[a * C + c] * (double)table[b * C + c];
    }
    return LAB_OK;
}

static lab_status row_0_with_itself(double *value)
{
    return dot_of_rows(value, 0, 0);
}

// How much two dot products at the same offset differ.
static lab_status difference_at_the_same_offset(double *value)
{
    double near, far;
    LAB_TRY(dot_of_rows(&near, 5, 8));
    LAB_TRY(dot_of_rows(&far, 105, 108));
    *value = fabs(near - far) < 1e-4 ? 0 : near - far;
    return LAB_OK;
}

static lab_status slow_sine_at_100(double *value)
{
    static float table[ROWS * C];
    LAB_TRY(sinusoidal_encoding(table, ROWS, C));
    *value = (double)table[100 * C + C - 2];
    return LAB_OK;
}

static lab_status rotated_second_channel(double *value)
{
    const float x[2] = {1, 0};
    const size_t positions[1] = {1};
    float out[2];
    LAB_TRY(rope(out, x, positions, 1, 1, 1, 2));
    *value = (double)out[1];
    return LAB_OK;
}

// The dot product of the same vector (1,0) at two positions.
static lab_status rotated_dot_product(double *value)
{
    const float x[4] = {1, 0, 1, 0};
    const size_t positions[2] = {107, 104};
    float out[4];
    LAB_TRY(rope(out, x, positions, 1, 1, 2, 2));
    *value = (double)out[0] * (double)out[2] + (double)out[1] * (double)out[3];
    return LAB_OK;
}

static lab_status length_after_rotation(double *value)
{
    const float x[2] = {3, 4};
    const size_t positions[1] = {1000};
    float out[2];
    LAB_TRY(rope(out, x, positions, 1, 1, 1, 2));
    *value = hypot((double)out[0], (double)out[1]);
    return LAB_OK;
}

static lab_status bias_of_distance_3(double *value)
{
    float bias[8][4][4];
    LAB_TRY(alibi_bias(&bias[0][0][0], 8, 4, 4));
    *value = (double)bias[0][3][0];
    return LAB_OK;
}

static lab_status bias_of_a_new_token(double *value)
{
    float bias[8][1][4];
    LAB_TRY(alibi_bias(&bias[0][0][0], 8, 1, 4));
    *value = (double)bias[0][0][3];
    return LAB_OK;
}

// The weight of the second of two equal tokens, for the first; the third is orthogonal.
static lab_status weight_of_the_equal_token(double *value)
{
    const float x[12] = {6, 0, 0, 0, 6, 0, 0, 0, 0, 6, 0, 0};
    float out[12], weights[9], scores[9];
    LAB_TRY(attention_without_projections(out, weights, scores, x, 3, 4));
    *value = (double)weights[1];
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(row_0_with_itself),         PREDICT(difference_at_the_same_offset),
    PREDICT(slow_sine_at_100),          PREDICT(rotated_second_channel),
    PREDICT(rotated_dot_product),       PREDICT(length_after_rotation),
    PREDICT(bias_of_distance_3),        PREDICT(bias_of_a_new_token),
    PREDICT(weight_of_the_equal_token), {NULL, NULL},
};
