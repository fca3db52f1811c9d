// show.c - shows the matrix with the first difference, expected values beside the
// student's.

#include "cases/show.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/wrapped.h"
#include "cases/numbers.h"
#include "common/plural.h"

enum {
    MOST_ROWS = 8,
    MOST_COLUMNS = 6,
    MOST_EXACT_COLUMNS = 3, // wide enough for nine digits
};

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
    name_value(got, tensor, tensor->got, index, exact_format);
    name_value(expected, tensor, tensor->expected, index, exact_format);
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

// The width of a side's numbers, without the last blank.
static int width_of(const struct window *window, const struct style *style)
{
    return (int)window->columns * (style->width + 2) - 1;
}

// One narrow number takes less room than the word above it.
static int padding_of(const struct window *window, const struct style *style)
{
    const int room = (int)strlen(" expected"), width = width_of(window, style);
    return width < room ? room - width : 0;
}

static void show_row(FILE *file, const struct tensor *tensor, const struct window *window,
                     size_t row, const struct style *style)
{
    size_t first = window->base + row * tensor->columns + window->column;
    fprintf(file, "  %4zu |%*s", row, padding_of(window, style), "");
    for (size_t c = 0; c < window->columns; c++) {
        fputc(' ', file);
        show_value(file, tensor, tensor->expected, first + c, style);
        fputc(' ', file);
    }
    fprintf(file, "|");
    for (size_t c = 0; c < window->columns; c++) {
        fputc(' ', file);
        show_value(file, tensor, tensor->got, first + c, style);
        fputc(element_differs(tensor, first + c) ? '*' : ' ', file);
    }
    fputc('\n', file);
}

static void show_header(FILE *file, const struct tensor *tensor,
                        const struct window *window, const struct style *style)
{
    const int width = width_of(window, style), padding = padding_of(window, style);
    fprintf(file, "  %4s |%*s |%*s\n", "", width + padding, "expected", width, "got");
    fprintf(file, "  %4s |%*s", "", padding, "");
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
    fprintf(file, " (%zu of %zu value%s differ%s)\n", difference->wrong, tensor->count,
            plural((double)tensor->count), difference->wrong == 1 ? "s" : "");
}

// Chooses a window around an element, with fewer columns if they are wide, or the terminal is narrow.
static struct style fit(struct window *window, const struct tensor *tensor, size_t index)
{
    size_t most = MOST_COLUMNS;
    *window = window_around(tensor, index, most);
    struct style style = choose_style(tensor, window, tensor->expected, tensor->got);
    if (style.format == exact_format) {
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
    print_wrapped(file, prefix, text, show_width());
}
