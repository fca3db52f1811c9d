// 07_generate_cached.c - exercise 9.7, generate_cached: cases, properties and hints.
//
// As in 8.11, no token hangs on rounding. The cases are made without a cache, one text after the
// other: language_forward gives the logits, and u is put into the middle of a token's share. The
// tokens that come of it are in the tensor `uncached`. The function does not get it: it is for the
// property.

#include "exercises/exercise.h"
#include "exercises/09/07_generate_cached.h"
#include "exercises/09/model.h"
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
        lengths[b] = shortest + (first + b) % range; // neighbors differ
        random_tokens(tokens + b * T, lengths[b], V, rng);
    }
}

// uniforms and uncached. False if a token is not clear, or if no token depends on a setting that is used.
static bool continue_prompts(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T"), count = case_dim(test, "count");
    const struct sampling sampling = sampling_of_case(test);
    const struct language_params params = params_of_case(test);
    const struct language_shape shape = shape_of_case(test);
    const size_t *lengths = case_size(test, "lengths");
    struct sampling_counts counts = {false, false, false};
    bool clear = true;
    for (size_t b = 0; clear && b < shape.B; b++) {
        struct sampling_counts of_text;
        size_t *text = calloc(T, sizeof *text);
        if (text == NULL) {
            abort();
        }
        memcpy(text, case_size(test, "tokens") + b * T, lengths[b] * sizeof *text);
        clear =
            continue_text(case_f32(test, "uniforms") + b * count, text, lengths[b], count,
                          language_forward, &params, &shape, &sampling, rng, &of_text);
        counts.top_p = counts.top_p || of_text.top_p;
        counts.top_k = counts.top_k || of_text.top_k;
        counts.temperature = counts.temperature || of_text.temperature;
        memcpy(case_size(test, "uncached") + b * count, text + lengths[b],
               count * sizeof *text);
        free(text);
    }
    return clear && settings_count(&sampling, &counts);
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
SAMPLING(fill_cold_all, 0.0f, 3, 0.8f)
SAMPLING(fill_top_k_1, 1.0f, 1, 1.0f)
SAMPLING(fill_low_top_p, 1.0f, 0, 0.3f)
SAMPLING(fill_hot_top_k_V, 3.0f, case_dim(test, "V"), 1.0f)
SAMPLING(fill_cool_top_k_max, 0.3f, SIZE_MAX, 1.0f)

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

// The logits of tokens 0, 1, 2 ... rise or fall in equal steps.
static void make_steps_of_logits(struct test_case *test)
{
    const size_t C = case_dim(test, "C"), V = case_dim(test, "V");
    float *w_out = case_f32(test, "params.w_out");
    for (size_t i = V * C; i-- > 0;) { // downwards: row 0 is used until the end
        const float place = (float)(i / C) / (float)V - 0.5f;
        w_out[i] = 30.0f * place * w_out[i % C];
    }
}

// Is one of the new tokens above a byte, and read again?
static bool reads_token_above_255(struct test_case *test)
{
    const size_t count = case_dim(test, "count");
    bool found = false;
    for (size_t i = 0; i < case_count(test, "uncached"); i++) {
        found = found || (i % count + 1 < count && case_size(test, "uncached")[i] > 255);
    }
    return found;
}

static void fill_many_tokens(struct test_case *test, struct lab_rng *rng)
{
    set_sampling(test, 1.0f, 0, 1.0f);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        draw_model(test, 0, rng);
        make_steps_of_logits(test);
        draw_prompts(test, rng, 1, room(test));
        if (continue_prompts(test, rng) && reads_token_above_255(test)) {
            return;
        }
    }
    abort();
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
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_cold_all,
     .note = "temperature 0, top_k 3, top_p 0.8: the largest logit"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_top_k_1,
     .note = "top_k 1"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_low_top_p,
     .note = "top_p 0.3"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_hot_top_k_V,
     .note = "temperature 3, top_k is V"},
    {.dims = "B=2 T=10 C=8 NH=2 hs=4 H=5 V=7 L=1 count=6 R=10",
     .fill = fill_cool_top_k_max,
     .note = "temperature 0.3, top_k is the largest size_t"},
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
    {.dims = "B=1 T=70 C=4 NH=2 hs=2 H=3 V=5 L=1 count=67 R=70",
     .fill = fill_plain,
     .note = "67 new tokens"},
    {.dims = "B=2 T=9 C=4 NH=2 hs=2 H=3 V=300 L=1 count=4 R=9",
     .fill = fill_many_tokens,
     .note = "V is 300"},
    {.dims = "B=1 T=300 C=4 NH=2 hs=2 H=3 V=20 L=1 count=3 R=300",
     .fill = fill_to_the_end,
     .note = "a prompt of 297 tokens"},
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
    {.dims = "B=1 T=135 C=4 NH=2 hs=2 H=3 V=5 L=1 count=131 R=135",
     .fill = fill_plain,
     .note = "131 new tokens",
     .memory_only = true},
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
            "lengths[b] + i]; between two of these steps, call decode_step once for all.",
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
