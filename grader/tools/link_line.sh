#!/bin/sh
# link_line.sh - prepares the linker command for workers once, to save time in every
# check.
#
#   link_line.sh build/worker/link START.o...
#
# writes into that folder
#
#   line            the linker and its arguments, one on each line, with OUTPUT, INPUT and OPENBLAS
#                   where the worker, the objects and that library go
#   shared          the same for a worker that is a shared object (grader/worker/start.c)
#   start           the program that loads such a worker: START.o... and the sanitizers
#   start-blas      the same, with OpenBLAS
#   libopenblas.so  contains only the names of the CBLAS functions. So the linker reads two hundred
#                   names instead of fifteen thousand. The worker loads the real library.
#
# Together, this halves the time of a link. The arguments are those that gcc passes to its
# linker. Every library is named by its path, because gold reads all folders that it may search.
#
# gold is the fastest linker that gcc can bring along. Debian 13 has it no longer, and there GNU ld
# does the same work. If a library is not found, the files are empty. Then gcc links the workers
# (grader/build/link.c), and also if the prepared command fails.
set -eu
out=$1
shift
start=$*
linker=gold
command -v ld.gold >/dev/null || linker=bfd
mkdir -p "$out"

find_library() { # name without lib: its path
    for file in "lib$1.so" "lib$1.a"; do
        # a script that names other files by -l would need the folders
        [ "$1" != gcc_s ] || file=libgcc_s.so.1
        path=$(gcc -print-file-name="$file")
        case $path in /*) echo "$path" && return ;; esac
    done
    return 1
}

write_line() { # gcc's arguments for this kind of output
    words=$(gcc -### -fsanitize=address,undefined "$@" -fuse-ld=$linker -o OUTPUT INPUT \
        -Wl,--as-needed -lopenblas -lm 2>&1 | sed -n '/collect2/ { s/^ *[^ ]*//; s/"//g; p; }')
    skip=no
    echo "ld.$linker"
    for word in $words; do
        if [ $skip = yes ]; then
            skip=no
            continue
        fi
        case $word in
        -plugin) skip=yes ;;
        -plugin-opt=* | -L* | -fuse-ld=*) ;;
        -lopenblas) echo OPENBLAS ;; # a folder may be moved
        -l*) find_library "${word#-l}" || return 1 ;;
        *) echo "$word" ;;
        esac
    done
}

write_names() {
    library=$(find_library openblas) || return 1
    soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [ -n "$soname" ] || return 1
    readelf --dyn-syms -W "$library" | awk '
        $4 == "FUNC" && $7 != "UND" && $8 ~ /^(cblas|openblas)_[a-z0-9_]*$/ {
            printf ".globl %s\n.type %s, @function\n%s:\n", $8, $8, $8
        }' >"$out/names.s"
    gcc -shared -nostdlib -Wl,-soname,"$soname" -o "$out/libopenblas.so" "$out/names.s"
}

make_starter() { # name, libraries
    name=$1
    shift
    # shellcheck disable=SC2086 # several words
    gcc -fsanitize=address,undefined -o "$out/$name.new" $start -Wl,--no-as-needed "$@" -lm &&
        mv "$out/$name.new" "$out/$name"
}

rm -f "$out"/line "$out"/shared "$out"/start*
: >"$out/line.new"
: >"$out/shared.new"
if write_names; then
    write_line -no-pie >"$out/line.new" || : >"$out/line.new"
    # Binds internal calls, and detects undefined functions here.
    write_line -shared -Wl,-Bsymbolic -Wl,-z,defs >"$out/shared.new" || : >"$out/shared.new"
    make_starter start && make_starter start-blas -lopenblas || : >"$out/shared.new"
fi
mv "$out/shared.new" "$out/shared"
mv "$out/line.new" "$out/line"
