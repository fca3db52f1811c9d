#!/bin/sh
# figures.sh - redraws the pictures of the README and the handouts
# (docs/figures/NN_x/*.png) from the solutions, and updates the program output shown in
# README.md (make figures). The list below names the pictures.
set -eu
cd "$(dirname "$0")/../.."

# OpenBLAS chooses the kernels for this processor; the throughput figure names them.
unset OPENBLAS_CORETYPE

chosen='
01_simple_attention  attention averaging symmetry why_scale dictionary
02_batching          batch throughput
03_causal_mask       causal alignment padding finite
04_multi_head        heads fused trace_published trace_right
05_transformer_block  eps gelu depth change share
07_positional_encoding  sentence encoding circles offset reach distance
08_language_model    heads bracket quote gate temperature surprise loss
09_generation        time memory serving int8
10_flash_attention   row tiles
11_reading_attention  gelu measures bert rollout
'

echo "$chosen" | while read -r folder names; do
    [ -n "$folder" ] || continue
    lab=${folder%%_*}
    out=build/plots/solutions/$lab
    ${MAKE:-make --no-print-directory} plot LAB="${lab#0}" SRC=solutions
    mkdir -p "docs/figures/$folder"
    for name in $names; do
        cp "$out/$name.png" "docs/figures/$folder/$name.png"
    done
done

# Lab 10's times are those of the fast form: plain loops are slower than lab 4's BLAS.
${MAKE:-make --no-print-directory} plot LAB=10 SRC=solutions/fast
cp build/plots/solutions/fast/10/cost.png docs/figures/10_flash_attention/cost.png

# A layer of a real model, if make pretrained has fetched it; not one with a head that 11.8 asks for.
if [ -e build/pretrained/minilm ]; then
    build/attnmap --model build/pretrained/minilm \
        --text "The lawyer asked the witness if she remembered the accident." \
        --layer 3 --title "The heads of one layer of a small BERT that reads a sentence" \
        --out docs/figures/11_reading_attention/heads.png
fi

# The tables of heads that lab 8's handout shows.
build/explore/solutions/08 build/plots/solutions/08/data |
    sed -n '/^Between (/,/^6\. /{/^6\. /!p}' | sed '$d' |
    grader/tools/between.sh labs/08_language_model/README.md heads

# The pictures of the experiments of labs 5 to 8.
keep() { # FOLDER NAME AS [SRC]
    ${MAKE:-make --no-print-directory} experiment NAME="$2" SRC="${4:-solutions}"
    mkdir -p "docs/figures/$1"
    cp "build/experiments/${4:-solutions}/$2.png" "docs/figures/$1/$3.png"
}
for name in loss maps mask heads width tasks positions dropout; do
    keep 06_copy_task $name $name
done
keep 05_transformer_block depth gradient
keep 07_positional_encoding encodings encodings
keep 08_language_model rope rope solutions/fast

# Tokens a second beside the limit.
${MAKE:-make --no-print-directory} build/bench/09_decode build/bench/core
grader/tools/bench.sh 09_decode
cp build/experiments/decode/decode.png docs/figures/09_generation/

# The student archive has a limit. make plot never draws these the same again, so they need not be gnuplot's bytes.
figures=docs/figures
if command -v optipng >/dev/null; then
    optipng -quiet -strip all $figures/06_copy_task/*.png $figures/02_batching/throughput.png \
        $figures/05_transformer_block/gradient.png $figures/07_positional_encoding/encodings.png \
        $figures/08_language_model/rope.png $figures/09_generation/time.png $figures/09_generation/decode.png \
        $figures/10_flash_attention/cost.png
else
    echo "figures: no optipng, so the measured pictures are larger than they need to be" >&2
fi

# The output that README.md shows.
try=build/readme
rm -rf $try
grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale $try
build/grade check --src $try --exercise 1.3 | sed "s|$try|labs|" |
    grader/tools/between.sh README.md failure
rm -rf $try
grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores_kernel.cu@no-barrier-before-reading $try
build/grade check --src $try --exercise 1.3 --backend gpu-simulated | sed "s|$try|labs|" |
    grader/tools/between.sh README.md race
rm -rf $try

du -ch docs/figures/*/*.png | sort -k2
