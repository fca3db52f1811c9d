// dimensions.h - the names of sizes, the same in code and text throughout the workbook.
//
//   B   batch: how many sequences            NH  heads
//   T   query length (tokens)                hs  head width
//   S   key length                           H   width inside the MLP
//   C   model width (channels)               V   vocabulary
//   L   layers                               N   rows in general
//   M N K   sizes of a matrix product, (M,K) times (K,N)
//   I O     inputs and outputs of a linear layer, weights (O,I)
//
// Indices are the lower-case letters: b t s c h i. Attention weights are (B, NH, T, S): one row per
// query, one column per key.

#ifndef LAB_DIMENSIONS_H
#define LAB_DIMENSIONS_H

// <cblas.h> includes <complex.h>, which defines I as the imaginary unit. In this workbook I
// is a width. Including the header here and undefining the macro makes the order of
// includes irrelevant.
#ifndef __cplusplus
#include <complex.h>
#undef I
#endif

#endif
