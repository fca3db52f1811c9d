// backend.h - the backends that run a student's code.

#ifndef GRADER_BACKEND_H
#define GRADER_BACKEND_H

// Native C on the CPU; a .cu file on the CPU, with every access checked (docs/gpu.md); a
// .cu file on a CUDA device.
enum backend { CPU, GPU_SIMULATED, GPU_DEVICE };

// "cpu", "gpu-simulated", "gpu-device".
const char *backend_name(enum backend backend);

#endif
