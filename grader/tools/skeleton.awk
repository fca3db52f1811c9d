# skeleton.awk - cuts the solution out of a file and leaves what the student starts from.
#
#   awk -f grader/tools/skeleton.awk solutions/03_causal_mask/causal.c
#
# In a function, a region from BEGIN to END becomes a TODO and a return of the function's own
# arguments (so that nothing is "unused"):
#
#     // BEGIN SOLUTION 3.2 masked_fill: copy or -INFINITY      // TODO 3.2: copy or -INFINITY
#     ...                                                  -->  return lab_todo(out, N, S);
#     // END SOLUTION 3.2
#
# In a CUDA kernel (a __global__ function, or a __device__ one that returns nothing) the region
# becomes the TODO alone. Comment lines directly below BEGIN belong to the TODO's text. A region at column 0, outside
# of any function, vanishes with the blank line it would leave behind.
#
# A misplaced marker is an error: it prints "file:line: message" and ends with exit status 1.

function fail(what)
{
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
    exit 1
}

# Prints words, with lead before the first one, in lines of at most 90 columns.
function fill(text, lead, next_lead,    words, count, i, line)
{
    count = split(text, words, " ")
    line = lead words[1]
    for (i = 2; i <= count; i++) {
        if (length(line " " words[i]) > 90) {
            print line
            line = next_lead words[i]
        } else {
            line = line " " words[i]
        }
    }
    print line
}

# "const float *q" -> "q", "uint8_t mask[4]" -> "mask", "void (*f)(int)" -> "f".
function parameter_name(text)
{
    if (match(text, /\(\*[ ]*[A-Za-z_0-9]+/)) {
        text = substr(text, RSTART, RLENGTH)
    }
    gsub(/\[[^]]*\]/, "", text)
    sub(/[^A-Za-z_0-9]+$/, "", text)
    sub(/^.*[^A-Za-z_0-9]/, "", text)
    return text
}

# The names in the parameter list of signature, "out, N, S". lab_todo wants a pointer first.
function arguments(    list, depth, i, c, item, all, first)
{
    list = signature
    sub(/^[^(]*\(/, "", list)
    sub(/\)[^)]*$/, "", list)
    if (list ~ /^[ ]*(void)?[ ]*$/) {
        return "NULL"
    }
    first = 1
    for (i = 1; i <= length(list) + 1; i++) {
        c = i <= length(list) ? substr(list, i, 1) : ","
        depth += (c == "(") - (c == ")")
        if (c != "," || depth > 0) {
            item = item c
            continue
        }
        if (first && item !~ /[*[]/) {
            all = "NULL, "
        }
        all = all (first ? "" : ", ") parameter_name(item)
        first = 0
        item = ""
    }
    return all
}

function begin_region()
{
    if (inside) {
        fail("BEGIN SOLUTION inside another solution")
    }
    at_file_scope = $0 !~ /^ /
    if (at_file_scope && in_function) {
        fail("BEGIN SOLUTION at column 0 inside a function: indent it")
    }
    if (!at_file_scope && !in_function) {
        fail("BEGIN SOLUTION is indented but not inside a function")
    }
    id = $4
    if (id !~ /^[0-9]+\.[0-9]+$/) {
        fail("BEGIN SOLUTION needs an exercise number: // BEGIN SOLUTION 3.2 masked_fill: ...")
    }
    inside = 1
    indent = $0
    sub(/\/\/.*/, "", indent)
    todo = $0
    if (!at_file_scope) {
        if (!sub(/^.*BEGIN SOLUTION [0-9.]+ [A-Za-z_0-9]+: */, "", todo) || todo == "") {
            fail("BEGIN SOLUTION needs a name and a text: // BEGIN SOLUTION 3.2 masked_fill: ...")
        }
        is_kernel = signature ~ /(__global__|__device__).* void /
        if (signature !~ /lab_status/ && !is_kernel) {
            fail("a solution in a function that does not return lab_status: put the whole " \
                 "function between markers at column 0")
        }
        if ($5 != function_name() ":") {
            fail("BEGIN SOLUTION names " $5 " but stands in " function_name())
        }
    }
    in_todo = !at_file_scope
}

function function_name(    name)
{
    name = signature
    sub(/ *\(.*/, "", name)
    sub(/^.*[^A-Za-z_0-9]/, "", name)
    return name
}

function end_region(    call)
{
    if (!inside) {
        fail("END SOLUTION without BEGIN")
    }
    if ($4 != id) {
        fail("END SOLUTION " $4 " closes BEGIN SOLUTION " id)
    }
    inside = 0
    if (!at_file_scope) {
        fill(todo, indent "// TODO " id ": ", indent "// ")
        if (!is_kernel) {
            call = indent "return lab_todo("
            fill(arguments() ");", call, sprintf("%" length(call) "s", ""))
        }
        must_close = 1
        blank = 0
    }
}

{ sub(/\r$/, "") }

/^[ ]*\/\/ BEGIN SOLUTION/ { begin_region(); next }
/^[ ]*\/\/ END SOLUTION/ { end_region(); next }
/(BEGIN|END) SOLUTION/ { fail("a solution marker stands alone on its line: // BEGIN SOLUTION") }

inside {
    if (in_todo && /^[ ]*\/\/ /) {
        continuation = $0
        sub(/^[ ]*\/\/ /, "", continuation)
        todo = todo " " continuation
    } else {
        in_todo = 0
    }
    if (/^}/ && !at_file_scope) {
        fail("the function ends before END SOLUTION " id)
    }
    next
}

must_close {
    if ($0 != "}") {
        fail("after END SOLUTION the function must close: the region holds its last return")
    }
    must_close = 0
}

# File scope: gather the text before "{" to know the function's name and parameters.
/^{/ { in_function = 1 }
/^}/ { in_function = 0; signature = "" }
!in_function && (/^[ ]*$/ || /^[ ]*\/\// || /^#/ || /;[ ]*$/) { signature = "" }
!in_function && !/^[ ]*$/ && !/^[ ]*\/\// && !/^#/ && !/;[ ]*$/ && !/^}/ {
    line = $0
    gsub(/^[ ]+/, " ", line)
    signature = signature line
}

# Keeps at most one blank line in a row, because a removed region may have stood between two.
/^[ ]*$/ {
    if (blank) {
        next
    }
    blank = 1
    print ""
    next
}
{ blank = 0; print }

END {
    if (failed) {
        exit 1
    }
    if (inside) {
        fail("BEGIN SOLUTION " id " has no END")
    }
}
