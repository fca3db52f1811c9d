// switch.h - switches stacks. This is the cost of a barrier or a shuffle for each thread.
//
// Implemented here for x86-64. boost.context's jump_fcontext also saves the two
// rounding-mode registers, which kernels do not change, and it is a call that ends in a
// jump, which spoils the processor's prediction of return addresses. Here the switch is
// inline, and the compiler saves the registers that a call must preserve.
//
//     stack of a waiting context:   ... frame | rbp | rbx | continuation     <- switch_to(&here, ...)
//
// Other processors use boost.context. swapcontext of the C library also reads the signal
// mask from the kernel, which takes forty times as long. build/bench/gpu_plain measures all
// three.

#ifndef GPU_RUNTIME_SWITCH_H
#define GPU_RUNTIME_SWITCH_H

#include <stddef.h>

#if !defined __x86_64__
#include <boost/context/detail/fcontext.hpp>
#endif

namespace gpu_runtime
{

typedef void *continuation; // the stack pointer of a suspended context

#if defined __x86_64__

// Creates a context that will call main, which must not return. top is the end of the context's
// stack.
template <void (*main)()> static inline continuation switch_prepare(char *top, size_t)
{
    void **at = (void **)(top - (size_t)top % 16);
    at[-1] = NULL; // main's return address
    at[-2] = (void *)main;
    return &at[-2];
}

// Suspends the running context in *here and continues another.
static inline __attribute__((always_inline)) void switch_to(continuation *here,
                                                            continuation to)
{
    __asm__ volatile(
        "leaq -128(%%rsp), %%rsp\n\t" // the red zone below a function's frame
        "pushq %%rbp\n\t"
        "pushq %%rbx\n\t"
        "leaq 1f(%%rip), %%rcx\n\t"
        "pushq %%rcx\n\t"
        "movq %%rsp, (%%rax)\n\t"
        "movq %%rdx, %%rsp\n\t"
        "popq %%rcx\n\t"
        "jmpq *%%rcx\n"
        "1:\n\t"
        "popq %%rbx\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp"
        : "+a"(here), "+d"(to)
        :
        : "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
          "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

#else

using boost::context::detail::transfer_t;

// It passes the suspended context, which the other side stores.
static inline void switch_arrive(transfer_t from)
{
    *(continuation *)from.data = from.fctx;
}

template <void (*main)()> static void switch_begin(transfer_t from)
{
    switch_arrive(from);
    main();
}

template <void (*main)()>
static inline continuation switch_prepare(char *top, size_t bytes)
{
    return boost::context::detail::make_fcontext(top, bytes, switch_begin<main>);
}

static inline void switch_to(continuation *here, continuation to)
{
    switch_arrive(boost::context::detail::jump_fcontext(to, here));
}

#endif

} // namespace gpu_runtime

#endif
