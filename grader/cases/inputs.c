// inputs.c - the inputs of a call (show_inputs in show.h): those that say most, in few lines.
// Start reading at the bottom.

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/numbers.h"
#include "cases/show.h"
#include "common/plural.h"

enum { SMALL_INPUT = 24 };

static void show_sizes(FILE *file, const struct tensor *tensor)
{
    for (size_t i = 0; i < tensor->axes; i++) {
        fprintf(file, "%s%zu", i > 0 ? " x " : "", tensor->axis[i]);
    }
}

// An input as it will be printed.
struct shown {
    const struct tensor *tensor;
    struct style style;
    size_t fitting; // numbers in a line
    size_t lines;
    bool brief; // all in the line of its name
    bool chosen;
};

// All matrices of a tensor below each other, as one.
static struct window whole_window(const struct tensor *tensor)
{
    return (struct window){0, 0, tensor->count / tensor->columns, 0, tensor->columns};
}

// The call changes it, and the report shows its contents afterwards under the same name.
static const char *when_of(const struct tensor *tensor)
{
    return tensor->spec->role == UPDATED ? ", before the call" : "";
}

static size_t name_width(const struct tensor *tensor)
{
    return strlen(tensor->spec->name) + strlen(tensor->spec->shape) + strlen("   ():") +
           strlen(when_of(tensor));
}

// crowded: a row of numbers goes into the line of its name
static struct shown lay_out(const struct tensor *tensor, bool crowded)
{
    struct shown shown = {.tensor = tensor, .lines = 1, .brief = true};
    if (tensor->absent || tensor->count == 0 || tensor->count > MOST_NUMBERS) {
        return shown;
    }
    const struct window window = whole_window(tensor);
    shown.style = choose_style(tensor, &window, tensor->data, NULL);
    const size_t each = (size_t)shown.style.width + 2;
    shown.fitting = (show_width() - 7) / each;
    shown.brief = crowded && window.rows == 1 &&
                  name_width(tensor) + tensor->columns * each <= show_width();
    if (!shown.brief) {
        shown.lines += window.rows * ((tensor->columns - 1) / shown.fitting + 1);
    }
    return shown;
}

static void show_input(FILE *file, const struct shown *shown)
{
    const struct tensor *tensor = shown->tensor;
    fprintf(file, "  %s (%s)%s", tensor->spec->name, tensor->spec->shape,
            tensor->absent ? "" : when_of(tensor));
    if (tensor->absent) {
        fprintf(file, " is NULL\n");
        return;
    }
    if (tensor->count == 0 || tensor->count > MOST_NUMBERS) {
        fputs(": ", file);
        show_sizes(file, tensor);
        fprintf(file, tensor->count == 0 ? "\n" : " numbers, too many to show\n");
        return;
    }
    struct style style = shown->style;
    style.width = shown->brief ? 0 : style.width;
    for (size_t j = 0; j < tensor->count; j++) {
        const size_t column = j % tensor->columns;
        fputs(shown->brief && j == 0         ? " | "
              : shown->brief                 ? "  "
              : column == 0                  ? "\n       | "
              : column % shown->fitting == 0 ? "\n         "
                                             : "  ",
              file);
        show_value(file, tensor, tensor->data, j, &style);
    }
    fputc('\n', file);
}

static bool has_prefix(const struct tensor *tensor)
{
    return strchr(tensor->spec->name, '.') != NULL;
}

// How much an input says about the call: 0 the most. The fields of a structure, params.w_q, come after the
// function's own arguments.
enum { RANKS = 6 };
static int rank_of(const struct shown *shown)
{
    const struct tensor *tensor = shown->tensor;
    const bool whole = tensor->spec->type != F32;
    return !has_prefix(tensor) ? (whole          ? 0
                                  : shown->brief ? 1
                                                 : 2)
           : whole             ? 3
           : shown->brief      ? 4
                               : 5;
}

// Chooses inputs for `room` lines. Returns how many are left out.
static size_t choose(struct shown *inputs, size_t count, size_t room)
{
    size_t chosen = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        for (size_t i = 0; i < count; i++) {
            const bool small = inputs[i].tensor->count <= SMALL_INPUT;
            if (rank_of(&inputs[i]) == rank && small && inputs[i].lines <= room) {
                inputs[i].chosen = true;
                room -= inputs[i].lines;
                chosen++;
            }
        }
    }
    return count - chosen;
}

static size_t prefix_width(const struct shown *shown)
{
    return has_prefix(shown->tensor) ? strcspn(shown->tensor->spec->name, ".") + 1 : 0;
}

static bool same_prefix(const struct shown *a, const struct shown *b)
{
    const size_t width = prefix_width(a);
    return width > 0 && width == prefix_width(b) &&
           strncmp(a->tensor->spec->name, b->tensor->spec->name, width) == 0;
}

// The inputs from `first` on that are not chosen and have the same structure.
static size_t count_alike(const struct shown *inputs, size_t first, size_t count)
{
    size_t alike = 0;
    for (size_t i = first; i < count; i++) {
        alike += !inputs[i].chosen && same_prefix(&inputs[first], &inputs[i]);
    }
    return alike;
}

// Writes the names of what is not chosen, "q, k, 12 of params"; of many fields only their number.
static void write_names(FILE *file, const struct shown *inputs, size_t count)
{
    enum { MANY = 4 };
    const char *between = "";
    const struct shown *group = NULL; // its fields have been counted
    for (size_t i = 0; i < count; i++) {
        const struct shown *input = &inputs[i];
        if (input->chosen || (group != NULL && same_prefix(group, input))) {
            continue;
        }
        const char *name = input->tensor->spec->name;
        const size_t alike = count_alike(inputs, i, count);
        if (alike < MANY) {
            fprintf(file, "%s%s", between, name);
        } else {
            group = input;
            fprintf(file, "%s%zu of %.*s", between, alike, (int)prefix_width(input) - 1,
                    name);
        }
        between = ", ";
    }
}

// "not shown: q, k, 12 of params: 213 numbers", and how to see them.
static void name_the_rest(FILE *file, const struct shown *inputs, size_t count,
                          const char *all)
{
    struct text text;
    text_begin(&text);
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tensor *tensor = inputs[i].tensor;
        numbers += inputs[i].chosen || tensor->absent ? 0 : tensor->count;
    }
    write_names(text.file, inputs, count);
    fprintf(text.file, ": %zu number%s", numbers, plural((double)numbers));
    char *rest = text_end(&text);
    show_wrapped(file, "  not shown: ", rest);
    fprintf(file, "  all inputs: %s\n", all);
    free(rest);
}

// Lays out every input. Returns the lines that they fill.
static size_t lay_out_all(struct shown inputs[MAX_TENSORS], size_t *count,
                          const struct test_case *test, bool crowded)
{
    size_t lines = 0;
    *count = 0;
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->data != NULL && tensor->spec->role != WITHHELD) {
            inputs[*count] = lay_out(tensor, crowded);
            inputs[*count].chosen = true;
            lines += inputs[(*count)++].lines;
        }
    }
    return lines;
}

void show_inputs(FILE *file, const struct test_case *test, const char *all)
{
    struct shown inputs[MAX_TENSORS];
    size_t count;
    bool rest = false;
    if (lay_out_all(inputs, &count, test, false) > INPUT_LINES && all != NULL &&
        lay_out_all(inputs, &count, test, true) > INPUT_LINES) {
        for (size_t i = 0; i < count; i++) {
            inputs[i].chosen = false;
        }
        rest = choose(inputs, count, INPUT_LINES - 3) > 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (inputs[i].chosen) {
            show_input(file, &inputs[i]);
        }
    }
    if (rest) {
        name_the_rest(file, inputs, count, all);
    }
}
