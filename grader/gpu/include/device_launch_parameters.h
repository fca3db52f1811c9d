// device_launch_parameters.h - threadIdx and its relatives, for files that include it by name.

#ifndef GPU_DEVICE_LAUNCH_PARAMETERS_H
#define GPU_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
