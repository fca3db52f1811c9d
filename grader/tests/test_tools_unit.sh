#!/bin/sh
# test_tools_unit.sh - worked examples (make unit), and functions that are not written.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/tools/workspace.sh

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

exit $status
