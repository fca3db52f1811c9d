#!/bin/sh
# test_handin.sh - make handin LAB=n: the archive is one that build/grade collect and class accept, and
# the last check says what does not pass yet.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8
unset NO_COLOR MAKEFLAGS MFLAGS MAKELEVEL LAB EX SRC
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/handin.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
lab=01_simple_attention
mine=$work/mine

# A copy of the workbook of its own, so that build/handin is not the user's.
mkdir -p "$work/copy/build" "$mine"
for part in Makefile grader solutions datasets; do
    ln -s "$PWD/$part" "$work/copy/$part"
done
ln -s "$mine" "$work/copy/labs"
grade=$PWD/$B/grade
[ -x "$grade" ] || grade=$PWD/$B/one/01/grade
cp -r labs/$lab "$mine"
handin() { # [PATH [SRC]]
    (cd "$work/copy" && PATH=${1:-$PATH} GRADE=$grade sh grader/tools/handin.sh "${2:-labs}" 01 $lab attention.c attention.cu) \
        >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    echo "exit status $code"
    return $code
}
says() { grep -qF -e "$1" "$work/said"; }
written=$work/copy/build/handin

unwritten() {
    handin && says "lab1." && says "0 of 100 points" && says "no exercise of lab 1 is written yet" &&
        ! says "1.1 matmul"
}
claim "an unwritten lab is written to the archive, and said to be unwritten" unwritten
no_cu() { ! says "attention.cu"; }
claim "an untouched .cu file is left out" no_cu

echo '// mine' >>"$mine/$lab/attention.c"
begun() { handin && says "1.1 matmul (not written)" && ! says "is written yet"; }
claim "once the file is edited, the exercises are listed" begun

# A grader whose exercises have names of several words, as lab 8's.
cat >"$work/several" <<'END'
#!/bin/sh
echo "Lab 1  Simple attention  (labs/01_simple_attention)  8 of 34 points"
echo "  ✓ 1.1  one                                  8/8"
echo "  · 1.2  one, two and three                 0/10  todo"
echo "  ✗ 1.3  held_out_loss, perplexity ...      0/10  wrong: 4.5/8 and more"
echo "  ✗ 1.10 three and four                      2.5/6  wrong: words"
exit 1
END
chmod +x "$work/several"
several() {
    sure=$grade grade=$work/several
    handin
    grade=$sure
    says "10.5 of 34 points" && says "  1.2 one, two and three (not written)" && says "  1.3 held_out_loss, perplexity ..." &&
        says "  1.10 three and four"
}
claim "an exercise of several functions counts, too" several
claim "with something missing, it says that one can hand in again" says "hand in again; make handin LAB=1 writes"

grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale "$work/wrong" >/dev/null
cp "$work/wrong/$lab/attention.c" "$mine/$lab/attention.c"
echo '// mine' >>"$mine/$lab/attention.cu"
one_wrong() {
    handin && says "80 of 100 points" && says "  1.3 attention_scores" && ! says "1.4" &&
        says "attention.c attention.cu" && says "GPU=1 judges"
}
claim "a wrong exercise is named, and an edited .cu file is handed in" one_wrong

cp "$mine/$lab/attention.c" "$work/kept.c"
echo 'int x = ;' >>"$mine/$lab/attention.c"
uncompiled() { handin && says "0 of 100 points" && says "it does not compile: make check LAB=1 shows the errors" && ! says "1.1 matmul"; }
claim "a file that does not compile is handed in, and said not to compile" uncompiled
cp "$work/kept.c" "$mine/$lab/attention.c"
handin >/dev/null

# what the instructor's program makes of it
collected() { # ARCHIVE
    rm -rf "$work/tree" "$work/handed"
    mkdir "$work/handed"
    cp "$1" "$work/handed/"
    "$B/grade" collect --into "$work/tree" "$work/handed" && # like Gradescope's folder
        cmp "$work/tree/$lab/attention.c" "$mine/$lab/attention.c" &&
        cmp "$work/tree/$lab/attention.cu" "$mine/$lab/attention.cu"
}
if [ -x "$B/grade-class" ] && [ -x "$B/grade" ]; then
    if command -v zip >/dev/null; then
        claim "the archive is lab1.zip" test -f "$written/lab1.zip"
        claim "grade collect takes lab1.zip apart" collected "$written/lab1.zip"
    fi
fi
# A machine without zip: only links to the other programs.
mkdir "$work/bin"
for program in sh awk cmp cp mv rm mkdir mktemp dirname tar gzip cat sed; do
    ln -s "$(command -v $program)" "$work/bin/$program"
done
without_zip() { handin "$work/bin" && says "lab1.tar.gz" && ! [ -e "$written/lab1.zip" ]; }
claim "without zip it writes lab1.tar.gz, and removes the old lab1.zip" without_zip
if [ -x "$B/grade-class" ] && [ -x "$B/grade" ]; then
    claim "grade collect takes lab1.tar.gz apart" collected "$written/lab1.tar.gz"
fi

if [ -x "$B/grade-class" ] && [ -x "$B/grade" ]; then
    # collects STATUS TEXT TREE PATH ...
    collects() {
        expected=$1 text=$2 tree=$work/$3
        shift 3
        "$B/grade" collect --into "$tree" "$@" >"$work/said" 2>&1
        got=$?
        cat "$work/said"
        [ $got -eq "$expected" ] && says "$text"
    }
    mkdir "$work/sent"
    cp solutions/$lab/attention.c "$work/sent/attention (1).c"
    cp solutions/$lab/attention.c "$work/sent/scores.c"
    claim "grade collect prints where a file went" \
        collects 0 "$lab/attention.c from attention (1).c" collected "$work/sent/attention (1).c"
    claim "a wrongly named file alone is an error" \
        collects 1 "there is no file of a lab, but there is scores.c" renamed "$work/sent/scores.c"
    claim "a second hand-in is not added to the first" \
        collects 2 "there is a file already, $work/collected/$lab/attention.c" collected "$work/sent/scores.c"
    claim "with --quiet programs get neither" \
        sh -c '[ -z "$("$1/grade" collect --into "$2" --quiet "$3" 2>&1 || echo failed)" ]' sh "$B" "$work/collected" "$work/sent/scores.c"
fi

cp solutions/$lab/attention.c "$mine/$lab/attention.c"
# Of somebody else, beside one's own.
mkdir -p "$work/class/ann/$lab" "$written"
cp solutions/$lab/attention.* "$work/class/ann/$lab/"
echo mine >"$written/lab1.zip"
of_another() {
    handin "$PATH" ../class/ann && says "build/handin/lab1-class_ann." && says "these are the files of ../class/ann" &&
        [ "$(cat "$written/lab1.zip")" = mine ] && ls "$written"/lab1-class_ann.*
}
claim "another folder's archive has its own name, and leaves one's own as it was" of_another
# Without SRC these commands would judge one's own files.
of_another_uncompiled() {
    echo 'int x = ;' >>"$work/class/ann/$lab/attention.c"
    echo '// hers' >>"$work/class/ann/$lab/attention.cu"
    handin "$PATH" ../class/ann && says "make check LAB=1 SRC=../class/ann shows the errors" &&
        says "make check LAB=1 GPU=1 SRC=../class/ann judges them"
}
claim "of another folder, the commands name it" of_another_uncompiled
another_missing() { rm "$work/class/ann/$lab/attention.c" && ! handin "$PATH" ../class/ann && ! says "make reset"; }
claim "a file that another folder lacks is not reset in one's own" another_missing
own_by_another_path() { handin "$PATH" "$mine/../mine/" && says "build/handin/lab1." && ! says "these are the files of"; }
claim "labs by another path is one's own" own_by_another_path

all_pass() { handin && says "100 of 100 points" && ! says "not passing" && ! says "hand in again"; }
claim "if everything passes, nothing is listed" all_pass

rm "$mine/$lab/attention.c"
rm -rf "$written"
missing() { ! handin && says "attention.c is missing" && ! ls "$written"/lab1.* 2>/dev/null; }
claim "if the file is missing, nothing is written" missing
claim "no temporary folder remains" sh -c '! ls -d "$1"/.new.* 2>/dev/null' sh "$written"

every_handout() {
    for page in labs/[0-9]*/README.md; do
        number=$(echo "$page" | sed 's|labs/0*\([0-9]*\)_.*|\1|')
        awk '/^## / { last = "" } { last = last $0 } END { print last }' "$page" |
            grep -q "^## Hand in.*make handin LAB=$number\`" || { echo "$page"; return 1; }
    done
}
claim "every handout ends with what to hand in" every_handout

exit $status
