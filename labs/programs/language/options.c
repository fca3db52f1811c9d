// options.c - the command line of lab 8's trainer.

#define _POSIX_C_SOURCE 200809L

#include "programs/language/story.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "common/option_table.h"
#include "common/parallel.h"

enum { STEPS_MOST = 10000000 };

// The size of a model in training in bytes, as a double because it may be huge.
static double bytes_needed(const struct language_shape *s)
{
    return 4 * (4 * (double)language_count(language_params_rows, s) +
                (double)language_count(language_activations_rows, s) +
                (double)language_count(language_gradients_rows, s));
}

void story_settings_check(const struct story_settings *settings, int status,
                          const char *where)
{
    const struct language_shape *s = &settings->shape;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (s->NH == 0 || s->C % s->NH != 0 || s->C / s->NH % 2 != 0) {
        train_fail(
            status,
            "%s%zu heads do not divide a width of %zu into equal parts of even width, "
            "which RoPE needs",
            where, s->NH, s->C);
    }
    if (language_shape_check(s) != LAB_OK) {
        train_fail(status, "%sa model of these sizes cannot be trained here", where);
    }
    if (bytes_needed(s) > 0.8 * memory) {
        train_fail(
            status,
            "%sa model of this size needs %.0f GB of memory; this machine has %.0f",
            where, bytes_needed(s) / 1e9, memory / 1e9);
    }
}

static const struct option_table table;

static void refuse_outside(void *settings, const struct option_row *row, const char *word)
{
    (void)settings, (void)word;
    option_refuse(&table, "%s is for build/train, which runs this program", row->name);
}

#define AT(member) offsetof(struct story_options, member)
#define SHAPE(member) offsetof(struct story_options, settings.shape.member)
static const struct option_row rows[] = {
    {.help = "what"},
    {"--data", "FILE", "the text to learn (build/data/stories/train.txt: make stories)",
     OPTION_TEXT, AT(data)},
    {"--held-out", "FILE",
     "another text, to measure the loss on (the last tenth of --data)", OPTION_TEXT,
     AT(held_out_file)},
    {"--held-out-tokens", "N", "use N tokens of the held-out text (20000)", OPTION_SIZE,
     AT(held_out), 2, 100000000},
    {"--entropy", "X",
     "the entropy of the text (nats per character), printed with the loss", OPTION_DOUBLE,
     AT(entropy)},
    {"--seed", "N", "the seed of the initial weights and the batches (1)", OPTION_SIZE,
     AT(settings.seed), 0, UINT32_MAX},
    {.help = "the model"},
    {"--length", "N", "tokens in a sequence (256)", OPTION_SIZE, SHAPE(T), 1, 4096},
    {"--embed", "N", "width of the model (96)", OPTION_SIZE, SHAPE(C), 2, 4096},
    {"--heads", "N", "attention heads; must divide the width (6)", OPTION_SIZE, SHAPE(NH),
     1, 2048},
    {"--hidden", "N", "width inside the MLP (8/3 of --embed, a multiple of 64)",
     OPTION_SIZE, SHAPE(H), 1, 65536},
    {"--layers", "N", "blocks (4)", OPTION_SIZE, SHAPE(L), 1, 100},
    {.help = "how"},
    {"--steps", "N", "train until step N (3000)", OPTION_SIZE, AT(steps), 0, STEPS_MOST},
    {"--batch", "N", "sequences per step (12)", OPTION_SIZE, SHAPE(B), 1, 65536},
    {"--lr", "X", "the highest learning rate (0.003); a cosine ends at a tenth of it",
     OPTION_DOUBLE, AT(settings.lr)},
    {"--warmup", "N", "steps until --lr is reached (a twentieth of all steps)",
     OPTION_SIZE, AT(settings.warmup), 0, STEPS_MOST},
    {"--clip", "X", "clip gradients to this length; 0: no limit (1)", OPTION_FLOAT,
     AT(settings.max_norm)},
    {"--weight-decay", "X", "the weight decay of AdamW (0)", OPTION_DOUBLE,
     AT(settings.weight_decay)},
    {"--threads", "N",
     "share the work of a step, if the code can (1; solutions/fast can)", OPTION_SIZE,
     AT(threads), 1, LAB_THREADS_MOST},
    {"--src", "DIR", "whose code: solutions, labs (yours) or a similar folder",
     OPTION_CALL, .take = refuse_outside},
    {.help = "files"},
    {"--model", "FILE", "write the trained model (bfloat16), for build/generate",
     OPTION_TEXT, AT(model)},
    {"--save", "FILE", "write a checkpoint at the end, at Ctrl-C and", OPTION_TEXT,
     AT(save)},
    {"--save-every", "N", "every N steps (250)", OPTION_SIZE, AT(save_every), 1,
     STEPS_MOST},
    {"--resume", "FILE", "continue from a checkpoint; your options replace its options",
     OPTION_TEXT, AT(resume)},
    {"--log", "FILE", "write a table: step, loss, held-out loss", OPTION_TEXT, AT(log)},
    {.help = "progress output"},
    {"--every", "N", "measure the held-out loss every N steps (a twentieth of all steps)",
     OPTION_SIZE, AT(every), 1, STEPS_MOST},
    {"--sample-every", "N", "print a sample every N steps; 0: never (500)", OPTION_SIZE,
     AT(sample_every), 0, STEPS_MOST},
    {"--prompt", "TEXT", "how a sample begins (a newline, if the text has one)",
     OPTION_TEXT, AT(prompt)},
    {"--quiet", NULL, "print only errors", OPTION_YES, AT(quiet)},
    {NULL},
};

static const struct option_table table = {
    .program = "train",
    .more = "see build/train --lab 8 --help",
    .before =
        "usage: train --lab 8 [options]\n"
        "Trains the language model of lab 8 on a text, and prints samples of it.\n\n",
    .rows = rows,
    .column = 24,
    .after =
        "\n"
        "Losses are in nats per character: one bit is 0.69 nats.\n"
        "exit status: 0 done, 1 a file, a checkpoint or an exercise is wrong, 2 the\n"
        "             command line is wrong, 3 training diverged (the last good\n"
        "             checkpoint is kept), 130 stopped by Ctrl-C (a checkpoint was\n"
        "             written, if asked for)\n",
};

static void check_numbers(const struct story_options *o)
{
    if (!(o->settings.lr > 0) || !isfinite(o->settings.lr)) {
        option_refuse(&table, "--lr must be above 0");
    }
    if (!(o->settings.max_norm >= 0) || !(o->settings.weight_decay >= 0)) {
        option_refuse(&table, "--clip and --weight-decay must not be negative");
    }
    if (o->prompt != NULL && *o->prompt == '\0') {
        option_refuse(&table,
                      "--prompt is empty; the model needs at least one character");
    }
    if (o->settings.warmup > o->settings.total) {
        option_refuse(&table, "--warmup must not be above --steps");
    }
}

static void check_same_model(const struct language_shape *asked,
                             const struct language_shape *saved, const char *path)
{
    const struct {
        const char *what;
        size_t asked, saved;
    } sizes[] = {{"--embed", asked->C, saved->C},
                 {"--heads", asked->NH, saved->NH},
                 {"--hidden", asked->H, saved->H},
                 {"--layers", asked->L, saved->L}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].asked != sizes[i].saved) {
            train_fail(TRAIN_FAILED,
                       "%s: the checkpoint has another shape: %s is %zu there", path,
                       sizes[i].what, sizes[i].saved);
        }
    }
}

void story_options_read(struct story_options *o, int argc, char **argv)
{
    *o = (struct story_options){
        .settings = {.shape = {.B = 12, .T = 256, .C = 96, .NH = 6, .L = 4},
                     .lr = 3e-3,
                     .max_norm = 1,
                     .warmup = SIZE_MAX,
                     .seed = 1},
        .steps = 3000,
        .held_out = 20000,
        .save_every = 250,
        .threads = 1,
        .sample_every = 500,
        .data = STORIES};
    struct story_settings saved = {0};
    option_table_read(&table, o, argc, argv);
    struct story_settings *s = &o->settings;
    if (o->resume != NULL) {
        saved_settings(&saved, &o->alphabet, o->resume);
        *s = saved;
        o->steps = saved.total;
        option_table_read(&table, o, argc,
                          argv); // the command line overrides saved options
    }
    s->total = o->steps;
    s->warmup = s->warmup == SIZE_MAX ? o->steps / 20 : s->warmup;
    s->shape.H = s->shape.H == 0 ? language_default_width(s->shape.C) : s->shape.H;
    check_numbers(o);
    if (o->resume != NULL) {
        check_same_model(&s->shape, &saved.shape, o->resume);
    }
}
