// answers.c - see answers.h.

#define _GNU_SOURCE
#include "grade/answers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "programs/ask/progress.h"
#include "programs/ask/questions.h"
#include "programs/ask/right.h"

enum { LARGEST_ANSWERS = 64 * 1024 };

char *answers_name(int lab)
{
    return grader_print("answers_%02d.txt", lab);
}

// ---- reading the hand-in ------------------------------------------------------------------

// The start of a student's file, or NULL. Follows no links below `top`: the folder may be a
// stranger's.
static char *read_file(const char *top, const char *folder, const char *name)
{
    struct stat status;
    char *text = NULL;
    const int above = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int inside =
        openat(above, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int file = openat(inside, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        text = grader_alloc(LARGEST_ANSWERS + 1);
        size_t size = 0;
        ssize_t got;
        while (size < LARGEST_ANSWERS &&
               (got = read(file, text + size, LARGEST_ANSWERS - size)) > 0) {
            size += (size_t)got;
        }
    }
    const int opened[] = {file, inside, above};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) {
        if (opened[i] >= 0) {
            close(opened[i]);
        }
    }
    return text;
}

// Whether two names, such as /home/me/book/labs and labs, are the same folder.
static bool same_folder(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// What a student's own make ask remembers, for make check before anything is handed in.
static char *read_own(const struct options *options, const struct lab_place *place)
{
    char *own = grader_print("%s/labs", options->root), *text = NULL;
    if (!options->untrusted && same_folder(own, options->source)) {
        char *name = grader_print("%02d.progress", place->number);
        char *build = grader_print("%s/build", options->root);
        text = read_file(build, "questions", name);
        free(build);
        free(name);
    }
    free(own);
    return text;
}

// ---- checking -----------------------------------------------------------------------------

static void read_questions(struct questions *q, const char *root,
                           const struct lab_place *place)
{
    char *questions = grader_print("%s/labs/%s/questions.txt", root, place->folder);
    char *values = grader_print("%s/build/questions/%02d.answers", root, place->number);
    const char *const files[] = {questions, values};
    // In the student archive questions.txt holds the values, too.
    if (!questions_read(q, files, access(values, R_OK) == 0 ? 2 : 1)) {
        grader_fail("grader/points.txt has points for the answers of lab %d, but they "
                    "cannot be checked: %s (make programs computes them)",
                    place->number, q->error);
    }
    free(questions);
    free(values);
}

static size_t count_right(const struct questions *q, char *text)
{
    struct progress *all = grader_alloc(q->count * sizeof *all);
    size_t right = 0;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        progress_read_line(all, line, q);
    }
    for (size_t i = 0; i < q->count; i++) {
        right += all[i].given != NULL && answer_is_right(&q->all[i], all[i].given);
    }
    progress_free(all, q->count);
    return right;
}

static void judge(struct result *result, const struct options *options)
{
    struct questions q = {0};
    char *name = answers_name(result->place->number);
    char *text = read_file(options->source, result->place->folder, name);
    if (text == NULL) {
        text = read_own(options, result->place);
    }
    read_questions(&q, options->root, result->place);
    const size_t right = text != NULL ? count_right(&q, text) : 0;
    const size_t asked_for = result->rule->least > 0 && result->rule->least < q.count
                                 ? result->rule->least
                                 : q.count;
    const bool none = text == NULL && right < asked_for;
    result->verdict = right >= asked_for ? PASS : TODO;
    result->headline =
        grader_print("%zu of %zu questions answered; %zu are needed%s%s", right, q.count,
                     asked_for, none ? "; there is no " : "", none ? name : "");
    result->details = grader_print("%s", "");
    result->printed = grader_print("%s", "");
    questions_close(&q);
    free(text);
    free(name);
}

// ---- the results --------------------------------------------------------------------------

// One lab's row in the report. A result points to its exercise.
struct question_row {
    struct exercise exercise;
    char id[8];
};

static const struct rule *rule_of(const struct grading *grading, int lab)
{
    char *id = grader_print("%d.q", lab);
    const struct rule *rule = rubric_find(grading->rubric, id);
    free(id);
    return rule;
}

static size_t count_labs(void)
{
    size_t count = 0;
    while (lab_places[count].folder != NULL) {
        count++;
    }
    return count;
}

// Whether the next result belongs to another lab, or there is none.
static bool ends_lab(const struct grading *grading, size_t i)
{
    return i + 1 == grading->count ||
           grading->results[i + 1].place != grading->results[i].place;
}

static void add_row(struct grading *grading, struct result *result,
                    struct question_row *row, const struct lab_place *place)
{
    snprintf(row->id, sizeof row->id, "%d.q", place->number);
    row->exercise =
        (struct exercise){.id = row->id, .name = "questions", .section = "Questions"};
    *result = (struct result){.place = place,
                              .exercise = &row->exercise,
                              .rule = rule_of(grading, place->number),
                              .backend = CPU,
                              .chosen = true,
                              .asked = true};
    judge(result, &grading->options);
}

void grade_answers(struct grading *grading)
{
    if (grading->options.exercise != NULL || grading->options.no_cpu) {
        return;
    }
    struct result *all =
        grader_alloc((grading->count + count_labs()) * sizeof *grading->results);
    struct question_row *rows = grader_alloc(count_labs() * sizeof *rows);
    size_t count = 0, added = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct lab_place *place = grading->results[i].place;
        const bool asked = grading->results[i].asked && !place->gpu;
        all[count++] = grading->results[i];
        if (asked && ends_lab(grading, i) && rule_of(grading, place->number) != NULL) {
            add_row(grading, &all[count++], &rows[added++], place);
        }
    }
    free(grading->results);
    grading->results = all;
    grading->count = count;
    grading->question_rows = rows;
}
