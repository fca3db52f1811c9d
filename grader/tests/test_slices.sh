#!/bin/sh
# test_slices.sh - a class that several machines grade in slices gets the same marks as on one
# machine, even if slices come twice, late or never. As in test_class.sh, a stub replaces the
# judge: it asks the real one once for every file and records each request.
# grader/tests/test_slurm.sh uses the real judge.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
[ -x "$B/grade-class" ] || {
    echo "ok - slices # SKIP grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    echo "ok - nothing else # SKIP"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/slices.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
unset GRADE_HIDDEN_SEED GRADE_NOW
export OPENBLAS_NUM_THREADS=1

# ---- the workspace --------------------------------------------------------------------------

mkdir -p "$work/grader" "$work/build" "$work/store"
ln -s "$top/labs" "$work/labs"
ln -s "$top/solutions" "$work/solutions"
ln -s "$top/grader/exercises" "$work/grader/exercises"
cp grader/points.txt "$work/grader/"
cp "$B/grade-class" "$work/build/"
cat >"$work/build/grade" <<END
#!/bin/sh
# STUB=block: waits for ever, from the second time on
tree= json=
all="\$*"
while [ \$# -gt 0 ]; do
    case \$1 in --src) tree=\$2 ;; --json) json=\$2 ;; esac
    shift
done
echo asked >>"$work/asked"
if [ "\${STUB:-}" = block ] && [ "\$(wc -l <"$work/asked")" -gt 1 ]; then
    echo blocked >"$work/blocked"
    read -r never <"$work/never"
fi
# Every student's file differs in its last line, so the grader asks for each file. The stub
# ignores that line, so it needs only a few real answers.
key=$work/store/\$(grep -v '^// of ' "\$tree"/*/*.c 2>/dev/null | sed 's/.*\.c://' | cksum | tr ' ' -)
[ -e "\$key" ] || {
    "$top/$B/grade" \$all >/dev/null 2>&1
    cp "\$json" "\$key.\$\$" && mv "\$key.\$\$" "\$key"
}
cp "\$key" "\$json"
exit 1
END
chmod +x "$work/build/grade"
${CC:-gcc} -o "$work/book" grader/tests/class/book.c -lsqlite3 || exit 1

class=$work/class
wrong=grader/tests/submissions/wrong
grader/tools/transplant.sh $wrong/1.3-attention_scores.c@no-scale "$work/no-scale"
grader/tools/transplant.sh $wrong/1.6-simple_attention.c@columns "$work/columns"
hand_in() { # NAME FROM WHOSE: a copy of this file with a line that makes it different
    mkdir -p "$class/$1"
    { cat "$2/01_simple_attention/attention.c" && echo "// of $3"; } >"$class/$1/attention.c"
    touch -d 2026-10-02T12:00:01Z "$class/$1/attention.c"
}
for i in 1 2 3 4; do
    hand_in "right$i" solutions "$i"
    hand_in "wrong$i" "$work/no-scale" "$i"
    hand_in "twin$i" "$work/columns" everybody # the same file in several slices
done
printf 'nothing' >"$class/broken.zip"
parts=3

grade() { # DB OPTIONS...
    db=$1
    shift
    "$work/build/grade-class" class "$class" --db "$db" --lab 1 --trust --jobs 1 \
        --due 2026-10-01T12:00Z --penalty 10 --file-times charge --sure "$@" </dev/null
}
slice() { # FOLDER I BATCH OPTIONS...
    folder=$1 part=$2 batch=$3
    shift 3
    mkdir -p "$folder"
    grade "$folder/$part.db" --slice "$part/$parts" --batch "$batch" "$@"
}
collect() { "$work/build/grade-class" collect --db "$@"; }
exits() { # CODE COMMAND...
    expected=$1
    shift
    "$@"
    code=$?
    [ $code -eq "$expected" ] || {
        echo "exit status $code, expected $expected"
        return 1
    }
}
query() { "$work/book" query "$@"; }
reports() { # DB FOLDER
    mkdir "$2" && "$work/build/grade-class" report --db "$1" --csv "$2/marks.csv" \
        --feedback "$2/feedback" --html "$2/class.html"
}
same_marks() { # DB: as on one machine
    "$work/book" dump "$1" >"$work/dump" && [ "$(wc -l <"$work/dump")" -gt 40 ] &&
        diff "$work/one.dump" "$work/dump" && ! "$work/book" check "$1" | grep .
}

grade "$work/one.db" >"$work/out" || cat "$work/out"
"$work/book" dump "$work/one.db" >"$work/one.dump"

# ---- which student is in which slice --------------------------------------------------------

s=$work/s
names() { query "$1" "SELECT name FROM student ORDER BY 1"; }
in_slices() {
    for i in 1 2 3; do
        slice "$s" $i monday || return 1
    done
    for i in 1 2 3; do
        [ "$(names "$s/$i.db" | wc -l)" -gt 0 ] || return 1
        names "$s/$i.db"
    done | sort >"$work/parts"
    names "$work/one.db" >"$work/whole" && diff "$work/whole" "$work/parts"
}
claim "every hand-in is in one slice and in no other" in_slices
nobody_moves() {
    hand_in aaron solutions 9 # before all others
    for i in 1 2 3; do
        names "$s/$i.db" | sed "s/^/$i /" >>"$work/before"
        slice "$work/late" $i monday || return 1
        names "$work/late/$i.db" | grep -v aaron | sed "s/^/$i /" >>"$work/after"
    done
    rm -r "$class/aaron"
    diff "$work/before" "$work/after"
}
claim "a student who hands in late does not move others to another slice" nobody_moves

# ---- collecting the slices ------------------------------------------------------------------

m=$work/marks.db
together() { collect "$m" "$s"/[123].db && same_marks "$m"; }
claim "three collected slices equal the run of one machine" together
same_history() {
    for sql in "SELECT count(*) FROM run WHERE finished NOT NULL" "SELECT count(*) FROM grading" \
        "SELECT group_concat(hash || attempt) FROM (SELECT * FROM grading ORDER BY hash)" \
        "SELECT count(*) || ' ' || total(tokens) FROM source" "SELECT due || ' ' || penalty FROM deadline" \
        "SELECT count(*) FROM mark"; do
        [ "$(query "$m" "$sql")" = "$(query "$work/one.db" "$sql")" ] || {
            echo "$sql: $(query "$m" "$sql"), expected $(query "$work/one.db" "$sql")"
            return 1
        }
    done
}
claim "equal files in several slices become one grading, as on one machine" same_history
same_bytes() {
    reports "$work/one.db" "$work/r1" && reports "$m" "$work/r2" &&
        [ "$(ls "$work/r1/feedback" | wc -l)" -gt 20 ] && grep "^\"wrong1\"," "$work/r1/marks.csv" | grep -q ",64,2," &&
        diff -r "$work/r1" "$work/r2"
}
claim "reports of collected slices have the same bytes" same_bytes
twice() {
    collect "$m" "$s"/[123].db "$s/2.db" >"$work/said" && cat "$work/said" &&
        [ "$(grep -c "collected before" "$work/said")" = 4 ] && same_marks "$m" && same_history
}
claim "collecting twice changes nothing" twice
any_order() {
    collect "$work/order.db" "$s/3.db" 2>"$work/said"
    [ $? -eq 1 ] && grep -q "batch monday: slice 1 of 3 is missing" "$work/said" &&
        grep -q "slice 2 of 3 is missing" "$work/said" && ! grep -q "slice 3" "$work/said" &&
        exits 1 collect "$work/order.db" "$s/1.db" && collect "$work/order.db" "$s/2.db" && same_marks "$work/order.db"
}
claim "slices may be collected late and in any order, and missing ones are reported" any_order
bad_ones() {
    cp "$s/1.db" "$work/torn.db" && truncate -s 20000 "$work/torn.db"
    head -c 9000 "$B/grade-class" >"$work/noise.db"
    collect "$work/bad.db" "$work/torn.db" "$work/noise.db" "$work/one.db" "$s/gone.db" "$s/2.db" "$s/3.db" 2>"$work/said"
    code=$?
    cat "$work/said"
    [ $code -eq 1 ] && grep -q "torn.db is not a database, or is damaged" "$work/said" && grep -q "noise.db is not a database" "$work/said" &&
        grep -q "one.db is a gradebook, but not of a slice" "$work/said" && grep -q "gone.db is missing" "$work/said" &&
        [ ! -e "$s/gone.db" ] && grep -q "slice 1 of 3 is missing" "$work/said" &&
        collect "$work/bad.db" "$s/1.db" && same_marks "$work/bad.db"
}
claim "a damaged, missing or wrong file is reported, and the others are collected" bad_ones

# ---- grading again --------------------------------------------------------------------------

of() { # DB NAME: the attempt that counts
    query "$1" "SELECT attempt FROM piece JOIN submission ON submission.id = submission JOIN student ON
        student.id = student JOIN grading ON grading.id = grading WHERE student.name = '$2' ORDER BY run DESC LIMIT 1"
}
regraded() {
    cp -R "$s" "$work/old"
    for i in 1 2 3; do slice "$s" $i tuesday --again || return 1; done
    collect "$m" "$s"/[123].db && same_marks "$m" && [ "$(of "$m" right1) $(of "$m" twin3)" = "2 2" ] &&
        [ "$(query "$m" "SELECT group_concat(finished NOT NULL) FROM run")" = 1,1 ] &&
        [ "$(query "$m" "SELECT count(DISTINCT id) FROM grading WHERE attempt = 2")" = \
            "$(query "$m" "SELECT count(DISTINCT id) FROM grading WHERE attempt = 1")" ]
}
claim "another batch is another run, and older marks stay in the history" regraded
stale() {
    collect "$work/stale.db" "$work/old"/[12].db 2>/dev/null
    collect "$work/stale.db" "$s"/[123].db && collect "$work/stale.db" "$work/old/3.db" && same_marks "$work/stale.db" &&
        [ "$(of "$work/stale.db" right1) $(of "$work/stale.db" twin3)" = "2 2" ] &&
        [ "$(query "$work/stale.db" "SELECT count(*) FROM run")" = 2 ]
}
claim "a late slice of yesterday's batch does not change today's marks" stale
handed_in_again() {
    cp -R "$class" "$work/class.kept"
    hand_in wrong1 solutions new
    rm -r "$class/right2"
    for i in 1 2 3; do slice "$work/new" $i monday >/dev/null || return 1; done
    cp "$m" "$work/new.db" && cp -R "$s" "$work/anew"
    for i in 1 2 3; do slice "$work/anew" $i wednesday >/dev/null || return 1; done
    grade "$work/one.db" >/dev/null && "$work/book" dump "$work/one.db" >"$work/one.dump"
    collect "$work/new.db" "$work/anew"/*.db && same_marks "$work/new.db" || return 1
    # The same for the first batch.
    collect "$work/same.db" "$work/old"/[123].db >/dev/null && collect "$work/same.db" "$work/new"/[123].db &&
        same_marks "$work/same.db"
    code=$?
    rm -r "$class" && mv "$work/class.kept" "$class"
    grade "$work/one.db" >/dev/null && "$work/book" dump "$work/one.db" >"$work/one.dump"
    return $code
}
claim "a slice that was graded again replaces only its own students' marks" handed_in_again

# The stub keeps its answers, so only a machine that asks again would notice.
new_points() {
    cp "$m" "$work/priced.db" && cp -R "$s" "$work/priced" && : >"$work/asked"
    touch -d 2026-10-02T12:00:01Z "$class"/*/*.c
    awk '$1 == "1.3" { $2 = 40 } { print }' "$top/grader/points.txt" >"$work/grader/points.txt"
    for i in 1 2 3; do slice "$work/priced" $i thursday >/dev/null; done
    cp "$top/grader/points.txt" "$work/grader/points.txt"
    collect "$work/priced.db" "$work/priced"/[123].db
    reports "$work/priced.db" "$work/priced.reports"
    grep "^\"right1\",\|^\"wrong1\"," "$work/priced.reports/marks.csv"
    [ ! -s "$work/asked" ] && grep -q '^"right1","","",96,2,' "$work/priced.reports/marks.csv" &&
        grep -q '^"wrong1","","",64,2,' "$work/priced.reports/marks.csv"
}
claim "slices with new points change the collected marks, and nothing is judged again" new_points

# ---- a machine that is lost -----------------------------------------------------------------

mkfifo "$work/never"
lost() {
    # The slice with the most students. The judge answers once and then not again.
    part=$(for i in 1 2 3; do echo "$(names "$s/$i.db" | wc -l) $i"; done | sort -n | tail -n 1 | cut -d ' ' -f 2)
    : >"$work/asked"
    mkfifo "$work/blocked"
    mkdir "$work/node" "$work/shared"
    STUB=block slice "$work/node" "$part" monday --copy "$work/shared/$part.db" >/dev/null &
    shell=$!
    read -r line <"$work/blocked"
    rm "$work/blocked"
    cp -R "$work/shared" "$work/at-death"
    kill -9 $(cat "/proc/$shell/task/$shell/children") 2>/dev/null || kill -9 $shell
    wait $shell
    rm -r "$work/node"
    ls "$work/shared" "$work/at-death"
    query "$work/shared/$part.db" "SELECT count(*) FROM grading"
    [ "$(query "$work/shared/$part.db" "SELECT count(*) FROM grading")" = 1 ]
}
claim "if a machine is lost, the copy has everything graded until then" lost
half() {
    collect "$work/half.db" "$work/shared/$part.db" 2>"$work/said"
    [ $? -eq 1 ] && grep -q "slice $part of 3 is not finished" "$work/said" &&
        [ "$(query "$work/half.db" "SELECT count(*) FROM piece WHERE grading NOT NULL")" = 1 ] || return 1
    collect "$work/full.db" "$work/old/$part.db" "$work/shared/$part.db" >"$work/said" 2>&1
    ! grep -q "slice $part of 3 is not finished" "$work/said" &&
        [ "$(query "$work/full.db" "SELECT count(*) FROM piece WHERE grading NOT NULL")" -gt 1 ]
}
claim "an unfinished slice counts as far as it got, and never replaces a finished one" half
goes_on() {
    : >"$work/asked"
    slice "$work/node2" "$part" monday --copy "$work/shared/$part.db" || return 1
    graded=$(query "$work/shared/$part.db" "SELECT count(*) FROM grading")
    echo "asked $(wc -l <"$work/asked") times, $graded gradings"
    [ "$(wc -l <"$work/asked")" -eq $((graded - 1)) ] && [ "$graded" -gt 1 ] &&
        ! ls "$work/shared" | grep -v '^[123].db$' &&
        collect "$work/half.db" "$work/shared/$part.db" "$s"/[123].db && same_marks "$work/half.db"
}
claim "another machine continues from the copy and judges nothing twice" goes_on
full_disk() {
    slice "$work/node3" 1 monday --copy "$work/nowhere/1.db" >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    [ $code -eq 3 ] && grep -q "cannot write $work/nowhere/1.db" "$work/said"
}
claim "a copy that cannot be written is an error" full_disk

# ---- invalid options ------------------------------------------------------------------------

nonsense() {
    for word in 0/3 4/3 3 3/ /3 1/0 a/b 1/3x -1/3 1/99999; do
        grade "$work/no.db" --slice "$word" --batch x 2>"$work/said"
        [ $? -eq 2 ] && grep -q "slice needs a part and the number of parts" "$work/said" || {
            echo "$word: $(cat "$work/said")"
            return 1
        }
    done
    exits 2 grade "$work/no.db" --slice 1/3 && exits 2 grade "$work/no.db" --batch x && [ ! -e "$work/no.db" ] &&
        exits 2 collect "$work/no.db" && exits 2 "$work/build/grade-class" collect --db && [ ! -e "$work/no.db" ]
}
claim "an invalid slice is refused in one line, and nothing is written" nonsense
apart() {
    exits 2 grade "$work/old/1.db" --slice 2/3 --batch monday && exits 2 grade "$work/old/1.db" --slice 1/4 --batch monday &&
        exits 2 grade "$work/old/1.db" --slice 1/3 --batch monday --seed 9 && grade "$work/old/1.db" --slice 1/3 --batch monday
}
claim "two slices of a batch need two gradebooks, and a batch has one seed" apart
older() {
    cp "$work/one.db" "$work/older.db" && query "$work/older.db" "DROP TABLE slice" &&
        collect "$work/older.db" "$s"/[123].db && same_marks "$work/older.db"
}
claim "a gradebook without a table of slices can collect them too" older

exit $status
