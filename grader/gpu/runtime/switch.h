// switch.h - switching from one stack to another: the cost of a barrier or a shuffle for
// each thread.
//
// On x86-64 written down here, since boost.context's jump_fcontext also keeps the two registers of
// rounding modes, which kernels do not change, and is a call: a processor predicts where a function
// returns to from the calls before, and one that is left by a jump spoils that. Here the registers
// that a call must preserve are the compiler's to save, in whatever function the switch is inline.
//
//     stack of who waits:   ... frame | rbp | rbx | where to go on     <- switch_to(&here, ...)
//
// Elsewhere it is boost.context's. swapcontext of the C library would also ask the kernel for the
// signal mask, forty times as long. build/bench/gpu_plain prints all three.

#ifndef GPU_RUNTIME_SWITCH_H
#define GPU_RUNTIME_SWITCH_H

#include <stddef.h>

#if !defined __x86_64__
#include <boost/context/detail/fcontext.hpp>
#endif

namespace gpu_runtime
{

typedef void *continuation; // of a context that does not run

#if defined __x86_64__

// A context that will call main, which never returns. top: the end of its stack.
template <void (*main)()> static inline continuation switch_prepare(char *top, size_t)
{
    void **at = (void **)(top - (size_t)top % 16);
    at[-1] = NULL; // main's return address
    at[-2] = (void *)main;
    return &at[-2];
}

// Leaves the running context, whose continuation goes to *here, for another.
static inline __attribute__((always_inline)) void switch_to(continuation *here,
                                                            continuation to)
{
    __asm__ volatile(
        "leaq -128(%%rsp), %%rsp\n\t" // what a function may use below its frame
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

// It hands over where it comes from, so each side notes that for the other.
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
