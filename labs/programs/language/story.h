// story.h - the programs of lab 8: build/train --lab 8 trains a language model on a text,
// build/generate lets it write. Every number comes from the lab's functions.
//
//   corpus.c      a text file as tokens
//   saved.c       a model in a file, and back
//   options.c     what the command line of the trainer says
//   train.c       the training run; start reading there
//   generate.c    the other program
//
// A run that is stopped and resumed gives the numbers of one that was not.

#ifndef LAB_STORY_H
#define LAB_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "08_language_model/language_model.h"
#include "common/language.h"
#include "programs/train/run.h"

// What is learned when --data is not given.
#define STORIES "build/data/stories/train.txt"

// ---- corpus.c -----------------------------------------------------------------------------

// The bytes that a model knows; a token is an index into them.
struct alphabet {
    uint8_t bytes[256];
    size_t V;
};

struct corpus {
    size_t *stream; // (N)
    size_t N;
};

// Reads a whole file; the caller frees *text. Leaves the program if it cannot be read, is shorter
// than `least` bytes, or is larger than 1 GB.
void corpus_read(uint8_t **text, size_t *size, const char *path, size_t least);

// Text to tokens. Leaves the program, naming path, the line and the byte, at the first byte that
// the alphabet does not have.
struct corpus corpus_encode(const uint8_t *text, size_t size,
                            const struct alphabet *alphabet, const char *path);

// One byte as a person reads it: 'a', "newline", "byte 0xC3". text has room for 16.
void corpus_name_byte(char text[16], uint8_t byte);

// ---- saved.c ------------------------------------------------------------------------------

// What a training run depends on. All of it is in a checkpoint.
struct story_settings {
    struct language_shape shape;
    double lr;            // the peak; falls to a tenth of it
    float max_norm;       // clip_grad_norm's; 0: no clipping
    double weight_decay;  // AdamW's
    size_t warmup, total; // steps of the schedule
    size_t seed;
};

// Writes the parameters as bfloat16, and the alphabet: what build/generate reads.
// false: error(LAB_TENSOR_ERROR) says why; an older file stays.
bool model_save(char *error, const char *path, const struct language *model,
                const struct story_settings *settings, const struct alphabet *alphabet);

// Writes a whole run: parameters in float32, moments, step and generator as well.
bool run_save(char *error, const char *path, const struct language *model,
              const struct story_settings *settings, const struct alphabet *alphabet);

// The settings and the alphabet of either file. Leaves the program if it cannot be read.
void saved_settings(struct story_settings *settings, struct alphabet *alphabet,
                    const char *path);

// The parameters of either file; model was made for its shape.
void saved_parameters(struct language *model, const char *path);

// Moments, step and generator. Leaves the program if the file is a model without them.
void saved_run(struct language *model, const char *path);

// ---- options.c ----------------------------------------------------------------------------

struct story_options {
    struct story_settings settings;
    struct alphabet alphabet; // of --resume
    size_t steps;             // the last step's number
    size_t every;             // steps from one measurement to the next
    size_t save_every, sample_every;
    size_t held_out; // tokens that the held-out loss is measured on
    double entropy;  // of the text's source, nats a character; 0: not known
    const char *data, *held_out_file;        // text files; the second may be NULL
    const char *save, *resume, *log, *model; // files, or NULL
    const char *prompt;                      // of the samples
    bool quiet;
};

void story_options_read(struct story_options *options, int argc, char **argv);

// Leaves the program unless the settings make a model that fits into the memory.
void story_settings_check(const struct story_settings *settings, int status,
                          const char *where);

#endif
