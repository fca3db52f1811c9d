#!/bin/sh
# test_generation.sh - build/generate --lab 9 writes lab 8's text with a cache, and every wrong file or
# option gets one clear line.
set -u
cd "$(dirname "$0")/../.." || exit 1

B=${BUILD:-build}
again=$B/trainer/solutions/generate
cached=$B/trainer/solutions/generate-cached
fast=$B/trainer/solutions/fast/generate-cached
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
claim_said=$scratch/out
. grader/tests/claim.sh
text=$scratch/text
model=$scratch/model
"$B/stories" --seed 3 --bytes 20000 >"$text" || exit 1
# A small model, with a context of 16 characters: it takes milliseconds.
"$B/trainer/solutions/train-language" --quiet --data "$text" --embed 8 --heads 2 --hidden 12 --layers 2 \
    --length 16 --batch 3 --held-out-tokens 100 --steps 12 --model "$model" || exit 1

# fails STATUS PATTERN PROGRAM OPTIONS...: it ends with that status, one line that matches, and no text.
fails() {
    expected=$1 pattern=$2
    shift 2
    "$@" >"$scratch/printed" 2>"$scratch/error" </dev/null
    got=$?
    cat "$scratch/printed" "$scratch/error"
    echo "exit status $got"
    [ $got -eq "$expected" ] && [ "$(wc -l <"$scratch/error")" -eq 1 ] && [ ! -s "$scratch/printed" ] &&
        grep -qE -e "$pattern" "$scratch/error"
}

# ---- the same text as lab 8's ---------------------------------------------------------------

same_text() { # OPTIONS...: both programs write the same
    "$again" --model "$model" "$@" --quiet >"$scratch/without" &&
        "$cached" --model "$model" "$@" --quiet >"$scratch/with" &&
        cmp "$scratch/without" "$scratch/with"
}
same_on_seeds() { # OPTIONS...
    for seed in 1 2 3 4 5; do
        same_text --seed $seed "$@" || return 1
    done
}
claim "a text that fits into the context is lab 8's" same_on_seeds --length 15
claim "so is one that fills it" same_on_seeds --length 16 --prompt A
claim "and one that is far longer" same_on_seeds --length 120
claim "with a prompt of two words" same_on_seeds --length 40 --prompt 'The dog'
claim "with a prompt as long as the context" same_on_seeds --length 40 --prompt 'The dog and Ben '
claim "with another context" same_on_seeds --length 60 --context 40 --prompt 'The dog and Ben saw a cat'
claim "at temperature 0" same_on_seeds --length 40 --temperature 0
claim "with top-k" same_on_seeds --length 40 --top-k 3 --temperature 1.5
claim "with top-p" same_on_seeds --length 40 --top-p 0.7
two_threads() {
    "$cached" --model "$model" --length 120 --quiet >"$scratch/one" &&
        "$cached" --model "$model" --length 120 --quiet --threads 2 >"$scratch/two" &&
        cmp "$scratch/one" "$scratch/two"
}
claim "on two threads" two_threads
says_full() { # OPTIONS...: that the text ends where the cache does
    "$cached" --model "$model" "$@" 2>&1 >"$scratch/printed" | tee "$scratch/said"
    grep -q "^15 characters in .*; the cache is full (ARGS='--length 1000' writes more)$" "$scratch/said"
}
claim "a text that ends because the cache is full says so" says_full
says_nothing() { ! says_full --length 15 && [ -s "$scratch/said" ]; }
claim "one of the length that was asked for does not" says_nothing
whole_words() { # on a terminal of 80 columns: lab 8's text, with line ends in place of some blanks
    "$cached" --length 400 --quiet | tr '\n' ' ' >"$scratch/piped"
    echo 'end 0' | timeout 100 "$B/box/terminal" "$scratch/screen" "$cached" --length 400 --quiet &&
        tr -d '\r' <"$scratch/screen" >"$scratch/lines" && [ "$(wc -l <"$scratch/lines")" -gt 3 ] &&
        ! grep -E '.{81}' "$scratch/lines" && tr '\n' ' ' <"$scratch/lines" | cmp - "$scratch/piped"
}
claim "a terminal's lines do not end within a word" whole_words
no_cache() {
    "$cached" --model "$model" --length 120 --quiet >"$scratch/one" &&
        "$cached" --model "$model" --length 120 --quiet --no-cache >"$scratch/two" &&
        cmp "$scratch/one" "$scratch/two"
}
claim "and without the cache" no_cache

# ---- int8 -----------------------------------------------------------------------------------

int8() {
    "$cached" --model "$model" --length 300 --quiet >"$scratch/float" &&
        "$cached" --model "$model" --length 300 --quiet --int8 >"$scratch/int8" &&
        [ "$(wc -c <"$scratch/int8")" -eq 302 ] && ! cmp -s "$scratch/float" "$scratch/int8"
}
claim "matrices in int8 write a text, which is another in the end" int8
fast_int8() { # the fast form divides the matrices among its threads in other ways
    "$fast" --model "$model" --length 300 --quiet --int8 >"$scratch/one" &&
        "$fast" --model "$model" --length 300 --quiet --int8 --threads 2 >"$scratch/two" &&
        cmp "$scratch/one" "$scratch/two"
}
claim "two threads of the fast form write the same with matrices in int8" fast_int8

# ---- a full context -------------------------------------------------------------------------

says_full() { # LENGTH PATTERN
    "$cached" --model "$model" --length "$1" --prompt 'The ' 2>"$scratch/error" >"$scratch/printed"
    cat "$scratch/error"
    grep -q "context of 16 characters was full: the last $2 " "$scratch/error"
}
claim "a text longer than the context is said to be" says_full 20 7
claim "the text that fills it is not" sh -c "! '$cached' --model '$model' --length 13 --prompt 'The ' 2>&1 | grep -q full"
claim "a prompt longer than the context" fails 2 'prompt has 25 characters, and the cache has room for 16' \
    "$cached" --model "$model" --prompt 'The dog and Ben saw a cat'

# ---- what is wrong --------------------------------------------------------------------------

claim "temperature below 0" fails 2 'temperature' "$cached" --temperature -1
claim "temperature NaN" fails 2 'temperature' "$cached" --temperature nan
claim "top-p 0" fails 2 'top-p must be above 0' "$cached" --top-p 0
claim "top-p NaN" fails 2 'top-p' "$cached" --top-p nan
claim "an empty prompt" fails 2 'prompt is empty' "$cached" --prompt ''
claim "no length" fails 2 'length' "$cached" --length 0
claim "no threads" fails 2 'threads' "$cached" --threads 0
claim "int8 without the cache" fails 2 'int8 needs the cache' "$cached" --int8 --no-cache
for option in --int8 --no-cache --threads=2; do
    claim "lab 8's program with $option" fails 2 'are for --lab 9' "$again" $option
done
claim "a lab that does not write" fails 2 "lab is 8 .* or 9 .*, not '7'" "$B/generate" --lab 7
claim "a prompt with a character the model does not know" fails 2 "'é' is not among" \
    "$cached" --model "$model" --prompt é
claim "a model that is not there" fails 1 'nowhere' "$cached" --model "$scratch/nowhere"
for size in 0 100 1000; do
    head -c $size "$model" >"$scratch/cut"
    claim "a model cut off after $size bytes" fails 1 "$scratch/cut" "$cached" --model "$scratch/cut"
done
damaged() { # one byte of one parameter
    size=$(wc -c <"$model")
    head -c $((size - 3)) "$model" >"$scratch/bad" && printf '\377' >>"$scratch/bad" &&
        tail -c 2 "$model" >>"$scratch/bad" && ! cmp -s "$model" "$scratch/bad" &&
        fails 1 'checksum' "$cached" --model "$scratch/bad"
}
claim "a model with a changed byte" damaged
full_disk() {
    "$cached" --model "$model" >/dev/full 2>"$scratch/error"
    [ $? -eq 1 ] && grep -q 'standard output' "$scratch/error"
}
claim "a full disk" full_disk

exit $status
