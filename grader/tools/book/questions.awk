# questions.awk - a lab's questions.txt as a Markdown page of the book (docs/formats.md has the format).
#
#   awk -v lab=3 -f grader/tools/book/questions.awk ANSWERS QUESTIONS read=1 QUESTIONS
#
# ANSWERS is build/questions/03.answers, or /dev/null in the student archive, where QUESTIONS has the
# values. QUESTIONS is given twice, because the values are at its end. The questions come first, then
# the answers. Options and steps are shown in alphabetical order, so the order says nothing.

# Shows text as it is: no character in it means anything to Markdown.
function plain(text) {
    gsub(/[][\\`*_{}<>#+!|~$-]/, "\\\\&", text)
    gsub(/&/, "\\&amp;", text)
    if (match(text, /^[0-9]+[.)]/)) { # not a numbered list
        text = substr(text, 1, RLENGTH - 1) "\\" substr(text, RLENGTH)
    }
    return text
}

# "text | comment": returns the text and sets comment.
function before_bar(text,    bar) {
    bar = index(text, " | ")
    comment = bar ? substr(text, bar + 3) : ""
    return bar ? substr(text, 1, bar - 1) : text
}

# The student archive has ROT47 in lines with an answer (cover_questions.awk).
function uncovered(line,    i, c, text) {
    for (i = 2; i <= length(line); i++) {
        c = substr(line, i, 1)
        text = text (c in moved ? moved[c] : c)
    }
    return text
}

# Sorts the items of one kind alphabetically: chosen[1..n], and kept[i] is the item's number.
function sort_items(marks,    i, j, n) {
    n = 0
    for (i = 1; i <= items; i++) {
        if (!index(marks, mark[i])) { continue }
        for (j = n++; j >= 1 && tolower(chosen[j]) > tolower(text_of[i]); j--) {
            chosen[j + 1] = chosen[j]
            kept[j + 1] = kept[j]
        }
        chosen[j + 1] = text_of[i]
        kept[j + 1] = i
    }
    return n
}

# The answer to a prediction, to four digits.
function number_of(item,    word) {
    split(text_of[item], word, " ")
    return sprintf("%.4g", word[1] in value ? value[word[1]] : word[1])
}

# Prints the question that was read, and keeps its answer for the end.
function finish(    i, n, answer, letter, named) {
    if (!kind) { return }
    named = toupper(substr(kind, 1, 1)) substr(kind, 2) " " title
    printf "\n## %d. %s\n\n%s\n\n", ++count, plain(named), plain(body)
    n = sort_items("+-")
    for (i = 1; i <= n; i++) {
        letter = substr("abcdefghijkl", i, 1)
        printf "%s) %s\n\n", letter, plain(before_bar(chosen[i]))
        answer = answer sprintf("- %s) %s\n", letter, mark[kept[i]] == "+" ? "**Right.**" : plain(comment))
    }
    n = sort_items(">")
    for (i = 1; i <= n; i++) { printf "- %s\n", plain(chosen[i]) }
    n = 0
    for (i = 1; i <= items; i++) {
        if (mark[i] == "=") {
            answer = answer sprintf("**%s**\n\n", number_of(i))
        } else if (mark[i] == ">") {
            answer = answer sprintf("%d. %s\n", ++n, plain(text_of[i]))
        } else if (mark[i] == "*") {
            answer = answer (n++ ? "" : "A good answer says:\n\n") "- " plain(text_of[i]) "\n"
        } else if (mark[i] == "!") {
            answer = answer (mark[i - 1] == "!" ? "" : "\nNot:\n\n") "- " plain(before_bar(text_of[i])) ": " plain(comment) "\n"
        } else if (mark[i] == ":") {
            answer = answer "\n" plain(text_of[i]) "\n"
        }
    }
    printf "\n[Answer](#answer-%d)\n", count
    answers = answers sprintf("\n### Answer %d\n\n*%s*\n\n%s\n", count, plain(named), answer)
    kind = ""
}

BEGIN {
    for (code = 33; code < 127; code++) {
        moved[sprintf("%c", code)] = sprintf("%c", 33 + (code - 33 + 47) % 94)
    }
    printf "# Lab %s: questions\n\n`make ask LAB=%s` asks them one by one, checks your answers, and shows what your\ncode computes.\n", lab, lab
}

/^%/ { $0 = uncovered($0) }
/^@ / { value[$2] = $3 }
!read || /^@/ || /^#($|[^#])/ { next }
/^## / {
    finish()
    kind = $2
    title = substr($0, length($2) + 5)
    body = ""
    items = 0
    next
}
!kind { next }
/^[=!:>*+-] / {
    mark[++items] = substr($0, 1, 1)
    text_of[items] = substr($0, 3)
    next
}
/^ / && items { sub(/^ +/, " "); text_of[items] = text_of[items] $0; next }
/./ { body = body (body ? "\n" : "") $0 }
END {
    finish()
    printf "\n## Answers\n%s", answers
}
