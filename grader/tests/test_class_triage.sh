#!/bin/sh
# test_class_triage.sh - the hand-ins that an instructor should look at first, with names, in the
# table, in grade report and on the class page; and who passes an exercise since the run before.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
[ -x "$B/grade-class" ] || {
    echo "ok - triage # SKIP grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/triage.XXXXXX") || exit 1
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
. grader/tests/class/workspace.sh
ln -s "$top/build/skeletons" "$work/build/skeletons" # what is handed out

t=$work/class
folder_of "$t/fine"
folder_of "$t/wrong" "$noscale"
(cat $solution && echo "int x = ;") >"$work/broken.c" && folder_of "$t/broken" "$work/broken.c"
(printf '\377\376' && sed 's/./&\x00/g; s/$/\x00/' $solution) >"$work/utf16.c" && folder_of "$t/utf16" "$work/utf16.c"
folder_of "$t/skeleton" labs/01_simple_attention/attention.c
folder_of "$t/kernels" labs/01_simple_attention/attention.c
cp solutions/01_simple_attention/attention.cu "$t/kernels/01_simple_attention/"
mkdir "$t/only-cu" && cp solutions/01_simple_attention/attention.cu "$t/only-cu/"
mkdir "$t/names" && cp $solution "$t/names/Attention.c"
printf nothing >"$t/damaged.zip"
cp -R grader/tests/submissions "$work/submissions"
grader/tools/transplant.sh grader/tests/submissions/hostile/1.3-endless-loop.c "$work/slow"
folder_of "$t/slow" "$work/slow/01_simple_attention/attention.c"
# The same wrong results, from two different files, that no known mistake explains.
sed 's/1.0 \/ sqrt((double)d)/1.0 \/ sqrt((double)d) + 0.25/' $solution >"$work/odd1.c"
sed 's/1.0 \/ sqrt((double)d)/0.25 + 1.0 \/ sqrt((double)d)/' $solution >"$work/odd2.c"
folder_of "$t/odd one" "$work/odd1.c" && folder_of "$t/odd two" "$work/odd2.c"
db=$work/triage.db
grade "$t" "$db" --seed 5 >"$work/grading" 2>&1 || cat "$work/grading"
report "$db" --csv "$work/triage.csv" --html "$work/triage.html" >/dev/null
report "$db" >"$work/triage.txt"

notes() { # NAME NOTE: in the table, on the terminal and on the class page
    grep "^\"$1\"" "$work/triage.csv"
    grep "^$1 " "$work/triage.txt"
    grep -q "^\"$1\",.*\"[^\"]*$2[^\"]*\".\$" "$work/triage.csv" && grep -q "^$1 .*$2" "$work/triage.txt" &&
        grep -q "<td>$1<.*$2" "$work/triage.html"
}
claim "a file that does not compile has a note" notes broken "lab 1: does not compile"
claim "so has UTF-16" notes utf16 "lab 1: saved as UTF-16 or UTF-32"
claim "an unchanged skeleton" notes skeleton "lab 1: the skeleton, unchanged"
claim "who wrote only kernels beside the skeleton" notes kernels "lab 1: only the .cu files are written"
claim "who handed in only kernels" notes only-cu "lab 1: only the .cu files are written"
claim "a time limit" notes slow "lab 1: runs into a time limit"
claim "other names" notes names "there is Attention.c"
no_note() { ! grep -E "^\"(fine|wrong)\",.*lab 1:" "$work/triage.csv"; }
claim "right and wrong hand-ins have none" no_note
listed() { # TITLE NUMBER NAMES
    sed -n '/To look at first/,/<\/table>/p' "$work/triage.html"
    sed -n '/To look at first/,/<\/table>/p' "$work/triage.html" | grep -q "<td>lab 1</td><td>$1</td><td class=\"number\">$2</td><td>$3</td>"
}
claim "the class page lists refused hand-ins" listed "The hand-in was refused" 1 damaged
claim "UTF-16" listed "A file is UTF-16 or UTF-32" 1 utf16
claim "what does not compile" listed "Does not compile" 1 broken
claim "wrong names" listed "Files with other names, and none of the lab's" 1 names
claim "kernels only" listed "Only .cu files are written" 2 "kernels, only-cu"
claim "skeletons" listed "The skeleton, unchanged" 1 skeleton
claim "time limits" listed "Runs into a time limit" 1 slow
cluster() {
    sed -n '/Equal wrong results/,/<\/table>/p' "$work/triage.html"
    sed -n '/Equal wrong results/,/<\/table>/p' "$work/triage.html" | grep "<td class=\"number\">2</td><td>1.3 attention_scores</td><td>odd one, odd two<details>"
}
claim "equal wrong results without a name are one cluster with a report" cluster
few() { ! sed -n '/Equal wrong results/,/<\/table>/p' "$work/triage.html" | grep "wrong,"; }
claim "a known mistake is in no cluster" few
# The next run: one fixes a file, one breaks what passed, one is new.
folder_of "$t/wrong"
folder_of "$t/fine" "$noscale"
folder_of "$t/late comer"
once() { ! grep -q "Since the previous run" "$work/triage.html"; }
claim "one run has no change to show" once
grade "$t" "$db" --seed 5 >/dev/null 2>&1
report "$db" --html "$work/second.html" >/dev/null
moved() {
    sed -n "/Since the previous run/,/<\\/table>/p" "$work/second.html" >"$work/moved"
    cat "$work/moved"
    grep -q "10 hand-ins then, 11 now" "$work/moved" &&
        grep -q "<td>1.3 attention_scores</td><td class=\"number\">10 % → 18 %</td><td>late comer, wrong</td><td>fine</td>" "$work/moved"
}
claim "the class page shows who passes since the run before, and who no longer" moved
grade "$t" "$db" --seed 5 >/dev/null 2>&1
report "$db" --html "$work/third.html" >/dev/null
claim "a run that changes nothing says so" grep -q "11 hand-ins then, 11 now; the same students pass each exercise" "$work/third.html"
exit $status
