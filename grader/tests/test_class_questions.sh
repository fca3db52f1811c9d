#!/bin/sh
# test_class_questions.sh - three questions for an oral exam for each student, about the student's
# own lines, with right answers, for the instructor alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
ln -s "$top/build/skeletons" "$work/build/skeletons"

skeleton=build/skeletons/01_simple_attention/attention.c
# The skeleton with one function of a file.
only() { # FUNCTION FILE
    awk -v start="^lab_status $1\\(" '
        FNR == NR { if ($0 ~ start) inside = 1; if (inside) text = text $0 "\n"; if (inside && /^}/) inside = 0; next }
        $0 ~ start { printf "%s", text; skip = 1 }
        !skip { print }
        /^}/ { skip = 0 }' "$2" $skeleton
}
right() { awk -v name=right -f grader/tools/section.awk "grader/tests/submissions/similar/01/$1.c"; }
t=$work/class
right plain >"$work/plain.c"
for i in ann bob cyd; do folder_of "$t/$i" "$work/plain.c"; done
only attention_scores "$work/plain.c" >"$work/scores.c" && folder_of "$t/scores" "$work/scores.c"
sed 's|dot += q\[t \* d + i\] \* k\[s \* d + i\];|& // </pre><script>alert("x")</script>|' "$work/scores.c" >"$work/markup.c"
folder_of "$t/<b>odd & name" "$work/markup.c"
folder_of "$t/wrong" "$noscale"
folder_of "$t/skeleton" labs/01_simple_attention/attention.c
(cat $solution && echo "int x = ;") >"$work/broken.c" && folder_of "$t/broken" "$work/broken.c"
head -c 100000 /dev/urandom >"$work/binary.c" && folder_of "$t/binary" "$work/binary.c"
# 150 KB of brackets inside a function that is right, and a function named in a comment and a string.
{
    sed -n '1,/^lab_status attention_scores/p' "$work/scores.c" | sed '$d'
    echo '// lab_status attention_scores(x) {'
    echo 'const char *const text = "attention_scores(y) {";'
    sed -n '/^lab_status attention_scores/,/^}/p' "$work/scores.c" | sed '$d' | sed 's|return LAB_OK;|if (T == 999) {|'
    awk 'BEGIN { for (i = 0; i < 9000; i++) printf "(void)q[(T)*(d)];"; for (i = 0; i < 200; i++) { open = open "("; shut = shut ")" } print "(void)q[" open "T" shut "];" }'
    printf '}\n    return LAB_OK;\n}\n'
    sed '1,/^lab_status attention_scores/d' "$work/scores.c" | sed '1,/^}/d'
} >"$work/brackets.c"
folder_of "$t/brackets" "$work/brackets.c"
# Loops that do not end, parameters that do not end, and indices between them, where no compiler looks.
{
    echo '#if 0'
    awk 'BEGIN { for (i = 0; i < 5000; i++) printf "attention_scores(" }'
    printf '\n#endif\n'
    sed -n '1,/^lab_status attention_scores/p' "$work/scores.c"
    sed -n '/^lab_status attention_scores/,/{$/p' "$work/scores.c" | sed 1d
    echo '#if 0'
    awk 'BEGIN { for (i = 0; i < 15000; i++) printf "for("; for (i = 0; i < 10000; i++) printf "q[zz];" }'
    printf '\n#endif\n'
    sed '1,/^lab_status attention_scores/d' "$work/scores.c" | sed '1,/{$/d'
} >"$work/slow.c"
folder_of "$t/slow" "$work/slow.c"
marked=$work/questions.db # grade sets db
grade "$t" "$marked" --seed 5 >"$work/grading" 2>&1 || cat "$work/grading"
ask() { (ulimit -t 20 && report "$marked" --questions "$work/questions.html"); }
claim "the command writes a page, in seconds" ask
of() { # NAME: the student's part of the page, a line a question, as plain text
    awk -v name="<h2>$1</h2>" '$0 == name { inside = 1 } inside && /^<h2>/ && $0 != name { exit } inside' "$work/questions.html" >"$work/part"
    sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' "$work/part" >"$work/text"
    cat "$work/text"
}
questions() { of "$1" | grep -c '^[123]\. '; }
slow_is_asked() { [ "$(questions slow)" -ge 1 ]; }
claim "code that is made to take long has its questions" slow_is_asked
three() {
    for name in ann bob cyd scores "&lt;b&gt;odd &amp; name" wrong brackets; do
        [ "$(questions "$name")" = 3 ] || { echo "$name"; of "$name"; return 1; }
    done
}
claim "each student with judged code has three questions" three
none() { of "$1" | grep -F "No questions: $2"; }
claim "code that does not compile has none, with the reason" none broken "Does not compile"
claim "nor has a skeleton" none skeleton "The skeleton, unchanged"
claim "nor have random bytes" none binary "Does not compile"
differ() { [ "$(of ann | tail -n +2 | cksum)" != "$(of bob | tail -n +2 | cksum)" ] && [ "$(of bob | tail -n +2 | cksum)" != "$(of cyd | tail -n +2 | cksum)" ]; }
claim "students with the same code have different questions" differ
stay() {
    cp "$work/questions.html" "$work/before.html"
    grade "$t" "$marked" --seed 5 >/dev/null 2>&1
    ask && cmp "$work/before.html" "$work/questions.html"
}
claim "the questions stay the same until the code changes" stay
failing() {
    of wrong >"$work/said"
    cat "$work/said"
    grep -q "^1\. Your 1.3, attention_scores (attention.c, lines [0-9]* to [0-9]*) fails in this call" "$work/said" &&
        grep -q "A known mistake gives the same (no-scale): the scores are not divided by sqrt(d)" "$work/said"
}
claim "a failing call is asked about first, with its diagnosis" failing
# The numbers of an answer, computed again from the page by formulas of our own.
own_lines() { # every line of code on the page is that line of the file
    of scores >/dev/null
    sed -n 's/^.*<b>\( *[0-9]*  \)<\/b>/\1/p' "$work/part" | sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' >"$work/lines"
    cat "$work/lines"
    [ -s "$work/lines" ] && awk 'FNR == NR { file[FNR] = $0; next } { number = $1; text = $0; sub(/^ *[0-9]+  /, "", text)
        if (file[number] != text) { print "line " number ": " file[number]; bad = 1 } } END { exit bad }' "$work/scores.c" "$work/lines"
}
claim "the lines shown are the student's" own_lines
cat >"$work/check.awk" <<'EOF'
# Reads a student's questions about 1.3 and computes scores = q k^T / sqrt(d) again.
function score(t, s,    sum, i) { for (i = 0; i < d; i++) sum += q[t, i] * k[s, i]; return sum / sqrt(d) }
function near(a, b) { return a - b < 1e-4 && b - a < 1e-4 }
function wrong(what) { print "line " NR ": " what; bad = 1 }
function numbers(text, list,    n) { gsub(/[^-0-9.]+/, " ", text); sub(/^ /, "", text); return split(text, list, " ") }
/^[123]\. / { ask = $0; asked++ }
/^attention_scores\(/ { match($0, /d=[0-9]+/); d = substr($0, RSTART + 2, RLENGTH - 2) + 0; part = "" }
/^q \(T d\)/ { part = "q"; row = 0; next }
/^k \(S d\)/ { part = "k"; row = 0; next }
/^    / && part == "q" { for (i = 1; i <= NF; i++) q[row, i - 1] = $i; row++; next }
/^    / && part == "k" { for (i = 1; i <= NF; i++) k[row, i - 1] = $i; row++; next }
/Expected answer/ { part = "" }
# "q[...] is q[6], the element q[1][2] = -3. With T instead of d it would be q[3], ..."
/ is [qk]\[[0-9]+\], the element / {
    text = $0
    while (match(text, /[qk]\[[0-9]+\], the element [qk]\[[0-9]+\]\[[0-9]+\] = [-0-9.e]+/)) {
        one = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH); sub(/\.$/, "", one)
        name = substr(one, 1, 1)
        numbers(one, n)
        if (n[1] != n[2] * d + n[3]) wrong("not the element: " one)
        if (!near(n[4], name == "q" ? q[n[2], n[3]] : k[n[2], n[3]])) wrong("not its number: " one)
        indexes++
    }
}
# "scores[0][0] would be 1 instead of 0.5."
/scores\[[0-9]\]\[[0-9]\] would be/ {
    text = $0; sub(/^Expected answer/, "", text); numbers(text, n); sub(/\.$/, "", n[4])
    if (!near(n[4], score(n[1], n[2]))) wrong("scores[" n[1] "][" n[2] "] is " score(n[1], n[2]) ", not " n[4])
    if (near(n[3], n[4])) wrong("the mistake does not show")
    mistakes++
}
/Before:$/ { when = "before"; row = 0; next }
/^After:$/ {
    when = "after"; row = 0
    match(ask, /row [0-9]+ of [qk]/); r = substr(ask, RSTART + 4) + 0; name = substr(ask, RSTART + RLENGTH - 1, 1)
    factor = ask ~ /becomes 0/ ? 0 : ask ~ /is doubled/ ? 2 : -1
    for (i = 0; i < d; i++) { if (name == "q") q[r, i] *= factor; else k[r, i] *= factor }
    next
}
/^    / && (when == "before" || when == "after") {
    for (i = 1; i <= NF; i++) { if (!near($i, score(row, i - 1))) wrong(when ": scores[" row "][" i - 1 "] is " score(row, i - 1) ", not " $i); changes++ }
    row++
    next
}
!/^scores/ { when = "" }
END { print asked " questions, " indexes + 0 " elements, " mistakes + 0 " mistakes, " changes + 0 " scores"; exit bad || !indexes || !mistakes || !changes }
EOF
numbers_hold() { # NAME
    of "$1" >"$work/said"
    awk -f "$work/check.awk" "$work/said"
}
claim "the answers' elements, mistakes and changed rows are right" numbers_hold scores
claim "also for a name and code full of HTML" numbers_hold "&lt;b&gt;odd &amp; name"
sensible() { # no -0, and a mistake's line calls something
    grep -o "may be the one: .*" "$work/questions.html" | sed 's/<.*//' >"$work/lines"
    cat "$work/lines"
    ! grep -E '^ .* -0( |$)' "$work/questions.html" && ! sed -E 's/(^|[^a-z])(if|for|while|return|switch) \(/\1/g' "$work/lines" | grep -v '[A-Za-z0-9_]('
}
claim "numbers are written plainly, and a mistake's line is one that calls something" sensible
harmless() { ! grep -iE '<script|<b>odd' "$work/questions.html" && grep -qF '&lt;/pre&gt;&lt;script&gt;alert(&quot;x&quot;)' "$work/questions.html"; }
claim "which cannot change the page" harmless
hidden_failing() { # 1.3 fails on hidden cases alone
    GRADE_HIDDEN_SEED=97531864 grade "$t" "$work/hidden.db" --seed 5 >/dev/null 2>&1
    "$work/book" query "$work/hidden.db" "UPDATE mark SET verdict = 'wrong', hidden = 1, points = 0, output = 'wrong: on hidden cases' WHERE exercise = '1.3'"
    report "$work/hidden.db" --questions "$work/hidden.html" >/dev/null && [ "$(grep -c "Expected answer" "$work/hidden.html")" -ge 18 ] &&
        grep -q "Your 1.3, attention_scores.* fails in this call" "$work/questions.html" && ! grep -E "97531864|fails in this call|gives the same" "$work/hidden.html"
}
claim "nothing about hidden cases is asked" hidden_failing
private() {
    ls -l "$work/questions.html"
    [ "$(stat -c %a "$work/questions.html")" = 600 ]
}
claim "only the instructor can read the page" private
not_told() { # feedback before and after the questions were made, and the other reports
    report "$marked" --feedback "$work/feedback" --csv "$work/marks.csv" --html "$work/class.html" >/dev/null
    ! grep -rlE "oral exam|Suppose that your|Expected answer|Which number is that" "$work/feedback" "$work/marks.csv" "$work/class.html" &&
        ls "$work/feedback" | grep -q ann
}
claim "no feedback, table or class page has a question" not_told
older() {
    "$work/book" query "$marked" "DELETE FROM text"
    ask && of ann | grep "the gradebook does not have the code: run grade class again"
}
claim "an older gradebook says what it lacks" older
full() { says 3 "cannot" report "$marked" --questions "$work/missing/page.html"; }
claim "a page that cannot be written is one line and exit status 3" full
exit $status
