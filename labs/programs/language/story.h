// story.h - the programs of lab 8: build/train --lab 8 trains a language model on a text, and
// build/generate continues a text with it. Every number comes from the lab's functions.
//
//   corpus.c      a text file as tokens
//   saved.c       a model in a file, and back
//   options.c     the trainer's command line
//   train.c       the training run; start reading there
//   generate.c    the other program
//
// A run that is stopped and resumed gives the same numbers as one without a stop.

#ifndef LAB_STORY_H
#define LAB_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "08_language_model/language_model.h"
#include "common/language.h"
#include "programs/train/run.h"

// The text to learn if --data is not given.
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

// Reads a whole file; the caller frees *text. Exits if the file cannot be read, is shorter than
// `least` bytes, or is larger than 1 GB.
void corpus_read(uint8_t **text, size_t *size, const char *path, size_t least);

// Text to tokens. If a byte is not in the alphabet, exits with this status and says where: path, which
// may be an option, and the line.
struct corpus corpus_encode(const uint8_t *text, size_t size,
                            const struct alphabet *alphabet, int exit_status,
                            const char *path);

// The tokens that a text begins with. prompt NULL: a newline, or the first byte of the alphabet if it
// has no newline. Exits if a byte of --prompt is not in the alphabet.
struct corpus corpus_prompt(const char *prompt, const struct alphabet *alphabet);

// The character of stream[at], of size bytes, in readable form: 'a', 'é', "a newline"; "byte 0xC3" where it
// is not UTF-8. text has room for 16.
void corpus_name_character(char text[16], const uint8_t *stream, size_t at, size_t size);

// ---- saved.c ------------------------------------------------------------------------------

// The settings of a training run. A checkpoint contains all of them.
struct story_settings {
    struct language_shape shape;
    double lr;            // the peak; the rate falls to a tenth of it
    float max_norm;       // clip_grad_norm's; 0: no clipping
    double weight_decay;  // AdamW's
    size_t warmup, total; // steps of the schedule
    size_t seed;
};

// Writes the parameters as bfloat16 and the alphabet, for build/generate. false:
// error(LAB_TENSOR_ERROR) has the reason, and an older file is unchanged.
bool model_save(char *error, const char *path, const struct language *model,
                const struct story_settings *settings, const struct alphabet *alphabet);

// Writes a whole run: also the parameters in float32, the moments, step and generator.
bool run_save(char *error, const char *path, const struct language *model,
              const struct story_settings *settings, const struct alphabet *alphabet);

// Reads the settings and the alphabet of either file. Exits if it cannot.
void saved_settings(struct story_settings *settings, struct alphabet *alphabet,
                    const char *path);

// Reads the parameters of either file; model has its shape.
void saved_parameters(struct language *model, const char *path);

// Reads the moments, step and generator. Exits if the file is a model without them.
void saved_run(struct language *model, const char *path);

// ---- options.c ----------------------------------------------------------------------------

struct story_options {
    struct story_settings settings;
    struct alphabet alphabet; // of --resume
    size_t steps;             // the last step's number
    size_t every;             // steps from one measurement to the next
    size_t save_every, sample_every;
    size_t held_out; // tokens that the held-out loss is measured on
    size_t threads;  // not part of the settings: a run may continue with another number
    double entropy;  // entropy of the text, in nats per character; 0: not known
    const char *data, *held_out_file;        // text files; the second may be NULL
    const char *save, *resume, *log, *model; // files, or NULL
    const char *prompt; // of the samples; NULL: as corpus_prompt says
    bool quiet;
};

void story_options_read(struct story_options *options, int argc, char **argv);

// Exits unless the settings give a model that fits into memory.
void story_settings_check(const struct story_settings *settings, int status,
                          const char *where);

#endif
