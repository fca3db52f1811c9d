#!/bin/sh
# test_class_times.sh - when a hand-in was made: by the platform's clock, by a commit's, or only
# by the times of its files, and what each of them costs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
export TZ=UTC
due="--due 2026-11-01T12:00Z --penalty 10"

says() { # PATTERN COMMAND...: the command's output has the line
    pattern=$1
    shift
    "$@" >"$work/said" 2>&1
    cat "$work/said"
    grep -q -- "$pattern" "$work/said"
}
note() { # DB NAME: from the table
    report "$1" --csv "$work/notes.csv" >/dev/null 2>&1
    tr -d '\r' <"$work/notes.csv" | sed -n "s/^\"$2\",.*,\"\([^\"]*\)\"$/\1/p"
}
is() { # WANTED GOT
    [ "$1" = "$2" ] || {
        echo "got '$2', expected '$1'"
        return 1
    }
}

# ---- a clone ----------------------------------------------------------------------------------

if command -v git >/dev/null; then
    mkdir "$work/home"
    export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
    commit() { # FOLDER AUTHORED COMMITTED: everything
        git -C "$1" add -A &&
            GIT_AUTHOR_DATE=$2 GIT_COMMITTER_DATE=$3 git -C "$1" -c user.name=A -c user.email=a@b -c commit.gpgsign=false \
                commit -qm work
    }
    clone() { # NAME FILE AUTHORED COMMITTED
        folder_of "$g/$1/labs" "$2" && git -c init.defaultBranch=main init -q "$g/$1" && commit "$g/$1" "$3" "$4"
    }
    g=$work/clones
    mkdir "$g"
    clone early $solution 2026-10-30T10:00Z 2026-10-30T10:00Z
    clone early2 $solution 2026-11-01T12:00Z 2026-11-01T12:00Z
    clone late "$noscale" 2026-10-31T09:00Z 2026-11-02T12:30Z
    # A later commit that does not touch the lab.
    echo hello >"$g/early/notes.txt" && commit "$g/early" 2026-11-09T10:00Z 2026-11-09T10:00Z
    # As a clone has them: in one pack.
    git -C "$g/early" gc -q && git -C "$g/late" gc -q
    db=$work/clones.db
    claim "a late commit is named on the terminal, with author and committer" says \
        "late: 80 of 100 points; 2 days late: 80 → 64 (committed 2026-11-02 12:30 UTC, authored 2026-10-31 09:00 UTC; due 2026-11-01 12:00 UTC)" \
        grade "$g" "$db" --seed 5 $due
    claim "a commit before the deadline is in time, whenever it was cloned" has "$db" early 100
    claim "the deadline's second is in time" has "$db" early2 100
    claim "a commit after the deadline costs points" has "$db" late 64
    claim "the table's note has the lateness" is "2 days late: 80 → 64" "$(note "$db" late)"
    report "$db" --feedback "$work/feedback" >/dev/null
    claim "so has the feedback" grep -q "^  2 days late: 80 → 64 (committed 2026-11-02 12:30 UTC, authored" "$work"/feedback/late-*.txt
    claim "grade report without options says it, too" says "^late  *lab 1: 64 of 100 (2 days late: 80 → 64)" report "$db"

    printf 'person,time\nlate,2026-10-30T10:00\n' >"$work/before.csv"
    given() { grade "$g" "$work/given.db" --seed 5 $due --times "$work/before.csv" && has "$work/given.db" late 80; }
    claim "a time that is given counts before the commit's" given
    edited() { # a file that is not what was committed
        cp -R "$g" "$work/edited" && echo "// more" >>"$work/edited/early/labs/01_simple_attention/attention.c"
        grade "$work/edited" "$work/edited.db" --seed 5 $due >"$work/said"
        cat "$work/said"
        grep -q "lab 1: for 1 hand-in only the files' times are known" "$work/said"
    }
    claim "a file that differs from its commit has no commit's time" edited
    hostile() { # configuration that would start a program, and a repository in pieces
        cp -R "$g" "$work/hostile"
        for key in "core.fsmonitor" "core.sshCommand" "core.pager" "core.hooksPath" "gpg.program" "filter.x.clean" "filter.x.process"; do
            git -C "$work/hostile/early" config "$key" "touch $work/started"
        done
        echo '*.c filter=x' >"$work/hostile/early/.gitattributes"
        printf '[include]\n\tpath = /dev/zero\n' >>"$work/hostile/late/.git/config"
        rm -rf "$work/hostile/early2/.git/objects"
        exits 0 timeout 60 "$work/build/grade-class" class "$work/hostile" --db "$work/hostile.db" --lab 1 --trust --seed 5 $due </dev/null &&
            [ ! -e "$work/started" ] && has "$work/hostile.db" early 100 && has "$work/hostile.db" early2 100
    }
    claim "a repository starts no program, and a broken one costs nothing" hostile
    piped() { # a pipe that nobody writes to
        mkdir "$work/piped" && cp -R "$g/early" "$g/late" "$work/piped" &&
            rm "$work/piped/late/.git/config" && mkfifo "$work/piped/late/.git/config" &&
            exits 0 timeout 120 "$work/build/grade-class" class "$work/piped" --db "$work/piped.db" --lab 1 --trust --seed 5 $due </dev/null &&
            has "$work/piped.db" early 100 && has "$work/piped.db" late 80
    }
    claim "a pipe in a repository does not stop the run" piped
    elsewhere() { # .git may not be a link to another student's
        mkdir -p "$work/links" && folder_of "$work/links/thief/labs" && ln -s "$g/early/.git" "$work/links/thief/.git"
        says "lab 1: for 1 hand-in only the files' times are known" grade "$work/links" "$work/links.db" --seed 5 $due
    }
    claim "a link to another repository is not read" elsewhere
else
    echo "ok - clones # SKIP git is not installed"
fi

# ---- files only ---------------------------------------------------------------------------------

f=$work/files
for name in ann bob cleo dan; do
    folder_of "$f/$name" "$noscale"
    touch -d 2026-10-30T10:00Z "$f/$name"/*/*
done
touch -d 2026-10-30T14:00Z "$f/bob"/*/*
touch -d 2026-10-30T18:00Z "$f/cleo"/*/*
touch -d 2026-11-02T10:00Z "$f/dan"/*/*
db=$work/files.db
claim "where only files' times are known, it is said" says \
    "^lab 1: for 4 hand-ins only the files' times are known\. Copying changes these, so they cost no points\." \
    grade "$f" "$db" --seed 5 $due
claim "and costs nothing" has "$db" dan 80
claim "but the note says it" is "1 day late by the time of its files, not charged" "$(note "$db" dan)"
charged() {
    grade "$f" "$db" --seed 5 $due --file-times charge && has "$db" dan 72 && has "$db" ann 80
}
claim "--file-times charge charges it" charged
stays() { # until it is said otherwise
    grade "$f" "$db" --seed 5 && has "$db" dan 72 && grade "$f" "$db" --seed 5 --file-times ignore && has "$db" dan 80
}
claim "--file-times stays until it is changed" stays

# ---- --times ------------------------------------------------------------------------------------

printf '\357\273\277Person;Time;Lab\r\n"ann";"2026-11-04 11:00";1\r\nbob;2026-10-31T10:00Z;1\r\ndan;;\r\nzoe;2026-10-31T10:00Z;1\r\n' >"$work/times.csv"
db=$work/times.db
claim "a person in --times without a hand-in is named" says "times.csv, line 5: no hand-in of zoe, 1 here\|times.csv, line 5: no hand-in of zoe here" \
    grade "$f" "$db" --seed 5 $due --times "$work/times.csv"
claim "--times counts before everything else" has "$db" ann 56
claim "its note has the lateness" is "3 days late: 80 → 56" "$(note "$db" ann)"
keeps() {
    grade "$f" "$db" --seed 5 >/dev/null && has "$db" ann 56 || return 1
    cp -R "$f" "$work/newer" && echo "// another hand-in" >>"$work/newer/ann/01_simple_attention/attention.c"
    grade "$work/newer" "$db" --seed 5 >/dev/null && has "$db" ann 80
}
claim "a later run keeps the times of the same files, and of no others" keeps
moodle="Thursday, 5 November 2026, 1:05 PM"
cat >"$work/worksheet.csv" <<END
Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed","Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 900","Sam Smith",sam1@example.org,"Submitted for grading",,100,Yes,"$moodle",-,
"Participant 901","Sam Smith",sam2@example.org,"Submitted for grading",,100,Yes,"31 October 2026, 13:05",-,
"Participant 902","Kim Ek",kim@example.org,"No submission",,100,Yes,-,-,
END
m=$work/moodle
for one in "Sam Smith_900" "Sam Smith_901"; do
    mkdir -p "$m/${one}_assignsubmission_file_" && cp $solution "$m/${one}_assignsubmission_file_/attention.c"
done
worksheet() {
    grade "$m" "$work/moodle.db" --seed 5 $due --times "$work/worksheet.csv" &&
        has "$work/moodle.db" "Sam Smith (900)" 50 && has "$work/moodle.db" "Sam Smith (901)" 100
}
claim "Moodle's grading worksheet gives times, to the person of two with one name" worksheet
cat >"$work/classroom.csv" <<'END'
"assignment_name","roster_identifier","github_username","submission_timestamp","person"
"lab1","","octo-ann","2026-11-03T11:00:00Z","ann"
END
claim "GitHub Classroom's table is read" says "ann: 80 of 100 points; 2 days late: 80 → 64" \
    grade "$f" "$work/github.db" --seed 5 $due --times "$work/classroom.csv"
bad() { # WANTED CONTENT
    printf "$2" >"$work/bad.csv"
    rm -f "$work/bad.db"*
    exits 2 grade "$f" "$work/bad.db" --seed 5 $due --times "$work/bad.csv" >"$work/said" 2>&1 && grep -q "bad.csv.*$1" "$work/said" &&
        [ "$("$work/book" query "$work/bad.db" "SELECT count(*) FROM run")" = 0 ] || { cat "$work/said"; return 1; }
}
claim "a bad time is named with its line" bad "line 3: 'yesterday' is not a time" 'person,time\nann,2026-10-01T10:00\nbob,yesterday\n'
claim "a date alone is no time" bad "line 2: '2026-10-01' is not a time" 'person,time\nann,2026-10-01\n'
claim "a missing column is named" bad "there is no column with the time" 'person,when\nann,2026-10-01T10:00\n'
claim "a table without people is refused" bad "there is no column that names the person" 'what,time\nann,2026-10-01T10:00\n'
claim "a row of another length is named" bad "line 2: has 3 cells, but the header has 2" 'person,time\nann,2026-10-01T10:00,x\n'
claim "an open quote is named" bad "line 2: a quoted cell has no closing quote" 'person,time\n"ann,2026-10-01T10:00\n'
claim "UTF-16 is named" bad "is UTF-16" '\377\376p\000e\000'
claim "Latin-1 is named with its line" bad "line 2: is not UTF-8" 'person,time\nJ\366rg,2026-10-01T10:00\n'
claim "an empty table is refused" bad "the first line must name the columns" ''

# ---- questions ----------------------------------------------------------------------------------

q=$work/questions.db
for name in ann bob cleo dan; do echo "$name,2026-11-03T1${#name}:00Z"; done | sed '1i person,time' >"$work/late.csv"
asked() {
    grade "$f" "$q" --seed 5 --due 2026-11-09T12:00Z --penalty 10 >/dev/null || return 1
    exits 2 grade "$f" "$q" --seed 6 $due --times "$work/late.csv" >"$work/said" 2>&1 || return 1
    cat "$work/said"
    grep -q "^grade: lab 1: 4 of 4 hand-ins are late. Is the deadline right (2026-11-01 12:00 UTC)?$" "$work/said" &&
        [ "$(grep -c " of 4  " "$work/said")" = 0 ] && has "$q" ann 80
}
claim "if most are late, nothing is judged before that is confirmed" asked
untouched() {
    is "1 1794225600" "$("$work/book" query "$q" "SELECT (SELECT count(*) FROM run) || ' ' || due FROM deadline")"
}
claim "and the gradebook keeps its deadline" untouched
claim "--sure confirms it" says "ann: 80 of 100 points; 3 days late: 80 → 56" grade "$f" "$q" --seed 6 $due --times "$work/late.csv" --sure
claim "it need not be confirmed twice" exits 0 grade "$f" "$q" --seed 5
printf 'person,time\nann,2026-10-20T10:00:00\nbob,2026-10-20T10:00:01\ncleo,2026-10-20T10:00:02\ndan,2026-10-20T10:00:09\n' >"$work/same.csv"
claim "hand-ins that were all made within seconds are questioned" says \
    "lab 1: all 4 hand-ins were made within 9 seconds of 2026-10-20 10:00 UTC. Is that when they were copied?" \
    exits 2 grade "$f" "$work/same.db" --seed 5 $due --times "$work/same.csv"
unzipped() { # all files have the time of the download, a week after the deadline
    cp -R "$f" "$work/unzipped" && touch -d 2026-11-08T10:00Z "$work/unzipped"/*/*/*
    exits 2 grade "$work/unzipped" "$work/unzipped.db" --seed 5 $due --file-times charge >"$work/said" 2>&1 &&
        grep -q "4 of 4 hand-ins are late" "$work/said"
}
claim "files that were unzipped after the deadline are questioned" unzipped

# ---- two times of one person ----------------------------------------------------------------------

printf 'person,time,lab\nann,2026-10-20T10:00:00Z,1\nbob,2026-10-21T11:00:01Z,\nann,2026-11-03T10:00:00Z,1\n' >"$work/twice.csv"
twice() { # and nothing is judged
    exits 2 grade "$f" "$work/twice.db" --seed 5 --times "$work/twice.csv" >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    [ $code = 0 ] && grep "^grade: $work/twice.csv, line 4: line 2 has another time of ann; delete one of them$" "$work/said" &&
        [ "$("$work/book" query "$work/twice.db" "SELECT count(*) FROM run")" = 0 ]
}
claim "two times of one person are refused with both lines" twice
printf 'person,time,lab\nann,2026-10-20T10:00:00Z,1\nann,2026-10-20T10:00:00Z,\nann,2026-11-03T10:00:00Z,2\n' >"$work/same-twice.csv"
claim "the same time again, and that of another lab, are not" exits 0 grade "$f" "$work/twice.db" --seed 5 --times "$work/same-twice.csv"

# ---- the clocks change --------------------------------------------------------------------------

clocks() { # a day of 25 hours, between the deadline and the times
    printf 'person,time\nann,2026-10-25 23:30:00\nbob,2026-10-26 00:00:00\ncleo,2026-10-27 23:59:30\n' >"$work/clocks.csv"
    printf 'person,lab,days\ncleo,1,3\n' >"$work/clocks-extensions.csv"
    TZ=Europe/Berlin grade "$f" "$work/clocks.db" --seed 5 --due 2026-10-24T23:59 --penalty 10 --times "$work/clocks.csv" --extensions "$work/clocks-extensions.csv" --sure >"$work/said" 2>&1
    cat "$work/said"
    grep -q "  ann: .*; 1 day late: " "$work/said" && grep -q "  bob: .*; 2 days late: " "$work/said" && ! grep -q "  cleo: .* late: " "$work/said"
}
claim "a day on which the clocks change ends at the same time, also of an extension" clocks

# ---- another lab's table ------------------------------------------------------------------------

lab_2() { # DB OPTION...
    db=$1
    shift
    "$work/build/grade-class" class "$f" --db "$db" --trust --seed 5 --lab 2 --due 2026-11-08T12:00Z --penalty 10 "$@" </dev/null
}
runs() { "$work/book" query "$1" "SELECT count(*) FROM run"; }
w=$work/weeks.db
printf 'person,time\nann,2026-10-20T10:00:00Z\nbob,2026-10-21T11:00:01Z\ncleo,2026-10-22T12:00:02Z\ndan,2026-10-23T13:00:09Z\n' >"$work/week.csv"
printf 'person,time,lab\nann,2026-10-20T10:00:00Z,1\nbob,2026-10-21T11:00:01Z,Lab 1\ncleo,,2\n' >"$work/column.csv"
printf 'assignment_name,submission_timestamp,person\nlab-1,2026-11-03T11:00:00Z,ann\n' >"$work/github.csv"
cp "$work/week.csv" "$work/Grades-CS Lab Course-Lab 1-4711.csv"
cp "$work/week.csv" "$work/Grades-Collab 1-lab_02-4711.csv"
last_week() {
    grade "$f" "$w" --seed 5 $due --times "$work/week.csv" || return 1
    says "^grade: 4 of the 4 times in .*/week.csv are those of lab 1. Is it the table of lab 1?$" lab_2 "$w" --times "$work/week.csv" &&
        grep "nothing was judged. If all is right, add --sure" "$work/said" && is 1 "$(runs "$w")"
}
claim "last week's times are questioned" last_week
claim "the same times again, for the same lab, are not" exits 0 grade "$f" "$w" --seed 5 $due --times "$work/week.csv"
claim "times of another lab by the table's column are refused" \
    says "^grade: .*/column.csv has times of lab 1, and none of a lab that is graded here$" lab_2 "$w" --times "$work/column.csv"
claim "by GitHub's assignment" says "^grade: .*/github.csv, line 2: 'lab-1' is lab 1, and this run is about lab 2; if all is right, add --sure$" \
    lab_2 "$w" --times "$work/github.csv"
claim "by the file's name" \
    says "^grade: .*/Grades-CS Lab Course-Lab 1-4711.csv is named like the table of lab 1, and this run is about lab 2; rename it if that is wrong$" \
    lab_2 "$w" --times "$work/Grades-CS Lab Course-Lab 1-4711.csv"
numbered_differently() { # a course may count its labs in another way
    lab_2 "$work/other.db" --times "$work/github.csv" --sure && lab_2 "$work/other.db" --times "$work/Grades-CS Lab Course-Lab 1-4711.csv" --sure
}
claim "and nothing was judged" is 2 "$(runs "$w")"
claim "--sure accepts a course with other numbers" exits 0 numbered_differently
claim "--sure accepts last week's times" exits 0 lab_2 "$w" --times "$work/week.csv" --sure
hinted() { # FILE: a name that may not be meant so is asked about, and the run goes on
    cp "$work/elsewhere.csv" "$work/$1" && lab_2 "$work/hint-$1.db" --times "$work/$1" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
    cat "$work/said"
    grep -q "times of 4 hand-ins$" "$work/said"
}
printf 'person,time\nann,2026-11-03T10:00:00Z\nbob,2026-11-03T11:00:01Z\ncleo,2026-11-04T12:00:02Z\ndan,2026-11-05T13:00:09Z\n' >"$work/elsewhere.csv"
asked() { hinted "$1" && grep -q "^Is .*/$1 the table of lab $2? This run is about lab 2$" "$work/said"; }
silent() { hinted "$1" && ! grep "the table of" "$work/said"; }
claim "a name that may only look like another lab's is asked about" asked "ai-lab 7 room.csv" 7
claim "a lab that the workbook does not have is no other lab" silent "lab 13.csv"
claim "nor is one in an assignment's name" silent "Grades-CS-Lab 12-4711.csv"
claim "a name with this lab is accepted" exits 0 lab_2 "$work/second.db" --times "$work/Grades-Collab 1-lab_02-4711.csv"
exit $status
