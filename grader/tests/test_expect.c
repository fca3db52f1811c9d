// test_expect.c - what labs/common/expect.h says of a difference.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/expect.h"

// 0/0 is -nan on x86. A student looks for a minus sign that is not there.
Test(expect, nan_has_no_sign)
{
    const float got[] = {1.0f, copysignf(NAN, -1.0f)}, expected[] = {1.0f, 0.5f};
    char what[160] = "";
    cr_expect_not(all_close(got, expected, 1, 2, 0.0f, 0.0f, what, sizeof what));
    cr_expect_str_eq(what, "[0][1] is nan and should be 0.5 (1 of 2 places differs)");
}
