// 02a_wordpiece_mistakes.c - exercise 11.2: known mistakes and another right solution.

#include "exercises/exercise.h"
#include "exercises/11/02_wordpiece.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "11_reading_attention/reading.h"

enum fault {
    NONE,
    // which piece
    SHORTEST,
    LOWEST_TOKEN,
    ONE_BYTE_MISSED,
    // ##
    PLAIN_REST,
    EITHER_REST,
    HASHES_FIRST,
    EITHER_FIRST,
    // no piece fits
    REST_UNKNOWN,
    BYTE_UNKNOWN,
    LETTER_UNKNOWN,
    BYTE_SKIPPED,
    LEFT_OUT,
    DROPPED,
    UNKNOWN_IS_V,
    UNKNOWN_IS_0,
    // more than 100 characters
    NO_LIMIT,
    IN_BYTES,
    FROM_100,
    FROM_102,
    ASCII_ALONE,
    OTHERS_ALONE,
    CUT,
    PIECES_COUNTED,
    LONG_DROPPED,
};

#define WORDPIECE_ARGUMENTS                                                              \
    size_t *ids, size_t *count, const uint8_t *word, const struct lab_pieces *pieces,    \
        size_t unknown, size_t N

// The token of this part of the word; V if there is none.
static size_t token_of(const uint8_t *word, const struct lab_pieces *pieces, size_t start,
                       size_t end, enum fault fault)
{
    const uint8_t *part = word + start;
    const size_t length = end - start, plain = lab_piece_find(pieces, "", part, length);
    const size_t hashes = lab_piece_find(pieces, "##", part, length);
    const size_t right = start == 0 ? plain : hashes;
    switch (fault) {
    case PLAIN_REST:
        return plain;
    case HASHES_FIRST:
        return hashes;
    case EITHER_REST:
        return right == pieces->V ? plain : right;
    case EITHER_FIRST:
        return right == pieces->V ? hashes : right;
    default:
        return right;
    }
}

// The end of the piece that is chosen at start, and its token; start if there is none.
static size_t next_piece(size_t *id, const uint8_t *word, const struct lab_pieces *pieces,
                         size_t start, size_t N, enum fault fault)
{
    size_t chosen = start;
    *id = pieces->V;
    for (size_t end = start + 1; end <= N; end++) {
        const size_t token = token_of(word, pieces, start, end, fault);
        const bool missed = fault == ONE_BYTE_MISSED && end == start + 1;
        const bool better = chosen == start || fault == LOWEST_TOKEN
                                ? token < *id
                                : token < pieces->V && fault != SHORTEST;
        if (better && !missed) {
            *id = token;
            chosen = end;
        }
    }
    return chosen;
}

static bool begins_character(uint8_t byte)
{
    return (byte & 0xc0) != 0x80;
}

// What is compared with the limit of 100.
static size_t length_of(const uint8_t *word, size_t N, enum fault fault)
{
    size_t length = 0;
    for (size_t n = 0; n < N; n++) {
        const bool ascii = word[n] < 128, first = begins_character(word[n]);
        length += fault == IN_BYTES       ? 1
                  : fault == ASCII_ALONE  ? ascii
                  : fault == OTHERS_ALONE ? first && !ascii
                                          : first;
    }
    return fault == NO_LIMIT || fault == CUT || fault == PIECES_COUNTED ? 0
           : fault == FROM_100                                          ? length + 1
           : fault == FROM_102                                          ? length - 1
                                                                        : length;
}

// The end of the first 100 characters.
static size_t end_of_100(const uint8_t *word, size_t N)
{
    size_t characters = 0;
    for (size_t n = 0; n < N; n++) {
        characters += begins_character(word[n]);
        if (characters > WORDPIECE_LONGEST) {
            return n;
        }
    }
    return N;
}

// The whole word is one token.
static lab_status one_token(size_t *ids, size_t *count, size_t token, enum fault fault)
{
    ids[0] = token;
    *count = fault != DROPPED;
    return LAB_OK;
}

// The result for a word with a place where no piece fits.
static size_t unknown_token(const struct lab_pieces *pieces, size_t unknown,
                            enum fault fault)
{
    return fault == UNKNOWN_IS_V ? pieces->V : fault == UNKNOWN_IS_0 ? 0 : unknown;
}

static lab_status cut(WORDPIECE_ARGUMENTS, enum fault fault)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    const size_t whole = unknown_token(pieces, unknown, fault);
    if (length_of(word, N, fault) > WORDPIECE_LONGEST) {
        return one_token(ids, count, whole, fault == LONG_DROPPED ? DROPPED : fault);
    }
    const size_t all = fault == CUT ? end_of_100(word, N) : N;
    size_t found = 0;
    for (size_t start = 0; start < all;) {
        size_t id = 0, end = next_piece(&id, word, pieces, start, all, fault);
        const bool none = end == start;
        if (none && (fault == REST_UNKNOWN || fault == LEFT_OUT)) {
            ids[found] = unknown;
            *count = found + (fault == REST_UNKNOWN);
            return LAB_OK;
        }
        if (none && fault != BYTE_UNKNOWN && fault != LETTER_UNKNOWN &&
            fault != BYTE_SKIPPED) {
            return one_token(ids, count, whole, fault);
        }
        end += none;
        while (none && fault == LETTER_UNKNOWN && end < all &&
               !begins_character(word[end])) {
            end++;
        }
        ids[found] = none ? unknown : id;
        found += !none || fault != BYTE_SKIPPED;
        start = end;
    }
    *count = found;
    return fault == PIECES_COUNTED && found > WORDPIECE_LONGEST
               ? one_token(ids, count, unknown, fault)
               : LAB_OK;
}

#define WRONG(name, fault)                                                               \
    static lab_status name(WORDPIECE_ARGUMENTS)                                          \
    {                                                                                    \
        return cut(ids, count, word, pieces, unknown, N, fault);                         \
    }
WRONG(wordpiece_shortest, SHORTEST)
WRONG(wordpiece_lowest_token, LOWEST_TOKEN)
WRONG(wordpiece_one_byte_missed, ONE_BYTE_MISSED)
WRONG(wordpiece_plain_rest, PLAIN_REST)
WRONG(wordpiece_either_rest, EITHER_REST)
WRONG(wordpiece_hashes_first, HASHES_FIRST)
WRONG(wordpiece_either_first, EITHER_FIRST)
WRONG(wordpiece_rest_unknown, REST_UNKNOWN)
WRONG(wordpiece_byte_unknown, BYTE_UNKNOWN)
WRONG(wordpiece_letter_unknown, LETTER_UNKNOWN)
WRONG(wordpiece_byte_skipped, BYTE_SKIPPED)
WRONG(wordpiece_left_out, LEFT_OUT)
WRONG(wordpiece_dropped, DROPPED)
WRONG(wordpiece_unknown_is_v, UNKNOWN_IS_V)
WRONG(wordpiece_unknown_is_0, UNKNOWN_IS_0)
WRONG(wordpiece_no_limit, NO_LIMIT)
WRONG(wordpiece_in_bytes, IN_BYTES)
WRONG(wordpiece_from_100, FROM_100)
WRONG(wordpiece_from_102, FROM_102)
WRONG(wordpiece_ascii_alone, ASCII_ALONE)
WRONG(wordpiece_others_alone, OTHERS_ALONE)
WRONG(wordpiece_cut, CUT)
WRONG(wordpiece_pieces_counted, PIECES_COUNTED)
WRONG(wordpiece_long_dropped, LONG_DROPPED)

// Goes on with a shorter piece if the longest leads to no end.
static bool cut_from(size_t *ids, size_t *count, const uint8_t *word,
                     const struct lab_pieces *pieces, size_t start, size_t N)
{
    for (size_t end = N; end > start; end--) {
        const size_t token = token_of(word, pieces, start, end, NONE), n = *count;
        if (token == pieces->V) {
            continue;
        }
        ids[(*count)++] = token;
        if (end == N || cut_from(ids, count, word, pieces, end, N)) {
            return true;
        }
        *count = n;
    }
    return false;
}

static lab_status wordpiece_backtracks(WORDPIECE_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    *count = 0;
    if (length_of(word, N, NONE) > WORDPIECE_LONGEST ||
        !cut_from(ids, count, word, pieces, 0, N)) {
        return one_token(ids, count, unknown, NONE);
    }
    return LAB_OK;
}

// From the end of the word; in the end the tokens are turned round.
static lab_status wordpiece_from_right(WORDPIECE_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    size_t found = 0;
    bool known = length_of(word, N, NONE) <= WORDPIECE_LONGEST;
    for (size_t end = N; known && end > 0;) {
        size_t start = 0;
        while (start < end && token_of(word, pieces, start, end, NONE) == pieces->V) {
            start++;
        }
        known = start < end;
        ids[found++] = known ? token_of(word, pieces, start, end, NONE) : unknown;
        end = start;
    }
    if (!known) {
        return one_token(ids, count, unknown, NONE);
    }
    for (size_t i = 0; i < found / 2; i++) {
        const size_t token = ids[i];
        ids[i] = ids[found - 1 - i];
        ids[found - 1 - i] = token;
    }
    *count = found;
    return LAB_OK;
}

#define WHOLE_WORD                                                                        \
    "If no piece fits at some place, the whole word is one token: ids[0] = unknown, and " \
    "count is 1."
#define TOO_LONG "A word of more than WORDPIECE_LONGEST characters is one token, unknown."
#define CHARACTERS                                                                       \
    "A character may have up to four bytes. Count the bytes that do not begin with the " \
    "bits 10: (byte & 0xc0) != 0x80."

const struct mistake wordpiece_mistakes[] = {
    {
        .id = "shortest-first",
        .what = "the shortest piece that fits is taken, not the longest",
        .why =
            "Try the ends from N down, and take the first piece that is in the vocabulary.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_shortest),
    },
    {
        .id = "lowest-token-first",
        .what = "of the pieces that fit, the one with the lowest token is taken",
        .why = "The longest piece wins, wherever it is in the vocabulary.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_lowest_token),
    },
    {
        .id = "one-byte-missed",
        .what = "pieces of one byte are not found",
        .why = "end - start may be 1: the loop runs while end > start.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_one_byte_missed),
    },
    {
        .id = "no-hashes",
        .what = "pieces after the first are looked up without ##",
        .why = "After the first piece, use lab_piece_find(pieces, \"##\", ...).",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_plain_rest),
    },
    {
        .id = "hashes-optional",
        .what = "pieces after the first may lack ##",
        .why = "A piece without ## fits only at the beginning of a word.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_either_rest),
    },
    {
        .id = "hashes-for-the-first",
        .what = "the first piece is looked up with ##, too",
        .why =
            "The first piece has no ##: lab_piece_find(pieces, \"\", ...) if start is 0.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_hashes_first),
    },
    {
        .id = "first-may-have-hashes",
        .what = "the first piece may be one with ##",
        .why = "A piece with ## fits only after another piece.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_either_first),
    },
    {
        .id = "rest-unknown",
        .what = "the pieces that were found are kept, and the rest becomes one unknown "
                "token",
        .why = WHOLE_WORD,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_rest_unknown),
    },
    {
        .id = "byte-unknown",
        .what = "a byte at which no piece fits becomes the unknown token, and the search "
                "continues",
        .why = WHOLE_WORD,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_byte_unknown),
    },
    {
        .id = "character-unknown",
        .what = "a character at which no piece fits becomes the unknown token, and the "
                "search continues",
        .why = WHOLE_WORD,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_letter_unknown),
    },
    {
        .id = "byte-skipped",
        .what = "a byte at which no piece fits is skipped",
        .why = WHOLE_WORD,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_byte_skipped),
    },
    {
        .id = "rest-left-out",
        .what = "the pieces that were found are kept, and the rest is left out",
        .why = WHOLE_WORD,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_left_out),
    },
    {
        .id = "no-token",
        .what = "a word that cannot be cut gets no token",
        .why = WHOLE_WORD,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_dropped),
    },
    {
        .id = "V-for-unknown",
        .what = "a word that cannot be cut becomes token V",
        .why = "lab_piece_find returns V if there is no such piece. Write the argument "
               "unknown instead.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_unknown_is_v),
    },
    {
        .id = "0-for-unknown",
        .what = "a word that cannot be cut becomes token 0",
        .why = "The token of [UNK] is the argument unknown.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_unknown_is_0),
    },
    {
        .id = "no-limit",
        .what = "words of more than 100 characters are cut",
        .why = TOO_LONG,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_no_limit),
    },
    {
        .id = "limit-in-bytes",
        .what = "the limit of 100 counts bytes, not characters",
        .why = CHARACTERS,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_in_bytes),
    },
    {
        .id = "limit-99",
        .what = "a word of exactly 100 characters is unknown",
        .why =
            "Only words of more than WORDPIECE_LONGEST characters are unknown: compare with >, not with >=.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_from_100),
    },
    {
        .id = "limit-101",
        .what = "a word of 101 characters is cut",
        .why = TOO_LONG,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_from_102),
    },
    {
        .id = "ascii-counted-alone",
        .what = "only bytes below 128 count as characters",
        .why = CHARACTERS,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_ascii_alone),
    },
    {
        .id = "ascii-not-counted",
        .what = "bytes below 128 do not count as characters",
        .why = CHARACTERS,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_others_alone),
    },
    {
        .id = "first-100-kept",
        .what = "of a long word, the first 100 characters are cut into pieces",
        .why = TOO_LONG,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_cut),
    },
    {
        .id = "pieces-counted",
        .what = "the limit of 100 counts pieces, not characters",
        .why = TOO_LONG,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_pieces_counted),
    },
    {
        .id = "long-word-dropped",
        .what = "a word of more than 100 characters gets no token",
        .why = TOO_LONG,
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_long_dropped),
    },
    {
        .id = "other-pieces-tried",
        .what = "a shorter piece is taken if nothing fits after the longest one",
        .why =
            "The longest piece that fits is kept. If no piece fits after it, the whole "
            "word is unknown.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_backtracks),
    },
    {
        .id = "from-the-right",
        .what = "the pieces are taken from the end of the word",
        .why = "Start at the left: the first piece is the longest one that the word "
               "begins with.",
        .source = NULL,
        .function = LIKE(wordpiece, wordpiece_from_right),
    },
    {0},
};

// Goes through the whole vocabulary at each place.
static lab_status wordpiece_by_list(WORDPIECE_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    size_t found = 0, start = 0;
    while (start < N && length_of(word, N, NONE) <= WORDPIECE_LONGEST) {
        const size_t before = start == 0 ? 0 : 2;
        size_t longest = 0;
        for (size_t v = 0, from = 0; v < pieces->V; from = pieces->ends[v], v++) {
            const uint8_t *piece = pieces->text + from;
            const size_t length = pieces->ends[v] - from;
            if (length > before + longest && length - before <= N - start &&
                memcmp(piece, "##", before) == 0 &&
                memcmp(piece + before, word + start, length - before) == 0) {
                longest = length - before;
                ids[found] = v;
            }
        }
        if (longest == 0) {
            break;
        }
        start += longest;
        found++;
    }
    ids[0] = start < N ? unknown : ids[0];
    *count = start < N ? 1 : found;
    return LAB_OK;
}

WRONG(wordpiece_from_short, NONE)

const struct mistake wordpiece_alternatives[] = {
    {.id = "by-list", .function = LIKE(wordpiece, wordpiece_by_list)},
    {.id = "from-short-to-long", .function = LIKE(wordpiece, wordpiece_from_short)},
    {0},
};
