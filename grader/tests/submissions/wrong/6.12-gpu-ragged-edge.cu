// 6.12 adam_kernel out-of-bounds
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    (void)N;
    const float g = g_dev[i];
    const float m = f.beta1 * m_dev[i] + f.new1 * g;
    const float v = f.beta2 * v_dev[i] + f.new2 * g * g;
    m_dev[i] = m;
    v_dev[i] = v;
    w_dev[i] = f.keep * w_dev[i] - f.rate * m / (sqrtf(v) * f.root + f.eps);
