// packed.cc - launches by cudaLaunchKernel, whose arguments are a list of pointers.
//
// The kernel's own types are known where the kernel is compiled. So it is called here without
// arguments; it sees that a launch is configured and passes its parameters to gpu_start, which
// takes those in gpu_packed_arguments instead (include/simulated/launch.h).

#include <cxxabi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/runtime.h"

extern "C" {
void **gpu_packed_arguments;
void gpu_prepare(const gpu_configuration *configuration);
}

using namespace gpu_runtime;

// The kernel's name as in its source, without its parameters. Valid until the next call.
static const char *name_of_kernel(const void *kernel)
{
    static char name[256];
    uintptr_t start;
    int status;
    const char *symbol = variable_at(kernel, &start);
    char *plain =
        symbol == NULL ? NULL : abi::__cxa_demangle(symbol, NULL, NULL, &status);
    const char *from = plain != NULL ? plain : symbol != NULL ? symbol : "a kernel";
    const char *skip = strncmp(from, "void ", 5) == 0 ? from + 5 : from;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(skip, "("), skip);
    free(plain);
    return name;
}

// The kernel reads its parameters from registers and from its caller's stack, of which this much is
// certainly there: 4 KiB is the most that a launch takes.
enum { ROOM = 8 << 10 };

__attribute__((noinline)) static void call(const void *kernel)
{
    char room[ROOM];
    __asm__ volatile("" : : "r"(room) : "memory"); // it stays
    ((void (*)(long, long, long, long, long, long))(uintptr_t)kernel)(0, 0, 0, 0, 0, 0);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static cudaError_t start(const void *kernel, dim3 grid, dim3 block, void **arguments,
                         size_t shared, cudaStream_t stream, bool cooperative,
                         const void *pc)
{
    static void *none[1];
    if (kernel == NULL) {
        return call_error(cudaErrorInvalidDeviceFunction);
    }
    host_turn turn;
    struct place place = place_of(pc);
    struct gpu_configuration c = {name_of_kernel(kernel),
                                  place.file,
                                  place.line,
                                  grid,
                                  block,
                                  shared,
                                  stream,
                                  kernel,
                                  cooperative,
                                  0};
    gpu_prepare(&c);
    gpu_packed_arguments = arguments != NULL ? arguments : none;
    call(kernel);
    gpu_packed_arguments = NULL;
    return cudaPeekAtLastError();
}

extern "C" {

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    return start(kernel, grid, block, arguments, shared, stream, false, CALLER());
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                        void **arguments, size_t shared,
                                        cudaStream_t stream)
{
    return start(kernel, grid, block, arguments, shared, stream, true, CALLER());
}

} // extern "C"
