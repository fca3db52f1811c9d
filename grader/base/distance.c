// distance.c - see distance.h.

#include "base/distance.h"

enum { LONG_WORD = 8 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t distance_between(const char *a, size_t n, const char *b, size_t m)
{
    size_t table[DISTANCE_LONGEST + 1][DISTANCE_LONGEST + 1]; // of all prefixes
    if (n > DISTANCE_LONGEST || m > DISTANCE_LONGEST) {
        return DISTANCE_LONGEST;
    }
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] = least(table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                1 + least(table[i - 1][j], table[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                table[i][j] = least(table[i][j], 1 + table[i - 2][j - 2]);
            }
        }
    }
    return table[n][m];
}

size_t distance_near(size_t length)
{
    return length < LONG_WORD ? 1 : 2;
}
