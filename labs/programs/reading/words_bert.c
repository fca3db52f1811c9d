// words_bert.c - BERT's way from a text to words, before wordpiece cuts them: control characters are
// dropped, capitals become small, accents go, and each punctuation mark and each Chinese
// character is a word.
//
// Source: BasicTokenizer of google-research/bert; BertNormalizer and BertPreTokenizer of the
// tokenizers library.

#include "programs/reading/read_model.h"

#include <stdlib.h>

void words_free(struct words *words)
{
    free(words->text.at);
    free(words->ends.at);
    *words = (struct words){0};
}

// Drops control characters, writes every kind of space as " ", and puts spaces around Chinese
// characters.
static void clean(struct bytes *cleaned, const uint8_t *text, size_t size, bool chinese)
{
    const int32_t replacement = 0xfffd; // stands for bytes that somebody could not decode
    int32_t point;
    for (size_t at = 0; at < size;) {
        at += point_decode(&point, text + at, size - at);
        if (point_is_control(point) || point == replacement) {
            continue;
        }
        if (point_is_space(point)) {
            point = ' ';
        }
        const bool alone = chinese && point_is_chinese(point);
        bytes_add(cleaned, " ", alone);
        point_add(cleaned, point);
        bytes_add(cleaned, " ", alone);
    }
}

static void strip_accents(struct bytes *stripped, const struct bytes *text)
{
    struct sizes points = {0};
    points_decomposed(&points, text->at, text->size);
    for (size_t i = 0; i < points.count; i++) {
        if (!point_is_accent((int32_t)points.at[i])) {
            point_add(stripped, (int32_t)points.at[i]);
        }
    }
    free(points.at);
}

static void lower(struct bytes *lowered, const struct bytes *text)
{
    int32_t point;
    for (size_t at = 0; at < text->size;) {
        at += point_decode(&point, text->at + at, text->size - at);
        point_lower(lowered, point);
    }
}

// Ends a word here, if it has begun.
static void end_word(struct words *words)
{
    const size_t count = words->ends.count;
    const size_t begin = count == 0 ? 0 : words->ends.at[count - 1];
    if (words->text.size > begin) {
        sizes_add(&words->ends, words->text.size);
    }
}

static void split(struct words *words, const struct bytes *text)
{
    int32_t point;
    for (size_t at = 0; at < text->size;) {
        at += point_decode(&point, text->at + at, text->size - at);
        const bool alone = point_is_punctuation(point);
        if (alone || point_is_space(point)) {
            end_word(words);
        }
        if (!point_is_space(point)) {
            point_add(&words->text, point);
        }
        if (alone) {
            end_word(words);
        }
    }
    end_word(words);
}

void words_of_bert(struct words *words, const uint8_t *text, size_t size,
                   const struct bert_rules *rules)
{
    struct bytes now = {0}, next = {0};
    clean(&now, text, size, rules->chinese);
    if (rules->accents_off) {
        strip_accents(&next, &now);
        free(now.at);
        now = next;
        next = (struct bytes){0};
    }
    if (rules->lower) {
        lower(&next, &now);
        free(now.at);
        now = next;
    }
    split(words, &now);
    free(now.at);
}
