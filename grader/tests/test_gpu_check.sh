#!/bin/sh
# test_gpu_check.sh - make gpu-check passes only if every exercise ran on a device. A stub
# replaces the grader and prints what the test needs, so the test runs with and without a card.
set -u
cd "$(dirname "$0")/../.." || exit 1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
status=0

cat >"$scratch/grade" <<'END'
#!/bin/sh
echo "$*" >"$(dirname "$0")/asked"
cat "$(dirname "$0")/says"
exit "$(cat "$(dirname "$0")/status")"
END
chmod +x "$scratch/grade"

# claim TEXT, GRADER'S STATUS, EXPECTED STATUS, EXPECTED WORDS; the grader's output on stdin
claim() {
    cat >"$scratch/says"
    echo "$2" >"$scratch/status"
    GRADE=$scratch/grade grader/tools/gpu_check.sh --lab 7 >"$scratch/out" 2>&1
    code=$?
    if [ $code -eq "$3" ] && grep -q -- "$4" "$scratch/out"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        echo "# exit status $code"
        sed 's/^/# /' "$scratch/out"
        status=1
    fi
}

claim "a run passes if every exercise passes" 0 0 "7.3  rope" <<'END'
  ✓ 7.1  sinusoidal_encoding      20/20
  ✓ 7.3  rope                     30/30
END
claim "a run fails if one exercise fails" 1 1 "0/30  wrong" <<'END'
  ✓ 7.1  sinusoidal_encoding      20/20
  ✗ 7.3  rope                      0/30  wrong
END
claim "without a device nothing is run or passed" 1 77 "^gpu-check: not run: no CUDA device$" <<'END'
  - 7.1  sinusoidal_encoding       0/20  not run: no CUDA device
  - 7.3  rope                      0/30  not run: no CUDA device
END
claim "a device that disappears during the run is not a pass" 0 77 "not run: no CUDA device" <<'END'
  ✓ 7.1  sinusoidal_encoding      20/20
  - 7.3  rope                      0/30  not run: no CUDA device
END
claim "a grader that judges nothing is not a pass" 0 3 "nothing was judged" <<'END'
0 of 0 points
END
claim "a grader that fails is an error of ours" 3 3 "the grader itself failed" <<'END'
the grader itself failed
END

if grep -q -- '--src solutions --backend gpu-device --lab 7' "$scratch/asked"; then
    echo "ok - the solutions are judged on the device"
else
    echo "not ok - the solutions are judged on the device"
    status=1
fi

# The real grader, on a machine without a device.
if [ -e /dev/nvidiactl ]; then
    echo "ok - the real grader prints that there is no device # SKIP there is a device"
else
    build/grade check --src solutions --exercise 7.3 --backend gpu-device >"$scratch/real"
    claim "the real grader prints that there is no device" 1 77 "not run: no CUDA device" \
        <"$scratch/real"
fi
exit $status
