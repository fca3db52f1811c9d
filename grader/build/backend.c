// backend.c - see backend.h.

#include "build/backend.h"

const char *backend_name(enum backend backend)
{
    static const char *const names[] = {
        [CPU] = "cpu", [GPU_SIMULATED] = "gpu-simulated", [GPU_DEVICE] = "gpu-device"};
    return names[backend];
}
