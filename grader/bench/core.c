// core.c - prints what OPENBLAS_CORETYPE should be for this processor; nothing if it is well as it
// is. The scripts that measure set it for both sides (blas_core.h says why).

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
