// 03_prefill.c - exercise 9.3, prefill and decode_step: cases, properties and hints. The known
// mistakes are in 03b_model_mistakes.c.
//
// The cache of a case is what lab 8's language_forward computes for the tokens before the call. So
// the logits must be those of language_forward on all tokens, which the tensor `whole` holds. The
// functions do not get it: it is for the properties.

#include "exercises/exercise.h"
#include "exercises/09/model.h"
#include "exercises/common/inputs.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

static void forget_cache(struct test_case *test)
{
    memset(case_f32(test, "cache.keys"), 0,
           case_count(test, "cache.keys") * sizeof(float));
    memset(case_f32(test, "cache.values"), 0,
           case_count(test, "cache.values") * sizeof(float));
}

// N tokens that the cache of sequence b holds, followed by the n of `next`.
static void draw_text(struct test_case *test, struct lab_rng *rng, float *logits,
                      size_t b, size_t N, const size_t *next, size_t n)
{
    size_t *text = calloc(N + n + 1, sizeof *text);
    if (text == NULL) {
        abort();
    }
    case_size(test, "cache.lengths")[b] = N;
    if (N + n > 0) {
        random_tokens(text, N, case_dim(test, "V"), rng);
        if (n > 0) { // otherwise next may be NULL
            memcpy(text + N, next, n * sizeof *next);
        }
        remember_text(test, logits, text, b, N, n);
    }
    free(text);
}

// Sequence b holds N tokens; the others hold any number.
static void draw_prompt(struct test_case *test, struct lab_rng *rng, size_t N)
{
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 V = case_dim(test, "V"), n = case_dim(test, "n");
    const size_t own = B > 1 ? 1 + lab_rng_next32(rng) % (B - 1) : 0; // never the first
    float *others = borrow(V);
    *case_size(test, "b") = own;
    forget_cache(test);
    random_tokens(case_size(test, "tokens"), n, V, rng);
    for (size_t b = 0; b < B; b++) {
        if (b == own) {
            draw_text(test, rng, case_f32(test, "whole"), b, N, case_size(test, "tokens"),
                      n);
        } else {
            draw_text(test, rng, others, b, lab_rng_next32(rng) % (T + 1), NULL, 0);
        }
    }
    free(others);
}

static void fill_start(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    draw_prompt(test, rng, 0);
}

// There is room for one token more, or for none.
static void fill_behind(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    draw_prompt(test, rng, case_dim(test, "T") - case_dim(test, "n") - 1);
}

static void fill_to_the_end(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    draw_prompt(test, rng, case_dim(test, "T") - case_dim(test, "n"));
}

// In these three, each pair of matrices differs once.
enum {
    INT8_1 = 0x0f, // w_q w_k w_v w_o
    INT8_2 = 0x33, // w_q w_k w_gate w_up
    INT8_3 = 0x55, // w_q w_v w_gate w_down
};

#define INT8_PROMPT(name, int8)                                                          \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        draw_model(test, int8, rng);                                                     \
        draw_prompt(test, rng, case_dim(test, "T") - case_dim(test, "n") - 1);           \
    }

INT8_PROMPT(fill_int8, INT8_ALL)
INT8_PROMPT(fill_int8_1, INT8_1)
INT8_PROMPT(fill_int8_2, INT8_2)
INT8_PROMPT(fill_int8_3, INT8_3)

// The lengths of neighbors differ, if T allows it.
static void draw_steps(struct test_case *test, struct lab_rng *rng)
{
    const size_t B = case_dim(test, "B"), T = case_dim(test, "T"),
                 V = case_dim(test, "V");
    const size_t first = lab_rng_next32(rng), step = T > 2 ? 1 + first % (T - 2) : 1;
    size_t *tokens = case_size(test, "tokens");
    forget_cache(test);
    random_tokens(tokens, B, V, rng);
    for (size_t b = 0; b < B; b++) {
        draw_text(test, rng, case_f32(test, "whole") + b * V, b, (first + b * step) % T,
                  tokens + b, 1);
    }
}

static void fill_steps(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    draw_steps(test, rng);
}

#define INT8_STEPS(name, int8)                                                           \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        draw_model(test, int8, rng);                                                     \
        draw_steps(test, rng);                                                           \
    }

INT8_STEPS(fill_int8_steps, INT8_ALL)
INT8_STEPS(fill_int8_1_steps, INT8_1)
INT8_STEPS(fill_int8_2_steps, INT8_2)
INT8_STEPS(fill_int8_3_steps, INT8_3)

static void fill_one_step(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    forget_cache(test);
    random_tokens(case_size(test, "tokens"), 1, case_dim(test, "V"), rng);
    draw_text(test, rng, case_f32(test, "whole"), 0, case_dim(test, "T") - 1,
              case_size(test, "tokens"), 1);
}

static void fill_first_step(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    forget_cache(test);
    random_tokens(case_size(test, "tokens"), 1, case_dim(test, "V"), rng);
    draw_text(test, rng, case_f32(test, "whole"), 0, 0, case_size(test, "tokens"), 1);
}

// Blocks that add little, so that many of them do not magnify rounding.
static void draw_many_blocks(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    scale_input(test, "params.w_o", 0.1f);
    scale_input(test, "params.w_down", 0.1f);
}

static void fill_many_blocks(struct test_case *test, struct lab_rng *rng)
{
    draw_many_blocks(test, rng);
    draw_prompt(test, rng, 0);
}

static void fill_many_blocks_step(struct test_case *test, struct lab_rng *rng)
{
    draw_many_blocks(test, rng);
    draw_steps(test, rng);
}

// Any numbers in the cache, in quarters: the student archive need not store them.
static void draw_long_cache(struct test_case *test, struct lab_rng *rng, size_t n)
{
    draw_model(test, 0, rng);
    case_coarse(test, "cache.keys");
    case_coarse(test, "cache.values");
    random_tokens(case_size(test, "tokens"), n, case_dim(test, "V"), rng);
    *case_size(test, "cache.lengths") = case_dim(test, "T") - n - 1;
}

static void fill_long_cache(struct test_case *test, struct lab_rng *rng)
{
    draw_long_cache(test, rng, case_dim(test, "n"));
    *case_size(test, "b") = 0;
}

static void fill_long_step(struct test_case *test, struct lab_rng *rng)
{
    draw_long_cache(test, rng, 1);
}

// RMS norm scales channels 0 and 1 of every token, but does not change their signs. The token is the first of its
// sequence: rope turns it by nothing.
static void draw_far_heads(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    draw_model(test, 0, rng);
    set_channel(test, "params.token_table", C, 0, -1.0f);
    set_channel(test, "params.token_table", C, 1, 1.0f);
    heads_far_from_0(case_f32(test, "params.w_q"), case_f32(test, "params.w_k"), C, C,
                     case_dim(test, "hs"));
}

static void fill_far_start(struct test_case *test, struct lab_rng *rng)
{
    draw_far_heads(test, rng);
    draw_prompt(test, rng, 0);
}

static void fill_far_steps(struct test_case *test, struct lab_rng *rng)
{
    draw_far_heads(test, rng);
    draw_steps(test, rng);
}

// A long text, and then a token that 8 bits do not hold.
static void fill_far_token(struct test_case *test, struct lab_rng *rng)
{
    draw_model(test, 0, rng);
    forget_cache(test);
    *case_size(test, "tokens") = case_dim(test, "V") - 1;
    draw_text(test, rng, case_f32(test, "whole"), 0, case_dim(test, "T") - 1,
              case_size(test, "tokens"), 1);
}

// Logits of every size. All numbers are positive, so none of them is a small difference of others.
static void draw_every_size(struct test_case *test, struct lab_rng *rng)
{
    static const char *const square[] = {"params.w_q",   "params.w_k",    "params.w_v",
                                         "params.w_o",   "params.w_gate", "params.w_up",
                                         "params.w_down"};
    const size_t C = case_dim(test, "C");
    draw_model(test, 0, rng);
    repeat_rows(test, "params.token_table", C, 1, 1.0f, 0.25f);
    for (size_t m = 0; m < sizeof square / sizeof *square; m++) {
        unit_matrix(case_f32(test, square[m]), C); // H is C
    }
    set_all(test, "params.norm1", 1.0f);
    set_all(test, "params.norm2", 1.0f);
    set_all(test, "params.norm", 1.0f);
    rows_of_every_size(test, "params.w_out", C);
}

static void fill_every_size_start(struct test_case *test, struct lab_rng *rng)
{
    draw_every_size(test, rng);
    draw_prompt(test, rng, 0);
}

static void fill_every_size_steps(struct test_case *test, struct lab_rng *rng)
{
    draw_every_size(test, rng);
    draw_steps(test, rng);
}

// ---- refused calls: nothing is computed, so any numbers do

static void fill_refused(struct test_case *test, struct lab_rng *rng)
{
    const size_t B = case_dim(test, "B");
    draw_model(test, 0, rng);
    forget_cache(test);
    random_tokens(case_size(test, "tokens"), case_count(test, "tokens"),
                  case_dim(test, "V"), rng);
    memset(case_size(test, "cache.lengths"), 0, B * sizeof(size_t));
}

static void fill_refused_prompt(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    *case_size(test, "b") = case_dim(test, "B") - 1;
}

static void fill_bad_first(struct test_case *test, struct lab_rng *rng)
{
    fill_refused_prompt(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static void fill_bad_last(struct test_case *test, struct lab_rng *rng)
{
    fill_refused_prompt(test, rng);
    case_size(test, "tokens")[case_dim(test, "n") - 1] = case_dim(test, "V");
}

static void fill_no_such_sequence(struct test_case *test, struct lab_rng *rng)
{
    fill_refused_prompt(test, rng);
    *case_size(test, "b") = case_dim(test, "B");
}

// One row too few for n tokens.
static void fill_no_room(struct test_case *test, struct lab_rng *rng)
{
    fill_refused_prompt(test, rng);
    case_size(test, "cache.lengths")[case_dim(test, "B") - 1] =
        case_dim(test, "T") + 1 - case_dim(test, "n");
}

static void fill_no_room_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_no_room(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static const struct case_spec prefill_cases[] = {
    {.dims = "B=1 T=2 C=2 NH=1 hs=2 H=3 V=3 L=1 n=1 R=2",
     .fill = fill_start,
     .note = "one token into an empty cache"},
    {.dims = "B=1 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=3 R=5",
     .fill = fill_start,
     .note = "a prompt into an empty cache"},
    {.dims = "B=1 T=6 C=4 NH=2 hs=2 H=5 V=7 L=1 n=1 R=6",
     .fill = fill_behind,
     .note = "one token after others"},
    {.dims = "B=1 T=7 C=8 NH=2 hs=4 H=3 V=6 L=1 n=3 R=7",
     .fill = fill_behind,
     .note = "the second part of a prompt"},
    {.dims = "B=3 T=5 C=8 NH=4 hs=2 H=7 V=6 L=1 n=2 R=5",
     .fill = fill_start,
     .note = "one of three sequences"},
    {.dims = "B=2 T=7 C=8 NH=2 hs=4 H=5 V=9 L=2 n=3 R=7",
     .draws = 2,
     .fill = fill_behind,
     .note = "two blocks"},
    {.dims = "B=2 T=6 C=12 NH=2 hs=6 H=7 V=5 L=3 n=6 R=6",
     .fill = fill_to_the_end,
     .note = "a prompt that fills the cache"},
    {.dims = "B=3 T=8 C=12 NH=3 hs=4 H=7 V=5 L=2 n=3 R=8",
     .fill = fill_to_the_end,
     .note = "the last part of a prompt fills the cache"},
    {.dims = "B=7 T=4 C=8 NH=2 hs=4 H=5 V=6 L=2 n=2 R=7",
     .fill = fill_behind,
     .note = "more sequences than tokens"},
    {.dims = "B=1 T=1 C=6 NH=3 hs=2 H=5 V=4 L=2 n=1 R=1",
     .fill = fill_start,
     .note = "fewer rows than blocks and heads"},
    {.dims = "B=1 T=3 C=24 NH=4 hs=6 H=5 V=7 L=1 n=3 R=3",
     .fill = fill_to_the_end,
     .note = "fewer tokens than heads, and than a head is wide"},
    {.dims = "B=1 T=2 C=8 NH=1 hs=8 H=3 V=5 L=5 n=2 R=2",
     .fill = fill_to_the_end,
     .note = "five blocks"},
    {.dims = "B=2 T=29 C=16 NH=4 hs=4 H=40 V=30 L=2 n=17 R=29",
     .fill = fill_behind,
     .note = "larger"},
    {.dims = "B=1 T=512 C=4 NH=1 hs=4 H=3 V=512 L=1 n=256 R=512",
     .fill = fill_behind,
     .note = "256 tokens after 255 others; V is 512"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=5 V=6 L=2 n=1 R=3",
     .fill = fill_start,
     .note = "caches of one token"},
    {.dims = "B=2 T=5 C=4 NH=1 hs=4 H=5 V=6 L=2 n=3 R=5",
     .fill = fill_behind,
     .note = "one head, two blocks"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=1 V=6 L=2 n=3 R=5",
     .fill = fill_behind,
     .note = "an MLP of width 1"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=1 L=2 n=3 R=5",
     .fill = fill_behind,
     .note = "V is 1"},
    {.dims = "B=2 T=32 C=16 NH=2 hs=8 H=16 V=16 L=2 n=16 R=32",
     .fill = fill_start,
     .note = "16 tokens; C = H = V = 16"},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=3 V=6 L=1 n=1 R=1",
     .fill = fill_far_start,
     .note = FAR_HEADS_NOTE},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=4 V=13 L=1 n=1 R=1",
     .fill = fill_every_size_start,
     .unit = EVERY_SIZE_UNIT,
     .note = "logits from 1e-30 to 1e30"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=3 R=5",
     .fill = fill_bad_first,
     .note = "the first token is V, which is not below V"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=3 R=5",
     .fill = fill_bad_last,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=3 R=5",
     .fill = fill_no_such_sequence,
     .note = "b is B"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=3 R=5",
     .fill = fill_no_room,
     .note = "the cache has room for one token fewer than there are"},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=5 V=6 L=1 n=4 R=3",
     .fill = fill_refused_prompt,
     .note = "more tokens than T"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=3 R=5",
     .fill = fill_no_room_bad_token,
     .note = "no room, and a token is V: ESHAPE comes first"},
    {.dims = "B=2 T=5 C=6 NH=2 hs=3 H=3 V=7 L=1 n=4 R=5",
     .fill = fill_refused_prompt,
     .note = "C / NH is odd"},
    {.dims = "B=2 T=5 C=7 NH=2 hs=3 H=3 V=6 L=1 n=4 R=5",
     .fill = fill_refused_prompt,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 n=0 R=5",
     .fill = fill_refused_prompt,
     .note = "a prompt of 0 tokens"},
    {.dims = "B=2 T=5 C=4 NH=2 hs=2 H=0 V=6 L=1 n=3 R=5",
     .fill = fill_refused_prompt,
     .note = "a size of 0"},
    {.dims = "B=2 T=6 C=8 NH=2 hs=4 H=3 V=5 L=2 n=3 R=6",
     .apart = true,
     .fill = fill_int8,
     .note = "all matrices are int8: weights is NULL in each"},
    {.dims = "B=1 T=3 C=4 NH=1 hs=4 H=3 V=5 L=1 n=1 R=3",
     .apart = true,
     .fill = fill_int8,
     .note = "one block, one head, one token; all matrices are int8"},
    {.dims = "B=1 T=4 C=8 NH=2 hs=4 H=6 V=9 L=2 n=3 R=4",
     .apart = true,
     .fill = fill_int8_1,
     .note = "w_q, w_k, w_v and w_o are int8: weights is NULL there"},
    {.dims = "B=1 T=4 C=8 NH=2 hs=4 H=6 V=9 L=2 n=3 R=4",
     .apart = true,
     .fill = fill_int8_2,
     .note = "w_q, w_k, w_gate and w_up are int8: weights is NULL there"},
    {.dims = "B=1 T=4 C=8 NH=2 hs=4 H=6 V=9 L=2 n=3 R=4",
     .apart = true,
     .fill = fill_int8_3,
     .note = "w_q, w_v, w_gate and w_down are int8: weights is NULL there"},
    {.dims = "B=1 T=1103 C=2 NH=1 hs=2 H=3 V=5 L=1 n=2 R=1103",
     .fill = fill_long_cache,
     .note = "two tokens after 1100 others",
     .memory_only = true},
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3 V=3 L=64 n=1 R=2",
     .fill = fill_many_blocks,
     .note = "64 blocks",
     .memory_only = true},
    {.dims = "B=2 T=4 C=4 NH=2 hs=2 H=3 V=5 L=5 n=2 R=4",
     .fill = fill_behind,
     .note = "two sequences, five blocks"},
    {0},
};

static void fill_bad_last_step(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "tokens")[case_dim(test, "B") - 1] = case_dim(test, "V");
}

static void fill_bad_first_step(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static void fill_full(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "cache.lengths")[case_dim(test, "B") / 2] = case_dim(test, "T");
}

static void fill_last_is_full(struct test_case *test, struct lab_rng *rng)
{
    fill_refused(test, rng);
    case_size(test, "cache.lengths")[case_dim(test, "B") - 1] = case_dim(test, "T");
}

static void fill_full_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_last_is_full(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V");
}

static const struct case_spec decode_cases[] = {
    {.dims = "B=1 T=2 C=2 NH=1 hs=2 H=3 V=3 L=1 R=2",
     .fill = fill_first_step,
     .note = "the first token of a sequence"},
    {.dims = "B=1 T=5 C=4 NH=2 hs=2 H=3 V=6 L=1 R=5",
     .fill = fill_one_step,
     .note = "one sequence, and its cache is full afterwards"},
    {.dims = "B=2 T=5 C=8 NH=2 hs=4 H=3 V=6 L=1 R=5",
     .draws = 2,
     .fill = fill_steps,
     .note = "two sequences of unequal lengths"},
    {.dims = "B=3 T=7 C=8 NH=4 hs=2 H=5 V=6 L=1 R=7",
     .fill = fill_steps,
     .note = "three sequences"},
    {.dims = "B=3 T=6 C=8 NH=2 hs=4 H=7 V=5 L=2 R=6",
     .draws = 2,
     .fill = fill_steps,
     .note = "two blocks"},
    {.dims = "B=2 T=8 C=12 NH=2 hs=6 H=7 V=5 L=3 R=8",
     .fill = fill_steps,
     .note = "three blocks"},
    {.dims = "B=7 T=4 C=12 NH=3 hs=4 H=5 V=8 L=2 R=7",
     .fill = fill_steps,
     .note = "more sequences than tokens in each"},
    {.dims = "B=5 T=23 C=16 NH=4 hs=4 H=40 V=30 L=2 R=23",
     .fill = fill_steps,
     .note = "larger"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 R=5",
     .fill = fill_full,
     .note = "the cache of the middle sequence is full"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 R=5",
     .fill = fill_last_is_full,
     .note = "the cache of the last sequence is full"},
    {.dims = "B=256 T=3 C=4 NH=1 hs=4 H=3 V=6 L=1 R=256",
     .fill = fill_steps,
     .note = "256 sequences"},
    {.dims = "B=1 T=512 C=4 NH=1 hs=4 H=3 V=512 L=1 R=512",
     .fill = fill_far_token,
     .note = "token 511 after 511 others"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=5 V=6 L=2 R=3",
     .fill = fill_first_step,
     .note = "caches of one token"},
    {.dims = "B=1 T=5 C=4 NH=2 hs=2 H=3 V=6 L=2 R=5",
     .fill = fill_steps,
     .note = "one sequence, two blocks"},
    {.dims = "B=3 T=5 C=4 NH=1 hs=4 H=3 V=6 L=2 R=5",
     .fill = fill_steps,
     .note = "one head, two blocks"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=1 V=6 L=2 R=5",
     .fill = fill_steps,
     .note = "an MLP of width 1"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=3 V=1 L=2 R=5",
     .fill = fill_steps,
     .note = "V is 1"},
    {.dims = "B=4 T=16 C=16 NH=2 hs=8 H=16 V=16 L=2 R=16",
     .fill = fill_steps,
     .note = "T = C = H = V = 16"},
    {.dims = "B=2 T=1 C=4 NH=2 hs=2 H=3 V=6 L=1 R=2",
     .fill = fill_far_steps,
     .note = FAR_HEADS_NOTE},
    {.dims = "B=2 T=1 C=4 NH=2 hs=2 H=4 V=13 L=1 R=2",
     .fill = fill_every_size_steps,
     .unit = EVERY_SIZE_UNIT,
     .note = "logits from 1e-30 to 1e30"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 R=5",
     .fill = fill_bad_first_step,
     .note = "the first token is V, which is not below V"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 R=5",
     .fill = fill_bad_last_step,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=1 R=5",
     .fill = fill_full_bad_token,
     .note = "a cache is full, and a token is V: ESHAPE comes first"},
    {.dims = "B=3 T=5 C=6 NH=2 hs=3 H=7 V=4 L=1 R=5",
     .fill = fill_refused,
     .note = "C / NH is odd"},
    {.dims = "B=3 T=5 C=7 NH=2 hs=3 H=9 V=4 L=1 R=5",
     .fill = fill_refused,
     .note = "NH does not divide C"},
    {.dims = "B=3 T=5 C=4 NH=2 hs=2 H=7 V=6 L=0 R=5",
     .fill = fill_refused,
     .note = "a size of 0"},
    {.dims = "B=3 T=5 C=8 NH=2 hs=4 H=3 V=6 L=2 R=5",
     .apart = true,
     .fill = fill_int8_steps,
     .note = "all matrices are int8: weights is NULL in each"},
    {.dims = "B=1 T=3 C=4 NH=1 hs=4 H=3 V=5 L=1 R=3",
     .apart = true,
     .fill = fill_int8_steps,
     .note = "one block, one head, one sequence; all matrices are int8"},
    {.dims = "B=2 T=4 C=8 NH=2 hs=4 H=6 V=9 L=2 R=4",
     .apart = true,
     .fill = fill_int8_1_steps,
     .note = "w_q, w_k, w_v and w_o are int8: weights is NULL there"},
    {.dims = "B=2 T=4 C=8 NH=2 hs=4 H=6 V=9 L=2 R=4",
     .apart = true,
     .fill = fill_int8_2_steps,
     .note = "w_q, w_k, w_gate and w_up are int8: weights is NULL there"},
    {.dims = "B=2 T=4 C=8 NH=2 hs=4 H=6 V=9 L=2 R=4",
     .apart = true,
     .fill = fill_int8_3_steps,
     .note = "w_q, w_v, w_gate and w_down are int8: weights is NULL there"},
    {.dims = "B=1 T=1103 C=2 NH=1 hs=2 H=3 V=5 L=1 R=1103",
     .fill = fill_long_step,
     .note = "a token after 1101 others",
     .memory_only = true},
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3 V=3 L=64 R=2",
     .fill = fill_many_blocks_step,
     .note = "64 blocks",
     .memory_only = true},
    {.dims = "B=2 T=4 C=4 NH=2 hs=2 H=3 V=5 L=5 R=4",
     .fill = fill_steps,
     .note = "two sequences, five blocks"},
    {0},
};

// ---- properties ---------------------------------------------------------------------------

// BEGIN HANDED OUT
static bool as_whole(const struct test_case *test, char *why, size_t why_size)
{
    const float *got = case_got(test, "logits"), *whole = case_input(test, "whole");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        const float allowed = 1e-4f + 1e-4f * fabsf(whole[i]);
        if (!(fabsf(got[i] - whole[i]) <= allowed)) {
            const size_t V = case_dim(test, "V");
            snprintf(why, why_size,
                     "language_forward on all tokens of sequence %zu gives token %zu "
                     "the logit %.9g; with the cache, it is %.9g",
                     case_count(test, "logits") > V ? i / V : 0, i % V, (double)whole[i],
                     (double)got[i]);
            return false;
        }
    }
    return true;
}

static bool both_as_whole(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size)
{
    return as_whole(first, why, why_size) && as_whole(second, why, why_size);
}
// END HANDED OUT

// The same model continues with another text, of which another part is in the cache.
static void change_split(struct test_case *second, struct lab_rng *rng)
{
    const size_t room = case_dim(second, "T") - case_dim(second, "n");
    draw_prompt(second, rng, lab_rng_next32(rng) % (room + 1));
}

static void change_steps(struct test_case *second, struct lab_rng *rng)
{
    draw_steps(second, rng);
}

#define PREFILL_CLAIM                                                                    \
    "with the earlier tokens in the cache, prefill gives the same logits as "            \
    "language_forward on all tokens"
#define DECODE_CLAIM                                                                     \
    "with the earlier tokens in the cache, decode_step gives the same logits as "        \
    "language_forward on all tokens"

static const struct property prefill_properties[] = {
    {
        .id = "prompt-is-whole",
        .claim = PREFILL_CLAIM,
        .dims = "B=2 T=9 C=8 NH=2 hs=4 H=7 V=6 L=2 n=4 R=9",
        .fill = fill_start,
        .change = change_split,
        HOLDS(both_as_whole),
    },
    {
        .id = "split-prompt-is-whole",
        .claim = PREFILL_CLAIM,
        .dims = "B=1 T=8 C=8 NH=4 hs=2 H=5 V=6 L=3 n=3 R=8",
        .fill = fill_to_the_end,
        .change = change_split,
        HOLDS(both_as_whole),
    },
    {0},
};

static const struct property decode_properties[] = {
    {
        .id = "steps-are-whole",
        .claim = DECODE_CLAIM,
        .dims = "B=4 T=9 C=8 NH=2 hs=4 H=7 V=6 L=2 R=9",
        .fill = fill_steps,
        .change = change_steps,
        HOLDS(both_as_whole),
    },
    {0},
};

// ---- what is asked ------------------------------------------------------------------------

#define STAGES                                                                           \
    "z.normed1 z.q:z.normed1 z.k:z.normed1 z.v:z.normed1 z.q_turned:z.q z.k_turned:z.k " \
    "cache.keys:z.k_turned cache.values:z.v "                                            \
    "z.weights:z.q_turned,cache.keys z.merged:z.weights,cache.values "                   \
    "z.attended:z.merged z.middle:z.attended z.normed2:z.middle z.gate:z.normed2 "       \
    "z.up:z.normed2 z.hidden:z.gate,z.up z.projected:z.hidden "                          \
    "z.stream:z.middle,z.projected z.normed:z.stream logits:z.normed"

static const struct part model_parts[] = {
    {
        .function = "prefill",
        .dims = MODEL_DIMS " n R",
        .tensors =
            {
                {"logits", "V", OUTPUT, F32, FORWARD_TOLERANCE},
                CACHE_TENSORS(UPDATED, FORWARD_TOLERANCE),
                BUFFER_TENSORS,
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                SCALES_TENSOR,
                {"tokens", "n", INPUT, SIZE, 0, 0},
                {"b", "1", INPUT, SIZE, 0, 0},
                {"whole", "V", WITHHELD, F32, 0, 0},
            },
        .stages = STAGES,
        .cases = prefill_cases,
        .properties = prefill_properties,
        .mistakes = prefill_mistakes,
        .alternatives = prefill_alternatives,
    },
    {
        .function = "decode_step",
        .dims = MODEL_DIMS " R",
        .tensors =
            {
                {"logits", "B V", OUTPUT, F32, FORWARD_TOLERANCE},
                CACHE_TENSORS(UPDATED, FORWARD_TOLERANCE),
                BUFFER_TENSORS,
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                SCALES_TENSOR,
                {"tokens", "B", INPUT, SIZE, 0, 0},
                {"whole", "B V", WITHHELD, F32, 0, 0},
            },
        .stages = STAGES,
        .cases = decode_cases,
        .properties = decode_properties,
        .mistakes = decode_mistakes,
        .alternatives = decode_alternatives,
    },
    {0},
};

const struct exercise exercise_9_3 = {
    .id = "9.3",
    .name = "prefill and decode_step",
    .section = "9.3 Prefill and decode steps",
    .uses = {"9.1", "9.2", "7.3", "8.3", "8.4", "2.3", "5.5", "6.2"},
    .hints =
        {
            "Both functions run lab 8's blocks on a few rows. First, find two things "
            "for each row: which sequence does it belong to, and at which position?",
            "In block l: q, k and v of all rows. Then for each row, in order: rope "
            "with its own position, cache_append of k_turned and v to its sequence in "
            "this layer, attention_decode over position + 1 keys. A row (C) has the "
            "layout (NH, hs), so there is nothing to split or merge. The rest is lab "
            "8's language_block. lengths grows once, at the end.",
            "sequences[i] = b, positions[i] = lengths[b] + i    (decode: b, lengths[b])\n"
            "embedding(z->stream, tokens, params->token_table, R, C, V)\n"
            "for each l: block = generation_block(params, shape, l)\n"
            "    rmsnorm(normed1), generation_linear for q, k, v\n"
            "    for each row r: at = (l * B + sequences[r]) * T * C\n"
            "        rope(q_turned + r * C, q + r * C, &positions[r], 1, NH, 1, hs); k likewise\n"
            "        cache_append(keys + at, k_turned + r * C, &positions[r], 1, NH, 1, T, hs)\n"
            "        cache_append(values + at, v + r * C, ...); seen = positions[r] + 1\n"
            "        attention_decode(merged + r * C, ..., &seen, 1, NH, T, hs)\n"
            "    generation_linear(attended), residual_add(middle), rmsnorm(normed2), gate, up,\n"
            "    swiglu, projected, residual_add(stream)\n"
            "rmsnorm(normed) of the last row (decode: of all), w_out; lengths grow",
        },
    .parts = model_parts,
};
