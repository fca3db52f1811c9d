# header_sentences.awk - what the comments of a lab's headers say, paragraph by paragraph.
#
#   awk -f grader/tools/header_sentences.awk labs/03_causal_mask/*.h
#
# Prints one line for each paragraph: FILE:LINE, a tab, the exercise that its comment begins with
# ("3.1", or "-" for the other comments), a tab, the text with its white space as single blanks.
# A comment behind code is a paragraph, too.
#
# Left out is what no function can violate: the line that names the file, lines of dashes, drawings,
# sources, and a call after "Example:" (what follows the call stays: "mask is 1 0 0").

# "f(a, g(b)); c is 1" -> "c is 1"; a text that is not a call stays.
function after_call(text,    i, depth, letter) {
    if (text !~ /^[a-z_0-9]+\(/) { return text }
    for (i = index(text, "("); i <= length(text); i++) {
        letter = substr(text, i, 1)
        depth += (letter == "(") - (letter == ")")
        if (depth == 0) { break }
    }
    return substr(text, i + 1)
}

function print_paragraph(    source, example, rest) {
    gsub(/[ \t]+/, " ", paragraph)
    sub(/^ ([a-z_]+\.h - [^.]*\. ?)?/, "", paragraph)
    sub(/^[0-9]+\.[0-9]+ /, "", paragraph)
    example = match(paragraph, /Example: /)
    if (example) {
        rest = after_call(substr(paragraph, example + RLENGTH))
        paragraph = substr(paragraph, 1, example - 1)
    }
    source = index(paragraph, "Source: ")
    if (source) { paragraph = substr(paragraph, 1, source - 1) }
    sub(/^[;. ]*/, "", rest)
    if (paragraph ~ /[A-Za-z0-9]/) { print place "\t" exercise "\t" paragraph }
    if (rest != "") { print place "\t" exercise "\t" rest }
    paragraph = ""
}

function add(text) {
    if (paragraph == "") { place = FILENAME ":" FNR }
    paragraph = paragraph " " text
}

FNR == 1 { print_paragraph(); first = 1 }

/^ *\/\/ *($|---|-  *[A-Z]|[^─]*(──|└─|├─))/ { print_paragraph() } # an empty line, a rule, a bullet, a drawing

/^ *\/\/ *(---|[^─]*(──|└─|├─))/ { next }

/^ *\/\// {
    sub(/^ *\/\/ *(- )?/, "")
    if (first) { exercise = match($0, /^[0-9]+\.[0-9]+ /) ? substr($0, 1, RLENGTH - 1) : "-" }
    first = 0
    if ($0 != "") { add($0) }
    next
}

{
    print_paragraph()
    first = 1
    exercise = "-"
}

/[^:]\/\// {
    sub(/.*\/\/ */, "")
    add($0)
}

END { print_paragraph() }
