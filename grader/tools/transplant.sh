#!/bin/sh
# transplant.sh - makes a submission tree from one wrong or hostile function.
#
#   grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale build/try
#   build/grade check --src build/try --exercise 1.3
#
# FILE@NAME is a section of a file with a function's wrong submissions (section.awk). FILE alone
# is a snippet. Its first line is, for example, "// 1.3 attention_scores crash": exercise,
# function, and the expected diagnosis or verdict. The rest replaces that function's region in a
# copy of the solution. Lines before a line "// BODY", if there is one, go to the top of the
# file instead. Several snippets may be given; TREE comes last.

set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ $# -lt 2 ]; then
    echo "usage: transplant.sh SNIPPET|FILE@NAME... TREE" >&2
    exit 2
fi
for tree in "$@"; do :; done
mkdir -p "$tree"
section=$tree/.section
trap 'rm -f "$section"' EXIT

# Prints the snippet itself.
text_of() { # SNIPPET|FILE@NAME
    case ${1##*/} in
    *@*) awk -v name="${1##*@}" -f "$root/grader/tools/section.awk" "${1%@*}" ;;
    *)
        if grep -q '^@ ' "$1"; then
            echo "transplant.sh: $1 has sections: say which, $1@NAME" >&2
            return 2
        fi
        cat "$1"
        ;;
    esac
}

transplant() { # SNIPPET|FILE@NAME
    text_of "$1" >"$section" || exit
    read -r _ exercise function _ <"$section"
    lab=${exercise%%.*}
    [ "$lab" -gt 9 ] || lab=0$lab
    kind=${1##*.} # a .c snippet goes into a .c file, a .cu snippet into a .cu file
    kind=${kind%%@*}
    for solution in "$root/solutions/$lab"_*/*."$kind"; do
        grep -q "BEGIN SOLUTION $exercise $function\\b" "$solution" && break
    done
    folder=${solution%/*}
    folder=${folder##*/}
    file=$tree/$folder/${solution##*/}
    [ -d "$tree/$folder" ] || mkdir -p "$tree/$folder"
    [ -f "$file" ] || cp "$root/solutions/$folder/"*."$kind" "$tree/$folder/"
    awk -v exercise="$exercise" -v function_name="$function" '
        FNR == NR {
            if (FNR == 1) next
            if ($0 == "// BODY") { top = body; body = ""; next }
            body = body $0 "\n"
            next
        }
        FNR == 1 { printf "%s", top }
        $0 ~ "BEGIN SOLUTION " exercise " " function_name "([^A-Za-z0-9_]|$)" {
            printf "%s", body; inside = 1; found = 1
        }
        !inside { print }
        inside && /END SOLUTION/ { inside = 0 }
        END { exit !found }
    ' "$section" "$file" >"$file.new" || {
        echo "transplant.sh: no region '$exercise $function' in $file (for $1)" >&2
        exit 1
    }
    mv "$file.new" "$file"
}

while [ $# -gt 1 ]; do
    transplant "$1"
    shift
done
