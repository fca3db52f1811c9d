#!/bin/sh
# Grades a class as a Slurm job array with a slice of the class in each task, and
# merges the slices into the gradebook.
#
#   grader/slurm/submit.sh DIR --db GRADEBOOK --tasks N [options]
#
#   --cpus N            processors for a task, and hand-ins that it grades at a time (2)
#   --time T            time limit of a task, in sbatch's format (4:00:00)
#   --partition P       where the tasks run
#   --sbatch OPTION     another option for sbatch, as in --sbatch --mem=4G; may be repeated
#   --gpus              also the GPU side, on nodes with a card (--gres=gpu:1): a second array,
#                       into a separate gradebook, GRADEBOOK-gpu. There is no box for
#                       programs on a card, so add --trust-gpus
#   --gpu-partition P   where those tasks run
#   --run FOLDER        for the tasks' files (GRADEBOOK.run), on a disk that all nodes share
#
# and of grade class: --lab, --seed, --hidden-seed (better: GRADE_HIDDEN_SEED=...), --due,
# --penalty, --roster, --extensions, --times, --file-times, --sure, --follow, --backend, --again, --trust.
#
# After an interruption, run the same command again: it grades only the missing slices. Prints
# the numbers of the jobs. Exit status: 0 submitted, 2 the command line is wrong, 3 Slurm or
# this machine failed, or the jobs of the last call are still running.

set -u
workbook=$(cd "$(dirname "$0")/../.." && pwd) || exit 3
. "$workbook/grader/slurm/common.sh"

time=4:00:00 partition= gpu_partition= gpus= trust_gpus= more=
own_option() {
    taken=2
    case $1 in
    --time) time=$2 ;;
    --partition) partition=$2 ;;
    --gpu-partition) gpu_partition=$2 ;;
    --sbatch)
        more="$more$2
"
        ;;
    --gpus) gpus=yes taken=1 ;;
    --trust-gpus) trust_gpus=yes taken=1 ;;
    *) taken=0 ;;
    esac
}

not_while_it_runs() {
    [ -s "$run/jobs" ] || return 0
    running=$(squeue -h -o %A -j "$(tr '\n' ',' <"$run/jobs")" 2>/dev/null | sort -u | tr '\n' ' ')
    [ -z "$running" ] || fail 3 "the jobs of the last call still run: $running(wait, or scancel them)"
}

# submit PARTITION OPTION ... SCRIPT: prints the job's number.
submit() {
    where=$1
    shift
    while read -r word; do
        [ -z "$word" ] || set -- "$word" "$@"
    done <<END
$more
END
    sbatch --parsable --requeue ${where:+--partition="$where"} "$@" </dev/null | cut -d ';' -f 1
}

# Submits an array for the missing slices, and a job that merges the results.
submit_side() { # PARTITION OPTION...
    script="exec '$workbook/grader/slurm/task.sh' '$run' $side $tasks $batch"
    after=
    if [ -n "$missing" ]; then
        array=$(submit "$@" --open-mode=append --job-name="grade-$side" --array="$missing" \
            --nodes=1 --ntasks=1 --cpus-per-task="$cpus" --time="$time" --signal=B:TERM@120 \
            --output="$run/log/$side-%A-%a.log" --wrap="$script")
        [ -n "$array" ] || fail 3 "sbatch refused the array; nothing was submitted for the $side side"
        echo "$array" >>"$run/jobs"
        echo "slices $missing of $tasks ($side): job $array"
        after=--dependency=afterany:$array
    fi
    script="exec '$workbook/grader/slurm/collect.sh' '$run' $side $tasks $batch '$db'"
    collect=$(submit "$partition" --job-name="collect-$side" $after --nodes=1 --ntasks=1 --time=30:00 \
        --output="$run/log/$side-collect.log" --wrap="$script")
    [ -n "$collect" ] || fail 3 "sbatch refused the job that collects; once the array is done, run the same command again"
    echo "$collect" >>"$run/jobs"
    echo "collected into $db: job $collect, log $run/log/$side-collect.log"
}

read_command_line "$@"
cpus=${cpus:-2}
command -v sbatch >/dev/null || fail 3 "there is no sbatch here: submit on a machine of the cluster"
[ -z "$gpus" ] || [ -n "$trust_gpus" ] ||
    fail 2 "there is no box for programs on a card: --gpus runs untrusted code under your account; add --trust-gpus if you trust the students"
[ -z "$gpu_partition$trust_gpus" ] || [ -n "$gpus" ] || fail 2 "--gpu-partition and --trust-gpus need --gpus"
make_run_folder
not_while_it_runs
: >"$run/jobs" # each job is recorded as soon as it is submitted, so that the next call finds all
on_cpus=$options
prepare cpu
submit_side "$partition"
if [ -n "$gpus" ]; then
    case $db in
    *.db) db=${db%.db}-gpu.db ;;
    *) db=$db-gpu ;;
    esac
    options="$on_cpus--backend
gpu-device
--trust
"
    prepare gpu
    submit_side "${gpu_partition:-$partition}" --gres=gpu:1
fi
rm -f "$run/hidden.now"
