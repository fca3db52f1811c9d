// writer.c - lab 9's way to continue a text, for build/generate: with a cache.
//
// As long as the text fits into the context, a character costs one step. From then on the model reads
// only the last T characters, as lab 8's generate. Each of them then has another position and
// other tokens before it, so nothing in the cache is right any more, and each character costs a whole
// prompt.
//
// It calls prefill and decode_step itself, not 9.7's generate_cached: that function returns when the whole
// text is written, but this program prints each character at once.
//
// Start reading at next_with_cache.

#include "programs/language/writer.h"

#include <cblas.h>

#include "09_generation/generation.h"
#include "common/parallel.h"
#include "programs/cached/quantized.h"

static struct generation generation;
static struct generation_params params;
static struct quantized quantized;
static size_t threads;

static void need(lab_status status, const char *function)
{
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s: %s; see make check LAB=9", function,
                   lab_status_message(status));
    }
}

// Reads tokens from ... N - 1 into an empty cache.
static void read_from(const struct story_text *text, size_t from)
{
    generation.cache.lengths[0] = 0;
    need(prefill(generation.buffers.logits, &generation.cache, &generation.buffers,
                 &params, text->tokens + from, 0, text->N - from, &generation.shape),
         "9.3 prefill");
}

static void start(const struct story_text *text)
{
    const struct writer_options *o = text->options;
    const struct language_shape *shape = &text->model->shape;
    if (text->N > shape->T) {
        train_fail(
            TRAIN_USAGE,
            "--prompt has %zu characters, and the cache has room for %zu: --context "
            "%zu makes room, --no-cache reads only the last %zu",
            text->N, shape->T, text->N + o->count, shape->T);
    }
    if (o->threads > 0) {
        threads = lab_threads_set(o->threads);
        openblas_set_num_threads((int)threads);
    }
    if (generation_new(&generation, shape) != LAB_OK) {
        train_fail(TRAIN_FAILED, "out of memory: a cache for %zu characters", shape->T);
    }
    params = generation_params(&text->model->params);
    if (o->int8) {
        need(quantized_new(&quantized, text->model), "9.8 quantize_rows");
        params = quantized.params;
    }
    read_from(text, 0);
}

static bool is_full(void)
{
    return generation.cache.lengths[0] == generation.shape.T;
}

static void next_with_cache(struct story_text *text)
{
    const size_t T = generation.shape.T;
    if (text->N > text->prompt) { // the last token is drawn, but not yet read
        if (is_full()) {
            read_from(text, text->N - T);
        } else {
            need(decode_step(generation.buffers.logits, &generation.cache,
                             &generation.buffers, &params, &text->tokens[text->N - 1],
                             &generation.shape),
                 "9.3 decode_step");
        }
    }
    need(sample_token(&text->tokens[text->N], text->probabilities, text->order,
                      generation.buffers.logits, &text->sampling,
                      text->uniforms[text->N - text->prompt], text->model->shape.V),
         "8.10 sample_token");
    text->N++;
}

static void end(const struct story_text *text)
{
    const size_t T = generation.shape.T;
    if (!text->options->quiet && text->N > T + 1) {
        fprintf(
            stderr,
            "the context of %zu characters was full: the last %zu character%s written "
            "without the help of the cache\n",
            T, text->N - T - 1, text->N == T + 2 ? " was" : "s were");
    }
    generation_free(&generation);
    quantized_free(&quantized);
}

static const struct cached_writer writer = {start, next_with_cache, end};
const struct cached_writer *const cached_writer = &writer;
