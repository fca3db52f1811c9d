// test_case_sizes.c - the sizes of every function's cases, taken together, reveal code that is right for most
// sizes only.
//
//   if (T == 1) { ... }            the other sizes are taken for 1, too
//   for each tile of 64 keys       the last tile has S % 64 keys: none, if 64 divides S
//
// A single case can show such a mistake only if it has that size. Start reading at struct seen.

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#include "cases/case.h"
#include "cases/tables.h"

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

// Of the cases in which the function returns LAB_OK.
static struct seen look_at_cases(const struct lab_place *place, const struct part *part)
{
    struct seen seen = {0};
    read_names(&seen, part->dims);
    struct case_list drawn = cases_draw(part, 1, place->gpu);
    cases_expect(&drawn, part_entry(place, part));
    for (size_t c = 0; c < drawn.count; c++) {
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
