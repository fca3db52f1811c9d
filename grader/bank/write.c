// write.c - writes the bank of every function from the solutions and the mistakes. Start
// reading at write_part.

#include "bank/write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bank/bank.h"
#include "bank/blocks.h"
#include "bank/check.h"
#include "bank/pool.h"
#include "bank/recall.h"
#include "bank/words.h"
#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/poison.h"
#include "cases/tables.h"
#include "common/tensor_file.h"

enum { MOST_NOTES = 256 };

// The contents of one file.
struct draft {
    const struct part *part;
    const struct entry *entry;
    size_t columns, tensors, judged, mistake_count, rows;
    struct pool cases, tolerances, mistakes; // rows of the tables, one after the other
    struct pool order[2];                    // cpu, gpu
    struct pool pools[SIZE + 1], sums;
    const char *notes[MOST_NOTES];
    size_t note_count;
};

static bool has_output_role(const struct tensor_spec *spec)
{
    return spec->role == OUTPUT || spec->role == UPDATED;
}

// ---- tables grow row by row ---------------------------------------------------------------

// Appends to a pool without looking for equal runs, because tables need every row.
static void append_row(struct pool *pool, const void *numbers, size_t count)
{
    if (pool->count + count > pool->room) {
        pool->room = 2 * (pool->count + count);
        pool->numbers = grader_resize(pool->numbers, pool->room * pool->element_size);
    }
    memcpy(pool->numbers + pool->count * pool->element_size, numbers,
           count * pool->element_size);
    pool->count += count;
}

static struct draft draft_begin(const struct part *part, const struct entry *entry)
{
    struct draft draft = {.part = part, .entry = entry};
    struct pool *const words[] = {&draft.cases, &draft.mistakes, &draft.order[0],
                                  &draft.order[1], &draft.pools[SIZE]};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        words[i]->element_size = sizeof(int64_t);
    }
    draft.tolerances.element_size = draft.pools[F32].element_size = sizeof(float);
    draft.pools[U8].element_size = draft.pools[I8].element_size = 1;
    draft.sums.element_size = sizeof(double);
    const struct tensor_spec *spec = part->tensors;
    for (; draft.tensors < MAX_TENSORS && spec->name != NULL; spec++) {
        draft.tensors++;
        draft.judged += has_output_role(spec);
    }
    for (const struct mistake *m = part->mistakes; m != NULL && m->id != NULL; m++) {
        draft.mistake_count++;
    }
    return draft;
}

static void draft_end(struct draft *draft)
{
    struct pool *const all[] = {
        &draft->cases,       &draft->tolerances, &draft->mistakes,  &draft->order[0],
        &draft->order[1],    &draft->pools[F32], &draft->pools[U8], &draft->pools[I8],
        &draft->pools[SIZE], &draft->sums};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        pool_free(all[i]);
    }
}

// ---- one case -----------------------------------------------------------------------------

static int64_t note_number(struct draft *draft, const char *note)
{
    if (note == NULL) {
        return NOWHERE;
    }
    size_t i = 0;
    while (i < draft->note_count && strcmp(draft->notes[i], note) != 0) {
        i++;
    }
    if (i == MOST_NOTES) {
        grader_fail("%s has more than %d notes", draft->part->function, (int)MOST_NOTES);
    }
    if (i == draft->note_count) {
        draft->notes[draft->note_count++] = note;
    }
    return (int64_t)i;
}

// The case as drawn from its seed alone: inputs that are equal need not be stored.
static struct case_list draw_again_unchanged(const struct test_case *test)
{
    struct case_list list = {.count = 0};
    struct lab_rng rng;
    struct test_case *twin = cases_append(&list);
    twin->part = test->part;
    twin->drawn_from = test->drawn_from;
    twin->dims = test->dims;
    memcpy(twin->dim, test->dim, sizeof twin->dim);
    lab_rng_seed(&rng, test->drawn_from);
    for (size_t i = 0; i < test->sizes_drawn; i++) {
        (void)lab_rng_next32(&rng);
    }
    case_make_tensors(twin, &rng);
    return list;
}

static bool is_times(const float *numbers, const float *drawn, size_t count, float by)
{
    for (size_t i = 0; i < count; i++) {
        float times = drawn[i] * by;
        if (memcmp(&numbers[i], &times, sizeof times) != 0) {
            return false;
        }
    }
    return true;
}

// Finds out whether the input is the drawn one times a single number. The quotient of two
// floats is that number or a neighboring float.
static bool find_factor(const struct tensor *tensor, const struct tensor *drawn,
                        float *factor)
{
    if (tensor->spec->type != F32 || tensor->count < 4) {
        return false;
    }
    const float *numbers = tensor->data, *before = drawn->data;
    const float about = numbers[0] / before[0];
    const float tries[] = {about, nextafterf(about, INFINITY),
                           nextafterf(about, -INFINITY)};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        if (is_times(numbers, before, tensor->count, tries[i])) {
            *factor = tries[i];
            return true;
        }
    }
    return false;
}

static bool has_exact_output(const struct part *part)
{
    const struct tensor_spec *spec = part->tensors;
    for (size_t i = 0; i < MAX_TENSORS && spec[i].name != NULL; i++) {
        if (has_output_role(&spec[i]) && spec[i].type == F32 && spec[i].atol == 0 &&
            spec[i].rtol == 0) {
            return true;
        }
    }
    return false;
}

static bool same_numbers(const struct tensor *one, const struct tensor *other)
{
    return memcmp(one->data, other->data, one->count * one->element_size) == 0;
}

// COARSE, EVEN or SMALL if one of them draws this tensor, otherwise NOWHERE. The twin's is drawn
// anew.
static int64_t drawn_in_whole_numbers(const struct tensor *tensor, struct test_case *twin,
                                      size_t i)
{
    if (tensor->spec->type != F32 || tensor->count == 0) {
        return NOWHERE;
    }
    case_draw_coarse(twin, i);
    if (same_numbers(tensor, &twin->tensor[i])) {
        return COARSE;
    }
    case_draw_even(twin, i);
    if (same_numbers(tensor, &twin->tensor[i])) {
        return EVEN;
    }
    case_draw_small(twin, i);
    return same_numbers(tensor, &twin->tensor[i]) ? SMALL : NOWHERE;
}

static int64_t given(struct draft *draft, const struct tensor *tensor,
                     struct test_case *twin, size_t i)
{
    const struct tensor *unchanged = &twin->tensor[i];
    if (tensor->absent) {
        return ABSENT;
    }
    if (tensor->data == NULL) {
        return NOWHERE;
    }
    const bool exact = has_exact_output(draft->part);
    if (!exact && same_numbers(tensor, unchanged)) {
        return NOWHERE;
    }
    float factor;
    if (!exact && find_factor(tensor, unchanged, &factor)) {
        return TIMES - pool_add(&draft->pools[F32], &factor, 1);
    }
    const int64_t drawn = drawn_in_whole_numbers(tensor, twin, i);
    if (drawn != NOWHERE) {
        return drawn;
    }
    return pool_add(&draft->pools[bank_pool(tensor)], tensor->data, tensor->count);
}

static void add_blocks(struct draft *draft, const struct tensor *tensor, int64_t *places)
{
    size_t blocks = bank_blocks(tensor);
    float *first = grader_alloc(blocks * sizeof *first);
    double *sums = grader_alloc(blocks * sizeof *sums);
    for (size_t block = 0; block < blocks; block++) {
        first[block] = ((const float *)tensor->expected)[block * bank_block(tensor)];
        const struct block_sum sum = bank_sum(tensor, tensor->expected, block);
        sums[block] = bank_brief(sum.sum, sum.tolerance);
    }
    places[EXPECTED] = pool_add(&draft->pools[F32], first, blocks);
    places[SUMS] = pool_add(&draft->sums, sums, blocks);
    free(first);
    free(sums);
}

// Stores the solution's workspaces, for reports on functions with steps (judge/stages.c).
static bool is_kept_step(const struct test_case *test, const struct tensor *tensor)
{
    return test->part->stages != NULL && tensor->spec->role == WORKSPACE &&
           !test->again && !tensor->absent && tensor->count <= KEPT_STEP &&
           !poison_intact(tensor->expected, tensor->count * tensor->element_size);
}

static void add_expected(struct draft *draft, const struct test_case *test,
                         const struct tensor *tensor, int64_t *places)
{
    places[EXPECTED] = places[SUMS] = NOWHERE;
    if ((!tensor_is_judged(tensor) && !is_kept_step(test, tensor)) ||
        test->expected_status != LAB_OK) {
        return; // after an error the outputs must be unchanged
    }
    if (bank_is_large(tensor)) {
        add_blocks(draft, tensor, places);
    } else {
        places[EXPECTED] =
            pool_add(&draft->pools[bank_pool(tensor)], tensor->expected, tensor->count);
    }
}

static void fill_row(struct draft *draft, const struct test_case *test, int64_t *row,
                     float *tolerances)
{
    row[FLAGS] = (test->again ? AGAIN : 0) + (test->apart ? APART : 0) +
                 (test->second ? SECOND : 0) + (test->gpu_only ? GPU_ONLY : 0) +
                 (test->nan ? WITH_NAN : 0) + (test->launch_only ? LAUNCH_ONLY : 0) +
                 (test->barely ? BARELY : 0) + (test->memory_only ? MEMORY_ONLY : 0) +
                 (test->most ? MOST_OF_A_SIZE : 0) + BEYOND * (int64_t)test->beyond;
    row[PROPERTY] = (int64_t)test->property;
    row[NOTE] = note_number(draft, test->note);
    row[DRAWN_FROM] = (int64_t)test->drawn_from;
    row[SIZES_DRAWN] = (int64_t)test->sizes_drawn;
    row[STATUS] = (int64_t)test->expected_status;
    row[REPEATS] = (int64_t)test->repeats;
    for (size_t i = 0; i < test->dims; i++) {
        row[COLUMNS + i] = (int64_t)test->dim[i];
    }
    struct case_list unchanged = draw_again_unchanged(test);
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        int64_t *places = row + COLUMNS + test->dims + TENSOR_COLUMNS * i;
        places[GIVEN] = given(draft, tensor, &unchanged.cases[0], i);
        add_expected(draft, test, tensor, places);
        tolerances[2 * i] = tensor->atol;
        tolerances[2 * i + 1] = tensor->rtol;
    }
    cases_free(&unchanged);
}

// ---- what the mistakes would give ---------------------------------------------------------

static bool same_as_expected(const struct tensor *tensor, const char *values)
{
    const size_t size = tensor->element_size;
    for (size_t i = 0; i < bank_kept(tensor->count); i++) {
        const char *expected =
            (const char *)tensor->expected + bank_kept_place(tensor->count, i) * size;
        if (memcmp(values + i * size, expected, size) != 0) {
            return false;
        }
    }
    return true;
}

// Leaves digits out that same_value() does not look at. What a mistake did not write stays as it is.
static void make_brief(const struct tensor *tensor, float *values)
{
    for (size_t i = 0; i < bank_kept(tensor->count); i++) {
        const double tolerance =
            (double)tensor->atol + (double)tensor->rtol * fabs((double)values[i]);
        if (!poison_intact(&values[i], sizeof values[i])) {
            values[i] = (float)bank_brief((double)values[i], tolerance);
        }
    }
}

static int64_t add_kept(struct draft *draft, const struct tensor *tensor,
                        const void *output)
{
    size_t kept = bank_kept(tensor->count);
    char *values = grader_alloc(kept * tensor->element_size);
    for (size_t i = 0; i < kept; i++) {
        memcpy(values + i * tensor->element_size,
               (const char *)output +
                   bank_kept_place(tensor->count, i) * tensor->element_size,
               tensor->element_size);
    }
    // The expected numbers may be stored already.
    if (tensor->spec->type == F32 && !bank_is_exact(tensor) &&
        !same_as_expected(tensor, values)) {
        make_brief(tensor, (float *)(void *)values);
    }
    int64_t at = pool_add(&draft->pools[bank_pool(tensor)], values, kept);
    free(values);
    return at;
}

// One call of a mistake, on the current contents of the case.
static void add_call(struct draft *draft, const struct test_case *test, lab_status status,
                     void *const output[MAX_TENSORS])
{
    int64_t *row = grader_alloc((1 + draft->judged) * sizeof *row);
    size_t judged = 0;
    row[0] = (int64_t)status;
    for (size_t i = 0; i < test->tensors; i++) {
        if (has_output_role(test->tensor[i].spec)) {
            row[1 + judged++] =
                output != NULL ? add_kept(draft, &test->tensor[i], output[i]) : NOWHERE;
        }
    }
    append_row(&draft->mistakes, row, 1 + draft->judged);
    free(row);
}

// Afterwards got contains the outputs of the first call, for the repeat that keeps them.
static bool add_first(struct draft *draft, struct test_case *test, any_function f)
{
    void *output[MAX_TENSORS];
    lab_status status = recall_call(test, draft->entry->call, f, output);
    bool right = status != LEAVES_ARGUMENTS && distance(test, status, output, NULL) <= 1;
    add_call(draft, test, status, output);
    for (size_t i = 0; i < test->tensors; i++) {
        if (output[i] != NULL) {
            memcpy(test->tensor[i].got, output[i],
                   test->tensor[i].count * test->tensor[i].element_size);
        }
    }
    case_free_outputs(output);
    return right;
}

// Fills the row of a mistake that is not called.
static void add_no_calls(struct draft *draft, const struct test_case *test)
{
    for (uint32_t c = POISONED; c < CONTENTS; c++) {
        add_call(draft, test, (lab_status)NOT_REPEATED, NULL);
    }
}

static void add_mistake(struct draft *draft, const struct test_case *test, any_function f)
{
    if (test->memory_only) {
        add_no_calls(draft, test);
        return;
    }
    struct test_case call = *test;
    call.row = draft->rows;
    f = test->gpu_only ? draft->entry->function : f;
    bool right = add_first(draft, &call, f);
    for (uint32_t c = POISONED + 1; c < CONTENTS; c++) {
        void *output[MAX_TENSORS];
        if (!right || (call.repeats >> c & 1) == 0) {
            add_call(draft, &call, (lab_status)NOT_REPEATED, NULL);
            continue;
        }
        call.contents = (enum contents)c;
        lab_status status = recall_call(&call, draft->entry->call, f, output);
        add_call(draft, &call, status, output);
        case_free_outputs(output);
    }
}

// ---- one side of a part -------------------------------------------------------------------

// A case of both sides keeps the repeats that it has on the CPU, where it is added first.
static bool is_row(const struct draft *draft, size_t i, int64_t *row,
                   const float *tolerances)
{
    size_t bytes = draft->columns * sizeof *row;
    memcpy(&row[REPEATS], draft->cases.numbers + i * bytes + REPEATS * sizeof *row,
           sizeof *row);
    size_t floats = 2 * draft->tensors * sizeof *tolerances;
    return memcmp(draft->cases.numbers + i * bytes, row, bytes) == 0 &&
           memcmp(draft->tolerances.numbers + i * floats, tolerances, floats) == 0;
}

// The index of its row. If the same call is made many times, the row exists already.
static int64_t add_case(struct draft *draft, const struct test_case *test)
{
    draft->columns = COLUMNS + test->dims + TENSOR_COLUMNS * test->tensors;
    int64_t *row = grader_alloc(draft->columns * sizeof *row);
    float *tolerances = grader_alloc(2 * test->tensors * sizeof *tolerances);
    fill_row(draft, test, row, tolerances);
    size_t i = 0;
    while (i < draft->rows && !is_row(draft, i, row, tolerances)) {
        i++;
    }
    if (i == draft->rows) {
        row[REPEATS] = (int64_t)test->repeats;
        append_row(&draft->cases, row, draft->columns);
        append_row(&draft->tolerances, tolerances, 2 * test->tensors);
        for (size_t m = 0; m < draft->mistake_count; m++) {
            add_mistake(draft, test, draft->part->mistakes[m].function);
        }
        draft->rows++;
    }
    free(row);
    free(tolerances);
    return (int64_t)i;
}

static void add_side(struct draft *draft, uint64_t seed, bool gpu)
{
    struct case_list cases = cases_draw(draft->part, seed, gpu);
    cases_expect(&cases, draft->entry);
    for (size_t c = 0; c < cases.count; c++) {
        int64_t number = add_case(draft, &cases.cases[c]);
        append_row(&draft->order[gpu], &number, 1);
    }
    cases_free(&cases);
}

// ---- the file -----------------------------------------------------------------------------

static lab_status add_tables(struct lab_tensor_file *file, const struct draft *draft)
{
    const struct {
        const char *name;
        enum lab_dtype type;
        const struct pool *pool;
        size_t dims, shape[3];
    } tables[] = {
        {"cases", LAB_I64, &draft->cases, 2, {draft->rows, draft->columns}},
        {"tolerances", LAB_F32, &draft->tolerances, 3, {draft->rows, draft->tensors, 2}},
        {"mistakes",
         LAB_I64,
         &draft->mistakes,
         3,
         {draft->rows, draft->mistake_count, CONTENTS * (1 + draft->judged)}},
        {"order.cpu", LAB_I64, &draft->order[0], 1, {draft->order[0].count}},
        {"order.gpu", LAB_I64, &draft->order[1], 1, {draft->order[1].count}},
        {"floats", LAB_F32, &draft->pools[F32], 1, {draft->pools[F32].count}},
        {"bytes", LAB_U8, &draft->pools[U8], 1, {draft->pools[U8].count}},
        {"signed", LAB_I8, &draft->pools[I8], 1, {draft->pools[I8].count}},
        {"sizes", LAB_I64, &draft->pools[SIZE], 1, {draft->pools[SIZE].count}},
        {"sums", LAB_F64, &draft->sums, 1, {draft->sums.count}},
    };
    lab_status status = LAB_OK;
    for (size_t i = 0; status == LAB_OK && i < sizeof tables / sizeof tables[0]; i++) {
        status =
            lab_tensor_file_add(file, tables[i].name, tables[i].type,
                                tables[i].pool->numbers, tables[i].dims, tables[i].shape);
    }
    return status;
}

static lab_status add_words(struct lab_tensor_file *file, const struct draft *draft,
                            uint64_t seed)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, seed);
    LAB_TRY(
        lab_tensor_file_add_note(file, "kind", "case bank of the attention workbook, 3"));
    LAB_TRY(lab_tensor_file_add_note(file, "seed", number));
    for (size_t i = 0; i < draft->note_count; i++) {
        snprintf(number, sizeof number, "note.%zu", i);
        LAB_TRY(lab_tensor_file_add_note(file, number, draft->notes[i]));
    }
    return LAB_OK;
}

static bool save(const struct draft *draft, const char *path, uint64_t seed)
{
    struct lab_tensor_file file = {0};
    lab_status status = add_tables(&file, draft);
    if (status == LAB_OK) {
        status = add_words(&file, draft, seed);
    }
    if (status == LAB_OK) {
        status = lab_tensor_file_save(&file, path);
    }
    if (status != LAB_OK) {
        fprintf(stderr, "grade: %s: %s\n", path, file.error);
    }
    lab_tensor_file_close(&file);
    return status == LAB_OK;
}

// The row of each case of a side.
static const int64_t *rows_of(const struct draft *draft, bool gpu)
{
    return (const int64_t *)(const void *)draft->order[gpu].numbers;
}

static bool write_part(const char *folder, const struct exercise *exercise,
                       const struct part *part, const struct entry *entry, uint64_t seed)
{
    struct draft draft = draft_begin(part, entry);
    add_side(&draft, seed, false);
    if (entry->gpu) {
        add_side(&draft, seed, true);
    }
    char *stem = bank_stem(exercise, part);
    char *path = grader_print("%s/%s.safetensors", folder, stem);
    printf("  bank     %s\n", stem); // all of them take a minute or two
    fflush(stdout);
    bool fine =
        save(&draft, path, seed) &&
        bank_check(folder, stem, part, entry, seed, false, rows_of(&draft, false)) &&
        (!entry->gpu ||
         bank_check(folder, stem, part, entry, seed, true, rows_of(&draft, true)));
    if (!fine) {
        (void)remove(path);
    }
    free(path);
    free(stem);
    draft_end(&draft);
    recall_end();
    return fine;
}

static bool write_tables(const char *folder, const struct lab_place *place, uint64_t seed)
{
    char *path = grader_print("%s/lab%02d.tables.c", folder, place->number);
    FILE *file = fopen(path, "w");
    bool fine = file != NULL;
    if (fine) {
        bank_write_tables(file, place, seed);
        fine = ferror(file) == 0;
        fine = fclose(file) == 0 && fine;
    }
    if (!fine) {
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    }
    free(path);
    return fine;
}

bool bank_write(const char *folder, uint64_t seed)
{
    bool fine = true;
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        fine = fine && write_tables(folder, place, seed);
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct exercise *exercise = *each;
            const struct part *part = exercise->parts;
            for (; part->function != NULL && fine; part++) {
                fine = write_part(folder, exercise, part, part_entry(place, part), seed);
            }
        }
    }
    return fine;
}
