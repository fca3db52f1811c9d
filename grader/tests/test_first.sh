#!/bin/sh
# test_first.sh - the first minutes: make check EX=1.1 builds what lab 1 needs and no more, under one
# line.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/first.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh
root=$PWD

# ---- first.sh --------------------------------------------------------------------------------

# A command like make: with -n it prints its commands, otherwise it does them.
cat >"$work/pretended" <<'END2'
#!/bin/sh
if [ "${2:-}" = -n ]; then
    echo "echo '  compile  a.c'"
    echo "gcc a.c"
    echo "echo '  link     a'"
    exit
fi
echo '  compile  a.c'
echo 'a warning' >&2
echo 'a message'
echo '  link     a'
exit "$1"
END2
chmod +x "$work/pretended"
prints() { # STATUS EXPECTED COMMAND...
    expected=$1 text=$2
    shift 2
    "$@" >"$work/said" 2>&1
    got=$?
    cat "$work/said"
    echo "exit status $got"
    [ $got -eq "$expected" ] && [ "$(cat "$work/said")" = "$text" ]
}
claim "the first build prints one line, and what is not a step" prints 0 \
    "building the grader; this happens once (2 steps)
a warning
a message" grader/tools/first.sh 'the grader' "$work/pretended" 0
cat >"$work/others" <<'END2'
#!/bin/sh
[ "${1:-}" != -n ] || echo "echo '  compile  a.c'"
[ "${1:-}" = -n ] || printf '%s\n' "make[2]: 'a' is up to date." "make: Nothing to be done for 'b'."
END2
chmod +x "$work/others"
claim "what make says about finished targets is hidden" prints 0 \
    "building the grader; this happens once (1 step)" grader/tools/first.sh 'the grader' "$work/others"
claim "a failed first build fails" prints 3 \
    "building the grader; this happens once (2 steps)
a warning
a message" grader/tools/first.sh 'the grader' "$work/pretended" 3
claim "a later build of a few steps says nothing of itself" prints 0 \
    "a warning
a message" grader/tools/first.sh '' "$work/pretended" 0
cat >"$work/many" <<'END2'
#!/bin/sh
[ "${1:-}" != -n ] || seq -f "echo '  compile  %g.c'" 12
END2
chmod +x "$work/many"
claim "one of many steps says that it compiles" prints 0 "compiling what has changed (12 steps)" grader/tools/first.sh '' "$work/many"
cat >"$work/hundred" <<'END2'
#!/bin/sh
[ "${1:-}" != -n ] || exec seq -f "echo '  compile  %g.c'" 102
seq -f '  compile  %g.c' 102
END2
chmod +x "$work/hundred"
claim "into a file, a long build says how far it is" prints 0 "compiling what has changed (102 steps)
  21 of 102
  42 of 102
  63 of 102
  84 of 102" grader/tools/first.sh '' "$work/hundred"
claim "if nothing is to be built, nothing is said" prints 0 "" grader/tools/first.sh 'the grader' true
printf '#!/bin/sh\necho "make: \047a\047 is up to date."\n' >"$work/finished"
chmod +x "$work/finished"
claim "nor what make says then" prints 0 "" grader/tools/first.sh 'the grader' "$work/finished"

# With -n it prints $PLAN, otherwise it says that it runs.
printf '%s\n' '#!/bin/sh' '[ "$1" = -n ] && { echo "$PLAN"; exit "${PLANS:-0}"; }' 'echo ran' >"$work/planned"
chmod +x "$work/planned"
claim "where make would run no command, it is not started again" prints 0 "" \
    env PLAN=: grader/tools/first.sh 'the grader' "$work/planned"
claim "where it would run one, it is" prints 0 "ran" env PLAN='touch a' grader/tools/first.sh '' "$work/planned"
claim "and where it cannot tell" prints 0 "ran" env PLAN= PLANS=2 grader/tools/first.sh '' "$work/planned"

# ---- a fresh workbook ------------------------------------------------------------------------

mkdir "$work/fresh"
for part in Makefile grader labs datasets $(ls -d solutions 2>/dev/null); do
    ln -s "$root/$part" "$work/fresh/$part"
done
cd "$work/fresh" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD B LAB EX SRC

steps() { # WORDS...: what make would compile and link
    mkdir -p build
    BUILD_LOCK=held make -n CHECKED=1 "$@" >"$work/steps" 2>&1 || { cat "$work/steps"; return 1; }
    sed -n "s/^echo '  \([cl].*\)'\$/\1/p" "$work/steps"
}
only_lab_1() {
    steps needs-check EX=1.1 >"$work/list"
    cat "$work/list"
    grep -q 'solutions/01_simple_attention/attention.c' "$work/list" &&
        grep -q 'link .*build/one/01/grade' "$work/list" &&
        ! grep -qE '(exercises|solutions)/(lab)?(0[2-9]|1[01])|solutions/fast|gpu/runtime|grade-class|attnmap' "$work/list"
}
claim "make check EX=1.1 builds nothing of another lab" only_lab_1
known_experiments() {
    steps needs-experiment NAME=loss >"$work/list" && grep 'link .*/train$' "$work/list" &&
        steps needs-experiment NAME=lose >"$work/list" && ! grep . "$work/list"
}
claim "make experiment builds nothing for a name that does not exist" known_experiments
fast_twins() { # however SRC names them
    for src in solutions/fast ./solutions/fast/ "$root/solutions/fast"; do
        steps needs-check EX=1.1 SRC="$src" >"$work/list"
        cat "$work/list"
        grep -q 'solutions/fast/common/tile_product.c' "$work/list" || return 1
    done
}
[ ! -d solutions/fast ] || claim "with SRC=solutions/fast it builds what the fast twins share" fast_twins
uses_earlier_labs() {
    steps needs-check LAB=4 >"$work/list"
    cat "$work/list"
    for lab in 02 03 04; do
        grep -q "exercises/lab$lab.c" "$work/list" || return 1
    done
    ! grep -qE 'exercises/lab(05|06|07|08|09|10|11)' "$work/list"
}
claim "make check LAB=4 builds labs 1 to 4" uses_earlier_labs
all_at_once() {
    make -n check EX=1.1 SETUP=skip >"$work/list" 2>&1
    cat "$work/list"
    grep -q -e "first.sh .* -j$(nproc) needs-check" "$work/list"
}
claim "make check uses all processors without being asked" all_at_once
asks_first() { # MESSAGE TARGET: before it builds
    make "$2" SETUP=skip >"$work/list" 2>&1
    got=$?
    cat "$work/list"
    [ $got -eq 2 ] && [ "$(wc -l <"$work/list")" -eq 1 ] && grep -q "$1" "$work/list"
}
for target in watch unit explore plot ask handin; do
    claim "make $target without a lab asks for one before it builds" asks_first "say which lab: make $target LAB=3" $target
done
claim "make hint without an exercise asks for one before it builds" asks_first "say which exercise" hint
announced() { make -n learn SETUP=skip | grep -q "first.sh 'make learn'"; }
claim "the first make learn is built under one line, too" announced
without_terminal() { # at once: nothing is built
    make learn SETUP=skip </dev/null >"$work/list" 2>&1
    got=$?
    cat "$work/list"
    [ $got -eq 2 ] && [ "$(grep -c . "$work/list")" -eq 3 ] && grep -q "^learn: needs a terminal" "$work/list"
}
claim "make learn without a terminal says that it needs one before it builds" without_terminal
chosen() {
    make -n -j3 check EX=1.1 SETUP=skip >"$work/list" 2>&1
    cat "$work/list"
    ! grep -q -e "-j$(nproc) needs-check" "$work/list"
}
claim "make -j3 keeps its three processes" chosen
told() { # although build/grade is there now
    make -n check EX=1.1 SETUP=skip | grep -q "needs-check JUDGED_BY=build/one/01/grade" || return 1
    touch build/grade
    steps needs-check EX=1.1 JUDGED_BY=build/one/01/grade >"$work/list"
    rm build/grade
    grep -q 'link .*build/one/01/grade' "$work/list"
}
claim "two makes in a new clone: each builds the grader that it will call" told
later() { # the grader is there, the worked examples are not
    touch build/grade
    make -n unit EX=1.1 SETUP=skip >"$work/list"
    rm build/grade
    cat "$work/list"
    grep -q "first.sh 'make unit'" "$work/list"
}
claim "so is what the first make unit needs, after make check" later
edited() { # everything that make unit needs was built
    mkdir -p build/unit/labs/01
    touch build/grade build/unit/labs/01/test_attention
    make -n unit EX=1.1 SETUP=skip >"$work/list"
    rm -r build/grade build/unit
    cat "$work/list"
    grep -q "first.sh ''" "$work/list"
}
claim "after an edit, nobody says that make unit is built once" edited
questions() { # make ask itself is there, the values of this lab's questions are not
    touch build/grade build/ask
    make -n ask LAB=3 SETUP=skip >"$work/list"
    rm build/grade build/ask
    cat "$work/list"
    grep -q "first.sh 'make ask'" "$work/list"
}
[ ! -d solutions ] || claim "so is what the questions of another lab need" questions
whole_grader() {
    steps needs-check >"$work/list"
    grep -q 'link .*build/grade$' "$work/list" && ! grep -q build/one "$work/list"
}
claim "make check of all labs builds the whole grader" whole_grader

exit $status
