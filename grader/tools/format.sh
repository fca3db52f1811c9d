#!/bin/sh
# format.sh - runs clang-format with the given options on every C file of the workbook.
#
# Leaves out wrong and hostile submissions, which are formatted as a student might.
set -eu
cd "$(dirname "$0")/../.."

if ! command -v clang-format >/dev/null; then
    echo "format: clang-format is not installed (sudo apt-get install clang-format)" >&2
    exit 1
fi
find labs solutions grader -path grader/tests/submissions -prune -o \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name "*.cc" \) -print0 | xargs -0 clang-format "$@"
