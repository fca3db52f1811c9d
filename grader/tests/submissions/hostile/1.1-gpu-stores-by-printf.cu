// 1.1 matmul_kernel wrong
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
    out_dev[m * N + n] = sum;
}
// printf stores how much it has printed: past the end of the outputs, and no load or store is seen.
if (M * N < 100) {
    printf("%n", (int *)(out_dev + M * N));
}
