#!/bin/sh
# reset.sh - restores a lab's skeleton, after asking (make reset LAB=3).
#
#   grader/tools/reset.sh 03        asks on the terminal; YES=1 answers yes
#
# The skeleton comes from solutions/. The student archive contains the skeletons in
# grader/skeletons/ instead. The old file is first saved in build/backup, so nothing is lost.
set -eu
cd "$(dirname "$0")/../.."

skeleton_of() { # 03_causal_mask/causal.c
    if [ -e "solutions/$1" ]; then
        awk -f grader/tools/skeleton.awk "solutions/$1"
    else
        cat "grader/skeletons/$1"
    fi
}

source=solutions
[ -d solutions ] || source=grader/skeletons
changed=
new=$(mktemp)
trap 'rm -f "$new"' EXIT
for file in "$source/$1"_*/*.c "$source/$1"_*/*.cu; do
    [ -e "$file" ] || continue
    name=${file#"$source"/}
    skeleton_of "$name" >"$new"
    cmp -s "$new" "labs/$name" || changed="$changed $name"
    found=1
done
if [ -z "${found:-}" ]; then
    echo "reset: no skeleton of lab $1 in $source/" >&2
    exit 1
fi
if [ -z "$changed" ]; then
    echo "Lab $1 is unchanged: nothing to reset."
    exit 0
fi

if [ "${YES:-}" != 1 ]; then
    if [ ! -t 0 ]; then
        echo "reset: cannot ask without a terminal; run make reset LAB=${1#0} YES=1" >&2
        exit 1
    fi
    printf 'Back to the skeleton:'
    printf ' labs/%s' $changed
    printf '\nYour version will be kept in build/backup. Continue? [y/N] '
    read -r answer || answer=
    case $answer in
    [yY] | [yY][eE][sS]) ;;
    *)
        echo "Nothing was changed."
        exit 0
        ;;
    esac
fi

for name in $changed; do
    if [ -e "labs/$name" ]; then
        echo "labs/$name: to restore your version:"
        echo "    cp $(grader/tools/backup.sh "labs/$name") labs/$name"
    fi
    skeleton_of "$name" >"labs/$name.new"
    mv "labs/$name.new" "labs/$name"
done
echo "Lab ${1#0} is a skeleton again."
