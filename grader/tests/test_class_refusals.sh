#!/bin/sh
# test_class_refusals.sh - what an instructor mistypes is refused in one sentence, and nothing changes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
export TZ=UTC

by_hand() { "$work/build/grade-class" "$@"; }
c=$work/class
folder_of "$c/ann"
db=$work/refusals.db
grade "$c" "$db" --seed 5 >/dev/null 2>&1

# ---- grade set ------------------------------------------------------------------------------------

setting() { by_hand set ann --db "$db" --reason exam "$@"; } # LAB AND POINTS
changes() { "$work/book" query "$db" "SELECT count(*) FROM hand"; }
claim "more points than the lab has are refused" one_line 2 "grade: lab 1 has 100 points, so it cannot get 500; with --bonus it can (see build/grade set --help)" setting --lab 1 --points 500
claim "a lab that does not exist is refused" one_line 2 "grade: there is no lab 99: the labs are 1 to " setting --lab 99 --points 50
claim "more points than an unjudged lab has are refused" one_line 2 "grade: lab 2 has " setting --lab 2 --points 5000
claim "--bonus without points is refused" one_line 2 "grade: --bonus needs --points" setting --lab 1 --comment fine --bonus
claim "nothing has changed" [ "$(changes)" = 0 ]
claim "the maximum is accepted" one_line 0 "ann, lab 1: 100 points, set by hand" setting --lab 1 --points 100
claim "--bonus gives more" one_line 0 "ann, lab 1: 105 points, set by hand" setting --lab 1 --points 105 --bonus
claim "a mark in a lab that was never judged says so" one_line 0 "ann, lab 2: 80 points, set by hand; no hand-in of lab 2 has been judged yet" setting --lab 2 --points 80
claim "--clear says if there is nothing to clear" one_line 0 "ann, lab 3: 0 points; nothing was set by hand" setting --lab 3 --clear
cleared() { one_line 0 "ann, lab 1: 100 points" setting --lab 1 --clear && ! grep "nothing was set" "$work/said"; }
claim "and not if there is" cleared
without_maximum() {
    report "$db" --feedback "$work/feedback" >/dev/null && report "$db" >"$work/report" && by_hand show ann --db "$db" >"$work/show"
    cat "$work/feedback"/ann-*.txt "$work/report" "$work/show"
    grep -qx "Lab 2  .*  80 points" "$work/feedback"/ann-*.txt && grep -q "lab 2: 80 (set by hand)" "$work/report" && grep -qx "Lab 2: 80 points, set by hand" "$work/show" &&
        ! grep "of 0" "$work/feedback"/* "$work/report" "$work/show"
}
claim "no report says 'of 0 points' about it" without_maximum
nothing_handed_in() {
    printf 'id,name\n17,ann\n18,bo\n' >"$work/roster.csv"
    grade "$c" "$work/bo.db" --seed 5 --roster "$work/roster.csv" >/dev/null 2>&1 && report "$work/bo.db" --feedback "$work/bo" >/dev/null || return 1
    cat "$work/bo"/bo-*.txt
    grep -qx "bo: 0 of 100 points" "$work/bo"/bo-*.txt && ! grep "0 of 0" "$work/bo"/*
}
claim "nor about who has handed in nothing" nothing_handed_in

# ---- names ----------------------------------------------------------------------------------------

dashes() {
    for option in --csv --canvas --html --feedback --feedback-zip --questions; do
        (cd "$work" && one_line 2 "grade: $option needs a name, and - is not standard output here" "$work/build/grade-class" report --db "$db" $option -) || return 1
    done
    [ ! -e "$work/-" ]
}
claim "a file named - is not written" dashes
claim "--column without --canvas is refused" one_line 2 "grade: --column needs --canvas FILE" report "$db" --column "1=Lab 1" --csv "$work/t.csv"
mkdir "$work/empty"
claim "an empty folder is refused" one_line 2 "grade: there is no hand-in in $work/empty" grade "$work/empty" "$work/empty.db" --seed 5
claim "and no gradebook is made" [ ! -e "$work/empty.db" ]
echo "name,mark" >"$work/empty/marks.csv" && echo PK >"$work/empty/submissions.zip"
claim "so is a folder without hand-ins" says 2 "grade: there is no hand-in in $work/empty" grade "$work/empty" "$work/empty.db" --seed 5
claim "with what is left out, and why" grep -qx "  left out: submissions.zip (a platform's export of the class: unpack it, and give its folder)" "$work/said"
only_roster() { says 0 "grade: there is no hand-in in $work/empty" grade "$work/empty" "$work/empty.db" --seed 5 --roster "$work/roster.csv" && grep -qx "no hand-in here: ann, bo (2 on the roster)" "$work/said"; }
claim "a roster is read even before there are hand-ins" only_roster

# ---- the wrong folder -----------------------------------------------------------------------------

for name in ann bo cy; do
    mkdir -p "$work/two/$name/02_batching" && cp solutions/02_batching/batching.c "$work/two/$name/02_batching/"
done
of_lab_2() { grade "$work/two" "$db" --seed 5 >"$work/said" 2>&1 && tr -s '\n ' ' ' <"$work/said" | grep "3 of 3 hand-ins have no file of lab 1, and 0 points in it now: is $work/two the folder of another lab? grade undo 2 --db $db takes this run back"; }
claim "the folder of another lab is suspected" of_lab_2
missing_folder() {
    one_line 3 "grade: cannot write $work/none/class.html: No such file or directory" report "$work/pairs.db" --html "$work/none/class.html"
}
for name in ann bo cy; do # identical, so there are pages of pairs
    folder_of "$work/pairs/$name" "$noscale"
done
grade "$work/pairs" "$work/pairs.db" --seed 5 >/dev/null 2>&1
claim "a page in a missing folder is refused once" missing_folder
piped() { # in a folder where this person may not make a file
    mkdir "$work/closed" && mkfifo "$work/closed/page" || return 1
    person=
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534 "$work"
        person="setpriv --reuid 65534 --clear-groups"
    fi
    chmod 555 "$work/closed"
    # Nothing is claimed if that person cannot reach this folder.
    if ! $person test -w "$work/pairs.db"; then
        [ "$(id -u)" -ne 0 ] || chown -R 0 "$work"
        return 0
    fi
    timeout 10 cat "$work/closed/page" >"$work/said" &
    $person timeout 10 "$work/build/grade-class" report --db "$work/pairs.db" --html "$work/closed/page"
    [ "$(id -u)" -ne 0 ] || chown -R 0 "$work"
    chmod 755 "$work/closed"
    wait $!
    grep -q "^<html" "$work/said"
}
claim "a page may go into a pipe, as to /dev/stdout" piped
moot() { # a refusal after the roster was read
    printf 'id,name\n17,ann\n18,bo\n' >"$work/roster.csv" && printf 'person,time\nann,soon\n' >"$work/soon.csv"
    one_line 2 "'soon' is not a time" grade "$c" "$work/moot.db" --seed 5 --roster "$work/roster.csv" --times "$work/soon.csv"
}
claim "a refused run prints nothing about its roster" moot
claim "one hand-in is not a class" says 2 "grade: there is no hand-in in $c/ann" grade "$c/ann" "$work/one.db" --seed 5
claim "with the reason" grep -qx "  left out: 01_simple_attention (a lab's folder without a student: put it into a folder named after the student)" "$work/said"
exit $status
