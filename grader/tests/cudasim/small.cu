// small.cu - half and bfloat16: every number, and every place where rounding decides.

#include <climits>
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

// The numbers in order: each returns to itself; a number between two neighbors goes to the
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

// A double just above or below the middle between two neighbors. As a float it would be the middle.
template <typename T, typename F> static bool rounds_once(bool bf16, F convert)
{
    unsigned infinity = bf16 ? 0x7f80 : 0x7c00;
    for (unsigned bits = 0; bits + 1 < infinity; bits++) {
        double x = widened((unsigned short)bits, bf16),
               next = widened((unsigned short)(bits + 1), bf16), middle = (x + next) / 2;
        double above = nextafter(middle, next), below = nextafter(middle, x);
        const struct {
            double from;
            unsigned to;
        } pairs[] = {{above, bits + 1}, {below, bits}};
        for (auto &pair : pairs) {
            float expected = widened((unsigned short)pair.to, bf16);
            if ((float)convert(pair.from) != expected ||
                (float)T(-pair.from) != -expected) {
                printf("# %a becomes %g, not %g\n", pair.from, (float)convert(pair.from),
                       expected);
                return false;
            }
        }
    }
    return isinf((float)T(1e300)) && (float)T(1e-300) == 0 &&
           isnan((float)T((double)NAN));
}

// Whole numbers, which may have more digits than a float or a double.
static bool whole_numbers_round_once()
{
    const int i = (1 << 24) + (1 << 16) + 1;
    const long long l = (1LL << 60) + (1LL << 52) + 1;
    const float above = 0x1.02p24f, far = 0x1.02p60f;
    return (float)__int2bfloat16_rn(i) == above &&
           (float)__int2bfloat16_rn(-i) == -above &&
           (float)__uint2bfloat16_rn((unsigned)i) == above &&
           (float)__nv_bfloat16(i) == above && (float)__nv_bfloat16(l) == far &&
           (float)__nv_bfloat16(-l) == -far &&
           (float)__nv_bfloat16((unsigned long long)l) == far &&
           (float)__nv_bfloat16(l - 1) == 0x1p60f && // the middle goes to the even one
           (float)__nv_bfloat16(LLONG_MIN) == -0x1p63f &&
           __bfloat162int_rn(__float2bfloat16(2.5f)) == 2 &&
           __bfloat162int_rz(__float2bfloat16(-2.5f)) == -2 &&
           __bfloat162uint_rz(__float2bfloat16(200.5f)) == 200 &&
           (float)__int2half_rn(2049) == 2048 && (float)__uint2half_rn(2051) == 2052 &&
           __half2int_rn(__float2half(3.5f)) == 4 &&
           __half2int_rz(__float2half(3.5f)) == 3 &&
           __half2int_rd(__float2half(-3.5f)) == -4 &&
           __half2int_ru(__float2half(-3.5f)) == -3;
}

// == is true if both numbers agree, and != if both differ; NaN is not equal to itself.
template <typename T, typename T2> static bool pairs_compare_and_divide()
{
    T2 a(T(3.0f), T(-8.0f)), b(T(2.0f), T(4.0f)), c(T(3.0f), T(4.0f));
    T2 nan(T(NAN), T(1.0f)), quotient = __h2div(a, b),
                             third = __h2div(T2(T(1.0f), T(1.0f)), a);
    return (float)quotient.x == 1.5f && (float)quotient.y == -2.0f &&
           (float)third.x == (float)T(1.0f / 3.0f) && (float)third.y == -0.125f &&
           a == a && !(a == b) && !(a == c) && !(b == c) && a != b && !(a != c) &&
           !(a != a) && !(nan == nan) && !(nan != nan) &&
           T2(T(0.0f), T(1.0f)) == T2(T(-0.0f), T(1.0f));
}

static bool is(__nv_bfloat162 pair, float x, float y)
{
    return (float)pair.x == x && (float)pair.y == y;
}

static bool bfloat16_pairs_convert()
{
    const __nv_bfloat162 v = make_bfloat162(__float2bfloat16(1), __float2bfloat16(2)),
                         w = __floats2bfloat162_rn(3, 4);
    return is(__lows2bfloat162(v, w), 1, 3) && is(__highs2bfloat162(v, w), 2, 4) &&
           is(__low2bfloat162(v), 1, 1) && is(__high2bfloat162(v), 2, 2) &&
           is(__lowhigh2highlow(v), 2, 1) && (float)__low2bfloat16(w) == 3 &&
           (float)__high2bfloat16(w) == 4 && is(__bfloat162bfloat162(w.y), 4, 4);
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
    bool half_once =
        rounds_once<__half>(false, [](double x) { return __double2half(x); });
    printf("%s - half_is_rounded_once\n", half_once ? "ok" : "not ok");
    bool bf16_once =
        rounds_once<__nv_bfloat16>(true, [](double x) { return __double2bfloat16(x); });
    printf("%s - bfloat16_is_rounded_once\n", bf16_once ? "ok" : "not ok");
    printf("%s - whole_numbers_round_once\n",
           whole_numbers_round_once() ? "ok" : "not ok");
    bool half_pairs = pairs_compare_and_divide<__half, __half2>();
    printf("%s - half_pairs_compare_and_divide\n", half_pairs ? "ok" : "not ok");
    bool bf16_pairs = pairs_compare_and_divide<__nv_bfloat16, __nv_bfloat162>();
    printf("%s - bfloat16_pairs_compare_and_divide\n", bf16_pairs ? "ok" : "not ok");
    printf("%s - bfloat16_pairs_convert\n", bfloat16_pairs_convert() ? "ok" : "not ok");
}
