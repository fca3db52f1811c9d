#!/bin/sh
# test_cudasim_nvcc.sh - cudasim in the place of nvcc: its options, and MPI and NCCL of a single process.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/cudasim/workspace.sh

# ---- in the place of nvcc ------------------------------------------------------------------

mkdir -p "$work/toolkit" "$work/inc" "$work/one two"
echo '#error the toolkit' >"$work/toolkit/cuda_runtime.h"
echo '#error this too' >"$work/toolkit/of_a_toolkit.h"
echo '__global__ void put(int *x) { *x = VALUE; }' >"$work/inc/put.cuh"
cat >"$work/one two/main.cu" <<'END'
#include <cuda_runtime.h>
#include <put.cuh>
#if __has_include(<of_a_toolkit.h>)
#include <of_a_toolkit.h>
#endif
extern "C" int given(void);
int main()
{
    int *x, y;
    cudaMalloc(&x, 4);
    put<<<1, 1>>>(x);
    cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
    return y == given() ? 0 : 1;
}
END
echo 'int given(void) { return 42; }' >"$work/given.c"
as_nvcc() {
    sim compile -O3 -std=c++17 --use_fast_math -gencode arch=compute_80,code=sm_80 -arch=sm_80 \
        -Xcompiler -Wall -I "$work/toolkit" "-I$work/inc" -DVALUE=42 -lcublas -lcudart \
        "$work/one two/main.cu" "$work/given.c" -o "$work/as nvcc" && "$work/as nvcc"
}
claim "compile takes nvcc's options, and no header of a toolkit" as_nvcc
cp "$work/one two/main.cu" "$work/main.cpp"
more_of_nvcc() {
    sim compile -dc -rdc true -lcudadevrt -Werror all-warnings -fmad false -ftz=true --restrict -x cu \
        -Xcudafe --diag_suppress=177 -forward-unknown-to-host-compiler -I"$work/inc" \
        -DVALUE=42 "$work/main.cpp" -o "$work/main.o" &&
        sim compile "$work/main.o" "$work/given.c" -o "$work/linked" && "$work/linked"
}
claim "options of nvcc with a value of their own, and -dc" more_of_nvcc
cat >"$work/names.cu" <<'END'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <mma.h>
int main() { return N + M + K == 24 ? 0 : 1; }
END
letters() {
    set --
    for letter in A B C D E F G H I J K L M N O P Q R S U V W X Y Z; do
        set -- "$@" "-D$letter=8"
    done
    sim run "$@" "$work/names.cu"
}
claim "a program may call its macros A to Z" letters
in_steps() {
    sim compile -c -I"$work/inc" -DVALUE=42 "$work/one two/main.cu" -o "$work/main.o" &&
        sim compile -c "$work/given.c" -o "$work/given.o" &&
        sim compile "$work/main.o" "$work/given.o" -o "$work/linked" && "$work/linked"
}
claim "objects are linked later" in_steps
printf '#include <curand.h>\nint main() {}\n' >"$work/curand.cu"
claim "a header that is missing is named, with the line that asks for it" \
    shows 'curand.cu:1:2: error: .*the simulator has no <curand.h>.* status 3' \
    sim run "$work/curand.cu"
printf '#include <curand.h>\nint main() {}\n' >"$work/curand.cpp"
claim "in a .cpp file, too" \
    shows 'curand.cpp:1:2: error: .*the simulator has no <curand.h>.* status 3' \
    sim run "$work/curand.cpp"
for header in cupti.h nvvm.h nv/target common_functions.h cccl/cub/cub.cuh nvJitLink.h; do
    printf '#include <%s>\nint main() {}\n' $header >"$work/other.cu"
    claim "$header of the machine is never used" \
        shows "other.cu:1:2: error: .*the simulator has no <$header>.* status 3" sim run "$work/other.cu"
done
printf '#if 0\n#include <curand.h>\n#endif\nint main() {}\n' >"$work/curand.cu"
claim "but only if the line counts" shows '^status 0' sim run "$work/curand.cu"
printf '__global__ void k() {\nasm volatile("bar.sync 0;");\n}\nint main() {}\n' >"$work/asm.cu"
claim "assembly is named" shows 'asm.cu:2:.*inline_assembly_is_not_simulated.* status 3' \
    sim run "$work/asm.cu"

# ---- MPI and NCCL of a single process ----------------------------------------------------------------

cat >"$work/alone.cu" <<'END'
#include <cstdio>
#include <mpi.h>
#include <nccl.h>
__global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x + 1; }
int main(int argc, char **argv)
{
    int rank = 7, processes = 0, all[1] = {0}, mine = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    ncclUniqueId id;
    ncclComm_t comm;
    ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    printf("%s; ", ncclGetErrorString(ncclCommInitRank(&comm, 2, id, 1)));
    printf("%s; ", ncclGetErrorString(ncclCommInitRank(&comm, processes, id, rank)));
    float *x, *sum, last;
    cudaMalloc(&x, 128);
    cudaMalloc(&sum, 128);
    fill<<<1, 32>>>(x);
    ncclResult_t result = ncclAllReduce(x, sum, 32, ncclFloat, ncclSum, comm, 0);
    cudaMemcpy(&last, sum + 31, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %g\n", rank, processes, all[0], result, last);
    ncclCommDestroy(comm);
    MPI_Finalize();
}
END
claim "a program of one process needs no MPI and no NCCL" \
    shows '^invalid argument[^;]*; no error; 0 1 5 0 32 status 0' sim run -lmpi -lnccl "$work/alone.cu"
mkdir "$work/mpi"
printf '#error the MPI of this machine\n' >"$work/mpi/mpi.h"
claim "but an MPI of the machine comes first" shows 'the MPI of this machine.* status 3' \
    sim run -I "$work/mpi" "$work/alone.cu"

# ---- more of nvcc's options -------------------------------------------------------------------------

mkdir "$work/parts"
printf '#pragma once\nextern __device__ float factor;\nextern __device__ float scaled(float);\n' >"$work/parts/scale.h"
printf '#include "scale.h"\n__device__ float factor = 3;\n__device__ float scaled(float x) { return x * factor; }\n' >"$work/parts/scale.cu"
cat >"$work/parts/run.cu" <<'END'
#include "scale.h"
#include <cstdio>
__global__ void k(float *x) { x[threadIdx.x] = scaled(x[threadIdx.x]); }
void run()
{
    float h[2] = {1, 2}, f = 5, *d;
    cudaMalloc(&d, 8);
    cudaMemcpy(d, h, 8, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factor, &f, sizeof f);
    k<<<1, 2>>>(d);
    cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
    printf("%g %g\n", h[0], h[1]);
}
END
printf '#include "main.h"\nint main() { run(); }\n' >"$work/parts/main.cpp"
printf 'void run();\n' >"$work/parts/main.h"
rules() { # each rule names the object, the source and the program's headers, and nothing else
    (
        cd "$work/parts" || exit 1
        sim=$home/build/cudasim
        "$sim" compile -dc -MMD scale.cu && "$sim" compile -dc -MMD -MF run.dep -MT there.o run.cu -o run.o &&
            "$sim" compile -c -MMD -MP main.cpp && cat scale.d run.dep main.d &&
            [ "$(cat scale.d)" = "scale.o: scale.cu scale.h" ] &&
            [ "$(cat run.dep)" = "there.o: run.cu scale.h" ] &&
            [ "$(tr '\n' ' ' <main.d)" = "main.o: main.cpp main.h main.h: " ]
    )
}
home=$PWD
claim "-MMD writes rules for make" rules
claim "nothing else is left beside the objects" [ "$(ls "$work/parts" | tr '\n' ' ')" = \
    "main.cpp main.d main.h main.o run.cu run.dep run.o scale.cu scale.d scale.h scale.o " ]
all_headers() { sim compile -c -MD "$work/parts/scale.cu" -o "$work/all.o" && grep -q '/usr/.*\.h' "$work/all.d"; }
claim "-MD names the system's headers, too" all_headers
claim "a __device__ variable and function of another file" sh -c \
    'build/cudasim compile "$1"/*.o -o "$1/program" && [ "$("$1/program")" = "5 10" ]' sh "$work/parts"
claim "-lib makes a library" sh -c \
    'build/cudasim compile -lib "$1/scale.o" "$1/run.o" -o "$1/all.a" &&
    build/cudasim compile "$1/main.o" "$1/all.a" -o "$1/program" && [ "$("$1/program")" = "5 10" ]' sh "$work/parts"
claim "-E prints the translated source" shows 'scaled(float x) { return x . factor; } status 0' sim compile -E "$work/parts/scale.cu"
for option in -ptx -cubin -fatbin -dlink -shared -M; do
    claim "$option is explained in one line" one_line 2 "cudasim: $option: " build/cudasim compile $option "$work/parts/scale.cu"
done

exit "$status"
