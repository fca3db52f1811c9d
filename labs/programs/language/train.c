// train.c - trains lab 8's language model on a text, with the code it was built with.
//
//     build/train --lab 8 --save run.safetensors --model story.safetensors
//     build/train --lab 8 --resume run.safetensors --save run.safetensors
//
// The generator, started from the seed, draws the first weights, and then, step by step, where
// in the text the sequences of a batch begin. Samples use separate generators, so they do not
// change the run. All memory is allocated before the first step. Start reading at main.

#define _POSIX_C_SOURCE 200809L

#include "programs/language/story.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"
#include "common/blas_core.h"
#include "common/parallel.h"
#include "common/tensor_file.h"
#include "common/timer.h"

static const char log_header[] = "step\tloss\theld_out\n";

enum { SAMPLE = 240 }; // characters

struct run {
    struct story_options options;
    struct alphabet alphabet;
    struct corpus text, held_out;
    struct language model;
    size_t first;  // the step before the first of this run
    float *losses; // (last - first)
    // (last - first + 1): the held-out loss after each step; NAN: not measured
    double *measured;
    double held_out_loss; // the last one measured
    size_t measured_at;   // its step
    size_t saved;         // the step of the last checkpoint written
    bool has_saved;
    struct kept_rows kept; // rows of the log that an earlier run wrote
    struct progress progress;
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        train_fail(TRAIN_FAILED, "out of memory: %zu times %zu bytes", count, size);
    }
    return memory;
}

static void need(lab_status status, const char *what)
{
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s: %s; see make check LAB=8", what,
                   lab_status_message(status));
    }
}

// ---- the text -----------------------------------------------------------------------------

// The held-out text is a separate file, or the last tenth of the data.
static void read_texts(struct run *run)
{
    const struct story_options *o = &run->options;
    const size_t T = o->settings.shape.T;
    uint8_t *text, *other;
    size_t size, other_size;
    corpus_read(&text, &size, o->data, T + 1);
    if (o->resume != NULL) {
        run->alphabet = o->alphabet;
    } else {
        need(vocabulary(run->alphabet.bytes, &run->alphabet.V, text, size),
             "8.1 vocabulary");
    }
    if (o->held_out_file != NULL) {
        corpus_read(&other, &other_size, o->held_out_file, 2);
        run->held_out = corpus_encode(other, other_size, &run->alphabet, TRAIN_FAILED,
                                      o->held_out_file);
        free(other);
    } else {
        other_size = size / 10;
        size -= other_size;
        if (size < T + 1 || other_size < 2) {
            train_fail(
                TRAIN_FAILED,
                "%s is too short: nine tenths of it must be longer than %zu characters "
                "(--length), and the last tenth is held out",
                o->data, T);
        }
        run->held_out =
            corpus_encode(text + size, other_size, &run->alphabet, TRAIN_FAILED, o->data);
    }
    run->text = corpus_encode(text, size, &run->alphabet, TRAIN_FAILED, o->data);
    run->held_out.N = run->held_out.N < o->held_out ? run->held_out.N : o->held_out;
    free(text);
}

static struct corpus encode_prompt(const struct run *run)
{
    return corpus_prompt(run->options.prompt, &run->alphabet);
}

// ---- a run --------------------------------------------------------------------------------

static void run_new(struct run *run)
{
    struct story_options *o = &run->options;
    struct lab_rng rng;
    read_texts(run);
    free(encode_prompt(run).stream); // a wrong one is refused before the training
    o->settings.shape.V = run->alphabet.V;
    story_settings_check(&o->settings, TRAIN_USAGE, "");
    lab_rng_seed(&rng, o->settings.seed);
    need(language_new(&run->model, &o->settings.shape, true), "the model");
    need(language_start(&run->model, &rng), "the first weights");
    if (o->resume != NULL) {
        saved_run(&run->model, o->resume);
    }
    run->first = run->model.step;
    if (run->first > o->steps) {
        train_fail(TRAIN_USAGE, "%s is at step %zu, and --steps %zu is before that",
                   o->resume, run->first, o->steps);
    }
    const size_t steps = o->steps - run->first;
    run->losses = allocate(steps, sizeof *run->losses);
    run->measured = allocate(steps + 1, sizeof *run->measured);
    for (size_t i = 0; i <= steps; i++) {
        run->measured[i] = NAN;
    }
    if (o->resume != NULL && o->log != NULL) {
        run->kept = kept_log_read(o->log, log_header, run->first);
    }
    if (o->every == 0) {
        o->every = steps > 20 ? steps / 20 : 1;
    }
}

static void run_free(struct run *run)
{
    language_free(&run->model);
    free(run->text.stream);
    free(run->held_out.stream);
    free(run->losses);
    free(run->measured);
    free(run->kept.text);
}

// ---- files --------------------------------------------------------------------------------

// Also writes the row of step 0, unless an earlier run wrote it.
static void put_log(FILE *file, const void *context)
{
    const struct run *run = context;
    for (size_t i = run->kept.text != NULL; i <= run->model.step - run->first; i++) {
        const double loss = i == 0 ? NAN : (double)run->losses[i - 1];
        fprintf(file, "%zu\t%.9g\t%.9g\n", run->first + i, loss, run->measured[i]);
    }
}

static bool write_log(const struct run *run)
{
    const char *path = run->options.log;
    return path == NULL || table_write(path, log_header, &run->kept, put_log, run);
}

static void diverged(struct run *run, size_t step, double loss)
{
    const struct story_options *o = &run->options;
    char kept[600] = "";
    if (run->has_saved) {
        snprintf(kept, sizeof kept, "; %.500s still holds step %zu", o->save, run->saved);
    }
    progress_end(&run->progress);
    (void)write_log(run); // try to save the losses so far, but report this error
    train_fail(
        TRAIN_DIVERGED,
        "step %zu: the loss is %g: training diverged; if every exercise passes (make "
        "check LAB=8), try a smaller --lr than %g%s",
        step, fabs(loss), o->settings.lr, kept);
}

static bool all_finite(const float *x, size_t n)
{
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

// Write the log first. Then it contains every step up to the checkpoint, even if the run is
// interrupted here.
static void save(struct run *run)
{
    const struct story_options *o = &run->options;
    const struct language *m = &run->model;
    char error[LAB_TENSOR_ERROR];
    if (!write_log(run)) {
        const int why = errno;
        progress_end(&run->progress);
        train_fail(TRAIN_FAILED, "cannot write %s: %s", o->log, strerror(why));
    }
    if (o->save == NULL || (run->has_saved && run->saved == m->step)) {
        return;
    }
    if (!all_finite(m->param, m->P) || !all_finite(m->m, m->P) ||
        !all_finite(m->v, m->P)) {
        diverged(run, m->step, NAN); // a good checkpoint stays
    }
    if (!run_save(error, o->save, m, &o->settings, &run->alphabet)) {
        progress_end(&run->progress);
        train_fail(TRAIN_FAILED, "no checkpoint was written: %s", error);
    }
    run->has_saved = true;
    run->saved = m->step;
}

// ---- samples ------------------------------------------------------------------------------

// The text that the model writes after the prompt; the same for the same step and seed.
static void print_sample(struct run *run)
{
    const struct story_options *o = &run->options;
    const struct language *m = &run->model;
    const struct sampling sampling = {.temperature = 0.8f, .top_p = 0.95f};
    struct corpus begin = encode_prompt(run);
    const size_t prompt = begin.N, N = prompt + SAMPLE;
    uint8_t *text = allocate(N, 1);
    float *uniforms = allocate(SAMPLE, sizeof *uniforms);
    float *probabilities = allocate(run->alphabet.V, sizeof *probabilities);
    size_t *order = allocate(run->alphabet.V, sizeof *order);
    struct lab_rng rng;
    size_t *tokens = allocate(N, sizeof *tokens);
    memcpy(tokens, begin.stream, prompt * sizeof *tokens);
    lab_rng_seed(&rng, o->settings.seed + 1);
    lab_rng_rand(&rng, uniforms, SAMPLE);
    need(generate(tokens, &m->activations, &m->params, probabilities, order, uniforms,
                  &sampling, prompt, SAMPLE, &m->shape),
         "8.11 generate");
    need(decode(text, tokens, run->alphabet.bytes, N, run->alphabet.V), "8.1 decode");
    progress_end(&run->progress);
    printf("---- step %zu writes\n", m->step);
    fwrite(text, 1, N, stdout); // it may contain a byte 0
    printf("\n----\n");
    fflush(stdout); // into a pipe, too, before the next step
    free(text);
    free(uniforms);
    free(probabilities);
    free(order);
    free(begin.stream);
    free(tokens);
}

// ---- the steps ----------------------------------------------------------------------------

static void draw_batch(struct run *run)
{
    struct language *m = &run->model;
    const struct language_shape *s = &m->shape;
    for (size_t b = 0; b < s->B; b++) {
        m->offsets[b] = (size_t)lab_rng_int(&m->rng, 0, (int64_t)(run->text.N - s->T));
    }
    need(shifted_batch(m->inputs, m->targets, run->text.stream, m->offsets, run->text.N,
                       s->B, s->T),
         "8.2 shifted_batch");
}

static void update(struct run *run)
{
    const struct story_settings *s = &run->options.settings;
    struct language *m = &run->model;
    const struct adam peak = {s->lr, 0.9, 0.999, 1e-8, s->weight_decay};
    struct adam adam = peak;
    float norm, lr;
    if (s->max_norm > 0) {
        need(clip_grad_norm(&norm, m->grad, s->max_norm, m->P), "6.13 clip_grad_norm");
    }
    need(learning_rate(&lr, m->step + 1, s->warmup, s->total, (float)s->lr,
                       (float)s->lr / 10),
         "6.13 learning_rate");
    adam.lr = (double)lr;
    need(adam_step(m->param, m->m, m->v, m->grad, &adam, m->step + 1, m->P),
         "6.12 adam_step");
}

static void take_step(struct run *run)
{
    static const double hopeless =
        1000; // A loss this many times larger than that of guessing will not recover.
    struct language *m = &run->model;
    float *loss = &run->losses[m->step - run->first];
    draw_batch(run);
    need(language_forward(loss, &m->activations, &m->params, m->inputs, m->targets,
                          &m->shape),
         "8.7 language_forward");
    if (!(*loss < hopeless * log((double)m->shape.V + 1))) {
        diverged(run, m->step + 1, (double)*loss);
    }
    memset(m->grad, 0, m->P * sizeof *m->grad);
    need(language_backward(&m->grads, &m->gradients, &m->activations, &m->params,
                           m->inputs, m->targets, &m->shape),
         "8.8 language_backward");
    update(run);
    m->step++;
}

static void measure(struct run *run)
{
    const struct language *m = &run->model;
    need(held_out_loss(&run->held_out_loss, &m->activations, &m->params,
                       run->held_out.stream, run->held_out.N, &m->shape),
         "8.9 held_out_loss");
    run->measured[m->step - run->first] = run->held_out_loss;
    run->measured_at = m->step;
}

// The work between two steps, after step model.step.
static void between_steps(struct run *run)
{
    const struct story_options *o = &run->options;
    const size_t step = run->model.step, done = step - run->first;
    const bool due = step % o->every == 0 || step == o->steps || done == 0;
    char figures[80];
    if (due) {
        measure(run);
    }
    if (step % o->save_every == 0 && done > 0) {
        save(run);
    }
    if (done > 0) {
        snprintf(figures, sizeof figures, "loss %.4f  held out %.4f",
                 (double)run->losses[done - 1], run->held_out_loss);
        progress_show(&run->progress, step, figures, due);
    }
    if (!o->quiet && o->sample_every > 0 &&
        (step % o->sample_every == 0 || step == o->steps)) {
        print_sample(run);
    }
}

// ---- words --------------------------------------------------------------------------------

static void print_head(const struct run *run)
{
    const struct language_shape *s = &run->model.shape;
    printf("text: %zu characters, %zu different\n"
           "model: width %zu, %zu head%s of %zu, %zu block%s, %zu parameters\n",
           run->text.N, s->V, s->C, s->NH, s->NH == 1 ? "" : "s", s->C / s->NH, s->L,
           s->L == 1 ? "" : "s", run->model.P);
    printf("guessing: loss %.4f", log((double)s->V));
    if (run->options.entropy > 0) {
        printf("; the text itself: %.4f", run->options.entropy);
    }
    printf("\n");
    if (run->first > 0) {
        printf("continuing after step %zu\n", run->first);
    }
}

static void print_end(const struct run *run)
{
    const struct story_options *o = &run->options;
    double bits, choices;
    need(bits_per_character(&bits, run->held_out_loss), "8.9 bits_per_character");
    need(perplexity(&choices, run->held_out_loss), "8.9 perplexity");
    if (run_interrupted) {
        printf("stopped after step %zu\nheld-out loss at step %zu: ", run->model.step,
               run->measured_at);
    } else {
        printf("done: step %zu: held-out loss ", run->model.step);
    }
    printf("%.4f nats, %.4f bits a character, perplexity %.3f\n", run->held_out_loss,
           bits, choices);
    if (o->save != NULL) {
        printf("checkpoint: %s\n", o->save);
    }
    if (o->model != NULL) {
        printf("model: %s; make generate ARGS='--model %s'\n", o->model, o->model);
    }
    if (o->save == NULL && o->model == NULL) {
        printf(
            "the model was not saved; --save FILE keeps a checkpoint, --model FILE the model\n");
    }
}

static void finish(struct run *run)
{
    const struct story_options *o = &run->options;
    char error[LAB_TENSOR_ERROR];
    progress_end(&run->progress);
    save(run);
    if (o->model != NULL &&
        !model_save(error, o->model, &run->model, &o->settings, &run->alphabet)) {
        train_fail(TRAIN_FAILED, "no model was written: %s", error);
    }
    if (!o->quiet) {
        print_end(run);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        train_fail(TRAIN_FAILED, "the standard output: %s", strerror(errno));
    }
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    struct run run = {0};
    struct story_options *o = &run.options;
    story_options_read(o, argc, argv);
    openblas_set_num_threads(1); // for small products, two threads are slower than one
    lab_threads_set(o->threads);
    run_check_writable(o->save);
    run_check_writable(o->log);
    run_check_writable(o->model);
    run_new(&run);
    if (!o->quiet) {
        print_head(&run);
    }
    run_catch_interrupts();
    run.progress = progress_start(o->quiet, run.first, o->steps);
    between_steps(&run); // before the first step
    while (run.model.step < o->steps && !run_interrupted) {
        const double start = lab_seconds();
        take_step(&run);
        run.progress.busy += lab_seconds() - start;
        between_steps(&run);
    }
    finish(&run);
    run_free(&run);
    return run_interrupted ? TRAIN_INTERRUPTED : 0;
}
