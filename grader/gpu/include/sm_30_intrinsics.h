// sm_30_intrinsics.h - an old name of what cuda_runtime.h has.

#ifndef GPU_SM_30_INTRINSICS_H
#define GPU_SM_30_INTRINSICS_H

#include "cuda_runtime.h"

#endif
