// main.c - a training run, from scratch or from a checkpoint.
//
//     build/train --task reverse --steps 1000 --maps
//     build/train --save run.safetensors            Ctrl-C
//     build/train --resume run.safetensors --save run.safetensors
//
// The generator, seeded once, draws in this order: the initial weights, the training
// sequences, and then, step by step, the uniforms for dropout. Accuracy is measured on the
// sequences that would have followed the training sequences. So every loss equals that of a
// PyTorch program that draws in the same order (datasets/lab06.py), with or without
// dropout.
//
// All memory is allocated before the first step. Start reading at main.

#define _POSIX_C_SOURCE 200809L

#include "programs/train/train.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "07_positional_encoding/positions.h"
#include "common/blas_core.h"
#include "common/plural.h"
#include "common/replace.h"
#include "common/tensor_file.h"
#include "common/timer.h"
#ifdef TRAIN_GPU // compiled a second time for build/train --gpu
#include "programs/train_gpu/train_gpu.h"
#endif

const char log_header[] = "step\tloss\taccuracy\n";
const char map_log_header[] =
    "step\tblock\thead\tquery\tkey\tweight\tquery_token\tkey_token\n";

// ---- a run --------------------------------------------------------------------------------

struct run {
    struct options options;
    struct model model;
    size_t *data;       // (rows, T)
    size_t *held_out;   // (held_out, T)
    size_t *answers;    // (B, T): targets for a batch of held_out
    size_t first;       // the step before the first of this run
    float *losses;      // (last - first)
    double *accuracies; // (last - first + 1): accuracy after each step; NAN: not measured
    double accuracy;    // the last accuracy measured
    size_t saved;       // the step of the last checkpoint written
    bool has_saved;
    struct kept_rows kept; // rows of the log that an earlier run wrote
    struct map_log maps;
    size_t next_map; // of options.map_steps
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

// tokens (rows, T), as torch.randint(0, V, (rows, T))
static size_t *draw_tokens(struct lab_rng *rng, size_t rows, const struct model_shape *s)
{
    int64_t *drawn = allocate(rows * s->T, sizeof *drawn);
    size_t *tokens = allocate(rows * s->T, sizeof *tokens);
    lab_status status = lab_rng_randint(rng, drawn, 0, (int64_t)s->V, rows * s->T);
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s", lab_status_message(status));
    }
    for (size_t i = 0; i < rows * s->T; i++) {
        tokens[i] = (size_t)drawn[i];
    }
    free(drawn);
    return tokens;
}

// Rows that an earlier run wrote stay, and its maps are not computed again.
static void keep_tables(struct run *run)
{
    const struct options *o = &run->options;
    struct kept_rows *maps = &run->maps.kept;
    if (o->resume != NULL && o->log != NULL) {
        run->kept = kept_log_read(o->log, log_header, run->first);
    }
    if (o->resume != NULL && o->map_log != NULL) {
        *maps = kept_rows_read(o->map_log, map_log_header, run->first);
    }
    while (run->next_map < o->map_count &&
           (o->map_steps[run->next_map] < run->first ||
            (maps->text != NULL && o->map_steps[run->next_map] <= maps->last))) {
        run->next_map++;
    }
}

// The table of sinusoidal positions is an exercise of lab 7.
static void compute_positions(struct model *model)
{
    const struct model_shape *s = &model->shape;
    if (s->positions != POSITIONS_SINUSOIDAL) {
        return;
    }
    lab_status status = sinusoidal_encoding(model->params.position_table, s->T_max, s->C);
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED,
                   "--positions sinusoidal calls 7.1 sinusoidal_encoding: %s; see make "
                   "check LAB=7",
                   lab_status_message(status));
    }
}

static void run_new(struct run *run)
{
    const struct options *o = &run->options;
    const struct model_shape *s = &o->settings.shape;
    struct lab_rng rng;
    lab_rng_seed(&rng, o->settings.seed);
    lab_status status = model_new(&run->model, s);
    if (status == LAB_OK) {
        status = model_start(&run->model, &rng);
    }
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s", lab_status_message(status));
    }
    compute_positions(&run->model);
    run->data = draw_tokens(&rng, o->settings.rows, s);
    run->model.rng = rng; // dropout continues from here
    run->held_out = draw_tokens(&rng, o->held_out, s);
    run->answers = allocate(s->B * s->T, sizeof *run->answers);

    if (o->resume != NULL) {
        checkpoint_load(&run->model, o->resume);
    }
    run->first = run->model.step;
    if (run->first > o->steps) {
        train_fail(TRAIN_USAGE, "%s: is at step %zu, and --steps %zu is before that",
                   o->resume, run->first, o->steps);
    }
    const size_t steps = o->steps - run->first;
    run->losses = allocate(steps, sizeof *run->losses);
    run->accuracies = allocate(steps + 1, sizeof *run->accuracies);
    for (size_t i = 0; i <= steps; i++) {
        run->accuracies[i] = NAN;
    }
    map_log_new(&run->maps, o->map_log != NULL ? o->map_count : 0, s);
    keep_tables(run);
}

static void run_free(struct run *run)
{
    model_free(&run->model);
    free(run->data);
    free(run->held_out);
    free(run->answers);
    free(run->losses);
    free(run->accuracies);
    free(run->kept.text);
    map_log_free(&run->maps);
}

// ---- measuring ----------------------------------------------------------------------------

// The share of correct tokens in the held-out sequences, without dropout.
static double measure(struct run *run)
{
    const struct settings *settings = &run->options.settings;
    struct model *m = &run->model;
    struct model_shape some = m->shape;
    const size_t R = run->options.held_out, T = some.T, V = some.V;
    size_t right = 0;
    for (size_t first = 0; first < R; first += some.B) {
        some.B = R - first < some.B ? R - first : some.B;
        const size_t *inputs = run->held_out + first * T;
        lab_status status =
            make_targets(run->answers, inputs, settings->task, some.B, T, V);
        if (status == LAB_OK) {
            status = model_forward(NULL, &m->activations, &m->params, inputs, NULL, NULL,
                                   &some);
        }
        if (status != LAB_OK) {
            train_fail(TRAIN_FAILED, "while measuring the accuracy: %s",
                       lab_status_message(status));
        }
        right += count_right(m->activations.logits, run->answers, some.B * T, V);
    }
    return (double)right / (double)(R * T);
}

static bool all_finite(const float *x, size_t n)
{
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

// ---- files --------------------------------------------------------------------------------

// Also writes the row of step 0, unless an earlier run wrote it.
static void put_log(FILE *file, const void *context)
{
    const struct run *run = context;
    for (size_t i = run->kept.text != NULL; i <= run->model.step - run->first; i++) {
        fprintf(file, "%zu\t", run->first + i);
        if (i == 0) {
            fprintf(file, "nan"); // step 0 has an accuracy but no loss
        } else {
            fprintf(file, "%.9g", (double)run->losses[i - 1]);
        }
        fprintf(file, "\t%.6g\n", run->accuracies[i]);
    }
}

// Returns the name of a file that could not be written (errno holds the reason), or NULL.
static const char *write_tables(const struct run *run)
{
    const struct options *o = &run->options;
    if (o->log != NULL && !table_write(o->log, log_header, &run->kept, put_log, run)) {
        return o->log;
    }
    if (o->map_log != NULL &&
        !map_log_write(&run->maps, o->map_log, run->held_out, &o->settings.shape)) {
        return o->map_log;
    }
    return NULL;
}

static void diverged(struct run *run, size_t step, float loss)
{
    const struct options *o = &run->options;
    char kept[600] = "";
    if (run->has_saved) {
        snprintf(kept, sizeof kept, "; %.500s still holds step %zu", o->save, run->saved);
    }
    progress_end(&run->progress);
    (void)write_tables(run); // try to save the losses so far, but report this error
    train_fail(
        TRAIN_DIVERGED,
        "step %zu: the loss is %g: training diverged; when every exercise passes (make "
        "check LAB=6), a smaller --lr than %g, or --clip 1, may help%s",
        step, fabs((double)loss), o->settings.training.adam.lr, kept);
}

// Never replaces a good checkpoint by one with values that are not finite.
static void save(struct run *run)
{
    const struct options *o = &run->options;
    const struct model *m = &run->model;
    char error[LAB_TENSOR_ERROR];
    if (o->save == NULL || (run->has_saved && run->saved == m->step)) {
        return;
    }
    if (!all_finite(m->param, m->P) || !all_finite(m->m, m->P) ||
        !all_finite(m->v, m->P)) {
        diverged(run, m->step, NAN);
    }
    if (!checkpoint_save(error, o->save, m, &o->settings)) {
        progress_end(&run->progress);
        train_fail(TRAIN_FAILED, "no checkpoint was written: %s", error);
    }
    run->has_saved = true;
    run->saved = m->step;
}

static void save_model(struct run *run)
{
    const struct options *o = &run->options;
    char error[LAB_TENSOR_ERROR];
    if (!all_finite(run->model.param, run->model.P)) {
        diverged(run, run->model.step, NAN);
    }
    if (!task_model_save(error, o->model, &run->model, &o->settings)) {
        progress_end(&run->progress);
        train_fail(TRAIN_FAILED, "no model was written: %s", error);
    }
}

// Write the tables first. Then they contain every step up to the checkpoint, even if the
// run is interrupted here.
static void save_all(struct run *run)
{
    const char *failed = write_tables(run);
    const int why = errno;
    save(run);
    if (failed != NULL) {
        progress_end(&run->progress);
        train_fail(TRAIN_FAILED, "cannot write %s: %s", failed, strerror(why));
    }
}

// ---- the steps ----------------------------------------------------------------------------

static bool map_is_due(const struct run *run)
{
    const struct options *o = &run->options;
    return o->map_log != NULL && run->next_map < o->map_count &&
           o->map_steps[run->next_map] == run->model.step;
}

static bool measure_is_due(const struct run *run)
{
    const size_t step = run->model.step;
    return step % run->options.every == 0 || step == run->options.steps ||
           step == run->first;
}

// A loss this many times larger than that of guessing will not recover.
static const double hopeless = 1000;

// The work between two steps, after step model.step: measure, save, report.
static void between_steps(struct run *run)
{
    const struct options *o = &run->options;
    const size_t done = run->model.step - run->first;
    const bool measured = measure_is_due(run);
    if (measured) {
        run->accuracy = measure(run);
        run->accuracies[done] = run->accuracy;
    }
    if (map_is_due(run)) {
        map_log_add(&run->maps, run->model.step,
                    maps_compute(&run->model, run->held_out));
        run->next_map++;
    }
    if (run->model.step % o->save_every == 0 && done > 0) {
        save_all(run);
    }
    if (done > 0) {
        char figures[64];
        snprintf(figures, sizeof figures, "loss %8.5f  right %5.1f%%",
                 (double)run->losses[done - 1], 100 * run->accuracy);
        progress_show(&run->progress, run->model.step, figures, measured);
    }
}

static size_t earlier(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The number of steps until the next measurement or checkpoint.
static size_t steps_ahead(const struct run *run, size_t chunk)
{
    const struct options *o = &run->options;
    const size_t step = run->model.step;
    size_t next = earlier(o->steps, step + chunk);
    next = earlier(next, (step / o->every + 1) * o->every);
    next = earlier(next, (step / o->save_every + 1) * o->save_every);
    if (o->map_log != NULL && run->next_map < o->map_count) {
        next = earlier(next, o->map_steps[run->next_map]);
    }
    return next - step;
}

// Which function trains, and which command shows why it failed.
#ifdef TRAIN_GPU
static __typeof__(train) *const loop = train_gpu;
static const char loop_name[] = "the step on the GPU", loop_check[] = "make check GPU=1";
#else
static __typeof__(train) *const loop = train;
static const char loop_name[] = "6.14 train", loop_check[] = "make check LAB=6";
#endif

static void take_steps(struct run *run, size_t steps)
{
    const struct settings *s = &run->options.settings;
    struct model *m = &run->model;
    const size_t before = m->step;
    float *losses = run->losses + (before - run->first);
    lab_status status = loop(losses, m, run->data, s->task, s->rows, &s->training, steps);
    const size_t taken = m->step - before;
    if (status == LAB_EVALUE && taken < steps && !isfinite(losses[taken])) {
        diverged(run, m->step + 1, losses[taken]);
    }
    for (size_t i = 0; i < taken && i < steps; i++) {
        if (!(losses[i] < hopeless * log((double)s->shape.V))) {
            diverged(run, before + i + 1, losses[i]);
        }
    }
    if (status != LAB_OK || taken != steps) {
        progress_end(&run->progress);
        train_fail(TRAIN_FAILED, "step %zu: %s: %s, after %zu of %zu steps; see %s",
                   m->step + 1, loop_name, lab_status_message(status), taken, steps,
                   loop_check);
    }
}

// Calls train() for a fraction of a second at a time, so that the display and Ctrl-C stay
// responsive.
static void take_all_steps(struct run *run)
{
    static const double patience = 0.05; // seconds
    size_t chunk = 1;
    while (run->model.step < run->options.steps && !run_interrupted) {
        const double start = lab_seconds();
        const size_t steps = steps_ahead(run, chunk);
        take_steps(run, steps);
        const double took = lab_seconds() - start;
        run->progress.busy += took;
        if (took < patience / 2 && chunk < 1024) {
            chunk *= 2;
        } else if (took > patience && chunk > 1) {
            chunk /= 2;
        }
        between_steps(run);
    }
}

// ---- words --------------------------------------------------------------------------------

static void print_head(const struct run *run)
{
    const struct settings *s = &run->options.settings;
    const struct model_shape *shape = &s->shape;
    const struct best best = best_possible(s);
    printf("task %s: %zu tokens out of %zu\n", task_name(s->task), shape->T, shape->V);
    printf("model: width %zu, %zu head%s of %zu, %zu block%s, %zu parameters%s\n",
           shape->C, shape->NH, shape->NH == 1 ? "" : "s", shape->C / shape->NH, shape->L,
           shape->L == 1 ? "" : "s", run->model.P,
           shape->causal ? ", causal" : ", no mask");
    printf("guessing: loss %.4f, right %.1f%%; the best possible: right %.1f%%",
           log((double)shape->V), 100.0 / (double)shape->V, 100 * best.accuracy);
    if (best.error > 0) {
        printf(" (±%.1f, drawn)", 100 * best.error);
    }
    printf("\n");
    if (run->options.resume != NULL) {
        printf("continuing after step %zu of %s\n", run->first, run->options.resume);
    }
}

static void print_best(const struct settings *settings)
{
    const struct best best = best_possible(settings);
    printf("position\tbest\tstandard error\n");
    for (size_t t = 0; t < settings->shape.T; t++) {
        const struct best at = best_at(settings, t);
        printf("%zu\t%.6f\t%.6f\n", t, at.accuracy, at.error);
    }
    printf("all\t%.6f\t%.6f\n", best.accuracy, best.error);
}

static void print_end(const struct run *run)
{
    const struct options *o = &run->options;
    const size_t done = run->model.step - run->first;
    if (run_interrupted) {
        printf("stopped after step %zu", run->model.step);
        if (o->save != NULL) {
            printf("; to go on: build/train --resume %s --save %s --steps %zu", o->save,
                   o->save, o->steps);
        }
        printf("\n");
    } else {
        printf(
            "%zu step%s: right %.2f%% of the tokens of %zu sequence%s it has not seen\n",
            done, plural((double)done), 100 * run->accuracy, o->held_out,
            plural((double)o->held_out));
    }
    if (run->has_saved) {
        printf("saved %s\n", o->save);
    }
    if (o->model != NULL && !run_interrupted) {
        printf("wrote the model to %s\n", o->model);
    }
    if (o->save == NULL && (o->model == NULL || run_interrupted)) {
        printf("the model was not saved; --save FILE keeps it%s\n",
               run_interrupted ? ", also at Ctrl-C" : "");
    }
}

static void finish(struct run *run)
{
    const struct options *o = &run->options;
    progress_end(&run->progress);
    save_all(run);
    if (o->model != NULL && !run_interrupted) {
        save_model(run);
    }
    if (!o->quiet) {
        print_end(run);
    }
    if (o->maps) {
        maps_print(maps_compute(&run->model, run->held_out), run->held_out,
                   run->model.step, &o->settings.shape);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        train_fail(TRAIN_FAILED, "the standard output: %s", strerror(errno));
    }
}

int main(int argc, char **argv)
{
    lab_blas_core_use(argv);
    struct run run = {0};
    struct options *o = &run.options;
    options_read(o, argc, argv);
    if (o->best) {
        print_best(&o->settings);
        return fflush(stdout) == 0 ? 0 : TRAIN_FAILED;
    }

    openblas_set_num_threads(1); // for small products, two threads are slower than one
    probe_exercises(&o->settings);
    run_check_writable(o->save);
    run_check_writable(o->model);
    run_check_writable(o->log);
    run_check_writable(o->map_log);
    run_new(&run);
    if (o->every == 0) {
        o->every = o->steps > run.first + 20 ? (o->steps - run.first) / 20 : 1;
    }
    if (!o->quiet) {
        print_head(&run);
    }
    run_catch_interrupts();
    run.progress = progress_start(o->quiet, run.first, o->steps);
    between_steps(&run); // before the first step
    take_all_steps(&run);
    finish(&run);

    const int status = run_interrupted ? TRAIN_INTERRUPTED : 0;
    run_free(&run);
    return status;
}
