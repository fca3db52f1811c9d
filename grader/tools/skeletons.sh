#!/bin/sh
# skeletons.sh - regenerates labs/NN_x/X.c from solutions/NN_x/X.c (make skeletons).
#
# An edited lab file is kept unless FORCE=1; then it is saved in build/backup. A file counts as
# edited if its checksum differs from the one in skeletons.cksum. That file is committed, so
# this also works in a fresh clone, after a student has committed their work, and in an archive
# without git.
set -eu
cd "$(dirname "$0")/../.."

sums=grader/tools/skeletons.cksum
edited() {
    [ -e "$1" ] && ! grep -qxF "$(cksum "$1")" "$sums" 2>/dev/null
}

if [ ! -d solutions ]; then
    echo "skeletons: this workbook has no solutions/ to make them from; see make reset" >&2
    exit 1
fi
new_sums=$sums.new
written=0 kept=0
lab_file=
trap 'rm -f "$new_sums" ${lab_file:+"$lab_file.new"}' EXIT
: >"$new_sums"

for solution in solutions/[0-9][0-9]_*/*.c solutions/[0-9][0-9]_*/*.cu; do
    [ -e "$solution" ] || continue
    lab_file=labs/${solution#solutions/}
    mkdir -p "$(dirname "$lab_file")"
    awk -f grader/tools/skeleton.awk "$solution" >"$lab_file.new"
    cksum <"$lab_file.new" | sed "s|\$| $lab_file|" >>"$new_sums"

    if cmp -s "$lab_file.new" "$lab_file"; then
        rm "$lab_file.new"
    elif edited "$lab_file" && [ "${FORCE:-}" != 1 ]; then
        echo "$lab_file: edited, so it is kept. FORCE=1 writes the skeleton over it."
        rm "$lab_file.new"
        kept=$((kept + 1))
    else
        if edited "$lab_file"; then
            echo "$lab_file: your version is now $(grader/tools/backup.sh "$lab_file")"
        fi
        mv "$lab_file.new" "$lab_file"
        echo "$lab_file: written"
        written=$((written + 1))
    fi
done

cmp -s "$new_sums" "$sums" || mv "$new_sums" "$sums"
[ "$kept" -eq 0 ] || exit 1
[ "$written" -gt 0 ] || echo "Every skeleton is up to date."
