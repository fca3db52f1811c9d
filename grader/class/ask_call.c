// ask_call.c - see ask_call.h.

#include "class/ask_call.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/show.h"
#include "cases/sizes.h"
#include "cases/tables.h"

enum { LARGEST_SIZE = 8 }; // of a call to work out by hand

// How good the sizes of a case are for a question: small, different, none of them 1; -1: too
// large.
static int goodness(const struct case_spec *spec)
{
    long sizes[MAX_DIMS];
    size_t count = 0;
    int good = spec->note != NULL && strstr(spec->note, "by hand") != NULL;
    if (spec->gpu_only || spec->launch_only || spec->nan || spec->apart) {
        return -1;
    }
    for (const char *at = strchr(spec->dims, '='); at != NULL; at = strchr(at, '=')) {
        at++;
        long size = strtol(at, NULL, 10);
        if (size < 1 || size > LARGEST_SIZE || strncmp(at + 1, "..", 2) == 0 ||
            count == MAX_DIMS) {
            return -1;
        }
        bool other = size > 1;
        for (size_t i = 0; i < count; i++) {
            other = other && sizes[i] != size;
        }
        good += 2 * other;
        sizes[count++] = size;
    }
    return good;
}

static bool is_small(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (test->tensor[i].count > MOST_ELEMENTS) {
            return false;
        }
    }
    return test->tensors > 0 && test->expected_status == LAB_OK;
}

// Unit normals have too many digits for the board: quarters.
static void round_inputs(struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        struct tensor *tensor = &test->tensor[i];
        for (size_t e = 0; tensor->data != NULL && tensor->spec->type == F32 &&
                           e < tensor->count && e < MOST_ELEMENTS;
             e++) {
            float *value = (float *)tensor->data + e;
            *value = roundf(*value * 4.0f) / 4.0f + 0.0f; // -0 becomes 0
        }
    }
}

// A call of the part with numbers of this student's, and the solution's results. An empty list
// if the part has no small one.
struct case_list call_small(const struct subject *subject)
{
    const struct case_spec *best = NULL;
    int good = -1;
    for (const struct case_spec *spec = subject->part->cases;
         spec != NULL && spec->dims != NULL; spec++) {
        int now = goodness(spec);
        best = now > good ? spec : best;
        good = now > good ? now : good;
    }
    if (best == NULL) {
        return (struct case_list){.cases = NULL};
    }
    struct case_spec one = *best;
    one.draws = 1;
    struct case_list list = cases_of(subject->part, &one, subject->seed);
    if (list.count > 0 && one.fill == NULL) {
        round_inputs(&list.cases[0]);
    }
    cases_expect(&list, part_entry(subject->place, subject->part));
    if (list.count == 0 || !is_small(&list.cases[0])) {
        cases_free(&list);
        return (struct case_list){.cases = NULL};
    }
    return list;
}

void call_write_number(FILE *file, const struct tensor *tensor, const void *values,
                       size_t i)
{
    const char *at = (const char *)values + i * tensor->element_size;
    switch (tensor->spec->type) {
    case F32:
        fprintf(file, "%.6g", (double)((const float *)values)[i]);
        break;
    case U8:
        fprintf(file, "%u", *(const uint8_t *)at);
        break;
    case I8:
        fprintf(file, "%d", *(const int8_t *)at);
        break;
    default:
        fprintf(file, "%zu", ((const size_t *)values)[i]);
    }
}

// "q (2, 4)" and its rows.
void call_write_tensor(FILE *file, const struct tensor *tensor, const void *values)
{
    fprintf(file, "%s (%s)\n", tensor->spec->name, tensor->spec->shape);
    for (size_t i = 0; i < tensor->count; i++) {
        fputs(i % tensor->columns == 0 ? "    " : "  ", file);
        call_write_number(file, tensor, values, i);
        fputs((i + 1) % tensor->columns == 0 || i + 1 == tensor->count ? "\n" : "", file);
    }
}

// The call with its inputs. Caller frees.
char *call_show(const struct test_case *test)
{
    struct text text;
    char sizes[128];
    text_begin(&text);
    case_describe(test, sizes, sizeof sizes);
    fprintf(text.file, "%s(%s)\n", test->part->function, sizes);
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->absent) {
            fprintf(text.file, "%s is NULL\n", tensor->spec->name);
        } else if (tensor->data != NULL && tensor->spec->role != WITHHELD) {
            call_write_tensor(text.file, tensor, tensor->data);
        }
    }
    return text_end(&text);
}

// The first output of F32.
size_t call_main_output(const struct test_case *test)
{
    size_t i = 0;
    while (i < test->tensors &&
           !(tensor_is_judged(&test->tensor[i]) && test->tensor[i].spec->type == F32)) {
        i++;
    }
    return i;
}
