#!/bin/bash
# cuda_corpus.sh - runs public CUDA programs on the simulated GPU, and prints a table.
#
#     grader/tools/cuda_corpus.sh DIR [NAME...]        make cuda-corpus DIR=...
#
# DIR holds clones of github.com/karpathy/llm.c and github.com/siboehm/SGEMM_CUDA, or one of them;
# NAME limits the run to programs whose name contains it. Everything is built in build/corpus from
# copies, in which the sizes of the tensors are smaller and every benchmark has one turn; nothing of
# theirs becomes part of the workbook. Each kernel runs in a process of its own, checked, with
# --keep-going, for LIMIT seconds of processor time at most (120).
#
# right: its own comparison with the CPU passes. clean: the simulator has no finding.
# Exit status: 0 all are right and clean; 1 not all are; 2 wrong usage.
set -eu
cd "$(dirname "$0")/../.."
home=$PWD LIMIT=${LIMIT:-120} out=$PWD/build/corpus
export CUDASIM_KEEP_GOING=1 CUDASIM_STATUS=$out/status OPENBLAS_NUM_THREADS=1

case ${1-} in
'' | -*)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"
    [ "${1-}" = --help ] && exit 0 || exit 2
    ;;
esac
[ -d "$1" ] || {
    echo "cuda_corpus: $1 is no folder" >&2
    exit 2
}
from=$(cd "$1" && pwd)
shift

failed=0
row() { printf '%-34s %-7s %-7s %s\n' "$@"; }

wanted() { # name: is it among the names given?
    [ ${#names[@]} -eq 0 ] && return 0
    local name
    for name in "${names[@]}"; do
        case $1 in *"$name"*) return 0 ;; esac
    done
    return 1
}
names=("$@")

# Runs a program once. Its output is right if it contains the first pattern and not the second.
try() { # name pattern not command...
    local name=$1 pattern=$2 not=$3 status=0 right=no findings
    shift 3
    rm -f "$CUDASIM_STATUS"
    (cd "$out" && ulimit -t "$LIMIT" && exec "$@") >"$out/said" 2>&1 </dev/null || status=$?
    if grep -q "$pattern" "$out/said" && ! grep -q "$not" "$out/said"; then
        right=yes
    fi
    [ "$status" -lt 128 ] || right="-"
    findings=$(cat "$CUDASIM_STATUS" 2>/dev/null || echo "-")
    case $findings in
    0) clean=yes ;;
    -) clean=- ;;
    *) clean=no ;;
    esac
    if grep -qi 'invalid kernel number' "$out/said"; then
        return 0 # a case of another switch
    fi
    [ "$right$clean" = yesyes ] || failed=1
    row "$name" "$right" "$clean" \
        "$(sed -n 's/^cudasim: \([^ ]*:[0-9]*\): .*/\1/p' "$out/said" | sort -u | head -n 4 | tr '\n' ' ')"
    mkdir -p "$out/said-by"
    cp "$out/said" "$out/said-by/$(echo "$name" | tr ' /' '__')"
}

build() { # name program options...
    local name=$1 program=$2
    shift 2
    if ! build/cudasim compile -o "$program" "$@" >"$out/said" 2>&1; then
        row "$name" - - "$(grep -m 1 error "$out/said" || echo 'does not compile')"
        failed=1
        return 1
    fi
}

commit() { # clone
    git -C "$1" log -1 --format=%h 2>/dev/null || echo 'no commit known'
}

# ---- llm.c ---------------------------------------------------------------------------------

# B T C NH V: distinct and small. T and C are multiples of what the kernels assume.
smaller() {
    sed -i -E -e 's/\bint B = [0-9]+;/int B = 2;/' -e 's/\bint T = [0-9]+;/int T = 128;/' \
        -e 's/\bint C = [0-9]+;/int C = 256;/' -e 's/\bint NH = [0-9]+;/int NH = 4;/' \
        -e 's/\bint V = [0-9]+;/int V = 1030;/' -e 's/repeat_times = [0-9]+;/repeat_times = 1;/' \
        -e 's/(num_parameters|num_params) = [0-9]+;/\1 = 5000;/' "$@"
}

llm_c() { # clone
    local file name number
    echo "llm.c, $(commit "$1")"
    rm -rf "$out/llm.c" && mkdir -p "$out/llm.c"
    cp "$1"/dev/cuda/*.cu "$1"/dev/cuda/*.h "$out/llm.c"
    smaller "$out"/llm.c/*.cu
    for file in "$out"/llm.c/*.cu; do
        name=$(basename "$file" .cu)
        wanted "$name" || continue
        build "$name" "$out/llm.c/$name" "$file" -std=c++17 -Xcompiler -fopenmp -lcublas \
            -lcublasLt || continue
        for number in $(sed -n 's/^ *case \([0-9]*\):.*/\1/p' "$file" | sort -nu); do
            try "$name $number" '[Rr]esults match\|^time \|time ' 'Mismatch\|ERROR' \
                "$out/llm.c/$name" "$number"
        done
    done
}

# ---- SGEMM_CUDA ----------------------------------------------------------------------------

sgemm_cuda() { # clone
    local number copy=$out/SGEMM_CUDA
    echo "SGEMM_CUDA, $(commit "$1")"
    wanted sgemm || return 0
    rm -rf "$copy" && mkdir -p "$copy"
    cp -r "$1/sgemm.cu" "$1/src" "$copy"
    sed -i -E -e 's/SIZE = \{[0-9, ]*\}/SIZE = {128, 256}/' -e 's/repeat_times = [0-9]+/repeat_times = 1/' \
        "$copy/sgemm.cu"
    build sgemm "$copy/sgemm" -std=c++17 -I "$copy/src" "$copy/sgemm.cu" "$copy"/src/*.cu \
        -lcublas || return 0
    for number in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
        try "sgemm $number" 'size: (256)' 'Failed to pass\|CUDA error' "$copy/sgemm" "$number"
    done
}

row program right clean findings
mkdir -p "$out"
for clone in "$from" "$from"/*; do
    if [ -d "$clone/dev/cuda" ]; then
        llm_c "$clone"
    fi
    if [ -e "$clone/src/kernels.cuh" ]; then
        sgemm_cuda "$clone"
    fi
done
exit "$failed"
