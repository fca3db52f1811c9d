// special.c - special tokens: those that begin and end BERT's texts, and all that are found in a
// text as a whole, before it is cut into words. "[MASK]" in a text is one token.

#include "programs/reading/read_model.h"

#include <stdlib.h>
#include <string.h>

// The name of a token in tokenizer_config.json: a string, or {"content": string}.
static const char *named(const struct document *settings, const char *key,
                         const char *usual)
{
    const json_t *value = json_object_get(settings->root, key);
    return json_is_object(value) ? document_word(settings, value, "content", usual)
                                 : document_word(settings, settings->root, key, usual);
}

// Adds a token of added_tokens. This program looks for it exactly as it is written.
static void add_written(struct special *special, const struct vocabulary *vocabulary,
                        const struct document *d, const json_t *added, enum family family)
{
    static const char *const others[] = {"single_word", "lstrip", "rstrip"};
    const char *name = document_word(d, added, "content", "");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (document_flag(d, added, others[i], false)) {
            document_fail(d, "the added token '%.60s' has %s, which this program lacks",
                          name, others[i]);
        }
    }
    if (family == BERT && document_flag(d, added, "normalized", false)) {
        document_fail(
            d, "the added token '%.60s' is normalized, which this program lacks", name);
    }
    if (*name != '\0') {
        sizes_add(&special->tokens, vocabulary_find(vocabulary, name));
    }
}

void special_open(struct special *special, const struct vocabulary *vocabulary,
                  const struct document *tokenizer, const struct document *settings,
                  enum family family)
{
    const char *const usual = family == BERT ? NULL : "<|endoftext|>";
    const char *const names[] = {
        named(settings, "unk_token", usual == NULL ? "[UNK]" : usual),
        named(settings, "cls_token", usual == NULL ? "[CLS]" : usual),
        named(settings, "sep_token", usual == NULL ? "[SEP]" : usual),
        named(settings, "pad_token", usual == NULL ? "[PAD]" : usual),
        named(settings, "mask_token", usual == NULL ? "[MASK]" : usual),
    };
    size_t found[5], i;
    json_t *added;
    *special = (struct special){0};
    for (i = 0; i < 5; i++) {
        found[i] = vocabulary_find(vocabulary, names[i]);
        if (found[i] < vocabulary->pieces.V) {
            sizes_add(&special->tokens, found[i]);
        }
    }
    special->unknown = found[0];
    special->first = found[1];
    special->last = found[2];
    special->padding = found[3];
    json_array_foreach(json_object_get(tokenizer->root, "added_tokens"), i, added)
    {
        add_written(special, vocabulary, tokenizer, added, family);
    }
}

// If several fit, the longest counts.
size_t special_match(const struct special *special, const struct vocabulary *vocabulary,
                     const uint8_t *text, size_t size, size_t *length)
{
    size_t best = vocabulary->pieces.V;
    *length = 0;
    for (size_t i = 0; i < special->tokens.count; i++) {
        size_t this_long;
        const char *name = vocabulary_name(vocabulary, special->tokens.at[i], &this_long);
        if (this_long > *length && this_long <= size &&
            memcmp(text, name, this_long) == 0) {
            best = special->tokens.at[i];
            *length = this_long;
        }
    }
    return best;
}
