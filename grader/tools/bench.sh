#!/bin/sh
# bench.sh - measures the speed of the grader and the solutions (make bench).
#
#   bench.sh                  everything
#   bench.sh verdict          the time from saving a file to the verdict
#   bench.sh learn            the same in make learn, on a pseudo-terminal: from the save to the text on the
#                             screen. On a busy machine: chrt --rr 1 grader/tools/bench.sh learn
#   bench.sh box              the cost of a box for untrusted code
#   bench.sh simulated        verdicts on the simulated GPU, and the cost of its kernels
#   bench.sh traffic          the bytes that attention moves: 10.6's formula and the simulator's count
#   bench.sh ladder           what each step from a plain solution to its fast twin gains
#   bench.sh class            a class of 10, 100 and 300 (20 minutes on a quiet machine; make bench-class)
#   bench.sh 04_multi_head    one program of grader/bench, compared with PyTorch
#
# The code under test is a copy of the solutions, in build/saved. Before every run, one file of
# the lab (in turn) gets a new line, as if saved by an editor. For comparison with a Python
# workbook, it alternates with pytest on a file that imports torch and has one assertion, if
# both are installed. It prints medians and ratios of one run; absolute times vary by tens of
# percent.
#
# DOCS=1 also writes the tables to docs/performance.md, and those of the ladder to the file
# headers of solutions/fast. Comparisons with PyTorch stay unchanged if it is not installed. To
# install it:
#
#   python3 -m venv build/venv && build/venv/bin/pip install torch pytest
#   make bench PYTHON=build/venv/bin/python
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3}
imports() { # MODULES: can they be imported? If not, says how to install them
    "$python" -c "import $1" 2>/dev/null && return
    echo "bench: $python cannot import $1: no comparison with Python. To install it:" \
        "python3 -m venv build/venv && build/venv/bin/pip install torch pytest;" \
        "then make bench PYTHON=build/venv/bin/python" >&2
    return 1
}
# OpenBLAS chooses its kernels, unless it does not recognize this processor.
choose_kernels() {
    unset OPENBLAS_CORETYPE
    core=$(build/bench/core)
    [ -z "$core" ] || export OPENBLAS_CORETYPE="$core"
}
if [ -n "${DOCS:-}" ]; then
    [ $# -gt 0 ] || set -- verdict box simulated traffic ladder $(cd build/bench && ls [0-9]*) class
    for part; do
        case $part in
        ladder)
            build/bench/ladder --list | while read -r file; do
                DOCS='' "$0" ladder "$file" | tee build/bench.txt
                grader/tools/between.sh "solutions/fast/$file" \
                    "MEASURED: build/bench/ladder $file (make bench DOCS=1)" <build/bench.txt
            done
            continue
            ;;
        verdict) needs=torch,pytest ;;
        [0-9]*) needs=torch ;;
        *) needs='' ;;
        esac
        if [ -n "$needs" ] && ! imports $needs; then
            echo "bench: docs/performance.md keeps its table '$part'" >&2
            continue
        fi
        DOCS='' "$0" "$part" | tee build/bench.txt
        grader/tools/between.sh docs/performance.md "$part" <build/bench.txt
    done
    exit
fi
case ${1:-all} in
all)
    imports torch,pytest || :
    "$0" verdict
    echo
    "$0" box
    echo
    "$0" simulated
    echo
    "$0" traffic
    echo
    "$0" ladder
    for program in build/bench/[0-9]*; do
        echo
        "$0" "${program##*/}"
    done
    if [ -x build/grade-class ]; then
        echo
        "$0" class
    fi
    exit
    ;;
ladder)
    shift
    choose_kernels
    OPENBLAS_NUM_THREADS=1 exec build/bench/ladder "$@"
    ;;
simulated)
    exec grader/tools/bench_gpu.sh
    ;;
traffic)
    exec build/gpu/traffic
    ;;
class)
    exec grader/tools/bench_class.sh
    ;;
06_train_step)
    exec grader/tools/bench_train.sh build build/experiments/cost
    ;;
box)
    exec build/bench/box
    ;;
learn)
    exec grader/tools/bench_learn.sh
    ;;
09_decode)
    choose_kernels # on both sides
    out=build/experiments/decode
    mkdir -p $out
    PYTHON=$python build/bench/09_decode $out/decode.tsv
    if command -v gnuplot >/dev/null; then
        gnuplot -c labs/09_generation/decode.gp $out/decode.tsv $out
    fi
    # Debian's PyTorch multiplies with another library.
    version="import torch; print(torch.__version__)"
    debian=$(/usr/bin/python3 -c "$version" 2>/dev/null || :)
    if [ -n "$debian" ] && [ "$("$python" -c "$version" 2>/dev/null || :)" != "$debian" ]; then
        echo
        PYTHON=/usr/bin/python3 build/bench/09_decode
    fi
    exit
    ;;
[0-9]*)
    choose_kernels # on both sides
    build/bench/"$1"
    if [ -x build/bench/plain/"$1" ]; then
        echo "the plain solutions:"
        build/bench/plain/"$1" | sed 1,2d
    fi
    exit
    ;;
esac
runs=${RUNS:-15}

now() {
    date +%s%N | cut -c 1-16 # microseconds
}
# Median in ms of the numbers on standard input.
median() {
    sort -n | awk '{ v[NR] = $1 } END { printf "%.0f", v[int((NR + 1) / 2)] / 1000 }'
}
timed() {
    before=$(now)
    "$@" >/dev/null 2>&1 || : # a verdict is a verdict
    echo $(($(now) - before))
}
save() { # tree folder run: changes one file as an editor does
    run_number=$3
    set -- "$1/$2"/*.c
    shift $((run_number % $#))
    echo "// saved" >>"$1"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" build/saved' EXIT
rm -rf build/saved
cp -R solutions build/saved
printf 'import torch\n\ndef test_one():\n    assert torch.ones(3).sum() == 3\n' \
    >"$scratch/test_one.py"
rival() { "$python" -m pytest -q "$scratch/test_one.py"; }
have_rival=no
if rival >/dev/null 2>&1; then
    have_rival=yes
fi

echo "processor:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
echo "compiler:   $(gcc --version | head -n 1), AddressSanitizer and UBSan on"
echo "OpenBLAS:   one thread, OPENBLAS_CORETYPE ${OPENBLAS_CORETYPE:-not set}"
echo "edit to verdict, compile included: median of $runs, in ms"
row() { # LAB BUILD/GRADE MAKE [PYTEST RATIO], which are left out where nothing is compared
    if [ $have_rival = yes ]; then
        printf '%-28s %10s %10s %14s %8s\n' "$@"
    else
        printf '%-28s %10s %10s\n' "$1" "$2" "$3"
    fi
}
row lab build/grade "make check" "pytest + torch" ratio
measure() { # folder
    tree=build/saved folder=$1
    lab=${folder%%_*}
    if ! build/grade check --src "$tree" --lab "$lab" >/dev/null; then
        echo "bench: $folder does not pass: build/grade check --src $tree --lab $lab" >&2
        exit 1
    fi
    : >"$scratch/grade"
    : >"$scratch/make"
    : >"$scratch/rival"
    run=0
    while [ $run -lt "$runs" ]; do
        save "$tree" "$folder" $run
        timed build/grade check --src "$tree" --lab "$lab" >>"$scratch/grade"
        save "$tree" "$folder" $run
        timed env -u MAKEFLAGS -u MAKELEVEL make check SRC="$tree" LAB="$lab" \
            >>"$scratch/make"
        if [ $have_rival = yes ]; then
            timed rival >>"$scratch/rival"
        fi
        run=$((run + 1))
    done
    grade=$(median <"$scratch/grade")
    make=$(median <"$scratch/make")
    other='' ratio=''
    if [ $have_rival = yes ]; then
        other=$(median <"$scratch/rival")
        ratio=$(awk "BEGIN { printf \"%.1f\", $other / $make }")
    fi
    row "$folder" "$grade" "$make" "$other" "$ratio"
}
for folder in $(build/grade list | cut -f 3 | uniq); do
    measure "$folder"
done

: >"$scratch/all"
run=0
while [ $run -lt "$runs" ]; do
    for folder in $(build/grade list | cut -f 3 | uniq); do
        save build/saved "$folder" $run
    done
    timed build/grade check --src build/saved >>"$scratch/all"
    run=$((run + 1))
done
printf '%-28s %10s\n' "all labs in one run" "$(median <"$scratch/all")"
