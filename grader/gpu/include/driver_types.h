// driver_types.h - the types of the runtime calls.

#ifndef GPU_DRIVER_TYPES_H
#define GPU_DRIVER_TYPES_H

#include "cuda_runtime_api.h"

#endif
