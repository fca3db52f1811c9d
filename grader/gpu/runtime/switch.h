// switch.h - switches stacks. This is the cost of a barrier or a shuffle for each thread.
//
// Implemented here for x86-64. Two things make it fast:
//
//   1. A waiting stack holds six registers and the address at which it goes on, one line of the
//      cache. What decides who is next (SWITCHING) runs on a stack of its own, so it does not touch
//      another four lines of each thread's stack.
//   2. A thread goes on by a jump, not by a return. The processor predicts that a return leads
//      behind the last call. After a switch that call was another thread's, perhaps to another
//      barrier, and each wrong prediction costs as much as the whole switch.
//
//     stack of a waiting context:   ... frame | address | rbp | rbx | r12 | r13 | r14 | r15   <- at
//
// Other processors use boost.context. swapcontext of the C library also reads the signal
// mask from the kernel, which takes forty times as long. build/bench/gpu_plain measures all
// three.

#ifndef GPU_RUNTIME_SWITCH_H
#define GPU_RUNTIME_SWITCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__ && !defined GPU_PORTABLE_SWITCH
#define GPU_SWITCHES_ITSELF 1
// The functions without a prologue name their parameters only for other processors.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#else
#define GPU_SWITCHES_ITSELF 0
#include <boost/context/detail/fcontext.hpp>
#endif

// For where.cc, which may interrupt the program at any instruction, because a stack cannot
// be traced during a switch. NULL: it can be traced. Otherwise the student's call that
// caused the switch, or BETWEEN_THREADS if there is none.
extern "C" const void *gpu_left_at;
#define BETWEEN_THREADS ((const void *)1)

namespace gpu_runtime
{

typedef void *continuation; // the stack pointer of a suspended context

// The context that goes on, and what the function it waited in returns.
struct next {
    continuation at;
    uint64_t result;
};

// Converts a T to 8 bytes and back.
template <typename T> static inline uint64_t pack(T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <typename T> static inline T unpack(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <> inline void unpack<void>(uint64_t)
{
}

#if GPU_SWITCHES_ITSELF

// Creates a context that will call main, which must not return. top is the end of the context's
// stack.
template <void (*main)()> static inline continuation switch_prepare(char *top, size_t)
{
    void **at = (void **)(top - (size_t)top % 16);
    at[-1] = NULL; // main's return address
    at[-2] = (void *)main;
    memset(&at[-8], 0, 6 * sizeof *at);
    return &at[-8];
}

#define GPU_SAVE                                                                         \
    "pushq %rbp\n\t"                                                                     \
    "pushq %rbx\n\t"                                                                     \
    "pushq %r12\n\t"                                                                     \
    "pushq %r13\n\t"                                                                     \
    "pushq %r14\n\t"                                                                     \
    "pushq %r15\n\t"
// From here on a report may trace the calls that led to the switch.
#define GPU_SAVED                                                                        \
    ".cfi_remember_state\n\t"                                                            \
    ".cfi_def_cfa %rbp, 56\n\t"                                                          \
    ".cfi_offset %rbp, -16\n\t"                                                          \
    ".cfi_offset %rbx, -24\n\t"                                                          \
    ".cfi_offset %r12, -32\n\t"                                                          \
    ".cfi_offset %r13, -40\n\t"                                                          \
    ".cfi_offset %r14, -48\n\t"                                                          \
    ".cfi_offset %r15, -56\n\t"
// Goes on at rax, with rdx as the result: of an integer function, or of one of float.
#define GPU_GO_ON                                                                        \
    "movq %rax, %rsp\n\t"                                                                \
    "popq %r15\n\t"                                                                      \
    "popq %r14\n\t"                                                                      \
    "popq %r13\n\t"                                                                      \
    "popq %r12\n\t"                                                                      \
    "popq %rbx\n\t"                                                                      \
    "popq %rbp\n\t"                                                                      \
    "movq $0, gpu_left_at(%rip)\n\t"                                                     \
    "movq %rdx, %rax\n\t"                                                                \
    "movq %rdx, %xmm0\n\t"                                                               \
    "popq %rcx\n\t"                                                                      \
    ".cfi_def_cfa_offset 0\n\t"                                                          \
    ".cfi_register %rip, %rcx\n\t"                                                       \
    "jmpq *%rcx"

// Suspends the running context in *here and continues another.
__attribute__((naked, noinline)) static uint64_t switch_to(continuation *here,
                                                           struct next next)
{
    __asm__(GPU_SAVE "movq %rsp, (%rdi)\n\t"
                     "movq %rsi, %rax\n\t" GPU_GO_ON);
}

// What decides who is next runs on this stack, if SWITCHING calls it.
enum { GPU_DECIDING = 256 << 10 };
#define GPU_DECIDING_STACK "gpu_deciding_stack+262144"
extern "C" {
extern char gpu_deciding_stack[GPU_DECIDING];
// Where the thread that waits is suspended, and where the student's code called.
extern continuation gpu_here;
}
static inline const void *switch_caller()
{
    return ((const void **)gpu_here)[6];
}

// Defines what such a function calls in host code: call(pc), and pc is the student's call.
#define OUTSIDE(name, call)                                                              \
    extern "C" __attribute__((used)) void name()                                         \
    {                                                                                    \
        call(__builtin_return_address(0)); /* the function jumps here */                 \
    }

// Defines a function T name parameters in which a thread waits. The expression returns who is
// next; pc in it is the student's call. id is a name of its own, outside is the
// function that is called in host code. The expression must not end by an exception or a longjmp
// except to abandon the launch.
#define SWITCHING(id, outside, T, name, parameters, expression)                          \
    extern "C" {                                                                         \
    __attribute__((used)) struct next gpu_decide_##id parameters {                       \
        const void *pc = switch_caller();                                                \
        suspended_here();                                                                \
        return expression;                                                               \
    }                                                                                    \
    }                                                                                    \
    __attribute__((naked)) T name parameters                                             \
    {                                                                                    \
        __asm__("cmpb $0, gpu_on_device(%rip)\n\t"                                       \
                "je " #outside "\n\t"                                                    \
                "movq (%rsp), %rax\n\t"                                                  \
                "movq %rax, gpu_left_at(%rip)\n\t" GPU_SAVE                              \
                "movq %rsp, gpu_here(%rip)\n\t"                                          \
                "movq %rsp, %rbp\n\t" GPU_SAVED "leaq " GPU_DECIDING_STACK               \
                "(%rip), %rsp\n\t"                                                       \
                "call gpu_decide_" #id "\n\t"                                            \
                ".cfi_restore_state\n\t" GPU_GO_ON);                                     \
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

static inline void switch_to(continuation *here, struct next next)
{
    switch_arrive(boost::context::detail::jump_fcontext(next.at, here));
}

#define OUTSIDE(name, call)                                                              \
    static void name(const void *pc)                                                     \
    {                                                                                    \
        call(pc);                                                                        \
    }

// The same on the thread's own stack.
#define SWITCHING(id, outside, T, name, parameters, expression)                          \
    T name parameters                                                                    \
    {                                                                                    \
        const void *pc = __builtin_return_address(0);                                    \
        if (!gpu_on_device) {                                                            \
            outside(pc);                                                                 \
        }                                                                                \
        unsigned self = block.running;                                                   \
        gpu_left_at = pc;                                                                \
        return unpack<T>(turns_switch(self, expression));                                \
    }

#endif

} // namespace gpu_runtime

#endif
