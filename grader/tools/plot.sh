#!/bin/sh
# plot.sh - runs a lab's explore program and draws its pictures.
#
#   grader/tools/plot.sh labs/03_causal_mask/plot.gp build/explore/labs/03 DATADIR OUTDIR [RIGHT]
#
# The program's tables go to DATADIR, the pictures to OUTDIR. Hides the output of explore, but
# shows its errors. RIGHT is a folder with the pictures of right code, for code that is wrong: each
# picture is also drawn beside (a wide one: above) the one of the same name, as NAME.beside.png.
# Pictures and tables of an earlier run are removed, so all that lie there show this code.
# If explore stops, it draws the pictures whose tables exist, and lists the others. Exit status: 0 also if the
# others, or all, need functions that are not written, which explore.sh and GRADE (build/grade) name; 1 if
# explore failed, or nothing was drawn.
set -eu
cd "$(dirname "$0")/../.."
script=$1 explore=$2 data=$3 out=$4 right=${5:-}

if ! command -v gnuplot >/dev/null; then
    echo "plot: needs gnuplot, which is not installed; make setup installs it" >&2
    exit 1
fi
# Names and titles are UTF-8, independently of the terminal.
case $(locale charmap 2>/dev/null) in
UTF-8) ;;
*) export LC_ALL=C.UTF-8 ;;
esac
# Draws in a temporary folder, because another process may draw the same, and then replaces the
# old pictures.
mkdir -p "$data" "$out"
fresh=$(mktemp -d "$out/.new.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
mkdir "$fresh/data" "$fresh/out"
explored=0
grader/tools/explore.sh "$explore" "$fresh/data" >/dev/null 2>"$fresh/errors" || explored=$?
trap '' PIPE # make plot | head: the pictures are still drawn, without an error message

# Draws each section of the script by itself, and drops those that fail. A section begins with "# ---- ".
draw_sections() {
    mkdir "$fresh/part"
    awk -v part="$fresh/part" '
        function begin() { file = sprintf("%s/%02d.gp", part, ++n); printf "%s", head >file }
        /^# ---- / { begin() }
        /^PLOT = / { $0 = "PLOT = \"labs/programs/plot\"" }
        { if (n) print >file; else head = head $0 "\n" }' "$script"
    for section in "$fresh/part"/*.gp; do
        mkdir "$fresh/some"
        if gnuplot -c "$section" "$fresh/data" "$fresh/some" >"$fresh/said" 2>/dev/null; then
            cat "$fresh/said"
            for file in "$fresh/some"/*; do
                [ ! -s "$file" ] || mv "$file" "$fresh/out"
            done
        fi
        rm -rf "$fresh/some"
    done
}
if [ $explored -eq 0 ]; then
    gnuplot -c "$script" "$fresh/data" "$fresh/out"
else
    draw_sections
fi
for file in "$data"/*; do
    [ -e "$fresh/data/${file##*/}" ] || rm -f "$file"
done
# The names of its pictures are words in quotes: OUT."/causal", "measures". make plot TEXT=... writes others.
for name in $(grep -o '"/\{0,1\}[A-Za-z0-9_]*"' "$script" | tr -d '"/'); do
    [ -s "$fresh/out/$name.png" ] || rm -f "$out/$name.png" "$out/$name.svg"
done
for file in "$fresh"/data/*; do
    [ ! -e "$file" ] || mv "$file" "$data/"
done
# The pictures of the handout that this run does not draw.
absent=
for picture in docs/figures/"$(basename "$(dirname "$script")")"/*.png; do
    name=${picture##*/}
    ! grep -q "\"/\{0,1\}${name%.png}\"" "$script" || [ -s "$fresh/out/$name" ] || absent="$absent $name"
done
drawn=
for file in "$fresh"/out/*; do
    if [ -s "$file" ]; then
        mv "$file" "$out/"
        case $file in *.png) drawn="$drawn $out/${file##*/}" ;; esac
    fi
done
rm -f "$out"/*.beside.png
beside= compared=
for picture in $drawn; do
    same=$right/${picture##*/}
    [ -n "$right" ] && [ -e "$same" ] || continue
    compared=yes
    if ! cmp -s "$picture" "$same"; then
        grader/tools/beside.sh "$picture" "$same" "${picture%.png}.beside.png"
        beside="$beside ${picture%.png}.beside.png"
    fi
done
# The functions that explore lacks: "1.1 matmul: not written yet; ...", "6.11 model_forward calls 6.3 ...".
sed -n -e 's/^[0-9.]* [a-z_0-9]* calls \([0-9.]*\) [a-z_0-9]*, which is not written yet.*/\1/p' \
    -e 's/^\([0-9.]*\) [a-z_0-9]*: not written yet.*/\1/p' "$fresh/errors" >"$fresh/lacks"

# What is not written of this lab, and what it uses of earlier labs, in the order of work. The judge knows:
# "3.4 causal_attention  0/25  todo: builds on 3.1, also todo", and "judged with the workbook's own lab 2
# instead of 2.1, 2.2 and 2.3, which are todo".
find_unwritten() {
    program=${explore#*/explore/}
    number=${program##*/}
    GRADE_COLUMNS=1000 "${GRADE:-build/grade}" check --src "${program%/*}" --lab "${number#0}" --no-color 2>/dev/null |
        awk '$2 ~ /^[0-9]+\.[0-9]+$/ && / todo/ { print $2; sub(/.* todo/, "") }
            /^  judged with .*todo$/ { sub(/.* instead of /, "") ; all = 1 }
            all || /^: builds on / {
                all = 0
                while (match($0, /[0-9]+\.[0-9]+/)) {
                    print substr($0, RSTART, RLENGTH)
                    $0 = substr($0, RSTART + RLENGTH)
                }
            }' |
        sort -u -t . -k 1,1n -k 2,2n "$fresh/lacks" -
}
if [ -z "$drawn" ] && [ $explored -eq 3 ] && [ -s "$fresh/lacks" ]; then
    find_unwritten >"$fresh/unwritten"
    {
        printf 'No picture yet. To write, in the order of work: '
        tr '\n' ' ' <"$fresh/unwritten" | sed 's/ $//; s/ /, /g'
    } | fold -s -w 80
    printf '\nBegin with: make hint EX=%s\n' "$(head -n 1 "$fresh/unwritten")"
    exit 0
fi
cat "$fresh/errors" >&2
if [ -z "$drawn" ]; then
    [ $explored -eq 0 ] || exit 1 # explore has said why
    echo "plot: $script drew no picture in $out" >&2
    exit 1
fi
[ -z "$absent" ] || echo "not drawn:$absent" | fold -s -w 80 >&2
{
    echo "pictures (the .svg beside each shows values under the pointer):"
    for picture in $drawn; do
        svg=${picture%.png}.svg
        echo "  $picture$([ ! -s "$svg" ] || echo " .svg")"
    done
    [ -z "$beside" ] || echo "beside the pictures of the right code:"
    for picture in $beside; do echo "  $picture"; done
    # After a crash, a picture that is not there could show the mistake.
    [ -z "$compared" ] || [ -n "$beside" ] || { [ $explored -ne 0 ] && [ $explored -ne 3 ]; } ||
        echo "They look the same as with the right code: no picture shows the mistake."
} 2>/dev/null || :
[ $explored -eq 0 ] || [ $explored -eq 3 ]
