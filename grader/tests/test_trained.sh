#!/bin/sh
# test_trained.sh - make plot LAB=3 TEXT="...": the story model with the attention of labs 3 and 4 in it
# predicts as lab 8's own model does, and worse without the mask or the scale.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
unset TEXT MASK SCALE
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
claim "labs 3 and 4 agree" within "$(bits 03 'as trained')" "$(bits 04 'as trained')" 0.0011
claim "also without the mask" within "$(bits 03 MASK=0 --no-mask)" "$(bits 04 MASK=0 --no-mask)" 0.0011
claim "also without the scale" within "$(bits 03 SCALE=0 --no-scale)" "$(bits 04 SCALE=0 --no-scale)" 0.0011
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
claim "an unwritten function is named" one_line 1 "3.1 causal_mask: not written yet" "$B/trained/labs/03" --text "$story"
claim "an unknown option is refused" one_line 2 "unknown option" "$four" --text "$story" --maskless

# ---- the pictures --------------------------------------------------------------------------------

claim "the pictures are drawn" says 0 "text.html" env MASK=0 TEXT="Once (" grader/tools/trained.sh "$three" "$work/plots"
claim "there are three" sh -c "[ -s '$work/plots/text.png' ] && [ -s '$work/plots/text.svg' ] && [ -s '$work/plots/text.html' ]"
claim "and nothing else" [ "$(ls -A "$work/plots" | wc -l)" -eq 3 ]
claim "the title says what is switched off" grep -q "trained story model, MASK=0" "$work/plots/text.svg"
claim "a switch is 0 or 1" one_line 2 "MASK is 0 or 1" env MASK=no TEXT=Once grader/tools/trained.sh "$three" "$work/plots"
claim "a lab that has no such picture is refused" says 2 "is for these labs: 3 4" make -s plot LAB=2 TEXT=Once

exit $status
