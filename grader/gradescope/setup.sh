#!/bin/sh
# setup.sh - what Gradescope runs once, when it makes the image: packages, then the grader.
#
# Gradescope unpacks the archive that `make gradescope` makes into /autograder/source. Another
# folder than /autograder is for the test that tries it all out: AUTOGRADER_ROOT.
set -eu
root=${AUTOGRADER_ROOT:-/autograder}
cd "$root/source/workbook"
grader/tools/setup.sh
make -j"$(nproc)" programs
# Students' programs must not read the seeds. (The sandbox already hides the solutions.)
chmod 600 "$root/source/options"
