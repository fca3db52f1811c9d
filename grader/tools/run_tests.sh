#!/bin/sh
# run_tests.sh - runs test programs and sums up.
#
#   [BESIDE='grader/tests/test_release.sh'] grader/tools/run_tests.sh build/tests/test_rng grader/tests/test_tree.sh ...
#
# A program made with Criterion writes its results to a file, in TAP ("ok - suite::test",
# "not ok - ..."); a script prints the same on its standard output. What else a runner prints
# is kept in build/test-results/ and shown when something failed.
#
# A runner that ran nothing, left a test out, was killed, hung, or ended badly without saying
# why counts as a failed test: its silence must not look like success. The last line is
# "N passed, N failed"; the exit status is 1 when anything failed.
set -u
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LAB EX SRC LEVEL SEED SETUP B SANITIZE CHECKED

others=${BESIDE:-}
unset BESIDE # a test of this script has its own

limit=${TEST_TIMEOUT:-900} # seconds one runner may take
results=${BUILD:-build}/test-results
rm -rf "$results"
mkdir -p "$results"

# Reads a runner's TAP file: "passed failed skipped problem".
count() { # tap-file exit-status
    awk -v status="$2" '
        /^ok / { if (/# SKIP/) skipped++; else ok++ }
        /^not ok / { bad++ }
        /^1\.\.[0-9]+/ { planned = substr($0, 4) + 0; plan = 1 }
        END {
            if (status == 124 || status == 137) {
                problem = "took too long and was ended"
            } else if (ok + bad == 0) {
                problem = "ran no test (exit status " status ")"
            } else if (plan && planned != ok + bad + skipped) {
                problem = sprintf("reported %d of %d tests", ok + bad + skipped, planned)
            } else if (status != 0 && bad == 0) {
                problem = "ended with exit status " status
            } else if (status == 0 && bad > 0) {
                problem = "ended with exit status 0 in spite of a failed test"
            }
            print ok + 0, bad + (problem != ""), skipped + 0, problem
        }
    ' "$1"
}

show_failures() { # tap-file
    awk '
        function show(  i) {
            for (i = said > 25 ? said - 24 : 1; i <= said; i++) print "    " line[i]
            said = 0
        }
        /^not ok/ { show(); print "    " $0; wanted = 1; next }
        /^# / && wanted { line[++said] = $0; next }
        { show(); wanted = 0 }
        END { show() }
    ' "$1"
}

# Runs one, says what came of it and leaves "passed failed" in a file.
run() { # PROGRAM
    program=$1
    name=$(echo "$program" | tr / _)
    tap=$results/$name.tap
    log=$results/$name.log
    : >"$tap"
    printf '%-56s ' "$program"
    started=$(date +%s)

    case $program in
    *.sh) timeout -k 5 "$limit" sh "$program" >"$tap" 2>"$log" </dev/null ;;
    *) timeout -k 5 "$limit" "$program" --tap="$tap" >"$log" 2>&1 </dev/null ;;
    esac
    status=$?

    set -- $(count "$tap" "$status")
    ok=$1 bad=$2 skipped=$3
    shift 3
    problem=$*
    took="$(($(date +%s) - started)) s"
    if [ "$skipped" -gt 0 ]; then
        took="$skipped skipped, $took"
    fi
    if [ "$bad" -eq 0 ]; then
        echo "$ok passed, $took"
    else
        echo "$ok passed, $bad FAILED${problem:+: $problem}, $took"
        tail -n 100 "$log" | sed 's/^/    /'
        [ "$(wc -l <"$log")" -le 100 ] || echo "    (the end of $log)"
        # Criterion's log names the failed tests; a script's do so in the TAP, with what it saw
        # behind each: the last lines of that, for the machine may be gone when this is read.
        case $program in *.sh) show_failures "$tap" ;; esac
    fi
    sed -n 's/^ok - \(.*# SKIP.*\)/    \1/p' "$tap"
    echo "$ok $bad" >"$results/$name.count"
}

# BESIDE: scripts that keep to a folder of their own and use one processor. They run one after
# another while the others do; what they said is printed at the end.
(
    for program in $others; do
        run "$program"
    done
) >"$results/beside" 2>&1 &
beside=$!
trap 'kill $beside 2>/dev/null' EXIT
trap 'exit 1' INT TERM
for program in "$@"; do
    run "$program"
done
wait $beside
cat "$results/beside"

# A runner without a count is one that was not run to its end, by a fault of this script.
passed=0 failed=0
for program in "$@" $others; do
    bad=1 ok=0
    read -r ok bad <"$results/$(echo "$program" | tr / _).count" || echo "$program left no count"
    passed=$((passed + ok))
    failed=$((failed + bad))
done

if [ $((passed + failed)) -eq 0 ]; then
    echo "no test was run" >&2
    failed=1
fi
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
