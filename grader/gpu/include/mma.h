// mma.h - nvcuda::wmma: matrices that a warp holds in parts, and their products.
//
// A fragment's elements are spread over the 32 lanes. Which lane has which is not specified, and
// here it is as below; a program may change each element by itself, and no more. load_matrix_sync,
// store_matrix_sync and mma_sync need all 32 lanes. The products of float16, bfloat16 and
// tf32 are summed exactly here and rounded once, so a device is a little less exact.

#ifndef GPU_MMA_H
#define GPU_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "simulated/matrix.h"

namespace nvcuda
{
namespace wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
} // namespace precision

// ---- types of elements ---------------------------------------------------------------------

// stored: as the fragment and the memory hold it.
template <typename T> struct gpu_element;
#define GPU_ELEMENT(T, S, n)                                                             \
    template <> struct gpu_element<T> {                                                  \
        typedef S stored;                                                                \
        static constexpr gpu_number number = n;                                          \
    };
GPU_ELEMENT(__half, __half, GPU_HALF)
GPU_ELEMENT(__nv_bfloat16, __nv_bfloat16, GPU_BFLOAT16)
GPU_ELEMENT(precision::tf32, float, GPU_TF32)
GPU_ELEMENT(float, float, GPU_FLOAT)
GPU_ELEMENT(double, double, GPU_DOUBLE)
GPU_ELEMENT(signed char, signed char, GPU_SIGNED_CHAR)
GPU_ELEMENT(unsigned char, unsigned char, GPU_UNSIGNED_CHAR)
GPU_ELEMENT(int, int, GPU_INT)
#undef GPU_ELEMENT

// The shapes m x n x k that a device has for elements of A and B of this type.
template <int m, int n, int k, typename T> constexpr bool gpu_has_shape()
{
    constexpr gpu_number number = gpu_element<T>::number;
    return number == GPU_TF32 ? m == 16 && n == 16 && k == 8
           : number == GPU_DOUBLE
               ? m == 8 && n == 8 && k == 4
               : k == 16 &&
                     ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}

// ---- fragments -----------------------------------------------------------------------------

template <typename Use, int m, int n, int k> struct gpu_shape; // of the matrix
template <int m, int n, int k> struct gpu_shape<matrix_a, m, n, k> {
    static constexpr int rows = m, columns = k;
};
template <int m, int n, int k> struct gpu_shape<matrix_b, m, n, k> {
    static constexpr int rows = k, columns = n;
};
template <int m, int n, int k> struct gpu_shape<accumulator, m, n, k> {
    static constexpr int rows = m, columns = n;
};

template <typename Layout> struct gpu_layout { // of an accumulator: by rows
    static constexpr bool by_columns = false;
};
template <> struct gpu_layout<col_major> {
    static constexpr bool by_columns = true;
};

// Lane l has the elements from l * num_elements on, counted line by line.
template <typename Use, int m, int n, int k, typename T, typename Layout = void>
struct fragment {
    typedef gpu_shape<Use, m, n, k> gpu_matrix;
    typedef typename gpu_element<T>::stored element_type;
    typedef element_type storage_element_type;
    static constexpr bool gpu_by_columns = gpu_layout<Layout>::by_columns;
    static constexpr int gpu_line =
        gpu_by_columns ? gpu_matrix::rows : gpu_matrix::columns;
    static constexpr int num_elements = gpu_matrix::rows * gpu_matrix::columns / 32;
    static constexpr int num_storage_elements = num_elements;

    element_type x[num_elements];

    // The line, and the place in it, of the lane's first element.
    GPU_MEMBER static unsigned gpu_first()
    {
        unsigned thread =
            threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        return thread % 32 * (unsigned)num_elements;
    }
};

template <typename Function, typename Third>
GPU_INLINE void fill_fragment(Function &f, Third value)
{
    for (int i = 0; i < Function::num_elements; i++) {
        f.x[i] = (typename Function::element_type)value;
    }
}

// A line of n elements in as few accesses as the bytes allow: of 16, 8 or 4.
template <int bytes> struct __attribute__((may_alias, aligned(bytes))) gpu_wide {
    unsigned word[bytes / 4];
};
template <int n, typename T> GPU_INLINE void gpu_copy_line(T *to, const T *from)
{
    constexpr int bytes = n * (int)sizeof(T);
    constexpr int step = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
    if constexpr (bytes % 4 == 0) {
        for (int i = 0; i < bytes / step; i++) {
            ((gpu_wide<step> *)to)[i] = ((const gpu_wide<step> *)from)[i];
        }
    } else {
        for (int i = 0; i < n; i++) {
            to[i] = from[i];
        }
    }
}

// A device needs addresses that are multiples of 32 bytes (CUDA C++ Programming Guide, "Warp Matrix
// Functions"), and lines of multiples of 16 bytes. A row of 16 bytes in memory may lie beside
// another: NVIDIA's own samples read such.
template <typename T> GPU_INLINE void gpu_check_access(const T *at, unsigned line)
{
    gpu_fragment_access(at, line * sizeof(T), sizeof(T) == 1 ? 16 : 32,
                        sizeof(T) == 8 ? 8 : 16);
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
GPU_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f,
                                 const typename gpu_element<T>::stored *from,
                                 unsigned line)
{
    typedef fragment<Use, m, n, k, T, Layout> Function;
    gpu_check_access(from, line);
    unsigned first = Function::gpu_first();
    typename gpu_element<T>::stored row[Function::num_elements]
        __attribute__((aligned(16)));
    gpu_copy_line<Function::num_elements>(row, from + first / Function::gpu_line * line +
                                                   first % Function::gpu_line);
    for (int i = 0; i < Function::num_elements; i++) {
        f.x[i] = row[i];
    }
}

template <int m, int n, int k, typename T>
GPU_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *from,
                                 unsigned line, layout_t layout)
{
    typedef fragment<accumulator, m, n, k, T> Function;
    gpu_check_access(from, line);
    unsigned row = Function::gpu_first() / n, column = Function::gpu_first() % n;
    T part[Function::num_elements] __attribute__((aligned(16)));
    if (layout == mem_row_major) {
        gpu_copy_line<Function::num_elements>(part, from + row * line + column);
    } else {
        for (unsigned i = 0; i < Function::num_elements; i++) {
            part[i] = from[(column + i) * line + row];
        }
    }
    for (int i = 0; i < Function::num_elements; i++) {
        f.x[i] = part[i];
    }
}

template <int m, int n, int k, typename T>
GPU_INLINE void store_matrix_sync(T *to, const fragment<accumulator, m, n, k, T> &f,
                                  unsigned line, layout_t layout)
{
    typedef fragment<accumulator, m, n, k, T> Function;
    gpu_check_access(to, line);
    unsigned row = Function::gpu_first() / n, column = Function::gpu_first() % n;
    T part[Function::num_elements] __attribute__((aligned(16)));
    for (int i = 0; i < Function::num_elements; i++) {
        part[i] = f.x[i];
    }
    if (layout == mem_row_major) {
        gpu_copy_line<Function::num_elements>(to + row * line + column, part);
    } else {
        for (unsigned i = 0; i < Function::num_elements; i++) {
            to[(column + i) * line + row] = part[i];
        }
    }
}

// ---- products ------------------------------------------------------------------------------

// D = A B + C. saturate: sums of integers stay in range instead of wrapping around.
template <int m, int n, int k, typename First, typename FirstLayout, typename Second,
          typename SecondLayout, typename Sums, typename Results>
GPU_INLINE void mma_sync(fragment<accumulator, m, n, k, Results> &d,
                         const fragment<matrix_a, m, n, k, First, FirstLayout> &a,
                         const fragment<matrix_b, m, n, k, Second, SecondLayout> &b,
                         const fragment<accumulator, m, n, k, Sums> &c,
                         bool saturate = false)
{
    static_assert(gpu_element<First>::number == gpu_element<Second>::number,
                  "A and B of a product have the same type");
    static_assert(gpu_has_shape<m, n, k, First>(),
                  "no device multiplies fragments of this shape and type");
    const gpu_product product = {m,
                                 n,
                                 k,
                                 gpu_layout<FirstLayout>::by_columns,
                                 gpu_layout<SecondLayout>::by_columns,
                                 saturate,
                                 gpu_element<First>::number,
                                 gpu_element<Second>::number,
                                 gpu_element<Sums>::number,
                                 gpu_element<Results>::number,
                                 GPU_PLACES_FRAGMENT,
                                 a.x,
                                 b.x,
                                 c.x,
                                 d.x};
    gpu_multiply(&product);
}

// Rounds to the 10 binary places that tf32 has, ties away from zero.
GPU_INLINE float __float_to_tf32(float x)
{
    unsigned bits = __float_as_uint(x);
    return (bits & 0x7f800000u) == 0x7f800000u
               ? x
               : __uint_as_float((bits + 0x1000u) & ~0x1fffu);
}

} // namespace wmma
} // namespace nvcuda

#endif
