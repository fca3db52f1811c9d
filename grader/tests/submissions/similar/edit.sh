#!/bin/sh
# edit.sh - a copy of a hand-in, changed the way copies are disguised.
#
#     edit.sh EDIT... <attention.c
#
#   renamed   every name that the author chose is another one
#   reversed  the functions come in the opposite order
#   while     every for loop with braces is a while loop
#   first     only the first function is written; the others are the skeleton's
#   added     a statement without effect after every third statement
#
# The files beside this script are written so that it needs no parser: braces stand at the end
# of a line or alone, and a loop's closing brace stands below its first letter.
set -eu

renamed() {
    awk 'BEGIN {
        split("auto break case char const continue do double else enum float for goto if int long return short " \
              "signed sizeof static struct switch unsigned void volatile while size_t NULL INFINITY FLT_MAX " \
              "LAB_OK LAB_ESHAPE LAB_TRY lab_status include attention h math string " \
              "matmul matmul_nt linear attention_scores softmax_rows weighted_values simple_attention " \
              "sinusoidal_encoding add_positions rope alibi_bias attention_without_projections positions " \
              "sqrt sqrtf log log2 exp expf exp2 exp2f pow powf fmaxf fmaf isinf memset sin cos sinf cosf ldexpf f", words, " ")
        for (i in words) kept[words[i]] = 1
    }
    /^#/ { print; next }
    {
        line = ""
        while (match($0, /[A-Za-z_][A-Za-z_0-9]*/)) {
            word = substr($0, RSTART, RLENGTH)
            before = substr($0, 1, RSTART - 1)
            number = before ~ /[0-9.]$/
            if (!number && !(word in kept)) {
                if (!(word in other)) other[word] = "other_" ++count
                word = other[word]
            }
            line = line before word
            $0 = substr($0, RSTART + RLENGTH)
        }
        print line $0
    }'
}

reversed() { # helpers stay before their callers
    awk '/^[^ \/#{}]/ && !inside { inside = 1; static = /^static/ }
    !inside { head = head $0 "\n"; next }
    { text = text $0 "\n" }
    /^}/ {
        if (static) helpers = text "\n" helpers; else functions = text "\n" functions
        text = ""; inside = 0
    }
    END { printf "%s%s%s", head, helpers, functions }'
}

while_loops() {
    awk 'match($0, /^ *for \(.*\) \{$/) {
        indent = $0; sub(/for.*/, "", indent)
        inner = $0; sub(/^ *for \(/, "", inner); sub(/\) \{$/, "", inner)
        if (split(inner, part, /; ?/) == 3) {
            print indent "{"
            if (part[1] != "") print indent part[1] ";"
            print indent "while (" (part[2] == "" ? "1" : part[2]) ") {"
            step[indent] = part[3]
            open[indent] = 1
            next
        }
    }
    match($0, /^ *}/) {
        indent = $0; sub(/}.*/, "", indent)
        if (open[indent]) {
            if (step[indent] != "") print indent "    " step[indent] ";"
            print
            open[indent] = 0 # and the braces around it
        }
    }
    match($0, /^ *[a-z].* \{$/) { indent = $0; sub(/[a-z].*/, "", indent); open[indent] = 0 }
    /^ *continue;/ { # still takes the step
        indent = $0; sub(/continue.*/, "", indent)
        for (outer = substr(indent, 5); !open[outer] && outer != ""; outer = substr(outer, 5)) {
        }
        if (step[outer] != "") print indent step[outer] ";"
    }
    { print }'
}

added() {
    awk '{ lines[NR] = $0 }
    END {
        for (i = 1; i <= NR; i++) {
            print lines[i]
            indent = lines[i]; sub(/[^ ].*/, "", indent)
            statement = lines[i] ~ /^ +[^ ].*;$/ && lines[i] !~ /return|for \(/ && lines[i + 1] !~ /^ *else/ &&
                        lines[i - 1] !~ /(\)|else|=|,|\|\||\?|:)$/
            if (statement && ++count % 3 == 0) {
                print indent "size_t extra_" count " = " count ";"
                print indent "(void)extra_" count ";"
            }
        }
    }'
}

first() {
    awk '{ print } /^}/ { exit }'
    case $text in
    *07_positional*) skeleton=07_positional_encoding/positions.c ;;
    *) skeleton=01_simple_attention/attention.c ;;
    esac
    awk 'after { print } /^}/ { after = 1 }' "$(dirname "$0")/../../../../build/skeletons/$skeleton"
}

text=$(cat)
for edit; do
    case $edit in
    renamed) text=$(printf '%s\n' "$text" | renamed) ;;
    reversed) text=$(printf '%s\n' "$text" | reversed) ;;
    while) text=$(printf '%s\n' "$text" | while_loops) ;;
    first) text=$(printf '%s\n' "$text" | first) ;;
    added) text=$(printf '%s\n' "$text" | added) ;;
    *) echo "edit.sh: no edit $edit" >&2; exit 2 ;;
    esac
done
printf '%s\n' "$text"
