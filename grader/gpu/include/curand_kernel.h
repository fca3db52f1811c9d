// curand_kernel.h - random numbers in kernels: XORWOW (curandState) and Philox, with the numbers that cuRAND
// gives for the same seed, subsequence and offset. Normal ones agree but for rounding.

#ifndef GPU_CURAND_KERNEL_H
#define GPU_CURAND_KERNEL_H

#include "cuda_runtime.h"

// A second normal number that the first one brought along.
struct gpu_curand_spare {
    int flag, flag_double;
    float value;
    double value_double;
};

struct curandStateXORWOW {
    unsigned d, v[5];
    gpu_curand_spare spare;
};
struct curandStatePhilox4_32_10 {
    uint4 counter, output;
    uint2 key;
    unsigned next; // of the output's four numbers
    gpu_curand_spare spare;
};
#ifndef GPU_HAS_STRUCTURES // states have padding (gpu/translate/main.c)
#define GPU_HAS_STRUCTURES
extern "C" {
__attribute__((weak)) char gpu_has_structures = 1;
}
#endif

typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

// Moves v by n numbers, or by n subsequences, which are 2 to the power 67 apart (runtime/random.cc).
extern "C" void gpu_xorwow_skip(unsigned v[5], unsigned long long n, bool subsequences);

// ---- XORWOW: G. Marsaglia, Xorshift RNGs (2003) ------------------------------------------------

static inline void gpu_xorwow_move(curandStateXORWOW *state, unsigned long long n,
                                   bool subsequences)
{
    unsigned v[5] = {state->v[0], state->v[1], state->v[2], state->v[3], state->v[4]};
    gpu_xorwow_skip(v, n, subsequences);
    for (int i = 0; i < 5; i++) {
        state->v[i] = v[i];
    }
}
static inline void skipahead(unsigned long long n, curandStateXORWOW *state)
{
    gpu_xorwow_move(state, n, false);
    state->d += 362437u * (unsigned)n;
}
static inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state)
{
    gpu_xorwow_move(state, n, true);
}
static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStateXORWOW *state)
{
    unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    state->spare = {0, 0, 0, 0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
static inline unsigned curand(curandStateXORWOW *state)
{
    unsigned t = state->v[0] ^ (state->v[0] >> 2), last = state->v[4];
    for (int i = 0; i < 4; i++) {
        state->v[i] = state->v[i + 1];
    }
    state->v[4] = last ^ (last << 4) ^ t ^ (t << 1);
    state->d += 362437u;
    return state->v[4] + state->d;
}

// ---- Philox: J. Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3 (2011) ----------

static inline uint4 gpu_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ key.x, (unsigned)b,
                       (unsigned)(a >> 32) ^ c.w ^ key.y, (unsigned)a);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}
// The counter is one number of 128 bits; a subsequence is its upper half.
static inline void gpu_philox_add(curandStatePhilox4_32_10 *state, unsigned long long n,
                                  bool subsequences)
{
    unsigned long long low = state->counter.y, high = state->counter.w;
    low = low << 32 | state->counter.x;
    high = high << 32 | state->counter.z;
    if (subsequences) {
        high += n;
    } else {
        low += n;
        high += low < n;
    }
    state->counter = make_uint4((unsigned)low, (unsigned)(low >> 32), (unsigned)high,
                                (unsigned)(high >> 32));
    state->output = gpu_philox(state->counter, state->key);
}
static inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    state->next += (unsigned)(n & 3);
    gpu_philox_add(state, n / 4 + state->next / 4, false);
    state->next %= 4;
}
static inline void skipahead_sequence(unsigned long long n,
                                      curandStatePhilox4_32_10 *state)
{
    gpu_philox_add(state, n, true);
}
static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStatePhilox4_32_10 *state)
{
    state->counter = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->next = 0;
    state->spare = {0, 0, 0, 0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
static inline unsigned curand(curandStatePhilox4_32_10 *state)
{
    const unsigned output[] = {state->output.x, state->output.y, state->output.z,
                               state->output.w};
    unsigned number = output[state->next];
    if (++state->next == 4) {
        state->next = 0;
        gpu_philox_add(state, 1, false);
    }
    return number;
}
// The next four numbers.
static inline uint4 curand4(curandStatePhilox4_32_10 *state)
{
    unsigned a = curand(state), b = curand(state), c = curand(state);
    return make_uint4(a, b, c, curand(state));
}

// ---- numbers in (0, 1], and normal ones ----------------------------------------------------------

static inline float gpu_random_float(unsigned x)
{
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}
static inline double gpu_random_double(unsigned x, unsigned y)
{
    unsigned long long both = x ^ (unsigned long long)y << 21;
    return (double)both * 0x1p-53 + 0x1p-54;
}

// Box and Muller: two uniform numbers give two normal ones.
static inline float2 gpu_normal_pair(unsigned x, unsigned y)
{
    float angle =
        (float)y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    float size = sqrtf(-2 * logf(gpu_random_float(x)));
    return make_float2(size * sinf(angle), size * cosf(angle));
}
static inline double2 gpu_normal_pair_double(unsigned x0, unsigned x1, unsigned y0,
                                             unsigned y1)
{
    double angle = 6.283185307179586 * gpu_random_double(y0, y1);
    double size = sqrt(-2 * log(gpu_random_double(x0, x1)));
    return make_double2(size * sin(angle), size * cos(angle));
}

// The functions of one kind of state.
#define GPU_CURAND(State)                                                                \
    static inline float curand_uniform(State *state)                                     \
    {                                                                                    \
        return gpu_random_float(curand(state));                                          \
    }                                                                                    \
    static inline float2 curand_normal2(State *state)                                    \
    {                                                                                    \
        unsigned x = curand(state);                                                      \
        return gpu_normal_pair(x, curand(state));                                        \
    }                                                                                    \
    static inline float curand_normal(State *state)                                      \
    {                                                                                    \
        state->spare.flag = !state->spare.flag;                                          \
        if (!state->spare.flag) {                                                        \
            return state->spare.value;                                                   \
        }                                                                                \
        float2 pair = curand_normal2(state);                                             \
        state->spare.value = pair.y;                                                     \
        return pair.x;                                                                   \
    }                                                                                    \
    static inline double2 curand_normal2_double(State *state)                            \
    {                                                                                    \
        unsigned a = curand(state), b = curand(state), c = curand(state);                \
        return gpu_normal_pair_double(a, b, c, curand(state));                           \
    }                                                                                    \
    static inline double curand_normal_double(State *state)                              \
    {                                                                                    \
        state->spare.flag_double = !state->spare.flag_double;                            \
        if (!state->spare.flag_double) {                                                 \
            return state->spare.value_double;                                            \
        }                                                                                \
        double2 pair = curand_normal2_double(state);                                     \
        state->spare.value_double = pair.y;                                              \
        return pair.x;                                                                   \
    }                                                                                    \
    static inline float curand_log_normal(State *state, float mean, float deviation)     \
    {                                                                                    \
        return expf(mean + deviation * curand_normal(state));                            \
    }
GPU_CURAND(curandStateXORWOW)
GPU_CURAND(curandStatePhilox4_32_10)
#undef GPU_CURAND

static inline double curand_uniform_double(curandStateXORWOW *state)
{
    unsigned x = curand(state);
    return gpu_random_double(x, curand(state));
}
static inline double curand_uniform_double(curandStatePhilox4_32_10 *state)
{
    return (double)curand(state) * 0x1p-32 + 0x1p-32;
}
static inline float4 curand_uniform4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    return make_float4(gpu_random_float(x.x), gpu_random_float(x.y),
                       gpu_random_float(x.z), gpu_random_float(x.w));
}
static inline float4 curand_normal4(curandStatePhilox4_32_10 *state)
{
    uint4 x = curand4(state);
    float2 a = gpu_normal_pair(x.x, x.y), b = gpu_normal_pair(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

#endif
