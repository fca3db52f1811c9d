# workspace.sh - for the tests of make learn and make watch: a student's folder $mine, and a pseudo-terminal
# (terminal.c). From the root of the workbook:
#
#     . grader/tests/learn/workspace.sh
#
# Nothing sleeps: each step waits for a text.
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

# What stood on the terminal, without colors, one column a character.
shown() { tr -d '\r' <"$work/transcript" | sed "s/$(printf '\033')\[[0-9;]*[A-Za-z]//g; s/✓/v/g; s/✗/x/g; s/·/./g; s/±/+/g; s/’/'/g"; }

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
