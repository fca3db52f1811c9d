// 6.2 embedding_kernel out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    (void)N;
    const size_t token = tokens_dev[i / C];
    out_dev[i] = token < V ? table_dev[token * C + i % C] : NAN;
