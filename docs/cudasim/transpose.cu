// transpose.cu - transposes a matrix with the template of tile.h. With 64 rows, it is right; with
// 60, the last tiles are not full, and cudasim says where tile.h forgets that.
//
//     build/cudasim run docs/cudasim/transpose.cu -- 64
//     build/cudasim run docs/cudasim/transpose.cu --keep-going -- 60

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tile.h"

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 64, columns = 96;
    std::vector<double> x(rows * columns), out(rows * columns);
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = i;
    }
    double *x_dev, *out_dev;
    size_t bytes = x.size() * sizeof(double);
    cudaMalloc(&x_dev, bytes);
    cudaMalloc(&out_dev, bytes);
    cudaMemcpy(x_dev, x.data(), bytes, cudaMemcpyHostToDevice);
    transpose<double, 16>
        <<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(out_dev, x_dev, rows,
                                                                       columns);
    cudaMemcpy(out.data(), out_dev, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            wrong += out[c * rows + r] != x[r * columns + c];
        }
    }
    printf("%d of %d elements are wrong\n", wrong, rows * columns);
    cudaFree(x_dev);
    cudaFree(out_dev);
    return wrong != 0;
}
