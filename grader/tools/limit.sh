#!/bin/sh
# limit.sh - runs a command, and ends it if it spins or hangs, even on a busy machine.
#
#   grader/tools/limit.sh SECONDS COMMAND...
#
# It measures the processor time of the command and its children. It ends them if this exceeds
# SECONDS, or if all of them sleep for a third of SECONDS.
#
# Exit status: the command's; 124 if it was ended.
set -u
seconds=$1
shift

ticks=$(getconf CLK_TCK)
interval=$(awk -v s="$seconds" 'BEGIN { s /= 100; print (s < 0.2 ? 0.2 : s > 5 ? 5 : s) }')
patience=$(awk -v s="$seconds" -v i="$interval" 'BEGIN { print int(s / 3 / i) + 1 }') # looks

# "1234 yes": the ticks used by the command's processes, and whether one of them is runnable.
# The fields after the process's name, which may contain anything, are: state, parent, ...
# utime, stime, and the same for its ended children.
look() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v root="$pid" '
        / \(.*\) [A-Z] [0-9]/ {
            rest = $0
            sub(/.*\) /, "", rest)
            split(rest, field, " ")
            state[$1] = field[1]
            parent[$1] = field[2]
            used[$1] = field[12] + field[13] + field[14] + field[15]
        }
        END {
            for (p in parent) {
                depth = 0
                for (q = p; q != root && q in parent && depth < 100; depth++) q = parent[q]
                if (q == root) {
                    sum += used[p]
                    busy = busy || state[p] ~ /[RD]/
                }
            }
            print sum + 0, busy ? "yes" : "no"
        }'
}

# Returns when the command must be ended.
watch() {
    used=0 last=0 asleep=0
    while [ "$used" -le $((seconds * ticks)) ] && [ "$asleep" -le "$patience" ]; do
        sleep "$interval"
        # shellcheck disable=SC2046 # two words
        set -- $(look)
        asleep=$((asleep + 1))
        if [ "$2" = yes ] || [ "$1" -ne "$last" ]; then
            asleep=0
        fi
        # The time of a process that nobody waited for is lost when it ends.
        [ "$1" -le "$last" ] || used=$((used + $1 - last))
        last=$1
    done
}

setsid "$@" &
pid=$!
ended=
trap 'ended=yes' USR1
trap 'kill -KILL "-$pid" 2>/dev/null; kill "$watcher" 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP
(
    watch
    kill -USR1 $$
    kill -TERM "-$pid"
    sleep 5
    kill -KILL "-$pid"
) >/dev/null 2>&1 </dev/null &
watcher=$!
wait "$pid" 2>/dev/null
status=$?
if [ -n "$ended" ]; then
    wait "$pid" 2>/dev/null # the first was interrupted
    status=124
fi
exit $status
