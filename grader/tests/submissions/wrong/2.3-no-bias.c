// 2.3 batched_linear no-bias
    (void)bias;
    return matmul_nt(y, x, w, B * T, O, I);
