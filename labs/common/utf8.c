// utf8.c - checks UTF-8 as defined in RFC 3629, character by character.

#include "common/utf8.h"

#include <stdbool.h>
#include <stdint.h>

// The length of a UTF-8 character in bytes, or 0 if it is not valid (incomplete, overlong,
// a surrogate, above U+10FFFF).
static size_t utf8_length(const unsigned char *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = c[0] < 0x80             ? 1
                    : (c[0] & 0xe0) == 0xc0 ? 2
                    : (c[0] & 0xf0) == 0xe0 ? 3
                    : (c[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    if (length < 2) {
        return length;
    }
    uint32_t point = c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) { // also true for the zero that ends the string
            return 0;
        }
        point = point << 6 | (c[i] & 0x3f);
    }
    bool allowed = point >= least[length] && point <= 0x10ffff &&
                   !(point >= 0xd800 && point <= 0xdfff);
    return allowed ? length : 0;
}

size_t lab_utf8_prefix(const char *text)
{
    size_t at = 0;
    while (text[at] != '\0') {
        size_t length = utf8_length((const unsigned char *)text + at);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}
