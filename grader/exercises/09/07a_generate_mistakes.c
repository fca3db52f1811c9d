// 07a_generate_mistakes.c - exercise 9.7: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/09/07_generate_cached.h"
#include "exercises/09/model.h"
#include "exercises/common/own.h"
#include "exercises/common/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "08_language_model/language_model.h"
#include "common/tokens.h"

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

const struct mistake generate_mistakes[] = {
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

const struct mistake generate_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(generate_cached, generate_by_pieces)},
    {.id = "step-at-the-end",
     .function = LIKE(generate_cached, generate_step_at_the_end)},
    {.id = "one-by-one", .function = LIKE(generate_cached, generate_one_by_one)},
    {.id = "uncached", .function = LIKE(generate_cached, generate_uncached)},
    {.id = "in-double", .function = LIKE(generate_cached, generate_in_double)},
    {0},
};
