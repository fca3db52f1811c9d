// vocabulary.c - the names of all tokens: from tokenizer.json if there is one, otherwise from
// vocab.txt (BERT: a token on each line) or vocab.json (GPT-2: {"token": number}).

#include "programs/reading/read_model.h"

#include <stdlib.h>
#include <string.h>

// Names by token, before they lie one after the other.
struct names {
    const char **at; // (V); NULL: no token has this number
    size_t *lengths; // (V)
    size_t V;
};

// ---- JSON ---------------------------------------------------------------------------------

static void take(struct names *names, const struct document *d, const char *name,
                 size_t length, const json_t *number)
{
    size_t token = 0;
    if (!number_is_whole(number, &token) || token >= names->V) {
        document_fail(d, "the token '%.60s' should have a number below vocab_size, %zu",
                      name, names->V);
    }
    if (names->at[token] != NULL && strcmp(names->at[token], name) != 0) {
        document_fail(d, "the tokens '%.60s' and '%.60s' have the same number, %zu",
                      names->at[token], name, token);
    }
    names->at[token] = name;
    names->lengths[token] = length;
}

// {"token": number}
static void take_object(struct names *names, const struct document *d, json_t *object)
{
    const char *name;
    json_t *number;
    if (!json_is_object(object)) {
        document_fail(d, "the vocabulary should be an object {\"token\": number}");
    }
    json_object_foreach(object, name, number)
    {
        take(names, d, name, strlen(name), number);
    }
}

// added_tokens of tokenizer.json: [{"id": number, "content": name}]
static void take_added(struct names *names, const struct document *d)
{
    size_t i;
    json_t *added;
    json_array_foreach(json_object_get(d->root, "added_tokens"), i, added)
    {
        const char *name = document_word(d, added, "content", "");
        take(names, d, name, strlen(name), json_object_get(added, "id"));
    }
}

// ---- vocab.txt ----------------------------------------------------------------------------

static void take_line(struct names *names, const char *path, size_t line,
                      const char *name, size_t length)
{
    length -= length > 0 && name[length - 1] == '\r';
    if (line == names->V) {
        reader_fail(READER_FAILED, "%s: there are more than vocab_size = %zu lines", path,
                    names->V);
    }
    if (utf8_prefix((const uint8_t *)name, length) < length ||
        memchr(name, 0, length) != NULL) {
        reader_fail(READER_FAILED, "%s: line %zu is not UTF-8 text", path, line + 1);
    }
    names->at[line] = name;
    names->lengths[line] = length;
}

static void take_lines(struct names *names, const char *path,
                       const struct bytes *contents)
{
    const char *at = (const char *)contents->at, *end = at + contents->size;
    for (size_t line = 0; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline == NULL ? end : newline;
        take_line(names, path, line, at, (size_t)(stop - at));
        at = stop + (newline != NULL);
    }
}

// ---- the table ----------------------------------------------------------------------------

// Copies the names, one after the other.
static void build(struct vocabulary *vocabulary, const struct names *names)
{
    for (size_t v = 0; v < names->V; v++) {
        bytes_add(&vocabulary->text, names->at[v], names->lengths[v]);
        sizes_add(&vocabulary->ends, vocabulary->text.size);
    }
    bytes_add(&vocabulary->text, "", 1); // so that text.at is never NULL
    const lab_status status =
        lab_pieces_open(&vocabulary->pieces, vocabulary->text.at, vocabulary->ends.at,
                        vocabulary->ends.count);
    if (status != LAB_OK) {
        reader_fail(READER_FAILED, "the vocabulary: %s", lab_status_message(status));
    }
}

static void open_text(struct vocabulary *vocabulary, struct names *names,
                      const char *folder)
{
    char path[PATH_SIZE];
    struct bytes contents;
    path_join(path, folder, "vocab.txt");
    if (!file_read(&contents, path)) {
        reader_fail(
            READER_FAILED,
            "%s: there is neither a tokenizer.json nor a vocab.txt in this folder",
            folder);
    }
    take_lines(names, path, &contents);
    build(vocabulary, names);
    free(contents.at);
}

static void open_json(struct vocabulary *vocabulary, struct names *names,
                      const char *folder)
{
    struct document d;
    if (!document_open(&d, folder, "vocab.json")) {
        reader_fail(
            READER_FAILED,
            "%s: there is neither a tokenizer.json nor a vocab.json in this folder",
            folder);
    }
    take_object(names, &d, d.root);
    build(vocabulary, names);
    document_close(&d);
}

static void open_tokenizer(struct vocabulary *vocabulary, struct names *names,
                           const struct document *tokenizer)
{
    const json_t *model = json_object_get(tokenizer->root, "model");
    take_object(names, tokenizer, json_object_get(model, "vocab"));
    take_added(names, tokenizer);
    build(vocabulary, names);
}

void vocabulary_open(struct vocabulary *vocabulary, const char *folder,
                     const struct document *tokenizer, const struct config *config)
{
    struct names names = {
        .at = reader_allocate(config->V, sizeof *names.at),
        .lengths = reader_allocate(config->V, sizeof *names.lengths),
        .V = config->V,
    };
    *vocabulary = (struct vocabulary){0};
    if (json_object_size(tokenizer->root) > 0) {
        open_tokenizer(vocabulary, &names, tokenizer);
    } else if (config->family == BERT) {
        open_text(vocabulary, &names, folder);
    } else {
        open_json(vocabulary, &names, folder);
    }
    free(names.at);
    free(names.lengths);
}

void vocabulary_close(struct vocabulary *vocabulary)
{
    lab_pieces_close(&vocabulary->pieces);
    free(vocabulary->text.at);
    free(vocabulary->ends.at);
    *vocabulary = (struct vocabulary){0};
}

const char *vocabulary_name(const struct vocabulary *vocabulary, size_t token,
                            size_t *length)
{
    const size_t begin = token == 0 ? 0 : vocabulary->ends.at[token - 1];
    *length = vocabulary->ends.at[token] - begin;
    return *length == 0 ? "" : (const char *)vocabulary->text.at + begin;
}

size_t vocabulary_find(const struct vocabulary *vocabulary, const char *name)
{
    const size_t length = strlen(name);
    return length == 0
               ? vocabulary->pieces.V
               : lab_piece_find(&vocabulary->pieces, "", (const uint8_t *)name, length);
}
