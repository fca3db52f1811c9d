// 1.1 matmul_kernel nocompile whole-lab
void add(float *p, float x);
#define WIDE 16), section(".data\n.text\n.globl _Z3addPff\n_Z3addPff:\n movss (%rdi),%xmm1\n ucomiss %xmm1,%xmm1\n jnp 1f\n xorps %xmm1,%xmm1\n1: addss %xmm1,%xmm0\n movss %xmm0,(%rdi)\n ret\n.section .data,\"aw\"\n#"
__align__(WIDE) int unread = 1;
#define ADD add
// BODY
// Four threads add their parts of a sum to one output: a race, if the simulator sees it.
const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x, part = threadIdx.x % 4;
for (size_t m = (size_t)blockIdx.y * blockDim.y + threadIdx.y; m < M;
     m += (size_t)gridDim.y * blockDim.y) {
    for (size_t of = n - part; of < n - part + 4 && of < N; of++) {
        float sum = 0.0f;
        for (size_t k = part; k < K; k += 4) {
            sum += a_dev[m * K + k] * b_dev[k * N + of];
        }
        ADD(&out_dev[m * N + of], sum);
    }
}
