#!/bin/sh
# test_attack.sh - attacks with unusual kinds of files fail, and make attack notices an attack
# that succeeds: a planted fault makes each of its checks fail once. test_submissions.c tries
# the attacks that are functions.
set -u
cd "$(dirname "$0")/../.." || exit 1
attack=grader/tools/attack.sh
scratch=build/test-attack
rm -rf "$scratch"
mkdir -p "$scratch/hostile"
sleeper=
trap '[ -z "$sleeper" ] || kill "$sleeper" 2>/dev/null; rm -rf "$scratch" docs/planted' EXIT
claim_said=$scratch/out
. grader/tests/claim.sh

$attack --tap files >"$scratch/tap" 2>"$scratch/error"
case $? in
0) ;;
3) # Without a box nothing is attacked, and the reason must be printed.
    cat "$scratch/tap"
    if grep -q '# SKIP not available: [^ ]' "$scratch/tap"; then
        echo "ok - without a box make attack ends with 3 and says why"
        exit 0
    fi
    echo "not ok - without a box make attack ends with 3 and says why"
    exit 1
    ;;
*) status=1 ;;
esac
cat "$scratch/tap"
cat "$scratch/error" >&2

# A container numbers its own processes, so there may be no process 2.
if [ "$(id -u)" -eq 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
    claim "attack::the judge can also be attacked inside a container" unshare --pid --fork --mount-proc sh -c \
        'build/grade walls && build/grade walls | grep -q "^box available"'
else
    echo "ok - attack::the judge can also be attacked inside a container # SKIP needs root"
fi

# notices WHAT LINE [VARIABLE=value]: attack.sh, run on the planted snippet, ends with status 1
# and prints that line.
cp grader/tests/submissions/hostile/1.3-nan.c "$scratch/hostile/1.3-planted.c"
notices() {
    what=$1 line=$2
    shift 2
    env HOSTILE="$scratch/hostile" "$@" $attack 1.3-planted.c >"$scratch/out" 2>&1
    ended=$?
    if [ $ended -eq 1 ] && [ "$(grep -c '^GOT THROUGH' "$scratch/out")" -eq 1 ] &&
        grep -q "^GOT THROUGH  *$line" "$scratch/out"; then
        echo "ok - attack::notices $what"
    else
        echo "not ok - attack::notices $what (exit status $ended)"
        sed 's/^/# /' "$scratch/out"
        status=1
    fi
}

notices "marks of a neighbor that change" honest-neighbor HONEST=labs

mkdir -p build/tmp
# A shell that waits for a line that never comes; sleep may be one of many names of the same program.
cp "$(readlink -f /bin/sh)" build/tmp/planted.worker
mkfifo "$scratch/never"
"$(pwd)/build/tmp/planted.worker" -c 'read -r line' <>"$scratch/never" &
sleeper=$!
notices "a process that is left" host-processes
kill "$sleeper"
wait "$sleeper" 2>/dev/null
sleeper=
rm build/tmp/planted.worker

if [ "$(id -u)" -eq 0 ] && [ -x /usr/bin/python3 ]; then
    mkfifo "$scratch/listens"
    setpriv --reuid 60500 --clear-groups /usr/bin/python3 -c 'import socket, sys
ear = socket.socket(); ear.bind(("127.0.0.1", 0)); ear.listen(1)
print("yes", flush=True); ear.settimeout(60); ear.accept()' >"$scratch/listens" &
    sleeper=$!
    read -r _ <"$scratch/listens"
    notices "somebody who listens" host-network
    kill "$sleeper"
    wait "$sleeper" 2>/dev/null
    sleeper=
else
    echo "ok - attack::notices somebody who listens # SKIP needs root and python3"
fi

# The file must look newer than the start of the test, whatever the clock shows. If root starts
# a box, its programs run as another user.
touch -d '+1 hour' docs/planted
[ "$(id -u)" -ne 0 ] || chown 60500 docs/planted
notices "a file outside of build/" host-files
rm docs/planted

# Changes made by other programs during the attack: files in this folder and in /tmp, and a
# second /proc mounted below it, in which an unrelated process has files of a box's user.
beside_others() {
    folder=$(mktemp -d /tmp/test-attack.XXXXXX) || return 1
    touch -d '+1 hour' docs/planted "$folder/mine"
    mount -t proc proc "$folder" || return 1
    env HOSTILE="$scratch/hostile" $attack 1.3-planted.c
    ended=$?
    umount "$folder"
    rm -r docs/planted "$folder"
    return $ended
}
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
    claim "attack::activity of other programs on the machine does not matter" unshare -m sh -c \
        "scratch=$scratch attack=$attack
        $(sed -n '/^beside_others()/,/^}/p' "$0")
        beside_others"
else
    echo "ok - attack::activity of other programs on the machine does not matter # SKIP needs root"
fi

sed -i '1s/wrong/timeout/' "$scratch/hostile/1.3-planted.c"
notices "a verdict that is not the expected one" 1.3-planted.c

$attack no-such-attack >"$scratch/out" 2>&1
if [ $? -eq 2 ] && [ "$(grep -c 'there is no' "$scratch/out")" -eq 1 ]; then
    echo "ok - attack::refuses a name that is not there"
else
    echo "not ok - attack::refuses a name that is not there"
    status=1
fi
exit $status
