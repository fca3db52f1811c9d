// heads_print.h - prints the attention of every head.
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

enum { LAB_HEADS_SIDE = 16 }; // maximum number of rows and columns shown

// Prints weights(NH,T,T), a query per row and a key per column. If causal is true, the part
// above the diagonal prints as ---. If T > LAB_HEADS_SIDE, prints only the first
// LAB_HEADS_SIDE tokens.
void lab_print_heads(FILE *out, const float *weights, size_t NH, size_t T, bool causal);

#endif
