// anything.c - what cudasim does not allow in a source file: only what nvcc does not allow either. The
// judge links build/policy/forbidden.c instead, because a hand-in must not escape the checks.

#include "gpu/translate/translate.h"

const char *const translate_prologue =
    "#include \"cuda_runtime.h\"\n"
    "#include <limits.h>\n#include <new>\n#include <time.h>\n#include <utility>\n"; // as nvcc does

const bool translate_marks_host = true;

void refuse_forbidden(const struct source *source)
{
    sides_check(source);
}
