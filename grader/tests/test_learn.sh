#!/bin/sh
# test_learn.sh - make learn through lab 1: keys, saves, what passed, what comes next. More about it:
#
#   test_learn_others.sh     files that do not compile, and other exercises
#   test_learn_terminal.sh   make watch, Ctrl-C, and terminals that lack something
#   test_learn_screen.sh     what fits 80 columns and 24 lines
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/learn/workspace.sh

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

exit $status
