#!/bin/sh
# test_slurm.sh - grader/slurm against a real Slurm of one node, which this test starts and
# stops itself: its configuration, key, sockets, logs and spool are below build/tmp, it listens
# only on 127.0.0.1, and it runs as the user who runs the test. Also tests GNU parallel.
# Skipped, with the reason, if Slurm is not installed or does not start.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
PATH=$PATH:/usr/sbin:/sbin
. grader/tests/claim.sh
claims="a class graded as a job array has the marks of one machine, and the job numbers are said
the tasks write into the run folder and the gradebook alone, and leave nothing on the node
after a task that was lost, the same command grades its slice and no other
while its jobs are in the queue, a class is not submitted again
a task that is put back into the queue goes on from its copy
the GPU side asks for a card, goes into a gradebook of its own, and costs no mark
what makes no sense is refused in one line, and no job is submitted
nothing of Slurm is left running"
skip() { # WHY
    echo "$claims" | while read -r what; do echo "ok - $what # SKIP $1"; done
}

[ -x "$B/grade-class" ] || {
    skip "grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    echo "ok - nothing else"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/slurm.XXXXXX") || exit 1
claim_said=$work/out
export TMPDIR="$work/node" # the tasks' own disk
mkdir "$work/node" "$work/slurm" "$work/class"
started=

# ---- Slurm ----------------------------------------------------------------------------------

free_port() { # the first of three free ports in a row
    awk -v start=$((20000 + $$ % 20000)) '
        function number(hex,  i, value) {
            for (i = 1; i <= length(hex); i++)
                value = 16 * value + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
            return value
        }
        FNR > 1 { split($2, part, ":"); taken[number(part[2])] = 1 }
        END {
            for (port = start; taken[port] || taken[port + 1] || taken[port + 2]; port++) { }
            print port
        }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}
until_true() { # SECONDS COMMAND...: repeats the command, but not so often that it delays the jobs
    # from the processors
    end=$(($(date +%s) + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt $end ] || return 1
        sleep 0.1
    done
}
configure() {
    node=$(hostname -s) port=$(free_port) s=$work/slurm
    cat >"$s/slurm.conf" <<END
ClusterName=workbook
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$s/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPidFile=$s/slurmctld.pid
SlurmdPidFile=$s/slurmd.pid
SlurmctldLogFile=$s/slurmctld.log
SlurmdLogFile=$s/slurmd.log
StateSaveLocation=$s/state
SlurmdSpoolDir=$s/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
GresTypes=gpu
KillWait=5
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:1 State=UNKNOWN
PartitionName=class Nodes=ALL Default=YES State=UP
END
    # A card that cannot run anything, but can be requested.
    echo "Name=gpu File=/dev/null" >"$s/gres.conf"
    mkdir "$s/state" "$s/spool"
    (umask 077 && head -c 128 /dev/urandom >"$s/key")
    export SLURM_CONF="$s/slurm.conf"
}
start() { # NAME COMMAND...: in the background
    name=$1
    shift
    "$@" >"$s/$name.out" 2>&1 </dev/null &
    started="$! $started"
}
node_is_up() { sinfo -h -o %T | grep -q '^idle$'; }
start_slurm() {
    for program in munged slurmctld slurmd sbatch scontrol; do
        command -v $program >/dev/null || {
            echo "$program is not installed (slurm-wlm, munge)"
            return 1
        }
    done
    [ ${#work} -lt 80 ] || {
        echo "the path of build/tmp is too long for a socket"
        return 1
    }
    configure
    start munged munged --force --foreground --key-file="$s/key" --socket="$s/munge.socket" --pid-file="$s/munge.pid" \
        --log-file="$s/munge.log" --seed-file="$s/munge.seed"
    until_true 10 munge -S "$s/munge.socket" -n || {
        echo "munged does not start here: $(tail -n 1 "$s/munged.out")"
        return 1
    }
    start slurmctld slurmctld -D -f "$s/slurm.conf"
    start slurmd slurmd -D -f "$s/slurm.conf"
    until_true 20 node_is_up || {
        echo "Slurm does not start here: $(grep -h -e error: -e fatal: "$s/slurmctld.out" "$s/slurmd.out" | tail -n 1)"
        return 1
    }
}
left_running() { # processes that have our folder in their command line and are not this test
    for process in /proc/[0-9]*; do
        case ${process#/proc/} in $$) continue ;; esac
        line=$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)
        case $line in *"$work"*) echo "${process#/proc/} $line" ;; esac
    done
}
queue_is_empty() { queue=$(squeue -h -o %A) && [ -z "$queue" ]; } # no answer does not mean an empty queue
stop_slurm() {
    # End the jobs first: the process that watches a job ends only after it has told Slurm.
    [ -z "$started" ] || {
        scancel -u "$(id -un)"
        until_true 20 queue_is_empty
    } 2>/dev/null
    for process in $started; do # in the reverse order of their start
        kill "$process" 2>/dev/null
        timeout 10 tail --pid="$process" -f /dev/null || kill -9 "$process"
        wait "$process"
    done
    started=
}
trap 'stop_slurm 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# ---- the class ------------------------------------------------------------------------------

unset GRADE_HIDDEN_SEED GRADE_NOW
${CC:-gcc} -o "$work/book" grader/tests/class/book.c -lsqlite3 || exit 1
trust=
"$B/grade" walls | grep -q '^box available' || trust=--trust
submissions=grader/tests/submissions
grader/tools/transplant.sh $submissions/wrong/1.3-attention_scores.c@no-scale "$work/class/1.3-no-scale"
grader/tools/transplant.sh $submissions/hostile/1.3-segfault.c "$work/class/1.3-segfault"
for i in 1 2; do
    mkdir "$work/class/right$i"
    { cat solutions/01_simple_attention/attention.c && echo "// of $i"; } >"$work/class/right$i/attention.c"
done
printf nothing >"$work/class/broken.zip"
# Three slices with at least one student each, and several in the first.
call="--tasks 3 --lab 1 --seed 77 $trust"
"$B/grade" class "$work/class" --db "$work/one.db" --lab 1 --seed 77 $trust >"$work/out" 2>&1 </dev/null || cat "$work/out" >&2
"$work/book" dump "$work/one.db" >"$work/one.dump"
same_marks() { # DB [DUMP]: as on one machine
    "$work/book" dump "$1" >"$work/dump" && [ "$(wc -l <"$work/dump")" -gt 20 ] && diff "${2:-$work/one.dump}" "$work/dump"
}

# ---- GNU parallel ---------------------------------------------------------------------------

run_folder_alone() { # NAME: there is only the gradebook and its run folder
    ls -A "$work/$1"
    [ "$(ls -A "$work/$1" | tr '\n' ' ')" = "marks.db marks.db.run " ] && [ -z "$(ls -A "$work/node")" ]
}
with_parallel() {
    mkdir "$work/parallel"
    echo : >"$work/machines"
    grader/slurm/parallel.sh "$work/class" --db "$work/parallel/marks.db" $call --sshloginfile "$work/machines" &&
        same_marks "$work/parallel/marks.db" && run_folder_alone parallel
}
one_slice_lost() {
    db=$work/parallel/marks.db
    # As if slice 2 had been lost before it was complete.
    echo "$(cat "$db.run/cpu-1-of-3.done") 3" >"$db.run/cpu.batch"
    rm "$db.run"/cpu-2-of-3.*
    "$top/grader/slurm/collect.sh" "$db.run" cpu 3 "$(cat "$db.run/cpu-1-of-3.done")" "$work/lost.db" 2>"$work/said"
    [ $? -eq 1 ] && grep -q "cpu-2-of-3.db is missing" "$work/said" &&
        grader/slurm/parallel.sh "$work/class" --db "$db" $call >"$work/said" && cat "$work/said" &&
        grep -q "^2.*slice 2 of 3" "$work/said" && ! grep -q "^[13].*slice" "$work/said" && same_marks "$db"
}
if parallel --version 2>/dev/null | grep -q "GNU parallel"; then
    claim "GNU parallel grades a class in slices, with the marks of one machine" with_parallel
    claim "the same command again grades only what is missing" one_slice_lost
else
    echo "ok - GNU parallel grades a class # SKIP GNU parallel is not installed (parallel)"
fi
stopped() {
    mkdir -p "$work/stop.run" && cp "$work/one.dump" "$work/stop.run/dump"
    printf '%s\n' "$work/class" --lab 1 --seed 77 $trust >"$work/stop.run/cpu.options"
    : >"$work/stop.run/hidden"
    SLURM_CPUS_PER_TASK=1 grader/slurm/task.sh "$work/stop.run" cpu 1 monday 1 >"$work/said" 2>&1 &
    task=$!
    until_true 60 test -e "$work/stop.run/cpu-1-of-1.db"
    kill -TERM $task
    wait $task
    code=$?
    cat "$work/said"
    [ $code -eq 4 ] && grep -q "run the same command" "$work/said" && [ ! -e "$work/stop.run/cpu-1-of-1.done" ] &&
        [ -z "$(ls -A "$work/node")" ] &&
        SLURM_CPUS_PER_TASK=1 grader/slurm/task.sh "$work/stop.run" cpu 1 monday 1 >"$work/said" && cat "$work/said" &&
        grep -q ", [1-5] judged already" "$work/said" && [ "$(cat "$work/stop.run/cpu-1-of-1.done")" = monday ] &&
        same_marks "$work/stop.run/cpu-1-of-1.db"
}
claim "a task at its time limit stops, keeps its marks, and continues later" stopped

# ---- Slurm ----------------------------------------------------------------------------------

start_slurm >"$work/why" || {
    skip "$(tail -n 1 "$work/why")"
    exit $status
}
db=$work/marks/marks.db
mkdir "$work/marks"
submit() { grader/slurm/submit.sh "$work/class" --db "$db" --cpus 1 $call "$@" </dev/null; }
jobs() { cat "$db.run/jobs"; }
ended() { # all jobs have ended, and the node has cleaned up after them
    until_true 120 queue_is_empty && return
    scontrol show job
    tail -n 5 "$s/slurmctld.out" "$s/slurmd.out"
    return 1
}
state() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | sort -u | tr '\n' ' '; }
logs() { for log in "$db.run/log"/*; do echo "== $log" && cat "$log"; done; }

array() {
    submit >"$work/said" && cat "$work/said" && ended && logs || return 1
    [ "$(jobs | wc -l)" -eq 2 ] && for job in $(jobs); do
        grep -q "job $job" "$work/said" && [ "$(state "$job")" = "COMPLETED " ] || return 1
    done
    same_marks "$db" && [ ! -e "$db.run/cpu.batch" ]
}
claim "a class graded as a job array has the marks of one machine, and the job numbers are printed" array
claim "the tasks write only the run folder and the gradebook, and leave nothing on the node" run_folder_alone marks

task_lost() {
    # Judges everything again, so that a slice that was not graded shows.
    call="$call --again"
    submit --sbatch --hold >"$work/said" || return 1
    first=$(jobs | head -n 1)
    scancel "${first}_2" && scontrol release "$(jobs | tr '\n' ',')" && ended
    logs
    grep -q "slice 2 of 3 is not finished\|slice 2 of 3 is missing" "$db.run/log/cpu-collect.log" &&
        grep -q "run the command that submitted it again" "$db.run/log/cpu-collect.log" || return 1
    submit >"$work/said" && cat "$work/said" && grep -q "^slices 2 of 3" "$work/said" && ended && logs &&
        same_marks "$db" && [ "$("$work/book" query "$db" "SELECT count(*) FROM run WHERE finished NOT NULL")" = 2 ] &&
        [ "$("$work/book" query "$db" "SELECT max(attempt) FROM grading")" = 2 ]
}
claim "after a lost task, the same command grades only its slice" task_lost

not_twice() {
    submit --sbatch --hold >/dev/null || return 1
    held=$(jobs)
    submit >"$work/said" 2>&1
    code=$?
    cat "$work/said"
    [ $code -eq 3 ] && grep -q "still run" "$work/said" && [ "$(jobs)" = "$held" ] &&
        scontrol release "$(jobs | tr '\n' ',')" && ended && logs && same_marks "$db"
}
claim "a class whose jobs are in the queue is not submitted again" not_twice

# The second of these hand-ins is judged for 5 seconds, and its task is requeued meanwhile.
requeued() {
    mkdir "$work/slow" "$work/back"
    cp -R "$work/class/right1" "$work/slow/a"
    grader/tools/transplant.sh grader/tests/submissions/hostile/1.3-endless-loop.c "$work/slow/b"
    "$B/grade" class "$work/slow" --db "$work/slow.db" --lab 1 --seed 77 $trust >"$work/said" || cat "$work/said"
    "$work/book" dump "$work/slow.db" >"$work/slow.dump"
    db=$work/back/marks.db
    grader/slurm/submit.sh "$work/slow" --db "$db" --tasks 1 --cpus 1 --lab 1 --seed 77 $trust || return 1
    first=$(jobs | head -n 1)
    task_log=$db.run/log/cpu-$first-1.log
    until_true 60 test -e "$db.run/cpu-1-of-1.db" && scontrol requeue "${first}_1" || return 1
    # Slurm would let the task wait for two minutes. It may start sooner, but not within the
    # second in which it ended: slurmd would then mistake the new start for the old one and
    # refuse.
    until_true 60 waits_for_its_time && scontrol update "jobid=${first}_1" StartTime=now+2 || return 1
    ended
    logs
    [ "$(grep -c "^slice 1 of 1" "$task_log")" = 2 ] && grep -q ", 1 judged already" "$task_log" && same_marks "$db" "$work/slow.dump"
}
waits_for_its_time() { # the first start of the task has ended completely
    scontrol show job "${first}_1" >"$work/job" && grep -q "JobState=PENDING Reason=BeginTime" "$work/job"
}
claim "a requeued task continues from its copy" requeued
db=$work/marks/marks.db

on_a_card() {
    submit --gpus 2>"$work/said"
    [ $? -eq 2 ] && grep -q "add --trust-gpus" "$work/said" || return 1
    call="--tasks 1 --lab 1 --seed 77 $trust"
    submit --gpus --trust-gpus >"$work/said" && cat "$work/said" || return 1
    card=$(sed -n 's/.*(gpu): job //p' "$work/said")
    scontrol show job "$card" | grep -q "TresPerNode=gres:gpu:1" && ended && logs &&
        grep -q "lab 1: .*not run: " "$db.run/log/gpu-collect.log" && same_marks "$db" &&
        [ "$("$work/book" query "${db%.db}-gpu.db" "SELECT backend FROM run")" = gpu-device ]
}
claim "the GPU side requests a card, writes its own gradebook, and costs no mark" on_a_card

refused() { # WORDS OPTIONS...
    words=$1
    shift
    grader/slurm/submit.sh "$@" >"$work/said" 2>&1 </dev/null
    code=$?
    [ $code -eq 2 ] && [ "$(wc -l <"$work/said")" -eq 1 ] && grep -q -e "$words" "$work/said" || {
        echo "$*: status $code, $(cat "$work/said")"
        return 1
    }
}
nonsense() {
    none=$work/none.db
    refused "the folder with the hand-ins is missing" --db "$none" --tasks 3 && refused "say where the gradebook is: --db" "$work/class" --tasks 3 &&
        refused "how many slices" "$work/class" --db "$none" && refused "whole number" "$work/class" --db "$none" --tasks 0 &&
        refused "cannot read the folder" "$work/nobody" --db "$none" --tasks 3 &&
        refused "unknown option --color" "$work/class" --db "$none" --tasks 3 --color &&
        refused "needs a value" "$work/class" --db "$none" --tasks &&
        refused "no lab 99" "$work/class" --db "$none" --tasks 3 --lab 99 &&
        refused "takes a time" "$work/class" --db "$none" --tasks 3 --due tomorrow && [ ! -e "$none" ] &&
        ! grep . "$none.run/jobs" && grader/slurm/submit.sh --help | grep -q "Exit status"
}
claim "invalid options are refused in one line, and no job is submitted" nonsense

gone() {
    processes=$started
    stop_slurm
    for process in $processes; do
        ! kill -0 "$process" 2>/dev/null || return 1
    done
    left_running >"$work/left"
    ! grep . "$work/left"
}
claim "no process of Slurm is left running" gone
exit $status
