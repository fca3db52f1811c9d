// measure.c - measures a gradient by central differences, and compares.
//
// The forward functions compute in float, so a small step would measure mostly rounding. Four
// points allow a large one:
//
//   slope = (8 (loss(x + h) - loss(x - h)) - (loss(x + 2h) - loss(x - 2h))) / 12h
//
// The terms of h^3 cancel, and the error is about h^4 times a fifth derivative / 30. At h = 1/32 this
// and the rounding of the loss, about 1e-7 / h, are both near 1e-6 to 1e-5.

#include <math.h>

#include "programs/gradcheck/measure.h"

static const float STEP = 1.0f / 32;

static lab_status loss_at(double *loss, const struct gradcheck *check,
                          struct gradcheck_call *c, float *x, float value)
{
    const float kept = *x;
    *x = value;
    const lab_status status = check->run_forward(loss, c);
    *x = kept;
    return status;
}

lab_status measure(double *measured, const struct gradcheck *check,
                   struct gradcheck_call *c, const struct gradient *g)
{
    for (size_t i = 0; i < g->n; i++) {
        float *x = &g->value[i];
        double up, down, up2, down2;
        LAB_TRY(loss_at(&up, check, c, x, *x + STEP));
        LAB_TRY(loss_at(&down, check, c, x, *x - STEP));
        LAB_TRY(loss_at(&up2, check, c, x, *x + 2 * STEP));
        LAB_TRY(loss_at(&down2, check, c, x, *x - 2 * STEP));
        measured[i] = (8 * (up - down) - (up2 - down2)) / (12 * (double)STEP);
    }
    return LAB_OK;
}

float before(const struct gradient *g, size_t i)
{
    return g->kind == WRITTEN ? NAN : 0.5f + 0.25f * (float)(i % 3);
}

double got(const struct gradient *g, size_t i)
{
    return (double)g->got[i] - (g->kind == ADDED ? (double)before(g, i) : 0);
}

size_t compare(bool *differs, const double *measured, const struct gradient *g,
               double loss)
{
    double largest = 0;
    size_t count = 0;
    for (size_t i = 0; i < g->n; i++) {
        largest = fmax(largest, fabs(measured[i]));
    }
    // Rounding of the loss, relative to the step; and the curvature of high order.
    const double floor = 2e-5 * (1 + fabs(loss)) + 1e-3 * largest;
    for (size_t i = 0; i < g->n; i++) {
        const double yours = got(g, i);
        const double allowed = floor + 1e-3 * (fabs(measured[i]) + fabs(yours));
        differs[i] = !(fabs(measured[i] - yours) <= allowed); // NaN differs
        count += differs[i];
    }
    return count;
}
