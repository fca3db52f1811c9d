// 6.12 adam_step_gpu no-bias-correction
    struct adam_factors factors;
    factors.beta1 = (float)s->beta1;
    factors.beta2 = (float)s->beta2;
    factors.new1 = (float)(1.0 - s->beta1);
    factors.new2 = (float)(1.0 - s->beta2);
    factors.keep = (float)(1.0 - s->lr * s->weight_decay);
    factors.rate = (float)s->lr;
    factors.root = 1.0f;
    factors.eps = (float)s->eps;
    adam_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(w_dev, m_dev, v_dev, g_dev,
                                                            factors, N);
    return lab_cuda(cudaGetLastError());
