# help.awk - prints the help of `make`, from the Makefile's comments:
#
#   ### Heading          a heading
#   ## text              says what the target or variable in the next line is for
#
# -v without="demo test" leaves those targets out, and a heading with nothing below it.
BEGIN {
    print "The Attention Workbook: attention in C, by hand.\n"
    print "  make check LAB=3      judge labs/03_*, the folder with the file to edit"
    print "  make plot LAB=3       draw its results"
}
/^### / { heading = "\n" substr($0, 5) "\n"; next }
/^## / { text = text (text == "" ? "" : " ") substr($0, 4); next }
text != "" && /^[a-z-]+:/ {
    sub(/:.*/, "")
    if (!index(" " without " ", " " $0 " ")) {
        printf "%s  %-13s %s\n", heading, $0, text
        heading = ""
    }
}
text != "" && /^[A-Z]+ \?=/ { variables = variables sprintf("  %-13s %s\n", $1, text) }
{ text = "" }
END { printf "\nVariables\n%s", variables }
