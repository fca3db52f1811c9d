#!/bin/sh
# test_check_tree.sh - check_tree.sh finds every kind of problem. Each test plants one fault in
# a copy of the tree and looks for the finding. The unchanged copy must give no finding, so each
# one comes from its fault.
set -u
cd "$(dirname "$0")/../.." || exit 1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/copy
mkdir "$copy"
tar cf - --exclude=./build --exclude=./.git . | tar xf - -C "$copy"
(cd "$copy" && git init -q && git add -Af && git -c user.name=test -c user.email=test@localhost commit -qm clean) || exit 1
status=0

# finds CHECK CLAIM PATTERN: in $copy, the check reports a line that matches. Afterwards $copy
# is restored.
finds() {
    if (cd "$copy" && grader/tools/check_tree.sh "$1") >"$scratch/out"; then
        echo "not ok - $2: check_tree.sh found nothing"
        status=1
    elif grep -qE "$3" "$scratch/out"; then
        echo "ok - $2"
    else
        echo "not ok - $2: no finding matches $3, but: $(head -n 1 "$scratch/out")"
        status=1
    fi
    (cd "$copy" && git reset -q --hard && git clean -qfdx) || exit 1
}

# Leaves only this lab in $copy: the others take most of the time to compile.
only_lab() {
    for folder in "$copy"/labs/[0-9][0-9]_*/; do
        [ "$folder" = "$copy/labs/$lab/" ] || rm -r "$folder"
    done
}

lab=01_simple_attention
stub=$copy/labs/$lab/attention.c
solution=$copy/solutions/$lab/attention.c
handout=$copy/labs/$lab/README.md

# Leaves only the C files in labs/common, because clang-format takes seconds for all.
only_common() {
    find "$copy" -name '*.[ch]' ! -path "$copy/labs/common/*" -delete
    find "$copy" \( -name '*.cu' -o -name '*.cuh' -o -name '*.cc' \) -delete
}

# Every check. labs_compile and formatted come last and look only at the lab and the folder in which the
# faults below are planted; test_tree.sh compiles all labs and looks at every file.
clean_tree_has_no_findings() {
    checks=$(sed -n '/^checks="/,/"$/{s/checks=//; s/"//g; p}' grader/tools/check_tree.sh | tr -s ' \n' ' ')
    others=$(printf '%s\n' $checks | grep -vx -e labs_compile -e formatted)
    [ $(($(echo $others | wc -w) + 2)) -eq "$(echo $checks | wc -w)" ] || { echo "no list of checks in check_tree.sh"; return 1; }
    cd "$copy" || return 1
    # shellcheck disable=SC2086 # several words
    grader/tools/check_tree.sh $others && only_lab && grader/tools/check_tree.sh labs_compile &&
        only_common && grader/tools/check_tree.sh formatted && git reset -q --hard
}
if (clean_tree_has_no_findings) >"$scratch/out"; then
    echo "ok - a clean tree has no findings"
else
    echo "not ok - a clean tree has no findings: $(head -n 1 "$scratch/out")"
    status=1
fi

finds no_such_check "a check that is not" "there is no check no_such_check"

echo '// mine' >>"$stub"
finds skeletons_are_the_generated_ones "an edited stub" \
    "^labs/$lab/attention\.c:[0-9]+: is not the skeleton"

rm "$stub"
finds skeletons_are_the_generated_ones "a stub that is missing" \
    "^solutions/$lab/attention\.c:1: has no skeleton"

# The solution is changed consistently, so that only the TODO is missing.
sed -i '/SOLUTION 1\.2/d' "$solution"
(cd "$copy" && FORCE=1 grader/tools/skeletons.sh >/dev/null)
finds every_exercise_is_a_stub "a stub that is already solved" \
    "^labs/$lab/attention\.c:1: exercise 1\.2 has no TODO"

sed -i 's/\.id = "6\.10"/.id = "6.1"/' "$copy/grader/exercises/06/10_embedding_backward.c"
finds exercises_have_their_number "an exercise with another one's number" \
    '^grader/exercises/06/10_embedding_backward\.c:1: its name says exercise 6\.10'

sed -i 's/TODO 1\.4/DONE 1.4/' "$copy/labs/$lab/attention.cu"
finds every_exercise_is_a_stub "a kernel that is already solved" \
    "^labs/$lab/attention\.cu:1: exercise 1\.4g has no TODO"

sed -i '/BEGIN SOLUTION 1\.1 matmul_nt/,/END SOLUTION/{/SOLUTION/d}' "$solution"
(cd "$copy" && FORCE=1 grader/tools/skeletons.sh >/dev/null)
finds every_function_is_a_stub "one of two functions already solved" \
    "attention\.h:[0-9]+: matmul_nt has no BEGIN"

sed -i 's/SOLUTION 1\.2/SOLUTION 1.77/' "$solution"
finds every_exercise_is_a_stub "an exercise without points" \
    "attention\.c:[0-9]+: exercise 1\.77 is not in"

sed -i '0,/END SOLUTION/{/END SOLUTION/d}' "$solution"
finds skeletons_are_the_generated_ones "a region that does not end" "attention\.c:[0-9]+: "

echo '1.99 10 5 512' >>"$copy/grader/points.txt"
finds every_exercise_is_a_stub "points without an exercise" "exercise 1\.99 has no TODO"

echo '41.1 10 5 512' >>"$copy/grader/points.txt"
finds every_exercise_is_a_stub "points without a lab" \
    "^grader/points\.txt:[0-9]+: exercise 41\.1 has no file"

only_lab
echo 'static int unused_helper(void) { return 1; }' >>"$stub"
finds labs_compile "a stub that gives a warning" \
    "^labs/$lab/attention\.c:[0-9]+: gcc: .*unused_helper"

if command -v clang >/dev/null; then
    only_lab
    echo 'int nothing_else; static const int unused_by_clang = 1;' >>"$stub"
    finds labs_compile "a warning of clang's alone" \
        "^labs/$lab/attention\.c:[0-9]+: clang: "
fi

sed -i 's|^#include "cases/compare.h"|&\n#include "judge/judge.h"|' "$copy/grader/cases/diagnose.c"
finds includes_go_downwards "an include of a higher folder" \
    '^grader/cases/diagnose\.c:[0-9]+: judge lies above cases'

echo '#include "base/memory.h"' >>"$copy/labs/common/rng.h"
finds includes_go_downwards "the grader in a file that students include" \
    '^labs/common/rng\.h:[0-9]+: base lies above common'

sed -i '/^      judge ─/d' "$copy/docs/grader.md"
finds includes_go_downwards "a folder that the picture lacks" 'the picture of the folders lacks grader/judge'

touch "$copy/labs/$lab/attention.o"
finds no_stray_files "a stray object file" "^labs/$lab/attention\.o:1: does not belong"

touch "$copy/labs/$lab/notes.c"
finds no_stray_files "a stray C file" "^labs/$lab/notes\.c:1: does not belong"

mkdir "$copy/labs/$lab/old"
finds no_stray_files "a stray folder" "^labs/$lab/old:1: does not belong"

touch "$copy/solutions/$lab/draft.txt"
finds no_stray_files "a stray file beside a solution" \
    "^solutions/$lab/draft\.txt:1: does not belong"

rm "$copy/solutions/fast/$lab/attention.c"
finds fast_twins_mirror_the_solutions "a solution without a fast twin" \
    "^solutions/$lab/attention\.c:1: has no fast twin"

touch "$copy/solutions/fast/$lab/other.c"
finds fast_twins_mirror_the_solutions "a fast twin without a solution" \
    "^solutions/fast/$lab/other\.c:1: has no plain solution of the same name"

rm "$copy/solutions/fast/$lab/attention.c"
cp "$copy/solutions/$lab/attention.c" "$copy/solutions/fast/$lab/attention.c"
finds fast_twins_mirror_the_solutions "solution markers in a fast twin" \
    "^solutions/fast/$lab/attention\.c:1: has solution markers"

printf 'Say `make chekc LAB=1`.\n' >>"$handout"
finds docs_name_what_exists "a handout with a target that is not" \
    "README\.md:[0-9]+: make chekc: there is no"

printf '```\nmake polt LAB=1\n```\n' >>"$handout"
finds docs_name_what_exists "the same in a block of code" \
    "README\.md:[0-9]+: make polt: there is no"

printf 'Write `softmax_rowz()`.\n' >>"$handout"
finds docs_name_what_exists "a handout with a function that is not" \
    "README\.md:[0-9]+: softmax_rowz\(\): there is"

printf 'Edit `labs/01_simple_attention/atention.c`.\n' >>"$handout"
finds docs_name_what_exists "a path that is not" \
    "README\.md:[0-9]+: labs/01_simple_attention/atention\.c: there"

printf 'Edit `atention.c`.\n' >>"$handout"
finds docs_name_what_exists "a file name that is not" \
    "README\.md:[0-9]+: atention\.c: there is no file"

printf '![map](../../docs/figures/no.png)\n' >>"$handout"
finds docs_name_what_exists "a picture that is not" \
    "README\.md:[0-9]+: link to .*no\.png: there is no such"

clauses=$copy/grader/tests/clauses.txt
last=$(sed -n 's/^== //p' "$clauses" | tail -n 1) # "9.8": the exercise that new lines belong to
clause() { # COLUMNS: adds a line to the last exercise
    printf '%s\n' "$1" >>"$clauses"
}
clause 'tokens (N + count): the first N are the suffix | "temperature 0" | -'
finds clauses_are_judged "a clause that no header has" "clauses\.txt:[0-9]+: no header says: tokens"

clause 'goes wrong: all | "temperature 451" | -'
finds clauses_are_judged "a clause's case that is not" "clauses\.txt:[0-9]+: no case of lab ${last%.*} has the note"

clause 'goes wrong: all | N=7 B=9 | -'
finds clauses_are_judged "a clause's sizes that are not" "clauses\.txt:[0-9]+: no case of lab ${last%.*} has the sizes"

clause 'goes wrong: all | property perpetual-motion; unit of_nothing | -'
finds clauses_are_judged "a clause's property that is not" "clauses\.txt:[0-9]+: lab ${last%.*} has no property"

clause 'goes wrong: all | repeats | no-such-mistake'
finds clauses_are_judged "a clause's wrong submission that is not" \
    "clauses\.txt:[0-9]+: $(echo "$last" | sed 's/\./\\./') has no wrong submission no-such-mistake"

sed -i '/^== 7\.5/,/^$/d' "$clauses"
finds clauses_are_judged "an exercise without clauses" "exercise 7\.5 is missing"

sed -i '/^Arguments come in the order outputs/d' "$clauses"
finds clauses_are_judged "a sentence without a clause" \
    "^labs/$lab/attention\.h:3: no line of clauses\.txt has: Arguments come in the order outputs, inputs, sizes"

sed -i 's|^// 1\.3  How well each query fits each key\.|&  Keys are unique.|' "$copy/labs/$lab/attention_gpu.h"
finds clauses_are_judged "a new sentence in a function's comment" \
    "^labs/$lab/attention_gpu\.h:[0-9]+: no line of clauses\.txt \(== 1\.3\) has: Keys are unique"

sed -i 's|^#include <stddef.h>|&  // fast|' "$copy/labs/$lab/attention.h"
finds clauses_are_judged "a new comment behind code" "^labs/$lab/attention\.h:[0-9]+: no line of clauses\.txt has: fast"

# One of 1.1's lines says the same, but does not count for 1.5.
sed -i 's|^// Writes out (T,dv)\.|&  Infinities and NaN as in matmul.|' "$copy/labs/$lab/attention.h"
finds clauses_are_judged "a sentence judged only in another exercise" \
    "^labs/$lab/attention\.h:[0-9]+: no line of clauses\.txt \(== 1\.5\) has: Infinities and NaN as in matmul"

if command -v clang-format >/dev/null; then
    only_common
    printf 'static   int  crooked ;\n' >>"$copy/labs/common/status.c"
    finds formatted "a file out of shape" "^labs/common/status\.c:[0-9]+: not formatted"
fi

exit $status
