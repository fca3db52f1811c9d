#!/bin/bash
# cuda_corpus.sh - runs public CUDA programs on the simulated GPU, and prints a table.
#
#     grader/tools/cuda_corpus.sh DIR [NAME...]        make cuda-corpus DIR=...
#
# DIR holds clones of github.com/karpathy/llm.c, siboehm/SGEMM_CUDA, tspeterkim/flash-attention-minimal
# and NVIDIA/cuda-samples, or some of them, or is one;
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
    if grep -qi 'invalid kernel number\|only supported for fp32' "$out/said"; then
        return 0 # a case of another switch, or of another type
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
    local whole='(\bint|\bint64_t)'
    sed -i -E -e "s/$whole B = [0-9]+;/\1 B = 2;/" -e "s/$whole T = [0-9]+;/\1 T = 128;/" \
        -e "s/$whole C = [0-9]+;/\1 C = 256;/" -e "s/$whole NH = [0-9]+;/\1 NH = 4;/" \
        -e "s/$whole V = [0-9]+;/\1 V = 1030;/" -e 's/repeat_times = [0-9]+;/repeat_times = 1;/' \
        -e 's/(num_parameters|num_params) = [0-9]+;/\1 = 5000;/' \
        -e 's/all_reduce_buffer_size = [0-9 *]+;/all_reduce_buffer_size = 50000;/' "$@"
}

llm_c() { # clone
    local file name number numbers
    echo "llm.c, $(commit "$1")"
    rm -rf "$out/llm.c" && mkdir -p "$out/llm.c"
    cp "$1"/dev/cuda/*.cu "$1"/dev/cuda/*.h "$out/llm.c"
    smaller "$out"/llm.c/*.cu
    for file in "$out"/llm.c/*.cu; do
        name=$(basename "$file" .cu)
        wanted "$name" || continue
        build "$name" "$out/llm.c/$name" "$file" -std=c++17 -Xcompiler -fopenmp -lcublas \
            -lcublasLt || continue
        numbers=$(sed -n 's/^ *case \([0-9]*\):.*/\1/p' "$file" | sort -nu)
        for number in ${numbers:-''}; do # '': the file has one kernel
            llm_kernel "$name" "$out/llm.c/$name" $number
        done
        # A kernel for float alone, in a file that is compiled for bfloat16.
        for number in $(sed -n "s/.*Kernel \([0-9]*\) is only supported for fp32.*/\1/p" "$file"); do
            sed '/^ *#define ENABLE_BF16/d' "$file" >"$out/llm.c/${name}_fp32.cu"
            build "$name fp32" "$out/llm.c/${name}_fp32" "$out/llm.c/${name}_fp32.cu" -std=c++17 \
                -Xcompiler -fopenmp -lcublas -lcublasLt || continue
            llm_kernel "$name fp32" "$out/llm.c/${name}_fp32" "$number"
        done
    done
}

llm_kernel() { # name program [number]
    try "$1${3:+ $3}" '[Rr]esults match\|^time \|time \|All good' 'Mismatch\|ERROR' "$2" ${3-}
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

# ---- llm.c's fp32 trainer --------------------------------------------------------------------

# Three steps of the trainer for GPUs and of the one for CPUs, on a small model. Once as it is, and once
# with activations that are zero at first, as its attention needs (docs/gpu.md).
trainer() { # clone
    trainer_with "$1" train_gpt2_fp32 's/^$//'
    trainer_with "$1" train_gpt2_fp32_cleared \
        's/^( *)cudaCheck\(cudaMalloc\(\(void\*\*\)&acts_memory, (.*)\)\);/&\ncudaMemset(acts_memory, 0, \2);/'
}

trainer_with() { # clone name changes
    local copy=$out/$2 name=$2
    wanted "$name" || return 0
    rm -rf "$copy" && mkdir -p "$copy"
    cp "$1"/train_gpt2_fp32.cu "$1"/train_gpt2.c "$copy"
    cp -r "$1/llmc" "$copy"
    sed -i -E -e 's/int B = 4;/int B = 2;/' -e 's/step <= 40/step < 3/' \
        -e 's/step % (10|20) == 0/step == -1/' -e 's/dev\/data\/tiny[a-z]*\/[A-Za-z_]*_(train|val)\.bin/\1.bin/' \
        "$copy/train_gpt2.c"
    sed -i -E -e 's/GPT2_EOT 50256/GPT2_EOT 0/' -e "$3" "$copy/train_gpt2_fp32.cu"
    gcc -O2 -o "$copy/files" grader/tools/corpus/gpt2_files.c -lm
    gcc -O2 -w -o "$copy/on_cpu" "$copy/train_gpt2.c" -lm
    build "$name" "$copy/on_gpu" "$copy/train_gpt2_fp32.cu" -I "$copy" -lcublas -lcublasLt || return 0
    cat >"$copy/both" <<'END'
#!/bin/sh
# Prints "losses match" if the losses of both trainers do, to three places.
cd "$(dirname "$0")" && ./files && OMP_NUM_THREADS=1 ./on_cpu >cpu.txt || exit 1
./on_gpu -i train.bin -j val.bin -b 2 -t 64 -l 0.0001 -v 1000 -m 1 -s 1000 -g 4 >gpu.txt
status=$?
losses() { sed -n 's/^step.*train loss \([0-9.]*\).*/\1/p' "$1" | head -n 3; }
cat gpu.txt
losses cpu.txt >cpu_losses && losses gpu.txt | paste - cpu_losses | awk '
    { print $1, "on the GPU,", $2, "on the CPU"; n += $1 - $2 < 0.001 && $2 - $1 < 0.001 && $2 > 0 }
    END { print n == 3 ? "losses match" : "Mismatch" }'
exit $status
END
    chmod +x "$copy/both"
    try "$name" 'losses match' 'Mismatch' "$copy/both"
}

# ---- flash-attention-minimal -----------------------------------------------------------------

flash_minimal() { # clone
    local copy=$out/flash
    echo "flash-attention-minimal, $(commit "$1")"
    wanted flash || return 0
    rm -rf "$copy" && mkdir -p "$copy"
    cp "$1/flash.cu" "$copy"
    build flash "$copy/flash" "$copy/flash.cu" grader/tools/corpus/flash_main.cu -I grader/tools/corpus || return 0
    try flash 'Results match' 'Mismatch' "$copy/flash"
}

# ---- cuda-samples ----------------------------------------------------------------------------

# A sample is right if it ends with status 0 and reports no failure.
sample() { # clone folder arguments changes
    local name=$(basename "$2") copy=$out/samples/$(basename "$2") file files=()
    wanted "$name" || return 0
    if [ ! -d "$1/Samples/$2" ]; then
        row "$name" - - "the clone has no $2"
        return 0
    fi
    rm -rf "$copy" && mkdir -p "$copy"
    cp -r "$1/Samples/$2/." "$copy"
    for file in "$copy"/*.cu "$copy"/*.cpp "$copy"/*.cuh "$copy"/*.h; do
        [ -e "$file" ] || continue
        [ -z "$4" ] || sed -i -E -e "$4" "$file"
        case $file in *.cu | *.cpp) files+=("$file") ;; esac
    done
    build "$name" "$copy/program" "${files[@]}" -I "$copy" -I "$1/Common" -Xcompiler -fopenmp \
        -lcublas || return 0
    set -- $3
    try "$name${1:+ }$*" '^program status 0$' 'FAIL\|Test failed\|ERROR!' "$out/status_of" \
        "$copy/program" "$@"
}

samples() { # clone
    local folder arguments changes
    echo "cuda-samples, $(commit "$1")"
    cat >"$out/status_of" <<'END'
#!/bin/sh
# Runs a program in its folder and prints its exit status. With findings it is 1 whatever the program
# itself returns; then only its output can tell.
cd "$(dirname "$1")" && "$@"
status=$?
if [ "$status" -eq 1 ] && [ "$(cat "$CUDASIM_STATUS")" -gt 0 ]; then
    status=0
fi
echo "program status $status"
END
    chmod +x "$out/status_of"
    while IFS='|' read -r folder arguments changes; do
        case $folder in '' | '#'*) continue ;; esac
        sample "$1" "${folder% }" "$arguments" "$(echo "$changes" | sed 's/^ *//; s/ *$//')"
    done <grader/tools/corpus/samples.txt
}

row program right clean findings
mkdir -p "$out"
for clone in "$from" "$from"/*; do
    if [ -d "$clone/dev/cuda" ]; then
        llm_c "$clone"
        trainer "$clone"
    fi
    if [ -e "$clone/src/kernels.cuh" ]; then
        sgemm_cuda "$clone"
    fi
    if [ -e "$clone/flash.cu" ]; then
        flash_minimal "$clone"
    fi
    if [ -d "$clone/Samples/0_Introduction" ]; then
        samples "$clone"
    fi
done
exit "$failed"
