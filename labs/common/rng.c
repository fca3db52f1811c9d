// rng.c - PyTorch's CPU random numbers. rng.h says how exact they are.
//
// Three layers: 32 random bits (MT19937), uniforms, and the distributions computed from
// uniforms.

#include "common/rng.h"

#include <assert.h>
#include <math.h>

// ---- 32 random bits: MT19937 --------------------------------------------------------------

void lab_rng_seed(struct lab_rng *rng, uint64_t seed)
{
    rng->word[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < LAB_RNG_WORDS; i++) {
        uint32_t before = rng->word[i - 1];
        rng->word[i] = 1812433253u * (before ^ (before >> 30)) + i;
    }
    rng->next = LAB_RNG_WORDS;
    rng->has_normal = false;
    rng->normal = 0;
}

static uint32_t twisted(uint32_t word, uint32_t neighbor, uint32_t far)
{
    uint32_t mixed = (word & 0x80000000u) | (neighbor & 0x7fffffffu);
    uint32_t odd = (neighbor & 1u) ? 0x9908b0dfu : 0u;
    return far ^ (mixed >> 1) ^ odd;
}

// Computes the next 624 words: each from itself (top bit), its successor (the other 31
// bits) and the word 397 places later, modulo 624. Three loops, because one loop with a
// modulo takes longer than everything else.
static void twist(struct lab_rng *rng)
{
    uint32_t *word = rng->word;
    const size_t far = 397, wrap = LAB_RNG_WORDS - far;
    for (size_t i = 0; i < wrap; i++) {
        word[i] = twisted(word[i], word[i + 1], word[i + far]);
    }
    for (size_t i = wrap; i < LAB_RNG_WORDS - 1; i++) {
        word[i] = twisted(word[i], word[i + 1], word[i - wrap]);
    }
    word[LAB_RNG_WORDS - 1] = twisted(word[LAB_RNG_WORDS - 1], word[0], word[far - 1]);
    rng->next = 0;
}

uint32_t lab_rng_next32(struct lab_rng *rng)
{
    if (rng->next >= LAB_RNG_WORDS) {
        twist(rng);
    }
    uint32_t bits = rng->word[rng->next++];
    bits ^= bits >> 11;
    bits ^= (bits << 7) & 0x9d2c5680u;
    bits ^= (bits << 15) & 0xefc60000u;
    return bits ^ (bits >> 18);
}

uint64_t lab_rng_next64(struct lab_rng *rng)
{
    uint64_t upper = lab_rng_next32(rng);
    uint64_t lower = lab_rng_next32(rng);
    return upper << 32 | lower;
}

// ---- uniforms -----------------------------------------------------------------------------

// A float holds 24 bits and a double 53, so both results are exact and below 1.
static float uniform_float(struct lab_rng *rng)
{
    return (float)(lab_rng_next32(rng) & 0xffffffu) * 0x1p-24f;
}

static double uniform_double(struct lab_rng *rng)
{
    return (double)(lab_rng_next64(rng) & 0x1fffffffffffffu) * 0x1p-53;
}

void lab_rng_rand(struct lab_rng *rng, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = uniform_float(rng);
    }
}

// The bounds and their difference are floats. The rest is double, rounded once at the end.
lab_status lab_rng_uniform(struct lab_rng *rng, float *out, double low, double high,
                           size_t n)
{
    float from = (float)low;
    float distance = (float)high - from;
    if (!isfinite(low) || !isfinite(high) || low > high || !isfinite(from) ||
        !isfinite(distance)) {
        return LAB_EVALUE;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = (float)((double)uniform_float(rng) * (double)distance + (double)from);
    }
    return LAB_OK;
}

// ---- normals ------------------------------------------------------------------------------

static const double pi = 3.14159265358979323846;

// Box-Muller in double. It computes two numbers at a time; the generator keeps the second
// (sine).
static double one_normal(struct lab_rng *rng)
{
    if (rng->has_normal) {
        rng->has_normal = false;
        return rng->normal;
    }
    double u1 = uniform_double(rng);
    double u2 = uniform_double(rng);
    double radius = sqrt(-2 * log1p(-u2));
    double angle = 2 * pi * u1;
    rng->normal = radius * sin(angle);
    rng->has_normal = true;
    return radius * cos(angle);
}

// Box-Muller in place on 16 uniforms: radii from the first eight, angles from the last
// eight. Every step rounds to float, as in PyTorch. Rounding the angle alone changes the
// result by up to 5e-7, so a more exact computation would give different numbers.
static void block_of_normals(float *out, float mean, float std)
{
    for (size_t i = 0; i < 8; i++) {
        float u1 = 1.0f - out[i]; // in (0, 1]: the logarithm is finite
        float u2 = out[i + 8];
        float radius = sqrtf(-2.0f * logf(u1));
        float angle = (float)(2 * pi) * u2;
        out[i] = fmaf(radius * cosf(angle), std, mean);
        out[i + 8] = fmaf(radius * sinf(angle), std, mean);
    }
}

static void fill_normals(struct lab_rng *rng, float *out, double mean, double std,
                         size_t n)
{
    if (n < 16) {
        for (size_t i = 0; i < n; i++) {
            out[i] = (float)(one_normal(rng) * std + mean);
        }
        return;
    }
    lab_rng_rand(rng, out, n);
    for (size_t i = 0; i + 16 <= n; i += 16) {
        block_of_normals(out + i, (float)mean, (float)std);
    }
    if (n % 16 != 0) {
        float *last = out + n - 16;
        lab_rng_rand(rng, last, 16);
        block_of_normals(last, (float)mean, (float)std);
    }
}

void lab_rng_randn(struct lab_rng *rng, float *out, size_t n)
{
    fill_normals(rng, out, 0, 1, n);
}

lab_status lab_rng_normal(struct lab_rng *rng, float *out, double mean, double std,
                          size_t n)
{
    if (!isfinite((float)mean) || !isfinite((float)std) || std < 0) {
        return LAB_EVALUE;
    }
    fill_normals(rng, out, mean, std, n);
    return LAB_OK;
}

// ---- whole numbers ------------------------------------------------------------------------

// The remainder slightly favors small results if the range does not divide 2^32. PyTorch
// does the same.
int64_t lab_rng_int(struct lab_rng *rng, int64_t low, int64_t high)
{
    assert(low < high);
    uint64_t range = (uint64_t)high - (uint64_t)low;
    uint64_t bits = range >> 32 ? lab_rng_next64(rng) : lab_rng_next32(rng);
    return (int64_t)(bits % range + (uint64_t)low);
}

lab_status lab_rng_randint(struct lab_rng *rng, int64_t *out, int64_t low, int64_t high,
                           size_t n)
{
    if (low >= high) {
        return LAB_EVALUE;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = lab_rng_int(rng, low, high);
    }
    return LAB_OK;
}

// ---- the numbers layers start with --------------------------------------------------------

// PyTorch draws the weight with kaiming_uniform_(a=sqrt(5)), whose bound is 1/sqrt(I),
// computed in several steps. This code follows these steps, because they round differently.
lab_status lab_rng_linear(struct lab_rng *rng, float *w, float *bias, size_t O, size_t I)
{
    if (O == 0 || I == 0) {
        return LAB_ESHAPE;
    }
    double slope = sqrt(5.0);
    double gain = sqrt(2.0 / (1 + slope * slope));
    double bound = sqrt(3.0) * (gain / sqrt((double)I));
    lab_status status = lab_rng_uniform(rng, w, -bound, bound, O * I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    double bias_bound = 1 / sqrt((double)I);
    return lab_rng_uniform(rng, bias, -bias_bound, bias_bound, O);
}

lab_status lab_rng_embedding(struct lab_rng *rng, float *table, size_t V, size_t C)
{
    if (V == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    lab_rng_randn(rng, table, V * C);
    return LAB_OK;
}
