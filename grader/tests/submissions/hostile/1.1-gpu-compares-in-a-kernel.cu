// 1.1 matmul_kernel wrong
// BODY
// Each thread reads all outputs with a function of the C library, even those of other threads,
// which may not be written yet.
const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
if (n >= N) {
    return;
}
for (size_t m = (size_t)blockIdx.y * blockDim.y + threadIdx.y; m < M;
     m += (size_t)gridDim.y * blockDim.y) {
    float sum = 0.0f;
    for (size_t k = 0; k < K; k++) {
        sum += a_dev[m * K + k] * b_dev[k * N + n];
    }
    out_dev[m * N + n] = sum;
    if (memcmp(out_dev, out_dev + M * N / 2, M * N / 2 * sizeof(float)) == 12345) {
        out_dev[m * N + n] = 0.0f;
    }
}
