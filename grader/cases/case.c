// case.c - draws cases from a seed. Start reading at cases_draw.

#include "cases/case.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/compare.h"
#include "cases/oracle.h"

enum { NOT_FOUND = -1 };

// For sizes that no tensor has: beyond 32 bits, or so large that a sum with it overflows.
static const size_t LARGEST_SIZE = 10000000000000, OVERFLOWING_SIZE = SIZE_MAX - 1000;

// ---- sizes --------------------------------------------------------------------------------

// Copies the next blank-separated word of *text to word. Returns false if there is none.
static bool next_word(const char **text, char word[64])
{
    while (isspace((unsigned char)**text)) {
        (*text)++;
    }
    size_t length = strcspn(*text, " \t\n");
    if (length == 0) {
        return false;
    }
    if (length >= 64) {
        grader_fail("an exercise's word is too long: %s", *text);
    }
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

static int dim_index(const struct part *part, const char *name)
{
    const char *text = part->dims;
    char word[64];
    for (int i = 0; next_word(&text, word); i++) {
        if (strcmp(word, name) == 0) {
            return i;
        }
    }
    return NOT_FOUND;
}

// "3" is 3; "2..6" is a random size.
static size_t draw_size(const char *range, struct lab_rng *rng)
{
    char *end;
    unsigned long low = strtoul(range, &end, 10), high = low;
    if (strncmp(end, "..", 2) == 0) {
        high = strtoul(end + 2, &end, 10);
    }
    if (*end != '\0' || high < low || (LARGEST_SIZE < high && low < OVERFLOWING_SIZE)) {
        grader_fail("an exercise's size range is broken: %s", range);
    }
    return low + lab_rng_next32(rng) % (high - low + 1);
}

static void draw_dims(struct test_case *test, const char *spec, struct lab_rng *rng)
{
    char word[64];
    size_t given = 0;
    while (next_word(&spec, word)) {
        char *equals = strchr(word, '=');
        if (equals == NULL) {
            grader_fail("%s: a case has '%s' instead of NAME=SIZE", test->part->function,
                        word);
        }
        *equals = '\0';
        int index = dim_index(test->part, word);
        if (index == NOT_FOUND) {
            grader_fail("%s has no size named '%s'", test->part->function, word);
        }
        test->dim[index] = draw_size(equals + 1, rng);
        given++;
    }
    test->sizes_drawn = given;
    const char *text = test->part->dims;
    while (next_word(&text, word)) {
        test->dims++;
    }
    if (given != test->dims || test->dims > MAX_DIMS) {
        grader_fail("%s: a case gives %zu of %zu sizes", test->part->function, given,
                    test->dims);
    }
}

// One word of a shape: "T", "4", "3C", or "C/NH", rounded up.
static size_t axis_size(const struct test_case *test, char *word)
{
    char *name, *by = strchr(word, '/');
    if (by != NULL) {
        *by = '\0';
        const size_t divisor = case_dim(test, by + 1), size = axis_size(test, word);
        return divisor == 0 ? size : (size + divisor - 1) / divisor;
    }
    unsigned long factor = strtoul(word, &name, 10);
    if (name == word) {
        factor = 1;
    }
    return *name == '\0' ? factor : factor * case_dim(test, name);
}

// ---- tensors ------------------------------------------------------------------------------

static size_t element_size(enum type type)
{
    switch (type) {
    case F32:
        return sizeof(float);
    case U8:
    case I8:
        return 1;
    case SIZE:
        return sizeof(size_t);
    case DIFFERENCE:
        return sizeof(ptrdiff_t);
    }
    grader_fail("unknown tensor type %d", (int)type);
}

static void shape_tensor(const struct test_case *test, struct tensor *tensor)
{
    const char *shape = tensor->spec->shape;
    char word[64];
    tensor->count = 1;
    tensor->columns = 1;
    while (next_word(&shape, word)) {
        tensor->rows = tensor->columns;
        tensor->columns = axis_size(test, word);
        tensor->count *= tensor->columns;
        if (tensor->axes == MAX_AXES) {
            grader_fail("%s: %s has too many axes", test->part->function,
                        tensor->spec->name);
        }
        tensor->axis[tensor->axes++] = tensor->columns;
    }
    tensor->element_size = element_size(tensor->spec->type);
}

static void fill_input(struct tensor *tensor, struct lab_rng *rng)
{
    if (tensor->spec->type == F32) {
        lab_rng_randn(rng, tensor->data, tensor->count);
    } else if (tensor->spec->type == U8) {
        for (size_t i = 0; i < tensor->count; i++) {
            ((uint8_t *)tensor->data)[i] = (uint8_t)(lab_rng_next32(rng) & 1u);
        }
    } else if (tensor->spec->type == I8) {
        for (size_t i = 0; i < tensor->count; i++) {
            ((int8_t *)tensor->data)[i] =
                (int8_t)((int)(lab_rng_next32(rng) % 255) - 127);
        }
    }
}

void case_make_tensors(struct test_case *test, struct lab_rng *rng)
{
    const struct tensor_spec *spec = test->part->tensors;
    for (; test->tensors < MAX_TENSORS && spec->name != NULL; spec++) {
        struct tensor *tensor = &test->tensor[test->tensors++];
        tensor->spec = spec;
        shape_tensor(test, tensor);
        size_t bytes = tensor->count * tensor->element_size;
        tensor->atol = spec->atol;
        tensor->rtol = spec->rtol;
        if (spec->role != OUTPUT && spec->role != WORKSPACE) {
            tensor->data = grader_alloc(bytes);
            fill_input(tensor, rng);
        }
        if (tensor_is_written(tensor)) {
            tensor->expected = grader_alloc(bytes);
            tensor->got = grader_alloc(bytes);
        }
    }
}

// Each tensor has a generator of its own, so the bank can draw it alone.
static struct lab_rng generator_of(const struct test_case *test, size_t tensor)
{
    struct lab_rng rng;
    lab_rng_seed(&rng, test->drawn_from + 1 + tensor);
    return rng;
}

// The number of ones among 64 random bits has a standard deviation of 4.
void case_draw_coarse(struct test_case *test, size_t tensor)
{
    struct lab_rng rng = generator_of(test, tensor);
    float *numbers = test->tensor[tensor].data;
    for (size_t i = 0; i < test->tensor[tensor].count; i++) {
        numbers[i] = (float)(__builtin_popcountll(lab_rng_next64(&rng)) - 32) / 4.0f;
    }
}

void case_draw_even(struct test_case *test, size_t tensor)
{
    enum { STEPS = 4096 };
    struct lab_rng rng = generator_of(test, tensor);
    float *numbers = test->tensor[tensor].data;
    for (size_t i = 0; i < test->tensor[tensor].count; i++) {
        numbers[i] = ((float)(lab_rng_next32(&rng) % STEPS) + 0.5f) / STEPS;
    }
}

void case_draw_small(struct test_case *test, size_t tensor)
{
    struct lab_rng rng = generator_of(test, tensor);
    float *numbers = test->tensor[tensor].data;
    for (size_t i = 0; i < test->tensor[tensor].count; i++) {
        const uint32_t bits = lab_rng_next32(&rng);
        numbers[i] = (float)(1 + (bits & 1)) * ((bits & 2) != 0 ? -1.0f : 1.0f);
    }
}

static void copy_inputs(struct test_case *to, const struct test_case *from)
{
    for (size_t i = 0; i < to->tensors; i++) {
        to->tensor[i].absent = from->tensor[i].absent;
        if (to->tensor[i].data != NULL) {
            memcpy(to->tensor[i].data, from->tensor[i].data,
                   from->tensor[i].count * from->tensor[i].element_size);
        }
    }
}

static void free_case(struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        free(test->tensor[i].data);
        free(test->tensor[i].expected);
        free(test->tensor[i].got);
        for (size_t c = 0; c < CONTENTS; c++) {
            free(test->tensor[i].repeated[c]);
        }
    }
}

// ---- poison -------------------------------------------------------------------------------

void poison_fill(void *memory, size_t bytes)
{
    contents_fill_words(memory, bytes, POISON_WORD);
}

// Returns true if the bytes from `first` up to `end` contain the pattern that starts at
// memory.
static bool holds(const void *memory, size_t first, size_t end, uint32_t word)
{
    for (size_t i = first; i < end; i++) {
        if (((const uint8_t *)memory)[i] != contents_byte(word, i)) {
            return false;
        }
    }
    return true;
}

bool poison_intact(const void *memory, size_t bytes)
{
    return holds(memory, 0, bytes, POISON_WORD) || holds(memory, 0, bytes, LEFT_WORD);
}

bool still_unset(const struct tensor *tensor, size_t i)
{
    size_t first = i * tensor->element_size, end = first + tensor->element_size;
    if (tensor->spec->type == I8) { // 127 is a byte of the pattern, and in every row
        first -= first % sizeof(uint32_t);
        end = first + sizeof(uint32_t);
        end = end < tensor->count ? end : tensor->count;
    }
    return holds(tensor->got, first, end, POISON_WORD) ||
           holds(tensor->got, first, end, LEFT_WORD);
}

bool tensor_is_written(const struct tensor *tensor)
{
    return tensor->spec->role != INPUT && tensor->spec->role != WITHHELD;
}

bool tensor_is_judged(const struct tensor *tensor)
{
    return !tensor->absent &&
           (tensor->spec->role == OUTPUT || tensor->spec->role == UPDATED);
}

// ---- repeats ------------------------------------------------------------------------------

enum { SMALL_CALL = 1 << 16, LARGE_CALL = 1 << 22 }; // bytes

// The sizes of the scores of all heads, whether a tensor holds them or, as in lab 10, none does: a call
// that computes them takes as long.
static size_t bytes_of_scores(const struct test_case *test)
{
    static const char *const sizes[] = {"B", "NH", "T", "S"};
    size_t bytes = sizeof(float);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int index = dim_index(test->part, sizes[i]);
        bytes *= index == NOT_FOUND ? 1 : test->dim[index];
    }
    return bytes;
}

static size_t bytes_of_tensors(const struct test_case *test)
{
    size_t bytes = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        bytes += test->tensor[i].count * test->tensor[i].element_size;
    }
    return bytes;
}

uint32_t case_repeats(const struct test_case *test)
{
    const size_t stored = bytes_of_tensors(test), computed = bytes_of_scores(test);
    const size_t bytes = stored > computed ? stored : computed;
    if (test->again || bytes > LARGE_CALL) {
        return 0; // the first of many calls uses NUMBERS itself
    }
    return bytes <= SMALL_CALL ? 1u << KEPT | 1u << ZEROS | 1u << NUMBERS
                               : 1u << (KEPT + test->drawn_from % (CONTENTS - KEPT));
}

void case_fill(const struct test_case *test, const struct tensor *tensor, void *memory)
{
    const size_t bytes = tensor->count * tensor->element_size;
    if (tensor->data != NULL) {
        memcpy(memory, tensor->data, bytes);
    } else if (test->contents == KEPT) {
        // settle_case has stored the results of the first call there
        const void *first = tensor->repeated[KEPT];
        memcpy(memory, first != NULL ? first : tensor->got, bytes);
    } else {
        contents_fill(test->contents, tensor->element_size, memory, bytes);
    }
}

static void swap_repeat(struct test_case *test, size_t contents)
{
    const int status = test->got_status;
    test->got_status = test->repeat_status[contents];
    test->repeat_status[contents] = status;
    for (size_t i = 0; i < test->tensors; i++) {
        void **repeated = &test->tensor[i].repeated[contents];
        if (*repeated != NULL) {
            void *got = test->tensor[i].got;
            test->tensor[i].got = *repeated;
            *repeated = got;
        }
    }
}

// Does a repeat give the same results as the first call, bit for bit? Outputs that must stay
// unchanged are also checked, because they held something else.
static bool gave_the_same(const struct test_case *test, size_t contents)
{
    bool same = test->expected_status == LAB_OK &&
                test->repeat_status[contents] == test->got_status;
    for (size_t i = 0; i < test->tensors; i++) {
        same = same && test->tensor[i].repeated[contents] == NULL;
    }
    return same;
}

// Continues while the first call, or a repeat, is right. A repeat is then put back.
static void settle_case(struct test_case *test)
{
    for (size_t c = KEPT; c < CONTENTS; c++) {
        if ((test->repeats >> c & 1) == 0 || gave_the_same(test, c)) {
            continue;
        }
        if (compare_case(test).fault != NO_FAULT) {
            return;
        }
        const enum contents before = test->contents;
        swap_repeat(test, c);
        test->contents = (enum contents)c;
        if (compare_case(test).fault == NO_FAULT) {
            swap_repeat(test, c);
            test->contents = before;
        }
    }
}

void cases_settle(struct case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        settle_case(&list->cases[i]);
    }
}

// ---- calling ------------------------------------------------------------------------------

lab_status case_call(const struct test_case *test, adaptor *call, any_function f,
                     void *output[MAX_TENSORS])
{
    void *argument[MAX_TENSORS] = {NULL};
    for (size_t i = 0; i < MAX_TENSORS; i++) {
        output[i] = NULL;
    }
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        size_t bytes = tensor->count * tensor->element_size;
        if (tensor_is_written(tensor)) {
            output[i] = grader_alloc(bytes);
            case_fill(test, tensor, output[i]);
        }
        if (!tensor->absent && tensor->spec->role != WITHHELD) {
            argument[i] = output[i] != NULL ? output[i] : tensor->data;
        }
    }
    const bool otherwise = test->nan && test->part->nan_call != NULL;
    return otherwise ? test->part->nan_call(call, f, argument, test->dim)
                     : call(f, argument, test->dim);
}

void case_free_outputs(void *output[MAX_TENSORS])
{
    for (size_t i = 0; i < MAX_TENSORS; i++) {
        free(output[i]);
    }
}

// ---- drawing ------------------------------------------------------------------------------

// Every case has a separate generator (seeded by FNV-1a over seed, function and number), so
// adding a case does not change the others.
static uint64_t seed_case(struct lab_rng *rng, uint64_t seed, const char *function,
                          const char *kind, size_t number)
{
    char key[128];
    snprintf(key, sizeof key, "%" PRIu64 "/%s/%s/%zu", seed, function, kind, number);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = key; *c != '\0'; c++) {
        hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
    }
    lab_rng_seed(rng, hash);
    return hash;
}

struct test_case *cases_append(struct case_list *list)
{
    struct test_case *grown =
        realloc(list->cases, (list->count + 1) * sizeof *list->cases);
    if (grown == NULL) {
        grader_fail("out of memory");
    }
    list->cases = grown;
    struct test_case *test = &grown[list->count++];
    *test = (struct test_case){.oracle = list->oracle};
    return test;
}

static void set_tolerances(struct test_case *test, float absolute, float relative)
{
    for (size_t i = 0; i < test->tensors; i++) {
        test->tensor[i].atol *= absolute;
        test->tensor[i].rtol *= relative;
    }
}

// Large cases of coarse numbers compress well in the student archive.
static void draw_all_coarse(struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].data != NULL && test->tensor[i].spec->type == F32) {
            case_draw_coarse(test, i);
        }
    }
}

// kind and number seed the case; number counts the cases of that kind.
static void draw_case(struct case_list *list, const struct part *part,
                      const struct case_spec *spec, uint64_t seed, const char *kind,
                      size_t number)
{
    struct lab_rng rng;
    uint64_t own = seed_case(&rng, seed, part->function, kind, number);
    struct test_case *test = cases_append(list);
    test->part = part;
    test->drawn_from = own;
    test->note = spec->note;
    test->fill = spec->fill;
    test->apart = spec->apart;
    test->gpu_only = spec->gpu_only;
    test->launch_only = spec->launch_only;
    draw_dims(test, spec->dims, &rng);
    case_make_tensors(test, &rng);
    test->repeats = case_repeats(test);
    set_tolerances(test,
                   spec->exact      ? 0.0f
                   : spec->unit > 0 ? spec->unit
                                    : 1.0f,
                   spec->exact ? 0.0f : 1.0f);
    if (spec->nan) {
        case_allow_nan(test);
    }
    if (spec->launch_only) {
        draw_all_coarse(test);
    }
    if (spec->fill != NULL) {
        spec->fill(test, &rng);
    }
}

void case_allow_nan(struct test_case *test)
{
    test->nan = true;
    for (size_t i = 0; i < test->tensors; i++) {
        test->tensor[i].may_be_nan = tensor_is_judged(&test->tensor[i]);
    }
}

static void draw_property(struct case_list *list, const struct part *part, size_t index,
                          uint64_t seed)
{
    const struct property *property = &part->properties[index];
    for (int second = 0; second < 2; second++) {
        struct lab_rng rng;
        uint64_t own = seed_case(&rng, seed, part->function, property->id, 0);
        struct test_case *test = cases_append(list);
        test->part = part;
        test->drawn_from = own;
        test->note = property->claim;
        test->property = index + 1;
        test->second = second == 1;
        draw_dims(test, property->dims, &rng);
        case_make_tensors(test, &rng);
        test->repeats = case_repeats(test);
        if (second == 0 && property->fill != NULL) {
            property->fill(test, &rng);
        }
        if (second == 1) {
            copy_inputs(test, test - 1);
            property->change(test, &rng);
        }
    }
}

// ---- the same call many times -------------------------------------------------------------

// Two calls of the same sizes alternate many times. This reveals data that a function keeps
// between calls: a static sum, a result cached by address, a call counter.
enum { LEAST_ELEMENTS = 24 };

static bool has_empty(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].count == 0) {
            return true;
        }
    }
    return false;
}

// The smallest of the sorted cases that is large enough to be conclusive, or NOT_FOUND.
static int find_pattern(const struct case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t sum = 0;
        for (size_t t = 0; t < list->cases[i].tensors; t++) {
            sum += list->cases[i].tensor[t].count;
        }
        if (sum >= LEAST_ELEMENTS && !has_empty(&list->cases[i]) && !list->cases[i].nan) {
            return (int)i;
        }
    }
    return NOT_FOUND;
}

// A case with the sizes of the pattern, and the same or other numbers.
static void draw_again(struct case_list *list, size_t pattern, bool other, uint64_t seed)
{
    struct lab_rng rng;
    const struct part *part = list->cases[pattern].part;
    uint64_t own = seed_case(&rng, seed, part->function, "again", 0);
    struct test_case *test = cases_append(list);
    const struct test_case *first = &list->cases[pattern];
    test->part = part;
    test->drawn_from = own;
    test->fill = first->fill;
    test->note = "one of many calls with these sizes";
    test->again = true;
    test->contents = NUMBERS;
    test->dims = first->dims;
    memcpy(test->dim, first->dim, sizeof test->dim);
    case_make_tensors(test, &rng);
    for (size_t i = 0; i < test->tensors; i++) {
        test->tensor[i].atol = first->tensor[i].atol;
        test->tensor[i].rtol = first->tensor[i].rtol;
    }
    if (!other) {
        copy_inputs(test, first);
    } else if (test->fill != NULL) {
        test->fill(test, &rng);
    }
}

static void draw_turns(struct case_list *list, uint64_t seed, int turns)
{
    int pattern = find_pattern(list);
    for (int turn = 0; pattern != NOT_FOUND && turn < turns; turn++) {
        draw_again(list, (size_t)pattern, false, seed);
        draw_again(list, (size_t)pattern, true, seed);
    }
}

// ---- in which order -----------------------------------------------------------------------

// Cases with a size of zero come last, because a report should show numbers if it can.
static size_t elements(const struct test_case *test)
{
    size_t sum = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        sum += test->tensor[i].count;
    }
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].count == 0) {
            sum += (size_t)1 << 40; // after every case that has elements
        }
    }
    return sum;
}

size_t cases_elements(const struct case_list *list)
{
    size_t sum = 0;
    for (size_t c = 0; c < list->count; c++) {
        for (size_t i = 0; i < list->cases[c].tensors; i++) {
            sum += list->cases[c].tensor[i].count;
        }
    }
    return sum;
}

// A stable insertion sort: cases of equal size keep their order.
static void sort_by_size(struct test_case *cases, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct test_case moving = cases[i];
        size_t j = i;
        for (; j > 0 && elements(&cases[j - 1]) > elements(&moving); j--) {
            cases[j] = cases[j - 1];
        }
        cases[j] = moving;
    }
}

// Cases with their own tolerance, .nan and .apart cases are numbered separately, so that adding
// one does not change the numbers of all others.
static bool is_special(const struct case_spec *spec)
{
    return spec->unit > 0 || spec->exact || spec->apart || spec->nan;
}

static void draw_cases(struct case_list *list, const struct part *part, uint64_t seed,
                       bool gpu, bool apart)
{
    size_t numbers[2] = {0};
    for (const struct case_spec *spec = part->cases; spec->dims != NULL; spec++) {
        const bool special = is_special(spec);
        for (int draw = 0; draw < (spec->draws > 0 ? spec->draws : 1); draw++) {
            const size_t number = numbers[special]++;
            if (spec->apart == apart && (gpu ? !spec->cpu_only : !spec->gpu_only)) {
                draw_case(list, part, spec, seed, special ? "special" : "case", number);
            }
        }
    }
}

struct case_list cases_draw(const struct part *part, uint64_t seed, bool gpu)
{
    struct case_list list = {.oracle = &solutions_oracle};
    draw_cases(&list, part, seed, gpu, false);
    sort_by_size(list.cases, list.count);
    draw_turns(&list, seed, gpu ? TURNS / 4 : TURNS); // because simulated calls are slow
    for (size_t i = 0; part->properties != NULL && part->properties[i].id != NULL; i++) {
        draw_property(&list, part, i, seed);
    }
    draw_cases(&list, part, seed, gpu, true);
    return list;
}

struct case_list cases_of(const struct part *part, const struct case_spec *spec,
                          uint64_t seed)
{
    struct case_list list = {.oracle = &solutions_oracle};
    draw_case(&list, part, spec, seed, "case", 0);
    return list;
}

void cases_expect(struct case_list *list, const struct entry *reference)
{
    list->oracle->expect(list, reference);
}

void cases_expect_again(struct case_list *list, const struct entry *reference)
{
    if (list->oracle->looks_at_outputs) {
        list->oracle->expect(list, reference);
    }
}

void cases_free(struct case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free_case(&list->cases[i]);
    }
    free(list->cases);
    if (list->oracle != NULL && list->oracle->close != NULL) {
        list->oracle->close(list);
    }
    *list = (struct case_list){.count = 0};
}

// ---- what exercise files use --------------------------------------------------------------

size_t case_dim(const struct test_case *test, const char *name)
{
    int index = dim_index(test->part, name);
    if (index == NOT_FOUND) {
        grader_fail("%s has no size named '%s'", test->part->function, name);
    }
    return test->dim[index];
}

// Loops call this for every element, mostly with the string from the table itself.
static struct tensor *find(const struct test_case *test, const char *name)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].spec->name == name) {
            return (struct tensor *)&test->tensor[i];
        }
    }
    for (size_t i = 0; i < test->tensors; i++) {
        if (strcmp(test->tensor[i].spec->name, name) == 0) {
            return (struct tensor *)&test->tensor[i];
        }
    }
    grader_fail("%s has no tensor named '%s'", test->part->function, name);
}

static void *input(struct test_case *test, const char *name, enum type type)
{
    struct tensor *tensor = find(test, name);
    if (tensor->data == NULL || tensor->spec->type != type) {
        grader_fail("%s: '%s' is not an input of that type", test->part->function, name);
    }
    return tensor->data;
}

size_t case_count(const struct test_case *test, const char *tensor)
{
    return find(test, tensor)->count;
}

float *case_f32(struct test_case *test, const char *tensor)
{
    return input(test, tensor, F32);
}

void case_coarse(struct test_case *test, const char *tensor)
{
    (void)case_f32(test, tensor); // stops if it is no such input
    case_draw_coarse(test, (size_t)(find(test, tensor) - test->tensor));
}

void case_even(struct test_case *test, const char *tensor)
{
    (void)case_f32(test, tensor);
    case_draw_even(test, (size_t)(find(test, tensor) - test->tensor));
}

void case_small(struct test_case *test, const char *tensor)
{
    (void)case_f32(test, tensor);
    case_draw_small(test, (size_t)(find(test, tensor) - test->tensor));
}

uint8_t *case_u8(struct test_case *test, const char *tensor)
{
    return input(test, tensor, U8);
}

int8_t *case_i8(struct test_case *test, const char *tensor)
{
    return input(test, tensor, I8);
}

size_t *case_size(struct test_case *test, const char *tensor)
{
    return input(test, tensor, SIZE);
}

ptrdiff_t *case_difference(struct test_case *test, const char *tensor)
{
    return input(test, tensor, DIFFERENCE);
}

void case_absent(struct test_case *test, const char *tensor)
{
    find(test, tensor)->absent = true;
}

const void *case_input(const struct test_case *test, const char *tensor)
{
    return find(test, tensor)->data;
}

const void *case_got(const struct test_case *test, const char *tensor)
{
    return find(test, tensor)->got;
}

void case_describe(const struct test_case *test, char *buffer, size_t size)
{
    const char *text = test->part->dims;
    char word[64];
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < test->dims && next_word(&text, word) && used < size; i++) {
        int wrote = snprintf(buffer + used, size - used, "%s%s=%zu", i > 0 ? ", " : "",
                             word, test->dim[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}
