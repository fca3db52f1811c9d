#!/bin/sh
# backup.sh - saves a copy of a lab file before it is overwritten, and prints its path.
#
#   grader/tools/backup.sh labs/03_causal_mask/causal.c
#   -> build/backup/03_causal_mask/causal.c.20240131-174500
#
# make clean does not remove build/backup.
set -eu
cd "$(dirname "$0")/../.."

file=$1
copy=build/backup/${file#labs/}.$(date +%Y%m%d-%H%M%S)
while [ -e "$copy" ]; do # two in one second
    copy=$copy+
done
mkdir -p "$(dirname "$copy")"
cp -p "$file" "$copy"
echo "$copy"
