// 1.1 matmul_kernel crash
#include <algorithm>
// Nothing hostile: a library's copy of three floats, which g++ makes without a call. They are past
// the end of the matrix.
static float three_of(const float *p)
{
    float v[3];
    std::copy(p, p + 3, v);
    return v[0] + v[1] + v[2];
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
    const float other = three_of(&a_dev[M * K]);
    out_dev[m * N + n] = sum + (other == 12345.678f ? 1.0f : 0.0f);
}
