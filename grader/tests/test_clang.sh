#!/bin/sh
# test_clang.sh - clang, where it is installed, accepts every C file that make builds, without a warning.
# It only reads the files, because all of its warnings come from that. The labs' files: check_tree.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

built="grader solutions labs/common labs/programs"
files_of() { find "$@" -name '*.c' ! -path '*/tests/submissions/*' | sort; }
all_have_files() {
    for folder in $built; do
        [ -n "$(files_of "$folder")" ] || { echo "$folder has no C file"; return 1; }
    done
}
claim "each folder that clang reads has C files" all_have_files
if ! command -v clang >/dev/null; then
    echo "ok - clang # SKIP clang is not installed"
    exit $status
fi

accepts() { # FOLDER...: every C file below
    files_of "$@" |
        xargs clang -std=c17 -fsyntax-only -Wall -Wextra -Werror -DLAB_WITH_HALVES -I labs -I solutions -I grader
}
# shellcheck disable=SC2086 # several folders
claim "clang accepts the grader, its tests, the solutions and the labs' programs" \
    accepts $built

mkdir "$work/planted"
echo 'int nothing_else; static const int unused_by_clang = 1;' >"$work/planted/planted.c"
warned() { ! accepts "$work/planted" && grep -q unused_by_clang "$claim_said"; }
claim "a warning of clang's alone is found" warned
exit $status
