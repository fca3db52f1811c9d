// gpu_traffic.cc - the bytes that one head's attention moves: 10.6's formula, and what the
// simulated GPU counts.
//
//     build/gpu/traffic
//
// On a card, the same program only runs the kernels, and a profiler counts (tools/gpu_counters.sh).
//
// Lab 1's three kernels store the weights. For them, the formula assumes that each step reads its
// inputs once. 10.2's kernel and its fast twin use tiles; their formula gets the Br of the kernel.
// The simulated GPU has no caches: every transaction counts.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" {
#include "10_flash_attention/flash_attention.h"
}
#include "01_simple_attention/attention_gpu.h"
#include "10_flash_attention/flash_attention_gpu.h"
#ifdef GPU_SIMULATED
#include "gpu/simulator.h"
#endif

LAB_GPU_BEGIN
decltype(flash_attention_gpu) fast_flash_attention_gpu;
LAB_GPU_END

enum { T = 256, S = 256, hs = 64, ROW_BYTES = 4 * hs * sizeof(float) };

static float *q, *k, *v, *out, *logsumexp, *scores, *weights; // on the device

static float *tensor(size_t count)
{
    float *x_dev = NULL;
    if (cudaMalloc(&x_dev, count * sizeof *x_dev) != cudaSuccess ||
        cudaMemset(x_dev, 0, count * sizeof *x_dev) != cudaSuccess) {
        fprintf(stderr, "gpu_traffic: no device memory\n");
        exit(1);
    }
    return x_dev;
}

static lab_status run_scores(void)
{
    return attention_scores_gpu(scores, q, k, T, S, hs, 0);
}

static lab_status run_softmax(void)
{
    return softmax_rows_gpu(weights, scores, T, S, 0);
}

static lab_status run_values(void)
{
    return weighted_values_gpu(out, weights, v, T, S, hs, 0);
}

static lab_status run_tiles(void)
{
    return flash_attention_gpu(out, logsumexp, q, k, v, false, 1, 1, T, S, hs, 0);
}

static lab_status run_fast_tiles(void)
{
    return fast_flash_attention_gpu(out, logsumexp, q, k, v, false, 1, 1, T, S, hs, 0);
}

// Bytes by 10.6, for tiles of Br queries; 0: with stored weights.
static double formula(size_t Br)
{
    size_t standard = 0, tiled = 0;
    if (memory_traffic(&standard, &tiled, T, S, hs, Br > 0 ? Br * ROW_BYTES : 1) !=
        LAB_OK) {
        exit(1);
    }
    return (double)(Br > 0 ? tiled : standard);
}

#ifdef GPU_SIMULATED
static void begin_count(void)
{
    gpu_set_profile(true);
}

static void end_count(const char *name, size_t Br)
{
    gpu_set_profile(false);
    const struct gpu_traffic moved = gpu_profile_traffic(NULL);
    printf("%-40s %8.1f %9.1f %8.1f %8.1f\n", name, formula(Br) / 1024,
           (double)(moved.read + moved.written) / 1024, (double)moved.read / 1024,
           (double)moved.written / 1024);
    gpu_reset();
}
#else
static void begin_count(void)
{
}

static void end_count(const char *name, size_t Br)
{
    printf("%-40s %8.1f\n", name, formula(Br) / 1024);
}
#endif

// Runs the steps and prints a row.
static void count(const char *name, size_t Br, lab_status (*const *steps)(void))
{
    q = tensor(T * hs), k = tensor(S * hs), v = tensor(S * hs), out = tensor(T * hs);
    logsumexp = tensor(T), scores = tensor(T * S), weights = tensor(T * S);
    begin_count();
    for (; *steps != NULL; steps++) {
        if ((*steps)() != LAB_OK || cudaDeviceSynchronize() != cudaSuccess) {
            fprintf(stderr, "gpu_traffic: %s failed\n", name);
            exit(1);
        }
    }
    end_count(name, Br);
}

int main()
{
    static lab_status (*const stored[])(void) = {run_scores, run_softmax, run_values,
                                                 NULL};
    static lab_status (*const tiles[])(void) = {run_tiles, NULL};
    static lab_status (*const fast_tiles[])(void) = {run_fast_tiles, NULL};
    printf("one head, T %d S %d hs %d, no mask: KiB between device memory and kernels\n",
           T, S, hs);
    printf("%-40s %8s %9s %8s %8s\n", "", "formula", "simulator", "read", "written");
    count("lab 1's three kernels, tiles of 16 x 16", 0, stored);
    count("10.2, tiles of 16 queries", 16, tiles);
    count("10.2 fast, tiles of 64 queries", 64, fast_tiles);
    return 0;
}
