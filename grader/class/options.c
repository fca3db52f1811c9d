// options.c - the command line of grade class. Start reading at class_read_options.

#define _GNU_SOURCE
#include "class/class.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class/due.h"
#include "class/slice.h"
#include "judge/memory.h"

static const char help[] =
    "usage: grade class FOLDER --db GRADEBOOK [options]\n"
    "       grade class --resume --db GRADEBOOK [options]\n"
    "\n"
    "FOLDER holds a folder or an archive for every student, or what Canvas, Moodle or\n"
    "Gradescope export, unpacked once.\n"
    "\n"
    "  --db FILE          the gradebook; made when it is not there\n"
    "  --lab N            only this lab\n"
    "  --seed S           draw the cases from this seed (1)\n"
    "  --hidden-seed S    judge on a second set of cases, of which feedback tells "
    "nothing\n"
    "  --backend WHAT     cpu (the default), gpu, gpu-simulated, gpu-device or all\n"
    "  --follow WHAT      failing (the default), all or none: see grade --help\n"
    "  --jobs N           submissions at a time (as many as there are processors); each "
    "gets\n"
    "                     its share of the processors: grade check --jobs\n"
    "  --due WHEN         2026-11-01 or 2026-11-01T23:59, both to the day's last "
    "second,\n"
    "                     with +01:00 or Z behind it if you like\n"
    "  --penalty PERCENT  of the points, for each day late that has begun (0)\n"
    "  --resume           go on with the last run that was not finished, as it was "
    "called\n"
    "  --again            judge everything again; older marks stay in the history\n"
    "  --wait SECONDS     for another program to let go of the gradebook (30)\n"
    "  --slice I/N        only the I-th of N parts of the class, into a gradebook of its "
    "own\n"
    "  --batch NAME       slices of one name are collected into one run (grade "
    "collect)\n"
    "  --copy FILE        keep a copy of the gradebook there, and begin with it\n"
    "  --trust            run submissions without a box: you trust all of these people\n"
    "\n"
    "exit status: 0 every submission has its marks or the reason why it has none,\n"
    "             1 some could not be graded for reasons of ours: run again,\n"
    "             2 the command line makes no sense, 3 the gradebook or the machine "
    "failed,\n"
    "             4 stopped by Ctrl-C: run again\n";

_Noreturn void class_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("grade: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs(" (grade class --help tells more)\n", stderr);
    va_end(arguments);
    exit(CLASS_USAGE);
}

static void check_number(const char *option, const char *word, unsigned long long least,
                         unsigned long long most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        class_usage("%s takes a whole number from %llu to %llu, not '%s'", option, least,
                    most, word);
    }
}

static void check_seed(const char *option, const char *word)
{
    check_number(option, word, 0, ULLONG_MAX);
}

static double read_real(const char *option, const char *word, double most)
{
    char *end;
    double value = strtod(word, &end);
    if (*word == '\0' || *end != '\0' || !(value >= 0 && value <= most)) {
        class_usage("%s takes a number from 0 to %g, not '%s'", option, most, word);
    }
    return value;
}

// One of the words of a list with blanks between them.
static void check_word(const char *option, const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; length > 0 && (at = strstr(at, word)) != NULL; at++) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return;
        }
    }
    class_usage("%s is one of %s, not '%s'", option, words, word);
}

void class_set(char **to, const char *value)
{
    free(*to);
    *to = grader_print("%s", value);
}

static void parse(struct class_options *options, int argc, char **argv)
{
    enum {
        DB = 1,
        LAB,
        SEED,
        HIDDEN,
        BACKEND,
        FOLLOW,
        JOBS,
        DUE,
        PENALTY,
        RESUME,
        AGAIN,
        WAIT,
        SLICE,
        BATCH,
        COPY,
        TRUST,
        HELP
    };
    static const struct option known[] = {
        {"db", required_argument, NULL, DB},
        {"lab", required_argument, NULL, LAB},
        {"seed", required_argument, NULL, SEED},
        {"hidden-seed", required_argument, NULL, HIDDEN},
        {"backend", required_argument, NULL, BACKEND},
        {"follow", required_argument, NULL, FOLLOW},
        {"jobs", required_argument, NULL, JOBS},
        {"due", required_argument, NULL, DUE},
        {"penalty", required_argument, NULL, PENALTY},
        {"resume", no_argument, NULL, RESUME},
        {"again", no_argument, NULL, AGAIN},
        {"wait", required_argument, NULL, WAIT},
        {"slice", required_argument, NULL, SLICE},
        {"batch", required_argument, NULL, BATCH},
        {"copy", required_argument, NULL, COPY},
        {"trust", no_argument, NULL, TRUST},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        switch (option) {
        case DB:
            options->db = optarg;
            break;
        case LAB:
            check_number("--lab", optarg, 1, 99);
            options->lab = atoi(optarg);
            break;
        case SEED:
            check_seed("--seed", optarg);
            class_set(&options->seed, optarg);
            break;
        case HIDDEN:
            check_seed("--hidden-seed", optarg);
            class_set(&options->hidden_seed, optarg);
            break;
        case BACKEND:
            check_word("--backend", optarg, "cpu gpu gpu-simulated gpu-device all");
            class_set(&options->backend, optarg);
            break;
        case FOLLOW:
            check_word("--follow", optarg, "failing all none");
            class_set(&options->follow, optarg);
            break;
        case JOBS:
            check_number("--jobs", optarg, 1, MOST_JOBS);
            options->jobs = atoi(optarg);
            break;
        case DUE:
            options->due = optarg;
            if (!due_read(optarg, &options->due_seconds)) {
                class_usage("--due takes a time like 2026-11-01T23:59, not '%s'", optarg);
            }
            break;
        case PENALTY:
            options->penalty = read_real("--penalty", optarg, 100);
            options->penalty_given = true;
            break;
        case RESUME:
            options->resume = true;
            break;
        case AGAIN:
            options->again = true;
            break;
        case WAIT:
            options->wait = read_real("--wait", optarg, 86400);
            break;
        case SLICE:
            if (!slice_read(optarg, &options->part, &options->parts)) {
                class_usage(
                    "--slice takes a part and their number, as in 3/8 (at most %d), "
                    "not '%s'",
                    (int)MOST_SLICES, optarg);
            }
            break;
        case BATCH:
            options->batch = optarg;
            break;
        case COPY:
            options->copy = optarg;
            break;
        case TRUST:
            options->trust = true;
            break;
        case HELP:
            fputs(help, stdout);
            exit(CLASS_DONE);
        case ':':
            class_usage("%s needs a value", argv[optind - 1]);
        default:
            class_usage("unknown option %s", argv[optind - 1]);
        }
    }
    if (optind < argc) {
        options->folder = realpath(argv[optind], NULL);
        if (options->folder == NULL) {
            fprintf(stderr, "grade: cannot read the folder %s: %s\n", argv[optind],
                    strerror(errno));
            exit(CLASS_USAGE);
        }
        optind++;
    }
    if (optind < argc) {
        class_usage("unexpected argument %s", argv[optind]);
    }
}

static void check_options(const struct class_options *options)
{
    if (options->db == NULL) {
        class_usage("say where the marks go: --db gradebook.db");
    }
    if (options->folder == NULL && !options->resume) {
        class_usage("say which folder holds the class");
    }
    if (options->folder != NULL && options->resume) {
        class_usage("--resume takes the folder from the gradebook; leave it out");
    }
    if ((options->parts > 0) != (options->batch != NULL)) {
        class_usage("--slice and --batch go together");
    }
    if (options->parts > 0 && options->resume) {
        class_usage("--resume does not know slices; give the slice's own command again");
    }
    if (options->penalty_given && options->due == NULL) {
        class_usage("--penalty needs --due");
    }
}

void class_read_options(struct class_options *options, int argc, char **argv)
{
    class_set(&options->seed, "1");
    class_set(&options->hidden_seed, "");
    class_set(&options->backend, "cpu");
    class_set(&options->follow, "failing");
    if (getenv("GRADE_HIDDEN_SEED") != NULL && *getenv("GRADE_HIDDEN_SEED") != '\0') {
        check_seed("GRADE_HIDDEN_SEED", getenv("GRADE_HIDDEN_SEED"));
        class_set(&options->hidden_seed, getenv("GRADE_HIDDEN_SEED"));
    }
    parse(options, argc, argv);
    check_options(options);
    if (strcmp(options->seed, "1") == 0 && *options->hidden_seed == '\0' &&
        !options->resume && options->parts == 0) {
        fprintf(stderr,
                "grade: these are the cases of seed 1, which everybody has; --seed "
                "draws others\n");
    }
    if (options->jobs == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        options->jobs = processors > MOST_JOBS ? MOST_JOBS : (int)processors;
    }
}
