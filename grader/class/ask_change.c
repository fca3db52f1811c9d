// ask_change.c - see ask_change.h.

#include "class/ask_change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/list.h"
#include "cases/tables.h"
#include "class/ask_call.h"
#include "class/ask_line.h"
#include "common/plural.h"

enum change { TO_ZERO, TWICE, NEGATED, CHANGES };
static const char *const change_words[CHANGES] = {"becomes 0", "is doubled",
                                                  "changes its sign"};

static void change_row(struct tensor *tensor, size_t row, enum change change)
{
    float *values = (float *)tensor->data + row * tensor->columns;
    for (size_t i = 0; i < tensor->columns; i++) {
        values[i] = change == TO_ZERO ? 0.0f
                    : change == TWICE ? 2.0f * values[i]
                                      : -values[i];
    }
}

// An F32 input with numbers, chosen for this student; MAX_TENSORS if there is none.
static size_t choose_input(const struct subject *subject, const struct test_case *test)
{
    size_t fits[MAX_TENSORS], count = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->spec->role == INPUT && tensor->spec->type == F32 && !tensor->absent &&
            tensor->count > 0) {
            fits[count++] = i;
        }
    }
    return count > 0 ? fits[subject_choose(subject, 2, count)] : MAX_TENSORS;
}

static bool row_differs(const struct tensor *a, const struct tensor *b, size_t row)
{
    return memcmp((float *)a->expected + row * a->columns,
                  (float *)b->expected + row * a->columns,
                  a->columns * sizeof(float)) != 0;
}

static bool all_finite(const struct tensor *tensor)
{
    for (size_t i = 0; i < tensor->count; i++) {
        if (!isfinite(((float *)tensor->expected)[i])) {
            return false;
        }
    }
    return true;
}

static char *change_answer(const struct tensor *before, const struct tensor *after)
{
    struct text text;
    size_t rows = before->count / before->columns, changed = 0;
    text_begin(&text);
    for (size_t row = 0; row < rows; row++) {
        changed += row_differs(before, after, row);
    }
    fprintf(text.file, "%zu of %zu row%s of %s change%s. Before:\n", changed, rows,
            plural((double)rows), before->spec->name, changed == 1 ? "s" : "");
    call_write_tensor(text.file, before, before->expected);
    fputs("After:\n", text.file);
    call_write_tensor(text.file, after, after->expected);
    return text_end(&text);
}

static void make_change_question(const struct subject *subject,
                                 const struct test_case *test,
                                 const struct tensor *changed, size_t row,
                                 enum change change, const struct tensor *before,
                                 const struct tensor *after, struct question *question)
{
    uint32_t line = 0;
    int fits = line_about(subject->code, changed->spec->name, &line);
    char *name = subject_name(subject);
    char *where =
        fits > 0 ? grader_print("Line %u reads %s. ", (unsigned)line, changed->spec->name)
                 : grader_print("%s", "");
    char *what = changed->axes > 1
                     ? grader_print("row %zu of %s", row, changed->spec->name)
                     : grader_print("%s", changed->spec->name);
    *question = (struct question){
        .ask =
            grader_print("Take your %s, and this call. %sNow %s %s, and nothing else "
                         "changes. What changes in %s, and what does the first row that "
                         "changes become?",
                         name, where, what, change_words[change], before->spec->name),
        .call = call_show(test),
        .answer = change_answer(before, after)};
    free(what);
    question_show(question, subject->code, line);
    free(where);
    free(name);
}

bool ask_change(const struct subject *subject, struct question *question)
{
    struct case_list first = call_small(subject), second = call_small(subject);
    bool found = false;
    size_t input = first.count > 0 ? choose_input(subject, &first.cases[0]) : MAX_TENSORS;
    size_t output = first.count > 0 ? call_main_output(&first.cases[0]) : 0;
    if (input < MAX_TENSORS && output < first.cases[0].tensors) {
        struct tensor *changed = &second.cases[0].tensor[input];
        size_t row = subject_choose(subject, 3, changed->count / changed->columns);
        enum change change = (enum change)subject_choose(subject, 4, CHANGES);
        change_row(changed, row, change);
        cases_expect(&second, part_entry(subject->place, subject->part));
        const struct tensor *before = &first.cases[0].tensor[output];
        const struct tensor *after = &second.cases[0].tensor[output];
        found =
            second.cases[0].expected_status == LAB_OK && all_finite(before) &&
            all_finite(after) &&
            memcmp(before->expected, after->expected, before->count * sizeof(float)) != 0;
        if (found) {
            make_change_question(subject, &first.cases[0], changed, row, change, before,
                                 after, question);
        }
    }
    cases_free(&first);
    cases_free(&second);
    return found;
}
