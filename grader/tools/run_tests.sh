#!/bin/sh
# run_tests.sh - runs test programs and prints a summary.
#
#   [ALONE='grader/tests/test_attack.sh'] [BESIDE='grader/tests/test_release.sh']
#       grader/tools/run_tests.sh build/tests/test_rng grader/tests/test_tree.sh ...
#
# Runs two at a time. First come the tests in ALONE, one by one, and in parallel with them those
# in BESIDE, which use a separate folder. Then come the others.
#
# A program made with Criterion writes its results to a file, in TAP ("ok - suite::test",
# "not ok - ..."); a script prints the same on its standard output. What else a runner prints
# is kept in build/test-results/ and shown when something failed.
#
# A runner that ran nothing, left out a test, was killed, hung, or failed without a message
# counts as a failed test. The last line is "N passed, N failed"; the exit status is 1 if
# anything failed.
set -u
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LAB EX SRC LEVEL SEED SETUP B SANITIZE CHECKED

alone=${ALONE:-} beside=${BESIDE:-}
unset ALONE BESIDE # a test of this script has its own

limit=${TEST_TIMEOUT:-2700} # seconds of processor time that one runner may take (limit.sh)
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
                problem = "ended with exit status 0 although a test failed"
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

# Runs one, prints its result and writes "passed failed" to a file.
run() { # PROGRAM
    program=$1
    name=$(echo "$program" | tr / _)
    tap=$results/$name.tap
    log=$results/$name.log
    : >"$tap"
    started=$(date +%s)

    # In a separate shell, so that `times` measures the runner.
    (
        case $program in
        *.sh) grader/tools/limit.sh "$limit" sh "$program" >"$tap" 2>"$log" </dev/null ;;
        *) grader/tools/limit.sh "$limit" "$program" --tap="$tap" >"$log" 2>&1 </dev/null ;;
        esac
        status=$?
        times >"$results/$name.times"
        exit $status
    )
    status=$?
    # "0m1.50s 0m0.25s" of the shell, then of its children
    processor=$(awk 'NR == 2 { split($0, t, /[ms ]+/); print int(60 * (t[1] + t[3]) + t[2] + t[4] + 0.5) }' \
        "$results/$name.times")

    set -- $(count "$tap" "$status")
    ok=$1 bad=$2 skipped=$3
    shift 3
    problem=$*
    took="$(($(date +%s) - started)) s, $processor s of processor time"
    if [ "$skipped" -gt 0 ]; then
        took="$skipped skipped, $took"
    fi
    if [ "$bad" -eq 0 ]; then
        printf '%-56s %s\n' "$program" "$ok passed, $took"
    else
        printf '%-56s %s\n' "$program" "$ok passed, $bad FAILED${problem:+: $problem}, $took"
        tail -n 100 "$log" | sed 's/^/    /'
        [ "$(wc -l <"$log")" -le 100 ] || echo "    (the end of $log)"
        # Criterion's log names the failed tests. A script names them in its TAP output with
        # details; shows the last lines of it, because the log file may be lost later.
        case $program in *.sh) show_failures "$tap" ;; esac
    fi
    sed -n 's/^ok - \(.*# SKIP.*\)/    \1/p' "$tap"
    echo "$ok $bad" >"$results/$name.count"
}

# Takes the runners that have not started, one after another. Prints the output of each as a
# whole.
run_some() { # PROGRAM...
    for program in "$@"; do
        name=$(echo "$program" | tr / _)
        if mkdir "$results/$name.begun" 2>/dev/null; then
            run "$program" >"$results/$name.said" 2>&1
            cat "$results/$name.said"
        fi
    done
}

mkfifo "$results/alone"
(
    # shellcheck disable=SC2086 # several words
    run_some $beside
    read -r _ <"$results/alone" # until those that run alone have ended
    run_some "$@"
) &
second=$!
trap 'kill $second 2>/dev/null' EXIT
trap 'exit 1' INT TERM
# shellcheck disable=SC2086
run_some $alone
echo ended >"$results/alone" &
run_some "$@"
wait

# A runner without a count did not finish, because of an error in this script.
passed=0 failed=0
for program in $alone $beside "$@"; do
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
