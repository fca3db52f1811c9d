// counted.h - the functions of counted.cu and threads.cu that test_gpu_runtime.c calls.

#ifndef TESTS_GPU_COUNTED_H
#define TESTS_GPU_COUNTED_H

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN
void run_counted(void);
void run_store(float *x_dev); // one float, wherever that is
LAB_GPU_END

#endif
