// angles.h - the rotation of lab 7 for all heads of one row, with the angles of all positions computed
// once; for lab 8's model.

#ifndef LAB_FAST_ANGLES_H
#define LAB_FAST_ANGLES_H

#include <math.h>
#include <stddef.h>

#include "fast/common/vector_math.h"

// Cosines and sines of all T hs / 2 angles, in memory (T hs). Position t is token t.
struct angles {
    const float *cosine, *sine; // (T, hs / 2) each
};

static inline struct angles make_angles(float *memory, size_t T, size_t hs)
{
    const size_t pairs = hs / 2;
    float *cosine = memory, *sine = memory + T * pairs;
    for (size_t i = 0; i < pairs; i++) {
        const double frequency = pow(10000.0, -2.0 * (double)i / (double)hs);
        for (size_t t = 0; t < T; t++) {
            const double angle = (double)t * frequency;
            cosine[t * pairs + i] = (float)cos(angle);
            sine[t * pairs + i] = (float)sin(angle);
        }
    }
    return (struct angles){cosine, sine};
}

// Rotates the NH heads of a row x (NH, hs) by the angles of token t; way = -1 rotates back, way = 1
// forward. Head h is written to out + h * distance; out may be x.
LAB_WIDE static void turn_heads(float *out, size_t distance, const float *x,
                                struct angles angles, float way, size_t t, size_t NH,
                                size_t hs)
{
    const size_t pairs = hs / 2;
    const float *cosine = angles.cosine + t * pairs, *sine = angles.sine + t * pairs;
    for (size_t h = 0; h < NH; h++) {
        const float *x_h = x + h * hs;
        float *out_h = out + h * distance;
        for (size_t i = 0; i < pairs; i++) {
            const float first = x_h[2 * i], second = x_h[2 * i + 1], s = way * sine[i];
            out_h[2 * i] = first * cosine[i] - second * s;
            out_h[2 * i + 1] = first * s + second * cosine[i];
        }
    }
}

#endif
