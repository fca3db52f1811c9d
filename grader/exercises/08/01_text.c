// 01_text.c - exercise 8.1, vocabulary, encode and decode: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/08/shared.h"

#include <string.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

// ---- vocabulary ---------------------------------------------------------------------------

static void fill_text(struct test_case *test, const char *text)
{
    uint8_t *to = case_u8(test, "text");
    const size_t length = strlen(text);
    for (size_t n = 0; n < case_count(test, "text"); n++) {
        to[n] = (uint8_t)text[n % length];
    }
}

// The content of bytes before the call. The first V bytes are overwritten.
static void fill_old_bytes(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < BYTES; i++) {
        case_u8(test, "bytes")[i] = (uint8_t)lab_rng_next32(rng);
    }
}

static void fill_banana(struct test_case *test, struct lab_rng *rng)
{
    fill_old_bytes(test, rng);
    fill_text(test, "banana");
}

static void fill_one_byte(struct test_case *test, struct lab_rng *rng)
{
    fill_old_bytes(test, rng);
    fill_text(test, "x");
}

static void fill_sentence(struct test_case *test, struct lab_rng *rng)
{
    fill_old_bytes(test, rng);
    fill_text(test, "To be (or not): that is 1 question!\n");
}

// Random bytes between two values, both of which occur, but neither first nor last.
static void fill_between(struct test_case *test, struct lab_rng *rng, size_t low,
                         size_t high)
{
    fill_old_bytes(test, rng);
    uint8_t *text = case_u8(test, "text");
    const size_t N = case_count(test, "text");
    for (size_t n = 0; n < N; n++) {
        text[n] = (uint8_t)(low + lab_rng_next32(rng) % (high - low + 1));
    }
    text[N / 3] = (uint8_t)high;
    text[N / 2] = (uint8_t)low;
}

static void fill_letters(struct test_case *test, struct lab_rng *rng)
{
    fill_between(test, rng, 'a', 'p');
}

static void fill_any_bytes(struct test_case *test, struct lab_rng *rng)
{
    fill_between(test, rng, 0, 255);
}

static void fill_high_bytes(struct test_case *test, struct lab_rng *rng)
{
    fill_between(test, rng, 120, 255);
}

// The last byte of the text occurs nowhere else.
static void fill_new_at_the_end(struct test_case *test, struct lab_rng *rng)
{
    fill_between(test, rng, 'c', 'm');
    case_u8(test, "text")[case_count(test, "text") - 1] = 'h';
    for (size_t n = 0; n + 1 < case_count(test, "text"); n++) {
        case_u8(test, "text")[n] += case_u8(test, "text")[n] == 'h';
    }
}

// Each of the 256 bytes once, in random order.
static void fill_every_byte(struct test_case *test, struct lab_rng *rng)
{
    fill_old_bytes(test, rng);
    uint8_t *text = case_u8(test, "text");
    for (size_t n = 0; n < BYTES; n++) {
        const size_t other = lab_rng_next32(rng) % (n + 1);
        text[n] = text[other];
        text[other] = (uint8_t)n;
    }
}

// One byte 256 times, which an 8-bit counter counts as 0, and then two other bytes.
static void fill_256_equal(struct test_case *test, struct lab_rng *rng)
{
    fill_old_bytes(test, rng);
    memset(case_u8(test, "text"), 'm', BYTES);
    case_u8(test, "text")[BYTES] = 'z';
    case_u8(test, "text")[BYTES + 1] = 'a';
}

static const struct case_spec vocabulary_cases[] = {
    {.dims = "N=6", .fill = fill_banana, .note = "banana"},
    {.dims = "N=1", .fill = fill_one_byte, .note = "one byte"},
    {.dims = "N=5", .fill = fill_one_byte, .note = "one byte, five times"},
    {.dims = "N=36", .fill = fill_sentence, .note = "letters, marks and a newline"},
    {.dims = "N=9..30", .draws = 3, .fill = fill_letters},
    {.dims = "N=12", .fill = fill_new_at_the_end, .note = "the last byte is a new one"},
    {.dims = "N=40", .fill = fill_any_bytes, .note = "any bytes, 0 and 255 too"},
    {.dims = "N=70", .fill = fill_high_bytes, .note = "bytes above and below 127"},
    {.dims = "N=256", .fill = fill_every_byte, .note = "every byte once"},
    {.dims = "N=258", .fill = fill_256_equal, .note = "one byte 256 times"},
    {.dims = "N=70001", .fill = fill_letters, .note = "a long text"},
    {.dims = "N=1024", .fill = fill_letters, .note = "exactly 1024 bytes"},
    {.dims = "N=0", .fill = fill_old_bytes, .note = "a size of 0"},
    {0},
};

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
    lab_status status = vocabulary_by_count(bytes, V, text, N);
    if (status == LAB_OK) {
        memset(bytes + *V, 0, BYTES - *V);
    }
    return status;
}

static lab_status vocabulary_one_less(VOCABULARY_ARGUMENTS)
{
    lab_status status = vocabulary_by_count(bytes, V, text, N);
    *V -= status == LAB_OK;
    return status;
}

#define BYTE_IS_UNSIGNED                                                                 \
    "A uint8_t runs from 0 to 255. A char may be signed: then 0x80 to 0xff are "         \
    "negative and come before the others."

static const struct mistake vocabulary_mistakes[] = {
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

static const struct mistake vocabulary_alternatives[] = {
    {.id = "sorted", .function = LIKE(vocabulary, vocabulary_sorted)},
    {.id = "inserted", .function = LIKE(vocabulary, vocabulary_inserted)},
    {0},
};

// ---- encode -------------------------------------------------------------------------------

// V bytes in ascending order, as far apart as possible, so that no byte is its own token or a
// fixed distance from it.
static void fill_vocabulary(struct test_case *test, struct lab_rng *rng, size_t low,
                            size_t high)
{
    uint8_t *bytes = case_u8(test, "bytes");
    const size_t V = case_count(test, "bytes"), values = high - low + 1;
    size_t left = V, next = 0;
    for (size_t i = 0; i < values && left > 0; i++) {
        if (lab_rng_next32(rng) % (values - i) < left) {
            bytes[next++] = (uint8_t)(low + i);
            left--;
        }
    }
}

static void fill_from_vocabulary(struct test_case *test, struct lab_rng *rng)
{
    const size_t N = case_count(test, "text"), V = case_count(test, "bytes");
    for (size_t n = 0; n < N && V > 0; n++) {
        case_u8(test, "text")[n] = case_u8(test, "bytes")[lab_rng_next32(rng) % V];
    }
}

static void fill_encode(struct test_case *test, struct lab_rng *rng)
{
    fill_vocabulary(test, rng, 10, 126);
    fill_from_vocabulary(test, rng);
}

static void fill_encode_banana(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    memcpy(case_u8(test, "bytes"), "abn", 3);
    memcpy(case_u8(test, "text"), "banana", 6);
}

// All byte values occur, and both ends of the vocabulary.
static void fill_encode_any(struct test_case *test, struct lab_rng *rng)
{
    fill_vocabulary(test, rng, 0, 255);
    case_u8(test, "bytes")[0] = 0;
    case_u8(test, "bytes")[case_count(test, "bytes") - 1] = 255;
    fill_from_vocabulary(test, rng);
    case_u8(test, "text")[1] = 255;
    case_u8(test, "text")[case_count(test, "text") / 2] = 0;
}

static void fill_encode_high(struct test_case *test, struct lab_rng *rng)
{
    fill_vocabulary(test, rng, 100, 240);
    fill_from_vocabulary(test, rng);
    case_u8(test, "text")[0] = case_u8(test, "bytes")[case_count(test, "bytes") - 1];
}

// The vocabulary is 'b', 'd', 'f' ...; an unknown byte is put at index `place`.
static void fill_unknown(struct test_case *test, struct lab_rng *rng, size_t place,
                         uint8_t byte)
{
    for (size_t i = 0; i < case_count(test, "bytes"); i++) {
        case_u8(test, "bytes")[i] = (uint8_t)('b' + 2 * i);
    }
    fill_from_vocabulary(test, rng);
    case_u8(test, "text")[place] = byte;
}

static void fill_unknown_last(struct test_case *test, struct lab_rng *rng)
{
    fill_unknown(test, rng, case_count(test, "text") - 1, 'e');
}

static void fill_unknown_first(struct test_case *test, struct lab_rng *rng)
{
    fill_unknown(test, rng, 0, 'c');
}

static void fill_unknown_below(struct test_case *test, struct lab_rng *rng)
{
    fill_unknown(test, rng, case_count(test, "text") / 2, 'a');
}

static void fill_unknown_above(struct test_case *test, struct lab_rng *rng)
{
    fill_unknown(test, rng, case_count(test, "text") / 2, 'z');
}

static void fill_unknown_zero(struct test_case *test, struct lab_rng *rng)
{
    fill_unknown(test, rng, 2, 0);
}

static void fill_unknown_255(struct test_case *test, struct lab_rng *rng)
{
    fill_unknown(test, rng, 1, 255);
}

static const struct case_spec encode_cases[] = {
    {.dims = "N=6 V=3", .fill = fill_encode_banana, .note = "banana"},
    {.dims = "N=1 V=1", .fill = fill_encode, .note = "one byte"},
    {.dims = "N=5 V=1", .fill = fill_encode, .note = "one token"},
    {.dims = "N=9 V=4", .fill = fill_encode},
    {.dims = "N=20..30 V=10..15", .draws = 3, .fill = fill_encode},
    {.dims = "N=4 V=9", .fill = fill_encode, .note = "more tokens than the text has"},
    {.dims = "N=31 V=12", .fill = fill_encode_any, .note = "bytes from 0 to 255"},
    {.dims = "N=41 V=20", .fill = fill_encode_high, .note = "bytes above and below 127"},
    {.dims = "N=1301 V=256", .fill = fill_encode_any, .note = "all 256 bytes"},
    {.dims = "N=7 V=5", .fill = fill_unknown_last, .note = "the last byte is unknown"},
    {.dims = "N=7 V=5", .fill = fill_unknown_first, .note = "the first byte is unknown"},
    {.dims = "N=8 V=5", .fill = fill_unknown_below, .note = "a byte below all others"},
    {.dims = "N=8 V=5", .fill = fill_unknown_above, .note = "a byte above all others"},
    {.dims = "N=8 V=6", .fill = fill_unknown_zero, .note = "byte 0 is unknown"},
    {.dims = "N=8 V=6", .fill = fill_unknown_255, .note = "byte 255 is unknown"},
    {.dims = "N=1 V=5", .fill = fill_encode, .note = "one byte, more tokens"},
    {.dims = "N=256 V=20", .fill = fill_encode, .note = "exactly 256 bytes"},
    {.dims = "N=0 V=3", .note = "a size of 0"},
    {.dims = "N=3 V=0", .note = "a size of 0"},
    {0},
};

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

static const struct mistake encode_mistakes[] = {
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

static const struct mistake encode_alternatives[] = {
    {.id = "by-table", .function = LIKE(encode, encode_by_table)},
    {.id = "by-count", .function = LIKE(encode, encode_by_count)},
    {0},
};

// ---- decode -------------------------------------------------------------------------------

static void fill_decode_from(struct test_case *test, struct lab_rng *rng, size_t low,
                             size_t high)
{
    fill_vocabulary(test, rng, low, high);
    for (size_t n = 0; n < case_count(test, "tokens"); n++) {
        const size_t V = case_dim(test, "V");
        case_size(test, "tokens")[n] = V > 0 ? lab_rng_next32(rng) % V : 0;
    }
}

static void fill_decode(struct test_case *test, struct lab_rng *rng)
{
    fill_decode_from(test, rng, 10, 126);
}

static void fill_decode_banana(struct test_case *test, struct lab_rng *rng)
{
    static const size_t banana[] = {1, 0, 2, 0, 2, 0};
    (void)rng;
    memcpy(case_u8(test, "bytes"), "abn", 3);
    memcpy(case_size(test, "tokens"), banana, sizeof banana);
}

// The last token, and a byte 0 in the middle of the text.
static void fill_decode_any(struct test_case *test, struct lab_rng *rng)
{
    fill_decode_from(test, rng, 0, 255);
    case_u8(test, "bytes")[0] = 0;
    case_size(test, "tokens")[0] = case_dim(test, "V") - 1;
    case_size(test, "tokens")[case_count(test, "tokens") / 2] = 0;
}

static void fill_decode_last_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    case_size(test, "tokens")[case_count(test, "tokens") - 1] = case_dim(test, "V");
}

static void fill_decode_first_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V") + 1000;
}

static void fill_decode_middle_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    case_size(test, "tokens")[case_count(test, "tokens") / 2] = SIZE_MAX;
}

// A token plus 256, which is the same in eight bits.
static void fill_decode_256_more(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    case_size(test, "tokens")[1] += BYTES;
}

static const struct case_spec decode_cases[] = {
    {.dims = "N=6 V=3", .fill = fill_decode_banana, .note = "banana"},
    {.dims = "N=1 V=1", .fill = fill_decode, .note = "one token"},
    {.dims = "N=5 V=1", .fill = fill_decode, .note = "V is 1"},
    {.dims = "N=9 V=4", .fill = fill_decode},
    {.dims = "N=20..30 V=10..15", .draws = 3, .fill = fill_decode},
    {.dims = "N=31 V=12", .fill = fill_decode_any, .note = "bytes from 0 to 255"},
    {.dims = "N=1301 V=256", .fill = fill_decode_any, .note = "all 256 bytes"},
    {.dims = "N=0 V=3", .note = "a size of 0"},
    {.dims = "N=3 V=0", .fill = fill_decode, .note = "a size of 0"},
    {.dims = "N=1 V=5", .fill = fill_decode, .note = "one token of five"},
    {.dims = "N=256 V=20", .fill = fill_decode, .note = "exactly 256 tokens"},
    {.dims = "N=7 V=5",
     .fill = fill_decode_last_too_large,
     .note = "the last token is V, which is not below V"},
    {.dims = "N=7 V=5",
     .fill = fill_decode_first_too_large,
     .note = "the first token is V + 1000"},
    {.dims = "N=7 V=5", .fill = fill_decode_256_more, .note = "a token is 256 too large"},
    {.dims = "N=8 V=5",
     .fill = fill_decode_middle_too_large,
     .note = "a token is the largest size_t"},
    {0},
};

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

static const struct mistake decode_mistakes[] = {
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

// ---- tables -------------------------------------------------------------------------------

static const struct part text_part[] = {
    {
        .function = "vocabulary",
        .dims = "N",
        .tensors =
            {
                {"bytes", "256", UPDATED, U8, 0, 0},
                {"V", "1", OUTPUT, SIZE, 0, 0},
                {"text", "N", INPUT, U8, 0, 0},
            },
        .cases = vocabulary_cases,
        .mistakes = vocabulary_mistakes,
        .alternatives = vocabulary_alternatives,
    },
    {
        .function = "encode",
        .dims = "N V",
        .tensors =
            {
                {"tokens", "N", OUTPUT, SIZE, 0, 0},
                {"text", "N", INPUT, U8, 0, 0},
                {"bytes", "V", INPUT, U8, 0, 0},
            },
        .cases = encode_cases,
        .mistakes = encode_mistakes,
        .alternatives = encode_alternatives,
    },
    {
        .function = "decode",
        .dims = "N V",
        .tensors =
            {
                {"text", "N", OUTPUT, U8, 0, 0},
                {"tokens", "N", INPUT, SIZE, 0, 0},
                {"bytes", "V", INPUT, U8, 0, 0},
            },
        .cases = decode_cases,
        .mistakes = decode_mistakes,
    },
    {0},
};

const struct exercise exercise_8_1 = {
    .id = "8.1",
    .name = "vocabulary, encode and decode",
    .section = "8.1 Text to tokens and back",
    .hints =
        {
            "There are only 256 bytes. Which of them occur? Mark each of these in a "
            "table of 256 entries, then read the table from 0 to 255.",
            "vocabulary: seen[text[n]] = 1 for every n; then every i with seen[i] "
            "becomes the next entry of bytes. encode: token = index of text[n] in bytes; "
            "reject an unknown byte before you write the first token. decode: text[n] = "
            "bytes[tokens[n]], for tokens below V.",
            "vocabulary: for each n: seen[text[n]] = 1\n"
            "    count = 0; for i = 0 ... 255: if seen[i]: bytes[count++] = i\n"
            "    *V = count\n"
            "encode: for i = 0 ... 255: token_of[i] = V; for each i < V:"
            " token_of[bytes[i]] = i\n"
            "    for each n: if token_of[text[n]] == V: return LAB_EVALUE\n"
            "    for each n: tokens[n] = token_of[text[n]]\n"
            "decode: for each n: if tokens[n] >= V: return LAB_EVALUE\n"
            "    for each n: text[n] = bytes[tokens[n]]",
        },
    .parts = text_part,
};
