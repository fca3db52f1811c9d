// classes.cu - classes and references as arguments of kernels; complex numbers. Prints a line for each.

#include <cmath>
#include <cstdio>
#include <cuComplex.h>
#include <math_functions.h>

static void claim(bool good, const char *what)
{
    printf("%s - %s\n", good ? "ok" : "not ok", what);
}

// Its copies are its own: a copy in a kernel would call cudaMallocManaged there.
struct text {
    char *letters;
    int copies;
    explicit text(char first) : copies(0)
    {
        cudaMallocManaged(&letters, 2);
        letters[0] = first;
        letters[1] = 0;
    }
    text(const text &other) : copies(other.copies + 1)
    {
        cudaMallocManaged(&letters, 2);
        memcpy(letters, other.letters, 2);
    }
    ~text()
    {
        cudaFree(letters);
    }
    __host__ __device__ char &first() const
    {
        return letters[0];
    }
};

struct element {
    text name;
    int value;
};

__global__ void by_reference(element &e, int more)
{
    e.value += more;
}
__global__ void by_value(element e, char *seen)
{
    seen[threadIdx.x] = e.name.first() + e.value;
    __syncthreads(); // each thread has its own copy
    e.value += 1 + threadIdx.x;
    seen[32 + threadIdx.x] = (char)e.value;
}

static element *managed_element()
{
    element *e;
    cudaMallocManaged(&e, sizeof *e);
    new (e) element{text('a'), 3};
    return e;
}

static void test_references()
{
    element *e = managed_element();
    by_reference<<<1, 1>>>(*e, 4);
    cudaDeviceSynchronize();
    claim(e->value == 7, "a kernel with a reference");
    int more = 10;
    void *list[] = {&e, &more};
    cudaLaunchKernel(by_reference, 1, 1, list);
    cudaLaunchConfig_t one = {};
    one.gridDim = one.blockDim = 1;
    cudaLaunchKernelEx(&one, by_reference, *e, 100);
    cudaDeviceSynchronize();
    claim(e->value == 117, "a reference in a list of arguments");
    e->name.~text();
    cudaFree(e);
}

static void test_values()
{
    element *e = managed_element();
    char *seen;
    cudaMallocManaged(&seen, 64);
    by_value<<<1, 32>>>(*e, seen);
    cudaDeviceSynchronize();
    bool good = true;
    for (int i = 0; i < 32; i++) {
        good = good && seen[i] == 'd' && seen[32 + i] == 4 + i;
    }
    claim(good && e->value == 3,
          "a class with a copy constructor: kernels get its bytes");
    e->name.~text();
    cudaFree(e);
    cudaFree(seen);
}

__global__ void complex_numbers(cuComplex *z, cuDoubleComplex *w)
{
    cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuComplex(3, -4);
    z[0] = cuCaddf(a, b);
    z[1] = cuCsubf(a, b);
    z[2] = cuCmulf(a, b);
    z[3] = cuCdivf(z[2], b);
    z[4] = cuCfmaf(a, cuConjf(b), make_cuComplex(cuCabsf(b), cuCimagf(a)));
    cuDoubleComplex large = make_cuDoubleComplex(3e200, 4e200);
    w[0] = cuCdiv(large, large);
    w[1] =
        make_cuDoubleComplex(cuCabs(large) / 1e200, cuCreal(cuComplexFloatToDouble(a)));
}

static void test_complex()
{
    cuComplex *z;
    cuDoubleComplex *w;
    cudaMallocManaged(&z, 5 * sizeof *z);
    cudaMallocManaged(&w, 2 * sizeof *w);
    complex_numbers<<<1, 1>>>(z, w);
    cudaDeviceSynchronize();
    const float right[5][2] = {{4, -2}, {-2, 6}, {11, 2}, {1, 2}, {0, 12}};
    bool good = fabs(w[0].x - 1) < 1e-15 && fabs(w[0].y) < 1e-15 &&
                fabs(w[1].x - 5) < 1e-12 && w[1].y == 1;
    for (int i = 0; i < 5; i++) {
        good = good && fabsf(z[i].x - right[i][0]) < 1e-6f &&
               fabsf(z[i].y - right[i][1]) < 1e-6f;
    }
    claim(good, "complex numbers");
    cudaFree(z);
    cudaFree(w);
}

int main()
{
    test_references();
    test_values();
    test_complex();
}
