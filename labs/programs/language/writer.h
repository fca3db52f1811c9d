// writer.h - the options of build/generate, the text it writes, and its two ways to draw the next
// character: without a cache and with one.
//
//   generate.c            the program
//   no_cache.c            lab 8's program has no cache
//   ../cached/writer.c    lab 9's has
//   ../cached/quantized.c   its matrices as int8

#ifndef LAB_WRITER_H
#define LAB_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "programs/language/story.h"

struct writer_options {
    const char *model, *prompt;
    float temperature, top_p;
    size_t top_k, count, seed, context, threads;
    bool int8, no_cache, quiet;
};

// A text that grows, and what it takes to draw the next token.
struct story_text {
    const struct writer_options *options;
    const struct language *model;
    struct sampling sampling;
    size_t *tokens, N;    // (prompt and options->count), the first N are there
    float *uniforms;      // (options->count), one for each new token
    float *probabilities; // (V): a workspace
    size_t *order;        // (V): another
    size_t prompt;        // tokens that were given
};

// Lab 9's way. Each function leaves the program with an error if one of lab 9's functions fails.
struct cached_writer {
    // Reads the prompt; leaves the program if it does not fit into the context.
    void (*start)(const struct story_text *text);
    // Draws and appends a token.
    void (*next)(struct story_text *text);
    // Says on stderr how it went, unless options->quiet, and frees the cache.
    void (*end)(const struct story_text *text);
};

extern const struct cached_writer *const cached_writer; // NULL in lab 8's program

#endif
