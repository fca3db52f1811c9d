// samples.cu - launchers with too many blocks to run them all: out[i] = i for i < n.

#include "tests/gpu/samples.h"

#include <cuda_runtime.h>

enum { MOST = 65535, ROWS = 4 };

static unsigned at_most(size_t n, size_t most)
{
    return (unsigned)(n < most ? n : most);
}

__global__ void one_each(float *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (float)i;
    }
}
static void run_thread_each(float *out, float *, size_t n)
{
    one_each<<<(unsigned)((n + 63) / 64), 64>>>(out, n);
}

__global__ void row(float *out, size_t first)
{
    if (threadIdx.x == 0) {
        out[first + blockIdx.x] = (float)(first + blockIdx.x);
    }
}
static void run_block_each(float *out, float *, size_t n)
{
    row<<<(unsigned)n, 32>>>(out, 0);
}
static void run_limited(float *out, float *, size_t n)
{
    row<<<at_most(n, MOST), 32>>>(out, 0);
}
static void run_chunks(float *out, float *, size_t n)
{
    for (size_t first = 0; first < n; first += MOST) {
        row<<<at_most(n - first, MOST), 32>>>(out, first);
    }
}
static void run_same_chunk(float *out, float *, size_t n)
{
    for (size_t first = 0; first < n; first += MOST) {
        row<<<at_most(n - first, MOST), 32>>>(out, 0);
    }
}

__global__ void empty(void)
{
}
static void run_nothing(float *, float *, size_t n)
{
    empty<<<(unsigned)n, 32>>>();
}

__global__ void rows_in_steps(float *out, size_t n)
{
    for (size_t i = blockIdx.x; threadIdx.x == 0 && i < n; i += gridDim.x) {
        out[i] = (float)i;
    }
}
static void run_steps_of_100(float *out, float *, size_t n)
{
    rows_in_steps<<<100, 32>>>(out, n);
}
static void run_steps_of_65535(float *out, float *, size_t n)
{
    rows_in_steps<<<at_most(n, MOST), 32>>>(out, n);
}

__global__ void from_the_end(float *out, size_t n)
{
    out[n - 1 - blockIdx.x] = (float)(n - 1 - blockIdx.x);
}
static void run_from_the_end(float *out, float *, size_t n)
{
    from_the_end<<<(unsigned)n, 1>>>(out, n);
}

__global__ void plane(float *out, size_t n, size_t width)
{
    const size_t i = blockIdx.y * width + blockIdx.x;
    if (i < n) {
        out[i] = (float)i;
    }
}
static void run_plane(float *out, float *, size_t n)
{
    plane<<<dim3(1000, (unsigned)((n + 999) / 1000)), 1>>>(out, n, 1000);
}
static void run_wrong_width(float *out, float *, size_t n)
{
    plane<<<dim3(1000, (unsigned)((n + 999) / 1000)), 1>>>(out, n, (n + 999) / 1000);
}

__global__ void volume(float *out, size_t n)
{
    const size_t i = (blockIdx.x * gridDim.z + blockIdx.z) * gridDim.y + blockIdx.y;
    if (i < n) {
        out[i] = (float)i;
    }
}
static void run_volume(float *out, float *, size_t n)
{
    volume<<<dim3((unsigned)(n / 1200 + 1), 30, 40), 1>>>(out, n);
}

__global__ void narrow(float *out)
{
    const unsigned short i = (unsigned short)blockIdx.x;
    out[i] = (float)i;
}
static void run_narrow(float *out, float *, size_t n)
{
    narrow<<<(unsigned)n, 1>>>(out);
}

// Two kernels: a block of the second reads what four blocks of the first write.
__global__ void rows_of_four(float *out, const float *between, size_t n)
{
    const size_t i = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (i < n) {
        out[i] = 0; // unless the block ends
        __syncwarp();
        out[i] = between[i];
    }
}
static void run_two(float *out, float *between, size_t n)
{
    row<<<(unsigned)n, 32>>>(between, 0);
    rows_of_four<<<(unsigned)((n + ROWS - 1) / ROWS), dim3(1, ROWS)>>>(out, between, n);
}

// What is written twice: blocks that are left out would write it again.
static void run_zeros_first(float *out, float *, size_t n)
{
    cudaMemset(out, 0, n * sizeof *out);
    row<<<(unsigned)n, 32>>>(out, 0);
}

__global__ void doubled(float *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0f * (float)i;
    }
}
__global__ void halve(float *out)
{
    out[blockIdx.x] *= 0.5f;
}
static void run_halved(float *out, float *, size_t n)
{
    doubled<<<(unsigned)((n + 63) / 64), 64>>>(out, n);
    halve<<<(unsigned)n, 1>>>(out);
}

static void run_zeros_between(float *out, float *between, size_t n)
{
    cudaMemset(between, 0, n * sizeof *between);
    row<<<(unsigned)n, 32>>>(between, 0);
    rows_of_four<<<(unsigned)((n + ROWS - 1) / ROWS), dim3(1, ROWS)>>>(out, between, n);
}

__device__ float in_variable[1 << 20];
__global__ void row_of_variable(void)
{
    in_variable[blockIdx.x] = (float)blockIdx.x;
}
__global__ void from_variable(float *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in_variable[i];
    }
}
static void run_variable(float *out, float *, size_t n)
{
    row_of_variable<<<(unsigned)n, 1>>>();
    from_variable<<<(unsigned)((n + 255) / 256), 256>>>(out, n);
}

// The second kernel writes everything, but reads first what is not known.
__global__ void all_halved(float *out, const float *between, size_t n)
{
    const float factor = between[n / 2] / (float)(n / 2) * 0.5f;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] *= factor;
    }
}
static void run_halved_by_one(float *out, float *between, size_t n)
{
    doubled<<<(unsigned)((n + 63) / 64), 64>>>(out, n);
    row<<<(unsigned)n, 32>>>(between, 0);
    all_halved<<<1, 256>>>(out, between, n);
}

__device__ unsigned taken;
__global__ void from_a_counter(float *out, size_t n)
{
    const size_t i = atomicAdd(&taken, 1u) % n;
    out[i] = (float)i;
}
static void run_counter(float *out, float *, size_t n)
{
    from_a_counter<<<(unsigned)n, 1>>>(out, n);
}

__global__ void wrong_numbers(float *out)
{
    out[blockIdx.x] = 1;
}
static void run_wrong_numbers(float *out, float *, size_t n)
{
    wrong_numbers<<<(unsigned)n, 1>>>(out);
}

// All threads meet for each number.
__global__ void in_step(float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            out[i] = (float)i;
        }
    }
}
static void run_in_step(float *out, float *, size_t n)
{
    in_step<<<1, 1024>>>(out, n);
}

// The last row is left out, or written by a block of its own.
static void run_steps_short(float *out, float *, size_t n)
{
    rows_in_steps<<<MOST, 32>>>(out, n - 1);
}
__global__ void last_row_apart(float *out, size_t n)
{
    for (size_t i = blockIdx.x; threadIdx.x == 0 && i < n - 1; i += gridDim.x) {
        out[i] = (float)i;
    }
    if (threadIdx.x == 0 && blockIdx.x == 40000) {
        out[n - 1] = (float)(n - 1);
    }
}
static void run_last_row_apart(float *out, float *, size_t n)
{
    last_row_apart<<<MOST, 32>>>(out, n);
}
// As the first, with more threads than the limit of work.
static void run_wide_steps_short(float *out, float *, size_t n)
{
    rows_in_steps<<<MOST, 1024>>>(out, n - 1);
}

// A number beside the rows: between[0] = n.
__global__ void count_rows(float *number, size_t n)
{
    if (threadIdx.x == 0) {
        *number = (float)n;
    }
}
static void run_number(float *out, float *number, size_t n)
{
    count_rows<<<1, 32>>>(number, n);
    row<<<(unsigned)n, 32>>>(out, 0);
}
__global__ void rows_and_number(float *out, float *number, size_t n, unsigned block)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = (float)blockIdx.x;
    }
    if (threadIdx.x == 0 && blockIdx.x == block) {
        *number = (float)n;
    }
}
static void run_number_by_last(float *out, float *number, size_t n)
{
    rows_and_number<<<(unsigned)n, 32>>>(out, number, n, (unsigned)n - 1);
}
static void run_number_by_any(float *out, float *number, size_t n)
{
    rows_and_number<<<(unsigned)n, 32>>>(out, number, n, 40000);
}

// The last block to finish writes the number. Its counter is 0 again after each launch.
__device__ unsigned finished;
__global__ void rows_then_number(float *out, float *number, size_t n)
{
    for (size_t i = blockIdx.x; i < n; i += gridDim.x) {
        if (threadIdx.x == 0) {
            out[i] = (float)i;
        }
        __syncwarp();
    }
    __threadfence();
    if (threadIdx.x == 0 && atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1) {
        *number = (float)n;
    }
}
static void run_number_by_last_to_finish(float *out, float *number, size_t n)
{
    rows_then_number<<<at_most(n, 1000), 512>>>(out, number, n);
}

// Blocks that take long: all threads meet twice for each row.
__global__ void long_steps(float *out, size_t n)
{
    for (size_t i = blockIdx.x; i < n; i += gridDim.x) {
        __syncthreads();
        if (threadIdx.x == 0) {
            out[i] = (float)i;
        }
        __syncthreads();
    }
}
static void run_long_steps(float *out, float *, size_t n)
{
    long_steps<<<128, 320>>>(out, n);
}
static void run_long_steps_short(float *out, float *, size_t n)
{
    long_steps<<<128, 320>>>(out, n - 1);
}
// A block of the second kernel reads what 16 blocks of the first write.
__global__ void rows_of_sixteen(float *out, const float *between, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 16 + threadIdx.x;
    if (i < n) {
        out[i] = between[i];
    }
}
static void run_long_steps_first(float *out, float *between, size_t n)
{
    long_steps<<<129, 128>>>(between, n);
    rows_of_sixteen<<<(unsigned)((n + 15) / 16), 16>>>(out, between, n);
}

const struct sampled_launcher sampled_launchers[] = {
    {"a thread each", run_thread_each},
    {"a block each", run_block_each},
    {"limited", run_limited},
    {"chunks", run_chunks},
    {"the same chunk", run_same_chunk},
    {"nothing", run_nothing},
    {"steps of 100", run_steps_of_100},
    {"steps of 65535", run_steps_of_65535},
    {"from the end", run_from_the_end},
    {"a plane", run_plane},
    {"a plane of the wrong width", run_wrong_width},
    {"a volume", run_volume},
    {"a narrow index", run_narrow},
    {"two kernels", run_two},
    {"zeros first", run_zeros_first},
    {"halved", run_halved},
    {"zeros between", run_zeros_between},
    {"a variable", run_variable},
    {"halved by one block", run_halved_by_one},
    {"a counter", run_counter},
    {"wrong numbers", run_wrong_numbers},
    {"in step", run_in_step},
    {"steps without the last row", run_steps_short},
    {"wide steps without the last row", run_wide_steps_short},
    {"the last row apart", run_last_row_apart},
    {"a number", run_number},
    {"a number by the last block", run_number_by_last},
    {"a number by the last to finish", run_number_by_last_to_finish},
    {"a number by any block", run_number_by_any},
    {"long steps", run_long_steps},
    {"long steps without the last row", run_long_steps_short},
    {"long steps, then rows of 16", run_long_steps_first},
    {NULL, NULL},
};
