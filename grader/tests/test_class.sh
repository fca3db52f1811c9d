#!/bin/sh
# test_class.sh - whole classes: every student gets the right mark, whatever others hand in and
# whatever happens to the machine. build/grade is a stub (class/workspace.sh). Other tests check
# how submissions are judged; the end of this file grades a small class without the stub.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
[ -x "$B/grade-class" ] || {
    echo "ok - whole classes # SKIP grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    echo "ok - nothing else # SKIP"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/class.XXXXXX") || exit 1
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
. grader/tests/class/workspace.sh

# ---- which file belongs to which student ----------------------------------------------------

c=$work/names
mkdir "$c"
folder_of "$c/plain"
folder_of "$c/wrong" "$noscale"
folder_of "$c/nested/hand-in/attention-workbook/labs"
mkdir "$c/flat" && cp $solution "$c/flat/"
folder_of "$work/z/labs" "$noscale"
mkdir -p "$work/z/solutions" && cp -R solutions/01_simple_attention "$work/z/solutions/"
(cd "$work/z" && tar -czf "$c/packed.tar.gz" .)
cp $solution "$c/doejane_12345_777_attention-2.c"
cp "$noscale" "$c/roejohn_LATE_12346_778_attention.c"
(cd "$work/z/labs" && tar -cf "$c/poejo_12347_779_lab1.tar" .)
mkdir "$c/Ann Lee_501_assignsubmission_file_" "$c/Ann Lee_502_assignsubmission_file_"
cp $solution "$c/Ann Lee_501_assignsubmission_file_/attention.c"
cp "$work/no-scale/01_simple_attention/attention.c" "$c/Ann Lee_502_assignsubmission_file_/"
mkdir "$c/Bo Chu_503_assignsubmission_onlinetext_"
folder_of "$c/submission_91"
cat >"$c/submission_metadata.yml" <<'END'
---
submission_91:
  :submitters:
  - :name: Cy Dee
    :sid: '17'
    :email: cy@example.org
  :created_at: 2026-10-03 12:00:01.5 Z
END
mkdir -p "$c/empty/nothing"
echo "name,mark" >"$c/marks.csv"
mkfifo "$c/pipe.zip"
mkdir "$c/piped" && mkfifo "$c/piped/attention.c"
folder_of "$c/<script>alert('x')</script>"
# A helper function that nobody else would write, and a copy of it with other names.
cat >"$work/helper" <<'END'
__attribute__((unused)) static float strange(const float *row, size_t count)
{
    float low = row[0], high = row[0], swing = 0.0f;
    for (size_t i = count; i-- > 1;) {
        low = row[i] < low ? row[i] : low;
        high = row[i] > high ? row[i] : high;
        swing += (row[i] - row[i - 1]) * (row[i] - row[i - 1]);
        if (swing > 3.5f * (high - low)) {
            swing = swing / 2.0f + low;
        } else {
            swing -= high;
        }
    }
    return swing * (high - low) + low / (high + 1.0f);
}
END
sed 's/strange/odd_one/; s/row/line/g; s/swing/s/g; s/count/n/; s/low/smallest/g; s/$/ \/\/ mine/' "$work/helper" >"$work/helper2"
for i in '' 2; do
    cat $solution "$work/helper$i" >"$work/twin.c"
    folder_of "$c/twin$i" "$work/twin.c"
done
folder_of "$c/$(printf 'odd\376')"
folder_of "$c/$(printf 'odd\377')" "$noscale"
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
    grade "$c" "$db" --again | grep -q ", 0 judged before)" || grade "$c" "$db" --again | tail -n 1
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

# ---- nested archives ----------------------------------------------------------------------------

# A few kilobytes: a million empty gzip files, one after another, packed twice more with gzip.
mkdir "$work/layers"
gzip </dev/null >"$work/empty"
for doubled in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    cat "$work/empty" "$work/empty" >"$work/empty2" && mv "$work/empty2" "$work/empty"
done
gzip <"$work/empty" | gzip >"$work/layers/ann.tar.gz"
rm "$work/empty"
layers() {
    timeout 20 "$work/build/grade-class" class "$work/layers" --db "$work/layers.db" --lab 1 --seed 5 --trust </dev/null >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    [ $code -eq 0 ] && grep -q "ann: refused: ann.tar.gz cannot be unpacked: it is damaged, or not a zip or tar archive$" "$work/said"
}
claim "only one layer of an archive is unpacked" layers

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

# ---- files with other names -------------------------------------------------------------------

n=$work/misnamed
mkdir "$n" "$n/notes" "$n/handed-out" "$n/hollow" "$n/markup" "$n/folder"
cp $solution "$n/roebob_12346_67891_attention (1).c"
cp $solution "$n/kimlee_12347_67892_Attention.c"
cp $solution "$n/folder/lab1_attention.c"
echo "it was hard" >"$n/folder/notes.txt"
(cd "$n/folder" && tar -czf ../packed.tgz .)
for i in 1 2 3 4 5; do echo $i >"$n/notes/part$i.txt"; done
for i in 1 2 3; do mkdir -p "$n/notes/deep$i" && cp "$n/notes/part1.txt" "$n/notes/deep$i"; done
echo "int x;" >"$n/notes/zz.c"
cp labs/01_simple_attention/README.md labs/01_simple_attention/attention.h "$n/handed-out/"
: >"$n/handed-out/.DS_Store"
echo "// later" >"$n/hollow/attention.c"
: >"$n/markup/<b>=\"x\".c"
: >"$n/markup/$(printf 'two\nlines').txt"
folder_of "$n/plain"
cp $solution "$n/plain/lab1_attention.c"
grade "$n" "$work/misnamed.db" >"$work/misnamed.out" 2>&1
report "$work/misnamed.db" --csv "$work/misnamed.csv" --html "$work/misnamed.html" \
    --feedback "$work/misnamed" >/dev/null
none="no file of lab 1 (attention.c)"
said_of() { # NAME LINE: on the terminal, in the table and on the class page
    grep -q "^ .*  $1: 0 of 100 points: $2\$" "$work/misnamed.out" || { cat "$work/misnamed.out"; return 1; }
    grep -q "^\"$1\",.*,0,100,\"$2\"" "$work/misnamed.csv" || { cat "$work/misnamed.csv"; return 1; }
    grep -q "<td><a href=\"misnamed/$1-[0-9a-f]*\.html\">$1</a><br><span class=\"soft\">$2</span></td>" "$work/misnamed.html" || return 1
}
claim "a browser's second download is judged" has "$work/misnamed.db" roebob 100
claim "a file whose name differs in case is not judged, and the message names it" said_of kimlee "$none; there is Attention.c"
claim "the message names files with other names, code first" said_of folder "$none; there is lab1_attention.c, notes.txt"
unwritten() { # why somebody who handed in the right file has no points
    mkdir -p "$work/none/ann" && cp labs/01_simple_attention/attention.c "$work/none/ann/" &&
        mkdir -p "$work/none/bob" && echo "int x = ;" | cat $solution - >"$work/none/bob/attention.c" &&
        grade "$work/none" "$work/none.db" >"$work/said" 2>&1 &&
        grep -q "  ann: 0 of 100 points: 6 are not written$" "$work/said" &&
        grep -q "  bob: 0 of 100 points: 6 do not compile$" "$work/said"
}
claim "a hand-in without points says why" unwritten
claim "the message names files in an archive" said_of packed "$none; there is lab1_attention.c, notes.txt"
claim "the message names at most three files, each name once" said_of notes "$none; there is zz.c, part1.txt, part2.txt and 3 more"
claim "the message does not name handed-out files" said_of handed-out "$none"
claim "the message names a file of the lab that has no code" said_of hollow "$none; there is attention.c (no code in it)"
claim "with a file of the lab there is no such message" sh -c "
    grep -q '  plain: 100 of 100 points\$' '$work/misnamed.out' && grep -q '^\"plain\",.*,100,100,.\$' '$work/misnamed.csv'"
claim "the last line shows elapsed time, processor time and memory" grep -qE \
    "^done in [0-9]+ s: .* \(labs: [0-9]+ judged now, [0-9]+ judged before\); the marks are in .*\.db \([0-9]+ s of processor time, this program took up to [0-9.]+ MB of memory\)$" \
    "$work/misnamed.out"
claim "the sum counts hand-ins with no file of the lab separately" grep -q "^done in [0-9]* s: 2 graded, 7 with no file of the lab, 0 refused, 0 not graded" "$work/misnamed.out"
x=$work/export
mkdir "$x" "$work/x1" "$work/x2"
cp $solution "$work/x1/doejane_12345_777_attention.c"
cp "$noscale" "$work/x1/roejohn_12346_778_attention.c"
mkdir "$work/x2/Ann Lee_501_assignsubmission_file_" "$work/x2/Bo Chu_502_assignsubmission_file_"
cp $solution "$work/x2/Ann Lee_501_assignsubmission_file_/" && cp $solution "$work/x2/Bo Chu_502_assignsubmission_file_/"
(cd "$work/x1" && tar -cf "$x/submissions.tar" . && cp "$x/submissions.tar" "$x/lab-1.tar")
(cd "$work/x2" && tar -czf "$x/course-lab1-77.tgz" .)
(cd "$work/x1" && tar -cf "$x/own.tar" ./doejane_12345_777_attention.c) # what one student downloaded
folder_of "$x/plain"
grade "$x" "$work/export.db" --seed 5 >"$work/export.out" 2>&1
claim "an export that was not unpacked is named" grep -q "^  left out: submissions.tar (a platform's export of the class: unpack it, and give its folder)$" "$work/export.out"
claim "under any name, by what is in it: Canvas's" grep -q "lab-1: refused: lab-1.tar is a platform's export of a class, not a hand-in: unpack it, and grade its folder" "$work/export.out"
claim "and Moodle's" grep -q "course-lab1-77: refused: course-lab1-77.tgz is a platform's export of a class" "$work/export.out"
claim "but not what one student has packed" sh -c "grep 'own: 0 of 100 points' '$work/export.out' && grep 'plain: 100 of 100' '$work/export.out'"
export_itself() {
    exits 2 grade "$x/lab-1.tar" "$work/export.db" --seed 5 2>"$work/said"
    cat "$work/said"
    grep -q "lab-1.tar: Not a directory; unpack the archive, and give its folder" "$work/said"
}
claim "an archive instead of a folder is named, too" export_itself
other_lab() { # the hand-in of lab 1 in a run of lab 2
    "$work/build/grade-class" class "$w/1" --db "$work/other.db" --lab 2 --seed 5 --trust </dev/null >"$work/said"
    cat "$work/said"
    grep -q "ann: 0 of 100 points: no file of lab 2 (batching.c); there is 01_simple_attention/attention.c$" "$work/said" &&
        report "$work/other.db" --csv "$work/other.csv" && grep "there is 01_simple_attention/attention.c" "$work/other.csv"
}
claim "without a file of the lab, files of other labs are named" other_lab
odd_file() {
    grep -q "^ .*  markup: .*; there is <b>=\"x\".c, two lines.txt\$" "$work/misnamed.out" &&
        grep -q '^"markup",.*; there is <b>=""x"".c, two lines.txt"' "$work/misnamed.csv" &&
        grep -q "there is &lt;b&gt;=&quot;x&quot;.c, two lines.txt</span>" "$work/misnamed.html" &&
        grep -q "Your hand-in has: &lt;b&gt;=&quot;x&quot;.c, two lines.txt</p>" "$work/misnamed"/markup-*.html &&
        ! grep -r "<b>=" "$work/misnamed" "$work/misnamed.html" --include='*.html'
}
claim "markup in a file's name is escaped" odd_file
told_to_students() {
    cat "$work/misnamed"/folder-*.txt
    grep -q "^  You handed in no file of this lab (attention.c)\.\$" "$work/misnamed"/folder-*.txt &&
        grep -q "under its exact name. Your hand-in has: lab1_attention.c, notes.txt\$" "$work/misnamed"/folder-*.txt &&
        grep -q "under its exact name. Your hand-in has: lab1_attention.c, notes.txt</p>" "$work/misnamed"/folder-*.html &&
        ! grep -q "There is" "$work/misnamed"/handed-out-*.txt
}
claim "feedback names the files" told_to_students

# ---- uploads of other kinds -------------------------------------------------------------------

o=$work/kinds
mkdir "$o"
for name in canvasrar_8_1008_lab1.rar "Rar Flat_358_assignsubmission_file_lab1.7z" twofiles_9_1009_report.pdf \
    twofiles_9_1010_notes.txt cplus_LATE_10_1011_attention.cpp; do
    echo "no archive that can be read" >"$o/$name"
done
echo "name,mark" >"$o/marks.csv"
folder_of "$o/plain"
cp $solution "$o/doejane_11_1012_attention.c"
for i in 3 4 5; do echo "as asked" >"$o/doejane_11_101${i}_page$i.pdf"; done
folder_of "$o/$(printf 'two\nlines')"
grade "$o" "$work/kinds.db" --due 2026-10-02T12:00Z --penalty 10 >"$work/kinds.out" 2>&1
report "$work/kinds.db" --csv "$work/kinds.csv" --canvas "$work/kinds.canvas" --html "$work/kinds.html" \
    --feedback "$work/kinds.feedback" >/dev/null
named() { # NAME FILES: the report shows this student like every other one
    cat "$work/kinds.out"
    grep -q "^ .*  $1: 0 of 100 points: $none; there is $2\$" "$work/kinds.out" &&
        grep -q "^\"$1\",.*,0,100,\"$none; there is $2\"" "$work/kinds.csv" &&
        grep -q "<td><a href=\"kinds.feedback/[^\"]*\">$1</a><br><span class=\"soft\">$none; there is $2</span></td>" "$work/kinds.html" &&
        grep -q "Your hand-in has: $2\$" "$work/kinds.feedback"/*.txt
}
claim "a .rar under Canvas's name is reported under the student's name" named canvasrar lab1.rar
claim "a .7z from Moodle is reported" named "Rar Flat" lab1.7z
claim "a .cpp file is reported" named cplus attention.cpp
claim "several files of one student are reported" named twofiles "report.pdf, notes.txt"
claim "these students are in Canvas's table" grep -q '^"canvasrar",8,,,,0' "$work/kinds.canvas"
claim "these students are in the sum" grep -q "^done in [0-9]* s: 3 graded, 4 with no file of the lab, 0 refused, 0 not graded" "$work/kinds.out"
beside() {
    cat "$work/kinds.out"
    grep -q "  doejane: 100 of 100 points\$" "$work/kinds.out" && ! grep -q "page[345]" "$work/kinds.out" &&
        grep -q "^ignored: 8 uploads that are neither archives nor .c or .cu files" "$work/kinds.out" &&
        [ "$(grep -c "left out: " "$work/kinds.out")" = 1 ] && grep -q "left out: marks.csv" "$work/kinds.out"
}
claim "other files beside good work are counted, not listed" beside
claim "a student's name with a line break is printed on one line" grep -q "^ .*  two lines: 100 of 100 points\$" "$work/kinds.out"

# ---- the same file in two places ----------------------------------------------------------------

t=$work/twins
mkdir "$t"
pack() { # FOLDER ARCHIVE: copies lab 1's file to the folder, and packs the other files into the archive
    tar -cf "$2" -C "$1" 01_simple_attention
}
folder_of "$work/one-way"
folder_of "$work/other-way" "$noscale"
pack "$work/one-way" "$t/pairs_1_101_a.tar"
pack "$work/one-way" "$t/pairs_1_102_b.tar"
pack "$work/one-way" "$t/unlike_2_103_a.tar"
pack "$work/other-way" "$t/unlike_2_104_b.tar"
folder_of "$t/mueller"
pack "$work/one-way" "$t/mueller.tar"
folder_of "$t/maier"
pack "$work/other-way" "$t/maier.tar"
cp $solution "$t/copies_3_105_attention.c"
cp $solution "$t/copies_3_106_attention-1.c"
cp $solution "$t/changed_4_107_attention.c"
cp "$noscale" "$t/changed_4_108_attention-1.c"
cp $solution "$work/attention.c"
(cd "$work" && tar -cf "$t/appended.tar" attention.c && tar -rf "$t/appended.tar" attention.c)
mkdir -p "$t/later/a" "$t/later/b" && cp $solution "$t/later/"
echo '// one way' >"$t/later/a/batching.c" && echo '// the other' >"$t/later/b/batching.c"
grade "$t" "$work/twins.db" >"$work/twins.out" 2>&1
for name in pairs mueller copies appended; do
    claim "identical copies of a file count as one: $name" has "$work/twins.db" $name 100
done
claim "two versions of a file that no judged lab uses do not matter" has "$work/twins.db" later 100
differ() { # NAME ONE OTHER
    cat "$work/twins.out"
    grep -qF "  $1: refused: which one counts? $2 and $3 differ" "$work/twins.out" && has "$work/twins.db" "$1" 0
}
a=01_simple_attention/attention.c
claim "two versions that differ are reported with their archives" differ unlike "$a (a.tar)" "$a (b.tar)"
claim "two versions that differ are reported with their folders" differ maier "$a (maier/)" "$a (maier.tar)"
claim "two versions that differ are reported under the platform's names" differ changed "attention.c (changed_4_107_attention.c)" \
    "attention.c (changed_4_108_attention-1.c)"

# ---- names that are not UTF-8 ---------------------------------------------------------------------

e=$work/encoded
mkdir "$e" "$work/explorer"
cp $solution "$work/attention.c"
# Explorer writes Ü as \232 (code page 850) without saying so. Others use their own code pages.
explorer() { # ARCHIVE FILE...: one folder for each file, \232bung1, \231bung1
    rm -rf "$work/explorer" && mkdir "$work/explorer"
    archive=$1
    shift
    for file; do
        folder=$work/explorer/$(printf "\\23${#}bung1")
        mkdir "$folder" && cp "$file" "$folder/attention.c"
        shift
    done
    (cd "$work/explorer" && case $archive in
        *.zip) LC_ALL=C zip -qr "$archive" . ;;
        *) tar -cf "$archive" * ;;
    esac)
}
explorer "$e/tarred.tar" $solution
command -v zip >/dev/null && explorer "$e/zipped.zip" $solution
explorer "$e/alike.tar" $solution $solution
explorer "$e/unlike.tar" $solution "$noscale"
(cd "$work/explorer" && tar -cPf "$e/above.tar" --transform 's,^,x/../../,' *)
grade "$e" "$work/encoded.db" >"$work/encoded.out" 2>&1
for name in tarred zipped alike; do
    [ ! -e "$e/$name".* ] || claim "a folder with an umlaut of an older Windows is read: $name" has "$work/encoded.db" $name 100
done
encoded_refused() { # NAME WHY
    cat "$work/encoded.out"
    grep -q "  $1: refused: $2" "$work/encoded.out"
}
claim "files in folders with such names are compared" encoded_refused unlike "which one counts? %9[9A]bung1/attention.c and %9[9A]bung1/attention.c differ"
claim "such names do not lead out of the folder" encoded_refused above "above.tar has a file with a path outside of the archive: x/../../"

# ---- files in ignored folders -----------------------------------------------------------------------

w=$work/elsewhere
for folder in solutions build docs .saved; do
    mkdir -p "$w/in-$folder/$folder" && cp $solution "$w/in-$folder/$folder/attention.c"
done
folder_of "$w/deep/all/build/saved"
(cd "$w/in-build" && tar -cf ../packed.tar .)
folder_of "$w/fine" && folder_of "$w/fine/solutions" "$noscale"
grade "$w" "$work/elsewhere.db" >"$work/elsewhere.out" 2>&1
lies() { # NAME FOLDER
    cat "$work/elsewhere.out"
    grep -qF "  $1: 0 of 100 points: $none; there is attention.c (in $2/, which is ignored)" "$work/elsewhere.out"
}
claim "a lab's file in solutions/ is reported" lies in-solutions solutions
claim "a lab's file in build/ is reported" lies in-build build
claim "a lab's file in docs/ is reported" lies in-docs docs
claim "a lab's file deeper in such a folder is reported" lies deep build
claim "a lab's file in such a folder of an archive is reported" lies packed build
claim "a lab's file in a hidden folder is not reported" grep -q "  in-.saved: 0 of 100 points: $none\$" "$work/elsewhere.out"
claim "nothing is reported if the lab's file is also in its place" grep -q "  fine: 100 of 100 points\$" "$work/elsewhere.out"

# ---- names that look like options ---------------------------------------------------------------

d=$work/--db
mkdir "$d"
for name in --db --db=x.db -x -- --into --as --help @file "1: intro" "c:"; do folder_of "$d/$name"; done
mkdir "$d/numbered" && folder_of "$d/numbered/1: intro"
tar -cf "$d/--resume.tar" -C "$d/numbered" .
like_options() { # called from the folder above, with the folder's bare name after --
    (cd "$work" && "$work/build/grade-class" class --db options.db --lab 1 --trust --seed 5 -- --db </dev/null) ||
        return 1
    report "$work/options.db" --csv "$work/options.csv" >/dev/null
    [ "$(grep -c ',100,100,.$' "$work/options.csv")" = 12 ] || { cat "$work/options.csv"; return 1; }
    (cd "$work" && report options.db --feedback --html >/dev/null && [ "$(ls -- --html | grep -c '\.txt$')" = 12 ])
}
claim "hand-ins whose names look like options are graded" like_options

# ---- links beside the work ----------------------------------------------------------------------

v=$work/links
folder_of "$v/folder" && mkdir -p "$v/folder/venv/bin"
ln -s /usr/bin/python3 "$v/folder/venv/bin/python3" && ln -s bin "$v/folder/venv/lib64"
ln -s nowhere.zip "$v/folder/old.zip" && ln -s ../nowhere.c "$v/folder/venv/attention.c" && mkfifo "$v/folder/venv/pipe"
mkdir "$v/own" && ln -s "$top/$solution" "$v/own/attention.c"
tar -cf "$v/packed.tar" -C "$v/folder" .
tar -cf "$v/packed-own.tar" -C "$v/own" .
(cd "$v/folder" && ln 01_simple_attention/attention.c copy.c && tar -cf "$v/twice.tar" 01_simple_attention copy.c && rm copy.c)
command -v zip >/dev/null && (cd "$v/folder" && zip -qry "$v/zipped.zip" . -x venv/pipe)
grade "$v" "$work/links.db" >"$work/links.out" 2>&1
for name in folder packed twice zipped; do
    [ ! -e "$v/$name" ] && [ ! -e "$v/$name.tar" ] && [ ! -e "$v/$name.zip" ] ||
        claim "a link is left out, and the rest of the hand-in is graded: $name" has "$work/links.db" $name 100
done
only_a_link() { # NAME: a link is in the place of a lab's file, and the report says so
    cat "$work/links.out"
    grep -qF "  $1: 0 of 100 points: $none; there is attention.c (a link; hand in the file itself)" "$work/links.out"
}
claim "a link in place of a lab's file is reported" only_a_link own
claim "a link in an archive is reported" only_a_link packed-own

# ---- hostile archives -----------------------------------------------------------------------

h=$work/harm
mkdir "$h" "$work/m"
folder_of "$h/honest"
cd "$work/m" || exit 1
mkdir 01_simple_attention && cp "$top/$solution" 01_simple_attention/
tar -cPf "$h/above.tar" --transform 's,^,x/../../,' 01_simple_attention
tar -cPf "$h/absolute.tar" --transform "s,^,$work/m/escaped/," 01_simple_attention
ln -s /etc/passwd link.c && tar -cf "$h/link.tar" --transform 's,link.c,01_simple_attention/attention.c,' link.c
ln 01_simple_attention/attention.c hard.c && tar -cf "$h/hardlink.tar" hard.c 01_simple_attention
tar -cPf "$h/device.tar" --transform 's,.*,attention.c,' /dev/null 2>/dev/null
truncate -s 64M zeros && tar -czf "$h/bomb.tgz" zeros
# A zip written as a stream: an entry can have any size, because no directory at the end of the
# file contradicts it.
command -v python3 >/dev/null && python3 - "$h" <<'END'
import bz2, struct, sys, tarfile, zlib
here = sys.argv[1]

def entry(name, packed):  # its sizes would stand behind it
    header = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 8, 8, 0, 0, 0, 0, 0, len(name), 0)
    return header + name.encode() + packed

deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
megabyte = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
with open(here + "/stream.zip", "wb") as file:
    file.write(entry("grows.bin", megabyte * 20000))

# libarchive skips these bytes to look for an entry, and there is none.
with open(here + "/forever.tar.bz2", "wb") as file:
    text = zlib.compress(b"x")[2:-4]
    sizes = struct.pack("<4sIII", b"PK\7\10", zlib.crc32(b"x"), len(text), 1)
    file.write(bz2.compress(entry("notes.txt", text) + sizes))
    file.write(bz2.compress(bytes(1 << 20)) * 20000)

# Empty files, each with a long header before it.
member = tarfile.TarInfo("notes.txt")
member.pax_headers = {"comment": "y" * 900000}
with open(here + "/headers.tar.bz2", "wb") as file:
    file.write(bz2.compress(member.tobuf(tarfile.PAX_FORMAT)) * 200)
END
command -v zip >/dev/null && zip -qr - 01_simple_attention | cat >"$h/streamed.zip"
command -v bzip2 >/dev/null && tar -cf - 01_simple_attention | bzip2 >"$h/bzipped.tar.bz2"
command -v zip >/dev/null && zip -q "$h/zipbomb.zip" zeros && zip -qP secret "$h/password.zip" 01_simple_attention/attention.c
truncate -s 600M huge && tar -cSf "$h/sparse.tar" huge
cp 01_simple_attention/attention.c attention.c && tar -cf "$h/twice.tar" attention.c && echo "// again" >>attention.c &&
    tar -rf "$h/twice.tar" attention.c
printf 'int x;' >other.c && tar -cf "$h/two.tar" --transform 's,other.c,labs/01_simple_attention/attention.c,' other.c &&
    tar -rf "$h/two.tar" --transform 's,^,again/labs/,' 01_simple_attention/attention.c
odd=$(printf 'a\nb.c') && : >"$odd" && tar -cf "$h/newline.tar" "$odd"
odd=$(printf 'a\377\001b.c') && : >"$odd" && tar -cf "$h/not-utf8.tar" "$odd"
odd=$(printf 'a\302\205b.c') && : >"$odd" && tar -cf "$h/control.tar" "$odd"
head -c 300000 /dev/zero >big.c && tar -cf "$h/large.tar" --transform 's,big.c,attention.c,' big.c
mkdir many && (cd many && seq 20001 | xargs touch) && tar -czf "$h/many.tgz" many
tar -czf whole.tgz 01_simple_attention && head -c 200 whole.tgz >"$h/cut.tgz"
head -c 5000 /dev/urandom >"$h/noise.zip"
# An archive whose list of files is intact, but one file is damaged.
command -v zip >/dev/null && zip -q "$h/corrupt.zip" 01_simple_attention/attention.c &&
    head -c 200 /dev/zero | tr '\0' '\377' | dd of="$h/corrupt.zip" bs=1 seek=300 conv=notrunc status=none
: >"$h/nothing.zip"
ln -s nowhere "$h/dangling.zip"
ln -s "$top/solutions" "$h/stolen"
ln -s "$h/above.tar" "$h/linky.zip"
command -v python3 >/dev/null && (cd "$h" && python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket.zip")')
# 10 megabytes of tokens, each of which begins another fingerprint.
mkdir "$h/heavy" && cp -R 01_simple_attention "$h/heavy/" &&
    awk 'BEGIN { srand(1); for (i = 0; i < 250000; i++) printf "%s", substr("+-*%&|^<>!~?:;,(){}[]=.", 1 + int(23 * rand()), 1) }' >tokens &&
    (cd "$top/labs" && find [01]* -name "*.c" -o -name "*.cu") | while read -r file; do
        mkdir -p "$h/heavy/${file%/*}" && { [ -e "$h/heavy/$file" ] || cp tokens "$h/heavy/$file"; }
    done
mkdir "$h/linked" "$h/linked/01_simple_attention" && ln -s "$top/$solution" "$h/linked/01_simple_attention/attention.c"
cd "$top" || exit 1
claim "a class with hostile archives is graded completely" exits 0 grade "$h" "$work/harm.db"
for name in link hardlink device linked; do
    claim "only regular files are unpacked: $name" has "$work/harm.db" $name 0
done
refused() { # NAME PATTERN
    "$work/book" query "$work/harm.db" "SELECT verdict || ': ' || reason FROM submission JOIN student
        ON student.id = student WHERE name = '$1'" >"$work/reason"
    cat "$work/reason"
    grep -qE "^refused: .*$2" "$work/reason" && has "$work/harm.db" "$1" 0
}
while read -r name pattern; do
    [ -e "$h/$name.zip" ] || [ -e "$h/$name.tar" ] || [ -e "$h/$name.tgz" ] || [ -e "$h/$name.tar.bz2" ] || [ -d "$h/$name" ] ||
        [ -L "$h/$name.zip" ] || continue
    claim "refused: $name" refused "$name" "$pattern"
done <<'END'
above path outside
absolute path outside
bomb is too large when unpacked
zipbomb is too large when unpacked
stream damaged
forever cannot be unpacked: it is damaged, or not a zip or tar archive$
headers is too large when unpacked
password password
sparse is too large when unpacked
twice which one counts\? two files of twice.tar are called attention.c and differ
two which one counts
newline unusable name
not-utf8 unusable name
control unusable name
large larger than 256 kilobytes
many more than 20000
cut cannot be unpacked: it is damaged, or not a zip or tar archive$
noise cannot be unpacked: it is damaged, or not a zip or tar archive$
corrupt cannot be unpacked: it is damaged or has a password$
dangling is a link
linky is a link
stolen is a link
socket neither a folder nor a regular file
END
claim "an honest student beside them has full marks" has "$work/harm.db" honest 100
claim "and so has one whose other labs are as large as a file may be" has "$work/harm.db" heavy 100
heavy_refused() { # all labs
    mkdir "$work/heavy" && "$work/build/grade-class" collect --into "$work/heavy/tree" --quiet "$h/heavy" 2>"$work/said"
    [ $? -eq 1 ] && grep "^grade: its files of the labs are larger than 4 megabytes together$" "$work/said"
}
claim "with all labs, a hand-in of that size is refused" heavy_refused
# Gradescope's script puts this line into JSON.
one_line() {
    odd=$(printf 'a\nb\033[31m\377')
    mkdir -p "$work/odd/$odd/01_simple_attention" "$work/odd/b/01_simple_attention" &&
        echo 'int a;' >"$work/odd/$odd/01_simple_attention/attention.c" &&
        echo 'int b;' >"$work/odd/b/01_simple_attention/attention.c" || return 1
    "$work/build/grade-class" collect --into "$work/odd-tree" --quiet "$work/odd" 2>"$work/said"
    [ $? -eq 1 ] && [ "$(wc -l <"$work/said")" -eq 1 ] && iconv -f UTF-8 -t UTF-8 "$work/said" &&
        ! LC_ALL=C tr -d '\n' <"$work/said" | LC_ALL=C grep '[[:cntrl:]]'
}
claim "the reason of a refusal is one line that is safe to print" one_line
[ ! -s "$h/streamed.zip" ] || claim "and so has a zip that was written as a stream" has "$work/harm.db" streamed 100
if command -v bzip2 >/dev/null; then
    claim "a bomb packed with bzip2 is refused" has "$work/harm.db" bzipped 100
else
    echo "ok - a bomb packed with bzip2 is refused # SKIP bzip2 is not installed"
fi
claim "nothing was written outside the folder" sh -c "! [ -e '$work/m/escaped' ] && ! [ -e '$work/build/class/x' ]"

unreadable() {
    u=$work/unreadable
    mkdir "$u" && folder_of "$u/fine" && folder_of "$u/closed" && chmod 0 "$u/closed" || return 1
    run=
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534 "$work"
        run="setpriv --reuid 65534 --clear-groups"
        if ! $run test -r "$u/fine"; then
            chown -R 0 "$work" # the later tests write here, too
            return 77
        fi
    fi
    $run "$work/build/grade-class" class "$u" --db "$work/unreadable.db" --lab 1 --trust >"$work/said" 2>&1
    code=$?
    [ "$(id -u)" -ne 0 ] || chown -R 0 "$work"
    chmod 755 "$u/closed"
    cat "$work/said"
    [ $code -eq 1 ] && has "$work/unreadable.db" fine 100 && has "$work/unreadable.db" closed "" &&
        grep -q "closed, lab 1: cannot read .*Permission denied" "$work/said" &&
        exits 0 grade "$u" "$work/unreadable.db" && has "$work/unreadable.db" closed 100
}
unreadable >"$work/unreadable.out" 2>&1
case $? in
0) echo "ok - a folder that cannot be read is named, the others go on, and a later run takes it" ;;
77) echo "ok - a folder that cannot be read # SKIP another user cannot reach this folder" ;;
*)
    echo "not ok - a folder that cannot be read is named, the others go on, and a later run takes it"
    sed 's/^/# /' "$work/unreadable.out"
    status=1
    ;;
esac

# ---- failures of the machine ----------------------------------------------------------------

k=$work/kill
mkdir "$k"
for i in 1 2 3; do folder_of "$k/right$i"; folder_of "$k/wrong$i" "$noscale"; done
cp "$h/above.tar" "$k/"
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
    [ $? -eq 2 ] && cat "$work/said" && grep -q "lab 11 has no GPU side: --backend gpu judges labs 1 to 10" "$work/said"
}
claim "a lab without a GPU side is refused, and the message says which labs have one" no_gpu_side
no_gradebook() {
    "$work/build/grade-class" class "$c" --lab 1 >"$work/said" 2>&1
    [ $? -eq 2 ] && cat "$work/said" && grep -qF "say where the gradebook is: --db gradebook.db (it is made if it does not exist)" "$work/said"
}
claim "without --db, it asks where the gradebook is" no_gradebook

# ---- reports --------------------------------------------------------------------------------

everything() { # DB FOLDER
    mkdir "$2" && report "$1" --csv "$2/marks.csv" --canvas "$2/canvas.csv" --column '1=Lab 1 (77)' \
        --feedback "$2/feedback" --html "$2/class.html" 2>/dev/null
}
same_bytes() {
    grade "$c" "$work/again.db" --due 2026-10-02T12:00Z --penalty 10 --jobs 3 >/dev/null
    grade "$c" "$work/once.db" --due 2026-10-02T12:00Z --penalty 10 --jobs 1 >/dev/null
    everything "$work/once.db" "$work/r1" && everything "$work/again.db" "$work/r2" &&
        [ "$(ls "$work/r1/feedback" | wc -l)" -gt 20 ] && diff -r "$work/r1" "$work/r2"
}
claim "a second grading gives the same reports, byte for byte" same_bytes
private() {
    mkdir "$work/p" && (
        umask 022
        grade "$k" "$work/p/one.db" --slice 1/1 --batch b --copy "$work/p/copy.db" >/dev/null &&
            "$work/build/grade-class" collect --db "$work/p/all.db" "$work/p/one.db" >/dev/null &&
            everything "$work/p/all.db" "$work/p/r"
        # After a kill, the -wal and -shm files remain.
        LD_PRELOAD=$work/writes.so WRITES_KILL=$((writes / 2)) grade "$k" "$work/p/killed.db" --jobs 1
    ) >/dev/null 2>&1
    find "$work/p" -mindepth 1 | grep -c -e -wal -e feedback/ -e copy -e all.db
    [ -s "$work/p/killed.db-wal" ] && [ -d "$work/p/r/feedback" ] && [ -e "$work/p/copy.db" ] &&
        ! find "$work/p" -mindepth 2 -perm /077 ! -path "$work/p/r" | grep . && ! find "$work/p" -type f -perm /077 | grep .
}
claim "only their user can read gradebooks, -wal and -shm files, copies and reports" private
umask_of_judge() {
    rm -f "$work/umask"
    (umask 027 && grade "$k" "$work/mask.db" --seed 77 --jobs 1 >/dev/null)
    sort -u "$work/umask"
    [ "$(sort -u "$work/umask")" = 0027 ]
}
claim "the judge's own files have the modes of the machine's umask" umask_of_judge
canvas_table() {
    cat "$work/r1/canvas.csv"
    head -n 1 "$work/r1/canvas.csv" | grep -q '^Student,ID,SIS User ID,SIS Login ID,Section,"Lab 1 (77)"' &&
        sed -n 2p "$work/r1/canvas.csv" | grep -q '^    Points Possible,,,,,100' &&
        grep -q '^"roejohn",12346,,,,72' "$work/r1/canvas.csv"
}
claim "Canvas's table has the columns, names and numbers that Canvas expects" canvas_table
says_when() {
    cat "$work/r1/feedback"/roejohn-*.txt
    grep -q "^  1 day late: 80 → 72 (LATE in Canvas, which gives no time)\$" "$work/r1/feedback"/roejohn-*.txt &&
        grep -q "^  2 days late: 100 → 80 (handed in 2026-10-03 12:00 UTC; due 2026-10-02 12:00 UTC)" "$work/r1/feedback"/Cy_Dee-*.txt
}
claim "feedback shows the hand-in time, but not a lateness that only Canvas reports" says_when
escaped() {
    ls "$work/r1/feedback"
    ! grep -rl "<script" "$work/r1" --include='*.html' && grep -q "&lt;script&gt;alert(&#39;x&#39;)" "$work/r1/class.html" &&
        ! ls "$work/r1/feedback" | LC_ALL=C grep -q '[^A-Za-z0-9._-]'
}
claim "a name full of HTML is escaped" escaped
shows_maps() {
    page=$(ls "$work/r1/feedback"/wrong-*.html)
    grep -q "<svg" "$page" && grep -q "<title>scores\[0\]\[0\]" "$page" && grep -q "not divided by sqrt(d)" "$page" &&
        ! grep -qE "(src|href)=\"?(https?:)?//|@import|url\((http|//)" "$page" &&
        grep -q "no-scale.*not divided by sqrt" "$work/r1/class.html"
}
claim "a page shows the tensors, the class page shows the diagnosis, and neither loads anything" shows_maps
says_whose() {
    said="uses 1.3, which fails: judged with the workbook's own 1.3"
    grep -h "1\.6" -A 1 "$work/r1/feedback"/wrong-*.txt "$work/r1/feedback"/wrong-*.html
    grep -A 1 "^  + 1\.6 simple_attention " "$work/r1/feedback"/wrong-*.txt | grep -qxF "        $said" &&
        grep -qF "<pre>  uses 1.3, which fails: judged with the workbook&#39;s own 1.3" "$work/r1/feedback"/wrong-*.html
}
claim "feedback shows which marks were judged with the workbook's own functions" says_whose
alike() {
    grep -A 1 "similarity</th>" "$work/r1/class.html"
    grep -qE "<td>twin</td><td>twin2</td><td class=\"number\">[0-9]+ passages</td><td class=\"number\">100 %" "$work/r1/class.html" &&
        ! grep -qE "<td>(plain|flat|nested)</td><td>(plain|flat|nested|twin)" "$work/r1/class.html"
}
claim "a copy with other names is reported, and code that everybody wrote is not" alike
# A class with nine copies of one unusual solution (six of them identical), two skeletons, two
# copies of the workbook's own solution, and one honest student.
q=$work/alike
mkdir -p "$q" "$work/build/skeletons/01_simple_attention"
cp "build/skeletons/01_simple_attention/attention.c" "$work/build/skeletons/01_simple_attention/"
cat "$noscale" "$work/helper" >"$work/copied.c"
for i in 1 2 3 4 5 6; do folder_of "$q/copy$i" "$work/copied.c"; done
for i in 1 2 3; do
    { sed "s/scores/s$i/g; s,^{,{ // $i," "$noscale" && cat "$work/helper2"; } >"$work/renamed.c"
    folder_of "$q/renamed$i" "$work/renamed.c"
done
for i in 1 2; do folder_of "$q/skeleton$i" labs/01_simple_attention/attention.c; done
folder_of "$q/own1"
sed 's/sum/total/g; s,^{,{ // mine,' $solution >"$work/renamed.c" && folder_of "$q/own2" "$work/renamed.c"
grader/tools/transplant.sh grader/tests/submissions/wrong/1.6-simple_attention.c@columns "$q/honest"
grade "$q" "$work/alike.db" >/dev/null
groups() {
    report "$work/alike.db" --html "$work/alike.html" >/dev/null && report "$work/alike.db" | grep ': [0-9]* hand-in'
    copies="9 hand-ins are identical except for names, numbers and comments: copy1, copy2, copy3, copy4, copy5, copy6, renamed1, renamed2, renamed3"
    own="2 hand-ins are identical to the workbook's own solution, except for names, numbers and comments: own1, own2"
    sed -n '/<h2>Similar hand-ins/,$p' "$work/alike.html" >"$work/alike.pairs"
    [ "$(report "$work/alike.db" | grep ': [0-9]* hand-in')" = "$(printf 'lab 1: %s\n' "$own" "$copies")" ] &&
        grep -qxF "<p>$copies</p>" "$work/alike.html" &&
        grep -qxF "<p>2 hand-ins are identical to the workbook's own solution, except for names, numbers and comments: own1, own2</p>" "$work/alike.html" &&
        ! grep -E "<td>(copy|renamed|skeleton)[0-9]( and.*)?</td><td>(copy|renamed|skeleton)[0-9]( and.*)?</td>" "$work/alike.pairs" &&
        ! grep -E "own solution</td><td>own|(share|No two).*skeleton|skeleton[0-9], " "$work/alike.pairs"
}
claim "copies of much of the class, and of the workbook's own solution, are reported as a group" groups
all_alike() {
    rm -r "$q"/renamed? "$q"/own? "$q/honest" "$q"/skeleton?
    grade "$q" "$work/alike2.db" >/dev/null && report "$work/alike2.db" --html "$work/alike2.html" >/dev/null
    grep -A 4 "<h3>Lab" "$work/alike2.html"
    grep -qx "<p>6 hand-ins are the same files: copy1, .*, copy6</p>" "$work/alike2.html" &&
        grep -q "own solution</td><td>copy1 and 5 equal hand-ins</td>" "$work/alike2.html" && ! grep -q "</td><td>copy[2-6]<" "$work/alike2.html" &&
        ! grep -q "No two hand-ins share more" "$work/alike2.html"
}
claim "a class with one hand-in is not reported as free of similarity" all_alike
rm -r "$work/build/skeletons"
seeds_are_told() {
    report "$work/once.db" >"$work/plain.report"
    tail -n 1 "$work/plain.report"
    grep -qx "lab 1: cases of seed 1" "$work/plain.report" &&
        grep -q "<p class=\"soft\">Cases of seed 1</p>" "$work/r1/class.html" &&
        grep -qx "    make check LAB=1 SEED=1" "$work/r1/feedback"/wrong-*.txt &&
        grep -q "run the same cases: <code>make check LAB=1 SEED=1</code></footer>" "$work/r1/feedback"/wrong-*.html
}
claim "every report shows the seed as it is typed" seeds_are_told
two_seeds() {
    grade "$g" "$work/seeds.db" --seed 12 >/dev/null && rm -r "$g/none" "$g/left" &&
        grade "$g" "$work/seeds.db" --seed 31 --hidden-seed 97531864 >/dev/null && report "$work/seeds.db" >"$work/said" &&
        mkdir "$work/r3" && report "$work/seeds.db" --feedback "$work/r3/f" --html "$work/r3/c.html" --csv "$work/r3/m.csv" >/dev/null
    cat "$work/said"
    grep -qx "lab 1: cases of seed 12, 31" "$work/said" && grep -q "Cases of seed 12, 31<" "$work/r3/c.html" &&
        grep -q " LAB=1 SEED=31\$" "$work/r3/f"/wrote-*.txt && grep -q " LAB=1 SEED=12\$" "$work/r3/f"/none-*.txt &&
        grep -q "leave SEED out: it has only the cases of seed 1" "$work/r3/f"/none-*.txt && ! grep -r 97531864 "$work/r3" "$work/said"
}
claim "marks of two seeds show both, and never a hidden one" two_seeds
differs() { # TEXT OPTION...: the new run says it; without TEXT, it says nothing
    text=$1
    shift
    grade "$g" "$work/before.db" "$@" >"$work/said" 2>&1
    cat "$work/said"
    if [ -n "$text" ]; then
        grep -q "^grade: new in this run: $text\. Hand-ins not yet judged" "$work/said"
    else
        ! grep -q "new in this run" "$work/said"
    fi
}
run_before() {
    differs '' --seed 12 --hidden-seed 97531864 && differs '' --seed 12 --hidden-seed 97531864 &&
        differs 'no hidden seed (the run before had one)' --seed 12 && differs '' --seed 12 &&
        differs '--seed 13 instead of 12, a hidden seed (the run before had none)' --seed 13 --hidden-seed 86420 &&
        differs 'another hidden seed, --follow all instead of failing' --seed 13 --hidden-seed 97531864 --follow all &&
        ! grep -q 97531864 "$work/said"
}
claim "a run whose seeds or options differ from the run before says so" run_before
lines_of() { report "$work/$1.db" | grep "^$2 " | tr -s ' '; }
plain_lines() {
    report "$work/harm.db"
    [ "$(lines_of harm above)" = "above lab 1: refused" ] && [ "$(lines_of harm honest)" = "honest lab 1: 100 of 100" ] &&
        [ "$(lines_of away plain)" = "plain lab 1: not graded yet" ]
}
claim "without options a report has a line for every student: points, refused, or not graded yet" plain_lines
reasons() {
    report "$work/harm.db" --csv "$work/harm.csv" --html "$work/harm.html" >/dev/null
    grep -E '"(above|large|twice|honest)"' "$work/harm.csv"
    grep -q '^"large",.*,0,100,"refused: .*larger than 256 kilobytes"' "$work/harm.csv" &&
        grep -q '^"above",.*,"refused: .*path outside' "$work/harm.csv" && ! grep -q ',"*refused"*.$' "$work/harm.csv" &&
        grep -q '<td>large<br><span class="soft">refused: .*larger than 256 kilobytes</span></td>' "$work/harm.html"
}
claim "the table and the class page show why a hand-in was refused" reasons
blank() {
    mkdir "$work/b" && cp $solution "$work/b/bee_2_22_attention.c" &&
        cp $solution "$work/b/cat_3_33_Attention.c"
    head -c 300000 /dev/zero >"$work/b/eel_5_55_attention.c"
    grade "$work/b" "$work/b.db" >/dev/null
    report "$work/b.db" --canvas "$work/b1.csv" >/dev/null && report "$work/b.db" --canvas "$work/b2.csv" --blank >/dev/null
    cat "$work/b1.csv" "$work/b2.csv"
    grep -q '^"cat",3,,,,0.$' "$work/b1.csv" && grep -q '^"eel",5,,,,0.$' "$work/b1.csv" &&
        grep -q '^"cat",3,,,,.$' "$work/b2.csv" && grep -q '^"eel",5,,,,.$' "$work/b2.csv" &&
        grep -q '^"bee",2,,,,100.$' "$work/b2.csv" && exits 2 report "$work/b.db" --blank
}
claim "with --blank, Canvas's cells of refused and missing hand-ins are empty" blank
not_yet() { # as after a run that was stopped: two hand-ins wait, one is collected
    grade "$work/f" "$work/late.db" >/dev/null && cp -R "$work/f" "$work/f2" && folder_of "$work/f2/newcomer" &&
        echo "int changed;" >>"$work/f2/plain/01_simple_attention/attention.c" || return 1
    "$work/build/grade-class" class "$work/f2" --db "$work/late.db" --lab 1 --trust >/dev/null
    "$work/book" query "$work/late.db" "UPDATE piece SET grading = NULL WHERE submission IN
        (SELECT submission.id FROM submission JOIN student ON student.id = student WHERE run = 2 AND name = 'plain')"
    "$work/book" query "$work/late.db" "DELETE FROM piece WHERE submission IN
        (SELECT submission.id FROM submission JOIN student ON student.id = student WHERE run = 2 AND name = 'newcomer')"
    "$work/book" query "$work/late.db" "UPDATE submission SET verdict = 'waiting' WHERE student =
        (SELECT id FROM student WHERE name = 'newcomer')"
    report "$work/late.db" --csv "$work/late.csv" --html "$work/late.html" >/dev/null
    cat "$work/late.csv"
    grep -q '^"newcomer","","",,,0,0,"not graded yet".$' "$work/late.csv" &&
        grep -q '^"plain","","",100,0,100,100,"not graded yet: the newest hand-in".$' "$work/late.csv" &&
        grep -q '^"unlucky",.*,100,.$' "$work/late.csv" && grep -q "<b>2</b><span class=\"soft\">students not graded yet<" "$work/late.html" &&
        grep -q '<td>newcomer<br><span class="soft">not graded yet</span></td><td class="number">?</td>' "$work/late.html" &&
        report "$work/late.db" | grep -q '^newcomer  *lab 1: not graded yet$'
}
claim "after a stopped run, the table and the page show who is not graded yet" not_yet
links() { # FOLDER PAGE FEEDBACK LINK: the page links to the feedback, and the link leads to a file
    (cd "$1" && report "$work/once.db" --html "$2" --feedback "$3" >/dev/null) || return 1
    case $2 in /*) page=$2 ;; *) page=$1/$2 ;; esac
    found=$(sed -n 's/^<tr><td><a href="\(.*\)\/plain-[0-9a-f]*\.html">plain<.*$/\1/p' "$page")
    [ "$found" = "$4" ] || { echo "$2 $3: '$found', expected '$4'"; return 1; }
}
linked() {
    l=$work/links
    mkdir -p "$l/in/side" "$l/other"
    links "$l" class.html feedback feedback && links "$l" in/class.html in/feedback feedback &&
        links "$l" "$l/class.html" "$l/fb" fb && links "$l/in" "$l/in/side/class.html" "$l/fb" ../../fb &&
        links "$l/in" class.html ../other/fb ../other/fb && links "$l" "$l/in/class.html" "$l/inside" ../inside &&
        links "$l" class.html . . && links "$l" class.html "a #1% b" a%20%231%25%20b &&
        links "$l" "$l/in/class.html" "$l/in" .
}
claim "the class page links to the feedback in any other folder" linked
tells_what_is_written() {
    report "$work/once.db" --csv "$work/r1/marks.csv" --feedback "$work/r1/feedback" --html "$work/r1/class.html" >"$work/said"
    cat "$work/said"
    printf '%s\n' "$work/r1/marks.csv: the marks" "$work/r1/feedback: a text file and an HTML page for each student" \
        "$work/r1/class-pairs: similar hand-ins side by side, which the page links to" \
        "$work/r1/class.html: the class" | cmp - "$work/said"
}
claim "a report prints a line for each file it writes" tells_what_is_written
unwritable() {
    report "$work/once.db" --csv /nowhere/marks.csv 2>"$work/said"
    [ $? -eq 3 ] && grep -q "cannot write /nowhere/marks.csv" "$work/said"
}
claim "a report that cannot be written is an error" unwritable
not_a_gradebook() {
    cp "$h/noise.zip" "$work/noise.db"
    report "$work/noise.db" 2>"$work/said"
    [ $? -eq 3 ] && grep -q "not a gradebook" "$work/said" && cmp "$h/noise.zip" "$work/noise.db"
}
claim "a file that is not a gradebook is refused and not changed" not_a_gradebook

# ---- with the real judge --------------------------------------------------------------

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
