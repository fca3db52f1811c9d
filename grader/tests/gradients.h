// gradients.h - measures gradients, for tests of backward passes.
//
// A gradient can be measured: change one input by h in both directions, and see how the loss
// changes. The forward functions below are written again, in double and without regard for
// speed, so they do not depend on the tested code or on float rounding. With h = 1e-5 the
// difference is right to about 1e-10, and only the rounding of the float gradient remains.
//
//   d loss / d x  ~  (loss(x + h) - loss(x - h)) / 2h
//
// The tested functions are the reference solutions', found by name as the judge finds them. Start
// reading at expect_gradient.

#ifndef GRADER_TESTS_GRADIENTS_H
#define GRADER_TESTS_GRADIENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/rng.h"
#include "exercises/exercise.h"

// The function of that name among the entries of that lab.
any_function find_reference(int lab, const char *name);

#define REFERENCE_OF(lab, name) ((__typeof__(name) *)find_reference(lab, #name))
#define REFERENCE(name) REFERENCE_OF(6, name)

enum { MOST = 4096 };

// A tensor twice: as the reference reads it, and as the double evaluation does.
struct tensor {
    size_t n;
    float f[MOST];
    double d[MOST];
};

extern struct lab_rng rng;

// Each suite's .init.
void seed(void);

// n unit normals, times scale.
void draw(struct tensor *t, size_t n, float scale);

double dot(const double *a, const double *b, size_t n);

// ---- central differences -----------------------------------------------------------------

typedef double loss_function(const void *context);

// Checks that got(n) is the gradient of loss with respect to x(n). The context contains x.
// Sets `what` to the first place that differs.
bool is_gradient_within(double tolerance, const float *got, double *x, size_t n,
                        loss_function *loss, const void *context, char *what,
                        size_t what_size);

// The same with the float error that all models but lab 8's are allowed.
bool is_gradient(const float *got, double *x, size_t n, loss_function *loss,
                 const void *context, char *what, size_t what_size);

#define expect_gradient(got, x, loss, context)                                           \
    do {                                                                                 \
        char what_[160] = "";                                                            \
        cr_expect(is_gradient(got, (x)->d, (x)->n, loss, context, what_, sizeof what_),  \
                  "%s%s", #got, what_);                                                  \
    } while (0)

// ---- forward, in double ------------------------------------------------------------------

// y (N,O) = x (N,I) w (O,I)^T + bias (O)
void linear_d(double *y, const double *x, const double *w, const double *bias, size_t N,
              size_t In, size_t Out);

// A row of -INFINITY, whose query sees no key, becomes zeros.
void softmax_d(double *y, const double *x, size_t n);

// One head: out (T,hs), weights (T,S). The rows of q, k, v and out are `stride` apart.
void head_d(double *out, double *weights, const double *q, const double *k,
            const double *v, size_t stride, bool causal, size_t T, size_t S, size_t hs);

void layernorm_d(double *y, const double *x, const double *gain, const double *bias,
                 size_t N, size_t C);

double gelu_d(double x);

// The mean over the rows of logits (N,V).
double cross_entropy_d(const double *logits, const size_t *targets, size_t N, size_t V);

#endif
