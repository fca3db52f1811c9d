// show.c - the matrix of a tensor that holds the first difference, expected beside got.

#include "judge/show.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 8, MOST_COLUMNS = 6, SMALL_INPUT = 24, WIDTH = 92 };

struct window {
    size_t base; // index of the matrix's first element
    size_t row, rows, column, columns;
};

// One value as text; "unwritten" for an output that still holds the poison.
static void name_value(char text[32], const struct tensor *tensor, const void *values,
                       size_t index)
{
    if (tensor->spec->type == U8) {
        snprintf(text, 32, "%u", ((const uint8_t *)values)[index]);
    } else if (tensor->spec->type == SIZE) {
        snprintf(text, 32, "%zu", ((const size_t *)values)[index]);
    } else {
        float value = ((const float *)values)[index];
        bool plain = value == 0 || (fabsf(value) >= 1e-3f && fabsf(value) < 1e4f);
        snprintf(text, 32, plain ? "%.4f" : "%.3g", (double)value);
        if (isnan(value)) {
            strcpy(text, "nan");
        }
    }
    if (tensor->got == values &&
        poison_intact((const char *)values + index * tensor->element_size,
                      tensor->element_size)) {
        strcpy(text, "unwritten");
    }
}

void show_value(FILE *file, const struct tensor *tensor, const void *values, size_t index)
{
    char text[32];
    name_value(text, tensor, values, index);
    fprintf(file, "%10s", text);
}

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

// Where to start showing `most` of `size` places so that `index` is among them.
static size_t start_of(size_t index, size_t size, size_t most)
{
    if (size <= most || index < most) {
        return 0;
    }
    return index - most + 1;
}

static struct window window_around(const struct tensor *tensor, size_t index)
{
    size_t matrix = tensor->rows * tensor->columns;
    size_t row = index % matrix / tensor->columns, column = index % tensor->columns;
    struct window window = {.base = index - index % matrix};
    window.rows = tensor->rows < MOST_ROWS ? tensor->rows : MOST_ROWS;
    window.columns = tensor->columns < MOST_COLUMNS ? tensor->columns : MOST_COLUMNS;
    window.row = start_of(row, tensor->rows, MOST_ROWS);
    window.column = start_of(column, tensor->columns, MOST_COLUMNS);
    return window;
}

static bool differs(const struct tensor *tensor, size_t i)
{
    if (tensor->spec->type == F32) {
        return !close_enough(((const float *)tensor->got)[i],
                             ((const float *)tensor->expected)[i], tensor->spec->atol,
                             tensor->spec->rtol);
    }
    size_t at = i * tensor->element_size;
    return memcmp((const char *)tensor->got + at, (const char *)tensor->expected + at,
                  tensor->element_size) != 0;
}

static void show_row(FILE *file, const struct tensor *tensor, const struct window *window,
                     size_t row)
{
    size_t first = window->base + row * tensor->columns + window->column;
    fprintf(file, "  %4zu |", row);
    for (size_t c = 0; c < window->columns; c++) {
        show_value(file, tensor, tensor->expected, first + c);
        fputc(' ', file);
    }
    fprintf(file, " |");
    for (size_t c = 0; c < window->columns; c++) {
        show_value(file, tensor, tensor->got, first + c);
        fputc(differs(tensor, first + c) ? '*' : ' ', file);
    }
    fputc('\n', file);
}

static void show_header(FILE *file, const struct tensor *tensor,
                        const struct window *window)
{
    int width = (int)window->columns * 11;
    fprintf(file, "  %4s |%*s  |%*s\n", "", width, "expected", width, "got");
    fprintf(file, "  %4s |", "");
    for (int side = 0; side < 2; side++) {
        for (size_t c = 0; c < window->columns; c++) {
            fprintf(file, "%10zu ", window->column + c);
        }
        fputs(side == 0 ? " |" : "\n", file);
    }
    if (window->rows < tensor->rows || window->columns < tensor->columns) {
        fprintf(file, "  (rows %zu to %zu of %zu, columns %zu to %zu of %zu)\n",
                window->row, window->row + window->rows - 1, tensor->rows, window->column,
                window->column + window->columns - 1, tensor->columns);
    }
}

static void show_inputs(FILE *file, const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        const struct tensor *tensor = &test->tensor[i];
        if (tensor->data == NULL) {
            continue;
        }
        if (tensor->absent) {
            fprintf(file, "  %s = NULL\n", tensor->spec->name);
            continue;
        }
        if (tensor->count == 0 || tensor->count > SMALL_INPUT ||
            tensor->columns > MOST_COLUMNS) {
            continue;
        }
        fprintf(file, "  %s (%s)\n", tensor->spec->name, tensor->spec->shape);
        for (size_t j = 0; j < tensor->count; j++) {
            fputs(j % tensor->columns == 0 ? "       |" : " ", file);
            show_value(file, tensor, tensor->data, j);
            fputs((j + 1) % tensor->columns == 0 ? "\n" : "", file);
        }
    }
}

static void show_first(FILE *file, const struct difference *difference)
{
    const struct tensor *tensor = difference->tensor;
    fprintf(file, "  first difference: ");
    show_element(file, tensor, difference->index);
    if (difference->fault == UNWRITTEN) {
        fprintf(file, " was never written");
    } else if (tensor->spec->type == F32) {
        float expected = ((const float *)tensor->expected)[difference->index];
        float got = ((const float *)tensor->got)[difference->index];
        fprintf(file, " = %.9g, expected %.9g", (double)(isnan(got) ? NAN : got),
                (double)expected);
        if (isfinite(expected)) {
            fprintf(file, ", allowed ±%.2g",
                    (double)(tensor->spec->atol + tensor->spec->rtol * fabsf(expected)));
        }
    } else {
        char got[32], expected[32];
        name_value(got, tensor, tensor->got, difference->index);
        name_value(expected, tensor, tensor->expected, difference->index);
        fprintf(file, " = %s, expected %s", got, expected);
    }
    fprintf(file, " (%zu of %zu values differ)\n", difference->wrong, tensor->count);
}

void show_difference(FILE *file, const struct test_case *test,
                     const struct difference *difference)
{
    const struct tensor *tensor = difference->tensor;
    struct window window = window_around(tensor, difference->index);
    show_inputs(file, test);
    fprintf(file, "  %s (%s)", tensor->spec->name, tensor->spec->shape);
    if (tensor->axes > 2) {
        fprintf(file, ", the matrix %s", tensor->spec->name);
        show_indices(file, tensor, difference->index, tensor->axes - 2);
    }
    fputc('\n', file);
    show_header(file, tensor, &window);
    for (size_t r = 0; r < window.rows; r++) {
        show_row(file, tensor, &window, window.row + r);
    }
    show_first(file, difference);
}

void show_wrapped(FILE *file, const char *prefix, const char *text)
{
    size_t column = 0;
    for (const char *line = prefix; *text != '\0'; line = "  ") {
        column = (size_t)fprintf(file, "%s", line);
        for (;;) {
            size_t word = strcspn(text, " \n");
            fprintf(file, "%.*s", (int)word, text);
            column += word;
            text += word;
            if (*text != ' ' || column + 1 + strcspn(text + 1, " \n") > WIDTH) {
                break;
            }
            fputc(*text++, file);
            column++;
        }
        text += *text != '\0';
        fputc('\n', file);
    }
}
