// scopes.h - who sees an atomic or a barrier object. Here everybody does.

#ifndef GPU_SIMULATED_SCOPES_H
#define GPU_SIMULATED_SCOPES_H

namespace cuda
{

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};

} // namespace cuda

#endif
