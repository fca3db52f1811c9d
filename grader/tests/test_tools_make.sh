#!/bin/sh
# test_tools_make.sh - what make says of its variables and targets.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/tools/workspace.sh

mkdir -p solutions/02_second solutions/03_third labs/02_second
touch $stub solutions/02_second/second.c solutions/03_third/third.c solutions/01_first/first.cu
touch grader/exercises/lab01.c grader/exercises/lab02.c grader/exercises/lab03.c
grader/tools/list_labs.sh build/gen

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
claim "an exercise is no target" says "there is no target .1.1.: write make check EX=1.1" make -s check 1.1
claim "nor is a lab" says "there is no target .2.: write make learn LAB=2" make -s learn 2
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
claim "an unknown attack is refused before anything is built" says "there is no attack foo; they are the files of grader/tests/submissions/hostile" make -s attack NAME=foo
claim "so is an unknown exercise of make mutants" says "there is no exercise 1.99" make -s mutants EX=1.99
claim "so is a folder of make cuda-corpus that is not there" says "DIR=/none: there is no such folder" make -s cuda-corpus DIR=/none
plans_only() { # make -n with another compiler shows that everything would be compiled, and remembers nothing
    echo 'gcc g++ -O3 -g -fno-math-errno' >build/flags
    cp build/flags flags
    env -u MAKELEVEL -u MAKEFLAGS make -n build/obj/labs/common/x.o SETUP=skip CC=${other:-cc} >said 2>&1
    cat said
    cmp flags build/flags
}
claim "make -n with another compiler leaves build/flags alone" plans_only
rm -f build/flags
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
