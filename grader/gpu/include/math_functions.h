// math_functions.h - an old name of what cuda_runtime.h has.

#ifndef GPU_MATH_FUNCTIONS_H
#define GPU_MATH_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
