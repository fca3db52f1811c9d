#!/bin/sh
# locked.sh - runs a command that writes to build/, one make at a time.
#
#   grader/tools/locked.sh make --no-print-directory needs-check
#
# Several makes may run at once (watch, check, train, plot): one builds, and the others wait,
# with a message on a terminal after a second. The command and its children hold a kernel lock
# on build/lock, which disappears with them. BUILD_LOCK=held tells them that the lock is taken.
# Without flock(1), or on a file system without locks, nobody waits.
set -u
cd "$(dirname "$0")/../.."
[ "${BUILD_LOCK:-}" != held ] || exec "$@"
export BUILD_LOCK=held

# 75: another process has it.
wait_for_lock() {
    flock -n -E 75 9
    [ $? -eq 75 ] || return 0
    flock -w 1 -E 75 9
    [ $? -eq 75 ] || return 0
    [ ! -t 2 ] || echo "waiting for another make to finish" >&2
    flock 9
}

# Says what to do where a make as another user, such as sudo make, left files of theirs.
if [ -d build ] && [ -n "$(find build -maxdepth 1 ! -user "$(id -u)" -print -quit)" ] &&
    { [ ! -w build ] || [ -e build/lock ] && [ ! -w build/lock ]; }; then
    echo "build/ has files of another user, as after sudo make; make them yours with: sudo chown -R $(id -un) build" >&2
    exit 1
fi

if command -v flock >/dev/null && mkdir -p build && [ -w build ]; then
    while :; do
        exec 9>>build/lock
        wait_for_lock
        # make clean may have removed the file meanwhile; then the lock is useless.
        [ ! build/lock -ef /proc/self/fd/9 ] && [ -e /proc/self/fd/9 ] || break
        mkdir -p build
    done
fi
exec "$@"
