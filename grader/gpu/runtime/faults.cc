// faults.cc - handles faults of the processor: stack overflow, and accesses to device
// memory by unchecked code (a library, memcpy).
//
// While a guarded function runs on the host, the pages of device memory are inaccessible
// (pages.cc), so such an access is a fault. The handler runs on a separate stack, because
// the faulting one may be full, and leaves through the report. Other faults go to the
// previous handler.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "gpu/runtime/runtime.h"

namespace gpu_runtime
{

static struct sigaction before;

static const void *program_counter(const void *context)
{
#if defined __x86_64__
    return (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1;
#elif defined __aarch64__
    return (const char *)((const ucontext_t *)context)->uc_mcontext.pc + 1;
#else
    (void)context;
    return NULL;
#endif
}

static void on_fault(int, siginfo_t *info, void *context)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    const void *pc = program_counter(context);
    if (here.on_device && threads_guard_page(address)) {
        finding_stop("stack-overflow", pc, NULL,
                     "the thread's local variables need more than %u KiB.\n"
                     "Put large arrays in shared or global memory; a recursion must end.",
                     STACK_SIZE >> 10);
    }
    if (!here.on_device && memory_offset(address) != NOT_DEVICE) {
        finding_stop("device-pointer", pc, NULL,
                     "host code, or a library it calls, touches device memory.\n%s",
                     launcher_device_advice());
    }
    sigaction(SIGSEGV, &before, NULL); // the fault repeats and goes to that handler
}

static void fail()
{
    perror("gpu simulator: cannot watch for faults");
    abort();
}

// The handler's stack, of each host thread.
struct handler_stack {
    char *bytes;
    handler_stack()
    {
        stack_t alternate = {};
        alternate.ss_size = 64 << 10;
        alternate.ss_sp = bytes = (char *)malloc(alternate.ss_size);
        if (bytes == NULL || sigaltstack(&alternate, NULL) != 0) {
            fail();
        }
    }
    ~handler_stack()
    {
        stack_t none = {};
        none.ss_flags = SS_DISABLE;
        if (sigaltstack(&none, NULL) == 0) { // not if the handler ends the program
            free(bytes);
        }
    }
};

void faults_watch_thread()
{
    static thread_local struct handler_stack stack;
    (void)stack;
}

void faults_initialize()
{
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    faults_watch_thread();
    if (sigaction(SIGSEGV, &action, &before) != 0) {
        fail();
    }
}

} // namespace gpu_runtime
