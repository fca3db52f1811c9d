#!/bin/sh
# test_class_judged.sh - small classes, graded by the judge itself: their marks, and that no path of this
# machine gets into what students read.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh

real=$work/real
grader/tools/transplant.sh grader/tests/submissions/wrong/1.6-simple_attention.c@columns "$real/1.6-columns"
for name in 1.3-segfault 1.3-does-not-compile 1.3-prints-a-report 1.3-past-the-end; do
    grader/tools/transplant.sh "grader/tests/submissions/hostile/$name.c" "$real/$name"
done
cat >"$work/names.c" <<'END'
// 1.4 softmax_rows wrong
#include <stdio.h>
#include <unistd.h>
// BODY
    char path[512] = "", program[512] = "";
    (void)!readlink("/proc/self/exe", program, sizeof program - 1);
    printf("%s %s %s\n", __FILE__, getcwd(path, sizeof path), program);
    weights[0] = 5;
    return LAB_OK;
END
grader/tools/transplant.sh "$work/names.c" "$real/1.4-names-files"
truly() {
    for jobs in 1 3; do
        "$B/grade" class "$real" --db "$work/real$jobs.db" --lab 1 --trust --jobs $jobs || return 1
        "$work/book" dump "$work/real$jobs.db" >"$work/real$jobs.dump"
    done
    has "$work/real1.db" 1.6-columns 80 && has "$work/real1.db" 1.3-does-not-compile 0 &&
        cmp "$work/real1.dump" "$work/real3.dump" && ! grep "$work\|build/class" "$work/real1.dump"
}
claim "the real judge writes the same bytes twice, and no path of this machine" truly
together() { # labs judged in one process have the marks that each has alone
    marks="SELECT exercise || ' ' || points || ' ' || verdict || ' ' || output FROM mark WHERE exercise < '3' AND exercise > '1.0' AND
        exercise NOT LIKE '1_.%' ORDER BY exercise"
    mkdir -p "$work/at_once/ann" && cp -R solutions/01_* solutions/02_* "$work/at_once/ann" || return 1
    grader/tools/transplant.sh grader/tests/submissions/wrong/1.6-simple_attention.c@columns "$work/at_once/ann"
    "$B/grade" class "$work/at_once" --db "$work/at_once.db" --trust || return 1
    [ "$("$work/book" query "$work/at_once.db" "SELECT count(DISTINCT seconds) FROM grading")" = 1 ] || return 1
    for lab in 1 2; do
        "$B/grade" class "$work/at_once" --db "$work/apart$lab.db" --lab $lab --trust || return 1
        "$work/book" query "$work/apart$lab.db" "$marks" >>"$work/apart.marks"
    done
    "$work/book" query "$work/at_once.db" "$marks" >"$work/at_once.marks"
    grep -q "^1.6 0" "$work/at_once.marks" && grep -q "^2.5 .* pass" "$work/at_once.marks" &&
        diff "$work/apart.marks" "$work/at_once.marks"
}
claim "all labs of a new hand-in are judged in one process, with the same marks" together
rest_together() { # lab 10 uses no other lab and nobody has it, so its marks are known from the first hand-in
    for file in "$work/at_once/ann"/*/*.c; do
        folder=$work/at_once/bob/$(basename "$(dirname "$file")")
        mkdir -p "$folder" && sed '1i // by bob' "$file" >"$folder/$(basename "$file")" || return 1
    done
    before=$("$work/book" query "$work/at_once.db" "SELECT max(id) FROM grading")
    "$B/grade" class "$work/at_once" --db "$work/at_once.db" --trust >/dev/null || return 1
    new="FROM grading WHERE id > $before"
    "$work/book" query "$work/at_once.db" "SELECT group_concat(lab) $new"
    [ "$("$work/book" query "$work/at_once.db" "SELECT count(*) $new AND lab IN (1, 2)")" = 2 ] &&
        [ "$("$work/book" query "$work/at_once.db" "SELECT count(*) $new AND lab = 10")" = 0 ] &&
        [ "$("$work/book" query "$work/at_once.db" "SELECT count(DISTINCT seconds) $new")" = 1 ] || return 1
    for marks in "<= $before" "> $before"; do
        "$work/book" query "$work/at_once.db" "SELECT exercise || ' ' || points || ' ' || verdict FROM mark
            WHERE grading $marks AND exercise NOT LIKE '10.%' ORDER BY exercise" >"$work/marks.$(echo "$marks" | tr -dc '<>')"
    done
    grep -q "^1.6 0" "$work/marks.<" && diff "$work/marks.<" "$work/marks.>"
}
claim "so are the labs of a hand-in that have no marks yet, beside labs that have some" rest_together
shared() { # writes every kind of file that the grader makes for others
    mkdir "$work/shared" &&
        report "$work/real1.db" --feedback "$work/shared/feedback" --html "$work/shared/class.html" \
            --csv "$work/shared/marks.csv" --canvas "$work/shared/canvas.csv" >/dev/null || return 1
    ls "$work/shared" "$work/shared/feedback"
    grep -q "<title>" "$work/shared/feedback"/1.4-names-files-*.html && grep -q '"1.3-segfault"' "$work/shared/marks.csv" &&
        grep -q "1\.3-segfault" "$work/shared/class.html" && grep -q "attention.c:[0-9]" "$work/shared/feedback"/1.3-segfault-*.html &&
        ! grep -raF -e "$top/" -e "$work" -e "/submission/" -e build/class -e build/run "$work/shared"
}
claim "pages and tables of that class contain no path of this machine" shared
boxed="a box's own paths are not in what students read"
boxed_paths() { # paths in the compiler's output, and in the output of a program that was ended
    "$B/grade" class "$real" --db "$work/boxed.db" --lab 1 >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
    ! grep "processor time" "$work/said" && report "$work/boxed.db" --feedback "$work/boxed" >/dev/null &&
        grep -q "^ *01_simple_attention/attention.c:[0-9]*:[0-9]*: error: " "$work/boxed"/1.3-does-not-compile-*.txt &&
        grep -q " at 01_simple_attention/attention.c:[0-9]* in attention_scores" "$work/boxed"/1.3-segfault-*.txt &&
        ! grep -r "/submission" "$work/boxed"
}
if "$B/grade" check --untrusted --src solutions --exercise 1.1 >/dev/null 2>&1; then
    claim "$boxed" boxed_paths
else
    echo "ok - $boxed # SKIP this machine makes no box"
fi

exit $status
