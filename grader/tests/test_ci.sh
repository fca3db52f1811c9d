#!/bin/sh
# test_ci.sh - the templates for build servers: their scripts run as they are, with the hand-ins
# and the folders that the servers would give them.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/ci_test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
unset GRADE_HIDDEN_SEED

# The script of a step, with its indentation removed.
step() { # FILE NAME
    awk -v name="$2" '
        /^ *- (name|uses):/ { in_step = $0 ~ "name: " name "$"; in_script = 0 }
        in_script && /^ *[^ ]/ { match($0, /^ */); if (RLENGTH < deep) in_script = 0 }
        in_script { print substr($0, deep + 1) }
        in_step && /^ *(script|run): \|-?$/ { match($0, /^ */); deep = RLENGTH + 2; in_script = 1 }' "$1"
}
expect() { # CODE COMMAND...
    wanted=$1
    shift
    "$@" >"$work/said" 2>&1
    code=$?
    [ $code = "$wanted" ] || {
        cat "$work/said"
        echo "exit status $code, expected $wanted"
        return 1
    }
}

mkdir -p "$work/good/01_simple_attention" "$work/bare" "$work/bad"
cp solutions/01_simple_attention/attention.c "$work/good/01_simple_attention/"
sed 's/1.0 \/ sqrt((double)d)/1.0 \/ (double)d/' solutions/01_simple_attention/attention.c >"$work/bare/attention.c"
printf nothing >"$work/bad/hand-in.zip"
claim "a right hand-in passes" expect 0 grader/ci/check.sh "$work/good" "$work/results" 1 5
claim "and leaves both files" [ -s "$work/results/results.json" -a -s "$work/results/results.xml" ]
failing() {
    expect 1 grader/ci/check.sh "$work/bare" "$work/results" 1 5 && grep '<failure' "$work/results/results.xml" &&
        grep '"score":' "$work/results/results.json"
}
claim "a wrong one, in a bare file, fails and says what" failing
refusal() {
    expect 1 grader/ci/check.sh "$work/bad" "$work/results" 1 5 &&
        grep 'failure message="refused: hand-in.zip' "$work/results/results.xml" && [ ! -e "$work/results/results.json" ]
}
claim "a damaged archive is refused in the results" refusal
own_fault() { # the grader fails: no results, also no old ones
    expect 3 grader/ci/check.sh "$work/good" "$work/results" 77 5 && [ ! -e "$work/results/results.xml" ]
}
claim "if the grader fails, there are no results" own_fault
seed_1() { # the student archive contains its results
    expect 0 grader/ci/check.sh "$work/good" "$work/results" 1 && grep -q "cases of seed 1, which" "$work/said" &&
        expect 0 grader/ci/check.sh "$work/good" "$work/results" 1 5 && ! grep -q "cases of seed 1, which" "$work/said" &&
        expect 0 env GRADE_HIDDEN_SEED=77 grader/ci/check.sh "$work/good" "$work/results" 1 &&
        ! grep -q "cases of seed 1, which" "$work/said"
}
claim "without a seed and without hidden cases, it says that every student has these cases" seed_1
claim "a hand-in that is not there is a wrong command line" expect 2 grader/ci/check.sh "$work/none" "$work/results"

artemis() { # in the folders of Artemis: tests and assignment, side by side
    mkdir "$work/artemis" && ln -s "$top" "$work/artemis/tests" && cp -R "$work/bare" "$work/artemis/assignment"
    step grader/ci/artemis.yml judge |
        sed 's/\${testWorkingDirectory}/tests/g; s/\${studentParentWorkingDirectoryName}/assignment/g' >"$work/artemis/plan.sh"
    cat "$work/artemis/plan.sh"
    (cd "$work/artemis" && sh -e plan.sh) && grep -c '<testcase' "$work/artemis/test-reports/results.xml"
}
claim "Artemis's plan judges and leaves its report" artemis
if [ -x build/grade-class ] && build/grade check --untrusted --src solutions --exercise 1.1 >/dev/null 2>&1; then
    actions() {
        mkdir "$work/actions" && ln -s "$top/build" "$work/actions/build" && cd "$work/actions" || return 1
        mkdir handed-in && cp -R "$work/good" handed-in/lab-1-octo-ann
        printf 'id,name,github\n17,Ann Lee,octo-ann\n18,Bo Chu,octo-bo\n' >roster.csv
        step "$top/grader/ci/github-actions.yml" Grade >plan.sh
        cat plan.sh
        COURSE_LAB=1 COURSE_SEED=5 COURSE_DUE=2026-11-01T12:00Z GRADE_HIDDEN_SEED=7 sh -e plan.sh &&
            grep '^"Ann Lee",.*,100,' marks.csv && grep '^"Bo Chu",.*handed in nothing' marks.csv && [ -e class.html ]
        code=$?
        cd "$top" || return 1
        return $code
    }
    claim "the workflow for GitHub Actions grades and writes its tables" actions
else
    echo "ok - GitHub Actions # SKIP no box, or grade-class is not built"
fi
exit $status
