// list.c - draws the cases of a function from a seed. Start reading at cases_draw.

#include "cases/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/oracle.h"
#include "cases/repeats.h"
#include "cases/sizes.h"

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

struct drawing {
    const struct part *part;
    uint64_t seed;
    bool gpu;
    const struct case_filter *filter; // NULL: all cases are wanted
};

static bool is_wanted(const struct drawing *drawing, const struct test_case *test)
{
    const struct case_filter *filter = drawing->filter;
    return filter == NULL || filter->wanted(test, filter->context);
}

// kind and number seed the case; number counts the cases of that kind.
static void draw_case(struct case_list *list, const struct drawing *drawing,
                      const struct case_spec *spec, const char *kind, size_t number,
                      bool barely)
{
    struct lab_rng rng;
    uint64_t own = seed_case(&rng, drawing->seed, drawing->part->function, kind, number);
    struct test_case *test = cases_append(list);
    test->part = drawing->part;
    test->drawn_from = own;
    test->note = spec->note;
    test->fill = spec->fill;
    test->apart = spec->apart;
    test->gpu_only = spec->gpu_only;
    test->memory_only = spec->memory_only;
    test->launch_only = spec->launch_only;
    sizes_draw(test, spec->dims, &rng);
    sizes_beyond(test, spec->most != NULL ? spec->most : spec->beyond);
    test->barely = barely || spec->over_calls;
    test->most = spec->most != NULL;
    case_shape_tensors(test);
    if (!is_wanted(drawing, test)) {
        list->count--;
        return;
    }
    case_fill_tensors(test, spec->all_set ? NULL : &rng);
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
        sizes_draw(test, property->dims, &rng);
        case_make_tensors(test, &rng);
        if (second == 0 && property->fill != NULL) {
            property->fill(test, &rng);
        }
        if (second == 1) {
            case_copy_inputs(test, test - 1);
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

// The smallest of the sorted cases that is large enough to be conclusive, or SIZE_NOT_FOUND.
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
    return SIZE_NOT_FOUND;
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
        case_copy_inputs(test, first);
    } else if (test->fill != NULL) {
        test->fill(test, &rng);
    }
}

static void draw_turns(struct case_list *list, uint64_t seed, int turns)
{
    int pattern = find_pattern(list);
    for (int turn = 0; pattern != SIZE_NOT_FOUND && turn < turns; turn++) {
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

size_t cases_put_memory_last(struct case_list *list)
{
    struct test_case *last = grader_alloc(list->count * sizeof *last);
    size_t others = 0, moved = 0;
    for (size_t c = 0; c < list->count; c++) {
        if (list->cases[c].memory_only) {
            last[moved++] = list->cases[c];
        } else {
            list->cases[others++] = list->cases[c];
        }
    }
    memcpy(list->cases + others, last, moved * sizeof *last);
    free(last);
    return others;
}

size_t cases_elements(const struct case_list *list)
{
    size_t sum = 0;
    for (size_t c = 0; c < list->count; c++) {
        sum += case_elements(&list->cases[c]);
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

static bool is_for(const struct case_spec *spec, bool gpu)
{
    return gpu ? !spec->cpu_only && !spec->memory_only : !spec->gpu_only;
}

static void draw_cases(struct case_list *list, const struct drawing *drawing, bool apart)
{
    size_t numbers[2] = {0};
    const struct case_spec *spec = drawing->part->cases;
    for (; spec->dims != NULL; spec++) {
        const bool special = is_special(spec);
        for (int draw = 0; draw < (spec->draws > 0 ? spec->draws : 1); draw++) {
            const size_t number = numbers[special]++;
            if (spec->apart == apart && is_for(spec, drawing->gpu)) {
                const char *kind = special ? "special" : "case";
                draw_case(list, drawing, spec, kind, number, false);
                if (spec->beyond != NULL) {
                    draw_case(list, drawing, spec, kind, number, true);
                }
            }
        }
    }
}

struct case_list cases_draw_some(const struct part *part, uint64_t seed, bool gpu,
                                 const struct case_filter *filter)
{
    struct case_list list = {.oracle = &solutions_oracle};
    const struct drawing drawing = {part, seed, gpu, filter};
    draw_cases(&list, &drawing, false);
    sort_by_size(list.cases, list.count);
    draw_turns(&list, seed, gpu ? TURNS / 4 : TURNS); // because simulated calls are slow
    for (size_t i = 0; part->properties != NULL && part->properties[i].id != NULL; i++) {
        draw_property(&list, part, i, seed);
    }
    draw_cases(&list, &drawing, true);
    cases_choose_repeats(&list);
    return list;
}

struct case_list cases_draw(const struct part *part, uint64_t seed, bool gpu)
{
    return cases_draw_some(part, seed, gpu, NULL);
}

struct case_list cases_of(const struct part *part, const struct case_spec *spec,
                          uint64_t seed)
{
    struct case_list list = {.oracle = &solutions_oracle};
    const struct drawing drawing = {.part = part, .seed = seed};
    draw_case(&list, &drawing, spec, "case", 0, false);
    cases_choose_repeats(&list);
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

void cases_drop_most(struct case_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->cases[i].most) {
            case_free(&list->cases[i]);
        } else {
            list->cases[kept++] = list->cases[i];
        }
    }
    list->count = kept;
}

void cases_free(struct case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        case_free(&list->cases[i]);
    }
    free(list->cases);
    free(list->kept);
    if (list->oracle != NULL && list->oracle->close != NULL) {
        list->oracle->close(list);
    }
    *list = (struct case_list){.count = 0};
}
