#!/bin/sh
# test_fuzz.sh - no file of grader/tests/fuzz/corpus crashes build/attnmap or read_model, leaves a file
# open or sends a control character to the terminal. The files are from grader/tools/fuzz.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/fuzz.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
TMPDIR=$work
# Sizes in a file may be lies; memory for them is refused, as by a small machine.
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024
OPENBLAS_NUM_THREADS=1
# Any core, so that read_model does not start itself again with a better one (common/blas_core.h).
OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-Prescott}
export TMPDIR ASAN_OPTIONS OPENBLAS_NUM_THREADS OPENBLAS_CORETYPE

for folder in grader/tests/fuzz/corpus/*/; do
    reader=$(basename "$folder")
    claim "$reader: every file is read or refused" "$B/fuzz/replay" "$folder"*
done
claim "another reader's name is refused" says 2 "bert-vocabulary" "$B/fuzz/replay" nobody/nothing

exit $status
