// int8.cu - lab 9's int8 weights on the GPU, made fast.
//
// Read solutions/09_generation/int8.cu first: it is the plain form of the same mathematics. The
// product reads I O bytes and does little else. In the plain form, each lane loads one byte at a
// time. Four changes make it faster:
//   1. four at a time     A lane loads four weights and four numbers of x (float4): for the weights,
//                         one load of 128 bytes for the warp instead of four of 32. The same for
//                         quantize_rows.
//   2. many under way     A lane starts the loads of STEPS fours before it uses the first one,
//                         because memory is far away.
//   3. bytes by bits      A card converts few integers in a turn. The byte w + 128 as the last bits
//                         of the float 2^23 is 2^23 + w + 128, and a subtraction leaves w.
//   4. four rows of x     A weight is loaded and converted once for ROWS rows of x, whose sums stay
//                         in registers. With N = 1, a decode step, there is one, and a kernel of
//                         its own does not add up three sums of nothing.
// Rows whose length is not a multiple of 4 are read number by number.
//
// Start reading at linear_four_kernel.

#include "09_generation/generation_gpu.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, WARPS = 4, BLOCK = WARPS * WARP };

const size_t MOST_ROWS = 4; // rows of x that one warp multiplies at once
const size_t STEPS = 16;    // fours of weights that a lane loads at once

// ---- numbers in fours ---------------------------------------------------------------------

// Numbers 4 i ... 4 i + 3 of a row of n, with 0 past the end. If n is a multiple of 4, every row
// begins at a multiple of 16 bytes (of 4 bytes if it is int8), and this is one load.
static __device__ float4 load_four(const float *row, size_t i, size_t n)
{
    if (n % 4 == 0) {
        return ((const float4 *)row)[i];
    }
    const float *x = row + 4 * i;
    const size_t left = n - 4 * i; // at least 1
    return make_float4(x[0], left > 1 ? x[1] : 0.0f, left > 2 ? x[2] : 0.0f,
                       left > 3 ? x[3] : 0.0f);
}

// The bytes 4 i ... 4 i + 3 of a row of n; 0 past the end.
static __device__ uint32_t load_word(const int8_t *row, size_t i, size_t n)
{
    if (n % 4 == 0) {
        return 4 * i < n ? ((const uint32_t *)row)[i] : 0;
    }
    uint32_t word = 0;
    for (size_t j = 0; j < 4 && 4 * i + j < n; j++) {
        word |= (uint32_t)(uint8_t)row[4 * i + j] << 8 * j;
    }
    return word;
}

// Byte j of a word of bytes w + 128, as the number w.
static __device__ float number_of(uint32_t word, unsigned j)
{
    const uint32_t bits = __byte_perm(word, 0x4b000000u, 0x7650u + j); // 2^23 + w + 128
    return __uint_as_float(bits) - (8388608.0f + 128.0f);
}

static __device__ float4 numbers_of(uint32_t word)
{
    word ^= 0x80808080u; // w + 128
    return make_float4(number_of(word, 0), number_of(word, 1), number_of(word, 2),
                       number_of(word, 3));
}

// The numbers are whole, from -127 to 127.
static __device__ void store_four_int8(int8_t *row, float4 x, size_t i, size_t n)
{
    if (n % 4 == 0) {
        ((char4 *)row)[i] = make_char4((signed char)x.x, (signed char)x.y,
                                       (signed char)x.z, (signed char)x.w);
        return;
    }
    const float numbers[] = {x.x, x.y, x.z, x.w};
    for (size_t j = 0; j < 4 && 4 * i + j < n; j++) {
        row[4 * i + j] = (int8_t)numbers[j];
    }
}

// ---- 9.8  int8 rows -----------------------------------------------------------------------

static __device__ float block_max(float value)
{
    __shared__ float per_warp[WARPS];
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    if (threadIdx.x % WARP == 0) {
        per_warp[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    for (int warp = 0; warp < WARPS; warp++) {
        value = fmaxf(value, per_warp[warp]);
    }
    return value;
}

// A block of BLOCK threads for each row o.
__global__ void quantize_four_kernel(int8_t *rows_dev, float *scales_dev,
                                     const float *w_dev, size_t I)
{
    const size_t o = blockIdx.x;
    const float *w = w_dev + o * I;

    float largest = 0.0f;
    for (size_t i = threadIdx.x; 4 * i < I; i += BLOCK) {
        const float4 x = load_four(w, i, I);
        largest = fmaxf(
            largest, fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w))));
    }
    const float scale = block_max(largest) / 127.0f;
    const float divisor = scale > 0.0f ? scale : 1.0f; // 0 / 1 in a row of zeros
    for (size_t i = threadIdx.x; 4 * i < I; i += BLOCK) {
        const float4 x = load_four(w, i, I);
        const float4 rounded = make_float4(rintf(x.x / divisor), rintf(x.y / divisor),
                                           rintf(x.z / divisor), rintf(x.w / divisor));
        store_four_int8(rows_dev + o * I, rounded, i, I);
    }
    if (threadIdx.x == 0) {
        scales_dev[o] = scale;
    }
}

lab_status quantize_rows_gpu(int8_t *rows_dev, float *scales_dev, const float *w_dev,
                             size_t O, size_t I, cudaStream_t stream)
{
    if (O == 0 || I == 0 || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    quantize_four_kernel<<<(unsigned)O, BLOCK, 0, stream>>>(rows_dev, scales_dev, w_dev,
                                                            I);
    return lab_cuda(cudaGetLastError());
}

const size_t GRID_MAX = 128; // blocks along y; CUDA allows 65535

static __device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    return value;
}

static __device__ float dot_four(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// sums[n] += four i of row n of x times that of the weights, for ROWS rows; only `rows` exist.
template <size_t ROWS>
static __device__ void add_products(float *sums, const float *x, size_t rows, uint32_t w,
                                    size_t i, size_t I)
{
    const float4 weights = numbers_of(w);
    for (size_t n = 0; n < ROWS; n++) { // with a constant end: sums stays in registers
        const float4 numbers = load_four(x + (n < rows ? n : 0) * I, i, I);
        sums[n] += dot_four(numbers, weights);
    }
}

// A warp for each row o of the weights, in blocks of (WARP, WARPS) threads. Block row y of the grid
// handles the rows ROWS y ... ROWS y + ROWS - 1 of x, and continues gridDim.y ROWS further down.
template <size_t ROWS>
__global__ void linear_four_kernel(float *y_dev, const float *x_dev,
                                   const int8_t *rows_dev, const float *scales_dev,
                                   size_t N, size_t I, size_t O)
{
    const size_t o = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (o >= O) {
        return; // the whole warp returns: nothing waits for it
    }
    const int8_t *row = rows_dev + o * I;

    for (size_t n0 = (size_t)blockIdx.y * ROWS; n0 < N; n0 += (size_t)gridDim.y * ROWS) {
        const size_t rows = N - n0 < ROWS ? N - n0 : ROWS;
        float sums[ROWS] = {};
        for (size_t i = threadIdx.x; 4 * i < I; i += STEPS * WARP) {
            uint32_t w[STEPS];
            for (size_t step = 0; step < STEPS; step++) {
                w[step] = load_word(row, i + step * WARP, I);
            }
#pragma unroll // with an unknown step, w would not be in registers
            for (size_t step = 0; step < STEPS; step++) {
                const size_t four = i + step * WARP;
                if (4 * four < I) {
                    add_products<ROWS>(sums, x_dev + n0 * I, rows, w[step], four, I);
                }
            }
        }
        for (size_t n = 0; n < ROWS; n++) {
            const float sum = warp_sum(sums[n]);
            if (n < rows && threadIdx.x == 0) {
                y_dev[(n0 + n) * O + o] = scales_dev[o] * sum;
            }
        }
    }
}

lab_status linear_int8_gpu(float *y_dev, const float *x_dev, const int8_t *rows_dev,
                           const float *scales_dev, size_t N, size_t I, size_t O,
                           cudaStream_t stream)
{
    if (N == 0 || I == 0 || O == 0 || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    const size_t groups = N == 1 ? 1 : (N + MOST_ROWS - 1) / MOST_ROWS;
    const dim3 grid(lab_blocks(O, WARPS),
                    (unsigned)(groups < GRID_MAX ? groups : GRID_MAX)),
        block(WARP, WARPS);
    if (N == 1) {
        linear_four_kernel<1>
            <<<grid, block, 0, stream>>>(y_dev, x_dev, rows_dev, scales_dev, N, I, O);
    } else {
        linear_four_kernel<MOST_ROWS>
            <<<grid, block, 0, stream>>>(y_dev, x_dev, rows_dev, scales_dev, N, I, O);
    }
    return lab_cuda(cudaGetLastError());
}
