// shared.c - see shared.h.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"

#include <math.h>
#include <stdlib.h>

#include "06_copy_task/copy_task.h"

void draw_tokens(struct test_case *test, struct lab_rng *rng, const char *name)
{
    size_t *tokens = case_size(test, name), count = case_count(test, name);
    const size_t V = case_dim(test, "V");
    for (size_t i = 0; i < count && V > 0; i++) {
        tokens[i] = lab_rng_next32(rng) % V;
    }
    if (count > 1) {
        tokens[count - 1] = tokens[0];
    }
}

void last_tokens(struct test_case *test, const char *name)
{
    for (size_t i = 0; i < case_count(test, name); i++) {
        case_size(test, name)[i] = case_dim(test, "V") - 1 - i;
    }
}

void repeat_tokens(struct test_case *test, const char *name)
{
    const size_t V = case_dim(test, "V"), most = V < 7 ? V : 7;
    for (size_t n = 0; n < case_count(test, name); n++) {
        case_size(test, name)[n] = V - 1 - n % most;
    }
}

void last_token_too_large(struct test_case *test, const char *name)
{
    case_size(test, name)[case_count(test, name) - 1] = case_dim(test, "V");
}

void first_token_too_large(struct test_case *test, const char *name)
{
    case_size(test, name)[0] = case_dim(test, "V");
}

void middle_token_far_too_large(struct test_case *test, const char *name)
{
    case_size(test, name)[case_count(test, name) / 2] = case_dim(test, "V") + 1000;
}

size_t *tokens_made_valid(const size_t *tokens, size_t N, size_t V)
{
    size_t *valid = malloc(N * sizeof *valid);
    if (valid == NULL) {
        abort();
    }
    for (size_t n = 0; n < N; n++) {
        valid[n] = tokens[n] < V ? tokens[n] : 0;
    }
    return valid;
}

void spread_rows(float *x, size_t N, size_t C, float least)
{
    for (float *row = x; row < x + N * C; row += C) {
        double mean = 0.0, variance = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)row[c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            variance += ((double)row[c] - mean) * ((double)row[c] - mean) / (double)C;
        }
        const double by = (double)least / sqrt(variance);
        for (size_t c = 0; c < C && by > 1.0; c++) {
            row[c] = (float)(mean + ((double)row[c] - mean) * by);
        }
    }
}

void product(float *y, const float *a, size_t a_m, size_t a_k, const float *b, size_t b_k,
             size_t b_n, size_t M, size_t K, size_t N)
{
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[m * a_m + k * a_k] * b[k * b_k + n * b_n];
            }
            y[m * N + n] = sum;
        }
    }
}

void multiply(float *x, float by, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] *= by;
    }
}

void fill_bad_tokens(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    last_token_too_large(test, "tokens");
}

void fill_bad_target(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    last_token_too_large(test, "targets");
}

void fill_bad_first_token(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    first_token_too_large(test, "tokens");
}

void fill_bad_middle_token(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "tokens");
    middle_token_far_too_large(test, "tokens");
}

void fill_bad_first_target(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    first_token_too_large(test, "targets");
}

void fill_bad_middle_target(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    middle_token_far_too_large(test, "targets");
}

void softmax_of(struct test_case *test, const char *name, size_t S)
{
    float *row = case_f32(test, name);
    float *last = row + case_count(test, name);
    for (; row < last; row += S) {
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            sum += exp(2.0 * (double)row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = (float)(exp(2.0 * (double)row[s]) / sum);
        }
    }
}

SHARED_SOFTMAX(softmax_diagonal, w *(1.0f - w) * dw)

SHARED_SOFTMAX(softmax_opened, w *dw - w * dot)

void set_adam(struct test_case *test, float lr, float weight_decay)
{
    set_all(test, "lr", lr);
    set_all(test, "beta1", 0.9f);
    set_all(test, "beta2", 0.999f);
    set_all(test, "eps", 1e-8f);
    set_all(test, "weight_decay", weight_decay);
}
