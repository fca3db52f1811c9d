// memory.cu - addresses that a kernel must not touch, and uninitialized memory.

#include "tests/gpu/kernel_case.h"

__global__ void copy(float *out, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i]; // HERE missing_guard
}

static bool run_missing_guard(void)
{
    copy<<<2, 64>>>(empty_dev(128), numbers_dev(100));
    return no_error();
}

__global__ void negative(float *out)
{
    out[(int)threadIdx.x - 1] = 1; // HERE in_front_of_the_start
}

static bool run_negative(void)
{
    negative<<<1, 4>>>(empty_dev(4));
    return no_error();
}

__global__ void read_freed(float *out, const float *x)
{
    out[threadIdx.x] = x[threadIdx.x]; // HERE freed
}

static bool run_freed(void)
{
    float *x = numbers_dev(4), *out = empty_dev(4);
    bool good = cudaFree(x) == cudaSuccess;
    read_freed<<<1, 4>>>(out, x);
    return good && no_error();
}

__global__ void read_host(float *out, const float *x)
{
    out[threadIdx.x] = x[threadIdx.x]; // HERE host_memory
}

static bool run_host_memory(void)
{
    static float x[4] = {1, 2, 3, 4};
    read_host<<<1, 4>>>(empty_dev(4), x);
    return no_error();
}

__global__ void read_null(float *out, const float *x)
{
    out[threadIdx.x] = x[threadIdx.x]; // HERE null_pointer
}

static bool run_null_pointer(void)
{
    read_null<<<1, 4>>>(empty_dev(4), NULL);
    return no_error();
}

static bool run_on_the_host(void)
{
    float *x = numbers_dev(4);
    x[0] = 1; // HERE device_memory_on_the_host
    return false;
}

__global__ void small_tile(float *out)
{
    __shared__ float tile[31];
    float *t = tile;
    t[threadIdx.x] = 1; // HERE tile_too_small
    __syncthreads();
    out[threadIdx.x] = t[threadIdx.x];
}

static bool run_small_tile(void)
{
    small_tile<<<1, 32>>>(empty_dev(32));
    return no_error();
}

// One column too far: still inside the array, but outside the row.
__global__ void transposed(float *out, const float *x)
{
    __shared__ float tile[8][8];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 8 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 8 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y + 1]; // HERE off_by_one_in_a_row
}

static bool run_transposed(void)
{
    transposed<<<1, dim3(8, 8)>>>(empty_dev(64), numbers_dev(64));
    return no_error();
}

struct partial {
    float max, weighted[4];
};

// The last array of a structure: behind it lies the next structure.
static __device__ void add_ones(struct partial *row, int n)
{
    for (int i = 0; i <= n; i++) {
        row->weighted[i] += 1; // HERE last_array_of_a_structure
    }
}

__global__ void last_array(float *out, int n)
{
    struct partial rows[2] = {};
    add_ones(&rows[0], n);
    out[threadIdx.x] = rows[1].max;
}

static bool run_last_array(void)
{
    last_array<<<1, 1>>>(empty_dev(1), 4);
    return no_error();
}

__global__ void dynamic(float *out)
{
    extern __shared__ float row[];
    row[threadIdx.x] = 1; // HERE dynamic_too_small
    __syncthreads();
    out[threadIdx.x] = row[threadIdx.x];
}

static bool run_dynamic(void)
{
    dynamic<<<1, 32, 31 * sizeof(float)>>>(empty_dev(32));
    return no_error();
}

// The padding beyond the ragged edge is never written.
__global__ void padding(float *out, const float *x, int n)
{
    __shared__ float tile[32];
    if (threadIdx.x < n) {
        tile[threadIdx.x] = x[threadIdx.x];
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; i++) {
        sum += tile[i]; // HERE unwritten_padding
    }
    out[threadIdx.x] = sum;
}

static bool run_padding(void)
{
    padding<<<1, 32>>>(empty_dev(32), numbers_dev(32), 30);
    return no_error();
}

__global__ void accumulate(float *out)
{
    out[threadIdx.x] += 1; // HERE accumulates_on_nothing
}

static bool run_accumulate(void)
{
    accumulate<<<1, 4>>>(empty_dev(4));
    return no_error();
}

static bool run_copied_nothing(void)
{
    float *from = empty_dev(4), *to = numbers_dev(4);
    bool good = cudaMemcpy(to, from, 16, cudaMemcpyDeviceToDevice) == cudaSuccess;
    accumulate<<<1, 4>>>(to);
    return good && no_error();
}

__global__ void vectors(float4 *out, const float *x)
{
    out[threadIdx.x] = *(const float4 *)(x + 4 * threadIdx.x); // HERE misaligned_float4
}

static bool run_misaligned(void)
{
    vectors<<<1, 2>>>((float4 *)empty_dev(8), numbers_dev(12) + 1);
    return no_error();
}

__global__ void local(float *out, int n)
{
    float values[4] = {0, 1, 2, 3};
    out[threadIdx.x] = values[n + threadIdx.x]; // HERE local_array
}

static bool run_local(void)
{
    local<<<1, 4>>>(empty_dev(4), 1);
    return no_error();
}

// Host code that is not compiled with the checks cannot access the memory.
static bool run_library_call(void)
{
    char *end;
    const float number = strtof((const char *)numbers_dev(4), &end);
    return number < 0;
}

__global__ void copies_bytes(char *out, const char *x, int n)
{
    memcpy(out, x, n); // HERE memcpy_too_long
}

static bool run_copies_bytes(void)
{
    copies_bytes<<<1, 1>>>((char *)empty_dev(4), (const char *)numbers_dev(8), 17);
    return no_error();
}

__global__ void deep(float *out, int n)
{
    volatile float large[40 << 10];
    for (int i = 0; i < n; i++) {
        large[i] = i;
    }
    out[threadIdx.x] = large[n - 1];
}

static bool run_deep(void)
{
    deep<<<1, 4>>>(empty_dev(4), 40 << 10);
    return no_error();
}

// Structures that are passed by value: GCC reports no read of *p in f(*p).
struct twin {
    float a, b;
};

static __device__ twin operator+(twin x, twin y)
{
    return twin{x.a + y.a, x.b + y.b};
}

__global__ void add_twins(twin *out, const twin *x, twin first)
{
    twin sum = first + x[threadIdx.x]; // HERE structure_by_value
    out[threadIdx.x] = sum;
}

static bool run_structure(void)
{
    twin *out = (twin *)empty_dev(16);
    add_twins<<<1, 8>>>(out, (const twin *)numbers_dev(15), twin{1, 2});
    return no_error();
}

struct many {
    float number[40];
};

static __device__ __noinline__ float last_of(many x)
{
    return x.number[39];
}

__global__ void last_numbers(float *out, const many *x)
{
    out[threadIdx.x] = last_of(x[threadIdx.x]); // HERE large_structure_by_value
}

static bool run_large_structure(void)
{
    last_numbers<<<1, 2>>>(empty_dev(2), (const many *)numbers_dev(79));
    return no_error();
}

const struct kernel_case memory_cases[] = {
    {"missing_guard", "out-of-bounds", run_missing_guard},
    {"in_front_of_the_start", "out-of-bounds", run_negative},
    {"freed", "use-after-free", run_freed},
    {"host_memory", "host-pointer", run_host_memory},
    {"null_pointer", "null-pointer", run_null_pointer},
    {"device_memory_on_the_host", "device-pointer", run_on_the_host},
    {"tile_too_small", "out-of-bounds", run_small_tile},
    {"off_by_one_in_a_row", "index", run_transposed},
    {"last_array_of_a_structure", "index", run_last_array},
    {"dynamic_too_small", "out-of-bounds", run_dynamic},
    {"unwritten_padding", "uninitialized-shared", run_padding},
    {"accumulates_on_nothing", "uninitialized-global", run_accumulate},
    {"copied_nothing", "uninitialized-global", run_copied_nothing},
    {"misaligned_float4", "misaligned", run_misaligned},
    {"local_array", "index", run_local},
    {"device_memory_in_a_library", "device-pointer", run_library_call},
    {"memcpy_too_long", "out-of-bounds", run_copies_bytes},
    {"large_locals", "stack-overflow", run_deep},
    {"structure_by_value", "out-of-bounds", run_structure},
    {"large_structure_by_value", "out-of-bounds", run_large_structure},
    {NULL, NULL, NULL},
};
