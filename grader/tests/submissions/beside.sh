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
sections=$tree/.sections
trap 'rm -f "$sections"' EXIT

# Copies the lab's folder, if it is not there.
copy_lab() { # LAB
    lab=$1
    [ "$lab" -gt 9 ] || lab=0$lab
    for folder in "$root/solutions/$lab"_*; do
        [ -d "$tree/${folder##*/}" ] || {
            mkdir "$tree/${folder##*/}"
            cp "$folder/"*.c "$tree/${folder##*/}/"
        }
    done
}

: >"$sections"
while [ $# -gt 1 ]; do
    exercise=${1##*/}
    copy_lab "${exercise%%.*}"
    printf '@@ %s\n' "$1" >>"$sections"
    awk -v name="${1##*@}" -f "$root/grader/tools/section.awk" "${1%@*}" >>"$sections"
    shift
done
awk -f "$root/grader/tests/submissions/beside.awk" "$sections" "$tree"/*/*.c
