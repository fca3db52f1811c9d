#!/bin/sh
# test_ask.sh - the questions of make ask: every question of every lab with its right and its wrong
# answers, and build/ask with bad input.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
unset NO_COLOR MAKEFLAGS MFLAGS MAKELEVEL LAB EX SRC
B=${BUILD:-build}
ask=$B/ask
mkdir -p build/tmp
work=$(mktemp -d build/tmp/ask.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

answering() { # INPUT COMMAND...
    printf -- "$1" >"$work/input"
    shift
    "$@" <"$work/input"
}

# ---- every question of every lab -----------------------------------------------------------------

squeezed() { tr -s '[:space:]' ' ' <"$1"; }

ten_or_more() { # QUESTIONS
    all=$(grep -c '^## ' "$1") predict=$(grep -c '^## predict ' "$1")
    echo "$all questions, $predict of them predict"
    [ "$all" -ge 10 ] && [ $((2 * predict)) -ge "$all" ] &&
        grep -q '^## choose ' "$1" && grep -q '^## order ' "$1" && grep -q '^## explain ' "$1"
}
each_value_is_asked() { # QUESTIONS VALUES
    sed -n 's/^= \([^ ]*\).*/\1/p' "$1" | sort >"$work/asked"
    sed -n 's/^@ \([^ ]*\) .*/\1/p' "$2" | sort >"$work/computed"
    diff "$work/asked" "$work/computed"
}
# Never two empty lines, also in the last question, behind which the values are read.
no_gaps() { # QUESTIONS VALUES
    "$ask" "$1" "$2" --question "$(grep -c '^## ' "$1")" </dev/null 2>&1 | awk '
        /^ *$/ { if (++empty > 1) { print "line " NR; wrong = 1 } next } { empty = 0 } END { exit wrong }'
}
# Asks each question once for each of its answers: the right one is accepted, and each wrong one is
# answered with its sentence.
judges_each_answer() { # QUESTIONS VALUES
    "$ask" "$1" "$2" --answers >"$work/answers" || return 1
    fine=yes
    while IFS="$(printf '\t')" read -r number what answer reason; do
        case $what in
        right) printf '%s\n' "$answer" ;;
        wrong) printf '%s\n?\n' "$answer" ;;
        points) echo 'it follows from this' && echo && yes | head -n "$answer" ;;
        esac >"$work/input"
        "$ask" "$1" "$2" --question "$number" <"$work/input" >"$work/asked" 2>&1
        got=$?
        case $what in
        right) [ "$got" -eq 0 ] && grep -qx '  Right\.' "$work/asked" ;;
        wrong)
            [ "$got" -eq 1 ] && ! grep -qx '  Right\.' "$work/asked" &&
                squeezed "$work/asked" | grep -qF "Not quite: $reason "
            ;;
        points) [ "$got" -eq 0 ] && grep -q "$answer of $answer points" "$work/asked" ;;
        esac || {
            echo "question $number, $what $answer: status $got, and it prints"
            cat "$work/asked"
            fine=no
        }
    done <"$work/answers"
    [ "$fine" = yes ] && [ "$(grep -cE '	(right|points)	' "$work/answers")" -eq "$(grep -c '^## ' "$1")" ]
}
# The student archive has one file, in which no answer can be read.
same_when_covered() { # QUESTIONS VALUES
    awk -f grader/tools/cover_questions.awk "$2" "$1" >"$work/covered"
    "$ask" "$1" "$2" --answers >"$work/answers"
    [ -s "$work/answers" ] && "$ask" "$work/covered" --answers | diff "$work/answers" - &&
        ! cut -f 4 "$work/answers" | cut -c 1-40 | grep -E '.{15}' | grep -nFf - "$work/covered" &&
        ! grep -nE '^[-=!+>*:@] ' "$work/covered"
}
# The values that labs/NN/predict.c computes do not depend on the machine, beyond rounding.
for questions in labs/[0-9]*/questions.txt; do
    folder=${questions%/*} lab=${questions#labs/}
    lab=${lab%%_*}
    values=$work/values.$lab
    claim "lab $lab: ten questions or more, half of them predict" ten_or_more "$questions"
    claim "lab $lab: predict.c computes its values with the solutions" \
        sh -c "'$B/predict/solutions/$lab' >'$values'"
    claim "lab $lab: no gaps in the last question" no_gaps "$questions" "$values"
    claim "lab $lab: each value of predict.c is asked for, once" each_value_is_asked "$questions" "$values"
    claim "lab $lab: right answers are accepted, and each wrong one gets its sentence" \
        judges_each_answer "$questions" "$values"
    claim "lab $lab: the student archive has the same questions" same_when_covered "$questions" "$values"
    claim "lab $lab: the handout points to make ask" grep -q "make ask LAB=${lab#0}\`" "$folder/README.md"
done

# ---- a small file --------------------------------------------------------------------------------

cat >"$work/q" <<'END'
# A comment.
## predict a third
What is 1/3?
= third 1%
! 3 | That is its inverse.
: It is 0.333.
  And it goes on.

## choose one of two
Which?
+ this
- that | Not that.
: This one.

## order three
In which order?
> first
> second
> third
! 2 1 3 | The first comes first.
: As they say.

## explain why
Why?
* because
* therefore
: That is all.
END
echo '@ third 0.333333333' >"$work/v"
q=$work/q
quiz() { "$ask" "$q" "$work/v" "$@"; }
piped() { # INPUT ARGUMENTS...
    input=$1
    shift
    answering "$input" quiz "$@"
}

claim "--help lists the options" says 0 "--question N" "$ask" --help
claim "an unknown option is refused" one_line 2 "unknown option --quesion" quiz --quesion=1
claim "a number of a question that is no number is refused" one_line 2 "--question takes a whole number" quiz --question x
claim "question 0 is refused" one_line 2 "--question" quiz --question 0
claim "a question that is not there is refused" one_line 2 "there are 4 questions" quiz --question 5
claim "no file is refused" one_line 2 "which questions?" "$ask"
claim "a missing file is refused" one_line 2 "cannot read $work/no: No such file" "$ask" "$work/no"
claim "a folder in place of a file is refused" one_line 2 "cannot read $work: Is a directory" "$ask" "$work"
claim "a full disk is an error" sh -c "! '$ask' '$q' '$work/v' --list >/dev/full 2>/dev/null"

claim "a fraction is a number" says 0 "  Right." piped '1/3\n' --question 1
claim "per cent are a number" says 0 "  Right." piped ' 33.4%% \n' --question 1
claim "a value outside the tolerance is wrong" says 1 "closer to 0" piped '0.34\n?\n' --question 1
claim "a wrong sign is named" says 1 "the other sign" piped '-0.333\n' --question 1
claim "NaN is not right" says 1 "No, it is a number" piped 'nan\n' --question 1
claim "a word is no number" says 0 "A number, please" piped 'third\n1/3\n' --question 1
claim "what cannot be read is no wrong answer" says 0 "Right." piped 'x\nx\nx\nx\n1/3\n' --question 1
claim "an empty line is no number" says 0 "A number, please" piped '\n1/3\n' --question 1
claim "a letter that is not there is refused" says 1 "One letter, please, from a to b" piped 'c\n' --question 2
claim "two letters are refused" says 1 "One letter, please" piped 'ab\n' --question 2
claim "an order that is too short is refused" says 1 "Each letter once" piped 'ab\n' --question 3
claim "an order with a letter twice is refused" says 1 "Each letter once" piped 'aab\n' --question 3
claim "after three wrong answers the answer is shown" says 1 "The value is 0.333333." piped '3\n2\n4\n' --question 1
claim "before the third try it says so" says 1 "One more try; then you see the answer." piped '3\n2\n4\n' --question 1
no_hint_above() { # N INPUT ARGUMENTS...: of three wrong answers, only the first N get a hint
    hints=$1
    shift
    piped "$@" >"$work/said"
    cat "$work/said"
    [ "$(grep -cE 'closer to 0|of 3 (is|are) right|Something else' "$work/said")" -eq "$hints" ]
}
claim "the third wrong number gets no hint: the answer stands below" no_hint_above 2 '3.5\n2\n4\n' --question 1
claim "nor does the third wrong order" no_hint_above 2 'cab\ncab\ncab\n' --question 3
claim "? shows the answer" says 1 "The value is 0.333333." piped '?\n' --question 1
claim "q ends" says 1 "question 1 of 4" piped 'q\n1/3\n' --question 1
claim "q does not show the answer" sh -c "! grep -q 'The value' '$work/said'"
claim "the end of the input before the last question is an error" says 1 "0 of 4 questions answered" piped '' --title T
claim "the end of the input within an explanation ends" says 1 "Write your explanation" piped 'since\n' --question 4
ends_quietly() { # make ask
    make --no-print-directory SETUP=skip B="$B" ask LAB=1 Q=1 SRC=solutions </dev/null >"$work/said" 2>&1
    cat "$work/said"
    grep -q 'question 1 of' "$work/said" && ! grep -qF '***' "$work/said"
}
claim "make prints nothing about answers that ended early" ends_quietly
claim "a last line without its end counts" says 0 "Right." piped '1/3' --question 1
claim "a zero byte is no answer" says 1 "A number, please" sh -c "printf '\\0\\n' | '$ask' '$q' '$work/v' --question 1"
long() { head -c 1000000 /dev/zero | tr '\0' 7 | quiz --question 2; }
claim "a very long line is no answer" says 1 "One letter, please" long
claim "CR LF ends a line" says 0 "Right." piped '1/3\r\n' --question 1
claim "missing points count" says 0 "1 of 2 points" piped 'it follows from this\n\ny\nn\n' --question 4
claim "a sentence is not asked for again" sh -c "! grep -q 'write a sentence' '$work/said'"
claim "two words are" says 0 "Please write a sentence" piped 'just so\n\nas both of them are 1\n\ny\ny\n' --question 4
claim "so is an empty explanation" says 0 "Please write a sentence" piped '\nas both of them are 1\n\ny\ny\n' --question 4
claim "once: an empty line continues without one" says 0 "1 of 2 points" piped 'so\n\n\ny\nn\n' --question 4
claim "q ends an explanation, too" says 1 "write a sentence" piped 'so\n\nq\ny\ny\n' --question 4
whole_lab() {
    order=$(quiz --answers | sed -n 's/^3	right	\([a-c]*\)	.*/\1/p')
    piped "1/3\\n?\\n$order\\nit follows from this\\n\\ny\\ny\\n" --title T
}
claim "a lab may be answered in one go" says 0 "4 of 4 questions answered: 3 right at the first try, 0 later, 1 with the answer shown" \
    whole_lab

# ---- progress ------------------------------------------------------------------------------------

progress=$work/progress
claim "an answer is remembered" says 1 "T: 1 of 4 questions answered: 1 right at the first try" piped '1/3\n' --title T --progress "$progress"
claim "--list shows what was answered" says 0 "  1  first  predict  a third" quiz --list --progress "$progress"
claim "an answered question is not asked again" says 1 "question 2 of 4" piped '' --progress "$progress"
claim "except with --question" says 1 "question 1 of 4" piped '?\n' --question 1 --progress "$progress"
claim "the first answer is the one that counts" says 0 "  1  first  predict" quiz --list --progress "$progress"
claim "nothing else is written" [ "$(ls -A "$work" | grep -c '^progress')" -eq 1 ]
printf 'first\nfirst\tno such title\nbest\ta third\n\t\n' >"$work/odd"
no_states() { quiz --list --title T | tee "$work/said" && grep -qx "T: 0 of 4 questions answered" "$work/said"; }
claim "before the first answer it counts none" no_states
claim "a damaged file of progress counts as empty" says 0 "0 of 4 questions answered" quiz --list --progress "$work/odd"
claim "progress that cannot be written is said" says 0 "cannot write $work/no/p: No such file" \
    piped '1/3\n' --question 1 --progress "$work/no/p"

# ---- your own code -------------------------------------------------------------------------------

program() { # LINES: what the program of --run does
    { echo '#!/bin/sh' && echo "$1"; } >"$work/run"
    chmod +x "$work/run"
}
running() { piped '1/3\n' --question 1 --run "$work/run"; }
claim "code that does not compile is said" says 0 "Your code does not compile yet" running
program 'printf "noise\n@ third 0.333\n"'
claim "the value of your code is shown" says 0 "Your own code computes 0.333." running
program 'echo "@ $1 0.5"'
claim "a wrong value of your code is named" says 0 "computes 0.5, which is not right" running
program 'echo "@ other 0.333"'
claim "another value does not count" says 0 "it gives no value" running
program 'kill -SEGV $$'
claim "a crash is said" says 0 "it crashes" running
program 'echo "predict: third: not written yet" >&2; exit 1'
claim "code that is not written yet is said" says 0 "it is not written yet" running
program 'yes | head -c 3000000; echo; echo "@ third 0.333"'
claim "code may print a lot" says 0 "Your own code computes 0.333." running
program 'read -r x && echo "@ third $x"'
claim "code does not get the answers" says 0 "it gives no value" running

# ---- Ctrl-C --------------------------------------------------------------------------------------

mkfifo "$work/in" "$work/shown" "$work/never"
interrupted_at_a_prompt() {
    "$ask" "$q" "$work/v" --title T --progress "$work/kept" <"$work/in" >"$work/shown" 2>&1 &
    pid=$!
    exec 3>"$work/in" 4<"$work/shown"
    echo 1/3 >&3
    while read -r line <&4; do
        case $line in *'question 2 of 4'*) break ;; esac
    done
    kill -INT $pid
    exec 3>&- # whoever ignores the signal ends here
    cat <&4 >"$work/said"
    wait $pid
    got=$?
    exec 4<&-
    cat "$work/said"
    [ $got -eq 130 ] && grep -q 'T: 1 of 4 questions answered' "$work/said" && grep -q 'first	a third' "$work/kept"
}
claim "Ctrl-C ends, and what was answered is kept" interrupted_at_a_prompt
program "echo \$\$ >'$work/child'; kill -INT \$PPID; read -r x <'$work/never'"
interrupted_while_code_runs() {
    running >"$work/said" 2>&1
    got=$?
    cat "$work/said"
    [ $got -eq 130 ] && [ -s "$work/child" ] && ! kill -0 "$(cat "$work/child")" 2>/dev/null
}
claim "Ctrl-C while your code runs ends both" interrupted_while_code_runs

# ---- a terminal ----------------------------------------------------------------------------------

if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    on_terminal() { # INPUT PATTERN: what is shown, with sed's names for its characters
        printf "$1" | script -qec "env TERM=xterm $3 '$ask' '$q' '$work/v' --question 1" /dev/null >"$work/shown.tty" 2>&1
        sed -n l "$work/shown.tty" | grep -q "$2"
    }
    claim "on a terminal, a right answer is green" on_terminal '1/3\n' '\\033\[32m' ''
    claim "Ctrl-D ends" on_terminal '\004' 'question 1 of 4' ''
    stops() { # INPUT
        printf "$1" | script -qec "'$ask' '$q' '$work/v' --question 1" /dev/null
    }
    claim "to stop with q at a terminal is no error" stops 'q\n'
    claim "nor is to look at the answer" stops '?\n'
    claim "NO_COLOR turns color off" sh -c "! printf '1/3\n' | script -qec \"env NO_COLOR=1 TERM=xterm '$ask' '$q' '$work/v' --question 1\" /dev/null | sed -n l | grep -q '.033.[0-9]'"
else
    echo "ok - on a terminal # SKIP there is no script(1), or no terminal for it"
fi
claim "without a terminal there is no color" sh -c "! printf '1/3\n' | '$ask' '$q' '$work/v' --question 1 | grep -q \"\$(printf '\\033')\""

# ---- files that are not questions ----------------------------------------------------------------

refused() { # MESSAGE TEXT: the file with this text
    printf "$2" >"$work/bad"
    one_line 2 "$1" "$ask" "$work/bad" "$work/v" --list
}
claim "an empty file is refused" refused "there is no question" ''
claim "a line before the first question is refused" refused "bad:1: a line before" 'text\n'
claim "an unknown kind is refused" refused "bad:1: a question is predict, choose" '## guess a\n'
claim "a missing title is refused" refused "bad:1: the question has no title" '## choose\n'
claim "a missing text is refused" refused "bad:1: the question has no text" '## choose a\n+ a\n- b | c\n: d\n'
claim "a missing explanation is refused" refused "no explanation" '## choose a\nb\n+ a\n- b | c\n'
claim "two right options are refused" refused "choose needs one line with +" '## choose a\nb\n+ a\n+ b\n- c | d\n: d\n'
claim "a wrong option without a reason is refused" refused "bad:4: why is this wrong?" '## choose a\nb\n+ a\n- b\n: d\n'
claim "a mark of another kind is refused" refused "bad:5: a line with > does not belong to choose" '## choose a\nb\n+ a\n- b | c\n> c\n: d\n'
claim "a value that predict.c does not compute is refused" refused "computes no value fourth" '## predict a\nb\n= fourth\n! 3 | c\n: d\n'
claim "an unknown tolerance is refused" refused "how close is close enough?" '## predict a\nb\n= third near\n! 3 | c\n: d\n'
claim "two values are refused" refused "bad:4: the question has two lines with =" '## predict a\nb\n= third\n= third\n! 3 | c\n: d\n'
claim "a wrong prediction that is right is refused" refused "1/3 counts as right" '## predict a\nb\n= third\n! 1/3 | c\n: d\n'
claim "wrong predictions that are equal are refused" refused "cannot be distinguished from another" '## predict a\nb\n= third\n! 3 | c\n! 3 | d\n: d\n'
claim "a wrong prediction that is no number is refused" refused "a wrong prediction is ! number" '## predict a\nb\n= third\n! many | c\n: d\n'
claim "two steps are refused" refused "order needs at least three lines" '## order a\nb\n> c\n> d\n: e\n'
claim "a wrong order with a step twice is refused" refused "each of the numbers 1 to 3 once" '## order a\nb\n> c\n> d\n> e\n! 1 1 2 | f\n: e\n'
claim "a wrong order that is the right one is refused" refused "1 2 3 is the right order" '## order a\nb\n> c\n> d\n> e\n! 1 2 3 | f\n: e\n'
claim "a step behind a wrong order is refused" refused "the steps come before" '## order a\nb\n> c\n> d\n! 2 1 3 | f\n> e\n: e\n'
claim "one point is refused" refused "explain needs at least two" '## explain a\nb\n* c\n: e\n'
claim "too many items are refused" refused "at most 12 items" '## explain a\nb\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n* c\n'
claim "a line that continues nothing is refused" refused "bad:4: this line continues" '## choose a\nb\n+ a\nb\n'
claim "a binary file is refused" one_line 2 "a line before" "$ask" datasets/goldens/lab01.safetensors --list

# ---- make ask ------------------------------------------------------------------------------------

claim "make ask needs a lab" says 2 "LAB=" make -s ask
claim "make ask refuses an unknown lab" says 2 "there is no lab 99" make -s ask LAB=99

exit $status
