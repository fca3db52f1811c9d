#!/bin/sh
# train.sh - the template of build/train (make inserts folder and flags): rebuilds the
# training program for the code in --src if necessary, and runs it.
#
#   build/train --task reverse                  with the fast form of the solutions
#   build/train --task reverse --src labs       with your code; first lists exercises that do not pass
#   build/train --gpu                           every step on the (simulated) GPU
#
# Exit status: the program's (see --help); 2 also when the code of --src does not compile.
set -u
B=build
CC=gcc
CFLAGS='-O2 -g'
SANITIZE=

here=$(dirname "$(readlink -f "$0")")
root=${here%/"$B"}
src=solutions/fast
[ -d "$root/$src" ] || src=labs

# Passes all options except --src and --gpu to the program.
gpu=
note=yes
count=$#
while [ "$count" -gt 0 ]; do
    count=$((count - 1))
    case $1 in
    --src)
        if [ "$count" -eq 0 ]; then
            echo "train: --src needs a value (see train --help)" >&2
            exit 2
        fi
        src=$2
        count=$((count - 1))
        shift 2
        ;;
    --src=*)
        src=${1#--src=}
        shift
        ;;
    --gpu)
        gpu=-gpu
        shift
        ;;
    *)
        case $1 in --quiet | --help | --best) note=no ;; esac
        set -- "$@" "$1"
        shift
        ;;
    esac
done

case $src in
labs | solutions | solutions/fast | labs/ | solutions/ | solutions/fast/) ;;
*)
    if ! [ -d "$src" ]; then
        echo "train: --src: there is no folder '$src'" >&2
        exit 2
    fi
    src=$(cd "$src" && pwd)
    case $src in "$root"/*) src=${src#"$root/"} ;; esac
    ;;
esac
src=${src%/}
if [ -n "$gpu" ] && [ ! -d labs/programs/train_gpu ]; then
    echo "train: the student archive trains only on the CPU; your instructor has the GPU version" >&2
    exit 2
fi
program=$B/trainer/$src/train$gpu
case $src in solutions | solutions/fast) note=no ;; esac
[ -z "$gpu" ] || note=no
made=$program
[ $note = no ] || made="$program $program.note"
# shellcheck disable=SC2086 # two words
if ! (cd "$root" && unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LAB EX LEVEL SEED &&
    make --silent B="$B" SRC="$src" CC="$CC" CFLAGS="$CFLAGS" SANITIZE="$SANITIZE" \
        $made) >&2; then
    echo "train: the code in $src could not be built" >&2
    exit 2
fi
[ $note = no ] || cat "$root/$program.note" >&2
exec "$root/$program" "$@"
