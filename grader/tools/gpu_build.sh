#!/bin/sh
# gpu_build.sh - compiles every .cu file with nvcc (make gpu-build).
#
#   gpu_build.sh            all of solutions/, labs/ and grader/
#   gpu_build.sh FILE...    these
#
# The simulated GPU accepts what g++ accepts; this checks that nvcc accepts the files, too.
# Compiles for compute capability 8.0, 9.0 and 12.0, if the toolkit supports them, with warnings
# as errors. No device is needed. Prints the files, targets and compiler.
#
# nvcc reads a file once for each target, which takes most of the time. A file that says the same on
# all of them (asks_for_the_target finds those that may not) is read once, for the oldest target, and
# ptxas makes the code of each target from that.
#
# NVCC names the compiler, or CUDA_HOME its folder (grader/tools/nvcc.sh). If there is no nvcc,
# prints one line, "skipped: no nvcc", and ends with exit status 0. A file that does not
# compile: exit status 1.
set -eu
cd "$(dirname "$0")/../.."

status=0
nvcc=$(grader/tools/nvcc.sh) || status=$?
case $status in
0) ;;
1) echo "gpu-build: skipped: no nvcc (install the CUDA Toolkit, or set NVCC=.../bin/nvcc)"; exit ;;
*) exit "$status" ;;
esac

if [ $# -eq 0 ]; then
    # A fast twin that is a link is the plain file.
    set -- $(find solutions labs grader -path grader/tests -prune -o -name '*.cu' -type f -print | sort)
fi
if [ $# -eq 0 ]; then
    echo "gpu-build: there is no .cu file"
    exit
fi

known=$("$nvcc" --list-gpu-arch)
targets='' each='' oldest='' list=''
for arch in 80 90 120; do
    if echo "$known" | grep -qx "compute_$arch"; then
        targets="$targets sm_$arch"
        each="$each -gencode arch=compute_$arch,code=sm_$arch"
        oldest=${oldest:-compute_$arch}
        list=${list:+$list,}sm_$arch
    fi
done
once="-gencode arch=$oldest,code=[$list]"
if [ -z "$each" ]; then
    echo "gpu-build: $nvcc knows none of sm_80, sm_90, sm_120" >&2
    exit 1
fi

# Hopper's own instructions (grader/bench/gpu/hopper.h), which nvcc knows since CUDA 12
hopper=
if "$nvcc" --help | grep -q sm_90a; then
    hopper='-gencode arch=compute_90a,code=sm_90a'
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folders='-I labs -I grader -I grader/tools/corpus'

# Whether the file or a header that it includes asks for the target. A header of the toolkit may ask,
# so only <cuda_runtime.h>, which nvcc includes anyway, cuBLAS, which host code calls, and those of C are
# known not to matter. If g++ cannot list the headers, the answer is yes.
asks_for_the_target() {
    read_too=$(LC_ALL=C g++ -std=c++17 -x c++ -MM -MG -D__CUDACC__ -D__CUDA_ARCH__=800 $folders "$1" 2>/dev/null) || return 0
    for header in ${read_too#*:}; do # the file comes first
        [ -f "$header" ] || continue # a line's end, or a header of the toolkit
        ! grep -qE '__CUDA_ARCH|NV_(IF|IS|PROVIDES|DISPATCH)|# *pragma +nv|^ *# *include +[^" <]' "$header" || return 0
        ! sed -n 's/^ *# *include *<\([^>]*\)>.*/\1/p' "$header" |
            grep -qvxE '(cuda_runtime|cublas_v2|assert|complex|float|limits|math|stdbool|stddef|stdint|stdio|stdlib|string)\.h' || return 0
    done
    return 1
}
for file in "$@"; do
    if asks_for_the_target "$file"; then echo "$file" >>"$scratch/each"; else echo "$file" >>"$scratch/once"; fi
done

export nvcc hopper folders scratch
# A skeleton's kernels do not use their arguments yet, so unused arguments are allowed.
compile() { # HOW, and the files on standard input
    code=$1 xargs -P "${JOBS:-2}" -I FILE sh -c '
        name=$(echo "FILE" | tr / _)
        case FILE in *_hopper.cu) code="$code $hopper" ;; esac
        if ! "$nvcc" -std=c++17 $code -Xcompiler -Wall,-Wextra,-Wno-unused-parameter \
            -Werror all-warnings $folders -c -o "$scratch/$name.o" "FILE" \
            >"$scratch/$name.log" 2>&1; then
            touch "$scratch/failed"
            echo "gpu-build: FILE does not compile:"
            sed "s/^/    /" "$scratch/$name.log" | head -n 20
        fi
    '
}
[ ! -e "$scratch/each" ] || compile "$each" <"$scratch/each"
[ ! -e "$scratch/once" ] || compile "$once" <"$scratch/once"
if [ -e "$scratch/failed" ]; then
    exit 1
fi
echo "gpu-build: $# files compiled for$targets by $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p')"
