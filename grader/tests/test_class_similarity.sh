#!/bin/sh
# test_class_similarity.sh - which hand-ins are reported as similar: copies that were changed a
# little, also among many equal ones, and nothing that two people may well write alike.
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
B=${BUILD:-build}
[ -x "$B/grade-class" ] || {
    echo "ok - similarity # SKIP grade-class is not built (libarchive-dev, libsqlite3-dev, libmd-dev, libyaml-dev, libgit2-dev)"
    exit 0
}
mkdir -p build/tmp
work=$(mktemp -d "$top/build/tmp/similar.XXXXXX") || exit 1
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
. grader/tests/class/workspace.sh
ln -s "$top/build/skeletons" "$work/build/skeletons"

# A helper that nobody else would write.
cat >"$work/helper" <<'END'
__attribute__((unused)) static float strange(const float *row, size_t count)
{
    float low = row[0], high = row[0], swing = 0.0f;
    for (size_t i = count; i-- > 1;) {
        low = row[i] < low ? row[i] : low;
        high = row[i] > high ? row[i] : high;
        swing += (row[i] - row[i - 1]) * (row[i] - row[i - 1]);
        if (swing > 3.5f * (high - low)) {
            swing = swing / 2.0f + low;
        } else {
            swing -= high;
        }
    }
    return swing * (high - low) + low / (high + 1.0f);
}
END
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
claim "they do not hide the seventh, with a statement added" shows "<td>copy1 and 5 equal hand-ins</td><td>seventh</td>"
claim "and they are one row, not six" [ "$(grep -cE "<td>copy[1-6].*<td>seventh<" "$work/pairs")" = 1 ]
alike() { ! shows "<td>one</td><td>two</td>|<td>(copy|seventh).*<td>(one|two)<"; }
claim "what the workbook's solution has, too, does not make two hand-ins similar" alike
claim "but each is similar to that" shows "own solution</td><td>one<"
exit $status
