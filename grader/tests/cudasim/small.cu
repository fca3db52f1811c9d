// small.cu - half and bfloat16: every number, and every place where rounding decides.

#include <cstdio>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

static float widened(unsigned short bits, bool bf16)
{
    return bf16 ? (float)__ushort_as_bfloat16(bits) : (float)__ushort_as_half(bits);
}
static unsigned short rounded(float x, bool bf16)
{
    return bf16 ? __bfloat16_as_ushort(__float2bfloat16(x))
                : __half_as_ushort(__float2half(x));
}

// The numbers in order: each returns to itself; a number between two neighbours goes to the
// nearer one, and the middle to the even one.
static bool rounds_to_nearest(bool bf16)
{
    unsigned infinity = bf16 ? 0x7f80 : 0x7c00;
    for (unsigned bits = 0; bits < infinity; bits++) {
        float x = widened((unsigned short)bits, bf16);
        double next = bits + 1 < infinity
                          ? widened((unsigned short)(bits + 1), bf16)
                          : 2.0 * x - widened((unsigned short)(bits - 1), bf16);
        double middle =
            ((double)x + next) / 2; // exact, and a float unless it is too large
        if (rounded(x, bf16) != bits || rounded(-x, bf16) != (bits | 0x8000)) {
            return false;
        }
        float m = (float)middle, below = nextafterf(m, 0),
              above = nextafterf(m, INFINITY);
        if (m == 0 || (double)m != middle) {
            continue;
        }
        if (rounded(m, bf16) != (bits % 2 == 0 ? bits : bits + 1) ||
            (below > x && rounded(below, bf16) != bits) ||
            (above < next && rounded(above, bf16) != bits + 1)) {
            printf("# %#x: %g rounds to %#x\n", bits, m, rounded(m, bf16));
            return false;
        }
    }
    return rounded(INFINITY, bf16) == infinity && rounded(1e39f, bf16) == infinity &&
           widened((unsigned short)infinity, bf16) == INFINITY &&
           rounded(NAN, bf16) > infinity && isnan(widened(0x7fff, bf16));
}

// The compiler's own type, where it has one.
static bool agrees_with_compiler()
{
#ifdef __FLT16_MANT_DIG__
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        unsigned short word = (unsigned short)bits;
        _Float16 theirs;
        memcpy(&theirs, &word, sizeof theirs);
        float ours = widened(word, false);
        if (!(ours == (float)theirs) && !(isnan(ours) && isnan((float)theirs))) {
            return false;
        }
    }
    for (unsigned i = 0; i < 1u << 20; i++) {
        unsigned bits = i * 4099u;
        float x;
        memcpy(&x, &bits, sizeof x);
        _Float16 theirs = (_Float16)x;
        unsigned short word;
        memcpy(&word, &theirs, sizeof word);
        if (!isnan(x) && rounded(x, false) != word) {
            printf("# %a: %#x, not %#x\n", x, rounded(x, false), word);
            return false;
        }
    }
#endif
    return true;
}

template <typename T, typename T2> __global__ void arithmetic(T *out, T2 *pairs)
{
    unsigned lane = threadIdx.x;
    T x = T(1.5f), sum = __shfl_xor_sync(0xffffffff, T((float)lane), 1);
    atomicAdd(&out[0], T(1));
    out[1 + lane] = __hfma(x, sum, T(-0.5f)) * T(2) - x;
    T2 pair = __hadd2(T2(x, sum), T2(T(1), T(2)));
    pairs[lane] = __shfl_down_sync(0xffffffff, pair, 1);
}

template <typename T, typename T2> static bool computes()
{
    T *out, host[33];
    T2 *pairs, host_pairs[32];
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&pairs, sizeof host_pairs);
    cudaMemset(out, 0, sizeof host);
    arithmetic<<<1, 32>>>(out, pairs);
    bool fine =
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess &&
        cudaMemcpy(host_pairs, pairs, sizeof host_pairs, cudaMemcpyDeviceToHost) ==
            cudaSuccess &&
        (float)host[0] == 32;
    for (int lane = 0; lane < 32; lane++) {
        int from = lane < 31 ? lane + 1 : lane;
        fine = fine && (float)host[1 + lane] == (1.5f * (lane ^ 1) - 0.5f) * 2 - 1.5f &&
               __low2float(host_pairs[lane]) == 2.5f &&
               __high2float(host_pairs[lane]) == (from ^ 1) + 2;
    }
    cudaFree(out);
    cudaFree(pairs);
    return fine;
}

int main()
{
    printf("%s - half_rounds_to_nearest\n", rounds_to_nearest(false) ? "ok" : "not ok");
    printf("%s - bfloat16_rounds_to_nearest\n",
           rounds_to_nearest(true) ? "ok" : "not ok");
    printf("%s - half_is_that_of_the_compiler\n",
           agrees_with_compiler() ? "ok" : "not ok");
    bool half_computes = computes<__half, __half2>();
    printf("%s - half_computes\n", half_computes ? "ok" : "not ok");
    bool bf16_computes = computes<__nv_bfloat16, __nv_bfloat162>();
    printf("%s - bfloat16_computes\n", bf16_computes ? "ok" : "not ok");
}
