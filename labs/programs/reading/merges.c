// merges.c - GPT-2's pairs, in the order of their ranks: from tokenizer.json (strings "a b", or
// lists ["a", "b"]) or merges.txt (a pair on each line).

#include "programs/reading/read_model.h"

#include <stdlib.h>
#include <string.h>

// A piece of the pair of this rank. Exits if it is not in the vocabulary.
static size_t find(const struct vocabulary *vocabulary, const char *path, size_t rank,
                   const struct bytes *piece)
{
    const size_t token = piece->size == 0 ? vocabulary->pieces.V
                                          : lab_piece_find(&vocabulary->pieces, "",
                                                           piece->at, piece->size);
    if (token == vocabulary->pieces.V) {
        reader_fail(READER_FAILED,
                    "%s: merge %zu needs the token '%.*s', which the vocabulary lacks",
                    path, rank, (int)(piece->size < 60 ? piece->size : 60),
                    piece->size == 0 ? "" : (const char *)piece->at);
    }
    return token;
}

// left and right become the token whose name is both, one after the other.
static void add(struct merges *merges, const struct vocabulary *vocabulary,
                const char *path, const struct bytes *left, const struct bytes *right)
{
    const size_t rank = merges->left.count;
    struct bytes both = {0};
    bytes_add(&both, left->at, left->size);
    bytes_add(&both, right->at, right->size);
    sizes_add(&merges->left, find(vocabulary, path, rank, left));
    sizes_add(&merges->right, find(vocabulary, path, rank, right));
    sizes_add(&merges->merged, find(vocabulary, path, rank, &both));
    free(both.at);
}

// "a b"
static void add_line(struct merges *merges, const struct vocabulary *vocabulary,
                     const char *path, const char *line, size_t length)
{
    const char *space = memchr(line, ' ', length);
    if (space == NULL || memchr(space + 1, ' ', length - (size_t)(space + 1 - line))) {
        reader_fail(READER_FAILED,
                    "%s: merge %zu, '%.*s', should be two tokens with a "
                    "space between them",
                    path, merges->left.count, (int)(length < 60 ? length : 60), line);
    }
    const size_t first = (size_t)(space - line);
    add(merges, vocabulary, path, &(struct bytes){(uint8_t *)line, first, first},
        &(struct bytes){(uint8_t *)space + 1, length - first - 1, length - first - 1});
}

// The first line of merges.txt is "#version: 0.2".
static void add_lines(struct merges *merges, const struct vocabulary *vocabulary,
                      const char *path, const struct bytes *contents)
{
    const char *at = (const char *)contents->at, *end = at + contents->size;
    for (bool first = true; at < end; first = false) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline == NULL ? end : newline;
        const size_t whole = (size_t)(stop - at);
        const size_t length = whole - (whole > 0 && stop[-1] == '\r');
        const bool comment = first && length >= 8 && memcmp(at, "#version", 8) == 0;
        if (length > 0 && !comment) {
            add_line(merges, vocabulary, path, at, length);
        }
        at = stop + (newline != NULL);
    }
}

static struct bytes text_of(const json_t *string)
{
    const size_t length = json_string_length(string);
    return (struct bytes){(uint8_t *)json_string_value(string), length, length};
}

static void add_json(struct merges *merges, const struct vocabulary *vocabulary,
                     const struct document *d, const json_t *pair)
{
    if (json_is_string(pair)) {
        add_line(merges, vocabulary, d->path, json_string_value(pair),
                 json_string_length(pair));
        return;
    }
    const struct bytes left = text_of(json_array_get(pair, 0)),
                       right = text_of(json_array_get(pair, 1));
    if (json_array_size(pair) != 2 || left.at == NULL || right.at == NULL) {
        document_fail(d, "merge %zu should be \"a b\" or [\"a\", \"b\"]",
                      merges->left.count);
    }
    add(merges, vocabulary, d->path, &left, &right);
}

static void read_text(struct merges *merges, const char *folder,
                      const struct vocabulary *vocabulary)
{
    char path[PATH_SIZE];
    struct bytes contents;
    path_join(path, folder, "merges.txt");
    if (!file_read(&contents, path)) {
        reader_fail(
            READER_FAILED,
            "%s: there is neither a tokenizer.json nor a merges.txt in this folder",
            folder);
    }
    add_lines(merges, vocabulary, path, &contents);
    free(contents.at);
}

void merges_open(struct merges *merges, const char *folder,
                 const struct document *tokenizer, const struct vocabulary *vocabulary)
{
    const json_t *model = json_object_get(tokenizer->root, "model"), *pair;
    size_t i;
    *merges = (struct merges){0};
    if (json_object_size(tokenizer->root) == 0) {
        read_text(merges, folder, vocabulary);
    } else {
        json_array_foreach(json_object_get(model, "merges"), i, pair)
        {
            add_json(merges, vocabulary, tokenizer, pair);
        }
    }
    const lab_status status =
        lab_merges_open(&merges->table, merges->left.at, merges->right.at,
                        merges->merged.at, merges->left.count);
    if (status != LAB_OK) {
        reader_fail(READER_FAILED, "the merges: %s", lab_status_message(status));
    }
}

void merges_close(struct merges *merges)
{
    lab_merges_close(&merges->table);
    free(merges->left.at);
    free(merges->right.at);
    free(merges->merged.at);
    *merges = (struct merges){0};
}
