#!/bin/sh
# attack.sh - attacks the grader, and checks the host afterwards (make attack).
#
#   attack.sh                      everything
#   attack.sh 1.3-fork-bomb.c ...  only these attacks; `files` stands for those with unusual files
#   attack.sh --tap ...            for run_tests.sh: a line "ok - attack::NAME" for each
#
# Every attack is graded in a box (build/grade check --untrusted), while an honest submission is
# graded repeatedly in parallel. Prints a line for each attack: whether the grader held, the
# attack, the expected and the actual result. The attacks are the files of
# grader/tests/submissions/hostile, whose first line gives the expected result, and those below,
# which need other kinds of files.
#
# Afterwards, it checks for leftover processes, files outside build/ and listening sockets, and
# that the honest submission always got the same marks.
#
# Exit status: 0 the grader held; 1 an attack succeeded; 2 no such attack; 3 boxes do not work
# on this machine, so nothing was tried.
set -u
cd "$(dirname "$0")/../.." || exit 3
root=$(pwd)
hostile=${HOSTILE:-grader/tests/submissions/hostile}
honest_tree=${HONEST:-solutions} # the tests use other programs here, to see the script fail
work=build/attack.$$ # another run may be using it
tap=
if [ "${1:-}" = --tap ]; then
    tap=yes
    shift
fi

if ! build/grade walls | grep -q '^box available'; then
    reason=$(build/grade walls | sed -n 's/^box //p')
    [ -z "$tap" ] || echo "ok - attack::all # SKIP $reason"
    [ -n "$tap" ] || echo "attack: $reason" >&2
    exit 3
fi

rm -rf "$work"
mkdir -p "$work"
honest=
trap 'touch "$work/stop"; [ -z "$honest" ] || wait "$honest"; rm -rf "$work"' EXIT
held=0 through=0

say() { # ok|no name expected got
    if [ "$1" = ok ]; then held=$((held + 1)); else through=$((through + 1)); fi
    if [ -n "$tap" ]; then
        [ "$1" = ok ] && printf 'ok - attack::%s\n' "$2"
        [ "$1" = ok ] || printf 'not ok - attack::%s expected %s, got %s\n' "$2" "$3" "$4"
    else
        word=held
        [ "$1" = ok ] || word='GOT THROUGH'
        printf '%-12s %-50s %-12s %s\n' "$word" "$2" "$3" "$4"
    fi
}

# The verdict of one exercise: "wrong: ...", "pass" or "nocompile", from a report on standard input.
verdict_of() { # exercise
    LC_ALL=C awk -v id="$1" '$2 == id {
        if ($1 ~ /\342\234\223/) { print "pass" } # a tick
        else if (/  does not compile$/) { print "nocompile" }
        else { sub(/^[^:]*[0-9] +/, ""); print }
        exit
    }'
}

grade() { # tree exercise [options]: the verdict's line
    tree=$1 exercise=$2
    shift 2
    build/grade check --untrusted --no-color --src "$tree" --exercise "$exercise" "$@" \
        >"$work/report" 2>"$work/error"
    verdict_of "$exercise" <"$work/report"
}

expect() { # name expected got: the verdict, and where it matters words of the report
    case $3 in
    "$2" | "$2:"*) say ok "$1" "$2" "$3" ;;
    *) say no "$1" "$2" "${3:-$(head -n 1 "$work/error")}" ;;
    esac
}

# ---- an honest neighbor ------------------------------------------------------------------

honest_neighbor() {
    while [ ! -e "$work/stop" ]; do
        build/grade check --untrusted --no-color --src "$honest_tree" --lab 1 \
            >"$work/honest-report" 2>&1
        marks=$(grep -a 'of 100 points  seed' "$work/honest-report" | sed 's/  seed.*//')
        echo "${marks:-no report}" >>"$work/honest"
        [ "$marks" = '100 of 100 points' ] || cat "$work/honest-report" >>"$work/honest-other"
    done
}

# ---- attacks by a function ----------------------------------------------------------------

by_function() { # snippet
    read -r _ exercise _ expected _ <"$1"
    name=${1##*/}
    backend=cpu
    case $name in *.cu) backend=gpu-simulated ;; esac
    grader/tools/transplant.sh "$1" "$work/$name" || exit 3
    expect "$name" "$expected" "$(grade "$work/$name" "$exercise" --backend $backend)"
    rm -rf "${work:?}/$name"
}

# ---- attacks by files ---------------------------------------------------------------------

file=01_simple_attention/attention.c

fresh() { # an honest tree, to be changed
    rm -rf "$work/tree"
    mkdir -p "$work/tree"
    cp -R solutions/01_simple_attention "$work/tree/"
    printf '%s' "$work/tree"
}

spoilt() { # name what-the-report-must-say: refused, with that reason
    got=$(grade "$work/tree" 1.3)
    if grep -q "$2" "$work/report"; then
        expect "$1" nocompile "$got"
    else
        say no "$1" "nocompile: $2" "$got"
    fi
}

by_files() {
    tree=$(fresh)
    rm "$tree/$file" && ln -s "$root/solutions/$file" "$tree/$file"
    spoilt file-is-a-link 'attention.c is a symbolic link, not a file'

    tree=$(fresh)
    rm "$tree/$file" && ln -s /dev/zero "$tree/$file"
    spoilt file-is-a-link-to-a-device 'attention.c is a symbolic link, not a file'

    tree=$(fresh)
    rm "$tree/$file" && mkfifo "$tree/$file"
    spoilt file-is-a-pipe 'attention.c is a pipe, not a file'

    tree=$(fresh)
    rm "$tree/$file" && mkdir "$tree/$file"
    spoilt file-is-a-folder 'attention.c is a folder, not a file'

    tree=$(fresh)
    cp "$tree/$file" "$work/original" # not of solutions/, because the neighbor hands that in
    ln -f "$work/original" "$tree/$file"
    spoilt file-is-a-hard-link 'second name'

    tree=$(fresh)
    rm -r "$tree/01_simple_attention" && ln -s "$root/solutions/01_simple_attention" "$tree/"
    spoilt folder-is-a-link 'is not a folder'

    tree=$(fresh)
    dd if=/dev/zero of="$tree/$file" bs=1024 count=2048 2>/dev/null
    spoilt file-is-too-large 'at most'

    tree=$(fresh)
    head -c 100000 /dev/urandom >"$tree/$file"
    spoilt file-is-noise 'does not compile'

    # Names with a special meaning for a shell or a compiler.
    tree=$(fresh)
    for odd in -o @file '$(touch hacked)' 'attention.c;touch hacked' '`touch hacked`' \
        'a
b' ' ' "'" '*' .gdbinit specs; do
        echo "int x = ;" >"$tree/01_simple_attention/$odd"
    done
    expect odd-names-beside-it pass "$(grade "$tree" 1.3)"

    fresh >/dev/null
    odd=$work/'a b;$(touch hacked)"'"'"'
-I*'
    mv "$work/tree" "$odd"
    expect odd-name-of-the-submission pass "$(grade "$odd" 1.3)"
    rm -rf "$odd"

    # Only the contract's files of a submission are readable.
    tree=$(fresh)
    echo '#define sqrt(x) 1.0' >"$tree/01_simple_attention/mine.h"
    sed -i '1i #include "mine.h"' "$tree/$file"
    spoilt own-header-beside-it 'mine.h: No such file'

    tree=$(fresh)
    echo '#error mine' >"$tree/01_simple_attention/attention.h"
    expect header-of-the-contract-replaced pass "$(grade "$tree" 1.3)"

    tree=$(fresh)
    mkdir -p "$work/other"
    cp -R solutions/01_simple_attention "$work/other/"
    echo "#include \"$root/$work/other/$file\"" >"$tree/$file"
    spoilt other-submission-by-its-path 'No such file'
    tree=$(fresh)
    echo '#include "../../other/01_simple_attention/attention.c"' >"$tree/$file"
    spoilt other-submission-beside-it 'No such file'

    by_stand_ins
    by_reports
    by_interruption
}

# If 1.3 fails, the workbook's own version is linked, so nothing that 1.6 prints, returns or
# exits with may be in a report. Each of these attacks tries to leak leaked41 or a number with a
# 41 in it.
by_stand_ins() {
    for snippet in "$hostile"/1.6-forges-*.c "$hostile"/1.6-returns-*.c; do
        name=$(basename "$snippet" .c)-beside-ours
        rm -rf "$work/tree"
        grader/tools/transplant.sh grader/tests/submissions/wrong/1.3-attention_scores.c@no-scale "$snippet" \
            "$work/tree" || exit 3
        grade "$work/tree" 1.6 --json "$work/r.json" --junit "$work/r.xml" >/dev/null
        told=$(grep -ah -m 1 'leaked41\|4141' "$work/report" "$work/r.json" "$work/r.xml")
        if grep -q "judged with the workbook's own 1.3" "$work/report" && [ -z "$told" ]; then
            say ok "$name" "nothing told" "nothing told"
        else
            say no "$name" "nothing told" "${told:-no report}"
        fi
    done
}

# Reports must stay readable for other programs, whatever a student prints.
by_reports() {
    for name in 1.3-breaks-the-report 1.3-breaks-the-compilers-message; do
        rm -rf "$work/tree"
        grader/tools/transplant.sh "$hostile/$name.c" "$work/tree" || exit 3
        grade "$work/tree" 1.3 --json "$work/r.json" --junit "$work/r.xml" >/dev/null
        if ! command -v python3 >/dev/null; then
            [ -z "$tap" ] || echo "ok - attack::$name-leaves-the-files-whole # SKIP no python3"
            continue
        fi
        if python3 -c 'import json, sys, xml.dom.minidom as x
json.load(open(sys.argv[1], encoding="utf-8")); x.parse(sys.argv[2])' \
            "$work/r.json" "$work/r.xml" 2>"$work/error"; then
            say ok "$name-leaves-the-files-whole" "JSON, XML" "JSON, XML"
        else
            say no "$name-leaves-the-files-whole" "JSON, XML" "$(tail -n 1 "$work/error")"
        fi
        escape=$(printf '\033')
        if grep -aq "$escape" "$work/report"; then
            say no "$name-on-a-terminal" "no escapes" "escapes"
        else
            say ok "$name-on-a-terminal" "no escapes" "no escapes"
        fi
    done
}

# The worker and its children, found by the path of the worker, in any box.
boxed_processes() { # path in the command line
    for process in /proc/[0-9]*; do
        if { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -q "^$1[^ ]*\.worker"; then
            echo "${process#/proc/}"
        fi
    done
}

# Repeats a command until it succeeds, for at most two minutes, because the machine may be busy.
waits_for() {
    end=$(($(date +%s) + 120))
    until "$@"; do
        [ "$(date +%s)" -lt "$end" ] || return 1
        sleep 0.1
    done
}

by_interruption() {
    # No box, no marks.
    fresh >/dev/null
    mkdir -p "$work/empty"
    PATH=$work/empty build/grade check --untrusted --src "$work/tree" --lab 1 \
        >"$work/report" 2>"$work/error"
    status=$?
    if [ $status -eq 3 ] && [ ! -s "$work/report" ] &&
        [ "$(wc -l <"$work/error")" -eq 1 ]; then
        say ok no-bubblewrap "exit 3" "$(cat "$work/error")"
    else
        say no no-bubblewrap "exit 3" "exit $status"
    fi

    # If the grader is killed while a worker sleeps, nothing must continue.
    rm -rf "$work/tree"
    grader/tools/transplant.sh "$hostile/1.3-ignores-signals.c" "$work/tree" || exit 3
    build/grade check --untrusted --src "$work/tree" --exercise 1.3 >/dev/null 2>&1 &
    grader=$!
    worker_runs() { [ -n "$(boxed_processes "$root/build/tmp/$grader\.")" ]; }
    worker_gone() { ! worker_runs; }
    if ! waits_for worker_runs; then
        say no grader-is-killed "a worker" "no worker was seen"
        return
    fi
    kill -KILL "$grader"
    wait "$grader" 2>/dev/null
    if waits_for worker_gone; then
        say ok grader-is-killed "nothing left" "nothing left"
    else
        say no grader-is-killed "nothing left" "$(boxed_processes "$root/build/tmp/$grader\.")"
    fi
}

# ---- the host afterwards ------------------------------------------------------------------

# If root grades, boxes run as users 60000 to 60999; see grader/sandbox/box.h. Otherwise they
# run as the current user, who may have other files in /tmp.
if [ "$(id -u)" -eq 0 ]; then
    box_users='-uid +59999 -uid -61000' shared='/tmp /var/tmp /dev/shm'
else
    box_users="-uid $(id -u)" shared=
fi

# Lists files that the box's users have created since the start. Other users' files do not
# matter.
new_files() {
    # shellcheck disable=SC2086 # several words, or none
    find . $shared -xdev -newer "$work/begin" $box_users ! -type d ! -path './build/*' \
        ! -path './.git*' 2>/dev/null | head -n 3
    # Files created by a command in a file name belong to the grading user.
    find . -xdev -name 'hacked*' ! -path './.git*' | head -n 3
}

# ps may not be installed.
orphans_of_boxes() {
    cat /proc/[0-9]*/status 2>/dev/null | awk '
        /^Pid:/ { pid = $2 }
        /^PPid:/ { parent = $2 }
        /^Uid:/ && $2 >= 60000 && $2 <= 60999 && parent == 1 { print " " pid }'
}

host_is_untouched() {
    left=$(boxed_processes "$root/build/tmp/")
    [ "$(id -u)" -ne 0 ] || left="$left$(orphans_of_boxes)"
    [ -z "$left" ] && say ok host-processes "none left" "none left" ||
        say no host-processes "none left" "$left"

    new=$(new_files)
    [ -z "$new" ] && say ok host-files "none outside" "none outside of build/" ||
        say no host-files "none outside" "$new"

    ears=$(cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null |
        awk '$8 >= 60000 && $8 <= 60999 { print $2 }')
    [ -z "$ears" ] && say ok host-network "none listens" "none listens" ||
        say no host-network "none listens" "$ears"

    [ -n "$tap" ] || head -n 40 "$work/honest-other" 2>/dev/null
    marks=$(sort "$work/honest" | uniq -c | sed 's/^ *//')
    case $marks in
    *' 100 of 100 points')
        [ "$(echo "$marks" | wc -l)" -eq 1 ] &&
            say ok honest-neighbor "100 points" "${marks%% *} times 100 of 100 points" ||
            say no honest-neighbor "100 points" "$marks"
        ;;
    *) say no honest-neighbor "100 points" "$marks" ;;
    esac
}

[ -n "$tap" ] || printf '%-12s %-50s %-12s %s\n' '' attack expected 'what happened'
touch "$work/begin"
honest_neighbor &
honest=$!

if [ $# -eq 0 ]; then
    for snippet in "$hostile"/*.c "$hostile"/*.cu; do
        by_function "$snippet"
    done
    by_files
fi
for name in "$@"; do
    if [ "$name" = files ]; then
        by_files
    elif [ -f "$hostile/$name" ]; then
        by_function "$hostile/$name"
    else
        echo "attack: there is no $hostile/$name" >&2
        exit 2
    fi
done

touch "$work/stop"
wait "$honest"
honest=
host_is_untouched
if [ -z "$tap" ]; then
    echo
    echo "$held held, $through got through"
fi
[ "$through" -eq 0 ]
