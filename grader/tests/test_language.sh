#!/bin/sh
# test_language.sh - lab 8's trainer and generator work as documented: a run can be stopped,
# killed and resumed, and every wrong file or option gets one clear line.
set -u
cd "$(dirname "$0")/../.." || exit 1

B=${BUILD:-build}
train=$B/trainer/solutions/train-language
generate=$B/trainer/solutions/generate
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
claim_said=$scratch/out
. grader/tests/claim.sh
export ASAN_OPTIONS=verify_asan_link_order=0 # kills.c is loaded in front of it
text=$scratch/text
"$B/stories" --seed 3 --bytes 20000 >"$text" || exit 1

# A small model, which takes milliseconds.
tiny() {
    "$train" --quiet --data "$text" --embed 8 --heads 2 --hidden 12 --layers 2 --length 16 \
        --batch 3 --held-out-tokens 100 "$@"
}
# fails STATUS PATTERN PROGRAM OPTIONS...: the program ends with that status and prints one line
# that matches.
fails() {
    expected=$1 pattern=$2
    shift 2
    "$@" >"$scratch/printed" 2>"$scratch/error" </dev/null
    got=$?
    cat "$scratch/printed" "$scratch/error"
    echo "exit status $got"
    [ $got -eq "$expected" ] && [ "$(wc -l <"$scratch/error")" -eq 1 ] &&
        grep -qE -e "$pattern" "$scratch/error"
}
same() {
    cmp "$scratch/$1" "$scratch/$2"
}

# ---- a stopped and resumed run gives the same numbers --------------------------------------

tiny --steps 12 --save "$scratch/whole" --log "$scratch/whole.tsv" --model "$scratch/whole.model"
tiny --steps 12 --save "$scratch/often" --save-every 2 --every 3
claim "saving and measuring do not change the numbers" same whole often
"$train" --data "$text" --embed 8 --heads 2 --hidden 12 --layers 2 --length 16 --batch 3 \
    --held-out-tokens 100 --steps 12 --save "$scratch/samples" --sample-every 5 >"$scratch/words"
claim "printing samples does not change the numbers" same whole samples
claim "samples are printed every --sample-every steps" [ "$(grep -c '^---- step' "$scratch/words")" -eq 4 ]

${CC:-gcc} -shared -fPIC -o "$scratch/kills.so" grader/tests/train/kills.c -ldl || exit 1
run_of_12() { # FILE OPTIONS...
    name=$scratch/$1
    shift
    tiny --steps 12 --save-every 4 --save "$name" --log "$name.tsv" --model "$name.model" "$@"
}
survives_kill() {
    run_of_12 unkilled || return 1
    place=0
    while :; do
        place=$((place + 1))
        rm -f "$scratch"/dead*
        (LD_PRELOAD=$scratch/kills.so KILL_AT=$place run_of_12 dead) 2>"$scratch/killed" && break
        set --
        [ ! -e "$scratch/dead" ] || set -- --resume "$scratch/dead"
        run_of_12 dead "$@" && same unkilled dead && same unkilled.tsv dead.tsv &&
            same unkilled.model dead.model || { echo "killed at place $place"; return 1; }
    done
    echo "$place places"
    [ $place -gt 20 ]
}
claim "after kill -9 at every place, the resumed run has the same checkpoint, log and model" survives_kill

mkfifo "$scratch/pipe"
"$train" --data "$text" --embed 8 --heads 2 --layers 1 --length 16 --every 20 --sample-every 0 \
    --steps 1000000 --save "$scratch/stopped" >"$scratch/pipe" 2>&1 &
trained=$!
while read -r line; do
    case $line in step*) kill -INT $trained 2>"$scratch/late" ;; esac
    echo "$line"
done <"$scratch/pipe" >"$scratch/words"
wait $trained
claim "Ctrl-C ends it with status 130" [ $? -eq 130 ]
says_when_measured() { # in the last line of progress, which has the same loss
    cat "$scratch/words"
    awk '
        /^step / { measured = $2; loss = $7 }
        /^stopped after step / { stopped = $4 }
        /^held-out loss at step / {
            right = $5 == measured ":" && $6 == loss && stopped >= measured && stopped < measured + 20
        }
        END { exit !right }' "$scratch/words"
}
claim "it says at which step the held-out loss was measured" says_when_measured
not_saved() {
    "$train" --data "$text" --embed 8 --heads 2 --layers 1 --length 16 --sample-every 0 --steps 2 >"$scratch/words2"
    tail -n 1 "$scratch/words2" && grep -q "^the model was not saved; --save FILE" "$scratch/words2"
}
claim "it says if the model was not saved" not_saved
claim "its last line names the checkpoint" grep -q "^checkpoint: $scratch/stopped" "$scratch/words"

tells_at_once() { # into a pipe, before the next line of progress
    timeout 30 "$train" --data "$text" --embed 8 --heads 2 --layers 1 --length 16 --steps 1000000 \
        --every 1000000 --sample-every 1000000 >"$scratch/pipe" 2>&1 &
    trained=$!
    while read -r line; do
        case $line in ----) kill -INT $trained 2>"$scratch/late" ;; esac
        echo "$line"
    done <"$scratch/pipe"
    wait $trained
    [ $? -eq 130 ]
}
claim "a sample is printed at once, into a pipe too" tells_at_once

# ---- threads ----------------------------------------------------------------------------------

fast() { # NAME OPTIONS...: 12 steps with the fast form
    name=$scratch/$1
    shift
    (train=$B/trainer/solutions/fast/train-language && tiny --steps 12 --every 1 --save "$name" --log "$name.tsv" "$@")
}
near() { # LOG LOG: losses and held-out losses differ by rounding alone
    paste "$scratch/$1" "$scratch/$2" | awk -F '\t' '
        NR > 1 { rows++; a = $2 - $5; b = $3 - $6; if (a * a > 1e-9 || b * b > 1e-9) { print; wrong = 1 } }
        END { print rows " rows"; exit wrong || rows != 13 }'
}
shared_out() { # with 4 tokens, the gradients of a second share have no room
    for length in 16 4; do
        fast one --length $length || return 1
        for threads in 2 3 7; do
            fast many --length $length --threads $threads && fast again --length $length --threads $threads &&
                near one.tsv many.tsv && same many again || { echo "$length $threads"; return 1; }
        done
    done
    cmp -s "$scratch/one" "$scratch/whole" && return 1 # it is not the plain form
    return 0
}
claim "the fast form shares a step among threads: the same loss, and the same bits each time" shared_out
claim "0 threads are refused" fails 2 "threads" tiny --steps 1 --threads 0

# ---- the shipped model -----------------------------------------------------------------------

# The command of datasets/README.md gives the first losses that datasets/story_model.tsv has.
# Rounding of another processor is far below 1e-4 after so few steps.
reproduces() {
    for part in "train 1 5000000" "valid 2000000000 500000"; do
        set -- $part
        "$B/stories" --seed "$2" --bytes "$3" --out "$scratch/$1.txt" || return 1
    done
    "$B/trainer/solutions/fast/train-language" --data "$scratch/train.txt" --held-out "$scratch/valid.txt" \
        --steps 3000 --every 8 --sample-every 0 --log "$scratch/story.tsv" >"$scratch/pipe" 2>&1 &
    trained=$!
    while read -r line; do
        case $line in step*) kill -INT $trained 2>"$scratch/late" ;; esac
        echo "$line"
    done <"$scratch/pipe"
    wait $trained
    head -n 10 datasets/story_model.tsv | paste - "$scratch/story.tsv" | awk -F '\t' '
        NF < 6 { exit }
        NR > 1 {
            rows += $1 == $4; loss = NR == 2 ? $3 - $6 : $2 - $5
            if (loss * loss > 1e-8) { print; wrong = 1 }
        }
        END { print rows " rows"; exit wrong || rows != 9 }'
}
claim "the story model's command gives the losses of story_model.tsv" reproduces

# ---- it learns ------------------------------------------------------------------------------

# The loss of a model that knows only how often each character follows each other one. A smaller loss
# needs what stands before the last character, which only attention brings.
entropy_of_pairs() {
    od -An -v -tu1 "$text" | awk '
        { for (i = 1; i <= NF; i++) {
              if (all++) { pair[last " " $i]++; first[last]++ }
              last = $i
        } }
        END {
            for (p in pair) { split(p, c, " "); nats -= pair[p] / (all - 1) * log(pair[p] / first[c[1]]) }
            print nats
        }'
}
learns() {
    "$train" --data "$text" --embed 32 --heads 2 --layers 1 --length 48 --batch 4 --steps 400 \
        --every 400 --held-out-tokens 500 --sample-every 0 --log "$scratch/log" || return 1
    awk -F '\t' -v pairs="$(entropy_of_pairs)" '
        NR == 2 { first = $3 }
        END { print first, $3, "pairs: " pairs; exit !(first > 3 && pairs > 1 && $3 < pairs && $3 < 2.4) }
    ' "$scratch/log"
}
claim "400 steps take the held-out loss below the entropy of pairs of characters" learns

# ---- faulty texts and files -------------------------------------------------------------------

: >"$scratch/empty"
printf a >"$scratch/one"
printf 'The dog\nran \303\251\n' >"$scratch/accent"
claim "an empty text" fails 1 'empty has 0 bytes; at least 17 are needed' tiny --data "$scratch/empty"
claim "a text of one byte" fails 1 'one has 1 byte; at least 17 are needed' tiny --data "$scratch/one"
claim "a text that does not exist" fails 1 'cannot read .*nowhere: No such file' tiny --data "$scratch/nowhere"
claim "a folder as text" fails 1 'is not a file' tiny --data "$scratch"
claim "a held-out character that is not in the training text" fails 1 \
    "accent, line 2: 'é' is not among the [0-9]* characters" tiny --held-out "$scratch/accent" --steps 1
printf 'The dog\nran \302\233\n' >"$scratch/control"
claim "nor does it print a character that controls the terminal" fails 1 "control, line 2: byte 0xC2 is not among" tiny --held-out "$scratch/control" --steps 1
printf 'The dog\nran \303 \251\n' >"$scratch/latin"
claim "a byte that is no character" fails 1 "latin, line 2: byte 0xC3 is not among" tiny --held-out "$scratch/latin" --steps 1
claim "an empty held-out text" fails 1 'empty has 0 bytes; at least 2 are needed' tiny --held-out "$scratch/empty"
claim "a held-out text of one byte" fails 1 'one has 1 byte; at least 2 are needed' tiny --held-out "$scratch/one"
claim "an empty prompt for the samples" fails 2 'prompt is empty' tiny --prompt ''
bad_prompt() { # nothing is trained or written
    fails 2 '^train: --prompt, line 1: .é. is not among' \
        tiny --steps 3 --prompt é --save "$scratch/unwanted" --log "$scratch/unwanted" && [ ! -e "$scratch/unwanted" ]
}
claim "a prompt with a character that is not in the text" bad_prompt
# Any file is a text: without a newline, and with bytes 0.
printf 'a\000b\000c\000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 \
    >"$scratch/zeros"
any_text() {
    "$train" --data "$scratch/zeros" --embed 8 --heads 2 --layers 1 --length 16 --batch 3 --steps 2 \
        --model "$scratch/zeros.model" >"$scratch/words" 2>&1 || { cat "$scratch/words"; return 1; }
    "$generate" --model "$scratch/zeros.model" --length 50 --quiet >"$scratch/written" || return 1
    bytes=$(wc -c <"$scratch/written") samples=$(tr -cd '\000' <"$scratch/words" | wc -c)
    echo "$bytes bytes, $samples bytes 0 in the samples"
    [ "$bytes" -eq 52 ] && [ "$samples" -gt 100 ]
}
claim "a text without a newline and with bytes 0" any_text
claim "a checkpoint of another shape" fails 1 'another shape: --embed is 8 there' \
    "$train" --quiet --data "$text" --resume "$scratch/whole" --embed 16
claim "a finished model in place of a checkpoint" fails 1 'is a finished model; --resume needs' \
    "$train" --quiet --data "$text" --resume "$scratch/whole.model"
for size in 0 7 1000 9000; do
    head -c $size "$scratch/whole" >"$scratch/cut"
    claim "a checkpoint cut off after $size bytes" fails 1 "$scratch/cut" \
        "$train" --quiet --data "$text" --resume "$scratch/cut"
done
claim "steps before the checkpoint's" fails 2 'is at step 12, and --steps 5 is before that' \
    "$train" --quiet --data "$text" --resume "$scratch/whole" --steps 5
for size in 0 7 100 1000 4000; do
    head -c $size "$scratch/whole.model" >"$scratch/cut"
    claim "a model cut off after $size bytes" fails 1 "$scratch/cut" "$generate" --model "$scratch/cut"
done
damaged() { # one bit of one parameter
    size=$(wc -c <"$scratch/whole.model")
    head -c $((size - 3)) "$scratch/whole.model" >"$scratch/bad" && printf '\377' >>"$scratch/bad" &&
        tail -c 2 "$scratch/whole.model" >>"$scratch/bad" && ! same whole.model bad >/dev/null &&
        fails 1 'checksum' "$generate" --model "$scratch/bad"
}
claim "a model with a changed byte" damaged
claim "another file of tensors" fails 1 'not a language model' "$generate" --model datasets/goldens/lab01.safetensors
claim "heads of odd width" fails 2 'even width' tiny --heads 8
claim "a learning rate of 0" fails 2 'lr must be above 0' tiny --lr 0
claim "a model larger than the memory" fails 2 'GB of memory' tiny --embed 4096 --hidden 65536 --layers 100 --length 4096 --batch 4096

# ---- writing text -----------------------------------------------------------------------------

writes() { # FILE OPTIONS...
    to=$scratch/$1
    shift
    "$generate" --model "$scratch/whole.model" --quiet "$@" >"$to"
}
writes a --length 90 && writes b --length 90
claim "the same seed gives the same text" same a b
writes c --length 90 --seed 2
claim "another seed gives another text" sh -c "! cmp -s '$scratch/a' '$scratch/c'"
writes short --length 40
claim "a longer text begins with the shorter one" [ "$(head -c 41 "$scratch/a")" = "$(head -c 41 "$scratch/short")" ]
writes a --temperature 0 --seed 3 && writes b --temperature 0 --seed 4
claim "temperature 0 draws nothing" same a b
writes a --top-k 1 && writes b --temperature 0
claim "top-k 1 is temperature 0" same a b
claim "the text begins with the prompt" sh -c "'$generate' --model '$scratch/whole.model' --prompt Once --length 3 | grep -q ^Once"
claim "a prompt longer than the context" writes long --length 5 --prompt "Once upon a time there was a dog and a cat"
claim "it says which part of such a prompt the model reads" sh -c "'$generate' --model '$scratch/whole.model' --length 5 \
    --prompt 'Once upon a time there was a dog and a cat' 2>&1 | grep -qE '^generate: the prompt has 42 characters; the model reads the last [0-9]+$'"
claim "a checkpoint can write text too" sh -c "'$generate' --model '$scratch/whole' --length 5 --quiet"
claim "temperature below 0" fails 2 'temperature' "$generate" --temperature -1
claim "temperature NaN" fails 2 'temperature' "$generate" --temperature nan
claim "top-p 0" fails 2 'top-p must be above 0' "$generate" --top-p 0
claim "top-p 2" fails 2 'top-p must be above 0' "$generate" --top-p 2
claim "lab 8 does not train on a GPU" fails 2 'lab 8 trains on the CPU: leave out GPU=1' make -s train LAB=8 GPU=1
claim "make generate has no GPU" fails 2 'make generate runs on the CPU: leave out GPU=1' make -s generate LAB=8 GPU=1
claim "an empty prompt" fails 2 'prompt is empty' "$generate" --prompt ''
claim "a prompt with a character the model does not know" fails 2 "'é' is not among" \
    "$generate" --model "$scratch/whole.model" --prompt é
full() { "$generate" --model "$scratch/whole.model" >/dev/full; }
claim "a full disk" fails 1 'standard output' full

# ---- the experiment without RoPE ----------------------------------------------------------

without=${train%language}no-rope
trains_alike() { # LENGTH: both trainers give the same model
    tiny --length "$1" --steps 5 --model "$scratch/with-rope" &&
        (train=$without && tiny --length "$1" --steps 5 --model "$scratch/no-rope") &&
        same with-rope no-rope
}
trains_differently() { ! trains_alike "$1" && [ -s "$scratch/no-rope" ]; }
claim "without RoPE, the model of single characters is the same: position 0 is not rotated" trains_alike 1
claim "without RoPE, the model of longer texts is another" trains_differently 16

# Programs in place of the two trainers, which know their options --log and --model.
mkdir -p "$scratch/trainer/some"
cat >"$scratch/trainer/some/train-language" <<'END'
#!/bin/sh
loss=0.25
echo "done: step 1000: $loss"
while [ $# -gt 0 ]; do
    case $1 in
    --log) printf 'step\tloss\theld_out\n0\tnan\t4.5\n1\t4.25\tnan\n1000\t0.75\t%s\n' $loss >"$2" ;;
    --model) echo $loss >"$2" ;;
    esac
    shift
done
END
sed 's/0.25/0.5/' "$scratch/trainer/some/train-language" >"$scratch/trainer/some/train-no-rope"
chmod +x "$scratch/trainer/some/train-language" "$scratch/trainer/some/train-no-rope"
rope() { grader/tools/experiment.sh rope "$scratch/trainer/some/train" "$scratch/experiments"; }
draws_both() { # the table, the program's words and two pictures
    rope >"$scratch/words" 2>&1 &&
        printf 'variant\tstep\theld_out\nwith\t0\t4.5\nwith\t1000\t0.25\nwithout\t0\t4.5\nwithout\t1000\t0.5\n' |
        cmp - "$scratch/experiments/rope.tsv" &&
        grep -A 1 '^without RoPE' "$scratch/words" | grep 'step 1000: 0.5$' &&
        grep -q 'without RoPE: 0.500' "$scratch/experiments/rope.svg" &&
        [ "$(head -c 4 "$scratch/experiments/rope.png" | tail -c 3)" = PNG ]
}
claim "make experiment NAME=rope writes a table and draws it" draws_both
sed 's/0.25/0.5/' "$scratch/trainer/some/train-no-rope" >"$scratch/trainer/some/train-language"
rm -r "$scratch/experiments"
refuses_other() { fails 1 'rotates without cos and sin' rope && [ ! -e "$scratch/experiments/rope.tsv" ]; }
claim "the experiment refuses code that rotates in another way" refuses_other
claim "make experiment lists rope" sh -c "grader/tools/experiment.sh | grep '^  rope '"

exit $status
