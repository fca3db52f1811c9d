// call.c - see call.h.

#include "cases/call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/poison.h"
#include "cases/sizes.h"
#include "common/tensor_file.h"
#include "cases/compare.h"
#include "base/memory.h"

// ---- JSON ---------------------------------------------------------------------------------

// JSON has no NaN: these are the strings "nan", "inf", "-inf". null means never written.
static void write_value(FILE *file, const struct tensor *tensor, const void *values,
                        size_t i)
{
    const char *at = (const char *)values + i * tensor->element_size;
    if (values == tensor->got && still_unset(tensor, i)) {
        fputs("null", file);
    } else if (tensor->spec->type == U8) {
        fprintf(file, "%u", *(const uint8_t *)at);
    } else if (tensor->spec->type == I8) {
        fprintf(file, "%d", *(const int8_t *)at);
    } else if (tensor->spec->type == SIZE) {
        size_t value;
        memcpy(&value, at, sizeof value);
        fprintf(file, "%zu", value);
    } else if (tensor->spec->type == DIFFERENCE) {
        ptrdiff_t value;
        memcpy(&value, at, sizeof value);
        fprintf(file, "%td", value);
    } else {
        float value;
        memcpy(&value, at, sizeof value);
        if (isnan(value)) {
            fputs("\"nan\"", file);
        } else if (isinf(value)) {
            fputs(value > 0 ? "\"inf\"" : "\"-inf\"", file);
        } else {
            fprintf(file, "%.9g", value);
        }
    }
}

static void write_values(FILE *file, const char *name, const struct tensor *tensor,
                         const void *values)
{
    if (values == NULL || tensor->count > CALL_MOST_VALUES) {
        return;
    }
    fprintf(file, ",\"%s\":[", name);
    for (size_t i = 0; i < tensor->count; i++) {
        fputs(i > 0 ? "," : "", file);
        write_value(file, tensor, values, i);
    }
    fputc(']', file);
}

static void write_tensor(FILE *file, const struct test_case *test,
                         const struct tensor *tensor)
{
    bool judged = tensor_is_judged(tensor) && test->expected_status == LAB_OK;
    fprintf(file, "{\"name\":\"%s\",\"axes\":\"%s\",\"role\":\"%s\",\"shape\":[",
            tensor->spec->name, tensor->spec->shape,
            tensor->spec->role == INPUT     ? "input"
            : tensor->spec->role == OUTPUT  ? "output"
            : tensor->spec->role == UPDATED ? "updated"
                                            : "workspace");
    for (size_t i = 0; i < tensor->axes; i++) {
        fprintf(file, "%s%zu", i > 0 ? "," : "", tensor->axis[i]);
    }
    fputc(']', file);
    if (tensor->absent) {
        fputs(",\"absent\":true}", file);
        return;
    }
    write_values(file, "values", tensor, tensor->data);
    if (judged) {
        write_values(file, "expected", tensor, tensor->expected);
        if (test->progress == RETURNED && tensor->got != NULL) {
            write_values(file, "got", tensor, tensor->got);
            fprintf(file, ",\"wrong\":%zu,\"atol\":%g,\"rtol\":%g",
                    compare_tensor(tensor).wrong, (double)tensor->spec->atol,
                    (double)tensor->spec->rtol);
        }
    }
    fputc('}', file);
}

// For the grader's own words, which contain no control characters.
static void write_string(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        fputs(*text == '"' || *text == '\\' ? "\\" : "", file);
        fputc(*text, file);
    }
}

char *call_json(const struct test_case *test)
{
    struct text text;
    char sizes[128];
    bool first = true;
    text_begin(&text);
    case_describe(test, sizes, sizeof sizes);
    fprintf(text.file, "{\"function\":\"%s\",\"sizes\":\"%s\",\"note\":\"",
            test->part->function, sizes);
    write_string(text.file, test->note != NULL ? test->note : "");
    fputs("\",\"tensors\":[", text.file);
    for (size_t i = 0; i < test->tensors; i++) {
        const enum role role = test->tensor[i].spec->role;
        if (role != WORKSPACE && role != WITHHELD) {
            fputs(first ? "" : ",", text.file);
            write_tensor(text.file, test, &test->tensor[i]);
            first = false;
        }
    }
    fputs("]}", text.file);
    return text_end(&text);
}

// ---- a tensor file ------------------------------------------------------------------------

static void add(struct lab_tensor_file *file, const char *name,
                const struct tensor *tensor, const void *values)
{
    static const enum lab_dtype types[] = {[F32] = LAB_F32,
                                           [U8] = LAB_U8,
                                           [I8] = LAB_I8,
                                           [SIZE] = LAB_I64,
                                           [DIFFERENCE] = LAB_I64};
    if (values != NULL &&
        lab_tensor_file_add(file, name, types[tensor->spec->type], values, tensor->axes,
                            tensor->axis) != LAB_OK) {
        grader_fail("cannot keep the tensor %s for --dump", name);
    }
}

void call_dump(const struct test_case *test, const char *path)
{
    struct lab_tensor_file file = {.count = 0};
    for (size_t i = 0; path != NULL && i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        char *expected = grader_print("%s.expected", tensor->spec->name);
        char *got = grader_print("%s.got", tensor->spec->name);
        if (!tensor->absent) {
            add(&file, tensor->spec->name, tensor, tensor->data);
        }
        if (tensor_is_judged(tensor) && test->expected_status == LAB_OK) {
            add(&file, expected, tensor, tensor->expected);
            add(&file, got, tensor, test->progress == RETURNED ? tensor->got : NULL);
        }
        free(expected);
        free(got);
    }
    if (path != NULL && lab_tensor_file_save(&file, path) != LAB_OK) {
        grader_fail("%s", file.error);
    }
    lab_tensor_file_close(&file);
}
