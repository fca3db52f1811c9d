# help.awk - what `make` prints, out of the Makefile's own comments:
#
#   ### Heading          a heading
#   ## text              says what the target or variable in the next line is for
BEGIN {
    print "The Attention Workbook: attention in C, by hand.\n"
    print "  make check LAB=3      judge labs/03_*; the file to edit lies there"
    print "  make plot LAB=3       draw what it computes"
}
/^### / { print "\n" substr($0, 5); next }
/^## / { text = text (text == "" ? "" : " ") substr($0, 4); next }
text != "" && /^[a-z-]+:/ {
    sub(/:.*/, "")
    printf "  %-13s %s\n", $0, text
}
text != "" && /^[A-Z]+ \?=/ { variables = variables sprintf("  %-13s %s\n", $1, text) }
{ text = "" }
END { printf "\nVariables\n%s", variables }
