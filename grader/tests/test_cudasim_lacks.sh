#!/bin/sh
# test_cudasim_lacks.sh - what the simulator lacks is said in one line, with its place.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/cudasim/workspace.sh

# ---- what the simulator lacks, in one line ---------------------------------------------------------

lacks() { # TEXT NAME LINES-OF-CODE
    printf '%b\n' "$3" >"$work/$2.cu"
    sim run "$work/$2.cu" >"$work/out" 2>&1
    [ $? -eq 3 ] && cat "$work/out" && [ "$(wc -l <"$work/out")" -eq 1 ] && grep -qF -e "$2.cu:$1" "$work/out"
}
claim "a header, whatever uses it" lacks '1:2: error: the simulator has no <cub/cub.cuh>;' cub \
    '#include <cub/cub.cuh>\n__global__ void k() { typedef cub::BlockReduce<int, 128> R; }\nint main() {}'
claim "textures" lacks '1:19: error: the simulator has no textures (cudaTextureObject_t);' texture \
    '__global__ void k(cudaTextureObject_t t, float *o) { *o = tex2D<float>(t, 0, 0); }\nint main() {}'
claim "texture references" lacks '1:1: error: the simulator has no textures (texture);' reference \
    'texture<float, 1> t;\n__global__ void k(float *o) { *o = tex1Dfetch(t, 0); }\nint main() {}'
claim "surfaces" lacks '1:19: error: the simulator has no surfaces (cudaSurfaceObject_t);' surface \
    '__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1, s, 0, 0); }\nint main() {}'
claim "graphs" lacks '1:14: error: the simulator has no graphs (cudaGraph_t);' graph \
    'int main() { cudaGraph_t g; cudaGraphExec_t x; cudaGraphLaunch(x, 0); }'
claim "but graphics are no graphs" lacks '1:14: error: the simulator has no cudaGraphicsMapResources;' graphics \
    'int main() { cudaGraphicsMapResources(1, 0, 0); }'
claim "clusters" lacks '1:17: error: the simulator has no clusters of blocks (__cluster_dims__);' cluster \
    '__global__ void __cluster_dims__(2, 1, 1) k(float *a) { a[0] = 1; }\nint main() { k<<<2, 2>>>(0); }'
claim "the driver's functions" lacks '2:26: error: the simulator has no driver functions (cuInit);' driver \
    '#include <cuda.h>\nint main() { CUdevice d; cuInit(0); cuDeviceGet(&d, 0); CUmodule m; cuModuleLoad(&m, "x"); }'
claim "a function, or a slip of the pen" lacks '1:24: error: the simulator has no cudaMaloc, did you mean cudaMalloc?;' slip \
    'int main() { void *p = cudaMaloc(4); }'
claim "a kernel that calls a function of the host, as nvcc refuses it" \
    lacks '2: error: a kernel calls half_of, a function of the host (line 1); write __device__ before it' sides \
    'static float half_of(float x) { return x / 2; }\n__global__ void k(float *o) { *o = half_of(1); }\nint main() {}'
claim "device code that does" \
    lacks '2: error: device code calls half_of, a function of the host (line 1);' sides \
    'float half_of(float x) { return x / 2; }\n__device__ float f() { return half_of(1); }\nint main() {}'
cat >"$work/sides.cu" <<'END'
#define DEVICE __device__ __host__
constexpr float one() { return 1; }
DEVICE float two() { return 2; }
float three() { return 4; }
__device__ float three(int) { return 3; }
template <typename T> DEVICE T four() { return 4; }
float five() { return 6; }
float six() { return 7; }
float seven() { return 8; }
float eight(float x) { return five() + six() + seven() + three() + x; }
struct numbers {
    __device__ float six() { return 6; }
    __device__ float all() { return six(); }
};
#if 0
__global__ void off(float *sum) { *sum = seven(); }
#endif
__host__ __device__ float both()
{
#ifdef __CUDA_ARCH__
    return 8;
#else
    return eight(8);
#endif
}
__global__ void k(float *sum)
{
    auto five = []() { return 5.0f; };
    *sum = one() + two() + three(1) + four<float>() + five() + numbers().all() + 7 + both();
}
int main()
{
    float *sum_dev, sum;
    cudaMalloc(&sum_dev, sizeof sum);
    k<<<1, 1>>>(sum_dev);
    cudaMemcpy(&sum, sum_dev, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%g\n", sum + eight(0) * 0);
    cudaFree(sum_dev);
}
END
claim "but not what may be a function of the device" shows '^36 status 0' sim run "$work/sides.cu"
# What only the running program can tell: which function a call means.
cat >"$work/host_side.h" <<'END'
#pragma once
#define SIDES __host__ __device__
struct ray {
    float3 from, to;
    SIDES ray(float3 a, float3 b) : from(a), to{b} {}
    SIDES ray(float3 a) : from(a), to(a) {}
    SIDES float3 start() const;
    float3 at(float t) const { return make_float3(from.x + t * to.x, 0, 0); }
};
float3 ray::start() const { return from; }
template <typename T> T square(T x) { return x * x; }
template <typename T> SIDES T cube(T x) { return x * x * x; }
SIDES inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, 0, 0); }
float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, 0, 0); }
__device__ float later(float x);
namespace inner {
inline float overloaded(int x) { return x; }
__device__ float overload(float x) { return x; }
float overload(int x) { return x; }
}
constexpr float two() { return 2; }
struct functor {
    float operator()(float x) const { return x + 1; }
};
struct of_host {
    of_host(float3 a, int) : from(a), other{1} {}
    float3 from;
    float other;
};
END
cat >"$work/host_side.cu" <<'END'
#include "host_side.h"
float later(float x) { return x; }
template <int what> __global__ void k(float3 *o)
{
    ray r(o[0]);
    o[1] = r.start() - make_float3(cube(2.0f), later(two()), [](float x) { return x; }(1));
    if (what == 1) o[0] = o[1] + o[0];
    if (what == 2) o[0] = r.at(1);
    if (what == 3) o[0].x = square(o[0].x);
    if (what == 4) o[0].x = inner::overloaded(1);
    if (what == 5) o[0] = of_host(o[0], 1).from;
    if (what == 6) o[0].x = functor()(1);
}
int main(int, char **argv)
{
    float3 *o;
    cudaMalloc(&o, 24);
    cudaMemset(o, 0, 24);
    ray light(make_float3(1, 0, 0), make_float3(0, 0, 0));
    float sum = (light.at(1) + of_host(light.from, 1).from).x + square(2) + inner::overload(2) + functor()(1);
    void (*kernels[])(float3 *) = {k<0>, k<1>, k<2>, k<3>, k<4>, k<5>, k<6>};
    kernels[atoi(argv[1])]<<<1, 1>>>(o);
    cudaFree(o);
    return sum != 1 + 1 + 4 + 2 + 2;
}
END
host_sides() {
    sim compile -o "$work/host_side" "$work/host_side.cu" && "$work/host_side" 0 >"$work/out" 2>&1 || {
        cat "$work/out"
        return 1
    }
    for case in 1:14 2:8 3:11 4:17 5:26 6:23; do
        "$work/host_side" "${case%:*}" >"$work/out" 2>&1
        cat "$work/out"
        tr '\n' ' ' <"$work/out" |
            grep -q "host_side.h:${case#*:}: .*a kernel calls this function, which is for the host.*called from .*host_side.cu:" || return 1
    done
}
claim "operators, members, templates and constructors of the host, in a header, are found when a kernel gets there" host_sides
printf 'int main() { int cudaless = 1; undefined_of_mine(cudaless); }\n' >"$work/own.cu"
claim "the program's own mistakes are the compiler's" \
    shows "own.cu:1:.*undefined_of_mine.*status 3" sim run "$work/own.cu"
printf '#include <cublas_v2.h>\nint main() { cublasHandle_t h; cublasCreate(&h); float *a, one = 1, zero = 0; cudaMalloc(&a, 64); float *c; cudaMalloc(&c, 64);
cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 4, a, 4, &zero, c, 4); }\n' >"$work/sgemm.cu"
claim "a finding in cublasSgemm has that name" \
    shows 'sgemm.cu:3: matrix A of cublasSgemm is read' sim run "$work/sgemm.cu"

exit "$status"
