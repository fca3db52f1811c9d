// copy.c - see copy.h.

#include "cases/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void *copy_bytes(const void *from, size_t bytes)
{
    void *to = grader_alloc(bytes);
    memcpy(to, from, bytes);
    return to;
}

struct test_case case_copy(const struct test_case *test)
{
    struct test_case copy = *test;
    copy.repeats = 0;
    for (size_t i = 0; i < copy.tensors; i++) {
        struct tensor *tensor = &copy.tensor[i];
        size_t bytes = tensor->count * tensor->element_size;
        memset(tensor->repeated, 0, sizeof tensor->repeated);
        if (tensor->got == NULL) {
            continue;
        }
        if (test->contents == KEPT) {
            tensor->repeated[KEPT] = grader_alloc(bytes);
            case_fill(test, &test->tensor[i], tensor->repeated[KEPT]);
        }
        tensor->expected = copy_bytes(tensor->expected, bytes);
        tensor->got = grader_alloc(bytes);
    }
    return copy;
}

void case_free_copy(struct test_case *copy)
{
    for (size_t i = 0; i < copy->tensors; i++) {
        free(copy->tensor[i].expected);
        free(copy->tensor[i].got);
        free(copy->tensor[i].repeated[KEPT]);
    }
}

void case_forget_repeats(struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        for (size_t c = 0; c < CONTENTS; c++) {
            free(test->tensor[i].repeated[c]);
            test->tensor[i].repeated[c] = NULL;
        }
    }
}
