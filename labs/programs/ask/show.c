// show.c - prints questions for a terminal of 80 columns.

#define _GNU_SOURCE // POSIX functions

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/ask/show.h"

enum { COLUMNS = 78 };

static bool color;

void show_begin(void)
{
    const char *no = getenv("NO_COLOR");
    color = isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0');
}

static const char *begin(enum tone tone)
{
    static const char *const codes[] = {"", "\033[32m", "\033[31m", "\033[2m", "\033[1m"};
    return color ? codes[tone] : "";
}

static const char *end(enum tone tone)
{
    return color && tone != TONE_PLAIN ? "\033[0m" : "";
}

// Columns of the first n bytes of UTF-8.
static size_t width(const char *text, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) {
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return columns;
}

// One paragraph, word by word. *column is where the line stands.
static void show_words(unsigned indent, size_t *column, const char *text, size_t n)
{
    size_t i = 0;
    while (i < n) {
        i += strspn(text + i, " ");
        size_t word = strcspn(text + i, " \n");
        word = word < n - i ? word : n - i;
        const size_t columns = width(text + i, word);
        if (word == 0) {
            break;
        }
        if (*column > indent && *column + 1 + columns > COLUMNS) {
            printf("\n%*s", (int)indent, "");
            *column = indent;
        } else if (*column > indent) {
            putchar(' ');
            ++*column;
        }
        fwrite(text + i, 1, word, stdout);
        *column += columns;
        i += word;
    }
}

void show_text(enum tone tone, unsigned indent, const char *first, const char *text)
{
    size_t column = indent;
    printf("%s%*s", begin(tone), (int)(indent - width(first, strlen(first))), "");
    fputs(first, stdout);
    for (bool more = true; more;) {
        const size_t n = strcspn(text, "\n");
        const bool code = strncmp(text, "    ", 4) == 0;
        if (code) {
            printf("%s%*s%.*s", column > indent ? "\n" : "",
                   column > indent ? (int)indent : 0, "", (int)n, text);
            column = COLUMNS; // nothing fits behind it
        } else if (n == 0) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else {
            show_words(indent, &column, text, n);
        }
        more = text[n] == '\n';
        text += n + more;
    }
    printf("%s\n", end(tone));
}

void show_question(const struct question *question, const char *title, size_t number,
                   size_t count)
{
    printf("\n%s%s, question %zu of %zu: %s%s\n\n", begin(TONE_TITLE), title, number,
           count, question->title, end(TONE_TITLE));
    show_text(TONE_PLAIN, 2, "  ", question->text);
    if (question->letters > 0) {
        putchar('\n');
    }
    for (size_t i = 0; i < question->letters; i++) {
        char letter[] = "  a  ";
        letter[2] = (char)('a' + i);
        show_text(TONE_PLAIN, 5, letter, question->items[question->shown[i]].text);
    }
    putchar('\n');
}

void show_solution(const struct question *question)
{
    if (question->kind == KIND_PREDICT) {
        printf("  The value is %.6g.\n", question->right);
    }
    for (size_t i = 0, step = 0; i < question->count; i++) {
        const struct item *item = &question->items[i];
        char number[] = "  1  ";
        if (item->mark == '>') {
            number[2] = (char)('1' + step++);
            show_text(TONE_PLAIN, 5, number, item->text);
        } else if (item->mark == '+') {
            show_text(TONE_PLAIN, 5, "", item->text);
        }
    }
    show_text(TONE_PLAIN, 2, "  ", question->explanation);
}
