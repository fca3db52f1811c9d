// blas_core.c - see blas_core.h.

#define _POSIX_C_SOURCE 200809L

#include "common/blas_core.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char variable[] = "OPENBLAS_CORETYPE";

const char *lab_blas_core(void)
{
#ifdef __x86_64__
    if (getenv(variable) == NULL && strcmp(openblas_get_corename(), "Prescott") == 0) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
            return "SkylakeX";
        }
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            return "Haswell";
        }
    }
#endif
    return NULL;
}

// OpenBLAS reads the environment before main, so the program must start again to change it.
void lab_blas_core_use(char **argv)
{
    const char *core = lab_blas_core();
    if (core != NULL && setenv(variable, core, 1) == 0) {
        execv("/proc/self/exe", argv);
    } // otherwise continue: slower, but just as correct
}
