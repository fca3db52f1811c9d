// hide.c - see hide.h.

#define _GNU_SOURCE
#include "judge/hide.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/options.h"

enum { MOST_FOLDERS = 12, SHORTEST_WITHIN = 12 };

// The folders to hide, without a trailing slash.
struct hidden {
    char *folder[MOST_FOLDERS];
    size_t count;
};

static void hide(struct hidden *hidden, char *folder)
{
    size_t length = folder != NULL ? strlen(folder) : 0;
    while (length > 0 && folder[length - 1] == '/') {
        folder[--length] = '\0';
    }
    if (length > 1 && hidden->count < MOST_FOLDERS) { // "." would match everywhere
        hidden->folder[hidden->count++] = folder;
    } else {
        free(folder);
    }
}

// Subfolders come before their parents.
static struct hidden list_hidden(const struct options *options)
{
    struct hidden hidden = {.count = 0};
    if (options->strangers) {
        hide(&hidden, grader_print("%s", options->source));
        hide(&hidden, realpath(options->source, NULL));
        hide(&hidden, grader_print("/submission"));
    }
    char *root = realpath(options->root, NULL);
    if (root != NULL) {
        hide(&hidden, grader_print("%s/build/tmp", root));
    }
    hide(&hidden, root);
    if (*options->root == '/') {
        hide(&hidden, grader_print("%s/build/tmp", options->root));
        hide(&hidden, grader_print("%s", options->root));
    }
    if (options->strangers && getenv("HOME") != NULL) {
        hide(&hidden, grader_print("%s", getenv("HOME")));
    }
    return hidden;
}

static bool in_name(char byte)
{
    return isalnum((unsigned char)byte) || strchr("_.-/", byte) != NULL;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), last = strlen(end);
    return length >= last && strcmp(path + length - last, end) == 0;
}

// The length of a hidden folder's name at this position, including the slash after it.
// within: inside a longer word, as in -I/home/ann/workbook/labs, where a short name may be
// part of another.
static size_t hidden_length(const struct hidden *hidden, const char *at, size_t size,
                            bool within)
{
    for (size_t i = 0; i < hidden->count; i++) {
        size_t length = strlen(hidden->folder[i]);
        bool whole = *hidden->folder[i] == '/' && length > SHORTEST_WITHIN;
        if (size < length || memcmp(at, hidden->folder[i], length) != 0 ||
            (within && !whole)) {
            continue;
        }
        if (size > length && at[length] != '/' && in_name(at[length])) {
            continue; // a different folder whose name begins the same way
        }
        length += size > length && at[length] == '/';
        if (ends_with(hidden->folder[i],
                      "/build/tmp")) { // and the run's scratch folder
            while (length < size && in_name(at[length]) && at[length] != '/') {
                length++;
            }
            length += length < size && at[length] == '/';
            static const char taken[] = "submission/";
            size_t more = strlen(taken);
            length +=
                size - length >= more && memcmp(at + length, taken, more) == 0 ? more : 0;
        }
        return length;
    }
    return 0;
}

char *hide_paths(const struct options *options, const char *bytes, size_t *size)
{
    struct hidden hidden = list_hidden(options);
    char *kept = grader_alloc(*size + 1);
    size_t count = 0;
    for (size_t i = 0; i < *size;) {
        bool within = i > 0 && in_name(bytes[i - 1]);
        size_t length = hidden_length(&hidden, bytes + i, *size - i, within);
        if (length == 0) {
            kept[count++] = bytes[i++];
        }
        i += length;
    }
    kept[count] = '\0';
    *size = count;
    for (size_t i = 0; i < hidden.count; i++) {
        free(hidden.folder[i]);
    }
    return kept;
}

void hide_paths_in(const struct options *options, char **text)
{
    if (*text != NULL) {
        size_t size = strlen(*text);
        char *kept = hide_paths(options, *text, &size);
        free(*text);
        *text = kept;
    }
}
