#!/bin/sh
# nvcc.sh - finds the CUDA compiler: NVCC, CUDA_HOME, the PATH, or the usual place.
#
#   nvcc=$(grader/tools/nvcc.sh) || echo "there is none"
#
# Prints its path. Without a compiler prints nothing and exits with 1. If NVCC or CUDA_HOME is
# set but contains no compiler, prints an error and exits with 2.
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
