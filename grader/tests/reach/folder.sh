#!/bin/sh
# folder.sh - fills the folder of reach-grade (reach/grade.c).
#
#   grader/tests/reach/folder.sh FOLDER
#
#     skeletons/      the labs as students get them
#     translated/     their kernels for the simulated GPU
#     reach-probe     the program that looks around
set -eu
cd "$(dirname "$0")/../../.."
folder=$1
mkdir -p "$folder/skeletons" "$folder/translated"
cp build/box/reach-probe "$folder/"
for solution in solutions/[0-9]*/*.c solutions/[0-9]*/*.cu; do
    file=${solution#solutions/}
    mkdir -p "$folder/skeletons/${file%/*}"
    awk -f grader/tools/skeleton.awk "$solution" >"$folder/skeletons/$file"
done
# A skeleton names each kernel's parameters. Its translation passes them on as a solution does.
for kernel in "$folder"/skeletons/*/*.cu; do
    lab=${kernel%/*}
    build/worker/cuda-to-cpp "$kernel" >"$folder/translated/${lab##*/}.${kernel##*/}"
done
