#!/bin/sh
# test_tools.sh - the scripts in grader/tools work as documented. More about them:
#
#   test_tools_labs.sh       skeletons, sections, reset, the lists of labs
#   test_tools_make.sh       what make says of its variables and targets
#   test_tools_mutants.sh    changes of a solution
#   test_tools_setup.sh      packages
#   test_tools_unit.sh       worked examples, and functions that are not written
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/tools/workspace.sh

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

exit $status
