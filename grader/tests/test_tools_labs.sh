#!/bin/sh
# test_tools_labs.sh - the tools that make skeletons from solutions, wrong submissions, and the lists
# of labs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/tools/workspace.sh

# ---- skeleton.awk --------------------------------------------------------------------------

cat >expected <<'END'
#include "common/status.h"

lab_status first(float *out, const float x[2], size_t N,
                 void (*visit)(int, float))
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 1.1: half of x, and then a text that is long enough to be broken into two
    // lines (about 1 line)
    return lab_todo(out, x, N, visit);
}

lab_status count(size_t N)
{
    // TODO 1.2: nothing
    return lab_todo(NULL, N);
}
END
skeleton() {
    awk -f grader/tools/skeleton.awk "$@"
}
skeleton $solution >made
claim "a skeleton keeps everything but the solutions" diff expected made

faulty() { # WHAT SED-SCRIPT PATTERN
    sed "$2" $solution >faulty.c
    claim "skeleton.awk refuses $1" says "^faulty\.c:[0-9]+: .*$3" skeleton faulty.c
}
faulty "a region without an end" '/END SOLUTION 1.2/d' "has no END|ends before"
faulty "an end without a region" '/BEGIN SOLUTION 1.2/d' "without BEGIN"
faulty "an end of another exercise" 's/END SOLUTION 1.2/END SOLUTION 1.3/' "closes"
faulty "a region with code after it" 's/\(.*\)\(\/\/ END SOLUTION 1.2\)/\1\2\n    return 0;/' \
    "must close"
faulty "a region without a text" 's/count: nothing/count/' "needs a name"
faulty "a region that names another function" 's/1.2 count/1.2 cuont/' "names cuont"

# ---- section.awk, transplant.sh ------------------------------------------------------------

cat >wrong.c <<'END'
// 1.1 first
    for (size_t i = 0; i < N; i++) {
        out[i] = x[i] / 2;
    }

    for (size_t i = 0; i < N; i++) {
        visit(i, out[i]);
    }
    return LAB_OK;

@ halved-again
-        out[i] = x[i] / 2;
+        out[i] = x[i] / 2;
+        out[i] /= 2;

@ from-1: second-loop-from-1
-    for (size_t i = 0; i < N; i++) {
+    for (size_t i = 1; i < N; i++) {
         visit(i, out[i]);

-    return LAB_OK;
+    return abs(LAB_OK);

+#include <stdlib.h>

@ nothing-done
#include <math.h>
// BODY
    return LAB_OK;

@ right-backwards
    while (N-- > 0) {
        out[N] = x[N] / 2;
    }
    return LAB_OK;

@ not-halved
-        out[N] = x[N] / 2;
+        out[N] = x[N];
END
section() { awk -v name="$1" -f grader/tools/section.awk wrong.c; }
is_section() { # NAME: the section is equal to the standard input
    cat >wanted
    section "$1" | diff wanted -
}
whole() {
    is_section right <<'END' && is_section nothing-done <<'END2'
// 1.1 first right
    for (size_t i = 0; i < N; i++) {
        out[i] = x[i] / 2;
    }

    for (size_t i = 0; i < N; i++) {
        visit(i, out[i]);
    }
    return LAB_OK;
END
// 1.1 first nothing-done
#include <math.h>
// BODY
    return LAB_OK;
END2
}
claim "a section without - and + is a whole body, and so is the beginning of the file" whole
changed_lines() {
    is_section from-1 <<'END'
// 1.1 first second-loop-from-1
#include <stdlib.h>
// BODY
    for (size_t i = 0; i < N; i++) {
        out[i] = x[i] / 2;
    }

    for (size_t i = 1; i < N; i++) {
        visit(i, out[i]);
    }
    return abs(LAB_OK);
END
}
claim "the lines around a change determine its place" changed_lines
another_right_body() {
    is_section not-halved <<'END'
// 1.1 first not-halved
    while (N-- > 0) {
        out[N] = x[N];
    }
    return LAB_OK;
END
}
claim "a section changes the nearest right body above it" another_right_body

# refuses MESSAGE SCRIPT: the file, changed by sed's SCRIPT, is refused with FILE:LINE: MESSAGE
refuses() {
    sed "$2" wrong.c >"broken.c"
    ! awk -v name="${3:-from-1}" -f grader/tools/section.awk broken.c >said 2>&1
    grep -qx "broken.c:$1" said || { cat said && return 1; }
}
claim "a line that the right body does not have" \
    refuses '17: the right body has no such line' '17s/size_t/int/'
claim "a line that occurs twice" refuses \
    '17: the right body has this 2 times: add a line above or below it, with a blank in front' 19d
claim "two changes of the same line" \
    refuses '21: an earlier change of this section has the same line' '21s/.*/-        visit(i, out[i]);/'
claim "a line with neither -, + nor a blank" \
    refuses '18: begins with neither -, + nor a blank' '18s/^+/*/'
claim "two sections with the same name" \
    refuses '16: there is a section halved-again already, in line 11' '16s/ .*/ halved-again/' halved-again
claim "an empty section" refuses '26: an empty section' 27,29d
claim "a right body with changes" refuses '31: a right body is written out' '32s/^ /-/' not-halved
claim "a section's first line" refuses '16: a section begins with @ NAME or @ NAME: DIAGNOSIS' '16s/:/ :/'
claim "a file's first line" refuses '1: the first line is // EXERCISE FUNCTION' '1s/first/& no-scale/'
claim "a section that does not exist" refuses '39: there is no section from-2' '' from-2

transplanted() {
    rm -rf tree
    grader/tools/transplant.sh wrong.c@not-halved tree &&
        grep -q 'out\[N\] = x\[N\];' tree/01_first/first.c && [ "$(ls -A tree)" = 01_first ]
}
claim "a section can be transplanted by its name" transplanted
claim "a file of sections cannot be transplanted whole" \
    says 'has sections: say which' grader/tools/transplant.sh wrong.c tree
claim "a section that does not fit is refused" \
    refused grader/tools/transplant.sh broken.c@from-2 tree
rm -r tree

# ---- skeletons.sh --------------------------------------------------------------------------

claim "skeletons.sh writes the skeletons" grader/tools/skeletons.sh
claim "they are the expected ones" diff expected $stub
cp $solution kept.c
echo '// more' >>$solution
claim "an unedited skeleton is replaced" grader/tools/skeletons.sh
claim "the new one has the solution's new line" grep -q more $stub
cp kept.c $solution
grader/tools/skeletons.sh >/dev/null
echo '// mine' >>$stub
echo '// more' >>$solution
claim "an edited skeleton is not replaced" refused grader/tools/skeletons.sh
claim "the edited skeleton is kept" grep -q mine $stub
claim "FORCE=1 replaces it" env FORCE=1 grader/tools/skeletons.sh
claim "FORCE=1 keeps a copy" grep -rq mine build/backup/01_first

# ---- reset.sh ------------------------------------------------------------------------------

echo '// more of mine' >>$stub
claim "reset asks first, and refuses without a terminal" refused grader/tools/reset.sh 01 </dev/null
claim "a refused reset changes nothing" grep -q 'more of mine' $stub
declines() { # to keep the file is what n asks for, so reset succeeds
    echo n | timeout 60 script -qefc 'grader/tools/reset.sh 01' /dev/null >said || return
    cat said
    grep -q "Nothing was changed" said && grep -q 'more of mine' $stub
}
if script -qec true /dev/null >said 2>&1; then
    claim "the answer n changes nothing, and is no failure" declines
else
    echo "ok - the answer n changes nothing, and is no failure # SKIP there is no script(1), or no terminal for it"
fi
claim "YES=1 resets and prints how to undo it" says "^ +cp build/backup/01_first/.* labs/01_first" \
    env YES=1 grader/tools/reset.sh 01
claim "the skeleton has no more edits" sh -c "! grep -q 'more of mine' $stub"
claim "a copy of the edits is kept" grep -rq 'more of mine' build/backup/01_first
claim "an unknown lab is refused" refused grader/tools/reset.sh 77
mkdir grader/skeletons
cp -R labs/01_first grader/skeletons/
mv solutions hidden
echo '// again' >>$stub
claim "reset works without solutions" env YES=1 grader/tools/reset.sh 01
claim "it restores the handed-out skeletons" diff grader/skeletons/01_first/first.c $stub
claim "skeletons.sh refuses to run without solutions" refused grader/tools/skeletons.sh
claim "the checksums are kept" test -s grader/tools/skeletons.cksum
mv hidden solutions

mkdir -p build/questions build/progress
echo first >build/questions/01.progress
echo 1.1 >build/progress/labs
touch build/questions/01.answers
claim "clean removes the built files" sh -c 'mkdir -p build/obj && grader/tools/clean.sh &&
    [ ! -e build/obj ]'
claim "clean keeps the copies" grep -rq 'more of mine' build/backup
claim "and the answers to questions" grep -q first build/questions/01.progress
claim "but not the values of questions" [ ! -e build/questions/01.answers ]
claim "and what passed" grep -q '1\.1' build/progress/labs
claim "and says so" says "build/questions: your answers to questions" grader/tools/clean.sh
rm -r build/questions build/progress

# ---- list_labs.sh --------------------------------------------------------------------------

mkdir solutions/02_second solutions/03_third solutions/04_no_exercises labs/02_second
echo '#include "01_first/first.h"' >labs/02_second/second.h
touch solutions/02_second/second.c solutions/02_second/test_second.c solutions/04_no_exercises/x.c
echo '#include "02_second/second.h"' >solutions/03_third/third.c
touch solutions/01_first/first.cu solutions/03_third/third.cu
echo '#include "01_first/first_gpu.h"' >solutions/03_third/third.cu
touch grader/exercises/lab01.c grader/exercises/lab02.c grader/exercises/lab03.c
grader/tools/list_labs.sh build/gen
cat >expected <<'END'
    {1, false, "01_first", {"first.c"}, {0}, &lab_01, lab_01_entries},
    {2, false, "02_second", {"second.c"}, {"01_first"}, &lab_02, lab_02_entries},
    {3, false, "03_third", {"third.c"}, {"02_second", "01_first"}, &lab_03, lab_03_entries},
    {1, true, "01_first", {"first.cu"}, {0}, &lab_01, lab_01_entries},
    {3, true, "03_third", {"third.cu"}, {"01_first"}, &lab_03, lab_03_entries},
END
grep '^    {[1-9]' build/gen/labs.c >made
claim "the labs are listed with all that they use, and their GPU sides" diff expected made

mkdir grader/exercises/02
touch grader/exercises/02/10_last.c grader/exercises/02/02_first.c grader/exercises/02/02a_more.c \
    grader/exercises/02/shared.c grader/exercises/02/02_first.h
grader/tools/list_labs.sh build/gen
sed -n '/lab_exercises/,$p' build/gen/exercises02.c >made
printf '%s\n' 'const struct exercise *const lab_exercises[] = {' '    &exercise_2_2,' \
    '    &exercise_2_10,' '    NULL,' '};' >expected
claim "a lab's exercises are listed by their files, in order" diff expected made
claim "a lab without exercise files has an empty list" test ! -e build/gen/exercises03.c

exit $status
