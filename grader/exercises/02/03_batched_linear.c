// 03_batched_linear.c - exercise 2.3, batched_linear: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/02/shared.h"
#include "exercises/common/inputs.h"

#include <cblas.h>

#include "02_batching/batching.h"

enum bias_rule {
    PER_OUTPUT,
    NO_BIAS,
    PER_TOKEN,
    PER_SEQUENCE,
    PER_ROW,
    FIRST_SEQUENCE,
    FROM_OUTPUT_1,
    FROM_ROW_1,
    OF_OUTPUT_0,
    REPLACES
};

// A linear layer: a product of x and w read with given layouts, and a bias added by a given
// rule.
static lab_status linear_by(float *y, const float *x, struct layout lx, const float *w,
                            struct layout lw, const float *bias, enum bias_rule rule,
                            size_t B, size_t T, size_t I, size_t O)
{
    if (B == 0 || T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    multiply(y, (struct layout){T * O, O, 1}, x, lx, w, lw, B, T, O, I);
    if (bias == NULL || rule == NO_BIAS) {
        return LAB_OK;
    }
    for (size_t i = 0; i < (rule == FIRST_SEQUENCE ? 1 : B); i++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t o = 0; o < O; o++) {
                // "% O" stays inside bias; the cases have B and T at most O.
                const size_t place = rule == PER_TOKEN      ? t % O
                                     : rule == PER_SEQUENCE ? i % O
                                     : rule == PER_ROW      ? (i * T + t) % O
                                     : rule == OF_OUTPUT_0  ? 0
                                                            : o;
                const bool left_out = (rule == FROM_OUTPUT_1 && o == 0) ||
                                      (rule == FROM_ROW_1 && i == 0 && t == 0);
                float *y_ito = y + (i * T + t) * O + o;
                *y_ito =
                    (rule == REPLACES ? 0.0f : *y_ito) + (left_out ? 0.0f : bias[place]);
            }
        }
    }
    return LAB_OK;
}

#define LINEAR_ARGUMENTS                                                                 \
    float *y, const float *x, const float *w, const float *bias, size_t B, size_t T,     \
        size_t I, size_t O

// BIASED(name, rule): the right product, and the bias by that rule.
#define BIASED(name, rule) LINEAR(name, RIGHT_X, RIGHT_W, rule, B)

// LINEAR(name, x, w, rule, sequences): the layer for that many sequences, with these
// layouts.
#define LINEAR(name, x_lies, w_lies, rule, sequences)                                    \
    static lab_status name(LINEAR_ARGUMENTS)                                             \
    {                                                                                    \
        return linear_by(y, x, x_lies, w, w_lies, bias, rule, sequences, T, I, O);       \
    }
#define RIGHT_X ((struct layout){T * I, I, 1})
#define RIGHT_W ((struct layout){0, 1, I})

BIASED(linear_no_bias, NO_BIAS)
BIASED(linear_bias_first_sequence, FIRST_SEQUENCE)
BIASED(linear_bias_from_1, FROM_OUTPUT_1)
BIASED(linear_bias_from_row_1, FROM_ROW_1)
BIASED(linear_bias_of_output_0, OF_OUTPUT_0)
BIASED(linear_bias_replaces, REPLACES)
LINEAR(linear_w_in_out, RIGHT_X, ((struct layout){0, O, 1}), PER_OUTPUT, B)
LINEAR(linear_always_first, ((struct layout){0, I, 1}), RIGHT_W, PER_OUTPUT, B)
// T rows instead of B * T: the other sequences are never written.
LINEAR(linear_first_only, RIGHT_X, RIGHT_W, PER_OUTPUT, B > 0)
// Right: loops.
BIASED(linear_loops, PER_OUTPUT)

static lab_status linear_bias_asked_for_its_number(LINEAR_ARGUMENTS)
{
    const bool asked = bias != NULL && bias[0] != 0.0f;
    return batched_linear(y, x, w, asked ? bias : NULL, B, T, I, O);
}

static lab_status linear_bias_per_token(LINEAR_ARGUMENTS)
{
    if (bias != NULL && T > O) {
        return LEAVES_ARGUMENTS;
    }
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_TOKEN, B, T, I, O);
}

static lab_status linear_bias_per_sequence(LINEAR_ARGUMENTS)
{
    if (bias != NULL && B > O) {
        return LEAVES_ARGUMENTS;
    }
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_SEQUENCE, B, T, I, O);
}

static lab_status linear_bias_per_row(LINEAR_ARGUMENTS)
{
    if (bias != NULL && B * T > O) {
        return LEAVES_ARGUMENTS;
    }
    return linear_by(y, x, RIGHT_X, w, RIGHT_W, bias, PER_ROW, B, T, I, O);
}

// cublasSgemm with x first: y becomes (O, B * T) in rows, and then gets its bias as if it
// were (B * T, O).
static lab_status linear_operands_swapped(LINEAR_ARGUMENTS)
{
    if (B == 0 || T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    multiply(y, (struct layout){0, B * T, 1}, w, (struct layout){0, I, 1}, x,
             (struct layout){0, 1, I}, 1, O, B * T, I);
    for (size_t i = 0; bias != NULL && i < B * T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;
}

// Right: y starts as the bias, and beta = 1 adds the product to it.
static lab_status linear_bias_first(LINEAR_ARGUMENTS)
{
    if (B == 0 || T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T * O; i++) {
        y[i] = bias == NULL ? 0.0f : bias[i % O];
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(B * T), (int)O, (int)I,
                1.0f, x, (int)I, w, (int)I, 1.0f, y, (int)O);
    return LAB_OK;
}

// Right: one product per sequence.
static lab_status linear_per_sequence(LINEAR_ARGUMENTS)
{
    for (size_t i = 0; i < B; i++) {
        const lab_status status =
            linear_bias_first(y + i * T * O, x + i * T * I, w, bias, 1, T, I, O);
        if (status != LAB_OK) {
            return status;
        }
    }
    return B == 0 ? LAB_ESHAPE : LAB_OK;
}

static void without_bias(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "bias");
}

// A bias is there if its pointer is not NULL, whatever its first number is.
static void bias_begins_with_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "bias")[0] = 0.0f;
}

static void whole_layer_without_bias(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    case_absent(test, "bias");
}

static void small_layer_without_bias(struct test_case *test, struct lab_rng *rng)
{
    small_layer(test, rng);
    without_bias(test, rng);
}

// With a bias, B and T are at most O except in the special cases, so a bias indexed by
// token or by sequence stays inside. With more tokens than outputs it crashes, and the
// judge cannot name the mistake.
// Equal results take no room in the student archive.
static void only_ones(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const inputs[] = {"x", "w", "bias"};
    for (size_t input = 0; input < sizeof inputs / sizeof inputs[0]; input++) {
        for (size_t i = 0; i < case_count(test, inputs[input]); i++) {
            case_f32(test, inputs[input])[i] = 1.0f;
        }
    }
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "x", 1);
    repeat_numbers(test, "w", 2);
    repeat_numbers(test, "bias", 4);
}

static const struct case_spec linear_cases[] = {
    {.dims = "B=1 T=1 I=1 O=1",
     .note = "whole numbers, to check by hand",
     .fill = whole_layer},
    {.dims = "B=1 T=2 I=3 O=2",
     .note = "one sequence, whole numbers, to check by hand",
     .fill = whole_layer},
    {.dims = "B=2 T=1 I=3 O=2",
     .note = "one token per sequence, whole numbers, to check by hand",
     .fill = whole_layer},
    {.dims = "B=2 T=3 I=4 O=5"},
    {.dims = "B=3 T=4 I=5 O=5", .note = "a square weight"},
    {.dims = "B=2..4 T=2..5 I=2..9 O=6..9", .draws = 4},
    {.dims = "B=3 T=17 I=33 O=19", .note = "larger, odd sizes"},
    {"B=3 T=67 I=131 O=71", 1, "larger than 64", small_layer, .all_set = true},
    {"B=131 T=3 I=5 O=137", 1, "more than 256 rows", small_layer, .all_set = true},
    {"B=3 T=131 I=2 O=257", 1, "more than 256 outputs", small_layer, .all_set = true},
    {"B=2 T=3 I=4 O=67", 1, "many more outputs than rows", small_layer, .all_set = true},
    {"B=2 T=3 I=1031 O=5", 1, "sums of more than 1024 terms", small_layer,
     .all_set = true},
    {.dims = "B=2 T=3 I=1 O=5", .note = "one input"},
    {.dims = "B=2 T=3 I=4 O=6", .fill = bias_begins_with_0, .note = "bias[0] is 0"},
    {.dims = "B=2 T=3 I=256 O=8",
     .fill = small_layer,
     .all_set = true,
     .note = "sums of exactly 256 terms"},
    {.dims = "B=2 T=3 I=5 O=256",
     .fill = small_layer,
     .all_set = true,
     .note = "exactly 256 outputs"},
    {.dims = "B=2 T=64 I=64 O=64",
     .fill = small_layer,
     .all_set = true,
     .note = "T, I and O are 64"},
    {.dims = "B=0 T=3 I=4 O=5", .note = "a size is zero"},
    {.dims = "B=2 T=0 I=4 O=5", .note = "a size is zero"},
    {.dims = "B=2 T=3 I=0 O=5", .note = "a size is zero"},
    {.dims = "B=2 T=3 I=4 O=0", .note = "a size is zero"},
    {.dims = "B=2 T=3 I=5 O=4",
     .note = TINY_NOTE,
     .fill = tiny_layer,
     .unit = TINY * TINY},
    {.dims = "B=2 T=3 I=5 O=4", .note = LARGE_NOTE, .fill = large_layer},
    // Where bias is NULL: if the function reads it without asking, the calls before have shown its other
    // mistakes.
    {.dims = "B=1 T=1 I=1 O=1",
     .note = "no bias, whole numbers, to check by hand",
     .fill = whole_layer_without_bias,
     .apart = true},
    {.dims = "B=2 T=1 I=1 O=1",
     .note = "no bias, whole numbers, to check by hand",
     .fill = whole_layer_without_bias,
     .apart = true},
    {.dims = "B=2 T=3 I=4 O=5", .note = "no bias", .fill = without_bias, .apart = true},
    {.dims = "B=4 T=7 I=5 O=3", .note = "no bias", .fill = without_bias, .apart = true},
    {"B=3 T=173 I=61 O=67", 1, "more than 2 million products, no bias",
     small_layer_without_bias, true, .all_set = true, .apart = true},
    {"B=523 T=2 I=3 O=5", 1, "more than 512 sequences, no bias", small_layer_without_bias,
     .all_set = true, .apart = true},
    {"B=2 T=1031 I=5 O=3", 1, "more than 1024 tokens, no bias", small_layer_without_bias,
     .all_set = true, .apart = true},
    {"B=2 T=3 I=5 O=1031", 1, "more than 1024 outputs, no bias", small_layer_without_bias,
     .all_set = true, .apart = true},
    {.dims = "B=2 T=3 I=4 O=1",
     .fill = without_bias,
     .note = "no bias, one output",
     .apart = true},
    {.dims = "B=256 T=2 I=3 O=5",
     .fill = small_layer_without_bias,
     .all_set = true,
     .note = "exactly 256 sequences, no bias",
     .apart = true},
    {.dims = "B=2 T=256 I=5 O=3",
     .fill = small_layer_without_bias,
     .all_set = true,
     .note = "exactly 256 tokens, no bias",
     .apart = true},
    {.dims = "B=2 T=7 I=4 O=3", .note = "more tokens than outputs", .apart = true},
    {.dims = "B=7 T=2 I=4 O=3", .note = "more sequences than outputs", .apart = true},
    {.dims = "B=3 T=1367 I=2 O=3",
     .note = "more than 4096 rows",
     .fill = small_layer,
     .all_set = true,
     .apart = true},
    // 33 blocks of 32 columns: more blocks than a block has threads in a row.
    {.dims = "B=2 T=3 I=2 O=1031",
     .note = "more than 1024 outputs",
     .fill = small_layer,
     .all_set = true,
     .gpu_only = true},
    // With grid and block exchanged, more threads than a block can have.
    {.dims = "B=1 T=1 I=1 O=32801",
     .note = "more than 32768 outputs",
     .fill = only_ones,
     .all_set = true,
     .apart = true,
     .gpu_only = true,
     .launch_only = true},
    // 65538 blocks of 8 rows: more than a grid can have.
    {.dims = "B=3 T=174767 I=1 O=1",
     .note = "half a million rows",
     .apart = true,
     .gpu_only = true},
    {.dims = "B=2 T=3 I=4 O=1", .note = "one output", .apart = true},
    {MOST_CALLS("B=2 T=1 I=1 O=1", "B")},
    {MOST("B=1 T=2 I=1 O=1", "T")},
    {MOST("B=1 T=1 I=1 O=2", "O")},
    {TOO_LARGE("B=2 T=4 I=5 O=3", "B", "B")},
    {TOO_LARGE("B=2 T=3 I=5 O=4", "T", "T")},
    {TOO_LARGE("B=2 T=3 I=5 O=4", "I", "I")},
    {TOO_LARGE("B=2 T=3 I=5 O=4", "O", "O")},
    {TOO_LARGE("B=2 T=3 I=5 O=4", "B T", "B * T")},
    {TOO_LARGE_FOR_BLAS("B=2 T=3 I=5 O=4", "I", "I")},
    {TOO_LARGE_FOR_BLAS("B=2 T=3 I=5 O=4", "O", "O")},
    {TOO_LARGE_FOR_BLAS("B=2 T=3 I=5 O=4", "B T", "B * T")},
    {MORE_THAN_16_BITS("B=65543 T=1 I=1 O=1", repeated, "65543 sequences")},
    {MORE_THAN_16_BITS("B=1 T=65543 I=1 O=1", repeated, "65543 tokens")},
    {0},
};

static void change_x(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "x");
}

// BEGIN HANDED OUT
static bool other_y_unchanged(const struct test_case *first,
                              const struct test_case *second, char *why, size_t why_size)
{
    return others_unchanged(first, second, "y", why, why_size);
}
// END HANDED OUT

static const struct property linear_properties[] = {
    {
        .id = "sequences-apart",
        .claim = "changing one sequence does not change the rows of the others",
        .dims = "B=3 T=2 I=4 O=5",
        .change = change_x,
        HOLDS(other_y_unchanged),
    },
    {0},
};

static const struct mistake linear_mistakes[] = {
    {
        .id = "no-bias",
        .what = "the bias is never added",
        .why = "y = x w^T + bias. After the product, add bias[o] to y[b][t][o] in "
               "every row.",
        .function = LIKE(batched_linear, linear_no_bias),
    },
    {
        .id = "bias-replaces",
        .what = "the bias replaces the product instead of being added to it",
        .why = "y = x w^T + bias: += adds bias[o] to the product, = replaces it.",
        .function = LIKE(batched_linear, linear_bias_replaces),
    },
    {
        .id = "bias-per-token",
        .what = "the bias is indexed by token, bias[t], not by output",
        .why = "bias has O elements, one for each column of y. Add bias[o] to column o "
               "of every row.",
        .function = LIKE(batched_linear, linear_bias_per_token),
    },
    {
        .id = "bias-per-row",
        .what = "the bias is indexed by row, not by output: bias[b * T + t]",
        .why = "bias has O elements, one for each column of y. Add bias[o] to column o "
               "of every row.",
        .function = LIKE(batched_linear, linear_bias_per_row),
    },
    {
        .id = "bias-per-sequence",
        .what = "the bias is indexed by sequence, bias[b], not by output",
        .why = "bias has O elements, one for each column of y. Add bias[o] to column o "
               "of every row.",
        .function = LIKE(batched_linear, linear_bias_per_sequence),
    },
    {
        .id = "bias-first-sequence",
        .what = "the bias is added to the first T rows only, not to all B*T",
        .why = "There are B * T rows, T for each sequence. The loop that adds the bias "
               "must run over all of them.",
        .function = LIKE(batched_linear, linear_bias_first_sequence),
    },
    {
        .id = "bias-number-asked",
        .what = "the bias is left out if bias[0] is 0",
        .why = "There is a bias if the pointer is not NULL, whatever the numbers are: "
               "if (bias != NULL), without * or [0].",
        .function = LIKE(batched_linear, linear_bias_asked_for_its_number),
    },
    {
        .id = "bias-from-1",
        .what = "output 0 gets no bias",
        .why = "Indices in C start at 0: for (size_t o = 0; o < O; o++).",
        .function = LIKE(batched_linear, linear_bias_from_1),
    },
    {
        .id = "bias-from-row-1",
        .what = "row 0 gets no bias",
        .why = "Indices in C start at 0: for (size_t n = 0; n < B * T; n++).",
        .function = LIKE(batched_linear, linear_bias_from_row_1),
    },
    {
        .id = "bias-of-output-0",
        .what = "every output gets the bias of output 0: bias[0] instead of bias[o]",
        .why = "There is one bias for each output: bias[o], with the letter o.",
        .function = LIKE(batched_linear, linear_bias_of_output_0),
    },
    {
        .id = "in-out",
        .what = "the weight is read as (I, O) instead of (O, I)",
        .why = "Row o of w holds the I weights of output o, as in PyTorch: y = x w^T, so "
               "call matmul_nt. With a square weight all sizes fit, and only the numbers "
               "are wrong.",
        .source = "nntile/nntile#370",
        .function = LIKE(batched_linear, linear_w_in_out),
    },
    {
        .id = "always-first",
        .what = "every sequence gets the projection of sequence 0, not its own",
        .why = "x must move with the batch. If you read x as one matrix of B * T rows, "
               "you need no loop at all.",
        .function = LIKE(batched_linear, linear_always_first),
    },
    {
        .id = "first-only",
        .what = "only the first sequence is projected; the rest of y is never written",
        .why = "The product ran over T rows, but x has B * T rows, and all of them use "
               "the same weight.",
        .function = LIKE(batched_linear, linear_first_only),
    },
    {
        .id = "operands-swapped",
        .what = "the product is written transposed, as (O, B*T)",
        .why =
            "cuBLAS stores matrices by columns; we store them by rows. To get y by rows, "
            "ask for y^T = w x^T by columns: w before x, O before B*T, and O as the "
            "leading dimension of y.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(batched_linear, linear_operands_swapped),
    },
    {0},
};

static const struct mistake linear_alternatives[] = {
    {.id = "loops", .what = "four loops", .function = LIKE(batched_linear, linear_loops)},
    {.id = "bias-first",
     .what = "bias copied first, beta = 1",
     .function = LIKE(batched_linear, linear_bias_first)},
    {.id = "per-sequence",
     .what = "one product per sequence",
     .function = LIKE(batched_linear, linear_per_sequence)},
    {0},
};

static const struct part linear_parts[] = {
    {
        .function = "batched_linear",
        .dims = "B T I O",
        .tensors = {{"y", "B T O", OUTPUT, F32, 2e-5f, 2e-5f},
                    {.name = "x", .shape = "B T I"},
                    {.name = "w", .shape = "O I"},
                    {.name = "bias", .shape = "O"}},
        .cases = linear_cases,
        .properties = linear_properties,
        .mistakes = linear_mistakes,
        .alternatives = linear_alternatives,
    },
    {0},
};

const struct exercise exercise_2_3 = {
    .id = "2.3",
    .name = "batched_linear",
    .section = "2.3 One product over all rows",
    .gpu_section = "2.3 cuBLAS, and why its operands swap",
    .uses = {"2.1"},
    .hints =
        {"Every token uses the same weight. Does the product need to know where one "
         "sequence ends and the next begins?",
         "As matrices, x is (B*T, I) and y is (B*T, O). So y = x w^T with w (O, I), then "
         "y[n][o] += bias[o] for each of the B*T rows, unless bias is NULL.",
         "LAB_TRY(matmul_nt(y, x, w, B * T, O, I))\n"
         "if bias is NULL: return LAB_OK\n"
         "for n below B * T, for o below O: y[n * O + o] += bias[o]\n"
         "return LAB_OK"},
    .gpu_hints =
        {"cuBLAS reads our rows as columns: our x (N,I) is an (I,N) matrix to it. What "
         "must it compute so that its columns are our rows of y?",
         "It must compute y^T (O,N) = w x^T. It sees w as (I,O), so w needs CUBLAS_OP_T. "
         "It sees x as (I,N), which is already x^T, so x needs CUBLAS_OP_N. The sizes "
         "are O, N, I in this order. The leading dimensions I, I, O are our row lengths.",
         "N = B * T, every size cast to int\n"
         "cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, O, N, I, &one, w_dev, I, "
         "x_dev, I, &zero, y_dev, O)\n"
         "check its result with lab_cublas()\n"
         "if bias_dev is not NULL: add_bias_kernel over (N,O)"},
    .parts = linear_parts,
};
