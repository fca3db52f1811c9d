#!/bin/sh
# test_class_files.sh - finds the files of a lab in a hand-in, whatever they are called and wherever they
# lie, or says what was there instead.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh

# ---- files with other names -------------------------------------------------------------------

folder_of "$work/one/ann"
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
    "^done in [0-9]+ s: .* \(labs: [0-9]+ judged now, [0-9]+ judged already\); the marks are in .*\.db \([0-9]+ s of processor time, this program took up to [0-9.]+ MB of memory\)$" \
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
claim "the last lines count what is left out" grep -q "^without a student: [0-9]* entr[yies]* of the folder; see \"left out\" above$" "$work/export.out"
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
    "$work/build/grade-class" class "$work/one" --db "$work/other.db" --lab 2 --seed 5 --trust </dev/null >"$work/said"
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


exit $status
