// tasks.c - build/trained/SRC/06: two small trained models, one that copies a word and one that reverses
// it, with the functions of SRC.
//
//     make plot LAB=6 TEXT="hello world"
//     make plot LAB=6 TEXT="hello world" MASK=1     no token sees a later one
//     make plot LAB=6 TEXT="hello world" SCALE=0    without the division by sqrt(hs)
//
// The model that copies was trained with the mask, the one that reverses without it: the first half of
// its answer needs the second half of the word. Exit status: see --help. Start reading at main.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/train/train.h"
#include "programs/trained/trained.h"

enum { TASKS = 2, PATH_SIZE = 1024, LETTERS = 27 }; // a space, then a to z

static const char *const names[TASKS] = {"copy", "reverse"};

struct task_options {
    const char *models, *source, *text, *out;
    bool masked, open, scale; // masked and open: asked for by --mask and --no-mask
};

struct task_model {
    struct settings settings;
    struct model model;
};

// ---- the word --------------------------------------------------------------------------------

// Fills up with spaces to T characters.
static void read_word(char *word, size_t *tokens, const char *text, size_t T)
{
    if (text[0] == '\0' || strlen(text) > T) {
        train_fail(TRAIN_USAGE, "a text of 1 to %zu characters, please; this one has %zu",
                   T, strlen(text));
    }
    memset(word, ' ', T);
    memcpy(word, text, strlen(text));
    word[T] = '\0';
    for (size_t t = 0; t < T; t++) {
        if (word[t] != ' ' && (word[t] < 'a' || word[t] > 'z')) {
            train_fail(
                TRAIN_USAGE,
                "the models do not know character %zu of the text, only a to z and "
                "the space",
                t + 1);
        }
        tokens[t] = word[t] == ' ' ? 0 : (size_t)(word[t] - 'a' + 1);
    }
}

// ---- the models ------------------------------------------------------------------------------

static void open_model(struct task_model *m, const char *folder, size_t task)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, names[task]);
    task_model_settings(&m->settings, path);
    struct model_shape *s = &m->settings.shape;
    if (s->V != LETTERS || s->T != s->T_max || s->positions != POSITIONS_LEARNED ||
        m->settings.task != (enum task)task) {
        train_fail(TRAIN_FAILED, "%s: not a model that %s words", path,
                   task == TASK_COPY ? "copies" : "reverses");
    }
    s->B = 1;
    if (model_new(&m->model, s) != LAB_OK) {
        train_fail(TRAIN_FAILED, "%s: the model does not fit into memory", path);
    }
    task_model_load(&m->model, path);
}

// Larger queries undo the division of the scores: the queries come first in w_qkv and b_qkv.
static void undo_scale(struct model *model)
{
    const size_t L = model->shape.L, C = model->shape.C;
    const float factor = sqrtf((float)(C / model->shape.NH));
    for (size_t l = 0; l < L; l++) {
        for (size_t i = 0; i < C * C; i++) {
            model->params.w_qkv[l * 3 * C * C + i] *= factor;
        }
        for (size_t i = 0; i < C; i++) {
            model->params.b_qkv[l * 3 * C + i] *= factor;
        }
    }
}

// ---- running ---------------------------------------------------------------------------------

static void run(struct task_model *m, const size_t *tokens,
                const struct model_shape *shape)
{
    const char *failed = NULL;
    const lab_status status = task_run(&m->model, &failed, tokens, shape);
    if (status != LAB_OK) {
        run_failed(failed, status);
    }
}

// The largest of the logits at place t, as a character.
static char letter_at(const struct task_model *m, size_t t)
{
    const float *logits = m->model.activations.logits + t * LETTERS;
    size_t best = 0;
    for (size_t i = 1; i < LETTERS; i++) {
        best = logits[i] > logits[best] ? i : best;
    }
    return best == 0 ? ' ' : (char)('a' + best - 1);
}

static void print_head(const char *source, size_t T)
{
    printf("Two small models, with %s %s\n  %-9s%-16s%-*s  right\n", whose(source),
           task_functions, "", "", (int)T, "write");
}

// What the model writes, and how much of it is right.
static void print_answer(const struct task_model *m, const char *row, const char *word)
{
    const enum task task = m->settings.task;
    const size_t T = m->settings.shape.T;
    char label[8];
    size_t right = 0;
    printf("  %-9s%-16s", names[task], row);
    for (size_t t = 0; t < T; t++) {
        const char letter = letter_at(m, t);
        fputs(label_of(label, (uint8_t)letter), stdout);
        right += letter == word[task == TASK_COPY ? t : T - 1 - t];
    }
    printf("  %zu of %zu\n", right, T);
}

static void run_task(size_t task, const struct task_options *o)
{
    struct task_model m;
    open_model(&m, o->models, task);
    struct model_shape shape = m.settings.shape;
    char *word = room_for(shape.T + 1, 1);
    size_t *tokens = room_for(shape.T, sizeof *tokens);
    read_word(word, tokens, o->text, shape.T);
    run(&m, tokens, &shape);
    if (task == 0) {
        print_head(o->source, shape.T);
    }
    print_answer(&m, "as trained", word);
    if (o->masked || o->open || !o->scale) {
        char row[32];
        snprintf(row, sizeof row, "%s%s%s", o->masked ? "MASK=1 " : "",
                 o->open ? "MASK=0 " : "", o->scale ? "" : "SCALE=0");
        shape.causal = o->masked || (shape.causal && !o->open);
        if (!o->scale) {
            undo_scale(&m.model);
        }
        run(&m, tokens, &shape);
        print_answer(&m, row, word);
    }
    if (o->out != NULL) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s-%s.safetensors", o->out, names[task]);
        save_weights(path, m.model.activations.weights, word, shape.L, shape.NH, shape.T);
    }
    free(word);
    free(tokens);
    model_free(&m.model);
}

// ---- the command line ------------------------------------------------------------------------

#define AT(member) offsetof(struct task_options, member)
static const struct option_row rows[] = {
    {"--text", "TEXT", "what the models read: up to 16 letters a to z, and spaces",
     OPTION_TEXT, AT(text)},
    {"--mask", NULL, "no token sees a later one, in both models", OPTION_YES, AT(masked)},
    {"--no-mask", NULL, "every token sees every token, in both models", OPTION_YES,
     AT(open)},
    {"--no-scale", NULL, "do not divide the scores by sqrt(hs)", OPTION_NO, AT(scale)},
    {"--out", "NAME",
     "write the weights: NAME-copy.safetensors, NAME-reverse.safetensors", OPTION_TEXT,
     AT(out)},
    {"--models", "FOLDER", "the folder of the models (datasets/word_models)", OPTION_TEXT,
     AT(models)},
    {"--src", "DIR", "the folder that the output names as its source (labs)", OPTION_TEXT,
     AT(source)},
    {NULL},
};

static const struct option_table table = {
    .program = "trained",
    .more = "see trained --help",
    .before =
        "usage: trained --text TEXT [options]\n"
        "Runs two small trained models with your functions: one copies a word, one\n"
        "reverses it. make plot LAB=6 TEXT=\"...\" draws what they attend to.\n\n",
    .rows = rows,
    .column = 20,
    .after =
        "\nexit status: 0 done, 1 a function is not written yet or a file is wrong,\n"
        "             2 the command line is wrong\n",
};

int main(int argc, char **argv)
{
    struct task_options o = {
        .models = "datasets/word_models", .source = "labs", .scale = true};
    run_program = "make plot"; // which runs this program
    option_table_read(&table, &o, argc, argv);
    if (o.text == NULL) {
        option_refuse(&table, "which text? --text \"hello world\"");
    }
    if (o.masked && o.open) {
        option_refuse(&table, "--mask or --no-mask, not both");
    }
    for (size_t task = 0; task < TASKS; task++) {
        run_task(task, &o);
    }
    return finish();
}
