// 7.1 sinusoidal_encoding_kernel race-global
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, c = i % pairs * 2; // c is the 2i of the formula
    const double angle = (double)t * pow(10000.0, -(double)c / (double)C);
    double sine, cosine;
    sincos(angle, &sine, &cosine);
    table_dev[t * C + c] = (float)sine;
    table_dev[t * C + c + 1] = (float)cosine;
