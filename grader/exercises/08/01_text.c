// 01_text.c - exercise 8.1, vocabulary, encode and decode: cases and hints.

#include "exercises/exercise.h"
#include "exercises/08/01_text.h"
#include "exercises/08/shared.h"

#include <string.h>

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

// One byte 65536 times, which a 16-bit counter counts as 0, and then two other bytes.
static void fill_65536_equal(struct test_case *test, struct lab_rng *rng)
{
    const size_t N = case_count(test, "text");
    fill_old_bytes(test, rng);
    memset(case_u8(test, "text"), 'm', N);
    case_u8(test, "text")[N - 2] = 'z';
    case_u8(test, "text")[N - 1] = 'a';
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
    {.dims = "N=65538", .fill = fill_65536_equal, .note = "one byte 65536 times"},
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

// A long text that repeats itself, and so takes little room in the student archive.
static void fill_encode_long(struct test_case *test, struct lab_rng *rng)
{
    fill_vocabulary(test, rng, 10, 126);
    for (size_t n = 0; n < case_count(test, "text"); n++) {
        case_u8(test, "text")[n] =
            case_u8(test, "bytes")[n * 7 % case_count(test, "bytes")];
    }
}

static void fill_unknown_at_far_end(struct test_case *test, struct lab_rng *rng)
{
    fill_encode_long(test, rng);
    case_u8(test, "text")[case_count(test, "text") - 1] = 200;
}

// Every byte but 'x' is a token, and the text ends with an x.
static void fill_one_missing(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < case_count(test, "bytes"); i++) {
        case_u8(test, "bytes")[i] = (uint8_t)(i + (i >= 'x'));
    }
    fill_from_vocabulary(test, rng);
    case_u8(test, "text")[case_count(test, "text") - 1] = 'x';
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
    {.dims = "N=1 V=2", .fill = fill_unknown_first, .note = "one byte, which is unknown"},
    {.dims = "N=3 V=1",
     .fill = fill_unknown_last,
     .note = "one token; a byte is unknown"},
    {.dims = "N=2 V=255",
     .fill = fill_one_missing,
     .note = "255 tokens; a byte is unknown"},
    {.dims = "N=0 V=3", .note = "a size of 0"},
    {.dims = "N=3 V=0", .note = "a size of 0"},
    {.dims = "N=70001 V=31", .fill = fill_encode_long, .note = "a long text"},
    {.dims = "N=70001 V=31",
     .fill = fill_unknown_at_far_end,
     .note = "the last of 70001 bytes is unknown"},
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

static void fill_decode_long(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    for (size_t n = 0; n < case_count(test, "tokens"); n++) {
        case_size(test, "tokens")[n] = n * 7 % case_dim(test, "V");
    }
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
    {.dims = "N=70001 V=31", .fill = fill_decode_long, .note = "a long text"},
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
