// ask_index.c - see ask_index.h.

#include "class/ask_index.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/list.h"
#include "cases/show.h"
#include "class/ask_call.h"
#include "common/plural.h"

// Of index expressions, those that are looked at, and the tokens of one.
enum { MOST_CANDIDATES = 128, LONGEST_INDEX = 64 };

// An index expression whose value is known for some values of its loops.
struct reading {
    struct code_index index;
    struct code_values values;
    const struct tensor *tensor;
    long place;
    char size[32];  // a size in the expression, and another one for the question
    char other[32]; // why not this one
    long wrong;     // the place with it
};

static const struct tensor *input_named(const struct test_case *test, const char *name)
{
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->data != NULL && !tensor->absent && tensor->spec->role == INPUT &&
            strcmp(tensor->spec->name, name) == 0) {
            return tensor;
        }
    }
    return NULL;
}

// The sizes of a call, by the names of the contract.
static struct code_values sizes_of(const struct test_case *test)
{
    struct code_values values = {.count = 0};
    char name[32];
    size_t place = 0;
    for (const char *at = test->part->dims; *at != '\0' && place < test->dims; place++) {
        int used = 0;
        if (sscanf(at, " %31s%n", name, &used) != 1) {
            break;
        }
        code_set(&values, name, (long)test->dim[place]);
        at += used;
    }
    return values;
}

// Gives every loop variable in the expression a value below its bound. Returns false if there is
// another name in it.
static bool bind_loops(const struct subject *subject, const struct code_values *sizes,
                       struct reading *reading)
{
    char name[32], bound[32];
    for (size_t i = reading->index.from; i < reading->index.to; i++) {
        code_word(subject->code, i, name);
        if (!isalpha((unsigned char)name[0]) || code_get(sizes, name) != NULL) {
            continue;
        }
        const struct code_value *most = NULL;
        if (code_bound(subject->code, reading->index.from, name, bound)) {
            most = code_get(sizes, bound);
        }
        if (most == NULL || most->value < 1) {
            return false;
        }
        long value = most->value == 1 ? 0
                                      : 1 + (long)subject_choose(subject, (int)i,
                                                                 (size_t)most->value - 1);
        code_set(&reading->values, name, value);
    }
    return true;
}

// Another size in place of one in the expression, which leads elsewhere.
static bool find_other(const struct subject *subject, const struct code_values *sizes,
                       struct reading *reading)
{
    char name[32];
    for (size_t i = reading->index.from; i < reading->index.to; i++) {
        code_word(subject->code, i, name);
        const struct code_value *size = code_get(sizes, name);
        for (size_t o = 0; size != NULL && o < sizes->count; o++) {
            struct code_values changed = reading->values;
            code_set(&changed, name, sizes->list[o].value);
            if (sizes->list[o].value != size->value &&
                code_evaluate(subject->code, reading->index.from, reading->index.to,
                              &changed, &reading->wrong) &&
                reading->wrong != reading->place) {
                snprintf(reading->size, sizeof reading->size, "%s", name);
                snprintf(reading->other, sizeof reading->other, "%s",
                         sizes->list[o].name);
                return true;
            }
        }
    }
    return false;
}

static bool try_reading(const struct subject *subject, const struct test_case *test,
                        struct reading *reading)
{
    struct code_values sizes = sizes_of(test);
    reading->values = sizes;
    reading->tensor = input_named(test, reading->index.name);
    return reading->tensor != NULL && bind_loops(subject, &sizes, reading) &&
           code_evaluate(subject->code, reading->index.from, reading->index.to,
                         &reading->values, &reading->place) &&
           reading->place >= 0 && (size_t)reading->place < reading->tensor->count &&
           find_other(subject, &sizes, reading);
}

// "t = 1, i = 2": the loop variables of the expression.
static char *loops_of(const struct subject *subject, const struct reading *reading,
                      const struct test_case *test)
{
    struct code_values sizes = sizes_of(test);
    struct text text;
    text_begin(&text);
    for (size_t i = sizes.count; i < reading->values.count; i++) {
        fprintf(text.file, "%s%s = %ld", i > sizes.count ? ", " : "",
                reading->values.list[i].name, reading->values.list[i].value);
    }
    (void)subject;
    return text_end(&text);
}

static char *index_answer(const struct reading *reading, const char *expression)
{
    struct text text;
    const struct tensor *tensor = reading->tensor;
    text_begin(&text);
    fprintf(text.file, "%s[%s] is %s[%ld], the element ", tensor->spec->name, expression,
            tensor->spec->name, reading->place);
    show_element(text.file, tensor, (size_t)reading->place);
    fputs(" = ", text.file);
    call_write_number(text.file, tensor, tensor->data, (size_t)reading->place);
    fprintf(text.file, ". With %s instead of %s it would be %s[%ld], ", reading->other,
            reading->size, tensor->spec->name, reading->wrong);
    if (reading->wrong >= 0 && (size_t)reading->wrong < tensor->count) {
        fputs("the element ", text.file);
        show_element(text.file, tensor, (size_t)reading->wrong);
        fputs(" = ", text.file);
        call_write_number(text.file, tensor, tensor->data, (size_t)reading->wrong);
        fputs(": another number.", text.file);
    } else {
        fprintf(text.file, "which is outside of %s: it has %zu element%s.",
                tensor->spec->name, tensor->count, plural((double)tensor->count));
    }
    fprintf(text.file, " %s is (%s), so its rows are %zu apart.", tensor->spec->name,
            tensor->spec->shape, tensor->columns);
    return text_end(&text);
}

static void make_index_question(const struct subject *subject,
                                const struct test_case *test,
                                const struct reading *reading, struct question *question)
{
    char *expression = code_text(subject->code, reading->index.from, reading->index.to);
    char *loops = loops_of(subject, reading, test);
    char *name = subject_name(subject);
    *question = (struct question){
        .ask = grader_print(
            "Line %u of your %s reads %s[%s]. Which number is that in this call%s%s? "
            "Why %s and not %s, and which number would %s give?",
            (unsigned)reading->index.line, name, reading->index.name, expression,
            *loops != '\0' ? ", for " : "", loops, reading->size, reading->other,
            reading->other),
        .call = call_show(test),
        .answer = index_answer(reading, expression),
        .first = reading->index.line,
        .last = reading->index.line};
    free(name);
    free(loops);
    free(expression);
}

bool ask_index(const struct subject *subject, struct question *question)
{
    struct case_list list = call_small(subject);
    struct reading *found = grader_alloc(MOST_CANDIDATES * sizeof *found);
    struct code_index index;
    size_t count = 0, tried = 0;
    for (size_t after = 0; list.count > 0 && tried < MOST_CANDIDATES &&
                           code_next_index(subject->code, after, &index);
         after = index.from, tried++) {
        found[count] = (struct reading){.index = index};
        count += index.to - index.from <= LONGEST_INDEX &&
                 try_reading(subject, &list.cases[0], &found[count]);
    }
    if (count > 0) {
        make_index_question(subject, &list.cases[0],
                            &found[subject_choose(subject, 1, count)], question);
    }
    free(found);
    cases_free(&list);
    return count > 0;
}
