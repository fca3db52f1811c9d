#!/bin/sh
# run_program.sh - runs a program of make train or make generate. If it fails and a written function
# calls one that is not written yet, names that one. Lab 6's names them itself (labs/programs/train/probe.c).
#
#   grader/tools/run_program.sh NAME LAB SRC PROGRAM [OPTION...]
#   grader/tools/run_program.sh generate 8 labs build/trainer/labs/generate --prompt Once
#
# Run from the workbook's folder. Exit status: the program's.
set -u
NAME=$1 lab=${2#0} src=$3 program=$4
shift 4
case $NAME,$lab in
train,8) functions="language_forward language_backward held_out_loss" folder=08_language_model ;;
generate,9) functions="prefill decode_step" folder=09_generation ;;
generate,*) functions=generate folder=08_language_model ;;
train,*) functions='*' folder='' ;;
*) exec "$program" "$@" ;;
esac
case $src in solutions | */solutions | solutions/fast | */solutions/fast) exec "$program" "$@" ;; esac

# A line "7.3 rope" for each function that is not written and is called directly or indirectly.
stubs=$(awk -v functions="$functions" -v lab="$folder" -f "$(dirname "$0")/unwritten.awk" "$src"/[0-9]*/*.c |
    awk '$NF != $1 && !seen[$2 $3]++ { print $2, $3 }' | sort -V)
if [ "$functions" = '*' ]; then
    export LAB_STUBS="
$stubs
"
    exec "$program" "$@"
fi
[ -n "$stubs" ] || exec "$program" "$@"
trap : INT # Ctrl-C reaches the program, too, which decides
"$program" "$@"
status=$?
if [ "$status" -eq 1 ]; then
    echo "$stubs" | awk -v name="$NAME" '
        NR <= 3 { print name ": it calls " $1 " " $2 ", which is not written yet: make check EX=" $1 }
        END { if (NR > 3) print name ": it calls " NR - 3 " more that " (NR == 4 ? "is" : "are") " not written" }' >&2
fi
exit $status
