// far_down.c - see far_down.h.

#include "exercises/10/far_down.h"
#include "exercises/common/inputs.h"

void far_down(struct test_case *test, const char *keys, size_t S)
{
    float *k = case_f32(test, keys);
    set_all(test, "q", 0x1p51f);
    for (size_t n = 0; n < case_count(test, keys); n++) {
        const bool largest = (n / S + n % S) % S == 0;
        k[n] = largest ? -0x1p50f : -0x1p51f;
    }
}
