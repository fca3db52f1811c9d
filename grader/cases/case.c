// case.c - see case.h.

#include "cases/case.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/poison.h"
#include "cases/sizes.h"

// ---- tensors ------------------------------------------------------------------------------

bool tensor_is_written(const struct tensor *tensor)
{
    return tensor->spec->role != INPUT && tensor->spec->role != WITHHELD;
}

bool tensor_is_judged(const struct tensor *tensor)
{
    return !tensor->absent &&
           (tensor->spec->role == OUTPUT || tensor->spec->role == UPDATED);
}

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
    while (size_word(&shape, word)) {
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

void case_shape_tensors(struct test_case *test)
{
    const struct tensor_spec *spec = test->part->tensors;
    for (; test->tensors < MAX_TENSORS && spec->name != NULL; spec++) {
        struct tensor *tensor = &test->tensor[test->tensors++];
        tensor->spec = spec;
        shape_tensor(test, tensor);
        tensor->atol = spec->atol;
        tensor->rtol = spec->rtol;
    }
}

size_t case_elements(const struct test_case *test)
{
    size_t count = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        count += test->tensor[i].count;
    }
    return count;
}

void case_fill_tensors(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        size_t bytes = tensor->count * tensor->element_size;
        if (tensor->spec->role != OUTPUT && tensor->spec->role != WORKSPACE) {
            tensor->data = grader_alloc(bytes);
            if (rng != NULL) {
                fill_input(tensor, rng);
            } else {
                poison_fill(tensor->data,
                            bytes); // test_case_sizes finds what a fill leaves of it
            }
        }
        if (tensor_is_written(tensor)) {
            tensor->expected = grader_alloc(bytes);
            tensor->got = grader_alloc(bytes);
        }
    }
}

void case_make_tensors(struct test_case *test, struct lab_rng *rng)
{
    case_shape_tensors(test);
    case_fill_tensors(test, rng);
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

void case_copy_inputs(struct test_case *to, const struct test_case *from)
{
    for (size_t i = 0; i < to->tensors; i++) {
        to->tensor[i].absent = from->tensor[i].absent;
        if (to->tensor[i].data != NULL) {
            memcpy(to->tensor[i].data, from->tensor[i].data,
                   from->tensor[i].count * from->tensor[i].element_size);
        }
    }
}

void case_free(struct test_case *test)
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

bool case_is_asked(const struct test_case *test)
{
    return !test->gpu_only && !test->memory_only;
}

void case_allow_nan(struct test_case *test)
{
    test->nan = true;
    for (size_t i = 0; i < test->tensors; i++) {
        test->tensor[i].may_be_nan = tensor_is_judged(&test->tensor[i]);
    }
}

// ---- calling ------------------------------------------------------------------------------

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
    if (test->beyond != 0) { // the tensors are smaller than such a call asks for
        return test->most ? LAB_OK : LAB_ESHAPE;
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
