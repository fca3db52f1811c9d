#!/bin/sh
# between.sh - put what a command prints between two markers of a Markdown file.
#
#   build/grade list | grader/tools/between.sh README.md exercises
#
# replaces the lines between <!-- exercises --> and <!-- /exercises --> with a code block. The
# file is written under a temporary name and renamed; without the markers it stays as it is.
set -eu
file=$1 name=$2
begin="<!-- $name -->" end="<!-- /$name -->"
grep -qxF "$begin" "$file" && grep -qxF "$end" "$file" || {
    echo "between.sh: $file has no lines '$begin' and '$end'" >&2
    exit 1
}
block=$(mktemp)
trap 'rm -f "$block" "$file.new"' EXIT
sed 's/^\(..*\)/    \1/' >"$block"
[ -s "$block" ] || {
    echo "between.sh: nothing to put between '$begin' and '$end' in $file" >&2
    exit 1
}
awk -v begin="$begin" -v end="$end" -v block="$block" '
    $0 == begin {
        print; print ""
        while ((getline line <block) > 0) print line
        print ""; inside = 1
    }
    $0 == end { inside = 0 }
    !inside && $0 != begin { print }
' "$file" >"$file.new"
mv "$file.new" "$file"
