// utf8.h - is this text UTF-8?

#ifndef LAB_UTF8_H
#define LAB_UTF8_H

#include <stddef.h>

// Where text, which ends in a zero byte, stops being UTF-8: the offset of its first bad byte,
// or of its end. lab_utf8_prefix("caf\xc3\xa9") is 5, lab_utf8_prefix("caf\xe9") is 3.
size_t lab_utf8_prefix(const char *text);

#endif
