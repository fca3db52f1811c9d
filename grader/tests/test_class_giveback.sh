#!/bin/sh
# test_class_giveback.sh - marks and feedback as Moodle and Canvas take them back.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
export TZ=UTC

is_file() { # WANTED-FILE FILE
    cmp "$1" "$2" || diff "$1" "$2"
}
refused() { # WANTED COMMAND...
    wanted=$1
    shift
    exits 2 "$@" >"$work/said" 2>&1 && grep -q -- "$wanted" "$work/said" || { cat "$work/said"; return 1; }
}

# ---- Moodle -------------------------------------------------------------------------------------

m=$work/moodle
for one in "Sam Smith_900" "Sam Smith_901" "Jörg \"J\" Ö_902"; do
    mkdir -p "$m/${one}_assignsubmission_file_" && cp $solution "$m/${one}_assignsubmission_file_/attention.c"
done
cp "$noscale" "$m/Sam Smith_901_assignsubmission_file_/attention.c"
cp $solution "$m/Ann Lee_903_assignsubmission_file_attention.c" # the other form of the export
mkdir "$m/Eve Or_905_assignsubmission_file_" && echo nothing >"$m/Eve Or_905_assignsubmission_file_/notes.txt"
printf '\357\273\277Identifier,"Full name","Email address",Status,Group,Grade,"Maximum grade","Grade can be changed","Last modified (submission)","Last modified (grade)","Feedback comments"\r\n' >"$work/head.csv"
cat >"$work/body.csv" <<'END'
"Participant 900","Sam Smith",s1@example.org,"Submitted for grading",,,100.00,Yes,"Monday, 2 November 2026, 1:05 PM",-,
"Participant 901","Sam Smith",s2@example.org,"Submitted for grading",,,100.00,Yes,"Sunday, 1 November 2026, 11:59 AM",-,
"Participant 902","Jörg ""J"" Ö",j@example.org,"Submitted for grading",,,100.00,Yes,"Monday, 2 November 2026, 11:59 AM",-,"seen, thanks"
"Participant 903","Ann Lee",a@example.org,"Submitted for grading",,17.00,100.00,No,"Sunday, 1 November 2026, 11:59 AM",-,
"Participant 904","Ann Lee",a2@example.org,"No submission",,,100.00,Yes,-,-,
"Participant 905","Eve Or",e@example.org,"Submitted for grading",,,100.00,Yes,"Sunday, 1 November 2026, 11:59 AM",-,
END
sed 's/$/\r/' "$work/body.csv" >"$work/body.crlf" && cat "$work/head.csv" "$work/body.crlf" >"$work/worksheet.csv"
db=$work/moodle.db
grade "$m" "$db" --seed 5 --due 2026-11-01T12:00Z --penalty 10 --times "$work/worksheet.csv" >"$work/said" || cat "$work/said"
cat >"$work/body.csv" <<'END'
"Participant 900","Sam Smith",s1@example.org,"Submitted for grading",,80,100.00,Yes,"Monday, 2 November 2026, 1:05 PM",-,"2 days late: 100 → 80"
"Participant 901","Sam Smith",s2@example.org,"Submitted for grading",,80,100.00,Yes,"Sunday, 1 November 2026, 11:59 AM",-,
"Participant 902","Jörg ""J"" Ö",j@example.org,"Submitted for grading",,90,100.00,Yes,"Monday, 2 November 2026, 11:59 AM",-,"seen, thanks"
"Participant 903","Ann Lee",a@example.org,"Submitted for grading",,17.00,100.00,No,"Sunday, 1 November 2026, 11:59 AM",-,
"Participant 904","Ann Lee",a2@example.org,"No submission",,,100.00,Yes,-,-,
"Participant 905","Eve Or",e@example.org,"Submitted for grading",,0,100.00,Yes,"Sunday, 1 November 2026, 11:59 AM",-,
END
sed 's/$/\r/' "$work/body.csv" >"$work/body.crlf"
sed 's/"Full name"/"Full name"/' "$work/head.csv" | cat - "$work/body.crlf" >"$work/wanted.csv"
worksheet() {
    report "$db" --lab 1 --worksheet "$work/worksheet.csv" --moodle "$work/moodle.csv" && is_file "$work/wanted.csv" "$work/moodle.csv"
}
claim "Moodle's worksheet comes back with the grades, and nothing else changed" worksheet
blank() { report "$db" --lab 1 --worksheet "$work/worksheet.csv" --moodle "$work/blank.csv" --blank && grep -q '^"Participant 905",.*,,100.00,' "$work/blank.csv"; }
claim "--blank leaves the cell of a hand-in without the lab's file empty" blank
scaled() {
    sed 's/100\.00/10,00/; s/,10,00,/,"10,00",/' "$work/worksheet.csv" >"$work/ten.csv"
    report "$db" --lab 1 --worksheet "$work/ten.csv" --moodle "$work/scaled.csv" >"$work/said" && grep "lab 1 has 100 points, Moodle's maximum is 10: the marks are scaled" "$work/said" &&
        grep -q '^"Participant 901",.*,8,"10,00",' "$work/scaled.csv"
}
claim "marks are scaled to Moodle's maximum, with a message" scaled
cp "$work/worksheet.csv" "$work/Grades-CS-Lab 2-77.csv"
claim "the worksheet of another lab is refused by its name" \
    refused ".*Lab 2-77.csv is named like the table of lab 2, and this run is about lab 1; rename it" \
    report "$db" --lab 1 --worksheet "$work/Grades-CS-Lab 2-77.csv" --moodle "$work/x.csv"
set_one() { "$work/build/grade-class" set "Eve Or" --db "$db" --lab 2 --points 5 --reason exam; }
of_lab_1() {
    set_one && report "$db" --lab 2 --worksheet "$work/worksheet.csv" --moodle "$work/second.csv" >"$work/said" 2>&1
    cat "$work/said"
    grep "^grade: [345] of the [345] times in $work/worksheet.csv are those of lab 1. Is it the table of lab 1?$" "$work/said"
}
cp "$db" "$work/before.db"
claim "with the times of another lab's hand-ins, it is questioned" of_lab_1
cp "$work/before.db" "$db"
claim "a worksheet is about one lab" refused "--moodle needs --lab" report "$db" --worksheet "$work/worksheet.csv" --moodle "$work/x.csv"
printf 'Identifier,Name\nParticipant 900,Sam\n' >"$work/none.csv"
claim "a worksheet without a column for grades is refused" refused "none.csv, line 1: there is no column for the grade" report "$db" --lab 1 --worksheet "$work/none.csv" --moodle "$work/x.csv"
claim "and nothing is written" [ ! -e "$work/x.csv" ]
if command -v unzip >/dev/null; then
    zipped() { # as Moodle's importer reads it: name_number_assignsubmission_file_/file
        report "$db" --feedback-zip "$work/feedback.zip" >"$work/said" && cat "$work/said" && grep -q ": feedback for 5 hand-ins$" "$work/said" &&
            mkdir "$work/unzipped" && (cd "$work/unzipped" && unzip -q "$work/feedback.zip") && ls "$work/unzipped" &&
            grep -q "2 days late: 100 → 80" "$work/unzipped/Sam Smith_900_assignsubmission_file_/feedback.txt" &&
            grep -q "^Jörg" "$work/unzipped/Jörg \"J\" Ö_902_assignsubmission_file_/feedback.txt" &&
            [ -e "$work/unzipped/Ann Lee_903_assignsubmission_file_/feedback.html" ] && [ "$(ls "$work/unzipped" | wc -l)" = 5 ]
    }
    claim "Moodle's feedback archive has the folders of the export" zipped
    same() { report "$db" --feedback-zip "$work/again.zip" >/dev/null && cmp "$work/feedback.zip" "$work/again.zip"; }
    claim "and the same bytes each time" same
else
    echo "ok - feedback archives # SKIP unzip is not installed"
fi

# ---- Canvas -------------------------------------------------------------------------------------

c=$work/canvas
mkdir "$c"
cp $solution "$c/smithsam_501_9001_attention-2.c"
cp "$noscale" "$c/smithsam_LATE_502_9002_attention.c"
(cd "$work" && mkdir z && cp "$top/$solution" z/ && cd z && tar -cf "$c/leeann_503_9003_lab1.tar" attention.c)
cdb=$work/canvas.db
grade "$c" "$cdb" --seed 5 --due 2026-11-01T12:00Z --penalty 10 >/dev/null
cat >"$work/export.csv" <<'END'
Student,ID,SIS User ID,SIS Login ID,Section,Quiz (12),Lab 1 (4711),Current Score
    Points Possible,,,,,20,100,(read only)
"Smith, Sam",501,u1,ss1,"A, early",3,,50
"Smith, Sam",502,u2,ss2,B,4,12,60
"Lee, Ann",503,u3,al3,B,5,,70
"Never, Bo",504,u4,bn4,B,6,,80
"Student, Test",999,,,B,,,
END
cat >"$work/wanted.csv" <<'END'
Student,ID,"SIS User ID","SIS Login ID",Section,"Lab 1 (4711)"
"Points Possible",,,,,100
"Smith, Sam",501,u1,ss1,"A, early",100
"Smith, Sam",502,u2,ss2,B,72
"Lee, Ann",503,u3,al3,B,100
"Never, Bo",504,u4,bn4,B,
"Student, Test",999,,,B,
END
sed -i 's/$/\r/' "$work/wanted.csv"
export_filled() { report "$cdb" --lab 1 --canvas "$work/filled.csv" --canvas-export "$work/export.csv" && is_file "$work/wanted.csv" "$work/filled.csv"; }
claim "Canvas's table comes back with its own rows, names and only this lab's marks" export_filled
named() { report "$cdb" --lab 1 --canvas "$work/quiz.csv" --canvas-export "$work/export.csv" --column "1=Quiz (12)" && grep -q '^"Smith, Sam",502,u2,ss2,B,72' "$work/quiz.csv"; }
claim "--column names another assignment" named
more_points() { report "$cdb" --lab 1 --canvas "$work/quiz.csv" --canvas-export "$work/export.csv" --column "1=Quiz (12)" | grep "quiz.csv: lab 1 has 100 points, Quiz (12) has 20: the marks are not scaled"; }
claim "an assignment with other points is noticed" more_points
claim "an assignment that is not in the table is refused" refused "export.csv, line 1: there is no column of the lab's assignment" \
    report "$cdb" --lab 1 --canvas "$work/x.csv" --canvas-export "$work/export.csv" --column "1=Homework (9)"
if command -v unzip >/dev/null; then
    canvas_zip() {
        report "$cdb" --feedback-zip "$work/canvas.zip" >"$work/said" && mkdir "$work/c" && (cd "$work/c" && unzip -q "$work/canvas.zip") && ls "$work/c" >"$work/names" &&
            cat "$work/names" && ls "$c" | cmp - "$work/names" && grep -q "^  1 day late: 80 → 72 (LATE in Canvas, which gives no time)$" "$work/c/smithsam_LATE_502_9002_attention.c" &&
            tar -xOf "$work/c/leeann_503_9003_lab1.tar" feedback.txt | grep -q "100 of 100"
    }
    claim "Canvas's feedback archive has the names of the export, and files of that type" canvas_zip
fi

# ---- two labs -------------------------------------------------------------------------------------

mkdir "$work/second" && cp solutions/02_batching/batching.c "$work/second/smithsam_501_9101_batching.c"
several() {
    "$work/build/grade-class" class "$work/second" --db "$cdb" --lab 2 --trust --seed 5 >/dev/null 2>&1
    report "$cdb" --feedback-zip "$work/both.zip" | grep "both.zip has names from the exports of several labs; for one assignment, write it with --lab" &&
        report "$cdb" --lab 2 --feedback-zip "$work/one.zip" >"$work/said" && cat "$work/said" && ! grep "several" "$work/said"
}
claim "an archive of several exports is noticed" several
exit $status
