// steps.c - see steps.h. An array is a matrix; a row, a column and a number are matrices too.
// Start reading at steps_run.

#define _POSIX_C_SOURCE 200809L

#include "programs/trained/steps.h"

#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/train/run.h"

enum {
    NAME_SIZE = 24,
    ARGUMENTS = 3,
    STEPS_MOST = 200,
    ARRAYS_MOST = 64,
    DEPTH_MOST = 4
};

// One line: "to = operation argument ...".
struct step {
    size_t line;
    char section[NAME_SIZE], to[NAME_SIZE], operation[NAME_SIZE];
    char argument[ARGUMENTS][NAME_SIZE];
    size_t arguments;
};

struct steps {
    char path[256];
    struct step step[STEPS_MOST];
    size_t count;
};

// ---- reading ---------------------------------------------------------------------------------

_Noreturn static void fail_at(const struct steps *steps, size_t line, const char *what,
                              const char *name)
{
    train_fail(TRAIN_FAILED, "%s:%zu: %s '%s'", steps->path, line, what, name);
}

static void take_word(const struct steps *steps, char to[NAME_SIZE], const char *word,
                      size_t line)
{
    if (strlen(word) >= NAME_SIZE) {
        fail_at(steps, line, "a name that is too long:", word);
    }
    memcpy(to, word, strlen(word) + 1);
}

// A line that is not empty: "section:" or a step.
static void read_line(struct steps *steps, char section[NAME_SIZE], char *text,
                      size_t line)
{
    char *rest, *word = strtok_r(text, " \t\n", &rest);
    char *is = strtok_r(NULL, " \t\n", &rest);
    const size_t length = strlen(word);
    if (is == NULL && word[length - 1] == ':') {
        word[length - 1] = '\0';
        take_word(steps, section, word, line);
        return;
    }
    char *operation = strtok_r(NULL, " \t\n", &rest);
    if (operation == NULL || strcmp(is, "=") != 0 || steps->count == STEPS_MOST) {
        fail_at(steps, line, "not a step:", word);
    }
    struct step *step = &steps->step[steps->count++];
    step->line = line;
    memcpy(step->section, section, NAME_SIZE);
    take_word(steps, step->to, word, line);
    take_word(steps, step->operation, operation, line);
    while ((word = strtok_r(NULL, " \t\n", &rest)) != NULL) {
        if (step->arguments == ARGUMENTS) {
            fail_at(steps, line, "too many arguments for", operation);
        }
        take_word(steps, step->argument[step->arguments++], word, line);
    }
}

struct steps *steps_read(const char *path)
{
    FILE *file = fopen(path, "r");
    struct steps *steps = calloc(1, sizeof *steps);
    char text[256], section[NAME_SIZE] = "";
    if (file == NULL || steps == NULL) {
        train_fail(TRAIN_FAILED, "%s: %s", path, strerror(errno));
    }
    snprintf(steps->path, sizeof steps->path, "%s", path);
    for (size_t line = 1; fgets(text, sizeof text, file) != NULL; line++) {
        text[strcspn(text, "#")] = '\0';
        if (text[strspn(text, " \t\n")] != '\0') {
            read_line(steps, section, text, line);
        }
    }
    if (ferror(file)) {
        train_fail(TRAIN_FAILED, "%s: %s", path, strerror(errno));
    }
    fclose(file);
    return steps;
}

void steps_free(struct steps *steps)
{
    free(steps);
}

// ---- arrays ----------------------------------------------------------------------------------

struct array {
    size_t rows, columns;
    const float *x;
};

struct variable {
    char name[NAME_SIZE];
    struct array array;
    float *memory; // of array, to be freed
};

// The variables of a section. A section that a step runs has its own.
struct variables {
    struct variable list[ARRAYS_MOST];
    size_t count;
};

struct machine {
    const struct steps *steps;
    const struct steps_call *call;
    size_t layer, depth;
    float number[ARGUMENTS]; // the arguments that are numbers
    struct variables given;  // place, pair, sign
    lab_status status;       // of the last step
};

static struct variable *find(struct variables *variables, const char *name)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (strcmp(variables->list[i].name, name) == 0) {
            return &variables->list[i];
        }
    }
    return NULL;
}

// Gives memory, which it keeps, to the variable `name`.
static void assign(struct variables *variables, const char *name, struct array array,
                   float *memory)
{
    struct variable *variable = find(variables, name);
    if (variable == NULL) {
        if (variables->count == ARRAYS_MOST) {
            train_fail(TRAIN_FAILED, "more than %d arrays", ARRAYS_MOST);
        }
        variable = &variables->list[variables->count++];
        memcpy(variable->name, name, strlen(name) + 1);
    }
    free(variable->memory);
    variable->array = array;
    variable->memory = memory;
}

static float *memory_for(size_t count)
{
    float *memory = calloc(count, sizeof *memory);
    if (memory == NULL) {
        train_fail(TRAIN_FAILED, "out of memory");
    }
    return memory;
}

static void assign_copy(struct variables *variables, const char *name, struct array array)
{
    const size_t count = array.rows * array.columns;
    float *copy = memory_for(count);
    memcpy(copy, array.x, count * sizeof *copy);
    assign(variables, name, (struct array){array.rows, array.columns, copy}, copy);
}

static void drop(struct variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        free(variables->list[i].memory);
    }
    variables->count = 0;
}

// A parameter of the model: for a block, that of this layer.
static bool find_parameter(struct array *array, const struct machine *m, const char *name)
{
    const struct language *model = m->call->model;
    struct language_params params = model->params;
    for (const struct lab_row *row = language_params_rows; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            size_t size[LAB_AXES];
            const bool layered = strncmp(row->shape, "L ", 2) == 0;
            const size_t axes = language_row_shape(size, row, &model->shape);
            const size_t rows = axes - layered == 2 ? size[axes - 2] : 1;
            const size_t columns = size[axes - 1];
            *array = (struct array){rows, columns, *lab_row_pointer(&params, row)};
            array->x += layered ? m->layer * rows * columns : 0;
            return true;
        }
    }
    return false;
}

static struct array argument(struct machine *m, struct variables *variables,
                             const struct step *step, size_t i)
{
    const char *name = step->argument[i];
    const struct variable *variable = find(variables, name);
    struct array array;
    char *end;
    if (variable == NULL) {
        variable = find(&m->given, name);
    }
    if (variable != NULL) {
        return variable->array;
    }
    if (find_parameter(&array, m, name)) {
        return array;
    }
    m->number[i] = strtof(name, &end);
    if (end == name || *end != '\0') {
        fail_at(m->steps, step->line, "there is no array", name);
    }
    return (struct array){1, 1, &m->number[i]};
}

// ---- operations ------------------------------------------------------------------------------

// What an operation gets, and its result: out (rows, columns), which it writes.
struct work {
    const struct machine *m;
    const struct step *step;
    struct array in[ARGUMENTS];
    size_t rows, columns;
    float *out;
};

// Without out, an operation only sets rows and columns.
typedef void operation(struct work *w);

_Noreturn static void misfit(const struct work *w)
{
    fail_at(w->m->steps, w->step->line, "the shapes do not fit:", w->step->operation);
}

static void op_rows(struct work *w)
{
    w->rows = w->m->call->model->shape.T;
    w->columns = w->in[0].columns;
    for (size_t t = 0; w->out != NULL && t < w->rows; t++) {
        const size_t token = w->m->call->tokens[t];
        memcpy(w->out + t * w->columns, w->in[0].x + token * w->columns,
               w->columns * sizeof *w->out);
    }
}

static void op_product(struct work *w)
{
    const struct array *a = &w->in[0], *b = &w->in[1];
    if (a->columns != b->columns) {
        misfit(w);
    }
    w->rows = a->rows;
    w->columns = b->rows;
    if (w->out != NULL) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)a->rows, (int)b->rows,
                    (int)a->columns, 1, a->x, (int)a->columns, b->x, (int)b->columns, 0,
                    w->out, (int)b->rows);
    }
}

static size_t wider(const struct work *w, size_t a, size_t b)
{
    if (a != b && a != 1 && b != 1) {
        misfit(w);
    }
    return a > b ? a : b;
}

static float element(const struct array *a, size_t row, size_t column)
{
    return a->x[(a->rows == 1 ? 0 : row) * a->columns + (a->columns == 1 ? 0 : column)];
}

static void combine(struct work *w, bool times)
{
    const struct array *a = &w->in[0], *b = &w->in[1];
    w->rows = wider(w, a->rows, b->rows);
    w->columns = wider(w, a->columns, b->columns);
    for (size_t i = 0; w->out != NULL && i < w->rows * w->columns; i++) {
        const float x = element(a, i / w->columns, i % w->columns);
        const float y = element(b, i / w->columns, i % w->columns);
        w->out[i] = times ? x * y : x + y;
    }
}

static void op_times(struct work *w)
{
    combine(w, true);
}

static void op_plus(struct work *w)
{
    combine(w, false);
}

static void op_mean(struct work *w)
{
    w->rows = w->in[0].rows;
    w->columns = 1;
    for (size_t r = 0; w->out != NULL && r < w->rows; r++) {
        double total = 0;
        for (size_t c = 0; c < w->in[0].columns; c++) {
            total += (double)element(&w->in[0], r, c);
        }
        w->out[r] = (float)(total / (double)w->in[0].columns);
    }
}

// Exchanges the columns 0 and 1, 2 and 3, and so on.
static void op_swap(struct work *w)
{
    w->rows = w->in[0].rows;
    w->columns = w->in[0].columns;
    if (w->columns % 2 != 0) {
        misfit(w);
    }
    for (size_t i = 0; w->out != NULL && i < w->rows * w->columns; i++) {
        w->out[i] = w->in[0].x[i ^ 1];
    }
}

static void each(struct work *w, float (*function)(float))
{
    w->rows = w->in[0].rows;
    w->columns = w->in[0].columns;
    for (size_t i = 0; w->out != NULL && i < w->rows * w->columns; i++) {
        w->out[i] = function(w->in[0].x[i]);
    }
}

static float inverse(float x)
{
    return 1 / x;
}

static void op_inverse(struct work *w)
{
    each(w, inverse);
}

static void op_root(struct work *w)
{
    each(w, sqrtf);
}

static void op_exp(struct work *w)
{
    each(w, expf);
}

static void op_cos(struct work *w)
{
    each(w, cosf);
}

static void op_sin(struct work *w)
{
    each(w, sinf);
}

static const struct {
    const char *name;
    size_t arguments;
    operation *run;
} operations[] = {
    {"rows", 1, op_rows}, {"product", 2, op_product}, {"times", 2, op_times},
    {"plus", 2, op_plus}, {"mean", 1, op_mean},       {"swap", 1, op_swap},
    {"root", 1, op_root}, {"inverse", 1, op_inverse}, {"exp", 1, op_exp},
    {"cos", 1, op_cos},   {"sin", 1, op_sin},
};

// ---- running ---------------------------------------------------------------------------------

static void run_operation(struct machine *m, struct variables *variables,
                          const struct step *step, operation *run)
{
    struct work w = {.m = m, .step = step};
    for (size_t i = 0; i < step->arguments; i++) {
        w.in[i] = argument(m, variables, step, i);
    }
    run(&w);
    w.out = memory_for(w.rows * w.columns);
    run(&w);
    assign(variables, step->to, (struct array){w.rows, w.columns, w.out}, w.out);
}

static void run_attention(struct machine *m, struct variables *variables,
                          const struct step *step)
{
    const struct language_shape *s = &m->call->model->shape;
    struct array in[ARGUMENTS];
    for (size_t i = 0; i < ARGUMENTS; i++) {
        in[i] = argument(m, variables, step, i);
        if (in[i].rows != s->T || in[i].columns != s->C) {
            fail_at(m->steps, step->line, "the shapes do not fit:", step->operation);
        }
    }
    float *out = memory_for(s->T * s->C);
    m->status =
        m->call->attention(m->call->context, out, in[0].x, in[1].x, in[2].x, m->layer);
    assign(variables, step->to, (struct array){s->T, s->C, out}, out);
}

static size_t run_section(struct machine *m, struct variables *variables,
                          const char *section);

// A section as an operation: it reads first and second, and leaves result.
static void run_call(struct machine *m, struct variables *variables,
                     const struct step *step)
{
    static const char *const names[ARGUMENTS] = {"first", "second", "third"};
    struct variables own = {.count = 0};
    for (size_t i = 0; i < step->arguments; i++) {
        assign_copy(&own, names[i], argument(m, variables, step, i));
    }
    if (m->call->turned && strcmp(step->operation, "turn") == 0) {
        assign_copy(&own, "result", argument(m, variables, step, 0));
    } else if (m->depth == DEPTH_MOST || run_section(m, &own, step->operation) == 0) {
        fail_at(m->steps, step->line, "there is no operation", step->operation);
    }
    const struct variable *result = find(&own, "result");
    if (result == NULL) {
        fail_at(m->steps, step->line, "no result of", step->operation);
    }
    assign_copy(variables, step->to, result->array);
    drop(&own);
}

static void run_step(struct machine *m, struct variables *variables,
                     const struct step *step)
{
    if (strcmp(step->operation, "attention") == 0 && step->arguments == ARGUMENTS) {
        run_attention(m, variables, step);
        return;
    }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(step->operation, operations[i].name) == 0 &&
            step->arguments == operations[i].arguments) {
            run_operation(m, variables, step, operations[i].run);
            return;
        }
    }
    run_call(m, variables, step);
}

// Returns the number of steps in it.
static size_t run_section(struct machine *m, struct variables *variables,
                          const char *section)
{
    size_t done = 0;
    m->depth++;
    for (size_t i = 0; i < m->steps->count && m->status == LAB_OK; i++) {
        if (strcmp(m->steps->step[i].section, section) == 0) {
            run_step(m, variables, &m->steps->step[i]);
            done++;
        }
    }
    m->depth--;
    return done;
}

// The arrays that every section can read: the position of each row, the number of each column's
// pair within its head, and -1 and 1 for the two columns of a pair.
static void give(struct machine *m)
{
    const struct language_shape *s = &m->call->model->shape;
    float *place = memory_for(s->T), *pair = memory_for(s->C), *sign = memory_for(s->C);
    for (size_t t = 0; t < s->T; t++) {
        place[t] = (float)t;
    }
    for (size_t c = 0; c < s->C; c++) {
        pair[c] = (float)(c % (s->C / s->NH) / 2);
        sign[c] = c % 2 == 0 ? -1.0f : 1.0f;
    }
    assign(&m->given, "place", (struct array){s->T, 1, place}, place);
    assign(&m->given, "pair", (struct array){1, s->C, pair}, pair);
    assign(&m->given, "sign", (struct array){1, s->C, sign}, sign);
}

lab_status steps_run(float *logits, const struct steps *steps,
                     const struct steps_call *call)
{
    const struct language_shape *s = &call->model->shape;
    struct machine m = {.steps = steps, .call = call, .status = LAB_OK};
    struct variables variables = {.count = 0};
    give(&m);
    (void)run_section(&m, &variables, "start");
    for (m.layer = 0; m.layer < s->L; m.layer++) {
        (void)run_section(&m, &variables, "block");
    }
    (void)run_section(&m, &variables, "end");
    const struct variable *result = find(&variables, "logits");
    if (m.status == LAB_OK) {
        if (result == NULL || result->array.rows != s->T ||
            result->array.columns != s->V) {
            train_fail(TRAIN_FAILED, "%s: the steps do not compute logits (T, V)",
                       steps->path);
        }
        memcpy(logits, result->array.x, s->T * s->V * sizeof *logits);
    }
    drop(&variables);
    drop(&m.given);
    return m.status;
}
