// options.c - see options.h. Start reading at the table.

#define _GNU_SOURCE
#include "command/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "base/pool.h"
#include "build/backend.h"
#include "build/cuda.h"
#include "cases/tables.h"
#include "judge/options.h"

// The student archive has neither solutions nor mistakes, only the cases of one seed.
static bool is_handout(void)
{
    return lab_places[0].folder != NULL &&
           lab_places[0].lab->exercises[0]->parts[0].bank != NULL;
}

uint64_t public_seed(void)
{
    return is_handout() ? lab_places[0].lab->bank_seed : PUBLIC_SEED;
}

static void check_seed(uint64_t seed)
{
    if (is_handout() && seed != public_seed()) {
        option_refuse(
            &grade_options,
            "the student archive has only the cases of seed %llu; leave the seed out",
            (unsigned long long)public_seed());
    }
}

void check_whole(const char *command)
{
    if (is_handout()) {
        option_refuse(&grade_options,
                      "%s needs the solutions, which are not in the student archive",
                      command);
    }
}

static void check_lab(int lab)
{
    const struct lab_place *place = lab_places;
    while (place->folder != NULL && place->number != lab) {
        place++;
    }
    if (place->folder == NULL) {
        fprintf(stderr, "grade: there is no lab %d; there are", lab);
        for (place = lab_places; place->folder != NULL; place++) {
            fprintf(stderr, " %d", place->number);
        }
        fputc('\n', stderr);
        exit(EXIT_USAGE);
    }
    if (lab > MOST_LAB) {
        grader_fail("labs have numbers up to %d", (int)MOST_LAB); // bits of options.labs
    }
}

// "there is no exercise 1.9: lab 1 has 1.1 to 1.6", as make learn says it.
static _Noreturn void refuse_exercise(const char *id)
{
    const struct lab_place *place = lab_places;
    while (place->folder != NULL && place->number != atoi(id)) {
        place++;
    }
    if (place->folder == NULL) {
        option_refuse(&grade_options,
                      "there is no exercise %s; build/grade list shows all exercises",
                      id);
    }
    const struct exercise *const *exercises = place->lab->exercises;
    size_t last = 0;
    while (exercises[last + 1] != NULL) {
        last++;
    }
    option_refuse(&grade_options, "there is no exercise %s: lab %d has %s to %s", id,
                  place->number, exercises[0]->id, exercises[last]->id);
}

static void check_exercise(const char *id)
{
    const struct lab_place *place;
    const struct exercise *exercise;
    if (!find_exercise(id, &place, &exercise)) {
        refuse_exercise(id);
    }
}

// "exercise 1.2 has no GPU variant; in lab 1 these have one: 1.1 1.3 1.4 1.5"
static _Noreturn void refuse_cpu_only(const char *id)
{
    const int lab = atoi(id);
    struct text ids;
    text_begin(&ids);
    for (const struct lab_place *place = gpu_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; place->number == lab && *each != NULL; each++) {
            if (has_gpu_variant(place, *each)) {
                fprintf(ids.file, " %s", (*each)->id);
            }
        }
    }
    const char *have = text_end(&ids);
    if (*have == '\0') {
        option_refuse(&grade_options,
                      "exercise %s has no GPU variant; no exercise of lab %d has one", id,
                      lab);
    }
    option_refuse(&grade_options,
                  "exercise %s has no GPU variant; in lab %d these have one:%s", id, lab,
                  have);
}

// Not every lab and exercise has a GPU side.
static void check_side(const struct options *options)
{
    if (!options->no_cpu) {
        return;
    }
    bool any = false;
    for (const struct lab_place *place = gpu_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct exercise *exercise = *each;
            any = any || (options_choose(options, place->number, exercise->id) &&
                          has_gpu_variant(place, exercise));
        }
    }
    if (!any && options->exercise != NULL) {
        refuse_cpu_only(options->exercise);
    } else if (!any) {
        option_refuse(&grade_options,
                      "there is no GPU variant to judge: labs %d to %d have kernels",
                      gpu_places[0].number, last_place(gpu_places)->number);
    }
}

static _Noreturn void refuse_outside(const struct options *options, const char *id)
{
    if (options->lab != 0) {
        option_refuse(&grade_options, "exercise %s is not in lab %d", id, options->lab);
    }
    option_refuse(&grade_options, "exercise %s is in none of these labs", id);
}

// Is each exercise in a chosen lab?
static void check_lab_of_exercises(const struct options *options)
{
    const struct options labs = {.lab = options->lab, .labs = options->labs};
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            if (options_choose(options, place->number, (*each)->id) &&
                !options_choose(&labs, place->number, "")) {
                refuse_outside(options, (*each)->id);
            }
        }
    }
}

bool one_exercise(const struct options *options)
{
    return options->exercise != NULL && strchr(options->exercise, ' ') == NULL;
}

// Options that contradict each other.
static void check_together(const struct command_line *line)
{
    const struct options *options = &line->options;
    if ((options->lab != 0 || options->labs != 0) && options->exercise != NULL) {
        check_lab_of_exercises(options);
    }
    if (options->profile && options->gpu != GPU_SIMULATED) {
        option_refuse(&grade_options,
                      "--profile needs the simulated GPU: --backend gpu-simulated");
    }
    if (line->json != NULL && line->junit != NULL &&
        strcmp(line->json, line->junit) == 0) {
        option_refuse(&grade_options, "--json and --junit both name %s", line->json);
    }
    if (options->dump != NULL && !one_exercise(options)) {
        option_refuse(&grade_options,
                      "--dump writes the call of one exercise: choose it with "
                      "--exercise");
    }
}

static void take_lab(void *settings, const struct option_row *row, const char *word)
{
    struct options *options = &((struct command_line *)settings)->options;
    const int lab = (int)option_whole(&grade_options, row->name, word, 1, 99);
    check_lab(lab);
    options->labs |= UINT64_C(1) << lab;
    options->lab = options->labs == UINT64_C(1) << lab ? lab : 0;
}

static void take_exercise(void *settings, const struct option_row *row, const char *word)
{
    (void)row;
    struct command_line *line = settings;
    check_exercise(word);
    if (line->options.exercise != NULL && options_choose(&line->options, 0, word)) {
        return; // given before
    }
    const size_t length = strlen(line->exercises);
    snprintf(line->exercises + length, sizeof line->exercises - length, "%s%s",
             length > 0 ? " " : "", word);
    line->options.exercise = line->exercises;
}

static void take_seed(void *settings, const struct option_row *row, const char *word)
{
    struct command_line *line = settings;
    line->options.seed = option_whole(&grade_options, row->name, word, 0, UINT64_MAX);
    check_seed(line->options.seed);
}

static void take_hidden_seed(void *settings, const struct option_row *row,
                             const char *word)
{
    struct command_line *line = settings;
    check_whole(row->name);
    line->hidden_seed = option_whole(&grade_options, row->name, word, 0, UINT64_MAX);
    line->hidden = true;
}

static void take_backend(void *settings, const struct option_row *row, const char *word)
{
    enum { ON_CPU, ON_GPU, ON_SIMULATED, ON_DEVICE, ON_ALL };
    struct options *options = &((struct command_line *)settings)->options;
    const size_t where = option_word(&grade_options, row->name, word, row->words);
    options->no_cpu = where != ON_CPU && where != ON_ALL;
    options->gpu = where == ON_CPU         ? CPU
                   : where == ON_SIMULATED ? GPU_SIMULATED
                                           : GPU_DEVICE;
    if ((where == ON_GPU || where == ON_ALL) && cuda_not_here() != NULL) {
        options->no_device = true;
        options->gpu = GPU_SIMULATED;
    }
}

#define AT(member) offsetof(struct command_line, member)
static const struct option_row rows[] = {
    {"--src", "DIR", "a folder with NN_name/file in it, like labs/ or solutions/ (labs)",
     OPTION_TEXT, AT(options.source)},
    {"--lab", "N", "only this lab; may be repeated for several", OPTION_CALL,
     .take = take_lab},
    {"--exercise", "X.Y", "only this exercise; may be repeated for several", OPTION_CALL,
     .take = take_exercise},
    {"--backend", "WHAT",
     "cpu: the .c files (the default)\n"
     "gpu: the .cu files, on a CUDA device if there is one, else simulated\n"
     "gpu-simulated, gpu-device: the .cu files, only on that backend\n"
     "all: cpu and gpu",
     OPTION_CALL, .take = take_backend, .words = "cpu gpu gpu-simulated gpu-device all"},
    {"--warnings", NULL,
     "show all compiler warnings, not only the first of each function", OPTION_YES,
     AT(options.warnings)},
    {"--numbers", NULL, "show every number of a failing call's inputs", OPTION_YES,
     AT(options.numbers)},
    {"--profile", NULL, "report the kernels' memory accesses, on the simulated GPU",
     OPTION_YES, AT(options.profile)},
    {"--follow", "WHAT",
     "if an exercise uses failing functions of its lab, judge it again with the "
     "workbook's own: failing (the default: only if it fails too), all (also if it is "
     "todo), none",
     OPTION_WORD, AT(options.follow), .words = "failing all none"},
    {"--seed", "S", "draw the cases from this seed (1)", OPTION_CALL, .take = take_seed},
    {"--seeds", "N", "margins: use N seeds, from --seed on, and show the worst case",
     OPTION_UINT64, AT(seeds), 1, 1000000},
    {"--hidden-seed", "S",
     "also judge on the cases of this seed; the report only says whether an "
     "exercise fails there (also: GRADE_HIDDEN_SEED, which ps does not show)",
     OPTION_CALL, .take = take_hidden_seed},
    {"--hint", "LEVEL", "show hints up to this level (1, 2 or 3) with a failure",
     OPTION_INT, AT(options.hint), 0, HINT_LEVELS},
    {"--untrusted", NULL,
     "untrusted code: compile and run it in a box; fail if there is none", OPTION_YES,
     AT(options.untrusted)},
    {"--strangers", NULL,
     "report as with --untrusted, but without a box: if the workbook's functions "
     "are used, a failure gets one sentence only, and a link that leads out of the "
     "hand-in is refused (--untrusted implies it)",
     OPTION_YES, AT(options.strangers)},
    {"--hung", "FILE",
     "compile nothing: the compiler took too long for this file of the hand-in",
     OPTION_TEXT, AT(options.hung)},
    {"--jobs", "N", "compile and judge this many files at a time (one per processor)",
     OPTION_SIZE, AT(options.jobs), 1, MOST_THREADS},
    {"--json", "FILE", "write Gradescope's results.json", OPTION_TEXT, AT(json)},
    {"--junit", "FILE", "write JUnit XML", OPTION_TEXT, AT(junit)},
    {"--classroom50", "FILE", "write Classroom 50's result.json; exit 0 if that succeeds",
     OPTION_TEXT, AT(classroom50)},
    {"--autolab", NULL, "print Autolab's scores as the last line", OPTION_YES,
     AT(autolab)},
    {"--dump", "FILE", "save the tensors of the reported call (needs --exercise)",
     OPTION_TEXT, AT(options.dump)},
    {"--no-color", NULL, "no colors (also with NO_COLOR set, or without a terminal)",
     OPTION_NO, AT(color)},
    {"--color", NULL, "print colors even into a pipe", OPTION_YES, AT(color)},
    {NULL},
};
_Static_assert(FOLLOW_FAILING == 0 && FOLLOW_ALL == 1 && FOLLOW_NONE == 2,
               "--follow names them in this order");

const struct option_table grade_options = {
    .program = "grade",
    .more = "see build/grade --help",
    .before =
        "usage: grade check [options]    judge the exercises of a folder\n"
        "       grade hint --exercise X.Y [--hint LEVEL] [--backend gpu]\n"
        "       grade list               every exercise with its points\n"
        "       grade margins [--lab N] [--exercise X.Y] [--seed S] [--seeds N]\n"
        "                                how far known mistakes are from the right result\n"
        "       grade class, report, collect, set, undo, show\n"
        "                                for instructors; each has --help\n"
        "       grade bank DIR           write the archive's case banks (make release)\n\n"
        "options of check\n",
    .rows = rows,
    .column = 19,
    .after =
        "\n"
        "exit status: 0 every chosen exercise passes, 1 an exercise fails, is still to do\n"
        "             or could not be run (no CUDA device),\n"
        "             2 the command line is wrong, 3 the grader itself failed\n",
};

void command_line_read(struct command_line *line, int argc, char **argv)
{
    option_table_read(&grade_options, line, argc, argv);
    check_together(line);
    check_side(&line->options);
}

void inherit_from_class(struct command_line *line)
{
    const char *kept = getenv("GRADE_KEPT");
    if (kept != NULL && *kept != '\0') {
        line->options.kept = grader_print("%s", kept);
    }
    unsetenv("GRADE_KEPT");
    const char *given = getenv("GRADE_HIDDEN_SEED");
    if (given != NULL && *given != '\0') {
        line->hidden_seed =
            option_whole(&grade_options, "GRADE_HIDDEN_SEED", given, 0, UINT64_MAX);
        line->hidden = true;
    }
    unsetenv("GRADE_HIDDEN_SEED");
}
