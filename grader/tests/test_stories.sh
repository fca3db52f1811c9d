#!/bin/sh
# test_stories.sh - the command build/stories: files, errors, exit statuses.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
stories=$B/stories
mkdir -p build/tmp
work=$(mktemp -d build/tmp/stories.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

only() { [ "$(ls -A "$work/folder")" = "$1" ]; }

mkdir "$work/folder"
claim "--help lists the options" says 0 "--grammar FILE" "$stories" --help
claim "an unknown option is refused" one_line 2 "unknown option --sed" "$stories" --sed=1
claim "an invalid number is refused" one_line 2 "--bytes takes a whole number" "$stories" --bytes 5M
claim "an unexpected argument is refused" one_line 2 "unexpected argument" "$stories" train.txt

# ---- stories -------------------------------------------------------------------------------------

"$stories" --seed 3 --bytes 20000 >"$work/printed"
claim "--out writes a file" "$stories" --seed 3 --bytes 20000 --out "$work/folder/a.txt"
claim "--out writes only this file" only a.txt
claim "--out writes the same text as the standard output" cmp "$work/printed" "$work/folder/a.txt"
whole_stories() {
    size=$(wc -c <"$work/printed")
    [ "$size" -ge 20000 ] && [ "$size" -lt 21000 ] && [ "$(tail -c 2 "$work/printed" | od -An -tx1)" = " 0a 0a" ]
}
claim "all stories are whole, and the size is just above --bytes" whole_stories
longer() {
    "$stories" --seed 3 --bytes 60000 | head -c "$(wc -c <"$work/printed")" | cmp - "$work/printed"
}
claim "a longer file begins with the shorter one" longer
claim "another seed writes other stories" sh -c "! '$stories' --seed 4 --bytes 20000 | cmp -s - '$work/printed'"
claim "--bytes 0 prints nothing" sh -c "[ -z \"\$('$stories' --bytes 0)\" ]"

# ---- files that cannot be read or written --------------------------------------------------------

claim "a missing folder is an error" one_line 1 "cannot write $work/no/b.txt: No such file" \
    "$stories" --out "$work/no/b.txt"
claim "a folder in place of a file is an error" one_line 1 "Is a directory" "$stories" --out "$work/folder"
echo old >"$work/folder/a.txt"
claim "a file above the size limit is an error" sh -c "! (trap '' XFSZ; ulimit -f 8; '$stories' --bytes 1000000 --out '$work/folder/a.txt')"
claim "the older file stays" grep -qx old "$work/folder/a.txt"
claim "no partial file is left" only a.txt
claim "a full disk is an error" sh -c "'$stories' 2>&1 >/dev/full | grep -q 'cannot write: No space left'"
claim "a missing grammar is an error" one_line 1 "cannot read $work/no.grammar: No such file" \
    "$stories" --grammar "$work/no.grammar"
printf 'story:\n    1 | Once {upon}\n' >"$work/bad.grammar"
claim "a grammar with an error is refused" one_line 1 "bad.grammar:2: there is no rule, set or variable upon" \
    "$stories" --grammar "$work/bad.grammar"

# ---- entropy -------------------------------------------------------------------------------------

printf 'story:\n    1 | ab\n    1 | cd\n' >"$work/two.grammar"
claim "two stories of four characters have an entropy of 1/4 bit per character" \
    says 0 "bits per character   0.250000" "$stories" --grammar "$work/two.grammar" --entropy
claim "entropy is printed in nats too" says 0 "nats per character   0.173287" "$stories" --grammar "$work/two.grammar" --entropy
claim "the characters are counted and listed" says 0 "different characters 5: abcd" \
    "$stories" --grammar "$work/two.grammar" --entropy

# ---- --check -------------------------------------------------------------------------------------

claim "stories of the program match the grammar" says 0 "50 of 50 stories match the grammar" \
    sh -c "'$stories' --seed 3 --bytes 20000 | awk 'BEGIN { RS = \"\" } NR <= 50 { print \$0 \"\\n\" }' >'$work/fifty'
        '$stories' --check '$work/fifty'"
printf 'ab\n\nax\n\n\ncd\n\na' >"$work/four"
claim "a story that does not match is reported with the place" says 1 "story 2 leaves the grammar after character 1: a >>> x" \
    "$stories" --grammar "$work/two.grammar" --check "$work/four"
claim "an incomplete story at the end does not count" says 1 "2 of 3 stories match the grammar; these have 0.2500 bits" \
    "$stories" --grammar "$work/two.grammar" --check "$work/four"
printf 'story:\n    1 | ab\n    1 | a{rest}\nrest:\n    1 | b\n    1 | c\n' >"$work/twice.grammar"
claim "stories with several derivations are counted" says 1 "; with several derivations: 1" \
    "$stories" --grammar "$work/twice.grammar" --check "$work/four"
printf 'a\033[31mx' >"$work/escape"
claim "escape characters of the file are not printed" says 1 'a >>> ?[31mx' \
    "$stories" --grammar "$work/two.grammar" --check "$work/escape"
claim "a binary file is refused" one_line 1 "is not text: it contains a zero byte" \
    "$stories" --check datasets/goldens/lab01.safetensors
claim "an empty file has no stories" says 0 "0 of 0 stories" "$stories" --check /dev/null
claim "a missing file is an error" one_line 1 "cannot read $work/no: No such file" "$stories" --check "$work/no"

exit $status
