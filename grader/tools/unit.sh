#!/bin/sh
# unit.sh - runs a lab's worked examples (Criterion programs), and lists those that
# pass, fail, or wait for an unwritten function.
#
#   grader/tools/unit.sh labs/03_causal_mask 3.2 labs build/unit/labs/03/test_causal ...
#
# An empty exercise means all of them. A suite is named after its function, whose exercise is given
# in the header ("// 3.2  Replaces the ..."). An example waits if a call in it returned LAB_TODO:
# because of its function, or because of one in labs/ (the student's folder) that its function calls.
#
# Exit status 0 if every example passes, else 1. Start reading at the bottom.
set -u
cd "$(dirname "$0")/../.."
folder=$1 exercise=$2 src=$3
shift 3
limit=${UNIT_TIMEOUT:-30} # seconds for one program
tab=$(printf '\t')

if [ $# -eq 0 ]; then
    echo "unit: this lab has no worked examples (test_*.c)" >&2
    exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM


# Prints "3.2 masked_fill" for every function in these headers, in order.
functions() {
    awk '
        /^\/\/ [0-9]+\.[0-9]+  / { exercise = $2 }
        /^[A-Za-z].*[a-z_0-9]\(/ && exercise != "" {
            sub(/\(.*/, "")
            sub(/.*[^a-z_0-9]/, "")
            print exercise, $0
        }
    ' "$@" /dev/null
}

# Runs PROGRAM and writes FILE.tap, FILE.out (output of the student's code) and FILE.err.
# Truncates very long output.
run() { # PROGRAM FILE SECONDS OPTION...
    program=$1 file=$2 seconds=$3
    shift 3
    {
        timeout -k 2 "$seconds" "$program" --quiet --tap="$file.tap" "$@" 2>"$file.err"
        echo $? >"$file.status"
    } | head -c 100000 >"$file.out"
}

# Converts a TAP file to lines "ok|fail|wait|crash  suite  test  message", one per message. For
# wait, the message is the missing function. Criterion writes the last message first.
results() { # tap-file
    awk -v OFS='\t' '
        function put(    i) {
            if (name == "") return
            split(name, part, "::")
            for (i = 1; i <= n; i++) {
                if (text[i] ~ /LAB_TODO, not written yet/) {
                    sub(/^.*: Assertion failed: /, "", text[i])
                    sub(/\(.*/, "", text[i])
                    print "wait", part[1], part[2], text[i]
                    name = ""
                    return
                }
            }
            for (i = n; i >= 1; i--) {
                sub(/: Assertion failed: /, ": ", text[i])
                print state, part[1], part[2], text[i]
            }
            if (n == 0) print (state == "ok" ? "ok" : "crash"), part[1], part[2], ""
            name = ""
        }
        /^(not )?ok - / {
            put()
            state = /^ok/ ? "ok" : "fail"
            n = 0
            name = $0
            sub(/^(not )?ok - /, "", name)
            sub(/ .*/, "", name)
            if (/# SKIP/) name = ""
            next
        }
        /^  - / { text[++n] = substr($0, 5); sub(/: *\|\+?$/, ":", text[n]) ; next }
        /^      / && n > 0 { text[n] = text[n] " " substr($0, 7) }
        END { put() }
    ' "$1"
}

# Why a test ended without a message: runs it again alone and shows the sanitizer's report.
reason() { # PROGRAM SUITE/TEST
    run "$1" "$scratch/one" 10 --filter "$2" -j1
    if [ "$(cat "$scratch/one.status")" -ge 124 ]; then
        echo "not finished after 10 s: an endless loop?"
    else
        sed -n -e 's/^\(.*: runtime error: .*\)/\1/p' -e 's/^SUMMARY: //p' "$scratch/one.err" |
            head -n 1 | grep . || echo "crash, without a sanitizer's report"
    fi
}

# Runs tests one by one: slower, but a test that hangs does not affect the others.
one_by_one() { # PROGRAM
    while read -r suite test; do
        run "$1" "$scratch/test" 5 --filter "$suite/$test" -j1 </dev/null
        cat "$scratch/test.out" >>"$scratch/printed"
        if [ "$(cat "$scratch/test.status")" -ge 124 ]; then
            printf 'fail\t%s\t%s\tnot finished after 5 s: an endless loop?\n' "$suite" "$test"
        else
            results "$scratch/test.tap"
        fi
        rm -f "$scratch"/test.*
    done <"$scratch/tests"
}

# ---- what there is -------------------------------------------------------------------------

functions "$folder"/*.h >"$scratch/functions"
functions labs/[0-9]*_*/*.h >"$scratch/others"
cut -d ' ' -f 2 "$scratch/functions" >"$scratch/names"
if [ -n "$exercise" ]; then
    awk -v exercise="$exercise" '
        $1 == exercise { known = 1 }
        { split($1, part, "."); lab = part[1]; if (part[2] + 0 > last) { last = part[2] + 0 } }
        END {
            if (!known) print "unit: there is no exercise " exercise ": lab " lab " has " lab ".1 to " lab "." last
            exit !known
        }' "$scratch/functions" >&2 || exit 1
    suites=$(awk -v exercise="$exercise" '$1 == exercise { printf "|%s", $2 }' "$scratch/functions")
    filter="@(${suites#|})/*"
else
    suites='|.*'
    filter='*/*'
fi
sed -nE "s/^(Test|ParameterizedTest)\((.*, *)?(${suites#|}), *([a-z_A-Z0-9]+).*/\3 \4/p" \
    "$folder"/test_*.c >"$scratch/tests"
if [ ! -s "$scratch/tests" ]; then
    echo "unit: $folder has no worked examples for ${exercise:-it}" >&2
    exit 1
fi

# "weighted_values the_handouts_mixture 1.4 softmax_rows": the functions that an example calls.
cat "$scratch/functions" "$scratch/others" >"$scratch/all-functions"
awk '
    FNR == NR { if (!($2 in exercise)) exercise[$2] = $1; next }
    /^(Test|ParameterizedTest)\(/ {
        split($0, word, /[(,)] */)
        n = /^Param/ ? 3 : 2
        suite = word[n]
        id = suite " " word[n + 1]
        next
    }
    /^}/ { id = "" }
    id != "" {
        rest = $0
        while (match(rest, /[A-Za-z_][A-Za-z_0-9]*\(/)) {
            name = substr(rest, RSTART, RLENGTH - 1)
            rest = substr(rest, RSTART + RLENGTH)
            if (name in exercise && !((id, name) in seen)) {
                seen[id, name] = 1
                print id, exercise[name], name
            }
        }
    }
' "$scratch/all-functions" "$folder"/test_*.c >"$scratch/calls"

# ---- running, and reporting the results ----------------------------------------------------

: >"$scratch/results"
: >"$scratch/printed"
for program in "$@"; do
    run "$program" "$scratch/all" "$limit" --filter "$filter" </dev/null
    if [ "$(cat "$scratch/all.status")" -ge 124 ] || [ ! -e "$scratch/all.tap" ]; then
        echo "unit: not finished after $limit s; running one example at a time" >&2
        one_by_one "$program" >"$scratch/lines"
    else
        cat "$scratch/all.out" >>"$scratch/printed"
        results "$scratch/all.tap" >"$scratch/lines"
    fi
    while IFS=$tab read -r state suite test message; do
        [ "$state" != crash ] || message=$(reason "$program" "$suite/$test" </dev/null)
        printf '%s\t%s\t%s\t%s\t%s\n' "$state" "$suite" "$test" "$program" "$message"
    done <"$scratch/lines" >>"$scratch/results"
    rm -f "$scratch"/all.*
done

if [ -s "$scratch/printed" ]; then
    echo "Your code printed:"
    head -n 200 "$scratch/printed" | sed 's/^/    /'
    echo
fi

# "attention_decode 2.1 matmul_nt" for each function and each unwritten one that it is or calls.
waiting=$(awk -F '\t' '$1 == "wait" { print $2; print $5 }' "$scratch/results" | sort -u - "$scratch/names")
awk -v functions="$waiting" -v lab="${folder##*/}" -f grader/tools/unwritten.awk "$src"/[0-9]*/*.c >"$scratch/unwritten"

# Lists results in the order of the exercises and of the file. Exit status 1 unless all pass.
awk -v scratch="$scratch" '
    function read_functions(file,    line, word) {
        while ((getline line <(scratch file)) > 0) {
            split(line, word, " ")
            if (!(word[2] in exercise)) exercise[word[2]] = word[1]
        }
    }
    function note_missing(name,    n, i, stub) {
        n = split(stubs[name], stub, " ")
        for (i = 1; i <= n; i++) missing[stub[i]] = 1
        if (n == 0) missing[(name in exercise ? exercise[name] "/" : "") name] = 1
    }
    function place(name,    number) { # 2.1/matmul before 2.1/matmul_nt before 2.10/...
        return split(name, number, /[.\/]/) < 3 ? 1e6 : 1000 * number[1] + number[2]
    }
    function in_order(names,    list, n, i, name) {
        n = 0
        for (name in names) {
            for (i = ++n; i > 1 && (place(sorted[i - 1]) > place(name) || \
                                    place(sorted[i - 1]) == place(name) && sorted[i - 1] > name); i--) {
                sorted[i] = sorted[i - 1]
            }
            sorted[i] = name
        }
        for (i = 1; i <= n; i++) list = list (i > 1 ? ", " : "") sorted[i]
        gsub(/\//, " ", list)
        return list
    }
    # Does an example that passes call only functions that are written?
    function is_earned(id,    called, n, i) {
        n = split(all_calls[id], called, " ")
        for (i = 1; i <= n && !(called[i] in stubs); i++) {
        }
        return n > 0 && i > n
    }
    function counted(n) { return n == 1 ? "1 example" : n " examples" }
    BEGIN {
        FS = "\t"
        read_functions("/functions")
        read_functions("/others")
        while ((getline line <(scratch "/tests")) > 0) tests[++count] = line
        while ((getline line <(scratch "/calls")) > 0) {
            split(line, word, " ")
            id = word[1] " " word[2]
            all_calls[id] = all_calls[id] " " word[4]
            if (word[3] == exercise[word[1]]) continue
            calls[id] = calls[id] (calls[id] ? ", " : "") word[3] " " word[4]
        }
        while ((getline line <(scratch "/unwritten")) > 0) {
            n_words = split(line, word, " ")
            if (n_words < 3) { # a stub without its comment "TODO 1.1"
                word[3] = word[2]
                word[2] = exercise[word[3]]
            }
            stubs[word[1]] = stubs[word[1]] " " word[2] (word[2] ? "/" : "") word[3]
        }
    }
    {
        id = $2 " " $3
        state[id] = $1
        program[id] = $4
        message[id, ++messages[id]] = $5
        if ($1 == "wait") waits[$2] = 1
        if ($1 == "wait") note_missing($5 in exercise ? $5 : $2) # the call may be in a helper
    }
    END {
        for (i = 1; i <= count; i++) {
            id = tests[i]
            split(id, name, " ")
            # An empty function passes the example of size 0: that is no news while the others wait.
            if (state[id] == "ok" && name[1] in waits && !is_earned(id)) {
                unearned++
                continue
            }
            if (state[id] == "" || state[id] == "ok" || state[id] == "wait") {
                n[state[id]]++
                continue
            }
            failed++
            if (name[1] != last) print exercise[name[1]] (exercise[name[1]] ? " " : "") name[1]
            last = name[1]
            print "  \342\234\227 " name[2]
            for (m = 1; m <= messages[id] && m <= 3; m++) print "    " message[id, m]
            if (messages[id] > 3) print "    and " (messages[id] - 3) " more"
            if (calls[id]) print "    (this example also calls " calls[id] ": the fault may be there)"
            if (step == "") step = program[id] " --filter " name[1] "/" name[2]
        }
        if (failed) print ""
        if (n["ok"]) print counted(n["ok"]) (n["ok"] == 1 ? " passes" : " pass")
        if (failed) print counted(failed) (failed == 1 ? " fails" : " fail")
        if (n["wait"]) {
            print counted(n["wait"]) (n["wait"] == 1 ? " waits" : " wait") \
                " for functions that are not written yet: " in_order(missing)
            if (unearned) print unearned (unearned == 1 ? " more example passes already, although its function is" \
                : " more examples pass already, although their functions are") " not written yet"
        }
        if (n[""]) print counted(n[""]) " did not run"
        if (step) {
            print "\nTo step through it: break FUNCTION, run, next, print EXPRESSION"
            print "    gdb -x grader/tools/debug.gdb --args " step
        }
        exit n["ok"] != count
    }
' "$scratch/results"
