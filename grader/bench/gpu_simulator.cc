// gpu_simulator.cc - measures the cost of the simulated GPU.
//
//     build/bench/gpu_checked      with all checks: also nanoseconds for each access
//     build/bench/gpu_plain        without
//
// Each kernel and the CPU solution run in turns. The columns are the medians of their processor
// time, and of the ratios of each pair; so other programs on the machine hardly matter. Both also
// print what a switch between two threads takes: by runtime/switch.h, by boost.context and by the C
// library.

#include <boost/context/detail/fcontext.hpp>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "bench/gpu_kernels.h"
#include "gpu/runtime/switch.h"
#include "gpu/simulator.h"

extern "C" {
#include "01_simple_attention/attention.h"
}

enum { LARGEST = 256, MOST_RUNS = 41, SWITCHES = 1000000, STACK = 65536 };

static double seconds()
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
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
        switch_to(&other, {one, 0});
    }
}

static double time_ours()
{
    other = switch_prepare<hand_back>(stack + STACK, STACK);
    double start = seconds();
    for (int i = 0; i < SWITCHES / 2; i++) {
        switch_to(&one, {other, 0});
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

static float *upload(const float *x, int n)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof *x;
    float *x_dev;
    if (cudaMalloc(&x_dev, bytes) != cudaSuccess ||
        cudaMemcpy(x_dev, x, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        fprintf(stderr, "gpu_simulator: no device memory\n");
        exit(1);
    }
    return x_dev;
}

struct measured {
    const char *name;
    int n, runs;
    cudaError_t (*run)(float *, const float *, const float *, int);
    lab_status (*on_cpu)(float *, const float *, const float *, size_t);
};

static lab_status cpu_product(float *out, const float *a, const float *b, size_t n)
{
    return matmul(out, a, b, n, n, n);
}

static lab_status cpu_softmax(float *out, const float *x, const float *, size_t n)
{
    return softmax_rows(out, x, n, n);
}

static float a[LARGEST * LARGEST], b[LARGEST * LARGEST], out[LARGEST * LARGEST];

static double time_simulated(const struct measured *m, float *const dev[3])
{
    double start = seconds();
    if (m->run(dev[0], dev[1], dev[2], m->n) != cudaSuccess) {
        fprintf(stderr, "gpu_simulator: %s failed\n", m->name);
        exit(1);
    }
    return seconds() - start;
}

static double time_cpu(const struct measured *m)
{
    double start = seconds();
    if (m->on_cpu(out, a, b, (size_t)m->n) != LAB_OK) {
        exit(1);
    }
    return seconds() - start;
}

static int ascending(const void *x, const void *y)
{
    double left = *(const double *)x, right = *(const double *)y;
    return (left > right) - (left < right);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static void measure(const struct measured *m)
{
    double simulated[MOST_RUNS], cpu[MOST_RUNS], ratio[MOST_RUNS];
    float *const dev[3] = {upload(out, m->n), upload(a, m->n), upload(b, m->n)};
    uint64_t before = gpu_accesses();
    time_simulated(m, dev); // the first run gets its pages from the system
    uint64_t accesses = gpu_accesses() - before;
    for (int run = 0; run < m->runs; run++) {
        simulated[run] = time_simulated(m, dev);
        cpu[run] = time_cpu(m);
        ratio[run] = simulated[run] / cpu[run];
    }
    double took = median(simulated, m->runs);
    printf("%-26s %9.1f us %9.1f us on the CPU %6.1f times", m->name, 1e6 * took,
           1e6 * median(cpu, m->runs), median(ratio, m->runs));
    if (gpu_is_checked) {
        printf("; %.2f ns for each access", 1e9 * took / (double)accesses);
    }
    puts("");
}

static double by_the_clock()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The processor time of the forks that run the blocks.
static double workers_seconds()
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

struct cost {
    double clock[MOST_RUNS], own[MOST_RUNS], workers[MOST_RUNS];
};

static void measure_on(unsigned processors, const struct measured *m, float *const dev[3],
                       struct cost *cost, int run)
{
    gpu_set_processors(processors, 0.002);
    double start = by_the_clock(), before = workers_seconds();
    cost->own[run] = time_simulated(m, dev);
    cost->clock[run] = by_the_clock() - start;
    cost->workers[run] = workers_seconds() - before;
}

// A launch on one processor and on all, in turns. By the clock it is faster only if the other
// processors are free; the processor time shows what dividing it costs.
static void measure_processors(const struct measured *m)
{
    static struct cost one, all;
    float *const dev[3] = {upload(out, m->n), upload(a, m->n), upload(b, m->n)};
    unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), before = gpu_divided();
    for (int run = 0; run < m->runs; run++) {
        measure_on(1, m, dev, &one, run);
        measure_on(processors, m, dev, &all, run);
    }
    printf("%-26s on one processor %.1f ms by the clock; on %u %.1f (%u of %d divided)\n",
           m->name, 1e3 * median(one.clock, m->runs), processors,
           1e3 * median(all.clock, m->runs), gpu_divided() - before, m->runs);
    printf(
        "%-26s on one processor %.1f ms of its time; on %u %.1f, and %.1f in the forks\n",
        "", 1e3 * median(one.own, m->runs), processors, 1e3 * median(all.own, m->runs),
        1e3 * median(all.workers, m->runs));
    gpu_set_processors(1, 0);
}

// The memory of this process, in bytes.
static double resident()
{
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*s %lf", &pages) != 1) {
        fprintf(stderr, "gpu_simulator: cannot read /proc/self/statm\n");
        exit(1);
    }
    fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

static void measure_memory()
{
    enum : size_t { COUNT = 8 << 20 };
    float *x_dev;
    double before = resident();
    if (cudaMalloc(&x_dev, COUNT * sizeof *x_dev) != cudaSuccess ||
        run_fill(x_dev, COUNT) != cudaSuccess) {
        fprintf(stderr, "gpu_simulator: fill failed\n");
        exit(1);
    }
    double data = (double)(COUNT * sizeof *x_dev), all = resident() - before;
    printf("memory besides the data    %9.2f bytes for each byte of %.0f MiB\n",
           (all - data) / data, data / (1 << 20));
    cudaFree(x_dev);
}

int main()
{
    static const struct measured kernels[] = {
        {"product, 64x64x64, naive", 64, 41, run_naive, cpu_product},
        {"product, 64x64x64, tiled", 64, 41, run_tiled, cpu_product},
        {"product, 256^3, naive", 256, 5, run_naive, cpu_product},
        {"product, 256^3, tiled", 256, 5, run_tiled, cpu_product},
        {"softmax, 64x64, warps", 64, 41, run_softmax, cpu_softmax},
    };
    for (int i = 0; i < LARGEST * LARGEST; i++) {
        a[i] = (float)(i % 7) / 7;
        b[i] = (float)(i % 5) / 5;
    }
    double load = 0;
    getloadavg(&load, 1);
    printf("simulated GPU, %s build, medians of processor time, load %.0f\n",
           gpu_is_checked ? "checked" : "plain", load);
    printf("%-26s %9.1f ns; %.1f with boost.context, %.1f with swapcontext\n", "switch",
           1e9 * time_ours(), 1e9 * time_boost(), 1e9 * time_ucontext());
    for (const struct measured &kernel : kernels) {
        measure(&kernel);
    }
    static const struct measured large = {"product, 256^3, tiled", 256, 11, run_tiled,
                                          cpu_product};
    measure_processors(&large);
    measure_memory();
    return 0;
}
