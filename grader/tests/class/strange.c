// strange.c - a helper that nobody else would write, for tests of similarity.
#include <stddef.h>

__attribute__((unused)) static float strange(const float *row, size_t count)
{
    float low = row[0], high = row[0], swing = 0.0f;
    for (size_t i = count; i-- > 1;) {
        low = row[i] < low ? row[i] : low;
        high = row[i] > high ? row[i] : high;
        swing += (row[i] - row[i - 1]) * (row[i] - row[i - 1]);
        if (swing > 3.5f * (high - low)) {
            swing = swing / 2.0f + low;
        } else {
            swing -= high;
        }
    }
    return swing * (high - low) + low / (high + 1.0f);
}
