// calls.cc - errors, the device, initialization and reset.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/runtime/runtime.h"
#include "gpu/runtime/sample.h"

extern "C" const bool gpu_is_checked;
const bool gpu_is_checked = GPU_CHECKED != 0;

namespace gpu_runtime
{

static __thread cudaError_t last_error;
__thread const void *call_pc;

// A failed launch whose error has not been checked.
static struct {
    bool open;
    char kernel[128], file[256], why[200];
    const char *advice; // a constant, "" if there is none
    int line;
    const struct here *thread; // the host thread whose launch it is
} failed;

// The last launch, if no error check followed it.
static struct {
    bool open;
    const char *kernel, *file;
    int line;
} unchecked;

static struct {
    const void *kernel;
    size_t bytes;
} opted_in[64]; // kernels with a raised limit of dynamic shared memory
static unsigned opted_in_count;

// ---- errors -------------------------------------------------------------------------------

cudaError_t call_error(cudaError_t error)
{
    if (error != cudaSuccess) {
        last_error = error;
    }
    return error;
}

cudaError_t call_state()
{
    if (here.on_device) {
        finding_stop("call-in-kernel", call_pc, NULL,
                     "a kernel calls one of the cuda or cuBLAS functions for the host.\n"
                     "Only host code can: call it in the launcher, before or after the "
                     "launch.");
    }
    return finding_stops() ? call_error(finding_error) : cudaSuccess;
}

// Leaves equal text alone: a signal handler may read it (gpu_launch_failure_line).
static void keep(char *text, size_t room, const char *now)
{
    if (strcmp(text, now) != 0) {
        snprintf(text, room, "%s", now);
    }
}

void launch_failed(const struct gpu_configuration *c, cudaError_t error, const char *why,
                   const char *advice)
{
    call_error(error);
    failed.open = true;
    failed.line = c->line;
    failed.thread = &here;
    keep(failed.kernel, sizeof failed.kernel, c->kernel);
    keep(failed.file, sizeof failed.file, c->file);
    keep(failed.why, sizeof failed.why, why);
    failed.advice = advice;
}

void report_left_unchecked()
{
    if (failed.open && !finding_stops()) {
        finding_note(
            "launch-unchecked", failed.kernel, {failed.file, failed.line},
            "this launch failed, and its error was not checked: %s.\n"
            "A launch returns nothing: call cudaGetLastError() after it, and return its "
            "error.",
            failed.why);
    }
    failed.open = false;
}

void report_unchecked_launch()
{
    if (finding_count == 0) {
        report_left_unchecked();
    }
    failed.open = false;
}

void launch_unchecked(const struct gpu_configuration *c)
{
    unchecked = {true, c->kernel, c->file, c->line};
}

// A launch's error stays until it is checked, so one check covers all launches before it.
static void mark_checked()
{
    failed.open = failed.open && failed.thread != &here;
    unchecked.open = false;
}

void call_reset()
{
    last_error = cudaSuccess;
    mark_checked();
    failed.open = false;
    failed.why[0] = '\0';
    opted_in_count = 0;
}

size_t shared_limit(const void *kernel)
{
    size_t limit = SHARED_DEFAULT;
    for (unsigned i = 0; i < opted_in_count; i++) {
        bool this_one = opted_in[i].kernel == kernel;
        limit = this_one && opted_in[i].bytes > limit ? opted_in[i].bytes : limit;
    }
    return limit;
}

static void read_environment()
{
    const char *order = getenv("GPU_ORDER");
    if (order != NULL && strcmp(order, "reversed") == 0) {
        launch.order = GPU_REVERSED;
    } else if (order != NULL && *order >= '0' && *order <= '9') {
        launch.order = GPU_SHUFFLED;
        launch.seed = strtoull(order, NULL, 10);
    }
}

void runtime_initialize()
{
    static bool begun, done;
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        return;
    }
    host_turn turn;
    if (!begun) {
        begun = true;
        memory_initialize();
        shadow_initialize();
        faults_initialize();
        shadow_reset();
        read_environment();
        __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    }
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" {

void gpu_reset(void)
{
    runtime_initialize();
    sample_reset(); // while the shadow still knows what kernels have written
    memory_reset();
    shadow_reset();
    call_reset();
    launch_reset();
    profile_reset();
    launcher_reset();
    finding_count = 0;
}

void gpu_expect_asked(void)
{
    if (unchecked.open && finding_count == 0) {
        finding_note(
            "launch-unchecked", unchecked.kernel, {unchecked.file, unchecked.line},
            "the error of this launch is not checked.\n"
            "A launch returns nothing, so a failed one goes unnoticed: end with return "
            "lab_cuda(cudaGetLastError());");
    }
    unchecked.open = false;
}

uint64_t gpu_accesses(void)
{
    return shadow.accesses;
}

const char *gpu_launch_failure(void)
{
    return failed.why;
}

const char *gpu_launch_failure_place(void)
{
    static char text[512];
    snprintf(text, sizeof text, "%.200s:%d: this launch of %.80s is refused.\n%s%s",
             failed.file, failed.line, failed.kernel, failed.advice,
             failed.advice[0] != '\0' ? "\n" : "");
    return text;
}

int gpu_launch_failure_line(const void *function)
{
    const struct place place =
        place_of((const char *)function + 1); // as a return address
    return failed.why[0] != '\0' && strcmp(place.file, failed.file) == 0 ? failed.line
                                                                         : 0;
}

#define NAME(name, number, sentence)                                                     \
    case name:                                                                           \
        return #name;
#define SENTENCE(name, number, sentence)                                                 \
    case name:                                                                           \
        return sentence;
const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        GPU_ERROR_TABLE(NAME)
    }
    return "unrecognized error code";
}
const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        GPU_ERROR_TABLE(SENTENCE)
    }
    return "unrecognized error code";
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    mark_checked();
    last_error = cudaSuccess;
    return finding_stops() ? finding_error : error;
}
cudaError_t cudaPeekAtLastError(void)
{
    mark_checked();
    return finding_stops() ? finding_error : last_error;
}

// ---- the device ---------------------------------------------------------------------------

cudaError_t cudaDeviceSynchronize(void)
{
    launcher_may_not("launcher-waits", "cudaDeviceSynchronize", CALLER());
    shadow_waited();
    return call_state();
}
cudaError_t cudaDeviceReset(void)
{
    host_turn turn;
    memory_reset();
    return call_state();
}
cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return call_state();
}
cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? call_state() : call_error(cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return call_state();
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return call_state();
}
cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return call_state();
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute,
                                 int value)
{
    host_turn turn;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        return call_state();
    }
    if (kernel == NULL || value < 0 || (size_t)value > SHARED_OPT_IN) {
        return call_error(cudaErrorInvalidValue);
    }
    unsigned i = 0;
    while (i < opted_in_count && opted_in[i].kernel != kernel) {
        i++;
    }
    if (i == sizeof opted_in / sizeof *opted_in) {
        return call_error(cudaErrorNotSupported);
    }
    opted_in[i] = {kernel, (size_t)value};
    opted_in_count = i == opted_in_count ? i + 1 : opted_in_count;
    return call_state();
}

} // extern "C"
