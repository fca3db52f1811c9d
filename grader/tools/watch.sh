#!/bin/sh
# watch.sh - runs a command again whenever a C or CUDA file in a folder is saved.
#
#   grader/tools/watch.sh labs/03_causal_mask build/grade check --src labs --lab 3
#
# Ctrl-C or q ends it. Without a terminal (an editor's run window) it takes no keys.
set -eu
cd "$(dirname "$0")/../.."

if ! command -v entr >/dev/null; then
    echo "watch: needs entr (sudo apt-get install entr)" >&2
    exit 1
fi
folder=$1
shift
keys=
[ -t 1 ] || keys=-n
# shellcheck disable=SC2016 # the inner shell expands
find "$folder" -name '*.[ch]' -o -name '*.cu' |
    entr -c $keys sh -c '"$@"; echo; echo "judging again at each save; Ctrl-C stops"' sh "$@" || :
