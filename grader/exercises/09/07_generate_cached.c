// 07_generate_cached.c - exercise 9.7, generate_cached: cases, properties, known mistakes and hints.
//
// As in 8.11, no token hangs on rounding. The cases are made without a cache, one text after the
// other: language_forward gives the logits, and u is put into the middle of a token's share. The
// tokens that come of it are in the tensor `uncached`. The function does not get it: it is for the
// property.

#include "exercises/exercise.h"
#include "exercises/09/model.h"
#include "exercises/common/own.h"
#include "exercises/common/sampling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"
#include "common/tokens.h"

// ---- cases --------------------------------------------------------------------------------

enum { ATTEMPTS = 200, NO_TOKEN = 1000 };

static struct sampling sampling_of_case(struct test_case *test)
{
    return (struct sampling){
        .temperature = *case_f32(test, "temperature"),
        .top_k = *case_size(test, "top_k"),
        .top_p = *case_f32(test, "top_p"),
    };
}

// A prompt for each sequence, followed by numbers that are not tokens.
static void draw_prompts(struct test_case *test, struct lab_rng *rng, size_t shortest,
                         size_t longest)
{
    const size_t T = case_dim(test, "T"), V = case_dim(test, "V");
    size_t *tokens = case_size(test, "tokens"), *lengths = case_size(test, "lengths");
    for (size_t i = 0; i < case_count(test, "tokens"); i++) {
        tokens[i] = V + NO_TOKEN + i;
    }
    const size_t range = longest - shortest + 1, first = lab_rng_next32(rng) % range;
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        lengths[b] = shortest + (first + b) % range; // neighbours differ
        random_tokens(tokens + b * T, lengths[b], V, rng);
    }
}

// uniforms and uncached. False if a token is not clear.
static bool continue_prompts(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T"), count = case_dim(test, "count");
    const struct sampling sampling = sampling_of_case(test);
    const struct language_params params = params_of_case(test);
    const struct language_shape shape = shape_of_case(test);
    const size_t *lengths = case_size(test, "lengths");
    bool clear = true;
    for (size_t b = 0; clear && b < shape.B; b++) {
        size_t *text = calloc(T, sizeof *text);
        if (text == NULL) {
            abort();
        }
        memcpy(text, case_size(test, "tokens") + b * T, lengths[b] * sizeof *text);
        clear =
            continue_text(case_f32(test, "uniforms") + b * count, text, lengths[b], count,
                          language_forward, &params, &shape, &sampling, rng, NULL);
        memcpy(case_size(test, "uncached") + b * count, text + lengths[b],
               count * sizeof *text);
        free(text);
    }
    return clear;
}

static void draw_clear_case(struct test_case *test, struct lab_rng *rng, unsigned int8,
                            size_t shortest, size_t longest)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        draw_model(test, int8, rng);
        draw_prompts(test, rng, shortest, longest);
        if (continue_prompts(test, rng)) {
            return;
        }
    }
    abort(); // no parameters do: these sizes are no case
}

static void set_numbers(struct test_case *test, float temperature, size_t top_k,
                        float top_p)
{
    *case_f32(test, "temperature") = temperature;
    *case_size(test, "top_k") = top_k;
    *case_f32(test, "top_p") = top_p;
}

// The adaptor returns the status itself.
static void set_sampling(struct test_case *test, float temperature, size_t top_k,
                         float top_p)
{
    set_numbers(test, temperature, top_k, top_p);
    case_absent(test, RETURNED_STATUS);
}

// The tokens that may precede the new ones.
static size_t room(const struct test_case *test)
{
    return case_dim(test, "T") - case_dim(test, "count");
}

#define SAMPLING(name, ...)                                                              \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        set_sampling(test, __VA_ARGS__);                                                 \
        draw_clear_case(test, rng, 0, 1, room(test));                                    \
    }

SAMPLING(fill_plain, 1.0f, 0, 1.0f)
SAMPLING(fill_greedy, 0.0f, 0, 1.0f)
SAMPLING(fill_warm, 0.7f, 0, 1.0f)
SAMPLING(fill_top_k, 1.5f, 3, 1.0f)
SAMPLING(fill_top_p, 1.0f, 0, 0.8f)
SAMPLING(fill_all, 1.3f, 5, 0.7f)

static void fill_to_the_end(struct test_case *test, struct lab_rng *rng)
{
    set_sampling(test, 1.0f, 0, 1.0f);
    draw_clear_case(test, rng, 0, room(test), room(test));
}

static void fill_int8(struct test_case *test, struct lab_rng *rng)
{
    set_sampling(test, 1.0f, 0, 1.0f);
    draw_clear_case(test, rng, INT8_ALL, 1, room(test));
}

// w_q, w_k, w_gate and w_up.
static void fill_some_int8(struct test_case *test, struct lab_rng *rng)
{
    set_sampling(test, 1.0f, 0, 1.0f);
    draw_clear_case(test, rng, 0x33, 1, room(test));
}

// Has the second of the new tokens not been in the text before?
static bool second_is_new(struct test_case *test)
{
    const size_t *prompt = case_size(test, "tokens"),
                 *drawn = case_size(test, "uncached");
    bool is_new = drawn[1] != drawn[0];
    for (size_t t = 0; t < *case_size(test, "lengths"); t++) {
        is_new = is_new && drawn[1] != prompt[t];
    }
    return is_new;
}

// The embedding of the second new token is NaN, and so is each logit after it: three tokens short
// of the end. There is one text, because nothing says in which order the texts get their tokens.
static void fill_ends_in_nan(struct test_case *test, struct lab_rng *rng)
{
    set_numbers(test, 1.0f, 0, 1.0f);
    do {
        draw_clear_case(test, rng, 0, 2, 2);
    } while (!second_is_new(test));
    const size_t token = case_size(test, "uncached")[1];
    case_f32(test, "params.token_table")[token * case_dim(test, "C")] = NAN;
}

// ---- refused calls: nothing is computed

static void fill_refused(struct test_case *test, struct lab_rng *rng)
{
    set_sampling(test, 1.0f, 0, 1.0f);
    draw_model(test, 0, rng);
    draw_prompts(test, rng, 1, 2);
    lab_rng_rand(rng, case_f32(test, "uniforms"), case_count(test, "uniforms"));
    memset(case_size(test, "uncached"), 0, case_count(test, "uncached") * sizeof(size_t));
}

static size_t last_sequence(const struct test_case *test)
{
    return case_dim(test, "B") - 1;
}

static void fill_bad_first(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static void fill_bad_last(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    const size_t b = last_sequence(test), T = case_dim(test, "T");
    case_size(test, "tokens")[b * T + case_size(test, "lengths")[b] - 1] =
        case_dim(test, "V");
}

static void fill_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "lengths")[last_sequence(test)] = room(test) + 1;
}

static void fill_no_prompt(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "lengths")[case_dim(test, "B") / 2] = 0;
}

static void fill_no_prompt_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_no_prompt(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static void fill_bad_temperature(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    *case_f32(test, "temperature") = -1.0f;
}

static void fill_bad_top_p(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    *case_f32(test, "top_p") = 0.0f;
}

static void fill_bad_uniform(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_f32(test, "uniforms")[case_count(test, "uniforms") - 1] = 1.0f;
}

static void fill_nan_weights(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_f32(test, "params.w_out")[1] = NAN;
}

static const struct case_spec generate_cases[] = {
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=5 V=6 L=1 count=1 R=3",
     .fill = fill_plain,
     .note = "one token"},
    {.dims = "B=1 T=9 C=4 NH=2 hs=2 H=3 V=6 L=1 count=4 R=9",
     .fill = fill_plain,
     .note = "the cache may have room at the end"},
    {.dims = "B=1 T=7 C=8 NH=2 hs=4 H=5 V=6 L=1 count=5 R=7",
     .fill = fill_to_the_end,
     .note = "prompt and new tokens fill the text"},
    {.dims = "B=2 T=8 C=8 NH=2 hs=4 H=5 V=7 L=1 count=4 R=8",
     .draws = 2,
     .fill = fill_plain,
     .note = "two prompts of unequal lengths"},
    {.dims = "B=3 T=7 C=8 NH=4 hs=2 H=5 V=6 L=1 count=4 R=7",
     .fill = fill_to_the_end,
     .note = "three prompts of equal lengths; the texts are full at the end"},
    {.dims = "B=2 T=9 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=9",
     .fill = fill_greedy,
     .note = "temperature 0"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_warm,
     .note = "temperature 0.7"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_top_k,
     .note = "temperature 1.5, top_k 3"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_top_p,
     .note = "top_p 0.8"},
    {.dims = "B=3 T=11 C=12 NH=2 hs=6 H=7 V=9 L=2 count=5 R=11",
     .fill = fill_all,
     .note = "two blocks; temperature 1.3, top_k 5, top_p 0.7"},
    {.dims = "B=6 T=5 C=8 NH=2 hs=4 H=7 V=9 L=2 count=3 R=6",
     .fill = fill_plain,
     .note = "more prompts than tokens in each"},
    {.dims = "B=3 T=6 C=8 NH=2 hs=4 H=5 V=7 L=1 count=1 R=6",
     .fill = fill_plain,
     .note = "one new token for each of three prompts"},
    {.dims = "B=1 T=7 C=4 NH=2 hs=2 H=3 V=6 L=1 count=5 R=7",
     .fill = fill_ends_in_nan,
     .note =
         "the embedding of the second new token is NaN: the status is LAB_EVALUE (3), and both tokens stay"},
    {.dims = "B=3 T=7 C=4 NH=1 hs=4 H=5 V=6 L=2 count=4 R=7",
     .fill = fill_plain,
     .note = "one head, two blocks"},
    {.dims = "B=1 T=7 C=4 NH=2 hs=2 H=4 V=8 L=2 count=4 R=7",
     .fill = fill_plain,
     .note = "one text, two blocks"},
    {.dims = "B=2 T=16 C=8 NH=2 hs=4 H=8 V=8 L=2 count=8 R=16",
     .fill = fill_plain,
     .note = "T is 16, count is 8"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_bad_first,
     .note = "the first token of the first prompt is V"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_bad_last,
     .note = "the last token of the last prompt is V"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_too_long,
     .note = "the last prompt leaves no room for the last token"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=6 R=5",
     .fill = fill_refused,
     .note = "count is above T"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_no_prompt,
     .note = "the prompt in the middle has 0 tokens"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_no_prompt_bad_token,
     .note = "a prompt has 0 tokens, and a token is V: ESHAPE comes first"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_bad_temperature,
     .note = "a negative temperature"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_bad_top_p,
     .note = "top_p 0"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_bad_uniform,
     .note = "the last uniform is 1"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=2 R=5",
     .fill = fill_nan_weights,
     .note = "a weight is NaN, so every logit of one token is NaN"},
    {.dims = "B=3 T=5 C=6 NH=2 hs=3 H=7 V=4 L=1 count=2 R=5",
     .fill = fill_refused,
     .note = "C / NH is odd"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 count=0 R=5",
     .fill = fill_refused,
     .note = "a count of 0"},
    {.dims = "B=2 T=7 C=4 NH=2 hs=2 H=3 V=6 L=2 count=3 R=7",
     .apart = true,
     .fill = fill_int8,
     .note = "all matrices are int8: weights is NULL in each"},
    {.dims = "B=1 T=7 C=4 NH=2 hs=2 H=6 V=9 L=2 count=4 R=7",
     .apart = true,
     .fill = fill_some_int8,
     .note = "w_q, w_k, w_gate and w_up are int8: weights is NULL there"},
    {0},
};

// ---- the property -------------------------------------------------------------------------

// BEGIN HANDED OUT
static bool as_uncached(const struct test_case *test, char *why, size_t why_size)
{
    const size_t *got = case_got(test, "tokens"),
                 *uncached = case_input(test, "uncached"),
                 *lengths = case_input(test, "lengths");
    const size_t T = case_dim(test, "T"), count = case_dim(test, "count");
    for (size_t i = 0; i < case_count(test, "uncached"); i++) {
        const size_t b = i / count, at = b * T + lengths[b] + i % count;
        if (got[at] != uncached[i]) {
            snprintf(why, why_size,
                     "lab 8's generate draws %zu as token %zu after prompt %zu; with "
                     "the cache, it is %zu",
                     uncached[i], i % count, b, got[at]);
            return false;
        }
    }
    return true;
}

static bool both_as_uncached(const struct test_case *first,
                             const struct test_case *second, char *why, size_t why_size)
{
    return as_uncached(first, why, why_size) && as_uncached(second, why, why_size);
}
// END HANDED OUT

// Other prompts, for the same model if one of 200 tries is clear, and for another if not.
static void change_prompts(struct test_case *second, struct lab_rng *rng)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        draw_prompts(second, rng, 1, room(second));
        if (continue_prompts(second, rng)) {
            return;
        }
    }
    draw_clear_case(second, rng, 0, 1, room(second));
}

#define CLAIM                                                                            \
    "with the same uniforms, each text gets the tokens that lab 8's generate gives it "  \
    "alone"

static const struct property generate_properties[] = {
    {
        .id = "cached-is-uncached",
        .claim = CLAIM,
        .dims = "B=4 T=13 C=8 NH=2 hs=4 H=7 V=6 L=2 count=7 R=13",
        .fill = fill_plain,
        .change = change_prompts,
        HOLDS(both_as_uncached),
    },
    {
        .id = "cached-is-uncached-at-temperature-0",
        .claim = CLAIM,
        .dims = "B=2 T=17 C=12 NH=3 hs=4 H=7 V=6 L=2 count=9 R=17",
        .fill = fill_greedy,
        .change = change_prompts,
        HOLDS(both_as_uncached),
    },
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define GENERATE_ARGUMENTS                                                               \
    size_t *tokens, const struct kv_cache *cache, const struct generation_buffers *z,    \
        const struct generation_params *params, float *probabilities, size_t *order,     \
        const float *uniforms, const size_t *lengths, const struct sampling *sampling,   \
        size_t count, const struct language_shape *shape
#define GENERATE_VALUES                                                                  \
    tokens, cache, z, params, probabilities, order, uniforms, lengths, sampling, count,  \
        shape

enum generate_fault {
    GENERATE_RIGHT,
    GENERATE_NOT_RESET,
    GENERATE_FIRST_PROMPT,
    GENERATE_LAST_TWICE,
    GENERATE_LAST_OF_PROMPT,
    GENERATE_STEP_FOR_EACH,
    GENERATE_LOGITS_OF_FIRST,
    GENERATE_LOGITS_OF_LAST,
    GENERATE_UNIFORMS_BY_STEP,
    GENERATE_FIRST_UNIFORM,
    GENERATE_UNIFORMS_OF_FIRST,
    GENERATE_FIRST_LENGTH,
    GENERATE_REWRITES_PROMPT,
    GENERATE_ONE_PLACE,
    GENERATE_ALWAYS_COLD,
    GENERATE_NO_TEMPERATURE,
    GENERATE_NO_TOP_K,
    GENERATE_NO_TOP_P,
    GENERATE_STEP_AT_THE_END, // right: it is not needed, but there is room
};

static struct sampling sampling_with(enum generate_fault fault,
                                     const struct sampling *sampling)
{
    struct sampling other = *sampling;
    if (fault == GENERATE_ALWAYS_COLD || fault == GENERATE_NO_TEMPERATURE) {
        other.temperature = fault == GENERATE_ALWAYS_COLD ? 0.0f : 1.0f;
    }
    other.top_k = fault == GENERATE_NO_TOP_K ? 0 : other.top_k;
    other.top_p = fault == GENERATE_NO_TOP_P ? 1.0f : other.top_p;
    return other;
}

// Which of uniforms (B, count) draws token i of sequence b.
static size_t uniform_at(enum generate_fault fault, size_t b, size_t i, size_t B,
                         size_t count)
{
    return fault == GENERATE_UNIFORMS_BY_STEP    ? i * B + b
           : fault == GENERATE_FIRST_UNIFORM     ? b * count
           : fault == GENERATE_UNIFORMS_OF_FIRST ? i
                                                 : b * count + i;
}

static lab_status check(const size_t *tokens, const float *uniforms,
                        const size_t *lengths, const struct sampling *sampling,
                        size_t count, const struct language_shape *shape)
{
    LAB_TRY(language_shape_check(shape));
    const size_t B = shape->B, T = shape->T;
    bool fits = 0 < count && count <= T, below = true;
    for (size_t b = 0; b < B; b++) {
        fits = fits && 0 < lengths[b] && lengths[b] <= T - count;
        below = below && (!fits || tokens_below(tokens + b * T, lengths[b], shape->V));
    }
    if (!fits) {
        return LAB_ESHAPE;
    }
    return below && sampling_allowed(sampling, uniforms, B * count) ? LAB_OK : LAB_EVALUE;
}

static lab_status read_prompts(enum generate_fault fault, GENERATE_ARGUMENTS)
{
    const size_t V = shape->V, T = shape->T;
    for (size_t b = 0; b < shape->B; b++) {
        const size_t from = fault == GENERATE_FIRST_PROMPT ? 0 : b;
        const size_t n = lengths[fault == GENERATE_FIRST_LENGTH ? 0 : from];
        const size_t *prompt = tokens + from * T;
        if (fault != GENERATE_NOT_RESET) {
            cache->lengths[b] = 0;
        }
        LAB_TRY(prefill(z->logits + b * V, cache, z, params, prompt, b, n, shape));
        z->next[b] = prompt[n - 1];
    }
    (void)probabilities, (void)order, (void)uniforms, (void)sampling, (void)count;
    return fault == GENERATE_LAST_TWICE
               ? decode_step(z->logits, cache, z, params, z->next, shape)
               : LAB_OK;
}

// The token after `length` others of sequence b.
static lab_status draw(enum generate_fault fault, size_t b, size_t i, GENERATE_ARGUMENTS)
{
    const struct sampling other = sampling_with(fault, sampling);
    const size_t B = shape->B, T = shape->T, V = shape->V;
    const size_t row = fault == GENERATE_LOGITS_OF_FIRST  ? 0
                       : fault == GENERATE_LOGITS_OF_LAST ? B - 1
                                                          : b;
    const size_t start = fault == GENERATE_REWRITES_PROMPT ? 0
                         : fault == GENERATE_FIRST_LENGTH  ? lengths[0]
                                                           : lengths[b];
    size_t token;
    LAB_TRY(sample_token(&token, probabilities, order, z->logits + row * V, &other,
                         uniforms[uniform_at(fault, b, i, B, count)], V));
    tokens[b * T + start + (fault == GENERATE_ONE_PLACE ? 0 : i)] = token;
    if (fault != GENERATE_LAST_OF_PROMPT) {
        z->next[b] = token;
    }
    (void)cache, (void)params;
    return LAB_OK;
}

static lab_status generate_with(enum generate_fault fault, GENERATE_ARGUMENTS)
{
    LAB_TRY(check(tokens, uniforms, lengths, sampling, count, shape));
    LAB_TRY(read_prompts(fault, GENERATE_VALUES));
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < shape->B; b++) {
            if (i > 0 && (b == 0 || fault == GENERATE_STEP_FOR_EACH)) {
                LAB_TRY(decode_step(z->logits, cache, z, params, z->next, shape));
            }
            LAB_TRY(draw(fault, b, i, GENERATE_VALUES));
        }
    }
    return fault == GENERATE_STEP_AT_THE_END
               ? decode_step(z->logits, cache, z, params, z->next, shape)
               : LAB_OK;
}

#define GENERATE(name, fault)                                                            \
    static lab_status name(GENERATE_ARGUMENTS)                                           \
    {                                                                                    \
        return generate_with(fault, GENERATE_VALUES);                                    \
    }

GENERATE(generate_not_reset, GENERATE_NOT_RESET)
GENERATE(generate_first_prompt, GENERATE_FIRST_PROMPT)
GENERATE(generate_last_twice, GENERATE_LAST_TWICE)
GENERATE(generate_last_of_prompt, GENERATE_LAST_OF_PROMPT)
GENERATE(generate_step_for_each, GENERATE_STEP_FOR_EACH)
GENERATE(generate_step_at_the_end, GENERATE_STEP_AT_THE_END)
GENERATE(generate_logits_of_first, GENERATE_LOGITS_OF_FIRST)
GENERATE(generate_logits_of_last, GENERATE_LOGITS_OF_LAST)
GENERATE(generate_uniforms_by_step, GENERATE_UNIFORMS_BY_STEP)
GENERATE(generate_first_uniform, GENERATE_FIRST_UNIFORM)
GENERATE(generate_uniforms_of_first, GENERATE_UNIFORMS_OF_FIRST)
GENERATE(generate_first_length, GENERATE_FIRST_LENGTH)
GENERATE(generate_rewrites_prompt, GENERATE_REWRITES_PROMPT)
GENERATE(generate_one_place, GENERATE_ONE_PLACE)
GENERATE(generate_always_cold, GENERATE_ALWAYS_COLD)
GENERATE(generate_no_temperature, GENERATE_NO_TEMPERATURE)
GENERATE(generate_no_top_k, GENERATE_NO_TOP_K)
GENERATE(generate_no_top_p, GENERATE_NO_TOP_P)
GENERATE(generate_by_pieces, GENERATE_RIGHT)

// ---- alternatives -------------------------------------------------------------------------

// Lab 8's generate, for one text after the other.
static lab_status generate_from_floats(const struct language_params *floats,
                                       GENERATE_ARGUMENTS)
{
    struct language_shape one = *shape;
    one.B = 1;
    struct scratch_model model = scratch_model(shape);
    lab_status status = LAB_OK;
    for (size_t b = 0; status == LAB_OK && b < shape->B; b++) {
        status = generate(tokens + b * shape->T, &model.z, floats, probabilities, order,
                          uniforms + b * count, sampling, lengths[b], count, &one);
    }
    forget_model(&model);
    (void)cache, (void)z, (void)params;
    return status;
}

// The order of the matrices is that of matrices_of.
static struct language_params language_of(const struct generation_params *params,
                                          float *const w[MATRICES])
{
    return (struct language_params){
        .token_table = (float *)params->token_table,
        .norm1 = (float *)params->norm1,
        .w_q = w[0],
        .w_k = w[1],
        .w_v = w[2],
        .w_o = w[3],
        .norm2 = (float *)params->norm2,
        .w_gate = w[4],
        .w_up = w[5],
        .w_down = w[6],
        .norm = (float *)params->norm,
        .w_out = w[7],
    };
}

static lab_status generate_uncached(GENERATE_ARGUMENTS)
{
    LAB_TRY(check(tokens, uniforms, lengths, sampling, count, shape));
    const size_t C = shape->C, H = shape->H, L = shape->L;
    struct generation_matrix all[MATRICES];
    float *w[MATRICES];
    matrices_of(all, params);
    for (size_t m = 0; m < MATRICES; m++) {
        const size_t O = m < 4 || m == 6 ? L * C : m < 6 ? L * H : shape->V;
        w[m] = floats_of(&all[m], O, m == 6 ? H : C);
    }
    const struct language_params floats = language_of(params, w);
    const lab_status status = generate_from_floats(&floats, GENERATE_VALUES);
    for (size_t m = 0; m < MATRICES; m++) {
        free(w[m]);
    }
    return status;
}

// Prompt and steps in double.
static lab_status generate_in_double(GENERATE_ARGUMENTS)
{
    LAB_TRY(check(tokens, uniforms, lengths, sampling, count, shape));
    const size_t B = shape->B, T = shape->T, V = shape->V;
    for (size_t b = 0; b < B; b++) {
        cache->lengths[b] = 0;
        must(prefill_with(MODEL_IN_DOUBLE, z->logits + b * V, cache, z, params,
                          tokens + b * T, b, lengths[b], shape));
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            must(decode_with(MODEL_IN_DOUBLE, z->logits, cache, z, params, z->next,
                             shape));
        }
        for (size_t b = 0; b < B; b++) {
            LAB_TRY(draw(GENERATE_RIGHT, b, i, GENERATE_VALUES));
        }
    }
    return LAB_OK;
}

// One text, to its end. Its prompt comes in two parts.
static lab_status generate_alone(struct generation *own, size_t *text, size_t length,
                                 const float *u, const struct generation_params *params,
                                 float *probabilities, size_t *order,
                                 const struct sampling *sampling, size_t count)
{
    const size_t half = length / 2;
    const struct language_shape *s = &own->shape;
    float *logits = own->buffers.logits;
    own->cache.lengths[0] = 0;
    if (half > 0) {
        must(prefill(logits, &own->cache, &own->buffers, params, text, 0, half, s));
    }
    must(prefill(logits, &own->cache, &own->buffers, params, text + half, 0,
                 length - half, s));
    size_t *end = text + length;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            must(decode_step(logits, &own->cache, &own->buffers, params, end + i - 1, s));
        }
        LAB_TRY(
            sample_token(end + i, probabilities, order, logits, sampling, u[i], s->V));
    }
    return LAB_OK;
}

// A cache of one sequence, in which one text comes after the other.
static lab_status generate_one_by_one(GENERATE_ARGUMENTS)
{
    LAB_TRY(check(tokens, uniforms, lengths, sampling, count, shape));
    struct language_shape one = *shape;
    one.B = 1;
    struct generation own;
    must(generation_new(&own, &one));
    lab_status status = LAB_OK;
    for (size_t b = 0; status == LAB_OK && b < shape->B; b++) {
        status =
            generate_alone(&own, tokens + b * shape->T, lengths[b], uniforms + b * count,
                           params, probabilities, order, sampling, count);
    }
    generation_free(&own);
    (void)cache, (void)z;
    return status;
}

#define LAST_TOKEN_WHY                                                                    \
    "prefill has read the whole prompt and gives the logits of the first new token. The " \
    "first decode_step reads that token."

static const struct mistake generate_mistakes[] = {
    {
        .id = "not-reset",
        .what = "the cache is not emptied before the prompts are read",
        .why = "It may hold earlier texts: set every length to 0 first.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_not_reset),
    },
    {
        .id = "first-prompt",
        .what = "every sequence gets the prompt of sequence 0",
        .why = "Prompt b is tokens + b * T, of lengths[b] tokens.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_first_prompt),
    },
    {
        .id = "last-token-twice",
        .what = "decode_step reads the last token of the prompt again",
        .why = LAST_TOKEN_WHY,
        .source = NULL,
        .function = LIKE(generate_cached, generate_last_twice),
    },
    {
        .id = "prompt-token-again",
        .what = "decode_step always reads the last token of the prompt",
        .why = "It reads the token that was drawn last, of each sequence.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_last_of_prompt),
    },
    {
        .id = "step-for-each-sequence",
        .what = "decode_step is called once for each sequence",
        .why = "One call reads the next token of all sequences. Call it once per token.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_step_for_each),
    },
    {
        .id = "first-logits",
        .what = "every token is drawn from the logits of sequence 0",
        .why = "logits is (B, V): those of sequence b start at b * V.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_logits_of_first),
    },
    {
        .id = "last-logits",
        .what = "every token is drawn from the logits of the last sequence",
        .why = "logits is (B, V): those of sequence b start at b * V.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_logits_of_last),
    },
    {
        .id = "uniforms-by-step",
        .what = "uniforms is read as (count, B)",
        .why = "It is (B, count): token i of sequence b is drawn with uniforms[b * count "
               "+ i].",
        .source = NULL,
        .function = LIKE(generate_cached, generate_uniforms_by_step),
    },
    {
        .id = "first-uniform",
        .what = "every token of a text is drawn with its first uniform",
        .why = "Each new token has its own u: uniforms[b * count + i].",
        .source = NULL,
        .function = LIKE(generate_cached, generate_first_uniform),
    },
    {
        .id = "uniforms-of-sequence-0",
        .what = "every text is drawn with the uniforms of sequence 0",
        .why = "Each new token has its own u: uniforms[b * count + i].",
        .source = NULL,
        .function = LIKE(generate_cached, generate_uniforms_of_first),
    },
    {
        .id = "first-length",
        .what = "every prompt is taken to be as long as the first",
        .why = "Prompt b has lengths[b] tokens, and its first new token goes to "
               "tokens[b * T + lengths[b]].",
        .source = NULL,
        .function = LIKE(generate_cached, generate_first_length),
    },
    {
        .id = "prompt-rewritten",
        .what = "the new tokens are written over the prompt",
        .why = "Drawn token i goes to tokens[b * T + lengths[b] + i].",
        .source = NULL,
        .function = LIKE(generate_cached, generate_rewrites_prompt),
    },
    {
        .id = "one-place",
        .what =
            "every new token of a text is written to the same place, after the prompt",
        .why = "Drawn token i goes to tokens[b * T + lengths[b] + i].",
        .source = NULL,
        .function = LIKE(generate_cached, generate_one_place),
    },
    {
        .id = "always-the-most-likely",
        .what = "the most likely token is always taken",
        .why = "Pass sampling to sample_token. Only temperature 0 means the most "
               "likely token.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_always_cold),
    },
    {
        .id = "no-temperature",
        .what = "the temperature is always 1",
        .why = "Pass sampling to sample_token unchanged.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_no_temperature),
    },
    {
        .id = "no-top-k",
        .what = "top_k is not used",
        .why = "Pass sampling to sample_token unchanged.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_no_top_k),
    },
    {
        .id = "no-top-p",
        .what = "top_p is not used",
        .why = "Pass sampling to sample_token unchanged.",
        .source = NULL,
        .function = LIKE(generate_cached, generate_no_top_p),
    },
    {0},
};

static const struct mistake generate_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(generate_cached, generate_by_pieces)},
    {.id = "step-at-the-end",
     .function = LIKE(generate_cached, generate_step_at_the_end)},
    {.id = "one-by-one", .function = LIKE(generate_cached, generate_one_by_one)},
    {.id = "uncached", .function = LIKE(generate_cached, generate_uncached)},
    {.id = "in-double", .function = LIKE(generate_cached, generate_in_double)},
    {0},
};

static const struct part generate_part[] = {
    {
        .function = "generate_cached",
        .dims = MODEL_DIMS " count R",
        .tensors =
            {
                {"tokens", "B T", UPDATED, SIZE, 0, 0},
                CACHE_TENSORS(WORKSPACE, 0, 0),
                BUFFER_TENSORS,
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                SCALES_TENSOR,
                {"probabilities", "V", WORKSPACE, F32, 0, 0},
                {"order", "V", WORKSPACE, SIZE, 0, 0},
                {"uniforms", "B count", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
                {"temperature", "1", INPUT, F32, 0, 0},
                {"top_k", "1", INPUT, SIZE, 0, 0},
                {"top_p", "1", INPUT, F32, 0, 0},
                {RETURNED_STATUS, "1", OUTPUT, SIZE, 0, 0},
                {"uncached", "B count", WITHHELD, SIZE, 0, 0},
            },
        .cases = generate_cases,
        .properties = generate_properties,
        .mistakes = generate_mistakes,
        .alternatives = generate_alternatives,
    },
    {0},
};

const struct exercise exercise_9_7 = {
    .id = "9.7",
    .name = "generate_cached",
    .section = "9.7 Many tokens, many texts",
    .uses = {"9.3", "8.10"},
    .hints =
        {
            "prefill gives the logits of a text's first new token. What must decode_step "
            "read before the second one can be drawn?",
            "Empty the cache: every length 0. prefill each prompt, with its logits in "
            "row b of z->logits. Then count times: draw a token for each sequence from "
            "its row, with uniforms[b * count + i], and write it to tokens[b * T + "
            "lengths[b] + i]; between two of these steps, call decode_step once for "
            "all.",
            "for each b: cache->lengths[b] = 0\n"
            "    prefill(z->logits + b * V, cache, z, params, tokens + b * T, b, lengths[b],\n"
            "        shape)\n"
            "for each i below count:\n"
            "    if i > 0: decode_step(z->logits, cache, z, params, z->next, shape)\n"
            "    for each b: sample_token(&z->next[b], probabilities, order, z->logits + b * V,\n"
            "            sampling, uniforms[b * count + i], V)\n"
            "        tokens[b * T + lengths[b] + i] = z->next[b]",
        },
    .parts = generate_part,
};
