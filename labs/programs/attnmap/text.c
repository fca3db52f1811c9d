// text.c - matrices as text: of numpy.savetxt, of a spreadsheet, or a Map TSV (docs/formats.md).

#include "programs/attnmap/attnmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"

// What has been read so far.
struct reading {
    const char *where; // for messages
    size_t line;
    struct array array;
    size_t room;                  // of array.data
    size_t rows, columns;         // of this matrix; of every matrix
    size_t matrices, matrix_rows; // finished ones, and the rows of each
    struct token_list *queries, *keys;
    bool headed;     // the first line names the columns
    bool rows_named; // each row begins with a name
};

struct field {
    const char *text;
    size_t length;
};

enum { FIELDS = 65536 };

// A tab separates if there is one, otherwise a comma or a semicolon, otherwise blanks.
static char separator_of(const char *line, size_t length)
{
    for (const char *c = "\t,;"; *c != '\0'; c++) {
        if (memchr(line, *c, length) != NULL) {
            return *c;
        }
    }
    return ' ';
}

static struct field trimmed(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '"')) {
        begin++;
    }
    while (end > begin && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '"')) {
        end--;
    }
    return (struct field){begin, (size_t)(end - begin)};
}

static size_t split(struct field *fields, const char *line, size_t length,
                    const struct reading *r)
{
    const char separator = separator_of(line, length), *end = line + length;
    size_t count = 0;
    while (line <= end) {
        const char *stop = memchr(line, separator, (size_t)(end - line));
        stop = stop == NULL ? end : stop;
        const struct field field = trimmed(line, stop);
        line = stop + 1;
        if (separator == ' ' && field.length == 0) {
            continue; // several blanks in a row
        }
        if (count == FIELDS) {
            map_fail(MAP_FAILED, "%s: line %zu has more than %d numbers", r->where,
                     r->line, FIELDS);
        }
        fields[count++] = field;
    }
    return count;
}

static bool is_number(const struct field *field, float *value)
{
    char copy[64], *end;
    if (field->length == 0 || field->length >= sizeof copy) {
        return false;
    }
    memcpy(copy, field->text, field->length);
    copy[field->length] = '\0';
    *value = strtof(copy, &end);
    return *end == '\0';
}

static void put(struct reading *r, float value)
{
    if (r->array.count == r->room) {
        r->room = 2 * r->room + 1024;
        r->array.data = realloc(r->array.data, r->room * sizeof *r->array.data);
        if (r->array.data == NULL) {
            map_fail(MAP_FAILED, "out of memory");
        }
    }
    r->array.data[r->array.count++] = value;
}

// The first line names the columns if its first field is empty or one of the others is no number.
static bool is_heading(const struct field *fields, size_t count)
{
    float value;
    for (size_t i = 1; i < count; i++) {
        if (!is_number(&fields[i], &value)) {
            return true;
        }
    }
    return count > 1 && fields[0].length == 0;
}

// The first row of numbers tells whether rows begin with a name. If they do, the first name of a
// heading that is just as long stands above these names and is no key.
static void learn_from_first_row(struct reading *r, const struct field *fields,
                                 size_t count)
{
    float value;
    r->rows_named = count == r->keys->count + 1 || !is_number(&fields[0], &value);
    if (r->rows_named && r->headed && r->keys->count == count) {
        tokens_drop_first(r->keys);
    }
    r->columns = r->headed ? r->keys->count : count - r->rows_named;
}

static void put_row(struct reading *r, const struct field *fields, size_t count)
{
    float value;
    if (r->columns == 0) {
        learn_from_first_row(r, fields, count);
    }
    const bool named = r->rows_named;
    const size_t numbers = count - named;
    if (numbers != r->columns || numbers == 0) {
        map_fail(MAP_FAILED,
                 "%s: line %zu has %zu number%s, and the lines before it have %zu",
                 r->where, r->line, numbers, plural((double)numbers), r->columns);
    }
    if (named && r->matrices == 0) {
        tokens_add(r->queries, fields[0].text, fields[0].length);
    }
    for (size_t i = named; i < count; i++) {
        if (!is_number(&fields[i], &value)) {
            map_fail(MAP_FAILED, "%s: line %zu: '%.*s' is not a number", r->where,
                     r->line, (int)fields[i].length, fields[i].text);
        }
        put(r, value);
    }
    r->rows++;
}

static void end_matrix(struct reading *r)
{
    if (r->rows == 0) {
        return;
    }
    if (r->matrices > 0 && r->rows != r->matrix_rows) {
        map_fail(
            MAP_FAILED,
            "%s: the matrix that ends at line %zu has %zu row%s, the first one has %zu",
            r->where, r->line, r->rows, plural((double)r->rows), r->matrix_rows);
    }
    r->matrix_rows = r->rows;
    r->matrices++;
    r->rows = 0;
}

static void read_line(struct reading *r, struct field *fields, const char *line,
                      size_t length)
{
    const struct field all = trimmed(line, line + length);
    if (all.length == 0 && memchr(line, '\t', length) == NULL) {
        end_matrix(r);
        return;
    }
    if (all.length > 0 && *all.text == '#' && !r->headed) {
        return; // numpy.savetxt's comments; behind a heading, "#" may be a token
    }
    const size_t count = split(fields, line, length, r);
    if (r->columns == 0 && !r->headed && is_heading(fields, count)) {
        const size_t first = fields[0].length == 0;
        for (size_t i = first; i < count; i++) {
            tokens_add(r->keys, fields[i].text, fields[i].length);
        }
        r->headed = true;
        return;
    }
    put_row(r, fields, count);
}

struct array text_parse(const char *text, size_t size, const char *where,
                        struct token_list *queries, struct token_list *keys)
{
    struct reading r = {.where = where, .queries = queries, .keys = keys};
    struct field *fields = map_allocate(FIELDS, sizeof *fields);
    const char *end = text + size;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop == NULL ? end : stop;
        r.line++;
        read_line(&r, fields, text, (size_t)(stop - text));
        text = stop + 1;
    }
    end_matrix(&r);
    free(fields);
    if (r.matrices == 0) {
        map_fail(MAP_FAILED, "%s: there are no numbers in this file", where);
    }
    struct array array = r.array;
    if (r.matrices > 1) {
        array.shape[array.axes++] = r.matrices;
    }
    array.shape[array.axes++] = r.matrix_rows;
    array.shape[array.axes++] = r.columns;
    return array;
}
