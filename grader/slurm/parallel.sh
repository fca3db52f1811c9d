#!/bin/sh
# Grades a class on several machines without Slurm: GNU parallel starts a task for each slice
# over ssh, and the slices are collected into the gradebook.
#
#   grader/slurm/parallel.sh DIR --db GRADEBOOK --tasks N [options]
#
#   --sshloginfile FILE  the machines in the format of parallel, one per line: ada, 8/eve.lan,
#                        user@ada; ':' is this machine and the default
#   --at-once N          slices at a time on each machine (1)
#   --cpus N             hand-ins that a slice grades at a time (one per processor)
#   --run FOLDER         for the tasks' files (GRADEBOOK.run). This folder, the workbook and DIR
#                        must be on a disk that all machines share, under the same paths
#
# and of grade class: --lab, --seed, --hidden-seed (better: GRADE_HIDDEN_SEED=...), --due,
# --penalty, --roster, --extensions, --times, --file-times, --sure, --follow, --backend, --again, --trust.
#
# After an interruption, run the same command again: it grades only the missing slices. Exit
# status, as for grade collect: 0 every student is graded, 1 a slice is missing or a student
# could not be graded (the output names them), 2 the command line is wrong, 3 this machine
# failed.

set -u
workbook=$(cd "$(dirname "$0")/../.." && pwd) || exit 3
. "$workbook/grader/slurm/common.sh"

machines= at_once=1
own_option() {
    taken=2
    case $1 in
    --sshloginfile) machines=$(absolute "$2") ;;
    --at-once) whole --at-once "$2" && at_once=$2 ;;
    *) taken=0 ;;
    esac
}

read_command_line "$@"
parallel --version 2>/dev/null | grep -q "GNU parallel" ||
    fail 3 "GNU parallel is not installed (sudo apt-get install parallel)"
[ -z "$machines" ] || [ -r "$machines" ] || fail 2 "cannot read the list of machines $machines"
make_run_folder
exec 9>"$run/lock" && flock -n 9 || fail 3 "another parallel.sh works in $run: wait for it"
prepare cpu
rm -f "$run/hidden.now"
if [ -n "$missing" ]; then
    export PARALLEL_HOME="$run/log/parallel"
    mkdir -p "$PARALLEL_HOME"
    if [ -n "$machines" ]; then
        set -- --sshloginfile "$machines"
    else
        set -- --sshlogin :
    fi
    # If a machine does not answer, another one grades its slices.
    echo "$missing" | tr ',' '\n' |
        parallel --will-cite --plain "$@" --jobs "$at_once" --retries 2 --joblog "$run/log/joblog" --line-buffer --tag \
            "${cpus:+SLURM_CPUS_PER_TASK=$cpus} '$workbook/grader/slurm/task.sh' '$run' cpu $tasks $batch {}" 9>&-
fi
exec "$workbook/grader/slurm/collect.sh" "$run" cpu "$tasks" "$batch" "$db"
