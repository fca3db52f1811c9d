// test_case_sizes.c - the sizes of every function's cases, taken together, reveal code that is right for most
// sizes only.
//
//   if (T == 1) { ... }            the other sizes are taken for 1, too
//   for each tile of 64 keys       the last tile has S % 64 keys: none, if 64 divides S
//   float row[1024];               too short for a longer row, which no case of at most 1024 has
//
// A single case can show such a mistake only if it has that size. Start reading at struct seen.

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cases/case.h"
#include "cases/list.h"
#include "cases/tables.h"
#include "worker/contents.h"

// Words in dims that no loop runs over, or that follow from the others.
static const char *const no_loops[] = {
    "causal",    "training",     "gated",        "task",    "positions", "axes",
    "axes_in",   "axis_a",       "axis_b",       "first",   "total",     "warmup",
    "out_is_in", "step",         "steps",        "unknown", "bytes",     "L1",
    "R",         "number_bytes", "weight_bytes", "P",       "count",     NULL,
};

// Functions that calculate with sizes, or whose cases are written one by one: tables of text, whole
// texts and training runs.
static const char *const not_asked[] = {
    "view_of",
    "view_transpose",
    "view_is_contiguous",
    "view_as",
    "view_contiguous",
    "published_scores",
    "learning_rate",
    "block_parameter_count",
    "stack_parameter_count",
    "train",
    "gpt2_parameter_count",
    "held_out_loss",
    "generate",
    "generate_cached",
    "decoder_weights",
    "cache_bytes",
    "decode_flops",
    "decode_bytes",
    "flash_tile_sizes",
    "memory_traffic",
    "wordpiece",
    NULL,
};

// A size that cannot be 1 while another is larger.
static const struct {
    const char *one, *larger;
} impossible[] = {
    {"C", "NH"}, {"T_max", "T"}, {"T_max", "n"}, {"NH", "NKV"}, {"T", "n"},
    {"N", "B"},  {"N", "T"},     {"T", "N"},     {NULL, NULL},
};

static bool in_list(const char *const *list, const char *word)
{
    while (*list != NULL && strcmp(*list, word) != 0) {
        list++;
    }
    return *list != NULL;
}

// ---- what the cases of a function show ----------------------------------------------------

enum { LONGEST_NAME = 16 };

struct seen {
    size_t count; // of names
    char name[MAX_DIMS][LONGEST_NAME];
    bool one_beside_larger[MAX_DIMS][MAX_DIMS]; // [x][y]: a case has x = 1 and y > 1
    size_t smallest[MAX_DIMS], largest[MAX_DIMS];
    size_t power[MAX_DIMS]; // the largest power of two that divides the size in some case
};

static void read_names(struct seen *seen, const char *dims)
{
    int length;
    while (sscanf(dims, " %15s%n", seen->name[seen->count], &length) == 1) {
        dims += length;
        seen->count++;
    }
}

static void look_at(struct seen *seen, const struct test_case *test)
{
    for (size_t x = 0; x < seen->count; x++) {
        const size_t size = test->dim[x], power = size & (~size + 1);
        seen->largest[x] = size > seen->largest[x] ? size : seen->largest[x];
        seen->smallest[x] =
            seen->smallest[x] == 0 || size < seen->smallest[x] ? size : seen->smallest[x];
        seen->power[x] = power > seen->power[x] ? power : seen->power[x];
        for (size_t y = 0; y < seen->count; y++) {
            if (size == 1 && test->dim[y] > 1) {
                seen->one_beside_larger[x][y] = true;
            }
        }
    }
}

// Of the cases in which the function returns LAB_OK and known mistakes are called.
static struct seen look_at_cases(const struct lab_place *place, const struct part *part)
{
    struct seen seen = {0};
    read_names(&seen, part->dims);
    struct case_list drawn = cases_draw(part, 1, place->gpu), asked = drawn;
    asked.count = cases_put_memory_last(&drawn);
    cases_expect(&asked, part_entry(place, part));
    for (size_t c = 0; c < asked.count; c++) {
        const struct test_case *test = &drawn.cases[c];
        if (test->expected_status == LAB_OK && !test->launch_only) {
            look_at(&seen, test);
        }
    }
    cases_free(&drawn);
    return seen;
}

// ---- the claims ---------------------------------------------------------------------------

static bool has_size(const struct seen *seen, const char *name)
{
    size_t x = 0;
    while (x < seen->count && strcmp(seen->name[x], name) != 0) {
        x++;
    }
    return x < seen->count;
}

// Where hs is C / NH, neither is 1: RoPE turns pairs of channels, and a layer norm of one channel is 0.
static bool is_width(const struct seen *seen, const char *function, const char *name)
{
    const bool whole_model = has_size(seen, "C") && has_size(seen, "hs");
    return (whole_model || strncmp(function, "rope", strlen("rope")) == 0) &&
           (strcmp(name, "C") == 0 || strcmp(name, "hs") == 0);
}

// Such as the tiles of a kernel.
static bool is_fixed(const struct seen *seen, size_t x)
{
    return seen->smallest[x] == seen->largest[x];
}

static bool can_be_one(const char *name, const char *other)
{
    size_t i = 0;
    while (impossible[i].one != NULL && (strcmp(impossible[i].one, name) != 0 ||
                                         strcmp(impossible[i].larger, other) != 0)) {
        i++;
    }
    return impossible[i].one == NULL;
}

static void expect_ones(const struct seen *seen, const char *function)
{
    for (size_t x = 0; x < seen->count; x++) {
        for (size_t y = 0; y < seen->count; y++) {
            const char *name = seen->name[x], *other = seen->name[y];
            cr_expect(x == y || is_fixed(seen, x) || in_list(no_loops, name) ||
                          in_list(no_loops, other) || is_width(seen, function, name) ||
                          !can_be_one(name, other) || seen->one_beside_larger[x][y],
                      "%s: no case has %s = 1 and %s > 1", function, name, other);
        }
    }
}

enum { SMALLEST_BLOCK = 16 };

static void expect_whole_blocks(const struct seen *seen, const char *function)
{
    for (size_t x = 0; x < seen->count; x++) {
        size_t block = 256;
        while (block >= SMALLEST_BLOCK && block > seen->largest[x]) {
            block /= 4;
        }
        cr_expect(block < SMALLEST_BLOCK || in_list(no_loops, seen->name[x]) ||
                      seen->power[x] >= block,
                  "%s: %s goes up to %zu, but %zu divides it in no case", function,
                  seen->name[x], seen->largest[x], block);
    }
}

// Rows that a student may copy into an array of a fixed size. The rest would be slow (a T x T map for
// each head of a model, C x C weights), or 8.10, where a right but slow sort would take seconds.
static const struct {
    const char *function, *sizes;
} rows[] = {
    {"matmul", "N K"},
    {"matmul_nt", "N K"},
    {"linear", "I O"},
    {"attention_scores", "S d"},
    {"softmax_rows", "S"},
    {"weighted_values", "S dv"},
    {"simple_attention", "T C d"},
    {"batched_matmul", "N K"},
    {"batched_matmul_nt", "N K"},
    {"batched_linear", "I O"},
    {"batched_softmax", "S"},
    {"batched_attention", "T"},
    {"masked_fill", "S"},
    {"masked_softmax", "S"},
    {"causal_attention", "T"},
    {"padding_mask", "S"},
    {"split_qkv", "C"},
    {"split_heads", "C hs"},
    {"merge_heads", "C hs"},
    {"scaled_dot_product_attention", "S hs"},
    {"cross_attention", "S"},
    {"layernorm", "C"},
    {"mlp", "C H"},
    {"transformer_block", "T H"},
    {"make_targets", "T"},
    {"embedding", "V C"},
    {"cross_entropy", "V"},
    {"cross_entropy_backward", "V"},
    {"linear_backward", "I O"},
    {"softmax_backward", "S"},
    {"attention_backward", "S hs"},
    {"layernorm_backward", "C"},
    {"embedding_backward", "V C"},
    {"sinusoidal_encoding", "C"},
    {"add_positions", "C"},
    {"rope", "hs"},
    {"rope_backward", "hs"},
    {"attention_without_projections", "T C"},
    {"rmsnorm", "C"},
    {"rmsnorm_backward", "C"},
    {"attention_decode", "T_max hs"},
    {"grouped_query_attention", "S hs"},
    {"sliding_window_attention", "W hs"},
    {"online_softmax_merge", "hs"},
    {"partial_attention", "N hs"},
    {"flash_attention", "S hs Br Bc"},
    {"flash_attention_causal", "hs Br Bc"},
    {"flash_attention_backward", "S hs Br Bc"},
    {"combine_partials", "hs"},
    {"flash_decode", "T_max hs chunk"},
    {"post_norm", "C"},
    {"linear_in_out", "I O"},
    {NULL, NULL},
};

enum { LONGEST_ARRAY = 1024 };

static bool met[sizeof rows / sizeof *rows];

static void expect_long_rows(const struct seen *seen, const char *function)
{
    size_t r = 0;
    while (rows[r].function != NULL && strcmp(rows[r].function, function) != 0) {
        r++;
    }
    struct seen wanted = {0};
    if (rows[r].function != NULL) {
        read_names(&wanted, rows[r].sizes);
        met[r] = true;
    }
    for (size_t w = 0; w < wanted.count; w++) {
        size_t x = 0;
        while (x < seen->count && strcmp(seen->name[x], wanted.name[w]) != 0) {
            x++;
        }
        cr_expect(x < seen->count && seen->largest[x] > LONGEST_ARRAY,
                  "%s: a row of %s numbers has %zu at most", function, wanted.name[w],
                  x < seen->count ? seen->largest[x] : 0);
    }
}

// Sizes of at most 255, which an 8-bit counter counts. The loops over them are in functions of earlier
// exercises, or larger ones would be slow, or
// make the student archive larger.
static const struct {
    const char *function, *sizes;
} short_ones[] = {
    {"transformer_stack", "B T C NH H L"},
    {"model_forward", "V C NH hs H L"},
    {"block_backward", "B T C NH hs H"},
    {"model_backward", "B T T_max V C NH hs H L"},
    {"language_block", "T C NH hs H"},
    {"language_forward", "B T C NH hs H V L"},
    {"language_block_backward", "B T C NH hs H"},
    {"language_backward", "B T C NH hs H V L"},
    {"prefill", "B C NH hs H L"},
    {"decode_step", "C NH hs H L"},
    {"bert_layer", "B T C NH H"},
    {"gpt2_block", "C NH H"},
    {"induction_share", "T"},
    {"attention_rollout", "L T"},
    {NULL, NULL},
};

enum { LARGEST_BYTE = 255 };

static bool in_words(const char *words, const char *word)
{
    struct seen list = {0};
    read_names(&list, words);
    return has_size(&list, word);
}

static void expect_more_than_a_byte(const struct seen *seen, const char *function)
{
    size_t r = 0;
    while (short_ones[r].function != NULL &&
           strcmp(short_ones[r].function, function) != 0) {
        r++;
    }
    const char *exempt = short_ones[r].function == NULL ? "" : short_ones[r].sizes;
    for (size_t x = 0; x < seen->count; x++) {
        const char *name = seen->name[x];
        cr_expect(seen->largest[x] > LARGEST_BYTE || is_fixed(seen, x) ||
                      in_list(no_loops, name) || in_words(exempt, name),
                  "%s: %s goes up to %zu, which 8 bits count", function, name,
                  seen->largest[x]);
    }
}

static bool has_entry(const struct lab_place *place, const struct part *part)
{
    const struct entry *entry = place->entries;
    while (entry->name != NULL && strcmp(entry->name, part->function) != 0) {
        entry++;
    }
    return entry->name != NULL;
}

static void for_each_function(const struct lab_place *place,
                              void (*expect)(const struct seen *seen,
                                             const char *function))
{
    for (const struct exercise *const *each = place->lab->exercises; *each != NULL;
         each++) {
        for (const struct part *part = (*each)->parts; part->function != NULL; part++) {
            if (has_entry(place, part) && !in_list(not_asked, part->function)) {
                const struct seen seen = look_at_cases(place, part);
                expect(&seen, part->function);
            }
        }
    }
}

// A lab, or its GPU side.
struct side {
    int index; // in lab_places or gpu_places
    bool gpu;
};

enum { MOST_SIDES = 128 };

static struct criterion_test_params every_side(void)
{
    static struct side sides[MOST_SIDES];
    size_t count = 0;
    for (int i = 0; lab_places[i].folder != NULL; i++) {
        sides[count++] = (struct side){i, false};
    }
    for (int i = 0; gpu_places[i].folder != NULL; i++) {
        sides[count++] = (struct side){i, true};
    }
    return cr_make_param_array(struct side, sides, count, NULL);
}

static const struct lab_place *place_of(const struct side *side)
{
    return side->gpu ? &gpu_places[side->index] : &lab_places[side->index];
}

ParameterizedTestParameters(case_sizes, each_size_is_1_while_another_is_larger)
{
    return every_side();
}

ParameterizedTest(struct side *side, case_sizes, each_size_is_1_while_another_is_larger)
{
    for_each_function(place_of(side), expect_ones);
}

ParameterizedTestParameters(case_sizes, each_size_is_a_multiple_of_usual_blocks)
{
    return every_side();
}

ParameterizedTest(struct side *side, case_sizes, each_size_is_a_multiple_of_usual_blocks)
{
    for_each_function(place_of(side), expect_whole_blocks);
}

Test(case_sizes, eight_bits_do_not_count_them)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for_each_function(place, expect_more_than_a_byte);
    }
}

// Kernels have limits of their own, such as the width of a head.
Test(case_sizes, rows_are_longer_than_usual_arrays)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for_each_function(place, expect_long_rows);
    }
    for (size_t r = 0; rows[r].function != NULL; r++) {
        cr_expect(met[r], "there is no function %s", rows[r].function);
    }
}

// ---- inputs -------------------------------------------------------------------------------

static bool holds_poison(const struct tensor *tensor)
{
    const size_t words = tensor->count * tensor->element_size / sizeof(uint32_t);
    bool any = false;
    for (size_t i = 0; tensor->data != NULL && !tensor->absent && !any && i < words;
         i++) {
        uint32_t word;
        memcpy(&word, (const char *)tensor->data + i * sizeof word, sizeof word);
        any = word == POISON_WORD;
    }
    return any;
}

// A case with .all_set draws no numbers before its fill.
static void expect_set(const struct part *part, bool gpu)
{
    struct case_list cases = cases_draw(part, 1, gpu);
    for (size_t c = 0; c < cases.count; c++) {
        const struct test_case *test = &cases.cases[c];
        for (size_t i = 0; i < test->tensors; i++) {
            cr_expect_not(holds_poison(&test->tensor[i]), "%s (%s): %s is not set",
                          part->function, test->note != NULL ? test->note : "",
                          test->tensor[i].spec->name);
        }
    }
    cases_free(&cases);
}

ParameterizedTestParameters(case_sizes, every_input_is_set)
{
    return every_side();
}

ParameterizedTest(struct side *side, case_sizes, every_input_is_set)
{
    const struct lab_place *place = place_of(side);
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        const struct part *part = (*each)->parts;
        for (; part->function != NULL; part++) {
            if (has_entry(place, part)) {
                expect_set(part, side->gpu);
            }
        }
    }
}
