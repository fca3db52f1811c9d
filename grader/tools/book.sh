#!/bin/sh
# book.sh - makes a small web site of the handouts, the questions and the docs (make book).
#
#   grader/tools/book.sh [OUT]        writes OUT/index.html and what it needs (build/book)
#
# Open index.html in a browser; it needs no server and loads nothing from outside its folder.
# print.html has all labs on one page, to print. A page is made from each of these files:
#
#   labs/NN_x/README.md       lab-NN.html            labs/NN_x/GPU.md    lab-NN-gpu.html
#   labs/NN_x/questions.txt   lab-NN-questions.html  labs/NN_x/*.h       lab-NN-headers.html
#   docs/x.md                 x.html                 README.md           readme.html
#
# pandoc converts them, writes formulas as MathML and highlights code (book/page.lua has our
# changes on the way). Points come from points.txt. The folder is written under another name, then
# renamed. Exit status 1: pandoc is missing, or warned, for example of a formula that it cannot
# read. grader/tools/check_book.sh checks the result. Start reading at the bottom.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8

case ${1:-} in
-h | --help)
    sed -n '2,/^set -eu/{/^set -eu/!s/^# \{0,1\}//p;}' "$0"
    exit 0
    ;;
esac
out=${1:-build/book}
command -v pandoc >/dev/null || {
    echo "book: pandoc is not installed (Debian package pandoc)" >&2
    exit 1
}
tools=grader/tools/book
mkdir -p "$(dirname "$out")"
new=$(mktemp -d "$out.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM
site=$new/site   # what is renamed to $out in the end
parts=$new/parts # per page: sections for the search, headings, the part of the page to print
made=$new/made   # Markdown files made from other files
mkdir "$site" "$parts" "$made"

# ---- which pages there are -------------------------------------------------------------------

# Prints SOURCE<tab>PAGE<tab>TITLE<tab>FILE: what links name, the page, and the file to convert.
add() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-$1}"; }
title_of() { sed -n '/^# /{s/^# //p;q;}' "$1"; }

# The headers of a lab as one page, with the contract of each function.
headers_page() { # FOLDER TITLE
    printf '# %s: headers\n' "$2"
    for header in "$1"/*.h; do
        printf '\n## %s\n\n~~~~~~c\n' "${header##*/}"
        cat "$header"
        printf '~~~~~~\n'
    done
}

# In the order in which one reads them.
list_pages() {
    add contents index.html Contents "$made/contents.md"
    for folder in labs/[0-9][0-9]_*; do
        number=${folder#labs/}
        number=${number%%_*}
        title=$(title_of "$folder/README.md")
        add "$folder/README.md" "lab-$number.html" "$title"
        [ ! -e "$folder/GPU.md" ] || add "$folder/GPU.md" "lab-$number-gpu.html" "On the GPU"
        if [ -e "$folder/questions.txt" ]; then
            file=$made/questions-$number.md
            answers=build/questions/$number.answers # made by make book and make test
            [ -e "$answers" ] || answers=/dev/null
            awk -v lab="${number#0}" -f "$tools/questions.awk" "$answers" "$folder/questions.txt" read=1 \
                "$folder/questions.txt" >"$file"
            add "$folder/questions.txt" "lab-$number-questions.html" Questions "$file"
        fi
        headers_page "$folder" "${title%%:*}" >"$made/headers-$number.md"
        add "$folder/headers" "lab-$number-headers.html" Headers "$made/headers-$number.md"
    done
    for name in README docs/student docs/gpu docs/attnmap docs/formats docs/performance \
        docs/instructor docs/grader docs/contributing docs/dependencies docs/CHANGELOG; do
        page=$(echo "${name#docs/}" | tr '[:upper:]' '[:lower:]').html
        [ ! -e "$name.md" ] || add "$name.md" "$page" "$(if [ "$name" = README ]; then echo README; else title_of "$name.md"; fi)"
    done
}

# Files that are a place on a page: labs/01_x/attention.h
list_places() {
    for header in labs/[0-9][0-9]_*/*.h; do
        number=${header#labs/}
        anchor=$(basename "$header" | tr -d . | tr '[:upper:]' '[:lower:]')
        printf '%s\tlab-%s-headers.html#%s\n' "$header" "${number%%_*}" "$anchor"
    done
}

# What the README says first, then each lab with its points and sections (the lines
# "LEVEL<tab>PLACE<tab>HEADING" that page.lua wrote for each page).
contents_page() {
    echo '# The Attention Workbook'
    awk '/^## / { exit } !/^# /' README.md
    echo '## Contents'
    for folder in labs/[0-9][0-9]_*; do
        number=${folder#labs/}
        number=${number%%_*}
        printf '\n### [%s](%s)\n\n' "$(title_of "$folder/README.md")" "$folder/README.md"
        awk -v lab="${number#0}" '
            $1 ~ "^" lab "[.][0-9]+$" { exercises++; points += $2 }
            $1 ~ "^" lab "[.][0-9]+g$" { gpu += $2 }
            END { print exercises " exercises, " points " points" (gpu ? ", " gpu " more on the GPU" : "") "." }
        ' grader/points.txt
        awk -F '\t' -v folder="$folder/" '
            index($1, folder) == 1 && $1 !~ /README.md$/ { printf "%s[%s](%s)", n++ ? ", " : "Also: ", $3, $1 }
            END { if (n) print "." }' "$new/pages"
        printf '\n<ul class="contents-of">\n'
        awk -F '\t' '$1 == 2 { print "<li><a href=\"" $2 "\">" $3 "</a></li>" }' \
            "$parts/lab-$number.html.headings"
        printf '</ul>\n'
    done
    printf '\n### The workbook itself\n\n'
    awk -F '\t' '$1 ~ /^(docs|README)/ { print "- [" $3 "](" $1 ")" }' "$new/pages"
}

# ---- making it -------------------------------------------------------------------------------

convert() { # lines of the list
    tr '\n' '\0' | xargs -0 -r -n 1 -P "$(nproc)" "$tools/convert.sh" "$new" || {
        echo "book: a page could not be converted" >&2
        return 1
    }
}

list_pages >"$new/pages"
list_places >"$new/places"
sed 1d "$new/pages" | convert
contents_page >"$made/contents.md"
sed 1q "$new/pages" | convert

cp "$tools/style.css" "$tools/book.js" "$site/"
cp -R docs/figures "$site/"
{
    echo 'const bookSections = ['
    cut -f 2 "$new/pages" | sed "1d; s|.*|$parts/&.sections|" | tr '\n' '\0' | xargs -0 cat
    echo '];'
} >"$site/sections.js"
{
    sed '/^<header/,$d; s/<title>Contents/<title>All labs/' "$site/index.html"
    echo '<main>'
    cut -f 2 "$new/pages" | sed -n "/^lab-/s|.*|$parts/&.print|p" | tr '\n' '\0' | xargs -0 cat
    echo '</main></body></html>'
} >"$site/print.html"

rm -rf "$out"
chmod -R a+rX "$site"
mv "$site" "$out"
echo "$out/index.html  ($(find "$out" -name '*.html' | wc -l) pages; print.html has all labs, to print)"
