// shared.c - see shared.h.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"

#include <math.h>
#include <stdio.h>

#include "01_simple_attention/attention.h"

void scale(float *x, size_t count, float factor)
{
    for (size_t i = 0; i < count; i++) {
        x[i] *= factor;
    }
}

lab_status round_to_places(float *out, lab_status status, size_t rows, size_t columns)
{
    for (size_t i = 0; status == LAB_OK && i < rows * columns; i++) {
        out[i] = truncf(out[i] * 1e6f) / 1e6f;
    }
    return status;
}

struct matrix by_rows(const float *data, size_t width)
{
    return (struct matrix){data, width, 1};
}

struct matrix by_columns(const float *data, size_t height)
{
    return (struct matrix){data, 1, height};
}

lab_status product(float *out, struct matrix a, struct matrix b, size_t M, size_t N,
                   size_t K, double factor)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a.data[m * a.row + k * a.column] *
                       b.data[k * b.row + n * b.column];
            }
            out[m * N + n] = (float)(sum * factor);
        }
    }
    return LAB_OK;
}

lab_status float_product(float *out, struct matrix a, struct matrix b, size_t M, size_t N,
                         size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = K; k-- > 0;) {
                sum +=
                    a.data[m * a.row + k * a.column] * b.data[k * b.row + n * b.column];
            }
            out[m * N + n] = sum;
        }
    }
    return LAB_OK;
}

lab_status faulty_product(float *out, struct matrix a, struct matrix b, size_t M,
                          size_t N, size_t K, double factor, enum sum_fault fault)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M * N; i++) {
        double sum = 0.0;
        for (size_t k = fault == FROM_TERM_1; k < K; k++) {
            const double term = (double)a.data[i / N * a.row + k * a.column] *
                                b.data[k * b.row + i % N * b.column];
            sum = fault == LAST_TERM ? term : sum + term;
            if (fault == WHOLE_SUM && !isfinite(sum)) {
                return LEAVES_ARGUMENTS; // the sanitizer ends it
            }
            sum = fault == WHOLE_SUM ? trunc(sum) : sum;
        }
        out[i] = (float)(sum * factor);
    }
    return LAB_OK;
}

lab_status plain_product(float *out, struct matrix a, struct matrix b, size_t M, size_t N,
                         size_t K)
{
    return product(out, a, b, M, N, K, 1.0);
}

lab_status product_from_1(float *out, struct matrix a, struct matrix b, size_t M,
                          size_t N, size_t K)
{
    return faulty_product(out, a, b, M, N, K, 1.0, FROM_TERM_1);
}

lab_status product_of_whole_sums(float *out, struct matrix a, struct matrix b, size_t M,
                                 size_t N, size_t K)
{
    return faulty_product(out, a, b, M, N, K, 1.0, WHOLE_SUM);
}

lab_status product_of_last_terms(float *out, struct matrix a, struct matrix b, size_t M,
                                 size_t N, size_t K)
{
    return faulty_product(out, a, b, M, N, K, 1.0, LAST_TERM);
}

lab_status rounded_product(float *out, struct matrix a, struct matrix b, size_t M,
                           size_t N, size_t K)
{
    return round_to_places(out, plain_product(out, a, b, M, N, K), M, N);
}

static struct matrix transpose(struct matrix a)
{
    return (struct matrix){a.data, a.column, a.row};
}

// (ab)^T = b^T a^T
lab_status transposed_product(float *out, struct matrix a, struct matrix b, size_t M,
                              size_t N, size_t K)
{
    return plain_product(out, transpose(b), transpose(a), N, M, K);
}

lab_status unset(float *out, size_t rows, size_t columns, size_t depth)
{
    if (rows == 0 || columns == 0 || depth == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < rows * columns; i++) {
        out[i] = NAN;
    }
    return LAB_OK;
}

lab_status matmul_by_outer_products(float *out, const float *a, const float *b, size_t M,
                                    size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M * N; i++) {
        out[i] = 0.0f;
    }
    for (size_t k = 0; k < K; k++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                out[m * N + n] += a[m * K + k] * b[k * N + n];
            }
        }
    }
    return LAB_OK;
}

// ---- softmax, for 1.4 and 1.6 ------------------------------------------------------------

// BEGIN HANDED OUT
bool single_keys_take_all(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size)
{
    (void)first;
    const float *weights = case_got(second, "weights");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (!(fabsf(weights[i] - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "weights[%zu][0] is %.9g: is something added to the sum, "
                     "such as 1e-6?",
                     i, (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

float maximum(const float *x, size_t count, float start)
{
    for (size_t i = 0; i < count; i++) {
        start = x[i] > start ? x[i] : start;
    }
    return start;
}

void zero_row(float *weights_t, size_t S)
{
    for (size_t s = 0; s < S; s++) {
        weights_t[s] = 0.0f;
    }
}

bool is_empty(const float *scores_t, size_t S)
{
    for (size_t s = 0; s < S; s++) {
        if (scores_t[s] > -INFINITY) {
            return false;
        }
    }
    return true;
}

lab_status softmax_columns(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t s = 0; s < S; s++) {
        float max = -INFINITY;
        for (size_t t = 0; t < T; t++) {
            max = scores[t * S + s] > max ? scores[t * S + s] : max;
        }
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            sum += exp((double)scores[t * S + s] - max);
        }
        for (size_t t = 0; t < T; t++) {
            weights[t * S + s] = (float)(exp((double)scores[t * S + s] - max) / sum);
        }
    }
    return LAB_OK;
}

lab_status softmax_by_exp2(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float max = maximum(scores_t, S, -INFINITY);
        if (is_empty(scores_t, S)) {
            zero_row(weights + t * S, S);
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = exp2f((scores_t[s] - max) * 1.44269504f);
            sum += weights[t * S + s];
        }
        scale(weights + t * S, S, 1.0f / sum);
    }
    return LAB_OK;
}
