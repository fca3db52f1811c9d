// forms.cu - forms of CUDA that a program may use. Each is a claim: the kernels ran with the
// right arguments, and the simulator found nothing.

#include "forms.h"

#include <type_traits>

static float *x_dev, x[64];

static void clear()
{
    cudaMemset(x_dev, 0, sizeof x);
}

// All 64 elements are this now, and no call failed.
static void claim(const char *name, float expected)
{
    bool right = cudaGetLastError() == cudaSuccess &&
                 cudaMemcpy(x, x_dev, sizeof x, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; i < 64; i++) {
        right = right && x[i] == expected;
    }
    printf("%s - %s\n", right ? "ok" : "not ok", name);
    if (!right) {
        printf("# %g, not %g\n", x[0], expected);
    }
    clear();
}

// ---- templates, namespaces, default arguments ----------------------------------------------

namespace outer
{
namespace inner
{
template <int n, typename T = float>
__global__ void __launch_bounds__(64, 2)
    put(T *out, const T *nothing, T value, T more = T(1))
{
    out[threadIdx.x] = nothing == nullptr ? value + more + T(n) : T(-1);
}
} // namespace inner
} // namespace outer

template <typename T, int, typename = std::enable_if_t<std::is_same<T, float>::value>>
__global__ void unnamed(T *out, const int, T value)
{
    out[threadIdx.x] = value;
}

template <typename T> __global__ void special(T *out)
{
    out[threadIdx.x] = 1;
}
template <> __global__ void special<float>(float *out)
{
    out[threadIdx.x] = 2;
}

template <typename... V> __global__ void variadic(float *out, V... values)
{
    out[threadIdx.x] = (values + ...);
}

__global__ void later(float *out, int value = 5);
__global__ void later(float *out, int value)
{
    out[threadIdx.x] = value;
}

struct pair {
    float first, second;
};

__global__ void add_pair(float *out, pair p)
{
    p.first += p.second; // each thread's own copy
    out[threadIdx.x] = p.first;
}

static void templates()
{
    // clang-format off
    outer::inner::put<3,
                      float>
        <<<1,
           64>>>(x_dev, NULL, 2);
    // clang-format on
    claim("template_arguments_over_lines_and_NULL", 6);
    outer::inner::put<4, float><<<1, 64>>>(x_dev, nullptr, 2, {});
    claim("braces_as_an_argument", 6);
    unnamed<float, 3><<<1, 64>>>(x_dev, 7, 8);
    claim("parameters_without_names", 8);
    special<<<1, 64>>>(x_dev);
    claim("an_explicit_specialization", 2);
    variadic<<<1, 64>>>(x_dev, 1, 2.5f, 3.0);
    claim("a_variadic_template", 6.5f);
    later<<<1, 64>>>(x_dev);
    claim("a_default_argument", 5);
    add_pair<<<1, 64>>>(x_dev, {1, 2});
    claim("a_structure_in_braces", 3);
}

// ---- overloads and pointers ----------------------------------------------------------------

__global__ void scale(float *out)
{
    out[threadIdx.x] = 1;
}
__global__ void scale(float *out, float by)
{
    out[threadIdx.x] = by;
}
static int scale(int x) // a host function
{
    return 2 * x;
}

#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 64>>>(__VA_ARGS__)
#define LAUNCH_BOTH(value)                                                               \
    do {                                                                                 \
        scale<<<1, 64>>>(x_dev, value);                                                  \
        LAUNCH((outer::inner::put<1, float>), 1, x_dev, NULL, value);                    \
    } while (0)

static void overloads()
{
    scale<<<scale(2) - 3, 64>>>(x_dev, 3);
    claim("overloads_and_a_host_function_of_the_name", 3);
    LAUNCH_BOTH(4);
    claim("launches_in_macros", 6);
    auto generic = [](auto kernel, auto... values) {
        kernel<<<1, 64>>>(x_dev, values...);
    };
    generic(variadic<int, int>, 3, 4);
    claim("a_launch_in_a_generic_lambda", 7);
    void (*const table[])(float *) = {special<float>, scale};
    table[1]<<<1, 64>>>(x_dev);
    claim("a_table_of_kernels", 1);
    for (int turn = 0; turn < 2; turn++) {
        (turn == 1 ? table[0] : table[1])<<<1, 64>>>(x_dev);
    }
    claim("a_conditional_expression_as_kernel", 2);
    from_header(x_dev, 9);
    claim("a_launch_and_a_kernel_in_a_header", 9);
}

// ---- shared memory -------------------------------------------------------------------------

extern float __shared__ dynamic[];

__global__ void reversed(float *out)
{
    int __shared__ rank[64];
    __shared__ union {
        float f;
        unsigned bits;
    } one;
    __shared__ struct cell {
        float value;
        int turns;
    } cells[64];
    rank[threadIdx.x] = 63 - threadIdx.x;
    dynamic[threadIdx.x] = threadIdx.x;
    cells[threadIdx.x].value = threadIdx.x;
    if (threadIdx.x == 0) {
        one.bits = 0x3f800000;
    }
    __syncthreads();
    cell &mine = cells[rank[threadIdx.x]];
    out[threadIdx.x] = dynamic[rank[threadIdx.x]] - mine.value + one.f;
}

#define SHARED(type, name) __shared__ type name[64]

__global__ void by_macro(float *out)
{
    SHARED(float, one);
    SHARED(int, other);
    one[threadIdx.x] = 1;
    other[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = one[63 - threadIdx.x] + other[63 - threadIdx.x];
}

template <int n> __global__ void large(float *out)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    float *values = reinterpret_cast<float *>(bytes);
    values[n + threadIdx.x] = 4;
    __syncthreads();
    out[threadIdx.x] = values[n + 63 - threadIdx.x];
}

static void shared_memory()
{
    reversed<<<1, 64, 64 * sizeof(float)>>>(x_dev);
    claim("shared_unions_structures_and_the_word_behind_the_type", 1);
    by_macro<<<1, 64>>>(x_dev);
    claim("shared_memory_by_a_macro", 3);
    const int bytes = 100 << 10;
    cudaFuncSetAttribute(large<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    large<2><<<1, 64, bytes>>>(x_dev);
    claim("a_template_asks_for_more_shared_memory", 4);
    large<3><<<1, 64, bytes>>>(x_dev);
    printf("%s - another_instance_has_not_asked\n",
           cudaGetLastError() == cudaSuccess ? "not ok" : "ok");
}

// ---- both sides, variables -----------------------------------------------------------------

__host__ __device__ constexpr int side()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__ >= 700 ? 1 : 2;
#else
    return 3;
#endif
}

__device__ static int device_only()
{
#if defined __CUDA_ARCH__
    return __LINE__; // 224
#else
#error a device function is compiled for the device
#endif
}

// Outside of functions, a part counts if one side compiles it; with #else, the device's branch.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700 // too old
#error the device is of compute capability 9.0
#endif
#if __CUDA_ARCH__ >= 700
__device__ static int only_in_device_code()
{
    return __LINE__; // 237
}
#endif
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ < 600)
static int only_in_host_code()
{
    return __LINE__; // 243
}
#endif
#ifndef __CUDA_ARCH__
#define BRANCH 1
#else
#define BRANCH 2
#endif
#ifndef __CUDACC__
#error this is CUDA
#endif

#ifdef NOT_DEFINED
__device__ float left_out()
{
    return __CUDA_ARCH__;
}
#endif

static int line_behind_left_out()
{
    return __LINE__; // 264
}

__constant__ float table[4];
__device__ __managed__ int counter;
__device__ float gathered;

__global__ void sides(float *out)
{
    out[threadIdx.x] = side() + (device_only() == 224 ? 10 : 0) + table[3] +
                       (only_in_device_code() == 237 ? 1000 : 0);
    atomicAdd(&counter, 1);
    atomicAdd(&gathered, 1.0f);
}

static void variables()
{
    static_assert(side() == 3, "a constant belongs to the host");
    const float values[4] = {0, 0, 0, 100};
    cudaMemcpyToSymbol(table, values, sizeof values);
    counter = side();
    sides<<<1, 64>>>(x_dev);
    claim("each_side_takes_its_branch", 1111);
    printf("%s - a_part_of_one_side\n",
           only_in_host_code() == 243 && BRANCH == 2 ? "ok" : "not ok");
    printf("%s - lines_keep_their_numbers\n",
           line_behind_left_out() == 264 ? "ok" : "not ok");
    float sum = 0;
    cudaMemcpyFromSymbol(&sum, gathered, sizeof sum);
    printf("%s - managed_and_device_variables\n",
           counter == 67 && sum == 64 ? "ok" : "not ok");
}

// ---- names that hide names of types ----------------------------------------------------------

struct spot {
    float x, y;
};
template <int dim3>
__global__ void hides(float *out, size_t half, const struct spot uint, long float2,
                      struct spot)
{
    __shared__ float size_t[64];
    size_t[threadIdx.x] = 0;
    for (unsigned short4 = 16; short4 >= half; short4 /= 2) {
        size_t[threadIdx.x] += (float)short4;
    }
    __syncthreads();
    out[threadIdx.x] = size_t[63 - threadIdx.x] + uint.y + (float)(float2 + dim3);
}

static void names()
{
    hides<32><<<1, 64>>>(x_dev, 4, spot{0, 5}, 7, spot{});
    claim("names_that_hide_types", 16 + 8 + 4 + 5 + 7 + 32);
}

int main()
{
    cudaMalloc(&x_dev, sizeof x);
    clear();
    templates();
    overloads();
    shared_memory();
    variables();
    names();
    cudaFree(x_dev);
}
