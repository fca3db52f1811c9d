// gradients.c - see gradients.h.

#include "tests/gradients.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "05_transformer_block/block.h"

// ---- the reference ------------------------------------------------------------------------

any_function find_reference(int lab, const char *name)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (const struct entry *e = place->entries; e->name != NULL; e++) {
            if (place->number == lab && strcmp(e->name, name) == 0) {
                return e->function;
            }
        }
    }
    cr_assert(false, "the grader knows no %s in lab %d", name, lab);
    return NULL;
}

// ---- numbers ------------------------------------------------------------------------------

struct lab_rng rng;

void seed(void)
{
    lab_rng_seed(&rng, 6);
}

void draw(struct tensor *t, size_t n, float scale)
{
    cr_assert(n <= MOST);
    t->n = n;
    lab_rng_randn(&rng, t->f, n);
    for (size_t i = 0; i < n; i++) {
        t->f[i] *= scale;
        t->d[i] = t->f[i];
    }
}

double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// ---- central differences ------------------------------------------------------------------

// The allowed float error.
static const double close_by = 2e-6;

bool is_gradient_within(double tolerance, const float *got, double *x, size_t n,
                        loss_function *loss, const void *context, char *what,
                        size_t what_size)
{
    const double h = 1e-5;
    for (size_t i = 0; i < n; i++) {
        const double before = x[i];
        x[i] = before + h;
        const double above = loss(context);
        x[i] = before - h;
        const double below = loss(context);
        x[i] = before;
        const double slope = (above - below) / (2 * h);
        if (!(fabs(got[i] - slope) <= tolerance * (1 + fabs(slope)))) {
            snprintf(what, what_size, "[%zu] is %.9g, the loss moves by %.9g", i,
                     (double)got[i], slope);
            return false;
        }
    }
    return true;
}

bool is_gradient(const float *got, double *x, size_t n, loss_function *loss,
                 const void *context, char *what, size_t what_size)
{
    return is_gradient_within(close_by, got, x, n, loss, context, what, what_size);
}

// ---- forward, in double -------------------------------------------------------------------

void linear_d(double *y, const double *x, const double *w, const double *bias, size_t N,
              size_t In, size_t Out)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < Out; o++) {
            y[n * Out + o] = bias[o] + dot(x + n * In, w + o * In, In);
        }
    }
}

void softmax_d(double *y, const double *x, size_t n)
{
    double max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        max = fmax(max, x[i]);
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] == -INFINITY ? 0 : exp(x[i] - max);
        sum += y[i];
    }
    for (size_t i = 0; i < n; i++) {
        y[i] /= sum > 0 ? sum : 1;
    }
}

void head_d(double *out, double *weights, const double *q, const double *k,
            const double *v, size_t stride, bool causal, size_t T, size_t S, size_t hs)
{
    for (size_t t = 0; t < T; t++) {
        double scores[64];
        for (size_t s = 0; s < S; s++) {
            bool allowed = !causal || s + T <= t + S;
            scores[s] = allowed
                            ? dot(q + t * stride, k + s * stride, hs) / sqrt((double)hs)
                            : -INFINITY;
        }
        softmax_d(weights + t * S, scores, S);
        for (size_t c = 0; c < hs; c++) {
            out[t * stride + c] = 0;
            for (size_t s = 0; s < S; s++) {
                out[t * stride + c] += weights[t * S + s] * v[s * stride + c];
            }
        }
    }
}

void layernorm_d(double *y, const double *x, const double *gain, const double *bias,
                 size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const double *x_n = x + n * C;
        double mean = 0, variance = 0;
        for (size_t c = 0; c < C; c++) {
            mean += x_n[c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            variance += (x_n[c] - mean) * (x_n[c] - mean) / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] =
                (x_n[c] - mean) / sqrt(variance + (double)LAYERNORM_EPS) * gain[c] +
                bias[c];
        }
    }
}

double gelu_d(double x)
{
    return 0.5 * x * erfc(-x / sqrt(2.0));
}

double cross_entropy_d(const double *logits, const size_t *targets, size_t N, size_t V)
{
    double loss = 0;
    for (size_t n = 0; n < N; n++) {
        double probabilities[64];
        softmax_d(probabilities, logits + n * V, V);
        loss -= log(probabilities[targets[n]]) / (double)N;
    }
    return loss;
}
