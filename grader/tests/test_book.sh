#!/bin/sh
# test_book.sh - make book's pages are complete, and each link and picture leads somewhere
# (grader/tools/book.sh, check_book.sh). Skipped where pandoc is not installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/book.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
book=$work/book

without_pandoc() {
    mkdir "$work/bin"
    printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v dirname)" >"$work/bin/dirname"
    chmod +x "$work/bin/dirname"
    PATH=$work/bin "$(command -v bash)" grader/tools/book.sh "$book" 2>"$work/error"
    [ $? -eq 1 ] && grep -qx 'book: pandoc is not installed (Debian package pandoc)' "$work/error" && [ ! -e "$book" ]
}
claim "where pandoc is missing, its package is named and nothing is written" without_pandoc
command -v pandoc >/dev/null || {
    echo "ok - the book # SKIP pandoc is not installed"
    exit $status
}

claim "the book is made" grader/tools/book.sh "$book"
claim "each link and picture of it leads somewhere" grader/tools/check_book.sh "$book"

every_page_is_there() {
    set -- labs/[0-9][0-9]_*/README.md labs/[0-9][0-9]_*/GPU.md labs/[0-9][0-9]_*/questions.txt
    for file in "$@"; do
        [ -e "$file" ] || continue # a pattern without a file
        page=$(echo "$file" | sed 's|labs/\([0-9]*\)_.*/\(.*\)\..*|lab-\1-\2|; s/-README//' | tr '[:upper:]' '[:lower:]')
        [ -s "$book/$page.html" ] && grep -q "href=\"$page.html\"" "$book/index.html" || echo "$file: no page $page.html"
    done | grep . && return 1
    :
}
claim "every handout, GPU part and list of questions has its page" every_page_is_there

# A formula in each handout's Markdown is one <math> on its page and one in the page to print.
formulas_are_mathml() {
    for file in labs/[0-9][0-9]_*/README.md; do
        number=${file#labs/}
        page=$book/lab-${number%%_*}.html
        wanted=$(grep -c '^```math' "$file")
        found=$(grep -o '<math ' "$page" | wc -l)
        [ "$wanted" -ge 1 ] && [ "$found" -eq "$wanted" ] || echo "$file: $wanted formulas, $found in the book"
    done | grep . && return 1
    :
}
claim "every handout has formulas, and all of them are MathML" formulas_are_mathml

# Letters and digits of a text, without tags and spaces.
letters() { sed 's/<[^>]*>//g; s/&[a-z]*;//g' | tr -cd '[:alnum:]'; }
header_is_extracted() {
    header=labs/01_simple_attention/attention.h
    tr '\n' ' ' <"$book/lab-01-headers.html" | letters >"$work/page"
    sed 's/<\([^>]*\)>/\1/g' "$header" | letters >"$work/header"
    grep -qF "$(cut -c 1-400 "$work/header")" "$work/page"
}
claim "a page of headers has the text of the header" header_is_extracted
claim "an explanation that begins with a number is no list" sh -c "! grep -l '<ol start' '$book'/*-questions.html"
claim "the search knows the sections" grep -q '^\["lab-01.html#14-softmax","Lab 1: Simple attention","1.4 Softmax"' "$book/sections.js"
claim "code is highlighted" grep -q '<span class="dt">float</span>' "$book/lab-01-headers.html"
claim "the page to print has every lab" sh -c 'for n in labs/[0-9][0-9]_*; do n=${n#labs/}; grep -q "id=\"lab-${n%%_*}--" "$0" || exit 1; done' "$book/print.html"

# The check finds what it claims to find.
finds() { # WHAT SED-COMMAND FILE REGEX
    cp -R "$book" "$work/spoiled"
    sed -i "$2" "$work/spoiled/$3"
    grader/tools/check_book.sh "$work/spoiled" >"$work/found" 2>&1
    code=$?
    rm -rf "$work/spoiled"
    claim "the check finds $1" sh -c "cat '$work/found'; [ $code -eq 1 ] && grep -qE '$4' '$work/found'"
}
finds "a link to a page that is not there" 's/href="lab-02.html"/href="lab-99.html"/' index.html \
    'index.html: link to lab-99.html: there is no such file'
finds "a link to a place that is not there" 's/id="14-softmax"/id="15-softmax"/' lab-01.html \
    '#14-softmax: the page has no such place'
finds "a name given twice" 's/id="14-softmax"/id="13-scores"/' lab-01.html 'lab-01.html: two places have the name 13-scores'
finds "a missing picture" 's/why_scale.png/no.png/g' lab-01.html 'lab-01.html: figures/01_simple_attention/no.png is not there'
finds "a picture without a description" 's/alt="[^"]*"//' lab-01.html 'lab-01.html: a picture without a description'
finds "a script from elsewhere" 's|src="book.js"|src="https://example.org/book.js"|' lab-01.html 'lab-01.html: loads https:'
finds "a formula that was not converted" 's|</main>|<pre class="math"><code>x</code></pre></main>|' lab-01.html \
    'lab-01.html: a formula was not converted'

# A formula that pandoc cannot read stops the making, and the old book stays.
bad_formula() {
    mkdir -p "$work/tree" && mkdir -p "$work/tree/grader" "$work/tree/labs" && cp -R README.md docs "$work/tree/" &&
        cp -R labs/01_* "$work/tree/labs/" && cp -R grader/tools grader/points.txt "$work/tree/grader/" || return 1
    printf '\n```math\n\\frac{1}{\n```\n' >>"$work/tree/labs/01_simple_attention/README.md"
    mkdir -p "$work/tree/build/book" && echo old >"$work/tree/build/book/index.html"
    ! "$work/tree/grader/tools/book.sh" && [ "$(cat "$work/tree/build/book/index.html")" = old ] &&
        [ "$(ls "$work/tree/build")" = book ]
}
claim "a formula that cannot be read stops it, and leaves the old book" bad_formula

exit $status
