// backend.h - where a student's code runs.

#ifndef GRADER_BACKEND_H
#define GRADER_BACKEND_H

// Where a student's code runs: as it is; a .cu file on the CPU, with every access checked
// (docs/gpu.md); a .cu file on a CUDA device.
enum backend { CPU, GPU_SIMULATED, GPU_DEVICE };

// "cpu", "gpu-simulated", "gpu-device".
const char *backend_name(enum backend backend);

#endif
