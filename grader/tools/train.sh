#!/bin/sh
# train.sh - the template of build/train, build/generate, build/read_model and build/measure (make
# inserts name, folder and flags):
# rebuilds the program for the code in --src if necessary, and runs it.
#
#   build/train --task reverse                  with the fast form of the solutions
#   build/train --task reverse --src labs       with your code; first lists exercises that do not pass
#   build/train --gpu                           every step on the (simulated) GPU
#   build/train --lab 8 --steps 3000            the language model of lab 8
#   build/generate --prompt Once                lets it write
#   build/generate --lab 9 --int8               with lab 9's cache, and its matrices as int8
#   build/read_model DIR --text "The cat sat."  runs BERT or GPT-2 with lab 11
#   build/measure FILE entropy                  measures the attention weights in a file with lab 11
#
# Exit status: the program's (see --help); 2 also when the code of --src does not compile.
set -u
NAME=train
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
lab=
note=yes
help=
count=$#
while [ "$count" -gt 0 ]; do
    count=$((count - 1))
    case $1 in
    --src)
        if [ "$count" -eq 0 ]; then
            echo "$NAME: --src needs a value (see $B/$NAME --help)" >&2
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
    --lab)
        if [ "$count" -eq 0 ]; then
            echo "$NAME: --lab needs a value (see $B/$NAME --help)" >&2
            exit 2
        fi
        lab=$2
        count=$((count - 1))
        shift 2
        ;;
    --lab=*)
        lab=${1#--lab=}
        shift
        ;;
    *)
        case $1 in
        --help) help=yes ;;
        --quiet | --best) note=no ;;
        esac
        set -- "$@" "$1"
        shift
        ;;
    esac
done

case $src in
labs | solutions | solutions/fast | labs/ | solutions/ | solutions/fast/) ;;
*)
    if ! [ -d "$src" ]; then
        echo "$NAME: --src: there is no folder '$src'" >&2
        exit 2
    fi
    src=$(cd "$src" && pwd)
    case $src in "$root"/*) src=${src#"$root/"} ;; esac
    ;;
esac
src=${src%/}
if [ -n "$gpu" ] && [ ! -d "$root/labs/programs/train_gpu" ]; then
    echo "$NAME: the student archive trains only on the CPU; your instructor has the GPU version" >&2
    exit 2
fi
case $NAME,${lab#0} in
train, | train,6) program=$B/trainer/$src/$NAME$gpu ;;
train,8)
    if [ -n "$gpu" ]; then
        echo "train: lab 8 trains on the CPU; only lab 6 trains on a GPU" >&2
        exit 2
    fi
    program=$B/trainer/$src/train-language
    ;;
train,*)
    echo "train: --lab is 6 (the copy task) or 8 (the language model), not '$lab'" >&2
    exit 2
    ;;
read_model, | measure,) program=$B/reader/$src/$NAME note=no ;;
read_model,* | measure,*)
    echo "$NAME: it has no --lab; lab 11 is the only one" >&2
    exit 2
    ;;
generate, | generate,8) program=$B/trainer/$src/generate ;;
generate,9) program=$B/trainer/$src/generate-cached ;;
*)
    echo "generate: --lab is 8 (the whole text again for each character) or 9 (a cache), not '$lab'" >&2
    exit 2
    ;;
esac
# The same text as the program's, without building it (test_train.sh compares).
if [ -n "$help" ]; then
    name=${program##*/}
    exec 3>&1
    columns=$([ ! -t 3 ] || stty size <&3 2>/dev/null | cut -d ' ' -f 2)
    # A line that is wider than the terminal goes on below its text.
    exec awk -v columns="${columns:-0}" '{
        further = match($0, /[^ ]  +[^ ]/) ? RSTART + RLENGTH - 2 : match($0, /[^ ]/) + 3
        while (columns > further && length($0) > columns) {
            for (at = columns + 1; at > further && substr($0, at, 1) != " "; at--) {
            }
            if (at <= further) { break }
            print substr($0, 1, at - 1)
            $0 = sprintf("%" further "s%s", "", substr($0, at + 1))
        }
        print
    }' "$root/labs/programs/help/${name%-gpu}.txt"
fi
case $src in solutions | solutions/fast) note=no ;; esac
[ -z "$gpu" ] || note=no
made=$program
notes=$program.note
case $program in */generate) notes=$B/trainer/$src/train-language.note ;; esac
[ $note = no ] || made="$program $notes"
# shellcheck disable=SC2086 # two words
if ! (cd "$root" && unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LAB EX LEVEL SEED &&
    make --silent -j"$(nproc)" B="$B" SRC="$src" CC="$CC" CFLAGS="$CFLAGS" SANITIZE="$SANITIZE" \
        $made) >&2; then
    echo "$NAME: the code in $src could not be built" >&2
    exit 2
fi
[ $note = no ] || cat "$root/$notes" >&2
case $src in /*) ;; *) src=$root/$src ;; esac
exec "$root/grader/tools/run_program.sh" "$NAME" "${lab:-}" "$src" "$root/$program" "$@"
