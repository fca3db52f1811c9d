// model.c - see model.h.

#include "exercises/09/model.h"
#include "exercises/common/inputs.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

// ---- parameters ---------------------------------------------------------------------------

static const char *const names[MATRICES] = {
    "params.w_q",    "params.w_k",  "params.w_v",    "params.w_o",
    "params.w_gate", "params.w_up", "params.w_down", "params.w_out"};

// The scales are a little larger than the integers need, and differ by up to a half.
static void round_to_scales(float *w, float *scales, size_t count, size_t I,
                            struct lab_rng *rng)
{
    float largest = 0.0f, u[SCALES];
    for (size_t i = 0; i < count; i++) {
        largest = fmaxf(largest, fabsf(w[i]));
    }
    lab_rng_rand(rng, u, SCALES);
    for (size_t i = 0; i < SCALES; i++) {
        scales[i] = (1.0f + 0.5f * u[i]) * largest / 127.0f;
    }
    for (size_t i = 0; i < count; i++) {
        const float scale = scales[i / I % SCALES];
        w[i] = scale * rintf(w[i] / scale);
    }
}

void draw_model(struct test_case *test, unsigned int8, struct lab_rng *rng)
{
    float *scales = case_f32(test, "int8 scales");
    draw_language_model(test, rng);
    // A block may nearly cancel a token's row, and RMS norm then magnifies the rounding. It takes a
    // larger sum of blocks to cancel a larger row.
    scale_input(test, "params.token_table", 2.0f);
    memset(scales, 0, MATRICES * SCALES * sizeof *scales);
    for (size_t m = 0; m < MATRICES; m++) {
        const bool down = strcmp(names[m], "params.w_down") == 0;
        if (int8 >> m & 1) {
            round_to_scales(case_f32(test, names[m]), scales + m * SCALES,
                            case_count(test, names[m]), case_dim(test, down ? "H" : "C"),
                            rng);
        }
    }
    if (int8 == 0) {
        case_absent(test, "int8 scales");
    }
}

void matrices_of(struct generation_matrix *all, const struct generation_params *p)
{
    const struct generation_matrix in_order[MATRICES] = {
        p->w_q, p->w_k, p->w_v, p->w_o, p->w_gate, p->w_up, p->w_down, p->w_out};
    memcpy(all, in_order, sizeof in_order);
}

float *floats_of(const struct generation_matrix *matrix, size_t O, size_t I)
{
    float *w = borrow(O * I);
    for (size_t i = 0; i < O * I; i++) {
        w[i] = matrix->weights != NULL ? matrix->weights[i]
                                       : (float)matrix->rows[i] * matrix->scales[i / I];
    }
    return w;
}

// ---- texts --------------------------------------------------------------------------------

// Row t of the cache of sequence b, in layer l and head h.
static float *row_of(struct test_case *test, const char *name, size_t l, size_t b,
                     size_t h, size_t t)
{
    const struct language_shape s = shape_of_case(test);
    return case_f32(test, name) +
           (((l * s.B + b) * s.NH + h) * s.T + t) * case_dim(test, "hs");
}

void remember_text(struct test_case *test, float *logits, const size_t *tokens, size_t b,
                   size_t N, size_t n)
{
    const size_t hs = case_dim(test, "hs"), bytes = hs * sizeof(float);
    const struct language_params params = params_of_case(test);
    struct language_shape s = shape_of_case(test);
    struct scratch_model model = scratch_model(&s);
    s.B = 1;
    s.T = N + n;
    must(language_forward(NULL, &model.z, &params, tokens, NULL, &s));
    for (size_t row = 0; row < s.L * s.NH * s.T; row++) { // (L, NH, N + n)
        const size_t l = row / s.T / s.NH, h = row / s.T % s.NH, t = row % s.T;
        if (t < N) {
            memcpy(row_of(test, "cache.keys", l, b, h, t), model.z.k_turned + row * hs,
                   bytes);
            memcpy(row_of(test, "cache.values", l, b, h, t), model.z.v_heads + row * hs,
                   bytes);
        }
    }
    memcpy(logits, model.z.logits + (s.T - 1) * s.V, s.V * sizeof *logits);
    forget_model(&model);
}
