// options.c - the command line.

#define _POSIX_C_SOURCE 200809L

#include "programs/train/train.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/option_table.h"

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

// ---- what fits together -------------------------------------------------------------------

// The approximate size of a model and its data in bytes, as a double because it may be
// huge.
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
                   "%sa vocabulary of %zu is too small for the task %s, which needs at "
                   "least 2 kinds of tokens",
                   where, s->V, task_name(settings->task));
    }
    if (settings->rows < s->B) {
        train_fail(status, "%s%zu sequence%s fewer than a batch of %zu", where,
                   settings->rows, settings->rows == 1 ? " is" : "s are", s->B);
    }
    if (model_shape_check(s) != LAB_OK || settings->rows > 100000000 / s->T) {
        train_fail(status, "%sa model of these sizes cannot be trained here", where);
    }
    if (bytes_needed(settings) > 0.8 * memory) {
        train_fail(
            status,
            "%sa model of this size needs %.0f GB of memory; this machine has %.0f",
            where, bytes_needed(settings) / 1e9, memory / 1e9);
    }
}

static void same_size(const char *what, size_t asked, size_t saved, const char *path)
{
    if (asked != saved) {
        train_fail(TRAIN_FAILED,
                   "%s: the checkpoint has another shape: %s is %zu there, not %zu", path,
                   what, saved, asked);
    }
}

// A checkpoint fits only a model of the same shape.
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

enum { STEPS_MOST = 10000000, ROWS_MOST = 100000000 };

static const struct option_table table;

// "0,10,50", ascending.
static void take_map_steps(void *settings, const struct option_row *row, const char *list)
{
    struct options *o = settings;
    o->map_count = 0;
    for (const char *at = list; *at != '\0';) {
        char word[24];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 20 ? length : 20), at);
        if (o->map_count == MAP_STEPS_MAX) {
            option_refuse(&table, "%s takes at most %d steps", row->name, MAP_STEPS_MAX);
        }
        size_t step = option_whole(&table, row->name, word, 0, row->most);
        if (o->map_count > 0 && step <= o->map_steps[o->map_count - 1]) {
            option_refuse(&table, "%s needs ascending steps, not '%s'", row->name, list);
        }
        o->map_steps[o->map_count++] = step;
        at += length + (at[length] == ',');
    }
}

static void refuse_outside(void *settings, const struct option_row *row, const char *word)
{
    (void)settings, (void)word;
    option_refuse(&table, "%s is for build/train, which runs this program", row->name);
}

#define AT(member) offsetof(struct options, member)
#define SHAPE(member) offsetof(struct options, settings.shape.member)
static const struct option_row rows[] = {
    {.help = "what"},
    {"--task", "NAME", "copy, reverse, sort or add (copy)", OPTION_WORD,
     AT(settings.task), .words = "copy reverse sort add"},
    {"--vocab", "N", "different tokens (10)", OPTION_SIZE, SHAPE(V), 1, 4096},
    {"--length", "N", "tokens in a sequence (8)", OPTION_SIZE, SHAPE(T), 1, 1024},
    {"--rows", "N", "training sequences (10000)", OPTION_SIZE, AT(settings.rows), 1,
     ROWS_MOST},
    {"--seed", "N", "seed for the initial weights, the sequences and dropout (42)",
     OPTION_SIZE, AT(settings.seed), 0, UINT32_MAX},
    {.help = "the model"},
    {"--embed", "N", "width of the model (32)", OPTION_SIZE, SHAPE(C), 1, 4096},
    {"--heads", "N", "attention heads; must divide the width (4)", OPTION_SIZE, SHAPE(NH),
     1, 4096},
    {"--layers", "N", "blocks (1)", OPTION_SIZE, SHAPE(L), 1, 100},
    {"--positions", "NAME", "none, learned, or sinusoidal, which needs 7.1 (learned)",
     OPTION_WORD, SHAPE(positions), .words = "none learned sinusoidal"},
    {"--max-length", "N", "rows of the table of positions (--length)", OPTION_SIZE,
     SHAPE(T_max), 1, 65536},
    {"--no-mask", NULL, "no causal mask: every token sees every token", OPTION_NO,
     SHAPE(causal)},
    {.help = "how"},
    {"--steps", "N", "train until step N (2000)", OPTION_SIZE, AT(steps), 0, STEPS_MOST},
    {"--batch", "N", "sequences per step (32)", OPTION_SIZE, SHAPE(B), 1, 65536},
    {"--lr", "X", "Adam's learning rate (0.001)", OPTION_DOUBLE,
     AT(settings.training.adam.lr)},
    {"--clip", "X", "clip gradients to this length; 0: no limit (0)", OPTION_FLOAT,
     AT(settings.training.max_norm)},
    {"--dropout", "X", "dropout probability for the embeddings (0)", OPTION_FLOAT,
     SHAPE(dropout), 0, 1, .below = true},
    {"--src", "DIR", "whose code: solutions, labs (yours) or a similar folder",
     OPTION_CALL, .take = refuse_outside},
    {"--gpu", NULL, "run the steps on the simulated GPU, which is much slower",
     OPTION_CALL, .take = refuse_outside},
    {.help = "files"},
    {"--save", "FILE", "write a checkpoint (safetensors) at the end, at Ctrl-C and",
     OPTION_TEXT, AT(save)},
    {"--save-every", "N", "every N steps (500)", OPTION_SIZE, AT(save_every), 1,
     STEPS_MOST},
    {"--model", "FILE", "write the trained model at the end, as bfloat16", OPTION_TEXT,
     AT(model)},
    {"--resume", "FILE", "continue from a checkpoint; your options replace its options",
     OPTION_TEXT, AT(resume)},
    {"--log", "FILE", "write a table: step, loss, accuracy", OPTION_TEXT, AT(log)},
    {"--map-log", "FILE", "write a table of every head's attention, at the steps of",
     OPTION_TEXT, AT(map_log)},
    {"--map-at", "N,N,...", "(0 and the last)", OPTION_CALL, .most = STEPS_MOST,
     .take = take_map_steps},
    {.help = "progress output"},
    {"--maps", NULL, "the attention of every head, for one sequence, at the end",
     OPTION_YES, AT(maps)},
    {"--every", "N", "measure accuracy every N steps (a twentieth of all steps)",
     OPTION_SIZE, AT(every), 1, STEPS_MOST},
    {"--held-out", "N", "measure accuracy on N unseen sequences (512)", OPTION_SIZE,
     AT(held_out), 1, 1000000},
    {"--best", NULL, "only print the best possible accuracy of each position", OPTION_YES,
     AT(best)},
    {"--quiet", NULL, "print only errors", OPTION_YES, AT(quiet)},
    {NULL},
};

static const struct option_table table = {
    .program = "train",
    .more = "see build/train --help",
    .before = "usage: train [options]\n"
              "Trains the model of lab 6 on a task and prints its accuracy.\n\n",
    .rows = rows,
    .column = 22,
    .after =
        "\n"
        "Accuracy is the share of correct tokens in sequences that the model has not\n"
        "seen.\n"
        "exit status: 0 done, 1 a file, a checkpoint or an exercise is wrong, 2 the\n"
        "             command line is wrong, 3 training diverged (the last good\n"
        "             checkpoint is kept), 130 stopped by Ctrl-C (a checkpoint was\n"
        "             written, if asked for)\n",
};

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
    option_table_read(&table, o, argc, argv);
    if (o->resume != NULL) {
        saved.training = o->settings.training;
        checkpoint_settings(&saved, o->resume);
        o->settings = saved;
        // options on the command line override saved ones
        option_table_read(&table, o, argc, argv);
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
