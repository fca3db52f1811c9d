#!/bin/sh
# check_tree.sh - checks that the tree follows its own rules. Prints a line "file:line:
# problem" for each finding; exit status 1 if there are any. grader/tests/test_check_tree.sh
# checks that each kind of problem is found.
#
#   grader/tools/check_tree.sh                      every check
#   grader/tools/check_tree.sh no_stray_files ...   these checks
#
# Start reading at the list of checks, below.
set -u
cd "$(dirname "$0")/../.." || exit 2

checks="skeletons_are_the_generated_ones every_exercise_is_a_stub every_function_is_a_stub
    exercises_have_their_number no_stray_files includes_go_downwards fast_twins_mirror_the_solutions labs_compile docs_name_what_exists
    clauses_are_judged formatted"

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

solutions() {
    find solutions -mindepth 2 -maxdepth 2 \( -name '*.c' -o -name '*.cu' \) | sort
}

lab_number() { # labs/03_causal_mask/causal.c -> 3
    echo "$1" | sed 's|^labs/0*\([0-9]*\)_.*|\1|'
}

# Line number of the first difference between two files.
first_difference() {
    cmp "$1" "$2" 2>&1 | sed -n 's/.*line \([0-9]*\).*/\1/p'
}

skeletons_are_the_generated_ones() {
    solutions | while read -r solution; do
        lab_file=labs/${solution#solutions/}
        if ! awk -f grader/tools/skeleton.awk "$solution" \
            >"$scratch/skeleton" 2>"$scratch/error"; then
            cat "$scratch/error"
        elif [ ! -e "$lab_file" ]; then
            echo "$solution:1: has no skeleton $lab_file; make skeletons writes it"
        elif ! cmp -s "$scratch/skeleton" "$lab_file"; then
            line=$(first_difference "$scratch/skeleton" "$lab_file")
            echo "$lab_file:${line:-1}: is not the skeleton: your own work?" \
                "make check LAB=$(lab_number "$lab_file") judges it" \
                "(make skeletons writes the skeleton anew)"
        elif ! grep -qxF "$(cksum "$lab_file")" grader/tools/skeletons.cksum; then
            echo "$lab_file:1: its checksum is not in skeletons.cksum; run make skeletons"
        fi
    done
}

# grader/exercises/01/03_x.c is exercise 1.3: list_labs.sh uses the file name, the judge uses
# the id.
exercises_have_their_number() {
    find grader/exercises -path '*/[0-9][0-9]/[0-9][0-9]_*.c' | sort | while read -r file; do
        id=$(echo "$file" | sed 's|.*/0*\([0-9]*\)/0*\([0-9]*\)_[^/]*$|\1.\2|')
        grep -qx "    \.id = \"$id\"," "$file" ||
            echo "$file:1: its name says exercise $id, but it has no .id = \"$id\""
    done
}

# Every exercise of points.txt has a TODO in its lab and a region in its solution. "1.3g" is the
# exercise in the .cu files.
every_exercise_is_a_stub() {
    # "3 c 3.2", one a line: the lab, the kind of file and the exercise of each TODO
    todos="
$(grep -oE '// TODO [0-9]+\.[0-9]+:' labs/[0-9][0-9]_*/*.c labs/[0-9][0-9]_*/*.cu |
        sed 's|^labs/0*\([0-9]*\)_[^:]*\.\([cu]*\):// TODO \(.*\):$|\1 \2 \3|')
"
    grep -nE '^[0-9]+\.[0-9]+' grader/points.txt | while IFS=: read -r line rule; do
        name=${rule%%[[:space:]]*}
        id=${name%g}
        kind=c
        [ "$name" = "$id" ] || kind=cu
        folder=labs/${id%.*}_*
        [ "${id%.*}" -gt 9 ] || folder=labs/0${id%.*}_*
        for stub in $folder/*.$kind; do # the file to edit comes first in any message
            case ${stub##*/} in test_*.c | explore.c | predict.c | gradcheck.c) continue ;; esac
            break
        done
        if [ ! -e "$stub" ]; then
            echo "grader/points.txt:$line: exercise $name has no file to edit in $folder"
            continue
        fi
        case $todos in
        *"
${id%.*} $kind $id
"*) ;;
        *) echo "$stub:1: exercise $name has no TODO: is it already solved?" ;;
        esac
    done
    # shellcheck disable=SC2046 # several files
    awk '
        FNR == NR { listed[$1] = 1; next }
        /\/\/ BEGIN SOLUTION/ {
            id = $0
            sub(/.*SOLUTION /, "", id)
            sub(/ .*/, "", id)
            if (!(id in listed)) {
                printf "%s:%d: exercise %s is not in grader/points.txt\n", FILENAME, FNR, id
            }
        }
    ' grader/points.txt $(solutions)
}

# Every function of a lab's header is cut from the skeletons, so that none is handed out solved.
every_function_is_a_stub() {
    for header in labs/[0-9][0-9]_*/*.h; do
        folder=$(basename "$(dirname "$header")")
        [ -d "solutions/$folder" ] || continue
        grep -nE 'lab_status [a-z_0-9]+\(' "$header" | while IFS=: read -r line text; do
            name=$(echo "$text" | sed 's/.*lab_status \([a-z_0-9]*\)(.*/\1/')
            grep -rqE --include='*.c' --include='*.cu' "BEGIN SOLUTION [0-9.]+ $name:" \
                "solutions/$folder" ||
                echo "$header:$line: $name has no BEGIN SOLUTION in solutions/$folder"
        done
    done
}

# The skeletons compile without warnings, with every installed compiler. Some of gcc's warnings need an
# optimized object; clang finds all of its own while it reads.
labs_compile() {
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || continue
        how='-O1 -c -o /dev/null'
        [ "$compiler" = gcc ] || how=-fsyntax-only
        for file in labs/[0-9][0-9]_*/*.c; do
            [ -e "$file" ] || continue
            # shellcheck disable=SC2086 # several words
            if ! LC_ALL=C "$compiler" -std=c17 $how -Wall -Wextra -Werror -I labs \
                "$file" 2>"$scratch/error"; then
                grep -m 1 -E '(error|warning):' "$scratch/error" |
                    sed "s/^\([^:]*:[0-9]*\):[0-9]*: /\1: $compiler: /" | grep . ||
                    echo "$file:1: $compiler: $(head -n 1 "$scratch/error")"
            fi
        done
    done
}

no_stray_files() {
    find labs/[0-9][0-9]_* solutions/[0-9][0-9]_* -mindepth 1 | sort | while read -r path; do
        case $path in
        */*/*/*) kind=deep ;;
        solutions/*/NOTES.md | labs/*/README.md | labs/*/GPU.md | labs/*/*.h) kind=known ;;
        labs/*/test_*.c | labs/*/explore.c | labs/*/predict.c | labs/*/gradcheck.c | labs/*/questions.txt | labs/*/*.gp) kind=known ;;
        solutions/*/*.c | solutions/*/*.cu) kind=known ;;
        labs/*/*.c | labs/*/*.cu)
            kind=stray
            [ ! -e "solutions/${path#labs/}" ] || kind=known
            ;;
        *) kind=stray ;;
        esac
        [ "$kind" = known ] || echo "$path:1: does not belong in a lab's folder"
    done
}

# The picture in docs/grader.md lists the grader's folders from top to bottom. No file includes
# a header from a higher folder, and no file in labs/ includes a header of the grader.
includes_go_downwards() {
    sed -n '/^## The folders$/,/^## /s/^      \([a-z]*\) ─.*/\1/p' docs/grader.md >"$scratch/rooms"
    for folder in grader/*/; do
        room=$(basename "$folder")
        case $room in bench | tests | tools | gradescope | slurm | ci) continue ;; esac # use any of them
        grep -qx "$room" "$scratch/rooms" ||
            echo "docs/grader.md:1: the picture of the folders lacks grader/$room"
    done
    (cd grader && xargs -I{} find {} -name '*.[ch]' -o -name '*.cc' <"$scratch/rooms" 2>/dev/null) |
        sed 's|^|grader/|' >"$scratch/includers"
    find labs solutions -name '*.[ch]' -o -name '*.cu' >>"$scratch/includers"
    sort "$scratch/includers" | xargs grep -nE '^ *# *include "[a-z]+/' | awk -v rooms="$scratch/rooms" '
        BEGIN { while ((getline room < rooms) > 0) { height[room] = -++count } }
        {
            split($0, part, ":")
            split(part[1], path, "/")
            room = path[1] == "grader" ? path[2] : "common"
            match($0, /"[a-z]+\//)
            of = substr($0, RSTART + 1, RLENGTH - 2)
            if ((of in height) && height[of] > height[room]) {
                printf "%s:%s: %s lies above %s (docs/grader.md)\n", part[1], part[2], of, room
            }
        }
    '
}

# solutions/fast mirrors the solutions file by file, so that SRC=solutions/fast has every function.
fast_twins_mirror_the_solutions() {
    [ -d solutions/fast ] || return 0
    (cd solutions && find [0-9][0-9]_*/*.c [0-9][0-9]_*/*.cu) | sort >"$scratch/plain"
    (cd solutions/fast && find . -mindepth 1 ! -type d ! -path './common/*') | sed 's|^\./||' | sort >"$scratch/fast"
    comm -23 "$scratch/plain" "$scratch/fast" | while read -r file; do
        echo "solutions/$file:1: has no fast twin; if there is none, make" \
            "solutions/fast/$file a link to it"
    done
    comm -13 "$scratch/plain" "$scratch/fast" | while read -r file; do
        echo "solutions/fast/$file:1: has no plain solution of the same name"
    done
    grep -rlE '(BEGIN|END) SOLUTION' solutions/fast | while read -r file; do
        [ -L "$file" ] || echo "$file:1: has solution markers; skeletons come from the plain twin"
    done
}

# The make targets, functions and files named in handouts and docs exist.
docs_name_what_exists() {
    sed -n 's/^\([a-z][a-z -]*\):.*/\1/p' Makefile grader/rules.mk grader/programs.mk | tr ' ' '\n' >"$scratch/targets"
    sed -n '/^BUILT := /,/[^\\]$/p' grader/rules.mk | sed 's/^BUILT := //' | tr -s ' \\' '\n' |
        sed -n 's/^[a-z]/needs-&/p' >>"$scratch/targets" # what make builds for each of them
    find . -path ./.git -prune -o -path ./build -prune -o -print | sed 's|^\./||' \
        >"$scratch/paths"
    # System headers that a source includes count as existing files.
    grep -rhoE --include='*.[ch]' '#include <[^>/]*>' labs solutions grader |
        sed 's/.*<\(.*\)>/system\/\1/' | sort -u >>"$scratch/paths"
    grep -rhoE --include='*.[ch]' --include='*.cu' --include='*.py' --include='*.gp' \
        '[A-Za-z_][A-Za-z_0-9]* ?\(' labs solutions grader datasets | tr -d ' (' | sort -u \
        >"$scratch/functions"
    grep '\.md$' "$scratch/paths" | while read -r page; do
        awk -v scratch="$scratch" -f grader/tools/check_docs.awk "$page"
    done
}

# What the columns of clauses.txt are looked up in, for one lab (see check_clauses.awk).
gather_clauses() { # 03
    number=${1#0}
    cat grader/exercises/"$1"/*.[ch] grader/exercises/common/*.[ch] | tr '\n' ' ' |
        sed -E 's/" *"//g; s/TOO_LARGE[A-Z_]*\("[^"]*", "[^"]*", ("[^"]*)"\)/\1 does not fit an int"/g' >"$scratch/$number.cases"
    awk -f grader/tools/header_sentences.awk labs/"$1"_*/*.h >"$scratch/$number.sentences"
    sed -n 's/^Test([a-z_0-9]*, *\([A-Za-z_0-9]*\).*/\1/p' labs/"$1"_*/test_*.c >"$scratch/$number.units"
    for wrong in grader/tests/submissions/wrong/"$number".*; do
        exercise=$(basename "$wrong" | cut -d- -f1)
        echo "$exercise" >>"$scratch/exercises"
        sed -n 's/^@ \([^: ]*\).*/\1/p' "$wrong" >>"$scratch/$exercise.wrong"
    done
}

# Labs in which every sentence of a header has a line in clauses.txt. To list what another lab lacks:
# CLAUSES_COMPLETE=7 grader/tools/check_tree.sh clauses_are_judged
clauses_complete=${CLAUSES_COMPLETE-1 2 3 4 5 6 7 8 9 10 11}

# grader/tests/clauses.txt names a case and a wrong submission for each sentence of a contract.
clauses_are_judged() {
    for lab in grader/exercises/[0-9][0-9]; do
        gather_clauses "${lab##*/}"
    done
    awk -v scratch="$scratch" -v complete="$clauses_complete" -f grader/tools/clause_words.awk \
        -f grader/tools/check_clauses.awk grader/tests/clauses.txt
}

formatted() {
    command -v clang-format >/dev/null || return 0
    LC_ALL=C grader/tools/format.sh --dry-run -Werror 2>&1 |
        grep -E '(error|Error)' | sort -u -t: -k1,1 |
        sed 's/^\([^:]*:[0-9]*\):[0-9]*: .*/\1: not formatted; make format does it/'
}

for check in ${*:-$checks}; do
    case " $(echo $checks) " in
    *" $check "*) "$check" >>"$scratch/findings" 2>&1 ;;
    *) echo "check_tree.sh: there is no check $check" >>"$scratch/findings" ;;
    esac
done

cat "$scratch/findings"
[ ! -s "$scratch/findings" ]
