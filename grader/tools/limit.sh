#!/bin/sh
# limit.sh - runs a command, and ends it when it spins or waits forever, however busy the
# machine is.
#
#   grader/tools/limit.sh SECONDS COMMAND...
#
# What counts is the processor time of the command and of all that it started. It is ended when that
# is more than SECONDS, and when all of them sleep and none uses any for a third of SECONDS.
#
# Exit status: the command's; 124 when it was ended.
set -u
seconds=$1
shift

ticks=$(getconf CLK_TCK)
interval=$(awk -v s="$seconds" 'BEGIN { s /= 100; print (s < 0.2 ? 0.2 : s > 5 ? 5 : s) }')
patience=$(awk -v s="$seconds" -v i="$interval" 'BEGIN { print int(s / 3 / i) + 1 }') # looks

# "1234 yes": the ticks that the command's processes have used, and whether one of them runs or
# could run. Behind a process's name, which may hold anything: state, parent, ... utime, stime, and
# the same of its children that have ended.
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

# Ends when the command should.
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
        # What a process used is lost with it, when nobody waited for it.
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
