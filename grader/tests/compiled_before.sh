#!/bin/sh
# compiled_before.sh - makes compilers for a copy of the workbook, which compile nothing twice.
#
#   grader/tests/compiled_before.sh TREE BIN        then in TREE: PATH=BIN:$PATH make programs
#
# Most files in the student archive are the workbook's and are compiled with the same command. That takes over
# a minute and gives the same object. BIN/gcc and BIN/g++ copy this workbook's object (and its .d file) if
#
# - the command is the same, word by word,
# - the source and each header that it included are the same in TREE, byte for byte,
# - make finds the workbook's object up to date.
#
# Everything else they pass to the compiler.
set -eu
cd "$(dirname "$0")/../.."
whole=$PWD
tree=$1 bin=$2
mkdir -p "$bin"
export LC_ALL=C

# What make would run for the programs and for the objects that other targets of a student need.
commands() { # OPTION OF MAKE
    make --no-print-directory -n -o build/gen/labs.mk "$@" SETUP=skip CHECKED=1 BUILD_LOCK=held SRC=solutions programs \
        build/unit/solutions/01/test_attention build/explore/solutions/01 build/trainer/solutions/train
}
commands -B >"$bin/all"
commands >"$bin/stale"
for folder in grader labs; do
    diff -rqs "$folder" "$tree/$folder" || [ $? -eq 1 ]
done | sed -n 's/^Files \(.*\) and .* are identical$/\1/p' >"$bin/files"

awk -v files="$bin/files" -v stale="$bin/stale" '
    # The command, with one blank between its words.
    function command_of(line) {
        sub(/ 9>&-.*/, "", line)
        $0 = line
        $1 = $1
        return $0
    }
    # Does the .d file of an object name only files that are the same? Its first rule ends where a line has no \.
    function is_same(depends,    line, word, count, i, same, more) {
        same = more = (getline line <depends) > 0
        sub(/^[^:]*:/, "", line)
        while (more) {
            count = split(line, word)
            for (i = 1; i <= count; i++) {
                same = same && (word[i] == "\\" || word[i] in known)
            }
            more = line ~ /\\$/ && (getline line <depends) > 0
        }
        close(depends)
        return same
    }
    FILENAME == files { known[$0]; next }
    !/ -c -o [^ ]*\.o\.tmp / { next }
    FILENAME == stale { old[command_of($0)]; next }
    {
        command = command_of($0)
        object = command
        sub(/.* -c -o /, "", object)
        sub(/\.o\.tmp .*/, "", object)
        if (!(command in old) && is_same(object ".d")) {
            print command
        }
    }
' "$bin/files" "$bin/stale" "$bin/all" >"$bin/same"

for compiler in gcc g++; do
    cat >"$bin/$compiler" <<EOF
#!/bin/sh
if grep -qxF -e "$compiler \$*" '$bin/same'; then
    object=\$*
    object=\${object##* -c -o }
    object=\${object%%.o.tmp *}
    cp '$whole/'"\$object.o" "\$object.o.tmp" && cp '$whole/'"\$object.d" "\$object.d.tmp"
    exit
fi
exec '$(command -v $compiler)' "\$@"
EOF
    chmod +x "$bin/$compiler"
done
