#!/bin/sh
# test_learn_screen.sh - what make learn and make watch print fits 80 columns and 24 lines; their command lines.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/learn/workspace.sh

# ---- a copy without solutions, with a pretended grader ----------------------------------------

copy=$work/copy
mkdir -p "$copy/labs/$lab" "$copy/grader/skeletons/$lab" "$copy/build" "$copy/pretend"
cp grader/points.txt "$copy/grader"
cp labs/$lab/attention.c labs/$lab/README.md labs/$lab/questions.txt "$copy/labs/$lab"
cp labs/$lab/attention.c "$copy/grader/skeletons/$lab"
printf '#!/bin/sh\nexit 0\n' >"$copy/pretend/make"
cat >"$copy/build/grade" <<'END2'
#!/bin/sh
# Every exercise passes. check --src labs --exercise 1.1 --json FILE
while [ $# -gt 1 ]; do
    [ "$1" != --json ] || echo '{"tests": [{"number": "1.1", "extra_data": {"verdict": "pass"}}]}' >"$2"
    shift
done
echo 'as pretended'
END2
chmod +x "$copy/pretend/make" "$copy/build/grade"
archive() {
    program=$PWD/$B/learn
    (cd "$copy" && PATH="$copy/pretend:$PATH" on_terminal "$program" --lab 1 <<END2
expect as pretended
expect 1.1 passes.
expect (press n)
absent workbook's version
expect q quit
send s
expect This copy has no solutions; your instructor has them.
expect q quit
send q
end 0
END2
    )
}
claim "in the student archive, s says that there are no solutions" archive

# The same copy, and the report of a grader for a lab in which 1.3 fails, as 80 columns show it.
grade_of_copy() {
    program=$PWD/$B/grade
    cp "$wrong" "$copy/labs/$lab"
    (cd "$copy" && GRADE_COLUMNS=80 "$program" check --src labs --lab 1 --color >report)
    cat >"$copy/build/grade" <<'END2'
#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" != --json ] || for id in 1.1 1.2 1.3 1.4 1.5 1.6; do
        [ $id = 1.3 ] && verdict=wrong || verdict=pass
        echo "{\"number\": \"$id\", \"extra_data\": {\"verdict\": \"$verdict\"}}"
    done | awk '{ all = all (NR > 1 ? ", " : "") $0 } END { print "{\"tests\": [" all "]}" }' >"$2"
    shift
done
cat report
END2
}
watches_in_24_lines() {
    grade_of_copy
    program=$PWD/$B/learn
    (cd "$copy" && PATH="$copy/pretend:$PATH" on_terminal "$program" --watch --lab 1 <<END2
expect 1.3
expect (d shows the whole lab)
expect diagnosis: the scores are not divided by sqrt(d)
expect 80 of 100 points
expect next: labs/$lab/attention.c:
expect q quit
send q
end 0
END2
    )
}
claim "make watch shows the failure of a lab that does not fit" watches_in_24_lines
# From the place where the screen is cleared to the keys; the cursor is in the line below.
lines_of_screen() { tr -d '\r' <"$work/transcript" | awk 'index($0, "[2J") { n = 0; seen = 1 } { n++ } seen && /q quit/ { print n; exit }'; }
screen_fits() { wc -l "$copy/report" && lines_of_screen && [ "$(wc -l <"$copy/report")" -gt 30 ] && [ "$(lines_of_screen)" -le 23 ] && ! shown | LC_ALL=C grep -nE '.{81}'; }
claim "in 24 lines of 80 columns" screen_fits

# Lab 2, with a long report on 2.5 that shows tensors of three axes.
grader/tools/transplant.sh grader/tests/submissions/wrong/2.5-batched_attention.c@first-keys "$work/long" >/dev/null
cp -r labs/02_batching "$copy/labs"
cp "$work/long/02_batching/batching.c" "$copy/labs/02_batching"
cat >"$copy/build/grade" <<'END2'
#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" != --json ] || awk 'BEGIN { printf "{\"tests\": [" }
        $1 ~ /^2\.[0-9]$/ { printf "%s{\"number\": \"%s\", \"extra_data\": {\"verdict\": \"%s\"}}", n++ ? ", " : "", $1, $1 == "2.5" ? "wrong" : "pass" }
        END { print "]}" }' grader/points.txt >"$2"
    shift
done
cat report
END2
watches_long() { # ROWS COLUMNS
    program=$PWD/$B
    (cd "$copy" && GRADE_COLUMNS=$2 "$program/grade" check --src labs --lab 2 --color >report
    PATH="$copy/pretend:$PATH" on_terminal sh -c "stty rows $1 cols $2; exec '$program/learn' --watch --lab 2" <<END2
expect q quit
send q
end 0
END2
    )
}
# The rows that the last screen takes, up to the keys, in this number of columns.
rows_of_screen() {
    shown | awk -v columns="$1" '/^judging lab/ { n = 0; next } { n += length > columns ? int((length + columns - 1) / columns) : 1 } /q quit/ { print n; exit }'
}
long_fits() { # ROWS COLUMNS
    watches_long "$1" "$2"
    shown
    rows_of_screen "$2"
    [ "$(rows_of_screen "$2")" -lt "$1" ] && shown | grep -q "^Lab 2  Batching" && shown | grep -q "^  x 2.5  batched_attention" &&
        shown | grep -qF "(d shows the whole lab)" && shown | grep -q "^2.5 batched_attention  wrong" &&
        ! shown | grep -q "the matrix\|(rows \|^ *x (B T C)"
}
for size in "24 80" "10 80" "16 40" "24 40"; do
    # shellcheck disable=SC2086
    claim "a long failure fits, too: rows and columns $size" long_fits $size
done
the_failure_begins() { watches_long 24 80; shown | grep -F "batched_attention(B=2, T=3, C=1)" && shown | grep -F "75 of 100 points  seed 1"; }
claim "24 rows have room for the call and the points" the_failure_begins

# ---- the foot at 80 columns, with the real names of labs ------------------------------------------

# A grader for which every exercise passes except 10.4, and except the first of each lab if PART is set.
named=$work/named
mkdir -p "$named/labs" "$named/grader" "$named/build"
for folder in labs/[0-9]*; do
    mkdir -p "$named/$folder" "$named/grader/skeletons/${folder#labs/}"
    cp "$folder"/*.c "$folder/README.md" "$folder/questions.txt" "$named/$folder"
    cp "$folder"/*.c "$named/grader/skeletons/${folder#labs/}"
done
cp grader/points.txt "$named/grader"
cp README.md "$named"
cat >"$named/build/grade" <<'END2'
#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" != --json ] || awk -v part="$PART" 'BEGIN { printf "{\"tests\": [" }
        $1 ~ /^[0-9]+\.[0-9]+$/ {
            todo = $1 == "10.4" || part != "" && $1 ~ /\.1$/
            printf "%s{\"number\": \"%s\", \"extra_data\": {\"verdict\": \"%s\"}}", n++ ? ", " : "", $1, todo ? "todo" : "pass"
        }
        END { print "]}" }' grader/points.txt >"$2"
    shift
done
echo 'as pretended'
END2
chmod +x "$named/build/grade"
foot() { # the line that is expected before the keys
    program=$PWD/$B/learn
    (cd "$named" && PATH="$copy/pretend:$PATH" on_terminal env PART="$1" "$program" --exercise 10.3 <<END2
expect as pretended
expect next: labs/10_flash_attention/backward.c:
expect 10.4 The backward pass without the weights (press n)
expect $2
expect q quit
send q
end 0
END2
    )
}
no_wide_foot() { ! shown | LC_ALL=C grep -nE '.{81}'; }
claim "the place of 10.4 and its name" foot '' 'done 83 of 84:  1 ✓  2 ✓'
claim "they fit 80 columns" no_wide_foot
claim "progress in every lab" foot some '1 ~  2 ~  3 ~  4 ~  5 ~  6 ~  7 ~  8 ~  9 ~  10 4/6  11 ~'
claim "it fits 80 columns" no_wide_foot

# ---- the help of any program, at 80 columns ---------------------------------------------------------

helps() { # PROGRAM...
    for program; do
        on_terminal "$program" --help <<END2 || return
expect --help
end 0
END2
        no_wide_foot || return
    done
}
claim "the help of every program fits 80 columns" helps "$B/grade" "$B/attnmap" "$B/learn" "$B/ask"

# ---- the command line -------------------------------------------------------------------------

refuses() { # TEXT COMMAND...
    text=$1
    shift
    "$@" >"$work/said" 2>&1
    [ $? -eq 2 ] && cat "$work/said" && [ "$(wc -l <"$work/said")" -eq 1 ] && grep -q "$text" "$work/said"
}
claim "an unknown lab is refused" refuses "there is no lab 77: the labs are 1 to 11" "$B/learn" --build "$B" --lab 77
claim "an unknown exercise is refused" refuses "there is no exercise 1.77: lab 1 has 1.1 to 1.6" "$B/learn" --build "$B" --exercise 1.77
claim "another folder is refused" refuses "in the folder of the workbook" sh -c 'cd /tmp && "$1"' sh "$PWD/$B/learn"
claim "--help lists the keys" sh -c '"$1" --help | grep -q "n next exercise"' sh "$B/learn"

exit $status
