// judge.c - see judge.h.

#define _GNU_SOURCE

#include "programs/learn/judge.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/learn/terminal.h"
#include "programs/learn/text.h"

int judge_make(const struct judge *judge, const char *target, int lab, const char *id,
               size_t question)
{
    struct words words = {0};
    char *made[6] = {print("B=%s", judge->build), print("SRC=%s", judge->source),
                     print("LAB=%d", lab),        print("EX=%s", id != NULL ? id : ""),
                     print("Q=%zu", question),    print("GPU=%s", judge->backend)};
    words_add(&words, "make");
    words_add(&words, "--no-print-directory");
    words_add(&words, target);
    words_add(&words, made[0]);
    words_add(&words, made[1]);
    words_add(&words, id != NULL ? made[3] : made[2]);
    if (question > 0) {
        words_add(&words, made[4]);
    }
    if (judge->backend != NULL &&
        strcmp(target, "grader") == 0) { // the others run on the CPU
        words_add(&words, made[5]);
    }
    if (strcmp(target, "grader") != 0) { // so that the student learns the command
        words_add(&words, "--silent");
        printf("$ make %s %s%s%s\n", target, id != NULL ? made[3] : made[2],
               question > 0 ? " " : "", question > 0 ? made[4] : "");
    }
    const int status = command_run(&words);
    for (size_t i = 0; i < 6; i++) {
        free(made[i]);
    }
    return status;
}

bool judge_prepare(struct judge *judge, const struct course *course, size_t lab)
{
    const int number = course->labs[lab].number;
    if (judge_make(judge, "grader", number, NULL, 0) != 0) {
        return false;
    }
    free(judge->grader);
    judge->grader = print("%s/grade", judge->build);
    if (access(judge->grader, X_OK) != 0) {
        free(judge->grader);
        judge->grader = print("%s/one/%02d/grade", judge->build, number);
    }
    return true;
}

static void add_options(struct words *words, const struct judge *judge)
{
    if (judge->backend != NULL) {
        words_add(words, "--backend");
        words_add(words, judge->backend);
    }
}

void judge_start(const struct judge *judge, struct command *command, int lab,
                 const char *id)
{
    struct words words = {0};
    char number[16];
    snprintf(number, sizeof number, "%d", lab);
    unlink(judge->json); // so that an old one is never read
    char columns[16];
    snprintf(columns, sizeof columns, "%d", terminal_columns());
    setenv("GRADE_COLUMNS", columns, 1); // the report comes through a pipe
    words_add(&words, judge->grader);
    words_add(&words, "check");
    words_add(&words, "--src");
    words_add(&words, judge->source);
    words_add(&words, id != NULL ? "--exercise" : "--lab");
    words_add(&words, id != NULL ? id : number);
    words_add(&words, "--json");
    words_add(&words, judge->json);
    words_add(&words, judge->color ? "--color" : "--no-color");
    if (judge->seed != NULL) {
        words_add(&words, "--seed");
        words_add(&words, judge->seed);
    }
    if (judge->profile) {
        words_add(&words, "--profile");
    }
    add_options(&words, judge);
    command_start(command, &words);
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    return text != NULL ? text : "";
}

// Edited code that does not compile leaves what passed before the edit.
static void take_uncompiled(struct course *course, size_t lab)
{
    const size_t first = course->labs[lab].first;
    course->uncompiled = course->labs[lab].uncompiled = true;
    for (size_t e = first; e < first + course->labs[lab].count; e++) {
        struct exercise *exercise = &course->exercises[e];
        if (exercise->state == UNKNOWN && exercise->recorded) {
            exercise->state = PASSING;
        }
    }
}

static void take_one(struct course *course, const cJSON *test)
{
    char id[16];
    snprintf(id, sizeof id, "%.15s", text_of(test, "number"));
    id[strcspn(id, "g")] = '\0'; // "1.3g"
    const size_t i = course_find(course, id);
    const char *verdict = text_of(cJSON_GetObjectItem(test, "extra_data"), "verdict");
    if (i == course->exercise_count) {
        return;
    }
    if (strcmp(verdict, "nocompile") == 0) {
        take_uncompiled(course, course->exercises[i].lab);
    } else {
        course->labs[course->exercises[i].lab].uncompiled = false;
        const char *output = text_of(test, "output");
        snprintf(course->exercises[i].said, sizeof course->exercises[i].said, "%.*s",
                 (int)strcspn(output, "\n"), output);
        course->exercises[i].state = strcmp(verdict, "pass") == 0   ? PASSING
                                     : strcmp(verdict, "todo") == 0 ? TODO
                                                                    : FAILING;
    }
}

void judge_take(const struct judge *judge, struct course *course)
{
    char *text = text_read(judge->json);
    cJSON *results = text != NULL ? cJSON_Parse(text) : NULL;
    const cJSON *test;
    course->uncompiled = false;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(results, "tests"))
    {
        take_one(course, test);
    }
    cJSON_Delete(results);
    free(text);
}

// Without "more: make hint EX=1.1 LEVEL=2": here the key h shows more.
static void print_hint(char *hint)
{
    for (char *line; (line = strsep(&hint, "\n")) != NULL;) {
        if (strncmp(line, "more: ", strlen("more: ")) != 0 &&
            (hint != NULL || *line != '\0')) {
            puts(line);
        }
    }
}

void judge_hint(const struct judge *judge, const char *id, int level)
{
    struct words words = {0};
    char number[16];
    snprintf(number, sizeof number, "%d", level);
    words_add(&words, judge->grader);
    words_add(&words, "hint");
    words_add(&words, "--exercise");
    words_add(&words, id);
    words_add(&words, "--hint");
    words_add(&words, number);
    add_options(&words, judge);
    struct command command;
    command_start(&command, &words);
    for (int status; command_read(&command, &status);) {
    }
    print_hint(command.output != NULL ? command.output : "");
    command_stop(&command);
}
