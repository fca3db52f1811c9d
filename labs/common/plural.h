// plural.h - "1 byte" and "2 bytes".
//
//     printf("%zu byte%s", count, plural((double)count));

#ifndef LAB_PLURAL_H
#define LAB_PLURAL_H

// The ending of a noun after this number.
static inline const char *plural(double number)
{
    return number == 1.0 ? "" : "s";
}

#endif
