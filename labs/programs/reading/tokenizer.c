// tokenizer.c - from a text to tokens: special tokens are found as a whole, the text between them
// is cut into words, and 11.2 wordpiece or 11.3 byte_pair_merge make tokens of each word.

#include "programs/reading/read_model.h"

#include <stdlib.h>
#include <string.h>

// ---- settings -----------------------------------------------------------------------------

// A part of tokenizer.json must have the type that lab 11 computes.
static void must_be(const struct document *d, const json_t *part, const char *what,
                    const char *ours)
{
    const char *type = document_word(d, part, "type", ours);
    if (strcmp(type, ours) != 0) {
        document_fail(d, "the %s is of the type %.40s; lab 11 has %s", what, type, ours);
    }
}

// Without tokenizer.json, only the name of the class tells which tokenizer it is.
static void must_be_known(const struct document *settings, const char *ours)
{
    const char *name = document_word(settings, settings->root, "tokenizer_class", ours);
    const size_t length = strlen(ours);
    if (strncmp(name, ours, length) != 0 ||
        (name[length] != '\0' && strcmp(name + length, "Fast") != 0)) {
        document_fail(settings, "tokenizer_class is \"%.40s\"; lab 11 has %s", name,
                      ours);
    }
}

// tokenizer_config.json decides, then tokenizer.json, then the usual value.
static bool setting(const struct document *settings, const char *key,
                    const struct document *tokenizer, const json_t *part,
                    const char *other_key, bool usual)
{
    return document_flag(settings, settings->root, key,
                         document_flag(tokenizer, part, other_key, usual));
}

static void bert_settings(struct tokenizer *t, const struct document *d,
                          const struct document *settings)
{
    const json_t *model = json_object_get(d->root, "model");
    const json_t *normalizer = json_object_get(d->root, "normalizer");
    must_be(d, model, "model", "WordPiece");
    must_be(d, normalizer, "normalizer", "BertNormalizer");
    must_be(d, json_object_get(d->root, "pre_tokenizer"), "pre_tokenizer",
            "BertPreTokenizer");
    if (strcmp(document_word(d, model, "continuing_subword_prefix", "##"), "##") != 0 ||
        document_size(d, model, "max_input_chars_per_word", WORDPIECE_LONGEST) !=
            WORDPIECE_LONGEST) {
        document_fail(d, "lab 11 has pieces with ##, and words of at most %d characters",
                      WORDPIECE_LONGEST);
    }
    t->bert.lower = setting(settings, "do_lower_case", d, normalizer, "lowercase", true);
    t->bert.chinese = setting(settings, "tokenize_chinese_chars", d, normalizer,
                              "handle_chinese_chars", true);
    t->bert.accents_off =
        setting(settings, "strip_accents", d, normalizer, "strip_accents", t->bert.lower);
}

// What the pieces of GPT-2's words could have, and lab 11 does not compute.
static void gpt2_model_must_be_plain(const struct document *d, const json_t *model)
{
    if (*document_word(d, model, "continuing_subword_prefix", "") != '\0' ||
        *document_word(d, model, "end_of_word_suffix", "") != '\0' ||
        document_flag(d, model, "ignore_merges", false) ||
        document_flag(d, model, "byte_fallback", false)) {
        document_fail(d, "lab 11 does not support continuing_subword_prefix, "
                         "end_of_word_suffix, ignore_merges or byte_fallback");
    }
}

static void gpt2_settings(struct tokenizer *t, const struct document *d,
                          const struct document *settings)
{
    const json_t *model = json_object_get(d->root, "model");
    const json_t *before = json_object_get(d->root, "pre_tokenizer");
    must_be(d, model, "model", "BPE");
    gpt2_model_must_be_plain(d, model);
    if (!document_flag(d, before, "use_regex", true) ||
        document_flag(settings, settings->root, "add_bos_token", false)) {
        document_fail(d, "lab 11 has use_regex, and no add_bos_token");
    }
    must_be(d, before, "pre_tokenizer", "ByteLevel");
    must_be(d, json_object_get(d->root, "normalizer"), "normalizer", "null");
    t->space_first =
        setting(settings, "add_prefix_space", d, before, "add_prefix_space", false);
}

// GPT-2 starts from one token for each byte.
static void find_bytes(struct tokenizer *t, const char *folder)
{
    for (size_t b = 0; b < 256; b++) {
        struct bytes name = {0};
        point_add(&name, gpt2_byte_point((uint8_t)b));
        t->byte_tokens[b] = lab_piece_find(&t->vocabulary.pieces, "", name.at, name.size);
        if (t->byte_tokens[b] == t->vocabulary.pieces.V) {
            reader_fail(READER_FAILED,
                        "%s: the vocabulary has no token for the byte %zu, '%.*s'",
                        folder, b, (int)name.size, (const char *)name.at);
        }
        free(name.at);
    }
}

static void need_special(const struct tokenizer *t, const char *folder)
{
    const struct special *s = &t->special;
    const size_t V = t->vocabulary.pieces.V;
    if (s->unknown == V || s->first == V || s->last == V) {
        reader_fail(READER_FAILED, "%s: the vocabulary has no token %s", folder,
                    s->unknown == V ? "[UNK]"
                    : s->first == V ? "[CLS]"
                                    : "[SEP]");
    }
}

void tokenizer_open(struct tokenizer *t, const char *folder, const struct config *config)
{
    struct document d, settings;
    *t = (struct tokenizer){.family = config->family, .T_max = config->T_max};
    document_open(&d, folder, "tokenizer.json");
    document_open(&settings, folder, "tokenizer_config.json");
    vocabulary_open(&t->vocabulary, folder, &d, config);
    if (json_object_size(d.root) == 0) {
        must_be_known(&settings,
                      config->family == BERT ? "BertTokenizer" : "GPT2Tokenizer");
    }
    special_open(&t->special, &t->vocabulary, &d, &settings, config->family);
    if (config->family == BERT) {
        bert_settings(t, &d, &settings);
        need_special(t, folder);
    } else {
        gpt2_settings(t, &d, &settings);
        find_bytes(t, folder);
        merges_open(&t->merges, folder, &d, &t->vocabulary);
    }
    document_close(&d);
    document_close(&settings);
}

void tokenizer_close(struct tokenizer *t)
{
    vocabulary_close(&t->vocabulary);
    free(t->special.tokens.at);
    if (t->family == GPT2) {
        merges_close(&t->merges);
    }
}

// ---- words to tokens ----------------------------------------------------------------------

// A student's function wrote count tokens of a word of size bytes.
static void add_tokens(struct sizes *tokens, const struct tokenizer *t,
                       const char *exercise, const size_t *written, size_t count,
                       size_t size)
{
    const size_t V = t->vocabulary.pieces.V;
    if (count == 0 || count > size) {
        reader_fail(READER_FAILED, "%s: a word of %zu bytes became %zu tokens", exercise,
                    size, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (written[i] >= V) {
            reader_fail(READER_FAILED, "%s wrote the token %zu; the vocabulary has %zu",
                        exercise, written[i], V);
        }
        sizes_add(tokens, written[i]);
    }
}

static void bert_word(struct sizes *tokens, const struct tokenizer *t, size_t *room,
                      const uint8_t *word, size_t size)
{
    size_t count = 0;
    student_must_succeed(
        wordpiece(room, &count, word, &t->vocabulary.pieces, t->special.unknown, size),
        "11.2 wordpiece");
    add_tokens(tokens, t, "11.2 wordpiece", room, count, size);
}

static void gpt2_word(struct sizes *tokens, const struct tokenizer *t, size_t *room,
                      const uint8_t *word, size_t size)
{
    size_t count = size;
    for (size_t i = 0; i < size; i++) {
        room[i] = t->byte_tokens[word[i]];
    }
    student_must_succeed(byte_pair_merge(room, &count, &t->merges.table, size),
                         "11.3 byte_pair_merge");
    add_tokens(tokens, t, "11.3 byte_pair_merge", room, count, size);
}

// A text without special tokens.
static void encode_plain(struct sizes *tokens, const struct tokenizer *t,
                         const uint8_t *text, size_t size)
{
    struct words words = {0};
    if (t->family == BERT) {
        words_of_bert(&words, text, size, &t->bert);
    } else {
        words_of_gpt2(&words, text, size);
    }
    size_t *room = reader_allocate(words.text.size, sizeof *room), begin = 0;
    for (size_t w = 0; w < words.ends.count; w++) {
        const size_t end = words.ends.at[w];
        (t->family == BERT ? bert_word : gpt2_word)(tokens, t, room,
                                                    words.text.at + begin, end - begin);
        begin = end;
    }
    free(room);
    words_free(&words);
}

// The part of a text between two special tokens.
static void encode_part(struct sizes *tokens, const struct tokenizer *t,
                        const uint8_t *text, size_t size)
{
    struct bytes spaced = {0};
    if (size == 0) {
        return;
    }
    if (t->space_first && text[0] != ' ') {
        bytes_add(&spaced, " ", 1);
    }
    bytes_add(&spaced, text, size);
    encode_plain(tokens, t, spaced.at, spaced.size);
    free(spaced.at);
}

static struct sizes encode(const struct tokenizer *t, const struct text *text)
{
    struct sizes tokens = {0};
    size_t begin = 0, length;
    const size_t good = utf8_prefix(text->bytes, text->size);
    if (good < text->size) {
        reader_fail(READER_FAILED, "%s: the text is not UTF-8 at byte %zu", text->what,
                    good);
    }
    for (size_t at = 0; at < text->size;) {
        const size_t token = special_match(&t->special, &t->vocabulary, text->bytes + at,
                                           text->size - at, &length);
        if (token == t->vocabulary.pieces.V) {
            at++;
            continue;
        }
        encode_part(&tokens, t, text->bytes + begin, at - begin);
        sizes_add(&tokens, token);
        at += length;
        begin = at;
    }
    encode_part(&tokens, t, text->bytes + begin, text->size - begin);
    return tokens;
}

// ---- a whole text -------------------------------------------------------------------------

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Shortens two texts so that together they have at most room tokens: of the longer one, more is
// left out.
static void truncate(const struct tokenizer *t, struct sizes *first, struct sizes *second,
                     size_t room, size_t special)
{
    const size_t count = first->count + second->count;
    if (count <= room) {
        return;
    }
    struct sizes *shorter = first->count <= second->count ? first : second;
    struct sizes *longer = shorter == first ? second : first;
    shorter->count = least(shorter->count, room / 2);
    longer->count = room - shorter->count;
    reader_say(
        "the text has %zu tokens; the model reads at most %zu, so the last %zu are "
        "left out",
        count + special, t->T_max, count - room);
}

static void add_segment(struct encoding *encoding, const struct sizes *tokens,
                        size_t segment)
{
    for (size_t i = 0; i < tokens->count; i++) {
        sizes_add(&encoding->tokens, tokens->at[i]);
        sizes_add(&encoding->types, segment);
    }
}

struct encoding tokenizer_encode(const struct tokenizer *t, const struct text *first,
                                 const struct text *second)
{
    struct encoding encoding = {0};
    struct sizes a = encode(t, first), b = {0};
    const size_t special = t->family == GPT2 ? 0 : second == NULL ? 2 : 3;
    struct sizes begin = {(size_t *)&t->special.first, 1, 1},
                 end = {(size_t *)&t->special.last, 1, 1};
    if (second != NULL) {
        b = encode(t, second);
    }
    if (t->T_max <= special) {
        reader_fail(READER_FAILED, "the model has only %zu positions", t->T_max);
    }
    truncate(t, &a, &b, t->T_max - special, special);
    if (t->family == BERT) {
        add_segment(&encoding, &begin, 0);
    }
    add_segment(&encoding, &a, 0);
    if (t->family == BERT) {
        add_segment(&encoding, &end, 0);
    }
    if (second != NULL) {
        add_segment(&encoding, &b, 1);
        add_segment(&encoding, &end, 1);
    }
    free(a.at);
    free(b.at);
    return encoding;
}

void encoding_free(struct encoding *encoding)
{
    free(encoding->tokens.at);
    free(encoding->types.at);
    *encoding = (struct encoding){0};
}
