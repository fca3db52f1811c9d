#!/bin/sh
# test_class_people.sh - rosters, namesakes, partners, extensions, and what an instructor does by
# hand.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
export TZ=UTC

said() { # PATTERN COMMAND...: succeeds, and its output has the line
    pattern=$1
    shift
    "$@" >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    [ $code = 0 ] && grep -q -- "$pattern" "$work/said"
}
row() { # DB PATTERN: the table has the line
    report "$1" --csv "$work/row.csv" >/dev/null || return 1
    tr -d '\r' <"$work/row.csv" >"$work/rows"
    cat "$work/rows"
    grep -q -- "$2" "$work/rows"
}
by_hand() { "$work/build/grade-class" "$@"; }
moodle() { # FOLDER NAME NUMBER FILE
    mkdir -p "$1/$2_$3_assignsubmission_file_" && cp "$4" "$1/$2_$3_assignsubmission_file_/attention.c"
}

# ---- a roster ---------------------------------------------------------------------------------

# With everything a spreadsheet may do to it: a mark at the front, \r\n, semicolons, quotes.
printf '\357\273\277ID;Full name;Email;Group;Canvas ID;GitHub;Moodle\r\n' >"$work/roster.csv"
cat >>"$work/roster.csv" <<'END'
17;Sam Smith;sam1@example.org;;501;octo-sam;
18;Sam Smith;sam2@example.org;;502;;
19;"Lee; ""Jo"" Ånn";jo@example.org;red;;;
20;Kim Ek;kim@example.org;red;;;
21;Bo Never;bo@example.org;;;;
22;Cy Dee;cy@example.org;blue;;;

END
sed -i '$!s/$/\r/' "$work/roster.csv"
r=$work/first
mkdir "$r"
cp $solution "$r/smithsam_501_9001_attention.c"
cp "$noscale" "$r/smithsam_502_9002_attention.c"
folder_of "$r/19"
folder_of "$r/stranger"
book=$work/people.db
first_week() { grade "$r" "$book" --seed 5 --roster "$work/roster.csv" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }; }
claim "a class is graded with a roster" first_week
claim "the roster is counted" grep -q "^.*roster.csv: 6 people in 2 groups$" "$work/said"
claim "who is not on it is named" grep -q "^  not on the roster: stranger$" "$work/said"
claim "who has handed in nothing is named" grep -q "^no hand-in here: Bo Never, Cy Dee (2 on the roster)$" "$work/said"
claim "who gets the mark of a partner is named" grep -q "^with the mark of a partner in their group: Kim Ek (1 on the roster)$" "$work/said"
claim "everybody has a row" row "$book" '^"Bo Never","","bo@example.org",,,0,0,"handed in nothing","21",$'
claim "quotes, semicolons and letters of a name survive" row "$book" '^"Lee; ""Jo"" Ånn","","jo@example.org",100,0,100,100,,"19","red"$'
claim "namesakes are apart, by a platform's number" row "$book" '^"Sam Smith","501","sam1@example.org",100,.*,"17",$'
claim "the other has another mark" row "$book" '^"Sam Smith","502","sam2@example.org",80,.*,"18",$'
named_apart() {
    report "$book" >"$work/report.txt"
    cat "$work/said" "$work/report.txt"
    grep -q "Sam Smith (17): 100 of 100 points$" "$work/said" && grep -q "Sam Smith (18): 80 of 100 points$" "$work/said" &&
        grep -q "^Sam Smith (17)  .*100 of 100" "$work/report.txt" && grep -q "^Sam Smith (18)  .*80 of 100" "$work/report.txt"
}
claim "the terminal tells namesakes apart" named_apart
claim "grade report says whose hand-in a partner has marks for" grep -q '^Kim Ek .*lab 1: 100 of 100 (handed in by Lee; "Jo" Ånn)$' "$work/report.txt"
claim "a partner has the group's mark" row "$book" '^"Kim Ek","","kim@example.org",100,0,100,100,"handed in by Lee; ""Jo"" Ånn","20","red"$'
claim "a stranger keeps a row" row "$book" '^"stranger","","",100,0,100,100,,,$'
claim "there are seven rows" [ "$(wc -l <"$work/rows")" = 8 ]

hinted() { # the line that tells Excel the separator
    (printf 'sep=;\r\n' && sed '1s/^\xef\xbb\xbf//' "$work/roster.csv") >"$work/hinted.csv"
    grade "$r" "$work/hinted.db" --seed 5 --roster "$work/hinted.csv" >"$work/said" 2>&1
    cat "$work/said"
    grep -q "^.*hinted.csv: 6 people in 2 groups$" "$work/said"
}
claim "Excel's line sep=; is understood" hinted

s=$work/second # two namesakes in Moodle, one after the other
moodle "$s" "Sam Smith" 345 "$noscale"
two_in_moodle() {
    grade "$s" "$book" --seed 5 >"$work/said" || return 1
    cat "$work/said"
    grep -q "Sam Smith_345_assignsubmission_file_: 2 people on the roster have this name; Moodle's grading worksheet (--times) says which" "$work/said" &&
        row "$book" '"17",$' && row "$book" '^"Sam Smith","501",.*,100,.*"17",$' && row "$book" '^"Sam Smith (345)",.*,80,'
}
claim "a name that two people have is given to neither" two_in_moodle
cat >"$work/worksheet.csv" <<'END'
Identifier,Full name,Email address,Status,Grade,Last modified (submission)
Participant 345,Sam Smith,sam1@example.org,Submitted,,"Thursday, 1 October 2026, 11:59 AM"
Participant 346,Sam Smith,sam2@example.org,No submission,,-
END
resolved() {
    grade "$s" "$book" --seed 5 --times "$work/worksheet.csv" >/dev/null && row "$book" '^"Sam Smith","501",.*,80,.*"17",$' &&
        row "$book" '^"Sam Smith","502",.*,80,.*"18",$'
}
claim "Moodle's worksheet says which" resolved

# Moodle removes ' & " < > and others from a folder's name, writes _ as a space, and puts a group's name before it.
printf 'id,name,group\n31,Conan O'"'"'Brien,\n32,"Lee ""Jo"" R & B_x",\n33,Mia Or,Team_A/1\n34,Bo Or,Team_A/1\n35,Or,\n36,Ann D'"'"'Arc,\n37,Ann D"Arc,\n' >"$work/moodle-names.csv"
m=$work/moodle-names
moodle "$m" "Conan OBrien" 401 $solution
moodle "$m" "Lee Jo R  B x" 402 $solution
moodle "$m" "Team A1-Mia Or" 403 $solution
moodle "$m" "Team B-Bo Or" 404 $solution
moodle "$m" "Ann DArc" 405 $solution
as_moodle_writes() {
    mdb=$work/moodle-names.db
    grade "$m" "$mdb" --seed 5 --roster "$work/moodle-names.csv" >"$work/said" || return 1
    cat "$work/said"
    row "$mdb" "^\"Conan O'Brien\",.*,100,.*\"31\",$" && row "$mdb" '^"Lee ""Jo"" R & B_x",.*,100,.*"32",$' &&
        row "$mdb" '^"Mia Or",.*,100,0,100,100,,"33","Team_A/1"$' && [ "$(wc -l <"$work/rows")" = 10 ] &&
        grep -q "^  not on the roster: Team B-Bo Or_404_assignsubmission_file_$" "$work/said" &&
        grep -q "^  Ann DArc_405_assignsubmission_file_: 2 people on the roster have this name" "$work/said"
}
claim "a person is found by the name that Moodle writes" as_moodle_writes
g=$work/github
folder_of "$g/lab-1-octo-sam"
claim "GitHub Classroom's clones are known by the login" said "Sam Smith (17): 100 of 100 points" grade "$g" "$book" --seed 5
claim "of two namesakes, the missing one is named with the id" said "^no hand-in here: .*Kim Ek, .*Sam Smith (18) " grade "$g" "$book" --seed 5
p=$work/partners
folder_of "$p/kim@example.org" "$noscale"
folder_of "$p/jo@example.org"
both() { grade "$p" "$book" --seed 5 >/dev/null && row "$book" '^"Kim Ek",.*,80,.*"20","red"$' && row "$book" '^"Lee.*,100,.*"19","red"$'; }
claim "of two hand-ins of a group, each partner's own counts" both
newest() { # the partner's newer one counts for both
    mkdir -p "$work/newer" && folder_of "$work/newer/20" $solution
    grade "$work/newer" "$book" --seed 5 >/dev/null && row "$book" '^"Kim Ek",.*,100,.*"20","red"$' && row "$book" '^"Lee.*,100,.*handed in by Kim Ek","19","red"$'
}
claim "the group's newest hand-in counts" newest
own_is_empty() { # Kim's own hand-in of the same day has no file of the lab
    mkdir -p "$work/empty/20" "$work/empty/19" && echo hello >"$work/empty/20/notes.txt" && folder_of "$work/empty/19" "$noscale"
    grade "$work/empty" "$book" --seed 5 >/dev/null && row "$book" '^"Kim Ek",.*,80,.*"20","red"$' &&
        grade "$work/newer" "$book" --seed 5 >/dev/null
}
claim "a hand-in without the lab's file does not hide the partner's" own_is_empty
feedback() {
    report "$book" --feedback "$work/feedback" --html "$work/class.html" >/dev/null
    grep "^  Your group's hand-in counts. It was handed in by Kim Ek" "$work"/feedback/Lee*.txt &&
        grep "^  You have handed in nothing yet" "$work"/feedback/Bo_Never*.txt && grep "handed in nothing" "$work/class.html"
}
claim "feedback and class page say who handed in" feedback
namesakes_on_pages() {
    grep -c ">Sam Smith (1[78])<" "$work/class.html"
    [ "$(grep -c ">Sam Smith (1[78])<" "$work/class.html")" = 2 ] && [ "$(grep -c "^Sam Smith: " "$work"/feedback/Sam_Smith-*.txt | grep -c ":1$")" = 2 ]
}
claim "the class page tells namesakes apart; their feedback shows no id" namesakes_on_pages
known_before() { # a roster that comes later finds the people of earlier weeks
    grade "$r" "$work/later.db" --seed 5 >/dev/null && has "$work/later.db" smithsam 100 || true
    mkdir "$work/nobody" && grade "$work/nobody" "$work/later.db" --seed 5 --roster "$work/roster.csv" >/dev/null
    row "$work/later.db" '^"Sam Smith","501",.*,100,.*"17",$' && row "$work/later.db" '^"Sam Smith","502",.*,80,.*"18",$'
}
claim "a roster that comes later finds the people of earlier weeks" known_before
canvas_export() { # Canvas's gradebook is a roster
    cat >"$work/canvas.csv" <<'END'
Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (77)
    Points Possible,,,,,100
"Smith, Sam",501,u17,ss17,A,
"Smith, Sam",502,u18,ss18,A,
"Student, Test",999,,,A,
END
    grade "$r" "$work/canvas.db" --seed 5 --roster "$work/canvas.csv" >"$work/said" && grep "canvas.csv: 2 people$" "$work/said" &&
        row "$work/canvas.db" '^"Smith, Sam","501","",100,.*,"u17",$'
}
claim "Canvas's gradebook export is a roster" canvas_export
canvas_rows() { # two columns of names, and what Canvas writes if marks are posted by hand
    cat >"$work/posting.csv" <<'END'
LastName,FirstName,ID,SIS User ID,SIS Login ID,Section,Lab 1 (77),Current Score
,,,,,,Manual Posting (scores hidden from instructors),
    Points Possible,,,,,,100,(read only)
Smith,Sam,501,u17,ss17,A,,50
Smith,Sam,502,u18,ss18,A,EX,
Student,Test,999,,,A,,
END
    grade "$r" "$work/posting.db" --seed 5 --roster "$work/posting.csv" >"$work/said" 2>&1
    cat "$work/said"
    grep "posting.csv: 2 people$" "$work/said" && row "$work/posting.db" '^"Sam Smith","501","",100,.*,"u17",$' || return 1
    report "$work/posting.db" --lab 1 --canvas "$work/posted.csv" --canvas-export "$work/posting.csv" >"$work/said" || return 1
    cat "$work/said" "$work/posted.csv"
    grep "posted.csv: marks of 2 people" "$work/said" && ! grep "no mark for" "$work/said" && grep -q "^Smith,Sam,501,u17,ss17,A,100" "$work/posted.csv" &&
        grep -q '^,,,,,,"Manual Posting ' "$work/posted.csv"
}
claim "with rows of marks posted by hand, and first and last names apart" canvas_rows
gradescope() { # partners of Gradescope, without any roster
    mkdir "$work/scope" && folder_of "$work/scope/submission_91"
    cat >"$work/scope/submission_metadata.yml" <<'END'
---
submission_91:
  :submitters:
  - :name: Ann Lee
    :email: ann@example.org
  - :name: "Bob \"B\" Ray"
    :email: bob@example.org
  :created_at: 2026-10-03 12:00:01.5 Z
END
    grade "$work/scope" "$work/scope.db" --seed 5 >/dev/null && has "$work/scope.db" "Ann Lee" 100 &&
        row "$work/scope.db" '^"Bob ""B"" Ray","","bob@example.org",100,0,100,100,"handed in by Ann Lee"$'
}
claim "all of Gradescope's submitters have the mark" gradescope
by_number() { # a roster with other addresses; a partner without one
    mkdir "$work/sids" && folder_of "$work/sids/submission_92" && printf 'id,name,email\n0017,Ann Lee,lee@uni.edu\n0018,Robert Ray,ray@uni.edu\n' >"$work/sids.csv"
    printf -- '---\nsubmission_92:\n  :submitters:\n  - :name: A. Lee\n    :sid: "0017"\n    :email: ann@example.org\n  - :name: Bob\n    :sid: "0018"\n    :email:\n' >"$work/sids/submission_metadata.yml"
    grade "$work/sids" "$work/sids.db" --seed 5 --roster "$work/sids.csv" >"$work/said" && cat "$work/said" &&
        row "$work/sids.db" '^"Ann Lee","",.*,100,0,100,100,,"0017",' && row "$work/sids.db" '^"Robert Ray","",.*,100,0,100,100,"handed in by Ann Lee","0018",'
}
claim "they are known by the university's numbers, too" by_number
bad() { # OPTION WANTED CONTENT: refused, and the gradebook is as before
    printf "$3" >"$work/bad.csv"
    "$work/book" query "$book" "SELECT group_concat(student || id || coalesce(team, '')) FROM listed" >"$work/before"
    exits 2 grade "$r" "$book" --seed 5 "$1" "$work/bad.csv" >"$work/said" 2>&1 && grep -q "bad.csv, line $2" "$work/said" &&
        "$work/book" query "$book" "SELECT group_concat(student || id || coalesce(team, '')) FROM listed" | cmp - "$work/before" || {
        cat "$work/said"
        return 1
    }
}
claim "an id that comes twice is named with both lines" bad --roster "3: id 17 is already in line 2" 'id,name\n17,Ann\n17,Bob\n'
claim "so is an address, whatever its case" bad --roster "3: email A@b.c is already in line 2" 'id,name,email\n1,Ann,a@b.c\n2,Bob,A@b.c\n'
claim "a roster without names is refused" bad --roster "1: there is no column with the name" 'id,mail\n17,a@b.c\n'
claim "a person with only a name is refused" bad --roster "3: this person needs an id" 'id,name\n17,Ann\n,Bob\n'
claim "a short row is named" bad --roster "3: has 1 cells, but the header has 2" 'id,name\n17,Ann\n18\n'

# ---- extensions ---------------------------------------------------------------------------------

e=$work/extensions
for name in 17 18 20 22; do folder_of "$e/$name"; done
cat >"$work/times.csv" <<'END'
id,time
17,2026-11-03T11:00
18,2026-11-03T11:00
20,2026-11-03T11:00
22,2026-10-03T11:00
END
cat >"$work/extensions.csv" <<'END'
person,lab,days,until,reason
sam1@example.org,1,1,,ill
18,,,2026-11-30,"military service, ""long"""
END
extended() {
    grade "$e" "$book" --seed 5 --due 2026-11-01T12:00Z --penalty 10 --times "$work/times.csv" --extensions "$work/extensions.csv" --sure >"$work/said" || return 1
    cat "$work/said"
    grep -q "extensions.csv: 2 extensions$" "$work/said" && row "$book" '"sam1@example.org",90,1,.*"1 day late: 100 → 90","17",$' &&
        row "$book" '"sam2@example.org",100,0,' && row "$book" '"kim@example.org",80,2,.*"2 days late: 100 → 80"'
}
claim "extensions move the deadline of one person" extended
partner_late() { row "$book" '^"Lee.*,80,2,.*"2 days late: 100 → 80; handed in by Kim Ek","19","red"$'; }
claim "a late hand-in of a group is late for each partner" partner_late
stay() { grade "$e" "$book" --seed 5 >/dev/null && row "$book" '"sam1@example.org",90,1,'; }
claim "they stay without being given again" stay
claim "an extension of a stranger is refused" bad --extensions "2: zoe is not on the roster" 'person,days\nzoe,3\n'
claim "days and until exclude each other" bad --extensions "2: give either days or until" 'person,days,until\n17,3,2026-11-30\n'
claim "a bad number of days is refused" bad --extensions "2: '3d' is not a number of days" 'person,days\n17,3d\n'
claim "an ambiguous name is refused" bad --extensions "2: 'Sam Smith' may be any of 2 people" 'person,days\nSam Smith,3\n'
claim "an extension for a lab that does not exist is refused" bad --extensions "2: '12' is not a lab from 1 to 11" 'person,lab,days\n17,12,3\n'
claim "two extensions for one lab are refused" bad --extensions "3: this person has two extensions" 'person,days\n17,3\n17,4\n'

not_shorter() { # the class's deadline has moved beyond an extension
    cp "$book" "$work/moved.db" && printf 'person,lab,until\n18,1,2026-11-02\n' >"$work/early.csv"
    grade "$e" "$work/moved.db" --seed 5 --due 2026-11-05T12:00Z --extensions "$work/early.csv" >/dev/null && row "$work/moved.db" '"sam2@example.org",100,0,'
}
claim "an extension never makes a deadline earlier" not_shorter

slices() { # two machines, one after the other, and one for all
    sed -n '1p;3,$p' "$work/roster.csv" | tr -d '\r' >"$work/few.csv" # 17 is a stranger
    set -- --seed 5 --roster "$work/few.csv" --due 2026-11-01T12:00Z --penalty 10 --times "$work/times18.csv" --sure
    printf 'id,time\n18,2026-11-03T11:00\n20,2026-11-03T11:00\n' >"$work/times18.csv"
    printf 'id,days\n20,1\n' >"$work/ext20.csv"
    grade "$e" "$work/whole.db" "$@" --extensions "$work/ext20.csv" >/dev/null || return 1
    for i in 1 2; do
        grade "$e" "$work/slice$i.db" "$@" --extensions "$work/ext20.csv" --slice $i/2 --batch b >/dev/null || return 1
    done
    by_hand collect --db "$work/both.db" "$work/slice1.db" "$work/slice2.db" || return 1
    report "$work/whole.db" --csv "$work/whole.csv" && report "$work/both.db" --csv "$work/both.csv" &&
        grep -q '"kim@example.org",90,1,' "$work/both.csv" && grep -q '"Bo Never"' "$work/both.csv" && diff "$work/whole.csv" "$work/both.csv"
}
claim "slices keep roster, groups, times and extensions" slices

# ---- by hand --------------------------------------------------------------------------------------

claim "a mark is set by hand" said "^Kim Ek, lab 1: 91.5 points, set by hand$" by_hand set 20 --db "$book" --lab 1 --points 91.5 --reason "oral exam"
claim "it counts" row "$book" '"kim@example.org",91.5,0,91.5,100,"set by hand: 80 → 91.5: oral exam'
claim "not for the partner" row "$book" '"jo@example.org",80,2,80,'
regraded() { grade "$e" "$book" --seed 6 --again >/dev/null && row "$book" '"kim@example.org",91.5,0,91.5,100,'; }
claim "it stays when the class is judged again" regraded
claim "a comment keeps the mark" said "^Kim Ek, lab 1: 91.5 points, set by hand$" by_hand set kim@example.org --db "$book" --lab 1 --comment "well explained" --reason "oral exam"
commented() {
    report "$book" --feedback "$work/feedback" >/dev/null
    cat "$work"/feedback/Kim*.txt | head -n 6
    grep -q "^  Your instructor has set this mark by hand\.$" "$work"/feedback/Kim*.txt && grep -q "^  Comment: well explained$" "$work"/feedback/Kim*.txt &&
        grep -q "^Kim Ek: 91.5 of 100 points" "$work"/feedback/Kim*.txt && ! grep -q "oral exam" "$work"/feedback/Kim*
}
claim "the student reads the comment, and not the reason" commented
claim "grade show has the history" said "lab 1, comment \"well explained\": oral exam$" by_hand show kim@example.org --db "$book"
for line in "^Kim Ek, id 20, group red$" "^Lab 1: 91.5 of 100 points, set by hand$" "^  as judged: 2 days late: 100 → 80 (handed in 2026-11-03 11:00 UTC; due 2026-11-01 12:00 UTC)$" \
    "1.3 attention_scores .* pass$" "lab 1, 91.5 points: oral exam$" "given 2026-11-03 11:00 UTC"; do
    claim "grade show says $line" grep -q -- "$line" "$work/said"
done
claim "and extensions" said "^  all labs, until 2026-11-30 23:59 UTC: military service, \"long\"$" by_hand show sam2@example.org --db "$book"
claim "and whom one helped" grep -q "^  not late, with an extension (handed in 2026-11-03 11:00 UTC; due 2026-11-30 23:59 UTC, not 2026-11-01 12:00 UTC)$" "$work/said"
named() {
    grade "$s" "$work/named.db" --seed 5 >/dev/null &&
        said "1.3 attention_scores .* wrong: the scores are not divided by sqrt(d)$" by_hand show "Sam Smith" --db "$work/named.db"
}
claim "a mistake is named as in the feedback" named
shows_files() { # what counts first, then what does not; a refused hand-in has no seed
    mkdir -p "$work/shown/many" "$work/shown/torn" && folder_of "$work/shown/many" && echo mine >"$work/shown/many/notes.txt" &&
        echo nothing >"$work/shown/torn/lab1.zip" && grade "$work/shown" "$work/shown.db" --seed 5 >/dev/null 2>&1
    by_hand show many --db "$work/shown.db" >"$work/said" && cat "$work/said" &&
        grep -q "^  run 1: taken: 01_simple_attention/attention.c; does not count: notes.txt" "$work/said" &&
        grep -q "^  from run 1, cases of seed 5$" "$work/said" || return 1
    by_hand show torn --db "$work/shown.db" >"$work/said" && cat "$work/said" && grep -qx "  from run 1" "$work/said" &&
        grep -q "^  run 1: refused: " "$work/said"
}
claim "grade show names the files that count, and no seed of a refused hand-in" shows_files
claim "--clear brings the judged mark back" said "^Kim Ek, lab 1: 80 points$" by_hand set 20 --db "$book" --lab 1 --clear --reason "wrong person"
absent() { said "^Bo Never, lab 1: 50 points, set by hand$" by_hand set 21 --db "$book" --lab 1 --points 50 --reason exam && row "$book" '"bo@example.org",50,0,50,100,'; }
claim "who has handed in nothing can get a mark" absent
refused() { # WANTED COMMAND...
    wanted=$1
    shift
    exits 2 "$@" 2>"$work/said" && grep -q "$wanted" "$work/said"
}
claim "without a reason nothing is set" refused "set needs a --reason" by_hand set 20 --db "$book" --lab 1 --points 3
claim "an ambiguous name is asked about" refused "'Sam Smith' may be any of several people: Sam Smith (17), Sam Smith (18); say which by an id" by_hand set "Sam Smith" --db "$book" --lab 1 --points 3 --reason x
claim "an unknown name is refused" refused "nobody in $book is called 'zoe'$" by_hand show zoe --db "$book"
claim "with the one who has such a name" refused "nobody in $book is called 'dee'; there is Cy Dee$" by_hand show dee --db "$book"
claim "or nearly that name" refused "nobody in $book is called 'nevr'; there is Bo Never$" by_hand show nevr --db "$book"
claim "or all of them" refused "nobody in $book is called 'smi'; there are Sam Smith (17), Sam Smith (18)" by_hand show smi --db "$book"
claim "also to set a mark" refused "nobody in $book is called 'Deee'; there is Cy Dee$" \
    by_hand set Deee --db "$book" --lab 1 --points 1 --reason x

# ---- undo -----------------------------------------------------------------------------------------

undone() {
    grade "$r" "$work/undo.db" --seed 5 >/dev/null && cp -R "$r" "$work/wrong" && cp "$noscale" "$work/wrong/19/01_simple_attention/attention.c" &&
        grade "$work/wrong" "$work/undo.db" --seed 5 >/dev/null && has "$work/undo.db" 19 80 || return 1
    by_hand undo --db "$work/undo.db" | tee "$work/said"
    grep -q "^run 2  .* lab 1, seed 5, 4 hand-ins  $work/wrong$" "$work/said" || return 1
    by_hand undo 2 --db "$work/undo.db" && has "$work/undo.db" 19 100 && by_hand undo --db "$work/undo.db" | grep "^run 2 .*, undone" &&
        by_hand undo 2 --redo --db "$work/undo.db" && has "$work/undo.db" 19 80
}
claim "grade undo takes a run back, and brings it back" undone
hidden_runs() {
    GRADE_HIDDEN_SEED=91 grade "$r" "$work/undo.db" --seed 5 >/dev/null && by_hand undo --db "$work/undo.db" >"$work/said"
    cat "$work/said"
    grep -q "^run 3  .* lab 1, seed 5, hidden cases, 4 hand-ins  $r$" "$work/said" && [ "$(grep -c hidden "$work/said")" = 1 ]
}
claim "a run with hidden cases says so" hidden_runs
rest_is_listed() {
    by_hand undo --db "$work/undo.db" >"$work/said"
    cat "$work/said"
    ! grep "not part of a run" "$work/said" || return 1
    printf 'person,lab,days,until,reason\n19,1,3,,ill\n' >"$work/three-days.csv"
    cp "$work/undo.db" "$work/rest.db"
    grade "$r" "$work/rest.db" --seed 5 --due 2026-05-04 --extensions "$work/three-days.csv" >/dev/null &&
        by_hand set 19 --db "$work/rest.db" --lab 1 --points 3 --reason x >/dev/null && by_hand set 19 --db "$work/rest.db" --lab 1 --clear --reason y >/dev/null
    by_hand undo --db "$work/rest.db" >"$work/said"
    cat "$work/said"
    grep -qx "not part of a run, so undo leaves them: 1 deadline, 1 extension, 2 changes by hand (grade show prints those of one person)" "$work/said"
}
claim "the list ends with what undo leaves" rest_is_listed
claim "a run that does not exist is refused" refused "has no run 9" by_hand undo 9 --db "$work/undo.db"
claim "a run is not undone twice" refused "counts already" by_hand undo 2 --redo --db "$work/undo.db"
exit $status
