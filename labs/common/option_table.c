// option_table.c - see option_table.h. Start reading at option_table_read.

#include "common/option_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Noreturn void option_refuse(const struct option_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", table->program);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (%s)\n", table->more);
    va_end(arguments);
    exit(OPTION_EXIT);
}

// ---- values -------------------------------------------------------------------------------

uint64_t option_whole(const struct option_table *table, const char *name,
                      const char *word, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        option_refuse(table, "%s takes a whole number from %llu to %llu, not '%s'", name,
                      (unsigned long long)least, (unsigned long long)most, word);
    }
    return value;
}

double option_real(const struct option_table *table, const struct option_row *row,
                   const char *word)
{
    const double least = (double)row->least, most = (double)row->most;
    char *end;
    const double value = strtod(word, &end);
    bool fits = *word != '\0' && *end == '\0' && value >= least && value <= 3e38;
    char range[64];
    if (row->most == 0) {
        snprintf(range, sizeof range, "from %g on", least);
    } else if (row->below) {
        fits = fits && value < most;
        snprintf(range, sizeof range, "from %g to below %g", least, most);
    } else {
        fits = fits && value <= most;
        snprintf(range, sizeof range, "from %g to %g", least, most);
    }
    if (!fits) {
        option_refuse(table, "%s takes a number %s, not '%s'", row->name, range, word);
    }
    return value;
}

// "cpu gpu all" as "cpu, gpu or all".
static void list_words(char *list, size_t size, const char *words)
{
    size_t at = 0;
    for (const char *c = words; *c != '\0' && at + 5 < size; c++) {
        if (*c != ' ') {
            list[at++] = *c;
        } else {
            const char *between = strchr(c + 1, ' ') != NULL ? ", " : " or ";
            memcpy(list + at, between, strlen(between));
            at += strlen(between);
        }
    }
    list[at] = '\0';
}

size_t option_word(const struct option_table *table, const char *name, const char *word,
                   const char *words)
{
    size_t place = 0;
    for (const char *at = words; *at != '\0'; place++) {
        const size_t length = strcspn(at, " ");
        if (strlen(word) == length && strncmp(word, at, length) == 0) {
            return place;
        }
        at += length + (at[length] == ' ');
    }
    char list[256];
    list_words(list, sizeof list, words);
    option_refuse(table, "%s is %s, not '%s'", name, list, word);
}

static void set(const struct option_table *table, void *settings,
                const struct option_row *row, const char *word)
{
    void *place = (char *)settings + row->place;
    switch (row->kind) {
    case OPTION_YES:
    case OPTION_NO:
        *(bool *)place = row->kind == OPTION_YES;
        break;
    case OPTION_TEXT:
        *(const char **)place = word;
        break;
    case OPTION_INT:
        *(int *)place = (int)option_whole(table, row->name, word, row->least, row->most);
        break;
    case OPTION_SIZE:
        *(size_t *)place = option_whole(table, row->name, word, row->least, row->most);
        break;
    case OPTION_UINT64:
        *(uint64_t *)place = option_whole(table, row->name, word, row->least, row->most);
        break;
    case OPTION_FLOAT:
        *(float *)place = (float)option_real(table, row, word);
        break;
    case OPTION_DOUBLE:
        *(double *)place = option_real(table, row, word);
        break;
    case OPTION_WORD:
        *(unsigned *)place = (unsigned)option_word(table, row->name, word, row->words);
        break;
    case OPTION_CALL:
        row->take(settings, row, word);
        break;
    }
}

// ---- help ---------------------------------------------------------------------------------

static bool is_end(const struct option_row *row)
{
    return row->name == NULL && row->help == NULL;
}

// How many columns a line may have: as many as the terminal, or 80 where there is none.
static int terminal_columns(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : 80;
}

// Columns of the text up to its end, or up to its first line end. Bytes that continue a character take none.
static int width_of(const char *text, const char *end)
{
    int width = 0;
    for (; text < end; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

// Where a line that begins in a column must be broken: at the last blank that fits, or at its end.
static const char *break_of(const char *line, const char *end, int column, int columns)
{
    const char *found = end;
    if (column + width_of(line, end) <= columns) {
        return end;
    }
    for (const char *at = line + strspn(line, " "); at < end; at++) {
        if (*at == ' ' && (found == end || column + width_of(line, at) <= columns)) {
            found = at;
        }
    }
    return found;
}

// Prints a line and its end, in several rows if it is wider than the terminal. The first row begins in
// `column`, the others in `further`.
static void print_line(const char *line, const char *end, int column, int further)
{
    const int columns = terminal_columns();
    for (;;) {
        const char *at = break_of(line, end, column, columns);
        printf("%.*s\n", (int)(at - line), line);
        line = at + strspn(at, " ");
        if (line >= end) {
            return;
        }
        column = further < columns / 2 ? further : 4;
        printf("%*s", column, "");
    }
}

// Lines of text before, between and behind the options.
static void print_text(const char *text)
{
    while (*text != '\0') {
        const char *end = text + strcspn(text, "\n");
        print_line(text, end, 0, (int)strspn(text, " ") + 4);
        text = end + (*end == '\n');
    }
}

static void print_row(const struct option_table *table, const struct option_row *row)
{
    if (row->name == NULL) {
        print_text(row->help);
        return;
    }
    int at = printf("  %s%s%s", row->name, row->value != NULL ? " " : "",
                    row->value != NULL ? row->value : "");
    for (const char *line = row->help; line != NULL; at = 0) {
        const char *end = line + strcspn(line, "\n");
        const int spaces = table->column - at;
        const int blanks = spaces > 2 || at == 0 ? spaces : 2;
        printf("%*s", blanks, "");
        print_line(line, end, at + blanks, table->column);
        line = *end == '\n' ? end + 1 : NULL;
    }
}

_Noreturn void option_help(const struct option_table *table)
{
    static const struct option_row help = {"--help", NULL, "this text"};
    print_text(table->before != NULL ? table->before : "");
    for (const struct option_row *row = table->rows; !is_end(row); row++) {
        if (row->help != NULL) {
            print_row(table, row);
        }
    }
    print_row(table, &help);
    print_text(table->after != NULL ? table->after : "");
    exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

// ---- reading ------------------------------------------------------------------------------

// The row with this name or unique abbreviation, or NULL.
static const struct option_row *find(const struct option_table *table, const char *word,
                                     size_t length)
{
    const struct option_row *found = NULL;
    size_t count = 0;
    for (const struct option_row *row = table->rows; !is_end(row); row++) {
        if (row->name != NULL && strncmp(row->name, word, length) == 0) {
            if (strlen(row->name) == length) {
                return row;
            }
            found = row;
            count++;
        }
    }
    return count == 1 && length > 2 ? found : NULL;
}

static bool takes_a_value(const struct option_row *row)
{
    return row->kind != OPTION_YES && row->kind != OPTION_NO && row->value != NULL;
}

// Sets the value of an option. given has a mark for each row with .once that was given.
static void read_value(const struct option_table *table, void *settings, bool *given,
                       const struct option_row *row, const char *word)
{
    bool *before = &given[row - table->rows];
    if (row->once && *before) {
        option_refuse(table, "%s takes one value: it is given twice", row->name);
    }
    *before = true;
    set(table, settings, row, word);
}

static size_t count_rows(const struct option_table *table)
{
    size_t count = 0;
    while (!is_end(&table->rows[count])) {
        count++;
    }
    return count;
}

static void read_argument(const struct option_table *table, void *settings,
                          const char *word)
{
    if (table->argument == NULL) {
        option_refuse(table, "unexpected argument %s", word);
    }
    table->argument(settings, word);
}

void option_table_read(const struct option_table *table, void *settings, int argc,
                       char **argv)
{
    bool options = true; // after "--" nothing is an option
    bool given[count_rows(table) + 1];
    memset(given, 0, sizeof given);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *equals = strchr(word, '=');
        if (!options || *word != '-' || strcmp(word, "-") == 0) {
            read_argument(table, settings, word);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        if (strcmp(word, "--help") == 0) {
            option_help(table);
        }
        const size_t length = equals == NULL ? strlen(word) : (size_t)(equals - word);
        const struct option_row *row = find(table, word, length);
        if (row == NULL) {
            option_refuse(table, "unknown option %.*s", (int)length, word);
        } else if (!takes_a_value(row) && equals != NULL) {
            option_refuse(table, "%s takes no value", row->name);
        } else if (!takes_a_value(row)) {
            read_value(table, settings, given, row, NULL);
        } else if (equals != NULL) {
            read_value(table, settings, given, row, equals + 1);
        } else if (i + 1 < argc) {
            read_value(table, settings, given, row, argv[++i]);
        } else {
            option_refuse(table, "%s needs a value", row->name);
        }
    }
}
