// heads.h - shared by 4.3 and 4.4: cases, and places of an element.

#ifndef GRADER_04_HEADS_H
#define GRADER_04_HEADS_H

#include "exercises/exercise.h"

// hs is not an argument; the shapes need it. If NH does not divide C, it is C / NH
// without the remainder.
extern const struct case_spec heads_cases[];

// MOVE(name, to, from): out[to] = x[from] for every channel i of every head h of every token.
// Each layout below is the index of element (b, t, h, i); its name gives the order of the axes.
#define MOVE(name, to, from)                                                             \
    static lab_status name(float *out, const float *x, size_t B, size_t T, size_t C,     \
                           size_t NH)                                                    \
    {                                                                                    \
        if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {                      \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t hs = C / NH;                                                        \
        for (size_t j = 0; j < B * T * C; j++) {                                         \
            const size_t b = j / (T * C), t = j / C % T, h = j % C / hs, i = j % hs;     \
            (void)b;                                                                     \
            out[to] = x[from];                                                           \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define B_T_NH_HS ((b * T + t) * NH + h) * hs + i
#define B_T_HS_NH ((b * T + t) * hs + i) * NH + h
#define B_NH_T_HS ((b * NH + h) * T + t) * hs + i
#define B_NH_HS_T ((b * NH + h) * hs + i) * T + t
#define NH_B_T_HS ((h * B + b) * T + t) * hs + i
#define T_B_NH_HS ((t * B + b) * NH + h) * hs + i
// the places of sequence 0, whatever b is
#define T_NH_HS (t * NH + h) * hs + i
#define NH_T_HS (h * T + t) * hs + i
// (b, t, h, i) with the number of heads and the width of a head swapped
#define EXCHANGED ((b * hs + j % C / NH) * T + t) * NH + j % NH

#endif
