// 4.3 split_heads_gpu launch-unchecked
    // too many threads for a block, and nobody asks
    const size_t count = B * T * C;
    split_heads_kernel<<<1, (unsigned)(count + 2048), 0, stream>>>(out_dev, x_dev, count, T,
                                                                  NH, C / NH);
    return LAB_OK;
