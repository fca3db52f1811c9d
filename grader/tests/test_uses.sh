#!/bin/sh
# test_uses.sh - an exercise's table names, in .uses, every exercise of its lab whose function the
# solution calls. If one is missing, a student who has that function wrong loses the points of
# both.
set -u
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
claim_said=$scratch/claim
. grader/tests/claim.sh

# Prints "6.11 6.9 gelu_backward": the solution of 6.11 calls that function of 6.9.
calls() { # FILE...
    awk '
        / BEGIN SOLUTION / { id = $4; region[++count] = id; text[count] = ""
                             sub(/:$/, "", $5); function_of[$5] = id }
        / END SOLUTION/ { id = "" }
        id != "" { sub(/\/\/.*/, ""); text[count] = text[count] " " $0 }
        END {
            for (i = 1; i <= count; i++) {
                for (name in function_of) {
                    split(region[i], here, "."); split(function_of[name], there, ".")
                    if (here[1] == there[1] && function_of[name] != region[i] &&
                        match(" " text[i], "[^A-Za-z0-9_.]" name "\\(")) {
                        print region[i], function_of[name], name
                    }
                }
            }
        }' "$@" | sort -u
}

# Prints "6.11 6.2" for each exercise that a table names.
tables() { # FILE...
    awk '
        /^ *\.id = "/ { split($0, part, "\""); id = part[2] }
        /^ *\.uses = / { uses = 1 }
        uses { line = $0
               while (match(line, /"[0-9]+\.[0-9]+"/)) {
                   print id, substr(line, RSTART + 1, RLENGTH - 2)
                   line = substr(line, RSTART + RLENGTH)
               }
               uses = $0 !~ /}/ }' "$@"
}

# Every call of the first file is a use of the second, directly or through other exercises.
all_named() { # CALLS TABLES
    awk '
        FNR == NR { uses[$1] = uses[$1] " " $2; next }
        function reaches(from, to,    list, n, i) {
            n = split(uses[from], list, " ")
            for (i = 1; i <= n; i++) {
                if (list[i] == to || reaches(list[i], to)) { return 1 }
            }
            return 0
        }
        { calls++ }
        !reaches($1, $2) { print $1 " calls " $3 " of " $2 ", which its .uses lacks"; bad = 1 }
        END { print calls + 0 " calls"; exit bad || calls == 0 }' "$2" "$1"
}

calls solutions/[0-9][0-9]_*/*.c >"$scratch/calls"
tables grader/exercises/[0-9][0-9]/*.c >"$scratch/tables"
claim "every function that a solution calls is in its exercise's .uses" \
    all_named "$scratch/calls" "$scratch/tables"

one_is_missing() {
    grep -v '^6\.11 6\.9$' "$scratch/tables" >"$scratch/fewer"
    ! all_named "$scratch/calls" "$scratch/fewer" >"$scratch/out" &&
        grep -qx '6.11 calls gelu_backward of 6.9, which its .uses lacks' "$scratch/out"
}
claim "a missing one is found" one_is_missing
exit "$status"
