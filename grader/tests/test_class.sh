#!/bin/sh
# test_class.sh - whole classes: every student gets the right mark, week by week, and after every
# change of the workbook. build/grade is a stub (class/workspace.sh). Other tests check how
# submissions are judged. More about classes:
#
#   test_class_judged.sh      small classes without the stub
#   test_class_files.sh       which files of a hand-in are judged
#   test_class_archives.sh    hostile archives
#   test_class_failures.sh    failures of the machine
#   test_class_reports.sh     what reports show
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
. grader/tests/class/names.sh

# ---- which file belongs to which student ----------------------------------------------------

# With as many slots as processors, each gets one processor. A single slot gets all of them, at
# most 16.
most=$(nproc)
[ "$most" -le 16 ] || most=16
folder_of "$work/one/plain"
claim "one submission is graded" exits 0 grade "$work/one" "$work/one.db" --jobs 1
claim "one submission may use all processors" [ "$(cat "$work/jobs")" = "$most" ]
rm "$work/jobs"
db=$work/names.db
claim "a class with every kind of hand-in is graded" exits 0 grade "$c" "$db" --due 2026-10-02T12:00Z --penalty 10
for pair in "plain 100" "wrong 80" "flat 100" "nested 100" "packed 80" "poejo 80" "doejane 100" \
    "empty 0" "piped 0" "pipe 0"; do
    name=${pair% *}
    # Lateness does not matter for these.
    case $name in doejane | empty | piped | pipe) ;; *) continue ;; esac
    claim "the marks of $name" has "$db" $pair
done
claim "with many jobs, each slot gets its share of the processors" [ "$(head -n 1 "$work/jobs")" = 1 ]
claim "Canvas's LATE means one day late" has "$db" roejohn 72
odd_names() {
    [ "$("$work/book" query "$db" "SELECT count(*) FROM student WHERE name LIKE 'odd%'")" = 2 ]
}
claim "two names that differ only in invalid bytes stay different" odd_names
claim "two students with the same name stay separate" has "$db" "Ann Lee (502)" 80
claim "the hand-in time from Gradescope counts, to the day" has "$db" "Cy Dee" 80
touch -d 2026-10-02T11:59:59Z "$c"/plain/*/* "$c"/wrong/*/* "$c"/flat/* "$c"/nested/hand-in/*/*/*/* \
    "$c"/packed.tar.gz
touch -d 2026-10-02T12:00:01Z "$c"/wrong/*/*
claim "the times of files cost points if the instructor says so" exits 0 grade "$c" "$db" --due 2026-10-02T12:00Z --penalty 10 --file-times charge --sure
for pair in "plain 100" "wrong 72" "flat 100" "nested 100" "packed 80"; do
    claim "in time, or a second late: ${pair% *}" has "$db" $pair
done
claim "a table of marks beside the hand-ins is left out, with a message" sh -c "
    cd '$top' && '$work/build/grade-class' class '$c' --db '$db' --lab 1 --trust |
        grep -q 'left out: marks.csv'"
known_before() { grade "$c" "$db" | grep -q " (labs: 0 judged now, "; }
claim "a second run judges nothing again" known_before
judged_again() {
    grade "$c" "$db" --again | grep -q ", 0 judged already)" || grade "$c" "$db" --again | tail -n 1
    "$work/book" query "$db" "SELECT max(attempt) FROM grading" | grep -qx "[2-9]" &&
        has "$db" flat 100
}
claim "--again judges everything again and keeps the history" judged_again
judged_anew() {
    rm -rf "$work/store2" && mv "$work/store" "$work/store2" && mkdir "$work/store"
    grade "$c" "$db" | tail -n 1 >"$work/said"
    rm -rf "$work/store" && mv "$work/store2" "$work/store"
    cat "$work/said"
    grep -q " (labs: [1-9][0-9]* judged now, " "$work/said"
}
# The wrong hand-in of this class lacks only 1.3, which is worth 20 of 100 points.
new_points() { # COLUMN VALUE MARK-OF-PLAIN MARK-OF-WRONG PATTERN-OF-THE-RUN
    awk -v column="$1" -v value="$2" '$1 == "1.3" { $column = value } { print }' "$top/grader/points.txt" >"$work/grader/points.txt"
    mv "$work/store" "$work/store2" && mkdir "$work/store" # the stub remembers what it judged
    grade "$c" "$db" >"$work/said"
    rm -rf "$work/store" && mv "$work/store2" "$work/store"
    cp "$top/grader/points.txt" "$work/grader/points.txt"
    tail -n 2 "$work/said"
    grep -q "$5" "$work/said" && has "$db" plain "$3" && has "$db" wrong "$4"
}
claim "new points change the marks, and nothing is judged again" new_points 2 40 120 72 " (labs: 0 judged now, "
claim "the last lines say how many" grep -q "^grader/points.txt has changed: different lab hand-ins with new points: [1-9]" "$work/said"
old_points() {
    grade "$c" "$db" >"$work/said"
    grep -q " (labs: 0 judged now, " "$work/said" && has "$db" plain 100 && has "$db" wrong 72
}
claim "the old points bring the old marks back, again without judging" old_points
claim "an exercise without points earns none" new_points 2 0 80 72 " (labs: 0 judged now, "
claim "a new time limit means that hand-ins are judged again" new_points 3 77 100 72 " (labs: [1-9][0-9]* judged now, "
missing_line() {
    grep -v '^1\.3 ' "$top/grader/points.txt" >"$work/grader/points.txt"
    grade "$c" "$db" >"$work/said" 2>&1
    code=$?
    cp "$top/grader/points.txt" "$work/grader/points.txt"
    cat "$work/said"
    [ $code -eq 3 ] && grep -q "^grade: $work/grader/points.txt: no line for exercise 1.3: " "$work/said"
}
claim "an exercise missing from the points table is an error that names the file" missing_line
changed_file() { # FILE of grader/exercises
    echo "// another case" >>"$work/grader/exercises/$1"
    touch "$work/build/grade" # make programs
    judged_anew
}
not_built() { # no mark may be recorded if the program was not built from the current sources
    echo "// another case" >>"$work/grader/exercises/01/03_attention_scores.c"
    exits 3 grade "$c" "$db" >"$work/said" 2>&1
    code=$?
    touch "$work/build/grade"
    cat "$work/said"
    [ $code -eq 0 ] && grep -q "^grade: .*/01/03_attention_scores.c is newer than .*: run make programs" "$work/said" &&
        [ "$(grep -c judged "$work/said")" -eq 0 ]
}
claim "a grader older than its exercises judges nothing" not_built
claim "a changed file of an exercise means that hand-ins are judged again" changed_file 01/03_attention_scores.c
claim "a changed file shared by labs means that hand-ins are judged again" changed_file common/inputs.h
changed_reference() {
    echo "// told in another way" >>"$work/$1"
    touch "$work/build/grade"
    judged_anew
}
claim "a changed solution means that hand-ins are judged again" changed_reference solutions/01_simple_attention/attention.c
mkdir "$work/grader/cases"
claim "a changed judge means that hand-ins are judged again" changed_reference grader/cases/compare.c
later_lab() { ! changed_reference solutions/02_batching/batching.c; }
claim "a change in a later lab's solution does not" later_lab
backup_file() {
    echo "// another case" >"$work/grader/exercises/01/03_attention_scores.c~"
    ! judged_anew
}
claim "an editor's backup file does not" backup_file
grade "$c" "$db" >/dev/null

# ---- week by week ---------------------------------------------------------------------------

# Without --lab a run covers all labs. Hand-ins of this week do not change the marks of last
# week's labs.
w=$work/weeks
mkdir -p "$w/1" "$w/2/ann/02_batching" "$w/3" "$w/4/ann/02_batching"
folder_of "$w/1/ann"
cp solutions/02_batching/batching.c "$w/2/ann/02_batching/"
printf nothing >"$w/3/ann.zip"
folder_of "$w/4/ann" "$noscale"
week() { # NUMBER OPTIONS...
    "$work/build/grade-class" class "$w/$1" --db "$work/weeks.db" --trust --seed 5 </dev/null >"$work/said" 2>&1 ||
        { cat "$work/said"; return 1; }
}
of_lab() { # LAB: Ann's points
    report "$work/weeks.db" --csv "$work/points.csv" >/dev/null 2>&1
    awk -F, -v lab="$1" '$1 == "\"ann\"" { print $(2 + 2 * lab) }' "$work/points.csv"
}
weeks() {
    week 1 && [ "$(of_lab 1)" = 100 ] && week 2 && [ "$(of_lab 1) $(of_lab 2)" = "100 100" ] || { cat "$work/points.csv"; return 1; }
    week 3 && [ "$(of_lab 1) $(of_lab 2)" = "100 100" ] || { cat "$work/points.csv"; return 1; }
    week 4 && [ "$(of_lab 1) $(of_lab 2)" = "80 100" ] || { cat "$work/points.csv"; return 1; }
}
claim "a run of all labs keeps the marks of labs with no file in the hand-in" weeks
of_its_own() { # if a lab is named, the newest hand-in counts, whatever it contains
    grade "$w/2" "$work/weeks.db" --seed 5 >/dev/null && [ "$(of_lab 1)" = 0 ]
}
told_of_older() { # the message appears for lab 1 after week 2, and not after week 1
    for seen in 1 2; do
        rm -f "$work/weeks.db"* && week 1 && { [ $seen = 1 ] || week 2; } || return 1
        report "$work/weeks.db" --feedback "$work/weeks$seen" >/dev/null
    done
    ! grep -q "earlier hand-in" "$work/weeks1"/ann-*.txt && grep -A1 "^Lab 1 " "$work/weeks2"/ann-*.txt |
        grep "^  These marks are from an earlier hand-in: your latest one has no file of this lab, or could not be read\.$"
}
claim "feedback says which hand-in counts" told_of_older
claim "a run of one lab looks only at that lab" of_its_own

# Deadlines, one by one.
due() { # of labs 1 and 2: the deadline, and the penalty per day
    "$work/book" query "$work/weeks.db" "SELECT lab || ': ' || due || ', ' || penalty FROM deadline WHERE lab < 3 ORDER BY lab" | tr '\n' ' '
}
kept_penalty() {
    grade "$w/1" "$work/weeks.db" --seed 5 --due 2026-10-01T12:00Z --penalty 12.5 >/dev/null || return 1
    before=$(due)
    grade "$w/1" "$work/weeks.db" --seed 5 --due 2026-10-02T12:00Z | tee "$work/said"
    echo "$before, then $(due)"
    grep -q "^lab 1 is due 2026-10-02 12:00 UTC; each day late costs 12.5 % of its points$" "$work/said" &&
        [ "$(due)" != "$before" ]
}
claim "with a new deadline the penalty stays, and both are printed" kept_penalty
due_for_all() {
    before=$(due)
    exits 2 "$work/build/grade-class" class "$w/2" --db "$work/weeks.db" --trust --seed 5 --due 2026-12-01 2>"$work/said" &&
        grep -q "lab 1 has its own deadline in .*weeks.db: use --lab with --due" "$work/said" && [ "$(due)" = "$before" ]
}
claim "a deadline for all labs does not change the deadlines of single labs" due_for_all
seed_1() {
    grade "$w/1" "$work/weeks.db" 2>&1 >/dev/null | grep "cases of seed 1, which every student has" &&
        ! grade "$w/1" "$work/weeks.db" --seed 5 2>&1 >/dev/null | grep "seed 1"
}
claim "seed 1 is used only with a warning" seed_1

# ---- work in .cu files --------------------------------------------------------------------------

# One student has changed the .cu file, one has the unchanged file, one has none.
g=$work/gpu
folder_of "$g/wrote"
cp solutions/01_simple_attention/attention.cu "$g/wrote/01_simple_attention/"
folder_of "$g/left"
cp labs/01_simple_attention/attention.cu "$g/left/01_simple_attention/"
folder_of "$g/none"
mkdir -p "$work/build/skeletons/01_simple_attention"
cp labs/01_simple_attention/attention.cu "$work/build/skeletons/01_simple_attention/"
tells_unseen() {
    grade "$g" "$work/gpu.db" >"$work/said" || return 1
    grep -q "^not judged: edited .cu files (students: 1);" "$work/said" || {
        cat "$work/said"
        return 1
    }
}
tells_nothing() { # another seed, because the stub stores answers by .c files and seed
    grade "$g" "$work/gpu.db" --seed 2 --backend all >"$work/said" || return 1
    ! grep "^not judged" "$work/said"
}
claim "a run of the CPU side mentions .cu files that it does not judge" tells_unseen
claim "a run of the GPU side prints no such message" tells_nothing
rm -r "$work/build/skeletons"

# The kernels of lab 2 call those of lab 1; its C file calls nothing of lab 1.
k=$work/kernels
mkdir -p "$k/ann/01_simple_attention" "$k/ann/02_batching"
cp solutions/01_simple_attention/attention.* "$k/ann/01_simple_attention/"
cp solutions/02_batching/batching.cu "$k/ann/02_batching/"
judged_now() { # NUMBER
    "$work/build/grade-class" class "$k" --db "$work/kernels.db" --lab 2 --trust \
        --backend gpu-simulated >"$work/said" 2>&1
    grep -q "(labs: $1 judged now, " "$work/said" || {
        cat "$work/said"
        return 1
    }
}
claim "lab 2's kernels are judged" judged_now 1
claim "nothing changed, so they are not judged again" judged_now 0
echo "// changed" >>"$k/ann/01_simple_attention/attention.c"
claim "a change of lab 1's C file does not matter to them" judged_now 0
echo "// changed" >>"$k/ann/01_simple_attention/attention.cu"
claim "they are judged again after a change of lab 1's kernels" judged_now 1

exit $status
