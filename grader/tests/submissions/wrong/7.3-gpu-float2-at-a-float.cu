// 7.3 rope_kernel misaligned
    const size_t pairs = hs / 2;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * pairs) {
        return;
    }
    const size_t t = i / pairs, pair = i % pairs;
    const double frequency = pow(10000.0, -(double)(2 * pair) / (double)hs);
    double sine, cosine;
    sincos((double)positions_dev[t] * frequency, &sine, &cosine);
    const float s = (float)sine, c = (float)cosine;

    for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const size_t place = row * T * pairs + i; // in pairs
        const float2 x = *(const float2 *)(x_dev + place); // counted in floats
        ((float2 *)out_dev)[place] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
    }
