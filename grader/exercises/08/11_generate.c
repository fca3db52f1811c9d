// 11_generate.c - exercise 8.11, generate: cases, known mistakes and hints.
//
// Tokens are right or wrong, so no token may depend on rounding. The cases are made step by
// step: the reference computes the logits, and u is put into the middle of the next token's
// probability. If two logits, or a sum and top_p, are too close, other parameters are drawn.

#include "exercises/exercise.h"
#include "exercises/08/10_sampling.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"
#include "common/tokens.h"

// ---- cases --------------------------------------------------------------------------------

enum { ATTEMPTS = 200 };

// A u for each token after the prompt. Returns the whole text, which the caller frees, or NULL if one of
// the tokens depends on rounding, or if none depends on a setting that is used.
static size_t *continue_prompt(struct test_case *test, const struct sampling *sampling,
                               struct lab_rng *rng)
{
    const size_t N = case_dim(test, "N"), count = case_dim(test, "count");
    const struct language_params params = params_of_case(test);
    const struct language_shape shape = shape_of_case(test);
    size_t *tokens = calloc(N + count, sizeof *tokens);
    struct sampling_counts counts;
    if (tokens == NULL) {
        abort();
    }
    memcpy(tokens, case_size(test, "tokens"), N * sizeof *tokens);
    if (!continue_text(case_f32(test, "uniforms"), tokens, N, count, language_forward,
                       &params, &shape, sampling, rng, &counts) ||
        !settings_count(sampling, &counts)) {
        free(tokens);
        return NULL;
    }
    return tokens;
}

// The numbers after the prompt are not tokens.
static void draw_prompt(struct test_case *test, struct lab_rng *rng)
{
    const size_t N = case_dim(test, "N"), V = case_dim(test, "V");
    size_t *tokens = case_size(test, "tokens");
    random_tokens(tokens, N, V, rng);
    for (size_t n = N; n < case_count(test, "tokens"); n++) {
        tokens[n] = V + 1000 + n;
    }
}

// Returns the text that comes of it; the caller frees it.
static size_t *draw_text(struct test_case *test, struct lab_rng *rng, float temperature,
                         size_t top_k, float top_p)
{
    const struct sampling sampling = {temperature, top_k, top_p};
    *case_f32(test, "temperature") = temperature;
    *case_size(test, "top_k") = top_k;
    *case_f32(test, "top_p") = top_p;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        draw_language_model(test, rng);
        draw_prompt(test, rng);
        size_t *text = continue_prompt(test, &sampling, rng);
        if (text != NULL) {
            return text;
        }
    }
    abort(); // no parameters fit: these sizes cannot be a case
}

// The adaptor returns the status itself.
static void fill_sampling(struct test_case *test, struct lab_rng *rng, float temperature,
                          size_t top_k, float top_p)
{
    case_absent(test, "returned status");
    free(draw_text(test, rng, temperature, top_k, top_p));
}

#define SAMPLING(name, ...)                                                              \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        fill_sampling(test, rng, __VA_ARGS__);                                           \
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

// Is token `at` of a text none of those before it?
static bool is_new(const size_t *text, size_t at)
{
    bool found = false;
    for (size_t i = 0; i < at; i++) {
        found = found || text[i] == text[at];
    }
    return !found;
}

// The embedding of the second new token is NaN, and so is each logit after it.
static void fill_ends_in_nan(struct test_case *test, struct lab_rng *rng)
{
    const size_t second = case_dim(test, "N") + 1;
    size_t *text = draw_text(test, rng, 1.0f, 0, 1.0f);
    while (!is_new(text, second)) {
        free(text);
        text = draw_text(test, rng, 1.0f, 0, 1.0f);
    }
    case_f32(test, "params.token_table")[text[second] * case_dim(test, "C")] = NAN;
    free(text);
}

// Temperature 1 and nothing cut off, with random uniforms: for a prompt after which no token is drawn.
static void draw_plain(struct test_case *test, struct lab_rng *rng)
{
    *case_f32(test, "temperature") = 1.0f;
    *case_size(test, "top_k") = 0;
    *case_f32(test, "top_p") = 1.0f;
    draw_language_model(test, rng);
    draw_prompt(test, rng);
    lab_rng_rand(rng, case_f32(test, "uniforms"), case_count(test, "uniforms"));
}

// The embedding of the prompt's token `at` is NaN, and it is the only such token there: if the model reads
// it, no token can be drawn.
static void make_nan(struct test_case *test, size_t at)
{
    const size_t V = case_dim(test, "V");
    size_t *tokens = case_size(test, "tokens");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        tokens[n] = n != at && tokens[n] == tokens[at] ? (tokens[n] + 1) % V : tokens[n];
    }
    case_f32(test, "params.token_table")[tokens[at] * case_dim(test, "C")] = NAN;
}

// A model that does not read this token draws one; in the row before it, all logits are NaN, too.
static void fill_prompt_ends_in_nan(struct test_case *test, struct lab_rng *rng)
{
    draw_plain(test, rng);
    make_nan(test, case_dim(test, "N") - 1);
}

static void fill_prompt_starts_in_nan(struct test_case *test, struct lab_rng *rng)
{
    draw_plain(test, rng);
    make_nan(test, 0);
}

// Rejected before anything is computed, so no step is prepared.
static void fill_refused(struct test_case *test, struct lab_rng *rng)
{
    case_absent(test, "returned status");
    draw_plain(test, rng);
}

static void fill_bad_first(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static void fill_bad_last(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "tokens")[case_dim(test, "N") - 1] = case_dim(test, "V");
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

// The tensors of z have room for one sequence, whatever B is. total is N + count.
static const struct case_spec generate_cases[] = {
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=1 count=1 total=2 L1=2",
     .fill = fill_plain,
     .note = "one token after one"},
    {.dims = "B=1 T=8 C=4 NH=2 hs=2 H=3 V=6 L=1 N=2 count=5 total=7 L1=2",
     .fill = fill_plain,
     .note = "the context is never full"},
    {.dims = "B=1 T=4 C=8 NH=2 hs=4 H=7 V=7 L=1 N=2 count=8 total=10 L1=2",
     .draws = 2,
     .fill = fill_plain,
     .note = "longer than the context"},
    {.dims = "B=1 T=3 C=8 NH=2 hs=4 H=7 V=7 L=1 N=6 count=4 total=10 L1=2",
     .fill = fill_plain,
     .note = "a prompt longer than the context"},
    {.dims = "B=1 T=5 C=8 NH=4 hs=2 H=7 V=6 L=1 N=5 count=4 total=9 L1=2",
     .fill = fill_plain,
     .note = "a prompt as long as the context"},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=3 V=6 L=1 N=2 count=5 total=7 L1=2",
     .fill = fill_plain,
     .note = "a context of one token"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=2 count=9 total=11 L1=2",
     .draws = 2,
     .fill = fill_greedy,
     .note = "temperature 0"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=3 count=9 total=12 L1=2",
     .fill = fill_warm,
     .note = "temperature 0.7"},
    {.dims = "B=1 T=4 C=8 NH=2 hs=4 H=7 V=8 L=1 N=3 count=9 total=12 L1=2",
     .fill = fill_top_k,
     .note = "temperature 1.5, top_k 3"},
    {.dims = "B=1 T=6 C=8 NH=2 hs=4 H=7 V=8 L=1 N=3 count=9 total=12 L1=2",
     .fill = fill_top_p,
     .note = "top_p 0.8"},
    {.dims = "B=3 T=4 C=12 NH=2 hs=6 H=9 V=9 L=2 N=3 count=10 total=13 L1=3",
     .fill = fill_all,
     .note = "B is 3; temperature 1.3, top_k 5, top_p 0.7"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=2 count=9 total=11 L1=2",
     .fill = fill_cold_all,
     .note = "temperature 0, top_k 3, top_p 0.8: the largest logit"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=2 count=9 total=11 L1=2",
     .fill = fill_top_k_1,
     .note = "top_k 1"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=2 count=9 total=11 L1=2",
     .fill = fill_low_top_p,
     .note = "top_p 0.3"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=2 count=9 total=11 L1=2",
     .fill = fill_hot_top_k_V,
     .note = "temperature 3, top_k is V"},
    {.dims = "B=1 T=5 C=8 NH=2 hs=4 H=7 V=8 L=1 N=2 count=9 total=11 L1=2",
     .fill = fill_cool_top_k_max,
     .note = "temperature 0.3, top_k is the largest size_t"},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=4 V=8 L=2 N=2 count=5 total=7 L1=3",
     .fill = fill_plain,
     .note = "two blocks, a context of one token"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=2 N=2 count=6 total=8 L1=3",
     .fill = fill_plain,
     .note = "two blocks"},
    {.dims = "B=1 T=4 C=4 NH=1 hs=4 H=3 V=5 L=2 N=4 count=4 total=8 L1=3",
     .fill = fill_plain,
     .note = "two blocks, one head"},
    {.dims = "B=2 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_bad_first,
     .note = "the first token of the prompt is V"},
    {.dims = "B=1 T=2 C=4 NH=2 hs=2 H=3 V=5 L=1 N=5 count=4 total=9 L1=2",
     .fill = fill_bad_first,
     .note = "the first token of a prompt longer than the context is V"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_bad_last,
     .note = "the last token of the prompt is V"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_bad_temperature,
     .note = "a negative temperature"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_bad_top_p,
     .note = "top_p 0"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_bad_uniform,
     .note = "the last uniform is 1"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_nan_weights,
     .note = "a weight is NaN, so every logit of one token is NaN"},
    {.dims = "B=1 T=4 C=6 NH=2 hs=3 H=3 V=5 L=1 N=3 count=4 total=7 L1=2",
     .fill = fill_refused,
     .note = "C / NH is odd"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=0 count=4 total=4 L1=2",
     .fill = fill_refused,
     .note = "a prompt of 0 tokens"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=5 L=1 N=3 count=0 total=3 L1=2",
     .fill = fill_refused,
     .note = "a count of 0"},
    {.dims = "B=1 T=7 C=4 NH=2 hs=2 H=3 V=6 L=1 N=2 count=5 total=7 L1=2",
     .fill = fill_ends_in_nan,
     .note =
         "the embedding of the second new token is NaN: the status is LAB_EVALUE (3), "
         "and both tokens stay"},
    {.dims = "B=1 T=7 C=4 NH=2 hs=2 H=3 V=6 L=1 N=3 count=3 total=6 L1=2",
     .fill = fill_prompt_ends_in_nan,
     .note = "the embedding of the prompt's last token is NaN: the status is LAB_EVALUE "
             "(3), and no token is written"},
    {.dims = "B=1 T=34 C=4 NH=2 hs=2 H=3 V=5 L=1 N=34 count=2 total=36 L1=2",
     .fill = fill_prompt_starts_in_nan,
     .note = "a context of 34 tokens, and the embedding of the first is NaN: the status "
             "is LAB_EVALUE (3), and no token is written"},
    {.dims = "B=1 T=2 C=4 NH=2 hs=2 H=3 V=5 L=1 N=2 count=35 total=37 L1=2",
     .fill = fill_greedy,
     .note = "more than 32 new tokens"},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=3 V=5 L=1 N=2 count=131 total=133 L1=2",
     .fill = fill_plain,
     .note = "131 new tokens",
     .memory_only = true},
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define GENERATE_ARGUMENTS                                                               \
    size_t *tokens, const struct language_activations *z,                                \
        const struct language_params *params, float *probabilities, size_t *order,       \
        const float *uniforms, const struct sampling *sampling, size_t N, size_t count,  \
        const struct language_shape *shape
#define GENERATE_VALUES                                                                  \
    tokens, z, params, probabilities, order, uniforms, sampling, N, count, shape

enum generate_fault {
    GENERATE_RIGHT,
    GENERATE_FIRST_TOKENS,
    GENERATE_PROMPT_ONLY,
    GENERATE_LAST_TOKEN_ONLY,
    GENERATE_ONE_LESS,
    GENERATE_NEWEST_UNREAD,
    GENERATE_FIRST_LOGITS,
    GENERATE_LOGITS_BEFORE,
    GENERATE_REWRITES_PROMPT,
    GENERATE_FIRST_UNIFORM,
    GENERATE_ALWAYS_COLD,
    GENERATE_NO_TEMPERATURE,
    GENERATE_TEMPERATURE_TWICE,
    GENERATE_NO_TOP_K,
    GENERATE_NO_TOP_P,
    GENERATE_FROM_SCRATCH, // when the context is full, it starts again
};

static struct sampling sampling_with(enum generate_fault fault,
                                     const struct sampling *sampling)
{
    struct sampling other = *sampling;
    if (fault == GENERATE_ALWAYS_COLD || fault == GENERATE_NO_TEMPERATURE) {
        other.temperature = fault == GENERATE_ALWAYS_COLD ? 0.0f : 1.0f;
    }
    if (fault == GENERATE_TEMPERATURE_TWICE) {
        other.temperature *= other.temperature;
    }
    other.top_k = fault == GENERATE_NO_TOP_K ? 0 : other.top_k;
    other.top_p = fault == GENERATE_NO_TOP_P ? 1.0f : other.top_p;
    return other;
}

// The start and the length of the context of a text of n tokens.
struct context {
    size_t first, length;
};

static struct context context_of(enum generate_fault fault, size_t n, size_t N, size_t T)
{
    if (fault == GENERATE_PROMPT_ONLY) {
        n = N;
    }
    if (fault == GENERATE_ONE_LESS && T > 1) {
        T--;
    }
    struct context context = {n < T ? 0 : n - T, n < T ? n : T};
    if (fault == GENERATE_NEWEST_UNREAD && context.length > 1) {
        context.length--;
    }
    if (fault == GENERATE_FIRST_TOKENS) {
        context.first = 0;
    } else if (fault == GENERATE_LAST_TOKEN_ONLY) {
        context = (struct context){n - 1, 1};
    } else if (fault == GENERATE_FROM_SCRATCH && n > T) {
        context.length = (n - 1) % T + 1;
        context.first = n - context.length;
    }
    return context;
}

static lab_status generate_with(enum generate_fault fault, forward_function *forward,
                                GENERATE_ARGUMENTS)
{
    const struct sampling other = sampling_with(fault, sampling);
    struct language_shape shape_1 = *shape;
    lab_status status = language_shape_check(shape);
    if (status == LAB_OK && (N == 0 || count == 0)) {
        status = LAB_ESHAPE;
    }
    if (status == LAB_OK && (!tokens_below(tokens, N, shape->V) ||
                             !sampling_allowed(sampling, uniforms, count))) {
        status = LAB_EVALUE;
    }
    size_t *own = calloc(N + count + 1, sizeof *own);
    if (own == NULL) {
        abort();
    }
    shape_1.B = 1;
    memcpy(own, tokens, N * sizeof *own);
    for (size_t i = 0; status == LAB_OK && i < count; i++) {
        const struct context context = context_of(fault, N + i, N, shape->T);
        const size_t row = fault == GENERATE_FIRST_LOGITS ? 0
                           : fault == GENERATE_LOGITS_BEFORE && context.length > 1
                               ? context.length - 2
                               : context.length - 1;
        shape_1.T = context.length;
        must(forward(NULL, z, params, own + context.first, NULL, &shape_1));
        status = sample_with(SAMPLE_RIGHT, &own[N + i], probabilities, order,
                             z->logits + row * shape->V, &other,
                             uniforms[fault == GENERATE_FIRST_UNIFORM ? 0 : i], shape->V);
        if (status != LAB_OK) {
            break;
        }
        tokens[fault == GENERATE_REWRITES_PROMPT ? i : N + i] = own[N + i];
    }
    free(own);
    return status;
}

#define GENERATE(name, fault)                                                            \
    static lab_status name(GENERATE_ARGUMENTS)                                           \
    {                                                                                    \
        return generate_with(fault, language_forward, GENERATE_VALUES);                  \
    }

GENERATE(generate_first_tokens, GENERATE_FIRST_TOKENS)
GENERATE(generate_prompt_only, GENERATE_PROMPT_ONLY)
GENERATE(generate_last_token_only, GENERATE_LAST_TOKEN_ONLY)
GENERATE(generate_one_less, GENERATE_ONE_LESS)
GENERATE(generate_newest_unread, GENERATE_NEWEST_UNREAD)
GENERATE(generate_first_logits, GENERATE_FIRST_LOGITS)
GENERATE(generate_logits_before, GENERATE_LOGITS_BEFORE)
GENERATE(generate_rewrites_prompt, GENERATE_REWRITES_PROMPT)
GENERATE(generate_first_uniform, GENERATE_FIRST_UNIFORM)
GENERATE(generate_always_cold, GENERATE_ALWAYS_COLD)
GENERATE(generate_no_temperature, GENERATE_NO_TEMPERATURE)
GENERATE(generate_temperature_twice, GENERATE_TEMPERATURE_TWICE)
GENERATE(generate_no_top_k, GENERATE_NO_TOP_K)
GENERATE(generate_no_top_p, GENERATE_NO_TOP_P)
GENERATE(generate_from_scratch, GENERATE_FROM_SCRATCH)
GENERATE(generate_by_pieces, GENERATE_RIGHT)

static lab_status generate_in_double(GENERATE_ARGUMENTS)
{
    return generate_with(GENERATE_RIGHT, language_forward_in_double, GENERATE_VALUES);
}

#define LAST_T                                                                           \
    "The model reads the last min(T, length) tokens of prompt and new tokens together: " \
    "they begin at tokens + length - T."

static const struct mistake generate_mistakes[] = {
    {
        .id = "first-tokens",
        .what = "a long text is cropped to its first T tokens",
        .why = LAST_T,
        .source = NULL,
        .function = LIKE(generate, generate_first_tokens),
    },
    {
        .id = "prompt-alone",
        .what = "the model reads only the prompt, not the drawn tokens",
        .why = LAST_T,
        .source = NULL,
        .function = LIKE(generate, generate_prompt_only),
    },
    {
        .id = "last-token-alone",
        .what = "the model reads only the last token",
        .why = LAST_T " That would need a cache of keys and values (lab 9).",
        .source = NULL,
        .function = LIKE(generate, generate_last_token_only),
    },
    {
        .id = "one-token-less",
        .what = "the model reads at most T - 1 tokens",
        .why = LAST_T,
        .source = NULL,
        .function = LIKE(generate, generate_one_less),
    },
    {
        .id = "starts-anew",
        .what = "when the context is full, the model starts again with an empty context",
        .why = "It then knows nothing of the earlier text. " LAST_T,
        .source = NULL,
        .function = LIKE(generate, generate_from_scratch),
    },
    {
        .id = "first-logits",
        .what = "the token is drawn from the logits of the first position",
        .why =
            "logits has a row for each token read. The last one predicts the next token: "
            "z->logits + (T - 1) * V, with T the number of tokens read.",
        .source = NULL,
        .function = LIKE(generate, generate_first_logits),
    },
    {
        .id = "logits-before-last",
        .what = "the token is drawn from the second to last row of logits",
        .why = "That row predicts a token that is already known. The last row is at "
               "z->logits + (T - 1) * V, with T the number of tokens read.",
        .source = NULL,
        .function = LIKE(generate, generate_logits_before),
    },
    {
        .id = "newest-unread",
        .what = "the model does not read the newest token",
        .why = LAST_T,
        .source = NULL,
        .function = LIKE(generate, generate_newest_unread),
    },
    {
        .id = "prompt-rewritten",
        .what = "the new tokens are written over the prompt",
        .why = "Drawn token i goes to tokens[N + i].",
        .source = NULL,
        .function = LIKE(generate, generate_rewrites_prompt),
    },
    {
        .id = "first-uniform",
        .what = "every token is drawn with uniforms[0]",
        .why = "Each new token has its own u: uniforms[i].",
        .source = NULL,
        .function = LIKE(generate, generate_first_uniform),
    },
    {
        .id = "always-the-most-likely",
        .what = "the most likely token is always taken",
        .why = "Pass sampling to sample_token. Only temperature 0 means the most likely "
               "token.",
        .source = NULL,
        .function = LIKE(generate, generate_always_cold),
    },
    {
        .id = "no-temperature",
        .what = "the temperature is always 1",
        .why = "Pass sampling to sample_token unchanged.",
        .source = NULL,
        .function = LIKE(generate, generate_no_temperature),
    },
    {
        .id = "temperature-twice",
        .what = "the logits are divided by the temperature twice",
        .why = "sample_token divides by it. Pass sampling and the logits unchanged.",
        .source = NULL,
        .function = LIKE(generate, generate_temperature_twice),
    },
    {
        .id = "no-top-k",
        .what = "top_k is not used",
        .why = "Pass sampling to sample_token unchanged.",
        .source = NULL,
        .function = LIKE(generate, generate_no_top_k),
    },
    {
        .id = "no-top-p",
        .what = "top_p is not used",
        .why = "Pass sampling to sample_token unchanged.",
        .source = NULL,
        .function = LIKE(generate, generate_no_top_p),
    },
    {0},
};

static const struct mistake generate_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(generate, generate_by_pieces)},
    {.id = "in-double", .function = LIKE(generate, generate_in_double)},
    {0},
};

static const struct part generate_part[] = {
    {
        .function = "generate",
        .dims = MODEL_DIMS " N count total L1",
        .tensors =
            {
                {"tokens", "total", UPDATED, SIZE, 0, 0},
                ACTIVATION_TENSORS("", WORKSPACE, WORKSPACE, 0, 0),
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"probabilities", "V", WORKSPACE, F32, 0, 0},
                {"order", "V", WORKSPACE, SIZE, 0, 0},
                {"uniforms", "count", INPUT, F32, 0, 0},
                {"temperature", "1", INPUT, F32, 0, 0},
                {"top_k", "1", INPUT, SIZE, 0, 0},
                {"top_p", "1", INPUT, F32, 0, 0},
                {"returned status", "1", OUTPUT, SIZE, 0, 0},
            },
        .cases = generate_cases,
        .mistakes = generate_mistakes,
        .alternatives = generate_alternatives,
    },
    {0},
};

const struct exercise exercise_8_11 = {
    .id = "8.11",
    .name = "generate",
    .section = "8.11 Generating text",
    .uses = {"8.7", "8.10"},
    .hints =
        {
            "One token at a time: which tokens does the model read, which row of its "
            "logits counts, and where does the new token go?",
            "length = N + i. The context is the last min(length, shape->T) tokens; "
            "copy the shape, and set its B to 1 and its T to this number. "
            "language_forward without loss and targets, then sample_token on the "
            "logits of the last of them, into tokens[length].",
            "context = *shape; context.B = 1\n"
            "for each i below count: length = N + i\n"
            "    context.T = min(length, shape->T)\n"
            "    language_forward(NULL, z, params, tokens + length - context.T, NULL,"
            " &context)\n"
            "    sample_token(&tokens[length], probabilities, order,\n"
            "        z->logits + (context.T - 1) * shape->V, sampling, uniforms[i],"
            " shape->V)",
        },
    .parts = generate_part,
};
