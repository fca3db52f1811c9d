#!/bin/sh
# first.sh - runs the first build under one line that says so, with a counter on a terminal.
#
#   grader/tools/first.sh 'the grader of lab 1' make --no-print-directory needs-check
#
# An empty name: a later build, which only compiles what has changed. It says so if that takes long.
# Hides make's lines "compile x", "link x" and "x is up to date"; everything else is shown, warnings and errors too.
# Into a file, a long build writes a line after each fifth of its steps. The exit status is the command's.
set -u
what=$1
shift

# Often there is nothing to do. Then one make finds that out, instead of two.
if plan=$("$@" -n 2>/dev/null) && ! printf '%s\n' "$plan" | grep -qvxE ':?|.*: Nothing to be done for .*|.* is up to date\.'; then
    exit 0
fi
total=$(printf '%s\n' "$plan" | grep -c "^echo '  [cl]")
counter='' fifth=0
if [ "$total" -gt 0 ]; then
    steps="$total step$([ "$total" -eq 1 ] || echo s)"
    if [ -n "$what" ]; then
        echo "building $what; this happens once ($steps)"
    elif [ "$total" -gt 9 ]; then
        echo "compiling what has changed ($steps)"
    fi
    if [ -t 1 ]; then
        counter=yes
    elif [ "$total" -ge 100 ]; then
        fifth=$(((total + 4) / 5))
    fi
fi

{ "$@" || echo "first.sh: status $?"; } | {
    done=0 status=0
    while IFS= read -r line; do
        case $line in
        '  compile  '* | '  link     '*)
            done=$((done + 1))
            [ -z "$counter" ] || printf '\r  %d of %d' "$done" "$total"
            [ "$fifth" -eq 0 ] || [ $((done % fifth)) -ne 0 ] || echo "  $done of $total"
            ;;
        *': Nothing to be done for '* | *' is up to date.') ;;
        'first.sh: status '*) status=${line##* } ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
    [ -z "$counter" ] || printf '\r                    \r'
    exit "$status"
}
