#!/bin/sh
# plot.sh - runs a lab's explore program and draws its pictures.
#
#   grader/tools/plot.sh labs/03_causal_mask/plot.gp build/explore/labs/03 DATADIR OUTDIR [RIGHT]
#
# The program's tables go to DATADIR, the pictures to OUTDIR. Hides the output of explore, but
# shows its errors. RIGHT is a folder with the pictures of right code, for code that is wrong: each
# picture is also drawn beside the one of the same name, as NAME.beside.png.
# Pictures and tables of an earlier run are removed, so all that lie there show this code.
# If explore stops, it draws the pictures whose tables exist. Exit status: 0 also if the others, or all, need
# functions that are not written, which explore.sh names; 1 if explore failed, or nothing was drawn.
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
# The first function that explore lacks: "1.1 matmul: not written yet; ...", "6.11 model_forward calls 6.3 ...".
first=$(sed -n -e 's/^[0-9.]* [a-z_0-9]* calls \([0-9.]* [a-z_0-9]*\), which is not written yet.*/\1/p' \
    -e 's/^\([0-9.]* [a-z_0-9]*\): not written yet.*/\1/p' "$fresh/errors" | head -n 1)
if [ -z "$drawn" ] && [ $explored -eq 3 ] && [ -n "$first" ]; then
    echo "No picture yet: each needs a function that is not written. The first one is"
    echo "$first: make hint EX=${first%% *}"
    exit 0
fi
cat "$fresh/errors" >&2
if [ -z "$drawn" ]; then
    [ $explored -eq 0 ] || exit 1 # explore has said why
    echo "plot: $script drew no picture in $out" >&2
    exit 1
fi
{
    echo "pictures (the .svg beside each shows values under the pointer):"
    for picture in $drawn; do
        svg=${picture%.png}.svg
        echo "  $picture$([ ! -s "$svg" ] || echo " .svg")"
    done
    [ -z "$beside" ] || echo "beside the pictures of right code:"
    for picture in $beside; do echo "  $picture"; done
    # After a crash, a picture that is not there could show the mistake.
    [ -z "$compared" ] || [ -n "$beside" ] || { [ $explored -ne 0 ] && [ $explored -ne 3 ]; } ||
        echo "They look the same as with the right code: no picture shows the mistake."
} 2>/dev/null || :
[ $explored -eq 0 ] || [ $explored -eq 3 ]
