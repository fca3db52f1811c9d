// map.c - see map.h.
//
//        expected          got            difference
//      k0 k1 k2 k3     k0 k1 k2 k3       k0 k1 k2 k3
//   q0 ██ ▒▒ ░░ ░░  q0 ██ ▒▒ ░░ ░░    q0
//   q1 ▒▒ ██ ░░ ░░  q1 ██ ▒▒ ░░ ░░    q1 ▒▒ ░░
//      scale ▁▂▃▅▇                       scale -▇▅▂ 0 ▂▅▇+
//
// The colors are cividis (Nunez, Anderton, Renslow, PLoS ONE 2018), which works with all
// kinds of color vision, and blue to orange for the difference. Cells without a number are
// hatched.

#define _GNU_SOURCE
#include "report/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html.h"

enum {
    MOST_TENSORS = 2,
    MOST_ROWS = 48, // larger matrices are cut, with a note
    MOST_COLUMNS = 48,
    FEW = 8, // values are printed in the cells up to this number of rows and columns
    PANEL = 288,
    GAP = 40,
    LEFT = 34,
    TOP = 52,
};

struct matrix {
    const char *name, *axes;
    size_t rows, columns;                 // size of the drawing
    size_t all_rows, all_columns;         // size of the matrix
    size_t first;                         // its first element
    const cJSON *expected, *got;          // lists
    double *expected_values, *got_values; // rows * columns; NAN if there is no value
    double atol, rtol;
    char slice[96]; // "[0][2]", or ""
};

// A color of a scale, 0 to 1.
static void scale_color(double at, bool diverging, int rgb[3])
{
    static const int cividis[][3] = {{0, 34, 78},     {33, 61, 108},   {76, 84, 109},
                                     {108, 109, 114}, {138, 134, 121}, {172, 161, 115},
                                     {208, 190, 100}, {254, 232, 56}};
    static const int blue_orange[][3] = {
        {5, 80, 142},    {76, 150, 201}, {186, 215, 235}, {247, 247, 247},
        {250, 212, 173}, {230, 140, 58}, {166, 77, 0}};
    const int(*table)[3] = diverging ? blue_orange : cividis;
    int steps = diverging ? 6 : 7;
    double place = (!(at > 0) ? 0 : at > 1 ? 1 : at) * steps; // NaN becomes the lowest
    int low = place >= steps ? steps - 1 : (int)place;
    for (int c = 0; c < 3; c++) {
        rgb[c] = (int)lround(table[low][c] +
                             (place - low) * (table[low + 1][c] - table[low][c]));
    }
}

// ---- reading ------------------------------------------------------------------------------

static void write_number(FILE *file, const cJSON *list, size_t i)
{
    const cJSON *item = cJSON_GetArrayItem(list, (int)i);
    if (cJSON_IsNumber(item)) {
        fprintf(file, "%.6g", item->valuedouble);
    } else {
        html_text(file, cJSON_IsString(item) ? item->valuestring : "never written");
    }
}

// Compares like the judge (cases/compare.c).
static bool differs(const struct matrix *matrix, size_t i)
{
    double expected = matrix->expected_values[i], got = matrix->got_values[i];
    if (isinf(expected) || isinf(got)) {
        return expected != got;
    }
    return !(fabs(got - expected) <= matrix->atol + matrix->rtol * fabs(expected));
}

static bool is_wrong(const cJSON *tensor)
{
    const cJSON *wrong = cJSON_GetObjectItem(tensor, "wrong");
    const cJSON *expected = cJSON_GetObjectItem(tensor, "expected");
    const cJSON *got = cJSON_GetObjectItem(tensor, "got");
    return cJSON_IsNumber(wrong) && wrong->valuedouble > 0 && expected != NULL &&
           cJSON_GetArraySize(expected) > 0 &&
           cJSON_GetArraySize(expected) == cJSON_GetArraySize(got);
}

static size_t shape_at(const cJSON *shape, int axis)
{
    const cJSON *item = cJSON_GetArrayItem(shape, axis);
    return axis >= 0 && cJSON_IsNumber(item) ? (size_t)item->valuedouble : 1;
}

// Chooses a matrix of a tensor with more axes: the first one with a wrong value.
static void choose_slice(struct matrix *matrix, const cJSON *shape, size_t count)
{
    size_t size = matrix->all_rows * matrix->all_columns, i = 0;
    while (i < count && !differs(matrix, i)) {
        i++;
    }
    size_t slice = (i < count ? i : 0) / size, left = slice;
    matrix->first = slice * size;
    int axes = cJSON_GetArraySize(shape);
    for (int axis = axes - 3; axis >= 0; axis--) {
        char rest[96];
        snprintf(rest, sizeof rest, "%s", matrix->slice);
        snprintf(matrix->slice, sizeof matrix->slice, "[%zu]%.60s",
                 left % shape_at(shape, axis), rest);
        left /= shape_at(shape, axis);
    }
}

static double *all_values(const cJSON *list, size_t count)
{
    double *values = grader_alloc(count * sizeof *values);
    size_t i = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_GetStringValue(item);
        values[i++] = cJSON_IsNumber(item)                        ? item->valuedouble
                      : word != NULL && strcmp(word, "inf") == 0  ? (double)INFINITY
                      : word != NULL && strcmp(word, "-inf") == 0 ? -(double)INFINITY
                                                                  : (double)NAN;
    }
    return values;
}

static double real(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static bool read_matrix(struct matrix *matrix, const cJSON *tensor)
{
    const cJSON *shape = cJSON_GetObjectItem(tensor, "shape");
    int axes = cJSON_GetArraySize(shape);
    matrix->name = cJSON_GetStringValue(cJSON_GetObjectItem(tensor, "name"));
    matrix->axes = cJSON_GetStringValue(cJSON_GetObjectItem(tensor, "axes"));
    matrix->expected = cJSON_GetObjectItem(tensor, "expected");
    matrix->got = cJSON_GetObjectItem(tensor, "got");
    matrix->atol = real(tensor, "atol");
    matrix->rtol = real(tensor, "rtol");
    matrix->all_columns = axes > 0 ? shape_at(shape, axes - 1) : 1;
    matrix->all_rows = axes > 1 ? shape_at(shape, axes - 2) : 1;
    size_t count = (size_t)cJSON_GetArraySize(matrix->expected);
    size_t size = matrix->all_rows * matrix->all_columns;
    if (matrix->name == NULL || size == 0 || count % size != 0) {
        return false;
    }
    matrix->expected_values = all_values(matrix->expected, count);
    matrix->got_values = all_values(matrix->got, count);
    choose_slice(matrix, shape, count);
    matrix->rows = matrix->all_rows < MOST_ROWS ? matrix->all_rows : MOST_ROWS;
    matrix->columns =
        matrix->all_columns < MOST_COLUMNS ? matrix->all_columns : MOST_COLUMNS;
    return true;
}

static size_t element(const struct matrix *matrix, size_t row, size_t column)
{
    return matrix->first + row * matrix->all_columns + column;
}

// ---- drawing ------------------------------------------------------------------------------

enum panel { EXPECTED, GOT, DIFFERENCE };

struct scale {
    double low, high;
};

static double panel_value(const struct matrix *matrix, enum panel panel, size_t i)
{
    return panel == EXPECTED ? matrix->expected_values[i]
           : panel == GOT    ? matrix->got_values[i]
                             : matrix->got_values[i] - matrix->expected_values[i];
}

static struct scale find_scale(const struct matrix *matrix, enum panel panel)
{
    struct scale scale = {INFINITY, -INFINITY};
    for (size_t r = 0; r < matrix->rows; r++) {
        for (size_t c = 0; c < matrix->columns; c++) {
            double value = panel_value(matrix, panel, element(matrix, r, c));
            if (isfinite(value)) {
                scale.low = fmin(scale.low, value);
                scale.high = fmax(scale.high, value);
            }
        }
    }
    if (!(scale.low <= scale.high)) {
        return (struct scale){0, 1};
    }
    return scale;
}

static struct scale widen(struct scale a, struct scale b)
{
    struct scale scale = {fmin(a.low, b.low), fmax(a.high, b.high)};
    if (scale.high - scale.low < 1e-12) {
        scale.high = scale.low + 1;
    }
    return scale;
}

static struct scale around_zero(struct scale scale)
{
    double most = fmax(fabs(scale.low), fabs(scale.high));
    most = most > 0 ? most : 1;
    return (struct scale){-most, most};
}

static void write_title(FILE *file, const struct matrix *matrix, size_t row,
                        size_t column)
{
    size_t i = element(matrix, row, column);
    fputs("<title>", file);
    html_text(file, matrix->name);
    fprintf(file, "%s[%zu][%zu]\nexpected ", matrix->slice, row, column);
    write_number(file, matrix->expected, i);
    fputs("\ngot ", file);
    write_number(file, matrix->got, i);
    fputs("</title>", file);
}

static void draw_cell(FILE *file, const struct matrix *matrix, enum panel panel,
                      struct scale scale, size_t row, size_t column, double cell)
{
    size_t i = element(matrix, row, column);
    double value = panel_value(matrix, panel, i);
    bool wrong = differs(matrix, i);
    double x = LEFT + (double)column * cell, y = TOP + (double)row * cell;
    int rgb[3] = {0, 0, 0};
    scale_color((value - scale.low) / (scale.high - scale.low), panel == DIFFERENCE, rgb);
    fputs("<g>", file);
    if (isfinite(value)) {
        fprintf(file,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                "fill=\"#%02x%02x%02x\"/>",
                x, y, cell - 0.6, cell - 0.6, (unsigned)rgb[0], (unsigned)rgb[1],
                (unsigned)rgb[2]);
    } else {
        fprintf(file,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                "fill=\"url(#hatch)\"/>",
                x, y, cell - 0.6, cell - 0.6);
    }
    if (wrong && panel == GOT) {
        fprintf(
            file,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
            "stroke=\"#d55e00\" stroke-width=\"2\"/>",
            x + 0.8, y + 0.8, cell - 2.2, cell - 2.2);
    }
    if (matrix->rows <= FEW && matrix->columns <= FEW) {
        bool dark = isfinite(value) && rgb[0] * 3 + rgb[1] * 6 + rgb[2] < 1250;
        fprintf(file,
                "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"middle\" "
                "fill=\"%s\">",
                x + cell / 2, y + cell / 2 + 4, cell < 44 ? 9.5 : 12.0,
                dark ? "#fff" : "#1d2430");
        if (isfinite(value)) {
            fprintf(file, "%.3g", value);
        } else {
            fputs(isinf(value) ? value > 0 ? "inf" : "-inf" : "nan", file);
        }
        fputs("</text>", file);
    }
    write_title(file, matrix, row, column);
    fputs("</g>\n", file);
}

static void draw_axes(FILE *file, const struct matrix *matrix, double cell)
{
    size_t step = 1;
    while ((double)step * cell < 20) {
        step *= 2;
    }
    for (size_t c = 0; c < matrix->columns; c += step) {
        fprintf(file,
                "<text x=\"%.2f\" y=\"%d\" font-size=\"10\" fill=\"#5b6675\" "
                "text-anchor=\"middle\">%zu</text>",
                LEFT + ((double)c + 0.5) * cell, TOP - 7, c);
    }
    for (size_t r = 0; r < matrix->rows; r += step) {
        fprintf(file,
                "<text x=\"%d\" y=\"%.2f\" font-size=\"10\" fill=\"#5b6675\" "
                "text-anchor=\"end\">%zu</text>",
                LEFT - 6, TOP + ((double)r + 0.5) * cell + 3.5, r);
    }
}

static void draw_scale(FILE *file, struct scale scale, bool diverging, double width,
                       double y)
{
    enum { STEPS = 40 };
    for (int i = 0; i < STEPS; i++) {
        int rgb[3];
        scale_color((i + 0.5) / STEPS, diverging, rgb);
        fprintf(file,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"8\" "
                "fill=\"#%02x%02x%02x\"/>",
                LEFT + i * width / STEPS, y, width / STEPS + 0.5, (unsigned)rgb[0],
                (unsigned)rgb[1], (unsigned)rgb[2]);
    }
    const struct {
        double x, value;
        const char *anchor;
    } ends[] = {{LEFT, scale.low, "start"}, {LEFT + width, scale.high, "end"}};
    for (int i = 0; i < 2; i++) {
        fprintf(file,
                "<text x=\"%.2f\" y=\"%.2f\" font-size=\"10\" fill=\"#5b6675\" "
                "text-anchor=\"%s\">%.3g</text>",
                ends[i].x, y + 20, ends[i].anchor, ends[i].value);
    }
}

static void draw_panel(FILE *file, const struct matrix *matrix, enum panel panel,
                       struct scale scale, double cell)
{
    static const char *const names[] = {"expected", "got", "got − expected"};
    double width = (double)matrix->columns * cell, height = (double)matrix->rows * cell;
    fprintf(file,
            "<g transform=\"translate(%d 0)\">\n<text x=\"%d\" y=\"20\" font-size=\"14\" "
            "font-weight=\"600\" fill=\"#1d2430\">%s</text>\n",
            (int)panel * (PANEL + GAP), LEFT, names[panel]);
    draw_axes(file, matrix, cell);
    for (size_t r = 0; r < matrix->rows; r++) {
        for (size_t c = 0; c < matrix->columns; c++) {
            draw_cell(file, matrix, panel, scale, r, c, cell);
        }
    }
    draw_scale(file, scale, panel == DIFFERENCE, width < 90 ? 90 : width,
               TOP + height + 12);
    fputs("</g>\n", file);
}

// "T × S = 2 × 3", with the axis names of the exercise.
static void write_shape(FILE *file, const struct matrix *matrix)
{
    char names[64];
    snprintf(names, sizeof names, "%s", matrix->axes != NULL ? matrix->axes : "");
    char *columns = strrchr(names, ' ');
    if (columns != NULL) {
        *columns++ = '\0';
        char *rows = strrchr(names, ' ');
        html_text(file, rows != NULL ? rows + 1 : names);
        fputs(" × ", file);
        html_text(file, columns);
        fputs(" = ", file);
    }
    fprintf(file, "%zu × %zu", matrix->all_rows, matrix->all_columns);
}

static bool draw_tensor(FILE *file, const cJSON *tensor)
{
    struct matrix matrix = {.rows = 0};
    if (!read_matrix(&matrix, tensor)) {
        return false;
    }
    double room = PANEL - LEFT;
    double cell = fmin(room / (double)matrix.columns, 400.0 / (double)matrix.rows);
    cell = cell > 54 ? 54 : cell;
    double height = TOP + (double)matrix.rows * cell + 40;
    struct scale values = widen(find_scale(&matrix, EXPECTED), find_scale(&matrix, GOT));
    struct scale difference = around_zero(find_scale(&matrix, DIFFERENCE));
    fprintf(file,
            "<figure>\n<svg viewBox=\"0 0 %d %.0f\" width=\"%d\" role=\"img\">\n"
            "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
            "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
            "<rect width=\"6\" height=\"6\" fill=\"#e8ebee\"/>"
            "<rect width=\"2\" height=\"6\" fill=\"#b5bdc6\"/></pattern></defs>\n",
            3 * PANEL + 2 * GAP, height, 3 * PANEL + 2 * GAP);
    draw_panel(file, &matrix, EXPECTED, values, cell);
    draw_panel(file, &matrix, GOT, values, cell);
    draw_panel(file, &matrix, DIFFERENCE, difference, cell);
    fputs("</svg>\n<figcaption>", file);
    html_text(file, matrix.name);
    fprintf(file, "%s, ", matrix.slice);
    write_shape(file, &matrix);
    if (matrix.rows < matrix.all_rows || matrix.columns < matrix.all_columns) {
        fprintf(file, " (the first %zu × %zu are drawn)", matrix.rows, matrix.columns);
    }
    fputs("; hatched: not a number, or never written; orange frame: differs. Point at a "
          "cell for its values.</figcaption>\n</figure>\n",
          file);
    free(matrix.expected_values);
    free(matrix.got_values);
    return true;
}

bool map_draw(FILE *file, const cJSON *call)
{
    const cJSON *tensor;
    int drawn = 0;
    cJSON_ArrayForEach(tensor, cJSON_GetObjectItem(call, "tensors"))
    {
        drawn += drawn < MOST_TENSORS && is_wrong(tensor) && draw_tensor(file, tensor);
    }
    return drawn > 0;
}
