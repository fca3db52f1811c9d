#!/bin/sh
# clean.sh - removes build/ except build/backup, which contains a student's earlier
# versions.
set -eu
cd "$(dirname "$0")/../.."

[ -d build ] || exit 0
find build -mindepth 1 -maxdepth 1 ! -name backup -exec rm -rf {} +
rmdir build 2>/dev/null || [ ! -e build/backup ] ||
    echo "clean: versions kept by reset are still in build/backup"
