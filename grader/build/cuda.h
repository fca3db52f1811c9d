// cuda.h - builds a student's .cu file for the simulated GPU or for a device.
//
//   simulated   attention.cu --cuda-to-cpp--> attention.cu.cpp --g++--> attention.o
//               every load and store calls the simulator, build/lib/libgpu-checked.a
//   device      attention.cu --nvcc--> attention.o, linked with the CUDA runtime
//
// A simulated file begins with cuda_runtime.h, which takes g++ longer than most files. So the build
// compiles it once, to build/worker/gpu/precompiled/cuda_runtime.h.gch. If g++ does not accept that,
// because it is another g++ or has other flags, it reads the header itself.
//
// The remaining steps are the same as for a C file (build.h).

#ifndef GRADER_CUDA_H
#define GRADER_CUDA_H

#include "build/backend.h"
#include "build/command.h"
#include "build/workshop.h"

// The reason why nothing can run on a device here, or NULL.
const char *cuda_not_here(void);

// Compiles one file in folder. Sets *message if there is a message.
bool cuda_compile(const struct workshop *workshop, enum backend backend,
                  const char *source, const char *folder, const char *object,
                  char **message);

// Adds the objcopy options that redirect the C library's memory functions to the simulator.
void cuda_add_redirections(struct command *command);

// The linker and the libraries of the worker.
void cuda_add_linker(struct command *command, enum backend backend);
void cuda_add_libraries(struct command *command, enum backend backend, const char *root);

#endif
