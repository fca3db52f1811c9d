// unicode.c - what kind of character a code point is, by libutf8proc's tables.
//
// The tokenizers library has older tables (Unicode 8) for what BERT asks. So about 570 rare
// characters that came later, for instance the marks of the Vithkuqi and Kawi scripts, are
// punctuation or an accent here and a letter there. For every other code point the answers
// were compared and are the same.

#include "programs/reading/read_model.h"

#include <stdlib.h>
#include <utf8proc.h>

// ---- UTF-8 --------------------------------------------------------------------------------

size_t point_decode(int32_t *point, const uint8_t *bytes, size_t size)
{
    const utf8proc_ssize_t most = size < 4 ? (utf8proc_ssize_t)size : 4;
    const utf8proc_ssize_t length = utf8proc_iterate(bytes, most, point);
    return length > 0 ? (size_t)length : 0;
}

void point_add(struct bytes *bytes, int32_t point)
{
    uint8_t encoded[4];
    bytes_add(bytes, encoded, (size_t)utf8proc_encode_char(point, encoded));
}

size_t utf8_prefix(const uint8_t *bytes, size_t size)
{
    size_t at = 0, length;
    int32_t point;
    while (at < size && (length = point_decode(&point, bytes + at, size - at)) > 0) {
        at += length;
    }
    return at;
}

// ---- kinds of characters ------------------------------------------------------------------

bool point_is_space(int32_t point)
{
    return (point >= '\t' && point <= '\r') || point == 0x85 ||
           (utf8proc_category(point) >= UTF8PROC_CATEGORY_ZS &&
            utf8proc_category(point) <= UTF8PROC_CATEGORY_ZP);
}

bool point_is_control(int32_t point)
{
    const utf8proc_category_t category = utf8proc_category(point);
    return point != '\t' && point != '\n' && point != '\r' &&
           (category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
            category == UTF8PROC_CATEGORY_CO);
}

// All of ASCII's symbols count, also $ + < = > ^ ` | ~, which Unicode calls otherwise.
bool point_is_punctuation(int32_t point)
{
    const utf8proc_category_t category = utf8proc_category(point);
    const bool symbol =
        category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
    return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) ||
           (symbol && point < 128);
}

// The blocks of BERT's tokenizer. The library begins the last but two at 2B920, not at 2B820.
bool point_is_chinese(int32_t point)
{
    static const int32_t blocks[][2] = {
        {0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
        {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (point >= blocks[i][0] && point <= blocks[i][1]) {
            return true;
        }
    }
    return false;
}

bool point_is_accent(int32_t point)
{
    return utf8proc_category(point) == UTF8PROC_CATEGORY_MN;
}

bool point_is_letter(int32_t point)
{
    const utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool point_is_number(int32_t point)
{
    const utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

// ---- changes ------------------------------------------------------------------------------

void points_decomposed(struct sizes *points, const uint8_t *text, size_t size)
{
    const utf8proc_option_t canonical = UTF8PROC_DECOMPOSE | UTF8PROC_STABLE;
    const utf8proc_ssize_t count =
        utf8proc_decompose(text, (utf8proc_ssize_t)size, NULL, 0, canonical);
    if (count < 0) {
        reader_fail(READER_FAILED, "libutf8proc: %s", utf8proc_errmsg(count));
    }
    int32_t *found = reader_allocate((size_t)count, sizeof *found);
    if (utf8proc_decompose(text, (utf8proc_ssize_t)size, found, count, canonical) !=
        count) {
        reader_fail(READER_FAILED, "libutf8proc: the text changed");
    }
    for (utf8proc_ssize_t i = 0; i < count; i++) {
        sizes_add(points, (size_t)found[i]);
    }
    free(found);
}

// One capital becomes two characters: a dotted I, an i and a dot above.
void point_lower(struct bytes *bytes, int32_t point)
{
    if (point == 0x130) {
        point_add(bytes, 'i');
        point_add(bytes, 0x307);
    } else {
        point_add(bytes, utf8proc_tolower(point));
    }
}
