// heads_print.h - the attention of every head, for people to read.
//
//     lab_print_heads(stdout, weights, NH, T, true);
// prints
//     head 0
//                T0      T1      T2
//         T0  1.000     ---     ---
//         T1  0.302   0.698     ---
//         T2  0.250   0.250   0.500

#ifndef LAB_HEADS_PRINT_H
#define LAB_HEADS_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LAB_HEADS_SIDE = 16 }; // rows and columns shown, at most

// Prints weights(NH,T,T): row = query, column = key. causal: what lies above the diagonal may
// not be looked at and shows as ---. Of a longer sequence the first LAB_HEADS_SIDE tokens.
void lab_print_heads(FILE *out, const float *weights, size_t NH, size_t T, bool causal);

#endif
