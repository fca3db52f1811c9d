#!/bin/sh
# bench_class.sh - measures the grading of classes of different sizes.
#
#   make bench-class                         classes of 10, 100 and 300, every lab
#   make bench-class COUNT='10 100' LAB=1
#   GRADE=old/grade COUNT=20 bench_class.sh  another grader, for comparison
#
# Of ten hand-ins, four are right, three have a known mistake in lab 1, one is the skeleton, one
# has only the first lab, and one is hostile. All are different, so every one is judged. On a
# shared machine, compare processor seconds. Uses a box if possible; the table says so. Works in
# build/bench-class.
set -eu
cd "$(dirname "$0")/../.."
sizes=${COUNT:-10 100 300}
case $sizes in
*[!0-9\ ]*)
    echo "bench-class: COUNT is the sizes of classes, as COUNT='10 100', not '$sizes'" >&2
    exit 2
    ;;
esac
grade=${GRADE:-build/grade}
lab=${LAB:-}
work=build/bench-class
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work/parts"
unset OPENBLAS_CORETYPE

hostile='1.3-exit-zero 1.3-segfault 1.3-own-main 1.3-does-not-compile 1.3-past-the-end 1.3-endless-loop'
wrong='1.3-attention_scores.c@no-scale 1.4-softmax_rows.c@no-max 1.6-simple_attention.c@columns
    1.2-linear.c@no-bias 1.5-weighted_values.c@mean 1.3-attention_scores.c@divided-by-d'
for name in $hostile; do
    grader/tools/transplant.sh "grader/tests/submissions/hostile/$name.c" "$work/parts/$name"
done
for name in $wrong; do
    grader/tools/transplant.sh "grader/tests/submissions/wrong/$name" "$work/parts/$name"
done

# The i-th word of a list, cyclically.
pick() { # PLACE WORD...
    place=$1
    shift
    shift $((place % $#))
    echo "$1"
}

# Creates hand-in number $1.
hand_in() { # NUMBER FOLDER
    folder=$2
    mkdir -p "$folder"
    case $(($1 % 10)) in
    7) cp -R labs/[0-9]* "$folder/" && rm -f "$folder"/*/test_*.c ;;
    8) cp -R solutions/01_* "$folder/" ;;
    *) cp -R solutions/[0-9]* "$folder/" ;;
    esac
    part=
    case $(($1 % 10)) in
    4 | 5 | 6) part=$(pick $(($1 / 10 * 3 + $1 % 10)) $wrong) ;;
    9) part=$(pick $(($1 / 10)) $hostile) ;;
    esac
    [ -z "$part" ] || cp "$work/parts/$part"/01_*/*.c "$folder"/01_*/
    for file in "$folder"/*/*.c; do
        echo "// handed in by number $1" >>"$file"
    done
}

box=--trust
if "$grade" check --untrusted --src solutions --exercise 1.1 >/dev/null 2>&1; then
    box=
fi
echo "processors: $(nproc); labs: ${lab:-all}; box: $([ -n "$box" ] && echo none || echo yes)"
# Two blanks between columns, because titles contain blanks.
printf '%-8s  %7s  %14s  %17s  %17s  %10s\n' hand-ins seconds "seconds, again" \
    "hand-ins a minute" "processor seconds" "memory, MB"
for size in $sizes; do
    class=$work/class$size
    number=0
    while [ $number -lt "$size" ]; do
        hand_in $number "$class/student$number"
        number=$((number + 1))
    done
    run() { "$grade" class "$class" --db "$work/$size.db" ${lab:+--lab "$lab"} $box >"$work/said"; }
    started=$(date +%s%N)
    run
    first=$(($(date +%s%N) - started))
    memory=$(sed -n 's/.* \([0-9.]*\) MB.*/\1/p' "$work/said" | tail -n 1)
    busy=$(sed -n 's/.* \([0-9]*\) s of processor time.*/\1/p' "$work/said" | tail -n 1)
    [ -n "$box" ] || busy=- # processes that end in a box are not counted
    started=$(date +%s%N)
    run
    again=$(($(date +%s%N) - started))
    awk -v n="$size" -v first="$first" -v again="$again" -v memory="$memory" -v busy="$busy" 'BEGIN {
        printf "%-8d  %7.1f  %14.1f  %17.1f  %17s  %10s\n", n, first / 1e9, again / 1e9,
            60 * n / (first / 1e9), busy, memory }'
    rm -rf "$class"
done
