#!/bin/sh
# task.sh - grades one slice of a class; a task of submit.sh's array or of parallel.sh.
#
#   grader/slurm/task.sh RUN SIDE PARTS BATCH [PART]
#
# Works on a copy of the workbook on the node's local disk, where locks are reliable and
# compiling is fast. From time to time, it copies the slice's gradebook to the shared disk.
# After an interruption, it continues from that copy.
set -u
run=$1 side=$2 parts=$3 batch=$4
part=${5:-${SLURM_ARRAY_TASK_ID:?say which slice}}
name=$side-$part-of-$parts
workbook=$(cd "$(dirname "$0")/../.." && pwd) || exit 3

scratch=$(mktemp -d "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/grade.XXXXXX") || exit 3
child=
trap 'rm -rf "$scratch"' EXIT
# Sent before the time limit, before preemption, and by scancel.
trap '[ -z "$child" ] || kill -TERM "$child" 2>/dev/null; stopped=yes' TERM INT HUP
stopped=

stage() {
    mkdir -p "$scratch/workbook/build" "$scratch/workbook/grader" &&
        cp -pR "$workbook/labs" "$workbook/solutions" "$scratch/workbook/" &&
        cp -p "$workbook/grader/points.txt" "$scratch/workbook/grader/" || return 1
    # The sources that are hashed (grader/class/labs.c).
    for what in command grade judge build cases sandbox base gpu worker exercises; do
        cp -pR "$workbook/grader/$what" "$scratch/workbook/grader/" || return 1
    done
    for what in grade grade-class box worker; do
        cp -pR "$workbook/build/$what" "$scratch/workbook/build/" || return 1
    done
    mkdir "$scratch/workbook/build/lib" || return 1
    for library in libcommon libgpu-checked; do # the second one exists if labs have a GPU side
        [ ! -e "$workbook/build/lib/$library.a" ] ||
            cp -p "$workbook/build/lib/$library.a" "$scratch/workbook/build/lib/" || return 1
    done
    # If root grades, the boxes' users must be able to read the workbook, but not the solutions.
    if [ "$(id -u)" -eq 0 ]; then
        chmod 711 "$scratch" && chmod 755 "$scratch/workbook" "$scratch/workbook/build" &&
            chmod -R a+rX "$scratch/workbook/labs" "$scratch/workbook/build" &&
            chmod 700 "$scratch/workbook/solutions"
    fi
}

echo "slice $part of $parts, batch $batch, on $(uname -n), $(date -u +%Y-%m-%dT%H:%M:%SZ)"
stage || {
    echo "task.sh: cannot copy the workbook to $scratch" >&2
    exit 3
}
set --
while read -r word; do set -- "$@" "$word"; done <"$run/$side.options" || exit 3
hidden=$(cat "$run/hidden")
[ -z "$stopped" ] || exit 4
GRADE_HIDDEN_SEED=$hidden "$scratch/workbook/build/grade" class --db "$scratch/slice.db" --copy "$run/$name.db" \
    --slice "$part/$parts" --batch "$batch" --jobs "${SLURM_CPUS_PER_TASK:-$(nproc)}" "$@" </dev/null &
child=$!
# A signal ends the wait, not the child, which stops by itself with a complete copy.
while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
done
if [ $code -eq 0 ]; then
    echo "$batch" >"$run/$name.done.new" && mv "$run/$name.done.new" "$run/$name.done" || code=3
fi
exit $code
