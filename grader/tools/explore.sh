#!/bin/sh
# explore.sh - runs a lab's explore program, which contains a student's code and may
# crash. If a function that it needs is not written yet, names the one that is missing.
#
#   grader/tools/explore.sh build/explore/labs/03 DATADIR
set -u
cd "$(dirname "$0")/../.."

mkdir -p "$2" || exit 1
err=$(mktemp) && out=$(mktemp) || exit 1
trap 'rm -f "$err" "$out"' EXIT
src=${1#*/explore/}
lab=$(basename labs/"${1##*/}"_*)
src=${src%/*}

# Without the sections that have only a heading, and without explore_need's "(the rest needs ...)" where
# it follows nothing: it belongs below a table that has no rows.
filled_sections() {
    awk '
        { lonely = before == ""; before = $0 }
        /^    \(the rest needs .*\)$/ && (lonely || held != "") { held = ""; dropped = 1; next }
        dropped && $0 == "" { dropped = 0; next }
        { dropped = 0 }
        { heading = /^[0-9]+\. /; line = /^--+$/ && held != "" }
        heading { held = "" }
        heading || held != "" && (line || $0 == "") { held = held $0 "\n"; next }
        { printf "%s", held; held = ""; print }
    ' "$out"
}

# Where functions are to be written, the list of them comes first, so the output waits for the end.
if grep -qs 'return lab_todo(' "$src/$lab"/*.c; then
    waits=yes
    "$1" "$2" 2>"$err" >"$out"
else
    waits=
    "$1" "$2" 2>"$err"
fi
status=$?
todo=': not written yet; ' # several parts may need the same function
awk -v todo="$todo" '!index($0, todo) && !seen[$0]++' "$err" >&2
awk -v todo="$todo" 'index($0, todo) && !seen[$0]++' "$err" | sort -s -t . -k 1,1n -k 2,2n >&2
# "9.2 attention_decode: not written yet; ..." may be written and call another that is not.
waiting=$(sed -n 's/^[0-9.]* \([a-z_0-9]*\): not written yet.*/\1/p' "$err" | tr '\n' ' ')
awk -v functions="$waiting" -v lab="$lab" -f grader/tools/unwritten.awk "$src"/[0-9]*/*.c |
    awk '$1 != $3 && !seen[$2]++ { print $1 " calls " $2 " " $3 ", which is not written yet: make check EX=" $2 }' >&2
if [ $status -gt 128 ]; then
    lab=${1##*/}
    echo "$1: ended by signal $((status - 128)); make check LAB=${lab#0} says where" >&2
fi
[ -z "$waits" ] || { [ ! -s "$err" ] || echo; filled_sections; }
exit $status
