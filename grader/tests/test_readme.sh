#!/bin/sh
# test_readme.sh - README.md shows two reports, between <!-- NAME --> and <!-- /NAME -->. They are what the command
# above them prints today, but for the folder, the time and empty lines. And a lab has one name: in the grader,
# in README.md and above its handout, where make learn reads it.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/readme.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

plain() { sed "s|$work/labs|labs|g; s/, [0-9.]* s\$//" | grep .; }
as_printed() { # NAME SUBMISSION OPTION...
    name=$1
    grader/tools/transplant.sh "grader/tests/submissions/wrong/$2" "$work/labs" >/dev/null || return
    shift 2
    sed -n "s/.*make check \(EX=[^\`]*\)\`.*prints:\$/\1/p; /^<!-- $name -->/q" README.md | tail -n 1 >"$work/command"
    [ "$(cat "$work/command")" = "$1" ] || { echo "above it: $(cat "$work/command"), not $1" && return 1; }
    shift
    build/grade check --src "$work/labs" --exercise 1.3 "$@" | plain >"$work/printed"
    sed -n "/^<!-- $name -->/,/^<!-- \/$name -->/s/^    //p" README.md | plain >"$work/shown"
    rm -r "$work/labs"
    diff "$work/shown" "$work/printed"
}
claim "the failure in README.md" as_printed failure 1.3-attention_scores.c@no-scale EX=1.3
# A machine with a card would run it there, and print nothing about the simulator.
backend=gpu
if [ -e /dev/nvidiactl ]; then
    backend=gpu-simulated
    plain() { sed "s|$work/labs|labs|g; s/, [0-9.]* s\$//; /^gpu-device  not run: /d" | grep .; }
fi
claim "the race in README.md" as_printed race 1.3-attention_scores_kernel.cu@no-barrier-before-reading \
    "EX=1.3 GPU=1" --backend $backend

one_name() { # FOLDER
    number=${1%%_*}
    sed -n 's/.* lab_[0-9]* = {"\([^"]*\)".*/\1/p; s/.*\.title = "\([^"]*\)".*/\1/p' "grader/exercises/lab$number.c" >"$work/judge"
    sed -n "1s/^# Lab ${number#0}: //p" "labs/$1/README.md" >"$work/handout"
    sed -n "s,^| \[${number#0} \(.*\)\](labs/$1/README.md).*,\1,p" README.md >"$work/readme"
    [ -s "$work/judge" ] && diff "$work/judge" "$work/handout" && diff "$work/judge" "$work/readme"
}
for folder in labs/[0-9]*; do
    claim "$folder has one name" one_name "${folder#labs/}"
done
exit $status
