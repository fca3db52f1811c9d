// train.h - build/train: trains the model of lab 6 on a task, with the code it was built with.
//
// What is given and what is the student's: the model's memory (common/model.h), the data, the
// checkpoints and everything that is printed are given; every number of the training comes from
// train() and model_forward() of lab 6, and so from labs 2 to 6.
//
//   options.c      what the command line says                 -> struct settings
//   probe.c        which exercise is not written yet
//   checkpoint.c   a run in a file, and back, bit for bit
//   best.c         how many tokens anyone could get right
//   maps.c         the attention of every head, at chosen steps
//   main.c         the run; start reading there
//   run.h          progress, tables and Ctrl-C, which lab 8's trainer uses as well
//
// A run that is stopped and resumed gives the numbers of one that was not: everything it depends
// on is in the settings and in struct model, and both are in the checkpoint.

#ifndef LAB_TRAIN_H
#define LAB_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "06_copy_task/copy_task.h"
#include "common/model.h"
#include "programs/train/run.h"

// ---- options.c ----------------------------------------------------------------------------

// What a run depends on. All of it is in a checkpoint.
struct settings {
    enum task task;
    struct model_shape shape;
    struct training training;
    size_t rows; // sequences of the data set
    size_t seed; // of the first weights, the data and the dropout
};

enum { MAP_STEPS_MAX = 1000 };

// The other options of the command line.
struct options {
    struct settings settings;
    size_t steps;    // the last step's number
    size_t held_out; // sequences that accuracy is measured on
    size_t every;    // steps from one measurement to the next
    size_t save_every;
    const char *save, *resume, *log, *map_log; // files, or NULL
    size_t map_steps[MAP_STEPS_MAX], map_count;
    bool maps, quiet, best;
};

// Reads the command line; with --resume the checkpoint's settings take the place of the
// defaults. Leaves the program on --help and on anything that makes no sense.
void options_read(struct options *options, int argc, char **argv);

const char *task_name(enum task task);
const char *positions_name(enum positions positions);
bool task_by_name(enum task *task, const char *name);
bool positions_by_name(enum positions *positions, const char *name);

// Leaves the program unless the settings make a model. where is put in front: the name of a
// checkpoint and ": ", or "".
void settings_check(const struct settings *settings, int status, const char *where);

// ---- probe.c ------------------------------------------------------------------------------

// Leaves the program, with the first function's name, when a function that training with these
// settings needs is not written yet.
void probe_exercises(const struct settings *asked);

// ---- checkpoint.c -------------------------------------------------------------------------

// The settings of a checkpoint. Leaves the program when it cannot be read or is none.
void checkpoint_settings(struct settings *settings, const char *path);

// Parameters, moments, step and generator. model was made for these settings.
void checkpoint_load(struct model *model, const char *path);

// Writes all of it, whole or not at all: the older file stays until the new one is complete.
// false when it could not be written; error(LAB_TENSOR_ERROR) says why.
bool checkpoint_save(char *error, const char *path, const struct model *model,
                     const struct settings *settings);

// ---- best.c -------------------------------------------------------------------------------

struct best {
    double accuracy; // share of tokens, 0 to 1
    double error;    // 0: counted exactly; otherwise the standard error of drawing
};

// The largest expected share of right tokens that any model could reach which sees what this
// one sees: at position t alone, and over all positions.
struct best best_at(const struct settings *settings, size_t t);
struct best best_possible(const struct settings *settings);

// ---- the tables -------------------------------------------------------------------------------

// The first lines of a --log and a --map-log.
extern const char log_header[], map_log_header[];

// ---- maps.c -------------------------------------------------------------------------------

// The attention weights (L, NH, T, T) of one sequence (T), computed by model_forward.
const float *maps_compute(struct model *model, const size_t *sequence);

// Keeps the maps of chosen steps and writes them as one table.
struct map_log {
    float *weights; // (steps, L, NH, T, T)
    size_t *steps, count, room;
    size_t each;           // L NH T T
    struct kept_rows kept; // of the run that this one goes on with
};
void map_log_new(struct map_log *log, size_t room, const struct model_shape *shape);
void map_log_add(struct map_log *log, size_t step, const float *weights);
bool map_log_write(const struct map_log *log, const char *path, const size_t *sequence,
                   const struct model_shape *shape);
void map_log_free(struct map_log *log);

// Every head on the terminal.
void maps_print(const float *weights, const size_t *sequence, size_t step,
                const struct model_shape *shape);

#endif
