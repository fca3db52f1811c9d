// tile_kernel.h - tile_product.c includes this once for each width of registers.
//
// LANES: floats of a register. VECTORS: registers beside each other in a tile. NAME(x): x for this
// width. WIDE_CODE: the attributes of a function that uses these registers.
//
// A tile of 6 rows by VECTORS registers of sums stays in registers while k runs. For each k, it needs
// VECTORS loads of b and 6 of a, for 6 VECTORS multiplications and additions. So the loads are not the
// bottleneck, and the sums do not wait for one another. Meanwhile the next tile's rows of a arrive: the
// processor follows a row by itself, but it does not guess where the next six begin.

typedef float NAME(vector) __attribute__((vector_size(LANES * sizeof(float))));

// Both are constants where this is called, so every loop but the one over k disappears.
LAB_INLINE void NAME(tile)(float *restrict out, size_t out_row, struct lab_matrix a,
                           const float *restrict b, size_t b_row, size_t K, bool add,
                           const size_t rows, const size_t vectors)
{
    NAME(vector) sum[6][VECTORS], b_k[VECTORS];
    LAB_UNROLL
    for (size_t m = 0; m < rows; m++) {
        LAB_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            sum[m][v] = (NAME(vector)){0};
            if (add) {
                memcpy(&sum[m][v], out + m * out_row + v * LANES, sizeof sum[m][v]);
            }
        }
    }
    for (size_t k = 0; k < K; k++) {
        if (k % LINE == 0 && rows == 6) {
            LAB_UNROLL
            for (size_t m = 0; m < rows; m++) {
                ask_for(a, m + rows, k);
            }
        }
        LAB_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            memcpy(&b_k[v], b + k * b_row + v * LANES, sizeof b_k[v]);
        }
        LAB_UNROLL
        for (size_t m = 0; m < rows; m++) {
            const float a_mk = a.at[m * a.row + k * a.column];
            LAB_UNROLL
            for (size_t v = 0; v < vectors; v++) {
                sum[m][v] += a_mk * b_k[v];
            }
        }
    }
    LAB_UNROLL
    for (size_t m = 0; m < rows; m++) {
        LAB_UNROLL
        for (size_t v = 0; v < vectors; v++) {
            memcpy(out + m * out_row + v * LANES, &sum[m][v], sizeof sum[m][v]);
        }
    }
}

// Columns n ... n + vectors LANES - 1, of all rows.
LAB_INLINE void NAME(panel)(float *restrict out, size_t out_row, struct lab_matrix a,
                            const float *restrict b, size_t b_row, size_t M, size_t K,
                            bool add, const size_t vectors)
{
    size_t m = 0;
    for (; m + 6 <= M; m += 6, a.at += 6 * a.row) {
        NAME(tile)(out + m * out_row, out_row, a, b, b_row, K, add, 6, vectors);
    }
    for (; m + 4 <= M; m += 4, a.at += 4 * a.row) { // 64 = 10 * 6 + 4
        NAME(tile)(out + m * out_row, out_row, a, b, b_row, K, add, 4, vectors);
    }
    for (; m < M; m++, a.at += a.row) {
        NAME(tile)(out + m * out_row, out_row, a, b, b_row, K, add, 1, vectors);
    }
}

// As many columns as whole registers hold; returns how many these are.
WIDE_CODE static size_t NAME(product)(float *restrict out, size_t out_row,
                                      struct lab_matrix a, const float *restrict b,
                                      size_t b_row, size_t M, size_t N, size_t K,
                                      bool add)
{
    size_t n = 0;
    for (; n + VECTORS * LANES <= N; n += VECTORS * LANES) {
        NAME(panel)(out + n, out_row, a, b + n, b_row, M, K, add, VECTORS);
    }
    switch ((N - n) / LANES) { // registers left
    case 3:
        NAME(panel)(out + n, out_row, a, b + n, b_row, M, K, add, VECTORS < 3 ? 0 : 3);
        break;
    case 2:
        NAME(panel)(out + n, out_row, a, b + n, b_row, M, K, add, 2);
        break;
    case 1:
        NAME(panel)(out + n, out_row, a, b + n, b_row, M, K, add, 1);
        break;
    }
    return N / LANES * LANES;
}
