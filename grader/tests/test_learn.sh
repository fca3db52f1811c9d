#!/bin/sh
# test_learn.sh - make learn and make watch, on a real pseudo-terminal (grader/tests/learn/terminal.c).
# Nothing sleeps: each step waits for a text.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8 TERM=xterm ASAN_OPTIONS=verify_asan_link_order=0
unset NO_COLOR MAKEFLAGS MFLAGS MAKELEVEL LAB EX SRC
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/learn.XXXXXX") || exit 1
mine=$work/mine
progress=$B/progress/$(echo "$mine" | tr / _)
trap 'tmux -S "$work/tmux" kill-server 2>/dev/null; rm -rf "$work" "$progress" "$B/unit$mine" "$B/unit/obj$mine"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
lab=01_simple_attention
file=$mine/$lab/attention.c
terminal=$PWD/$B/box/terminal

# on_terminal COMMAND...: obeys the script on standard input
on_terminal() { timeout 900 "$terminal" "$work/transcript" "$@"; }
learn() { on_terminal "$B/learn" --build "$B" --src "$mine" "$@"; }
# So wide that the place and the name of an exercise are in one line, whatever folder the test is in.
learn_wide() { on_terminal sh -c 'stty cols 300; exec "$0" "$@"' "$B/learn" --build "$B" --src "$mine" "$@"; }

# The student's folder: skeletons; and lab 1 with one mistake, and without.
mkdir -p "$mine"
cp -r labs/$lab labs/02_batching "$mine"
grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale "$work/wrong" >/dev/null
wrong=$work/wrong/$lab/attention.c
softmax=$work/softmax/$lab/attention.c two=$work/two/$lab/attention.c
grader/tools/transplant.sh grader/tests/submissions/wrong/1.4-softmax_rows.c@columns "$work/softmax" >/dev/null
grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale \
    grader/tests/submissions/wrong/1.4-softmax_rows.c@columns "$work/two" >/dev/null
todo() { awk -v id="TODO $1" 'index($0, id ":") { print FNR; exit }' "$file"; }

opens() {
    learn_wide <<END2
expect next: $file:$(todo 1.1)  1.1 Matrix product
expect done 0 of 84:  1 -  2 -
expect q quit
send h
expect hint 1 of 3
expect q quit
absent more: make hint
send d
expect (that is the whole report
expect q quit
send h
expect hint 2 of 3
expect q quit
send h
expect hint 3 of 3
expect (this was the last hint)
expect q quit
send l
expect > · 1.1   Matrix product
expect Batching
expect q quit
send s
expect Press s again
expect q quit
send s
expect ---- the workbook's
absent ---- yours
expect q quit
send s
expect Press s again
expect q quit
send q
end 0
END2
}
claim "it opens at the first exercise, gives three hints, and shows the solution when asked twice" opens

quits_quietly() { tr -d '\r' <"$work/transcript" | awk '/^done / { said = NR } /q quit$/ { last = NR } END { exit !last || said > last }'; }
claim "q does not repeat the progress that stands above" quits_quietly

no_todo() {
    learn --exercise 1.2 <<END2
expect q quit
send s
expect Press s again
expect q quit
send s
expect double sum = bias
absent (about 10 lines)
expect q quit
send q
end 0
END2
}
claim "the solution is shown without the skeleton's TODO" no_todo

saves() {
    learn <<END2
expect q quit
run cp '$wrong' '$file'
expect 15/15
expect 1.1 passes. s shows the workbook's version.
expect 1.3 Scores does not pass
expect (press n)
expect done 5 of 84:  1 5/6
expect q quit
send s
expect ---- yours
expect ---- the workbook's
expect q quit
send n
expect the scores are not divided by sqrt(d)
expect next: $file:
expect 1.3 Scores
expect q quit
send d
expect expected
expect first difference
expect q quit
run cp solutions/$lab/attention.c '$work/new.c' && mv '$work/new.c' '$file'
expect 20/20
expect 1.3 passes.
expect Question 1, how far scores spread (press a to answer):
expect What is the standard deviation
expect Lab 1 is done: all 6 exercises pass.
expect comes next
expect done 6 of 84:  1 ✓  2 -
expect q quit
send n
expect next: $mine/02_batching/batching.c:
expect 2.1 One product by BLAS
expect q quit
send q
end 0
END2
}
claim "a save is judged, also by rename; only n goes on; the end of the lab says what comes next" saves
narrow() { # the lines of its own have at most 80 columns
    tr -d '\r' <"$work/transcript" | sed 's/✓/v/g' | grep -E '^(done|n next|Question|1\.)|^  (you|comes)' >"$work/lines"
    [ -s "$work/lines" ] && ! grep -E '.{81}' "$work/lines"
}
claim "its lines fit 80 columns" narrow

breaks() { # a save at 1.3 breaks 1.1
    learn_wide --exercise 1.3 <<END2
expect q quit
run cp '$work/broken/$lab/attention.c' '$file'
expect 1.3 passes.
expect 1.1 Matrix product does not pass
expect next: $file:
expect 1.1 Matrix product (press n)
expect q quit
send n
expect judging 1.1
expect q quit
send n
expect judging 2.1
expect q quit
run cp solutions/$lab/attention.c '$file'
send b
expect judging 1.1
expect q quit
send q
end 0
END2
}
grader/tools/transplant.sh grader/tests/submissions/wrong/1.1-matmul.c@zeros-of-a-left-out "$work/broken" >/dev/null
claim "after a pass, next: is an earlier exercise that broke; from there n goes on" breaks

# The last transcript without colors, a character a byte.
shown() { tr -d '\r' <"$work/transcript" | sed "s/$(printf '\033')\[[0-9;]*[A-Za-z]//g; s/✓/v/g; s/✗/x/g; s/·/./g; s/±/+/g; s/’/'/g"; }
no_wide_line() { ! shown | grep -v '^next: ' | LC_ALL=C grep -nE '.{81}'; } # the path is this test's own
fits() { # the report and the hints, on a terminal of 80 columns and 24 lines
    cp "$wrong" "$file"
    learn --exercise 1.3 <<END2
expect not divided
expect (d shows the numbers)
expect first difference
absent expected |
expect too peaked.
expect read: labs/$lab/README.md
expect q quit
send d
expect expected |
expect 0 |  -1.5000
expect q quit
send h
expect hint 1 of 3
expect q quit
send h
expect hint 2 of 3
expect q quit
send q
end 0
END2
}
claim "a report that does not fit 24 lines leaves its numbers to d" fits
claim "no line of a report or a hint is wider than 80 columns" no_wide_line
rows_are_whole() { shown | grep -F '1 |  -5.5000    0.0000   -1.0000 | -11.0000*   0.0000   -2.0000*'; }
claim "rows of numbers are not broken" rows_are_whole

# The solutions of labs 1 and 2 have lines of up to 94 columns.
mkdir -p "$work/given"
cp -r solutions/$lab "$work/given"
prints_code() { # COLUMNS
    on_terminal sh -c "stty cols $1; exec '$B/learn' --build '$B' --src '$work/given' --exercise 1.1" <<END2
expect q quit
send s
expect lab_status matmul_nt(
expect lab_status matmul_nt(
expect next:
expect q quit
send q
end 0
END2
}
# Without blanks and line ends, the code that SIDE selects is the solution's: nothing is cut off.
whole_code() { # SIDE
    sed -n '/^lab_status matmul_nt(/,/^}/{ /SOLUTION 1.1/d; p; }' solutions/$lab/attention.c >"$work/code"
    [ "$(wc -L <"$work/code")" -gt 80 ] &&
        shown | sed -n "/---- .*the workbook's/,/^next:/p" | sed "$1" | tr -d ' \n' | grep -qF "$(tr -d ' \n' <"$work/code")"
}
claim "s prints code" prints_code 80
claim "no line of it is wider than 80 columns" no_wide_line
claim "nothing of it is cut off" whole_code ''
claim "s prints code side by side" prints_code 150
claim "nothing of the left side is cut off" whole_code 's/ | .*//'
claim "nothing of the right side is cut off" whole_code 's/.* | //'

# The first row of this string ends within it, so the comma in its second row is no place to break.
string_in_rows() {
    shown | grep -qF 'sixteen seventeen eighteen, nineteen'
}
sed -i '/^lab_status matmul_nt(/,/^{/s/^{/{\n    (void)sizeof "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen, nineteen twenty";/' \
    "$work/given/$lab/attention.c"
claim "s prints a long string" prints_code 80
claim "a row within a string does not end at its comma" string_in_rows

to_the_failure() { # 1.1 has two functions; the second is not written, and the first is wrong
    cp labs/$lab/attention.c "$file"
    line=$(grep -n '^lab_status matmul(' "$file" | cut -d : -f 1)
    wrong_line=$(todo 1.1)
    learn_wide --exercise 1.1 <<END2
expect next: $file:$wrong_line  1.1
expect q quit
run sed -i '${wrong_line}s/.*/    out[0] += a[0] * b[0]/; $((wrong_line + 1))s/.*/    return LAB_OK;/' '$file'
expect does not compile
expect next: $file:$wrong_line  1.1
expect q quit
run sed -i '${wrong_line}s/\$/;/' '$file'
expect 1.1  matmul
expect next: $file:$line  1.1
expect q quit
run sed -i '${wrong_line}s/.*/    out[M * N + 1000] = a[0] * b[0];/' '$file'
expect crash
expect next: $file:$wrong_line  1.1
expect q quit
send q
end 0
END2
}
claim "next: leads to the compiler's error, to the wrong function, and to the line of a crash" to_the_failure

examples_and_pictures() {
    cp "$wrong" "$file"
    learn --exercise 1.3 <<END2
expect q quit
send r
expect \$ make unit EX=1.3
expect examples fail
expect q quit
absent make: ***
send p
expect \$ make plot LAB=1
expect 1.3 does not pass yet
expect Where three tokens look
expect attention.png .svg
expect q quit
send a
expect \$ make ask LAB=1 Q=1
expect how far scores spread
expect your prediction
send 8\r
expect Not quite
send 1\r
expect Right.
expect q quit
run cp solutions/$lab/attention.c '$file'
expect 1.3 passes.
expect q quit
send q
end 0
END2
}
claim "r runs the examples, p draws, a asks the section's question" examples_and_pictures

in_tmux() {
    cp "$wrong" "$file"
    on_terminal tmux -S "$work/tmux" -f /dev/null new-session \
        "env ASAN_OPTIONS=$ASAN_OPTIONS '$PWD/$B/learn' --build '$B' --src '$mine' --exercise 1.3" <<END2
expect (d shows the numbers)
expect next: $file:
expect q quit
send h
expect hint 1 of 3
expect q quit
send l
expect 1.3   Scores
expect q quit
run cp solutions/$lab/attention.c '$file'
expect 20/20
expect 1.3 passes.
expect q quit
send s
expect (float)(dot * scale)
expect q quit
send q
end 0
END2
}
if command -v tmux >/dev/null; then
    claim "in tmux keys and saves work the same" in_tmux
else
    echo "ok - in tmux keys and saves work the same # SKIP tmux is not installed"
fi

remembers() {
    learn <<END2
expect next: $mine/02_batching/batching.c:
expect done 6 of 84
expect q quit
send a
expect $ make ask LAB=2
expect question
absent compile
send \004
expect q quit
send q
end 0
END2
}
claim "the next start remembers what passed" remembers

judges_again() { # edited since then: 1.3 is wrong again
    cp "$wrong" "$file"
    learn <<END2
expect the scores are not divided by sqrt(d)
expect done 5 of 84:  1 5/6
expect q quit
send q
end 0
END2
}
claim "a lab that was edited in the meantime is judged again" judges_again

# The solution of a function of 1.1 below its comment TODO, which many people leave there.
write_below_comment() { # NAME
    awk -v name="$1" '
        index($0, "lab_status " name "(") { inside = 1 }
        inside && /END SOLUTION/ { exit }
        part { print }
        inside && /BEGIN SOLUTION/ { part = 1 }' solutions/$lab/attention.c >"$work/body"
    awk -v name="$1" -v body="$work/body" '
        index($0, "lab_status " name "(") { inside = 1 }
        inside && /return lab_todo/ {
            while ((getline line <body) > 0) { print line }
            inside = 0
            next
        }
        { print }' "$file" >"$work/new.c" && mv "$work/new.c" "$file"
}
opens_at() { # NEXT DONE
    rm -f "$progress"
    learn_wide <<END2
expect next: $file:$1
expect done $2 of 84
expect q quit
send q
end 0
END2
}
keeps_the_comments() {
    cp labs/$lab/attention.c "$file"
    write_below_comment matmul
    opens_at "$(grep -n 'TODO 1.1' "$file" | sed -n '2s/:.*//p')  1.1 Matrix product" 0 || return 1
    write_below_comment matmul_nt
    opens_at "$(todo 1.2)  1.2 " 1
}
claim "a comment TODO above finished code is no task: it opens at the next one" keeps_the_comments

sees_other_exercises() { # 1.1 gets done while the window is at 1.2
    cp "$file" "$work/done11.c"
    cp labs/$lab/attention.c "$file"
    rm -f "$progress"
    learn <<END2
expect 1.1 Matrix product
expect q quit
send n
expect 1.2 
expect q quit
send b
expect 1.1 Matrix product
expect q quit
send b
expect Every exercise before 1.1 passes.
expect q quit
send n
expect 1.2 
expect q quit
run cp '$work/done11.c' '$file'
expect 1.1 Matrix product passes now.
expect done 1 of 84:  1 1/6
expect q quit
run cp labs/$lab/attention.c '$file'
expect 1.1 Matrix product does not pass any more.
expect done 0 of 84
expect q quit
send q
end 0
END2
}
claim "a save that changes another exercise judges that, too; b goes back" sees_other_exercises

# ---- a file that does not compile, and other exercises -----------------------------------------------

passes_two() { # 1.1 and 1.2 are done, 1.3 is not
    cp labs/$lab/attention.c "$file"
    for function in matmul matmul_nt linear; do write_below_comment $function; done
    rm -f "$progress"
    cp "$file" "$work/two.c"
}
stray() { sed '/^lab_status attention_scores(/,/^}/s/^{/{\n    foo();/' "$work/two.c" >"$file"; } # at 1.3
keeps_passes() {
    passes_two
    learn <<END2 || return 1
expect next: $file:
expect 1.3 Scores
expect done 2 of 84:  1 2/6
expect q quit
run sed '/^lab_status linear/,/^}/s/^{/{\\n    foo();/' '$work/two.c' >'$file'
expect does not compile
expect done 2 of 84:  1 2/6
absent any more
expect q quit
send q
end 0
END2
    cp "$work/two.c" "$file"
    learn --watch --exercise 1.3 <<END2
expect done 2 of 84:  1 2/6
absent passes now
expect q quit
run cp labs/$lab/attention.c '$file'
expect 1.1 Matrix product does not pass any more.
expect done 0 of 84
expect q quit
send q
end 0
END2
}
claim "a file that does not compile keeps what passed; without it, the whole lab is judged again" keeps_passes

keeps_recorded() { # it starts twice on a file that does not compile
    passes_two
    learn <<END2 || return 1
expect done 2 of 84:  1 2/6
expect q quit
send q
end 0
END2
    stray
    for start in '' '' '--exercise 1.4'; do
        learn $start <<END2 || return 1
expect does not compile
expect done 2 of 84:  1 2/6
absent any more
expect q quit
send q
end 0
END2
    done
    cp labs/$lab/attention.c "$file"
    learn <<END2
expect done 0 of 84:  1 -
expect q quit
send q
end 0
END2
}
claim "a start on a file that does not compile keeps the recorded passes" keeps_recorded

names_the_error() { # at 1.4, the error is in 1.3
    passes_two
    stray
    learn_wide --exercise 1.4 <<END2
expect does not compile
expect next: $file:$(grep -n 'foo()' "$file" | cut -d : -f 1)  1.3 Scores
expect q quit
send q
end 0
END2
}
claim "next: names the exercise that holds the compiler's error" names_the_error

in_the_macro() { # at 1.6, a missing ; before a LAB_TRY, and a wrong name within one
    rm -f "$progress"
    try=$(grep -n 'LAB_TRY(linear(v' solutions/$lab/attention.c | cut -d : -f 1)
    for change in 's/;$//' 's/x, w_v/y, w_v/'; do
        sed "$try$change" solutions/$lab/attention.c >"$file"
        learn_wide --exercise 1.6 <<END2 || return 1
expect does not compile
expect next: $file:$try  1.6 
expect q quit
send q
end 0
END2
        learn --watch --exercise 1.6 <<END2 || return 1
expect next: $file:$try
expect q quit
send q
end 0
END2
    done
    rm -f "$progress"
}
claim "next: names the student's line, not the macro's" in_the_macro

mentions_others() { # at 1.4, a try at 1.3; at 1.1, which passes, the same
    passes_two
    sed '/^lab_status attention_scores(/,/^}/s/return lab_todo.*/scores[0] = 0; return LAB_OK;/' "$work/two.c" >"$work/try.c"
    sed 's/scores\[0\] = 0/scores[0] = 1/' "$work/try.c" >"$work/try2.c"
    learn --exercise 1.4 <<END2 || return 1
expect q quit
run cp '$work/try.c' '$file'
expect 1.3 Scores does not pass.
expect   wrong: 
expect q quit
run cp '$work/try2.c' '$file'
expect 1.3 Scores does not pass.
expect q quit
send b
expect judging 1.3
expect q quit
send q
end 0
END2
    cp "$work/two.c" "$file"
    learn --exercise 1.1 <<END2
expect q quit
run cp '$work/try.c' '$file'
expect 1.1 passes.
expect 1.3 Scores does not pass.
expect   wrong: 
expect q quit
send q
end 0
END2
}
claim "a failing attempt at another exercise is reported with its verdict" mentions_others
cp "$wrong" "$file"

polls() {
    learn --exercise 1.3 --poll <<END2
expect looks for changes every 0.15 s, without inotify (as asked)
expect q quit
run cp solutions/$lab/attention.c '$file'
expect 1.3 passes.
expect q quit
send q
end 0
END2
}
claim "--poll sees saves, and says so" polls

cat >"$work/none.c" <<'END2'
#include <errno.h>
int inotify_init1(int flags) { (void)flags; errno = EMFILE; return -1; }
END2
without_inotify() {
    ${CC:-gcc} -shared -fPIC -o "$work/none.so" "$work/none.c" || return 1
    on_terminal env LD_PRELOAD="$work/none.so" "$B/learn" --build "$B" --src "$mine" --exercise 1.3 <<END2
expect without inotify (inotify does not work here)
expect q quit
run cp '$wrong' '$file'
expect not divided by sqrt(d)
expect q quit
send q
end 0
END2
}
claim "where inotify does not work it looks several times a second, and says so" without_inotify

plain() {
    on_terminal env "$@" "$B/learn" --build "$B" --src "$mine" --exercise 1.3 <<END2 &&
expect not divided by sqrt(d)
expect q quit
send q
end 0
END2
        ! grep "$(printf '\033')\[[0-9]*m" "$work/transcript"
}
claim "NO_COLOR prints no colors" plain NO_COLOR=1
claim "TERM=dumb prints no colors" plain TERM=dumb
no_escapes() { ! grep -q "$(printf '\033')" "$work/transcript"; }
claim "TERM=dumb prints no escapes at all" no_escapes

restores() {
    on_terminal sh -c 'trap : INT; old=$(stty -g); "$@"; echo "status $?"; [ "$(stty -g)" = "$old" ] && echo as before' sh \
        "$B/learn" --build "$B" --src "$mine" --exercise 1.3 <<END2
expect q quit
send $1
expect status 0
expect as before
end 0
END2
}
claim "q leaves the terminal as it was" restores q
claim "Ctrl-C leaves the terminal as it was" restores '\003'

watches() {
    on_terminal make --no-print-directory SETUP=skip B="$B" watch LAB=1 SRC="$mine" <<END2
expect (d shows the whole lab)
expect diagnosis: the scores are not divided by sqrt(d)
expect 80 of 100 points
expect next: $file:
expect q quit
send d
expect 1.1  matmul
expect 1.6  simple_attention
expect expected |
expect q quit
run cp solutions/$lab/attention.c '$file'
expect 100 of 100 points
expect 1.3 passes.
expect Lab 1 is done
expect q quit
run cp '$two' '$file'
expect 55 of 100 points
expect q quit
run cp '$softmax' '$file'
expect 75 of 100 points
expect 1.3 Scores passes now.
expect next: $file:
expect q quit
send q
end 0
END2
}
claim "make watch LAB=1 judges the whole lab at each save" watches

# make and the recipe's shell get Ctrl-C as well as the program.
ends_quietly() { # TEXT TARGET WORD...: Ctrl-C after TEXT, and make prints nothing about it
    text=$1
    shift
    on_terminal make --no-print-directory SETUP=skip B="$B" "$@" <<END2 &&
expect $text
send \003
end 130
END2
        ! grep -a 'make.*\*\*\*' "$work/transcript"
}
claim "Ctrl-C in make learn prints nothing about make" ends_quietly "q quit" learn LAB=1 SRC="$mine"
claim "nor in make watch" ends_quietly "q quit" watch LAB=1 SRC="$mine"
claim "nor in make ask" ends_quietly "q quits" ask LAB=1 SRC=solutions
claim "nor in make train" ends_quietly "steps/s" train SRC=solutions ARGS='--steps 10000000'

other_lab() { # make passes LAB=1 on in the environment
    on_terminal env LAB=1 "$B/learn" --build "$B" --src "$mine" --exercise 2.1 <<END2
expect q quit
send r
expect make unit EX=2.1
expect functions that are not written yet
expect q quit
send q
end 0
END2
}
claim "after make learn LAB=1, r runs the examples of lab 2, too" other_lab

no_terminal() { # an exercise, or a whole lab
    # shellcheck disable=SC2086
    echo | "$B/learn" --build "$B" --src "$mine" --watch --lab 1 ${1:+--exercise $1} >"$work/said" 2>&1 &
    pid=$!
    timeout 300 sh -c 'until grep -q "Ctrl-C stops" "$1"; do kill -0 "$2" || exit 1; done' sh "$work/said" $pid
    kill -TERM $pid
    wait $pid && cat "$work/said" && grep -q '20/20' "$work/said"
}
claim "without a terminal make watch takes no keys, and judges" no_terminal 1.3
offers_no_keys() { cp "solutions/$lab/attention.c" "$file" && no_terminal '' && ! grep -nE "press|^  p shows|[. (][sd] shows" "$work/said" && grep "(make ask LAB=1 Q=" "$work/said"; }
claim "and offers none" offers_no_keys

pipe_for_keys() { # the report is on a terminal, but keys would come from a file
    on_terminal sh -c 'exec "$0" --build "$1" --src "$2" --watch --lab 1 </dev/null' "$B/learn" "$B" "$mine" <<END2 || return
expect 1.6  simple_attention
expect expected |
expect 80 of 100 points
expect Ctrl-C stops
send \003
end 0
END2
    shown | tee "$work/said" && ! grep -nE "press|[. (][sd] shows" "$work/said"
}
whole_without_keys() { cp "$wrong" "$file" && pipe_for_keys; }
claim "if keys cannot come from the terminal, the report on it is whole" whole_without_keys

needs_terminal() {
    for input in /dev/null "$file"; do
        timeout 60 "$B/learn" --build "$B" --src "$mine" <"$input" >"$work/said" 2>&1
        [ $? -eq 2 ] && grep "^learn: needs a terminal" "$work/said" && [ "$(wc -l <"$work/said")" -eq 2 ] || return 1
    done
}
claim "make learn without a terminal says that it needs one" needs_terminal

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
