# unwritten.awk - which stubs make a function return LAB_TODO: its own, or those of functions that it
# calls.
#
#   awk -v functions="attention_decode prefill" -v lab=09_generation -f grader/tools/unwritten.awk \
#       labs/[0-9]*/*.c
#
# prints a line "attention_decode 2.1 matmul_nt" for each stub that a call of one of these functions
# reaches; with functions="*", "labs/02_batching/matmul_nt 2.1 matmul_nt" for every stub. A stub is a function with
# "return lab_todo(...)" under a comment "// TODO 2.1: ...".
# A call means the static function of the same file; if there is none, the function of the same folder
# (labs 1 and 2 both have a matmul), or else that of the last folder. The functions asked for are those
# of lab, if it has them.

# A definition begins in the first column and ends with a brace there.
/^[A-Za-z_]/ && /\(/ && !/^(typedef|struct|enum)/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[^A-Za-z_0-9]/, "", name)
    plain = name
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    name = (/^static/ ? FILENAME "/" : folder) plain
    if (!/^static/) last[plain] = name
    if (!/^static/ && lab != "" && index(folder, "/" lab "/")) own[plain] = name
    file[name] = FILENAME
    is_open = 0
}

name != "" {
    line = $0
    if (line ~ /\/\/ TODO [0-9]+\.[0-9]+/) {
        exercise = line
        sub(/.*\/\/ TODO /, "", exercise)
        sub(/[^0-9.].*/, "", exercise)
    }
    sub(/\/\/.*/, "", line)
    if (!is_open && line ~ /;/ && line !~ /\{/) {
        name = "" # only declared
        next
    }
    if (line ~ /\{/) is_open = 1
    if (line ~ /return lab_todo\(/) stub[name] = exercise
    while (is_open && match(line, /[A-Za-z_][A-Za-z_0-9]*\(/)) {
        calls[name] = calls[name] " " substr(line, RSTART, RLENGTH - 1)
        line = substr(line, RSTART + RLENGTH)
    }
}

/^\}/ { name = exercise = "" }

function visit(from, name,    called, n, i, folder, plain) {
    if ((from, name) in seen) return
    seen[from, name] = 1
    plain = name
    sub(/.*\//, "", plain)
    if (name in stub) {
        print from, stub[name], plain
        return
    }
    folder = file[name]
    sub(/[^\/]*$/, "", folder)
    n = split(calls[name], called, " ")
    for (i = 1; i <= n; i++) {
        if (file[name] "/" called[i] in file) visit(from, file[name] "/" called[i])
        else if (folder called[i] in file) visit(from, folder called[i])
        else if (called[i] in last) visit(from, last[called[i]])
    }
}

END {
    if (functions == "*") for (name in stub) visit(name, name)
    count = split(functions, wanted, " ")
    for (w = 1; w <= count; w++) visit(wanted[w], wanted[w] in own ? own[wanted[w]] : last[wanted[w]])
}
