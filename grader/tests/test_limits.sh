#!/bin/sh
# test_limits.sh - a hand-in costs at most a few times its limits, and no other hand-in suffers.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
grade=${GRADE:-$B/grade}
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/limits.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
one=01_simple_attention/attention.c two=02_batching/batching.c

# For this file the compiler prints more than is allowed, which is treated like too much time.
# It is the largest file, so it is compiled first.
flood() { # TREE
    mkdir -p "$1/01_simple_attention" "$1/02_batching"
    {
        for i in 0 1 2 3 4 5 6 7 8 9 10; do echo "#define W$((i + 1)) W$i W$i W$i"; done
        echo '#define W0 _Pragma("GCC warning \"much to say of this file, and of no other one at all\"")'
        echo W11
        cat solutions/$one
    } >"$1/$one"
    cp solutions/$two "$1/$two"
}
flood "$work/flood"
stopped() {
    $grade check --no-color --src "$work/flood" --jobs 1 --json "$work/report.json" >"$work/report"
    sed -n '/^0.* does not compile$/{n; p;}' "$work/report" >"$work/said"
    cat "$work/said"
    [ "$(head -n 1 "$work/said")" = "the compiler printed more than 4 megabytes" ] &&
        [ "$(sed -n 2p "$work/said")" = "not compiled: the compiler took too much time or memory for $one, so no later file was tried" ] &&
        grep -q "\"hung\":.*\"$one\"" "$work/report.json"
}
claim "after a file on which the compiler exceeds its limits, no further file is compiled" stopped

# In a class every lab has a separate run. Here another student hands in the same file of lab 2,
# and gets its marks.
c=$work/class
flood "$c/ann"
mkdir -p "$c/bob/02_batching" "$c/cy/02_batching"
{ cat solutions/$two && echo "// mine"; } | tee "$c/bob/$two" >"$c/ann/$two"
cp solutions/$two "$c/cy/$two"
points_of_2() { # DB NAME
    $grade report --db "$1" --csv "$work/points.csv" >/dev/null 2>&1
    grep "^\"$2\"," "$work/points.csv" | cut -d , -f 6
}
if [ -x "$B/grade-class" ]; then
    in_a_class() {
        $grade class "$c" --db "$work/class.db" --trust --seed 5 --jobs 1 </dev/null || return 1
        cat "$work/points.csv"
        [ "$(points_of_2 "$work/class.db" ann) $(points_of_2 "$work/class.db" bob) $(points_of_2 "$work/class.db" cy)" = "0 100 100" ]
    }
    claim "in a class such a file costs other students nothing" in_a_class
    known() { # a file that was graded before keeps its marks
        rm -rf "$c/ann"
        $grade class "$c" --db "$work/known.db" --trust --seed 5 --jobs 1 </dev/null >/dev/null || return 1
        flood "$c/ann" && cp "$c/bob/$two" "$c/ann/$two"
        $grade class "$c" --db "$work/known.db" --trust --seed 5 --jobs 1 </dev/null || return 1
        [ "$(points_of_2 "$work/known.db" ann) $(points_of_2 "$work/known.db" bob)" = "100 100" ]
    }
    claim "marks that are already known are kept" known
else
    echo "ok - whole classes # SKIP grade-class is not built"
fi

# ---- functions that do not return ---------------------------------------------------------------

printf '// 1.1 matmul timeout\n// BODY\n    for (volatile int i = 1; i != 0;) {\n    }\n    return LAB_OK;\n' >"$work/loop.c"
grader/tools/transplant.sh "$work/loop.c" "$work/loop"
judged_on_ours() {
    $grade check --no-color --src "$work/loop" --lab 1 --jobs 1 --hidden-seed 9 >"$work/report"
    cat "$work/report"
    on="(uses 1.1, which fails: judged with the workbook's own 1.1)"
    grep -qF "1.5  weighted_values          10/10  $on" "$work/report" &&
        grep -qF "1.6  simple_attention         20/20  $on" "$work/report" && grep -q '^85 of 100 points' "$work/report"
}
claim "functions that use it are judged at once with the workbook's own, and only those" judged_on_ours

# 1.5 is postponed because of 1.1 and then found wrong by itself: that costs only 1.5.
{
    echo '// 1.5 weighted_values wrong'
    echo '    return matmul(out, weights, v, T, dv, S) == LAB_OK && out[0] == 1234 ? LAB_OK : LAB_ENOMEM;'
} >"$work/wrong.c"
grader/tools/transplant.sh "$work/loop.c" "$work/wrong.c" "$work/both"
one_after_another() {
    $grade check --no-color --src "$work/both" --lab 1 --jobs 1 >"$work/report"
    cat "$work/report"
    grep -qE '1.5  weighted_values +0/10  wrong' "$work/report" && grep -q '1.6  simple_attention         20/20  .*1.5, which fail' "$work/report"
}
claim "a postponed function can be wrong by itself, and its users are judged with ours" one_after_another
exit $status
