// matrix.h - what mma.h and the inline assembly of tensor cores need from the runtime: the products
// of a warp (runtime/matrix.cc).

#ifndef GPU_SIMULATED_MATRIX_H
#define GPU_SIMULATED_MATRIX_H

enum gpu_number : unsigned char {
    GPU_HALF,
    GPU_BFLOAT16,
    GPU_TF32, // a float of which 19 bits count
    GPU_FLOAT,
    GPU_DOUBLE,
    GPU_SIGNED_CHAR,
    GPU_UNSIGNED_CHAR,
    GPU_INT
};

// D = A B + C of m x n x k, which the 32 lanes of a warp hold in parts. Element i of a lane's part of
// A is in row or column (lane * n + i) / length of the matrix, along its layout; tensor cores'
// instructions have other places (GPU_PLACES_PTX).
enum gpu_places : unsigned char { GPU_PLACES_FRAGMENT, GPU_PLACES_PTX };
struct gpu_product {
    unsigned char m, n, k;
    bool a_by_columns, b_by_columns, saturate;
    enum gpu_number of_a, of_b, of_c, of_d;
    enum gpu_places places;
    const void *a, *b, *c; // the lane's parts
    void *d;
};

// A row of 16 bytes of one of the 8 x 8 matrices, read by the lane that has its address.
struct gpu_matrix_row {
    unsigned word[4];
    unsigned *to; // the lane's registers, one for each matrix
    unsigned matrices;
    bool transposed;
};
extern "C" {
void gpu_load_matrices(const gpu_matrix_row *row);
void gpu_multiply(const gpu_product *product);
// All lanes meet. Reports an address or a distance between lines that is not aligned as tensor
// cores need it; alignments are in bytes.
void gpu_check_alignment(const void *at, size_t alignment);
void gpu_fragment_access(const void *at, size_t line_bytes, size_t alignment,
                         size_t line_alignment);
}

#endif
