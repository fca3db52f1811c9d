// fill.c - what the tables of exercises call to fill, change and check a case (exercise.h).

#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/sizes.h"

size_t case_dim(const struct test_case *test, const char *name)
{
    int index = size_index(test->part, name);
    if (index == SIZE_NOT_FOUND) {
        grader_fail("%s has no size named '%s'", test->part->function, name);
    }
    return test->dim[index];
}

// Loops call this for every element, mostly with the string from the table itself. NULL if there is none.
static struct tensor *look_for(const struct test_case *test, const char *name)
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
    return NULL;
}

static struct tensor *find(const struct test_case *test, const char *name)
{
    struct tensor *tensor = look_for(test, name);
    if (tensor == NULL) {
        grader_fail("%s has no tensor named '%s'", test->part->function, name);
    }
    return tensor;
}

bool case_has(const struct test_case *test, const char *tensor)
{
    return look_for(test, tensor) != NULL;
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
