// print.c - matrices on the screen and in files. Start reading at lab_print_matrix.

#include "common/print.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/replace.h"

// ---- names --------------------------------------------------------------------------------

const char *const *lab_names(struct lab_names *names, const char *prefix, size_t n)
{
    if (n > LAB_NAMES_MAX) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        snprintf(names->text[i], LAB_NAME_SIZE, "%.9s%u", prefix, (unsigned)i);
        names->name[i] = names->text[i];
    }
    return names->name;
}

// Name i of names. Without names, writes the number i to number and returns that.
static const char *name_of(const char *const *names, size_t i, char number[24])
{
    if (names != NULL) {
        return names[i];
    }
    snprintf(number, 24, "%zu", i);
    return number;
}

// Writes name to out (unless out is NULL) with control characters as \n, \x1b ..., so that
// it stays on its line and in its field. Returns its width in columns; a UTF-8 character
// counts as one.
static size_t put_name(FILE *out, const char *name)
{
    size_t width = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        char shown[8] = {(char)*c};
        if (*c == '\n' || *c == '\t' || *c == '\r') {
            snprintf(shown, sizeof shown, "\\%c",
                     *c == '\n'   ? 'n'
                     : *c == '\t' ? 't'
                                  : 'r');
        } else if (*c < 0x20 || *c == 0x7f) {
            snprintf(shown, sizeof shown, "\\x%02x", (unsigned)*c);
        }
        // a continuation byte of a UTF-8 character
        bool continues = (*c & 0xc0) == 0x80;
        width += continues ? 0 : strlen(shown);
        if (out != NULL) {
            fputs(shown, out);
        }
    }
    return width;
}

static void put_spaces(FILE *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputc(' ', out);
    }
}

// ---- a matrix to read ---------------------------------------------------------------------

enum { CELL_SIZE = 32 };

static void format_cell(char cell[CELL_SIZE], float value, int precision)
{
    if (isnan(value)) {
        strcpy(cell, "nan"); // without the sign bit of the NaN
    } else if (isinf(value)) {
        strcpy(cell, value < 0 ? "-inf" : "inf");
    } else if (fabsf(value) >= 1e7f) {
        snprintf(cell, CELL_SIZE, "%.*e", precision, (double)value);
    } else {
        snprintf(cell, CELL_SIZE, "%.*f", precision, (double)value);
        if (cell[0] == '-' && cell[strspn(cell, "-0.")] == '\0') {
            memmove(cell, cell + 1, strlen(cell)); // print -0.0000 as 0.0000
        }
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t widest_name(const char *const *names, size_t count)
{
    char number[24];
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        width = larger(width, put_name(NULL, name_of(names, i, number)));
    }
    return width;
}

static size_t widest_cell(const float *a, size_t count, int precision)
{
    char cell[CELL_SIZE];
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        format_cell(cell, a[i], precision);
        width = larger(width, strlen(cell));
    }
    return width;
}

lab_status lab_print_matrix(FILE *out, const char *title, const float *a, size_t rows,
                            size_t columns, const char *const *row_names,
                            const char *const *column_names, int width, int precision)
{
    if (rows == 0 || columns == 0) {
        return LAB_ESHAPE;
    }
    if (width < 0 || width > 80 || precision < 0 || precision > 9) {
        return LAB_EVALUE;
    }
    char number[24];
    size_t name_width = widest_name(row_names, rows);
    size_t column_width = larger((size_t)width, widest_name(column_names, columns));
    column_width = larger(column_width, widest_cell(a, rows * columns, precision));

    if (title != NULL) {
        fprintf(out, "%s\n", title);
    }
    put_spaces(out, name_width);
    for (size_t c = 0; c < columns; c++) {
        const char *name = name_of(column_names, c, number);
        put_spaces(out, 2 + column_width - put_name(NULL, name));
        put_name(out, name);
    }
    fputc('\n', out);
    for (size_t r = 0; r < rows; r++) {
        size_t taken = put_name(out, name_of(row_names, r, number));
        put_spaces(out, name_width - taken);
        for (size_t c = 0; c < columns; c++) {
            char cell[CELL_SIZE];
            format_cell(cell, a[r * columns + c], precision);
            fprintf(out, "  %*s", (int)column_width, cell);
        }
        fputc('\n', out);
    }
    return ferror(out) ? LAB_EIO : LAB_OK;
}

// ---- a map to draw ------------------------------------------------------------------------

lab_status lab_write_map_tsv(const char *path, const float *a, size_t rows,
                             size_t columns, const char *const *row_names,
                             const char *const *column_names)
{
    if (rows == 0 || columns == 0) {
        return LAB_ESHAPE;
    }
    struct lab_replacement replacement;
    lab_status status = lab_replace_begin(&replacement, path);
    if (status != LAB_OK) {
        return status;
    }
    FILE *out = replacement.file;
    char number[24];
    for (size_t c = 0; c < columns; c++) {
        fputc('\t', out);
        put_name(out, name_of(column_names, c, number));
    }
    fputc('\n', out);
    for (size_t r = 0; r < rows; r++) {
        put_name(out, name_of(row_names, r, number));
        for (size_t c = 0; c < columns; c++) {
            float value = a[r * columns + c];
            if (isfinite(value)) {
                // 9 digits identify a float
                fprintf(out, "\t%.9g", (double)value);
            } else {
                // blank, because a color scale has no place for infinity
                fputs("\tnan", out);
            }
        }
        fputc('\n', out);
    }
    return lab_replace_commit(&replacement);
}
