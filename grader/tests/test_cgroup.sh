#!/bin/sh
# test_cgroup.sh - tests real control groups: on this machine, if the grader may make any, and
# on small virtual machines with version 1, version 2, and as an ordinary user. These run
# user-mode Linux (Debian's user-mode-linux), a kernel that runs as a program and writes only to
# build/tmp of this machine. Skipped, with the reason, if that is missing.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
status=0
"$B/box/groups" || status=1
echo "ok - this machine's control groups are looked at"

mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/cgroup.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

boot() { # INIT [PARAMETER...]: a machine with this first process
    init=$1
    shift
    HOME=$work TMPDIR=$work timeout -k 5 120 linux.uml rootfstype=hostfs rootflags=/ ro quiet \
        mem=512M "$@" init="$init" con=null con0=fd:0,fd:1 </dev/null >"$work/said" 2>&1
}
no_machine() { # prints why there is no virtual machine; fails if there is one
    # A user-mode kernel has no address space left for AddressSanitizer's shadow.
    if ! command -v linux.uml >/dev/null; then
        echo "user-mode-linux is not installed"
    elif grep -q asan "$B/flags" 2>/dev/null || [ "$B" != build ]; then
        echo "only the plain build runs there"
    else
        # If the processor has registers that this kernel does not know, the kernel cannot start
        # any program.
        printf '#!/bin/sh\necho a program runs\n' >"$work/init"
        chmod +x "$work/init"
        boot "$work/init"
        ! grep -q '^a program runs' "$work/said" || return 1
        echo "user-mode-linux does not start here: $(grep -m 1 'Kernel panic' "$work/said")"
    fi
}
none=$(no_machine) || none=
machine() { # WHICH WHAT: runs the tests of groups.c on such a machine
    if [ -n "$none" ]; then
        echo "ok - $2 # SKIP $none"
        return
    fi
    boot "$top/grader/tests/cgroup_machine.sh" top="$top" groups="$1" program="$B/box/groups"
    if ! grep -q '^machine done' "$work/said"; then
        echo "not ok - $2"
        tail -n 20 "$work/said" | sed 's/^/# /'
        status=1
        return
    fi
    sed -n "s/\r//; s/^ok - /ok - $2, /p; s/^not ok - /not ok - $2, /p; /^#/p" "$work/said"
    ! grep -q '^not ok' "$work/said" || status=1
}
machine v2 "as root"
machine v2-named "in a group of its own"
machine v2-user "as an ordinary user"
machine v1 "as root"
machine v2-not-ours "in somebody else's group"
exit $status
