// 4.3 split_heads_gpu
    const size_t count = B * T * C;
    split_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return lab_cuda(cudaGetLastError());

@ launch-not-asked: launch-unchecked
    // all of it right, but that nobody asks how the launch went
    const size_t count = B * T * C;
    split_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return LAB_OK;

@ launch-unchecked
    // too many threads for a block, and nobody asks
    const size_t count = B * T * C;
    split_heads_kernel<<<1, (unsigned)(count + 2048), 0, stream>>>(out_dev, x_dev, count, T,
                                                                  NH, C / NH);
    return LAB_OK;
