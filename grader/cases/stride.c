// stride.c - see stride.h. The known mistakes of an exercise cannot list every size that an index may
// have by mistake, so the expected numbers are placed as such an index would place them.

#include "cases/stride.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/compare.h"
#include "cases/poison.h"

// Fewer wrong numbers may be at such places by chance.
enum { ENOUGH_NUMBERS = 4 };

// Where element i of a tensor is stored if an axis is taken to be that long.
static size_t place_of(const struct tensor *tensor, size_t i, size_t axis, size_t length)
{
    size_t place = 0, below = tensor->count;
    for (size_t a = 0; a < tensor->axes; a++) {
        below /= tensor->axis[a];
        place = place * (a == axis ? length : tensor->axis[a]) + i / below;
        i %= below;
    }
    return place;
}

// In the student archive, long outputs are not stored in full.
static bool is_unknown(const struct tensor *tensor, size_t i)
{
    return isnan(((const float *)tensor->expected)[i]) && !tensor->may_be_nan;
}

// Returns true if the output holds the expected numbers at those places, the last one that
// belongs there, and nothing elsewhere. A place past its end is a crash, which says more.
static bool is_stored_so(const struct tensor *tensor, size_t axis, size_t length)
{
    const float *got = tensor->got, *expected = tensor->expected;
    size_t *from = grader_alloc(tensor->count * sizeof *from);
    memset(from, 0xff, tensor->count * sizeof *from);
    bool so = true;
    for (size_t i = 0; so && i < tensor->count; i++) {
        const size_t place = place_of(tensor, i, axis, length);
        so = place < tensor->count;
        if (so) {
            from[place] = i;
        }
    }
    for (size_t i = 0; so && i < tensor->count; i++) {
        so = from[i] == SIZE_MAX ? still_unset(tensor, i)
                                 : is_unknown(tensor, from[i]) ||
                                       close_enough(got[i], expected[from[i]],
                                                    tensor->atol, tensor->rtol);
    }
    free(from);
    return so;
}

static bool explains(const struct test_case *test, const struct stride *stride)
{
    bool so =
        test->contents == POISONED && test->got_status == (int)test->expected_status;
    for (size_t i = 0; so && i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (i != stride->tensor) {
            so = compare_tensor(tensor).fault == NO_FAULT;
        } else {
            so = tensor_is_judged(tensor) && tensor->count > 0 && // some calls lack it
                 is_stored_so(tensor, stride->axis, test->dim[stride->size]);
        }
    }
    return so;
}

static bool explains_all(const struct case_list *cases, const struct stride *stride)
{
    size_t wrong = 0;
    for (size_t c = 0; c < cases->count; c++) {
        const struct test_case *test = &cases->cases[c];
        if (test->progress != RETURNED || compare_case(test).fault == NO_FAULT) {
            continue;
        }
        if (!explains(test, stride)) {
            return false;
        }
        wrong += compare_tensor(&test->tensor[stride->tensor]).wrong;
    }
    return wrong >= ENOUGH_NUMBERS;
}

bool find_stride(const struct case_list *cases, struct stride *found)
{
    const struct test_case *any = &cases->cases[0];
    size_t count = 0;
    for (size_t i = 0; cases->count > 0 && i < any->tensors; i++) {
        const struct tensor *tensor = &any->tensor[i];
        if (!tensor_is_judged(tensor) || tensor->spec->type != F32) {
            continue;
        }
        for (size_t axis = 1; axis < tensor->axes; axis++) {
            for (size_t size = 0; size < any->dims; size++) {
                const struct stride stride = {tensor->spec, i, axis, size};
                if (explains_all(cases, &stride)) {
                    *found = stride;
                    count++;
                }
            }
        }
    }
    return count == 1;
}

// The length of the word at an index of a text of words, and where it begins.
static int find_word(const char **words, size_t index)
{
    *words += strspn(*words, " ");
    for (; index > 0; index--) {
        *words += strcspn(*words, " ");
        *words += strspn(*words, " ");
    }
    return (int)strcspn(*words, " ");
}

char *name_stride(const struct part *part, const struct stride *stride)
{
    const char *axis = stride->output->shape, *size = part->dims;
    const int axis_length = find_word(&axis, stride->axis);
    const int size_length = find_word(&size, stride->size);
    return grader_print("%s (%s) has the right numbers at the wrong places, as if %.*s "
                        "were %.*s",
                        stride->output->name, stride->output->shape, axis_length, axis,
                        size_length, size);
}
