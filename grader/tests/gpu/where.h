// where.h - the functions of where.cu that test_gpu_where.c calls.

#ifndef TESTS_GPU_WHERE_H
#define TESTS_GPU_WHERE_H

#include "common/gpu/gpu.h"

LAB_GPU_BEGIN
void run_meetings(void);
void run_one_by_one(void);
LAB_GPU_END

#endif
