// main.c - build/gradcheck/SRC/NN: compares the backward functions of a lab with central
// differences of the forward functions.
//
//     make gradcheck EX=6.8
//     build/gradcheck/labs/06 6.8 --ours build/gradcheck/ours/06.so
//
// Exit status: see --help. Start reading at check_gradient.

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_table.h"
#include "common/plural.h"
#include "programs/gradcheck/measure.h"
#include "programs/gradcheck/pattern.h"

enum { DIFFERS = 1, WRONG_ARGUMENTS = 2, MOST_LINES = 24 };

struct options {
    const char *exercise, *ours;
    bool all;
};

// ---- for gradcheck.c of a lab ----------------------------------------------------------------

void gradcheck_add(struct gradcheck_call *c, const char *name, float *value, float *got,
                   enum gradient_kind kind, const size_t *sizes, size_t axes)
{
    struct gradient *g = &c->gradients[c->count++];
    *g = (struct gradient){name, value, got, kind, axes, {0}, 1};
    for (size_t a = 0; a < axes; a++) {
        g->size[a] = sizes[a];
        g->n *= sizes[a];
    }
}

void gradcheck_add_row(struct gradcheck_call *c, const struct lab_row *row, void *values,
                       void *gradients, const size_t *sizes, size_t axes)
{
    gradcheck_add(c, row->name, *lab_row_pointer(values, row),
                  *lab_row_pointer(gradients, row), ADDED, sizes, axes);
}

double gradcheck_sum(const float *y, const float *dy, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)y[i] * (double)dy[i];
    }
    return sum;
}

gradcheck_function *gradcheck_find(struct gradcheck_call *c, const char *name,
                                   gradcheck_function *yours)
{
    if (c->ours == NULL) {
        return yours;
    }
    void *found = dlsym(c->ours, name);
    gradcheck_function *function;
    if (found == NULL) {
        fprintf(stderr, "gradcheck: %s\n", dlerror());
        exit(WRONG_ARGUMENTS);
    }
    memcpy(&function, &found, sizeof function); // C has no cast for this
    return function;
}

// ---- printing --------------------------------------------------------------------------------

static void print_place(const struct gradient *g, size_t i)
{
    char text[64] = "";
    size_t used = 0, below = g->n;
    for (size_t a = 0; a < g->axes && used < sizeof text; a++) {
        below /= g->size[a];
        used += (size_t)snprintf(text + used, sizeof text - used, "[%zu]",
                                 i / below % g->size[a]);
    }
    printf("      %-16s", text);
}

static void print_shape(const struct gradient *g)
{
    printf("  %s (", g->name);
    for (size_t a = 0; a < g->axes; a++) {
        printf("%s%zu", a > 0 ? "," : "", g->size[a]);
    }
    printf(")");
}

static void print_table(const struct gradient *g, const double *measured,
                        const bool *differs)
{
    printf("      %-16s %12s %12s %10s\n", "element", "measured", "yours", "ratio");
    for (size_t i = 0; i < g->n && i < MOST_LINES; i++) {
        print_place(g, i);
        printf(" %12.6f %12.6f", measured[i], got(g, i));
        if (fabs(measured[i]) > 1e-4) {
            printf(" %10.4f", got(g, i) / measured[i]);
        } else {
            printf(" %10s", "");
        }
        puts(differs[i] ? " *" : "");
    }
    if (g->n > MOST_LINES) {
        printf("      and %zu more\n", g->n - MOST_LINES);
    }
}

// ---- one function ----------------------------------------------------------------------------

// Compares one gradient and prints it. Returns whether it differs.
static bool check_gradient(const struct gradcheck *check, struct gradcheck_call *c,
                           const struct gradient *g, double loss, bool all)
{
    double *measured = calloc(g->n, sizeof *measured);
    bool *differs = calloc(g->n, sizeof *differs);
    char text[200];
    if (measured == NULL || differs == NULL || measure(measured, check, c, g) != LAB_OK) {
        fprintf(stderr, "gradcheck: %s failed while its slope was measured\n",
                check->forward);
        exit(WRONG_ARGUMENTS);
    }
    const size_t wrong = compare(differs, measured, g, loss);
    print_shape(g);
    if (wrong == 0) {
        printf(g->n == 1 ? ": the element agrees\n" : ": all %zu elements agree\n", g->n);
    } else {
        printf(": %zu of %zu element%s differ%s (*)\n", wrong, g->n, plural((double)g->n),
               wrong == 1 ? "s" : "");
    }
    if (wrong > 0 || all) {
        print_table(g, measured, differs);
    }
    if (wrong > 0) {
        read_pattern(text, sizeof text, g, measured, differs);
        printf("      %s\n", text[0] != '\0' ? text : "No simple pattern.");
    }
    free(measured);
    free(differs);
    return wrong > 0;
}

// The forward pass with the student's function, or with ours if theirs is not written yet.
static lab_status run_forward(double *loss, const struct gradcheck *check,
                              struct gradcheck_call *c, const struct options *o)
{
    lab_status status = check->run_forward(loss, c);
    if (status == LAB_TODO && o->ours != NULL) {
        c->ours = dlopen(o->ours, RTLD_LAZY | RTLD_LOCAL);
        if (c->ours == NULL) {
            fprintf(stderr, "gradcheck: %s\n", dlerror());
            exit(WRONG_ARGUMENTS);
        }
        status = check->run_forward(loss, c);
    }
    return status;
}

static int stopped(const struct gradcheck *check, const char *name, lab_status status)
{
    const bool itself = strcmp(name, check->function) == 0; // not the forward function
    printf("%s %s%s%s", check->exercise, check->function, itself ? "" : ": ",
           itself ? "" : name);
    if (status == LAB_TODO) {
        puts(", or a function it calls, is not written yet");
    } else {
        printf(" returns %s\n", lab_status_name(status));
    }
    return DIFFERS;
}

static int run(const struct gradcheck *check, const struct options *o)
{
    struct gradcheck_call c = {.count = 0};
    double loss = 0;
    size_t wrong = 0;
    lab_rng_seed(&c.rng, 6);
    lab_status status = check->start(&c);
    if (status == LAB_OK) {
        status = run_forward(&loss, check, &c, o);
    }
    if (status != LAB_OK) {
        return stopped(check, check->forward, status);
    }
    for (size_t k = 0; k < c.count; k++) {
        for (size_t i = 0; i < c.gradients[k].n; i++) {
            c.gradients[k].got[i] = before(&c.gradients[k], i);
        }
    }
    status = check->run_backward(&c);
    if (status != LAB_OK) {
        return stopped(check, check->function, status);
    }
    printf("%s %s, against central differences of %s %s%s\n", check->exercise,
           check->function, c.ours == NULL ? "your own" : "our", check->forward,
           c.ours == NULL ? "" : ", because yours is not written yet");
    for (size_t k = 0; k < c.count; k++) {
        wrong += check_gradient(check, &c, &c.gradients[k], loss, o->all);
    }
    printf("  %zu of %zu gradients agree\n", c.count - wrong, c.count);
    return wrong > 0 ? DIFFERS : EXIT_SUCCESS;
}

// ---- the command line ------------------------------------------------------------------------

static const struct option_table table;

static void take_exercise(void *settings, const char *word)
{
    struct options *o = settings;
    if (o->exercise != NULL) {
        option_refuse(&table, "one exercise, please: %s or %s?", o->exercise, word);
    }
    o->exercise = word;
}

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
    {"--ours", "FILE", "a library with the functions to use where yours are not written",
     OPTION_TEXT, AT(ours)},
    {"--all", NULL, "print the tables of gradients that agree, too", OPTION_YES, AT(all)},
    {NULL},
};

static const struct option_table table = {
    .program = "gradcheck",
    .more = "see gradcheck --help",
    .before =
        "usage: gradcheck EXERCISE [options]\n"
        "Compares your backward functions with central differences of your own forward\n"
        "functions, element by element. make gradcheck EX=6.8 builds and runs it.\n\n",
    .rows = rows,
    .column = 20,
    .argument = take_exercise,
    .after =
        "\nexit status: 0 all gradients agree, 1 one differs or a function is not written,\n"
        "             2 the command line is wrong\n",
};

int main(int argc, char **argv)
{
    struct options o = {.all = false};
    int status = -1;
    option_table_read(&table, &o, argc, argv);
    for (const struct gradcheck *check = gradchecks; check->exercise != NULL; check++) {
        if (o.exercise != NULL && strcmp(check->exercise, o.exercise) == 0) {
            const int one = run(check, &o);
            status = one > status ? one : status;
        }
    }
    if (status < 0) {
        fprintf(stderr, "gradcheck: %s has no backward function. These have:",
                o.exercise != NULL ? o.exercise : "no exercise");
        const char *last = "";
        for (const struct gradcheck *check = gradchecks; check->exercise != NULL;
             check++) {
            if (strcmp(check->exercise, last) != 0) {
                fprintf(stderr, " %s", check->exercise);
            }
            last = check->exercise;
        }
        fputc('\n', stderr);
        return WRONG_ARGUMENTS;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? status : WRONG_ARGUMENTS;
}
