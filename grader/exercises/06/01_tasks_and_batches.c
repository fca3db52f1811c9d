// 01_tasks_and_batches.c - exercise 6.1, make_copy_batch: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"

#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"

static void fill_inputs(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "inputs");
}

static void fill_token_too_large(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "inputs");
    last_token_too_large(test, "inputs");
}

static void fill_first_token_too_large(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "inputs");
    first_token_too_large(test, "inputs");
}

static void fill_middle_token_far_too_large(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "inputs");
    middle_token_far_too_large(test, "inputs");
}

// Tokens that do not fit 32 bits.
static void fill_far_tokens(struct test_case *test, struct lab_rng *rng)
{
    size_t *tokens = case_size(test, "inputs");
    for (size_t i = 0; i < case_count(test, "inputs"); i++) {
        tokens[i] = ((size_t)lab_rng_next32(rng) << 16) % case_dim(test, "V") + i;
    }
}

static const struct case_spec make_targets_cases[] = {
    {.dims = "task=0 B=1 T=3 V=10", .fill = fill_inputs, .note = "copy"},
    {.dims = "task=1 B=1 T=3 V=10", .fill = fill_inputs, .note = "reverse"},
    {.dims = "task=2 B=1 T=4 V=10", .fill = fill_inputs, .note = "sort"},
    {.dims = "task=3 B=1 T=4 V=10", .fill = fill_inputs, .note = "add"},
    {.dims = "task=0 B=3 T=4 V=7", .fill = fill_inputs, .note = "copy"},
    {.dims = "task=1 B=3 T=4 V=7", .fill = fill_inputs, .note = "reverse"},
    {.dims = "task=1 B=2 T=5 V=9", .fill = fill_inputs, .note = "reverse, T odd"},
    {.dims = "task=2 B=3 T=5 V=13", .fill = fill_inputs, .note = "sort"},
    {.dims = "task=2 B=2 T=11 V=4",
     .fill = fill_inputs,
     .note = "sort, with equal tokens"},
    {.dims = "task=3 B=3 T=6 V=5", .fill = fill_inputs, .note = "add"},
    {.dims = "task=0 B=1 T=1 V=3", .fill = fill_inputs, .note = "copy, one token"},
    {.dims = "task=1 B=1 T=1 V=3", .fill = fill_inputs, .note = "reverse, one token"},
    {.dims = "task=2 B=1 T=1 V=3", .fill = fill_inputs, .note = "sort, one token"},
    {.dims = "task=3 B=1 T=1 V=3", .fill = fill_inputs, .note = "add, one token"},
    {.dims = "task=1 B=5 T=5 V=5",
     .fill = fill_inputs,
     .note = "reverse, all sizes equal"},
    {.dims = "task=2 B=5 T=5 V=5", .fill = fill_inputs, .note = "sort, all sizes equal"},
    {.dims = "task=3 B=5 T=5 V=5", .fill = fill_inputs, .note = "add, all sizes equal"},
    {.dims = "task=1..3 B=4..6 T=7..9 V=10..12", .draws = 5, .fill = fill_inputs},
    {.dims = "task=2 B=2 T=9 V=1009", .fill = fill_inputs, .note = "sort, many tokens"},
    {.dims = "task=3 B=2 T=7 V=601", .fill = fill_inputs, .note = "add, many tokens"},
    {.dims = "task=0 B=1 T=261 V=70001", .fill = fill_inputs, .note = "copy, long"},
    {.dims = "task=1 B=1 T=261 V=70001", .fill = fill_inputs, .note = "reverse, long"},
    {.dims = "task=2 B=1 T=1031 V=70001", .fill = fill_inputs, .note = "sort, long"},
    {.dims = "task=2 B=1 T=521 V=2",
     .fill = fill_inputs,
     .note = "sort, two tokens, one of them more than 255 times"},
    {.dims = "task=3 B=1 T=261 V=70001", .fill = fill_inputs, .note = "add, long"},
    {.dims = "task=0 B=261 T=3 V=11",
     .fill = fill_inputs,
     .note = "copy, many sequences"},
    {.dims = "task=1 B=261 T=3 V=11",
     .fill = fill_inputs,
     .note = "reverse, many sequences"},
    {.dims = "task=2 B=261 T=3 V=11",
     .fill = fill_inputs,
     .note = "sort, many sequences"},
    {.dims = "task=3 B=261 T=3 V=11", .fill = fill_inputs, .note = "add, many sequences"},
    {.dims = "task=0 B=2 T=3 V=8000000000000",
     .fill = fill_far_tokens,
     .note = "copy, tokens beyond 32 bits"},
    {.dims = "task=1 B=2 T=3 V=8000000000000",
     .fill = fill_far_tokens,
     .note = "reverse, tokens beyond 32 bits"},
    {.dims = "task=3 B=2 T=3 V=8000000000000",
     .fill = fill_far_tokens,
     .note = "add, tokens beyond 32 bits"},
    {.dims = "task=1 B=4 T=1 V=9",
     .fill = fill_inputs,
     .note = "reverse, one token in each sequence"},
    {.dims = "task=2 B=31 T=2 V=9",
     .fill = fill_inputs,
     .note = "sort, two tokens in each sequence"},
    {.dims = "task=2 B=4 T=1 V=9",
     .fill = fill_inputs,
     .note = "sort, one token in each sequence"},
    {.dims = "task=3 B=4 T=1 V=9",
     .fill = fill_inputs,
     .note = "add, one token in each sequence"},
    {.dims = "task=3 B=3 T=4 V=1", .fill = fill_inputs, .note = "add, V is 1"},
    {.dims = "task=1 B=256 T=4 V=11",
     .fill = fill_inputs,
     .note = "reverse, exactly 256 sequences"},
    {.dims = "task=1 B=2 T=256 V=70001",
     .fill = fill_inputs,
     .note = "reverse, exactly 256 tokens"},
    {.dims = "task=2 B=2 T=256 V=70001",
     .fill = fill_inputs,
     .note = "sort, exactly 256 tokens"},
    {.dims = "task=3 B=2 T=256 V=1024",
     .fill = fill_inputs,
     .note = "add, exactly 256 tokens"},
    {.dims = "task=0 B=2 T=3 V=5",
     .fill = fill_token_too_large,
     .note = "the last token is V, which is not below V"},
    {.dims = "task=2 B=2 T=3 V=5",
     .fill = fill_first_token_too_large,
     .note = "the first token is V, which is not below V"},
    {.dims = "task=3 B=2 T=3 V=5",
     .fill = fill_middle_token_far_too_large,
     .note = "the middle token is V + 1000"},
    {.dims = "task=4 B=2 T=3 V=5", .fill = fill_inputs, .note = "there is no task 4"},
    {.dims = "task=0 B=2 T=3 V=0", .fill = fill_inputs, .note = "a size of 0"},
    {.dims = "task=0 B=0 T=3 V=5", .note = "a size of 0"},
    {.dims = "task=2 B=2 T=0 V=5", .note = "a size of 0"},
    {0},
};

static bool task_refused(lab_status *status, const size_t *inputs, enum task task,
                         size_t B, size_t T, size_t V)
{
    *status = B == 0 || T == 0 || V == 0 ? LAB_ESHAPE
              : (unsigned)task >= TASK_COUNT || !tokens_below(inputs, B * T, V)
                  ? LAB_EVALUE
                  : LAB_OK;
    return *status != LAB_OK;
}

// TARGETS(name, case, rule): make_targets with another rule for one task. The rule is an
// expression of b, t, x (this sequence), y_right (the right target), inputs and the sizes.
#define TARGETS(name, which, rule)                                                       \
    static lab_status name(size_t *targets, const size_t *inputs, enum task task,        \
                           size_t B, size_t T, size_t V)                                 \
    {                                                                                    \
        lab_status status = make_targets(targets, inputs, task, B, T, V);                \
        for (size_t i = 0; status == LAB_OK && task == (which) && i < B * T; i++) {      \
            const size_t b = i / T, t = i % T, *x = inputs + b * T;                      \
            const size_t y_right = targets[i];                                           \
            (void)b, (void)t, (void)x, (void)y_right;                                    \
            targets[i] = rule;                                                           \
        }                                                                                \
        return status;                                                                   \
    }

static int compare_tokens(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

// The t-th smallest of n tokens.
static size_t smallest(const size_t *tokens, size_t n, size_t t)
{
    size_t sorted[2048];
    if (n > sizeof sorted / sizeof sorted[0]) {
        abort();
    }
    memcpy(sorted, tokens, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_tokens);
    return sorted[t];
}

// Token t of a sequence after one pass that exchanges neighbors in the wrong order: the largest
// token so far moves along.
static size_t after_one_pass(const size_t *x, size_t T, size_t t)
{
    size_t carried = x[0];
    for (size_t i = 1; i <= t; i++) {
        carried = x[i] > carried ? x[i] : carried;
    }
    return t + 1 < T && x[t + 1] < carried ? x[t + 1] : carried;
}

TARGETS(targets_next_token, TASK_COPY, x[t + 1 < T ? t + 1 : t])
TARGETS(targets_next_or_0, TASK_COPY, t + 1 < T ? x[t + 1] : 0)
TARGETS(targets_next_around, TASK_COPY, x[(t + 1) % T])
TARGETS(targets_next_of_all, TASK_COPY, inputs[i + 1 < B * T ? i + 1 : i])
TARGETS(targets_token_before, TASK_COPY, x[t > 0 ? t - 1 : 0])
TARGETS(targets_before_or_0, TASK_COPY, t > 0 ? x[t - 1] : 0)
TARGETS(targets_reverse_not, TASK_REVERSE, x[t])
TARGETS(targets_add_not, TASK_ADD, x[t])
TARGETS(targets_sort_short, TASK_SORT, T <= 16 ? y_right : x[t])
TARGETS(targets_sort_two, TASK_SORT, T == 2 ? x[t] : y_right)
TARGETS(targets_reverse_batch, TASK_REVERSE, inputs[(B - 1 - b) * T + t])
TARGETS(targets_reverse_all, TASK_REVERSE, inputs[B * T - 1 - i])
TARGETS(targets_reverse_unwritten, TASK_REVERSE,
        t < T / 2 ? x[T - 1 - t] : targets[b * T + T - 1 - t])
TARGETS(targets_sort_descending, TASK_SORT, smallest(x, T, T - 1 - t))
TARGETS(targets_sort_batch, TASK_SORT, smallest(inputs, B *T, i))
TARGETS(targets_sort_not, TASK_SORT, x[t])
TARGETS(targets_add_no_mod, TASK_ADD, x[t] + (t > 0 ? x[t - 1] : 0))
TARGETS(targets_add_running, TASK_ADD, (t > 0 ? x[t] + targets[i - 1] : x[t]) % V)
TARGETS(targets_add_next, TASK_ADD, (x[t] + (t + 1 < T ? x[t + 1] : 0)) % V)
TARGETS(targets_add_above_V, TASK_ADD, t > 0 && x[t] + x[t - 1] == V ? V : y_right)
TARGETS(targets_add_from_0, TASK_ADD, t > 0 ? y_right : 0)
TARGETS(targets_add_around, TASK_ADD, (x[t] + x[t > 0 ? t - 1 : T - 1]) % V)
TARGETS(targets_sort_one_pass, TASK_SORT, after_one_pass(x, T, t))
TARGETS(targets_sort_from_1, TASK_SORT, t == 0 ? x[0] : smallest(x + 1, T - 1, t - 1))
TARGETS(targets_sort_last_left, TASK_SORT, t == T - 1 ? x[t] : smallest(x, T - 1, t))
TARGETS(targets_add_last_sequence, TASK_ADD, (x[t] + (i > 0 ? inputs[i - 1] : 0)) % V)

static lab_status targets_next_or_unwritten(size_t *targets, const size_t *inputs,
                                            enum task task, size_t B, size_t T, size_t V)
{
    lab_status status;
    if (task != TASK_COPY || task_refused(&status, inputs, task, B, T, V)) {
        return make_targets(targets, inputs, task, B, T, V);
    }
    for (size_t i = 0; i < B * T; i++) {
        targets[i] = (i + 1) % T > 0 ? inputs[i + 1] : targets[i];
    }
    return LAB_OK;
}

static const struct mistake make_targets_mistakes[] = {
    {
        .id = "next-token",
        .what = "the copy task's targets are shifted: each is the next token",
        .why =
            "That is a language model's target. Here the model must output the token it "
            "has just read: y[t] = x[t].",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(make_targets, targets_next_token),
    },
    {
        .id = "next-token-then-0",
        .what =
            "the copy task's targets are shifted: each is the next token, and the last "
            "one is 0",
        .why =
            "That is a language model's target. Here the model must output the token it "
            "has just read: y[t] = x[t].",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(make_targets, targets_next_or_0),
    },
    {
        .id = "next-token-unwritten",
        .what =
            "the copy task's targets are shifted: each is the next token, and the last "
            "one is not written",
        .why =
            "That is a language model's target. Here the model must output the token it "
            "has just read: y[t] = x[t].",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(make_targets, targets_next_or_unwritten),
    },
    {
        .id = "next-token-around",
        .what =
            "the copy task's targets are shifted: each is the next token, and the last "
            "one is the first token",
        .why =
            "That is a language model's target. Here the model must output the token it "
            "has just read: y[t] = x[t].",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(make_targets, targets_next_around),
    },
    {
        .id = "next-token-of-batch",
        .what = "the copy task's targets are shifted, across the ends of the sequences",
        .why = "That is a language model's target, and the last one belongs to another "
               "sequence. Here the model must output the token it has just read: "
               "y[t] = x[t].",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(make_targets, targets_next_of_all),
    },
    {
        .id = "token-before",
        .what = "the copy task's targets are shifted: each is the previous token",
        .why = "The model must output the token it has just read: y[t] = x[t].",
        .function = LIKE(make_targets, targets_token_before),
    },
    {
        .id = "token-before-from-0",
        .what = "the copy task's targets are shifted: the first is 0, the others are the "
                "previous tokens",
        .why = "The model must output the token it has just read: y[t] = x[t].",
        .function = LIKE(make_targets, targets_before_or_0),
    },
    {
        .id = "not-reversed",
        .what = "the targets of reverse are the unchanged inputs",
        .why =
            "Is there a branch for TASK_REVERSE, and is its result written to targets?",
        .function = LIKE(make_targets, targets_reverse_not),
    },
    {
        .id = "reverse-batch",
        .what = "reverse reverses the order of the sequences, not of their tokens",
        .why = "Sequence b stays in place; within it, y[t] = x[T - 1 - t].",
        .function = LIKE(make_targets, targets_reverse_batch),
    },
    {
        .id = "reverse-everything",
        .what = "reverse reverses the whole batch as one long sequence",
        .why =
            "The last token of the last sequence became the first of the first sequence. "
            "Reverse each sequence separately: inputs[b * T + T - 1 - t].",
        .function = LIKE(make_targets, targets_reverse_all),
    },
    {
        .id = "reverse-overwritten",
        .what = "the second half of each reversed sequence mirrors the first",
        .why =
            "The targets were reversed in place, which overwrote the input of the second "
            "half. Read from inputs, write to targets.",
        .function = LIKE(make_targets, targets_reverse_unwritten),
    },
    {
        .id = "sort-descending",
        .what = "sort puts the largest token first",
        .why = "The order must be ascending: the comparison is reversed.",
        .function = LIKE(make_targets, targets_sort_descending),
    },
    {
        .id = "sort-batch",
        .what = "sort orders the tokens of all sequences together",
        .why = "Tokens stay in their sequence. Sort T tokens, B times.",
        .function = LIKE(make_targets, targets_sort_batch),
    },
    {
        .id = "not-sorted",
        .what = "the targets of sort are the unchanged inputs",
        .why = "Is there a branch for TASK_SORT, and is its result written to targets?",
        .function = LIKE(make_targets, targets_sort_not),
    },
    {
        .id = "two-not-sorted",
        .what = "sort does not change sequences of two tokens",
        .why = "Two tokens may be in the wrong order, too. Only a single token is always "
               "sorted.",
        .function = LIKE(make_targets, targets_sort_two),
    },
    {
        .id = "sort-one-pass",
        .what = "sort exchanges neighbors in one pass only",
        .why =
            "One pass carries only the largest token to its place. Repeat it T - 1 times.",
        .function = LIKE(make_targets, targets_sort_one_pass),
    },
    {
        .id = "sort-from-1",
        .what = "sort leaves the first token in place",
        .why = "The smallest token must come first: start at token 0.",
        .function = LIKE(make_targets, targets_sort_from_1),
    },
    {
        .id = "sort-last-left",
        .what = "sort leaves the last token in place",
        .why = "Compare with all tokens up to T - 1.",
        .function = LIKE(make_targets, targets_sort_last_left),
    },
    {
        .id = "long-not-sorted",
        .what = "sort does not change long sequences",
        .why =
            "T may be any number. Sort within targets, which has room for T tokens; do "
            "not use a buffer of fixed size.",
        .function = LIKE(make_targets, targets_sort_short),
    },
    {
        .id = "not-added",
        .what = "the targets of add are the unchanged inputs",
        .why = "Is there a branch for TASK_ADD? From t = 1 on, y[t] = (x[t] + x[t - 1]) "
               "mod V.",
        .function = LIKE(make_targets, targets_add_not),
    },
    {
        .id = "add-no-mod",
        .what = "TASK_ADD forgets mod V",
        .why =
            "A target is a token and must be below V; the sum of two tokens may not be.",
        .function = LIKE(make_targets, targets_add_no_mod),
    },
    {
        .id = "add-V-left",
        .what = "a sum of exactly V stays V",
        .why =
            "A target must be below V: subtract V from a sum that is V or more (>=), or "
            "take it mod V.",
        .function = LIKE(make_targets, targets_add_above_V),
    },
    {
        .id = "add-starts-with-0",
        .what = "the first target of add is 0",
        .why = "The first token has no previous one, so nothing is added to it: y[0] = "
               "x[0].",
        .function = LIKE(make_targets, targets_add_from_0),
    },
    {
        .id = "add-around",
        .what = "the first token of a sequence is added to the last",
        .why = "The first token has no previous one: y[0] = x[0].",
        .function = LIKE(make_targets, targets_add_around),
    },
    {
        .id = "add-running-sum",
        .what = "TASK_ADD sums up all tokens from the start",
        .why =
            "Add only the token and the previous one: x[t] + x[t - 1]. Both are inputs; "
            "do not add the previous target.",
        .function = LIKE(make_targets, targets_add_running),
    },
    {
        .id = "add-next",
        .what = "TASK_ADD uses the next token instead of the previous one",
        .why = "Under a causal mask the model cannot see x[t + 1]. Add x[t - 1].",
        .function = LIKE(make_targets, targets_add_next),
    },
    {
        .id = "add-last-sequence",
        .what =
            "the first token of a sequence is added to the last token of the previous "
            "sequence",
        .why =
            "At t = 0, x[t - 1] belongs to the previous sequence. The first token has no "
            "previous one: y[0] = x[0].",
        .function = LIKE(make_targets, targets_add_last_sequence),
    },
    {0},
};

// Counts how often each token occurs; no token is compared with another.
static lab_status targets_counting(size_t *targets, const size_t *inputs, enum task task,
                                   size_t B, size_t T, size_t V)
{
    lab_status status;
    if (task != TASK_SORT || task_refused(&status, inputs, task, B, T, V)) {
        return make_targets(targets, inputs, task, B, T, V);
    }
    for (size_t b = 0; b < B; b++) {
        size_t place = b * T;
        for (size_t token = 0; token < V; token++) {
            for (size_t t = 0; t < T; t++) {
                if (inputs[b * T + t] == token) {
                    targets[place++] = token;
                }
            }
        }
    }
    return LAB_OK;
}

static const struct mistake make_targets_alternatives[] = {
    {.id = "counting-sort", .function = LIKE(make_targets, targets_counting)},
    {0},
};

static void fill_data(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
}

// A wrong token outside the batch must be ignored; the batch is rows 1 and 2.
static void fill_bad_token_elsewhere(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
    last_token_too_large(test, "data");
}

// Nor does any number of wrong tokens there matter.
static void fill_bad_tokens_around(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
    const size_t T = case_dim(test, "T"), start = case_dim(test, "first") * T;
    size_t *data = case_size(test, "data");
    for (size_t i = 0; i < case_count(test, "data"); i++) {
        if (i < start || i >= start + case_dim(test, "B") * T) {
            data[i] = case_dim(test, "V");
        }
    }
}

static void fill_bad_token_inside(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "data");
    case_size(test, "data")[case_dim(test, "T")] = case_dim(test, "V");
}

static const struct case_spec make_copy_batch_cases[] = {
    {.dims = "first=0 task=0 R=1 B=1 T=2 V=10", .fill = fill_data},
    {.dims = "first=1 task=0 R=3 B=1 T=2 V=10", .fill = fill_data},
    {.dims = "first=2 task=1 R=5 B=2 T=3 V=10", .fill = fill_data},
    {.dims = "first=3 task=3 R=6 B=3 T=4 V=10",
     .fill = fill_data,
     .note = "the last rows of the data set"},
    {.dims = "first=1..4 task=0..3 R=11 B=3..5 T=6..7 V=12",
     .draws = 4,
     .fill = fill_data},
    {.dims = "first=261 task=0..3 R=300 B=3 T=5 V=601",
     .fill = fill_data,
     .note = "far into the data set"},
    {.dims = "first=2 task=0..3 R=270 B=261 T=3 V=11",
     .fill = fill_data,
     .note = "many sequences"},
    {.dims = "first=1 task=0 R=4 B=2 T=3 V=5",
     .fill = fill_bad_token_elsewhere,
     .note = "a token that is not below V, in a row outside the batch"},
    {.dims = "first=2 task=1 R=9 B=4 T=1 V=10",
     .fill = fill_data,
     .note = "one token in each sequence"},
    {.dims = "first=2 task=3 R=6 B=1 T=4 V=10",
     .fill = fill_data,
     .note = "one sequence"},
    {.dims = "first=1 task=3 R=5 B=3 T=4 V=1", .fill = fill_data, .note = "V is 1"},
    {.dims = "first=1 task=0..3 R=4 B=2 T=256 V=11",
     .fill = fill_data,
     .note = "many tokens"},
    {.dims = "first=256 task=0..3 R=512 B=256 T=4 V=256",
     .fill = fill_data,
     .note = "exactly 256 sequences"},
    {.dims = "first=3 task=1 R=7 B=2 T=3 V=5",
     .fill = fill_bad_tokens_around,
     .note = "no token outside the batch is below V"},
    {.dims = "first=1 task=0 R=4 B=2 T=3 V=5",
     .fill = fill_bad_token_inside,
     .note = "a token that is not below V"},
    {.dims = "first=3 task=0 R=4 B=2 T=3 V=5",
     .fill = fill_data,
     .note = "the second row is beyond the data set"},
    {.dims = "first=9 task=0 R=4 B=1 T=3 V=5",
     .fill = fill_data,
     .note = "the rows are beyond the data set"},
    {.dims = "first=18446744073709551614 task=0 R=4 B=3 T=3 V=5",
     .fill = fill_data,
     .note = "first is so large that first + B overflows"},
    {.dims = "first=1 task=4 R=4 B=2 T=3 V=5",
     .fill = fill_data,
     .note = "there is no task 4"},
    {.dims = "first=0 task=0 R=4 B=0 T=3 V=5", .fill = fill_data, .note = "a size of 0"},
    {.dims = "first=0 task=0 R=4 B=2 T=0 V=5", .fill = fill_data, .note = "a size of 0"},
    {.dims = "first=0 task=0 R=4 B=2 T=3 V=0", .fill = fill_data, .note = "a size of 0"},
    {0},
};

// The calls that the given checks reject.
static bool batch_refused(lab_status *status, const size_t *data, size_t first,
                          enum task task, size_t R, size_t B, size_t T, size_t V)
{
    if (first > R || B > R - first) {
        *status = LAB_ESHAPE;
        return true;
    }
    return task_refused(status, data + first * T, task, B, T, V);
}

// BATCH(name, start, task): the batch from element `start` of the data, with another task. The
// numbers there may not be tokens: then make_targets rejects them, and targets stays unwritten.
#define BATCH(name, start, other_task)                                                   \
    static lab_status name(size_t *inputs, size_t *targets, const size_t *data,          \
                           size_t first, enum task task, size_t R, size_t B, size_t T,   \
                           size_t V)                                                     \
    {                                                                                    \
        lab_status status;                                                               \
        if (!batch_refused(&status, data, first, task, R, B, T, V)) {                    \
            memcpy(inputs, data + (start), B * T * sizeof *inputs);                      \
            status = make_targets(targets, inputs, other_task, B, T, V);                 \
        }                                                                                \
        return status;                                                                   \
    }

BATCH(batch_first_rows, 0 * first, task)
BATCH(batch_by_elements, first, task)
BATCH(batch_always_copy, first *T, TASK_COPY)

static lab_status batch_one_row(size_t *inputs, size_t *targets, const size_t *data,
                                size_t first, enum task task, size_t R, size_t B,
                                size_t T, size_t V)
{
    lab_status status = make_copy_batch(inputs, targets, data, first, task, R, B, T, V);
    for (size_t b = 1; status == LAB_OK && b < B; b++) {
        memcpy(inputs + b * T, inputs, T * sizeof *inputs);
        memcpy(targets + b * T, targets, T * sizeof *targets);
    }
    return status;
}

// The targets of the first rows of the data set, with the inputs of the batch.
static lab_status batch_targets_of_first(size_t *inputs, size_t *targets,
                                         const size_t *data, size_t first, enum task task,
                                         size_t R, size_t B, size_t T, size_t V)
{
    lab_status status;
    if (batch_refused(&status, data, first, task, R, B, T, V)) {
        return status;
    }
    memcpy(inputs, data + first * T, B * T * sizeof *inputs);
    return make_targets(targets, data, task, B, T, V);
}

static const struct mistake make_copy_batch_mistakes[] = {
    {
        .id = "first-rows",
        .what = "the batch is always rows 0 to B - 1",
        .why =
            "The argument first is ignored. The batch starts at that row: data + first * T.",
        .function = LIKE(make_copy_batch, batch_first_rows),
    },
    {
        .id = "first-in-tokens",
        .what = "the batch starts at token number first, not at row number first",
        .why = "A row is T tokens long: data + first * T.",
        .function = LIKE(make_copy_batch, batch_by_elements),
    },
    {
        .id = "always-copy",
        .what = "the targets are those of the copy task, whatever the task",
        .why = "Pass task on to make_targets.",
        .function = LIKE(make_copy_batch, batch_always_copy),
    },
    {
        .id = "one-row",
        .what = "every sequence of the batch is the same row",
        .why = "Row b of the batch is row first + b of the data set.",
        .function = LIKE(make_copy_batch, batch_one_row),
    },
    {
        .id = "targets-of-first-rows",
        .what = "the targets belong to the first rows of the data set, not to the inputs",
        .why = "Pass the batch's inputs to make_targets, not data.",
        .function = LIKE(make_copy_batch, batch_targets_of_first),
    },
    {0},
};

static const struct part tasks_part[] = {
    {
        .function = "make_targets",
        .dims = "task B T V",
        .tensors =
            {
                {"targets", "B T", OUTPUT, SIZE, 0, 0},
                {"inputs", "B T", INPUT, SIZE, 0, 0},
            },
        .cases = make_targets_cases,
        .mistakes = make_targets_mistakes,
        .alternatives = make_targets_alternatives,
    },
    {
        .function = "make_copy_batch",
        .dims = "first task R B T V",
        .tensors =
            {
                {"inputs", "B T", OUTPUT, SIZE, 0, 0},
                {"targets", "B T", OUTPUT, SIZE, 0, 0},
                {"data", "R T", INPUT, SIZE, 0, 0},
            },
        .cases = make_copy_batch_cases,
        .mistakes = make_copy_batch_mistakes,
    },
    {0},
};

const struct exercise exercise_6_1 = {
    .id = "6.1",
    .name = "make_copy_batch",
    .section = "6.1 Tasks and batches",
    .hints =
        {
            "There are four rules, each for one sequence. First write the four answers "
            "to 7 1 9 4 on paper. What is special about the first token of add?",
            "copy y[t] = x[t]; reverse y[t] = x[T-1-t]; sort the same tokens in "
            "ascending order; add y[0] = x[0], y[t] = (x[t] + x[t-1]) % V. The batch "
            "begins at data + first * T.",
            "for each b: x = inputs + b * T, y = targets + b * T\n"
            "    sort: copy x to y, then sort y (insertion: T is small)\n"
            "    else: for each t, the rule\n"
            "make_copy_batch: memcpy(inputs, data + first * T, B * T numbers);\n"
            "    return make_targets(targets, inputs, task, B, T, V)",
        },
    .parts = tasks_part,
};
