#!/bin/sh
# explore.sh - runs a lab's explore program, which contains a student's code and may
# crash.
#
#   grader/tools/explore.sh build/explore/labs/03 DATADIR
set -u
cd "$(dirname "$0")/../.."

mkdir -p "$2" || exit 1
"$1" "$2"
status=$?
if [ $status -gt 128 ]; then
    lab=${1##*/}
    echo "$1: ended by signal $((status - 128)); make check LAB=${lab#0} says where" >&2
fi
exit $status
