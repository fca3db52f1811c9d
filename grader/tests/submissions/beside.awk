# beside.awk - writes the versions of beside.sh into copies of the solutions.
#
#   awk -f beside.awk SECTIONS TREE/LAB/FILE...
#
# SECTIONS has, for each version, a line "@@ NAME", the line "// EXERCISE FUNCTION ...", and the body. Lines
# before a line "// BODY" go to the top of the file. Each FILE is changed in place.

function has_region(line, number)
{
    return line ~ "BEGIN SOLUTION " exercise[number] " " called[number] "([^A-Za-z0-9_]|$)"
}

# Begins a copy of the definition, for each version of the function.
function begin_definition(name,    i)
{
    for (i = 1; i <= versions; i++) {
        if (called[here[i]] == name) {
            head[here[i]] = ""
        }
    }
}

# Adds a line of the definition to each version's copy, with the version's body in place of the region.
function copy_line(name, line,    i, number)
{
    for (i = 1; i <= versions; i++) {
        number = here[i]
        if (called[number] != name) {
            continue
        }
        if (has_region(line, number)) {
            head[number] = head[number] body[number]
            skipping[number] = found[number] = 1
        }
        if (!skipping[number]) {
            head[number] = head[number] line "\n"
        }
        if (line ~ /END SOLUTION/) {
            skipping[number] = 0
        }
    }
}

# Prints the versions behind the definition, the last one first.
function end_definition(name, file,    i, number)
{
    for (i = versions; i >= 1; i--) {
        number = here[i]
        if (called[number] == name && found[number] == 1) {
            sub(name "__0", name "__" number, head[number])
            printf "\n%s", head[number] > file
            found[number] = 2
        }
    }
}

# The function of this file's versions whose definition begins in this line, or "".
function defined_in(line,    i)
{
    for (i = 1; i <= versions; i++) {
        if (index(line, "lab_status " called[here[i]] "(") == 1) {
            return called[here[i]]
        }
    }
    return ""
}

# Which versions belong into this file: those whose region it has, unless an earlier file has it.
function find_versions(    number, n)
{
    versions = 0
    for (number = 1; number <= count; number++) {
        for (n = 1; n <= lines && file_of[number] == ""; n++) {
            if (index(text[n], "BEGIN SOLUTION") > 0 && has_region(text[n], number)) {
                file_of[number] = path
                here[++versions] = number
            }
        }
    }
}

function rewrite(file,    n, i, name, line)
{
    find_versions()
    for (i = versions; i >= 1; i--) {
        printf "%s", top[here[i]] > file
    }
    name = ""
    for (n = 1; n <= lines; n++) {
        line = text[n]
        if (defined_in(line) != "") {
            name = defined_in(line)
            sub(name "[(]", name "__0(", line)
            begin_definition(name)
        }
        if (name != "") {
            copy_line(name, line)
        }
        print line > file
        if (name != "" && line ~ /^}/) {
            end_definition(name, file)
            name = ""
        }
    }
    close(file)
    lines = 0
}

FNR == 1 && NR > 1 {
    if (path != "") {
        rewrite(path)
    }
    path = FILENAME
}
path == "" {
    if (/^@@ /) {
        title[++count] = substr($0, 4)
        first = 1
    } else if (first) {
        exercise[count] = $2
        called[count] = $3
        first = 0
    } else if ($0 == "// BODY") {
        top[count] = body[count]
        body[count] = ""
    } else {
        body[count] = body[count] $0 "\n"
    }
    next
}
{
    text[++lines] = $0
}
END {
    if (path != "") {
        rewrite(path)
    }
    for (number = 1; number <= count; number++) {
        if (found[number] != 2) {
            printf "beside.awk: no function with the region '%s %s' (for %s)\n", exercise[number],
                   called[number], title[number] > "/dev/stderr"
            exit 1
        }
    }
}
