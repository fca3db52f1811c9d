// sm_60_atomic_functions.h - an old name of what cuda_runtime.h has.

#ifndef GPU_SM_60_ATOMIC_FUNCTIONS_H
#define GPU_SM_60_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
