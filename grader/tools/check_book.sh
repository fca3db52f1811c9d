#!/bin/sh
# check_book.sh - does every link and picture of the book lead somewhere?
#
#   grader/tools/check_book.sh [BOOK]            the folder that make book wrote (build/book)
#   grader/tools/check_book.sh --layout [BOOK]   also opens each page in Chromium, 390 and 1280
#                                                pixels wide: does anything stick out, is every
#                                                picture drawn?
#
# Prints "page: problem" for each finding: a link or picture without a file, a place that its page
# does not have, a name given twice on a page, a picture without a description, a formula that was
# not converted, or anything that a browser would load from outside the folder. Links to the web
# are not followed. Exit status 1 if there are findings, 2 if there is no book.
set -eu
layout=
case ${1:-} in
-h | --help)
    sed -n '2,/^set -eu/{/^set -eu/!s/^# \{0,1\}//p;}' "$0"
    exit 0
    ;;
--layout)
    layout=yes
    shift
    ;;
esac
template=$(cd "$(dirname "$0")" && pwd)/book/layout.html
book=${1:-build/book}
[ -e "$book/index.html" ] || {
    echo "check_book: no book in $book; make book writes it" >&2
    exit 2
}
status=0
cd "$book"
find . -type f | sed 's|^\./||' | awk '
    FNR == NR { there[$0] = 1; next }

    function finding(what) { print FILENAME ": " what; found = 1 }

    # The value of an attribute of a tag.
    function value(tag, name) {
        if (!match(tag, "[ \n]" name "=\"[^\"]*\"")) { return "" }
        return substr(tag, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
    }

    BEGIN { RS = "\n" }
    FNR == 1 { RS = "<" } # from the next record on, one tag and the text after it each
    {
        tag = $0
        sub(/>.*/, "", tag)
        gsub(/&amp;/, "\\&", tag)
    }
    tag ~ /^pre[ \n]/ && value(tag, "class") ~ /^math/ || tag ~ /^span[ \n]/ && value(tag, "class") ~ /^math/ {
        finding("a formula was not converted")
    }
    tag ~ /^[a-z]/ {
        id = value(tag, "id")
        if (id != "" && (FILENAME, id) in ids) { finding("two places have the name " id) }
        if (id != "") { ids[FILENAME, id] = 1 }
    }
    tag ~ /^img[ \n]/ && value(tag, "alt") == "" { finding("a picture without a description: " value(tag, "src")) }
    tag ~ /^(img|script|link|iframe|source)[ \n]/ {
        target = value(tag, tag ~ /^link/ ? "href" : "src")
        if (target ~ /^([a-z]+:|\/\/)/) { finding("loads " target) }
        else if (target != "" && !(target in there)) { finding(target " is not there") }
    }
    tag ~ /^a[ \n]/ {
        target = value(tag, "href")
        if (target != "" && target !~ /^[a-z]+:/) { links[++count] = target; from[count] = FILENAME }
    }
    END {
        for (i = 1; i <= count; i++) {
            target = links[i]
            anchor = index(target, "#") ? substr(target, index(target, "#") + 1) : ""
            sub(/#.*/, "", target)
            FILENAME = from[i]
            if (target == "") { target = FILENAME }
            if (!(target in there)) { print from[i] ": link to " target ": there is no such file"; found = 1 }
            else if (anchor != "" && !((target, anchor) in ids)) {
                print from[i] ": link to " links[i] ": the page has no such place"; found = 1
            }
        }
        exit found
    }
' - *.html || status=1

if [ -n "$layout" ]; then
    command -v chromium >/dev/null || {
        echo "check_book: chromium is not installed" >&2
        exit 2
    }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    sed "s|PAGES\"|$(echo *.html)\"|; s|\"BOOK/|\"file://$PWD/|" "$template" >"$work/layout.html"
    # A browser that is root needs --no-sandbox; it opens only our own files.
    chromium --headless $([ "$(id -u)" -ne 0 ] || echo --no-sandbox) --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$work/profile" --virtual-time-budget=600000 --dump-dom "file://$work/layout.html" \
        2>"$work/log" | sed '/^</d' >"$work/said"
    grep -q '^checked ' "$work/said" && cat "$work/said"
    if ! grep -q '^checked ' "$work/said"; then
        echo "check_book: the browser did not finish" >&2
        tail -n 5 "$work/log" >&2
        status=2
    elif [ "$(wc -l <"$work/said")" -gt 1 ]; then
        status=1
    fi
fi
exit $status
