// corpus.c - a text file as tokens.

#define _POSIX_C_SOURCE 200809L

#include "programs/language/story.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t largest = 1000000000; // bytes

void corpus_read(uint8_t **text, size_t *size, const char *path, size_t least)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (file == NULL && strcmp(path, STORIES) == 0) {
        train_fail(TRAIN_FAILED, "%s is missing; make stories writes it", path);
    }
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        train_fail(TRAIN_FAILED, "cannot read %s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        train_fail(TRAIN_FAILED, "%s is not a file", path);
    }
    if ((size_t)status.st_size > largest) {
        train_fail(TRAIN_FAILED, "%s has more than %zu bytes", path, largest);
    }
    *size = (size_t)status.st_size;
    if (*size < least) {
        train_fail(TRAIN_FAILED, "%s has %zu byte%s; at least %zu are needed here", path,
                   *size, *size == 1 ? "" : "s", least);
    }
    *text = malloc(*size + 1);
    if (*text == NULL) {
        train_fail(TRAIN_FAILED, "out of memory: %zu bytes", *size);
    }
    if (fread(*text, 1, *size, file) != *size) {
        train_fail(TRAIN_FAILED, "cannot read %s: %s", path, strerror(errno));
    }
    fclose(file);
}

// How many bytes the UTF-8 character at text[at] has; 0 if there is none, or one that controls a terminal.
static size_t character_at(const uint8_t *text, size_t at, size_t size)
{
    const uint8_t first = text[at];
    const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                          : first >= 0xE0 && first < 0xF0 ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    for (size_t i = 1; i < length; i++) {
        if (at + i >= size || (text[at + i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return first == 0xC2 && text[at + 1] < 0xA0 ? 0 : length;
}

void corpus_name_character(char text[16], const uint8_t *stream, size_t at, size_t size)
{
    const uint8_t byte = stream[at];
    size_t begin = at;
    while (at - begin < 3 && begin > 0 && (stream[begin] & 0xC0) == 0x80) {
        begin--;
    }
    const size_t length = character_at(stream, begin, size);
    if (byte == '\n') {
        snprintf(text, 16, "a newline");
    } else if (byte > ' ' && byte < 0x7f) {
        snprintf(text, 16, "'%c'", byte);
    } else if (begin + length > at) {
        snprintf(text, 16, "'%.*s'", (int)length, (const char *)stream + begin);
    } else {
        snprintf(text, 16, "byte 0x%02X", byte);
    }
}

static _Noreturn void unknown(const uint8_t *text, size_t size,
                              const struct alphabet *alphabet, int exit_status,
                              const char *path)
{
    bool known[256] = {false};
    size_t line = 1, at = 0;
    char name[16];
    for (size_t i = 0; i < alphabet->V; i++) {
        known[alphabet->bytes[i]] = true;
    }
    for (; known[text[at]]; at++) {
        line += text[at] == '\n';
    }
    corpus_name_character(name, text, at, size);
    train_fail(exit_status,
               "%s, line %zu: %s is not among the %zu characters of the model", path,
               line, name, alphabet->V);
}

struct corpus corpus_encode(const uint8_t *text, size_t size,
                            const struct alphabet *alphabet, int exit_status,
                            const char *path)
{
    struct corpus corpus = {.stream = malloc(size * sizeof *corpus.stream), .N = size};
    if (corpus.stream == NULL) {
        train_fail(TRAIN_FAILED, "out of memory: %zu tokens", size);
    }
    const lab_status status =
        encode(corpus.stream, text, alphabet->bytes, size, alphabet->V);
    if (status == LAB_EVALUE) {
        unknown(text, size, alphabet, exit_status, path);
    }
    if (status != LAB_OK) {
        train_fail(TRAIN_FAILED, "8.1 encode: %s; see make check EX=8.1",
                   lab_status_message(status));
    }
    return corpus;
}

struct corpus corpus_prompt(const char *prompt, const struct alphabet *alphabet)
{
    const uint8_t first =
        memchr(alphabet->bytes, '\n', alphabet->V) != NULL ? '\n' : alphabet->bytes[0];
    return prompt == NULL ? corpus_encode(&first, 1, alphabet, TRAIN_FAILED, "the text")
                          : corpus_encode((const uint8_t *)prompt, strlen(prompt),
                                          alphabet, TRAIN_USAGE, "--prompt");
}
