// wrapped.h - prints a text in lines of a given width. A header without a .c file, because the simulated
// GPU uses it, too: a user's program links that, and may have functions of any name.

#ifndef GRADER_WRAPPED_H
#define GRADER_WRAPPED_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Prints the text in lines of at most width columns, if no word is longer: the first after prefix, the
// others indented by two. Keeps line breaks in the text, and the blanks at the beginning of a line; the
// rest of such a line is indented by four more.
static inline void print_wrapped(FILE *file, const char *prefix, const char *text,
                                 size_t width)
{
    size_t indent = 0, rest = 0; // of this line, and of what does not fit in it
    for (const char *line = prefix; *text != '\0'; line = "  ") {
        size_t column = (size_t)fprintf(file, "%s%*s", line, (int)indent, "");
        if (indent == 0) {
            const size_t blanks = strspn(text, " ");
            rest = blanks > 0 ? blanks + 4 : 0;
        }
        for (;;) {
            size_t word = strcspn(text, " \n");
            fprintf(file, "%.*s", (int)word, text);
            column += word;
            text += word;
            if (*text != ' ' || column + 1 + strcspn(text + 1, " \n") > width) {
                break;
            }
            fputc(*text++, file);
            column++;
        }
        indent = *text == ' ' ? rest : 0;
        text += *text != '\0';
        fputc('\n', file);
    }
}

#endif
