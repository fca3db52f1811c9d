// 7.1 sinusoidal_encoding_kernel race-shared
    __shared__ double sine[1024], cosine[1024];
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, c = i % pairs * 2;
    sincos((double)t * pow(10000.0, -(double)c / (double)C), &sine[0], &cosine[threadIdx.x]);
    table_dev[t * C + c] = (float)sine[threadIdx.x * 0];
    if (c + 1 < C) {
        table_dev[t * C + c + 1] = (float)cosine[threadIdx.x];
    }
