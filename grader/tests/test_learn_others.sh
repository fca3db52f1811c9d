#!/bin/sh
# test_learn_others.sh - make learn keeps what passed while the file does not compile, and reports other exercises.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/learn/workspace.sh

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

exit $status
