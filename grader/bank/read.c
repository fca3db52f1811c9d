// read.c - reads the cases of the student archive from a bank. Start reading at bank_draw.

#include "bank/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bank/bank.h"
#include "bank/blocks.h"
#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/oracle.h"
#include "cases/poison.h"
#include "cases/repeats.h"
#include "common/tensor_file.h"

struct bank {
    struct lab_tensor_file file;
    char *path;
    const struct part *part;
    size_t rows, columns, tensors; // of "cases"; tensors of the function
    size_t mistakes, judged;       // of "mistakes": status and judged tensors
    const int64_t *cases, *mistake;
    const float *tolerances; // (rows, tensors, 2)
    const struct lab_tensor *pools[SIZE + 1], *sums;
};

static _Noreturn void broken(const struct bank *bank, const char *what)
{
    grader_fail("%s: %s; unpack the archive again", bank->path, what);
}

// ---- the file -----------------------------------------------------------------------------

static const struct lab_tensor *table(const struct bank *bank, const char *name,
                                      enum lab_dtype type, size_t dims)
{
    const struct lab_tensor *tensor = lab_tensor_find(&bank->file, name);
    if (tensor == NULL || tensor->dtype != type || tensor->dims != dims) {
        char *what = grader_print("no tensor '%s' of type %s with %zu axes", name,
                                  lab_dtype_name(type), dims);
        broken(bank, what);
    }
    return tensor;
}

static size_t count_dims(const struct part *part)
{
    size_t count = 0;
    for (const char *c = part->dims; *c != '\0'; c++) {
        count += *c != ' ' && (c == part->dims || c[-1] == ' ');
    }
    return count;
}

static void count_tensors(struct bank *bank)
{
    const struct tensor_spec *spec = bank->part->tensors;
    for (; bank->tensors < MAX_TENSORS && spec->name != NULL; spec++) {
        bank->tensors++;
        bank->judged += spec->role == OUTPUT || spec->role == UPDATED;
    }
    for (const struct mistake *m = bank->part->mistakes; m != NULL && m->id != NULL;
         m++) {
        bank->mistakes++;
    }
}

static void read_tables(struct bank *bank)
{
    static const char *const pools[] = {
        [F32] = "floats", [U8] = "bytes", [I8] = "signed", [SIZE] = "sizes"};
    static const enum lab_dtype types[] = {
        [F32] = LAB_F32, [U8] = LAB_U8, [I8] = LAB_I8, [SIZE] = LAB_I64};
    const struct lab_tensor *cases = table(bank, "cases", LAB_I64, 2);
    const struct lab_tensor *tolerances = table(bank, "tolerances", LAB_F32, 3);
    const struct lab_tensor *mistakes = table(bank, "mistakes", LAB_I64, 3);
    count_tensors(bank);
    bank->rows = cases->shape[0];
    bank->columns = COLUMNS + count_dims(bank->part) + TENSOR_COLUMNS * bank->tensors;
    if (cases->shape[1] != bank->columns || tolerances->shape[0] != bank->rows ||
        tolerances->shape[1] != bank->tensors || tolerances->shape[2] != 2 ||
        mistakes->shape[0] != bank->rows || mistakes->shape[1] != bank->mistakes ||
        mistakes->shape[2] != CONTENTS * (1 + bank->judged)) {
        broken(bank, "its tables do not match the function");
    }
    bank->cases = cases->data;
    bank->tolerances = tolerances->data;
    bank->mistake = mistakes->data;
    for (int type = F32; type <= SIZE; type++) {
        bank->pools[type] = table(bank, pools[type], types[type], 1);
    }
    bank->sums = table(bank, "sums", LAB_F64, 1);
}

char *bank_path(const char *folder, const struct part *part)
{
    return grader_print("%s/%s.safetensors", folder, part->bank);
}

static struct bank *bank_open(const char *folder, const struct part *part)
{
    struct bank *bank = grader_alloc(sizeof *bank);
    bank->part = part;
    bank->path = bank_path(folder, part);
    if (lab_tensor_file_open(&bank->file, bank->path) != LAB_OK) {
        grader_fail("%s; unpack the archive again", bank->file.error);
    }
    read_tables(bank);
    return bank;
}

static void bank_close(struct bank *bank)
{
    if (bank != NULL) {
        lab_tensor_file_close(&bank->file);
        free(bank->path);
        free(bank);
    }
}

// Returns count numbers of a pool, after checking that they are inside it.
static const void *in_pool(const struct bank *bank, const struct lab_tensor *pool,
                           int64_t at, size_t count)
{
    if (at < 0 || (uint64_t)at > pool->count || count > pool->count - (uint64_t)at) {
        broken(bank, "an index is out of range");
    }
    return (const char *)pool->data + (size_t)at * lab_dtype_size(pool->dtype);
}

static const void *numbers(const struct bank *bank, const struct tensor *tensor,
                           int64_t at, size_t count)
{
    return in_pool(bank, bank->pools[bank_pool(tensor)], at, count);
}

// ---- cases --------------------------------------------------------------------------------

static const int64_t *row_of(const struct test_case *test)
{
    return test->bank->cases + test->row * test->bank->columns;
}

// The three columns of a tensor.
static const int64_t *places(const struct test_case *test, size_t i)
{
    return row_of(test) + COLUMNS + test->dims + TENSOR_COLUMNS * i;
}

static const char *note(const struct bank *bank, int64_t number)
{
    if (number < 0) {
        return NULL;
    }
    char key[32];
    snprintf(key, sizeof key, "note.%lld", (long long)number);
    return lab_tensor_note(&bank->file, key);
}

static void draw_inputs(struct test_case *test, const int64_t *row)
{
    struct lab_rng rng;
    lab_rng_seed(&rng, (uint64_t)row[DRAWN_FROM]);
    for (int64_t i = 0; i < row[SIZES_DRAWN]; i++) {
        (void)lab_rng_next32(&rng);
    }
    case_make_tensors(test, &rng);
}

static void multiply(const struct bank *bank, struct tensor *tensor, int64_t at)
{
    const float by = *(const float *)in_pool(bank, bank->pools[F32], at, 1);
    for (size_t i = 0; tensor->spec->type == F32 && i < tensor->count; i++) {
        ((float *)tensor->data)[i] *= by;
    }
}

static void take_inputs(struct test_case *test)
{
    const float *tolerances = test->bank->tolerances + test->row * test->tensors * 2;
    for (size_t i = 0; i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        int64_t at = places(test, i)[GIVEN];
        tensor->atol = tolerances[2 * i];
        tensor->rtol = tolerances[2 * i + 1];
        tensor->absent = at == ABSENT;
        if (at >= 0 && tensor->data != NULL) {
            memcpy(tensor->data, numbers(test->bank, tensor, at, tensor->count),
                   tensor->count * tensor->element_size);
        } else if (at == COARSE && tensor->data != NULL) {
            case_draw_coarse(test, i);
        } else if (at == EVEN && tensor->data != NULL) {
            case_draw_even(test, i);
        } else if (at == SMALL && tensor->data != NULL) {
            case_draw_small(test, i);
        } else if (at <= TIMES && tensor->data != NULL) {
            multiply(test->bank, tensor, TIMES - at);
        }
    }
}

static void take_case(struct case_list *list, int64_t row_number)
{
    const struct bank *bank = list->bank;
    if (row_number < 0 || (uint64_t)row_number >= bank->rows) {
        broken(bank, "it names a case that does not exist");
    }
    const int64_t *row = bank->cases + (size_t)row_number * bank->columns;
    struct test_case *test = cases_append(list);
    test->part = bank->part;
    test->bank = bank;
    test->row = (size_t)row_number;
    test->note = note(bank, row[NOTE]);
    test->drawn_from = (uint64_t)row[DRAWN_FROM];
    test->again = (row[FLAGS] & AGAIN) != 0;
    test->apart = (row[FLAGS] & APART) != 0;
    test->second = (row[FLAGS] & SECOND) != 0;
    test->gpu_only = (row[FLAGS] & GPU_ONLY) != 0;
    test->launch_only = (row[FLAGS] & LAUNCH_ONLY) != 0;
    test->memory_only = (row[FLAGS] & MEMORY_ONLY) != 0;
    test->barely = (row[FLAGS] & BARELY) != 0;
    test->most = (row[FLAGS] & MOST_OF_A_SIZE) != 0;
    test->beyond = (uint32_t)(row[FLAGS] / BEYOND);
    test->property = (size_t)row[PROPERTY];
    test->dims = count_dims(bank->part);
    for (size_t i = 0; i < test->dims; i++) {
        test->dim[i] = (size_t)row[COLUMNS + i];
    }
    test->repeats = (uint32_t)row[REPEATS];
    test->contents = test->again ? NUMBERS : POISONED;
    draw_inputs(test, row);
    take_inputs(test);
    if ((row[FLAGS] & WITH_NAN) != 0) {
        case_allow_nan(test);
    }
}

// ---- what is expected ---------------------------------------------------------------------

static bool block_is_right(const struct tensor *tensor, size_t block, double expected)
{
    struct block_sum got = bank_sum(tensor, tensor->got, block);
    return fabs(got.sum - expected) <= got.tolerance; // false for NaN
}

static bool is_unwritten(const float *got)
{
    return poison_intact(got, sizeof *got);
}

static bool any_unwritten(const float *got, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_unwritten(&got[i])) {
            return true;
        }
    }
    return false;
}

// Only the first number of a block is known. If the sum is right, the student's numbers are
// taken as expected. Otherwise all of them, or those never written, are expected to be NaN,
// which is never close to a number.
static void expect_blocks(const struct test_case *test, struct tensor *tensor,
                          const int64_t *at)
{
    const size_t blocks = bank_blocks(tensor), length = bank_block(tensor);
    const float *first = numbers(test->bank, tensor, at[EXPECTED], blocks);
    const double *sums = in_pool(test->bank, test->bank->sums, at[SUMS], blocks);
    float *expected = tensor->expected;
    const float *got = tensor->got;
    for (size_t block = 0; block < blocks; block++) {
        size_t i = block * length;
        size_t count = tensor->count - i < length ? tensor->count - i : length;
        bool right = block_is_right(tensor, block, sums[block]);
        bool unwritten = !right && any_unwritten(got + i, count);
        expected[i] = first[block];
        for (size_t j = i + 1; j < i + count; j++) {
            bool good = unwritten ? !is_unwritten(&got[j]) : right;
            expected[j] = good ? got[j] : NAN;
        }
    }
}

static void expect_case(struct test_case *test)
{
    test->expected_status = (lab_status)row_of(test)[STATUS];
    for (size_t i = 0; i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        const int64_t *at = places(test, i);
        if (at[EXPECTED] < 0) {
            if (tensor->spec->role == WORKSPACE) {
                poison_fill(tensor->expected, tensor->count * tensor->element_size);
            }
            continue;
        }
        if (tensor->expected == NULL) {
            broken(test->bank, "an input is listed as an output");
        }
        if (bank_is_large(tensor)) {
            expect_blocks(test, tensor, at);
        } else {
            memcpy(tensor->expected,
                   numbers(test->bank, tensor, at[EXPECTED], tensor->count),
                   tensor->count * tensor->element_size);
        }
    }
}

static void bank_expect(struct case_list *list, const struct entry *reference)
{
    (void)reference; // not in the student archive
    for (size_t i = 0; i < list->count; i++) {
        expect_case(&list->cases[i]);
    }
}

// ---- mistakes -----------------------------------------------------------------------------

static bool same_as_kept(const struct test_case *test, const struct tensor *tensor,
                         int64_t at)
{
    size_t kept = bank_kept(tensor->count);
    const char *values = numbers(test->bank, tensor, at, kept);
    float rounding = same_rounding(tensor);
    for (size_t i = 0; i < kept; i++) {
        if (!same_value(tensor, bank_kept_place(tensor->count, i),
                        values + i * tensor->element_size, rounding,
                        test->contents != POISONED)) {
            return false;
        }
    }
    return true;
}

// A mistake's status in this call, followed by the positions of its outputs.
static const int64_t *kept_call(const struct test_case *test,
                                const struct mistake *mistake)
{
    const struct bank *bank = test->bank;
    size_t number = (size_t)(mistake - test->part->mistakes);
    size_t call = (test->row * bank->mistakes + number) * CONTENTS +
                  (case_is_repeat(test) ? test->contents : 0);
    return bank->mistake + call * (1 + bank->judged);
}

static bool bank_leaves_arguments(const struct test_case *test, const struct entry *entry,
                                  const struct mistake *mistake)
{
    (void)entry; // calls nothing
    return kept_call(test, mistake)[0] == (int64_t)LEAVES_ARGUMENTS;
}

static bool bank_agrees(const struct test_case *test, const struct entry *entry,
                        const struct mistake *mistake, bool or_right)
{
    (void)entry;
    const int64_t *kept = kept_call(test, mistake);
    if (kept[0] == (int64_t)LEAVES_ARGUMENTS) {
        return true;
    }
    if (kept[0] == NOT_REPEATED || test->progress != RETURNED ||
        test->got_status != (int)kept[0]) {
        return false;
    }
    for (size_t i = 0, judged = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->spec->role != OUTPUT && tensor->spec->role != UPDATED) {
            continue;
        }
        int64_t at = kept[1 + judged++];
        if (tensor_is_judged(tensor) && !same_as_kept(test, tensor, at) &&
            !(or_right && compare_tensor(tensor).fault == NO_FAULT)) {
            return false;
        }
    }
    return true;
}

// ---- the oracle ---------------------------------------------------------------------------

static void close_list(struct case_list *list)
{
    bank_close(list->bank);
}

static const struct oracle bank_oracle = {.expect = bank_expect,
                                          .agrees = bank_agrees,
                                          .leaves_arguments = bank_leaves_arguments,
                                          .close = close_list,
                                          .looks_at_outputs = true};

struct case_list bank_draw(const char *folder, const struct part *part, bool gpu)
{
    struct case_list list = {.oracle = &bank_oracle, .bank = bank_open(folder, part)};
    const struct lab_tensor *order =
        table(list.bank, gpu ? "order.gpu" : "order.cpu", LAB_I64, 1);
    for (size_t i = 0; i < order->count; i++) {
        take_case(&list, ((const int64_t *)order->data)[i]);
    }
    return list;
}
