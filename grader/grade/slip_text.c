// slip_text.c - see slip_text.h.

#include "grade/slip_text.h"

#include <ctype.h>
#include <string.h>

bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t word_length(const char *text)
{
    size_t length = 0;
    while (in_word(text[length])) {
        length++;
    }
    return length;
}

bool is_word(const char *text, const char *word)
{
    return word_length(text) == strlen(word) && strncmp(text, word, strlen(word)) == 0;
}

const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

const char *back_to_text(const char *start, const char *at)
{
    do {
        at -= at > start;
    } while (at > start && strchr(" \t\r\n", *at) != NULL);
    return at;
}

const char *behind_bracket(const char *text, char open, char close, size_t most)
{
    size_t depth = 0;
    for (size_t i = 0; i < most && text[i] != '\0'; i++) {
        depth += text[i] == open;
        depth -= text[i] == close;
        if (depth == 0) {
            return text + i + 1;
        }
    }
    return NULL;
}
