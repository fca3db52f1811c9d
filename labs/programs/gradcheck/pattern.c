// pattern.c - reads the pattern of a wrong gradient: which elements are wrong, and by how much.
// Lab 6's handout explains it ("How to check a gradient"). Start reading at read_pattern.

#include <math.h>
#include <stdio.h>

#include "common/plural.h"
#include "programs/gradcheck/measure.h"
#include "programs/gradcheck/pattern.h"

// A wrong gradient, seen as a matrix: rows of the last axis.
struct wrong {
    const struct gradient *g;
    const double *measured;
    const bool *differs;
    size_t rows, cols;
    double largest; // of the measured elements
};

// A line of the matrix: a row (step 1) or a column (step cols).
struct line {
    size_t first, step, n;
};

static struct line row_of(const struct wrong *w, size_t r)
{
    return (struct line){r * w->cols, 1, w->cols};
}

static struct line column_of(const struct wrong *w, size_t c)
{
    return (struct line){c, w->cols, w->rows};
}

static struct line all_of(const struct wrong *w)
{
    return (struct line){0, 1, w->rows * w->cols};
}

static bool near(double a, double b, double size)
{
    return fabs(a - b) <= 0.01 * (fabs(b) + size);
}

static bool is_right(const struct wrong *w, struct line line)
{
    for (size_t k = 0; k < line.n; k++) {
        if (w->differs[line.first + k * line.step]) {
            return false;
        }
    }
    return true;
}

// Whether each element of the line is the measured one times the same factor. One element alone says
// nothing.
static bool has_factor(double *factor, const struct wrong *w, struct line line)
{
    double squares = 0, product = 0;
    for (size_t k = 0; k < line.n; k++) {
        const size_t i = line.first + k * line.step;
        squares += w->measured[i] * w->measured[i];
        product += w->measured[i] * got(w->g, i);
    }
    *factor = product / squares;
    if (line.n < 2 || !(sqrt(squares) > 0.02 * w->largest) || isnan(*factor)) {
        return false;
    }
    for (size_t k = 0; k < line.n; k++) {
        const size_t i = line.first + k * line.step;
        if (!near(got(w->g, i), *factor * w->measured[i], 0.1 * w->largest)) {
            return false;
        }
    }
    return true;
}

// Whether each element of the line is the measured one plus the same number.
static bool has_offset(const struct wrong *w, struct line line)
{
    const double offset = got(w->g, line.first) - w->measured[line.first];
    for (size_t k = 1; k < line.n; k++) {
        const size_t i = line.first + k * line.step;
        if (!near(got(w->g, i) - w->measured[i], offset, 0.1 * w->largest)) {
            return false;
        }
    }
    return line.n > 1 && !isnan(offset);
}

// ---- the patterns, the first that fits is printed ------------------------------------------

static bool not_written(char *text, size_t size, const struct wrong *w)
{
    size_t count = 0;
    const size_t n = w->rows * w->cols;
    for (size_t i = 0; i < n; i++) {
        count += isnan(w->g->got[i]) != 0;
    }
    if (count > 0) {
        snprintf(text, size,
                 "%zu of %zu element%s %s NaN: not written, or computed from unwritten "
                 "numbers.",
                 count, n, plural((double)n), count == 1 ? "is" : "are");
    }
    return count > 0;
}

static bool overwritten(char *text, size_t size, const struct wrong *w)
{
    for (size_t i = 0; i < w->rows * w->cols; i++) {
        if (w->g->kind != ADDED ||
            !near((double)w->g->got[i], w->measured[i], 0.1 * w->largest)) {
            return false;
        }
    }
    snprintf(text, size,
             "The gradient is right, but it has overwritten the old content: the "
             "contract says \"added to\".");
    return true;
}

static bool all_zero(char *text, size_t size, const struct wrong *w)
{
    for (size_t i = 0; i < w->rows * w->cols; i++) {
        if (fabs(got(w->g, i)) > 1e-6) {
            return false;
        }
    }
    snprintf(text, size,
             w->g->kind == ADDED ? "All are 0: nothing was added."
                                 : "All are 0: a term is missing.");
    return true;
}

// What a factor might be, from the sizes of the tensor.
static void name_factor(char *text, size_t size, const struct wrong *w, double factor)
{
    text[0] = '\0';
    for (size_t a = 0; a < w->g->axes && text[0] == '\0'; a++) {
        const double n = (double)w->g->size[a];
        if (n > 1 && near(factor, n, 0)) {
            snprintf(text, size, " (%g is the size of axis %zu: is a mean missing?)", n,
                     a);
        } else if (n > 1 && near(factor, 1 / n, 0)) {
            snprintf(text, size,
                     " (1/%g: axis %zu has that size. Is there one mean too many?)", n,
                     a);
        } else if (n > 1 && (near(factor, sqrt(n), 0) || near(factor, 1 / sqrt(n), 0))) {
            snprintf(text, size, " (axis %zu has %g elements: is it their square root?)",
                     a, n);
        }
    }
}

static bool one_factor(char *text, size_t size, const struct wrong *w)
{
    double factor;
    char name[80];
    if (!has_factor(&factor, w, all_of(w))) {
        return false;
    }
    name_factor(name, sizeof name, w, factor);
    if (near(factor, -1, 0)) {
        snprintf(text, size, "All have the wrong sign.");
    } else {
        snprintf(text, size,
                 "All are %.4g times what they should be: a factor is wrong%s.", factor,
                 name);
    }
    return true;
}

static bool only_diagonal_right(char *text, size_t size, const struct wrong *w)
{
    if (w->rows != w->cols || w->rows < 2) {
        return false;
    }
    for (size_t i = 0; i < w->rows * w->cols; i++) {
        if (w->differs[i] == (i / w->cols == i % w->cols)) {
            return false;
        }
    }
    snprintf(text, size, "Only the diagonal is right: a sum over the others is missing.");
    return true;
}

static bool transposed(char *text, size_t size, const struct wrong *w)
{
    const size_t n = w->rows * w->cols;
    if (w->rows < 2 || w->cols < 2) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t other = (i % w->rows) * w->cols + i / w->rows;
        if (!near(got(w->g, i), w->measured[other], 0.1 * w->largest)) {
            return false;
        }
    }
    snprintf(text, size, "The numbers are right but transposed.");
    return true;
}

// Rows or columns of which some are right, and the others wrong by a factor each.
static bool some_lines(char *text, size_t size, const struct wrong *w, const char *what,
                       size_t count, struct line (*line_of)(const struct wrong *, size_t))
{
    size_t wrong = 0, known = 0, last = 0;
    double factor = 0, smallest = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!is_right(w, line_of(w, i))) {
            wrong++;
            last = i;
            if (has_factor(&factor, w, line_of(w, i))) {
                known++;
                smallest = fmin(smallest, factor);
                most = fmax(most, factor);
            }
        }
    }
    const bool first_right = is_right(w, line_of(w, 0));
    if (count < 2 || wrong == 0 || (wrong == count && known < count)) {
        return false;
    }
    if (wrong == 1 && known == 1) {
        snprintf(text, size,
                 "All of %s %zu is off by the factor %.4g, and the rest is right.", what,
                 last, factor);
    } else if (known == wrong) {
        snprintf(text, size,
                 "%zu of %zu %ss are off, each by one factor, from %.4g to %.4g.", wrong,
                 count, what, smallest, most);
    } else if (wrong == count - 1 && first_right) {
        snprintf(
            text, size,
            "Only %s 0 is right: was something overwritten, or not reset for each %s?",
            what, what);
    } else if (wrong == 1) {
        snprintf(text, size, "Only %s %zu is wrong.", what, last);
    } else {
        snprintf(text, size, "%zu of %zu %ss are wrong, and the others are right.", wrong,
                 count, what);
    }
    return true;
}

static bool some_rows(char *text, size_t size, const struct wrong *w)
{
    return some_lines(text, size, w, "row", w->rows, row_of);
}

static bool some_columns(char *text, size_t size, const struct wrong *w)
{
    return some_lines(text, size, w, "column", w->cols, column_of);
}

static bool offset_in_each_row(char *text, size_t size, const struct wrong *w)
{
    for (size_t r = 0; r < w->rows; r++) {
        if (!has_offset(w, row_of(w, r))) {
            return false;
        }
    }
    snprintf(text, size,
             "In each row, all elements are off by the same number: a term of the whole "
             "row, such as a mean, is missing or should not be there.");
    return true;
}

void read_pattern(char *text, size_t size, const struct gradient *g,
                  const double *measured, const bool *differs)
{
    static bool (*const patterns[])(char *, size_t, const struct wrong *) = {
        not_written,         overwritten, all_zero,           one_factor,   transposed,
        only_diagonal_right, some_rows,   offset_in_each_row, some_columns,
    };
    const size_t cols = g->size[g->axes - 1];
    struct wrong w = {g, measured, differs, g->n / cols, cols, 0};
    for (size_t i = 0; i < g->n; i++) {
        w.largest = fmax(w.largest, fabs(measured[i]));
    }
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        if (patterns[p](text, size, &w)) {
            return;
        }
    }
    text[0] = '\0';
}
