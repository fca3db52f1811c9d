// inputs.c - see inputs.h.

#include "exercises/common/inputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

void scale_input(struct test_case *test, const char *input, float by)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] *= by;
    }
}

void repeat_rows(struct test_case *test, const char *input, size_t width, size_t turn,
                 float from, float step)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        const size_t place = (i / width * 5 + i % width * 3) * turn % 11;
        x[i] = ((float)place + from) * step;
    }
}

void repeat_numbers(struct test_case *test, const char *input, size_t turn)
{
    repeat_rows(test, input, 1, turn, -5.0f, 1.0f);
}

void clear_every(struct test_case *test, const char *input, size_t step)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i += step) {
        x[i] = 0.0f;
    }
}

void shift_input(struct test_case *test, const char *input, float by)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] += by;
    }
}

void set_all(struct test_case *test, const char *input, float value)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] = value;
    }
}

void make_whole(struct test_case *test, const char *input)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] = copysignf(1.0f + floorf(2.0f * fabsf(x[i])), x[i]);
    }
}

static const int powers_apart[] = {-100, -60, -30, 30, 60, 100};

void rows_of_every_size(struct test_case *test, const char *input, size_t width)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] = ldexpf((float)(1 + i % 3), powers_apart[i / width % 6]);
    }
}

void columns_of_two_sizes(struct test_case *test, const char *input, size_t width)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] = ldexpf(1.0f + fabsf(x[i]), i % width % 2 == 0 ? -60 : 60);
    }
}

void whole_steps_from(struct test_case *test, float base)
{
    float *scores = case_f32(test, "scores");
    for (size_t i = 0, count = case_count(test, "scores"); i < count; i++) {
        scores[i] = base + rintf(2.0f * scores[i]);
    }
}

void small_shares(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0, count = case_count(test, "scores"); i < count; i++) {
        scores[i] = -(float)(i * 5 % 13);
    }
}

static void scores_below(struct test_case *test, float below)
{
    float *scores = case_f32(test, "scores");
    const size_t S = case_dim(test, "S");
    for (size_t i = 0, count = case_count(test, "scores"); i < count; i++) {
        scores[i] = (i / S + i % S) % 2 == 0 ? 0.0f : -below;
    }
}

void scores_20_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scores_below(test, 20.0f);
}

void scores_80_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scores_below(test, 80.0f);
}

// A query (2, 0, 0, 0) and a key (k, 0, 0, 0) have the score 2 k / sqrt(4) = k.
void heads_below(struct test_case *test, const char *q, const char *k, const char *v,
                 float below)
{
    set_all(test, q, 0.0f);
    set_channel(test, q, BELOW_WIDTH, 0, 2.0f);
    set_all(test, k, 0.0f);
    set_channel(test, k, (size_t)2 * BELOW_WIDTH, BELOW_WIDTH, -below);
    set_channel(test, v, BELOW_WIDTH, 0, 1.0f);
    set_channel(test, v, BELOW_WIDTH, 1, 0x1p-30f);
    set_channel(test, v, BELOW_WIDTH, 2, 0x1p-100f);
    set_channel(test, v, BELOW_WIDTH, 3, 0x1p60f);
}

// Channel 0 of a token becomes its query and its value, channel 1 its key.
void tokens_20_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const weights[] = {"w_q", "w_k", "w_v"};
    set_all(test, "x", 0.0f);
    set_channel(test, "x", BELOW_WIDTH, 0, 2.0f);
    set_channel(test, "x", (size_t)2 * BELOW_WIDTH, BELOW_WIDTH + 1, -20.0f);
    for (size_t i = 0; i < 3; i++) {
        set_all(test, weights[i], 0.0f);
        case_f32(test, weights[i])[i == 1] = 1.0f;
    }
    float *w_v = case_f32(test, "w_v");
    w_v[2 * BELOW_WIDTH] = 0x1p-30f;
    w_v[3 * BELOW_WIDTH] = 0x1p40f;
}

void whole_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(test, "a");
    make_whole(test, "b");
}

void small_factors(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_small(test, "a");
    case_small(test, "b");
}

static void scaled_factors(struct test_case *test, struct lab_rng *rng, float by)
{
    whole_factors(test, rng);
    scale_input(test, "a", by);
    scale_input(test, "b", by);
}

void tiny_factors(struct test_case *test, struct lab_rng *rng)
{
    scaled_factors(test, rng, TINY);
}

void large_factors(struct test_case *test, struct lab_rng *rng)
{
    scaled_factors(test, rng, LARGE);
}

void whole_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(test, "x");
    make_whole(test, "w");
    make_whole(test, "bias");
}

void small_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_small(test, "x");
    case_small(test, "w");
    case_small(test, "bias");
}

static void scaled_layer(struct test_case *test, struct lab_rng *rng, float by)
{
    whole_layer(test, rng);
    scale_input(test, "x", by);
    scale_input(test, "w", by);
    scale_input(test, "bias", by * by);
}

void tiny_layer(struct test_case *test, struct lab_rng *rng)
{
    scaled_layer(test, rng, TINY);
}

void large_layer(struct test_case *test, struct lab_rng *rng)
{
    scaled_layer(test, rng, LARGE);
}

void huge_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    const size_t S = case_dim(test, "S");
    for (size_t i = 0, count = case_count(test, "scores"); i < count; i++) {
        const float size = 1e30f * (1.0f + fabsf(scores[i]));
        scores[i] = i % S == i / S % S ? size : copysignf(size, scores[i]);
    }
}

void equal_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    for (size_t i = 0, count = case_count(test, "scores"); i < count; i++) {
        case_f32(test, "scores")[i] = 1.5f * (float)(i / S);
    }
}

void rows_far_below(struct test_case *test, const char *input, size_t width)
{
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        const bool largest = (i / width + i % width) % width == 0;
        x[i] = largest ? nextafterf(-FLT_MAX, 0.0f) : -FLT_MAX;
    }
}

void lowest_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_far_below(test, "scores", case_dim(test, "S"));
}

void rows_at_limits(struct test_case *test, const char *input, size_t width)
{
    static const float base[] = {95.0f, -9e8f};
    float *x = case_f32(test, input);
    for (size_t i = 0, count = case_count(test, input); i < count; i++) {
        x[i] = base[i / width % 2] + 0.25f * x[i];
    }
}

void scores_at_limits(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_at_limits(test, "scores", case_dim(test, "S"));
}

void coarse_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "scores");
}

void one_far_above(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S"), first[] = {0, S - 1, S / 2};
    const size_t rows = case_count(test, "scores") / S;
    for (size_t n = 0; n < rows; n++) {
        case_f32(test, "scores")[n * S + (n < 3 ? first[n] : 41 * n % S)] += 2000.0f;
    }
}

void one_far_above_coarse(struct test_case *test, struct lab_rng *rng)
{
    coarse_scores(test, rng);
    one_far_above(test, rng);
}

void spread_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "scores", 1.5f);
}

void tokens_far_from_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x");
    for (size_t n = 0; n < case_count(test, "x") / C; n++) {
        const size_t t = n % T;
        x[n * C] = t + 1 == T ? -1.0f : t == 2 ? 0.5f : 1.0f;
        x[n * C + 1] = t < 2 ? 2.0f : n > T && t == 3 ? -3.0f : 1.0f;
    }
    set_all(test, "w_q", 0.0f);
    set_all(test, "w_k", 0.0f);
    case_f32(test, "w_q")[0] = 0x1p51f;
    case_f32(test, "w_k")[1] = 0x1p51f;
}

void heads_far_from_0(float *w_q, float *w_k, size_t I, size_t C, size_t hs)
{
    memset(w_q, 0, C * I * sizeof *w_q);
    memset(w_k, 0, C * I * sizeof *w_k);
    for (size_t c = 0; c < C; c += hs) {
        w_q[c * I] = 0x1p51f;
        w_k[c * I + 1] = c / hs % 2 == 0 ? 0x1p51f : -0x1p51f;
    }
}

void tokens_of_every_size(struct test_case *test, const char *input, size_t I)
{
    set_all(test, input, 0.0f);
    set_channel(test, input, I, 0, 2.0f);
    set_channel(test, input, 2 * I, I + 1, -20.0f);
    set_channel(test, input, I, 2, 1.0f);
}

// As in heads_below: a query (2, 0, 0, 0) and a key (k, 0, 0, 0) have the score k.
void heads_of_every_size(float *w_q, float *w_k, float *w_v, size_t I, size_t C)
{
    memset(w_q, 0, C * I * sizeof *w_q);
    memset(w_k, 0, C * I * sizeof *w_k);
    memset(w_v, 0, C * I * sizeof *w_v);
    for (size_t c = 0; c < C; c++) {
        w_q[c * I] = c % BELOW_WIDTH == 0;
        w_k[c * I + 1] = c % BELOW_WIDTH == 0;
        w_v[c * I + 2] = c / BELOW_WIDTH % 2 == 0 ? 0x1p-30f : 0x1p30f;
    }
}

void unit_matrix(float *w, size_t C)
{
    for (size_t i = 0; i < C * C; i++) {
        w[i] = i / C == i % C;
    }
}

void set_channel(struct test_case *test, const char *input, size_t C, size_t channel,
                 float value)
{
    for (size_t i = channel; i < case_count(test, input); i += C) {
        case_f32(test, input)[i] = value;
    }
}
