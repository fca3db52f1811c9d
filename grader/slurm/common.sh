# common.sh - shared by submit.sh (Slurm) and parallel.sh (GNU parallel), which source it: the
# command line and the run folder.
#
# The run folder, on a disk that all machines see:
#
#   cpu.options        the options of grade class, one word per line; hidden: the hidden seed
#   cpu.batch          the batch that is not complete yet, and its number of slices
#   cpu-3-of-8.db      a copy of slice 3's gradebook (grade class --copy)
#   cpu-3-of-8.done    the batch in which slice 3 was completed
#   log/               the output of the tasks
#   jobs               the numbers of the last submitted jobs, one per line
#
# With --gpus there are also files with the prefix gpu. Only the gradebook is written elsewhere.

fail() { # STATUS WHAT: 2 the command line is wrong, 3 the machine
    echo "${0##*/}: $2" >&2
    exit "$1"
}

# Makes a path absolute.
absolute() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}

whole() { # OPTION WORD
    case $2 in
    '') fail 2 "$1 needs a value" ;;
    *[!0-9]* | 0* | ?????*) fail 2 "$1 takes a whole number from 1 to 9999, not '$2'" ;;
    esac
}

# Sets class, db, tasks, cpus, run, hidden, and options for grade class, one word per line. The
# caller defines own_option OPTION VALUE, which prints the number of words it used: 0, 1 or 2.
read_command_line() {
    class= db= tasks= cpus= run= options=
    hidden=${GRADE_HIDDEN_SEED:-}
    while [ $# -gt 0 ]; do
        word=$1 value=${2-} most=$#
        case $word in
        *'
'*) fail 2 "a line break on the command line" ;;
        --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit 0 ;;
        esac
        own_option "$word" "$value"
        case $taken:$word in
        [12]:*) ;;
        *:--db) db=$(absolute "$value") taken=2 ;;
        *:--tasks) whole --tasks "$value" && tasks=$value taken=2 ;;
        *:--cpus) whole --cpus "$value" && cpus=$value taken=2 ;;
        *:--run) run=$(absolute "$value") taken=2 ;;
        *:--hidden-seed) hidden=$value taken=2 ;;
        *:--times | *:--roster | *:--extensions)
            options="$options$word
$(absolute "$value")
" taken=2
            ;;
        *:--lab | *:--seed | *:--due | *:--penalty | *:--file-times | *:--follow | *:--backend)
            options="$options$word
$value
" taken=2
            ;;
        *:--again | *:--trust | *:--sure)
            options="$options$word
" taken=1
            ;;
        *:-*) fail 2 "unknown option $word (see --help)" ;;
        *)
            [ -z "$class" ] || fail 2 "unexpected argument $word"
            class=$word taken=1
            ;;
        esac
        if [ "$taken" -gt $most ] || { [ "$taken" = 2 ] && [ -z "$value" ]; }; then
            fail 2 "$word needs a value"
        fi
        shift "$taken"
    done
    [ -n "$class" ] || fail 2 "the folder with the hand-ins is missing (see --help)"
    [ -n "$db" ] || fail 2 "say where the gradebook is: --db gradebook.db (it is made if it does not exist)"
    [ -n "$tasks" ] || fail 2 "say into how many slices: --tasks 8"
    [ -d "$class" ] || fail 2 "cannot read the folder $class"
    class=$(cd "$class" && pwd)
    run=${run:-$db.run}
    case $workbook$run$db in
    *"'"* | *%* | *\\*) fail 2 "a path contains a quote, a percent sign or a backslash: rename it" ;;
    esac
    [ -x "$workbook/build/grade-class" ] || fail 3 "build/grade-class is not built: make check builds it"
}

write() { # FILE: writes the standard input to FILE, completely or not at all
    cat >"$1.new" && mv "$1.new" "$1" || fail 3 "cannot write $1"
}

make_run_folder() {
    umask 077 # the files contain the hidden seed and the students' marks
    mkdir -p "$run/log" || fail 3 "cannot make the run folder $run"
    rm -f "$run"/*.new
}

# prepare SIDE: sets batch, and missing to the slices left to grade, separated by commas. The
# same call again continues an incomplete batch.
prepare() {
    side=$1
    printf '%s\n%s' "$class" "$options" | write "$run/$side.options.now"
    printf '%s' "$hidden" | write "$run/hidden.now"
    # Reports wrong options now, in one line, not in every log.
    mkdir -p "$run/empty"
    set --
    {
        read -r word # the class's folder
        while read -r word; do set -- "$@" "$word"; done
    } <"$run/$side.options.now"
    GRADE_HIDDEN_SEED=$hidden "$workbook/build/grade" class "$run/empty" --db "$run/check.db" --trust \
        --slice "1/$tasks" --batch check "$@" >"$run/log/check" 2>&1 </dev/null
    code=$?
    rm -rf "$run/empty" "$run/check.db"*
    [ $code -eq 0 ] || fail $code "$(sed 's/^grade: //; q' "$run/log/check")"
    batch=
    if cmp -s "$run/$side.options.now" "$run/$side.options" && cmp -s "$run/hidden.now" "$run/hidden" &&
        [ -e "$run/$side.batch" ]; then
        read -r batch parts <"$run/$side.batch"
        [ "$parts" = "$tasks" ] || batch=
    fi
    if [ -z "$batch" ]; then
        batch=$(date -u +%Y-%m-%dT%H:%M:%SZ)-$$
        echo "$batch $tasks" | write "$run/$side.batch"
    fi
    mv "$run/$side.options.now" "$run/$side.options" && cp "$run/hidden.now" "$run/hidden" ||
        fail 3 "cannot write in $run"
    missing=
    part=1
    while [ $part -le "$tasks" ]; do
        [ "$(cat "$run/$side-$part-of-$tasks.done" 2>/dev/null)" = "$batch" ] || missing=$missing,$part
        part=$((part + 1))
    done
    missing=${missing#,}
}
