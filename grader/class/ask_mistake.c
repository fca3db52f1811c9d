// ask_mistake.c - see ask_mistake.h.

#include "class/ask_mistake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/call.h"
#include "cases/case.h"
#include "cases/compare.h"
#include "cases/list.h"
#include "cases/show.h"
#include "cases/tables.h"
#include "class/ask_call.h"
#include "class/ask_line.h"

enum { MOST_CANDIDATES = 128 }; // mistakes

// The first element that a mistake makes wrong.
static size_t first_wrong(const struct tensor *tensor, const float *values)
{
    size_t i = 0;
    while (i < tensor->count && close_enough(values[i], ((float *)tensor->expected)[i],
                                             tensor->atol, tensor->rtol)) {
        i++;
    }
    return i;
}

// A mistake's results in a call, if they show in a number.
struct trial {
    const struct mistake *mistake;
    const struct tensor *tensor;
    size_t element;
    float value;
    uint32_t line; // of the student's code that has to do with it, or 0
    int fits;
};

static bool try_mistake(const struct subject *subject, const struct test_case *test,
                        const struct mistake *mistake, struct trial *trial)
{
    void *output[MAX_TENSORS];
    const struct entry *entry = part_entry(subject->place, subject->part);
    lab_status status = case_call(test, entry->call, mistake->function, output);
    size_t place = call_main_output(test);
    bool shows = false;
    if (status == LAB_OK && place < test->tensors && output[place] != NULL) {
        const struct tensor *tensor = &test->tensor[place];
        size_t element = first_wrong(tensor, output[place]);
        shows = element < tensor->count &&
                isfinite(((float *)tensor->expected)[element]) &&
                isfinite(((float *)output[place])[element]);
        if (shows) {
            *trial = (struct trial){
                mistake, tensor, element, ((float *)output[place])[element], 0, 0};
            trial->fits = line_about(subject->code, mistake->what, &trial->line);
        }
    }
    case_free_outputs(output);
    return shows;
}

// Keeps the trials that fit a line best.
static size_t keep_best(struct trial *trials, size_t count)
{
    int best = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        best = trials[i].fits > best ? trials[i].fits : best;
    }
    for (size_t i = 0; i < count; i++) {
        if (trials[i].fits == best) {
            trials[kept++] = trials[i];
        }
    }
    return kept;
}

static void make_mistake_question(const struct subject *subject,
                                  const struct test_case *test, const struct trial *trial,
                                  struct question *question)
{
    struct text ask, answer;
    char *name = subject_name(subject);
    text_begin(&ask);
    fprintf(ask.file,
            "Suppose that your %s had a mistake: %s. Which line would differ, which "
            "value would ",
            name, trial->mistake->what);
    show_element(ask.file, trial->tensor, trial->element);
    fputs(" have in this call, which value should it have, and why?", ask.file);
    text_begin(&answer);
    show_element(answer.file, trial->tensor, trial->element);
    fprintf(answer.file, " would be %.6g instead of %.6g. %s", (double)trial->value,
            (double)((float *)trial->tensor->expected)[trial->element],
            trial->mistake->why);
    if (trial->fits >= LIKE_FUNCTION) {
        char *line = code_line(subject->code, trial->line);
        fprintf(answer.file, " Line %u may be the one: %s", (unsigned)trial->line,
                line + strspn(line, " \t"));
        free(line);
    }
    *question = (struct question){.ask = text_end(&ask),
                                  .call = call_show(test),
                                  .answer = text_end(&answer),
                                  .first = subject->code->first,
                                  .last = subject->code->last};
    free(name);
}

bool ask_mistake(const struct subject *subject, struct question *question)
{
    struct case_list list = call_small(subject);
    struct trial *trials = grader_alloc(MOST_CANDIDATES * sizeof *trials);
    size_t count = 0;
    const struct mistake *mistake = subject->part->mistakes;
    for (; list.count > 0 && mistake != NULL && mistake->id != NULL; mistake++) {
        bool own =
            subject->diagnosis != NULL && strcmp(mistake->id, subject->diagnosis) == 0;
        if (!own && !mistake->gpu && !mistake->convention && mistake->why != NULL &&
            count < MOST_CANDIDATES) {
            count += try_mistake(subject, &list.cases[0], mistake, &trials[count]);
        }
    }
    count = keep_best(trials, count);
    if (count > 0) {
        make_mistake_question(subject, &list.cases[0],
                              &trials[subject_choose(subject, 5, count)], question);
    }
    free(trials);
    cases_free(&list);
    return count > 0;
}
