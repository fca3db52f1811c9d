// 02_wordpiece.c - exercise 11.2, wordpiece: cases and hints.
//
// Everything is a whole number and must be exactly right.

#include "exercises/exercise.h"
#include "exercises/11/02_wordpiece.h"

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

// The word ca?t, where ? is a byte 0.
static void fill_byte_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_word(test, "ca?t", "");
    fill_pieces(test, "ca ##?t ##t [UNK]");
    case_u8(test, "word")[2] = 0;
    case_u8(test, "text")[4] = 0;
}

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
    {.dims = "N=4 V=4 bytes=14 unknown=3",
     .fill = fill_byte_0,
     .note = "a word and a piece with a byte 0"},
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
