// options.c - the command line of grade class. Start reading at class_read_options.

#define _GNU_SOURCE
#include "class/class.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class/due.h"
#include "class/slice.h"
#include "base/memory.h"

void class_set(char **to, const char *value)
{
    free(*to);
    *to = grader_print("%s", value);
}

static void take_seed(void *settings, const struct option_row *row, const char *word)
{
    option_whole(&class_table, row->name, word, 0, UINT64_MAX);
    class_set((char **)((char *)settings + row->place), word);
}

static void take_word(void *settings, const struct option_row *row, const char *word)
{
    option_word(&class_table, row->name, word, row->words);
    class_set((char **)((char *)settings + row->place), word);
}

static void take_due(void *settings, const struct option_row *row, const char *word)
{
    struct class_options *options = settings;
    options->due = word;
    if (!due_read(word, &options->due_seconds)) {
        option_refuse(&class_table, "%s needs a time such as 2026-11-01T23:59, not '%s'",
                      row->name, word);
    }
}

static void take_penalty(void *settings, const struct option_row *row, const char *word)
{
    struct class_options *options = settings;
    options->penalty = option_real(&class_table, row, word);
    options->penalty_given = true;
}

static void take_slice(void *settings, const struct option_row *row, const char *word)
{
    struct class_options *options = settings;
    if (!slice_read(word, &options->part, &options->parts)) {
        option_refuse(
            &class_table,
            "%s needs a part and the number of parts, as in 3/8 (at most %d), not '%s'",
            row->name, (int)MOST_SLICES, word);
    }
}

static void take_folder(void *settings, const char *word)
{
    struct class_options *options = settings;
    if (options->folder != NULL) {
        option_refuse(&class_table, "unexpected argument %s", word);
    }
    options->folder = realpath(word, NULL);
    if (options->folder == NULL) {
        fprintf(stderr, "grade: cannot read the folder %s: %s\n", word, strerror(errno));
        exit(CLASS_USAGE);
    }
}

#define AT(member) offsetof(struct class_options, member)
static const struct option_row rows[] = {
    {"--db", "FILE", "the gradebook; created if it does not exist", OPTION_TEXT, AT(db)},
    {"--lab", "N", "only this lab", OPTION_INT, AT(lab), 1, 99, .once = true},
    {"--seed", "S", "draw the cases from this seed (1)", OPTION_CALL, AT(seed),
     .take = take_seed},
    {"--hidden-seed", "S",
     "also judge on a second set of cases, which feedback never shows", OPTION_CALL,
     AT(hidden_seed), .take = take_seed},
    {"--backend", "WHAT", "cpu (the default), gpu, gpu-simulated, gpu-device or all",
     OPTION_CALL, AT(backend), .take = take_word,
     .words = "cpu gpu gpu-simulated gpu-device all"},
    {"--follow", "WHAT", "failing (the default), all or none: see build/grade --help",
     OPTION_CALL, AT(follow), .take = take_word, .words = "failing all none"},
    {"--jobs", "N",
     "hand-ins to judge at once (one per processor); each gets "
     "its share of the processors (grade check --jobs)",
     OPTION_INT, AT(jobs), 1, MOST_JOBS},
    {"--due", "WHEN",
     "2026-11-01 or 2026-11-01T23:59, each up to the last second; "
     "may end in a time zone, +01:00 or Z",
     OPTION_CALL, .take = take_due},
    {"--penalty", "PERCENT", "of the points, for each day late or part of a day (0)",
     OPTION_CALL, 0, 0, 100, .take = take_penalty},
    {"--roster", "FILE",
     "a table of everybody: id, name, email, group, canvas id, ...; "
     "also Canvas's gradebook export. It stays until the next one",
     OPTION_TEXT, AT(roster)},
    {"--extensions", "FILE",
     "a table of later deadlines: person (or id, ...), lab, days or "
     "until, reason. It stays until the next one",
     OPTION_TEXT, AT(extensions)},
    {"--times", "FILE",
     "a table of when each person handed in, by the platform's clock: "
     "columns person (or id, email, ...), time and perhaps lab; "
     "also Moodle's grading worksheet",
     OPTION_TEXT, AT(times)},
    {"--file-times", "WHAT",
     "where only the files' times are known: ignore them (the default), or charge the "
     "penalty by them",
     OPTION_CALL, AT(file_times), .take = take_word, .words = "charge ignore"},
    {"--sure", NULL,
     "grade even if most hand-ins are late, all have the same time, or a table of times "
     "names another lab",
     OPTION_YES, AT(sure)},
    {"--resume", NULL, "continue the last unfinished run, with its options", OPTION_YES,
     AT(resume)},
    {"--again", NULL, "judge everything again; the history keeps older marks", OPTION_YES,
     AT(again)},
    {"--wait", "SECONDS", "seconds to wait while another program uses the gradebook (30)",
     OPTION_DOUBLE, AT(wait), 0, 86400},
    {"--slice", "I/N", "only the I-th of N parts of the class, in a separate gradebook",
     OPTION_CALL, .take = take_slice},
    {"--batch", "NAME", "slices with this name become one run (grade collect)",
     OPTION_TEXT, AT(batch)},
    {"--copy", "FILE", "copy the gradebook to FILE, and start from that copy",
     OPTION_TEXT, AT(copy)},
    {"--trust", NULL, "run hand-ins without a box: only if you trust every student",
     OPTION_YES, AT(trust)},
    {NULL},
};

const struct option_table class_table = {
    .program = "grade",
    .more = "see build/grade class --help",
    .before =
        "usage: grade class FOLDER --db GRADEBOOK [options]\n"
        "       grade class --resume --db GRADEBOOK [options]\n\n"
        "FOLDER holds a folder or an archive for each student, or an unpacked export of\n"
        "Canvas, Moodle or Gradescope.\n\n",
    .rows = rows,
    .column = 21,
    .after =
        "\n"
        "exit status: 0 every hand-in has its marks or a reason for having none,\n"
        "             1 the grader failed on some hand-ins: run again,\n"
        "             2 the command line is wrong, 3 the gradebook or the machine failed,\n"
        "             4 stopped by Ctrl-C: run again\n",
    .argument = take_folder,
};

static void check_options(const struct class_options *options)
{
    if (options->db == NULL) {
        option_refuse(&class_table,
                      "say where the gradebook is: --db gradebook.db (it is made if it "
                      "does not exist)");
    }
    if (options->folder == NULL && !options->resume) {
        option_refuse(&class_table, "the folder with the hand-ins is missing");
    }
    if (options->folder != NULL && options->resume) {
        option_refuse(&class_table,
                      "--resume reads the folder from the gradebook; leave it out");
    }
    if ((options->parts > 0) != (options->batch != NULL)) {
        option_refuse(&class_table, "--slice and --batch need each other");
    }
    if (options->parts > 0 && options->resume) {
        option_refuse(
            &class_table,
            "--resume does not work with slices; run the slice's command again");
    }
    if (options->penalty_given && options->due == NULL) {
        option_refuse(&class_table, "--penalty needs --due");
    }
}

void class_read_options(struct class_options *options, int argc, char **argv)
{
    class_set(&options->seed, "1");
    class_set(&options->hidden_seed, "");
    class_set(&options->backend, "cpu");
    class_set(&options->follow, "failing");
    if (getenv("GRADE_HIDDEN_SEED") != NULL && *getenv("GRADE_HIDDEN_SEED") != '\0') {
        option_whole(&class_table, "GRADE_HIDDEN_SEED", getenv("GRADE_HIDDEN_SEED"), 0,
                     UINT64_MAX);
        class_set(&options->hidden_seed, getenv("GRADE_HIDDEN_SEED"));
    }
    option_table_read(&class_table, options, argc, argv);
    check_options(options);
    if (options->jobs == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        options->jobs = processors > MOST_JOBS ? MOST_JOBS : (int)processors;
    }
}

void class_tell_seed(const struct class_options *options)
{
    if (strcmp(options->seed, "1") == 0 && *options->hidden_seed == '\0' &&
        !options->resume && options->parts == 0) {
        fprintf(stderr,
                "grade: these are the cases of seed 1, which every student has; --seed "
                "draws others\n");
    }
}
