#!/bin/sh
# bench_train.sh - compares one training step of lab 6's model with PyTorch, also for
# growing T, C and L (make bench).
#
#   grader/tools/bench_train.sh BUILD OUTDIR
#
# "Here" is solutions/fast. Both use one thread and take turns; a number is the median of the
# rounds' medians. OUTDIR gets cost.tsv (what, size, microseconds here, microseconds in PyTorch
# or nan) and cost.png. Absolute times move by tens of percent on a shared machine; compare the
# ratios. ROUNDS=n: number of rounds.
set -eu
cd "$(dirname "$0")/../.."
build=$1 out=$2
rounds=${ROUNDS:-7}
python=${PYTHON:-/usr/bin/python3}
unset OPENBLAS_CORETYPE # it could slow the library down
core=$("$build/bench/core")
[ -z "$core" ] || export OPENBLAS_CORETYPE="$core"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"

torch=no
if "$python" -c 'import torch' 2>/dev/null; then
    torch=$("$python" -c 'import torch; print(torch.__version__)')
fi
median() {
    sort -n | awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] }'
}
# steps ROUNDS BLOCKS B T C NH L: leaves the medians in here, there and allocations.
steps() {
    turns=$1 blocks=$2
    shift 2
    : >"$scratch/here" && : >"$scratch/there"
    turn=0
    while [ $turn -lt "$turns" ]; do
        "$build/bench/06_train_step" "$@" "$blocks" >"$scratch/line"
        cut -d ' ' -f 1 "$scratch/line" >>"$scratch/here"
        if [ "$torch" != no ]; then
            "$python" grader/bench/06_train_step.py "$@" "$blocks" >>"$scratch/there"
        fi
        turn=$((turn + 1))
    done
    allocations=$(cut -d ' ' -f 2 "$scratch/line")
    here=$(median <"$scratch/here")
    there=nan
    [ "$torch" = no ] || there=$(median <"$scratch/there")
}
ratio() {
    awk "BEGIN { if (\"$there\" == \"nan\") print \"-\"; else printf \"%.1f\", $there / $here }"
}

echo "processor:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc --all) cores"
echo "compiler:   $(gcc --version | head -n 1)"
echo "threads:    1 each; OPENBLAS_CORETYPE ${OPENBLAS_CORETYPE:-not set}"
if [ "$torch" = no ]; then
    echo "PyTorch:    not installed for $python (grader/tools/bench.sh says how): no comparison"
else
    echo "PyTorch:    $torch"
fi

steps "$rounds" 30 32 8 32 4 1
echo "one step of the copy task's model (B 32, T 8, C 32, 4 heads, 13610 parameters),"
echo "median of $rounds rounds of 300 steps, in microseconds"
printf '%-24s %10s\n' "this workbook" "$here" "PyTorch" "$there" "PyTorch / workbook" "$(ratio)"
echo "allocations in 300 steps: $allocations"

if [ "$torch" != no ]; then
    now() {
        date +%s%N | cut -c 1-13
    }
    : >"$scratch/steps" && : >"$scratch/plain" && : >"$scratch/import"
    turn=0
    while [ $turn -lt 5 ]; do
        before=$(now)
        "$build/trainer/solutions/train" --quiet --steps 2000 --every 2000
        echo $(($(now) - before)) >>"$scratch/plain"
        before=$(now)
        "$build/trainer/solutions/fast/train" --quiet --steps 2000 --every 2000
        between=$(now)
        "$python" -c 'import torch'
        echo $((between - before)) >>"$scratch/steps"
        echo $(($(now) - between)) >>"$scratch/import"
        turn=$((turn + 1))
    done
    echo "2000 steps, from start to end: $(median <"$scratch/steps") ms" \
        "($(median <"$scratch/plain") ms with the plain solutions);" \
        "import torch: $(median <"$scratch/import") ms"
fi

printf 'what\tsize\there\tpytorch\n' >"$scratch/cost.tsv"
cost() { # WHAT SIZE B T C NH L
    what=$1 size=$2
    shift 2
    steps 3 5 "$@"
    printf '%s\t%s\t%s\t%s\n' "$what" "$size" "$here" "$there" >>"$scratch/cost.tsv"
    printf '%-4s %6s %12s %12s %8s\n' "$what" "$size" "$here" "$there" "$(ratio)"
}
echo
printf '%-4s %6s %12s %12s %8s\n' what size "workbook us" "PyTorch us" ratio
for T in 4 8 16 32 64 128; do cost T $T 32 $T 32 4 1; done
for C in 16 32 64 128 256; do cost C $C 32 8 $C 4 1; done
for L in 1 2 4 8; do cost L $L 32 8 32 4 $L; done
cp "$scratch/cost.tsv" "$out/cost.tsv"
if command -v gnuplot >/dev/null; then
    gnuplot -c labs/06_copy_task/experiment_cost.gp "$out/cost.tsv" "$out"
    echo "the table and the picture: $out/cost.tsv $out/cost.png"
fi
