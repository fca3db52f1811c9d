#!/bin/sh
# handin.sh - writes the archive of a lab to hand in, after a last check (make handin LAB=3).
#
#   GRADE=build/grade grader/tools/handin.sh labs 03 03_causal_mask causal.c causal.cu
#
# The archive is build/handin/lab3.zip (without zip(1): lab3.tar.gz), of another folder than labs, such as
# ../class/ann, lab3-class_ann.zip: it is no version of one's own. It contains
# labs/03_causal_mask/causal.c and so on, where build/grade class, Gradescope, Canvas and Moodle look
# for them. Other files of the folder are left out, and a .cu file that nobody edited. It is written under another name, checked, then
# renamed.
#
# Exit status: 0 written, also if exercises do not pass yet; 1 not written: a file is missing, or
# cannot be written.
set -eu
cd "$(dirname "$0")/../.."
src=$1 number=$2 folder=$3
shift 3
lab=${number#0}

of= with= # whose it is, if it is not one's own: "-class_ann", and " SRC=../class/ann" for make check
if [ "$(cd "$src" 2>/dev/null && pwd -P)" != "$(cd labs 2>/dev/null && pwd -P)" ]; then
    of=-$(printf %s "$src" | sed 's|^\(\.*/\)*||; s|/*$||; s|[^A-Za-z0-9.-]|_|g')
    with=" SRC=$src"
fi

# Is a file still the skeleton?
untouched() { # FILE
    if [ -e "grader/skeletons/$folder/$1" ]; then
        cmp -s "grader/skeletons/$folder/$1" "$src/$folder/$1"
    else
        awk -f grader/tools/skeleton.awk "solutions/$folder/$1" 2>/dev/null | cmp -s - "$src/$folder/$1"
    fi
}

handed= written=
for file in "$@"; do
    case $file in
    *.cu) # the GPU side is optional
        [ -f "$src/$folder/$file" ] || continue
        ! untouched "$file" || continue
        ;;
    esac
    if [ ! -f "$src/$folder/$file" ] || [ ! -r "$src/$folder/$file" ]; then
        echo "handin: $src/$folder/$file is missing or cannot be read; nothing was written" >&2
        [ -n "$of" ] || echo "handin: make reset LAB=$lab gives you a new one" >&2
        exit 1
    fi
    untouched "$file" || written=yes
    handed="$handed $file"
done

mkdir -p build/handin
stage=$(mktemp -d build/handin/.new.XXXXXX)
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$stage/labs/$folder"
for file in $handed; do
    cp "$src/$folder/$file" "$stage/labs/$folder/$file"
done
# What make ask remembers, if the course gives points for answers. The judge checks them again.
if [ -z "$of" ] && grep -q "^$lab\.q[[:space:]]" grader/points.txt && [ -s "build/questions/$number.progress" ]; then
    cp "build/questions/$number.progress" "$stage/labs/$folder/answers_$number.txt"
    handed="$handed answers_$number.txt"
fi

if command -v zip >/dev/null; then
    name=lab$lab$of.zip
    (cd "$stage" && zip -q -X -r "$name" labs && zip -q -T "$name" >/dev/null)
else
    name=lab$lab$of.tar.gz
    (cd "$stage" && tar -czf "$name" labs && gzip -t "$name")
fi

# With the student's earlier labs beside it: a copy without solutions has no other ones.
"${GRADE:-build/grade}" check --src "$src" --lab "$lab" --no-color >"$stage/report" 2>&1 || [ $? -eq 1 ] || {
    cat "$stage/report" >&2
    echo "handin: the check itself failed, so it is unknown whether this code passes" >&2
}
# The other format of an earlier run would be a second, old hand-in.
rm -f "build/handin/lab$lab$of.zip" "build/handin/lab$lab$of.tar.gz"
mv "$stage/$name" "build/handin/$name"
echo "build/handin/$name:$handed"
[ -z "$of" ] || echo "these are the files of $src, not those of labs"

# "  x 8.4  swiglu and swiglu_backward    0/10  wrong: ...": the line of an exercise that does not pass. The
# points are behind the name, which may have several words.
# "01_simple_attention does not compile" comes before the errors.
awk -v lab="$lab" -v with="$with" -v written="$written" -v folder="$folder" '
    $0 == folder " does not compile" { uncompiled = 1 }
    $2 ~ /^[0-9]+\.([0-9]+|q)$/ {
        name = $3
        for (i = 4; i <= NF && $i !~ /^[0-9.]+\/[0-9.]+$/; i++) {
            name = name " " $i
        }
        if (i > NF) {
            next
        }
        all++
        split($i, points, "/")
        got += points[1]
        most += points[2]
        if ($1 != "✓") {
            missing[++count] = $2 " " name ($2 ~ /q$/ ? " (make ask LAB=" lab ")" : $(i + 1) ~ /^todo/ ? " (not written)" : "")
        }
    }
    END {
        if (all) {
            printf "%g of %g points on the cases of make check; your course may judge on more\n", got, most
        }
        if (uncompiled) {
            print "it does not compile: make check LAB=" lab with " shows the errors"
            exit
        }
        if (count && written == "") {
            print "no exercise of lab " lab " is written yet: these are the files as you got them"
        } else if (count) {
            print "not passing yet (make check LAB=" lab with "):"
        }
        for (i = 1; i <= count && written != ""; i++) {
            print "  " missing[i]
        }
        if (count && written != "") print "You can go on and hand in again; make handin LAB=" lab " writes the archive anew."
    }
' "$stage/report"
case $handed in
*.cu*) echo "the .cu files are in it; make check LAB=$lab GPU=1$with judges them" ;;
esac
