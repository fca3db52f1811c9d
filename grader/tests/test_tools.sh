#!/bin/sh
# test_tools.sh - the scripts in grader/tools work as documented. The tests run in a separate
# small workbook, whose lab 1 has two functions.
set -u
cd "$(dirname "$0")/../.." || exit 1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/labs/01_first" "$scratch/solutions/01_first" "$scratch/grader/exercises"
cp -R grader/tools "$scratch/grader/tools"
cp Makefile "$scratch/"
cp grader/rules.mk "$scratch/grader/"
claim_said=$scratch/out
. grader/tests/claim.sh
cd "$scratch" || exit 1
rm -f grader/tools/skeletons.cksum
solution=solutions/01_first/first.c
stub=labs/01_first/first.c

refused() { # COMMAND...: it fails, and its output is shown
    ! "$@" >refusal 2>&1 && [ -s refusal ]
}
says() { # PATTERN COMMAND...: the output matches, whatever the exit status
    pattern=$1
    shift
    "$@" >said 2>&1 </dev/null
    cat said
    grep -qE -e "$pattern" said
}

# ---- skeleton.awk --------------------------------------------------------------------------

cat >$solution <<'END'
#include "common/status.h"

// BEGIN SOLUTION 1.1 helper
static float half(float x)
{
    return x / 2;
}
// END SOLUTION 1.1

lab_status first(float *out, const float x[2], size_t N,
                 void (*visit)(int, float))
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.1 first: half of x, and then a text that is long enough to be broken
    // into two lines (about 1 line)
    out[0] = half(x[0]);
    return LAB_OK;
    // END SOLUTION 1.1
}

lab_status count(size_t N)
{
    // BEGIN SOLUTION 1.2 count: nothing
    return LAB_OK;
    // END SOLUTION 1.2
}
END
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

# ---- run_tests.sh --------------------------------------------------------------------------

# A runner like Criterion's: --tap=FILE. $1 is what it writes to FILE, $2 how it ends.
runner() {
    printf '#!/bin/sh\nprintf "%s" >"${1#--tap=}"\n%s\n' "$1" "$2" >runner
    chmod +x runner
}
last_line_is() { # TEXT STATUS
    TEST_TIMEOUT=${limit:-60} grader/tools/run_tests.sh ./runner >said 2>&1
    [ $? -eq "$2" ] && [ "$(tail -n 1 said)" = "$1" ] || { cat said; false; }
}
runner '1..2\\nok - a::b\\nok - a::c\\n' 'exit 0'
claim "two passing tests" last_line_is "2 passed, 0 failed" 0
runner '1..2\\nok - a::b\\nnot ok - a::c\\n' 'exit 1'
claim "a failing test" last_line_is "1 passed, 1 failed" 1
runner '' 'exit 0'
claim "a runner without tests fails" last_line_is "0 passed, 1 failed" 1
runner '1..1\\nok - a::b # SKIP\\n' 'exit 0'
claim "a runner that skips all tests fails" last_line_is "0 passed, 1 failed" 1
runner '1..2\\nok - a::b\\nok - a::c # SKIP no disk\\n' 'exit 0'
claim "skipped tests are listed" says "1 passed, 1 skipped, [0-9]+ s" \
    grader/tools/run_tests.sh ./runner
claim "skipped tests are listed with the reason" grep -q '^    a::c # SKIP no disk' said
runner '1..3\\nok - a::b\\n' 'exit 0'
claim "a runner that stops half-way fails" last_line_is "1 passed, 1 failed" 1
runner '1..1\\nok - a::b\\n' 'kill -SEGV $$'
claim "a runner that crashes at the end fails" last_line_is "1 passed, 1 failed" 1
limit=2
runner '1..1\\nok - a::b\\n' 'sleep 2000'
claim "a runner that waits forever fails" last_line_is "1 passed, 1 failed" 1
runner '1..1\\nok - a::b\\n' '(while :; do :; done); :'
claim "a runner in an endless loop fails" last_line_is "1 passed, 1 failed" 1
claim "the message names the time limit" grep -q 'FAILED: took too long and was ended' said
# As on a busy machine: it runs longer than the limit but uses little processor time.
runner '1..1\\nok - a::b\\n' 'for i in 1 2 3 4 5 6; do sleep 0.4; awk "BEGIN { while (i++ < 1200000) x += i }"; done'
claim "a slow runner is not stopped" last_line_is "1 passed, 0 failed" 0
limit=
rm runner
claim "a missing runner fails" last_line_is "0 passed, 1 failed" 1
runner '1..2\\nok - a::b\\nok - a::c\\n' 'exit 0'
beside() { # LINE STATUS SUM: with a script beside it that prints this and ends with this status
    printf '#!/bin/sh\necho "%s"\nexit %d\n' "$1" "$2" >beside.sh
    BESIDE="./beside.sh" last_line_is "$3" "$2" && grep -q '^\./beside\.sh .* passed' said
}
claim "results of scripts that run beside the others are counted and printed" beside "ok - d" 0 "3 passed, 0 failed"
claim "a failure in such a script fails the whole run" beside "not ok - d" 1 "2 passed, 1 failed"
# Each script notes when it begins and ends. No other script of the queue may run between these
# notes.
alone() {
    rm -f order
    for name in first second; do
        printf '#!/bin/sh\necho %s >>order\necho ok - %s\necho end >>order\n' $name $name >$name.sh
    done
    ALONE="./first.sh ./second.sh" last_line_is "4 passed, 0 failed" 0 &&
        [ "$(tr '\n' ' ' <order)" = "first end second end " ]
}
claim "scripts that must run alone are counted and run one at a time" alone

# ---- link.sh -------------------------------------------------------------------------------

cat >labs/01_first/linked.h <<'END'
// 1.2  Counts.
lab_status linked_count(size_t N);
END
printf 'int linked_count(void);\nint main(void) { return linked_count(); }\n' >calls.c
printf 'int other(void);\nint main(void) { return linked_count() + other(); }\n' | sed '1i int linked_count(void);' >others.c
unlinked() { # FILE.c PATTERN: it does not link, and these are the words
    ! grader/tools/link.sh built gcc "$1" >said 2>&1 && [ ! -e built ] && cat said && grep -q "$2" said
}
claim "a function of a lab that is missing is named" unlinked calls.c \
    '^1.2 linked_count is not defined in 01_first: is it misspelled, or deleted?$'
claim "in place of the linker's lines" [ "$(wc -l <said)" -eq 1 ]
claim "what another function lacks is the linker's to say" unlinked others.c "undefined reference to .other'"
mkdir -p 02 labs/02_second && sed 's/1\.2/2.1/' labs/01_first/linked.h >labs/02_second/linked.h
in_both() { ! grader/tools/link.sh ./02/built gcc calls.c >said 2>&1 && cat said && grep -q '^2.1 linked_count is not defined in 02_second' said; }
claim "if two labs have it, the lab of the program is named" in_both
rm -rf 02 labs/02_second/linked.h
echo 'int main(void) { return 0; }' >others.c
claim "what links is there" sh -c 'grader/tools/link.sh built gcc others.c && ./built'
rm -f labs/01_first/linked.h calls.c others.c built

# ---- unit.sh -------------------------------------------------------------------------------

cat >labs/01_first/first.h <<'END'
// 1.1  Half of a number.
LAB_CHECKED lab_status first(float *out, const float x[2], size_t N);
// 1.2  Counts.
LAB_CHECKED lab_status count(size_t N);
// 1.3  Sorts.
LAB_CHECKED lab_status sort(size_t N);
END
cat >labs/01_first/test_first.c <<'END'
Test(first, is_half)
{
    must_succeed(count(3));
    must_succeed(first(out, x, 1));
    must_succeed(count(4));
}
Test(first, of_zero_is_zero)
Test(count, none_is_none)
Test(count, counts)
Test(sort, sorts)
END
cat >example <<'END'
#!/bin/sh
# As Criterion does: the tests of the suites asked for, the others skipped.
for option; do
    case $option in --tap=*) exec >"${option#--tap=}" ;; *@*) only=$option ;; esac
done
echo '1..5'
echo 'ok - first::of_zero_is_zero  (0.00s)'
case ${only:-first} in
*first*)
    printf '%s\n' 'not ok - first::is_half  (0.01s)' '  ---' '  assertions: 2' '  failures:' \
        '  - labs/01_first/test_first.c:7: |+' '      Assertion failed: 1 is not 0.5' '  ...' ;;
*) echo 'ok - first::is_half  # SKIP test was skipped' ;;
esac
[ -n "$only" ] || printf '%s\n' 'ok - count::none_is_none  (0.00s)' 'not ok - count::counts  (0.01s)' '  ---' '  assertions: 1' \
    '  failures:' '  - labs/01_first/test_first.c:9: |+' \
    '      Assertion failed: count(3): LAB_TODO, not written yet' '  ...' \
    'not ok - sort::sorts  (0.00s)' '  ---' '  assertions: 1' '  failures:' \
    '  - labs/01_first/test_first.c:12: |+' \
    '      Assertion failed: sort_numbers(3): LAB_TODO, not written yet' '  ...'
END
chmod +x example
unit() {
    exercise=$1
    shift
    grader/tools/unit.sh labs/01_first "$exercise" labs "$@"
}
claim "unit.sh counts passing examples, but not what an unwritten function passes" says "^1 example passes" unit '' ./example
claim "unit.sh counts failing examples" grep -q '^1 example fails' said
claim "failures are listed under their exercise" grep -q '^1.1 first' said
claim "failures are listed with their message" grep -q '^    labs/01_first/test_first.c:7: 1 is not 0.5' said
claim "other functions that the example calls are named" grep -qF '    (this example also calls 1.2 count: the fault may be there)' said
claim "functions that are not written yet are named" grep -q '^2 examples wait .*: 1.2 count, 1.3 sort$' said
claim "what passes although its function is unwritten is counted apart" grep -q '^1 more example passes already, although its function is not written yet$' said
claim "a debugger command is printed" grep -q 'debug.gdb --args ./example --filter first/is_half' said
claim "one exercise alone can be tested" says "^1 example passes" unit 1.1 ./example
claim "the output then has only this exercise" sh -c '! grep -q waits said'
# 1.1 is written. Of 1.2, one function is not, and its comment "TODO 1.2" is gone.
cat >labs/01_first/first.c <<'END'
lab_status first(float *out, const float x[2], size_t N)
{
    return LAB_OK;
}
lab_status count(size_t N)
{
    return lab_todo(N);
}
lab_status count_more(size_t N)
{
    return LAB_OK;
}
END
cp labs/01_first/first.h first.h.kept
printf '%s\n' '// 1.2  Counts more.' 'LAB_CHECKED lab_status count_more(size_t N);' >>labs/01_first/first.h
cat >labs/01_first/test_second.c <<'END'
Test(count, counts_more)
{
    must_succeed(count_more(4));
}
END
cat >half <<'END'
#!/bin/sh
for option; do case $option in --tap=*) exec >"${option#--tap=}" ;; esac; done
printf '%s\n' '1..3' 'ok - count::none_is_none  (0.00s)' 'ok - count::counts_more  (0.00s)' \
    'not ok - count::counts  (0.01s)' '  ---' '  assertions: 1' '  failures:' \
    '  - labs/01_first/test_first.c:9: |+' '      Assertion failed: count(3): LAB_TODO, not written yet' '  ...'
END
chmod +x half
claim "examples of a written function pass while another of the exercise waits" says "^1 example passes" unit 1.2 ./half
claim "a function without its comment TODO is named with its number" grep -q '^1 example waits .*: 1.2 count$' said
rm labs/01_first/first.c labs/01_first/test_second.c half
mv first.h.kept labs/01_first/first.h
printf '// 1.1  Half.\nlab_status first_gpu(size_t N);\n' >labs/01_first/first_gpu.h # the last header ends earlier
claim "an unknown exercise is refused, with those that there are" \
    says "^unit: there is no exercise 1.7: lab 1 has 1.1 to 1.3$" unit 1.7 ./example
rm labs/01_first/first_gpu.h
claim "a lab without examples is refused" refused unit ''

# ---- unwritten.awk ---------------------------------------------------------------------------

mkdir -p src/01_first src/02_second
cat >src/01_first/first.c <<'END'
static lab_status helper(float *x);
lab_status product(float *x)
{
    // TODO 1.4: the product (about 3 lines)
    return lab_todo(x);
}
lab_status sum(float *x)
{
    return helper(x); // product(x) is not called
}
static lab_status helper(float *x)
{
    LAB_TRY(product(x));
    return LAB_OK;
}
END
cat >src/02_second/second.c <<'END'
static lab_status helper(float *x)
{
    return other(x);
}
lab_status product(float *x)
{
    // TODO 2.1: a faster product
    return lab_todo(x);
}
lab_status other(float *x)
{
    // TODO 2.2: another (about 3 lines)
    return lab_todo(x);
}
lab_status all(float *x)
{
    LAB_TRY(product(x));
    return sum(x);
}
lab_status written(float *x)
{
    return LAB_OK;
}
END
unwritten() { # FUNCTION LINES [LAB]: these are printed
    [ "$(awk -v functions="$1" -v lab="${3:-}" -f grader/tools/unwritten.awk src/*/*.c)" = "$2" ]
}
claim "a stub is named with its exercise" unwritten other 'other 2.2 other'
claim "a function that is written needs nothing" unwritten written ''
claim "a call means the function of the same file and folder first" unwritten sum 'sum 1.4 product'
claim "a function of two labs is that of the lab" unwritten product 'product 1.4 product' 01_first
claim "or of the last one" unwritten product 'product 2.1 product'
claim "the stubs that calls of calls reach are named" unwritten all 'all 2.1 product
all 1.4 product'
cat >src/explore <<'END'
#!/bin/sh
rest='    (the rest needs 2.1 all)\n\n'
printf "1. Nothing\n----------\n${rest}2. Something\n------------\n\na number\n\n$rest"
printf "3. Nothing\n----------\n\n${rest}4. A table\n----------\n\nB T\n$rest"
printf '5. Again\n--------\n\n(x)\n\n    (the rest needs 2.10 last)\n\n    (the rest needs 2.10 last)\n\n6. A crash\n----------\n'
echo '2.10 last: not written yet; see make check LAB=2' >&2
echo '2.2 other: not written yet; see make check LAB=2' >&2
echo '2.3 all: not written yet; see make check LAB=2' >&2
exit 3
END
mkdir -p build/explore/src
cp src/explore build/explore/src/02
chmod +x build/explore/src/02
claim "explore.sh names the stub behind a function that is written" \
    says '^2.3 all calls 1.4 product, which is not written yet: make check EX=1.4' \
    sh -c 'grader/tools/explore.sh build/explore/src/02 data; [ $? -eq 3 ]'
claim "and does not say that this function is not written" [ "$(grep -c '^2.3 all: ' said)" -eq 0 ]
claim "those that are not written come first, in the order of their exercises" \
    [ "$(grep -o '^2[.0-9]* [a-z]*[: ]' said | tr '\n' ' ')" = "2.2 other: 2.10 last: 2.3 all  2.3 all  " ]
claim "this comes first" sh -c 'head -n 1 said | grep -q "not written yet"'
claim "a section without content is one line and what it needs" [ "$(sed -n '/^[0-9]\. /,$p' said | tr '\n' '~')" = "$(cat <<'END' | tr '\n' '~'
1. Nothing
    (needs 2.1 product)

2. Something
------------

a number

    (the rest needs 2.1 product)

3. Nothing
    (needs 2.1 product)

4. A table
----------

B T
    (the rest needs 2.1 product)

5. Again
--------

(x)

    (the rest needs 2.10 last)

6. A crash
----------
END
)" ]

mkdir -p model/07_first model/08_language_model
cat >model/07_first/rope.c <<'END'
lab_status rope(float *x)
{
    // TODO 7.3: rope (about 3 lines)
    return lab_todo(x);
}
END
cat >model/08_language_model/language.c <<'END'
lab_status generate(float *x)
{
    return rope(x);
}
END
stops() { # STATUS: like a program that ends with it
    echo 'echo "generate: 8.11 generate: not written yet" >&2; exit '"$1" >stops
    chmod +x stops
    grader/tools/run_program.sh generate 8 model ./stops >said 2>&1
    [ $? -eq "$1" ]
}
names_what_it_calls() {
    stops 1 && [ "$(cat said)" = "generate: 8.11 generate: not written yet
generate: it calls 7.3 rope, which is not written yet: make check EX=7.3" ]
}
claim "make generate names the function that a written one waits for" names_what_it_calls
quiet_otherwise() { stops 0 && ! grep -q 'it calls' said && stops 130 && ! grep -q 'it calls' said; }
claim "it says nothing about functions if the program ends otherwise" quiet_otherwise

# ---- setup.sh, doctor.sh -------------------------------------------------------------------

# Fake commands: no package is installed, and apt-get notes how it was called.
mkdir pretend
for command in sh awk dirname env tail mkdir cat sed printf; do
    ln -s "$(command -v $command)" pretend/$command
done
pretend() { # NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >pretend/$1
    chmod +x pretend/$1
}
pretend dpkg-query 'cat installed; exit 1'
pretend apt-get 'echo "apt-get $*" >>called; for p; do echo "ii $p" >>installed; done'
all=$(awk '$2 == "required" { sub(/\|.*/, "", $1); print $1 }' grader/tools/packages.txt)

pretend id 'echo 1000'
: >installed
claim "without root and sudo, the command is printed" \
    says "sudo apt-get update && sudo apt-get install -y gcc g\+*+ make" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh
claim "nothing is installed then" test ! -e called

check() { # PACKAGE...
    env PATH="$scratch/pretend" sh grader/tools/setup.sh --check "$@"
}
claim "--check names missing packages and the command" \
    says "^missing on this machine: gcc libcjson-dev\\. make setup installs it" check gcc libcjson-dev
claim "--check prints one line" sh -c '[ "$(wc -l <said)" -eq 1 ]'
claim "--check fails" refused check gcc
claim "--check installs nothing" test ! -e called
claim "SETUP=skip skips the check" env SETUP=skip PATH="$scratch/pretend" \
    sh grader/tools/setup.sh --check gcc
echo 'ii gcc' >installed
claim "--check ignores packages that are not arguments" check gcc
: >installed

pretend sudo 'case $1 in -n|-v) exit 0 ;; esac; echo "sudo $*" >>called; exec "$@"'
for package in $all; do echo "ii $package"; done | grep -v cjson >installed
claim "missing packages are listed with their use" says "libcjson-dev +reads tensor files" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh
claim "only missing packages are installed" \
    grep -qE '^apt-get .*--no-install-recommends libcjson-dev$' called
claim "apt-get update runs first" sh -c 'grep "^apt-get" called | head -n 1 | grep -q "update$"'
claim "apt-get runs through sudo" grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get' called

rm called
claim "with everything installed one line is printed" sh -c \
    "[ \"\$(PATH='$scratch/pretend' sh grader/tools/setup.sh | wc -l)\" -eq 1 ]"
claim "with everything installed nothing is called" test ! -e called

claim "--test adds the packages for the tests" says "^  python3 +the part of make mutants" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh --test
claim "--test installs them" grep -qE '^apt-get .*--no-install-recommends python3 libdeflate-tools$' called
for package in $all; do echo "ii $package"; done | sed 's/gnuplot-nox/gnuplot-qt/' >installed
claim "another gnuplot package is accepted" says "everything" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh

: >installed
pretend apt-get 'echo "E: no network"; exit 100'
claim "a failing apt-get is an error" refused env PATH="$scratch/pretend" sh grader/tools/setup.sh
claim "the output of apt-get is shown" grep -q 'no network' refusal
rm pretend/dpkg-query
claim "without dpkg a list of packages is printed" says "libopenblas-dev +matrix products" \
    env PATH="$scratch/pretend" sh grader/tools/setup.sh

claim "the doctor runs without a grader" says "^unknown  walls" sh grader/tools/doctor.sh
claim "the doctor runs to the end" grep -q "CUDA  " said

pretend dpkg-query 'cat installed; exit 1'
doctor_ends() { # STATUS LINE
    env PATH="$scratch/pretend:$PATH" sh grader/tools/doctor.sh >said 2>&1
    [ $? -eq "$1" ] && [ "$(tail -n 1 said)" = "$2" ]
}
for package in $all; do echo "ii $package 1"; done >installed
claim "the doctor's last line says that a student needs nothing more" \
    doctor_ends 0 "all that a student needs is here"
sed -i '/libcjson-dev\|libmd-dev/d' installed
claim "the doctor's last line names what a student needs, and the command" \
    doctor_ends 1 "missing: libcjson-dev libmd-dev. make setup installs what is missing"

# ---- mutants.py ----------------------------------------------------------------------------

mkdir -p solutions/08_mutants build grader/tests/mutants
cat >solutions/08_mutants/sum.c <<'END'
// 7 < 8: no answer
float sum(const float *x, size_t N, size_t M)
{
    if (N == 0) {
        return 7;
    }
    // BEGIN SOLUTION 8.1 sum: all of them (about 5 lines)
    float total = 0.0f; // 1 < 2, not -1
    for (size_t i = 1; i < N; i++) {
        total += x[i];
    }
    return total;
    // END SOLUTION 8.1
}
END
changes() { grader/tools/mutants.py 8 --list; }
cat >expected <<'END'
[float -> int] total = 0.0f; // 1 < 2, not -1
float total = [0.0f -> 1.0f]; // 1 < 2, not -1
for (size_t i = [1 -> 2]; i < N; i++) {
for (size_t i = [1 -> 0]; i < N; i++) {
for (size_t i = 1; [i -> N] < N; i++) {
for (size_t i = 1; [i -> M] < N; i++) {
for (size_t i = 1; i [< -> <=] N; i++) {
for (size_t i = 1; i [< -> >] N; i++) {
for (size_t i = 1; i < [N -> i]; i++) {
for (size_t i = 1; i < [N -> M]; i++) {
for (size_t i = 1; i < N; i[++ -> --]) {
total [+= -> =] x[i];
total [+= -> -=] x[i];
total += x[[i -> N]];
total += x[[i -> M]];
[total += x[i]; -> ;]
END
sort -o expected expected
every_change() {
    changes | sed -n 's/^sum\.c sum: //p' | sort >made
    diff expected made
}
cat >solutions/08_mutants/launch.cu <<'END'
static dim3 launch(size_t N, cudaStream_t stream, size_t M)
{
    // BEGIN SOLUTION 8.1 launch: two sizes of a launch (about 3 lines)
    const long long n = (long long)N, m = (long long)M;
    const dim3 block(32), grid(8);
    kernel<<<grid, block, 0, stream>>>(n);
    // END SOLUTION 8.1
}
END
cat >expected.cu <<'END'
const long long n = (long long)N, m = (long long)[M -> N];
const long long n = (long long)[N -> M], m = (long long)M;
kernel<<<[grid -> block], block, 0, stream>>>(n);
kernel<<<grid, [block -> grid], 0, stream>>>(n);
kernel<<<grid, block, 0, stream>>>([n -> m]);
END
sort -o expected.cu expected.cu
types_of_a_launcher() {
    grader/tools/mutants.py 8 --backend gpu-simulated --list | sed -n 's/^launch\.cu launch: //p' |
        grep '\[[A-Za-z_]* -> [A-Za-z_]*\]' | sort >made
    diff expected.cu made
}
# A judge that looks at one line only, so that every other change passes.
cat >build/grade <<'END'
#!/bin/sh
while [ "$1" != --src ]; do shift; done
grep -q '^        total += x\[i\];$' "$2/08_mutants/sum.c"
END
chmod +x build/grade
unseen() {
    grader/tools/mutants.py 8 >said
    [ $? -eq 1 ] && cat said && ! grep -q '^sum\.c sum: total' said &&
        grep -q '^sum\.c sum: for (size_t i = 1; i \[< -> <=\] N; i++) {$' said && [ -z "$(ls build/tmp)" ]
}
# Lists all mutants that pass, with a reason.
listed=grader/tests/mutants/08.txt
explained() {
    { echo '# This judge looks at one line alone.' && changes | grep -v 'total +\?= \?\[\?x\|total \[\|\[total'; } >$listed
    grader/tools/mutants.py 8
}
stale() {
    echo 'sum.c sum: gone [a -> b]' >>$listed
    ! grader/tools/mutants.py 8 --check >said && cat said &&
        grep -q "^$listed:[0-9]*: is no change of the solution" said
}
refused_though_listed() {
    { echo '# Wrong.' && echo 'sum.c sum: total += x[[i -> N]];'; } >$listed
    ! grader/tools/mutants.py 8.1 >said && grep -q "^$listed:2: is refused, not equivalent" said
}
without_reason() {
    echo 'sum.c sum: total += x[[i -> N]];' >$listed
    ! grader/tools/mutants.py 8 --check >said && grep -q "^$listed:1: has no reason" said
}
a_part_again() {
    grader/tools/mutants.py 8 --some 5 --seed 7 >first
    grader/tools/mutants.py 8 --some 5 --seed 7 >second
    grep -q '^5 of 16 changes, --seed 7$' first && cmp first second
}
broken_judge() {
    printf '#!/bin/sh\necho no disk >&2\nexit 3\n' >build/grade
    grader/tools/mutants.py 8 2>said
    [ $? -eq 3 ] && grep -q '^mutants: grade ended with 3: no disk' said
}
if command -v python3 >/dev/null; then
    claim "every token of a solution is changed, one at a time" every_change
    claim "a kernel launch gets other sizes, but the same stream" types_of_a_launcher
    claim "changes that pass the judge are printed" unseen
    claim "listed changes are not printed" explained
    claim "a list entry that matches no solution is reported" stale
    claim "a list entry that the judge refuses is reported" refused_though_listed
    claim "a list entry without a reason is reported" without_reason
    claim "the same seed draws the same changes" a_part_again
    claim "a failure of the judge is an error" broken_judge
    claim "an unknown lab is refused" refused grader/tools/mutants.py 9
else
    echo "ok - mutants # SKIP python3 is not installed"
fi
rm -r solutions/08_mutants build/grade grader/tests/mutants

# ---- locked.sh -----------------------------------------------------------------------------

# Each of ten processes adds one to a number. This goes wrong if two do so at a time.
counts_to_ten() {
    mkdir -p build
    echo 0 >number
    for i in 1 2 3 4 5 6 7 8 9 10; do
        grader/tools/locked.sh sh -c 'read -r n <number; sleep 0.01; echo $((n + 1)) >number' &
    done
    wait
    [ "$(cat number)" = 10 ]
}
claim "commands under the lock run one at a time" counts_to_ten
killed_holder() {
    mkfifo held
    grader/tools/locked.sh sh -c 'echo yes >held; exec sleep 1000' &
    read -r _ <held
    kill -9 $!
    grader/tools/locked.sh true
}
claim "a lock ends with its process" killed_holder
claim "a process with the lock can run locked.sh again" grader/tools/locked.sh grader/tools/locked.sh true
says_that_it_waits() {
    # The holder ends after the message has reached the terminal.
    mkfifo told
    grader/tools/locked.sh sh -c 'echo yes >held; read -r _ <told' &
    read -r _ <held
    script -qec 'grader/tools/locked.sh echo its turn' /dev/null </dev/null | while read -r line; do
        echo "$line"
        case $line in waiting*) echo yes >told ;; esac
    done >said
    grep -q '^waiting for another make to finish' said && grep -q '^its turn' said
}
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    claim "a waiting make prints what it waits for" says_that_it_waits
else
    echo "ok - a waiting make prints what it waits for # SKIP there is no script(1), or no terminal for it"
fi

# ---- demo.sh ---------------------------------------------------------------------------------

ends_with_a_story() { # the last step before "Done"
    grep -o 'title ".*' grader/tools/demo.sh | tail -n 2 | head -n 1
    [ "$(grep -o 'title ".*' grader/tools/demo.sh | tail -n 2 | grep -c 'writes a story\|"Done in')" -eq 2 ]
}
claim "make demo ends with a story" ends_with_a_story

mkdir -p twice/grader
cp -R grader/tools twice/grader/
mkfifo twice/started twice/go
# The first step of a demo: it is there alone until it may go on, and then ends the demo.
cat >twice/grader/tools/setup.sh <<'END'
#!/bin/sh
mkdir busy || exit 1
echo yes >started
read -r _ <go
rmdir busy
echo alone
exit 1
END
one_demo_at_a_time() {
    twice/grader/tools/demo.sh >first 2>&1 &
    read -r _ <twice/started
    twice/grader/tools/demo.sh 2>&1 | while read -r line; do
        echo "$line"
        case $line in
        waiting*)
            echo yes >twice/go
            read -r _ <twice/started
            echo yes >twice/go
            ;;
        esac
    done >said
    cat said
    grep -q '^waiting for another make demo in this folder to finish$' said && grep -q '^alone$' said
}
if command -v flock >/dev/null; then
    claim "a second make demo says that it waits for the first, and then runs alone" one_demo_at_a_time
fi
says_what_it_waits_for() { # the build of the demo, while another make builds
    for step in locked.sh first.sh; do
        grep -n "^grader/tools/.*$step" grader/tools/demo.sh
    done | head -n 1 | grep "locked.sh grader/tools/first.sh"
}
claim "and it waits for a build before it counts what to build" says_what_it_waits_for

# ---- gallery.sh, shades.sh: the page and the map of make demo --------------------------------

mkdir -p pictures/01/data
echo '# Lab 1: a < b' >labs/01_first/README.md
touch pictures/01/one.svg pictures/01/two_words.svg pictures/01/one.png
gallery() {
    [ "$(grader/tools/gallery.sh pictures)" = 2 ] && cat pictures/index.html &&
        grep -qF '<h2 id="lab01">Lab 1: a &lt; b</h2>' pictures/index.html &&
        grep -qF '<a href="01/two_words.svg"><img src="01/two_words.svg" alt="two words">' pictures/index.html
}
claim "a page shows every picture below the title of its lab" gallery
rm -r pictures labs/01_first/README.md
{
    printf 'step\tblock\thead\tquery\tkey\tweight\ttoken\tof\n'
    printf '9\t0\t%d\t%d\t%d\t%s\t%d\t%d\n' 0 0 0 0.1 5 5  0 0 1 0.9 5 6  0 1 0 0.7 6 5  0 1 1 nan 6 6 \
        1 0 0 0.3 5 5  1 0 1 0.7 5 6  1 1 0 1 6 5  1 1 1 nan 6 6
} >heads.tsv
printf '%s\n' '         5     6    ' '  5     ▒▒▒▒  ████  ' '  6     ████        ' >expected
shades() { grader/tools/shades.sh heads.tsv | diff expected -; }
claim "shades show the mean of the heads" shades

# ---- the Makefile --------------------------------------------------------------------------

said_by() { # LINE VARIABLE=VALUE... make ...: the first make prints this line, once
    line=$1
    shift
    env -u MAKELEVEL -u MAKEFLAGS "$@" >said 2>&1
    cat said
    [ "$(grep -cxF -e "$line" said)" -eq 1 ] && [ "$(grep -c '^note: ' said)" -eq 1 ]
}
nothing_said() { # VARIABLE=VALUE... make ...
    env -u MAKELEVEL -u MAKEFLAGS "$@" >said 2>&1
    cat said
    ! grep -q 'environment' said
}
claim "a lab from the environment counts, and make says so" \
    said_by "note: LAB=1 comes from the environment (to drop it: unset LAB)" LAB=1 make -n -o made-check check
claim "so it is judged" says "^ *--lab '1'" env LAB=1 make -s -n -o made-check check
claim "several are one line" said_by "note: GPU=1 and PROFILE=1 come from the environment (to drop them: unset GPU PROFILE)" \
    GPU=1 PROFILE=1 make -n -o made-check check LAB=1
claim "an error about one comes with the note" \
    said_by "note: PROFILE=1 comes from the environment (to drop it: unset PROFILE)" PROFILE=1 make check LAB=1
claim "a variable that the target does not read is not mentioned" nothing_said TEXT=hello make -n -o made-check check LAB=1
claim "one that it reads is" said_by "note: TEXT=hello comes from the environment (to drop it: unset TEXT)" \
    TEXT=hello make -n plot LAB=1
claim "an empty one is not" nothing_said EX= make -n -o made-check check LAB=1
claim "nor is one that the command line sets" nothing_said LAB=2 make -n -o made-check check LAB=1
claim "nor is any in the list of commands" nothing_said LAB=1 make
mkdir -p build
echo 'gcc g++ -O3 -g -fno-math-errno' >build/flags
claim "another compiler from the environment is said, with what follows" \
    says "^the compiler or its options have changed \(CC=clang from the environment\): everything is compiled again$" \
    env -u MAKELEVEL -u MAKEFLAGS CC=clang make -n -o made-check check LAB=1
claim "the same compiler is not" nothing_said CC=gcc make -n -o made-check check LAB=1
claim "other options are said" says "^the compiler or its options have changed: everything is compiled again$" \
    env -u MAKELEVEL -u MAKEFLAGS make -n -o made-check check LAB=1 CFLAGS=-O2
rm build/flags

for target in check learn watch hint; do
    claim "make $target GPU=1 checks the GPU side" \
        says "--backend 'gpu'" make -s -n -o made-$target $target EX=1.1 GPU=1
done

make -s >help
for target in check hint unit plot reset demo test doctor; do
    claim "make alone describes make $target" grep -q "^  $target  " help
done

claim "an unknown lab gets a list of labs" says "there is no lab 9 .*1 2 3" make -s unit LAB=9
claim "also for a target that takes any lab" says "there is no lab x .*1 2 3" make -s check LAB=x
claim "an unknown variable is not ignored" says "there is no variable SCR; make help lists them" make -s check EX=1.1 SCR=mine
claim "nor is one that the makefile sets itself" says "there is no variable LABS; make help lists them" make -s check LABS=1
claim "nor is the name of a program" says "there is no variable GRADE; make help lists them" make -s check GRADE=1
claim "another compiler is allowed" says "grade check" make -s -n -o made-check check EX=1.1 CC=gcc
claim "and other options for it are" says "grade check" make -s -n -o made-check check EX=1.1 CFLAGS=-O2
claim "make generate names the variable for its options" says "no variable TOKENS; .* go into ARGS='--length 100'" \
    make -s generate TOKENS=9
claim "an unknown target is no file to build" says "there is no target .chekc.; make alone lists them" make -s chekc
claim "two files to build are no unknown target" says "build/a" make -s -n build/a build/b SETUP=skip
claim "a folder of code with a quote in its name is refused" says "a folder with ' in its name: run make programs" make -s check LAB=1 SRC="o'hara"
claim "an unknown folder of code is refused" says "SRC=nowhere: there is no such folder" make -s explore LAB=1 SRC=nowhere
claim "make train says which labs train" says "make train is for lab 6" make -s train LAB=1
claim "make generate says which labs write" says "make generate is for lab 8" make -s generate LAB=1
claim "a missing compiler is one sentence" says "the compiler no-such-cc is not installed" make -s build/x CC=no-such-cc
claim "make bench-class wants numbers" says "COUNT is the sizes" env COUNT=x grader/tools/bench_class.sh
claim "two labs are refused" says "LAB takes one lab, not .1 2." make -s check LAB="1 2"
claim "so are two exercises" says "EX takes one exercise, not .1.1 1.2." make -s check EX="1.1 1.2"
claim "EX= with a lab's number is explained" says "LAB=1 is the whole lab" make -s check EX=1
claim "a hint of another level is refused in words of make" says "LEVEL is 1, 2 or 3, not .4." make -s -o made-hint hint EX=1.3 LEVEL=4
claim "a variable in small letters is named" says "the variable is LAB, in capital letters: LAB=1, not lab=1" make -s check lab=1
claim "so is one that no target lists" says "the variable is DOCS" make -s bench Docs=1
claim "other variables are nobody's business" make -s -n -o made-check check LAB=1 my=1 path=3
cp $solution saved.c && iconv -f UTF-8 -t UTF-16 saved.c >$solution
claim "a file saved as UTF-16 is one sentence" says "^$solution is saved as UTF-16; save it as UTF-8$" \
    make -s "build/unit/obj/${solution%.c}.o" SETUP=skip
claim "without its text" [ "$(wc -l <said)" -lt 9 ]
cp saved.c $solution
claim "a deleted file is named, with what brings it back" \
    says "^labs/01_first/gone.c is missing; make reset LAB=1 writes its skeleton$" \
    make -s build/unit/obj/labs/01_first/gone.o SETUP=skip
if [ "$(id -u)" -eq 0 ]; then
    theirs=$(mktemp -d) && mkdir -p "$theirs/grader/tools" "$theirs/build" && touch "$theirs/build/lock"
    cp grader/tools/locked.sh "$theirs/grader/tools/" && chmod -R a+rX "$theirs" && chown -R 65534 "$theirs"
    chown 0 "$theirs/build/lock"
    claim "files that sudo make left in build/ are named" says "^build/ has files of another user, .* sudo chown -R" \
        setpriv --reuid=65534 --clear-groups sh "$theirs/grader/tools/locked.sh" echo ran
    rm -rf "$theirs"
fi
claim "a shell's CFLAGS do not reach the judge" says "-O3 -g -fno-math-errno .*first.c" \
    env CFLAGS=-ffast-math make -s -n -B build/obj/solutions/01_first/first.o SETUP=skip
claim "CFLAGS in which NaN equals a number are refused" says "CFLAGS has -ffast-math, with which NaN" \
    make -s check LAB=1 CFLAGS="-O2 -ffast-math"
cp Makefile whole.mk
printf 'language:\n\t@echo $$LC_ALL\n' >>Makefile
claim "the scripts' patterns mean the same in every language" says "^C.UTF-8$" \
    env LC_ALL=tr_TR.UTF-8 make -s BUILD_LOCK=held language
mv whole.mk Makefile
claim "the computer's name on WSL is no experiment" says "experiment.sh '' " env NAME=desktop make -s -n experiment
claim "a seed that is no number is refused in words of make" says "SEED is a whole number, not .abc." make -s check LAB=1 SEED=abc
claim "so are two" says "SEED is a whole number, not .1 2." make -s check LAB=1 SEED="1 2"
claim "so is GPU=yes" says "GPU is 1 .*, not .yes." make -s learn LAB=1 GPU=yes
claim "GPU may name a backend" make -s -n -o made-check check LAB=1 GPU=gpu-simulated
claim "WARNINGS=yes is refused" says "WARNINGS is 1 or 0, not .yes." make -s check LAB=1 WARNINGS=yes
for target in unit explore plot ask gradcheck; do
    claim "make $target has no GPU" says "make $target runs on the CPU: leave out GPU=1" make -s $target LAB=1 GPU=1
done
claim "PROFILE without the GPU is refused" says "PROFILE=1 reports on kernels: add GPU=1" make -s check LAB=1 PROFILE=1
claim "an exercise of another lab is refused" says "EX=1.3 is not in lab 2" make -s check EX=1.3 LAB=2
claim "an exercise of the given lab is accepted" make -s -n -o made-check check EX=1.3 LAB=1

exit $status
