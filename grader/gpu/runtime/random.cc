// random.cc - how XORWOW skips numbers (curand_kernel.h).
//
// One step of the generator is linear: its state, 160 bits, is multiplied by a matrix of bits M. So n steps
// are the product of those powers of M that the bits of n name: M, M^2, M^4 ... Each power is the square of
// the one before, made when it is first needed. A subsequence is 2^67 steps, so its powers begin there.

#include <stdint.h>
#include <string.h>

namespace
{

enum { WORDS = 5, BITS = 32 * WORDS, SUBSEQUENCE = 67, POWERS = SUBSEQUENCE + 64 };

struct bits {
    uint32_t word[WORDS];
};
struct matrix {
    struct bits column[BITS]; // what each bit of the state becomes
};

struct matrix powers[POWERS];
unsigned known; // of them

struct bits product(const struct matrix *m, const struct bits *v)
{
    struct bits sum = {};
    for (unsigned i = 0; i < BITS; i++) {
        if ((v->word[i / 32] >> i % 32 & 1) != 0) {
            for (unsigned w = 0; w < WORDS; w++) {
                sum.word[w] ^= m->column[i].word[w];
            }
        }
    }
    return sum;
}

struct bits step(const struct bits *v)
{
    uint32_t t = v->word[0] ^ v->word[0] >> 2, last = v->word[4];
    return {{v->word[1], v->word[2], v->word[3], last, last ^ last << 4 ^ t ^ t << 1}};
}

const struct matrix *power(unsigned n)
{
    for (; known <= n; known++) {
        for (unsigned i = 0; i < BITS; i++) {
            struct bits one = {};
            one.word[i / 32] = 1u << i % 32;
            powers[known].column[i] =
                known == 0 ? step(&one)
                           : product(&powers[known - 1], &powers[known - 1].column[i]);
        }
    }
    return &powers[n];
}

} // namespace

extern "C" void gpu_xorwow_skip(unsigned v[WORDS], unsigned long long n,
                                bool subsequences)
{
    struct bits state;
    memcpy(state.word, v, sizeof state.word);
    for (unsigned i = subsequences ? SUBSEQUENCE : 0; n != 0; i++, n >>= 1) {
        if ((n & 1) != 0) {
            state = product(power(i), &state);
        }
    }
    memcpy(v, state.word, sizeof state.word);
}
