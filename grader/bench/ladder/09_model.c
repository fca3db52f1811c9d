// 09_model.c - the steps to solutions/fast/09_generation/model.c.
//
// The step after the plain one is the plain file itself, included here, so that its calls reach
// the fast functions of cache.c and of the labs below.

#include <string.h>

#include "09_generation/generation.h"
#include "bench/ladder/ladder.h"

// Names of its own: the linker would take the second function of a name for the first.
#define generation_linear plain_linear
#define prefill plain_prefill
#define decode_step plain_step
#define generate_cached plain_generate_cached
#include "../../../solutions/09_generation/model.c"
#undef generation_linear
#undef prefill
#undef decode_step
#undef generate_cached

// ---- the same call again and again --------------------------------------------------------

enum { TOKENS = 4 }; // that the cache holds at first

// A call adds to the lengths. When there is no more room, the text becomes short again.
static void make_room(const struct kv_cache *cache, size_t n,
                      const struct language_shape *shape)
{
    for (size_t b = 0; b < shape->B; b++) {
        if (cache->lengths[b] + n > shape->T) {
            cache->lengths[b] = TOKENS;
        }
    }
}

#define STEP(name, function)                                                             \
    static lab_status name(float *logits, const struct kv_cache *cache,                  \
                           const struct generation_buffers *z,                           \
                           const struct generation_params *params, const size_t *tokens, \
                           const struct language_shape *shape)                           \
    {                                                                                    \
        make_room(cache, 1, shape);                                                      \
        return function(logits, cache, z, params, tokens, shape);                        \
    }
STEP(plain_step_again, plain_step)
STEP(step_again, decode_step)

#define PROMPT(name, function)                                                           \
    static lab_status name(float *logits, const struct kv_cache *cache,                  \
                           const struct generation_buffers *z,                           \
                           const struct generation_params *params, const size_t *tokens, \
                           size_t b, size_t n, const struct language_shape *shape)       \
    {                                                                                    \
        make_room(cache, n, shape);                                                      \
        return function(logits, cache, z, params, tokens, b, n, shape);                  \
    }
PROMPT(plain_prompt_again, plain_prefill)
PROMPT(prompt_again, prefill)

static void short_text(struct test_case *test, struct lab_rng *rng)
{
    size_t *tokens = case_size(test, "tokens"),
           *lengths = case_size(test, "cache.lengths");
    scale_language_params(test, rng);
    case_absent(test, "int8 scales"); // the weights are floats
    for (size_t i = 0; i < case_count(test, "tokens"); i++) {
        tokens[i] = (size_t)lab_rng_int(rng, 0, (int64_t)case_dim(test, "V"));
    }
    for (size_t b = 0; b < case_count(test, "cache.lengths"); b++) {
        lengths[b] = TOKENS;
    }
}

static void short_text_of_0(struct test_case *test, struct lab_rng *rng)
{
    short_text(test, rng);
    *case_size(test, "b") = 0;
}

const struct ladder ladders_generation[] = {
    {"decode_step",
     9,
     {.dims = "B=1 T=12 C=512 NH=8 hs=64 H=1024 V=4096 L=1 R=12", .fill = short_text},
     {{"plain, with fast cache.c and labs 2 to 8", LIKE(decode_step, plain_step_again)},
      {"1 2 3  own products (this file)", LIKE(decode_step, step_again)}}},
    {"prefill",
     9,
     {.dims = "B=1 T=260 C=96 NH=6 hs=16 H=256 V=64 L=1 n=256 R=260",
      .fill = short_text_of_0},
     {{"plain, with fast cache.c and labs 2 to 8", LIKE(prefill, plain_prompt_again)},
      {"3 4 5  attention by products (this file)", LIKE(prefill, prompt_again)}}},
    {0},
};
