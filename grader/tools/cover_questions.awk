# cover_questions.awk - writes a lab's questions for the student archive, with the values of the
# predictions. Answers cannot be read by accident: a line that holds one becomes "%" and the line in
# ROT47, which moves each of the 94 characters from ! to ~ by 47. build/ask reads both forms.
#
#   awk -f grader/tools/cover_questions.awk build/questions/03.answers labs/03_causal_mask/questions.txt

BEGIN {
    for (code = 33; code < 127; code++) {
        moved[sprintf("%c", code)] = sprintf("%c", 33 + (code - 33 + 47) % 94)
    }
}
function covered(line,    i, c, text) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        text = text (c in moved ? moved[c] : c)
    }
    return "%" text
}
FNR == NR {
    if (/^@/) { value[++values] = $0 }
    next
}
/^#/ { answer = 0; print; next }
/^[-=!+>*:] / { answer = 1 }
answer && /./ { print covered($0); next }
{ print }
END {
    for (i = 1; i <= values; i++) { print covered(value[i]) }
}
