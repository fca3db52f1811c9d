#!/bin/sh
# explore.sh - runs a lab's explore program, which contains a student's code and may
# crash. If a function that it needs is not written yet, names the one that is missing.
#
#   grader/tools/explore.sh build/explore/labs/03 DATADIR
#
# Exit status: that of the program: 3 if only unwritten functions stopped it, more than 128 after a crash.
set -u
cd "$(dirname "$0")/../.."

mkdir -p "$2" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
err=$work/err out=$work/out
src=${1#*/explore/}
lab=$(basename labs/"${1##*/}"_*)
src=${src%/*}

# Does this lab or an earlier one have a function that is not written?
has_stubs() {
    for folder in "$src"/[0-9]*_*/; do
        ! grep -qs 'return lab_todo(' "$folder"*.c || return 0
        [ "${folder#"$src/"}" != "$lab/" ] || return 1
    done
    return 1
}

# A written function that calls an unwritten one is not written either, says the program. These are the
# lines "attention_decode 2.1 matmul_nt" of such a function and each unwritten one that it reaches (without the
# number if its comment TODO is gone).
find_stubs() {
    waiting=$(sed -n 's/^[0-9.]* \([a-z_0-9]*\): not written yet.*/\1/p' "$err" | tr '\n' ' ')
    awk -v functions="$waiting" -v lab="$lab" -f grader/tools/unwritten.awk "$src"/[0-9]*/*.c >"$work/stubs"
}

# The program's errors, each once, and last, by exercise, the functions that are not written.
print_errors() {
    todo=': not written yet; '
    awk -v todo="$todo" '!index($0, todo) && !seen[$0]++' "$err"
    awk -v todo="$todo" '
        FILENAME == ARGV[1] { calls[$1, ++count[$1]] = $2 (NF > 2 ? " " $3 : ""); own[$1] = $NF == $1; next }
        !index($0, todo) || seen[$0]++ { next }
        { what = substr($0, 1, index($0, ":") - 1); name = what; sub(/^[0-9.]* /, "", name) }
        !count[name] || own[name] { known[what]; print "1 " $0; next }
        { behind[++others] = what; function_of[others] = name }
        END {
            for (i = 1; i <= others; i++) {
                for (n = 1; n <= count[function_of[i]]; n++) {
                    stub = calls[function_of[i], n]
                    if (stub in known) continue
                    known[stub]
                    print "2 " behind[i] " calls " stub ", which is not written yet" \
                        (stub ~ / / ? ": make check EX=" substr(stub, 1, index(stub, " ") - 1) : "")
                }
            }
        }' "$work/stubs" "$err" | sort -s -k 1,1n -k 2,2V | cut -d ' ' -f 2-
}

# "(the rest needs 6.11 model_forward)" names the first function that is not written in its place. A section
# of which there is only the heading becomes two lines.
print_sections() {
    awk '
        FILENAME == ARGV[1] { if ($NF != $1 && !($1 in stub)) stub[$1] = $2 (NF > 2 ? " " $3 : ""); next }
        /^    \(the rest needs .*\)$/ {
            what = substr($0, 21, length($0) - 21)
            name = what
            sub(/^[0-9.]* /, "", name)
            if (name in stub) what = stub[name]
            if (held != "") {
                held = ""
                print title "\n    (needs " what ")"
            } else if (what in told) {
                dropped = 1
            } else {
                print "    (the rest needs " what ")"
            }
            told[what]
            next
        }
        dropped && $0 == "" { dropped = 0; next }
        { dropped = 0 }
        /^[0-9]+\. / { printf "%s", held; split("", told); title = $0; held = $0 "\n"; next }
        held != "" && (/^--+$/ || $0 == "") { held = held $0 "\n"; next }
        { printf "%s", held; held = ""; print }
        END { printf "%s", held }
    ' "$work/stubs" "$out"
}

# Where functions are to be written, the list of them comes first, so the output waits for the end.
if has_stubs; then
    waits=yes
    "$1" "$2" 2>"$err" >"$out"
else
    waits=
    "$1" "$2" 2>"$err"
fi
status=$?
find_stubs
print_errors >&2
# The program says in which section it crashed. It cannot where it crashes outside one. 141: explore | head.
if [ $status -gt 128 ] && [ $status -ne 141 ] && ! grep -q '^".*" stopped: ' "$err"; then
    number=${1##*/}
    echo "explore: the code crashed (signal $((status - 128))); make check LAB=${number#0} says where" >&2
fi
[ -z "$waits" ] || { [ ! -s "$err" ] || echo; print_sections; }
exit $status
