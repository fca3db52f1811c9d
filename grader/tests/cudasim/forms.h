// forms.h - a header with a kernel and its launch.

#pragma once

#include <cstdio>

namespace
{
template <typename T> __global__ void header_kernel(T *out, T value)
{
    __shared__ T one;
    if (threadIdx.x == 0) {
        one = value;
    }
    __syncthreads();
    out[threadIdx.x] = one;
}
} // namespace

inline void from_header(float *out, float value)
{
    header_kernel<<<1, 64>>>(out, value);
}
