#!/bin/sh
# nvcc.sh - where the CUDA compiler is: NVCC, CUDA_HOME, the PATH, or the usual place.
#
#   nvcc=$(grader/tools/nvcc.sh) || echo "there is none"
#
# Prints one path, or nothing with exit status 1. An NVCC or a CUDA_HOME that names no compiler
# is an error and said, with exit status 2: what was asked for must not be something else.
set -eu
if [ -n "${NVCC:-}" ]; then
    command -v "$NVCC" || { echo "NVCC=$NVCC: there is no such program" >&2; exit 2; }
    exit
fi
if [ -n "${CUDA_HOME:-}" ]; then
    command -v "$CUDA_HOME/bin/nvcc" ||
        { echo "CUDA_HOME=$CUDA_HOME: there is no bin/nvcc in it" >&2; exit 2; }
    exit
fi
command -v nvcc || command -v /usr/local/cuda/bin/nvcc || exit 1
