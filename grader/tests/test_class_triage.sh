#!/bin/sh
# test_class_triage.sh - the hand-ins that an instructor should look at first, with names, in the
# table, in grade report and on the class page; and who passes an exercise since the run before.
set -u
cd "$(dirname "$0")/../.." || exit 1
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
# The third adds in float, so its bits differ.
sed 's/1.0 \/ sqrt((double)d)/0.25 + 1.0 \/ sqrt((double)d)/' $solution >"$work/odd2.c"
sed -e '/^lab_status attention_scores/,/^}/s/double/float/g' -e 's/1.0 \/ sqrt((float)d)/0.25f + 1.0f \/ sqrtf(d)/' $solution >"$work/odd3.c"
folder_of "$t/odd one" "$work/odd1.c" && folder_of "$t/odd two" "$work/odd2.c" && folder_of "$t/odd three" "$work/odd3.c"
mkdir "$work/tmp" && export TMPDIR="$work/tmp"
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
report "$db" --feedback "$work/feedback" >/dev/null
asks_for_the_file() { # NAME...: they alone are asked, in the text and on the page
    grep -l "This is the skeleton, unchanged. Did you hand in the right file?" "$work/feedback"/* | sed 's|.*/||; s|-[0-9a-f]*[.]| |' >"$work/asked"
    cat "$work/asked"
    [ "$(cat "$work/asked")" = "$(printf '%s\n' "$@")" ]
}
claim "the feedback on a skeleton asks for the right file" asks_for_the_file "skeleton html" "skeleton txt"
asks_for_c_files() {
    grep -l "Only your .cu code is written, and these points are for attention.c. Did you hand in all your files?" "$work/feedback"/* | sed 's|.*/||; s|-[0-9a-f]*[.]| |' >"$work/asked"
    cat "$work/asked"
    [ "$(cat "$work/asked")" = "$(printf '%s\n' "$@")" ]
}
claim "the feedback on kernels alone says that the points are for the .c file" asks_for_c_files "kernels html" "kernels txt" "only-cu html" "only-cu txt"
# Lab 6 has six files, and nothing in it is judged without one of them. There may be .cu files, too.
six=$work/six
mkdir -p "$six/no loss" "$six/no loss but kernels" "$six/only kernels"
cp -R solutions/06_copy_task "$six/no loss/" && rm "$six/no loss/06_copy_task/"*.cu "$six/no loss/06_copy_task/loss.c"
cp -R solutions/06_copy_task "$six/no loss but kernels/" && rm "$six/no loss but kernels/06_copy_task/loss.c"
cp solutions/06_copy_task/*.cu "$six/only kernels/"
"$work/build/grade-class" class "$six" --db "$work/six.db" --lab 6 --trust --seed 5 </dev/null >"$work/grading" 2>&1 || cat "$work/grading"
one_missing() {
    report "$work/six.db" --csv "$work/six.csv" --feedback "$work/six-feedback" --html "$work/six.html" >/dev/null
    report "$work/six.db" | grep "^no\|^only"
    grep -q '^"no loss",.*,"lab 6: loss.c is missing"' "$work/six.csv" && grep -q '^"no loss but kernels",.*,"lab 6: loss.c is missing"' "$work/six.csv" &&
        grep -q '^"only kernels",.*,"lab 6: only the .cu files are written' "$work/six.csv" &&
        [ "$(grep -l "loss.c is missing, and without it nothing of this lab is judged. Did you" "$work/six-feedback"/*.txt | wc -l)" = 2 ] &&
        grep -q "<td>One of several files is missing</td><td class=\"number\">2</td><td>no loss, no loss but kernels</td>" "$work/six.html"
}
claim "one of several files missing: the note and the feedback name it" one_missing
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
    sed -n '/Equal wrong results/,/<\/table>/p' "$work/triage.html" | grep "<td class=\"number\">3</td><td>1.3 attention_scores</td><td>odd one, odd three, odd two<details>"
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
    grep -q "11 hand-ins then, 12 now" "$work/moved" &&
        grep -q "<td>1.3 attention_scores</td><td class=\"number\">9 % → 17 %</td><td>late comer, wrong</td><td>fine</td>" "$work/moved"
}
claim "the class page shows who passes since the run before, and who no longer" moved
# The pictures.
picture() { # PAGE NAME: an inline picture
    sed -n "/<figure><svg/,/<\\/svg>/p" "$1" | awk -v name="<title>$2<" '/<svg/ { text = "" } { text = text $0 "\n" } index($0, name) { wanted = 1 }
        /<\/svg>/ { if (wanted) { printf "%s", text; found = 1; exit } } END { exit !found }'
}
drawn() {
    for name in exercises mistakes points; do
        picture "$work/second.html" "$name" >"$work/$name.svg" || { echo "no picture $name"; return 1; }
    done
    for i in 1.1 1.2 1.3 1.4 1.5 1.6; do grep -q ">.*$i [a-z]" "$work/exercises.svg" || { echo "no bar of $i"; return 1; }; done
    grep -q "1.3 no-scale" "$work/mistakes.svg" && grep -q "90–100 %" "$work/points.svg"
}
claim "the class page draws exercises, mistakes and points" drawn
widths() { # the blue bar of 1.3 is as wide as the share that passes; xrange is 0 to 108
    grep -c "0, 114, 178\|#0072b2" "$work/exercises.svg"
    grep -q "17 %" "$work/exercises.svg" && grep -q "passed before the newest run" "$work/second.html" &&
        ! grep -q "passed before the newest run" "$work/triage.html"
}
claim "with the share that passes now, and a mark for the run before" widths
one_page() { # ids are unique, every reference is to one, and nothing is loaded
    grep -o " id=['\"][^'\"]*" "$work/second.html" | sort | uniq -d | grep . && return 1
    grep -oE "(href=['\"]#|url\\(#)[^'\")]*" "$work/second.html" | sed 's/.*#//' | sort -u >"$work/wanted"
    grep -o " id=['\"][^'\"]*" "$work/second.html" | sed "s/.*['\"]//" | sort -u | comm -13 - "$work/wanted" | grep . && return 1
    ! grep -iE "<script|<image|href=['\"]http|onload|<\?xml|<!DOCTYPE svg" "$work/second.html"
}
claim "the pictures can stand in one page" one_page
# A machine without gnuplot.
mkdir "$work/bin"
for tool in sh cat ls; do ln -s "$(command -v $tool)" "$work/bin/"; done
without() {
    PATH=$work/bin "$work/build/grade-class" report --db "$db" --html "$work/plain.html" >"$work/said" 2>&1 || return 1
    cat "$work/said"
    grep -qx "grade: lab 1: gnuplot is not installed, so there are no pictures, only the tables: sudo apt-get install gnuplot-nox" "$work/said" &&
        grep -q "<p class=\"note\">gnuplot is not installed" "$work/plain.html" && ! grep -q "<svg" "$work/plain.html" &&
        grep -q "<td>1.3 attention_scores</td>.*17 %" "$work/plain.html" && grep -q "<th>points</th>" "$work/plain.html" && grep -q "no-scale" "$work/plain.html"
}
claim "without gnuplot the page has tables, and says what is missing" without
broken_gnuplot() {
    printf '#!/bin/sh\necho "it broke" >&2\nexit 1\n' >"$work/bin/gnuplot" && chmod +x "$work/bin/gnuplot"
    PATH=$work/bin "$work/build/grade-class" report --db "$db" --html "$work/plain.html" >"$work/said" 2>&1 || return 1
    cat "$work/said"
    grep -q "grade: lab 1: gnuplot failed (it broke), so there are only the tables" "$work/said" && grep -q "<td>1.3 attention_scores</td>.*17 %" "$work/plain.html"
}
claim "a gnuplot that fails says why, and the page has tables" broken_gnuplot
left() { ls "$work/tmp"; [ -z "$(ls "$work/tmp")" ]; }
claim "nothing is left in the folder for temporary files" left
grade "$t" "$db" --seed 5 >/dev/null 2>&1
report "$db" --html "$work/third.html" >/dev/null
claim "a run that changes nothing says so" grep -q "12 hand-ins then, 12 now; the same students pass each exercise" "$work/third.html"
# A file of the lab without anything of the lab in it.
mkdir -p "$work/hollow/foreign"
echo "int x;" >"$work/hollow/foreign/attention.c"
grade "$work/hollow" "$work/hollow.db" >/dev/null 2>&1
report "$work/hollow.db" --html "$work/hollow.html" --feedback "$work/hollow-feedback" >/dev/null
claim "a file with none of the lab's functions is no skeleton" sh -c "grep -q '^  No function of this lab is in attention.c. Did you hand in the right file?\$' '$work'/hollow-feedback/foreign-*.txt"
claim "it has a row of its own" grep -q "<td>None of the lab's functions</td><td class=\"number\">1</td><td>foreign</td>" "$work/hollow.html"
exit $status
