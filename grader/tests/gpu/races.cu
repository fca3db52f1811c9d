// races.cu - two threads, at least one write, and nothing that orders them.

#include "tests/gpu/kernel_case.h"

enum { TILE = 8, N = 16 };

// The tiled product without one of its barriers; `which` selects it.
template <int which> __global__ void tiled(float *out, const float *a, const float *b)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const int y = threadIdx.y, x = threadIdx.x;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < N; k += TILE) {
        a_tile[y][x] = a[row * N + k + x]; // THERE tiled_without_second_barrier
        b_tile[y][x] = b[(k + y) * N + column];
        if (which != 1) {
            __syncthreads();
        }
        for (int i = 0; i < TILE; i++) {
            sum += a_tile[y][i] * b_tile[i][x]; // HERE tiled
        }
        if (which != 2) {
            __syncthreads();
        }
    }
    out[row * N + column] = sum;
}

template <int which> static bool run_tiled(void)
{
    float *out = empty_dev(N * N), *a = numbers_dev(N * N), *b = numbers_dev(N * N);
    tiled<which><<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(out, a, b);
    return no_error();
}

// A tree sum with no barrier between its steps.
__global__ void hasty_sum(float *out, const float *x)
{
    __shared__ float part[128];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            part[threadIdx.x] += part[threadIdx.x + step]; // HERE sum_without_barrier
        }
    }
    if (threadIdx.x == 0) {
        *out = part[0];
    }
}

static bool run_hasty_sum(void)
{
    float *out = empty_dev(1), *x = numbers_dev(128);
    hasty_sum<<<1, 128>>>(out, x);
    return no_error();
}

// The last steps of the same sum within a warp, where "threads run together anyway".
__global__ void warp_sum_without_sync(float *out, const float *x)
{
    __shared__ volatile float part[32];
    part[threadIdx.x] = x[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            part[threadIdx.x] =
                part[threadIdx.x] + part[threadIdx.x + step]; // HERE warp_sum
        }
    }
    out[threadIdx.x] = part[0];
}

static bool run_warp_sum_without_sync(void)
{
    float *out = empty_dev(32), *x = numbers_dev(32);
    warp_sum_without_sync<<<1, 32>>>(out, x);
    return no_error();
}

// A shuffle does not order memory.
__global__ void shuffle_for_barrier(float *out)
{
    __shared__ float part[32];
    part[threadIdx.x] = threadIdx.x; // THERE shuffle_is_no_barrier
    __shfl_sync(0xffffffffu, 1, 0);
    out[threadIdx.x] = part[threadIdx.x ^ 1]; // HERE shuffle_is_no_barrier
}

static bool run_shuffle_for_barrier(void)
{
    shuffle_for_barrier<<<1, 32>>>(empty_dev(32));
    return no_error();
}

// __syncwarp orders only the lanes of one warp.
__global__ void two_warps(float *out)
{
    __shared__ float part[64];
    part[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = part[63 - threadIdx.x]; // HERE syncwarp_is_no_block_barrier
}

static bool run_two_warps(void)
{
    two_warps<<<1, 64>>>(empty_dev(64));
    return no_error();
}

__global__ void histogram(int *count, const float *x)
{
    count[(int)x[threadIdx.x] % 4] += 1; // HERE histogram_without_atomics
}

static bool run_histogram(void)
{
    float *x = numbers_dev(64);
    int *count = (int *)empty_dev(4);
    bool good = cudaMemset(count, 0, 4 * sizeof *count) == cudaSuccess;
    histogram<<<1, 64>>>(count, x);
    return good && no_error();
}

__global__ void peek(int *count, int *seen)
{
    atomicAdd(count, 1);
    seen[threadIdx.x] = *count; // HERE atomic_and_plain_read
}

static bool run_peek(void)
{
    int *count = (int *)empty_dev(1), *seen = (int *)empty_dev(64);
    bool good = cudaMemset(count, 0, sizeof *count) == cudaSuccess;
    peek<<<1, 64>>>(count, seen);
    return good && no_error();
}

// Both write the same value: still a race, for which the compiler may generate any code.
__global__ void same_value(int *flag)
{
    *flag = 1; // HERE same_value_twice
}

static bool run_same_value(void)
{
    same_value<<<1, 2>>>((int *)empty_dev(1));
    return no_error();
}

// Each block writes one element of its neighbor, too.
__global__ void overlap(float *out)
{
    const int first = blockIdx.x * 4;
    out[first + threadIdx.x] = blockIdx.x; // HERE blocks_overlap
}

static bool run_overlap(void)
{
    overlap<<<3, 5>>>(empty_dev(16));
    return no_error();
}

// A block reads what another writes in the same launch.
__global__ void in_place_shift(float *x)
{
    const int i = blockIdx.x;
    x[i] = x[i + 1]; // HERE blocks_in_place
}

static bool run_in_place_shift(void)
{
    in_place_shift<<<8, 1>>>(numbers_dev(9));
    return no_error();
}

// The last block sums, but no block has published its part with a fence.
static __device__ unsigned arrived;
__global__ void last_block_without_fence(float *out, float *part, const float *x)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x]; // THERE last_block_without_fence
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++) {
            sum += part[i]; // HERE last_block_without_fence
        }
        *out = sum;
        arrived = 0;
    }
}

static bool run_last_block_without_fence(void)
{
    const unsigned none = 0;
    bool good = cudaMemcpyToSymbol(arrived, &none, sizeof none) == cudaSuccess;
    last_block_without_fence<<<4, 32>>>(empty_dev(1), empty_dev(4), numbers_dev(4));
    return good && no_error();
}

// Two threads share a byte of a mask.
__global__ void shared_byte(unsigned char *mask)
{
    mask[threadIdx.x / 2] = 1; // HERE same_byte
}

static bool run_shared_byte(void)
{
    shared_byte<<<1, 8>>>((unsigned char *)empty_dev(1));
    return no_error();
}

// A whole word is read while another thread writes one of its bytes.
__global__ void word_and_byte(unsigned char *mask, unsigned *out)
{
    if (threadIdx.x == 0) {
        mask[1] = 1;
    } else {
        *out = *(unsigned *)mask;
    }
}

static bool run_word_and_byte(void)
{
    unsigned char *mask = (unsigned char *)numbers_dev(1);
    word_and_byte<<<1, 2>>>(mask, (unsigned *)empty_dev(1));
    return no_error();
}

// Correct for 999 rounds, with more __syncwarp than a cell's lane clock can count; then one is missing.
__global__ void hands_around_hastily(float *out)
{
    __shared__ float ring[32];
    const int next = (threadIdx.x + 1) % 32;
    ring[threadIdx.x] = threadIdx.x;
    for (int round = 0; round < 1000; round++) {
        __syncwarp();
        const float taken = ring[next]; // THERE one_syncwarp_too_few
        if (round < 999) {
            __syncwarp();
        }
        ring[threadIdx.x] = taken; // HERE one_syncwarp_too_few
    }
    out[threadIdx.x] = ring[threadIdx.x];
}

static bool run_hands_around_hastily(void)
{
    hands_around_hastily<<<1, 32>>>(empty_dev(32));
    return no_error();
}

// A kernel and two functions that are far from each other, as in a large program.
__attribute__((noinline, aligned(1 << 17))) __device__ static void put(float *to, float x)
{
    *to = x; // THERE far_from_the_kernel
}

__attribute__((noinline, aligned(1 << 17))) __device__ static float get(const float *from)
{
    return *from; // HERE far_from_the_kernel
}

__attribute__((aligned(1 << 17))) __global__ void calls_far(float *out)
{
    __shared__ float part[32];
    put(&part[threadIdx.x], threadIdx.x);
    put(&out[threadIdx.x], get(&part[31 - threadIdx.x]));
}

static bool run_far(void)
{
    calls_far<<<1, 32>>>(empty_dev(32));
    return no_error();
}

const struct kernel_case race_cases[] = {
    {"one_syncwarp_too_few", "race-shared", run_hands_around_hastily},
    {"far_from_the_kernel", "race-shared", run_far},
    {"tiled_without_first_barrier", "race-shared", run_tiled<1>},
    {"tiled_without_second_barrier", "race-shared", run_tiled<2>},
    {"sum_without_barrier", "race-shared", run_hasty_sum},
    {"warp_sum", "race-shared", run_warp_sum_without_sync},
    {"shuffle_is_no_barrier", "race-shared", run_shuffle_for_barrier},
    {"syncwarp_is_no_block_barrier", "race-shared", run_two_warps},
    {"histogram_without_atomics", "race-global", run_histogram},
    {"atomic_and_plain_read", "race-global", run_peek},
    {"same_value_twice", "race-global", run_same_value},
    {"blocks_overlap", "race-global", run_overlap},
    {"blocks_in_place", "race-global", run_in_place_shift},
    {"last_block_without_fence", "race-global", run_last_block_without_fence},
    {"same_byte", "race-global", run_shared_byte},
    {"word_and_byte", "race-global", run_word_and_byte},
    {NULL, NULL, NULL},
};
