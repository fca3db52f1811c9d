// rubric.c - reading grader/points.txt.

#define _GNU_SOURCE
#include "judge/rubric.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_RULES = 512 };

struct rubric {
    const char *path;
    size_t count;
    struct rule rules[MOST_RULES];
};

// Reads one number of a line. Returns false unless it is finite and not negative.
static bool read_number(const char *word, double *number)
{
    char *end;
    if (word == NULL) {
        return false;
    }
    *number = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*number) && *number >= 0;
}

static bool is_for_answers(const char *id)
{
    const size_t length = strlen(id);
    return length > 2 && strcmp(id + length - 2, ".q") == 0;
}

// "3.q 5" or "3.q 5 10": points for the answers of make ask LAB=3.
static bool read_answers_rule(struct rule *rule, char **rest)
{
    double least = 0;
    if (!read_number(strtok_r(NULL, " \t\r\n", rest), &rule->points)) {
        return false;
    }
    const char *word = strtok_r(NULL, " \t\r\n", rest);
    if (word != NULL && (!read_number(word, &least) || least < 1 || least > 1000)) {
        return false;
    }
    rule->least = (unsigned long)least;
    return strtok_r(NULL, " \t\r\n", rest) == NULL;
}

static bool read_exercise_rule(struct rule *rule, char **rest)
{
    double megabytes;
    const bool read = read_number(strtok_r(NULL, " \t\r\n", rest), &rule->points) &&
                      read_number(strtok_r(NULL, " \t\r\n", rest), &rule->seconds) &&
                      read_number(strtok_r(NULL, " \t\r\n", rest), &megabytes) &&
                      strtok_r(NULL, " \t\r\n", rest) == NULL;
    if (!read || rule->seconds <= 0 || rule->seconds > 3600 || megabytes < 16 ||
        megabytes > 1e6) {
        return false;
    }
    rule->megabytes = (unsigned long)megabytes;
    return true;
}

static void read_rule(struct rubric *rubric, char *line, int number)
{
    char *rest = NULL;
    const char *id = strtok_r(line, " \t\r\n", &rest);
    if (id == NULL || *id == '#') {
        return;
    }
    struct rule rule = {.points = 0};
    const bool answers = is_for_answers(id);
    if (strlen(id) >= sizeof rule.exercise ||
        (answers && !read_answers_rule(&rule, &rest))) {
        grader_fail("%s:%d: expected 'lab.q points' or 'lab.q points questions', for "
                    "example '3.q 5 10': 5 points for 10 questions of make ask LAB=3",
                    rubric->path, number);
    }
    if (!answers && !read_exercise_rule(&rule, &rest)) {
        grader_fail("%s:%d: expected 'exercise points seconds megabytes', for example "
                    "'1.3 20 5 512' ('1.3g' is the GPU variant)",
                    rubric->path, number);
    }
    strcpy(rule.exercise, id);
    if (rubric_find(rubric, rule.exercise) != NULL) {
        grader_fail("%s:%d: exercise %s is listed twice", rubric->path, number, id);
    }
    if (rubric->count == MOST_RULES) {
        grader_fail("%s:%d: more than %d lines", rubric->path, number, (int)MOST_RULES);
    }
    rubric->rules[rubric->count++] = rule;
}

struct rubric *rubric_read(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        grader_fail("cannot read the points table %s: %s", path, strerror(errno));
    }
    struct rubric *rubric = grader_alloc(sizeof *rubric);
    rubric->path = path;
    char *line = NULL;
    size_t size = 0;
    for (int number = 1; getline(&line, &size, file) >= 0; number++) {
        read_rule(rubric, line, number);
    }
    if (ferror(file)) {
        grader_fail("cannot read the points table %s: %s", path, strerror(errno));
    }
    free(line);
    fclose(file);
    return rubric;
}

const struct rule *rubric_find(const struct rubric *rubric, const char *exercise)
{
    for (size_t i = 0; i < rubric->count; i++) {
        if (strcmp(rubric->rules[i].exercise, exercise) == 0) {
            return &rubric->rules[i];
        }
    }
    return NULL;
}

const struct rule *rubric_need(const struct rubric *rubric, const char *exercise)
{
    const struct rule *rule = rubric_find(rubric, exercise);
    if (rule == NULL) {
        grader_fail("%s: no line for exercise %s: add one like '%s 20 5 512' (points, "
                    "seconds, megabytes)",
                    rubric->path, exercise, exercise);
    }
    return rule;
}

void rubric_free(struct rubric *rubric)
{
    free(rubric);
}
