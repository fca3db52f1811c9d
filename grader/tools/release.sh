#!/bin/sh
# release.sh - makes the archive for students, without solutions (make release).
#
#   grader/tools/release.sh [OUT]       needs build/grade and build/questions; writes
#                                       OUT/attention-workbook-students.tar.gz (build/release)
#
# The contents are listed below, folder by folder, so no stray file gets in. From a lab's files in
# grader/exercises, only three parts go into one file labNN.c: the part of labNN.c above
# "#ifndef WORKER" (how a student's function is called), the parts of NN/* between
# "// BEGIN HANDED OUT" and "// END HANDED OUT" (properties that code checks), and the tables.
# build/grade writes the tables without cases and mistakes, whose numbers are in grader/bank/cases
# (grader/bank/bank.h). Skeletons are made from solutions/, whatever labs/ contains now.
#
# The same workbook gives the same bytes: sorted entries, one date, no owner. The archive is written
# under another name, then renamed. grader/tests/test_release.sh searches it for answers.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C

name=attention-workbook
out=${1:-build/release}
if [ ! -d solutions ]; then
    echo "release: this is the student archive already: it has no solutions/" >&2
    exit 1
fi
mkdir -p "$out"
stage=$(mktemp -d "$out/new.XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM
tree=$stage/$name
umask 022

take() { # FILE...
    for file in "$@"; do
        [ -f "$file" ] || continue # a pattern without a file
        mkdir -p "$tree/${file%/*}"
        cp "$file" "$tree/$file"
    done
}

take_all() { # FOLDER...
    find "$@" -type f ! -name '.*' ! -name '*~' | sort >"$stage/files"
    while read -r file; do
        take "$file"
    done <"$stage/files"
}

# ---- what students read and edit -------------------------------------------------------------

take_all labs/common labs/programs
take labs/compile_flags.txt
# These folders would give away labs 5 and 6, and the file 11.1.
rm -r "$tree/labs/programs/variants" "$tree/labs/programs/train_gpu" "$tree/labs/programs/attnmap/half.c"
for solution in solutions/[0-9][0-9]_*/*.c solutions/[0-9][0-9]_*/*.cu; do
    [ -f "$solution" ] || continue
    file=${solution#solutions/}
    mkdir -p "$tree/labs/${file%/*}" "$tree/grader/skeletons/${file%/*}"
    awk -f grader/tools/skeleton.awk "$solution" >"$tree/labs/$file"
    cp "$tree/labs/$file" "$tree/grader/skeletons/$file" # for make reset
done
for folder in solutions/[0-9][0-9]_*; do
    lab=labs/${folder#solutions/}
    take "$lab/README.md" "$lab/GPU.md" "$lab"/*.h "$lab"/test_*.c "$lab/explore.c" "$lab/predict.c" "$lab/gradcheck.c" "$lab"/*.gp
    number=${folder#solutions/}
    awk -f grader/tools/cover_questions.awk "build/questions/${number%%_*}.answers" "$lab/questions.txt" \
        >"$tree/$lab/questions.txt"
done
for page in "$tree"/labs/[0-9]*/README.md; do
    sed -i 's|; `solutions/[^`]*NOTES.md` has ours\.$|. Your instructor has ours.|' "$page"
done
take_all docs/cudasim
take docs/student.md docs/grader.md docs/gpu.md docs/formats.md docs/attnmap.md
take_all docs/figures
take datasets/README.md datasets/published_trace.* datasets/goldens/*.safetensors
take datasets/stories/stories.grammar datasets/story_model.safetensors datasets/story_model.steps datasets/story_model.tsv datasets/the_cat.safetensors
take_all datasets/models/tiny-*
take_all datasets/word_models
rm -f "$tree/datasets/published_trace.py"
# Leave out of the README the scripts that are not in the archive.
awk '/^## / { skip = $0 == "## How they were made" } !skip && !/\.py/' datasets/README.md \
    >"$tree/datasets/README.md"

# The README explains the student archive instead of the commands that need the solutions.
awk '
    FNR == NR { handout = handout $0 "\n"; next }
    /^## / { skip = $0 ~ /^## (Two commands|For whom)$/ }
    /^## Two commands$/ { printf "%s\n", handout }
    !skip { sub(/ \(`make bench`\)/, ""); print }
' docs/handout.md README.md >"$tree/README.md"
# Leave out its lines with a link to a page that is not in the archive.
grep -oE '\]\([^)#]+' "$tree/README.md" | while read -r link; do
    [ -e "$tree/${link#??}" ] || sed -i "\|$link)|d" "$tree/README.md"
done

# ---- the grader ------------------------------------------------------------------------------

cp LICENSE Makefile .gitignore "$tree/"
take grader/rules.mk grader/programs.mk grader/points.txt grader/exercises/exercise.h
for folder in command report grade judge bank build cases sandbox base gpu worker; do
    take_all "grader/$folder"
done
for tool in backup.sh book.sh check_book.sh clean.sh debug.gdb doctor.sh experiment.sh explore.sh first.sh handin.sh help.awk \
    inherited.awk beside.sh link.sh link_line.sh list_labs.sh locked.sh packages.txt passes.sh plot.sh pretrained.sh reset.sh run_program.sh setup.sh train.sh trained.sh \
    unit.sh unwritten.awk; do
    take grader/tools/$tool
done
take_all grader/tools/book

# Leave out the packages for grading a class.
sed -i '/(grade class/d' "$tree/grader/tools/packages.txt"

echo "release: computing the case banks, which takes a minute or two"
mkdir "$stage/bank" "$tree/grader/bank/cases"
build/grade bank "$stage/bank"
mv "$stage"/bank/*.safetensors "$tree/grader/bank/cases/"

# Prints those of the named files that exist.
present() {
    for file in "$@"; do
        [ ! -e "$file" ] || echo "$file"
    done
}

for exercises in grader/exercises/lab[0-9][0-9].c; do
    lab=${exercises##*/}
    grep -q '^#ifndef WORKER$' "$exercises" || {
        echo "release: $exercises has no line '#ifndef WORKER'" >&2
        exit 1
    }
    {
        echo "// $lab - a lab in the student archive. Made by release.sh."
        echo
        echo "#ifdef WORKER"
        echo
        sed '1,/^$/d; /^#ifndef WORKER$/,$d' "$exercises" # without the comment about cases
        printf '#else\n\n#include <float.h>\n#include <math.h>\n#include <stdio.h>\n'
        printf '#include <string.h>\n\n#include "exercises/exercise.h"\n\n'
        # Code shared by several exercises comes before them.
        number=${lab#lab}
        folder=grader/exercises/${number%.c}
        awk '
            /^\/\/ BEGIN HANDED OUT$/ { on = 1; next }
            /^\/\/ END HANDED OUT$/ { on = 0; print ""; next }
            on
        ' "$exercises" $(present "$folder"/*.h "$folder"/[a-z]*.c "$folder"/[0-9]*.c)
        cat "$stage/bank/${lab%.c}.tables.c"
        printf '\n#endif\n'
    } >"$tree/$exercises"
    # Headers of NN/ that the worker needs.
    take $(sed -n '/^#ifndef WORKER$/q; s|^#include "\(exercises/[0-9].*\)"$|grader/\1|p' "$exercises")
done

# ---- the archive -----------------------------------------------------------------------------

archive=$out/$name-students.tar.gz
if command -v libdeflate-gzip >/dev/null; then # a fortieth smaller
    pack='libdeflate-gzip -12 -c'
else
    pack='gzip -9 --no-name'
fi
tar --create --directory "$stage" --sort=name --mtime='2020-01-01 00:00:00Z' --owner=0 --group=0 \
    --numeric-owner --mode='u+rwX,go+rX,go-w' --format=ustar "$name" |
    $pack >"$stage/archive"
gzip -t "$stage/archive"
mv "$stage/archive" "$archive"
bytes=$(wc -c <"$archive")
echo "$archive  ($((bytes / 1000000)).$((bytes / 100000 % 10)) MB)"
