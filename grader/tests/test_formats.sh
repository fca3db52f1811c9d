#!/bin/sh
# test_formats.sh - the reports for other programs have the formats that these read, and reveal
# nothing about hidden cases.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/formats.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
unset GRADE_HIDDEN_SEED

exits() { # CODE COMMAND...
    expected=$1
    shift
    "$@" >"$work/said" 2>&1
    code=$?
    [ $code -eq "$expected" ] || {
        cat "$work/said"
        echo "exit status $code, expected $expected"
        return 1
    }
}
check() { "$B/grade" check "$@" </dev/null; }

# A submission with a right, a wrong, an unwritten, a crashing and a hostile function.
mixed=$work/mixed
grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale \
    grader/tests/submissions/wrong/1.4-softmax_rows.c@no-max "$mixed"
cp -R solutions/02_batching "$mixed/"
file=$mixed/01_simple_attention/attention.c
awk '/BEGIN SOLUTION 1.1 matmul:/ || /BEGIN SOLUTION 1.1 matmul /  {
        print "    puts(\"</failure>]]>&<script>\\033[31m\\\"\\377\"); *(volatile int *)0 = 1;" }
     { print }' "$file" >"$file.new" && { echo '#include <stdio.h>'; cat "$file.new"; } >"$file"
rm "$file.new"

# ---- JUnit ----------------------------------------------------------------------------------

if command -v xmllint >/dev/null; then
    valid() { xmllint --noout --nonet --schema grader/report/junit.xsd "$1"; }
    claim "a mixed submission is judged" exits 1 check --src "$mixed" --junit "$work/mixed.xml" --json "$work/mixed.json"
    claim "its JUnit XML is valid" valid "$work/mixed.xml"
    for count in tests failures errors; do
        claim "its number of $count is right" test "$(xmllint --xpath "sum(//testsuite/@$count)" "$work/mixed.xml")" = \
            "$(xmllint --xpath "count(//$(case $count in tests) echo testcase ;; failures) echo failure ;; errors) echo error ;; esac))" "$work/mixed.xml")"
    done
    sed 's/type="wrong"/type="nonsense"/' "$work/mixed.xml" >"$work/spoiled.xml"
    claim "the schema refuses an unknown type" sh -c "! xmllint --noout --nonet --schema grader/report/junit.xsd '$work/spoiled.xml'"
else
    echo "ok - JUnit XML is valid # SKIP xmllint is not installed (libxml2-utils)"
fi

# ---- Autolab, Classroom 50 ------------------------------------------------------------------

check --src "$mixed" --lab 2 --autolab >"$work/autolab" 2>&1
claim "Autolab's scores are on the last line" test "$(tail -n 1 "$work/autolab")" = '{"scores":{"Lab 2":100}}'
classroom50() {
    CLASSROOM=spring ASSIGNMENT='lab "2"' SUBMISSION_TAG=submit/1 COMMIT_URL=https://example.org/c \
        RELEASE_URL=https://example.org/r check --src "$mixed" --lab 1 --classroom50 "$work/c50.json" >"$work/said"
    code=$?
    cat "$work/c50.json"
    for part in '"schema":	"classroom50/result/v1"' '"classroom":	"spring"' '"assignment":	"lab \"2\""' \
        '"submission":	"submit/1"' '"commit":	"https://example.org/c"' '"review":	"https://example.org/c"' \
        '"max-score":	100' '"test-name":	"1.3 attention_scores"' '"passed":	false'; do
        grep -qF "$part" "$work/c50.json" || { echo "no $part"; return 1; }
    done
    [ $code -eq 0 ]
}
claim "Classroom 50's result has all fields, and grading ends with status 0" classroom50
dump() {
    check --src "$mixed" --exercise 1.3 --dump "$work/call.safetensors" >"$work/said"
    [ $? -eq 1 ] && head -c 1000 "$work/call.safetensors" | tr -d '\0' | grep -q '"scores.got"'
}
claim "--dump writes the tensors of the reported call" dump

# ---- hidden cases ---------------------------------------------------------------------------

# A function that is right in all calls but one, which depends on the numbers. It prints its
# inputs.
secret() { # K, the action in that call (default: wrong numbers)
    does=${2:-}
    # 4242.5 is not in the file: the gradebook keeps the files.
    [ -n "$does" ] || does='for (size_t i = 0; i < T * S; i++) { scores[i] = 4243.5f - 1.0f; } return LAB_OK;'
    mkdir -p "$work/secret/01_simple_attention"
    {
        echo '#include <stdio.h>'
        echo '#include <string.h>'
        awk -v k="$1" -v does="$does" '/BEGIN SOLUTION 1.3 attention_scores/ {
            print "    unsigned leak = 0;"
            print "    if (T * d > 0) { memcpy(&leak, q, sizeof leak); }"
            print "    printf(\"leak %u\\n\", leak);"
            print "    if (T * S > 0 && (leak / 7) % 131 == " k ") { " does " }"
        } { print }' solutions/01_simple_attention/attention.c
    } >"$work/secret/01_simple_attention/attention.c"
}
passes() { check --src "$work/secret" "$@" >"$work/said" 2>&1; }
# Looks for a k and a seed such that the cases of seed 1 pass and those of the other seed do
# not.
k=0
secret $k
until passes --lab 1 --seed 1 || [ $k -ge 40 ]; do
    k=$((k + 1))
    secret $k
done
hidden=50
while passes --exercise 1.3 --seed $hidden && [ $hidden -lt 90 ]; do hidden=$((hidden + 1)); done
claim "seed and function are found for which only the hidden case fails" sh -c "[ $k -lt 40 ] && [ $hidden -lt 90 ]"
check --src "$work/secret" --exercise 1.3 --seed $hidden >"$work/open"
claim "without --hidden-seed the report shows the wrong value" grep -q "4242.5" "$work/open"
# More digits of the time could be any number, the hidden one, too.
milliseconds() { check --src solutions --exercise 1.3 --json "$work/time.json" && grep -Eq '"execution_time":	[0-9]+([.][0-9]{1,3})?,$' "$work/time.json"; }
claim "JSON gives the time in whole milliseconds" milliseconds
hides() {
    "$@" --src "$work/secret" --exercise 1.3 --json "$work/h.json" --junit "$work/h.xml" --classroom50 "$work/h.c50" \
        --autolab --hint 3 --dump "$work/h.safetensors" >"$work/h.text" 2>&1
    grep -q "on hidden cases" "$work/h.text" && grep -q '"hidden":	true' "$work/h.json" &&
        grep -q '"passed":	false' "$work/h.c50" && grep -q '"score":	0' "$work/h.json" || { cat "$work/h.text"; return 1; }
    ! grep -l "4242\|leak\|\"call\"\|T=\|seed $hidden\|\"$hidden\"" "$work"/h.text "$work"/h.json "$work"/h.xml "$work"/h.c50 &&
        ! [ -e "$work/h.safetensors" ]
}
claim "a hidden failure costs the mark, and no report shows more than that" hides "$B/grade" check --hidden-seed $hidden
# The student chooses how a hidden call fails. This choice must not show in the report, since it
# could reveal the inputs.
one_bit() {
    for way in wrong 'abort();' 'for (;;) { fflush(stdout); }' 'char *all = malloc(1); for (size_t n = 1; all; n += n) { all = realloc(all, n); memset(all, 1, n); }' \
        'return LAB_TODO;' 'return LAB_OK;' 'for (;;) { puts("0123456789012345678901234567890123456789"); }'; do
        [ "$way" = wrong ] && secret $k || secret $k "$way"
        sed -i '1i #include <stdlib.h>' "$work/secret/01_simple_attention/attention.c"
        passes --exercise 1.3 || { cat "$work/said"; return 1; }
        hides "$B/grade" check --hidden-seed $hidden || return 1
        for report in text json xml c50; do
            # Remove the time of the shown cases, and the date.
            sed 's/, [0-9.]* s$//; /"execution_time"/d; s/ time="[^"]*"//g; /"datetime"/d' "$work/h.$report" >"$work/bare.$report"
            [ "$way" != wrong ] || cp "$work/bare.$report" "$work/one.$report"
            diff "$work/one.$report" "$work/bare.$report" || { echo "$way"; return 1; }
        done
    done
    secret $k
}
claim "every kind of failure on hidden cases gives the same report" one_bit
claim "the hidden seed can come from the environment" hides env GRADE_HIDDEN_SEED=$hidden "$B/grade" check
claim "the solutions pass hidden cases" exits 0 check --src solutions --lab 1 --hidden-seed $hidden
if [ -x "$B/grade-class" ]; then
    class_hides() {
        mkdir "$work/class" && cp -R "$work/secret" "$work/class/eve" && mkdir "$work/class/ada" && cp -R solutions/[0-9]* "$work/class/ada" || return 1
        # The whole gradebook, every page: it contains none of the numbers.
        "$B/grade" class "$work/class" --db "$work/g.db" --lab 1 --trust --hidden-seed $hidden || return 1
        "$B/grade" report --db "$work/g.db" --feedback "$work/fb" --html "$work/class.html" --csv "$work/m.csv" || return 1
        "$B/grade" report --db "$work/g.db" >"$work/lines" && grep -q "seed 1\$" "$work/lines" || return 1
        grep -q "on hidden cases" "$work"/fb/eve-*.txt && grep -q '^"ada","","",100' "$work/m.csv" || return 1
        ! grep -l "4242\|leak\|seed $hidden\|SEED=$hidden" "$work"/fb/* "$work/class.html" "$work/m.csv" "$work/lines" && ! grep -q "4242" "$work/g.db"
    }
    claim "a class's gradebook and feedback show nothing of hidden cases" class_hides
fi

# ---- Gradescope -----------------------------------------------------------------------------

if command -v zip >/dev/null && command -v unzip >/dev/null && [ -x "$B/grade-class" ]; then
    root=$work/autograder
    layout() {
        grader/tools/gradescope.sh "$work/gradescope.zip" 1 5 && mkdir -p "$root/source" "$root/submission" "$root/results" &&
            unzip -q "$work/gradescope.zip" -d "$root/source" || return 1
        # Copies the files that are built from the same sources; make builds the missing ones.
        mkdir "$root/source/workbook/build"
        cp -a build/obj build/lib build/labs build/gen build/flags build/worker $(ls -d build/gpu 2>/dev/null) "$root/source/workbook/build/"
        (unset MAKEFLAGS; AUTOGRADER_ROOT=$root SETUP=skip sh "$root/source/setup.sh")
    }
    claim "the archive unpacks and installs itself at Gradescope's paths" layout
    seed_1() {
        grader/tools/gradescope.sh "$work/other.zip" 1 2>&1 | grep "cases of seed 1, which every student has" &&
            ! grader/tools/gradescope.sh "$work/other.zip" 1 '' 77 2>&1 | grep "cases of seed 1"
    }
    claim "an archive without SEED and HIDDEN: every student has these cases, and the program says so" seed_1
    autograde() { AUTOGRADER_ROOT=$root "$root/source/run_autograder"; }
    result() { # PATTERN: the pattern is in results.json after a run on the files in submission/
        rm -f "$root/results/results.json"
        autograde >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
        cat "$root/results/results.json"
        grep -q "$1" "$root/results/results.json"
    }
    cp solutions/01_simple_attention/attention.c "$root/submission/"
    claim "a single file without folders gets its marks" result '"score":	100'
    claim "it is judged with the given seed" grep -q '"seed":	"5"' "$root/results/results.json"
    rm "$root/submission/attention.c"
    claim "an empty hand-in is not a failure of the grader" result '"score":	0'
    claim "an empty hand-in is reported" grep -q '"output":	"attention.c is missing; nothing else was handed in either."' "$root/results/results.json"
    pathless() { # students see no path of this machine, and the file is still valid JSON
        ! grep -n "build/tmp\|/tree\|/submission\|no regular file" "$root/results/results.json" "$work/said" &&
            python3 -m json.tool "$root/results/results.json" >/dev/null
    }
    named() { # SENTENCE: is at the top, and each test names the missing file
        result "\"output\":	\"$1 A file counts only under its exact name\.\"" && pathless &&
            [ "$(grep -c '"output":	"todo: attention.c is missing' "$root/results/results.json")" = 6 ]
    }
    cp solutions/01_simple_attention/attention.c "$root/submission/Attention.c"
    claim "a wrong file name is reported, without a path of the instructor" named 'attention.c is missing; Attention.c is not it\.'
    : >"$root/submission/lab \"1\" & \\1.rar"
    claim "several wrong names with odd characters are reported" named \
        'attention.c is missing; Attention.c, lab ..1.. & ..1.rar are not it\.'
    rm "$root/submission"/*
    echo "int x = y;" >"$root/submission/attention.c"
    claim "compiler messages use the student's name of the file" result '01_simple_attention/attention.c:1:'
    claim "compiler messages contain no path of the instructor" pathless
    rm "$root/submission/attention.c"
    ln -s /etc/passwd "$root/submission/attention.c"
    claim "a link is refused with an explanation" result \
        '"output":	"attention.c is missing; attention.c (a link; hand in the file itself) is not it.'
    rm "$root/submission/attention.c"
    mkfifo "$root/submission/attention.c"
    claim "a pipe is not called a link" result \
        '"output":	"attention.c is missing; attention.c (not a regular file) is not it.'
    rm "$root/submission/attention.c"
    cp solutions/01_simple_attention/attention.c "$root/submission/"
    # The same machine without a box, then also without Landlock.
    mkdir "$work/real" && cp -p "$root/source/workbook/build/grade" "$work/real/"
    boxless() { # LANDLOCK: a grader that makes no box
        rm -f "$root/source/workbook/build/grade"
        cat >"$root/source/workbook/build/grade" <<END
#!/bin/sh
case " \$* " in
*" --untrusted "*) echo 'grade: no "namespaces" here' >&2; exit 3 ;;
" walls ") echo "Landlock version $1"; exit 1 ;;
" collect "*) exec $root/source/workbook/build/grade-class "\$@" ;;
esac
exec $root/source/workbook/build/real "\$@"
END
        chmod +x "$root/source/workbook/build/grade"
    }
    cp -p "$work/real/grade" "$root/source/workbook/build/real"
    boxless 4
    unboxed() {
        result '"score":	100' && pathless &&
            grep -q '^no box for students. code (no ..namespaces.. here): it runs behind Landlock alone' "$work/said" &&
            grep -q '^	"extra_data":	{"box":	"none: no ."namespaces." here"},$' "$root/results/results.json" &&
            grep -q '^	"stdout_visibility":	"hidden",$' "$root/results/results.json" &&
            ! grep -q '"output":	"[^"]*namespaces' "$root/results/results.json"
    }
    claim "without a box the instructor gets a warning, the student does not" unboxed
    boxless 0
    unwalled() {
        rm -f "$root/results/results.json"
        autograde >"$work/said" 2>&1
        code=$?
        cat "$work/said"
        [ $code -eq 1 ] && grep -q "no Landlock here" "$work/said" && ! [ -e "$root/results/results.json" ]
    }
    claim "without Landlock as well, nothing is graded and nobody has a zero" unwalled
    rm "$root/source/workbook/build/grade" && cp -p "$work/real/grade" "$root/source/workbook/build/grade"
    ours() {
        echo "1.1 nonsense" >"$root/source/workbook/grader/points.txt"
        autograde >"$work/said" 2>&1
        code=$?
        cat "$work/said"
        [ $code -ne 0 ] && ! [ -e "$root/results/results.json" ]
    }
    claim "if the grader fails, no result is written and no mark is overwritten" ours
else
    echo "ok - Gradescope's archive # SKIP zip, unzip or grade-class is not there"
fi

exit $status
