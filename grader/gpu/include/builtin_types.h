// builtin_types.h - types of CUDA.

#ifndef GPU_BUILTIN_TYPES_H
#define GPU_BUILTIN_TYPES_H

#include "cuda_runtime_api.h"

#endif
