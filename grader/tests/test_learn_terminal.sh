#!/bin/sh
# test_learn_terminal.sh - make watch, Ctrl-C, and terminals and machines that lack something.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/learn/workspace.sh

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

# This compiler never ends, so nothing else happens while Ctrl-C is sent.
printf '#!/bin/sh\necho "it compiles" >&2\nexec tail -f /dev/null\n' >"$work/cc"
chmod +x "$work/cc"
compiles() { # Ctrl-C while the compiler runs
    on_terminal make -j1 --no-print-directory SETUP=skip CC="$work/cc" B="$work/b" "$work/b/lib/libcommon.a" <<END2 &&
expect it compiles
send \003
end 130
END2
        ! grep -a 'make.*\*\*\*' "$work/transcript"
}
claim "nor while make compiles" compiles

# The newest process that watches, without pgrep, which a bare Debian 13 does not have.
watching() {
    for process in /proc/[0-9]*; do
        tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q "learn .*--watch .*--src $mine" &&
            echo "${process#/proc/}"
    done | sort -n | tail -n 1
}

# make passes a signal on to the shell that started build/learn, not to build/learn.
ends_with_make() {
    make --no-print-directory SETUP=skip B="$B" watch LAB=1 EX=1.3 SRC="$mine" </dev/null >"$work/said" 2>&1 &
    pid=$!
    timeout 300 sh -c 'until grep -q "Ctrl-C stops" "$1"; do kill -0 "$2" || exit 1; done' sh "$work/said" $pid || return 1
    learn=$(watching)
    [ -n "$learn" ] || return 1
    kill -TERM $pid
    wait $pid
    timeout 60 sh -c 'while kill -0 "$1" 2>/dev/null; do :; done' sh "$learn" && return
    kill "$learn"
    return 1
}
claim "when make watch is killed, build/learn ends, too" ends_with_make

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

exit $status
