#!/bin/sh
# doctor.sh - lists the packages that are installed, and what does not work without the others. The last
# line says whether a student needs any of these.
#
# Exit status 1 if something required is missing, else 0. Uses color only on a terminal and
# without NO_COLOR.
set -eu
cd "$(dirname "$0")/../.."
list=grader/tools/packages.txt

green='' yellow='' red='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    escape=$(printf '\033')
    green="$escape[32m" yellow="$escape[33m" red="$escape[31m" plain="$escape[0m"
fi

width=1000 # columns of a text
exec 3>&1
[ ! -t 1 ] || width=$(stty size <&3 2>/dev/null | awk '{ print ($2 > 50 ? $2 : 80) - 30 }')
line() { # COLOR WORD NAME TEXT
    printf '%s%-8s%s %-20s ' "$1" "$2" "$plain" "$3"
    printf '%s\n' "$4" | fold -s -w "${width:-1000}" | sed '2,$s/^/                              /'
}
good() { line "$green" ok "$1" "$2"; }
note() { line "$yellow" "$3" "$1" "$2"; }
bad() { line "$red" MISSING "$1" "$2"; }

# The command that a package provides, to recognize programs installed in another way.
command_of() {
    case $1 in
    python3-torch | *-dev | fonts-*) ;;
    gnuplot-*) echo gnuplot ;;
    binutils) echo objcopy ;;
    libxml2-utils) echo xmllint ;;
    slurm-wlm) echo sbatch ;;
    user-mode-linux) echo linux.uml ;;
    *) echo "$1" ;;
    esac
}

installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package} ${Version}\n' \
    $(awk '!/^#/ { gsub(/\|/, " ", $1); print $1 }' "$list") 2>/dev/null) || :
version_of() { # of a|b: the first one that is installed
    echo "$installed" |
        awk -v names="|$1|" '/^.i/ && index(names, "|" $2 "|") { print $3; exit }'
}

status=0 lacking=
while read -r package need use; do
    case $package in '' | '#'*) continue ;; esac
    version=$(version_of "$package")
    package=${package%%|*}
    command=$(command_of "$package")
    if [ -n "$version" ]; then
        good "$package" "$version"
    elif [ -n "$command" ] && command -v "$command" >/dev/null; then
        good "$package" "$(command -v "$command"), not from this package"
    elif [ "$need" = required ]; then
        bad "$package" "$use"
        status=1 lacking="$lacking $package"
    else
        note "$package" "not installed; needed for: $use" absent
    fi
done <"$list"

echo
good cores "$(nproc)"
if [ ! -x build/grade ]; then
    note walls "unknown until the grader is built (make programs)" unknown
else
    walls=$(build/grade walls) || :
    landlock=$(echo "$walls" | sed -n 's/^Landlock version //p')
    if [ "${landlock:-0}" -gt 0 ]; then
        good walls "Landlock version $landlock: student code cannot read the solutions or write files"
    else
        note walls "this kernel has no Landlock: student code can read every file that you can read" warning
    fi
    box=$(echo "$walls" | sed -n 's/^box //p')
    groups=$(echo "$walls" | sed -n 's/^control groups //p')
    if [ "$box" = available ]; then
        good box "untrusted code can be graded: build/grade check --untrusted"
    else
        note box "untrusted code cannot be graded here: ${box#not available: }" absent
    fi
    case $groups in
    not*) note "control groups" "only boxes for untrusted code use them, and boxes work without them; not available: ${groups#not available: }" absent ;;
    *) good "control groups" "boxes for untrusted code use those of $groups" ;;
    esac
fi

# OpenBLAS chooses its kernels by the processor; this variable overrides it.
case ${OPENBLAS_CORETYPE:-} in
'') good OPENBLAS_CORETYPE "not set: OpenBLAS chooses the kernels for this processor" ;;
*)
    advice="unset it before you measure anything"
    if grep -qw avx512f /proc/cpuinfo 2>/dev/null; then
        case $OPENBLAS_CORETYPE in
        [Ss]kylake[Xx] | SKYLAKEX | [Cc]ooper[Ll]ake | [Ss]apphire[Rr]apids) ;;
        *) advice="this processor has AVX-512, and products run at about half speed: unset it" ;;
        esac
    fi
    note OPENBLAS_CORETYPE "$OPENBLAS_CORETYPE; $advice" warning
    ;;
esac

# A GPU is optional.
nvcc=$(nvcc --version 2>/dev/null | sed -n 's/.*release //p') || :
device=$(nvidia-smi -L 2>/dev/null | head -n 1 | sed 's/ (UUID.*//') || :
if [ -n "$nvcc$device" ]; then
    good CUDA "${device:-no device}; nvcc ${nvcc:-not installed}"
else
    good CUDA "no device and no nvcc; the simulated GPU needs neither"
fi

echo
if [ "$status" -eq 0 ]; then
    echo "all that a student needs is here"
else
    echo "missing:$lacking. make setup installs what is missing"
fi
exit "$status"
