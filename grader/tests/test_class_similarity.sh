#!/bin/sh
# test_class_similarity.sh - which hand-ins are reported as similar: copies that were changed a
# little, also among many equal ones, and nothing that two people may well write alike.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/class/workspace.sh
ln -s "$top/build/skeletons" "$work/build/skeletons"

# A helper that nobody else would write.
sed 1,3d grader/tests/class/strange.c >"$work/helper"
c=$work/class
cat $solution "$work/helper" >"$work/copied.c"
for i in 1 2 3 4 5; do folder_of "$c/copy$i" "$work/copied.c"; done
(printf '\357\273\277' && cat "$work/copied.c") >"$work/marked.c"
folder_of "$c/copy6" "$work/marked.c"
sed 's/^    for (size_t i = count; i-- > 1;) {/    high += low;\n&/' "$work/copied.c" >"$work/seventh.c"
folder_of "$c/seventh" "$work/seventh.c"
# Two people with the workbook's way to write it, and a little of their own.
printf 'static float one(float x)\n{\n    return x * x + 1.0f;\n}\nfloat use_one(void);\nfloat use_one(void)\n{\n    return one(2.0f);\n}\n' >"$work/one"
printf 'static int other(const char *s)\n{\n    int n = 0;\n    while (*s++) { n++; }\n    return n;\n}\nint use_other(void);\nint use_other(void)\n{\n    return other("x");\n}\n' >"$work/two"
for i in one two; do cat $solution "$work/$i" >"$work/$i.c" && folder_of "$c/$i" "$work/$i.c"; done
# A copy in other words, by two people with HTML in their names and code.
similar=grader/tests/submissions/similar
helpers() { awk -v name="$1" -f grader/tools/section.awk $similar/01/helpers.c; }
odd='// </pre><script>alert(1)</script> & "quoted"'
{ echo "$odd"; helpers right; } >"$work/words1.c" && folder_of "$c/<i>one & two" "$work/words1.c"
{ printf '/* \000\001\377 */ char *s = "</span><script>";\r\n'; helpers inlined | $similar/edit.sh renamed reversed while; } >"$work/words2.c"
folder_of "$c/other words" "$work/words2.c"
db=$work/similar.db
grade "$c" "$db" --seed 5 >/dev/null
report "$db" --html "$work/similar.html" >/dev/null
sed -n '/similarity<\/th>/,/<\/table>/p' "$work/similar.html" >"$work/pairs"

shows() {
    cat "$work/pairs"
    grep -qE "$1" "$work/pairs"
}
groups() {
    report "$db" | tee "$work/said"
    grep -q "6 hand-ins are identical except for names, numbers and comments: copy1, copy2, copy3, copy4, copy5, copy6$" "$work/said"
}
claim "six equal copies are one group, also with a byte order mark" groups
pairs() { # two people with the same file
    mkdir "$work/pair"
    for i in ann bob; do folder_of "$work/pair/$i" "$work/copied.c"; done
    for i in cy di; do folder_of "$work/pair/$i" "$work/helper"; done
    grade "$work/pair" "$work/pair.db" --seed 5 >/dev/null
    report "$work/pair.db" | tee "$work/said"
    grep -qx "lab 1: 2 hand-ins are the same files: ann, bob" "$work/said" &&
        grep -qx "lab 1: 2 hand-ins are the same files: cy, di" "$work/said"
}
claim "two people with the same file are printed, too" pairs
teams() { # Moodle gives each partner of a group the group's files; a partner may hand in a variant
    printf 'name,id,group\nann,1,red\nbob,2,red\ncy,3,red\ndi,4,blue\neve,5,blue\nflo,6,green\n' >"$work/teams.csv"
    for i in ann bob di; do folder_of "$work/teams/$i" "$work/copied.c"; done
    sed 's/^}$/    ; }/' "$work/copied.c" >"$work/variant.c" && folder_of "$work/teams/cy" "$work/variant.c"
    for i in eve flo; do folder_of "$work/teams/$i" "$work/one.c"; done
    grade "$work/teams" "$work/teams.db" --seed 5 --roster "$work/teams.csv" >/dev/null
    report "$work/teams.db" --html "$work/teams.html" >/dev/null && report "$work/teams.db" | tee "$work/said"
    sed -n '/similarity<\/th>/,/<\/table>/p' "$work/teams.html" >"$work/team-pairs"
    cat "$work/team-pairs"
    ! grep -E "ann.*bob|bob.*cy|ann.*cy" "$work/said" "$work/team-pairs" && grep -q "<td>ann and 1 partner</td><td>di</td>" "$work/team-pairs" &&
        grep -q "<td>cy</td><td>di</td>" "$work/team-pairs" && grep -q "^lab 1: 2 hand-ins are the same files: ann and 1 partner, di$" "$work/said"
}
claim "partners of a group are not compared with each other" teams
claim "they do not hide the seventh, with a statement added" shows "<td>copy1 and 5 equal hand-ins</td><td>seventh</td>"
claim "and they are one row, not six" [ "$(grep -cE "<td>copy[1-6].*<td>seventh<" "$work/pairs")" = 1 ]
alike() { ! shows "<td>one</td><td>two</td>|<td>(copy|seventh).*<td>(one|two)<"; }
claim "what the workbook's solution has, too, does not make two hand-ins similar" alike
claim "but each is similar to that" shows "own solution</td><td>one<"
escaped="<td>&lt;i&gt;one &amp; two</td><td>other words</td>"
claim "a copy with other loops, its helpers written out, is found" shows "$escaped.* %, in other words</td>"
claim "no other pair is listed" [ "$(grep -c 'side by side' "$work/pairs")" = 6 ]
# A class of four, where nothing but the workbook says which code is usual.
for i in plain plain2 beginner; do
    awk -v name=right -f grader/tools/section.awk $similar/01/$i.c >"$work/author.c" && folder_of "$work/small/$i" "$work/author.c"
done
folder_of "$work/small/one" "$work/one.c"
grade "$work/small" "$work/small.db" --seed 5 >/dev/null
report "$work/small.db" --html "$work/small.html" >/dev/null
db=$work/similar.db
small() {
    grep -E "</td><td class=\"number\">[0-9]+ passages" "$work/small.html" >"$work/said"
    cat "$work/said"
    [ "$(wc -l <"$work/said")" = 1 ] && grep -q "own solution</td><td>one<" "$work/said"
}
claim "in a class of four, plain code accuses nobody, and a copy of the workbook's solution is listed" small
# The pages with two hand-ins side by side.
page_of() { # ROW: the path of its page
    sed -n "s|.*$1.*href=\"\(similar-pairs/[^\"]*\)\".*|$work/\1|p" "$work/similar.html"
}
page=$(page_of "$escaped")
marked() { # SIDE TEXT: a marked line
    grep -F "$2" "$page" | grep "<span id=\"$1[0-9-]*\" class=\"same\"><i>[0-9]*</i>.*<a href=\"#"
}
both_marked() {
    marked a "any |= row[i] &gt; -INFINITY;" && marked b " |= other_" && ! grep "class=\"same\".*lab_status matmul(" "$page"
}
claim "a page shows both, and marks what they have in common" both_marked
links_lead() { # every arrow leads to a line that is there
    grep -o 'href="#[^"]*"' "$page" | sed 's/href="#\(.*\)"/id="\1"/' | sort -u >"$work/wanted"
    [ -s "$work/wanted" ] && ! grep -o 'id="[^"]*"' "$page" | sort -u | comm -13 - "$work/wanted" | grep .
}
claim "its arrows lead to lines on the other side" links_lead
harmless() {
    ! grep -liE '<script|</pre>.*alert' "$work"/similar-pairs/* && grep -qF '&lt;/pre&gt;&lt;script&gt;alert(1)' "$page" &&
        LC_ALL=C grep -qv '[^[:print:][:space:]]' "$page" && iconv -f UTF-8 -t UTF-8 "$page" >/dev/null
}
claim "code and names cannot change the page" harmless
page=$(page_of "own solution</td><td>one<")
beside_own() { grep -c 'class="same"' "$page" && marked a "scores_t[s] &gt; max" && marked b "scores_t[s] &gt; max"; }
claim "a hand-in beside the workbook's solution has a page, too" beside_own
private() {
    ls -ld "$work/similar-pairs" "$work"/similar-pairs/*
    ! find "$work/similar-pairs" -perm /077 | grep .
}
claim "only the instructor can read these pages" private
again() { # fewer pairs: the pages of the report before are gone, and nothing else
    touch "$work/similar-pairs/mine.html"
    rm -r "$c/seventh" "$c/other words" && grade "$c" "$db" --seed 5 >/dev/null
    "$work/book" query "$db" "DELETE FROM piece WHERE submission IN (SELECT submission.id FROM submission JOIN student ON
        student.id = student WHERE name IN ('seventh', 'other words'))"
    report "$db" --html "$work/similar.html" >/dev/null
    ls "$work/similar-pairs"
    [ "$(ls "$work/similar-pairs" | tr '\n' ' ')" = "mine.html pair-1.html pair-2.html pair-3.html " ]
}
claim "a later report leaves no page of a pair that is gone" again
older() { # a gradebook of a grader that did not keep the code
    "$work/book" query "$db" "DELETE FROM text"
    report "$db" --html "$work/older.html" >/dev/null
    grep -q "The gradebook has no code of 9 hand-ins.*run grade class again" "$work/older.html" && ! grep "side by side</a>" "$work/older.html" &&
        grade "$c" "$db" --seed 5 >/dev/null && report "$db" --html "$work/older.html" >/dev/null && grep "side by side</a>" "$work/older.html"
}
claim "an older gradebook says what it lacks, and gets it from the next run" older
full_disk() { # a file is where the folder should be
    touch "$work/blocked-pairs"
    exits 3 report "$db" --html "$work/blocked.html" 2>&1 | tee "$work/said"
    grep -q "cannot .*blocked-pairs" "$work/said"
}
claim "a page that cannot be written is one line and exit status 3" full_disk
exit $status
