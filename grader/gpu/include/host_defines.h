// host_defines.h - __host__, __device__ and the like.

#ifndef GPU_HOST_DEFINES_H
#define GPU_HOST_DEFINES_H

#include "cuda_runtime.h"

#endif
