// train.h - build/train: trains the model of lab 6 on a task, with the code it was built with.
//
// The model's memory (common/model.h), the data, the checkpoints and all printing are
// given. Every number of the training comes from train() and model_forward() of lab 6, and
// so from the student's labs 2 to 6.
//
//   options.c      the command line                           -> struct settings
//   probe.c        finds the exercises that are not written yet
//   checkpoint.c   saves and loads a run, bit for bit
//   best.c         the best possible accuracy
//   maps.c         the attention of every head, at chosen steps
//   main.c         the run; start reading there
//   run.h          progress, tables and Ctrl-C, which lab 8's trainer uses as well
//
// A run that was stopped and resumed gives the same numbers as an uninterrupted one,
// because everything it depends on is in the settings and in struct model, and the
// checkpoint has both.

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

// Everything a run depends on. A checkpoint stores all of it.
struct settings {
    enum task task;
    struct model_shape shape;
    struct training training;
    size_t rows; // sequences of the data set
    size_t seed; // seed of the initial weights, the data and the dropout
};

enum { MAP_STEPS_MAX = 1000 };

// The other options of the command line.
struct options {
    struct settings settings;
    size_t steps;    // number of the last step
    size_t held_out; // number of sequences for measuring accuracy
    size_t every;    // steps between measurements
    size_t save_every;
    const char *save, *model, *resume, *log, *map_log; // files, or NULL
    size_t map_steps[MAP_STEPS_MAX], map_count;
    bool maps, quiet, best;
};

// Reads the command line. With --resume, the settings of the checkpoint are the defaults.
// Exits on --help and on errors.
void options_read(struct options *options, int argc, char **argv);

const char *task_name(enum task task);
const char *positions_name(enum positions positions);
bool task_by_name(enum task *task, const char *name);
bool positions_by_name(enum positions *positions, const char *name);

// Exits unless the settings describe a valid model. where is the prefix of the error
// message: the name of a checkpoint and ": ", or "".
void settings_check(const struct settings *settings, int status, const char *where);

// ---- probe.c ------------------------------------------------------------------------------

// If functions that training needs with these settings are not written yet, prints their names in
// one line and exits.
void probe_exercises(const struct settings *asked);

// ---- checkpoint.c -------------------------------------------------------------------------

// Reads the settings of a checkpoint. Exits if it is not a valid checkpoint.
void checkpoint_settings(struct settings *settings, const char *path);

// Loads parameters, moments, step and generator. model must have been created for these
// settings.
void checkpoint_load(struct model *model, const char *path);

// Writes a checkpoint, completely or not at all: the old file stays until the new one is
// complete. On failure returns false with the reason in error(LAB_TENSOR_ERROR).
bool checkpoint_save(char *error, const char *path, const struct model *model,
                     const struct settings *settings);

// The same for a finished model: only its parameters, in bfloat16.
void task_model_settings(struct settings *settings, const char *path);
void task_model_load(struct model *model, const char *path);
bool task_model_save(char *error, const char *path, const struct model *model,
                     const struct settings *settings);

// ---- best.c -------------------------------------------------------------------------------

struct best {
    double accuracy; // share of correct tokens, 0 to 1
    double error;    // standard error; 0 if counted exactly
};

// The best expected share of correct tokens for any model with the same information as this
// one: at position t, and over all positions.
struct best best_at(const struct settings *settings, size_t t);
struct best best_possible(const struct settings *settings);

// ---- the tables -------------------------------------------------------------------------------

// The first lines of a --log and a --map-log.
extern const char log_header[], map_log_header[];

// ---- maps.c -------------------------------------------------------------------------------

// The attention weights (L, NH, T, T) of one sequence (T), computed by model_forward.
const float *maps_compute(struct model *model, const size_t *sequence);

// Collects the maps of chosen steps and writes them as one table.
struct map_log {
    float *weights; // (steps, L, NH, T, T)
    size_t *steps, count, room;
    size_t each;           // L NH T T
    struct kept_rows kept; // rows of an earlier run
};
void map_log_new(struct map_log *log, size_t room, const struct model_shape *shape);
void map_log_add(struct map_log *log, size_t step, const float *weights);
bool map_log_write(const struct map_log *log, const char *path, const size_t *sequence,
                   const struct model_shape *shape);
void map_log_free(struct map_log *log);

// Prints every head on the terminal.
void maps_print(const float *weights, const size_t *sequence, size_t step,
                const struct model_shape *shape);

#endif
