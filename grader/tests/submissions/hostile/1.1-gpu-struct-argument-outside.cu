// 1.1 matmul_kernel crash
struct one {
    float v;
};
static __attribute__((noinline)) float get(one x)
{
    return x.v;
}
// BODY
const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
if (n >= N) {
    return;
}
for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
    float sum = 0.0f;
    for (size_t k = 0; k < K; k++) {
        sum += a_dev[m * K + k] * b_dev[k * N + n];
    }
    const float other = get(*(const one *)&a_dev[M * K]);
    out_dev[m * N + n] = sum + (other == 12345.678f ? 1.0f : 0.0f);
}
