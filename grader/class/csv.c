// csv.c - see csv.h.

#define _GNU_SOURCE
#include "class/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/exit_code.h"
#include "base/memory.h"

enum { LARGEST_TABLE = 16 << 20, MOST_COLUMNS = 2000 };

static _Noreturn void refuse_at(const struct csv *csv, int line, const char *format,
                                va_list values)
{
    fprintf(stderr, "grade: %s", csv->path);
    if (line > 0) {
        fprintf(stderr, ", line %d", line);
    }
    fputs(": ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

__attribute__((format(printf, 3, 4))) static _Noreturn void
refuse(const struct csv *csv, int line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    refuse_at(csv, line, format, values);
}

void csv_refuse(const struct csv *csv, size_t row, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    refuse_at(csv, csv->lines[row], format, values);
}

// ---- the file -----------------------------------------------------------------------------

static size_t load(struct csv *csv)
{
    FILE *file = fopen(csv->path, "re");
    if (file == NULL) {
        refuse(csv, 0, "cannot be read: %s", strerror(errno));
    }
    csv->text = grader_alloc(LARGEST_TABLE + 2);
    size_t size = fread(csv->text, 1, LARGEST_TABLE + 1, file);
    if (ferror(file)) {
        refuse(csv, 0, "cannot be read: %s", strerror(errno));
    }
    fclose(file);
    if (size > LARGEST_TABLE) {
        refuse(csv, 0, "is larger than %d megabytes", LARGEST_TABLE >> 20);
    }
    csv->text[size] = '\0';
    return size;
}

// The length of the UTF-8 sequence that begins here, or 0. Surrogates and overlong forms
// are not looked for: such text is shown, not interpreted.
static size_t sequence(const unsigned char *at)
{
    size_t length = at[0] < 0x80             ? 1
                    : (at[0] & 0xe0) == 0xc0 ? 2
                    : (at[0] & 0xf0) == 0xe0 ? 3
                    : (at[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

static void check_encoding(const struct csv *csv, size_t size)
{
    const unsigned char *text = (const unsigned char *)csv->text;
    int line = 1;
    if (size >= 2 && ((text[0] == 0xff && text[1] == 0xfe) ||
                      (text[0] == 0xfe && text[1] == 0xff) || text[1] == '\0')) {
        refuse(csv, 0, "is UTF-16; save it as CSV in UTF-8");
    }
    for (size_t i = 0; i < size;) {
        size_t length = sequence(text + i);
        if (length == 0) {
            refuse(csv, line, "is not UTF-8; save the table as CSV in UTF-8");
        }
        if (text[i] == '\0' || (text[i] < ' ' && strchr("\t\r\n", text[i]) == NULL) ||
            text[i] == 0x7f) {
            refuse(csv, line, "contains a control character; is it a CSV file?");
        }
        line += text[i] == '\n';
        i += length;
    }
}

// The most frequent separator of the header, outside quotes.
static char separator_of(const char *text)
{
    static const char known[] = ",;\t";
    size_t count[3] = {0}, best = 0;
    bool quoted = false;
    for (; *text != '\0' && (quoted || (*text != '\n' && *text != '\r')); text++) {
        quoted = quoted != (*text == '"');
        const char *found = quoted ? NULL : strchr(known, *text);
        if (found != NULL) {
            count[found - known]++;
        }
    }
    for (size_t i = 1; i < 3; i++) {
        best = count[i] > count[best] ? i : best;
    }
    return known[best];
}

// ---- cells --------------------------------------------------------------------------------

struct reader {
    struct csv *csv;
    char *at;
    int line;
    size_t count, room; // cells
};

static void add_cell(struct reader *reader, char *cell)
{
    if (reader->count == reader->room) {
        reader->room = 2 * reader->room + 64;
        reader->csv->cells =
            grader_resize(reader->csv->cells, reader->room * sizeof(char *));
    }
    reader->csv->cells[reader->count++] = cell;
}

static bool ends_cell(const struct reader *reader)
{
    return *reader->at == reader->csv->separator || *reader->at == '\0' ||
           *reader->at == '\n' || *reader->at == '\r';
}

// The cell is unquoted in place: it never grows.
static char *quoted_cell(struct reader *reader)
{
    int line = reader->line;
    char *cell = ++reader->at, *to = cell;
    for (;; reader->at++) {
        if (*reader->at == '\0') {
            refuse(reader->csv, line, "a quoted cell has no closing quote");
        }
        if (*reader->at == '"' && *++reader->at != '"') {
            break;
        }
        reader->line += *reader->at == '\n';
        *to++ = *reader->at;
    }
    if (!ends_cell(reader)) {
        refuse(reader->csv, reader->line,
               "there is text after a cell's closing quote; a quote inside a cell is "
               "written twice");
    }
    *to = '\0';
    return cell;
}

static char *trimmed(char *cell)
{
    char *end = cell + strlen(cell);
    while (end > cell && (end[-1] == ' ' || end[-1] == '\t')) {
        *--end = '\0';
    }
    return cell + strspn(cell, " \t");
}

// Reads a row and returns its number of cells.
static size_t read_row(struct reader *reader)
{
    size_t before = reader->count;
    for (bool more = true; more;) {
        char *cell = reader->at, *end;
        if (*cell == '"') {
            cell = quoted_cell(reader);
            end = NULL;
        } else {
            while (!ends_cell(reader)) {
                reader->at++;
            }
            end = reader->at;
        }
        char stop = *reader->at;
        more = stop == reader->csv->separator;
        reader->at += stop != '\0';
        reader->at += stop == '\r' && *reader->at == '\n';
        if (end != NULL) {
            *end = '\0';
        }
        add_cell(reader, trimmed(cell));
    }
    return reader->count - before;
}

// A row as long as the header. Empty cells at its end may be missing or superfluous.
static void fit_row(struct reader *reader, size_t cells, int line)
{
    struct csv *csv = reader->csv;
    for (; cells > csv->columns; cells--) {
        if (*csv->cells[reader->count - 1] != '\0') {
            refuse(csv, line, "has %zu cells, but the header has %zu", cells,
                   csv->columns);
        }
        reader->count--;
    }
    if (cells < csv->columns) {
        refuse(csv, line, "has %zu cells, but the header has %zu", cells, csv->columns);
    }
}

static bool is_empty(const struct reader *reader, size_t cells)
{
    for (size_t i = reader->count - cells; i < reader->count; i++) {
        if (*reader->csv->cells[i] != '\0') {
            return false;
        }
    }
    return true;
}

static void note_line(struct csv *csv, int line)
{
    csv->lines = grader_resize(csv->lines, (csv->rows + 1) * sizeof *csv->lines);
    csv->lines[csv->rows++] = line;
}

// Excel's first line "sep=;". Returns what follows it.
static char *skip_hint(struct csv *csv, struct reader *reader)
{
    const char *at = reader->at;
    const bool is = strncasecmp(at, "sep=", 4) == 0 && at[4] != '\0' &&
                    strchr(",;\t", at[4]) != NULL && (at[5] == '\r' || at[5] == '\n');
    if (is) {
        csv->separator = at[4];
        reader->line++;
        return reader->at + 5 + (at[5] == '\r' && at[6] == '\n' ? 2 : 1);
    }
    csv->separator = separator_of(at);
    return reader->at;
}

void csv_read(struct csv *csv, const char *path)
{
    *csv = (struct csv){.path = path};
    size_t size = load(csv);
    check_encoding(csv, size);
    csv->marked = strncmp(csv->text, "\xef\xbb\xbf", 3) == 0;
    struct reader reader = {csv, csv->text + (csv->marked ? 3 : 0), 1, 0, 0};
    reader.at = skip_hint(csv, &reader);
    if (*reader.at == '\0' || (csv->columns = read_row(&reader)) > MOST_COLUMNS ||
        is_empty(&reader, csv->columns)) {
        refuse(csv, 1, "the first line must name the columns");
    }
    while (*reader.at != '\0') {
        int line = ++reader.line;
        size_t cells = read_row(&reader);
        if (is_empty(&reader, cells)) {
            reader.count -= cells;
            continue;
        }
        fit_row(&reader, cells, line);
        note_line(csv, line);
    }
}

void csv_free(struct csv *csv)
{
    free(csv->text);
    free(csv->cells);
    free(csv->lines);
    *csv = (struct csv){.path = NULL};
}

// ---- columns ------------------------------------------------------------------------------

static bool is_one_of(const char *word, const char *names)
{
    size_t length = strlen(word);
    for (const char *name = names;; name++) {
        size_t end = strcspn(name, "|");
        if (end == length && strncasecmp(word, name, end) == 0) {
            return true;
        }
        name += end;
        if (*name == '\0') {
            return false;
        }
    }
}

int csv_column(const struct csv *csv, const char *names)
{
    int found = -1;
    for (size_t i = 0; i < csv->columns; i++) {
        if (is_one_of(csv->cells[i], names)) {
            if (found >= 0) {
                refuse(csv, 1, "the columns \"%s\" and \"%s\" mean the same; delete one",
                       csv->cells[found], csv->cells[i]);
            }
            found = (int)i;
        }
    }
    return found;
}

int csv_need(const struct csv *csv, const char *what, const char *names)
{
    int column = csv_column(csv, names);
    if (column < 0) {
        refuse(csv, 1, "there is no column %s (known names: %s)", what, names);
    }
    return column;
}

const char *csv_cell(const struct csv *csv, size_t row, int column)
{
    return column < 0 ? "" : csv->cells[(row + 1) * csv->columns + (size_t)column];
}
