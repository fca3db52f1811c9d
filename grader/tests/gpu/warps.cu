// warps.cu - lanes that are in the mask and do not come, or come and are not in the mask.

#include "tests/gpu/kernel_case.h"

// Half of the warp shuffles, with a mask that contains all of it; the others wait elsewhere.
__global__ void half_shuffles(float *out)
{
    float v = threadIdx.x;
    if (threadIdx.x < 16) {
        v += __shfl_down_sync(0xffffffffu, v, 8); // HERE mask_names_absent_lanes
    }
    __syncthreads();
    out[threadIdx.x] = v;
}

static bool run_half_shuffles(void)
{
    half_shuffles<<<1, 32>>>(empty_dev(32));
    return no_error();
}

// A block of 20 threads: the lanes 20 to 31 do not exist.
__global__ void small_block(float *out)
{
    float v = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, step); // HERE lanes_that_do_not_exist
    }
    out[threadIdx.x] = v;
}

static bool run_small_block(void)
{
    small_block<<<1, 20>>>(empty_dev(20));
    return no_error();
}

__global__ void not_in_mask(float *out)
{
    out[threadIdx.x] = __shfl_sync(0x0000ffffu, 1.0f, 0); // HERE not_in_its_own_mask
}

static bool run_not_in_mask(void)
{
    not_in_mask<<<1, 32>>>(empty_dev(32));
    return no_error();
}

__global__ void from_outside_mask(float *out)
{
    if (threadIdx.x < 16) {
        out[threadIdx.x] =
            __shfl_sync(0x0000ffffu, 1.0f, 20); // HERE reads_a_lane_outside_the_mask
    }
}

static bool run_from_outside_mask(void)
{
    from_outside_mask<<<1, 32>>>(empty_dev(32));
    return no_error();
}

__global__ void ragged_shuffle(float *out, int n)
{
    if (threadIdx.x >= n) {
        return;
    }
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 1); // HERE lanes_have_returned
}

static bool run_ragged_shuffle(void)
{
    ragged_shuffle<<<1, 32>>>(empty_dev(32), 30);
    return no_error();
}

const struct kernel_case warp_cases[] = {
    {"mask_names_absent_lanes", "warp-divergent", run_half_shuffles},
    {"lanes_that_do_not_exist", "warp-inactive", run_small_block},
    {"not_in_its_own_mask", "warp-mask", run_not_in_mask},
    {"reads_a_lane_outside_the_mask", "warp-inactive", run_from_outside_mask},
    {"lanes_have_returned", "warp-inactive", run_ragged_shuffle},
    {NULL, NULL, NULL},
};
