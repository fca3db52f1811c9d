#!/bin/sh
# test_answers.sh - points for the answers of make ask: off by default, given in grader/points.txt, and
# never for what a hand-in only claims.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8
unset NO_COLOR MAKEFLAGS MFLAGS MAKELEVEL LAB EX SRC
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/answers.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
lab=01_simple_attention
tab=$(printf '\t')

# ---- a workbook with a points table of its own -----------------------------------------------------

copy=$work/copy
mine=$work/mine
mkdir -p "$copy/grader" "$copy/build/questions" "$mine"
for part in "$PWD"/grader/* "$PWD"/build/*; do
    name=${part#"$PWD"/}
    case ${name##*/} in
    points.txt | grade | grade-class | questions | tmp | handin) ;;
    *) ln -s "$part" "$copy/$name" ;;
    esac
done
for part in Makefile labs solutions datasets; do
    ln -s "$PWD/$part" "$copy/$part"
done
cp "$B/grade" "$copy/build/"
[ ! -e "$B/grade-class" ] || cp "$B/grade-class" "$copy/build/"
cp build/questions/01.answers "$copy/build/questions/"
points() { # LINE...: the table, with these lines
    cp grader/points.txt "$copy/grader/points.txt"
    printf '%s\n' "$@" >>"$copy/grader/points.txt"
}
cp -r solutions/$lab "$mine"
file=$mine/$lab/answers_01.txt
grade() { "$copy/build/grade" check --src "$mine" --lab 1 --no-color "$@"; }

# All right answers, given to build/ask.
"$B/ask" labs/$lab/questions.txt build/questions/01.answers --answers >"$work/answers"
awk -F '\t' '
    $2 == "right" { print $3 }
    $2 == "points" { print "one line\tof my explanation"; print "and another one\n"; for (i = 0; i < $3; i++) { print "y" } }
' "$work/answers" >"$work/input"
"$B/ask" labs/$lab/questions.txt build/questions/01.answers --progress "$work/all" <"$work/input" >"$work/asked"
all=$(grep -c '^## ' labs/$lab/questions.txt)

remembers() { # every answer stands behind its title
    [ "$(cut -f 1 "$work/all" | sort -u)" = first ] && [ "$(wc -l <"$work/all")" -eq "$all" ] &&
        [ "$(awk -F '\t' 'NF != 3 || $3 == ""' "$work/all")" = "" ] &&
        grep -q "${tab}one line of my explanation and another one\$" "$work/all"
}
claim "make ask remembers the answers, an explanation in one line" remembers

# ---- the mark ----------------------------------------------------------------------------------------

points
cp "$work/all" "$file"
off() { grade >"$work/said"; cat "$work/said"; grep -q '100 of 100 points' "$work/said" && ! grep -q '1\.q' "$work/said"; }
claim "without a line in points.txt, answers do not count" off

points '1.q 5'
marks() { # POINTS ANSWERED: the row of the questions
    grade >"$work/said"
    cat "$work/said"
    grep -qE "^  . 1\.q  questions +$1/5 .*$2 of $all questions answered; $all are needed" "$work/said"
}
claim "all answers earn the points" marks 5 "$all"
claim "the lab has its points and these" grep -q '^105 of 105 points' "$work/said"
json() { grade --json "$work/report.json" >"$work/said" && grep -A 3 '"name":.*"1.q questions"' "$work/report.json" | grep -q '"max_score":.*5'; }
claim "results.json has them" json
rm "$file"
nothing() { marks 0 0 && grep -q 'there is no answers_01.txt' "$work/said" && grep -q 'next: make ask LAB=1' "$work/said"; }
claim "without the file there are none, and the report says which file is missing" nothing
sed "s/$tab[^$tab]*\$/$tab/" "$work/all" >"$file"
claim "claims without answers earn nothing" marks 0 0
sed "s/$tab[^$tab]*\$//" "$work/all" >"$file"
claim "nor do lines of two columns" marks 0 0
sed "s/$tab[^$tab]*\$/${tab}42/" "$work/all" >"$file"
claim "wrong answers earn nothing, whatever the first column says" marks 0 0
sed "s/$tab[^$tab]*\$/${tab}nan/" "$work/all" >"$file"
claim "nor does nan" marks 0 0
sed 's/^first/shown/' "$work/all" >"$file"
claim "a right answer counts, also after the answer was shown" marks 5 "$all"
sed "1s/$tab[^$tab]*\$/${tab}8/" "$work/all" >"$file"
claim "one wrong answer is counted" marks 0 $((all - 1))
sed 's/my explanation and.*//; s/one line of/yes/' "$work/all" >"$file"
claim "three letters are no explanation" marks 0 $((all - 1))
sed "s/^first$tab/first${tab}not /" "$work/all" >"$file"
claim "other titles earn nothing" marks 0 0
{ head -c 65536 /dev/zero | tr '\0' x && echo && cat "$work/all"; } >"$file"
claim "what stands behind 64 kilobytes is not read" marks 0 0
head -c 20000 /dev/urandom >"$file"
claim "random bytes earn nothing" marks 0 0
rm "$file"
ln -s "$work/all" "$file"
claim "a link is not followed" marks 0 0
rm "$file"
mkfifo "$file"
claim "nobody waits at a named pipe" marks 0 0
rm "$file"
mv "$mine/$lab" "$mine/real" && ln -s real "$mine/$lab" && cp "$work/all" "$mine/real/answers_01.txt"
claim "nor is a link in place of the folder followed" marks 0 0
rm "$mine/$lab" && mv "$mine/real" "$mine/$lab"

points '1.q 5 3'
head -n 3 "$work/all" >"$file"
enough() { grade >"$work/said"; cat "$work/said"; grep -q "5/5 .*3 of $all questions answered; 3 are needed" "$work/said"; }
claim "three answers are enough if the table says so" enough
head -n 2 "$work/all" >"$file"
too_few() { grade >"$work/said"; cat "$work/said"; grep -q "0/5 .*2 of $all questions answered; 3 are needed" "$work/said"; }
claim "two are not" too_few

# What make ask remembers counts before anything is handed in: make check names the folder labs as the student does.
head -n 3 "$work/all" >"$copy/build/questions/01.progress"
own() { # SRC
    (cd "$copy" && build/grade check --src "$1" --lab 1 --no-color) >"$work/said"
    grep ' 1\.q ' "$work/said"
    grep -q "1\.q .*5/5 .*3 of $all questions answered; 3 are needed" "$work/said"
}
claim "make check counts the answers that make ask remembers" own labs
claim "whatever the name of the folder" own "$PWD/labs"
claim "even with a slash" own "$copy/labs/"
others() { ! own "$mine" && grep -q "1\.q .*0/5" "$work/said"; }
rm "$file"
claim "but not as the answers of another folder" others
rm "$copy/build/questions/01.progress"

single() { "$copy/build/grade" check --src "$mine" --exercise 1.3 >"$work/said" && ! grep -q '1\.q' "$work/said"; }
claim "one exercise is judged without the questions" single

# ---- the table --------------------------------------------------------------------------------------

refused() { # TEXT
    one_line 3 "$1" grade
}
points '1.q'
claim "a line without points is refused" refused "expected 'lab.q points' or 'lab.q points questions'"
points '1.q 5 0'
claim "so are 0 questions" refused "expected 'lab.q points'"
points '1.q 5 3 7'
claim "and a fourth column" refused "expected 'lab.q points'"
points '1.q 5' '1.q 6'
claim "and a line given twice" refused "exercise 1.q is listed twice"
points '1.q 5'
mv "$copy/build/questions/01.answers" "$work/"
claim "without the values of the predictions the grader stops" refused "make programs computes them"
mv "$work/01.answers" "$copy/build/questions/"

# ---- handing in --------------------------------------------------------------------------------------

handin() { # the student's own folder; with FOLDER, another one
    (cd "$copy" && GRADE=$copy/build/grade sh grader/tools/handin.sh "${1:-labs}" 01 $lab attention.c attention.cu) >"$work/said" 2>&1
    cat "$work/said"
    rm -rf "$work/unpacked"
    mkdir "$work/unpacked"
    (cd "$work/unpacked" && if [ -e "$copy/build/handin/lab1.zip" ]; then unzip -q "$copy/build/handin/lab1.zip"; else tar xzf "$copy/build/handin/lab1.tar.gz"; fi)
}
rm -f "$file"
# handin.sh begins in the folder above itself: here that is the workbook itself, so it gets a copy, too.
rm "$copy/grader/tools"
cp -r grader/tools "$copy/grader/tools"
rm "$copy/labs"
ln -s "$mine" "$copy/labs"
cp "$work/all" "$copy/build/questions/01.progress"
if command -v unzip >/dev/null || ! command -v zip >/dev/null; then
    handed() { handin && grep -q 'answers_01.txt' "$work/said" && cmp "$work/all" "$work/unpacked/labs/$lab/answers_01.txt"; }
    claim "make handin hands the answers in" handed
    of_another() { handin solutions && grep -q 'lab1-solutions[.]' "$work/said" && ! grep -q 'answers_01.txt' "$work/said"; }
    claim "but not with the files of another folder" of_another
    points
    not_handed() { handin && ! grep -q 'answers' "$work/said" && [ ! -e "$work/unpacked/labs/$lab/answers_01.txt" ]; }
    claim "but not if they earn no points" not_handed
fi
rm "$copy/labs"
ln -s "$PWD/labs" "$copy/labs"
points '1.q 5'
own() { # the student's own folder, before anything is handed in
    "$copy/build/grade" check --lab 1 --no-color >"$work/said"
    cat "$work/said"
    grep -q "5/5 .*$all questions answered" "$work/said"
}
claim "make check sees what make ask remembers" own
not_for_others() { grade >"$work/said"; cat "$work/said"; grep -q "0/5 .*0 of $all questions answered" "$work/said"; }
claim "but never for another folder" not_for_others

# ---- a class -----------------------------------------------------------------------------------------

if [ -e "$copy/build/grade-class" ]; then
    for student in ada bob eve; do
        mkdir -p "$work/class/$student/labs"
        cp -r "$mine/$lab" "$work/class/$student/labs/"
    done
    cp "$work/all" "$work/class/ada/labs/$lab/answers_01.txt"
    sed "s/$tab[^$tab]*\$/${tab}42/" "$work/all" >"$work/class/eve/labs/$lab/answers_01.txt"
    class() {
        "$copy/build/grade" class "$work/class" --db "$work/book.db" --lab 1 --seed 5 --trust >"$work/said" 2>&1
        "$copy/build/grade" report --db "$work/book.db" --csv "$work/marks.csv" --feedback "$work/feedback" >>"$work/said" 2>&1
        cat "$work/said" "$work/marks.csv"
        for mark in ada:105 bob:100 eve:100; do
            tr -d '"' <"$work/marks.csv" | awk -F , -v who="${mark%:*}" -v mark="${mark#*:}" '
                $1 == who { for (i = 2; i <= NF; i++) { if ($i == mark) { found = 1 } } } END { exit !found }' || return 1
        done
    }
    claim "a class gets the points for answers that are right" class
    claim "the feedback names them" sh -c "cat '$work'/feedback/*bob* | grep -q '1.q questions'"
fi

exit $status
