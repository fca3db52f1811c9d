# help.awk - prints the help of `make`, from the Makefile's comments:
#
#   ### Heading          a heading
#   ## text              says what the target or variable in the next line is for
#
# -v without="demo test" leaves those targets out, and a heading with nothing below it.
# A name and its text, in lines of at most 80 columns.
function entry(name, text,    words, n, i, line, lines) {
    n = split(text, words, " ")
    line = sprintf("  %-13s", name)
    for (i = 1; i <= n; i++) {
        if (length(line) + 1 + length(words[i]) > 80) {
            lines = lines line "\n"
            line = sprintf("%15s", "")
        }
        line = line " " words[i]
    }
    return lines line "\n"
}
BEGIN {
    print "The Attention Workbook: attention in C, by hand.\n"
    print "  make check LAB=3      judge your code in labs/03_*"
    print "  make plot LAB=3       draw its results"
}
/^### / { heading = "\n" substr($0, 5) "\n"; next }
/^## / { text = text (text == "" ? "" : " ") substr($0, 4); next }
text != "" && /^[a-z-]+:/ {
    sub(/:.*/, "")
    if (!index(" " without " ", " " $0 " ")) {
        printf "%s%s", heading, entry($0, text)
        heading = ""
    }
}
text != "" && /^[A-Z]+ \?=/ { variables = variables entry($1, text) }
{ text = "" }
END { printf "\nVariables\n%s", variables }
