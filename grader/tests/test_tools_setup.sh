#!/bin/sh
# test_tools_setup.sh - setup.sh and doctor.sh: what is installed, and what is missing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/tools/workspace.sh

# Fake commands: no package is installed, and apt-get notes how it was called.
mkdir pretend
for command in sh awk dirname env tail mkdir cat sed printf; do
    ln -s "$(command -v $command)" pretend/$command
done
pretend() { # NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >pretend/$1
    chmod +x pretend/$1
}
pretend dpkg-query 'cat installed; exit 1'
pretend apt-get 'echo "apt-get $*" >>called; for p; do echo "ii $p" >>installed; done'
all=$(awk '$2 == "required" { sub(/\|.*/, "", $1); print $1 }' grader/tools/packages.txt)

pretend id 'echo 1000'
: >installed
claim "without root and sudo, the command is printed" \
    says "sudo apt-get update && sudo apt-get install -y gcc g\+*+ make" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh
claim "nothing is installed then" test ! -e called

check() { # PACKAGE...
    env PATH="$scratch/pretend" sh grader/tools/setup.sh --check "$@"
}
claim "--check names missing packages and the command" \
    says "^missing on this machine: gcc libcjson-dev\\. make setup installs it" check gcc libcjson-dev
claim "--check prints one line" sh -c '[ "$(wc -l <said)" -eq 1 ]'
claim "--check fails" refused check gcc
claim "--check installs nothing" test ! -e called
claim "SETUP=skip skips the check" env SETUP=skip PATH="$scratch/pretend" \
    sh grader/tools/setup.sh --check gcc
echo 'ii gcc' >installed
claim "--check ignores packages that are not arguments" check gcc
: >installed

pretend sudo 'case $1 in -n|-v) exit 0 ;; esac; echo "sudo $*" >>called; exec "$@"'
for package in $all; do echo "ii $package"; done | grep -v cjson >installed
claim "missing packages are listed with their use" says "libcjson-dev +reads tensor files" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh
claim "only missing packages are installed" \
    grep -qE '^apt-get .*--no-install-recommends libcjson-dev$' called
claim "apt-get update runs first" sh -c 'grep "^apt-get" called | head -n 1 | grep -q "update$"'
claim "apt-get runs through sudo" grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get' called

rm called
claim "with everything installed one line is printed" sh -c \
    "[ \"\$(PATH='$scratch/pretend' sh grader/tools/setup.sh | wc -l)\" -eq 1 ]"
claim "with everything installed nothing is called" test ! -e called

claim "--test adds the packages for the tests" says "^  python3 +the part of make mutants" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh --test
claim "--test installs them" grep -qE '^apt-get .*--no-install-recommends python3 libdeflate-tools$' called
for package in $all; do echo "ii $package"; done | sed 's/gnuplot-nox/gnuplot-qt/' >installed
claim "another gnuplot package is accepted" says "everything" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh

: >installed
pretend apt-get 'echo "E: no network"; exit 100'
claim "a failing apt-get is an error" refused env PATH="$scratch/pretend" sh grader/tools/setup.sh
claim "the output of apt-get is shown" grep -q 'no network' refusal
rm pretend/dpkg-query
claim "without dpkg a list of packages is printed" says "libopenblas-dev +matrix products" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh

claim "the doctor runs without a grader" says "^unknown  walls" sh grader/tools/doctor.sh
claim "the doctor runs to the end" grep -q "CUDA  " said

pretend dpkg-query 'cat installed; exit 1'
doctor_ends() { # STATUS LINE
    env PATH="$scratch/pretend:$PATH" sh grader/tools/doctor.sh >said 2>&1
    [ $? -eq "$1" ] && [ "$(tail -n 1 said)" = "$2" ]
}
for package in $all; do echo "ii $package 1"; done >installed
claim "the doctor's last line says that a student needs nothing more" \
    doctor_ends 0 "all that a student needs is here"
sed -i '/libcjson-dev\|libmd-dev/d' installed
claim "the doctor's last line names what a student needs, and the command" \
    doctor_ends 1 "missing: libcjson-dev libmd-dev. make setup installs what is missing"

exit $status
