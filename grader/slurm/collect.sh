#!/bin/sh
# collect.sh - merges the slices of a batch into the gradebook after its tasks have
# ended.
#
#   grader/slurm/collect.sh RUN SIDE PARTS BATCH GRADEBOOK
#
# Exit status: that of grade collect. If nothing is missing, the batch is complete, and the next
# call of submit.sh starts a new one.
set -u
run=$1 side=$2 parts=$3 batch=$4 db=$5
workbook=$(cd "$(dirname "$0")/../.." && pwd) || exit 3
set --
part=1
while [ $part -le "$parts" ]; do
    set -- "$@" "$run/$side-$part-of-$parts.db"
    part=$((part + 1))
done
"$workbook/build/grade" collect --db "$db" "$@"
code=$?
if [ $code -eq 0 ] && [ "$(cat "$run/$side.batch")" = "$batch $parts" ]; then
    rm "$run/$side.batch"
elif [ $code -ne 0 ]; then
    echo "the batch is not complete: run the command that submitted it again" >&2
fi
exit $code
