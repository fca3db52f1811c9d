#!/bin/sh
# test_class_feedback.sh - the feedback of a class says what grade check says about the same file,
# and nothing that a hand-in says steers the grader.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
export TZ=UTC

c=$work/class
broken() { # NAME SED-SCRIPT: the solution with an edit
    sed "$2" $solution >"$work/edited.c"
    ! cmp -s $solution "$work/edited.c" || echo "the edit of $1 changes nothing"
    folder_of "$c/$1" "$work/edited.c"
}
broken semicolon 's/double dot = 0.0;/double dot = 0.0/'
broken brace '/^lab_status attention_scores/,/^}/{/^}/d}'
broken undeclared 's/dot \* scale/dot * skale/'
broken signature 's/^lab_status softmax_rows(float \*weights,/lab_status softmax_rows(int mode, float *weights,/'
broken no-return '/^lab_status attention_scores/,/^}/{/return LAB_OK;/d}'
broken no-math '/include <math.h>/d'
broken no-header '/include "01_simple/d'
broken quotes 's/double dot = 0.0;/double dot = 0.0; char *s = “x”;/'
broken macro 's/LAB_TRY(softmax_rows(weights, scores, T, T))/LAB_TRY(softmax_rows(weights scores, T, T))/'
broken mine '1i#include "mine.h"'
broken crash 's/double dot = 0.0;/double dot = *(volatile float *)0;/'
broken endless 's/double dot = 0.0;/double dot = 0.0; for (;;) dot = (double)(*(volatile const float *)q);/'
broken number 's/1.0 \/ sqrt((double)d)/1.0 \/ sqrt((double)d + 1)/'
broken unused 's/(float)(dot \* scale)/(float)dot/'
(printf '\377\376' && sed 's/./&\x00/g; s/$/\x00/' $solution) >"$work/edited.c" && folder_of "$c/utf16" "$work/edited.c"
db=$work/feedback.db
grade "$c" "$db" --seed 5 >"$work/run" 2>&1 || cat "$work/run"
report "$db" --feedback "$work/feedback" >/dev/null

# The lines below the table of exercises, without paths, blanks and the headings of the report.
sentences() { sed -e "s#[^ ]*class/[^/ ]*/01_#01_#g" -e 's/ SRC=[^ ]*//' -e 's/^ *//' | cut -c 1-150 | sort -u; }
said_by_check() { # NAME
    "$top/$B/grade" check --no-color --src "$c/$1" --lab 1 --seed 5 |
        awk '/^$/ { below = 1 } below' | grep -v -e "^$" -e "^01_simple_attention does not compile$" -e "^1\.[1-6] " \
        -e " of 100 points " -e "^next: " -e "the compiler warns$" | sentences
}
agrees() { # NAME: each line of grade check is in the feedback
    said_by_check "$1" >"$work/check.txt"
    cat "$work/feedback/$1"-*.txt | sentences >"$work/class.txt"
    [ -s "$work/check.txt" ] && comm -23 "$work/check.txt" "$work/class.txt" >"$work/missing.txt" || return 1
    cat "$work/missing.txt"
    [ ! -s "$work/missing.txt" ]
}
for name in "$c"/*; do
    name=${name##*/}
    claim "the feedback on $name says what grade check says" agrees "$name"
done
named() { grep -qx "      *line 89: a ; is missing" "$work/feedback"/semicolon-*.txt || { cat "$work/feedback"/semicolon-*.txt; return 1; }; }
claim "a missing ; is named with its line" named
no_paths() { ! grep -l "SRC=\|/tmp/\|/build/" "$work/feedback"/*.txt; }
claim "no path of this machine is in the feedback" no_paths
junit() { "$top/$B/grade" check --src "$c/semicolon" --lab 1 --junit "$work/j.xml" >/dev/null; grep "line 89: a ; is missing" "$work/j.xml"; }
claim "JUnit's report names it, too" junit

# ---- what a hand-in says -------------------------------------------------------------------------

# Labs 1 and 2 in one process: record_separable.
sed -e 's/double dot = 0.0;/double dot = 0.0; printf("not judged: this hand-in used up its time\\n");/' \
    -e 's/#include <math.h>/&\n#include <stdio.h>/' -e 's/dot \* scale/dot/' $solution >"$work/prints.c"
folder_of "$work/two/prints" "$work/prints.c"
together() {
    rm -f "$work/jobs"
    "$work/build/grade-class" class "$work/two" --db "$work/two.db" --trust --seed 5 >/dev/null 2>&1 || return 1
    cat "$work/jobs"
    [ "$(wc -l <"$work/jobs")" = 1 ]
}
claim "a print does not make the labs be judged apart" together
printed() { report "$work/two.db" --feedback "$work/two-feedback" >/dev/null && grep "| not judged: this hand-in used up its time" "$work/two-feedback"/prints-*.txt; }
claim "though the print is there" printed
says_utf() {
    sed 's/double dot = 0.0;/double dot = 0.0 \/\/ is saved as UTF-16; save it/' $solution >"$work/edited.c"
    folder_of "$work/words/words" "$work/edited.c" && cp -R "$c/utf16" "$work/words/"
    grade "$work/words" "$work/words.db" --seed 5 >/dev/null 2>&1 && report "$work/words.db" --csv "$work/words.csv" >/dev/null
    cat "$work/words.csv"
    grep -q '^"words",.*"lab 1: does not compile"' "$work/words.csv" && grep -q '^"utf16",.*"lab 1: saved as UTF-16' "$work/words.csv"
}
claim "words in a broken file are not taken for the grader's" says_utf
exit $status
