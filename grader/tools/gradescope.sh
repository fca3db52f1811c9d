#!/bin/sh
# gradescope.sh - makes the autograder archive for Gradescope (make gradescope).
#
#   grader/tools/gradescope.sh OUT.zip [LAB] [SEED] [HIDDEN]
#
# It contains setup.sh and run_autograder (grader/gradescope), the options, and the workbook
# without tests, documents and data sets. It also contains the solutions, so do not give it to
# students.
set -eu
cd "$(dirname "$0")/../.."
out=$1 lab=${2:-} seed=${3:-} hidden=${4:-}
for value in "$lab" "$seed" "$hidden"; do
    case $value in
    *[!0-9]*)
        echo "gradescope: LAB, SEED and HIDDEN are whole numbers, not '$value'" >&2
        exit 2
        ;;
    esac
done
command -v zip >/dev/null || {
    echo "gradescope: zip is not installed (sudo apt-get install zip)" >&2
    exit 1
}
mkdir -p build/tmp "$(dirname "$out")"
scratch=$(mktemp -d build/tmp/gradescope.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cp grader/gradescope/setup.sh grader/gradescope/run_autograder "$scratch/"
printf 'LAB=%s\nSEED=%s\nHIDDEN=%s\n' "$lab" "$seed" "$hidden" >"$scratch/options"
mkdir "$scratch/workbook"
cp -pR Makefile labs solutions grader "$scratch/workbook/"
rm -rf "$scratch/workbook/grader/tests" "$scratch/workbook/grader/bench"
(cd "$scratch" && zip -qr archive.zip setup.sh run_autograder options workbook)
mv "$scratch/archive.zip" "$out"
echo "$out: upload it at Gradescope, Configure Autograder"
[ "${seed:-1}" != 1 ] || [ -n "$hidden" ] ||
    echo "gradescope: these are the cases of seed 1, which every student has, with their results; SEED draws others" >&2
