# workspace.sh - for tests of grader/tools: a small workbook of its own, whose lab 1 has two functions. From
# the root of the workbook, and the tests go on in the small one:
#
#     . grader/tests/tools/workspace.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/labs/01_first" "$scratch/solutions/01_first" "$scratch/grader/exercises"
cp -R grader/tools "$scratch/grader/tools"
cp Makefile "$scratch/"
cp grader/rules.mk grader/programs.mk "$scratch/grader/"
claim_said=$scratch/out
. grader/tests/claim.sh
cd "$scratch" || exit 1
rm -f grader/tools/skeletons.cksum
solution=solutions/01_first/first.c
stub=labs/01_first/first.c

refused() { # COMMAND...: it fails, and its output is shown
    ! "$@" >refusal 2>&1 && [ -s refusal ]
}
says() { # PATTERN COMMAND...: the output matches, whatever the exit status
    pattern=$1
    shift
    "$@" >said 2>&1 </dev/null
    cat said
    grep -qE -e "$pattern" said
}

cat >$solution <<'END'
#include "common/status.h"

// BEGIN SOLUTION 1.1 helper
static float half(float x)
{
    return x / 2;
}
// END SOLUTION 1.1

lab_status first(float *out, const float x[2], size_t N,
                 void (*visit)(int, float))
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.1 first: half of x, and then a text that is long enough to be broken
    // into two lines (about 1 line)
    out[0] = half(x[0]);
    return LAB_OK;
    // END SOLUTION 1.1
}

lab_status count(size_t N)
{
    // BEGIN SOLUTION 1.2 count: nothing
    return LAB_OK;
    // END SOLUTION 1.2
}
END
