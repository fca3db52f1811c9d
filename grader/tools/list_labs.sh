#!/bin/sh
# list_labs.sh - lists the labs for make and for the grader, based on the folders.
#
#   grader/tools/list_labs.sh build/gen
#
# writes labs.mk (LABS, and per lab FOLDER_03, SOURCES_03, USES_03, EXAMPLES_USE_03; GPU_LABS,
# GPU_SOURCES_03, GPU_USES_03), labs.c (lab_places and gpu_places, see grader/exercises/exercise.h) and for each
# lab exercisesNN.c: lab_exercises, from the names of the files grader/exercises/NN/MM_x.c, each
# of which defines exercise_N_M. A folder NN_x is a lab once grader/exercises/labNN.c is there.
# Its sources are its .c files except test_*.c, explore.c, predict.c and gradcheck.c; it uses the labs whose headers its
# sources and its own header include, and the labs those use. Its GPU side is its .cu files and
# its X_gpu.h, in the same way. Its test_*.c, explore.c and predict.c may include more labs, to
# compare with them: EXAMPLES_USE_03 has these, too.
#
# The folders are those of solutions/, or of labs/ in a workbook without solutions.
set -eu
cd "$(dirname "$0")/../.."

out=$1
home=solutions
[ -d solutions ] || home=labs
mkdir -p "$out"

set -- # the files to read
for folder in "$home"/[0-9][0-9]_*/; do
    [ -d "$folder" ] || continue
    name=$(basename "$folder")
    [ -e "grader/exercises/lab${name%%_*}.c" ] || continue
    for file in "$folder"*.c "$folder"*.cu; do
        case ${file##*/} in
        test_*.c | explore.c | predict.c | gradcheck.c | '*.c' | '*.cu') ;;
        *) set -- "$@" "$file" ;;
        esac
    done
    for file in labs/"$name"/*.h labs/"$name"/test_*.c labs/"$name"/explore.c labs/"$name"/predict.c \
        labs/"$name"/gradcheck.c; do
        [ ! -e "$file" ] || set -- "$@" "$file"
    done
done

# Avoids reading standard input if the list is empty.
[ $# -gt 0 ] || set -- /dev/null

new=$$.new # of this run alone
awk -v mk="$out/labs.mk.$new" -v c="$out/labs.c.$new" '
    # The side of the lab that a file belongs to.
    function side_of(path) {
        if (path ~ /\/(test_[^\/]*|explore|predict|gradcheck)\.c$/) {
            return "examples"
        }
        return path ~ /(\.cu|_gpu\.h)$/ ? "gpu" : "cpu"
    }
    BEGIN {
        for (i = 1; i < ARGC; i++) { # an empty file belongs to its lab, too
            if (split(ARGV[i], path, "/") != 3 || path[2] !~ /^[0-9]/) {
                continue
            }
            number = substr(path[2], 1, 2)
            if (!(number in folders)) {
                folders[number] = path[2]
                order[++labs] = number
            }
            side = side_of(ARGV[i])
            if (path[3] ~ /\.(c|cu)$/ && side != "examples") {
                sources[side, number] = sources[side, number] " " path[3]
            }
        }
    }
    /^#include "[0-9][0-9]_/ {
        split(FILENAME, path, "/")
        includes[side_of(FILENAME), substr(path[2], 1, 2), substr($0, 11, 2)] = 1
    }

    # Marks every lab that a lab uses, directly or indirectly.
    function gather(side, of, root,    i, used) {
        for (i = labs; i >= 1; i--) {
            used = order[i]
            if (((side, of, used) in includes) && !((side, root, used) in gathered) &&
                used != root && ((side, used) in sources)) {
                gathered[side, root, used] = 1
                gather(side, used, root)
            }
        }
    }
    # Lists them from the highest number down, so that a lab comes after those that use it: 04
    # uses 03, 03 uses 02 -> "03 02". If two labs define the same name, the higher one counts.
    function list_uses(side, root,    i) {
        gather(side, root, root)
        for (i = labs; i >= 1; i--) {
            if ((side, root, order[i]) in gathered) {
                uses[side, root] = uses[side, root] " " order[i]
            }
        }
    }
    # Whether the examples of lab root need lab used: they, or a lab that they use, include it.
    function needed(root, used,    i) {
        if (used == root) {
            return 0
        }
        for (i = 1; i <= labs; i++) {
            if (("examples", root, order[i]) in includes &&
                (order[i] == used || ("cpu", order[i], used) in gathered)) {
                return 1
            }
        }
        return ("cpu", root, used) in gathered
    }
    function list_examples_use(root,    i, all) {
        for (i = labs; i >= 1; i--) {
            if (needed(root, order[i])) {
                all = all " " order[i]
            }
        }
        printf "EXAMPLES_USE_%s :=%s\n", root, all > mk
    }
    # " a b" -> {"a", "b"}; at most 15, because the array ends with NULL.
    function strings(list, what,    words, n, i, all) {
        n = split(list, words, " ")
        if (n > 15) {
            printf "list_labs.sh: lab %s has %d %s, at most 15 fit\n", number, n, what \
                > "/dev/stderr"
            failed = 1
        }
        for (i = 1; i <= n; i++) {
            all = all (i > 1 ? ", " : "") "\"" words[i] "\""
        }
        return n ? "{" all "}" : "{0}"
    }
    # An array of lab_place, and the equivalent make variables.
    function places(side, array, prefix,    i, j, n, words, used, all) {
        printf "\nconst struct lab_place %s[] = {\n", array > c
        for (i = 1; i <= labs; i++) {
            number = order[i]
            if (!((side, number) in sources)) {
                continue
            }
            list_uses(side, number)
            all = all " " number
            printf "%sSOURCES_%s :=%s\n", prefix, number, sources[side, number] > mk
            printf "%sUSES_%s :=%s\n", prefix, number, uses[side, number] > mk
            used = ""
            n = split(uses[side, number], words, " ")
            for (j = 1; j <= n; j++) {
                used = used " " folders[words[j]]
            }
            printf "    {%d, %s, \"%s\", %s, %s, &lab_%s, lab_%s_entries},\n", number + 0,
                side == "gpu" ? "true" : "false", folders[number],
                strings(sources[side, number], "sources"), strings(used, "labs it uses"),
                number, number > c
        }
        print "    {0},\n};" > c
        print prefix "LABS :=" all > mk
    }

    END {
        print "# Generated by grader/tools/list_labs.sh." > mk
        print "// Generated by grader/tools/list_labs.sh.\n" > c
        print "#include \"exercises/exercise.h\"\n" > c
        for (i = 1; i <= labs; i++) {
            number = order[i]
            printf "extern const struct lab lab_%s;\n", number > c
            printf "extern const struct entry lab_%s_entries[];\n", number > c
            printf "FOLDER_%s := %s\n", number, folders[number] > mk
        }
        places("cpu", "lab_places", "")
        for (i = 1; i <= labs; i++) {
            list_examples_use(order[i])
        }
        places("gpu", "gpu_places", "GPU_")
        exit failed
    }
' "$@"

# Keeps the date of an unchanged file, so that nothing is recompiled.
keep_or_replace() { # FILE, written as FILE.$new
    cmp -s "$1.$new" "$1" || mv "$1.$new" "$1"
    rm -f "$1.$new"
}
keep_or_replace "$out/labs.c"

for folder in grader/exercises/[0-9][0-9]/; do
    [ -d "$folder" ] || continue # the student archive, whose labNN.c contains everything
    lab=$(basename "$folder")
    find "$folder" -name '[0-9][0-9]_*.c' | sort | awk -v lab="$lab" '
        { sub(/.*\//, ""); names[NR] = "exercise_" (lab + 0) "_" (substr($0, 1, 2) + 0) }
        END {
            print "// Generated by grader/tools/list_labs.sh.\n"
            print "#include \"exercises/exercise.h\"\n"
            for (i = 1; i <= NR; i++) {
                print "extern const struct exercise " names[i] ";"
            }
            print "\nconst struct exercise *const lab_exercises[] = {"
            for (i = 1; i <= NR; i++) {
                print "    &" names[i] ","
            }
            print "    NULL,\n};"
        }
    ' >"$out/exercises$lab.c.$new"
    keep_or_replace "$out/exercises$lab.c"
done
mv "$out/labs.mk.$new" "$out/labs.mk"
