// cuda.h - building a student's .cu file: for the simulated GPU, or for a device.
//
//   simulated   attention.cu --cuda-to-cpp--> attention.cu.cpp --g++--> attention.o
//               every load and store calls the simulator, build/lib/libgpu-checked.a
//   device      attention.cu --nvcc--> attention.o, linked with the CUDA runtime
//
// From there on it goes as with a C file (build.h).

#ifndef GRADER_CUDA_H
#define GRADER_CUDA_H

#include "judge/command.h"

// Why nothing can be run on a device here, or NULL when it can be tried.
const char *cuda_not_here(void);

// Compiles one file that lies in folder. *message is set when there is something to say.
bool cuda_compile(const struct workshop *workshop, enum backend backend,
                  const char *source, const char *folder, const char *object,
                  char **message);

// An object that uses what belongs to the worker is refused, and, simulated, one that replaces or
// steers the simulator, or calls what cannot be looked at: what to say, or NULL. Caller frees.
// See device.c.
char *cuda_refuses(enum backend backend, const char *object);

// To objcopy: where the copying functions of the C library go, simulated.
void cuda_add_redirections(struct command *command);

// What the worker is linked by, and with.
void cuda_add_linker(struct command *command, enum backend backend);
void cuda_add_libraries(struct command *command, enum backend backend, const char *root);

#endif
