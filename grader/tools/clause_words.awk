# clause_words.awk - finds the words of a lab's headers that no line of clauses.txt has.
#
# Used by check_clauses.awk, which calls read_paragraphs() at the start of a lab, take() for each
# sentence, and report_words() at the end of the lab. header_sentences.awk writes the paragraphs.
#
# A line of "== 3.1" covers the comments of 3.1 and those of no exercise, such as the top of the file.
# Argument lists need no line: in every exercise, inputs are read-only and outputs are poisoned, so
# "y (N, C) written    x (N, C) read" is judged everywhere. The same holds for a comment that is only
# the shape of a member.

BEGIN {
    names = "[a-z][a-z0-9_]*(, [a-z][a-z0-9_]*)*"
    shape = "\\([A-Za-z0-9_, *]+\\)"
    one = names " " shape
    list = one "(,( and)? " one ")*( and " one ")?"
    arguments = "(" list "|params)(: workspaces?,)? (written|read)|(Writes|Reads) " list
    shapes_alone = "^" shape "(, " shape ")*( or NULL)?$"
}

# Marks the characters from start on as said by a line.
function cover(paragraph, start, size,    i) {
    for (i = start; i < start + size; i++) { covered[paragraph, i] = 1 }
}

function cover_arguments(paragraph,    rest, start) {
    rest = words[paragraph]
    start = 1
    while (match(rest, shapes_alone) || match(rest, arguments)) {
        cover(paragraph, start + RSTART - 1, RLENGTH)
        start += RSTART + RLENGTH - 1
        rest = substr(rest, RSTART + RLENGTH)
    }
}

function read_paragraphs(path,    line, part) {
    split("", covered)
    paragraphs = 0
    while ((getline line < path) > 0) {
        split(line, part, "\t")
        paragraphs++
        place[paragraphs] = part[1]
        owner[paragraphs] = part[2]
        words[paragraphs] = part[3]
        cover_arguments(paragraphs)
    }
    close(path)
}

# Covers a sentence wherever the exercise's comments have it. Returns how often that is.
function take(sentence, exercise,    paragraph, found, offset, at) {
    for (paragraph = 1; paragraph <= paragraphs; paragraph++) {
        if (owner[paragraph] != "-" && owner[paragraph] != exercise) { continue }
        offset = 0
        while (at = index(substr(words[paragraph], offset + 1), sentence)) {
            cover(paragraph, offset + at, length(sentence))
            offset += at
            found++
        }
    }
    return found
}

function report_words(    paragraph, i, letter, run) {
    for (paragraph = 1; paragraph <= paragraphs; paragraph++) {
        run = ""
        for (i = 1; i <= length(words[paragraph]) + 1; i++) {
            letter = substr(words[paragraph], i, 1)
            if (letter != "" && !((paragraph, i) in covered)) {
                run = run letter
            } else {
                if (run ~ /[A-Za-z0-9]/) { report_run(paragraph, run) }
                run = ""
            }
        }
    }
}

function report_run(paragraph, run) {
    sub(/^[ ,;:.]+/, "", run)
    printf "%s: no line of clauses.txt%s has: %s\n", place[paragraph],
        owner[paragraph] == "-" ? "" : " (== " owner[paragraph] ")", run
}
