// 1.5 weighted_values v-transposed
    return matmul_nt(out, weights, v, T, dv, S);
