#!/bin/sh
# beside.sh - makes a submission tree with many wrong versions of its functions beside each other.
#
#   grader/tests/submissions/beside.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale \
#       grader/tests/submissions/wrong/1.4-softmax_rows.c@no-max build/try
#
# A lab's file is compiled once for all of them. The N-th argument's version of attention_scores is
# called attention_scores__N, and the solution is called attention_scores__0. Nothing is called
# attention_scores: which version that is, is said when the objects are linked (struct alias,
# grader/build/workshop.h). For .c files. TREE comes last and must be empty.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
for tree in "$@"; do :; done
mkdir -p "$tree"
section=$tree/.section
trap 'rm -f "$section"' EXIT

file_of() { # EXERCISE FUNCTION: copies the lab, if it is not there; prints the function's file
    lab=${1%%.*}
    [ "$lab" -gt 9 ] || lab=0$lab
    for solution in "$root/solutions/$lab"_*/*.c; do
        grep -q "BEGIN SOLUTION $1 $2\\b" "$solution" && break
    done
    folder=$(basename "$(dirname "$solution")")
    [ -d "$tree/$folder" ] || {
        mkdir "$tree/$folder"
        cp "$root/solutions/$folder/"*.c "$tree/$folder/"
    }
    echo "$tree/$folder/${solution##*/}"
}

number=0
while [ $# -gt 1 ]; do
    number=$((number + 1))
    awk -v name="${1##*@}" -f "$root/grader/tools/section.awk" "${1%@*}" >"$section"
    read -r _ exercise function _ <"$section"
    file=$(file_of "$exercise" "$function")
    awk -v region="BEGIN SOLUTION $exercise $function([^A-Za-z0-9_]|$)" -v function_name="$function" \
        -v number="$number" '
        FNR == NR {
            if (FNR == 1) next
            if ($0 == "// BODY") { top = body; body = ""; next }
            body = body $0 "\n"
            next
        }
        FNR == 1 { printf "%s", top }
        # the definition, from its first line to the region
        index($0, "lab_status " function_name "(") == 1 || index($0, "lab_status " function_name "__0(") == 1 {
            sub(function_name "(__0)?[(]", function_name "__0(")
            head = ""
            inside = 1
        }
        inside && $0 ~ region { head = head body; skipping = 1; found = 1 }
        inside && !skipping { head = head $0 "\n" }
        skipping && /END SOLUTION/ { skipping = 0 }
        { print }
        inside && /^}/ {
            if (found == 1) {
                sub(function_name "__0", function_name "__" number, head)
                printf "\n%s", head
                found = 2
            }
            inside = 0
        }
        END { exit found != 2 }
    ' "$section" "$file" >"$file.new" || {
        echo "beside.sh: no function with the region '$exercise $function' in $file (for $1)" >&2
        exit 1
    }
    mv "$file.new" "$file"
    shift
done
