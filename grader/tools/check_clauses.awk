# check_clauses.awk - checks that everything exists that grader/tests/clauses.txt names, and that it
# has a line for every sentence of the headers of the labs in `complete`.
#
#   awk -v scratch=DIR -v complete="1 2" -f grader/tools/clause_words.awk -f grader/tools/check_clauses.awk \
#       grader/tests/clauses.txt
#
# check_tree.sh writes these files into DIR, in which the columns are looked up:
#
#   N.M.wrong     the names of the sections of its wrong submissions, one a line
#   N.cases       the source of the lab's cases, with string literals joined
#   N.sentences   the comments of the lab's headers (header_sentences.awk)
#   N.units       the names of the tests in test_*.c, one a line
#   exercises     every exercise, one a line

function finding(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }

# The content of a file, its white space as single blanks.
function content(path,    line, text) {
    while ((getline line < path) > 0) { text = text " " line }
    close(path)
    gsub(/[ \t]+/, " ", text)
    return text
}

function read_exercise(    line, path) { # the sections of its wrong submissions
    split("", section)
    path = scratch "/" exercise ".wrong"
    while ((getline line < path) > 0) { section[line] = 1 }
    close(path)
}

function read_lab(    line, path) {
    cases = content(scratch "/" lab ".cases")
    read_paragraphs(scratch "/" lab ".sentences")
    split("", unit)
    path = scratch "/" lab ".units"
    while ((getline line < path) > 0) { unit[line] = 1 }
    close(path)
}

function end_lab() {
    if (index(" " complete " ", " " lab " ")) { report_words() }
}

function check_case(judge) {
    if (judge ~ /^"/) {
        if (!index(cases, judge)) { finding("no case of lab " lab " has the note " judge) }
    } else if (judge ~ /^property /) {
        sub(/^property /, "", judge)
        if (!index(cases, ".id = \"" judge "\"")) { finding("lab " lab " has no property " judge) }
    } else if (judge ~ /^unit /) {
        if (!(substr(judge, 6) in unit)) { finding("lab " lab " has no test " substr(judge, 6)) }
    } else if (judge ~ /^[A-Za-z_]+=/) {
        if (!index(cases, "\"" judge)) { finding("no case of lab " lab " has the sizes " judge) }
    } else if (judge !~ /^(repeats|turns|inputs|simulator|failing|describes)$|^unjudged[ :]/) {
        finding("what judges this: " judge "?")
    }
}

/^#/ || /^$/ { next }

/^== / {
    exercise = $2
    listed[exercise] = 1
    if (lab != int(exercise)) {
        end_lab()
        lab = int(exercise)
        read_lab()
    }
    read_exercise()
    next
}

{
    columns = split($0, column, / \| /)
    if (columns != 3) {
        finding("has " columns " columns, not 3: sentence | cases | wrong submissions")
        next
    }
    sentence = column[1]
    gsub(/[ \t]+/, " ", sentence)
    if (sentence !~ /^goes wrong: / && !take(sentence, exercise)) { finding("no header says: " sentence) }
    judges = split(column[2], judge, /; /)
    for (i = 1; i <= judges; i++) {
        one = judge[i]
        while (one ~ /^"/ && one !~ /"$/ && i < judges) { one = one "; " judge[++i] } # a note with a "; "
        check_case(one)
    }
    wrongs = column[3] == "-" ? 0 : split(column[3], wrong, /, /)
    for (i = 1; i <= wrongs; i++) {
        if (!(wrong[i] in section)) { finding(exercise " has no wrong submission " wrong[i]) }
    }
}

END {
    end_lab()
    while ((getline line < (scratch "/exercises")) > 0) {
        if (!(line in listed)) { finding("exercise " line " is missing") }
    }
}
