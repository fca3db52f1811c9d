#!/bin/sh
# test_trained.sh - make plot LAB=3 TEXT="...": the story model with the attention of labs 3, 4, 7 and 10 in it
# predicts as lab 8's own model does, and worse without the mask or the scale; the models that copy and
# reverse words do so with labs 5 and 6.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
unset TEXT MASK SCALE ROPE
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d build/tmp/trained.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

story="Once there was a girl named Emma. One windy evening she met a hen"
three=$B/trained/solutions/03 four=$B/trained/solutions/04

# ---- numbers -------------------------------------------------------------------------------------

bits() { # LAB NAME ARGUMENTS...: the bits per character in the row NAME
    program=$B/trained/solutions/$1 row=$2
    shift 2
    "$program" --text "$story" "$@" | awk -v row="  $row " 'index($0, row) == 1 { sub(row, ""); print $1 }'
}
within() { # A B DIFFERENCE
    echo "$1 and $2"
    awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a != "" && b != "" && a - b < most && b - a < most) }'
}
more() { echo "$1 and $2" && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }
# The table has the character and what it cost, from the second one on.
as_in_lab_8() (
    mkdir -p "$work/data"
    "$B/explore/solutions/08" "$work/data" >/dev/null || return 1
    story=$(awk -F '\t' 'NR > 1 { printf "%s", $2 == "\342\220\243" ? " " : $2 ~ /^[ -~]$/ ? $2 : "\"" }' \
        "$work/data/surprise.tsv")
    cost=$(awk -F '\t' 'NR > 2 { sum += $3; n++ } END { print sum / n }' "$work/data/surprise.tsv")
    echo "$story: $cost"
    within "$(bits 03 'as trained')" "$cost" 0.002
)
claim "the model costs as many bits per character as lab 8's" as_in_lab_8
for lab in 04 07 10; do
    claim "labs 3 and $lab agree" within "$(bits 03 'as trained')" "$(bits $lab 'as trained')" 0.0011
    claim "also without the mask" within "$(bits 03 MASK=0 --no-mask)" "$(bits $lab MASK=0 --no-mask)" 0.0011
    claim "also without the scale" within "$(bits 03 SCALE=0 --no-scale)" "$(bits $lab SCALE=0 --no-scale)" 0.0011
done
claim "without positions it is worse than guessing, too" more "$(bits 07 ROPE=0 --no-rope)" 6
claim "the model reads a story well" more 0.5 "$(bits 03 'as trained')"
claim "without the mask it is worse than guessing, 6 bits" more "$(bits 03 MASK=0 --no-mask)" 6
claim "without the scale it is worse" more "$(bits 03 SCALE=0 --no-scale)" 1
in_handout() { sed -n "s/^| $1 | \(.*\) |\$/\1/p" labs/03_causal_mask/README.md; }
claim "the handout's number as trained" within "$(bits 03 'as trained')" "$(in_handout 'as trained')" 0.01
claim "the handout's number without the mask" within "$(bits 03 MASK=0 --no-mask)" "$(in_handout '`MASK=0`')" 0.05
claim "the handout's number without the scale" within "$(bits 03 SCALE=0 --no-scale)" "$(in_handout '`SCALE=0`')" 0.05

# ---- weights -------------------------------------------------------------------------------------

"$three" --text "Once there" --out "$work/masked.safetensors" >"$work/words"
"$three" --text "Once there" --no-mask --out "$work/open.safetensors" >"$work/words"
future() { # FILE: the weight of key 1 for query 0 in layer 0, head 0
    build/attnmap "$1" --layer 0 --head 0 --out "$work/map.tsv" >/dev/null &&
        awk -F '\t' 'NR == 2 { print $3 }' "$work/map.tsv"
}
claim "the weights of the future are exactly 0 with the mask, which attnmap makes nan" [ "$(future "$work/masked.safetensors")" = nan ]
claim "and above 0 without it" more "$(future "$work/open.safetensors")" 0
same_weights() { # LAB: as lab 3's, in every head
    "$B/trained/solutions/$1" --text "$story" --out "$work/theirs.safetensors" >"$work/words" &&
        "$three" --text "$story" --out "$work/ours.safetensors" >"$work/words" &&
        for layer in 0 1 2 3; do
            for file in ours theirs; do
                build/attnmap "$work/$file.safetensors" --layer $layer --head 5 --out "$work/$file.tsv" >/dev/null || return 1
            done
            paste "$work/ours.tsv" "$work/theirs.tsv" | awk -F '\t' '
                NR > 1 { for (i = 2; i <= NF / 2; i++) {
                    a = $i; b = $(i + NF / 2); n++
                    if ((a == "nan") != (b == "nan") || a - b > 2e-4 || b - a > 2e-4) { print NR, i, a, b; bad = 1 } } }
                END { exit bad || n < 1000 }' || return 1
        done
}
claim "flash attention shows the same weights, read off from one-hot values" same_weights 10
claim "and so does lab 7" same_weights 07
claim "the characters are the labels" sh -c "build/attnmap '$work/masked.safetensors' --layer 0 --head 0 --out '$work/map.tsv' &&
    head -n 1 '$work/map.tsv' | grep -q 'O	n	c	e	␣	t'"

# ---- input ---------------------------------------------------------------------------------------

claim "--help lists the options" says 0 "--no-mask" "$three" --help
claim "no text is refused" one_line 2 "which text?" "$three"
claim "one character is refused" one_line 2 "a text of 2 to 256 characters" "$three" --text a
claim "a text above the context is refused" one_line 2 "this one has 257" "$three" --text "$(head -c 257 /dev/zero | tr '\0' a)"
claim "the longest text is read" says 0 "as trained" "$three" --text "$(head -c 256 /dev/zero | tr '\0' a)"
claim "an unknown character is named" one_line 2 "does not know character 3 of the text" "$three" --text "ab'c"
claim "a missing model is an error" one_line 1 "No such file" "$three" --text "$story" --model "$work/none"
claim "another file is no model" one_line 1 "" "$three" --text "$story" --model datasets/goldens/lab01.safetensors
claim "a folder that is not there is an error" says 1 "cannot write $work/no/w" "$three" --text "$story" --out "$work/no/w"
claim "an unwritten function is named" one_line 1 "3.4 causal_attention: not written yet; see make check EX=3.4" "$B/trained/labs/03" --text "$story"
claim "only lab 7 turns" one_line 2 "ROPE=0 is for lab 7" "$three" --text "$story" --no-rope

# ---- the steps of the model ----------------------------------------------------------------------

bad_steps() { # PATTERN SED-SCRIPT: datasets/story_model.steps, changed, is refused with its line
    sed "$2" datasets/story_model.steps >"$work/bad.steps"
    cmp -s "$work/bad.steps" datasets/story_model.steps && return 1
    one_line 1 "$1" "$three" --text "$story" --steps "$work/bad.steps"
}
at() { grep -n "$1" datasets/story_model.steps | head -n 1 | cut -d : -f 1; }
claim "an unknown array is named with its line" bad_steps "bad.steps:$(at 'w_q$'): there is no array 'w_x'" 's/w_q$/w_x/'
claim "so is an unknown operation" bad_steps "bad.steps:$(at 'exp e'): there is no operation 'log'" 's/exp e/log e/'
claim "and shapes that do not fit" bad_steps "bad.steps:$(at 'w_gate'): the shapes do not fit: 'product'" 's/product n w_gate/product n w_down/'
claim "and a line that is no step" bad_steps "bad.steps:$(at 'exp e'): not a step: 'e'" 's/e = exp e/e exp e/'
claim "steps without logits are refused" bad_steps "do not compute logits" 's/logits/answers/'
claim "steps that call themselves end" bad_steps "there is no operation 'norm'" 's/m = mean m/m = norm m m/'
claim "a missing file of steps is an error" one_line 1 "No such file" "$three" --text "$story" --steps "$work/none"
claim "an unknown option is refused" one_line 2 "unknown option" "$four" --text "$story" --maskless

# ---- the models of two tasks ----------------------------------------------------------------------

five=$B/trained/solutions/05 six=$B/trained/solutions/06
word="attention head"
answer() { # LAB TASK ROW SWITCHES...: what the model of the task writes, and how much is right
    program=$B/trained/solutions/$1 task=$2 row=$3
    shift 3
    "$program" --text "$word" "$@" | awk -v task="$task" -v row="$row" '
        $1 == task && index($0, row) { print $(NF - 3), $(NF - 2), $(NF - 1), $NF }'
}
writes() { # ANSWER LAB TASK ROW SWITCHES...
    expected=$1
    shift
    got=$(answer "$@")
    echo "$got"
    [ "$got" = "$expected" ]
}
half() { # LAB TASK ROW SWITCHES...: ends with the mirrored first half, and hardly more is right
    got=$(answer "$@")
    echo "$got"
    case $got in
    *oitnetta\ [89]\ of\ 16 | *oitnetta\ 10\ of\ 16) ;;
    *) return 1 ;;
    esac
}
for lab in 05 06; do
    claim "lab $lab copies" writes "attention␣head␣␣ 16 of 16" $lab copy 'as trained'
    claim "lab $lab reverses" writes "␣␣daeh␣noitnetta 16 of 16" $lab reverse 'as trained'
    claim "lab $lab: without the future, only the second half of the reversed word is right" \
        half "$lab" reverse MASK=1 --mask
    claim "lab $lab: MASK=0 changes nothing for it" writes "␣␣daeh␣noitnetta 16 of 16" $lab reverse MASK=0 --no-mask
done
claim "labs 5 and 6 agree on everything they print" sh -c "for a in --mask --no-mask --no-scale; do
    '$five' --text '$word' \$a | sed 1d >'$work/five' && '$six' --text '$word' \$a | sed 1d | diff '$work/five' - || exit 1; done"
every_word_of_a_page() { # all 16 letters of every word of two handouts, copied and reversed
    cat labs/06_copy_task/README.md labs/05_transformer_block/README.md | tr 'A-Z' 'a-z' | tr -cs 'a-z' '\n' | awk 'length > 3 && length < 17' |
        sort -u | awk 'NR % 60 == 0' >"$work/list"
    while read -r text; do
        "$six" --text "$text" | grep -c ' 16 of 16$' | grep -qx 2 || { echo "$text"; return 1; }
    done <"$work/list"
    [ "$(wc -l <"$work/list")" -gt 10 ]
}
claim "words that they never saw are copied and reversed" every_word_of_a_page
"$six" --text "$word" --out "$work/word" >"$work/words"
antidiagonal() { # the mean weight of key T - 1 - t for query t, in the heaviest head
    build/attnmap "$work/word-reverse.safetensors" --layer 0 --head 1 --out "$work/map.tsv" >/dev/null &&
        awk -F '\t' 'NR > 1 { sum += $(NF - NR + 2) } END { print sum / (NR - 1) }' "$work/map.tsv"
}
claim "a head of the model that reverses looks at the mirrored letter" more "$(antidiagonal)" 0.7
claim "one letter is enough" says 0 "16 of 16" "$six" --text a
claim "seventeen are too many" one_line 2 "a text of 1 to 16 characters, please; this one has 17" "$six" --text abcdefghijklmnopq
claim "no letter is refused" one_line 2 "this one has 0" "$six" --text ""
claim "a capital is refused" one_line 2 "do not know character 2 of the text, only a to z" "$six" --text aB
claim "no word is refused" one_line 2 "which text?" "$five"
claim "both masks are refused" one_line 2 "not both" "$six" --text a --mask --no-mask
claim "a missing folder of models is an error" one_line 1 "No such file" "$six" --text a --models "$work/none"
mkdir "$work/swapped"
cp datasets/word_models/copy.safetensors "$work/swapped/reverse.safetensors"
cp datasets/word_models/reverse.safetensors "$work/swapped/copy.safetensors"
claim "another task's model is refused" one_line 1 "not a model that copies words" "$six" --text a --models "$work/swapped"
claim "a checkpoint is no model" one_line 1 "should be 'task model" sh -c "
    '$B/trainer/solutions/train' --quiet --vocab 27 --length 16 --steps 1 --rows 64 --held-out 8 --save '$work/swapped/copy.safetensors' &&
    '$six' --text a --models '$work/swapped'"
claim "an unwritten function is named here, too" one_line 1 "6.11 model_forward: not written yet; see make check EX=6.11" "$B/trained/labs/06" --text a
claim "and lab 5's" one_line 1 "5.7 transformer_stack: not written yet; see make check EX=5.7" "$B/trained/labs/05" --text a

# ---- the commands that made them -----------------------------------------------------------------

made_again() { # TASK
    command=$(sed -n "s|^    build/train \(--task $1 .*\) --src solutions/fast --model .*|\1|p" datasets/README.md)
    echo "$command"
    [ -n "$command" ] || return 1
    # shellcheck disable=SC2086
    "$B/trainer/solutions/train" $command --model "$work/made/$1.safetensors" | grep 'right 100.00% of the tokens'
}
mkdir "$work/made"
claim "the model that copies is made by its command" made_again copy
claim "so is the one that reverses" made_again reverse
claim "they copy and reverse" sh -c "'$six' --text '$word' --models '$work/made' | grep -c ' 16 of 16$' | grep -qx 2"
claim "they are as small as the shipped ones" sh -c "[ \$(wc -c <'$work/made/copy.safetensors') -lt 33000 ]"

in_page() { grep -qF -e "$2" "labs/$1/README.md"; } # FOLDER TEXT
claim "lab 6's handout shows what is printed" sh -c "'$six' --text 'hello world' | while IFS= read -r line; do
    grep -qF -e \"\$line\" labs/06_copy_task/README.md || { echo \"\$line\"; exit 1; }; done"
word="hello world"
mirrored=$(answer 06 reverse MASK=1 --mask)
claim "and what the mask does to the model that reverses" in_page 06_copy_task "\`${mirrored%% *}\`"
claim "with SCALE=0 both answers stay right" sh -c "'$six' --text '$word' --no-scale | grep -c ' 16 of 16$' | grep -qx 4"
story="Once there was a girl"
claim "lab 7's handout has the bits without rope" in_page 07_positional_encoding \
    "costs $(bits 07 ROPE=0 --no-rope | cut -c 1-3) bits per character instead of $(bits 07 'as trained' | cut -c 1-4)."

# ---- the pictures --------------------------------------------------------------------------------

claim "it says that the workbook's functions run" says 0 "The story model, with the workbook's causal_attention" \
    env TEXT="Once (" grader/tools/trained.sh "$three" "$work/plots"
claim "or yours" says 0 "The story model, with your causal_attention" "$three" --text Once
claim "the pictures are drawn" says 0 "text.html" env MASK=0 TEXT="Once (" grader/tools/trained.sh "$three" "$work/plots"
claim "there are three" sh -c "[ -s '$work/plots/text.png' ] && [ -s '$work/plots/text.svg' ] && [ -s '$work/plots/text.html' ]"
claim "and nothing else" [ "$(ls -A "$work/plots" | wc -l)" -eq 3 ]
claim "the title says what is switched off" grep -q "trained story model, MASK=0" "$work/plots/text.svg"
claim "here, too" says 0 "Two small models, with the workbook's model_forward" \
    env TEXT=hello grader/tools/trained.sh "$six" "$work/words_plots"
claim "the two models have two pictures" says 0 "text-reverse.html" env MASK=1 TEXT="hello" grader/tools/trained.sh "$six" "$work/words_plots"
claim "their title says what was changed" grep -q "task reverse, MASK=1" "$work/words_plots/text-reverse.svg"
claim "their files are six" [ "$(ls -A "$work/words_plots" | wc -l)" -eq 6 ]
claim "ROPE=0 is refused for them" one_line 2 "ROPE=0 is for lab 7" env ROPE=0 TEXT=hello grader/tools/trained.sh "$six" "$work/plots"
claim "a switch is 0 or 1" one_line 2 "MASK is 0 or 1" env MASK=no TEXT=Once grader/tools/trained.sh "$three" "$work/plots"
claim "a lab that has no such picture is refused" says 2 "is for these labs: 3 4 5 6 7 10" make -s plot LAB=2 TEXT=Once

exit $status
