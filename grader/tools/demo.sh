#!/bin/sh
# demo.sh - shows the workbook from end to end (make demo): prepares the machine,
# builds the grader, judges right and wrong code, and draws the attention maps.
#
# It fails if a step does not work as shown: solutions without full marks, a faulty sample that
# passes, a missing picture.
set -eu
cd "$(dirname "$0")/../.."
: "${MAKE:=make --no-print-directory}"
submissions=grader/tests/submissions
sample=build/sample

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
step=0
title() {
    step=$((step + 1))
    printf '\n%s%d. %s%s\n\n' "$bold" $step "$1" "$plain"
}
now() {
    date +%s%N | cut -c 1-13 # milliseconds
}
started=$(now)

title "What this machine needs"
grader/tools/setup.sh

title "Building the grader"
before=$(now)
labs=$(cd labs && ls -d [0-9]*)
for folder in $labs; do
    set -- "$@" "build/explore/solutions/${folder%%_*}"
done
# shellcheck disable=SC2086 # MAKE is a command with options
grader/tools/first.sh 'the grader and the solutions' $MAKE SRC=solutions programs "$@"
echo "built in $((($(now) - before + 500) / 1000)) s"

title "The solutions: full marks"
build/grade check --src solutions --backend all

title "A sample with mistakes: the report names each one"
rm -rf $sample
# shellcheck disable=SC2046 # one word per snippet
grader/tools/transplant.sh \
    $(sed -n "s|^[^#]|$submissions/&|p" $submissions/sample.txt) $sample
for folder in "$sample"/*/; do
    lab=$(basename "$folder")
    lab=${lab%%_*}
    status=0
    build/grade check --src $sample --lab "${lab#0}" || status=$?
    if [ $status -ne 1 ]; then
        echo "demo: lab $lab of the sample should have failed (exit status 1, not" \
            "$status)" >&2
        exit 1
    fi
done

title "A CUDA kernel with a race: the report shows it, without a GPU"
rm -rf $sample-gpu
grader/tools/transplant.sh $submissions/wrong/1.3-attention_scores_kernel.cu@no-barrier-before-reading $sample-gpu
status=0
build/grade check --src $sample-gpu --exercise 1.3 --backend gpu-simulated || status=$?
if [ $status -ne 1 ]; then
    echo "demo: the race should have been found (exit status 1, not $status)" >&2
    exit 1
fi

title "A small transformer learns to copy"
$MAKE -s SRC=solutions build/trainer/solutions/train
build/trainer/solutions/train --steps 50 --maps

title "The attention maps"
for folder in $labs; do
    lab=${folder%%_*}
    grader/tools/plot.sh "labs/$folder/plot.gp" "build/explore/solutions/$lab" \
        "build/plots/solutions/$lab/data" "build/plots/solutions/$lab"
done

title "What each word looks at, with the causal mask"
awk -F '\t' '
    function cell(text) { return sprintf("%-6s", substr(text, 1, 5)) }
    BEGIN { split(" ,░,▒,▓,█", shade, ",") }
    {
        line = cell(FNR > 1 ? $1 : "")
        for (i = 2; i <= NF; i++) {
            if (FNR == 1) {
                line = line cell($i)
            } else {
                s = shade[$i == "nan" ? 1 : 2 + ($i > 0.15) + ($i > 0.3) + ($i > 0.6)]
                line = line s s s s "  "
            }
        }
        print "  " line
    }' build/plots/solutions/03/data/masked.tsv
echo
echo "A row is the word that attends, a column is a word that it attends to."
echo "Darker means more weight."

story=datasets/story_model.safetensors
if [ -e $story ]; then
    title "A language model writes: every character comes from lab 8's solutions"
    $MAKE -s SRC=solutions/fast build/trainer/solutions/fast/generate
    build/trainer/solutions/fast/generate --model $story --prompt 'Once ' --length 160 \
        --temperature 0.8 --seed 1
fi

title "Done in $((($(now) - started + 500) / 1000)) s"
gallery=build/plots/solutions/index.html
{
    echo '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Attention maps</title>'
    echo '<style>body { font-family: sans-serif; max-width: 60rem; margin: auto } img { width: 100% }</style>'
    for picture in build/plots/solutions/*/*.svg; do
        name=${picture#build/plots/solutions/}
        echo "<h2>Lab ${name%%/*}: $(basename "$name" .svg)</h2><img src=\"$name\" alt=\"\">"
    done
} >$gallery
echo "All pictures on one page, to open in a browser: $gallery"
echo "Your turn: read labs/01_simple_attention/README.md, then run make learn"
