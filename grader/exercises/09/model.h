// model.h - shared by 9.3 and 9.7: the tensors of a model with a cache, and texts to continue.

#ifndef GRADER_09_MODEL_H
#define GRADER_09_MODEL_H

#include "exercises/common/language.h"
#include "exercises/exercise.h"

#include "09_generation/generation.h"

// Of what a forward pass computes.
#define FORWARD_TOLERANCE 4e-5f, 1e-4f

// clang-format off

// The fields of struct kv_cache in their order.
#define CACHE_TENSORS(role, ...)                                                         \
    {"cache.keys",    "L B NH T hs", role, F32,  __VA_ARGS__},                           \
    {"cache.values",  "L B NH T hs", role, F32,  __VA_ARGS__},                           \
    {"cache.lengths", "B",           role, SIZE, 0, 0}

// Those of struct generation_buffers.
#define BUFFER_TENSORS                                                                   \
    {"z.stream",    "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.normed1",   "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.rrms1",     "R",      WORKSPACE, F32,  0, 0},                                    \
    {"z.q",         "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.k",         "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.v",         "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.q_turned",  "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.k_turned",  "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.scores",    "R NH T", WORKSPACE, F32,  0, 0},                                    \
    {"z.weights",   "R NH T", WORKSPACE, F32,  0, 0},                                    \
    {"z.merged",    "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.attended",  "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.middle",    "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.normed2",   "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.rrms2",     "R",      WORKSPACE, F32,  0, 0},                                    \
    {"z.gate",      "R H",    WORKSPACE, F32,  0, 0},                                    \
    {"z.up",        "R H",    WORKSPACE, F32,  0, 0},                                    \
    {"z.hidden",    "R H",    WORKSPACE, F32,  0, 0},                                    \
    {"z.projected", "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.normed",    "R C",    WORKSPACE, F32,  0, 0},                                    \
    {"z.rrms",      "R",      WORKSPACE, F32,  0, 0},                                    \
    {"z.logits",    "B V",    WORKSPACE, F32,  0, 0},                                    \
    {"z.sequences", "R",      WORKSPACE, SIZE, 0, 0},                                    \
    {"z.positions", "R",      WORKSPACE, SIZE, 0, 0},                                    \
    {"z.next",      "B",      WORKSPACE, SIZE, 0, 0}
// clang-format on

// The matrices of a case are floats. If it has scales, the adaptor stores each matrix whose scales are
// not 0 as int8: row o with scale o % SCALES. A case without scales has NULL there.
enum { SCALES = 7 };
#define SCALES_TENSOR                                                                    \
    {                                                                                    \
        "int8 scales", "8 7", INPUT, F32, 0, 0                                           \
    }

// The arguments of the three functions, to declare and to hand on.
#define PREFILL_ARGUMENTS                                                                \
    float *logits, const struct kv_cache *cache, const struct generation_buffers *z,     \
        const struct generation_params *params, const size_t *tokens, size_t b,          \
        size_t n, const struct language_shape *shape
#define PREFILL_VALUES logits, cache, z, params, tokens, b, n, shape
#define DECODE_ARGUMENTS                                                                 \
    float *logits, const struct kv_cache *cache, const struct generation_buffers *z,     \
        const struct generation_params *params, const size_t *tokens,                    \
        const struct language_shape *shape
#define DECODE_VALUES logits, cache, z, params, tokens, shape

typedef lab_status prefill_function(PREFILL_ARGUMENTS);
typedef lab_status decode_function(DECODE_ARGUMENTS);

// Runs lab 8's language_forward on tokens (N + n). Keys and values of the first N become those of
// sequence b in the case's cache; the logits of the last token go to logits (V).
void remember_text(struct test_case *test, float *logits, const size_t *tokens, size_t b,
                   size_t N, size_t n);

// Draws new parameters. Matrices whose bits are set in `int8`, w_q first, get scales and consist
// of multiples of them. Without any, the scales are left out.
enum { INT8_ALL = 0xff };
void draw_model(struct test_case *test, unsigned int8, struct lab_rng *rng);

// The matrices of params, w_q first.
enum { MATRICES = 8 };
void matrices_of(struct generation_matrix *all, const struct generation_params *params);

// The numbers (O, I) of a matrix as floats; the caller frees them.
float *floats_of(const struct generation_matrix *matrix, size_t O, size_t I);

// The model with one fault. What is not named here is right.
enum model_fault {
    MODEL_RIGHT,
    MODEL_POSITION_0,
    MODEL_POSITION_IN_CALL,
    MODEL_POSITION_ONE_MORE,
    MODEL_POSITION_IS_LENGTH,
    MODEL_POSITION_OF_FIRST,
    MODEL_ROPE_ON_Q_ALONE,
    MODEL_ROPE_ON_V,
    MODEL_TURNED_WHEN_READ,
    MODEL_TURNED_TWICE,
    MODEL_STARTS_ANEW,
    MODEL_LENGTHS_LEFT,
    MODEL_LENGTHS_BY_LAYER,
    MODEL_LENGTHS_ONE_MORE,
    MODEL_LENGTHS_OF_ALL,
    MODEL_LENGTH_PLUS_1,
    MODEL_LENGTH_SET,
    MODEL_LAYER_0_CACHE,
    MODEL_SEQUENCE_0,
    MODEL_CACHE_AS_BL,
    MODEL_NO_MASK,
    MODEL_OLD_UNSEEN,
    MODEL_ITSELF_UNSEEN,
    MODEL_ATTENDS_FIRST,
    MODEL_WHOLE_CACHE_SEEN,
    MODEL_LONGEST_SEEN,
    MODEL_VALUES_ARE_KEYS,
    MODEL_FIRST_PARAMS,
    MODEL_NO_NORM1,
    MODEL_NO_NORM2,
    MODEL_NO_W_O,
    MODEL_NO_RESIDUALS,
    MODEL_GATE_UP_SWAPPED,
    MODEL_NO_LAST_NORM,
    MODEL_UP_AS_GATE,
    MODEL_K_AS_Q,
    MODEL_NORM1_FOR_BOTH,
    MODEL_NORM2_OF_STREAM,
    MODEL_RESIDUAL_OF_NORMED1,
    MODEL_RESIDUAL2_OF_NORMED2,
    MODEL_Q_UNTURNED,
    MODEL_TIED,
    MODEL_LOGITS_OF_FIRST,
    MODEL_FIRST_TOKEN_FOR_ALL,
    MODEL_BY_HEADS,  // right: with lab 4's attention, on a copy of the cache
    MODEL_IN_DOUBLE, // right
};
lab_status prefill_with(enum model_fault fault, PREFILL_ARGUMENTS);
lab_status decode_with(enum model_fault fault, DECODE_ARGUMENTS);

extern const struct mistake prefill_mistakes[], prefill_alternatives[];
extern const struct mistake decode_mistakes[], decode_alternatives[];

#endif
