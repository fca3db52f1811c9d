// streams.cc - streams and events. All work is done when a call returns, so a stream is
// only a name, and an event is a time.

#include <stdlib.h>
#include <time.h>

#include "gpu/runtime/runtime.h"

struct CUstream_st {
    CUstream_st *next;
};

struct CUevent_st {
    CUevent_st *next;
    bool recorded;
    double milliseconds;
};

namespace gpu_runtime
{

static CUstream_st *streams;
static CUevent_st *events;

template <typename T> static bool is_known(const T *list, const T *handle)
{
    while (list != NULL && list != handle) {
        list = list->next;
    }
    return list != NULL;
}

template <typename T> static cudaError_t make(T **list, T **handle)
{
    runtime_initialize();
    host_turn turn;
    if (call_state() != cudaSuccess) {
        return call_state();
    }
    T *made = handle == NULL ? NULL : (T *)calloc(1, sizeof *made);
    if (made == NULL) {
        return call_error(handle == NULL ? cudaErrorInvalidValue
                                         : cudaErrorMemoryAllocation);
    }
    made->next = *list;
    *list = *handle = made;
    return cudaSuccess;
}

template <typename T> static cudaError_t unmake(T **list, T *handle)
{
    host_turn turn;
    if (!is_known(*list, handle)) {
        return call_error(cudaErrorInvalidResourceHandle);
    }
    while (*list != handle) {
        list = &(*list)->next;
    }
    *list = handle->next;
    free(handle);
    return call_state();
}

static cudaError_t check_stream(cudaStream_t stream)
{
    host_turn turn;
    bool good = (uintptr_t)stream <= 2 || is_known(streams, stream);
    return good ? call_state() : call_error(cudaErrorInvalidResourceHandle);
}

static cudaError_t check_event(cudaEvent_t event)
{
    host_turn turn;
    return is_known(events, event) ? call_state()
                                   : call_error(cudaErrorInvalidResourceHandle);
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    launcher_may_not("launcher-allocates", "cudaStreamCreate", CALLER());
    return make(&streams, stream);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    launcher_may_not("launcher-allocates", "cudaStreamCreateWithFlags", CALLER());
    return make(&streams, stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return unmake(&streams, stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    launcher_may_not("launcher-waits", "cudaStreamSynchronize", CALLER());
    shadow_waited(); // for all streams
    return check_stream(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    shadow_waited();
    return check_stream(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    cudaError_t error = check_stream(stream);
    return error == cudaSuccess ? check_event(event) : error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return make(&events, event);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return make(&events, event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return unmake(&events, event);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = check_stream(stream);
    error = error == cudaSuccess ? check_event(event) : error;
    if (error == cudaSuccess) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        event->recorded = true;
        event->milliseconds = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
    }
    return error;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    launcher_may_not("launcher-waits", "cudaEventSynchronize", CALLER());
    shadow_waited();
    return check_event(event);
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    shadow_waited();
    return check_event(event);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t error = check_event(start);
    error = error == cudaSuccess ? check_event(end) : error;
    if (error == cudaSuccess && !(start->recorded && end->recorded)) {
        error = call_error(cudaErrorInvalidResourceHandle);
    }
    if (error == cudaSuccess) {
        shadow_waited(); // it fails unless the second event is reached
        *milliseconds = (float)(end->milliseconds - start->milliseconds);
    }
    return error;
}

} // extern "C"
