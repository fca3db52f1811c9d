// labs.c - chooses the labs to judge, and computes a hash of each lab's rubric and code, so
// that nothing is judged twice by the same rules.

#define _GNU_SOURCE

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cases/tables.h"
#include "class/class.h"
#include "judge/rubric.h"

// The grader's sources, and other files that all labs are judged with.
static const char *const judge_folders[] = {
    "grader/command", "grader/grade",   "grader/judge", "grader/build",
    "grader/cases",   "grader/sandbox", "grader/base",  NULL,
};
static const char *const other_folders[] = {
    "grader/worker",
    "grader/exercises/common",
    "labs/common",
    "labs/common/gpu",
    "grader/gpu",
    "grader/gpu/include",
    "grader/gpu/runtime",
    "grader/gpu/translate",
    NULL,
};

static void add_folder(SHA2_CTX *context, const char *root, const char *folder,
                       const char *endings)
{
    char *path = grader_print("%s/%s", root, folder);
    if (!digest_folder(context, path, endings)) {
        grader_fail("cannot read %s: %s", path, strerror(errno));
    }
    free(path);
}

static void add_folders(SHA2_CTX *context, const char *root, const char *const *folders)
{
    for (; *folders != NULL; folders++) {
        add_folder(context, root, *folders, " .c .h .cc .hpp ");
    }
}

// The references and headers of a lab and of those that it calls, the earlier ones.
static void add_references(SHA2_CTX *context, const char *root, int number)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (place->number <= number) {
            char *solutions = grader_print("solutions/%s", place->folder);
            char *headers = grader_print("labs/%s", place->folder);
            add_folder(context, root, solutions, " .c .cu ");
            add_folder(context, root, headers, " .h ");
            free(solutions);
            free(headers);
        }
    }
}

// Hashes everything that a lab's verdicts depend on: its file and folder in
// grader/exercises, the references, the grader.
static void add_judge(SHA2_CTX *context, const char *root, int number)
{
    char *file = grader_print("%s/grader/exercises/lab%02d.c", root, number);
    char *folder = grader_print("grader/exercises/%02d", number);
    if (!digest_file(context, file)) {
        grader_fail("cannot read %s: %s", file, strerror(errno));
    }
    add_folder(context, root, folder, " .c .h ");
    add_folders(context, root, judge_folders);
    add_folders(context, root, other_folders);
    add_references(context, root, number);
    free(folder);
    free(file);
}

// The hash describes the sources, so the program must not be older than any of them.
static void check_is_built(const struct class *class, const char *folder,
                           const char *endings)
{
    struct stat program;
    if (stat(class->grade, &program) != 0) {
        return; // the reason for all students who cannot be judged
    }
    char *path = grader_print("%s/%s", class->options.root, folder);
    char *newer = newer_file(path, endings, &program.st_mtim);
    if (newer != NULL) {
        fprintf(stderr,
                "grade: %s is newer than %s, which would judge without the change: run "
                "make programs, then this command again\n",
                newer, class->grade);
        exit(CLASS_BROKEN);
    }
    free(path);
}

static void check_lab_is_built(const struct class *class, const struct lab_place *place)
{
    char *exercises = grader_print("grader/exercises/%02d", place->number);
    char *solutions = grader_print("solutions/%s", place->folder);
    check_is_built(class, exercises, " .c .h ");
    check_is_built(class, solutions, " .c ");
    free(exercises);
    free(solutions);
}

static void add_rules(SHA2_CTX *context, struct class_lab *lab, struct rubric *rubric,
                      const struct lab_place *place, bool gpu)
{
    const struct exercise *const *each = place->lab->exercises;
    for (; *each != NULL; each++) {
        const struct exercise *exercise = *each;
        if (gpu && !has_gpu_variant(place, exercise)) {
            continue;
        }
        char *id = grader_print("%s%s", exercise->id, gpu ? "g" : "");
        const struct rule *rule = rubric_need(rubric, id);
        char *line = grader_print("%s %.17g %lu", id, rule->seconds, rule->megabytes);
        digest_text(context, line);
        worth_add(&lab->worth, exercise->id, gpu, rule->points);
        lab->seconds += rule->seconds;
        lab->marks++;
        free(line);
        free(id);
    }
}

// Adds the points for the answers of make ask, if there are any, and what checks them.
static void add_answers(SHA2_CTX *context, struct class_lab *lab, struct rubric *rubric,
                        const char *root, const struct lab_place *place)
{
    char *id = grader_print("%d.q", place->number);
    const struct rule *rule = rubric_find(rubric, id);
    if (rule != NULL) {
        char *line = grader_print("%s %.17g %lu", id, rule->points, rule->least);
        char *folder = grader_print("labs/%s", place->folder);
        digest_text(context, line);
        add_folder(context, root, folder, " .txt .c ");
        add_folder(context, root, "labs/programs/ask", " .c .h ");
        lab->marks++;
        free(folder);
        free(line);
    }
    free(id);
}

static const struct lab_place *gpu_side(int number)
{
    const struct lab_place *place = gpu_places;
    while (place->folder != NULL && place->number != number) {
        place++;
    }
    return place->folder != NULL ? place : NULL;
}

// Adds a lab. Its rubric is the hash of its exercises' limits and of everything that judges them; their
// points are no part of it (worth.h).
static void add_lab(struct class *class, struct rubric *rubric,
                    const struct lab_place *place)
{
    const struct class_options *options = &class->options;
    bool cpu = strncmp(options->backend, "gpu", 3) != 0;
    bool gpu = strcmp(options->backend, "cpu") != 0;
    const struct lab_place *side = gpu_side(place->number);
    struct class_lab *lab = &class->labs[class->lab_count];
    *lab = (struct class_lab){.place = place};
    SHA2_CTX context;
    SHA256Init(&context);
    digest_text(&context, options->follow);
    if (cpu) {
        add_rules(&context, lab, rubric, place, false);
        add_answers(&context, lab, rubric, options->root, place);
    }
    if (gpu && side != NULL) {
        add_rules(&context, lab, rubric, side, true);
    }
    add_judge(&context, options->root, place->number);
    digest_end(&context, lab->rubric);
    class->lab_count += lab->marks > 0; // no GPU side
}

// "there is no lab 99: the labs are 1 to 11", as make learn says it.
void class_need_lab(const struct option_table *table, int number)
{
    const struct lab_place *place = lab_places;
    while (place->folder != NULL && place->number != number) {
        place++;
    }
    if (place->folder == NULL) {
        option_refuse(table, "there is no lab %d: the labs are %d to %d", number,
                      lab_places[0].number, last_place(lab_places)->number);
    }
}

static _Noreturn void refuse_lab(int number)
{
    class_need_lab(&class_table, number);
    option_refuse(&class_table,
                  "lab %d has no GPU exercises: --backend gpu judges labs %d to %d",
                  number, gpu_places[0].number, last_place(gpu_places)->number);
}

double class_lab_points(const char *root, int number)
{
    char *table = grader_print("%s/grader/points.txt", root);
    struct rubric *rubric = rubric_read(table);
    char *answers = grader_print("%d.q", number);
    const struct rule *rule = rubric_find(rubric, answers);
    double points = rule != NULL ? rule->points : 0;
    for (int gpu = 0; gpu < 2; gpu++) {
        const struct lab_place *place = gpu ? gpu_side(number) : lab_places;
        while (place != NULL && place->folder != NULL && place->number != number) {
            place++;
        }
        for (size_t i = 0; place != NULL && place->lab->exercises[i] != NULL; i++) {
            char *id = grader_print("%s%s", place->lab->exercises[i]->id, gpu ? "g" : "");
            rule = rubric_find(rubric, id);
            points += rule != NULL ? rule->points : 0;
            free(id);
        }
    }
    rubric_free(rubric);
    free(answers);
    free(table);
    return points;
}

void class_choose_labs(struct class *class)
{
    char *table = grader_print("%s/grader/points.txt", class->options.root);
    struct rubric *rubric = rubric_read(table);
    check_is_built(class, "grader/exercises", " .c .h ");
    check_is_built(class, "grader/exercises/common", " .c .h ");
    for (size_t i = 0; judge_folders[i] != NULL; i++) {
        check_is_built(class, judge_folders[i], " .c .h ");
    }
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (class->options.lab == 0 || class->options.lab == place->number) {
            check_lab_is_built(class, place);
            add_lab(class, rubric, place);
        }
    }
    rubric_free(rubric);
    free(table);
    if (class->lab_count == 0) {
        refuse_lab(class->options.lab);
    }
}
