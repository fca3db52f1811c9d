// samples.h - launchers that write n numbers, for tests of gpu_run_blocks.

#ifndef TESTS_GPU_SAMPLES_H
#define TESTS_GPU_SAMPLES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sampled_launcher {
    const char *name;
    // out[i] = i, and where it has a number, between[0] = n
    void (*run)(float *out_dev, float *between_dev, size_t n);
};
extern const struct sampled_launcher sampled_launchers[];

#ifdef __cplusplus
}
#endif

#endif
