// 5.4 dropout never
    (void)uniforms;
    (void)training;
    memcpy(y, x, N * sizeof *y);
    return LAB_OK;
