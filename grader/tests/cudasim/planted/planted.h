// planted.h - shared by the planted bugs (main.cu).

#ifndef TESTS_CUDASIM_PLANTED_H
#define TESTS_CUDASIM_PLANTED_H

#include <cuda_runtime.h>

enum { N = 100, THREADS = 64, BLOCKS = 2 };

// ---- main.cu ------------------------------------------------------------------------------

float *numbers(int n); // on the device
float *unwritten(int n);

// Most programs are a kernel of an output and an input, and this launch.
typedef void kernel_of_two(float *y, const float *x);
void launch(kernel_of_two *kernel, int blocks, int threads, size_t shared = 0);

// ---- memory.cu ----------------------------------------------------------------------------

extern __constant__ float weights[5];
__global__ void doubles(float *x, int n);

// ---- the lists ----------------------------------------------------------------------------

struct planted {
    const char *name, *kind, *mark;
    kernel_of_two *kernel[2]; // twin, bug; or ...
    void (*function[2])();    // ... a program of its own
    int blocks, threads;
    size_t shared;
};
// Each ends with an empty one.
extern const struct planted races_planted[], memory_planted[], waits_planted[],
    copies_planted[], calls_planted[], unseen_planted[];

#define KERNEL(name, kind, ...)                                                          \
    {                                                                                    \
#name, kind, #name, {name < false>, name < true> }, {NULL, NULL }, __VA_ARGS__   \
    }
#define MARKED(name, kind, mark)                                                         \
    {                                                                                    \
#name, kind, mark, {NULL, NULL }, {name < false>, name < true> }, 0, 0, 0        \
    }
#define PROGRAM(name, kind) MARKED(name, kind, #name)

#endif
