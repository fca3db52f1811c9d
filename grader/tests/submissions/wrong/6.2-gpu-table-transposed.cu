// 6.2 embedding_kernel table-transposed
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N * C) {
        return;
    }
    const size_t token = tokens_dev[i / C];
    out_dev[i] = token < V ? table_dev[i % C * V + token] : NAN;
