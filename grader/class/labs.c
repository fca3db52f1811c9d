// labs.c - which labs a class is judged on, and by what: a hash of a lab's rules, so that what
// was judged by the same ones is not judged again.

#include "class/class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/grade.h"
#include "judge/memory.h"
#include "judge/rubric.h"

// What the grader knows of a lab: its file in grader/exercises, its folder there, and that of all
// labs.
static void add_exercises(SHA2_CTX *context, const char *root, int number)
{
    char *file = grader_print("%s/grader/exercises/lab%02d.c", root, number);
    char *folder = grader_print("%s/grader/exercises/%02d", root, number);
    if (!digest_file(context, file)) {
        grader_fail("cannot read %s: %s", file, strerror(errno));
    }
    char *common = grader_print("%s/grader/exercises/common", root);
    if (!digest_folder(context, folder) || !digest_folder(context, common)) {
        grader_fail("cannot read %s or %s: %s", folder, common, strerror(errno));
    }
    free(common);
    free(folder);
    free(file);
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
        const struct rule *rule = rubric_find(rubric, id);
        if (rule == NULL) {
            grader_fail("the points table has no line for exercise %s", id);
        }
        char *line = grader_print("%s %.17g %.17g %lu", id, rule->points, rule->seconds,
                                  rule->megabytes);
        digest_text(context, line);
        lab->seconds += rule->seconds;
        lab->marks++;
        free(line);
        free(id);
    }
}

static const struct lab_place *gpu_side(int number)
{
    const struct lab_place *place = gpu_places;
    while (place->folder != NULL && place->number != number) {
        place++;
    }
    return place->folder != NULL ? place : NULL;
}

// The points and limits of a lab's exercises, and its files in grader/exercises.
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
    }
    if (gpu && side != NULL) {
        add_rules(&context, lab, rubric, side, true);
    }
    add_exercises(&context, options->root, place->number);
    digest_end(&context, lab->rubric);
    class->lab_count += lab->marks > 0; // nothing of it on the GPU side
}

void class_choose_labs(struct class *class)
{
    char *table = grader_print("%s/grader/points.txt", class->options.root);
    struct rubric *rubric = rubric_read(table);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (class->options.lab == 0 || class->options.lab == place->number) {
            add_lab(class, rubric, place);
        }
    }
    rubric_free(rubric);
    free(table);
    if (class->lab_count == 0) {
        class_usage("there is no lab %d on this backend; grade list names them all",
                    class->options.lab);
    }
}
