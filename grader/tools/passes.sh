#!/bin/sh
# passes.sh - warns in one line if exercises of a lab do not pass, before its pictures
# are shown.
#
#   grader/tools/passes.sh labs 03 "the pictures show"
#
# Prints nothing if all of them pass. The exit status is always 0, because a picture of wrong
# code can be useful, too.
set -u
cd "$(dirname "$0")/../.."

${GRADE:-build/grade} check --src "$1" --lab "$2" --no-color 2>/dev/null | awk -v lab="${2#0}" -v src="$1" -v show="$3" '
    # " x 1.3 attention_scores 0/20 wrong: ...", whatever the mark is and however many words the
    # name has. The explore program itself reports unwritten exercises.
    $2 ~ /^[0-9]+\.[0-9]+$/ {
        for (i = 4; i < NF && $i !~ /^0\/[0-9]+$/; i++) {
        }
        if (i < NF && $(i + 1) !~ /^todo/ && !known[$2]++) {
            list = list (n++ ? ", " : "") $2
        }
    }
    END {
        if (n) {
            note = "note: " list (n == 1 ? " does" : " do") " not pass yet (make check LAB=" lab \
                (src == "labs" ? "" : " SRC=" src) ");"
            rest = show " what your code computes"
            print note (length(note " " rest) > 80 ? "\n      " : " ") rest
        }
    }
'
exit 0
