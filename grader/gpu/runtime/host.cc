// host.cc - the program's host threads take turns with the device.
//
// One thread at a time is in a launch, or in a call that changes the device's memory or what is known
// about it. So all launches run one after the other, whichever thread asked for them. Other host code
// runs meanwhile; `here` tells its accesses from those of the kernel.

#include <pthread.h>
#include <time.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

__thread struct here here;

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;

void host_begin()
{
    if (here.turns == 0) {
        pthread_mutex_lock(&device);
    }
    here.turns++;
}

void host_end()
{
    host_return_to(here.turns - 1);
}

void host_return_to(unsigned turns)
{
    if (turns == 0 && here.turns > 0) {
        pthread_mutex_unlock(&device);
    }
    here.turns = turns;
}

// A kernel may wait for what this thread is about to do: for managed memory that it writes. So it
// waits for a second at most, and then goes on without a turn.
host_turn_soon::host_turn_soon()
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    mine = here.turns > 0 || pthread_mutex_timedlock(&device, &until) == 0;
    here.turns += mine ? 1 : 0;
}

host_turn_soon::~host_turn_soon()
{
    if (mine) {
        host_end();
    }
}

} // namespace gpu_runtime

extern "C" bool gpu_runs_here()
{
    return gpu_runtime::here.on_device;
}
