// core.c - prints the right OPENBLAS_CORETYPE for this processor, or nothing if OpenBLAS
// already chooses well. The measuring scripts set it for both sides (see blas_core.h).

#include <stdio.h>

#include "common/blas_core.h"

int main(void)
{
    const char *core = lab_blas_core();
    if (core != NULL) {
        puts(core);
    }
    return 0;
}
