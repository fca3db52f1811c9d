#!/bin/sh
# trained.sh - draws the heads of a trained model that reads $TEXT with a lab's functions
# (make plot LAB=3 TEXT="..." MASK=0 SCALE=0).
#
#   TEXT="Once there was" MASK=0 grader/tools/trained.sh build/trained/labs/03 build/plots/labs/03
#
# MASK=0 lets every query see every key, SCALE=0 leaves out the division by sqrt(hs), and ROPE=0 (lab 7)
# does not turn queries and keys. MASK=1 gives the mask to the model that reverses (labs 5 and 6), which
# was trained without it. The numbers go to the terminal; text.png, text.svg and text.html to the folder
# (labs 5 and 6: text-copy and text-reverse). Exit status: that of the program.
set -eu
cd "$(dirname "$0")/../.."
program=$1 out=$2
source=${program#*/trained/} # build/trained/solutions/fast/03
set -- --text "${TEXT:-}" --src "${source%/*}"
case $program in
*/05 | */06) words=yes to=text ;;
*) words= to=text.safetensors ;;
esac
changed=
for switch in MASK SCALE ROPE; do
    eval "value=\${$switch:-}"
    case $value in
    '') continue ;;
    0 | 1) ;;
    *)
        echo "plot: $switch is 0 or 1, not $value" >&2
        exit 2
        ;;
    esac
    case $switch$value in
    MASK1) option=${words:+--mask} ;;
    *1) option= ;;
    ROPE0) option=--no-rope ;;
    *) option=--no-$(echo $switch | tr '[:upper:]' '[:lower:]') ;;
    esac
    case $words$option in
    yes--no-rope)
        echo "plot: ROPE=0 is for lab 7, whose function rotates the queries" >&2
        exit 2
        ;;
    esac
    if [ -n "$option" ]; then
        set -- "$@" "$option"
        changed="$changed, $switch=$value"
    fi
done
case $(locale charmap 2>/dev/null) in
UTF-8) ;;
*) export LC_ALL=C.UTF-8 ;; # the labels are UTF-8, whatever the terminal is
esac
mkdir -p "$out"
fresh=$(mktemp -d "$out/.new.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
trap 'exit 130' INT TERM
"$program" "$@" --out "$fresh/$to"
for weights in "$fresh"/*.safetensors; do
    name=$(basename "$weights" .safetensors)
    case $name in
    text) title='Every head of the trained story model' ;;
    *) title="The heads of the trained model, task ${name#text-}" ;;
    esac
    for kind in png svg html; do
        build/attnmap "$weights" --title "$title$changed" --out "$fresh/$name.$kind" >/dev/null
        mv "$fresh/$name.$kind" "$out/$name.$kind"
    done
    echo "pictures: $out/$name.png .svg"
    echo "all heads with their characters: $out/$name.html"
done
