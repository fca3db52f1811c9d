# workspace.sh - for tests of build/cudasim: builds it, and makes a folder $work. From the root of the
# workbook:
#
#     . grader/tests/cudasim/workspace.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/test_cudasim.XXXXXX")
trap 'rm -rf "$work"' EXIT
claim_said=$work/said
. grader/tests/claim.sh

make --no-print-directory -s CHECKED=1 build/cudasim >"$work/make" 2>&1 || {
    cat "$work/make" >&2
    exit 1
}

# The program's output, with its exit status behind it.
shows() { # pattern command...
    pattern=$1
    shift
    "$@" >"$work/out" 2>&1
    echo "status $?" >>"$work/out"
    cat "$work/out"
    tr '\n' ' ' <"$work/out" | grep -q -- "$pattern"
}
sim() { build/cudasim "$@"; }
