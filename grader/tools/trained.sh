#!/bin/sh
# trained.sh - draws the heads of a trained model that reads $TEXT with a lab's attention
# (make plot LAB=3 TEXT="..." MASK=0 SCALE=0).
#
#   TEXT="Once there was" MASK=0 grader/tools/trained.sh build/trained/labs/03 build/plots/labs/03
#
# MASK=0 lets every query see every key, and SCALE=0 leaves out the division by sqrt(hs). The numbers
# go to the terminal; text.png, text.svg and text.html to the folder. Exit status: that of the program.
set -eu
cd "$(dirname "$0")/../.."
program=$1 out=$2
title='Every head of the trained story model'
set -- --text "${TEXT:-}"
for switch in MASK SCALE; do
    eval "value=\${$switch:-}"
    case $value in
    '' | 1) ;;
    0)
        set -- "$@" "--no-$(echo $switch | tr '[:upper:]' '[:lower:]')"
        title="$title, $switch=0"
        ;;
    *)
        echo "plot: $switch is 0 or 1, not $value" >&2
        exit 2
        ;;
    esac
done
case $(locale charmap 2>/dev/null) in
UTF-8) ;;
*) export LC_ALL=C.UTF-8 ;; # the labels are UTF-8, whatever the terminal is
esac
mkdir -p "$out"
fresh=$(mktemp -d "$out/.new.XXXXXX")
trap 'rm -rf "$fresh"' EXIT
trap 'exit 130' INT TERM
"$program" "$@" --out "$fresh/weights.safetensors"
for kind in png svg html; do
    build/attnmap "$fresh/weights.safetensors" --title "$title" --out "$fresh/text.$kind" >/dev/null
    mv "$fresh/text.$kind" "$out/text.$kind"
done
echo "pictures: $out/text.png .svg; all heads with their characters: $out/text.html"
