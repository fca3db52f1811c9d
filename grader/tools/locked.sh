#!/bin/sh
# locked.sh - runs a command that writes below build/ while no other make does.
#
#   grader/tools/locked.sh make --no-print-directory needs-check
#
# Several makes may run at once (watch, check, train, plot): one builds, and the others wait; after a
# second a terminal is told so. The lock is that of the kernel on build/lock, held by the command and
# what it starts: none is left behind, whatever becomes of them. BUILD_LOCK=held tells them that
# they need not take it. Without flock(1), and on a file system without locks, nobody waits.
set -u
cd "$(dirname "$0")/../.."
[ "${BUILD_LOCK:-}" != held ] || exec "$@"
export BUILD_LOCK=held

# 75: somebody else has it.
wait_for_lock() {
    flock -n -E 75 9
    [ $? -eq 75 ] || return 0
    flock -w 1 -E 75 9
    [ $? -eq 75 ] || return 0
    [ ! -t 2 ] || echo "waiting for another make to finish" >&2
    flock 9
}

if command -v flock >/dev/null && mkdir -p build && [ -w build ]; then
    while :; do
        exec 9>>build/lock
        wait_for_lock
        # make clean may have removed it meanwhile: then the lock is of a file that nobody else finds.
        [ ! build/lock -ef /proc/self/fd/9 ] && [ -e /proc/self/fd/9 ] || break
        mkdir -p build
    done
fi
exec "$@"
