// fold.c - see fold.h.

#include "report/fold.h"

#include <stdbool.h>
#include <string.h>

// Bytes of the next character or color; *columns is how wide it is.
static size_t step(const char *text, size_t *columns)
{
    *columns = 0;
    if (text[0] == '\033' && text[1] == '[') {
        const size_t code = strcspn(text, "m\n");
        return code + (text[code] == 'm');
    }
    *columns = ((unsigned char)text[0] & 0xC0) != 0x80;
    return 1;
}

static size_t width_of(const char *text, size_t size)
{
    size_t width = 0;
    for (size_t at = 0, columns; at < size; width += columns) {
        at += step(text + at, &columns);
    }
    return width;
}

// True for the blanks of a command: in "make hint EX=1.1 GPU=1", those behind make and before a variable.
static bool is_in_command(const char *line, size_t size, size_t at)
{
    const bool after_make = at >= 4 && memcmp(line + at - 4, "make", 4) == 0 &&
                            (at == 4 || line[at - 5] == ' ' || line[at - 5] == '(');
    size_t end = at + 1;
    while (end < size && line[end] >= 'A' && line[end] <= 'Z') {
        end++;
    }
    const bool before_variable =
        end > at + 2 && end < size && line[end] == '=' && line[at - 1] != ',';
    return after_make || before_variable;
}

// Where to break a line that is too long: at the last blank that fits, behind its indentation. Or
// size, if there is none.
static size_t break_of(const char *line, size_t size, size_t indent, size_t most)
{
    size_t width = 0, found = size;
    for (size_t at = 0, columns; at < size && width <= most; width += columns) {
        if (line[at] == ' ' && at > indent && line[at - 1] != ' ' &&
            !is_in_command(line, size, at)) {
            found = at;
        }
        at += step(line + at, &columns);
    }
    return found;
}

static void fold_line(FILE *file, const char *line, size_t size, size_t columns)
{
    const size_t indent = strspn(line, " ");
    const size_t further = indent + 2;
    size_t begin = 0, lead = 0; // lead: blanks that were printed before the rest
    const bool table = memchr(line, '|', size) != NULL;
    while (!table && lead + width_of(line + begin, size - begin) > columns) {
        const size_t at =
            break_of(line + begin, size - begin, begin == 0 ? indent : 0, columns - lead);
        if (at == size - begin) {
            break;
        }
        fprintf(file, "%.*s\n%*s", (int)at, line + begin, (int)further, "");
        begin += at + strspn(line + begin + at, " ");
        lead = further;
    }
    fprintf(file, "%.*s", (int)(size - begin), line + begin);
}

void report_fold(FILE *file, const char *text, size_t columns)
{
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        if (columns > 0) {
            fold_line(file, text, size, columns);
        } else {
            fwrite(text, 1, size, file);
        }
        text += size;
        if (*text == '\n') {
            fputc(*text++, file);
        }
    }
}
