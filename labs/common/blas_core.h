// blas_core.h - the kernels that OpenBLAS runs.
//
// When OpenBLAS is loaded, it picks its kernels by the model number of the processor. It does
// not know newer processors: OpenBLAS 0.3.21 (Debian 12) gives a 2023 Xeon the kernels of a
// Pentium 4 ("Prescott"), which take eight times as long.

#ifndef LAB_BLAS_CORE_H
#define LAB_BLAS_CORE_H

// The value of OPENBLAS_CORETYPE that suits this processor, "SkylakeX" or "Haswell"; NULL if
// OpenBLAS has chosen well, or if the user has set the variable.
const char *lab_blas_core(void);

// Starts this program again with that value, if there is one. Call it first in main.
// Example: int main(int argc, char **argv) { lab_blas_core_use(argv); ... }
void lab_blas_core_use(char **argv);

#endif
