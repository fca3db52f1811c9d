// document.c - JSON files of a model. The parser, libjansson, refuses JSON that is nested more than
// 2048 deep, so a hostile file cannot use up the stack.
//
// Every number is read as a double: published files have whole numbers of 31 digits, for "no limit".

#include "programs/reading/read_model.h"

#include <stdio.h>
#include <stdlib.h>

void document_fail(const struct document *document, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader_fail(READER_FAILED, "%s: %s", document->path, text);
}

bool document_open(struct document *document, const char *folder, const char *name)
{
    struct bytes contents;
    json_error_t error;
    path_join(document->path, folder, name);
    const bool found = file_read(&contents, document->path);
    const char *text = contents.size == 0 ? "" : (const char *)contents.at;
    document->root =
        found ? json_loadb(text, contents.size,
                           JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error)
              : json_object();
    free(contents.at);
    if (document->root == NULL) {
        document_fail(document, "line %d: %s", error.line, error.text);
    }
    if (!json_is_object(document->root)) {
        document_fail(document, "this should be an object {...}");
    }
    return found;
}

void document_close(struct document *document)
{
    json_decref(document->root);
    document->root = NULL;
}

// The value, or NULL if it is missing or null.
static const json_t *value_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

bool document_flag(const struct document *document, const json_t *object, const char *key,
                   bool usual)
{
    const json_t *value = value_of(object, key);
    if (value != NULL && !json_is_boolean(value)) {
        document_fail(document, "%s should be true or false", key);
    }
    return value == NULL ? usual : json_is_true(value);
}

const char *document_word(const struct document *document, const json_t *object,
                          const char *key, const char *usual)
{
    const json_t *value = value_of(object, key);
    if (value != NULL && !json_is_string(value)) {
        document_fail(document, "%s should be a string", key);
    }
    return value == NULL ? usual : json_string_value(value);
}

double document_number(const struct document *document, const json_t *object,
                       const char *key, double usual)
{
    const json_t *value = value_of(object, key);
    if (value != NULL && !json_is_number(value)) {
        document_fail(document, "%s should be a number", key);
    }
    return value == NULL ? usual : json_number_value(value);
}

bool number_is_whole(const json_t *value, size_t *number)
{
    const double real = json_is_number(value) ? json_number_value(value) : -1;
    if (!(real >= 0 && real < 0x1p53) || real != (double)(size_t)real) {
        return false;
    }
    *number = (size_t)real;
    return true;
}

size_t document_size(const struct document *document, const json_t *object,
                     const char *key, size_t usual)
{
    const size_t most = 1 << 22;
    const json_t *value = value_of(object, key);
    size_t number = usual;
    if (value == NULL && usual == 0) {
        document_fail(document, "%s is missing", key);
    }
    if (value != NULL &&
        (!number_is_whole(value, &number) || number < 1 || number > most)) {
        document_fail(document, "%s should be a whole number from 1 to %zu", key, most);
    }
    return number;
}
