// wrong.c - backward functions with one mistake each, for test_gradcheck.sh: linked with the
// program behind make gradcheck in place of a lab's gradcheck.c. Each belongs to y = x x, whose
// gradient is 2 x dy, or to gelu, which is not written here.

#include <math.h>

#include "05_transformer_block/block.h"
#include "common/gradcheck.h"

enum { ROWS = 3, COLS = 3, N = ROWS * COLS };

struct numbers {
    float x[N], dx[N], dy[N], y[N];
};

static struct numbers *state(struct gradcheck_call *c)
{
    return c->state;
}

static lab_status start_written(struct gradcheck_call *c)
{
    static struct numbers s;
    c->state = &s;
    GRADIENT(c, s, x, WRITTEN, ROWS, COLS);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status start_added(struct gradcheck_call *c)
{
    static struct numbers s;
    c->state = &s;
    GRADIENT(c, s, x, ADDED, ROWS, COLS);
    DRAW(c, s.dy);
    return LAB_OK;
}

static lab_status squares(double *loss, struct gradcheck_call *c)
{
    struct numbers *s = state(c);
    for (size_t i = 0; i < N; i++) {
        s->y[i] = s->x[i] * s->x[i];
    }
    *loss = gradcheck_sum(s->y, s->dy, N);
    return LAB_OK;
}

static double slope(struct gradcheck_call *c, size_t i)
{
    return 2 * (double)state(c)->x[i] * (double)state(c)->dy[i];
}

// A backward function that writes EXPRESSION, in which i is the element and r and k its row and
// column.
#define WRITES(name, expression)                                                         \
    static lab_status name(struct gradcheck_call *c)                                     \
    {                                                                                    \
        for (size_t i = 0; i < N; i++) {                                                 \
            const size_t r = i / COLS, k = i % COLS;                                     \
            (void)r;                                                                     \
            (void)k;                                                                     \
            state(c)->dx[i] = (float)(expression);                                       \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

WRITES(right, slope(c, i))
WRITES(right_and_added, (double)state(c)->dx[i] + slope(c, i))
WRITES(half_a_percent, 1.005 * slope(c, i))
WRITES(one_element, slope(c, i) + (i == 4 ? 0.5 : 0))
WRITES(three_times, 3 * slope(c, i))
WRITES(with_root, slope(c, i) / sqrt(3))
WRITES(negative, -slope(c, i))
WRITES(nothing, (double)state(c)->dx[i])
WRITES(zero, 0)
WRITES(diagonal, slope(c, i) + (r == k ? 0 : 1 + (double)i))
WRITES(transposed, slope(c, k *COLS + r))
WRITES(row_factor, slope(c, i) * (r == 0 ? 5 : 1))
WRITES(row_factors, slope(c, i) * (2 + (double)r))
WRITES(first_row, r == 0 ? slope(c, i) : 7 - (double)i)
WRITES(row_offset, slope(c, i) + 1 + (double)r)
WRITES(column, slope(c, i) + (k == 2 ? 1 + (double)r : 0))
WRITES(half_written, r == 1 ? (double)NAN : slope(c, i))
WRITES(mess, (double)(i *i % 7) - 3)

static lab_status todo(struct gradcheck_call *c)
{
    return lab_todo(c);
}

static lab_status refuses(struct gradcheck_call *c)
{
    (void)c;
    return LAB_ESHAPE;
}

lab_status gelu(float *y, const float *x, size_t n)
{
    return lab_todo(y, x, n);
}

static lab_status unwritten(double *loss, struct gradcheck_call *c)
{
    struct numbers *s = state(c);
    LAB_TRY(FORWARD(c, gelu)(s->y, s->x, N));
    *loss = gradcheck_sum(s->y, s->dy, N);
    return LAB_OK;
}

static double normal_cdf(double x)
{
    return 0.5 * (1 + erf(x / sqrt(2)));
}

// Abramowitz and Stegun, 26.2.1: the derivative of the cdf is exp(-x x / 2) / sqrt(2 pi).
WRITES(of_gelu, (double)state(c)->dy[i] *
                    (normal_cdf((double)state(c)->x[i]) +
                     (double)state(c)->x[i] *
                         exp(-(double)state(c)->x[i] * (double)state(c)->x[i] / 2) /
                         sqrt(2 * acos(-1))))

#define CHECK(name, start)                                                               \
    {                                                                                    \
#name, #name "_backward", "squares (0.0)", start, squares, name                  \
    }

const struct gradcheck gradchecks[] = {
    CHECK(right, start_written),
    CHECK(right_and_added, start_added),
    {"overwritten", "overwritten_backward", "squares (0.0)", start_added, squares, right},
    CHECK(half_a_percent, start_written),
    CHECK(one_element, start_written),
    CHECK(three_times, start_written),
    CHECK(with_root, start_written),
    CHECK(negative, start_written),
    {"not_added", "nothing_backward", "squares (0.0)", start_added, squares, nothing},
    {"not_written", "nothing_backward", "squares (0.0)", start_written, squares, nothing},
    CHECK(zero, start_written),
    CHECK(diagonal, start_written),
    CHECK(transposed, start_written),
    CHECK(row_factor, start_written),
    CHECK(row_factors, start_written),
    CHECK(first_row, start_written),
    CHECK(row_offset, start_written),
    CHECK(column, start_written),
    CHECK(half_written, start_written),
    CHECK(mess, start_written),
    CHECK(todo, start_written),
    CHECK(refuses, start_written),
    {"ours", "gelu_backward", "gelu (5.2)", start_written, unwritten, of_gelu},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
