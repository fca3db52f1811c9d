#!/bin/sh
# demo.sh - shows the workbook from end to end (make demo): prepares the machine, builds the grader,
# judges right and wrong code, trains a model, draws the pictures of all labs on one page, and lets
# the story model write.
#
# Prints what a newcomer should see; the rest goes to build/demo. It fails if a step does not work
# as shown: solutions without full marks, a faulty sample that passes, a missing picture. The times in
# the titles are of two cores.
set -eu
cd "$(dirname "$0")/../.."
: "${MAKE:=make --no-print-directory}"
submissions=grader/tests/submissions
sample=build/sample
kept=build/demo

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
step=0
title() {
    step=$((step + 1))
    printf '\n%s%d. %s%s\n\n' "$bold" $step "$1" "$plain"
}
fails() { # WHAT...: a step did not do what it shows
    echo "demo: $*" >&2
    exit 1
}
started=$(date +%s)

# One demo at a time in a folder: a second one would replace the samples that the first one judges.
if command -v flock >/dev/null && mkdir -p build && [ -w build ]; then
    exec 8>>build/demo.lock
    if ! flock -n 8; then
        echo "waiting for another make demo in this folder to finish" >&2
        flock 8
    fi
fi

title "The packages that this machine needs"
grader/tools/setup.sh
[ "${SETUP:-}" != skip ] || echo "not checked, because of SETUP=skip"

title "Build the grader and the solutions (the first time: two minutes)"
labs=$(cd labs && ls -d [0-9]*)
for folder in $labs; do
    set -- "$@" "build/explore/solutions/${folder%%_*}"
done
# The lock of make, which first.sh would wait for in silence, while it counts.
# shellcheck disable=SC2086 # MAKE is a command with options
grader/tools/locked.sh grader/tools/first.sh 'the grader and the solutions' $MAKE SRC=solutions programs build/ask \
    build/trainer/solutions/train build/trainer/solutions/fast/generate "$@"
mkdir -p $kept
echo "built"

# "Lab 1  Simple attention   100 of 100   GPU, simulated: 50 of 50"
in_one_line() {
    awk '
        / points$/ && /^Lab / {
            points = $(NF - 3) " of " $(NF - 1)
            if ($0 !~ / on the GPU  /) {
                name = $0
                sub(/  \([^(]*$/, "", name)
                if (name ~ /^Lab [0-9] /) sub(/^Lab /, "Lab  ", name)
                cpu = points
            } else {
                gpu = points
            }
        }
        / points  seed / { where = / gpu-simulated, / ? "GPU, simulated: " : "GPU: " }
        END { printf "  %-36s  %s%s\n", name, cpu, gpu == "" ? "" : "   " where gpu }' "$1"
}
title "The workbook's solutions get all points (about 20 s)"
for folder in $labs; do
    lab=${folder%%_*}
    said=$kept/solutions-$lab.txt
    if ! build/grade check --src solutions --lab "${lab#0}" --backend all >"$said"; then
        cat "$said"
        fails "lab ${lab#0}: the solutions should get full marks"
    fi
    in_one_line "$said"
done

title "Seven planted mistakes: the grader names each"
rm -rf $sample
# shellcheck disable=SC2046 # one word per snippet
grader/tools/transplant.sh \
    $(sed -n "s|^[^#]|$submissions/&|p" $submissions/sample.txt) $sample
# "  x 1.3  attention_scores  0/20  wrong: ..." as "  1.3  wrong: ...", in lines of 80 columns
named='match($0, / 0\/[0-9]+  /) {
    line = sprintf("  %-4s", $2)
    n = split(substr($0, RSTART + RLENGTH), words, " ")
    for (i = 1; i <= n; i++) {
        if (length(line) + 1 + length(words[i]) > 80) {
            print line
            line = "      "
        }
        line = line " " words[i]
    }
    print line
}'
for folder in "$sample"/*/; do
    lab=$(basename "$folder")
    lab=${lab%%_*}
    said=$kept/sample-$lab.txt
    status=0
    build/grade check --src $sample --lab "${lab#0}" >"$said" || status=$?
    [ $status -eq 1 ] ||
        fails "lab ${lab#0} of the sample should have failed (exit status 1, not $status)"
    awk "$named" "$said"
done
printf '\nmake check EX=1.3 SRC=%s prints this about the first:\n\n' "$sample"
build/grade check --src $sample --exercise 1.3 || :

title "A CUDA kernel with a race: the simulated GPU finds it (no card needed)"
rm -rf $sample-gpu
grader/tools/transplant.sh $submissions/wrong/1.3-attention_scores_kernel.cu@no-barrier-before-reading $sample-gpu
status=0
build/grade check --src $sample-gpu --exercise 1.3 --backend gpu-simulated || status=$?
[ $status -eq 1 ] || fails "the race should have been found (exit status 1, not $status)"

title "A small transformer learns to reverse a sequence"
build/trainer/solutions/train --task reverse --no-mask --steps 200 --every 40 \
    --map-log $kept/reverse.tsv --map-at 200 --save $kept/reverse.safetensors
cat <<'END'

What each token attends to: a row is a query, a column a key, fuller is more
weight (the mean of four heads). To reverse, the first token reads the last:

END
grader/tools/shades.sh $kept/reverse.tsv

title "The pictures of every lab (about 20 s)"
for folder in $labs; do
    lab=${folder%%_*}
    grader/tools/plot.sh "labs/$folder/plot.gp" "build/explore/solutions/$lab" \
        "build/plots/solutions/$lab/data" "build/plots/solutions/$lab" >$kept/plot-"$lab".txt
done
page=build/plots/solutions/index.html
count=$(grader/tools/gallery.sh build/plots/solutions)
echo "$count pictures on one page, to open in a browser:"
echo "  $PWD/$page"

story=datasets/story_model.safetensors
if [ -e $story ]; then
    title "A language model writes a story, with lab 8's fast solutions"
    build/trainer/solutions/fast/generate --model $story --prompt 'Once ' --length 400 \
        --temperature 0.8 --seed 1 >$kept/story.txt
    # the first story, up to the end of its last sentence
    awk 'BEGIN { RS = "" } NR == 1 { match($0, /.*[.!?]"?/); print substr($0, 1, RLENGTH) }' $kept/story.txt |
        fold -s -w 80
fi

title "Done in $(($(date +%s) - started)) s. Your turn"
cat <<'END'
  make learn      opens the first exercise and judges every save
  make            lists every command

The handout of lab 1: labs/01_simple_attention/README.md
END
