// driver_functions.h - an old name of what cuda_runtime.h has.

#ifndef GPU_DRIVER_FUNCTIONS_H
#define GPU_DRIVER_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
