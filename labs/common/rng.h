// rng.h - the random numbers of PyTorch's CPU generator, in C.
//
// The same seed and the same calls in the same order give the same numbers as a PyTorch
// program, so you can compare the two:
//
//     torch.manual_seed(42)            struct lab_rng rng;
//     x = torch.randn(3, 4)            lab_rng_seed(&rng, 42);
//                                      lab_rng_randn(&rng, x, 3 * 4);
//     tensor([[ 0.3367, ...            x[0] is 0.3367
//
// All numbers come from one Mersenne Twister (MT19937, Matsumoto and Nishimura 1998), drawn
// in PyTorch's order:
//
//     rand, uniform      one 32-bit draw each; its lower 24 bits over 2^24
//     randint            one 32-bit draw each; two when high - low >= 2^32
//     randn, n < 16      one by one, Box-Muller in double on 53-bit uniforms; it makes pairs,
//                        and the unused half waits in the generator for the next small randn,
//                        whatever is drawn in between
//     randn, n >= 16     n uniforms first, then Box-Muller in float on blocks of 8 + 8. When
//                        16 does not divide n, the last 16 are drawn again.
//
// rand, uniform, randint, and randn with n < 16 equal PyTorch's results bit for bit. randn with
// n >= 16 is within 5e-7. (In 20 million draws against PyTorch 1.13 on x86-64 with AVX2, five
// of six numbers are equal; the rest differ by at most 4.8e-7 and 5 units in the last place.)
// For n >= 16 PyTorch uses its own vectorized logarithm, sine and cosine, whose last bits differ
// from the C library's. On a machine without AVX2, PyTorch's own results differ by up to 2.3e-6.
// grader/tests/test_rng.c checks all of this.
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

// The complete state: 2.5 KB without pointers. It can live on the stack, and a copy of it
// is a second generator that continues with the same numbers.
struct lab_rng {
    uint32_t word[LAB_RNG_WORDS];
    size_t next;     // index of the next word; LAB_RNG_WORDS: generate new words first
    bool has_normal; // true if a small randn left the second number of a pair
    double normal;   // that number
};

// Seeds the generator, as torch.manual_seed(seed). As in PyTorch, only the lower 32 bits
// count. Call it before any other function.
void lab_rng_seed(struct lab_rng *rng, uint64_t seed);

// The next 32 random bits, and the next 64 (the first draw in the upper half).
uint32_t lab_rng_next32(struct lab_rng *rng);
uint64_t lab_rng_next64(struct lab_rng *rng);

// out(n): uniform in [0, 1), as torch.rand(n).
void lab_rng_rand(struct lab_rng *rng, float *out, size_t n);

// out(n): normal with mean 0 and standard deviation 1, as torch.randn of n elements in any
// shape. As in PyTorch, one call for 20 numbers and two calls for 10 give different
// numbers.
void lab_rng_randn(struct lab_rng *rng, float *out, size_t n);

// out(n): uniform in [low, high), as torch.empty(n).uniform_(low, high). Returns LAB_EVALUE
// and draws nothing unless low <= high and both are finite, even as floats.
LAB_CHECKED lab_status lab_rng_uniform(struct lab_rng *rng, float *out, double low,
                                       double high, size_t n);

// out(n): normal, as torch.empty(n).normal_(mean, std). Returns LAB_EVALUE and draws
// nothing unless both are finite and std >= 0.
LAB_CHECKED lab_status lab_rng_normal(struct lab_rng *rng, float *out, double mean,
                                      double std, size_t n);

// out(n): whole numbers low <= out < high, as torch.randint(low, high, (n,)). Returns
// LAB_EVALUE and draws nothing unless low < high.
LAB_CHECKED lab_status lab_rng_randint(struct lab_rng *rng, int64_t *out, int64_t low,
                                       int64_t high, size_t n);

// One whole number, low <= result < high, as torch.randint(low, high, (1,)).item(). low <
// high is asserted. Example: size_t t = (size_t)lab_rng_int(&rng, 0, 5);
int64_t lab_rng_int(struct lab_rng *rng, int64_t low, int64_t high);

// The initial values of nn.Linear(I, O): w(O,I), then bias(O), uniform in +-1/sqrt(I). bias
// may be NULL, as in nn.Linear(I, O, bias=False). Returns LAB_ESHAPE if I or O is 0.
LAB_CHECKED lab_status lab_rng_linear(struct lab_rng *rng, float *w, float *bias,
                                      size_t O, size_t I);

// The initial values of nn.Embedding(V, C): table(V,C), unit normal. Returns LAB_ESHAPE if
// V or C is 0.
LAB_CHECKED lab_status lab_rng_embedding(struct lab_rng *rng, float *table, size_t V,
                                         size_t C);

#endif
