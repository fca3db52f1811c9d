# section.awk - prints one wrong submission from a file that contains all wrong submissions of a
# function.
#
#   awk -v name=no-scale -f grader/tools/section.awk \
#       grader/tests/submissions/wrong/1.3-attention_scores.c
#
# The file begins with the function's right body. Then each section shows, like a diff, what
# somebody wrote instead:
#
#     // 1.3 attention_scores                              exercise and function
#         ...
#         scores[t * S + s] = dot / sqrtf((float)d);
#
#     @ no-scale                                           the section's name
#     -    scores[t * S + s] = dot / sqrtf((float)d);      this line ...
#     +    scores[t * S + s] = dot;                        ... was written like this
#
# "@ over-columns: none" names the diagnosis where it is not the section's name. Other rules:
#
#   changes       An empty line ends a change. Its lines with "-" and " " must occur in the right
#                 body exactly once, in this order and without lines between them. A change that
#                 has only "+" goes to the top of the file.
#   a whole body  A section without "-" and "+" contains a whole body. If its name is "right-x",
#                 it is another right body, and the sections below it change that one.
#   right         The name of the body at the beginning of the file.
#
# The output is a snippet for transplant.sh. If a section does not fit, the script prints
# "file:line: message" and ends with exit status 1.

function fail(line, what)
{
    printf "%s:%d: %s\n", FILENAME, line, what > "/dev/stderr"
    failed = 1
    exit 1
}

# ---- one change ---------------------------------------------------------------------------

# Do the change's old lines match the right body from this line on?
function stands_at(place,    i)
{
    for (i = 1; i <= old_count; i++) {
        if (place + i - 1 > right_count || right[place + i - 1] != old[i]) {
            return 0
        }
    }
    return 1
}

function apply_change(    place, found, times, i)
{
    if (old_count == 0) {
        top = top new
        return
    }
    for (place = 1; place <= right_count; place++) {
        if (stands_at(place)) {
            found = place
            times++
        }
    }
    if (times != 1) {
        fail(old_line, times == 0 ? "the right body has no such line" \
             : "the right body has this " times " times: add a line above or below it, with a blank in front")
    }
    for (i = found; i < found + old_count; i++) {
        if (replaced[i]++) {
            fail(old_line, "an earlier change of this section has the same line")
        }
    }
    instead[found] = new
}

# ---- one section --------------------------------------------------------------------------

function begin_section(section_name, section_diagnosis)
{
    if (section_name in line_of) {
        fail(FNR, "there is a section " section_name " already, in line " line_of[section_name])
    }
    line_of[section_name] = FNR
    section = section_name
    diagnosis = section_diagnosis
    count = changes = 0
}

function end_section(    i)
{
    while (count > 0 && text[count] == "") {
        count--
    }
    if (count == 0) {
        fail(line_of[section], "an empty section")
    }
    if (section ~ /^right(-|$)/) {
        if (changes) {
            fail(line_of[section], "a right body is written out")
        }
        right_count = count
        for (i = 1; i <= count; i++) {
            right[i] = text[i]
        }
    }
    if (section == name) {
        print "// " exercise " " function_name " " diagnosis
        changes ? print_changed() : print_whole()
        printed = 1
    }
}

function print_whole(    i)
{
    for (i = 1; i <= count; i++) {
        print text[i]
    }
}

function print_changed(    i, kind)
{
    text[count + 1] = ""
    for (i = 1; i <= count + 1; i++) {
        if (text[i] == "") {
            apply_change()
            old_count = 0
            new = ""
            continue
        }
        kind = substr(text[i], 1, 1)
        if (kind !~ /[-+ ]/) {
            fail(line_of[section] + i, "begins with neither -, + nor a blank")
        }
        if (kind != "+") {
            old[++old_count] = substr(text[i], 2)
            old_line = old_count == 1 ? line_of[section] + i : old_line
        }
        if (kind != "-") {
            new = new substr(text[i], 2) "\n"
        }
    }
    printf "%s", top (top == "" ? "" : "// BODY\n")
    for (i = 1; i <= right_count; i++) {
        printf "%s", replaced[i] ? instead[i] : right[i] "\n"
    }
}

# ---- the file -----------------------------------------------------------------------------

FNR == 1 {
    if ($0 !~ /^\/\/ [0-9]+\.[0-9]+ [A-Za-z_0-9]+$/) {
        fail(1, "the first line is // EXERCISE FUNCTION")
    }
    exercise = $2
    function_name = $3
    begin_section("right", "right")
    next
}
/^@/ {
    end_section()
    if ($0 !~ /^@ [A-Za-z0-9_-]+(: [A-Za-z0-9_-]+)?$/) {
        fail(FNR, "a section begins with @ NAME or @ NAME: DIAGNOSIS")
    }
    sub(/:$/, "", $2)
    begin_section($2, NF == 3 ? $3 : $2)
    next
}
{
    text[++count] = $0
    changes += $0 ~ /^[-+]/
}
END {
    if (!failed) {
        end_section()
        if (!printed) {
            fail(FNR, "there is no section " name)
        }
    }
    exit failed
}
