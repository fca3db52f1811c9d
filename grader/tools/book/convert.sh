#!/bin/sh
# convert.sh - makes one page of the book with pandoc, for book.sh.
#
#   grader/tools/book/convert.sh WORK "SOURCE<tab>PAGE<tab>TITLE<tab>FILE"
#
# WORK has the lists pages and places. Writes WORK/site/PAGE, and for the search and the contents
# WORK/parts/PAGE.sections and PAGE.headings. The pages of labs are converted once more, for the page
# to print: WORK/parts/PAGE.print. A warning of pandoc is an error.
set -eu
work=$1
export BOOK_WORK="$work"
IFS="$(printf '\t')" read -r BOOK_SOURCE page _ file <<line
$2
line
export BOOK_SOURCE

html() {
    pandoc -f gfm -t html5 --mathml --fail-if-warnings --lua-filter grader/tools/book/page.lua "$@" "$file"
}
html --template grader/tools/book/page.html --toc --toc-depth=3 -o "$work/site/$page"
case $BOOK_SOURCE in
labs/*) BOOK_PRINT=1 html -o "$work/parts/$page.print" ;;
esac
