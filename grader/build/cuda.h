// cuda.h - building a student's .cu file: for the simulated GPU, or for a device.
//
//   simulated   attention.cu --cuda-to-cpp--> attention.cu.cpp --g++--> attention.o
//               every load and store calls the simulator, build/lib/libgpu-checked.a
//   device      attention.cu --nvcc--> attention.o, linked with the CUDA runtime
//
// From there on it goes as with a C file (build.h).

#ifndef GRADER_CUDA_H
#define GRADER_CUDA_H

#include "build/backend.h"
#include "build/command.h"
#include "build/workshop.h"

// Why nothing can run on a device here, or NULL if it may work.
const char *cuda_not_here(void);

// Compiles one file that lies in folder. *message is set if there is a message.
bool cuda_compile(const struct workshop *workshop, enum backend backend,
                  const char *source, const char *folder, const char *object,
                  char **message);

// To objcopy: where the copying functions of the C library go, simulated.
void cuda_add_redirections(struct command *command);

// What the worker is linked by, and with.
void cuda_add_linker(struct command *command, enum backend backend);
void cuda_add_libraries(struct command *command, enum backend backend, const char *root);

#endif
