// cuda_profiler_api.h - cudaProfilerStart and cudaProfilerStop, which do nothing here.

#ifndef GPU_CUDA_PROFILER_API_H
#define GPU_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
