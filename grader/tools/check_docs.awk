# check_docs.awk - does what a Markdown page names exist?
#
#   awk -v scratch=DIR -f grader/tools/check_docs.awk PAGE
#
# DIR/targets, DIR/paths and DIR/functions list what there is (check_tree.sh). Looked at are
#
#   make WORD          in code: WORD is a target (up to two spaces or #)
#   `name()`           name is called or defined somewhere in the sources
#   `labs/a/b.c`       paths from the top of the tree, or from the page with ./ and ../
#   `attention.c`      a source file of that name is somewhere
#   [text](path)       links, from the page
#
# Placeholders (NN, or capital letters as in X.c) are not looked up. Neither are lines with a link
# to the web, because these name other people's files.

BEGIN {
    while ((getline line < (scratch "/targets")) > 0) { target[line] = 1 }
    while ((getline line < (scratch "/functions")) > 0) { known[line] = 1 }
    while ((getline line < (scratch "/paths")) > 0) {
        exists[line] = 1
        if (index(line, "/") == 0) { top[line] = 1 }
        sub(/.*\//, "", line)
        named[line] = 1
    }
}

function finding(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }

# "labs/01_x/../common" -> "labs/common"; an empty name is the top.
function normal(path,    part, n, i, kept, out) {
    n = split(path, part, "/")
    for (i = 1; i <= n; i++) {
        if (part[i] == ".." && kept > 0) { kept-- }
        else if (part[i] != "" && part[i] != ".") { out[++kept] = part[i] }
    }
    path = out[1]
    for (i = 2; i <= kept; i++) { path = path "/" out[i] }
    return kept ? path : ""
}

function from_page(path,    here) {
    here = FILENAME
    if (!sub(/\/[^\/]*$/, "", here)) { here = "" }
    return normal(here "/" path)
}

function check_make(command,    word, n, i) {
    sub(/ *#.*/, "", command)
    sub(/  .*/, "", command)
    n = split(command, word, " ")
    for (i = 2; i <= n && word[i] !~ /^[&|;>]/; i++) {
        if (word[i] ~ /^[a-z][a-z-]*$/ && !(word[i] in target)) {
            finding("make " word[i] ": there is no such target")
        }
    }
}

function check_code(code,    path, start) {
    if (code ~ /^make /) { check_make(code); return }
    if (code ~ /^[A-Za-z_][A-Za-z_0-9]*\(\)$/) {
        sub(/\(\)/, "", code)
        if (!(code in known)) { finding(code "(): there is no such function") }
        return
    }
    if (code !~ /^[A-Za-z0-9_.\/-]+$/ || code ~ /NN/ || code ~ /(^|\/)[A-Z]\./) { return }
    if (code ~ /\//) {
        start = code
        sub(/\/.*/, "", start)
        if (start == "." || start == "..") { path = from_page(code) }
        else if (start in top && start != "build") { path = normal(code) }
        else { return }
        if (path != "" && !(path in exists)) { finding(code ": there is no such file") }
    } else if (code ~ /[a-z0-9]\.(c|h|cu|md|sh|awk|py|gp|txt)$/ && !(code in named)) {
        finding(code ": there is no file of that name")
    }
}

function check_links(text,    link) {
    while (match(text, /\]\([^()# ]+/)) {
        link = substr(text, RSTART + 2, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        if (link ~ /^[a-z]+:/ || link ~ /NN/) { continue }
        if (from_page(link) != "" && !(from_page(link) in exists)) {
            finding("link to " link ": there is no such file")
        }
    }
}

/^ *```/ { fenced = !fenced; next }
fenced || /^    / {
    line = $0
    sub(/^ *(\$ )?/, "", line)
    if (line ~ /^make /) { check_make(line) }
    if (fenced) { next }
}
{ check_links($0) }
/https?:\/\// { next }
{
    n = split($0, piece, "`")
    for (i = 2; i <= n; i += 2) { check_code(piece[i]) }
}
