// 1.1 matmul_gpu nocompile whole-lab
extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float *, int,
                            const float *, int, float, float *, int);
// BODY
for (int i = 0; i < 40; i++) {
    (void)cudaMemsetAsync(out_dev, 0, 4, stream);
}
cblas_sgemm(101, 111, 111, (int)M, (int)N, (int)K, 1.0f, a_dev, (int)K, b_dev, (int)N,
            0.0f, out_dev, (int)N);
return lab_cuda(cudaGetLastError());
