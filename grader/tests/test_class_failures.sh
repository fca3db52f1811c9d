#!/bin/sh
# test_class_failures.sh - whatever happens to the machine, no mark of a class is lost, and none is wrong.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh

# ---- failures of the machine ----------------------------------------------------------------

c=$work/two
folder_of "$c/plain" && folder_of "$c/nested/hand-in/labs"
k=$work/kill
mkdir "$k"
for i in 1 2 3; do folder_of "$k/right$i"; folder_of "$k/wrong$i" "$noscale"; done
tar -cPf "$k/above.tar" --transform 's,^,x/../../,' $solution
echo "// another" | cat - $solution >"$work/other.c" && folder_of "$k/other" "$work/other.c"
grade "$k" "$work/whole.db" >/dev/null
"$work/book" dump "$work/whole.db" >"$work/whole.dump"
claim "a gradebook contains everything about every student" test "$(grep -c . "$work/whole.dump")" -gt 100
export WRITES_COUNT="$work/count"
LD_PRELOAD=$work/writes.so grade "$k" "$work/counted.db" --jobs 1 >/dev/null
unset WRITES_COUNT
writes=$(cat "$work/count")
echo "# $writes writes"
killed_everywhere() {
    # 20 numbers of writes, drawn from a seed.
    for at in $(awk -v n="$writes" 'BEGIN { srand(6); for (i = 0; i < 20; i++) print 1 + int(n * rand()) }'); do
        rm -f "$work"/killed.db*
        (LD_PRELOAD=$work/writes.so WRITES_KILL=$at "$work/build/grade-class" class "$k" \
            --db "$work/killed.db" --lab 1 --trust >"$work/killed.out" 2>&1)
        [ $? -eq 137 ] || { echo "at write $at it was not killed"; cat "$work/killed.out"; return 1; }
        if [ -e "$work/killed.db" ]; then
            [ -z "$("$work/book" check "$work/killed.db")" ] || { echo "damaged at write $at"; return 1; }
        fi
        grade "$k" "$work/killed.db" >"$work/killed.out" 2>&1 || { cat "$work/killed.out"; return 1; }
        "$work/book" dump "$work/killed.db" | cmp - "$work/whole.dump" || { echo "other marks after write $at"; return 1; }
    done
    [ -z "$(ls "$work/build/class")" ] || { ls "$work/build/class"; return 1; }
}
claim "after kill -9 at any of 20 places, the next run gives the same marks" killed_everywhere
full_everywhere() {
    for at in 2 9 $((writes / 2)) $((writes * 2 / 3)); do
        rm -f "$work"/full.db*
        (LD_PRELOAD=$work/writes.so WRITES_FULL=$at "$work/build/grade-class" class "$k" \
            --db "$work/full.db" --lab 1 --trust >/dev/null 2>"$work/full.out")
        code=$?
        cat "$work/full.out"
        [ $code -eq 3 ] && grep -q "no space left" "$work/full.out" || { echo "status $code"; return 1; }
        grade "$k" "$work/full.db" >/dev/null || return 1
        "$work/book" dump "$work/full.db" | cmp - "$work/whole.dump" || return 1
    done
}
claim "a full disk: one line is printed, nothing is lost, the next run continues" full_everywhere

mkfifo "$work/hold" "$work/never"
locked() {
    # Opening both ends of the pipe here means that no process waits in open.
    exec 8<>"$work/hold"
    mkfifo "$work/ready"
    "$work/book" lock "$work/whole.db" <"$work/hold" 8>&- >"$work/ready" &
    locker=$!
    read -r word <"$work/ready"
    [ "$word" = locked ] || return 1
    grade "$k" "$work/whole.db" --wait 0.2 >"$work/said" 2>&1
    code=$?
    kill $locker
    wait $locker 2>/dev/null
    exec 8>&-
    cat "$work/said"
    [ $code -eq 3 ] && grep -q "is locked by another program (waited 0.2 s)" "$work/said" &&
        grade "$k" "$work/whole.db" >/dev/null && "$work/book" dump "$work/whole.db" | cmp - "$work/whole.dump"
}
claim "a locked gradebook: one line is printed, nothing is lost" locked

stopped() { # SIGNAL: sent while a submission is being judged
    rm -f "$work/blocked" "$work"/stopped.db*
    mkfifo "$work/blocked"
    (STUB=block exec "$work/build/grade-class" class "$k" --db "$work/stopped.db" --lab 1 --trust --jobs 1 \
        >"$work/said" 2>&1) &
    class=$!
    read -r judge <"$work/blocked"
    kill -"$1" $class
    wait $class
    code=$?
    rm "$work/blocked"
    cat "$work/said"
    timeout 20 tail --pid="$judge" -f /dev/null || { echo "the judge goes on"; return 1; }
    "$work/build/grade-class" class --resume --db "$work/stopped.db" >/dev/null || return 1
    "$work/book" dump "$work/stopped.db" | cmp - "$work/whole.dump" && return $((code != $2))
}
claim "Ctrl-C stops the run with a message, and --resume continues" stopped INT 4
claim "kill -9 also ends the judge, and --resume continues" stopped KILL 137
two_at_once() {
    rm -f "$work/blocked" "$work"/twice.db*
    mkfifo "$work/blocked"
    (STUB=block exec "$work/build/grade-class" class "$k" --db "$work/twice.db" --lab 1 --trust --jobs 1 \
        >/dev/null 2>&1) &
    class=$!
    read -r judge <"$work/blocked"
    grade "$k" "$work/twice.db" >"$work/said" 2>&1
    code=$?
    kill -INT $class
    wait $class
    rm "$work/blocked"
    cat "$work/said"
    [ $code -eq 3 ] && grep -q "another grade class is writing to .*twice.db" "$work/said" &&
        grade "$k" "$work/twice.db" >/dev/null && "$work/book" dump "$work/twice.db" | cmp - "$work/whole.dump"
}
claim "two runs at once with one gradebook: the second is refused, nothing is lost" two_at_once
nothing_to_resume() {
    "$work/build/grade-class" class --resume --db "$work/whole.db" >"$work/said" 2>&1
    [ $? -eq 2 ] && grep -q "nothing to resume" "$work/said"
}
claim "there is nothing to resume after a finished run" nothing_to_resume

backwards() {
    GRADE_NOW=2000000000 grade "$c" "$work/clock.db" >/dev/null || return 1
    cp -R "$c" "$work/later" && folder_of "$work/later/plain" "$noscale" || return 1
    GRADE_NOW=1000000000 grade "$work/later" "$work/clock.db" >/dev/null || return 1
    has "$work/clock.db" plain 80 && has "$work/clock.db" nested 100
}
claim "if the clock goes backwards, the later run still counts" backwards

our_fault() {
    rm -rf "$work/f" && mkdir "$work/f" && folder_of "$work/f/plain" && folder_of "$work/f/unlucky" || return 1
    grade "$work/f" "$work/f.db" >/dev/null || return 1
    echo "// trouble" >>"$work/f/unlucky/01_simple_attention/attention.c"
    (export STUB=fail && grade "$work/f" "$work/f.db") >"$work/said" 2>&1
    [ $? -eq 1 ] || { cat "$work/said"; return 1; }
    grep -q "unlucky, lab 1: the grader was ended by signal 11" "$work/said" &&
        has "$work/f.db" plain 100 && has "$work/f.db" unlucky 100 &&
        grep -q '^"unlucky".*could not be graded' "$work/points.csv" &&
        exits 0 grade "$work/f" "$work/f.db" && ! grep -q 'could not' "$work/points.csv.none" 2>/dev/null
}
claim "a crash of the grader costs nobody a mark and stops nothing" our_fault
no_judge() {
    mv "$work/build/grade" "$work/build/away"
    grade "$work/f" "$work/away.db" >"$work/said" 2>&1
    code=$?
    mv "$work/build/away" "$work/build/grade"
    cat "$work/said"
    [ $code -eq 1 ] && grep -q "plain, lab 1: the grader failed: cannot start .*/grade: No such file" "$work/said" &&
        [ -z "$(points "$work/away.db" plain)" ]
}
claim "a missing judge is an error, and nobody gets a zero" no_judge
no_box() {
    "$work/build/grade-class" class "$k" --db "$work/box.db" --lab 1 >"$work/said" 2>&1
    [ $? -eq 3 ] && grep -q -e "^grade: no box for untrusted code on this machine: none\. --trust" "$work/said" && ! [ -s "$work/graded" ]
}
claim "without a box a class is graded only with --trust" no_box
no_such_lab() { # a folder for what it must not make
    mkdir "$work/nothing"
    (cd "$work/nothing" && "$work/build/grade-class" class "$c" --db g.db --lab 99 --trust) >"$work/said" 2>&1
    [ $? -eq 2 ] && cat "$work/said" && [ "$(wc -l <"$work/said")" -eq 1 ] && grep -q "there is no lab 99: the labs are 1 to 11" "$work/said" && ! ls "$work/nothing" | grep .
}
claim "a lab that does not exist is refused before any file is made" no_such_lab
no_gpu_side() {
    "$work/build/grade-class" class "$c" --db "$work/side.db" --lab 11 --backend gpu --trust >"$work/said" 2>&1
    [ $? -eq 2 ] && cat "$work/said" && grep -q "lab 11 has no GPU exercises: --backend gpu judges labs 1 to 10" "$work/said"
}
claim "a lab without a GPU side is refused, and the message says which labs have one" no_gpu_side
no_gradebook() {
    "$work/build/grade-class" class "$c" --lab 1 >"$work/said" 2>&1
    [ $? -eq 2 ] && cat "$work/said" && grep -qF "say where the gradebook is: --db gradebook.db (it is made if it does not exist)" "$work/said"
}
claim "without --db, it asks where the gradebook is" no_gradebook

# ---- reports ------------------------------------------------------------------------------------

z=$work/moodle
mkdir -p "$z/Ann Lee_3_assignsubmission_file_" && cp $solution "$z/Ann Lee_3_assignsubmission_file_/attention.c"
grade "$z" "$work/moodle.db" >/dev/null 2>&1
full_archive() { # every write to /dev/full fails
    ln -s /dev/full "$work/z.zip.new" &&
        one_line 3 "grade: cannot write $work/z.zip: No space left on device" "$work/build/grade-class" report --db "$work/moodle.db" --feedback-zip "$work/z.zip" &&
        [ ! -e "$work/z.zip" ] && [ ! -L "$work/z.zip.new" ]
}
claim "an archive of feedback for which there is no space is named, and nothing is left of it" full_archive
claim "a gradebook in a folder that does not exist is refused with the reason" one_line 3 \
    "grade: cannot open the gradebook $work/none/x.db: No such file or directory" "$work/build/grade-class" class "$z" --db "$work/none/x.db" --lab 1 --trust --seed 5
read_only() { # a copy that this person may not change
    mkdir "$work/closed" && cp "$work/moodle.db" "$work/closed/copy.db" && chmod 444 "$work/closed/copy.db" && chmod 555 "$work/closed" || return 1
    person=
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534 "$work/closed" && chmod 711 "$work"
        person="setpriv --reuid 65534 --clear-groups"
    fi
    $person test -r "$work/closed/copy.db" || return 0 # nothing is claimed if that person cannot reach this folder
    one_line 3 "grade: $work/closed/copy.db: you may not write to it, or to its folder: copy it to a folder of yours, and use the copy" \
        $person "$work/build/grade-class" report --db "$work/closed/copy.db"
}
claim "a gradebook that may not be written says what to do" read_only
exit $status
