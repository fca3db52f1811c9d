// numbers.c - see numbers.h.

#include "cases/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "cases/poison.h"

enum { WIDTH = 92 };

const char exact_format[] = "%.9g";

size_t show_width(void)
{
    const size_t columns = grader_columns();
    return columns == 0 || columns > WIDTH ? WIDTH : columns;
}

void name_value(char text[32], const struct tensor *tensor, const void *values,
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

bool element_differs(const struct tensor *tensor, size_t i)
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
    return element_differs(tensor, index) && strcmp(expected, got) == 0;
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

// Returns true if a number would print like a whole one and is none: 0.99999994 as 1.0000, 0.00001 as 0.0000.
static bool reads_whole(const float *values, const struct tensor *tensor,
                        const struct window *window)
{
    bool reads = false;
    for (size_t i = 0; i < window->rows * window->columns && !reads; i++) {
        const size_t r = i / window->columns, c = i % window->columns;
        const float value = values[window->base + (window->row + r) * tensor->columns +
                                   window->column + c];
        reads = value != rintf(value) && fabsf(value - rintf(value)) < 0.5e-4f;
    }
    return reads;
}

struct style choose_style(const struct tensor *tensor, const struct window *window,
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
    // An input's digits may decide: is this uniform below 1? An output has its expected numbers beside it.
    const bool misleads = others != NULL ? hides_difference(tensor, window, style.format)
                                         : tensor->spec->type == F32 &&
                                               strcmp(style.format, "%.4f") == 0 &&
                                               reads_whole(values, tensor, window);
    style.format = misleads ? exact_format : style.format;
    widen(&style, tensor, values, window);
    if (others != NULL) {
        widen(&style, tensor, others, window);
    }
    return style;
}

void show_value(FILE *file, const struct tensor *tensor, const void *values, size_t index,
                const struct style *style)
{
    char text[32];
    name_value(text, tensor, values, index, style->format);
    fprintf(file, "%*s", style->width, text);
}
