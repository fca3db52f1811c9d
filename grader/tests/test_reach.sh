#!/bin/sh
# test_reach.sh - no step of a class run or of Gradescope's container can read a solution, in any lab.
#
# reach-grade (reach/grade.c) takes the place of build/grade. It looks around behind the walls of each step.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LAB EX SRC LEVEL SEED B SANITIZE CHECKED GPU GRADE_HIDDEN_SEED
top=$PWD
B=${BUILD:-build}
[ -x "$B/grade-class" ] || {
    echo "ok - class runs cannot read a solution # SKIP grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    exit 0
}
"$B/grade" walls | grep -q '^Landlock version [1-9]' || {
    echo "ok - class runs cannot read a solution # SKIP no Landlock here"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/reach.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
box=yes
"$B/grade" check --untrusted --src solutions --exercise 1.1 >/dev/null 2>&1 || box=

# The folder of reach-grade: the skeletons, which are also what is handed in, and what they become.
export REACH="$work/reach"
sh grader/tests/reach/folder.sh "$REACH" || exit 1

nothing_found() { sh grader/tests/reach/report.sh "$REACH" "$1"; }

# ---- a class ----------------------------------------------------------------------------------

mkdir "$work/bin" "$work/class"
cp "$B/box/reach-grade" "$work/bin/grade"
cp "$B/grade-class" "$work/bin/"
cp -R "$REACH/skeletons" "$work/class/ann"
class() { # DB OPTIONS...
    db=$1
    shift
    "$work/bin/grade-class" class "$work/class" --db "$work/$db.db" --seed 5 --backend all "$@" && nothing_found 200
}
[ -z "$box" ] || claim "in a class run in boxes" class boxes
claim "in a class run without boxes" class trusted --trust

# ---- Gradescope -------------------------------------------------------------------------------

if command -v zip >/dev/null && command -v unzip >/dev/null; then
    root=$work/autograder
    workbook=$root/source/workbook
    layout() {
        grader/tools/gradescope.sh "$work/gradescope.zip" "" 5 7 && mkdir -p "$root/source" "$root/submission" "$root/results" &&
            unzip -q "$work/gradescope.zip" -d "$root/source" && mkdir "$workbook/build" &&
            cp -a build/obj build/lib build/labs build/gen build/flags build/worker build/box build/gpu build/grade-class "$workbook/build/" &&
            cp -R "$REACH/skeletons"/* "$root/submission/"
    }
    claim "Gradescope's archive unpacks" layout
    autograde() {
        AUTOGRADER_ROOT=$root sh "$root/source/run_autograder" && grep -q '"score":	0' "$root/results/results.json" && nothing_found 100
    }
    cp "$B/box/reach-grade" "$workbook/build/grade"
    [ -z "$box" ] || claim "in Gradescope's container" autograde
    cp "$B/box/reach-grade" "$workbook/build/boxless"
    cat >"$workbook/build/grade" <<END
#!/bin/sh
case " \$* " in
*" --untrusted "*) echo 'grade: no namespaces here' >&2; exit 3 ;;
" collect "*) exec $workbook/build/grade-class "\$@" ;;
esac
exec $workbook/build/boxless "\$@"
END
    claim "in Gradescope's container where no box can be made" autograde
fi

exit $status
