#!/bin/sh
# experiment.sh - trains variants of lab 6's or lab 8's model and draws the results (make
# experiment).
#
#   grader/tools/experiment.sh NAME TRAIN OUTDIR
#
# TRAIN is the program in build/trainer. The experiments depth and encodings run the program
# variants beside it (labs/programs/variants, which describes their tables), and rope runs
# train-language and train-no-rope, both on the stories. The measurements go to OUTDIR/NAME.tsv,
# the picture to NAME.png and NAME.svg (for maps, also NAME.gif). docs/formats.md has the columns
# of rope's table. For the other experiments, a row of the table is one measurement:
#
#   variant  seed  step  loss  accuracy  best
#
# loss is the mean over the steps since the previous measurement, accuracy is measured on 512
# sequences that the model has not seen, and best is the best possible accuracy
# (labs/programs/train/best.c). The results depend only on the seeds 1, 2 and 3, so the same
# machine gives the same table.
set -eu
cd "$(dirname "$0")/../.."

names='
loss       the copy task: loss and accuracy over 500 steps
maps       what every head looks at after 0, 10, 50 and 500 steps, copy and reverse; animated too
mask       reverse with the causal mask and without
heads      add with 1, 2, 4 and 8 heads
width      add with 16 heads of width 4 and 4 heads of width 16
tasks      reverse, sort and add against the best that is possible
positions  add without positions, with learned and with sinusoidal ones
dropout    reverse from 64 sequences, with dropout 0 and 0.1
depth      the gradient in each of 24 blocks before training, pre-norm and post-norm (lab 5)
encodings  reverse, sort and add with five ways to tell places, on longer sequences too (lab 7)
rope       the story model with RoPE and without: the loss over 1000 steps, and what it writes (lab 8)
'
# The student archive does not contain the program variants.
[ -d labs/programs/variants ] || names=$(echo "$names" | grep -v -e '^depth ' -e '^encodings ' -e '^rope ')
name=${1:-} train=${2:-} out=${3:-}
list() {
    echo "make experiment NAME=... [SRC=solutions], where NAME is one of"
    echo "$names" | sed '/^$/d; s/^/  /'
}
if [ -z "$name" ]; then # the requested experiment is complete
    list
    exit 0
fi
if ! echo "$names" | grep -q "^$name "; then
    echo "there is no experiment '$name'" >&2
    list >&2
    exit 2
fi
if ! command -v gnuplot >/dev/null; then
    echo "experiment: needs gnuplot (sudo apt-get install gnuplot-nox)" >&2
    exit 1
fi

mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
table=$scratch/table
seeds='1 2 3'
plots=labs/06_copy_task

# variant NAME OPTIONS...: trains it with every seed, in parallel, and adds the measurements to
# the table.
variant() {
    variant=$1
    shift
    best=$("$train" --best "$@" | awk '$1 == "all" { print $2 }')
    runs=
    for seed in $seeds; do
        "$train" --quiet --seed "$seed" --log "$scratch/log$seed" "$@" &
        runs="$runs $!"
    done
    for run in $runs; do
        wait "$run"
    done
    for seed in $seeds; do
        awk -F '\t' -v OFS='\t' -v variant="$variant" -v seed="$seed" -v best="$best" '
            NR == 1 { next }
            $2 != "nan" { sum += $2; count++ }
            $3 != "nan" {
                print variant, seed, $1, count ? sum / count : "nan", $3, best
                sum = count = 0
            }
        ' "$scratch/log$seed" >>"$table"
    done
}

# The last measurements, and the first step with 99 % of the best possible accuracy, as means
# over the seeds.
summary() {
    awk -F '\t' '
        NR == 1 { next }
        !($1 in best) { order[++variants] = $1; best[$1] = $6 }
        { loss[$1, $2] = $4; accuracy[$1, $2] = $5; seeds[$2] }
        $5 >= 0.99 * $6 && !(($1, $2) in reached) { reached[$1, $2] = $3 }
        END {
            printf "%-18s %9s %9s %9s   %s\n", "variant", "loss", "right", "best",
                "step at 99 % of the best"
            for (i = 1; i <= variants; i++) {
                v = order[i]; l = a = n = 0; steps = ""
                for (seed in seeds) {
                    l += loss[v, seed]; a += accuracy[v, seed]; n++
                }
                for (seed = 1; seed in seeds; seed++) {
                    steps = steps " " ((v, seed) in reached ? reached[v, seed] : "never")
                }
                printf "%-18s %9.4f %8.1f%% %8.1f%%  %s\n", v, l / n, 100 * a / n, 100 * best[v],
                    steps
            }
        }
    ' "$1"
}

# The accuracy on each task at each length in percent: means over the seeds.
summary_of_encodings() {
    awk -F '\t' '
        NR == 1 { next }
        !($2 in known) { task[++tasks] = $2; known[$2] }
        !($1 in seen) { name[++names] = $1; seen[$1] }
        !($4 in long) { length_of[++lengths] = $4; long[$4] }
        { right[$2, $1, $4] += $6; count[$2, $1, $4]++ }
        END {
            for (t = 1; t <= tasks; t++) {
                printf "%-12s", task[t]
                for (l = 1; l <= lengths; l++) { printf " %8s", "T=" length_of[l] }
                printf "\n"
                for (n = 1; n <= names; n++) {
                    printf "  %-10s", name[n]
                    for (l = 1; l <= lengths; l++) {
                        c = count[task[t], name[n], length_of[l]]
                        if (c) printf " %7.1f%%", 100 * right[task[t], name[n], length_of[l]] / c
                    }
                    printf "\n"
                }
            }
        }
    ' "$1"
}

# The experiment rope replaces cos and sin (labs/programs/variants/no_rope.c). Code with other ways to
# rotate would train the same model twice.
can_do_without() {
    for program in train-language train-no-rope; do
        "${train%train}$program" --quiet --data "$data/valid.txt" --held-out-tokens 100 --length 8 \
            --embed 8 --heads 2 --hidden 12 --layers 1 --batch 2 --steps 2 --model "$scratch/$program"
    done
    ! cmp -s "$scratch/train-language" "$scratch/train-no-rope"
}

# stories VARIANT PROGRAM: trains lab 8's model on the stories. Its losses go to VARIANT.rows, the
# program's output to VARIANT.said.
stories() {
    "$2" --data "$data/train.txt" --held-out "$data/valid.txt" \
        --steps 1000 --every 50 --sample-every 1000 --log "$scratch/$1" >"$scratch/$1.said"
    awk -F '\t' -v OFS='\t' -v variant="$1" '
        NR > 1 && $3 != "nan" { print variant, $1, $3 }' "$scratch/$1" >"$scratch/$1.rows"
}

started=$(date +%s%N | cut -c 1-13)
printf 'variant\tseed\tstep\tloss\taccuracy\tbest\n' >"$table"
case $name in
loss)
    variant copy --task copy --steps 500 --every 10
    ;;
mask)
    variant 'causal mask' --task reverse --steps 600 --every 10
    variant 'no mask' --task reverse --steps 600 --every 10 --no-mask
    ;;
heads)
    for heads in 1 2 4 8; do
        variant "$heads × $((32 / heads))" --task add --steps 500 --every 10 --heads $heads
    done
    ;;
width)
    variant '16 × 4' --task add --steps 300 --every 5 --embed 64 --heads 16
    variant '4 × 16' --task add --steps 300 --every 5 --embed 64 --heads 4
    ;;
tasks)
    for task in reverse sort add; do
        variant $task --task $task --steps 1500 --every 25
    done
    ;;
positions)
    for positions in none sinusoidal learned; do
        variant $positions --task add --steps 1000 --every 20 --positions $positions
    done
    ;;
dropout)
    variant 'dropout 0' --task reverse --steps 1500 --every 25 --rows 64
    variant 'dropout 0.1' --task reverse --steps 1500 --every 25 --rows 64 --dropout 0.1
    ;;
maps)
    # more measurements at the beginning
    steps=$(seq -s , 0 5 100),$(seq -s , 110 10 200),$(seq -s , 225 25 500)
    for task in copy reverse; do
        "$train" --quiet --task $task --steps 500 --map-log "$scratch/$task" --map-at "$steps"
        awk -v task=$task -v OFS='\t' 'NR == 1 { $0 = "task\t" $0 } NR > 1 { $0 = task "\t" $0 }
            { print }' "$scratch/$task"
    done | awk 'NR == 1 || $1 != "task"' >"$table"
    ;;
depth | encodings)
    "${train%train}variants" "$name" "$table"
    ;;
rope)
    data=${train%/trainer/*}/data/stories
    if ! can_do_without; then
        echo "experiment: this code rotates without cos and sin, so RoPE cannot be left out" >&2
        exit 1
    fi
    stories with "${train%train}train-language" &
    with=$!
    stories without "${train%train}train-no-rope"
    wait $with
    printf 'variant\tstep\theld_out\n' | cat - "$scratch/with.rows" "$scratch/without.rows" >"$table"
    ;;
esac

cp "$table" "$out/$name.tsv.$$.new"
mv "$out/$name.tsv.$$.new" "$out/$name.tsv"
case $name in
maps)
    status=0
    gnuplot -c $plots/experiment_maps.gp "$out/$name.tsv" "$out" 2>"$out/.said" || status=$?
    grep -v 'frames in animation' "$out/.said" >&2 || : # gnuplot counts those of a GIF
    rm "$out/.said"
    [ $status -eq 0 ] || exit $status
    ;;
depth)
    awk 'NR % 4 == 1 || NR == 2' "$out/$name.tsv"
    gnuplot -c labs/05_transformer_block/experiment.gp "$name" "$out/$name.tsv" "$out"
    ;;
encodings)
    summary_of_encodings "$out/$name.tsv"
    gnuplot -c labs/07_positional_encoding/experiment.gp "$name" "$out/$name.tsv" "$out"
    ;;
rope)
    for variant in with without; do
        echo "$variant RoPE"
        sed -n '/^---- step 1000/,/^----$/p; /^done/p' "$scratch/$variant.said"
    done
    gnuplot -c labs/08_language_model/experiment.gp "$name" "$out/$name.tsv" "$out"
    ;;
*)
    summary "$out/$name.tsv"
    gnuplot -c $plots/experiment.gp "$name" "$out/$name.tsv" "$out"
    ;;
esac
echo "$(($(date +%s%N | cut -c 1-13) - started)) ms; the table and the pictures:"
find "$out" -maxdepth 1 -name "$name*" | sort | sed 's/^/  /'
