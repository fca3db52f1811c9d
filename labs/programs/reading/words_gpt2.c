// words_gpt2.c - GPT-2's way from a text to words, before pairs are merged. Nothing is dropped: all
// words together are the text.
//
// The words are the matches of this regular expression, from the left, and the first
// alternative that fits counts:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// Source: encoder.py of openai/gpt-2.

#include "programs/reading/read_model.h"

#include <string.h>

enum kind { LETTER, NUMBER, SPACE, OTHER, END };

// The kind of the character at text(size), and its length.
static enum kind kind_of(const uint8_t *text, size_t size, size_t *length)
{
    int32_t point;
    *length = size == 0 ? 0 : point_decode(&point, text, size);
    return *length == 0             ? END
           : point_is_letter(point) ? LETTER
           : point_is_number(point) ? NUMBER
           : point_is_space(point)  ? SPACE
                                    : OTHER;
}

// 's 't 're 've 'm 'll 'd; 0 if the text begins with none of them.
static size_t contraction(const uint8_t *text, size_t size)
{
    static const char *const all[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const size_t length = strlen(all[i]);
        if (length <= size && memcmp(text, all[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

// The length of all characters of one kind that the text begins with, and of the last of them.
static size_t run_of(enum kind kind, const uint8_t *text, size_t size, size_t *last)
{
    size_t at = 0, length;
    while (kind_of(text + at, size - at, &length) == kind) {
        at += length;
        *last = length;
    }
    return at;
}

// A space that comes before a word belongs to that word, so other spaces leave the last one.
static size_t spaces(const uint8_t *text, size_t size)
{
    size_t last = 0;
    const size_t all = run_of(SPACE, text, size, &last);
    return all == size || all == last ? all : all - last;
}

static size_t word_length(const uint8_t *text, size_t size)
{
    size_t length = contraction(text, size), last;
    if (length > 0) {
        return length;
    }
    const size_t before = text[0] == ' ';
    const enum kind kind = kind_of(text + before, size - before, &length);
    return kind == SPACE || kind == END
               ? spaces(text, size)
               : before + run_of(kind, text + before, size - before, &last);
}

void words_of_gpt2(struct words *words, const uint8_t *text, size_t size)
{
    bytes_add(&words->text, text, size);
    for (size_t at = 0; at < size;) {
        at += word_length(text + at, size - at);
        sizes_add(&words->ends, at);
    }
}

// A byte that Latin-1 can show keeps its number. The others, in order, get 256, 257, ...
int32_t gpt2_byte_point(uint8_t byte)
{
    int32_t others = 0;
    for (int32_t b = 0; b <= byte; b++) {
        const bool shown = (b >= '!' && b <= '~') || (b >= 0xa1 && b != 0xad);
        if (b == byte && shown) {
            return b;
        }
        others += !shown;
    }
    return 255 + others;
}
