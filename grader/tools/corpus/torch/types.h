// torch/types.h - as much of a tensor as flash-attention-minimal's launcher uses, on cudaMalloc. For
// cuda_corpus.sh.

#ifndef CORPUS_TORCH_TYPES_H
#define CORPUS_TORCH_TYPES_H

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <cuda_runtime.h>

namespace torch
{

enum kind { kCUDA };
struct Device {
    Device(kind)
    {
    }
};

class Tensor
{
    std::vector<long> sizes;
    std::shared_ptr<float> data; // on the device

  public:
    Tensor(const std::vector<long> &shape, const std::vector<float> &values)
        : sizes(shape)
    {
        float *dev = NULL;
        cudaMalloc(&dev, values.size() * sizeof *dev);
        cudaMemcpy(dev, values.data(), values.size() * sizeof *dev,
                   cudaMemcpyHostToDevice);
        data = std::shared_ptr<float>(dev, [](float *x) { cudaFree(x); });
    }
    long size(int i) const
    {
        return sizes[(size_t)i];
    }
    const std::vector<long> &shape() const
    {
        return sizes;
    }
    template <typename T> T *data_ptr() const
    {
        return data.get();
    }
    Tensor to(Device) const
    {
        return *this;
    }
};

inline Tensor full(const std::vector<long> &shape, float value)
{
    size_t count = 1;
    for (long n : shape) {
        count *= (size_t)n;
    }
    return Tensor(shape, std::vector<float>(count, value));
}
inline Tensor zeros(const std::vector<long> &shape)
{
    return full(shape, 0);
}
inline Tensor zeros_like(const Tensor &other)
{
    return zeros(other.shape());
}

} // namespace torch

#endif
