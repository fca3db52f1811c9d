#!/bin/sh
# gpu_bench.sh - measures the solutions' kernels on a card (make gpu-bench).
#
#   gpu_bench.sh            builds the bench with nvcc for this card, and runs it
#   gpu_bench.sh --small    odd sizes and few runs: only checks that everything runs and agrees
#
# Prints date, card, driver, toolkit and a Markdown table for each computation; DOCS=1 also
# writes them to docs/performance.md. Without nvcc or a device, it prints one line and exits
# with 1, because only a device can be measured.
set -eu
cd "$(dirname "$0")/../.."

nvcc=$(grader/tools/nvcc.sh) || {
    echo "gpu-bench: not run: no nvcc (install the CUDA Toolkit, or set NVCC=.../bin/nvcc)" >&2
    exit 1
}
driver=$(nvidia-smi --query-gpu=driver_version,clocks.max.sm,power.limit \
    --format=csv,noheader 2>/dev/null | head -n 1) || driver=
if [ -z "$driver" ]; then
    echo "gpu-bench: not run: no CUDA device (nvidia-smi lists none)" >&2
    exit 1
fi

mkdir -p build/gpu
${CC:-gcc} -std=c17 -O2 -I labs -c -o build/gpu/status.o labs/common/status.c
compile() {
    "$nvcc" -std=c++17 -O3 -arch=native -I labs -I grader "$@"
}
# Fast kernels beside the plain ones: fast_x is the name of the fast x.
fast=
for name in attention_decode grouped_query_attention quantize_rows linear_int8 \
    flash_attention flash_attention_backward; do
    fast="$fast -D${name}_gpu=fast_${name}_gpu"
done
for file in 09_generation/cache 09_generation/int8 10_flash_attention/flash \
    10_flash_attention/backward; do
    # shellcheck disable=SC2086
    compile $fast -c -o "build/gpu/fast_${file#*/}.o" "solutions/fast/$file.cu"
done
compile -o build/gpu/bench.new grader/bench/gpu/*.cu solutions/01_*/*.cu solutions/02_*/*.cu \
    solutions/03_*/*.cu solutions/09_*/*.cu solutions/10_*/*.cu build/gpu/fast_cache.o \
    build/gpu/fast_int8.o build/gpu/fast_flash.o build/gpu/fast_backward.o build/gpu/status.o \
    -lcublas
mv build/gpu/bench.new build/gpu/bench

{
    echo "date: $(date -u +%Y-%m-%d)"
    echo "driver, highest SM clock, power limit: $driver"
    echo "toolkit: $("$nvcc" --version | sed -n 's/.*release \([^ ,]*\), \(V[^ ]*\).*/CUDA \1, nvcc \2/p')"
    build/gpu/bench "$@"
} >build/gpu/bench.md.new
mv build/gpu/bench.md.new build/gpu/bench.md
cat build/gpu/bench.md
if [ -n "${DOCS:-}" ]; then
    grader/tools/between.sh docs/performance.md gpu-bench <build/gpu/bench.md
fi
