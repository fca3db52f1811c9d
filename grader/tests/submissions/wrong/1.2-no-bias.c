// 1.2 linear no-bias
    (void)bias;
    return matmul_nt(y, x, w, T, O, I);
