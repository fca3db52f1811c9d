// 02_wordpiece.c - exercise 11.2, wordpiece: cases, known mistakes and hints.
//
// Everything is a whole number and must be exactly right.

#include "exercises/exercise.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- cases ----------------------------------------------------------------------------------

// pieces: with one blank between two; two blanks are an empty piece.
static void fill_pieces(struct test_case *test, const char *pieces)
{
    size_t v = 0, used = 0;
    for (const char *at = pieces;; at++) {
        if (*at == ' ' || *at == '\0') {
            assert(v < case_dim(test, "V"));
            case_size(test, "ends")[v++] = used;
        } else {
            assert(used < case_dim(test, "bytes"));
            case_u8(test, "text")[used++] = (uint8_t)*at;
        }
        if (*at == '\0') {
            break;
        }
    }
    assert(v == case_dim(test, "V") && used == case_dim(test, "bytes"));
}

// The word is the unit, repeated, and then the last part.
static void fill_word(struct test_case *test, const char *unit, const char *last)
{
    const size_t N = case_dim(test, "N"), length = strlen(unit), rest = strlen(last);
    assert(N >= rest && (N - rest) % length == 0);
    for (size_t n = 0; n < N; n++) {
        case_u8(test, "word")[n] =
            (uint8_t)(n < N - rest ? unit[n % length] : last[n - (N - rest)]);
    }
}

// LONG(name, unit, last, pieces) and WORD(name, word, pieces): fills
#define LONG(name, unit, last, pieces)                                                   \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        (void)rng;                                                                       \
        fill_word(test, unit, last);                                                     \
        fill_pieces(test, pieces);                                                       \
    }
#define WORD(name, word, pieces) LONG(name, word, "", pieces)
#define Z_20 "zzzzzzzzzzzzzzzzzzzz"
#define TEN(unit) unit unit unit unit unit unit unit unit unit unit

WORD(fill_example, "tiredness", "tire tired ##ness [UNK]")
WORD(fill_whole, "the", "[UNK] t the ##he ##h ##e")
WORD(fill_one_byte, "a", "b a [UNK] ##a")
WORD(fill_one_byte_unknown, "c", "b a [UNK] ##c")
WORD(fill_many, "unaffable", "[UNK] ##f u un ##a ##aff ##af ##able ##abl ##e ##ff")
WORD(fill_rest, "cats", "cat ##s [UNK] ##at ##t c")
WORD(fill_repeated, "aaaaaa", "[UNK] ##a a ##aa")
WORD(fill_no_rest, "tiredly", "tired ##ness ##l [UNK]")
WORD(fill_no_first, "xcat", "[UNK] ##x cat ##cat c")
WORD(fill_no_middle, "catxsy", "cat ##s [UNK] ##y ##sy c")
WORD(fill_no_end, "catsx", "cat ##s [UNK] ##ts ca")
WORD(fill_hashes_only, "ness", "[UNK] ##ness ##n ##ess")
WORD(fill_plain_only, "tiredness", "tired ness [UNK] n")
WORD(fill_plain_longer, "tiredness", "tired ness ##n [UNK] ##e ##s ess")
WORD(fill_hashes_longer, "tired", "ti ##tired [UNK] ##red")
WORD(fill_greedy, "abcd", "ab abc ##cd [UNK]")
WORD(fill_greedy_later, "abcde", "a ##b ##bc ##cde [UNK]")
WORD(fill_from_right, "abcd", "a ab ##bcd ##cd [UNK] abc ##d")
WORD(fill_longer_pieces, "cat", "cats ca ##ts ##t [UNK]")
WORD(fill_accents, "na\xc3\xafvet\xc3\xa9",
     "na ##\xc3\xafve ##\xc3\xaf ##v [UNK] ##t\xc3\xa9 ##t")
WORD(fill_other_accent, "\xc3\xa8", "\xc3\xa9 [UNK] e")
WORD(
    fill_three_bytes, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
    "\xe6\x97\xa5 ##\xe6\x9c\xac ##\xe6\x9c\xac\xe8\xaa\x9e [UNK] \xe6\x9c\xac \xe8\xaa\x9e")
WORD(fill_hash_sign, "a#", "# a ### [UNK] ##")
WORD(fill_empty, "abc", " ## ab ##c [UNK]")
LONG(fill_letters_100, "ab", "", "ab ##ab [UNK] ##b")
LONG(fill_letters_101, "ab", "a", "ab ##ab [UNK] ##a")
LONG(fill_piece_100, "z", "y",
     "z ##z ##y " Z_20 Z_20 Z_20 Z_20 "zzzzzzzzzzzzzzzzzzzy [UNK]")
LONG(fill_piece_101, "z", "y", "z ##z ##y " Z_20 Z_20 Z_20 Z_20 Z_20 "y [UNK]")
LONG(fill_two_100, "\xc3\xa9", "", "\xc3\xa9 ##\xc3\xa9 [UNK] ##\xc3\xa9\xc3\xa9\xc3\xa9")
LONG(fill_two_101, "\xc3\xa9", "", "\xc3\xa9 ##\xc3\xa9 [UNK] ##\xc3\xa9\xc3\xa9\xc3\xa9")
LONG(fill_three_60, "\xe6\x97\xa5", "", "\xe6\x97\xa5\xe6\x97\xa5 ##\xe6\x97\xa5 [UNK]")
LONG(fill_four_100, "\xf0\x9f\x98\x80", "", "\xf0\x9f\x98\x80 ##\xf0\x9f\x98\x80 [UNK]")
LONG(fill_four_101, "\xf0\x9f\x98\x80", "", "\xf0\x9f\x98\x80 ##\xf0\x9f\x98\x80 [UNK]")
LONG(fill_four_piece_100, "\xf0\x9f\x98\x80", "",
     "\xf0\x9f\x98\x80 ##\xf0\x9f\x98\x80 " TEN(TEN("\xf0\x9f\x98\x80")) " [UNK]")
LONG(fill_mixed_100, "abc\xc3\xa9", "", "abc ##abc ##\xc3\xa9 [UNK] a")
LONG(fill_mixed_101, "abc\xc3\xa9", "d", "abc ##abc ##\xc3\xa9 [UNK] ##d")
LONG(fill_long, "a", "b", "a ##a ##b [UNK]")
WORD(fill_unknown_is_a_piece, "[UNK]ed", "x [UNK] ##ed")
WORD(fill_empty_unknown, "abd", " ## ab ##c [UNK]")

static void fill_any_letters(struct test_case *test, struct lab_rng *rng)
{
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_u8(test, "word")[n] = lab_rng_next32(rng) % 2 == 0 ? 'a' : 'b';
    }
}

static void fill_one_byte_vocabulary(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_pieces(test, "b a [UNK] ##a");
}

// The pieces 000 ... 149 and ##150 ... ##299: the word is the last of the first, then the last.
static void fill_number(struct test_case *test, struct lab_rng *rng)
{
    size_t used = 0;
    (void)rng;
    for (size_t v = 0; v < 300; v++) {
        char piece[8];
        snprintf(piece, sizeof piece, "%s%03zu", v < 150 ? "" : "##", v);
        memcpy(case_u8(test, "text") + used, piece, strlen(piece));
        used += strlen(piece);
        case_size(test, "ends")[v] = used;
    }
    fill_word(test, "149299", "");
}

// The strings of one to three letters, a and b, with and without ##: 28, in any order. A third of them
// begins with c in their place, so that no word of the letters a and b has them. Then [UNK].
static void fill_any(struct test_case *test, struct lab_rng *rng)
{
    enum { STRINGS = 28 };
    size_t order[STRINGS], used = 0;
    for (size_t v = 0; v < STRINGS; v++) {
        const size_t other = lab_rng_next32(rng) % (v + 1);
        order[v] = order[other];
        order[other] = v;
    }
    uint8_t *text = case_u8(test, "text");
    for (size_t v = 0; v < STRINGS; v++) {
        const size_t string =
            order[v] % (STRINGS / 2) + 2; // 2 ... 15: 1 and its letters in bits
        const size_t length = string < 4 ? 1 : string < 8 ? 2 : 3;
        const bool left_out = lab_rng_next32(rng) % 3 == 0;
        if (order[v] >= STRINGS / 2) {
            text[used++] = '#';
            text[used++] = '#';
        }
        for (size_t i = length; i-- > 0;) {
            text[used++] = string >> i & 1 ? 'b' : 'a';
        }
        text[used - length] = left_out ? 'c' : text[used - length];
        case_size(test, "ends")[v] = used;
    }
    memcpy(text + used, "[UNK]", 5);
    case_size(test, "ends")[STRINGS] = used + 5;
    fill_any_letters(test, rng);
}

static const struct case_spec wordpiece_cases[] = {
    {.dims = "N=9 V=4 bytes=20 unknown=3",
     .fill = fill_example,
     .note = "tiredness, the example of the header"},
    {.dims = "N=3 V=6 bytes=19 unknown=0",
     .fill = fill_whole,
     .note = "the word is a piece"},
    {.dims = "N=1 V=4 bytes=10 unknown=2",
     .fill = fill_one_byte,
     .note = "a word of one byte"},
    {.dims = "N=1 V=4 bytes=10 unknown=2",
     .fill = fill_one_byte_unknown,
     .note = "a word of one byte that is no piece"},
    {.dims = "N=9 V=11 bytes=41 unknown=0",
     .fill = fill_many,
     .note = "three pieces, each with a shorter one"},
    {.dims = "N=4 V=6 bytes=19 unknown=2",
     .fill = fill_rest,
     .note = "the rest is one byte"},
    {.dims = "N=6 V=4 bytes=13 unknown=0",
     .fill = fill_repeated,
     .note = "the same letter six times"},
    {.dims = "N=7 V=4 bytes=19 unknown=3",
     .fill = fill_no_rest,
     .note = "the first piece fits, the rest does not"},
    {.dims = "N=4 V=5 bytes=17 unknown=0",
     .fill = fill_no_first,
     .note = "no first piece fits, the rest is a piece"},
    {.dims = "N=6 V=6 bytes=19 unknown=2",
     .fill = fill_no_middle,
     .note = "no piece fits in the middle"},
    {.dims = "N=5 V=5 bytes=17 unknown=2",
     .fill = fill_no_end,
     .note = "no piece fits the last letter"},
    {.dims = "N=4 V=4 bytes=19 unknown=0",
     .fill = fill_hashes_only,
     .note = "the word is a piece only with ##"},
    {.dims = "N=9 V=4 bytes=15 unknown=2",
     .fill = fill_plain_only,
     .note = "the rest is a piece only without ##"},
    {.dims = "N=9 V=7 bytes=26 unknown=3",
     .fill = fill_plain_longer,
     .note = "the rest has a longer piece without ##"},
    {.dims = "N=5 V=4 bytes=19 unknown=2",
     .fill = fill_hashes_longer,
     .note = "the word has a longer piece with ##"},
    {.dims = "N=4 V=4 bytes=14 unknown=3",
     .fill = fill_greedy,
     .note = "a shorter first piece would fit, the longest does not"},
    {.dims = "N=5 V=5 bytes=18 unknown=4",
     .fill = fill_greedy_later,
     .note = "a shorter second piece would fit, the longest does not"},
    {.dims = "N=4 V=7 bytes=23 unknown=4",
     .fill = fill_from_right,
     .note = "the longest piece from the left, not from the right"},
    {.dims = "N=3 V=5 bytes=18 unknown=4",
     .fill = fill_longer_pieces,
     .note = "pieces that are longer than the word"},
    {.dims = "N=9 V=7 bytes=28 unknown=4",
     .fill = fill_accents,
     .note = "characters of two bytes"},
    {.dims = "N=2 V=3 bytes=8 unknown=1",
     .fill = fill_other_accent,
     .note = "a character that shares its first byte with a piece"},
    {.dims = "N=9 V=6 bytes=27 unknown=3",
     .fill = fill_three_bytes,
     .note = "characters of three bytes"},
    {.dims = "N=2 V=5 bytes=12 unknown=3",
     .fill = fill_hash_sign,
     .note = "the letter # after the first"},
    {.dims = "N=3 V=5 bytes=12 unknown=4",
     .fill = fill_empty,
     .note = "the vocabulary has the pieces \"\" and \"##\""},
    {.dims = "N=6 V=300 bytes=1200 unknown=300",
     .fill = fill_number,
     .note = "tokens above 255"},
    {.dims = "N=100 V=4 bytes=14 unknown=2",
     .fill = fill_letters_100,
     .note = "100 letters"},
    {.dims = "N=101 V=4 bytes=14 unknown=2",
     .fill = fill_letters_101,
     .note = "101 letters"},
    {.dims = "N=100 V=5 bytes=112 unknown=4",
     .fill = fill_piece_100,
     .note = "100 letters that are one piece"},
    {.dims = "N=101 V=5 bytes=113 unknown=4",
     .fill = fill_piece_101,
     .note = "101 letters that are one piece"},
    {.dims = "N=200 V=4 bytes=19 unknown=2",
     .fill = fill_two_100,
     .note = "100 characters of two bytes"},
    {.dims = "N=202 V=4 bytes=19 unknown=2",
     .fill = fill_two_101,
     .note = "101 characters of two bytes"},
    {.dims = "N=180 V=3 bytes=16 unknown=2",
     .fill = fill_three_60,
     .note = "60 characters of three bytes"},
    {.dims = "N=400 V=3 bytes=15 unknown=2",
     .fill = fill_four_100,
     .note = "100 characters of four bytes"},
    {.dims = "N=404 V=3 bytes=15 unknown=2",
     .fill = fill_four_101,
     .note = "101 characters of four bytes"},
    {.dims = "N=400 V=4 bytes=415 unknown=3",
     .fill = fill_four_piece_100,
     .note = "100 characters of four bytes that are one piece"},
    {.dims = "N=7 V=3 bytes=10 unknown=1",
     .fill = fill_unknown_is_a_piece,
     .note = "the word begins with the piece [UNK]"},
    {.dims = "N=125 V=5 bytes=18 unknown=3",
     .fill = fill_mixed_100,
     .note = "100 characters of one and two bytes"},
    {.dims = "N=126 V=5 bytes=20 unknown=3",
     .fill = fill_mixed_101,
     .note = "101 characters of one and two bytes"},
    {.dims = "N=501 V=4 bytes=12 unknown=3", .fill = fill_long, .note = "501 letters"},
    {.dims = "N=4..14 V=29 bytes=101 unknown=28", .draws = 12, .fill = fill_any},
    {.dims = "N=3 V=0 bytes=0 unknown=7",
     .fill = fill_any_letters,
     .note = "an empty vocabulary"},
    {.dims = "N=0 V=4 bytes=10 unknown=2",
     .fill = fill_one_byte_vocabulary,
     .note = "a size of 0"},
    {.dims = "N=3 V=5 bytes=12 unknown=4",
     .fill = fill_empty_unknown,
     .note = "no piece fits, except the empty ones"},
    {0},
};

// ---- known mistakes -------------------------------------------------------------------------

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

static const struct mistake wordpiece_mistakes[] = {
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

static const struct mistake wordpiece_alternatives[] = {
    {.id = "by-list", .function = LIKE(wordpiece, wordpiece_by_list)},
    {.id = "from-short-to-long", .function = LIKE(wordpiece, wordpiece_from_short)},
    {0},
};

// ---- tables ---------------------------------------------------------------------------------

static const struct part wordpiece_part[] = {
    {
        .function = "wordpiece",
        .dims = "N V bytes unknown",
        .tensors =
            {
                {"ids", "N", OUTPUT, SIZE, 0, 0},
                {"count", "1", OUTPUT, SIZE, 0, 0},
                {"word", "N", INPUT, U8, 0, 0},
                {"text", "bytes", INPUT, U8, 0, 0},
                {"ends", "V", INPUT, SIZE, 0, 0},
            },
        .cases = wordpiece_cases,
        .mistakes = wordpiece_mistakes,
        .alternatives = wordpiece_alternatives,
    },
    {0},
};

const struct exercise exercise_11_2 = {
    .id = "11.2",
    .name = "wordpiece",
    .section = "11.2 The longest piece",
    .hints =
        {
            "Cut one word by hand: tiredness, with the pieces tire, tired and ##ness. At "
            "each place, try the longest part first: the whole rest of the word, then one "
            "byte less, and so on.",
            "From start, take the largest end with a token: lab_piece_find(pieces, start "
            "== 0 ? \"\" : \"##\", word + start, end - start) < pieces->V. Then start = "
            "end, until start is N. If no end has a token, or the word has more than 100 "
            "characters: ids[0] = unknown, *count = 1. A byte begins a character if (byte "
            "& 0xc0) != 0x80.",
            "characters = number of n with (word[n] & 0xc0) != 0x80\n"
            "start = 0, found = 0\n"
            "while characters <= 100 and start < N:\n"
            "    end = N\n"
            "    while end > start and (id = lab_piece_find(...)) == V: end--\n"
            "    if end == start: break\n"
            "    ids[found++] = id; start = end\n"
            "if start < N: ids[0] = unknown; found = 1\n"
            "*count = found",
        },
    .parts = wordpiece_part,
};
