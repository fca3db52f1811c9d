#!/bin/sh
# between.sh - writes the output of a command between two markers in a file.
#
#   build/grade list | grader/tools/between.sh README.md exercises
#   build/bench/ladder 06_copy_task/loss.c | grader/tools/between.sh solutions/fast/06_copy_task/loss.c \
#       "MEASURED: build/bench/ladder ..."
#
# In Markdown it replaces the lines between <!-- exercises --> and <!-- /exercises --> with a
# code block, in C the comments between // BEGIN MEASURED: ... and // END MEASURED with
# comments. The file is written under a temporary name and renamed. Without the markers it stays
# unchanged.
set -eu
file=$1 name=$2
case $file in
*.c) begin="// BEGIN $name" end="// END ${name%%:*}" indent='// ' blank='//' around='' ;;
*) begin="<!-- $name -->" end="<!-- /$name -->" indent='    ' blank='' around='a blank line' ;;
esac
grep -qxF "$begin" "$file" && grep -qxF "$end" "$file" || {
    echo "between.sh: $file has no lines '$begin' and '$end'" >&2
    exit 1
}
block=$(mktemp)
trap 'rm -f "$block" "$file.new"' EXIT
sed "s|^\(..*\)|$indent\1|; s|^\$|$blank|" >"$block"
[ -s "$block" ] || {
    echo "between.sh: nothing to put between '$begin' and '$end' in $file" >&2
    exit 1
}
awk -v begin="$begin" -v end="$end" -v block="$block" -v around="$around" '
    $0 == begin {
        print; if (around) print ""
        while ((getline line <block) > 0) print line
        if (around) print ""
        inside = 1
    }
    $0 == end { inside = 0 }
    !inside && $0 != begin { print }
' "$file" >"$file.new"
mv "$file.new" "$file"
