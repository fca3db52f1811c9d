// gpu_simulator.cc - measures the cost of the simulated GPU.
//
//     build/bench/gpu_checked      with all checks: nanoseconds for each access
//     build/bench/gpu_plain        without: how much longer than the CPU solution
//
// Both print the fastest of RUNS runs, and what a switch between two threads takes: by
// runtime/switch.h, by boost.context and by the C library.

#include <boost/context/detail/fcontext.hpp>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#include "bench/gpu_kernels.h"
#include "gpu/runtime/switch.h"
#include "gpu/simulator.h"

extern "C" {
#include "01_simple_attention/attention.h"
}

enum { N = 64, RUNS = 40, SWITCHES = 1000000, STACK = 65536 };

static double seconds()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- switches -----------------------------------------------------------------------------

using namespace boost::context::detail;
using namespace gpu_runtime;

static char stack[STACK] __attribute__((aligned(16)));

static continuation one, other;

static void hand_back()
{
    for (;;) {
        switch_to(&other, one);
    }
}

static double time_ours()
{
    other = switch_prepare<hand_back>(stack + STACK, STACK);
    double start = seconds();
    for (int i = 0; i < SWITCHES / 2; i++) {
        switch_to(&one, other);
    }
    return (seconds() - start) / SWITCHES;
}

static void bounce(transfer_t from)
{
    for (;;) {
        from = jump_fcontext(from.fctx, NULL);
    }
}

static double time_boost()
{
    fcontext_t bouncing = make_fcontext(stack + STACK, STACK, bounce);
    double start = seconds();
    for (int i = 0; i < SWITCHES / 2; i++) {
        bouncing = jump_fcontext(bouncing, NULL).fctx;
    }
    return (seconds() - start) / SWITCHES;
}

static ucontext_t here, there;

static void bounce_back()
{
    for (;;) {
        swapcontext(&there, &here);
    }
}

static double time_ucontext()
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK;
    makecontext(&there, bounce_back, 0);
    double start = seconds();
    for (int i = 0; i < SWITCHES / 2; i++) {
        swapcontext(&here, &there);
    }
    return (seconds() - start) / SWITCHES;
}

// ---- kernels ------------------------------------------------------------------------------

static float *upload(const float *x)
{
    float *x_dev;
    if (cudaMalloc(&x_dev, N * N * sizeof *x) != cudaSuccess ||
        cudaMemcpy(x_dev, x, N * N * sizeof *x, cudaMemcpyHostToDevice) != cudaSuccess) {
        fprintf(stderr, "gpu_simulator: no device memory\n");
        exit(1);
    }
    return x_dev;
}

struct measured {
    const char *name;
    cudaError_t (*run)(float *, const float *, const float *, int);
    lab_status (*on_cpu)(float *, const float *, const float *);
};

static lab_status cpu_product(float *out, const float *a, const float *b)
{
    return matmul(out, a, b, N, N, N);
}

static lab_status cpu_softmax(float *out, const float *x, const float *)
{
    return softmax_rows(out, x, N, N);
}

static void measure(const struct measured *m, const float *a, const float *b)
{
    static float out[N * N];
    float *out_dev = upload(out), *a_dev = upload(a), *b_dev = upload(b);
    double best = 1e9, best_cpu = 1e9;
    uint64_t accesses = 0;
    for (int run = 0; run < RUNS; run++) {
        uint64_t before = gpu_accesses();
        double start = seconds();
        if (m->run(out_dev, a_dev, b_dev, N) != cudaSuccess) {
            fprintf(stderr, "gpu_simulator: %s failed\n", m->name);
            exit(1);
        }
        double took = seconds() - start;
        best = took < best ? took : best;
        accesses = gpu_accesses() - before;
        start = seconds();
        if (m->on_cpu(out, a, b) != LAB_OK) {
            exit(1);
        }
        took = seconds() - start;
        best_cpu = took < best_cpu ? took : best_cpu;
    }
    printf("%-28s %9.1f us", m->name, 1e6 * best);
    if (gpu_is_checked) {
        printf(" %9llu accesses %6.2f ns each\n", (unsigned long long)accesses,
               1e9 * best / (double)accesses);
    } else {
        printf(" %9.1f us on the CPU %6.1f times\n", 1e6 * best_cpu, best / best_cpu);
    }
}

int main()
{
    static const struct measured kernels[] = {
        {"product, 64x64x64, naive", run_naive, cpu_product},
        {"product, 64x64x64, tiled", run_tiled, cpu_product},
        {"softmax, 64x64, warps", run_softmax, cpu_softmax},
    };
    static float a[N * N], b[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7) / 7;
        b[i] = (float)(i % 5) / 5;
    }
    printf("simulated GPU, %s build, fastest of %d runs\n",
           gpu_is_checked ? "checked" : "plain", RUNS);
    printf("%-28s %9.1f ns; %.1f with boost.context, %.1f with swapcontext\n", "switch",
           1e9 * time_ours(), 1e9 * time_boost(), 1e9 * time_ucontext());
    for (const struct measured &kernel : kernels) {
        measure(&kernel, a, b);
    }
    return 0;
}
