// rng.h - the random numbers of PyTorch's CPU generator, in C.
//
// The same seed and the same calls in the same order give the digits of a PyTorch program,
// so the two can be put side by side:
//
//     torch.manual_seed(42)            struct lab_rng rng;
//     x = torch.randn(3, 4)            lab_rng_seed(&rng, 42);
//                                      lab_rng_randn(&rng, x, 3 * 4);
//     tensor([[ 0.3367, ...            x[0] is 0.3367
//
// Everything is drawn from one Mersenne Twister (MT19937, Matsumoto and Nishimura 1998), in
// the order PyTorch draws it:
//
//     rand, uniform      one 32-bit draw each; its lower 24 bits over 2^24
//     randint            one 32-bit draw each; two when high - low >= 2^32
//     randn, n < 16      one by one, Box-Muller in double on 53-bit uniforms; it makes pairs,
//                        and the unused half waits in the generator for the next small randn,
//                        whatever is drawn in between
//     randn, n >= 16     n uniforms first, then Box-Muller in float on blocks of 8 + 8. When
//                        16 does not divide n, the last 16 are drawn again.
//
// How exact: rand, uniform, randint, and randn with n < 16 are PyTorch's bit for bit. randn
// with n >= 16 is within 5e-7 of it (20 million draws against PyTorch 1.13 on x86-64 with
// AVX2: five of six are equal, the rest differ by at most 4.8e-7 and by at most 5 units in
// the last place). There PyTorch takes logarithm, sine and cosine from vector code of its
// own, whose last bits differ from the C library's; on a machine without AVX2 PyTorch itself
// differs from PyTorch by up to 2.3e-6. grader/tests/test_rng.c holds all of this.
//
// Start reading at lab_rng_seed.

#ifndef LAB_RNG_H
#define LAB_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/dimensions.h"
#include "common/status.h"

enum { LAB_RNG_WORDS = 624 };

// The whole state: 2.5 KB, no pointers; lives on the stack, and a plain copy of it is a
// second generator that goes on with the same numbers.
struct lab_rng {
    uint32_t word[LAB_RNG_WORDS];
    size_t next;     // the next word to give out; LAB_RNG_WORDS: twist first
    bool has_normal; // a small randn left the second half of a pair
    double normal;   // that half
};

// Starts the generator, as torch.manual_seed(seed). Only the lower 32 bits count, as there.
// Needed before any other call.
void lab_rng_seed(struct lab_rng *rng, uint64_t seed);

// The next 32 random bits, and the next 64 (the first draw in the upper half).
uint32_t lab_rng_next32(struct lab_rng *rng);
uint64_t lab_rng_next64(struct lab_rng *rng);

// out(n): uniform in [0, 1), as torch.rand(n).
void lab_rng_rand(struct lab_rng *rng, float *out, size_t n);

// out(n): normal with mean 0 and standard deviation 1, as torch.randn of n elements in any
// shape. One call for 20 numbers and two calls for 10 give different numbers, as there.
void lab_rng_randn(struct lab_rng *rng, float *out, size_t n);

// out(n): uniform in [low, high), as torch.empty(n).uniform_(low, high).
// LAB_EVALUE unless low <= high and both are finite, as floats too; nothing is drawn then.
LAB_CHECKED lab_status lab_rng_uniform(struct lab_rng *rng, float *out, double low,
                                       double high, size_t n);

// out(n): normal, as torch.empty(n).normal_(mean, std).
// LAB_EVALUE unless both are finite and std >= 0; nothing is drawn then.
LAB_CHECKED lab_status lab_rng_normal(struct lab_rng *rng, float *out, double mean,
                                      double std, size_t n);

// out(n): whole numbers low <= out < high, as torch.randint(low, high, (n,)).
// LAB_EVALUE unless low < high; nothing is drawn then.
LAB_CHECKED lab_status lab_rng_randint(struct lab_rng *rng, int64_t *out, int64_t low,
                                       int64_t high, size_t n);

// One whole number, low <= result < high, as torch.randint(low, high, (1,)).item().
// Needs low < high (asserted). Example: size_t t = (size_t)lab_rng_int(&rng, 0, 5);
int64_t lab_rng_int(struct lab_rng *rng, int64_t low, int64_t high);

// The numbers nn.Linear(I, O) starts with: w(O,I), then bias(O), uniform in +-1/sqrt(I).
// bias may be NULL: nn.Linear(I, O, bias=False). LAB_ESHAPE when I or O is 0.
LAB_CHECKED lab_status lab_rng_linear(struct lab_rng *rng, float *w, float *bias,
                                      size_t O, size_t I);

// The numbers nn.Embedding(V, C) starts with: table(V,C), unit normal.
// LAB_ESHAPE when V or C is 0.
LAB_CHECKED lab_status lab_rng_embedding(struct lab_rng *rng, float *table, size_t V,
                                         size_t C);

#endif
