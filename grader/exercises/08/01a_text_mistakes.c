// 01a_text_mistakes.c - exercise 8.1: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/08/01_text.h"
#include "exercises/08/shared.h"

#include <string.h>

#include "08_language_model/language_model.h"

// ---- vocabulary -------------------------------------------------------------------------

#define VOCABULARY_ARGUMENTS uint8_t *bytes, size_t *V, const uint8_t *text, size_t N

// How often each byte occurs in the first N bytes.
static void count_bytes(size_t counts[BYTES], const uint8_t *text, size_t N)
{
    memset(counts, 0, BYTES * sizeof *counts);
    for (size_t n = 0; n < N; n++) {
        counts[text[n]]++;
    }
}

// The index of the first byte 0, or N.
static size_t first_zero(const uint8_t *text, size_t N)
{
    const uint8_t *zero = memchr(text, 0, N);
    return zero == NULL ? N : (size_t)(zero - text);
}

// VOCABULARY(name, length, from, to, first, there): the bytes from ... to - 1 for which
// `there`, an expression of their count, is true. Byte i in this order is first + i, modulo
// 256.
#define VOCABULARY(name, length, from, to, first, there)                                 \
    static lab_status name(VOCABULARY_ARGUMENTS)                                         \
    {                                                                                    \
        size_t counts[BYTES];                                                            \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        count_bytes(counts, text, length);                                               \
        *V = 0;                                                                          \
        for (size_t i = from; i < (to); i++) {                                           \
            const size_t byte = (first) % BYTES, count = counts[byte];                   \
            if (there) {                                                                 \
                bytes[(*V)++] = (uint8_t)byte;                                           \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

VOCABULARY(vocabulary_signed, N, 0, BYTES, i + 128, count > 0)
VOCABULARY(vocabulary_descending, N, 0, BYTES, 255 - i, count > 0)
VOCABULARY(vocabulary_ascii, N, 0, 128, i, count > 0)
VOCABULARY(vocabulary_without_255, N, 0, 255, i, count > 0)
VOCABULARY(vocabulary_without_0, N, 1, BYTES, i, count > 0)
VOCABULARY(vocabulary_short, N - 1, 0, BYTES, i, count > 0)
VOCABULARY(vocabulary_of_string, first_zero(text, N), 0, BYTES, i, count > 0)
VOCABULARY(vocabulary_8_bit_counts, N, 0, BYTES, i, (uint8_t)count > 0)
VOCABULARY(vocabulary_16_bit_counts, N, 0, BYTES, i, (uint16_t)count > 0)
VOCABULARY(vocabulary_printed, N, 0, BYTES, i, count > 0 && byte >= ' ')
VOCABULARY(vocabulary_repeated_only, N, 0, BYTES, i, count > 1)
VOCABULARY(vocabulary_by_count, N, 0, BYTES, i, count > 0)

static lab_status vocabulary_occurrence(VOCABULARY_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    *V = 0;
    for (size_t n = 0; n < N; n++) {
        if (memchr(text, text[n], n) == NULL) {
            bytes[(*V)++] = text[n];
        }
    }
    return LAB_OK;
}

static lab_status vocabulary_frequency(VOCABULARY_ARGUMENTS)
{
    size_t counts[BYTES];
    if (N == 0) {
        return LAB_ESHAPE;
    }
    count_bytes(counts, text, N);
    for (*V = 0;; (*V)++) {
        size_t best = 0;
        for (size_t byte = 1; byte < BYTES; byte++) {
            best = counts[byte] > counts[best] ? byte : best;
        }
        if (counts[best] == 0) {
            return LAB_OK;
        }
        bytes[*V] = (uint8_t)best;
        counts[best] = 0;
    }
}

// Every byte from the smallest to the largest, whether or not it occurs.
static lab_status vocabulary_range(VOCABULARY_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    size_t low = 255, high = 0;
    for (size_t n = 0; n < N; n++) {
        low = text[n] < low ? text[n] : low;
        high = text[n] > high ? text[n] : high;
    }
    *V = high - low + 1;
    for (size_t i = 0; i < *V; i++) {
        bytes[i] = (uint8_t)(low + i);
    }
    return LAB_OK;
}

static lab_status vocabulary_all(VOCABULARY_ARGUMENTS)
{
    (void)text;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    *V = BYTES;
    for (size_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)i;
    }
    return LAB_OK;
}

static lab_status vocabulary_rest_cleared(VOCABULARY_ARGUMENTS)
{
    LAB_TRY(vocabulary_by_count(bytes, V, text, N));
    memset(bytes + *V, 0, BYTES - *V);
    return LAB_OK;
}

static lab_status vocabulary_one_less(VOCABULARY_ARGUMENTS)
{
    lab_status status = vocabulary_by_count(bytes, V, text, N);
    *V -= status == LAB_OK;
    return status;
}

static lab_status vocabulary_8_bit_V(VOCABULARY_ARGUMENTS)
{
    lab_status status = vocabulary_by_count(bytes, V, text, N);
    *V = status == LAB_OK ? (uint8_t)*V : *V;
    return status;
}

#define BYTE_IS_UNSIGNED                                                                 \
    "A uint8_t runs from 0 to 255. A char may be signed: then 0x80 to 0xff are "         \
    "negative and come before the others."

const struct mistake vocabulary_mistakes[] = {
    {
        .id = "in-order-of-occurrence",
        .what = "the bytes are in the order of their first occurrence",
        .why =
            "The order must not depend on where a byte occurs. For banana it is a b n. "
            "Use a table of 256 entries: mark each byte that occurs, then read the table "
            "in order.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_occurrence),
    },
    {
        .id = "signed-order",
        .what = "the bytes above 127 come before the others",
        .why = BYTE_IS_UNSIGNED,
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_signed),
    },
    {
        .id = "by-frequency",
        .what = "the most frequent bytes come first",
        .why = "Tokenizers of words often sort by frequency. Here the bytes are in "
               "ascending order.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_frequency),
        .convention = true,
    },
    {
        .id = "descending",
        .what = "the bytes are in descending order",
        .why = "The smallest byte gets token 0.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_descending),
    },
    {
        .id = "range",
        .what = "every byte between the smallest and the largest is in the vocabulary",
        .why =
            "Only bytes that occur in the text are tokens; for banana these are three.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_range),
    },
    {
        .id = "all-bytes",
        .what = "all 256 bytes are in the vocabulary",
        .why =
            "Only bytes that occur in the text are tokens; for banana these are three.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_all),
    },
    {
        .id = "ascii-only",
        .what = "the bytes above 127 are missing",
        .why =
            "A byte has 256 values. Letters with accents and other UTF-8 text use those "
            "above 127.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_ascii),
    },
    {
        .id = "without-255",
        .what = "byte 255 is missing",
        .why =
            "The loop over the bytes runs from 0 to 255. Write i < 256, with i a size_t "
            "or an int: a uint8_t can't reach 256.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_without_255),
    },
    {
        .id = "without-0",
        .what = "byte 0 is missing",
        .why = "Start the loop over the bytes at 0: a byte 0 may occur like any other.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_without_0),
    },
    {
        .id = "stops-at-0",
        .what = "the text is read up to its first byte 0 only",
        .why = "text is not a string: N is its length, and it may contain a byte 0.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_of_string),
    },
    {
        .id = "last-byte-missed",
        .what = "the last byte of the text is not read",
        .why = "The bytes of the text have the indices 0 to N - 1.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_short),
    },
    {
        .id = "count-of-8-bits",
        .what = "a byte that occurs 256 times is missing",
        .why = "A count in a uint8_t starts again at 0 after 255. Only mark that a byte "
               "occurs: = 1 or = true instead of ++.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_8_bit_counts),
    },
    {
        .id = "count-of-16-bits",
        .what = "a byte that occurs 65536 times is missing",
        .why = "A count in a uint16_t starts again at 0 after 65535. Only mark that a "
               "byte occurs: = 1 or = true instead of ++.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_16_bit_counts),
    },
    {
        .id = "V-of-8-bits",
        .what = "V is 0 for 256 bytes",
        .why = "A uint8_t ends at 255, and V may be 256. Count in a size_t.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_8_bit_V),
    },
    {
        .id = "printed-bytes-only",
        .what = "the bytes below 32, such as the newline, are missing",
        .why = "A newline is a token like any other, and so is every byte that occurs.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_printed),
    },
    {
        .id = "repeated-only",
        .what = "bytes that occur only once are missing",
        .why = "A byte is a token if it occurs at all: count > 0.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_repeated_only),
    },
    {
        .id = "rest-written",
        .what = "the bytes after the first V are set to 0",
        .why = "Write only the first V bytes and leave the others unchanged.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_rest_cleared),
    },
    {
        .id = "V-too-small",
        .what = "V is one too small",
        .why = "V is the number of tokens. The last token is V - 1.",
        .source = NULL,
        .function = LIKE(vocabulary, vocabulary_one_less),
    },
    {0},
};

// Sorts the text; every byte that differs from the previous one is new.
static lab_status vocabulary_sorted(VOCABULARY_ARGUMENTS)
{
    size_t counts[BYTES], places = 0;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    count_bytes(counts, text, N);
    *V = 0;
    for (size_t byte = 0; byte < BYTES; byte++) {
        for (size_t i = 0; i < counts[byte]; i++, places++) {
            if (i == 0) {
                bytes[(*V)++] = (uint8_t)byte;
            }
        }
    }
    return places == N ? LAB_OK : LAB_EVALUE;
}

// Inserts each new byte among those found so far, in separate memory that is copied at the end.
static lab_status vocabulary_inserted(VOCABULARY_ARGUMENTS)
{
    uint8_t found[BYTES];
    size_t count = 0;
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        size_t at = 0;
        while (at < count && found[at] < text[n]) {
            at++;
        }
        if (at == count || found[at] != text[n]) {
            memmove(found + at + 1, found + at, count - at);
            found[at] = text[n];
            count++;
        }
    }
    memcpy(bytes, found, count);
    *V = count;
    return LAB_OK;
}

const struct mistake vocabulary_alternatives[] = {
    {.id = "sorted", .function = LIKE(vocabulary, vocabulary_sorted)},
    {.id = "inserted", .function = LIKE(vocabulary, vocabulary_inserted)},
    {0},
};

// ---- encode -----------------------------------------------------------------------------

#define ENCODE_ARGUMENTS                                                                 \
    size_t *tokens, const uint8_t *text, const uint8_t *bytes, size_t N, size_t V

// The index of a byte, or V.
static size_t place_of(uint8_t byte, const uint8_t *bytes, size_t V)
{
    const uint8_t *at = memchr(bytes, byte, V);
    return at == NULL ? V : (size_t)(at - bytes);
}

// ENCODE(name, token): the token of a byte is an expression of place (its index, or V for an
// unknown byte), byte, bytes and V. The text is rejected if `refused` is true.
#define ENCODE(name, refused, token)                                                     \
    static lab_status name(ENCODE_ARGUMENTS)                                             \
    {                                                                                    \
        if (N == 0 || V == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            const size_t byte = text[n], place = place_of(text[n], bytes, V);            \
            (void)byte, (void)place;                                                     \
            if (refused) {                                                               \
                return LAB_EVALUE;                                                       \
            }                                                                            \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            const size_t byte = text[n], place = place_of(text[n], bytes, V);            \
            (void)byte, (void)place;                                                     \
            tokens[n] = token;                                                           \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// The number of bytes in the vocabulary that are smaller.
static size_t smaller(size_t byte, const uint8_t *bytes, size_t V)
{
    size_t count = 0;
    while (count < V && bytes[count] < byte) {
        count++;
    }
    return count;
}

// A binary search that treats bytes as signed: does it find this one?
static bool found_signed(size_t byte, const uint8_t *bytes, size_t V)
{
    size_t low = 0, high = V;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int8_t there = (int8_t)bytes[middle], wanted = (int8_t)byte;
        if (there == wanted) {
            return true;
        }
        low = there < wanted ? middle + 1 : low;
        high = there < wanted ? high : middle;
    }
    return false;
}

ENCODE(encode_bytes, place == V, byte)
ENCODE(encode_from_first, place == V, byte - bytes[0])
ENCODE(encode_one_based, place == V, place + 1)
ENCODE(encode_from_end, place == V, V - 1 - place)
ENCODE(encode_unknown_is_0, false, place == V ? 0 : place)
ENCODE(encode_unknown_is_V, false, place)
ENCODE(encode_unknown_is_last, false, place == V ? V - 1 : place)
ENCODE(encode_not_compared, false, smaller(byte, bytes, V))
ENCODE(encode_unknown_left, false, place == V ? tokens[n] : place)
ENCODE(encode_signed, !found_signed(byte, bytes, V), place)
ENCODE(encode_last_missing, place + 1 >= V, place)
ENCODE(encode_first_checked, n == 0 && place == V, place)
ENCODE(encode_by_count, smaller(byte, bytes, V) == V || place == V,
       smaller(byte, bytes, V))

#define UNKNOWN_IS_REFUSED                                                               \
    "An unknown byte has no token: return LAB_EVALUE, before the first token is "        \
    "written. Go through the text twice, or look up every byte first."

const struct mistake encode_mistakes[] = {
    {
        .id = "bytes-for-tokens",
        .what = "the tokens are the bytes themselves",
        .why =
            "A token is the byte's index in the vocabulary: 'b' is 1 if the vocabulary "
            "is a b n.",
        .source = NULL,
        .function = LIKE(encode, encode_bytes),
    },
    {
        .id = "distance-from-first",
        .what = "the token is the byte minus the first byte of the vocabulary",
        .why =
            "That is right only if the vocabulary has no gaps. Look up the index of the "
            "byte.",
        .source = NULL,
        .function = LIKE(encode, encode_from_first),
    },
    {
        .id = "one-based",
        .what = "every token is one too large",
        .why = "The first byte of the vocabulary has the token 0.",
        .source = NULL,
        .function = LIKE(encode, encode_one_based),
    },
    {
        .id = "from-the-end",
        .what = "the tokens count from the end of the vocabulary",
        .why = "bytes[0] has the token 0.",
        .source = NULL,
        .function = LIKE(encode, encode_from_end),
    },
    {
        .id = "unknown-is-0",
        .what = "an unknown byte becomes token 0",
        .why = UNKNOWN_IS_REFUSED,
        .source = NULL,
        .function = LIKE(encode, encode_unknown_is_0),
    },
    {
        .id = "unknown-is-V",
        .what = "an unknown byte becomes token V",
        .why = "No row of the token table has this number, so the model would read "
               "outside it. " UNKNOWN_IS_REFUSED,
        .source = NULL,
        .function = LIKE(encode, encode_unknown_is_V),
    },
    {
        .id = "unknown-is-last",
        .what = "an unknown byte becomes the last token",
        .why = UNKNOWN_IS_REFUSED,
        .source = NULL,
        .function = LIKE(encode, encode_unknown_is_last),
    },
    {
        .id = "next-larger",
        .what = "an unknown byte gets the token of the next larger byte",
        .why = "The search ends at the first byte that is not smaller. Check that it is "
               "equal. " UNKNOWN_IS_REFUSED,
        .source = NULL,
        .function = LIKE(encode, encode_not_compared),
    },
    {
        .id = "unknown-skipped",
        .what = "an unknown byte is skipped: its token is not written",
        .why = UNKNOWN_IS_REFUSED,
        .source = "karpathy/nanoGPT#434",
        .function = LIKE(encode, encode_unknown_left),
    },
    {
        .id = "signed-bytes",
        .what = "bytes above 127 are not found",
        .why =
            BYTE_IS_UNSIGNED " The vocabulary is in ascending order of unsigned bytes.",
        .source = NULL,
        .function = LIKE(encode, encode_signed),
    },
    {
        .id = "last-not-found",
        .what = "the last byte of the vocabulary is not found",
        .why = "The vocabulary has the indices 0 to V - 1.",
        .source = NULL,
        .function = LIKE(encode, encode_last_missing),
    },
    {
        .id = "first-byte-checked",
        .what = "only the first byte of the text is checked",
        .why = UNKNOWN_IS_REFUSED,
        .source = NULL,
        .function = LIKE(encode, encode_first_checked),
    },
    {0},
};

// Makes a table from bytes to tokens first.
static lab_status encode_by_table(ENCODE_ARGUMENTS)
{
    size_t table[BYTES];
    if (N == 0 || V == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < BYTES; i++) {
        table[i] = V;
    }
    for (size_t i = V; i-- > 0;) {
        table[bytes[i]] = i;
    }
    for (size_t n = N; n-- > 0;) {
        if (table[text[n]] == V) {
            return LAB_EVALUE;
        }
    }
    for (size_t n = N; n-- > 0;) {
        tokens[n] = table[text[n]];
    }
    return LAB_OK;
}

const struct mistake encode_alternatives[] = {
    {.id = "by-table", .function = LIKE(encode, encode_by_table)},
    {.id = "by-count", .function = LIKE(encode, encode_by_count)},
    {0},
};

// ---- decode -----------------------------------------------------------------------------

#define DECODE_ARGUMENTS                                                                 \
    uint8_t *text, const size_t *tokens, const uint8_t *bytes, size_t N, size_t V

// DECODE(name, byte): the byte of a token is an expression of token, bytes and V.
#define DECODE(name, byte)                                                               \
    static lab_status name(DECODE_ARGUMENTS)                                             \
    {                                                                                    \
        lab_status status = decode(text, tokens, bytes, N, V);                           \
        for (size_t n = 0; status == LAB_OK && n < N; n++) {                             \
            const size_t token = tokens[n];                                              \
            text[n] = (uint8_t)(byte);                                                   \
        }                                                                                \
        return status;                                                                   \
    }

DECODE(decode_tokens, token)
DECODE(decode_from_first, bytes[0] + token)
DECODE(decode_from_end, bytes[V - 1 - token])
DECODE(decode_one_less, bytes[token > 0 ? token - 1 : 0])

const struct mistake decode_mistakes[] = {
    {
        .id = "tokens-for-bytes",
        .what = "the tokens are written as bytes",
        .why = "Byte n of the text is bytes[tokens[n]].",
        .source = NULL,
        .function = LIKE(decode, decode_tokens),
    },
    {
        .id = "distance-from-first",
        .what = "the byte is the first byte of the vocabulary plus the token",
        .why = "That is right only if the vocabulary has no gaps: bytes[tokens[n]].",
        .source = NULL,
        .function = LIKE(decode, decode_from_first),
    },
    {
        .id = "from-the-end",
        .what = "the tokens count from the end of the vocabulary",
        .why = "Token 0 is bytes[0].",
        .source = NULL,
        .function = LIKE(decode, decode_from_end),
    },
    {
        .id = "one-too-small",
        .what = "the byte is the one before the right byte",
        .why = "The first byte of the vocabulary has the token 0: bytes[tokens[n]].",
        .source = NULL,
        .function = LIKE(decode, decode_one_less),
    },
    {0},
};
