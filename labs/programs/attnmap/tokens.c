// tokens.c - the names of queries and keys.

#include "programs/attnmap/attnmap.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void tokens_add(struct token_list *tokens, const char *name, size_t length)
{
    char **names = realloc(tokens->names, (tokens->count + 1) * sizeof *names);
    char *copy = map_allocate(length + 1, 1);
    if (names == NULL) {
        map_fail(MAP_FAILED, "out of memory");
    }
    memcpy(copy, name, length);
    names[tokens->count++] = copy;
    tokens->names = names;
}

void tokens_drop_first(struct token_list *tokens)
{
    free(tokens->names[0]);
    memmove(tokens->names, tokens->names + 1, --tokens->count * sizeof *tokens->names);
}

void tokens_free(struct token_list *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        free(tokens->names[i]);
    }
    free(tokens->names);
    *tokens = (struct token_list){0};
}

struct token_list tokens_copy(const struct token_list *tokens)
{
    struct token_list copy = {0};
    for (size_t i = 0; i < tokens->count; i++) {
        tokens_add(&copy, tokens->names[i], strlen(tokens->names[i]));
    }
    return copy;
}

struct token_list tokens_numbers(size_t count)
{
    struct token_list tokens = {0};
    for (size_t i = 0; i < count; i++) {
        char name[24];
        tokens_add(&tokens, name, (size_t)snprintf(name, sizeof name, "%zu", i));
    }
    return tokens;
}

// One token between two separators. A last line that is empty is none.
static struct token_list split(const char *text, char separator)
{
    struct token_list tokens = {0};
    while (*text != '\0') {
        const char *end = strchr(text, separator);
        size_t length = end == NULL ? strlen(text) : (size_t)(end - text);
        const size_t whole = length;
        if (separator == '\n' && length > 0 && text[length - 1] == '\r') {
            length--;
        }
        tokens_add(&tokens, text, length);
        text += whole + (end != NULL);
    }
    return tokens;
}

static char *read_text(const char *path)
{
    enum { MOST = 1 << 24 };
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        map_fail(MAP_FAILED, "%s: %s", path, strerror(errno));
    }
    char *text = map_allocate(MOST + 1, 1);
    const size_t size = fread(text, 1, MOST, file);
    if (ferror(file) || size == MOST || memchr(text, 0, size) != NULL) {
        map_fail(MAP_FAILED, "%s: this is not a list of tokens, one on each line", path);
    }
    fclose(file);
    return text;
}

struct token_list tokens_argument(const char *word)
{
    struct stat about;
    if (strchr(word, ',') == NULL && stat(word, &about) == 0) {
        char *text = read_text(word);
        const struct token_list tokens = split(text, '\n');
        free(text);
        return tokens;
    }
    return split(word, ',');
}

struct token_list tokens_metadata(const char *value)
{
    struct token_list tokens = {0};
    cJSON *list = *value == '[' ? cJSON_Parse(value) : NULL;
    if (list == NULL) {
        return split(value, '\n');
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        const char *name = cJSON_IsString(item) ? item->valuestring : "?";
        tokens_add(&tokens, name, strlen(name));
    }
    cJSON_Delete(list);
    return tokens;
}
