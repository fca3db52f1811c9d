// cublas.h - the older name; the functions are those of cublas_v2.h.

#ifndef GPU_CUBLAS_H
#define GPU_CUBLAS_H

#include "cublas_v2.h"

#endif
