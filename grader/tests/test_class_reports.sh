#!/bin/sh
# test_class_reports.sh - what reports of a class show, and what they do not.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
. grader/tests/class/names.sh

# An archive with a path outside of it, a file that is too large, and one file twice.
h=$work/harm
folder_of "$h/honest"
cp $solution "$work/attention.c"
tar -cPf "$h/above.tar" --transform 's,^,x/../../,' $solution
head -c 300000 /dev/zero >"$work/big.c" && tar -cf "$h/large.tar" -C "$work" --transform 's,big.c,attention.c,' big.c
tar -cf "$h/twice.tar" -C "$work" attention.c && echo "// again" >>"$work/attention.c" && tar -rf "$h/twice.tar" -C "$work" attention.c
head -c 5000 /dev/urandom >"$h/noise.zip"
grade "$h" "$work/harm.db" >/dev/null
k=$work/kill
for i in 1 2 3; do folder_of "$k/right$i"; folder_of "$k/wrong$i" "$noscale"; done
g=$work/seeds
for name in wrote left none; do folder_of "$g/$name"; done
folder_of "$work/f/plain" && folder_of "$work/f/unlucky"
mv "$work/build/grade" "$work/build/away"
grade "$work/f" "$work/away.db" >/dev/null 2>&1
mv "$work/build/away" "$work/build/grade"

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
        WRITES_COUNT=$work/count LD_PRELOAD=$work/writes.so grade "$k" "$work/counted.db" --jobs 1
        writes=$(cat "$work/count")
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
    lines_of harm above
    lines_of harm above | grep -qE "^above lab 1: refused .*outside" && [ "$(lines_of harm honest)" = "honest lab 1: 100 of 100" ] &&
        [ "$(lines_of away plain)" = "plain lab 1: not graded yet" ]
}
claim "without options a report has a line for every student: points, refused and why, or not graded yet" plain_lines
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

exit $status
