// utf8.h - checks whether a text is UTF-8.

#ifndef LAB_UTF8_H
#define LAB_UTF8_H

#include <stddef.h>

// The length of the longest valid UTF-8 prefix of text, which ends in a zero byte.
// lab_utf8_prefix("caf\xc3\xa9") is 5, lab_utf8_prefix("caf\xe9") is 3.
size_t lab_utf8_prefix(const char *text);

#endif
