// show.c - shows the matrix with the first difference, expected values beside the
// student's.

#include "cases/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"

enum {
    MOST_ROWS = 8,
    MOST_COLUMNS = 6,
    MOST_EXACT_COLUMNS = 3, // wide enough for nine digits
    SMALL_INPUT = 24,
    WIDTH = 92
};

struct window {
    size_t base; // index of the matrix's first element
    size_t row, rows, column, columns;
};

// The columns of a line: WIDTH, or less on a narrow terminal.
static size_t text_width(void)
{
    const size_t columns = grader_columns();
    return columns == 0 || columns > WIDTH ? WIDTH : columns;
}

// ---- one number ---------------------------------------------------------------------------

// Prints different floats differently.
static const char EXACT[] = "%.9g";

// The common format of a matrix's numbers, wide enough for the longest.
struct style {
    const char *format; // for floats
    int width;
};

// One value as text; "unwritten" if it was never written.
static void name_value(char text[32], const struct tensor *tensor, const void *values,
                       size_t index, const char *format)
{
    if (tensor->got == values && still_unset(tensor, index)) {
        strcpy(text, "unwritten");
    } else if (tensor->spec->type == U8) {
        snprintf(text, 32, "%u", ((const uint8_t *)values)[index]);
    } else if (tensor->spec->type == I8) {
        snprintf(text, 32, "%d", ((const int8_t *)values)[index]);
    } else if (tensor->spec->type == SIZE) {
        snprintf(text, 32, "%zu", ((const size_t *)values)[index]);
    } else if (tensor->spec->type == DIFFERENCE) {
        snprintf(text, 32, "%td", ((const ptrdiff_t *)values)[index]);
    } else if (isnan(((const float *)values)[index]) && values == tensor->expected &&
               !tensor->may_be_nan) {
        strcpy(text, "?"); // in the student archive, long outputs are not stored in full
    } else if (isnan(((const float *)values)[index])) {
        strcpy(text, "nan"); // never "-nan"
    } else {
        snprintf(text, 32, format, (double)((const float *)values)[index]);
    }
}

static bool differs(const struct tensor *tensor, size_t i)
{
    if (tensor->spec->type == F32) {
        return !value_is_right(tensor, i);
    }
    size_t at = i * tensor->element_size;
    return memcmp((const char *)tensor->got + at, (const char *)tensor->expected + at,
                  tensor->element_size) != 0;
}

// Whole numbers without a point, large and small ones with an exponent.
static const char *choose_format(float largest, bool whole)
{
    if (whole && largest <= 0x1p24f) { // up to here a float holds every whole number
        return "%.0f";
    }
    return largest >= 1e6f || (largest > 0 && largest < 1e-2f) ? "%.4g" : "%.4f";
}

static void look_at(const float *values, const struct tensor *tensor,
                    const struct window *window, float *largest, bool *whole)
{
    for (size_t r = 0; r < window->rows; r++) {
        for (size_t c = 0; c < window->columns; c++) {
            float value = values[window->base + (window->row + r) * tensor->columns +
                                 window->column + c];
            if (isfinite(value)) {
                *largest = fmaxf(*largest, fabsf(value));
                *whole = *whole && value == truncf(value);
            }
        }
    }
}

static void widen(struct style *style, const struct tensor *tensor, const void *values,
                  const struct window *window)
{
    for (size_t r = 0; r < window->rows; r++) {
        for (size_t c = 0; c < window->columns; c++) {
            char text[32];
            size_t index =
                window->base + (window->row + r) * tensor->columns + window->column + c;
            name_value(text, tensor, values, index, style->format);
            int width = (int)strlen(text);
            style->width = width > style->width ? width : style->width;
        }
    }
}

static bool reads_alike(const struct tensor *tensor, size_t index, const char *format)
{
    char expected[32], got[32];
    name_value(expected, tensor, tensor->expected, index, format);
    name_value(got, tensor, tensor->got, index, format);
    return differs(tensor, index) && strcmp(expected, got) == 0;
}

// Returns true if a wrong number in the window would print like the right one.
static bool hides_difference(const struct tensor *tensor, const struct window *window,
                             const char *format)
{
    for (size_t r = 0; r < window->rows; r++) {
        for (size_t c = 0; c < window->columns; c++) {
            if (reads_alike(tensor,
                            window->base + (window->row + r) * tensor->columns +
                                window->column + c,
                            format)) {
                return true;
            }
        }
    }
    return false;
}

// Chooses a format for values and others (which may be NULL), shown side by side.
static struct style choose_style(const struct tensor *tensor, const struct window *window,
                                 const void *values, const void *others)
{
    float largest = 0;
    bool whole = true;
    if (tensor->spec->type == F32) {
        look_at(values, tensor, window, &largest, &whole);
        if (others != NULL) {
            look_at(others, tensor, window, &largest, &whole);
        }
    }
    struct style style = {choose_format(largest, whole), 4};
    if (others != NULL && hides_difference(tensor, window, style.format)) {
        style.format = EXACT;
    }
    widen(&style, tensor, values, window);
    if (others != NULL) {
        widen(&style, tensor, others, window);
    }
    return style;
}

static void show_value(FILE *file, const struct tensor *tensor, const void *values,
                       size_t index, const struct style *style)
{
    char text[32];
    name_value(text, tensor, values, index, style->format);
    fprintf(file, "%*s", style->width, text);
}

// ---- places -------------------------------------------------------------------------------

// Prints the first `axes` indices of an element: "[1][0]".
static void show_indices(FILE *file, const struct tensor *tensor, size_t index,
                         size_t axes)
{
    size_t block = tensor->count;
    for (size_t i = 0; i < axes; i++) {
        block /= tensor->axis[i];
        fprintf(file, "[%zu]", index / block);
        index %= block;
    }
}

void show_element(FILE *file, const struct tensor *tensor, size_t index)
{
    fprintf(file, "%s", tensor->spec->name);
    show_indices(file, tensor, index, tensor->axes);
}

void show_got_and_expected(FILE *file, const struct tensor *tensor, size_t index)
{
    char got[32], expected[32];
    name_value(got, tensor, tensor->got, index, EXACT);
    name_value(expected, tensor, tensor->expected, index, EXACT);
    fprintf(file, " = %s, expected %s", got, expected);
}

// Where a window of `most` out of `size` elements must begin to contain `index`.
static size_t start_of(size_t index, size_t size, size_t most)
{
    if (size <= most || index < most) {
        return 0;
    }
    return index - most + 1;
}

static struct window window_around(const struct tensor *tensor, size_t index,
                                   size_t most_columns)
{
    size_t matrix = tensor->rows * tensor->columns;
    size_t row = index % matrix / tensor->columns, column = index % tensor->columns;
    struct window window = {.base = index - index % matrix};
    window.rows = tensor->rows < MOST_ROWS ? tensor->rows : MOST_ROWS;
    window.columns = tensor->columns < most_columns ? tensor->columns : most_columns;
    window.row = start_of(row, tensor->rows, MOST_ROWS);
    window.column = start_of(column, tensor->columns, most_columns);
    return window;
}

static void show_row(FILE *file, const struct tensor *tensor, const struct window *window,
                     size_t row, const struct style *style)
{
    size_t first = window->base + row * tensor->columns + window->column;
    fprintf(file, "  %4zu |", row);
    for (size_t c = 0; c < window->columns; c++) {
        fputc(' ', file);
        show_value(file, tensor, tensor->expected, first + c, style);
        fputc(' ', file);
    }
    fprintf(file, "|");
    for (size_t c = 0; c < window->columns; c++) {
        fputc(' ', file);
        show_value(file, tensor, tensor->got, first + c, style);
        fputc(differs(tensor, first + c) ? '*' : ' ', file);
    }
    fputc('\n', file);
}

static void show_header(FILE *file, const struct tensor *tensor,
                        const struct window *window, const struct style *style)
{
    int width = (int)window->columns * (style->width + 2) - 1;
    fprintf(file, "  %4s |%*s |%*s\n", "", width < 8 ? 8 : width, "expected", width,
            "got");
    fprintf(file, "  %4s |", "");
    for (int side = 0; side < 2; side++) {
        for (size_t c = 0; c < window->columns; c++) {
            fprintf(file, " %*zu ", style->width, window->column + c);
        }
        fputs(side == 0 ? "|" : "\n", file);
    }
    if (window->rows < tensor->rows || window->columns < tensor->columns) {
        fprintf(file, "  (rows %zu to %zu of %zu, columns %zu to %zu of %zu)\n",
                window->row, window->row + window->rows - 1, tensor->rows, window->column,
                window->column + window->columns - 1, tensor->columns);
    }
}

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

static size_t name_width(const struct tensor *tensor)
{
    return strlen(tensor->spec->name) + strlen(tensor->spec->shape) + strlen("   ():");
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
    shown.fitting = (text_width() - 7) / each;
    shown.brief = crowded && window.rows == 1 &&
                  name_width(tensor) + tensor->columns * each <= text_width();
    if (!shown.brief) {
        shown.lines += window.rows * ((tensor->columns - 1) / shown.fitting + 1);
    }
    return shown;
}

static void show_input(FILE *file, const struct shown *shown)
{
    const struct tensor *tensor = shown->tensor;
    fprintf(file, "  %s (%s)", tensor->spec->name, tensor->spec->shape);
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
    fprintf(text.file, ": %zu numbers", numbers);
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

size_t claim_subject(const struct tensor *tensor)
{
    const char *name = tensor->spec->name, *equals = strstr(name, " == ");
    return equals == NULL ? strlen(name) : (size_t)(equals - name);
}

static bool is_claim(const struct tensor *tensor)
{
    return tensor->spec->name[claim_subject(tensor)] != '\0';
}

static void show_claim(FILE *file, const struct difference *difference)
{
    const char *name = difference->tensor->spec->name;
    if (difference->fault == UNWRITTEN) {
        fprintf(file, "  %.*s was never written\n",
                (int)claim_subject(difference->tensor), name);
    } else {
        fprintf(file, "  %s is false, but must be true\n", name);
    }
}

static void show_first(FILE *file, const struct difference *difference)
{
    const struct tensor *tensor = difference->tensor;
    fprintf(file, "  first difference: ");
    show_element(file, tensor, difference->index);
    if (difference->fault == UNWRITTEN) {
        fprintf(file, " was never written");
    } else {
        show_got_and_expected(file, tensor, difference->index);
    }
    if (tensor->spec->type == F32 && difference->fault != UNWRITTEN) {
        float value = ((const float *)tensor->expected)[difference->index];
        if (isfinite(value)) {
            fprintf(file, ", allowed ±%.2g",
                    (double)(tensor->atol + tensor->rtol * fabsf(value)));
        }
    }
    fprintf(file, " (%zu of %zu values differ)\n", difference->wrong, tensor->count);
}

// Chooses a window around an element, with fewer columns if they are wide, or the terminal is narrow.
static struct style fit(struct window *window, const struct tensor *tensor, size_t index)
{
    size_t most = MOST_COLUMNS;
    *window = window_around(tensor, index, most);
    struct style style = choose_style(tensor, window, tensor->expected, tensor->got);
    if (style.format == EXACT) {
        most = MOST_EXACT_COLUMNS;
        *window = window_around(tensor, index, most);
        style = choose_style(tensor, window, tensor->expected, tensor->got);
    }
    const size_t columns = grader_columns();
    while (columns > 0 && most > 1 &&
           9 + 2 * window->columns * (size_t)(style.width + 2) > columns) {
        *window = window_around(tensor, index, --most);
        style = choose_style(tensor, window, tensor->expected, tensor->got);
    }
    return style;
}

static void show_tensor(FILE *file, const struct difference *difference)
{
    const struct tensor *tensor = difference->tensor;
    if (is_claim(tensor)) {
        show_claim(file, difference);
        return;
    }
    struct window window;
    struct style style = fit(&window, tensor, difference->index);
    fprintf(file, "  %s (%s)", tensor->spec->name, tensor->spec->shape);
    if (tensor->axes > 2) {
        fprintf(file, ", the matrix %s", tensor->spec->name);
        show_indices(file, tensor, difference->index, tensor->axes - 2);
    }
    fputc('\n', file);
    show_header(file, tensor, &window, &style);
    for (size_t r = 0; r < window.rows; r++) {
        show_row(file, tensor, &window, window.row + r, &style);
    }
    show_first(file, difference);
}

void show_difference(FILE *file, const struct test_case *test,
                     const struct difference *difference)
{
    show_tensor(file, difference);
    for (size_t i = 0; i < test->tensors; i++) {
        struct difference other = compare_tensor(&test->tensor[i]);
        if (&test->tensor[i] != difference->tensor && other.fault != NO_FAULT) {
            show_tensor(file, &other);
            return;
        }
    }
}

void show_wrapped(FILE *file, const char *prefix, const char *text)
{
    const size_t width = text_width();
    size_t column = 0;
    for (const char *line = prefix; *text != '\0'; line = "  ") {
        column = (size_t)fprintf(file, "%s", line);
        for (;;) {
            size_t word = strcspn(text, " \n");
            fprintf(file, "%.*s", (int)word, text);
            column += word;
            text += word;
            if (*text != ' ' || column + 1 + strcspn(text + 1, " \n") > width) {
                break;
            }
            fputc(*text++, file);
            column++;
        }
        text += *text != '\0';
        fputc('\n', file);
    }
}
