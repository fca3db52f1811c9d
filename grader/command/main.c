// main.c - the commands of build/grade.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bank/write.h"
#include "base/columns.h"
#include "base/exit_code.h"
#include "base/memory.h"
#include "base/root.h"
#include "base/surroundings.h"
#include "build/backend.h"
#include "cases/show.h"
#include "cases/tables.h"
#include "command/options.h"
#include "grade/answers.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "grade/hidden.h"
#include "grade/margins.h"
#include "grade/survey.h"
#include "judge/result.h"
#include "judge/rubric.h"
#include "report/fold.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/platforms.h"
#include "report/terminal.h"
#include "report/text.h"
#include "sandbox/available.h"
#include "sandbox/cgroup.h"
#include "sandbox/process.h"
#include "sandbox/wall.h"

// Removes a trailing slash, for readable messages, and protects a name that looks like an
// option of the compiler.
static char *trimmed(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    return grader_print("%s%.*s", *path == '-' || *path == '@' ? "./" : "", (int)length,
                        path);
}

// Only failures show a call, and not all of them (a file that does not compile has none).
static void tell_of_dump(const struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (grading->options.dump != NULL && result->asked && result->call == NULL) {
            fprintf(stderr,
                    "grade: --dump: the report on %s shows no call, so %s was not "
                    "written\n",
                    result->exercise->id, grading->options.dump);
        }
    }
}

// Fits into the terminal.
static void print_report(const struct grading *grading, bool color)
{
    struct text text;
    text_begin(&text);
    report_terminal(text.file, grading, color);
    char *report = text_end(&text);
    report_fold(stdout, report, grader_columns());
    free(report);
}

static int command_check(struct command_line *line)
{
    surroundings_check();
    char *source = line->options.source != NULL
                       ? trimmed(line->options.source)
                       : grader_print("%s/labs", line->options.root);
    line->options.source = source;
    struct grading grading = grade_run(&line->options);
    if (line->hidden) {
        grade_hidden(&grading, line->hidden_seed);
    }
    grade_answers(&grading);
    print_report(&grading, line->color);
    int code = grade_exit_code(&grading);
    if (line->json != NULL && !report_json(line->json, &grading)) {
        code = EXIT_GRADER;
    }
    if (line->junit != NULL && !report_junit(line->junit, &grading)) {
        code = EXIT_GRADER;
    }
    if (line->classroom50 != NULL) {
        bool written = report_classroom50(line->classroom50, &grading);
        code = written && code == EXIT_FAIL ? EXIT_PASS : written ? code : EXIT_GRADER;
    }
    tell_of_dump(&grading);
    if (line->autolab) {
        report_autolab(stdout, &grading);
    }
    if (fflush(stdout) != 0) {
        fprintf(stderr, "grade: cannot write the report: %s\n", strerror(errno));
        code = EXIT_GRADER;
    }
    grade_free(&grading);
    free(source);
    return code;
}

static int command_hint(const struct command_line *line)
{
    if (!one_exercise(&line->options)) {
        option_refuse(&grade_options,
                      "hint needs one --exercise, for example --exercise 1.3");
    }
    int level = line->options.hint > 0 ? line->options.hint : 1;
    const struct lab_place *place;
    const struct exercise *exercise;
    find_exercise(line->options.exercise, &place, &exercise);
    bool gpu = line->options.gpu != CPU;
    const char *hint = (gpu ? exercise->gpu_hints : exercise->hints)[level - 1];
    printf("%s %s%s, hint %d of %d\n", exercise->id, exercise->name, gpu ? " (gpu)" : "",
           level, HINT_LEVELS);
    show_wrapped(stdout, "  ", hint != NULL ? hint : "There is none yet.");
    char *page = report_reading(exercise, place, gpu);
    printf("read: %s\n", page);
    free(page);
    if (level < HINT_LEVELS) {
        printf("more: make hint EX=%s%s LEVEL=%d\n", exercise->id, gpu ? " GPU=1" : "",
               level + 1);
    }
    return EXIT_PASS;
}

static void list_exercise(const struct rubric *rubric, const struct lab_place *place,
                          const struct exercise *exercise, bool gpu)
{
    char *id = grader_print("%s%s", exercise->id, gpu ? "g" : "");
    const struct rule *rule = rubric_find(rubric, id);
    printf("%s\t%s\t%s\t%g\t%s\n", id, exercise->name, place->folder,
           rule != NULL ? rule->points : 0, gpu ? "On the GPU" : exercise->section);
    free(id);
}

static int command_list(const struct command_line *line)
{
    char *path = grader_print("%s/grader/points.txt", line->options.root);
    struct rubric *rubric = rubric_read(path);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct exercise *exercise = *each;
            list_exercise(rubric, place, exercise, false);
            if (has_gpu_variant(place, exercise)) {
                list_exercise(rubric, place, exercise, true);
            }
        }
    }
    rubric_free(rubric);
    free(path);
    return EXIT_PASS;
}

// Reports the protections of this machine: the wall around a student's own code, and the
// box around untrusted code.
static int command_walls(const char *root)
{
    char reason[512];
    bool box = box_available(root, reason, sizeof reason);
    printf("Landlock version %d\n", wall_version());
    printf("box %s%s\n", box ? "available" : "not available: ", box ? "" : reason);
    const struct cgroup_place *groups = cgroup_place();
    if (groups->version != 0) {
        printf("control groups of version %d below %s\n", groups->version, groups->name);
    } else {
        printf("control groups not available: %s; memory is checked every %d ms\n",
               groups->reason, WATCH_MILLISECONDS);
    }
    return wall_version() > 0 && box ? EXIT_PASS : EXIT_FAIL;
}

// Commands for instructors need libraries that a student's machine may lack, so they are in
// another program.
static _Noreturn void become_class_program(char **argv)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        grader_fail("cannot find the path of this program: %s", strerror(errno));
    }
    char *program = grader_print("%.*s-class", (int)length, path);
    execv(program, argv);
    grader_fail(
        "cannot start %s: %s (make builds it if libarchive-dev, libsqlite3-dev and "
        "the other libraries of docs/dependencies.md are installed: make setup)",
        program, strerror(errno));
}

static int command_margins(const struct command_line *line)
{
    check_whole("margins");
    bool fine = line->seeds > 0
                    ? margins_survey(stdout, &line->options, line->seeds, NULL)
                    : margins_print(stdout, &line->options);
    return fine ? EXIT_PASS : EXIT_FAIL;
}

static int command_bank(const struct command_line *line)
{
    check_whole("bank");
    if (access(line->folder, W_OK) != 0) {
        option_refuse(&grade_options, "bank needs a folder to write to, not '%s'",
                      line->folder);
    }
    surroundings_hide(); // OpenBLAS with one thread, as when a class is judged
    return bank_write(line->folder, line->options.seed) ? EXIT_PASS : EXIT_GRADER;
}

int main(int argc, char **argv)
{
    surroundings_prepare(argv);
    signal(SIGXFSZ, SIG_IGN); // under ulimit -f a write fails, and the error is reported
    struct command_line line = {.options = {.seed = public_seed()},
                                .color = report_wants_color(stdout)};
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "--help") == 0 || strcmp(command, "help") == 0) {
        option_help(&grade_options);
    }
    static const char *const for_classes[] = {"class", "report", "collect", "set",
                                              "undo",  "show",   NULL};
    for (const char *const *one = for_classes; *one != NULL; one++) {
        if (strcmp(command, *one) != 0) {
            continue;
        }
        check_whole(command);
        become_class_program(argv);
    }
    if (argc < 2) {
        option_refuse(
            &grade_options,
            "expected a command: check, hint, list, margins, walls, bank, class, report, "
            "collect, set, undo or show");
    }
    char *root = workbook_root();
    line.options.root = root;
    inherit_from_class(&line);
    int code = EXIT_USAGE;
    const bool names_folder =
        strcmp(command, "bank") == 0 && argc > 2 && argv[2][0] != '-';
    int skipped = names_folder ? 2 : 1;
    line.folder = names_folder ? argv[2] : ""; // DIR is not an option
    command_line_read(&line, argc - skipped, argv + skipped);
    if (strcmp(command, "check") == 0) {
        code = command_check(&line);
    } else if (strcmp(command, "hint") == 0) {
        code = command_hint(&line);
    } else if (strcmp(command, "list") == 0) {
        code = command_list(&line);
    } else if (strcmp(command, "walls") == 0) {
        code = command_walls(root);
    } else if (strcmp(command, "bank") == 0) {
        code = command_bank(&line);
    } else if (strcmp(command, "margins") == 0) {
        code = command_margins(&line);
    } else {
        option_refuse(&grade_options, "unknown command '%s'", command);
    }
    free(root);
    return code;
}
