#!/bin/sh
# unit.sh - runs test programs made with Criterion, and says how to step through one.
set -u
cd "$(dirname "$0")/../.."

if [ $# -eq 0 ]; then
    echo "unit: this lab has no worked examples (test_*.c)" >&2
    exit 1
fi
status=0
for program in "$@"; do
    "$program" || status=1
done
if [ $status -ne 0 ]; then
    # Criterion runs each test in a process of its own; --debug makes that one wait for gdb.
    echo
    echo "To step through one test, in two terminals (SUITE/TEST as printed SUITE::TEST):"
    echo "    $program --filter SUITE/TEST --debug=gdb"
    echo "    gdb $program -ex 'target remote localhost:1234'"
fi
exit $status
