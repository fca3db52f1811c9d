// wrapped.c - see wrapped.h.

#define _GNU_SOURCE

#include "programs/language/wrapped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "programs/language/story.h"

size_t wrapped_columns(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void put(const uint8_t *text, size_t length)
{
    if (fwrite(text, 1, length, stdout) != length) {
        train_fail(TRAIN_FAILED, "the standard output: %s", strerror(errno));
    }
}

// Writes the blanks and the word, or a line end and the word.
static void put_word(struct wrapped *w)
{
    if (w->length > 0 && w->column > 0 && w->blanks > 0 &&
        w->column + w->blanks + w->length > w->columns) {
        put((const uint8_t *)"\n", 1);
        w->column = w->blanks = 0;
    }
    w->column += w->blanks + w->length;
    for (; w->blanks > 0; w->blanks--) {
        put((const uint8_t *)" ", 1);
    }
    put(w->word, w->length);
    w->length = 0;
}

static void take(struct wrapped *w, uint8_t byte)
{
    if (byte == ' ' || byte == '\n' || w->length == WRAPPED_WORD) {
        put_word(w);
    }
    if (byte == ' ') {
        w->blanks++;
    } else if (byte == '\n') {
        put(&byte, 1);
        w->column = w->blanks = 0;
    } else {
        w->word[w->length++] = byte;
    }
}

void wrapped_write(struct wrapped *wrapped, const uint8_t *text, size_t length)
{
    if (wrapped->columns == 0) {
        put(text, length);
    } else {
        for (size_t i = 0; i < length; i++) {
            take(wrapped, text[i]);
        }
    }
    if (fflush(stdout) != 0) {
        train_fail(TRAIN_FAILED, "the standard output: %s", strerror(errno));
    }
}
