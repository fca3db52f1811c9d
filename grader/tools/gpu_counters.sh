#!/bin/sh
# gpu_counters.sh - the bytes that lab 10's kernels move, counted by a card (a part of make
# gpu-bench).
#
#   gpu_counters.sh        builds grader/bench/gpu_traffic.cc with nvcc, and runs it under ncu
#
# Prints what build/gpu/traffic prints of the simulated GPU: sectors of 32 bytes that the kernels ask
# for, before any cache. Where nvcc, ncu or a card is missing, or the card's counters are not for
# this user, it prints a line that says so. Exit status 0, also then.
set -eu
cd "$(dirname "$0")/../.."

not_counted() {
    echo "the card's own counters: not read ($1)"
    exit 0
}
nvcc=$(grader/tools/nvcc.sh) || not_counted "no nvcc"
command -v ncu >/dev/null || not_counted "no ncu, a part of the CUDA Toolkit"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

solution=solutions/10_flash_attention
${CC:-gcc} -std=c17 -O2 -I labs -c -o "$scratch/traffic.o" $solution/traffic.c
${CC:-gcc} -std=c17 -O2 -I labs -c -o "$scratch/status.o" labs/common/status.c
compile() {
    "$nvcc" -std=c++17 -O3 -arch=native -I labs -I grader "$@"
}
compile -Dflash_attention_gpu=fast_flash_attention_gpu -c -o "$scratch/fast.o" \
    solutions/fast/10_flash_attention/flash.cu
compile -x cu -c -o "$scratch/main.o" grader/bench/gpu_traffic.cc
compile -o "$scratch/run" "$scratch"/*.o solutions/01_*/*.cu $solution/flash.cu -lcublas

name=l1tex__t_sectors_pipe_lsu_mem_global_op
if ! ncu --csv --metrics "${name}_ld.sum,${name}_st.sum" "$scratch/run" >"$scratch/out" 2>&1; then
    not_counted "$(grep -m 1 '==ERROR==' "$scratch/out" || echo "ncu failed")"
fi

# The program's rows are in the output, each after its kernels: three, one and one of them.
awk -F '","' -v name=$name '
    /^"[0-9]/ {
        gsub(/[",]/, "", $NF)
        bytes[index($0, name "_ld.sum") ? "read" : "written"] += 32 * $NF
        kernels++
    }
    /^(lab 1|10\.2)/ { rows[++count] = $0 }
    /^"[0-9]/ && (kernels == 6 || kernels == 8 || kernels == 10) {
        row[++done] = sprintf("%9.1f %8.1f %8.1f", (bytes["read"] + bytes["written"]) / 1024,
            bytes["read"] / 1024, bytes["written"] / 1024)
        bytes["read"] = bytes["written"] = 0
    }
    END {
        if (count != 3 || done != 3 || kernels != 10) {
            print "the card'\''s own counters: not read (ncu names " kernels / 2 " kernels)"
            exit
        }
        print "the same, counted by the card (ncu)"
        printf "%-40s %8s %9s %8s %8s\n", "", "formula", "card", "read", "written"
        for (i = 1; i <= 3; i++) {
            print rows[i] " " row[i]
        }
    }' "$scratch/out"
