// options.c - the command line.

#define _POSIX_C_SOURCE 200809L

#include "common/train/train.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: train [options]\n"
    "Trains the model of lab 6 on a task and says how much of it is right.\n"
    "\n"
    "what\n"
    "  --task NAME         copy, reverse, sort or add (copy)\n"
    "  --vocab N           kinds of tokens (10)\n"
    "  --length N          tokens in a sequence (8)\n"
    "  --rows N            sequences to learn from (10000)\n"
    "  --seed N            of first weights, sequences and dropout (42)\n"
    "the model\n"
    "  --embed N           width of the model (32)\n"
    "  --heads N           attention heads; must divide the width (4)\n"
    "  --layers N          blocks (1)\n"
    "  --positions NAME    none, learned or sinusoidal (learned)\n"
    "  --max-length N      rows of the table of positions (the length)\n"
    "  --no-mask           every token sees every token\n"
    "how\n"
    "  --steps N           train until step N (2000)\n"
    "  --batch N           sequences in a step (32)\n"
    "  --lr X              Adam's learning rate (0.001)\n"
    "  --clip X            longest gradient; 0: any length (0)\n"
    "  --dropout X         share of the first stream that is dropped (0)\n"
    "  --src DIR           whose code: solutions, labs (yours) or a folder like them\n"
    "  --gpu               take the steps on the GPU: simulated, and so much slower\n"
    "files\n"
    "  --save FILE         write a checkpoint (safetensors) at the end, at Ctrl-C and\n"
    "  --save-every N      every N steps (500)\n"
    "  --resume FILE       go on from a checkpoint, with its options unless others are "
    "given\n"
    "  --log FILE          write a table: step, loss, accuracy\n"
    "  --map-log FILE      write a table of every head's attention, at the steps of\n"
    "  --map-at N,N,...    (0 and the last)\n"
    "what is shown\n"
    "  --maps              the attention of every head, for one sequence, at the end\n"
    "  --every N           measure accuracy every N steps (a twentieth of them)\n"
    "  --held-out N        on this many other sequences (512)\n"
    "  --best              only say how much anyone could get right, position by "
    "position\n"
    "  --quiet             nothing but errors\n"
    "  --help              this text\n"
    "\n"
    "Accuracy is the share of tokens that are right, on sequences the model has not "
    "seen.\n"
    "exit status: 0 done, 1 a file, a checkpoint or an exercise is at fault, 2 the "
    "command\n"
    "             line makes no sense, 3 training diverged (the last good checkpoint is\n"
    "             kept), 130 stopped by Ctrl-C (a checkpoint was written, if asked "
    "for)\n";

// ---- names --------------------------------------------------------------------------------

static const char *const tasks[] = {"copy", "reverse", "sort", "add"};
static const char *const positions_names[] = {"none", "learned", "sinusoidal"};

const char *task_name(enum task task)
{
    return tasks[task];
}

const char *positions_name(enum positions positions)
{
    return positions_names[positions];
}

bool task_by_name(enum task *task, const char *name)
{
    for (size_t i = 0; i < TASK_COUNT; i++) {
        if (strcmp(name, tasks[i]) == 0) {
            *task = (enum task)i;
            return true;
        }
    }
    return false;
}

bool positions_by_name(enum positions *positions, const char *name)
{
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(name, positions_names[i]) == 0) {
            *positions = (enum positions)i;
            return true;
        }
    }
    return false;
}

// ---- errors -------------------------------------------------------------------------------

static _Noreturn void usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static _Noreturn void usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("train: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs(" (train --help tells more)\n", stderr);
    va_end(arguments);
    exit(TRAIN_USAGE);
}

// ---- what fits together -------------------------------------------------------------------

// The bytes of a model and its data, roughly, as a double: it may be far too much.
static double bytes_needed(const struct settings *settings)
{
    const struct model_shape *s = &settings->shape;
    double floats = 4 * (double)model_count(model_params_rows, s) +
                    (double)model_count(model_activations_rows, s) +
                    (double)model_count(model_gradients_rows, s);
    return 4 * floats + 8 * (double)settings->rows * (double)s->T;
}

void settings_check(const struct settings *settings, int status, const char *where)
{
    const struct model_shape *s = &settings->shape;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (s->NH == 0 || s->C % s->NH != 0) {
        train_fail(status, "%s%zu heads do not divide a width of %zu into equal parts",
                   where, s->NH, s->C);
    }
    if (s->positions != POSITIONS_NONE && s->T > s->T_max) {
        train_fail(status,
                   "%sa sequence of %zu tokens is longer than the table of positions, "
                   "which has %zu rows",
                   where, s->T, s->T_max);
    }
    if (s->V < 2) {
        train_fail(status,
                   "%sa vocabulary of %zu is too small for the task %s: it takes 2 kinds "
                   "of tokens to have anything to say",
                   where, s->V, task_name(settings->task));
    }
    if (settings->rows < s->B) {
        train_fail(status, "%s%zu sequences are fewer than a batch of %zu", where,
                   settings->rows, s->B);
    }
    if (model_shape_check(s) != LAB_OK || settings->rows > 100000000 / s->T) {
        train_fail(status, "%sthese sizes make no model that can be trained here", where);
    }
    if (bytes_needed(settings) > 0.8 * memory) {
        train_fail(
            status,
            "%sa model of this size takes %.0f GB of memory; this machine has %.0f",
            where, bytes_needed(settings) / 1e9, memory / 1e9);
    }
}

static void same_size(const char *what, size_t asked, size_t saved, const char *path)
{
    if (asked != saved) {
        train_fail(TRAIN_FAILED,
                   "%s: the checkpoint has another shape: %s is %zu there, "
                   "not %zu",
                   path, what, saved, asked);
    }
}

// What a checkpoint holds cannot be another model's parameters.
static void check_same_model(const struct settings *asked, const struct settings *saved,
                             const char *path)
{
    const struct model_shape *a = &asked->shape, *s = &saved->shape;
    same_size("the vocabulary (--vocab)", a->V, s->V, path);
    same_size("the width (--embed)", a->C, s->C, path);
    same_size("the number of heads (--heads)", a->NH, s->NH, path);
    same_size("the number of blocks (--layers)", a->L, s->L, path);
    if (a->positions != s->positions) {
        train_fail(TRAIN_FAILED,
                   "%s: the checkpoint has another shape: its positions are %s, not %s",
                   path, positions_name(s->positions), positions_name(a->positions));
    }
    if (a->positions != POSITIONS_NONE) {
        same_size("the table of positions (--max-length)", a->T_max, s->T_max, path);
    }
}

// ---- reading ------------------------------------------------------------------------------

enum kind {
    SIZE,
    FLOAT,
    DOUBLE,
    TEXT,
    YES,
    NO,
    TASK,
    POSITIONS,
    STEP_LIST,
    SRC,
    GPU,
    HELP
};

// One option: where in struct options its value goes, and what it may be.
struct row {
    const char *name;
    enum kind kind;
    size_t place;
    size_t least, most;
    const char *range; // of a FLOAT or DOUBLE, in words
};

enum { STEPS_MOST = 10000000, ROWS_MOST = 100000000 };

// clang-format off
#define AT(member) offsetof(struct options, member)
#define SHAPE(member) offsetof(struct options, settings.shape.member)
static const struct row rows[] = {
    {"--task",       TASK,      AT(settings.task),     0, 0, NULL},
    {"--vocab",      SIZE,      SHAPE(V),              1, 4096, NULL},
    {"--length",     SIZE,      SHAPE(T),              1, 1024, NULL},
    {"--rows",       SIZE,      AT(settings.rows),     1, ROWS_MOST, NULL},
    {"--seed",       SIZE,      AT(settings.seed),     0, UINT32_MAX, NULL},
    {"--embed",      SIZE,      SHAPE(C),              1, 4096, NULL},
    {"--heads",      SIZE,      SHAPE(NH),             1, 4096, NULL},
    {"--layers",     SIZE,      SHAPE(L),              1, 100, NULL},
    {"--positions",  POSITIONS, SHAPE(positions),      0, 0, NULL},
    {"--max-length", SIZE,      SHAPE(T_max),          1, 65536, NULL},
    {"--no-mask",    NO,        SHAPE(causal),         0, 0, NULL},
    {"--steps",      SIZE,      AT(steps),             0, STEPS_MOST, NULL},
    {"--batch",      SIZE,      SHAPE(B),              1, 65536, NULL},
    {"--lr",         DOUBLE,     AT(settings.training.adam.lr),  0, 0, "from 0 on"},
    {"--clip",       FLOAT,     AT(settings.training.max_norm), 0, 0, "from 0 on"},
    {"--dropout",    FLOAT,     SHAPE(dropout),        0, 1, "from 0 to below 1"},
    {"--src",        SRC,       0,                     0, 0, NULL},
    {"--gpu",        GPU,       0,                     0, 0, NULL},
    {"--save",       TEXT,      AT(save),              0, 0, NULL},
    {"--save-every", SIZE,      AT(save_every),        1, STEPS_MOST, NULL},
    {"--resume",     TEXT,      AT(resume),            0, 0, NULL},
    {"--log",        TEXT,      AT(log),               0, 0, NULL},
    {"--map-log",    TEXT,      AT(map_log),           0, 0, NULL},
    {"--map-at",     STEP_LIST, 0,                     0, STEPS_MOST, NULL},
    {"--maps",       YES,       AT(maps),              0, 0, NULL},
    {"--every",      SIZE,      AT(every),             1, STEPS_MOST, NULL},
    {"--held-out",   SIZE,      AT(held_out),          1, 1000000, NULL},
    {"--best",       YES,       AT(best),              0, 0, NULL},
    {"--quiet",      YES,       AT(quiet),             0, 0, NULL},
    {"--help",       HELP,      0,                     0, 0, NULL},
};
#undef AT
#undef SHAPE
// clang-format on

static size_t whole(const struct row *row, const char *word)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end != '\0' || errno != 0 || value < row->least ||
        value > row->most) {
        usage("%s takes a whole number from %zu to %zu, not '%s'", row->name, row->least,
              row->most, word);
    }
    return (size_t)value;
}

static double real(const struct row *row, const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (*word == '\0' || *end != '\0' || !(value <= 3e38) || value < (double)row->least ||
        (row->most > 0 && value >= (double)row->most)) {
        usage("%s takes a number %s, not '%s'", row->name, row->range, word);
    }
    return value;
}

// "0,10,50", ascending.
static void read_map_steps(struct options *o, const struct row *row, const char *list)
{
    o->map_count = 0;
    for (const char *at = list; *at != '\0';) {
        char word[24];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 20 ? length : 20), at);
        if (o->map_count == MAP_STEPS_MAX) {
            usage("%s takes at most %d steps", row->name, MAP_STEPS_MAX);
        }
        size_t step = whole(row, word);
        if (o->map_count > 0 && step <= o->map_steps[o->map_count - 1]) {
            usage("%s takes ascending steps, not '%s'", row->name, list);
        }
        o->map_steps[o->map_count++] = step;
        at += length + (at[length] == ',');
    }
}

static bool takes_a_value(const struct row *row)
{
    return row->kind != YES && row->kind != NO && row->kind != GPU && row->kind != HELP;
}

static void set(struct options *o, const struct row *row, const char *word)
{
    void *place = (char *)o + row->place;
    switch (row->kind) {
    case SIZE:
        *(size_t *)place = whole(row, word);
        break;
    case FLOAT:
        *(float *)place = (float)real(row, word);
        break;
    case DOUBLE:
        *(double *)place = real(row, word);
        break;
    case TEXT:
        *(const char **)place = word;
        break;
    case YES:
    case NO:
        *(bool *)place = row->kind == YES;
        break;
    case TASK:
        if (!task_by_name(place, word)) {
            usage("there is no task '%s': copy, reverse, sort or add", word);
        }
        break;
    case POSITIONS:
        if (!positions_by_name(place, word)) {
            usage("%s takes none, learned or sinusoidal, not '%s'", row->name, word);
        }
        break;
    case STEP_LIST:
        read_map_steps(o, row, word);
        break;
    case SRC:
    case GPU:
        usage("%s is for build/train, which runs this program", row->name);
    case HELP:
        fputs(help, stdout);
        exit(fflush(stdout) == 0 ? 0 : TRAIN_FAILED);
    }
}

// "--name value" or "--name=value"
static void read_all(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *equals = strchr(word, '=');
        const size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
        const struct row *row = NULL;
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            if (strlen(rows[r].name) == length &&
                strncmp(rows[r].name, word, length) == 0) {
                row = &rows[r];
            }
        }
        if (row == NULL) {
            usage("there is no option '%s'", word);
        }
        if (!takes_a_value(row)) {
            if (equals != NULL) {
                usage("%s takes no value", row->name);
            }
            set(o, row, NULL);
        } else if (equals != NULL) {
            set(o, row, equals + 1);
        } else if (i + 1 < argc) {
            set(o, row, argv[++i]);
        } else {
            usage("%s needs a value", row->name);
        }
    }
}

void options_read(struct options *o, int argc, char **argv)
{
    *o = (struct options){.settings = {.task = TASK_COPY,
                                       .shape = {.B = 32,
                                                 .T = 8,
                                                 .V = 10,
                                                 .C = 32,
                                                 .NH = 4,
                                                 .L = 1,
                                                 .causal = true,
                                                 .positions = POSITIONS_LEARNED},
                                       .training = {.adam = {1e-3, 0.9, 0.999, 1e-8, 0}},
                                       .rows = 10000,
                                       .seed = 42},
                          .steps = 2000,
                          .held_out = 512,
                          .save_every = 500};
    struct settings saved = {0};
    read_all(o, argc, argv);
    if (o->resume != NULL) {
        saved.training = o->settings.training;
        checkpoint_settings(&saved, o->resume);
        o->settings = saved;
        read_all(o, argc, argv); // what is given counts more than what is saved
    }
    struct model_shape *shape = &o->settings.shape;
    shape->H = 4 * shape->C;
    if (shape->T_max == 0) {
        shape->T_max = shape->T;
    }
    if (o->resume != NULL) {
        check_same_model(&o->settings, &saved, o->resume);
    }
    settings_check(&o->settings, TRAIN_USAGE, "");
    if (o->map_count == 0) {
        o->map_steps[o->map_count++] = 0;
        if (o->steps > 0) {
            o->map_steps[o->map_count++] = o->steps;
        }
    }
}
