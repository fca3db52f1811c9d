#!/bin/sh
# test_release.sh - the student archive (make release): it contains no answer, and judges like
# the whole workbook. The archive is unpacked and built in a separate folder.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LAB EX SRC LEVEL SEED B SANITIZE CHECKED GPU
export LC_ALL=C

whole=$PWD
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
handout=$scratch/attention-workbook
claim_said=$scratch/out
. grader/tests/claim.sh

says() { # STATUS PATTERN COMMAND...: the command ends with that status and prints a line that matches
    expected=$1 pattern=$2
    shift 2
    "$@" >"$scratch/said" 2>&1 </dev/null
    got=$?
    cat "$scratch/said"
    [ "$got" -eq "$expected" ] && grep -qE -e "$pattern" "$scratch/said"
}

# ---- the archive must not contain ------------------------------------------------------------

trimmed() { # FILE...: their lines without leading and trailing blanks, if 25 characters are left
    cat "$@" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | grep -E '.{25}' | sort -u
}
region_lines() { # inside|outside FILE...: of solutions
    where=$1
    shift
    awk -v where="$where" '
        /BEGIN SOLUTION/ { inside = todo = 1; next } # the comments below it are the TODO
        /END SOLUTION/ { inside = 0; next }
        todo && !/^ *\/\/ / { todo = 0 }
        where == (inside && !todo ? "inside" : "outside")
    ' "$@" >"$scratch/region"
    trimmed "$scratch/region"
}
# Lines of the solutions that are in no handed-out file.
find_secrets() {
    {
        region_lines inside solutions/*/*.c solutions/*/*.cu
        trimmed solutions/*/NOTES.md
    } | sort -u >"$scratch/answers"
    {
        region_lines outside solutions/*/*.c solutions/*/*.cu
        find labs/common labs/programs -path labs/programs/variants -prune -o -path labs/programs/train_gpu -prune -o \
            -path labs/programs/attnmap/half.c -prune -o \
            -type f -exec cat {} + >"$scratch/public"
        find labs/*/*.h labs/*/test_*.c labs/*/explore.c labs/*/predict.c labs/*/gradcheck.c labs/*/README.md labs/*/GPU.md \
            grader/command grader/report grader/grade grader/judge grader/bank grader/build \
            grader/cases grader/sandbox grader/base grader/gpu grader/worker \
            -type f -exec cat {} + >>"$scratch/public"
        trimmed "$scratch/public"
    } | sort -u >"$scratch/given"
    # A plain loop over all elements reveals nothing.
    comm -23 "$scratch/answers" "$scratch/given" |
        grep -vE '^for \(size_t [a-z]+ = 0; [a-z]+ < [A-Za-z* ]+; [a-z]+\+\+\) \{$' \
            >"$scratch/secret.lines"
    # Lab 4's exercises contain the same line as view_of.
    sed -i '/^struct view view = {.data = data, .axes = axes};$/d' "$scratch/secret.lines"
    # silu and identity are ordinary words. Names of two words are kept, because they can only
    # mean a function.
    sed -n 's/.*\.function = LIKE([a-z_0-9]*, *\([a-z_0-9A-Z]*_[a-z_0-9A-Z]*\)).*/\1/p' \
        $(find grader/exercises -name '*.[ch]') | sort -u >"$scratch/secret.names"
}
# Prints the lines of the answers that a tree contains; fails if there are none.
answers_in() { # TREE
    {
        find "$1" -type f ! -name '*.safetensors' ! -name '*.png' -exec awk '
            FNR == NR && FILENAME == secrets { secret[$0] = 1; next }
            { gsub(/^[ \t]+|[ \t]+$/, "") }
            $0 in secret { print FILENAME ":" FNR ": " $0 }
        ' secrets="$scratch/secret.lines" "$scratch/secret.lines" {} +
        find "$1" -name '*.safetensors' -exec grep -aHFf "$scratch/secret.lines" {} +
        grep -rnawFf "$scratch/secret.names" "$1"
        grep -rna 'BEGIN SOLUTION' "$1"
        find "$1" -name '*.o' -o -name '*.a' -o -name '*.so' -o -name solutions -o \
            -name NOTES.md -o -name submissions -o -name 'make_goldens.py'
        grep -rlaP '\A\x7fELF' "$1" | sed 's/$/: a binary/'
    } | cut -c 1-200 >"$scratch/found"
    cat "$scratch/found"
    [ -s "$scratch/found" ]
}
no_answer() { ! answers_in "$handout"; }
many_secrets() { [ "$(wc -l <"$scratch/secret.lines")" -gt 500 ] && [ "$(wc -l <"$scratch/secret.names")" -gt 500 ]; }

# A planted answer must be found, or the search proves nothing. A tree with this file alone is enough.
finds_planted() { # FILE TEXT
    rm -rf "$scratch/planted"
    mkdir -p "$scratch/planted/${1%/*}"
    cp "$handout/$1" "$scratch/planted/$1"
    ! answers_in "$scratch/planted" || return 1
    printf '%s\n' "$2" >>"$scratch/planted/$1"
    answers_in "$scratch/planted" | grep -F "$1"
}

# Pages mention Python programs only if the archive contains them.
no_missing_script() {
    ! grep -rnoE '[A-Za-z_/]+\.py\b' "$handout" --include='*.md' |
        while IFS=: read -r page line name; do
            [ -e "$handout/$name" ] || [ -e "${page%/*}/$name" ] || echo "$page:$line: $name"
        done | grep .
}

# Pages link only to files that the archive contains.
no_dead_link() {
    ! grep -rnoE '\]\([^)#]+' "$handout" --include='*.md' | grep -v ':\](https\?:' |
        while IFS=: read -r page line link; do
            [ -e "${page%/*}/${link#??}" ] || echo "$page:$line: ${link#??}"
        done | grep .
}

# Prints the essential expressions of some formulas, as patterns that fit any names of
# variables. So a solution with other names is found.
cores() {
    cat <<'EOF'
05_transformer_block \<erff?\(
06_copy_task 1(\.0)?f? - powf?\(
06_copy_task 1(\.0)?f? \+ cosf?\(
07_positional_encoding powf?\(.*10000|10000.*powf?\(
07_positional_encoding \<exp2f?\(
11_reading_attention >> 10 & (31|0x1f)
EOF
}
# The code of the labs without comments. Lab 7's explore program is left out because it measures
# the rounding of angles.
given_code() { # TREE
    find "$1/labs" \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) ! -path '*/07_*/explore.c' \
        -exec sed 's|//.*||' {} +
}
computes_none() { # TREE
    given_code "$1" >"$scratch/code"
    cores >"$scratch/cores"
    while read -r lab core; do
        cat solutions/"$lab"/*.c | grep -qE -e "$core" || { echo "no solution has $core"; return 1; }
        ! grep -E -e "$core" "$scratch/code" || return 1
    done <"$scratch/cores"
}
finds_other_words() {
    cp "$handout/labs/common/model.c" "$scratch/kept"
    echo 'static double turn(double p, size_t j, size_t w) { return p * pow(10000.0, -2.0 * (double)j / (double)w); }' \
        >>"$handout/labs/common/model.c"
    ! computes_none "$handout"
    found=$?
    cp "$scratch/kept" "$handout/labs/common/model.c"
    return $found
}

claim "make release writes an archive" grader/tools/release.sh "$scratch"
archive=$scratch/attention-workbook-students.tar.gz
[ -f "$archive" ] || exit 1
small_enough() { [ "$(wc -c <"$archive")" -lt 26000000 ]; }
claim "the archive is smaller than 26 MB" small_enough
orderly() {
    tar tvzf "$archive" --numeric-owner --full-time >"$scratch/list"
    # tar sorts the names in each folder: there "a/b" comes before "a-b/c"
    awk '{ print $NF }' "$scratch/list" | tr / '\001' | sort -c &&
        ! grep -vE '^[-d]rwx?r-?x?r-?x? 0/0 .* 2020-01-01 00:00:00 |^[-d]rw[x-]r-[x-]r-[x-] 0/0 .* 2020-01-01 00:00:00 ' "$scratch/list"
}
claim "entries are sorted, with one date and no owner" orderly
tar xzf "$archive" -C "$scratch" || exit 1

find_secrets
claim "the list of secrets to search for is long enough" many_secrets
claim "the archive contains no line of a solution, no mistake and no binary" no_answer
claim "a planted line of a solution is found" finds_planted \
    grader/cases/case.c "    $(sed -n '7p' "$scratch/secret.lines")"
claim "no given file computes an exercise's result" computes_none "$handout"
claim "the check finds a formula written with other names" finds_other_words
claim "the archive does not contain lab 5's variants" test ! -e "$handout/labs/programs/variants"
claim "the archive does not contain lab 6's training on a GPU" test ! -e "$handout/labs/programs/train_gpu"
claim "the archive does not contain 11.1 in attnmap" test ! -e "$handout/labs/programs/attnmap/half.c"
claim "no page names a script that the archive lacks" no_missing_script
claim "no page links to a file that the archive lacks" no_dead_link
claim "the name of a planted mistake is found" finds_planted grader/bank/cases/1.1-matmul.safetensors \
    "$(sed -n '7p' "$scratch/secret.names")"
claim "a planted marker is found" finds_planted labs/01_simple_attention/attention.c \
    '// BEGIN SOLUTION 1.1 matmul'

# ---- the archive judges ----------------------------------------------------------------------

cd "$handout" || exit 1
# Ten makes at a time, from a folder without any build and from a complete one. Each must end as
# it would alone; its output is shown if it does not. What the workbook has compiled from the same
# files is copied.
"$whole/grader/tests/compiled_before.sh" "$handout" "$scratch/compilers" || exit 1
one_of_ten() { # NAME STATUS COMMAND...
    name=$1 expected=$2
    shift 2
    "$@" >"$scratch/ten/$name" 2>&1 </dev/null
    ended=$?
    [ $ended -eq "$expected" ] || echo "$name ended with $ended, not $expected: $*" >"$scratch/ten/$name.bad"
}
ten_at_a_time() {
    rm -rf "$scratch/ten"
    mkdir "$scratch/ten"
    export SETUP=skip
    before=$PATH
    PATH=$scratch/compilers:$PATH
    one_of_ten programs 0 make -j2 programs &
    one_of_ten check 2 make check &
    one_of_ten lab 2 make check LAB=1 &
    one_of_ten exercise 2 make check EX=3.2 &
    one_of_ten hint 0 make hint EX=1.3 &
    one_of_ten plot 0 make plot LAB=1 &
    one_of_ten plots 0 make plot LAB=1 &
    one_of_ten unit 2 make unit LAB=1 &
    one_of_ten train 0 make train ARGS=--best &
    one_of_ten file 0 make build/lib/libcommon.a build/gen/labs.mk &
    wait
    unset SETUP
    PATH=$before
    for name in "$scratch"/ten/*.bad; do
        [ ! -e "$name" ] || { cat "$name" "${name%.bad}"; return 1; }
    done
    ! find build -name '*.tmp' -o -name '*.new' | grep .
}
claim "ten makes at a time build everything, and none disturbs another" ten_at_a_time
claim "everything is built" make -q SETUP=skip BUILD_LOCK=held programs
claim "ten makes at a time leave the build intact" ten_at_a_time
claim "ten makes at a time compile nothing again" sh -c "! grep -q '^  compile' '$scratch/ten/programs'"

all_todo() {
    build/grade check --backend all --json "$scratch/todo.json" >"$scratch/todo"
    [ $? -eq 1 ] && grep -q '^0 of [1-9][0-9]* points' "$scratch/todo" &&
        ! grep -E '^  . [0-9]+\.[0-9]+ ' "$scratch/todo" | grep -v ' todo'
}
claim "every exercise of its skeletons is todo" all_todo
claim "make check lists the lab's exercises" says 2 '· 1\.1  matmul .* todo' make SETUP=skip check LAB=1
claim "make hint prints a hint" says 0 'hint 1 of 3' make SETUP=skip hint EX=1.3
claim "make unit compiles, and the examples wait for functions" says 2 'matmul|wait' make SETUP=skip unit LAB=1
claim "another seed is refused" says 2 'only the cases of seed 1' build/grade check --seed 7
claim "make stories writes the stories that lab 8 trains on" says 0 'build/data/stories: train.txt, valid.txt' \
    make SETUP=skip stories
claim "a text for the trained model needs the student's own function" says 2 '^make plot: 3.4 causal_attention: not written yet' \
    make SETUP=skip plot LAB=3 TEXT="Once there"
claim "training on a GPU is refused" says 2 'the student archive trains only on the CPU' make SETUP=skip train GPU=1
for name in depth encodings rope; do
    claim "the experiment $name, which the student archive lacks, is refused" \
        says 2 "there is no experiment '$name'" make SETUP=skip experiment NAME=$name
done
claim "make experiment lists those that the student archive has" \
    says 0 '^  loss  ' make SETUP=skip experiment
claim "grade margins is refused" says 2 'needs the solutions, which are not in the student archive' build/grade margins
claim "hidden cases are refused" says 2 'needs the solutions, which are not in the student archive' build/grade check --hidden-seed 4
claim "grading a class is refused" says 2 'needs the solutions, which are not in the student archive' build/grade class .
claim "make test is refused" says 2 'this is the student archive' make test
claim "make ask judges a prediction, and says that the student's function is not written yet" \
    sh -c 'printf "0.75\n" | make SETUP=skip ask LAB=1 Q=2 >asked && grep -q "^  Right\.$" asked && grep -q "not written yet" asked && rm asked'
claim "SRC=solutions is refused" says 2 'does not contain the solutions' make check LAB=1 SRC=solutions

# No step that compiles or runs a student's file can read a solution or an expected number.
looked_around() { # OPTION...
    cp "$whole/${BUILD:-build}/box/reach-grade" build/reach-grade
    (
        cd "$whole" || exit 1
        [ -d "$scratch/reach" ] || sh grader/tests/reach/folder.sh "$scratch/reach" || exit 1
        REACH=$scratch/reach "$handout/build/reach-grade" check --src "$handout/labs" --backend all --follow none "$@" >"$scratch/todo"
        grep '^0 of ' "$scratch/todo" && sh grader/tests/reach/report.sh "$scratch/reach" 150
    )
    looked=$?
    rm build/reach-grade
    return $looked
}
if build/grade walls | grep -q '^Landlock version [1-9]'; then
    claim "no step of it can read a solution" looked_around
    ! "$whole/build/grade" check --untrusted --src "$whole/solutions" --exercise 1.1 >"$scratch/box" 2>&1 ||
        claim "no step of it in a box can read a solution" looked_around --untrusted
fi

mkdir "$scratch/right"
cp -R "$whole"/solutions/[0-9]* "$scratch/right/"
full_marks() {
    build/grade check --backend all --src "$scratch/right" >"$scratch/marks"
    [ $? -eq 0 ] && grep -E '^([0-9]+) of \1 points' "$scratch/marks"
}
claim "the solutions get full marks, on both sides" full_marks
as_in_the_whole() { # LAB TEXT OPTION VARIABLE: how a trained model reads a text
    make -s SETUP=skip plot LAB="$1" SRC="$scratch/right" TEXT="$2" "$4" | sed '/^pictures: /d; /^all heads with their characters: /d' >"$scratch/read_here"
    (cd "$whole" && "build/trained/solutions/0$1" --text "$2" "$3") | diff - "$scratch/read_here"
}
claim "with lab 3 written, the story model reads a text as in the whole workbook" \
    as_in_the_whole 3 "Once there was a girl" --no-mask MASK=0
claim "with lab 6 written, its models copy and reverse a word" as_in_the_whole 6 "hello world" --mask MASK=1

# Compares verdict, diagnosis, headline and details with those of the whole workbook.
report() { # ROOT TREE EXERCISE FILE
    backend=cpu
    case $snippet in *.cu@*) backend=gpu-simulated ;; esac
    rm -f "$scratch/report.json"
    "$1/build/grade" check --src "$2" --exercise "$3" --backend $backend \
        --json "$scratch/report.json" >/dev/null 2>"$4.err"
    sed '/"execution_time"/d' "$scratch/report.json" >"$4"
}
same_report() { # FILE@SECTION
    snippet=$whole/grader/tests/submissions/wrong/$1
    exercise=${1%%-*}
    diagnosis=${1#*@} # the section is named after it
    rm -rf "$scratch/wrong"
    cp -R "$scratch/right" "$scratch/wrong" # all labs are present, so nothing is replaced
    "$whole/grader/tools/transplant.sh" "$snippet" "$scratch/wrong" || return 1
    report "$whole" "$scratch/wrong" "$exercise" "$scratch/by_whole"
    report "$handout" "$scratch/wrong" "$exercise" "$scratch/by_handout"
    grep -qE "\"diagnosis\":[[:space:]]*\"$diagnosis\"" "$scratch/by_handout" &&
        diff "$scratch/by_whole" "$scratch/by_handout"
}
for snippet in 1.1-matmul.c@running-sum 1.1-matmul.c@not-set 1.3-attention_scores.c@no-scale \
    1.4-softmax_rows.c@reads-old-output 2.3-batched_linear.c@no-bias \
    2.5-batched_attention.c@over-batch 3.1-causal_mask.c@unsigned-wrap \
    3.3-masked_softmax.c@minus-10000 3.4-causal_attention.c@no-mask \
    4.5-scaled_dot_product_attention.c@sqrt-NH 4.5-scaled_dot_product_attention_gpu.cu@no-scale \
    5.1-layernorm.c@eps-outside 5.6-transformer_block.c@post-norm \
    6.7-attention_backward.c@dk-with-k 7.4-alibi_bias.c@aligned-at-start; do
    claim "$snippet has the same name as in the whole workbook" same_report "$snippet"
done

# Here nothing replaces a student's failing functions.
"$whole/grader/tools/transplant.sh" "$whole/grader/tests/submissions/wrong/2.3-batched_linear.c@first-only" \
    "$scratch/right"
claim "the report explains a failure caused by another failing exercise" says 1 '3\.4 .* uses 2\.3, which fails' \
    build/grade check --src "$scratch/right" --exercise 3.4

put_back() {
    cp "$whole"/solutions/01_simple_attention/*.c labs/01_simple_attention/ &&
        says 0 'Lab 1 is a skeleton again' make SETUP=skip reset LAB=1 YES=1 &&
        cmp labs/01_simple_attention/attention.c grader/skeletons/01_simple_attention/attention.c
}
claim "make reset brings a skeleton back" put_back

# A pass with the old bank says nothing about the new one.
other_bank() {
    cp -R "$whole"/solutions/0[1-3]* "$scratch/right/"
    build/grade check --src "$scratch/right" --lab 3 >/dev/null || return 1
    cp grader/bank/cases/2.2-batched_matmul.safetensors "$scratch/bank"
    head -c 5000 "$scratch/bank" >grader/bank/cases/2.2-batched_matmul.safetensors
    says 3 '2.2-batched_matmul.safetensors: ' build/grade check --src "$scratch/right" --lab 3
    status_of_it=$?
    cp "$scratch/bank" grader/bank/cases/2.2-batched_matmul.safetensors
    return $status_of_it
}
claim "what passed with another bank is judged again" other_bank

cut_short() {
    head -c 5000 grader/bank/cases/1.4-softmax_rows.safetensors >"$scratch/cut"
    cp "$scratch/cut" grader/bank/cases/1.4-softmax_rows.safetensors
    says 3 '1.4-softmax_rows.safetensors: .*; unpack the archive again$' \
        build/grade check --src "$whole/solutions" --exercise 1.4
}
claim "a truncated bank is an error of one line" cut_short

exit $status
