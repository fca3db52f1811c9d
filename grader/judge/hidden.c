// hidden.c - a second judgement, on cases of which nothing may be told.
//
// The reports see one grading, in which a hidden failure consists of its verdict, its diagnosis
// and words that are in our own tables. Inputs, outputs, sizes and what the student's code
// printed (which may be any of these) never get into it, so no report can leak them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/grade.h"
#include "judge/memory.h"

static const struct mistake *find_mistake(const struct exercise *exercise, const char *id)
{
    for (const struct part *part = exercise->parts; part->function != NULL; part++) {
        const struct mistake *mistake = part->mistakes;
        for (; mistake != NULL && mistake->id != NULL; mistake++) {
            if (strcmp(mistake->id, id) == 0) {
                return mistake;
            }
        }
    }
    return NULL;
}

static const struct property *find_property(const struct exercise *exercise,
                                            const char *id)
{
    for (const struct part *part = exercise->parts; part->function != NULL; part++) {
        const struct property *property = part->properties;
        for (; property != NULL && property->id != NULL; property++) {
            if (strcmp(property->id, id) == 0) {
                return property;
            }
        }
    }
    return NULL;
}

static char *hidden_headline(const struct result *hidden)
{
    const char *id = hidden->diagnosis;
    const struct mistake *mistake = id ? find_mistake(hidden->exercise, id) : NULL;
    const struct property *property = id ? find_property(hidden->exercise, id) : NULL;
    return grader_print("on hidden cases%s%s",
                        mistake != NULL || property != NULL ? ": " : "",
                        mistake != NULL    ? mistake->what
                        : property != NULL ? property->claim
                                           : "");
}

static char *hidden_details(const struct result *hidden)
{
    const char *id = hidden->diagnosis;
    const struct mistake *mistake = id ? find_mistake(hidden->exercise, id) : NULL;
    return grader_print("  The cases that you can run pass. This exercise is also judged "
                        "on cases of which\n"
                        "  nothing is shown, and there it does not: think of other sizes "
                        "and numbers.\n%s%s%s",
                        mistake != NULL ? "  " : "", mistake != NULL ? mistake->why : "",
                        mistake != NULL ? "\n" : "");
}

static void take_over(struct result *result, const struct result *hidden)
{
    free(result->headline);
    free(result->details);
    free(result->call);
    result->verdict = hidden->verdict;
    result->diagnosis = hidden->diagnosis;
    result->hidden = true;
    result->printed_size = 0;
    result->call = NULL;
    if (hidden->verdict == GRADER_ERROR) {
        fprintf(stderr, "grade: %s, hidden cases: %s\n%s", result->exercise->id,
                hidden->headline, hidden->details);
        result->headline = grader_print("the grader failed on hidden cases");
        result->details = grader_print("%s", "");
    } else {
        result->headline = hidden_headline(hidden);
        result->details = hidden_details(hidden);
    }
}

void grade_hidden(struct grading *grading, uint64_t seed)
{
    struct options options = grading->options;
    options.seed = seed;
    options.dump = NULL;
    struct grading hidden = grade_run(&options);
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        if (result->verdict == PASS && hidden.results[i].verdict != PASS) {
            take_over(result, &hidden.results[i]);
        }
    }
    grading->seconds += hidden.seconds;
    grade_free(&hidden);
}
