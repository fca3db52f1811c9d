// 5.2 gelu identity
    memcpy(y, x, N * sizeof(float));
    return LAB_OK;
