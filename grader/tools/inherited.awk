# inherited.awk - names the variables that make takes from the environment, in one line: a forgotten
# "export LAB=3" would judge lab 3 without a word.
#
#   awk -v goals="check" -v names="LAB TEXT" -f grader/tools/inherited.awk Makefile
#
# prints "note: LAB=3 comes from the environment (to drop it: unset LAB)". Of the variables set there, names
# those that make checks for every target, and those that the comment above a goal names.

BEGIN {
    n = split(goals, goal, " ")
    for (i = 1; i <= n; i++) wanted[goal[i]]
    split("LAB EX SRC GPU PROFILE WARNINGS NUMBERS SEED SEEDS HIDDEN Q", checked, " ")
    for (i in checked) read[checked[i]]
}

/^## / { text = text " " $0; next }
match($0, /^[a-z-]+:/) && substr($0, 1, RLENGTH - 1) in wanted {
    gsub(/[^A-Z]+/, " ", text)
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) read[word[i]]
}
{ text = "" }

function shown(value) {
    gsub(/[[:cntrl:]]+/, " ", value)
    return length(value) > 40 ? substr(value, 1, 37) "..." : value
}

END {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) if (name[i] in read) set[++count] = name[i]
    if (!count) exit
    for (i = 1; i <= count; i++) {
        list = list (i == 1 ? "" : i < count ? ", " : " and ") set[i] "=" shown(ENVIRON[set[i]])
        all = all " " set[i]
    }
    print "note: " list (count == 1 ? " comes" : " come") " from the environment (to drop " \
        (count == 1 ? "it" : "them") ": unset" all ")"
}
